"""The distance, its building blocks and the densities, against mpmath at 60 digits and scipy.stats."""

import random

import numpy as np
import pytest

import oracles
from dpbi import hellinger, log_density
from dpbi.model.datasets import count_vectors
from dpbi.model.distances import _phi, count_distances, gamma_gap, lattice_distances
from oracles import mp

SIZES = [1.0, 1e3, 1e9]


def spread(rng, largest, smallest=1e-3):
    """A number spread evenly over the orders of magnitude."""
    return smallest * (largest / smallest) ** rng.random()


def prior_and_counts(rng, largest, far):
    """A prior that is no dyadic number plus counts: the totals then differ by rounding, and the oracle knows."""
    k = rng.randint(2, 5)
    prior = [rng.uniform(1e-3, 3) for _ in range(k)]
    x = [int(spread(rng, largest, 1.0)) for _ in range(k)]
    giver, receiver = rng.sample(range(k), 2)
    move = max(1, int(rng.random() * x[giver])) if far else 1
    x[giver] += move
    y = list(x)
    y[giver] -= move
    y[receiver] += move
    return [p + c for p, c in zip(prior, x, strict=True)], [p + c for p, c in zip(prior, y, strict=True)]


def unequal(rng, largest):
    """Totals that differ: unrelated, nearly equal, in proportion, or one large category that grows beside tiny ones."""
    a = [spread(rng, largest) for _ in range(rng.randint(2, 4))]
    kind, size = rng.randrange(5), 10 ** rng.uniform(-12, 1)
    if kind == 0:
        b = [spread(rng, largest) for _ in a]
    elif kind == 1:
        b = [z * (1 + size * rng.random()) for z in a]
    elif kind == 2:
        b = [z * (1 + size) for z in a]
    else:
        a[1:] = [1e-3 * rng.choice([1, 1, 7, 100]) for _ in a[1:]]
        b = [a[0] + 1 if kind == 3 else a[0] * (1 + size), *a[1:]]
    return a, [min(z, largest) for z in b]


def worst_error(pairs):
    return max(oracles.relative_error(hellinger(a, b), oracles.hellinger(a, b)) for a, b in pairs if a != b)


@pytest.mark.parametrize("far", [False, True], ids=["one record", "many records"])
@pytest.mark.parametrize("largest", SIZES)
def test_equal_totals_keep_fourteen_digits(largest, far):
    rng = random.Random(1)
    assert worst_error(prior_and_counts(rng, largest, far) for _ in range(80)) < 1e-14


@pytest.mark.parametrize("largest", SIZES)
def test_unequal_totals_keep_ten_digits(largest):
    rng = random.Random(2)
    assert worst_error(unequal(rng, largest) for _ in range(100)) < 1e-10


@pytest.mark.parametrize(("a", "b"), [
    ([19.663558054947632, 1.1670800069498437e-3], [20.663558054947632, 1.1670800069498437e-3]),
    ([17.385983806803516, 1e-3], [50.90190412877608, 1e-3]), ([20.125, 1e-3], [21.125, 1e-3]),
    ([20.125, 1e-3], [95.5, 1e-3]),
])  # fmt: skip
def test_unequal_totals_beside_a_tiny_category_keep_ten_digits(a, b):
    # the gap of the totals is nearly that of the large category: off by 4e-12 and 2e-11 in the first two;
    # the others are where Stirling's series takes over, for near and for far pairs
    assert oracles.relative_error(hellinger(a, b), oracles.hellinger(a, b)) < 1e-10


@pytest.mark.parametrize("tiny", [1e-100, 1e-160, 1e-300])
@pytest.mark.parametrize("rest", [(1, 1), (0.5, 7)])
def test_distances_at_tiny_parameters(tiny, rest):
    a, b = [tiny, rest[0]], [2 * tiny, rest[1]]
    assert oracles.relative_error(hellinger(a, b), oracles.hellinger(a, b)) < 1e-12


def test_identical_parameters_are_at_zero_and_far_ones_at_one():
    assert hellinger([0.1, 7.3, 1e9], [0.1, 7.3, 1e9]) == 0
    assert hellinger([1e9, 1e-3], [1e-3, 1e9]) == 1


@pytest.mark.parametrize("prior", [(0.1, 3.7), (0.01, 0.3, 30.0), (0.5, 1 / 3, 2.0, 1.0)])
def test_distances_from_one_and_between_all_agree_with_mpmath(prior):
    vectors = count_vectors({2: 7, 3: 5, 4: 3}[len(prior)], len(prior))
    table = lattice_distances(np.array(prior), vectors)
    for row, x in zip(table, vectors, strict=True):
        truth = [oracles.distance(prior, tuple(x.tolist()), tuple(y.tolist())) for y in vectors]
        direct = count_distances(np.array(prior), x, vectors)
        assert max(map(oracles.relative_error, row, truth)) < 1e-14
        assert max(map(oracles.relative_error, direct, truth)) < 1e-14


