"""Noise on the counts without a list: its exponents, their frequencies and bounds, held to the laws of few records."""

import math

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import enclosures, noise_spectrum
from dpbi.accuracy.enclosures import enclosed, enclosed_quantile, unlisted
from dpbi.accuracy.noise_factors import noise_factors
from dpbi.accuracy.noise_spectrum import NoiseSums
from dpbi.model.distances import affinity_exponent, count_distances

NOISY = [
    ("lshist", (1, 0.5, 2), (4, 0, 9), 0.5),  # the last count is used up often or seldom
    ("geometric", (1, 1, 1, 1), (5, 6, 4, 0), 4.0),
    ("staircase", (0.1, 3, 1), (5, 2, 6), 2.0),
    ("discrete_gaussian", (600, 400, 700), (0, 1, 3), 0.1),  # totals far above n, and all exponents small
    ("lsdim", (1, 1), (100, 20), 0.1),
    ("lattice_laplace", (1, 2, 1), (40, 45, 50), 2.0),
]


def listed(name, prior, x, epsilon):
    """The mechanism, the exponents of its outputs and their probabilities."""
    prior, counts, mechanism = np.array(prior, float), np.array(x), dpbi.MECHANISMS[name].at(epsilon)
    law = mechanism.law(prior, counts)
    D = affinity_exponent(prior + counts, prior + law.outputs, (law.outputs - counts) / 2)
    return mechanism, prior, counts, D, law.probabilities


def factors_of(mechanism, prior, counts, small=40.0):
    return noise_factors(prior, counts, mechanism.noise(prior, counts), small)


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
def test_frequencies_are_those_of_the_list(name, prior, x, epsilon):
    mechanism, prior, counts, D, p = listed(name, prior, x, epsilon)
    sums = NoiseSums(factors_of(mechanism, prior, counts))
    assert math.exp(sums.log_itself - sums.log_total) == pytest.approx(p[D == 0].sum(), rel=1e-9)
    scale = float(p @ D)
    for theta in (-1 / D.max(), 0.0, 0.3 / scale, 2.0 / scale):
        omegas = np.array([0.0, 0.7, 5.0, 90.0]) / scale
        found, log_scale = sums.spectrum(theta, omegas, 0.0)
        factor = math.exp(log_scale - sums.log_total)
        true = np.exp(-np.multiply.outer(theta + 1j * omegas, D)) @ p
        off = np.abs(found.values * factor - true)
        assert (off <= found.errors * factor + 3 * sums.lost).all()
        assert found.errors.max() * factor < 1e-6  # larger totals multiply the rounding
        above = sums.log_sum(theta) - sums.log_total - math.log(true[0].real)
        assert -1e-9 < above < 1e-6


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
def test_frequencies_that_are_left_out_are_small(name, prior, x, epsilon, monkeypatch):
    mechanism, prior, counts, D, p = listed(name, prior, x, epsilon)
    sums = NoiseSums(factors_of(mechanism, prior, counts))
    monkeypatch.setattr(noise_spectrum, "TOGETHER", 1)  # one factor of one frequency at a time
    omegas = np.append(0.0, np.geomspace(0.1, 3e4, 40) / float(p @ D))
    found, log_scale = sums.spectrum(0.0, omegas, 0.5)
    true = np.exp(-1j * np.multiply.outer(omegas, D)) @ p
    factor = math.exp(log_scale - sums.log_total)
    assert (np.abs(found.values * factor - true) <= found.errors * factor + 1e-9).all()
    left_out = found.values == 0
    assert left_out.any() == (name == "lattice_laplace")
    assert found.errors[left_out].max(initial=0.0) * factor <= 0.5


def test_ring_frequencies_left_out_are_within_the_bound(monkeypatch):
    """Beside transforms of all of them."""
    prior, counts = np.ones(30), np.arange(100, 400, 10)
    sums = NoiseSums(factors_of(dpbi.lattice_laplace(1.0), prior, counts))
    monkeypatch.setattr(noise_spectrum, "TOGETHER", 1)
    omegas, sizes, product = np.array([0.0, 3.0, 80.0]), [], noise_spectrum.multiplied

    def multiplied(values, times):
        sizes.append(values.shape[-1])
        return product(values, times)

    monkeypatch.setattr(noise_spectrum, "multiplied", multiplied)
    few, scale = sums.spectrum(1.0, omegas, 0.0)
    assert min(sizes) < max(sizes) / 2
    monkeypatch.setattr(noise_spectrum, "NEXT_TO_NOTHING", 0.0)
    sizes.clear()
    every, same = sums.spectrum(1.0, omegas, 0.0)
    assert scale == same
    assert min(sizes) == max(sizes)
    assert (np.abs(few.values - every.values) <= every.errors).all()
    assert (few.errors <= every.errors * 1.01).all()


def test_far_tilts_of_large_exponents_say_nothing():
    # rounding of the exponents alone turns each weight by any factor
    sums = NoiseSums(factors_of(dpbi.lshist(1.0), np.ones(40), np.array([10**10] * 39 + [0])))
    assert sums.log_sum(-1e24) == math.inf
    assert math.isfinite(sums.log_sum(-1e3))


