r"""Distances of chains from the posterior: maximum mean discrepancy, and the error of the mean."""

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Floats

# chosen: as in the published experiments
BANDWIDTH_PAIRS = 500
"""Number of pairs of points whose median distance is the width of the kernel."""


def mmd(sample: ArrayLike, reference: ArrayLike, rng: np.random.Generator) -> float:
    r"""Maximum mean discrepancy of two samples: the root of the absolute value of the unbiased estimate of its square.

    The kernel is \(e^{-|x - y|^2 / (2 w^2)}\). The width w is the median distance of ``BANDWIDTH_PAIRS`` random pairs,
    one point of each sample: the choice of the published experiments, which print the kernel without the minus sign.

    Args:
        sample: Points, a row each.
        reference: Points of the other sample, a row each.
        rng: Random number generator.

    Returns:
        The discrepancy; nan if more than half of the pairs have the distance 0, as then w is 0.
    """
    x, y = np.asarray(sample, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1] or min(len(x), len(y)) < 2:
        raise ValueError(
            f"sample and reference must have two or more points of one dimension, got shapes {x.shape} and {y.shape}"
        )
    differences = x[rng.integers(len(x), size=BANDWIDTH_PAIRS)] - y[rng.integers(len(y), size=BANDWIDTH_PAIRS)]
    width = float(np.median(np.sqrt(np.sum(differences**2, axis=1))))

    def kernel(a: Floats, b: Floats) -> float:
        square = np.sum(a**2, axis=1)[:, None] + np.sum(b**2, axis=1)
        square -= 2 * a @ b.T  # in place, here and below: for thousands of points the array is large
        np.maximum(square, 0.0, out=square)
        square /= -2 * width**2
        return float(np.exp(square, out=square).sum())

    centre = y.mean(axis=0)  # near 0 the squares in the kernel are small, and their difference keeps its digits
    x, y = x - centre, y - centre
    m, n = len(x), len(y)
    within = (kernel(x, x) - m) / (m * (m - 1)) + (kernel(y, y) - n) / (n * (n - 1))
    return float(np.sqrt(abs(within - 2 * kernel(x, y) / (m * n))))


def mean_distance(sample: ArrayLike) -> float:
    """Euclidean distance of the mean of a sample, points in rows, from the origin.

    >>> mean_distance([[3.0, 0.0], [3.0, 8.0]])
    5.0
    """
    return float(np.sqrt(np.sum(np.asarray(sample, dtype=np.float64).mean(axis=0) ** 2)))


def second_half(samples: Floats, most: int = 1000) -> Floats:
    """Second half of a chain, thinned evenly to at most ``most`` states.

    Args:
        samples: States of a chain, a row each.
        most: Largest number of states that are kept; 1000 are compared with a reference sample in 0.06 s (``mmd``).

    Returns:
        The states that are kept.
    """
    kept = samples[len(samples) // 2 :]
    return np.asarray(kept[np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(int)])
