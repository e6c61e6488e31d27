"""What an algorithm is: a pure step, its cost as a privacy value, and the records that pass between them."""

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


class State(NamedTuple):
    """Where the chains are; ``direction`` is the guided walk's, +1 or -1 per component."""

    theta: Floats  # (chains, dimension)
    direction: Floats | None = None  # (chains, dimension)


class Info(NamedTuple):
    """What a step did. Acceptance is read off the released chain; the shares clipped are not private."""

    accepted: NDArray[np.bool_]  # (chains,)
    clipped: Floats  # (chains,)
    clipped_gradient: Floats | None = None  # (chains,)


Step = Callable[[np.random.Generator, State, Target], tuple[State, Info]]

Test = Callable[[np.random.Generator, Target, Floats, Floats], Info]
"""The decision on the chains' proposals from a symmetric law."""


@dataclass(frozen=True, eq=False)
class Algorithm:
    """A step with its parameters filled in.

    ``cost(target)`` is what one step of one chain releases, None for an algorithm that is not private.
    """

    name: str
    step: Step
    cost: Callable[[Target], GaussianDP | RDP | None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[np.random.Generator, Floats], State] = lambda rng, theta: State(theta)


def clip_bound(clip: float | None) -> float | None:
    """A clipping bound: a number > 0, or None where the target knows its spread."""
    return None if clip is None else checks.real("clip", clip, above=0)


def of_components(name: str, value: ArrayLike) -> Floats:
    """Standard deviations of a proposal, or masses: one number > 0, or one for each component."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim > 1 or not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"{name} must be a finite number > 0, or one for each component, got {name}={value!r}")
    return array


def spread_out(name: str, value: Floats, target: Target) -> Floats:
    """The same as one number for each component of a target."""
    if value.ndim and value.shape != (target.dimension,):
        raise ValueError(f"{name} must be one number or {target.dimension} of them, got shape {value.shape}")
    return np.broadcast_to(value, (target.dimension,))


def prior_ratio(target: Target, theta: Floats, proposal: Floats) -> Floats:
    """ln p(proposal) - ln p(theta), by chain; neither clipped nor noisy."""
    return numbers(target.log_prior(proposal) - target.log_prior(theta))


class Ratio(NamedTuple):
    """A sum of log ratios as it may be released: clipped, with its sensitivity."""

    total: Floats
    sensitivity: Floats
    clipped: Floats


def bounded_ratio(target: Target, theta: Floats, proposal: Floats, clip: float | None) -> Ratio:
    r"""Sum of log ratios with the most that one replaced row can change it.

    A ratio is clipped to \(\pm b \lVert \theta' - \theta \rVert\), so the sensitivity is twice that; with no clip it is
    the target's ``spread``. Both are the same for the move back, on which exactness rests.
    """
    if clip is None:
        if target.spread is None:
            raise ValueError("clip must be a finite number > 0 where the target has no spread, got clip=None")
        spread = known_spread(target.spread, theta, proposal)
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


def known_spread(spread: Callable[[Floats, Floats], Any], theta: Floats, proposal: Floats) -> Floats:
    """A target's spread of each move, checked, for noise is drawn in proportion to it; infinite where a proposal is."""
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


def accept(rng: np.random.Generator, log_ratio: Floats) -> NDArray[np.bool_]:
    """True with the probability ``acceptance.metropolis``, min(1, exp(log_ratio)); what is not a number is refused."""
    return np.asarray(np.log1p(-rng.random(len(log_ratio))) < log_ratio)


def moved(accepted: NDArray[np.bool_], theta: Floats, proposal: Floats) -> Floats:
    """The chains after the decision."""
    return np.where(accepted[:, None], proposal, theta)