def test_what_many_categories_of_the_lattice_leave_out_is_small():
    # the total is zero with a probability of 1e-3, and what is left out is a share of that
    law = unlisted(dpbi.lattice_laplace(0.3), np.ones(400), np.full(400, 10**8))
    assert isinstance(law.sums, NoiseSums)
    assert law.sums.lost < 1e-7


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
def test_no_release_is_nearer_than_the_least_exponent(name, prior, x, epsilon):
    mechanism, prior, counts, D, _ = listed(name, prior, x, epsilon)
    factors = factors_of(mechanism, prior, counts)
    beyond = mechanism.law(prior, counts).outputs.sum(axis=1) > counts.sum()
    assert factors.least <= D[~beyond & (D > 0)].min()
    assert factors.least_beyond <= D[beyond].min(initial=np.inf)
    assert factors.excess.any() or not beyond.any()


def test_a_larger_total_may_be_nearer_than_any_count_is_moved():
    # almost all records in one category, and one more there: both posteriors are nearly the same
    prior, counts = np.ones(3), np.array([10**6 - 1, 1, 0])
    near = affinity_exponent(prior + counts, prior + counts + [1, 0, 0], np.array([0.5, 0, 0]))
    factors = factors_of(dpbi.geometric(8.0), prior, counts)
    assert factors.least_beyond < near < factors.least
    assert near < 30 * factors.least_beyond


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
@pytest.mark.parametrize("small", [20.0, 3.0])
def test_bounds_hold_the_law_of_noise(name, prior, x, epsilon, small, monkeypatch):
    mechanism, prior, counts, D, p = listed(name, prior, x, epsilon)
    monkeypatch.setattr(enclosures, "SMALL", small)  # short windows leave out what the bounds then have to hold
    law, order = unlisted(mechanism, prior, counts), np.argsort(D)
    reached = np.cumsum(p[order])
    for share in (0.05, 0.4, 0.9):
        T = max(float(D[order][np.searchsorted(reached, share)]) * (1 + 1e-6), float(D[D > 0].min()) / 2)
        true = math.fsum(p[T > D])
        for bins in (16, 256):
            lower, upper = enclosed(law, T, bins)
            assert 0 <= lower <= true * (1 + 1e-12)
            assert true <= upper * (1 + 1e-12) <= 1 + 1e-12
    H = count_distances(prior, counts, mechanism.law(prior, counts).outputs)
    for gamma in (0.5, 0.02):
        lower, upper = enclosed_quantile(law, gamma, 64)
        true = dpbi.error_quantile(mechanism, prior, counts, gamma)
        assert lower <= true * (1 + 1e-9)
        assert true <= upper * (1 + 1e-9)
    assert enclosed(law, float(-np.log1p(-(H[H > 0].min() ** 2))) / 100, 64) == law.itself


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
def test_bounds_of_noise_come_closer_until_they_meet(name, prior, x, epsilon):
    mechanism, prior, counts, D, p = listed(name, prior, x, epsilon)
    law, order = unlisted(mechanism, prior, counts), np.argsort(D)
    first, last = np.searchsorted(np.cumsum(p[order]), (0.3, 0.8))
    some = D[order][max(first, int((D == 0).sum())) : last + 2]
    gap = np.argmax(some[1:] / some[:-1])
    T = float(some[gap] + some[gap + 1]) / 2  # far from all exponents
    widths = [upper - lower for lower, upper in (enclosed(law, T, bins) for bins in (64, 512, 4096))]
    assert widths[1] < widths[0] / 3
    assert widths[2] < widths[1] / 4
    assert widths[2] < 0.01


def test_the_tail_of_noise_is_bounded_by_sums_that_grow():
    mechanism, prior, counts, D, p = listed("geometric", (1, 1, 1), (50, 60, 70), 1.0)
    law = unlisted(mechanism, prior, counts)
    # Chernoff's bound at the best power of two that does not multiply rounding too much, from the list
    powers = np.array([theta for theta in law.sums.thetas if -30 < theta * D.max() < 0])
    for x in (0.5, 2.0, 10.0):
        best = float((np.exp(-np.multiply.outer(powers, D - x)) @ p).min())
        assert p[x <= D].sum() <= law.at_most(x, math.inf) <= best * (1 + 1e-6) + law.sums.lost
    assert law.far < 1e-5


def test_where_the_lattice_has_an_end_the_bounds_say_so(monkeypatch):
    # a count that falls below 0 is replaced: here of these releases the bounds know nothing
    prior, counts, mechanism = np.ones(3), np.array([3, 60, 72]), dpbi.lattice_laplace(2.0)
    monkeypatch.setattr(enclosures, "LOST", 1.0)
    law, true = unlisted(mechanism, prior, counts), dpbi.error_law(mechanism, prior, counts)
    t = true.quantile(0.5) * (1 + 1e-9)
    lower, upper = enclosed(law, -math.log1p(-t * t), 512)
    assert lower <= true.below(t) <= upper
    assert law.sums.lost < upper - lower < 2.1 * law.sums.lost + 0.1


@pytest.mark.parametrize("name", ["lshist", "lattice_laplace", "ehdl"])
def test_two_categories_are_summed(name):
    mechanism, prior, counts = dpbi.MECHANISMS[name].at(0.8), [1, 0.5], [4 * 10**8, 6 * 10**8]
    t = dpbi.error_quantile(mechanism, prior, counts, 0.3)
    lower, upper = dpbi.error_bounds(mechanism, prior, counts, 1.01 * t)
    assert lower <= 1 - dpbi.error_tail(mechanism, prior, counts, 1.01 * t) <= upper <= lower + 1e-8
    lower, upper = dpbi.quantile_bounds(mechanism, prior, counts, 0.3)
    assert lower <= t <= upper <= t * (1 + 1e-8)
