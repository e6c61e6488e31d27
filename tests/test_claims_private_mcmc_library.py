"""What the statements of the thesis rest on in the library, against counts by hand."""

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.claims import BY_ID
from dpbi.claims.private_mcmc.iterations import COUNTS
from dpbi.claims.private_mcmc.models import rows_of, simulated
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


INVARIANT = ["2.2-metropolis", "3-penalty", "4-components", "4-guided"]


@pytest.mark.parametrize("name", INVARIANT)
def test_invariance_is_certain_far_below_the_bound(name, monkeypatch):
    """The statements say at most 1e-12, which is what doubles can say; over balls the error is below 1e-30."""
    monkeypatch.setattr(exact, "ROUNDING", 0.0)
    each = BY_ID[f"private-mcmc/{name}"]
    for case in each.cases:
        with arithmetic.balls():
            found = each(**{key: arithmetic.number(value) for key, value in case.items()})[0]
            assert arithmetic.less(found, arithmetic.number("1e-30"))


def test_the_argument_about_the_bias_of_clipping_has_its_numbers():
    """At two bounds: how far the stationary law is from the target, and which share of the ratios is clipped."""
    each, target = BY_ID["private-mcmc/3-clipping-bias"], simulated(41)
    i, j = target.moves
    ratios = abs(target.log_likelihood[:, j] - target.log_likelihood[:, i])
    for clip, distance, share in ((0.8, "0.0959", 0.5), (0.3, "0.233", 0.83)):
        assert f" {distance} " in " ".join(each.notes.split())
        assert f"{each(points=41, clip=clip)[0]:.3g}" == distance
        assert (ratios > clip * target.distance[i, j]).mean() == pytest.approx(share, abs=0.02)
