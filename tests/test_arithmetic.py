"""The library in ball arithmetic against mpmath, closed forms and calculations by hand."""

import math
from contextvars import Context

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

import dpbi
from dpbi import arithmetic
from dpbi.accuracy import closer_than, steps_within
from dpbi.arithmetic import number


@pytest.fixture(autouse=True)
def in_balls():
    with arithmetic.balls():
        yield


def contains(ball, value, digits=30) -> bool:
    """Whether a ball agrees with an mpmath number to that many digits."""
    ball = arb(np.asarray(ball, dtype=object).item())
    with mpmath.workdps(60):
        middle = mpmath.mpf(ball.mid().str(50, radius=False))
        assert abs(middle - value) <= mpmath.mpf(10) ** -digits * abs(value), (ball, value)
        assert float(ball.rad()) <= 10**-digits * abs(float(value))
    return True


def hellinger_by_gamma(a, b):
    with mpmath.workdps(60):
        a, b = [mpmath.mpf(x) for x in a], [mpmath.mpf(x) for x in b]

        def log_beta(v):
            return sum(mpmath.loggamma(x) for x in v) - mpmath.loggamma(sum(v))

        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
        return mpmath.sqrt(1 - mpmath.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2))


@pytest.mark.parametrize(
    ("a", "b"), [(("0.5", "3"), ("2", "1.5")), (("0.1", "2", "7"), ("3.1", "1", "5")), (("2", "3"), ("4", "5"))]
)
def test_the_distance_agrees_with_mpmath(a, b):
    assert contains(dpbi.hellinger(number(a), number(b)), hellinger_by_gamma(a, b))


def test_numbers_are_read_as_the_decimals_written():
    assert number(0.8) == fmpq(4, 5)
    assert number((1, 0.25)) == (fmpq(1), fmpq(1, 4))


def test_the_flat_global_sensitivity_is_the_printed_constant():
    exact = dpbi.global_sensitivity(number((1, 1, 1)), 3)
    with mpmath.workdps(60):
        assert contains(exact, mpmath.sqrt(1 - mpmath.pi / 4))


def test_smooth_sensitivities_by_their_definition():
    """Prior (1/2, 2), n = 3: the maximum over the four datasets, in mpmath."""
    with mpmath.workdps(50):

        def h(x, r):
            return hellinger_by_gamma((x + mpmath.mpf("0.5"), 5 - x), (r + mpmath.mpf("0.5"), 5 - r))

        edge = [h(0, 1), h(1, 2), h(2, 3)]
        local = [edge[0], max(edge[:2]), max(edge[1:]), edge[2]]
        gamma = mpmath.mpf("0.3")
        prior = number((0.5, 2))
        for x in range(4):
            counts = (x, 3 - x)
            assert contains(dpbi.local_sensitivity(prior, counts), local[x])
            reciprocal = max(1 / (1 / local[y] + gamma * abs(x - y)) for y in range(4))
            assert contains(dpbi.reciprocal_smooth_sensitivity(prior, counts, number(0.3)), reciprocal)
            exponential = max(local[y] * mpmath.exp(-gamma * abs(x - y)) for y in range(4))
            assert contains(dpbi.exponential_smooth_sensitivity(prior, counts, number(0.3)), exponential)


def test_ties_are_found_exactly_and_not_by_rounding():
    """Both neighbours of (1, 1) are equally far: none is closer than the other, and with ties both are in."""
    prior, counts, other = number((1, 1)), (1, 1), (2, 0)
    mechanism = dpbi.lshist(number(1))
    assert float(closer_than(mechanism, prior, counts, other)) == pytest.approx((1 - math.exp(-1)) / 2)
    assert closer_than(mechanism, prior, counts, other, ties=True) == 1


def test_overlapping_balls_are_undecided():
    with pytest.raises(arithmetic.Undecided):
        arithmetic.less(arb(1, 0.1), arb(1))
    assert arithmetic.sign(arb(0, 0.1)) is None
    assert arithmetic.sign(arb(-1)) == -1


