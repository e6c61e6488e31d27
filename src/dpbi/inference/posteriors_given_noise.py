r"""The posterior of all shares given *noisy counts* of any number of records from any number of releases.

If the noise of the categories is independent, or independent conditional on its sum, the hidden counts x have a
posterior \(p(x \mid z) \propto \prod_i \varphi_i(x_i)\) on \(\sum_i x_i = n\), and the marginal distributions follow
from convolutions of the factors. Several releases of the same records share their hidden counts and have independent
noise:
\[ p(x \mid z^1, \dots, z^m) \propto \Pr[x] \prod_j \Pr[z^j \mid x] , \]
which is again a product with one factor for each category. ``count_factors`` computes the factors on windows that
contain all but a negligible part of the posterior, and ``running`` computes their convolutions. The convolutions also
allow exact joint draws of all shares. The counts x are drawn from their posterior one category at a time, from the last
to the first, by means of the convolution of the factors of all preceding categories. The shares \(\theta\) are then
drawn from \(\mathrm{Dir}(\alpha + x)\). The draws are independent, so no Markov chain has to mix.

Bernstein and Sheldon (2018) and Ju, Awan, Gong and Rao (2022) sample the hidden counts. For a single column, as here,
exact sums over the hidden counts are possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers, need
from ..mechanisms import releasable_mechanism
from ..mechanisms.noise import NoiseLaw
from ..model.predictive import log_step
from .draws import dirichlet
from .mixtures import MIN_WEIGHT_RATIO, Mixture, over_counts

# Largest number of additions for one posterior (chosen: they take about two minutes).
MAX_WORK = 4e10

# Additions needed to find the tilt, for each value of a window: all factors are evaluated about fifty times.
TILT_WORK = 400

# Let a be the smaller of 1 and the smallest parameter of the prior. A posterior is refused if (n + 1) / a times the
# probability that the tilted counts add up to n is below this value, because the windows could then omit too much of
# the posterior (``count_factors``). The product was at least 0.74 in 16,000 random settings with up to 40 categories, n
# up to 2,000, parameters from 1e-9 to 1e4 and epsilon up to 20 (measured).
MIN_SUM_PROBABILITY = 1e-6

# Noisy counts, and the distribution of the noise of each count, or None for a count without noise.
Given = tuple[Integers, Sequence[NoiseLaw | None]]

# If log probabilities have this slope, all but about e^-50 of the distribution is at one end of its window.
FLAT_SLOPE = 50.0


def given_noise(
    prior: ArrayLike,
    n: int,
    noisy: ArrayLike,
    epsilon: float,
    mechanism: str = "lattice_laplace",
    *,
    bounded: bool = True,
) -> tuple[Mixture, ...]:
    r"""Posterior of each share given noisy counts of any number of records.

    The factors \(\varphi_i\) are tilted: each is multiplied by \(e^{\lambda x_i}\) with a common \(\lambda\). The tilt
    cancels because the sum of the counts is fixed. It is chosen so that the convolution of the factors is largest near
    n, which prevents underflow. The omitted posterior probability is at most 2e-12 k, and was below 1e-17 k in all
    measurements. The error of a posterior mean is therefore bounded absolutely but not relatively, and an expected
    share below this error may have no correct digit.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        noisy: Noisy counts, k whole numbers, which may be below 0 or above n. The last count is ignored if the
            mechanism adds no noise to it. Counts with lattice noise add up to n, or to more than n if they were clamped
            to 0..n; clamping does not change the posterior. The posterior is less accurate if normal noise moves a
            count thousands of standard deviations outside 0..n.
        epsilon: Privacy parameter, > 0.
        mechanism: Name of a mechanism of ``MECHANISMS`` whose noisy counts may be released.
        bounded: Whether to refuse a posterior whose computation would take minutes.

    Returns:
        The posterior of each share.

    Raises:
        ValueError: If the computation would take minutes, or the posterior is so far from the prior that doubles cannot
            represent it.

    >>> first, second = given_noise([1, 1], 20, [14, 6], epsilon=0.8)
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.680912, [0.422239, 0.901275])
    """
    return given_releases(prior, n, [Noisy(noisy, epsilon, mechanism)], bounded=bounded).shares


@dataclass(frozen=True, eq=False)
class Noisy:
    """One release of noisy counts.

    Attributes:
        counts: Noisy counts, k whole numbers.
        epsilon: Privacy parameter of the release, > 0.
        mechanism: Name of the mechanism that added the noise.

    >>> Noisy([14, 6], 0.8).mechanism
    'lattice_laplace'
    """

    counts: ArrayLike
    epsilon: float
    mechanism: str = "lattice_laplace"


class Weights(NamedTuple):
    """Weights p of consecutive whole numbers, the first of which is ``start``."""

    start: int
    p: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """Joint posterior of all shares given releases: the exact posterior of each share, and joint draws of all shares.

    Attributes:
        prior: Dirichlet parameters.
        n: Number of records.
        shares: Posterior of each share.
        factors: Factors of the posterior of the hidden counts, one for each count.

    >>> joint = given_releases([1, 1, 1], 20, [Noisy([9, 8, 3], 0.8), Noisy([12, 7, 1], 0.5)])
    >>> [round(share.mean, 6) for share in joint.shares]
    [0.476862, 0.372814, 0.150325]
    >>> joint
    <Joint posterior of 3 shares given releases of 20 records>
    >>> rng = np.random.default_rng(1)
    >>> joint.draws(rng, 1000).mean(axis=0).round(1)[:2]
    array([0.5, 0.4])
    """

    prior: Floats
    n: int
    shares: tuple[Mixture, ...]
    factors: Sequence[Weights]

    def __repr__(self) -> str:
        return f"<Joint posterior of {len(self.shares)} shares given releases of {self.n} records>"

    def counts(self, rng: np.random.Generator, size: int = 1) -> Integers:
        """Independent draws of the hidden counts from their posterior.

        Args:
            rng: Random number generator.
            size: Number of draws, an integer >= 0.

        Returns:
            The counts, one row for each draw.
        """
        generator, rows = checks.generator(rng), checks.whole("size", size, least=0)
        before = running(self.factors, self.n)
        x = np.zeros((rows, len(self.factors)), dtype=np.int64)
        left = np.full(rows, self.n)
        for i, factor in [*enumerate(self.factors)][:0:-1]:  # from the last to the second
            for total in np.unique(left):  # the sum of this count and all preceding ones
                first = int(total) - factor.start - len(factor.p) + 1
                below = np.cumsum(factor.p * weights_at(before[i], first, len(factor.p))[::-1])
                here = np.flatnonzero(left == total)
                drawn = np.searchsorted(below, generator.random(len(here)) * below[-1], side="right")
                x[here, i] = factor.start + np.minimum(drawn, len(below) - 1)
            left -= x[:, i]
        x[:, 0] = left
        return x

    def draws(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws of all shares from their posterior.

        Args:
            rng: Random number generator.
            size: Number of draws, an integer >= 0.

        Returns:
            The shares, one row for each draw.
        """
        return dirichlet(self.prior + self.counts(rng, size), rng)


