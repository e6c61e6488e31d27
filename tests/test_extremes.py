"""Arguments at the ends of their ranges: very small parameters, very large and very small budgets."""

import numpy as np
import pytest

from dpbi import dominating_remap, given_noise, hellinger, least_mean_error, lshist, remapped_geometric
from dpbi.mechanisms import remaps
from dpbi.optimum import least_worst_error
from oracles import mp


@pytest.mark.parametrize("tiny", [1e-100, 1e-150, 1e-160, 1e-250, 1e-300])
@pytest.mark.parametrize("rest", [(1, 1), (1, 2), (0.5, 7)])
def test_distances_at_tiny_parameters(tiny, rest):
    a, b = [mp.mpf(tiny), mp.mpf(rest[0])], [2 * mp.mpf(tiny), mp.mpf(rest[1])]
    with mp.workdps(60):  # what 60 digits lose is a share of tiny
        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]

        def log_beta(z):
            return sum(map(mp.loggamma, z)) - mp.loggamma(sum(z))

        truth = mp.sqrt(1 - mp.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2))
    assert hellinger([tiny, rest[0]], [2 * tiny, rest[1]]) == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize("epsilon", [30, 50, 700, 1000])
def test_the_optimum_at_large_budgets(epsilon):
    for found in (least_mean_error([1, 1], 4, epsilon), least_worst_error([0.5, 1, 1], 3, epsilon)):
        assert found.bound <= found.value <= 1e-11
        assert found.kernel.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [1, 20, 36, 40, 100, 700])
def test_a_dominating_remap_dominates_at_large_budgets(epsilon):
    assert dominating_remap(lshist(epsilon), [1, 1], 4).violation < 1e-14


def test_a_remap_that_doubles_cannot_hold_is_an_error():
    with pytest.raises(ValueError, match="epsilon must let the thresholds be kept in doubles, got epsilon=800"):
        dominating_remap(lshist(800), [1, 1], 4)


def test_a_remap_at_budgets_beyond_every_double():
    assert remapped_geometric(1e4).law([1, 1], [3, 2]).probabilities.tolist() == [0, 0, 0, 1, 0, 0]


def test_worst_errors_that_are_next_to_nothing_have_bounds():
    found = least_worst_error([1, 1], 80, 20.0)  # a solver may find no multiplier at all
    assert 0 < found.bound <= found.value < 2e-9
    assert found.weights.sum() == pytest.approx(1)


def test_a_remap_that_would_compare_too_many_counts_is_refused():
    with pytest.raises(
        ValueError, match=r"epsilon must be larger for the best remap at n=100000000: .* epsilon=0\.001"
    ):
        remaps.geometric_remap([1, 1], 10**8, 1e-3, [10**8 // 2])
    with pytest.raises(ValueError, match="epsilon must be larger for the best remap at n=1000000: "):
        remaps.geometric_remap([1e4, 1], 10**6, 0.2, [0])  # the prior puts its mass tens of thousands of counts away


def test_a_posterior_is_refused_for_what_is_kept_not_for_what_might_be():
    # 3.8e10 steps by the ranges of the counts, a few seconds by what is kept of them
    rng = np.random.default_rng(1)
    counts = rng.multinomial(10**5, np.full(300, 1 / 300))
    noisy = counts + np.rint(rng.laplace(0, 4, 300)).astype(int)
    noisy[0] += max(0, 10**5 - noisy.sum())
    shares = given_noise(np.ones(300), 10**5, noisy, 0.5)
    assert sum(share.mean for share in shares) == pytest.approx(1, rel=1e-9)
    with pytest.raises(ValueError, match="epsilon must be larger for n=1000000000 records in 3 categories"):
        given_noise(np.ones(3), 10**9, [4 * 10**8, 3 * 10**8, 3 * 10**8], 1e-6)
