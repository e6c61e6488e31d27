"""The best rate of Assumption 2 for laws with a density, against closed forms and a fine grid of mpmath's masses."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, special

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.arithmetic import log
from dpbi.posterior_sampling.floored_rows import mass_of_rows

COIN, RATE = ps.bernoulli(), ps.exponential()


def beta_outside(a, b, low, high, x):
    def mass(start, end):
        share = [mpf(1) / (1 + mp.e ** (-mpf(t))) if abs(t) < math.inf else mpf(t > 0) for t in (start, end)]
        return mp.betainc(a, b, *share) if start < end else mpf(0)

    return (mass(max(low, x), high) + mass(low, min(high, -x))) / mass(low, high)


def gamma_outside(shape, rate, low, high, x):
    def mass(start, end):
        return mp.gammainc(shape, rate * start, rate * end)

    return mass(max(low, x), high) / mass(low, high)


def least_on_grid(outside, start, stop, size=300):
    steps = [start + (stop - start) * (i / size) ** 2 for i in range(1, size)]
    return min(-mp.log(outside(x)) / (x - start) for x in steps)


GAMMAS = [
    (0.4, 1.0, 0.1, 3.0, 0.1, 3.0),
    (0.4, 0.01, 0.1, 3.0, 0.1, 3.0),
    (0.4, 1.0, 0.0, 3.0, 0.0, 3.0),
    (2.5, 1.0, 0.0, math.inf, 0.5, 30.0),
    (1.0, 1.0, 0.5, 2.0, 0.7, 2.0),
    (7.0, 2.0, 1.0, 9.0, 2.0, 9.0),
]
BETAS = [
    (5.0, 0.5, -math.inf, math.inf, 0.0, 20.0),
    (5.0, 0.5, -math.inf, math.inf, 1.0, 20.0),
    (2.0, 3.0, -1.0, 5.0, 0.5, 5.0),
    (2.0, 3.0, 1.0, 5.0, 2.0, 5.0),
    (0.3, 4.0, -6.0, 2.0, 1.0, 6.0),
]


@pytest.mark.parametrize(
    ("outside", "family", "law", "case"),
    [
        *((gamma_outside, RATE, ps.Gamma, case) for case in GAMMAS),
        *((beta_outside, COIN, ps.Beta, case) for case in BETAS),
    ],
)
def test_no_mass_is_below_the_rate_and_one_nearly_meets_it(outside, family, law, case):
    *terms, start, stop = case
    found = ps.best_rate(family, law(*terms), start)
    least = least_on_grid(lambda x: outside(*terms, x), start, stop)
    assert found * (1 - 1e-11) <= least <= found * (1 + 1e-3)


def test_rates_in_closed_form():
    trimmed = ps.trimmed_exponential(2.0, 0.5, 2.0)
    assert ps.best_rate(RATE, trimmed, 0.5) == pytest.approx(2 / (1 - math.exp(-3)), rel=1e-12)
    assert ps.best_rate(RATE, ps.Gamma(1.0, 3.0), 0.5) == 3.0  # at infinity
    assert ps.best_rate(RATE, ps.Gamma(1.0, 3.0), 0.0) == 3.0
    assert ps.best_rate(RATE, ps.Gamma(1.0, 0.0, 0.0, 4.0), 0.0) == 0.25
    assert ps.best_rate(RATE, ps.Gamma(0.4, 3.0), 0.5) == pytest.approx(3.0, rel=1e-12)
    assert ps.best_rate(ps.normal_precision(3.0), ps.Gamma(1.0, 3.0), 0.5) == pytest.approx(2.0, rel=1e-12)
    for alpha in (0.6, 1.0, 2.6):  # Lemma 21
        c = 2 ** (1 - 2 * alpha) / float(mp.beta(alpha, alpha))
        assert ps.best_rate(COIN, ps.Beta(alpha, alpha), 0.0) == pytest.approx(c, rel=1e-12)
    assert ps.best_rate(COIN, ps.Beta(0.6, 0.1), 3.0) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize("start", [0.5, 2.0, 3.0, 20.0])
def test_a_rate_is_found_wherever_its_tangent_touches(start):
    """Gamma(3, 1): h is -ln((1 + x + x^2/2) e^-x), and least in proportion where its tangent meets the start."""

    def h(x):
        return x - mp.log(1 + x + x * x / 2)

    def hazard(x):
        return x * x / 2 / (1 + x + x * x / 2)

    touching = mp.findroot(lambda x: h(x) - hazard(x) * (x - start), 2 * start + 1)
    least = h(touching) / (touching - start)
    assert touching > start
    assert ps.best_rate(RATE, ps.Gamma(3.0, 1.0), start) == pytest.approx(float(least), rel=1e-11)


def test_rates_at_the_ends():
    trimmed = ps.trimmed_exponential(2.0, 0.5, 2.0)
    assert ps.best_rate(RATE, trimmed, 0.4) == 0
    assert ps.best_rate(RATE, trimmed, 2.0) == ps.best_rate(RATE, trimmed, 3.0) == math.inf
    assert ps.best_rate(RATE, ps.Gamma(2.0, 1.0), 0.0) == 0
    assert ps.best_rate(COIN, ps.Beta(2.0, 1.0, 1.0, 3.0), 0.5) == 0
    assert ps.best_rate(COIN, ps.Beta(2.0, 1.0, -3.0, 3.0), 3.0) == math.inf


def test_tables_of_two_entries():
    single, pair = ps.network([[]], [2]), ps.network([[], []], [2, 2])
    rate = ps.best_rate(single, ps.Tables([[2.0, 1.5]]), 0.5)
    assert rate == pytest.approx(ps.best_rate(COIN, ps.Beta(1.5, 2.0), 0.5), rel=1e-11)
    prior = ps.Tables([[2.0, 1.5], [1.0, 3.0]], 0.02)
    assert ps.best_rate(pair, prior, 0.0) == 0
    end = math.log(49)

    def outside(x):
        inside = [1 - beta_outside(b, a, -end, end, x) for a, b in ((2.0, 1.5), (1.0, 3.0))]
        return 1 - inside[0] * inside[1]

    found = ps.best_rate(pair, prior, 0.5)
    assert found * (1 - 1e-11) <= least_on_grid(outside, 0.5, end) <= found * (1 + 1e-3)


def test_the_enclosure_holds_the_double():
    for family, law, start in ((RATE, lambda: ps.Gamma(2, 1), 0.5), (COIN, lambda: ps.Beta(2, 3, -1, 5), 0.5)):
        double = ps.best_rate(family, law(), start)
        with arithmetic.balls():
            enclosure = ps.best_rate(family, law(), start)
        assert float(enclosure.rad()) < 1e-11
        assert arithmetic.near(enclosure, double, 1e-11 * double)


def test_what_has_no_rate_is_refused():
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="L0 must be a finite number"):
            ps.best_rate(COIN, ps.Beta(1, 1), value)
    waiting = ps.own_family("waiting", lambda rate, x: log(rate) - rate * x, [ps.Between(0, 1)])
    for family, prior, error, said in (
        (waiting, ps.Gamma(1.0, 1.0), ValueError, "prior must be on an interval with two ends"),
        (COIN, ps.NormalGamma(1, 1, 0, 1), ValueError, "prior must be on an interval with two ends"),
        (waiting, "a prior", TypeError, "prior must have a cdf and ends"),
        (ps.multinomial(12), ps.Tables([np.ones(12)]), ValueError, "prior must have rows of at most 10 states"),
    ):
        with pytest.raises(error, match=said):
            ps.best_rate(family, prior, 0.5)


# Rows of three states and more


def floored(alpha, floor):
    """The mass of a Dirichlet row of whole concentrations with all entries above a floor, as a fraction.

    An entry is the floor and a share of what the floors leave: powers of sums, and integrals of monomials.
    """
    states, left = len(alpha), 1 - len(alpha) * floor
    terms = [Fraction(1)]  # by the power of the shares
    for a in alpha:
        entry = [math.comb(a - 1, m) * floor ** (a - 1 - m) * left**m * math.factorial(m) for m in range(a)]
        product = [Fraction(0)] * (len(terms) + a - 1)
        for (i, p), (j, q) in itertools.product(enumerate(terms), enumerate(entry)):
            product[i + j] += p * q
        terms = product
    whole = math.factorial(sum(alpha) - 1) // math.prod(math.factorial(a - 1) for a in alpha)
    return whole * left ** (states - 1) * sum(p / math.factorial(i + states - 1) for i, p in enumerate(terms))


ROWS = [(1, 1, 1), (2, 3, 1), (1, 1, 1, 1), (2, 1, 3, 2), (4, 2, 1, 1, 3)]


@pytest.mark.parametrize("alpha", ROWS)
def test_the_mass_that_a_floor_keeps_of_a_long_row(alpha):
    for share in (1, 10, 50, 90):  # of the largest floor, per cent
        floor = Fraction(share, 100 * len(alpha))
        L = math.log((1 - (len(alpha) - 1) * floor) / floor)
        expected = floored(alpha, floor)
        assert mass_of_rows([alpha], L) == pytest.approx(float(expected), rel=1e-12)


def test_the_mass_of_a_row_of_any_concentrations():
    """A double integral by mpmath."""
    alpha, floor = (mpf("0.7"), mpf("1.5"), mpf("2.2")), mpf("0.07")

    def second(x):
        return mp.quad(lambda y: y ** (alpha[1] - 1) * (1 - x - y) ** (alpha[2] - 1), [floor, 1 - x - floor])

    inside = mp.quad(lambda x: x ** (alpha[0] - 1) * second(x), [floor, 1 - 2 * floor])
    expected = inside * mp.gamma(sum(alpha)) / mp.fprod(map(mp.gamma, alpha))
    found = mass_of_rows([[0.7, 1.5, 2.2]], float(mp.log((1 - 2 * floor) / floor)))
    assert found == pytest.approx(float(expected), rel=1e-11)


@pytest.mark.parametrize("start", [0.4, 2.0])
@pytest.mark.parametrize("rows", [[(2, 3, 1)], [(2, 1, 3, 2)], [(2, 2), (1, 3, 2)]])
@pytest.mark.parametrize("floor", [Fraction(0), Fraction(1, 50)])
def test_no_mass_of_long_rows_is_below_the_rate_and_one_nearly_meets_it(rows, start, floor):
    fewest = min(map(len, rows))
    end = math.log(1 / floor - (fewest - 1)) if floor else 25.0

    def outside(x):
        level = 1 / (Fraction(math.exp(x)) + fewest - 1)
        kept = [floored(alpha, level) / floored(alpha, floor) if len(alpha) * level < 1 else 0 for alpha in rows]
        beyond = 1 - math.prod(kept)
        return mpf(beyond.numerator) / beyond.denominator

    family = ps.network([[] for _ in rows], [len(row) for row in rows])
    found = ps.best_rate_between(family, ps.Tables([list(map(float, row)) for row in rows], float(floor)), start)
    least = min(least_on_grid(outside, start, end), math.inf if floor else min(map(min, rows)))  # or at infinity
    assert found.low == found.high
    if math.exp(start) <= max(map(len, rows)) - fewest + 1:  # the longest row has no mass there
        assert found.low == 0
    else:
        assert found.low * (1 - 1e-11) <= least <= found.low * (1 + 1e-3)


def test_rates_of_long_rows_at_the_ends():
    three = ps.multinomial(3)
    assert ps.best_rate(three, ps.Tables([np.ones(3)]), 0.0) == 0
    assert ps.best_rate(three, ps.Tables([np.ones(3)], 0.1), math.log(8) + 0.01) == math.inf
    assert ps.best_rate(three, ps.Tables([[2.0, 0.3, 5.0]]), 100.0) == pytest.approx(0.3, rel=1e-12)  # at infinity


# Laws without a mass in closed form


def test_normal_means():
    family, prior = ps.normal_mean(1.0, 2.0), ps.Normal(0.5, 1.0, -1.0, 2.0)

    def outside(x):  # the constant is 2 + |mean|
        whole = mp.ncdf(1.5) - mp.ncdf(-1.5)
        r = x - 2
        inside = mp.ncdf(min(r, 2) - 0.5) - mp.ncdf(max(-r, -1) - 0.5)
        return 1 - inside / whole

    found = ps.best_rate(family, prior, 2.5)
    assert found * (1 - 1e-11) <= least_on_grid(outside, 2.5, 4.0) <= found * (1 + 1e-3)
    assert ps.best_rate(family, prior, 1.5) == 0
    with arithmetic.balls():
        enclosure = ps.best_rate(ps.normal_mean(1, 2), ps.Normal(arithmetic.number("0.5"), 1, -1, 2), 2.5)
        assert arithmetic.near(enclosure, found, 1e-11)


@pytest.mark.parametrize("largest", [math.inf, 6.0])
@pytest.mark.parametrize("start", [1.0, 2.5])
def test_a_wishart_rate_is_between_its_ends(start, largest):
    """In two dimensions, three degrees, the unit scale: the eigenvalues have the density (x - y) exp(-(x + y)/2), and
    the largest is at most x with the probability 1 - x exp(-x/2) - exp(-x)."""

    def beyond(x):
        return x * mp.exp(-mpf(x) / 2) + mp.exp(-mpf(x)) if x < math.inf else mpf(0)

    def outside(x):  # the constant is half the largest eigenvalue
        return (beyond(2 * x) - beyond(largest)) / (1 - beyond(largest))

    found = ps.best_rate_between(ps.multivariate_normal((0, 0), 1.0), ps.Wishart(3, np.eye(2), largest), start)
    least = least_on_grid(outside, start, min(largest / 2, 30.0), size=100)
    assert found.low <= least
    assert least <= found.high * (1 + 1e-3)
    alone = ps.best_rate_between(ps.multivariate_normal((0,), 1.0), ps.Wishart(3, np.eye(1)), start)
    assert alone.low == alone.high == pytest.approx(2 * ps.best_rate(RATE, ps.Gamma(1.5, 0.5), 2 * start), rel=1e-11)


def test_a_family_of_ones_own_has_its_rate_between_two_numbers():
    """Waiting times up to one have the constant t of the exponential family, whose rate is known."""
    waiting = ps.own_family("waiting", lambda rate, x: log(rate) - rate * x, [ps.Between(0, 1)])
    listed = ps.own_family("waiting", lambda rate, x: log(rate) - rate * x, [0, 0.5, 1])
    prior = ps.trimmed_exponential(1, 0.5, 2.0)
    exact = ps.best_rate(ps.exponential(1.0), prior, 0.8)
    for family, near in ((waiting, 0.1), (listed, 0.02)):
        found = ps.best_rate_between(family, prior, 0.8)
        assert found.low <= exact <= found.high <= found.low * (1 + near)
        assert ps.best_rate(family, prior, 0.8) == found.low


def test_a_mean_and_a_precision():
    """The constant is the precision times a slope that rises with the mean, and the mass an integral over the mean."""
    prior, start = ps.NormalGamma(2.0, 2.0, 0.0, 1.0, (-1.0, 0.2), (1.5, 3.0)), 1.0

    def below(most):
        """The mass of constants up to a level: over the precision it is a lower incomplete gamma function."""

        def of_mean(mu):
            b, top = 2 + mu * mu / 2, min(3.0, most / (max(abs(mu), (2 + abs(mu)) / 3) / 2))
            return (special.gammainc(2.5, b * top) - special.gammainc(2.5, b * 0.2)) / b**2.5 if top > 0.2 else 0.0

        return integrate.quad(of_mean, -1, 1.5, points=[0, 1], epsabs=1e-12)[0]

    whole = below(100.0)
    least = least_on_grid(lambda x: 1 - below(x) / whole, start, 2.24, size=40)
    found = ps.best_rate_between(ps.normal(2.0), prior, start)
    assert found.low <= least <= found.high * (1 + 1e-2)
    assert found.high <= found.low * 1.1
