r"""Prior and posterior laws of a parameter, as frozen values.

* ``Finite`` (in ``finite``): weights on a list of parameters of any kind; for every family of observations.
* ``Gamma`` (in ``interval_laws``): \(\theta^{a-1} e^{-\lambda\theta}\) on [low, high]; for exponential and Laplace
  observations, and normal ones with known mean.
* ``Beta`` (in ``interval_laws``): \(\theta^{a-1}(1-\theta)^{b-1}\), log-odds in an interval; for Bernoulli
  observations.
* ``Tables``: a Dirichlet law for each row of each table, entries >= a floor; for discrete networks and Markov chains.
* ``Wishart``: precision matrices with bounded eigenvalues; for multivariate normal observations with known mean.

Every law draws exactly with ``sample(rng, size)``, up to the rounding of doubles. Such draws are for study, not for
release, for two reasons: the low bits of a double can tell datasets apart, so that a release needs an exact sampler
over integers or rationals; and the number of rejected proposals, hence the running time, depends on the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy.special import chdtr, logit

from .. import arithmetic, checks
from ..checks import Floats, Numbers
from ..model.dirichlet import log_beta
from .finite import TIE_TOLERANCE
from .interval_laws import Beta

# chosen: at an acceptance rate of 0.002 one is accepted with probability 1 - e^-10, and 5000 take some seconds
MAX_PROPOSALS = 5000
"""Number of rejected proposals for one row after which ``Tables.sample`` raises an error."""

# chosen: a million proposals of small matrices take some seconds, which is as long as one draw may take
MIN_ACCEPTANCE_RATE = 1e-6
"""Least upper bound on the acceptance rate at which ``Wishart.sample`` draws. The rate itself may be lower."""


@dataclass(frozen=True, eq=False)
class Tables:
    r"""Independent Dirichlet laws of the rows of probability tables, conditioned on all entries >= a floor.

    A parameter is a tuple of probability tables, with the shapes of the concentrations: a row, on the last axis, is a
    distribution over states.

    Attributes:
        concentrations: One array of numbers > 0 for each table, the states on the last axis.
        floor: Least entry, >= 0 and below 1 / (largest number of states).

    >>> law = Tables([[1, 1], [[1, 3], [3, 1]]], floor=0.1)  # two nodes, the first the parent of the second
    >>> first, second = law.sample(np.random.default_rng(1), 1)[0]
    >>> second.shape, bool(min(first.min(), second.min()) >= 0.1)
    ((2, 2), True)
    """

    concentrations: tuple[Floats, ...]
    floor: float

    def __init__(self, concentrations: Sequence[Any], floor: float = 0.0) -> None:
        listed = checks.listed("concentrations", concentrations)
        tables = tuple(checks.concentrations("concentrations", table) for table in listed)
        checks.need(tables, "concentrations must have at least one table, got none")
        least = checks.real("floor", floor, least=0)
        states = max(table.shape[-1] for table in tables)
        if not least * states < 1:
            raise ValueError(f"floor must be >= 0 and < 1/{states}, or a row has zero mass, got floor={floor!r}")
        object.__setattr__(self, "concentrations", tables)
        object.__setattr__(self, "floor", least)

    @property
    def log_mass(self) -> float:
        r"""Sum over all rows of the log of \(\int \prod_i \theta_i^{\alpha_i - 1}\) over the rows that the floor
        allows.

        Raises:
            ValueError: If there is a floor and a row with over 2 states.
        """
        return sum(row.log_mass for row in self._rows())

    def _rows(self) -> list[_Row]:
        flat = (row for table in self.concentrations for row in table.reshape(-1, table.shape[-1]))
        return [_Row(tuple(row.tolist()), self.floor) for row in flat]

    def sample(self, rng: np.random.Generator, size: int = 1) -> list[tuple[Floats, ...]]:
        """Independent draws, entry by entry by rejection if there is a floor.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            A list of draws, each a tuple of tables.

        Raises:
            ValueError: if ``MAX_PROPOSALS`` proposals of one row in a series are below the floor.
        """
        count, generator = checks.whole("size", size, least=0), checks.generator(rng)
        rows = iter([row.sample(generator, count) for row in self._rows()])
        drawn = []
        for table in self.concentrations:
            stacked = np.stack([next(rows) for _ in range(math.prod(table.shape[:-1]))], axis=1)
            drawn.append(stacked.reshape(count, *table.shape))
        return [tuple(table[i] for table in drawn) for i in range(count)]


@dataclass(frozen=True)
class _Row:
    r"""One Dirichlet row of k states conditioned on all entries >= floor, drawn entry by entry by rejection.

    Entries j = 0, ..., k - 2 are drawn in turn; the last is the rest. Let s be the remainder, 1 minus the entries drawn
    before j. Without a floor, entry j over s has a Beta law. With it, this Beta law is truncated to the interval that
    leaves the floor for entry j and for each later one. The interval widens with s, and so its mass \(Z_j(s)\) grows; s
    is at most \(1 - j\,\mathrm{floor}\). The density of the proposed row is that of the conditioned Dirichlet law, up
    to a constant, over \(\prod_j Z_j(s_j)\). So accepting with probability
    \(\prod_{j \ge 1} Z_j(s_j) / Z_j(1 - j\,\mathrm{floor})\) gives exactly the conditioned law; \(Z_0\) is a constant,
    so two states are never rejected. Entries with small concentrations are drawn first: they stay near the floor, which
    keeps the remainders near their largest values and the acceptance rate high.
    """

    alpha: tuple[float, ...]
    floor: float

    @cached_property
    def order(self) -> list[int]:
        """Indices of the entries in the order of drawing, by rising concentration."""
        return sorted(range(len(self.alpha)), key=lambda i: self.alpha[i])

    def share(self, j: int, remainder: float) -> Beta:
        """Truncated Beta law of the quotient of entry j, in the order of drawing, and the remainder."""
        alpha = [self.alpha[i] for i in self.order]
        rest = len(alpha) - j - 1
        least = self.floor / remainder
        low, high = float(logit(least)), float(logit(max(1 - rest * least, least)))
        # where the ends agree up to rounding, an interval as wide as the rounding
        return Beta(alpha[j], sum(alpha[j + 1 :]), low, max(high, low + TIE_TOLERANCE * max(1.0, abs(low))))

    @cached_property
    def widest(self) -> list[Beta]:
        """``share`` of each entry but the last at its largest remainder, with all earlier entries at the floor."""
        return [self.share(j, 1 - j * self.floor) for j in range(len(self.alpha) - 1)]

    @property
    def log_mass(self) -> float:
        if self.floor == 0:
            return float(log_beta(np.array(self.alpha)))
        if len(self.alpha) > 2:
            raise ValueError(
                f"floor must be 0 where a row has over 2 states, or its mass is not computed, got floor={self.floor}: "
                "the mass without a floor, times the share of its draws with no entry below the floor, estimates it"
            )
        return self.widest[0].log_mass

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
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
            # the logarithm of a uniform number is minus an exponential one; rounding may leave an entry below the floor
            if -rng.exponential() <= log_acceptance and min(*entries, remainder) >= self.floor:
                return [*entries, remainder]
        raise ValueError(
            f"floor must be smaller for draws by rejection, got floor={self.floor!r}: {MAX_PROPOSALS} proposals were "
            f"rejected for the row with concentrations {self.alpha}"
        )


@dataclass(frozen=True, eq=False)
class Wishart:
    """Wishart law of a d by d precision matrix, conditioned on eigenvalues of at most ``largest``.

    Attributes:
        degrees: Degrees of freedom, > d - 1.
        scale: Positive definite scale matrix; the mean without a bound is ``degrees`` times it.
        largest: Bound on the eigenvalues, infinite for none.

    >>> law = Wishart(3, np.eye(2), largest=4.0)
    >>> draws = law.sample(np.random.default_rng(1), 100)
    >>> draws.shape, bool(np.linalg.eigvalsh(draws).max() <= 4.0)
    ((100, 2, 2), True)
    """

    degrees: float
    scale: Floats  # (d, d)
    largest: float = math.inf

    def __post_init__(self) -> None:
        scale = positive_definite("scale", self.scale)
        object.__setattr__(self, "scale", scale)
        checks.real("degrees", self.degrees, above=len(scale) - 1)
        if not checks.given("largest", self.largest, 0) > 0:
            raise ValueError(f"largest must be > 0, or the law has zero mass, got largest={checks.brief(self.largest)}")

    @property
    def acceptance(self) -> tuple[float, float]:
        r"""Lower and upper bound on the probability that all eigenvalues of a Wishart draw are at most ``largest``.

        In the eigenbasis of the scale, with eigenvalues \(v_i\), the diagonal entries of a draw are independent
        \(v_i\chi^2\). No diagonal entry exceeds the largest eigenvalue, which gives the upper bound. The largest
        eigenvalue does not exceed their sum, the trace, which gives the lower one.
        """
        v = np.linalg.eigvalsh(self.scale)
        below = chdtr(self.degrees * len(v), self.largest / v.max())
        return float(below), float(np.prod(chdtr(self.degrees, self.largest / v)))

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws: Wishart draws by Bartlett's decomposition, with large ones rejected.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, shape (size, d, d).

        Raises:
            ValueError: if the share of draws that are not rejected is below ``MIN_ACCEPTANCE_RATE``.
        """
        generator, missing = checks.generator(rng), checks.whole("size", size, least=0)
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
    """A law of a parameter: any object with this ``sample``, also one that a user defines.

    >>> isinstance(Beta(1, 1), ParameterLaw), isinstance(0.5, ParameterLaw)
    (True, False)
    """

    def sample(self, rng: np.random.Generator, size: int = 1) -> Any:
        """Independent draws.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, in an array or a list.
        """


def positive_definite(name: str, value: Any) -> Numbers:
    """A checked positive definite matrix, symmetric to a relative 1e-12.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Returns:
        The matrix as an array.
    """
    given = checks.given(name, value)
    matrix = arithmetic.approximate(given)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0
    finite = square and bool(np.isfinite(matrix).all())
    if not finite or not (np.abs(matrix - matrix.T) <= 1e-12 * np.abs(matrix.T)).all():
        raise ValueError(f"{name} must be a finite symmetric matrix, got {checks.brief(value)}")
    least = float(np.linalg.eigvalsh(matrix)[0])
    checks.need(least > 0, f"{name} must be positive definite, got a smallest eigenvalue of {least:g}")
    return given