def given_releases(prior: ArrayLike, n: int, releases: Sequence[Noisy], *, bounded: bool = True) -> Joint:
    """Exact joint posterior of all shares given any number of releases of the same records.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        releases: A list of one or more releases of noisy counts with independent noise.
        bounded: Whether to refuse a posterior whose computation would take minutes.

    Returns:
        The joint posterior of all shares.

    Raises:
        ValueError: If the computation would take minutes, or the posterior is so far from the prior that doubles cannot
            represent it.

    >>> one, four = (given_releases([1, 1], 200, [Noisy([140, 60], 0.05)] * times) for times in (1, 4))
    >>> lengths = [high - low for low, high in (joint.shares[0].interval(0.95) for joint in (one, four))]
    >>> [round(length, 2) for length in lengths]
    [0.54, 0.19]
    """
    alpha, size, shares = checks.prior_weights(prior), checks.record_count(n), []
    factors = count_factors(alpha, size, releases, checks.flag("bounded", bounded))
    before, after = running(factors, size), running(factors[::-1], size)[::-1]
    for i, (factor, left, right) in enumerate(zip(factors, before, after, strict=True)):
        values = factor.start + np.arange(len(factor.p))
        p = factor.p * _sums_at(left, right, size - int(values[-1]), len(values))[::-1]  # others have n - x
        likely = p.sum() * (size + 1) >= MIN_SUM_PROBABILITY * min(1.0, alpha.min())
        got = f"prior={checks.brief(alpha.tolist())} and epsilon={', '.join(repr(one.epsilon) for one in releases)}"
        need(likely, f"prior and epsilon must give a posterior of the counts that doubles can represent, got {got}")
        shares.append(over_counts(values, p, alpha, i, size))
    return Joint(alpha, size, tuple(shares), factors)


