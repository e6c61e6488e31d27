r"""The penalty algorithm on a random batch of rows.

A batch B of b rows is drawn without replacement. Let \(r_j\) be the log ratio of row j, clipped to \(|r_j| \le L d\),
where L is the clipping bound per unit length and d is the length of the move. Then

\[ R = \frac{nT}{b} \sum_{j \in B} r_j, \qquad
   s_b^2 = \frac{(nT)^2}{b} \operatorname{var}_B(r_j), \qquad
   \text{accept if } \ln u < R + s Z + \ln\frac{p(\theta')}{p(\theta)} - \frac{s^2 + s_b^2}{2} . \]

**The algorithm is approximate.** The sampling error of the batch is assumed to be normal and its variance is estimated,
so the target need not be invariant.

**The algorithm is private.** Replacing one row of the batch changes \(R - s_b^2/2\) by at most
\(c = 2 n T L d / b + 2 (nT/b)^2 L^2 d^2 (b - 1)/b\). The second term is correct because half the change of
\(\sum_j r_j^2 - (\sum_j r_j)^2 / b\) is at most \(2 (b - 1)/b\) if all \(|r_j| \le 1\). This maximum is attained if all
other log ratios are 1 and the log ratio of the replaced row changes from 1 to -1. The published bound has the factor 3
in place of 2 and is never attained. The noise has the variance \(s^2 = \tau c^2\). For a known batch, the Rényi
divergence of order \(\alpha\) is therefore at most \(\alpha / (2 \tau)\). The random choice of the batch amplifies this
guarantee (``dpbi.guarantees.subsampled``).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import number
from ..checks import Floats, Integers
from ..guarantees import RDP, subsampled
from .acceptance import clipped_sensitivity, corrected
from .algorithm import Algorithm, Info, accept, prior_ratio, with_steps
from .target import Target
from .walks import walk

# chosen: the amplification requires integer orders, and orders above 256 help only at very small budgets
RENYI_ORDERS = np.arange(2, 257)
"""Orders of the Rényi guarantees of algorithms that use batches."""


def draw_batches(chains: int, rows: int, batch: int, rng: np.random.Generator) -> Integers:
    """Random batch of rows for each chain, drawn without replacement.

    Args:
        chains: Number of chains.
        rows: Number n of rows in the data.
        batch: Number b of rows in a batch.
        rng: Random number generator.

    Returns:
        Indices of the rows in each batch, shape (chains, batch).
    """
    return np.array([rng.choice(rows, batch, replace=False, shuffle=False) for _ in range(chains)])


def batch_ratio(mean: Any, variance: Any, whole: Any, batch: int) -> Any:
    r"""Corrected log ratio \(R - s_b^2/2\), from the mean and the variance of the log ratios in a batch.

    Args:
        mean: Mean of the rows' log ratios in the batch.
        variance: Variance of the rows' log ratios in the batch.
        whole: Product nT of the number of rows and the temperature.
        batch: Number b of rows in a batch.

    Returns:
        The corrected log ratio.
    """
    return whole * mean - batch_penalty(variance, whole, batch)


def batch_penalty(variance: Any, whole: Any, batch: int) -> Any:
    r"""Correction \(s_b^2/2\) for the sampling error of a batch, from the variance of the log ratios in the batch.

    Args:
        variance: Variance of the rows' log ratios in the batch.
        whole: Product nT of the number of rows and the temperature.
        batch: Number b of rows in a batch.

    Returns:
        The correction.
    """
    return whole**2 / batch * variance / 2


def variance_change(batch: int) -> Any:
    r"""Largest change in \(s_b^2/2\) when one row is replaced, for log ratios in [-1, 1] and nT = b."""
    return 2 * (number(batch) - 1) / batch  # proved in the docstring of this module


def batch_sensitivity(weight: Any, batch: int, bound: Any) -> Any:
    r"""Sensitivity \(c = 2wr + 2w^2r^2\frac{b-1}b\) of the corrected log ratio to one replaced row of the batch.

    Args:
        weight: Weight w = nT/b of a row in the batch.
        batch: Number b of rows in a batch.
        bound: Largest absolute value r of a row's log ratio.

    Returns:
        The sensitivity.
    """
    return clipped_sensitivity(weight * bound) + (weight * bound) ** 2 * variance_change(batch)


def batch_test(
    target: Target, theta: Floats, proposal: Floats, rng: np.random.Generator, *, tau: float, batch: int, clip: float
) -> Info:
    """Decisions of the minibatch penalty algorithm on proposals from a symmetric distribution.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        tau: Variance of the noise divided by the squared sensitivity, > 0.
        batch: Number b of rows in a batch.
        clip: Clipping bound for a row's log ratio, per unit length of the move.

    Returns:
        The decision and the diagnostics for every chain.
    """
    bound = clip * np.sqrt(np.sum((proposal - theta) ** 2, axis=1))
    found = target.likelihood.batch(theta, proposal, bound, draw_batches(len(theta), target.rows, batch, rng))
    whole = target.rows * target.temperature
    noise = np.sqrt(tau) * batch_sensitivity(whole / batch, batch, bound)
    ratio = batch_ratio(found.mean, found.variance, whole, batch) + noise * rng.standard_normal(len(theta))
    return Info(accept(corrected(ratio + prior_ratio(target, theta, proposal), noise), rng), found.clipped)


def renyi_cost(target: Target, *, tau: float, batch: int) -> RDP:
    """Rényi guarantee of one step of the minibatch penalty algorithm, amplified by the random choice of the batch.

    Args:
        target: The posterior.
        tau: Variance of the noise divided by the squared sensitivity, > 0.
        batch: Number b of rows in a batch.

    Returns:
        The guarantee.
    """
    whole_batch = RDP(RENYI_ORDERS, RENYI_ORDERS / (2 * number(tau)))
    return subsampled(whole_batch, target.rows, checks.whole("batch", batch, least=2))


def minibatch_penalty(tau: float, batch: int, clip: float, scale: ArrayLike) -> Algorithm:
    """Penalty algorithm on random batches of rows.

    The chain's stationary distribution is only approximately the posterior.

    Args:
        tau: Variance of the noise divided by the squared sensitivity, > 0. In ``penalty``, by contrast, ``tau`` is a
            ratio of standard deviations.
        batch: Number of rows in a batch, >= 2.
        clip: Clipping bound for a row's log ratio, per unit length of the move, > 0.
        scale: Standard deviation of a step, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, with a Rényi guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> rows = np.random.default_rng(1).normal(size=1000)
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: 0.0, dimension=1)
    >>> [round(minibatch_penalty(1.0, batch, 0.5, 0.1).cost(target).epsilon_at(1e-5), 3) for batch in (50, 100)]
    [1.698, 2.275]
    """
    noise, size = checks.real("tau", tau, above=0), checks.whole("batch", batch, least=2)
    bound, cost = checks.real("clip", clip, above=0), partial(renyi_cost, tau=noise, batch=size)
    return with_steps("minibatch_penalty", walk, batch_test, cost, scale, tau=noise, batch=size, clip=bound)
