"""Posterior sampling against exact fractions, mpmath quadrature, exact cdfs and brute force."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import kstest

from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.laws import FEWEST_ACCEPTED
from dpbi.posterior_sampling.matrix_families import ball_reach

FALSE_ALARM = 1e-4
"""A correct sampler fails a Kolmogorov-Smirnov test here with this probability, over the choice of the seed."""

# Finite families against exact fractions


def fractions_posterior(grid, prior, ones, n):
    likelihood = [t**ones * (1 - t) ** (n - ones) for t in grid]
    marginal = sum(p * q for p, q in zip(prior, likelihood, strict=True))
    return marginal, [p * q / marginal for p, q in zip(prior, likelihood, strict=True)]


@pytest.mark.parametrize("parts", [5, 20])
@pytest.mark.parametrize("n", [1, 7, 40])
def test_finite_bernoulli_agrees_with_fractions(parts, n):
    grid = [Fraction(k, parts) for k in range(1, parts)]
    prior = [Fraction(k, sum(range(1, parts))) for k in range(1, parts)]
    family = ps.bernoulli()
    law = ps.weighted(ps.bernoulli_grid(1 / parts), [float(p) for p in prior])
    exact = [fractions_posterior(grid, prior, k, n) for k in range(n + 1)]
    ours = [ps.posterior(family, law, [1] * k + [0] * (n - k)) for k in range(n + 1)]
    for k in range(n + 1):
        marginal, weights = exact[k]
        found = ps.log_marginal(family, law, [1] * k + [0] * (n - k))
        assert found == pytest.approx(math.log(marginal), rel=1e-13)
        assert ours[k].weights == pytest.approx([float(w) for w in weights], rel=1e-11)
    for k in range(n):
        p, q = exact[k][1], exact[k + 1][1]
        loss = max(a / b for a, b in zip(p, q, strict=True))
        assert ps.privacy_loss(ours[k], ours[k + 1]) == pytest.approx(math.log(loss), rel=1e-11, abs=1e-14)
        variation = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
        assert ps.total_variation(ours[k], ours[k + 1]) == pytest.approx(float(variation), rel=1e-11, abs=1e-14)
        with mpmath.workdps(40):
            parts_of = [
                mpmath.mpf(a.numerator)
                / a.denominator
                * mpmath.log(mpmath.mpf((a / b).numerator) / (a / b).denominator)
                for a, b in zip(p, q, strict=True)
            ]
            assert ps.kullback_leibler(ours[k], ours[k + 1]) == pytest.approx(
                float(mpmath.fsum(parts_of)), rel=1e-9, abs=0
            )


def test_worst_neighbours_goes_both_ways():
    laws = ps.count_posteriors(ps.uniform([0.1, 0.3]), 3)
    pairs = [(0, 1), (1, 2), (2, 3), (1, 0), (2, 1), (3, 2)]
    assert ps.worst_neighbours(ps.privacy_loss, laws) == max(ps.privacy_loss(laws[i], laws[j]) for i, j in pairs)
    assert laws[2].weights == pytest.approx(ps.posterior(ps.bernoulli(), ps.uniform([0.1, 0.3]), [0, 1, 1]).weights)


def test_equation_9_agrees_with_fractions():
    grid, prior = [Fraction(k, 5) for k in range(1, 5)], [Fraction(1, 4)] * 4
    family, law = ps.bernoulli(), ps.uniform(ps.bernoulli_grid(0.2))
    for ones, n in [(0, 1), (3, 10), (50, 50)]:
        marginal, _ = fractions_posterior(grid, prior, ones, n)
        exact = max(t**ones * (1 - t) ** (n - ones) for t in grid) / marginal
        found = ps.likelihood_ratio(family, law, [1] * ones + [0] * (n - ones))
        assert found == pytest.approx(float(exact), rel=1e-12)


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


# Continuous families against mpmath


GAMMA_CASES = [
    (ps.exponential(3.0), ps.trimmed_exponential(2.0, 0.5, 2.0), [0.3, 1.2, 2.9]),
    (ps.exponential(1.0), ps.trimmed_exponential(1.0, 0.1, 0.11), [0.0]),
    (ps.exponential(9.0), ps.trimmed_exponential(1.0, 2.0, 3.0), [8.0] * 50),  # far beyond the lower end
    (ps.exponential(9.0), ps.trimmed_exponential(1.0, 1e-3, 0.01), [0.01] * 50),  # far beyond the upper end
    (ps.exponential(9.0), ps.Gamma(0.3, 0.2), [1.0, 2.0]),  # no ends, unbounded density
    (ps.laplace(0.5, 2.0), ps.trimmed_exponential(1.0, 0.5, 5.0), [-2.0, 0.4, 2.0]),
    (ps.normal_precision(1.0, 4.0), ps.trimmed_exponential(0.5, 0.2, 3.0), [3.0, -2.5, 1.0, 0.0]),
]


def in_mpmath(function, low, high, peak):
    low, high = mpmath.mpf(low), mpmath.mpf("inf") if high == math.inf else mpmath.mpf(high)
    inner = [point for point in (peak / 4, peak, 2 * peak, 8 * peak) if low < point < high]
    ends = [low, *inner, high]
    if low > 0 and high < 100 * low:  # where all the mass may be at one end
        steps = [(high - low) * mpmath.mpf(2) ** -i for i in range(12, 0, -1)]
        ends = [low, *(low + step for step in steps), *(high - step for step in reversed(steps[:-1])), high]
    return mpmath.quad(function, ends)


@pytest.mark.parametrize(("family", "prior", "data"), GAMMA_CASES)
def test_gamma_families_agree_with_quadrature(family, prior, data):
    x = np.array(data)
    after = ps.posterior(family, prior, x)
    with mpmath.workdps(30):

        def density(t):
            if family.name == "exponential":
                return mpmath.fprod(t * mpmath.exp(-t * mpmath.mpf(v)) for v in data)
            if family.name == "laplace":
                return mpmath.fprod(t / 2 * mpmath.exp(-t * abs(mpmath.mpf(v) - mpmath.mpf("0.5"))) for v in data)
            return mpmath.fprod(mpmath.npdf(mpmath.mpf(v), 1, 1 / mpmath.sqrt(t)) for v in data)

        def kernel(t):
            return t ** (mpmath.mpf(prior.shape) - 1) * mpmath.exp(-mpmath.mpf(prior.rate) * t)

        peak = mpmath.mpf(after.shape) / mpmath.mpf(after.rate)
        total = in_mpmath(kernel, prior.low, prior.high, 1 / mpmath.mpf(prior.rate))
        joint = in_mpmath(lambda t: kernel(t) * density(t), prior.low, prior.high, peak)
        assert math.exp(ps.log_marginal(family, prior, x) - float(mpmath.log(joint / total))) == pytest.approx(
            1, abs=1e-10
        )
        middle = after.sample(np.random.default_rng(1), 1)[0]
        below = in_mpmath(lambda t: kernel(t) * density(t), prior.low, middle, peak)
        assert float(after.cdf(middle)) == pytest.approx(float(below / joint), rel=1e-10)


def gamma_distances(first, second):
    """Divergence, total variation and loss from incomplete gamma functions at sixty digits."""
    with mpmath.workdps(60):
        a, low, high = mpmath.mpf(first.shape), mpmath.mpf(first.low), mpmath.mpf(first.high)
        here, there = mpmath.mpf(first.rate), mpmath.mpf(second.rate)

        def mass(rate, shape, low, high):
            return mpmath.gammainc(shape, rate * low, rate * high) / rate**shape

        z, w = mass(here, a, low, high), mass(there, a, low, high)
        slope, level = there - here, mpmath.log(w / z)
        crossing = -level / slope
        return (
            float(level + slope * mass(here, a + 1, low, high) / z),
            float(abs(mass(here, a, low, crossing) / z - mass(there, a, low, crossing) / w)),
            float(max(level + slope * low, level + slope * high)),
        )


def assert_distances(p, q, exact):
    found = ps.kullback_leibler(p, q), ps.total_variation(p, q), ps.privacy_loss(p, q)
    assert found == pytest.approx(exact, rel=1e-10, abs=0)


@pytest.mark.parametrize(("family", "prior", "data"), [case for case in GAMMA_CASES if case[1].high < math.inf])
def test_distances_between_gamma_posteriors_keep_ten_digits(family, prior, data):
    x, y = np.array(data), np.array(data)
    y[0] = y[0] / 2 + 0.25
    p, q = ps.posterior(family, prior, x), ps.posterior(family, prior, y)
    assert_distances(p, q, gamma_distances(p, q))


@pytest.mark.parametrize(
    ("prior", "ones", "zeros"),
    [
        (ps.Beta(1, 1, -1.5, 1.5), 7, 3),
        (ps.Beta(2, 3, -2.0, 0.5), 300, 2),  # the mode of the likelihood far outside
        (ps.Beta(0.3, 0.7, -4.0, 6.0), 0, 1),
        (ps.Beta(1, 1, -0.01, 0.02), 5, 5),
        (ps.Beta(2, 2), 4, 0),
    ],
)
def test_beta_family_agrees_with_quadrature(prior, ones, zeros):
    family = ps.bernoulli()
    x, y = [1] * ones + [0] * zeros, [1] * (ones + 1) + [0] * (zeros - 1) if zeros else [1] * (ones - 1) + [0]
    p, q = ps.posterior(family, prior, x), ps.posterior(family, prior, y)
    with mpmath.workdps(30):
        low = mpmath.mpf(0) if prior.low == -math.inf else 1 / (1 + mpmath.exp(-mpmath.mpf(prior.low)))
        high = mpmath.mpf(1) if prior.high == math.inf else 1 / (1 + mpmath.exp(-mpmath.mpf(prior.high)))
        steps = [(high - low) * mpmath.mpf(2) ** -i for i in range(12, 0, -1)]
        ends = [low, *(low + step for step in steps), *(high - step for step in reversed(steps[:-1])), high]

        def mass(law, upto=None):
            a, b = mpmath.mpf(law.a), mpmath.mpf(law.b)
            points = ends if upto is None else [low, *(e for e in ends if low < e < upto), upto]
            return mpmath.quad(lambda t: t ** (a - 1) * (1 - t) ** (b - 1), points)

        exact = mpmath.log(mass(p) / mass(prior))
        assert math.exp(ps.log_marginal(family, prior, x) - float(exact)) == pytest.approx(1, abs=1e-10)
    assert_distances(p, q, beta_distances(p, q))


def beta_distances(p, q):
    """By quadrature in the log-odds, in panels that halve towards both ends, where the mass may be."""
    with mpmath.workdps(50):
        low, high = (mpmath.mpf(end) if math.isfinite(end) else mpmath.sign(end) * 400 for end in (p.low, p.high))
        steps = [(high - low) * mpmath.mpf(2) ** -i for i in range(14, 0, -1)]
        ends = [low, *(low + step for step in steps), *(high - step for step in reversed(steps[:-1])), high]

        def mean(law, function, upto):
            a, b = mpmath.mpf(law.a), mpmath.mpf(law.b)
            panels = [*(end for end in ends if end < upto), upto]
            top = a * high - (a + b) * mpmath.log1p(mpmath.exp(high))  # mpmath's tolerance is absolute

            def integrand(t):
                return function(t) * mpmath.exp(a * t - (a + b) * mpmath.log1p(mpmath.exp(t)) - top)

            return mpmath.quad(integrand, panels) * mpmath.exp(top)

        zp, zq = mean(p, lambda t: 1, high), mean(q, lambda t: 1, high)
        slope, level = mpmath.mpf(p.a) - mpmath.mpf(q.a), mpmath.log(zq / zp)
        crossing = -level / slope
        return (
            float(level + slope * mean(p, lambda t: t, high) / zp),
            float(abs(mean(p, lambda t: 1, crossing) / zp - mean(q, lambda t: 1, crossing) / zq)),
            float(max(level + slope * mpmath.mpf(end) for end in (p.low, p.high))),
        )


NEAR_AND_FAR = [
    (ps.Gamma(1e6, 5e5, 0.1, 3.0), ps.Gamma(1e6, 5e5 + 0.5, 0.1, 3.0)),  # a million records, one replaced
    (ps.Gamma(5.0, 3.0, 0.1, 3.0), ps.Gamma(5.0, 3.0 + 2.0**-24, 0.1, 3.0)),  # nearly the same law
    (ps.Gamma(5.0, 3.0, 0.1, 3.0), ps.Gamma(5.0, 500.0, 0.1, 3.0)),  # at opposite ends
    (ps.Gamma(400.0, 30.0), ps.Gamma(400.0, 20.0)),
    (ps.Gamma(0.3, 1.0), ps.Gamma(0.3, 1e-4)),
]


@pytest.mark.parametrize(("p", "q"), NEAR_AND_FAR)
def test_distances_keep_their_digits_for_near_and_for_far_laws(p, q):
    assert_distances(p, q, gamma_distances(p, q))
    assert_distances(q, p, gamma_distances(q, p))


def test_equal_laws_are_at_distance_zero():
    for law in (ps.Gamma(3.0, 2.0, 0.5, 4.0), ps.Beta(2.0, 5.0, -1.0, 2.0), ps.Beta(0.5, 0.5)):
        for measure in (ps.privacy_loss, ps.total_variation, ps.kullback_leibler):
            assert measure(law, law) == 0


def test_expected_lipschitz_constants_agree_with_quadrature():
    with mpmath.workdps(30):
        numerator = mpmath.quad(lambda t: abs(t) * mpmath.exp(3 * t) / (1 + mpmath.exp(t)) ** 5, [-2, 0, 1])
        denominator = mpmath.quad(lambda t: mpmath.exp(3 * t) / (1 + mpmath.exp(t)) ** 5, [-2, 0, 1])
        beta = float(numerator / denominator)
        gamma = float(mpmath.quad(lambda t: t * mpmath.exp(-t), [1, 2]) / mpmath.quad(lambda t: mpmath.exp(-t), [1, 2]))
    assert ps.expected_lipschitz(ps.bernoulli(), ps.Beta(3, 2, -2.0, 1.0)) == pytest.approx(beta, rel=1e-12)
    found = ps.expected_lipschitz(ps.normal_precision(3.0), ps.trimmed_exponential(1, 1, 2))
    assert found == pytest.approx(1.5 * gamma, rel=1e-12)


def test_floored_rows_have_the_mass_that_quadrature_finds():
    alpha, floor = (1.5, 4.0, 2.5), 0.08
    law = ps.Tables([np.array([alpha])], floor)
    with mpmath.workdps(20):
        a, b, c = (mpmath.mpf(v) - 1 for v in alpha)
        f = mpmath.mpf(floor)

        def inner(x):
            return x**a * mpmath.quad(lambda y: y**b * (1 - x - y) ** c, [f, 1 - x - f])

        exact = mpmath.log(mpmath.quad(inner, [f, 1 - 2 * f]))
    assert law.log_mass == pytest.approx(float(exact), rel=1e-8)


# Lipschitz constants, metrics and their reach against brute force


def worst_slope(family, parameter, datasets):
    slopes = []
    for x, y in itertools.combinations(datasets, 2):
        distance = family.distance(x, y)
        change = family.log_likelihood([parameter], x) - family.log_likelihood([parameter], y)
        assert distance > 0
        slopes.append(abs(change[0]) / distance)
    return max(slopes)


@pytest.mark.parametrize("theta", [0.1, 0.5, 0.85])
def test_bernoulli_constant_is_the_worst_slope_over_sequences(theta):
    family = ps.bernoulli()
    datasets = [list(x) for x in itertools.product((0, 1), repeat=4)]
    constant = family.lipschitz([theta])[0]
    assert worst_slope(family, theta, datasets) == pytest.approx(constant, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("mean", "bound"), [(0.3, 2.0), (2.5, 1.0), (-1.0, 0.4), (0.0, 3.0)])
def test_normal_constant_is_the_worst_slope_on_the_bounded_line(mean, bound):
    family = ps.normal_precision(mean, bound)
    line = [[v] for v in [*np.linspace(-bound, bound, 41), -bound * (1 - 1e-7), bound * (1 - 1e-7), 1e-7]]
    assert worst_slope(family, 1.7, line) == pytest.approx(family.lipschitz([1.7])[0], rel=1e-6)


@pytest.mark.parametrize(("mean", "bound"), [(0.3, 2.0), (2.5, 0.5)])
def test_normal_reach_is_the_largest_distance_on_the_bounded_line(mean, bound):
    family = ps.normal_precision(mean, bound)
    line = np.linspace(-bound, bound, 401)
    farthest = max(family.distance([x], [y]) for x in line[::20] for y in line)
    assert farthest == pytest.approx(family.reach[ps.RECORD], rel=1e-3)
    assert farthest <= family.reach[ps.RECORD] * (1 + 1e-12)


def random_tables(rng, shapes):
    return tuple(rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in shapes)


def test_network_constant_is_the_worst_slope_over_two_records():
    rng = np.random.default_rng(3)
    family = ps.network([[], [0], [0]], [2, 2, 2])
    rows = list(itertools.product((0, 1), repeat=3))
    datasets = [np.array(pair) for pair in itertools.product(rows, repeat=2)]
    for _ in range(3):
        tables = random_tables(rng, [(2,), (2, 2), (2, 2)])
        assert worst_slope(family, tables, datasets) == pytest.approx(family.lipschitz([tables])[0], rel=1e-12)


def test_network_accepts_parents_in_any_order():
    rng = np.random.default_rng(4)
    family = ps.network([[], [], [1, 0]], [2, 3, 2])
    datasets = [np.array([row]) for row in itertools.product(range(2), range(3), range(2))]
    for _ in range(8):
        tables = random_tables(rng, [(2,), (3,), (3, 2, 2)])
        assert worst_slope(family, tables, datasets) == pytest.approx(family.lipschitz([tables])[0], rel=1e-12)


def test_chain_constant_is_the_worst_slope_over_paths():
    rng = np.random.default_rng(5)
    family = ps.markov_chain(2)
    for _ in range(5):
        tables = random_tables(rng, [(2, 2)])
        paths = [np.array(path) for length in (2, 5) for path in itertools.product((0, 1), repeat=length)]
        worst = max(
            worst_slope(family, tables, group)
            for _, members in itertools.groupby(paths, len)
            for group in [list(members)]
        )
        assert worst == pytest.approx(family.lipschitz([tables])[0], rel=1e-12)


def test_laplace_and_exponential_constants_are_attained():
    theta = 0.7
    assert worst_slope(ps.laplace(0.2, 3.0), theta, [[v] for v in (-3.0, -1.0, 0.2, 2.0)]) == pytest.approx(0.7)
    assert worst_slope(ps.exponential(3.0), theta, [[v] for v in (0.0, 1.0, 3.0)]) == pytest.approx(0.7)


vectors = st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(np.array).filter(lambda v: np.linalg.norm(v) > 0.01)


@settings(deadline=None)
@given(x=vectors, y=vectors, angle=st.floats(0, 3), ratio=st.floats(0.01, 1), centred=st.booleans())
def test_multivariate_slopes_and_distances_never_exceed_their_bounds(x, y, angle, ratio, centred):
    x, y = (v / max(1, np.linalg.norm(v) * (1 + 1e-15)) for v in (x, y))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    precision = turn @ np.diag([1.0, ratio]) @ turn.T
    precision = (precision + precision.T) / 2
    family = ps.multivariate_normal([0.0, 0.0] if centred else [1.2, -0.7], radius=1.0)
    distance = family.distance([x], [y])
    assert distance <= family.reach[ps.RECORD] * (1 + 1e-9)
    first, second = (family.log_likelihood([precision], np.array([row]))[0] for row in (x, y))
    assert abs(first - second) <= family.lipschitz([precision])[0] * distance * (1 + 1e-9) + 1e-9


def test_ball_reach_of_the_unit_sphere():
    """For unit vectors at an angle phi the metric is sqrt(2) sin(phi) + 4 sin(phi/2), maximised here by mpmath."""
    with mpmath.workdps(30):
        slope = mpmath.findroot(lambda t: mpmath.sqrt(2) * mpmath.cos(t) + 2 * mpmath.cos(t / 2), 2.2)
        exact = mpmath.sqrt(2) * mpmath.sin(slope) + 4 * mpmath.sin(slope / 2)
    assert ball_reach(1.0, 2, centred=False) == pytest.approx(float(exact), rel=1e-14)
    assert ball_reach(2.0, 2, centred=True) == pytest.approx(4 * math.sqrt(2), rel=1e-15)


@pytest.mark.parametrize("radius", [0.01, 0.3, 1.0, 1.5, 2.7, 3.0, 40.0])
@pytest.mark.parametrize("centred", [False, True])
def test_ball_reach_is_the_largest_distance_in_the_ball(radius, centred):
    """Against the metric itself on a grid: one point on the first axis, the other anywhere in the half disc."""
    lengths, angles = np.meshgrid(np.linspace(0, radius, 81), np.linspace(0, math.pi, 361))
    y = np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], axis=-1).reshape(-1, 2)
    x = np.array([radius, 0.0])
    outer = np.linalg.norm(np.outer(x, x) - y[:, :, None] * y[:, None], axis=(1, 2))
    distances = outer + (0 if centred else 2 * np.linalg.norm(x - y, axis=1))
    assert distances.max() <= ball_reach(radius, 2, centred=centred) * (1 + 1e-12)
    assert distances.max() == pytest.approx(ball_reach(radius, 2, centred=centred), rel=1e-4)


def test_chain_and_network_conjugacy_is_the_product_of_counts():
    chain, path = ps.markov_chain(2), [0, 0, 1, 1, 1, 0]
    after = ps.posterior(chain, ps.Tables([np.ones((2, 2))]), path)
    assert after.concentrations[0].tolist() == [[2.0, 2.0], [2.0, 3.0]]
    net = ps.network([[], [0]], [2, 2])
    after = ps.posterior(net, ps.Tables([np.ones(2), np.ones((2, 2))]), [[0, 1], [1, 1], [1, 0]])
    assert [table.tolist() for table in after.concentrations] == [[2.0, 3.0], [[1.0, 2.0], [2.0, 2.0]]]


def test_marginals_of_tables_add_up_to_one():
    chain = ps.markov_chain(2)
    for prior in (
        ps.Tables([np.array([[1.0, 2.0], [0.5, 1.5]])]),
        ps.Tables([np.array([[1.0, 2.0], [0.5, 1.5]])], 0.1),
    ):
        total = sum(math.exp(ps.log_marginal(chain, prior, path)) for path in itertools.product((0, 1), repeat=4))
        assert total == pytest.approx(1, rel=1e-10)


def test_wishart_update_agrees_with_the_density_ratio():
    """Bayes' rule at two precision matrices: the constants cancel."""
    family, mean = ps.multivariate_normal([0.5, -0.2]), np.array([0.5, -0.2])
    prior = ps.Wishart(4.0, np.array([[0.5, 0.1], [0.1, 0.3]]))
    data = np.array([[0.1, 0.7], [1.0, -1.0], [0.3, 0.2]])
    after = ps.posterior(family, prior, data)

    def kernel(law, A):
        return (law.degrees - 3) / 2 * np.linalg.slogdet(A)[1] - np.trace(np.linalg.inv(law.scale) @ A) / 2

    A, B = np.array([[1.0, 0.2], [0.2, 2.0]]), np.array([[0.4, 0.0], [0.0, 0.3]])
    likelihood = family.log_likelihood([A, B], data)
    assert np.isclose(
        kernel(after, A) - kernel(after, B), kernel(prior, A) - kernel(prior, B) + likelihood[0] - likelihood[1]
    )
    quadratic = -0.5 * np.einsum("ni,ij,nj->", data - mean, A, data - mean)
    assert np.isclose(likelihood[0], quadratic + 1.5 * math.log(np.linalg.det(A)) - 3 * math.log(2 * math.pi))


