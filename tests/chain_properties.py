"""What private chains must do, as functions that fail where they do not: statistical, seeded, each about one property.

They are called on the library as it is, and on mutants of it. Standard errors are five, so that a property fails by
chance once in a million times.
"""

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.stats import chi2, norm

from dpbi import mcmc
from dpbi.mcmc import exact, hmc, minibatch, row_models, walks
from dpbi.mcmc.acceptance import gauss_bernoulli_acceptance, penalty_acceptance
from dpbi.mcmc.exact import invariance_error, student_grid
from mcmc_targets import bernoulli, normal_model

CHAINS = 20_000


def rng():
    return np.random.default_rng(20201005)


def close(share, expected, chains=CHAINS):
    assert abs(share - expected) < 5 * math.sqrt(expected * (1 - expected) / chains), (share, expected)


def silent(rows=100, spread=0.05, temperature=1.0):
    """A target whose rows say nothing: what is left of a step is its noise."""
    family = mcmc.ExponentialFamily(
        np.zeros((1, 1)),
        lambda theta: 0 * theta[:, :1],
        lambda theta: 0 * theta[:, 0],
        jacobian=lambda theta: np.zeros((len(theta), 1, theta.shape[1])),
        partition_gradient=lambda theta: 0 * theta,
    )
    return mcmc.Target(
        _Many(family, rows),
        2,
        log_prior=lambda theta: 0 * theta[:, 0],
        prior_gradient=lambda theta: 0 * theta,
        temperature=temperature,
        spread=lambda theta, proposal: np.full(len(theta), spread),
    )


class _Many:
    """The same likelihood, said to have more rows."""

    def __init__(self, family, rows):
        self.family, self.rows = family, rows
        self.total, self.ratio, self.gradient = family.total, family.ratio, family.gradient


def noise_is_what_the_cost_says(make):
    """On silent rows a step accepts as often as the noise lets it that the algorithm's cost stands for."""
    target = silent()
    algorithm = make()
    state = algorithm.start(rng(), np.zeros((CHAINS, 2)))
    _, info = algorithm.step(rng(), state, target)
    rho = algorithm.cost(target).rho
    if algorithm.name == "hmc_penalty":
        rho -= (algorithm.parameters["steps"] + 1) / (2 * 0.7**2 * 100)
    noise = 0.05 / math.sqrt(2 * float(rho))  # sensitivity over the square root of 2 rho
    if algorithm.name == "gauss_bernoulli":
        expected = float(gauss_bernoulli_acceptance(np.zeros(1), np.full(1, noise))[0])
    else:
        expected = 2 * norm.cdf(-noise / 2)
    close(info.accepted.mean(), expected)


def penalty_costs():
    noise_is_what_the_cost_says(lambda: mcmc.penalty(2.0, None, 0.1))


def component_costs():
    noise_is_what_the_cost_says(lambda: mcmc.component_penalty(2.0, None, 0.1))


def guided_costs():
    noise_is_what_the_cost_says(lambda: mcmc.guided_walk(2.0, None, 0.1))


def gauss_bernoulli_costs():
    noise_is_what_the_cost_says(lambda: mcmc.gauss_bernoulli(2.0, None, 0.1))


def hmc_ratio_costs():
    """Long steps, so that the energy that noisy gradients bring is that of the noise-free end only by the ratio."""
    target = silent(spread=0.05)
    algorithm = mcmc.hmc_penalty(2.0, None, 1e6, 1e-9, 0.1, 2)
    _, info = algorithm.step(rng(), mcmc.State(np.zeros((CHAINS, 2))), target)
    rho = algorithm.cost(target).rho - 3 / (2 * 1e12 * 100)
    close(info.accepted.mean(), 2 * norm.cdf(-0.05 / math.sqrt(2 * float(rho)) / 2))


def hmc_gradient_noise_is_what_the_cost_says():
    """Momenta over silent rows are moved by noise alone, of the variance that the cost of the gradients stands for."""
    target, steps, clip, step = silent(), 4, 0.5, 0.3
    algorithm = mcmc.hmc_penalty(1e-3, None, 0.7, clip, step, steps)
    both = algorithm.cost(target).rho - 1 / (2 * 1e-6 * 100)
    noise = 2 * clip / math.sqrt(2 * both / (steps + 1))
    seen = []
    leapfrog = hmc.leapfrog

    def watched(*parts, **settings):
        end = leapfrog(*parts, **settings)
        seen.append(end.momentum - parts[2])
        return end

    hmc.leapfrog = watched
    try:
        algorithm.step(rng(), mcmc.State(np.zeros((CHAINS, 2))), target)
    finally:
        hmc.leapfrog = leapfrog
    expected = (step * noise) ** 2 * (steps - 1 + 0.5)  # whole kicks in between, half ones at the ends
    assert abs(seen[0].var() / expected - 1) < 5 * math.sqrt(1 / CHAINS)


