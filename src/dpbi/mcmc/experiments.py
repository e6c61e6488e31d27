"""Replication of the published experiments: run chains within a budget, and compare their errors with published errors.

The notebooks define the models and the tuned parameters. The rows are simulated, and delta is 0.1 / n for n rows. Each
chain is an independent repetition that spends the whole budget, and the first half of each chain is discarded. All
algorithms use the same starting points.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import log, number
from ..checks import Floats
from ..guarantees import RDP, ApproxDP, largest_count, subsampled
from .algorithm import Algorithm
from .driver import affordable, study
from .models import Example
from .sample_distances import mean_distance, mmd, second_half

# measured: comparing two samples of this size takes 0.03 s in two dimensions and 0.1 s in thirty
REFERENCE_DRAWS = 1000
"""Number of exact posterior draws with which a chain is compared."""

PRINTED = "barker, printed length"
"""Name of Barker's test with the number of iterations that the published bound allows, as in the published
experiments."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """A published experiment, which consists of a model, a number of rows, and tuned algorithms.

    Attributes:
        name: Name of the experiment in tables.
        number: Number of the experiment, used as a part of the random seed.
        rows: Number of rows.
        simulated: Function that simulates the rows, given their number and a generator ``rng``, and returns the model.
        algorithms: Algorithms with tuned parameters, indexed by their names.
        epsilons: Values of epsilon of the privacy budgets.
        centred: Whether the error of a chain is the distance of its mean from the origin (``mean_distance``) instead of
            the discrepancy between the chain and exact posterior draws (``mmd``).
    """

    name: str
    number: int
    rows: int
    simulated: Callable[..., Example]
    algorithms: Mapping[str, Algorithm]
    epsilons: Sequence[float] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    centred: bool = False

    @property
    def known(self) -> list[str]:
        """Names of the experiment's algorithms, with ``PRINTED`` inserted before Barker's test."""
        return [each for name in self.algorithms for each in ([PRINTED, name] if name == "barker" else [name])]


PLACE, SPREAD = ("model", "algorithm", "epsilon"), ("q1", "median", "q3")
"""Columns that identify a cell of the table, and columns with the quartiles of the errors in this cell."""

COLUMNS = (*PLACE, "iterations", *SPREAD, "acceptance", "clipped", "clipped_gradient")
"""Columns of ``table``; ``q1``, ``median`` and ``q3`` are the quartiles of the chains' errors."""


class Cell(NamedTuple):
    """Results of all chains for one algorithm and one budget.

    Attributes:
        iterations: Number of iterations of each chain.
        errors: Error of each chain, shape (chains,).
        acceptance: Acceptance rate over all chains.
        clipped: Share of rows whose log ratio was clipped.
        clipped_gradient: Share of rows whose gradient was clipped.
    """

    iterations: int
    errors: Floats
    acceptance: float
    clipped: float
    clipped_gradient: float


