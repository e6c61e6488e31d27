"""Distributions of mechanisms against their definitions in mpmath (tests/oracles.py), and samples against both."""

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.mechanisms import all_laws
from dpbi.mechanisms.exponential import printed_smoothness
from dpbi.model import datasets, distances
from oracles import mp

EPSILONS = [1e-6, 0.8, 700.0]
DATASETS = [(0, 1), (2, 3), (6, 0), (0, 1, 0), (2, 1, 1), (0, 0, 3), (0, 2, 0, 1)]
PRIORS = {2: [(1.0, 1.0), (0.01, 30.0)], 3: [(1.0, 1.0, 1.0), (0.3, 5.0, 0.02)], 4: [(0.5, 0.5, 0.5, 0.5)]}
SETTINGS = [(prior, x) for x in DATASETS for prior in PRIORS[len(x)]]


def count_sensitivity(k):
    return 1 if k == 2 else 2


def printed_beta(epsilon, delta, n):
    return mp.log(1 - mp.mpf(epsilon) / (2 * mp.log(mp.mpf(delta) / (2 * (n + 1)))))


def over(epsilon, scale):
    return mp.mpf(epsilon) / scale if scale else mp.mpf(0)


def noisy(noise, scale):
    """Law with independent noise, of scale / epsilon, on all counts but the last."""
    return lambda e, prior, x: oracles.independent_noise(noise, x, scale(len(x)) / mp.mpf(e))


def exponential(scale):
    """Law of the exponential mechanism of rate epsilon / scale."""
    return lambda e, prior, x: oracles.exponential_mechanism(prior, x, over(e, scale(e, prior, x)))


def twice_global(e, prior, x):
    return 2 * oracles.global_sensitivity(prior, sum(x))


def smooth(e, prior, x, delta):
    return oracles.exponential_smooth_sensitivity(prior, x, printed_beta(e, delta, sum(x)))


# name: (mechanism at epsilon, its law at epsilon, prior and dataset)
MECHANISMS = {
    "lszhang": (dpbi.lszhang, noisy(oracles.floored_laplace, lambda k: 2 * k)),
    "lsdim": (dpbi.lsdim, noisy(oracles.floored_laplace, lambda k: k)),
    "lshist": (dpbi.lshist, noisy(oracles.floored_laplace, count_sensitivity)),
    "geometric": (dpbi.geometric, noisy(oracles.two_sided_geometric, count_sensitivity)),
    "staircase": (dpbi.staircase, noisy(oracles.staircase, count_sensitivity)),
    "discrete_gaussian":
        (dpbi.discrete_gaussian, noisy(oracles.discrete_gaussian, lambda k: mp.sqrt(count_sensitivity(k)))),
    "permute_and_flip":
        (dpbi.permute_and_flip, lambda e, p, x: oracles.permute_and_flip(p, x, over(e, twice_global(e, p, x)))),
    "randomised_response": (dpbi.randomised_response, lambda e, p, x: oracles.randomised_response(x, e)),
    "laplace_in_order": (dpbi.laplace_in_order, lambda e, p, x: oracles.filled_in_order(x, 2 / mp.mpf(e))),
    "laplace_in_order, sensitivity 1": (lambda e: dpbi.laplace_in_order(e, sensitivity=1.0),
        lambda e, p, x: oracles.filled_in_order(x, 1 / mp.mpf(e))),
    "ehd": (dpbi.ehd, exponential(twice_global)),
    "ehd, sensitivity 0.25": (lambda e: dpbi.ehd(e, sensitivity=0.25), exponential(lambda e, p, x: mp.mpf(1) / 2)),
    "ehdl": (dpbi.ehdl, exponential(lambda e, p, x: 2 * oracles.local_sensitivity(p, x))),
    "ehds": (dpbi.ehds, exponential(lambda e, p, x: 4 * oracles.reciprocal_smooth_sensitivity(p, x, 1.0))),
    "ehds, gamma 0.3, divisor 2 (1 + gamma)": (lambda e: dpbi.ehds(e, gamma=0.3, divisor=2.6),
        exponential(lambda e, p, x: mp.mpf(2.6) * oracles.reciprocal_smooth_sensitivity(p, x, 0.3))),
    "smoothed_hellinger":
        (lambda e: dpbi.smoothed_hellinger(e, 1e-5), exponential(lambda e, p, x: 2 * smooth(e, p, x, 1e-5))),
    "smoothed_hellinger, divisor 1": (lambda e: dpbi.smoothed_hellinger(e, 0.02, divisor=1.0),
        exponential(lambda e, p, x: smooth(e, p, x, 0.02))),
}  # fmt: skip


