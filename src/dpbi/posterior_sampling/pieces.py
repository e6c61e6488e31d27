r"""Parts of the interval of several laws, with the mass of each under every law, and the log ratios at their ends.

The log ratio of two laws is monotone on a part, for it turns at an end only, so between its two ends lies all that a
parameter of the part tells. Sums over N draws go on a lattice, by convolution.
"""

import itertools
import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import fft

from ..arithmetic import exp, in_doubles, number, numbers, zeros
from ..checks import Numbers
from .interval_laws import Beta, Gamma
from .measures import pair

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2  # on [0, 1]

PARTS_OVER_BALLS = 48
"""Over balls every mass is an integral, and parts and steps are few."""


class Pieces(NamedTuple):
    r"""Masses, shape (laws, parts), and \(\ln\frac{p_k}{p_0}\) at all ends of parts, shape (laws, parts + 1)."""

    masses: Numbers
    ratios: Numbers


def pieces(laws: Sequence[Any], parts: int, most: float = math.inf) -> Pieces:
    """So many parts for every panel of the curves in doubles, fewer if that were more than ``most``."""
    return _of_curves(laws, parts, most) if in_doubles() else _of_integrals(laws)


def _of_curves(laws: Sequence[Any], parts: int, most: float) -> Pieces:
    first = laws[0]
    pairs: list[Any] = [pair(first, law) for law in laws[1:]]
    gamma = isinstance(first, Gamma)
    # from the curve of the first law to that of another
    shifts = [math.log(first.mode / law.mode) if gamma else first.mode - law.mode for law in laws]
    turns = [float(first.place(turn)) for two in pairs for turn in getattr(two, "turns", [])]
    corners = np.unique(np.concatenate([*(law.curve.edges - s for law, s in zip(laws, shifts, strict=True)), turns]))
    corners = corners[(corners >= first.curve.low) & (corners <= first.curve.high)]
    fine = int(max(min(parts, most // len(corners)), 8))
    shares = np.arange(fine) / fine
    edges = np.append((corners[:-1, None] + np.diff(corners)[:, None] * shares).ravel(), corners[-1])
    widths = np.diff(edges)[:, None]
    t = edges[:-1, None] + widths * NODES
    heights = [np.exp(law.curve.fall(t + s)) / law.curve.area for law, s in zip(laws, shifts, strict=True)]
    masses = [(height * WEIGHTS * widths).sum(axis=1) for height in heights]
    ratios = [np.zeros(len(edges)), *(-two.log_ratio_along(edges) for two in pairs)]
    return Pieces(np.array(masses), np.array(ratios))


def _of_integrals(laws: Sequence[Any]) -> Pieces:
    first = laws[0]
    low, high = (first.low, first.high) if isinstance(first, Beta) else first.ends
    if abs(float(low)) == math.inf or float(high) == math.inf:
        raise ValueError(f"p and q must have an interval with two ends, for an enclosure of many draws, got {first!r}")
    inside = [low + (high - low) * number(k) / PARTS_OVER_BALLS for k in range(1, PARTS_OVER_BALLS)]
    cuts = [1 / (1 + exp(-t)) if isinstance(first, Beta) else t for t in inside]
    pairs: list[Any] = [pair(first, law) for law in laws[1:]]
    cuts = sorted([*cuts, *(turn for two in pairs for turn in getattr(two, "turns", []))], key=float)
    edges = [first.ends[0], *cuts, first.ends[1]]
    masses = [[law.mass(*ends) for ends in itertools.pairwise(edges)] for law in laws]
    ratios = [[number(0)] * len(edges), *([-two.log_ratio(theta) for theta in edges] for two in pairs)]
    return Pieces(numbers(masses), numbers(ratios))


def gathered(places: Any, masses: Numbers) -> Numbers:
    """The masses at each place of a lattice, from the first to the last."""
    first = places.min()
    found = zeros(int(places.max() - first) + 1)
    np.add.at(found, places - first, masses)
    return found


def of_sums(masses: Numbers, size: int) -> Numbers:
    """The masses of sums of so many independent places."""
    length = size * (len(masses) - 1) + 1
    if in_doubles():
        padded = fft.next_fast_len(length, real=True)
        return np.maximum(fft.irfft(fft.rfft(masses, padded) ** size, padded)[:length], 0.0)
    return reduce(np.convolve, [masses] * size)


def law_of_sum(law: Any, size: int) -> Gamma | None:
    """The law of the sum of so many draws, less what all have in common, where it is a ``Gamma`` law again."""
    if isinstance(law, Gamma) and law.high == math.inf and (law.low == 0 or law.shape == 1):
        return Gamma(size * law.shape, law.rate)  # an exponential law forgets where it began
    return None
