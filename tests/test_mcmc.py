"""Private MCMC: steps against closed forms, sums over rows against NumPy, costs, errors, and what a run keeps."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.special import digamma, expit, polygamma
from scipy.stats import norm

from dpbi import RDP, ApproxDP, uses_within
from dpbi.guarantees import largest_count, renyi_divergence, subsampled
from dpbi.mcmc import (
    Algorithm,
    ExponentialFamily,
    State,
    Target,
    affordable,
    barker,
    clipped_metropolis,
    component_penalty,
    gauss_bernoulli,
    guided_walk,
    hmc_penalty,
    metropolis,
    minibatch_penalty,
    penalty,
    posterior_of,
    run,
    study,
)
from dpbi.mcmc.barker import correction, curve
from dpbi.mcmc.distance import mean_distance, mmd, second_half
from dpbi.mcmc.exact import gauss_bernoulli_acceptance, penalty_acceptance
from dpbi.mcmc.hmc import leapfrog
from dpbi.mcmc.minibatch import VARIANCE_FACTOR, sensitivity
from dpbi.mcmc.models import banana, bernoulli, circle, correlated_normal, normal_rows, simulated_banana
from dpbi.mcmc.target import RowLikelihood

BUDGET = ApproxDP(4.0, 1e-6)


@pytest.fixture
def rng():
    return np.random.default_rng(20201005)


def normal_model(rows, **more):
    """Unit-variance normal rows in plain NumPy, prior N(0, 1), any dimension."""
    x = np.atleast_2d(np.asarray(rows, dtype=float).T).T
    settings = {
        "gradient": lambda theta, data: data - theta,
        "prior_gradient": lambda theta: -theta,
    } | more
    return posterior_of(
        lambda theta, data: -np.sum((data - theta) ** 2, axis=1) / 2,
        x,
        lambda theta: -np.sum(theta**2) / 2,
        x.shape[1],
        **settings,
    )


# Steps


@pytest.mark.parametrize(
    ("algorithm", "acceptance"),
    [
        (metropolis(0.4), lambda ratio, s: np.exp(np.minimum(ratio, 0))),
        (penalty(0.05, None, 0.4), penalty_acceptance),
        (penalty(0.4, None, 0.4), penalty_acceptance),
        (component_penalty(0.3, None, 0.4), penalty_acceptance),
        (gauss_bernoulli(0.3, None, 0.4), gauss_bernoulli_acceptance),
    ],
)
def test_a_step_accepts_as_often_as_the_closed_form_says(rng, algorithm, acceptance):
    """One step of 200 000 chains from one point, against the integral over proposals of the averaged acceptance."""
    example = bernoulli(30, 100)
    here = -0.8  # near the mode, where the noise decides
    state = State(np.full((200_000, 1), here))
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


@pytest.mark.parametrize("method", [penalty, component_penalty, guided_walk])
def test_every_component_moves_as_far_as_its_scale_says(rng, method):
    """On a flat target, where nothing is refused."""
    flat = Target(
        ExponentialFamily(np.zeros((1, 1)), lambda theta: 0 * theta[:, :1], lambda theta: 0 * theta[:, 0]),
        2,
        log_prior=lambda theta: 0 * theta[:, 0],
        spread=lambda theta, proposal: 0 * theta[:, 0],
    )
    algorithm = method(0.1, None, [0.1, 0.5])
    after, _ = algorithm.step(rng, algorithm.start(rng, np.zeros((40_000, 2))), flat)
    for component, scale in enumerate((0.1, 0.5)):
        moves = after.theta[:, component][after.theta[:, component] != 0]
        assert np.sqrt(np.mean(moves**2)) == pytest.approx(scale, rel=0.03)
        assert abs(np.mean(moves)) < 5 * scale / math.sqrt(len(moves))
        assert len(moves) / 40_000 == pytest.approx(1.0 if method is penalty else 0.5, abs=0.02)
    assert np.all(np.count_nonzero(after.theta, axis=1) == (2 if method is penalty else 1))


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


@pytest.mark.parametrize(
    ("algorithm", "rule"), [(minibatch_penalty(0.5, 3, 1.0, 0.4), minibatch_rule), (barker(6, 0.4), barker_rule)]
)
def test_a_step_on_batches_accepts_as_often_as_all_batches_say(rng, algorithm, rule):
    """One step of many chains from one point, up and down, against the sum over all batches and proposals."""
    rows, here, chains = np.random.default_rng(8).normal(0.5, 1.5, 9), 0.6, 60_000
    target = Target(
        ExponentialFamily(rows[:, None], lambda theta: theta, lambda theta: theta[:, 0] ** 2 / 2),
        1,
        log_prior=lambda theta: -(theta[:, 0] ** 2) / 2,
        temperature=0.8,
    )
    after, _ = algorithm.step(rng, State(np.full((chains, 1), here)), target)
    node = (np.arange(-120, 120) + 0.5) / 25  # midpoints: the two sides meet between two of them
    weight = np.exp(-(node**2) / 2)
    found = np.array([rule(target, rows, here, here + algorithm.parameters["scale"] * z) for z in node])
    for side in (-1, 1):
        expected = float(weight @ (found * (side * node > 0)) / weight.sum())
        seen = float(np.mean(side * (after.theta[:, 0] - here) > 0))
        assert abs(seen - expected) < 5 * math.sqrt(expected * (1 - expected) / chains), side


EXACT_ALGORITHMS = [
    metropolis(0.5),
    penalty(0.1, None, 0.5),
    component_penalty(0.1, None, 0.5),
    guided_walk(0.1, None, 0.5),
    gauss_bernoulli(0.1, None, 0.5),
]


@pytest.mark.parametrize("algorithm", EXACT_ALGORITHMS, ids=lambda a: a.name)
def test_exact_algorithms_have_the_moments_of_the_posterior(rng, algorithm):
    """Chains that start in the posterior of a Bernoulli model stay in it: log odds of Beta(31, 71)."""
    example = bernoulli(30, 100)
    result = study(rng, example.target, algorithm, example.draw(rng, 20_000), iterations=60)
    last = result.samples[-1, :, 0]
    mean, variance = digamma(31) - digamma(71), polygamma(1, 31) + polygamma(1, 71)
    assert abs(last.mean() - mean) < 5 * math.sqrt(variance / len(last))
    assert abs(last.var() - variance) < 5 * variance * math.sqrt(2.2 / len(last))
    assert 0.1 < result.acceptance < 0.95


def test_leaving_out_the_correction_is_seen_by_the_same_test(rng):
    example = bernoulli(30, 100)
    theta = example.draw(rng, 20_000)

    def uncorrected(rng, state, target):
        proposal = state.theta + 0.5 * rng.standard_normal(state.theta.shape)
        ratio = target.log_density(proposal) - target.log_density(state.theta)
        noise = 0.3 * 10 * np.abs(proposal - state.theta)[:, 0]
        accepted = np.log(rng.random(len(proposal))) < ratio + noise * rng.standard_normal(len(proposal))
        return State(np.where(accepted[:, None], proposal, state.theta)), (accepted,)

    state = State(theta)
    for _ in range(60):
        state, _ = uncorrected(rng, state, example.target)
    variance = polygamma(1, 31) + polygamma(1, 71)
    assert abs(state.theta.var() - variance) > 10 * variance * math.sqrt(2.2 / len(theta))


def quartic(gradient):
    """The law proportional to exp(-x^4 / 4) as one row, with a gradient of one's own."""
    return Target(
        ExponentialFamily(
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


@pytest.mark.parametrize("gradient", [lambda x: -(x**3), lambda x: -x - 0.7, lambda x: np.sin(5 * x)])
def test_hmc_has_the_right_moments_with_a_wrong_gradient(rng, gradient):
    """E x^2 = 2 Gamma(3/4) / Gamma(1/4), E x^4 = 1, over a long seeded run of many chains with noisy gradients."""
    algorithm = hmc_penalty(tau=1.0, clip=None, tau_gradient=0.5, clip_gradient=1.0, stepsize=0.4, steps=3)
    chains = 10_000
    result = study(rng, quartic(gradient), algorithm, rng.normal(0, 0.8, (chains, 1)), iterations=200)
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


# Sums over rows


def examples(rng):
    yield simulated_banana(rng, 700, 2, 20.0)
    yield simulated_banana(rng, 1500, 4, 3.0, temperature=0.1)
    yield circle(rng.normal(3, 1, 900), 1e-3)
    yield correlated_normal(rng.multivariate_normal([0, 3], [[1, 0.9], [0.9, 1]], 600), 0.9)


def in_numpy(example):
    """The same model row by row, through the function that users write."""
    family = example.target.likelihood

    def log_likelihood(theta, data):
        return data @ family.natural(theta[None])[0] - family.log_partition(theta[None])[0]

    def gradient(theta, data):
        return data @ family.jacobian(theta[None])[0] - family.partition_gradient(theta[None])[0]

    return RowLikelihood(log_likelihood, family.features, gradient)


def test_compiled_sums_agree_with_numpy(rng):
    for example in examples(rng):
        family, plain = example.target.likelihood, in_numpy(example)
        theta = example.draw(rng, 6)
        proposal = theta + 0.3 * theta.std() * rng.standard_normal(theta.shape)
        rows = np.abs(plain.log_likelihood(proposal[0], plain.data) - plain.log_likelihood(theta[0], plain.data))
        for bound in (np.quantile(rows, 0.3), np.quantile(rows, 0.9), np.inf):
            bounds = np.full(6, bound)
            fast, slow = family.ratio(theta, proposal, bounds), plain.ratio(theta, proposal, bounds)
            assert np.allclose(fast.total, slow.total, rtol=1e-9, atol=1e-8)
            assert np.allclose(fast.clipped, slow.clipped, atol=2 / family.rows)
        lengths = np.linalg.norm(plain.row_gradient(theta[0], plain.data), axis=1)
        for bound in (np.quantile(lengths, 0.4), np.inf):
            fast, slow = family.gradient(theta, bound), plain.gradient(theta, bound)
            assert np.allclose(fast.total, slow.total, rtol=1e-9, atol=1e-7)
            assert np.allclose(fast.clipped, slow.clipped, atol=2 / family.rows)
        chosen = rng.integers(family.rows, size=(6, 50))
        bounds = np.full(6, np.quantile(rows, 0.6))
        for fast, slow in zip(
            family.batch(theta, proposal, bounds, chosen), plain.batch(theta, proposal, bounds, chosen), strict=True
        ):
            assert np.allclose(fast, slow, rtol=1e-8, atol=1e-10)
        assert np.allclose(family.total(theta), plain.total(theta))


def test_one_feature_is_summed_by_searching_sorted_rows(rng):
    """Against clipping every row: ties, slopes of both signs, none, and ratios that are no numbers."""
    rows = np.repeat(rng.normal(size=40), 3)[:, None]
    family = ExponentialFamily(rows, lambda t: t, lambda t: t[:, 0] ** 2)
    theta = np.array([[0.3], [0.3], [0.0], [1.0], [0.5]])
    proposal = np.array([[1.3], [-0.9], [0.0], [-1.0], [np.nan]])
    for bound in (0.05, 0.7, 3.0):
        found = family.ratio(theta, proposal, np.full(5, bound))
        ratios = rows[:, 0] * (proposal - theta) - proposal**2 + theta**2
        kept = np.where(np.isnan(ratios), -bound, np.clip(ratios, -bound, bound))
        assert np.allclose(found.total, kept.sum(axis=1))
        assert np.allclose(found.clipped, np.mean(~(np.abs(ratios) <= bound), axis=1))


def test_clipping_by_itself_is_metropolis_when_the_bound_is_wide(rng):
    example = simulated_banana(rng, 300, 2, 20.0)
    start = example.draw(rng, 50)
    wide, plain = (
        study(np.random.default_rng(3), example.target, algorithm, start, iterations=20)
        for algorithm in (clipped_metropolis(1e9, 0.1), metropolis(0.1))
    )
    assert np.array_equal(wide.samples, plain.samples)
    tight = study(np.random.default_rng(3), example.target, clipped_metropolis(0.5, 0.1), start, iterations=20)
    assert tight.clipped.mean() > 0.1
    assert tight.cost is None


def test_gradients_are_those_of_the_log_density(rng):
    for example in examples(rng):
        target, h = example.target, 1e-6
        theta = example.draw(rng, 3)
        rows = target.likelihood.gradient(theta, np.inf).total
        found = target.temperature * rows + target.prior_gradient(theta)
        for k in range(target.dimension):
            up, down = theta.copy(), theta.copy()
            up[:, k] += h
            down[:, k] -= h
            slope = (target.log_density(up) - target.log_density(down)) / (2 * h)
            assert np.allclose(found[:, k], slope, rtol=1e-4, atol=1e-2)


def test_a_row_that_breaks_down_stays_within_the_bound():
    data = np.array([0.0, 1.0, np.nan])
    likelihood = RowLikelihood(lambda theta, x: np.where(x > 0.5, -np.inf * theta[0], theta[0] * x), data)
    found = likelihood.ratio(np.array([[1.0]]), np.array([[2.0]]), np.array([0.5]))
    assert abs(found.total[0]) <= 1.5
    assert found.clipped[0] == pytest.approx(2 / 3)
    family = ExponentialFamily(np.ones((5, 1)), lambda t: t, lambda t: np.full(len(t), np.nan))
    assert family.ratio(np.zeros((1, 1)), np.ones((1, 1)), np.array([0.5])).total[0] == -2.5
    pairs = ExponentialFamily(np.ones((5, 2)), lambda t: np.tile(t, 2), lambda t: np.full(len(t), np.nan))
    assert pairs.ratio(np.zeros((1, 1)), np.ones((1, 1)), np.array([0.5])).total[0] == -2.5
    triples = ExponentialFamily(np.ones((5, 3)), lambda t: np.tile(t, 3), lambda t: np.full(len(t), np.nan))
    assert triples.ratio(np.zeros((1, 1)), np.ones((1, 1)), np.array([0.5])).total[0] == -2.5


def test_multiplicities_are_repeated_rows(rng):
    weights = np.array([3.0, 0.0, 5.0])
    points = rng.normal(size=(3, 2))
    model = (lambda t: t, lambda t: np.sum(t**2, axis=1) / 2)
    short = ExponentialFamily(points, *model, weights=weights)
    long = ExponentialFamily(np.repeat(points, weights.astype(int), axis=0), *model)
    theta, proposal = rng.normal(size=(2, 4, 2))
    assert short.rows == long.rows == 8
    for bound in (0.7, np.inf):
        a, b = (family.ratio(theta, proposal, np.full(4, bound)) for family in (short, long))
        assert np.allclose(a.total, b.total)
        assert np.allclose(a.clipped, b.clipped)


def test_no_row_can_change_a_clipped_sum_by_more_than_its_sensitivity(rng):
    example = simulated_banana(rng, 400, 2, 20.0)
    theta = example.draw(rng, 5)
    proposal = theta + 0.05 * rng.standard_normal(theta.shape)
    bound = 2.0 * np.linalg.norm(proposal - theta, axis=1)
    here = example.target.likelihood.ratio(theta, proposal, bound).total
    largest = np.zeros(5)
    for value in ([1e6, 0], [-1e6, 0], [0, 1e6], [0, -1e6], [0.1, 3.0]):
        rows = example.target.likelihood.features.copy()
        rows[17] = value
        moved = banana(rows, 20.0).target.likelihood.ratio(theta, proposal, bound).total
        largest = np.maximum(largest, np.abs(moved - here))
    assert np.all(largest <= 2 * bound * (1 + 1e-9))
    assert np.all(largest > 0.5 * bound)


# Exact posteriors of the models


def test_exact_draws_have_the_density_of_the_banana(rng):
    example = simulated_banana(rng, 300, 3, 20.0, temperature=0.5)
    draws = example.draw(rng, 200_000)
    straight = draws.copy()
    straight[:, 1] += 20 * draws[:, 0] ** 2
    mean, sd = straight.mean(axis=0), straight.std(axis=0)
    log_normal = -np.sum((straight[:50] - mean) ** 2 / (2 * sd**2), axis=1)
    gap = example.target.log_density(draws[:50]) - log_normal
    assert np.ptp(gap) < 0.15  # the moments are estimated
    assert np.ptp(log_normal) > 3


def test_exact_draws_have_the_density_of_the_circle(rng):
    example = circle(rng.normal(3, 1, 2000))
    square = (example.draw(rng, 400_000) ** 2).sum(axis=1)
    points = np.sqrt(np.array([8.5, 9.0, 10.0, 11.0]))
    log_density = example.target.log_density(np.column_stack([points, 0 * points]))
    counts = np.array([np.sum(np.abs(square - p**2) < 0.05) for p in points])  # area and radius go together
    assert np.allclose(np.diff(log_density), np.diff(np.log(counts)), atol=0.1)


def test_exact_draws_have_the_moments_of_the_correlated_normal(rng):
    rows = rng.multivariate_normal([0, 3], [[1, 0.9], [0.9, 1]], 500)
    example = correlated_normal(rows, 0.9, prior_variance=0.01)
    h = 1e-3
    best = example.draw(rng, 300_000).mean(axis=0)
    gradient = example.target.likelihood.gradient(best[None], np.inf).total + example.target.prior_gradient(best[None])
    assert np.all(np.abs(gradient) < 2.0)
    curvature = [
        (example.target.log_density(best[None] + h * e) + example.target.log_density(best[None] - h * e)
         - 2 * example.target.log_density(best[None]))[0] / h**2
        for e in np.eye(2)
    ]  # fmt: skip
    precision = np.linalg.inv(np.cov(example.draw(rng, 300_000).T))
    assert np.allclose(-np.array(curvature), np.diag(precision), rtol=0.02)


# Costs


def test_costs_are_gaussian_mechanisms_with_the_noise_used():
    target = bernoulli(300, 1000).target
    for algorithm in (
        penalty(0.1, None, 1),
        component_penalty(0.1, None, 1),
        guided_walk(0.1, 2, 1),
        gauss_bernoulli(0.1, 2, 1),
    ):
        assert algorithm.cost(target).rho == pytest.approx(1 / (2 * 0.1**2 * 1000))
    hmc = hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.01, 10)
    assert hmc.cost(target).rho == pytest.approx(1 / (2 * 0.1**2 * 1000) + 11 / (2 * 0.4**2 * 1000))
    assert metropolis(0.1).cost(target) is None


def test_the_noise_is_what_the_cost_says(rng):
    """The released ratio, over and over at one proposal: its deviation is tau sqrt(n) sensitivities."""
    from dpbi.mcmc.penalty import noisy_log_ratio

    example = simulated_banana(rng, 400, 2, 20.0, temperature=0.3)
    theta = np.repeat(example.draw(rng, 1), 40_000, axis=0)
    proposal = theta + np.array([0.02, -0.01])
    found, ratio = noisy_log_ratio(rng, example.target, theta, proposal, tau=0.1, clip=2.0)
    change = 2 * 2.0 * math.hypot(0.02, 0.01)
    assert np.allclose(ratio.sensitivity, change)
    deviation = 0.3 * 0.1 * 20 * change
    assert found.std() == pytest.approx(deviation, rel=0.02)
    prior = example.target.log_prior(proposal[:1]) - example.target.log_prior(theta[:1])
    centre = 0.3 * ratio.total[0] + prior[0] - deviation**2 / 2
    assert found.mean() == pytest.approx(centre, abs=5 * deviation / 200)


def test_hmc_adds_the_noise_it_pays_for(rng, monkeypatch):
    """Each of the L + 1 gradients gets noise of deviation 2 tau sqrt(n) clip, twice the clip being its sensitivity."""
    from dpbi.mcmc import hmc

    drawn = []

    def spy(*arguments, noise, **more):
        drawn.append(noise)
        return leapfrog(*arguments, noise=noise, **more)

    monkeypatch.setattr(hmc, "leapfrog", spy)
    example = simulated_banana(rng, 100, 2, 20.0, temperature=0.2)
    study(rng, example.target, hmc_penalty(0.1, 2.0, 0.7, 0.5, 1e-3, 4), example.draw(rng, 5000), iterations=1)
    assert drawn[0].shape == (5, 5000, 2)
    assert drawn[0].std() == pytest.approx(2 * 0.7 * 10 * 0.5, rel=0.01)
    assert abs(np.corrcoef(drawn[0].reshape(5, -1))[0, 1]) < 0.05


def test_half_the_change_of_a_variance_is_two_and_never_three():
    """All extreme points of rows within [-1, 1], a batch of six, and random ones."""
    b = 6
    worst = 0.0
    grid = np.linspace(-1, 1, 9)

    def spread(r):
        return np.sum(r**2) - r.sum() ** 2 / b

    for ends in itertools.product([-1.0, 1.0], repeat=b - 1):
        values = [spread(np.array([*ends, x])) for x in grid]
        worst = max(worst, (max(values) - min(values)) / 2)
    assert worst == pytest.approx(VARIANCE_FACTOR * (b - 1) / b, rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        r = rng.uniform(-1, 1, b)
        other = np.append(r[:-1], rng.uniform(-1, 1))
        assert abs(spread(other) - spread(r)) / 2 <= VARIANCE_FACTOR * (b - 1) / b


def test_the_sensitivity_of_a_batch_is_reached(rng):
    n, b, bound = 50, 5, np.array([0.02])
    target = normal_model(rng.normal(size=n), temperature=0.5)
    whole = n * 0.5

    def released(r):
        return whole * r.mean() - whole**2 / b * r.var() / 2

    most = sensitivity(target, b, bound)[0]
    worst = 0.0
    for ends in itertools.product([-0.02, 0.02], repeat=b - 1):
        values = [released(np.array([*ends, x])) for x in np.linspace(-0.02, 0.02, 5)]
        worst = max(worst, max(values) - min(values))
    assert worst == pytest.approx(most, rel=1e-9)


def normal_divergence(order, mean, v1, v2):
    with mpmath.workdps(30):

        def integrand(x):
            return mpmath.npdf(x, mean, mpmath.sqrt(v1)) ** order * mpmath.npdf(x, 0, mpmath.sqrt(v2)) ** (1 - order)

        centre = order * mean * v2 / ((order * v2) + (1 - order) * v1)
        points = [centre - 40, centre - 5, centre, centre + 5, centre + 40]
        return float(mpmath.log(mpmath.quad(integrand, points)) / (order - 1))


def test_the_divergence_of_barkers_noise_holds_for_every_pair_of_variances():
    b = 60
    guarantee = curve(b)
    change = 4 * (b - 1) / b**2
    for order in (2, 5):
        most = guarantee.values[order - 2]
        for v1 in (1.0, 1.0 + change, 1.7):
            for v2 in (v1 - change, v1 + change, v1 - change / 3):
                if 1 <= v2 <= 2:
                    assert normal_divergence(order, 2 / math.sqrt(b), v1, v2) <= most
        assert normal_divergence(order, 2 / math.sqrt(b), 1 + change, 1.0) == pytest.approx(most, rel=1e-12)


def published_barker_curve(batch, orders):
    """The bound in print: its logarithm does not vanish as the batch grows."""
    a = np.asarray(orders, dtype=float)
    return 5 / (2 * batch) + np.log(2 * batch / (batch - 5 * a)) / (2 * (a - 1)) + 2 * a / (batch - 5 * a)


@pytest.mark.parametrize(
    ("batch", "rows", "counts"), [(1300, 100_000, (106, 433, 1687, 3640)), (2600, 200_000, (102, 417, 1632, 3536))]
)
def test_barkers_printed_accounting_allows_far_fewer_iterations(batch, rows, counts):
    """The counts in print's accounting, found independently with Mironov's conversion, and ours beside them."""
    orders = np.arange(2, batch // 5)
    printed = subsampled(RDP(orders, published_barker_curve(batch, orders)), rows, batch)
    delta = 0.1 / rows
    found = [largest_count(lambda k: printed.repeat(k).classic_epsilon(delta) <= e) for e in (1, 2, 4, 6)]  # noqa: B023
    assert found == list(counts)
    ours = subsampled(curve(batch), rows, batch)
    assert uses_within(ours, ApproxDP(1.0, delta)) > 10 * counts[0]
    assert np.all(np.array(curve(batch).values) < published_barker_curve(batch, curve(batch).orders))


def test_the_correction_is_the_best_and_not_exact(rng):
    law = correction(2.0)
    assert law.weights.sum() == pytest.approx(1)
    assert np.allclose(law.weights, law.weights[::-1])
    assert law.error == pytest.approx(5.87e-4, abs=2e-6)  # found by another program
    x = np.linspace(-12, 12, 401)
    together = norm.cdf((x[:, None] - law.atoms) / math.sqrt(2)) @ law.weights
    assert np.abs(together - expit(x)).max() <= law.error * (1 + 1e-9)
    sampled = math.sqrt(2) * rng.standard_normal(200_000) + rng.choice(law.atoms, p=law.weights, size=200_000)
    assert np.mean(sampled <= 1.3) == pytest.approx(expit(1.3), abs=5e-3)
    assert correction(1.0).error < 1e-6 < law.error < correction(3.0).error


def test_renyi_of_barkers_noise_grows_with_the_order():
    values = np.array(curve(1300).values)
    assert np.all(np.diff(values) > 0)
    p = np.log(norm.pdf(np.linspace(-9, 9, 20_001), 0, 1))
    p -= np.log(np.exp(p).sum())
    assert renyi_divergence(p, p, 2.0) == pytest.approx(0, abs=1e-12)


# The driver


def test_a_run_shares_its_budget_among_its_chains(rng):
    target = bernoulli(300, 1000).target
    algorithm = penalty(0.3, None, 0.1)
    one = affordable(target, algorithm, BUDGET)
    result = run(rng, target, algorithm, np.zeros((4, 1)), budget=BUDGET)
    assert result.iterations == affordable(target, algorithm, BUDGET, chains=4) == one // 4
    assert result.cost == algorithm.cost(target).repeat(4 * result.iterations)
    assert result.cost.epsilon(1e-6) <= 4.0 < algorithm.cost(target).repeat(4 * (result.iterations + 1)).epsilon(1e-6)
    assert result.clipped is None
    assert result.complete
    separate = study(rng, target, algorithm, np.zeros((4, 1)), budget=BUDGET)
    assert separate.iterations == one
    assert separate.cost == algorithm.cost(target).repeat(one)


def test_a_run_keeps_what_may_be_released_and_a_study_says_what_may_not(rng):
    example = simulated_banana(rng, 500, 2, 20.0)
    algorithm = hmc_penalty(0.3, 0.1, 0.5, 0.5, 0.005, 3)
    released = run(rng, example.target, algorithm, [0.0, 3.0], iterations=5)
    assert released.clipped is None
    assert released.clipped_gradient is None
    assert "clipped" not in released.report().split("\n", 1)[1].split("These chains")[0]
    studied = study(rng, example.target, algorithm, [0.0, 3.0], iterations=5)
    assert studied.clipped.shape == (5, 1)
    assert 0 < studied.clipped_gradient.mean() <= 1
    assert "not private" in studied.report()
    for result in (released, studied):
        assert "for study, not for release" in " ".join(result.report().split())
        assert f"{result.cost.epsilon(1e-6):.6g}" in result.report()
    assert "not private" in run(rng, example.target, metropolis(0.1), [0.0, 3.0], iterations=2).report()


def test_the_same_seed_gives_the_same_chains():
    example = simulated_banana(np.random.default_rng(1), 500, 2, 20.0)
    for algorithm in (
        penalty(0.1, 2, 0.05),
        guided_walk(0.1, 2, 0.05),
        minibatch_penalty(1.0, 20, 1, 0.01),
        barker(30, 0.01),
    ):
        first, second = (
            study(np.random.default_rng(5), example.target, algorithm, np.tile([0.0, 3.0], (3, 1)), iterations=8)
            for _ in range(2)
        )
        assert np.array_equal(first.samples, second.samples)
        assert first.samples.shape == (8, 3, 2)


def test_an_interrupted_run_keeps_its_finished_iterations(rng):
    target = bernoulli(300, 1000).target
    whole = penalty(0.3, None, 0.1)
    seen = []

    def interrupted(rng, state, target):
        if len(seen) == 7:
            raise KeyboardInterrupt
        seen.append(state)
        return whole.step(rng, state, target)

    algorithm = Algorithm("interrupted", interrupted, whole.cost, whole.invariance)
    result = run(rng, target, algorithm, np.zeros((2, 1)), iterations=50)
    assert not result.complete
    assert result.iterations == 7
    assert np.array_equal(result.samples[:-1], np.array([state.theta for state in seen[1:]]))
    assert result.cost == whole.cost(target).repeat(2 * 8)  # the eighth had begun
    assert "interrupted" in result.report()


def test_progress_is_shown_and_called(rng, capsys):
    target = bernoulli(300, 1000).target
    calls = []
    run(
        rng,
        target,
        penalty(0.3, None, 0.1),
        [0.0],
        iterations=3,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == [(1, 3), (2, 3), (3, 3)]
    run(rng, target, penalty(0.3, None, 0.1), [0.0], iterations=3, progress=True)
    shown = capsys.readouterr()
    assert "3 of 3 iterations" in shown.err
    assert shown.out == ""


# A user's model


def test_a_model_in_plain_numpy_runs_under_every_algorithm(rng):
    target = normal_model(rng.normal([0.3, -0.5], 1.0, (400, 2)))
    for algorithm in (
        metropolis(0.1),
        penalty(0.1, 3.0, 0.05),
        component_penalty(0.1, 3.0, 0.05),
        guided_walk(0.1, 3.0, 0.05),
        gauss_bernoulli(0.1, 3.0, 0.05),
        minibatch_penalty(1.0, 40, 3.0, 0.02),
        hmc_penalty(0.1, 3.0, 0.3, 3.0, 0.02, 4),
        barker(40, 0.02),
    ):
        result = study(rng, target, algorithm, np.zeros((3, 2)), iterations=40)
        assert np.isfinite(result.samples).all()
        assert 0 < result.acceptance <= 1


def test_the_conjugate_posterior_of_a_user_model_is_found(rng):
    rows = rng.normal(0.4, 1.0, 50)
    target = normal_model(rows)
    start = rng.normal(rows.sum() / 51, 1 / math.sqrt(51), (300, 1))
    result = study(rng, target, hmc_penalty(1.0, 8.0, 1.0, 8.0, 0.05, 3), start, iterations=40)
    pooled = result.samples[10:].mean(axis=0)
    assert abs(pooled.mean() - rows.sum() / 51) < 5 * pooled.std() / math.sqrt(300)


# Bad input


def good():
    return normal_model(np.zeros(20))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: penalty(-0.1, 2, 1), "tau must be"),
        (lambda: penalty(0.1, -2, 1), "clip must be .* > 0"),
        (lambda: penalty(0.1, 0, 1), "clip must be .* > 0"),
        (lambda: penalty(0.1, math.nan, 1), "clip must be"),
        (lambda: penalty(0.1, 2, 0.0), "scale must be"),
        (lambda: penalty(0.1, 2, [[1.0]]), "scale must be"),
        (lambda: hmc_penalty(0.1, 2, 0.1, -1, 0.1, 3), "clip_gradient must be"),
        (lambda: hmc_penalty(0.1, 2, 0.1, 1, 0.1, 0), "steps must be"),
        (lambda: hmc_penalty(0.1, 2, 0.1, 1, 0.1, 3, mass=[-1.0]), "mass must be"),
        (lambda: minibatch_penalty(0.1, 1, 1, 1), "batch must be"),
        (lambda: minibatch_penalty(0.1, 10, -1, 1), "clip must be"),
        (lambda: barker(3, 1.0), "batch must be"),
        (lambda: curve(2), "batch must be"),
    ],
)
def test_settings_outside_their_range_are_named(call, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: run(RNG, good(), penalty(0.1, 2, 1), [[0.0, 1.0]], iterations=1),
            r"start must have the shape \(chains, 1\)",
        ),
        (lambda: run(RNG, good(), penalty(0.1, 2, 1), [math.nan], iterations=1), "start must be finite"),
        (lambda: run(RNG, good(), penalty(0.1, 2, [1, 1]), [0.0], iterations=1), "scale must be one number or 1"),
        (lambda: run(RNG, good(), penalty(0.1, None, 1), [0.0], iterations=1), "clip must be .* no spread"),
        (lambda: run(RNG, good(), penalty(0.1, 2, 1), [0.0]), "budget or iterations must be given"),
        (lambda: run(RNG, good(), penalty(0.1, 2, 1), [0.0], iterations=0), "iterations must be an integer >= 1"),
        (
            lambda: run(RNG, good(), penalty(0.1, 2, 1), [0.0], budget=ApproxDP(0.1, 1e-6)),
            "budget must allow one step of 1 chain of penalty, got epsilon=0.1, delta=1e-06",
        ),
        (lambda: run(RNG, good(), metropolis(1.0), [0.0], budget=BUDGET), "algorithm must be private"),
        (
            lambda: run(RNG, normal_model([0.0, math.inf]), penalty(0.1, 2, 1), [0.0], iterations=1),
            "start must have a finite log likelihood and log prior, got -inf for chain 0",
        ),
        (
            lambda: run(RNG, good(), minibatch_penalty(1.0, 21, 1, 1), [0.0], iterations=1),
            "batch must be an integer >= 1 and < 21",
        ),
        (
            lambda: run(RNG, normal_model([0.0], gradient=None), hmc_penalty(1, 1, 1, 1, 1, 1), [0.0], iterations=1),
            "gradient must be given",
        ),
        (
            lambda: run(
                RNG, normal_model([0.0], prior_gradient=None), hmc_penalty(1, 1, 1, 1, 1, 1), [0.0], iterations=1
            ),
            "prior_gradient must be given",
        ),
        (
            lambda: normal_model([0.0], gradient=lambda theta, data: data[:, 0]),
            r"gradient must return shape .*\(1, 1\)",
        ),
        (lambda: normal_model([0.0], prior_gradient=lambda theta: 0.0), r"prior_gradient must return shape \(1,\)"),
        (
            lambda: posterior_of(lambda t, x: 0.0, np.zeros(3), lambda t: 0.0, 1),
            "log_likelihood must return one number",
        ),
        (lambda: posterior_of(lambda t, x: 0 * x, np.zeros(3), lambda t: t, 1), "log_prior must return one number"),
        (lambda: posterior_of(lambda t, x: 0 * x, [], lambda t: 0.0, 1), "data must have one or more rows"),
        (lambda: posterior_of(lambda t, x: 0 * x, [1.0], lambda t: 0.0, 0), "dimension must be an integer >= 1"),
        (lambda: posterior_of(lambda t, x: 0 * x, [1.0], lambda t: 0.0, 1, temperature=0), "temperature must be"),
        (lambda: ExponentialFamily(np.zeros(3), abs, abs), "features must have the shape"),
        (lambda: ExponentialFamily(np.full((2, 1), np.nan), abs, abs), "features must be finite"),
        (lambda: ExponentialFamily(np.zeros((2, 1)), abs, abs, weights=[1.0]), "weights must be 2 whole numbers"),
        (lambda: guided_walk(1, 1, 1).step(RNG, State(np.zeros((1, 1))), good()), "state must have directions"),
        (lambda: bernoulli(5, 3), "successes must be an integer >= 0 and < 4"),
        (lambda: mmd(RNG, np.zeros(3), np.zeros((3, 1))), "sample and reference must have"),
    ],
)
def test_bad_input_has_one_clear_error(call, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_wrong_kinds_are_type_errors():
    with pytest.raises(TypeError, match=r"^algorithm must be an Algorithm"):
        run(RNG, good(), penalty, [0.0], iterations=1)
    with pytest.raises(TypeError, match=r"^rng must be a numpy\.random\.Generator"):
        run(7, good(), penalty(0.1, 2, 1), [0.0], iterations=1)


def test_a_gradient_of_the_wrong_shape_is_found_in_compiled_models_too(rng):
    rows = normal_rows(rng, [0.0, 3.0], [1.0, 1.0], 30)
    family = ExponentialFamily(
        rows,
        natural=lambda t: t,
        log_partition=lambda t: np.sum(t**2, axis=1) / 2,
        jacobian=lambda t: np.ones((len(t), 2)),
        partition_gradient=lambda t: t,
    )
    with pytest.raises(ValueError, match=r"^jacobian must return shape \(3, 2, 2\)"):
        family.gradient(np.zeros((3, 2)), 1.0)


# Distances


def test_mmd_is_its_definition(rng):
    x, y = rng.normal(size=(30, 2)), rng.normal(0.7, 1.0, size=(40, 2))
    state = np.random.default_rng(3)
    pairs = np.random.default_rng(3)
    i, j = pairs.integers(30, size=500), pairs.integers(40, size=500)
    width = np.median([math.dist(a, b) for a, b in zip(x[i], y[j], strict=True)])

    def k(a, b):
        return math.exp(-(math.dist(a, b) ** 2) / (2 * width**2))

    xx = np.mean([k(a, b) for p, a in enumerate(x) for q, b in enumerate(x) if p != q])
    yy = np.mean([k(a, b) for p, a in enumerate(y) for q, b in enumerate(y) if p != q])
    xy = np.mean([k(a, b) for a in x for b in y])
    assert mmd(state, x, y) == pytest.approx(math.sqrt(abs(xx + yy - 2 * xy)), rel=1e-9)
    assert mmd(rng, rng.normal(size=(1000, 2)), rng.normal(size=(1000, 2))) < 0.06


def test_mean_distance_and_the_second_half():
    assert mean_distance([[3.0, 0.0], [3.0, 8.0]]) == 5.0
    assert mean_distance([[1.0], [3.0]], [2.0]) == 0.0
    chain = np.arange(10.0)[:, None]
    assert second_half(chain)[:, 0].tolist() == [5, 6, 7, 8, 9]
    assert second_half(chain, most=3)[:, 0].tolist() == [5, 7, 9]
