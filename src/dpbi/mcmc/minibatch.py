r"""The penalty algorithm on a random batch of rows.

A batch B of b rows is drawn without replacement; with \(r_j\) the clipped log ratios, \(|r_j| \le L d\), L the clip and
d the length of the step,

\[ R = \frac{nT}{b} \sum_{j \in B} r_j, \qquad
   s_b^2 = \frac{(nT)^2}{b} \operatorname{var}_B(r_j), \qquad
   \text{accept if } \ln u < R + s Z + \ln\frac{p(\theta')}{p(\theta)} - \frac{s^2 + s_b^2}{2} . \]

**Approximate.** The batch's error is taken as normal and its variance is estimated: no invariance is claimed.

**Private.** One replaced row of the batch changes \(R - s_b^2/2\) by at most
\(c = 2 n T L d / b + 2 (nT/b)^2 L^2 d^2 (b - 1)/b\): half the change of \(\sum r^2 - (\sum r)^2 / b\) is at most
\(2 (b - 1)/b\) for \(|r| \le 1\), reached when all other rows are at one end and the row goes from the other end to
theirs, or back (the factor 3 found in print is never reached). With \(s^2 = \tau c^2\), here a multiple of the
variance, the order-\(\alpha\) Rényi divergence is \(\alpha / (2 \tau)\), amplified by the secrecy of the batch,
see ``dpbi.guarantees.BatchDP``.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import number
from ..checks import Floats, Integers
from ..guarantees import RDP, BatchDP, BatchLoss, subsampled
from .acceptance import clipped_sensitivity, corrected
from .algorithm import APPROXIMATE, Algorithm, Info, State, accept, moved, prior_ratio, proposal_scale, scales
from .target import Target

ORDERS = np.arange(2, 257)
"""Orders of the Rényi guarantee."""

VARIANCE_FACTOR = 2
"""Half the largest change of a batch's sum of squares about its mean, times b / (b - 1), for values within 1."""


def drawn(rng: np.random.Generator, chains: int, rows: int, batch: int) -> Integers:
    """A batch for each chain, without replacement."""
    return np.array([rng.choice(rows, batch, replace=False, shuffle=False) for _ in range(chains)])


def batch_ratio(mean: Any, variance: Any, whole: Any, batch: int) -> Any:
    r"""\(R - s_b^2/2\), from the mean and the variance of a batch's log ratios; whole is nT."""
    return whole * mean - batch_penalty(variance, whole, batch)


def batch_penalty(variance: Any, whole: Any, batch: int) -> Any:
    r"""\(s_b^2/2\), the correction for the batch's own error."""
    return whole**2 / batch * variance / 2


def variance_change(batch: int, factor: int = VARIANCE_FACTOR) -> Any:
    r"""The most that one replaced row within \(\pm 1\) can change \(s_b^2/2\), where nT = b."""
    return factor * (number(batch) - 1) / batch


def changed(weight: Any, batch: int, bound: Any, factor: int = VARIANCE_FACTOR) -> Any:
    """The displayed c, with nT/b as the weight and Ld as the bound."""
    return clipped_sensitivity(weight * bound) + (weight * bound) ** 2 * variance_change(batch, factor)


def sensitivity(target: Target, batch: int, bound: Any, factor: int = VARIANCE_FACTOR) -> Any:
    """How much one replaced row of the batch can change the corrected ratio, ratios being within ``bound``."""
    return changed(target.rows * target.temperature / batch, batch, bound, factor)


def decide(
    rng: np.random.Generator,
    target: Target,
    theta: Floats,
    proposal: Floats,
    *,
    tau: float,
    batch: int,
    clip: float,
    factor: int = VARIANCE_FACTOR,
) -> Info:
    """The decision on a proposal from a symmetric law. A larger ``factor`` than is needed adds noise."""
    bound = clip * np.sqrt(np.sum((proposal - theta) ** 2, axis=1))
    found = target.likelihood.batch(theta, proposal, bound, drawn(rng, len(theta), target.rows, batch))
    whole = target.rows * target.temperature
    noise = np.sqrt(tau) * sensitivity(target, batch, bound, factor)
    ratio = batch_ratio(found.mean, found.variance, whole, batch) + noise * rng.standard_normal(len(theta))
    return Info(accept(rng, corrected(ratio + prior_ratio(target, theta, proposal), noise)), found.clipped)


def step(
    rng: np.random.Generator,
    state: State,
    target: Target,
    *,
    tau: float,
    batch: int,
    clip: float,
    scale: Floats,
    factor: int = VARIANCE_FACTOR,
) -> tuple[State, Info]:
    """One iteration of every chain."""
    theta = state.theta
    proposal = theta + proposal_scale(scale, target) * rng.standard_normal(theta.shape)
    info = decide(rng, target, theta, proposal, tau=tau, batch=batch, clip=clip, factor=factor)
    return State(moved(info.accepted, theta, proposal)), info


def renyi_cost(target: Target, *, tau: float, batch: int) -> RDP:
    """The Rényi curve of one step of one chain, amplified."""
    return subsampled(RDP(ORDERS, ORDERS / (2 * number(tau))), target.rows, checks.whole("batch", batch, least=2))


def loss(target: Target, *, tau: float, batch: int) -> BatchLoss:
    r"""The hardest loss of one step: normal noise of \(\rho = 1/(2\tau)\) on a batch that is secret.

    Where the Rényi curve allows no step, or few, its composition allows more.
    """
    size = checks.whole("batch", batch, least=2, below=target.rows + 1)
    return BatchLoss(1 / (2 * checks.real("tau", tau, above=0)), size / target.rows)


def cost(target: Target, *, tau: float, batch: int) -> BatchDP:
    """What one step of one chain is charged: by the Rényi curve, or by the composition of its loss."""
    return BatchDP(renyi_cost(target, tau=tau, batch=batch), loss(target, tau=tau, batch=batch))


def minibatch_penalty(
    tau: float, batch: int, clip: float, scale: ArrayLike, factor: int = VARIANCE_FACTOR
) -> Algorithm:
    """The penalty algorithm on batches; ``tau`` multiplies the variance of the noise, not its standard deviation.

    ``factor`` is 2 for the sensitivity above, or 3 as found in print, which is private as well and accepts less.
    """
    settings = settings_of(tau, batch, clip, scale, factor)
    return Algorithm(
        "minibatch_penalty",
        partial(step, **settings),
        partial(cost, tau=settings["tau"], batch=settings["batch"]),
        APPROXIMATE,
        settings | {"scale": settings["scale"].tolist()},
    )


def settings_of(tau: float, batch: int, clip: float, scale: ArrayLike, factor: int) -> dict[str, Any]:
    """The parameters of a test on batches, checked."""
    return {
        "tau": checks.real("tau", tau, above=0),
        "batch": checks.whole("batch", batch, least=2),
        "clip": checks.real("clip", clip, above=0),
        "scale": scales(scale),
        "factor": checks.whole("factor", factor, least=VARIANCE_FACTOR),
    }
