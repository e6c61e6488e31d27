r"""Noise that is added to all counts jointly and keeps their total, for any number of categories.

Replacing one record changes the counts by a vector \(v\) with \(\sum_i v_i = 0\) and \(|v|_1 = 2\). So if v is the
difference of two datasets, \(|v|_1 / 2\) is the number of replaced records. Noise on the zero-sum integer vectors with
\[ \Pr[v] = \frac{1}{Z} e^{-\varepsilon |v|_1 / 2}, \qquad
   Z = \frac{\sum_j \binom{k-1}{j}^2 \alpha^j}{(1-\alpha)^{k-1}}, \quad \alpha = e^{-\varepsilon} , \]
has a normaliser Z that does not depend on the data. So the privacy loss is exactly \(\varepsilon\), and the scale of
the noise needs no factor 2 for the sensitivity. With two categories the noise is two-sided geometric.

The noisy vector \(x + v\) may have entries below 0 or above n. Clipping these entries to 0 and n loses no information.
Every \(x_i\) lies in 0..n, so the likelihood ratio of two datasets depends only on the clipped vector c. Then c is
replaced by the nearest legal counts, which are nonnegative integers with the sum n. Clipping and replacement depend
only on the noisy vector and n, so both steps are post-processing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic
from ..arithmetic import exp, expm1, log, log_sum_exp, numbers, remembered
from ..checks import Floats, Integers
from ..model.datasets import lattice, row_number, within_enumeration
from . import integer_noise
from .base import EPSILON_DP, Budgeted, Vectorised
from .law import Law, Line, Witness, witness
from .noise import TWO_SIDED_GEOMETRIC, NoiseLaw
from .noisy_counts import noise_line


@final
@dataclass(frozen=True)
class lattice_laplace(Vectorised, Budgeted):
    r"""Zero-sum integer noise, \(\Pr[v] \propto e^{-\varepsilon |v|_1 / 2}\), with projection onto the legal counts.

    The output distribution is computed as a finite sum over the clipped vectors c, without truncating the support of
    the noise. The probabilities of the clipped vectors have a closed form (``_log_reached``). For two categories the
    mechanism equals ``geometric``.

    >>> lattice_laplace(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.2689, 0.4621, 0.2689])
    """

    currency: ClassVar[str] = "epsilon"
    """The privacy parameter in which the budget of a release is expressed."""

    promise = EPSILON_DP

    def _at(self, weights: Floats, x: Integers) -> Law:
        n, k = int(x.sum(axis=-1).max()), x.shape[-1]
        nearest = row_number(nearest_counts(_clipped(n, k), n))
        return Law.known(lattice(n, k), log_sums(_log_clipped(self.epsilon, x), nearest))

    def _columns(self, outputs: Integers) -> int:
        return len(_clipped(int(outputs[0].sum()), outputs.shape[1]))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        n = int(x.sum())
        return nearest_counts(np.clip(_noisy(self.epsilon, x, rng, size), 0, n), n)

    def _line(self, weights: Floats, x: Integers) -> Line:
        return noise_line(TWO_SIDED_GEOMETRIC.at(self.epsilon), weights, x)

    def attained(self, n: int, k: int) -> Witness | None:
        # for k > 2 the output is (n, 0, ..., 0), to which no other clipped vector is nearest
        return None if n == 0 else witness(n, k) if k == 2 else witness(n, k, output=(n, 0))

    @staticmethod
    def draw_exactly(counts: Sequence[int], budget: Fraction) -> tuple[int, ...]:
        """Draws a noisy vector in integer arithmetic for a release."""
        return tuple(c + v for c, v in zip(counts, integer_noise.zero_sum(budget, len(counts)), strict=True))

    @classmethod
    def legal(cls, noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """The legal counts that are nearest to a noisy vector after clipping."""
        return tuple(nearest_counts(cls.informative_part(noisy, n), n).tolist())

    @staticmethod
    def likelihoods(epsilon: float, k: int) -> tuple[NoiseLaw | None, ...]:
        r"""Noise in each entry, with \(\Pr \propto e^{-\varepsilon |v_i| / 2}\) before conditioning on the total n."""
        return (TWO_SIDED_GEOMETRIC.at(epsilon / 2),) * k

    @staticmethod
    def informative_part(noisy: Sequence[int], n: int) -> list[int]:
        """The noisy vector clipped to 0..n, which does not change the likelihood ratios of datasets."""
        return [min(max(z, 0), n) for z in noisy]


@final
@dataclass(frozen=True)
class clipped_lattice(Vectorised, Budgeted):
    """Lattice noise clipped to 0..n, which a remap can use in place of the nearest legal counts.

    Clipping loses no information, but the total of the clipped vector can exceed n.
    """

    promise = EPSILON_DP

    def _outputs(self, weights: Floats, n: int) -> Integers:
        return _clipped(n, len(weights))

    def _at(self, weights: Floats, x: Integers) -> Law:
        return Law.known(_clipped(int(x.sum(axis=-1).max()), x.shape[-1]), _log_clipped(self.epsilon, x))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        return np.clip(_noisy(self.epsilon, x, rng, size), 0, int(x.sum()))


def nearest_counts(vectors: ArrayLike, n: int) -> Integers:
    """Legal counts with the smallest Euclidean distance to given vectors, whose totals are at least n.

    The excess of the total over n is subtracted from the entries in equal integer parts, but no entry falls below 0.
    The remainder of the division is then subtracted from the first entries that are still positive, one unit from each.

    Args:
        vectors: Vectors with entries 0..n on the last axis.
        n: Number of records.

    Returns:
        Counts that add up to n, with the shape of ``vectors``.
    """
    # Subtracting a level t from each entry, or the whole entry if it is smaller, removes sum_i min(c_i, t). If the j
    # smallest entries become 0, the level is the rest of the excess divided by the number of the other entries. The
    # smallest consistent j is used.
    c = np.asarray(vectors)
    k = c.shape[-1]
    excess = c.sum(axis=-1, keepdims=True) - n
    ascending = np.sort(c, axis=-1)
    emptied = np.cumsum(ascending, axis=-1) - ascending  # sum of the j smallest entries, for j = 0, ..., k - 1
    level = (excess - emptied) // (k - np.arange(k))
    part = np.take_along_axis(level, np.argmax(ascending > level, axis=-1)[..., None], axis=-1)
    rest = excess - np.minimum(c, part).sum(axis=-1, keepdims=True)
    larger = c > part
    return np.asarray(np.maximum(c - part - (larger & (np.cumsum(larger, axis=-1) <= rest)), 0))


def log_sums(log_p: Floats, groups: Integers) -> Floats:
    """Logarithms of sums of probabilities, one sum for each group of outputs.

    Args:
        log_p: Log probabilities, with the outputs on the last axis.
        groups: Number of the group of each output, a nonnegative integer.

    Returns:
        Logarithms of the sums, with one column for each group in ascending order.

    >>> np.exp(log_sums(np.log([0.2, 0.5, 0.3]), np.array([7, 2, 7]))).round(6)
    array([0.5, 0.5])
    """
    order = np.argsort(groups, kind="stable")
    starts, log_p = np.flatnonzero(np.diff(groups[order], prepend=-1)), log_p[..., order]
    if not arithmetic.in_doubles():
        return np.asarray(log(np.add.reduceat(exp(log_p), starts, axis=-1)))
    top = np.maximum(np.maximum.reduceat(log_p, starts, axis=-1), -1e308)  # finite where no output of a group occurs
    scaled = np.exp(log_p - np.repeat(top, np.diff(starts, append=log_p.shape[-1]), axis=-1))
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log(np.add.reduceat(scaled, starts, axis=-1)))


def log_normaliser(epsilon: float, k: int) -> Any:
    r"""Logarithm \(\ln Z\) of the normaliser of the noise for k categories.

    Args:
        epsilon: Privacy parameter, > 0.
        k: Number of categories.

    Returns:
        The logarithm.
    """
    j = np.arange(k)
    terms = 2 * numbers([_log_whole(math.comb(k - 1, int(i))) for i in j]) - epsilon * j
    return log_sum_exp(terms) - (k - 1) * log(-expm1(-epsilon))


@lru_cache(maxsize=8)
def _clipped(n: int, k: int) -> Integers:
    """All vectors that a noisy vector can become when its entries are clipped to 0..n, in a read-only array.

    The legal counts come first. The other vectors have a larger total and at least one entry 0, and are sorted by the
    number and the places of their positive entries.
    """
    legal = lattice(n, k)
    rows = sum(math.comb(k, m) * n**m for m in range(2, k))
    within_enumeration(rows + len(legal), k, n, k)
    parts = [legal]
    for m in range(2, k if n > 0 else 0):
        positive = np.stack(np.unravel_index(np.arange(n**m), (n,) * m), axis=-1) + 1
        positive = positive[positive.sum(axis=-1) > n]
        for where in combinations(range(k), m):
            part = np.zeros((len(positive), k), dtype=np.int64)
            part[:, where] = positive
            parts.append(part)
    moved = np.concatenate(parts)
    moved.flags.writeable = False
    return moved


def _log_clipped(epsilon: float, x: Integers) -> Floats:
    """Log probabilities of all clipped vectors at the datasets x, shape (..., C)."""
    n, k = int(x.sum(axis=-1).max()), x.shape[-1]
    c = _clipped(n, k)
    if n == 0:
        return arithmetic.zeros((*x.shape[:-1], 1))
    zeros, full, excess = (c == 0).sum(axis=-1), (c == n).sum(axis=-1), c.sum(axis=-1) - n
    # K(c) depends on three numbers that are equal for many clipped vectors
    kinds, which = np.unique(np.stack([zeros, full, excess]), axis=1, return_inverse=True)
    reached = numbers([_log_reached(epsilon, *(int(value) for value in kind)) for kind in kinds.T])[which.ravel()]
    steps = sum(np.abs(c[:, i] - x[..., i, None]) for i in range(k))
    return np.asarray(reached - log_normaliser(epsilon, k) - epsilon / 2 * steps)


@remembered
def _log_reached(epsilon: float, zeros: int, full: int, excess: int) -> Any:
    r"""Logarithm of \(K(c)\) in \(\Pr[c \mid x] = K(c)\, e^{-\varepsilon |c - x|_1 / 2} / Z\), for a clipped vector c.

    Consider a noisy vector that is clipped to c. At the entries where c is 0, the noisy vector is smaller than c by d
    in total. At the entries where c is n, the noisy vector is larger than c by u in total. The difference \(g = d - u\)
    is the excess of the total of c over n. With \(b + 1\) entries 0 and \(a + 1\) entries n,
    \[ K = \sum_{u \ge 0} \binom{u+a}{a} \binom{u+g+b}{b} \alpha^{u + g/2}
         = \alpha^{g/2} \sum_{i=0}^{b} \binom{g-1+b-i}{b-i}
           \sum_j \frac{\binom aj \binom ij \alpha^j}{(1-\alpha)^{a+i+1}} , \]
    by Vandermonde's identity in u. All terms are positive. If no entry of c is n, only the term u = 0 remains. If
    no entry of c is 0, there is no excess and K = 1.
    """
    if zeros == 0:
        return 0.0
    b = zeros - 1
    if full == 0:
        return _log_whole(math.comb(excess + b, b)) - epsilon / 2 * excess
    a, log_gap = full - 1, log(-expm1(-epsilon))
    # the multisets of size b - i from g elements; from no elements there is only the empty one
    ways = [math.comb(max(excess - 1 + b - i, 0), b - i) for i in range(b + 1)]
    terms = [
        _log_whole(ways[i] * math.comb(a, j) * math.comb(i, j)) - epsilon * j - (a + i + 1) * log_gap
        for i in range(b + 1)
        for j in range(min(a, i) + 1)
        if ways[i]
    ]
    return log_sum_exp(numbers(terms)) - epsilon / 2 * excess


def _log_whole(value: int) -> float:
    """Logarithm of a positive integer of any size."""
    return math.log(value) if arithmetic.in_doubles() else log(arithmetic.number(value))


def _noisy(epsilon: float, x: Integers, rng: np.random.Generator, size: int) -> Integers:
    """Draws x + v by the algorithm of ``integer_noise.zero_sum`` in floating point; the draws are not for release."""
    noise, noisy, left = TWO_SIDED_GEOMETRIC.at(epsilon / 2), np.empty((size, len(x)), np.int64), np.arange(size)
    while len(left):
        v = noise.draw(rng, len(left) * (len(x) - 1)).reshape(len(left), -1)
        last = -v.sum(axis=1)
        kept = rng.standard_exponential(len(left)) >= epsilon / 2 * np.abs(last)
        noisy[left[kept]] = x + np.column_stack([v, last])[kept]
        left = left[~kept]
    return noisy
