r"""Error of the best test between two distributions from N independent draws, and tail probabilities of frequencies.

The counts of the draws are a sufficient statistic, so all sums are over the count vectors of N draws from a list of m
parameters.
"""

import math

from scipy.special import gammaln, xlogy

from .. import checks
from ..arithmetic import in_doubles, less, minimum, number, scalar
from ..divergences import same_parameters
from ..model.datasets import lattice
from .finite import TIE_TOLERANCE, Finite

# chosen: a sum over 50,000 count vectors takes a second or two
MAX_COUNT_VECTORS = 50_000
"""Largest number of count vectors over which a sum is computed."""


def distinguishing_error(p: Finite, q: Finite, size: int) -> float:
    r"""Average error \(\frac12 \int \min(dp^N, dq^N)\) of the best test between N draws from p and N draws from q.

    Args:
        p, q: Distributions on the same list of parameters.
        size: Number N of draws.

    Returns:
        A probability in [0, 1/2].

    >>> from dpbi.posterior_sampling import weighted
    >>> round(distinguishing_error(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 3]), 1), 12)
    0.25
    """
    laws = counts_law(p, size), counts_law(q, size)
    same_parameters(p, q)
    return scalar(sum(minimum(*(law.weights for law in laws)), number(0)) / 2)


def frequency_tail(law: Finite, size: int, radius: float) -> float:
    r"""Probability that the frequencies of N draws differ from the distribution of a draw by more than r (Lemma 12).

    Args:
        law: The distribution P of each draw, on a list of parameters.
        size: Number N of draws.
        radius: The L1 distance r >= 0.

    Returns:
        The probability \(\Pr[\|\hat P_N - P\|_1 > r]\); a distance whose relative difference from r is at most 1e-12
        counts as r.

    >>> from dpbi.posterior_sampling import uniform
    >>> round(frequency_tail(uniform([0, 1]), 10, 0.6), 6)  # 0, 1, 9 or 10 ones; 2 and 8 ones are at distance 0.6
    0.021484
    """
    counts = counts_law(law, size)
    total, least = number(0), checks.real("radius", radius, least=0) * (1 + number(TIE_TOLERANCE))
    for drawn, probability in zip(counts.parameters, counts.weights, strict=True):
        gap = sum(abs(number(k) / size - weight) for k, weight in zip(drawn, law.weights.tolist(), strict=True))
        if less(least, gap):
            total = total + probability
    return scalar(total)


def counts_law(law: Finite, size: int) -> Finite:
    """Multinomial distribution of the number of times that each parameter of a list is drawn.

    Args:
        law: A distribution on a list of m parameters.
        size: Number of draws.

    Returns:
        A distribution on the count vectors, which are tuples of m whole numbers that add up to ``size``. In doubles, a
        weight below 1e-308 counts as zero.

    >>> from dpbi.posterior_sampling import uniform
    >>> counts = counts_law(uniform([0.2, 0.8]), 2)
    >>> counts.parameters, counts.weights.round(12).tolist()
    (((0, 2), (1, 1), (2, 0)), [0.25, 0.5, 0.25])
    """
    draws = checks.whole("size", size, least=1, below=checks.LARGEST_TOTAL)
    ways = math.comb(draws + len(checks.typed("law", law, Finite, "a Finite law").weights) - 1, draws)
    most = MAX_COUNT_VECTORS
    checks.need(ways <= most, f"size must leave at most {most:,} counts of draws, got size={size} with {ways:,}")
    vectors = lattice(draws, len(law.weights))
    counts = tuple(map(tuple, vectors.tolist()))
    if in_doubles():
        logs = gammaln(draws + 1) - gammaln(vectors + 1).sum(axis=1) + xlogy(vectors, law.weights).sum(axis=1)
        return Finite(counts, log_weights=logs)
    weights = law.weights.tolist()
    return Finite(counts, weights=[_ways(drawn) * math.prod(map(pow, weights, drawn)) for drawn in counts])


def _ways(counts: tuple[int, ...]) -> int:
    """Multinomial coefficient of a count vector."""
    return math.factorial(sum(counts)) // math.prod(math.factorial(k) for k in counts)
