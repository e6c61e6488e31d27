"""Posteriors given noisy counts against enumerations in mpmath, and coverage against its definition."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

import oracles
from dpbi import ehd, geometric, inference, laplace_in_order, lshist
from dpbi.inference import Intervals, aware_intervals, coverage, given_noise, given_output, plug_in, plug_in_intervals
from dpbi.mechanisms.lattice_noise import lattice_laplace


def noise(mechanism, z, x, epsilon):
    """Probability of the noise that leads from x to z up to a factor without x, to 60 digits."""
    return mp.exp(oracles.log_likelihood(mechanism, z, x, mp.mpf(epsilon)))


def dataset_posterior(prior, n, likelihood):
    """p(x | output) over all datasets: multinomial coefficient, Beta functions and likelihood, at 60 digits."""
    weights = {}
    for x in oracles.datasets(n, len(prior)):
        ways = mp.factorial(n) / mp.fprod(mp.factorial(c) for c in x)
        evidence = oracles.log_beta([mp.mpf(w) + c for w, c in zip(prior, x, strict=True)])
        weights[x] = ways * mp.exp(evidence) * likelihood(x)
    total = mp.fsum(weights.values())
    return {x: w / total for x, w in weights.items()}


def share_below(theta, truth, prior, i, total):
    """The probability that share i is at most theta, a sum over all datasets."""
    laws = ((w, prior[i] + x[i], total - prior[i] - x[i]) for x, w in truth.items())
    return mp.fsum(w * mp.betainc(a, b, 0, theta, regularized=True) for w, a, b in laws)


def check(shares, prior, n, truth, tolerance=1e-12):
    """Components, moments and distribution functions of every share."""
    total = mp.fsum(prior) + n
    for i, share in enumerate(shares):
        found = {round(float(a - prior[i])): w for a, w in zip(share.first, share.weights, strict=True)}
        for count in range(n + 1):
            p = mp.fsum(w for x, w in truth.items() if x[i] == count)
            assert abs(found.get(count, 0.0) - p) < tolerance
        mean = mp.fsum(w * (prior[i] + x[i]) for x, w in truth.items()) / total
        square = mp.fsum(w * (prior[i] + x[i]) * (prior[i] + x[i] + 1) for x, w in truth.items())
        square /= total * (total + 1)
        assert share.mean == pytest.approx(float(mean), rel=1e-12)
        assert share.variance == pytest.approx(float(square - mean**2), rel=1e-10)
        for theta in (0.01, 0.4):
            cdf = share_below(theta, truth, prior, i, total)
            assert share.cdf(theta) == pytest.approx(float(cdf), rel=1e-11, abs=1e-13)
        for p in (0.001, 0.5, 0.975):
            assert share.cdf(share.quantile(p)) == pytest.approx(p, rel=1e-11)
        assert share.interval(0.9) == pytest.approx((share.quantile(0.05), share.quantile(0.95)), rel=1e-12)


CASES = [
    ((0.5, 3.0), 6, (8, -2)), ((0.2, 1.0, 4.0), 4, (0, 8, -4)), ((0.3, 2.0, 1.0, 1.0), 2, (1, 4, -1, -2)),
    ((1.0, 1.0), 0, (2, -2)),
]  # fmt: skip


@pytest.mark.parametrize("epsilon", [0.05, 5.0])
@pytest.mark.parametrize("mechanism", ["lattice_laplace", "geometric", "lshist"])
@pytest.mark.parametrize(("prior", "n", "noisy"), CASES)
def test_the_posterior_given_noise_is_that_of_an_enumeration(prior, n, noisy, mechanism, epsilon):
    truth = dataset_posterior(prior, n, lambda x: noise(mechanism, noisy, x, epsilon))
    check(given_noise(prior, n, noisy, epsilon, mechanism), prior, n, truth)


@pytest.mark.parametrize("family", [ehd, laplace_in_order, lattice_laplace], ids=lambda f: f.__name__)
def test_the_posterior_given_an_output_is_bayes_rule(family):
    for prior, n in (((0.5, 2.0), 4), ((1.0, 1.0, 3.0), 3)):
        mechanism = family(0.9)
        output = mechanism.law(prior, [n] + [0] * (len(prior) - 1)).outputs[2]
        rows = {}
        for x in oracles.datasets(n, len(prior)):
            law = mechanism.law(prior, x)
            rows[x] = float(law.probabilities[(law.outputs == output).all(axis=1)].sum())
        check(given_output(mechanism, prior, n, output), prior, n, dataset_posterior(prior, n, rows.__getitem__))


def test_many_components_have_the_distribution_by_definition():
    for prior, z in (([1.0, 1.0], [3000, 97_000]), ([0.5, 0.01], [99_990, 10]), ([1.0, 1.0], [40_000_000, 50_000_000])):
        share = given_noise(prior, sum(z), z, 0.05 if sum(z) == 100_000 else 0.01)[0]
        assert len(share.first) > inference.mixtures.MIN_RECURRENCE_COMPONENTS
        center, spread = share.mean, share.variance**0.5
        for theta in (center - 6 * spread, center - spread, center, center + 2 * spread, 1 - 1e-9, 1e-9):
            if 0 < theta < 1:
                exact = share.weights @ stats.beta.cdf(theta, share.first, share.rest)
                assert share.cdf(theta) == pytest.approx(exact, abs=1e-12)


def test_a_billion_records_add_the_variance_of_the_noise():
    n = 10**9
    share = given_noise([1.0, 1.0], n, [3 * 10**8, 7 * 10**8], 0.5)[0]
    # far from the ends the noise on the count is symmetric and adds its variance, 2 alpha / (1 - alpha)^2
    alpha = math.exp(-0.5)
    mean = (3 * 10**8 + 1) / (n + 2)
    spread = mean * (1 - mean) / n + 2 * alpha / (1 - alpha) ** 2 / n**2
    assert share.mean == pytest.approx(mean, rel=1e-9)
    assert share.variance == pytest.approx(spread, rel=1e-6)
    low, high = share.interval(0.95)
    assert (high - low) / 2 == pytest.approx(1.959964 * math.sqrt(spread), rel=1e-4)


def test_noise_far_from_every_dataset_does_not_underflow():
    # the second count is 10^15 below 0: a likelihood far below doubles, the same at every dataset but for few records
    near, far = (given_noise([1, 1], 10, [10 + z, -z], 1 / 3)[0] for z in (2, 10**15))
    assert far.weights == pytest.approx(near.weights, abs=1e-13)
    shares = given_noise([1, 1, 1], 10, [10**15, 10**15, 7], 1.0, "geometric")
    assert sum(share.mean for share in shares) == pytest.approx(1, abs=1e-12)
    assert shares[0].weights == pytest.approx(shares[1].weights, abs=1e-12)


def test_counts_that_are_together_far_above_n_are_brought_down():
    """By 500 records, more than the noise reaches alone, and a likelihood of e^-200; all pairs."""
    n, first, second, epsilon = 800, 700, 600, 0.8
    x, y = np.ogrid[: n + 1, : n + 1]
    factors = [np.concatenate([[0.0], np.cumsum(np.log((w + np.arange(n)) / (1 + np.arange(n))))]) for w in (0.5, 1, 3)]
    rest = n - x - y
    log_p = factors[0][x] + factors[1][y] + np.where(rest >= 0, factors[2][np.maximum(rest, 0)], -np.inf)
    log_p = log_p - epsilon / 2 * (np.abs(x - first) + np.abs(y - second))
    p = np.exp(log_p - log_p.max())
    shares = given_noise([0.5, 1, 3], n, [first, second, n - first - second], epsilon, "geometric")
    for share, truth, weight in zip(shares, (p.sum(axis=1), p.sum(axis=0)), (0.5, 1), strict=False):
        found = np.zeros(n + 1)
        found[np.round(share.first - weight).astype(int)] = share.weights
        assert np.abs(found - truth / truth.sum()).max() < 1e-12


@pytest.mark.parametrize(("prior", "n", "noisy"), [((0.001, 1.0), 4, (-3, 7)), ((1e-5, 2.0, 1.0), 3, (0, 2, 1))])
def test_quantiles_reach_the_ends_of_a_sparse_prior(prior, n, noisy):
    """A share may be 1e-160; the bracket around it once lay at 1e-9, and intervals came out upside down."""
    truth = dataset_posterior(prior, n, lambda x: noise("lattice_laplace", noisy, x, 0.5))
    total = mp.fsum(prior) + n
    for i, share in enumerate(given_noise(prior, n, noisy, 0.5)):
        for p in (0.025, 0.3, 0.975):
            q = share.quantile(p)
            if 1e-300 < q < 1 - 1e-9:
                assert share_below(mp.mpf(q), truth, prior, i, total) == pytest.approx(p, rel=1e-9)
            else:  # the double next to the end
                end = share_below(mp.mpf("1e-300") if q < 0.5 else 1 - mp.mpf("1e-9"), truth, prior, i, total)
                assert end > p if q < 0.5 else end < p
        assert share.interval(0.5)[0] <= share.interval(0.5)[1]
    forgetful = plug_in([0.001, 1], [0, 5])[0]
    low, high = forgetful.interval(0.95)
    assert low < 1e-300
    assert mp.betainc(0.001, 6, 0, mp.mpf(high), regularized=True) == pytest.approx(0.975, rel=1e-12)


@pytest.mark.parametrize("prior", [(0.3, 0.02), (1e-6, 1.0), (200.0, 0.01)])
@pytest.mark.parametrize("counts", [(14, 6), (0, 10**9)])
def test_a_quantile_of_one_component_is_the_first_to_reach_it(prior, counts):
    """By definition; SciPy's inverse, where the search begins, is off by up to 1e16 doubles for these."""
    for share in plug_in(prior, counts):
        for p in (1e-9, 0.025, 0.5, 0.975, 1 - 1e-6):
            q = share.quantile(p)
            assert share.cdf(q) >= p > share.cdf(np.nextafter(q, 0))


