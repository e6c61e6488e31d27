"""Lattice noise with few large counts: held to enumeration, to sums of all categories around one ring, and to draws."""

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import lattice_sums
from dpbi.accuracy.lattice_few import Pair, Window, far_sums, window
from dpbi.accuracy.lattice_sums import LatticeSums
from dpbi.model.distances import count_distances, moved_gap

THETAS = (1.0, 1.7, 6.0, 40.0, 3000.0)


def sums_of(prior, counts, epsilon):
    noise = dpbi.lattice_laplace(epsilon).noise(prior, counts).noise
    return LatticeSums(prior, counts, noise, 32.0, powers=True)


@pytest.mark.parametrize(
    ("x", "epsilon"),
    [((280, 260, 0), 0.5), ((0, 270, 240), 0.5), ((220, 2, 231), 0.6), ((0, 1, 400), 0.5), ((0, 60, 400), 0.6)],
)
def test_powers_are_those_of_the_law(x, epsilon, monkeypatch):
    prior, counts, mechanism = np.array([1.0, 0.5, 2.0]), np.array(x), dpbi.lattice_laplace(epsilon)
    law = mechanism.law(prior, counts)
    D = moved_gap(prior, counts, law.outputs - counts).sum(axis=1)
    monkeypatch.setattr(lattice_sums, "SHORT", 1)
    sums = sums_of(prior, counts, epsilon)
    assert sums._exponent(3.0).window is not None or counts.max() == 400  # which may be all
    for theta in THETAS:
        value, off = sums.mean(theta)
        true = float(law.probabilities @ np.exp(-theta * D))
        assert abs(value - true) <= off + sums.lost + 1e-13 * true
        assert off + sums.lost < 1e-11


@pytest.mark.parametrize(
    ("prior", "x", "epsilon"),
    [
        ((1.0,) * 5, (100000, 100000, 0, 0, 3), 0.1),
        ((1.0, 2.0, 0.5, 1.0, 1.0, 3.0), (0, 100000, 2, 0, 90000, 5), 0.1),
        ((1.0,) * 10, (100000, 100000, 90000) + (0,) * 7, 0.2),
        ((0.3,) * 6, (0, 0, 100000, 0, 100001, 0), 0.05),
        ((1.0,) * 4, (8000, 0, 40, 8000), 0.1),
        ((1.0,) * 4, (3000, 0, 6000, 90), 0.1),
        ((1e-3, 5.0, 1.0, 1.0), (0, 2500, 30, 0), 0.5),
        ((1.0,) * 3, (10**9, 10**6, 0), 0.3),
    ],
)
def test_sums_side_by_side_are_those_around_one_ring(prior, x, epsilon, monkeypatch):
    prior, counts = np.array(prior), np.array(x)
    sums = sums_of(prior, counts, epsilon)
    assert any(sums._exponent(theta).window is not None for theta in THETAS) or len(x) == 4
    found = [sums.mean(theta) for theta in THETAS]
    monkeypatch.setattr(lattice_sums, "FEW", 0)
    assert sums._exponent(1.0).window is None
    for theta, (value, off) in zip(THETAS, found, strict=True):
        true, doubt = sums.mean(theta)
        assert abs(value - true) <= off + doubt
        assert abs(value - true) <= 1e-13
        assert off < 1e-10


@pytest.mark.parametrize("together", [1, 3, 1000])
def test_one_level_at_a_time_or_many_are_the_same(together, monkeypatch):
    sums = sums_of(np.ones(5), np.array([9000, 0, 0, 8000, 1]), 0.3)
    value, off = sums.mean(1.0)
    levels = sums._levels
    monkeypatch.setattr(
        LatticeSums, "_some", lambda *_: [slice(i, min(i + together, levels)) for i in range(0, levels, together)]
    )
    again, doubt = sums.mean(1.0)
    assert abs(value - again) < min(off, doubt)


