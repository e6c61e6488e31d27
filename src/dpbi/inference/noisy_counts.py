r"""The posterior of every share given *noisy counts*, at any number of records.

Noise that is independent between the categories, or is so but for the fixed sum, leaves
\(p(x \mid z) \propto \prod_i \varphi_i(x_i)\) on \(\sum_i x_i = n\), and the marginals follow from convolutions.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.stats import gamma

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms.table import MECHANISMS, Likelihood
from ..model.predictive import log_step
from .mixtures import NEGLIGIBLE, Mixture, over_counts

LARGEST_WORK = 2e10
"""Steps that one posterior given noisy counts may take: about a minute."""


def given_noise(
    prior: ArrayLike,
    n: int,
    noisy: ArrayLike,
    epsilon: float,
    mechanism: str = "lattice_laplace",
    *,
    bounded: bool = True,
) -> tuple[Mixture, ...]:
    r"""The posterior of each share given noisy counts, at any number of records.

    ``noisy`` are the counts with their noise, whole numbers and perhaps below 0 or above n, before anything was done to
    make them legal; ``mechanism`` is one that may be released, as ``MECHANISMS`` has them. The last entry is not looked
    at where the last count is not noised. Entries of lattice noise may have been moved into 0..n: that changes nothing.

    The factors \(\varphi_i\) are tilted by a common \(e^{\lambda x_i}\), which the fixed sum cancels, so that the sum n
    is where their convolution is largest and nothing underflows.

    >>> first, second = given_noise([1, 1], 20, [14, 6], epsilon=0.8)
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.680912, [0.422239, 0.901275])
    """
    alpha = checks.prior_weights(prior)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    z = _noisy_counts(noisy, len(alpha))
    noises = _noises(mechanism, checks.real("epsilon", epsilon, above=0), len(alpha))
    if None not in noises and z.sum() < size:
        raise ValueError(f"noisy must have the total n={size}, as lattice noise keeps it, got noisy={z.tolist()}")
    ranges = _ranges(z, noises, size)
    if bounded:
        _refuse_work(_steps(ranges, size), size, len(alpha), epsilon)
    logs = [
        _log_factor(weight, noise, int(center), low, high)
        for weight, noise, center, (low, high) in zip(alpha, noises, z, ranges, strict=True)
    ]
    factors = _tilted(logs, [low for low, _ in ranges], size)
    before, after = _running(factors), _running(factors[::-1])[::-1]
    shares = []
    for i, (factor, left, right) in enumerate(zip(factors, before, after, strict=True)):
        values = factor.start + np.arange(len(factor.p))
        others = _sums_at(left, right, size - int(values[-1]), len(values))[::-1]  # they add up to n - x
        shares.append(over_counts(values, factor.p * others, alpha[i], np.delete(alpha, i).sum(), size))
    return tuple(shares)


def within_work(n: int, k: int, epsilon: float, mechanism: str = "lattice_laplace") -> None:
    r"""Refuse a release whose posterior might take too long: whatever the counts are, before any noise is drawn.

    The ranges of ``given_noise`` are as wide as the noise and as the excess of the noisy counts in 0..n. The excess is
    at most the sum of k magnitudes of noise, which is below the quantile of a gamma law with k for its shape but for a
    probability of ``NEGLIGIBLE``; a geometric magnitude is the whole part of an exponential one.
    """
    noises = _noises(mechanism, checks.real("epsilon", epsilon, above=0), k)
    decays = [noise.decay for noise in noises if noise is not None]
    excess = min(float(n), float(gamma.isf(NEGLIGIBLE, len(decays))) / min(decays) + len(decays))
    wide = [min(n, 2 * (_reach(decay, n) + excess)) for decay in decays]
    wide += [min(n, sum(wide))] * (len(noises) - len(decays))
    _refuse_work(_steps([(0, math.ceil(length)) for length in wide], n), n, k, epsilon)


def _refuse_work(steps: float, n: int, k: int, epsilon: float) -> None:
    if steps > LARGEST_WORK:
        raise ValueError(
            f"epsilon must be larger for n={n} records in {k} categories: with so many datasets possible "
            f"their posterior takes {steps:.1e} steps, more than {LARGEST_WORK:.0e}, got epsilon={epsilon!r}"
        )


def _reach(decay: float, n: int) -> float:
    """How far noise reaches but for a negligible probability, over all counts of n records."""
    return min(n, math.ceil((-math.log(NEGLIGIBLE) + math.log1p(n)) / decay))


def _noises(mechanism: str, epsilon: float, k: int) -> Sequence[Likelihood | None]:
    """The law of the noise on each count, from the table of mechanisms."""
    known = {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}
    if mechanism not in known:
        raise ValueError(f"mechanism must be one of {', '.join(known)}, got mechanism={mechanism!r}")
    return known[mechanism].likelihoods(epsilon, k)


def _noisy_counts(noisy: ArrayLike, k: int) -> Integers:
    z = np.asarray(noisy)
    if z.dtype.kind not in "iu" or z.shape != (k,):
        raise ValueError(f"noisy must be {k} whole numbers, one per category, got noisy={noisy!r}")
    return z.astype(np.int64)


def _ranges(z: Integers, noises: Sequence[Likelihood | None], n: int) -> list[tuple[int, int]]:
    """Values of each count that matter: around the noisy one, and as far beyond as the others' total asks for.

    A count without noise of its own is what the others leave.
    """
    noised = np.array([noise is not None for noise in noises])
    width = np.array([n if noise is None else _reach(noise.decay, n) for noise in noises])
    nearest = np.clip(z, 0, n)
    off = abs(int(nearest.sum()) - n) if noised.all() else max(0, int(nearest[noised].sum()) - n)
    low = np.maximum(nearest - width - off, 0)
    high = np.minimum(nearest + width + off, n)
    low[~noised] = max(0, n - int(high[noised].sum()))
    high[~noised] = max(0, n - int(low[noised].sum()))
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _steps(ranges: list[tuple[int, int]], n: int) -> float:
    """About how many terms the convolutions add up, and the distribution functions of the result."""
    lengths = [high - low + 1.0 for low, high in ranges]
    sums = np.minimum(np.concatenate([[1.0], np.cumsum(lengths)[:-1]]), n + 1.0)
    return float(3 * (np.array(lengths) @ sums if len(ranges) > 2 else 0.0) + 1e4 * max(lengths))


def _log_factor(weight: float, noise: Likelihood | None, center: int, low: int, high: int) -> Floats:
    r"""\(\ln \varphi(x) = \ln \frac{\Gamma(\alpha + x)}{x!} + \ln \Pr[X = z - x]\) up to a constant."""
    x = np.arange(low, high + 1)
    log_p: Floats = np.concatenate([[0.0], np.cumsum(log_step(weight, x[:-1]))])
    if noise is not None:
        log_p += noise.log_point(center - x)
    log_p -= log_p.max()
    return log_p


class _Spread(NamedTuple):
    """Weights of consecutive whole numbers."""

    start: int
    p: Floats


def _tilted(logs: Sequence[Floats], lows: Sequence[int], n: int) -> list[_Spread]:
    r"""The factors \(\varphi_i(x) e^{\lambda x}\) with the sum one, \(\lambda\) such that their means add up to n."""
    steps = [np.arange(len(log_p)) for log_p in logs]

    def factors(tilt: float) -> list[Floats]:
        tilted = [log_p + tilt * step for log_p, step in zip(logs, steps, strict=True)]
        weights = [np.exp(log_p - log_p.max()) for log_p in tilted]
        return [w / w.sum() for w in weights]

    def excess(tilt: float) -> float:
        return float(sum(p @ step for p, step in zip(factors(tilt), steps, strict=True)) - (n - sum(lows)))

    bound = 1.0
    while bound < 1e3 and not excess(-bound) < 0 < excess(bound):
        bound *= 4
    balanced = excess(-bound) < 0 < excess(bound)  # otherwise n is at an end, where one combination is left
    tilt = float(brentq(excess, -bound, bound, xtol=1e-12)) if balanced else 0.0
    return [_trimmed(low, p) for low, p in zip(lows, factors(tilt), strict=True)]


def _running(factors: Sequence[_Spread]) -> list[_Spread]:
    """Convolutions of the first 0, 1, 2, ... factors; every term is positive, so they keep their digits."""
    sums = [_Spread(0, np.ones(1))]
    for factor in factors[:-1]:
        sums.append(_trimmed(sums[-1].start + factor.start, np.convolve(sums[-1].p, factor.p)))
    return sums


def _trimmed(start: int, p: Floats) -> _Spread:
    kept = np.flatnonzero(p > NEGLIGIBLE**2 * p.max())
    return _Spread(start + int(kept[0]), p[kept[0] : kept[-1] + 1] / p.max())


def _sums_at(one: _Spread, other: _Spread, first: int, length: int) -> Floats:
    """The convolution of two spreads at ``length`` consecutive sums from ``first`` on."""
    short, long = sorted((one, other), key=lambda spread: len(spread.p))
    begin = first - short.start - long.start - len(short.p) + 1
    part = np.zeros(length + len(short.p) - 1)
    low, high = max(0, begin), min(len(long.p), begin + len(part))
    if low < high:
        part[low - begin : high - begin] = long.p[low:high]
    sums: Floats = np.convolve(part, short.p, mode="valid")
    return sums
