"""Stated accuracy of doubles: Beta and Gamma distributions by mpmath at 60 digits, finite ones by Arb balls.

The balls are computed by the same library in interval arithmetic, in cases where doubles could lose their digits.
"""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.bounds import largest_divergence, largest_variation

number = arithmetic.number
MEASURES = (ps.privacy_loss, ps.total_variation, ps.kullback_leibler)
RECORDS = [(7, 0), (0, 7), (1, 0), (3, 4), (1, 1), (200, 0), (0, 200), (150, 50), (100, 100), (199, 1)]
INTERVALS = [("0", "inf"), ("0.5", "2"), ("0", "2"), ("0.5", "inf"), ("1e-9", "1e-8")]
RATES = ["0.001", "1", "1e4"]
BIG = 60


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(BIG):
        yield


def relative(found, true):
    return float(abs(found - true) / abs(true))


def rounding(*laws):
    """What differences of the log masses of some laws are rounded by."""
    return 1e-12 + 4e-15 * sum(abs(law.log_mass) for law in laws)


def test_the_ratio_of_coins_is_right_for_one_decimal_priors():
    cycle = itertools.cycle(RECORDS)
    for i, j in itertools.product((1, 3, 9, 26, 50), (2, 5, 10, 47)):
        (ones, zeros), a, b = next(cycle), mpf(i) / 10, mpf(j) / 10
        n = ones + zeros
        best = (mpf(ones) / n) ** ones * (mpf(zeros) / n) ** zeros
        true = best * mp.beta(a, b) / mp.beta(a + ones, b + zeros)
        found = ps.likelihood_ratio(ps.bernoulli(), ps.Beta(i / 10, j / 10), [1] * ones + [0] * zeros)
        assert relative(found, true) < 1e-12, (i, j, ones, zeros)


@pytest.mark.parametrize(
    ("ends", "weights", "records"),
    [((-1, 2), ("2.6", "0.4"), (3, 4)), ((3, 4), ("1", "5"), (7, 0)), ((-30, -28), ("2.6", "0.4"), (0, 5))],
)
def test_the_ratio_of_coins_within_bounds(ends, weights, records):
    (low, high), (p, q), (ones, zeros) = ends, map(mpf, weights), records

    def mass(a, b):
        def kernel(t):
            return mp.exp(a * t - (a + b) * mp.log1p(mp.exp(t)))

        first = kernel(low)
        with mp.workdps(25):
            return first * mp.quad(lambda t: kernel(t) / first, mp.linspace(low, high, 9))

    odds = min(max(mp.log(mpf(ones) / zeros) if ones and zeros else (mp.inf if ones else -mp.inf), low), high)
    best = mp.e ** (ones * odds) / (1 + mp.e**odds) ** (ones + zeros)
    true = best * mass(p, q) / mass(p + ones, q + zeros)
    found = ps.likelihood_ratio(ps.bernoulli(), ps.Beta(float(p), float(q), low, high), [1] * ones + [0] * zeros)
    assert relative(found, true) < 1e-12


def gamma_mass(shape, rate, low, high):
    return mp.gammainc(shape, rate * low, rate * high) / rate**shape


def read(low, high):
    return mpf(low), mp.inf if high == "inf" else mpf(high)


@pytest.mark.parametrize("shape", ["0.3", "2.5", "40"])
@pytest.mark.parametrize("interval", INTERVALS)
def test_what_records_say_of_a_rate(shape, interval):
    for rate, x in itertools.product(RATES, ([0.25], [0.25, 2.0, 5.5], [1.0] * 20)):
        a, r, (low, high) = mpf(shape), mpf(rate), read(*interval)
        prior = ps.Gamma(float(shape), float(rate), *map(float, interval))
        n, total = len(x), mpf(sum(x))
        best = min(max(n / total, low), high)
        marginal = gamma_mass(a + n, r + total, low, high) / gamma_mass(a, r, low, high)
        allowed = rounding(prior, ps.posterior_law(ps.exponential(), prior, x))
        largest = best**n * mp.e ** (-total * best) / marginal
        if mp.log(largest) < 600:  # what a double holds
            assert relative(ps.likelihood_ratio(ps.exponential(), prior, x), largest) < allowed
        found = ps.log_evidence(ps.exponential(), prior, x)
        assert abs(found - mp.log(marginal)) < allowed


