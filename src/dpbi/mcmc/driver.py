"""Run many chains at once within a privacy budget.

The function ``run`` returns only quantities that are covered by the budget. The function ``study`` is not private: each
chain counts as a separate release unless ``shared`` is True, and the shares of clipped rows are reported without noise.
Neither ``run`` nor ``study`` is meant for an actual release. Both functions draw floating-point noise from a
pseudo-random generator, and the privacy guarantee of exact normal noise does not apply to such noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import RDP, ZCDP, ApproxDP, GaussianDP, uses_within
from ..progress import Progress, shown
from .algorithm import Algorithm
from .target import Target


@dataclass(frozen=True, eq=False)
class Run:
    """Several Markov chains and their privacy cost.

    Attributes:
        samples: States of the chains without the starting points, shape (iterations, chains, dimension).
        accepted: Whether each proposal was accepted, shape (iterations, chains).
        cost: Privacy guarantee of all chains together (``run``, or ``study`` with a shared budget) or of a single chain
            (``study``); None if the algorithm is not private.
        clipped: Share of rows whose log ratio was clipped, shape (iterations, chains); not private, and therefore None
            in a result of ``run``.
        clipped_gradient: Share of rows whose gradient was clipped, shape (iterations, chains); None in a result of
            ``run`` and for an algorithm without gradients.

    >>> Run(np.zeros((5, 2, 1)), np.ones((5, 2), dtype=bool), GaussianDP(0.25))
    Run(iterations=5, chains=2, acceptance=1, cost=GaussianDP(rho=0.25))
    """

    samples: Floats
    accepted: NDArray[np.bool_]
    cost: GaussianDP | RDP | None
    clipped: Floats | None = None
    clipped_gradient: Floats | None = None

    def __repr__(self) -> str:
        shape, cost = f"iterations={self.iterations}, chains={self.accepted.shape[1]}", shorten(repr(self.cost), 80)
        return f"Run({shape}, acceptance={self.acceptance:.3g}, cost={cost})"

    @property
    def iterations(self) -> int:
        """Number of iterations of every chain."""
        return len(self.samples)

    @property
    def acceptance(self) -> float:
        """Acceptance rate over all chains and iterations."""
        return float(self.accepted.mean())


def run(
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    rng: np.random.Generator,
    *,
    budget: ApproxDP | ZCDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
) -> Run:
    """Run private chains that share one privacy budget.

    If the run is interrupted or the likelihood raises an exception, nothing is returned, but the budget is spent.

    Args:
        target: The posterior to sample.
        algorithm: A private algorithm.
        start: Starting points, one vector for each chain, chosen without using the data. A single vector starts a
            single chain.
        rng: Random number generator.
        budget: Privacy budget for all chains together: an ``ApproxDP``, or a ``ZCDP`` if the guarantee of the algorithm
            is Gaussian. The chains run for the largest number of iterations that the budget allows.
        iterations: Number of iterations; if a budget is also given, this number is an upper limit.
        progress: True to print the progress, a function to which the progress is reported, or False.

    Returns:
        The chains, their decisions, and the privacy cost of all chains together.

    Raises:
        ValueError: if the algorithm is not private, if the budget does not allow one step, or if the likelihood is not
            finite at a starting point. The message of the last error depends on the rows and must not be released.

    >>> from dpbi.mcmc import penalty, posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: 0.0, dimension=1)
    >>> chains = run(target, penalty(0.5, 3.0, 0.05), [[0.0], [1.0]], np.random.default_rng(1), budget=ZCDP(1.0))
    >>> chains.samples.shape, round(chains.cost.rho, 6)  # 2 iterations of 2 chains; a step costs 2/9
    ((2, 2, 1), 0.888889)
    """
    if _cost_of_step(target, algorithm) is None:
        raise ValueError(f"algorithm must be private for a release, got {algorithm.name}; use study instead")
    done = study(target, algorithm, start, rng, budget=budget, iterations=iterations, progress=progress, shared=True)
    return Run(done.samples, done.accepted, done.cost)


def study(
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    rng: np.random.Generator,
    *,
    budget: ApproxDP | ZCDP | None = None,
    iterations: int | None = None,
    progress: bool | Progress = False,
    shared: bool = False,
) -> Run:
    """Run chains as independent repetitions, and report how many rows were clipped; the result is not private.

    Args:
        target: The posterior to sample.
        algorithm: Any algorithm.
        start: Starting points, one vector for each chain. A single vector starts a single chain.
        rng: Random number generator.
        budget: Privacy budget for each chain: an ``ApproxDP``, or a ``ZCDP`` if the guarantee of the algorithm is
            Gaussian.
        iterations: Number of iterations; if a budget is also given, this number is an upper limit.
        progress: True to print the progress, a function to which the progress is reported, or False.
        shared: Whether the budget is shared by all chains, as in ``run``.

    Returns:
        The chains, the shares of rows that were clipped, and the privacy cost of a single chain, or of all chains
        together if ``shared`` is True.

    >>> from dpbi.mcmc import metropolis, posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: 0.0, dimension=1)
    >>> chains = study(target, metropolis(0.8), [[0.0]] * 20, np.random.default_rng(1), iterations=2000)
    >>> f"{chains.samples[100:].mean():.1f}, {chains.samples[100:].std():.2f}"  # the posterior is N(4, 1/9)
    '4.0, 0.33'
    """
    checks.generator(rng)
    step = _cost_of_step(target, algorithm)
    theta = _checked_start(target, start)
    sharing = len(theta) if checks.flag("shared", shared) else 1
    total, show = _iterations(target, algorithm, budget, iterations, sharing), shown(progress, "iterations")
    state, states, infos = algorithm.start(theta, rng), [], []
    for done in range(total):
        state, info = algorithm.step(state, target, rng)
        states.append(state.theta)
        infos.append(info)
        show(done + 1, total)
    gradients = [info.clipped_gradient for info in infos if info.clipped_gradient is not None]
    return Run(
        np.array(states),
        np.array([info.accepted for info in infos]),
        None if step is None else step.repeat(total * sharing),
        np.array([info.clipped for info in infos]),
        np.array(gradients) if gradients else None,
    )


def affordable(target: Target, algorithm: Algorithm, budget: ApproxDP | ZCDP, chains: int = 1) -> int:
    """Largest number of iterations of a private algorithm that a budget allows.

    Args:
        target: The posterior to sample.
        algorithm: A private algorithm.
        budget: Privacy budget for all chains together: an ``ApproxDP``, or a ``ZCDP`` if the guarantee of the algorithm
            is Gaussian.
        chains: Number of chains, >= 1.

    Returns:
        Number of iterations of each chain, found by an exact search; 0 if the budget does not allow a single iteration.

    >>> from dpbi.mcmc import penalty, posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: 0.0, dimension=1)
    >>> [affordable(target, penalty(0.5, 3.0, 0.05), ZCDP(1.0), chains) for chains in (1, 2, 5)]  # a step costs 2/9
    [4, 2, 0]
    """
    step = _cost_of_step(target, algorithm)
    if step is None:
        raise ValueError(f"algorithm must be private for a budget, got {algorithm.name}")
    return uses_within(step.repeat(checks.whole("chains", chains, least=1, below=checks.LARGEST_TOTAL)), budget)


def _cost_of_step(target: Target, algorithm: Algorithm) -> GaussianDP | RDP | None:
    """Privacy guarantee of one step of one chain; the function first validates the types of its two arguments."""
    if not isinstance(target, Target):
        raise TypeError(f"target must be a Target, for example from posterior_of, got {type(target).__name__}")
    checks.typed("algorithm", algorithm, Algorithm, "an Algorithm, for example penalty(0.1, 2.0, 0.01)")
    return algorithm.cost(target)


def _checked_start(target: Target, start: ArrayLike) -> Floats:
    """Validated starting points, shape (chains, dimension); a single vector counts as one chain.

    The log posterior density must be finite at each starting point.
    """
    shape = f"the shape (chains, {target.dimension})"
    theta = np.array(checks.numeric("start", start, f"numbers of {shape}"), dtype=np.float64)
    theta = theta[None, :] if theta.ndim == 1 else theta
    good = theta.ndim == 2 and theta.shape[1] == target.dimension and len(theta)
    checks.need(good, f"start must have {shape}, got shape {np.shape(start)}")
    checks.need(np.isfinite(theta).all(), f"start must be finite numbers, got start={checks.brief(start)}")
    density = target.log_density(theta)
    worst = int(np.argmin(np.isfinite(density)))
    allowed = "a finite log likelihood and log prior"
    checks.need(np.isfinite(density[worst]), f"start must have {allowed}, got {density[worst]} for chain {worst}")
    return theta


def _iterations(
    target: Target, algorithm: Algorithm, budget: ApproxDP | ZCDP | None, iterations: int | None, chains: int
) -> int:
    """Iterations of each chain: the requested number, or the number that the budget allows if that is smaller."""
    limits = []
    if iterations is not None:
        limits.append(checks.whole("iterations", iterations, least=1, below=checks.LARGEST_TOTAL))
    if budget is not None:
        limits.append(affordable(target, algorithm, budget, chains))
        step = f"one step of {chains} {'chain' if chains == 1 else 'chains'} of {algorithm.name}"
        checks.need(limits[-1], f"budget must allow {step}, got {checks.brief(budget)}")
    checks.need(limits, "budget or iterations must be given, got neither")
    return min(limits)
