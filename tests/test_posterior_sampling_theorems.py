"""Theorems of the posterior sampling paper as functions, with the constants that its Section 5 prints.

The oracles are fractions, mpmath and closed forms, none of which calls the library. Every value is computed in doubles
and in ball arithmetic.
"""

import itertools
from fractions import Fraction

import mpmath as mp
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import adversary, conjugate_constants, random_privacy

number = arithmetic.number


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(60):
        yield


def assert_values(found, expected, relative=1e-11):
    """What a function gives in doubles is as near to the oracle as that, and over balls to twenty digits."""
    doubles = found()
    assert doubles.keys() == expected.keys()
    for name, value in doubles.items():
        assert float(value) == pytest.approx(float(expected[name]), rel=relative, abs=1e-15), name
    with arithmetic.balls():
        for name, value in found().items():
            gap = abs(value - number(mp.nstr(expected[name], 45)))
            assert arithmetic.less(gap, number("1e-20") * (1 + abs(value))), name


def test_thresholds_of_theorem_13_and_lemma_12():
    L, N, C, c, DELTA = mp.mpf("1.5"), 7, mp.mpf("2.5"), mp.mpf("0.8"), mp.mpf("0.03")
    expected = {
        "frequencies": mp.sqrt(mp.mpf(3) / N * mp.log(1 / DELTA)),
        "weissman": (2**4 - 2) * mp.e ** (-N * mp.mpf("0.9") ** 2 / 2),
        "radius": mp.sqrt(mp.mpf(2) / N * mp.log((2**4 - 2) / DELTA)),
        "printed": 3 / (4 * L * N) * mp.log(1 / DELTA),
        "printed by rate": 6 / (N * (C / c + mp.log(C))) * mp.log(1 / DELTA),
        "sharp": 2 / L * mp.acosh((4 * DELTA * (1 - DELTA)) ** (-mp.mpf(1) / (2 * N))),
        "sharp by mean": 2 * (1 - 2 * DELTA) / (N * C) * mp.log((1 - DELTA) / DELTA),
    }

    def found():
        d, bound, r = number("0.03"), number("1.5"), number("2.5")
        return {
            "frequencies": adversary.frequency_radius(N, d), "weissman": adversary.weissman_bound(4, N, number("0.9")),
            "radius": adversary.weissman_radius(4, N, d), "printed": adversary.printed_distance(bound, N, d),
            "printed by rate": adversary.printed_distance_by_rate(r, number("0.8"), N, d),
            "sharp": adversary.least_distance(bound, N, d), "sharp by mean": adversary.least_distance_by_mean(r, N, d),
        }  # fmt: skip

    assert_values(found, expected)
    nearly = 2 * mp.acosh((4 * mp.mpf("0.499999") * mp.mpf("0.500001")) ** (-mp.mpf(1) / (2 * 10**6)))
    assert_values(lambda: {"least": adversary.least_distance(1, 10**6, number("0.499999"))}, {"least": nearly}, 1e-5)


def test_random_privacy_of_coins():
    n, fifth = 6, Fraction(1, 5)
    coins = [(fifth, Fraction(1, 2)), (2 * fifth, fifth), (Fraction(9, 10), Fraction(3, 10))]

    def losses(coins):
        """For each coin the largest log ratio between two posteriors, for each record in which their data differ."""
        joint = [[w * t**k * (1 - t) ** (n - k) for t, w in coins] for k in range(n + 1)]
        laws = [[mp.mpf(w.numerator) / w.denominator for w in (each / sum(row) for each in row)] for row in joint]
        pairs = list(itertools.permutations(range(n + 1), 2))
        return [max(mp.log(laws[j][i] / laws[k][i]) / abs(j - k) for j, k in pairs) for i in range(len(coins))]

    inside = [float(w) for (_, w), loss in zip(coins, losses(coins), strict=True) if loss <= 2 * 1.5]
    assert 0 < len(inside) < 3

    def found():
        family, prior = ps.bernoulli(), ps.weighted(number(["0.2", "0.4", "0.9"]), number(["0.5", "0.2", "0.3"]))
        kept = ps.restricted(family, prior, number("1.4"))  # without the coin 0.9, whose constant is ln 9
        return {
            "neighbours": random_privacy.mass_within_neighbours(prior, n, number("1.5")),
            "restricted": ps.worst_neighbours(ps.privacy_loss, ps.count_posteriors(kept, n)),
        }

    assert_values(found, {"neighbours": mp.mpf(str(sum(inside))), "restricted": max(losses(coins[:2]))})


