r"""Laws of one number on an interval, ``Gamma`` and ``Beta``: mass, cdf and draws.

In doubles everything is measured along the ``curve`` of a law, which keeps the digits far into the tails; over balls it
is the integral of the ``kernel`` itself.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
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
            return arithmetic.plain(arithmetic.lgamma(self.shape) - self.shape * arithmetic.log(self.rate))
        if not arithmetic.in_doubles():
            return arithmetic.plain(arithmetic.log(integral(self)))
        m = self.curve.mode
        return self.shape * m - self.rate * math.exp(m) + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return math.exp(self.curve.mode)
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
    def mean_statistic(self) -> Any:
        r"""The mean of \(\theta\)."""
        if self.high == math.inf and (self.low == 0 or self.shape == 1):
            return self.low + self.shape / self.rate  # an exponential law forgets where it began
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\theta\): what the logarithm of the ratio of two laws of one shape is linear in."""
        return theta

    def cdf(self, theta: Any) -> Any:
        """The probability of [low, theta]; broadcasts in doubles."""
        if not arithmetic.in_doubles():
            return integral(self, high=clipped(theta, *self.ends)) / arithmetic.exp(self.log_mass)
        with np.errstate(divide="ignore"):
            return self.curve.cdf(np.log(np.maximum(theta, 0.0)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46; never off the interval."""
        return kept_inside(self.curve, np.exp, lambda x: (x >= self.low) & (x <= self.high), rng, size)


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
            return arithmetic.plain(arithmetic.log(integral(self)))
        m = self.curve.mode
        return float(self.a * log_expit(m) + self.b * log_expit(-m)) + math.log(self.curve.area)

    @property
    def point(self) -> float:
        """A parameter of high density."""
        if arithmetic.in_doubles():
            return float(expit(self.curve.mode))
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

        return kept_inside(self.curve, expit, inside, rng, size)


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
    of the law is what keeps the digits.
    """
    start, end = law.ends
    scale = law.kernel(law.point) if peak is None else peak
    return scale * arithmetic.integral(
        lambda theta: law.kernel(theta) / scale * (function(theta) if function else 1),
        start if low is None else low,
        end if high is None else high,
    )


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
                f"got an interval of [{curve.low!r}, {curve.high!r}] for the logarithm or the log-odds"
            )
        drawn = back(curve.sample(generator, missing))
        kept.append(drawn[inside(drawn)])
        refused += missing - len(kept[-1])
        missing -= len(kept[-1])
    return np.concatenate(kept)
