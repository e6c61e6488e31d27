"""The posterior of a share: a mixture of Beta distributions, and the one Beta that forgets the noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv

from .. import checks
from ..checks import Floats, Integers

NEGLIGIBLE = 1e-18
"""A dataset whose probability is below this share of the largest is left out of a mixture."""


@dataclass(frozen=True, eq=False)
class Mixture:
    r"""A mixture of distributions \(\mathrm{Beta}(a_j, b_j)\), the \(a_j\) ascending, of one total \(N = a_j + b_j\).

    Both parameters are kept: in a difference from a large N a small one would lose its digits.

    >>> share = Mixture(np.array([0.5, 0.5]), np.array([14.0, 15.0]), np.array([8.0, 7.0]))
    >>> round(share.mean, 6), round(share.quantile(0.025), 6), round(share.quantile(0.975), 6)
    (0.659091, 0.449006, 0.841037)
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
    """The posterior of each share if the released counts were the data: one Beta distribution each.

    >>> first, second = plug_in([1, 1], [14, 6])
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.681818, [0.478249, 0.854123])
    """
    alpha, r = checks.dataset(prior, released)
    a = alpha + r
    others = [(np.delete(alpha, i).sum() + np.delete(r, i).sum()) for i in range(len(a))]
    return tuple(Mixture(np.ones(1), a[i : i + 1], np.array([others[i]])) for i in range(len(a)))


def over_counts(values: Integers, p: Floats, weight: float, others: float, n: int) -> Mixture:
    """The mixture for a category whose count has these values with weights p; what is negligible is left out."""
    kept = p > NEGLIGIBLE * p.max()
    return Mixture(p[kept] / p[kept].sum(), weight + values[kept], others + (n - values[kept]))