# Samplers against exact cdfs

LAWS = [
    ps.Gamma(1.0, 2.0, 0.5, 2.0),
    ps.Gamma(51.0, 400.0, 2.0, 3.0),  # the interval begins 100 standard deviations above the mean
    ps.Gamma(0.3, 1.0, 0.0, math.inf),
    ps.Gamma(0.3, 1.0, 0.0, 0.2),
    ps.Gamma(60.0, 0.5, 1e-3, 0.01),
    ps.Beta(8.0, 4.0, -1.5, 1.5),
    ps.Beta(501.0, 1.0, -2.0, 2.0),
    ps.Beta(0.2, 0.3),
    ps.Beta(3.0, 3.0, 0.1, 0.1000001),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_draws_follow_the_exact_cdf(law):
    draws = law.sample(np.random.default_rng(11), 20_000)
    assert kstest(draws, law.cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_stated_acceptance_is_the_share_of_proposals_kept(law):
    rng, size = np.random.default_rng(12), 20_000
    t, ceiling = law.curve._proposals(rng, size)
    kept = (-rng.exponential(size=size) <= law.curve.fall(t) - ceiling).mean()
    assert law.curve.acceptance >= math.tanh(0.5)
    assert abs(kept - law.curve.acceptance) <= 4.5 * math.sqrt(0.25 / size)  # fails for one seed in 100 000 at most


def test_finite_draws_follow_their_weights():
    law = ps.weighted([0.2, 0.4, 0.9], [1, 5, 2])
    draws = law.sample(np.random.default_rng(13), 40_000)
    for theta, share in zip(law.parameters, (1 / 8, 5 / 8, 2 / 8), strict=True):
        assert abs((draws == theta).mean() - share) <= 4.5 * math.sqrt(share * (1 - share) / 40_000)


@pytest.mark.parametrize(("alpha", "floor"), [((1.5, 4.0, 2.5), 0.08), ((6.0, 5.0, 7.0), 0.28), ((1.0, 1.0, 1.0), 0.3)])
def test_floored_rows_of_three_states_follow_their_exact_law(alpha, floor):
    alpha = np.array(alpha)
    draws = np.array([tables[0][0] for tables in ps.Tables([[alpha]], floor).sample(np.random.default_rng(14), 1500)])
    assert (draws >= floor).all()
    assert np.allclose(draws.sum(axis=1), 1)
    nodes, weights = np.polynomial.legendre.leggauss(80)

    def unnormalised(x, i):  # the marginal density of entry i, the two others integrated out
        a, b, c = np.roll(alpha, -i)
        y = floor + (1 - 2 * floor - x)[..., None] * (nodes + 1) / 2
        inner = (y ** (b - 1) * (1 - x[..., None] - y) ** (c - 1) * weights).sum(axis=-1) * (1 - 2 * floor - x) / 2
        return x ** (a - 1) * inner

    for i in range(3):

        def area(high, i=i):
            x = floor + (np.asarray(high) - floor)[..., None] * (nodes + 1) / 2
            return (unnormalised(x, i) * weights).sum(axis=-1) * (np.asarray(high) - floor) / 2

        assert kstest(draws[:, i], lambda h, area=area: area(h) / area(1 - 2 * floor)).pvalue > FALSE_ALARM


def test_floored_rows_pinned_to_the_floor_are_drawn():
    law = ps.Tables([np.array([[1.0, 1.0, 4000.0]])], 0.1)  # without the floor this box has a mass of 1e-366
    draws = np.array([tables[0][0] for tables in law.sample(np.random.default_rng(15), 20)])
    assert ((draws >= 0.1) & (draws[:, [2]] > 0.79)).all()
    assert law.acceptance > 0.8


def test_wishart_draws_follow_the_exact_law_of_the_largest_eigenvalue():
    """Two dimensions, identity scale: eigenvalues a > b have density ~ (ab)^((n-3)/2) e^(-(a+b)/2) (a-b)."""
    law = ps.Wishart(5.0, np.eye(2), largest=6.0)
    draws = law.sample(np.random.default_rng(16), 4000)
    tops = np.linalg.eigvalsh(draws)[:, -1]
    nodes, weights = np.polynomial.legendre.leggauss(60)

    def mass(high):
        a = np.asarray(high)[..., None, None] * (nodes[:, None] + 1) / 2
        b = a * (nodes + 1) / 2
        density = a * b * np.exp(-(a + b) / 2) * (a - b) * a / 2
        return (density * weights[:, None] * weights).sum(axis=(-1, -2)) * np.asarray(high) / 2

    assert tops.max() <= 6.0
    assert kstest(tops, lambda h: mass(h) / mass(6.0)).pvalue > FALSE_ALARM
    below, above = law.acceptance
    assert below <= float(mass(6.0) / mass(200.0)) <= above


def test_wishart_draws_in_one_dimension_follow_a_trimmed_gamma():
    law = ps.Wishart(3.0, np.array([[0.5]]), largest=2.0)
    draws = law.sample(np.random.default_rng(17), 20_000)[:, 0, 0]
    assert kstest(draws, ps.Gamma(1.5, 1.0, 0.0, 2.0).cdf).pvalue > FALSE_ALARM


@settings(deadline=None)
@given(L=st.floats(0.01, 36), ones=st.integers(0, 60), zeros=st.integers(0, 60), seed=st.integers(0, 2**32 - 1))
def test_restricted_draws_never_leave_the_lipschitz_region(L, ones, zeros, seed):
    family = ps.bernoulli()
    prior = ps.restricted(family, ps.Beta(0.5, 0.5), L)
    release = ps.baps(family, prior, [1] * ones + [0] * zeros, 20, np.random.default_rng(seed))
    assert (family.lipschitz(release.parameters) <= L).all()
    assert release.cost.lipschitz == L


@settings(deadline=None)
@given(L=st.floats(0.3, 20), seed=st.integers(0, 2**32 - 1))
def test_restricted_rates_never_leave_the_lipschitz_region(L, seed):
    family = ps.exponential(2.0)
    prior = ps.restricted(family, ps.trimmed_exponential(1.0, 0.25, 30.0), L)
    release = ps.baps(family, prior, [0.1, 1.9, 0.0], 20, np.random.default_rng(seed))
    assert ((release.parameters <= L) & (release.parameters >= 0.25)).all()


def test_draws_that_rounding_carries_out_of_the_region_are_drawn_again():
    """Near one, doubles are so far apart that log-odds of 33 are rounded by several per cent."""
    family, L = ps.bernoulli(), 33.39
    law = ps.restricted(family, ps.Beta(5, 1, 32.5), L)
    rounded = family.lipschitz(expit(law.curve.sample(np.random.default_rng(19), 20_000)))
    assert (rounded > L).any()
    assert (family.lipschitz(law.sample(np.random.default_rng(19), 20_000)) <= L).all()


@settings(deadline=None)
@given(
    mean=st.floats(-5, 5),
    bound=st.floats(0.1, 10),
    L=st.floats(0.01, 50),
    width=st.sampled_from([2e-15, 1e-13, 0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_no_draw_has_a_constant_above_its_bound_in_the_last_digit(mean, bound, L, width, seed):
    """The region is a few doubles wide, and the constant of its rounded end can be above the bound."""
    family = ps.normal_precision(mean, bound)
    end = L / float(family.lipschitz([1.0])[0])
    prior = ps.restricted(family, ps.trimmed_exponential(1.0, end * (1 - width), 2 * end), L)
    assert ps.lipschitz_bound(family, prior) <= L
    assert (family.lipschitz(prior.sample(np.random.default_rng(seed), 20)) <= L).all()


@settings(deadline=None, max_examples=30)
@given(L=st.floats(1e-3, 35), seed=st.integers(0, 2**32 - 1), states=st.sampled_from([2, 3]))
def test_no_restricted_table_has_a_constant_above_its_bound(L, seed, states):
    family, rng = ps.markov_chain(states), np.random.default_rng(seed)
    prior = ps.restricted(family, ps.Tables([np.full((states, states), 0.5)]), L)
    after = ps.posterior(family, prior, [0] * 200 + [1] * 200)  # the floor is where the likelihood pushes
    assert ps.lipschitz_bound(family, prior) <= L
    for law in (prior, after):
        assert (family.lipschitz(law.sample(rng, 3)) <= L).all()
    corner = np.full((states, states), prior.floor)
    corner[:, 0] = 1 - (states - 1) * prior.floor
    assert family.lipschitz([(corner,)])[0] <= L


@settings(deadline=None, max_examples=30)
@given(L=st.floats(0.05, 5), seed=st.integers(0, 2**32 - 1))
def test_no_restricted_precision_matrix_has_a_constant_above_its_bound(L, seed):
    family = ps.multivariate_normal([1.3, -0.4])
    prior = ps.restricted(family, ps.Wishart(2.0, np.eye(2)), L)
    assert ps.lipschitz_bound(family, prior) <= L
    assert (family.lipschitz(prior.sample(np.random.default_rng(seed), 20)) <= L).all()


def test_samplers_that_would_never_end_say_so():
    rng = np.random.default_rng(0)
    for law in (ps.Beta(5, 1e-6, 40.0, 1000.0), ps.Beta(1, 1, -800.0, 0.0)):
        with pytest.raises(ValueError, match=r"low and high must be in \[-700, 36\] or infinite for draws"):
            law.sample(rng, 1)
    for law in (ps.Beta(1, 1, 30.0, 30.0 + 1e-9), ps.Gamma(1, 1, 1e-300, 1.0000000000000003e-300)):
        with pytest.raises(ValueError, match="low and high must be further apart"):
            law.sample(rng, 1)
    with pytest.raises(ValueError, match="floor must leave rejection a share of its proposals"):
        ps.Tables([np.ones(3)], math.nextafter(1 / 3, 0)).sample(rng, 1)


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
    chain, flat = ps.markov_chain(3), ps.Tables([np.ones((3, 3))])
    kept = 1 - 3 / (math.exp(L) + 2)  # a smaller simplex, its side shrunk by this
    assert ps.lipschitz_mass(chain, flat, L) == pytest.approx(kept**6, rel=1e-9)
    with pytest.raises(ValueError, match="floor must be 0 where a row has over 3 states, or its mass is not computed"):
        ps.lipschitz_mass(ps.markov_chain(4), ps.Tables([np.ones((4, 4))]), L)
    assert ps.lipschitz_mass(family, prior, 0.0) == 0
    assert ps.lipschitz_mass(family, ps.Tables(prior.concentrations, 0.2), 100.0) == 1
    assert ps.restricted(family, ps.Tables(prior.concentrations, 0.2), 100.0).floor == 0.2
    with pytest.raises(ValueError, match=r"L must be > 0.* and be at most 35"):
        ps.lipschitz_mass(family, prior, 40.0)
    with pytest.raises(TypeError, match="acceptance bounds the mass once it is restricted"):
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
    assert family.lipschitz(draws).max() <= 2.0


# What a release costs


def test_costs_are_two_n_l_times_the_reach():
    family = ps.exponential(3.0)
    price = ps.cost(family, ps.trimmed_exponential(1, 0.5, 2.0), 4)
    assert price.metric == ps.MetricDP(16.0, "sum of |x - y|")
    assert price.metric.at(0.5).epsilon == 8
    assert price.between(ps.RECORD).epsilon == 48
    assert price.concentrated().rho == pytest.approx(4 * 36 / 2)
    assert price.total_variation() == math.tanh(12)


def test_the_cost_covers_every_pair_of_neighbours():
    family = ps.bernoulli()
    prior = ps.restricted(family, ps.Beta(1, 1), 1.3)
    price = ps.cost(family, prior, 1)
    for n in (1, 5, 50):
        laws = [ps.posterior(family, prior, [1] * k + [0] * (n - k)) for k in range(n + 1)]
        for p, q in itertools.chain(itertools.pairwise(laws), itertools.pairwise(laws[::-1])):
            assert ps.privacy_loss(p, q) <= price.between().epsilon
            assert ps.total_variation(p, q) <= price.total_variation()
            assert ps.kullback_leibler(p, q) <= price.concentrated().rho


def test_one_cell_of_a_network_costs_less_than_a_record():
    price = ps.cost(ps.network([[], []], [2, 2]), ps.Tables([np.ones(2), np.ones(2)], 0.1), 1)
    assert price.between(ps.CELL).epsilon == pytest.approx(2 * math.log(9))
    assert price.between(ps.RECORD).epsilon == pytest.approx(4 * math.log(9))


def test_costs_that_the_theory_does_not_give_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="prior must have a bounded Lipschitz constant"):
        ps.cost(ps.bernoulli(), ps.Beta(2, 2), 1)
    with pytest.raises(ValueError, match="prior must have a bounded Lipschitz constant"):
        ps.baps(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), [0, 1], 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="must have a bound on its data"):
        ps.cost(ps.exponential(), ps.trimmed_exponential(1, 1, 2), 1).between()
    assert ps.cost(ps.exponential(), ps.trimmed_exponential(1, 1, 2), 1).metric.epsilon == 4


def test_psaqr_returns_the_first_of_the_best_responses():
    release = [0.2, 0.4, 0.4]
    assert ps.psaqr(release, lambda theta, q, r: 1 - abs(theta - r), None, [0.1, 0.4, 0.9]) == (
        0.4,
        pytest.approx(14 / 15),
    )
    assert ps.psaqr(release, lambda theta, q, r: 0.5, None, ["first", "second"]).response == "first"
    answers = [
        ps.psaqr(release, lambda theta, q, r: float((theta > q) == r), q, [False, True]) for q in (0.1, 0.3, 0.5)
    ]
    assert [answer.response for answer in answers] == [True, True, False]


def test_the_regret_bound_agrees_with_its_claim_and_covers_the_exact_failure():
    from dpbi.claims import floats
    from dpbi.claims.posterior_sampling import coin_failure

    for size, responses, delta in ((50, 3, 0.1), (20, 2, 0.3)):
        bound = ps.regret_bound(size, responses, delta)
        assert (responses - 1) * math.exp(-size * bound**2 / 2) == pytest.approx(delta)
        assert 0 < coin_failure(floats, size, responses - 1, bound) <= delta


# Bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ps.Gamma(1.0, 0.0), "rate must be > 0 when the interval has no upper end: the law is improper"),
        (lambda: ps.Gamma(1.0, 1.0, 2.0, 2.0), "zero mass"),
        (lambda: ps.Beta(1, 1, 1.0, -1.0), "zero mass"),
        (lambda: ps.Gamma(0.0, 1.0), "shape must be"),
        (lambda: ps.Finite([], []), "parameters must have at least one entry, got an empty list"),
        (lambda: ps.Finite([0.5], [-math.inf]), "zero mass"),
        (lambda: ps.weighted([0.5, 0.6], [1, -1]), "weights must be numbers >= 0"),
        (lambda: ps.Tables([np.ones(3)], 0.4), "floor must be >= 0 and < 1/3"),
        (lambda: ps.Wishart(0.5, np.eye(2)), "degrees must be"),
        (lambda: ps.Wishart(3.0, np.diag([1.0, -1.0])), "positive definite, got a smallest eigenvalue of -1"),
        (lambda: ps.Wishart(3.0, np.eye(2), -1.0), "largest must be > 0"),
        (lambda: ps.bernoulli_grid(1.0), "step must be"),
        (lambda: ps.restricted(ps.bernoulli(), ps.uniform([0.1, 0.9]), 1.0), "L must leave a positive mass"),
        (
            lambda: ps.restricted(ps.exponential(1.0), ps.trimmed_exponential(1, 1, 2), 1.0),
            "L must leave a positive mass",
        ),
        (lambda: ps.restricted(ps.bernoulli(), ps.Beta(1, 1), math.nan), "L must be a finite number >= 0"),
        (lambda: ps.restricted(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), 0.0), "L must be > 0"),
        (
            lambda: ps.restricted(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), 1000.0),
            "L must be > 0.* and be at most 35",
        ),
        (
            lambda: ps.restricted(ps.multivariate_normal([0, 0]), ps.Wishart(3, np.eye(2)), 0.0),
            "L must be > 0, or the law has zero mass, got L=0.0",
        ),
        (
            lambda: ps.restricted(ps.bernoulli(), ps.Gamma(1, 1), 1.0),
            "prior must be a Finite or a Beta law for bernoulli",
        ),
        (lambda: ps.posterior(ps.bernoulli(), ps.uniform([0.0, 0.5]), [1]), "parameters must be > 0 and < 1.*got 0.0"),
        (lambda: ps.posterior(ps.bernoulli(), ps.uniform([0.5, 1.0]), [1]), "parameters must be > 0 and < 1.*got 1.0"),
        (lambda: ps.posterior(ps.bernoulli(), ps.Beta(1, 1), [0, 2]), "data must be states from 0 to below 2, got 2"),
        (lambda: ps.posterior(ps.exponential(1.0), ps.Gamma(1, 1), [0.5, 1.5]), r"data must be in \[0, 1\], got 1.5"),
        (lambda: ps.posterior(ps.laplace(0, 1.0), ps.Gamma(1, 1), [math.nan]), "data must be in"),
        (lambda: ps.posterior(ps.normal_precision(0, 1.0), ps.Gamma(1, 1), [-2.0]), "data must be in"),
        (
            lambda: ps.posterior(ps.multivariate_normal([0, 0], 1.0), ps.Wishart(3, np.eye(2)), [[1, 1]]),
            "norms <= radius",
        ),
        (lambda: ps.posterior(ps.network([[]], [2]), ps.Tables([np.ones(2)]), [[2]]), "data must be states"),
        (lambda: ps.network([[1], [0]], [2, 2]), "without a cycle"),
        (lambda: ps.network([[0]], [2]), "without a cycle"),
        (lambda: ps.markov_chain(1), "states must be"),
        (lambda: ps.bernoulli().distance([0, 1], [0]), "the same number of records"),
        (lambda: ps.cost(ps.bernoulli(), ps.uniform([0.5]), 0), "size must be an integer >= 1"),
        (lambda: ps.cost(ps.bernoulli(), ps.uniform([0.4]), 1).between("add one record"), "neighbours must be one of"),
        (lambda: ps.psaqr([0.5], lambda t, q, r: 1.5, None, [1]), r"utility must be in \[0, 1\], got 1.5"),
        (lambda: ps.psaqr([0.5], lambda t, q, r: math.nan, None, [1]), r"utility must be in \[0, 1\]"),
        (lambda: ps.psaqr([], lambda t, q, r: 0.5, None, [1]), "at least one entry"),
        (lambda: ps.psaqr([0.5], lambda t, q, r: 0.5, None, []), "at least one entry"),
        (lambda: ps.regret_bound(10, 2, 1.0), "delta must be"),
        (lambda: ps.exponential(-1.0), "bound must be > 0"),
        (lambda: ps.multivariate_normal([]), "mean must be a vector"),
        (lambda: ps.kullback_leibler(ps.Gamma(1, 1, 1, 2), ps.Gamma(1, 1, 1, 3)), "on one interval"),
        (lambda: ps.total_variation(ps.uniform([0.1, 0.2]), ps.uniform([0.1, 0.3])), "the same parameters"),
        (lambda: ps.trimmed_exponential(1, 1, 2).sample(np.random.default_rng(0), -1), "size must be"),
    ],
)
def test_bad_input_gets_one_clear_error(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_hopeless_rejection_is_refused_beforehand():
    law = ps.Wishart(400.0, np.eye(2), largest=20.0)
    assert law.acceptance[1] < FEWEST_ACCEPTED
    with pytest.raises(ValueError, match="largest must leave a share"):
        law.sample(np.random.default_rng(0), 1)


def test_a_generator_is_required():
    for law in (ps.Gamma(1, 1), ps.Beta(1, 1), ps.uniform([0.5]), ps.Tables([np.ones(2)]), ps.Wishart(3, np.eye(2))):
        with pytest.raises(TypeError, match="rng must be"):
            law.sample(7, 1)


def test_no_records_leave_the_prior():
    assert ps.posterior(ps.bernoulli(), ps.Beta(2, 3), []) == ps.Beta(2, 3)
    assert ps.log_marginal(ps.exponential(1.0), ps.trimmed_exponential(1, 1, 2), []) == pytest.approx(0, abs=1e-14)
    assert ps.likelihood_ratio(ps.bernoulli(), ps.Beta(2, 3), []) == pytest.approx(1)
