"""Chapter 6, a title that became a question: how many iterations fit in a budget?"""

from typing import Any

from ...arithmetic import number
from ...guarantees import ApproxDP, uses_within
from ...mcmc import affordable, barker_rule, hmc_penalty, minibatch, penalty
from ..statement import equal, statement
from .models import rows_of

PAGE = "private_mcmc/experiments_banana"
CHAPTER = "Chapter 6"

COUNTS = {"penalty": (56, 201, 419, 702, 1041, 1431), "HMC": (33, 119, 248, 416, 616, 848)}


@statement(
    "private-mcmc/6-iterations",
    CHAPTER,
    says=r"$n = 10^5$, $\delta = 10^{-6}$: the largest $k$ with $\delta_{k\rho}(\varepsilon) \le \delta$",
    by="ours",
    cases=[
        {"algorithm": name, "epsilon": epsilon, "k": k}
        for name, counts in COUNTS.items()
        for epsilon, k in enumerate(counts, 1)
    ],
    page=PAGE,
)
def iterations(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""There are two algorithms, as tuned for the flat banana. The penalty algorithm has \(\tau = 0.1\), so that
    \(1/\rho = 2000\). Hamiltonian Monte Carlo has \(\tau = 0.1\), \(\tau_g = 0.4\) for the noise on gradients, and ten
    leapfrog steps, so that \(1/\rho = 32000/27\). A run with a budget begins with a search for k. Here k iterations are
    within \(\delta\) and k + 1 are not, by the exact formula, and the search has to find k.
    """
    step = penalty(0.1, 2.0, 0.008) if algorithm == "penalty" else hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10)
    rows, delta = rows_of(100_000), number("1e-6")
    cost: Any = step.cost(rows)
    fits, too_many = (bool(cost.repeat(int(count)).delta(epsilon) <= delta) for count in (k, k + 1))
    return affordable(rows, step, ApproxDP(epsilon, delta)) + (not fits) + too_many, equal(k)


BATCHES = {"minibatch": 1000, "Barker": 2600}


@statement(
    "private-mcmc/6-iterations-renyi",
    CHAPTER,
    says=r"$n = 10^5$, $\delta = 10^{-6}$: the amplified Rényi divergences allow $k$ steps on batches",
    by="ours",
    cases=[
        {"algorithm": "minibatch", "epsilon": 4, "k": 442},
        {"algorithm": "minibatch", "epsilon": 6, "k": 1197},
        {"algorithm": "Barker", "epsilon": 1, "k": 225},
    ],
    page=PAGE,
)
def iterations_on_batches(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""The penalty test is on batches of 1000 rows with \(\tau = 0.7\), and Barker's test on batches of 2600.
    "Amplified" means that a batch is drawn at random and kept secret, which lowers the divergences. The number is the
    largest at which the smallest \(\delta\) that the divergences imply is within the budget.
    """
    rows, size = rows_of(100_000), BATCHES[algorithm]
    if algorithm == "Barker":
        step = barker_rule.renyi_cost(rows, batch=size)
    else:
        step = minibatch.renyi_cost(rows, tau=number("0.7"), batch=size)
    return uses_within(step, ApproxDP(epsilon, number("1e-6"))), equal(k)
