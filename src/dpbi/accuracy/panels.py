r"""Where to look at a function of the moves of a count, to add it up: Gauss's rule for sums on panels.

A panel of l moves starts at least l away from no move, and ends at least l away from where the count has lost all.
There what one adds up is analytic on the ellipse \(\rho = 2.55\), see ``noise_wide``. Panels are powers of two times
the nodes long, so that few rules are needed; between them moves are added one by one.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..model.sums import sum_rule

NODES = 40
"""Nodes of the rule on one panel; shorter panels are summed move by move."""

PHASE = 16.0
"""No frequency turns by more on half a panel."""

RHO = 2.55
"""The ellipse around a panel."""


class Nodes(NamedTuple):
    """Moves away from zero: a whole number, how many periods of the noise are added to it, and their weights."""

    whole: Integers
    periods: Floats
    weights: Floats


@lru_cache(maxsize=16)  # on the side that has no end they are those of many counts
def nodes_of(count: int, end: float, width: int, frequency: float) -> Nodes:
    """Nodes for sums over 0, ..., count - 1 of what is smooth from one period to the next, before the end.

    >>> found = nodes_of(1_000_000, math.inf, 1, 0.0)
    >>> len(found.weights), round(float(found.weights.sum()))
    (800, 1000000)
    """
    whole, rest = divmod(count, width)
    starts, sizes = _panels(whole, end / width, frequency * width)
    order = np.argsort(sizes, kind="stable")
    rules = [_rule(size) for size in sizes[order].tolist()]
    first = starts[order].repeat([len(weights) for _, weights in rules])
    period, weights_of = (
        np.concatenate([np.zeros(0), *part]) for part in (zip(*rules, strict=True) if rules else ((), ()))
    )
    # each place of a period has its own formula; of the last, there may be some only
    places = np.arange(width)
    return Nodes(
        np.concatenate([(first[:, None] * width + places).ravel(), whole * width + np.arange(rest)]),
        np.concatenate([np.repeat(period, width), np.zeros(rest)]),
        np.concatenate([np.repeat(weights_of, width), np.ones(rest)]),
    )


def how_many(count: int, frequency: float) -> float:
    """About how many nodes these are."""
    return NODES * (2 + 2 * math.log2(max(count / NODES, 1)) + frequency * count / PHASE)


def _panels(count: int, end: float, frequency: float) -> tuple[Integers, Integers]:
    """The starts of panels, and their lengths."""
    starts, sizes, at = [], [], 0
    longest = 2 * PHASE / frequency if frequency > 0 else math.inf
    while at < count:
        most = min(at, (end - at) / 2, count - at, longest)
        size = NODES << (int(most / NODES).bit_length() - 1) if most >= 2 * NODES else min(NODES, count - at)
        starts.append(at)
        sizes.append(size)
        at += size
    return np.array(starts, dtype=np.int64), np.array(sizes, dtype=np.int64)


@lru_cache(maxsize=512)
def _rule(size: int) -> tuple[Floats, Floats]:
    return sum_rule(size, NODES) if size > NODES else (np.arange(size, dtype=np.float64), np.ones(size))
