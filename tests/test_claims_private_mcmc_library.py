"""What the statements of the thesis rest on in the library, against counts by hand."""

import numpy as np
import pytest

from dpbi.claims.private_mcmc.iterations import COUNTS
from dpbi.claims.private_mcmc.models import rows_of
from dpbi.guarantees import ApproxDP
from dpbi.mcmc import affordable, exact, hmc_penalty, penalty

TUNED = {"penalty": penalty(0.1, 2.0, 0.008), "HMC": hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10)}


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: f"{case['algorithm']}, {case['epsilon']}")
def test_a_run_within_a_budget_takes_the_largest_number_of_iterations(case):
    """The statements 6-iterations and 6-iterations-most certify these numbers from both sides, over balls."""
    found = affordable(rows_of(100_000), TUNED[case["algorithm"]], ApproxDP(case["epsilon"], 1e-6))
    assert found == case["k"]


@pytest.mark.parametrize("points", [3, 7])
def test_a_guided_walk_turns_where_its_steps_lead_off_the_line(points):
    """On the way up from the i-th of g points, i of the g - 1 lengths lead off; every move on the line is accepted."""
    matrix = exact.guided_transition(np.ones((points, points)))
    turning = [matrix[i, points + i] for i in range(points)]
    assert turning == pytest.approx([i / (points - 1) for i in range(points)])
