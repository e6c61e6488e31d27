r"""The posterior of every share given *noisy counts*, at any number of records.

Noise that is independent between the categories, or is so but for the fixed sum, leaves
\(p(x \mid z) \propto \prod_i \varphi_i(x_i)\) on \(\sum_i x_i = n\), and the marginals follow from convolutions.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainccinv

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms.table import MECHANISMS, NoiseLaw
from ..model.predictive import log_step
from .mixtures import NEGLIGIBLE, Mixture, over_counts

MUCH = 3e9
"""Steps from which on convolutions are quick, where that leaves the posterior its digits."""

ALLOWED = 1e-10
"""What quick convolutions may add to the probability of a share's component."""

LARGEST_WORK = 2e10
"""Steps that one posterior given noisy counts may take: about a minute."""

TILTS = 400
"""Steps for each value that matters: the tilt is found in some fifty evaluations of all factors."""


LISTED_VALUES = 2**14
"""Values of all counts together up to which 0..n is the window of each: a sum over them takes milliseconds."""

PANELS = 16
"""Panels of a sum of slopes: where they are constant, a window is as short as can be, and elsewhere little longer."""

LEAST_CHANCE = 1e-6
"""Least probability, times n + 1, that tilted counts add up to n; 8,000 random settings had 0.008 and more."""

FLAT = 50.0
"""Slope of a law that has all but 1e-21 of its mass at one end."""

_Told = Sequence[tuple[Integers, Sequence[NoiseLaw | None]]]
_Slopes = Callable[[Integers], Floats]


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
    return marginals(alpha, size, hidden(alpha, size, [Noisy(noisy, epsilon, mechanism)], bounded))


class Noisy(NamedTuple):
    """One release: counts with their noise, its budget and its mechanism.

    >>> Noisy([14, 6], 0.8).mechanism
    'lattice_laplace'
    """

    counts: ArrayLike
    epsilon: float
    mechanism: str = "lattice_laplace"


class Spread(NamedTuple):
    """Weights of consecutive whole numbers."""

    start: int
    p: Floats


def hidden(alpha: Floats, n: int, releases: Sequence[Noisy], bounded: bool = True) -> list[Spread]:
    r"""The factors of the posterior of the hidden counts given releases of them, tilted to the fixed sum.

    Let \(q_i \propto \varphi_i(x) e^{\lambda x}\) be laws whose means add up to n, and S the sum of independent draws
    of them. Given S = n, the draws have the posterior of the counts. So windows \(W_i\) leave out at most
    \(\sum_i q_i(W_i^c) / \Pr[S = n]\) of it. Each \(\varphi_i\) is at most a log-concave bound, which has fallen by
    \(e^{-T} = \) ``NEGLIGIBLE`` \(/ (n+1)^2\) of the largest \(\varphi_i(x) e^{\lambda x}\) at the end of its window,
    d from its mode. From there on it falls by \(e^{-T/d}\) a step or faster, and \(q_i(W_i^c)\) is at most
    \(2 e^{-T} (1 + d / T)\), below \(2 \cdot 10^{-18} / (n + 1)\). With ``LEAST_CHANCE`` no more than a share of
    \(2k \cdot 10^{-12}\) is left out, and of \(2k \cdot 10^{-16}\) where \(\Pr[S = n] \ge 0.01 / (n + 1)\). Windows
    are also cut to what the others can complete to n, which loses no counts; \(\Pr[S = n]\) is of the laws so cut.
    """
    k = len(alpha)
    if not releases:
        raise ValueError("releases must be at least one, got none")
    told = [(whole_noisy(counts, k), noise_laws(mechanism, checks.real("epsilon", epsilon, above=0), k))
            for counts, epsilon, mechanism in releases]  # fmt: skip
    for z, noises in told:
        if None not in noises and z.sum() < n:
            raise ValueError(f"noisy must have the total n={n}, as lattice noise keeps it, got noisy={z.tolist()}")
    least = min(one.epsilon for one in releases)
    slopes, drops = partial(_slopes, alpha, told), _drops(alpha, n, [law for _, noises in told for law in noises])
    tilt = 0.0 if _listed(n, k) else _first_tilt(slopes, n, k)
    low, high = _windows(slopes, tilt, drops, n)
    while True:
        if bounded:
            _refuse_work(TILTS * float((high - low + 1).sum()), n, k, least)
        logs = []
        for i in range(k):
            x = np.arange(low[i], high[i] + 1)
            log_p: Floats = np.concatenate([[0.0], np.cumsum(log_step(alpha[i], x[:-1]) + tilt)])
            for z, noises in told:
                if (noise := noises[i]) is not None:
                    log_p += noise.log_point(int(z[i]) - x)
            logs.append(log_p - log_p.max())
        more, factors = _tilted(logs, low, n)
        tilt += more
        lower, higher = _windows(slopes, tilt, drops, n)
        if (low <= lower).all() and (higher <= high).all():
            break
        low, high = np.minimum(low, lower), np.maximum(high, higher)
    if bounded:
        _refuse_work(_work(alpha, *_widths(factors, n)), n, k, least)
    return factors


