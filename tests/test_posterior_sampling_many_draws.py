"""What many draws tell of two laws, of any shapes, against sums over all draws and mpmath's integrals.

No oracle here calls the library.
"""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.guessing import le_cam_bound, minimax_risk
from dpbi.posterior_sampling.many_draws import ManyDraws
from dpbi.posterior_sampling.samples import counts_law, frequency_tail
from posterior_oracles import (
    FIRST,
    HIGH,
    LOW,
    SECOND,
    X,
    Y,
    assert_values,
    coin_posterior,
    coins,
    given,
    pieces,
    rate_law,
    rates,
    real,
    tilted,
)

number = arithmetic.number


# Laws of different shapes

GAMMAS = [((3, 2), (4, "2.5")), ((2, 1), (2.5, 1)), ((5, 3), (2, 4))]


@pytest.mark.parametrize(("one", "two"), GAMMAS)
@pytest.mark.parametrize("epsilon", ["0", "0.2"])
def test_gamma_laws_of_different_shapes(one, two, epsilon):
    (a, m), (b, n) = (tuple(mp.mpf(str(x)) for x in law) for law in (one, two))
    level = a * mp.log(m) - b * mp.log(n) - mp.loggamma(a) + mp.loggamma(b)
    e = mp.mpf(epsilon)

    def ratio(t):
        return level + (a - b) * mp.log(t) + (n - m) * t

    def share(x, rate, low, high):
        return mp.gammainc(x, rate * low, rate * high, regularized=True)

    points = [mp.e ** (mp.mpf(k) / 20) for k in range(-200, 120)]
    roots = [
        mp.findroot(lambda t: ratio(t) - e, (low, high), solver="anderson")
        for low, high in itertools.pairwise(points)
        if (ratio(low) - e) * (ratio(high) - e) < 0
    ]
    corners = [mp.mpf(0), *roots, mp.inf]
    expected = mp.mpf(0)
    for low, high in itertools.pairwise(corners):
        inside = (low + high) / 2 if high < mp.inf else 2 * low + 1
        if ratio(inside) > e:
            expected += share(a, m, low, high) - mp.e**e * share(b, n, low, high)

    def laws():
        return [ps.Gamma(number(str(x)), number(str(y))) for x, y in (one, two)]

    assert_values(lambda: {"delta": ps.least_delta(*laws(), number(epsilon))}, {"delta": expected})
    divergence = level + (a - b) * (mp.digamma(a) - mp.log(m)) + (n - m) * a / m
    assert ps.kullback_leibler(*laws()) == pytest.approx(float(divergence), rel=1e-11)
    assert ps.privacy_loss(*laws()) == math.inf


def test_beta_laws_of_different_totals():
    """Beta(3, 2) and Beta(4, 4) have the ratio 12 x^2 (1 - x) / 140 x^3 (1 - x)^3, at most one between two roots."""
    roots = [mp.findroot(lambda x: x * (1 - x) ** 2 - mp.mpf(3) / 35, start) for start in (0.1, 0.6)]

    def share(a, b, low, high):
        return mp.betainc(a, b, low, high, regularized=True)

    expected = mp.fsum(
        max(share(3, 2, low, high) - share(4, 4, low, high), 0)
        for low, high in itertools.pairwise([mp.mpf(0), *roots, mp.mpf(1)])
    )
    assert_values(lambda: {"tv": ps.total_variation(ps.Beta(3, 2), ps.Beta(4, 4))}, {"tv": expected})


def test_gamma_laws_of_different_shapes_on_an_interval():
    (a, m), (b, n) = (3, mp.mpf(2)), (4, mp.mpf("2.5"))

    def density(x, rate):
        mass = mp.gammainc(x, rate / 2, 4 * rate) / rate**x
        return lambda t: t ** (x - 1) * mp.e ** (-rate * t) / mass

    p, q = density(a, m), density(b, n)
    cuts = [mp.mpf(k) / 4 for k in range(2, 17)]
    expected = {
        "divergence": mp.quad(lambda t: p(t) * mp.log(p(t) / q(t)), cuts),
        "loss": max(mp.log(p(t) / q(t)) for t in (mp.mpf("0.5"), mp.mpf(2), mp.mpf(4))),  # it turns at 2
    }

    def found():
        laws = ps.Gamma(3, 2, number("0.5"), 4), ps.Gamma(4, number("2.5"), number("0.5"), 4)
        return {"divergence": ps.kullback_leibler(*laws), "loss": ps.privacy_loss(*laws)}

    assert_values(found, expected)


