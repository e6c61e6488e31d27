"""Lattice noise that leads far from every dataset: held to sums over all moves, lists, other sums and draws."""

import math

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import lattice_levels
from dpbi.accuracy.lattice_levels import levels_of, log_factors, most_affinity, most_levels
from dpbi.accuracy.lattice_sums import LatticeSums
from dpbi.mechanisms.noise import TWO_SIDED_GEOMETRIC
from dpbi.model.distances import count_distances, moved_gap
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


@pytest.mark.parametrize("rate", [1.5, 0.3, 0.05])
@pytest.mark.parametrize(("weight", "count", "n"), [(0.5, 0, 10**6), (2.0, 3, 4000), (1.0, 30, 10**5), (0.3, 9, 12)])
@pytest.mark.parametrize("share", [0.0, 0.5, -0.7])
def test_each_factor_is_the_sum_over_all_moves(weight, count, n, rate, share):
    """Where a category may be full, those that move up count as if they were near it, or as if it were farther on."""
    noise, some, levels = TWO_SIDED_GEOMETRIC.at(rate), rate * np.array([0.0, 0.4, -0.6]), np.arange(14)
    tilt, reach = share * rate, noise.reach(100.0)
    found = log_factors(levels, np.array([weight]), np.array([count]), n, noise, reach, tilt, some)[0]
    at, still = mp.mpf(weight) + count, (1 - mp.exp(-mp.mpf(rate))) / (1 + mp.exp(-mp.mpf(rate)))

    def gap(left):
        return (loggamma(at) + loggamma(at + left - count)) / 2 - loggamma(at + mp.mpf(left - count) / 2)

    gaps = {left: gap(left) for left in range(min(n, count + reach) + 1)}
    for level in (0, 1, 6, 13):
        for b, log_found in zip(some.tolist(), found[level].tolist(), strict=True):
            true, most, near, farther = (mp.mpf(0) for _ in range(4))
            for v in range(-reach, reach + 1):
                left = max(min(count + v, n) - level, 0)
                beside = max(level - count - v, 0) - max(count + v - n, 0) - level
                log_share = -rate * abs(v) + b * beside
                true += (term := mp.exp(log_share - gaps[left] + tilt * (left - count)))
                if n - count > reach or v <= 0 or left == 0 or count + v > n:
                    most += term
                if n - count <= reach and 0 < v <= n - count:
                    near += mp.exp(-rate * v + tilt * (v - level) - b * level)
                if n - count <= reach and v > 0 and 0 < count + v - level <= n:
                    farther += mp.exp(-rate * v - gaps[count + v - level] + tilt * (v - level) - b * level)
            if level <= count or n > 12:  # beyond, those that are emptied count among those that move up as well
                assert log_found == pytest.approx(float(mp.log(still * (most + min(near, farther)))), abs=1e-9)
            assert log_found >= float(mp.log(still * true)) - 1e-9


