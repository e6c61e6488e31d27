"""Protocol of the published experiments: chains within a budget, their errors, and a comparison with print.

The pages hold the models and the tuned parameters. Rows are simulated. Delta is a tenth of a row's share, 0.1 / n. Each
chain is a repetition of its own with the whole budget; the first half of it is dropped; the starting points are the
same for all algorithms.
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

# measured: two samples of this size take 0.06 s to compare
REFERENCE_DRAWS = 1000
"""Number of exact posterior draws that a chain is compared with."""

PRINTED = "barker, printed length"
"""Name of Barker's test where it runs for as long as its printed bound allows, as the published chains did."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """One model of one size, with the tuned algorithms.

    Attributes:
        name: Name in tables.
        number: Number of the experiment, which is part of the seed of its random numbers.
        rows: Number of rows.
        simulated: The model with simulated rows, from the number of rows and ``rng``, a generator.
        algorithms: Algorithms with tuned parameters, by name.
        epsilons: Budgets.
        centred: Whether the error of a chain is the distance of its mean from the origin (``mean_distance``), not its
            discrepancy from exact posterior draws (``mmd``).
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
        """Names of its algorithms, and before Barker's test ``PRINTED``: the same chain with fewer iterations."""
        return [each for name in self.algorithms for each in ([PRINTED, name] if name == "barker" else [name])]


PLACE, SPREAD = ("model", "algorithm", "epsilon"), ("q1", "median", "q3")
"""Columns that name a cell, and the quartiles of its errors."""

COLUMNS = (*PLACE, "iterations", *SPREAD, "acceptance", "clipped", "clipped_gradient")
"""Columns of ``table``; the quartiles are those of the errors of the chains."""


class Cell(NamedTuple):
    """Result of the chains of one algorithm at one budget.

    Attributes:
        iterations: Iterations of each chain.
        errors: Error of each chain, shape (chains,).
        acceptance: Acceptance rate.
        clipped, clipped_gradient: Shares of rows whose log ratio, and gradient, was clipped.
    """

    iterations: int
    errors: Floats
    acceptance: float
    clipped: float
    clipped_gradient: float


def printed_barker_divergence(batch: int, order: Any) -> Any:
    r"""Printed bound on the Rényi divergence of Barker's test; its middle term does not vanish for large batches.

    \[ \frac{5}{2b} + \frac{1}{2(\alpha - 1)} \ln \frac{2b}{b - 5\alpha} + \frac{2\alpha}{b - 5\alpha} \]

    Args:
        batch: Number b of rows in a batch.
        order: Rényi order, > 1.

    Returns:
        The bound, infinite where it has no value.
    """
    b = number(batch)
    middle = log(2 * b / (b - 5 * order)) / (2 * (order - 1))
    return 5 / (2 * b) + middle + 2 * order / (b - 5 * order)