@pytest.mark.parametrize("epsilon", ["0", "0.1", "0.6", "5"])
def test_hockey_sticks_of_tilted_laws(epsilon):
    (_, _, _, _, F), (_, _, _, _, G), (level, slope) = rate_law(FIRST), rate_law(SECOND), tilted()
    e = mp.mpf(epsilon)
    crossing = (e - level) / slope
    below = slope < 0  # the log ratio is above the level below the crossing
    inside = min(max(crossing, LOW), HIGH)
    masses = [f(inside) if below else 1 - f(inside) for f in (F, G)]
    expected = max(masses[0] - mp.e**e * masses[1], mp.mpf(0))

    def found():
        laws = (ps.posterior(ps.exponential(1), rates(), given(records)) for records in (FIRST, SECOND))
        return {"delta": ps.least_delta(*laws, number(epsilon))}

    assert_values(found, {"delta": expected})


def test_far_gamma_laws_have_a_hockey_stick_too():
    """Where the laws are far apart the library has another formula in doubles."""
    e, rate = mp.mpf("0.5"), mp.mpf(200)
    crossing = (3 * mp.log(rate) - e) / (rate - 1)
    expected = mp.gammainc(3, 0, rate * crossing, regularized=True)
    expected -= mp.e**e * mp.gammainc(3, 0, crossing, regularized=True)
    assert_values(
        lambda: {"delta": ps.least_delta(ps.Gamma(3, 200), ps.Gamma(3, 1), number("0.5"))}, {"delta": expected}
    )


# Many draws


def sequences(p, q, size):
    for drawn in itertools.product(range(len(p)), repeat=size):
        yield math.prod(p[i] for i in drawn), math.prod(q[i] for i in drawn)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_draws_from_a_list(size):
    p, q = coin_posterior(X)[2], coin_posterior(Y)[2]
    both = list(sequences(p, q, size))
    factor = Fraction(3, 2)
    expected = {
        "error": real(sum(min(a, b) for a, b in both) / 2),
        "variation": real(sum(abs(a - b) for a, b in both) / 2),
        "delta": real(sum(max(a - factor * b, 0) for a, b in both)),
    }

    def found():
        told = ps.distinguish(ps.bernoulli(), coins(), X, Y, size)
        epsilon = arithmetic.log(number("1.5"))
        if not arithmetic.in_doubles():
            assert told.error.low is told.error.high
            epsilon = number(epsilon)
        return {"error": told.error.value, "variation": told.variation.value, "delta": told.delta(epsilon).value}

    assert_values(found, expected)


def test_a_small_error_keeps_its_digits():
    """Two coins 1/10 and 9/10 after 4 equal records each way: an error of 1e-30, far below the rounding of one."""
    odds = Fraction(9) ** 4
    p = odds / (1 + odds)
    expected = sum(min(math.comb(16, k) * p**k * (1 - p) ** (16 - k) for p in (p, 1 - p)) for k in range(17)) / 2
    told = ps.distinguish(ps.bernoulli(), ps.uniform([0.1, 0.9]), [1] * 4, [0] * 4, 16)
    assert told.error.value == pytest.approx(float(expected), rel=1e-10, abs=0)
    assert told.error.value < 1e-25


def test_many_draws_of_two_parameters_do_not_overflow():
    """3000 draws: binomial coefficients beyond every double. Binomial sums by mpmath."""
    p, q = mp.mpf("0.51"), mp.mpf("0.49")
    expected = mp.fsum(
        abs(mp.binomial(3000, k) * (p**k * q ** (3000 - k) - q**k * p ** (3000 - k))) / 2 for k in range(3001)
    )
    told = ManyDraws(ps.weighted([0, 1], [51, 49]), ps.weighted([0, 1], [49, 51]), 3000)
    assert told.variation.value == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize(("low", "shape"), [("0", "1.5"), ("0.5", "1")])
