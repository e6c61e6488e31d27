"""Chapter 6, a title: how many iterations fit in a budget."""

from typing import Any, cast

from ...arithmetic import number, remembered
from ...guarantees import RDP, ApproxDP, GaussianDP, uses_within
from ...mcmc import affordable, barker_rule, hmc_penalty, minibatch, penalty
from ...mcmc.algorithm import Algorithm
from ...mcmc.hmc import cost as hmc_cost
from ...mcmc.penalty_algorithm import cost as penalty_cost
from ..claim import HOLDS
from .models import rows_of
from .source import THESIS

PAGE = "private_mcmc/experiments_banana"
CHAPTER = "Chapter 6"

title = THESIS.vague(
    "6-title",
    CHAPTER,
    r"\text{``Experiments''}",
    "The claims that stand in its place begin with ``private-mcmc/6-iterations``.",
    uncheckable=r"a title without a text. What was measured later is compared with our runs on the experiment pages; what can be stated exactly is how many iterations a budget allows",
    page=PAGE,
)

COUNTS = [
    {"algorithm": algorithm, "epsilon": epsilon, "k": k}
    for algorithm, counts in (
        ("penalty", (56, 201, 419, 702, 1041, 1431)),
        ("HMC", (33, 119, 248, 416, 616, 848)),
    )
    for epsilon, k in enumerate(counts, 1)
]


COSTS = (penalty_cost, hmc_cost, GaussianDP.delta)


def chosen(algorithm: str) -> Algorithm:
    """The algorithms as they were tuned for the flat banana; clips and steps cost nothing."""
    if algorithm == "penalty":
        return penalty(0.1, 2.0, 0.008)
    return hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10)


@remembered
def step_of(algorithm: str) -> GaussianDP:
    """What one iteration on 100 000 rows releases."""
    return cast(GaussianDP, chosen(algorithm).cost(rows_of(100_000)))


def delta_of(algorithm: str, epsilon: Any, k: Any) -> Any:
    """The delta of k iterations."""
    return step_of(algorithm).repeat(int(k)).delta(epsilon)


@THESIS.item("6-iterations", CHAPTER, relation="<=", cases=COUNTS, calls=COSTS, page=PAGE)
def delta_of_k(algorithm: str, epsilon: Any, k: Any) -> Any:
    """The delta of k iterations."""
    return delta_of(algorithm, epsilon, k)


@delta_of_k.said(
    r"n = 10^5,\ \delta = 10^{-6}\text{: } k \text{ iterations fit in } \varepsilon\text{, } \delta_{k\rho}(\varepsilon) \le \delta",
    corrects="private-mcmc/6-title",
    origin="ours",
    expected=HOLDS,
)
def iterations_fit(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""There are two algorithms. The penalty algorithm has \(\tau = 0.1\), so that \(1/\rho = 2000\). Hamiltonian
    Monte Carlo has \(\tau = 0.1\), \(\tau_g = 0.4\) for the noise on gradients, and ten leapfrog steps, so that
    \(1/\rho = 32000/27\). Both have an exact \(\delta\). The numbers k are found by a search in this library.
    """
    return number("1e-6")


@THESIS.item("6-iterations-most", CHAPTER, relation=">", cases=COUNTS, calls=COSTS, page=PAGE)
def delta_of_one_more(algorithm: str, epsilon: Any, k: Any) -> Any:
    """The delta of one more."""
    return delta_of(algorithm, epsilon, k + 1)


@delta_of_one_more.said(
    r"k + 1 \text{ iterations do not fit in } \varepsilon\text{: } \delta_{(k+1)\rho}(\varepsilon) > \delta",
    origin="ours",
    expected=HOLDS,
)
def iterations_most(algorithm: str, epsilon: Any, k: Any) -> Any:
    """One more iteration is too many, so k is the largest number."""
    return number("1e-6")


@THESIS.item("6-iterations-found", CHAPTER, cases=COUNTS, calls=(affordable, *COSTS), page=PAGE)
def found(algorithm: str, epsilon: Any, k: Any) -> Any:
    """The number of iterations that a run within the budget takes."""
    return affordable(rows_of(100_000), chosen(algorithm), ApproxDP(epsilon, number("1e-6")))


@found.said(r"\text{a run within the budget takes } k \text{ iterations}", origin="ours", expected=HOLDS)
def iterations_found(algorithm: str, epsilon: Any, k: Any) -> Any:
    """Every run with a budget begins with a search for its number of iterations. It finds the number between
    ``private-mcmc/6-iterations`` and ``private-mcmc/6-iterations-most``.
    """
    return k


# Steps on batches

BATCHES = {"minibatch": 1000, "Barker": 2600}
RENYI = [("minibatch", 4, 442), ("minibatch", 6, 1197), ("Barker", 1, 225)]


@THESIS.item(
    "6-iterations-renyi",
    CHAPTER,
    cases=[{"algorithm": algorithm, "epsilon": epsilon, "k": k} for algorithm, epsilon, k in RENYI],
    calls=(uses_within, minibatch.renyi_cost, barker_rule.renyi_cost, RDP.delta),
    page=PAGE,
)
def by_renyi(algorithm: str, epsilon: Any, k: Any) -> Any:
    """The number of steps that the amplified Rényi divergences allow."""
    rows, size = rows_of(100_000), BATCHES[algorithm]
    if algorithm == "Barker":
        step = barker_rule.renyi_cost(rows, batch=size)
    else:
        step = minibatch.renyi_cost(rows, tau=number("0.7"), batch=size)
    return uses_within(step, ApproxDP(epsilon, number("1e-6")))


@by_renyi.said(
    r"n = 10^5,\ \delta = 10^{-6}\text{: the amplified Rényi divergences allow } k \text{ steps on batches}",
    origin="ours",
    expected=HOLDS,
)
def renyi_iterations(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""The penalty test is on batches of 1000 rows with \(\tau = 0.7\), and Barker's test on batches of 2600.
    "Amplified" means that a batch is drawn at random and kept secret, which lowers the divergences. The number is the
    largest at which the smallest \(\delta\) that the divergences imply is within the budget.
    """
    return k