@pytest.mark.parametrize("x", [(12, 0, 0), (0, 300, 0), (3, 5, 40), (0, 2, 2), (50, 50, 0)])
@pytest.mark.parametrize("rate", [1.0, 0.25])
def test_no_level_has_more_affinity(x, rate):
    """Records are taken one at a time, of all noise that is not next to nothing."""
    prior, counts, n, noise = np.array([0.5, 1.0, 2.0]), np.array(x), sum(x), TWO_SIDED_GEOMETRIC.at(rate)
    reach = int(30 / rate)
    v = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 2), axis=-1).reshape(-1, 2)
    v = np.column_stack([v, -v.sum(axis=1)])
    share = np.exp(-rate * np.abs(v).sum(axis=1))
    left, taken = np.clip(counts + v, 0, n), np.zeros(len(v), dtype=int)
    while (more := left.sum(axis=1) > n).any():
        step = taken % 3
        left[more, step[more]] = np.maximum(left[more, step[more]] - 1, 0)
        taken[more] += 1
    y = np.exp(-moved_gap(prior, counts, left - counts).sum(axis=1))
    true = np.bincount(np.maximum(taken - 1, 0) // 3, share * y) / share.sum()
    found = np.exp(levels_of(prior, counts, noise).logs)
    assert (true[: len(found)] < found[: len(true)] + 1e-12).all()
    assert true[len(found) :].sum() < 1e-15
    assert found[0] < 1e3 * true[0]


@pytest.mark.parametrize("x", [(12, 0, 0), (5, 0, 0), (0, 9, 0), (0, 300, 0), (3, 5, 40), (0, 2, 2), (50, 50, 0)])
@pytest.mark.parametrize("small", [4.0, 12.0])
def test_rings_are_as_long_as_totals_and_not_much_longer(x, small):
    """All noise is listed, of any total: what a step of a level makes of it, and how far its total is."""
    prior, counts, n, noise = np.array([0.5, 1.0, 2.0]), np.array(x), sum(x), TWO_SIDED_GEOMETRIC.at(1.2)
    v = np.stack(np.meshgrid(*[np.arange(-25, 26)] * 3), axis=-1).reshape(-1, 3)
    v = v[np.abs(v).sum(axis=1) < 27]
    share, y, zero = np.exp(-1.2 * np.abs(v).sum(axis=1)), counts + v, share_of_no_total(1.2)
    rings = levels_of(prior, counts, noise).rings(small)
    far, less_far, farthest = 0.0, 0.0, 0
    for level, ring in enumerate(rings.tolist()):
        for step in range(-1 if level == 0 else 0, 3):  # at first also where nothing is taken
            taken = level + (np.arange(3) <= step)
            beside = np.maximum(taken - y, 0).sum(axis=1) - np.maximum(y - n, 0).sum(axis=1)
            there = (beside == taken.sum()) & ((step < 0) | (y[:, step] >= taken[step]))
            moves = np.maximum(np.minimum(y[there], n) - taken, 0) - counts
            found = share[there] * np.exp(-moved_gap(prior, counts, moves).sum(axis=1)) / zero
            total = np.abs(moves.sum(axis=1))
            far += float(found[total >= ring].sum())
            less_far += float(found[total >= 0.4 * ring].sum())
            farthest = max(farthest, int(total.max(initial=0)))
    assert far < math.exp(-small)
    assert less_far > math.exp(-small) or farthest < 0.4 * rings.max()


def share_of_no_total(rate):
    """Three times noise, by listing two of them."""
    v = np.arange(-60, 61)
    return float(np.exp(-rate * (abs(v)[:, None] + abs(v) + abs(v[:, None] + v))).sum())


@pytest.mark.parametrize(
    ("x", "epsilon"), [((10**6, 0, 2), 0.03), ((10**4,) + (0,) * 9, 0.1), ((900, 0, 90, 6, 700), 0.1), ((5, 2, 0), 0.3)]
)
def test_levels_at_which_releases_are_far_are_left_out(x, epsilon):
    """Held to the sums over all levels."""
    prior, counts = np.ones(len(x)), np.array(x)
    noise = dpbi.lattice_laplace(epsilon).noise(prior, counts).noise
    fewer, every = (LatticeSums(prior, counts, noise, 32.0, powers=powers) for powers in (True, False))
    assert x[0] < 10**6 or 2 * fewer._levels < every._levels
    for theta in (1.0, 2.0, 17.5, 4000.0):
        (value, off), (true, doubt) = fewer.mean(theta), every.mean(theta)
        assert abs(value - true) <= off + doubt + every.lost + fewer.lost
        assert off < 1e-10


def test_levels_before_and_rings_are_left_out_as_well():
    """Held to the sums over all levels, around the ring of all totals."""
    prior, counts = np.ones(60), np.append(10**4, np.zeros(59, dtype=np.int64))
    noise = dpbi.lattice_laplace(0.1).noise(prior, counts).noise
    sums = LatticeSums(prior, counts, noise, 32.0, powers=True)
    at, middle = sums._exponent(1.0), slice(sums._levels // 2, sums._levels // 2 + 1)
    assert sums._first > 5
    assert 3 * sums._ring(at, middle).N < 2 * at.N
    lengths = [sums._ring(at, slice(level, level + 1)).N for level in range(sums._levels)]
    assert (np.array(lengths) >= np.minimum(sums._rings[: sums._levels], at.N)).all()
    found, lost = [sums.mean(theta) for theta in (1.0, 8.0, 900.0)], sums.lost
    sums._rings, sums._first = np.empty(0, dtype=np.int64), 0
    for theta, (value, off) in zip((1.0, 8.0, 900.0), found, strict=True):
        true, doubt = sums.mean(theta)
        assert abs(value - true) <= off + doubt + lost
        assert off + lost < 1e-9


@pytest.mark.parametrize(("k", "n"), [(30, 10**6), (100, 10**12)])
@pytest.mark.parametrize("epsilon", [0.01, 0.001])
def test_all_records_in_one_of_many_categories_are_quick_to_sum(k, n, epsilon):
    """Draws say that none is near."""
    prior, counts, mechanism = np.ones(k), np.append(n, np.zeros(k - 1, dtype=np.int64)), dpbi.lattice_laplace(epsilon)
    noise = mechanism.noise(prior, counts).noise
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(3), 50))
    assert (1 - H).max() < 1e-3
    affinity = most_affinity(prior, counts, noise)
    assert affinity < (1e-4 if k == 30 else 1e-12)
    if affinity > lattice_levels.ALL_FAR:
        sums = LatticeSums(prior, counts, noise, 32.0, powers=True)
        assert sums.lost < 1e-11
        assert sums.mean(1.0)[0] < affinity


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


@pytest.mark.parametrize("epsilon", [12.0, 19.9, 20.1, 2e3, 1e6])
@pytest.mark.parametrize("x", [(10**6, 0, 5), (0, 0, 3), (10**12, 0, 0), (10**6,) * 3])
def test_of_narrow_noise_nothing_is_far(x, epsilon):
    prior, counts = np.ones(3), np.array(x)
    noise = dpbi.lattice_laplace(epsilon).noise(prior, counts).noise
    assert most_affinity(prior, counts, noise) == 1
    assert dpbi.error_moments(dpbi.lattice_laplace(epsilon), prior, counts).mean.value < 0.01
