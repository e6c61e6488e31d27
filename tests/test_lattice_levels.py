"""Lattice noise that leads far from every dataset: held to sums over all moves, lists, other sums and draws."""

import math

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import lattice_levels
from dpbi.accuracy.lattice_levels import factors_at, most_affinity, most_levels
from dpbi.accuracy.lattice_sums import LatticeSums
from dpbi.mechanisms.noise import TWO_SIDED_GEOMETRIC
from dpbi.model.distances import count_distances
from oracles import loggamma, mp

TWO = TWO_SIDED_GEOMETRIC.at(0.2)


@pytest.mark.parametrize("x", [(0, 10**6, 10**6), (0,) * 9 + (10**6,), (0, 0, 3, 40, 10**5), (5, 9, 2, 0)])
def test_no_more_levels_are_prepared_than_are_needed(x):
    """Chernoff's inequality says how many; the sums of probabilities say when nothing is left."""
    small, counts = 24.0, np.array(x)
    sums = LatticeSums(np.ones(len(x)), counts, TWO, small)
    reach, log_zero = TWO.reach(small + math.log(len(x))), math.log(sums._zero)
    near, times = np.unique(counts[(counts <= reach) | (counts.sum() - counts <= reach)], return_counts=True)
    prepared = most_levels(TWO, len(x), sum(x), near, times, small - log_zero)
    assert sums.lost < 60 * math.exp(-small)
    assert sums._levels <= prepared < 3 * sums._levels + 4


@pytest.mark.parametrize("x", [(0, 0, 3, 40, 10**5), (5, 9, 2, 0), (0, 1, 10**4, 10**4), (60, 90, 0, 80, 300)])
@pytest.mark.parametrize("enough", [9.0, 35.0])
def test_levels_end_where_chernoffs_bound_does(x, enough):
    """By sums over all moves, of the formula as it stands."""
    v, rates = np.arange(-900, 901), 0.2 * np.linspace(-0.97, 0.97, 24)
    p, near = np.exp(-0.2 * abs(v)) * math.tanh(0.1), [count for count in x if count < 10**4]

    def log_bound(level):
        a, b = rates[:, None, None], rates[None, :, None]
        logs = (len(x) - len(near)) * ((a - b)[:, :, 0] * level + np.log((p * np.exp(b * v)).sum(axis=-1)))
        for count in near:
            logs += np.log((p * np.exp(a * v + (b - a) * np.maximum(v - level, -count))).sum(axis=-1))
        return logs[rates[:, None] < rates].min()

    found = most_levels(TWO, len(x), sum(x), *np.unique(near, return_counts=True), enough)
    assert found == sum(x) or log_bound(found) <= -enough
    assert log_bound(found - 2 - found // 15) > -enough


@pytest.mark.parametrize("rate", [1.5, 0.3, 0.02])
@pytest.mark.parametrize(("weight", "count", "n"), [(0.5, 0, 10**6), (2.0, 3, 4000), (1.0, 30, 10**5), (0.3, 9, 12)])
def test_each_factor_is_the_sum_over_all_moves(weight, count, n, rate):
    noise, levels = TWO_SIDED_GEOMETRIC.at(rate), np.arange(14)
    found = factors_at(levels, np.array([[weight]]), np.array([[count]]), n, noise, noise.reach(46.0))[0]
    a, share = mp.mpf(weight) + count, (1 - mp.exp(-mp.mpf(rate))) / (1 + mp.exp(-mp.mpf(rate)))
    reach, bulk = noise.reach(46.0), min(n, count + noise.reach(46.0))

    def affinity(left):
        return mp.exp(loggamma(a + mp.mpf(left - count) / 2) - (loggamma(a) + loggamma(a + left - count)) / 2)

    near = [affinity(left) for left in range(bulk + 1)]
    for level in levels.tolist():
        moves = range(-reach, reach + 1)
        left = [max(min(count + v, n) - level, 0) for v in moves]
        true = mp.fsum(share * mp.exp(-rate * abs(v)) * near[r] for v, r in zip(moves, left, strict=True))
        assert found[level] == pytest.approx(float(true), rel=1e-11)


@pytest.mark.parametrize(
    ("prior", "x", "epsilon"),
    [
        ((0.01,) * 5, (2, 2, 2, 2, 2), 0.5),
        ((1e-4, 1e-3, 1e-5, 1e-4), (3, 1, 4, 2), 0.3),
        ((1e-5,) * 4, (9, 0, 0, 6), 1.0),
        ((1e-6,) * 3, (12, 0, 0), 0.6),
        ((1e-6, 1e-6, 1e-5, 1e-6), (0, 3, 3, 3), 4.0),
    ],
)
def test_no_list_has_more_affinity(prior, x, epsilon, monkeypatch):
    monkeypatch.setattr(lattice_levels, "FAR", 0.0)
    prior, counts, mechanism = np.array(prior), np.array(x), dpbi.lattice_laplace(epsilon)
    law = mechanism.law(prior, counts)
    H = count_distances(prior, counts, law.outputs)
    assert float(law.probabilities @ (1 - H**2)) <= most_affinity(prior, counts, mechanism.noise(prior, counts).noise)


@pytest.mark.parametrize(("k", "count", "epsilon"), [(40, 30, 0.3), (60, 8, 0.5), (30, 100, 0.1), (80, 0, 0.5)])
def test_sums_have_less_affinity_and_not_much_less(k, count, epsilon):
    counts = np.append(np.full(k - 1, count), 10**5)
    noise = dpbi.lattice_laplace(epsilon).noise(np.ones(k), counts).noise
    sums = LatticeSums(np.ones(k), counts, noise, 46.0)
    value, bound = sums.mean(1.0)
    found = most_affinity(np.ones(k), counts, noise)
    assert value - bound - sums.lost < found
    assert found == 1 or found < 1e5 * k * (value + bound + sums.lost)


@pytest.mark.parametrize("shape", ["zipf", "half empty", "last empty"])
@pytest.mark.parametrize("epsilon", [0.03, 0.003])
def test_a_thousand_categories_that_move_far_have_an_error_of_one(shape, epsilon):
    k, n = 1000, 10**6
    if shape == "zipf":
        shares = 1 / np.arange(1, k + 1)
        counts = np.floor(n * shares / shares.sum()).astype(np.int64)
    else:
        empty = 500 if shape == "half empty" else 1
        counts = np.append(np.full(k - empty, n // (k - empty)), np.zeros(empty, dtype=np.int64))
    counts[0] += n - counts.sum()
    prior, mechanism = np.ones(k), dpbi.lattice_laplace(epsilon)
    mean, deviation, _ = dpbi.error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(3), 50))
    assert mean.value == 1
    assert mean.bound < 1e-13
    assert deviation.value + deviation.bound < 1e-6
    assert (1 - H).max() < 1e-6
    lower, upper = dpbi.error_bounds(mechanism, prior, counts, 0.999)
    assert lower == 0
    assert upper < 1e-9
    assert dpbi.quantile_bounds(mechanism, prior, counts, 0.05)[0] > 1 - 1e-9


def test_usual_moves_that_are_near_are_for_sums():
    counts = np.array([10**6, 10**6, 0])
    assert most_affinity(np.ones(3), counts, TWO) == 1
