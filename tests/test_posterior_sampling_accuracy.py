"""What is computed of Beta and Gamma laws in doubles is right to the rounding that is stated, by mpmath's 60 digits."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from mpmath import mp, mpf

from dpbi import posterior_sampling as ps

RECORDS = [(7, 0), (0, 7), (1, 0), (3, 4), (1, 1), (200, 0), (0, 200), (150, 50), (100, 100), (199, 1)]
INTERVALS = [("0", "inf"), ("0.5", "2"), ("0", "2"), ("0.5", "inf"), ("1e-9", "1e-8")]
RATES = ["0.001", "1", "30", "1e4"]
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


@pytest.mark.slow
def test_the_ratio_of_coins_is_right_for_all_one_decimal_priors():
    cycle = itertools.cycle(RECORDS)
    for i, j in itertools.product(range(1, 51), repeat=2):
        (ones, zeros), a, b = next(cycle), mpf(i) / 10, mpf(j) / 10
        n = ones + zeros
        best = (mpf(ones) / n) ** ones * (mpf(zeros) / n) ** zeros
        true = best * mp.beta(a, b) / mp.beta(a + ones, b + zeros)
        found = ps.likelihood_ratio(ps.bernoulli(), ps.Beta(i / 10, j / 10), [1] * ones + [0] * zeros)
        assert relative(found, true) < 1e-12, (i, j, ones, zeros)


@pytest.mark.slow
def test_the_ratio_of_coins_within_bounds():
    @cache
    def mass(a, b, low, high):
        def kernel(t):
            return mp.exp(a * t - (a + b) * mp.log1p(mp.exp(t)))

        first = kernel(low)
        return first * mp.quad(lambda t: kernel(t) / first, mp.linspace(low, high, 9))

    for (low, high), (a, b), (ones, zeros) in itertools.product(
        [(-1, 2), (3, 4), (-30, -28)], [("2.6", "0.4"), ("1", "5")], [(7, 0), (3, 4), (0, 5)]
    ):
        n, p, q = ones + zeros, mpf(a), mpf(b)
        odds = min(max(mp.log(mpf(ones) / zeros) if ones and zeros else (mp.inf if ones else -mp.inf), low), high)
        best = mp.e ** (ones * odds) / (1 + mp.e**odds) ** n
        true = best * mass(p, q, low, high) / mass(p + ones, q + zeros, low, high)
        prior = ps.Beta(float(a), float(b), low, high)
        found = ps.likelihood_ratio(ps.bernoulli(), prior, [1] * ones + [0] * zeros)
        assert relative(found, true) < 1e-12, (low, a, ones, zeros)


def gamma_mass(shape, rate, low, high):
    return mp.gammainc(shape, rate * low, rate * high) / rate**shape


def read(low, high):
    return mpf(low), mp.inf if high == "inf" else mpf(high)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("shape", ["0.3", "1", "2.5", "40"])
@pytest.mark.parametrize("interval", INTERVALS)
def test_what_records_say_of_a_rate(rate, shape, interval):
    a, r, (low, high) = mpf(shape), mpf(rate), read(*interval)
    prior = ps.Gamma(float(shape), float(rate), *map(float, interval))
    for x in ([0.25], [0.25, 2.0, 5.5], [1.0] * 20):
        n, total = len(x), mpf(sum(x))
        best = min(max(n / total, low), high)
        marginal = gamma_mass(a + n, r + total, low, high) / gamma_mass(a, r, low, high)
        allowed = rounding(prior, ps.posterior(ps.exponential(), prior, x))
        largest = best**n * mp.e ** (-total * best) / marginal
        if mp.log(largest) < 600:  # what a double holds
            assert relative(ps.likelihood_ratio(ps.exponential(), prior, x), largest) < allowed
        found = ps.log_marginal(ps.exponential(), prior, x)
        assert abs(found - mp.log(marginal)) < allowed


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("interval", INTERVALS)
def test_masses_and_means_of_rates(rate, interval):
    r, (low, high) = mpf(rate), read(*interval)
    for shape in ("0.3", "1", "2.5"):
        a = mpf(shape)
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


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("gap", [2.0**-10, 1.0])
def test_distances_between_rates(rate, interval, gap):
    low, high = read(*interval)
    for shape in ("0.3", "1", "2.5"):
        a = mpf(shape)
        one, other = float(rate), float(rate) + gap
        r, s = mpf(one), mpf(other)
        p, q = (ps.Gamma(float(shape), value, *map(float, interval)) for value in (one, other))
        with mp.workdps(BIG + 30):
            zp, zq = (gamma_mass(a, value, low, high) for value in (r, s))
            level, slope = mp.log(zq / zp), s - r
            mean = gamma_mass(a + 1, r, low, high) / zp
            crossing = -level / slope
            variation = gamma_mass(a, r, low, crossing) / zp - gamma_mass(a, s, low, crossing) / zq
            divergence = level + slope * mean
        allowed = rounding(p, q)
        assert abs(ps.total_variation(p, q) - abs(variation)) < allowed
        assert abs(ps.kullback_leibler(p, q) - divergence) < allowed * (1 + abs(slope * mean))
        loss = math.inf if high == mp.inf else level + slope * high
        assert ps.privacy_loss(p, q) == loss or abs(ps.privacy_loss(p, q) - loss) < allowed
        assert abs(ps.privacy_loss(q, p) - (-level - slope * low)) < allowed


def test_draws_beside_an_end_are_spread_over_what_is_there():
    law = ps.Gamma(1.0, 1e15, 0.5, 2.0)  # all within a dozen doubles of 1/2
    drawn = law.sample(np.random.default_rng(3), 2000)
    steps = (drawn - 0.5) / 2.0**-53
    mean = sum(k * math.exp(-k * 1e15 * 2.0**-53) for k in range(400)) / sum(
        math.exp(-k * 1e15 * 2.0**-53) for k in range(400)
    )
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
