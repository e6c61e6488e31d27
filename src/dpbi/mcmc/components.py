r"""The penalty algorithm, one component at a time (Yıldırım and Ermiş 2019).

A component is picked at random and moves alone: the step is shorter, so the noise, which is proportional to it, is
smaller. The proposal is still symmetric; exactness and cost are those of ``penalty``.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from .algorithm import UNCLIPPED, Algorithm, Info, State, clip_bound, moved, proposal_scale, scales
from .lattice import lattice_cost
from .penalty_algorithm import cost, decide
from .target import Target


def picked(rng: np.random.Generator, theta: Floats) -> tuple[Integers, Integers]:
    """One component of each chain, as an index into its array."""
    return np.arange(len(theta)), rng.integers(theta.shape[1], size=len(theta))


def step(
    rng: np.random.Generator, state: State, target: Target, *, tau: float, clip: float | None, scale: Floats
) -> tuple[State, Info]:
    """One iteration of every chain."""
    theta = state.theta
    chosen = picked(rng, theta)
    proposal = theta.copy()
    proposal[chosen] += proposal_scale(scale, target)[chosen[1]] * rng.standard_normal(len(theta))
    accepted, ratio = decide(rng, target, theta, proposal, tau=tau, clip=clip)
    return State(moved(accepted, theta, proposal)), Info(accepted, ratio.clipped)


def component_penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """The penalty algorithm moving one random component at a time; parameters as for ``penalty``."""
    noise, bound, deviation = checks.real("tau", tau, above=0), clip_bound(clip), scales(scale)
    return Algorithm(
        "component_penalty",
        partial(step, tau=noise, clip=bound, scale=deviation),
        partial(cost, tau=noise),
        UNCLIPPED,
        {"tau": noise, "clip": bound, "scale": deviation.tolist()},
        released=partial(lattice_cost, noise),
    )
