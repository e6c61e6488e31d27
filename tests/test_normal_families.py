"""Normal families with an unknown mean, and the multinomial: laws, constants, costs against quadrature and search."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.normal_families import of_pairs


def rng(seed=1):
    return np.random.default_rng(seed)


# The law of a mean


@pytest.mark.parametrize(
    ("mean", "precision", "low", "high"),
    [
        (0.3, 2.0, -1.0, 0.5),
        (5.0, 3.0, -1.0, 1.0),
        (0.0, 1.0, -math.inf, 1.0),
        (-2.0, 0.5, 0.0, math.inf),
        (0, 1, 30, 31),
    ],
)
def test_a_cut_normal_law_is_the_one_of_scipy(mean, precision, low, high):
    law, sd = ps.Normal(mean, precision, low, high), 1 / math.sqrt(precision)
    true = stats.truncnorm((low - mean) / sd, (high - mean) / sd, mean, sd)
    at = true.ppf([0.05, 0.5, 0.9])
    assert law.cdf(at) == pytest.approx(true.cdf(at), rel=1e-8)
    drawn = law.sample(rng(), 3000)
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-3
    assert drawn.min() >= low
    assert drawn.max() <= high


def test_a_normal_law_over_balls_has_the_mass_of_mpmath():
    """The mass of exp(2 (0.3 t - t^2/2)) on [-1, 1/2]."""
    with mpmath.workdps(30):

        def density(t):
            return mpmath.exp(2 * (mpmath.mpf("0.3") * t - t**2 / 2))

        mass, below = (mpmath.quad(density, ends) for ends in ([-1, 0, mpmath.mpf("0.5")], [-1, 0]))
    with arithmetic.balls():
        law = ps.Normal(arithmetic.number("0.3"), 2, -1, arithmetic.number("1/2"))
        assert float(law.log_mass) == pytest.approx(float(mpmath.log(mass)), rel=1e-14)
        assert float(law.cdf(arithmetic.number(0))) == pytest.approx(float(below / mass), rel=1e-12)
        half = ps.Normal(0, 1, 0, math.inf)
        assert float(half.log_mass) == pytest.approx(math.log(math.sqrt(math.pi / 2)), rel=1e-14)
    assert ps.Normal(0.3, 2, -1, 0.5).log_mass == pytest.approx(float(mpmath.log(mass)), rel=1e-13)


@pytest.mark.parametrize(
    "law",
    [
        ps.NormalGamma(2.0, 1.0, 0.8, 3.0, (-0.5, 0.3), (1.0, 4.0)),
        ps.NormalGamma(0.6, 1.0, 3.0, 3.0, (-0.5, 0.3), (1.0, 4.0)),
        ps.NormalGamma(0.3, 2.0, -2.0, 0.5, (0.0, 0.5), (1.0, 2.0)),
    ],
)
def test_a_mean_and_its_precision_follow_their_density(law):
    (m1, t1), (m2, t2) = law.ends

    def density(t, m):
        gap = law.rate + law.weight * (m - law.mean) ** 2 / 2
        return t ** (law.shape - 0.5) * math.exp(-t * gap)

    whole = integrate.dblquad(density, m1, m2, t1, t2, epsabs=1e-14, epsrel=1e-11)[0]
    assert law.log_mass == pytest.approx(math.log(whole), rel=1e-9)
    assert math.exp(law.log_kernel((m2, t2))) == pytest.approx(density(t2, m2), rel=1e-12)
    drawn = law.sample(rng(), 4000)
    assert (drawn >= law.low).all()
    assert (drawn <= law.high).all()
    for m, t in [(m1 + 0.4 * (m2 - m1), t2), (m2, t1 + 0.3 * (t2 - t1)), ((m1 + m2) / 2, (t1 + t2) / 2)]:
        share = integrate.dblquad(density, m1, m, t1, t, epsabs=1e-14)[0] / whole
        found = ((drawn[:, 0] <= m) & (drawn[:, 1] <= t)).mean()
        assert abs(found - share) < 5 * math.sqrt(share * (1 - share) / 4000)


def test_no_precision_is_rounded_over_an_end():
    """The logarithm of a precision is drawn, and its exponential may round to a double outside."""
    low, high = 3.0, 3.0 * (1 + 4e-15)
    drawn = ps.NormalGamma(2.0, 1.0, 0.0, 1.0, (-1.0, low), (1.0, high)).sample(rng(), 2000)
    assert (drawn[:, 1] >= low).all()
    assert (drawn[:, 1] <= high).all()


def test_the_kernel_of_a_wishart_law_is_its_density_but_for_a_constant():
    law = ps.Wishart(4.5, np.array([[2.0, 0.3], [0.3, 0.7]]))
    points = [np.array([[1.0, 0.2], [0.2, 3.0]]), np.array([[5.0, -1.0], [-1.0, 0.4]]), np.eye(2) / 7]
    gaps = [law.log_kernel(A) - stats.wishart.logpdf(A, 4.5, law.scale) for A in points]
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-11)


def test_an_uncut_mean_and_precision_are_gamma_and_normal():
    law = ps.NormalGamma(2.0, 1.5, 0.2, 3.0)
    drawn = law.sample(rng(), 4000)
    assert stats.kstest(drawn[:, 1], stats.gamma(2, scale=1 / 1.5).cdf).pvalue > 1e-3
    standard = (drawn[:, 0] - 0.2) * np.sqrt(3 * drawn[:, 1])
    assert stats.kstest(standard, "norm").pvalue > 1e-3
    assert law.log_mass == pytest.approx(math.lgamma(2) - 2 * math.log(1.5) + math.log(2 * math.pi / 3) / 2, rel=1e-10)
    assert law.point == (0.2, pytest.approx(2 / 1.5))


# Bayes' rule


def test_the_posterior_of_a_mean_is_the_textbook_one():
    after = ps.posterior(ps.normal_mean(2.0, 3.0), ps.Normal(1.0, 0.5, -2.0, 2.0), [0.5, 1.0, 2.5])
    assert (after.precision, after.low, after.high) == (6.5, -2.0, 2.0)
    assert after.mean == pytest.approx((0.5 * 1 + 2 * 4) / 6.5, rel=1e-15)
    family, prior, data = ps.normal_mean(2.0, 3.0), ps.Normal(1.0, 0.5, -2.0, 2.0), [0.5, 1.0, 2.5]
    marginal = integrate.quad(
        lambda t: math.exp(prior.log_kernel(t) - prior.log_mass) * math.prod(stats.norm(t, math.sqrt(0.5)).pdf(data)),
        -2,
        2,
    )[0]
    assert ps.log_marginal(family, prior, data) == pytest.approx(math.log(marginal), rel=1e-10)


def test_the_posterior_of_mean_and_precision_is_the_textbook_one():
    prior, data = ps.NormalGamma(2.0, 1.0, 0.5, 3.0), [0.5, 1.0, 2.4]
    after = ps.posterior(ps.normal(3.0), prior, data)
    average, scatter = 1.3, 0.8**2 + 0.3**2 + 1.1**2
    assert (after.shape, after.weight) == (3.5, 6.0)
    assert after.mean == pytest.approx((1.5 + 3.9) / 6, rel=1e-15)
    assert after.rate == pytest.approx(1 + scatter / 2 + 3 * 3 / 6 * (average - 0.5) ** 2 / 2, rel=1e-14)
    assert ps.posterior(ps.normal(3.0), prior, []) == prior
    at_once = ps.posterior(ps.normal(3.0), ps.posterior(ps.normal(3.0), prior, data[:1]), data[1:])
    assert (at_once.mean, at_once.rate) == (pytest.approx(after.mean), pytest.approx(after.rate))


def test_the_likelihoods_are_those_of_scipy():
    data = [0.5, -1.0, 0.2]
    for mu, tau in [(0.3, 2.0), (-1.0, 0.5)]:
        true = stats.norm(mu, 1 / math.sqrt(tau)).logpdf(data).sum()
        assert ps.normal_mean(tau, 1.0).log_likelihood([mu], data)[0] == pytest.approx(true, rel=1e-13)
        assert ps.normal(1.0).log_likelihood([(mu, tau)], data)[0] == pytest.approx(true, rel=1e-13)


# Constants, the region, and the cost


LINE = np.linspace(-1.5, 1.5, 31)


@pytest.mark.parametrize("mu", [-2.0, 0.0, 0.4, 1.7])
def test_the_constants_are_the_worst_slopes_on_the_bounded_line(mu):
    for family, theta, constant in (
        (ps.normal_mean(2.0, 1.5), mu, 2 * (1.5 + abs(mu))),
        (ps.normal(1.5), (mu, 2.0), max(abs(mu), (1.5 + abs(mu)) / 2.5)),
    ):
        assert family.lipschitz([theta])[0] == pytest.approx(constant, rel=1e-15)
        pairs = [*itertools.combinations(LINE, 2), (-1.5, -1.5 + 1e-6), (1.5, 1.5 - 1e-6), (1e-6, -1e-6)]
        slopes = [
            abs(np.subtract(*(family.log_likelihood([theta], [v])[0] for v in pair)))
            / family.distance(*([v] for v in pair))
            for pair in pairs
        ]
        assert max(slopes) <= constant * (1 + 1e-6)
        assert max(slopes) == pytest.approx(constant, rel=1e-5)


def test_a_mean_is_restricted_to_where_its_constant_is_at_most_the_level():
    family, prior = ps.normal_mean(2.0, 1.0), ps.Normal(0.3, 1.0)
    inside = ps.restricted(family, prior, 5.0)
    assert (inside.low, inside.high) == (-1.5, 1.5)
    for L in (2.3, 3.7, 17 / 3):
        cut = ps.restricted(family, prior, L)
        assert ps.lipschitz_bound(family, cut) <= L
        assert family.lipschitz([cut.high])[0] == pytest.approx(L, rel=1e-14)
    assert ps.lipschitz_mass(family, prior, 5.0) == pytest.approx(stats.norm.cdf(1.2) - stats.norm.cdf(-1.8), rel=1e-12)
    with pytest.raises(ValueError, match=r"L must leave a positive mass of the prior on .* got L=1\.5"):
        ps.restricted(family, prior, 1.5)


def test_a_precision_is_restricted_for_all_means_of_the_prior():
    family, prior = ps.normal(1.0), ps.NormalGamma(2, 1, 0, 1, (-2.0, 0.0), (1.0, math.inf))
    cut = ps.restricted(family, prior, 3.0)
    assert (cut.low, cut.high) == ((-2.0, 0.0), (1.0, 3.0))
    assert ps.lipschitz_bound(family, cut) == 3.0
    with pytest.raises(ValueError, match=r"prior must have bounded means to be restricted, got means from -inf to inf"):
        ps.restricted(family, ps.NormalGamma(2, 1, 0, 1), 3.0)
    with pytest.raises(ValueError, match=r"L must leave a positive mass of the precisions from 2, got L=1"):
        ps.restricted(family, ps.NormalGamma(2, 1, 0, 1, (-2, 2), (1, 3)), 1)


def range_between(parameters, B):
    """The greatest oscillation of the log density over a list, by an optimiser over two records."""

    def negative(v):
        x, y = np.clip(v, -B, B)
        change = [tau / 2 * ((y - mu) ** 2 - (x - mu) ** 2) for mu, tau in parameters]
        return min(change) - max(change)

    starts = itertools.product(np.linspace(-B, B, 5), repeat=2)
    return max(
        -optimize.minimize(negative, s, method="Nelder-Mead", options={"fatol": 1e-13, "xatol": 1e-10}).fun
        for s in starts
    )


@settings(max_examples=25, deadline=None)
@given(pairs=st.lists(st.tuples(st.floats(-2, 2), st.floats(0.1, 3)), min_size=2, max_size=3), B=st.floats(0.2, 2))
def test_the_widest_pair_is_what_an_optimiser_finds(pairs, B):
    assert float(of_pairs(pairs, B)) == pytest.approx(range_between(pairs, B), rel=1e-8, abs=1e-9)
    assert ps.cost(ps.normal(B), ps.uniform(pairs), 1).loss() == pytest.approx(float(of_pairs(pairs, B)), rel=1e-12)


@pytest.mark.parametrize(("low", "high"), [((-1, 0.5), (2, 0.6)), ((0.5, 0.5), (0.6, 3)), ((-3, 1), (-2, 2))])
def test_a_rectangle_costs_what_its_inside_does_not_exceed(low, high):
    B = 1.2
    prior = ps.NormalGamma(2, 1, 0, 1, low, high)
    price = ps.cost(ps.normal(B), prior, 1)
    corners = list(itertools.product(*zip(low, high, strict=True)))
    assert price.loss() == pytest.approx(range_between(corners, B), rel=1e-8)
    inside = [tuple(theta) for theta in prior.sample(rng(), 25)]
    assert range_between([*corners, *inside], B) <= price.loss() * (1 + 1e-12)
    assert price.loss() <= price.printed() * (1 + 1e-12)


def test_a_mean_loses_nearly_what_it_is_charged():
    family, prior = ps.normal_mean(1.0, 1.0), ps.Normal(0, 1, -0.5, 0.5)
    price = ps.cost(family, prior, 1)
    assert price.loss() == 2.0
    p, q = (ps.posterior(family, prior, [1.0] * 400 + [last]) for last in (-1.0, 1.0))
    assert 0.98 * 2 <= ps.privacy_loss(p, q) <= 2
    with mpmath.workdps(30):  # the loss is at the lower end, where the other records do not leave the parameter

        def mass(shift):
            return mpmath.quad(
                lambda t: mpmath.exp(-401 * t**2 / 2 - t**2 / 2 + (400 + shift) * (t - 0.5)),
                [-0.5, 0.3, 0.45, 0.49, 0.5],
            )

        exact = -2 * mpmath.mpf(-0.5) + 2 * mpmath.mpf(0.5) + mpmath.log(mass(1) / mass(-1))
    assert ps.privacy_loss(p, q) == pytest.approx(float(exact), rel=1e-8)
    with arithmetic.balls():
        over = [
            ps.posterior(
                ps.normal_mean(1, 1),
                ps.Normal(0, 1, arithmetic.number("-1/2"), arithmetic.number("1/2")),
                [1] * 400 + [last],
            )
            for last in (-1, 1)
        ]
        assert float(ps.privacy_loss(*over)) == pytest.approx(float(exact), rel=1e-8)


# The multinomial


def test_a_multinomial_is_a_network_of_one_node():
    family, node = ps.multinomial(3), ps.network([[]], [3])
    tables = [([0.2, 0.3, 0.5],), ([0.6, 0.3, 0.1],)]
    data = [0, 2, 2, 1]
    assert family.log_likelihood(tables, data) == pytest.approx(node.log_likelihood(tables, [[s] for s in data]))
    assert family.likelihood(tables, data) == pytest.approx([0.2 * 0.5**2 * 0.3, 0.6 * 0.1**2 * 0.3], rel=1e-14)
    assert family.lipschitz(tables) == pytest.approx([math.log(2.5), math.log(6)], rel=1e-14)
    after = ps.posterior(family, ps.Tables([[1.0, 2.0, 0.5]], 0.1), data)
    assert (after.concentrations[0].tolist(), after.floor) == ([2.0, 3.0, 2.5], 0.1)
    assert family.distance(data, [0, 0, 0, 1]) == 2
    with pytest.raises(ValueError, match=r"data must be states from 0 to below 3, got 3 at position \(1,\)"):
        ps.posterior(family, ps.Tables([[1, 1, 1]]), [0, 3])
    with pytest.raises(ValueError, match=r"data must be one list of states, got shape \(1, 2\)"):
        family.distance([[0, 1]], [[0, 1]])


def test_a_multinomial_of_two_states_is_a_coin():
    floor = Fraction(1, 5)
    price = ps.cost(ps.multinomial(2), ps.Tables([[1, 1]], 0.2), 1)
    coin = ps.cost(ps.bernoulli(), ps.Beta(1, 1, -math.log(4), math.log(4)), 1)
    assert price.loss() == pytest.approx(coin.loss(), rel=1e-14)
    assert price.loss() == pytest.approx(2 * math.log((1 - floor) / floor), rel=1e-14)


@pytest.mark.parametrize("states", [2, 3, 4])
def test_listed_multinomials_cost_what_all_pairs_find(states):
    drawn = rng(states).integers(1, 9, (5, states))
    rows = [[Fraction(int(k), int(row.sum())) for k in row] for row in drawn]
    ratio = max(p[a] * q[b] / (p[b] * q[a]) for p in rows for q in rows for a in range(states) for b in range(states))
    prior = ps.uniform([([float(p) for p in row],) for row in rows])
    assert ps.cost(ps.multinomial(states), prior, 1).loss() == pytest.approx(math.log(ratio), rel=1e-12)
    with arithmetic.balls():
        exact = ps.uniform([(arithmetic.numbers([str(p) for p in row]),) for row in rows])
        assert float(ps.cost(ps.multinomial(states), exact, 1).loss()) == pytest.approx(math.log(ratio), rel=1e-14)


# Bad input


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: ps.normal_mean(0), r"precision must be a finite number > 0, got precision=0"),
        (lambda: ps.normal_mean(1, 0), r"bound must be > 0, infinite for none, got bound=0"),
        (lambda: ps.normal(-1), r"bound must be > 0, infinite for none, got bound=-1"),
        (lambda: ps.Normal(0, 0), r"precision must be a finite number > 0, got precision=0"),
        (lambda: ps.Normal(math.nan, 1), r"mean must be a finite number, got mean=nan"),
        (lambda: ps.Normal(0, 1, 2, 1), r"low and high must satisfy -inf <= low < high <= inf, .* got low=2, high=1"),
        (lambda: ps.NormalGamma(0, 1, 0, 1), r"shape must be a finite number > 0, got shape=0"),
        (lambda: ps.NormalGamma(1, 0, 0, 1), r"rate must be a finite number > 0, got rate=0"),
        (lambda: ps.NormalGamma(1, 1, 0, -1), r"weight must be a finite number > 0, got weight=-1"),
        (lambda: ps.NormalGamma(1, 1, 0, 1, (0, -1), (1, 1)), r"low\[1\] and high\[1\] must satisfy 0 <= .*=-1"),
        (lambda: ps.multinomial(1), r"states must be an integer >= 2, got states=1"),
        (lambda: ps.normal(1.0).lipschitz([(0, -1)]), r"parameters must be pairs of a finite mean and"),
        (lambda: ps.normal_mean(1.0, 1.0).lipschitz([math.inf]), r"parameters must be finite numbers"),
        (lambda: ps.normal(1.0).log_likelihood([(0, 1)], [2]), r"data must be in \[-1, 1\], got 2 at position 0"),
    ],
)  # fmt: skip
def test_one_clear_error_for_each(made, said):
    with pytest.raises(ValueError, match=said):
        made()


def test_data_without_a_bound_have_no_cost():
    with pytest.raises(ValueError, match=r"prior must have a bounded Lipschitz constant"):
        ps.cost(ps.normal_mean(1.0), ps.Normal(0, 1, -1, 1), 1)
    with pytest.raises(ValueError, match=r"normal must have a bound on its data for a cost between neighbours"):
        ps.cost(ps.normal(), ps.NormalGamma(1, 1, 0, 1, (-1, 1), (1, 2)), 1).loss()
    with pytest.raises(ValueError, match=r"bounded Lipschitz constant"):
        ps.cost(ps.normal(1.0), ps.NormalGamma(1, 1, 0, 1), 1)
