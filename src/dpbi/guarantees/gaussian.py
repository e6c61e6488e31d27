"""The guarantee of Gaussian mechanisms, for one release or many, with its exact privacy profile."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from .. import checks
from ..arithmetic import approximate, erfc, exp, in_doubles, less, log, log1p, number, root, sqrt
from ..checks import Floats
from .concentrated import RDP, ZCDP
from .levels import log_delta_parameter, log_or_infinite


@dataclass(frozen=True)
class GaussianDP:
    r"""The guarantee of Gaussian mechanisms, one or many: at worst, a choice between two shifted normals.

    With sensitivity \(\Delta\) and noise \(\sigma\), \(\rho = \Delta^2 / (2 \sigma^2)\); the privacy loss of the worst
    pair is \(N(\rho, 2\rho)\), and adaptive composition adds the \(\rho\). The profile is exact,

    \[ \delta(\varepsilon) = \tfrac12\Bigl[\operatorname{erfc}\tfrac{\varepsilon - \rho}{2 \sqrt\rho}
       - e^{\varepsilon} \operatorname{erfc}\tfrac{\varepsilon + \rho}{2 \sqrt\rho}\Bigr] \]

    (Sommer, Meiser and Mohammadi 2019; Balle and Wang 2018), and evaluated without overflow or underflow: the relative
    error of ``delta``, ``log_delta`` and ``epsilon`` is below 1e-9, for epsilon up to 1500 and delta down to 1e-300.

    >>> promise = GaussianDP(0.35)
    >>> promise, round(promise.delta(2.0), 6), round(promise.epsilon(1e-6), 6), promise.repeat(2)
    (GaussianDP(rho=0.35), 0.005925, 3.99356, GaussianDP(rho=0.7))
    """

    rho: Any

    def __init__(self, rho: Any) -> None:
        object.__setattr__(self, "rho", checks.real("rho", rho, least=0))

    def delta(self, epsilon: Any) -> Any:
        """The exact delta at an epsilon; 0 where it is below the smallest double, see ``log_delta``."""
        if in_doubles():
            return math.exp(self.log_delta(epsilon))
        return _profile(self.rho, checks.real("epsilon", epsilon, least=0)) if self.rho != 0 else number(0)

    def log_delta(self, epsilon: Any) -> Any:
        """The logarithm of the exact delta at an epsilon."""
        e = checks.real("epsilon", epsilon, least=0)
        if self.rho == 0:
            return number(-math.inf)
        return log_profile_in_doubles(self.rho, e) if in_doubles() else _log_profile(self.rho, e)

    def epsilon(self, delta: Any) -> Any:
        """The exact smallest epsilon at a delta."""
        return self.epsilon_at_log_delta(log_or_infinite(checks.real("delta", delta, least=0, most=1)))

    def epsilon_at_log_delta(self, log_delta: Any) -> Any:
        """``epsilon(delta)`` at a delta that is given by its logarithm."""
        level = log_delta_parameter(log_delta)
        if self.rho == 0 or not less(level, self.log_delta(0)):
            return number(0.0)
        if level == -math.inf:
            return number(math.inf)
        most = float(self.rho + 2 * sqrt(-self.rho * level))
        return root(lambda e: level - self.log_delta(e), 0.0, most)

    def zcdp(self) -> ZCDP:
        """The zero-concentrated privacy that it implies, which forgets the shape of the normal tail."""
        return ZCDP(self.rho)

    def rdp(self, order: Any) -> RDP:
        r"""Rényi privacy \((\alpha, \alpha \rho)\) at one order or several."""
        return ZCDP(self.rho).rdp(order)

    def repeat(self, count: int) -> "GaussianDP":
        """The guarantee of ``count`` adaptive uses."""
        return GaussianDP(checks.whole("count", count, least=0) * self.rho)


def gaussian_mechanism(sensitivity: Any, sigma: Any) -> GaussianDP:
    r"""The guarantee of adding normal noise, \(f(x) + N(0, \sigma^2 I)\).

    \(\rho = \Delta^2 / (2 \sigma^2)\), Proposition 1.6 of Bun and Steinke 2016.

    Args:
        sensitivity: Largest distance \(\Delta\) in L2 between the values of f at neighbours, >= 0.
        sigma: Standard deviation of the noise, > 0.

    Returns:
        The guarantee.

    >>> gaussian_mechanism(1.0, 2.0)
    GaussianDP(rho=0.125)
    """
    distance, noise = checks.real("sensitivity", sensitivity, least=0), checks.real("sigma", sigma, above=0)
    if not less(distance / noise, number(1e150)):
        raise ValueError(f"sigma must be a finite number > sensitivity / 1e150, got sigma={sigma!r}")
    return GaussianDP((distance / noise) ** 2 / 2)


def _profile(rho: Any, epsilon: Any) -> Any:
    r"""The profile \(\delta(\varepsilon)\) over balls, which do not overflow and show any cancellation."""
    twice = 2 * sqrt(rho)
    return (erfc((epsilon - rho) / twice) - exp(epsilon) * erfc((epsilon + rho) / twice)) / 2


def _log_profile(rho: Any, epsilon: Any) -> Any:
    r"""Logarithm of the profile over balls, from \(1 - \delta\) where that is smaller than \(\delta\)."""
    if approximate(epsilon - rho) > 0:
        return log(_profile(rho, epsilon))
    twice = 2 * sqrt(rho)
    return log1p(-(erfc((rho - epsilon) / twice) + exp(epsilon) * erfc((epsilon + rho) / twice)) / 2)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def log_profile_in_doubles(rho: float, epsilon: float) -> float:
    r"""Logarithm of the profile in doubles, in which the displayed difference would cancel or overflow.

    Let \(a, b = (\varepsilon \mp \rho) / (2\sqrt\rho)\), so that \(b^2 = a^2 + \varepsilon\). Then

    \[ \delta = \tfrac12 e^{-a^2} (\operatorname{erfcx} a - \operatorname{erfcx} b)
              = 1 - \tfrac12 (\operatorname{erfc}(-a) + e^{-a^2} \operatorname{erfcx} b) , \]

    the second form where a < -1/2; if a and b are close, the difference is the integral of the derivative. The claim
    ``private-mcmc/thm-3.3-in-doubles`` and ``tests/test_guarantees.py`` compare it with the formula over balls.
    """
    top = math.sqrt(rho)
    a, b = (epsilon - rho) / (2 * top), (epsilon + rho) / (2 * top)
    if a < -0.5:
        return math.log1p(-(special.erfc(-a) + math.exp(-a * a) * special.erfcx(b)) / 2)
    if a > 1e150:
        return -math.inf
    if top > 1:
        return float(-a * a + math.log((special.erfcx(a) - special.erfcx(b)) / 2))
    t = a + top / 2 * (_NODES + 1)
    slope = _falling_erfcx(t)
    scale = float(slope.max())
    return float(-a * a + math.log(top / 4) + math.log(scale) + math.log(_WEIGHTS @ (slope / scale)))


def _falling_erfcx(t: Floats) -> Floats:
    r"""\(-\operatorname{erfcx}'(t) = 2/\sqrt\pi - 2 t \operatorname{erfcx} t\), for large t an asymptotic series."""
    far = np.maximum(t, 100.0)
    u = 1 / far**2
    series = u * (1 - 1.5 * u * (1 - 2.5 * u * (1 - 3.5 * u))) / math.sqrt(math.pi)
    return np.where(t > 100.0, series, 2 / math.sqrt(math.pi) - 2 * t * special.erfcx(t))
