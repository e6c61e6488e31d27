"""Calibration: the member of a family whose exact loss spends a budget, refusing every other prior and n."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..guarantees import Guarantee, PureDP
from ..mechanisms import Mechanism, all_laws
from .losses import audit

T = TypeVar("T")


# Each calibration step moves the internal epsilon by this factor or less until the loss crosses the target.
SEARCH_GROWTH = 1.25

# After the crossing, steps of this factor look for a later crossing, up to twice the internal epsilon. Both are chosen:
# ``smoothed_hellinger`` comes back below its target within a factor of two (tests).
RETURN_GROWTH = 1.05

# The search ends without a member if the family stays within the target up to this multiple of it, or exceeds the
# target down to the same fraction of it (chosen: farther than any family of the library needs).
MAX_INTERNAL_RATIO = 1e6


def calibrate(family: Callable[[float], Mechanism], prior: ArrayLike, n: int, epsilon: float) -> Mechanism:
    """Member of a family whose exact audited loss spends a budget, the one with the largest internal epsilon found.

    The loss need not grow with the internal epsilon (that of ``smoothed_hellinger`` falls again in places). So after
    the first crossing of the target the search goes on in steps of 5 % until a whole factor of two is too much, and
    solves for the last crossing. A family whose loss comes back still later, or between two steps, has a larger member
    than the one found.

    Args:
        family: Function from an internal epsilon to a mechanism, ``ehd`` for instance.
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        epsilon: Privacy loss that the mechanism may have, > 0.

    Returns:
        The mechanism, with a loss of at most epsilon at this prior and n. It refuses any other prior and n, because
        the audit says nothing about them.

    Raises:
        ValueError: If n is too large for ``audit``, if every member tried leaks more than epsilon, or if none does.

    >>> from dpbi import audit, ehd, lshist
    >>> mechanism = calibrate(ehd, [1, 1], 20, epsilon=1.0)
    >>> round(audit(mechanism, [1, 1], 20).epsilon, 6), round(audit(ehd(1.0), [1, 1], 20).epsilon, 6)
    (1.0, 0.600686)
    >>> audit(calibrate(lshist, [1, 1], 20, epsilon=1.0), [1, 1], 30)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: prior and n must be those of the calibration, ... and n=30: the audit says nothing about them
    >>> calibrate(lambda internal: ehd(8.0), [1, 1], 20, epsilon=1.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: family must leak at most epsilon=1.0 at some internal epsilon down to ..., and does not at n=20
    """
    weights = checks.prior_weights(prior)
    target = checks.real("epsilon", epsilon, above=0)
    try:
        made: object = family(target)
    except TypeError as error:  # no function, or one of more arguments
        made = error
    if not isinstance(made, Mechanism):
        allowed = "a function from an internal epsilon alone to a Mechanism"
        got = f"family={checks.brief(family)}, which gives {checks.brief(made)}"
        raise TypeError(f"family must be {allowed}, got {got}")

    def excess(internal: float) -> float:
        return audit(family(internal), weights, n).epsilon - target

    from scipy.optimize import brentq  # imported here: the import takes longer than most calls of the library

    inside = target
    while excess(inside) > 0:
        inside /= SEARCH_GROWTH
        low_enough = f"leak at most epsilon={target} at some internal epsilon down to {inside:g}, and does not at n={n}"
        checks.need(inside * MAX_INTERNAL_RATIO > target, f"family must {low_enough}")
    while excess(inside * SEARCH_GROWTH) <= 0:
        inside *= SEARCH_GROWTH
        if inside > target * MAX_INTERNAL_RATIO:
            raise ValueError(
                f"family must leak more than epsilon={target} at some internal epsilon up to {inside:g}, "
                f"and does not at n={n}: no largest member was found"
            )
    further = inside
    while (further := further * RETURN_GROWTH) <= 2 * inside:
        if excess(further) <= 0:
            inside = further
    internal = float(brentq(excess, inside, inside * RETURN_GROWTH, xtol=1e-300, rtol=1e-13))
    while excess(internal) > 0:  # the root is rounded: the result must not exceed the budget by a last digit
        internal *= 1 - 1e-13
    return _only_at(family(internal), weights, n, target, internal)


def _only_at(mechanism: Mechanism, prior: Floats, n: int, target: float, internal: float) -> Mechanism:
    """The mechanism with a guarantee at the prior and n of the audit, refusing all other settings."""
    name = f"{mechanism.name}, calibrated to {target:g} at n = {n} (internal epsilon {internal:.6g})"

    def refuse(given: Floats, size: int) -> None:
        if not (np.array_equal(given, prior) and size == n):
            raise ValueError(
                f"prior and n must be those of the calibration, prior={prior.tolist()} and n={n}, "
                f"got prior={given.tolist()} and n={size}: the audit says nothing about them"
            )

    def here(inner: Callable[..., T]) -> Callable[..., T]:
        """A function of a mechanism, refusing every prior and n but those of the audit."""

        def found(given: Floats, at: Any, *more: Any) -> T:
            for size in [at] if isinstance(at, int) else np.unique(at.sum(axis=-1)).tolist():
                refuse(given, size)
            return inner(given, at, *more)

        return found

    def guarantee(given: Floats, size: int) -> Guarantee | None:
        return PureDP(target) if np.array_equal(given, prior) and size == n else None

    return replace(
        mechanism,
        name=name,
        promise=None,
        guarantee=guarantee,
        law=here(mechanism.law),
        laws=here(lambda given, size: all_laws(mechanism, given, size)[1]),
        sample=here(mechanism.sample),
        rate=mechanism.rate and here(mechanism.rate),
        line=mechanism.line and here(mechanism.line),
    )
