r"""A table given noisy margins of it: draws of all its cells, by a chain over the hidden counts.

The cells x of a table of several columns have a Dirichlet-multinomial law, and a release tells noisy counts z of some
of its margins \(M_q x\):
\[ p(x \mid z) \propto \prod_c \frac{\Gamma(\alpha_c + x_c)}{x_c!} \prod_q \Pr[z_q \mid M_q x],
   \qquad \sum_c x_c = n . \]
Where margins overlap, the sum over x has no product form, and a chain draws from it: Metropolis steps along lines of
tables (``moves``), with the law of the noise as it is. Whole numbers that are at least 0 remain so, which no normal
noise and no projection of the margins keeps.

Several chains start far apart, from tables drawn from the prior. Whether they agree is measured, for every cell and
every count of the margins, by \(\hat R\) and by how many independent draws they are worth; what has not mixed warns.

Bernstein and Sheldon (2018) and Ju, Awan, Gong and Rao (2022) draw hidden data as well, and NAPSU-MQ (Räisä, Jälkö,
Kaski and Honkela 2023) fits noisy margins with a normal law in place of the noise's.
"""

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
from .draws import ENOUGH, MIXED, Conclusion, agreement, concluded, dirichlet
from .mixtures import Mixture
from .moves import compiled
from .noisy_counts import noise_laws, whole_noisy

LARGEST_TABLE = 20_000
"""Cells that a table may have."""

LARGEST_DRAWS = 50_000_000
"""Hidden counts that may be kept, of all cells and all draws."""

LARGEST_RECORDS = 10**7
"""Records that a table may have: logarithms of the laws stand in tables that are as long."""

MOST_SIDES = 6
"""Columns that a box of a move may have, with a corner for every subset."""

SWEEPS = 4
"""Sweeps between two draws that are kept."""

MOVES = 4
"""Moves of a sweep for each cell and each number of columns of a box. Most are refused; with so many, 4000 draws of the
table of the page on a survey, 24 cells, are worth 1300 to 2400 independent ones (measured)."""


class Margin(NamedTuple):
    """A noisy margin: its columns, numbered as in the sizes, its noisy counts in row order, budget, mechanism.

    >>> Margin((0, 2), [3, 1, 0, 2], 1.0).mechanism
    'lattice_laplace'
    """

    columns: tuple[int, ...]
    counts: ArrayLike
    epsilon: float
    mechanism: str = "lattice_laplace"


@dataclass(frozen=True, eq=False)
class Sampled:
    """Draws of a table given releases of it, and whether they can be relied on.

    ``counts`` are hidden tables, a row each, chain after chain; ``ratio`` and ``worth`` the worst of all cells and of
    all counts of the margins.

    >>> margins = [Margin((0,), [60, 40], 1.0), Margin((1,), [30, 70], 1.0)]
    >>> found = given_margins(1, (2, 2), 100, margins, np.random.default_rng(1))
    >>> found.mixed, found.shares((0,))[0].mean.__round__(1), found.shares((1,))[0].mean.__round__(1)
    (True, 0.6, 0.3)
    """

    prior: Floats
    sizes: tuple[int, ...]
    counts: Integers
    chains: int
    ratio: float
    worth: float

    @property
    def mixed(self) -> bool:
        """Whether the chains agree and their draws are worth enough."""
        return self.ratio < MIXED and self.worth >= ENOUGH

    def draws(self, rng: np.random.Generator) -> Floats:
        """A draw of the shares of all cells for each hidden table."""
        return dirichlet(self.prior + self.counts, checks.generator(rng))

    def shares(self, columns: Sequence[int]) -> tuple[Mixture, ...]:
        """The posterior of each share of a margin, in row order: a Beta for each hidden count that came up."""
        prior = self.margin(columns, self.prior[None])[0]
        counts, n = self.margin(columns, self.counts), int(self.counts[0].sum())
        found = []
        for alpha, others, x in zip(prior, prior.sum() - prior, counts.T, strict=True):
            values, times = np.unique(x, return_counts=True)
            found.append(Mixture(times / times.sum(), alpha + values, others + (n - values)))
        return tuple(found)

    def margin(self, columns: Sequence[int], tables: ArrayLike) -> Floats:
        """The sums of tables, a row each, over all other columns: rows again, in the order of the columns given."""
        kept = _columns(columns, self.sizes)
        cube = np.asarray(tables).reshape(-1, *self.sizes)
        others = tuple(axis + 1 for axis in range(len(self.sizes)) if axis not in kept)
        order = [0, *(1 + sorted(kept).index(axis) for axis in kept)]
        rows: Floats = cube.sum(axis=others).transpose(order).reshape(len(cube), -1)
        return rows

    def predicted(self, rng: np.random.Generator, records: int) -> Integers:
        """Counts of so many new records for each draw: a synthetic table, drawn from the posterior and about nobody."""
        found: Integers = rng.multinomial(checks.whole("records", records, least=0), self.draws(rng))
        return found

    def concluded(self, values: Floats, level: float = 0.95) -> Conclusion:
        """The same of a number that was computed of ``draws``, in their order."""
        worth = float(agreement(values.reshape(self.chains, -1, 1))[1][0])
        return concluded(values, worth, level)


