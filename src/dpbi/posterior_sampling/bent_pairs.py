r"""Two ``Gamma`` laws, or two ``Beta`` laws, of any shapes on one interval: their log ratio bends at most once.

\[ \ln\frac{p(\theta)}{q(\theta)} = A \ln\theta - B\theta + \text{const} \quad\text{or}\quad
   A \ln\theta + B \ln(1 - \theta) + \text{const} , \]

with A and B the differences of the shapes and rates, or of both weights. Its derivative is zero at one parameter at
most, so what is above a level is an interval on either side, with ends that a root finder encloses.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_expit

from ..arithmetic import approximate, digamma, exp, in_doubles, largest, less, log, number, plain, root
from .interval_laws import Beta, Gamma, integral

FARTHEST = 1000
"""Powers of two beyond which no crossing is looked for: they are no doubles, and no law of doubles has mass there."""


@dataclass(frozen=True, eq=False)
class BentPair:
    """Two laws of one kind on one interval, over any numbers."""

    p: Any
    q: Any

    @cached_property
    def factors(self) -> tuple[Any, Any]:
        r"""A and \(\mp B\): what \(\ln\theta\), and \(\theta\) or \(\ln(1 - \theta)\), are multiplied by."""
        if isinstance(self.p, Gamma):
            return self.p.shape - self.q.shape, self.q.rate - self.p.rate
        return self.p.a - self.q.a, self.p.b - self.q.b

    @cached_property
    def level(self) -> Any:
        """The constant."""
        return self.q.log_mass - self.p.log_mass

    def log_ratio(self, theta: Any) -> Any:
        """The log ratio at a parameter, its limit at an end."""
        (a, b), gamma = self.factors, isinstance(self.p, Gamma)
        if theta == 0:
            first, second = _limit(a, -1), number(0)
        elif theta == math.inf:  # the linear term wins
            first, second = (_limit(a, 1) if b == 0 else number(0)), _limit(b, 1)
        elif not gamma and theta == 1:
            first, second = number(0), _limit(b, -1)
        else:
            first, second = a * log(theta), b * (theta if gamma else log(1 - theta))
        infinite = [value for value in (first, second) if _infinite(value)]
        return infinite[0] if infinite else self.level + first + second

    def log_ratio_along(self, t: Any) -> Any:
        """The same at the variable t of the curve of p, in doubles."""
        (a, b), mode = self.factors, self.p.mode
        if isinstance(self.p, Gamma):
            return self.level + a * (math.log(mode) + t) + b * mode * np.exp(t)
        return self.level + a * log_expit(mode + t) + b * log_expit(-mode - t)

    @cached_property
    def turns(self) -> list[Any]:
        """The parameter inside the interval where the log ratio turns, if there is one."""
        a, b = self.factors
        bottom = -b if isinstance(self.p, Gamma) else a + b
        if bottom == 0:
            return []
        turn, (low, high) = a / bottom, self.p.ends
        return [turn] if less(low, turn) and (high == math.inf or less(turn, high)) else []

    @property
    def loss(self) -> Any:
        """The supremum of the log ratio."""
        values = [self.log_ratio(theta) for theta in (*self.p.ends, *self.turns)]
        return math.inf if math.inf in values else plain(largest([v for v in values if v != -math.inf]))

    @property
    def divergence(self) -> Any:
        """The mean of the log ratio under p."""
        if in_doubles():
            return self.p.curve.mean(self.log_ratio_along)
        (low, high), (a, b) = self.p.ends, self.factors
        if low == 0 and high == (math.inf if isinstance(self.p, Gamma) else 1):
            return self.level + sum(factor * mean for factor, mean in zip((a, b), self._means(), strict=True))
        if low == 0 or high == math.inf or (isinstance(self.p, Beta) and high == 1):
            raise ValueError(f"p and q must have ends inside for an enclosure of their divergence, got {self.p!r}")

        def ratio(theta: Any) -> Any:
            return a * log(theta) + b * (theta if isinstance(self.p, Gamma) else log(1 - theta))

        return self.level + integral(self.p, ratio) / exp(self.p.log_mass)

    def _means(self) -> tuple[Any, Any]:
        r"""The means of \(\ln\theta\), and of \(\theta\) or \(\ln(1 - \theta)\), under a law that is not cut."""
        if isinstance(self.p, Gamma):
            return digamma(self.p.shape) - log(self.p.rate), self.p.shape / self.p.rate
        return digamma(self.p.a) - digamma(self.p.a + self.p.b), digamma(self.p.b) - digamma(self.p.a + self.p.b)

    @property
    def variation(self) -> Any:
        """Total variation."""
        return self.delta(number(0))

    def delta(self, epsilon: Any) -> Any:
        r"""\(\int (p - e^{\varepsilon} q)_+\)."""
        parts = self.above(epsilon)
        gains = [self.p.mass(*part) - exp(epsilon) * self.q.mass(*part) for part in parts]
        return plain(sum(gains, number(0)))

    def above(self, epsilon: Any) -> list[tuple[Any, Any]]:
        r"""The intervals on which the log ratio is above \(\varepsilon\)."""
        corners = [self.p.ends[0], *self.turns, self.p.ends[1]]
        found = []
        for low, high in itertools.pairwise(corners):
            start, end = self.exceeds(epsilon, low), self.exceeds(epsilon, high)
            if start and end:
                found.append((low, high))
            elif start or end:
                middle = self.crossing(epsilon, low, high, 1 if end else -1)
                found.append((middle, high) if end else (low, middle))
        return found

    def exceeds(self, epsilon: Any, theta: Any) -> bool:
        """Whether the log ratio is above a level at a parameter, or in the limit there."""
        ratio = self.log_ratio(theta)
        return ratio > 0 if _infinite(ratio) else bool(less(epsilon, ratio))

    def crossing(self, epsilon: Any, low: Any, high: Any, direction: int) -> Any:
        """Where the log ratio, which rises or falls between two parameters, is at a level."""
        ends = [self._near(low, high, epsilon, direction < 0), self._near(high, low, epsilon, direction > 0)]
        return root(lambda theta: direction * (self.log_ratio(number(theta)) - epsilon), *ends)

    def _near(self, end: Any, other: Any, epsilon: Any, above: bool) -> Any:
        """An end, or a parameter so near to one at zero, one or infinity that it is on the same side of the level."""
        start = float(other)
        if end == math.inf:
            steps = (max(start, 1.0) * 2.0**k for k in range(1, FARTHEST))
        elif end == 0:
            steps = (min(start, 1.0) * 0.5**k for k in range(1, FARTHEST))
        elif isinstance(self.p, Beta) and end == 1:
            steps = (1 - (1 - start) * 0.5**k for k in range(1, 50))
        else:
            return approximate(end)
        return next(theta for theta in steps if self.exceeds(epsilon, number(theta)) == above)


def _limit(factor: Any, direction: int) -> Any:
    """A factor times a logarithm or a parameter that goes to infinity in a direction."""
    return number(0) if factor == 0 else math.copysign(math.inf, float(factor) * direction)


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and abs(value) == math.inf
