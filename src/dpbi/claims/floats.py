r"""The quantities of the claims in doubles: the library itself, under the names that ``balls`` has too."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..accuracy import errors as accuracy
from ..mechanisms import Mechanism, ehd, ehdl, ehds, laplace_in_order, lsdim, lshist, lszhang, smoothed_hellinger
from ..model.datasets import count_vectors, neighbours
from ..model.distances import hellinger as _hellinger
from ..model.sensitivities import exponential_smooth_sensitivity as _exponential_smooth
from ..model.sensitivities import global_sensitivity, local_sensitivity
from ..model.sensitivities import reciprocal_smooth_sensitivity as _reciprocal_smooth
from ..privacy.losses import audit as _audit
from ..privacy.losses import hockey_stick as _hockey_stick

__all__ = [
    "as_near",
    "audit",
    "count_vectors",
    "digamma",
    "distances",
    "ehd",
    "ehdl",
    "ehds",
    "error_below",
    "error_mean",
    "error_quantile",
    "exp",
    "exponential_smooth_sensitivity",
    "farthest_neighbour",
    "global_sensitivity",
    "hellinger",
    "hockey_stick",
    "integral",
    "laplace_in_order",
    "largest",
    "law",
    "less",
    "lgamma",
    "local_sensitivity",
    "log",
    "loss",
    "lsdim",
    "lshist",
    "lszhang",
    "nearer",
    "neighbours",
    "number",
    "pi",
    "reach",
    "reciprocal_smooth_sensitivity",
    "smallest",
    "smoothed_hellinger",
    "sqrt",
    "trigamma",
]

Vector = Sequence[float]

exp, log, sqrt, lgamma, pi = math.exp, math.log, math.sqrt, math.lgamma, math.pi


def number(value: Any) -> Any:
    """The number itself; a decimal in a string becomes a double."""
    return float(value) if isinstance(value, str) else value


def largest(values: Iterable[float]) -> float:
    """The maximum."""
    return max(float(value) for value in values)


def smallest(values: Iterable[float]) -> float:
    """The minimum."""
    return min(float(value) for value in values)


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function."""
    from scipy.special import digamma as psi

    return float(psi(x))


def trigamma(x: float) -> float:
    """The second derivative of the logarithm of the gamma function."""
    from scipy.special import polygamma

    return float(polygamma(1, x))


def integral(f: Callable[[Any], Any], low: float, high: float) -> float:
    """The integral of a smooth function over an interval."""
    from scipy.integrate import quad

    value: float = quad(f, low, high, epsabs=1e-14, epsrel=1e-13)[0]
    return value


def hellinger(a: Vector, b: Vector) -> float:
    """Hellinger distance between two Dirichlet distributions."""
    return float(_hellinger(np.asarray(a, float), np.asarray(b, float)))


def distances(prior: Vector, counts: Sequence[int], others: Any) -> Any:
    """Hellinger distances from the posterior of one dataset to those of others, one per row."""
    weights = np.asarray(prior, float)
    return _hellinger(weights + np.asarray(counts), weights + np.asarray(others))


def reciprocal_smooth_sensitivity(prior: Vector, counts: Sequence[int], gamma: float) -> float:
    """The smooth sensitivity of the notes."""
    return float(_reciprocal_smooth(prior, counts, gamma))


def exponential_smooth_sensitivity(prior: Vector, counts: Sequence[int], beta: float) -> float:
    """The smooth sensitivity of Definition 4.1."""
    return float(_exponential_smooth(prior, counts, beta))


def law(mechanism: Mechanism, prior: Vector, counts: Sequence[int]) -> tuple[Any, Any]:
    """The outputs, one per row, and their probabilities."""
    released = mechanism.law(prior, counts)
    return released.outputs, released.probabilities


def audit(mechanism: Mechanism, prior: Vector, n: int) -> float:
    """The worst privacy loss over all neighbours."""
    return _audit(mechanism, prior, n).epsilon


def loss(mechanism: Mechanism, prior: Vector, counts: Sequence[int], neighbour: Sequence[int]) -> float:
    """The worst privacy loss from one dataset to one neighbour."""
    here, there = mechanism.law(prior, counts), mechanism.law(prior, neighbour)
    return float((here.log_probabilities - there.log_probabilities).max())


def hockey_stick(mechanism: Mechanism, prior: Vector, n: int, epsilon: float) -> float:
    """The exact delta at an epsilon."""
    return _hockey_stick(mechanism, prior, n, epsilon)


def error_mean(mechanism: Mechanism, prior: Vector, counts: Sequence[int]) -> float:
    """The expected Hellinger error."""
    return accuracy.mean_error(mechanism, prior, counts)


def error_below(mechanism: Mechanism, prior: Vector, counts: Sequence[int], t: float) -> float:
    """The probability that the error is less than t."""
    return 1.0 - accuracy.error_tail(mechanism, prior, counts, t)


def error_quantile(mechanism: Mechanism, prior: Vector, counts: Sequence[int], gamma: float) -> float:
    """The smallest t that the error exceeds with probability at most gamma."""
    return accuracy.error_quantile(mechanism, prior, counts, gamma)


def nearer(mechanism: Mechanism, prior: Vector, counts: Sequence[int], other: Sequence[int]) -> float:
    """The probability that the error is less than the distance to another dataset."""
    return error_below(mechanism, prior, counts, float(distances(prior, counts, [other])[0]))


def as_near(mechanism: Mechanism, prior: Vector, counts: Sequence[int], other: Sequence[int]) -> float:
    """The probability that the error is at most the distance to another dataset."""
    t = float(distances(prior, counts, [other])[0])
    errors = accuracy.error_law(mechanism, prior, counts)
    return float(errors.probabilities[errors.distances <= t * (1 + 10 * accuracy.SAME)].sum())


def farthest_neighbour(prior: Vector, counts: Sequence[int]) -> tuple[int, ...]:
    """A neighbour at the distance LS(x)."""
    around = neighbours(counts)
    return tuple(int(c) for c in around[distances(prior, counts, around).argmax()])


def reach(prior: Vector, counts: Sequence[int], t: float) -> tuple[int, int]:
    """For k = 2, how many steps down and up keep the distance below t; H grows with the steps on either side."""
    x, n = counts[0], sum(counts)
    width = 64
    while True:
        rows = np.arange(max(x - width, 0), min(x + width, n) + 1)
        candidates = np.stack([rows, n - rows], axis=1)
        near = rows[distances(prior, counts, candidates) < t * (1 - accuracy.SAME)]
        low, high = (int(near[0]), int(near[-1])) if len(near) else (x, x)
        if (low > rows[0] or low == 0) and (high < rows[-1] or high == n):
            return x - low, high - x
        width *= 8


def less(a: float, b: float) -> bool:
    """Whether a < b."""
    return a < b
