r"""The posterior that a chain samples, defined by the rows, the prior and a temperature T.

\[ \pi(\theta) \propto p(\theta) \prod_{j=1}^{n} p(x_j \mid \theta)^{T} , \]

where n is the public number of rows and T = 1 by default. Private algorithms use the rows only through three kinds of
sums, to which each row contributes a bounded amount: sums of clipped log ratios, sums of clipped gradients, and the
moments of a batch. The first axis of an array always indexes the chains, so ``theta`` has the shape (chains,
dimension).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import in_doubles, numbers, zeros
from ..checks import Floats, Integers
from .row_models import Batch, RowLikelihood, Sum, clip_ratios

Function = Callable[[Floats], Any]
"""A function of the parameter vectors of all chains, shape (chains, dimension)."""


@dataclass(frozen=True, eq=False)
class ExponentialFamily:
    r"""Exponential family \(\ln p(x \mid \theta) = \eta(\theta) \cdot \phi(x) - A(\theta)\) with fast sums over rows.

    Without clipping, a sum over rows is computed from the sums of the m features in O(m) operations, regardless of n.
    With one feature, a clipped sum requires two binary searches in the sorted rows, which take O(log n) operations.
    Other clipped sums over all rows are computed by compiled loops (``kernels``). The methods are those of
    ``RowLikelihood``.

    Attributes:
        features: Features \(\phi(x_j)\) of all rows, shape (n, m).
        natural: Function of theta, shape (chains, d), that returns the natural parameters \(\eta\), shape (chains, m).
        log_partition: Function of theta that returns \(A\), shape (chains,).
        jacobian: Function of theta that returns \(\partial\eta_i/\partial\theta_k\), shape (chains, m, d); required by
            algorithms that use gradients.
        partition_gradient: Function of theta that returns \(\partial A/\partial\theta_k\), shape (chains, d); required
            by algorithms that use gradients.

    >>> normal = ExponentialFamily(np.arange(9.0)[:, None], lambda t: t, lambda t: t[:, 0] ** 2 / 2)
    >>> normal
    ExponentialFamily(rows=9, features=1)
    >>> normal.total(np.array([[1.0]]))  # 0 + 1 + ... + 8, minus 9/2
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
        """Values of the only feature in ascending order, and the cumulative sums of these values, starting at 0."""
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
        """Clipped sum of log ratios for a model with one feature, computed in O(log n) operations.

        The log ratio is linear in the feature. Therefore the rows that are not clipped are consecutive in sorted order,
        and two binary searches find the first and the last of them.
        """
        rows, below = self._sorted
        n = len(rows)
        usable = np.isfinite(alpha) & np.isfinite(beta) & (beta != 0)
        slope, shift = np.where(usable, beta, 1.0), np.where(usable, alpha, 0.0)
        ends = np.sort(np.stack([(-bound - shift) / slope, (bound - shift) / slope]), axis=0)
        low, high = np.searchsorted(rows, ends[0], "left"), np.searchsorted(rows, ends[1], "right")
        inside = shift * (high - low) + slope * (below[high] - below[low])
        total = inside + np.sign(slope) * bound * ((n - high) - low)
        # where a coefficient is not finite or the slope is 0, every row contributes the same amount
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
        allowed = f"shapes {(chains, self.features.shape[1], d)} and {(chains, d)}"
        found = f"shapes {slope.shape} and {shift.shape}"
        checks.need(found == allowed, f"jacobian and partition_gradient must return {allowed}, got {found}")
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
    r"""A posterior distribution to sample, given by functions that are vectorised over chains.

    Attributes:
        likelihood: Likelihood of the rows.
        dimension: Length d of a parameter vector.
        log_prior: Function of theta that returns the log prior up to a constant, shape (chains,).
        prior_gradient: Function of theta that returns the gradient of the log prior, shape (chains, d), or None.
        temperature: Power T of the likelihood, > 0.
        spread: Function of (theta, proposal) that bounds the difference between the log ratios of any two possible
            rows, or None. The bound must be the same for a move and its reverse. If a spread is given, log ratios need
            not be clipped. The library cannot check that the bound is valid for all possible rows, so the user must
            prove the bound.

    >>> likelihood = RowLikelihood(lambda t, x: -((x - t[0]) ** 2) / 2, np.array([0.0, 2.0]))
    >>> target = Target(likelihood, 1, log_prior=lambda theta: -(theta[:, 0] ** 2) / 2)
    >>> target
    Target(likelihood=RowLikelihood(rows=2), dimension=1, temperature=1.0)
    >>> target.log_density(np.array([[0.0], [1.0]]))  # at 1, the two rows and the prior contribute -1/2 each
    array([-2. , -1.5])
    """

    likelihood: RowLikelihood | ExponentialFamily
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
        """Log posterior density up to a constant, computed from the rows without noise and therefore not private.

        Args:
            theta: Parameter vectors, shape (chains, dimension).

        Returns:
            The log density for each chain.
        """
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
    """Posterior of a model in plain NumPy, defined by functions of a single parameter vector ``theta``.

    Args:
        log_likelihood: Function of (theta, data) that returns one number for each row; this number must depend only on
            theta and this row.
        data: The rows, along the first axis.
        log_prior: Function of theta that returns the log prior up to a constant.
        dimension: Length d of theta, >= 1.
        gradient: Function of (theta, data) that returns the gradients of the rows' log likelihoods, shape (rows, d);
            required by ``hmc_penalty`` and ``clipped_hmc``.
        prior_gradient: Function of theta that returns the gradient of the log prior, shape (d,); required by
            ``hmc_penalty`` and ``clipped_hmc``.
        temperature: Power of the likelihood, > 0.
        spread: Function of (theta, proposal) that returns a bound on the difference between any two rows' log ratios;
            see ``Target``.

    Returns:
        The target.

    Raises:
        ValueError: if a function returns a wrong shape at theta = 0, or if the log likelihood of the first row at theta
            = 0 depends on the other rows.

    >>> import numpy as np
    >>> rows = np.array([0.2, -1.0, 0.5])
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: -t[0] ** 2 / 2, dimension=1)
    >>> target.log_density(np.zeros((1, 1))).round(6).tolist()
    [-0.645]
    >>> import pickle  # a target can be pickled, for example for a process pool, if its functions can be pickled
    >>> pickle.loads(pickle.dumps(posterior_of(np.subtract, rows, np.sum, 1))).log_density(np.ones((1, 1))).tolist()
    [4.3]
    """
    d = checks.whole("dimension", dimension, least=1, below=2**24)
    functions: dict[str, Any] = {"log_likelihood": log_likelihood, "log_prior": log_prior}
    optional = {"gradient": gradient, "prior_gradient": prior_gradient, "spread": spread}
    functions |= {name: function for name, function in optional.items() if function is not None}
    for name, function in functions.items():
        checks.need(callable(function), f"{name} must be a function, got {name}={checks.brief(function)}", TypeError)
    rows = np.array(data)  # a copy: later changes to the caller's array must not change the target
    if rows.ndim == 0 or not len(rows):
        raise ValueError(f"data must have one or more rows along its first axis, got shape {rows.shape}")
    probe = zeros(d)
    likelihood = RowLikelihood(log_likelihood, rows, gradient)
    first, all_rows = likelihood.at(probe, rows[:1]), likelihood.at(probe, rows)
    if in_doubles() and not np.allclose(first, all_rows[:1], rtol=1e-6, equal_nan=True):
        raise ValueError(
            "log_likelihood must give a row a number that does not depend on the other rows, got a different number "
            "for the first row by itself: one replaced row could change the numbers of all rows"
        )
    calls = {"log_prior": ((), [probe]), "gradient": ((1, d), [probe, rows[:1]]), "prior_gradient": ((d,), [probe])}
    for name, (shape, arguments) in calls.items():
        if name in functions:
            found = np.shape(functions[name](*arguments))
            checks.need(found == shape, f"{name} must return shape {shape}, got shape {found}")
    names = [name for name in ("log_prior", "prior_gradient", "spread") if name in functions]
    over_chains: dict[str, Any] = {name: _OverChains(functions[name]) for name in names}
    return Target(likelihood, d, temperature=checks.real("temperature", temperature, above=0), **over_chains)


@dataclass(frozen=True)
class _OverChains:
    """Picklable wrapper that applies a function of one or several parameter vectors to each chain.

    Attributes:
        function: Function of one or several vectors, each of which is the parameter vector of a single chain.
    """

    function: Callable[..., Any]

    def __call__(self, *theta: Floats) -> Any:
        return numbers([self.function(*points) for points in zip(*theta, strict=True)])