@pytest.mark.parametrize("interval", INTERVALS)
def test_masses_and_means_of_rates(interval):
    for rate, shape in itertools.product(RATES, ("0.3", "1", "2.5")):
        a, r, (low, high) = mpf(shape), mpf(rate), read(*interval)
        prior = ps.Gamma(float(shape), float(rate), *map(float, interval))
        typical = float(low if low else 1 / r) * (1 + 1 / max(float(rate) * float(low), 1))
        whole = gamma_mass(a, r, low, high)
        if typical < high:
            share = gamma_mass(a, r, low, mpf(typical)) / whole
            found = ps.lipschitz_mass(ps.exponential(), prior, typical)
            assert relative(found, share) < rounding(prior, prior), (shape, typical)
            assert relative(prior.mass(prior.low, typical), share) < 1e-10
        mean = gamma_mass(a + 1, r, low, high) / whole
        assert relative(ps.expected_lipschitz(ps.exponential(), prior), mean) < rounding(prior, prior)


DISTANCES = [
    *((ps.Gamma(float(shape), float(rate), *map(float, ends)), gap) for ends in INTERVALS for rate, shape, gap
        in (("0.001", "0.3", 1.0), ("1", "2.5", 2.0**-10), ("1e4", "0.3", 1.0))),
    (ps.Gamma(1e6, 5e5, 0.1, 3.0), 0.5),  # a million records, one replaced
    (ps.Gamma(5.0, 3.0, 0.1, 3.0), 2.0**-24),  # nearly the same law
    (ps.Gamma(5.0, 3.0, 0.1, 3.0), 497.0),  # at opposite ends
    (ps.Gamma(400.0, 20.0), 10.0), (ps.Gamma(0.3, 1e-4), 1 - 1e-4),
]  # fmt: skip


@pytest.mark.parametrize(("p", "gap"), DISTANCES, ids=str)
def test_distances_between_rates(p, gap):
    q = replace(p, rate=p.rate + gap)
    with mp.workdps(BIG + 30):
        a, r, s, low, high = map(mpf, (p.shape, p.rate, q.rate, p.low, p.high))
        zp, zq = (gamma_mass(a, value, low, high) for value in (r, s))
        level, slope = mp.log(zq / zp), s - r
        mean, crossing = gamma_mass(a + 1, r, low, high) / zp, -level / slope
        variation = gamma_mass(a, r, low, crossing) / zp - gamma_mass(a, s, low, crossing) / zq
    allowed = rounding(p, q)
    assert abs(ps.total_variation(p, q) - abs(variation)) < allowed
    assert abs(ps.kullback_leibler(p, q) - (level + slope * mean)) < allowed * (1 + abs(slope * mean))
    loss = math.inf if high == mp.inf else level + slope * high
    assert ps.privacy_loss(p, q) == loss or abs(ps.privacy_loss(p, q) - loss) < allowed
    assert abs(ps.privacy_loss(q, p) - (-level - slope * low)) < allowed


def test_draws_beside_an_end_are_spread_over_what_is_there():
    law = ps.Gamma(1.0, 1e15, 0.5, 2.0)  # all within a dozen doubles of 1/2
    drawn = law.sample(np.random.default_rng(3), 2000)
    steps = (drawn - 0.5) / 2.0**-53
    weights = [math.exp(-k * 1e15 * 2.0**-53) for k in range(400)]
    mean = sum(k * weight for k, weight in enumerate(weights)) / sum(weights)
    assert abs(steps.mean() - mean) < 1.0  # each is within half a step, and 4 standard errors are 0.8


def test_laws_on_lists_of_tables_that_were_built_apart():
    def law(weight):
        tables = [(np.array([0.5, 0.5]), np.array([[0.25, 0.75]])), (np.array([0.1, 0.9]), np.array([[0.5, 0.5]]))]
        return ps.weighted(tables, [weight, 1 - weight])

    assert ps.total_variation(law(0.25), law(0.75)) == 0.5
    assert ps.privacy_loss(law(0.25), law(0.75)) == pytest.approx(math.log(3))
    other = ps.weighted([(np.array([0.5, 0.5]),), (np.array([0.1, 0.9]),)], [0.5, 0.5])
    with pytest.raises(ValueError, match="p and q must be laws on the same parameters"):
        ps.total_variation(law(0.25), other)


def assert_enclosed(quantities, relative, absolute=1e-30):
    """The doubles of a function are as near to its enclosures as that, and those are narrow."""
    doubles = [float(value) for value in quantities()]
    with arithmetic.balls():
        enclosures = [arithmetic.number(value) for value in quantities()]
        for double, exact in zip(doubles, enclosures, strict=True):
            assert double == pytest.approx(float(exact), rel=relative, abs=absolute)
            assert not hasattr(exact, "rad") or float(exact.rad()) <= max(1e-25 * abs(float(exact)), 1e-10 * absolute)


