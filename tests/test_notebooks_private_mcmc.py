"""The pages on private MCMC at other parameters: what they record is true there."""

import math

import numpy as np
import pytest

from dpbi import ApproxDP, gaussian_mechanism, uses_within
from test_notebooks import rerun


def text(folder):
    return (folder / "run.ipynb").read_text()


@pytest.mark.slow
def test_three_currencies_keep_their_order_at_another_budget(tmp_path):
    found = rerun(
        "private_mcmc/three_currencies", tmp_path, rho=2.5, delta=0.01, epsilon=1.2, most=12, weights=[1.0, 9.0]
    )
    assert found.scalars["ordered"]
    assert found.scalars["sound"]
    assert found.scalars["tight"] < found.scalars["improved"] < found.scalars["classic"]
    composed = found.tables["composition"]
    assert all(a <= b for a, b in zip(composed["basic"], composed["concentrated"], strict=True))


@pytest.mark.slow
def test_the_gaussian_mechanism_counts_iterations_of_another_chain(tmp_path):
    found = rerun("private_mcmc/gaussian_mechanism", tmp_path, sigma=3.0, uses=2, delta=1e-4, rows=5000, tau=0.5)
    counts = found.tables["iterations"]
    step = gaussian_mechanism(1.0, 0.5 * 5000**0.5)
    for epsilon, count in zip(counts["epsilon"], counts["exact"], strict=True):
        assert count == uses_within(step, ApproxDP(epsilon, 1e-4))


@pytest.mark.slow
def test_the_gaussian_mechanism_runs_where_no_iteration_is_allowed(tmp_path):
    found = rerun("private_mcmc/gaussian_mechanism", tmp_path, sigma=1000.0, uses=1, delta=1e-12, rows=100, tau=0.01)
    assert set(found.tables["iterations"]["exact"]) == {0} == set(found.tables["iterations"]["zCDP, classic"])


@pytest.mark.slow
def test_zcdp_is_cheaper_from_the_first_number_of_uses_on(tmp_path):
    rerun("private_mcmc/three_currencies", tmp_path, most=60)
    alpha = np.linspace(1.01, 200, 200_000)

    def log_delta(count):  # Canonne, Kamath and Steinke 2020, at the epsilon of basic composition
        rho = count * 0.3 * math.tanh(0.15)
        tail = (alpha - 1) * (rho * alpha - 0.3 * count)
        return np.min(tail - np.log(alpha - 1) + alpha * np.log1p(-1 / alpha))

    first = next(count for count in range(1, 61) if log_delta(count) < math.log(1e-6))
    assert f"<td>{first}</td>" in text(tmp_path)


@pytest.mark.slow
def test_three_laws_have_their_variances_where_they_lie_far_apart(tmp_path):
    found = rerun("private_mcmc/metropolis_hastings", tmp_path, rows=[-20.0] * 20, points=401)
    laws = found.tables["laws"]
    assert laws["variance"] == pytest.approx([1 / 21, 1 / 21, 1 / 22, 1 / 41], rel=0.001)
    assert laws["mean"] == pytest.approx([-400 / 21, -400 / 21, -400 / 22, -400 / 41], rel=0.001)


@pytest.mark.slow
def test_metropolis_hastings_is_wrong_as_printed_for_other_rows(tmp_path):
    found = rerun("private_mcmc/metropolis_hastings", tmp_path, rows=[3.0, -0.5], points=81)
    assert found.scalars["corrected"] <= 1e-12
    assert found.scalars["printed"] > 0.01
    laws = found.tables["laws"]
    assert laws["variance"] == pytest.approx(laws["closed form of the variance"], rel=0.01)


def test_the_penalty_is_exact_on_another_grid(tmp_path):
    found = rerun("private_mcmc/penalty_on_a_grid", tmp_path, points=15, rows=9, seed=1, rates=[0.7], clips=[0.2])
    assert found.scalars["exact"]
    assert found.scalars["smallest_wrong"] > 1e-6


@pytest.mark.slow
def test_corrections_too_small_to_be_seen_are_not_said_to_be_seen(tmp_path):
    found = rerun("private_mcmc/penalty_on_a_grid", tmp_path, points=5, rows=200, seed=0, rates=[0.001], clips=[10.0])
    assert found.scalars["smallest_wrong"] < 1e-12
    assert found.tables["clipping"]["error"] == [1e-13]


@pytest.mark.slow
def test_variations_are_exact_on_another_grid(tmp_path):
    found = rerun("private_mcmc/variations", tmp_path, points=9, rate=2.5, steps=1, batches=[10], seed=8)
    assert found.scalars["exact"]
    assert found.scalars["seen"]
    assert found.scalars["skew"] <= 1e-12 < found.scalars["unbalanced"]


@pytest.mark.slow
def test_barker_says_so_where_its_printed_accounting_allows_nothing(tmp_path):
    found = rerun(
        "private_mcmc/barker_and_gauss_bernoulli",
        tmp_path,
        variances=[2.0],
        points=11,
        rates=[3.0],
        batch=50,
        rows=2000,
    )
    assert found.scalars["exact"]
    assert found.scalars["dominated"]
    assert min(found.tables["iterations"]["bound in print"]) == 0


@pytest.mark.slow
def test_bananas_compare_with_print_only_where_there_is_print(tmp_path):
    found = rerun(
        "private_mcmc/experiments",
        tmp_path,
        models=["tempered banana 2d"],
        algorithms=["penalty", "minibatch"],
        epsilons=[0.6],
        chains=3,
        seed=5,
    )
    assert found.scalars["compared"] == 0
    assert found.tables["cells"]["iterations"][1] == 0


@pytest.mark.slow
def test_the_other_models_run_at_another_budget(tmp_path):
    found = rerun(
        "private_mcmc/experiments",
        tmp_path,
        models=["correlated normal"],
        algorithms=["guided walk"],
        epsilons=[1.0],
        chains=2,
        seed=5,
    )
    assert found.scalars["compared"] == 1
    assert 0 < found.tables["cells"]["median"][0] < 2


@pytest.mark.slow
def test_another_published_cell_is_replayed(tmp_path):
    found = rerun(
        "private_mcmc/published_chains",
        tmp_path,
        model="correlated normal",
        algorithm="guided walk",
        epsilon=1.0,
        paths=1,
    )
    assert found.scalars["same"]
    assert found.scalars["within"]
    assert found.scalars["not_replayed"] == 3  # of the record: what test_mcmc_replication names


@pytest.mark.slow
def test_the_clipping_study_finds_harm_where_nearly_all_is_clipped(tmp_path):
    found = rerun(
        "private_mcmc/clipping_study",
        tmp_path,
        dimensions=[2],
        clips=[0.02, 1000.0],
        iterations=1500,
        chains=3,
        rows=20_000,
        seed=5,
    )
    study = found.tables["study"]
    assert study["share clipped"][0] > 0.5
    assert study["median"][0] > 1.5 * study["median"][1]


@pytest.mark.slow
def test_the_regression_stays_within_another_budget(tmp_path):
    found = rerun(
        "private_mcmc/logistic_regression", tmp_path, answers=["children"], epsilon=1.0, temperature=0.05, seed=3
    )
    assert found.scalars["epsilon_spent"] <= 1.0
    assert found.tables["coefficients"]["coefficient"] == ["intercept", "children"]
