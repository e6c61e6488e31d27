"""Inference from samples, cost of a private prior, and Le Cam's bound, by brute force over all draws or datasets."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.samples import distinguishing_error, frequency_tail
from dpbi.posterior_sampling.utility import cut, guessing_regret, mean_guessing_regret, region_cost, regret


def sequences(weights, size):
    """All sequences of draws with their probabilities, as fractions."""
    for chosen in itertools.product(range(len(weights)), repeat=size):
        yield chosen, math.prod(weights[i] for i in chosen)


def test_the_best_test_agrees_with_all_sequences_of_draws():
    p, q = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
    exact = sum(min(a, b) for (_, a), (_, b) in zip(sequences(p, 4), sequences(q, 4), strict=True)) / 2
    laws = [ps.weighted(range(3), [float(x) for x in law]) for law in (p, q)]
    assert distinguishing_error(*laws, 4) == pytest.approx(float(exact), rel=1e-13)
    with arithmetic.balls():
        exactly = [ps.weighted(range(3), [arithmetic.number(w) for w in weights]) for weights in ([3, 2, 1], [1, 2, 3])]
        assert distinguishing_error(*exactly, 4) == arithmetic.number(exact.numerator) / exact.denominator


def test_the_tail_of_frequencies_agrees_with_all_sequences():
    p, size, radius = [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)], 5, Fraction(1, 2)
    far = lambda draws: sum(abs(Fraction(draws.count(i), size) - p[i]) for i in range(3)) > radius  # noqa: E731
    exact = sum(probability for draws, probability in sequences(p, size) if far(draws))
    assert frequency_tail(ps.weighted(range(3), [2, 3, 5]), size, 0.5) == pytest.approx(float(exact), rel=1e-13)


def test_the_regret_is_that_of_the_first_best_response():
    ideal, private = ps.weighted(range(3), [2, 3, 5]), ps.weighted(range(3), [4, 4, 2])
    table = [[1, 0.3, 0], [0, 0.2, 1], [0.5, 0.5, 0.5]]
    # private means 0.52, 0.28, 0.5; ideal means 0.29, 0.56, 0.5
    assert regret(ideal, private, table) == pytest.approx(0.27)
    assert regret(ideal, private, np.ones((2, 3))) == 0.0
    with pytest.raises(ValueError, match="utilities must have one column for each of the 3"):
        regret(ideal, private, [[1, 2]])


def test_a_cut_law_is_the_restricted_one_with_zeros():
    family, prior, L = ps.bernoulli(), ps.weighted([0.05, 0.3, 0.5, 0.7, 0.95], [1, 66, 66, 66, 1]), math.log(2.4)
    x = [0, 0, 1]
    kept = cut(family, ps.posterior_law(family, prior, x), L)
    restricted = ps.posterior_law(family, ps.restricted(family, prior, L), x)
    assert kept.weights[[1, 2, 3]] == pytest.approx(restricted.weights)
    assert kept.weights[[0, 4]].tolist() == [0, 0]
    assert region_cost(family, prior, L) == pytest.approx(1 - ps.lipschitz_mass(family, prior, L))
    assert region_cost(family, prior, L) == pytest.approx(0.01)


def test_the_mean_regret_agrees_with_all_datasets():
    family, prior, L, n = ps.bernoulli(), ps.weighted([0.1, 0.4, 0.8], [3, 5, 2]), math.log(1.6), 5
    datasets = itertools.product((0, 1), repeat=n)
    exact = sum(math.exp(ps.log_evidence(family, prior, x)) * guessing_regret(family, prior, L, x) for x in datasets)
    assert mean_guessing_regret(prior, L, n) == pytest.approx(exact, rel=1e-12)


def test_one_record_has_a_le_cam_bound_and_a_risk_in_closed_form():
    """Of two laws the minimax risk is half their overlap if the laws mirror each other, and Le Cam's bound meets it."""
    found = ps.le_cam(ps.bernoulli(), ps.uniform([0.3, 0.7]), [[0], [1]])  # posteriors 7:3 and 3:7
    assert found.risk == pytest.approx(0.3, rel=1e-9)
    assert found.bound == pytest.approx(0.3, rel=1e-9)
    datasets = [[1] * ones + [0] * (3 - ones) for ones in range(4)]
    wider = ps.le_cam(ps.bernoulli(), ps.uniform([0.2, 0.5, 0.8]), datasets, size=2)
    assert 0 < wider.bound <= wider.risk


def test_the_least_worst_error_of_two_datasets_is_a_threshold():
    """Of two laws a rule with the same error under both, by Neyman and Pearson, has the least worst error."""
    prior, size = ps.weighted([0.25, 0.6], [3, 1]), 3
    laws = [ps.posterior_law(ps.bernoulli(), prior, data) for data in ([0, 0], [1, 1])]
    shares = [float(law.weights[1]) for law in laws]
    masses = [[math.comb(size, k) * w**k * (1 - w) ** (size - k) for k in range(size + 1)] for w in shares]
    best = math.inf  # guess the second from a count k on, at k itself with a coin
    for k in range(size + 1):
        wrong, here = [sum(masses[0][k + 1 :]), sum(masses[1][:k])], [masses[0][k], masses[1][k]]
        coin = min(1.0, max(0.0, (wrong[1] + here[1] - wrong[0]) / (here[0] + here[1])))
        best = min(best, max(wrong[0] + coin * here[0], wrong[1] + (1 - coin) * here[1]))
    found = ps.le_cam(ps.bernoulli(), prior, [[0, 0], [1, 1]], size)
    assert found.risk == pytest.approx(2 * best, rel=1e-9)  # two records apart
