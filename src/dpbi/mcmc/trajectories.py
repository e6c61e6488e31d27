r"""The paths of Hamiltonian Monte Carlo between its states, as the published program drew them on the circle."""

from copy import deepcopy
from typing import NamedTuple, cast

import numpy as np

from ..checks import Floats
from .acceptance import clipped_sensitivity, noise_scale
from .algorithm import Algorithm, State
from .hmc import hmc_penalty, leapfrog
from .published import Streams, original
from .target import Target

SEED = 46327
"""Of the published figure."""

PUBLISHED = hmc_penalty(0.6, 0.001, 1.9, 0.0015, 0.07, 48)
"""The algorithm of the published figure: that of the circle with 48 leapfrog steps."""


class Trajectory(NamedTuple):
    """The points of a trajectory, its start first, and whether its end was accepted."""

    points: Floats  # (steps + 1, dimension)
    accepted: bool


def trajectories(iterations: int) -> list[Trajectory]:
    """The first trajectories of the published figure, from the point (0, 1)."""
    example, _, _ = original("circle")
    rng = cast(np.random.Generator, Streams([SEED]))
    state, found = State(np.array([[0.0, 1.0]])), []
    for _ in range(iterations):
        points = path(deepcopy(rng), state.theta, example.target, PUBLISHED)
        state, info = PUBLISHED.step(rng, state, example.target)
        found.append(Trajectory(points, bool(info.accepted[0])))
    return found


def path(rng: np.random.Generator, theta: Floats, target: Target, algorithm: Algorithm) -> Floats:
    """The points of one chain's next trajectory, which ``algorithm.step`` makes from the same generator.

    One leapfrog step after the other: the noise of a gradient belongs to its point, so it is the same at the end of a
    step and at the beginning of the next.
    """
    settings = algorithm.parameters
    masses = np.broadcast_to(np.asarray(settings["mass"]), (target.dimension,))
    momentum = np.sqrt(masses) * rng.standard_normal(theta.shape)
    clip = settings["clip_gradient"]
    deviation = noise_scale(settings["tau_gradient"], target.rows, clipped_sensitivity(clip))
    noise = deviation * rng.standard_normal((settings["steps"] + 1, *theta.shape))
    points = [theta[0]]
    for step in range(settings["steps"]):
        end = leapfrog(
            target,
            theta,
            momentum,
            stepsize=settings["stepsize"],
            mass=masses,
            clip=clip,
            noise=noise[step : step + 2],
        )
        theta, momentum = end.theta, end.momentum
        points.append(theta[0])
    return np.array(points)
