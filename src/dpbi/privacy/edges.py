r"""The worst loss of an exponential mechanism on two categories, at any number of records, without a table.

An edge p lies between the datasets (p, n - p) and (p + 1, n - p - 1). Its loss is a maximum over outputs and a
difference of two normalisers. Edges near either end are evaluated one by one; all others are in ranges, each with an
upper bound (``two_counts.ranged``). A range whose bound is no more than a loss found is done; any other is cut and
searched on. When no range is left, nothing between the edges that were evaluated is larger. What is left when the work
allowed is used up makes the answer an interval.

Where the rate does not fall from x to its neighbour y, the loss from y to x is at its place:
\(\lambda_x H(x, r) - \lambda_y H(y, r) \le \lambda_x [H(x, r) - H(y, r)] \le \lambda_x H(x, y)\), attained at r = y.
In the other direction the outputs are searched as the edges are, in blocks.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Floats, Integers
from ..model.distances import distance
from .two_counts import Blocks, Rate, RateBounds, TwoCounts, blocks, log_normalisers, moved, ranged, rates_between

LISTED_EDGES = 24
"""So many edges are evaluated at either end to begin with, and all edges of a range that is no longer."""

LARGEST_SEARCH = 4000
"""The most ranges and edges that one search looks at before it answers with an interval: some ten seconds."""

LARGEST_BLOCKS = 200_000
"""The most blocks of outputs that are looked at together."""

SAME = 1e-13
"""A bound this little above a loss, relatively, is rounding."""


class Edge(NamedTuple):
    """A loss that is attained, at most how large any can be, and where: first counts of datasets and output."""

    loss: float
    at_most: float
    start: int = 0
    end: int = 0
    output: int = 0

    def rules_out(self, bounds: Floats) -> NDArray[np.bool_]:
        """Where nothing larger is hidden."""
        return bounds <= self.loss * (1 + SAME) + SAME * 1e-3

    def or_worse(self, loss: float, start: int, end: int, output: int) -> "Edge":
        """The larger of two; of equal ones this."""
        return Edge(loss, loss, start, end, output) if loss > self.loss * (1 + SAME) else self


def worst_edge(line: TwoCounts, rate: Rate) -> Edge:
    """The worst loss over all edges, or an interval for it."""
    return search(
        line.n,
        lambda edges, best: _worst_of(line, rate, edges, best),
        lambda p0, p1, best: _bounds(line, rate, p0, p1, best),
    )


def search(
    n: int,
    worst_of: Callable[[Integers, Edge], tuple[Edge, float]],
    bounds_of: Callable[[Integers, Integers, Edge], Floats],
    most: int = LARGEST_SEARCH,
) -> Edge:
    """The worst of all edges: of some of them exactly, and for ranges of the others bounds."""
    last = n - 1
    ends = np.arange(min(LISTED_EDGES, n))
    edges = np.unique(np.concatenate([ends, last - ends]))
    p0, p1 = _ranges(LISTED_EDGES, last - LISTED_EDGES)
    best, looked, above = Edge(-math.inf, -math.inf), 0, -math.inf
    while len(edges):
        best, over = worst_of(edges, best)
        above = max(above, over)
        bounds = bounds_of(p0, p1, best) if len(p0) else np.empty(0)
        looked += len(edges) + len(p0)
        open_ranges = ~best.rules_out(bounds)
        p0, p1 = p0[open_ranges], p1[open_ranges]
        if looked > most:
            above = max(above, *bounds[open_ranges].tolist(), -math.inf)
            break
        short = p1 - p0 < LISTED_EDGES
        middle = (p0 + p1)[~short] // 2
        runs = [np.arange(a, b + 1) for a, b in zip(p0[short], p1[short], strict=True)]
        edges = np.concatenate([*runs, middle]).astype(np.int64)
        p0, p1 = np.append(p0[~short], middle + 1), np.append(middle, p1[~short])
    return best._replace(at_most=max(best.loss, above))


def _ranges(first: int, last: int) -> tuple[Integers, Integers]:
    """Ranges of all edges from first to last, longer towards the middle: where they begin and end."""
    starts, left, right = [first], first, last + 1
    backwards: list[int] = []
    while right - left > 2 * (length := max(LISTED_EDGES, left // 2)):
        left, right = left + length, right - length
        starts.append(left)
        backwards.append(right)
    if right <= left:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    p0 = np.array(starts + backwards[::-1])
    return p0, np.append(p0[1:] - 1, last)


def _bounds(line: TwoCounts, rate: Rate, p0: Integers, p1: Integers, best: Edge) -> Floats:
    """Bounds of the loss in ranges of edges; sharp ones where those that cost nothing do not rule them out."""
    rates = rates_over(rate, p0, p1)
    # both parts of a loss are at most the same: the exponent of H(x, x') is convex, so that H is largest at an end
    h = np.maximum(*(distance(line.gap(p, np.ones(len(p)))) for p in (p0, p1)))
    bounds: Floats = 2 * rates.high * (h + np.maximum(np.abs(rates.q_low), np.abs(rates.q_high)))
    for some in in_parts(np.flatnonzero(~best.rules_out(bounds)), 32):
        sharp = ranged(line, p0[some], p1[some], RateBounds(*(bound[some] for bound in rates))).loss
        bounds[some] = np.minimum(bounds[some], sharp)
    return bounds


def rates_over(rate: Rate, p0: Integers, p1: Integers) -> RateBounds:
    """Bounds of the rates over ranges of edges."""
    ends = np.stack([p0, p0 + 1, p1, p1 + 1])
    return rates_between(rate(ends.ravel()).reshape(ends.shape), p1 - p0)


def in_parts(where: Integers, size: int) -> Iterator[Integers]:
    """Some of them at a time."""
    return (where[i : i + size] for i in range(0, len(where), size))


def _worst_of(line: TwoCounts, rate: Rate, edges: Integers, best: Edge) -> tuple[Edge, float]:
    """The worst of these edges and the best so far, and a bound of what was not searched to its end."""
    counts = np.unique(np.concatenate([edges, edges + 1]))
    rates = rate(counts)
    logs = log_normalisers(line, counts, rates)
    here, there = np.searchsorted(counts, edges), np.searchsorted(counts, edges + 1)
    h = distance(line.gap(edges, np.ones(len(edges))))
    grown, rising = logs[there] - logs[here], rates[here] <= rates[there]
    toward = np.where(rising, grown, -grown)
    least, step = np.minimum(rates[here], rates[there]), np.abs(rates[there] - rates[here])
    i = int((least * h - toward).argmax())
    x, y = (edges + rising)[i], (edges + ~rising)[i]  # the rate does not rise from x to y
    best = best.or_worse(float((least * h - toward)[i]), int(x), int(y), int(x))
    above = -math.inf
    other = least * h + step + toward
    for some in in_parts(np.argsort(-other, kind="stable"), 64):
        some = some[~best.rules_out(other[some])]
        if len(some):
            ends = rates[here[some]], rates[there[some]]
            best, over = _searched(line, edges[some], ends, toward[some], best)
            above = max(above, over)
    return best, above


def _searched(
    line: TwoCounts, p: Integers, ends: tuple[Floats, Floats], toward: Floats, best: Edge
) -> tuple[Edge, float]:
    """The worst output from the datasets of smaller rate to their neighbours, if it is worse than the best."""
    q = ends[1] / ends[0] - 1
    sign = np.where(q >= 0, 1.0, -1.0)
    start, end = np.where(q >= 0, (p, p + 1), (p + 1, p))

    def better(best: Edge, which: Integers, r: Integers) -> Edge:
        x = p[which]
        H = distance(line.gap(x, r - x)), distance(line.gap(x + 1, r - x - 1))
        losses = sign[which] * (ends[1][which] * H[1] - ends[0][which] * H[0]) + toward[which]
        i = int(losses.argmax())
        return best.or_worse(float(losses[i]), int(start[which[i]]), int(end[which[i]]), int(r[i]))

    every = np.arange(len(p))
    best = better(best, np.concatenate([every] * 3), np.concatenate([start, 0 * p, 0 * p + line.n]))
    (which, near, far), above = blocks(line, p, p), math.inf
    while len(which):
        if len(which) > LARGEST_BLOCKS:
            return best, above
        best = better(best, np.concatenate([which] * 2), np.concatenate([p[which] + near, p[which] + far]))
        rates = RateBounds(ends[0][which], ends[0][which], q[which], q[which])
        m = moved(line, p[which], p[which], rates, near, far).loss
        bounds = ends[0][which] * np.where(sign[which] > 0, m[1], -m[0]) + toward[which]
        kept = ~best.rules_out(bounds) & (near != far)
        above = float(bounds[kept].max(initial=-math.inf))
        which, near, far = cut(which[kept], near[kept], far[kept])
    return best, -math.inf


def cut(which: Integers, near: Integers, far: Integers) -> Blocks:
    """Every block in up to eight."""
    sign, low, high = np.where(far >= 0, 1, -1)[:, None], np.abs(near), np.abs(far)
    cuts = low[:, None] + (high - low + 1)[:, None] * np.arange(9) // 8
    kept = cuts[:, 1:] > cuts[:, :-1]
    parts = (sign * cuts[:, :-1])[kept], (sign * (cuts[:, 1:] - 1))[kept]
    return Blocks(np.repeat(which, kept.sum(axis=1)), *parts)
