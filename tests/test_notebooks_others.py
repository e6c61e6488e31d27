"""The pages on posterior sampling, on private chains and beyond the sources are true at other parameters, too.

The oracles are closed forms and the trapezoidal rule. If a page records that a bound is satisfied, the tests require
it.
"""

import json

import numpy as np
import pytest
from scipy import stats

import dpbi
from test_notebooks import NOTEBOOKS, run
from test_optimum_publications import Posteriors, geometric_rays


@pytest.mark.parametrize(("name", "parameters", "true"), [
    ("privacy_of_the_posterior", {"step": 0.3, "sizes": [2, 30]}, ["kept"]),
    ("random_privacy", {"step": 0.1, "start": 0.9, "sizes": [1], "alpha": 3.5, "many": 1}, ["repaired"]),
    ("sampling_and_answering", {"yes": 3, "no": 0, "L": 0.4, "draws": [1], "repetitions": 50}, ["kept"]),
    ("what_samples_reveal", {"delta": 0.3, "draws": [1, 3], "step": 0.4, "records": [1, 3]},
        ["corrected_is_necessary", "le_cam_holds"]),
    ("utility_of_a_private_prior", {"rare": 0.4, "extreme": 0.2, "sizes": [1, 4], "etas": [0.5]},
        ["averaged", "pointwise"]),
    ("networks_and_chains", {"least": 0.3, "nodes": [1], "rows": 2, "lengths": [2], "draws": 2},
        ["rows_kept", "chains_kept", "draws_bounded"]),
])  # fmt: skip
def test_bounds_of_posterior_sampling_are_kept(tmp_path, name, parameters, true):
    found = run(f"posterior_sampling/{name}", tmp_path, **parameters)
    assert [key for key in true if not found.scalars[key]] == []


def test_chains_on_another_grid_are_exact(tmp_path):
    found = run("private_mcmc/penalty_on_a_grid", tmp_path, points=15, rows=9, seed=1, rates=[0.7], clips=[0.2])
    assert found.scalars["exact"]
    assert found.scalars["smallest_wrong"] > 1e-6
    found = run("private_mcmc/variations", tmp_path, points=9, rate=2.5, steps=1, batches=[10], seed=8)
    assert found.scalars["exact"]
    assert found.scalars["seen"]
    assert found.scalars["skew"] <= 1e-12 < found.scalars["unbalanced"]


@pytest.mark.slow
def test_experiments_at_other_budgets(tmp_path):
    bananas = {"models": ["tempered banana 2d"], "algorithms": ["penalty", "minibatch"], "epsilons": [0.6]}
    found = run("private_mcmc/experiments", tmp_path, chains=3, seed=5, **bananas)
    assert found.scalars["compared"] == 0  # with print only where there is print
    assert found.tables["cells"]["iterations"][1] == 0
    others = {"models": ["correlated normal"], "algorithms": ["guided walk"], "epsilons": [1.0]}
    found = run("private_mcmc/experiments", tmp_path, chains=2, seed=5, **others)
    assert found.scalars["compared"] == 1
    replay = {"model": "correlated normal", "algorithm": "guided walk", "epsilon": 1.0, "paths": 1}
    found = run("private_mcmc/published_chains", tmp_path, **replay)
    assert found.scalars["same"]
    assert found.scalars["within"]


@pytest.mark.slow
def test_the_regression_stays_within_another_budget(tmp_path):
    setting = {"answers": ["children"], "epsilon": 1.0, "temperature": 0.05, "seed": 3}
    found = run("private_mcmc/logistic_regression", tmp_path, **setting)
    assert found.scalars["epsilon_spent"] <= 1.0
    assert found.tables["coefficients"]["coefficient"] == ["intercept", "children"]


def distance_to_mixtures(prior, n, epsilon):
    """How far the posterior given geometric noise is from the one without, on average, by the trapezoidal rule."""
    hidden, (q, c) = Posteriors(prior, n), geometric_rays(n, epsilon)
    joint = c[:, None] * q * stats.betabinom.pmf(np.arange(n + 1), n, *prior)
    mixed = joint @ hidden.f / joint.sum(axis=1, keepdims=True)
    affinities = hidden.integral(np.sqrt(mixed[:, None] * hidden.f))
    return float((joint * np.sqrt(1 - affinities)).sum())


@pytest.mark.slow
def test_honest_intervals_where_densities_have_poles(tmp_path):
    """The intervals cover at their level, and the distance of their mixture is that of a quadrature."""
    few = {"n": 2, "epsilons": [0.5], "sizes": [2], "levels": [0.5], "n_small": 2, "noisy": [-1, 3]}
    found = run("beyond/honest_intervals", tmp_path, prior=[0.1, 0.6], **few)
    assert found.tables["average"]["given the noise"] == pytest.approx([0.5] * 3, abs=1e-4)
    goals = found.tables["two_goals"]
    far = distance_to_mixtures((0.1, 0.6), 2, goals["epsilon"][0])
    assert goals["posterior given the noise"][0] == pytest.approx(far, rel=1e-6)


def test_real_data_at_another_budget(tmp_path):
    found = run("beyond/real_data", tmp_path, epsilon=1.0, draws=60)
    assert min(found.tables["lengths"]["ratio"]) < max(found.tables["lengths"]["ratio"])
    assert found.tables["example"]["records"] == [488, 37, 419]
    assert found.tables["errors"]["lattice_laplace"][0] == pytest.approx(found.tables["errors"]["geometric"][0])


def longer(epsilon, n):
    """How many times as long an interval is with geometric noise as without, by the two posteriors, counts balanced."""
    middle = [n // 2, n - n // 2]
    given, without = dpbi.given_noise([1, 1], n, middle, epsilon)[0], dpbi.plug_in([1, 1], middle)[0]
    return float(np.diff(given.interval(0.95))[0] / np.diff(without.interval(0.95))[0])


def test_the_sizes_of_the_guide_are_exact(tmp_path):
    """Each is the first that is enough, and so is every size above it that was tried: 3,893, 428 and 34."""
    code = json.loads(NOTEBOOKS["beyond/which_mechanism"].read_text("utf-8"))["cells"]
    (shown,) = [cell["outputs"][0]["data"]["text/plain"] for cell in code if cell["id"] == "enough"]
    sizes = {float(e): int(n.replace(",", "")) for e, n in (line.split() for line in shown[2:])}
    assert sizes == {0.1: 3893, 0.3: 428, 1.0: 34, 3.0: 10}
    for epsilon, n in sizes.items():
        assert n == 10 or longer(epsilon, n - 1) > 1.1
        assert all(longer(epsilon, more) <= 1.1 for more in (n, n + 1, 2 * n, 2 * n + 1))
    found = run("beyond/which_mechanism", tmp_path, epsilons=[0.1, 3.0, 20.0], largest=2)
    assert found.tables["enough"]["records"] == [None, 10, 10]  # none up to a hundred records
