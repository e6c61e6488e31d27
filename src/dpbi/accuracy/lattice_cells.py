"""Frequencies of moves around a ring in cells, on which factors are bounded at once.

Low frequencies have cells of their own, and higher ones share one with those next to them, on both sides of zero.
"""

import math
from functools import lru_cache

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
    last = np.where(counts, np.arange(1, counts.shape[-1] + 1), 0).max(axis=(0, 2))
    about, cell, found = np.ceil(2 * np.log2(np.maximum(last, 1))), cells_of(N, U), []
    for some in np.unique(about[last > 0]).tolist():
        here = (about == some) & (last > 0)
        found.append((np.flatnonzero(here[cell]), int(last[here].max())))
    return found
