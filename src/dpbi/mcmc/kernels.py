r"""Compiled sums over rows for many chains at once: every block of rows is read once and serves all chains.

Features are stored one per line, shape (m, n), so that the loops over rows are vectorised. Sums are in double
precision; the compiler may reorder additions within a block, which moves the last digits and nothing else. A ratio that
is not a number counts as the lower bound: whatever a row does, it stays within.
"""

from typing import Any

import numpy as np
from numba import njit

BLOCK = 512
"""Rows at a time: with two features and a buffer they fill a third of a 32 kB cache."""

COMPILED: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz"},
}


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def _clipped(ratio: float, low: float, high: float) -> float:
    """A ratio kept within the bounds; what is not a number becomes the lower one."""
    kept = ratio if ratio >= low else low
    return kept if kept <= high else high


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def clipped_differences(new: Any, old: Any, high: float, scale: float, total: Any, outside: Any) -> None:
    """Adds up clip(new_j - old_j) and counts what is clipped; with a scale > 0, of numbers scaled and rounded."""
    low = -high
    added, beyond = 0.0, 0.0
    if scale > 0:
        for j in range(len(new)):
            r = np.rint(new[j] * scale) - np.rint(old[j] * scale)
            kept = _clipped(r, low, high)
            added += kept
            beyond += 0.0 if kept == r else 1.0
    else:
        for j in range(len(new)):
            r = new[j] - old[j]
            kept = _clipped(r, low, high)
            added += kept
            beyond += 0.0 if kept == r else 1.0
    total[0] += added
    outside[0] += beyond


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def clipped_ratios(features: Any, alpha: Any, beta: Any, bound: Any, total: Any, outside: Any) -> None:
    """Adds up clip(alpha_c + beta_c . features_j) over rows, for each chain c; counts what is clipped."""
    m, n = features.shape
    if m == 2:
        _clipped_pairs(features, alpha, beta, bound, total, outside)
        return
    buffer = np.empty(BLOCK)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
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


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def _clipped_pairs(features: Any, alpha: Any, beta: Any, bound: Any, total: Any, outside: Any) -> None:
    """The same for two features, in one pass."""
    n = features.shape[1]
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        first, second = features[0, start:stop], features[1, start:stop]
        for c in range(len(alpha)):
            shift, by_first, by_second = alpha[c], beta[c, 0], beta[c, 1]
            high = bound[c]
            low = -high
            added, beyond = 0.0, 0.0
            for j in range(len(first)):
                r = shift + by_first * first[j] + by_second * second[j]
                kept = _clipped(r, low, high)
                added += kept
                beyond += 0.0 if kept == r else 1.0
            total[c] += added
            outside[c] += beyond


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def clipped_gradients(features: Any, shift: Any, slope: Any, bound: float, total: Any, outside: Any) -> None:
    """Adds up rows' gradients, slope_c^T features_j - shift_c, each shrunk to length at most ``bound``."""
    m, n = features.shape
    chains, d = shift.shape
    if m == d == 2:
        _clipped_gradient_pairs(features, shift, slope, bound, total, outside)
        return
    rows, buffer = np.empty((d, BLOCK)), np.empty(BLOCK)
    most = bound * bound
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
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
                shrink[j] = bound / np.sqrt(square if square > most else most)
            outside[c] += beyond
            for k in range(d):
                row = rows[k, :size]
                added = 0.0
                for j in range(size):
                    added += row[j] * shrink[j]
                total[c, k] += added


@njit(**COMPILED)  # type: ignore[untyped-decorator]
def _clipped_gradient_pairs(features: Any, shift: Any, slope: Any, bound: float, total: Any, outside: Any) -> None:
    """The same for two features and two components, in one pass."""
    n = features.shape[1]
    most = bound * bound
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        first, second = features[0, start:stop], features[1, start:stop]
        for c in range(len(shift)):
            a, b = shift[c, 0], shift[c, 1]
            a_first, b_first, a_second, b_second = slope[c, 0, 0], slope[c, 0, 1], slope[c, 1, 0], slope[c, 1, 1]
            along_a, along_b, beyond = 0.0, 0.0, 0.0
            for j in range(len(first)):
                in_a = a_first * first[j] + a_second * second[j] - a
                in_b = b_first * first[j] + b_second * second[j] - b
                square = in_a * in_a + in_b * in_b
                beyond += 0.0 if square <= most else 1.0
                shrink = bound / np.sqrt(square if square > most else most)
                along_a += in_a * shrink
                along_b += in_b * shrink
            total[c, 0] += along_a
            total[c, 1] += along_b
            outside[c] += beyond
