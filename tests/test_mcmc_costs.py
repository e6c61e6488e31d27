"""The privacy cost of a step of a private chain, and the noise and sensitivities on which the cost depends.

The oracles are closed forms, all extreme rows of a batch, quadrature by mpmath, and counts from other sources.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from dpbi import RDP, ApproxDP, uses_within
from dpbi.guarantees import largest_count, subsampled
from dpbi.mcmc import component_penalty, gauss_bernoulli, guided_walk, hmc_penalty, metropolis, penalty
from dpbi.mcmc.barker_rule import corrected_barker_acceptance, correction, curve
from dpbi.mcmc.minibatch import batch_sensitivity
from mcmc_targets import bernoulli, normal_model


def test_costs_are_gaussian_mechanisms_with_the_noise_used():
    target = bernoulli(300, 1000).target
    for algorithm in (
        penalty(0.1, None, 1), component_penalty(0.1, None, 1), guided_walk(0.1, 2, 1), gauss_bernoulli(0.1, 2, 1),
    ):  # fmt: skip
        assert algorithm.cost(target).rho == pytest.approx(1 / (2 * 0.1**2 * 1000))
    hmc = hmc_penalty(0.1, 2.0, 0.4, 1.0, 0.01, 10)
    assert hmc.cost(target).rho == pytest.approx(1 / (2 * 0.1**2 * 1000) + 11 / (2 * 0.4**2 * 1000))
    assert metropolis(0.1).cost(target) is None


def test_the_sensitivity_of_a_batch_is_reached(rng):
    n, b, bound = 50, 5, np.array([0.02])
    target = normal_model(rng.normal(size=n), temperature=0.5)
    whole = n * 0.5

    def released(r):
        return whole * r.mean() - whole**2 / b * r.var() / 2

    most = batch_sensitivity(target.rows * target.temperature / b, b, bound)[0]
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


@pytest.mark.parametrize("order", [2, 5])
def test_the_divergence_of_barkers_noise_is_reached(order):
    """And holds for pairs of variances."""
    b = 60
    most, change = curve(b).values[order - 2], 4 * (b - 1) / b**2
    for v1, v2 in ((1.0, 1.0 + change), (1.7, 1.7 - change), (1.7, 1.7 - change / 3)):
        assert normal_divergence(order, 2 / math.sqrt(b), v1, v2) <= most
    assert normal_divergence(order, 2 / math.sqrt(b), 1 + change, 1.0) == pytest.approx(most, rel=1e-12)


def published_barker_curve(batch, orders):
    """The bound in print: its logarithm does not vanish as the batch grows."""
    a = np.asarray(orders, dtype=float)
    return 5 / (2 * batch) + np.log(2 * batch / (batch - 5 * a)) / (2 * (a - 1)) + 2 * a / (batch - 5 * a)


def test_barkers_printed_accounting_allows_far_fewer_iterations():
    """The counts in print's accounting, found independently with Mironov's conversion, and ours beside them."""
    batch, rows, counts = 1300, 100_000, [106, 433, 1687, 3640]
    orders = np.arange(2, batch // 5)
    printed = subsampled(RDP(orders, published_barker_curve(batch, orders)), rows, batch)
    delta = 0.1 / rows
    found = [largest_count(lambda k: printed.repeat(k).classic_epsilon_at(delta) <= e) for e in (1, 2, 4, 6)]  # noqa: B023
    assert found == counts
    ours = subsampled(curve(batch), rows, batch)
    assert uses_within(ours, ApproxDP(1.0, delta)) > 10 * counts[0]
    assert np.all(np.array(curve(batch).values) < published_barker_curve(batch, curve(batch).orders))
    assert np.all(np.diff(curve(batch).values) > 0)


def test_the_correction_is_the_best_and_not_exact():
    law = correction(2.0)
    assert law.weights.sum() == pytest.approx(1)
    assert np.allclose(law.weights, law.weights[::-1])
    assert law.error == pytest.approx(5.87e-4, abs=2e-6)  # found by another program
    x = np.linspace(-12, 12, 401)
    together = norm.cdf((x[:, None] - law.atoms) / math.sqrt(2)) @ law.weights
    assert np.abs(together - expit(x)).max() <= law.error * (1 + 1e-9)
    assert corrected_barker_acceptance(x, 0 * x) == pytest.approx(together, rel=1e-9)
    assert correction(1.0).error < 1e-6 < law.error < correction(3.0).error