@pytest.mark.parametrize("epsilon", ["0", "0.5"])
def test_draws_from_gamma_laws_without_an_end(low, shape, epsilon):
    """The sum of five draws, less five times the lower end, is a gamma variable of five times the shape."""
    a, one, two, e = 5 * mp.mpf(shape), mp.mpf(1), mp.mpf(3), mp.mpf(epsilon)
    crossing = (a * mp.log(two / one) + e) / (two - one)  # here q has the greater rate: p is larger above
    masses = [mp.gammainc(a, rate * crossing, regularized=True) for rate in (one, two)]

    def found():
        laws = [ps.Gamma(number(shape), rate, number(low)) for rate in (1, 3)]
        return {"delta": ManyDraws(*laws, 5).delta(number(epsilon)).value}

    assert_values(found, {"delta": masses[0] - mp.e**e * masses[1]})


def two_rate_draws(epsilon):
    """Two draws from the rates' posteriors: the sum decides, and one integral gives its law."""
    (_, _, _, p, F), (_, _, _, q, G), (level, slope) = rate_law(FIRST), rate_law(SECOND), tilted()
    cut = (epsilon - 2 * level) / slope

    def below(density, cdf):
        corners = pieces(cut - LOW, cut - HIGH, mp.mpf(1), mp.mpf(2))
        return mp.quad(lambda t: density(t) * cdf(min(max(cut - t, LOW), HIGH)), corners)

    masses = [below(p, F), below(q, G)]
    if slope > 0:
        masses = [1 - mass for mass in masses]
    return masses[0] - mp.e**epsilon * masses[1]


@pytest.mark.parametrize("epsilon", ["0", "0.3"])
def test_two_draws_from_rates_on_an_interval_are_enclosed(epsilon):
    expected = two_rate_draws(mp.mpf(epsilon))
    told = ps.distinguish(ps.exponential(1), rates(), given(FIRST), given(SECOND), 2).delta(float(epsilon))
    assert told.low <= expected <= told.high
    assert told.high - told.low < 1e-6
    with arithmetic.balls():
        told = ps.distinguish(ps.exponential(1), rates(), given(FIRST), given(SECOND), 2).delta(number(epsilon))
        assert float(told.low) <= expected <= float(told.high)
        assert float(told.high) - float(told.low) < 2e-3
        assert told.value > told.low or told.value.overlaps(told.low)


def test_two_draws_from_coins_within_bounds_are_enclosed():
    """Beta(2, 3) and Beta(3, 2) with log-odds in [-1, 2]: the sum of the log-odds decides."""

    def law(a, b):
        def kernel(s):
            return mp.e ** (a * s) / (1 + mp.e**s) ** (a + b)

        def cdf(s):
            return mp.betainc(a, b, 1 / (1 + mp.e), 1 / (1 + mp.e ** (-s)))

        mass = mp.betainc(a, b, 1 / (1 + mp.e), 1 / (1 + mp.e**-2))
        return mass, lambda s: kernel(s) / mass, lambda s: cdf(s) / mass

    (first, p, F), (second, q, G) = law(2, 3), law(3, 2)
    cut = 2 * mp.log(second / first)  # the log ratio of one draw is ln(second / first) - s
    corners = sorted({mp.mpf(-1), mp.mpf(0), mp.mpf(2), *(t for t in (cut + 1, cut - 2) if -1 < t < 2)})

    def below(density, f):
        return mp.quad(lambda s: density(s) * f(min(max(cut - s, mp.mpf(-1)), mp.mpf(2))), corners)

    expected = below(p, F) - below(q, G)
    told = ManyDraws(ps.Beta(2, 3, -1, 2), ps.Beta(3, 2, -1, 2), 2).variation
    assert told.low <= expected <= told.high
    assert told.high - told.low < 2e-6
    with arithmetic.balls():
        told = ManyDraws(ps.Beta(2, 3, -1, 2), ps.Beta(3, 2, -1, 2), 2).variation
        assert float(told.low) <= expected <= float(told.high)