def test_an_infinite_enclosure_agrees_with_no_double():
    assert arithmetic.near(number("1/3"), 1 / 3, 1e-15)
    assert not arithmetic.near(number("1/3"), 1 / 3 + 1e-9, 1e-15)
    assert not arithmetic.near(arb("nan"), 1.0, 1.0)
    assert not arithmetic.near(arb("0 +/- inf"), 1.0, 1.0)


def test_steps_below_a_distance_are_counted():
    """Prior (1, 1), x = (1, 2): one step up at 0.3411, one step down at 0.3874 (both from mpmath)."""
    up, down = hellinger_by_gamma((2, 3), (3, 2)), hellinger_by_gamma((2, 3), (1, 4))
    assert 0.34 < up < 0.35 < down < 0.39
    assert [steps_within((1, 1), (1, 2), t) for t in number((0.35, 0.3, 0.99))] == [(0, 1), (0, 0), (1, 2)]


@pytest.mark.parametrize("prior", [("1.000000001", "3"), ("0.001", "250", "0.7")])
def test_the_law_of_the_counts_in_doubles_is_that_over_balls(prior):
    doubles = Context().run(dpbi.model.marginal, [float(weight) for weight in prior], 12)
    exact = dpbi.model.marginal(number(prior), 12)
    assert abs(exact.sum() - 1) < arb("1e-40")
    assert all(abs(arb(d) - p) < arb("1e-12") * p for d, p in zip(doubles, exact, strict=True))


def test_densities_of_posteriors_agree_with_mpmath():
    with arithmetic.balls():
        found = dpbi.log_density(number(("0.001", "250", "0.7")), number(("0.2", "0.5", "0.3"))).item()
        edge = dpbi.log_density(number((1, 2)), number((0, 1))).item(), dpbi.log_density(number((2, 1)), number((0, 1)))
        assert abs(edge[0] - arb(2).log()) < arb("1e-40")
        assert edge[1].item() == -math.inf
    with mpmath.workdps(40):
        a, theta = ([mpmath.mpf(x) for x in row] for row in (("0.001", "250", "0.7"), ("0.2", "0.5", "0.3")))
        beta = sum(map(mpmath.loggamma, a)) - mpmath.loggamma(sum(a))
        expected = sum((x - 1) * mpmath.log(t) for x, t in zip(a, theta, strict=True)) - beta
        assert mpmath.almosteq(mpmath.mpf(found.mid().str(40, radius=False)), expected, 1e-35)


@pytest.mark.parametrize("prior", [("0.001", "250"), ("30", "0.5")])
@pytest.mark.parametrize("counts", [(0, 7), (3, 40), (700, 1300)])
def test_steps_counted_in_doubles_are_those_counted_in_balls(prior, counts):
    """In a list there, one by one here."""
    exact = [steps_within(number(prior), counts, number(t)) for t in ("0.001", "0.33", "0.999")]
    weights = [float(weight) for weight in prior]
    assert [Context().run(steps_within, weights, counts, t) for t in (0.001, 0.33, 0.999)] == exact


def test_equal_distances_are_one_and_quantiles_exist_over_balls():
    """Prior (1, 1), x = (1, 1), epsilon 1: both other datasets are at one distance, reached with (1 + 1/e) / 2."""
    law = dpbi.error_law(dpbi.lshist(number(1)), number((1, 1)), (1, 1))
    assert len(law.distances) == 2
    assert contains(law.distances[1], hellinger_by_gamma((2, 2), (1, 3)))
    with mpmath.workdps(60):
        away = (1 + mpmath.exp(-1)) / 2
        assert contains(law.tail(law.distances[1] / 2), away)
        assert contains(law.below(law.distances[1] / 2), 1 - away)
    assert law.quantile(1 - number(0.7)) == 0
    assert contains(law.quantile(1 - number(0.6)), hellinger_by_gamma((2, 2), (1, 3)))
