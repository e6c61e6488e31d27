r"""Laws of one number on an interval, ``Gamma`` and ``Beta``: mass, cdf and draws.

In doubles everything is measured along the ``curve`` of a law, which keeps the digits far into the tails; over balls it
is the integral of the ``kernel`` itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaln, expit, log_expit, logit, xlogy

from .. import arithmetic, checks
from ..checks import Floats
from .curve import Curve
from .finite import a_size

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
        exact_numbers(self)
        checks.real("shape", self.shape, above=0)
        checks.real("rate", self.rate, least=0)
        if self.rate == 0 and self.high == math.inf:
            raise ValueError("rate must be > 0 when the interval has no upper end: the law is improper, got rate=0")
        an_interval("low", self.low, "high", self.high, 0.0, math.inf)

    @cached_property
    def curve(self) -> Curve:
        r"""The law of \(t = \ln(\theta/m)\), m the mode, log-concave for every shape: \(g(t) = at - \lambda m e^t\)."""
        a, scale = self.shape, self.rate * self.mode

        def fall(t: Floats) -> Floats:
            with np.errstate(over="ignore"):
                return np.asarray(a * t - scale * np.expm1(t))

        return Curve(fall, lambda t: a - scale * math.exp(t), float(self.place(self.low)), float(self.place(self.high)))

    @property
    def mode(self) -> float:
        r"""The parameter where \(\theta^a e^{-\lambda\theta}\) is largest, the density of the logarithm."""
        return float(np.clip(np.divide(self.shape, self.rate), self.low, self.high)) if self.rate else self.high

    def place(self, theta: Any, away: Any = None) -> Any:
        """Where a parameter is on the curve, with all the digits of its distance from the mode, computed or given."""
        share = (theta - self.mode if away is None else away) / self.mode
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.abs(share) < 0.5, np.log1p(share), np.log(theta) - np.log(self.mode))

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int \theta^{a-1} e^{-\lambda\theta}\,d\theta\) over the interval."""
        if self.low == 0 and self.high == math.inf:
            return arithmetic.plain(arithmetic.lgamma(self.shape) - self.shape * arithmetic.log(self.rate))
        if not arithmetic.in_doubles():
            return arithmetic.plain(arithmetic.log(integral(self)))
        return self.shape * math.log(self.mode) - self.rate * self.mode + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return self.mode
        best = self.high if self.rate == 0 else self.shape / self.rate
        return arithmetic.plain(clipped(best, *self.ends))

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
    def singular(self) -> bool:
        """Whether an end is infinite, or the kernel no power series in the parameter at the end zero."""
        return bool(self.high == math.inf or (self.low == 0 and self.shape != int(self.shape)))

    def below(self, theta: Any) -> Any:
        """The integral of the kernel from zero, without the interval."""
        if self.rate == 0:
            return _power(theta, self.shape) / self.shape if theta != 0 else arithmetic.number(0)
        scale = arithmetic.exp(-self.shape * arithmetic.log(self.rate))
        if float(theta) == math.inf:
            return scale * arithmetic.exp(arithmetic.lgamma(self.shape))
        return scale * arithmetic.lower_gamma(self.shape, self.rate * theta)

    @property
    def mean_statistic(self) -> Any:
        r"""The mean of \(\theta\)."""
        if self.high == math.inf and (self.low == 0 or self.shape == 1):
            return self.low + self.shape / self.rate  # an exponential law forgets where it began
        if self.singular:
            return integral(replace(self, shape=self.shape + 1)) / integral(self)
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\theta\): what the logarithm of the ratio of two laws of one shape is linear in."""
        return theta

    def cdf(self, theta: Any) -> Any:
        """The probability of [low, theta]; broadcasts in doubles."""
        if not arithmetic.in_doubles():
            return integral(self, high=clipped(theta, *self.ends)) / arithmetic.exp(self.log_mass)
        return self.curve.cdf(self.place(np.maximum(theta, 0.0)))

    def mass(self, low: Any, high: Any) -> Any:
        """The probability of an interval, with its digits where it is small."""
        if not arithmetic.in_doubles():
            return probability_between(self, low, high)
        return self.curve.mean(np.ones_like, float(self.place(low)), float(self.place(high)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46; never off the interval."""

        def inside(x: Floats) -> Any:
            return (x >= self.low) & (x <= self.high)

        return kept_inside(self.curve, lambda t: self.mode * np.exp(t), inside, rng, size)


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
        exact_numbers(self)
        checks.real("a", self.a, above=0)
        checks.real("b", self.b, above=0)
        an_interval("low", self.low, "high", self.high, -math.inf, math.inf)

    @cached_property
    def curve(self) -> Curve:
        r"""The law of the log-odds s less their mode, log-concave for every a and b: \(g = as - (a+b)\ln(1+e^s)\)."""
        a, total, mode = self.a, self.a + self.b, self.mode
        p, q = float(expit(mode)), float(expit(-mode))

        def fall(t: Floats) -> Floats:
            down, up = np.minimum(t, 0.0), np.maximum(t, 0.0)
            return np.asarray(a * t - total * (np.log1p(p * np.expm1(down)) + up + np.log1p(q * np.expm1(-up))))

        return Curve(fall, lambda t: a - total * float(expit(mode + t)), self.low - mode, self.high - mode)

    @property
    def mode(self) -> float:
        r"""The log-odds where \(\theta^a (1-\theta)^b\) is largest, the density of the log-odds."""
        return float(np.clip(math.log(self.a) - math.log(self.b), self.low, self.high))

    def place(self, theta: Any) -> Any:
        """Where a parameter is on the curve."""
        return logit(theta) - self.mode

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int \theta^{a-1} (1-\theta)^{b-1}\,d\theta\) over the interval."""
        if self.low == -math.inf and self.high == math.inf:
            return log_beta(self.a, self.b)
        if not arithmetic.in_doubles():
            return arithmetic.plain(arithmetic.log(integral(self)))
        m = self.mode
        return float(self.a * log_expit(m) + self.b * log_expit(-m)) + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return float(expit(self.mode))
        return arithmetic.plain(clipped(self.a / (self.a + self.b), *self.ends))

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
    def singular(self) -> bool:
        """Whether the kernel is no power series in the parameter at an end that is 0 or 1."""
        ends = ((self.low, -math.inf, self.a), (self.high, math.inf, self.b))
        return any(end == at and power != int(power) for end, at, power in ends)

    def below(self, theta: Any) -> Any:
        """The integral of the kernel from zero, without the interval."""
        return arithmetic.lower_beta(self.a, self.b, theta)

    @property
    def mean_statistic(self) -> Any:
        r"""The mean of the log-odds."""
        if self.low == -math.inf and self.high == math.inf:
            return arithmetic.digamma(self.a) - arithmetic.digamma(self.b)
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\ln\frac{\theta}{1-\theta}\): what the logarithm of the ratio of two laws of one total is linear in."""
        return arithmetic.log(theta / (1 - theta))

    def cdf(self, theta: Any) -> Any:
        """The probability of parameters up to theta; broadcasts in doubles."""
        if not arithmetic.in_doubles():
            return integral(self, high=clipped(theta, *self.ends)) / arithmetic.exp(self.log_mass)
        return self.curve.cdf(self.place(np.clip(theta, 0.0, 1.0)))

    def mass(self, low: Any, high: Any) -> Any:
        """The probability of an interval, with its digits where it is small."""
        if not arithmetic.in_doubles():
            return probability_between(self, low, high)
        return self.curve.mean(np.ones_like, float(self.place(low)), float(self.place(high)))

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

        return kept_inside(self.curve, lambda t: expit(self.mode + t), inside, rng, size)


