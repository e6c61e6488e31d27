"""Lattice noise at counts near 0 and n, without a list: held to the laws of few records and to draws."""

import itertools
import math
import re

import mpmath
import numpy as np
import pytest

import dpbi
from dpbi import progress
from dpbi.accuracy import lattice_cells, lattice_sums, shortfalls
from dpbi.accuracy.enclosures import enclosed, enclosed_quantile, unlisted
from dpbi.accuracy.lattice_sums import LatticeSums
from dpbi.accuracy.noise_moments import noise_moments
from dpbi.accuracy.shortfalls import Circle, NearEnds
from dpbi.mechanisms.noise import TWO_SIDED_GEOMETRIC
from dpbi.model.distances import affinity_exponent, count_distances

NEAR = [
    ((1, 1, 1), (3, 8, 12), 1.0),
    ((0.5, 2, 1), (0, 0, 15), 1.5),  # all records in one category, which may exceed n
    ((1, 0.3, 2, 1), (0, 9, 0, 4), 2.0),
    ((1, 1, 1), (0, 40, 0), 2.0),
    ((1, 2, 1), (1, 0, 0), 0.7),  # any noise exceeds n
    ((1, 1, 0.1, 1, 3), (2, 0, 3, 1, 4), 3.0),
    ((1, 1, 1, 1, 1, 0.2), (0, 0, 0, 0, 0, 8), 2.0),  # equal ones in a row
    ((1, 1, 2, 1), (0, 0, 9, 0), 12.0),  # equal empty ones that are never full
    ((0.5, 2, 0.5, 1, 0.5), (0, 8, 0, 1, 0), 15.0),
]


def listed_law(prior, x, epsilon):
    """The mechanism, the exponents of its outputs and their probabilities."""
    prior, counts, mechanism = np.array(prior, float), np.array(x), dpbi.lattice_laplace(epsilon)
    law = mechanism.law(prior, counts)
    D = affinity_exponent(prior + counts, prior + law.outputs, (law.outputs - counts) / 2)
    return mechanism, prior, counts, D, law.probabilities


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR)
@pytest.mark.parametrize("small", [30.0, 4.0])
def test_sums_are_those_of_the_list(prior, x, epsilon, small):
    _, prior, counts, D, p = listed_law(prior, x, epsilon)
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(epsilon / 2), small)
    # with short windows, rings and few steps much is lost
    assert sums.lost < (1e-9 if small > 20 else 1)
    assert abs(math.exp(sums.log_itself) - p[D == 0].sum()) <= sums.lost
    scale = max(float(p @ D), 0.02 * float(D.max()))
    for theta in (-1 / D.max(), 0.0, 0.3 / scale, 2.0 / scale, 300 / scale):
        omegas = np.array([0.0, 0.7, 5.0, 90.0]) / scale
        found, log_scale = sums.spectrum(theta, omegas, 0.0)
        assert log_scale == 0
        true = np.exp(-np.multiply.outer(theta + 1j * omegas, D)) @ p
        assert (np.abs(found.values - true) <= found.errors + 3 * sums.lost).all()
        assert found.errors.max() < 1e-9


@pytest.mark.parametrize(
    ("x", "epsilon"),
    [*((x, epsilon) for _, x, epsilon in NEAR), ((0,) + (50,) * 13, 3.0), ((0,) * 12 + (500,), 0.5)],
)
def test_the_ring_is_longer_than_the_total_of_moves_is_likely_to_be(x, epsilon):
    """By convolutions of the law of the noise."""
    counts = np.array(x)
    noise = TWO_SIDED_GEOMETRIC.at(epsilon / 2)
    small, k, v = 9.0, len(counts), np.arange(-600, 601)
    sums = LatticeSums(np.ones(len(x)), counts, noise, small)
    p = np.exp(-epsilon / 2 * np.abs(v)) * math.tanh(epsilon / 4)
    moves = np.ones(1)
    for _ in range(k):
        moves = np.convolve(moves, p)
    assert moves[600 * k + sums._N :].sum() <= math.exp(-small) * moves[600 * k]


