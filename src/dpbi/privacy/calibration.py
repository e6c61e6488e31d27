"""Calibration: the search for the mechanism of a family whose exact privacy loss at one prior and n equals a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import PureDP
from ..mechanisms import Law, Line, Mechanism
from ..mechanisms.law import Witness
from .losses import audit

# Factor by which each step of the search changes the internal epsilon, until the loss crosses the target. Chosen.
SEARCH_GROWTH = 1.25

# Factor between the steps of the search for a later crossing, which extends to twice the internal epsilon. Both factors
# are chosen: in the tests, the loss of ``smoothed_hellinger`` falls below the target again within a factor of two.
RETURN_GROWTH = 1.05

# The search fails if the loss is still at most the target at an internal epsilon of this multiple of the target, or
# still above the target at the corresponding fraction. Chosen: farther than any family in the library needs.
MAX_INTERNAL_RATIO = 1e6


def calibrate(family: Callable[[float], Mechanism], prior: ArrayLike, n: int, epsilon: float) -> Mechanism:
    """The mechanism of a family whose exact privacy loss equals a budget, with the largest internal epsilon found.

    The privacy loss need not increase with the internal epsilon; for ``smoothed_hellinger`` the loss decreases in
    places. Therefore the search does not end at the first crossing of the target. The search continues in steps of 5 %
    until the internal epsilon has doubled since the last step with a loss of at most the target. Brent's method then
    finds the last crossing. If the loss falls below the target even later, or only between two steps, a mechanism with
    a larger internal epsilon exists but is not found.

    Args:
        family: Function that maps an internal epsilon to a mechanism, for example ``ehd``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        epsilon: Largest allowed privacy loss of the mechanism, > 0.

    Returns:
        The mechanism, whose privacy loss at this prior and n is at most epsilon. The methods of the mechanism raise
        ``ValueError`` for any other prior and n, because the audit does not cover them.

    Raises:
        ValueError: If n is too large for ``audit``, or if the loss exceeds epsilon for all mechanisms tried or for
            none.

    >>> from dpbi import audit, ehd, lshist
    >>> mechanism = calibrate(ehd, [1, 1], 20, epsilon=1.0)
    >>> round(audit(mechanism, [1, 1], 20).epsilon, 6), round(audit(ehd(1.0), [1, 1], 20).epsilon, 6)
    (1.0, 0.600686)
    >>> audit(calibrate(lshist, [1, 1], 20, epsilon=1.0), [1, 1], 30)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: prior and n must be those of the calibration, ... and n=30: the audit does not cover them
    >>> calibrate(lambda internal: ehd(8.0), [1, 1], 20, epsilon=1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: family must leak at most epsilon=1.0 at some internal epsilon down to ..., but does not at n=20
    """
    weights = checks.prior_weights(prior)
    target = checks.real("epsilon", epsilon, above=0)
    try:
        made: object = family(target)
    except TypeError as error:  # no function, or one of more arguments
        made = error
    allowed = "a function from an internal epsilon alone to a Mechanism"
    got = f"family={checks.brief(family)}, which gives {checks.brief(made)}"
    checks.need(isinstance(made, Mechanism), f"family must be {allowed}, got {got}", TypeError)

    def excess(internal: float) -> float:
        return audit(family(internal), weights, n).epsilon - target

    from scipy.optimize import brentq  # imported here: the import takes longer than most calls of the library

    # bracket the crossing: first down to a loss of at most the target, then up to the last step before the loss exceeds
    # it
    inside = target
    while excess(inside) > 0:
        inside /= SEARCH_GROWTH
        low_enough = f"leak at most epsilon={target} at some internal epsilon down to {inside:g}, but does not at n={n}"
        checks.need(inside * MAX_INTERNAL_RATIO > target, f"family must {low_enough}")
    while excess(inside * SEARCH_GROWTH) <= 0:
        inside *= SEARCH_GROWTH
        enough = f"leak more than epsilon={target} at some internal epsilon up to {inside:g}, but does not at n={n}"
        checks.need(inside <= target * MAX_INTERNAL_RATIO, f"family must {enough}: no largest member was found")
    further = inside
    while (further := further * RETURN_GROWTH) <= 2 * inside:
        if excess(further) <= 0:
            inside = further
    internal = float(brentq(excess, inside, inside * RETURN_GROWTH, xtol=1e-300, rtol=1e-13))
    while excess(internal) > 0:  # the root is rounded, but the loss must not exceed the budget even in its last digit
        internal *= 1 - 1e-13
    return Calibrated(family(internal), tuple(weights.tolist()), n, target, internal)


@final
@dataclass(frozen=True)
class Calibrated(Mechanism):
    """A mechanism whose exact privacy loss at one prior and n is at most epsilon; any other prior or n raises an error.

    Attributes:
        mechanism: The mechanism that was audited.
        prior: Dirichlet parameters of the audit.
        n: Number of records of the audit.
        epsilon: Promised privacy loss at this prior and n, which must be at least the audited loss.
        internal: Internal epsilon of the mechanism in its family.

    >>> from dpbi import lshist
    >>> Calibrated(lshist(2.0), (1.0, 1.0), 20, 1.0, 2.0)
    Traceback (most recent call last):
    ValueError: mechanism must leak at most epsilon=1.0 at prior [1.0, 1.0] and n=20, got 2.0
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    epsilon: float
    internal: float

    def __post_init__(self) -> None:
        loss = audit(self.mechanism, self.prior, self.n).epsilon
        allowed = f"leak at most epsilon={self.epsilon} at prior {list(self.prior)} and n={self.n}"
        checks.need(loss <= self.epsilon, f"mechanism must {allowed}, got {loss}")

    @property
    def name(self) -> str:
        how = f"calibrated to {self.epsilon:g} at n = {self.n} (internal epsilon {self.internal:.6g})"
        return f"{self.mechanism.name}, {how}"

    def _here(self, weights: Floats, n: int) -> bool:
        return (tuple(weights.tolist()), n) == (self.prior, self.n)

    def _audited(self, weights: Floats, n: int) -> Mechanism:
        allowed = f"those of the calibration, prior={list(self.prior)} and n={self.n}"
        got = f"prior={weights.tolist()} and n={n}: the audit does not cover them"
        checks.need(self._here(weights, n), f"prior and n must be {allowed}, got {got}")
        return self.mechanism

    def _promise_at(self, weights: Floats, n: int) -> PureDP | None:
        return PureDP(self.epsilon) if self._here(weights, n) else None

    def _law(self, weights: Floats, x: Integers) -> Law:
        return self._audited(weights, int(x.sum())).law(weights, x)

    def _laws(self, weights: Floats, n: int) -> Law:
        return self._audited(weights, n).laws(weights, n)

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        return self._audited(weights, int(x.sum())).sample(weights, x, rng, size)

    @property
    def has_rate(self) -> bool:
        return self.mechanism.has_rate

    def _rate(self, weights: Floats, x: Integers) -> Any:
        return self._audited(weights, int(x.sum(axis=-1).max())).finite_rate(weights, x)

    def _line(self, weights: Floats, x: Integers) -> Line | None:
        return self._audited(weights, int(x.sum())).line(weights, x)

    def attained(self, n: int, k: int) -> Witness | None:
        return self.mechanism.attained(n, k)
