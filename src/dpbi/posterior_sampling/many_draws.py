r"""How well N draws tell two laws apart: exactly where that is a sum or one law, between two numbers anywhere else.

Exactly, as the law of what the draws tell: the counts of draws from a list, the sum of draws from ``Gamma`` laws that
only differ in the rate, which is a ``Gamma`` law again. Otherwise the log ratio is cut into cells, with the masses
P and Q of a cell under both laws:

* **From below.** The number of the cell's place on a lattice of steps h, added up over the draws, is a statistic of
  the draws, and tells no more than they do.
* **From above.** Two points of the lattice, below and above all log ratios of a cell, can carry P and Q between them;
  the cell is what remains when the two are confused, so the points tell more. Of a sum of points the loss is known.

Both sums are convolutions, and the two numbers differ by the order of \(Nh^2\). Laws of several numbers are products
of laws of one (``columns``), over which the sums go too, and for means and precisions on a rectangle with four ends
there are cells of both. Of others the ends are those of ``joint_pairs``.
"""

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import (
    approximate,
    between,
    exp,
    expm1,
    in_doubles,
    less,
    log,
    maximum,
    minimum,
    number,
    numbers,
    plain,
    zeros,
)
from ..checks import Numbers
from .finite import Finite
from .interval_laws import Beta
from .joint_pairs import JointPair
from .measures import least_delta, log_ratio, pair
from .normal_cells import of_rectangle, on_a_rectangle
from .pieces import PARTS_OVER_BALLS, gathered, law_of_sum, of_sums, pieces
from .samples import MOST_COUNTS, counts_law, number_of_counts, overlap

CELLS_IN_A_PANEL, STEPS, LONGEST, OF_COLUMNS = 1024, 2**14, 2**20, 2**18
"""Cells of each panel of a curve, steps over one log ratio, and the longest lattice of a sum, or of several columns."""

LARGEST_LOSS = 700
"""Beyond this the exponential is no double, and the statistic is not asked."""

ROUNDING = 1e-10
"""More than what convolutions of doubles are off by: both numbers are moved by so much."""


class Enclosure(NamedTuple):
    """Two numbers that a number is between; they are the same one where it is known.

    >>> Enclosure(0.25, 0.5).value
    0.375
    """

    low: float
    high: float

    @property
    def value(self) -> float:
        """The number, or as a double the one in the middle, as a ball the hull."""
        return self.low if self.low is self.high else plain(between(self.low, self.high))


class Cells(NamedTuple):
    """The masses of cells under two laws, and the least and the largest log ratio in each."""

    p: Numbers
    q: Numbers
    low: Numbers
    high: Numbers
    certain: Any  # the mass that p has where q has none


