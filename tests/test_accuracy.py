"""Error distributions, means, tails and quantiles against plain sums over the mpmath distributions in oracles.py."""

import math

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.accuracy import closer_than, error_below
from oracles import mp
from test_mechanisms_laws import MECHANISMS

SETTINGS = [((1.0, 1.0), (3, 3)), ((0.3, 5.0, 0.02), (2, 0, 1)), ((0.5,) * 4, (1, 0, 1, 0))]
NAMES = ["lshist", "laplace_in_order", "ehd", "smoothed_hellinger, divisor 1"]
QUANTILES = [1e-12, 0.05, 0.5, 1 - 1e-12]


def true_errors(name, prior, x):
    """The definition: (distance, probability) of every output, equal distances kept apart."""
    law = MECHANISMS[name][1](0.8, prior, x)
    return [(oracles.distance(prior, x, r), p) for r, p in law.items()]


@pytest.mark.parametrize(("prior", "x"), SETTINGS)
@pytest.mark.parametrize("name", NAMES)
def test_mean_tail_and_quantile_are_those_of_the_definition(name, prior, x):
    mechanism = MECHANISMS[name][0](0.8)
    errors = sorted(true_errors(name, prior, x))
    mean = mp.fsum(h * p for h, p in errors)
    assert dpbi.mean_error(mechanism, prior, x) == pytest.approx(float(mean), rel=1e-13)
    for t in [-1.0, 0.0, 2.0, *(float(h) for h, _ in errors)]:
        # a threshold at a distance includes it, whatever its last digits
        tail = mp.fsum(p for h, p in errors if h >= mp.mpf(t) * (1 - mp.mpf(1e-12)))
        assert dpbi.error_tail(mechanism, prior, x, t) == pytest.approx(float(tail), rel=1e-13, abs=1e-16)
        assert error_below(mechanism, prior, x, t) == pytest.approx(float(1 - tail), rel=1e-12, abs=1e-15)
    for gamma in QUANTILES:
        smallest = next(t for t, _ in errors if mp.fsum(p for h, p in errors if h > t * (1 + mp.mpf(1e-12))) <= gamma)
        assert dpbi.error_quantile(mechanism, prior, x, 1 - gamma) == pytest.approx(float(smallest), rel=1e-13)


@pytest.mark.parametrize(("prior", "x"), SETTINGS)
@pytest.mark.parametrize("name", NAMES)
def test_the_error_law_merges_only_equal_distances(name, prior, x):
    found = dpbi.error_law(MECHANISMS[name][0](0.8), prior, x)
    truth = {}
    for h, p in true_errors(name, prior, x):
        key = mp.nstr(h, 30)  # 30 digits tell distances apart, and agree where symmetry makes them equal
        truth[key] = truth.get(key, 0) + p
    expected = sorted((mp.mpf(key), p) for key, p in truth.items())
    assert len(found.distances) == len(expected)
    assert found.distances == pytest.approx([float(h) for h, _ in expected], rel=1e-13)
    assert found.probabilities == pytest.approx([float(p) for _, p in expected], rel=1e-12)
    assert (np.diff(found.distances) > 0).all()


def test_close_distances_near_one_are_not_merged():
    prior, x, t = (1, 0.5), (50, 60_000), 0.9999999999999
    law = dpbi.ehd(10.0).law(prior, x)
    reached = next(r for r in range(50, 60_050) if oracles.distance(prior, x, (r, 60_050 - r)) >= t)
    assert oracles.distance(prior, x, (0, 60_050)) < t
    farther = law.probabilities[law.outputs[:, 0] >= reached].sum()
    assert 0.19 < farther < 0.191
    # distances within 1e-12 of t count as t: a few outputs more, of 3e-6 each
    assert dpbi.error_tail(dpbi.ehd(10.0), prior, x, t) == pytest.approx(farther, abs=5e-5)


def test_tail_and_quantile_include_the_whole_of_a_tie():
    # prior (1, 1), counts (1, 1), LSHist with scale 1: releases 0 and 2 are at one distance h, 1 is at zero.
    # floor(1 + Y) <= 0 when Y < 0: 1/2; floor(1 + Y) >= 2 when Y >= 1: e^-1 / 2
    # and the affinity of Beta(2, 2) and Beta(1, 3) is the integral of sqrt(6 t (1-t) 3 (1-t)^2)
    h = float(mp.sqrt(1 - mp.quad(lambda t: mp.sqrt(6 * t * (1 - t) * 3 * (1 - t) ** 2), [0, 0.5, 1])))
    away = 0.5 + math.exp(-1) / 2
    m = dpbi.lshist(1.0)
    assert dpbi.error_tail(m, [1, 1], [1, 1], h) == pytest.approx(away, rel=1e-14)
    assert dpbi.error_tail(m, [1, 1], [1, 1], np.nextafter(h, 1)) == pytest.approx(away, rel=1e-14)
    assert dpbi.error_tail(m, [1, 1], [1, 1], h * (1 + 1e-9)) == 0
    assert dpbi.error_quantile(m, [1, 1], [1, 1], 1 - away * 1.001) == 0
    assert dpbi.error_quantile(m, [1, 1], [1, 1], 1 - away * 0.999) == pytest.approx(h, rel=1e-14)
    assert dpbi.error_quantile(m, [1, 1], [1, 1], 1 - away) == 0  # Pr[H <= 0] = q is enough
    assert dpbi.error_quantile(dpbi.lshist(3.0), [1, 1], [10**6, 0], 0.5) == 0  # Pr[floor(Y) >= 0] = 1/2


@pytest.mark.parametrize("name", ["lshist", "ehd"])
def test_errors_of_all_datasets_equal_those_of_single_ones(name):
    mechanism, prior, n = MECHANISMS[name][0](0.8), [0.5, 1.0, 2.0], 4
    vectors = oracles.datasets(n, 3)
    assert dpbi.mean_errors(mechanism, prior, n).tolist() == [dpbi.mean_error(mechanism, prior, x) for x in vectors]
    quantiles = [dpbi.error_quantile(mechanism, prior, x, 0.9) for x in vectors]
    assert dpbi.error_quantiles(mechanism, prior, n, 0.9).tolist() == quantiles


def test_without_records_the_error_is_zero():
    found = dpbi.error_law(dpbi.lshist(0.8), [1, 1], [0, 0])
    assert (found.distances.tolist(), found.probabilities.tolist()) == ([0.0], [1.0])
    assert dpbi.mean_errors(dpbi.lshist(0.8), [1, 1], 0).tolist() == [0.0]


def test_only_equal_distances_are_ties():
    """At 60 digits (1, 2, 0) is farther away than (0, 0, 2) by 1e-12 of the distance, and (0, 2, 0) is as far."""
    mechanism, prior, x, other = dpbi.lshist(1.0), (1e6, 1, 1), (0, 1, 1), (0, 0, 2)
    law, t = mechanism.law(prior, x), oracles.distance(prior, x, other)
    most = t * (1 + mp.mpf(10) ** -40)
    near = [oracles.distance(prior, x, tuple(map(int, output))) <= most for output in law.outputs]
    assert closer_than(mechanism, prior, x, other, ties=True) == pytest.approx(law.probabilities[near].sum(), rel=1e-12)
