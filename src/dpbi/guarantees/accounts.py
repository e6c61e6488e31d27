r"""Many uses by their privacy losses: certified ends of epsilon and delta.

\(\delta(\varepsilon) = E\,(1 - e^{\varepsilon - S})_+\), S the sum of the losses of all uses, infinite ones included.
From above S is a sum on a grid (``loss_cells``); from below it is the loss of the sum itself as an output, whose laws
under P and Q are two sums on the grid. Every error of rounding, of the transforms and of what was cut off is added to
the upper end and taken from the lower.

A pair of laws stands for its composition with itself. Where the pair is the hardest for *all* neighbours and all
earlier outputs (``GaussianLoss``, ``LaplaceLoss``, ``BatchLoss``, ``FiniteLoss(*worst_pair(...))``), the ends are
those of adaptive composition; where it is the pair of two datasets, they are of these two, and the largest over all
neighbours is that of mechanisms that were fixed in advance (``dpbi.privacy.together``).
"""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .. import checks
from ..checks import Floats
from .convolutions import LossSum, Part, added, best_tilt
from .counting import largest_count
from .ends import UNIT, Ends
from .loss_cells import Loss, LossCells, of_kind
from .pure import ApproxDP

POINTS = 2**15
"""Places on the grid for a sum."""

LARGEST_EXPONENT = 300.0
"""Weights beyond this power of e are given up."""


class _Sums(NamedTuple):
    """The sums at one tilt: from above, and from below under P and under Q."""

    above: LossSum
    p: LossSum
    q: LossSum


class Account:
    """Uses of mechanisms, each by its privacy loss and how often it is used, in any order.

    >>> from dpbi.guarantees import GaussianDP, GaussianLoss, LaplaceLoss
    >>> spent = Account([(GaussianLoss(0.005), 60), (LaplaceLoss(0.1), 10)])
    >>> [round(end, 3) for end in spent.epsilon(1e-6)]
    [3.969, 3.969]
    >>> [round(end, 6) for end in Account([(GaussianLoss(0.005), 60)]).delta(2.0)], round(GaussianDP(0.3).delta(2), 6)
    ([0.003065, 0.003065], 0.003065)
    """

    def __init__(self, uses: Iterable[tuple[Loss, int]], points: int = POINTS) -> None:
        self.uses = [(loss, checks.whole("count", count, least=1)) for loss, count in uses]
        if not self.uses:
            raise ValueError("uses must be one or more pairs of a loss and a count, got none")
        size = checks.whole("points", points, least=256)
        for loss, _ in self.uses:
            of_kind(loss)
        self.width = _width(self.uses, size)
        cells = [(loss.cells(self.width), count) for loss, count in self.uses]
        self._above = [Part(found.first, found.above(), count) for found, count in cells]
        self._p, self._q = ([Part(c.first, side(c), k) for c, k in cells] for side in (_of_p, _of_q))
        self._finite = all(part.masses.any() for part in self._above)  # else some use tells all
        self._infinite = _at_least_once((c.infinite + c.beyond, k) for c, k in cells) * (1 + 64 * UNIT)
        self._surely_infinite = _at_least_once((c.infinite, k) for c, k in cells) * (1 - 64 * UNIT)
        self._accuracy = sum(k * c.accuracy for c, k in cells)
        self._shift = sum(k * c.shift for c, k in cells)
        self._sums = lru_cache(maxsize=4)(self._at_tilt)

    def __repr__(self) -> str:
        return f"<Account of {sum(count for _, count in self.uses)} uses, in cells of {self.width:g}>"

    def delta(self, epsilon: float) -> Ends:
        """Where the smallest delta at an epsilon lies."""
        level = checks.real("epsilon", epsilon, least=0)
        if not self._finite:
            return Ends(self._surely_infinite, min(1.0, self._infinite))
        sums = self._sums(best_tilt(self._above, self.width, level, None))
        return Ends(self._lower(sums, level), self._upper(sums, level))

    def epsilon(self, delta: float) -> Ends:
        """Where the smallest epsilon at a delta lies; infinite if the laws may be told apart with that probability."""
        allowed = checks.real("delta", delta, above=0, below=1)
        if self._surely_infinite > allowed or not self._finite:
            return Ends(math.inf, math.inf)
        sums = self._sums(best_tilt(self._above, self.width, None, math.log(allowed)))
        # by Chernoff no tail beyond is as large as delta
        top = max(1e-3, (sums.above.log_total - math.log(allowed)) / sums.above.tilt + 1.0)
        upper, near = math.inf, top
        if self._upper(sums, top) <= allowed:
            upper = near = _between(lambda e: self._upper(sums, e) > allowed, 0.0, top)[1]
        # the doubts of one tilt grow far from where it is best: the search begins at the other end
        step = 1e-7 * max(near, 1.0)
        while step < near and self._lower(sums, near - step) <= allowed:
            step *= 4
        if step >= near:
            return Ends(0.0, upper)
        return Ends(_between(lambda e: self._lower(sums, e) > allowed, near - step, near)[0], upper)

    def _at_tilt(self, tilt: float) -> _Sums:
        return _Sums(
            *(added(part, self.width, t) for part, t in ((self._above, tilt), (self._p, tilt), (self._q, tilt + 1)))
        )

    def _upper(self, sums: _Sums, epsilon: float) -> float:
        level, (first, tilted, log_m, tilt, error, relative, lost) = epsilon - self._shift, sums.above
        start, places = _beyond(first, len(tilted), self.width, level)
        if log_m - tilt * level > LARGEST_EXPONENT:  # too far from where this tilt says anything
            return 1.0
        weights = np.exp(log_m - tilt * places) * -np.expm1(level - places)
        most = math.exp(log_m - tilt * level)
        norm = _norm(weights)
        told = float((weights * tilted[start:]).sum()) + norm * error + 2 * lost * most
        slack = _slack(relative + self._accuracy, log_m, tilt, places)
        return min(1.0, max(0.0, told) * math.exp(slack) + self._infinite)

    def _lower(self, sums: _Sums, epsilon: float) -> float:
        p, q = sums.p, sums.q
        first = max(p.first, q.first)
        size = min(p.first + len(p.tilted), q.first + len(q.tilted)) - first
        start, places = _beyond(first, size, self.width, epsilon - self.width * sum(k for _, k in self.uses))
        if not places.size or max(s.log_total + epsilon - s.tilt * places[0] for s in (p, q)) > LARGEST_EXPONENT:
            return self._surely_infinite
        weights_p = np.exp(p.log_total - p.tilt * places)
        weights_q = np.exp(q.log_total + epsilon - q.tilt * places)
        entries_p, entries_q = (s.tilted[start + first - s.first :][: places.size] for s in (p, q))
        told = weights_p * entries_p > weights_q * entries_q  # any set of outputs tells at least this
        off = 2 * self._accuracy + p.relative + q.relative
        slack = sum(_slack(off, s.log_total + epsilon, s.tilt, places) for s in (p, q))
        sides = []
        for entries, weights, s in ((entries_p, weights_p, p), (entries_q, weights_q, q)):
            chosen = np.where(told, weights, 0.0)
            doubt = _norm(chosen) * s.error + 2 * s.lost * float(chosen.max(initial=0.0))
            sides.append((float((chosen * entries).sum()), doubt))
        (at_p, doubt_p), (at_q, doubt_q) = sides
        found = (at_p - doubt_p) * math.exp(-slack) - (at_q + doubt_q) * math.exp(slack)
        return max(0.0, found) + self._surely_infinite


