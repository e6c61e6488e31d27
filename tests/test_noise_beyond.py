"""Releases of more than n records: tilted sums held to sums of all moves, errors to lists and draws."""

import math

import mpmath
import numpy as np
import pytest

import dpbi
from dpbi.accuracy.noise_beyond import around_tilts
from dpbi.accuracy.noise_factors import noise_factors
from dpbi.accuracy.noise_moments import noise_moments
from dpbi.model.distances import count_distances

NOISE = ["lshist", "geometric", "lsdim", "lszhang", "staircase", "discrete_gaussian"]


def summed(a, last, decay, theta, total):
    """Of two counts and the last, which is used up: the sum of all moves with this total, fifty digits long."""
    with mpmath.workdps(50):

        def gap(weight, move):
            return (mpmath.loggamma(weight) + mpmath.loggamma(weight + move)) / 2 - mpmath.loggamma(weight + move / 2)

        def chance(move):
            return mpmath.exp(-decay * abs(move)) * mpmath.tanh(mpmath.mpf(decay) / 2)

        a, here = [mpmath.mpf(each) for each in a], mpmath.mpf(0)
        own = gap(a[2], mpmath.mpf(-last)) - gap(sum(a), mpmath.mpf(total - last))
        for first in range(-60, 61):
            moves = [mpmath.mpf(first), mpmath.mpf(total - first)]
            D = sum(gap(weight, move) for weight, move in zip(a, moves, strict=False)) + own
            here += chance(moves[0]) * chance(moves[1]) * mpmath.exp(-theta * D)
        return float(here)


@pytest.mark.parametrize("last", [0, 2])
@pytest.mark.parametrize("theta", [10.0, 1e4, 1e6, 1e9, 1e13])
def test_tilted_sums_are_those_of_all_moves(last, theta):
    prior, counts = np.ones(3), np.array([4000, 3000, last])
    factors = noise_factors(prior, counts, dpbi.geometric(2.0).noise(prior, counts), 46.0)
    places = np.flatnonzero(factors.excess)[:40]
    values, noise = around_tilts(factors, theta, places)
    for place, value, off in list(zip(places, values, noise, strict=True))[::7]:
        true = summed(prior + counts, last, 1.0, theta, int(factors.totals[place]))
        # exponents are off by a share of what is subtracted
        rounded = 1e-14 * theta * float(factors.subtracted[place]) * true
        assert abs(value - true) <= off + 1e-12 * true + 3 * rounded
        assert off <= 1e-10 * true + 1e-300 or theta < 1e3


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize(
    ("prior", "x"), [((1, 1, 1), (30, 31, 0)), ((0.3, 2, 1, 1), (9, 8, 0, 1)), ((1, 1, 1), (90, 2, 0))]
)
def test_moments_with_an_empty_last_category_are_those_of_the_list(name, prior, x):
    prior, counts, mechanism = np.array(prior, float), np.array(x), dpbi.MECHANISMS[name].at(1.5)
    law = mechanism.law(prior, counts)
    H = count_distances(prior, counts, law.outputs)
    mean = math.fsum(law.probabilities * H)
    deviation = math.sqrt(math.fsum(law.probabilities * (H - mean) ** 2))
    found = noise_moments(prior, counts, mechanism.noise(prior, counts))
    assert abs(found.mean.value - mean) <= found.mean.bound < 1e-11
    assert abs(found.standard_deviation.value - deviation) <= found.standard_deviation.bound < 1e-10


@pytest.mark.parametrize("name", ["lshist", "lsdim", "discrete_gaussian"])
@pytest.mark.parametrize("x", [(10**6, 0, 10**5, 0), (10**9, 10**9, 0), (50,) * 19 + (0,)])
def test_with_an_empty_last_category_ten_digits_are_known(name, x):
    prior, counts, mechanism = np.ones(len(x)), np.array(x), dpbi.MECHANISMS[name].at(0.8)
    found = dpbi.error_moments(mechanism, prior, counts)
    assert found.mean.bound < 1e-10 * found.mean.value
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(2), 4000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
