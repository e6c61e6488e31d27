"""Audits of user-defined mechanisms: tables by hand calculation, black boxes by the error rate of their bounds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq

import dpbi
from dpbi import audit_sampler, audit_table
from dpbi.privacy import black_boxes


def test_random_tables_by_brute_force_in_fractions():
    rng = np.random.default_rng(2)
    for _ in range(30):
        weights = rng.integers(1, 100, (4, 3))
        laws = [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]
        pairs = [(0, 1), (2, 1), (3, 0)]
        both = pairs + [(b, a) for a, b in pairs]
        worst = max(laws[i][r] / laws[j][r] for i, j in both for r in range(3))
        table = [[float(p) for p in row] for row in laws]
        found = audit_table(table, pairs)
        assert math.exp(found.epsilon) == pytest.approx(float(worst), rel=1e-12)
        assert laws[found.row][found.output] / laws[found.neighbour][found.output] == worst


def test_an_output_of_one_row_alone_has_infinite_loss():
    found = audit_table([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]], [(0, 1)])
    assert (found.epsilon, found.row, found.neighbour, found.output) == (math.inf, 1, 0, 2)


def test_a_table_over_balls():
    with dpbi.arithmetic.balls():
        found = audit_table([[0.75, 0.25], [0.25, 0.75]], [(0, 1)]).epsilon
        assert dpbi.arithmetic.near(found, math.log(3), 1e-15)


@pytest.mark.parametrize(("table", "neighbours", "word"), [
    ([[0.5, 0.4], [0.5, 0.5]], [(0, 1)], "law_matrix"), ([[1.2, -0.2], [0.5, 0.5]], [(0, 1)], "law_matrix"),
    ([[0.5, 0.5], [1.0]], [(0, 1)], "law_matrix"), ([0.5, 0.5], [(0, 1)], "law_matrix"),
    ([[0.5, 0.5], [0.5, 0.5]], [(0, 2)], "neighbours"), ([[0.5, 0.5], [0.5, 0.5]], [], "neighbours"),
    ([[0.5, 0.5], [0.5, 0.5]], [(0.0, 1.0)], "neighbours"),
])  # fmt: skip
def test_invalid_tables_are_refused(table, neighbours, word):
    with pytest.raises(ValueError, match=word):
        audit_table(table, neighbours)


def coin(odds, rng, size):
    """Randomised response with these odds."""
    return rng.random(size) < odds / (1 + odds)


def laplace(center, rng, size):
    """Laplace noise of scale one."""
    return center + rng.laplace(size=size)


def floored(center, rng, size):
    """The same with noise below zero left out: what is below the center is seen."""
    return center + np.maximum(rng.laplace(size=size), 0)


def truncated(center, rng, size):
    """The same, drawn again until it is within two."""
    noise = rng.laplace(size=4 * size)
    return center + noise[np.abs(noise) <= 2][:size]


@pytest.mark.parametrize(
    ("draw", "data", "neighbour", "true"),
    [(coin, math.exp(0.5), math.exp(-0.5), 0.5), pytest.param(laplace, 0.0, 1.0, 1.0, marks=pytest.mark.slow)],
)
def test_the_bound_is_wrong_no_more_often_than_it_says(draw, data, neighbour, true):
    """500 repetitions at a confidence of 0.8: more than 130 wrong ones have a probability below 1e-3."""
    rng = np.random.default_rng(11)
    bounds = [audit_sampler(draw, data, neighbour, rng, 400, confidence=0.8).epsilon for _ in range(500)]
    assert sum(bound > true for bound in bounds) <= 130


@pytest.mark.parametrize("k", [200, 5000])
def test_a_set_chosen_among_many_is_counted_in_other_draws(k):
    """Nothing leaks, and the best set of the draws that chose it would claim a loss nearly every time."""
    rng = np.random.default_rng(15)
    found = [audit_sampler(lambda x, r, n: r.integers(k, size=n), 0, 1, rng, 1000, confidence=0.8) for _ in range(60)]
    assert sum(one.epsilon > 0 for one in found) <= 26  # of 60 at one in five: more has a probability below 1e-4


def test_the_intervals_at_both_ends_have_one_draw_each():
    """Of 0..299 and 600..899, which chose the intervals: the quantiles 1/600 and 599/600 by hand."""
    labels, places, names = black_boxes._labelled(np.arange(600.0), np.arange(600.0, 1200), 300)
    assert (names(0), names(labels - 1)) == ("in (-inf, 0.9983]", "in (898, inf)")
    assert (places == 0).sum() == (places[600:] == labels - 1).sum() - 300 == 1


def test_the_bound_is_that_of_two_binomial_tails():
    # 60 and 20 of 100 draws at a confidence of 0.9: either end leaves 1/20 of a binomial law
    def tail(p, least):
        return sum(math.comb(100, i) * p**i * (1 - p) ** (100 - i) for i in range(least, 101))

    low = brentq(lambda p: tail(p, 60) - 0.05, 0.01, 0.99, xtol=1e-14)
    high = brentq(lambda p: tail(p, 21) - 0.95, 0.01, 0.99, xtol=1e-14)
    found = black_boxes._bound(np.array([60, 0]), np.array([20, 20]), 100, 0.9, 0.125)
    assert found.tolist() == pytest.approx([math.log((low - 0.125) / high), -math.inf], rel=1e-10)


def test_the_bound_comes_near_the_truth():
    rng = np.random.default_rng(12)
    assert audit_sampler(coin, math.exp(1), math.exp(-1), rng, 100_000).epsilon > 0.95
    assert audit_sampler(laplace, 0.0, 1.0, rng, 100_000).epsilon > 0.9


@pytest.mark.parametrize(("wrong", "claimed"), [(floored, 1.0), (truncated, 1.0)])
def test_wrong_mechanisms_are_detected(wrong, claimed):
    rng = np.random.default_rng(13)
    found = [audit_sampler(wrong, 0.0, 1.0, rng, 20_000, confidence=0.99).epsilon for _ in range(3)]
    assert min(found) > 3 * claimed


def test_outputs_may_be_rows_and_labels():
    rng = np.random.default_rng(14)
    rows = audit_sampler(lambda x, r, size: dpbi.geometric(1.0).sample([1, 1], x, r, size), [2, 3], [1, 4], rng, 20_000)
    assert 0.7 < rows.epsilon <= 1.0
    words = audit_sampler(lambda x, r, size: r.choice(["no", "yes"], size, p=[x, 1 - x]), 0.9, 0.3, rng, 20_000)
    assert 1.7 < words.epsilon < math.log(7)


@pytest.mark.parametrize(("change", "error", "word"), [
    ({"draw": lambda x, rng, size: np.zeros(size - 1)}, ValueError, "draw"),
    ({"draw": lambda x, rng, size: np.full(size, math.nan)}, ValueError, "draw must return outputs other than nan"),
    ({"size": 10}, ValueError, "size"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(change, error, word):
    given = {"draw": coin, "data": 1.0, "neighbour": 2.0, "rng": np.random.default_rng(1), "size": 1000} | change
    with pytest.raises(error, match=word):
        audit_sampler(**given)