@pytest.mark.parametrize("rate", [2.0, 0.05, 1e-3])
def test_what_falls_short_and_exceeds_has_the_generating_functions(rate):
    """One number after the other, in more digits than a double has, times as many records as are taken."""
    counts, n, levels = np.array([0, 4, 40]), 43, np.array([0, 3, 4, 90])
    ends = NearEnds(counts, np.ones((3, 3), dtype=bool), np.arange(3), n, TWO_SIDED_GEOMETRIC.at(rate))
    with mpmath.workdps(60):
        r = mpmath.exp(-mpmath.mpf(rate))
        share = (1 - r) / (1 + r)
        for radius in (1e-3, 0.6, 1.1):
            points = shortfalls.circle(ends, radius * -math.expm1(-rate), 5)
            emptied, exactly, full = points.emptied(levels), points.exactly(levels), points.full(levels)
            for j in range(5):
                zeta = -mpmath.mpc(complex(points.from_pole[j]))
                w = (1 + zeta) / r
                assert complex(mpmath.log(w)) == pytest.approx(points.log_w[j], rel=1e-14)
                assert complex(-zeta / (1 + zeta) / 5) == pytest.approx(points.weights[j], rel=1e-14)
                for (b, taken), (i, x) in itertools.product(enumerate(levels.tolist()), enumerate(counts.tolist())):
                    m = taken - x
                    # the first terms one by one, and all others, which are r w times the one before, at once
                    first = sum(share * r ** abs(m - s) * w**s for s in range(max(m, 0)))
                    falls = first + share * r ** (max(m, 0) - m) * w ** max(m, 0) / (1 - r * w)
                    exceeds = share * r ** (n - x) * (r / w) / (1 - r / w)
                    assert complex(falls / w**taken) == pytest.approx(emptied[b, i, j], rel=2e-13)
                    assert complex(share * r ** abs(m) / w**taken) == pytest.approx(exactly[b, i, j], rel=2e-13)
                    assert complex(exceeds / w**taken) == pytest.approx(full[b, i, j], rel=2e-13)
                # on all circles the bounds hold
                most = shortfalls.bounding(ends, np.array([radius * -math.expm1(-rate)]))
                for found, bound in (
                    (points.scale(levels), most.scale(levels)),
                    (emptied, most.emptied(levels)),
                    (full, most.full(levels)),
                ):
                    assert (np.abs(found) <= bound.real * (1 + 1e-13)).all()
                assert abs(points.weights).max() * 5 <= most.weights.real * (1 + 1e-13)


@pytest.mark.parametrize("rate", [4.0, 1.5, 0.2])
@pytest.mark.parametrize("taken", [0, 2, 7])
def test_around_the_pole_or_zero_is_what_convolutions_say(rate, taken):
    """How likely seven counts, each emptied or full or neither, fall short by as much as was taken from all."""
    counts, may = np.array([0, 3, 12]), np.array([[True, True, False], [True, True, False], [True, True, True]])
    times, n = np.array([4, 2, 1]), 14
    ends = NearEnds(counts, may, np.repeat(np.arange(3), times), n, TWO_SIDED_GEOMETRIC.at(rate))
    left, many = np.array([0.7, 0.3, 0.2]), math.ceil(60 / rate)
    share = math.tanh(rate / 2)
    law = np.ones(1)
    for x, each, full, count in zip(counts, left, may[:, 2], times, strict=True):
        one = np.zeros(2 * many + 1)
        one[many:] = share * np.exp(-rate * np.abs(taken - x - np.arange(many + 1)))
        one[many] += each
        if full:
            one[:many] = share * np.exp(-rate * (n - x + np.arange(many, 0, -1)))
        for _ in range(count):
            law = np.convolve(law, one)
    found_by_list = law[7 * many + 7 * taken]
    untouched = math.prod(left**times) if taken == 0 else 0.0

    def product(points):
        here = np.array([taken])
        factors = left[:, None] * points.scale(here) + points.emptied(here)[0] + points.full(here)[0]
        return np.prod(factors ** times[:, None], axis=0)

    bounds = shortfalls.bounding(ends, shortfalls.radii_of(ends))
    logs = np.log(product(bounds).real)[:, None]
    fewest = 0
    for tolerance in (1e-3, 1e-6, 1e-15):
        points, around_zero, _ = shortfalls.chosen(ends, logs, bounds, math.log(tolerance), 7)
        assert around_zero == (rate == 4 and taken == 0)
        found = complex((product(points) * points.weights).sum())
        expected = found_by_list if around_zero else found_by_list - untouched
        assert abs(found - expected) <= tolerance + 1e-14 * float(np.abs(product(points) * points.weights).sum())
        assert len(points.log_w) >= fewest  # more points for more digits
        fewest = len(points.log_w)
    assert fewest < 90


