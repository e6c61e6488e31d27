"""Bounded range: curves against searches over distributions, and composition against the game that defines it."""

import math

import numpy as np
import pytest

import dpbi
from dpbi import ZCDP, ApproxDP, BoundedRange, GaussianDP, PureDP, compose
from dpbi.divergences import hockey_stick_divergence
from dpbi.guarantees import range_epsilon, repeated_delta, total_cost, two_outputs
from oracles import highest, mp


@pytest.mark.parametrize("epsilon", [1e-3, 2.0])
def test_its_delta_is_the_largest_over_t(epsilon):
    choices = [two_outputs(epsilon, t) for t in np.linspace(1e-6, 1 - 1e-6, 401) * epsilon]
    for level in (0.0, 0.2 * epsilon, 0.8 * epsilon):
        largest = max(hockey_stick_divergence(p, q, level) for p, q in choices)
        assert BoundedRange(epsilon).delta_at(level) == pytest.approx(largest, rel=1e-3)
        assert BoundedRange(epsilon).delta_at(level) >= largest * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [1e-4, 0.25, 0.31, 3.0, 300.0])
def test_its_divergence_keeps_its_digits(epsilon):
    """The largest over t of ln(p^a q^(1-a) + ...) / (a - 1), by golden section at 60 digits."""
    e = mp.mpf(epsilon)
    for order in (1.25, 2.0, 30.0):

        def divergence(t, order=order):
            p = (1 - mp.exp(t - e)) / (1 - mp.exp(-e))
            return mp.log(p * mp.exp((order - 1) * t) + (1 - p) * mp.exp((order - 1) * (t - e))) / (order - 1)

        most = divergence(highest(divergence, 0, e, 80))
        assert float(BoundedRange(epsilon).rdp(order)) == pytest.approx(float(most), rel=1e-12)
        assert float(BoundedRange(epsilon).rdp(order)) <= order * epsilon**2 / 8
    even = lambda x: mp.log(-mp.expm1(-x) / x) + x / 2  # noqa: E731
    for a in map(mp.mpf, (1 + 1e-6, 1.001, 1e4, 1e7)):  # the closed form, at 60 digits
        exact = even(a * e) - even((a - 1) * e) + (even(a * e) - even(e)) / (a - 1)
        assert float(BoundedRange(epsilon).rdp(float(a))) == pytest.approx(float(exact), rel=1e-8)
    first, near, *large = BoundedRange(epsilon).rdp([1 + 1e-12, 1 + 1e-6, 1e16, math.inf]).values
    assert (first, large) == (near, [epsilon] * 2)


def test_epsilon_at_delta_is_the_inverse():
    for delta in (1e-9, 1e-3, 0.1):
        assert BoundedRange(0.8).delta_at(BoundedRange(0.8).epsilon_at(delta)) == pytest.approx(delta, rel=1e-6)
    assert BoundedRange(0.8).epsilon_at(0.9) == BoundedRange(0).epsilon_at(0.0) == BoundedRange(0).delta_at(0.0) == 0


@pytest.mark.parametrize(("name", "prior"), [("ehd", (1, 0.2, 2)), ("ehdl", (0.5, 3)), ("ehds", (1, 0.2, 2)),
                                              ("smoothed_hellinger", (0.5, 3))])  # fmt: skip
def test_the_losses_of_the_exponential_mechanisms_keep_the_range(name, prior):
    n = 7 if len(prior) == 2 else 4
    mechanism = dpbi.MECHANISMS[name].at(1.3)
    guarantee = mechanism.promise_at(prior, n)
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
    step = BoundedRange(0.5)
    for delta in (1e-3, 0.02, 0.1):
        low, high = range_epsilon([step] * 3, delta)
        # choices on a coarse grid are choices: they leave the delta at the lower end above what is allowed
        assert played(0.5, 3, high, 26) <= delta * (1 + 1e-9)
        assert played(0.5, 3, low - 0.01, 26) >= delta * 0.98
        assert high - low < 0.02
    low, high = range_epsilon([BoundedRange(0.8)], 0.01)
    assert low <= BoundedRange(0.8).epsilon_at(0.01) <= high


