r"""Expected interval widths, coverage and error of the posterior given noisy counts, computed before a release.

The shares are either drawn from the prior or given as expected shares, and the results are averages over the
categories. For two categories, ``summed`` computes exact sums over all datasets and outputs. For any number of
categories, ``simulated`` draws datasets, adds noise in floating-point arithmetic, and computes posteriors. To reduce
the error of the simulation, the expected width with noise is estimated as the width without noise, averaged over many
more datasets, plus the simulated difference between the two widths.
"""

from __future__ import annotations

from math import hypot
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv

from ..accuracy import Estimate, mean_errors
from ..accuracy.simulation import averaged
from ..checks import Floats, Integers
from ..mechanisms import MECHANISMS, all_laws, releasable_mechanism
from ..model.distances import count_distances
from ..model.predictive import marginal
from .mixtures import Mixture
from .outputs import aware_intervals, coverage, coverage_at, plug_in_intervals
from .posteriors_given_noise import given_noise

# Customary level of the intervals.
LEVEL = 0.95

# Coverage and error are averaged over this many datasets for each simulated posterior, and over this many draws of the
# noise for each dataset (chosen).
DATASETS, NOISES = 5, 20


class Asked(NamedTuple):
    """A planned release: prior, number of records, expected shares or None, name of the mechanism, and its epsilon.

    >>> Asked(np.ones(2), 20, None, "geometric", 0.5).n
    20
    """

    prior: Floats
    n: int
    expected: Floats | None
    mechanism: str
    epsilon: float


def summed(asked: Asked) -> list[Estimate]:
    """Exact expected widths with and without noise, coverage if noise is ignored, and error, for two categories.

    The sums run over legal counts, which are nonnegative and add up to n. The results are exact only if the legal
    counts carry the same information about the data as the noisy counts.

    >>> [round(one.value, 4) for one in summed(Asked(np.ones(2), 20, None, "geometric", 0.8))]
    [0.429, 0.3268, 0.866, 0.1884]
    """
    from scipy.stats import binom  # imported here: the import takes longer than most calls of the library

    about, shares = (MECHANISMS[asked.mechanism].at(asked.epsilon), asked.prior, asked.n), asked.expected
    given, forgetting = aware_intervals(*about, LEVEL), plug_in_intervals(*about, LEVEL)
    if shares is None:
        p, covered = marginal(*about[1:]), coverage(*about, forgetting)
    else:
        p, covered = binom.pmf(np.arange(asked.n + 1), asked.n, shares[0]), coverage_at(*about, forgetting, shares[0])
    lengths = all_laws(*about)[1].probabilities @ given.length
    return [Estimate(float(x), 0.0) for x in (p @ lengths, p @ forgetting.length, covered, p @ mean_errors(*about))]


def simulated(asked: Asked, counts: Integers, repeats: int, rng: np.random.Generator) -> list[Estimate]:
    """Simulated expected width with and without noise, coverage if the noise is ignored, and expected error.

    Args:
        asked: The planned release.
        counts: Datasets, one per row; there must be at least ``DATASETS`` times ``repeats`` rows.
        repeats: Number of posteriors given noisy counts to compute.
        rng: Random number generator.

    Returns:
        The four estimates with their standard errors, in the order of ``summed``.
    """
    made, longer, found = MECHANISMS[asked.mechanism].at(asked.epsilon), [], []
    plain = np.subtract(*_ends(asked.prior, counts)).mean(axis=1)
    for i, x in enumerate(counts[:repeats]):
        longer.append(np.mean([_width(share) for share in drawn_posterior(asked, x, rng)]) - plain[i])
    for x in counts[: DATASETS * repeats]:
        released = made.sample(asked.prior, x, rng, NOISES)
        high, low = _ends(asked.prior, released)
        (a, b), shares = _parameters(asked.prior, x), asked.expected
        inside: Any = (
            (low <= shares) & (shares <= high) if shares is not None else betainc(a, b, high) - betainc(a, b, low)
        )
        found.append((inside.mean(), count_distances(asked.prior, x, released).mean()))
    without, more = averaged(plain), averaged(np.array(longer))
    width = Estimate(without.value + more.value, hypot(without.standard_error, more.standard_error))
    return [width, without, *map(averaged, np.array(found).T)]


def drawn_posterior(asked: Asked, x: Integers, rng: np.random.Generator) -> tuple[Mixture, ...]:
    """Posterior of each share given the counts x plus floating-point noise; for studies only, never for a release."""
    *laws, last = releasable_mechanism(asked.mechanism).likelihoods(asked.epsilon, len(x))
    while True:
        noise = [int(law.draw(rng, 1)[0]) for law in laws if law is not None]
        rest = -sum(noise)
        # If the last count is noisy too, rejection sampling conditions the noise of all counts on a sum of 0.
        if last is None or rng.random() < np.exp(last.log_point(rest) - last.log_point(0)):
            break
    noisy = [int(count) + change for count, change in zip(x, (*noise, rest), strict=True)]
    return given_noise(asked.prior, asked.n, noisy, asked.epsilon, asked.mechanism)


def _parameters(prior: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Parameters of the Beta posterior of each share given the true counts."""
    return prior + counts, prior.sum() - prior + (counts.sum(axis=-1, keepdims=True) - counts)


def _ends(prior: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Upper and lower ends of the posterior intervals of all shares given the true counts."""
    a, b = _parameters(prior, counts)
    return np.asarray(betaincinv(a, b, (1 + LEVEL) / 2)), np.asarray(betaincinv(a, b, (1 - LEVEL) / 2))


def _width(share: Mixture) -> float:
    """Width of the interval of a share to seven decimal places, computed five times as fast as at full precision."""
    from scipy.optimize import brentq  # imported here: the import takes longer than most calls of the library

    upper, lower = (
        brentq(lambda t, p=p: share.cdf(t) - p, 0, 1, xtol=1e-7) for p in (0.5 + LEVEL / 2, 0.5 - LEVEL / 2)
    )
    return float(upper - lower)