@pytest.mark.parametrize("outputs", [np.mgrid[0:25:6, 0:25:6, 0:25:8].reshape(3, -1).T, np.array([[3, 9, 0]])])
@pytest.mark.parametrize("prior", [(1e-3, 1e-3, 1e-3), (0.1, 3.7, 1.0)])
def test_distances_to_outputs_of_another_total_agree_with_mpmath(prior, outputs):
    x = (20, 3, 1)
    found = count_distances(np.array(prior), np.array(x), outputs)
    truth = [oracles.distance(prior, x, tuple(r.tolist())) for r in outputs]
    assert max(map(oracles.relative_error, found, truth)) < 1e-12


@pytest.mark.parametrize("totals_differ", [False, True])
def test_many_distances_at_once_agree_with_mpmath(totals_differ):
    """Whatever is computed in pieces: looked at beside their borders, at the end and at random."""
    many, rng = 9001, np.random.default_rng(9001)
    prior, x = (0.3, 0.7, 2.5), (2, 0, 5)
    outputs = rng.integers(0, 8, (many, 3)) if totals_differ else rng.multinomial(7, [0.5, 0.2, 0.3], many)
    found = count_distances(np.array(prior), np.array(x), outputs)
    table = hellinger(np.add(prior, x), np.add(prior, outputs))
    looked = {0, 67, 68, 135, 136, 4095, 4096, 8191, 8192, many - 1, *rng.integers(0, many, 20).tolist()}
    for i in looked:
        truth = oracles.distance(prior, x, tuple(outputs[i].tolist()))
        assert float(found[i]) == pytest.approx(float(truth), rel=1e-12)
        assert float(table[i]) == pytest.approx(float(truth), rel=1e-12)


def test_small_prior_weights_do_not_round_a_move():
    """1e9 + 0.1 keeps 0.1 to seven digits only; the distance must be the one of a move of exactly one record."""
    prior, x, y = (0.1, 0.2), (10**9, 10**9), (10**9 + 1, 10**9 - 1)
    found = count_distances(np.array(prior), np.array(x), np.array([y]))[0]
    assert oracles.relative_error(found, oracles.distance(prior, x, y)) < 1e-15


def test_gamma_gap_keeps_its_digits_where_formulas_switch():
    """On both sides of argument 20 and of a move of half the mean, where the evaluation changes."""
    places, moves = (1e-3, 0.2, 1.0, 6.0, 19.9, 20.0, 20.1, 59.9), (1e-6, 0.5, 1.0, 2.0, 39.9, 50.0)
    pairs = [(z, z + d) for z in places for d in moves]
    for a, b in pairs:
        p, q = mp.mpf(a), mp.mpf(b)
        truth = (mp.loggamma(p) + mp.loggamma(q)) / 2 - mp.loggamma((p + q) / 2)
        # the half difference enters as a double, which for 1e-6 is its own rounding
        found = gamma_gap(a, b, float((q - p) / 2))
        assert oracles.relative_error(found, truth) < 1e-13, (a, b)


@pytest.mark.parametrize("x", [-1.0, -0.999, -0.3, -0.2499, -0.1, -1e-9, 1e-12, 0.1, 0.2499, 0.2501, 3.0, 1e6])
def test_phi_keeps_its_digits(x):
    z = mp.mpf(x)
    truth = (1 + z) * mp.log(1 + z) - z if x > -1 else mp.mpf(1)
    assert oracles.relative_error(_phi(np.array(x)), truth) < 2e-15


def test_log_density_at_the_boundary_follows_its_powers():
    assert log_density([1, 2], [1, 0]) == -np.inf  # density 2 theta_2
    assert log_density([2, 1], [1, 0]) == pytest.approx(np.log(2))  # density 2 theta_1
    assert log_density([1, 0.5], [1, 0]) == np.inf
    assert np.isnan(log_density([1, 0.5, 2], [1, 0, 0]))  # zero times infinity


def test_log_density_agrees_with_mpmath_at_large_concentrations():
    a, theta = [3e5, 2e5, 1.5], [0.6, 0.399999, 1e-6]
    exact = mp.fsum((mp.mpf(p) - 1) * mp.log(mp.mpf(t)) for p, t in zip(a, theta, strict=True))
    exact -= oracles.log_beta([mp.mpf(p) for p in a])
    # terms of 4e5 cancel: an absolute error of a few of their last digits
    assert log_density(a, theta) == pytest.approx(float(exact), abs=1e-8)
