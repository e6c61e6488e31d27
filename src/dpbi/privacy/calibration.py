r"""Calibration: the member of a family whose exact loss spends the budget, and its refusal to be used elsewhere."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import PureDP
from ..mechanisms import Guarantee, Law, Mechanism, all_laws
from ..mechanisms.description import KnownRates
from .losses import audit

T = TypeVar("T")


def calibrate(family: Callable[[float], Mechanism], prior: ArrayLike, n: int, epsilon: float) -> Mechanism:
    """The member of a family with the largest internal epsilon found whose exact audited loss stays within ``epsilon``.

    ``family`` maps an internal epsilon to a mechanism, ``ehd`` for instance. The loss need not grow with the internal
    epsilon (that of ``smoothed_hellinger`` falls again in places), so after the first crossing of the target the search
    goes on in steps of 5 % until a whole factor of two is too much, and solves for the last crossing; a family that
    comes back still later, or between two steps, has a larger member than the one found. The result was obtained by an
    exact audit at this prior and n, and refuses any other: elsewhere nothing is known of it. What ``audit``
    refuses is refused here too.

    >>> from dpbi import audit, ehd
    >>> mechanism = calibrate(ehd, [1, 1], 20, epsilon=1.0)
    >>> round(audit(mechanism, [1, 1], 20).epsilon, 6), round(audit(ehd(1.0), [1, 1], 20).epsilon, 6)
    (1.0, 0.600686)
    """
    weights = checks.prior_weights(prior)
    target = checks.real("epsilon", epsilon, above=0)
    if not callable(family):
        raise TypeError(f"family must be a function from an internal epsilon to a Mechanism, got family={family!r}")

    def excess(internal: float) -> float:
        return audit(family(internal), weights, n).epsilon - target

    from scipy.optimize import brentq  # imported here, for that takes longer than many a call

    inside = target
    while excess(inside) > 0:
        inside /= 1.25
    while excess(inside * 1.25) <= 0:
        inside *= 1.25
        if inside > target * 1e6:
            raise ValueError(
                f"family must leak more than epsilon={target} at some internal epsilon up to {inside:g}, "
                f"and does not at n={n}: no largest member exists"
            )
    further = inside
    while (further := further * 1.05) <= 2 * inside:
        if excess(further) <= 0:
            inside = further
    internal = float(brentq(excess, inside, inside * 1.05, xtol=1e-300, rtol=1e-13))
    while excess(internal) > 0:
        internal *= 1 - 1e-13
    return _only_at(family(internal), weights, n, target, internal)


def _only_at(mechanism: Mechanism, prior: Floats, n: int, target: float, internal: float) -> Mechanism:
    """The same mechanism, refusing every setting but the one it was audited at."""
    name = f"{mechanism.name}, calibrated to {target:g} at n = {n} (internal epsilon {internal:.6g})"

    def here(prior_given: ArrayLike, size: int) -> bool:
        given = checks.whole("n", size, least=0, below=checks.LARGEST_TOTAL)
        return np.array_equal(checks.prior_weights(prior_given), prior) and given == n

    def refuse(weights: Floats, size: int) -> None:
        if not here(weights, size):
            raise ValueError(
                f"prior and n must be those of the calibration, prior={prior.tolist()} and n={n}, "
                f"got prior={weights.tolist()} and n={size}: the audit says nothing about them"
            )

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return mechanism.law(prior, counts)

    def laws(prior: ArrayLike, n: int) -> Law:
        refuse(checks.prior_weights(prior), n)
        return all_laws(mechanism, checks.prior_weights(prior), n)[1]

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return mechanism.sample(prior, counts, rng, size)

    def guarantee(prior: ArrayLike, n: int) -> Guarantee | None:
        return PureDP(target) if here(prior, n) else None

    return replace(
        mechanism,
        name=name,
        promise=None,
        law=law,
        sample=sample,
        guarantee=guarantee,
        laws=laws,
        rate=_guarded(mechanism.rate, refuse),
        rates=None if mechanism.rates is None else _guarded_rates(mechanism.rates, refuse),
        line=_guarded(mechanism.line, refuse),
    )


def _guarded_rates(rates: KnownRates, refuse: Callable[[Floats, int], None]) -> KnownRates:
    def here(prior: Floats, counts: Integers) -> Floats:
        for n in np.unique(counts.sum(axis=-1)).tolist():
            refuse(prior, n)
        return rates.at(prior, counts)

    return rates._replace(at=here)


def _guarded(inner: Callable[..., T] | None, refuse: Callable[[Floats, int], None]) -> Callable[..., T] | None:
    if inner is None:
        return None

    def here(prior: ArrayLike, counts: ArrayLike) -> T:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return inner(prior, counts)

    return here
