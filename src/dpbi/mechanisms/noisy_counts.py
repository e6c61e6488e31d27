r"""Mechanisms that add noise to all counts but the last, clip the noisy counts and complete the total n."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, final

import numpy as np

from .. import checks
from ..arithmetic import exp, maximum, number, zeros
from ..checks import Floats, Integers
from ..guarantees import Guarantee, PureDP
from ..model.datasets import lattice, within_enumeration
from .base import Budgeted, Vectorised
from .gaussian_noise import GAUSSIAN, GaussianNoise
from .law import Law, Line, Witness, witness
from .noise import FLOORED_LAPLACE, STAIRCASE, TWO_SIDED_GEOMETRIC, Noise, NoiseLaw, clamped


def count_sensitivity(k: int) -> int:
    """Largest total change in all counts but the last when one of the records in k categories is replaced.

    >>> count_sensitivity(2), count_sensitivity(3)
    (1, 2)
    """
    return 1 if k == 2 else 2


@dataclass(frozen=True)
class NoisyCounts(Vectorised, Budgeted):
    r"""Independent noise with rate \(\varepsilon / \text{scale}(k)\) on all counts but the last.

    Each noisy count is clipped to 0..n. The last released count is n minus the sum of the other counts, or 0 if that
    sum exceeds n, which is possible with three or more categories. So the released counts need not add up to n, and
    there is one output for each vector of k - 1 counts in 0..n. A subclass defines ``noise``, and also ``scale`` if the
    scale is larger than the sensitivity.

    >>> class wider(NoisyCounts):
    ...     noise = TWO_SIDED_GEOMETRIC
    ...
    ...     @staticmethod
    ...     def scale(k):
    ...         return 3
    >>> wider(0.9).promise, wider(0.9).promise_at([1, 1, 1], 20)
    (PureDP(epsilon=0.9), PureDP(epsilon=0.6))
    """

    noise: ClassVar[Noise | GaussianNoise]
    """The noise that is added to each count."""

    currency: ClassVar[str] = "epsilon"
    r"""Parameter of a budget: "epsilon", or "rho" for zero-concentrated privacy with \(\rho = \varepsilon^2 / 2\)."""

    @staticmethod
    def scale(k: int) -> int:
        """The divisor in the rate of the noise: epsilon / scale(k), or epsilon^2 / scale(k) for Gaussian noise."""
        return count_sensitivity(k)

    @classmethod
    def _rate_at(cls, epsilon: Any, k: int) -> Any:
        """The rate of the noise for a given epsilon; raises an error if the scale is below the sensitivity."""
        scale, least = cls.scale(k), count_sensitivity(k)
        checks.need(scale >= least, f"scale must be at least the sensitivity, {least} at k={k}, got {scale}")
        return cls.noise.rate(epsilon, scale)

    @property
    def promise(self) -> Guarantee:
        return self.noise.promise(self.epsilon)

    def _promise_at(self, weights: Floats, n: int) -> Guarantee:
        k = len(weights)
        return self.noise.promise(self.epsilon, number(count_sensitivity(k)) / self.scale(k))

    @final
    def _noise(self, k: int) -> NoiseLaw:
        return self.noise.at(self._rate_at(self.epsilon, k))

    @final
    def _at(self, weights: Floats, x: Integers) -> Law:
        # the probabilities of each noisy count are computed only once for each value
        n, k = int(x.sum(axis=-1).max()), len(weights)
        outputs, here, values = _box(n, k), self._noise(k), np.arange(n + 1)
        log_p = zeros((*x.shape[:-1], len(outputs)))
        for i in range(k - 1):
            log_p += clamped(here, values - x[..., i, None], values == 0, values == n)[..., outputs[:, i]]
        return Law.known(outputs, log_p)

    def _outputs(self, weights: Floats, n: int) -> Integers:
        return _box(n, len(weights))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        noise = self._noise(len(x))
        return completed(np.column_stack([count + noise.draw(rng, size) for count in x[:-1]]), int(x.sum()))

    def _line(self, weights: Floats, x: Integers) -> Line | None:
        noise = self._noise(2)
        return noise_line(noise, weights, x) if noise.width == 1 else None

    def attained(self, n: int, k: int) -> Witness | None:
        """Neighbours and an output whose privacy loss equals ``promise_at``, or None if the rule below does not apply.

        The first count is 1 in the dataset and in the output, and 0 in the neighbour. So the neighbour gives this
        output only with noise 1 instead of noise 0, which is less likely by the factor r. With more than two
        categories, the neighbour also has one more record in the second category, so the noise there must be lower by
        1. If noise -1 is less likely than noise 0 by the factor r (``falls`` is 1), the second count of the output is
        that of the dataset. If noise -1 and noise 0 are equally likely, as for floored Laplace noise, the second count
        of the output is lower by 1, because noise -2 is less likely than noise -1 by the factor r. If the period is 1,
        the second count of the output may be 0. A released count of 0 collects the probabilities of all lower noise,
        whose sum also falls by the factor r. With longer periods, no noisy count of the output may be 0 or n, the
        values to which counts are clipped.
        """
        if isinstance(self.noise, GaussianNoise):
            return None
        falls = self.noise.lower[0] - self.noise.upper[0]
        if self.noise.width == 1:
            second = 0 if k == 2 or falls else 1
            return None if n < 1 + second else witness(n, k, second)
        steps = self.noise.upper[1] - self.noise.upper[0] == 1 and (k == 2 or falls == 1)
        return witness(n, k, second_count=1, output=(1, 1)) if n >= 2 and steps else None

    @classmethod
    def draw_exactly(cls, counts: Sequence[int], budget: Fraction) -> tuple[int, ...]:
        """Draws noisy counts for a release in integer arithmetic, with the operating system's randomness.

        Args:
            counts: Dataset, k nonnegative integers.
            budget: Epsilon, or rho for Gaussian noise.

        Returns:
            The noisy counts; the last one completes the total n.
        """
        if cls.noise.exact_draw is None:
            raise ValueError("noise must have an exact draw for a release, got noise without one")
        # the precision of Gaussian noise is rational if rho is, although epsilon, the root of 2 rho, may be irrational
        k = len(counts)
        rate = 2 * budget / cls.scale(k) if cls.currency == "rho" else cls._rate_at(budget, k)
        first = [count + cls.noise.exact_draw(rate) for count in counts[:-1]]
        return (*first, sum(counts) - sum(first))

    @staticmethod
    def legal(noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """The legal counts for given noisy counts, which are clipped and completed as integers of any size."""
        kept = [min(max(count, 0), n) for count in noisy[:-1]]
        return (*kept, max(n - sum(kept), 0))

    @classmethod
    def likelihoods(cls, epsilon: float, k: int) -> tuple[NoiseLaw | None, ...]:
        """The noise on each count but the last, and None for the last count, which has no noise of its own."""
        return (*[cls.noise.at(cls._rate_at(epsilon, k))] * (k - 1), None)

    @classmethod
    def informative_part(cls, noisy: Sequence[int], n: int) -> list[int]:
        """The noisy counts moved towards 0..n, which leaves the likelihood ratios of datasets unchanged."""
        return cls.noise.informative_part(noisy, n)


def completed(first: Integers, n: int) -> Integers:
    """Released counts of all categories, computed from the noisy counts of all categories but the last.

    The noisy counts are clipped to 0..n, and the last count is n minus their sum, or 0 if the sum exceeds n.

    Args:
        first: Noisy counts of all categories but the last, one vector per row.
        n: Number of records.

    Returns:
        Counts of all categories, one vector per row.

    >>> completed(np.array([[-1, 3], [4, 9]]), 5)
    array([[0, 3, 2],
           [4, 5, 0]])
    """
    kept = np.clip(first, 0, n)
    return np.column_stack([kept, np.maximum(n - kept.sum(axis=-1), 0)])


def noise_line(noise: NoiseLaw, weights: Floats, x: Integers) -> Line:
    """Distribution of the first of two noisy counts as a ``Line``, with the mass outside 0..n added at 0 and n."""
    ends = float(exp(noise.log_at_most(-1 - x[0]))), float(exp(noise.log_at_least(x[1] + 1)))
    return Line(weights, x, lambda change, _: noise.log_point(change), ends)


@lru_cache(maxsize=8)
def _box(n: int, k: int) -> Integers:
    """All vectors of k - 1 counts in 0..n, completed to k counts, in ascending order and in a read-only array."""
    rows: int = (n + 1) ** (k - 1)
    within_enumeration(rows, k, n, k)
    first = np.stack(np.unravel_index(np.arange(rows), (n + 1,) * (k - 1)), axis=-1)
    outputs = completed(first, n).astype(np.int64)
    outputs.flags.writeable = False
    return outputs


@final
@dataclass(frozen=True)
class lszhang(NoisyCounts):
    r"""LSZhang: floored Laplace noise of scale \(2k/\varepsilon\) on all counts but the last.

    In the notes the last parameter is zero, which is not a valid Dirichlet parameter. Here, as in LSDim, the last count
    is n minus the sum of the other counts, clipped to 0..n. This completion is post-processing and costs no privacy.

    >>> lszhang(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.1106, 0.3894])
    """

    noise = FLOORED_LAPLACE

    @staticmethod
    def scale(k: int) -> int:
        return 2 * k


@final
@dataclass(frozen=True)
class lsdim(NoisyCounts):
    r"""LSDim: floored Laplace noise of scale \(k/\varepsilon\) on all counts but the last, which completes the total.

    >>> lsdim(1.0).promise_at([1, 1], 10)
    PureDP(epsilon=0.5)
    """

    noise = FLOORED_LAPLACE

    @staticmethod
    def scale(k: int) -> int:
        return k


@final
@dataclass(frozen=True)
class lshist(NoisyCounts):
    r"""LSHist: floored Laplace noise of scale \(s/\varepsilon\) on all counts but the last, which completes the total.

    Here s is the largest total change in the noisy counts when one record is replaced: 1 for two categories and 2 for
    more.

    >>> lshist(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.3161, 0.1839])
    """

    noise = FLOORED_LAPLACE


@final
@dataclass(frozen=True)
class geometric(NoisyCounts):
    r"""Two-sided geometric noise on all counts but the last, which completes the total.

    \[ \Pr[z] \propto e^{-\varepsilon |z| / s} , \]
    with s = 1 for two categories and s = 2 for more.

    >>> geometric(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.2689, 0.4621, 0.2689])
    """

    noise = TWO_SIDED_GEOMETRIC


@final
@dataclass(frozen=True)
class staircase(NoisyCounts):
    r"""Staircase noise with steps of two (Geng and Viswanath 2016) on all counts but the last.

    \[ \Pr[z] \propto e^{-\varepsilon \lceil |z|/2 \rceil / s} , \]
    with s = 1 for two categories and s = 2 for more. For one number that a record changes by up to two, staircase noise
    has the smallest error, provided that its first step is chosen for the given epsilon and loss function. Here a
    record changes a count by at most one, so steps of two hide more than is needed.

    >>> staircase(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.3498, 0.3005, 0.3498])
    """

    noise = STAIRCASE


@final
@dataclass(frozen=True)
class discrete_gaussian(NoisyCounts):
    r"""Discrete Gaussian noise, \(\Pr[z] \propto e^{-\varepsilon^2 z^2 / (2s)}\), for zero-concentrated privacy.

    Here s is the largest sum of squared changes in the noisy counts when one record is replaced: 1 for two categories
    and 2 for more. The promise is \(\rho = \varepsilon^2/2\) (Canonne, Kamath and Steinke 2020), which
    \(\varepsilon\)-differential privacy also implies. No pure differential privacy is promised, because no finite
    epsilon is valid for every n.

    >>> discrete_gaussian(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.3005, 0.3989, 0.3005])
    >>> discrete_gaussian(1.0).promise
    ZCDP(rho=0.5)
    """

    epsilon: float = field(metadata={"above": 0, "least": 1e-150, "most": 1e150})  # its square must be a double
    noise = GAUSSIAN
    currency = "rho"


@final
@dataclass(frozen=True)
class laplace_in_order(Vectorised, Budgeted):
    r"""Floored Laplace noise of scale \(s/\varepsilon\), with counts that are clipped in turn to keep the total n.

    Each noisy count is clipped to lie between 0 and n minus the sum of the earlier released counts. The last count is
    the remainder (Hellinger paper, section 6.2). When one record is replaced, the total change in the noisy counts is
    at most 1 for k = 2 and at most 2 for larger k. The epsilon of ``promise_at`` is the parameter epsilon times the
    bound on the total change, divided by s.

    Attributes:
        epsilon: Privacy parameter, > 0.
        sensitivity: The number s, > 0.

    >>> laplace_in_order(1.0).promise_at([1, 1], 10)
    PureDP(epsilon=0.5)
    """

    sensitivity: float = field(default=2.0, metadata={"above": 0})

    @property
    def promise(self) -> PureDP:
        return PureDP(self.epsilon * maximum(1.0, 2 / self.sensitivity))

    def _promise_at(self, weights: Floats, n: int) -> PureDP:
        return PureDP(self.epsilon * count_sensitivity(len(weights)) / self.sensitivity)

    def _noise(self) -> NoiseLaw:
        return FLOORED_LAPLACE.at(self.epsilon / self.sensitivity)

    def _at(self, weights: Floats, x: Integers) -> Law:
        n, k, noise = int(x.sum(axis=-1).max()), len(weights), self._noise()
        outputs, values = lattice(n, k), np.arange(n + 1)
        remaining: Integers = np.full(len(outputs), n)
        log_p: Floats = zeros((*x.shape[:-1], len(outputs)))
        for i in range(k - 1):
            value = outputs[:, i]
            # a count equal to the remainder of n collects the probabilities of all larger noise
            inside, last = (clamped(noise, values - x[..., i, None], values == 0, end) for end in (False, True))
            log_p += np.where(value == remaining, last[..., value], inside[..., value])
            remaining = remaining - value
        return Law.known(outputs, log_p)

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        noise, remaining = self._noise(), np.full(size, x.sum())
        released = np.empty((size, len(x)), dtype=np.int64)
        for i in range(len(x) - 1):
            released[:, i] = np.clip(x[i] + noise.draw(rng, size), 0, remaining)
            remaining = remaining - released[:, i]
        released[:, -1] = remaining
        return released

    def _line(self, weights: Floats, x: Integers) -> Line:
        # with two categories only the first count is noisy, and it is clipped to 0..n as in ``NoisyCounts``
        return noise_line(self._noise(), weights, x)
