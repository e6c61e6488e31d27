"""The parts of an algorithm: a pure step with its state and its information, and its cost as a privacy guarantee."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arithmetic import in_doubles, numbers, sqrt
from ..checks import Floats
from ..guarantees import RDP, GaussianDP
from .acceptance import clipped_sensitivity
from .target import Target


@dataclass(frozen=True, eq=False)
class State:
    """State of the chains.

    Attributes:
        theta: Parameter vectors, shape (chains, dimension).
        direction: Directions +1 or -1 of the guided walk, shape (chains, dimension); None for other algorithms.

    >>> State(np.zeros((20, 2)))
    State(chains=20, dimension=2)
    """

    theta: Floats
    direction: Floats | None = None

    def __repr__(self) -> str:
        return f"State(chains={self.theta.shape[0]}, dimension={self.theta.shape[1]})"


@dataclass(frozen=True, eq=False)
class Info:
    """Information on one step of every chain.

    Attributes:
        accepted: Whether the proposal was accepted, shape (chains,). The released chain shows it.
        clipped: Share of rows whose log ratio was clipped, shape (chains,). Not private.
        clipped_gradient: Share of rows whose gradient was clipped, shape (chains,), or None. Not private.

    >>> from dpbi.mcmc import clipped_metropolis, posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: 0.0, dimension=1)
    >>> algorithm = clipped_metropolis(clip=2.5, scale=0.1)
    >>> _, info = algorithm.step(State(np.zeros((2, 1))), target, np.random.default_rng(1))
    >>> info.accepted.tolist(), info.clipped.round(3).tolist()  # near 0 a row x has the gradient x: 3 to 8 are clipped
    ([True, True], [0.667, 0.667])
    """

    accepted: NDArray[np.bool_]
    clipped: Floats
    clipped_gradient: Floats | None = None


Test = Callable[[Target, Floats, Floats, np.random.Generator], Info]
"""A decision: (target, theta, proposal, rng), the proposal from a symmetric law, to ``Info``."""


@dataclass(frozen=True, eq=False)
class Algorithm:
    """An algorithm with its parameters filled in.

    Attributes:
        name: Name of the function that made it.
        step: One step of every chain: (state, target, rng) to (state, info).
        cost: The privacy guarantee of one step of one chain on a target, None for an algorithm that is not private.
        parameters: The parameters, for records.
        start: (theta, rng) to the state at starting points theta, shape (chains, dimension); without directions unless
            given.

    >>> from dpbi.mcmc import penalty
    >>> penalty(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='penalty', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """

    name: str
    step: Callable[[State, Target, np.random.Generator], tuple[State, Info]] = field(repr=False)
    cost: Callable[[Target], GaussianDP | RDP | None] = field(repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[Floats, np.random.Generator], State] = field(default=lambda theta, rng: State(theta), repr=False)


def clip_bound(clip: float | None) -> float | None:
    """A checked clipping bound: a number > 0, or None where the target has a ``spread``."""
    return None if clip is None else checks.real("clip", clip, above=0)


def positive_scales(name: str, value: ArrayLike) -> Floats:
    """Checked standard deviations of a proposal, or masses: one number > 0, or one for each component.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Returns:
        The numbers as an array, shape () or (dimension,).
    """
    allowed = "a finite number > 0, or one for each component"
    array = np.asarray(checks.numeric(name, value, allowed), dtype=np.float64)
    if array.ndim > 1 or not array.size or not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"{name} must be {allowed}, got {name}={checks.brief(value)}")
    return array


def per_component(name: str, value: Floats, target: Target) -> Floats:
    """One number for each component of a target, from one number or d of them.

    Args:
        name: Name of the argument, for the message.
        value: The numbers, shape () or (dimension,).
        target: The posterior.

    Returns:
        An array of shape (dimension,).
    """
    if value.ndim and value.shape != (target.dimension,):
        raise ValueError(f"{name} must be one number or {target.dimension} of them, got shape {value.shape}")
    return np.broadcast_to(value, (target.dimension,))


def prior_ratio(target: Target, theta: Floats, proposal: Floats) -> Floats:
    """Log ratio of the priors of proposal and theta, one for each chain; it is neither clipped nor noisy.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Log ratios, one for each chain.
    """
    return numbers(target.log_prior(proposal) - target.log_prior(theta))


class Ratio(NamedTuple):
    """A clipped sum of log ratios, with its sensitivity.

    Attributes:
        total: The sum over rows, shape (chains,).
        sensitivity: The most by which one replaced row changes it, shape (chains,).
        clipped: Share of rows that were clipped, shape (chains,). Not private.
    """

    total: Floats
    sensitivity: Floats
    clipped: Floats


def bounded_ratio(target: Target, theta: Floats, proposal: Floats, clip: float | None) -> Ratio:
    r"""Sum of the rows' log ratios, with the sensitivity to one replaced row.

    Each ratio is clipped to \(\pm b \lVert \theta' - \theta \rVert\), so the sensitivity is twice that. Without a clip
    b the sensitivity is the target's ``spread``. Both are the same for the move back, which exactness needs.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        clip: Clip of a row's log ratio for each unit of the move's length; None for none.

    Returns:
        The sums, their sensitivities and the share of rows that were clipped.
    """
    if clip is None:
        if target.spread is None:
            raise ValueError("clip must be a finite number > 0 where the target has no spread, got clip=None")
        spread = checked_spread(target.spread, theta, proposal)
        found = target.likelihood.ratio(theta, proposal, np.full(len(theta), np.inf))
        if in_doubles() and not np.isfinite(found.total[np.isfinite(spread)]).all():
            raise ValueError(
                "log_likelihood must be finite for every row where the target has a spread and nothing is clipped, got "
                "a row for which it is not: give clip. This error was found in the rows and must not be released"
            )
        return Ratio(found.total, spread, found.clipped)
    bound = clip * sqrt(np.sum((proposal - theta) ** 2, axis=1))
    found = target.likelihood.ratio(theta, proposal, bound)
    return Ratio(found.total, clipped_sensitivity(bound), found.clipped)


def checked_spread(spread: Callable[[Floats, Floats], Any], theta: Floats, proposal: Floats) -> Floats:
    """Checked ``spread`` of each move, infinite where the proposal is. Noise is drawn in proportion to it.

    Args:
        spread: Function of theta and the proposal: the largest difference of two rows' log ratios.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Sensitivities, one for each chain.
    """
    there, back = numbers(spread(theta, proposal)), numbers(spread(proposal, theta))
    if not in_doubles():
        return there
    if there.shape != (len(theta),):
        raise ValueError(f"spread must return one number for each chain, {len(theta)}, got shape {there.shape}")
    finite = np.isfinite(proposal).all(axis=1)
    moves = finite & (proposal != theta).any(axis=1)
    with np.errstate(invalid="ignore"):
        wrong = ~np.isfinite(there) | (there < 0) | (moves & (there == 0))
        uneven = ~(np.abs(there - back) <= 1e-9 * there)
    for allowed, refused in (("a finite number > 0 for a point that moves", wrong), ("the same both ways", uneven)):
        for c in np.flatnonzero(finite & refused)[:1]:
            move = f"the move from {theta[c].tolist()} to {proposal[c].tolist()}"
            raise ValueError(f"spread must be {allowed}, got {there[c]} for {move} and {back[c]} for the move back")
    return np.where(finite, np.maximum(there, back), np.inf)


def accept(log_ratio: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True with probability min(1, exp(log_ratio)), as ``acceptance.metropolis``; never where the ratio is nan.

    Args:
        log_ratio: Logarithms of the acceptance ratios.
        rng: Random number generator.

    Returns:
        Whether each chain accepts.
    """
    return np.asarray(np.log1p(-rng.random(len(log_ratio))) < log_ratio)


def after_decision(accepted: NDArray[np.bool_], theta: Floats, proposal: Floats) -> Floats:
    """Parameter vectors after the decision: the proposal where it was accepted.

    Args:
        accepted: Whether each chain accepts.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Parameter vectors of the same shape.
    """
    return np.where(accepted[:, None], proposal, theta)
