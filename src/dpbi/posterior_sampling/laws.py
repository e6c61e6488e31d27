r"""Prior and posterior distributions of a parameter, as immutable objects.

* ``Finite`` (in ``finite``) assigns weights to a list of parameters of any kind, and can be the prior of every family.
* ``Gamma`` (in ``interval_laws``) has a density \(\propto \theta^{a-1} e^{-\lambda\theta}\) on [low, high], and is
  conjugate to exponential and Laplace records and to normal records with known mean.
* ``Beta`` (in ``interval_laws``) has a density \(\propto \theta^{a-1}(1-\theta)^{b-1}\) on an interval of log-odds, and
  is conjugate to Bernoulli records.
* ``Tables`` has a Dirichlet distribution for each row of each probability table, conditioned on all entries being at
  least a floor, and is conjugate to discrete networks and Markov chains.
* ``Wishart`` is a distribution of precision matrices with bounded eigenvalues, and is conjugate to multivariate normal
  records with known mean.

The method ``sample(rng, size)`` of every law returns draws that are exact up to the rounding of doubles. These draws
must not be released, for two reasons. First, the low bits of a double can reveal which dataset was used, so a release
needs an exact sampler over integers or rationals. Second, the number of rejected proposals, and with it the running
time, depends on the data.
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

# chosen: 5000 proposals take a few seconds, and at an acceptance rate of 0.002 all are rejected with probability e^-10
MAX_PROPOSALS = 5000
"""Number of rejected proposals for one row after which ``Tables.sample`` raises an error."""

# chosen: a million proposals of small matrices take about ten seconds, which is as long as one draw may take
MIN_ACCEPTANCE_RATE = 1e-6
"""Smallest upper bound on the acceptance rate for which ``Wishart.sample`` draws matrices instead of raising an error.

The acceptance rate itself may be lower.
"""


@dataclass(frozen=True, eq=False)
class Tables:
    r"""Independent Dirichlet distributions of the rows of probability tables, given that no entry is below a floor.

    A parameter is a tuple of probability tables with the same shapes as the concentrations. Each row of a table, along
    the last axis, is a distribution over states.

    Attributes:
        concentrations: One array of numbers > 0 for each table, with the states along the last axis.
        floor: Smallest allowed entry, at least 0 and below 1/s, where s is the largest number of states of any row.

    >>> law = Tables([[1, 1], [[1, 3], [3, 1]]], floor=0.1)  # the first of two nodes is the parent of the second
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
        allowed = f">= 0 and < 1/{states}, or a row has zero mass"
        checks.need(least * states < 1, f"floor must be {allowed}, got floor={floor!r}")
        object.__setattr__(self, "concentrations", tables)
        object.__setattr__(self, "floor", least)

    @property
    def log_mass(self) -> float:
        r"""Logarithm of the integral of the kernel over all tables whose entries are at least the floor.

        The logarithm is the sum over the rows of \(\ln \int \prod_i \theta_i^{\alpha_i - 1}\).

        Raises:
            ValueError: if the floor is positive and a row has more than two states.
        """
        return sum(row.log_mass for table in self.concentrations for row in self._rows(table))

    def _rows(self, table: Floats) -> list[_Row]:
        """Distributions of the rows of a table with given concentrations."""
        return [_Row(tuple(row.tolist()), self.floor) for row in table.reshape(-1, table.shape[-1])]

    def sample(self, rng: np.random.Generator, size: int = 1) -> list[tuple[Floats, ...]]:
        """Independent draws of tuples of tables, made by rejection if the floor is positive.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            A list of draws, each a tuple of tables.

        Raises:
            ValueError: if ``MAX_PROPOSALS`` consecutive proposals for one row are rejected.
        """
        count, generator = checks.whole("size", size, least=0), checks.generator(rng)
        drawn = []
        for table in self.concentrations:
            stacked = np.stack([row.sample(generator, count) for row in self._rows(table)], axis=1)
            drawn.append(stacked.reshape(count, *table.shape))
        return [tuple(table[i] for table in drawn) for i in range(count)]


