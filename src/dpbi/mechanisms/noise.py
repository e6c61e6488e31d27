r"""Integer noise whose probability mass function decreases by a constant factor from period to period.

A period consists of w consecutive integers. From each period to the next one farther from zero, the probabilities
decrease by the factor \(r = e^{-\gamma}\). Within a period, the probabilities are proportional to integer powers of r.
So the distribution is given by two tuples of exponents, u and l,

\[ \Pr[X = m] \propto r^{\lfloor m/w \rfloor + u_{m \bmod w}} \; (m \ge 0), \qquad
   \Pr[X = -1-j] \propto r^{\lfloor j/w \rfloor + l_{j \bmod w}} \; (j \ge 0) . \]

From these exponents, the probability mass function, the tails and the draws for study are computed. For release, the
module ``integer_noise`` makes exact draws in integer arithmetic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import exp, expm1, log, log_one_minus_exp, log_sum_exp, numbers, remembered
from ..checks import Integers, Numbers
from ..guarantees import PureDP
from . import integer_noise
from .gaussian_noise import GaussianNoiseAt


@dataclass(frozen=True, eq=False)
class Noise:
    """A family of noise distributions with given exponents, one distribution for each rate.

    Attributes:
        upper: Exponents at 0, 1, ..., over the first period.
        lower: Exponents at -1, -2, ..., over the first period.
        exact_draw: Function that draws the noise exactly for a rational rate, or None.

    >>> TWO_SIDED_GEOMETRIC.at(1.0).log_point(np.arange(-1, 2)).round(4)
    array([-1.7719, -0.7719, -1.7719])
    """

    upper: tuple[int, ...]
    lower: tuple[int, ...]
    exact_draw: Callable[[Fraction], int] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        checks.need(self.upper and self.lower, "upper and lower must have one exponent or more, got none")
        # exponents on each side up to the start of the next period, and the two exponents next to zero
        turns = [*self.upper, self.upper[0] + 1], [*self.lower, self.lower[0] + 1], [self.upper[0], self.lower[0]]
        steps = [abs(after - before) for turn in turns for before, after in zip(turn, turn[1:], strict=False)]
        allowed = "periods of one length whose exponents change by at most 1 per integer, also between periods"
        good = len(self.upper) == len(self.lower) and max(steps) <= 1  # the loss of a change by 1 is at most the rate
        checks.need(good, f"upper and lower must be {allowed}, got {self.upper} and {self.lower}")

    @property
    def width(self) -> int:
        """Number of integers in a period."""
        return len(self.upper)

    @remembered
    def at(self, rate: Any) -> "NoiseAt":
        r"""The noise with a given rate \(\gamma\), cached because its tails take longer than a distribution."""
        return NoiseAt(self, rate)

    def rate(self, epsilon: Any, scale: Any) -> Any:
        """The rate for a budget epsilon, if one replaced record changes the counts by at most ``scale`` in total."""
        return epsilon / scale

    def promise(self, epsilon: Any, share: Any = 1) -> PureDP:
        """Guarantee for a budget, if the change in the noisy counts is at most ``share`` times the scale."""
        return PureDP(epsilon * share)

    def informative_part(self, noisy: Sequence[int], n: int) -> list[int]:
        """Noisy counts moved towards 0..n by whole periods, which leaves likelihood ratios of datasets unchanged."""
        width = self.width
        return [z % width - width if z < 0 else n + 1 + (z - n - 1) % width if z > n else z for z in noisy]


class NoiseAt:
    r"""Noise with a given rate \(\gamma\).

    If U and L are the weights of the first periods above and below zero, the total weight is \((U + L) / (1 - r)\).
    """

    def __init__(self, noise: Noise, rate: Any) -> None:
        self.width, self.rate = noise.width, rate
        self._upper, self._lower = (numbers(-rate * np.array(one, dtype=object)) for one in (noise.upper, noise.lower))
        self._total = log_sum_exp(np.concatenate([self._upper, self._lower]))
        self._step = log(-expm1(-rate))
        self._above, self._below = self._tails(self._upper), self._tails(self._lower)

    @property
    def decay(self) -> float:
        """Decrease in the log probability per integer, averaged over a period."""
        return float(self.rate) / self.width

    def _tails(self, side: Numbers) -> Numbers:
        # the tail that begins at place t of the first period, times 1 - r, is (1 - r) times the rest of that period
        # plus r U for all later periods
        log_period = log_sum_exp(side) - self.rate
        rest = [log_sum_exp(np.stack([log_sum_exp(side[t:]) + self._step, log_period])) for t in range(self.width)]
        return np.asarray(numbers(rest) - self._total)

    def log_point(self, change: Any) -> Numbers:
        """Log probability that the noise is equal to ``change``, which may be a real number if the period is 1."""
        up, down = self._place(change), self._place(-1 - change)
        above, below = self._upper[up[1]] - self.rate * up[0], self._lower[down[1]] - self.rate * down[0]
        return np.asarray(self._step - self._total + np.where(change >= 0, above, below))

    def log_at_least(self, change: Any) -> Numbers:
        r"""Log upper tail, \(\ln \Pr[X \ge m]\) for \(m \ge 0\)."""
        period, place = self._place(change)
        return np.asarray(self._above[place] - self.rate * period)

    def log_at_most(self, change: Any) -> Numbers:
        r"""Log lower tail, \(\ln \Pr[X \le m]\) for \(m < 0\)."""
        period, place = self._place(-1 - change)
        return np.asarray(self._below[place] - self.rate * period)

    def _place(self, distance: Any) -> tuple[Any, Any]:
        """Number of the period that contains a distance from zero, and the place of the distance in that period."""
        if self.width == 1:
            return distance, np.zeros(np.shape(distance), dtype=np.int64)
        return np.divmod(distance, self.width)

    def draw(self, rng: np.random.Generator, size: int = 1) -> Integers:
        """Random draws of the noise by inversion: first the period is drawn, and then the place within the period.

        The noise is truncated at the largest allowed total, because larger noise would be clipped to 0..n anyway.
        """
        periods = np.minimum(rng.standard_exponential(size) / self.rate, checks.LARGEST_TOTAL / self.width)
        below = np.cumsum(exp(np.concatenate([self._upper, self._lower]) - self._total))
        share = rng.random(size)
        place = np.searchsorted(below[:-1], share, side="right")
        noise: Integers = periods.astype(np.int64) * self.width + place % self.width
        return np.where(place < self.width, noise, -1 - noise)  # the mirror of m is -1 - m


NoiseLaw = NoiseAt | GaussianNoiseAt
"""Noise with a given rate or precision, whose methods compute log probabilities and log tails."""


def clamped(noise: NoiseLaw, change: Integers, lower_end: ArrayLike, upper_end: ArrayLike) -> Numbers:
    """Log probability that a count changes by ``change`` when noise is added and the result is clipped.

    Args:
        noise: The noise that is added to the count.
        change: Change in the count.
        lower_end: Whether the output is the lower end of the range, at which the probabilities of all smaller changes
            are added.
        upper_end: Whether the output is the upper end of the range, at which the probabilities of all larger changes
            are added.

    Returns:
        Log probabilities; array arguments broadcast. If an output is both the lower and the upper end, its probability
        is 1.
    """
    point = noise.log_point(change)
    # Pr[X >= m] for m < 0 is 1 - Pr[X <= m - 1], and Pr[X <= m] for m >= 0 is 1 - Pr[X >= m + 1]
    up, down = np.maximum(change, 0), np.minimum(change, -1)
    beyond = np.where(change >= 0, noise.log_at_least(up), log_one_minus_exp(noise.log_at_most(down - 1)))
    short = np.where(change < 0, noise.log_at_most(down), log_one_minus_exp(noise.log_at_least(up + 1)))
    return np.where(lower_end, np.where(upper_end, 0, short), np.where(upper_end, beyond, point))


FLOORED_LAPLACE = Noise((0,), (0,), integer_noise.floored_laplace)
r"""Floored Laplace noise: \(\lfloor Y \rfloor\) for Laplace noise Y of scale \(1/\gamma\)."""

TWO_SIDED_GEOMETRIC = Noise((0,), (1,), integer_noise.two_sided_geometric)
r"""Two-sided geometric noise: \(\Pr[z] = \frac{1-r}{1+r} r^{|z|}\)."""

STAIRCASE = Noise((0, 1), (1, 1), integer_noise.staircase)
r"""Staircase noise with steps of two: \(\Pr[z] \propto r^{\lceil |z| / 2 \rceil}\)."""
