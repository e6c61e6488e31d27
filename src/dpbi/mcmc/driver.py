"""Chains: many at once, within a privacy budget, with a report of what they cost and what they did.

``run`` returns only what may be released. ``study`` is its non-private twin: it adds diagnostics that look at the rows.
``tuned`` compares settings on rows that were simulated, which costs no privacy.
"""

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..guarantees import ApproxDP, uses_within
from ..progress import Progress, shown
from .algorithm import Algorithm, Info, State
from .checkpoints import Checkpoint, Iteration, checkpointed
from .run_report import Run
from .target import Target, chains_of


class StoppedRun(RuntimeError):
    """A run that an error stopped: what was finished, and what it cost, is kept in ``run``."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


def run(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
    names: Sequence[str] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> Run:
    """Chains that share a budget, and only what may be released of them.

    ``start`` is one vector per chain, chosen without the data. That the likelihood is finite there is checked on the
    rows: the error for a start where it is not must not be released. With a ``budget``, every chain runs for the
    largest number of iterations that all chains together can afford; ``iterations`` asks for fewer, or for a number of
    them where there is no budget. ``names`` are those of the parameters. With a ``checkpoint``, a folder, every
    iteration is written there when it begins and when it ends, and a run of the same settings goes on from it.
    """
    if isinstance(algorithm, Algorithm) and algorithm.cost(target) is None:
        raise ValueError(f"algorithm must be private for what is released, got {algorithm.name}: study runs it")
    return driven(rng, target, algorithm, start, budget, iterations, progress, names, checkpoint, study=False)


def study(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
    names: Sequence[str] = (),
    checkpoint: str | os.PathLike[str] | None = None,
) -> Run:
    """Chains each with the whole budget to itself, as independent repetitions, with diagnostics: not private."""
    return driven(rng, target, algorithm, start, budget, iterations, progress, names, checkpoint, study=True)


def affordable(target: Target, algorithm: Algorithm, budget: ApproxDP, chains: int = 1) -> int:
    """The largest number of iterations of that many chains within a budget, by exact search; 0 if none fits."""
    step = algorithm.cost(target)
    if step is None:
        raise ValueError(f"algorithm must be private for a budget, got {algorithm.name}")
    return uses_within(step.repeat(checks.whole("chains", chains, least=1)), budget)


class Tuned(NamedTuple):
    """What a setting did on simulated rows; ``size`` is the least effective sample size of a chain's parameters."""

    algorithm: Algorithm
    iterations: int
    acceptance: float
    clipped: float
    size: float
    run: Run


def tuned(
    rng: np.random.Generator,
    target: Target,
    algorithms: Sequence[Algorithm],
    start: ArrayLike,
    *,
    budget: ApproxDP,
    progress: bool | Progress = False,
) -> list[Tuned]:
    """The settings, best first, by how many independent draws a chain is worth at a budget.

    Those that clip half of the rows come last. The rows of the target must be simulated, as many as there are in
    truth: then this costs no privacy. What depends on rows, as the shares of them that are clipped, may be looked at
    here, and nowhere else.
    """
    found = []
    for algorithm in algorithms:
        done = study(rng, target, algorithm, start, budget=budget, progress=progress).whole()
        sizes = [done.chain(c).effective_sizes().min() for c in range(done.samples.shape[1])]
        clipped = done.clipped if done.clipped is not None else np.full(1, np.nan)
        found.append(
            Tuned(algorithm, done.iterations, done.acceptance, float(clipped.mean()), float(np.median(sizes)), done)
        )
    return sorted(found, key=lambda one: (one.clipped >= 0.5, -np.nan_to_num(one.size)))


def driven(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    budget: ApproxDP | None,
    iterations: int | None,
    progress: bool | Progress,
    names: Sequence[str],
    checkpoint: str | os.PathLike[str] | None,
    *,
    study: bool,
) -> Run:
    """What ``run`` and ``study`` have in common."""
    checks.generator(rng)
    if not isinstance(algorithm, Algorithm):
        raise TypeError(f"algorithm must be an Algorithm, penalty(0.1, 2.0, 0.01) for instance, got {algorithm!r}")
    theta = checked_start(target, start)
    sharing = 1 if study else len(theta)
    total = _iterations(target, algorithm, budget, iterations, sharing)
    with checkpointed(checkpoint, header_of(target, algorithm, theta, total, study)) as kept:
        return iterated(rng, target, algorithm, theta, total, kept, shown(progress, "iterations"), names, study=study)


def checked_start(target: Target, start: ArrayLike) -> Floats:
    """One vector per chain, where the density is finite: that is looked up in the rows."""
    theta = chains_of("start", start, target.dimension)
    density = target.log_density(theta)
    if density.shape != (len(theta),):
        raise ValueError(f"log_prior must return one number for each chain, {len(theta)}, got shape {density.shape}")
    if not np.isfinite(density).all():
        worst = int(np.argmin(np.isfinite(density)))
        raise ValueError(
            f"start must have a finite log likelihood and log prior, got {density[worst]} for chain {worst}"
        )
    return theta


