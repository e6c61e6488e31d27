"""Summaries of posterior draws, and two diagnostics of chains: the ratio of variances and the effective sample size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import checks
from ..checks import Floats

# Customary threshold: chains whose ratio of variances (R-hat) is at least this value have not mixed.
MAX_VARIANCE_RATIO = 1.05

# Smallest effective sample size that is considered sufficient: the standard error of the mean is then at most a tenth
# of the standard deviation.
MIN_EFFECTIVE_DRAWS = 100


@checks.readable
class Conclusion(NamedTuple):
    """Summary of the posterior draws of one quantity.

    A quantity such as a ratio may have no mean. The standard error of the mean then stays large however many draws are
    used, and the median is a better summary.

    Attributes:
        mean: Mean of the draws.
        standard_error: Standard error of the mean due to the finite number of draws.
        standard_deviation: Standard deviation of the draws.
        interval: Equal-tailed posterior interval.
        median: Median of the draws.

    >>> Conclusion(0.5, 0.001, 0.1, (0.3, 0.7), 0.5).interval
    (0.3, 0.7)
    """

    mean: float
    standard_error: float
    standard_deviation: float
    interval: tuple[float, float]
    median: float


def concluded(values: Floats, effective_draws: float, level: float) -> Conclusion:
    """Summary of the posterior draws of one quantity.

    Args:
        values: Draws of the quantity, two or more.
        effective_draws: Effective sample size, > 0: the number of independent draws that would estimate the mean
            equally precisely.
        level: Posterior probability of the interval, in (0, 1).

    Returns:
        The mean with its standard error, the standard deviation, an equal-tailed interval and the median.

    >>> concluded(np.arange(5.0), 5, 0.5).interval
    (1.0, 3.0)
    """
    inside = checks.real("level", level, above=0, below=1)
    values = checks.numeric("values", values, "two or more numbers, one for each draw")
    checks.need(values.ndim == 1 and len(values) > 1, f"values must be two or more numbers, got shape {values.shape}")
    low, median, high = np.quantile(values, [(1 - inside) / 2, 0.5, (1 + inside) / 2])
    spread = float(np.std(values, ddof=1))
    error = spread / checks.real("effective_draws", effective_draws, above=0) ** 0.5
    return Conclusion(float(np.mean(values)), error, spread, (float(low), float(high)), float(median))


def dirichlet(concentrations: Floats, rng: np.random.Generator) -> Floats:
    """Dirichlet draws, one for each row of parameters; shares too small for a double are returned as 0.

    Gamma variables of small shape underflow, so their logarithms are drawn and normalised.

    Args:
        concentrations: Dirichlet parameters, one row for each draw.
        rng: Random number generator.

    Returns:
        Points of the simplex, one row for each draw.
    """
    # a gamma variable of shape a has the distribution of one of shape a + 1 times U^(1/a), where -ln U is standard
    # exponential
    boosted = rng.standard_gamma(concentrations + 1)
    logs = np.log(boosted) - rng.standard_exponential(concentrations.shape) / concentrations
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def agreement(chains: Floats) -> tuple[Floats, Floats]:
    r"""Ratio of variances and effective sample size of every quantity, computed from the two halves of each chain.

    The array ``chains`` has the shape (chains, draws, quantities), with at least four draws per chain. The ratio is
    Gelman and Rubin's \(\hat R\), the square root of the ratio of the total variance to the variance within chains. The
    effective sample size is computed by Geyer's method from sums of adjacent autocorrelations. These sums are truncated
    at the first sum that is not positive, and are replaced by their running minimum. The effective sample size is at
    most \(N \log_{10} N\) for N draws.

    >>> ratio, effective = agreement(np.random.default_rng(1).normal(size=(4, 500, 3)))
    >>> bool((ratio < 1.02).all()), bool((effective > 1000).all())
    (True, True)
    """
    half = chains.shape[1] // 2
    parts = np.concatenate([chains[:, :half], chains[:, half : 2 * half]])
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = parts.mean(axis=1).var(axis=0, ddof=1)
    total = within * (half - 1) / half + between
    fixed = total <= 1e-300  # a quantity that never moved is known exactly, or every chain is stuck at one value
    safe = np.where(fixed, 1.0, total)
    ratio = np.where(fixed, 1.0, np.sqrt(safe / np.maximum(within, 1e-300)))
    # autocovariances of all lags at once by the Fourier transform, zero-padded so that it does not wrap around
    spectrum = np.fft.rfft(parts - parts.mean(axis=1, keepdims=True), 2 * half, axis=1)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), axis=1)[:, :half].mean(axis=0) / half
    correlation = 1 - (within - covariance) / safe
    pairs = correlation[: half - half % 2].reshape(-1, 2, correlation.shape[1]).sum(axis=1)
    pairs = np.where(np.cumprod(pairs > 0, axis=0), pairs, 0.0)
    draws = parts.shape[0] * half
    time = 2 * np.minimum.accumulate(pairs, axis=0).sum(axis=0) - 1
    return ratio, np.where(fixed, float(draws), draws / np.maximum(time, 1 / np.log10(max(draws, 10))))
