"""Count vectors against filtering of all tuples, their number against stars and bars, their marginals in mpmath."""

import math

import numpy as np
import pytest

import dpbi
import oracles
from dpbi import count_vectors, lattice_size, neighbours
from dpbi.model.datasets import moves, row_number
from dpbi.model.sums import rule, sum_rule
from oracles import mp


@pytest.mark.parametrize(("n", "k"), [(0, 2), (1, 2), (7, 2), (0, 3), (1, 3), (6, 3), (5, 4), (3, 5)])
def test_count_vectors_are_all_tuples_in_ascending_order(n, k):
    truth = oracles.datasets(n, k)
    vectors = count_vectors(n, k)
    assert list(map(tuple, vectors.tolist())) == truth
    assert lattice_size(n, k) == len(truth)
    assert row_number(vectors).tolist() == list(range(len(truth)))
    found = [(int(s), int(e)) for s, e in zip(*moves(n, k), strict=True)]
    assert sorted(found) == sorted((i, truth.index(y)) for i, x in enumerate(truth) for y in oracles.neighbours(x))


def test_lattice_size_is_exact_beyond_machine_integers():
    n, k = 10**12, 40
    rising = math.prod(range(n + 1, n + k))  # (n+1)(n+2)...(n+k-1) = (k-1)! times the number
    assert lattice_size(n, k) * math.factorial(k - 1) == rising


@pytest.mark.parametrize("x", [(0, 0), (1, 0), (3, 2), (0, 0, 2), (1, 1, 1), (1, 0, 0, 0, 1)])
def test_neighbours_are_the_datasets_at_distance_one_each_once(x):
    found = list(map(tuple, neighbours(x).tolist()))
    assert sorted(found) == sorted(oracles.neighbours(x))


def test_callers_cannot_change_shared_arrays():
    x = np.array([2, 1])
    neighbours(x)[:] = 9
    assert x.tolist() == [2, 1]
    laws = dpbi.Mechanism.from_table("truth", 1, [[0, 1], [1, 0]], [[1, 0], [0, 1]]).laws([1, 1], 1)
    for shared in (count_vectors(3, 2), laws.outputs, laws.log_probabilities):
        with pytest.raises(ValueError, match="read-only"):
            shared[0, 0] = 7


@pytest.mark.parametrize("prior", [(1.0, 1.0), (1.000000001, 3.0), (0.001, 250.0, 0.7), (1e4, 0.02)])
def test_the_law_of_the_counts_is_that_of_mpmath(prior):
    for n in (0, 9):
        truth = []
        for x in oracles.datasets(n, len(prior)):
            p = mp.factorial(n) / mp.rf(mp.fsum(map(mp.mpf, prior)), n)
            truth.append(p * mp.fprod(mp.rf(mp.mpf(a), c) / mp.factorial(c) for a, c in zip(prior, x, strict=True)))
        assert dpbi.model.marginal(prior, n) == pytest.approx([float(p) for p in truth], rel=1e-13)


@pytest.mark.parametrize("N", [30, 1000, 10**9])
def test_the_sum_rule_is_exact_for_powers(N):
    """Sum of C(i, q) over i < N is C(N, q + 1), an identity of integers."""
    nodes, weights = sum_rule(N)
    for q in (0, 3, 20, 39):
        found = weights @ np.prod([(nodes - i) / N for i in range(q)] or [np.ones(len(nodes))], axis=0)
        true = mp.mpf(math.comb(N, q + 1)) * math.factorial(q) / mp.mpf(N) ** q
        assert found == pytest.approx(float(true), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("count", [1, 20, 21, 40, 41, 1000, 123_457])
def test_the_sum_rule_in_panels_agrees_with_plain_sums(count):
    t = np.arange(count)
    nodes, weights = rule(count)
    smooth = lambda t: np.sqrt(t + 0.7), lambda t: np.log(count - t + 0.3), lambda t: np.exp(-0.9 * t / (1 + t) ** 0.5)
    for f in smooth:
        assert weights @ f(nodes) == pytest.approx(math.fsum(f(t)), rel=1e-12)