def marginals(alpha: Floats, n: int, factors: Sequence[Spread]) -> tuple[Mixture, ...]:
    """The posterior of each share."""
    if _steps(*_widths(factors, n)) > MUCH and (quick := _marginals(alpha, n, factors, quick=True)) is not None:
        return quick
    return _marginals(alpha, n, factors, quick=False) or ()


def _marginals(alpha: Floats, n: int, factors: Sequence[Spread], quick: bool) -> tuple[Mixture, ...] | None:
    """The posteriors; None if quick convolutions are not certain to leave them their digits."""
    before, after = running(factors, n, quick), running(factors[::-1], n, quick)[::-1]
    shares = []
    for i, (factor, left, right) in enumerate(zip(factors, before, after, strict=True)):
        values = factor.start + np.arange(len(factor.p))
        others = _sums_at(left, right, n - int(values[-1]), len(values), quick)[::-1]  # they add up to n - x
        p = factor.p * others
        error = 1e-15 * len(factors) * np.linalg.norm(left.p) * np.linalg.norm(right.p)
        if quick:
            if not error * factor.p.sum() < ALLOWED * p.sum():
                return None
            p = np.where(others > error, p, 0.0)
        if not p.sum() * (n + 1) >= LEAST_CHANCE:
            raise ValueError(f"prior must leave the counts a posterior that doubles hold, got prior={alpha.tolist()}")
        shares.append(over_counts(values, p, alpha[i], np.delete(alpha, i).sum(), n))
    return tuple(shares)


def within_work(prior: ArrayLike, n: int, epsilon: float, mechanism: str = "lattice_laplace") -> float:
    r"""Steps that the posterior given noisy counts may take, bounded before there is noise; too many are refused.

    The windows of ``given_noise`` are as wide as the noise, the excess of the noisy counts in 0..n, and the counts to
    which a prior pulls harder than half the noise holds, \(\ln \frac{\alpha + x}{x + 1} > \text{decay} / 2\). The
    excess is at most the sum of k magnitudes of noise, which is below the quantile of a gamma law with k for its shape
    but for a probability of ``NEGLIGIBLE``; a geometric magnitude is the whole part of an exponential one. That no
    window is wider than twice the sum is not proved: tests draw counts, noise and priors that disagree.

    >>> within_work([1, 1], 10**5, 0.5)
    8840000.0
    """
    alpha = checks.prior_weights(prior)
    noises = noise_laws(mechanism, checks.real("epsilon", epsilon, above=0), len(alpha))
    decays = [noise.decay for noise in noises if noise is not None]
    decay, size = min(decays), checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    excess = float(gammainccinv(len(decays), NEGLIGIBLE)) / decay + len(decays)
    pulled = float(np.maximum(alpha - 1, 0).sum()) * math.exp(-decay / 2) / -math.expm1(-decay / 2)
    wide = np.minimum(size, 2 * (_drops(alpha, size, noises) / decay + excess + pulled))
    wide[[noise is None for noise in noises]] = min(size, wide.sum())
    lengths = np.full(len(alpha), size + 1.0) if _listed(size, len(alpha)) else np.ceil(wide) + 1.0
    work = max(TILTS * float(lengths.sum()), _work(alpha, lengths, np.minimum(np.cumsum(lengths), size + 1.0)))
    _refuse_work(work, size, len(alpha), epsilon)
    return work


def _refuse_work(steps: float, n: int, k: int, epsilon: float) -> None:
    if steps > LARGEST_WORK:
        raise ValueError(
            f"epsilon must be larger for n={n} records in {k} categories: with so many datasets possible "
            f"their posterior takes {steps:.1e} steps, more than {LARGEST_WORK:.0e}, and fewer with smaller weights of "
            f"the prior, got epsilon={epsilon!r}"
        )


def _work(alpha: Floats, lengths: Floats, sums: Floats) -> float:
    """Steps of the posterior, from the lengths of the factors and of the sums of the first 1, 2, ... of them.

    Where no concentration is below 1 all factors are log-concave, and so is the law of their sum, which the tilt
    centers at n: then quick convolutions keep their digits, and are all that is needed.
    """
    quick = float((20 * np.log2(sums + lengths + 2) * (sums + lengths)).sum() + 1e3 * lengths.max())
    direct = _steps(lengths, sums)
    return min(direct, quick) if alpha.min() >= 1 and direct > MUCH else direct


