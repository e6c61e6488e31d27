"""The theorems of the posterior sampling paper as functions, against sums of fractions and mpmath's integrals.

No oracle here calls the library. Every value is computed in doubles and over balls.
"""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import adversary, conjugate_constants, random_privacy
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
    h,
    kl,
    log_of,
    pieces,
    rate_law,
    rates,
    real,
    tilted,
)

number = arithmetic.number


def test_robustness_of_coins():
    (px, mx, p), (py, my, q) = coin_posterior(X), coin_posterior(Y)
    ratios = [log_of(a / b) for a, b in zip(p, q, strict=True)]
    width, L, rho = max(ratios) - min(ratios), mp.log(9), 2
    C = max(real(max(px) / mx), real(max(py) / my))
    mean = sum(real(w) * abs(log_of(t / (1 - t))) for w, t in zip(WEIGHTS, COINS, strict=True))
    expected = {
        "distance": rho,
        "divergence": kl(p, q),
        "variation": real(sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2),
        "loss": max(ratios),
        "width": width,
        "lipschitz": L,
        "printed": 2 * L * rho,
        "largest_divergence": h(width),
        "largest_variation": mp.tanh(width / 4),
        "marginals": log_of(mx / my),
        "likelihood_ratio": C,
        "slope": C * mean,
        "largest_sum": C * mean * rho,
        "variation_by_mean": mp.sqrt(C * mean * rho) / 2,
        "by rate": C * (1 + 2 * mp.mpf("0.5") + mp.mpf("0.25")) * rho,
        "variation by rate": mp.sqrt(C * (1 + 2 * mp.mpf("0.5") + mp.mpf("0.25")) * rho / 2),
    }

    def found():
        told = ps.robustness(ps.bernoulli(), coins(), X, Y)
        names = [name for name in expected if "by rate" not in name]
        rates = {"by rate": told.printed_by_rate, "variation by rate": told.printed_variation_by_rate}
        return {
            **{name: getattr(told, name) for name in names},
            **{name: rate(number("0.5"), 4) for name, rate in rates.items()},
        }

    assert_values(found, expected)


def test_the_best_rate_is_taken_without_one():
    told = ps.robustness(ps.bernoulli(), coins(), X, Y)
    best = -math.log(0.3) / (math.log(9) - 1.5)  # below ln 9 the mass is 7/10; the jump at ln 4 is below 1.5
    assert told.printed_by_rate(1.5) == pytest.approx(told.likelihood_ratio * (1 + 3 + 1 / best) * 2, rel=1e-12)


def test_robustness_of_rates():
    shape, _, mass, p, F = rate_law(FIRST)
    _, _, mass2, q, G = rate_law(SECOND)
    level, slope = tilted()
    crossing = -level / slope
    prior_mass = (mp.e ** (-RATE * LOW) - mp.e ** (-RATE * HIGH)) / RATE

    def likelihood_ratio(data, mass):
        total = mp.fsum(mp.mpf(x) for x in data)
        best = min(max(len(data) / total, LOW), HIGH)
        return best ** len(data) * mp.e ** (-best * total) / (mass / prior_mass)

    C = max(likelihood_ratio(FIRST, mass), likelihood_ratio(SECOND, mass2))
    mean = mp.quad(lambda t: t * mp.e ** (-RATE * t), [LOW, 1, HIGH]) / prior_mass
    ends = [level + slope * t for t in (LOW, HIGH)]
    expected = {
        "distance": mp.mpf("0.9"),
        "divergence": mp.quad(lambda t: p(t) * mp.log(p(t) / q(t)), pieces(1)),
        "variation": abs(F(crossing) - G(crossing)),
        "loss": max(ends),
        "width": abs(slope) * (HIGH - LOW),
        "lipschitz": HIGH,
        "printed": 2 * HIGH * mp.mpf("0.9"),
        "largest_divergence": h(abs(slope) * (HIGH - LOW)),
        "largest_variation": mp.tanh(abs(slope) * (HIGH - LOW) / 4),
        "marginals": mp.log(mass / mass2),
        "likelihood_ratio": C,
        "largest_sum": C * mean * mp.mpf("0.9"),
    }

    def found():
        told = ps.robustness(ps.exponential(1), rates(), given(FIRST), given(SECOND))
        return {name: getattr(told, name) for name in expected}

    assert shape == 3
    assert_values(found, expected)


