"""Shapes that do not match, lists that are too long, and valid edge cases; test_hostile.py tests invalid input."""

import math

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import two_categories
from dpbi.publish.schemas import column_of

M = dpbi.lshist(0.8)
ALL = [  # one of each module that makes mechanisms
    dpbi.lshist(0.8), dpbi.laplace_in_order(0.8), dpbi.lattice_laplace(0.8), dpbi.randomised_response(0.8),
    dpbi.permute_and_flip(0.8), dpbi.ehd(0.8, 0.5), dpbi.smoothed_hellinger(0.8, 1e-5),
    dpbi.calibrate(dpbi.ehd, [1, 1], 3, 1),
]  # fmt: skip
RNG = np.random.default_rng(1)


@pytest.mark.parametrize("theta", [[0.5, 0.6], [-0.1, 1.1], [math.nan, 1], [0.2, 0.3, 0.5], [[0.5, 0.5], [0.5, 0.7]]])
def test_a_point_off_the_simplex_is_refused(theta):
    with pytest.raises(ValueError, match=r"theta must be .* sum 1"):
        dpbi.log_density([1, 1], theta)


def test_arrays_that_do_not_broadcast_are_refused():
    for a, b in (([1, 1, 1], [1, 1]), (np.ones((2, 2)), np.ones((3, 2)))):
        with pytest.raises(ValueError, match="a and b must have"):
            dpbi.hellinger(a, b)
    with pytest.raises(ValueError, match=r"concentration and theta must have .* that broadcast"):
        dpbi.log_density(np.ones((3, 2)), np.full((2, 2), 0.5))


def test_a_list_that_is_too_long_says_what_to_use_instead():
    for call in (
        lambda: dpbi.count_vectors(10**6, 10**6),  # a number with a million digits, which takes a minute to compute
        lambda: dpbi.ehd(0.8).law([1.0] * 1000, [10**6] * 1000),
        lambda: dpbi.lshist(0.8).law([1, 1, 1], [10**6] * 3),
        lambda: dpbi.laplace_in_order(0.8).law([1, 1, 1], [10**6] * 3),
        lambda: dpbi.mean_errors(dpbi.lshist(0.8), [1, 1], 10**9),
    ):
        with pytest.raises(ValueError, match=r"n must be .*Mechanism.sample"):
            call()
    for call in (
        lambda: dpbi.audit(dpbi.ehdl(0.8), [1, 1, 1], 10**4),
        lambda: dpbi.hockey_stick(dpbi.laplace_in_order(0.8), [1, 1], 10**5, 0.1),  # one law fits, all of them do not
    ):
        with pytest.raises(ValueError, match="n must be small enough"):
            call()


@pytest.mark.parametrize("mechanism", ALL[:-1], ids=lambda m: m.name)
def test_corners_are_legal(mechanism):
    for k in (2, 3):
        prior = [0.5] * k
        for x in ([0] * k, [3] + [0] * (k - 1), [0] * (k - 1) + [3], [1] + [0] * (k - 1)):
            assert mechanism.sample(prior, x, RNG, 2).shape == (2, k)
        assert dpbi.audit(mechanism, prior, 0).epsilon == 0
        mechanism.promise_at(prior, 0)


def test_whole_numbers_may_be_floats_or_numpy_integers():
    arrays = np.array([1, 1]), np.array([2, 0], np.uint8)
    assert dpbi.local_sensitivity([1, 1], [2.0, 0.0]) == dpbi.local_sensitivity(*arrays)
    assert dpbi.lattice_size(np.int64(3), np.uint8(2)) == 4
    assert M.sample([1, 1], [1, 2], RNG, np.int32(3)).shape == (3, 2)
    assert dpbi.posterior((1, 1), (2, 3)).tolist() == [3, 4]
    given = M, [1, 1], np.uint8(255), dpbi.inference.Intervals(np.zeros(256), np.full(256, 0.5))
    assert (dpbi.coverage(*given), dpbi.inference.coverage_at(*given, 0.4)) == pytest.approx((0.5, 1))
    assert dpbi.given_output(*given[:3], [249, 6])[0].mean == pytest.approx(250 / 257, abs=0.01)


