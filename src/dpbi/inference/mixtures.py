"""The posterior of a share: a mixture of Beta distributions, and the one Beta that forgets the noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from .. import checks
from ..checks import Floats, Integers

NEGLIGIBLE = 1e-18
"""A dataset whose probability is below this share of the largest is left out of a mixture."""


MANY = 500
"""Components from which on their distribution functions are computed one from the other."""


@dataclass(frozen=True, eq=False)
class Mixture:
    r"""A mixture of distributions \(\mathrm{Beta}(a_j, b_j)\), the \(a_j\) ascending, of one total \(N = a_j + b_j\).

    The \(a_j\) are whole steps apart, some perhaps left out, or all half a step.

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

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws of the share."""
        which = checks.generator(rng).choice(len(self.weights), size, p=self.weights)
        return rng.beta(self.first[which], self.rest[which])

    def cdf(self, theta: float) -> float:
        """Probability that the share is at most theta."""
        if len(self.first) > MANY and self.total < 1e8 and 0 < theta < 1:
            for chains in (1, 2):  # whole steps, or half ones: two chains of whole steps
                if round(chains * (self.first[-1] - self.first[0])) == len(self.first) - 1:  # none is left out between
                    parts = [slice(i, None, chains) for i in range(chains)]
                    return float(sum(self.weights[part] @ self._cdfs_by_steps(theta, part) for part in parts))
        return float(self.weights @ betainc(self.first, self.rest, theta))

    def _cdfs_by_steps(self, theta: float, part: slice) -> Floats:
        r"""The components' functions in doubles where there are many, a step from each to the next:

        \[ I_\theta(a, b) - I_\theta(a + 1, b - 1) = f_a, \qquad
           \frac{f_{a+1}}{f_a} = \frac{\theta}{1 - \theta} \frac{b - 1}{a + 1} . \]
        The largest step is a difference, and the others are its multiples.
        """
        a, b = self.first[part], self.rest[part]
        logs = np.log(theta) - np.log1p(-theta) + np.log(b[1:-1]) - np.log(a[1:-1])  # b - 1 is the next b
        logs = np.concatenate([[0.0], np.cumsum(logs)])
        top = int(np.argmax(logs))
        pair = betainc(a[[top, top + 1]], b[[top, top + 1]], theta)
        steps = (pair[0] - pair[1]) * np.exp(logs - logs[top])
        found: Floats = betainc(a[0], b[0], theta) - np.concatenate([[0.0], np.cumsum(steps)])
        return np.clip(found, 0.0, 1.0)

    def quantile(self, probability: float) -> float:
        """The share that is not exceeded with this probability."""
        p = checks.real("probability", probability, above=0, below=1)
        # every component's quantile lies between the outer ones'
        low, high = betaincinv(self.first[[0, -1]], self.rest[[0, -1]], p)
        if self.cdf(low) < p < self.cdf(high):
            from scipy.optimize import brentq  # imported here, for that takes longer than many a call

            return float(brentq(lambda theta: self.cdf(theta) - p, low, high, xtol=1e-300, rtol=1e-14, maxiter=2000))
        return self._bisected(p, float(low))

    def _bisected(self, p: float, near: float) -> float:
        """The smallest double whose distribution function reaches p, however close to 0.

        Read as whole numbers, doubles >= 0 keep their order. The search starts at a double that should be near.
        """
        last = int(np.float64(1).view(np.int64))

        def reaches(place: int) -> bool:
            return place >= last or (place > 0 and self.cdf(float(np.int64(place).view(np.float64))) >= p)

        below = reached = min(int(np.float64(near).view(np.int64)), last)
        step = 1
        while reaches(below):
            below, reached, step = below - step, below, 16 * step
        while not reaches(reached):
            below, reached, step = reached, reached + step, 16 * step
        while reached - below > 1:
            middle = (below + reached) // 2
            below, reached = (below, middle) if reaches(middle) else (middle, reached)
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
