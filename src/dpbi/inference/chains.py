"""Whether draws of chains can be relied on: do the chains agree, and how many independent draws are they worth?"""

import numpy as np

from ..checks import Floats

MIXED = 1.05
"""Ratio of variances from which on chains have not mixed."""

ENOUGH = 100
"""Independent draws that all draws of a number should at least be worth."""


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
