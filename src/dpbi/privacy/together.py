r"""What several uses of mechanisms leak together: exact composition over all neighbours, with certified ends.

The mechanisms are fixed in advance, so that one pair of neighbours meets all of them. Every pair is composed by itself
(``Account``), and the worst is what they cost; pairs whose Rényi divergences show that they cost less are skipped.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import Account, Ends, FiniteLoss
from ..mechanisms import Mechanism, a_mechanism, all_laws
from ..model.datasets import moves

LAW_ACCURACY = 1e-12
"""The probabilities of laws in doubles are known to that, relatively."""

POINTS = 2**13
"""Places on the grid for a sum: every pair has one of its own."""

ORDERS = 1 + np.geomspace(0.05, 200, 40)
"""Orders of the Rényi divergences that sort the pairs."""

TIED = 1e-9
"""Pairs whose costs differ by no more than that, relatively, are said to cost the same."""

Uses = Mechanism | Sequence[tuple[Mechanism, int]]


class Together(NamedTuple):
    """What uses cost together, and the pair of neighbours where they cost it.

    >>> from dpbi import ehd
    >>> found = composed_epsilon([(ehd(0.3), 20)], [1, 1], 6, delta=1e-6)
    >>> round(found.ends.lower, 4), round(found.ends.upper, 4), found.counts.tolist(), found.neighbour.tolist()
    (2.2199, 2.2199, [6, 0], [5, 1])
    """

    ends: Ends
    counts: Integers
    neighbour: Integers


def composed_epsilon(uses: Uses, prior: ArrayLike, n: int, delta: float, points: int = POINTS) -> Together:
    """The smallest epsilon at a delta of mechanisms used together, on the worst neighbours of n records.

    ``uses`` are mechanisms, each with how often it is used; ``points`` is the size of the grid of an ``Account``.

    >>> from dpbi import ehd
    >>> found = composed_epsilon([(ehd(0.3), 20)], [1, 1], 6, delta=1e-6)
    >>> round(found.ends.lower, 4), round(found.ends.upper, 4)
    (2.2199, 2.2199)
    """
    allowed = checks.real("delta", delta, above=0, below=1)
    pairs = _Pairs(uses, prior, n)

    def at_most(log_moments: Floats) -> Floats:
        found: Floats = ((log_moments - math.log(allowed)) / (ORDERS - 1)).min(axis=-1)
        return found

    return pairs.worst(at_most, lambda account: account.epsilon(allowed), points)


def composed_delta(uses: Uses, prior: ArrayLike, n: int, epsilon: float, points: int = POINTS) -> Together:
    """The smallest delta at an epsilon of mechanisms used together, on the worst neighbours of n records.

    >>> from dpbi import geometric
    >>> found = composed_delta([(geometric(0.5), 1)], [1, 1], 20, epsilon=0.2)
    >>> round(found.ends.lower, 5), round(found.ends.upper, 5)
    (0.16133, 0.16133)
    """
    level = checks.real("epsilon", epsilon, least=0)
    pairs = _Pairs(uses, prior, n)

    def at_most(log_moments: Floats) -> Floats:
        found: Floats = np.exp(np.minimum(log_moments - (ORDERS - 1) * level, 0.0).min(axis=-1))
        return found

    return pairs.worst(at_most, lambda account: account.delta(level), points)


class _Pairs:
    """All ordered pairs of neighbours, and the laws of all uses at them."""

    def __init__(self, uses: Uses, prior: ArrayLike, n: int) -> None:
        self.uses = [(uses, 1)] if isinstance(uses, Mechanism) else [(a_mechanism(m), c) for m, c in uses]
        self.counts = [checks.whole("count", count, least=1) for _, count in self.uses]
        if not self.uses:
            raise ValueError("uses must be one or more mechanisms with their counts, got none")
        self.laws = []
        for mechanism, _ in self.uses:
            self.vectors, law = all_laws(mechanism, prior, n)
            self.laws.append(law.log_probabilities)
        found = [np.stack(pair) for pair in moves(n, self.vectors.shape[1])]
        self.start, self.end = np.concatenate(found, axis=1) if found else np.zeros((2, 0), dtype=np.int64)

    def worst(self, at_most: Callable[[Floats], Floats], cost: Callable[[Account], Ends], points: int) -> Together:
        """The largest cost over all pairs, those first that may cost most."""
        if not self.start.size:
            return Together(Ends(0.0, 0.0), self.vectors[0], self.vectors[0])
        bounds = at_most(self._log_moments())
        lower, upper, at = 0.0, 0.0, int(np.argmax(bounds))
        for i in np.argsort(-bounds, kind="stable"):
            if bounds[i] * (1 + TIED) < lower:
                break
            ends = cost(Account(self._losses(int(i)), points))
            if ends.lower > lower * (1 + TIED):
                at = int(i)
            elif ends.lower >= lower * (1 - TIED):  # of pairs that tie, the first in the list is named
                at = min(at, int(i))
            lower, upper = max(lower, ends.lower), max(upper, ends.upper)
        return Together(Ends(lower, upper), self.vectors[self.start[at]], self.vectors[self.end[at]])

    def _losses(self, i: int) -> list[tuple[FiniteLoss, int]]:
        laws = [(np.exp(log_p[self.start[i]]), np.exp(log_p[self.end[i]])) for log_p in self.laws]
        return [(FiniteLoss(p, q, LAW_ACCURACY), count) for (p, q), count in zip(laws, self.counts, strict=True)]

    def _log_moments(self) -> Floats:
        r"""\(\sum (\alpha - 1) D_\alpha\) of every pair at every order."""
        total = np.zeros((len(self.start), len(ORDERS)))
        for log_p, count in zip(self.laws, self.counts, strict=True):
            p, q = log_p[self.start], log_p[self.end]
            for j, order in enumerate(ORDERS):
                with np.errstate(invalid="ignore"):
                    terms = np.where(p == -np.inf, -np.inf, order * p - (order - 1) * q)
                    top = terms.max(axis=-1, keepdims=True)
                    sums = np.log(np.exp(terms - top).sum(axis=-1)) + top[:, 0]
                total[:, j] += count * np.where(np.isnan(sums), np.inf, sums)
        return total
