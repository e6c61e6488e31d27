r"""Random-walk proposals: all components at once, one at a time, or the guided walk.

A test accepts or refuses each proposal. The three laws of proposals are symmetric, that of the guided walk up to a
change of direction: in it every component has a direction \(p_i = \pm 1\), a random component u moves to
\(\theta_u + p_u |N(0, \text{scale}_u^2)|\), and if the move is refused, \(p_u\) changes its sign.

**The guided walk is exact, but not reversible.** With \(\pi(\theta, p) = \pi(\theta) 2^{-d}\) and F the change of a
sign, a move from \((\theta, p)\) to \((\theta', p)\) and one from \((\theta', Fp)\) to \((\theta, Fp)\) propose the
same distance, so by a test with detailed balance \(\pi(x) P(x \to y) = \pi(y) P(Fy \to Fx)\), skew detailed balance,
for accepted moves; a refusal goes from x to Fx, for which both sides are the same number. Summed over x, that is
invariance.
"""

import numpy as np

from ..checks import Floats
from .algorithm import Info, State, Test, after_decision, per_component
from .target import Target


def walk(state: State, target: Target, rng: np.random.Generator, *, scale: Floats, test: Test) -> tuple[State, Info]:
    """One iteration of every chain: all components take a normal step.

    Args:
        state: States of all chains.
        target: The posterior.
        rng: Random number generator.
        scale: Standard deviations of the step.
        test: Decision on a proposal: a function of the generator, the target, the parameter vectors and the proposals.

    Returns:
        The new states, and the decisions with their diagnostics.
    """
    theta = state.theta
    proposal = theta + per_component("scale", scale, target) * rng.standard_normal(theta.shape)
    info = test(target, theta, proposal, rng)
    return State(after_decision(info.accepted, theta, proposal)), info


def random_directions(theta: Floats, rng: np.random.Generator) -> State:
    """Starting state of a guided walk, with random directions.

    Args:
        theta: Parameter vectors, shape (chains, dimension).
        rng: Random number generator.

    Returns:
        The state.
    """
    return State(theta, rng.choice([-1.0, 1.0], size=theta.shape))


def component_walk(
    state: State, target: Target, rng: np.random.Generator, *, scale: Floats, test: Test
) -> tuple[State, Info]:
    """One iteration of every chain: a random component takes a normal step, guided by its direction if it has one.

    Args:
        state: States of all chains.
        target: The posterior.
        rng: Random number generator.
        scale: Standard deviations of the step.
        test: Decision on a proposal: a function of the generator, the target, the parameter vectors and the proposals.

    Returns:
        The new states, and the decisions with their diagnostics.
    """
    theta, direction = state.theta, state.direction
    chosen = np.arange(len(theta)), rng.integers(theta.shape[1], size=len(theta))  # one component of each chain
    proposal = theta.copy()
    length = rng.standard_normal(len(theta))
    if direction is not None:
        direction = direction.copy()
        length = direction[chosen] * np.abs(length)
    proposal[chosen] += per_component("scale", scale, target)[chosen[1]] * length
    info = test(target, theta, proposal, rng)
    if direction is not None:
        direction[chosen] *= np.where(info.accepted, 1.0, -1.0)
    return State(after_decision(info.accepted, theta, proposal), direction), info
