r"""Sums and bounds for an exponential mechanism on two categories, at any number of records.

A dataset is its first count p, an output a move d to the count p + d. With \(a = \alpha_1 + p\),
\(b = \alpha_2 + n - p\) and the gap g of one category,
\[ H = F(D), \quad D(p, d) = g(a, d) + g(b, -d), \qquad
   g(a, d) = \int_0^{|d|} \tfrac12 \min(s, |d| - s)\, \psi'(a \pm s)\, ds , \]
the sign being that of d. Because \(\psi'\) is completely monotone, for a fixed move

* g falls in a and is convex in it, so that \(D(p + 1, d) - D(p, d)\) rises with p;
* g and \(g(a, d) - g(a + 1, d)\) rise with \(|d|\).

For a fixed output, \(E(p, d) = D(p + 1, d - 1) - D(p, d)\), how much farther it is from the neighbour, is
\([g(a + 1, d - 1) - g(a, d)] + [g(b - 1, 1 - d) - g(b, -d)]\). Both terms fall in d, and each is monotone in p: the
derivatives in a and b are \(\pm\) the difference of \(\frac1{2a}\) or \(\frac1{2(b-1)}\) from a difference of
\(\psi\) over one half, which changes its sign between d = 0 and d = 1 only.

So over a range of datasets and a block of moves every one of these quantities lies between its values at the corners,
and so do, up to the order of their terms, the loss of an output and the growth of the normaliser.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..mechanisms.description import KnownRates
from ..model.distances import distance, gamma_gap
from ..model.sums import rule

WIDENING = 1.03
"""Blocks of moves grow by this factor away from d = 0: the bounds of a range of datasets are about this sharp."""

LISTED_MOVES = 40
"""Moves of up to this many records are blocks of their own."""


class TwoCounts(NamedTuple):
    """Two prior weights and the number of records."""

    first: float
    second: float
    n: int

    @classmethod
    def of(cls, prior: Floats, n: int) -> "TwoCounts":
        """Of two categories' prior weights."""
        first, second = prior.tolist()
        return cls(first, second, n)

    def gap(self, p: Integers | Floats | int, d: Integers | Floats) -> Floats:
        """D from the dataset p to the output p + d."""
        a, b = self.first + np.asarray(p), self.second + (self.n - np.asarray(p))
        found: Floats = gamma_gap(a, a + d, np.asarray(d) / 2) + gamma_gap(b, b - d, -np.asarray(d) / 2)
        return found


Rate = Callable[[Integers], Floats]
"""The rates at several first counts."""


def on_line(rates: KnownRates, prior: Floats, n: int) -> Rate:
    """The rates by the first count."""
    return lambda p: np.asarray(rates.at(prior, np.stack([p, n - p], axis=-1)), dtype=np.float64)


def log_normalisers(line: TwoCounts, p: Integers, rate: Floats) -> Floats:
    r"""\(\ln Z(p) = \ln \sum_d e^{-\lambda_p H(p, p + d)}\) at several datasets."""
    found = np.empty(len(p))
    for i in range(0, len(p), 64):  # blocks of some megabytes
        found[i : i + 64] = _log_normalisers(line, p[i : i + 64], rate[i : i + 64])
    return found


def _log_normalisers(line: TwoCounts, p: Integers, rate: Floats) -> Floats:
    sides = []
    for x in p.tolist():
        up, down = rule(line.n - x + 1), rule(x)
        sides.append((np.concatenate([up[0], -1 - down[0]]), np.concatenate([up[1], down[1]])))
    sizes = np.array([len(moves) for moves, _ in sides])
    at = np.repeat(np.arange(len(p)), sizes)
    moves, weights = (np.concatenate(part) for part in zip(*sides, strict=True))
    terms = weights * np.exp(-rate[at] * distance(line.gap(p[at], moves)))
    sums: Floats = np.log(np.add.reduceat(terms, np.concatenate([[0], np.cumsum(sizes)[:-1]])))
    return sums


