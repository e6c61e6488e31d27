"""The best rate of Assumption 2 for laws with a density, against closed forms and a fine grid of mpmath's masses."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from dpbi import arithmetic
from dpbi import posterior_sampling as ps

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
    for family, prior in (
        (ps.multivariate_normal((0, 0)), ps.Wishart(3, np.eye(2))),
        (ps.network([[]], [3]), ps.Tables([np.ones(3)])),
    ):
        with pytest.raises(TypeError, match=r"prior must .* mass in closed form"):
            ps.best_rate(family, prior, 0.5)
