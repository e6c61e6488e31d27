"""Remaps against brute force: the table of all valid counts, with weights from gamma functions and enumerated noise."""

import math

import numpy as np
import pytest

from dpbi import audit, count_vectors, ehd, geometric, mean_error, mean_errors
from dpbi.mechanisms import remaps
from dpbi.mechanisms.remaps import geometric_remap, remapped, remapped_geometric
from dpbi.model import marginal
from dpbi.model.distances import lattice_distances
from test_optimum_programs import normalised


@pytest.mark.parametrize("prior", [(0.1, 2.0), (40.0, 3.0)])
@pytest.mark.parametrize("n", [1, 17, 120])
@pytest.mark.parametrize("epsilon", [0.02, 1.0])
def test_the_remap_without_a_table_is_the_one_of_the_table(prior, n, epsilon):
    outputs = np.arange(n + 1)
    found = geometric_remap(prior, n, epsilon, outputs)
    H = lattice_distances(np.array(prior), count_vectors(n, 2))
    joint = normalised(None, prior, n)[:, None] * math.exp(-epsilon) ** np.abs(outputs[:, None] - outputs)
    J = joint.T @ H / joint.sum(axis=0)[:, None]
    assert J[outputs, found] == pytest.approx(J.min(axis=1), rel=1e-12)
    assert (np.diff(found) >= 0).all()
    one, other = remapped_geometric(epsilon), remapped(geometric(epsilon))
    for x in (0, n // 3, n):
        assert mean_error(one, prior, [x, n - x]) == pytest.approx(mean_error(other, prior, [x, n - x]), abs=1e-9)


def test_single_outputs_and_runs_of_outputs_are_remapped_alike():
    n = 600
    every = geometric_remap([0.5, 2], n, 0.05, np.arange(n + 1))
    some = np.array([n - 1, 0, 7, 7, 300, 12, n])
    assert np.array_equal(geometric_remap([0.5, 2], n, 0.05, some), every[some])
    assert (every != np.arange(n + 1)).any()


def test_the_remap_reaches_a_billion_records():
    """Near the ends it is the one of fewer records: what happens there does not depend on the other end any more."""
    z, n = np.array([0, 1, 2, 3, 30]), 10**9
    few = geometric_remap([1, 1], 3000, 0.1, z)
    assert few[0] > 0
    assert np.array_equal(geometric_remap([1, 1], n, 0.1, z), few)
    assert np.array_equal(n - geometric_remap([1, 1], n, 0.1, n - z), few)
    assert geometric_remap([1, 1], 0, 0.1, [0]).tolist() == [0]


@pytest.mark.parametrize("base", [geometric(0.3), ehd(0.3)], ids=lambda m: m.name)
@pytest.mark.parametrize("k", [2, 3])
def test_a_remap_costs_no_privacy_and_its_samples_follow_its_law(base, k):
    prior, n = [1.0, 2.0, 0.5][:k], 6
    better = remapped(base)
    assert audit(better, prior, n).epsilon <= audit(base, prior, n).epsilon * (1 + 1e-12)
    law = better.law(prior, [1] * (k - 1) + [n - k + 1])
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert (law.outputs.sum(axis=1) == n).all()
    draws = better.sample(prior, [1] * (k - 1) + [n - k + 1], np.random.default_rng(3), 4000)
    seen = np.array([(draws == r).all(axis=1).sum() for r in law.outputs])
    assert seen.sum() == 4000
    assert seen == pytest.approx(4000 * law.probabilities, abs=5 * math.sqrt(1000))
    w = marginal(prior, n)
    assert w @ mean_errors(better, prior, n) <= w @ mean_errors(base, prior, n) + 1e-12


def test_a_remap_at_budgets_beyond_every_double():
    assert remapped_geometric(1e4).law([1, 1], [3, 2]).probabilities.tolist() == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: geometric_remap([1, 1, 1], 5, 1, [0]), ValueError, "prior must have two categories"),
    (lambda: geometric_remap([1, 1], 5, 1, [6]), ValueError, "outputs must be whole numbers >= 0"),
    (lambda: remaps.geometric_remap([1, 1], 10**8, 1e-3, [10**8 // 2]), ValueError, "epsilon must be larger"),
    # the prior puts its mass tens of thousands of counts away
    (lambda: geometric_remap([1e4, 1], 10**6, 0.2, [0]), ValueError, "epsilon must be larger"),
])  # fmt: skip
def test_an_argument_out_of_range_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
