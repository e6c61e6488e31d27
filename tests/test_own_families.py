"""Families and laws of one's own: what they cost, how they draw, and what they refuse."""

import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.arithmetic import exp, log, log1p
from dpbi.posterior_sampling import Between, LogConcave, own_family


def rng(seed=1):
    return np.random.default_rng(seed)


def logistic(slope, record):
    score, answer = record
    return -log1p(exp(-answer * slope * score))


SCORES = [(Between(-1, 1), -1), (Between(-1, 1), 1)]
SLOPES = LogConcave(lambda s: -(s**2) / 2, -2, 2)

# The cost, against closed forms


@pytest.mark.parametrize(
    ("g", "records", "prior", "w"),
    [
        (lambda t, x: log(t) - t * x, [Between(0, 1)], ps.Gamma(1, 0, 0.5, 2), 1.5),
        (lambda t, x: log(t) - t * abs(x - 0.3), [Between(-1, 1)], ps.Gamma(1, 0, 0.5, 2), 1.95),
        (lambda t, x: log(t) / 2 - t * (x - 0.3) ** 2 / 2, [Between(-1, 1)], ps.Gamma(1, 0, 0.5, 2), 1.2675),
        (lambda t, x: log(t) if x else log(1 - t), [0, 1], ps.Beta(1, 1, -1, 2), 3.0),
        (lambda t, x: -((x - t) ** 2), [Between(-1, 1)], ps.Normal(0, 1, -1, 2), 12.0),
        (lambda t, x: x * t, [0, 1], ps.uniform([0.5, 2.0, 1.0]), 1.5),
        (lambda t, x: x * t, [Between(0, 1)], ps.uniform([0.5, 2.0, 1.0]), 1.5),
        (logistic, SCORES, SLOPES, 4.0),
        (
            lambda t, x: log(t[1]) / 2 - t[1] * (x - t[0]) ** 2 / 2,
            [Between(-1, 1)],
            ps.NormalGamma(2, 1, 0, 1, (-0.5, 0.5), (1, 2)),
            6.0,
        ),
    ],
    ids=["exponential", "laplace", "precision", "coin", "mean", "list", "few", "logistic", "normal"],
)
def test_the_search_finds_what_the_closed_form_says(g, records, prior, w):
    family = own_family("own", g, records)
    price = ps.cost(family, prior, 2)
    found = price.oscillation()
    assert w * (1 - 1e-12) <= found.width <= w * (1 + 1.1e-3)
    assert found.exact or w * (1 - 1.1e-3) <= found.least <= w * (1 + 1e-12)
    assert price.loss() == 2 * found.width
    assert found.width <= price.printed() / 2 * (1 + 1e-12)
    with arithmetic.balls():
        assert float(ps.cost(family, prior, 2).oscillation().width) == pytest.approx(found.width, rel=1e-12)


def test_a_narrower_search_is_nearer():
    family = own_family("own", lambda t, x: -log(1 + (x - t) ** 2), [Between(-2, 2)], relative=1e-5)
    found = ps.cost(family, LogConcave(lambda t: 0 * t, -1, 1), 1).oscillation()
    true = mpmath.findroot(lambda x: mpmath.diff(lambda y: mpmath.log((1 + (y + 1) ** 2) / (1 + (y - 1) ** 2)), x), 1.4)
    w = float(2 * mpmath.log((1 + (true + 1) ** 2) / (1 + (true - 1) ** 2)))
    assert found.least <= w <= found.width <= w * (1 + 2e-5)


def test_lists_cost_exactly_and_stay_rational_over_balls():
    family = own_family("own", lambda t, x: t * x**2, [0, 1, 3])
    assert ps.cost(family, ps.uniform([0.25, 1.0]), 1).oscillation() == ps.Oscillation(6.75, True)
    with arithmetic.balls():
        found = ps.cost(family, ps.uniform([arithmetic.number("1/3"), 1]), 1).oscillation()
        assert found == ps.Oscillation(6, True)


def test_parameters_need_not_be_numbers():
    family = own_family("weather", lambda day, x: math.log(0.9 if x == day else 0.1), ["rain", "sun"])
    prior = ps.weighted(["rain", "sun"], [1, 3])
    assert ps.cost(family, prior, 1).oscillation() == ps.Oscillation(pytest.approx(2 * math.log(9), rel=1e-14), True)
    after = ps.posterior(family, prior, ["rain", "rain", "sun"])
    assert after.weights == pytest.approx([0.75, 0.25])


