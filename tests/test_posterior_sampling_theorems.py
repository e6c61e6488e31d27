"""The theorems of the posterior sampling paper, and the constants that its Section 5 prints, as functions.

The oracles are sums of fractions, mpmath's integrals and closed forms, and none of them calls the library. Every value
is computed in doubles and over balls.
"""

import itertools
from fractions import Fraction

import mpmath as mp
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import adversary, conjugate_constants, random_privacy
from dpbi.posterior_sampling.bounds import divergence_slope
from dpbi.posterior_sampling.utility import guessing_regret, region_cost
from posterior_oracles import (
    COINS,
    FIRST,
    HIGH,
    LOW,
    RATE,
    SECOND,
    WEIGHTS,
    X,
    Y,
    assert_values,
    coin_posterior,
    coins,
    given,
    kl,
    log_of,
    pieces,
    rate_law,
    rates,
    real,
    tilted,
)

number = arithmetic.number


def test_distances_between_posteriors_of_coins():
    (px, mx, p), (_, my, q) = coin_posterior(X), coin_posterior(Y)
    ratios = [log_of(a / b) for a, b in zip(p, q, strict=True)]
    expected = {
        "divergence": kl(p, q),
        "variation": real(sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2),
        "loss": max(ratios),
        "lipschitz": mp.log(9),
        "marginals": log_of(mx / my),
        "likelihood ratio": real(max(px) / mx),
        "mean": sum(real(w) * abs(log_of(t / (1 - t))) for w, t in zip(WEIGHTS, COINS, strict=True)),
        "slope": mp.mpf("2.5") * (1 + 2 * mp.mpf("0.5") + mp.mpf("0.25")),
    }

    def found():
        family, prior = ps.bernoulli(), coins()
        first, second = (ps.posterior(family, prior, data) for data in (X, Y))
        return {
            "divergence": ps.kullback_leibler(first, second),
            "variation": ps.total_variation(first, second),
            "loss": ps.privacy_loss(first, second),
            "lipschitz": ps.lipschitz_bound(family, prior),
            "marginals": ps.log_marginal(family, prior, X) - ps.log_marginal(family, prior, Y),
            "likelihood ratio": ps.likelihood_ratio(family, prior, X),
            "mean": ps.expected_lipschitz(family, prior),
            "slope": divergence_slope(number("2.5"), number("0.5"), 4),
        }

    assert_values(found, expected)
    assert max(ratios) - min(ratios) <= 2 * expected["lipschitz"] * 2  # two records differ


def test_distances_between_posteriors_of_rates():
    _, _, mass, p, F = rate_law(FIRST)
    _, _, mass2, q, G = rate_law(SECOND)
    level, slope = tilted()
    crossing = -level / slope
    prior_mass = (mp.e ** (-RATE * LOW) - mp.e ** (-RATE * HIGH)) / RATE
    total = mp.fsum(mp.mpf(x) for x in FIRST)
    best = min(max(len(FIRST) / total, LOW), HIGH)
    expected = {
        "variation": abs(F(crossing) - G(crossing)),
        "loss": max(level + slope * t for t in (LOW, HIGH)),
        "marginals": mp.log(mass / mass2),
        "likelihood ratio": best ** len(FIRST) * mp.e ** (-best * total) / (mass / prior_mass),
        "mean": mp.quad(lambda t: t * mp.e ** (-RATE * t), [LOW, 1, HIGH]) / prior_mass,
    }

    def posteriors():
        return [ps.posterior(ps.exponential(1), rates(), given(data)) for data in (FIRST, SECOND)]

    def found():
        family, prior = ps.exponential(1), rates()
        first, second = posteriors()
        return {
            "variation": ps.total_variation(first, second),
            "loss": ps.privacy_loss(first, second),
            "marginals": ps.log_marginal(family, prior, given(FIRST)) - ps.log_marginal(family, prior, given(SECOND)),
            "likelihood ratio": ps.likelihood_ratio(family, prior, given(FIRST)),
            "mean": ps.expected_lipschitz(family, prior),
        }

    assert_values(found, expected)
    divergence = mp.quad(lambda t: p(t) * mp.log(p(t) / q(t)), pieces(1))
    assert ps.kullback_leibler(*posteriors()) == pytest.approx(float(divergence), rel=1e-11)


def test_distances_between_laws_without_a_bound():
    """Beta(3, 5) and Beta(4, 4) on all of (0, 1): closed forms with digamma and incomplete beta functions."""
    a, b, c, d = 3, 5, 4, 4
    level = mp.log(mp.beta(c, d) / mp.beta(a, b))
    crossing = 1 / (1 + mp.e ** (-level))  # the log ratio is level - log-odds

    def share(x, y):
        return mp.betainc(x, y, 0, crossing, regularized=True)

    def found():
        p, q = ps.Beta(number(a), number(b)), ps.Beta(number(c), number(d))
        return {"variation": ps.total_variation(p, q), "loss": ps.privacy_loss(p, q)}

    assert_values(found, {"variation": abs(share(a, b) - share(c, d)), "loss": mp.inf})
    divergence = level - (mp.digamma(a) - mp.digamma(b))
    assert ps.kullback_leibler(ps.Beta(a, b), ps.Beta(c, d)) == pytest.approx(float(divergence), rel=1e-11)


# What Theorem 13 and Lemma 12 ask for

DELTA = mp.mpf("0.03")


