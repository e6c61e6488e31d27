"""Sensitivities against their definitions by enumeration in mpmath, and closed forms in terms of the Gamma function."""

import itertools
import math

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.model.distances import record_gap
from dpbi.model.sensitivities import smooth_reciprocal_jump
from oracles import mp

RATES = [1e-4, 0.4, 3.0]
PRIORS = [
    (1.0, 1.0), (0.01, 30.0), (2.0, 0.1), (1.0, 1.0, 1.0), (0.01, 0.3, 30.0), (0.01, 3.0, 0.7, 30.0),
    (1.0, 0.1, 10.0, 0.1, 2.0), (0.36, 1.36, 2.36), (1.000000000008, 1.0),  # the last two have ties and near ties
]  # fmt: skip
LARGEST = {2: 14, 3: 6, 4: 3, 5: 3}

SETTINGS = [(prior, n) for prior in PRIORS for n in sorted({1, 2, LARGEST[len(prior)]})]


@pytest.mark.parametrize(("prior", "n"), SETTINGS)
def test_sensitivities_are_the_largest_distances_of_neighbours(prior, n):
    vectors = oracles.datasets(n, len(prior))
    truth = [oracles.local_sensitivity(prior, x) for x in vectors]
    assert max(map(oracles.relative_error, dpbi.local_sensitivity(prior, vectors), truth)) < 1e-14
    assert oracles.relative_error(dpbi.global_sensitivity(prior, n), max(truth)) < 1e-14
    for x in vectors:
        around, weights = list(map(tuple, dpbi.neighbours(x).tolist())), tuple(map(str, prior))  # 0.36 + 1 is 1.36
        far = [oracles.distance(weights, x, y) for y in around]
        first = next(y for y, there in zip(around, far, strict=True) if there >= max(far) * (1 - mp.mpf("1e-12")))
        assert tuple(dpbi.farthest_neighbour(prior, x)) == first


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("prior", "n"), SETTINGS)
def test_smooth_sensitivities_are_the_maxima_over_all_datasets(prior, n, rate):
    vectors = oracles.datasets(n, len(prior))
    exponential = [oracles.exponential_smooth_sensitivity(prior, x, rate) for x in vectors]
    reciprocal = [oracles.reciprocal_smooth_sensitivity(prior, x, rate) for x in vectors]
    found = dpbi.exponential_smooth_sensitivity(prior, vectors, rate)
    assert max(map(oracles.relative_error, found, exponential)) < 1e-14
    found = dpbi.reciprocal_smooth_sensitivity(prior, vectors, rate)
    assert max(map(oracles.relative_error, found, reciprocal)) < 1e-14


@pytest.mark.parametrize("k", [2, 3])
def test_without_records_every_sensitivity_is_zero(k):
    prior, nothing = [0.3] * k, [0] * k
    assert dpbi.local_sensitivity(prior, nothing) == dpbi.global_sensitivity(prior, 0) == 0
    assert dpbi.exponential_smooth_sensitivity(prior, nothing, 0.1) == smooth_reciprocal_jump(prior, 0, 0.1) == 0
    assert dpbi.reciprocal_smooth_sensitivity(prior, nothing, 0.1) == 0


def test_the_printed_constant_is_of_one_record_and_flat_prior():
    assert pytest.approx(math.sqrt(1 - math.pi / 4), rel=1e-15) == dpbi.PRINTED_GLOBAL_SENSITIVITY
    assert dpbi.global_sensitivity([1, 1], 1) == pytest.approx(dpbi.PRINTED_GLOBAL_SENSITIVITY, rel=1e-14)
    assert dpbi.global_sensitivity([1, 1, 1], 50) == pytest.approx(dpbi.PRINTED_GLOBAL_SENSITIVITY, rel=1e-14)
    # closed forms: Jeffreys' prior has sqrt(1 - 2/pi); for k = 2 and many records sqrt(1 - sqrt(pi)/2)
    assert dpbi.global_sensitivity([0.5] * 3, 9) == pytest.approx(math.sqrt(1 - 2 / math.pi), rel=1e-14)
    assert dpbi.global_sensitivity([1, 1], 10**12) == pytest.approx(math.sqrt(1 - math.sqrt(math.pi) / 2), rel=1e-11)


@pytest.mark.parametrize("prior", [(1e-12, 2.0), (0.3, 40.0), (17.0, 0.4, 1e-9), (1e5, 20.0, 3.0)])
def test_the_global_sensitivity_of_many_agrees_with_mpmath(prior):
    n = 5000
    a, b = map(mp.mpf, sorted(prior)[:2])

    def u(z):
        return mp.log(z) / 2 + oracles.loggamma(z) - oracles.loggamma(z + mp.mpf(1) / 2)

    ends = [u(a) + u(b)] if len(prior) > 2 else [u(a) + u(b + n - 1), u(a + n - 1) + u(b)]
    assert oracles.relative_error(dpbi.global_sensitivity(prior, n), mp.sqrt(-mp.expm1(-max(ends)))) < 1e-14