class RateBounds(NamedTuple):
    r"""Bounds of \(\lambda_p\) and of \(q_p = \lambda_{p+1} / \lambda_p - 1\) over ranges of edges.

    By log-concavity of \(\lambda\) the ratio falls with p, and \(\lambda\) lies above the smaller of its ends and below
    the tangents there.
    """

    low: Floats
    high: Floats
    q_low: Floats
    q_high: Floats


def rates_between(ends: Floats, steps: Integers) -> RateBounds:
    r"""From \(\lambda\) at p0, p0 + 1, p1, p1 + 1, the rows of ``ends``, where p1 - p0 is the number of steps."""
    q_high, q_low = ends[1] / ends[0] - 1, ends[3] / ends[2] - 1
    with np.errstate(over="ignore"):
        forth = ends[0] * np.exp(steps * np.log1p(np.maximum(q_high, 0)))
        back = ends[2] * np.exp(-steps * np.log1p(np.minimum(q_low, 0)))
    slack = 1e-13  # rounding of the rates themselves
    low, high = np.minimum(ends[0], ends[2]), np.minimum(forth, back)
    return RateBounds(low, np.maximum(high, np.maximum(ends[0], ends[2])), q_low - slack, q_high + slack)


class Blocks(NamedTuple):
    """Blocks of moves, each on one side of zero: the range it belongs to, its fewest and its most records moved."""

    which: Integers
    near: Integers
    far: Integers


def blocks(line: TwoCounts, p0: Integers, p1: Integers) -> Blocks:
    """Blocks of all moves that are possible from p0, ..., p1 + 1: of each range those upwards, then those downwards."""
    parts = [
        (i, sign * part[0], sign * part[1])
        for i, (low, high) in enumerate(zip(p0.tolist(), p1.tolist(), strict=True))
        for sign, least, most in ((1, 0, line.n - high - 1), (-1, 1, low))
        if most >= least
        for part in [_cuts(least, most, min(line.first + high, line.second + line.n - low))]
    ]
    sizes = [len(near) for _, near, _ in parts]
    which = np.repeat(np.array([i for i, _, _ in parts], dtype=np.int64), sizes)
    return Blocks(which, *(np.concatenate([part[side] for part in parts]) for side in (1, 2)))


def _cuts(least: int, most: int, a: float) -> tuple[Integers, Integers]:
    r"""Blocks of least, ..., most records: narrow ones until \(D \ge d^2 / (4(2a + d))\) is 40, and H is one."""
    flat = 80 + math.sqrt(6400 + 320 * a)
    cuts = [np.arange(least, min(LISTED_MOVES, most + 1))]
    for start, end, factor in ((LISTED_MOVES, min(flat, most), WIDENING), (max(flat, LISTED_MOVES), most, 2.0)):
        if end > start:
            cuts.append(np.geomspace(start, end, int(math.log(end / start) / math.log(factor)) + 2).astype(np.int64))
    if most >= LISTED_MOVES:
        cuts.append(np.array([LISTED_MOVES]))
    near = np.unique(np.concatenate(cuts))
    near = near[near <= most]
    return near, np.append(near[1:] - 1, most)


class Moved(NamedTuple):
    """Bounds over ranges of datasets and blocks of moves."""

    low: Floats  # of D to the output
    high: Floats
    nearest: Floats  # a bound from below of D at the same move, from the dataset and from the neighbour
    shift: tuple[Floats, Floats]  # of the exponent, at the same move from the neighbour, over the rate
    other: Floats  # a bound from below of H from the neighbour to the output
    loss: tuple[Floats, Floats]  # of the output, over the rate


