r"""A likelihood written by hand: one function of a parameter vector and of rows, one number for each row.

The rows are taken in blocks that stay in the processor's cache, and every chain uses a block before the next one is
read: chains share the reading. The numbers of the current point are those that were computed when it was proposed, and
are kept. The function may be plain NumPy, compiled by numba or by JAX: it is called with a block of the rows. Or it is
written for one row, and is compiled into the pass over the rows (``compiled_rows``), which is several times as fast.

**What the function must keep to.** A row's number is a function of the parameter and of that row alone: on this rest
all sensitivities. Blocks make it likely, and ``posterior_of`` tries it; a row that is replaced moves its own number,
and nothing else.

**Rows that break down.** A log ratio that is not a number (the likelihood is zero at both points, say, or a row is not
a number itself) counts as the lower end of the bound, an infinite one as the end it is nearest to, and both count as
clipped. Where nothing is clipped there is no end to put it at, and the chain stops with an error.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import in_doubles, numbers
from ..checks import Floats, Integers
from .acceptance import clipped

BLOCK = 8192
"""Rows at a time."""

MOST_KEPT = 2**27
"""So many numbers of current and proposed points are kept, a gigabyte; more are computed again."""


class Sum(NamedTuple):
    """A sum over rows, one per chain, and the share of rows that were clipped, which is not private."""

    total: Floats  # (chains,) or (chains, dimension)
    clipped: Floats  # (chains,)


class Batch(NamedTuple):
    """Mean and variance (divided by the size) of the clipped log ratios of a batch, one per chain."""

    mean: Floats
    variance: Floats
    clipped: Floats


def within(ratios: Floats, bound: Any) -> tuple[Floats, Any]:
    """Ratios within the bound, what is not a number at its lower end, and the share that was outside."""
    if not in_doubles():  # where every row has a number
        return ratios if bound == np.inf else clipped(ratios, bound), np.nan
    outside = ~(np.abs(ratios) <= bound)
    kept = np.where(np.isnan(ratios), -bound, clipped(ratios, bound)) if outside.any() else ratios
    return np.asarray(kept, dtype=np.float64), outside.mean(axis=-1)


@dataclass
class _Kept:
    """The rows' numbers at two points of every chain, one of which is the current point; nan is no point."""

    values: Floats = field(default_factory=lambda: np.empty((2, 0, 0)))  # (slots, chains, rows)
    points: Floats = field(default_factory=lambda: np.empty((2, 0, 0)))  # (slots, chains, dimension)

    def room(self, chains: int, rows: int, dimension: int) -> None:
        """Room for so many chains: what was kept for another number of them is gone."""
        if self.values.shape != (2, chains, rows):
            self.values, self.points = np.empty((2, chains, rows)), np.full((2, chains, dimension), np.nan)

    def slots(self, theta: Floats) -> Integers:
        """In which slot the numbers at each chain's point are, and -1 where they are in none."""
        there = (self.points == theta).all(axis=2)
        return np.where(there.any(axis=0), there.argmax(axis=0), -1)


