r"""What a private release says about the shares: the posterior given the *noisy* counts.

A released count vector is not data. Taking it for data (the plug-in posterior) forgets that noise was added, and its
intervals are too short. With a public noise law the dataset x is unknown but has a posterior of its own, and so
\[ p(\theta \mid z) = \sum_x p(x \mid z)\, \mathrm{Dir}(\theta; \alpha + x), \qquad
   p(x \mid z) \propto \Pr[x] \Pr[z \mid x] . \]
Each share \(\theta_i\) then is a mixture of Beta distributions.

* ``given_noise``: noise that is independent between the categories, or is so but for the fixed sum. Then
  \(p(x \mid z) \propto \prod_i \varphi_i(x_i)\) on \(\sum_i x_i = n\), and the marginals follow from convolutions.
* ``given_output``: any mechanism, by its law at all datasets.

Intervals are equal-tailed. Averaged over the prior, the one given the noise covers exactly at its level: the chance
that \(\theta\) lies in it is that level at each release, hence on average. At a fixed \(\theta\) that need not hold.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv, betaln, gammaln, xlog1py, xlogy

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism, all_laws
from ..model.predictive import log_step, marginal

NEGLIGIBLE = 1e-18
"""A dataset whose probability is below this share of the largest is left out of a mixture."""


LARGEST_WORK = 2e10
"""Steps that one posterior given noisy counts may take: about a minute."""


@dataclass(frozen=True, eq=False)
class Mixture:
    r"""A mixture of distributions \(\mathrm{Beta}(a_j, b_j)\), the \(a_j\) ascending, of one total \(N = a_j + b_j\).

    Both parameters are kept: in a difference from a large N a small one would lose its digits.
    """

    weights: Floats  # (m,), with the sum one
    first: Floats  # (m,)
    rest: Floats  # (m,)

    @property
    def total(self) -> float:
        """N, the sum of the prior's concentrations and the number of records."""
        return float(self.first[0] + self.rest[0])

    @property
    def mean(self) -> float:
        """The expected share, which is also the predictive probability of the category."""
        return float(self.weights @ self.first) / self.total

    @property
    def variance(self) -> float:
        """Within the components and between them: nothing is subtracted from anything larger than itself."""
        share = self.first / self.total
        within = self.weights @ (share * (self.rest / self.total)) / (self.total + 1)
        return float(within + self.weights @ np.square(share - self.mean))

    def cdf(self, theta: float) -> float:
        """Probability that the share is at most theta."""
        return float(self.weights @ betainc(self.first, self.rest, theta))

    def quantile(self, probability: float) -> float:
        """The share that is not exceeded with this probability."""
        p = checks.real("probability", probability, above=0, below=1)
        # every component's quantile lies between the outer ones'
        low, high = betaincinv(self.first[[0, -1]], self.rest[[0, -1]], p)
        if self.cdf(low) < p < self.cdf(high):
            return float(brentq(lambda theta: self.cdf(theta) - p, low, high, xtol=1e-300, rtol=1e-14, maxiter=2000))
        return self._bisected(p)

    def _bisected(self, p: float) -> float:
        """The smallest double whose distribution function reaches p, however close to 0: by halving their order."""
        below, reached = 0, int(np.float64(1).view(np.int64))  # as whole numbers, doubles >= 0 keep their order
        while reached - below > 1:
            middle = (below + reached) // 2
            if self.cdf(float(np.int64(middle).view(np.float64))) < p:
                below = middle
            else:
                reached = middle
        return float(np.int64(reached).view(np.float64))

    def interval(self, level: float) -> tuple[float, float]:
        """The equal-tailed interval of a level: what lies below it is as probable as what lies above it."""
        share = checks.real("level", level, above=0, below=1)
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)


def plug_in(prior: ArrayLike, released: ArrayLike) -> tuple[Mixture, ...]:
    """The posterior of each share if the released counts were the data: one Beta distribution each."""
    alpha, r = checks.dataset(prior, released)
    a = alpha + r
    others = [(np.delete(alpha, i).sum() + np.delete(r, i).sum()) for i in range(len(a))]
    return tuple(Mixture(np.ones(1), a[i : i + 1], np.array([others[i]])) for i in range(len(a)))


def given_output(mechanism: Mechanism, prior: ArrayLike, n: int, output: ArrayLike) -> tuple[Mixture, ...]:
    """The posterior of each share given the output of any mechanism, from its law at all datasets of n records."""
    alpha = checks.prior_weights(prior)
    vectors, law = all_laws(a_mechanism(mechanism), alpha, n)
    column = np.flatnonzero((law.outputs == checks.count_vector(output, len(alpha), name="output")).all(axis=1))
    if len(column) != 1:
        raise ValueError(f"output must be one that {mechanism.name} can release, got output={output!r}")
    with np.errstate(divide="ignore"):
        log_p = np.log(marginal(alpha, n)) + law.log_probabilities[:, column[0]]
    p = np.exp(log_p - log_p.max())
    shares = []
    for i, weight in enumerate(alpha):
        here = np.bincount(vectors[:, i], p, n + 1).astype(np.float64)
        shares.append(_mixture(np.arange(n + 1), here, weight, np.delete(alpha, i).sum(), n))
    return tuple(shares)