def records(ones, n):
    return [1] * ones + [0] * (n - ones)


@pytest.mark.parametrize("ones", [0, 1500])
def test_posteriors_of_many_records_keep_their_digits(ones):
    """The likelihood of 3000 records is below the smallest double; the balls multiply it out."""

    def quantities():
        family, prior = ps.bernoulli(), ps.uniform(ps.bernoulli_grid(number(0.05)))
        p, q = (ps.posterior_law(family, prior, records(k, 3000)) for k in (ones, abs(ones - 1)))
        told = ps.log_evidence, ps.likelihood_ratio
        both = [each(family, prior, records(ones, 3000)) for each in told]
        distances = [measure(*pair) for measure in MEASURES for pair in ((p, q), (q, p))]
        return [*both, *distances, ps.least_delta(p, q, number(0.1))]

    assert_enclosed(quantities, 1e-10, absolute=1e-12)  # log likelihoods of -2000 are rounded at 2e-13


def test_nearly_equal_and_disjoint_laws_keep_their_digits():
    def near():
        step = number("1e-9")
        p, q = ps.weighted([0, 1, 2], [1, 1, 1]), ps.weighted([0, 1, 2], [1 + step, 1 - step, 1])
        return [ps.kullback_leibler(p, q), ps.kullback_leibler(q, p)]

    def apart():
        p, q = ps.weighted([0, 1, 2], [1, 1, 0]), ps.weighted([0, 1, 2], [0, 1, 1])
        return [ps.total_variation(p, q), ps.least_delta(p, q, 0), ps.least_delta(p, q, number(2.0))]

    assert_enclosed(near, 1e-6)  # the weights themselves are rounded to sixteen digits
    assert_enclosed(apart, 1e-14)
    with arithmetic.balls():
        p, q = ps.weighted([0, 1, 2], [1, 1, 0]), ps.weighted([0, 1, 2], [0, 1, 1])
        assert math.isinf(float(ps.privacy_loss(p, q)))


@pytest.mark.parametrize("width", [1e-3, 0.1, 1.0, 30.0, 600.0])
def test_bounds_keep_their_digits_at_small_and_large_widths(width):
    def quantities():
        w = number(width)
        return [largest_divergence(w), largest_variation(w)]

    assert_enclosed(quantities, 1e-11)
    assert largest_divergence(0) == largest_variation(0) == 0


def test_two_point_laws_attain_the_bounds():
    """With log odds w/2 and -w/2 the total variation is tanh(w/4), by elementary algebra."""
    w = 1.3
    upper = math.exp(w / 2) / (1 + math.exp(w / 2))
    p, q = ps.weighted([0, 1], [upper, 1 - upper]), ps.weighted([0, 1], [1 - upper, upper])
    assert ps.total_variation(p, q) == pytest.approx(largest_variation(w), rel=1e-14)
    share = (w / (math.exp(w) - 1) - 1) / (1 - math.exp(w))  # the weight of the upper end that is worst
    p, q = ps.weighted([0, 1], [share * math.exp(w), 1 - share]), ps.weighted([0, 1], [share, 1 - share])
    assert ps.kullback_leibler(p, q) <= largest_divergence(w)


@pytest.mark.parametrize(
    ("shape", "rate", "low", "high"), [("2.5", "3", 0, 2), ("1.5", "0", 0, 2), ("0.5", "1", 1, math.inf)]
)
def test_masses_of_rates_over_balls_at_an_end_of_all_rates(shape, rate, low, high):
    def mass(a, b):
        return mp.quad(lambda t: t ** (mpf(shape) - 1) * mp.exp(-mpf(rate) * t), [a, b])

    with arithmetic.balls():
        law = ps.Gamma(number(shape), number(rate), low, high)
        found = law.mass(law.low, number("1.5"))
        assert float(found) == pytest.approx(float(mass(low, 1.5) / mass(low, high)), rel=1e-9)


def test_laws_of_other_shapes_are_refused():
    for p, q, what in ((ps.Gamma(2, 1), ps.Gamma(3, 2), "shape"), (ps.Beta(2, 3), ps.Beta(1, 1), "total of weights")):
        with pytest.raises(ValueError, match=f"p and q must have the same {what}"):
            ps.kullback_leibler(p, q)


def test_laws_without_balls_are_refused():
    with arithmetic.balls():
        p, q = ps.Beta(number(3), number(2)), ps.Beta(number(2), number(3))
        with pytest.raises(arithmetic.Undecided, match="in doubles alone"):
            ps.kullback_leibler(p, q)
