"""Lattice noise at counts near 0 and n, without a list: held to the laws of few records and to draws."""

import itertools
import math
import re

import numpy as np
import pytest

import dpbi
from dpbi import progress
from dpbi.accuracy import lattice_sums, shortfalls
from dpbi.accuracy.enclosures import enclosed, enclosed_quantile, unlisted
from dpbi.accuracy.lattice_sums import LatticeSums
from dpbi.accuracy.noise_moments import noise_moments
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
LISTED = pytest.mark.parametrize("listed", [0, 512])  # with a term for each frequency, or for each choice


def listed_law(prior, x, epsilon):
    """The mechanism, the exponents of its outputs and their probabilities."""
    prior, counts, mechanism = np.array(prior, float), np.array(x), dpbi.lattice_laplace(epsilon)
    law = mechanism.law(prior, counts)
    D = affinity_exponent(prior + counts, prior + law.outputs, (law.outputs - counts) / 2)
    return mechanism, prior, counts, D, law.probabilities


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR)
@pytest.mark.parametrize("small", [30.0, 4.0])
@LISTED
def test_sums_are_those_of_the_list(prior, x, epsilon, small, listed, monkeypatch):
    monkeypatch.setattr(shortfalls, "MOST_CHOICES", listed)
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
def test_rings_are_longer_than_totals_are_likely_to_be(x, epsilon):
    """By convolutions of the law of the noise: of all moves, of what near counts lack, and of what is taken."""
    counts = np.array(x)
    noise = TWO_SIDED_GEOMETRIC.at(epsilon / 2)
    small, k, v = 9.0, len(counts), np.arange(-600, 601)
    sums, reach = LatticeSums(np.ones(len(x)), counts, noise, small), noise.reach(small + math.log(k))
    p = np.exp(-epsilon / 2 * np.abs(v)) * math.tanh(epsilon / 4)

    def total(values, weights=p):
        """The law of the sum of independent numbers from 0 up, each with the same chances."""
        found = np.ones(1)
        for each in values:
            found = np.convolve(found, np.bincount(each, weights))
        return found

    moves = total([v + 600] * k)
    allowed = math.exp(-small) * moves[600 * k]
    assert moves[600 * k + sums._N :].sum() <= allowed
    near, levels, N = sums._ends.places >= 0, sums._levels, sums._second.N
    assert total([np.maximum(-v, 0)] * int(near.sum()))[N:].sum() <= allowed
    taken = [
        np.where(counts.sum() - c <= reach, min(levels, c) + np.maximum(v, 0), np.minimum(levels, np.maximum(c + v, 0)))
        for c in counts[near]
    ]
    assert total(taken)[max(0, N - levels * int((~near).sum())) :].sum() <= allowed


@pytest.mark.parametrize("x", [(0, 10**6, 10**6), (0,) * 9 + (10**6,), (0, 0, 3, 40, 10**5), (5, 9, 2, 0)])
def test_no_more_levels_are_prepared_than_are_needed(x):
    """Chernoff's inequality says how many; the sums of probabilities say when nothing is left."""
    noise, small = TWO_SIDED_GEOMETRIC.at(0.2), 24.0
    sums = LatticeSums(np.ones(len(x)), np.array(x), noise, small)
    prepared = sums._most_levels(noise.reach(small + math.log(len(x))))
    assert sums.lost < 60 * math.exp(-small)
    assert sums._levels <= prepared < 3 * sums._levels + 4


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("x", [(0, 0, 10**6, 0, 10**5, 10**6, 0, 0), (10**6, 0, 0, 3, 0), (0,) * 9 + (10**6,)])
def test_choices_and_frequencies_give_the_same_sums(x, epsilon, monkeypatch):
    """How many equal empty categories are left with a record, or one frequency after the other."""
    counts, found = np.array(x), []
    for most in (512, 0):
        monkeypatch.setattr(shortfalls, "MOST_CHOICES", most)
        sums = LatticeSums(np.ones(len(x)), counts, TWO_SIDED_GEOMETRIC.at(epsilon / 2), 28.0)
        assert isinstance(sums._second, shortfalls.Chosen if most else shortfalls.Turned)
        found.append(
            [
                (*sums.spectrum(theta, np.array([0.0, 3e-3]), 0.0)[0], sums.lost)
                for theta in (-1 / sums._largest, 0.5, 1e3, 1e7)
            ]
        )
    for (one, off, lost), (other, off_too, lost_too) in zip(*found, strict=True):
        assert (np.abs(one - other) <= off + off_too + 1.5 * (lost + lost_too)).all()
        assert max(*off, *off_too, lost, lost_too) < 1e-9


