"""Guarantees over balls: what they give in doubles lies where it must, and laws agree with sums over all events."""

import math
from itertools import product

import numpy as np
import pytest

from dpbi import (
    RDP,
    ZCDP,
    ApproxDP,
    GaussianDP,
    PureDP,
    arithmetic,
    compose,
    gaussian_mechanism,
    uses_within,
)
from dpbi.guarantees import (
    delta_of_losses,
    hockey_stick_divergence,
    largest_count,
    log_probabilities,
    renyi_divergence,
    repeated_delta,
    subsampled,
    worst_pair,
)
from oracles import mp
from test_guarantees import SWEEP, TOLERANCE, gaussian_delta

pytest.importorskip("flint")


def enclosure(function):
    """What a function of no argument returns over balls."""
    with arithmetic.balls():
        return function()


def near(function, tolerance=TOLERANCE):
    """Whether a function of no argument returns the same in doubles and over balls, to a relative tolerance."""
    double = function()
    if math.isinf(double):
        return enclosure(lambda: function() == double)
    return enclosure(lambda: arithmetic.near(function(), double, tolerance * abs(double)))


def test_the_gaussian_body_in_doubles_is_the_formula_over_balls():
    for rho, epsilon in (*SWEEP[::3], (2600.0, 1500.0), (0.25, 0.25)):
        assert near(lambda: GaussianDP(rho).log_delta(epsilon)), (rho, epsilon)  # noqa: B023
        if GaussianDP(rho).log_delta(epsilon) > -700:
            assert near(lambda: GaussianDP(rho).delta(epsilon)), (rho, epsilon)  # noqa: B023


def test_the_formula_over_balls_contains_what_mpmath_finds():
    for rho, epsilon in ((0.375, 2.0), (3.0, 0.5), (12.0, 40.0)):
        truth = mp.nstr(gaussian_delta(rho, epsilon), 45)
        found = enclosure(lambda: GaussianDP(rho).delta(epsilon))  # noqa: B023
        assert enclosure(lambda: abs(found - arithmetic.number(truth)) < arithmetic.number("1e-40"))  # noqa: B023


@pytest.mark.parametrize("index", range(0, 120, 25))
def test_conversions_in_doubles_are_those_over_balls(index):
    rho, epsilon = SWEEP[index]
    delta = max(GaussianDP(rho).delta(epsilon), 1e-300)
    listed = lambda: GaussianDP(rho).rdp([1.5, 2, 9.25, 100, math.inf])  # noqa: E731
    for found in (
        lambda: ZCDP(rho).log_delta(epsilon),
        lambda: ZCDP(rho).epsilon(delta),
        lambda: ZCDP(rho).classic_epsilon(delta),
        lambda: GaussianDP(rho).epsilon(delta),
        lambda: listed().epsilon(delta),
        lambda: listed().classic_epsilon(delta),
        lambda: ApproxDP(epsilon, 0.1).delta(epsilon / 2),
        lambda: ApproxDP(epsilon, 0.1).epsilon(0.125),
        lambda: PureDP(epsilon).zcdp().rho,
        lambda: PureDP(epsilon).rdp(1.0625).values[0],
        lambda: compose(PureDP(epsilon), GaussianDP(rho)).rho,
    ):
        assert near(found, 1e-7 if delta > 0.999 else TOLERANCE)


def test_composition_and_subsampling_in_doubles_are_those_over_balls():
    step = lambda: subsampled(gaussian_mechanism(1, 2).rdp([2, 3, 4, 5]), 1000, 10)  # noqa: E731
    for order in range(4):
        assert near(lambda: step().values[order])  # noqa: B023
    for level in (0, 0.5, 2):
        assert near(lambda: repeated_delta(ApproxDP(0.3, 0.01), 7, level))  # noqa: B023
    uses = lambda: uses_within(GaussianDP(0.0005), ApproxDP(4, 1e-6))  # noqa: E731
    assert uses() == enclosure(uses) == 702
    fit = lambda: largest_count(lambda k: not arithmetic.less(2, step().repeat(k).classic_epsilon(0.1)))  # noqa: E731
    assert fit() == enclosure(fit)


