"""Bounded range: its curves against searches over its laws, its composition against the game it is."""

import math

import numpy as np
import pytest

import dpbi
from dpbi import ZCDP, ApproxDP, BoundedRange, GaussianDP, PureDP, compose
from dpbi.guarantees import (
    Account,
    FiniteLoss,
    hockey_stick_divergence,
    range_delta,
    range_epsilon,
    renyi_divergence,
    repeated_delta,
    total_cost,
    two_outputs,
)
from dpbi.guarantees.curves import concentration, product_delta, trade_off


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 2.0, 9.0])
def test_its_delta_and_its_divergence_are_the_largest_over_t(epsilon):
    choices = [two_outputs(epsilon, t) for t in np.linspace(1e-6, 1 - 1e-6, 401) * epsilon]
    for level in (0.0, 0.2 * epsilon, 0.8 * epsilon):
        largest = max(hockey_stick_divergence(p, q, level) for p, q in choices)
        assert BoundedRange(epsilon).delta(level) == pytest.approx(largest, rel=1e-3)
        assert BoundedRange(epsilon).delta(level) >= largest * (1 - 1e-9)
    for order in (1.01, 2.0, 30.0):
        largest = max(renyi_divergence(np.log(p), np.log(q), order) for p, q in choices)
        assert float(BoundedRange(epsilon).rdp(order)) == pytest.approx(largest, rel=1e-3)
        assert float(BoundedRange(epsilon).rdp(order)) <= order * epsilon**2 / 8


def test_epsilon_at_delta_is_the_inverse():
    for delta in (1e-9, 1e-3, 0.1):
        assert BoundedRange(0.8).delta(BoundedRange(0.8).epsilon(delta)) == pytest.approx(delta, rel=1e-6)
    assert BoundedRange(0.8).epsilon(0.9) == BoundedRange(0).epsilon(0.0) == BoundedRange(0).delta(0.0) == 0


@pytest.mark.parametrize("prior", [(1, 1), (0.5, 3), (1, 0.2, 2)])
@pytest.mark.parametrize("name", ["ehd", "ehdl", "ehds", "smoothed_hellinger"])
def test_the_losses_of_the_exponential_mechanisms_keep_the_range(name, prior):
    n = 7 if len(prior) == 2 else 4
    mechanism = dpbi.MECHANISMS[name].at(1.3)
    guarantee = mechanism.guarantee(prior, n)
    if guarantee is None:
        return
    assert isinstance(guarantee, BoundedRange)
    laws = mechanism.laws(prior, n).log_probabilities
    rows = {tuple(x): i for i, x in enumerate(dpbi.count_vectors(n, len(prior)).tolist())}
    for x, i in rows.items():
        for y in dpbi.neighbours(x).tolist():
            losses = laws[i] - laws[rows[tuple(y)]]
            assert losses.max() - losses.min() <= guarantee.epsilon * (1 + 1e-12)


def played(epsilon, count, level, points):
    """The game by its definition, the adversary choosing among so many t, with no grid for the losses."""
    if count == 0:
        return max(1 - math.exp(level), 0.0)
    best = 0.0
    for t in np.linspace(0, epsilon, points):
        share = (1 - math.exp(t - epsilon)) / (1 - math.exp(-epsilon))
        rest = played(epsilon, count - 1, level - t, points), played(epsilon, count - 1, level - t + epsilon, points)
        best = max(best, share * rest[0] + (1 - share) * rest[1])
    return best


def test_the_game_is_enclosed():
    for level in (0.0, 0.3, 0.9):
        exact = played(0.5, 3, level, 26)
        found = range_delta([BoundedRange(0.5)] * 3, level)
        assert exact <= found.upper
        assert found.lower <= exact * 1.01 + 1e-4
        assert found.width < 0.01
    one = range_delta([BoundedRange(0.8)], 0.3)
    assert one.lower <= BoundedRange(0.8).delta(0.3) <= one.upper


def test_any_order_and_different_ranges_are_enclosed():
    mixed = [BoundedRange(0.2), BoundedRange(0.5), BoundedRange(0.31)]
    found = range_epsilon(mixed, 1e-3)
    assert found.lower <= found.upper <= min(1.01, ZCDP(sum(v.zcdp().rho for v in mixed)).epsilon(1e-3))
    # a choice that is fixed in advance tells less than the best
    fixed = Account([(FiniteLoss(*two_outputs(v.epsilon + 0, v.epsilon / 2)), 1) for v in mixed]).epsilon(1e-3)
    assert fixed.lower <= found.upper


