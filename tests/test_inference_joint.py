"""Joint inference from several releases of one dataset, against enumerations that import nothing from the library."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import oracles
from dpbi import geometric
from dpbi.inference import Noisy, given_releases, plug_in
from dpbi.publish import releasable

MECHANISMS = list(releasable())


def enumerated(prior, n, releases):
    """All datasets and their posterior probabilities."""
    datasets = oracles.datasets(n, len(prior))
    ways = [sum(math.lgamma(a + c) - math.lgamma(c + 1) for a, c in zip(prior, x, strict=True)) for x in datasets]
    told = [sum(oracles.log_likelihood(r.mechanism, r.counts, x, r.epsilon) for r in releases) for x in datasets]
    logs = np.add(ways, told)
    p = np.exp(np.array(logs) - max(logs))
    return np.array(datasets), p / p.sum()


def rising(a, power):
    """a (a + 1) ... of so many factors."""
    return math.prod(a + step for step in range(power))


def moments_of(tables, p, prior, n):
    """Counts, shares and products of two of them: the first three moments of each by the enumeration."""
    k = tables.shape[1]
    a, total = prior + tables, (prior * np.ones(k)).sum() + n
    for cells in [*((i,) for i in range(k)), *itertools.combinations_with_replacement(range(k), 2)]:
        exact = tables[:, list(cells)].prod(axis=1).astype(float)
        yield "counts", cells, [p @ exact**power for power in (1, 2, 3)]
        products = [math.prod(rising(a[:, i], m * cells.count(i)) for i in set(cells)) for m in (1, 2, 3)]  # Dirichlet
        yield "shares", cells, [p @ each / rising(total, m * len(cells)) for m, each in enumerate(products, start=1)]


def settings(count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        k, n = int(rng.integers(2, 5)), int(rng.integers(1, 13))
        prior = rng.choice([0.1, 0.5, 1.0, 3.0], k)
        x = rng.multinomial(n, rng.dirichlet(prior))
        releases = []
        for mechanism in (MECHANISMS[number % len(MECHANISMS)], *rng.choice(MECHANISMS, int(rng.integers(3)))):
            epsilon = float(rng.choice([0.2, 0.7, 2.0]))
            z = x + rng.integers(-4, 5, k)
            z[-1] = n - z[:-1].sum()
            releases.append(Noisy(z.tolist(), epsilon, str(mechanism)))
        yield number, prior, n, releases


@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_draws_have_the_moments_of_the_exact_posterior(count):
    """Every mean, square and product of shares, and every mean and product of hidden counts, in random settings."""
    worst, size, used = 0.0, 40_000, set()
    for number, prior, n, releases in settings(count, seed=18):
        used |= {one.mechanism for one in releases}
        joint = given_releases(prior, n, releases)
        datasets, p = enumerated(prior, n, releases)
        rng = np.random.default_rng(number)
        drawn = {"shares": joint.draws(rng, size), "counts": joint.counts(rng, size)}
        assert (drawn["counts"].sum(axis=1) == n).all()
        for what, cells, (mean, second, _) in moments_of(datasets, p, prior, n):
            error = math.sqrt(max(second - mean**2, 1e-20) / size)
            worst = max(worst, abs(drawn[what][:, list(cells)].prod(axis=1).mean() - mean) / error)
        for i, share in enumerate(joint.shares):
            assert share.mean == pytest.approx(p @ (prior + datasets)[:, i] / (prior.sum() + n), rel=1e-10)
    assert worst < 4
    assert used == set(MECHANISMS)


def test_the_joint_interval_covers_at_its_level_by_exact_sums():
    """Two releases of 7 records, clamped geometric noise: all datasets and all pairs of outputs."""
    n, prior, e = 7, (0.5, 2.0), 0.3
    law = np.array([geometric(e).law(prior, [x, n - x]).probabilities for x in range(n + 1)])
    place = geometric(e).law(prior, [n, 0]).outputs[:, 0]
    first = np.arange(n + 1)
    p_x = stats.betabinom.pmf(first, n, *prior)
    covered = 0.0
    for r, s in itertools.product(range(n + 1), repeat=2):
        # an output at an end stands for all noisy counts beyond: so does a noisy count there
        pair = [Noisy([int(place[i]), n - int(place[i])], e) for i in (r, s)]
        ends = given_releases(prior, n, pair).shares[0].interval(0.8)
        low, high = (stats.beta.cdf(end, prior[0] + first, prior[1] + n - first) for end in ends)
        covered += float(p_x * law[:, r] * law[:, s] @ (high - low))
    assert covered == pytest.approx(0.8, abs=1e-9)


def test_the_complement_says_how_near_to_one_a_share_is():
    share = plug_in([0.3, 0.02], [5, 0])[0]
    rest = share.complement.quantile(0.25)
    assert 0 < rest < 1e-20
    assert stats.beta.cdf(rest, 0.02, 5.3) == pytest.approx(0.25, rel=1e-9)
    assert share.complement.mean == pytest.approx(1 - share.mean)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: given_releases([1, 1], 5, [Noisy([2, 2], 1.0)]), "noisy must have the total n=5"),
    (lambda: given_releases([1, 1], 5, [Noisy([2], 1.0)]), "noisy must be 2 whole numbers"),
    (lambda: given_releases([1, 1], 5, [Noisy([2, 3], 1.0, "ehd")]), "mechanism must be one of lshist"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
