"""Count vectors against filtering every tuple, and their number against the stars-and-bars formula."""

import math

import numpy as np
import pytest

import oracles
from dpbi import count_vectors, lattice_size, neighbours
from dpbi.model.datasets import moves, row_number

SMALL = [(0, 2), (1, 2), (7, 2), (0, 3), (1, 3), (6, 3), (5, 4), (3, 5), (2, 7)]


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_count_vectors_are_all_tuples_with_the_right_sum_in_ascending_order(n, k):
    assert list(map(tuple, count_vectors(n, k).tolist())) == oracles.datasets(n, k)


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_lattice_size_counts_them(n, k):
    assert lattice_size(n, k) == len(oracles.datasets(n, k))


def test_lattice_size_is_exact_beyond_machine_integers():
    n, k = 10**12, 40
    rising = math.prod(range(n + 1, n + k))  # (n+1)(n+2)...(n+k-1) = (k-1)! times the number
    assert lattice_size(n, k) * math.factorial(k - 1) == rising


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_row_number_inverts_count_vectors(n, k):
    assert row_number(count_vectors(n, k)).tolist() == list(range(lattice_size(n, k)))


@pytest.mark.parametrize("x", [(0, 0), (1, 0), (0, 4), (3, 2), (0, 0, 2), (1, 1, 1), (0, 2, 0, 1), (1, 0, 0, 0, 1)])
def test_neighbours_are_the_datasets_at_distance_one_each_once(x):
    found = list(map(tuple, neighbours(x).tolist()))
    assert sorted(found) == sorted(oracles.neighbours(x))


def test_neighbours_leave_their_argument_alone():
    x = np.array([2, 1])
    neighbours(x)[:] = 9
    assert x.tolist() == [2, 1]


@pytest.mark.parametrize(("n", "k"), SMALL)
def test_moves_are_all_ordered_pairs_of_neighbours_each_once(n, k):
    vectors = oracles.datasets(n, k)
    found = [(int(s), int(e)) for start, end in moves(n, k) for s, e in zip(start, end, strict=True)]
    expected = [(i, vectors.index(y)) for i, x in enumerate(vectors) for y in oracles.neighbours(x)]
    assert sorted(found) == sorted(expected)


def test_the_shared_array_cannot_be_changed_by_one_caller():
    with pytest.raises(ValueError, match="read-only"):
        count_vectors(3, 2)[0, 0] = 7
