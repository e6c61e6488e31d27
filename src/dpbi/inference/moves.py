r"""Metropolis moves between tables with the same number of records, for the chains of ``margins``.

A move goes along a line of tables \(x + t\,s\) with an integer t. The entries of s are 1 or -1 at the \(2^m\) corners
of a box along m columns, with opposite signs at neighbouring corners, and 0 elsewhere. A margin changes along the line
only if it includes all m columns; a box with more columns than any margin leaves all margins unchanged. The
distributions of the box and of \(|t|\) do not depend on the position of the table on the line, and both signs of t have
equal probability. Proposals are therefore symmetric. A move is accepted with probability \(\min(1, r)\), where r is the
ratio of the posterior probabilities of the proposed table and the current one. As in any Metropolis chain, the
posterior distribution of the tables is therefore invariant.
"""

from functools import cache
from typing import Any

import numpy as np

from ..extras import require


@cache
def compiled() -> Any:
    """The function ``take_moves`` compiled by numba, which is imported here because the import is slow."""
    require("a table given margins that overlap", "numba")
    import numba

    return numba.njit(cache=True)(take_moves)


def take_moves(x, y, law, count, rng, tables, margins):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Make ``count`` Metropolis moves for each row of ``tables``, and then store the table and its margins.

    The table x and the vector y of all its margin counts are modified in place.

    A random integer below k is computed as a uniform double times k, rounded down. The result is never k, and its
    possible values are equally probable to within one part in 2^53 / k. Exactly equal probabilities would make a chain
    about twice as slow.

    Args:
        x: The current table, a count for each cell.
        y: Counts of all margins of the current table.
        law: Posterior of a table, a ``_Law``.
        count: Number of moves between two stored tables.
        rng: Random number generator.
        tables: Array that receives the tables, one in each row.
        margins: Array that receives the margin counts of the stored tables, with one row per table.

    Returns:
        None; the results are in the arrays.
    """
    corners, signs = np.empty(1 << law.sides, dtype=np.int64), np.empty(1 << law.sides, dtype=np.int64)
    order = np.arange(len(law.shape))
    for kept in range(len(tables)):
        for _ in range(count):
            corners[0], signs[0], used, box = int(rng.random() * len(x)), 1, 1, 0
            # the box: its columns are selected at random without repetition, and each column doubles the number of
            # corners
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
            # no count falls below 0 for t from -down to up; the initial value is no smaller than either, because the
            # first two corners have opposite signs
            down = up = x[corners[0]] + x[corners[1]]
            for corner in range(used):
                if signs[corner] > 0:
                    down = min(down, x[corners[corner]])
                else:
                    up = min(up, x[corners[corner]])
            # the length of the line is the same from all of its points; t is nearly uniform on a logarithmic scale
            t = int((down + up + 1) ** rng.random()) * (1 if rng.random() < 0.5 else -1)
            if t < -down or t > up:
                continue
            gain = 0.0  # change of the log posterior: of the prior at each corner, and of the noise in the margins
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