def moved(line: TwoCounts, p0: Integers, p1: Integers, rates: RateBounds, near: Integers, far: Integers) -> Moved:
    """The bounds of the module's head, for the edges between p and p + 1 with p from p0 to p1, elementwise.

    All of the moves have to be possible from every one of these datasets and the next.
    """
    ends = (p0, p0 + 1, p1, p1 + 1) if np.any(p0 != p1) else (p0, p0 + 1)
    least, most = np.minimum(near, far), np.maximum(near, far)
    p = np.stack([p for p in ends for _ in range(2)] + [p0 + 1, p0 + 1, p1 + 1, p1 + 1])
    d = np.stack([near, far] * len(ends) + [least - 1, most - 1] * 2)
    one = gamma_gap(line.first + p, line.first + p + d, d / 2)
    two = gamma_gap(line.second + (line.n - p), line.second + (line.n - p) - d, -d / 2)
    first, second = (gaps[:-4].reshape(len(ends), 2, -1) for gaps in (one, two))  # by dataset, near and far
    last = len(ends) - 2
    low, high = first[last, 0] + second[0, 0], first[0, 1] + second[last, 1]
    low_next, high_next = first[last + 1, 0] + second[1, 0], first[1, 1] + second[last + 1, 1]
    e = (
        first[1, 1] - first[0, 1] + second[1, 0] - second[0, 0],
        first[last + 1, 0] - first[last, 0] + second[last + 1, 1] - second[last, 1],
    )
    shift = _with_rate(_rises((low, high), e), (distance(low_next), distance(high_next)), rates)
    upwards = far >= 0
    top, bottom = np.zeros(len(near)), np.zeros(len(near))
    for gaps, here in ((one[-4:], first), (two[-4:], second)):
        at_least = [np.where(upwards, here[j, 0], here[j, 1]) for j in (0, last)]
        at_most = [np.where(upwards, here[j, 1], here[j, 0]) for j in (0, last)]
        top += np.maximum(gaps[0] - at_least[0], gaps[2] - at_least[1])
        bottom += np.minimum(gaps[1] - at_most[0], gaps[3] - at_most[1])
    other = distance(low + bottom), distance(high + top)
    loss = _with_rate(_rises((low, high), (bottom, top)), other, rates)
    return Moved(low, high, np.minimum(low, low_next), shift, other[0], loss)


def _rise(D: Floats, e: Floats) -> Floats:
    r"""\(F(D + e) - F(D)\) without cancellation; \(D + e\) is at least 0."""
    e = np.maximum(e, -D)
    with np.errstate(invalid="ignore"):
        found = -np.exp(-D) * np.expm1(-e) / (distance(D + e) + distance(D))
    return np.where(D + np.abs(e) > 0, found, 0.0)


