r"""How well chains mix: R-hat and the effective sample size, from the samples alone.

With the draws of all chains, each split in two, brought to normal scores by their ranks, W the mean variance within the
halves and B the variance of their means times the length N,

\[ \hat R = \sqrt{\frac{\frac{N-1}{N} W + \frac1N B}{W}} , \]

the larger of that of the draws and of that of their distances from the median; and the effective sample size is
\(M N / \hat\tau\) with \(\hat\tau = -1 + 2 \sum_t \hat P_t\), \(\hat P_t\) the sums of two neighbouring
autocorrelations over all M halves up to the first that is negative, made to fall, and the autocorrelation after them
if it is positive (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021). A chain that never moved has an R-hat that is
not a number and an effective size of one draw.
"""

import numpy as np
from scipy.special import ndtri

from ..checks import Floats

LEAST = 4
"""Draws of a chain below which nothing is said."""


def r_hat(draws: Floats) -> float:
    """R-hat of one parameter, from draws of the shape (iterations, chains)."""
    if len(draws) < LEAST:
        return float("nan")
    halves = _halves(draws)
    return float(max(_ratio(_scores(halves)), _ratio(_scores(np.abs(halves - np.median(halves))))))


def effective_size(draws: Floats) -> float:
    """The effective sample size of the mean of one parameter, from draws of the shape (iterations, chains)."""
    if len(draws) < LEAST:
        return float("nan")
    z = _scores(_halves(draws))
    n, m = z.shape
    if np.ptp(z) == 0 or (np.ptp(z, axis=0) == 0).all():
        return 1.0
    centred = z - z.mean(axis=0)
    padded = np.fft.rfft(centred, 2 * n, axis=0)
    covariance = np.fft.irfft(np.abs(padded) ** 2, axis=0)[:n].mean(axis=1) / n
    within = covariance[0] * n / (n - 1)
    total = covariance[0] + (z.mean(axis=0).var(ddof=1) if m > 1 else 0.0)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    pairs = correlation[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    last = min([*negative[:1], (n - 3) // 2])
    next_one = max(0.0, correlation[2 * last])
    time = -1 + 2 * np.minimum.accumulate(pairs[:last]).sum() + next_one
    return float(m * n / max(time, 1 / np.log10(m * n)))


def _halves(draws: Floats) -> Floats:
    n = len(draws) // 2
    return np.concatenate([draws[:n], draws[len(draws) - n :]], axis=1)


def _scores(draws: Floats) -> Floats:
    from scipy.stats import rankdata  # imported here, for that takes longer than many a call

    ranks = rankdata(draws, method="average").reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)))


def _ratio(z: Floats) -> float:
    n = len(z)
    within = z.var(axis=0, ddof=1).mean()
    between = n * z.mean(axis=0).var(ddof=1)
    with np.errstate(all="ignore"):
        return float(np.sqrt(((n - 1) / n * within + between / n) / within))
