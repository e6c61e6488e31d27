r"""The penalty algorithm: Metropolis-Hastings on a noisy ratio, corrected for its noise (Yıldırım and Ermiş 2019).

The sum of log ratios has sensitivity \(\Delta\) and is released with noise of standard deviation
\(\tau \sqrt n \Delta\); with \(\lambda\) the exact log ratio and \(s = T \tau \sqrt n \Delta\),

\[ \tilde\lambda = \lambda + s Z, \qquad \text{accept if } \ln u < \tilde\lambda - s^2 / 2 . \]

**Exact.** Let \(y = \tilde\lambda - s^2/2 \sim N(\lambda - s^2/2, s^2)\). For the move back the ratio is
\(-\lambda\) with the same s, and the density of \(-y\) there, over that of y here, is \(e^{y - \lambda}\). So for
every g with \(g(y) = e^{y} g(-y)\), accepting with probability g(y) satisfies detailed balance;
\(\min\{1, e^y\}\) is one such g.
This needs Gaussian noise of known variance, the same both ways, and a ratio that is a difference of one function:
clipping breaks the last.

**Private.** Whatever \(\Delta\) is at the time, a step is a Gaussian mechanism with noise \(\tau \sqrt n\) times its
sensitivity, hence \(\rho = 1/(2 \tau^2 n)\). The proposal and the decision are post-processing.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import GaussianDP, gaussian_mechanism
from .acceptance import corrected, noise_scale
from .algorithm import (
    UNCLIPPED,
    Algorithm,
    Info,
    Ratio,
    State,
    accept,
    bounded_ratio,
    clip_bound,
    moved,
    prior_ratio,
    proposal_scale,
    scales,
)
from .lattice import lattice_cost
from .target import Target


def noisy_log_ratio(
    rng: np.random.Generator, target: Target, theta: Floats, proposal: Floats, *, tau: float, clip: float | None
) -> tuple[Floats, Ratio]:
    r"""\(\tilde\lambda - s^2/2\), what the decision may be based on, and the sum it comes from."""
    if target.lattice is None:
        return statistic(target, theta, proposal, rng.standard_normal(len(theta)), tau=tau, clip=clip)
    if clip is None:
        raise ValueError(
            "clip must be a finite number > 0 for a release: a spread holds before rounding, got clip=None"
        )
    found, sums = target.lattice.ratio(target, theta, proposal, tau, clip)
    with np.errstate(invalid="ignore"):
        return found + prior_ratio(target, theta, proposal), Ratio(sums.total, 0 * found, sums.clipped)


def statistic(
    target: Target, theta: Floats, proposal: Floats, draws: Floats, *, tau: float, clip: float | None
) -> tuple[Floats, Ratio]:
    """The same for standard normal draws that are given."""
    ratio = bounded_ratio(target, theta, proposal, clip)
    noise = noise_scale(tau, target.rows, ratio.sensitivity)
    released = target.temperature * (ratio.total + noise * draws)
    return corrected(released + prior_ratio(target, theta, proposal), target.temperature * noise), ratio


def decide(
    rng: np.random.Generator, target: Target, theta: Floats, proposal: Floats, *, tau: float, clip: float | None
) -> tuple[NDArray[np.bool_], Ratio]:
    """The penalty algorithm's decision on a proposal from a symmetric law."""
    corrected, ratio = noisy_log_ratio(rng, target, theta, proposal, tau=tau, clip=clip)
    return accept(rng, corrected), ratio


def step(
    rng: np.random.Generator, state: State, target: Target, *, tau: float, clip: float | None, scale: Floats
) -> tuple[State, Info]:
    """One iteration of every chain."""
    theta = state.theta
    proposal = theta + proposal_scale(scale, target) * rng.standard_normal(theta.shape)
    accepted, ratio = decide(rng, target, theta, proposal, tau=tau, clip=clip)
    return State(moved(accepted, theta, proposal)), Info(accepted, ratio.clipped)


def cost(target: Target, *, tau: float, sensitivity: float = 1) -> GaussianDP:
    r"""What one step of one chain releases: \(\rho = 1 / (2 \tau^2 n)\), whatever the sensitivity is at the time."""
    return gaussian_mechanism(sensitivity, noise_scale(tau, target.rows, sensitivity))


def penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """The penalty algorithm with Gaussian steps in all components.

    ``tau`` is the noise in units of sqrt(n) sensitivities, ``clip`` the bound of a row's log ratio per unit of distance
    (None: the target knows its spread, and nothing is clipped), ``scale`` the standard deviation of a step.
    """
    noise, bound, deviation = checks.real("tau", tau, above=0), clip_bound(clip), scales(scale)
    return Algorithm(
        "penalty",
        partial(step, tau=noise, clip=bound, scale=deviation),
        partial(cost, tau=noise),
        UNCLIPPED,
        {"tau": noise, "clip": bound, "scale": deviation.tolist()},
        released=partial(lattice_cost, noise),
    )
