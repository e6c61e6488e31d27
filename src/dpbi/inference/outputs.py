r"""Posteriors given an output of any mechanism with known output distributions, and the coverage of intervals.

The coverage of an interval is the probability that it contains the share. Coverage is computed for the share of the
first of two categories, by exact sums over datasets and outputs.

Intervals are equal-tailed. If the share is drawn from the prior, an interval that accounts for the noise contains the
share with a probability equal to its level, because the conditional probability given each output equals the level. At
a fixed \(\theta\), the coverage may differ from the level. The ends of an interval are rounded outwards to doubles. If
a parameter of the prior is small, a quantile may be closer to 0 or 1 than any other double is. The coverage of the
interval then exceeds its level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from .. import checks
from ..checks import Floats, need
from ..mechanisms import Mechanism, all_laws
from ..model.dirichlet import two_weights
from ..model.predictive import log_marginal, marginal
from .mixtures import Mixture, around_quantiles, beta_cdfs, over_counts


def given_output(mechanism: Mechanism, prior: ArrayLike, n: int, output: ArrayLike) -> tuple[Mixture, ...]:
    """Posterior of each share given the output of any mechanism, by Bayes' rule over all datasets of n records.

    Args:
        mechanism: A mechanism, for instance ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        output: Released counts, k whole numbers that the mechanism can release.

    Returns:
        The posterior of each share.

    Raises:
        ValueError: If the mechanism cannot release the output, or n is too large for a table of all distributions.

    >>> from dpbi import geometric
    >>> first, second = given_output(geometric(0.8), [1, 1], 20, [14, 6])
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.680912, [0.422239, 0.901275])
    """
    alpha, n = checks.prior_weights(prior), checks.record_count(n)
    vectors, law = all_laws(mechanism, alpha, n)
    released = checks.one_dataset(output, len(alpha), name="output")
    # empty if the output is not among the outputs of the mechanism; the sum over columns below is then 0
    column = np.flatnonzero((law.outputs == released).all(axis=1))
    log_p = log_marginal(alpha, n) + law.log_probabilities[:, column].sum(axis=1)
    possible = len(column) == 1 and log_p.max() > -np.inf
    need(possible, f"output must be one that {mechanism.name} can release, got output={checks.brief(output)}")
    p, x = np.exp(log_p - log_p.max()), np.arange(n + 1)
    return tuple(over_counts(x, np.bincount(counts, p, n + 1), alpha, i, n) for i, counts in enumerate(vectors.T))


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """Intervals for the share of the first of two categories, one for each output of a mechanism.

    Attributes:
        lower: Lower ends, in the order of the outputs of ``all_laws``.
        upper: Upper ends, in the order of ``lower``.

    >>> intervals = Intervals(np.array([0.1, 0.5]), np.array([0.6, 0.9]))
    >>> intervals, intervals.length.round(6)
    (<Intervals for 2 outputs, 0.4 to 0.5 long>, array([0.5, 0.4]))
    """

    lower: Floats
    upper: Floats

    def __repr__(self) -> str:
        length = self.length
        return f"<Intervals for {len(length)} outputs, {length.min():.6g} to {length.max():.6g} long>"

    @property
    def length(self) -> Floats:
        """Length of each interval."""
        return np.asarray(self.upper - self.lower)


def aware_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """Equal-tailed intervals of the exact posterior given each output, which account for the noise of the mechanism.

    Args:
        mechanism: A mechanism, for instance ``lshist(0.8)``.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        level: Posterior probability of each interval, in (0, 1).

    Returns:
        An interval for the first share given each output, in the order of the outputs of ``all_laws``.

    Raises:
        ValueError: If n is too large for a table of the output distributions at all datasets.

    >>> from dpbi import geometric
    >>> intervals = aware_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.422239, 0.901275)
    """
    alpha = two_weights(prior)
    joint = log_marginal(alpha, n)[:, None] + all_laws(mechanism, alpha, n)[1].log_probabilities
    posteriors = np.exp(joint - joint.max(axis=0))
    posteriors /= posteriors.sum(axis=0)
    return _equal_tailed(lambda theta: (_cdfs(alpha, n, theta) * posteriors.T).sum(axis=1), level, posteriors.shape[1])


def plug_in_intervals(mechanism: Mechanism, prior: ArrayLike, n: int, level: float) -> Intervals:
    """Equal-tailed intervals of the plug-in posterior, which treats each output of a mechanism as the data.

    Args:
        mechanism: A mechanism, for instance ``lshist(0.8)``.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        level: Posterior probability of each interval, in (0, 1).

    Returns:
        An interval for the first share given each output, in the order of the outputs of ``all_laws``.

    Raises:
        ValueError: If n is too large for a table of the output distributions at all datasets.

    >>> from dpbi import geometric
    >>> intervals = plug_in_intervals(geometric(0.8), [1, 1], 20, level=0.95)
    >>> round(float(intervals.lower[14]), 6), round(float(intervals.upper[14]), 6)
    (0.478249, 0.854123)
    """
    alpha = two_weights(prior)
    a, b = (alpha + all_laws(mechanism, alpha, n)[1].outputs).T
    return _equal_tailed(lambda theta: betainc(a, b, theta), level, len(a))


def _equal_tailed(cdf: Callable[[Floats], Floats], level: float, size: int) -> Intervals:
    """Equal-tailed intervals for ``size`` distribution functions; ``cdf`` evaluates each at its own argument."""
    share = checks.real("level", level, above=0, below=1)
    (lower, _), (_, upper) = (around_quantiles(cdf, p, size) for p in ((1 - share) / 2, (1 + share) / 2))
    return Intervals(lower, upper)


def coverage(
    mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, truth: ArrayLike | None = None
) -> float:
    r"""Exact probability that the interval for the output contains a share drawn from a Dirichlet distribution.

    \[ \sum_x \Pr[x] \sum_r \Pr[r \mid x] \Pr[\theta \in I_r \mid x] . \]

    Args:
        mechanism: A mechanism, for instance ``lshist(0.8)``.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        intervals: One interval for each output, for instance the result of ``aware_intervals`` for the same n.
        truth: Parameters of the Dirichlet distribution from which the share is drawn; by default the prior.

    Returns:
        The probability that the interval contains the share.

    Raises:
        ValueError: If n is too large for a table of the output distributions at all datasets.

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> kinds = (f(mechanism, [1, 1], 20, 0.95) for f in (aware_intervals, plug_in_intervals))
    >>> [round(coverage(mechanism, [1, 1], 20, intervals), 6) for intervals in kinds]
    [0.95, 0.865957]
    """
    p = _probabilities(mechanism, prior, n, intervals)
    real, n = (two_weights(prior) if truth is None else two_weights(truth, "truth")), len(p) - 1
    inside = _cdfs(real, n, intervals.upper) - _cdfs(real, n, intervals.lower)  # (R, n + 1)
    return float(np.einsum("x,xr,rx->", marginal(real, n), p, inside))


def coverage_at(mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals, share: float) -> float:
    r"""Exact probability that the interval for the output contains a fixed share \(\theta\).

    \[ \sum_x \mathrm{Bin}(x; n, \theta) \sum_r \Pr[r \mid x]\, 1\{\theta \in I_r\} . \]

    Args:
        mechanism: A mechanism, for instance ``lshist(0.8)``.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0.
        intervals: One interval for each output, for instance the result of ``aware_intervals`` for the same n.
        share: The fixed share, in [0, 1].

    Returns:
        The probability that the interval contains the share.

    Raises:
        ValueError: If n is too large for a table of the output distributions at all datasets.

    >>> from dpbi import geometric
    >>> mechanism = geometric(0.8)
    >>> intervals = plug_in_intervals(mechanism, [1, 1], 20, 0.95)
    >>> round(coverage_at(mechanism, [1, 1], 20, intervals, share=0.3), 6)
    0.911929
    """
    from scipy.stats import binom  # imported here: the import takes longer than most calls of the library

    theta = checks.real("share", share, least=0, most=1)
    p = _probabilities(mechanism, prior, n, intervals)
    inside = (intervals.lower <= theta) & (theta <= intervals.upper)
    return float(binom.pmf(np.arange(len(p)), len(p) - 1, theta) @ p @ inside)


def _probabilities(mechanism: Mechanism, prior: ArrayLike, n: int, intervals: Intervals) -> Floats:
    """Output probabilities, one row per dataset, after a check that there is one valid interval per output."""
    p = all_laws(mechanism, two_weights(prior), n)[1].probabilities
    good = isinstance(intervals, Intervals) and len(intervals.lower) == p.shape[1]
    good = good and (intervals.length >= 0).all() and (intervals.lower >= 0).all() and (intervals.upper <= 1).all()
    allowed = f"Intervals in [0, 1], one for each of the {p.shape[1]} outputs, with lower ends not above the upper ones"
    need(good, f"intervals must be {allowed}, got {checks.brief(intervals)}")
    return p


def _cdfs(alpha: Floats, n: int, theta: Floats) -> Floats:
    r"""Distribution functions \(I_\theta(\alpha_1 + x, \alpha_2 + n - x)\) for all datasets x, one row per theta."""
    x = np.arange(n + 1)
    return beta_cdfs(theta, alpha[0] + x, alpha[1] + (n - x))
