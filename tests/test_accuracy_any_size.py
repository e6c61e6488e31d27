"""Errors without a list of outputs: sums of products against lists and sums in Fraction and mpmath, with bounds."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpbi
import oracles
from dpbi import error_moments
from dpbi.accuracy import errors as accuracy
from dpbi.accuracy.mixture import mixture
from dpbi.accuracy.moments import Certified, deviation_of, exponential_moments
from dpbi.accuracy.products import kinds_of, log_others
from dpbi.model.datasets import count_vectors
from dpbi.model.distances import count_distances, gamma_gap
from oracles import mp


@pytest.mark.parametrize(("rate", "least"), [(1e-2, 0.3), (1.7, 1e-4), (300.0, 1e-11)])
def test_the_weight_is_a_sum_of_exponentials_up_to_its_error(rate, least):
    form = mixture(rate, least)
    assert form.errors.max() < 1e-14
    for D in np.geomspace(least, 60, 6):
        H = mp.sqrt(-mp.expm1(-mp.mpf(D)))
        weight = mp.exp(-rate * H)
        for j in range(3):
            parts = zip(form.nodes, form.log_weights, form.factors[:, j], strict=True)
            found = mp.exp(-rate) + mp.fsum(mp.exp(mp.mpf(w) - mp.mpf(m) * D) * s for m, w, s in parts)
            allowed = form.errors[j] * (1 + rate * H) ** (j + 1) * weight / max(rate, 1) ** j
            assert abs(found - H**j * weight) <= allowed


PRODUCTS = [
    ((1.0, 1.0, 1.0), (4, 3, 0)), ((0.01, 30.0, 2.0), (0, 9, 1)), ((1.0,) * 4, (3, 3, 3, 3)), ((1e3, 0.02), (40, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("prior", "x"), PRODUCTS)
@pytest.mark.parametrize("theta", [1, 40])
def test_the_sum_over_other_candidates_is_the_definition(prior, x, theta):
    others = (r for r in oracles.datasets(sum(x), len(x)) if tuple(r) != x)
    true = mp.fsum((1 - oracles.distance(prior, x, r) ** 2) ** theta for r in others)
    found = log_others(kinds_of(np.array(prior, float), np.array(x)), float(theta))
    assert abs(mp.exp(mp.mpf(found.value)) - true) <= found.error * true
    assert found.error < 1e-12


WIDE = [((1, 1, 1), (400, 300, 300)), ((1, 1, 1), (600, 250, 3)), ((1, 1), (20_000, 30_000)), ((0.3, 2), (40_000, 0))]


def exponents(prior, x):
    prior, counts = np.array(prior, float), np.array(x)
    moves = count_vectors(sum(x), len(x)) - counts
    a = np.broadcast_to(prior + counts, moves.shape)
    return gamma_gap(a, a + moves, moves / 2).sum(axis=1)


@pytest.mark.parametrize(("prior", "x"), WIDE)
def test_steps_windows_and_frequencies_keep_their_error_bounds(prior, x):
    D = exponents(prior, x)
    kinds = kinds_of(np.array(prior, float), np.array(x))
    for theta in (1.0, 17.3, 1e3):
        others = math.fsum(np.exp(-theta * D[D > 0]))
        if others < 1e-290:
            continue
        found = log_others(kinds, theta)
        assert abs(math.exp(found.value) / others - 1) <= found.error + 1e-13
        assert found.error < 1e-12


def test_moments_of_a_small_cell_are_those_of_exact_arithmetic():
    prior, x, rate = (Fraction(1, 2), Fraction(1), Fraction(3)), (3, 0, 4), 7
    H = [oracles.distance(tuple(float(w) for w in prior), x, r) for r in oracles.datasets(7, 3)]
    weights = [mp.exp(-rate * h) for h in H]
    mean = mp.fsum(w * h for w, h in zip(weights, H, strict=True)) / mp.fsum(weights)
    found = exponential_moments(np.array([3.5, 1.0, 7.0]) - x, np.array(x), 7.0)
    assert abs(found.mean.value - mean) <= found.mean.bound
    assert abs(found.log_normaliser.value - mp.log(mp.fsum(weights))) <= found.log_normaliser.bound


@pytest.mark.parametrize(
    ("k", "n", "mechanism"),
    [(6, 10**6, dpbi.ehds(2.0)), pytest.param(30, 10**12, dpbi.ehdl(0.8), marks=pytest.mark.slow)],
)
def test_large_cells_agree_with_draws(k, n, mechanism):
    prior = np.ones(k)
    counts = np.full(k, n // k)
    counts[0] += n - counts.sum()
    found = error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(2), 4000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
    assert H.std() == pytest.approx(found.standard_deviation.value, rel=0.1)
    assert found.mean.bound < 1e-10 * found.mean.value
    assert dpbi.mean_error(mechanism, prior, counts) == found.mean.value


def test_the_bound_of_a_deviation_covers_all_possible_values():
    rng = np.random.default_rng(9)
    for _ in range(50):
        mean = Certified(rng.uniform(), 10 ** rng.uniform(-9, -1))
        square = Certified(mean.value**2 + 10 ** rng.uniform(-12, 0), 10 ** rng.uniform(-9, -1))
        found = deviation_of(mean, square)
        assert found.value == pytest.approx(math.sqrt(square.value - mean.value**2), rel=1e-3)
        widest = 0.0
        for m in (-1, 0, 1):
            for s in (-1, 1):
                variance = square.value + s * square.bound - max(mean.value + m * mean.bound, 0) ** 2
                widest = max(widest, abs(math.sqrt(max(variance, 0)) - found.value))
        assert widest <= found.bound * (1 + 1e-9)
        assert found.bound <= 2.5 * widest


def test_short_lists_are_summed():
    law = dpbi.error_law(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1])
    found = error_moments(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1])
    assert found.mean.value == pytest.approx(law.mean(), rel=1e-14)
    whole = exponential_moments(np.ones(3), np.array([5, 3, 1]), dpbi.ehds(2.0).rate([1] * 3, [5, 3, 1]))
    for listed, summed in zip(found, whole, strict=True):
        assert abs(listed.value - summed.value) <= listed.bound + summed.bound


def test_without_records_moments_are_exact(monkeypatch):
    monkeypatch.setattr(accuracy, "MAX_LISTED_NUMBERS", 0)
    assert error_moments(dpbi.ehd(1.0), [1, 1, 1], [0, 0, 0]).mean == (0.0, 0.0)


def test_at_a_large_budget_nothing_but_the_dataset_is_released():
    prior, counts = np.ones(3), np.array([10**6] * 3)
    found = error_moments(dpbi.ehds(1e9), prior, counts)
    assert found.mean.value == found.standard_deviation.value == found.log_normaliser.value == 0
    assert max(bound for _, bound in found) < 1e-20
    # and where it is no longer next to nothing the sum and this bound agree
    kinds, n = kinds_of(np.ones(2), np.array([2, 4])), 6
    rate = 99 / float(np.sqrt(-np.expm1(-kinds.least)))
    assert exponential_moments(np.ones(2), np.array([2, 4]), rate).mean.value < n * math.exp(-98)


def test_arguments_beyond_the_sums_are_refused_by_name():
    large = [10**6] * 3
    for bad in (1e-300, 1e140):
        with pytest.raises(ValueError, match=r"prior must be within 1e-100\.\.1e\+100"):
            dpbi.privacy.loss_on_grid(dpbi.ehdl(0.8), [1, bad], 10**6)
        with pytest.raises(ValueError, match=r"prior must be within 1e-100\.\.1e\+100"):
            error_moments(dpbi.ehds(0.8), [1, bad, 1], large)
    with pytest.raises(ValueError, match=r"epsilon must give a rate of at most 4e\+06"):
        mixture(1e7, 1e-9)
    with pytest.raises(ValueError, match="simulated_error and simulated_mean_error"):
        dpbi.mean_error(dpbi.laplace_in_order(0.8), [1, 1, 1], large)