def test_the_constant_is_the_largest_change_between_records():
    family = own_family("own", logistic, SCORES)
    assert family.lipschitz([0.7, -1.5]) == pytest.approx([0.7, 1.5], rel=1e-3)
    listed = own_family("own", lambda t, x: t * x**2, [0, 1, 3])
    assert listed.lipschitz([2.0, -1.0]).tolist() == [18.0, 9.0]
    assert ps.cost(listed, ps.Normal(0, 1, -1, 2), 1).lipschitz == pytest.approx(18, rel=1e-3)


# Draws without conjugacy


def test_a_log_concave_posterior_is_that_of_the_conjugate_family():
    family = own_family("own", lambda t, x: log(t) - t * x, [Between(0, 1)])
    prior, data = ps.Gamma(2.0, 1.0, 0.5, 2.0), [0.2, 0.9, 0.9, 0.4]
    own, conjugate = ps.posterior(family, prior, data), ps.posterior(ps.exponential(1.0), prior, data)
    at = np.linspace(0.5, 2, 7)
    assert own.cdf(at) == pytest.approx(conjugate.cdf(at), rel=1e-12, abs=1e-13)
    assert own.log_mass - prior.log_mass == pytest.approx(ps.log_marginal(ps.exponential(1.0), prior, data), rel=1e-12)
    assert ps.log_marginal(family, prior, data) == pytest.approx(own.log_mass - prior.log_mass, rel=1e-12)
    assert own.ends == (0.5, 2.0)


def test_draws_of_a_regression_follow_its_posterior():
    family = own_family("own", logistic, SCORES)
    data = [(0.3, 1), (-0.8, 1), (1.0, 1), (0.5, -1), (0.3, 1)]
    after = ps.posterior(family, SLOPES, data)
    drawn = ps.baps(family, SLOPES, data, 4000, rng()).parameters

    def density(s):
        return math.exp(-s * s / 2 - sum(math.log1p(math.exp(-y * s * z)) for z, y in data))

    whole = integrate.quad(density, -2, 2)[0]
    for s in (-1.0, 0.0, 0.5, 1.5):
        assert after.cdf(s) == pytest.approx(integrate.quad(density, -2, s)[0] / whole, rel=1e-9)
    assert stats.kstest(drawn, after.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("g", "low", "high", "law"),
    [
        (lambda t: -t, 0.0, math.inf, stats.expon()),
        (lambda t: -(t**2) / 2, -math.inf, math.inf, stats.norm()),
        (lambda t: -((t - 1e6) ** 2) * 5e3, -math.inf, math.inf, stats.norm(1e6, 0.01)),
        (lambda t: 3 * np.log(t) - 2 * t, 0.0, math.inf, stats.gamma(4, scale=0.5)),
        (lambda t: -abs(t), -math.inf, math.inf, stats.laplace()),
        (lambda t: 0 * t, 2.0, 5.0, stats.uniform(2, 3)),
        (lambda t: 40 * t, 0.0, 1.0, stats.truncexpon(40, loc=-1, scale=1 / 40)),
    ],
    ids=["exponential", "normal", "narrow", "gamma", "laplace", "flat", "steep"],
)
def test_log_concave_laws_are_those_with_a_name(g, low, high, law):
    made = LogConcave(g, low, high)
    drawn = made.sample(rng(), 3000)
    assert made.curve.acceptance >= math.tanh(0.5) - 1e-12
    if law.dist.name == "truncexpon":  # the mirror image of the law on [0, 1] that falls
        drawn, cdf = -drawn, law.cdf
    else:
        cdf = law.cdf
        at = law.ppf([0.01, 0.3, 0.5, 0.99])
        assert made.cdf(at) == pytest.approx([0.01, 0.3, 0.5, 0.99], rel=1e-7)
        assert made.mean == pytest.approx(law.mean(), rel=1e-8, abs=1e-9)
    assert stats.kstest(drawn, cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("g", "low", "high", "said"),
    [
        (lambda t: t**2, -1, 1, r"log_kernel must be concave, and it is below its chord"),
        (lambda t: -np.log1p(t**2), -30, 30, r"must be concave"),
        (
            lambda t: 0 * t,
            -math.inf,
            1,
            r"must fall without limit where its interval has no end, or the law is improper",
        ),
        (lambda t: t, 0, math.inf, r"the law is improper, got .* at 1\.\d+e\+300"),
        (lambda t: np.log(t), -1, 1, r"log_kernel must be finite on \[-1, 1\], got nan at"),
        (lambda t: t * math.inf, 1, 2, r"log_kernel must be finite on \[1, 2\], got inf at 1\.0"),
        (lambda t: t - math.inf, 1, 2, r"log_kernel must be finite somewhere on \[1, 2\], got -inf"),
    ],
)
def test_a_law_that_is_improper_or_not_concave_is_refused(g, low, high, said):
    with pytest.raises(ValueError, match=said):
        LogConcave(g, low, high).sample(rng(), 1)