def test_printed_constants():
    lam, c1, c2, B, mu = (mp.mpf(x) for x in ("2", "0.5", "1.5", "2", "0.3"))
    D = B + mu

    def least(reach):
        return c2 / min(c1 * mp.e ** (-c1 * reach), c2 * mp.e ** (-c2 * reach))

    def laplace(sign):
        return c2 / (2 * min(1 / (2 * c2), mp.e ** ((sign * mu - B) / c1) / (2 * c1)))

    m = max(mu, mp.mpf(1))
    expected = {
        "19 L0": c1, "19 c": lam, "19 C": least(B),
        "19 delta": mp.sqrt(least(B) * (1 + 2 * c1 + 1 / lam) / 2 * mp.mpf("0.7")),
        "20 C above": laplace(1), "20 C below": laplace(-1), "20 C": least(D), "21 L0": mp.log(10),
        "21 c": mp.mpf(2) ** (1 - 2 * mp.mpf("2.6")) / mp.beta("2.6", "2.6"),
        "21 C": mp.beta("2.6", "2.6") / mp.beta("7.1", "8.1"),
        "21 C exact": mp.beta("2.6", "2.6") / mp.beta("2.6", "12.6"),
        "22 L0": c1 * m / 2, "22 c": 2 * lam / m,
        "22 C printed": min(mp.sqrt(c2 / c1) * mp.e ** (c1 * c2**2 / 2), mp.e ** (c2**3 / 2)),
        "22 C": max(mp.sqrt(c2 / c1) * mp.e ** (c1 * D**2 / 2), mp.e ** (c2 * D**2 / 2)),
    }  # fmt: skip

    def found():
        prior = ps.trimmed_exponential(2, number("0.5"), number("1.5"))
        bound, mean, alpha = number("2"), number("0.3"), number("2.6")
        first = conjugate_constants.exponential_constants(prior, bound)
        coin = conjugate_constants.coin_constants(alpha, 10)
        normal = conjugate_constants.normal_constants(prior, mean)
        values = [
            *(first.L0, first.rate, first.ratio, first.delta(number("0.7"))),
            conjugate_constants.laplace_constants(prior, bound, mean).ratio,
            conjugate_constants.laplace_constants(prior, bound, mean, above=False).ratio,
            conjugate_constants.laplace_ratio(prior, bound, mean),
            *(coin.L0, coin.rate, coin.ratio, conjugate_constants.coin_ratio(alpha, 10)),
            *(normal.L0, normal.rate, normal.ratio, conjugate_constants.normal_ratio(prior, bound, mean)),
        ]
        return dict(zip(expected, values, strict=True))

    assert_values(found, expected)


@pytest.mark.parametrize(("alpha", "p"), [("0.7", "0.05"), ("1", "0.5"), ("2.6", "0.999"), ("6", "0.5")])
def test_the_tails_of_lemma_21(alpha, p):
    a, x = mp.mpf(alpha), mp.mpf(p)
    whole, tail = mp.beta(a, a), mp.betainc(a, a, 0, x / (1 + x))
    slope = x ** (a - 1) / (1 + x) ** (2 * a)
    expected = {
        "A": tail,
        "F": mp.log(2 * tail / whole) / mp.log(x),
        "G": x * slope / tail * mp.log(x) - mp.log(2 * tail / whole),
        "H": a * tail - x**a / ((1 - x) * (1 + x) ** (2 * a - 1)),
    }

    def found():
        values = number(alpha), number(p)
        return {
            "A": conjugate_constants.beta_tail(*values), "F": conjugate_constants.tail_rate(*values),
            "G": conjugate_constants.tail_slope(*values), "H": conjugate_constants.tail_bend(*values),
        }  # fmt: skip

    assert_values(found, expected, relative=1e-9)