def losses_within(loss: Loss, budget: ApproxDP, points: int = 2**13) -> int:
    """How many adaptive uses of a loss are certain to fit in a budget; 0 if not even one is.

    >>> from dpbi.guarantees import BatchLoss
    >>> losses_within(BatchLoss(0.5, 0.01), ApproxDP(1.0, 1e-6))
    99
    """
    allowed, level = checks.real("delta", budget.delta, above=0, below=1), float(budget.epsilon)
    return largest_count(lambda count: Account([(loss, count)], points).delta(level).upper <= allowed)


def _of_p(cells: LossCells) -> Floats:
    return cells.p


def _of_q(cells: LossCells) -> Floats:
    return cells.q


def _at_least_once(parts: Iterable[tuple[float, int]]) -> float:
    """The probability that something of a probability happens in so many tries."""
    return -math.expm1(sum(count * math.log1p(-min(p, 1 - UNIT)) for p, count in parts))


def _norm(values: Floats) -> float:
    """The Euclidean norm, also of numbers whose squares are too small."""
    top = float(values.max(initial=0.0))
    return top * math.sqrt(float(((values / top) ** 2).sum())) if top > 0 else 0.0


def _beyond(first: int, size: int, width: float, level: float) -> tuple[int, Floats]:
    """The places above a level, and the number of the first of them."""
    start = min(max(math.floor(level / width) + 1 - first, 0), size)
    places = np.arange(first + start, first + size, dtype=np.float64) * width
    return start, places


def _slack(relative: float, log_total: float, tilt: float, places: Floats) -> float:
    """Relative errors of the masses and of weights that are exponentials, and of the sum."""
    farthest = float(np.abs(places).max(initial=0.0))
    return relative + (8 * (abs(log_total) + (abs(tilt) + 1) * farthest) + 256) * UNIT


def _width(uses: list[tuple[Loss, int]], points: int) -> float:
    """A power of two such that the sum has about so many places, and a loss of its own not many more."""
    spread = math.sqrt(sum(count * loss.spread**2 for loss, count in uses))
    most = sum(count * 2 * loss.largest for loss, count in uses)
    reach = min(most, 30 * spread + 2 * max(loss.largest for loss, _ in uses))
    return 2.0 ** math.floor(math.log2(max(reach, 1e-6) / points))


def _between(more: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Between which epsilons a falling delta comes within its limit, to 1e-9 of them; 0 if it is so there."""
    if low == 0 and not more(0.0):
        return 0.0, 0.0
    while high - low > 1e-9 * max(high, 1e-3):
        middle = (low + high) / 2
        low, high = (middle, high) if more(middle) else (low, middle)
    return low, high