def test_how_likely_choices_are_is_what_convolutions_say():
    """Four empty categories and one with a record fall short by as much as was taken from all six."""
    counts, rate = np.array([0, 10**6, 0, 1, 0, 0]), 0.8
    noise, near, empty = TWO_SIDED_GEOMETRIC.at(rate), [0, 2, 3, 4, 5], {0, 2, 4, 5}
    may = np.array([[True, True, False]] * 2)
    ends = shortfalls.NearEnds(np.array([0, 1]), may, np.array([0, -1, 0, 1, 0, 0]), int(counts.sum()), noise)
    weights = shortfalls.Chosen(ends, 6, 180).weights(slice(0, 6), np.arange(10))

    def law(moves):
        return np.exp(-rate * np.abs(moves)) * math.tanh(rate / 2)

    def likely(level, step, left, emptied):
        """That so many empty ones keep a record, the other is emptied or not, and all fall short by what is taken."""
        taken = level + (np.arange(6) <= step)
        short = [law(taken[i] - counts[i] - np.arange(400 if i != step else 1)) for i in range(6)]
        total = 0.0
        for who in itertools.combinations(sorted(empty), left):
            found = np.ones(1)
            for i in near:
                if i in who:
                    found = found * law(np.arange(taken[i] + 1, 400)).sum()
                elif i != 3 or emptied:
                    found = np.convolve(found, short[i])
            total += float(found[level * 6 + step + 1]) if level * 6 + step + 1 < len(found) else 0.0
        return total

    for level in (0, 1, 5):
        for place, steps in enumerate([[-1], [0], [1], [2], [3], [4, 5]]):
            for choice, (left, emptied) in enumerate(itertools.product(range(5), (0, 1))):
                expected = sum(likely(level, step, left, emptied) for step in steps if step >= 0 or level == 0)
                assert weights[level, choice, place] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("rate", [2.0, 0.05, 1e-3])
def test_what_falls_short_and_exceeds_is_what_sums_say(rate):
    """One number after the other, in more digits than a double has."""
    counts, N, n = np.array([0, 4, 40]), 90, 43
    ends = shortfalls.NearEnds(counts, np.ones((3, 3), dtype=bool), np.arange(3), n, TWO_SIDED_GEOMETRIC.at(rate))
    ring, levels, terms = shortfalls.Ring(ends, N), np.array([0, 3, 4, 90]), np.array([0, 1, 44, 45, 46, 89])
    many = np.arange(N * math.ceil((100 + 60 / rate) / N), dtype=np.longdouble)
    law = np.tanh(np.longdouble(rate) / 2)
    turns = np.exp(-2j * np.arccos(np.longdouble(-1)) / N * np.arange(N))

    def transform(chances):
        around = chances.reshape(-1, N).sum(axis=0)  # powers of frequencies repeat
        return np.array([around @ turns[np.arange(N) * t % N] for t in terms])

    for level, here in zip(levels, ring.emptied(levels, np.arange(3), terms), strict=True):
        for count, found, most in zip(counts, here, ring.sizes(np.array([level]), terms)[0], strict=True):
            expected = transform(law * np.exp(-rate * np.abs(level - count - many)))
            assert (np.abs(found - expected) <= 1e-15 * ring.envelope[terms]).all()
            assert (np.abs(expected) <= most * (1 + 1e-14)).all()
    for count, found in zip(counts, ring.full(np.arange(3), terms), strict=True):
        exceeds = law * np.exp(-rate * (n - count + many)) * (many > 0)
        assert found == pytest.approx(transform(exceeds).conj().astype(complex), rel=2e-15)


@pytest.mark.parametrize("N", [1, 2, 3, 8, 45, 700])
def test_cells_hold_each_frequency_once(N):
    edges, shares = shortfalls.cells(N)
    place = np.minimum(np.arange(N), N - np.arange(N))
    assert (shares * N).round(9).tolist() == np.bincount(np.searchsorted(edges, place, side="right") - 1).tolist()