def test_thresholds_of_theorem_13_and_lemma_12():
    L, N, C, c = mp.mpf("1.5"), 7, mp.mpf("2.5"), mp.mpf("0.8")
    expected = {
        "frequencies": mp.sqrt(mp.mpf(3) / N * mp.log(1 / DELTA)),
        "weissman": (2**4 - 2) * mp.e ** (-N * mp.mpf("0.9") ** 2 / 2),
        "radius": mp.sqrt(mp.mpf(2) / N * mp.log((2**4 - 2) / DELTA)),
        "printed": 3 / (4 * L * N) * mp.log(1 / DELTA),
        "printed by rate": 6 / (N * (C / c + mp.log(C))) * mp.log(1 / DELTA),
        "sharp": 2 / L * mp.acosh((4 * DELTA * (1 - DELTA)) ** (-mp.mpf(1) / (2 * N))),
        "sharp by mean": 2 * (1 - 2 * DELTA) / (N * C) * mp.log((1 - DELTA) / DELTA),
        "nearly nothing": 2 * mp.acosh((4 * mp.mpf("0.499999") * mp.mpf("0.500001")) ** (-mp.mpf(1) / (2 * 10**6))),
    }

    def found():
        d, bound, r = number("0.03"), number("1.5"), number("2.5")
        return {
            "frequencies": adversary.frequency_radius(N, d),
            "weissman": adversary.weissman_bound(4, N, number("0.9")),
            "radius": adversary.weissman_radius(4, N, d),
            "printed": adversary.printed_distance(bound, N, d),
            "printed by rate": adversary.printed_distance_by_rate(r, number("0.8"), N, d),
            "sharp": adversary.least_distance(bound, N, d),
            "sharp by mean": adversary.least_distance_by_mean(r, N, d),
            "nearly nothing": adversary.least_distance(1, 10**6, number("0.499999")),
        }

    assert_values(found, expected, relative=1e-5)
    tight = {name: value for name, value in expected.items() if name != "nearly nothing"}
    assert {name: float(found()[name]) for name in tight} == pytest.approx(
        {name: float(value) for name, value in tight.items()}, rel=1e-13
    )


# What a private prior costs


def test_the_cost_of_a_restricted_prior():
    data, L = [1, 1, 1], "1.4"  # the coin 9/10 has the constant ln 9 = 2.197, the others ln 4 and ln 1.5
    _, _, after = coin_posterior(data)
    guess = after.index(max(p for p, t in zip(after, COINS, strict=True) if t < Fraction(1, 2)))
    expected = {"lost": mp.mpf("0.3"), "outside": real(after[2]), "guessing": real(max(after) - after[guess])}

    def found():
        family, prior, level = ps.bernoulli(), coins(), number(L)
        return {
            "lost": region_cost(family, prior, level),
            "outside": region_cost(family, ps.posterior(family, prior, data), level),
            "guessing": guessing_regret(family, prior, level, data),
        }

    assert_values(found, expected)


def test_the_mass_that_a_restricted_interval_keeps():
    cut = mp.mpf("2.2")
    _, _, _, _, F = rate_law(FIRST)
    kept = (mp.e ** (-2 * LOW) - mp.e ** (-2 * cut)) / (mp.e ** (-2 * LOW) - mp.e ** (-2 * HIGH))

    def found():
        family, prior, level = ps.exponential(1), rates(), number("2.2")
        after = ps.posterior(family, prior, given(FIRST))
        return {
            "before": ps.lipschitz_mass(family, prior, level),
            "after": ps.lipschitz_mass(family, after, level),
        }

    assert_values(found, {"before": kept, "after": F(cut)})


# Privacy that holds for most parameters


def test_random_privacy_of_coins():
    n, L = 6, mp.mpf("1.5")
    datasets = [[1] * k + [0] * (n - k) for k in range(n + 1)]
    laws = [coin_posterior(x)[2] for x in datasets]
    worst = [
        max(log_of(laws[j][i] / laws[k][i]) / abs(j - k) for j, k in itertools.permutations(range(n + 1), 2))
        for i in range(3)
    ]
    inside = [i for i, t in enumerate(COINS) if abs(log_of(t / (1 - t))) <= mp.mpf("1.4")]
    kept = [[law[i] / sum(law[j] for j in inside) for i in inside] for law in laws]
    expected = {
        "neighbours": sum((real(w) for w, ratio in zip(WEIGHTS, worst, strict=True) if ratio <= 2 * L), mp.mpf(0)),
        "restricted": max(
            log_of(kept[j][i] / kept[k][i]) / abs(j - k)
            for j, k in itertools.permutations(range(n + 1), 2)
            for i in range(len(inside))
        ),
    }

    def found():
        family, prior = ps.bernoulli(), coins()
        level, beyond = number("1.5"), number("1.4")
        return {
            "neighbours": random_privacy.mass_within_neighbours(prior, n, level),
            "restricted": ps.worst_neighbours(
                ps.privacy_loss, ps.count_posteriors(ps.restricted(family, prior, beyond), n)
            ),
        }

    assert 0 < expected["neighbours"] < 1
    assert_values(found, expected)


# The constants of Section 5


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
            "A": conjugate_constants.beta_tail(*values),
            "F": conjugate_constants.tail_rate(*values),
            "G": conjugate_constants.tail_slope(*values),
            "H": conjugate_constants.tail_bend(*values),
        }

    assert_values(found, expected, relative=1e-9)
