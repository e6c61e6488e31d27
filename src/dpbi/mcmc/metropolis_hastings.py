r"""Metropolis-Hastings, the algorithm that the private ones start from. It is not private.

With a symmetric proposal, \(\theta' \sim N(\theta, \mathrm{diag}(\text{scale}^2))\),

\[ \lambda = T \sum_{j=1}^{n} \ln \frac{p(x_j \mid \theta')}{p(x_j \mid \theta)} + \ln \frac{p(\theta')}{p(\theta)}, \]

and \(\theta'\) is accepted with probability \(\min\{1, e^{\lambda}\}\) (Räisä 2020, Algorithm 1, with the prior counted
once and the likelihood the right way round).
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from .algorithm import (
    EXACT,
    UNCLIPPED,
    Algorithm,
    Info,
    State,
    accept,
    bounded_ratio,
    moved,
    prior_ratio,
    proposal_scale,
    scales,
)
from .row_models import Sum
from .target import Target


def log_ratio(target: Target, theta: Floats, proposal: Floats) -> Sum:
    r"""\(\lambda\) of a symmetric proposal, and the share of rows that break down there."""
    ratio = target.likelihood.ratio(theta, proposal, np.full(len(theta), np.inf))
    return Sum(target.temperature * ratio.total + prior_ratio(target, theta, proposal), ratio.clipped)


def step(rng: np.random.Generator, state: State, target: Target, *, scale: Floats) -> tuple[State, Info]:
    """One iteration of every chain."""
    theta = state.theta
    proposal = theta + proposal_scale(scale, target) * rng.standard_normal(theta.shape)
    ratio = log_ratio(target, theta, proposal)
    accepted = accept(rng, ratio.total)
    return State(moved(accepted, theta, proposal)), Info(accepted, ratio.clipped)


def clipped_step(
    rng: np.random.Generator, state: State, target: Target, *, clip: float, scale: Floats
) -> tuple[State, Info]:
    """One iteration of every chain, each row's log ratio clipped to ``clip`` times the distance of the move."""
    theta = state.theta
    proposal = theta + proposal_scale(scale, target) * rng.standard_normal(theta.shape)
    ratio = bounded_ratio(target, theta, proposal, clip)
    accepted = accept(rng, target.temperature * ratio.total + prior_ratio(target, theta, proposal))
    return State(moved(accepted, theta, proposal)), Info(accepted, ratio.clipped)


def clipped_metropolis(clip: float, scale: ArrayLike) -> Algorithm:
    """Metropolis-Hastings with clipped ratios and no noise: what clipping alone does. Not private, and not exact."""
    bound, deviation = checks.real("clip", clip, above=0), scales(scale)
    return Algorithm(
        "clipped_metropolis",
        partial(clipped_step, clip=bound, scale=deviation),
        lambda target: None,
        UNCLIPPED,
        {"clip": bound, "scale": deviation.tolist()},
    )


def metropolis(scale: ArrayLike) -> Algorithm:
    """Random-walk Metropolis-Hastings with Gaussian steps of standard deviation ``scale``; not private."""
    deviation = scales(scale)
    return Algorithm(
        "metropolis", partial(step, scale=deviation), lambda target: None, EXACT, {"scale": deviation.tolist()}
    )
