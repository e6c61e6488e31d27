"""Steps of private chains: how often they accept, the moments they have, and the noisy path that HMC walks."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import digamma, polygamma
from scipy.stats import norm

from dpbi import mcmc
from dpbi.mcmc.acceptance import gauss_bernoulli_acceptance, penalty_acceptance
from dpbi.mcmc.barker_rule import correction
from dpbi.mcmc.hmc import leapfrog
from dpbi.mcmc.models import simulated_banana
from mcmc_targets import bernoulli


@pytest.fixture
def rng():
    return np.random.default_rng(20201005)


@pytest.mark.parametrize(
    ("algorithm", "acceptance"),
    [
        (mcmc.metropolis(0.4), lambda ratio, s: np.exp(np.minimum(ratio, 0))),
        (mcmc.penalty(0.05, None, 0.4), penalty_acceptance),
        (mcmc.penalty(0.4, None, 0.4), penalty_acceptance),
        (mcmc.component_penalty(0.3, None, 0.4), penalty_acceptance),
        (mcmc.gauss_bernoulli(0.3, None, 0.4), gauss_bernoulli_acceptance),
    ],
)
def test_a_step_accepts_as_often_as_the_closed_form_says(rng, algorithm, acceptance):
    """One step of 200 000 chains from one point, against the integral over proposals of the averaged acceptance."""
    example = bernoulli(30, 100)
    here = -0.8  # near the mode, where the noise decides
    state = mcmc.State(np.full((200_000, 1), here))
    after, info = algorithm.step(rng, state, example.target)
    node = (np.arange(-6000, 6000) + 0.5) / 1000  # midpoints: the kink at no move lies between two of them
    weight = np.exp(-(node**2) / 2)
    there = here + 0.4 * node
    ratio = example.target.log_density(there[:, None]) - example.target.log_density(np.array([[here]]))
    noise = algorithm.parameters.get("tau", 0.0) * 10 * np.abs(there - here)
    expected = float(weight @ acceptance(ratio, noise) / weight.sum())
    assert abs(info.accepted.mean() - expected) < 4 * math.sqrt(expected * (1 - expected) / 200_000)
    assert np.array_equal(after.theta[:, 0] != here, info.accepted)
    assert np.all(info.clipped == 0)


@pytest.mark.slow
@pytest.mark.parametrize("method", [mcmc.penalty, mcmc.component_penalty, mcmc.guided_walk])
def test_every_component_moves_as_far_as_its_scale_says(rng, method):
    """On a flat target, where nothing is refused."""
    flat = mcmc.Target(
        mcmc.ExponentialFamily(np.zeros((1, 1)), lambda theta: 0 * theta[:, :1], lambda theta: 0 * theta[:, 0]),
        2,
        log_prior=lambda theta: 0 * theta[:, 0],
        spread=lambda theta, proposal: 1e-9 + 0 * theta[:, 0],
    )
    algorithm = method(0.1, None, [0.1, 0.5])
    after, _ = algorithm.step(rng, algorithm.start(rng, np.zeros((40_000, 2))), flat)
    for component, scale in enumerate((0.1, 0.5)):
        moves = after.theta[:, component][after.theta[:, component] != 0]
        assert np.sqrt(np.mean(moves**2)) == pytest.approx(scale, rel=0.03)
        assert abs(np.mean(moves)) < 5 * scale / math.sqrt(len(moves))
        assert len(moves) / 40_000 == pytest.approx(1.0 if method is mcmc.penalty else 0.5, abs=0.02)
    assert np.all(np.count_nonzero(after.theta, axis=1) == (2 if method is mcmc.penalty else 1))


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
    whole, mean, variance = on_every_batch(
        target, rows, batch, here, there, math.sqrt(batch) / (target.rows * target.temperature)
    )
    ratio, law = whole * mean + (here**2 - there**2) / 2, correction()
    deviation = np.sqrt(2 - whole**2 / batch * variance)
    return (norm.cdf((ratio[:, None] + law.atoms) / deviation[:, None]) @ law.weights).mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "rule"),
    [(mcmc.minibatch_penalty(0.5, 3, 1.0, 0.4), minibatch_rule), (mcmc.barker(6, 0.4), barker_rule)],
)
def test_a_step_on_batches_accepts_as_often_as_all_batches_say(rng, algorithm, rule):
    """One step of many chains from one point, up and down, against the sum over all batches and proposals."""
    rows, here, chains = np.random.default_rng(8).normal(0.5, 1.5, 9), 0.6, 60_000
    target = mcmc.Target(
        mcmc.ExponentialFamily(rows[:, None], lambda theta: theta, lambda theta: theta[:, 0] ** 2 / 2),
        1,
        log_prior=lambda theta: -(theta[:, 0] ** 2) / 2,
        temperature=0.8,
    )
    after, _ = algorithm.step(rng, mcmc.State(np.full((chains, 1), here)), target)
    node = (np.arange(-120, 120) + 0.5) / 25  # midpoints: the two sides meet between two of them
    weight = np.exp(-(node**2) / 2)
    found = np.array([rule(target, rows, here, here + algorithm.parameters["scale"] * z) for z in node])
    for side in (-1, 1):
        expected = float(weight @ (found * (side * node > 0)) / weight.sum())
        seen = float(np.mean(side * (after.theta[:, 0] - here) > 0))
        assert abs(seen - expected) < 5 * math.sqrt(expected * (1 - expected) / chains), side


EXACT_ALGORITHMS = [
    mcmc.metropolis(0.5),
    mcmc.penalty(0.1, None, 0.5),
    mcmc.component_penalty(0.1, None, 0.5),
    mcmc.guided_walk(0.1, None, 0.5),
    mcmc.gauss_bernoulli(0.1, None, 0.5),
]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", EXACT_ALGORITHMS, ids=lambda a: a.name)
def test_exact_algorithms_have_the_moments_of_the_posterior(rng, algorithm):
    """Chains that start in the posterior of a Bernoulli model stay in it: log odds of Beta(31, 71)."""
    example = bernoulli(30, 100)
    result = mcmc.study(rng, example.target, algorithm, example.draw(rng, 20_000), iterations=60)
    last = result.samples[-1, :, 0]
    mean, variance = digamma(31) - digamma(71), polygamma(1, 31) + polygamma(1, 71)
    assert abs(last.mean() - mean) < 5 * math.sqrt(variance / len(last))
    assert abs(last.var() - variance) < 5 * variance * math.sqrt(2.2 / len(last))
    assert 0.1 < result.acceptance < 0.95


@pytest.mark.slow
def test_leaving_out_the_correction_is_seen_by_the_same_test(rng):
    example = bernoulli(30, 100)
    theta = example.draw(rng, 20_000)

    def uncorrected(rng, state, target):
        proposal = state.theta + 0.5 * rng.standard_normal(state.theta.shape)
        ratio = target.log_density(proposal) - target.log_density(state.theta)
        noise = 0.3 * 10 * np.abs(proposal - state.theta)[:, 0]
        accepted = np.log(rng.random(len(proposal))) < ratio + noise * rng.standard_normal(len(proposal))
        return mcmc.State(np.where(accepted[:, None], proposal, state.theta)), (accepted,)

    state = mcmc.State(theta)
    for _ in range(60):
        state, _ = uncorrected(rng, state, example.target)
    variance = polygamma(1, 31) + polygamma(1, 71)
    assert abs(state.theta.var() - variance) > 10 * variance * math.sqrt(2.2 / len(theta))


def quartic(gradient):
    """The law proportional to exp(-x^4 / 4) as one row, with a gradient of one's own."""
    return mcmc.Target(
        mcmc.ExponentialFamily(
            np.ones((1, 1)),
            natural=lambda theta: -(theta**4) / 4,
            log_partition=lambda theta: np.zeros(len(theta)),
            jacobian=lambda theta: gradient(theta)[:, None, :],
            partition_gradient=np.zeros_like,
        ),
        1,
        log_prior=lambda theta: np.zeros(len(theta)),
        prior_gradient=np.zeros_like,
        spread=lambda theta, proposal: 0.5 + 0 * theta[:, 0],
    )