def guided_step_is_its_transition():
    """From one point in one direction: only forwards, as often as quadrature says, and turning where refused."""
    example, here = bernoulli(30, 100), -0.8
    algorithm = mcmc.guided_walk(0.2, None, 0.4)
    for direction in (-1.0, 1.0):
        state = mcmc.State(np.full((CHAINS, 1), here), np.full((CHAINS, 1), direction))
        after, info = algorithm.step(rng(), state, example.target)
        length = (np.arange(6000) + 0.5) / 1000
        weight = np.exp(-(length**2) / 2)
        there = here + direction * 0.4 * length
        ratio = example.target.log_density(there[:, None]) - example.target.log_density(np.array([[here]]))
        chance = penalty_acceptance(ratio, 0.2 * 10 * 0.4 * length)
        close(info.accepted.mean(), float(weight @ chance / weight.sum()))
        moved = after.theta[:, 0] != here
        assert np.array_equal(moved, info.accepted)
        assert np.all(direction * (after.theta[moved, 0] - here) > 0)
        assert np.all(after.direction[:, 0] == np.where(info.accepted, direction, -direction))
        mean = float((weight * chance) @ (there - here) / (weight @ chance))
        assert abs((after.theta[moved, 0] - here).mean() - mean) < 5 * 0.4 / math.sqrt(moved.sum())


class OnGrid:
    """A generator whose first normal numbers, lengths of steps, are whole: each of 1, ..., most as often."""

    def __init__(self, rng, most):
        self.rng, self.most, self.first = rng, most, True
        self.integers, self.choice, self.random = rng.integers, rng.choice, rng.random

    def standard_normal(self, size):
        first, self.first = self.first, False
        return self.rng.integers(1, self.most + 1, size) * 1.0 if first else self.rng.standard_normal(size)


def accepted_on_every_batch(x, points, prior, tau, batch, clip):
    """By hand: a unit-variance normal model, the mean over all batches of the averaged acceptance of each move."""
    ratios = np.array([[-((v - points) ** 2) / 2 + (v - here) ** 2 / 2 for here in points] for v in x])
    bound = clip * abs(points - points[:, None])
    chosen = np.array(list(itertools.combinations(range(len(x)), batch)))
    part = np.clip(ratios, -bound, bound)[chosen]  # (batches, rows, from, to)
    weight = len(x) / batch
    change = 2 * weight * bound + 2 * (weight * bound) ** 2 * (batch - 1) / batch
    both = len(x) * part.mean(axis=1) - len(x) ** 2 / batch * part.var(axis=1) / 2
    both += prior(points) - prior(points)[:, None]
    return np.mean([penalty_acceptance(one, math.sqrt(tau) * change) for one in both], axis=0)


def guided_step_on_batches_is_its_transition():
    """From every point of a grid both ways, lengths of steps being those between points: the exact matrix.

    Few steps show most that can be wrong, and come first.
    """
    x, points = np.array([-1.1, 0.2, 0.4, 1.3, 1.5, 2.6]), np.linspace(-0.6, 1.2, 7)
    grid = exact.Grid(points, -((x[:, None] - points) ** 2) / 2, -5 * points**2)
    tau, batch, clip = 0.15, 3, 1.4
    by_hand = accepted_on_every_batch(x, points, lambda theta: -5 * theta**2, tau, batch, clip)
    matrix = exact.guided_transition(by_hand)
    target = mcmc.Target(
        mcmc.ExponentialFamily(x[:, None], lambda theta: theta, lambda theta: theta[:, 0] ** 2 / 2),
        1,
        log_prior=lambda theta: np.where(abs(theta[:, 0] - 0.3) < 1, -5 * theta[:, 0] ** 2, -np.inf),
    )
    step = points[1] - points[0]
    test = partial(minibatch.batch_test, tau=tau, batch=batch, clip=clip)
    generator = rng()
    for each in (1500, 6000):
        at, way = np.repeat(np.tile(np.arange(7), 2), each), np.repeat([1.0, -1.0], 7 * each)
        state = mcmc.State(points[at][:, None], way[:, None])
        after, _ = walks.component_walk(OnGrid(generator, 6), state, target, scale=np.array(step), test=test)
        place = np.rint((after.theta[:, 0] - points[0]) / step).astype(int)
        end = place + 7 * (after.direction[:, 0] < 0)
        seen = np.zeros((14, 14))
        np.add.at(seen, (at + 7 * (way < 0), end), 1)
        expected = each * matrix
        assert np.all(seen[expected == 0] == 0)
        often = expected >= 5
        surprise = ((seen - expected)[often] ** 2 / expected[often]).sum()
        assert chi2.sf(surprise, often.sum() - 14) > 1e-6, surprise
    found = exact.minibatch_acceptance(grid, batch, clip=clip, tau=tau)
    assert np.allclose((found - by_hand)[~np.eye(7, dtype=bool)], 0, atol=1e-12)


