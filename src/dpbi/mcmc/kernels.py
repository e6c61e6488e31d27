r"""Compiled sums over rows for many chains; each block of rows is read only once for all chains.

The array of features has the shape (m, n), with one feature in each row of the array. This layout allows the compiler
to vectorise the loops over the n data rows. Sums are computed in double precision. The compiler may reorder additions
within a block, which changes only the last digits. A log ratio that is nan is replaced by the lower bound, so no data
row can contribute more than the bounds allow.
"""

from typing import Any

import numpy as np

from ..extras import require

require("a clipped sum over rows with several features", "numba")
from numba import njit  # noqa: E402

# chosen: with two features and a buffer, 512 rows fill about a third of a 32 kB cache
ROWS_PER_BLOCK = 512
"""Number of data rows that a compiled loop processes before it moves on to the next chain."""

# chosen: additions may be reordered and fused with products; unlike full "fastmath", this preserves nan and infinity
NUMBA_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz"},
}
"""Options of the numba compiler for the functions of this module."""


@njit(**NUMBA_OPTIONS)  # type: ignore[untyped-decorator]
def clipped_ratios(features: Any, alpha: Any, beta: Any, bound: Any, total: Any, outside: Any) -> None:
    """Add the sum over rows j of clip(alpha_c + beta_c . features_j) to ``total[c]`` for each chain c.

    The number of rows whose log ratio was clipped is added to ``outside[c]``.
    """
    m, n = features.shape
    buffer = np.empty(ROWS_PER_BLOCK)
    for start in range(0, n, ROWS_PER_BLOCK):
        stop = min(start + ROWS_PER_BLOCK, n)
        ratio = buffer[: stop - start]
        for c in range(len(alpha)):
            ratio[:] = alpha[c]
            for i in range(m):
                slope = beta[c, i]
                if slope != 0.0:
                    line = features[i, start:stop]
                    for j in range(len(line)):
                        ratio[j] += slope * line[j]
            high = bound[c]
            low = -high
            added, beyond = 0.0, 0.0
            for j in range(len(ratio)):
                kept = ratio[j] if ratio[j] >= low else low  # low also replaces nan
                kept = kept if kept <= high else high
                added += kept
                beyond += 0.0 if kept == ratio[j] else 1.0
            total[c] += added
            outside[c] += beyond


@njit(**NUMBA_OPTIONS)  # type: ignore[untyped-decorator]
def clipped_gradients(features: Any, shift: Any, slope: Any, bound: float, total: Any, outside: Any) -> None:
    """Add the sum over rows j of the gradients slope_c^T features_j - shift_c to ``total[c]`` for each chain c.

    Each row's gradient is first shrunk to a length of at most ``bound``, and the number of shrunk gradients is added to
    ``outside[c]``. A gradient whose squared length is infinite or nan contributes nothing to the sum, which would
    otherwise be nan.
    """
    m, n = features.shape
    chains, d = shift.shape
    rows, buffer = np.empty((d, ROWS_PER_BLOCK)), np.empty(ROWS_PER_BLOCK)
    most = bound * bound
    for start in range(0, n, ROWS_PER_BLOCK):
        stop = min(start + ROWS_PER_BLOCK, n)
        size = stop - start
        shrink = buffer[:size]
        for c in range(chains):
            shrink[:] = 0.0
            for k in range(d):
                row = rows[k, :size]
                row[:] = -shift[c, k]
                for i in range(m):
                    by = slope[c, i, k]
                    if by != 0.0:
                        line = features[i, start:stop]
                        for j in range(size):
                            row[j] += by * line[j]
                for j in range(size):
                    shrink[j] += row[j] * row[j]
            beyond = 0.0
            for j in range(size):
                square = shrink[j]
                beyond += 0.0 if square <= most else 1.0
                shrink[j] = bound / np.sqrt(most if square <= most else square)  # 0 or nan if the row overflows
            outside[c] += beyond
            for k in range(d):
                row = rows[k, :size]
                added = 0.0
                for j in range(size):
                    added += row[j] * shrink[j] if shrink[j] > 0.0 else 0.0
                total[c, k] += added