def test_a_bump_beside_the_grid_is_refused_when_it_is_drawn():
    with pytest.raises(ValueError, match=r"concave"):
        LogConcave(lambda t: -t + 3 * np.exp(-(((t - 0.61803) / 1e-3) ** 2)), 0, 2).sample(rng(), 20_000)


def test_laws_of_ones_own_are_laws():
    class Mine:
        ends = (0.5, 2.0)

        def sample(self, generator, size):
            return generator.uniform(0.5, 2.0, size)

    family = own_family("own", lambda t, x: -t * x, [Between(0, 1)], sampler=lambda prior, x: prior)
    assert isinstance(Mine(), ps.ParameterLaw)
    draws = ps.baps(family, Mine(), [0.5], 3, rng())
    assert draws.parameters.shape == (3,)
    assert draws.cost.loss() == pytest.approx(4.5, rel=1e-3)
    for law in (ps.uniform([1]), ps.Gamma(1, 1), ps.Beta(1, 1), ps.Tables([[1, 1]]), ps.Wishart(2, [[1.0]]), SLOPES):
        assert isinstance(law, ps.ParameterLaw)
    assert not isinstance(3, ps.ParameterLaw)


# What runs in doubles alone


def test_without_intervals_the_declared_constant_is_charged_and_attacked():
    def angle(t, x):
        return math.tan(t) * x

    prior = LogConcave(lambda t: -t, -1, 1)
    family = own_family("own", angle, [Between(0, 1)], constant=1.6)
    found = ps.cost(family, prior, 1).oscillation()
    assert (found.width, found.exact) == (3.2, False)
    assert 3.0 < found.least <= 2 * math.tan(1)
    with pytest.raises(
        ValueError, match=r"constant must bound the differences of log_likelihood, got constant=0.2, and"
    ):
        ps.cost(own_family("own", angle, [Between(0, 1)], constant=0.2), prior, 1).oscillation()
    with pytest.raises(ValueError, match=r"must be written with the functions of dpbi.arithmetic .* or constant= be"):
        ps.cost(own_family("own", angle, [Between(0, 1)]), prior, 1)


# Bad input


def test_what_is_no_family_is_refused():
    with pytest.raises(TypeError, match=r"log_likelihood must be a function of a parameter and a record, got 3"):
        own_family("own", 3, [0, 1])
    with pytest.raises(ValueError, match=r"records must list at least one record that is possible, got none"):
        own_family("own", logistic, [])
    with pytest.raises(ValueError, match=r"constant must be a finite number >= 0, got constant=-1"):
        own_family("own", logistic, SCORES, constant=-1)
    with pytest.raises(TypeError, match=r"log_kernel must be a function of the parameter, got log_kernel=1"):
        LogConcave(1, 0, 1)


def test_records_that_were_not_declared_are_refused():
    family = own_family("scores", logistic, SCORES)
    with pytest.raises(ValueError, match=r"data must be records of scores, one of .* got \(1\.5, 1\) at position 1"):
        ps.posterior(family, SLOPES, [(0.5, 1), (1.5, 1)])
    with pytest.raises(ValueError, match=r"x and y must have the same number of records, got 1 and 2"):
        family.distance([(0.5, 1)], [(0.5, 1)] * 2)
    assert family.distance([(0.5, 1), (0, 1)], [(0.5, 1), (0, -1)]) == 1