def given_margins(
    prior: ArrayLike,
    sizes: Sequence[int],
    n: int,
    margins: Sequence[Margin],
    rng: np.random.Generator,
    *,
    draws: int = 1000,
    chains: int = 4,
    sweeps: int = SWEEPS,
    progress: bool | Progress = False,
) -> Sampled:
    """Draws of all cells of a table given noisy margins of it; several releases are simply more margins.

    ``prior`` is a number for each cell in row order, or one for all. Each chain keeps ``draws`` tables with ``sweeps``
    between two of them, after as many that are left out, since they come from where it began.

    >>> rows, columns = Margin((0,), [60, 40], 1.0), Margin((1,), [70, 30], 1.0)
    >>> found = given_margins(1, (2, 2), 100, [rows, columns], np.random.default_rng(1), draws=2000)
    >>> found.mixed
    True
    """
    shape = tuple(checks.whole("sizes", size, least=2) for size in sizes)
    cells = prod(shape)
    small = shape and cells <= LARGEST_TABLE
    need(small, f"sizes must have a product of at most {LARGEST_TABLE}, got {cells if shape else 'none'}")
    alpha = checks.prior_weights(np.full(cells, prior) if np.ndim(prior) == 0 else prior)
    need(len(alpha) == cells, f"prior must have one number for each of the {cells} cells, got {len(alpha)}")
    size = checks.whole("n", n, least=0, below=LARGEST_RECORDS + 1)
    kept, several = checks.whole("draws", draws, least=4), checks.whole("chains", chains, least=1)
    all_counts = kept * several * cells
    need(all_counts <= LARGEST_DRAWS, f"draws must keep at most {LARGEST_DRAWS:.0e} hidden counts, got {all_counts}")
    law = _law(alpha, shape, size, margins)
    between = checks.whole("sweeps", sweeps, least=1) * MOVES * cells * law.sides
    generator, told = checks.generator(rng), shown(progress, "draws, those left out included")
    take_moves, block = compiled(), max(1, kept // 100)
    found = np.empty((several, kept, cells), dtype=np.int64)
    told_of = np.empty((several, kept, len(law.origin)), dtype=np.int64)
    for chain in range(several):
        x = generator.multinomial(size, dirichlet(alpha[None], generator)[0])
        y = np.zeros(len(law.origin), dtype=np.int64)
        for place in law.places:
            np.add.at(y, place, x)
        for before in (0, kept):  # what is left out is written where what is kept comes after it
            for first in range(0, kept, block):
                here = slice(first, min(first + block, kept))
                take_moves(x, y, law, between, generator, found[chain, here], told_of[chain, here])
                told(2 * kept * chain + before + here.stop, 2 * kept * several)
    ratios, worths = agreement(np.concatenate([found, told_of], axis=2).astype(np.float64))
    sampled = Sampled(alpha, shape, found.reshape(-1, cells), several, float(ratios.max()), float(worths.min()))
    if not sampled.mixed:
        ratio, worth = f"{sampled.ratio:.3g} (below {MIXED} is good)", f"{sampled.worth:.0f} ({ENOUGH} are enough)"
        state = f"the chains have not mixed: ratio of variances {ratio}, independent draws {worth}"
        warnings.warn(f"{state}: more draws or sweeps are needed", UserWarning, stacklevel=2)
    return sampled


class _Law(NamedTuple):
    """What ``take_moves`` reads.

    ``places`` (margins, cells) are the places of the cells in the margins, ``masks`` the columns of each margin as
    bits. ``noise`` has the logarithms of the laws of noise; ``origin`` says for each count of a margin where that of
    its whole noisy count as noise stands. ``factors`` has the logarithms of the prior's factors of 0, 1, ... records, a
    row for each concentration, and ``factor`` the row of each cell.
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
    axes = [checks.whole("columns", axis, least=0, below=len(sizes)) for axis in columns]
    different = axes and len(set(axes)) == len(axes)
    need(different, f"columns of a margin must be different numbers, got {tuple(columns)}")
    return axes


def _law(alpha: Floats, shape: tuple[int, ...], n: int, margins: Sequence[Margin]) -> _Law:
    need(len(margins) > 0, "margins must be at least one, got none")
    where = np.unravel_index(np.arange(len(alpha)), shape)
    places, masks, origin, noise = [], [], list[int](), [np.zeros(n + 1)]  # first the law of a count without noise
    for margin in margins:
        axes = _columns(margin.columns, shape)
        sizes = [shape[axis] for axis in axes]
        z = whole_noisy(margin.counts, prod(sizes))
        farthest = int(z[np.argmax(np.abs(z))])
        need(abs(farthest) <= 2 * LARGEST_RECORDS, f"noisy must be within {2 * LARGEST_RECORDS} of 0, got {farthest}")
        laws = noise_laws(margin.mechanism, checks.real("epsilon", margin.epsilon, above=0), len(z))
        places.append(len(origin) + np.ravel_multi_index([where[axis] for axis in axes], sizes))
        masks.append(sum(1 << axis for axis in axes))
        least, begin = int(z.min()) - n, sum(map(len, noise))
        for count, law in zip(z.tolist(), laws, strict=True):
            origin.append(n if law is None else begin + count - least)
        noise += [law.log_point(np.arange(least, z.max() + 1)) for law in laws[:1] if law is not None]
    weights, factor = np.unique(alpha, return_inverse=True)
    steps = [np.concatenate([[0.0], np.cumsum(log_step(float(weight), np.arange(n)))]) for weight in weights]
    strides = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    sides = min(len(shape), MOST_SIDES, 1 + max(len(margin.columns) for margin in margins))
    return _Law(np.array(places), np.array(masks), np.concatenate(noise), np.array(origin), np.array(steps),
                factor.astype(np.int64), np.array(shape), np.array(strides), sides)  # fmt: skip
