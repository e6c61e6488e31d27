"""What an algorithm is: a pure step, its cost as a privacy value, and the records that pass between them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arithmetic import in_doubles, numbers, sqrt
from ..checks import Floats
from ..guarantees import BatchDP, GaussianDP
from .acceptance import clipped_sensitivity
from .target import Target

EXACT = "leaves the target invariant"
UNCLIPPED = "leaves the target invariant where nothing is clipped"
APPROXIMATE = "approximate"


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


@dataclass(frozen=True, eq=False)
class Algorithm:
    r"""A step with its parameters filled in.

    ``cost(target)`` is what one step of one chain releases, None for an algorithm that is not private;
    ``invariance`` says what is known about its stationary law. ``released(rows)``, of an algorithm whose noise is
    drawn on the lattice as well, is the \(\rho\) of that, an exact number.
    """

    name: str
    step: Step
    cost: Callable[[Target], GaussianDP | BatchDP | None]
    invariance: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    start: Callable[[np.random.Generator, Floats], State] = lambda rng, theta: State(theta)
    released: Callable[[int], Fraction] | None = None


def clip_bound(clip: float | None) -> float | None:
    """A clipping bound: a number > 0, or None where the target knows its spread."""
    return None if clip is None else checks.real("clip", clip, above=0)


def scales(scale: ArrayLike) -> Floats:
    """Standard deviations of a proposal: one number > 0, or one for each component."""
    array = np.asarray(scale, dtype=np.float64)
    if array.ndim > 1 or not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"scale must be a finite number > 0, or one for each component, got scale={scale!r}")
    return array


def proposal_scale(scale: Floats, target: Target) -> Floats:
    """The scale as one number for each component of a target."""
    if scale.ndim and scale.shape != (target.dimension,):
        raise ValueError(f"scale must be one number or {target.dimension} of them, got shape {scale.shape}")
    return np.broadcast_to(scale, (target.dimension,))


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
    """A target's spread of each move, checked: noise is drawn in proportion to it.

    A proposal that is not finite has none, and is refused whatever the rows are.
    """
    there, back = numbers(spread(theta, proposal)), numbers(spread(proposal, theta))
    if not in_doubles():
        return there
    for found in (there, back):
        if found.shape != (len(theta),):
            raise ValueError(f"spread must return one number for each chain, {len(theta)}, got shape {found.shape}")
    finite = np.isfinite(proposal).all(axis=1)
    moves = finite & (proposal != theta).any(axis=1)
    with np.errstate(invalid="ignore"):
        wrong = ~np.isfinite(there) | (there < 0) | (moves & (there == 0))
        uneven = (np.abs(there - back) > 1e-9 * there) | np.isnan(back)
    for c in np.flatnonzero(finite & (wrong | uneven)):
        name = f"for the move from {theta[c].tolist()} to {proposal[c].tolist()}"
        if wrong[c]:
            allowed = "a finite number > 0 for a point that moves"
            raise ValueError(f"spread must be {allowed}, got {there[c]} {name}")
        raise ValueError(f"spread must be the same both ways, got {there[c]} {name} and {back[c]} for the move back")
    return np.where(finite, np.maximum(there, back), np.inf)


def accept(rng: np.random.Generator, log_ratio: Floats) -> NDArray[np.bool_]:
    """True with the probability ``acceptance.metropolis``, min(1, exp(log_ratio)); what is not a number is refused."""
    return np.asarray(np.log1p(-rng.random(len(log_ratio))) < log_ratio)


def moved(accepted: NDArray[np.bool_], theta: Floats, proposal: Floats) -> Floats:
    """The chains after the decision."""
    return np.where(accepted[:, None], proposal, theta)