def count_factors(alpha: Floats, n: int, releases: Sequence[Noisy], bounded: bool = True) -> list[Weights]:
    r"""Factor of each hidden count in the posterior given releases, computed on a window and tilted to the fixed sum.

    Let the distributions \(q_i \propto \varphi_i(x) e^{\lambda x}\) have means that add up to n, and let S be the sum
    of independent draws, one from each distribution. Given S = n, the draws are distributed like the counts under their
    posterior. Windows \(W_i\) therefore omit at most \(\sum_i q_i(W_i^c) / \Pr[S = n]\) of the posterior. Each
    \(\varphi_i\) has a log-concave upper bound. A window grows until the bound at both ends is at most \(e^{-T}\) times
    the largest \(\varphi_i(x) e^{\lambda x}\). Here \(e^{-T}\) is ``MIN_WEIGHT_RATIO`` \(a / (n+1)^2\), and a is the
    smaller of 1 and the smallest parameter of the prior. The factor a is needed because a small parameter of the prior
    may concentrate a count at 0. If only a positive value of this count completes the sum n, that value has a
    probability of the order of a. Let d be the largest distance from the mode to an end of the window. Outside the
    window, each step reduces the bound by a factor of at least \(e^{T/d}\). Therefore \(q_i(W_i^c)\) is at most \(2
    e^{-T} (1 + d / T)\), which is below \(2 \cdot 10^{-18} a / (n + 1)\). ``MIN_SUM_PROBABILITY`` requires \(\Pr[S = n]
    \ge 10^{-6} a / (n + 1)\), so at most a fraction \(2k \cdot 10^{-12}\) of the posterior is omitted. If \(\Pr[S = n]
    \ge 0.5 a / (n + 1)\), as in all measurements, the fraction is at most \(4k \cdot 10^{-18}\). Windows are also
    truncated to the values that the other counts can still complete to the sum n. The truncation excludes no possible
    counts, and \(\Pr[S = n]\) refers to the truncated distributions.

    Args:
        alpha: Dirichlet parameters, shape (k,).
        n: Number of records.
        releases: Releases of noisy counts, at least one.
        bounded: Whether to refuse a posterior whose computation would take minutes.

    Returns:
        The factor of each hidden count, scaled to sum to 1 so that no convolution overflows.
    """
    k, smallest = len(alpha), min(one.epsilon for one in values_of("releases", releases, Noisy))

    def limit(steps: float) -> None:
        why = f"their posterior takes {steps:.1e} steps; smaller parameters of the prior need fewer"
        allowed = f"larger for n={n} records in {k} categories: {why}"
        need(not bounded or steps <= MAX_WORK, f"epsilon must be {allowed}, got epsilon={checks.brief(smallest)}")

    given = _likelihoods(releases, n, k)
    drops = _drops(alpha, n, [law for _, noises in given for law in noises])
    z, noises = given[int(np.argmax([one.epsilon for one in releases]))]  # windows start around the least noisy counts
    reach = [n if law is None else math.ceil(min(n, fall / law.decay)) for fall, law in zip(drops, noises, strict=True)]
    low, high = np.maximum(np.clip(z, 0, n) - reach, 0), np.minimum(np.clip(z, 0, n) + reach, n)
    down, up = np.full(k, True), np.full(k, True)
    while (down | up).any():
        first, last = np.maximum(low, n - (high.sum() - high)), np.minimum(high, n - (low.sum() - low))
        down, up = np.full(k, low.sum() > n), np.full(k, high.sum() < n)
        if not (down | up).any():  # the windows contain counts that add up to n
            limit(TILT_WORK * float((last - first + 1).sum()))
            logs = _tilted(_log_factors(alpha, given, first, last), n - int(first.sum()))
            down = (first == low) & (low > 0) & (np.array([log_p[0] for log_p in logs]) > -drops)
            up = (last == high) & (high < n) & (np.array([log_p[-1] for log_p in logs]) > -drops)
        step = high - low + 1
        low, high = np.maximum(low - step * down, 0), np.minimum(high + step * up, n)
    # with sums of 1, no convolution overflows
    factors = [_trimmed(int(start), p / p.sum()) for start, p in zip(first, map(np.exp, logs), strict=True)]
    # again, because under a strong prior a trimmed factor is much shorter than its window
    lengths = np.array([float(len(factor.p)) for factor in factors])
    before = np.minimum(np.cumsum(lengths), n + 1.0)[:-1]
    # additions for the distribution functions and for the convolutions of all factors but one
    limit(1e4 * lengths.max() + (3 * lengths[1:] @ before if k > 2 else 0.0))
    return factors


