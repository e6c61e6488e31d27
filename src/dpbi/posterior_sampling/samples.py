r"""What N draws from a law tell: how well they distinguish two laws, and how far their frequencies are from the law.

Only the counts matter of independent draws from a list of m parameters: all sums are over the counts.
"""

import itertools
import math
from typing import Any

import numpy as np
from scipy.special import gammaln

from .. import checks
from ..arithmetic import in_doubles, less, minimum, number, plain
from .finite import Finite
from .measures import same_parameters

MAX_COUNT_VECTORS = 50_000
"""Ways to count draws that are gone through one by one."""


def distinguishing_error(p: Finite, q: Finite, size: int) -> float:
    r"""The average error of the best test between N draws from p and from q: \(\frac12 \int \min(dp^N, dq^N)\).

    >>> from dpbi.posterior_sampling import weighted
    >>> round(distinguishing_error(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 3]), 1), 12)
    0.25
    """
    laws = counts_law(p, size), counts_law(q, size)
    same_parameters(p, q)
    return plain(sum(minimum(*(law.weights for law in laws)), number(0)) / 2)


def frequency_tail(law: Finite, size: int, radius: float) -> float:
    r"""\(\Pr[\|\hat P_N - P\|_1 > r]\) for the frequencies \(\hat P_N\) of N draws from P (Lemma 12).

    >>> from dpbi.posterior_sampling import uniform
    >>> round(frequency_tail(uniform([0, 1]), 2, 0.5), 12)
    0.5
    """
    counts = counts_law(law, size)
    total = number(0)
    for drawn, probability in zip(counts.parameters, counts.weights, strict=True):
        gap = sum(abs(number(k) / size - weight) for k, weight in zip(drawn, law.weights.tolist(), strict=True))
        if less(radius, gap):
            total = total + probability
    return plain(total)


def counts_law(law: Finite, size: int) -> Finite:
    """The multinomial law of how often each parameter of a list is drawn.

    >>> from dpbi.posterior_sampling import uniform
    >>> counts = counts_law(uniform([0.2, 0.8]), 2)
    >>> counts.parameters, counts.weights.round(12).tolist()
    (((0, 2), (1, 1), (2, 0)), [0.25, 0.5, 0.25])
    """
    draws = checks.whole("size", size, least=1)
    if not isinstance(law, Finite):
        raise TypeError(f"law must be a Finite law to count its draws, got {type(law).__name__}")
    if (ways := number_of_counts(len(law.weights), draws)) > MAX_COUNT_VECTORS:
        raise ValueError(
            f"size must leave at most {MAX_COUNT_VECTORS:,} counts of draws, got size={size} with {ways:,}"
        )
    counts = _compositions(draws, len(law.weights))
    if in_doubles():
        return Finite(counts, _log_multinomial_in_doubles(np.array(counts), law.log_weights))
    weights = law.weights.tolist()
    return Finite(counts, weights=[_ways(drawn) * _power(weights, drawn) for drawn in counts])


def number_of_counts(parameters: int, size: int) -> int:
    """How many ways there are to count so many draws.

    >>> number_of_counts(2, 10), number_of_counts(19, 10)
    (11, 13123110)
    """
    return math.comb(size + parameters - 1, size)


def _compositions(total: int, parts: int) -> tuple[tuple[int, ...], ...]:
    """All ways to write a number as a sum of so many, from the places of the bars between them."""
    bars = itertools.combinations(range(total + parts - 1), parts - 1)
    return tuple(
        tuple(after - before - 1 for before, after in itertools.pairwise((-1, *places, total + parts - 1)))
        for places in bars
    )


def _log_multinomial_in_doubles(counts: Any, log_weights: Any) -> Any:
    """The same probabilities, where products of many doubles would overflow or underflow."""
    ways = gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1)
    with np.errstate(invalid="ignore"):
        powers = np.where(counts > 0, counts * log_weights, 0.0)
    return ways + powers.sum(axis=1)


def _ways(counts: tuple[int, ...]) -> int:
    return math.factorial(sum(counts)) // math.prod(math.factorial(k) for k in counts)


def _power(weights: list[Any], counts: tuple[int, ...]) -> Any:
    return math.prod((weight**k for weight, k in zip(weights, counts, strict=True)), start=number(1))