def given_noise(
    prior: ArrayLike, n: int, noisy: ArrayLike, epsilon: float, mechanism: str = "lattice_laplace"
) -> tuple[Mixture, ...]:
    r"""The posterior of each share given noisy counts, at any number of records.

    ``noisy`` are the counts with their noise, whole numbers and perhaps below 0 or above n, before anything was done to
    make them legal; ``mechanism`` is lattice_laplace, geometric or lshist. The last entry is not looked at where the
    last count is not noised. Entries of lattice noise may have been moved into 0..n: that changes nothing.

    The factors \(\varphi_i\) are tilted by a common \(e^{\lambda x_i}\), which the fixed sum cancels, so that the sum n
    is where their convolution is largest and nothing underflows.
    """
    alpha = checks.prior_weights(prior)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    z = _noisy_counts(noisy, len(alpha))
    rates, shift = noise_rates(mechanism, checks.real("epsilon", epsilon, above=0), len(alpha))
    if rates.all() and z.sum() < size:
        raise ValueError(f"noisy must have the total n={size}, as lattice noise keeps it, got noisy={z.tolist()}")
    ranges = _ranges(z, rates, size)
    if (steps := _steps(ranges, size)) > LARGEST_WORK:
        raise ValueError(
            f"epsilon must be larger for n={size} records in {len(alpha)} categories: with so many datasets possible "
            f"their posterior takes {steps:.1e} steps, more than {LARGEST_WORK:.0e}, got epsilon={epsilon!r}"
        )
    logs = [
        _log_factor(weight, rate, int(center), shift, low, high)
        for weight, rate, center, (low, high) in zip(alpha, rates, z, ranges, strict=True)
    ]
    factors = _tilted(logs, [low for low, _ in ranges], size)
    before, after = _running(factors), _running(factors[::-1])[::-1]
    shares = []
    for i, (factor, left, right) in enumerate(zip(factors, before, after, strict=True)):
        values = factor.start + np.arange(len(factor.p))
        others = _sums_at(left, right, size - int(values[-1]), len(values))[::-1]  # they add up to n - x
        shares.append(_mixture(values, factor.p * others, alpha[i], np.delete(alpha, i).sum(), size))
    return tuple(shares)


def noise_rates(mechanism: str, epsilon: float, k: int) -> tuple[Floats, float]:
    r"""Rates r and shift s with \(\Pr[z \mid x] \propto \prod_i e^{-r_i |z_i - x_i + s|}\).

    Lattice noise has the rate \(\varepsilon/2\) on every count. The others leave the last count alone; their rate is
    \(\varepsilon\) for two categories and \(\varepsilon/2\) for more. Floored Laplace noise is off its centre by 1/2.
    """
    if mechanism == "lattice_laplace":
        return np.full(k, epsilon / 2), 0.0
    if mechanism not in ("geometric", "lshist"):
        raise ValueError(f"mechanism must be one of lattice_laplace, geometric, lshist, got mechanism={mechanism!r}")
    rates = np.full(k, epsilon if k == 2 else epsilon / 2)
    rates[-1] = 0.0
    return rates, 0.5 if mechanism == "lshist" else 0.0


def _noisy_counts(noisy: ArrayLike, k: int) -> Integers:
    z = np.asarray(noisy)
    if z.dtype.kind not in "iu" or z.shape != (k,):
        raise ValueError(f"noisy must be {k} whole numbers, one per category, got noisy={noisy!r}")
    return z.astype(np.int64)


def _ranges(z: Integers, rates: Floats, n: int) -> list[tuple[int, int]]:
    """Values of each count that matter: around the noisy one, and as far beyond as the others' total asks for.

    A count without noise of its own is what the others leave.
    """
    noised = rates > 0
    width = np.full(len(z), n)
    width[noised] = np.minimum(n, np.ceil((-math.log(NEGLIGIBLE) + math.log1p(n)) / rates[noised]))
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


def _log_factor(weight: float, rate: float, center: int, shift: float, low: int, high: int) -> Floats:
    r"""\(\ln \varphi(x) = \ln \frac{\Gamma(\alpha + x)}{x!} - r |z - x + s|\) up to a constant, from low to high."""
    x = np.arange(low, high + 1)
    log_p: Floats = np.concatenate([[0.0], np.cumsum(log_step(weight, x[:-1]))]) - rate * np.abs(center - x + shift)
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


def _mixture(values: Integers, p: Floats, weight: float, others: float, n: int) -> Mixture:
    # what is negligible would only cost time
    kept = p > NEGLIGIBLE * p.max()
    return Mixture(p[kept] / p[kept].sum(), weight + values[kept], others + (n - values[kept]))


