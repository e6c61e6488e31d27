r"""The guided walk with the penalty test on batches: proposals of ``guided``, decisions and cost of ``minibatch``."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Floats
from .algorithm import APPROXIMATE, Algorithm, Info, State, moved
from .guided import proposed, start, turned
from .minibatch import VARIANCE_FACTOR, cost, decide, settings_of
from .target import Target


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
    proposal, chosen = proposed(rng, state, target, scale)
    info = decide(rng, target, state.theta, proposal, tau=tau, batch=batch, clip=clip, factor=factor)
    return State(moved(info.accepted, state.theta, proposal), turned(state, chosen, info.accepted)), info


def minibatch_guided_walk(
    tau: float, batch: int, clip: float, scale: ArrayLike, factor: int = VARIANCE_FACTOR
) -> Algorithm:
    """The guided walk on batches; parameters as for ``minibatch_penalty``."""
    settings = settings_of(tau, batch, clip, scale, factor)
    return Algorithm(
        "minibatch_guided_walk",
        partial(step, **settings),
        partial(cost, tau=settings["tau"], batch=settings["batch"]),
        APPROXIMATE,
        settings | {"scale": settings["scale"].tolist()},
        start,
    )
