"""The posterior of a share: a mixture of Beta distributions, or a single Beta distribution if the noise is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from .. import checks
from ..checks import Floats, Integers, need

# Components whose weight is less than this fraction of the largest weight are dropped from a mixture (chosen: far below
# the rounding errors of doubles).
MIN_WEIGHT_RATIO = 1e-18

# The distribution function of a mixture with more components than this is computed by ``beta_cdfs``, which is then
# faster than evaluating an incomplete beta function for each component (chosen).
MIN_RECURRENCE_COMPONENTS = 500


@dataclass(frozen=True, eq=False, repr=False)
class Mixture:
    r"""Mixture of distributions \(\mathrm{Beta}(a_j, b_j)\) with ascending \(a_j\) and equal totals \(N = a_j + b_j\).

    Both parameters are stored, because a small parameter would lose digits if it were computed by subtracting the other
    parameter from a large N.

    Attributes:
        weights: Weights of the components, shape (m,), with the sum 1.
        first: First parameters \(a_j\), ascending.
        rest: Second parameters \(b_j\), descending.

    >>> share = Mixture(np.array([0.5, 0.5]), np.array([14.0, 15.0]), np.array([8.0, 7.0]))
    >>> round(share.mean, 6), round(share.quantile(0.025), 6), round(share.quantile(0.975), 6)
    (0.659091, 0.449006, 0.841037)
    >>> share
    <Mixture of 2 Beta laws, mean 0.659091>
    """

    weights: Floats
    first: Floats
    rest: Floats

    def __post_init__(self) -> None:
        for name, array in vars(self).copy().items():
            object.__setattr__(self, name, np.asarray(checks.given(name, array, 1), np.float64))
        p, a, b = self.weights, self.first, self.rest
        good = len(p) == len(a) == len(b) > 0 and abs(p.sum() - 1) <= checks.SUM_TOLERANCE and (p >= 0).all()
        good = good and a[0] > 0 and b[-1] > 0 and (a[1:] >= a[:-1]).all() and np.ptp(a + b) <= 1e-9 * (a[0] + b[0])
        need(good, "weights must be >= 0 with the sum 1, first ascending, and rest descending by as much, all > 0")

    def __repr__(self) -> str:
        return f"<Mixture of {len(self.first)} Beta law{'s' if len(self.first) > 1 else ''}, mean {self.mean:.6g}>"

    @property
    def total(self) -> float:
        """Sum N of the two parameters of each component: all Dirichlet parameters plus the number of records."""
        return float(self.first[0] + self.rest[0])

    @property
    def mean(self) -> float:
        """Mean of the share, which is also the predictive probability of its category."""
        return float(self.weights @ self.first) / self.total

    @property
    def variance(self) -> float:
        """Variance of the share: the variance within the components plus the variance between their means."""
        # both terms are positive, so no digits cancel
        share = self.first / self.total
        within = self.weights @ (share * (self.rest / self.total)) / (self.total + 1)
        return float(within + self.weights @ np.square(share - self.mean))

    @property
    def complement(self) -> Mixture:
        """Distribution of one minus the share, which is also a mixture of Beta distributions.

        Small quantiles of this mixture show how close the share is to 1, which doubles near 1 are too far apart to
        represent.

        >>> share = plug_in([0.3, 0.02], [5, 0])[0]
        >>> share.quantile(0.5), share.complement.quantile(0.5) < 1e-15
        (1.0, True)
        """
        return Mixture(self.weights[::-1], self.rest[::-1], self.first[::-1])

    def density(self, theta: ArrayLike) -> Floats:
        """Density of the share at each value theta.

        >>> plug_in([1, 1], [14, 6])[0].density([0.5, 0.7]).round(6)
        array([0.776253, 4.024419])
        """
        from scipy.stats import beta  # imported here: the import takes longer than most calls of the library

        return np.asarray(beta.pdf(np.asarray(theta)[..., None], self.first, self.rest) @ self.weights)

    def cdf(self, theta: float) -> float:
        """Probability that the share is at most theta; the probability is 0 for theta < 0 and 1 for theta > 1.

        >>> share = plug_in([1, 1], [14, 6])[0]
        >>> share.cdf(-1), round(share.cdf(0.7), 6), share.cdf(2)
        (0.0, 0.550518, 1.0)
        """
        inside = min(max(checks.real("theta", theta), 0.0), 1.0)
        if len(self.first) > MIN_RECURRENCE_COMPONENTS and (np.diff(self.first) == 1).all():
            return float(beta_cdfs(np.array([inside]), self.first, self.rest)[0] @ self.weights)
        return float(betainc(self.first, self.rest, inside) @ self.weights)

    def quantile(self, probability: float) -> float:
        """Smallest double q with Pr[share <= q] >= probability, with full relative precision however small q is.

        With more than 500 components, Pr[share <= q] has an absolute error of about 1e-16 times the square root of N.
        Quantiles at probabilities below 1e-9 may then lose digits.
        """
        return self._ends(checks.real("probability", probability, above=0, below=1))[1]

    def interval(self, level: float) -> tuple[float, float]:
        """Equal-tailed interval with a given posterior probability; its ends are rounded outwards to doubles.

        The lower end is the double just below the quantile, because much of the probability may lie between these two
        values.
        """
        share = checks.real("level", level, above=0, below=1)
        return self._ends((1 - share) / 2)[0], self._ends((1 + share) / 2)[1]

    def _ends(self, p: float) -> tuple[float, float]:
        # the doubles just below and at the quantile
        below, reached = around_quantiles(lambda theta: np.array([self.cdf(theta[0])]), p, 1)
        return float(below[0]), float(reached[0])


def around_quantiles(cdf: Callable[[Floats], Floats], p: float, size: int) -> tuple[Floats, Floats]:
    """Neighbouring doubles in [0, 1] between which each of several distribution functions reaches the probability p.

    The bit patterns of nonnegative doubles, read as integers, sort like the doubles. Bisection over these integers
    therefore needs no more steps for a quantile of 1e-160 than for a quantile of 0.4.

    Args:
        cdf: Function of an array of ``size`` arguments that evaluates each distribution function at its own argument.
        p: Probability, in (0, 1).
        size: Number of distribution functions.

    Returns:
        The doubles just below the quantiles, and the quantiles.

    >>> around_quantiles(lambda theta: theta**2, 0.25, 1)[1]
    array([0.5])
    """
    below, reached = np.zeros(size, dtype=np.int64), np.full(size, np.float64(1).view(np.int64))
    while (reached - below > 1).any():
        middle = (below + reached) // 2
        reaches = cdf(middle.view(np.float64)) >= p
        below, reached = np.where(reaches, below, middle), np.where(reaches, middle, reached)
    return below.view(np.float64), reached.view(np.float64)


def beta_cdfs(theta: Floats, a: Floats, b: Floats) -> Floats:
    r"""Distribution functions of a sequence of Beta distributions whose parameters change by 1 from one to the next.

    The functions are \(I_\theta(a_j, b_j)\) with \(a_{j+1} = a_j + 1\) and \(b_{j+1} = b_j - 1\). The absolute error is
    below 1e-12 if the two parameters add up to at most 1e8, and grows like the square root of their sum (measured). The
    functions satisfy
    \[ I_\theta(a, b) - I_\theta(a + 1, b - 1) = f_a, \qquad
       \frac{f_{a+1}}{f_a} = \frac{\theta}{1 - \theta} \frac{b - 1}{a + 1} . \]
    The ratios determine the differences \(f_a\) up to a common factor. The factor follows from the sum of the
    differences, which is the first function minus the last.

    Args:
        theta: Points in [0, 1] at which the functions are evaluated.
        a: First parameters, ascending by 1.
        b: Second parameters, descending by 1.

    Returns:
        Values of the functions, one row for each theta.

    >>> beta_cdfs(np.array([0.5]), np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    array([[0.75, 0.25]])
    """
    if len(a) == 1:
        return np.asarray(betainc(a, b, theta[:, None]), dtype=np.float64)
    # theta is clipped so that the odds are finite at 0 and 1 too
    inner = np.clip(theta, 5e-324, np.nextafter(1, 0))
    odds = (np.log(inner) - np.log1p(-inner))[:, None] + np.log(b[1:-1] / a[1:-1])  # b - 1 is the next b
    logs = np.concatenate([np.zeros((len(theta), 1)), np.cumsum(odds, axis=1)], axis=1)
    falls = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    first, last = betainc(a[0], b[0], theta), betainc(a[-1], b[-1], theta)
    falls *= ((first - last) / falls[:, -1])[:, None]
    table: Floats = first[:, None] - np.concatenate([np.zeros((len(theta), 1)), falls], axis=1)
    return np.clip(table, 0.0, 1.0)


def plug_in(prior: ArrayLike, released: ArrayLike) -> tuple[Mixture, ...]:
    """Plug-in posterior of each share: the Beta distribution that treats the released counts as the data.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        released: Released counts, k whole numbers >= 0.

    Returns:
        The plug-in posterior of each share, a Beta distribution.

    >>> first, second = plug_in([1, 1], [14, 6])
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.681818, [0.478249, 0.854123])
    """
    alpha = checks.prior_weights(prior)
    r = checks.one_dataset(released, len(alpha), name="released")
    return tuple(over_counts(r[i : i + 1], np.ones(1), alpha, i, int(r.sum())) for i in range(len(r)))


def over_counts(values: Integers, p: Floats | Integers, prior: Floats, i: int, n: int) -> Mixture:
    """Posterior of the share of a category whose hidden count has a given distribution.

    Components with negligible weights are dropped.

    Args:
        values: Possible values of the hidden count, ascending.
        p: Weights of the values, up to a common factor.
        prior: Dirichlet parameters of all categories.
        i: Index of the category, counted from 0.
        n: Number of records.

    Returns:
        A mixture with one Beta distribution for each value.
    """
    kept = p > MIN_WEIGHT_RATIO * p.max()
    return Mixture(p[kept] / p[kept].sum(), prior[i] + values[kept], np.delete(prior, i).sum() + (n - values[kept]))
