"""Chains: many at once, within a privacy budget, with a report of what they cost and what they did.

``run`` returns only what may be released. ``study`` is its non-private twin: it adds diagnostics that look at the rows.
"""

import textwrap
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import ApproxDP, BatchDP, GaussianDP, uses_within
from ..progress import Progress, shown
from .algorithm import Algorithm
from .target import Target, chains_of

FOR_STUDY = (
    "These chains are for study, not for release: their noise is drawn in floating point from a pseudo-random "
    "generator, and normal noise so drawn does not have the guarantee of the normal law. A release would need the sums "
    "rounded to a lattice with their sensitivity counted there, discrete Gaussian noise from a secure source of "
    "randomness, a starting point and tuning parameters chosen without the data or paid for, and a running time that "
    "does not depend on the rows."
)

NOT_PRIVATE = "The shares of clipped rows are computed from the rows without noise: they are not private."


@dataclass(frozen=True, eq=False)
class Run:
    """Chains and what they cost. ``samples`` has the shape (iterations, chains, dimension), the start left out.

    ``cost`` is what all chains together release, None if the algorithm is not private; in a study each chain stands for
    a release of its own, and ``cost`` is that of one. ``clipped`` and ``clipped_gradient`` are None outside a study.
    ``complete`` is False if the run was interrupted: it then holds the iterations that were finished, and its cost
    includes the one that was not.
    """

    algorithm: Algorithm
    start: Floats  # (chains, dimension)
    samples: Floats  # (iterations, chains, dimension)
    accepted: NDArray[np.bool_]  # (iterations, chains)
    cost: GaussianDP | BatchDP | None
    complete: bool
    seconds: float
    clipped: Floats | None = None  # (iterations, chains); not private
    clipped_gradient: Floats | None = None  # (iterations, chains); not private

    @property
    def iterations(self) -> int:
        return len(self.samples)

    @property
    def acceptance(self) -> float:
        """The share of proposals accepted."""
        return float(self.accepted.mean()) if self.accepted.size else 0.0

    def report(self, delta: float = 1e-6) -> str:
        """What was run, what it cost at a delta, and what it is not."""
        settings = ", ".join(f"{name}={value}" for name, value in self.algorithm.parameters.items())
        chains = self.samples.shape[1]
        lines = [
            f"{self.algorithm.name}({settings})",
            f"{self.iterations} iterations of {chains} {'chain' if chains == 1 else 'chains'}"
            + ("" if self.complete else ", interrupted"),
            f"acceptance {self.acceptance:.3g}",
        ]
        if self.clipped is not None:
            shares = [f"clipped ratios {_mean(self.clipped):.3g}"]
            if self.clipped_gradient is not None:
                shares.append(f"clipped gradients {_mean(self.clipped_gradient):.3g}")
            lines += [", ".join(shares), NOT_PRIVATE]
        if self.cost is None:
            lines.append("cost: not private")
        else:
            whose = "of each chain by itself" if self.clipped is not None else "of all chains together"
            lines.append(
                f"cost{'' if chains == 1 else ' ' + whose}: epsilon {self.cost.epsilon(delta):.6g} at delta {delta:.3g}"
            )
        return "\n".join([*lines, *textwrap.wrap(FOR_STUDY, 96)])


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
    """Chains that share a budget, and only what may be released of them.

    ``start`` is one vector per chain, chosen without the data. That the likelihood is finite there is checked on the
    rows: the error for a start where it is not must not be released. With a ``budget``, every chain runs for the
    largest number of iterations that all chains together can afford; ``iterations`` asks for fewer, or for a number of
    them where there is no budget.
    """
    return _drive(rng, target, algorithm, start, budget, iterations, progress, study=False)


def study(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
) -> Run:
    """Chains each with the whole budget to itself, as independent repetitions, with diagnostics: not private."""
    return _drive(rng, target, algorithm, start, budget, iterations, progress, study=True)


def affordable(target: Target, algorithm: Algorithm, budget: ApproxDP, chains: int = 1) -> int:
    """The largest number of iterations of that many chains within a budget, by exact search; 0 if none fits."""
    step = algorithm.cost(target)
    if step is None:
        raise ValueError(f"algorithm must be private for a budget, got {algorithm.name}")
    return uses_within(step.repeat(checks.whole("chains", chains, least=1)), budget)


def _drive(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    budget: ApproxDP | None,
    iterations: int | None,
    progress: bool | Progress,
    *,
    study: bool,
) -> Run:
    checks.generator(rng)
    if not isinstance(algorithm, Algorithm):
        raise TypeError(f"algorithm must be an Algorithm, penalty(0.1, 2.0, 0.01) for instance, got {algorithm!r}")
    theta = chains_of("start", start, target.dimension)
    density = target.log_density(theta)
    if density.shape != (len(theta),):
        raise ValueError(f"log_prior must return one number for each chain, {len(theta)}, got shape {density.shape}")
    if not np.isfinite(density).all():
        worst = int(np.argmin(np.isfinite(density)))
        raise ValueError(
            f"start must have a finite log likelihood and log prior, got {density[worst]} for chain {worst}"
        )
    step, sharing = algorithm.cost(target), 1 if study else len(theta)
    total = _iterations(target, algorithm, budget, iterations, sharing)
    show = shown(progress, "iterations")

    state = algorithm.start(rng, theta)
    samples = np.empty((total, *theta.shape))
    accepted = np.zeros((total, len(theta)), dtype=np.bool_)
    clipped = np.full((total, len(theta)), np.nan)
    clipped_gradient = np.full((total, len(theta)), np.nan)
    began, done, complete = time.perf_counter(), 0, True
    try:
        while done < total:
            state, info = algorithm.step(rng, state, target)
            samples[done], accepted[done], clipped[done] = state.theta, info.accepted, info.clipped
            if info.clipped_gradient is not None:
                clipped_gradient[done] = info.clipped_gradient
            done += 1
            show(done, total)
    except KeyboardInterrupt:
        complete = False
    spent = done if complete else min(done + 1, total)
    return Run(
        algorithm,
        theta,
        samples[:done],
        accepted[:done],
        None if step is None else step.repeat(spent * sharing),
        complete,
        time.perf_counter() - began,
        clipped[:done] if study else None,
        clipped_gradient[:done] if study and not np.isnan(clipped_gradient).all() else None,
    )


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


def _mean(shares: Any) -> float:
    return float(np.nanmean(shares)) if np.size(shares) else 0.0