def integral(
    law: Any,
    function: Callable[[Any], Any] | None = None,
    low: Any = None,
    high: Any = None,
    peak: Any = None,
) -> Any:
    r"""\(\int f(\theta)\,k(\theta)\,d\theta\) over the interval of a law, or a part of it, k its ``kernel``.

    The formula itself, an enclosure over balls, where precision is relative to ``peak``, about the largest value of the
    integrand, by default that of the kernel. In doubles its panels know nothing of where the mass is, and the ``curve``
    of the law is what keeps the digits. Where the kernel is singular at an end, or that infinite, its
    integral is a known function.
    """
    start, end = law.ends
    if function is None and law.singular:
        return law.below(end if high is None else high) - law.below(start if low is None else low)
    scale = law.kernel(law.point) if peak is None else peak
    return scale * arithmetic.integral(
        lambda theta: law.kernel(theta) / scale * (function(theta) if function else 1),
        start if low is None else low,
        end if high is None else high,
    )


def probability_between(law: Gamma | Beta, low: Any, high: Any) -> Any:
    """The probability of an interval: the integral of the density, or what is left where that has no end."""
    if float(high) == math.inf:
        return 1 - probability_between(law, law.ends[0], low) if low != law.ends[0] else arithmetic.number(1)
    return integral(law, low=low, high=high) / arithmetic.exp(law.log_mass)


