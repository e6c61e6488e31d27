"""Rules of acceptance and transition matrices: doubles against balls on hard cases, and exactness to the last digit."""

import math

import mpmath
import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.arithmetic import less, number, numbers
from dpbi.mcmc import exact
from dpbi.mcmc.acceptance import (
    barker_acceptance,
    clipped,
    corrected,
    gauss_bernoulli_acceptance,
    logistic,
    metropolis,
    metropolis_acceptance,
    noise_scale,
    penalty_acceptance,
    threshold_acceptance,
    with_proposal,
)
from dpbi.mcmc.barker_rule import divergence
from dpbi.mcmc.minibatch import batch_ratio, changed

RULES = {
    "metropolis": metropolis_acceptance,
    "penalty": penalty_acceptance,
    "barker": barker_acceptance,
    "gauss_bernoulli": gauss_bernoulli_acceptance,
    "threshold": threshold_acceptance,
}


def agree(double, ball, relative):
    """Whether doubles are as near to their enclosures as that, below the smallest of them absolutely."""
    pairs = zip(np.ravel(double).tolist(), np.ravel(np.asarray(ball, dtype=object)).tolist(), strict=True)
    return all(arithmetic.near(there, here, relative * abs(float(there)) + 1e-300) for here, there in pairs)


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-3, 0.3, 1.7, 12.0])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_in_doubles_agrees_with_balls_far_out_and_near_zero(rule, noise):
    ratios = [-600.0, -30.0, -2.5, -1e-12, 0.0, 1e-7, 0.9, 30.0, 600.0]
    if rule == "threshold":  # where noise is next to nothing the sign decides, and that of zero nothing
        noise = max(noise, 1e-3)
    here = RULES[rule](np.array(ratios), noise)
    with arithmetic.balls():
        there = RULES[rule](numbers(ratios), number(noise))
        assert agree(here, there, 1e-11), (here, there)


def test_the_logistic_function_in_doubles_keeps_its_digits_where_the_formula_overflows():
    places = [-1000.0, -720.0, -40.0, -1e-9, 0.0, 1e-9, 40.0, 1000.0]
    with np.errstate(over="raise"):
        here = logistic(np.array(places))
    with arithmetic.balls():
        assert agree(here, logistic(numbers(places)), 1e-15)


@pytest.mark.parametrize("noise", [0.2, 1.2, 3.0, 9.0])
@pytest.mark.parametrize("ratio", [-4.0, 0.3, 25.0])
def test_the_trapezium_rule_is_within_its_proved_error(ratio, noise):
    """Against mpmath's quadrature."""
    with mpmath.workdps(30):
        centre, s = mpmath.mpf(ratio) - mpmath.mpf(noise) ** 2 / 2, mpmath.mpf(noise)
        truth = mpmath.quad(lambda z: mpmath.npdf(z) / (1 + mpmath.exp(-centre - s * z)), [-25, -8, -3, 0, 3, 8, 25])
    with arithmetic.balls():
        found = gauss_bernoulli_acceptance(number(ratio), number(noise))
        assert abs(float(found.mid()) - float(truth)) <= 2.7e-14
        assert float(found.rad()) <= 2.7e-14


def test_noise_that_is_exactly_none_leaves_metropolis_and_an_exact_rule():
    with arithmetic.balls():
        ratio = numbers([-3, 0, 2])
        found = penalty_acceptance(ratio, numbers([0, 0, 0]))
        assert all(abs(float(gap)) == 0 for gap in found - metropolis(ratio))


def test_clipping_noise_and_correction_are_exact_among_rationals():
    with arithmetic.balls():
        assert clipped(number(7), number("0.5")) == number("0.5")
        assert corrected(number(1), number("0.2")) == number("0.98")
        assert agree(0.6, noise_scale(number("0.1"), 4, number(3)), 1e-15)
        assert batch_ratio(number("0.5"), number("0.1"), number(10), 4) == number("3.75")
        assert changed(number(2), 4, number("0.5")) == number("3.5")


