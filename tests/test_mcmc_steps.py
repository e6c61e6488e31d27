"""Steps of private chains: acceptance rates, the noise that the steps pay for, and the noisy path of HMC.

Statistical tests have fixed seeds; with a correct library, a test fails at about one seed in ten thousand (four or five
standard errors). The oracles are integrals of closed forms over proposals, sums over all batches, and moments.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from dpbi import mcmc
from dpbi.mcmc import hmc, row_models
from dpbi.mcmc import transition_matrices as matrices
from dpbi.mcmc.acceptance import gauss_bernoulli_acceptance, penalty_acceptance
from dpbi.mcmc.algorithm import bounded_ratio, checked_spread
from dpbi.mcmc.barker_rule import correction
from dpbi.mcmc.hmc import leapfrog
from dpbi.mcmc.models import simulated_banana
from mcmc_targets import bernoulli, normal_model, silent

CHAINS = 20_000


def assert_share(share, expected, chains=CHAINS):
    assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / chains), (share, expected)


@pytest.mark.parametrize(("algorithm", "acceptance"), [
    (mcmc.metropolis(0.4), lambda ratio, s: np.exp(np.minimum(ratio, 0))),
    (mcmc.penalty(0.6, None, 0.4), penalty_acceptance),
    (mcmc.component_penalty(0.3, None, 0.4), penalty_acceptance),
    (mcmc.gauss_bernoulli(0.6, None, 0.4), gauss_bernoulli_acceptance),
], ids=lambda each: getattr(each, "name", ""))  # fmt: skip
def test_a_step_of_a_tempered_model_accepts_as_in_closed_form(rng, algorithm, acceptance):
    """Chains from one point, a strong prior: the integral over proposals of the averaged acceptance."""
    chains, here, warm = 100_000, -0.3, 0.4
    target = replace(bernoulli(30, 100, (40.0, 8.0)).target, temperature=warm)
    after, info = algorithm.step(mcmc.State(np.full((chains, 1), here)), target, rng)
    z = (np.arange(-600, 600) + 0.5) / 100  # midpoints: the kink at no move lies between two of them
    there = here + 0.4 * z
    found = [warm * (30 * t - 100 * np.logaddexp(0, t)) + 40 * t - 48 * np.logaddexp(0, t) for t in (here, *there)]
    noise = warm * algorithm.parameters.get("tau", 0.0) * 10 * np.abs(there - here)
    weight = np.exp(-(z**2) / 2)
    expected = float(weight @ acceptance(np.array(found[1:]) - found[0], noise) / weight.sum())
    assert_share(info.accepted.mean(), expected, chains)
    assert np.array_equal(after.theta[:, 0] != here, info.accepted)
    assert np.all(info.clipped == 0)


@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_a_guided_step_goes_on_and_turns_where_refused(rng, direction):
    target, here = bernoulli(30, 100).target, -0.8
    state = mcmc.State(np.full((CHAINS, 1), here), np.full((CHAINS, 1), direction))
    after, info = mcmc.guided_walk(0.2, None, 0.4).step(state, target, rng)
    length = (np.arange(6000) + 0.5) / 1000
    weight = np.exp(-(length**2) / 2)
    there = here + direction * 0.4 * length
    ratio = target.log_density(there[:, None]) - target.log_density(np.array([[here]]))
    chance = penalty_acceptance(ratio, 0.2 * 10 * 0.4 * length)
    assert_share(info.accepted.mean(), float(weight @ chance / weight.sum()))
    moved = after.theta[:, 0] != here
    assert np.array_equal(moved, info.accepted)
    assert np.all(direction * (after.theta[moved, 0] - here) > 0)
    assert np.all(after.direction[:, 0] == np.where(info.accepted, direction, -direction))
    mean = float((weight * chance) @ (there - here) / (weight @ chance))
    assert abs((after.theta[moved, 0] - here).mean() - mean) < 4 * 0.4 / math.sqrt(moved.sum())


def on_every_batch(target, rows, batch, here, there, bound):
    """Mean and variance of the clipped log ratios of a unit-variance normal model, for every batch of so many rows."""
    ratios = np.clip((rows - here) ** 2 / 2 - (rows - there) ** 2 / 2, -bound, bound)
    chosen = np.array(list(itertools.combinations(range(len(rows)), batch)))
    return target.rows * target.temperature, ratios[chosen].mean(axis=1), ratios[chosen].var(axis=1)


def minibatch_rule(target, rows, here, there, tau=0.5, batch=3, clip=1.0):
    bound = clip * abs(there - here)
    whole, mean, variance = on_every_batch(target, rows, batch, here, there, bound)
    change = 2 * whole / batch * bound + 2 * (whole / batch * bound) ** 2 * (batch - 1) / batch
    ratio = whole * mean - whole**2 / batch * variance / 2 + (here**2 - there**2) / 2
    return penalty_acceptance(ratio, np.full_like(ratio, math.sqrt(tau) * change)).mean()


def barker_rule(target, rows, here, there, batch=6):
    bound = math.sqrt(batch) / (target.rows * target.temperature)
    whole, mean, variance = on_every_batch(target, rows, batch, here, there, bound)
    ratio, law = whole * mean + (here**2 - there**2) / 2, correction()
    deviation = np.sqrt(2 - whole**2 / batch * variance)
    used = law.weights > 0
    return (norm.cdf((ratio[:, None] + law.atoms[used]) / deviation[:, None]) @ law.weights[used]).mean()


@pytest.mark.parametrize(
    ("algorithm", "rule"),
    [(mcmc.minibatch_penalty(0.5, 3, 1.0, 0.4), minibatch_rule), (mcmc.barker(6, 0.4), barker_rule)],
)
def test_a_step_on_batches_accepts_as_often_as_all_batches_say(rng, algorithm, rule):
    """Chains from one point, up and down, against the sum over all batches and proposals."""
    rows, here, chains = np.random.default_rng(8).normal(0.5, 1.5, 9), 0.6, 30_000
    target = mcmc.Target(
        mcmc.ExponentialFamily(rows[:, None], lambda theta: theta, lambda theta: theta[:, 0] ** 2 / 2),
        1, log_prior=lambda theta: -(theta[:, 0] ** 2) / 2, temperature=0.8,
    )  # fmt: skip
    after, _ = algorithm.step(mcmc.State(np.full((chains, 1), here)), target, rng)
    node = (np.arange(-60, 60) + 0.5) / 15  # midpoints: the two sides meet between two of them
    weight = np.exp(-(node**2) / 2)
    found = np.array([rule(target, rows, here, here + algorithm.parameters["scale"] * z) for z in node])
    for side in (-1, 1):
        expected = float(weight @ (found * (side * node > 0)) / weight.sum())
        assert_share(float(np.mean(side * (after.theta[:, 0] - here) > 0)), expected, chains)


def test_the_exact_acceptance_on_batches_is_the_mean_of_all():
    x, points, tau, batch, clip = np.array([-1.1, 0.2, 0.4, 1.3, 1.5, 2.6]), np.linspace(-0.6, 1.2, 7), 0.15, 3, 1.4
    grid = matrices.Grid(points, -((x[:, None] - points) ** 2) / 2, -5 * points**2)
    ratios = np.array([[-((v - points) ** 2) / 2 + (v - here) ** 2 / 2 for here in points] for v in x])
    bound = clip * abs(points - points[:, None])
    chosen = np.array(list(itertools.combinations(range(len(x)), batch)))
    part = np.clip(ratios, -bound, bound)[chosen]  # (batches, rows, from, to)
    weight = len(x) / batch
    change = 2 * weight * bound + 2 * (weight * bound) ** 2 * (batch - 1) / batch
    both = len(x) * part.mean(axis=1) - len(x) ** 2 / batch * part.var(axis=1) / 2
    both += -5 * points**2 + 5 * points[:, None] ** 2
    expected = np.mean([penalty_acceptance(one, math.sqrt(tau) * change) for one in both], axis=0)
    found = matrices.minibatch_acceptance(grid, batch, clip=clip, tau=tau)
    assert np.allclose((found - expected)[~np.eye(7, dtype=bool)], 0, atol=1e-12)


@pytest.mark.parametrize("method", [mcmc.penalty, mcmc.component_penalty, mcmc.guided_walk])
def test_every_component_moves_as_far_as_its_scale_says(rng, method):
    """Where nothing is refused."""
    algorithm = method(0.1, None, [0.1, 0.5])
    after, _ = algorithm.step(algorithm.start(np.zeros((CHAINS, 2)), rng), silent(spread=1e-9), rng)
    share = 1.0 if method is mcmc.penalty else 0.5
    for component, scale in enumerate((0.1, 0.5)):
        moves = after.theta[:, component][after.theta[:, component] != 0]
        assert np.sqrt(np.mean(moves**2)) == pytest.approx(scale, rel=0.04)
        assert abs(np.mean(moves)) < 4 * scale / math.sqrt(len(moves))
        assert len(moves) / CHAINS == pytest.approx(share, abs=0.02)
    assert np.all(np.count_nonzero(after.theta, axis=1) == 2 * share)


@pytest.mark.parametrize("make", [mcmc.penalty, mcmc.component_penalty, mcmc.guided_walk, mcmc.gauss_bernoulli])
def test_the_noise_of_a_step_is_what_its_cost_stands_for(rng, make):
    """On rows that say nothing, with a spread of 0.05, a step accepts as often as that noise lets it."""
    target, algorithm = silent(spread=0.05), make(2.0, None, 0.1)
    _, info = algorithm.step(algorithm.start(np.zeros((CHAINS, 2)), rng), target, rng)
    noise = 0.05 / math.sqrt(2 * float(algorithm.cost(target).rho))  # sensitivity over the square root of 2 rho
    if make is mcmc.gauss_bernoulli:
        expected = float(gauss_bernoulli_acceptance(np.zeros(1), np.full(1, noise))[0])
    else:
        expected = 2 * norm.cdf(-noise / 2)
    assert_share(info.accepted.mean(), expected)


def test_the_noise_of_hmc_on_its_ratio_is_what_it_costs(rng):
    target, algorithm = silent(spread=0.05), mcmc.hmc_penalty(2.0, None, 1e6, 1e-9, 0.1, 2)
    _, info = algorithm.step(mcmc.State(np.zeros((CHAINS, 2))), target, rng)
    rho = float(algorithm.cost(target).rho) - 3 / (2 * 1e12 * 100)  # less what three gradients cost
    assert_share(info.accepted.mean(), 2 * norm.cdf(-0.05 / math.sqrt(2 * rho) / 2))


def test_the_noise_of_hmc_on_its_gradients_is_what_it_costs(rng, monkeypatch):
    """Momenta over rows that say nothing are moved by noise alone."""
    target, steps, clip, step = silent(), 4, 0.5, 0.3
    algorithm = mcmc.hmc_penalty(1e-3, None, 0.7, clip, step, steps)
    moved = []

    def watched(*parts, **settings):
        end = leapfrog(*parts, **settings)
        assert settings["clip"] == clip
        moved.append(end[1] - parts[2])
        return end

    monkeypatch.setattr(hmc, "leapfrog", watched)
    algorithm.step(mcmc.State(np.zeros((CHAINS, 2))), target, rng)
    of_gradients = algorithm.cost(target).rho - 1 / (2 * 1e-6 * 100)
    noise = 2 * clip / math.sqrt(2 * of_gradients / (steps + 1))
    expected = (step * noise) ** 2 * (steps - 1 + 0.5)  # whole kicks in between, half ones at the ends
    assert abs(moved[0].var() / expected - 1) < 4 * math.sqrt(1 / CHAINS)


def test_a_replaced_row_moves_a_clipped_sum_by_its_sensitivity():
    theta, proposal, totals = np.array([[0.0]]), np.array([[0.1]]), []
    for last in (-1e6, 1e6):
        found = bounded_ratio(normal_model([0.3, -0.2, last]), theta, proposal, 0.7)
        totals.append(found.total[0])
    assert totals[1] - totals[0] == pytest.approx(found.sensitivity[0], abs=1e-12)
    slopes = [hmc.gradient(normal_model([0.3, -0.2, x]), theta, 0.7, 0 * theta).total[0, 0] for x in (-1e6, 1e6)]
    assert slopes[1] - slopes[0] == pytest.approx(2 * 0.7, abs=1e-12)  # which the noise of a gradient is for
    kept, outside = row_models.clip_ratios(np.array([5.0, -5.0, 0.3, np.nan, np.inf, 0.5]), 1.0)
    assert kept.tolist() == [1, -1, 0.3, -1, 1, 0.5]
    assert outside == 4 / 6


def test_the_noise_on_a_move_to_infinity_is_infinite():
    """A move with one infinite component; and one whose spread back is larger by the rounding that is allowed."""
    here, there = np.zeros((2, 2)), np.array([[0.1, np.inf], [0.1, 0.2]])
    for back in (0.5 * (1 + 1e-10), 0.5 * (1 - 1e-10)):
        found = checked_spread(lambda a, b, back=back: np.where(a[:, 0] == 0, 0.5, back), here, there)
        assert found.tolist() == [np.inf, max(0.5, back)]
    with pytest.raises(ValueError, match="spread must be the same both ways"):
        checked_spread(lambda a, b: np.where(a[:, 0] == 0, 0.5, 0.5 + 1e-8), here, there)


def quartic(gradient):
    """The law proportional to exp(-x^4 / 4) as one row, with a gradient of one's own."""
    return mcmc.Target(
        mcmc.ExponentialFamily(np.ones((1, 1)), natural=lambda theta: -(theta**4) / 4,
            log_partition=lambda theta: np.zeros(len(theta)), jacobian=lambda theta: gradient(theta)[:, None, :],
            partition_gradient=np.zeros_like),
        1, log_prior=lambda theta: np.zeros(len(theta)), prior_gradient=np.zeros_like,
        spread=lambda theta, proposal: 0.5 + 0 * theta[:, 0],
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("gradient", [lambda x: -(x**3), lambda x: -x - 0.7, lambda x: np.sin(5 * x)])
def test_hmc_has_the_right_moments_with_a_wrong_gradient(rng, gradient):
    """E x^2 = 2 Gamma(3/4) / Gamma(1/4), E x^4 = 1, over a long seeded run of many chains with noisy gradients."""
    algorithm = mcmc.hmc_penalty(tau=1.0, clip=None, tau_gradient=0.5, clip_gradient=1.0, stepsize=0.4, steps=3)
    chains = 5000
    result = mcmc.study(quartic(gradient), algorithm, rng.normal(0, 0.8, (chains, 1)), rng, iterations=200)
    x = result.samples[50:, :, 0]
    second, fourth = (x**2).mean(axis=0), (x**4).mean(axis=0)
    truth = 2 * math.gamma(0.75) / math.gamma(0.25)
    assert abs(second.mean() - truth) < 5 * second.std() / math.sqrt(chains)
    assert abs(fourth.mean() - 1) < 5 * fourth.std() / math.sqrt(chains)
    assert second.std() / math.sqrt(chains) < 2.5e-3


def test_the_noisy_path_can_be_walked_back(rng):
    example = simulated_banana(500, 3, 20.0, rng)
    theta = example.draw(rng, 4)
    momentum, noise = rng.standard_normal((4, 3)), 30 * rng.standard_normal((6, 4, 3))
    settings = {"stepsize": 0.004, "mass": np.array([1.0, 2.0, 0.5]), "clip": 0.7}
    end, end_momentum, clipped = leapfrog(example.target, theta, momentum, noise=noise, **settings)
    back, back_momentum, _ = leapfrog(example.target, end, -end_momentum, noise=noise[::-1], **settings)
    assert np.abs(end - theta).max() > 0.01
    assert np.allclose(back, theta, atol=1e-10)
    assert np.allclose(-back_momentum, momentum, atol=1e-9)
    assert clipped.max() > 0.05


def test_the_noisy_path_preserves_volume(rng):
    example = simulated_banana(300, 2, 20.0, rng)
    settings = {"stepsize": 0.01, "mass": np.ones(2), "clip": 2.0, "noise": rng.standard_normal((4, 1, 2))}

    def end(point):
        theta, momentum, _ = leapfrog(example.target, point[None, :2], point[None, 2:], **settings)
        return np.concatenate([theta[0], momentum[0]])

    here, h = np.concatenate([example.draw(rng, 1)[0], [0.3, -0.2]]), 1e-6
    jacobian = np.array([(end(here + h * e) - end(here - h * e)) / (2 * h) for e in np.eye(4)]).T
    assert np.linalg.det(jacobian) == pytest.approx(1, abs=1e-6)


def test_hmc_moves_by_its_masses(rng):
    """On silent rows without noise a component ends at steps * stepsize * p / m, p of variance m."""
    masses = np.array([0.25, 4.0])
    algorithm = mcmc.hmc_penalty(1e-6, None, 1e-6, 1e-6, 0.1, 3, masses)
    after, info = algorithm.step(mcmc.State(np.zeros((CHAINS, 2))), silent(spread=1e-9), rng)
    assert info.accepted.mean() > 0.999
    assert np.all(abs(after.theta.var(axis=0) / (0.09 / masses) - 1) < 4 * math.sqrt(2 / CHAINS))


def test_hmc_follows_the_gradient_of_the_tempered_log_density():
    target = normal_model(np.random.default_rng(3).normal([0.5, -1.0], 1.0, (20, 2)), temperature=0.3)
    theta, h = np.array([[0.2, 0.7]]), 1e-5
    found = hmc.gradient(target, theta, 1e9, np.zeros((1, 2))).total[0]
    for k, e in enumerate(np.eye(2)):
        slope = (target.log_density(theta + h * e) - target.log_density(theta - h * e))[0] / (2 * h)
        assert found[k] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_hmc_leaves_a_normal_law_with_unequal_masses(rng):
    """Chains that start in a prior stay in it, rows saying nothing, whatever the noise on gradients is."""
    wide = np.array([1.0, 9.0])
    narrow = {"log_prior": lambda t: -np.sum(t**2 / wide, axis=1) / 2, "prior_gradient": lambda t: -t / wide}
    target = replace(silent(spread=0.02), **narrow)
    algorithm = mcmc.hmc_penalty(2.0, None, 0.3, 0.1, 0.6, 3, np.array([2.0, 0.3]))
    state = mcmc.State(np.sqrt(wide) * rng.standard_normal((CHAINS, 2)))
    for _ in range(4):
        state, info = algorithm.step(state, target, rng)
    assert 0.2 < info.accepted.mean() < 0.95
    assert np.all(abs(state.theta.var(axis=0) / wide - 1) < 4 * math.sqrt(2 / CHAINS))