@dataclass(frozen=True)
class _Row:
    r"""Dirichlet distribution of one row of k states, conditioned on all entries being at least the floor.

    The sampler proposes the entries j = 0, ..., k - 2 in turn, and the last entry is the remainder. Let \(s_j\) be 1
    minus the sum of the entries before j. Without a floor, entry j divided by \(s_j\) has a Beta distribution. With a
    floor, this Beta distribution is truncated to the interval in which entry j and all later entries can be at least
    the floor. The interval widens as \(s_j\) increases, so its mass \(Z_j(s_j)\) is largest for the largest possible
    \(s_j\), which is \(1 - j\,\mathrm{floor}\). The density of the proposed row is proportional to the density of the
    conditioned Dirichlet distribution divided by \(\prod_j Z_j(s_j)\). Accepting the proposal with probability
    \(\prod_{j \ge 1} Z_j(s_j) / Z_j(1 - j\,\mathrm{floor})\) therefore yields draws from exactly the conditioned
    distribution. Since \(Z_0\) is a constant, rows of two states are never rejected. Entries with small concentrations
    are drawn first. Such entries stay near the floor, which keeps the remainders \(s_j\) near their largest values and
    the acceptance rate high.
    """

    alpha: tuple[float, ...]
    floor: float

    def share(self, j: int, remainder: float) -> Beta:
        """Truncated Beta distribution of the ratio of the j-th drawn entry to the remainder before the draw."""
        alpha = sorted(self.alpha)  # in the order in which the entries are drawn
        rest = len(alpha) - j - 1
        least = self.floor / remainder
        low, high = float(logit(least)), float(logit(max(1 - rest * least, least)))
        # if the ends agree up to rounding, the interval is made as wide as the rounding error
        return Beta(alpha[j], sum(alpha[j + 1 :]), low, max(high, low + TIE_TOLERANCE * max(1.0, abs(low))))

    @cached_property
    def widest(self) -> list[Beta]:
        """Distribution ``share`` of each entry except the last, given that all earlier entries equal the floor."""
        return [self.share(j, 1 - j * self.floor) for j in range(len(self.alpha) - 1)]

    @property
    def log_mass(self) -> float:
        if self.floor == 0:
            return float(log_beta(np.array(self.alpha)))
        checks.need(len(self.alpha) == 2, f"floor must be 0 where a row has over 2 states, got floor={self.floor}")
        return self.widest[0].log_mass

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        if self.floor == 0:
            return rng.dirichlet(self.alpha, size)
        rows = np.empty((size, len(self.alpha)))
        for row in rows:
            row[np.argsort(self.alpha, kind="stable")] = self._draw(rng)
        return rows

    def _draw(self, rng: np.random.Generator) -> list[float]:
        """One accepted row, with the entries in the order of the draws."""
        last = len(self.alpha) - 1
        for _ in range(MAX_PROPOSALS):
            entries: list[float] = []
            remainder, log_acceptance = 1.0, 0.0
            for j in range(last):
                law = self.widest[j] if j == 0 else self.share(j, remainder)
                log_acceptance += law.log_mass - self.widest[j].log_mass if j else 0.0
                entries.append(remainder * float(law.sample(rng, 1)[0]))
                remainder -= entries[-1]
            # minus an exponential variable is the logarithm of a uniform one; rounding may put an entry below the floor
            if -rng.exponential() <= log_acceptance and min(*entries, remainder) >= self.floor:
                return [*entries, remainder]
        raise ValueError(f"floor must be smaller for draws by rejection, got {self.floor!r} and row {self.alpha}")


@dataclass(frozen=True, eq=False)
class Wishart:
    """Wishart distribution of a d by d precision matrix, given that no eigenvalue exceeds ``largest``.

    Attributes:
        degrees: Degrees of freedom, greater than d - 1.
        scale: Positive definite scale matrix; if ``largest`` is infinite, the mean is ``degrees`` times ``scale``.
        largest: Bound on the eigenvalues; infinity means no bound.

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
        most = checks.given("largest", self.largest, 0)
        checks.need(most > 0, f"largest must be > 0, or the law has zero mass, got largest={most}")

    @property
    def acceptance(self) -> tuple[float, float]:
        r"""Lower and upper bounds on the probability that all eigenvalues of a Wishart draw are at most ``largest``.

        In the eigenbasis of the scale matrix, with eigenvalues \(v_i\), the i-th diagonal entry of a draw is
        distributed as \(v_i\chi^2\), independently of the other diagonal entries. No diagonal entry exceeds the largest
        eigenvalue of the draw, which gives the upper bound. The largest eigenvalue does not exceed the trace, which
        gives the lower bound.
        """
        v = np.linalg.eigvalsh(self.scale)
        below = chdtr(self.degrees * len(v), self.largest / v.max())
        return float(below), float(np.prod(chdtr(self.degrees, self.largest / v)))

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws by ``scipy.stats``; matrices with an eigenvalue above ``largest`` are rejected.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, with shape (size, d, d).

        Raises:
            ValueError: if the upper bound on the acceptance rate is below ``MIN_ACCEPTANCE_RATE``.
        """
        generator, missing = checks.generator(rng), checks.whole("size", size, least=0)
        mass, allowed = self.acceptance[1], f"a mass of at least {MIN_ACCEPTANCE_RATE:g} for draws by rejection"
        checks.need(mass >= MIN_ACCEPTANCE_RATE, f"largest must leave {allowed}, got at most {mass:.3g}")
        from scipy.stats import wishart  # imported here: the import takes longer than most calls of the library

        shape = self.scale.shape
        kept = [np.empty((0, *shape))]
        while missing > 0:
            batch = min(4 * missing + 16, 100_000)
            drawn = wishart.rvs(self.degrees, self.scale, batch, generator).reshape(batch, *shape)
            kept.append(drawn[np.linalg.eigvalsh(drawn)[:, -1] <= self.largest][:missing])
            missing -= len(kept[-1])
        return np.concatenate(kept)


@runtime_checkable
class ParameterLaw(Protocol):
    """Protocol for the distribution of a parameter, satisfied by every object with a method ``sample``.

    >>> isinstance(Beta(1, 1), ParameterLaw), isinstance(0.5, ParameterLaw)
    (True, False)
    """

    def sample(self, rng: np.random.Generator, size: int = 1) -> Any:
        """Independent draws of the parameter.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, as an array or a list.
        """


def positive_definite(name: str, value: Any) -> Numbers:
    """Check a positive definite matrix, which must be symmetric up to a relative difference of 1e-12.

    Args:
        name: Name of the argument in the error message.
        value: The argument to check.

    Returns:
        The matrix as an array.
    """
    given = checks.given(name, value)
    matrix = arithmetic.approximate(given)
    good = matrix.ndim == 2 and len(matrix) == len(matrix.T) > 0 and np.isfinite(matrix).all()
    good = good and (np.abs(matrix - matrix.T) <= 1e-12 * np.abs(matrix.T)).all()
    checks.need(good, f"{name} must be a finite symmetric matrix, got {checks.brief(value)}")
    least = float(np.linalg.eigvalsh(matrix)[0])
    checks.need(least > 0, f"{name} must be positive definite, got a smallest eigenvalue of {least:g}")
    return given
