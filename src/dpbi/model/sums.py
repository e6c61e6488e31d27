r"""Gauss rules that compute the sum of a smooth function over many consecutive integers from a few terms."""

from functools import lru_cache

import numpy as np

from ..checks import Floats, Integers, brief, need

# measured: with this many nodes the sums of this library agree with mpmath to 1e-14
NODES = 20
"""Number of nodes of a rule; sums with at most this many terms are computed term by term."""


def rule(count: int) -> tuple[Floats, Floats]:
    r"""Nodes and weights for sums over 0, ..., count - 1 of a function that is smooth away from both ends.

    The panels double in length away from each end. If the function is analytic away from the end, Gauss's rule on a
    panel from L to 2L has an error of about \((3 + \sqrt8)^{-40}\) times the size of the function.
    """
    # Panels are laid from both ends inwards, each as long as all panels outside it, until the middle is short.
    lengths: list[int] = []
    left, length = count, NODES
    while left > 2 * length:
        lengths.append(length)
        left -= 2 * length
        length = sum(lengths)
    middle = [left // 2, left - left // 2] if left > NODES else [left]
    starts = np.cumsum([0, *lengths, *middle, *lengths[::-1]])
    parts = [gauss(size) for size in (*lengths, *middle, *lengths[::-1])]
    nodes = np.concatenate([start + nodes for start, (nodes, _) in zip(starts, parts, strict=False)])
    return nodes, np.concatenate([weights for _, weights in parts])


@lru_cache(maxsize=4096)
def gauss(size: int) -> tuple[Floats, Floats]:
    """Nodes and weights for sums over 0, ..., size - 1; sums of at most ``NODES`` terms use each term with weight 1."""
    return sum_rule(size) if size > NODES else (np.arange(size, dtype=np.float64), np.ones(size))


def sum_rule(N: Floats | Integers | int, nodes: int = NODES) -> tuple[Floats, Floats]:
    r"""Gauss's rule for sums over \(0, \dots, N-1\), exact for polynomials up to degree 2 ``nodes`` - 1.

    The polynomials that are orthogonal on the points 0, ..., N - 1 have the recurrence coefficients \(\alpha_j =
    \frac{N-1}{2}\) and \(\beta_j = \frac{j^2 (N^2 - j^2)}{4(4j^2 - 1)}\). The nodes are the eigenvalues of their Jacobi
    matrix, and its eigenvectors give the weights (Golub and Welsch 1969).

    Args:
        N: Number of terms, > ``nodes``; an array gives one rule for each entry.
        nodes: Number of nodes.

    Returns:
        Nodes and weights; the last axis of each array runs over the nodes of one rule.

    >>> found, weights = sum_rule(1000)
    >>> round(float(weights @ found**3)) == sum(i**3 for i in range(1000))
    True
    """
    N = np.asarray(N, dtype=np.float64)[..., None]
    j = np.arange(1, nodes)
    # the Jacobi matrix of the points centred at 0, whose diagonal is zero
    jacobi = np.zeros((*N.shape[:-1], nodes, nodes))
    jacobi[..., j, j - 1] = jacobi[..., j - 1, j] = j / 2 * np.sqrt((N - j) * (N + j) / (4 * j**2 - 1))
    found, vectors = np.linalg.eigh(jacobi)
    return found + (N - 1) / 2, N * vectors[..., 0, :] ** 2


# chosen: squares and quotients of numbers in this range neither overflow nor underflow
SUMMABLE = (1e-100, 1e100)
"""Smallest and largest prior weight for sums that do not enumerate the datasets."""


def summable(prior: Floats) -> None:
    """Raises ``ValueError`` if a prior weight is outside ``SUMMABLE``."""
    allowed = f"within {SUMMABLE[0]:g}..{SUMMABLE[1]:g} for sums that do not enumerate datasets"
    good = SUMMABLE[0] <= prior.min() and prior.max() <= SUMMABLE[1]
    need(good, f"prior must be {allowed}, got prior={brief(prior.tolist())}")
