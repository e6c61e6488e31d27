r"""Posterior draws of a table given its noisy margins, by a Markov chain over the hidden counts of all cells.

The cell counts x of a table with several columns have a Dirichlet-multinomial distribution. Given noisy counts z of
some of the margins \(M_q x\), their posterior is
\[ p(x \mid z) \propto \prod_c \frac{\Gamma(\alpha_c + x_c)}{x_c!} \prod_q \Pr[z_q \mid M_q x],
   \qquad \sum_c x_c = n . \]
If the margins overlap, this posterior does not factorise. A Markov chain draws from this posterior by Metropolis steps
along lines of tables (``moves``), using the exact distribution of the noise. All counts remain nonnegative whole
numbers, which neither a normal approximation of the noise nor a projection of the margins would ensure.

Several chains start far apart, from tables drawn from the prior. For every cell and every margin count, \(\hat R\) and
the effective sample size show how well the chains agree. A warning is issued if the chains have not mixed.

Bernstein and Sheldon (2018) and Ju, Awan, Gong and Rao (2022) also draw hidden data, and NAPSU-MQ (Räisä, Jälkö, Kaski
and Honkela 2023) fits noisy margins with a normal approximation of the noise.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers, need
from ..model.predictive import log_step
from ..progress import Progress, shown
from .draws import MAX_VARIANCE_RATIO, MIN_EFFECTIVE_DRAWS, Conclusion, agreement, concluded, dirichlet
from .mixtures import Mixture, over_counts
from .moves import compiled
from .posteriors_given_noise import noisy_and_noise, values_of

# Largest number of cells of a table (chosen).
MAX_CELLS = 20_000

# Largest number of stored hidden counts, one per cell and draw: they take 400 MB (chosen).
MAX_KEPT_COUNTS = 50_000_000

# Largest number of sweeps between two stored draws (chosen).
MAX_SWEEPS = 10_000

# Largest number of records (chosen): tables of log probabilities have this length.
MAX_RECORDS = 10**7

# Largest number of columns of the box of a move (chosen): a box has a corner for every subset of its columns.
MAX_BOX_COLUMNS = 6

# Number of moves in a sweep, for each cell and each possible number of columns of a box. Most moves are rejected. With
# this number, 4000 draws of the table with 24 cells on the page about a survey have an effective sample size of 1300 to
# 2400 (measured).
MOVES_PER_CELL = 4


@dataclass(frozen=True)
class Margin:
    """A noisy margin of a table.

    Attributes:
        columns: Indices of the margin's columns in the table, counted from 0.
        counts: Noisy counts of the cells of the margin, in row order.
        epsilon: Privacy parameter of the release, > 0.
        mechanism: Name of the mechanism that added the noise.

    >>> Margin((0, 2), [3, 1, 0, 2], 1.0).mechanism
    'lattice_laplace'
    """

    columns: tuple[int, ...]
    counts: ArrayLike
    epsilon: float
    mechanism: str = "lattice_laplace"


@dataclass(frozen=True, eq=False, repr=False)
class Sampled:
    """Draws of a table given its noisy margins, and diagnostics of the chains that produced the draws.

    Attributes:
        prior: Dirichlet parameters of the cells, in row order.
        sizes: Number of values of each column.
        counts: Drawn tables of hidden counts, one per row; the draws of each chain are consecutive.
        chains: Number of chains.
        ratio: Largest ratio of variances (R-hat) over all cells and all margin counts.
        effective_draws: Smallest effective sample size over all cells and all margin counts.

    >>> margins = [Margin((0,), [60, 40], 1.0), Margin((1,), [30, 70], 1.0)]
    >>> found = given_margins(1, (2, 2), 100, margins, np.random.default_rng(1))
    >>> found.mixed, found.shares((0,))[0].mean.__round__(1), found.shares((1,))[0].mean.__round__(1)
    (True, 0.6, 0.3)
    >>> found  # doctest: +ELLIPSIS
    <Sampled: 4000 draws of 4 cells, ratio of variances 1..., effective draws ...>
    """

    prior: Floats
    sizes: tuple[int, ...]
    counts: Integers
    chains: int
    ratio: float
    effective_draws: float

    def __repr__(self) -> str:
        agree = f"ratio of variances {self.ratio:.3g}, effective draws {self.effective_draws:.0f}"
        return f"<Sampled: {len(self.counts)} draws of {len(self.prior)} cells, {agree}>"

    @property
    def mixed(self) -> bool:
        """Whether the chains agree and all effective sample sizes are large enough."""
        return self.ratio < MAX_VARIANCE_RATIO and self.effective_draws >= MIN_EFFECTIVE_DRAWS

    def draws(self, rng: np.random.Generator) -> Floats:
        """Draws of the shares of all cells from their posterior, one row for each drawn table."""
        return dirichlet(self.prior + self.counts, checks.generator(rng))

    def shares(self, columns: Sequence[int]) -> tuple[Mixture, ...]:
        """Posterior of each share of a margin, in row order: a mixture of Beta posteriors over the drawn counts."""
        prior, n = self.margin(columns, self.prior)[0], int(self.counts[0].sum())
        times = (np.unique(x, return_counts=True) for x in self.margin(columns, self.counts).T)
        return tuple(over_counts(*each, prior, i, n) for i, each in enumerate(times))

    def margin(self, columns: Sequence[int], tables: ArrayLike) -> Floats:
        """Margins of tables for some of the columns; all other columns are summed out.

        Args:
            columns: Indices of the columns, in the order of the axes of each returned margin.
            tables: Array with one table per row, for instance ``counts`` or the result of ``draws``.

        Returns:
            An array with the margin of each table, one per row; the cells of each margin are in row order.
        """
        kept = [0, *(axis + 1 for axis in _columns(columns, self.sizes))]
        cube = np.reshape(tables, (-1, *self.sizes))
        return np.asarray(np.einsum(cube, range(cube.ndim), kept).reshape(len(cube), -1))

    def predicted(self, records: int, rng: np.random.Generator) -> Integers:
        """Synthetic tables of new records, drawn from the posterior predictive distribution.

        Args:
            records: Number of records in each synthetic table, an integer >= 0.
            rng: Random number generator.

        Returns:
            One synthetic table for each drawn table, stored as a row of cells.
        """
        shares = self.draws(rng)
        return np.asarray(rng.multinomial(checks.whole("records", records, least=0), shares))

    def concluded(self, values: Floats, level: float = 0.95) -> Conclusion:
        """Summary of a quantity that was computed from each row of ``draws``.

        Args:
            values: The quantity computed from each row of ``draws``, in the order of the rows.
            level: Posterior probability of the interval, in (0, 1).

        Returns:
            The mean with its standard error, the standard deviation, an equal-tailed interval and the median.
        """
        good = np.shape(values) == (len(self.counts),)
        need(good, f"values must be one number for each of the {len(self.counts)} draws, got shape {np.shape(values)}")
        effective = float(agreement(np.reshape(values, (self.chains, -1, 1)))[1][0])
        return concluded(values, effective, level)


def given_margins(
    prior: ArrayLike,
    sizes: Sequence[int],
    n: int,
    margins: Sequence[Margin],
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    chains: int = 4,
    sweeps: int = 4,
    progress: bool | Progress = False,
) -> Sampled:
    """Posterior draws of all cells of a table given its noisy margins, by several Metropolis chains.

    The first half of each chain is discarded, because its tables still depend on the table at which the chain started.

    Args:
        prior: Dirichlet parameters, a number > 0 for each cell in row order, or one number for all cells.
        sizes: Number of values of each column, at least 2 for every column.
        n: Number of records, a whole number >= 0 and at most 10,000,000.
        margins: A list of one or more noisy margins; the margins of several releases are listed together.
        rng: Random number generator.
        draws: Number of tables that each chain returns, at least 4.
        chains: Number of chains, at least 1.
        sweeps: Number of sweeps between two stored tables, 1 to 10,000.
        progress: Whether to show progress, or a function that is called with the amount done and the total.

    Returns:
        The draws and the diagnostics of the chains.

    Warns:
        UserWarning: If the chains have not mixed.

    >>> rows, columns = Margin((0,), [60, 40], 1.0), Margin((1,), [70, 30], 1.0)
    >>> found = given_margins(1, (2, 2), 100, [rows, columns], np.random.default_rng(1), draws=2000)
    >>> found.mixed
    True
    """
    shape = tuple(checks.whole("sizes", size, least=2) for size in checks.listed("sizes", sizes))
    cells = prod(shape)
    need(shape and cells <= MAX_CELLS, f"sizes must have a product of at most {MAX_CELLS}, got {shape or 'none'}")
    alpha = checks.prior_weights(np.full(cells, prior) if np.isscalar(prior) else prior)
    need(len(alpha) == cells, f"prior must have one number for each of the {cells} cells, got {len(alpha)}")
    size = checks.whole("n", n, least=0, below=MAX_RECORDS + 1)
    kept = checks.whole("draws", draws, least=4, below=MAX_KEPT_COUNTS)
    several = checks.whole("chains", chains, least=1, below=MAX_KEPT_COUNTS)
    hidden = kept * several * cells
    need(hidden <= MAX_KEPT_COUNTS, f"draws must keep at most {MAX_KEPT_COUNTS:.0e} hidden counts, got {hidden}")
    law = _law(alpha, shape, size, margins)
    between = checks.whole("sweeps", sweeps, least=1, below=MAX_SWEEPS + 1) * MOVES_PER_CELL * cells * law.sides
    generator, report = checks.generator(rng), shown(progress, "draws, those left out included")
    take_moves, block = compiled(), max(1, kept // 100)
    found = np.empty((several, kept, cells), dtype=np.int64)
    kept_margins = np.empty((several, kept, len(law.origin)), dtype=np.int64)
    for chain in range(several):
        x = generator.multinomial(size, dirichlet(alpha[None], generator)[0])
        y = np.bincount(law.places.ravel(), np.tile(x, len(law.places)), len(law.origin)).astype(np.int64)
        for before in (0, kept):  # the second half of a chain overwrites the first, which is discarded
            for first in range(0, kept, block):
                here = slice(first, min(first + block, kept))
                take_moves(x, y, law, between, generator, found[chain, here], kept_margins[chain, here])
                report(2 * kept * chain + before + here.stop, 2 * kept * several)
    ratios, draws_worth = agreement(np.concatenate([found, kept_margins], axis=2).astype(np.float64))
    sampled = Sampled(alpha, shape, found.reshape(-1, cells), several, float(ratios.max()), float(draws_worth.min()))
    if not sampled.mixed:
        enough = f"a ratio below {MAX_VARIANCE_RATIO} and {MIN_EFFECTIVE_DRAWS} effective draws are needed"
        warnings.warn(f"the chains have not mixed: {sampled}, {enough}: use more draws or sweeps", stacklevel=2)
    return sampled


class _Law(NamedTuple):
    """The posterior of a table, stored as arrays that the compiled function ``take_moves`` reads.

    Attributes:
        places: For each margin and cell, the index of the margin count that includes the cell, shape (margins, cells).
        masks: Columns of each margin, encoded as the bits of an integer.
        noise: Log probabilities of the noise of all margins, stored consecutively.
        origin: For each count of a margin, the position in ``noise`` that belongs to a hidden count of 0; each hidden
            record lowers the position by one.
        factors: Log weights of 0, 1, ... records under the prior, one row for each distinct Dirichlet parameter.
        factor: Index of the row of ``factors`` that belongs to each cell.
        shape: Number of values of each column.
        strides: Distance in row order between two cells that differ by one in a column.
        sides: Largest number of columns of the box of a move.
    """

    places: Integers
    masks: Integers
    noise: Floats
    origin: Integers
    factors: Floats
    factor: Integers
    shape: Integers
    strides: Integers
    sides: int


def _columns(columns: Sequence[int], sizes: tuple[int, ...]) -> list[int]:
    """Checked indices of the columns of a margin, which must be different columns of the table."""
    axes = [checks.whole("columns", axis, least=0, below=len(sizes)) for axis in columns]
    need(axes and len(set(axes)) == len(axes), f"columns of a margin must be different numbers, got {tuple(columns)}")
    return axes


def _law(alpha: Floats, shape: tuple[int, ...], n: int, margins: Sequence[Margin]) -> _Law:
    """The posterior of a table given noisy margins, stored as arrays; the margins are checked first."""
    where = np.unravel_index(np.arange(len(alpha)), shape)
    places, masks, origin = [], [], list[int]()
    noise = [np.zeros(n + 1)]  # a count without noise contributes nothing, whatever the hidden count
    for margin in values_of("margins", margins, Margin):
        axes = _columns(margin.columns, shape)
        sizes = [shape[axis] for axis in axes]
        z, laws = noisy_and_noise(margin, prod(sizes))
        need((abs(z) <= 2 * MAX_RECORDS).all(), f"noisy must be within {2 * MAX_RECORDS} of 0, got {margin.counts!r}")
        places.append(len(origin) + np.ravel_multi_index([where[axis] for axis in axes], sizes))
        masks.append(sum(1 << axis for axis in axes))
        least, begin = int(z.min()) - n, sum(map(len, noise))
        for count, law in zip(z.tolist(), laws, strict=True):
            origin.append(n if law is None else begin + count - least)
        noise += [law.log_point(np.arange(least, z.max() + 1)) for law in laws[:1] if law is not None]
    weights, factor = np.unique(alpha, return_inverse=True)
    steps = [np.concatenate([[0.0], np.cumsum(log_step(float(weight), np.arange(n)))]) for weight in weights]
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    sides = min(len(shape), MAX_BOX_COLUMNS, 1 + max(len(margin.columns) for margin in margins))
    return _Law(np.array(places), np.array(masks), np.concatenate(noise), np.array(origin), np.array(steps),
                factor.astype(np.int64), np.array(shape), np.array(strides), sides)  # fmt: skip
