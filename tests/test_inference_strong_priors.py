"""Posteriors when the prior and the noisy counts disagree, against sums over all hidden counts at 50 digits."""

import itertools
import warnings

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import oracles
from dpbi import geometric, given_output
from dpbi.inference import Noisy, aware_intervals, coverage, given_noise, given_releases, posteriors_given_noise
from dpbi.publish import releasable

PRIORS = {
    2: [(1e-3, 1e-3), (1e-3, 1e5), (1.0, 1.0), (1e5, 1e3), (500.0, 500.0), (200.0, 2.0), (1000.0, 0.5)],
    3: [(1e-3, 1.0, 1e4), (300.0, 300.0, 3.0), (1e5, 1e5, 0.01), (1e-3, 1e-3, 1e-3), (0.5, 40.0, 1e3)],
    4: [(1e-3, 0.5, 20.0, 1e5), (1e4, 1.0, 1.0, 1e4), (0.01, 0.01, 700.0, 0.01)],
}


def posterior(prior, n, releases):
    """For each count its weights on 0..n, from sums over all counts of the others."""
    with mp.workdps(50):
        factors = []
        for i, weight in enumerate(map(mp.mpf, prior)):
            factor, w = [], mp.mpf(1)
            for x in range(n + 1):
                exponent = sum(oracles.log_noise(one.mechanism, one.counts[i] - x, mp.mpf(one.epsilon), len(prior))
                           for one in releases if one.mechanism == "lattice_laplace" or i < len(prior) - 1)  # fmt: skip
                factor.append(w * mp.exp(exponent))
                w *= (weight + x) / (x + 1)
            factors.append(factor)
        found = []
        for i, factor in enumerate(factors):
            rest, *others = [other for j, other in enumerate(factors) if j != i]
            for other in others:
                rest = [mp.fdot(rest[: m + 1], other[m::-1]) for m in range(n + 1)]
            p = [v * rest[n - x] for x, v in enumerate(factor)]
            total = mp.fsum(p)
            found.append([v / total for v in p])
        return found


def agree(shares, prior, n, releases, tolerance=1e-11):
    for share, weight, p in zip(shares, prior, posterior(prior, n, releases), strict=True):
        mean = mp.fdot(p, [mp.mpf(weight) + x for x in range(n + 1)]) / (mp.fsum(prior) + n)
        assert share.mean == pytest.approx(float(mean), rel=tolerance)
        found = np.zeros(n + 1)
        found[np.round(share.first - weight).astype(int)] = share.weights
        assert np.abs(found - np.array(p, dtype=float)).max() < tolerance


