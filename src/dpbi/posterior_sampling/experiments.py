r"""What N draws tell of the dataset that they came from: the masses of cells under the law of each dataset.

Several laws on one space are an experiment. Of a list of parameters the cells are the counts of draws, and nothing is
lost. Of an interval a cell is a part of it, and of N draws a place on a lattice of the sum of what the log ratios are
linear in, as those of posteriors of one conjugate family are. A law k has a mass \(P_k\) on a cell, and a density
between two numbers that are proved, relative to one law. So a mean cost over the cell is known up to

\[ \sum_k c_{ki} P_k - \Bigl(\max_j \sup \sum_k (c_{ki} - c_{kj})\,p_k\Bigr)_+ \le \int \min_j \sum_k c_{kj}\,p_k
   \le \sum_k c_{ki} P_k , \]

for every i, and exactly unless the best guess changes within the cell. A program that asks for the best guesses is
solved on groups of cells, and the groups where they change are split.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import approximate, exp, in_doubles, largest, maximum, minimum, number, numbers
from ..checks import Numbers
from .finite import Finite
from .interval_laws import Beta, Gamma
from .log_concave import LogConcave
from .many_draws import ROUNDING
from .normal_laws import Normal
from .pieces import PARTS_OVER_BALLS, gathered, law_of_sum, of_sums, pieces
from .samples import MOST_COUNTS, counts_law, number_of_counts

PARTS, PARTS_OF_SUMS, STEPS, LONGEST = 2**14, 2**16, 2**14, 2**20
"""Parts of an interval for one draw and for more, steps of the lattice over one draw, and longest lattices together."""

FIRST_GROUPS, SPLIT, MOST_GROUPS, ROUNDS = 64, 8, 1500, 8
"""Groups at first, into how many one is split, how many there are at most, and how often they are split."""

MOST_BY_COUNTS = 5_000
"""Counts of draws, times datasets, where only counts of parts can be taken."""

NEGLIGIBLE = 1e-15
"""A mass that is left out; so many draws as a computer holds do not make it more than the rounding."""

HUGE = 1e100
"""A density that bounds nothing, any more than a larger one does."""

ENOUGH = 1e-9
"""Two ends that are as near as that, relatively, are not brought nearer."""


class Groups(NamedTuple):
    """Masses of cells under each law, shape (laws, cells), and bounds on the densities, with a measure of one."""

    masses: Numbers
    low: Numbers
    high: Numbers

    def least_mean(self, costs: Numbers) -> tuple[Any, Numbers]:
        r"""What \(\int \min_j \sum_k c_{kj}\,dP_k\) is at least, and what each cell lacks to the sum of the masses."""
        means = self.masses.T @ costs
        chosen = approximate(means).argmin(axis=1)
        least, lacking = means[np.arange(len(means)), chosen], numbers(np.zeros(len(means)))
        if self.low is not self.masses:
            for i in np.unique(chosen):
                here, gains = chosen == i, costs[:, [i]] - costs
                up, down = maximum(gains, number(0)), minimum(gains, number(0))
                lost = largest(self.high[:, here].T @ up + self.low[:, here].T @ down, axis=1)
                lacking[here] = minimum(maximum(lost, number(0)), least[here])
        return (least - lacking).sum(), lacking


@dataclass(frozen=True, eq=False)
class StatisticalExperiment:
    r"""Cells, in order where ``grouped``: their masses under each law, and the log ratios to one law at both ends."""

    masses: Numbers
    left: Numbers | None = None
    right: Numbers | None = None
    grouped: bool = False
    slack: float = 0.0

    def first_groups(self) -> Any:
        """Where the groups start: about the same mass in each."""
        cells = self.masses.shape[1]
        if not self.grouped:
            return np.arange(cells)
        below = np.cumsum(self.masses.mean(axis=0))
        return np.unique([0, *np.searchsorted(below, np.linspace(0, below[-1], FIRST_GROUPS + 1)[1:-1])])

    def groups(self, starts: Any) -> Groups:
        """The cells of each group as one."""
        if self.left is None or self.right is None:
            return Groups(self.masses, self.masses, self.masses)
        masses = np.add.reduceat(self.masses, starts, axis=1) if self.grouped else self.masses
        reference = approximate(masses).argmax(axis=0)
        own = np.repeat(reference, np.diff([*starts, self.masses.shape[1]]))[None, :]
        ends = [side - np.take_along_axis(side, own, axis=0) for side in (self.left, self.right)]
        low, high = minimum(*ends), maximum(*ends)
        if self.grouped:
            low, high = (
                bound.reduceat(ends, starts, axis=1) for bound, ends in ((np.minimum, low), (np.maximum, high))
            )
        measure = np.take_along_axis(masses, reference[None, :], axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            bounds = [measure * exp(end) for end in (low, high)]
        if in_doubles():
            bounds = [np.minimum(np.nan_to_num(bound, nan=0.0), HUGE) for bound in bounds]  # nan without any mass
        return Groups(masses, *bounds)

    def split(self, starts: Any, lacking: Numbers) -> Any:
        """The groups that lack something, those with most first, in smaller ones."""
        sizes = np.diff([*starts, self.masses.shape[1]])
        open_ = np.flatnonzero((lacking > 0) & (sizes > 1))
        most = max((MOST_GROUPS - len(starts)) // (SPLIT - 1), 0)
        kept = open_[np.argsort(-lacking[open_], kind="stable")[:most]]
        new = [starts[i] + np.arange(1, SPLIT) * sizes[i] // SPLIT for i in kept]
        return np.unique(np.concatenate([starts, *new]).astype(int))


def experiment(laws: Sequence[Any], size: int) -> StatisticalExperiment:
    """So many draws from one of some laws of a kind: lists of the same parameters, or laws on one interval."""
    first = laws[0]
    if isinstance(first, Finite):
        if number_of_counts(len(first.weights), size) * len(laws) > MOST_COUNTS:
            raise ValueError(f"size must leave at most {MOST_COUNTS} counts of draws and guesses, got size={size}")
        return of_lists([counts_law(law, size) for law in laws])
    if not isinstance(first, Gamma | Beta | Normal | LogConcave):
        raise TypeError(
            f"prior must be a Finite law, or a law of one number with a posterior of one, got {type(first).__name__}"
        )
    sums = [law_of_sum(law, size) for law in laws]
    if size > 1 and None not in sums and len({law.shape for law in laws}) == 1:
        return experiment(sums, 1)
    most = PARTS if size == 1 else PARTS_OF_SUMS
    masses, ratios = pieces(laws, most, most)
    if size > 1:
        masses, ratios = _without_tails(masses, ratios)
        line = _line(laws, ratios)
        if size * line.off > ROUNDING:
            return _by_counts(masses, ratios, size)
        return _of(*_by_sums(masses, ratios, line, size))
    return _of(masses, ratios[:, :-1], ratios[:, 1:])


def _of(masses: Numbers, left: Numbers, right: Numbers) -> StatisticalExperiment:
    return StatisticalExperiment(masses, left, right, grouped=in_doubles(), slack=ROUNDING if in_doubles() else 0.0)


def of_lists(laws: Sequence[Finite]) -> StatisticalExperiment:
    """One draw from a law on a list."""
    return StatisticalExperiment(np.array([law.weights for law in laws]))


def _without_tails(masses: Numbers, ratios: Numbers) -> tuple[Numbers, Numbers]:
    """The parts but for those at both ends that no law gives a mass: they would make the lattice long."""
    if not in_doubles():
        return masses, ratios
    below, above = (np.cumsum(masses[:, ::step], axis=1).max(axis=0) for step in (1, -1))
    first, last = int((below < NEGLIGIBLE).sum()), masses.shape[1] - int((above < NEGLIGIBLE).sum())
    return masses[:, first:last], ratios[:, first : last + 1]


class _Line(NamedTuple):
    """The log ratios as linear functions of one of them, and how far they are off."""

    steepest: int
    factors: Numbers
    levels: Numbers
    off: float


def _line(laws: Sequence[Any], ratios: Numbers) -> _Line:
    """Posteriors of one conjugate family are on a line; of other laws doubles show whether they are."""
    near = approximate(ratios)
    spreads = near.max(axis=1) - near.min(axis=1)
    steepest = int(spreads.argmax())
    if spreads[steepest] == 0:  # all laws are one
        return _Line(steepest, ratios[:, 0], ratios[:, 0], 0.0)
    statistic, (low, high) = ratios[steepest], (near[steepest].argmin(), near[steepest].argmax())
    slopes = _slopes(laws)
    if slopes is None:
        slopes = ratios[:, high] - ratios[:, low]
    factors, at = slopes / slopes[steepest], int(abs(near[steepest]).argmin())
    levels = ratios[:, at] - factors * statistic[at]
    off = approximate(abs(levels[:, None] + factors[:, None] * statistic - ratios)).max()
    return _Line(steepest, factors, levels, float(off) if isinstance(laws[0], LogConcave) else 0.0)


def _slopes(laws: Sequence[Any]) -> Numbers | None:
    """How much the log ratio to the first law changes with the statistic of a conjugate family."""
    first = laws[0]
    if isinstance(first, Gamma):
        return np.array([first.rate - law.rate for law in laws])
    if isinstance(first, Normal):
        return np.array([law.precision * law.mean - first.precision * first.mean for law in laws])
    return np.array([law.a - first.a for law in laws]) if isinstance(first, Beta) else None


def _by_sums(masses: Numbers, ratios: Numbers, line: _Line, size: int) -> tuple[Numbers, Numbers, Numbers]:
    """The sums of one log ratio over the draws, on a lattice: all others are linear in it."""
    values = approximate(ratios[line.steepest])
    width = float(values.max() - values.min())
    if width == 0:
        whole = numbers(np.ones((len(masses), 1)))
        return whole, 0 * whole, 0 * whole
    steps = max(min(STEPS, LONGEST // (size * len(masses))), 2) if in_doubles() else PARTS_OVER_BALLS
    step = width / steps
    places = np.rint((values[:-1] + values[1:]) / 2 / step).astype(int)
    summed = np.array([of_sums(gathered(places, mass), size) for mass in masses])
    off = np.array([values[:-1] / step - places, values[1:] / step - places])
    first = size * int(places.min())
    centres = numbers(np.arange(first, first + summed.shape[1]))
    ends = [(centres + size * number(float(end))) * number(step) for end in (off.min() - 1e-9, off.max() + 1e-9)]
    left, right = (size * line.levels[:, None] + line.factors[:, None] * end for end in ends)
    return summed, left, right


def _by_counts(masses: Numbers, ratios: Numbers, size: int) -> StatisticalExperiment:
    """How many of the draws are in each of a few parts: all that is bounded where nothing is linear."""
    parts = 2
    while number_of_counts(parts + 1, size) * len(masses) <= MOST_BY_COUNTS:
        parts += 1
    below = np.cumsum(masses.mean(axis=0))
    starts = np.unique([0, *np.searchsorted(below, np.linspace(0, below[-1], parts + 1)[1:-1])])
    counted = [
        counts_law(Finite(range(len(starts)), weights=mass), size) for mass in np.add.reduceat(masses, starts, axis=1)
    ]
    counts = np.array(counted[0].parameters)
    found = np.array([law.weights for law in counted])
    ends = np.zeros((2, *found.shape))
    for j in range(len(masses)):  # relative to the law that has most mass
        here, sides = found.argmax(axis=0) == j, ratios - ratios[[j]]
        low = np.minimum.reduceat(np.minimum(sides[:, :-1], sides[:, 1:]), starts, axis=1)
        high = np.maximum.reduceat(np.maximum(sides[:, :-1], sides[:, 1:]), starts, axis=1)
        ends[:, :, here] = np.array([low @ counts[here].T, high @ counts[here].T])
    return StatisticalExperiment(found, ends[0], ends[1], slack=ROUNDING)
