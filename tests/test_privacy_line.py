"""Audits without a table, and on a grid: against tables, which test_privacy_audit.py holds to brute force."""

import math

import numpy as np
import pytest

import dpbi
from dpbi import audit, calibrate, ehd, ehdl, ehds, epsilon_at_delta, hockey_stick, lshist, smoothed_hellinger
from dpbi.model.datasets import count_vectors
from dpbi.model.sensitivities import _u_in_doubles
from dpbi.model.sums import rule
from dpbi.privacy import grid, loss_on_grid, losses
from oracles import mp

FAMILIES = {
    "ehd": ehd,
    "ehdl": ehdl,
    "ehds": ehds,
    "ehds, gamma 0.1": lambda e: ehds(e, gamma=0.1),
    "smoothed_hellinger": lambda e: smoothed_hellinger(e, 1e-8),
}
PRIORS = [(1.0, 1.0), (0.5, 2.0), (0.1, 7.0), (0.01, 0.01), (30.0, 3.0), (1000.0, 1000.0)]


def on_the_line(function, *arguments):
    """The result of a function that makes no table however small it would be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "MAX_TABLE_RECORDS", 0)
        patch.setattr(losses, "LINE_BLOCK_DATASETS", 7)  # several blocks
        patch.setattr(losses, "SATURATED_EXPONENT", 38.0)
        return function(*arguments)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_summed_along_the_line_is_that_of_the_table(name, prior):
    rng = np.random.default_rng(len(name) + int(10 * prior[0]))
    for n in (1, 2, 7, 8, int(rng.integers(60, 260))):
        mechanism = FAMILIES[name](float(rng.choice([0.07, 0.8, 6.0])))
        log_p = mechanism.laws(prior, n).log_probabilities
        losses = np.concatenate([log_p[:-1] - log_p[1:], log_p[1:] - log_p[:-1]])
        found = on_the_line(audit, mechanism, prior, n)
        assert found.epsilon == pytest.approx(losses.max(), rel=1e-12, abs=1e-14)
        here, there, r = found.counts[0], found.neighbour[0], found.output[0]
        assert log_p[here, r] - log_p[there, r] == pytest.approx(found.epsilon, rel=1e-12, abs=2e-11)  # a tie
        level = found.epsilon / 3
        gaps = np.exp(np.concatenate([log_p[:-1], log_p[1:]])) * np.maximum(-np.expm1(level - losses), 0)
        delta = on_the_line(hockey_stick, mechanism, prior, n, level)
        assert delta == pytest.approx(gaps.sum(axis=1).max(), rel=1e-11, abs=1e-15)
        if 1e-4 < delta < 0.9:
            assert on_the_line(epsilon_at_delta, mechanism, prior, n, delta) == pytest.approx(level, rel=1e-8)


def test_outputs_far_away_are_told_as_one():
    # the window is a small part of the line, and the laws add up all the same
    parts = list(losses.pairs_of_neighbours(ehdl(0.8), np.ones(2), 5000))
    assert max(part.log_p.shape[1] for part in parts) < 2000
    for part in parts[::40]:
        assert np.exp(part.log_p).sum(axis=1) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("prior", PRIORS[::2])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_grid_of_all_neighbours_has_the_audit_and_any_other_no_more(name, prior, monkeypatch):
    mechanism = FAMILIES[name](0.8)
    for n in (1, 2, 300):
        assert loss_on_grid(mechanism, prior, n).epsilon == pytest.approx(audit(mechanism, prior, n).epsilon, rel=1e-11)
    monkeypatch.setattr(grid, "DENSE_DATASETS", 3)
    monkeypatch.setattr(grid, "DENSE_MOVES", 2)
    found = loss_on_grid(mechanism, prior, 300)
    assert 0 < found.epsilon <= audit(mechanism, prior, 300).epsilon * (1 + 1e-11)
    here, there = (mechanism.law(prior, x).log_probabilities for x in (found.counts, found.neighbour))
    r = found.output[0]
    assert here[r] - there[r] == pytest.approx(found.epsilon, rel=1e-10)


@pytest.mark.slow
# the losses are those of a search of all neighbours
@pytest.mark.parametrize(
    ("n", "loss"),
    [
        (10**6, 0.5207709233837382),
        pytest.param(10**7, 0.5371395586857813, marks=pytest.mark.slow),
        pytest.param(10**9, 0.649228665590113, marks=pytest.mark.slow),
    ],
)
def test_the_smoothed_mechanism_loses_more_from_a_million_records_on(n, loss):
    assert loss_on_grid(smoothed_hellinger(0.8, 1e-8), [1, 1], n).epsilon / 0.8 == pytest.approx(loss, rel=1e-9)


def test_what_is_too_long_is_refused_and_what_to_do_is_said():
    large, wide = "loss_on_grid gives a loss .* mechanism.guarantee one", "loss_between compares two datasets, and mech"
    for n, k, words in ((10**6, 2, "n must be at most 20,000 .* got n=1000000: " + large), (200, 3, wide)):
        for call in (audit, lambda *at: hockey_stick(*at, 0.1), lambda *at: epsilon_at_delta(*at, 0.1)):
            with pytest.raises(ValueError, match=words):
                call(ehd(0.8), np.ones(k), n)
    with pytest.raises(ValueError, match=large):
        calibrate(ehd, [1, 1], 10**6, 1.0)
    for mechanism, prior in ((lshist(0.8), [1, 1]), (ehd(0.8), [1, 1, 1])):
        with pytest.raises(ValueError, match=r"mechanism must be exponential .* audit takes a table of all laws"):
            loss_on_grid(mechanism, prior, 10)


@pytest.mark.parametrize("count", [1, 2, 20, 21, 40, 41, 81, 1000, 123_457])
def test_the_rule_for_sums_is_that_of_a_plain_sum(count):
    t = np.arange(count)
    nodes, weights = rule(count)
    for f in (
        lambda t: np.sqrt(t + 0.7),
        lambda t: np.log(count - t + 0.3),
        lambda t: np.exp(-0.9 * t / (1 + t) ** 0.5),
    ):
        assert weights @ f(nodes) == pytest.approx(math.fsum(f(t)), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(
    "name", ["lszhang", "lsdim", "lshist", "geometric", "staircase", "lattice_laplace", "randomised_response"]
)
def test_noise_attains_its_guarantee_where_it_says(name, k):
    for n in range(1, 6):
        mechanism = dpbi.MECHANISMS[name].at(0.8)
        place = mechanism.attained(n, k)
        if place is None:
            assert n == 1
            continue
        law = mechanism.law([1.0] * k, place.counts), mechanism.law([1.0] * k, place.neighbour)
        row = int(np.flatnonzero((law[0].outputs == place.output).all(axis=1))[0])
        loss = law[0].log_probabilities[row] - law[1].log_probabilities[row]
        guaranteed = mechanism.guarantee([1.0] * k, n).epsilon
        assert loss == pytest.approx(guaranteed, rel=1e-12)
        assert np.abs(place.counts - place.neighbour).sum() == 2
        assert audit(mechanism, [1.0] * k, n).epsilon == guaranteed


def test_noise_is_audited_at_any_size_and_at_any_budget():
    assert audit(lshist(0.8), [1.0] * 5, 10**9).epsilon == 0.8
    assert audit(dpbi.geometric(1e-12), [1, 1], 10).epsilon == 1e-12  # the table says 1.0019e-12


def test_half_is_no_law_even_where_the_two_smallest_weights_are_equal():
    assert audit(ehd(1.0), [1, 1, 1], 3).epsilon == pytest.approx(0.513941, abs=1e-6)
    assert audit(ehd(1.0), [1e-12, 1e-12, 1e6], 2).epsilon > 0.557
    assert audit(ehd(0.01), [1e6, 1e12, 1e12], 30).epsilon > 0.997 * 0.01  # nearly all of it


def test_u_of_a_single_number_is_the_difference_of_log_gammas():
    rng = np.random.default_rng(5)
    for a in [*(10 ** rng.uniform(-15, 8, 300)).tolist(), 1e-300, 15.9999, 16.0]:
        with mp.workdps(60):
            z = mp.mpf(a)
            truth = mp.log(z) / 2 + mp.loggamma(z) - mp.loggamma(z + mp.mpf(1) / 2)
        assert _u_in_doubles(a) == pytest.approx(float(truth), rel=2e-15)


def test_tables_made_in_blocks_are_the_same(monkeypatch):
    mechanisms = [ehd(0.8), ehdl(2.0), lshist(0.8), dpbi.lattice_laplace(0.5)]
    settings = [([0.5, 2.0], 40), ([1.0, 2.0, 0.3], 6)]
    whole = [m.laws(prior, n).log_probabilities for m in mechanisms for prior, n in settings]
    monkeypatch.setattr(dpbi.model.datasets, "CHUNK_NUMBERS", 100)
    parts = [m.laws(prior, n).log_probabilities for m in mechanisms for prior, n in settings]
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))
    assert count_vectors(6, 3).shape == (28, 3)
