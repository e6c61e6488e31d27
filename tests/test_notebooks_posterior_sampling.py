"""The posterior sampling notebooks at other parameters.

What the pages say of claims does not depend on the parameters, and is left to the comparison of outputs.
"""

import math
from fractions import Fraction

import nbformat
import pytest

from dpbi import posterior_sampling as ps
from test_notebooks import recorded
from test_notebooks_notes import executed

NAME = "posterior_sampling/"


def rerun(name, folder, **parameters):
    nbformat.write(executed(name, folder, **parameters), folder / "run.ipynb")
    found = recorded(name, folder)
    assert {key: found.parameters[key] for key in parameters} == parameters
    return found


def shown(folder):
    return (folder / "run.ipynb").read_text()


@pytest.mark.slow
def test_assumptions_where_the_constant_of_example_1_fails(tmp_path):
    found = rerun(NAME + "assumptions", tmp_path, coarse=0.3, fine=0.15, start=1.0, farthest=4.0)
    assert found.tables["constants"]["constant"][0] == pytest.approx(
        ps.lipschitz_bound(ps.bernoulli(), ps.uniform([0.9]))
    )
    assert found.tables["constants"]["constant"][0] > math.log(1 / 0.3)


@pytest.mark.slow
def test_privacy_on_a_grid_where_the_bound_is_not_reached(tmp_path):
    found = rerun(NAME + "privacy_of_the_posterior", tmp_path, step=0.3, sizes=[2, 30])
    assert found.scalars["kept"]
    assert found.scalars["largest_share"] < 0.99


@pytest.mark.slow
def test_robustness_with_a_rate_below_one(tmp_path):
    found = rerun(NAME + "robustness", tmp_path, step=0.05, kind="uniform", start=0.5, sizes=[1, 25])
    assert found.scalars["c"] < 1
    assert found.scalars["largest_divergence"] <= found.scalars["sharp_divergence"]


@pytest.mark.slow
def test_random_privacy_with_one_record_keeps_the_promise(tmp_path):
    found = rerun(NAME + "random_privacy", tmp_path, step=0.1, start=0.9, sizes=[1], alpha=1.5, many=1)
    assert found.scalars["repaired"]
    kept = zip(found.tables["masses"]["n = 1"], found.tables["masses"]["promised"], strict=True)
    assert all(mass >= least - 1e-12 for mass, least in kept)


@pytest.mark.slow
def test_sampling_and_answering_with_one_draw_breaks_nothing(tmp_path):
    found = rerun(NAME + "sampling_and_answering", tmp_path, yes=3, no=0, L=0.4, draws=[1], repetitions=50, seed=1)
    assert found.scalars["kept"]


@pytest.mark.slow
def test_sampling_has_no_loss_where_a_budget_allows_nothing_and_the_printed_cost_is_met(tmp_path):
    found = rerun(
        NAME + "sampling_and_answering", tmp_path, yes=0, no=2000, step=0.2, draws=[1], repetitions=50, budgets=[0.001]
    )
    assert found.tables["costs"]["exact loss"] == pytest.approx([2 * math.log(0.6 / 0.4)])
    assert all(math.isnan(loss) for loss in found.tables["budgets"]["budget 0.001"])


@pytest.mark.slow
def test_the_printed_guarantee_fails_from_the_first_number_of_responses_on(tmp_path):
    rerun(NAME + "sampling_and_answering", tmp_path, draws=[30], repetitions=50)
    radius = 2 * math.sqrt(math.log(2 / 0.05) / 60)
    heads = sum(Fraction(math.comb(30, k), 2**30) for k in range(31) if k > 30 * (0.5 + radius))
    assert f"{math.log(0.95) / math.log1p(-heads):.3g}" in shown(tmp_path)


@pytest.mark.slow
def test_a_chance_below_the_doubles_is_not_said_to_be_zero(tmp_path):
    rerun(NAME + "privacy_of_the_posterior", tmp_path, step=0.4995, sizes=[150])
    odds = math.log10(0.999 / 0.4995) + 149 * math.log10(0.001 / 0.5005)  # of 0.999 over 0.4995, after a single one
    assert f"{odds:.3g}" in shown(tmp_path)


@pytest.mark.slow
def test_what_samples_reveal_at_a_large_error(tmp_path):
    found = rerun(NAME + "what_samples_reveal", tmp_path, delta=0.3, draws=[1, 3], step=0.4, records=[1, 3])
    assert found.scalars["corrected_is_necessary"]
    assert found.scalars["le_cam_holds"]
    first = {name: values[0] for name, values in found.tables["distances"].items()}
    assert first["exact"] < first["printed"]  # which is not necessary then


@pytest.mark.slow
def test_utility_with_much_mass_outside(tmp_path):
    found = rerun(NAME + "utility_of_a_private_prior", tmp_path, rare=0.4, extreme=0.2, sizes=[1, 4], etas=[0.5])
    assert found.scalars["averaged"]
    assert found.scalars["pointwise"]
    assert found.scalars["outside_prior"] == pytest.approx(0.4)


def test_conjugate_examples_at_another_prior(tmp_path):
    found = rerun(NAME + "conjugate_examples", tmp_path, lam=2.0, c1=0.1, c2=0.5, bounds=[1.0], alpha=2.6, sizes=[1, 3])
    assert found.scalars["delta_vacuous"]
    assert found.tables["constants"]["normal, printed"][0] < found.tables["constants"]["normal, exact"][0]


@pytest.mark.slow
def test_networks_and_chains_with_one_node_keep_the_printed_bound(tmp_path):
    found = rerun(NAME + "networks_and_chains", tmp_path, least=0.3, nodes=[1], rows=2, lengths=[2], draws=2, seed=3)
    assert found.scalars["rows_kept"]
    assert found.scalars["draws_bounded"]
    assert found.tables["rows"]["exact"][0] <= 2 * math.log(1 / 0.3)
