"""What a run says of itself: what it costs, how long it is, what it reports, and that it is its steps."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arithmetic import normal_cdf, number
from ...guarantees import ApproxDP
from ...mcmc import penalty, run, study
from ...mcmc.models import bernoulli
from ...mcmc.run_report import Run
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from .chains import DRAWS, HERE, ONE_STEP, SCALE, STEPS, TAU, normal_model
from .source import THESIS

BUDGETS = "private_mcmc/experiments_banana"

SUCCESSES, TOSSES = 30, 100


def interrupted_after(iterations: int) -> Callable[[int, int], None]:
    """A watcher who stops a run."""

    def watch(done: int, total: int) -> None:
        if done == iterations:
            raise KeyboardInterrupt

    return watch


def a_run(kind: str, chains: Any, iterations: Any) -> Run:
    """A run of the penalty algorithm on the tosses of a coin, or the study of one."""
    only_in_doubles(DRAWS)
    drive, stop = (study if kind == "study" else run), 5 if kind == "interrupted" else 0
    return drive(
        np.random.default_rng(4),
        bernoulli(SUCCESSES, TOSSES).target,
        penalty(TAU, None, SCALE),
        np.linspace(-1.2, -0.4, int(chains))[:, None],
        iterations=int(iterations),
        progress=interrupted_after(stop),
    )


@THESIS.item(
    "ours-run-cost",
    "Chapters 3 to 5, a run",
    cases=grid(kind=["run", "study", "interrupted"], chains=[1, 3], iterations=[7]),
    calls=(run, study),
    page=BUDGETS,
)
def cost_of_run(kind: str, chains: Any, iterations: Any) -> Any:
    r"""\(\rho\) of what a run says that it costs."""
    cost: Any = a_run(kind, chains, iterations).cost
    return cost.rho


@cost_of_run.said(
    r"\text{a run of } c \text{ chains and } k \text{ iterations costs } \rho = \frac{ck}{2\tau^2 n}\text{; a study } \frac{k}{2\tau^2 n} \text{; one that is stopped also pays for the iteration that it was in}",
    origin="ours",
    proof=True,
)
def run_cost(kind: str, chains: Any, iterations: Any) -> Any:
    """All chains of a run are released together. The chains of a study are repetitions of an experiment, each with a
    budget of its own. Whoever stops a run may have seen the iteration that was under way, so it is paid for. In the
    case with a stop five iterations were finished.
    """
    paid = {"run": iterations * chains, "study": iterations, "interrupted": 6 * chains}[kind]
    return paid / (2 * number(TAU) ** 2 * TOSSES)


@THESIS.item(
    "ours-run-budget",
    "Chapters 3 to 5, a run",
    cases=grid(epsilon=[1, 3], chains=[1, 4]),
    calls=run,
    page=BUDGETS,
)
def length_of_run(epsilon: Any, chains: Any) -> Any:
    """The number of iterations that all chains together took, with a budget and no number asked for."""
    only_in_doubles(DRAWS)
    start = np.zeros((int(chains), 1))
    target, algorithm = bernoulli(300, 1000).target, penalty(1.0, None, SCALE)
    found = run(np.random.default_rng(5), target, algorithm, start, budget=ApproxDP(epsilon, 1e-5))
    return float(found.iterations)


@length_of_run.said(
    r"\text{a run of } c \text{ chains within a budget takes } \max\{k : \delta_{ck\rho}(\varepsilon) \le 10^{-5}\} \text{ iterations}",
    origin="ours",
    expected=HOLDS,
)
def run_budget(epsilon: Any, chains: Any) -> Any:
    r"""The number is counted one by one, with \(\delta_\rho(\varepsilon) = \Phi(\frac m2 - \frac\varepsilon m) -
    e^{\varepsilon} \Phi(-\frac m2 - \frac\varepsilon m)\) and \(m = \sqrt{2\rho}\). Each iteration of each chain costs
    \(\rho = 1/2000\).
    """

    def delta(iterations: int) -> float:
        m = np.sqrt(chains * iterations / 1000)
        return float(normal_cdf(m / 2 - epsilon / m) - np.exp(epsilon) * normal_cdf(-m / 2 - epsilon / m))

    count = 0
    while delta(count + 1) <= 1e-5:
        count += 1
    return float(count)


@THESIS.item(
    "ours-run-report",
    "Chapters 3 to 5, a run",
    cases=grid(kind=["run", "study", "interrupted"], chains=[3], iterations=[7]),
    relation="<=",
    calls=(Run.report, run, study),
    page=BUDGETS,
)
def reported(kind: str, chains: Any, iterations: Any) -> Any:
    """How far the delta is, relatively, at the epsilon that the report names, from the one that it was asked for."""
    found = a_run(kind, chains, iterations)
    cost: Any = found.cost
    words = found.report(delta=1e-6).split("epsilon ")[1]
    return abs(float(cost.delta(float(words.split()[0]))) / 1e-6 - 1)


@reported.said(
    r"\text{a report names the } \varepsilon \text{ at which } \delta(\varepsilon) = 10^{-6}\text{: relative error of } \delta \text{ at most } 10^{-4}",
    origin="ours",
    expected=HOLDS,
)
def run_report(kind: str, chains: Any, iterations: Any) -> Any:
    r"""The report has six digits of \(\varepsilon\), which determine \(\delta\) to a few digits less."""
    return 1e-4


@THESIS.item(
    "ours-run-chain",
    "Chapters 3 to 5, a run",
    cases=grid(kind=["penalty", "guided walk"], driver=["run", "study"]) + grid(kind=["metropolis"], driver=["study"]),
    calls=(run, study, Run.report),
    page=STEPS,
)
def differs(kind: str, driver: str) -> Any:
    """The largest difference between a run and its steps taken one after the other: places, shares clipped and accepted."""
    only_in_doubles(DRAWS)
    algorithm, dimension, _ = ONE_STEP[kind]
    steps, target = algorithm(), normal_model(dimension)
    start = np.full((5, dimension), HERE)
    drive = study if driver == "study" else run
    found = drive(np.random.default_rng(6), target, steps, start, iterations=40)
    rng = np.random.default_rng(6)
    state, gaps, accepted = steps.start(rng, start), [], 0.0
    for iteration in range(40):
        state, info = steps.step(rng, state, target)
        gaps.append(np.abs(found.samples[iteration] - state.theta).max())
        if found.clipped is not None:
            gaps.append(np.abs(found.clipped[iteration] - info.clipped).max())
        accepted += float(info.accepted.mean()) / 40
    stated = float(found.report().split("acceptance ")[1].split()[0])
    return float(max(gaps)) + max(abs(stated - accepted) - 5e-4, 0.0)


@differs.said(
    r"\text{a run is its steps, one after the other, and reports the share that was accepted, to three digits}",
    origin="ours",
    expected=HOLDS,
)
def run_chain(kind: str, driver: str) -> Any:
    """The run and its steps use the same random numbers, so nothing may differ: not where the chains are, and in a
    study not the shares that were clipped.
    """
    return 0.0
