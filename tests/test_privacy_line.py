"""Audits without a table and on a grid, against tables, which test_privacy_audit.py compares with brute force."""

import numpy as np
import pytest

import dpbi
from dpbi import audit, calibrate, ehd, ehdl, ehds, epsilon_at_delta, hockey_stick, lshist, smoothed_hellinger
from dpbi.privacy import grid, loss_on_grid, losses

FAMILIES = {"ehd": ehd, "ehdl": ehdl, "ehds": ehds, "ehds, gamma 0.1": lambda e: ehds(e, gamma=0.1)}
FAMILIES["smoothed_hellinger"] = lambda e: smoothed_hellinger(e, 1e-8)
PRIORS = [(1.0, 1.0), (0.01, 7.0)]


def on_the_line(function, *arguments):
    """The result of a function that makes no table however small it would be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "MAX_BLOCK_RECORDS", 0)
        patch.setattr(losses, "LINE_BLOCK_DATASETS", 7)  # several blocks
        return function(*arguments)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", FAMILIES)
def test_pairs_along_the_line_agree_with_the_table(name, prior):
    rng = np.random.default_rng(len(name) + int(10 * prior[0]))
    for n in (1, 8, int(rng.integers(60, 160))):
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


def test_far_outputs_are_one_column():
    """The window is a small part of the line, and the laws add up all the same."""
    parts = list(losses.pairs_of_neighbours(ehdl(0.8), np.ones(2), 2000))
    assert max(part.log_p.shape[1] for part in parts) < 1300
    for part in parts[::40]:
        assert np.exp(part.log_p).sum(axis=1) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("prior", [(0.1, 7.0)])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_grid_of_all_neighbours_gives_the_audit(name, prior, monkeypatch):
    mechanism = FAMILIES[name](0.8)
    for n in (1, 2, 300):
        assert loss_on_grid(mechanism, prior, n).epsilon == pytest.approx(audit(mechanism, prior, n).epsilon, rel=1e-11)
    monkeypatch.setattr(grid, "DENSE_DATASETS", 3)
    monkeypatch.setattr(grid, "DENSE_CHANGES", 2)
    found = loss_on_grid(mechanism, prior, 300)
    assert 0 < found.epsilon <= audit(mechanism, prior, 300).epsilon * (1 + 1e-11)
    here, there = (mechanism.law(prior, x).log_probabilities for x in (found.counts, found.neighbour))
    r = found.output[0]
    assert here[r] - there[r] == pytest.approx(found.epsilon, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "loss"),  # of a search of all neighbours
    [(10**6, 0.5207709233837382), (10**7, 0.5371395586857813), (10**9, 0.649228665590113)],
)
def test_the_smoothed_mechanism_loses_more_from_a_million_on(n, loss):
    assert loss_on_grid(smoothed_hellinger(0.8, 1e-8), [1, 1], n).epsilon / 0.8 == pytest.approx(loss, rel=1e-9)


def test_a_calibrated_mechanism_has_a_loss_on_its_grid():
    mechanism = calibrate(ehdl, [1, 1], 6, 0.5)
    assert loss_on_grid(mechanism, [1, 1], 6).epsilon == pytest.approx(0.5, rel=1e-10)
    with pytest.raises(ValueError, match="prior and n must be those of the calibration"):
        loss_on_grid(mechanism, [1, 1], 7)


def test_long_tables_are_refused_with_the_remedy(monkeypatch):
    large, wide = "loss_on_grid gives a loss .* mechanism.promise_at", "loss_between compares two datasets, and mech"
    for n, k, words in ((10**6, 2, "n must be at most 20,000 .*" + large), (200, 3, wide)):
        for call in (audit, lambda *at: hockey_stick(*at, 0.1), lambda *at: epsilon_at_delta(*at, 0.1)):
            with pytest.raises(ValueError, match=words):
                call(ehd(0.8), np.ones(k), n)
    with pytest.raises(ValueError, match=large):
        calibrate(ehd, [1, 1], 10**6, 1.0)
    monkeypatch.setattr("dpbi.mechanisms.flips.log_flips", None)  # the table is refused before a law is computed
    with pytest.raises(ValueError, match="n must be small enough"):
        audit(dpbi.permute_and_flip(0.8), [1, 1], 10**6)
    for mechanism, prior in ((lshist(0.8), [1, 1]), (ehd(0.8), [1, 1, 1])):
        with pytest.raises(ValueError, match=r"mechanism must be exponential .* audit"):
            loss_on_grid(mechanism, prior, 10)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "name", ["lszhang", "lshist", "geometric", "staircase", "lattice_laplace", "randomised_response"]
)
def test_noise_attains_its_guarantee_where_it_says(name, k):
    for n in range(1, 6):
        mechanism = dpbi.MECHANISMS[name].at(0.8)
        place = mechanism.attained(n, k)
        if place is None:
            assert n == 1
            continue
        law = mechanism.law([1.0] * k, place[0]), mechanism.law([1.0] * k, place[1])
        row = int(np.flatnonzero((law[0].outputs == place[2]).all(axis=1))[0])
        loss = law[0].log_probabilities[row] - law[1].log_probabilities[row]
        guaranteed = mechanism.promise_at([1.0] * k, n).epsilon
        assert loss == pytest.approx(guaranteed, rel=1e-12)
        assert np.abs(place[0] - place[1]).sum() == 2
        assert audit(mechanism, [1.0] * k, n).epsilon == guaranteed


def test_ehd_can_lose_more_than_half_of_epsilon():
    assert audit(ehd(1.0), [1, 1, 1], 3).epsilon == pytest.approx(0.513941, abs=1e-6)
    assert audit(ehd(1.0), [1e-12, 1e-12, 1e6], 2).epsilon > 0.557
    assert audit(ehd(0.01), [1e6, 1e12, 1e12], 30).epsilon > 0.997 * 0.01  # nearly all of it