def test_a_prior_without_ends_or_with_infinite_ones_has_no_cost():
    family = own_family("own", lambda t, x: -t * x, [Between(0, 1)])
    with pytest.raises(ValueError, match=r"prior must have a bounded Lipschitz constant on its support"):
        ps.cost(family, ps.Gamma(1, 1), 1)
    with pytest.raises(TypeError, match=r"prior must have ends, its least and its largest parameter, .* got Tables"):
        ps.cost(family, ps.Tables([[1, 1]]), 1)


def test_a_log_likelihood_that_is_not_finite_is_refused():
    family = own_family("own", lambda t, x: log(t) * x, [Between(0, 1)], budget=500)
    with pytest.raises(ValueError, match=r"must be finite, and bounded over the support and the records, got no bound"):
        ps.cost(family, LogConcave(lambda t: -t, 0, 1), 1)
    listed = own_family("own", lambda t, x: np.log(t) * x, [1, 0])
    with pytest.raises(ValueError, match=r"log_likelihood of own must be finite"), np.errstate(all="ignore"):
        ps.cost(listed, ps.uniform([0.0, 1.0]), 1)
    with (
        pytest.raises(ValueError, match=r"must be finite, or minus infinity .* got nan at the parameter -1\.0"),
        np.errstate(all="ignore"),
    ):
        ps.posterior(listed, ps.uniform([-1.0, 1.0]), [1])
    with pytest.raises(ValueError, match=r"parameters must be finite, got"):
        family.log_likelihood([math.inf], [0.5])


def test_an_update_that_is_none_is_refused():
    family = own_family("own", lambda t, x: -t * x, [Between(0, 1)], sampler=lambda prior, x: None)
    with pytest.raises(TypeError, match=r"sampler must return a law with sample\(rng, size\), got None"):
        ps.posterior(family, ps.Normal(0, 1, 0, 1), [0.5])
    pair = own_family("own", lambda t, x: -t[0] * x, [Between(0, 1)])
    with pytest.raises(TypeError, match=r"prior must be a law of one number that has a log_kernel, .* got NormalGamma"):
        ps.posterior(pair, ps.NormalGamma(1, 1, 0, 1), [0.5])


# Posteriors of all datasets from a list


def test_listed_posteriors_are_those_of_all_counts():
    family, prior = ps.multinomial(3), ps.uniform([([0.2, 0.3, 0.5],), ([0.6, 0.3, 0.1],)])
    laws = ps.listed_posteriors(family, prior, 3)
    assert len(laws) == 10
    assert laws[1, 0, 2].weights == pytest.approx(ps.posterior(family, prior, [2, 0, 2]).weights)
    coins = ps.listed_posteriors(ps.bernoulli(), ps.uniform([0.2, 0.7]), 4)
    assert [law.weights.tolist() for law in coins.values()] == [
        law.weights.tolist() for law in ps.count_posteriors(ps.uniform([0.2, 0.7]), 4)
    ]


def test_worst_neighbours_of_counts_are_all_pairs_that_differ_by_one_record():
    family, prior = ps.multinomial(3), ps.uniform([([0.2, 0.3, 0.5],), ([0.6, 0.3, 0.1],), ([0.1, 0.8, 0.1],)])
    worst = ps.worst_neighbours(ps.privacy_loss, ps.listed_posteriors(family, prior, 2))
    data = [(a, b) for a in range(3) for b in range(3)]
    brute = max(
        ps.privacy_loss(ps.posterior(family, prior, [a, b]), ps.posterior(family, prior, [a, c]))
        for a, b in data for c in range(3)
    )  # fmt: skip
    assert worst == pytest.approx(brute, rel=1e-14)


def test_worst_neighbours_go_both_ways():
    """A measure that is not symmetric: in a list and by counts."""
    p, q = ps.weighted([0, 1], [1, 9]), ps.weighted([0, 1], [1, 1])
    there, back = ps.privacy_loss(p, q), ps.privacy_loss(q, p)
    assert there < back
    for laws in ([p, q], [q, p], {(1, 0): p, (0, 1): q}, {(1, 0): q, (0, 1): p}):
        assert ps.worst_neighbours(ps.privacy_loss, laws) == back


