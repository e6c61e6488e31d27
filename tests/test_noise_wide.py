"""Noise of any width by few moves and few frequencies, held to convolutions of all of them.

The oracle adds up laws of totals by NumPy's convolution, with exponents from log-gammas at 60 digits and the masses at
the ends of a count from the list of all moves; it calls nothing of what it is held to.
"""

import math
import tracemalloc
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.accuracy import noise_moments as noisy
from dpbi.accuracy import noise_wide as wide
from dpbi.accuracy import panels
from dpbi.accuracy.low_frequencies import LowFrequencies
from dpbi.accuracy.moments import exponential_moments
from dpbi.accuracy.noise_factors import product_change
from dpbi.accuracy.noise_wide import NoiseWide
from dpbi.model.distances import count_distances

NAMES = ["lshist", "geometric", "staircase", "discrete_gaussian", "lattice_laplace"]
ON_ALL_BUT_THE_LAST = NAMES[:-1]
# noise on the lattice near an end is for other sums
WHERE = [*((name, False) for name in NAMES), *((name, True) for name in ON_ALL_BUT_THE_LAST)]
# sums on the lattice are not tilted, and what is tilted more than the noise falls needs its exponents
TILTED = [
    (name, near, steep, theta)
    for name, near in WHERE
    for steep in (0.0, 0.6, 1.3)
    for theta in (0.0, 30.0, 3000.0, 1e9)
    if (steep == 0 or name != "lattice_laplace") and (steep < 1 or theta >= 3000)
]


def exponents(prior, count, moves):
    """D at all moves, from log-gammas."""
    return np.array([exponent(float(prior), int(count), d) for d in np.asarray(moves).tolist()])


@cache
def exponent(prior, count, move):
    """D at one move."""
    a, gamma = oracles.mp.mpf(prior) + count, oracles.loggamma
    return float((gamma(a) + gamma(a + move)) / 2 - gamma(a + oracles.mp.mpf(move) / 2))


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
    moves, n, last = np.arange(-reach, reach + 1), int(np.sum(counts)), int(counts[-1])
    p, balanced = masses(name, epsilon, moves), name == "lattice_laplace"
    laws, low = [], 0
    for weight, count in list(zip(prior, counts, strict=True))[: len(counts) if balanced else -1]:
        kept = moves if balanced else np.clip(moves, -int(count), n - int(count))
        first, law = int(kept[0]), np.bincount(kept - kept[0], p)
        laws.append((law, exponents(weight, count, first + np.arange(len(law)))))
        low += first
    totals = low + np.arange(sum(len(law) - 1 for law, _ in laws) + 1)
    near = abs(totals) <= 12 * reach
    rest = np.full(len(totals), np.inf)
    if balanced:
        rest[totals == 0] = 0
    else:
        taken = np.minimum(totals[near], last)
        rest[near] = exponents(prior[-1], last, -taken) - exponents(sum(prior), n, totals[near] - taken)
    found = []
    for theta in (0.0, *thetas):
        whole = np.ones(1)
        for law, D in laws:
            whole = np.convolve(whole, law * np.exp(-theta * D))
        there = near & np.isfinite(rest) & (whole > 0)
        logs = np.log(whole[there]) - theta * rest[there]  # what is released is never nearer than it is likely
        found.append(math.fsum(np.exp(logs)))
    return found[0], [found[0] - value for value in found[1:]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("k", "epsilon", "spread"), [(3, 0.5, 0), (6, 0.5, 400), (9, 0.25, 0)])
def test_few_moves_are_as_good_as_all(name, k, epsilon, spread):
    prior, counts = np.linspace(0.5, 2, k), 4000 + spread * np.arange(k)
    counts[-1] = 60_000
    prior[: k // 2] = 1.0
    mechanism = dpbi.MECHANISMS[name].at(epsilon)
    sums = NoiseWide(prior, counts, mechanism.noise(prior, counts), 46.0)
    assert sums.fits
    thetas = [1.0, 30.0, 1e3, 3e4, 1e6]
    norm, true = convolved(name, epsilon, prior, counts, thetas)
    assert sums.norm == pytest.approx(norm, rel=1e-12)
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound + 2e-15 * norm, (theta, found - value, bound)
        assert bound < 1e-12 * norm


@pytest.mark.parametrize("name", ON_ALL_BUT_THE_LAST)
@pytest.mark.parametrize(
    ("counts", "known"),
    [
        ((30, 0, 400, 7, 5000), 1e-11),  # three near 0
        ((2, 500, 0, 1, 90, 0, 300, 12), 1e-3),  # a last count that is often used up
        ((0, 0, 0, 0, 0, 1000), 1e-11),  # all but one at an end
        ((1000, 0, 0, 0), 0.1),  # the first at the other end, and the last empty
        ((40, 60, 20, 50, 0, 30, 0), 0.2),  # more noise than records
        ((3, 1, 2), 1.0),
    ],
)
def test_counts_near_their_ends(name, counts, known):
    epsilon, prior, counts = 0.4, np.linspace(0.3, 3, len(counts)), np.array(counts)
    sums = NoiseWide(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), 46.0)
    assert sums.fits
    thetas = [1.0, 2.5, 30.0, 1e3, 3e4]
    _, true = convolved(name, epsilon, prior, counts, thetas)
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound + 1e-14, (theta, found - value, bound)
        assert bound <= known


