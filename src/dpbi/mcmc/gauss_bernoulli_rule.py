r"""Gauss-Bernoulli: a Gaussian release of the ratio, then a Bernoulli decision. **Our own reading of a title.**

The thesis announces a chapter "The Gauss-Bernoulli Algorithm" and contains no word of it, and no definition of it was
ever published. What follows is ours: release \(y = \lambda + s Z - s^2/2\) as the penalty algorithm does, then accept
with probability

\[ g(y) = \frac{1}{1 + e^{-y}} . \]

**Exact.** \(g(y) = e^{y} g(-y)\), so the argument of ``penalty`` applies word for word: detailed balance for every s,
with no limit on the noise, unlike Barker's test with Gaussian noise in place of a logistic variable. By Peskun's
theorem it is never better than the penalty algorithm, since \(g(y) \le \min\{1, e^y\}\). Cost as for ``penalty``.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from .acceptance import logistic
from .algorithm import UNCLIPPED, Algorithm, Info, State, clip_bound, moved, proposal_scale, scales
from .lattice import lattice_cost
from .penalty_algorithm import cost, noisy_log_ratio
from .target import Target


def step(
    rng: np.random.Generator, state: State, target: Target, *, tau: float, clip: float | None, scale: Floats
) -> tuple[State, Info]:
    """One iteration of every chain."""
    theta = state.theta
    proposal = theta + proposal_scale(scale, target) * rng.standard_normal(theta.shape)
    corrected, ratio = noisy_log_ratio(rng, target, theta, proposal, tau=tau, clip=clip)
    accepted = np.asarray(rng.random(len(theta)) < logistic(corrected))
    return State(moved(accepted, theta, proposal)), Info(accepted, ratio.clipped)


def gauss_bernoulli(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Gauss-Bernoulli in our reading; parameters as for ``penalty``."""
    noise, bound, deviation = checks.real("tau", tau, above=0), clip_bound(clip), scales(scale)
    return Algorithm(
        "gauss_bernoulli",
        partial(step, tau=noise, clip=bound, scale=deviation),
        partial(cost, tau=noise),
        UNCLIPPED,
        {"tau": noise, "clip": bound, "scale": deviation.tolist()},
        released=partial(lattice_cost, noise),
    )
