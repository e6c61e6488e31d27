r"""Distance of a chain from the posterior, measured by the maximum mean discrepancy or by the error of the mean."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from ..checks import Floats, need

# chosen: as in the published experiments
BANDWIDTH_PAIRS = 500
"""Number of pairs of points whose median distance sets the width of the kernel."""


def mmd(sample: ArrayLike, reference: ArrayLike, rng: np.random.Generator) -> float:
    r"""Estimate of the maximum mean discrepancy between two samples.

    The function computes the unbiased estimate of the squared discrepancy and returns the square root of its absolute
    value. The kernel is \(e^{-|x - y|^2 / (2 w^2)}\). The width w is the median distance in ``BANDWIDTH_PAIRS`` random
    pairs, each of which has one point from each sample. The published experiments use the same width; their paper
    prints the kernel without the minus sign.

    Args:
        sample: Points of the first sample, one in each row.
        reference: Points of the second sample, one in each row.
        rng: Random number generator for the choice of the pairs.

    Returns:
        The discrepancy; nan if more than half of the pairs have distance 0, because then w = 0.
    """
    x, y = np.asarray(sample, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    good = x.ndim == y.ndim == 2 and x.shape[1] == y.shape[1] and min(len(x), len(y)) >= 2
    allowed = "two or more points of one dimension"
    need(good, f"sample and reference must have {allowed}, got shapes {x.shape} and {y.shape}")
    differences = x[rng.integers(len(x), size=BANDWIDTH_PAIRS)] - y[rng.integers(len(y), size=BANDWIDTH_PAIRS)]
    width = float(np.median(np.sqrt(np.sum(differences**2, axis=1))))

    def kernel(a: Floats, b: Floats) -> float:
        return float(np.exp(cdist(a, b, "sqeuclidean") / (-2 * width**2)).sum())

    m, n = len(x), len(y)
    within = (kernel(x, x) - m) / (m * (m - 1)) + (kernel(y, y) - n) / (n * (n - 1))
    return float(np.sqrt(abs(within - 2 * kernel(x, y) / (m * n))))


def mean_distance(sample: ArrayLike) -> float:
    """Euclidean distance between the origin and the mean of a sample with one point in each row.

    >>> mean_distance([[3.0, 0.0], [3.0, 8.0]])
    5.0
    """
    return float(np.sqrt(np.sum(np.asarray(sample, dtype=np.float64).mean(axis=0) ** 2)))


def second_half(samples: Floats, most: int = 1000) -> Floats:
    """Second half of a chain, thinned evenly to at most ``most`` states.

    Args:
        samples: States of a chain, one in each row.
        most: Largest number of states to return; ``mmd`` compares 1000 states with a sample in at most 0.1 s.

    Returns:
        The retained states, one in each row.
    """
    kept = samples[len(samples) // 2 :]
    return np.asarray(kept[np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(int)])
