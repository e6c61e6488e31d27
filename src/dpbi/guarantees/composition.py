"""Composition: the guarantee of several mechanisms together, and the number of uses that fit in a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import exp, expm1, in_doubles, less, lgamma, log1p, maximum, minimum, number, numbers, scalar
from .concentrated import RDP, ZCDP, log_one_plus_exp, log_or_infinite
from .counting import largest_count
from .gaussian import GaussianDP
from .pure import ApproxDP, BoundedRange, PureDP

# chosen: the sum then needs about ten arrays of 80 MB each
MAX_USES = 10_000_000
"""Exclusive upper limit of the number of uses in ``repeated_delta``, which sums one term for each use."""

Guarantee = PureDP | ApproxDP | BoundedRange | GaussianDP | ZCDP | RDP
"""A privacy guarantee of any kind."""


def compose(*guarantees: Guarantee) -> Guarantee:
    """Guarantee of several mechanisms that use the same data, where each mechanism may depend on earlier outputs.

    The parameters of the guarantees must be fixed in advance. Each mechanism must use fresh randomness, and its
    guarantee must hold for every fixed value of the earlier outputs. The parameters of guarantees of one kind are added
    up. Different kinds are first converted to the first kind in ``COMMON`` that all given guarantees imply.
    ``ApproxDP`` can be composed only with ``PureDP``, ``BoundedRange`` and ``ApproxDP``, because it implies no Rényi
    guarantee. Post-processing does not use the data and costs nothing, so it is omitted from the list.

    Sources: Dwork and Roth 2014, Theorem 3.16; Bun and Steinke 2016, Lemma 1.7; Mironov 2017, Proposition 1.

    >>> compose(GaussianDP(0.1), GaussianDP(0.3).repeat(2)).rho
    0.7
    >>> compose(PureDP(1.0), ApproxDP(0.5, 0.1))
    ApproxDP(epsilon=1.5, delta=0.1)
    """
    checks.need(guarantees, "guarantees must be one or more guarantees, got none")
    for value in guarantees:
        kinds_in_words = "PureDP, ApproxDP, BoundedRange, GaussianDP, ZCDP or RDP values, one after the other"
        checks.typed("guarantees", value, Guarantee, kinds_in_words)
    kinds = {type(value) for value in guarantees}
    for joined, sum_of in COMMON:
        if kinds <= set(joined):
            return sum_of(guarantees)
    raise ValueError(f"guarantees must imply a common kind, and ApproxDP implies no Rényi form, got {guarantees!r}")


def pure_epsilon(guarantee: Guarantee | None) -> Any:
    """The epsilon that is guaranteed with delta = 0, or None if there is none.

    >>> pure_epsilon(BoundedRange(0.3)), pure_epsilon(ZCDP(0.1)), pure_epsilon(None)
    (0.3, None, None)
    """
    return guarantee.epsilon if isinstance(guarantee, PureDP | BoundedRange) else None


def _pure(values: Sequence[Any]) -> PureDP:
    return PureDP(_total(value.epsilon for value in values))


def _approximate(values: Sequence[Any]) -> ApproxDP:
    deltas = [value.delta for value in values if isinstance(value, ApproxDP)]
    return ApproxDP(_total(value.epsilon for value in values), scalar(minimum(1, _total(deltas))))


def _gaussian(values: Sequence[Any]) -> GaussianDP:
    return GaussianDP(_total(value.rho for value in values))


def _concentrated(values: Sequence[Any]) -> ZCDP:
    return ZCDP(_total(_zcdp(value).rho for value in values))


def _renyi(values: Sequence[Any]) -> RDP:
    """Sum of Rényi bounds at the orders that all ``RDP`` values share; other guarantees have bounds at every order."""
    curves = [value for value in values if isinstance(value, RDP)]
    orders = [alpha for alpha in curves[0].orders if all(alpha in curve.orders for curve in curves)]
    checks.need(orders, f"guarantees must share an order, got {[curve.orders for curve in curves]}")
    curves += [value.rdp(orders) for value in values if not isinstance(value, RDP)]
    return RDP(orders, [_total(curve.values[curve.orders.index(alpha)] for curve in curves) for alpha in orders])


COMMON: tuple[tuple[tuple[type, ...], Callable[[Sequence[Any]], Guarantee]], ...] = (
    ((PureDP,), _pure),
    ((PureDP, ApproxDP), _approximate),
    ((GaussianDP,), _gaussian),
    ((PureDP, BoundedRange, GaussianDP, ZCDP), _concentrated),
    ((PureDP, BoundedRange, ApproxDP), _approximate),
    ((PureDP, BoundedRange, GaussianDP, ZCDP, RDP), _renyi),
)
"""Kinds of guarantees, and the function that adds them up; the first row that contains all given kinds is used."""


def _total(values: Any) -> Any:
    """Sum of the values, which is rounded only once in doubles."""
    return math.fsum(values) if in_doubles() else sum(values, number(0))


def _zcdp(value: Any) -> ZCDP:
    return ZCDP(value.rho) if isinstance(value, GaussianDP | ZCDP) else value.zcdp()


def repeated_delta(guarantee: PureDP | ApproxDP, count: int, epsilon: Any) -> Any:
    r"""Exact worst-case delta of ``count`` adaptive uses of mechanisms that have the given guarantee.

    By Theorem 3.3 of Kairouz, Oh and Viswanath 2015, the worst mechanism reveals the data with probability \(\delta\),
    and otherwise is randomised response. The total privacy loss of k randomised responses is \((k - 2l)\varepsilon_0\),
    where the number l of wrong answers has a binomial distribution. Hence the delta of all uses together is

    \[ 1 - (1 - \delta)^k \Bigl(1 - \sum_l \tbinom{k}{l} \frac{e^{(k - l)\varepsilon_0}}{(1 + e^{\varepsilon_0})^k}
       \bigl(1 - e^{\varepsilon - (k - 2l)\varepsilon_0}\bigr)_+\Bigr) . \]

    Basic composition never gives a smaller delta.

    Args:
        guarantee: Guarantee of each use, a ``PureDP`` or an ``ApproxDP``.
        count: Number k of uses, a nonnegative integer below ``MAX_USES``.
        epsilon: Epsilon of all uses together, >= 0.

    Returns:
        Delta in [0, 1].

    >>> round(repeated_delta(PureDP(0.1), 100, 3.0), 6), PureDP(0.1).repeat(100).delta_at(3.0) > 0.99
    (0.001361, True)
    """
    checks.typed("guarantee", guarantee, PureDP | ApproxDP, "PureDP or ApproxDP")
    uses = checks.whole("count", count, least=0, below=MAX_USES)
    level, each = checks.real("epsilon", epsilon, least=0), guarantee.epsilon
    delta = guarantee.delta if isinstance(guarantee, ApproxDP) else number(0)
    wrong = numbers(np.arange(uses + 1))
    # logarithms of the binomial probabilities, because the probabilities themselves may underflow
    log_p = (
        lgamma(number(uses + 1)) - lgamma(wrong + 1) - lgamma(uses - wrong + 1)
        - (uses - wrong) * log1p(exp(-each)) - wrong * log_one_plus_exp(each)
    )  # fmt: skip
    over = maximum((uses - 2 * wrong) * each - level, 0)
    response = minimum(1, (exp(log_p) * -expm1(-over)).sum())
    # the probability that at least one use reveals the data, 1 - (1 - delta)^k
    revealed = -expm1(uses * log1p(-delta)) if delta != 1 else number(min(uses, 1))
    return scalar(revealed + (1 - revealed) * response)


def uses_within(step: Guarantee, budget: ApproxDP | ZCDP) -> int:
    r"""Largest number of uses of a mechanism that fit in a budget, found by exact search.

    For an ``ApproxDP`` budget, the result is the largest k with \(\delta_k(\varepsilon) \le \delta\), where
    \(\delta_k\) is the delta of ``step.repeat(k)``, which is exact for ``GaussianDP``. For a ``BoundedRange`` step,
    \(\delta_k\) is the smaller of this delta and the delta of the pure guarantee \(k\varepsilon\). For a ``ZCDP``
    budget, the result is the largest k with \(k \rho_1 \le \rho\).

    Args:
        step: Guarantee of each use.
        budget: Budget of all uses together.

    Returns:
        The number of uses; 0 if a single use exceeds the budget.

    Raises:
        ValueError: If the step costs nothing or the budget has delta 1, so that any number of uses fits in the budget.
        TypeError: If the budget is a ``ZCDP`` and the step is an ``ApproxDP`` or an ``RDP``, neither of which implies a
            rho.

    >>> uses_within(GaussianDP(0.0005), ApproxDP(4.0, 1e-6))
    702
    >>> uses_within(BoundedRange(1.0), ApproxDP(1.0, 0.0)), uses_within(BoundedRange(1.0), ApproxDP(5.0, 1e-9))
    (1, 5)
    """
    if not (isinstance(step, Guarantee) and isinstance(budget, ApproxDP | ZCDP)):
        got = f"step={checks.brief(step)} and budget={checks.brief(budget)}"
        raise TypeError(f"step must be a guarantee and budget an ApproxDP or a ZCDP, got {got}")
    if isinstance(budget, ZCDP) and isinstance(step, RDP | ApproxDP):
        raise TypeError(f"step must be PureDP, BoundedRange, GaussianDP or ZCDP for a ZCDP budget, got step={step!r}")
    if _log_delta_at(step, 0) == -math.inf:
        raise ValueError(f"step must have a positive cost, else any number of uses is within a budget, got {step!r}")
    if isinstance(budget, ZCDP):
        rho = _zcdp(step).rho
        return largest_count(lambda count: not less(budget.rho, count * rho))
    delta, epsilon = budget.delta, budget.epsilon
    if delta == 1:
        raise ValueError(f"budget must have delta < 1, else every number of uses is within it, got {budget!r}")
    most = log_or_infinite(delta)  # logarithms, because deltas may underflow

    def fits(count: int) -> bool:
        ways: list[Guarantee] = [step] if count == 1 else [step.repeat(count)]
        ways += [PureDP(step.epsilon).repeat(count)] if isinstance(step, BoundedRange) else []
        return any(not less(most, _log_delta_at(way, epsilon)) for way in ways)

    return largest_count(fits)


def _log_delta_at(guarantee: Guarantee, epsilon: Any) -> Any:
    if isinstance(guarantee, PureDP | ApproxDP | BoundedRange):
        return log_or_infinite(guarantee.delta_at(epsilon))
    return guarantee.log_delta_at(epsilon)


@checks.readable
class TotalCost(NamedTuple):
    """Total privacy cost of several adaptive uses.

    Attributes:
        rho: Zero-concentrated privacy cost, which is infinite if one of the guarantees is an ``ApproxDP`` or an
            ``RDP``.
        epsilon: Epsilon of all uses together at ``delta``.
        delta: Delta of all uses together.

    >>> TotalCost(rho=0.5, epsilon=1.0, delta=1e-6).epsilon
    1.0
    """

    rho: float
    epsilon: float
    delta: float


def total_cost(guarantees: Sequence[Guarantee], delta: float) -> TotalCost:
    """Total privacy cost of several adaptive uses, as a rho and as an epsilon at a given delta.

    The epsilon is the smallest of up to three bounds, which follow from ``compose``, from the sum of the pure epsilons
    and from the sum of the rhos.

    Args:
        guarantees: Guarantees of the uses, a list or tuple with at least one entry.
        delta: Delta of all uses together, in (0, 1).

    Returns:
        The total cost.

    >>> spent = total_cost([BoundedRange(0.3)] * 20, 1e-6)
    >>> round(spent.rho, 6), round(spent.epsilon, 4)
    (0.225, 3.3415)
    """
    checks.typed("guarantees", guarantees, Sequence, "a list of guarantees")
    allowed = checks.real("delta", delta, above=0, below=1)
    ways, rho = [compose(*guarantees)], math.inf
    if all(isinstance(value, PureDP | BoundedRange) for value in guarantees):
        ways.append(_pure(guarantees))
    if not any(isinstance(value, ApproxDP | RDP) for value in guarantees):
        ways.append(together := _concentrated(guarantees))
        rho = float(together.rho)
    return TotalCost(rho, min(float(way.epsilon_at(allowed)) for way in ways), allowed)
