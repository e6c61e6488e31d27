r"""Random-walk proposals that move all components at once or one component at a time, and the guided walk.

A test accepts or rejects each proposal. The proposals of the random walks are symmetric. The proposal of the guided
walk is symmetric up to a change of direction. In the guided walk, every component has a direction \(p_i = \pm 1\), and
a randomly chosen component u moves to \(\theta_u + p_u |N(0, \text{scale}_u^2)|\). If the move is rejected, \(p_u\)
changes its sign.

**The guided walk is exact, but not reversible.** Let \(\pi(\theta, p) = \pi(\theta) 2^{-d}\), and let F change the sign
of the chosen direction. A move from \((\theta, p)\) to \((\theta', p)\) and a move from \((\theta', Fp)\) to
\((\theta, Fp)\) are proposed with the same density. If the test satisfies detailed balance, the accepted moves
therefore satisfy skew detailed balance, \(\pi(x) P(x \to y) = \pi(y) P(Fy \to Fx)\). A rejection moves the state from x
to y = Fx, and for this move the two sides of the skew detailed balance equation are equal. Summing this equation over x
shows that \(\pi\) is invariant.
"""

import numpy as np

from ..checks import Floats
from .algorithm import Info, State, Test, after_decision, per_component
from .target import Target


def walk(state: State, target: Target, rng: np.random.Generator, *, scale: Floats, test: Test) -> tuple[State, Info]:
    """One random-walk iteration of every chain, in which all components move by a normal step.

    Args:
        state: States of all chains.
        target: The posterior.
        rng: Random number generator.
        scale: Standard deviation of a step: one number for all components, or one for each component.
        test: Acceptance test, which is a function of the target, the parameter vectors, the proposals and the
            generator.

    Returns:
        The new states, and the decisions and diagnostics of the iteration.
    """
    theta = state.theta
    proposal = theta + per_component("scale", scale, target) * rng.standard_normal(theta.shape)
    info = test(target, theta, proposal, rng)
    return State(after_decision(info.accepted, theta, proposal)), info


def random_directions(theta: Floats, rng: np.random.Generator) -> State:
    """Initial state of a guided walk, with random directions for all chains and components.

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
    """One iteration that moves one random component of every chain, in its current direction if the walk is guided.

    Args:
        state: States of all chains.
        target: The posterior.
        rng: Random number generator.
        scale: Standard deviation of a step: one number for all components, or one for each component.
        test: Acceptance test, which is a function of the target, the parameter vectors, the proposals and the
            generator.

    Returns:
        The new states, and the decisions and diagnostics of the iteration.
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
