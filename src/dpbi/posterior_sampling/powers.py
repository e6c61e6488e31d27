r"""\(\ln \int p^s q^{1-s}\) for laws of several numbers, cut or not, and the supremum of their log ratio.

Both are of one conjugate kind, so \(p^s q^{1-s}\) is a multiple of another law of it, whose natural parameter is
between theirs, and with \(M = \ln \int\) of a kernel

\[ \ln \int p^s q^{1-s} = M_{sp + (1-s)q} - s M_p - (1 - s) M_q . \]

M has a closed form where the law is not cut. Of ``Tables`` with a floor it is computed, of ``NormalGamma`` laws on a
rectangle too; a ``Wishart`` law with a largest eigenvalue has bounds, those of its ``acceptance``.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..arithmetic import approximate, in_doubles, lgamma, log, log_determinant, number, pi
from ..checks import Numbers
from .floored_rows import mass_of_rows
from .laws import Tables, Wishart, _Row
from .normal_laws import NormalGamma

DIGITS = 1e-13
"""What the logarithm of a mass in doubles is off by, relatively and where it is small."""

Ends = tuple[Any, Any]
"""A number below and a number above."""


def log_mass(law: Any) -> Ends:
    """The logarithm of the integral of the kernel, between two numbers.

    >>> low, high = log_mass(Tables([[1.0, 1.0, 1.0]]))
    >>> bool(low <= math.log(0.5) <= high <= low + 1e-12)
    True
    """
    if isinstance(law, Tables):
        parts = [_log_mass_of_row(row, law.floor) for table in law.concentrations for row in _rows(table)]
        low = high = sum(parts, number(0))
    elif isinstance(law, Wishart):
        low, high = _log_mass_of_wishart(law)
        parts = [low, high]
    else:
        low = high = _log_mass_of_normal_gamma(law)
        parts = [low]
    off = DIGITS * sum(1 + abs(float(part)) for part in parts) if in_doubles() else 0
    return low - off, high + off


def log_power(p: Any, q: Any, s: Any) -> Ends:
    """The logarithm of the integral, between two numbers; from minus infinity to infinity where it is not known."""
    mixed = _mixed(p, q, s)
    if mixed is None:
        return -math.inf, math.inf
    found: list[Any] = [number(0), number(0)]
    for law, factor in ((mixed, number(1)), (p, -s), (q, s - 1)):
        ends = log_mass(law)
        for i in (0, 1):
            found[i] = found[i] + factor * ends[i if factor > 0 else 1 - i]
    return found[0], found[1]


def highest(p: Any, q: Any) -> Any:
    r"""\(\sup \ln\frac{k_p}{k_q}\) of the kernels, over all that the laws can draw."""
    if isinstance(p, Tables):
        pairs = zip(p.concentrations, q.concentrations, strict=True)
        tops = [_highest_of_row(row, p.floor) for a, b in pairs for row in _rows(a - b)]
        return math.inf if math.inf in tops else sum(tops, number(0))
    if isinstance(p, Wishart):
        return _highest_of_wishart(p, q)
    return _highest_of_normal_gamma(p, q)


def _rows(table: Numbers) -> list[Numbers]:
    return list(table.reshape(-1, table.shape[-1]))


def _mixed(p: Any, q: Any, s: Any) -> Any:
    """The law whose kernel is a multiple of the product, None if it is no law."""
    t = 1 - s
    if isinstance(p, Tables):
        mixed = [s * a + t * b for a, b in zip(p.concentrations, q.concentrations, strict=True)]
        return Tables(mixed, p.floor) if all((approximate(table) > 0).all() for table in mixed) else None
    if isinstance(p, Wishart):
        inverse = s * np.linalg.inv(p.scale) + t * np.linalg.inv(q.scale)
        degrees = s * p.degrees + t * q.degrees
        if np.linalg.eigvalsh(inverse)[0] <= 0 or degrees <= len(inverse) - 1:
            return None
        scale = np.linalg.inv(inverse)
        return replace(p, degrees=degrees, scale=(scale + scale.T) / 2)
    shape, weight = s * p.shape + t * q.shape, s * p.weight + t * q.weight
    if not (shape > 0 and weight > 0):
        return None
    mean = (s * p.weight * p.mean + t * q.weight * q.mean) / weight
    apart = s * t * p.weight * q.weight * (p.mean - q.mean) ** 2 / (2 * weight)
    rate = s * p.rate + t * q.rate + apart
    return replace(p, shape=shape, weight=weight, mean=mean, rate=rate) if rate > 0 else None


def _log_mass_of_row(alpha: Numbers, floor: Any) -> Any:
    if floor == 0:
        return sum((lgamma(a) for a in alpha.tolist()), number(0)) - lgamma(alpha.sum())
    if len(alpha) <= 3:
        return _Row(tuple(alpha.tolist()), floor).log_mass
    whole = _log_mass_of_row(alpha, 0)
    return whole + math.log(mass_of_rows([alpha], math.log(1 / floor - (len(alpha) - 1))))


def _log_mass_of_wishart(law: Wishart) -> Ends:
    d, half = len(law.scale), law.degrees / 2
    gammas = sum(lgamma(half - i / 2) for i in range(d)) + d * (d - 1) / 4 * log(pi())
    whole = half * (log_determinant(law.scale) + d * log(number(2))) + gammas
    if law.largest == math.inf:
        return whole, whole
    low, high = law.acceptance
    return whole + (math.log(low) if low > 0 else -math.inf), whole + (math.log(high) if high > 0 else -math.inf)


def _log_mass_of_normal_gamma(law: NormalGamma) -> Any:
    if law.ends != ((-math.inf, 0), (math.inf, math.inf)):
        return law.log_mass
    return lgamma(law.shape) - law.shape * log(law.rate) + log(2 * pi() / law.weight) / 2


def _highest_of_row(factors: Numbers, floor: Any) -> Any:
    r"""\(\max \sum c_i\ln\theta_i\) over a row with entries of at least the floor.

    Entries with \(c_i \le 0\) are at the floor, if any other has \(c_i > 0\): those are \(\max(f, tc_i)\), as a concave
    sum is largest. If none has, the sum is convex, and one entry holds all but the floors, that of the greatest
    \(c_i\).
    """
    c, f = factors.tolist(), floor
    if not any(c):
        return number(0)
    if f == 0 and min(c) < 0:
        return math.inf
    rising = sorted((each for each in c if each > 0), key=float)
    low = [each for each in c if each <= 0]
    if not rising:
        top = max(low, key=float)
        rest = sum(low, number(0)) - top
        return rest * log(f) + (top * log(1 - (len(c) - 1) * f) if top else 0) if f > 0 else math.inf
    held = len(low)
    while True:  # the smallest of the others may be at the floor too
        t = (1 - held * f) / sum(rising, number(0))
        if f == 0 or t * rising[0] >= f or len(rising) == 1:
            break
        low.append(rising.pop(0))
        held += 1
    floored = sum(low, number(0))
    return sum((each * log(t * each) for each in rising), floored * log(f) if floored != 0 else number(0))


def _highest_of_wishart(p: Wishart, q: Wishart) -> Any:
    r"""\(\sup c\ln\det A - \frac12\operatorname{tr}(DA)\), with A diagonal in the basis of D, by Hadamard."""
    c = (p.degrees - q.degrees) / 2
    values = np.linalg.eigvalsh(np.linalg.inv(p.scale) - np.linalg.inv(q.scale))
    if c < 0:
        return math.inf
    total = 0.0
    for value in values.tolist():
        if c == 0:
            total += 0.0 if value >= 0 else -value * p.largest / 2
        else:
            most = p.largest if value <= 0 else min(2 * c / value, p.largest)
            total += c * math.log(most) - value * most / 2 if most < math.inf else math.inf
    return total


def _highest_of_normal_gamma(p: NormalGamma, q: NormalGamma) -> Any:
    r"""\(\sup a\ln\tau + \tau h\), with h the largest value of a quadratic in \(\mu\) on its interval."""
    (low, least), (high, most) = p.ends
    square = (q.weight - p.weight) / number(2)
    slope = p.weight * p.mean - q.weight * q.mean

    def quadratic(mu: Any) -> Any:
        if abs(float(mu)) == math.inf:
            steep = float(square) or float(slope) * math.copysign(1.0, mu)
            return math.copysign(math.inf, steep) if steep else quadratic(number(0))
        return q.rate - p.rate + (q.weight * (mu - q.mean) ** 2 - p.weight * (mu - p.mean) ** 2) / 2

    means = [low, high]
    if square < 0 and low < -slope / (2 * square) < high:
        means.append(-slope / (2 * square))
    h, a = max((quadratic(mu) for mu in means), key=float), p.shape - q.shape
    taus = [least, most]
    if a > 0 and -math.inf < h < 0 and least < -a / h < most:
        taus.append(-a / h)
    values = [_rise(a, h, tau) for tau in taus]
    return max(values, key=float)


def _rise(a: Any, h: Any, tau: Any) -> Any:
    r"""\(a\ln\tau + \tau h\), its limit where \(\tau\) is zero or infinite."""
    if tau == 0:
        return number(0) if a == 0 else math.copysign(math.inf, -float(a))
    if tau == math.inf:
        steep = float(h) or float(a)
        return math.copysign(math.inf, steep) if steep else number(0)
    return tau * h if a == 0 else a * log(tau) + tau * h
