r"""How well N draws tell two laws apart: exactly where that is a sum or one law, between two numbers anywhere else.

Exactly, as the law of what the draws tell: the counts of draws from a list, the sum of draws from ``Gamma`` laws that
only differ in the rate, which is a ``Gamma`` law again. Otherwise the log ratio is cut into cells, with the masses
P and Q of a cell under both laws:

* **From below.** The number of the cell's place on a lattice of steps h, added up over the draws, is a statistic of
  the draws, and tells no more than they do.
* **From above.** Two points of the lattice, below and above all log ratios of a cell, can carry P and Q between them;
  the cell is what remains when the two are confused, so the points tell more. Of a sum of points the loss is known.

Both sums are convolutions, and the two numbers differ by the order of \(Nh^2\).
"""

from dataclasses import dataclass
from functools import cached_property
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
from .measures import least_delta, log_ratio
from .pieces import PARTS_OVER_BALLS, gathered, law_of_sum, of_sums, pieces
from .samples import MOST_COUNTS, counts_law, number_of_counts, overlap

CELLS_IN_A_PANEL, STEPS, LONGEST = 1024, 2**14, 2**20
"""Cells of each panel of a curve, steps of the lattice over one log ratio, and the longest lattice of a sum."""

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
    def exact(self) -> tuple[Any, Any] | None:
        """The laws of what the draws tell, if they are known."""
        if self.size == 1:
            return self.p, self.q
        if isinstance(self.p, Finite) and number_of_counts(len(self.p.weights), self.size) <= MOST_COUNTS:
            return counts_law(self.p, self.size), counts_law(self.q, self.size)
        first, second = law_of_sum(self.p, self.size), law_of_sum(self.q, self.size)
        return (first, second) if first and second and first.shape == second.shape else None

    def delta(self, epsilon: float) -> Enclosure:
        r"""\(\int (p^N - e^{\varepsilon} q^N)_+\)."""
        level = checks.real("epsilon", epsilon, least=0)
        if self.exact is not None:
            known = least_delta(*self.exact, level)
            return Enclosure(known, known)
        certain = 1 - (1 - self.cells.certain) ** self.size
        if len(self.cells.p) == 0:  # no draw is possible under both laws
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

    @cached_property
    def cells(self) -> Cells:
        """The cells of one draw."""
        if isinstance(self.p, Finite):
            return _atoms(self.p, self.q)
        return _of_laws(self.p, self.q)

    @cached_property
    def step(self) -> Any:
        """The step h of the lattice."""
        low, high = approximate(self.cells.low).min(), approximate(self.cells.high).max()
        steps = max(min(STEPS, LONGEST // self.size), 2) if in_doubles() else PARTS_OVER_BALLS
        return number(float(max(high - low, 1e-12) / steps))

    @cached_property
    def statistic(self) -> tuple[Numbers, Numbers]:
        """The masses of the sum of the places of all draws, under both laws."""
        p, q = self.cells.p, self.cells.q
        places = np.rint(approximate(log(p / q) / self.step)).astype(int)
        return tuple(of_sums(gathered(places, masses), self.size) for masses in (p, q))  # type: ignore[return-value]

    @cached_property
    def dominating(self) -> tuple[Numbers, Numbers]:
        """Losses of sums of lattice points, and their masses under the law of p."""
        p, q, low, high, _ = self.cells
        nudge = 1e-9
        lower = np.floor(approximate(low / self.step) - nudge).astype(int)
        upper = np.maximum(np.ceil(approximate(high / self.step) + nudge).astype(int), lower + 1)
        places = np.concatenate([lower, upper])
        start, end = numbers(lower) * self.step, numbers(upper) * self.step
        raised = minimum(maximum((p - q * exp(start)) / -expm1(start - end), 0), p)
        summed = of_sums(gathered(places, np.concatenate([p - raised, raised])), self.size)
        first = self.size * int(places.min())
        losses = numbers(np.arange(first, first + len(summed))) * self.step
        return losses, summed


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
