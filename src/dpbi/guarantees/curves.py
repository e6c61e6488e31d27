r"""Curves of two finite laws, exactly: trade-off, concentration, and the hockey stick of many uses by brute force."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import number, numbers, zeros
from .ends import Ends
from .finite_laws import hockey_stick_divergence, log_probabilities, renyi_divergence

LARGEST_PRODUCT = 5_000_000
"""Outputs that a product of laws may have."""


def trade_off(p: Any, q: Any) -> Any:
    r"""The corners of the trade-off curve: the least chance of missing Q at each chance of a false alarm under P.

    Rows are \((\alpha, \beta)\), from (0, 1) to (1, 0) or where \(\beta\) is 0: the tests that reject P for the outputs
    of the largest \(Q/P\) (Neyman and Pearson; Dong, Roth and Su 2022, Definition 2.1). Between corners it is linear,
    and \(\delta(\varepsilon) = \sup_\alpha 1 - \beta - e^{\varepsilon} \alpha\) for Q against P.

    >>> trade_off([0.25, 0.75], [0.75, 0.25]).tolist()
    [[0.0, 1.0], [0.25, 0.25], [1.0, 0.0]]
    """
    here, there = (checks.simplex(name, law, np.size(law)) for name, law in (("p", p), ("q", q)))
    if here.shape != there.shape:
        raise ValueError(f"q must have the outputs of p, got shapes {here.shape} and {there.shape}")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(here == 0, math.inf, there.astype(np.float64) / here.astype(np.float64))
    order = [i for i in np.argsort(-ratio, kind="stable") if here[i] != 0 or there[i] != 0]
    corners = zeros((len(order) + 1, 2))
    corners[0, 1] = corners[0, 1] + 1
    for row, i in enumerate(order):
        corners[row + 1] = [corners[row, 0] + here[i], corners[row, 1] - there[i]]
    kept = [0, *(row for row in range(1, len(order)) if ratio[order[row - 1]] != ratio[order[row]]), len(order)]
    return corners[kept]


def concentration(p: Any, q: Any, relative: float = 1e-6) -> Ends:
    r"""The smallest \(\rho\) of a pair, \(\sup_{\alpha > 1} D_\alpha(P \| Q) / \alpha\), between two ends.

    \(D_\alpha\) grows with the order: over orders from a to b the quotient is at most \(D_b / a\). Intervals of orders
    are halved where that exceeds the best quotient found. At orders beyond b it is at most \(D_\infty / b\).

    >>> from dpbi.guarantees import BoundedRange, worst_pair
    >>> found = concentration(*worst_pair(0.8))
    >>> round(found.lower, 6), round(0.8 * math.tanh(0.4), 6)
    (0.303959, 0.303959)
    """
    log_p, log_q = (log_probabilities(checks.simplex(name, law, np.size(law))) for name, law in (("p", p), ("q", q)))

    def divergence(order: float) -> float:
        return float(renyi_divergence(log_p, log_q, order))

    most = divergence(math.inf)
    if not math.isfinite(most):
        return Ends(math.inf, math.inf)
    first = divergence(1.0)
    if most <= 0:
        return Ends(0.0, 0.0)
    best = first
    last = max(2.0, 2 * most / first) if first > 0 else 1e9
    best = max(best, *(divergence(order) / order for order in np.geomspace(1.0, last, 64)))
    open_ends = list(itertools.pairwise(np.geomspace(1.0, last, 65).tolist()))
    top = max(best, most / last)
    while open_ends:
        a, b = open_ends.pop()
        here = divergence(b)
        if here / a <= best * (1 + relative):
            top = max(top, here / a)
            continue
        middle = math.sqrt(a * b)
        best = max(best, divergence(middle) / middle)
        open_ends += [(a, middle), (middle, b)]
    return Ends(best * (1 - 1e-12), top * (1 + 1e-12))


def product_delta(pairs: Sequence[tuple[Any, Any, int]], epsilon: Any) -> Any:
    r"""The hockey stick of several uses by brute force: every multiset of outputs of every pair, over any numbers.

    ``pairs`` are P, Q and how often they are used; c uses of a law on m outputs have \(\binom{c + m - 1}{c}\)
    multisets.

    >>> round(product_delta([([0.75, 0.25], [0.25, 0.75], 2), ([0.5, 0.5], [0.6, 0.4], 1)], 0.5), 6)
    0.459455
    """
    p, q = numbers([1]), numbers([1])
    for law, other, count in pairs:
        here, there = _repeated(law, count), _repeated(other, count)
        if here.shape != there.shape:
            raise ValueError(f"q must have the outputs of p, got {np.size(other)} and {np.size(law)} of them")
        if len(p) * len(here) > LARGEST_PRODUCT:
            raise ValueError(f"pairs must have at most {LARGEST_PRODUCT} outputs together, got {len(p) * len(here)}")
        p, q = np.multiply.outer(p, here).ravel(), np.multiply.outer(q, there).ravel()
    return hockey_stick_divergence(p, q, epsilon)


def _repeated(law: Any, count: int) -> Any:
    """The law of the multiset of the outputs of independent uses."""
    p = checks.simplex("law", law, np.size(law))
    uses = checks.whole("count", count, least=1)
    if (size := math.comb(uses + len(p) - 1, uses)) > LARGEST_PRODUCT:
        raise ValueError(f"count must leave at most {LARGEST_PRODUCT} multisets of outputs, got {size} for {uses} uses")
    powers = [[number(1)] for _ in p]
    for i, probability in enumerate(p):
        for _ in range(uses):
            powers[i].append(powers[i][-1] * probability)

    def weights(entry: int, left: int, ways: Any) -> Any:
        if entry == len(p) - 1:
            yield ways * powers[entry][left]
            return
        for used in range(left + 1):
            yield from weights(entry + 1, left - used, ways * math.comb(left, used) * powers[entry][used])

    return numbers(list(weights(0, uses, number(1))))
