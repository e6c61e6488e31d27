"""Noise on counts far from 0 and n: sums over few moves, held to convolutions of all of them.

The oracle adds up laws of totals by NumPy's convolution, with exponents from log-gammas at 60 digits; it calls nothing
of what it is held to.
"""

import math
import tracemalloc

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.accuracy import noise_inside as inside
from dpbi.accuracy import noise_moments as noisy
from dpbi.accuracy.noise_factors import product_change
from dpbi.accuracy.noise_inside import NoiseInside
from dpbi.model.distances import count_distances

NAMES = ["lshist", "geometric", "staircase", "discrete_gaussian", "lattice_laplace"]


def exponents(a, moves):
    """D at all moves, from log-gammas."""
    a = oracles.mp.mpf(float(a))
    gamma = oracles.loggamma
    return np.array([float((gamma(a) + gamma(a + d)) / 2 - gamma(a + oracles.mp.mpf(int(d)) / 2)) for d in moves])


def masses(name, epsilon, moves):
    """The noise by its formula, added up to one."""
    m = np.asarray(moves, float)
    power = {
        "lshist": -epsilon / 2 * np.where(m >= 0, m, -1 - m),
        "geometric": -epsilon / 2 * abs(m),
        "staircase": -epsilon / 2 * np.ceil(abs(m) / 2),
        "discrete_gaussian": -(epsilon**2) / 4 * m**2,
        "lattice_laplace": -epsilon / 2 * abs(m),
    }[name]
    return np.exp(power) / math.fsum(np.exp(power))


def convolved(name, epsilon, prior, counts, thetas):
    """E[1 - y^theta] by convolution, times the probability of a total of zero for noise on the lattice."""
    reach = math.ceil({"discrete_gaussian": 14 * 2 / epsilon, "staircase": 160 / epsilon}.get(name, 80 / epsilon))
    moves, a = np.arange(-reach, reach + 1), np.asarray(prior, float) + counts
    p, balanced = masses(name, epsilon, moves), name == "lattice_laplace"
    moving = a if balanced else a[:-1]
    D = {value: exponents(value, moves) for value in set(moving.tolist())}
    totals = np.arange(-reach * len(moving), reach * len(moving) + 1)
    near = abs(totals) <= 12 * reach
    last = np.full(len(totals), np.inf)
    last[near] = 0 if balanced else exponents(a[-1], -totals[near])
    found = []
    for theta in (0.0, *thetas):
        law = np.ones(1)
        for value in moving.tolist():
            law = np.convolve(law, p * np.exp(-theta * D[value]))
        found.append(law[totals == 0][0] if balanced else math.fsum(law[near] * np.exp(-theta * last[near])))
    return found[0], [found[0] - value for value in found[1:]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "epsilon", "spread"), [(3, 0.5, 0), (6, 0.5, 400), (9, 0.25, 0)])
def test_few_moves_are_as_good_as_all(name, k, epsilon, spread):
    prior, counts = np.linspace(0.5, 2, k), 4000 + spread * np.arange(k)
    counts[-1] = 60_000
    prior[: k // 2] = 1.0
    mechanism = dpbi.MECHANISMS[name].at(epsilon)
    sums = NoiseInside(prior, counts, mechanism.noise(prior, counts), 46.0)
    assert sums.fits
    thetas = [1.0, 30.0, 1e3, 3e4, 1e6]
    norm, true = convolved(name, epsilon, prior, counts, thetas)
    assert sums.norm == pytest.approx(norm, rel=1e-12)
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound + 2e-15 * norm, (theta, found - value, bound)
        assert bound < 1e-12 * norm


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("small", [-4.0, -1.0, 3.0])
def test_what_is_left_out_is_in_the_bound(name, small):
    # so short windows and rings, and so few frequencies, that what they leave out is far above rounding
    k, epsilon = 8, 0.3
    prior, counts = np.ones(k), np.append(2000 + 100 * np.arange(k - 1), 60_000)
    sums = NoiseInside(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), small)
    thetas = [1.0, 100.0, 3000.0]
    _, true = convolved(name, epsilon, prior, counts, thetas)
    assert sums.fits
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound
        assert bound < 10 * math.exp(-small - 4)