@pytest.mark.parametrize("M", [1, 2, 3, 8])
def test_points_are_evenly_around_the_pole_or_zero_and_the_first_count_most(M):
    ends = NearEnds(np.array([0]), np.ones((1, 3), dtype=bool), np.array([0]), 9, TWO_SIDED_GEOMETRIC.at(0.7))
    around_pole, around_zero = shortfalls.circle(ends, 0.3, M), shortfalls.ring(ends, M)
    for points in (-around_pole.from_pole / 0.3, np.exp(around_zero.log_w)):
        assert points**M == pytest.approx(np.full(M, points[0] ** M))
        assert len(np.unique(points.round(9))) == M
    assert (np.diff(around_pole.log_w.real) >= -1e-12).all()
    assert (np.diff(np.exp(around_zero.log_w).real) <= 1e-12).all()


@pytest.mark.parametrize("N", [1, 2, 3, 8, 45, 700])
def test_cells_hold_each_frequency_once(N):
    edges, shares = lattice_cells.cells(N)
    place = np.minimum(np.arange(N), N - np.arange(N))
    assert (shares * N).round(9).tolist() == np.bincount(np.searchsorted(edges, place, side="right") - 1).tolist()


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR)
@pytest.mark.parametrize("z", [0.0, 2.0, 1 + 30j])
@pytest.mark.parametrize("nothing", [1e-20, 1e-3])
def test_each_frequency_is_within_its_bound_at_each_point(prior, x, epsilon, z, nothing):
    _, prior, counts, _, _ = listed_law(prior, x, epsilon)
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(epsilon / 2), 6.0)
    at = sums._exponent(z)
    edges, place = lattice_cells.cells(at.N)[0], np.minimum(np.arange(at.U), at.N - np.arange(at.U))
    for level in range(min(3, sums._levels)):
        levels, taken = slice(level, level + 1), np.array([level, level + 1])
        plan = sums._plan(at, levels)
        points = plan.points
        around = sums._around_pole(at.sides.near, plan.factors, points, taken)
        sizes, weights, shares = around.largest().max(axis=2), np.abs(points.weights), lattice_cells.cells(at.N)[1]
        size, nothing = np.prod(sizes**sums._times), np.full(1, nothing)
        bounds, _ = lattice_cells.in_pairs(plan.factors.turned, around, sizes, sums._times, nothing, shares, weights)
        parts = [points.scale(taken), points.emptied(taken), points.exactly(taken), points.full(taken)]
        found = sums._step_by_step(at, plan.factors, taken, np.arange(at.U), points.log_w, parts)[0]
        rows = np.searchsorted(edges, place, side="right") - 1
        assert (np.abs(found) <= bounds[0][rows].T * size * (1 + 1e-12)).all()


@pytest.mark.parametrize("x", [(0, 0, 10**6, 10**6), (10**6,) * 4])
def test_long_sums_show_how_many_are_done(x, monkeypatch, capsys):
    found = dpbi.mean_error(dpbi.lattice_laplace(3.0), np.ones(4), x)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    assert dpbi.mean_error(dpbi.lattice_laplace(3.0), np.ones(4), x) == found
    shown = capsys.readouterr().err
    *_, (done, total) = re.findall(r"(\d+) of (\d+) sums at most", shown)
    assert done == total
    if 0 in x:  # and of each sum, how many levels
        *_, (done, total) = re.findall(r"(\d+) of (\d+) levels", shown)
        assert done == total
        dpbi.error_bounds(dpbi.lattice_laplace(3.0), np.ones(4), x, found, 64)
        *_, (done, total) = re.findall(r"(\d+) of (\d+) frequencies", capsys.readouterr().err)
        assert done == total != "1"


