r"""Discrete Gaussian noise: \(\Pr[z] \propto e^{-\tau z^2 / 2}\) on the whole numbers (Canonne, Kamath and Steinke
2020).

Its tails have no closed form. They are sums of positive terms that fall faster than any geometric series, so that a
sum of finitely many and a bound on the rest is all that is needed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..arithmetic import approximate, exp, give_or_take, in_doubles, log, number, numbers
from ..checks import Floats, Integers, Numbers
from ..guarantees import ZCDP
from . import integer_noise

REACH = 39.0
"""Doubles have no smaller probability than that of so many standard deviations."""

TABULATED = 1e3
"""Up to this deviation tails are added up; beyond, they are integrals with the corrections of Euler and Maclaurin."""

DIGITS = 150.0
"""Over balls, terms below this power of 1/e are left to the bound on the rest."""


@dataclass(frozen=True)
class GaussianNoise:
    """Discrete Gaussian noise of any size, and its exact draw at a rational precision.

    >>> GAUSSIAN.at(1.0).log_point(np.arange(-1, 2)).round(4)
    array([-1.4189, -0.9189, -1.4189])
    """

    drawn: Callable[[Fraction], int] | None = None
    smooth: bool = True

    def at(self, precision: Any) -> "GaussianNoiseAt":
        """The noise of one size."""
        return GaussianNoiseAt(precision)

    def rate(self, epsilon: Any, scale: Any) -> Any:
        r"""The precision at a budget: \(\rho = \Delta^2 \tau / 2\) is \(\varepsilon^2 / 2\) where the scale is
        \(\Delta^2\).
        """
        return epsilon * epsilon / scale

    def promise(self, epsilon: Any, share: Any = 1) -> ZCDP:
        """What it promises where the noise hides more than needed, or less."""
        return ZCDP(epsilon * epsilon / 2 * share)

    def pattern(self) -> dict[str, bool]:
        """What the explorer needs of it."""
        return {"gaussian": True}

    def told(self, noisy: Sequence[int], n: int) -> list[int]:
        """The farther beyond 0..n a noisy count lies, the more it tells."""
        return list(noisy)


class GaussianNoiseAt:
    r"""Noise of one precision \(\tau = 1/\sigma^2\), the factor in the exponent and no variance exactly.

    >>> noise = GaussianNoiseAt(0.25)
    >>> round(float(np.exp(noise.log_at_least(np.array(1))) * 2 + np.exp(noise.log_point(np.array(0)))), 12)
    1.0
    """

    width = 1
    """The length of a period: the formula of the weights is smooth."""

    def __init__(self, precision: Any) -> None:
        self.precision = precision
        self.deviation = 1 / math.sqrt(float(approximate(precision)))

    @property
    def decay(self) -> float:
        r"""Beyond m is \(e^{-m/\sigma}\) at most, up to a constant."""
        return 1 / self.deviation

    @cached_property
    def _log_total(self) -> Any:
        # both sides, and zero once
        return log(2 * exp(self._log_upper(np.zeros(1, dtype=np.int64))[0]) - 1)

    def log_point(self, move: Any) -> Numbers:
        """Log probability of a move."""
        square = np.asarray(move, dtype=np.float64) ** 2 if in_doubles() else _squares(move)
        points: Numbers = -self.precision / 2 * square - self._log_total
        return points

    def log_at_least(self, move: Any) -> Numbers:
        r"""\(\ln \Pr[X \ge m]\) for \(m \ge 0\)."""
        shape, flat = np.shape(move), np.atleast_1d(move).ravel()
        tails: Numbers = (self._log_upper(flat) - self._log_total).reshape(shape)
        return tails if shape else tails[()]

    def log_at_most(self, move: Any) -> Numbers:
        r"""\(\ln \Pr[X \le m]\) for \(m < 0\)."""
        return self.log_at_least(-np.asarray(move))

    def _log_upper(self, move: Any) -> Numbers:
        r"""\(\ln \sum_{z \ge m} e^{-\tau z^2/2}\) for \(m \ge 0\)."""
        if not in_doubles():
            return numbers([self._enclosed(int(m)) for m in move])
        z = np.asarray(move, dtype=np.int64)
        if self.deviation <= TABULATED:
            far = z >= len(self._table)
            found = self._table[np.where(far, 0, z)]
        else:
            far = z * float(self.precision) > 0.1
            found = self._integral(np.where(far, 0, z))
        distinct, where = np.unique(z[far], return_inverse=True)
        found[far] = self._far(distinct.astype(np.float64))[where]
        return found

    def _integral(self, m: Integers) -> Floats:
        r"""By Euler and Maclaurin, to the fifth derivative: \(\tau m \le 0.1\) leaves an error below 1e-13."""
        tau = float(self.precision)
        y = tau * m
        corrections = 0.5 + y / 12 - (y**3 - 3 * tau * y) / 720 + (y**5 - 10 * tau * y**3 + 15 * tau**2 * y) / 30240
        rest = math.sqrt(math.pi / (2 * tau)) * special.erfcx(m * math.sqrt(tau / 2))
        found: Floats = np.log(rest + corrections) - tau / 2 * m.astype(np.float64) ** 2
        return found

    @cached_property
    def _table(self) -> Floats:
        """From the largest number down, so that small terms are added first."""
        z = np.arange(math.ceil(REACH * self.deviation) + 2, dtype=np.float64)
        logs = -self.precision / 2 * z**2
        last = self._far(z[-1:] + 1)
        found: Floats = np.logaddexp.accumulate(np.append(last, logs[::-1]))[1:][::-1]
        return found

    def _far(self, m: Floats) -> Floats:
        """By the terms after the first, which fall at least like a geometric series; about as many at a time."""
        tau, found = float(self.precision), np.empty(len(m))
        doublings = np.ceil(np.log2(np.ceil(40 / (m * tau)) + 1))
        for doubling in np.unique(doublings):
            j, (rows,) = np.arange(min(2**doubling, 10_000_000)), np.nonzero(doublings == doubling)
            for block in np.array_split(rows, -(-len(rows) * len(j) // 1_000_000)):
                found[block] = np.log(np.exp(-tau * j * (m[block, None] + j / 2)).sum(axis=1))
        return found - tau / 2 * m * m

    def _enclosed(self, m: int) -> Any:
        """Terms until they are below the digits, and the geometric series that the rest is below."""
        total, z, tau = number(0), m, self.precision
        while float(approximate(tau)) / 2 * (z * z - m * m) < DIGITS:
            total, z = total + exp(-tau * (z * z - m * m) / 2), z + 1
        rest = exp(-tau * (z * z - m * m) / 2) / (1 - exp(-tau * (2 * z + 1) / 2))
        return log(give_or_take(total, rest)) - tau * m * m / 2

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Draws by inversion from the table; of much larger noise, normal numbers rounded, to a share of 1e-7."""
        if self.deviation > TABULATED:
            return np.rint(rng.standard_normal(size) * self.deviation).astype(np.int64)
        upper = np.exp(self.log_at_least(np.arange(1, len(self._table))))  # Pr[X >= 1], Pr[X >= 2], ...
        share = rng.random(size)
        below = share < 0.5
        noise = len(upper) - np.searchsorted(upper[::-1], np.minimum(share, 1 - share), side="left")
        return np.where(below, -noise, noise).astype(np.int64)


def _squares(move: Any) -> Any:
    exact = np.frompyfunc(lambda m: number(int(m)) ** 2, 1, 1)(np.asarray(move, dtype=object))
    return exact if np.ndim(move) else number(int(move)) ** 2


GAUSSIAN = GaussianNoise(integer_noise.discrete_gaussian)
"""The noise of the discrete Gaussian mechanism."""
