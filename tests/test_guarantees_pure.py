"""Pure and approximate guarantees against randomised response, which attains them, by enumeration of all its events."""

import math
from itertools import product

import numpy as np
import pytest

from dpbi import ApproxDP, PureDP
from dpbi.divergences import delta_of_losses, hockey_stick_divergence
from dpbi.guarantees import worst_pair
from oracles import mp

LEVELS = [0.0, 0.3, 20.0]


def randomised_response(epsilon, delta=0):
    """Tell the truth openly with probability delta, else the truth e^epsilon times as often as a lie."""
    lie = (1 - mp.mpf(delta)) / (1 + mp.exp(epsilon))
    truth = 1 - mp.mpf(delta) - lie
    return [mp.mpf(delta), mp.mpf(0), truth, lie], [mp.mpf(0), mp.mpf(delta), lie, truth]


def stick(p, q, epsilon):
    """The smallest delta at an epsilon: the largest p(S) - e^epsilon q(S) over every set S of outputs."""
    events = product([0, 1], repeat=len(p))
    return max(mp.fsum(s * (a - mp.exp(epsilon) * b) for s, a, b in zip(event, p, q, strict=True)) for event in events)


@pytest.mark.parametrize("delta", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("other", [0.0, 0.1, 19.0, 800.0])
def test_the_implied_delta_is_that_of_randomised_response(epsilon, delta, other):
    truth = float(stick(*randomised_response(epsilon, delta), other))
    assert ApproxDP(epsilon, delta).delta_at(other) == pytest.approx(truth, rel=1e-13, abs=1e-300)
    if delta == 0:
        assert PureDP(epsilon).delta_at(other) == pytest.approx(truth, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize("delta", [0.0, 0.1])
@pytest.mark.parametrize("epsilon", [0.3, 20.0])
@pytest.mark.parametrize("share", [0.0, 1e-3, 0.99])
def test_the_implied_epsilon_is_that_of_randomised_response(epsilon, delta, share):
    p, q = randomised_response(epsilon, delta)
    at_zero = stick(p, q, 0)
    asked = float(delta + share * (at_zero - delta))
    found = ApproxDP(epsilon, delta).epsilon_at(asked)
    # there delta is what was asked for: the curve falls strictly, so this determines epsilon
    assert float(stick(p, q, mp.mpf(found))) == pytest.approx(asked, rel=1e-12)
    assert 0 <= found <= epsilon
    if delta == 0:
        assert PureDP(epsilon).epsilon_at(asked) == found
    assert ApproxDP(epsilon, delta).epsilon_at(min(1.0, float(at_zero) * 1.001)) == 0


def test_below_the_promised_delta_no_epsilon_is_enough():
    assert ApproxDP(0.8, 0.1).epsilon_at(0.0999) == math.inf
    assert ApproxDP(0.8, 0.1).epsilon_at(0.1) == 0.8
    assert PureDP(0.8).epsilon_at(0.0) == 0.8


def test_delta_of_many_uses_stops_at_one():
    assert ApproxDP(0.1, 0.3).repeat(4).delta == 1


def test_the_hockey_stick_is_the_best_of_all_events():
    rng = np.random.default_rng(7)
    for epsilon in (0.0, 0.3, 1.1):
        p, q = (rng.multinomial(16, [0.2] * 5) / 16 for _ in range(2))  # exact doubles
        truth = stick(p.tolist(), q.tolist(), epsilon)
        assert hockey_stick_divergence(p, q, epsilon) == pytest.approx(float(truth), rel=1e-14, abs=1e-15)


def test_the_hockey_stick_keeps_digits_just_beyond_epsilon():
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
def test_invalid_pairs_of_laws_are_refused(law):
    for pair in ((law, [0.5, 0.5]), ([0.5, 0.5], law)):
        with pytest.raises(ValueError, match=r"^[pq] must "):
            hockey_stick_divergence(*pair, 0.3)


@pytest.mark.parametrize("delta", [0, 0.2])
def test_the_worst_pair_attains_its_promise_and_no_more(delta):
    p, q = worst_pair(0.7, delta)
    assert p.sum() == pytest.approx(1, abs=1e-15)
    for pair in ((p, q), (q, p)):
        assert hockey_stick_divergence(*pair, 0.7) == pytest.approx(delta, abs=1e-15)
        for level, implied in [(e, ApproxDP(0.7, delta).delta_at(e)) for e in (0.0, 0.4)]:
            assert hockey_stick_divergence(*pair, level) == pytest.approx(implied, rel=1e-14)
    with pytest.raises(ValueError, match="delta must be"):
        worst_pair(0.7, delta - 1.5)
