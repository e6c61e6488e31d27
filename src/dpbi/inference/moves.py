r"""Moves between tables with the same number of records, each drawn by its probability: the step of a chain.

A line of tables is \(x + t\,s\) for whole t, with signs s at the corners of a box: one corner, or two along one column,
or \(2^m\) along m of them, neighbours with opposite signs. A margin changes along the line only if it has all m
columns; so boxes of more columns than any margin has leave all margins as they are. Which line is taken, and which of
its points are looked at, does not depend on where on the line the table is; and of these points one is drawn by its
probability. So the law of the tables stays as it is, whatever the points are.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

POINTS = 16
"""Points of a line that are looked at: all of them if they are so few."""

MOST_SIDES = 6
"""Columns that a box may have, with a corner for every subset."""

NO_NOISE = -(1 << 62)
"""In the place of where a law stands, for a count without noise."""


@cache
def compiled() -> Callable[..., Any]:
    """``take_moves`` compiled; numba itself is imported here, for that takes longer than many a call."""
    import numba

    loop: Callable[..., Any] = numba.njit(cache=True)(take_moves)
    return loop


def take_moves(  # type: ignore[no-untyped-def]  # pragma: no cover
    x, y, places, masks, noisy, noise, origin, factors, factor, strides, shape, sides, count, rng, tables, margins
):
    """Take so many moves for each of ``tables`` and keep what is reached there, its margins in ``margins``.

    The table x and its margins y, one after the other, are changed in place.

    ``places`` (margins, cells) are the places of the cells in the margins, ``masks`` the columns of each margin as
    bits. ``noise`` has the logarithms of the laws of noise; ``origin`` says for each count of a margin where that of no
    move stands, or ``NO_NOISE``. ``factors`` has the logarithms of the prior's factors of 0, 1, ... records, a row for
    each concentration, and ``factor`` the row of each cell.

    A whole number below k is a uniform double times k, rounded down: none is k, and each is as likely as any other to
    one part in 2^53 / k. Without that difference a chain would take about twice as long.
    """
    corners, signs = np.empty(1 << MOST_SIDES, dtype=np.int64), np.empty(1 << MOST_SIDES, dtype=np.int64)
    weights, flat, width = np.empty(POINTS), factors.ravel(), factors.shape[1]
    law, at = np.empty(1 << MOST_SIDES, dtype=np.int64), np.empty((len(masks) << MOST_SIDES, 2), dtype=np.int64)
    for kept in range(len(tables)):
        order = np.arange(len(shape))
        for _ in range(count):
            # what no margin sees moves by the largest boxes alone, which mix last: every other move is one
            m = sides if rng.random() < 0.5 else int(rng.random() * sides)
            corners[0], signs[0], used, box = int(rng.random() * len(x)), -1, 1, 0
            if m == 0:  # any two cells
                corners[1], signs[1], used = int(rng.random() * len(x)), 1, 2
                if corners[0] == corners[1]:
                    continue
            for i in range(m):
                swap = i + int(rng.random() * (len(shape) - i))
                order[i], order[swap] = order[swap], order[i]
                column = order[i]
                place = (corners[0] // strides[column]) % shape[column]
                shift = 1 + int(rng.random() * (shape[column] - 1))
                if place + shift >= shape[column]:
                    shift -= shape[column]
                for corner in range(used):
                    corners[used + corner] = corners[corner] + shift * strides[column]
                    signs[used + corner] = -signs[corner]
                used, box = 2 * used, box | (1 << column)
            down, up = x[corners[0]] + x[corners[1]], x[corners[0]] + x[corners[1]]
            for corner in range(used):
                if signs[corner] > 0:
                    down = min(down, x[corners[corner]])
                else:
                    up = min(up, x[corners[corner]])
            if down + up == 0:
                continue
            # the line's length is the same from all of its points
            step, points = 1, down + up + 1
            first = -down
            if points > POINTS:
                wide = 0
                while (POINTS << wide) < points:
                    wide += 1
                step, points = 1 << int(rng.random() * (wide + 1)), POINTS
                first = -step * int(rng.random() * POINTS)
            # where the laws of all that changes stand at t = 0
            for corner in range(used):
                law[corner] = factor[corners[corner]] * width + x[corners[corner]]
            changed = 0
            for q in range(len(masks)):
                if box & masks[q] != box or (m == 0 and places[q, corners[0]] == places[q, corners[1]]):
                    continue
                for corner in range(used):
                    place = places[q, corners[corner]]
                    if origin[place] != NO_NOISE:
                        at[changed, 0], at[changed, 1] = origin[place] + noisy[place] - y[place], signs[corner]
                        changed += 1
            top = -np.inf
            for point in range(points):
                t = first + step * point
                if t < -down or t > up:
                    weights[point] = -np.inf
                    continue
                total = 0.0
                for corner in range(used):
                    total += flat[law[corner] + signs[corner] * t]
                for i in range(changed):
                    total += noise[at[i, 0] - at[i, 1] * t]
                weights[point] = total
                top = max(top, total)
            total = 0.0
            for point in range(points):
                total += np.exp(weights[point] - top)
                weights[point] = total
            chance, point = rng.random() * total, 0
            if not chance < total:  # rounded up to it, or no law at all
                continue
            while weights[point] <= chance:
                point += 1
            t = first + step * point
            if t != 0:
                for corner in range(used):
                    c = corners[corner]
                    x[c] += signs[corner] * t
                    for q in range(len(masks)):
                        y[places[q, c]] += signs[corner] * t
        tables[kept], margins[kept] = x, y