@dataclass(frozen=True, eq=False)
class RowLikelihood:
    """A likelihood written by hand: ``log_likelihood(theta, data)`` has one number for each row.

    ``theta`` is one parameter vector there, ``data`` some of the rows along its first axis.
    ``row_gradient(theta, data)``, if given, has the shape (rows, dimension). With ``by_row`` the likelihood is
    ``log_likelihood(theta, row)``, of tuples of numbers, which numba compiles.
    """

    log_likelihood: Callable[[Floats, Any], Any]
    data: Any
    row_gradient: Callable[[Floats, Any], Any] | None = None
    by_row: bool = False
    _kept: _Kept = field(default_factory=_Kept, init=False, repr=False)

    @property
    def rows(self) -> int:
        return len(self.data)

    def _passes(self, dimension: int) -> Any:
        """The function for one row, compiled into passes over the lines that ``_lines`` makes."""
        from .compiled_rows import passes

        return passes(self.log_likelihood, len(_lines(self.data[:1])), dimension)

    def _at(self, theta: Floats, data: Any) -> Floats:
        if self.by_row:
            found = np.empty(len(data))
            self._passes(len(theta)).values(_lines(data), np.ascontiguousarray(theta), found)
            return found
        with np.errstate(all="ignore"):
            values = numbers(self.log_likelihood(theta, data))
        if values.shape != (len(data),):
            raise ValueError(
                f"log_likelihood must return one number for each row, shape ({len(data)},), got shape {values.shape}"
            )
        return values

    def _blocks(self) -> list[slice]:
        return [slice(start, min(start + BLOCK, self.rows)) for start in range(0, self.rows, BLOCK)]

    def total(self, theta: Floats) -> Floats:
        """The log likelihood of all rows, for each parameter vector."""
        return numbers([self._at(point, self.data).sum() for point in theta])

    def ratio(self, theta: Floats, proposal: Floats, bound: Floats, grain: float | None = None) -> Sum:
        """The sum of the rows' log ratios of a proposal, each clipped to the bound, and the share that was clipped.

        With a ``grain``, a row's log likelihood is rounded to a multiple of it at either point, and bound and sum are
        in units of it: whole numbers, exact in doubles below 2^53.
        """
        if not in_doubles():
            ratios = [
                self._at(there, self.data) - self._at(here, self.data)
                for here, there in zip(theta, proposal, strict=True)
            ]
            sums = [within(found, most) for found, most in zip(ratios, bound, strict=True)]
            return Sum(numbers([kept.sum() for kept, _ in sums]), np.array([share for _, share in sums]))
        total, outside = np.zeros(len(theta)), np.zeros(len(theta))
        bounds, scale = np.asarray(bound, dtype=np.float64), 1 / grain if grain else 0.0
        if 2 * len(theta) * self.rows > MOST_KEPT:
            self._add_up(theta, proposal, bounds, scale, total, outside)
            return Sum(total, outside / self.rows)
        slots = self._current(theta)
        self._kept.points[1 - slots, np.arange(len(theta))] = np.nan
        self._add_up(theta, proposal, bounds, scale, total, outside, slots)
        self._kept.points[1 - slots, np.arange(len(theta))] = proposal
        return Sum(total, outside / self.rows)

    def _current(self, theta: Floats) -> Integers:
        """In which slot each chain's numbers at its current point are: those that are not kept are computed."""
        kept = self._kept
        kept.room(len(theta), self.rows, theta.shape[1])
        slots = kept.slots(theta)
        for c in np.flatnonzero(slots < 0):
            slots[c] = 0
            kept.points[0, c] = np.nan
            kept.values[0, c] = self._at(theta[c], self.data)
            kept.points[0, c] = theta[c]
        return slots

    def _add_up(
        self,
        theta: Floats,
        proposal: Floats,
        bounds: Floats,
        scale: float,
        total: Floats,
        outside: Floats,
        slots: Integers | None = None,
    ) -> None:
        """Adds up the clipped differences; with slots, those of the current points are kept, and the new ones go into
        the other slots.
        """
        from .kernels import clipped_differences

        values = self._kept.values
        if self.by_row and slots is not None:
            lines = _lines(self.data)
            self._passes(theta.shape[1]).differences(lines, proposal, values, slots, bounds, scale, total, outside)
            return
        for block in self._blocks():
            rows = self.data[block]
            for c in range(len(theta)):
                new = self._at(proposal[c], rows)
                if slots is None:
                    old = self._at(theta[c], rows)
                else:
                    old, values[1 - slots[c], c, block] = values[slots[c], c, block], new
                clipped_differences(new, old, bounds[c], scale, total[c : c + 1], outside[c : c + 1])

    def gradient(self, theta: Floats, bound: float, grain: float | None = None) -> Sum:
        """The sum of the rows' gradients, each shrunk to the bound.

        With a ``grain``, the entries of a row's are brought to multiples of it, towards zero: no row's gets longer.
        """
        if self.row_gradient is None:
            raise ValueError("gradient must be given for an algorithm that uses gradients, got gradient=None")
        totals, outside = np.zeros(theta.shape), np.zeros(len(theta))
        for block in self._blocks():
            data = self.data[block]
            for c, point in enumerate(theta):
                rows = np.asarray(self.row_gradient(point, data), dtype=np.float64)
                if rows.shape != (len(data), theta.shape[1]):
                    expected = (len(data), theta.shape[1])
                    raise ValueError(
                        f"gradient must return shape (rows, dimension) = {expected}, got shape {rows.shape}"
                    )
                rows = np.where(np.isfinite(rows), rows, 0.0)
                length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
                shrink = np.minimum(1.0, bound / np.maximum(length, 1e-300))
                totals[c] += (
                    rows.T @ shrink if grain is None else grain * _whole(rows, shrink, bound, grain).sum(axis=0)
                )
                outside[c] += np.count_nonzero(length > bound)
        return Sum(totals, outside / self.rows)

    def batch(self, theta: Floats, proposal: Floats, bound: Floats, rows: Integers) -> Batch:
        found = []
        for here, there, most, chosen in zip(theta, proposal, bound, rows, strict=True):
            data = self.data[chosen]
            with np.errstate(invalid="ignore"):  # -inf - -inf is not a number, and counts as one end of the bound
                kept, share = within(self._at(there, data) - self._at(here, data), most)
            found.append((kept.mean(), kept.var(), share))
        return Batch(*np.array(found).T)


def _lines(data: Floats) -> Floats:
    """The columns of rows, one line each, shape (columns, rows); rows that are numbers have one."""
    return np.ascontiguousarray(data.T.reshape(-1, len(data)))


def _whole(rows: Floats, shrink: Floats, bound: float, grain: float) -> Floats:
    r"""Rows in units of the grain, whole, of squared length at most \((b/g)^2\), which is computed exactly.

    Shrinking is rounded, so a row may end an ulp too long: such a row is left out, and counts as zero.
    """
    with np.errstate(over="ignore"):
        whole: Floats = np.trunc(rows * (shrink / grain)[:, None])
    inside = np.einsum("ij,ij->i", whole, whole) <= (bound / grain) ** 2
    return np.where(inside[:, None], whole, 0.0)