def noise_laws(mechanism: str, epsilon: float, k: int) -> Sequence[NoiseLaw | None]:
    """The law of the noise on each count, from the table of mechanisms."""
    known = {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}
    if mechanism not in known:
        raise ValueError(f"mechanism must be one of {', '.join(known)}, got mechanism={mechanism!r}")
    return known[mechanism].likelihoods(epsilon, k)


def whole_noisy(noisy: ArrayLike, k: int) -> Integers:
    """Noisy counts of k categories."""
    z = np.asarray(noisy)
    if z.dtype.kind not in "iu" or z.shape != (k,):
        raise ValueError(f"noisy must be {k} whole numbers, one per category, got noisy={noisy!r}")
    return z.astype(np.int64)


def _listed(n: int, k: int) -> bool:
    """Whether all of 0..n is the window of every count."""
    return k * (n + 1.0) <= LISTED_VALUES


def _slopes(alpha: Floats, told: _Told, x: Integers) -> Floats:
    r"""Growth of the logarithm of each factor's bound from x to x + 1; the last but one axis are the categories.

    The bound of a Dirichlet weight is its own if \(\alpha \ge 1\), and otherwise 1. The slopes of noise are averaged
    over a period, after which they fall.
    """
    found = log_step(np.maximum(alpha, 1.0)[:, None], x)
    for z, noises in told:
        for law in {noise for noise in noises if noise is not None}:
            own = [i for i, noise in enumerate(noises) if noise is law]
            move = z[own, None] - x[..., own, :]
            found[..., own, :] += (law.log_point(move - law.width) - law.log_point(move)) / law.width
    return found


def _drops(alpha: Floats, n: int, laws: Sequence[NoiseLaw | None]) -> Floats:
    r"""By how much the logarithm of each bound falls in its window: T, and by how much it exceeds the factor.

    A Dirichlet weight below 1 has \(1 \ge w(x) \ge \alpha / x\) for \(x \ge 1\); an average over a period of more
    than a step is off by at most what the noise falls in it.
    """
    above = np.where(alpha < 1, math.log(max(n, 1)) - np.log(alpha), 0.0)
    above += sum(law.width * law.decay for law in {*laws} if law is not None and law.width > 1)
    return 2 * math.log1p(n) - math.log(NEGLIGIBLE) + above


def _windows(slopes: _Slopes, tilt: float, drops: Floats, n: int) -> tuple[Integers, Integers]:
    """The values of each count that matter, and that the others can complete to n."""
    if _listed(n, len(drops)):
        return np.zeros(len(drops), dtype=np.int64), np.full(len(drops), n)
    low, high = _ends(slopes, tilt, drops, n)
    return np.maximum(low, n - (high.sum() - high)), np.minimum(high, n - (low.sum() - low))


def _ends(slopes: _Slopes, tilt: float, drops: Floats, n: int) -> tuple[Integers, Integers]:
    """Where each tilted bound has fallen by its drop on either side of its mode, or where 0..n ends.

    On each of ``PANELS`` panels a bound falls at least as steeply as at the end that is nearer to the mode.
    """
    mode = _mode(slopes, tilt, n, len(drops))
    side, first = np.array([-1, 1])[:, None, None], np.stack([mode - 1, mode])[..., None]
    near, far = np.zeros((2, len(drops)), dtype=np.int64), np.stack([mode, n - mode])
    while (near < far).any():
        middle = (near + far) // 2
        panels = middle[..., None] * np.arange(PANELS + 1) // PANELS
        falls = -side * (slopes(np.clip(first + side * panels[..., :-1], 0, n - 1)) + tilt)
        enough = (np.diff(panels) * falls).sum(axis=-1) >= drops
        near, far = np.where(enough, near, np.minimum(middle + 1, far)), np.where(enough, middle, far)
    return mode - far[0], mode + far[1]


def _first_tilt(slopes: _Slopes, n: int, k: int) -> float:
    """A tilt at which counts add up to n that lie nearer to the modes than where the bounds have fallen by one."""
    ends = slopes(np.tile([0, n - 1], (k, 1)))
    least, most = -float(ends.max()) - 1, -float(ends.min()) + 1
    for _ in range(100):
        tilt = (least + most) / 2
        mode = _mode(slopes, tilt, n, k)
        low, high = _ends(slopes, tilt, np.ones(k), n)
        fewest, greatest = np.minimum(low + 1, mode).sum(), np.maximum(high - 1, mode).sum()
        if fewest <= n <= greatest:
            break
        least, most = (tilt, most) if greatest < n else (least, tilt)
    return tilt


