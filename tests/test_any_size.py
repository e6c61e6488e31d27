"""Errors without a list: sums of products against lists and against sums of Fractions and mpmath, with their bounds."""

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import dpbi
import oracles
from dpbi import error_bounds, error_moments, quantile_bounds
from dpbi.accuracy import errors as accuracy
from dpbi.accuracy import mixture as mixtures
from dpbi.accuracy import noise_moments as noisy
from dpbi.accuracy.enclosures import enclosed, enclosed_quantile, unlisted
from dpbi.accuracy.mixture import mixture, root_mixture
from dpbi.accuracy.moments import Certified, deviation_of, exponential_moments
from dpbi.accuracy.noise_factors import NoiseFactors
from dpbi.accuracy.noise_moments import noise_moments
from dpbi.accuracy.products import kinds_of, log_others
from dpbi.accuracy.spectrum import spectrum
from dpbi.model.datasets import count_vectors
from dpbi.model.distances import count_distances, gamma_gap
from dpbi.model.sums import sum_rule
from oracles import mp
from test_laws import MECHANISMS


@pytest.mark.parametrize("N", [30, 1000, 10**9])
def test_the_rule_sums_powers_as_whole_numbers_add_up(N):
    # sum of C(i, q) over i < N is C(N, q + 1), an identity of integers
    nodes, weights = sum_rule(N)
    for q in (0, 3, 20, 39):
        found = weights @ np.prod([(nodes - i) / N for i in range(q)] or [np.ones(len(nodes))], axis=0)
        true = mp.mpf(math.comb(N, q + 1)) * math.factorial(q) / mp.mpf(N) ** q
        assert found == pytest.approx(float(true), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("rate", [1e-2, 1.7, 300.0])
@pytest.mark.parametrize("least", [0.3, 1e-4, 1e-11])
def test_the_weight_is_a_sum_of_exponentials_up_to_its_proved_error(rate, least):
    form = mixture(rate, least)
    assert form.errors.max() < 1e-14
    for D in np.geomspace(least, 60, 6):
        H = mp.sqrt(-mp.expm1(-mp.mpf(D)))
        weight = mp.exp(-rate * H)
        for j in range(3):
            found = mp.exp(-rate) + mp.fsum(
                mp.exp(mp.mpf(w) - mp.mpf(m) * D) * s
                for m, w, s in zip(form.nodes, form.log_weights, form.factors[:, j], strict=True)
            )
            allowed = form.errors[j] * (1 + rate * H) ** (j + 1) * weight / max(rate, 1) ** j
            assert abs(found - H**j * weight) <= allowed


@pytest.mark.parametrize("least", [0.3, 1e-4, 1e-11])
def test_the_root_is_a_sum_of_exponentials_up_to_its_proved_error(least):
    nodes, weights, (error, nearer) = root_mixture(least, 1e-3 * least)
    assert error < 1e-14 < nearer < 0.2 * math.sqrt(least)
    for D in np.geomspace(1e-3 * least, 60, 7):
        found = 1 - mp.fsum(mp.mpf(w) * mp.exp(-mp.mpf(m) * D) for m, w in zip(nodes, weights, strict=True))
        assert abs(found - mp.sqrt(-mp.expm1(-mp.mpf(D)))) <= (error if least <= D else nearer)


def test_a_wrong_weight_is_noticed_by_the_proof():
    form = mixture(3.0, 1e-3)
    for place in (0, 25, 60):
        changed = form.log_weights.copy()
        changed[place] += 1e-9
        assert mixtures._error(form.nodes, changed, form.factors, 3.0, 1e-3).max() > 1e-14


PRODUCTS = [
    ((1.0, 1.0, 1.0), (4, 3, 0)),
    ((0.01, 30.0, 2.0), (0, 9, 1)),
    ((1.0,) * 4, (3, 3, 3, 3)),
    ((1e3, 0.02), (40, 2)),
]


@pytest.mark.parametrize(("prior", "x"), PRODUCTS)
@pytest.mark.parametrize("theta", [1, 2, 40])
def test_the_sum_over_all_other_candidates_is_that_of_the_definition(prior, x, theta):
    true = mp.fsum(
        (1 - oracles.distance(prior, x, r) ** 2) ** theta for r in oracles.datasets(sum(x), len(x)) if tuple(r) != x
    )
    found = log_others(kinds_of(np.array(prior, float), np.array(x)), float(theta))
    assert abs(mp.exp(mp.mpf(found.value)) - true) <= found.error * true
    assert found.error < 1e-12


WIDE = [((1, 1, 1), (400, 300, 300)), ((1, 1, 1), (600, 250, 3)), ((1, 1), (20_000, 30_000)), ((0.3, 2), (90_000, 0))]


def exponents(prior, x):
    prior, counts = np.array(prior, float), np.array(x)
    moves = count_vectors(sum(x), len(x)) - counts
    a = np.broadcast_to(prior + counts, moves.shape)
    return gamma_gap(a, a + moves, moves / 2).sum(axis=1)


@pytest.mark.parametrize(("prior", "x"), WIDE)
def test_steps_windows_and_frequencies_lose_less_than_they_say(prior, x):
    D = exponents(prior, x)
    kinds = kinds_of(np.array(prior, float), np.array(x))
    for theta in (1.0, 17.3, 1e3, 3e4):
        others = math.fsum(np.exp(-theta * D[D > 0]))
        if others < 1e-290:
            continue
        found = log_others(kinds, theta)
        assert abs(math.exp(found.value) / others - 1) <= found.error + 1e-13
        assert found.error < 1e-12
        omegas = theta * np.array([0.0, 0.7, 20.0])
        turned, logs = spectrum(kinds, theta, omegas, 1e-6)
        for omega, value, error in zip(omegas, turned.values, turned.errors, strict=True):
            assert abs(value - (np.exp(-(theta + 1j * omega) * D)).sum() * math.exp(-logs)) <= error
            assert error < 1e-5


def random_cells(count, seed):
    """Small cells of all kinds: corners, equal counts, extreme priors."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        k = int(rng.integers(2, 6))
        n = int(rng.integers(1, {2: 3000, 3: 150, 4: 45, 5: 24}[k]))
        prior = 10 ** rng.uniform(-2, 3, k)
        style = rng.integers(4)
        x = rng.multinomial(n, rng.dirichlet(np.full(k, 0.3 if style else 1.0)))
        if style == 1:
            x = np.eye(k, dtype=np.int64)[rng.integers(k)] * n
        if style == 2:
            prior[:] = prior[0]
        yield prior, x, float(10 ** rng.uniform(-2, math.log10(60)))


def test_moments_are_those_of_the_list_within_their_bounds():
    for prior, x, rate in random_cells(15, 5):
        H = count_distances(prior, x, count_vectors(int(x.sum()), len(x)))
        weights = np.exp(-rate * H)
        total = math.fsum(weights)
        mean = math.fsum(weights * H) / total
        deviation = math.sqrt(math.fsum(weights * (H - mean) ** 2) / total)
        found = exponential_moments(prior, x, rate)
        truths = (mean, deviation, math.log(total))
        for value, true in zip(found, truths, strict=True):
            assert abs(value.value - true) <= value.bound + 4e-15 * abs(true)  # the list is rounded too
        assert found.mean.bound < 1e-11 * mean
        assert found.log_normaliser.bound < 1e-11 * (1 + abs(truths[2]))


def test_moments_of_a_small_cell_are_those_of_exact_arithmetic():
    prior, x, rate = (Fraction(1, 2), Fraction(1), Fraction(3)), (3, 0, 4), 7
    H = [oracles.distance(tuple(float(w) for w in prior), x, r) for r in oracles.datasets(7, 3)]
    weights = [mp.exp(-rate * h) for h in H]
    mean = mp.fsum(w * h for w, h in zip(weights, H, strict=True)) / mp.fsum(weights)
    found = exponential_moments(np.array([3.5, 1.0, 7.0]) - x, np.array(x), 7.0)
    assert abs(found.mean.value - mean) <= found.mean.bound
    assert abs(found.log_normaliser.value - mp.log(mp.fsum(weights))) <= found.log_normaliser.bound


@pytest.mark.parametrize(("k", "n", "mechanism"), [(6, 10**6, dpbi.ehds(2.0)), (30, 10**12, dpbi.ehdl(0.8))])
def test_large_cells_have_the_moments_that_draws_show(k, n, mechanism):
    prior = np.ones(k)
    counts = np.full(k, n // k)
    counts[0] += n - counts.sum()
    found = error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(2), 4000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
    assert H.std() == pytest.approx(found.standard_deviation.value, rel=0.1)
    assert found.mean.bound < 1e-10 * found.mean.value
    assert dpbi.mean_error(mechanism, prior, counts) == found.mean.value


NOISY = [
    ("lshist", (1, 0.5, 2), (4, 0, 9), 0.5),
    ("lszhang", (1, 1, 1), (0, 0, 12), 0.9),
    ("staircase", (0.1, 3, 1), (5, 0, 6), 2.0),
    ("geometric", (1, 1, 1, 1), (2, 3, 1, 2), 4.0),
    ("discrete_gaussian", (1, 0.5, 2), (4, 0, 9), 0.5),
]


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
def test_noise_has_the_moments_of_the_definition(name, prior, x, epsilon):
    mechanism = MECHANISMS[name][0](epsilon) if name in MECHANISMS else dpbi.MECHANISMS[name].at(epsilon)
    law = mechanism.law(prior, x)
    H = [oracles.distance(prior, x, tuple(int(c) for c in r)) for r in law.outputs]
    mean = mp.fsum(h * mp.mpf(p) for h, p in zip(H, law.probabilities, strict=True))
    square = mp.fsum(h * h * mp.mpf(p) for h, p in zip(H, law.probabilities, strict=True))
    found = noise_moments(np.array(prior, float), np.array(x), mechanism.noise(prior, x))
    assert abs(found.mean.value - mean) <= found.mean.bound + 1e-13
    assert abs(found.standard_deviation.value - mp.sqrt(square - mean**2)) <= found.standard_deviation.bound + 1e-12
    assert found.mean.bound < found.standard_deviation.bound < 1e-7


@pytest.mark.parametrize(("name", "prior", "x", "epsilon"), NOISY)
@pytest.mark.parametrize("small", [2.0, 5.0])
def test_what_is_left_out_of_noise_is_in_the_bound(name, prior, x, epsilon, small, monkeypatch):
    # windows and rings so short that what they leave out is far above rounding
    mechanism = dpbi.MECHANISMS[name].at(epsilon)
    law = mechanism.law(prior, x)
    mean = math.fsum(law.probabilities * count_distances(np.array(prior, float), np.array(x), law.outputs))
    monkeypatch.setattr(noisy, "SMALL", small)
    found = noise_moments(np.array(prior, float), np.array(x), mechanism.noise(prior, x))
    assert abs(found.mean.value - mean) <= found.mean.bound
    assert found.mean.bound < 8 * math.exp(-small)


@pytest.mark.parametrize("name", ["lshist", "lattice_laplace"])
def test_allowances_for_rounding_are_in_the_bound(name, monkeypatch):
    # each so large that little else counts, as multiples of itself and the mean: of gaps one, of a difference of
    # products of k factors 20 + k
    prior, counts = np.linspace(0.5, 2, 5), 300 + 70 * np.arange(5)
    noise = dpbi.MECHANISMS[name].at(1.5).noise(prior, counts)
    plain = noise_moments(prior, counts, noise)
    square = plain.mean.value**2 + plain.standard_deviation.value**2
    shares = {}
    for constant, size in (("GAP", 1e-7), ("ROUNDING", 1e-9), ("ROUNDED", 1e-9)):
        with monkeypatch.context() as patch:
            patch.setattr(noisy, constant, size)
            found = noise_moments(prior, counts, noise)
        shares[constant] = (found.mean.bound - plain.mean.bound) / (size * plain.mean.value)
        if constant == "GAP":
            variance = size * square + (2 + size) * size * plain.mean.value**2
            assert found.standard_deviation.bound == pytest.approx(variance / plain.standard_deviation.value, rel=1e-3)
    moving = 5 if name == "lattice_laplace" else 4
    assert shares["GAP"] == pytest.approx(1, rel=1e-5)
    assert 0.95 * (20 + moving) < shares["ROUNDING"] < 1.2 * (20 + moving)
    assert 0.1 < shares["ROUNDED"] < 1e4


@pytest.mark.parametrize("name", ["geometric", "staircase", "lattice_laplace"])
@pytest.mark.parametrize("counts", [(60, 90, 140), (9, 4, 80)])
@pytest.mark.parametrize("epsilon", [14.0, 24.0])
def test_noise_that_moves_next_to_nothing_has_an_error_to_many_digits(name, counts, epsilon):
    prior, x, mechanism = np.array([1.0, 0.5, 2.0]), np.array(counts), dpbi.MECHANISMS[name].at(epsilon)
    law = mechanism.law(prior, x)
    mean = math.fsum(law.probabilities * count_distances(prior, x, law.outputs))
    found = noise_moments(prior, x, mechanism.noise(prior, x)).mean
    assert abs(found.value - mean) <= found.bound + 1e-12 * mean
    assert found.bound < 1e-5 * mean


def test_no_records_have_no_error_with_many_categories():
    assert error_moments(dpbi.lattice_laplace(1.0), np.ones(50), np.zeros(50, dtype=int)).mean == Certified(0.0, 0.0)


def test_an_error_too_small_for_digits_is_said_with_its_bound():
    prior, counts, mechanism = np.ones(20), np.full(20, 10**6), dpbi.staircase(700.0)
    mean, _, _ = error_moments(mechanism, prior, counts)
    assert 0 <= mean.value <= mean.bound < 1e-13
    with pytest.raises(ValueError, match="must err by more to be told from zero without a list, got staircase"):
        dpbi.mean_error(mechanism, prior, counts)


def test_a_deviation_is_within_its_bound_of_all_that_it_may_be():
    rng = np.random.default_rng(9)
    for _ in range(200):
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


def test_lattice_noise_far_from_the_ends_has_the_moments_of_its_law(monkeypatch):
    prior, x, mechanism = np.ones(3), np.array([40, 45, 50]), dpbi.lattice_laplace(2.0)
    law = mechanism.law(prior, x)
    mean = math.fsum(law.probabilities * count_distances(prior, x, law.outputs))
    found = noise_moments(prior, x, mechanism.noise(prior, x))
    assert abs(found.mean.value - mean) <= found.mean.bound + 1e-15
    assert found.mean.bound < 1e-10
    # near an end the bound says that the nearest legal counts are no product, if it is taken as it is
    monkeypatch.setattr(noisy, "CLOSE", 1.0)
    x = np.array([3, 60, 72])
    law = mechanism.law(prior, x)
    mean = math.fsum(law.probabilities * count_distances(prior, x, law.outputs))
    found = noise_moments(prior, x, mechanism.noise(prior, x))
    assert 1e-9 < abs(found.mean.value - mean) <= found.mean.bound
    # which is that a count falls below 0, by a sum over the noise on the lattice; the bound is a crude one
    v = np.arange(-200, 201)
    log_p = -(abs(v[:, None]) + abs(v) + abs(v[:, None] + v))
    below = np.exp(log_p)[(x[0] + v[:, None] < 0) | (x[1] + v < 0) | (x[2] - v[:, None] - v < 0)].sum()
    assert below / np.exp(log_p).sum() <= found.mean.bound <= 100 * below / np.exp(log_p).sum()


@pytest.mark.parametrize("name", ["lshist", "lattice_laplace", "discrete_gaussian"])
def test_noise_on_many_counts_has_the_mean_that_draws_show(name):
    prior, counts, mechanism = np.ones(12), np.full(12, 10**5), dpbi.MECHANISMS[name].at(0.8)
    found = error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(3), 4000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
    assert found.mean.bound < 1e-9 * found.mean.value


@pytest.mark.parametrize("name", ["lshist", "lattice_laplace"])
def test_the_frequencies_that_count_are_enough(name, monkeypatch):
    prior, counts = np.ones(400), 1000 + 300 * (np.arange(400) % 3)
    noise, found = dpbi.MECHANISMS[name].at(1.0).noise(prior, counts), []
    monkeypatch.setattr(noisy, "NoiseWide", lambda *_: SimpleNamespace(fits=False))
    for share in (0.0, 0.1):  # all frequencies, held to lists above; then few of them
        monkeypatch.setattr(noisy, "LISTED", share)
        found.append(noise_moments(prior, counts, noise))
    for all_of_them, few in zip(*(moments[:2] for moments in found), strict=True):
        assert abs(all_of_them.value - few.value) <= all_of_them.bound + few.bound
        assert few.bound < 1e-9 * few.value
    assert found[0] != found[1]  # they are not the same sums


def test_gaussian_noise_has_the_moments_of_its_law():
    # its transforms are next to nothing at high frequencies
    prior, x, mechanism = np.array([1.0, 0.5, 2.0]), np.array([60, 50, 70]), dpbi.discrete_gaussian(0.2)
    law = mechanism.law(prior, x)
    H = count_distances(prior, x, law.outputs)
    mean = math.fsum(law.probabilities * H)
    deviation = math.sqrt(math.fsum(law.probabilities * (H - mean) ** 2))
    found = noise_moments(prior, x, mechanism.noise(prior, x))
    assert abs(found.mean.value - mean) <= found.mean.bound + 1e-15
    assert abs(found.standard_deviation.value - deviation) <= found.standard_deviation.bound + 1e-15
    assert found.mean.bound < found.standard_deviation.bound < 1e-10


def test_frequencies_left_out_are_below_their_bound():
    # against the transform at all frequencies
    moves = np.arange(-60, 61)[None, :].repeat(2, axis=0)
    masses = np.exp(-np.array([[0.3], [0.5]]) * np.abs(moves) - 0.01 * moves**2)
    masses /= masses.sum(axis=1, keepdims=True)
    totals = np.zeros(2048)
    factors = NoiseFactors(
        moves, masses, moves**2 / 1e3, np.array([300, 200]), totals, totals, totals, totals > 0, 0.0, 1e-3, 1e-3, 1.0
    )
    product = noisy._Product(factors)
    for theta in (0.0, 3.0):
        factors = masses * np.exp(-theta * product.D)
        kept, lost = product._kept(factors)
        rows = np.zeros((2, 2048))
        rows[:, moves[0] % 2048] = factors
        sizes = np.abs(np.prod(np.fft.rfft(rows, axis=1) ** np.array([[300], [200]]), axis=0))
        assert 2 * sizes[kept:].sum() <= lost + 1e-25
        assert lost <= noisy.NOTHING
        assert kept < 700


def test_where_a_list_is_short_it_is_summed():
    law = dpbi.error_law(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1])
    found = error_moments(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1])
    assert found.mean.value == pytest.approx(law.mean(), rel=1e-14)
    whole = exponential_moments(np.ones(3), np.array([5, 3, 1]), dpbi.ehds(2.0).rate([1] * 3, [5, 3, 1]))
    for listed, summed in zip(found, whole, strict=True):
        assert abs(listed.value - summed.value) <= listed.bound + summed.bound
    lower, upper = error_bounds(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1], 0.4)
    assert lower < law.below(0.4) < upper < lower + 1e-8
    lower, upper = quantile_bounds(dpbi.ehds(2.0), [1, 1, 1], [5, 3, 1], 0.1)
    assert lower < law.quantile(0.1) < upper < lower + 1e-8


def test_without_records_nothing_is_off(monkeypatch):
    monkeypatch.setattr(accuracy, "SUMMED_NUMBERS", 0)
    assert error_moments(dpbi.ehd(1.0), [1, 1, 1], [0, 0, 0]).mean == (0.0, 0.0)


def test_at_a_large_budget_nothing_but_the_dataset_is_released():
    prior, counts = np.ones(3), np.array([10**6] * 3)
    found = error_moments(dpbi.ehds(1e9), prior, counts)
    assert found.mean.value == found.standard_deviation.value == found.log_normaliser.value == 0
    assert max(bound for _, bound in found) < 1e-20
    assert error_bounds(dpbi.ehds(1e9), prior, counts, 0.1) == (1, 1)
    assert quantile_bounds(dpbi.ehds(1e9), prior, counts, 0.1) == (0, 0)
    # and where it is no longer next to nothing the sum and this bound agree
    kinds, n = kinds_of(np.ones(2), np.array([2, 4])), 6
    rate = 99 / float(np.sqrt(-np.expm1(-kinds.least)))
    assert exponential_moments(np.ones(2), np.array([2, 4]), rate).mean.value < n * math.exp(-98)


def test_at_a_large_budget_an_empty_category_stays_so():
    prior, counts, mechanism = np.ones(3), np.array([10**6, 0, 5]), dpbi.lattice_laplace(2e3)
    mean, deviation, _ = noise_moments(prior, counts, mechanism.noise(prior, counts))
    assert 0 <= mean.value <= mean.bound < 1e-12
    assert deviation.value <= deviation.bound < 1e-6
    assert error_bounds(mechanism, prior, counts, 0.1).lower > 1 - 1e-4


@pytest.mark.parametrize("name", ["lshist", "lattice_laplace", "discrete_gaussian"])
def test_noise_of_a_large_budget_is_summed(name):
    prior, counts = np.ones(3), np.array([10**6] * 3)
    found = noise_moments(prior, counts, dpbi.MECHANISMS[name].at(1e3).noise(prior, counts))
    true = 0.0
    if name == "lshist":  # floored: each of two counts stays or falls by one, as likely
        moves = np.array([[0, 0, 0], [-1, 0, 1], [0, -1, 1], [-1, -1, 2]])
        true = count_distances(prior, counts, counts + moves).mean()
    assert abs(found.mean.value - true) <= found.mean.bound < 1e-12


def test_a_quantile_is_one_where_next_to_nothing_is_near():
    lower, upper = quantile_bounds(dpbi.ehd(0.8), [1, 1, 1], [10**5] * 3, 0.1)
    assert 1 - 1e-8 < lower < upper == 1


def test_arguments_that_no_sum_without_a_list_can_have_are_named():
    large = [10**6] * 3
    for bad in (1e-300, 1e300):
        with pytest.raises(ValueError, match=r"prior must be within 1e-100\.\.1e\+100"):
            dpbi.privacy.loss_on_grid(dpbi.ehdl(0.8), [1, bad], 10**6)
        for call in (error_moments, lambda *setting: quantile_bounds(*setting, 0.1)):
            with pytest.raises(ValueError, match=r"prior must be within 1e-100\.\.1e\+100 .* got 1e.300 at position 1"):
                call(dpbi.ehds(0.8), [1, bad, 1], large)
    with pytest.raises(ValueError, match=r"epsilon must give a rate of at most 4e\+06 .*, got a rate of 1e\+07"):
        mixture(1e7, 1e-9)
    with pytest.raises(ValueError, match=r"quantile_bounds none of a mechanism with \.noise or \.rate"):
        dpbi.mean_error(dpbi.laplace_in_order(0.8), [1, 1, 1], large)


@pytest.mark.parametrize(("prior", "x", "rate"), [((1, 1, 1), (40, 30, 20), 9.0), ((0.5, 2, 1, 1), (9, 0, 4, 12), 4.0)])
def test_bounds_hold_the_law_and_its_quantiles(prior, x, rate):
    prior, counts = np.array(prior, float), np.array(x)
    law = unlisted(replace(dpbi.ehd(1.0), rate=lambda prior, counts: rate), prior, counts)
    H = np.sort(count_distances(prior, counts, count_vectors(sum(x), len(x))))
    weights = np.exp(-rate * H)
    reached = np.cumsum(weights) / math.fsum(weights)
    for share in (0.3, 0.95):
        t = H[np.searchsorted(reached, share)] * (1 + 1e-6)
        true = math.fsum(weights[t > H]) / math.fsum(weights)
        widths = []
        for bins in (64, 256):
            lower, upper = enclosed(law, -math.log1p(-t * t), bins)
            assert lower - 1e-12 <= true <= upper + 1e-12
            widths.append(upper - lower)
        assert widths[1] < 0.7 * widths[0] + 5e-3
    true = H[np.searchsorted(reached, 0.8)]
    lower, upper = enclosed_quantile(law, 0.2, 128)
    assert lower <= true * (1 + 1e-9)
    assert true <= upper * (1 + 1e-9)


@pytest.mark.parametrize("name", ["ehdl", "lshist", "lattice_laplace"])
@pytest.mark.parametrize(("k", "n"), [(10, 10**6), (20, 10**8)])
def test_bounds_are_useful_at_ten_and_twenty_categories(k, n, name):
    prior, counts, mechanism = np.ones(k), np.full(k, n // k), dpbi.MECHANISMS[name].at(0.8)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(4), 20_000))
    for share in (0.1, 0.5, 0.95):
        t = float(np.quantile(H, share))
        lower, upper = error_bounds(mechanism, prior, counts, t)
        assert lower - 0.015 <= share <= upper + 0.015
        assert upper - lower < 0.02