def test_only_lists_of_independent_records_are_counted():
    for family in (ps.exponential(1.0), ps.markov_chain(2), ps.multivariate_normal([0, 0], 1.0)):
        with pytest.raises(ValueError, match=r"family must have independent records from a list, got"):
            ps.listed_posteriors(family, ps.Gamma(1, 1), 2)
    with pytest.raises(ValueError, match=r"n must leave at most 100000 ways to count the records, got n=2000"):
        ps.listed_posteriors(ps.multinomial(3), ps.Tables([[1, 1, 1]]), 2000)


def test_log_concave_posteriors_are_told_apart_as_integrals_say():
    """Robustness and many draws of a logistic posterior, against mpmath and, for three draws, a sum over a grid."""
    family = own_family("logit", lambda t, x: x * t - log(1 + exp(t)), [0, 1])
    prior, x, y = ps.Normal(0.0, 1.0, -2.0, 2.0), [1, 1, 0, 1], [1, 0, 0, 1]

    def posterior(data):
        def kernel(t):
            return mpmath.exp(sum(v * t - mpmath.log1p(mpmath.exp(t)) for v in data) - t * t / 2)

        mass = mpmath.quad(kernel, mpmath.linspace(-2, 2, 9))
        return lambda t: kernel(t) / mass

    with mpmath.workdps(25):
        p, q = posterior(x), posterior(y)
        divergence = mpmath.quad(lambda t: p(t) * mpmath.log(p(t) / q(t)), mpmath.linspace(-2, 2, 9))

        def beyond(epsilon):
            cut = mpmath.findroot(lambda t: mpmath.log(p(t) / q(t)) - epsilon, 0.3)
            return mpmath.quad(lambda t: p(t) - mpmath.exp(epsilon) * q(t), [cut, 1, 2])

        apart = [beyond(0), beyond(mpmath.mpf(0.3))]
        loss = mpmath.log(p(2) / q(2))
    found = ps.robustness(family, prior, x, y)
    assert found.divergence == pytest.approx(float(divergence), rel=1e-12)
    assert found.variation == pytest.approx(float(apart[0]), rel=1e-12)
    assert found.loss == pytest.approx(float(loss), rel=1e-12)
    assert found.width == pytest.approx(4, rel=1e-12)  # one answer turns: the log odds range over [-2, 2]
    best = mpmath.log(3)  # three of four ones
    largest = mpmath.exp(3 * best - 4 * mpmath.log1p(mpmath.exp(best)))
    of_x = largest / mpmath.exp(ps.log_marginal(family, prior, x))
    assert ps.likelihood_ratio(family, prior, x) == pytest.approx(float(of_x), rel=1e-12)
    once = ps.distinguish(family, prior, x, y, 1)
    assert once.delta(0.3).value == pytest.approx(float(apart[1]), rel=1e-12)
    thrice = ps.distinguish(family, prior, x, y, 3).variation
    t = (np.arange(240) + 0.5) / 60 - 2
    first, second = (np.array([float(law(v)) for v in t]) for law in (p, q))
    first, second = first / first.sum(), second / second.sum()
    cubes = [np.einsum("i,j,k->ijk", m, m, m) for m in (first, second)]
    assert (cubes[0] - cubes[1]).clip(0).sum() == pytest.approx(thrice.value, abs=2e-5)
    assert thrice.low <= thrice.high <= thrice.low + 1e-6


def test_a_log_ratio_that_turns_is_followed():
    """Two normal laws of unlike precision, as log-concave laws: closed forms of scipy."""
    p, q = (ps.LogConcave(lambda t, s=s: -t * t / (2 * s * s), -40.0, 40.0) for s in (1.0, 2.0))
    crossing = math.sqrt(8 * math.log(2) / 3)
    inside = [2 * stats.norm.cdf(crossing / s) - 1 for s in (1, 2)]
    assert ps.total_variation(p, q) == pytest.approx(inside[0] - inside[1], rel=1e-11)
    assert ps.kullback_leibler(p, q) == pytest.approx(math.log(2) + 1 / 8 - 1 / 2, rel=1e-11)
    assert ps.privacy_loss(p, q) == pytest.approx(math.log(2), rel=1e-11)
    with pytest.raises(ValueError, match="one kind on one interval"):
        ps.total_variation(ps.Gamma(2, 1), ps.Beta(1, 2))