def test_what_transforms_are_off_by_is_within_the_bound(monkeypatch):
    _, prior, counts, _, _ = listed_law(*NEAR[2])
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(1.0), 20.0)
    found, rng, off = sums.mean(1.0)[0], np.random.default_rng(5), 1e-6

    def disturbed(sizes):
        return off * sizes * np.exp(2j * np.pi * rng.random(sizes.shape))

    def transformed(transform):
        def disturbing(values):
            # rounding is a share of the root of the sum of squares, on average over the frequencies
            here = transform(values)
            return here + disturbed(np.broadcast_to(np.linalg.norm(values, axis=-1)[..., None], here.shape))

        return disturbing

    for name in ("emptied", "full"):
        exact = getattr(Circle, name)
        monkeypatch.setattr(Circle, name, lambda *a, exact=exact: exact(*a) + disturbed(np.abs(exact(*a))))
    monkeypatch.setattr(lattice_sums, "TRANSFORMED", off)
    for name in ("fft", "rfft"):
        monkeypatch.setattr(lattice_sums, name, transformed(getattr(lattice_sums, name)))
    apart = []
    for _ in range(5):
        value, bound = sums.mean(1.0)
        apart.append(abs(value - found) / bound)
    assert 1e-3 < max(apart) <= 1
    assert bound < 1e-2


@pytest.mark.parametrize("x", [[40, 0, 300, 4], [4, 0, 300, 4]])
def test_frequencies_and_points_left_out_are_within_the_bound(x, monkeypatch):
    prior, counts = np.ones(25), np.repeat(x, [9, 3, 10, 3])
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(1.5), 9.0)
    all_of_them = sums.mean(0.1)
    monkeypatch.setattr(lattice_sums, "TRANSFORMED", 0.0)
    monkeypatch.setattr(lattice_sums, "NOTHING", 1e-5)
    value, bound = sums.mean(0.1)
    assert 1e-6 * bound < abs(value - all_of_them[0]) <= bound < 1


@pytest.mark.parametrize(
    ("k", "empty", "epsilon"), [(300, 150, 0.8), (1000, 900, 0.3), (1000, 900, 0.8), (20, 19, 0.1)]
)
def test_levels_that_share_no_circle_are_summed_apart(k, empty, epsilon):
    # what many categories make of w differs from level to level by so large powers that rounding would be all
    counts = np.append(np.full(k - empty, 10**6), np.zeros(empty, dtype=np.int64))
    sums = LatticeSums(np.ones(k), counts, TWO_SIDED_GEOMETRIC.at(epsilon / 2), 32.0)
    assert sums.lost < 1e-9
    assert abs(sum(sums.mean(0.0)) - 1) < 1e-9


@pytest.mark.parametrize("most", [1 << 24, 1500])  # so few numbers that most frequencies are left out
def test_frequencies_left_out_while_factors_are_computed_are_within_the_bound(most, monkeypatch):
    """Beside sums over all frequencies."""
    prior, counts = np.ones(41), np.array([0, *range(300, 420, 3)])
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(0.2), 24.0)
    thetas = (0.0, 0.5, 5.0, 0.5 + 20j)
    all_of_them = [sums._sum(theta) for theta in thetas]
    monkeypatch.setattr(lattice_sums, "IN_A_BLOCK", 1)  # one kind at a time
    monkeypatch.setattr(lattice_sums, "LONGEST_TABLE", most)
    few = sums._factors(sums._exponent(0.0), slice(0, 1))
    assert 0 < len(few.here) < sums._N // 4
    assert (few.others < 1e-18) == (most > 1500)
    for theta, (value, doubt) in zip(thetas, all_of_them, strict=True):
        found, off = sums._sum(theta)
        assert abs(found - value) <= off + doubt
        assert off < 1.01 * doubt + 1e-18 if most > 1500 else off > 10 * doubt