# Coverage, for two categories: exact sums over datasets and outputs


class Intervals(NamedTuple):
    """An interval for the first share for each output of a mechanism, in the order of its table."""

    lower: Floats
    upper: Floats

    @property
    def length(self) -> Floats:
        """How long each interval is."""
        lengths: Floats = self.upper - self.lower
        return lengths


def aware_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """The equal-tailed interval of the posterior given each output."""
    alpha, joint = _joint(mechanism, prior, n)
    return _intervals(alpha, n, joint / joint.sum(axis=0), level)


def plug_in_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """The equal-tailed interval of the posterior that takes each output for the data."""
    alpha = _two(prior)
    outputs = all_laws(a_mechanism(mechanism), alpha, n)[1].outputs
    share = checks.real("level", level, above=0, below=1)
    a, b = (alpha[i] + outputs[:, i] for i in range(2))
    return Intervals(betaincinv(a, b, (1 - share) / 2), betaincinv(a, b, (1 + share) / 2))


def coverage(
    mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, truth: ArrayLike | None = None
) -> float:
    r"""Probability that the interval of the output contains the share, exactly.

    The share is drawn from the prior, or from another one that is the truth; then the records, then the output,
    \[ \sum_x \Pr[x] \sum_r \Pr[r \mid x] \Pr[\theta \in I_r \mid x] . \]
    """
    alpha = _two(prior)
    law = all_laws(a_mechanism(mechanism), alpha, n)[1]
    real = alpha if truth is None else _two(truth, "truth")
    inside = _cdfs(real, n, intervals.upper) - _cdfs(real, n, intervals.lower)  # (R, n + 1)
    return float(np.einsum("x,xr,rx->", marginal(real, n), law.probabilities, inside))


def coverage_at(mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, share: float) -> float:
    r"""The same at a fixed share, \(\sum_x \mathrm{Bin}(x; n, \theta) \sum_r \Pr[r \mid x]\, 1\{\theta \in I_r\}\)."""
    theta = checks.real("share", share, least=0)
    if theta > 1:
        raise ValueError(f"share must be a finite number >= 0 and <= 1, got share={share!r}")
    law = all_laws(a_mechanism(mechanism), _two(prior), n)[1]
    x = np.arange(n + 1)
    log_p = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + xlogy(x, theta) + xlog1py(n - x, -theta)
    return float(np.exp(log_p) @ law.probabilities @ ((intervals.lower <= theta) & (theta <= intervals.upper)))


def _two(prior: ArrayLike, name: str = "prior") -> Floats:
    alpha = checks.concentrations(name, prior)
    if alpha.shape != (2,):
        raise ValueError(f"{name} must have two categories for a coverage, got shape {alpha.shape}")
    return alpha


def _joint(mechanism: Mechanism, prior: ArrayLike, n: int) -> tuple[Floats, Floats]:
    """Probability of every dataset together with every output."""
    alpha = _two(prior)
    return alpha, marginal(alpha, n)[:, None] * all_laws(a_mechanism(mechanism), alpha, n)[1].probabilities


def _intervals(alpha: Floats, n: int, posteriors: Floats, level: float) -> Intervals:
    share = checks.real("level", level, above=0, below=1)
    return Intervals(*(_quantiles(alpha, n, posteriors, p) for p in ((1 - share) / 2, (1 + share) / 2)))


def _quantiles(alpha: Floats, n: int, posteriors: Floats, p: float) -> Floats:
    """Quantiles of many mixtures at once, by bisection."""
    low, high = np.zeros(posteriors.shape[1]), np.ones(posteriors.shape[1])
    for _ in range(60):
        middle = (low + high) / 2
        below = np.einsum("rx,xr->r", _cdfs(alpha, n, middle), posteriors) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: Floats = (low + high) / 2
    return found


def _cdfs(alpha: Floats, n: int, theta: Floats) -> Floats:
    r"""\(I_\theta(\alpha_1 + x, \alpha_2 + n - x)\) for all x, a row per theta, to an absolute error of about 1e-14:

    \[ I_\theta(c + 1, d - 1) = I_\theta(c, d) - \frac{\theta^c (1-\theta)^{d-1}}{c\, B(c, d)} . \]
    """
    c, d = alpha[0] + np.arange(n), alpha[1] + n - np.arange(n)
    with np.errstate(divide="ignore"):
        log_theta, log_rest = np.log(theta)[:, None], np.log1p(-theta)[:, None]
    falls = np.exp(c * log_theta + (d - 1) * log_rest - np.log(c) - betaln(c, d))
    start = betainc(alpha[0], alpha[1] + n, theta)[:, None]
    fallen = np.concatenate([np.zeros_like(start), np.cumsum(falls, axis=1)], axis=1)
    table: Floats = np.clip(start - fallen, 0.0, 1.0)
    return table
