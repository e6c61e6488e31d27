"""The published experiments as values: models, tuned parameters, budgets, and one cell of a table from a seed.

Models, sizes, tuned parameters and the protocol are those of the experiments that followed the thesis, run on data
simulated here; ``published`` has the original rows. Delta is a tenth of a row's share, 0.1 / n. Each chain is a
repetition of its own with the whole budget; the first half of it is dropped; the starting points are the same for all
algorithms.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import log, number
from ..checks import Floats
from ..guarantees import RDP, ApproxDP, BatchDP, largest_count, subsampled, uses_within
from .algorithm import Algorithm
from .barker_algorithm import barker
from .driver import study
from .guided import guided_walk
from .hmc import hmc_penalty
from .minibatch import minibatch_penalty
from .models import Example, banana, banana_variances, circle, correlated_normal, normal_rows
from .penalty_algorithm import penalty
from .sample_distances import mean_distance, mmd, second_half
from .target import Target

REFERENCE = 1000
"""Exact draws that chains are compared with, and baseline samples are made of."""

SHARP = "barker, sharp accounting"
"""Barker's test with the exact divergence of its noise in place of the bound in print, still by the Rényi bound: what
the loss of its answers allows are hundreds of thousands of steps."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """One model of one size: how rows are drawn, the model, the budgets, and each algorithm with tuned parameters."""

    name: str
    rows: int
    draw: Callable[[np.random.Generator, int], Floats]
    model: Callable[[Floats], Example]
    epsilons: tuple[float, ...]
    algorithms: Mapping[str, Algorithm]
    centred: bool = False  # the error is the distance of the mean from the centre, not the discrepancy


def _at_truth(d: int) -> Callable[[np.random.Generator, int], Floats]:
    """Rows of the banana or of the normal model at the truth: second parameter 3, the others 0, so nothing is bent."""
    truth = np.zeros(d)
    truth[1] = 3.0
    return lambda rng, n: normal_rows(rng, truth, banana_variances(d), n)


def _banana(bend: float, full: float | None = None) -> Callable[[Floats], Example]:
    """The banana of some rows, tempered as if there were ``full`` of them."""
    return lambda rows: banana(rows, bend, temperature=1.0 if full is None else full / len(rows))


def _correlated(rng: np.random.Generator, n: int) -> Floats:
    z = rng.standard_normal((n, 2))
    pairs = np.column_stack([z[:, 0], 0.999 * z[:, 0] + np.sqrt(1 - 0.999**2) * z[:, 1]])
    return np.asarray(pairs + np.array([0.0, 3.0]))


BUDGETS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "flat banana 2d",
            100_000,
            _at_truth(2),
            _banana(20.0),
            BUDGETS,
            {
                "penalty": penalty(0.1, 2.0, 0.008),
                "guided walk": guided_walk(0.1, 1.8, 0.008),
                "HMC": hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10),
                "minibatch": minibatch_penalty(0.7, 1000, 1.0, 0.001),
                "barker": barker(1300, 0.0008),
            },
        ),
        Experiment(
            "tempered banana 2d",
            100_000,
            _at_truth(2),
            _banana(20.0, 1000),
            BUDGETS,
            {
                "penalty": penalty(0.2, 5.0, 0.035),
                "guided walk": guided_walk(0.2, 3.5, 0.04),
                "HMC": hmc_penalty(0.2, 2.5, 0.6, 2.0, 0.01, 10),
                "minibatch": minibatch_penalty(1.5, 1000, 4.0, 0.025),
                "barker": barker(1300, 0.12),
            },
        ),
        Experiment(
            "flat banana 10d",
            200_000,
            _at_truth(10),
            _banana(20.0),
            BUDGETS,
            {
                "penalty": penalty(0.1, 2.0, 0.0015),
                "guided walk": guided_walk(0.1, 3.0, 0.0015),
                "HMC": hmc_penalty(0.05, 2.5, 0.2, 3.0, 0.00015, 10),
                "minibatch": minibatch_penalty(0.6, 1000, 3.0, 0.0001),
                "barker": barker(2600, 0.0008),
            },
        ),
        Experiment(
            "tempered banana 10d",
            200_000,
            _at_truth(10),
            _banana(20.0, 1000),
            BUDGETS,
            {
                "penalty": penalty(0.18, 3.0, 0.02),
                "guided walk": guided_walk(0.1, 3.0, 0.04),
                "HMC": hmc_penalty(0.08, 2.5, 0.2, 3.5, 0.015, 10),
                "minibatch": minibatch_penalty(0.7, 1200, 2.0, 0.02),
                "barker": barker(2600, 0.04),
            },
        ),
        Experiment(
            "normal 30d",
            200_000,
            _at_truth(30),
            _banana(0.0),
            BUDGETS,
            {
                "penalty": penalty(0.06, 3.0, 0.00084),
                "guided walk": guided_walk(0.2, 3.0, 0.00084),
                "HMC": hmc_penalty(0.05, 2.5, 0.1, 6.0, 0.00025, 5),
            },
        ),
        Experiment(
            "narrow banana",
            150_000,
            _at_truth(2),
            _banana(350.0),
            BUDGETS,
            {
                "penalty": penalty(0.2, 5.5, 0.0015),
                "guided walk": guided_walk(0.1, 8.5, 0.0015),
                "HMC": hmc_penalty(0.15, 5.0, 0.25, 2.8, 0.00045, 5),
            },
        ),
        Experiment(
            "correlated normal",
            200_000,
            _correlated,
            lambda rows: correlated_normal(rows, 0.999),
            BUDGETS,
            {
                "penalty": penalty(0.07, 50.0, 0.00015),
                "guided walk": guided_walk(0.1, 45.0, 0.0002),
                "HMC": hmc_penalty(0.05, 30.0, 0.2, 29.0, 0.00007, 8),
            },
        ),
        Experiment(
            "circle",
            100_000,
            lambda rng, n: rng.normal(3.0, 1.0, n),
            circle,
            (0.5, 0.75, 1.0),
            {
                "penalty": penalty(4.0, 0.002, 0.2),
                "guided walk": guided_walk(4.0, 0.002, 0.3),
                "HMC": hmc_penalty(0.6, 0.001, 1.9, 0.0015, 0.07, 40),
            },
            centred=True,
        ),
    )
}
"""All of them, by name."""


COLUMNS = (
    "model",
    "algorithm",
    "epsilon",
    "iterations",
    "q1",
    "median",
    "q3",
    "acceptance",
    "clipped",
    "clipped_gradient",
)
"""What ``table`` says of each cell; the quartiles are of the errors over the chains."""


class Cell(NamedTuple):
    """What the chains of one algorithm at one budget did: one error per chain, and shares over all of them."""

    iterations: int
    errors: Floats  # (chains,)
    acceptance: float
    clipped: float
    clipped_gradient: float


def printed_barker_divergence(batch: int, order: Any) -> Any:
    r"""The bound in print on the Rényi divergence of Barker's noise; its middle term does not vanish with the batch.

    \[ \frac{5}{2b} + \frac{1}{2(\alpha - 1)} \ln \frac{2b}{b - 5\alpha} + \frac{2\alpha}{b - 5\alpha} \]
    """
    b = number(batch)
    middle = log(2 * b / (b - 5 * order)) / (2 * (order - 1))
    return 5 / (2 * b) + middle + 2 * order / (b - 5 * order)


def printed_barker_iterations(rows: int, batch: int, budget: ApproxDP) -> int:
    r"""Iterations of Barker's test by that bound, amplified, and converted by \(\tau + \ln(1/\delta)/(\alpha - 1)\)."""
    orders = np.arange(2, batch // 5)
    step = subsampled(RDP(orders, printed_barker_divergence(batch, orders)), rows, batch)
    return largest_count(lambda count: step.repeat(count).classic_epsilon(budget.delta) <= budget.epsilon)


def renyi_iterations(target: Target, algorithm: Algorithm, budget: ApproxDP) -> int:
    """Iterations within a budget where steps on batches are charged by their Rényi curve, as the recorded chains were.

    ``affordable`` charges the tighter of two ways and allows more.
    """
    step = algorithm.cost(target)
    if step is None:
        raise ValueError(f"algorithm must be private for a budget, got {algorithm.name}")
    return uses_within(step.renyi if isinstance(step, BatchDP) else step, budget)


@lru_cache(maxsize=8)
def prepared(name: str, seed: int, chains: int, rows: int | None = None) -> tuple[Example, Floats, Floats]:
    """The model with its simulated rows, the reference draws, and the starting points of the chains.

    Starting points are normal around the truth, as wide as a component of the posterior on average.
    """
    experiment = _experiment(name)
    rng = np.random.default_rng([seed, list(EXPERIMENTS).index(name)])
    n = experiment.rows if rows is None else checks.whole("rows", rows, least=10)
    example = experiment.model(experiment.draw(rng, n))
    reference = example.draw(rng, REFERENCE)
    width = 1.0 if experiment.centred else float(example.draw(rng, REFERENCE).std(axis=0).mean())
    start = example.truth + width * rng.standard_normal((checks.whole("chains", chains, least=1), len(example.truth)))
    return example, reference, start


def cell(name: str, algorithm: str, epsilon: float, *, seed: int, chains: int = 20, rows: int | None = None) -> Cell:
    """The chains of one algorithm on one model at one budget."""
    experiment = _experiment(name)
    known = _known(experiment)
    if algorithm not in known:
        raise ValueError(f"algorithm must be one of {', '.join(known)}, got algorithm={algorithm!r}")
    example, reference, start = prepared(name, seed, chains, rows)
    chosen = experiment.algorithms["barker" if algorithm == SHARP else algorithm]
    n = example.target.rows
    budget = ApproxDP(epsilon, 0.1 / n)
    rng = np.random.default_rng([seed, list(EXPERIMENTS).index(name), known.index(algorithm), round(1000 * epsilon)])
    if algorithm == "barker":
        iterations = printed_barker_iterations(n, chosen.parameters["batch"], budget)
    else:
        iterations = renyi_iterations(example.target, chosen, budget)
    if iterations < 4:  # the second half would be no sample
        return Cell(iterations, np.full(chains, np.nan), *[float("nan")] * 3)
    found = study(rng, example.target, chosen, start, iterations=iterations).whole()
    errors = [
        mean_distance(second_half(found.samples[:, c], most=iterations))
        if experiment.centred
        else mmd(rng, second_half(found.samples[:, c], most=REFERENCE), reference)
        for c in range(chains)
    ]
    shares = [found.clipped, found.clipped_gradient]
    clipped, gradient = (float("nan") if share is None else float(share.mean()) for share in shares)
    return Cell(iterations, np.array(errors), found.acceptance, clipped, gradient)


def table(
    names: Sequence[str],
    algorithms: Sequence[str],
    epsilons: Sequence[float],
    *,
    seed: int,
    chains: int = 20,
    workers: int = 1,
) -> dict[str, list[Any]]:
    """One row for each cell that the experiments have: iterations, quartiles of the errors, shares.

    Every cell is made from its seed alone, so ``workers`` processes make the same table as one.
    """
    places = [
        (name, algorithm, epsilon)
        for name in names
        for algorithm in algorithms
        if algorithm in _known(_experiment(name))
        for epsilon in epsilons
    ]
    one = partial(_row, seed=seed, chains=chains)
    if checks.whole("workers", workers, least=1) == 1:
        rows = [one(*place) for place in places]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            rows = list(pool.map(one, *zip(*places, strict=True)))
    return {column: [row[number] for row in rows] for number, column in enumerate(COLUMNS)}


def _row(name: str, algorithm: str, epsilon: float, *, seed: int, chains: int) -> tuple[Any, ...]:
    found = cell(name, algorithm, epsilon, seed=seed, chains=chains)
    quartiles = np.quantile(found.errors, [0.25, 0.5, 0.75]).tolist()
    shares = (found.acceptance, found.clipped, found.clipped_gradient)
    return (name, algorithm, epsilon, found.iterations, *quartiles, *shares)


def beside(ours: Mapping[str, Sequence[Any]], published: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The cells that both tables have, one row each: both medians, and whether they agree within the spread.

    They do where one of the medians lies between the quartiles of the other. A cell without a chain is left out.
    """
    place, spread = ("model", "algorithm", "epsilon"), ("q1", "median", "q3")
    theirs = dict(
        zip(
            zip(*(published[name] for name in place), strict=True),
            zip(*(published[name] for name in spread), strict=True),
            strict=True,
        )
    )
    columns: dict[str, list[Any]] = {name: [] for name in (*place, "median", "published", "agree")}
    for *at, low, middle, high in zip(*(ours[name] for name in (*place, *spread)), strict=True):
        if (key := tuple(at)) in theirs and middle == middle:
            least, centre, most = theirs[key]
            row = (*at, middle, centre, least <= middle <= most or low <= centre <= high)
            for name, value in zip(columns, row, strict=True):
                columns[name].append(value)
    return columns


def agreement(cells: Mapping[str, Sequence[Any]]) -> str:
    """A Markdown table of ``beside``: where the medians of an algorithm on a model agree, and where ours is off."""
    names = ("model", "algorithm", "epsilon", "median", "published", "agree")
    rows = list(zip(*(cells[name] for name in names), strict=True))
    lines = [
        "| model | algorithm | medians agree at | ours is smaller at | ours is larger at |",
        "|---|---|---|---|---|",
    ]
    for pair in dict.fromkeys(row[:2] for row in rows):
        here = [row[2:] for row in rows if row[:2] == pair]
        places = (
            [epsilon for epsilon, _, _, agree in here if agree],
            [epsilon for epsilon, median, theirs, agree in here if not agree and median < theirs],
            [epsilon for epsilon, median, theirs, agree in here if not agree and median > theirs],
        )
        shown = (rf"$\varepsilon = {', '.join(f'{e:g}' for e in found)}$" if found else "–" for found in places)
        lines.append(f"| {' | '.join([*pair, *shown])} |")
    return "\n".join(lines)


def baseline(name: str, *, seed: int, repetitions: int = 10, rows: int | None = None) -> Floats:
    """Errors of samples drawn exactly from the posterior: what no chain of this length can be expected to beat."""
    experiment = _experiment(name)
    example, reference, _ = prepared(name, seed, 1, rows)
    rng = np.random.default_rng([seed, 77])
    draws = [example.draw(rng, REFERENCE) for _ in range(repetitions)]
    return np.array([mean_distance(x) if experiment.centred else mmd(rng, x, reference) for x in draws])


def _known(experiment: Experiment) -> list[str]:
    return [*experiment.algorithms, *([SHARP] if "barker" in experiment.algorithms else [])]


def _experiment(name: str) -> Experiment:
    if name not in EXPERIMENTS:
        raise ValueError(f"name must be one of {', '.join(EXPERIMENTS)}, got name={name!r}")
    return EXPERIMENTS[name]