@pytest.mark.slow
@pytest.mark.parametrize("gradient", [lambda x: -(x**3), lambda x: -x - 0.7, lambda x: np.sin(5 * x)])
def test_hmc_has_the_right_moments_with_a_wrong_gradient(rng, gradient):
    """E x^2 = 2 Gamma(3/4) / Gamma(1/4), E x^4 = 1, over a long seeded run of many chains with noisy gradients."""
    algorithm = mcmc.hmc_penalty(tau=1.0, clip=None, tau_gradient=0.5, clip_gradient=1.0, stepsize=0.4, steps=3)
    chains = 5000
    result = mcmc.study(rng, quartic(gradient), algorithm, rng.normal(0, 0.8, (chains, 1)), iterations=200)
    x = result.samples[50:, :, 0]
    second = (x**2).mean(axis=0)
    fourth = (x**4).mean(axis=0)
    truth = 2 * math.gamma(0.75) / math.gamma(0.25)
    assert abs(second.mean() - truth) < 5 * second.std() / math.sqrt(chains)
    assert abs(fourth.mean() - 1) < 5 * fourth.std() / math.sqrt(chains)
    assert second.std() / math.sqrt(chains) < 2.5e-3


def test_the_noisy_path_can_be_walked_back(rng):
    example = simulated_banana(rng, 500, 3, 20.0)
    theta = example.draw(rng, 4)
    momentum, noise = rng.standard_normal((4, 3)), 30 * rng.standard_normal((6, 4, 3))
    mass = np.array([1.0, 2.0, 0.5])
    settings = {"stepsize": 0.004, "mass": mass, "clip": 0.7}
    end = leapfrog(example.target, theta, momentum, noise=noise, **settings)
    back = leapfrog(example.target, end.theta, -end.momentum, noise=noise[::-1], **settings)
    assert np.abs(end.theta - theta).max() > 0.01
    assert np.allclose(back.theta, theta, atol=1e-10)
    assert np.allclose(-back.momentum, momentum, atol=1e-9)
    assert end.clipped.max() > 0.05


def test_the_noisy_path_preserves_volume(rng):
    example = simulated_banana(rng, 300, 2, 20.0)
    noise = rng.standard_normal((4, 1, 2))

    def end(point):
        path = leapfrog(
            example.target, point[None, :2], point[None, 2:], stepsize=0.01, mass=np.ones(2), clip=2.0, noise=noise
        )
        return np.concatenate([path.theta[0], path.momentum[0]])

    here = np.concatenate([example.draw(rng, 1)[0], [0.3, -0.2]])
    h = 1e-6
    jacobian = np.array([(end(here + h * e) - end(here - h * e)) / (2 * h) for e in np.eye(4)]).T
    assert np.linalg.det(jacobian) == pytest.approx(1, abs=1e-6)
