r"""Laws of a parameter as frozen values, for priors and posteriors.

* ``Finite``: weights on a list of parameters of any kind; for every family.
* ``Gamma``: \(\theta^{a-1} e^{-\lambda\theta}\) on [low, high]; for exponential, Laplace, normal with known mean.
* ``Beta``: \(\theta^{a-1}(1-\theta)^{b-1}\), log-odds in an interval; for Bernoulli.
* ``Tables``: a Dirichlet law for each row of each table, entries >= a floor; for discrete networks and Markov chains.
* ``Wishart``: precision matrices with bounded eigenvalues; for multivariate normal with known mean.

Every law draws exactly with ``sample(rng, size)``, up to the rounding of doubles. Such draws are for study: a release
needs an exact sampler over integers or rationals, because the low bits of a double can tell datasets apart. The number
of proposals that a rejection takes depends on the data too, and so does its running time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import chdtr, logit

from .. import arithmetic, checks
from ..checks import Floats, Numbers
from ..model.distances import log_beta
from .finite import TIE_TOLERANCE, checked_size
from .interval_laws import Beta

MAX_PROPOSALS = 5000
# Chosen: a rate above 0.002 gives a draw with probability 1 - e^-10, and 5000 proposals take some seconds.
"""Number of rejected proposals for one row after which the sampler gives up."""

MIN_ACCEPTANCE_RATE = 1e-6
# Chosen: a million proposals of small matrices take some seconds, which is as long as one draw may take.
"""Rejection with a provably lower acceptance rate than this is refused."""


@dataclass(frozen=True, eq=False)
class Tables:
    r"""Independent Dirichlet laws of the rows of probability tables, conditioned on all entries >= a floor.

    A parameter is a tuple of probability tables, of the shapes of the concentrations.

    Attributes:
        concentrations: One array of numbers > 0 for each table, the states on the last axis.
        floor: Least entry, >= 0 and below 1 / (largest number of states).
    """

    concentrations: tuple[Floats, ...]
    floor: float

    def __init__(self, concentrations: Sequence[Any], floor: float = 0.0) -> None:
        tables = tuple(checks.concentrations("concentrations", table) for table in concentrations)
        if not tables:
            raise ValueError("concentrations must have at least one table, got none")
        least = checks.real("floor", floor, least=0)
        states = max(table.shape[-1] for table in tables)
        if not least * states < 1:
            raise ValueError(f"floor must be >= 0 and < 1/{states}, or a row has zero mass, got floor={floor!r}")
        object.__setattr__(self, "concentrations", tables)
        object.__setattr__(self, "floor", least)

    @property
    def log_mass(self) -> float:
        r"""The log of \(\int \prod \theta^{\alpha - 1}\), of all rows; refused for over 2 states with a floor."""
        return sum(row.log_mass for row in self._rows())

    def _rows(self) -> list["_Row"]:
        flat = (row for table in self.concentrations for row in table.reshape(-1, table.shape[-1]))
        return [_Row(tuple(row.tolist()), self.floor) for row in flat]

    def sample(self, rng: np.random.Generator, size: int) -> list[tuple[Floats, ...]]:
        """Independent draws, each a tuple of tables."""
        count, generator = checked_size(size), checks.generator(rng)
        rows = iter([row.sample(generator, count) for row in self._rows()])
        drawn = []
        for table in self.concentrations:
            stacked = np.stack([next(rows) for _ in range(math.prod(table.shape[:-1]))], axis=1)
            drawn.append(stacked.reshape(count, *table.shape))
        return [tuple(table[i] for table in drawn) for i in range(count)]


@dataclass(frozen=True)
class _Row:
    r"""One Dirichlet row conditioned on all entries >= floor, drawn entry by entry by rejection.

    Without a floor, entry j over the remainder (one less the earlier entries) has a Beta law. With it, this Beta law is
    truncated to what the floor allows; its mass \(Z_j(s)\) grows with the remainder s, which is at most
    \(1 - (j-1)\,\mathrm{floor}\). The density of the proposed row is the floored one over \(\prod_j Z_j(s_j)\), so
    accepting with probability \(\prod_{j \ge 2} Z_j(s_j) / Z_j(1 - (j-1)\,\mathrm{floor})\) gives exactly the floored
    Dirichlet law. Two states have no such factor. Entries with small concentrations are drawn first: they stay near
    the floor, so that the factors stay near one.
    """

    alpha: tuple[float, ...]
    floor: float

    @cached_property
    def order(self) -> list[int]:
        """The entries in the order in which they are drawn, by rising concentration."""
        return sorted(range(len(self.alpha)), key=lambda i: self.alpha[i])

    def share(self, j: int, remainder: float) -> Beta:
        """The law of the j-th drawn entry over the remainder."""
        alpha = [self.alpha[i] for i in self.order]
        rest = len(alpha) - j - 1
        least = self.floor / remainder
        low, high = float(logit(least)), float(logit(max(1 - rest * least, least)))
        # where rounding makes the ends meet, keep an interval of that rounding
        return Beta(alpha[j], sum(alpha[j + 1 :]), low, max(high, low + TIE_TOLERANCE * max(1.0, abs(low))))

    @cached_property
    def widest(self) -> list[Beta]:
        """``share`` of each entry but the last at the largest remainder, all earlier entries being at the floor."""
        return [self.share(j, 1 - j * self.floor) for j in range(len(self.alpha) - 1)]

    @property
    def log_mass(self) -> float:
        if self.floor == 0:
            return float(log_beta(np.array(self.alpha)))
        if len(self.alpha) > 2:
            raise ValueError(
                f"floor must be 0 where a row has over 2 states, or its mass is not computed, got floor={self.floor}: "
                "the share of draws without a floor that keep it estimates the mass"
            )
        return self.widest[0].log_mass

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        if self.floor == 0:
            return rng.dirichlet(self.alpha, size)
        rows = np.empty((size, len(self.alpha)))
        for i in range(size):
            rows[i, self.order] = self._draw(rng)
        return rows

    def _draw(self, rng: np.random.Generator) -> list[float]:
        last = len(self.alpha) - 1
        for _ in range(MAX_PROPOSALS):
            entries: list[float] = []
            remainder, log_acceptance = 1.0, 0.0
            for j in range(last):
                law = self.widest[j] if j == 0 else self.share(j, remainder)
                log_acceptance += law.log_mass - self.widest[j].log_mass if j else 0.0
                entries.append(remainder * float(law.sample(rng, 1)[0]))
                remainder -= entries[-1]
            if -rng.exponential() <= log_acceptance and min(*entries, remainder) >= self.floor:
                return [*entries, remainder]
        raise ValueError(
            f"floor must be smaller for draws by rejection: none of {MAX_PROPOSALS} proposals was accepted for the row "
            f"{self.alpha}, got floor={self.floor!r}"
        )


@dataclass(frozen=True, eq=False)
class Wishart:
    """Wishart law of a d by d precision matrix, conditioned on eigenvalues of at most ``largest``.

    Attributes:
        degrees: Degrees of freedom, > d - 1.
        scale: Positive definite scale matrix; the mean without a bound is ``degrees`` times it.
        largest: Bound on the eigenvalues, infinite for none.
    """

    degrees: float
    scale: Floats  # (d, d)
    largest: float = math.inf

    def __post_init__(self) -> None:
        scale = positive_definite("scale", self.scale)
        object.__setattr__(self, "scale", scale)
        checks.real("degrees", self.degrees, above=len(scale) - 1)
        if not self.largest > 0:
            raise ValueError(f"largest must be > 0, or the law has zero mass, got largest={self.largest!r}")

    @property
    def acceptance(self) -> tuple[float, float]:
        r"""Lower and upper bound on the probability that a Wishart draw meets the bound on the eigenvalues.

        In the eigenbasis of the scale, with eigenvalues \(v_i\), the diagonal entries are independent \(v_i\chi^2\).
        That all are at most ``largest`` is necessary, and that their sum is, is sufficient.
        """
        v = np.linalg.eigvalsh(self.scale)
        below = chdtr(self.degrees * len(v), self.largest / v.max())
        return float(below), float(np.prod(chdtr(self.degrees, self.largest / v)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Independent draws, shape (size, d, d), by rejection from the Wishart law (Bartlett's decomposition)."""
        generator, missing = checks.generator(rng), checked_size(size)
        if not self.acceptance[1] >= MIN_ACCEPTANCE_RATE:
            raise ValueError(
                f"largest must leave a mass of at least {MIN_ACCEPTANCE_RATE:g} for draws by rejection, "
                f"got largest={self.largest:g} with a mass of at most {self.acceptance[1]:.3g}"
            )
        d = len(self.scale)
        kept = [np.empty((0, d, d))]
        root = np.linalg.cholesky(self.scale)
        while missing > 0:
            batch = min(4 * missing + 16, 100_000)
            factor = np.zeros((batch, d, d))
            rows, columns = np.tril_indices(d, -1)
            factor[:, rows, columns] = generator.standard_normal((batch, len(rows)))
            diagonal = np.arange(d)
            factor[:, diagonal, diagonal] = np.sqrt(generator.chisquare(self.degrees - diagonal, (batch, d)))
            factor = root @ factor
            drawn = factor @ np.swapaxes(factor, 1, 2)
            kept.append(drawn[np.linalg.eigvalsh(drawn)[:, -1] <= self.largest][:missing])
            missing -= len(kept[-1])
        return np.concatenate(kept)


@runtime_checkable
class ParameterLaw(Protocol):
    """A law of a parameter: any object with ``sample``, one of yours too."""

    def sample(self, rng: np.random.Generator, size: int) -> Any:
        """``size`` independent draws."""


def positive_definite(name: str, value: Any) -> Numbers:
    """A checked symmetric positive definite matrix."""
    given = arithmetic.numbers(value)
    matrix = arithmetic.approximate(given)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0
    finite = square and bool(np.isfinite(matrix).all())
    if not finite or not (np.abs(matrix - matrix.T) <= 1e-12 * np.abs(matrix.T)).all():
        raise ValueError(f"{name} must be a finite symmetric matrix, got {value!r}")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if not least > 0:
        raise ValueError(f"{name} must be positive definite, got a smallest eigenvalue of {least:g}")
    return given