def test_robustness_without_a_bound():
    """Beta(2, 3) on all of (0, 1): closed forms with digamma functions and incomplete beta functions."""
    a, b, c, d = 3, 5, 4, 4  # [1, 0, 0] and [1, 1, 0]
    level = mp.log(mp.beta(c, d) / mp.beta(a, b))
    crossing = 1 / (1 + mp.e ** (-level))  # the log ratio is level - log-odds

    def share(x, y):
        return mp.betainc(x, y, 0, crossing, regularized=True)

    expected = {
        "divergence": level - (mp.digamma(a) - mp.digamma(b)),
        "variation": abs(share(a, b) - share(c, d)),
        "loss": mp.inf,
        "width": mp.inf,
        "lipschitz": mp.inf,
        "printed": mp.inf,
        "largest_divergence": mp.inf,
        "largest_variation": mp.mpf(1),
    }

    def found():
        told = ps.robustness(ps.bernoulli(), ps.Beta(2, 3), [1, 0, 0], [1, 1, 0])
        return {name: getattr(told, name) for name in expected}

    assert_values(found, expected)
    same = ps.robustness(ps.bernoulli(), ps.Beta(2, 3), [1, 0, 0], [0, 1, 0])
    assert (same.distance, same.divergence, same.variation, same.width) == (2.0, 0.0, 0.0, 0.0)
    assert ps.robustness(ps.bernoulli(), ps.Beta(2, 3), [1, 0], [1, 0]).printed == 0.0


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


def test_a_record_knows_its_own_thresholds():
    told = ps.distinguish(ps.bernoulli(), coins(), X, Y, 3)
    error = told.error
    assert told.frequency_radius() == adversary.frequency_radius(3, error)
    assert told.printed_distance() == adversary.printed_distance(told.lipschitz, 3, error)
    assert told.least_distance(0.1) == adversary.least_distance(told.lipschitz, 3, 0.1)
    bounds = ps.robustness(ps.bernoulli(), coins(), X, Y)
    assert told.least_distance_by_mean() == adversary.least_distance_by_mean(bounds.slope, 3, error)
    assert told.printed_distance_by_rate(2.0) == adversary.printed_distance_by_rate(
        bounds.likelihood_ratio, 2.0, 3, error
    )
    assert max(told.printed_distance(), told.least_distance(), told.least_distance_by_mean()) <= told.distance


# What a private prior costs


def test_the_cost_of_a_restricted_prior():
    data, L = [1, 1, 1], "1.4"  # the coin 9/10 has the constant ln 9 = 2.197, the others ln 4 and ln 1.5
    _, _, after = coin_posterior(data)
    kept = [p for p, t in zip(after, COINS, strict=True) if t < Fraction(1, 2)]
    guess = after.index(max(kept))
    radius = 2 * mp.sqrt(mp.log(2 / mp.mpf("0.1")) / 200)
    expected = {
        "lost": mp.mpf("0.3"),
        "printed": mp.mpf("1.2"),
        "distance": mp.mpf("0.6"),
        "privacy": 2 * mp.mpf(L) * 5,
        "outside": real(after[2]),
        "posterior distance": real(2 * after[2]),
        "guessing": real(max(after) - after[guess]),
        "from draws": real(after[2]) + real(1 - after[2]) * radius,
    }

    def found():
        told = ps.prior_cost(ps.bernoulli(), coins(), number(L))
        return {
            "lost": told.lost,
            "printed": told.printed,
            "distance": told.distance,
            "privacy": told.privacy(5),
            "outside": told.outside(data),
            "posterior distance": told.posterior_distance(data),
            "guessing": told.guessing(data),
            "from draws": told.from_draws(data, 100, 3, number("0.1")),
        }

    assert_values(found, expected)