def header_of(target: Target, algorithm: Algorithm, theta: Floats, total: int, study: bool) -> dict[str, Any]:
    """What a checkpoint says of a run."""
    return {
        "algorithm": algorithm.name,
        "parameters": dict(algorithm.parameters),
        "rows": target.rows,
        "temperature": float(target.temperature),
        "start": theta.tolist(),
        "iterations": total,
        "study": study,
    }


def iterated(
    rng: np.random.Generator,
    target: Target,
    algorithm: Algorithm,
    theta: Floats,
    total: int,
    kept: Checkpoint | None,
    show: Progress,
    names: Sequence[str],
    *,
    study: bool,
) -> Run:
    """The iterations that a checkpoint does not have yet, and the run of all of them.

    The generator goes on where the checkpoint left it, so that an iteration that had begun is repeated number for
    number, and nothing is paid twice. Noise from the operating system cannot be repeated: with a lattice, an iteration
    that had begun is lost, and there is one less.
    """
    samples, flags, clipped, clipped_gradient = _room(total, theta.shape)
    state, done, lost = _resumed(rng, target, algorithm, theta, kept)
    for i, one in enumerate(kept.iterations if kept is not None else []):
        samples[i], flags[i], clipped[i] = one.state.theta, one.info.accepted, one.info.clipped
        if one.info.clipped_gradient is not None:
            clipped_gradient[i] = one.info.clipped_gradient
    stopped: BaseException | None = None
    began, begun = time.perf_counter(), done + lost
    last = total - lost
    try:
        while done < last:
            if kept is not None:
                kept.begin()
            begun += 1
            state, info = algorithm.step(rng, state, target)
            samples[done], flags[done], clipped[done] = state.theta, info.accepted, info.clipped
            if info.clipped_gradient is not None:
                clipped_gradient[done] = info.clipped_gradient
            if kept is not None:
                kept.add(
                    Iteration(
                        state, info if study else Info(info.accepted, np.full(len(theta), np.nan)), _of(rng, target)
                    )
                )
            done += 1
            show(done, last)
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    except Exception as error:
        if done == 0:
            raise
        stopped = error
    if stopped is not None:  # wherever it was, the iteration that comes next is taken as begun
        begun = max(begun, min(done + lost + 1, total))
    step = algorithm.cost(target)
    result = Run(
        algorithm,
        theta,
        samples[:done],
        flags[:done],
        None if step is None else step.repeat(begun * (1 if study else len(theta))),
        done == last,
        time.perf_counter() - began,
        clipped[:done] if study else None,
        clipped_gradient[:done] if study and not np.isnan(clipped_gradient).all() else None,
        _names(names, target.dimension),
    )
    if isinstance(stopped, Exception):
        what = f"{done} of {total} iterations are finished and kept in the attribute run, {begun} are paid for"
        raise StoppedRun(f"{type(stopped).__name__}: {stopped}; {what}", result) from stopped
    return result


def _of(rng: np.random.Generator, target: Target) -> Any:
    """The state of the generator, where the noise follows from it."""
    return None if target.lattice is not None else rng.bit_generator.state


def _resumed(
    rng: np.random.Generator, target: Target, algorithm: Algorithm, theta: Floats, kept: Checkpoint | None
) -> tuple[State, int, int]:
    """Where to go on from, how many iterations are finished, and how many were lost."""
    if kept is None:
        return algorithm.start(rng, theta), 0, 0
    if kept.last is None:
        state = algorithm.start(rng, theta)
        nothing = Info(np.zeros(len(theta), dtype=np.bool_), np.full(len(theta), np.nan))
        kept.add(Iteration(state, nothing, _of(rng, target)))
        return state, 0, 0
    if kept.last.generator is not None:
        rng.bit_generator.state = kept.last.generator
        return kept.last.state, len(kept.iterations), 0
    return kept.last.state, len(kept.iterations), kept.begun - len(kept.iterations)


def _room(total: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    chains, d = shape
    try:
        shares = [np.full((total, chains), np.nan) for _ in range(2)]
        return np.empty((total, *shape)), np.zeros((total, chains), dtype=np.bool_), *shares
    except (MemoryError, ValueError):
        size = total * chains * (8 * d + 17) / 1e9
        raise ValueError(
            f"iterations must be so few that the samples fit into memory, got {total} iterations of {chains} chains, "
            f"{size:.3g} GB: the budget allows no more, iterations may ask for fewer"
        ) from None


def _names(names: Sequence[str], dimension: int) -> tuple[str, ...]:
    found = tuple(names) if names else tuple(f"theta_{i + 1}" for i in range(dimension))
    if isinstance(names, str) or len(found) != dimension or len(set(found)) != dimension:
        raise ValueError(f"names must be {dimension} different ones, one for each parameter, got {names!r}")
    return found


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
