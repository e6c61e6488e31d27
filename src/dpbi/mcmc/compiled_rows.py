r"""A likelihood that is written for one row: compiled, with one pass over the rows for all chains.

``function(theta, row)`` takes two tuples of numbers and returns one. It is compiled into the loops over rows, without
arrays in between: of a block that is in the processor's cache every chain takes its numbers and their clipped
differences before the next block is read. Additions and multiplications keep the order in which they are written,
whatever the function was compiled with before, so that a row's number is the same, bit by bit, by itself and among
others; only the sum of the differences may be added up in another order. Division by zero gives an infinite number.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from numba import njit, types
from numba.core.errors import NumbaError
from numba.np.unsafe.ndarray import to_fixed_tuple

from .kernels import BLOCK, clipped_differences

AS_WRITTEN: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": False}


class Passes(NamedTuple):
    """The passes over the rows of a function, which are given by lines, shape (columns, rows)."""

    values: Callable[..., None]
    """Of lines and a parameter vector, the rows' numbers into an array."""

    differences: Callable[..., None]
    """Of lines and the chains' proposals: the rows' numbers into the slot that is not the current one, and the sums of
    their clipped differences from those in the current one, with the counts of what is clipped."""


@lru_cache(maxsize=32)
def passes(function: Callable[..., float], columns: int, dimension: int) -> Passes:
    """Those of a function, compiled for so many columns and parameters, whose loops are written out."""
    number = _number(function, columns, dimension)
    row = _row(columns)

    @njit(**AS_WRITTEN)  # type: ignore[untyped-decorator]
    def fill(lines: Any, point: Any, start: int, found: Any) -> None:
        theta: Any = to_fixed_tuple(point, dimension)
        for j in range(len(found)):
            found[j] = number(theta, row(lines, start + j))

    @njit(**AS_WRITTEN)  # type: ignore[untyped-decorator]
    def values(lines: Any, point: Any, found: Any) -> None:
        fill(lines, point, 0, found)

    @njit(**AS_WRITTEN)  # type: ignore[untyped-decorator]
    def differences(
        lines: Any, proposal: Any, kept: Any, slot: Any, bound: Any, scale: float, total: Any, outside: Any
    ) -> None:
        n = lines.shape[1]
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            for c in range(len(proposal)):
                new, old = kept[1 - slot[c], c, start:stop], kept[slot[c], c, start:stop]
                fill(lines, proposal[c], start, new)
                clipped_differences(new, old, bound[c], scale, total[c : c + 1], outside[c : c + 1])

    return Passes(values, differences)


def _number(function: Callable[..., float], columns: int, dimension: int) -> Any:
    """The function, compiled; the error says in one line why it cannot be."""
    number = njit(**AS_WRITTEN)(getattr(function, "py_func", function))
    given = tuple(types.UniTuple(types.float64, size) for size in (dimension, columns))
    try:
        number.compile(given)
    except NumbaError as error:
        why = next(line for line in f"{error}\nunknown".splitlines() if line and not line.startswith("Failed in"))
        raise ValueError(f"log_likelihood must be compiled by numba where by_row is True, got: {why}") from error
    (found,) = {signature.return_type for signature in number.nopython_signatures}
    if not isinstance(found, types.Float | types.Integer):
        raise ValueError(f"log_likelihood must return one number for one row where by_row is True, got {found}")
    return number


def _row(columns: int) -> Callable[..., Any]:
    """The compiled function of lines and a place that has the row there as a tuple."""
    last = columns - 1
    if last == 0:

        @njit(**AS_WRITTEN)  # type: ignore[untyped-decorator]
        def first(lines: Any, j: int) -> Any:
            return (lines[0, j],)

        return first  # type: ignore[no-any-return]
    before = _row(last)

    @njit(**AS_WRITTEN)  # type: ignore[untyped-decorator]
    def longer(lines: Any, j: int) -> Any:
        return (*before(lines, j), lines[last, j])

    return longer  # type: ignore[no-any-return]