def log_share(part: Any, whole: Any) -> Any:
    r"""\(\ln\) of the mass of a law on a part of its interval, as a share of the whole.

    In doubles along the curves, where masses as small or as large as \(e^{-10^{15}}\) leave no digit of a difference.
    """
    if not arithmetic.in_doubles():
        return part.log_mass - whole.log_mass
    return log_mass_in_doubles(part, whole)


def log_mass_in_doubles(law: Any, other: Any) -> float:
    r"""\(\ln\) of the mass of a law, its kernel scaled to that of another at its own mode, in masses of the other."""
    away = other.place(law.mode) if isinstance(other, Gamma) else law.mode - other.mode
    return float(other.curve.fall(np.float64(away))) + math.log(law.curve.area / other.curve.area)


def log_density_ratio(p: Any, q: Any, theta: Any) -> Any:
    r"""\(\ln\frac{p(\theta)}{q(\theta)}\) of two laws on one interval; in doubles along the curves, if of one kind."""
    if not arithmetic.in_doubles() or type(p) is not type(q):
        return p.log_kernel(theta) - p.log_mass - (q.log_kernel(theta) - q.log_mass)
    heights = [float(law.curve.fall(np.float64(law.place(theta)))) for law in (p, q)]
    return heights[0] - heights[1] + math.log(q.curve.area / p.curve.area)


def log_beta(a: Any, b: Any) -> float:
    r"""\(\ln\frac{\Gamma(a)\Gamma(b)}{\Gamma(a+b)}\); in doubles by the function that keeps its digits."""
    if arithmetic.in_doubles():
        return float(betaln(a, b))
    return arithmetic.plain(arithmetic.lgamma(a) + arithmetic.lgamma(b) - arithmetic.lgamma(a + b))


def _power(base: Any, exponent: Any) -> Any:
    """A power; a whole one is the polynomial, which is holomorphic at zero too."""
    if exponent == int(exponent):
        return base ** int(exponent)
    return arithmetic.exp(exponent * arithmetic.log(base))


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


def exact_numbers(law: Any) -> None:
    """Read the finite numbers of a law into the arithmetic that is current, unless that is doubles."""
    if not arithmetic.in_doubles():
        for name, value in vars(law).copy().items():
            if abs(float(value)) < math.inf:
                object.__setattr__(law, name, arithmetic.number(value))


def an_interval(low_name: str, low: float, high_name: str, high: float, least: float, most: float) -> None:
    """An interval that is inside another and has a length."""
    if not least <= float(low) < float(high) <= most:
        raise ValueError(
            f"{low_name} and {high_name} must satisfy {least:g} <= {low_name} < {high_name} <= {most:g}, "
            f"or the law has zero mass, got {low_name}={low!r}, {high_name}={high!r}"
        )


def kept_inside(
    curve: Curve, back: Callable[[Floats], Floats], inside: Callable[[Floats], Any], rng: np.random.Generator, size: int
) -> Floats:
    """Draws mapped back to the parameter; those that rounding carries over an end are drawn again."""
    generator, missing, refused = checks.generator(rng), a_size(size), 0
    kept = [np.empty(0)]
    while missing > 0:
        if curve.low == curve.high or refused > max(size, MOST_REFUSED):
            raise ValueError(
                "low and high must be further apart, for most draws between them round to a double outside, "
                f"got an interval of [{curve.low!r}, {curve.high!r}] beside the mode, for the logarithm or the log-odds"
            )
        drawn = back(curve.sample(generator, missing))
        kept.append(drawn[inside(drawn)])
        refused += missing - len(kept[-1])
        missing -= len(kept[-1])
    return np.concatenate(kept)