def test_a_promise_over_balls_is_a_number_that_can_be_asked():
    with arithmetic.balls():
        pure, approx = PureDP(0.8), ApproxDP(0.8, 0.1)
        assert pure.epsilon == arithmetic.number(0.8)
        assert repr(approx) == "ApproxDP(epsilon=4/5, delta=1/10)"
        assert repr(PureDP(pure.epsilon).repeat(2)) == "PureDP(epsilon=8/5)"
        assert arithmetic.near(approx.delta(0.8), 0.1, 1e-16)
        assert arithmetic.near(pure.epsilon(0), 0.8, 1e-16)
        with pytest.raises(ValueError, match="rho must be"):
            GaussianDP(-1)
        with pytest.raises(ValueError, match="log_delta must be"):
            GaussianDP(1).epsilon_at_log_delta(1)


def test_the_hockey_stick_is_the_best_of_all_events():
    """Every set of outputs of two laws of five, by mpmath."""
    rng = np.random.default_rng(7)
    for epsilon in (0.0, 0.3, 1.1):
        p, q = (rng.multinomial(16, [0.2] * 5) / 16 for _ in range(2))  # exact doubles
        gains = [mp.mpf(a) - mp.exp(epsilon) * mp.mpf(b) for a, b in zip(p.tolist(), q.tolist(), strict=True)]
        events = product([0, 1], repeat=5)
        truth = max(mp.fsum(g * taken for g, taken in zip(gains, event, strict=True)) for event in events)
        assert hockey_stick_divergence(p, q, epsilon) == pytest.approx(float(truth), rel=1e-14, abs=1e-15)
        assert near(lambda: hockey_stick_divergence(p, q, epsilon))  # noqa: B023


def test_the_hockey_stick_keeps_its_digits_where_losses_just_exceed_epsilon():
    """Two laws that differ by 1e-9: as a difference of probabilities half of the digits would be gone."""
    p, q = [0.5 + 2.0**-30, 0.5 - 2.0**-30], [0.5, 0.5]
    loss = np.log1p([2.0**-29, -(2.0**-29)])
    truth = mp.mpf(p[0]) - mp.exp(1e-9) * mp.mpf(q[0])
    assert delta_of_losses(np.array(p), loss, 1e-9) == pytest.approx(float(truth), rel=1e-14)
    assert hockey_stick_divergence(p, q, 0.0) == pytest.approx(2.0**-30, abs=1e-16)


def test_the_hockey_stick_broadcasts_over_laws():
    p, q = np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([0.5, 0.5])
    assert hockey_stick_divergence(p, q, 0.0) == pytest.approx([0.0, 0.4])


@pytest.mark.parametrize("law", [[0.5, 0.4], [1.5, -0.5], [math.nan, 0.5], [0.3, 0.3, 0.4]])
def test_what_is_no_pair_of_laws_is_refused(law):
    for pair in ((law, [0.5, 0.5]), ([0.5, 0.5], law)):
        with pytest.raises(ValueError, match=r"^[pq] must "):
            hockey_stick_divergence(*pair, 0.3)


@pytest.mark.parametrize("delta", [0, 0.2])
def test_the_worst_pair_attains_its_promise_and_no_more(delta):
    p, q = worst_pair(0.7, delta)
    assert p.sum() == pytest.approx(1, abs=1e-15)
    for pair in ((p, q), (q, p)):
        assert hockey_stick_divergence(*pair, 0.7) == pytest.approx(delta, abs=1e-15)
        for level in (0.0, 0.4):
            assert hockey_stick_divergence(*pair, level) == pytest.approx(ApproxDP(0.7, delta).delta(level), rel=1e-14)


@pytest.mark.parametrize("order", [0.5, 1, 1.0009765625, 7.5, math.inf])
def test_divergences_in_doubles_are_those_over_balls(order):
    p, q = [0.5, 0.25, 0.25, 0], [0.125, 0.5, 0.375, 0]
    assert near(lambda: renyi_divergence(log_probabilities(p), log_probabilities(q), order), 1e-12)
    assert near(lambda: renyi_divergence(log_probabilities([0.5, 0.5]), log_probabilities([1, 0]), order))


def test_amplification_of_a_weak_promise_by_hand():
    """At a second order beyond what e^x holds as a double, 2 e^x is the smaller of the two terms."""
    for top in (600.0, 800.0, 5000.0):
        found = subsampled(RDP([2], [top]), 100, 10).values[0]
        with mp.workdps(40):
            e = mp.exp(top)
            truth = mp.log(1 + mp.mpf("0.01") * min(4 * (e - 1), 2 * e))
        assert found == pytest.approx(float(truth), rel=1e-12)
