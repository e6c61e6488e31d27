r"""Tests, confidence bounds and intervals for a share, computed from noisy counts and valid whatever the share is.

Let the hidden count X of a category among n records be binomial with share \(\theta\). Let Z be the noise of this
count, whose distribution is public, and z the observed noisy count. Let U be a uniform number on \([0, 1)\) that is
drawn and stored with the release. The p-value of the hypothesis that the share is at most \(\theta\) is
\[ p(\theta) = \Pr_\theta[X + Z > z] + (1 - U) \Pr_\theta[X + Z = z] . \]
If the share is \(\theta\), the p-value is uniform: a test at level \(\alpha\) rejects with probability exactly
\(\alpha\), whatever the distribution of Z. Without U the p-value is \(\Pr_\theta[X + Z \ge z]\), which is at least as
large. The test is then conservative: it rejects with probability at most \(\alpha\). The p-value \(p(\theta)\)
increases with \(\theta\), and the lower bound is the smallest share that is not rejected. No prior is needed, but the
records must be a random sample from the population whose share is in question.

*What is best.* With two categories, lattice noise is geometric noise, and z and U together determine the statistic of
Awan and Slavković (2018). Among all \(\varepsilon\)-private tests of the n records with the same size, none has more
power at any share above \(\theta\). No private lower bound that is valid at every share is closer to the share from
below. The same z and U serve all shares and levels. With other noise, or with more than two categories, the tests are
equally exact, but other tests may have more power. If only one share is of interest, merge the other categories before
the release. The two-sided test is exact but not necessarily the most powerful one.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import comb

from .. import checks
from ..checks import Floats, need
from ..mechanisms.noise import clamped
from .mixtures import around_quantiles
from .posteriors_given_noise import Noisy, noisy_and_noise

# Alternative hypotheses: the share is greater than, less than, or different from the tested value.
ALTERNATIVES = ("greater", "less", "two-sided")

# Largest number of records: an interval for two categories then takes one to two seconds (measured).
MAX_RECORDS = 10**7

# Largest number of categories with lattice noise (chosen): the probability of the noise of one count is a sum of about
# this many terms.
MAX_CATEGORIES = 100

# Shares below this value are replaced by it, because binomial probabilities overflow at denormal shares.
LEAST_SHARE = 1e-290


def p_value(
    n: int, release: Noisy, share: float, alternative: str = "greater", *, category: int = 0, uniform: Any = None
) -> float:
    r"""P-value of the hypothesis that the share of a category is at most, at least, or equal to a given share.

    Args:
        n: Number of records, a whole number >= 1 and <= 10,000,000.
        release: Noisy counts with their epsilon and mechanism: k >= 2 whole numbers that add up to n, as they were
            drawn and not clamped to 0..n.
        share: Tested value of the share, in [0, 1].
        alternative: The null hypothesis is that the share is at most the tested value for "greater", at least the
            tested value for "less", and equal to the tested value for "two-sided". A two-sided p-value is twice the
            smaller of the two one-sided p-values, and at most 1.
        category: Position of the category, counted from 0. With three or more categories, the count of this category
            must have noise of its own. Under lattice noise this is true of every category, and at most 100 categories
            are allowed; under other noise it is true of every category but the last.
        uniform: U, a Fraction or double in [0, 1] that was drawn with the release, for an exact p-value. Pass 1 - U for
            the second of two categories. Without U the p-value is conservative.

    Returns:
        The p-value, with a relative error below 1e-12 up to a million records (measured).

    >>> release = Noisy([14, 6], 0.8)
    >>> round(p_value(20, release, share=0.5), 6), round(p_value(20, release, share=0.5, uniform=0.75), 6)
    (0.1014, 0.064895)
    """
    count, theta = _count(n, release, category, uniform), checks.real("share", share, least=0, most=1)
    known = isinstance(alternative, str) and alternative in ALTERNATIVES
    need(known, f"alternative must be one of {', '.join(ALTERNATIVES)}, got alternative={checks.brief(alternative)}")
    if alternative == "two-sided":
        return min(1.0, 2 * count.p_value(theta, True), 2 * count.p_value(theta, False))
    return count.p_value(theta, alternative == "greater")


def lower_bound(n: int, release: Noisy, level: float, *, category: int = 0, uniform: Any = None) -> float:
    """Lower confidence bound for a share; for every share below 1, it is at most the share with probability ``level``.

    Args:
        n: Number of records, as in ``p_value``.
        release: The noisy counts, as in ``p_value``.
        level: Probability that the bound is at most the share, in (0, 1). With U this level is attained exactly;
            without U the probability is at least the level.
        category: Position of the category, as in ``p_value``.
        uniform: U, as in ``p_value``.

    Returns:
        The bound, rounded down to a double. The bound is 1 if every share is rejected, because the noise was extreme.

    >>> round(lower_bound(20, Noisy([14, 6], 0.8), level=0.95), 6)
    0.445839
    """
    return _count(n, release, category, uniform).bound(1 - checks.real("level", level, above=0, below=1), True)


def upper_bound(n: int, release: Noisy, level: float, *, category: int = 0, uniform: Any = None) -> float:
    """Upper confidence bound for a share; for every share above 0, it is at least the share with probability ``level``.

    Args:
        n: Number of records, as in ``p_value``.
        release: The noisy counts, as in ``p_value``.
        level: Probability that the bound is at least the share, in (0, 1). With U this level is attained exactly;
            without U the probability is at least the level.
        category: Position of the category, as in ``p_value``.
        uniform: U, as in ``p_value``.

    Returns:
        The bound, rounded up to a double. The bound is 0 if every share is rejected, because the noise was extreme.

    >>> round(upper_bound(20, Noisy([14, 6], 0.8), level=0.95), 6)
    0.904444
    """
    return _count(n, release, category, uniform).bound(1 - checks.real("level", level, above=0, below=1), False)


def guaranteed_interval(
    n: int, release: Noisy, level: float, *, category: int = 0, uniform: Any = None
) -> tuple[float, float]:
    """Confidence interval that contains the share with probability ``level``, whatever the share is.

    The ends are a lower and an upper confidence bound, each with an error probability of (1 - level) / 2, which extends
    the interval of Clopper and Pearson to noisy counts. A posterior interval, in contrast, attains its level on average
    over the prior.

    Args:
        n: Number of records, as in ``p_value``.
        release: The noisy counts, as in ``p_value``.
        level: Coverage of the interval, in (0, 1). The coverage is exact if U is given, except at the shares 0 and 1,
            where it is larger. Without U the coverage is at least the level.
        category: Position of the category, as in ``p_value``.
        uniform: U, as in ``p_value``.

    Returns:
        The ends, rounded outwards to doubles. Both ends are 0, or both are 1, if every share is rejected.

    >>> [round(end, 6) for end in guaranteed_interval(20, Noisy([14, 6], 0.8), level=0.95)]
    [0.398413, 0.936995]
    """
    count, half = _count(n, release, category, uniform), (1 - checks.real("level", level, above=0, below=1)) / 2
    return count.bound(half, True), count.bound(half, False)


class _Count(NamedTuple):
    """A noisy count z of n records, the distribution of its noise, and the uniform number U or None."""

    z: int
    n: int
    noise: Any
    mirrored: bool  # whether ``noise`` is the distribution of minus the noise
    uniform: Any

    def p_value(self, theta: float, greater: bool) -> float:
        r"""One-sided p-value: a sum over the hidden count x of binomial probabilities times tails of the noise.

        All terms are positive. The logarithms of the terms are concave in x (up to the period of staircase noise), with
        second differences of at most \(-4/(n+2)\). The largest term is therefore at most one step away from the largest
        term on a grid with steps of \(\sqrt n\), and terms more than six grid steps away are below e^-48 times the
        largest term.
        """
        from scipy.stats import binom  # imported here: the import takes longer than most calls of the library

        share, step = max(theta, LEAST_SHARE), math.isqrt(self.n) + 1
        v = 0 if self.uniform is None else self.uniform if greater else 1 - self.uniform  # 0 without U
        grid = range(self.n, -1, -step)
        top = grid[int(np.argmax(binom.logpmf(grid, self.n, share) + _log_tails(self, grid, greater)))]
        x = range(top - 7 * step, top + 7 * step + 1)
        tails = np.exp(_log_tails(self, range(x[0] - 1, x[-1] + 2), greater))
        beyond = tails[:-2] if greater else tails[2:]  # of z + 1, or z - 1
        return min(1.0, float(binom.pmf(x, self.n, share) @ (float(1 - v) * tails[1:-1] + float(v) * beyond)))

    def bound(self, alpha: float, greater: bool) -> float:
        """Confidence bound with error probability alpha: a lower one if ``greater`` is true, else an upper one."""
        end, sign = (1.0, 1) if greater else (0.0, -1)  # the p-value times the sign increases with the share
        if self.p_value(end, greater) <= alpha:
            return end
        rising = lambda theta: np.array([sign * self.p_value(float(theta[0]), greater)])  # noqa: E731
        return float(around_quantiles(rising, sign * alpha, 1)[0 if greater else 1][0])


@lru_cache(maxsize=256)  # the search for a bound needs the same tails at each of about sixty shares
def _log_tails(count: _Count, x: range, greater: bool) -> Floats:
    """Log probabilities that a count in x plus the noise is at least z, or at most z if ``greater`` is false."""
    change, above = np.array(x) - count.z, greater != count.mirrored
    return np.asarray(clamped(count.noise, change if count.mirrored else -change, not above, above))


def _count(n: Any, release: Any, category: Any, uniform: Any) -> _Count:
    """The noisy count of a category and the distribution of its noise, after a check of the arguments of a test."""
    one = checks.typed("release", release, Noisy, "a Noisy value, Noisy([14, 6], 0.8) for instance")
    size, k = checks.whole("n", n, least=1, below=MAX_RECORDS + 1), len(checks.listed("noisy", one.counts))
    z, laws = noisy_and_noise(one, k)
    good = k >= 2 and sum(z.tolist()) == size
    need(good, f"noisy must be k >= 2 whole numbers with the total n={size}, got noisy={checks.brief(z.tolist())}")
    i, lattice = checks.whole("category", category, least=0, below=k), one.mechanism == "lattice_laplace"
    fine = uniform is None or (isinstance(uniform, Fraction) and 0 <= uniform <= 1)
    u = uniform if fine else checks.real("uniform", uniform, least=0, most=1)
    few = f"noisy must be at most {MAX_CATEGORIES} counts for a test with lattice noise, got {k}"
    need(not lattice or k <= MAX_CATEGORIES, f"{few}: merge categories before a release")
    own = f"all but the last with {one.mechanism} and all with lattice_laplace"
    need(laws[i] is not None or k == 2, f"category must be one whose count has noise of its own, {own}, got {i}")
    # the second of two counts is n minus the first, so its noise is minus the noise of the first
    return _Count(int(z[i]), size, _LatticeCount(float(one.epsilon), k) if lattice else laws[0], laws[i] is None, u)


class _LatticeCount:
    r"""Noise of one of k counts with lattice noise: \(\Pr[v] \propto q^{|v|} P(|v|)\), \(q = e^{-\varepsilon}\).

    The entries of lattice noise are independent geometric noise of rate \(\varepsilon/2\), conditioned on a sum of 0.
    The other k - 1 entries must therefore add up to -v, which has a probability proportional to \(q^{|v|/2} P(|v|)\).
    By Vandermonde's identity, with M = k - 2,
    \[ P(j) = \sum_{a=0}^M \binom{j}{a} (1-q)^a c_a, \qquad
       c_a = \sum_{t=0}^{M-a} \binom{M+t}{t} \binom{M}{a+t} q^t (1-q)^{M-a-t}, \]
    \[ \sum_{j \ge d} q^j P(j) = \frac{q^d}{1-q} \sum_{l=0}^M \binom{d}{l} (1-q)^l \sum_{a \ge l} q^{a-l} c_a . \]
    All terms are positive, so no digits cancel. For k = 2 the noise is geometric.
    """

    def __init__(self, epsilon: float, k: int) -> None:
        (a, t), M, q, self.rest = np.ogrid[: k - 1, : k - 1], k - 2, math.exp(-epsilon), -math.expm1(-epsilon)
        terms = comb(M + t, t) * comb(M, a + t) * q**t * self.rest ** np.maximum(M - a - t, 0)
        c = terms.sum(axis=1)
        self.epsilon, self.points, self.tails = epsilon, self.rest * c, np.triu(q ** np.abs(t - a)) @ c
        self.total = math.log(self.tails[0] + math.exp(self._log(self.tails, 1)))  # Pr[v >= 0] + Pr[v <= -1]

    def _log(self, coefficients: Floats, distance: Any, log_total: float = 0.0) -> Any:
        value = 0.0
        for a in range(len(coefficients) - 1, -1, -1):  # Horner's rule; terms with a > distance vanish
            value = np.minimum(coefficients[a] + value * ((distance - a) * self.rest / (a + 1)), 1e300)
        return np.log(value) - self.epsilon * distance - log_total

    def log_point(self, change: Any) -> Any:
        """Log probability that the noise equals ``change``."""
        return self._log(self.points, np.abs(change), self.total)

    def log_at_least(self, change: Any) -> Any:
        r"""Log tail probability of the noise, \(\ln \Pr[v \ge m]\), at a change \(m \ge 0\)."""
        return self._log(self.tails, change, self.total)

    def log_at_most(self, change: Any) -> Any:
        r"""Log tail probability of the noise, \(\ln \Pr[v \le m]\), at a change \(m < 0\)."""
        return self._log(self.tails, -change, self.total)