@pytest.mark.parametrize("size", [2, 7])
def test_the_lattice_encloses_what_is_known_exactly(size):
    """For a list and for gamma laws the exact value is known from brute force and from a closed form, as above."""
    laws = [
        (ps.weighted([0, 1, 2, 3], [4, 3, 2, 1]), ps.weighted([0, 1, 2, 3], [1, 2, 3, 4])),
        (ps.weighted([0, 1, 2], [4, 3, 0]), ps.weighted([0, 1, 2], [0, 2, 3])),
        (ps.Gamma(2, 1), ps.Gamma(2, 3)),
        (ps.Gamma(2, 3), ps.Gamma(2, 1)),
    ]
    for (p, q), epsilon in itertools.product(laws, (0.0, 0.7)):
        known = ManyDraws(p, q, size)
        lattice = ManyDraws(p, q, size)
        lattice.__dict__["exact"] = None
        told, exact = lattice.delta(epsilon), known.delta(epsilon).value
        assert told.low <= exact <= told.high
        assert told.high - told.low < 1e-4


def test_draws_from_laws_that_bend_are_enclosed():
    """Two draws from Gamma(3, 2) and Gamma(4, 2.5): a sum over a fine grid of both draws, good to four digits."""
    t = (np.arange(3000) + 0.5) / 3000 * 15

    def density(a, rate):
        values = t ** (a - 1) * np.exp(-rate * t)
        return values / values.sum()

    p, q = density(3, 2), density(4, 2.5)
    expected = np.maximum(np.outer(p, p) - np.outer(q, q), 0).sum()
    told = ManyDraws(ps.Gamma(3, 2), ps.Gamma(4, 2.5), 2).variation
    assert told.high - told.low < 1e-4
    assert told.value == pytest.approx(expected, abs=1e-4)


def test_a_list_too_long_to_count_is_enclosed():
    """19 coins and 40 draws. One more draw tells more, and a bound of one draw bounds them all."""
    family, prior = ps.bernoulli(), ps.uniform(ps.bernoulli_grid(0.05))
    told = [ps.distinguish(family, prior, [1] * 6, [1] * 5 + [0], size).variation for size in (39, 40, 41)]
    assert all(v.high - v.low < 1e-6 for v in told)
    assert told[0].low < told[1].high < told[2].high + 1e-6
    p, q = (ps.posterior(family, prior, x).weights for x in ([1] * 6, [1] * 5 + [0]))
    affinity = np.sqrt(p * q).sum() ** 40
    assert 1 - affinity <= told[1].high
    assert told[1].low <= math.sqrt(1 - affinity**2)  # both are Le Cam's inequalities


def test_corners_of_many_draws():
    """The same data in another order tell nothing, lists without a common parameter all; no delta at a huge epsilon."""
    family, prior = ps.bernoulli(), ps.Beta(2, 2, -1, 1)
    same = ps.distinguish(family, prior, [0, 1], [1, 0], 3)
    assert (same.variation.low, same.error.high) == (0, 0.5)
    assert same.variation.high < 1e-9
    assert ps.distinguish(family, prior, [1, 1], [1, 0], 3).delta(800.0).high < 1e-9
    with arithmetic.balls():
        same = ps.distinguish(family, prior, [0, 1], [1, 0], 3)
        assert abs(float(same.variation.low)) < 1e-30
        assert float(ps.distinguish(family, prior, [1, 1], [1, 0], 3).delta(800).high) < 1e-30
    first, second = ps.weighted(range(30), [1] * 15 + [0] * 15), ps.weighted(range(30), [0] * 15 + [1] * 15)
    half = ps.uniform(range(30))
    assert ManyDraws(first, second, 20).variation.value == pytest.approx(1, abs=1e-12)
    assert ManyDraws(half, second, 20).variation.value == pytest.approx(1 - 0.5**20, abs=1e-9)
    assert ManyDraws(second, half, 20).variation.value == pytest.approx(1 - 0.5**20, abs=1e-9)


