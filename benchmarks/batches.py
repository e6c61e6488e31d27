"""Steps on secret batches within the published budgets: by Rényi, by their losses, and by dp-accounting.

python benchmarks/batches.py

dp-accounting has no loss distribution for batches of fixed size under replacement: its Rényi accountant takes them, at
integer orders, for normal noise only. For Barker's test, whose noise changes its variance too and whose answer alone is
released, normal noise of the least variance stands in its place there.
"""

import sys
import time

import dp_accounting as theirs
from dp_accounting.rdp import RdpAccountant

from dpbi import ApproxDP, uses_within
from dpbi.guarantees import largest_count
from dpbi.mcmc import affordable
from dpbi.mcmc.experiments import EXPERIMENTS
from dpbi.mcmc.models import bernoulli

BUDGETS = (1.0, 2.0, 4.0, 6.0)
BANANAS = ("flat banana 2d", "tempered banana 2d", "flat banana 10d", "tempered banana 10d")


def by_dp_accounting(rows: int, batch: int, multiplier: float, budget: ApproxDP) -> int:
    """Steps by its Rényi accountant."""

    def allowed(count: int) -> bool:
        accountant = RdpAccountant(neighboring_relation=theirs.NeighboringRelation.REPLACE_ONE)
        event = theirs.SampledWithoutReplacementDpEvent(rows, batch, theirs.GaussianDpEvent(multiplier))
        accountant.compose(event, count)
        return accountant.get_epsilon(float(budget.delta)) <= float(budget.epsilon)

    return largest_count(allowed)


def main() -> None:
    """A line for every model, algorithm and budget."""
    for name in BANANAS:
        experiment = EXPERIMENTS[name]
        target = bernoulli(experiment.rows // 2, experiment.rows).target
        for algorithm in ("minibatch", "barker"):
            chosen = experiment.algorithms[algorithm]
            step, batch = chosen.cost(target), chosen.parameters["batch"]
            # of normal noise on a number that moves by one
            multiplier = chosen.parameters["tau"] ** 0.5 if algorithm == "minibatch" else batch**0.5 / 2
            for epsilon in BUDGETS:
                budget = ApproxDP(epsilon, 0.1 / experiment.rows)
                start = time.process_time()
                ours = affordable(target, chosen, budget)
                seconds = time.process_time() - start
                sys.stdout.write(
                    f"{name}, {algorithm}, epsilon {epsilon:g}: Rényi {uses_within(step.renyi, budget)}, "
                    f"losses {ours} ({seconds:.1f} s), "
                    f"dp-accounting {by_dp_accounting(experiment.rows, batch, multiplier, budget)}\n"
                )


if __name__ == "__main__":
    main()