def test_extreme_but_legal_numbers_are_accepted():
    assert dpbi.ApproxDP(0, 0).delta_at(0) == dpbi.PureDP(0).delta_at(0) == dpbi.PureDP(0).epsilon_at(1e-9) == 0
    assert dpbi.ApproxDP(0, 1).epsilon_at(1) == dpbi.PureDP(1).delta_at(1e6) == 0
    assert dpbi.epsilon_at_delta(M, [1, 1], 3, 0.999) == 0
    assert dpbi.error_tail(M, [1, 1], [1, 2], -5) == pytest.approx(1)
    assert dpbi.ehd(np.float64(0.8)).promise == dpbi.BoundedRange(0.8)
    assert dpbi.global_sensitivity([1e-3, 1e9], 2**53 - 1) > 0
    assert 0.4 < (dpbi.discrete_gaussian(1e-20).sample([1, 1], [5, 5], RNG, 1000)[:, 0] == 0).mean() < 0.6
    assert dpbi.ehd(1e155).sample([1, 1, 1], [10**4] * 3, RNG).tolist() == [[10**4] * 3]


SILENT = {  # each was answered, and wrong
    "weights that add up to 1.4": (lambda: dpbi.Mixture([0.7, 0.7], [1, 2], [2, 1]), "weights must be .* sum 1"),
    "a total that is not n": (lambda: dpbi.given_noise([1, 1], 20, [100, 100], 1.0), "noisy must have the total"),
    "a total above n": (lambda: dpbi.given_noise([1, 1], 20, [12, 9], 1.0), "noisy must have the total"),
    "a text for ties": (lambda: dpbi.closer_than(M, [1, 1], [1, 2], [2, 1], ties="no"), "ties must be True or"),
    "a text for bounded": (lambda: dpbi.given_noise([1, 1], 5, [2, 3], 1.0, bounded="no"), "bounded must be True"),
    "a prior of 0 in float32": (lambda: dpbi.posterior(np.array([0, 1], np.float32), [1, 2]), "prior must be"),
    "a prior of 1e308": (lambda: dpbi.posterior([1e308, 1], [1, 2]), "prior must be"),
    "1_000 between cuts": (lambda: column_of("a", {"cuts": [5]}).code("1_000"), "finite numbers"),
    "a truth value between cuts": (lambda: column_of("a", {"cuts": [5]}).code(True), "finite numbers"),
}


@pytest.mark.parametrize("case", SILENT)
def test_inputs_once_answered_wrongly_are_refused(case):
    call, message = SILENT[case]
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_counts_clamped_at_0_have_the_posterior_of_noisy_ones():
    clamped, noisy = (dpbi.given_noise([1, 1], 20, z, 0.3)[0].mean for z in ([20, 0], [22, -2]))
    assert clamped == pytest.approx(noisy, rel=1e-12)


def test_the_tail_at_0_is_1_and_near_1_both_ways_agree():
    assert dpbi.error_tail(dpbi.lattice_laplace(0.1), [1, 1, 1], [5, 5, 5], 0) == 1
    m, prior, x, t = dpbi.geometric(0.003), [0.1, 2.0], [554, 756], 1 - 1.6e-12  # the list was .0021 below the line
    line = two_categories.tail(m.line(prior, x), t)
    assert dpbi.error_tail(m, prior, x, t) == pytest.approx(line, abs=1e-9) == 1 - dpbi.error_below(m, prior, x, t)


def test_simulations_and_bounds_are_never_certain():
    """The truth is 3.5e-7 and 8.87e-175, by mpmath."""
    found = dpbi.simulated_mean_error(dpbi.geometric(14.0), [1, 1], [5, 5], np.random.default_rng(1), 400)
    assert (found.value, found.standard_error > 1e-3) == (0, True)
    deviation = dpbi.error_moments(dpbi.discrete_gaussian(40.0), [1, 1], [1, 0]).standard_deviation
    assert 8.87e-175 - deviation.value <= deviation.bound


def test_pure_privacy_joins_rdp_by_its_own_curve():
    e, joined = 0.1, dpbi.compose(dpbi.RDP([2, 64], [0.1, 0.3]), dpbi.PureDP(0.1))
    p = 1 / (1 + math.exp(-e))  # randomised response, whose divergence is a sum of two terms
    for order, value, given in zip(joined.orders, joined.values, (0.1, 0.3), strict=True):
        two = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
        assert value == pytest.approx(given + math.log(two) / (order - 1), rel=1e-9)
