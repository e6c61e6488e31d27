r"""Compiled sums over rows for many chains at once: each block of rows is read once for all chains.

Features have the shape (m, n), one feature a line, so that the compiler vectorises the loops over rows. Sums are in
double precision; the compiler may reorder additions within a block, which moves the last digits and nothing else. A
ratio that is nan counts as the lower bound, so that no row can exceed the bounds.
"""

from typing import Any

import numpy as np

from ..extras import require

require("a clipped sum over rows with several features", "numba")
from numba import njit  # noqa: E402

# chosen: with two features and a buffer, 512 rows fill a third of a 32 kB cache
ROWS_PER_BLOCK = 512
"""Number of rows in a block."""

NUMBA_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz"},
}


@njit(**NUMBA_OPTIONS)  # type: ignore[untyped-decorator]
def _clipped(ratio: float, low: float, high: float) -> float:
    """A ratio clipped to the bounds; nan becomes the lower one."""
    kept = ratio if ratio >= low else low
    return kept if kept <= high else high


@njit(**NUMBA_OPTIONS)  # type: ignore[untyped-decorator]
def clipped_ratios(features: Any, alpha: Any, beta: Any, bound: Any, total: Any, outside: Any) -> None:
    """Add clip(alpha_c + beta_c . features_j) over rows j to ``total``, and the number clipped to ``outside``."""
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
                kept = _clipped(ratio[j], low, high)
                added += kept
                beyond += 0.0 if kept == ratio[j] else 1.0
            total[c] += added
            outside[c] += beyond


@njit(**NUMBA_OPTIONS)  # type: ignore[untyped-decorator]
def clipped_gradients(features: Any, shift: Any, slope: Any, bound: float, total: Any, outside: Any) -> None:
    """Add the rows' gradients slope_c^T features_j - shift_c, each shrunk to length at most ``bound``, to ``total``.

    A row whose squared length is infinite or no number adds nothing: its sum with others would be no number either.
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
                shrink[j] = bound / np.sqrt(most if square <= most else square)  # 0 or nan where the row overflows
            outside[c] += beyond
            for k in range(d):
                row = rows[k, :size]
                added = 0.0
                for j in range(size):
                    added += row[j] * shrink[j] if shrink[j] > 0.0 else 0.0
                total[c, k] += added
