r"""Exact sensitivities of the Hellinger score in closed form.

The score of a candidate r at a dataset x is \(-H(x, r)\). By the triangle inequality, replacing x by a neighbour
changes the score most at r = x, so the sensitivities are distances between neighbours. With \(a = \text{prior} + x\),
moving a record from category j to category i gives
\[ H(x, x') = F\bigl(u(a_i) + u(a_j - 1)\bigr), \qquad F(v) = \sqrt{1 - e^{-v}}, \quad
   u(a) = D(a, a+1) = \tfrac12 \ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \]
where u is decreasing and convex. Hence a move between two small categories gives the largest distance.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import exp, expm1, largest, maximum, pi, scalar, sqrt
from ..checks import Floats, Integers, Numbers
from .datasets import count_vectors, lattice_size, moves, neighbours
from .distances import count_distances, distance, largest_step, record_gap

PRINTED_GLOBAL_SENSITIVITY = math.sqrt(1 - math.pi / 4)
"""Constant 0.4633 of the sources, which is the global sensitivity for prior (1, 1) and n = 1 but not in general."""

# chosen: a table of this size takes about a second
MAX_JUMP_NUMBERS = 5_000_000
"""Largest table (datasets times pairs of categories) for which ``smooth_reciprocal_jump`` is exact."""


def reciprocal_slope() -> float:
    r"""Supremum of the change in \(1/LS\) between neighbours, for two categories.

    \[ \gamma_0 = \Bigl(1 - \tfrac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1 \]
    For every prior and n the change is smaller than \(\gamma_0\) (claim ``notes/reciprocal-sensitivity``). For three or
    more categories the change in \(1/LS\) is unbounded.

    >>> round(reciprocal_slope(), 6)
    1.964697
    """
    return scalar(1 / sqrt(1 - sqrt(pi()) / 2) - 1)


def local_sensitivity(prior: ArrayLike, counts: ArrayLike) -> Floats:
    r"""Local sensitivity: the largest Hellinger distance from the posterior of a dataset to that of a neighbour.

    \[ LS(x) = \max_{x' \sim x} H(x, x') = F\Bigl(\max_{i \ne j,\ x_j \ge 1} u(a_i) + u(a_j - 1)\Bigr) \]
    The formula is exact and takes O(k) operations.

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers on the last axis; leading axes broadcast.

    Returns:
        LS(x) in [0, 1), with the shape of the leading axes of ``counts``; 0 if there are no records.

    >>> round(float(local_sensitivity([1, 1], [14, 6])), 6)
    0.169472
    """
    weights = checks.prior_weights(prior)
    return distance(_kept_pair(weights, checks.count_vector(counts, len(weights))))


def global_sensitivity(prior: ArrayLike, n: int) -> float:
    r"""Global sensitivity: the largest local sensitivity over all datasets of n records.

    \[ GS = \max_x LS(x) \]
    The value is exact and has a closed form. For \(k \ge 3\) both categories of a move can be empty except for the
    moving record, if all other records are in a third category. Then \(GS = F(u(\alpha_{(1)}) + u(\alpha_{(2)}))\) with
    the two smallest prior weights. For k = 2 the exponent \(u(\alpha_1 + p) + u(\alpha_2 + n - 1 - p)\) is convex in p
    and hence largest at p = 0 or p = n - 1.

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        GS in [0, 1); 0 if there are no records.

    >>> round(global_sensitivity([1, 1], 20), 6), round(global_sensitivity([1, 1], 1), 6)
    (0.34539, 0.463251)
    """
    return largest_step(tuple(checks.prior_weights(prior).tolist()), checks.record_count(n))


def exponential_smooth_sensitivity(prior: ArrayLike, counts: ArrayLike, beta: float) -> Floats:
    r"""Exponential smooth sensitivity of the Hellinger score at a dataset.

    \[ S(x) = \max_{x'} LS(x')\, e^{-\beta d(x, x')} \]
    The maximum is over all datasets x' with as many records as x, and d is the number of replaced records (Nissim,
    Raskhodnikova and Smith 2007, Definition 2.2). The exact value takes O(k^2) operations, because only a few x'
    can attain the maximum (``_corners`` gives the proof).

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers on the last axis; leading axes broadcast.
        beta: Exponential decay per replaced record, > 0.

    Returns:
        S(x) in [0, 1), with the shape of the leading axes of ``counts``.

    >>> round(float(exponential_smooth_sensitivity([1, 1], [14, 6], beta=0.1)), 6)
    0.20949
    """
    rate = checks.real("beta", beta, above=0)
    exponents, moved = _corners(prior, counts)
    return cast(Floats, largest(distance(exponents) * exp(-rate * moved), axis=-1))


def reciprocal_smooth_sensitivity(prior: ArrayLike, counts: ArrayLike, gamma: float) -> Floats:
    r"""Reciprocal smooth sensitivity of the Hellinger score at a dataset.

    \[ S(x) = \max_{x'} \frac{1}{1/LS(x') + \gamma\, d(x, x')} \]
    The maximum is over all datasets x' with as many records as x, and d is the number of replaced records. The
    reciprocal 1/S changes by at most \(\gamma\) between neighbours. The exact value takes O(k^2) operations,
    because only a few x' can attain the maximum (``_corners`` gives the proof).

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers on the last axis; leading axes broadcast.
        gamma: Largest change in 1/S per replaced record, > 0.

    Returns:
        S(x) in [0, 1), with the shape of the leading axes of ``counts``.

    >>> round(float(reciprocal_smooth_sensitivity([1, 1], [14, 6], gamma=1.0)), 6)
    0.169472
    """
    rate = checks.real("gamma", gamma, above=0)
    exponents, moved = _corners(prior, counts)
    sensitivities = distance(exponents)
    return cast(Floats, largest(sensitivities / (1 + rate * moved * sensitivities), axis=-1))


def smooth_reciprocal_jump(prior: ArrayLike, n: int, beta: float) -> float:
    r"""Largest change in \(1/S\) between neighbours for the exponential smooth sensitivity S, or an upper bound.

    \[ \kappa = \max_{x \sim x'} \Bigl| \frac{1}{S(x)} - \frac{1}{S(x')} \Bigr| \]
    The value is exact if the datasets can be enumerated (``MAX_JUMP_NUMBERS``). Otherwise the function returns an upper
    bound. Since \(S(x) \le e^{\beta} S(x')\), the change is at most \((e^{\beta} - 1) / \min_x S(x)\), and since
    \(S \ge LS\), a lower bound on LS over all datasets may replace the minimum. For k = 2 this lower bound follows from
    the convexity of u. For larger k the lower bound holds because u is decreasing and one of the k - 1 categories that
    can receive a record has a parameter of at most \((|\alpha| + n)/(k - 1)\).

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        beta: Exponential decay per replaced record, > 0.

    Returns:
        The largest change or its upper bound, >= 0.

    >>> round(smooth_reciprocal_jump([1, 1], 20, beta=0.1), 6)
    0.613186
    """
    weights = checks.prior_weights(prior)
    k, rate = len(weights), checks.real("beta", beta, above=0)
    if checks.record_count(n) == 0:
        return 0.0
    if lattice_size(n, k) * k * k <= MAX_JUMP_NUMBERS:
        reciprocals = 1 / exponential_smooth_sensitivity(weights, count_vectors(n, k), rate)
        start, end = moves(n, k)
        return scalar(largest(np.abs(reciprocals[start] - reciprocals[end])))
    total = weights.sum() + n
    least = 2 * record_gap((total - 1) / 2) if k == 2 else record_gap(total / (k - 1))
    return scalar(expm1(rate) / distance(least))


def _best_other(values: Numbers) -> Numbers:
    """For each i on the last axis, the largest of the values at all j != i."""
    if not arithmetic.in_doubles():  # overlapping balls cannot be sorted
        others = [np.delete(values, i, axis=-1) for i in range(values.shape[-1])]
        return np.stack([largest(rest, axis=-1) for rest in others], axis=-1)
    # the largest value is the answer for every i except its own index, for which the second largest is the answer
    top_two = np.partition(values, -2, axis=-1)[..., -2:]
    is_top = np.arange(values.shape[-1]) == values.argmax(axis=-1)[..., None]
    return np.where(is_top, top_two[..., :1], top_two[..., 1:])


def _kept_pair(prior: Floats, counts: Integers) -> Floats:
    """Largest affinity exponent between a dataset and its neighbours; 0 if there are no records."""
    receiver, giver = record_gap(prior + np.stack([counts, np.maximum(counts - 1, 0)]))
    giver = np.where(counts >= 1, giver, -np.inf)
    return cast(Floats, maximum(largest(receiver + _best_other(giver), axis=-1), 0.0))


def _corners(prior: ArrayLike, counts: ArrayLike) -> tuple[Floats, Floats]:
    r"""Exponents of \(LS(x')\) and distances \(d(x, x')\), on a last axis, for the few x' that can attain a maximum.

    Fix the pair (i, j) of categories between which a record moves at x', and let p and q be their counts without that
    record. The exponent is \(u(\alpha_i + p) + u(\alpha_j + q)\), whichever of the two categories gives the record. If
    a third category receives the records that leave i and j, then \(d = x_i + x_j - p - q - 1\) for \(p \le x_i\) and
    \(q \le x_j\), not both equal; larger counts only lower the exponent. The objectives \(\ln F - \beta d\) and
    \(-(1/F + \gamma d)\) are convex in p and in q, because \(\ln F\) is convex and \(1/F\) is concave in p and in q.
    Therefore each maximum is attained at the ends of the ranges of p and q:

    * neither category is drained, \((x_i, x_j - 1)\) or \((x_i - 1, x_j)\): x' is the dataset x itself, and d = 0;
    * one category is drained, \((0, x_j)\): this category keeps only the record that it gives, and \(d = x_i - 1\);
    * both categories are drained, (0, 0), and \(d = x_i + x_j - 1\).

    At the point \((0, x_j - 1)\) the drained category receives the record. This point lies between \((0, x_j)\) and
    \((0, 0)\), and by convexity the objective is at least as large at one of these two points. With two categories, the
    records that leave one category enter the other, so p + q = n - 1. By the same convexity in p, the maximum on each
    side of x is at the nearest or at the farthest pair.
    """
    weights = checks.prior_weights(prior)
    x = checks.count_vector(counts, len(weights))
    exponents, moved = (_corners_of_two if len(weights) == 2 else _corners_of_many)(weights, x)
    empty = x.sum(axis=-1, keepdims=True) == 0
    return np.where(empty, 0, exponents), moved


def _corners_of_two(prior: Floats, x: Integers) -> tuple[Floats, Floats]:
    """Corners for two categories, where the pair p consists of the neighbours (p, n - p) and (p + 1, n - 1 - p)."""
    # the nearest pairs on the two sides of x, then the farthest pairs
    first, last = x[..., :1], np.maximum(x.sum(axis=-1, keepdims=True) - 1, 0)
    pairs = np.clip(np.concatenate([first - 1, first, 0 * first, last], axis=-1), 0, last)
    moved = np.where(pairs >= first, pairs - first, first - 1 - pairs)
    return record_gap(prior + np.stack([pairs, last - pairs], axis=-1)).sum(axis=-1), _whole(moved)


def _corners_of_many(prior: Floats, x: Integers) -> tuple[Floats, Floats]:
    """Corners for three or more categories: neither, one or both categories of a pair are drained."""
    bare, receiver, giver = record_gap(prior + np.stack([np.zeros_like(x), x, np.maximum(x - 1, 0)]))
    giver = np.where(x >= 1, giver, -np.inf)
    kept = np.asarray(largest(receiver + _best_other(giver), axis=-1))[..., None]
    giver_drained = bare + _best_other(receiver)
    i, j = np.triu_indices(x.shape[-1], 1)
    both_drained = bare[..., i] + bare[..., j]
    moved = [
        np.zeros(kept.shape, np.int64),
        np.where(x >= 1, x - 1, 1),  # an empty giver must first receive a record
        np.maximum(x[..., i] + x[..., j] - 1, 1),
    ]
    exponents = np.concatenate([kept, giver_drained, both_drained], axis=-1)
    return maximum(exponents, 0.0), _whole(np.concatenate(moved, axis=-1))


def _whole(moved: Integers) -> Floats:
    """Numbers of replaced records, converted to the current arithmetic."""
    return moved.astype(np.float64) if arithmetic.in_doubles() else moved.astype(object)


def farthest_neighbour(prior: ArrayLike, counts: ArrayLike) -> Integers:
    """Neighbour of a dataset x whose posterior is farthest from the posterior of x, at the Hellinger distance LS(x).

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers, at least one of them positive.

    Returns:
        The first neighbour at this distance (up to a relative difference of 1e-12) in the order of ``neighbours``,
        shape (k,).

    >>> farthest_neighbour([1, 1], [3, 0])
    array([2, 1])
    """
    weights, x = checks.dataset(prior, counts)
    checks.need(x.any(), f"counts must have at least one record, got {x.tolist()}")
    around = neighbours(x)
    distances = count_distances(weights, x, around)
    # Tied neighbours, such as mirror images, have equal distances only up to rounding. With the tolerance, the first of
    # them is chosen on every machine.
    far = arithmetic.approximate(distances)
    return cast(Integers, around[int((far >= far.max() * (1 - 1e-12)).argmax())])