def test_any_order_and_different_ranges_are_enclosed():
    mixed = [BoundedRange(0.2), BoundedRange(0.5), BoundedRange(0.31)]
    low, high = range_epsilon(mixed, 1e-3)
    assert low <= high <= min(1.01, ZCDP(sum(v.zcdp().rho for v in mixed)).epsilon_at(1e-3))
    # a choice that is fixed in advance tells less than the best
    p, q = np.ones(1), np.ones(1)
    for value in mixed:
        here, there = two_outputs(value.epsilon, value.epsilon / 2)
        p, q = np.outer(p, here).ravel(), np.outer(q, there).ravel()
    assert hockey_stick_divergence(p / p.sum(), q / q.sum(), high) <= 1e-3


def of_two(first, second, level):
    """The worst delta of two uses: the second in closed form, the first choosing among 2,001 losses."""

    def of_one(v):
        return 1 - math.exp(v) if v < -second else math.expm1((min(v, second) - second) / 2) ** 2 / -math.expm1(-second)

    losses = np.linspace(0, first, 2001)
    shares = np.expm1(losses - first) / np.expm1(-first)
    return max(p * of_one(level - t) + (1 - p) * of_one(level - t + first) for p, t in zip(shares, losses, strict=True))


@pytest.mark.parametrize("points", [1, 2, 3])
def test_coarse_grids_enclose_two_different_ranges(points):
    for first, second in ((1.0, 0.45), (0.45, 1.0)):
        for delta in (1e-4, 0.03, 0.2):
            low, high = range_epsilon([BoundedRange(first), BoundedRange(second)], delta, points)
            assert of_two(first, second, high) <= delta
            assert low == 0 or of_two(first, second, low) > delta


def test_rounding_does_not_raise_the_lower_end():
    """The choice 3/4 is on the grid, so that V(1/2) is exact: a delta just above it allows less than 1/2."""
    exact = (1 - mp.exp(-mp.mpf(1) / 4)) ** 2 / (1 - mp.exp(-1))
    delta = math.nextafter(float(exact), 1)
    assert range_epsilon([BoundedRange(1.0)], delta, 4)[0] <= 1 + 2 * mp.log(1 - mp.sqrt(delta * (1 - mp.exp(-1))))


def test_twenty_uses():
    step = BoundedRange(0.3)
    low, high = range_epsilon([step] * 20, 1e-6)
    assert low <= high <= step.repeat(20).epsilon_at(1e-6) <= 3.35
    pure = next(e for e in np.linspace(3, 7, 4001) if repeated_delta(PureDP(0.3), 20, e) <= 1e-6)
    assert high < min(low + 0.01, pure)
    rho = (0.4**2 + 30 * 0.3001**2) / 8  # the lower end rounds 3.001 steps down; of 4 it would exceed the classic bound
    uneven = range_epsilon([BoundedRange(0.4), *[BoundedRange(0.3001)] * 30], 1e-6, 4)
    assert uneven[0] <= rho + 2 * math.sqrt(rho * math.log(1e6))
    assert range_epsilon([BoundedRange(1), BoundedRange(9e-10)], 1e-25, 1)[1] > 1  # at epsilon 1 delta is 4.7e-20


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


@pytest.mark.parametrize(("wrong", "error", "word"), [
    (lambda: two_outputs(0.1, 2), ValueError, "t must be"),
    (lambda: range_epsilon([PureDP(1)], 1e-6), TypeError, "ranges"),
    (lambda: range_epsilon([BoundedRange(1)], 0.0), ValueError, "delta"),
    (lambda: range_epsilon([BoundedRange(1)] * 2000, 1e-6, 1000), ValueError, "points"),
    (lambda: total_cost([PureDP(1)], 1.0), ValueError, "delta"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(wrong, error, word):
    with pytest.raises(error, match=word):
        wrong()
