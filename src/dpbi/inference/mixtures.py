"""The posterior of a share: a mixture of Beta distributions, and the one Beta that forgets the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from .. import checks
from ..checks import Floats, Integers, need

# A component whose weight is below this share of the largest is left out of a mixture: far below rounding.
MIN_WEIGHT_RATIO = 1e-18

# From this many components on ``beta_cdfs`` is faster than one incomplete beta function for each (chosen).
MIN_RECURRENCE_COMPONENTS = 500

# Up to this total of the parameters the recurrence of ``beta_cdfs`` keeps twelve digits (measured).
MAX_RECURRENCE_TOTAL = 1e8


@dataclass(frozen=True, eq=False, repr=False)
class Mixture:
    r"""A mixture of distributions \(\mathrm{Beta}(a_j, b_j)\), the \(a_j\) ascending, of one total \(N = a_j + b_j\).

    Both parameters are kept, because a small one has no digits left as a difference from a large N.

    Attributes:
        weights: Weights of the components, shape (m,), with the sum 1.
        first: Parameters a_j, ascending.
        rest: Parameters b_j.

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
        """N, the sum of the prior's concentrations and the number of records."""
        return float(self.first[0] + self.rest[0])

    @property
    def mean(self) -> float:
        """The expected share, which is also the predictive probability of the category."""
        return float(self.weights @ self.first) / self.total

    @property
    def variance(self) -> float:
        """Variance of the share, within and between the components; no difference of large terms cancels."""
        share = self.first / self.total
        within = self.weights @ (share * (self.rest / self.total)) / (self.total + 1)
        return float(within + self.weights @ np.square(share - self.mean))

    @property
    def complement(self) -> Mixture:
        """The mixture of one minus the share. Its quantiles show how close to 1 a share is, which no double near 1 can.

        >>> share = plug_in([0.3, 0.02], [5, 0])[0]
        >>> share.quantile(0.5), share.complement.quantile(0.5) < 1e-15
        (1.0, True)
        """
        return Mixture(self.weights[::-1], self.rest[::-1], self.first[::-1])

    def density(self, theta: ArrayLike) -> Floats:
        """Density of the share at each theta.

        >>> plug_in([1, 1], [14, 6])[0].density([0.5, 0.7]).round(6)
        array([0.776253, 4.024419])
        """
        from scipy.stats import beta  # imported here: the import takes longer than most calls of the library

        return np.asarray(beta.pdf(np.asarray(theta)[..., None], self.first, self.rest) @ self.weights)

    def cdf(self, theta: float) -> float:
        """Probability that the share is at most theta: 0 below 0 and 1 above 1.

        >>> share = plug_in([1, 1], [14, 6])[0]
        >>> share.cdf(-1), round(share.cdf(0.7), 6), share.cdf(2)
        (0.0, 0.550518, 1.0)
        """
        inside = min(max(checks.real("theta", theta), 0.0), 1.0)
        many = len(self.first) > MIN_RECURRENCE_COMPONENTS and self.total < MAX_RECURRENCE_TOTAL
        if many and (np.diff(self.first) == 1).all():
            return float(beta_cdfs(np.array([inside]), self.first, self.rest)[0] @ self.weights)
        return float(betainc(self.first, self.rest, inside) @ self.weights)

    def quantile(self, probability: float) -> float:
        """Smallest double q with Pr[share <= q] >= probability, however close to 0."""
        return self._ends(checks.real("probability", probability, above=0, below=1))[1]

    def interval(self, level: float) -> tuple[float, float]:
        """Equal-tailed interval of a level, with the ends rounded outwards to doubles.

        The lower end is the double below the quantile, because a share may be closer to 0 or 1 than the next double.
        """
        share = checks.real("level", level, above=0, below=1)
        return self._ends((1 - share) / 2)[0], self._ends((1 + share) / 2)[1]

    def _ends(self, p: float) -> tuple[float, float]:
        below, reached = around_quantiles(lambda theta: np.array([self.cdf(theta[0])]), p, 1)
        return float(below[0]), float(reached[0])


def around_quantiles(cdf: Callable[[Floats], Floats], p: float, size: int) -> tuple[Floats, Floats]:
    """Neighbouring doubles in [0, 1] between which each of ``size`` distribution functions reaches p.

    The bits of doubles >= 0, read as whole numbers, keep their order. So bisection over these whole numbers finds a
    quantile of 1e-160 in as many steps as one of 0.4.

    Args:
        cdf: The distribution functions, each at its own argument.
        p: Probability, in (0, 1).
        size: Number of distribution functions.

    Returns:
        The doubles below and at the quantiles.

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
    r"""Distribution functions of Beta laws whose parameters differ by whole steps.

    They are \(I_\theta(a_j, b_j)\) with \(a_{j+1} = a_j + 1\) and \(b_{j+1} = b_j - 1\), a row for each theta, with an
    absolute error below 1e-12 up to a total of 1e8 (measured):
    \[ I_\theta(a, b) - I_\theta(a + 1, b - 1) = f_a, \qquad
       \frac{f_{a+1}}{f_a} = \frac{\theta}{1 - \theta} \frac{b - 1}{a + 1} . \]
    The ratios give the steps up to a factor. The sum of the steps, which is the fall from the first function to the
    last, gives the factor.

    Args:
        theta: Arguments, in [0, 1].
        a: First parameters, ascending by 1.
        b: Second parameters, descending by 1.

    Returns:
        The functions, a row for each theta.

    >>> beta_cdfs(np.array([0.5]), np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    array([[0.75, 0.25]])
    """
    if len(a) == 1:
        return np.asarray(betainc(a, b, theta[:, None]), dtype=np.float64)
    inner = np.clip(theta, 5e-324, np.nextafter(1, 0))
    odds = (np.log(inner) - np.log1p(-inner))[:, None] + np.log(b[1:-1] / a[1:-1])  # b - 1 is the next b
    logs = np.concatenate([np.zeros((len(theta), 1)), np.cumsum(odds, axis=1)], axis=1)
    falls = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
    first, last = betainc(a[0], b[0], theta), betainc(a[-1], b[-1], theta)
    falls *= ((first - last) / falls[:, -1])[:, None]
    table: Floats = first[:, None] - np.concatenate([np.zeros((len(theta), 1)), falls], axis=1)
    return np.clip(table, 0.0, 1.0)


def plug_in(prior: ArrayLike, released: ArrayLike) -> tuple[Mixture, ...]:
    """Posterior of each share if the released counts were the data: a Beta distribution that ignores the noise.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        released: Released counts, k whole numbers >= 0.

    Returns:
        The posterior of each share, a Beta distribution.

    >>> first, second = plug_in([1, 1], [14, 6])
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.681818, [0.478249, 0.854123])
    """
    alpha = checks.prior_weights(prior)
    r = checks.one_dataset(released, len(alpha), name="released")
    return tuple(over_counts(r[i : i + 1], np.ones(1), alpha, i, int(r.sum())) for i in range(len(r)))


def over_counts(values: Integers, p: Floats | Integers, prior: Floats, i: int, n: int) -> Mixture:
    """Mixture for a category whose hidden count has these values with weights p, without negligible components.

    Args:
        values: Counts, ascending.
        p: Their weights.
        prior: Dirichlet parameters of all categories.
        i: Number of the category.
        n: Number of records.

    Returns:
        The mixture.
    """
    kept = p > MIN_WEIGHT_RATIO * p.max()
    return Mixture(p[kept] / p[kept].sum(), prior[i] + values[kept], np.delete(prior, i).sum() + (n - values[kept]))
