"""The theorems of the posterior sampling paper as functions, against sums of fractions and mpmath's integrals.

No oracle here calls the library. Every value is computed in doubles and over balls.
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


# Bad input: one clear error each

HEADS = ([1], [0])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: ps.distinguishing_error(coins(), coins(), 0), ValueError, "size must be an integer >= 1"),
        (lambda: ps.distinguishing_error(coins(), coins(), 2.5), TypeError, "size must be an integer >= 1"),
        (
            lambda: ps.distinguishing_error(ps.Beta(1, 1), ps.Beta(1, 2), 2),
            TypeError,
            "law must be a Finite law to count",
        ),
        (
            lambda: ps.distinguishing_error(ps.uniform([0.2]), ps.uniform([0.3]), 2),
            ValueError,
            "p and q must be laws on the same",
        ),
        (lambda: ps.least_delta(coins(), coins(), -1), ValueError, "epsilon must be a finite number"),
        (lambda: ps.privacy_loss("a", "a"), TypeError, "p and q must be Finite, Gamma or Beta laws"),
        (lambda: adversary.least_distance(1.0, 3, 0.6), ValueError, "delta must be a finite number > 0 and <= 0.5"),
        (lambda: adversary.printed_distance(0.0, 3, 0.1), ValueError, "L must be a finite number > 0"),
        (lambda: adversary.frequency_radius(3, 0.0), ValueError, "delta must be a finite number > 0 and < 1"),
        (
            lambda: ps.le_cam(ps.bernoulli(), coins(), [[1]]),
            ValueError,
            "datasets must have at least two entries, got 1",
        ),
        (
            lambda: ps.le_cam(ps.bernoulli(), ps.Beta(1, 1), [[0], [1]]),
            TypeError,
            "prior must be a Finite law to guess",
        ),
        (lambda: ps.best_rate(ps.bernoulli(), ps.Beta(1, 1), 0.5), TypeError, "prior must be a Finite law for a best"),
        (
            lambda: random_privacy.mass_within_neighbours(ps.Beta(2, 2), 3, 1.0),
            TypeError,
            "prior must be a Finite law, got Beta",
        ),
        (lambda: ps.le_cam(ps.bernoulli(), coins(), list(HEADS), 1000), ValueError, "size must leave at most"),
        (
            lambda: conjugate_constants.exponential_constants(ps.Gamma(2, 1, 0.5, 2), 1.0),
            ValueError,
            "prior must be a trimmed exponential law",
        ),
        (lambda: conjugate_constants.tail_rate(2, 1.0), ValueError, "p must be a finite number > 0 and < 1"),
    ],
)
def test_bad_input_has_one_clear_error(call, error, says):
    with pytest.raises(error, match=says.replace("(", r"\(")):
        call()