def values_of(name: str, given: Any, kind: type[Any]) -> Sequence[Any]:
    """Checks that an argument is a nonempty list whose entries are all of one class.

    Args:
        name: Name of the argument, for the error message.
        given: The argument.
        kind: Class of the entries.

    Returns:
        The list, unchanged.
    """
    good = isinstance(given, Sequence) and given and all(isinstance(one, kind) for one in given)
    need(good, f"{name} must be a list of one or more {kind.__name__} values, got {name}={checks.brief(given)}")
    return cast(Sequence[Any], given)


def _likelihoods(releases: Sequence[Noisy], n: int, k: int) -> list[Given]:
    """Noisy counts of each release, moved towards 0..n without changing likelihood ratios, and noise distributions."""
    given = [noisy_and_noise(one, k) for one in releases]
    for one, (z, noises) in zip(releases, given, strict=True):
        allowed = f"the total n={n}, which lattice noise keeps, or more if counts within 0..n were clamped at 0"
        clamped = z.min() == 0 and z.max() <= n and sum(z.tolist()) > n
        good = None in noises or sum(z.tolist()) == n or clamped
        need(good, f"noisy must have {allowed}, got noisy={checks.brief(z.tolist())}")
        z[:] = releasable_mechanism(one.mechanism).informative_part(z.tolist(), n)
    return given


def _log_factors(alpha: Floats, given: list[Given], first: Integers, last: Integers) -> list[Floats]:
    """Log factor of each count on its window: log weight under the prior plus the log likelihoods of all releases."""
    logs = []
    for i, weight in enumerate(alpha):
        x = np.arange(first[i], last[i] + 1)
        log_p: Floats = np.concatenate([[0.0], np.cumsum(log_step(weight, x[:-1]))])
        for counts, laws in given:
            if (law := laws[i]) is not None:
                log_p += law.log_point(int(counts[i]) - x)
        logs.append(log_p)
    return logs