def test_every_mechanism_of_the_table_has_a_definition_here():
    elsewhere = {"lattice_laplace"}  # an infinite sum: tests/test_mechanisms_lattice_noise.py
    missing = set(dpbi.MECHANISMS) - {name.partition(",")[0] for name in MECHANISMS} - elsewhere
    assert not missing, f"the laws of {missing} by their definitions belong into MECHANISMS of this file"


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_law_is_the_one_of_the_definition_in_log_space(name, epsilon):
    family, definition = MECHANISMS[name]
    for prior, x in SETTINGS:
        truth = definition(epsilon, prior, x)
        law = family(epsilon).law(prior, x)
        found = dict(zip(map(tuple, law.outputs.tolist()), law.log_probabilities, strict=True))
        assert found.keys() == truth.keys()
        for r, log_p in found.items():
            # a logarithm of size l carries an error of l times 2e-15, and one near zero of 2e-15
            assert abs(log_p - mp.log(truth[r])) < 2e-15 * (1 + abs(log_p)), (prior, x, r)


@pytest.mark.parametrize("name", MECHANISMS)
def test_without_records_the_one_candidate_is_certain(name):
    law = MECHANISMS[name][0](0.8).law([0.7] * 3, [0] * 3)
    assert law.outputs.tolist() == [[0] * 3]
    assert law.probabilities.tolist() == [1.0]
    assert MECHANISMS[name][0](0.8).sample([0.7] * 3, [0] * 3, np.random.default_rng(1), 2).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("name", [name for name, (family, _) in MECHANISMS.items() if family(1.0).laws is not None])
def test_the_table_of_all_datasets_holds_the_single_laws(name):
    mechanism = MECHANISMS[name][0](0.8)
    for prior, n in [((0.5, 2.0), 6), ((1.0, 0.1, 4.0), 4)]:
        table = mechanism.laws(prior, n)
        for row, x in zip(table.log_probabilities, oracles.datasets(n, len(prior)), strict=True):
            single = mechanism.law(prior, x)
            assert single.outputs.tolist() == table.outputs.tolist()
            assert row == pytest.approx(single.log_probabilities, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("n", [1, 10**12])
def test_the_printed_smoothness_uses_n_plus_one_whatever_k_is(n):
    assert oracles.relative_error(printed_smoothness(0.8, 1e-5, n), printed_beta(0.8, 1e-5, n)) < 1e-15


# Samples. A chi-square test at level 1e-5 for each: some twenty cry wolf with probability 2e-4, and with the fixed
# seeds they do so always or never.

LEVEL = 1e-5


@pytest.mark.parametrize("name", MECHANISMS)
def test_samples_follow_the_law(name):
    prior, x = (0.3, 1.0, 2.0), (0, 3, 2)
    mechanism = MECHANISMS[name][0](1.2)
    law = mechanism.law(prior, x)
    size = 20_000
    draws = mechanism.sample(prior, x, np.random.default_rng(20), size)
    assert draws.shape == (size, len(x))
    assert oracles.p_value(draws, law.outputs, law.probabilities) > LEVEL


@pytest.mark.parametrize("name", MECHANISMS)
def test_draws_come_from_the_generator_alone(name):
    mechanism = MECHANISMS[name][0](1.2)
    once, again, other = (mechanism.sample([1, 2, 1], [4, 0, 5], np.random.default_rng(s), 200) for s in (7, 7, 8))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)
    assert mechanism.sample([1, 2, 1], [4, 0, 5], np.random.default_rng(7), 0).shape == (0, 3)
    assert np.issubdtype(once.dtype, np.integer)


@pytest.mark.parametrize("family", [dpbi.lszhang, dpbi.lsdim, dpbi.lshist, dpbi.geometric, dpbi.laplace_in_order])
@pytest.mark.parametrize("epsilon", [1e-300, 700.0])
def test_noisy_counts_are_drawn_for_a_billion_records(family, epsilon):
    n = 10**9
    draws = family(epsilon).sample([1, 1, 1], [n, 0, 0], np.random.default_rng(3), 1000)
    assert draws.min() >= 0
    assert draws[:, :2].max() <= n
    if epsilon == 700:  # floor(Laplace) of that scale is 0 or -1
        assert set(draws[:, 0].tolist()) <= {n - 1, n}
    elif (
        family is not dpbi.laplace_in_order
    ):  # noise far beyond n: each count is at one end, and either with chance 1/2
        at_ends = (draws[:, :2] == 0) | (draws[:, :2] == n)
        assert at_ends.mean() > 0.99
        assert 400 < (draws[:, 1] == 0).sum() < 600


@pytest.mark.parametrize(
    "mechanism", [dpbi.ehd(0.8), dpbi.ehds(0.8), dpbi.lshist(0.8), dpbi.lattice_laplace(0.5)], ids=lambda m: m.name
)
def test_a_table_by_rows_is_that_from_kept_distances(mechanism, monkeypatch):
    settings = [([1, 0.3], 30), ([1.0, 2.0, 0.3], 6)]
    short = [all_laws(mechanism, prior, n)[1].log_probabilities for prior, n in settings]
    monkeypatch.setattr(distances, "KEPT_NUMBERS", 0)
    monkeypatch.setattr(datasets, "CHUNK_NUMBERS", 100)
    for whole, (prior, n) in zip(short, settings, strict=True):
        assert all_laws(mechanism, prior, n)[1].log_probabilities == pytest.approx(whole, rel=1e-13, abs=1e-13)
