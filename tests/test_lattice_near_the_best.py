"""What the pages of this book's own say about noise on the lattice, against the least that a linear program finds."""

import numpy as np
import pytest

from dpbi.accuracy import mean_errors
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.remaps import remapped_lattice
from dpbi.model import count_vectors, marginal
from dpbi.optimum import least_mean_error


def balanced(prior, n, epsilon):
    """Legal counts released outright: weights for which every row adds up to one."""
    vectors = count_vectors(n, len(prior))
    q = np.exp(-epsilon / 2 * np.abs(vectors[:, None] - vectors).sum(axis=-1))
    weights = np.linalg.solve(q, np.ones(len(vectors)))
    assert (weights > 0).all()
    return Mechanism.from_table("balanced", n, vectors, q * weights)


@pytest.mark.parametrize(("k", "n"), [(3, 5), (4, 4), (5, 4)])
def test_noise_on_the_lattice_is_as_near_to_the_best_as_the_page_says(k, n):
    prior = (1,) * k

    def over_the_least(mechanism, epsilon):
        mean = float(marginal(prior, n) @ mean_errors(mechanism, prior, n))
        return mean / least_mean_error(prior, n, epsilon).value

    assert over_the_least(remapped_lattice(0.8), 0.8) < 1.03
    assert over_the_least(balanced(prior, n, 1), 1) < 1.01
    assert over_the_least(balanced(prior, n, 4), 4) < 1.01
    if k == 3:
        assert over_the_least(remapped_lattice(4), 4) == pytest.approx(1.14, abs=0.005)
