"""Posterior sampling in doubles against the same library over Arb balls, where doubles could lose their digits."""

import math

import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.bounds import (
    jeffreys_bound,
    largest_divergence,
    largest_likelihood_ratio,
    largest_variation,
)
from dpbi.posterior_sampling.random_privacy import mass_within_neighbours

number = arithmetic.number
MEASURES = (ps.privacy_loss, ps.total_variation, ps.kullback_leibler)


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


def distances(p, q):
    return [measure(*pair) for measure in MEASURES for pair in ((p, q), (q, p))]


@pytest.mark.parametrize("ones", [0, 1, 1500, 3000])
def test_posteriors_of_many_records_keep_their_digits(ones):
    """The likelihood of 3000 records is below the smallest double; the balls multiply it out."""

    def quantities():
        family, prior = ps.bernoulli(), ps.uniform(ps.bernoulli_grid(number(0.05)))
        p, q = (ps.posterior(family, prior, records(k, 3000)) for k in (ones, abs(ones - 1)))
        return [
            ps.log_marginal(family, prior, records(ones, 3000)),
            ps.likelihood_ratio(family, prior, records(ones, 3000)),
            *distances(p, q),
            ps.least_delta(p, q, number(0.1)),
        ]

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


@pytest.mark.parametrize("kind", ["uniform", "exponential"])
def test_assumptions_and_bounds_agree(kind):
    def quantities():
        family, grid = ps.bernoulli(), ps.bernoulli_grid(number(0.05))
        prior = ps.uniform(grid) if kind == "uniform" else ps.exponential_prior(family, grid)
        kept = ps.restricted(family, prior, number(1.2))
        return [
            ps.best_rate(family, prior, number(0.9)),
            ps.expected_lipschitz(family, prior),
            ps.lipschitz_bound(family, prior),
            ps.lipschitz_mass(family, prior, number(1.1)),
            ps.expected_lipschitz(family, kept),
            largest_likelihood_ratio(prior, 12),
            jeffreys_bound(prior, 12),
            mass_within_neighbours(prior, 12, number(1.5)),
        ]

    assert_enclosed(quantities, 1e-12)


def test_symmetric_parameters_tie_over_balls_as_in_doubles():
    with arithmetic.balls():
        family, prior = ps.bernoulli(), ps.uniform(ps.bernoulli_grid(number(0.2)))
        L = arithmetic.log(number(4))
        assert len(ps.restricted(family, prior, L).parameters) == 4
        assert len(ps.restricted(family, prior, L * (1 - number("1e-11"))).parameters) == 2
        assert ps.lipschitz_mass(family, prior, L) == 1


def test_weights_of_posteriors_stay_rational():
    """Over exact rationals, total variation has no rounding at all."""
    with arithmetic.balls():
        zero, one = ps.count_posteriors(ps.weighted(number(["0.1", "0.9"]), [1, 1]), 1)
        assert ps.total_variation(zero, one) == number("0.8")
        assert zero.weights.tolist() == [number("0.9"), number("0.1")]


@pytest.mark.parametrize("width", [1e-3, 0.1, 1.0, 30.0, 600.0])
def test_bounds_keep_their_digits_at_small_and_large_widths(width):
    def quantities():
        w = number(width)
        return [largest_divergence(w), largest_variation(w)]

    assert_enclosed(quantities, 1e-11)


def test_two_point_laws_attain_the_bounds():
    """With log odds w/2 and -w/2 the total variation is tanh(w/4), by elementary algebra."""
    w = 1.3
    upper = math.exp(w / 2) / (1 + math.exp(w / 2))
    p, q = ps.weighted([0, 1], [upper, 1 - upper]), ps.weighted([0, 1], [1 - upper, upper])
    assert ps.total_variation(p, q) == pytest.approx(largest_variation(w), rel=1e-14)
    share = (w / (math.exp(w) - 1) - 1) / (1 - math.exp(w))  # the weight of the upper end that is worst
    p, q = ps.weighted([0, 1], [share * math.exp(w), 1 - share]), ps.weighted([0, 1], [share, 1 - share])
    assert ps.kullback_leibler(p, q) <= largest_divergence(w)


def test_laws_of_other_shapes_are_refused():
    for p, q, what in ((ps.Gamma(2, 1), ps.Gamma(3, 2), "shape"), (ps.Beta(2, 3), ps.Beta(1, 1), "total of weights")):
        with pytest.raises(ValueError, match=f"p and q must have one {what}"):
            ps.kullback_leibler(p, q)


def test_what_is_not_computed_over_balls_says_so():
    with arithmetic.balls():
        p, q = ps.Beta(number(3), number(2)), ps.Beta(number(2), number(3))
        with pytest.raises(arithmetic.Undecided, match="curves are integrated in doubles alone"):
            ps.kullback_leibler(p, q)
