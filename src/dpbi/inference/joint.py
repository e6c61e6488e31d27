r"""The joint posterior of all shares given any number of releases of the same records.

Releases of one data set share the hidden counts x, and their noises are independent:
\[ p(x \mid z^1, \dots, z^m) \propto \Pr[x] \prod_j \Pr[z^j \mid x] , \]
again a product of one factor for each category on \(\sum_i x_i = n\). So the convolutions that serve one release serve
several, and they give exact draws of all shares together: x is drawn from its posterior, category by category from the
last to the first, by the convolution of the categories before; \(\theta\) given x is \(\mathrm{Dir}(\alpha + x)\).
Draws are independent, without a chain that could fail to mix.

Bernstein and Sheldon (2018) and Ju, Awan, Gong and Rao (2022) sample the hidden counts; for one column,
as here, they can be summed exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from .draws import dirichlet
from .mixtures import Mixture
from .noisy_counts import Noisy, Weights, count_factors, marginals, running, weights_at


@dataclass(frozen=True, eq=False)
class Joint:
    """The posterior of all shares given releases: each share exactly, and draws of all of them together.

    Attributes:
        prior: Dirichlet parameters.
        n: Number of records.
        shares: The posterior of each share.
        factors: The factor of each hidden count, from which counts are drawn.

    >>> joint = given_releases([1, 1, 1], 20, [Noisy([9, 8, 3], 0.8), Noisy([12, 7, 1], 0.5)])
    >>> [round(share.mean, 6) for share in joint.shares]
    [0.476862, 0.372814, 0.150325]
    >>> rng = np.random.default_rng(1)
    >>> joint.draws(rng, 1000).mean(axis=0).round(1)[:2]
    array([0.5, 0.4])
    """

    prior: Floats
    n: int
    shares: tuple[Mixture, ...]
    factors: Sequence[Weights]

    def counts(self, rng: np.random.Generator, size: int) -> Integers:
        """Independent draws of the hidden counts from their posterior, ``size`` rows."""
        generator, rows = checks.generator(rng), checks.whole("size", size, least=0)
        before = running(self.factors, self.n)
        x = np.zeros((rows, len(self.factors)), dtype=np.int64)
        left = np.full(rows, self.n)
        for i in range(len(self.factors) - 1, 0, -1):
            factor = self.factors[i]
            for total in np.unique(left):  # the sum of this count and those before it
                first = int(total) - factor.start - len(factor.p) + 1
                below = np.cumsum(factor.p * weights_at(before[i], first, len(factor.p))[::-1])
                here = np.flatnonzero(left == total)
                drawn = np.searchsorted(below, generator.random(len(here)) * below[-1], side="right")
                x[here, i] = factor.start + np.minimum(drawn, len(below) - 1)
            left -= x[:, i]
        x[:, 0] = left
        return x

    def draws(self, rng: np.random.Generator, size: int) -> Floats:
        """Independent draws of all shares from their posterior, ``size`` rows."""
        return dirichlet(self.prior + self.counts(rng, size), rng)


def given_releases(prior: ArrayLike, n: int, releases: Sequence[Noisy], *, bounded: bool = True) -> Joint:
    """The posterior of all shares given any number of releases of the same records, exactly.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        releases: Noisy counts, at least one; the noises of several are independent.
        bounded: Whether a posterior that would take minutes is refused.

    Returns:
        The posterior of all shares.

    >>> one, four = (given_releases([1, 1], 200, [Noisy([140, 60], 0.05)] * times) for times in (1, 4))
    >>> lengths = [high - low for low, high in (joint.shares[0].interval(0.95) for joint in (one, four))]
    >>> [round(length, 2) for length in lengths]
    [0.54, 0.19]
    """
    alpha = checks.prior_weights(prior)
    size = checks.record_count(n)
    factors = count_factors(alpha, size, releases, bounded)
    return Joint(alpha, size, marginals(alpha, size, factors), factors)
