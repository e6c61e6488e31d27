r"""Metropolis moves between tables with the same number of records: the steps of the chain of ``margins``.

A line of tables is \(x + t\,s\) for whole t, with signs s at the \(2^m\) corners of a box along m columns, neighbours
with opposite signs. A margin changes along the line only if it has all m columns; so boxes of more columns than any
margin has leave all margins as they are. Which box is taken, and how far t is from 0, does not depend on where on the
line the table is; both signs of t are as likely. So a move that is accepted with the ratio of the probabilities, or
with 1 if that is larger, leaves the law of the tables as it is (Metropolis).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ..extras import require


@cache
def compiled() -> Callable[..., Any]:
    """``take_moves`` compiled; numba is imported here: the import takes longer than most calls of the library."""
    require("a table given margins that overlap", "numba")
    import numba

    loop: Callable[..., Any] = numba.njit(cache=True)(take_moves)
    return loop


def take_moves(x, y, law, count, rng, tables, margins):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Take ``count`` moves for each row of ``tables``, and write the table reached and its margins to the row.

    The table x and its margins y, one margin after the other, are changed in place; ``law`` is a ``_Law``.

    A random whole number below k is a uniform double times k, rounded down: it is never k, and its probabilities are
    equal to one part in 2^53 / k. Equal probabilities would make a chain about twice as slow.

    Args:
        x: The table, a count for each cell.
        y: Its margins.
        law: The posterior of a table.
        count: Number of moves for each row.
        rng: Random number generator.
        tables: Array for the tables, a row each.
        margins: Array for their margins, a row each.

    Returns:
        Nothing: all results are in the arrays.
    """
    corners, signs = np.empty(1 << law.sides, dtype=np.int64), np.empty(1 << law.sides, dtype=np.int64)
    order = np.arange(len(law.shape))
    for kept in range(len(tables)):
        for _ in range(count):
            corners[0], signs[0], used, box = int(rng.random() * len(x)), 1, 1, 0
            for i in range(1 + int(rng.random() * law.sides)):
                swap = i + int(rng.random() * (len(order) - i))
                order[i], order[swap] = order[swap], order[i]
                column = order[i]
                place = corners[0] // law.strides[column] % law.shape[column]
                other = (place + 1 + int(rng.random() * (law.shape[column] - 1))) % law.shape[column]
                for corner in range(used):
                    corners[used + corner] = corners[corner] + (other - place) * law.strides[column]
                    signs[used + corner] = -signs[corner]
                used, box = 2 * used, box | (1 << column)
            down = up = x[corners[0]] + x[corners[1]]  # an upper bound of both: the two corners have opposite signs
            for corner in range(used):
                if signs[corner] > 0:
                    down = min(down, x[corners[corner]])
                else:
                    up = min(up, x[corners[corner]])
            # the line has one length from all of its points; between d and 2d, t is about as likely as from 2d to 4d
            t = int((down + up + 1) ** rng.random()) * (1 if rng.random() < 0.5 else -1)
            if t < -down or t > up:
                continue
            gain = 0.0
            for corner in range(used):
                cell, step = corners[corner], signs[corner] * t
                gain += law.factors[law.factor[cell], x[cell] + step] - law.factors[law.factor[cell], x[cell]]
                for q in range(len(law.masks)):
                    if box & law.masks[q] == box:
                        now = law.origin[law.places[q, cell]] - y[law.places[q, cell]]
                        gain += law.noise[now - step] - law.noise[now]
            if np.log(rng.random()) < gain:
                for corner in range(used):
                    x[corners[corner]] += signs[corner] * t
                    for q in range(len(law.masks)):
                        y[law.places[q, corners[corner]]] += signs[corner] * t
        tables[kept], margins[kept] = x, y