def printed_barker_step(rows: int, batch: int) -> RDP:
    r"""Rényi guarantee of one step of Barker's test from the published bound, amplified by the random batch.

    The middle term of the published bound on the divergence does not vanish for large batches:

    \[ \frac{5}{2b} + \frac{1}{2(\alpha - 1)} \ln \frac{2b}{b - 5\alpha} + \frac{2\alpha}{b - 5\alpha} \]

    Args:
        rows: Number n of rows.
        batch: Number b of rows in a batch.

    Returns:
        The guarantee for the integer orders below b / 5, at which the bound is finite.
    """
    b, orders = number(batch), np.arange(2, batch // 5)
    middle = log(2 * b / (b - 5 * orders)) / (2 * (orders - 1))
    return subsampled(RDP(orders, 5 / (2 * b) + middle + 2 * orders / (b - 5 * orders)), rows, batch)


def printed_barker_iterations(rows: int, batch: int, budget: ApproxDP) -> int:
    r"""Number of iterations of Barker's test that a budget allows according to the published bound and conversion.

    The published conversion of a Rényi divergence \(\tau\) of order \(\alpha\) is
    \(\varepsilon = \tau + \ln(1/\delta)/(\alpha - 1)\). The function ``uses_within`` applies a better conversion.

    Args:
        rows: Number n of rows.
        batch: Number b of rows in a batch.
        budget: The epsilon and delta of the privacy budget.

    Returns:
        The number of iterations of one chain.
    """
    step = printed_barker_step(rows, batch)
    return largest_count(lambda count: step.repeat(count).classic_epsilon_at(budget.delta) <= budget.epsilon)


@lru_cache(maxsize=8)
def prepared(experiment: Experiment, seed: int, chains: int) -> tuple[Example, Floats, Floats]:
    """The model with its simulated rows, the reference draws, and the starting points of the chains.

    The starting points are normally distributed around the true parameter. The standard deviation of the starting
    points is the average posterior standard deviation of a component, or 1 in a centred experiment.

    Args:
        experiment: The experiment with its model and algorithms.
        seed: Seed of the rows, the draws and the starting points.
        chains: Number of chains.
        rows: Number of rows; None for the number of rows in the experiment.

    Returns:
        The model, the draws of shape (``REFERENCE_DRAWS``, dimension), and the starting points of shape
        (chains, dimension).
    """
    rng = np.random.default_rng([seed, experiment.number])
    example = experiment.simulated(experiment.rows, rng=rng)
    reference = example.draw(rng, REFERENCE_DRAWS)
    width = 1.0 if experiment.centred else float(example.draw(rng, REFERENCE_DRAWS).std(axis=0).mean())
    start = example.truth + width * rng.standard_normal((checks.whole("chains", chains, least=1), len(example.truth)))
    return example, reference, start


def cell(experiment: Experiment, algorithm: str, epsilon: float, *, seed: int, chains: int = 20) -> Cell:
    """Run the chains of one algorithm on one model with one budget.

    The number of iterations is the largest that the library's privacy accounting allows. For ``PRINTED``, the number of
    iterations is the largest that the published bound allows. If fewer than four iterations are allowed, no chain is
    run and the errors and rates are nan.

    Args:
        experiment: The experiment with its model and algorithms.
        algorithm: Name of an algorithm of the experiment.
        epsilon: Value of epsilon of the budget.
        seed: Seed of the chains.
        chains: Number of chains.
        rows: Number of rows; None for the number of rows in the experiment.

    Returns:
        The number of iterations, the errors of the chains, the acceptance rate, and the shares of clipped rows.
    """
    known = experiment.known
    if algorithm not in known:
        raise ValueError(f"algorithm must be one of {', '.join(known)}, got algorithm={checks.brief(algorithm)}")
    example, reference, start = prepared(experiment, seed, chains)
    chosen = experiment.algorithms["barker" if algorithm == PRINTED else algorithm]
    n = example.target.rows
    budget = ApproxDP(epsilon, 0.1 / n)
    rng = np.random.default_rng([seed, experiment.number, known.index(algorithm), round(1000 * epsilon)])
    if algorithm == PRINTED:
        iterations = printed_barker_iterations(n, chosen.parameters["batch"], budget)
    else:
        iterations = affordable(example.target, chosen, budget)
    if iterations < 4:  # the second half of the chain would be too short to be a sample
        return Cell(iterations, np.full(chains, np.nan), *[float("nan")] * 3)
    found = study(example.target, chosen, start, rng, iterations=iterations)
    errors = [
        mean_distance(second_half(found.samples[:, c], most=iterations))
        if experiment.centred
        else mmd(second_half(found.samples[:, c], most=REFERENCE_DRAWS), reference, rng)
        for c in range(chains)
    ]
    shares = (found.clipped, found.clipped_gradient)
    clipped, gradient = (float("nan") if share is None else float(share.mean()) for share in shares)
    return Cell(iterations, np.array(errors), found.acceptance, clipped, gradient)


def table(
    models: Sequence[Experiment], algorithms: Sequence[str], epsilons: Sequence[float], *, seed: int, chains: int = 20
) -> dict[str, list[Any]]:
    """Table of results with the columns ``COLUMNS`` and one row for each experiment, algorithm and budget.

    Args:
        models: The experiments.
        algorithms: Names of algorithms; an algorithm is skipped for every experiment that does not include it.
        epsilons: Values of epsilon of the budgets.
        seed: Seed of the chains.
        chains: Number of chains.

    Returns:
        The columns by name.
    """
    rows = []
    for experiment in models:
        for algorithm in (name for name in algorithms if name in experiment.known):
            for epsilon in epsilons:
                found = cell(experiment, algorithm, epsilon, seed=seed, chains=chains)
                quartiles = np.quantile(found.errors, [0.25, 0.5, 0.75]).tolist()
                rows.append((experiment.name, algorithm, epsilon, found.iterations, *quartiles, *found[2:]))
    return _columns(COLUMNS, rows)


def _rows(table: Mapping[str, Sequence[Any]], *names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(table[name] for name in names), strict=True))


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def beside(ours: Mapping[str, Sequence[Any]], published: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Comparison of our median errors with the published median errors, for the cells that occur in both tables.

    Two cells agree if the median of one lies between the quartiles of the other. Cells in which no chain could be run
    are omitted.

    Args:
        ours: Columns of our table.
        published: Columns of the published table.

    Returns:
        The columns of the comparison by name.
    """
    theirs = {row[:3]: row[3:] for row in _rows(published, *PLACE, *SPREAD)}
    rows = []
    for *at, low, middle, high in _rows(ours, *PLACE, *SPREAD):
        if (key := tuple(at)) in theirs and middle == middle:  # the median is nan if no chain could be run
            least, centre, most = theirs[key]
            rows.append((*at, middle, centre, least <= middle <= most or low <= centre <= high))
    return _columns((*PLACE, "median", "published", "agree"), rows)


def baseline(experiment: Experiment, *, seed: int, repetitions: int = 10) -> Floats:
    """Errors of independent posterior draws, which a chain of the same length cannot be expected to beat.

    Args:
        experiment: The experiment with its model and algorithms.
        seed: Seed of the draws.
        repetitions: Number of samples, each of which consists of ``REFERENCE_DRAWS`` draws.
        rows: Number of rows; None for the number of rows in the experiment.

    Returns:
        Errors, one for each sample.
    """
    example, reference, _ = prepared(experiment, seed, 1)
    rng = np.random.default_rng([seed, 77])  # differs from all other seeds: experiments have numbers below 10
    draws = [example.draw(rng, REFERENCE_DRAWS) for _ in range(repetitions)]
    return np.array([mean_distance(x) if experiment.centred else mmd(x, reference, rng) for x in draws])