def test_many_categories_take_the_two_smallest_prior_weights():
    """Every pair, with all other records in a third category: the exponent is a sum of two gaps of the log-gamma."""
    prior = np.random.default_rng(6).uniform(0.05, 9, 300)
    gap = [oracles.loggamma(mp.mpf(a)) / 2 + oracles.loggamma(mp.mpf(a) + 1) / 2 for a in prior.tolist()]
    gap = [float(g - oracles.loggamma(mp.mpf(a) + 0.5)) for g, a in zip(gap, prior.tolist(), strict=True)]
    exponents = [p + q for p, q in itertools.combinations(gap, 2)]
    for order in (slice(None), slice(None, None, -1)):
        largest = math.sqrt(-math.expm1(-max(exponents)))
        assert dpbi.global_sensitivity(prior[order], 5) == pytest.approx(largest, rel=1e-14)


def test_a_billion_records_of_many_categories_keep_smoothness():
    rng = np.random.default_rng(5)
    prior = rng.uniform(0.1, 3, 150)
    x = rng.multinomial(10**9, rng.dirichlet(np.full(150, 0.2)))
    gamma, beta = 0.5, 0.01
    here = dpbi.exponential_smooth_sensitivity(prior, x, beta), dpbi.reciprocal_smooth_sensitivity(prior, x, gamma)
    assert min(here) >= dpbi.local_sensitivity(prior, x)
    full = np.flatnonzero(x)
    for giver, receiver in zip(rng.choice(full, 20), rng.choice(150, 20), strict=True):
        y = x - (np.arange(150) == giver) + (np.arange(150) == receiver)
        assert dpbi.exponential_smooth_sensitivity(prior, y, beta) <= here[0] * math.exp(beta) * (1 + 1e-12)
        assert abs(1 / dpbi.reciprocal_smooth_sensitivity(prior, y, gamma) - 1 / here[1]) <= gamma + 1e-12


def test_a_billion_records_agree_with_the_definition_at_an_edge():
    """Few records outside one huge category: moves that drain the others reach the maximum, and mpmath confirms it."""
    prior, x, beta = (0.4, 0.7, 1.0), (2, 1, 10**9), 0.05
    near = [(p, q, 10**9 + 3 - p - q) for p, q in itertools.product(range(8), repeat=2)]

    def local(y):
        ways = [(i, j) for i, j in itertools.permutations(range(3), 2) if y[i]]
        moved = [tuple(c - (m == i) + (m == j) for m, c in enumerate(y)) for i, j in ways]
        return max(oracles.distance(prior, y, z) for z in moved)

    truth = max(local(y) * mp.exp(-mp.mpf(beta) * oracles.apart(x, y)) for y in near)
    assert oracles.relative_error(dpbi.exponential_smooth_sensitivity(prior, x, beta), truth) < 1e-14


@pytest.mark.parametrize("beta", [1e-3, 2.0])
@pytest.mark.parametrize(("prior", "n"), [((0.01, 30.0), 6), ((0.3, 2.0, 1.0), 4), ((0.5,) * 4, 2)])
def test_reciprocal_jump_is_the_largest_change_of_one_over_s(prior, n, beta):
    vectors = oracles.datasets(n, len(prior))
    smooth = {x: oracles.exponential_smooth_sensitivity(prior, x, beta) for x in vectors}
    truth = max(abs(1 / smooth[x] - 1 / smooth[y]) for x in vectors for y in oracles.neighbours(x))
    # a difference of reciprocals: its digits are those of the reciprocals
    assert smooth_reciprocal_jump(prior, n, beta) == pytest.approx(float(truth), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("beta", [1e-6, 0.1])
@pytest.mark.parametrize(("prior", "n"), [((1.0, 1.0), 1), ((0.01, 30.0), 50), ((0.3, 2.0, 1.0), 12)])
def test_beyond_the_list_the_jump_is_bounded_from_above(prior, n, beta, monkeypatch):
    exact = smooth_reciprocal_jump(prior, n, beta)
    monkeypatch.setattr("dpbi.model.sensitivities.MAX_JUMP_NUMBERS", 0)
    bound = smooth_reciprocal_jump(prior, n, beta)
    assert exact <= bound
    # the bound is (e^beta - 1) / m, m below every S; S is at most the global sensitivity, and one record has m = S = GS
    assert bound * (1 + 1e-15) >= math.expm1(beta) / dpbi.global_sensitivity(prior, n)


def test_leading_axes_of_counts_broadcast():
    counts = dpbi.count_vectors(3, 3).reshape(2, 5, 3)
    for f in (dpbi.local_sensitivity, lambda p, x: dpbi.reciprocal_smooth_sensitivity(p, x, 0.3)):
        table = f([0.2, 1, 1], counts)
        assert table.shape == (2, 5)
        assert table[1, 3] == f([0.2, 1, 1], counts[1, 3])


def test_record_gap_is_the_difference_of_log_gammas():
    rng = np.random.default_rng(5)
    for a in [*(10 ** rng.uniform(-15, 8, 60)).tolist(), 1e-300, 15.9999, 16.0]:
        z = mp.mpf(a)
        truth = mp.log(z) / 2 + mp.loggamma(z) - mp.loggamma(z + mp.mpf(1) / 2)
        assert float(record_gap(a)) == pytest.approx(float(truth), rel=1e-14)
