r"""Laws of the mean of a normal distribution, and of its mean and precision together, on an interval or a rectangle."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from .. import arithmetic, checks
from ..checks import Floats
from .curve import Curve
from .finite import a_size
from .interval_laws import an_interval, clipped, exact_numbers, integral, kept_inside
from .log_concave import LogConcave


@dataclass(frozen=True)
class Normal:
    r"""Density \(\propto e^{-\tau(\theta - m)^2/2}\) on [low, high]: mean m and precision \(\tau\) before the cut."""

    mean: float
    precision: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        exact_numbers(self)
        checks.real("mean", self.mean)
        checks.real("precision", self.precision, above=0)
        an_interval("low", self.low, "high", self.high, -math.inf, math.inf)

    @cached_property
    def curve(self) -> Curve:
        """The law of the distance from the mode, in doubles."""
        tau, beyond = self.precision, self.mode - self.mean

        def fall(t: Floats) -> Floats:
            return np.asarray(-tau / 2 * t * (t + 2 * beyond))

        return Curve(fall, lambda t: -tau * (t + beyond), self.low - self.mode, self.high - self.mode)

    @property
    def mode(self) -> float:
        """The parameter of the largest density."""
        return min(max(self.mean, self.low), self.high)

    def place(self, theta: Any) -> Any:
        """Where a parameter is on the curve."""
        return theta - self.mode

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int e^{\tau(m\theta - \theta^2/2)}\,d\theta\) over the interval."""
        peak = self.precision * self.mean**2 / 2
        if arithmetic.in_doubles():
            return peak - self.precision / 2 * (self.mode - self.mean) ** 2 + math.log(self.curve.area)
        whole = arithmetic.log(2 * arithmetic.pi() / self.precision) / 2
        return arithmetic.plain(peak + arithmetic.log(self._uncut(*self.ends)) + whole)

    def _uncut(self, low: Any, high: Any) -> Any:
        """The probability between two parameters before the cut, over balls, by the tail on their side of the mean."""
        root = arithmetic.sqrt(self.precision)
        if arithmetic.less(self.mean, low):
            low, high = 2 * self.mean - high, 2 * self.mean - low
        below, above = (
            arithmetic.normal_cdf((end - self.mean) * root) if abs(float(end)) < math.inf else int(end > 0)
            for end in (low, high)
        )
        return above - below

    @property
    def point(self) -> float:
        """The mode."""
        return arithmetic.plain(clipped(self.mean, *self.ends))

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the largest parameter."""
        return self.low, self.high

    def kernel(self, theta: Any) -> Any:
        r"""\(e^{\tau(m\theta - \theta^2/2)}\), the density without its constant and its interval."""
        return arithmetic.exp(self.log_kernel(theta))

    def log_kernel(self, theta: Any) -> Any:
        r"""\(\tau(m\theta - \frac12\theta^2)\), the log density without its constant and its interval."""
        return self.precision * (self.mean * theta - theta**2 / 2)

    @property
    def mean_statistic(self) -> Any:
        r"""The mean of \(\theta\)."""
        if self.low == -math.inf and self.high == math.inf:
            return self.mean
        return integral(self, self.statistic) / integral(self)

    def statistic(self, theta: Any) -> Any:
        r"""\(\theta\): what the logarithm of the ratio of two laws of one precision is linear in."""
        return theta

    def cdf(self, theta: Any) -> Any:
        """The probability of [low, theta]; broadcasts in doubles."""
        if not arithmetic.in_doubles():
            return self.mass(self.low, theta)
        return self.curve.cdf(self.place(theta))

    def mass(self, low: Any, high: Any) -> Any:
        """The probability between two parameters."""
        if not arithmetic.in_doubles():
            inside = clipped(low, *self.ends), clipped(high, *self.ends)
            return self._uncut(*inside) / self._uncut(*self.ends)
        return self.curve.mean(np.ones_like, float(self.place(low)), float(self.place(high)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46; never off the interval."""

        def inside(theta: Floats) -> Any:
            return (theta >= self.low) & (theta <= self.high)

        return kept_inside(self.curve, lambda t: self.mode + t, inside, rng, size)


