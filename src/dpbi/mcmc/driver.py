"""Chains: many at once, within a privacy budget, and what they cost.

``run`` returns only what is paid for. ``study`` is its non-private twin: each chain stands for a release of its own,
and the shares of rows that are clipped, which are seen in the rows without noise, come with it. Both are for study, not
for release: their noise is drawn in floating point from a pseudo-random generator, and normal noise so drawn does not
have the guarantee of the normal law.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import RDP, ApproxDP, GaussianDP, uses_within
from ..progress import Progress, shown
from .algorithm import Algorithm
from .target import Target, chains_of


@dataclass(frozen=True, eq=False)
class Run:
    """Chains and what they cost. ``samples`` has the shape (iterations, chains, dimension), the start left out.

    ``cost`` is what all chains together release, None if the algorithm is not private; in a study it is that of one.
    ``clipped`` and ``clipped_gradient`` are None outside a study, the second also where there is no gradient.
    """

    samples: Floats  # (iterations, chains, dimension)
    accepted: NDArray[np.bool_]  # (iterations, chains)
    cost: GaussianDP | RDP | None
    clipped: Floats | None = None  # (iterations, chains); not private
    clipped_gradient: Floats | None = None  # (iterations, chains); not private

    @property
    def iterations(self) -> int:
        return len(self.samples)

    @property
    def acceptance(self) -> float:
        """The share of proposals accepted."""
        return float(self.accepted.mean())


def run(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
) -> Run:
    """Chains that share a budget, and only what is paid for of them.

    ``start`` is one vector per chain, chosen without the data. That the likelihood is finite there is checked on the
    rows: the error for a start where it is not must not be released. With a ``budget``, every chain runs for the
    largest number of iterations that all chains together can afford; ``iterations`` asks for fewer, or for a number of
    them where there is no budget. Whoever stops a run, or a likelihood that raises, leaves nothing of it; what was
    computed has been paid for all the same.
    """
    if isinstance(algorithm, Algorithm) and algorithm.cost(target) is None:
        raise ValueError(f"algorithm must be private for what is released, got {algorithm.name}: study runs it")
    done = study(rng, target, algorithm, start, budget=budget, iterations=iterations, progress=progress, shared=True)
    return Run(done.samples, done.accepted, done.cost)


def study(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
    shared: bool = False,
) -> Run:
    """Chains as independent repetitions, with the shares clipped: not private.

    Each has the whole budget to itself, unless it is ``shared``.
    """
    checks.generator(rng)
    if not isinstance(algorithm, Algorithm):
        raise TypeError(f"algorithm must be an Algorithm, penalty(0.1, 2.0, 0.01) for instance, got {algorithm!r}")
    theta = _checked_start(target, start)
    sharing = len(theta) if shared else 1
    total, show = _iterations(target, algorithm, budget, iterations, sharing), shown(progress, "iterations")
    state, states, infos = algorithm.start(rng, theta), [], []
    for done in range(total):
        state, info = algorithm.step(rng, state, target)
        states.append(state.theta)
        infos.append(info)
        show(done + 1, total)
    step = algorithm.cost(target)
    gradients = [info.clipped_gradient for info in infos if info.clipped_gradient is not None]
    return Run(
        np.array(states),
        np.array([info.accepted for info in infos]),
        None if step is None else step.repeat(total * sharing),
        np.array([info.clipped for info in infos]),
        np.array(gradients) if gradients else None,
    )


def affordable(target: Target, algorithm: Algorithm, budget: ApproxDP, chains: int = 1) -> int:
    """The largest number of iterations of that many chains within a budget, by exact search; 0 if none fits."""
    step = algorithm.cost(target)
    if step is None:
        raise ValueError(f"algorithm must be private for a budget, got {algorithm.name}")
    return uses_within(step.repeat(checks.whole("chains", chains, least=1)), budget)


def _checked_start(target: Target, start: ArrayLike) -> Floats:
    """One vector per chain, where the density is finite: that is looked up in the rows."""
    theta = chains_of("start", start, target.dimension)
    density = target.log_density(theta)
    if not np.isfinite(density).all():
        worst = int(np.argmin(np.isfinite(density)))
        raise ValueError(
            f"start must have a finite log likelihood and log prior, got {density[worst]} for chain {worst}"
        )
    return theta


def _iterations(
    target: Target, algorithm: Algorithm, budget: ApproxDP | None, iterations: int | None, chains: int
) -> int:
    asked = None if iterations is None else checks.whole("iterations", iterations, least=1)
    if budget is None:
        if asked is None:
            raise ValueError("budget or iterations must be given, got neither")
        return asked
    most = affordable(target, algorithm, budget, chains)
    if most == 0:
        raise ValueError(
            f"budget must allow one step of {chains} {'chain' if chains == 1 else 'chains'} of {algorithm.name}, "
            f"got epsilon={float(budget.epsilon):g}, delta={float(budget.delta):g}"
        )
    return most if asked is None else min(asked, most)