def _rises(D: tuple[Floats, Floats], e: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Bounds of F(D + e) - F(D): F is concave, so a rise is largest at the smallest D, and so is a fall from there."""
    low = _rise(np.where(e[0] >= 0, D[1], np.maximum(D[0], -e[0])), e[0])
    return low, _rise(np.where(e[1] >= 0, D[0], D[1]), e[1])


def _with_rate(rise: tuple[Floats, Floats], H: tuple[Floats, Floats], rates: RateBounds) -> tuple[Floats, Floats]:
    """Bounds of rise + q H."""
    low = rise[0] + rates.q_low * np.where(rates.q_low > 0, H[0], H[1])
    return low, rise[1] + rates.q_high * np.where(rates.q_high > 0, H[1], H[0])


class Ranged(NamedTuple):
    """Bounds for ranges of edges; those of blocks say which range a block belongs to."""

    loss: Floats  # by range, in either direction
    which: Integers
    size: Floats
    weights: tuple[Floats, Floats]  # bounds from above of a block's weight at the dataset, and at its neighbour
    losses: tuple[Floats, Floats]  # and of the loss of its outputs, from the dataset and from its neighbour
    normalisers: tuple[Floats, Floats]  # by range, from below: of the dataset, and of its neighbour


def ranged(line: TwoCounts, p0: Integers, p1: Integers, rates: RateBounds) -> Ranged:
    r"""Bounds for any neighbours p and p + 1 with p0 <= p <= p1, in either direction.

    The loss of an output is \(\pm[\lambda_{p+1} H(p + 1, r) - \lambda_p H(p, r) + \ln Z(p + 1) - \ln Z(p)]\), and with
    \(t_d(p) = \lambda_p H(p, p + d)\)
    \[ Z(p + 1) - Z(p) = \sum_d e^{-t_d(p)} \bigl(e^{-(t_d(p+1) - t_d(p))} - 1\bigr) , \]
    over the moves that are possible from all datasets of the range; those that are not are between their extremes, a
    block of their own on either side.
    """
    part = blocks(line, p0, p1)
    here = RateBounds(*(bound[part.which] for bound in rates))
    found = moved(line, p0[part.which], p1[part.which], here, part.near, part.far)
    size = np.abs(part.far - part.near) + 1.0
    weight = np.exp(-here.high * distance(found.high)), np.exp(-here.low * distance(found.low))
    there = np.exp(-here.low * (1 + here.q_low) * found.other)
    least, most = -_scaled(-found.shift[0], here), _scaled(found.shift[1], here)
    grown = np.expm1(-most), np.expm1(-least)
    sides = np.flatnonzero(np.diff(2 * part.which + (part.far < 0), prepend=-1))
    total = [np.add.reduceat(size * w, sides) for w in weight]
    shrunk = np.add.reduceat(size * grown[0] * np.where(grown[0] < 0, weight[1], weight[0]), sides)
    grows = np.add.reduceat(size * grown[1] * np.where(grown[1] > 0, weight[1], weight[0]), sides)
    up, down = (_scaled(loss, here) for loss in (found.loss[1], -found.loss[0]))
    # beyond, and at the last move that is not possible from both: at least as far as the last of a side's blocks
    ends = np.append(sides[1:], len(part.far)) - 1
    H, low, high, q_low, q_high = distance(found.nearest[ends]), *(bound[ends] for bound in here)
    far = np.exp(-low * (1 + np.minimum(q_low, 0)) * H)
    side_of, downwards = part.which[ends], part.far[ends] < 0
    farthest = np.where(downwards, p1[side_of] + 1, p0[side_of])  # from the last output of the line
    H_most = distance(line.gap(farthest, np.where(downwards, 0, line.n) - farthest))
    farther = high * np.maximum((1 + q_high) * H_most - H, 0)
    nearer = high * np.maximum(H_most - (1 + q_low) * H, 0)
    beyond = (p1 - p0)[side_of]
    total[1] += (beyond + 1) * far
    grows += far * (beyond * np.expm1(nearer) + downwards)
    shrunk += far * (beyond * np.expm1(-farther) - ~downwards)
    ranges = np.flatnonzero(np.diff(side_of, prepend=-1))
    below, above, shrunk, grows = (np.add.reduceat(part, ranges) for part in (*total, shrunk, grows))
    rise = np.log1p(grows / np.where(grows > 0, below, above))
    share = shrunk / np.where(shrunk < 0, below, above)
    with np.errstate(divide="ignore"):
        fall = np.log1p(np.maximum(share, -1))
    which = np.append(part.which, side_of)
    order = np.argsort(which, kind="stable")
    which = which[order]
    losses = (np.append(up, farther)[order] + rise[which], np.append(down, nearer)[order] - fall[which])
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    return Ranged(
        np.maximum.reduceat(np.maximum(*losses), starts),
        which,
        np.append(size, beyond + 1.0)[order],
        (np.append(weight[1], far)[order], np.append(there, far)[order]),
        losses,
        (below, below * np.exp(fall)),
    )


def _scaled(value: Floats, rates: RateBounds) -> Floats:
    """The largest of a bound times the rate."""
    return value * np.where(value > 0, rates.high, rates.low)