@pytest.mark.parametrize(("prior", "n"), [((1.0, 1.0), 20), ((0.3, 2.0), 5)])
def test_ends_of_plug_in_intervals_are_rounded_outwards(prior, n):
    """SciPy's inverse was often a double too far inside; its distribution function decides, in mpmath but for 1e-13."""
    intervals = plug_in_intervals(geometric(0.8), prior, n, 0.95)
    outputs = geometric(0.8).law(prior, [n, 0]).outputs
    for (first, second), low, high in zip(outputs + np.array(prior), intervals.lower, intervals.upper, strict=True):
        assert special.betainc(first, second, low) < (1 - 0.95) / 2
        assert special.betainc(first, second, high) >= (1 + 0.95) / 2
        below, above = (mp.betainc(first, second, 0, mp.mpf(end), regularized=True) for end in (low, high))
        assert below < mp.mpf("0.025") * (1 + mp.mpf("1e-13"))
        assert above > mp.mpf("0.975") * (1 - mp.mpf("1e-13"))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("n", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_the_aware_interval_covers_on_average_at_its_level(n, epsilon):
    for mechanism, level in itertools.product((geometric(epsilon), lshist(epsilon)), (0.5, 0.8, 0.95)):
        aware = aware_intervals(mechanism, [1, 1], n, level)
        plug = plug_in_intervals(mechanism, [1, 1], n, level)
        covered = coverage(mechanism, [1, 1], n, aware), coverage(mechanism, [1, 1], n, plug)
        assert covered[0] == pytest.approx(level, abs=1e-4)
        assert covered[1] < level - 0.004


def test_coverage_is_the_sum_of_its_definition():
    # by quadrature over the share: the binomial law of the records, the mechanism's law, membership in the interval
    n, mechanism, prior = 7, lshist(0.6), (0.5, 2.0)
    intervals = aware_intervals(mechanism, prior, n, 0.8)
    theta = (np.arange(40_000) + 0.5) / 40_000
    at = np.zeros_like(theta)
    for x in range(n + 1):
        law = mechanism.law(prior, [x, n - x])
        for p, low, high in zip(law.probabilities, intervals.lower, intervals.upper, strict=True):
            at += stats.binom.pmf(x, n, theta) * p * ((low <= theta) & (theta <= high))
    for truth in (prior, (3.0, 1.0)):
        edges = stats.beta.cdf(np.append(theta - 0.5 / 40_000, 1.0), *truth)
        exact = coverage(mechanism, prior, n, intervals, truth)
        assert exact == pytest.approx(float(at @ np.diff(edges)), abs=1e-4)
    for share, true in ((theta[place], at[place]) for place in (4000, 30_000)):
        assert inference.coverage_at(mechanism, prior, n, intervals, share) == pytest.approx(true, abs=1e-12)


def test_intervals_are_those_of_the_posterior_given_each_output():
    n, prior, mechanism = 12, (0.5, 2.0), ehd(2.0)
    aware = aware_intervals(mechanism, prior, n, 0.9)
    plug = plug_in_intervals(mechanism, prior, n, 0.9)
    for r in (0, 5, 12):
        output = [r, n - r]
        one = given_output(mechanism, prior, n, output)[0].interval(0.9)
        assert (aware.lower[r], aware.upper[r]) == pytest.approx(one, rel=1e-9)
        assert (plug.lower[r], plug.upper[r]) == pytest.approx(plug_in(prior, output)[0].interval(0.9), rel=1e-9)
    assert aware.length == pytest.approx(aware.upper - aware.lower)


def test_a_wrong_prior_or_a_fixed_share_breaks_the_level():
    aware = aware_intervals(geometric(0.1), [1, 1], 10, 0.95)
    assert [inference.coverage_at(geometric(0.1), [1, 1], 10, aware, share) for share in (0, 0.001)] == [0, 0]
    n, mechanism = 20, geometric(0.2)
    aware = aware_intervals(mechanism, [1, 1], n, 0.8)
    assert coverage(mechanism, [1, 1], n, aware, [0.2, 8]) < 0.6
    assert coverage(mechanism, [1, 1], n, aware, [8, 8]) > 0.9


@pytest.mark.parametrize(("call", "message"), [
    (lambda: given_noise([1, 1], 5, [[2, 3], [4]], 1), "noisy must be 2 whole numbers"),
    (lambda: given_noise([1, 1], 5, [2, 2], 1), "noisy must have the total n=5"),
    (lambda: given_noise([1, 1], 5, [2, 3], 1, "ehd"), "mechanism must be one of"),
    (lambda: given_output(geometric(1), [1, 1], 5, [6, 0]), "output must be one that geometric can release"),
    (lambda: given_noise([1, 1], 10**9, [1, 10**9 - 1], 1e-6), "epsilon must be larger"),
    (lambda: given_noise([0.5] * 3, 10**5, [1, 1, 10**5 - 2], 1e-5), "epsilon must be larger"),
    (lambda: plug_in([1, 1], [2, 3])[0].quantile(1), "probability must be a finite number > 0 and < 1"),
    (lambda: aware_intervals(geometric(1), [1, 1, 1], 5, 0.5), "prior must have two categories"),
    (lambda: coverage(geometric(1), [1, 1], 4, Intervals(np.zeros(6), np.ones(6))), "intervals must be Intervals"),
    (lambda: coverage(geometric(1), [1, 1], 4, Intervals(-np.ones(5), np.ones(5))), "must be Intervals in"),
])  # fmt: skip
def test_an_argument_out_of_range_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