def within_work(prior: ArrayLike, n: int, epsilon: float, mechanism: str = "lattice_laplace") -> None:
    """Raise an error, before noise is drawn, if the posterior given the noisy counts would take too long to compute.

    The work is estimated for equal counts. Counts that contradict a prior with parameters in the hundreds take up to
    about ten times as long (measured).

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        epsilon: Privacy parameter, > 0.
        mechanism: Name of a mechanism whose noisy counts may be released.

    Raises:
        ValueError: If the posterior would take too long to compute.

    >>> within_work([1, 1], 10**9, 1e-6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be larger for n=1000000000 records in 2 categories: their posterior takes ...
    """
    alpha, size = checks.prior_weights(prior), checks.record_count(n)
    alike = np.diff(np.arange(len(alpha) + 1) * size // len(alpha))
    count_factors(alpha, size, [Noisy(alike, epsilon, mechanism)])


def noisy_and_noise(one: Any, k: int) -> Given:
    """Checked noisy counts of a release or margin, and the distribution of the noise of each count.

    Args:
        one: A ``Noisy`` or a ``Margin``.
        k: Number of counts.

    Returns:
        The k counts and the k distributions, with None for a count without noise.
    """
    allowed = f"{k} whole numbers, less than 2**53 away from 0"
    z = checks.numeric("noisy", one.counts, allowed)
    good = z.dtype.kind in "iu" and z.shape == (k,) and (abs(z.astype(np.float64)) < checks.LARGEST_TOTAL).all()
    need(good, f"noisy must be {allowed}, got noisy={checks.brief(one.counts)}")
    epsilon = checks.real("epsilon", one.epsilon, above=0)
    return z.astype(np.int64), releasable_mechanism(one.mechanism).likelihoods(epsilon, k)


def _drops(alpha: Floats, n: int, laws: Sequence[NoiseLaw | None]) -> Floats:
    r"""For each factor, how far the log of its log-concave upper bound must fall towards the ends of its window.

    The required fall from the mode is T plus the largest difference between the logarithms of the bound and the factor.
    Under a Dirichlet parameter below 1, the weight w(x) of a count x satisfies \(1 \ge w(x) \ge \alpha / x\) for \(x
    \ge 1\). If the log probability of the noise is the sum of a linear and a periodic function, it differs from the
    linear function by at most the decrease of the latter over one period.
    """
    above = np.where(alpha < 1, math.log(max(n, 1)) - np.log(alpha), 0.0)
    above += sum(law.width * law.decay for law in {*laws} if law is not None and law.width > 1)
    return 2 * math.log1p(n) - math.log(MIN_WEIGHT_RATIO * min(1.0, alpha.min())) + above


def _tilted(logs: Sequence[Floats], total: int) -> list[Floats]:
    r"""Logarithms of distributions proportional to \(\varphi_i(x) e^{\lambda x}\) whose means add up to a given total.

    The means are measured from the start of each window, and each distribution is scaled to a maximum of 1.
    """
    from scipy.optimize import brentq  # imported here: the import takes longer than most calls of the library

    def tilted(tilt: float) -> list[Floats]:
        moved = [log_p + tilt * np.arange(len(log_p)) for log_p in logs]
        return [log_p - log_p.max() for log_p in moved]

    def excess(tilt: float) -> float:
        return float(sum(p @ np.arange(len(p)) / p.sum() for p in map(np.exp, tilted(tilt)))) - total

    slopes = np.concatenate([np.zeros(1), *map(np.diff, logs)])
    least, most = -float(slopes.max()) - FLAT_SLOPE, -float(slopes.min()) + FLAT_SLOPE
    balanced = excess(least) < 0 < excess(most)  # otherwise only one combination of counts adds up to the total
    return tilted(float(brentq(excess, least, most, xtol=1e-12, maxiter=1000)) if balanced else 0.0)


def running(factors: Sequence[Weights], n: int) -> list[Weights]:
    """Convolutions of the first 0, 1, 2, ... factors, truncated at n.

    All terms are positive, so no digits cancel.

    Args:
        factors: The factor of each count.
        n: Largest sum that is computed.

    Returns:
        For each factor, the convolution of all preceding factors.
    """
    sums = [Weights(0, np.ones(1))]
    for factor in factors[:-1]:
        start = sums[-1].start + factor.start
        sums.append(_trimmed(start, np.convolve(sums[-1].p, factor.p)[: n + 1 - start]))
    return sums


def _trimmed(start: int, p: Floats) -> Weights:
    """Weights p of consecutive whole numbers from ``start``, without the negligible weights at both ends."""
    kept = np.flatnonzero(p > MIN_WEIGHT_RATIO**2 * p.max())
    return Weights(start + int(kept[0]), p[kept[0] : kept[-1] + 1])


def weights_at(spread: Weights, first: int, length: int) -> Floats:
    """Weights of ``length`` consecutive whole numbers starting at ``first``, with 0 outside the range of ``spread``.

    Args:
        spread: Weights of consecutive whole numbers.
        first: First whole number.
        length: Number of consecutive whole numbers.

    Returns:
        The weights.
    """
    where = np.arange(first, first + length) - spread.start
    inside = (where >= 0) & (where < len(spread.p))
    return np.where(inside, spread.p[np.where(inside, where, 0)], 0.0)


def _sums_at(one: Weights, other: Weights, first: int, length: int) -> Floats:
    """Convolution of two sequences of weights at ``length`` consecutive sums starting at ``first``."""
    short, long = sorted((one, other), key=lambda spread: len(spread.p))
    begin = first - short.start - len(short.p) + 1
    part = weights_at(long, begin, length + len(short.p) - 1)
    return np.asarray(np.convolve(part, short.p, mode="valid"))
