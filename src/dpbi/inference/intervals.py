r"""How often an interval is right, for two categories: exact sums over datasets and outputs.

Intervals are equal-tailed. Averaged over the prior, the one given the noise covers exactly at its level: the chance
that \(\theta\) lies in it is that level at each release, hence on average. At a fixed \(\theta\) that need not hold.
An end of the interval is rounded outwards. With a weight below 0.005 it may be nearer to 0 or 1 than doubles are: then
it is 0 or 1, and the interval covers more than its level.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincc, betaincinv, betaln, gammaln, xlog1py, xlogy

from .. import checks
from ..checks import Floats
from ..mechanisms import Mechanism, a_mechanism, all_laws
from ..model.predictive import log_marginal, marginal


class Intervals(NamedTuple):
    """An interval for the first share for each output of a mechanism, in the order of its table.

    What is left from each end to 1 is kept where it is known: an end may be nearer to 1 than any double.

    >>> intervals = Intervals(np.array([0.1, 0.5]), np.array([0.6, 0.9]))
    >>> intervals.length.round(6)
    array([0.5, 0.4])
    """

    lower: Floats
    upper: Floats
    lower_to_one: Floats | None = None
    upper_to_one: Floats | None = None

    @property
    def length(self) -> Floats:
        """How long each interval is."""
        lengths: Floats = self.upper - self.lower
        return lengths


def aware_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """The equal-tailed interval of the posterior given each output.

    >>> from dpbi import geometric
    >>> intervals = aware_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.422239, 0.901275)
    """
    alpha, share = _two(prior), checks.real("level", level, above=0, below=1)
    joint = log_marginal(alpha, n)[:, None] + all_laws(a_mechanism(mechanism), alpha, n)[1].log_probabilities
    posteriors = np.exp(joint - joint.max(axis=0))
    posteriors /= posteriors.sum(axis=0)
    ends = [_quantiles(alpha, n, posteriors, p) for p in ((1 - share) / 2, (1 + share) / 2)]
    return Intervals(ends[0][0], ends[1][0], ends[0][1], ends[1][1])


def plug_in_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """The equal-tailed interval of the posterior that takes each output for the data.

    >>> from dpbi import geometric
    >>> intervals = plug_in_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.478249, 0.854123)
    """
    alpha = _two(prior)
    outputs = all_laws(a_mechanism(mechanism), alpha, n)[1].outputs
    share = checks.real("level", level, above=0, below=1)
    a, b = (alpha[i] + outputs[:, i] for i in range(2))
    low, high = (1 - share) / 2, (1 + share) / 2
    return Intervals(betaincinv(a, b, low), betaincinv(a, b, high), betaincinv(b, a, high), betaincinv(b, a, low))


def coverage(
    mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, truth: ArrayLike | None = None
) -> float:
    r"""Probability that the interval of the output contains the share, exactly.

    The share is drawn from the prior, or from another one that is the truth; then the records, then the output,
    \[ \sum_x \Pr[x] \sum_r \Pr[r \mid x] \Pr[\theta \in I_r \mid x] . \]

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> kinds = (f(mechanism, [1, 1], 20, 0.95) for f in (aware_intervals, plug_in_intervals))
    >>> [round(coverage(mechanism, [1, 1], 20, intervals), 6) for intervals in kinds]
    [0.95, 0.865957]
    """
    alpha = _two(prior)
    law = all_laws(a_mechanism(mechanism), alpha, n)[1]
    real = alpha if truth is None else _two(truth, "truth")
    ends = ((intervals.upper, intervals.upper_to_one), (intervals.lower, intervals.lower_to_one))
    above, below = (_cdfs(real, n, end, 1 - end if to_one is None else to_one) for end, to_one in ends)
    inside = above - below  # (R, n + 1)
    return float(np.einsum("x,xr,rx->", marginal(real, n), law.probabilities, inside))


def coverage_at(mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, share: float) -> float:
    r"""The same at a fixed share, \(\sum_x \mathrm{Bin}(x; n, \theta) \sum_r \Pr[r \mid x]\, 1\{\theta \in I_r\}\).

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> intervals = plug_in_intervals(mechanism, [1, 1], 20, 0.95)
    >>> round(coverage_at(mechanism, [1, 1], 20, intervals, share=0.3), 6)
    0.911929
    """
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


def _quantiles(alpha: Floats, n: int, posteriors: Floats, p: float) -> tuple[Floats, Floats]:
    """Quantiles of many mixtures at once and what is left of each to 1, whichever is smaller by halving the doubles.

    Those of probabilities below a half are lower ends of intervals and rounded down, others are rounded up.
    As whole numbers, doubles >= 0 keep their order, so that a quantile of 1e-160 is found as one of 0.4 is. Once it is
    known up to a factor of two, Newton's steps take over, as long as they stay within what is known.
    """
    falls = _falls(alpha, n)
    rising = posteriors[:-1] * (alpha[0] + np.arange(n))[:, None]

    def found(theta: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """The distribution functions of the mixtures, less p, and their densities."""
        fall = falls(theta, rest)
        less = np.einsum("rx,xr->r", _fallen(alpha, theta, rest, fall), posteriors) - p
        last = posteriors[-1] * alpha[1] * fall[:, -1] / rest if n else np.zeros(len(theta))
        return less, np.einsum("rx,xr->r", fall, rising) / theta + last

    half = np.full(posteriors.shape[1], 0.5)
    upper = found(half, half)[0] < 0  # the quantile is above a half
    low = np.zeros(len(half), dtype=np.int64)
    high = half.view(np.int64).copy()
    guess = low
    while (high - low > 1).any():
        straight = (high - low < _FACTOR_OF_TWO) & (low < guess) & (guess < high)
        middle = np.where(straight, guess, (low + high) // 2)
        small = middle.view(np.float64)
        theta, rest = np.where(upper, 1 - small, small), np.where(upper, small, 1 - small)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # where there is no density, or no step
            less, density = found(theta, rest)
            step = np.where(upper, less, -less) / density
            near = straight & (np.abs(step) < 1e-9 * small)  # then the next step would be no number at all
            guess = np.maximum(small + step, 0.0).view(np.int64)
        nearer = (less < 0) != upper  # the end from which it is measured is too near
        low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
        low, high = np.where(near, guess, low), np.where(near, guess, high)
    small = np.where(upper == (p < 0.5), high, low).view(np.float64)  # outwards, to the end itself if need be
    return np.where(upper, 1 - small, small), np.where(upper, small, 1 - small)


_FACTOR_OF_TWO = 1 << 52
"""How far apart doubles are, as whole numbers, of which one is twice the other."""


def _cdfs(alpha: Floats, n: int, theta: Floats, rest: Floats) -> Floats:
    r"""\(I_\theta(\alpha_1 + x, \alpha_2 + n - x)\) for all x, a row per theta, to an absolute error of about 1e-14."""
    return _fallen(alpha, theta, rest, _falls(alpha, n)(theta, rest))


def _fallen(alpha: Floats, theta: Floats, rest: Floats, falls: Floats) -> Floats:
    """The same from the falls between them."""
    first, last = alpha[0], alpha[1] + falls.shape[1]
    table = np.zeros((len(theta), falls.shape[1] + 1))
    np.cumsum(falls, axis=1, out=table[:, 1:])
    np.subtract(np.where(theta < 0.5, betainc(first, last, theta), betaincc(last, first, rest))[:, None], table, table)
    np.clip(table, 0.0, 1.0, out=table)
    return table


def _falls(alpha: Floats, n: int) -> Callable[[Floats, Floats], Floats]:
    r"""By how much they fall from each x to the next, a row per theta:

    \[ I_\theta(c + 1, d - 1) = I_\theta(c, d) - \frac{\theta^c (1-\theta)^{d-1}}{c\, B(c, d)} . \]
    """
    c, d = alpha[0] + np.arange(n), alpha[1] + n - np.arange(n)
    constant = np.log(c) + betaln(c, d)

    def falls(theta: Floats, rest: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            log_theta, log_rest = (np.where(small < 0.5, np.log(small), np.log1p(-other))[:, None]
                                   for small, other in ((theta, rest), (rest, theta)))  # fmt: skip
        exponent: Floats = c * log_theta
        exponent += (d - 1) * log_rest
        exponent -= constant
        np.exp(exponent, out=exponent)
        return exponent

    return falls