@pytest.mark.parametrize("frequency", [0.0, 1e-6, 1e-3, 0.4, 3.0])
@pytest.mark.parametrize("count", [1, 31, 33, 1000, 10**6])
def test_panels_sum_what_falls_and_turns(count, frequency):
    starts, periods, weights = inside._panels(count, frequency)
    slope = -10 / count - 1j * frequency
    found = weights @ np.exp(slope * (starts + periods))
    closed = np.expm1(slope * count) / np.expm1(slope)
    assert abs(found - closed) < 1e-13 * count
    assert weights.sum() == pytest.approx(count, rel=1e-13)
    assert len(weights) <= 32 * (3 + math.log2(count) + frequency * count / 8)


@pytest.mark.parametrize("name", ["lshist", "staircase", "lattice_laplace"])
def test_what_the_rule_is_off_is_in_the_bound(name, monkeypatch):
    prior, counts, epsilon = np.ones(14), np.append(np.full(13, 20_000), 300_000), 0.1
    monkeypatch.setattr(inside, "NODES", 3)
    sums = NoiseInside(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), 46.0)
    norm, (true,) = convolved(name, epsilon, prior, counts, [100.0])
    value, bound = sums.missing(100.0)
    assert 1e-13 * norm < abs(value - true) <= bound


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("theta", [0.0, 30.0, 3000.0, 1e9])
def test_frequencies_that_are_left_out_are_below_their_bound(name, theta):
    # against the transforms of lists, wherever one might stop; at the largest theta nothing moves
    rng, N, reach = np.random.default_rng(3), 3001, 700
    moves = np.arange(-reach, reach + 1)
    for k in (2, 3, 8):
        epsilon = float(10 ** rng.uniform(-0.7, 0.3))
        prior, counts = np.ones(k), np.append(rng.integers(3000, 6000, k - 1), 10**6)
        sums = NoiseInside(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), 10.0)
        moving = (prior + counts) if name == "lattice_laplace" else (prior + counts)[:-1]
        p = masses(name, epsilon, moves)
        factors = np.stack([p * np.exp(-theta * exponents(a, moves)) for a in moving])
        product = np.prod(abs(np.fft.fft(factors, N, axis=1)), axis=0)[: N // 2 + 1]
        shares = product * (2 / N if name == "lattice_laplace" else 1 / np.maximum(np.arange(N // 2 + 1), 1))
        sums._a, sums._times = moving, np.ones(len(moving), dtype=np.int64)
        for stop in (5, 50, N // 8, N // 4, 3 * N // 8):
            sums._small = -math.log(max(shares[stop:].sum(), 1e-300))
            kept, lost = sums._frequencies(factors.sum(axis=1), N, reach, theta)
            assert shares[kept:].sum() <= lost * (1 + 1e-9)
            assert lost <= math.exp(-sums._small)


def test_no_release_is_nearer_than_the_least_exponent():
    prior, counts = np.array([0.5, 2, 1, 1]), np.array([9000, 3000, 5000, 70_000])
    nearest = min(exponents(a, [1, -1]).min() for a in prior + counts)
    sums = NoiseInside(prior, counts, dpbi.lattice_laplace(1.0).noise(prior, counts), 46.0)
    assert 0.85 * nearest < sums.least < 0.95 * nearest


def test_the_product_changes_by_what_its_factors_do():
    rng = np.random.default_rng(5)
    times = np.array([3, 1, 7, 1])
    before = rng.normal(size=(4, 50)) + 1j * rng.normal(size=(4, 50))
    before[2, ::7] *= 1e-6  # quotients by these are not taken
    changes = 1e-9 * (rng.normal(size=(4, 50)) + 1j * rng.normal(size=(4, 50)))
    for rows in (before, before[:1]):
        found = product_change(rows, [changes[:3], changes[3:]], times)
        for j in range(50):
            b = [oracles.mp.mpc(complex(value)) for value in np.broadcast_to(rows, changes.shape)[:, j]]
            c = [oracles.mp.mpc(complex(value)) for value in changes[:, j]]
            true, plain = oracles.mp.mpf(1), oracles.mp.mpf(1)
            for one, more, many in zip(b, c, times.tolist(), strict=True):
                true, plain = true * (one + more) ** many, plain * one**many
            assert abs(found[j] - complex(true - plain)) <= 1e-13 * abs(complex(true - plain)) + 1e-14 * abs(
                complex(plain)
            ) * (abs(complex(b[2])) < 1e-3)


def test_products_that_are_next_to_nothing_do_not_overflow():
    before, changes = np.full((1, 2), 0.01 + 0j), np.full((1, 2), 0.02 + 0j)
    assert (product_change(before, [changes], np.array([20_000])) == 0).all()


def test_what_would_need_much_memory_is_left_alone():
    prior, counts = np.ones(3), np.full(3, 10**14)
    noise = dpbi.staircase(1e-7).noise(prior, counts)
    tracemalloc.start()
    fits = NoiseInside(prior, counts, noise, 46.0).fits
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fits
    assert peak < 1e8


def test_exponents_are_asked_in_order():
    prior, counts = np.ones(40), np.append(np.full(39, 50_000), 6_000_000)
    sums = NoiseInside(prior, counts, dpbi.geometric(0.05).noise(prior, counts), 46.0)
    sums.missing(1e6)
    with pytest.raises(ValueError, match=r"theta must not fall, got 1\.0 after 1000000\.0"):
        sums.missing(1.0)


def test_what_a_probability_is_off_is_not_in_all_factors():
    # the largest probability of this noise is off by 1e-14, which a thousand factors would have each
    epsilon, prior, counts = 0.00281, np.ones(1000), np.append(np.full(999, 10**9), 10**13)
    noise = dpbi.discrete_gaussian(epsilon).noise(prior, counts)
    largest = oracles.mp.sqrt(oracles.mp.mpf(noise.noise.precision) / (2 * oracles.mp.pi))  # next terms: below 1e-99
    sums = NoiseInside(prior, counts, noise, 46.0)
    layout = sums._layout
    assert float(layout.masses[layout.moves == 0][0]) == pytest.approx(float(largest), rel=1e-15)
    assert abs(math.exp(noise.noise.log_point(0)) / float(largest) - 1) > 5e-15


def test_where_no_more_is_laid_out_what_is_known_is_a_bound(monkeypatch):
    prior, counts = np.ones(8), np.append(np.full(7, 5000), 60_000)
    noise = dpbi.lshist(0.3).noise(prior, counts)
    sums, never = (NoiseInside(prior, counts, noise, 46.0) for _ in range(2))
    begun = never.missing(1.0)[0]
    monkeypatch.setattr(inside, "LARGEST_TABLE", 0)
    value, bound = never.missing(1e6)
    monkeypatch.undo()
    true, _ = sums.missing(1e6)
    assert abs(true - value) <= bound
    assert bound == pytest.approx((1 - begun) / 2, rel=1e-9)


@pytest.mark.parametrize(
    ("low", "last"), [(10, 10**6), (10**6, 1500)], ids=["a count near the end", "a last count that may be used up"]
)
def test_counts_near_an_end_are_for_other_sums(low, last):
    # no count moves by more than some 220 records, but all together by more than 500
    prior, counts = np.ones(200), np.append(np.full(198, 10**6), [low, last])
    assert not NoiseInside(prior, counts, dpbi.lshist(0.5).noise(prior, counts), 46.0).fits
    counts[-2:] = 10**6
    assert NoiseInside(prior, counts, dpbi.lshist(0.5).noise(prior, counts), 46.0).fits


@pytest.mark.parametrize("name", NAMES)
def test_both_ways_agree(name, monkeypatch):
    prior, counts = np.linspace(0.3, 3, 60), 5000 + 3000 * (np.arange(60) % 20)
    counts[-1] = 10**6
    noise = dpbi.MECHANISMS[name].at(0.4).noise(prior, counts)
    assert NoiseInside(prior, counts, noise, 46.0).quick
    few = noisy.noise_moments(prior, counts, noise)
    monkeypatch.setattr(NoiseInside, "quick", False)
    all_of_them = noisy.noise_moments(prior, counts, noise)
    for one, other in zip(few[:2], all_of_them[:2], strict=True):
        assert abs(one.value - other.value) <= one.bound + other.bound < 1e-9 * other.value
    assert few != all_of_them


@pytest.mark.parametrize(("name", "epsilon"), [("lshist", 0.01), ("staircase", 0.1), ("lattice_laplace", 0.003)])
def test_wide_noise_on_many_different_counts_has_the_mean_that_draws_show(name, epsilon):
    # all moves of all counts would be some 1e7 numbers, and the ring of totals as long
    prior, counts = np.ones(200), (10**11 / np.arange(1, 201)).astype(np.int64)
    mechanism = dpbi.MECHANISMS[name].at(epsilon)
    found = dpbi.error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(8), 2000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H))
    assert found.mean.bound < 1e-9 * found.mean.value
