"""Numbers on the pages about private chains, by other formulas: mpmath, sums in logarithms, and eigenvectors."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit, gammaln, logsumexp
from scipy.stats import norm

from dpbi import RDP, ApproxDP, arithmetic, uses_within
from dpbi.arithmetic import less, number, numbers
from dpbi.claims import BY_ID
from dpbi.guarantees import largest_count, subsampled
from dpbi.mcmc import affordable, barker_rule, hmc_penalty, minibatch_penalty, penalty
from dpbi.mcmc import transition_matrices as matrices
from dpbi.mcmc.acceptance import barker_acceptance, penalty_acceptance, threshold_acceptance
from dpbi.mcmc.minibatch import RENYI_ORDERS
from dpbi.mcmc.penalty_algorithm import statistic
from mcmc_targets import normal_model

ROWS, DELTA = 100_000, 1e-6
TARGET = normal_model(np.zeros(ROWS))
TUNED = {  # the algorithm, the inverse of its cost, and the iterations at epsilon = 1, ..., 6
    "penalty": (penalty(0.1, 2.0, 0.008), 2000, (56, 201, 419, 702, 1041, 1431)),
    "HMC": (hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.0005, 10), mpmath.mpf(32000) / 27, (33, 119, 248, 416, 616, 848)),
}


def delta_of(rho, epsilon):
    """The printed formula of Theorem 3 of the thesis, at fifty digits."""
    with mpmath.workdps(50):
        a, b = ((epsilon - sign * rho) / (2 * mpmath.sqrt(rho)) for sign in (1, -1))
        return (mpmath.erfc(a) - mpmath.exp(epsilon) * mpmath.erfc(b)) / 2


def test_a_run_takes_the_most_iterations_within_its_budget():
    for algorithm, inverse, counts in TUNED.values():
        for epsilon, k in enumerate(counts, 1):
            assert affordable(TARGET, algorithm, ApproxDP(epsilon, DELTA)) == k
            assert delta_of(k / inverse, epsilon) <= DELTA < delta_of((k + 1) / inverse, epsilon)


def secret_batches(orders, tau, share, terms):
    """The bound of sampling without replacement on the Renyi divergences of normal noise, its sum up to a term."""
    found = []
    for a in orders:
        j = np.arange(2, terms(a) + 1)
        choose = gammaln(a + 1) - gammaln(j + 1) - gammaln(a - j + 1)
        weights = np.where(j == 2, math.log(min(4 * math.expm1(1 / tau), 2 * math.exp(1 / tau))), math.log(2))
        exponents = np.where(j == 2, 0, (j - 1) * j / (2 * tau))
        found.append(logsumexp([0, *(j * math.log(share) + choose + weights + exponents)]) / (a - 1))
    return np.array(found)


def test_the_iterations_on_batches_are_fewer_than_printed():
    step = subsampled(RDP(RENYI_ORDERS, RENYI_ORDERS / (2 * 0.7)), ROWS, 1000)

    def allowed(values, epsilon):
        orders = RENYI_ORDERS[: len(values)]
        return max(math.floor(v) for v in (epsilon - math.log(1 / DELTA) / (orders - 1)) / values)

    whole = secret_batches(RENYI_ORDERS, 0.7, 0.01, lambda a: a)
    assert np.allclose(step.values, whole, rtol=1e-9)
    assert np.allclose(minibatch_penalty(0.7, 1000, 2.0, 0.1).cost(TARGET).values, whole, rtol=1e-9)
    short = secret_batches(RENYI_ORDERS, 0.7, 0.01, lambda a: max(a - 1, 2))
    for epsilon, ours, printed, better in ((4, 272, 329, 442), (6, 961, 991, 1197)):
        assert largest_count(lambda k, e=epsilon: step.repeat(k).classic_epsilon_at(DELTA) <= e) == ours
        assert (allowed(whole, epsilon), allowed(short, epsilon)) == (ours, printed)
        assert uses_within(step, ApproxDP(epsilon, DELTA)) == better
    assert uses_within(barker_rule.renyi_cost(TARGET, batch=2600), ApproxDP(1, DELTA)) == 225


def test_a_step_decides_by_a_clipped_sum():
    """Rows of a normal model, whose ratios are written out; a temperature multiplies the sum and its noise."""
    rows, theta, proposal, tau, clip, warm = (0.5, -1, 2, 0.25, 1), 0.25, -0.5, 0.3, 0.8, 0.5
    bound = clip * abs(proposal - theta)
    ratios = [(proposal - theta) * (x - (theta + proposal) / 2) for x in rows]
    s = 2 * warm * tau * math.sqrt(5) * bound
    right = warm * sum(min(max(r, -bound), bound) for r in ratios) + (theta**2 - proposal**2) / 2 + 0.7 * s - s * s / 2
    places = np.array([[theta]]), np.array([[proposal]])
    found, _ = statistic(normal_model(rows, temperature=warm), *places, np.array([0.7]), tau=tau, clip=clip)
    assert found[0] == pytest.approx(right, rel=1e-12)


def test_the_normal_rule_is_near_barkers_at_1702():
    ratio = np.linspace(-12, 12, 2401)
    assert np.allclose(barker_acceptance(ratio, 0), expit(ratio), rtol=1e-12)
    assert np.allclose(threshold_acceptance(ratio, 1.702), norm.cdf(ratio / 1.702), rtol=1e-12)
    assert 0.0094 < np.abs(norm.cdf(ratio / 1.702) - expit(ratio)).max() < 0.0095


def test_a_guided_walk_turns_where_its_steps_lead_off_the_line():
    """On the way up from the i-th of g points, i of the g - 1 lengths lead off; every move on the line is accepted."""
    for points in (3, 7):
        matrix = matrices.guided_transition(np.ones((points, points)))
        turning = [matrix[i, points + i] for i in range(points)]
        assert turning == pytest.approx([i / (points - 1) for i in range(points)])


def test_components_and_guided_walks_are_invariant_in_balls():
    """Doubles can say 1e-12; over balls the error is below 1e-30, and above 1e-6 without the correction."""
    with arithmetic.balls():
        grid = matrices.student_model([(7 * j % 20 - 8) / 4 for j in range(20)], 7)
        place = numbers(range(-3, 4))
        plane = grid.log_target[:, None] + grid.log_target / 2 - place[:, None] * place / 8
        for rate in (number("0.5"), number(2)):
            for kappa, right in ((number("0.5"), True), (number(0), False)):

                def rule(log_target, rate=rate, kappa=kappa):
                    return penalty_acceptance(log_target - log_target[:, None], rate * grid.distance, kappa)

                walked = lambda row, of=rule: matrices.transition(matrices.walk(7), of(row))  # noqa: E731
                components = matrices.along_components(plane, walked)
                both = np.concatenate([grid.target, grid.target]) / 2
                guided = matrices.guided_transition(rule(grid.log_target)), both
                for matrix, law in (components, guided):
                    error = matrices.invariance_error(matrix, law)
                    assert less(error, number("1e-30")) if right else less(number("1e-6"), error)


def test_metropolis_is_invariant_far_below_its_bound(monkeypatch):
    """The statement says at most 1e-12, which is what doubles can say; over balls the error is below 1e-30."""
    monkeypatch.setattr(matrices, "ROUNDING", 0.0)
    each = BY_ID["private-mcmc/2.2-metropolis"]
    for case in each.cases:
        with arithmetic.balls():
            found = each(**{key: number(value) for key, value in case.items()})[0]
            assert less(found, number("1e-30"))


def test_clipping_moves_the_stationary_law_as_the_page_shows():
    """At two bounds; the law is the eigenvector of a matrix that is built from the formula of the acceptance."""
    grid = matrices.student_grid(41)
    apart = grid.log_likelihood[:, None, :] - grid.log_likelihood[:, :, None]
    s = np.where(np.eye(41), 1, grid.distance / 2)
    for clip, distance, share in ((0.8, 0.0959, 0.5), (0.3, 0.233, 0.83)):
        bound = clip * grid.distance
        ratio = np.clip(apart, -bound, bound).sum(axis=0) + grid.log_prior - grid.log_prior[:, None]
        accepted = norm.cdf(ratio / s - s / 2) + np.exp(ratio) * norm.cdf(-ratio / s - s / 2)
        matrix = accepted * (1 - np.eye(41)) / 80
        matrix += np.diag(1 - matrix.sum(axis=1))
        values, vectors = np.linalg.eig(matrix.T)
        law = np.real(vectors[:, np.argmax(np.real(values))])
        assert np.abs(law / law.sum() - grid.target).sum() / 2 == pytest.approx(distance, rel=5e-3)
        ours = matrices.transition(matrices.walk(41), penalty_acceptance(grid.clipped_ratio(clip), grid.distance / 2))
        assert matrices.bias(ours, grid.target) == pytest.approx(distance, rel=5e-3)
        off = ~np.eye(41, dtype=bool)
        assert (np.abs(apart) > bound)[:, off].mean() == pytest.approx(share, abs=0.02)
