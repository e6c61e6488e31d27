"""Interface of the sampling algorithms: states of the chains, steps with diagnostics, and privacy guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
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
    """Current states of several chains that run simultaneously.

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
    """Decisions and diagnostics for one step of every chain.

    Attributes:
        accepted: Whether each proposal was accepted, shape (chains,); a released chain reveals these decisions.
        clipped: Share of rows whose log ratio was clipped, shape (chains,); not private.
        clipped_gradient: Share of rows whose gradient was clipped, shape (chains,); not private, and None for an
            algorithm without gradients.

    >>> from dpbi.mcmc import clipped_metropolis, posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: 0.0, dimension=1)
    >>> algorithm = clipped_metropolis(clip=2.5, scale=0.1)
    >>> _, info = algorithm.step(State(np.zeros((2, 1))), target, np.random.default_rng(1))
    >>> info.accepted.tolist(), info.clipped.round(3).tolist()  # near 0, row x has gradient x: rows 3 to 8 are clipped
    ([True, True], [0.667, 0.667])
    """

    accepted: NDArray[np.bool_]
    clipped: Floats
    clipped_gradient: Floats | None = None


Test = Callable[[Target, Floats, Floats, np.random.Generator], Info]
"""An acceptance test: maps (target, theta, proposal, rng) to ``Info``, for proposals from a symmetric distribution."""


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A sampling algorithm whose tuning parameters have been set.

    Attributes:
        name: Name of the library function that returned the algorithm.
        step: Function that moves every chain by one step and maps (state, target, rng) to (state, info).
        cost: Function that maps a target to the privacy guarantee of one step of one chain, or to None if the algorithm
            is not private.
        parameters: Names and values of the tuning parameters, to document a run.
        start: Function that maps the starting points, shape (chains, dimension), and a generator to the initial state;
            by default, the initial state has no directions.

    >>> from dpbi.mcmc import penalty
    >>> penalty(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='penalty', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """

    name: str
    step: Callable[[State, Target, np.random.Generator], tuple[State, Info]] = field(repr=False)
    cost: Callable[[Target], GaussianDP | RDP | None] = field(repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[Floats, np.random.Generator], State] = field(default=lambda theta, rng: State(theta), repr=False)


def with_steps(name: str, move: Any, test: Any, cost: Any, scale: ArrayLike, **settings: Any) -> Algorithm:
    """Algorithm that proposes normal steps; the scale of the steps is validated here, the other settings are not.

    Args:
        name: Name of the library function that returns the algorithm.
        move: Function that moves every chain by one step, ``walk`` or ``component_walk``.
        test: Acceptance test with the settings as keyword arguments.
        cost: Function that maps a target to the privacy guarantee of one step of one chain, or to None.
        scale: Standard deviation of a step, > 0: one number for all components, or one for each component.
        **settings: Validated tuning parameters of the test.

    Returns:
        The algorithm.
    """
    deviation = positive_scales("scale", scale)
    step = partial(move, scale=deviation, test=partial(test, **settings))
    return Algorithm(name, step, cost, settings | {"scale": deviation.tolist()})


def clip_bound(clip: float | None) -> float | None:
    """Validated clipping bound: a number > 0, or None if the target has a ``spread``."""
    return None if clip is None else checks.real("clip", clip, above=0)


def positive_scales(name: str, value: ArrayLike) -> Floats:
    """Validated standard deviations or masses: one number > 0 for all components, or one for each component.

    Args:
        name: Name of the argument, for error messages.
        value: The argument to validate.

    Returns:
        The numbers as an array of shape () or (dimension,).
    """
    allowed = "a finite number > 0, or one for each component"
    array = np.asarray(checks.numeric(name, value, allowed), dtype=np.float64)
    if array.ndim > 1 or not array.size or not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"{name} must be {allowed}, got {name}={checks.brief(value)}")
    return array


def per_component(name: str, value: Floats, target: Target) -> Floats:
    """Array with one number for each component of the parameter; a single number is repeated.

    Args:
        name: Name of the argument, for error messages.
        value: A single number, shape (), or one number for each component, shape (dimension,).
        target: The posterior.

    Returns:
        An array of shape (dimension,).
    """
    if value.ndim and value.shape != (target.dimension,):
        raise ValueError(f"{name} must be one number or {target.dimension} of them, got shape {value.shape}")
    return np.broadcast_to(value, (target.dimension,))


def prior_ratio(target: Target, theta: Floats, proposal: Floats) -> Floats:
    """Log ratio of the prior densities at the proposal and at ``theta``, for each chain, without clipping or noise.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Log ratios, one for each chain.
    """
    return numbers(target.log_prior(proposal) - target.log_prior(theta))


class Ratio(NamedTuple):
    """Sum of the rows' clipped log ratios for each chain, with the sensitivity of the sum.

    Attributes:
        total: Sum over the rows, shape (chains,).
        sensitivity: Largest change in the sum when one row is replaced, shape (chains,).
        clipped: Share of rows that were clipped, shape (chains,); not private.
    """

    total: Floats
    sensitivity: Floats
    clipped: Floats


def bounded_ratio(target: Target, theta: Floats, proposal: Floats, clip: float | None) -> Ratio:
    r"""Sum of the rows' log ratios, and its sensitivity to the replacement of one row.

    Each row's log ratio is clipped to \(\pm b \lVert \theta' - \theta \rVert\), so the sensitivity of the sum is twice
    this bound. If ``clip`` is None, nothing is clipped and the ``spread`` of the target is the sensitivity. With or
    without clipping, a move and its reverse have the same sensitivity, as the proof of exactness requires.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        clip: Clipping bound b for a row's log ratio, per unit length of the move; None if the target has a ``spread``.

    Returns:
        The sums, their sensitivities, and the shares of rows that were clipped.
    """
    if clip is None:
        if target.spread is None:
            raise ValueError("clip must be a finite number > 0 if the target has no spread, got clip=None")
        spread = checked_spread(target.spread, theta, proposal)
        found = target.likelihood.ratio(theta, proposal, np.full(len(theta), np.inf))
        if in_doubles() and not np.isfinite(found.total[np.isfinite(spread)]).all():
            raise ValueError(
                "log_likelihood must be finite for every row if the target has a spread and nothing is clipped, got "
                "a row for which it is not finite: set clip. This error depends on the rows and must not be released"
            )
        return Ratio(found.total, spread, found.clipped)
    bound = clip * sqrt(np.sum((proposal - theta) ** 2, axis=1))
    found = target.likelihood.ratio(theta, proposal, bound)
    return Ratio(found.total, clipped_sensitivity(bound), found.clipped)


def checked_spread(spread: Callable[[Floats, Floats], Any], theta: Floats, proposal: Floats) -> Floats:
    """Validated sensitivity of each move, computed by the target's ``spread``; infinite if the proposal is not finite.

    The standard deviation of the noise is proportional to this sensitivity.

    Args:
        spread: Function of theta and the proposal that bounds the difference between any two rows' log ratios.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Sensitivities, one for each chain.
    """
    there, back = numbers(spread(theta, proposal)), numbers(spread(proposal, theta))
    if not in_doubles():  # the comparisons below require doubles
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
    # the two sensitivities may differ by rounding; exactness requires the same standard deviation in both directions
    return np.where(finite, np.maximum(there, back), np.inf)


def accept(log_ratio: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Random Metropolis decisions: True with probability min(1, exp(log_ratio)), and False if the log ratio is nan.

    Args:
        log_ratio: Logarithms of the acceptance ratios, one for each chain.
        rng: Random number generator.

    Returns:
        Whether each chain accepts its proposal.
    """
    # rng.random can return 0 but not 1, so log(1 - U) is always finite, but log(U) is not
    return np.asarray(np.log1p(-rng.random(len(log_ratio))) < log_ratio)


def after_decision(accepted: NDArray[np.bool_], theta: Floats, proposal: Floats) -> Floats:
    """Parameter vector of each chain after the decision: the proposal if accepted, and otherwise the old vector.

    Args:
        accepted: Whether each chain accepts its proposal.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).

    Returns:
        Parameter vectors of the same shape.
    """
    return np.where(accepted[:, None], proposal, theta)