def test_twenty_uses():
    step = BoundedRange(0.3)
    exact = range_epsilon([step] * 20, 1e-6)
    assert exact.upper <= step.repeat(20).epsilon(1e-6) <= 3.35
    assert exact.width < 0.01
    pure = next(e for e in np.linspace(3, 7, 4001) if repeated_delta(PureDP(0.3), 20, e) <= 1e-6)
    assert exact.upper < pure


def test_what_is_added_up():
    assert compose(BoundedRange(0.4), BoundedRange(0.4)).rho == pytest.approx(0.04)
    assert compose(BoundedRange(0.4), GaussianDP(0.1)) == ZCDP(0.12000000000000001)
    assert compose(BoundedRange(0.4), ApproxDP(0.1, 1e-3)) == ApproxDP(0.5, 1e-3)
    assert dpbi.uses_within(BoundedRange(0.3), ApproxDP(4.0, 1e-6)) == 27
    spent = total_cost([BoundedRange(0.3), PureDP(0.1), GaussianDP(0.02)], 1e-6)
    assert spent.rho == pytest.approx(0.3**2 / 8 + 0.1 * math.tanh(0.05) + 0.02)
    assert spent.epsilon <= spent.rho + 2 * math.sqrt(spent.rho * math.log(1e6))
    assert total_cost([ApproxDP(0.1, 1e-9)] * 3, 1e-6).rho == math.inf
    assert total_cost([ApproxDP(0.1, 1e-9)] * 3, 1e-6).epsilon <= 0.3
    assert total_cost([BoundedRange(0.5), BoundedRange(0.5)], 1e-30).epsilon == pytest.approx(1.0)


# Curves of finite laws


def test_the_trade_off_curve_has_the_hockey_sticks_as_its_heights():
    rng = np.random.default_rng(5)
    for _ in range(50):
        p, q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
        corners = trade_off(p, q)
        assert np.all(np.diff(corners[:, 0]) >= 0)
        slopes = np.diff(corners[:, 1]) / np.diff(corners[:, 0])
        assert np.all(np.diff(slopes) >= -1e-9)
        for level in (0.0, 0.7):
            height = (1 - corners[:, 1] - math.exp(level) * corners[:, 0]).max()
            assert height == pytest.approx(hockey_stick_divergence(q, p, level), abs=1e-12)


def test_the_concentration_is_the_largest_quotient():
    rng = np.random.default_rng(6)
    for _ in range(3):
        p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
        found = concentration(p, q, 1e-4)
        orders = 1 + np.geomspace(1e-6, 1e3, 300)
        searched = max(renyi_divergence(np.log(p), np.log(q), a) / a for a in orders)
        assert searched <= found.upper
        assert found.lower == pytest.approx(searched, rel=1e-3)
    assert concentration([0.5, 0.5], [1.0, 0.0]).upper == math.inf


def test_brute_force_over_balls_encloses_the_doubles():
    pairs = [([0.5, 0.3, 0.2], [0.25, 0.5, 0.25], 3), ([0.9, 0.1], [0.8, 0.2], 2)]
    with dpbi.arithmetic.balls():
        exact = product_delta(pairs, 0.2)
        assert dpbi.arithmetic.near(exact, product_delta_in_doubles(pairs), 1e-13)


def product_delta_in_doubles(pairs):
    """Every sequence of outputs, one by one."""
    p, q = np.ones(1), np.ones(1)
    for here, there, count in pairs:
        for _ in range(count):
            p, q = np.outer(p, here).ravel(), np.outer(q, there).ravel()
    return float(np.maximum(p - math.exp(0.2) * q, 0).sum())


@pytest.mark.parametrize(
    ("wrong", "error", "word"),
    [
        (lambda: BoundedRange(-1), ValueError, "epsilon"),
        (lambda: BoundedRange("1"), TypeError, "epsilon"),
        (lambda: range_epsilon([], 1e-6), TypeError, "ranges"),
        (lambda: range_epsilon([PureDP(1)], 1e-6), TypeError, "ranges"),
        (lambda: range_epsilon([BoundedRange(1)], 0.0), ValueError, "delta"),
        (lambda: range_epsilon([BoundedRange(1)] * 2000, 1e-6, 1000), ValueError, "points"),
        (lambda: total_cost([], 1e-6), ValueError, "guarantees"),
        (lambda: total_cost([PureDP(1)], 1.0), ValueError, "delta"),
        (lambda: trade_off([0.5, 0.5], [1.0]), ValueError, "outputs of p"),
        (lambda: product_delta([([0.5, 0.5], [0.1, 0.1, 0.8], 1)], 1.0), ValueError, "outputs of p"),
        (lambda: product_delta([(np.full(50, 0.02), np.full(50, 0.02), 20)], 1.0), ValueError, "count"),
    ],
)
def test_what_is_wrong_is_said(wrong, error, word):
    with pytest.raises(error, match=word):
        wrong()
