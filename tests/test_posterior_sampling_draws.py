"""Draws against exact distribution functions by quadrature, and the cost and the results of a release of draws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import kstest

from dpbi import posterior_sampling as ps

FALSE_ALARM = 1e-4
"""A correct sampler fails a Kolmogorov-Smirnov test here with this probability, over the choice of the seed."""

LAWS = [
    ps.Gamma(1.0, 2.0, 0.5, 2.0),
    ps.Gamma(51.0, 400.0, 2.0, 3.0),  # the interval begins 100 standard deviations above the mean
    ps.Gamma(0.3, 1.0, 0.0, math.inf),
    ps.Gamma(60.0, 0.5, 1e-3, 0.01),
    ps.Beta(8.0, 4.0, -1.5, 1.5),
    ps.Beta(0.2, 0.3),
    ps.Beta(3.0, 3.0, 0.1, 0.1000001),
]


def cdf(law):
    """The distribution function of a law by the trapezoid rule for its density, of the logarithm or the log-odds."""
    rate = isinstance(law, ps.Gamma)
    statistic = np.log if rate else logit

    def log_density(s):
        return law.shape * s - law.rate * np.exp(s) if rate else law.a * s - (law.a + law.b) * np.logaddexp(0, s)

    with np.errstate(divide="ignore"):
        s = np.linspace(*np.clip(statistic(np.array(law.ends, float)), -300, 300), 2_000_001)
    s = s[log_density(s) > log_density(s).max() - 50]
    s = np.linspace(s[0], s[-1], 200_001)
    density = np.exp(log_density(s) - log_density(s).max())
    below = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    return lambda theta: np.interp(statistic(theta), s, below / below[-1])


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_draws_follow_the_exact_cdf(law):
    draws = law.sample(np.random.default_rng(11), 20_000)
    assert kstest(draws, cdf(law)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_proposal_is_kept_with_the_proved_probability_at_least(law):
    rng, size = np.random.default_rng(12), 20_000
    t, ceiling = law.curve._proposals(rng, size)
    kept = (-rng.exponential(size=size) <= law.curve.log_density(t) - ceiling).mean()
    assert kept >= math.tanh(0.5) - 4.5 * math.sqrt(0.25 / size)  # fails for one seed in 100 000 at most


def test_finite_draws_follow_their_weights():
    law = ps.weighted([0.2, 0.4, 0.9], [1, 5, 2])
    draws = law.sample(np.random.default_rng(13), 40_000)
    for theta, share in zip(law.parameters, (1 / 8, 5 / 8, 2 / 8), strict=True):
        assert abs((draws == theta).mean() - share) <= 4.5 * math.sqrt(share * (1 - share) / 40_000)


@pytest.mark.parametrize(("alpha", "floor"), [((1.5, 4.0, 2.5), 0.08), ((6.0, 5.0, 7.0), 0.28)])
def test_floored_rows_of_three_states_follow_their_exact_law(alpha, floor):
    alpha = np.array(alpha)
    draws = np.array([tables[0][0] for tables in ps.Tables([[alpha]], floor).sample(np.random.default_rng(14), 400)])
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


def test_wishart_draws_follow_the_law_of_the_largest_eigenvalue():
    """Two dimensions, identity scale: eigenvalues a > b have density ~ (ab)^((n-3)/2) e^(-(a+b)/2) (a-b)."""
    law = ps.Wishart(5.0, np.eye(2), largest=6.0)
    draws = law.sample(np.random.default_rng(16), 2000)
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


ODDS_ROUNDED = 2.0**-52
"""Log-odds of a double near one are rounded by up to this, times the odds."""


@settings(deadline=None, max_examples=30)
@given(L=st.floats(0.01, 36), ones=st.integers(0, 60), zeros=st.integers(0, 60), seed=st.integers(0, 2**32 - 1))
def test_restricted_draws_leave_the_region_by_rounding_alone(L, ones, zeros, seed):
    family = ps.bernoulli()
    prior = ps.restricted(family, ps.Beta(0.5, 0.5), L)
    release = ps.baps(family, prior, [1] * ones + [0] * zeros, 1030, np.random.default_rng(seed))
    assert len(release.parameters) == 1030
    assert (family.lipschitz(release.parameters) <= L * (1 + 1e-12) + ODDS_ROUNDED * math.exp(L)).all()
    assert release.cost.lipschitz == L


@settings(deadline=None, max_examples=15)
@given(L=st.floats(1e-3, 34), seed=st.integers(0, 2**32 - 1), states=st.sampled_from([2, 3]))
def test_restricted_tables_keep_to_their_bound(L, seed, states):
    family, rng = ps.markov_chain(states), np.random.default_rng(seed)
    prior = ps.restricted(family, ps.Tables([np.full((states, states), 0.5)]), L)
    after = ps.posterior_law(family, prior, [0] * 200 + [1] * 200)  # the floor is where the likelihood pushes
    most = L * (1 + 1e-12) + ODDS_ROUNDED * math.exp(L)
    assert ps.lipschitz_bound(family, prior) <= most
    for law in (prior, after):
        assert (family.lipschitz(law.sample(rng, 3)) <= most).all()


@settings(deadline=None, max_examples=30)
@given(L=st.floats(0.05, 5), seed=st.integers(0, 2**32 - 1))
def test_restricted_precision_matrices_keep_to_their_bound(L, seed):
    family = ps.multivariate_normal([1.3, -0.4])
    prior = ps.restricted(family, ps.Wishart(2.0, np.eye(2)), L)
    assert ps.lipschitz_bound(family, prior) == pytest.approx(L, rel=1e-14)
    assert (family.lipschitz(prior.sample(np.random.default_rng(seed), 20)) <= L * (1 + 1e-14)).all()


def test_costs_without_a_theorem_are_refused():
    with pytest.raises(ValueError, match="prior must have a bounded Lipschitz constant"):
        ps.sampling_cost(ps.bernoulli(), ps.Beta(2, 2), 1)
    with pytest.raises(ValueError, match="prior must have a bounded Lipschitz constant"):
        ps.baps(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), [0, 1], 1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="must have a bound on its data"):
        ps.sampling_cost(ps.exponential(), ps.trimmed_exponential(1, 1, 2), 1).between()
    assert ps.sampling_cost(ps.exponential(), ps.trimmed_exponential(1, 1, 2), 1).lipschitz == 2


def test_psaqr_returns_the_first_of_the_best_responses():
    release = [0.2, 0.4, 0.4]
    best = ps.psaqr(release, lambda theta, q, r: 1 - abs(theta - r), None, [0.1, 0.4, 0.9])
    assert best == (0.4, pytest.approx(14 / 15))
    assert ps.psaqr(release, lambda theta, q, r: 0.5, None, ["first", "second"]).response == "first"
    answers = [ps.psaqr(release, lambda t, q, r: float((t > q) == r), q, [False, True]) for q in (0.1, 0.3, 0.5)]
    assert [answer.response for answer in answers] == [True, True, False]


def coin_failure(size, coins, radius):
    """The probability, in exact fractions, that one of so many fair coins beats a constant better by a radius."""
    least = math.floor(size * (0.5 + radius)) + 1
    beats = Fraction(sum(math.comb(size, k) for k in range(least, size + 1)), 2**size)
    return 1 - (1 - beats) ** coins


def test_the_regret_bound_is_hoeffdings_and_covers_the_failure():
    for size, responses, delta in ((50, 3, 0.1), (20, 2, 0.3)):
        bound = ps.regret_bound(size, responses, delta)
        assert (responses - 1) * math.exp(-size * bound**2 / 2) == pytest.approx(delta)
        assert 0 < coin_failure(size, responses - 1, bound) <= delta


def test_rows_without_a_floor_have_the_moments_of_dirichlet():
    law = ps.Tables([[[1.5, 4.0, 2.5]]])
    draws = np.array([tables[0][0] for tables in law.sample(np.random.default_rng(19), 4000)])
    shares = np.array([1.5, 4.0, 2.5]) / 8
    assert np.all(abs(draws.mean(axis=0) - shares) < 4.5 * np.sqrt(shares * (1 - shares) / 9 / 4000))


def test_no_records_leave_the_prior():
    assert ps.posterior_law(ps.bernoulli(), ps.Beta(2, 3), []) == ps.Beta(2, 3)
    assert ps.log_evidence(ps.exponential(1.0), ps.trimmed_exponential(1, 1, 2), []) == pytest.approx(0, abs=1e-14)
    assert ps.likelihood_ratio(ps.bernoulli(), ps.Beta(2, 3), []) == pytest.approx(1)
