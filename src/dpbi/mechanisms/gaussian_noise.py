r"""Discrete Gaussian noise: \(\Pr[z] \propto e^{-\tau z^2 / 2}\) on the integers (Canonne, Kamath and Steinke 2020).

The tails have no closed form. If the precision is small, the tails are computed as integrals with Euler-Maclaurin
corrections. Otherwise they are computed as sums of positive terms, which decrease faster than the terms of any
geometric series.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..arithmetic import Undecided, approximate, exp, in_doubles, log, remembered
from ..checks import Integers, Numbers, need
from ..guarantees import ZCDP
from . import integer_noise

# proved: if precision times change is at least 0.1, the next term is below e^-40 times the first term
TAIL_TERMS = 400
"""Largest number of terms that are summed for a tail."""

# at this deviation the probabilities of rounded normal variates have a relative error of 1e-7
MAX_INVERSION_DEVIATION = 1e3
"""Largest standard deviation at which noise is drawn by inversion; larger noise is a rounded normal variate."""


class GaussianNoise:
    """Discrete Gaussian noise for every precision, with exact draws for rational precisions.

    >>> GAUSSIAN.at(1.0).log_point(np.arange(-1, 2)).round(4)
    array([-1.4189, -0.9189, -1.4189])
    """

    exact_draw = staticmethod(integer_noise.discrete_gaussian)

    @remembered
    def at(self, precision: Any) -> "GaussianNoiseAt":
        r"""The noise with a given precision \(\tau\)."""
        return GaussianNoiseAt(precision)

    def rate(self, epsilon: Any, scale: Any) -> Any:
        r"""The precision \(\tau = \varepsilon^2 / \Delta^2 = 2\rho / \Delta^2\) for a budget and scale \(\Delta^2\)."""
        return epsilon * epsilon / scale

    def promise(self, epsilon: Any, share: Any = 1) -> ZCDP:
        """Guarantee of the noise for a budget, if the squared change in counts is at most ``share`` times the scale."""
        return ZCDP(epsilon * epsilon / 2 * share)

    def informative_part(self, noisy: Sequence[int], n: int) -> list[int]:
        """The noisy counts, unchanged, because a count is more informative the farther outside 0..n it lies."""
        return list(noisy)


class GaussianNoiseAt:
    r"""Noise with precision \(\tau = 1/\sigma^2\), the factor in the exponent; the variance is not exactly \(1/\tau\).

    >>> noise = GaussianNoiseAt(0.25)
    >>> round(float(np.exp(noise.log_at_least(np.array(1))) * 2 + np.exp(noise.log_point(np.array(0)))), 12)
    1.0
    """

    width = 1
    """Length of a period, which is 1 because one smooth formula gives all weights."""

    def __init__(self, precision: Any) -> None:
        self.precision = precision
        self.deviation = 1 / math.sqrt(float(approximate(precision)))

    @property
    def decay(self) -> float:
        r"""Rate \(1/\sigma\) in a geometric bound on the tail, \(\Pr[X \ge m] \le 2 e^{-m/\sigma}\)."""
        return 1 / self.deviation

    @cached_property
    def _log_total(self) -> Any:
        # zero is in both tails and must be counted once
        return log(2 * exp(self._log_upper(np.zeros(1, dtype=np.int64))[0]) - 1)

    def log_point(self, change: Any) -> Numbers:
        """Log probability that the noise is equal to ``change``."""
        total = self._log_total
        return np.asarray(-self.precision / 2 * np.asarray(change, dtype=np.float64) ** 2 - total)

    def log_at_least(self, change: Any) -> Numbers:
        r"""Log upper tail, \(\ln \Pr[X \ge m]\) for \(m \ge 0\)."""
        return np.reshape(self._log_upper(np.ravel(change)) - self._log_total, np.shape(change))

    def log_at_most(self, change: Any) -> Numbers:
        r"""Log lower tail, \(\ln \Pr[X \le m]\) for \(m < 0\)."""
        return self.log_at_least(-np.asarray(change))

    def _log_upper(self, change: Any) -> Numbers:
        r"""Log weight of an upper tail, \(\ln \sum_{z \ge m} e^{-\tau z^2/2}\) for \(m \ge 0\)."""
        need(in_doubles(), "the law of discrete_gaussian is computed in doubles alone", Undecided)
        distinct, where = np.unique(np.asarray(change, dtype=np.float64), return_inverse=True)
        tau, y = float(self.precision), float(self.precision) * distinct
        near = (y <= 0.1) & (tau <= 1e-3)
        found = np.empty(len(distinct))
        # Euler-Maclaurin corrections up to the fifth derivative leave an error below 1e-13
        y, z = y[near], distinct[near]
        corrections = 0.5 + y / 12 - (y**3 - 3 * tau * y) / 720 + (y**5 - 10 * tau * y**3 + 15 * tau**2 * y) / 30240
        found[near] = np.log(math.sqrt(math.pi / (2 * tau)) * special.erfcx(z * math.sqrt(tau / 2)) + corrections)
        j = np.arange(min(TAIL_TERMS, math.ceil(math.sqrt(80 / tau)) + 1))
        for some in np.array_split(np.flatnonzero(~near), 1 + len(distinct) // 2000):
            found[some] = np.log(np.exp(-tau * j * (distinct[some, None] + j / 2)).sum(axis=1))
        return (found - tau / 2 * distinct * distinct)[where]

    def draw(self, rng: np.random.Generator, size: int = 1) -> Integers:
        """Random draws of the noise, by inversion or, if the noise is large, as rounded normal variates."""
        if self.deviation > MAX_INVERSION_DEVIATION:
            return np.rint(np.clip(rng.standard_normal(size) * self.deviation, -(2**53), 2**53)).astype(np.int64)
        # Pr[X >= 1], Pr[X >= 2], ... down to the smallest positive doubles
        upper = np.exp(self.log_at_least(np.arange(1, math.ceil(39 * self.deviation) + 2)))
        share = rng.random(size)
        below = share < 0.5
        noise = len(upper) - np.searchsorted(upper[::-1], np.minimum(share, 1 - share), side="left")
        return np.where(below, -noise, noise).astype(np.int64)


GAUSSIAN = GaussianNoise()
"""The noise of the discrete Gaussian mechanism."""