@pytest.mark.parametrize("levels", [0, 5, 60])
@pytest.mark.parametrize("first", [(-9, -4), (-40, -30)])
def test_a_pair_is_summed_over_all_moves(levels, first):
    """One move after the other."""
    share, decay, rng = np.tanh(0.15), 0.3, np.random.default_rng(levels)
    kept, moves = rng.random((2, 55)), np.array(first)[:, None] + np.arange(55)
    totals = np.arange(-12, 7)
    found, off = Pair(kept, moves, totals, levels + 1, share, decay).sums(slice(levels, levels + 1))
    sizes = Pair(kept, moves, totals, levels + 1, share, decay).sizes
    for p, (a, b) in enumerate([(levels, levels), (levels + 1, levels), (levels + 1, levels + 1)]):
        one, two = (kept[i] * share * np.exp(-decay * np.abs(moves[i] + taken)) for i, taken in enumerate((a, b)))
        both = np.convolve(one, two)
        true = both[totals - sum(first)]
        assert abs(found[p, 0] - true).max() <= off[0]
        assert found[p, 0] == pytest.approx(true, rel=1e-11)
    assert sizes[levels + 1] == pytest.approx([one.sum(), two.sum()], rel=1e-12)
    assert off[0] < 1e-11 * true.max()


@pytest.mark.parametrize("h", [1, 2, 3])
def test_transforms_of_those_far_from_the_ends_are_multiplied_in_their_order(h):
    """By convolutions."""
    N, masses = 64, np.random.default_rng(h).random((4, h, 9))
    totals = np.arange(0, 9 * h - h + 1)
    found = far_sums(np.fft.rfft(masses, N), N, totals)
    for p in range(h + 1):
        for b in range(3):
            true = np.ones(1)
            for i in range(h):
                true = np.convolve(true, masses[b + 1 if i < p else b, i])
            assert found[p, b] == pytest.approx(true, rel=1e-12)


def test_beyond_the_window_is_next_to_nothing():
    """Of all totals, listed."""
    moves = np.stack([np.arange(-3, 40), np.arange(0, 43)])
    shares = np.exp(-np.stack([0.7 * abs(moves[0]), 0.4 * moves[1]]))
    shares /= shares.sum(axis=1, keepdims=True)
    for log_enough in (5.0, 12.0, 30.0):
        found = window(moves, np.log(shares), np.array([2, 1]), log_enough)
        law = np.convolve(np.convolve(shares[0], shares[0]), shares[1])
        totals = -6 + np.arange(len(law))
        last = found.first + found.N - 1
        assert law[totals < found.first].sum() < np.exp(-log_enough)
        assert law[totals > last].sum() < np.exp(-log_enough)
        assert found.first >= -6
        assert last < 3 * log_enough + 25
    assert window(moves[:, :1], np.zeros((2, 1)), np.array([1, 1]), 30.0) == Window(-3, 4)


@pytest.mark.parametrize(
    ("k", "n", "epsilon", "large", "weight"),
    [
        (10, 10**6, 0.1, 2, 1.0),
        (5, 10**9, 0.05, 3, 1.0),
        (40, 10**7, 0.2, 2, 1.0),
        (100, 1000, 0.1, 2, 1.0),
        (1000, 3000, 0.1, 2, 1.0),
        (100, 900, 0.1, 3, 50.0),
    ],
)
def test_the_mean_error_is_that_of_draws(k, n, epsilon, large, weight):
    counts = np.append(np.full(large, n // large), np.zeros(k - large, dtype=np.int64))
    prior, mechanism = np.full(k, weight), dpbi.lattice_laplace(epsilon)
    mean, deviation, _ = dpbi.error_moments(mechanism, prior, counts)
    assert mean.bound < 1e-10
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(5), 4000))
    assert abs(H.mean() - mean.value) < 4 * deviation.value / np.sqrt(4000)
    assert H.std() == pytest.approx(deviation.value, rel=0.1, abs=0.01)


def test_moves_in_the_large_counts_may_be_wide():
    """What counts is the empty one; all categories around one ring would take minutes."""
    prior, counts, mechanism = np.ones(3), np.array([5 * 10**11, 5 * 10**11, 0]), dpbi.lattice_laplace(0.02)
    mean, deviation, _ = dpbi.error_moments(mechanism, prior, counts)
    assert mean.bound < 1e-10
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(1), 20_000))
    assert abs(H.mean() - mean.value) < 4 * deviation.value / np.sqrt(20_000)
