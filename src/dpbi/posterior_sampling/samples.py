r"""What N draws from a law tell: how well they distinguish two laws, and how far their frequencies are from the law.

Only the counts matter of independent draws from a list of m parameters: all sums are over the counts.
"""

import math
from collections.abc import Iterator
from typing import Any

from .. import checks
from ..arithmetic import less, minimum, number, plain
from .finite import Finite


def distinguishing_error(p: Finite, q: Finite, size: int) -> float:
    r"""The average error of the best test between N draws from p and from q: \(\frac12 \int \min(dp^N, dq^N)\).

    >>> from dpbi.posterior_sampling import weighted
    >>> distinguishing_error(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 3]), 1)
    0.25
    """
    draws = checks.whole("size", size, least=1)
    one, two = p.weights.tolist(), q.weights.tolist()
    overlap = sum(
        ways * minimum(_power(one, counts), _power(two, counts)) for counts, ways in _count_vectors(draws, len(one))
    )
    return plain(overlap / 2)


def frequency_tail(law: Finite, size: int, radius: float) -> float:
    r"""\(\Pr[\|\hat P_N - P\|_1 > r]\) for the frequencies \(\hat P_N\) of N draws from P (Lemma 12).

    >>> from dpbi.posterior_sampling import uniform
    >>> frequency_tail(uniform([0, 1]), 2, 0.5)
    0.5
    """
    draws = checks.whole("size", size, least=1)
    weights = law.weights.tolist()
    total = number(0)
    for counts, ways in _count_vectors(draws, len(weights)):
        gap = sum(abs(number(k) / draws - weight) for k, weight in zip(counts, weights, strict=True))
        if less(radius, gap):
            total = total + ways * _power(weights, counts)
    return plain(total)


def _count_vectors(size: int, parts: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """All ways to count so many draws, and how many sequences each stands for."""
    for counts in _compositions(size, parts):
        yield counts, math.factorial(size) // math.prod(math.factorial(k) for k in counts)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _power(weights: list[Any], counts: tuple[int, ...]) -> Any:
    return math.prod((weight**k for weight, k in zip(weights, counts, strict=True)), start=number(1))