@pytest.mark.parametrize("name", ON_ALL_BUT_THE_LAST)
def test_random_counts_are_within_the_bounds(name):
    rng, exact = np.random.default_rng(12), 0
    for _ in range(12):
        k, epsilon = int(rng.integers(3, 8)), float(10 ** rng.uniform(-0.5, 0.3))
        counts = np.floor(rng.choice([0, 0.1, 1, 5, 40, 300], k) * 2 / epsilon * rng.uniform(0.3, 1, k)).astype(int)
        counts[rng.integers(k)] += 2
        prior = 10 ** rng.uniform(-1, 1, k)
        sums = NoiseWide(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), 46.0)
        thetas = [1.0, 20.0, 1e3, 1e5]
        _, true = convolved(name, epsilon, prior, counts, thetas)
        for theta, value in zip(thetas, true, strict=True):
            found, bound = sums.missing(theta)
            assert abs(found - value) <= bound + 1e-13, (counts, theta, found - value, bound)
            exact += bound < 1e-10
    assert exact > 12


@pytest.mark.parametrize(("name", "near"), WHERE)
@pytest.mark.parametrize("small", [-4.0, -1.0, 3.0])
def test_what_is_left_out_is_in_the_bound(name, small, near, monkeypatch):
    # so short windows and rings, and so few frequencies, that what they leave out is far above rounding
    monkeypatch.setattr(wide, "LESS_SMALL", min(wide.LESS_SMALL, small + 6))
    k, epsilon = 8, 0.3
    prior, counts = np.ones(k), np.append(2000 + 100 * np.arange(k - 1), 60_000)
    if near:
        counts[:4], counts[-1] = [0, 3, 10, 20], 30
    sums = NoiseWide(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), small)
    thetas = [1.0, 100.0, 3000.0]
    _, true = convolved(name, epsilon, prior, counts, thetas)
    assert sums.fits
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound
        assert near or bound < 10 * math.exp(-small - 4)