def test_the_cost_of_a_restricted_interval():
    cut = mp.mpf("2.2")
    _, _, _, _, F = rate_law(FIRST)
    lost = (mp.e ** (-2 * cut) - mp.e ** (-2 * HIGH)) / (mp.e ** (-2 * LOW) - mp.e ** (-2 * HIGH))

    def found():
        told = ps.prior_cost(ps.exponential(1), rates(), number("2.2"))
        return {"lost": told.lost, "outside": told.outside(given(FIRST))}

    assert_values(found, {"lost": lost, "outside": 1 - F(cut)})


def test_another_prior():
    other = [Fraction(2, 5), Fraction(3, 10), Fraction(3, 10)]
    eta = max(abs(log_of(a / b)) for a, b in zip(WEIGHTS, other, strict=True))
    outcomes = list(itertools.product((0, 1), repeat=2))
    both = [(coin_posterior(x), coin_posterior(x, other)[2]) for x in outcomes]
    expected = {
        "eta": eta,
        "divergence": kl(WEIGHTS, other),
        "printed": 2 * eta,
        "mean_divergence": eta * mp.tanh(eta / 2),
        "largest_divergence": h(2 * eta),
        "largest_regret": 2 * mp.tanh(eta / 2),
        "mean": sum(real(marginal) * kl(p, q) for (_, marginal, p), q in both),
        "at": kl(both[1][0][2], both[1][1]),
        "distance": real(sum(abs(a - b) for a, b in zip(both[1][0][2], both[1][1], strict=True))),
        "from draws": 2 * mp.tanh(eta / 2) + 2 * mp.sqrt(mp.log(20) / 100),
    }

    def found():
        private = ps.weighted(number(["0.2", "0.4", "0.9"]), number(["0.4", "0.3", "0.3"]))
        told = ps.prior_difference(ps.bernoulli(), coins(), private)
        return {
            **{name: getattr(told, name) for name in list(expected)[:6]},
            "mean": told.mean_over(outcomes),
            "at": told.divergence_at(outcomes[1]),
            "distance": told.distance_at(outcomes[1]),
            "from draws": told.from_draws(50, 2, number("0.05")),
        }

    assert_values(found, expected)
    assert expected["mean"] <= expected["divergence"] <= expected["mean_divergence"]


# Privacy that holds for most parameters


def test_random_privacy_of_coins():
    n, L = 6, mp.mpf("1.5")
    datasets = [[1] * k + [0] * (n - k) for k in range(n + 1)]
    laws = [coin_posterior(x)[2] for x in datasets]
    worst = [
        max(log_of(laws[j][i] / laws[k][i]) / abs(j - k) for j, k in itertools.permutations(range(n + 1), 2))
        for i in range(3)
    ]
    steps = [(log_of(Fraction(9)), "0.3"), (log_of(Fraction(4)), "0.8")]
    rate = min(-mp.log(mp.mpf(above)) / (jump - mp.mpf("0.5")) for jump, above in steps)  # jumps above L0 = 1/2
    inside = [i for i, t in enumerate(COINS) if abs(log_of(t / (1 - t))) <= mp.mpf("1.4")]
    C = max(real(max(like) / m) for like, m, _ in map(coin_posterior, datasets))
    mean = sum(real(w) * abs(log_of(t / (1 - t))) for w, t in zip(WEIGHTS, COINS, strict=True))
    kept = [[law[i] / sum(law[j] for j in inside) for i in inside] for law in laws]
    expected = {
        "mass": sum((real(w) for w, ratio in zip(WEIGHTS, worst, strict=True) if ratio <= 2 * L), mp.mpf(0)),
        "neighbours": sum((real(w) for w, ratio in zip(WEIGHTS, worst, strict=True) if ratio <= 2 * L), mp.mpf(0)),
        "promised": 1 - mp.e ** (-rate * (L - mp.mpf("0.5"))),
        "inside": max(worst[i] for i in inside),
        "bound": mp.mpf("1.4") + C * mean,
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
            "mass": random_privacy.mass_within(family, prior, datasets, level),
            "neighbours": random_privacy.mass_within_neighbours(prior, n, level),
            "promised": random_privacy.promised_mass(family, prior, number("0.5"), level),
            "inside": random_privacy.ratio_inside(family, prior, datasets, beyond),
            "bound": random_privacy.ratio_bound(family, prior, datasets, beyond),
            "restricted": random_privacy.loss_once_restricted(family, prior, datasets, beyond),
        }

    assert 0 < expected["mass"] < 1
    assert_values(found, expected)