def printed_barker_step(rows: int, batch: int) -> RDP:
    """Rényi guarantee of one step of Barker's test by ``printed_barker_divergence``, amplified by the batch.

    Args:
        rows: Number n of rows.
        batch: Number b of rows in a batch.

    Returns:
        The guarantee at the integer orders where the printed bound is finite.
    """
    orders = np.arange(2, batch // 5)
    return subsampled(RDP(orders, printed_barker_divergence(batch, orders)), rows, batch)


def printed_barker_iterations(rows: int, batch: int, budget: ApproxDP) -> int:
    r"""Iterations of Barker's test that a budget allows by ``printed_barker_step`` and the printed conversion.

    That conversion is \(\varepsilon = \tau + \ln(1/\delta)/(\alpha - 1)\); ``uses_within`` has a better one.

    Args:
        rows: Number n of rows.
        batch: Number b of rows in a batch.
        budget: The epsilon and delta that may be spent.

    Returns:
        The number of iterations.
    """
    step = printed_barker_step(rows, batch)
    return largest_count(lambda count: step.repeat(count).classic_epsilon_at(budget.delta) <= budget.epsilon)


@lru_cache(maxsize=8)
def prepared(experiment: Experiment, seed: int, chains: int, rows: int | None = None) -> tuple[Example, Floats, Floats]:
    """The model with its simulated rows, the reference draws, and the starting points of the chains.

    Starting points are normal around the truth, as wide as a component of the posterior on average.

    Args:
        experiment: The model and its algorithms.
        seed: Seed of the rows, the draws and the starting points.
        chains: Number of chains.
        rows: Number of rows; that of the experiment unless given.

    Returns:
        The model, the draws of shape (``REFERENCE_DRAWS``, dimension), the points of shape (chains, dimension).
    """
    rng = np.random.default_rng([seed, experiment.number])
    n = experiment.rows if rows is None else checks.whole("rows", rows, least=10)
    example = experiment.simulated(n, rng=rng)
    reference = example.draw(rng, REFERENCE_DRAWS)
    width = 1.0 if experiment.centred else float(example.draw(rng, REFERENCE_DRAWS).std(axis=0).mean())
    start = example.truth + width * rng.standard_normal((checks.whole("chains", chains, least=1), len(example.truth)))
    return example, reference, start


def cell(
    experiment: Experiment, algorithm: str, epsilon: float, *, seed: int, chains: int = 20, rows: int | None = None
) -> Cell:
    """Run the chains of one algorithm on one model at one budget.

    All run for the length that the library's accountant allows, but ``PRINTED`` for that of the printed bound.

    Args:
        experiment: The model and its algorithms.
        algorithm: Name of an algorithm.
        epsilon: Epsilon of the budget.
        seed: Seed of the chains.
        chains: Number of chains.
        rows: Number of rows; that of the experiment unless given.

    Returns:
        Errors of the chains and what they cost.
    """
    known = experiment.known
    if algorithm not in known:
        raise ValueError(f"algorithm must be one of {', '.join(known)}, got algorithm={checks.brief(algorithm)}")
    example, reference, start = prepared(experiment, seed, chains, rows)
    chosen = experiment.algorithms["barker" if algorithm == PRINTED else algorithm]
    n = example.target.rows
    budget = ApproxDP(epsilon, 0.1 / n)
    rng = np.random.default_rng([seed, experiment.number, known.index(algorithm), round(1000 * epsilon)])
    if algorithm == PRINTED:
        iterations = printed_barker_iterations(n, chosen.parameters["batch"], budget)
    else:
        iterations = affordable(example.target, chosen, budget)
    if iterations < 4:  # the second half would be no sample
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
    """Table with one row for each experiment, algorithm and budget; its columns are ``COLUMNS``.

    Args:
        models: The experiments.
        algorithms: Names of algorithms.
        epsilons: Budgets.
        seed: Seed of the chains.
        chains: Number of chains.

    Returns:
        Columns by name.
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
    """Compare the cells that two tables share: both medians, and whether they agree.

    They agree if one of the medians lies between the quartiles of the other. Cells without a chain are left out.

    Args:
        ours: Columns of our table.
        published: Columns of the published table.

    Returns:
        Columns by name.
    """
    theirs = {row[:3]: row[3:] for row in _rows(published, *PLACE, *SPREAD)}
    rows = []
    for *at, low, middle, high in _rows(ours, *PLACE, *SPREAD):
        if (key := tuple(at)) in theirs and middle == middle:  # not nan: there was a chain
            least, centre, most = theirs[key]
            rows.append((*at, middle, centre, least <= middle <= most or low <= centre <= high))
    return _columns((*PLACE, "median", "published", "agree"), rows)


def baseline(experiment: Experiment, *, seed: int, repetitions: int = 10, rows: int | None = None) -> Floats:
    """Errors of independent posterior draws, which a chain of this length cannot be expected to beat.

    Args:
        experiment: The model and its algorithms.
        seed: Seed of the draws.
        repetitions: Number of samples.
        rows: Number of rows; that of the experiment unless given.

    Returns:
        Errors, one for each repetition.
    """
    example, reference, _ = prepared(experiment, seed, 1, rows)
    rng = np.random.default_rng([seed, 77])  # draws of their own: the numbers of the experiments are below 10
    draws = [example.draw(rng, REFERENCE_DRAWS) for _ in range(repetitions)]
    return np.array([mean_distance(x) if experiment.centred else mmd(x, reference, rng) for x in draws])