@pytest.mark.parametrize("frequency", [0.0, 1e-6, 1e-3, 0.4, 3.0])
@pytest.mark.parametrize("count", [1, 31, 33, 81, 1000, 10**6])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("ends", [False, True])
def test_panels_sum_what_falls_and_turns(count, frequency, width, ends):
    found = panels.nodes_of(count, count if ends else math.inf, width, frequency)
    assert found.weights.sum() == pytest.approx(count, rel=1e-13)
    slope, at = -10 / count - 1j * frequency, found.whole + width * found.periods
    closed = np.expm1(slope * count) / np.expm1(slope)
    assert abs(found.weights @ np.exp(slope * at) - closed) < 1e-13 * count
    # what only whole periods share: the places within one
    assert found.weights[found.whole % width == 0].sum() == pytest.approx(-(-count // width), rel=1e-13)
    if ends:  # a root at the end, as of a function that is not smooth there
        roots = np.sqrt(np.maximum(count - at, 0.0))
        assert found.weights @ roots == pytest.approx(math.fsum(np.sqrt(np.arange(1, count + 1))), rel=1e-12)
    assert len(at) <= 40 * width * (4 + 2 * math.log2(count) + frequency * count / 4)


@pytest.mark.parametrize(("N", "kept"), [(10**12, 300), (10**5, 5000), (1001, 501), (10**9, 1)])
def test_low_frequencies_are_those_of_the_sum(N, kept):
    rng = np.random.default_rng(4)
    whole, part = rng.integers(-(10**10), 10**10, (3, 200)), rng.uniform(-3, 3, (3, 200))
    values, j = rng.normal(size=(3, 200)), np.unique(np.geomspace(1, kept, 40).astype(int) - 1)
    for rows in (1, 3):
        transform = LowFrequencies(whole[:rows], part[:rows], N, kept)
        found = transform(values)[:, j]
        for row in range(3):
            here = row % rows
            turns = np.outer(whole[here].astype(object), j) % N / N  # exact whole numbers
            true = values[row] @ np.exp(-2j * np.pi * (turns.astype(float) + np.outer(part[here], j) / N))
            assert (abs(found[row] - true) <= transform.rounding[j] * abs(values[row]).sum()).all()
    assert transform.rounding[0] < 2e-14
    assert transform.rounding[-1] < 4e-12


@pytest.mark.parametrize("name", ["lshist", "staircase", "lattice_laplace"])
def test_what_the_rule_is_off_is_in_the_bound(name, monkeypatch):
    prior, counts, epsilon = np.ones(14), np.append(np.full(13, 20_000), 300_000), 0.1
    for module in (panels, wide):
        monkeypatch.setattr(module, "NODES", 4)
        monkeypatch.setattr(module, "PHASE", 4.0)
    panels._rule.cache_clear()
    sums = NoiseWide(prior, counts, dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts), 46.0)
    value, bound = sums.missing(100.0)
    panels._rule.cache_clear()
    norm, (true,) = convolved(name, epsilon, prior, counts, [100.0])
    assert 1e-13 * norm < abs(value - true) <= bound


@pytest.mark.parametrize(("name", "near", "steep", "theta"), TILTED)
def test_frequencies_that_are_left_out_are_below_their_bound(name, theta, near, steep):
    # against the transforms of lists, wherever one might stop; at the largest theta nothing moves
    rng, N, reach = np.random.default_rng(3), 3001, 700
    for k in (2, 3, 8):
        epsilon = float(10 ** rng.uniform(-0.7, 0.3))
        counts = rng.integers(*((0, 40) if near else (3000, 6000)), k - 1 + (name == "lattice_laplace"))
        some = np.append(np.full(k, 5000), 10**6)
        sums = NoiseWide(np.ones(k + 1), some, dpbi.MECHANISMS[name].at(epsilon).noise(np.ones(k + 1), some), 10.0)
        groups, factors, product, tilt = [], [], np.ones(N // 2 + 1), steep * sums._noise.decay
        for kind, count in enumerate(counts.tolist()):
            moves = np.arange(-min(count, reach), reach + 1)
            kept = np.clip(np.arange(-reach, reach + 1), -count, reach)
            law = np.bincount(kept - moves[0], masses(name, epsilon, np.arange(-reach, reach + 1)))
            law *= np.exp(tilt * moves - theta * exponents(1.0, count, moves))
            ring = np.zeros(N)
            ring[moves % N] = law
            product *= abs(np.fft.fft(ring))[: N // 2 + 1]
            ends = int(near)  # the mass at the end comes first
            jumps = np.array([(law[ends] + law[-1]) / math.exp(min(tilt * reach, 600))])
            lowest = np.array([1.0 + count + moves[ends]])
            groups.append(SimpleNamespace(kinds=np.array([kind]), ends=ends, jumps=jumps, lowest=lowest))
            factors.append(law[None])
        shares = product * 2 / N
        if name != "lattice_laplace":  # what completes rises to one and falls
            shares /= np.sin(np.pi / N * np.maximum(np.arange(N // 2 + 1), 1))
        sums._times, sums._prior, sums._counts = np.ones(len(counts), dtype=np.int64), np.ones(len(counts)), counts
        sums._last = (1.0, 0)
        kept, lost = sums._tails(groups, factors, N, reach, theta, tilt)
        for stop, bound in list(zip(kept, lost, strict=True))[::20]:
            assert shares[stop:].sum() <= bound * (1 + 1e-9)
        assert lost[-1] < lost[0] < 10 * math.prod(float(factor.sum()) for factor in factors)


def test_no_release_is_nearer_than_the_least_exponent():
    prior, counts = np.array([0.5, 2, 1, 1]), np.array([9000, 3000, 5000, 70_000])
    nearest = min(exponents(w, x, [1, -1]).min() for w, x in zip(prior, counts, strict=True))
    sums = NoiseWide(prior, counts, dpbi.lattice_laplace(1.0).noise(prior, counts), 46.0)
    assert 0.85 * nearest < sums.least < 0.95 * nearest
    counts[:] = [0, 3, 5, 0]
    sums = NoiseWide(prior, counts, dpbi.geometric(1.0).noise(prior, counts), 46.0)
    law = dpbi.geometric(1.0).law(prior, counts)
    D = -np.log1p(-(count_distances(prior, counts, law.outputs) ** 2))
    more = law.outputs.sum(axis=1) > 8
    assert 0 < sums.least < D[(D > 0) & ~more].min()
    assert 0 < sums.least_beyond < D[more].min()


def test_the_product_changes_by_what_its_factors_do():
    rng = np.random.default_rng(5)
    times = np.array([3, 1, 7, 1])
    before = rng.normal(size=(4, 50)) + 1j * rng.normal(size=(4, 50))
    before[2, ::7] *= 1e-6  # quotients by these are not taken
    changes = 1e-9 * (rng.normal(size=(4, 50)) + 1j * rng.normal(size=(4, 50)))
    found = product_change(before, [changes[:3], changes[3:]], times)
    for j in range(50):
        b = [oracles.mp.mpc(complex(value)) for value in before[:, j]]
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
    prior, counts = np.ones(3), np.array([10**14, 10**14, 0])
    noise = dpbi.staircase(1e-7).noise(prior, counts)
    tracemalloc.start()
    fits = NoiseWide(prior, counts, noise, 46.0).fits
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not fits
    assert peak < 1e8


def test_exponents_are_asked_in_order():
    prior, counts = np.ones(40), np.append(np.full(39, 50_000), 6_000_000)
    sums = NoiseWide(prior, counts, dpbi.geometric(0.05).noise(prior, counts), 46.0)
    sums.missing(1e6)
    with pytest.raises(ValueError, match=r"theta must not fall, got 1\.0 after 1000000\.0"):
        sums.missing(1.0)


def test_what_a_probability_is_off_is_not_in_all_factors():
    # the largest probability of this noise is off by 1e-14, which a thousand factors would have each
    epsilon, prior, counts = 0.00281, np.ones(1000), np.append(np.full(999, 10**9), 10**13)
    noise = dpbi.discrete_gaussian(epsilon).noise(prior, counts)
    largest = oracles.mp.sqrt(oracles.mp.mpf(noise.noise.precision) / (2 * oracles.mp.pi))  # next terms: below 1e-99
    (group,) = NoiseWide(prior, counts, noise, 46.0)._layout.groups
    assert float(group.masses[group.moves == 0][0]) == pytest.approx(float(largest), rel=1e-15)
    assert abs(math.exp(noise.noise.log_point(0)) / float(largest) - 1) > 5e-15


@pytest.mark.parametrize("last", [0, 60_000])
def test_where_no_more_is_laid_out_what_is_known_is_a_bound(last, monkeypatch):
    prior, counts = np.ones(8), np.append(np.full(7, 5000), last)
    noise = dpbi.lshist(0.3).noise(prior, counts)
    sums, never = (NoiseWide(prior, counts, noise, 46.0) for _ in range(2))
    begun, _ = never.missing(1.0)
    monkeypatch.setattr(wide, "LARGEST_NODES", 0)
    value, bound = never.missing(1e6)
    monkeypatch.undo()
    true, _ = sums.missing(1e6)
    assert abs(true - value) <= bound
    assert last == 0 or bound == pytest.approx((1 - begun) / 2, rel=1e-9)


def test_more_records_than_there_were_are_known_up_to_a_factor():
    # what is beyond n is used up by rounding, and is between nothing and what it was
    prior, counts = np.ones(4), np.array([1000, 700, 400, 0])
    sums = NoiseWide(prior, counts, dpbi.lshist(0.05).noise(prior, counts), 46.0)
    thetas = [1.0, 3.0, 1e3]
    _, true = convolved("lshist", 0.05, prior, counts, thetas)
    for theta, value in zip(thetas, true, strict=True):
        found, bound = sums.missing(theta)
        assert abs(found - value) <= bound
    within, beyond = sums._doubt
    assert within < 1e-10 < 1e-6 < beyond < sums.more
    again = sums.missing(2e3)
    assert again[1] <= bound * 1.001


@pytest.mark.parametrize("low", [10, 0])
@pytest.mark.parametrize("name", NAMES)
def test_both_ways_agree(name, low, monkeypatch):
    prior, counts = np.linspace(0.3, 3, 60), 5000 + 3000 * (np.arange(60) % 20)
    counts[-1] = 10**6
    if name != "lattice_laplace":
        counts[:20] = low
    noise = dpbi.MECHANISMS[name].at(0.4).noise(prior, counts)
    few = noisy._wide(NoiseWide(prior, counts, noise, 46.0))
    assert few == noisy.noise_moments(prior, counts, noise)
    monkeypatch.setattr(noisy, "NoiseWide", lambda *_: SimpleNamespace(fits=False))
    all_of_them = noisy.noise_moments(prior, counts, noise)
    for one, other in zip(few[:2], all_of_them[:2], strict=True):
        assert abs(one.value - other.value) <= one.bound + other.bound < 1e-3 * other.value
    assert few[0].bound < 1e-9 * few[0].value
    assert few != all_of_them


@pytest.mark.parametrize(
    ("name", "epsilon", "k", "n", "empty"),
    [
        ("lshist", 0.01, 200, 10**11, 0),
        ("staircase", 0.1, 200, 10**11, 0),
        ("lattice_laplace", 0.003, 200, 10**11, 0),
        ("lshist", 0.01, 300, 10**12, 1),
        ("geometric", 0.01, 300, 10**6, 0),
        ("staircase", 0.02, 200, 10**9, 100),
        ("discrete_gaussian", 0.01, 200, 10**6, 1),
        ("geometric", 1e-4, 4, 10**12, 0),
    ],
)
def test_wide_noise_has_the_mean_that_draws_show(name, epsilon, k, n, empty):
    # all moves of all counts would be many numbers, and so would be the ring of totals
    shares = 1 / np.arange(1, k - empty + 1)
    prior, counts = np.ones(k), np.append(n * shares / shares.sum(), np.zeros(empty)).astype(np.int64)
    mechanism = dpbi.MECHANISMS[name].at(epsilon)
    found = dpbi.error_moments(mechanism, prior, counts)
    H = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(8), 2000))
    assert abs(H.mean() - found.mean.value) < 5 * found.standard_deviation.value / math.sqrt(len(H)) + 1e-12
    assert found.mean.bound < 1e-9 * found.mean.value


@pytest.mark.parametrize("name", [*NAMES, "ehdl"])
@pytest.mark.parametrize(
    ("prior", "x"),
    [
        ((1, 1, 1e-17), (30, 20, 5)),
        ((1, 1, 1e-30), (9, 20, 7)),
        ((1, 1e-15, 1), (30, 2, 20)),
        ((1e-10, 1, 2), (3, 9, 0)),
    ],
)
def test_prior_weights_that_are_lost_beside_their_counts(name, prior, x):
    # 1e-17 + 5 is 5 in doubles; what is left where all five are gone is 1e-17
    prior, counts, mechanism = np.array(prior), np.array(x), dpbi.MECHANISMS[name].at(2.0)
    law = mechanism.law(prior, counts)
    H = count_distances(prior, counts, law.outputs)
    true = math.fsum(law.probabilities * H)
    found = []
    if mechanism.rate is not None:
        found.append(exponential_moments(prior, counts, mechanism.rate(prior, counts)))
    else:
        noise = mechanism.noise(prior, counts)
        found.append(noisy.noise_moments(prior, counts, noise))
        if (sums := NoiseWide(prior, counts, noise, 46.0)).fits:
            found.append(noisy._wide(sums))
    for moments in found:
        assert abs(moments.mean.value - true) <= moments.mean.bound + 5e-14  # the list is rounded
        assert moments.mean.bound < 0.1


@pytest.mark.parametrize(("k", "x", "epsilon"), [(10, 30, 0.01), (300, 1000, 1e-3), (30, 100, 1e-3), (3, 2, 1e-3)])
@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("name", ["discrete_gaussian", "geometric"])
def test_noise_that_is_wider_than_all_records(name, k, x, epsilon, place):
    prior, counts = np.ones(k), np.zeros(k, dtype=np.int64)
    counts[place] = x
    noise = dpbi.MECHANISMS[name].at(epsilon).noise(prior, counts)
    sums, last = NoiseWide(prior, counts, noise, 22.0), 0.0
    assert sums.fits
    for theta in (1.0, 10.0, 1e3):
        value, bound = sums.missing(theta)
        assert last <= value + bound
        last = value - bound
    assert value - bound <= 1


@pytest.mark.parametrize("epsilon", [1e-17, 1e-20])
def test_noise_wider_than_any_whole_number_is_refused(epsilon):
    prior, counts = np.ones(200), np.append(np.zeros(199, dtype=np.int64), 2)
    assert not NoiseWide(prior, counts, dpbi.geometric(epsilon).noise(prior, counts), 46.0).fits
    with pytest.raises(ValueError, match=r"error_moments|fewer records"):
        dpbi.error_moments(dpbi.geometric(epsilon), prior, counts)


def test_totals_that_count_for_more_are_not_dropped():
    # most of the mass has none of these totals, but they have a factor that makes up for it
    prior, counts = np.full(150, 400.0), np.zeros(150, dtype=np.int64)
    prior[-1], counts[-1] = 1200.0, 4
    sums = NoiseWide(prior, counts, dpbi.geometric(1e-3).noise(prior, counts), 22.0)
    sums.missing(1.0)
    sums.missing(136.6837)
    assert sums._layout.beyond is not None
