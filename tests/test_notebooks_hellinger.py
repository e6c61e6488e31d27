"""The notebooks of the Hellinger paper at other parameters: they record what is true.

The oracles are log-gamma functions and sensitivities by enumeration, for two categories: a dataset is its first count.
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln

from dpbi.claims.hellinger import TABLE_1, TABLE_2
from test_notebooks import cells, run


def distance(a, b):
    def log_beta(z):
        return gammaln(z).sum(axis=-1) - gammaln(z.sum(axis=-1))

    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.sqrt(np.maximum(-np.expm1(log_beta((a + b) / 2) - (log_beta(a) + log_beta(b)) / 2), 0))


def posteriors(prior, n):
    return np.array([[prior[0] + x, prior[1] + n - x] for x in range(n + 1)])


def local_sensitivities(prior, n):
    a = posteriors(prior, n)
    edges = [distance(here, there) for here, there in pairwise(a)]
    return np.array([max(edges[max(x - 1, 0) : x + 1]) for x in range(n + 1)])


def smooth_sensitivities(prior, n, epsilon, delta):
    gamma = math.log(1 - epsilon / (2 * math.log(delta / (2 * (n + 1)))))
    steps = np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))
    return (local_sensitivities(prior, n) * np.exp(-gamma * steps)).max(axis=1)


def smoothed(prior, n, epsilon, delta, c):
    """Row x is the law of the release at the dataset x."""
    a = posteriors(prior, n)
    weights = np.exp(-epsilon * distance(a[:, None], a) / (c * smooth_sensitivities(prior, n, epsilon, delta)[:, None]))
    return weights / weights.sum(axis=1, keepdims=True)


def loss(p):
    return np.abs(np.diff(np.log(p), axis=0)).max()


def forgiven(p, epsilon):
    one, other = p[:-1], p[1:]
    excess = [np.maximum(q - math.exp(epsilon) * r, 0).sum(axis=1).max() for q, r in ((one, other), (other, one))]
    return max(excess)


def error(prior, n, x, p):
    a = posteriors(prior, n)
    return p @ distance(a[x], a)


def floored_laplace(n, x, scale):
    """Laplace noise rounded down and kept in 0..n, from its distribution function."""

    def below(y):
        return math.exp(y / scale) / 2 if y < 0 else 1 - math.exp(-y / scale) / 2

    return np.diff([0.0, *(below(r - x) for r in range(1, n + 1)), 1.0])


def test_smoothed_mechanism(tmp_path):
    case = {"prior": [0.2, 3], "sizes": [1, 9, 20], "epsilon": 3.0, "delta": 0.01, "n": 9, "counts": [1, 6]}
    found = run("hellinger/smoothed_mechanism", tmp_path, **case)
    prior, epsilon, delta = case["prior"], case["epsilon"], case["delta"]
    table = found.tables["sizes"]
    assert table["n"] == sorted(case["sizes"])
    for i, n in enumerate(table["n"]):
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            assert table[f"loss_{c}"][i] == pytest.approx(loss(p), rel=1e-8)
            assert table[f"delta_{c}"][i] == pytest.approx(forgiven(p, epsilon), rel=1e-6, abs=1e-13)
            assert table[f"loss_{c}"][i] <= table[f"proved_{c}"][i]
    (x, y), n = case["counts"], sum(case["counts"])
    p = smoothed(prior, n, epsilon, delta, 2)[x]
    assert found.scalars["truth"] == pytest.approx(p[x])
    mirrored = prior[0] + x == prior[1] + y
    assert found.scalars["half"] == (n if mirrored else 0)
    assert found.scalars["bounds_kept"]


def test_tables_as_printed_are_in_the_text():
    source = cells("hellinger/tables_and_figures", "markdown")[0].source
    for table in (TABLE_1, TABLE_2):
        for rows in table.values():
            assert all(f"| {printed} |" in source for printed in rows.values())


def test_concrete_epsilon_of_other_data(tmp_path):
    prior, epsilon, delta = [0.5, 2], 1.5, 1e-3
    setting = {"prior": prior, "epsilon": epsilon, "delta": delta, "smallest": 9, "largest": 16, "calibrated": [9, 12]}
    found = run("hellinger/concrete_epsilon", tmp_path, **setting)
    table = found.tables["losses"]
    assert table["n"] == list(range(9, 17))
    for i, n in enumerate(table["n"]):
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            x = n // 2
            assert table[f"all_{c}"][i] == pytest.approx(loss(p), rel=1e-8)
            assert table[f"balanced_{c}"][i] == pytest.approx(max(loss(p[x - 1 : x + 1]), loss(p[x : x + 2])), rel=1e-8)
    losses, errors = found.tables["calibrated_losses"], found.tables["errors"]
    for i, n in enumerate(losses["n"]):
        for name in ("smoothed_hellinger, calibrated", "smoothed_hellinger, calibrated from 1", "lshist", "geometric"):
            assert losses[name][i] == pytest.approx(epsilon, rel=1e-9)
        x = n // 2
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            name = f"smoothed_hellinger, divisor {c}"
            assert losses[name][i] == pytest.approx(loss(p), rel=1e-8)
            assert errors[name][i] == pytest.approx(error(prior, n, x, p[x]), rel=1e-8)
        assert errors["lshist"][i] == pytest.approx(error(prior, n, x, floored_laplace(n, x, 1 / epsilon)), rel=1e-8)