def steps_accept_as_the_closed_form_says():
    """Penalty steps of a tempered model with a strong prior, and of Gauss-Bernoulli, against quadrature."""
    target, here, tau = replace(bernoulli(30, 100, (40.0, 8.0)).target, temperature=0.4), -0.3, 0.6
    for method, rule in ((mcmc.penalty, penalty_acceptance), (mcmc.gauss_bernoulli, gauss_bernoulli_acceptance)):
        _, info = method(tau, None, 0.4).step(rng(), mcmc.State(np.full((4 * CHAINS, 1), here)), target)
        z = (np.arange(-600, 600) + 0.5) / 100
        there = here + 0.4 * z
        found = [0.4 * (30 * t - 100 * np.logaddexp(0, t)) + 40 * t - 48 * np.logaddexp(0, t) for t in (here, *there)]
        noise = 0.4 * tau * 10 * np.abs(there - here)
        weight = np.exp(-(z**2) / 2)
        close(
            info.accepted.mean(), float(weight @ rule(np.array(found[1:]) - found[0], noise) / weight.sum()), 4 * CHAINS
        )


def hmc_moves_by_its_masses():
    """On silent rows without noise a component ends at steps * stepsize * p / m, p of variance m."""
    masses = np.array([0.25, 4.0])
    algorithm = mcmc.hmc_penalty(1e-6, None, 1e-6, 1e-6, 0.1, 3, masses)
    after, info = algorithm.step(rng(), mcmc.State(np.zeros((CHAINS, 2))), silent(spread=1e-9))
    assert info.accepted.mean() > 0.999
    ratio = after.theta.var(axis=0) / (0.09 / masses)
    assert np.all(abs(ratio - 1) < 5 * math.sqrt(2 / CHAINS))


def hmc_follows_the_gradient():
    """The gradient without noise is that of the tempered log density, by differences."""
    target = normal_model(np.random.default_rng(3).normal([0.5, -1.0], 1.0, (20, 2)), temperature=0.3)
    theta, h = np.array([[0.2, 0.7]]), 1e-5
    found = hmc.gradient(target, theta, 1e9, np.zeros((1, 2))).total[0]
    for k in range(2):
        up, down = theta.copy(), theta.copy()
        up[0, k] += h
        down[0, k] -= h
        slope = (target.log_density(up) - target.log_density(down))[0] / (2 * h)
        assert abs(found[k] - slope) < 1e-6 * max(1, abs(slope))


def hmc_leaves_a_normal_law_with_unequal_masses():
    """Chains that start in a prior stay in it, rows saying nothing, whatever the noise on gradients is."""
    base = silent(spread=0.02)
    wide = np.array([1.0, 9.0])
    target = mcmc.Target(
        base.likelihood,
        2,
        log_prior=lambda theta: -np.sum(theta**2 / wide, axis=1) / 2,
        prior_gradient=lambda theta: -theta / wide,
        spread=base.spread,
    )
    algorithm = mcmc.hmc_penalty(2.0, None, 0.3, 0.1, 0.6, 3, np.array([2.0, 0.3]))
    draw = rng()
    state = mcmc.State(np.sqrt(wide) * draw.standard_normal((CHAINS, 2)))
    for _ in range(4):
        state, info = algorithm.step(draw, state, target)
    assert 0.2 < info.accepted.mean() < 0.95
    assert np.all(abs(state.theta.var(axis=0) / wide - 1) < 5 * math.sqrt(2 / CHAINS))


def a_replaced_row_moves_no_more_than_the_sensitivity():
    """The noise's sensitivity is what the worst replaced row changes the sum by, and is reached."""
    from dpbi.mcmc.algorithm import bounded_ratio

    theta, proposal = np.array([[0.0]]), np.array([[0.1]])
    totals = []
    for last in (-1e6, 1e6):
        target = normal_model([0.3, -0.2, last])
        found = bounded_ratio(target, theta, proposal, 0.7)
        totals.append(found.total[0])
    assert abs((totals[1] - totals[0]) - found.sensitivity[0]) < 1e-12


def rows_are_clipped_on_both_sides():
    kept, outside = row_models.clip_ratios(np.array([5.0, -5.0, 0.3, np.nan, np.inf, 0.5]), 1.0)
    assert kept.tolist() == [1, -1, 0.3, -1, 1, 0.5]
    assert outside == 4 / 6


def the_guided_matrix_is_invariant():
    grid = student_grid()
    from dpbi.mcmc.exact import guided_transition

    matrix = guided_transition(penalty_acceptance(grid.ratio, grid.distance))
    assert invariance_error(matrix, np.concatenate([grid.target, grid.target]) / 2) < 1e-12


def all_chains_are_paid_for():
    target = bernoulli(300, 1000).target
    algorithm = mcmc.penalty(0.3, None, 0.1)
    done = mcmc.run(rng(), target, algorithm, np.zeros((3, 1)), iterations=4)
    assert done.cost.rho == 12 * algorithm.cost(target).rho
