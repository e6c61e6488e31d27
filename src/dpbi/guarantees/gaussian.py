"""The guarantee of one or many Gaussian mechanisms, with an exact privacy profile."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from .. import checks
from ..arithmetic import approximate, erfc, exp, in_doubles, less, log, log1p, number, root, sqrt
from ..checks import Floats
from .concentrated import RDP, ZCDP, log_or_infinite


@dataclass(frozen=True)
class GaussianDP(checks.Checked):
    r"""The guarantee of one or many Gaussian mechanisms, with the parameter rho.

    The worst pair of output distributions of a Gaussian mechanism with L2 sensitivity \(\Delta\) consists of two normal
    distributions with standard deviation \(\sigma\) whose means are \(\Delta\) apart. The privacy loss between these
    two distributions has the distribution \(N(\rho, 2\rho)\) with \(\rho = \Delta^2 / (2 \sigma^2)\). Under adaptive
    composition, the parameters \(\rho\) of several mechanisms add up. The privacy profile, the smallest \(\delta\) for
    each \(\varepsilon\), is exact:

    \[ \delta(\varepsilon) = \tfrac12\Bigl[\operatorname{erfc}\tfrac{\varepsilon - \rho}{2 \sqrt\rho}
       - e^{\varepsilon} \operatorname{erfc}\tfrac{\varepsilon + \rho}{2 \sqrt\rho}\Bigr] \]

    (Sommer, Meiser and Mohammadi 2019; Balle and Wang 2018). In doubles the profile is evaluated without overflow or
    underflow. The relative error of ``delta_at``, ``log_delta_at`` and ``epsilon_at`` is below 1e-9 for epsilon up to
    1500 and delta down to 1e-300, as measured by comparison with mpmath. The parameter of \(\mu\)-Gaussian differential
    privacy (Dong, Roth and Su 2022) is \(\mu = \Delta / \sigma = \sqrt{2\rho}\) and not \(\rho\).

    Attributes:
        rho: The parameter \(\rho\) of all mechanisms together, >= 0.

    >>> promise = GaussianDP(0.35)
    >>> promise, round(promise.delta_at(2.0), 6), round(promise.epsilon_at(1e-6), 6), promise.repeat(2)
    (GaussianDP(rho=0.35), 0.005925, 3.99356, GaussianDP(rho=0.7))
    """

    rho: Any = field(metadata={"least": 0})

    def delta_at(self, epsilon: Any) -> Any:
        """Exact delta at a given epsilon; in doubles it may underflow to 0 although ``log_delta_at`` is finite."""
        if in_doubles():
            return math.exp(self.log_delta_at(epsilon))
        return _profile(self.rho, checks.real("epsilon", epsilon, least=0)) if self.rho != 0 else number(0)

    def log_delta_at(self, epsilon: Any) -> Any:
        """Logarithm of the exact delta at a given epsilon."""
        e = checks.real("epsilon", epsilon, least=0)
        if self.rho == 0:
            return number(-math.inf)
        return log_profile_in_doubles(self.rho, e) if in_doubles() else _log_profile(self.rho, e)

    def epsilon_at(self, delta: Any) -> Any:
        """Exact smallest epsilon at a given delta."""
        level = log_or_infinite(checks.real("delta", delta, least=0, most=1))
        if self.rho == 0 or not less(level, self.log_delta_at(0)):
            return number(0.0)
        if level == -math.inf:
            return number(math.inf)
        most = float(self.rho + 2 * sqrt(-self.rho * level))  # by Bun and Steinke 2016, Proposition 1.3
        return root(lambda e: level - self.log_delta_at(e), 0.0, most)

    def zcdp(self) -> ZCDP:
        """The implied zero-concentrated privacy, from which only an upper bound on the exact delta follows."""
        return ZCDP(self.rho)

    def rdp(self, order: Any) -> RDP:
        r"""Rényi guarantee \((\alpha, \alpha \rho)\) at one or several orders."""
        return ZCDP(self.rho).rdp(order)

    def repeat(self, count: int) -> "GaussianDP":
        """Guarantee of ``count`` adaptive uses, whose rhos add up."""
        return GaussianDP(checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL) * self.rho)


def gaussian_mechanism(sensitivity: Any, sigma: Any) -> GaussianDP:
    r"""The guarantee of a release with Gaussian noise, \(f(x) + N(0, \sigma^2 I)\), for a function f of the data x.

    The parameter of the guarantee is \(\rho = \Delta^2 / (2 \sigma^2)\) (Bun and Steinke 2016, Proposition 1.6).

    Args:
        sensitivity: Largest L2 distance \(\Delta\) between the values of f at neighbours, >= 0.
        sigma: Standard deviation of the noise, > 0 and > sensitivity / 1e150.

    Returns:
        The guarantee.

    >>> gaussian_mechanism(1.0, 2.0)
    GaussianDP(rho=0.125)
    """
    distance, noise = checks.real("sensitivity", sensitivity, least=0), checks.real("sigma", sigma, above=0)
    if not less(distance / noise, number(1e150)):  # otherwise the square of the ratio overflows
        raise ValueError(f"sigma must be a finite number > sensitivity / 1e150, got sigma={checks.brief(sigma)}")
    return GaussianDP((distance / noise) ** 2 / 2)


def _profile(rho: Any, epsilon: Any) -> Any:
    r"""Profile \(\delta(\varepsilon)\) in ball arithmetic, which cannot overflow and whose radii show cancellation."""
    scale = 2 * sqrt(rho)
    return (erfc((epsilon - rho) / scale) - exp(epsilon) * erfc((epsilon + rho) / scale)) / 2


def _log_profile(rho: Any, epsilon: Any) -> Any:
    r"""Logarithm of the profile in ball arithmetic, computed from \(1 - \delta\) if \(\varepsilon \le \rho\)."""
    if approximate(epsilon - rho) > 0:
        return log(_profile(rho, epsilon))
    scale = 2 * sqrt(rho)
    # delta may be so close to 1 that only 1 - delta is accurate
    return log1p(-(erfc((rho - epsilon) / scale) + exp(epsilon) * erfc((epsilon + rho) / scale)) / 2)


# Gauss's rule on [-1, 1]; the errors stated in ``GaussianDP`` were measured with these 20 nodes
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def log_profile_in_doubles(rho: float, epsilon: float) -> float:
    r"""Logarithm of the privacy profile in doubles, by formulas without cancellation or overflow.

    Let \(a, b = (\varepsilon \mp \rho) / (2\sqrt\rho)\), so that \(b^2 = a^2 + \varepsilon\), and
    \(\operatorname{erfcx} t = e^{t^2} \operatorname{erfc} t\). Then

    \[ \delta = \tfrac12 e^{-a^2} (\operatorname{erfcx} a - \operatorname{erfcx} b)
              = 1 - \tfrac12 (\operatorname{erfc}(-a) + e^{-a^2} \operatorname{erfcx} b) . \]

    The second form is used for a < -1/2, where \(\operatorname{erfcx} a\) is large and \(\delta\) may be near 1. In the
    first form, a and b differ by \(\sqrt\rho\). If \(\sqrt\rho \le 1\), the two terms would cancel, so their difference
    is computed as the integral of \(-\operatorname{erfcx}'\) from a to b by Gauss's rule.

    Args:
        rho: The parameter \(\rho\) of the Gaussian noise, > 0.
        epsilon: Epsilon, >= 0.

    Returns:
        The logarithm of \(\delta(\varepsilon)\).
    """
    root_rho = math.sqrt(rho)
    a, b = (epsilon - rho) / (2 * root_rho), (epsilon + rho) / (2 * root_rho)
    if a < -0.5:
        return math.log1p(-(special.erfc(-a) + math.exp(-a * a) * special.erfcx(b)) / 2)
    if a > 1e150:  # a^2 would overflow
        return -math.inf
    if root_rho > 1:
        return float(-a * a + math.log((special.erfcx(a) - special.erfcx(b)) / 2))
    slope = _falling_erfcx(a + root_rho / 2 * (_NODES + 1))
    scale = float(slope.max())  # slopes may be so small that their sum underflows
    return float(-a * a + math.log(root_rho / 4) + math.log(scale) + math.log(_WEIGHTS @ (slope / scale)))


def _falling_erfcx(t: Floats) -> Floats:
    r"""Negative derivative \(-\operatorname{erfcx}'(t) = 2/\sqrt\pi - 2 t \operatorname{erfcx} t\).

    For t > 100 the two terms would cancel, so the asymptotic series of the derivative is used.
    """
    far = np.maximum(t, 100.0)
    u = 1 / far**2
    series = u * (1 - 1.5 * u * (1 - 2.5 * u * (1 - 3.5 * u))) / math.sqrt(math.pi)
    return np.where(t > 100.0, series, 2 / math.sqrt(math.pi) - 2 * t * special.erfcx(t))