def _mode(slopes: _Slopes, tilt: float, n: int, k: int) -> Integers:
    """Where each tilted bound is largest: its slopes fall."""
    mode, last = np.zeros(k, dtype=np.int64), np.full(k, n)
    while (mode < last).any():
        middle = (mode + last) // 2
        up = slopes(np.minimum(middle, n - 1)[:, None])[:, 0] + tilt > 0
        mode, last = np.where(up & (mode < last), middle + 1, mode), np.where(up, last, middle)
    return mode


def _steps(lengths: Floats, sums: Floats) -> float:
    """About how many terms the convolutions add up, and the distribution functions of the result."""
    before = np.concatenate([[1.0], sums[:-1]])
    return float(3 * (lengths @ before if len(lengths) > 2 else 0.0) + 1e4 * lengths.max())


def _widths(factors: Sequence[Spread], n: int) -> tuple[Floats, Floats]:
    """How many values are kept of each factor, and about how many of the sums of the first 1, 2, ... of them.

    What is kept of a sum has about the width at which a normal law of its variance falls to the share kept, or that of
    its widest factor; nothing beyond n is kept.
    """
    lengths = np.array([float(len(factor.p)) for factor in factors])
    variances = []
    for factor in factors:
        values = np.arange(len(factor.p))
        p = factor.p / factor.p.sum()
        variances.append(float(p @ (values - p @ values) ** 2))
    normal = 2 * math.sqrt(-4 * math.log(NEGLIGIBLE)) * np.sqrt(np.cumsum(variances))
    kept = np.minimum(np.maximum(normal, 2 * np.maximum.accumulate(lengths)), n + 1.0)
    return lengths, np.minimum(np.cumsum(lengths), kept)


def _tilted(logs: Sequence[Floats], lows: Integers, n: int) -> tuple[float, list[Spread]]:
    r"""The tilt \(\lambda\) and laws \(\propto \varphi_i(x) e^{\lambda x}\) such that their means add up to n."""
    from scipy.optimize import brentq  # imported here, for that takes longer than many a call

    steps = [np.arange(len(log_p)) for log_p in logs]

    def factors(tilt: float) -> list[Floats]:
        tilted = [log_p + tilt * step for log_p, step in zip(logs, steps, strict=True)]
        weights = [np.exp(log_p - log_p.max()) for log_p in tilted]
        return [w / w.sum() for w in weights]

    def excess(tilt: float) -> float:
        return float(sum(p @ step for p, step in zip(factors(tilt), steps, strict=True)) - (n - lows.sum()))

    slopes = np.concatenate([np.zeros(1), *map(np.diff, logs)])
    least, most = -float(slopes.max()) - FLAT, -float(slopes.min()) + FLAT
    balanced = excess(least) < 0 < excess(most)  # otherwise one combination is left
    tilt = float(brentq(excess, least, most, xtol=1e-12, maxiter=1000)) if balanced else 0.0
    return tilt, [_trimmed(int(low), p) for low, p in zip(lows, factors(tilt), strict=True)]


def running(factors: Sequence[Spread], n: int, quick: bool = False) -> list[Spread]:
    """Convolutions of the first 0, 1, 2, ... factors up to n; every term is positive, so they keep their digits."""
    sums = [Spread(0, np.ones(1))]
    for factor in factors[:-1]:
        start = sums[-1].start + factor.start
        sums.append(_trimmed(start, _convolved(sums[-1].p, factor.p, quick)[: n + 1 - start]))
    return sums


def _convolved(one: Floats, other: Floats, quick: bool) -> Floats:
    """The convolution; a quick one is by Fourier transforms, with an error of 1e-16 of the largest term."""
    if not quick:
        sums: Floats = np.convolve(one, other)
        return sums
    from scipy.signal import fftconvolve  # imported here, for that takes longer than many a call

    sums = fftconvolve(one, other)
    return np.where(sums > 1e-16 * sums.max(), sums, 0.0)


def _trimmed(start: int, p: Floats) -> Spread:
    kept = np.flatnonzero(p > NEGLIGIBLE**2 * p.max())
    return Spread(start + int(kept[0]), p[kept[0] : kept[-1] + 1])


def _sums_at(one: Spread, other: Spread, first: int, length: int, quick: bool = False) -> Floats:
    """The convolution of two spreads at ``length`` consecutive sums from ``first`` on."""
    short, long = sorted((one, other), key=lambda spread: len(spread.p))
    begin = first - short.start - long.start - len(short.p) + 1
    part = np.zeros(length + len(short.p) - 1)
    low, high = max(0, begin), min(len(long.p), begin + len(part))
    if low < high:
        part[low - begin : high - begin] = long.p[low:high]
    sums: Floats = (
        _convolved(part, short.p, quick)[len(short.p) - 1 : len(part)]
        if quick
        else np.convolve(part, short.p, mode="valid")
    )
    return sums
