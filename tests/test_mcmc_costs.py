"""What a step of a private chain costs, and the noise and the sensitivities that its cost rests on."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dpbi import RDP, ApproxDP, uses_within
from dpbi.guarantees import largest_count, renyi_divergence, subsampled
from dpbi.mcmc import (
    component_penalty,
    gauss_bernoulli,
    guided_walk,
    hmc_penalty,
    metropolis,
    penalty,
    study,
)
from dpbi.mcmc.barker_rule import correction, curve
from dpbi.mcmc.hmc import leapfrog
from dpbi.mcmc.minibatch import VARIANCE_FACTOR, sensitivity
from dpbi.mcmc.models import simulated_banana
from mcmc_targets import bernoulli, normal_model


@pytest.fixture
def rng():
    return np.random.default_rng(20201005)


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
    from dpbi.mcmc.penalty_algorithm import noisy_log_ratio

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


@pytest.mark.slow
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
