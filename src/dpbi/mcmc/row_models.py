r"""A likelihood written by hand: one function of a parameter vector and of rows, one number for each row.

**What the function must keep to.** A row's number is a function of the parameter and of that row alone: on this rest
all sensitivities. ``posterior_of`` tries it; a row that is replaced moves its own number, and nothing else.

**Rows that break down.** A log ratio that is not a number (the likelihood is zero at both points, say, or a row is not
a number itself) counts as the lower end of the bound, an infinite one as the end it is nearest to, and both count as
clipped. Where nothing is clipped there is no end to put it at, and the chain stops with an error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import in_doubles, numbers
from ..checks import Floats, Integers
from .acceptance import clipped


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


@dataclass(frozen=True, eq=False)
class RowLikelihood:
    """A likelihood written by hand: ``log_likelihood(theta, data)`` has one number for each row.

    ``theta`` is one parameter vector there, ``data`` some of the rows along its first axis.
    ``row_gradient(theta, data)``, if given, has the shape (rows, dimension).
    """

    log_likelihood: Callable[[Floats, Any], Any]
    data: Any
    row_gradient: Callable[[Floats, Any], Any] | None = None

    @property
    def rows(self) -> int:
        return len(self.data)

    def at(self, theta: Floats, data: Any) -> Floats:
        """The log likelihood of some rows, one by one."""
        with np.errstate(all="ignore"):
            values = numbers(self.log_likelihood(theta, data))
        if values.shape != (len(data),):
            raise ValueError(
                f"log_likelihood must return one number for each row, shape ({len(data)},), got shape {values.shape}"
            )
        return values

    def total(self, theta: Floats) -> Floats:
        """The log likelihood of all rows, for each parameter vector."""
        return numbers([self.at(point, self.data).sum() for point in theta])

    def _kept(self, here: Floats, there: Floats, data: Any, bound: Any) -> tuple[Floats, Any]:
        with np.errstate(invalid="ignore"):  # -inf - -inf is not a number, and counts as one end of the bound
            return within(self.at(there, data) - self.at(here, data), bound)

    def ratio(self, theta: Floats, proposal: Floats, bound: Floats) -> Sum:
        """The sum of the rows' log ratios of a proposal, each clipped to the bound, and the share that was clipped."""
        moves = zip(theta, proposal, bound, strict=True)
        found = [self._kept(here, there, self.data, most) for here, there, most in moves]
        return Sum(numbers([kept.sum() for kept, _ in found]), np.array([share for _, share in found]))

    def gradient(self, theta: Floats, bound: float) -> Sum:
        """The sum of the rows' gradients, each shrunk to the bound."""
        if self.row_gradient is None:
            raise ValueError("gradient must be given for an algorithm that uses gradients, got gradient=None")
        totals, outside = np.zeros(theta.shape), np.zeros(len(theta))
        for c, point in enumerate(theta):
            rows = np.asarray(self.row_gradient(point, self.data), dtype=np.float64)
            rows = np.where(np.isfinite(rows), rows, 0.0)
            length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            totals[c] = rows.T @ np.minimum(1.0, bound / np.maximum(length, 1e-300))
            outside[c] = np.mean(length > bound)
        return Sum(totals, outside)

    def batch(self, theta: Floats, proposal: Floats, bound: Floats, rows: Integers) -> Batch:
        """Moments of the clipped log ratios of some rows, (chains, size) of them."""
        found = []
        for here, there, most, chosen in zip(theta, proposal, bound, rows, strict=True):
            kept, share = self._kept(here, there, self.data[chosen], most)
            found.append((kept.mean(), kept.var(), share))
        return Batch(*np.array(found).T)
