"""Transition matrices on grids: which steps leave the target invariant, and by how much the other steps miss it.

Acceptance rules are compared with quadrature by mpmath, and doubles with interval arithmetic (balls) in hard cases.
"""

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

from dpbi import arithmetic
from dpbi.arithmetic import less, log, number, numbers
from dpbi.mcmc import acceptance
from dpbi.mcmc import transition_matrices as matrices
from dpbi.mcmc.barker_rule import corrected_barker_acceptance
from dpbi.mcmc.ring import ring_path, ring_transition

GRID = matrices.student_grid()
WALK = matrices.walk(41)
EXACT = 1e-12
SEEN = 1e-4


def bias(accepted):
    """How far the stationary law of a walk on the grid is from the target, by its rule of acceptance."""
    return matrices.bias(matrices.transition(WALK, accepted), GRID.target)


RULES = {
    "metropolis": acceptance.metropolis_acceptance, "penalty": acceptance.penalty_acceptance,
    "gauss_bernoulli": acceptance.gauss_bernoulli_acceptance, "barker": acceptance.barker_acceptance,
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_exact_rules_satisfy_detailed_balance(rule):
    for rate in (0.5, 2.0, 10.0):
        matrix = matrices.transition(WALK, RULES[rule](GRID.ratio, rate * GRID.distance))
        assert matrix.min() >= 0
        assert np.allclose(matrix.sum(axis=1), 1, atol=1e-14)
        assert matrices.balance_error(matrix, GRID.target) <= EXACT
        assert matrices.invariance_error(matrix, GRID.target) <= EXACT
        assert matrices.bias(matrix, GRID.target) <= EXACT


@pytest.mark.parametrize("correction", [0.0, 0.4, 0.6])
def test_any_other_correction_has_a_bias(correction):
    for rate in (1.0, 4.0):
        matrix = matrices.transition(WALK, acceptance.penalty_acceptance(GRID.ratio, rate * GRID.distance, correction))
        assert matrices.invariance_error(matrix, GRID.target) > SEEN / 10
        assert matrices.bias(matrix, GRID.target) > SEEN


@pytest.mark.parametrize(("mean_ratio", "noise"), [(-3.0, 1.0), (0.7, 0.1), (40.0, 5.0), (0.7, 5.0)])
def test_acceptance_averaged_over_noise_agrees_with_quadrature(mean_ratio, noise):
    with mpmath.workdps(30):
        centre, s = mpmath.mpf(mean_ratio) - mpmath.mpf(noise) ** 2 / 2, mpmath.mpf(noise)
        zero = -centre / s  # where the minimum has its kink
        places = sorted([mpmath.mpf(-38), zero, mpmath.mpf(38), mpmath.mpf(0), s])

        def averaged(g):
            return mpmath.quad(lambda z: mpmath.npdf(z) * g(centre + s * z), places)

        penalty = averaged(lambda y: min(mpmath.mpf(1), mpmath.exp(y)))
        smooth = averaged(lambda y: 1 / (1 + mpmath.exp(-y)))
    found = acceptance.penalty_acceptance(np.array([mean_ratio]), np.array([noise]))[0]
    assert float(found) == pytest.approx(float(penalty), rel=1e-11)
    found = acceptance.gauss_bernoulli_acceptance(np.array([mean_ratio]), np.array([noise]))[0]
    assert float(found) == pytest.approx(float(smooth), rel=1e-11)


def test_noise_so_small_that_nothing_is_left_of_it_is_metropolis():
    small = acceptance.penalty_acceptance(GRID.ratio, 1e-9 + 0 * GRID.ratio)
    assert np.allclose(small, acceptance.metropolis_acceptance(GRID.ratio, 0.0), atol=1e-8)
    assert np.array_equal(acceptance.penalty_acceptance(np.array([0.0, -2.0]), np.zeros(2)), np.exp([0.0, -2.0]))
    with arithmetic.balls():
        ratio = numbers([-3, 0, 2])
        found = acceptance.penalty_acceptance(ratio, numbers([0, 0, 0]))
        assert all(abs(float(gap)) == 0 for gap in found - acceptance.metropolis(ratio))


def test_gauss_bernoulli_is_dominated_by_the_penalty():
    for rate in (0.5, 1.0, 2.0):
        noise = rate * GRID.distance
        most = acceptance.penalty_acceptance(GRID.ratio, noise) + 1e-15
        assert np.all(acceptance.gauss_bernoulli_acceptance(GRID.ratio, noise) <= most)
        rules = acceptance.gauss_bernoulli_acceptance, acceptance.penalty_acceptance
        gaps = [matrices.spectral_gap(matrices.transition(WALK, rule(GRID.ratio, noise))) for rule in rules]
        assert gaps[0] < gaps[1]


def test_the_guided_walk_is_invariant_and_not_reversible():
    matrix = matrices.guided_transition(acceptance.penalty_acceptance(GRID.ratio, GRID.distance))
    both = np.concatenate([GRID.target, GRID.target]) / 2
    assert np.allclose(matrix.sum(axis=1), 1, atol=1e-14)
    assert matrices.invariance_error(matrix, both) <= EXACT
    assert matrices.skew_balance_error(matrix, GRID.target) <= EXACT
    assert matrices.balance_error(matrix, both) > 1e-3
    wrong = matrices.guided_transition(acceptance.penalty_acceptance(GRID.ratio, GRID.distance, 0.0))
    assert matrices.invariance_error(wrong, both) > SEEN


@pytest.mark.parametrize("steps", [1, 3])
def test_hmc_on_a_ring_is_exact_for_any_gradient(steps):
    points = 21
    log_target = matrices.student_grid(points).log_target
    target = np.exp(log_target - log_target.max())
    target /= target.sum()
    kick = np.random.default_rng(steps).integers(-4, 5, size=points)  # nothing to do with the target
    noise = np.array([0.2, 0.5, 0.3])
    path = ring_path(kick, steps=steps, noise=noise)
    position, momentum = np.divmod(np.arange(points**2), points)
    flip = position * points + (-momentum) % points  # the states with the momentum reversed
    assert np.allclose(path.sum(axis=0), 1)  # volume is preserved
    assert np.abs(path - path[np.ix_(flip, flip)].T).max() <= 1e-15  # and the path can be walked back
    matrix = ring_transition(log_target, path, momentum_sd=3.0, noise_rate=0.1)
    assert matrices.invariance_error(matrix, target) <= EXACT
    assert matrices.balance_error(matrix, target) <= EXACT
    open_path = ring_path(kick, steps=steps, noise=noise, closing=False)
    assert np.abs(open_path - open_path[np.ix_(flip, flip)].T).max() > 0.01
    wrong = ring_transition(log_target, open_path, momentum_sd=3.0, noise_rate=0.1)
    assert matrices.invariance_error(wrong, target) > SEEN


def test_clipping_has_a_bias_that_grows_as_the_bound_falls():
    ratios = map(GRID.clipped_ratio, (1e9, 0.8, 0.5, 0.3, 0.15))
    biases = [bias(acceptance.penalty_acceptance(ratio, 0.5 * GRID.distance)) for ratio in ratios]
    assert biases[0] <= EXACT
    assert np.all(np.diff(biases) > 0.02)


@pytest.mark.parametrize("clip", [0.8, 0.15])
def test_a_clipped_chain_is_reversible_only_between_neighbours(clip):
    accepted = acceptance.penalty_acceptance(GRID.clipped_ratio(clip), 0.5 * GRID.distance)
    far = matrices.transition(WALK, accepted)
    assert matrices.balance_error(far, matrices.stationary(far)) > 1e-6
    near = matrices.transition(matrices.walk(41, reach=1), accepted)
    assert matrices.balance_error(near, matrices.stationary(near)) <= EXACT
    assert np.abs(matrices.stationary(near) - matrices.clipped_path_law(GRID, clip)).sum() / 2 <= EXACT


def test_barker_misses_also_with_the_best_correction():
    def missed(variance):
        return bias(corrected_barker_acceptance(GRID.ratio, 0 * GRID.ratio, variance))

    assert 1e-4 < missed(2) < missed(3)


def test_a_threshold_on_normal_noise_is_best_near_1702():
    noises = {s: np.full_like(GRID.ratio, s) for s in (1.5, 1.702, 2.5)}
    biases = {s: bias(acceptance.threshold_acceptance(GRID.ratio, noise)) for s, noise in noises.items()}
    assert 1e-3 < biases[1.702] < biases[1.5] < biases[2.5]


def test_batches_have_a_bias_even_without_private_noise():
    small = matrices.student_grid(21, rows=10)
    for batch in (3, 5):
        matrix = matrices.minibatch_transition(small, matrices.walk(21), batch, clip=1e9, tau=None)
        assert np.allclose(matrix.sum(axis=1), 1)
        assert matrices.bias(matrix, small.target) > 1e-3


def test_stationary_law_of_a_chain_that_begins_far_from_its_mass():
    log_target = -((np.linspace(0, 140, 401) - 140) ** 2) / 2  # that it is stationary follows from detailed balance
    ratio = log_target - log_target[:, None]
    accepted = acceptance.metropolis_acceptance(ratio, 0 * ratio)
    law = matrices.stationary(matrices.transition(matrices.walk(401), accepted))
    target = np.exp(log_target)
    assert np.allclose(law, target / target.sum(), rtol=1e-9, atol=1e-300)


def test_the_grid_is_the_student_model():
    truth, _ = quad(lambda t: (1 + t**2 / 3) ** -2, -np.inf, np.inf)
    rows = 0.3 + np.random.default_rng(4).standard_t(3, size=60)
    density = (1 + (rows[:, None] - GRID.points) ** 2 / 3) ** -2 / truth
    log_target = np.log(density).sum(axis=0) - GRID.points**2 / 8
    assert np.allclose(np.diff(log_target), np.diff(GRID.log_target))


def agree(double, ball, relative):
    """Whether doubles are as near to their enclosures as that, below the smallest of them absolutely."""
    pairs = zip(np.ravel(double).tolist(), np.ravel(np.asarray(ball, dtype=object)).tolist(), strict=True)
    return all(arithmetic.near(there, here, relative * abs(float(there)) + 1e-300) for here, there in pairs)


@pytest.mark.parametrize("rule", [*RULES, "threshold"])
def test_a_rule_in_doubles_agrees_with_balls_far_and_near(rule):
    ratios = [-600.0, -30.0, -2.5, -1e-12, 0.0, 1e-7, 0.9, 30.0, 600.0]
    accepted = RULES.get(rule, acceptance.threshold_acceptance)
    for noise in (0.0, 1e-12, 1e-3, 0.3, 12.0):
        if rule == "threshold":  # where noise is next to nothing the sign decides, and that of zero nothing
            noise = max(noise, 1e-3)
        here = accepted(np.array(ratios), noise)
        with arithmetic.balls():
            there = accepted(numbers(ratios), number(noise))
            assert agree(here, there, 1e-11), (noise, here, there)


def test_the_logistic_function_keeps_its_digits_in_doubles():
    places = [-1000.0, -720.0, -40.0, -1e-9, 0.0, 1e-9, 40.0, 1000.0]
    with np.errstate(over="raise"):
        here = acceptance.logistic(np.array(places))
    with arithmetic.balls():
        assert agree(here, acceptance.logistic(numbers(places)), 1e-15)


def test_a_leaning_proposal_needs_its_ratio():
    with arithmetic.balls():
        grid, towards = matrices.student_grid(7, rows=6), numbers(range(1, 8))
        proposal = np.tile(towards / towards.sum(), (7, 1))
        for ratio, exact_one in ((grid.ratio + log(proposal.T / proposal), True), (grid.ratio, False)):
            error = matrices.invariance_error(matrices.transition(proposal, acceptance.metropolis(ratio)), grid.target)
            assert less(error, number("1e-40")) == exact_one