def test_noise_too_wide_for_sums_is_refused(monkeypatch):
    monkeypatch.setattr(lattice_sums, "MOST_WORK", 30_000)
    prior, counts, mechanism = np.ones(3), np.array([0, 10**6, 10**6]), dpbi.lattice_laplace(0.1)
    assert dpbi.error_bounds(mechanism, prior, counts, 0.5, 8) == (0, 1)
    assert dpbi.quantile_bounds(mechanism, prior, counts, 0.5, 8) == (0, 1)
    with pytest.raises(ValueError, match="moves up to 922 in 3 categories, 1 of them empty: simulated_error"):
        dpbi.mean_error(mechanism, prior, counts)


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR)
def test_moments_near_an_end_are_those_of_the_list(prior, x, epsilon):
    mechanism, prior, counts, _, p = listed_law(prior, x, epsilon)
    H = count_distances(prior, counts, mechanism.law(prior, counts).outputs)
    mean = math.fsum(p * H)
    deviation = math.sqrt(math.fsum(p * (H - mean) ** 2))
    found = noise_moments(prior, counts, mechanism.noise(prior, counts))
    assert abs(found.mean.value - mean) <= found.mean.bound < 1e-9
    assert abs(found.standard_deviation.value - deviation) <= found.standard_deviation.bound < 1e-8


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR[:3])
def test_bounds_near_an_end_hold_the_law(prior, x, epsilon):
    mechanism, prior, counts, D, p = listed_law(prior, x, epsilon)
    law, order = unlisted(mechanism, prior, counts), np.argsort(D)
    assert isinstance(law.sums, LatticeSums)
    reached = np.cumsum(p[order])
    for share in (0.3, 0.9):
        T = max(float(D[order][np.searchsorted(reached, share)]) * (1 + 1e-6), float(D[D > 0].min()) / 2)
        true = math.fsum(p[T > D])
        lower, upper = enclosed(law, T, 64)
        assert lower <= true <= upper
    lower, upper = enclosed_quantile(law, 0.1, 64)
    assert lower <= dpbi.error_quantile(mechanism, prior, counts, 0.1) * (1 + 1e-9) <= upper * (1 + 2e-9)


SPARSE = np.zeros(300, dtype=np.int64)
SPARSE[np.random.default_rng(8).permutation(300)[:30]] = 10**4
LARGE = [
    (2.0, np.array([0, 10**6, 5, 10**5, 0, 300, 10**6, 0]), 20_000),
    (6.0, 2000 // np.arange(1, 301) ** 2, 4000),
    (9.0, SPARSE, 4000),
]


@pytest.mark.parametrize(("epsilon", "counts", "draws"), LARGE)
def test_empty_categories_of_large_data_have_the_errors_that_draws_show(epsilon, counts, draws):
    prior, mechanism = np.ones(len(counts)), dpbi.lattice_laplace(epsilon)
    found = dpbi.error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(3), draws))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
    assert H.std() == pytest.approx(found.standard_deviation.value, rel=4 / math.sqrt(draws))
    assert found.mean.bound < 1e-7
    t = float(np.quantile(H, 0.6)) * 1.001
    lower, upper = dpbi.error_bounds(mechanism, prior, counts, t, 64)
    assert lower - 2 / math.sqrt(draws) <= (t > H).mean() <= upper + 2 / math.sqrt(draws)
    assert upper - lower < 0.6


def test_the_mean_is_certain_where_nearly_all_noise_is_at_an_end():
    """A law without the ends had a probability of less than nothing, by rounding, and the mean a bound below zero."""
    counts = np.floor(10**4 / np.arange(1, 1001) / 7.485).astype(int)
    found = dpbi.error_moments(dpbi.lattice_laplace(1.0), np.ones(1000), counts)
    assert 0 < found.mean.bound < 1e-8
    assert 1 - 1e-8 < found.mean.value <= 1
