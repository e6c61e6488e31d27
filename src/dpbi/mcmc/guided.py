r"""The guided walk with the penalty test: one component at a time, in its own direction until refused.

Every component has a direction \(p_i = \pm 1\). A random component u moves to
\(\theta_u + p_u |N(0, \text{scale}_u^2)|\); if the move is refused, \(p_u\) changes its sign.

**Exact, but not reversible.** With \(\pi(\theta, p) = \pi(\theta) 2^{-d}\) and F the change of a sign, a move from
\((\theta, p)\) to \((\theta', p)\) and one from \((\theta', Fp)\) to \((\theta, Fp)\) propose the same distance, so by
the penalty test \(\pi(x) P(x \to y) = \pi(y) P(Fy \to Fx)\), skew detailed balance, for accepted moves; a refusal goes
from x to Fx, for which both sides are the same number. Summed over x, that is invariance. Cost as for ``penalty``.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats, Integers
from .algorithm import UNCLIPPED, Algorithm, Info, State, clip_bound, moved, proposal_scale, scales
from .components import picked
from .lattice import lattice_cost
from .penalty_algorithm import cost, decide
from .target import Target


def start(rng: np.random.Generator, theta: Floats) -> State:
    """The chains with random directions."""
    return State(theta, rng.choice([-1.0, 1.0], size=theta.shape))


def proposed(
    rng: np.random.Generator, state: State, target: Target, scale: Floats
) -> tuple[Floats, tuple[Integers, Integers]]:
    """A move of one component of every chain in its direction, and which component that is."""
    if state.direction is None:
        raise ValueError("state must have directions, as guided.start gives them, got direction=None")
    chosen = picked(rng, state.theta)
    proposal = state.theta.copy()
    length = proposal_scale(scale, target)[chosen[1]] * np.abs(rng.standard_normal(len(proposal)))
    proposal[chosen] += state.direction[chosen] * length
    return proposal, chosen


def turned(state: State, chosen: tuple[Integers, Integers], accepted: NDArray[np.bool_]) -> Floats:
    """The directions after the decision: the one of a refused move is turned round."""
    direction = np.array(state.direction)
    direction[chosen] *= np.where(accepted, 1.0, -1.0)
    return direction


def step(
    rng: np.random.Generator, state: State, target: Target, *, tau: float, clip: float | None, scale: Floats
) -> tuple[State, Info]:
    """One iteration of every chain."""
    proposal, chosen = proposed(rng, state, target, scale)
    accepted, ratio = decide(rng, target, state.theta, proposal, tau=tau, clip=clip)
    return State(moved(accepted, state.theta, proposal), turned(state, chosen, accepted)), Info(accepted, ratio.clipped)


def guided_walk(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """The guided walk with component updates; parameters as for ``penalty``."""
    noise, bound, deviation = checks.real("tau", tau, above=0), clip_bound(clip), scales(scale)
    return Algorithm(
        "guided_walk",
        partial(step, tau=noise, clip=bound, scale=deviation),
        partial(cost, tau=noise),
        UNCLIPPED,
        {"tau": noise, "clip": bound, "scale": deviation.tolist()},
        start,
        partial(lattice_cost, noise),
    )
