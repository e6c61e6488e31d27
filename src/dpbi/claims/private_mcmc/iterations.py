"""Chapter 6, a title without a text: how many iterations fit in a budget, on 100 000 rows with a delta of 1e-6."""

from typing import Any, cast

from ...arithmetic import number, remembered
from ...guarantees import ApproxDP, GaussianDP, uses_within
from ...mcmc import barker_rule, hmc_penalty, minibatch, penalty
from ..statements import above, at_most, equal, statement
from .models import rows_of


COUNTS = [
    {"algorithm": algorithm, "epsilon": epsilon, "k": k}
    for algorithm, counts in (
        ("penalty", (56, 201, 419, 702, 1041, 1431)),
        ("HMC", (33, 119, 248, 416, 616, 848)),
    )
    for epsilon, k in enumerate(counts, 1)
]


@remembered
def step_of(algorithm: str) -> GaussianDP:
    """Guarantee of one iteration with the noise tuned for the flat banana; clips and step sizes do not enter it."""
    tuned = penalty(0.1, 2.0, 0.008) if algorithm == "penalty" else hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10)
    return cast(GaussianDP, tuned.cost(rows_of(100_000)))


@statement(
    "private-mcmc/6-iterations",
    "Chapter 6",
    says=r"$n = 10^5$, $\delta = 10^{-6}$: $k$ iterations fit in $\varepsilon$: $\delta_{k\rho}(\varepsilon) \le \delta$",
    by="ours",
    cases=COUNTS,
)
def iterations_fit(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""The penalty algorithm has \(\tau = 0.1\), so that \(1/\rho = 2000\). Hamiltonian Monte Carlo has \(\tau = 0.1\),
    \(\tau_g = 0.4\) for the noise on gradients, and ten leapfrog steps, so that \(1/\rho = 32000/27\). Both have an exact
    \(\delta\).
    """
    return step_of(algorithm).repeat(int(k)).delta(epsilon), at_most(number("1e-6"))


@statement(
    "private-mcmc/6-iterations-most",
    "Chapter 6",
    says=r"$k + 1$ iterations do not fit in $\varepsilon$: $\delta_{(k+1)\rho}(\varepsilon) > \delta$",
    by="ours",
    cases=COUNTS,
)
def iterations_most(algorithm: str, epsilon: Any, k: Any) -> Any:
    """So k is the largest number."""
    return step_of(algorithm).repeat(int(k) + 1).delta(epsilon), above(number("1e-6"))


@statement(
    "private-mcmc/6-iterations-renyi",
    "Chapter 6",
    says=r"$n = 10^5$, $\delta = 10^{-6}$: the amplified Rényi divergences allow $k$ steps on batches",
    by="ours",
    cases=[
        {"algorithm": algorithm, "epsilon": epsilon, "k": k}
        for algorithm, epsilon, k in (("minibatch", 4, 442), ("minibatch", 6, 1197), ("Barker", 1, 225))
    ],
)
def renyi_iterations(algorithm: str, epsilon: Any, k: Any) -> Any:
    r"""The penalty test is on batches of 1000 rows with \(\tau = 0.7\), and Barker's test on batches of 2600. "Amplified"
    means that a batch is drawn at random and kept secret, which lowers the divergences. The number is the largest at
    which the smallest \(\delta\) that the divergences imply is within the budget.
    """
    rows = rows_of(100_000)
    if algorithm == "Barker":
        step = barker_rule.renyi_cost(rows, batch=2600)
    else:
        step = minibatch.renyi_cost(rows, tau=number("0.7"), batch=1000)
    return uses_within(step, ApproxDP(epsilon, number("1e-6"))), equal(k)
