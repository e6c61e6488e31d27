"""Charged against exact, for every family: the greatest oscillation by brute force, over likelihoods written out here.

The likelihoods are in mpmath, and know nothing of the library. The parameters are the extreme ones of the support, some
between them, and the records the extreme ones, some between, and where the likelihood turns.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest

from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import CELL, RECORD

RATES, LINE = (0.5, 0.8, 2.0), (-1.0, -0.5, 0.0, 0.25, 1.0)


def rows(states, floor):
    """The corners of a row of probabilities, and a row between."""
    large = 1 - (states - 1) * floor
    return [[large if a == b else floor for b in range(states)] for a in range(states)] + [[1 / states] * states]


def log_normal(mean, precision, x):
    return mpmath.log(precision) / 2 - precision * (x - mean) ** 2 / 2


def matrix_fit(A, mean, x):
    """The log density of a record in two dimensions, without its constant."""
    (a, b), (_, d) = A
    u, v = (mpmath.mpf(p) - m for p, m in zip(x, mean, strict=True))
    return mpmath.log(a * d - b * b) / 2 - (a * u * u + 2 * b * u * v + d * v * v) / 2


def circle(steps):
    return [(mpmath.cos(2 * mpmath.pi * k / steps), mpmath.sin(2 * mpmath.pi * k / steps)) for k in range(steps)]


def nearly_singular(angle, largest):
    """A matrix with this eigenvalue along a direction, and next to nothing across it."""
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    thin = mpmath.mpf(10) ** -12
    a, d, b = largest * c * c + thin * s * s, largest * s * s + thin * c * c, (largest - thin) * c * s
    return ((a, b), (b, d))


def thin_matrices(count):
    return [nearly_singular(mpmath.pi * k / count, 2) for k in range(count)]


PATHS = list(itertools.product(range(2), repeat=4))
NET = list(itertools.product(range(2), range(3)))


def of_path(table, path):
    return mpmath.fsum(mpmath.log(table[a][b]) for a, b in itertools.pairwise(path))


TABLE = {  # what is charged, the log likelihood of a record (or path), parameters and records
    "bernoulli": (
        ps.cost(ps.bernoulli(), ps.Beta(1, 1, 1, 1.5), 1),
        lambda odds, x: -mpmath.log1p(mpmath.exp(-odds if x else odds)), (1, 1.2, 1.5), (0, 1),
    ),
    "exponential": (
        ps.cost(ps.exponential(1.5), ps.Gamma(1, 0, 0.5, 2), 1),
        lambda t, x: mpmath.log(t) - t * x, RATES, (0.0, 0.4, 1.5),
    ),
    "laplace": (
        ps.cost(ps.laplace(0.25, 1.0), ps.Gamma(1, 0, 0.5, 2), 1),
        lambda t, x: mpmath.log(t) - t * abs(x - 0.25), RATES, LINE,
    ),
    "normal, known mean": (
        ps.cost(ps.normal_precision(0.25, 1.0), ps.Gamma(1, 0, 0.5, 2), 1),
        lambda t, x: log_normal(0.25, t, x), RATES, LINE,
    ),
    "network": (
        ps.cost(ps.network([[], [0]], [2, 3]), ps.Tables([[1, 1], np.ones((2, 3))], 0.1), 1),
        lambda t, x: mpmath.log(t[0][x[0]]) + mpmath.log(t[1 + x[0]][x[1]]),
        list(itertools.product(rows(2, 0.1), rows(3, 0.1), rows(3, 0.1))), NET,
    ),
    "markov chain": (
        ps.cost(ps.markov_chain(2), ps.Tables([[[1, 1], [1, 1]]], 0.1), 1),
        of_path, list(itertools.product(rows(2, 0.1), repeat=2)), PATHS,
    ),
    "precision matrices": (
        ps.cost(ps.multivariate_normal([1, 0], 1.0), ps.Wishart(3, np.eye(2), 2.0), 1),
        lambda A, x: matrix_fit(A, (1, 0), x), thin_matrices(12), circle(12),
    ),
}  # fmt: skip


def neighbours(name, records):
    """Pairs of records; of paths those that differ in one state."""
    pairs = itertools.combinations(records, 2)
    if name == "markov chain":
        return [(x, y) for x, y in pairs if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    return list(pairs)


def brute(name):
    """The greatest oscillation over the parameters and records of the table."""
    _, fit, parameters, records = TABLE[name]
    records, parameters = list(records), list(parameters)
    with mpmath.workdps(20):
        fits = [[fit(theta, x) for x in records] for theta in parameters]
        pairs = neighbours(name, records)
        index = {id(x): i for i, x in enumerate(records)}
        columns = [(index[id(x)], index[id(y)]) for x, y in pairs]
        spreads = [[row[i] - row[j] for row in fits] for i, j in columns]
        return max(max(change) - min(change) for change in spreads)


@pytest.mark.parametrize("name", TABLE)
def test_a_draw_is_charged_what_it_can_lose(name):
    price = TABLE[name][0]
    assert price.loss() == pytest.approx(float(brute(name)), rel=1e-9)
    assert price.oscillation().exact
    assert price.loss() <= price.printed() * (1 + 1e-12)


def test_a_cell_of_a_network_is_charged_what_it_can_lose():
    price = TABLE["network"][0]
    _, fit, parameters, records = TABLE["network"]
    pairs = [(x, y) for x, y in itertools.combinations(records, 2) if (x[0] == y[0]) != (x[1] == y[1])]
    changes = [[fit(t, x) - fit(t, y) for t in parameters] for x, y in pairs]
    exact = float(max(max(change) - min(change) for change in changes))
    assert price.loss(CELL) == pytest.approx(exact, rel=1e-12)
    assert price.loss(CELL) <= price.loss(RECORD)


def test_the_posteriors_of_neighbours_come_as_near_as_that():
    """The loss itself, where other records leave the parameter at an end: within two per cent of what is charged."""
    for family, prior, others, one, other in (
        (ps.exponential(1.0), ps.Gamma(1, 0, 0.5, 2), [0.0] * 800, 1.0, 0.0),
        (ps.bernoulli(), ps.Beta(1, 1, 1, 1.5), [1] * 1500, 0, 1),
    ):
        charged = ps.cost(family, prior, 1).loss()
        laws = [ps.posterior(family, prior, [*others, last]) for last in (one, other)]
        loss = max(ps.privacy_loss(p, q) for p, q in (laws, laws[::-1]))
        assert 0.98 * charged <= loss <= charged * (1 + 1e-12)
    assert math.isfinite(charged)
