"""Draws of shares, what they say of a number, and whether those of chains can be relied on."""

from typing import NamedTuple

import numpy as np

from .. import checks
from ..checks import Floats

MIXED = 1.05
"""Ratio of variances from which on chains have not mixed."""

ENOUGH = 100
"""Independent draws that all draws of a number should at least be worth."""


class Conclusion(NamedTuple):
    """What draws say of one number: mean, the error of the mean since draws are finite, spread, interval, median.

    A ratio may have no mean: then its error stays large however many draws there are, and the median says more.

    >>> Conclusion(0.5, 0.001, 0.1, (0.3, 0.7), 0.5).interval
    (0.3, 0.7)
    """

    mean: float
    standard_error: float
    standard_deviation: float
    interval: tuple[float, float]
    median: float


def concluded(values: Floats, worth: float, level: float) -> Conclusion:
    """What draws of a number say that are worth so many independent ones.

    >>> concluded(np.arange(5.0), 5, 0.5).interval
    (1.0, 3.0)
    """
    inside = checks.real("level", level, above=0, below=1)
    low, median, high = np.quantile(values, [(1 - inside) / 2, 0.5, (1 + inside) / 2])
    spread = float(values.std(ddof=1))
    return Conclusion(float(values.mean()), spread / worth**0.5, spread, (float(low), float(high)), float(median))


def dirichlet(concentrations: Floats, rng: np.random.Generator) -> Floats:
    """A draw of each row, by gamma variables in logarithms: small concentrations do not bring all of them to 0."""
    boosted = rng.standard_gamma(concentrations + 1)
    logs = np.log(boosted) - rng.standard_exponential(concentrations.shape) / concentrations
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def agreement(chains: Floats) -> tuple[Floats, Floats]:
    r"""For every number: the ratio of variances on halves of chains, and how many independent draws all are worth.

    ``chains`` are (chains, draws, numbers). The ratio is \(\hat R\) of Gelman and Rubin, the root of the variance of
    all over that within. Autocorrelations are added up in pairs for as long as these are positive and fall (Geyer).

    >>> ratio, worth = agreement(np.random.default_rng(1).normal(size=(4, 500, 3)))
    >>> bool((ratio < 1.02).all()), bool((worth > 1000).all())
    (True, True)
    """
    half = chains.shape[1] // 2
    parts = np.concatenate([chains[:, :half], chains[:, half : 2 * half]])
    within = parts.var(axis=1, ddof=1).mean(axis=0)
    between = parts.mean(axis=1).var(axis=0, ddof=1)
    total = within * (half - 1) / half + between
    fixed = total <= 1e-300  # a number that never moved is known, or stuck everywhere alike
    safe = np.where(fixed, 1.0, total)
    ratio = np.where(fixed, 1.0, np.sqrt(safe / np.maximum(within, 1e-300)))
    centered = parts - parts.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centered, 2 * half, axis=1)
    covariance = np.fft.irfft(spectrum * spectrum.conj(), axis=1)[:, :half].mean(axis=0) / half
    correlation = 1 - (within - covariance) / safe
    pairs = correlation[: half - half % 2].reshape(-1, 2, correlation.shape[1]).sum(axis=1)
    pairs = np.where(np.cumprod(pairs > 0, axis=0), pairs, 0.0)
    draws = parts.shape[0] * half
    time = 2 * np.minimum.accumulate(pairs, axis=0).sum(axis=0) - 1
    return ratio, np.where(fixed, float(draws), draws / np.maximum(time, 1 / np.log10(max(draws, 10))))
