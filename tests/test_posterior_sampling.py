"""Posteriors, the distances between them, and masses of regions, against exact fractions and quadrature by mpmath."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps


def fractions_posterior(grid, prior, ones, n):
    likelihood = [t**ones * (1 - t) ** (n - ones) for t in grid]
    marginal = sum(p * q for p, q in zip(prior, likelihood, strict=True))
    return marginal, [p * q / marginal for p, q in zip(prior, likelihood, strict=True)]


@pytest.mark.parametrize(("parts", "n"), [(5, 1), (20, 7), (5, 40)])
def test_finite_bernoulli_agrees_with_fractions(parts, n):
    grid = [Fraction(k, parts) for k in range(1, parts)]
    prior = [Fraction(k, sum(range(1, parts))) for k in range(1, parts)]
    family = ps.bernoulli()
    law = ps.weighted(ps.bernoulli_grid(1 / parts), [float(p) for p in prior])
    exact = [fractions_posterior(grid, prior, k, n) for k in range(n + 1)]
    ours = [ps.posterior_law(family, law, [1] * k + [0] * (n - k)) for k in range(n + 1)]
    for k in range(n + 1):
        marginal, weights = exact[k]
        found = ps.log_evidence(family, law, [1] * k + [0] * (n - k))
        assert found == pytest.approx(math.log(marginal), rel=1e-13)
        assert ours[k].weights == pytest.approx([float(w) for w in weights], rel=1e-11)
    for k in range(n):
        p, q = exact[k][1], exact[k + 1][1]
        loss = max(a / b for a, b in zip(p, q, strict=True))
        assert ps.privacy_loss(ours[k], ours[k + 1]) == pytest.approx(math.log(loss), rel=1e-11, abs=1e-14)
        variation = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
        assert ps.total_variation(ours[k], ours[k + 1]) == pytest.approx(float(variation), rel=1e-11, abs=1e-14)
        with mpmath.workdps(40):
            real = [(mpmath.mpf(x.numerator) / x.denominator, x / y) for x, y in zip(p, q, strict=True)]
            divergence = mpmath.fsum(w * mpmath.log(mpmath.mpf(r.numerator) / r.denominator) for w, r in real)
        assert ps.kullback_leibler(ours[k], ours[k + 1]) == pytest.approx(float(divergence), rel=1e-9, abs=0)
        both = ps.kullback_leibler(ours[k], ours[k + 1]) + ps.kullback_leibler(ours[k + 1], ours[k])
        assert ps.jeffreys(ours[k], ours[k + 1]) == both


def test_worst_neighbours_goes_both_ways():
    laws = ps.count_posteriors(ps.uniform([0.1, 0.3]), 3)
    pairs = [(0, 1), (1, 2), (2, 3), (1, 0), (2, 1), (3, 2)]
    assert ps.worst_neighbours(ps.privacy_loss, laws) == max(ps.privacy_loss(laws[i], laws[j]) for i, j in pairs)
    assert laws[2].weights == pytest.approx(ps.posterior_law(ps.bernoulli(), ps.uniform([0.1, 0.3]), [0, 1, 1]).weights)


def test_network_likelihood_agrees_with_fractions():
    third, quarter = Fraction(1, 3), Fraction(1, 4)
    tables = (
        [third, 1 - third],
        [[quarter, quarter, 2 * quarter], [third, third, third]],
        [[[Fraction(1, 10), Fraction(9, 10)]] * 3, [[Fraction(1, 2)] * 2] * 3],
    )
    family = ps.network([[], [0], [0, 1]], [2, 3, 2])
    parameter = tuple(np.array(table, float) for table in tables)
    total = Fraction(0)
    for a, b, c in itertools.product(range(2), range(3), range(2)):
        exact = tables[0][a] * tables[1][a][b] * tables[2][a][b][c]
        total += exact
        assert family.log_likelihood([parameter], np.array([[a, b, c]]))[0] == pytest.approx(math.log(exact))
    assert total == 1


GAMMA_CASES = [
    (ps.exponential(3.0), ps.trimmed_exponential(2.0, 0.5, 2.0), [0.3, 1.2, 2.9]),
    (ps.laplace(0.5, 2.0), ps.trimmed_exponential(1.0, 0.5, 5.0), [-2.0, 0.4, 2.0]),
    (ps.normal_precision(1.0, 4.0), ps.trimmed_exponential(0.5, 0.2, 3.0), [3.0, -2.5, 1.0, 0.0]),
]


def quad(function, low, high):
    return mpmath.quad(function, mpmath.linspace(low, high, 9))


@pytest.mark.parametrize(("family", "prior", "data"), GAMMA_CASES)
def test_gamma_families_agree_with_quadrature(family, prior, data):
    x = np.array(data)
    after = ps.posterior_law(family, prior, x)
    with mpmath.workdps(20):

        def of_one(t, v):
            if family.name == "exponential":
                return t * mpmath.exp(-t * mpmath.mpf(v))
            if family.name == "laplace":
                return t / 2 * mpmath.exp(-t * abs(mpmath.mpf(v) - mpmath.mpf("0.5")))
            return mpmath.npdf(mpmath.mpf(v), 1, 1 / mpmath.sqrt(t))

        def density(t):
            return mpmath.fprod(of_one(t, v) for v in data)

        def kernel(t):
            return t ** (mpmath.mpf(prior.shape) - 1) * mpmath.exp(-mpmath.mpf(prior.rate) * t)

        total = quad(kernel, prior.low, prior.high)
        joint = quad(lambda t: kernel(t) * density(t), prior.low, prior.high)
        found = ps.log_evidence(family, prior, x) - float(mpmath.log(joint / total))
        middle = after.sample(np.random.default_rng(1), 1)[0]
        below = quad(lambda t: kernel(t) * density(t), prior.low, middle)
        assert math.exp(found) == pytest.approx(1, abs=1e-10)
        assert after.mass(prior.low, middle) == pytest.approx(float(below / joint), rel=1e-10)


@pytest.mark.parametrize(("prior", "ones", "zeros"), [
    (ps.Beta(1, 1, -1.5, 1.5), 7, 3),
    (ps.Beta(2, 3, -2.0, 0.5), 300, 2),  # the mode of the likelihood far outside
    (ps.Beta(0.3, 0.7, -4.0, 6.0), 1, 0),
])  # fmt: skip
def test_distances_of_posteriors_of_coins_agree_with_quadrature(prior, ones, zeros):
    p, q = (ps.posterior_law(ps.bernoulli(), prior, [1] * (ones - k) + [0] * (zeros + k)) for k in (0, 1))
    with mpmath.workdps(20):

        def log_kernel(law, t):  # in the log-odds
            return mpmath.mpf(law.a) * t - (mpmath.mpf(law.a) + law.b) * mpmath.log1p(mpmath.exp(t))

        top = {law: log_kernel(law, prior.high) for law in (p, q)}  # mpmath's tolerance is absolute

        def mean(law, function=lambda t: 1, upto=prior.high):
            panels = [*(end for end in mpmath.linspace(prior.low, prior.high, 17) if end < upto), upto]
            return mpmath.quad(lambda t: function(t) * mpmath.exp(log_kernel(law, t) - top[law]), panels)

        zp, zq = mean(p), mean(q)
        slope, level = mpmath.mpf(p.a) - q.a, mpmath.log(zq / zp) + top[q] - top[p]
        crossing = -level / slope
        exact = (
            float(level + slope * mean(p, lambda t: t) / zp),
            float(abs(mean(p, upto=crossing) / zp - mean(q, upto=crossing) / zq)),
            float(max(level + slope * end for end in (p.low, p.high))),
        )
    found = ps.kullback_leibler(p, q), ps.total_variation(p, q), ps.privacy_loss(p, q)
    assert found == pytest.approx(exact, rel=1e-10, abs=2e-15 * max(1.0, abs(p.log_mass), abs(q.log_mass)))


def test_equal_laws_are_at_distance_zero():
    for law in (ps.Gamma(3.0, 2.0, 0.5, 4.0), ps.Beta(2.0, 5.0, -1.0, 2.0), ps.Beta(0.5, 0.5)):
        for measure in (ps.privacy_loss, ps.total_variation, ps.kullback_leibler):
            assert measure(law, law) == 0


def test_expected_lipschitz_constants_agree_with_quadrature():
    with mpmath.workdps(20):
        numerator = mpmath.quad(lambda t: abs(t) * mpmath.exp(3 * t) / (1 + mpmath.exp(t)) ** 5, [-2, 0, 1])
        denominator = mpmath.quad(lambda t: mpmath.exp(3 * t) / (1 + mpmath.exp(t)) ** 5, [-2, 0, 1])
        beta = float(numerator / denominator)
        gamma = float(mpmath.quad(lambda t: t * mpmath.exp(-t), [1, 2]) / mpmath.quad(lambda t: mpmath.exp(-t), [1, 2]))
    assert ps.expected_lipschitz(ps.bernoulli(), ps.Beta(3, 2, -2.0, 1.0)) == pytest.approx(beta, rel=1e-12)
    found = ps.expected_lipschitz(ps.normal_precision(3.0), ps.trimmed_exponential(1, 1, 2))
    assert found == pytest.approx(1.5 * gamma, rel=1e-12)


def test_joint_laws_multiply_and_a_grid_may_end_before_one():
    both = ps.joint(ps.weighted([0.2, 0.8], [1, 3]), ps.weighted([1, 2], [1, 1]))
    exact = {(0.2, 1): 1 / 8, (0.2, 2): 1 / 8, (0.8, 1): 3 / 8, (0.8, 2): 3 / 8}
    assert dict(zip(both.parameters, both.weights.tolist(), strict=True)) == pytest.approx(exact)
    with arithmetic.balls():
        assert ps.joint(*[ps.weighted([0, 1], [1, 3])] * 2).weights.tolist()[-1] == arithmetic.number(9) / 16
    assert ps.bernoulli_grid(0.3).tolist() == pytest.approx([0.3, 0.6, 0.9])


def test_the_least_delta_of_two_rates_is_that_of_quadrature():
    p, q, epsilon = ps.Gamma(2.0, 3.0, 0.5, 2.0), ps.Gamma(2.0, 1.5, 0.5, 2.0), 0.2

    def mass(rate, end):
        return mpmath.quad(lambda t: t * mpmath.exp(-rate * t), [0.5, end])

    with mpmath.workdps(20):
        whole, other = mass(3, 2), mass(1.5, 2)
        end = (mpmath.log(other / whole) - mpmath.mpf(epsilon)) / 1.5  # p is more than e^epsilon q below it
        delta = mass(3, end) / whole - mpmath.exp(epsilon) * mass(1.5, end) / other
    assert ps.least_delta(p, q, epsilon) == pytest.approx(float(delta), rel=1e-10)
    assert ps.least_delta(p, q, 5.0) == 0 == ps.least_delta(p, p, 0.0)


def test_symmetric_parameters_stay_together_at_a_last_digit_tie():
    """The log-odds of 0.2 and 0.8 differ in the last digit as doubles: both belong to L = ln 4, the smaller of them."""
    family = ps.bernoulli()
    prior = ps.uniform(ps.bernoulli_grid(0.2))
    constants = family.lipschitz(prior.parameters)
    L = min(constants[0], constants[3], math.log(4))
    kept = ps.restricted(family, prior, L)
    assert len(kept.parameters) == 4
    assert ps.lipschitz_bound(family, kept) == max(constants)
    assert ps.lipschitz_mass(family, prior, L) == 1
    below = math.log(4) * (1 - 1e-11)
    assert len(ps.restricted(family, prior, below).parameters) == 2
    assert ps.lipschitz_mass(family, prior, below) == pytest.approx(0.5)
    assert ps.best_rate(family, prior, L) == math.inf  # at the last jump, though some constant is larger by a digit
    assert ps.best_rate(family, prior, math.log(1.5)) == pytest.approx(math.log(2) / (math.log(4) - math.log(1.5)))


def test_masses_of_lipschitz_regions():
    family = ps.bernoulli()
    assert ps.lipschitz_mass(family, ps.Beta(1, 1), 1.0) == pytest.approx(math.tanh(0.5), rel=1e-13)
    exponential, prior = ps.exponential(1.0), ps.trimmed_exponential(2.0, 0.5, 2.0)
    exact = (math.exp(-1) - math.exp(-2)) / (math.exp(-1) - math.exp(-4))
    assert ps.lipschitz_mass(exponential, prior, 1.0) == pytest.approx(exact, rel=1e-13)
    assert ps.lipschitz_mass(exponential, prior, 0.4) == 0
    assert ps.lipschitz_mass(exponential, prior, 7.0) == 1


def test_the_mass_that_a_floor_keeps_is_a_product_over_the_rows():
    family, prior = ps.network([[], [0]], [2, 2]), ps.Tables([np.array([2.0, 3.0]), np.array([[1.0, 1.0], [0.5, 4.0]])])
    L = 1.7
    floor = 1 / (1 + mpmath.exp(L))
    rows = ((2, 3), (1, 1), (0.5, 4))
    exact = mpmath.fprod(mpmath.betainc(a, b, floor, 1 - floor, regularized=True) for a, b in rows)
    assert ps.lipschitz_mass(family, prior, L) == pytest.approx(float(exact), rel=1e-10)
    with pytest.raises(ValueError, match="floor must be 0 where a row has over 2 states"):
        ps.lipschitz_mass(ps.markov_chain(3), ps.Tables([np.ones((3, 3))]), L)
    with pytest.raises(ValueError, match=r"L must be > 0"):
        ps.lipschitz_mass(family, prior, 0.0)
    assert ps.lipschitz_mass(family, ps.Tables(prior.concentrations, 0.2), 100.0) == 1
    assert ps.restricted(family, ps.Tables(prior.concentrations, 0.2), 100.0).floor == 0.2
    with pytest.raises(ValueError, match=r"L must be > 0.* and be at most 35"):
        ps.lipschitz_mass(family, prior, 40.0)
    with pytest.raises(TypeError, match="acceptance"):
        ps.lipschitz_mass(ps.multivariate_normal([0.0, 0.0]), ps.Wishart(3, np.eye(2)), L)


def test_the_exponential_prior_of_example_2_weighs_by_the_odds():
    prior = ps.exponential_prior(ps.bernoulli(), ps.bernoulli_grid(0.2))
    expected = [Fraction(1, 4), Fraction(2, 3), Fraction(2, 3), Fraction(1, 4)]
    assert prior.weights == pytest.approx([float(w / sum(expected)) for w in expected], rel=1e-14)


def test_restricting_tables_bounds_the_constant_of_every_draw():
    family = ps.network([[], [0], [0, 1]], [2, 3, 2])
    prior = ps.restricted(family, ps.Tables([np.ones(2), np.ones((2, 3)), np.ones((2, 3, 2))]), 2.0)
    draws = prior.sample(np.random.default_rng(18), 30)
    assert ps.lipschitz_bound(family, prior) == pytest.approx(2.0)
    assert family.lipschitz(draws).max() <= 2.0 * (1 + 1e-12)
