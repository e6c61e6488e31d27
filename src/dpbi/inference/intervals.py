r"""Coverage of intervals for the share of the first of two categories, by exact sums over datasets and outputs.

Intervals are equal-tailed. Averaged over the prior, the one given the noise covers exactly at its level: the chance
that \(\theta\) lies in it is that level at each release, hence on average. At a fixed \(\theta\) that need not hold.
The ends of an interval are rounded outwards to doubles. With a small weight of the prior a quantile may lie closer to 0
or 1 than the next double; then the interval covers more than its level.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln, xlog1py, xlogy

from .. import checks
from ..checks import Floats, need
from ..mechanisms import Mechanism, a_mechanism, all_laws
from ..model.predictive import log_marginal, marginal
from .mixtures import around_quantiles, beta_cdfs


class Intervals(NamedTuple):
    """An interval for the share of the first category, for each output of a mechanism.

    Attributes:
        lower: Lower ends, in the order of the outputs in the table of laws.
        upper: Upper ends.

    >>> intervals = Intervals(np.array([0.1, 0.5]), np.array([0.6, 0.9]))
    >>> intervals.length.round(6)
    array([0.5, 0.4])
    """

    lower: Floats
    upper: Floats

    @property
    def length(self) -> Floats:
        """Length of each interval."""
        return np.asarray(self.upper - self.lower)


def aware_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """Equal-tailed intervals of the posterior given each output of a mechanism, which account for its noise.

    Args:
        mechanism: A mechanism, ``lshist(0.8)`` for instance.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        level: Probability of each interval, in (0, 1).

    Returns:
        An interval for the first share for each output, in the order of the table of laws.

    >>> from dpbi import geometric
    >>> intervals = aware_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.422239, 0.901275)
    """
    alpha, share = _two(prior), checks.real("level", level, above=0, below=1)
    joint = log_marginal(alpha, n)[:, None] + all_laws(a_mechanism(mechanism), alpha, n)[1].log_probabilities
    posteriors = np.exp(joint - joint.max(axis=0))
    posteriors /= posteriors.sum(axis=0)

    def cdf(theta: Floats) -> Floats:
        return np.asarray(np.einsum("rx,xr->r", _cdfs(alpha, n, theta), posteriors))

    ends = [around_quantiles(cdf, p, posteriors.shape[1]) for p in ((1 - share) / 2, (1 + share) / 2)]
    return Intervals(ends[0][0], ends[1][1])


def plug_in_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """Equal-tailed intervals of the posterior that takes each output of a mechanism for the data.

    Args:
        mechanism: A mechanism, ``lshist(0.8)`` for instance.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        level: Probability of each interval, in (0, 1).

    Returns:
        An interval for the first share for each output, in the order of the table of laws.

    >>> from dpbi import geometric
    >>> intervals = plug_in_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.478249, 0.854123)
    """
    alpha, share = _two(prior), checks.real("level", level, above=0, below=1)
    a, b = (alpha + all_laws(a_mechanism(mechanism), alpha, n)[1].outputs).T
    ends = [around_quantiles(lambda theta: betainc(a, b, theta), p, len(a)) for p in ((1 - share) / 2, (1 + share) / 2)]
    return Intervals(ends[0][0], ends[1][1])


def coverage(
    mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, truth: ArrayLike | None = None
) -> float:
    r"""Exact probability that the interval for the output contains a share drawn from the prior or another law,

    \[ \sum_x \Pr[x] \sum_r \Pr[r \mid x] \Pr[\theta \in I_r \mid x] . \]

    Args:
        mechanism: A mechanism, ``lshist(0.8)`` for instance.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        intervals: An interval for each output.
        truth: Dirichlet parameters of the law that the share is drawn from; the prior unless given.

    Returns:
        The probability that the interval contains the share.

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> kinds = (f(mechanism, [1, 1], 20, 0.95) for f in (aware_intervals, plug_in_intervals))
    >>> [round(coverage(mechanism, [1, 1], 20, intervals), 6) for intervals in kinds]
    [0.95, 0.865957]
    """
    alpha = _two(prior)
    law = all_laws(a_mechanism(mechanism), alpha, n)[1]
    real = alpha if truth is None else _two(truth, "truth")
    inside = _cdfs(real, n, intervals.upper) - _cdfs(real, n, intervals.lower)  # (R, n + 1)
    return float(np.einsum("x,xr,rx->", marginal(real, n), law.probabilities, inside))


def coverage_at(mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, share: float) -> float:
    r"""Exact probability that the interval for the output contains a fixed share \(\theta\),

    \[ \sum_x \mathrm{Bin}(x; n, \theta) \sum_r \Pr[r \mid x]\, 1\{\theta \in I_r\} . \]

    Args:
        mechanism: A mechanism, ``lshist(0.8)`` for instance.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        intervals: An interval for each output.
        share: The fixed share, in [0, 1].

    Returns:
        The probability that the interval contains the share.

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> intervals = plug_in_intervals(mechanism, [1, 1], 20, 0.95)
    >>> round(coverage_at(mechanism, [1, 1], 20, intervals, share=0.3), 6)
    0.911929
    """
    theta = checks.real("share", share, least=0, most=1)
    law = all_laws(a_mechanism(mechanism), _two(prior), n)[1]
    x = np.arange(n + 1)
    log_p = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + xlogy(x, theta) + xlog1py(n - x, -theta)
    return float(np.exp(log_p) @ law.probabilities @ ((intervals.lower <= theta) & (theta <= intervals.upper)))


def _two(prior: ArrayLike, name: str = "prior") -> Floats:
    alpha = checks.concentrations(name, prior)
    need(alpha.shape == (2,), f"{name} must have two categories for a coverage, got shape {alpha.shape}")
    return alpha


def _cdfs(alpha: Floats, n: int, theta: Floats) -> Floats:
    r"""\(I_\theta(\alpha_1 + x, \alpha_2 + n - x)\) for all x, a row for each theta."""
    x = np.arange(n + 1)
    return beta_cdfs(theta, alpha[0] + x, alpha[1] + (n - x))
