"""Sums over rows against NumPy row by row, and draws from the models against their densities and closed forms."""

import itertools

import numpy as np
import pytest

from dpbi.mcmc import ExponentialFamily, clipped_hmc, clipped_metropolis, kernels, metropolis, study
from dpbi.mcmc.models import circle, correlated_normal, simulated_banana
from dpbi.mcmc.row_models import RowLikelihood
from mcmc_targets import normal_model


def examples(rng):
    yield simulated_banana(700, 2, 20.0, rng)
    yield simulated_banana(1500, 4, 3.0, rng, temperature=0.1)
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


@pytest.mark.parametrize("compiled", [True, False])
def test_sums_agree_with_numpy(rng, monkeypatch, compiled):
    if not compiled:  # as they are written
        for name in ("clipped_ratios", "clipped_gradients"):
            monkeypatch.setattr(kernels, name, getattr(kernels, name).py_func)
    for example in itertools.islice(examples(rng), None if compiled else 1):
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
        batches = (each.batch(theta, proposal, bounds, chosen) for each in (family, plain))
        for fast, slow in zip(*batches, strict=True):
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
    example = simulated_banana(300, 2, 20.0, rng)
    start = example.draw(rng, 50)
    algorithms, same = (clipped_metropolis(1e9, 0.1), metropolis(0.1)), np.random.default_rng
    wide, plain = (study(example.target, each, start, same(3), iterations=20) for each in algorithms)
    assert np.array_equal(wide.samples, plain.samples)
    tight = study(example.target, clipped_metropolis(0.5, 0.1), start, np.random.default_rng(3), iterations=20)
    assert tight.clipped.mean() > 0.1
    assert tight.cost is None


@pytest.mark.parametrize("clip", [0.3, 1e9])
def test_clipped_hmc_is_the_loop_of_the_textbook(rng, clip):
    """Row by row in NumPy, gradients kept from the iteration before, from the same random numbers."""
    rows, masses, stepsize = rng.normal([0.5, -1.0], 1.0, (200, 2)), np.array([1.0, 0.5]), 0.02
    target = normal_model(rows)
    found = study(target, clipped_hmc(clip, stepsize, 4, masses), [0.0, 0.0], np.random.default_rng(3), iterations=50)
    generator, theta, clipped = np.random.default_rng(3), np.zeros(2), []
    for i in range(50):
        p = first = np.sqrt(masses) * generator.standard_normal((1, 2))[0]
        end = theta
        for _ in range(4):
            p = p + stepsize / 2 * ((rows - end).sum(axis=0) - end)
            end = end + stepsize * p / masses
            p = p + stepsize / 2 * ((rows - end).sum(axis=0) - end)
        ratio = (((rows - theta) ** 2).sum(axis=1) - ((rows - end) ** 2).sum(axis=1)) / 2
        bound = clip * np.linalg.norm(end - theta)
        energy = np.clip(ratio, -bound, bound).sum() + (theta @ theta - end @ end) / 2
        energy += (first**2 / masses - p**2 / masses).sum() / 2
        clipped.append(np.mean(abs(ratio) > bound))
        theta = end if np.log1p(-generator.random(1)[0]) < energy else theta
        assert np.allclose(found.samples[i, 0], theta, atol=1e-9)
    assert np.allclose(found.clipped[:, 0], clipped)
    assert (np.mean(clipped) > 0.5) == (clip < 1)
    assert found.cost is None
    with pytest.raises(ValueError, match=r"^mass must be a finite number > 0"):
        clipped_hmc(1.0, 0.1, 3, [1.0, -1.0])


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
    slopes = np.array([[0.2, -np.inf], [0.3, 0.4], [np.nan, 0.1]])  # what is no number adds nothing to a gradient
    likelihood = RowLikelihood(lambda theta, x: x, data, lambda theta, x: slopes)
    assert likelihood.gradient(np.zeros((1, 2)), 9.0).total[0] == pytest.approx([0.5, 0.5])
    steep = {"jacobian": lambda t: np.full((1, 1, 1), 1e200), "partition_gradient": lambda t: 0 * t}
    far = ExponentialFamily(np.array([[1e200], [0.0]]), lambda t: t, lambda t: 0 * t[:, 0], **steep)
    assert far.gradient(np.zeros((1, 1)), 1.0).total[0, 0] == 0  # of which one row would overflow
    for features in (1, 2, 3):
        ones, nan = np.ones((5, features)), lambda t: np.full(len(t), np.nan)
        family = ExponentialFamily(ones, lambda t, m=features: np.tile(t, m), nan)
        assert family.ratio(np.zeros((1, 1)), np.ones((1, 1)), np.array([0.5])).total[0] == -2.5


def test_simulated_rows_have_the_moments_of_the_banana(rng):
    rows = simulated_banana(40_000, 4, 20.0, rng).target.likelihood.features
    variances = np.array([20.0, 2.5, 1.0, 1.0])
    assert np.all(abs(rows.mean(axis=0) - [0, 3, 0, 0]) < 5 * np.sqrt(variances / 40_000))
    assert np.all(abs(rows.var(axis=0) / variances - 1) < 5 * np.sqrt(2 / 40_000))


def test_exact_draws_have_the_density_of_the_banana(rng):
    example = simulated_banana(300, 3, 20.0, rng, temperature=0.5)
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
    """The conjugate law: precision n S^-1 + I / 0.01, from the rows' correlation S."""
    rows = rng.multivariate_normal([0, 3], [[1, 0.9], [0.9, 1]], 500)
    draws = correlated_normal(rows, 0.9, prior_variance=0.01).draw(rng, 100_000)
    inverse = np.linalg.inv([[1, 0.9], [0.9, 1]])
    covariance = np.linalg.inv(500 * inverse + np.eye(2) / 0.01)
    assert np.allclose(np.cov(draws.T), covariance, rtol=0.03)
    mean = covariance @ inverse @ rows.sum(axis=0)
    assert np.all(abs(draws.mean(axis=0) - mean) < 5 * np.sqrt(np.diag(covariance) / 100_000))
