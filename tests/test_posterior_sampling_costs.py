"""Privacy costs of draws, against brute force over likelihoods written out here, in fractions wherever possible."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from dpbi import posterior_sampling as ps


def oscillation(fits):
    """The greatest oscillation, from the log likelihoods of each of two neighbours, a pair of lists for each pair."""
    return max(max(change) - min(change) for change in ([a - b for a, b in zip(*pair, strict=True)] for pair in fits))


def interval_loss(log_likelihood, low, high, n, one, other):
    """The largest loss between n - 1 records ``one`` with ``other`` and n records ``one``, uniform prior, in mpmath."""
    with mpmath.workdps(20):

        def log_mass(last):
            at = [low + (high - low) * mpmath.mpf(k) / 30 for k in range(31)]
            peak = max((n - 1) * log_likelihood(t, one) + log_likelihood(t, last) for t in (low, high))

            def density(t):
                return mpmath.exp((n - 1) * log_likelihood(t, one) + log_likelihood(t, last) - peak)

            return peak + mpmath.log(mpmath.quad(density, at, maxdegree=4))

        level = log_mass(one) - log_mass(other)
        ratios = [log_likelihood(t, other) - log_likelihood(t, one) + level for t in (low, high)]
        return float(max(map(abs, ratios)))


@pytest.mark.parametrize(("family", "log_likelihood", "one", "other", "w", "printed"), [
    (ps.exponential(1.0), lambda t, x: mpmath.log(t) - t * x, 0, 1, 1.5, 4),
    (ps.laplace(0.0, 1.0), lambda t, x: mpmath.log(t) - t * abs(x), 0, 1, 1.5, 8),
    (ps.normal_precision(0.0, 1.0), lambda t, x: mpmath.log(t) / 2 - t * x**2 / 2, 0, 1, 0.75, 4),
], ids=["exponential", "laplace", "normal"])  # fmt: skip
def test_rates_are_charged_their_exact_worst_loss(family, log_likelihood, one, other, w, printed):
    price = ps.sampling_cost(family, ps.Gamma(1.0, 0.0, 0.5, 2.0), 1)
    assert price.loss() == pytest.approx(w, rel=1e-15)
    assert price.printed() == pytest.approx(printed, rel=1e-15)
    exact = interval_loss(log_likelihood, mpmath.mpf(1) / 2, mpmath.mpf(2), 500, one, other)
    assert 0.99 * w <= exact <= w


@given(shares=st.lists(st.integers(1, 99), min_size=1, max_size=5, unique=True))
def test_listed_coins_cost_the_range_of_their_odds(shares):
    thetas = [Fraction(share, 100) for share in shares]
    ratio = max(a * (1 - b) / (b * (1 - a)) for a in thetas for b in thetas)
    price = ps.sampling_cost(ps.bernoulli(), ps.uniform([float(theta) for theta in thetas]), 3)
    assert price.loss() == pytest.approx(3 * math.log(ratio), rel=1e-12, abs=1e-12)
    assert price.oscillation().exact


@settings(max_examples=25)
@given(
    centre=st.floats(-3, 3), bound=st.floats(0.1, 3), low=st.floats(0.1, 2), width=st.floats(0.1, 2),
    listed=st.booleans(),
)  # fmt: skip
def test_rates_cost_what_a_grid_of_records_finds(centre, bound, low, width, listed):
    high = low + width
    prior = ps.uniform([low, (low + high) / 2, high]) if listed else ps.Gamma(2.0, 1.0, low, high)
    records = [-bound, bound, min(max(centre, -bound), bound), *np.linspace(-bound, bound, 5)]
    laplace = ps.laplace(centre, bound), lambda x: abs(x - centre)
    normal = ps.normal_precision(centre, bound), lambda x: (x - centre) ** 2 / 2
    for family, statistic in (laplace, normal):
        at = [[-t * statistic(x) for t in (low, high)] for x in records]
        fits = list(itertools.combinations(at, 2))
        price = ps.sampling_cost(family, prior, 1)
        assert price.loss() == pytest.approx(oscillation(fits), rel=1e-9)
        assert price.loss() <= price.printed() * (1 + 1e-12)


def as_doubles(tables):
    """The same in doubles."""
    return tuple(np.array(table, dtype=float) for table in tables)


ROWS = list(itertools.product(range(2), range(3), range(2), range(2)))


def row_pairs(kind):
    """Rows of the network that are neighbours."""
    pairs = itertools.combinations(ROWS, 2)
    return [(x, y) for x, y in pairs if kind == ps.RECORD or sum(a != b for a, b in zip(x, y, strict=True)) == 1]


def fit(tables, row):
    """The log likelihood of a row."""
    first, second, third, fourth = tables
    return math.log(first[row[0]] * second[row[0]][row[1]] * third[row[0]][row[2]] * fourth[row[3]])


@pytest.mark.parametrize(("kind", "factors"), [(ps.RECORD, (2, 3, 2, 2)), (ps.CELL, (2, 3, 2))])
def test_floored_networks_cost_the_factors_that_change(kind, factors):
    """The first node is the parent of the next two: a cell of it changes three factors, a cell of a child one."""
    floor = Fraction(1, 10)
    family = ps.network([[], [0], [0], []], [2, 3, 2, 2])
    prior = ps.Tables([np.ones(2), np.ones((2, 3)), np.ones((2, 2)), np.ones(2)], 0.1)

    def corners(states):
        return [[1 - (states - 1) * floor if a == b else floor for b in range(states)] for a in range(states)]

    halves = corners(2)
    thirds, pairs = (list(itertools.product(each, repeat=2)) for each in (corners(3), halves))
    tables = list(map(as_doubles, itertools.product(halves, thirds, pairs, halves)))
    fits = [([fit(t, x) for t in tables], [fit(t, y) for t in tables]) for x, y in row_pairs(kind)]
    price = ps.sampling_cost(family, prior, 1)
    assert price.loss(kind) == pytest.approx(oscillation(fits), rel=1e-12)
    assert price.loss(kind) == pytest.approx(sum(2 * math.log((1 - (s - 1) * 0.1) / 0.1) for s in factors), rel=1e-12)
    for drawn in prior.sample(np.random.default_rng(1), 10):  # a table inside does not widen the range
        inside = [*tables, drawn]
        few = [([fit(t, x) for t in inside], [fit(t, y) for t in inside]) for x, y in row_pairs(kind)[:9]]
        assert oscillation(few) <= price.loss(kind) * (1 + 1e-12)


def test_floored_chains_cost_the_worst_change_of_one_state():
    rows = [(0.9, 0.1), (0.1, 0.9)]
    paths = list(itertools.product((0, 1), repeat=3))
    pairs = [(x, y) for x, y in itertools.combinations(paths, 2) if sum(a != b for a, b in zip(x, y, strict=True)) == 1]

    def logs(path):
        return [sum(math.log(t[a][b]) for a, b in itertools.pairwise(path)) for t in itertools.product(rows, repeat=2)]

    price = ps.sampling_cost(ps.markov_chain(2), ps.Tables([np.ones((2, 2))], 0.1), 1)
    assert price.loss() == pytest.approx(oscillation([(logs(x), logs(y)) for x, y in pairs]), rel=1e-12)
    assert price.oscillation().exact


def test_a_row_of_a_complete_network_loses_what_is_charged():
    """Three binary nodes, log odds of at most 3; the other rows leave every table where the replaced row is least."""
    family, floor = ps.network([[], [0], [0, 1]], [2, 2, 2]), 1 / (1 + math.exp(3))
    rows = [(1 - floor, floor), (floor, 1 - floor)]
    corners = [(a, (b, c), ((d, e), (f, g))) for a, b, c, d, e, f, g in itertools.product(rows, repeat=7)]
    price = ps.sampling_cost(family, ps.Tables([np.ones((2,) * k) for k in (1, 2, 3)], floor), 1)
    assert (price.loss(), price.printed()) == (pytest.approx(18, rel=1e-14), pytest.approx(36, rel=1e-14))
    others = [(1, 1, 1)] * 900 + [(0, 1, 1)] * 60 + [(0, 0, 1)] * 15
    prior = ps.uniform([as_doubles(t) for t in corners])
    after = [ps.posterior_law(family, prior, [*others, x]) for x in ((0, 0, 0), (1, 1, 1))]
    assert ps.privacy_loss(*after) == pytest.approx(18, rel=1e-9)


def change(A, mean, x, y):
    """The difference of log likelihoods of two records, without the constant."""
    return ((y - mean) @ A @ (y - mean) - (x - mean) @ A @ (x - mean)) / 2


@pytest.mark.parametrize(("mean", "radius"), [((0, 0), 1.0), ((1.3, -0.4), 0.7), ((0.5, 0, 0), 2.0)])
def test_wishart_costs_what_an_optimiser_finds(mean, radius):
    mu, d = np.array(mean, float), len(mean)
    price = ps.sampling_cost(ps.multivariate_normal(mean, radius), ps.Wishart(4.0, np.eye(d), 1.7), 1)

    def negative_range(v):  # records in the ball; the range of a form over 0 < A < 1.7 is that of its eigenvalues
        x, y = (radius * u / max(1, np.linalg.norm(u)) for u in (v[:d], v[d:]))
        form = (np.outer(y - mu, y - mu) - np.outer(x - mu, x - mu)) / 2
        return -1.7 * np.abs(np.linalg.eigvalsh(form)).sum()

    rng = np.random.default_rng(2)
    starts = (rng.normal(size=2 * d) for _ in range(6))
    best = max(-minimize(negative_range, v, method="Nelder-Mead", options={"fatol": 1e-12}).fun for v in starts)
    assert best <= price.loss() * (1 + 1e-12)
    assert best == pytest.approx(price.loss(), rel=1e-5)
    assert price.oscillation().exact
    assert price.loss() <= price.printed()


def test_lists_of_matrices_and_tables_are_charged_as_printed():
    """2 L rho: of eigenvalues up to 2 and records in the unit disc, and of log odds up to ln 9."""
    price = ps.sampling_cost(ps.multivariate_normal([0, 0], 1.0), ps.uniform([np.eye(2), 2 * np.eye(2)]), 3)
    assert price.loss() == price.printed() == pytest.approx(3 * 2 * math.sqrt(2), rel=1e-12)
    chains = ps.sampling_cost(ps.markov_chain(2), ps.uniform([(np.array([[0.9, 0.1], [0.1, 0.9]]),)]), 1)
    assert chains.loss() == chains.printed() == pytest.approx(4 * math.log(9), rel=1e-12)
    rows = ps.sampling_cost(ps.network([[]], [2]), ps.uniform([([0.9, 0.1],)]), 1)
    assert rows.loss() == rows.printed() == pytest.approx(2 * math.log(9), rel=1e-12)
    assert not any(each.oscillation().exact for each in (price, chains, rows))


def test_one_parameter_costs_nothing():
    price = ps.sampling_cost(ps.bernoulli(), ps.uniform([0.3]), 5)
    assert (price.loss(), price.total_variation(), price.concentrated().rho) == (0, 0, 0)


def test_every_currency_comes_from_the_same_number():
    price = ps.sampling_cost(ps.exponential(3.0), ps.trimmed_exponential(1, 0.5, 2.0), 4)
    assert price.oscillation() == ps.Oscillation(4.5, True)
    assert price.between().epsilon == 18
    assert price.concentrated().rho == pytest.approx(4 * 4.5**2 / 8, rel=1e-15)
    assert price.total_variation() == pytest.approx(math.tanh(4.5), rel=1e-15)


def test_a_bound_that_is_worse_is_charged_as_printed():
    """As is a family without an oscillation."""
    prior, family = ps.uniform([0.3, 0.4]), ps.bernoulli()
    exact = ps.sampling_cost(family, prior, 2)
    assert exact.loss() < exact.printed()
    for rule in (None, lambda prior, neighbours: ps.Oscillation(1e9, False)):
        price = ps.sampling_cost(replace(family, oscillation=rule), prior, 2)
        assert price.oscillation() == ps.Oscillation(pytest.approx(2 * math.log(7 / 3), rel=1e-14), False)
        assert price.loss() == price.printed()
