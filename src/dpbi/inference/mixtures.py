"""The posterior of a share: a mixture of Beta distributions, and the one Beta that forgets the noise."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from .. import checks
from ..checks import Floats, Integers

NEGLIGIBLE = 1e-18
"""A dataset whose probability is below this share of the largest is left out of a mixture."""


MANY = 500
"""Components from which on their distribution functions are computed one from the other."""

LARGEST_TOTAL = 1e8
"""Total of the parameters up to which this leaves the distribution functions ten digits."""


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

    @property
    def complement(self) -> "Mixture":
        """What is left of the whole: its quantiles say how near to 1 the share is, where a double near 1 cannot.

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
        from scipy.stats import beta  # imported here, for that takes longer than many a call

        densities: Floats = beta.pdf(np.asarray(theta)[..., None], self.first, self.rest) @ self.weights
        return densities

    def cdf(self, theta: float) -> float:
        """Probability that the share is at most theta."""
        if len(self.first) > MANY and self.total < LARGEST_TOTAL and (np.diff(self.first) == 1).all():
            return float(beta_cdfs(np.array([theta]), self.first, self.rest)[0] @ self.weights)
        return float(betainc(self.first, self.rest, theta) @ self.weights)

    def quantile(self, probability: float) -> float:
        """The smallest double that the share does not exceed with this probability, however close to 0."""
        return self._ends(checks.real("probability", probability, above=0, below=1))[1]

    def interval(self, level: float) -> tuple[float, float]:
        """The equal-tailed interval of a level, rounded outwards to doubles.

        The lower end is the double below the quantile: a share may be nearer to an end of 0..1 than the doubles are.
        """
        share = checks.real("level", level, above=0, below=1)
        return self._ends((1 - share) / 2)[0], self._ends((1 + share) / 2)[1]

    def _ends(self, p: float) -> tuple[float, float]:
        below, reached = around_quantiles(lambda theta: np.array([self.cdf(theta[0])]), p, 1)
        return float(below[0]), float(reached[0])


def around_quantiles(cdf: Callable[[Floats], Floats], p: float, size: int) -> tuple[Floats, Floats]:
    """The neighbouring doubles of 0..1 between which distribution functions reach p, ``size`` of them at once.

    Read as whole numbers, doubles >= 0 keep their order: a quantile of 1e-160 is found by halving as one of 0.4 is.

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
    r"""\(I_\theta(a_j, b_j)\) for parameters a whole step apart, \(a_{j+1} = a_j + 1\) and \(b_{j+1} = b_j - 1\).

    A row for each theta, to an absolute error of about 1e-14 times the root of the number of steps:
    \[ I_\theta(a, b) - I_\theta(a + 1, b - 1) = f_a, \qquad
       \frac{f_{a+1}}{f_a} = \frac{\theta}{1 - \theta} \frac{b - 1}{a + 1} . \]
    The largest step is a difference, and the others are its multiples.

    >>> beta_cdfs(np.array([0.5]), np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    array([[0.75, 0.25]])
    """
    if len(a) == 1:
        return np.asarray(betainc(a, b, theta[:, None]), dtype=np.float64)
    inner = np.clip(theta, 5e-324, np.nextafter(1, 0))
    odds = (np.log(inner) - np.log1p(-inner))[:, None] + np.log(b[1:-1] / a[1:-1])  # b - 1 is the next b
    logs = np.concatenate([np.zeros((len(theta), 1)), np.cumsum(odds, axis=1)], axis=1)
    top = logs.argmax(axis=1)
    largest = betainc(a[top], b[top], theta) - betainc(a[top + 1], b[top + 1], theta)
    steps = largest[:, None] * np.exp(logs - logs.max(axis=1, keepdims=True))
    table: Floats = betainc(a[0], b[0], theta)[:, None] - np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
    return np.clip(table, 0.0, 1.0)


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
