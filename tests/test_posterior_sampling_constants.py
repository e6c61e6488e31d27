"""The constants that Section 5 prints, and the tails of Lemma 21, against mpmath."""

import mpmath as mp
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import conjugate_constants
from posterior_oracles import assert_values

number = arithmetic.number


def test_printed_constants():
    lam, c1, c2, B, mu = (mp.mpf(x) for x in ("2", "0.5", "1.5", "2", "0.3"))
    D = B + mu

    def least(reach):
        return c2 / min(c1 * mp.e ** (-c1 * reach), c2 * mp.e ** (-c2 * reach))

    def laplace(sign):
        return c2 / (2 * min(1 / (2 * c2), mp.e ** ((sign * mu - B) / c1) / (2 * c1)))

    m = max(mu, mp.mpf(1))
    expected = {
        "19 L0": c1,
        "19 c": lam,
        "19 C": least(B),
        "19 delta": mp.sqrt(least(B) * (1 + 2 * c1 + 1 / lam) / 2 * mp.mpf("0.7")),
        "20 C above": laplace(1),
        "20 C below": laplace(-1),
        "20 C": least(D),
        "21 L0": mp.log(10),
        "21 c": mp.mpf(2) ** (1 - 2 * mp.mpf("2.6")) / mp.beta("2.6", "2.6"),
        "21 C": mp.beta("2.6", "2.6") / mp.beta("7.1", "8.1"),
        "21 C exact": mp.beta("2.6", "2.6") / mp.beta("2.6", "12.6"),
        "22 L0": c1 * m / 2,
        "22 c": 2 * lam / m,
        "22 C printed": min(mp.sqrt(c2 / c1) * mp.e ** (c1 * c2**2 / 2), mp.e ** (c2**3 / 2)),
        "22 C": max(mp.sqrt(c2 / c1) * mp.e ** (c1 * D**2 / 2), mp.e ** (c2 * D**2 / 2)),
    }

    def found():
        prior = ps.trimmed_exponential(2, number("0.5"), number("1.5"))
        bound, mean, alpha = number("2"), number("0.3"), number("2.6")
        first = conjugate_constants.exponential_constants(prior, bound)
        coin = conjugate_constants.coin_constants(alpha, 10)
        normal = conjugate_constants.normal_constants(prior, mean)
        return {
            "19 L0": first.L0,
            "19 c": first.rate,
            "19 C": first.ratio,
            "19 delta": first.delta(number("0.7")),
            "20 C above": conjugate_constants.laplace_constants(prior, bound, mean).ratio,
            "20 C below": conjugate_constants.laplace_constants(prior, bound, mean, above=False).ratio,
            "20 C": conjugate_constants.laplace_ratio(prior, bound, mean),
            "21 L0": coin.L0,
            "21 c": coin.rate,
            "21 C": coin.ratio,
            "21 C exact": conjugate_constants.coin_ratio(alpha, 10),
            "22 L0": normal.L0,
            "22 c": normal.rate,
            "22 C printed": normal.ratio,
            "22 C": conjugate_constants.normal_ratio(prior, bound, mean),
        }

    assert_values(found, expected)


@pytest.mark.parametrize("alpha", ["0.7", "1", "2.6", "6"])
@pytest.mark.parametrize("p", ["0.05", "0.5", "0.999"])
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
            "A": conjugate_constants.beta_tail(*values),
            "F": conjugate_constants.tail_rate(*values),
            "G": conjugate_constants.tail_slope(*values),
            "H": conjugate_constants.tail_bend(*values),
        }

    assert_values(found, expected, relative=1e-9)
