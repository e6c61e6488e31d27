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
    laws = p.weights.tolist(), q.weights.tolist()
    return plain(sum(minimum(one, two) for _, (one, two) in _counts(draws, *laws)) / 2)


def frequency_tail(law: Finite, size: int, radius: float) -> float:
    r"""\(\Pr[\|\hat P_N - P\|_1 > r]\) for the frequencies \(\hat P_N\) of N draws from P (Lemma 12).

    >>> from dpbi.posterior_sampling import uniform
    >>> frequency_tail(uniform([0, 1]), 2, 0.5)
    0.5
    """
    draws = checks.whole("size", size, least=1)
    weights = law.weights.tolist()
    total = number(0)
    for counts, (probability,) in _counts(draws, weights):
        gap = sum(abs(number(k) / draws - weight) for k, weight in zip(counts, weights, strict=True))
        if less(radius, gap):
            total = total + probability
    return plain(total)


def _counts(size: int, *laws: list[Any]) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """All ways to count so many draws, and how probable each is under each law: multinomial probabilities."""
    for counts in _compositions(size, len(laws[0])):
        ways = math.factorial(size) // math.prod(math.factorial(k) for k in counts)
        yield counts, [ways * _power(weights, counts) for weights in laws]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _power(weights: list[Any], counts: tuple[int, ...]) -> Any:
    return math.prod((weight**k for weight, k in zip(weights, counts, strict=True)), start=number(1))