# Bad input: one clear error each

HEADS = ([1], [0])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda: ps.robustness(ps.bernoulli(), ps.uniform([0.2, 0.8]), [1], [0, 1]),
            ValueError,
            "same number of records",
        ),
        (
            lambda: ps.robustness(ps.bernoulli(), "uniform", *HEADS),
            TypeError,
            "prior must be a Finite",
        ),
        (lambda: ps.distinguish(ps.bernoulli(), coins(), *HEADS, 0), ValueError, "size must be an integer >= 1"),
        (lambda: ps.distinguish(ps.bernoulli(), coins(), *HEADS, 2.5), TypeError, "size must be an integer >= 1"),
        (
            lambda: ps.distinguish(ps.bernoulli(), coins(), *HEADS, 2).delta(-1),
            ValueError,
            "epsilon must be a finite number",
        ),
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
        (lambda: ps.distinguish(ps.bernoulli(), ps.Beta(1, 1), *HEADS, 2), TypeError, "prior must be a Finite law to"),
        (lambda: ps.best_rate(ps.bernoulli(), ps.Beta(1, 1), 0.5), TypeError, "prior must be a Finite law for a best"),
        (
            lambda: ps.robustness(ps.markov_chain(2), ps.Tables([np.ones((2, 2))], 0.1), [0, 1], [1, 1]),
            TypeError,
            "prior must be a Finite, Gamma or Beta law",
        ),
        (
            lambda: random_privacy.mass_within_neighbours(ps.Beta(2, 2), 3, 1.0),
            TypeError,
            "prior must be a Finite law, got Beta",
        ),
        (lambda: ps.le_cam(ps.bernoulli(), coins(), list(HEADS), 1000), ValueError, "size must leave at most"),
        (lambda: ps.prior_cost(ps.bernoulli(), coins(), -1.0), ValueError, "L must be a finite number >= 0"),
        (
            lambda: ps.prior_cost(ps.bernoulli(), ps.Beta(1, 1), 1.0).guessing([1]),
            TypeError,
            "must be a Finite law to guess",
        ),
        (
            lambda: ps.prior_difference(ps.bernoulli(), ps.uniform([0.2]), ps.uniform([0.3])),
            ValueError,
            "p and q must be laws on the same parameters",
        ),
        (
            lambda: ps.prior_difference(ps.bernoulli(), ps.Beta(1, 2), ps.Beta(2, 1)),
            ValueError,
            "ideal and private must have a bounded log ratio",
        ),
        (
            lambda: ps.prior_difference(ps.bernoulli(), coins(), coins()).mean_over([[1]]),
            ValueError,
            "outcomes must be all datasets there are",
        ),
        (
            lambda: random_privacy.mass_within(ps.bernoulli(), coins(), [[1]], 1.0),
            ValueError,
            "datasets must have at least two",
        ),
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
