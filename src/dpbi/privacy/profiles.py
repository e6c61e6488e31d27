r"""The delta of an exponential mechanism on two categories at an epsilon, at any number of records, without a table.

The edges are searched as for the worst loss (``edges``). The delta of an edge is the sum
\(\sum_r P(r) (1 - e^{\varepsilon - L(r)})\) over the outputs whose loss L exceeds epsilon; whether it does is settled
for whole blocks of outputs by bounds, and blocks where it does are summed by Gauss's rule. For a range of edges every
factor is replaced by its bound. Where delta hardly depends on the edge that does not decide, and leaves an interval.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import Floats, Integers
from ..model.distances import distance
from ..model.sums import gauss
from .edges import Edge, cut, in_parts, rates_over, search
from .two_counts import Rate, RateBounds, TwoCounts, blocks, log_normalisers, moved, ranged

LARGEST_SEARCH = 400
"""The most ranges and edges that one search looks at: where delta hardly depends on the edge, no number is enough."""

SETTLED = 1e-15
"""A loss this close to epsilon adds nothing."""


def most_leaked(line: TwoCounts, rate: Rate, level: float) -> Edge:
    """The largest delta of any neighbours at this epsilon, or an interval for it."""
    return search(
        line.n,
        lambda edges, best: _leaked_at(line, rate, edges, level, best),
        lambda p0, p1, _: _bounds(line, rate, p0, p1, level),
        LARGEST_SEARCH,
    )


def most_of_loss(loss: Any, level: float) -> Any:
    r"""\((e^L - e^{\varepsilon})_+ / (1 + e^L)\), the largest delta of all laws with this loss."""
    return -np.expm1(-np.maximum(loss - level, 0)) / (1 + np.exp(-loss))


def _bounds(line: TwoCounts, rate: Rate, p0: Integers, p1: Integers, level: float) -> Floats:
    rates = rates_over(rate, p0, p1)
    found = np.empty(len(p0))
    for some in in_parts(np.arange(len(p0)), 32):
        part = ranged(line, p0[some], p1[some], RateBounds(*(bound[some] for bound in rates)))
        starts = np.flatnonzero(np.diff(part.which, prepend=-1))
        sums = []
        for weight, loss, normaliser in zip(part.weights, part.losses, part.normalisers, strict=True):
            terms = part.size * weight * -np.expm1(-np.maximum(loss - level, 0))
            with np.errstate(divide="ignore"):
                sums.append(np.add.reduceat(terms, starts) / normaliser)
        found[some] = np.minimum(np.maximum(*sums), most_of_loss(part.loss, level))
    return found


def _leaked_at(line: TwoCounts, rate: Rate, edges: Integers, level: float, best: Edge) -> tuple[Edge, float]:
    for some in in_parts(edges, 32):
        counts = np.unique(np.concatenate([some, some + 1]))
        rates = rate(counts)
        logs = log_normalisers(line, counts, rates)
        here, there = np.searchsorted(counts, some), np.searchsorted(counts, some + 1)
        ends, normalisers = (rates[here], rates[there]), (logs[here], logs[there])
        for upwards in (True, False):
            deltas = _deltas(line, some, ends, normalisers, level, upwards)
            i = int(deltas.argmax())
            start, end = (int(some[i]), int(some[i]) + 1) if upwards else (int(some[i]) + 1, int(some[i]))
            best = best.or_worse(float(deltas[i]), start, end, start)
    return best, -math.inf


def _deltas(
    line: TwoCounts,
    p: Integers,
    ends: tuple[Floats, Floats],
    logs: tuple[Floats, Floats],
    level: float,
    upwards: bool,
) -> Floats:
    """The deltas from p to p + 1 if upwards, and back if not."""
    sign, grown = 1 if upwards else -1, logs[1] - logs[0]
    q = ends[1] / ends[0] - 1

    def terms(which: Integers, r: Floats | Integers) -> Floats:
        x = p[which]
        H = distance(line.gap(x, r - x)), distance(line.gap(x + 1, r - x - 1))
        loss = sign * (ends[1][which] * H[1] - ends[0][which] * H[0] + grown[which])
        log_p = -ends[not upwards][which] * H[not upwards] - logs[not upwards][which]
        found: Floats = np.exp(log_p) * -np.expm1(-np.maximum(loss - level, 0))
        return found

    every = np.arange(len(p))
    deltas = terms(every, np.full(len(p), line.n))  # the last output is no move that both datasets have
    which, near, far = blocks(line, p, p)
    while len(which):
        rates = RateBounds(ends[0][which], ends[0][which], q[which], q[which])
        low, high = moved(line, p[which], p[which], rates, near, far).loss
        least, most = (
            sign * ends[0][which] * m + sign * grown[which] for m in ((low, high) if upwards else (high, low))
        )
        # a block of one output is summed as it stands: what is below the level adds nothing
        summed = (least >= level) | (near == far)
        open_blocks = ~summed & (most > level + SETTLED)
        deltas += _sums(terms, p, which[summed], near[summed], far[summed])
        which, near, far = cut(which[open_blocks], near[open_blocks], far[open_blocks])
    return deltas


def _sums(
    terms: Callable[[Integers, Floats], Floats], p: Integers, which: Integers, near: Integers, far: Integers
) -> Floats:
    """Sums over blocks of outputs, by edge."""
    if not len(which):
        return np.zeros(len(p))
    rules = [gauss(int(size)) for size in np.abs(far - near) + 1]
    sizes = [len(nodes) for nodes, _ in rules]
    nodes, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    at = np.repeat(which, sizes)
    r = p[at] + np.repeat(np.minimum(near, far), sizes) + nodes
    sums: Floats = np.bincount(at, weights * terms(at, r), len(p)).astype(np.float64)
    return sums
