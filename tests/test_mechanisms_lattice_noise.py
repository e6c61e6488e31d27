"""Lattice noise: distribution against an enumeration of the noise, samples against the distribution, audits, remaps."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

import oracles
from dpbi import PureDP, audit, count_vectors, hockey_stick
from dpbi.mechanisms.lattice_noise import clipped_lattice, lattice_laplace, log_normaliser, nearest_counts

# x, epsilon, and how far the enumeration goes: beyond, less than 1e-30 of the noise is left out
SETTINGS = [((2, 1), 1.5, 60), ((0, 2, 1), 4.0, 30), ((1, 0, 1, 0), 8.0, 12)]


def noisy_vectors(x, epsilon, largest):
    """Probability of every noisy vector: all integer vectors within reach, from the definition, at 60 digits."""
    alpha = mp.exp(-mp.mpf(epsilon))
    weights = {}
    for first in itertools.product(range(-largest, largest + 1), repeat=len(x) - 1):
        v = (*first, -sum(first))
        weights[tuple(c + step for c, step in zip(x, v, strict=True))] = mp.sqrt(alpha) ** sum(map(abs, v))
    total = mp.fsum(weights.values())
    return {z: w / total for z, w in weights.items()}


def nearest(c, n):
    """The legal counts nearest to c; of several, those with the smaller earlier entries."""
    return min(oracles.datasets(n, len(c)), key=lambda r: (sum((a - b) ** 2 for a, b in zip(r, c, strict=True)), r))


@pytest.mark.parametrize(("x", "epsilon", "largest"), SETTINGS)
def test_the_law_is_that_of_the_enumerated_noise(x, epsilon, largest):
    n, moved, legal = sum(x), {}, {}
    for z, p in noisy_vectors(x, epsilon, largest).items():
        c = tuple(min(max(entry, 0), n) for entry in z)
        moved[c] = moved.get(c, 0) + p
    for c, p in moved.items():
        r = nearest(c, n)
        legal[r] = legal.get(r, 0) + p
    for mechanism, truth in ((clipped_lattice(epsilon), moved), (lattice_laplace(epsilon), legal)):
        law = mechanism.law([1.0] * len(x), x)
        found = dict(zip(map(tuple, law.outputs.tolist()), law.log_probabilities, strict=True))
        assert found.keys() == truth.keys()
        for r, log_p in found.items():
            assert abs(log_p - mp.log(truth[r])) < 1e-14 * (1 + abs(log_p))


@pytest.mark.parametrize(("k", "epsilon"), [(2, 0.3), (3, 2.0), (9, 0.5)])
def test_the_normaliser_counts_the_vectors_of_every_radius(k, epsilon):
    """The positive part of a vector of radius m is a composition of m, the negative one a composition of the others."""
    alpha, total = mp.exp(-mp.mpf(epsilon)), mp.mpf(1)
    for m in range(1, 400):
        ways = (math.comb(k, i) * math.comb(m - 1, i - 1) * math.comb(m + k - i - 1, k - i - 1) for i in range(1, k))
        total += alpha**m * sum(ways)
    assert log_normaliser(epsilon, k) == pytest.approx(float(mp.log(total)), rel=1e-14)


def test_the_nearest_counts_are_the_nearest():
    for n, k in ((4, 2), (3, 3), (2, 4)):
        vectors = [c for c in itertools.product(range(n + 1), repeat=k) if sum(c) >= n]
        assert nearest_counts(vectors, n).tolist() == [list(nearest(c, n)) for c in vectors]


@pytest.mark.parametrize("epsilon", [1e-3, 30.0])
@pytest.mark.parametrize(("n", "k"), [(1, 2), (1, 3), (7, 3), (3, 4)])
def test_the_audit_is_the_promise(epsilon, n, k):
    for mechanism in (lattice_laplace(epsilon), clipped_lattice(epsilon)):
        assert mechanism.promise == mechanism.promise_at([1.0] * k, n) == PureDP(epsilon)
        assert audit(mechanism, [1.0] * k, n).epsilon == pytest.approx(epsilon, rel=1e-12, abs=1e-14)
    assert hockey_stick(lattice_laplace(epsilon), [1.0] * k, n, epsilon * (1 + 1e-9)) < 1e-12


def test_the_table_of_all_datasets_holds_the_single_laws():
    for mechanism in (lattice_laplace(0.7), clipped_lattice(0.7)):
        table = mechanism.laws([1, 1, 1], 5)
        for row, x in zip(table.log_probabilities, count_vectors(5, 3), strict=True):
            law = mechanism.law([1, 1, 1], x)
            assert np.array_equal(law.outputs, table.outputs)
            assert row == pytest.approx(law.log_probabilities, rel=1e-14)


# Four chi-square tests at level 1e-5: with the fixed seed they fail always or never, and by chance below 1e-4.


@pytest.mark.parametrize("family", [lattice_laplace, clipped_lattice])
@pytest.mark.parametrize(("x", "epsilon"), [((1, 0, 3), 1.0), ((0, 1, 1, 0, 1), 2.0)])
def test_samples_follow_the_law(family, x, epsilon):
    mechanism = family(epsilon)
    law = mechanism.law([1.0] * len(x), x)
    draws = mechanism.sample([1.0] * len(x), x, np.random.default_rng(8), 20_000)
    assert oracles.p_value(draws, law.outputs, law.probabilities) > 1e-5


def test_samples_are_legal_for_many_categories():
    rng = np.random.default_rng(5)
    for k, n, epsilon in ((1000, 5000, 0.8), (3, 10, 1e-300), (3, 10**9, 700.0)):
        x = [n - n // k * (k - 1)] + [n // k] * (k - 1)
        draws = lattice_laplace(epsilon).sample([1.0] * k, x, rng, 50)
        assert draws.shape == (50, k)
        assert draws.min() >= 0
        assert (draws.sum(axis=1) == n).all()
    assert (draws == x).all()  # epsilon 700: no noise ever seen