def test_counts_and_their_tail():
    p = [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    drawn = list(itertools.product(range(3), repeat=4))
    radius = Fraction(3, 5)
    expected = sum(
        math.prod(p[i] for i in d) for d in drawn if sum(abs(Fraction(d.count(i), 4) - p[i]) for i in range(3)) > radius
    )

    def found():
        law = ps.weighted(range(3), number(["0.2", "0.3", "0.5"]))
        counts = counts_law(law, 4)
        return {
            "tail": frequency_tail(law, 4, number("0.6")),
            "one count": counts.weights[counts.parameters.index((1, 1, 2))],
        }

    assert_values(found, {"tail": real(expected), "one count": real(12 * p[0] * p[1] * p[2] ** 2)})
    assert counts_law(ps.weighted([0, 1], [1, 0]), 3).weights.tolist() == [0, 0, 0, 1]


# Le Cam


@pytest.mark.parametrize("size", [1, 3])
def test_le_cam_of_two_datasets(size):
    """Mirrored laws: both the bound and the risk are half the distance times the overlap of the draws."""
    p = Fraction(4, 5) ** 2 / (Fraction(4, 5) ** 2 + Fraction(1, 5) ** 2)
    overlap = sum(
        math.comb(size, k) * min(p**k * (1 - p) ** (size - k), (1 - p) ** k * p ** (size - k)) for k in range(size + 1)
    )

    def found():
        prior = ps.uniform(number(["0.2", "0.8"]))
        told = ps.le_cam(ps.bernoulli(), prior, [[1, 1], [0, 0]], size)
        return [float(told.bound), float(told.risk)]

    expected = pytest.approx([float(overlap)] * 2, rel=1e-9)
    assert found() == expected
    with arithmetic.balls():
        assert found() == expected


def test_le_cam_in_another_metric():
    """Waiting times 0 and 3 are three apart, 0 and 1 one: of three datasets the far pair has the better bound."""
    family = ps.exponential(3)
    rates, data = [Fraction(1, 10), Fraction(1, 5)], [0, 1, 3]

    def law(x):
        weights = [mp.mpf(t.numerator) / t.denominator for t in rates]
        weights = [t * mp.e ** (-t * x) for t in weights]
        return [w / sum(weights) for w in weights]

    overlaps = {(x, y): sum(min(a, b) for a, b in zip(law(x), law(y), strict=True)) for x in data for y in data}
    # initial and final segments: {0} and {3}; {0} and {1, 3}; {0, 1} and {3}. A mixture does best with the nearest law
    expected = max(1.5 * overlaps[0, 3], 0.5 * overlaps[0, 1], 1.0 * overlaps[1, 3])
    told = ps.le_cam(family, ps.uniform([0.1, 0.2]), [[x] for x in data])
    assert told.bound == pytest.approx(float(expected), rel=1e-9)
    assert told.bound <= told.risk

    def risk(rule):
        return max(sum(w * abs(g - x) for w, g in zip(law(x), rule, strict=True)) for x in data)

    best_fixed = min(risk(rule) for rule in itertools.product(data, repeat=2))
    assert told.risk <= float(best_fixed) + 1e-9  # mixing rules can only help


def test_le_cam_without_distances_counts():
    laws = [ps.weighted([0, 1], weights) for weights in ([7, 3], [5, 5], [3, 7])]
    rows = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert le_cam_bound(laws) == le_cam_bound(laws, rows)
    assert minimax_risk(laws) == minimax_risk(laws, rows)
    assert le_cam_bound(laws, [[0, 0, 0]] * 3) == 0


def test_many_draws_over_balls_need_an_interval():
    with arithmetic.balls(), pytest.raises(ValueError, match="p and q must have an interval with two ends"):
        ManyDraws(ps.Beta(2, 3), ps.Beta(3, 2), 2).delta(0)