@pytest.mark.parametrize(("prior", "x", "epsilon"), NEAR)
@pytest.mark.parametrize("z", [0.0, 2.0, 1 + 30j])
def test_each_pair_of_frequencies_is_within_its_bound(prior, x, epsilon, z, monkeypatch):
    monkeypatch.setattr(shortfalls, "MOST_CHOICES", 0)
    _, prior, counts, _, _ = listed_law(prior, x, epsilon)
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(epsilon / 2), 6.0)
    at, second = sums._exponent(z), sums._second
    edges, place = shortfalls.cells(at.N)[0], np.minimum(np.arange(at.U), at.N - np.arange(at.U))
    for level in range(min(3, sums._levels)):
        levels = slice(level, level + 1)
        factors = sums._factors(at, levels)
        size = np.prod(shortfalls.larger(factors.sizes)[0] ** sums._times)
        bounds, _ = sums._of_pairs(second, at, factors, levels)
        counted = np.ones_like(bounds, dtype=bool)
        ((all_of_them, terms),) = second.pairs(counted, at.N, at.U)
        assert all_of_them.tolist() == list(range(at.U))
        assert terms.tolist() == list(range(second.N))
        weights = second.weights(levels, terms)
        found = sums._step_by_step(at, factors, levels, all_of_them, terms, weights)[0] * second.N
        rows = np.searchsorted(edges, place, side="right") - 1
        columns = np.searchsorted(second.edges, np.minimum(terms, second.N - terms), side="right") - 1
        assert (np.abs(found) <= bounds[0][rows][:, columns].T * size * (1 + 1e-12)).all()


@pytest.mark.parametrize("x", [(0, 0, 10**6, 10**6), (10**6,) * 4])
def test_long_sums_show_how_many_are_done(x, monkeypatch, capsys):
    found = dpbi.mean_error(dpbi.lattice_laplace(3.0), np.ones(4), x)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    assert dpbi.mean_error(dpbi.lattice_laplace(3.0), np.ones(4), x) == found
    shown = capsys.readouterr().err
    *_, (done, total) = re.findall(r"(\d+) of (\d+) sums at most", shown)
    assert done == total
    if 0 in x:  # the first sum says how many levels there are, and takes longest
        *_, (done, total) = re.findall(r"(\d+) of (\d+) levels at most", shown)
        assert done == total
        dpbi.error_bounds(dpbi.lattice_laplace(3.0), np.ones(4), x, found, 64)
        *_, (done, total) = re.findall(r"(\d+) of (\d+) frequencies", capsys.readouterr().err)
        assert done == total != "1"


@LISTED
def test_what_transforms_are_off_by_is_within_the_bound(listed, monkeypatch):
    monkeypatch.setattr(shortfalls, "MOST_CHOICES", listed)
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

    class Off(shortfalls.Ring):
        def emptied(self, levels, places, terms):
            here = super().emptied(levels, places, terms)
            return here + disturbed(np.broadcast_to(self.envelope[terms], here.shape))

        def full(self, places, terms):
            here = super().full(places, terms)
            return here + disturbed(np.abs(here))

    monkeypatch.setattr(lattice_sums, "TRANSFORMED", off)
    monkeypatch.setattr(shortfalls, "Ring", Off)
    for name in ("fft", "rfft"):
        monkeypatch.setattr(lattice_sums, name, transformed(getattr(lattice_sums, name)))
    apart = []
    for _ in range(5):
        sums._lay()
        value, bound = sums.mean(1.0)
        apart.append(abs(value - found) / bound)
    assert 1e-3 < max(apart) <= 1
    assert bound < 1e-2


@pytest.mark.parametrize(("listed", "x"), [(True, [40, 0, 300, 4]), (False, [4, 0, 300, 4])])
def test_frequencies_left_out_are_within_the_bound(listed, x, monkeypatch):
    prior, counts = np.ones(25), np.repeat(x, [9, 3, 10, 3])
    sums = LatticeSums(prior, counts, TWO_SIDED_GEOMETRIC.at(1.5), 9.0)
    assert isinstance(sums._second, shortfalls.Chosen if listed else shortfalls.Turned)
    monkeypatch.setattr(lattice_sums, "TRANSFORMED", 0.0)
    monkeypatch.setattr(lattice_sums, "NOTHING", 0.0)
    all_of_them = sums.mean(0.1)
    monkeypatch.setattr(lattice_sums, "NOTHING", 1e-5)
    value, bound = sums.mean(0.1)
    assert 1e-6 * bound < abs(value - all_of_them[0]) <= bound < 1


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
