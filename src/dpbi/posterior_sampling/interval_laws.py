r"""``Gamma`` and ``Beta`` laws of a parameter on an interval, with masses, means and random draws.

In doubles, masses and means are integrals of the ``curve`` of a law, computed by quadrature. The error is about 1e-12
times the integral over the whole interval. A normalising constant increases the error by 1e-15 times the logarithm of
the constant. In ball arithmetic, a mass is an integral of the kernel or a difference of incomplete gamma or beta
functions. Means in ball arithmetic are available for ``Gamma`` laws only. The statistic of a ``Gamma`` law is the
parameter itself; the statistic of a ``Beta`` law is the log-odds of the parameter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaln, expit

from .. import arithmetic
from ..arithmetic import exp, in_doubles, lgamma, log, log1p, number, scalar
from ..checks import Checked, Floats, generator, given, need, whole
from .curve import Curve

# measured: 36 is the largest integer t with expit(t) below 1.0, and expit(-700) is still a normal double
LOG_ODDS_RANGE = (-700.0, 36.0)
"""Range of log-odds in which a parameter rounds neither to 0 nor to 1."""


class _OnInterval(Checked):
    """Base class of ``Gamma`` and ``Beta``.

    The attributes ``low`` and ``high`` are the smallest and the largest value of the statistic. The attribute
    ``FULL_RANGE`` is the interval of all values that the statistic can have without truncation.
    """

    def __post_init__(self: Any) -> None:
        super().__post_init__()
        for name in ("low", "high"):
            value = getattr(self, name)
            nearest = float(arithmetic.approximate(given(name, value, 0)))  # a float, as np.float64 has a longer repr
            object.__setattr__(self, name, nearest if in_doubles() or abs(nearest) == math.inf else number(value))
        least, most = self.FULL_RANGE
        allowed = f"satisfy {least:g} <= low < high <= {most:g}, or the law has zero mass"
        found = f"low={self.low!r}, high={self.high!r}"
        need(least <= float(self.low) < float(self.high) <= most, f"low and high must {allowed}, got {found}")

    @cached_property
    def curve(self: Any) -> Any:
        """The density as a log-concave ``Curve`` around its mode, for quadrature and random draws in doubles."""
        need(in_doubles(), "curves are integrated in doubles alone", arithmetic.Undecided)
        return self.build_curve()

    @cached_property
    def log_mass(self: Any) -> float:
        """Logarithm of the integral of the kernel over the interval."""
        if (self.low, self.high) == self.FULL_RANGE:
            return scalar(self.log_full_mass)
        if in_doubles():
            return float(self.log_kernel(self.mode)) + math.log(self.curve.area)
        return scalar(log(self._kernel_integral(self.low, self.high)))

    @property
    def ends(self: Any) -> tuple[Any, Any]:
        """Smallest and largest parameter in the interval."""
        return self.to_parameter(self.low), self.to_parameter(self.high)

    def mass(self: Any, low: Any, high: Any) -> Any:
        """Probability that the statistic lies between ``low`` and ``high``.

        Args:
            low: Lower limit, which must be in the interval of the law.
            high: Upper limit, which must be in the interval of the law.

        Returns:
            The probability.
        """
        if in_doubles():
            return self.curve.mean(np.ones_like, self.curve_coordinate(low), self.curve_coordinate(high))
        return self._kernel_integral(low, high) / exp(self.log_mass)

    def _kernel_integral(self: Any, low: Any, high: Any) -> Any:
        """Integral of the kernel between two values of the statistic, in ball arithmetic.

        If ``low`` or ``high`` is an end of the full range, the kernel may be singular or the interval infinite. The
        integral is then a difference of incomplete gamma or beta functions, which would cancel far from both ends.
        """
        # the conversion to float makes the comparison work for an exact zero too
        if float(low) == self.FULL_RANGE[0] or float(high) == self.FULL_RANGE[1]:
            return self.unnormalised_cdf(high) - self.unnormalised_cdf(low)
        # scaled by the kernel at the mode, so that the integrand neither overflows nor underflows
        top = self.log_kernel(self.mode)
        return exp(top) * arithmetic.integral(lambda t: exp(self.log_kernel(t) - top) * self.stretch(t), low, high)


@dataclass(frozen=True)
class Gamma(_OnInterval):
    r"""Gamma distribution restricted to [low, high], with density \(\propto \theta^{a-1} e^{-\lambda\theta}\).

    Attributes:
        shape: The shape parameter a > 0.
        rate: The rate \(\lambda > 0\); on a bounded interval, the rate may also be 0.
        low, high: Ends of the interval of the parameter, with 0 <= low < high.

    >>> law = Gamma(2.0, 1.0, high=3.0)
    >>> round(float(law.mean_statistic), 6)  # (2 - 17 e^-3) / (1 - 4 e^-3)
    1.440491
    >>> law.sample(np.random.default_rng(1), 2).round(3).tolist()
    [1.024, 2.137]
    """

    shape: float = field(metadata={"above": 0})
    rate: float = field(metadata={"least": 0})
    low: float = 0.0
    high: float = math.inf

    FULL_RANGE = (0.0, math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        proper = self.rate != 0 or self.high != math.inf
        need(proper, "rate must be > 0 when the interval has no upper end: the law is improper, got rate=0")

    def build_curve(self) -> Curve:
        r"""Log density \(g(t) = at - \lambda m e^t\) of \(t = \ln(\theta/m)\), where m is the mode.

        The density of t is log-concave for every shape a, unlike the density of \(\theta\).
        """
        a, scale = self.shape, self.rate * self.mode

        def log_density(t: Floats) -> Floats:
            with np.errstate(over="ignore"):
                return np.asarray(a * t - scale * np.expm1(t))

        return Curve(
            log_density,
            lambda t: a - scale * math.exp(t),
            self.curve_coordinate(self.low),
            self.curve_coordinate(self.high),
        )

    @property
    def mode(self) -> Any:
        r"""Parameter that maximises the density of \(\ln\theta\), which is \(\propto \theta^a e^{-\lambda\theta}\)."""
        return scalar(clipped(self.shape / self.rate, self.low, self.high)) if self.rate != 0 else self.high

    def curve_coordinate(self, theta: Any) -> float:
        """Coordinate ln(theta / mode) of a parameter, accurate even close to the mode."""
        share = float((theta - self.mode) / self.mode)
        if abs(share) < 0.5:
            return math.log1p(share)
        return math.log(theta) - math.log(self.mode) if theta > 0 else -math.inf

    @property
    def log_full_mass(self) -> Any:
        """Logarithm of the integral of the kernel over all parameters > 0."""
        return lgamma(self.shape) - self.shape * log(self.rate)

    def unnormalised_cdf(self, theta: Any) -> Any:
        """Integral of the kernel from 0 to theta, regardless of the interval of the law."""
        if self.rate == 0:
            return exp(self.shape * log(theta)) / self.shape
        if theta == math.inf:
            return exp(self.log_full_mass)
        return arithmetic.lower_gamma(self.shape, self.rate * theta) * exp(-self.shape * log(self.rate))

    def to_parameter(self, statistic: Any) -> Any:
        """Parameter with a given statistic; for a ``Gamma`` law, the statistic is the parameter itself."""
        return statistic

    def log_kernel(self, theta: Any) -> Any:
        r"""Unnormalised log density \(a\ln\theta - \lambda\theta\) of the logarithm of the parameter."""
        return self.shape * log(theta) - self.rate * theta

    def stretch(self, theta: Any) -> Any:
        r"""Derivative of \(\ln\theta\), the variable of the kernel, with respect to the statistic \(\theta\)."""
        return 1 / theta

    def slope_to(self, other: Gamma) -> Any:
        """Slope of the log density ratio of this law to another law of the same shape, as a function of theta."""
        need(self.shape == other.shape, f"p and q must have the same shape, got {self.shape} and {other.shape}")
        return other.rate - self.rate

    @property
    def mean_statistic(self) -> Any:
        r"""Mean of \(\theta\): the mass of the kernel of shape a + 1, divided by the mass of the kernel of shape a."""
        return exp(replace(self, shape=self.shape + 1).log_mass - self.log_mass)

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws by rejection, with an acceptance rate of at least 0.46; every draw is in the interval.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, with shape (size,).
        """
        t = self.curve.sample(generator(rng), whole("size", size, least=0))
        return np.asarray(np.clip(self.mode * np.exp(t), self.low, self.high))


