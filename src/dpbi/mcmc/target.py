r"""The posterior that a chain samples, given by its rows, its prior and a temperature.

\[ \pi(\theta) \propto p(\theta) \prod_{j=1}^{n} p(x_j \mid \theta)^{T} , \]

with T = 1 by default; n is public. Algorithms use rows only through three sums, to which a row adds a bounded amount:
clipped log ratios, clipped gradients and the moments of a batch. The first axis of an array is always the chain:
``theta`` has the shape (chains, dimension).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import in_doubles, numbers, zeros
from ..checks import Floats, Integers
from .row_models import Batch, Likelihood, RowLikelihood, Sum, clip_ratios

Function = Callable[[Floats], Any]
"""A function of the parameter vectors of all chains, shape (chains, dimension)."""


@dataclass(frozen=True, eq=False)
class ExponentialFamily(Likelihood):
    r"""Exponential family \(\ln p(x \mid \theta) = \eta(\theta) \cdot \phi(x) - A(\theta)\), with fast sums over rows.

    Without clipping a sum over rows is a product with the sums of the features, O(m) for every n. With one feature a
    clipped sum takes two searches among the sorted rows, O(log n). Otherwise it is compiled (``kernels``).

    Attributes:
        features: \(\phi(x_j)\), shape (n, m).
        natural: \(\eta\) of (chains, d), shape (chains, m).
        log_partition: \(A\), shape (chains,).
        jacobian: \(\partial\eta_i/\partial\theta_k\), shape (chains, m, d); needed for gradients.
        partition_gradient: \(\partial A/\partial\theta_k\), shape (chains, d); needed for gradients.

    >>> normal = ExponentialFamily(np.arange(9.0)[:, None], lambda t: t, lambda t: t[:, 0] ** 2 / 2)
    >>> normal
    ExponentialFamily(rows=9, features=1)
    >>> normal.total(np.array([[1.0]]))  # 0 + 1 + ... + 8 less 9/2
    array([31.5])
    """

    features: Floats
    natural: Function
    log_partition: Function
    jacobian: Function | None = None
    partition_gradient: Function | None = None

    def __post_init__(self) -> None:
        allowed = "finite numbers of the shape (rows, features)"
        features = np.asarray(checks.numeric("features", self.features, allowed), dtype=np.float64)
        checks.need(features.ndim == 2, f"features must have the shape (rows, features), got shape {features.shape}")
        checks.need(np.isfinite(features).all(), "features must be finite numbers, got one that is not")
        object.__setattr__(self, "features", features)

    @cached_property
    def _lines(self) -> Floats:
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def _sums(self) -> Floats:
        return np.asarray(self.features.sum(axis=0))

    @cached_property
    def _sorted(self) -> tuple[Floats, Floats]:
        """The only feature of all rows in ascending order, and the sums of the smallest ones."""
        order = np.sort(self.features[:, 0])
        return order, np.concatenate([[0.0], np.cumsum(order)])

    def __repr__(self) -> str:
        return f"ExponentialFamily(rows={self.rows}, features={self.features.shape[1]})"

    @property
    def rows(self) -> int:
        return len(self.features)

    def total(self, theta: Floats) -> Floats:
        return np.asarray(self.natural(theta) @ self._sums - self.rows * self.log_partition(theta), dtype=np.float64)

    def _coefficients(self, theta: Floats, proposal: Floats) -> tuple[Floats, Floats]:
        with np.errstate(all="ignore"):
            shift = np.asarray(self.log_partition(theta) - self.log_partition(proposal), dtype=np.float64)
            return shift, np.asarray(self.natural(proposal) - self.natural(theta), dtype=np.float64)

    def ratio(self, theta: Floats, proposal: Floats, bound: Floats) -> Sum:
        alpha, beta = self._coefficients(theta, proposal)
        total, outside = np.zeros(len(theta)), np.zeros(len(theta))
        if np.all(bound == np.inf):
            return Sum(self.rows * alpha + beta @ self._sums, outside)
        if self.features.shape[1] == 1:
            return self._one_feature(alpha, beta[:, 0], bound)
        from .kernels import clipped_ratios

        clipped_ratios(self._lines, alpha, np.ascontiguousarray(beta), bound, total, outside)
        return Sum(total, outside / self.rows)

    def _one_feature(self, alpha: Floats, beta: Floats, bound: Floats) -> Sum:
        """Clipped sum for one feature: a ratio is monotone in it, so two searches find the rows that are clipped."""
        rows, below = self._sorted
        n = len(rows)
        usable = np.isfinite(alpha) & np.isfinite(beta) & (beta != 0)
        slope, shift = np.where(usable, beta, 1.0), np.where(usable, alpha, 0.0)
        ends = np.sort(np.stack([(-bound - shift) / slope, (bound - shift) / slope]), axis=0)
        low, high = np.searchsorted(rows, ends[0], "left"), np.searchsorted(rows, ends[1], "right")
        inside = shift * (high - low) + slope * (below[high] - below[low])
        total = inside + np.sign(slope) * bound * ((n - high) - low)
        level = np.where(np.isnan(alpha) | np.isnan(beta), -bound, np.clip(alpha, -bound, bound))
        flat = np.isfinite(alpha) & (np.abs(alpha) <= bound)
        outside = np.where(usable, n - (high - low), np.where(flat, 0, n))
        return Sum(np.where(usable, total, n * level), outside / n)

    def gradient(self, theta: Floats, bound: float) -> Sum:
        if self.jacobian is None or self.partition_gradient is None:
            raise ValueError("jacobian and partition_gradient must be given for gradients, got None")
        chains, d = theta.shape
        slope = np.ascontiguousarray(self.jacobian(theta), dtype=np.float64)
        shift = np.ascontiguousarray(self.partition_gradient(theta), dtype=np.float64)
        if (slope.shape, shift.shape) != (shapes := ((chains, self.features.shape[1], d), (chains, d))):
            raise ValueError(
                f"jacobian and partition_gradient must return shapes {shapes[0]} and {shapes[1]}, "
                f"got {slope.shape} and {shift.shape}"
            )
        if bound == np.inf:
            return Sum(np.einsum("cik,i->ck", slope, self._sums) - self.rows * shift, np.zeros(chains))
        from .kernels import clipped_gradients

        total, outside = np.zeros((chains, d)), np.zeros(chains)
        clipped_gradients(self._lines, shift, slope, bound, total, outside)
        return Sum(total, outside / self.rows)

    def batch(self, theta: Floats, proposal: Floats, bound: Floats, rows: Integers) -> Batch:
        alpha, beta = self._coefficients(theta, proposal)
        ratios = alpha[:, None] + np.einsum("cbm,cm->cb", self.features.take(rows, axis=0), beta)
        kept, share = clip_ratios(ratios, bound[:, None])
        return Batch(kept.mean(axis=1), kept.var(axis=1), share)


@dataclass(frozen=True, eq=False)
class Target:
    r"""A posterior to sample. All functions are vectorised over chains.

    Attributes:
        likelihood: Likelihood of the rows.
        dimension: Length d of a parameter vector.
        log_prior: Log prior up to a constant, shape (chains,).
        prior_gradient: Its gradient, shape (chains, d), or None.
        temperature: Power T of the likelihood.
        spread: A bound on the difference of the log ratios of any two possible rows for a move (theta, proposal), the
            same for the move back, or None. With it no ratio has to be clipped. It is not checked: prove it.

    >>> likelihood = RowLikelihood(lambda t, x: -((x - t[0]) ** 2) / 2, np.array([0.0, 2.0]))
    >>> target = Target(likelihood, 1, log_prior=lambda theta: -(theta[:, 0] ** 2) / 2)
    >>> target
    Target(likelihood=RowLikelihood(rows=2), dimension=1, temperature=1.0)
    >>> target.log_density(np.array([[0.0], [1.0]]))  # two rows and the prior at 1: -1/2 each
    array([-2. , -1.5])
    """

    likelihood: Likelihood
    dimension: int
    log_prior: Function = field(repr=False)
    prior_gradient: Function | None = field(default=None, repr=False)
    temperature: float = 1.0
    spread: Callable[[Floats, Floats], Any] | None = field(default=None, repr=False)

    @property
    def rows(self) -> int:
        """Number n of rows, which is public."""
        return self.likelihood.rows

    def log_density(self, theta: Floats) -> Floats:
        """Log density up to a constant, shape (chains,). Not private: it is computed from the rows without noise."""
        return numbers(self.temperature * self.likelihood.total(theta) + numbers(self.log_prior(theta)))


def posterior_of(
    log_likelihood: Callable[[Floats, Any], Any],
    data: Any,
    log_prior: Callable[[Floats], Any],
    dimension: int,
    *,
    gradient: Callable[[Floats, Any], Any] | None = None,
    prior_gradient: Callable[[Floats], Any] | None = None,
    temperature: float = 1.0,
    spread: Callable[[Floats, Floats], Any] | None = None,
) -> Target:
    """Posterior of a model in plain NumPy; every function takes one parameter vector, ``theta``.

    Args:
        log_likelihood: (theta, data) to one number for each row, which depends on that row alone.
        data: Rows, along the first axis.
        log_prior: Theta to the log prior up to a constant.
        dimension: Length d of theta, >= 1.
        gradient: (theta, data) to the gradients of the rows, shape (rows, d); for ``hmc_penalty`` and ``clipped_hmc``.
        prior_gradient: Theta to d numbers; for the same algorithms.
        temperature: Power of the likelihood, > 0.
        spread: (theta, proposal) to a number, see ``Target``.

    Returns:
        The target. Functions that return a wrong shape at theta = 0 are refused.

    >>> import numpy as np
    >>> rows = np.array([0.2, -1.0, 0.5])
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: -t[0] ** 2 / 2, dimension=1)
    >>> target.log_density(np.zeros((1, 1))).round(6).tolist()
    [-0.645]
    >>> import pickle  # a target of functions that can be pickled can be, for process pools
    >>> pickle.loads(pickle.dumps(posterior_of(np.subtract, rows, np.sum, 1))).log_density(np.ones((1, 1))).tolist()
    [4.3]
    """
    d = checks.whole("dimension", dimension, least=1, below=2**24)
    functions = {"log_likelihood": log_likelihood, "log_prior": log_prior}
    optional = {"gradient": gradient, "prior_gradient": prior_gradient, "spread": spread}
    for name, function in {**functions, **optional}.items():
        if not (callable(function) or (function is None and name in optional)):
            raise TypeError(f"{name} must be a function, got {name}={checks.brief(function)}")
    rows = np.array(data)  # a copy: what is kept of the rows must not change with the caller's array
    if rows.ndim == 0 or not len(rows):
        raise ValueError(f"data must have one or more rows along its first axis, got shape {rows.shape}")
    probe = zeros(d)
    likelihood = RowLikelihood(log_likelihood, rows, gradient)
    first, all_rows = likelihood.at(probe, rows[:1]), likelihood.at(probe, rows)
    if in_doubles() and not np.allclose(first, all_rows[:1], rtol=1e-6, equal_nan=True):
        raise ValueError(
            "log_likelihood must give a row the same number whatever the other rows are, got another one for the first "
            "row by itself: one replaced row would change the numbers of all"
        )
    shapes: list[tuple[str, Any, Any]] = [("log_prior", (), np.shape(log_prior(probe)))]
    if gradient is not None:
        shapes.append(("gradient", (1, d), np.shape(gradient(probe, rows[:1]))))
    if prior_gradient is not None:
        shapes.append(("prior_gradient", (d,), np.shape(prior_gradient(probe))))
    for name, shape, found in shapes:
        checks.need(found == shape, f"{name} must return shape {shape}, got shape {found}")

    return Target(
        likelihood,
        d,
        _OverChains(log_prior),
        None if prior_gradient is None else _OverChains(prior_gradient),
        checks.real("temperature", temperature, above=0),
        None if spread is None else _OverChains(spread, np.array),
    )


@dataclass(frozen=True)
class _OverChains:
    """A function of one parameter vector, or of several, for all chains: a value, so that a target can be pickled."""

    function: Callable[..., Any]
    made: Callable[[Any], Any] = numbers

    def __call__(self, *theta: Floats) -> Any:
        return self.made([self.function(*points) for points in zip(*theta, strict=True)])


def as_chains(name: str, theta: ArrayLike, dimension: int) -> Floats:
    """Checked parameter vectors, shape (chains, dimension); one vector is one chain.

    Args:
        name: Name of the argument, for error messages.
        theta: Parameter vectors, shape (dimension,) or (chains, dimension).
        dimension: Number of components.

    Returns:
        The vectors as an array.
    """
    array = np.array(checks.numeric(name, theta, f"numbers of the shape (chains, {dimension})"), dtype=np.float64)
    array = array[None, :] if array.ndim == 1 else array
    if array.ndim != 2 or array.shape[1] != dimension or not len(array):
        raise ValueError(f"{name} must have the shape (chains, {dimension}), got shape {np.shape(theta)}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers, got {array[~np.isfinite(array)][0]}")
    return array
