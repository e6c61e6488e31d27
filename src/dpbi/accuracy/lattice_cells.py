"""Frequencies of moves around a ring in cells, on which factors are bounded at once.

Low frequencies have cells of their own, and higher ones share one with those next to them, on both sides of zero.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..checks import Floats, Integers
from .noise_spectrum import TRANSFORMED
from .shortfalls import Truths
from .spectrum import Complexes

FINE = 16
"""Of frequencies around the t-th the first of t / 16 stands for all, in bounds that fall with t."""


@lru_cache(maxsize=64)
def cells(N: int) -> tuple[Integers, Floats]:
    """Edges of cells of frequencies, the same on both sides of zero, and the share of all that are in each."""
    edges = [0, 1]
    while edges[-1] <= N // 2:
        edges.append(min(edges[-1] + max(1, edges[-1] // FINE), N // 2 + 1))
    counts = np.diff(edges) + np.diff(np.minimum(edges, (N + 1) // 2))
    return np.array(edges), (counts - (np.arange(len(counts)) == 0)) / N


@lru_cache(maxsize=64)
def cells_of(N: int, U: int) -> Integers:
    """The cell of each frequency."""
    place = np.arange(U)
    return np.searchsorted(cells(N)[0], np.minimum(place, N - place), side="right") - 1


def that_count(bounds: Floats, log_enough: float, N: int, U: int, most: int) -> tuple[Truths, float]:
    """At which frequencies bounds on the cells are larger, at the ``most`` largest; and a bound on the others."""
    cell = cells_of(N, U)
    order = np.argsort(-bounds)
    fit = np.cumsum(np.bincount(cell, minlength=len(bounds))[order]) <= most
    counts = np.zeros(len(bounds), dtype=bool)
    counts[order[fit]] = bounds[order[fit]] > log_enough
    return counts[cell], float(bounds[~counts].max(initial=-math.inf))


def in_cells(inside: Complexes, sizes: Floats, N: int) -> Floats:
    """The largest value in each cell, as a share of the sizes, and what rounding may add to it."""
    edges, squares = cells(N)[0], inside.real**2 + inside.imag**2
    half = int(edges[-1])
    most = np.maximum.reduceat(squares[:, :, :half], edges[:-1], axis=2)
    if squares.shape[2] > half:
        below = squares[:, :, :0:-1][:, :, : half - 1]  # those below zero, the other way around
        most[:, :, 1:] = np.maximum(most[:, :, 1:], np.maximum.reduceat(below, edges[1:-1] - 1, axis=2))
    found: Floats = np.minimum(np.sqrt(most) / np.maximum(sizes, 1e-300)[:, :, None] + TRANSFORMED, 1.0)
    return found


def larger(values: Floats) -> Floats:
    """Before or after each step."""
    return np.asarray(np.maximum(values[:-1], values[1:]))


class Around(NamedTuple):
    """Bounds on factors at points around the pole, before and after steps."""

    near: Integers  # (K',) the kinds near an end
    left: Floats  # (B + 1, K, M) on what is left with a record
    rest: Floats  # (B + 1, K', M) of these, on the rest
    stepped: Floats  # (B + 1, K', M) and on the rest where a step takes from them

    def largest(self) -> Floats:
        """(B, K, M) on each factor, before or after each step or at it."""
        whole = self.left.copy()
        whole[:, self.near] += np.maximum(self.rest, self.stepped)
        return larger(whole)

    def at(self, points: Integers) -> "Around":
        """At some points."""
        return Around(self.near, *(part[:, :, points] for part in self[1:]))

    def anywhere(self) -> "Around":
        """At all points."""
        return Around(self.near, *(part.max(axis=2, keepdims=True) for part in self[1:]))


def in_pairs(
    turned: Floats,
    around: Around,
    sizes: Floats,
    times: Integers,
    nothing: Floats,
    shares: Floats,
    weights: Floats,
) -> tuple[Floats, Floats]:
    r"""(B, V, M) bounds on the sum of all steps in cells of frequencies, as shares of the product of the ``sizes``.

    And (B,) what rounding takes a share of. First cells are bounded at all points at once, and points in all cells:
    only for cells and points that are not next to ``nothing`` (B,) then each pair is.
    """
    in_cell, off_in_cell = _bounded(turned, around.anywhere(), sizes, times)
    at_point, off_at_point = _bounded(np.ones_like(turned[:, :, :1]), around, sizes, times)
    here = np.flatnonzero((in_cell > nothing[:, None, None]).any(axis=(0, 2)))
    there = np.flatnonzero((at_point > nothing[:, None, None]).any(axis=(0, 1)))
    steps = np.minimum(in_cell, at_point)
    found, off = _bounded(turned[:, :, here], around.at(there), sizes, times)
    steps[:, here[:, None], there] = found
    rounded = (off @ weights[there]) @ shares[here]
    rounded += off_in_cell[:, :, 0] @ np.where(np.isin(np.arange(len(shares)), here), 0.0, shares) * weights.sum()
    rounded += off_at_point[:, 0] @ np.where(np.isin(np.arange(len(weights)), there), 0.0, weights) * shares[here].sum()
    return steps, rounded


def _bounded(turned: Floats, around: Around, sizes: Floats, times: Integers) -> tuple[Floats, Floats]:
    r"""(B, V, M) bounds on the sum of all steps, and on what rounding takes a share of.

    With ratios \(q_i\) of the factors to the sizes, \(e_i\) of those at no frequency, and \(s_i\) of what they are
    where a step takes from them, where no step is taken and all steps are at most
    \((1 + \sum_i s_i / q_i) \prod_i q_i\); and off by at most \(\sum_i e_i / q_i\) times that, and some rounding.
    """
    near, left, rest, stepped = around
    far, many, k = np.delete(np.arange(len(times)), near), times.astype(np.float64), int(times.sum())
    # far from the ends all scale alike
    most, scaled = larger(turned[:, far]), np.maximum(larger(left[:, far]) / sizes[:, far, None], 1e-300)
    logs = (np.log(most) * many[far, None]).sum(axis=1)[:, :, None]
    logs = logs + (np.log(scaled) * many[far, None]).sum(axis=1)[:, None, :]
    off = (many[far, None] / most).sum(axis=1)[:, :, None] * np.ones((1, 1, left.shape[2]))
    taking = np.full(logs.shape, 1.0 + many[far].sum())
    for place, kind in enumerate(near.tolist()):
        inside, size = turned[:, kind, :, None] * left[:, kind, None], sizes[:, kind, None, None]
        ratios = np.maximum(larger(inside + rest[:, place, None]) / size, TRANSFORMED)
        logs += many[kind] * np.log(ratios)
        off += many[kind] * larger(left[:, kind] + rest[:, place])[:, None] / size / ratios
        taking += many[kind] * (inside + stepped[:, place, None])[1:] / size / ratios
    logs += np.log(taking)
    steps, without = np.exp(logs), np.exp(logs + np.log(np.maximum(off, 1e-300)))
    return np.minimum(steps, k + 1), np.minimum(without, k * (k + 1))


def shares_of(N: int, U: int) -> Floats:
    """What each frequency counts for; where half of them are there, the others are conjugate to these."""
    shares = np.full(U, 1 / N)
    if U < N:
        shares[1 : (N + 1) // 2] *= 2
    return shares


def pairs_of(counts: Truths, N: int, U: int) -> list[tuple[Integers, int]]:
    """Which of U frequencies, and how many points to these, are in cells (B, V, M) that count.

    Those are together that have about as many points.
    """
    most: Truths = np.asarray(counts.any(axis=0))
    last = np.where(most.any(axis=1), most.shape[1] - most[:, ::-1].argmax(axis=1), 0)
    about, cell, found = np.ceil(2 * np.log2(np.maximum(last, 1))), cells_of(N, U), []
    for some in np.unique(about[last > 0]).tolist():
        here = (about == some) & (last > 0)
        found.append((np.flatnonzero(here[cell]), int(last[here].max())))
    return found
