r"""Likelihoods in plain NumPy, defined by a function that maps a parameter vector and rows to one number per row.

**Requirement.** The log likelihood of a row must depend only on the parameter and on that row; otherwise the
sensitivities are wrong. The function ``posterior_of`` checks this requirement for the first row.

**Rows without a finite log ratio.** A log ratio can be nan, for example because the likelihood of the row is zero at
both points or because the row itself contains nan. A log ratio that is nan is replaced by minus the clipping bound, and
an infinite log ratio by the bound with the same sign. Rows with nan or infinite log ratios count as clipped. Without a
clipping bound, Metropolis-Hastings rejects a proposal for which a row's log ratio is nan, and the private algorithms
raise an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import in_doubles, numbers
from ..checks import Floats, Integers, need
from .acceptance import clipped


class Sum(NamedTuple):
    """A sum over rows for each chain, and the share of rows that were clipped, which is not private."""

    total: Floats  # shape (chains,), or (chains, dimension) for gradients
    clipped: Floats  # shape (chains,)


class Batch(NamedTuple):
    """Mean and variance (with divisor b) of the clipped log ratios in a batch of b rows, for each chain.

    The entry ``clipped`` is the share of rows in the batch that were clipped, which is not private.
    """

    mean: Floats
    variance: Floats
    clipped: Floats


def clip_ratios(ratios: Floats, bound: Any) -> tuple[Floats, Any]:
    """Log ratios clipped to [-bound, bound], with nan replaced by -bound, and the share of clipped rows.

    Args:
        ratios: Log ratios of the rows, along the last axis.
        bound: Largest absolute value of a row's log ratio.

    Returns:
        The clipped log ratios, and the share of rows that were clipped.
    """
    if not in_doubles():  # a ball is always finite, so nothing has to be replaced
        return ratios if bound == np.inf else clipped(ratios, bound), np.nan
    outside = ~(np.abs(ratios) <= bound)  # unlike abs(ratios) > bound, this is True for nan
    kept = np.where(np.isnan(ratios), -bound, clipped(ratios, bound)) if outside.any() else ratios
    return np.asarray(kept, dtype=np.float64), outside.mean(axis=-1)


@dataclass(frozen=True, eq=False)
class RowLikelihood:
    """Likelihood defined by a function of one parameter vector and an array of rows.

    Attributes:
        log_likelihood: Function of (theta, rows) that returns one number for each row.
        data: All rows, along the first axis.
        row_gradient: Function of (theta, rows) that returns the rows' gradients, shape (rows, dimension), or None.

    >>> likelihood = RowLikelihood(lambda t, x: -((x - t[0]) ** 2) / 2, np.array([0.0, 2.0]))
    >>> likelihood
    RowLikelihood(rows=2)
    >>> likelihood.ratio(np.array([[0.0]]), np.array([[1.0]]), np.array([1.0]))  # -1/2, plus 3/2 clipped to 1
    Sum(total=array([0.5]), clipped=array([0.5]))
    """

    log_likelihood: Callable[[Floats, Any], Any]
    data: Any
    row_gradient: Callable[[Floats, Any], Any] | None = None

    def __repr__(self) -> str:
        return f"RowLikelihood(rows={self.rows})"

    @property
    def rows(self) -> int:
        """Number n of rows, which is public."""
        return len(self.data)

    def at(self, theta: Floats, data: Any) -> Floats:
        """Log likelihood of each row in ``data`` at one parameter vector.

        Args:
            theta: One parameter vector, shape (dimension,).
            data: The rows, along the first axis.

        Returns:
            One number for each row.
        """
        with np.errstate(all="ignore"):
            values = numbers(self.log_likelihood(theta, data))
        allowed = f"one number for each row, shape ({len(data)},)"
        need(values.shape == (len(data),), f"log_likelihood must return {allowed}, got shape {values.shape}")
        return values

    def total(self, theta: Floats) -> Floats:
        """Log likelihood of all rows together for each parameter vector in ``theta``; the result is not private."""
        return numbers([self.at(point, self.data).sum() for point in theta])

    def _clipped_ratios(self, here: Floats, there: Floats, data: Any, bound: Any) -> tuple[Floats, Any]:
        with np.errstate(invalid="ignore"):  # -inf minus -inf is nan, which clip_ratios replaces by minus the bound
            return clip_ratios(self.at(there, data) - self.at(here, data), bound)

    def ratio(self, theta: Floats, proposal: Floats, bound: Floats) -> Sum:
        """Sum of the rows' clipped log ratios, for each chain.

        Args:
            theta: Parameter vectors, shape (chains, dimension).
            proposal: Proposed parameter vectors, shape (chains, dimension).
            bound: Clipping bound on the absolute value of a row's log ratio, shape (chains,); infinity for no clipping.

        Returns:
            The sums, and the shares of rows that were clipped.
        """
        moves = zip(theta, proposal, bound, strict=True)
        found = [self._clipped_ratios(here, there, self.data, most) for here, there, most in moves]
        return Sum(numbers([kept.sum() for kept, _ in found]), np.array([share for _, share in found]))

    def gradient(self, theta: Floats, bound: float) -> Sum:
        """Sum of the rows' gradients for each chain, after each gradient is shrunk to a length of at most ``bound``.

        Args:
            theta: Parameter vectors, shape (chains, dimension).
            bound: Largest length of a row's gradient; infinity for no clipping.

        Returns:
            The sums, shape (chains, dimension), and the shares of rows that were clipped.
        """
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
        """Mean and variance of the clipped log ratios in a batch of rows, for each chain.

        Args:
            theta: Parameter vectors, shape (chains, dimension).
            proposal: Proposed parameter vectors, shape (chains, dimension).
            bound: Clipping bound on the absolute value of a row's log ratio, shape (chains,).
            rows: Indices of the rows in each chain's batch, shape (chains, batch).

        Returns:
            The means, the variances, and the shares of rows in the batch that were clipped.
        """
        moves = zip(theta, proposal, bound, rows, strict=True)
        found = [self._clipped_ratios(here, there, self.data[chosen], most) for here, there, most, chosen in moves]
        return Batch(*np.array([(kept.mean(), kept.var(), share) for kept, share in found]).T)
