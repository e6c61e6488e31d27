r"""Laws of a parameter, as frozen values: priors, and the posteriors that they become.

* ``Finite``: weights on a list of parameters of any kind; for every family.
* ``Gamma``: \(\theta^{a-1} e^{-\lambda\theta}\) on [low, high]; for exponential, Laplace, normal with known mean.
* ``Beta``: \(\theta^{a-1}(1-\theta)^{b-1}\), log-odds in an interval; for Bernoulli.
* ``Tables``: a Dirichlet for each row of each table, floored; for discrete networks and Markov chains.
* ``Wishart``: precision matrices with a largest eigenvalue; for multivariate normal with known mean.

Every law draws exactly with ``sample(rng, size)``, up to the rounding of doubles. Such draws are for study: a release
needs an exact sampler over integers or rationals, because the low bits of a double can tell datasets apart. The number
of proposals that a rejection takes depends on the data too, and so does its running time.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betainc, betaln, expit, gammaln, log_expit, logit, xlogy
from scipy.stats import chi2

from .. import arithmetic, checks
from ..checks import Floats, Numbers
from .curve import Curve
from .finite import TIE, Finite, a_size, scalar

FEWEST_ACCEPTED = 1e-6
"""A rejection sampler that provably accepts less than this share of its proposals is refused."""

MOST_REFUSED = 5000
"""So many proposals without one that is accepted, and a sampler gives up: its share is below 0.1 or 0.2 per cent."""

ODDS = (-700.0, 36.0)
"""Log-odds that a double can have: beyond, the parameter rounds to 0 or to 1."""


@dataclass(frozen=True)
class Gamma:
    r"""Density \(\propto \theta^{a-1} e^{-\lambda\theta}\) on [low, high]: the trimmed exponential when a = 1."""

    shape: float
    rate: float
    low: float = 0.0
    high: float = math.inf

    def __post_init__(self) -> None:
        _exact_numbers(self)
        checks.real("shape", self.shape, above=0)
        checks.real("rate", self.rate, least=0)
        if self.rate == 0 and self.high == math.inf:
            raise ValueError("rate must be > 0 when the interval has no upper end: the law is improper, got rate=0")
        _interval("low", self.low, "high", self.high, 0.0, math.inf)

    @cached_property
    def curve(self) -> Curve:
        r"""The law of \(t = \ln\theta\), log-concave for every shape: \(g(t) = at - \lambda e^t\)."""
        a, rate = self.shape, self.rate
        with np.errstate(divide="ignore"):
            low, high = float(np.log(self.low)), float(np.log(self.high))
            mode = float(np.clip(np.log(a) - np.log(rate), low, high))
        scale = rate * math.exp(mode)

        def fall(t: Floats) -> Floats:
            away = t - mode
            with np.errstate(over="ignore"):
                return np.asarray(a * away - scale * np.expm1(away))

        return Curve(fall, lambda t: a - rate * math.exp(t), mode, low, high)

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int \theta^{a-1} e^{-\lambda\theta}\,d\theta\) over the interval."""
        if self.low == 0 and self.high == math.inf:
            return scalar(arithmetic.lgamma(self.shape) - self.shape * arithmetic.log(self.rate))
        if not arithmetic.in_doubles():
            return scalar(arithmetic.log(integral(self)))
        m = self.curve.mode
        return self.shape * m - self.rate * math.exp(m) + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return math.exp(self.curve.mode)
        return scalar(clipped(self.shape / self.rate, *self.ends))

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the largest parameter."""
        return self.low, self.high

    def kernel(self, theta: Any) -> Any:
        r"""\(\theta^{a-1} e^{-\lambda\theta}\), the density without its constant and its interval."""
        return _power(theta, self.shape - 1) * arithmetic.exp(-self.rate * theta)

    def log_kernel(self, theta: Any) -> Any:
        r"""\((a-1)\ln\theta - \lambda\theta\), the log density without its constant and its interval."""
        return _times_log(self.shape - 1, theta) - self.rate * theta

    @property
    def mean_statistic(self) -> Any:
        r"""The mean of \(\theta\)."""
        if self.high == math.inf and (self.low == 0 or self.shape == 1):
            return self.low + self.shape / self.rate  # an exponential law forgets where it began
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\theta\): what the logarithm of the ratio of two laws of one shape is linear in."""
        return theta

    def cdf(self, theta: Any) -> Floats:
        """The probability of [low, theta]; broadcasts."""
        with np.errstate(divide="ignore"):
            return self.curve.cdf(np.log(np.maximum(theta, 0.0)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46; never off the interval."""
        return _kept_inside(self.curve, np.exp, lambda x: (x >= self.low) & (x <= self.high), rng, size)


def trimmed_exponential(rate: float, low: float, high: float) -> Gamma:
    r"""Density \(K\lambda e^{-\lambda\theta}\) on [low, high], \(K = (e^{-\lambda c_1} - e^{-\lambda c_2})^{-1}\)."""
    return Gamma(1.0, rate, low, high)


@dataclass(frozen=True)
class Beta:
    r"""Density \(\propto \theta^{a-1}(1-\theta)^{b-1}\) with log-odds \(\ln\frac{\theta}{1-\theta}\) in [low, high]."""

    a: float
    b: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        _exact_numbers(self)
        checks.real("a", self.a, above=0)
        checks.real("b", self.b, above=0)
        _interval("low", self.low, "high", self.high, -math.inf, math.inf)

    @cached_property
    def curve(self) -> Curve:
        r"""The law of the log-odds t, log-concave for every a and b: \(g(t) = at - (a+b)\ln(1+e^t)\)."""
        a, total = self.a, self.a + self.b
        mode = float(np.clip(math.log(a) - math.log(self.b), self.low, self.high))
        p, q = float(expit(mode)), float(expit(-mode))

        def fall(t: Floats) -> Floats:
            away = t - mode
            down, up = np.minimum(away, 0.0), np.maximum(away, 0.0)
            return np.asarray(a * away - total * (np.log1p(p * np.expm1(down)) + up + np.log1p(q * np.expm1(-up))))

        return Curve(fall, lambda t: a - total * float(expit(t)), mode, self.low, self.high)

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int \theta^{a-1} (1-\theta)^{b-1}\,d\theta\) over the interval."""
        if self.low == -math.inf and self.high == math.inf:
            return log_beta(self.a, self.b)
        if not arithmetic.in_doubles():
            return scalar(arithmetic.log(integral(self)))
        m = self.curve.mode
        return float(self.a * log_expit(m) + self.b * log_expit(-m)) + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return float(expit(self.curve.mode))
        return scalar(clipped(self.a / (self.a + self.b), *self.ends))

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the largest parameter."""
        return _probability(self.low), _probability(self.high)

    def kernel(self, theta: Any) -> Any:
        r"""\(\theta^{a-1}(1-\theta)^{b-1}\), the density without its constant and its interval."""
        return _power(theta, self.a - 1) * _power(1 - theta, self.b - 1)

    def log_kernel(self, theta: Any) -> Any:
        r"""\((a-1)\ln\theta + (b-1)\ln(1-\theta)\), the log density without its constant and its interval."""
        return _times_log(self.a - 1, theta) + _times_log(self.b - 1, 1 - theta)

    @property
    def mean_statistic(self) -> Any:
        r"""The mean of the log-odds."""
        if self.low == -math.inf and self.high == math.inf:
            return arithmetic.digamma(self.a) - arithmetic.digamma(self.b)
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\ln\frac{\theta}{1-\theta}\): what the logarithm of the ratio of two laws of one total is linear in."""
        return arithmetic.log(theta / (1 - theta))

    def cdf(self, theta: Any) -> Floats:
        """The probability of parameters up to theta; broadcasts."""
        return self.curve.cdf(logit(np.clip(theta, 0.0, 1.0)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46; never off the interval."""
        if any(np.isfinite(end) and not ODDS[0] <= end <= ODDS[1] for end in (self.low, self.high)):
            raise ValueError(
                f"low and high must be in [{ODDS[0]:g}, {ODDS[1]:g}] or infinite for draws, as parameters with other "
                f"log-odds round to 0 or 1, got low={self.low:g}, high={self.high:g}"
            )

        def inside(x: Floats) -> Any:
            odds = logit(x)
            return (odds >= self.low) & (odds <= self.high)

        return _kept_inside(self.curve, expit, inside, rng, size)


@dataclass(frozen=True, eq=False)
class Tables:
    r"""A Dirichlet law, independently for each row of each probability table, conditioned on entries >= floor.

    ``concentrations`` has one array for each table, its last axis over the states; a parameter is a tuple of
    probability arrays of the same shapes.
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
    def point(self) -> tuple[Floats, ...]:
        """A parameter inside: the mean without the floor, moved half way to equal entries."""
        return tuple(
            (table / table.sum(axis=-1, keepdims=True) + 1 / table.shape[-1]) / 2 for table in self.concentrations
        )

    def log_kernel(self, tables: Sequence[Floats]) -> float:
        r"""\(\sum (\alpha - 1)\ln\theta\), the log density without its constant and its floor."""
        return sum(
            float(xlogy(alpha - 1, table).sum()) for alpha, table in zip(self.concentrations, tables, strict=True)
        )

    @property
    def acceptance(self) -> float:
        """The least acceptance over the rows: exact for up to 3 states, a lower bound for more."""
        return min(row.acceptance for row in self._rows())

    @property
    def log_mass(self) -> float:
        r"""\(\ln \int \prod \theta^{\alpha - 1}\) over all rows; refused for more than 3 states with a floor."""
        return sum(row.log_mass for row in self._rows())

    def _rows(self) -> list["_Row"]:
        flat = (row for table in self.concentrations for row in table.reshape(-1, table.shape[-1]))
        return [_Row(tuple(row.tolist()), self.floor) for row in flat]

    def sample(self, rng: np.random.Generator, size: int) -> list[tuple[Floats, ...]]:
        """Draws, each a tuple of tables."""
        count, generator = a_size(size), checks.generator(rng)
        rows = iter([row.sample(generator, count) for row in self._rows()])
        drawn = []
        for table in self.concentrations:
            stacked = np.stack([next(rows) for _ in range(math.prod(table.shape[:-1]))], axis=1)
            drawn.append(stacked.reshape(count, *table.shape))
        return [tuple(table[i] for table in drawn) for i in range(count)]


@dataclass(frozen=True)
class _Row:
    r"""One Dirichlet row with all entries >= floor, drawn entry by entry.

    The j-th entry, as a share of what the earlier ones leave, is proposed from its Beta law kept within what the floor
    allows, of mass \(Z_j\), which grows with the remainder s. Accepting with probability
    \(\prod_{j \ge 2} Z_j(s_j) / Z_j(1 - (j-1)\,\mathrm{floor})\) leaves exactly the floored Dirichlet law. With two
    states there is no such factor. Small concentrations go first: they stay near the floor, and the factors near one.
    """

    alpha: tuple[float, ...]
    floor: float

    @cached_property
    def order(self) -> list[int]:
        """The entries by rising concentration."""
        return sorted(range(len(self.alpha)), key=lambda i: self.alpha[i])

    def share(self, j: int, remainder: float) -> Beta:
        """The law of the j-th entry in order, as a share of the remainder."""
        alpha = [self.alpha[i] for i in self.order]
        rest = len(alpha) - j - 1
        least = self.floor / remainder
        low, high = float(logit(least)), float(logit(max(1 - rest * least, least)))
        # where rounding makes the ends meet, a share within it is the only one left
        return Beta(alpha[j], sum(alpha[j + 1 :]), low, max(high, low + TIE * max(1.0, abs(low))))

    @cached_property
    def widest(self) -> list[Beta]:
        """The law of each share but the last when all earlier entries are at the floor."""
        return [self.share(j, 1 - j * self.floor) for j in range(len(self.alpha) - 1)]

    @cached_property
    def acceptance(self) -> float:
        if self.floor == 0 or len(self.alpha) == 2:
            return 1.0
        if len(self.alpha) == 3:
            first, second = self.widest

            def factor(t: Floats) -> Floats:
                masses = [self.share(1, 1 - float(x)).log_mass for x in expit(t.ravel())]
                return np.exp(np.reshape(masses, t.shape) - second.log_mass)

            return first.curve.mean(factor)
        outside = sum(betainc(a, sum(self.alpha) - a, self.floor) for a in self.alpha)  # a union bound
        full = gammaln(self.alpha).sum() - gammaln(sum(self.alpha))
        widest = sum(law.log_mass for law in self.widest)
        return max(0.0, 1 - float(outside)) * math.exp(full - widest)

    @property
    def log_mass(self) -> float:
        if self.floor == 0:
            return float(gammaln(self.alpha).sum() - gammaln(sum(self.alpha)))
        if len(self.alpha) > 3:
            raise ValueError(
                f"floor must be 0 where a row has over 3 states, or its mass is not computed, got floor={self.floor}"
            )
        return sum(law.log_mass for law in self.widest) + math.log(self.acceptance)

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        if self.floor == 0:
            return rng.dirichlet(self.alpha, size)
        rows = np.empty((size, len(self.alpha)))
        for i in range(size):
            rows[i, self.order] = self._draw(rng)
        return rows

    def _draw(self, rng: np.random.Generator) -> list[float]:
        last = len(self.alpha) - 1
        for _ in range(MOST_REFUSED):
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
            f"floor must leave rejection a share of its proposals, and none of {MOST_REFUSED} was accepted for the row "
            f"{self.alpha}, got floor={self.floor!r}"
        )


@dataclass(frozen=True, eq=False)
class Wishart:
    """Precision matrices: a Wishart law, conditioned on a largest eigenvalue of at most ``largest``."""

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
        r"""Bounds on the probability that a Wishart draw is inside, which is that of acceptance.

        In the eigenbasis of the scale, with eigenvalues \(v_i\), the diagonal entries are independent \(v_i\chi^2\).
        All must be at most ``largest``, which bounds from above; it suffices that their sum is, from below.
        """
        v = np.linalg.eigvalsh(self.scale)
        below = chi2.cdf(self.largest / v.max(), self.degrees * len(v))
        return float(below), float(np.prod(chi2.cdf(self.largest / v, self.degrees)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection from the Wishart law (Bartlett's decomposition), shape (size, d, d)."""
        generator, missing = checks.generator(rng), a_size(size)
        if not self.acceptance[1] >= FEWEST_ACCEPTED:
            raise ValueError(
                f"largest must leave a share of at least {FEWEST_ACCEPTED:g} of the law for rejection, "
                f"got largest={self.largest:g} with a share of at most {self.acceptance[1]:.3g}"
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


def integral(law: Gamma | Beta, function: Callable[[Any], Any] | None = None, low: Any = None, high: Any = None) -> Any:
    r"""\(\int f(\theta)\,k(\theta)\,d\theta\) over the interval of a law, or a part of it, k its ``kernel``.

    The formula itself, an enclosure over balls; in doubles its panels know nothing of where the mass is, and the
    ``curve`` of the law is what keeps the digits.
    """
    start, end = law.ends
    return arithmetic.integral(
        lambda theta: law.kernel(theta) * (function(theta) if function else 1),
        start if low is None else low,
        end if high is None else high,
    )


def log_beta(a: Any, b: Any) -> float:
    r"""\(\ln\frac{\Gamma(a)\Gamma(b)}{\Gamma(a+b)}\); in doubles by the function that keeps its digits."""
    if arithmetic.in_doubles():
        return float(betaln(a, b))
    return scalar(arithmetic.lgamma(a) + arithmetic.lgamma(b) - arithmetic.lgamma(a + b))


def _power(base: Any, exponent: Any) -> Any:
    """A power; a whole one is the polynomial, which is holomorphic at zero too."""
    return base ** (int(exponent) if exponent == int(exponent) else exponent)


def _times_log(factor: Any, x: Any) -> Any:
    r"""\(a \ln x\), zero for a = 0."""
    if arithmetic.in_doubles():
        return xlogy(factor, x)
    return factor * arithmetic.log(x) if factor != 0 else factor


def _probability(odds: Any) -> Any:
    r"""\(1/(1 + e^{-t})\) for log-odds t, infinite ones included."""
    if arithmetic.in_doubles():
        return float(expit(odds))
    return 1 / (1 + arithmetic.exp(-odds)) if abs(float(odds)) < math.inf else arithmetic.number(int(odds > 0))


def clipped(value: Any, low: Any, high: Any) -> Any:
    """The nearest number of an interval."""
    return arithmetic.minimum(arithmetic.maximum(value, low), high)


ParameterLaw = Finite | Gamma | Beta | Tables | Wishart


def positive_definite(name: str, value: Any) -> Numbers:
    """A symmetric positive definite matrix."""
    given = arithmetic.numbers(value)
    matrix = arithmetic.approximate(given)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and matrix.size > 0
    if not square or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0):
        raise ValueError(f"{name} must be a finite symmetric matrix, got {value!r}")
    least = float(np.linalg.eigvalsh(matrix)[0])
    if not least > 0:
        raise ValueError(f"{name} must be positive definite, got a smallest eigenvalue of {least:g}")
    return given


def _exact_numbers(law: Any) -> None:
    """Read the finite numbers of a law into the arithmetic that is current, unless that is doubles."""
    if not arithmetic.in_doubles():
        for name, value in vars(law).copy().items():
            if abs(float(value)) < math.inf:
                object.__setattr__(law, name, arithmetic.number(value))


def _interval(low_name: str, low: float, high_name: str, high: float, least: float, most: float) -> None:
    if not least <= float(low) < float(high) <= most:
        raise ValueError(
            f"{low_name} and {high_name} must satisfy {least:g} <= {low_name} < {high_name} <= {most:g}, "
            f"or the law has zero mass, got {low_name}={low!r}, {high_name}={high!r}"
        )


def _kept_inside(
    curve: Curve, back: Callable[[Floats], Floats], inside: Callable[[Floats], Any], rng: np.random.Generator, size: int
) -> Floats:
    """Draws mapped back to the parameter; those that rounding carries over an end are drawn again."""
    generator, missing, refused = checks.generator(rng), a_size(size), 0
    kept = [np.empty(0)]
    while missing > 0:
        if curve.low == curve.high or refused > max(size, MOST_REFUSED):
            raise ValueError(
                "low and high must be further apart, for most draws between them round to a double outside, "
                f"got an interval of [{curve.low!r}, {curve.high!r}] for the logarithm or the log-odds"
            )
        drawn = back(curve.sample(generator, missing))
        kept.append(drawn[inside(drawn)])
        refused += missing - len(kept[-1])
        missing -= len(kept[-1])
    return np.concatenate(kept)