@dataclass(frozen=True, eq=False)
class ManyDraws:
    r"""N draws from p or from q: their least deltas, from p to q.

    >>> from dpbi.posterior_sampling import Gamma
    >>> draws = ManyDraws(Gamma(2, 1), Gamma(2, 3), 5)
    >>> draws.exact is not None, round(draws.delta(0).value, 6)
    (True, 0.912484)
    """

    p: Any
    q: Any
    size: int

    @cached_property
    def joint(self) -> JointPair | None:
        """The pair, if it is one of laws of several numbers."""
        two = None if isinstance(self.p, Finite) else pair(self.p, self.q)
        return two if isinstance(two, JointPair) else None

    @cached_property
    def columns(self) -> list[tuple[Any, Any, int]]:
        """The pairs of laws that the draws are independent draws from, and how many from each."""
        listed = [(self.p, self.q)] if self.joint is None else [tuple(column) for column in self.joint.columns or []]
        found = []
        for p, q in listed:
            sums = law_of_sum(p, self.size), law_of_sum(q, self.size)
            summed = None not in sums and p.shape == q.shape
            found.append((*sums, 1) if summed else (p, q, self.size))
        return found

    @cached_property
    def exact(self) -> tuple[Any, Any] | None:
        """The laws of what the draws tell, if they are known."""
        if self.joint is not None:
            alone = self.columns[0] if len(self.columns) == 1 else None
            return ManyDraws(*alone).exact if alone else None
        if self.size == 1:
            return self.p, self.q
        if isinstance(self.p, Finite) and number_of_counts(len(self.p.weights), self.size) <= MOST_COUNTS:
            return counts_law(self.p, self.size), counts_law(self.q, self.size)
        first, second, count = self.columns[0]
        return (first, second) if count == 1 else None

    def delta(self, epsilon: float) -> Enclosure:
        r"""\(\int (p^N - e^{\varepsilon} q^N)_+\)."""
        level = checks.real("epsilon", epsilon, least=0)
        if self.exact is not None:
            known = least_delta(*self.exact, level)
            return Enclosure(known, known)
        if self.joint is not None and not self.by_sums:
            return Enclosure(*map(plain, self.joint.deltas(level, self.size)))
        if not self.cells:  # the two laws are one
            return Enclosure(plain(number(0)), plain(number(0)))
        certain = 1 - reduce(mul, [(1 - cells.certain) ** count for cells, count in self.cells])
        if not all(len(cells.p) for cells, _ in self.cells):  # no draw is possible under both laws
            return Enclosure(plain(certain), plain(certain))
        first, second = self.statistic
        gains = maximum(first - exp(level) * second, 0) if less(level, LARGEST_LOSS) else zeros(1)
        below = certain + gains.sum()
        losses, masses = self.dominating
        above = certain + (masses * -expm1(-maximum(losses - level, 0))).sum()
        slack = ROUNDING if in_doubles() else 0
        return Enclosure(plain(maximum(below - slack, 0)), plain(minimum(above + slack, 1)))

    @property
    def variation(self) -> Enclosure:
        """The total variation."""
        return self.delta(0)

    @property
    def error(self) -> Enclosure:
        r"""The average error of the best test between p and q, \(\frac12 \int \min(dp^N, dq^N)\)."""
        if self.exact is not None and isinstance(self.p, Finite):
            known = plain(overlap(*self.exact) / 2)
            return Enclosure(known, known)
        told = self.variation
        if told.low is told.high:
            known = plain((1 - told.low) / 2)
            return Enclosure(known, known)
        return Enclosure(plain((1 - told.high) / 2), plain((1 - told.low) / 2))

    @property
    def by_sums(self) -> bool:
        """Whether the log ratios can be cut into cells: over balls, only on intervals with two ends."""
        if self.joint is None:
            return True
        if self.joint.parts is None:
            return in_doubles() and on_a_rectangle(self.p, self.q)
        return in_doubles() or all(map(_has_ends, self.columns))

    @cached_property
    def cells(self) -> list[tuple[Cells, int]]:
        """The cells of one draw from each column, and how many draws there are."""
        if isinstance(self.p, Finite):
            return [(_atoms(self.p, self.q), self.size)]
        if self.joint is not None and self.joint.parts is None:
            return [(Cells(*of_rectangle(self.p, self.q)), self.size)]
        return [(_of_laws(p, q), count) for p, q, count in self.columns]

    @cached_property
    def step(self) -> Any:
        """The step h of the lattice."""
        spans = [
            float(max(approximate(cells.high).max() - approximate(cells.low).min(), 1e-12)) for cells, _ in self.cells
        ]
        counts = [count for _, count in self.cells]
        if not in_doubles():
            return number(max(spans) / PARTS_OVER_BALLS)
        if len(spans) == 1:
            return spans[0] / max(min(STEPS, LONGEST // counts[0]), 2)
        return sum(span * count for span, count in zip(spans, counts, strict=True)) / OF_COLUMNS

    @cached_property
    def statistic(self) -> tuple[Numbers, Numbers]:
        """The masses of the sum of the places of all draws, under both laws."""
        found = []
        for cells, count in self.cells:
            places = np.rint(approximate(log(cells.p / cells.q) / self.step)).astype(int)
            found.append([of_sums(gathered(places, masses), count) for masses in (cells.p, cells.q)])
        return tuple(reduce(_convolved, each) for each in zip(*found, strict=True))

    @cached_property
    def points(self) -> list[tuple[Any, Numbers, Numbers, int]]:
        """Places of lattice points for each column, and what they carry of both laws."""
        nudge, found = 1e-9, []
        for (p, q, low, high, _), count in self.cells:
            lower = np.floor(approximate(low / self.step) - nudge).astype(int)
            upper = np.maximum(np.ceil(approximate(high / self.step) + nudge).astype(int), lower + 1)
            start, end = numbers(lower) * self.step, numbers(upper) * self.step
            raised = minimum(maximum((p - q * exp(start)) / -expm1(start - end), 0), p)
            second = minimum(raised * exp(-end), q)
            places = np.concatenate([lower, upper])
            found.append((places, np.concatenate([p - raised, raised]), np.concatenate([q - second, second]), count))
        return found

    @cached_property
    def dominating(self) -> tuple[Numbers, Numbers]:
        """Losses of sums of lattice points, and their masses under the law of p."""
        first = sum(count * int(places.min()) for places, _, _, count in self.points)
        summed = reduce(_convolved, [of_sums(gathered(places, p), count) for places, p, _, count in self.points])
        return numbers(np.arange(first, first + len(summed))) * self.step, summed

    @property
    def dominated(self) -> Numbers:
        """Their masses under the law of q: those of p times an exponential would be rounding where p has none."""
        summed: Numbers = reduce(
            _convolved, [of_sums(gathered(places, q), count) for places, _, q, count in self.points]
        )
        return summed


def _convolved(a: Numbers, b: Numbers) -> Numbers:
    """The masses of the sum of two independent places."""
    from scipy.signal import fftconvolve  # imported here, for that takes longer than many a call

    return np.maximum(fftconvolve(a, b), 0.0) if in_doubles() else np.convolve(a, b)


def _has_ends(column: tuple[Any, Any, int]) -> bool:
    """Whether the laws of a column are on an interval with two ends."""
    law = column[0]
    return all(abs(float(end)) < np.inf for end in ((law.low, law.high) if isinstance(law, Beta) else law.ends))


def _atoms(p: Finite, q: Finite) -> Cells:
    """A cell for each parameter."""
    ratio, both = log_ratio(p, q), p.support & q.support
    certain = sum(p.weights[p.support & ~q.support], number(0))
    return Cells(p.weights[both], q.weights[both], ratio[both], ratio[both], certain)


def _of_laws(p: Any, q: Any) -> Cells:
    """Parts of the interval of both laws."""
    (first, second), (_, ratios) = pieces([p, q], CELLS_IN_A_PANEL)
    low, high = minimum(-ratios[:-1], -ratios[1:]), maximum(-ratios[:-1], -ratios[1:])
    if not in_doubles():
        return Cells(first, second, low, high, number(0))
    held = (first > 0) & (second > 0)
    return Cells(first[held], second[held], low[held], high[held], first[~held].sum())