def trimmed_exponential(rate: float, low: float, high: float) -> Gamma:
    r"""Trimmed exponential distribution, the prior of Lemmas 19, 20 and 22.

    The density is \(K\lambda e^{-\lambda\theta}\) on \([c_1, c_2]\) with
    \(K = (e^{-\lambda c_1} - e^{-\lambda c_2})^{-1}\).

    Args:
        rate: The rate \(\lambda\) >= 0.
        low, high: The ends \(c_1 < c_2\) of the interval, with \(c_1\) >= 0.

    Returns:
        A ``Gamma`` law of shape 1.

    >>> trimmed_exponential(1.0, 0.0, 2.0)
    Gamma(shape=1.0, rate=1.0, low=0.0, high=2.0)
    """
    return Gamma(1.0, rate, low, high)


@dataclass(frozen=True)
class Beta(_OnInterval):
    r"""Beta distribution restricted to an interval of log-odds, with density \(\propto \theta^{a-1}(1-\theta)^{b-1}\).

    The mode of the log-odds must be in [-700, 700].

    Attributes:
        a, b: The positive parameters of the Beta distribution.
        low, high: Ends of the interval of the log-odds \(\ln\frac{\theta}{1-\theta}\), with low < high.

    >>> law = Beta(1, 1, low=0.0)  # uniform on [1/2, 1)
    >>> round(law.mass(0.0, math.log(3)), 6)  # from 1/2 to 3/4
    0.5
    >>> law.sample(np.random.default_rng(1), 2).round(3).tolist()
    [0.672, 0.984]
    """

    a: float = field(metadata={"above": 0})
    b: float = field(metadata={"above": 0})
    low: float = -math.inf
    high: float = math.inf

    FULL_RANGE = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        allowed = "a mode of the log-odds in [-700, 700]"
        need(abs(float(self.mode)) <= 700, f"a, b, low and high must have {allowed}, got {self.mode}")

    def build_curve(self) -> Curve:
        r"""Log density \(g = as - (a+b)\ln(1+e^s)\) of the log-odds s, as a function of s minus the mode.

        The density of the log-odds is log-concave for every a and b.
        """
        a, total, mode = self.a, self.a + self.b, self.mode
        p, q = float(expit(mode)), float(expit(-mode))

        # ln(1 + e^s) minus its value at the mode, in a form that keeps its digits near t = 0 and cannot overflow
        def log_density(t: Floats) -> Floats:
            down, up = np.minimum(t, 0.0), np.maximum(t, 0.0)
            return np.asarray(a * t - total * (np.log1p(p * np.expm1(down)) + up + np.log1p(q * np.expm1(-up))))

        return Curve(log_density, lambda t: a - total * float(expit(mode + t)), self.low - mode, self.high - mode)

    @cached_property
    def mode(self) -> Any:
        r"""Log-odds that maximise the density of the log-odds, which is \(\propto \theta^a (1-\theta)^b\)."""
        return scalar(clipped(log(self.a) - log(self.b), self.low, self.high))

    def curve_coordinate(self, odds: Any) -> float:
        """Coordinate of given log-odds on the curve: the log-odds minus the mode."""
        return float(odds - self.mode)

    @property
    def log_full_mass(self) -> Any:
        """Logarithm of the integral of the kernel over all parameters in (0, 1)."""
        return log_beta(self.a, self.b)

    def unnormalised_cdf(self, odds: Any) -> Any:
        """Integral of the kernel up to given log-odds, regardless of the interval of the law."""
        return arithmetic.lower_beta(self.a, self.b, self.to_parameter(odds))

    def to_parameter(self, odds: Any) -> Any:
        r"""Parameter \(1/(1 + e^{-t})\) with log-odds t; infinite log-odds give the parameter 0 or 1."""
        return float(expit(odds)) if in_doubles() else 1 / (1 + exp(-odds))

    def log_kernel(self, odds: Any) -> Any:
        r"""Unnormalised log density \(a\ln\theta + b\ln(1-\theta)\) of the log-odds of the parameter."""
        return -self.a * log1p(exp(-odds)) - self.b * log1p(exp(odds))

    def stretch(self, odds: Any) -> Any:
        """Derivative of the variable of the kernel, which is the statistic itself, with respect to the statistic."""
        return 1

    def slope_to(self, other: Beta) -> Any:
        """Slope of the log density ratio of this law to another law with equal a + b, as a function of the log-odds."""
        one, two = float(self.a + self.b), float(other.a + other.b)
        need(abs(one / two - 1) <= 1e-14, f"p and q must have the same total of weights, got {one} and {two}")
        return self.a - other.a

    @property
    def mean_statistic(self) -> Any:
        r"""Mean of the log-odds."""
        return self.curve.mean(lambda t: t) + self.mode

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws by rejection, with an acceptance rate of at least 0.46; every draw is in the interval.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, with shape (size,).

        Raises:
            ValueError: if a finite end of the interval of log-odds is outside ``LOG_ODDS_RANGE``.
        """
        (least, most), ends = LOG_ODDS_RANGE, (self.low, self.high)
        good = all(least <= end <= most or abs(end) == math.inf for end in ends)
        need(good, f"low and high must be in [{least:g}, {most:g}] or infinite for draws, got {ends}")
        t = self.curve.sample(generator(rng), whole("size", size, least=0))
        return np.asarray(np.clip(expit(self.mode + t), *self.ends))


def log_beta(a: Any, b: Any) -> float:
    r"""Logarithm of the beta function, \(\ln\frac{\Gamma(a)\Gamma(b)}{\Gamma(a+b)}\).

    Args:
        a: The first parameter a > 0.
        b: The second parameter b > 0.

    Returns:
        The logarithm.
    """
    if in_doubles():
        return float(betaln(a, b))  # differences of lgamma lose digits
    return scalar(lgamma(a) + lgamma(b) - lgamma(a + b))


def clipped(value: Any, low: Any, high: Any) -> Any:
    """Number in the interval [low, high] that is nearest to a given value.

    Args:
        value: The given value.
        low: Lower end of the interval.
        high: Upper end of the interval.

    Returns:
        The nearest number.
    """
    return arithmetic.minimum(arithmetic.maximum(value, low), high)