@pytest.mark.parametrize("mechanism", list(releasable()))
def test_posteriors_are_sums_over_all_hidden_counts(mechanism):
    priors = {k: itertools.cycle(each) for k, each in PRIORS.items()}
    others = itertools.cycle(releasable())
    cases = itertools.product((2, 3, 4), (0.01, 0.4, 3.0, 20.0), (0, 1, 9, "middle"))
    for number, (k, epsilon, beyond) in enumerate(cases):
        n = 40 if k == 2 else 16
        z = [n // k] * k if beyond == "middle" else [-beyond] * (k - 1) + [0]
        z[-1] = n - sum(z[:-1])
        releases = [Noisy(z if number % 2 else z[::-1], epsilon, mechanism)]
        if number % 3 == 0:
            releases.append(Noisy([3] * (k - 1) + [n - 3 * (k - 1)], 0.3, next(others)))
        prior = next(priors[k])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            agree(given_releases(prior, n, releases).shares, prior, n, releases)


A1 = [((500, 500), 1000, 0, 0.5), ((200, 20), 1000, 0, 0.5), ((200, 10), 300, 0, 0.5), ((100, 10), 1000, 0, 0.3),
      ((100, 1), 300, 0, 0.5), ((100, 1), 300, 0, 1), ((500, 50), 1000, 200, 0.5), ((950, 50), 300, 0, 2),
      ((1000, 50), 300, 100, 2)]  # fmt: skip
A2 = [((1000, 1), 500, 0, 20), ((1000, 0.5), 1000, 0, 5), ((5000, 5), 500, 0, 20)]


@pytest.mark.parametrize(
    ("prior", "n", "z", "epsilon"),
    [*A1[:3], A2[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in A1[3:] + A2[1:])],
)
def test_where_the_prior_has_odds_beyond_the_noise(prior, n, z, epsilon):
    """These were cut where the noise ends, or where the predictive law of the prior is below any double."""
    [p, _] = posterior(prior, n, [Noisy([z, n - z], epsilon, "geometric")])
    mean = float(mp.fdot(p, [prior[0] + x for x in range(n + 1)]) / (sum(prior) + n))
    for mechanism in ("lattice_laplace", "geometric"):  # for two categories the same
        share = given_noise(prior, n, [z, n - z], epsilon, mechanism)[0]
        assert share.mean == pytest.approx(mean, rel=1e-9)
    assert given_output(geometric(epsilon), prior, n, [z, n - z])[0].mean == pytest.approx(mean, rel=1e-9)
    low, high = share.interval(0.95)
    a, b = prior[0] + np.arange(n + 1), prior[1] + n - np.arange(n + 1)
    held = np.array(p, dtype=float) @ (special.betainc(a, b, high) - special.betainc(a, b, low))
    assert held == pytest.approx(0.95, abs=1e-9)
    if n == 300:
        aware = aware_intervals(geometric(epsilon), prior, n, 0.95)
        assert (aware.lower[z], aware.upper[z]) == pytest.approx((low, high), rel=1e-8)


FAR_WINDOWS = [((9e3, 0.01), 3, 0.6), ((1e5, 1e3), 12_000, 1.0)]


@pytest.mark.parametrize(
    ("prior", "z", "epsilon"), [((4e4, 2e4), 0, 0.02), *(pytest.param(*c, marks=pytest.mark.slow) for c in FAR_WINDOWS)]
)
def test_windows_lie_where_prior_and_noise_together_put_them(prior, z, epsilon):
    n = 10_000
    [p, _] = posterior(prior, n, [Noisy([z, n - z], epsilon)])
    mean = float(mp.fdot(p, [mp.mpf(prior[0]) + x for x in range(n + 1)]) / (mp.fsum(prior) + n))
    factors = posteriors_given_noise.count_factors(np.array(prior), n, [Noisy([z, n - z], epsilon)])
    assert len(factors[0].p) < n / 2
    assert given_noise(prior, n, [z, n - z], epsilon)[0].mean == pytest.approx(mean, rel=1e-9)


def test_a_posterior_that_windows_may_not_hold_is_refused(monkeypatch):
    monkeypatch.setattr(posteriors_given_noise, "MIN_SUM_PROBABILITY", 1e9)
    with pytest.raises(ValueError, match="prior and epsilon must"):
        given_noise([1, 1], 10, [3, 7], 1.0)


@pytest.mark.parametrize("weight", [1e-10, 1e-5, 0.001, 0.002, 0.003, 0.004, 0.005, 0.01])
def test_intervals_of_small_weights_cover_at_their_level(weight):
    """A lower end of 1e-1602 was 5e-324, above half of the prior; at 0, only what lies above the upper end is out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for prior in ([1, weight], [weight, 1], [weight, weight]):
            aware = aware_intervals(geometric(0.5), prior, 20, 0.95)
            found = coverage(geometric(0.5), prior, 20, aware)
            assert found >= 0.95 - 1e-12
            if 0.001 <= weight <= 0.002 and prior[1] == 1:
                assert found == pytest.approx(0.975, abs=4e-4)
            if weight >= 0.005 and prior[1] == 1:  # nearer to 1 than 1e-16 the lower end is the double below 1
                assert found == pytest.approx(0.95, abs=2e-6)
        low, high = given_output(geometric(0.5), [weight, 1], 20, [0, 20])[0].interval(0.95)
    assert (low == 0) == (weight < 0.005)
    assert low < high


MILD = [(1.0, 1.0), (0.3, 2.0), (5.0, 1.0), (0.01, 0.5), (20.0, 30.0)]
STRONG = [
    ((500, 500), 0, 0.5), ((950, 50), 0, 1.0), ((200, 10), 300, 0.3), ((1000, 1), -20, 4.0), ((5, 3000), 290, 2.0),
]  # fmt: skip


def contained(prior, n, z, epsilon, rng, size):
    """How often the interval given z contains the share: x from the posterior by a list of all datasets, then theta."""
    x = np.arange(n + 1)
    ratios = np.log((prior[0] + x[:-1]) / (x[:-1] + 1) * (n - x[:-1]) / (prior[1] + n - x[:-1] - 1))
    log_p = np.concatenate([[0.0], np.cumsum(ratios)]) - epsilon * np.abs(z - x)
    p = np.exp(log_p - log_p.max())
    hidden = rng.choice(x, size, p=p / p.sum())
    theta = rng.beta(prior[0] + hidden, prior[1] + n - hidden)
    low, high = given_noise(prior, n, [z, n - z], epsilon)[0].interval(0.95)
    return int(((low <= theta) & (theta <= high)).sum())


def simulated(size, seed):
    """Of so many draws how many intervals contain the share: over the prior, and at counts that disagree with it."""
    rng, n = np.random.default_rng(seed), 300
    for prior in MILD:
        theta = rng.beta(*prior, size)
        z = rng.binomial(n, theta) + rng.geometric(1 - np.exp(-0.5), size) - rng.geometric(1 - np.exp(-0.5), size)
        ends = {int(one): given_noise(prior, n, [int(one), n - int(one)], 0.5)[0].interval(0.95) for one in set(z)}
        yield prior, sum(ends[int(one)][0] <= t <= ends[int(one)][1] for one, t in zip(z, theta, strict=True))
    for prior, z, epsilon in STRONG:
        yield prior, contained(prior, n, z, epsilon, rng, size)


@pytest.mark.parametrize("size", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_intervals_contain_the_share_as_often_as_they_say(size):
    for prior, inside in simulated(size, seed=5):
        assert abs(inside - 0.95 * size) < 4 * (0.95 * 0.05 * size) ** 0.5, prior