@pytest.mark.parametrize("batch", [6, 50, 1300])
def test_the_divergence_of_barkers_noise_agrees_with_balls(batch):
    orders = [2, 3, 7, 40] if batch > 1000 else [2]
    here = divergence(batch, np.array(orders))
    with arithmetic.balls():
        assert agree(here, divergence(batch, numbers(orders)), 1e-10)


# Matrices


def small(rows=6):
    return exact.student_grid(7, rows=rows)


@pytest.mark.parametrize("rule", ["metropolis", "penalty", "barker"])
def test_an_exact_rule_has_detailed_balance_to_the_last_digit(rule):
    with arithmetic.balls():
        grid = small()
        matrix = exact.transition(exact.walk(7), RULES[rule](grid.ratio, number("0.8") * grid.distance))
        for error in (
            exact.balance_error(matrix, grid.target),
            exact.invariance_error(matrix, grid.target),
            exact.bias(matrix, grid.target),
        ):
            assert less(error, number("1e-40"))


def test_gauss_bernoulli_has_it_as_far_as_its_integral_goes():
    with arithmetic.balls():
        grid = small()
        accepted = gauss_bernoulli_acceptance(grid.ratio, number("0.8") * grid.distance)
        matrix = exact.transition(exact.walk(7), accepted)
        assert less(exact.invariance_error(matrix, grid.target), number("1e-12"))


@pytest.mark.parametrize("rule", ["threshold", "gauss_bernoulli"])
def test_a_wrong_rule_is_certainly_wrong(rule):
    """A threshold instead of a logistic variable, and the noise without its correction."""
    with arithmetic.balls():
        grid = small()
        noise = number("1.702") + 0 * grid.distance if rule == "threshold" else 2 * grid.distance
        ratio = grid.ratio if rule == "threshold" else grid.ratio + noise**2 / 2
        matrix = exact.transition(exact.walk(7), RULES[rule](ratio, noise))
        assert less(number("1e-6"), exact.invariance_error(matrix, grid.target))


def test_a_leaning_proposal_needs_its_ratio():
    with arithmetic.balls():
        grid, towards = small(), numbers(range(1, 8))
        proposal = np.tile(towards / towards.sum(), (7, 1))
        for ratio, exact_one in ((with_proposal(grid.ratio, proposal), True), (grid.ratio, False)):
            error = exact.invariance_error(exact.transition(proposal, metropolis(ratio)), grid.target)
            assert less(error, number("1e-40")) == exact_one


@pytest.mark.parametrize("closing", [True, False])
def test_hmc_on_a_small_ring_is_exact_if_its_path_can_be_walked_back(closing):
    with arithmetic.balls():
        grid, kick = small(), np.random.default_rng(1).integers(-2, 3, size=7)
        path = exact.ring_path(kick, steps=2, noise=numbers([0.3, 0.7]), closing=closing)
        matrix = exact.ring_transition(grid.log_target, path, momentum_sd=1.5, noise_rate=0.2)
        assert less(exact.invariance_error(matrix, grid.target), number("1e-40")) == closing


def matrices():
    """One matrix of each kind with a law to compare it with."""
    grid = small()
    clip = grid.clipped_ratio(0.3)
    accepted = penalty_acceptance(clip, number("0.5") * grid.distance)
    yield exact.transition(exact.walk(7, reach=1), accepted), exact.clipped_path_law(grid, 0.3)
    yield exact.transition(exact.walk(7), accepted), grid.target
    yield exact.guided_transition(accepted), np.concatenate([grid.target, grid.target]) / 2
    for tau in (None, 0.4):
        yield exact.minibatch_transition(grid, exact.walk(7), 3, clip=0.6, tau=tau), grid.target


def test_matrices_and_their_stationary_laws_agree_with_balls():
    here = [(matrix, exact.stationary(matrix), exact.bias(matrix, law)) for matrix, law in matrices()]
    with arithmetic.balls():
        for (matrix, stationary, bias), (over_balls, law) in zip(here, matrices(), strict=True):
            assert agree(matrix, over_balls, 1e-11)
            assert agree(stationary, exact.stationary(over_balls), 1e-9)
            assert math.isclose(bias, float(exact.bias(over_balls, law)), rel_tol=1e-9, abs_tol=1e-14)
