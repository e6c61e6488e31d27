"""Posteriors of coins as fractions and of rates as integrals, which are not the library's.

Only ``coins`` and ``rates`` make laws of the library, of the same numbers.
"""

import math
from fractions import Fraction

import mpmath as mp
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps

number = arithmetic.number
mp.mp.dps = 60

COINS = [Fraction(1, 5), Fraction(2, 5), Fraction(9, 10)]
WEIGHTS = [Fraction(1, 2), Fraction(1, 5), Fraction(3, 10)]
X, Y = [1, 1, 0, 1], [1, 0, 0, 0]
"""Three coins with their prior, and two datasets."""

LOW, HIGH, RATE = mp.mpf(1) / 2, mp.mpf(3), mp.mpf(2)
FIRST, SECOND = ["0.3", "0.9"], ["0.1", "0.2"]
"""The prior of a rate, exponential on an interval, and two datasets."""


def assert_values(found, expected, relative=1e-11, over_balls=1e-20):
    """What a function gives in doubles and over balls is as near to the oracle as that."""
    doubles = found()
    assert set(doubles) == set(expected)
    for name, value in doubles.items():
        assert float(value) == pytest.approx(float(expected[name]), rel=relative, abs=1e-15), name
    with arithmetic.balls():
        for name, value in found().items():
            nearest, radius = middle(value)
            assert radius <= 1e-20 * max(abs(nearest), 1e-5), name
            if mp.isinf(expected[name]):
                assert nearest == expected[name], name
            else:
                assert abs(nearest - expected[name]) <= over_balls * max(abs(expected[name]), 1), name


def middle(value):
    """The middle of a ball and its radius, an exact fraction, or infinity."""
    if math.isinf(float(value)):
        return mp.inf, 0
    if hasattr(value, "rad"):
        return mp.mpf(value.mid().str(45, radius=False)), float(value.rad())
    if isinstance(value, float | int):
        return mp.mpf(value), 0
    return mp.mpf(int(value.p)) / int(value.q), 0


def real(fraction):
    return mp.mpf(fraction.numerator) / fraction.denominator


def log_of(fraction):
    return mp.log(real(fraction))


def coins():
    return ps.weighted(number(["0.2", "0.4", "0.9"]), number(["0.5", "0.2", "0.3"]))


def coin_posterior(data, weights=WEIGHTS):
    likelihood = [math.prod(t if r else 1 - t for r in data) for t in COINS]
    marginal = sum(p * w for p, w in zip(likelihood, weights, strict=True))
    return likelihood, marginal, [p * w / marginal for p, w in zip(likelihood, weights, strict=True)]


def kl(p, q):
    return sum(real(a) * log_of(a / b) for a, b in zip(p, q, strict=True))


def h(w):
    return w / mp.expm1(w) - 1 - mp.log(w / mp.expm1(w))


def rate_law(data):
    """Shape and rate of the posterior density on the interval, and its distribution function."""
    shape, rate = 1 + len(data), RATE + mp.fsum(mp.mpf(str(x)) for x in data)

    def below(t):
        return mp.gammainc(shape, rate * LOW, rate * t) / rate**shape

    mass = below(HIGH)
    return shape, rate, mass, lambda t: t ** (shape - 1) * mp.e ** (-rate * t) / mass, lambda t: below(t) / mass


def pieces(*points):
    return sorted({LOW, HIGH, *(t for t in points if LOW < t < HIGH)})


def rates():
    return ps.trimmed_exponential(2, number("0.5"), 3)


def given(records):
    return [number(x) for x in records]


def tilted():
    """The log ratio of the two posteriors is level + slope t."""
    (_, one, first, *_), (_, two, second, *_) = rate_law(FIRST), rate_law(SECOND)
    return mp.log(second / first), two - one