@dataclass(frozen=True)
class NormalGamma:
    r"""Mean \(\mu\) and precision \(\tau\): density \(\propto \tau^{a-1/2} e^{-\tau(b + \kappa(\mu - m)^2/2)}\).

    On the rectangle from ``low`` to ``high``, pairs of a mean and a precision: before the cut \(\tau\) has a gamma law
    with shape a and rate b, and \(\mu\) given \(\tau\) a normal law about m with precision \(\kappa\tau\).
    """

    shape: float
    rate: float
    mean: float
    weight: float
    low: tuple[float, float] = (-math.inf, 0.0)
    high: tuple[float, float] = (math.inf, math.inf)

    def __post_init__(self) -> None:
        checks.real("shape", self.shape, above=0)
        checks.real("rate", self.rate, above=0)
        checks.real("mean", self.mean)
        checks.real("weight", self.weight, above=0)
        for name in ("low", "high"):
            object.__setattr__(self, name, tuple(arithmetic.number(tuple(getattr(self, name)))))
        for i, least in ((0, -math.inf), (1, 0.0)):
            an_interval(f"low[{i}]", self.low[i], f"high[{i}]", self.high[i], least, math.inf)

    @property
    def ends(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """The least and the largest mean and precision."""
        return self.low, self.high

    @property
    def point(self) -> tuple[float, float]:
        """A parameter of high density."""
        mean, tau = (
            clipped(v, *side) for v, *side in zip((self.mean, self.shape / self.rate), self.low, self.high, strict=True)
        )
        return arithmetic.plain(mean), arithmetic.plain(tau)

    def log_kernel(self, theta: Any) -> Any:
        r"""\((a - \frac12)\ln\tau - \tau(b + \frac\kappa2(\mu - m)^2)\), the log density but for its constant."""
        mu, tau = theta
        half = arithmetic.number(1) / 2
        return (self.shape - half) * arithmetic.log(tau) - tau * (self.rate + self.weight * (mu - self.mean) ** 2 / 2)

    @cached_property
    def _halves(self) -> list["_Half"]:
        """The law where the mean is above m, and where it is below, if it can be."""
        (low, least), (high, most) = self.ends
        above = (max(low - self.mean, 0.0), high - self.mean)
        below = (max(self.mean - high, 0.0), self.mean - low)
        return [
            _Half(self, sign, near, far, least, most)
            for sign, (near, far) in ((1.0, above), (-1.0, below))
            if near < far
        ]

    @property
    def log_mass(self) -> float:
        """The logarithm of the integral of the kernel over the rectangle."""
        return float(np.logaddexp.reduce([half.log_mass for half in self._halves]))

    def precision_cdf(self, tau: Any) -> Floats:
        """The probability of precisions up to tau; broadcasts."""
        with np.errstate(divide="ignore"):
            t = np.log(np.asarray(tau, np.float64))
        parts = [math.exp(half.log_mass - self.log_mass) * half.logarithm.cdf(t) for half in self._halves]
        return np.asarray(sum(parts))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws, shape (size, 2): the half by its mass, the precision by rejection, the mean by its inverse cdf."""
        generator, count = checks.generator(rng), a_size(size)
        masses = np.array([half.log_mass for half in self._halves])
        shares = np.exp(masses - masses.max())
        chosen = generator.choice(len(shares), count, p=shares / shares.sum())
        drawn = np.empty((count, 2))
        for i, half in enumerate(self._halves):
            drawn[chosen == i] = half.sample(generator, int((chosen == i).sum()))
        return drawn


@dataclass(frozen=True)
class _Half:
    r"""Where \(s(\mu - m)\) is between ``near`` and ``far``, both at least zero, and \(s = \pm 1\).

    With \(z = \sqrt{\kappa\tau}\) times the distance, \(t = \ln\tau\) has the log density
    \(at - be^t + \ln(\bar\Phi(z_{near}) - \bar\Phi(z_{far}))\) but for a constant. The last term is that of an interval
    for \(\ln|Z| - t/2\), and \(\ln|Z|\) has a log-concave law: so is that of t, for every shape.
    """

    law: NormalGamma
    sign: float
    near: float
    far: float
    least: float
    most: float

    def _log_share(self, t: Any) -> Any:
        r"""\(\ln(\bar\Phi(z_{near}) - \bar\Phi(z_{far}))\)."""
        root = np.sqrt(self.law.weight) * np.exp(np.asarray(t) / 2)
        near, far = log_ndtr(-root * self.near), log_ndtr(-root * self.far)
        with np.errstate(divide="ignore"):
            return near + np.log(-np.expm1(far - near))

    @cached_property
    def logarithm(self) -> LogConcave:
        """The law of the logarithm of the precision."""
        with np.errstate(divide="ignore"):
            ends = np.log(float(self.least)), np.log(float(self.most))

        def log_kernel(t: Any) -> Any:
            with np.errstate(over="ignore"):
                return self.law.shape * t - self.law.rate * np.exp(t) + self._log_share(t)

        return LogConcave(log_kernel, *map(float, ends))

    @cached_property
    def log_mass(self) -> float:
        return self.logarithm.log_mass + math.log(2 * math.pi / self.law.weight) / 2

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        def inside(tau: Floats) -> Any:
            return (tau >= self.least) & (tau <= self.most)

        logarithm = self.logarithm
        tau = kept_inside(logarithm.curve, lambda t: np.exp(logarithm.mode + t), inside, rng, size)
        root = np.sqrt(self.law.weight * tau)
        near, far = log_ndtr(-root * self.near), log_ndtr(-root * self.far)
        tail = near + np.log1p(rng.random(size) * np.expm1(far - near))
        mu = self.law.mean + self.sign * np.clip(-ndtri_exp(tail) / root, self.near, self.far)
        low, high = float(self.law.low[0]), float(self.law.high[0])
        return np.stack([np.clip(mu, low, high), tau], axis=1)
