"""Draws from the exponential mechanisms: their law, whichever way they are made, and what they refuse."""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import chi2, gamma, kstest, norm

import dpbi
import oracles
from dpbi.mechanisms import exponential as mechanisms
from dpbi.mechanisms import exponential_draws, exponential_loops
from dpbi.mechanisms.exponential_loops import single_gap, single_slope
from dpbi.model.datasets import count_vectors, lattice_size, row_number
from dpbi.model.distances import count_distances, gamma_gap, lattice_distances
from oracles import mp

FALSE_ALARM = 1e-3
"""Chance that some cell is tried again on fresh draws, and that one tried again fails: together below 1e-6."""

CELLS = {
    "k=2 balanced, ehd 10": (dpbi.ehd(10.0), (1, 1), (30, 30)),
    "k=2 all in one, ehdl 0.1": (dpbi.ehdl(0.1), (0.01, 0.01), (0, 80)),
    "k=2 sparse, ehds 10": (dpbi.ehds(10.0), (0.01, 2), (0, 60)),
    "k=2 wide pieces, ehdl 0.8": (dpbi.ehdl(0.8), (0.5, 0.5), (1500, 400)),
    "k=2 wide pieces, m_h 2": (dpbi.smoothed_hellinger(2.0, 1e-6), (30, 1), (200, 1100)),
    "k=3 balanced, ehdl 2": (dpbi.ehdl(2.0), (1, 1, 1), (12, 12, 12)),
    "k=3 sparse, ehd 0.8": (dpbi.ehd(0.8), (0.01, 0.01, 0.01), (0, 0, 30)),
    "k=3 Zipf, m_h 10": (dpbi.smoothed_hellinger(10.0, 1e-3), (0.5, 3, 30), (20, 10, 6)),
    "k=3 wide pieces, ehdl 10": (dpbi.ehdl(10.0), (2, 30, 30), (100, 35, 15)),
    "k=4 balanced, ehds 0.1": (dpbi.ehds(0.1), (1, 1, 1, 1), (4, 4, 4, 4)),
    "k=4 Zipf, ehdl 10": (dpbi.ehdl(10.0), (0.3, 1, 1, 2), (8, 4, 2, 1)),
    "k=4 all in one, heavy prior, ehdl 10": (dpbi.ehdl(10.0), (30, 30, 30, 30), (14, 0, 0, 0)),
    "k=5 Zipf, ehd 2": (dpbi.ehd(2.0), (1, 1, 1, 1, 1), (5, 2, 1, 1, 1)),
    "k=5 sparse, ehds 10": (dpbi.ehds(10.0), (0.01, 30, 0.5, 1, 1), (0, 6, 3, 0, 0)),
}


@pytest.fixture(autouse=True)
def _never_listed(monkeypatch):
    monkeypatch.setattr(mechanisms, "LISTED_CANDIDATES", 0)


def pearson(observed, expected):
    """The p-value of Pearson's test; rare outcomes are pooled."""
    common = expected >= 10
    o, e = np.append(observed[common], observed[~common].sum()), np.append(expected[common], expected[~common].sum())
    if e[-1] < 10:  # together they are rare still
        o, e = np.append(o[:-2], o[-2:].sum()), np.append(e[:-2], e[-2:].sum())
    return chi2.sf(((o - e) ** 2 / e).sum(), len(o) - 1) if len(o) > 1 else float(o[0] == observed.sum())


def groupings(candidates, probabilities):
    """Candidates one by one, in twenty bands of distance, which orders their weights, and by each of their counts."""
    order = np.argsort(probabilities, kind="stable")
    bands = np.empty(len(order), dtype=np.int64)
    bands[order] = np.minimum(20 * np.cumsum(probabilities[order]), 19).astype(np.int64)
    return [np.arange(len(order)), bands, *candidates.T]


def p_value(draws, probabilities):
    """The least p-value of Pearson's tests against a law in the order of ``count_vectors``, times their number."""
    seen = np.bincount(row_number(draws), minlength=len(probabilities))
    candidates = count_vectors(int(draws[0].sum()), draws.shape[1])
    groups = groupings(candidates, probabilities)
    each = [pearson(np.bincount(g, seen), len(draws) * np.bincount(g, probabilities)) for g in groups]
    return len(groups) * min(each)


def agrees(draw, probabilities, cells=1, many=300_000):
    """Whether draws follow a law: a p-value below the Bonferroni bound is tried again on twice as many fresh draws."""
    if p_value(draw(many), probabilities) >= FALSE_ALARM / cells:
        return True
    return p_value(draw(2 * many), probabilities) >= FALSE_ALARM


def enumerated(mechanism, prior, counts):
    """The law from its definition, distances to 60 digits; only the rate is the library's."""
    rate = float(mechanism.rate(prior, counts))
    law = oracles.exponential_mechanism(prior, counts, rate)
    return np.array([float(law[tuple(r)]) for r in count_vectors(sum(counts), len(counts)).tolist()])


@pytest.mark.parametrize("cell", CELLS)
def test_draws_follow_the_enumerated_law(cell):
    mechanism, prior, counts = CELLS[cell]
    rng = np.random.default_rng(4)
    assert agrees(lambda n: mechanism.sample(prior, counts, rng, n), enumerated(mechanism, prior, counts), len(CELLS))


def lower_chords(envelope):
    shells = envelope.shells.copy()
    shells[2:, 2] -= 0.5
    return envelope._replace(shells=shells)


def higher_pieces(envelope):
    pieces = envelope.pieces.copy()
    pieces[:, 4] += 0.1 / np.maximum(pieces[:, 2], 1) / envelope.shells[2:, 3].min()
    return envelope._replace(pieces=pieces)


@pytest.mark.parametrize(
    ("cell", "spoil"), [("k=4 Zipf, ehdl 10", lower_chords), ("k=2 wide pieces, ehdl 0.8", higher_pieces)]
)
def test_an_envelope_that_does_not_dominate_is_caught(cell, spoil):
    mechanism, prior, counts = CELLS[cell]
    a, x = np.add(prior, counts), np.array(counts)
    loops = exponential_loops.compiled()
    sound = exponential_draws.envelope(a, x, float(mechanism.rate(prior, counts)), loops[0])
    rng = np.random.default_rng(1)

    def draws_from(parts, n):
        drawn = np.empty((n, len(x)), dtype=np.int64)
        assert loops[1](drawn, rng, a, x, parts, exponential_draws.PATIENCE) == n
        return drawn

    law = enumerated(mechanism, prior, counts)
    assert agrees(lambda n: draws_from(sound, n), law)
    assert not agrees(lambda n: draws_from(spoil(sound), n), law)


@pytest.mark.parametrize(
    ("prior", "counts", "rate"),
    [
        ((1, 1), (600_000, 400_000), 500.0),
        ((0.01, 3), (0, 10**9), 3.0),
        ((1, 1, 1), (70, 20, 900), 30.0),
        ((30,) * 10, (30, *[0] * 9), 11.6),
        ((0.5,) * 20, tuple(range(0, 20_000_000, 1_000_000)), 700.0),
        ((1,) * 300, (3,) * 300, 2.0),
        ((5.7,) * 60, (1,) * 57 + (0,) * 3, 41.0),
        ((1,) * 110, (*[10**7] * 100, *range(3_000_000, 4_000_000, 100_000)), 3000.0),
    ],
)
def test_draws_are_the_same_compiled_or_not(prior, counts, rate):
    a, x = np.add(prior, counts).astype(float), np.array(counts)
    outcomes = []
    for tabulate, propose in [(exponential_loops.tabulate, exponential_loops.propose), exponential_loops.compiled()]:
        rng = np.random.default_rng(7)
        drawn = np.empty((20, len(x)), dtype=np.int64)
        assert propose(drawn, rng, a, x, exponential_draws.envelope(a, x, rate, tabulate), 10**7) == 20
        outcomes.append((drawn.tolist(), rng.bit_generator.state))
    assert outcomes[0] == outcomes[1]


def test_a_call_that_starts_uncompiled_goes_on_compiled(monkeypatch):
    prior, counts = np.ones(3), np.array([10**6, 2 * 10**6, 500])
    whole = exponential_draws.draw(prior, counts, 200.0, np.random.default_rng(3), 300)
    real = exponential_loops.compiled

    class Uncompiled:
        def __call__(self):
            return real()

        def cache_info(self):
            return real.cache_info()._replace(currsize=0)

    monkeypatch.setattr(exponential_draws, "compiled", Uncompiled())
    monkeypatch.setattr(exponential_draws, "UNCOMPILED", 1000)
    assert np.array_equal(exponential_draws.draw(prior, counts, 200.0, np.random.default_rng(3), 300), whole)


def test_seeded_draws_stay_what_they_are():
    # recorded once: a change here changes every seeded result that anyone has published
    drawn = dpbi.ehdl(0.8).sample([1, 1, 1], [300_000, 200_000, 100_000], np.random.default_rng(2026), 4)
    assert drawn.tolist() == [
        [299999, 199999, 100002],
        [300004, 200005, 99991],
        [299996, 199995, 100009],
        [299993, 200005, 100002],
    ]


def test_small_work_does_not_wait_for_the_compiler():
    script = (
        "import sys, numpy as np, dpbi\n"
        "dpbi.ehds(0.8).sample([1, 1, 1], [10**8, 10**7, 10**6], np.random.default_rng(1), 20)\n"
        "sys.exit('numba' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


# Large cells against independent formulas


def test_a_uniform_draw_has_the_moments_of_the_uniform_law():
    # of C(n+k-1, k-1) count vectors, C(n-m+k-1, k-1) have r_i >= m
    k, n, size = 100, 10**6, 20_000
    drawn = exponential_draws.draw(np.ones(k), np.full(k, n // k), 1e-9, np.random.default_rng(5), size)
    assert (drawn.sum(axis=1) == n).all()
    m = 12_345
    tail = math.comb(n - m + k - 1, k - 1) / math.comb(n + k - 1, k - 1)
    seen = (drawn >= m).mean(axis=0)
    deviation = np.abs(seen - tail) / math.sqrt(tail * (1 - tail) / size)
    assert deviation.max() < norm.isf(1e-6 / k)


@pytest.mark.parametrize("k", [2, 5, 20, 100])
def test_far_fewer_records_than_places_leave_a_gamma_law(k):
    # for x in the interior and n large, D = sum d_i^2 / (8 a_i) and lambda H has the Gamma(k - 1) law
    x = 10**11 * np.arange(1, k + 1)
    rate = 1e3 * k
    prior = np.ones(k)
    drawn = exponential_draws.draw(prior, x, rate, np.random.default_rng(k), 5000)
    score = rate * count_distances(prior, x, drawn)
    assert kstest(score, gamma(k - 1).cdf).pvalue > 1e-4
    # and by symmetry of the quadratic form E d_i^2 = 8 a_i (1 - a_i / A) E[D] / (k - 1), E[D] = k (k - 1) / rate^2
    variance = 8 * x * (1 - x / x.sum()) * k / rate**2
    standardised = (drawn - x) ** 2 / variance
    error = standardised.std(axis=0) / math.sqrt(len(drawn))
    assert (np.abs(standardised.mean(axis=0) - 1) / error).max() < norm.isf(1e-6 / k)


@pytest.mark.parametrize(("counts", "rate"), [((800, 150, 50), 20.0), ((334, 333, 333), 6.0)])
def test_half_a_million_candidates_are_drawn_with_their_marginals(counts, rate):
    prior, x = np.array([1.0, 0.5, 2.0]), np.array(counts)
    candidates = count_vectors(1000, 3)
    weights = np.exp(-rate * count_distances(prior, x, candidates))
    drawn = exponential_draws.draw(prior, x, rate, np.random.default_rng(9), 400_000)
    for i in range(3):
        expected = np.bincount(candidates[:, i], weights) / weights.sum()
        gap = np.abs(np.cumsum(np.bincount(drawn[:, i], minlength=1001) / len(drawn) - expected)).max()
        assert gap < math.sqrt(math.log(2 / 1e-6) / 2 / len(drawn))  # Dvoretzky-Kiefer-Wolfowitz


@pytest.mark.parametrize(("k", "n"), [(2, 10**9), (10, 10**6), (20, 10**8), (100, 10**6), (1000, 10**6)])
@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_every_mechanism_draws_at_any_size(k, n, epsilon):
    counts = np.random.default_rng(k).multinomial(n, np.random.default_rng(1).dirichlet(np.ones(k)))
    family = [dpbi.ehd(epsilon), dpbi.ehdl(epsilon), dpbi.ehds(epsilon), dpbi.smoothed_hellinger(epsilon, 1e-6)]
    for mechanism in family:
        drawn = mechanism.sample(np.ones(k), counts, np.random.default_rng(2), 20)
        assert drawn.shape == (20, k)
        assert drawn.dtype == np.int64
        assert (drawn >= 0).all()
        assert (drawn.sum(axis=1) == n).all()


def test_listed_and_unlisted_candidates_have_one_law(monkeypatch):
    mechanism, prior, counts = dpbi.ehds(2.0), [1, 1, 1], [9, 4, 2]
    law = enumerated(mechanism, tuple(prior), tuple(counts))
    monkeypatch.setattr(mechanisms, "LISTED_CANDIDATES", 10**6)
    rng = np.random.default_rng(11)
    assert agrees(lambda n: mechanism.sample(prior, counts, rng, n), law)


# Formulas on single numbers


def many_gaps():
    rng = np.random.default_rng(3)
    a = 10 ** rng.uniform(-3, 9, 3000)
    near = np.maximum(rng.integers(-3, 4, 3000), -np.ceil(a) + 1)
    far = np.round(10 ** rng.uniform(0, 9, 3000) - a * rng.random(3000))
    d = np.where(rng.random(3000) < 0.5, near, far)
    inside = a + d > 1e-3
    return a[inside], d[inside]


def test_single_gaps_are_the_gaps_of_the_library():
    a, d = many_gaps()
    assert [single_gap(*pair) for pair in zip(a, d, strict=True)] == pytest.approx(gamma_gap(a, a + d, d / 2), 1e-13)


def test_single_gaps_are_right_to_thirteen_digits():
    for a, d in np.transpose(many_gaps())[::10]:
        p, q = mp.mpf(a), mp.mpf(a) + mp.mpf(d)
        true = (mp.loggamma(p) + mp.loggamma(q)) / 2 - mp.loggamma((p + q) / 2)
        assert oracles.relative_error(single_gap(a, d), true) < 1e-13


def test_slopes_are_right_to_thirteen_digits():
    a, d = many_gaps()
    smooth = (a + d >= 56) & (a + d / 2 >= 28) & (d != 0)
    for p, s in np.transpose([a[smooth], d[smooth]])[::10]:
        b, m = mp.mpf(p) + mp.mpf(s), mp.mpf(p) + mp.mpf(s) / 2
        assert oracles.relative_error(abs(single_slope(p, s)), abs(mp.digamma(b) - mp.digamma(m)) / 2) < 1e-13


@pytest.mark.parametrize(("a", "count"), [(0.01, 0), (0.4, 0), (0.5, 0), (1.5, 1), (40.3, 40), (3000.5, 3000)])
@pytest.mark.parametrize("theta", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("nu", [-0.3, -0.001, 0.0, 0.001])
def test_pieces_cover_every_move_and_lie_above_the_weights(a, count, theta, nu):
    n = 20_000
    start, pieces = np.empty(2, dtype=np.int64), np.empty((100_000, 8))
    filled = exponential_loops.tabulate(pieces, start, np.array([[a, count]], dtype=float), n, theta, nu, 0.5, 8.0)
    if nu != 0 and filled == -1:
        return
    assert filled == start[1] > 0
    pieces = pieces[:filled]
    first, side, width, value, slope, _, mass, _ = pieces.T
    step = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width.astype(int))
    row = np.repeat(np.arange(len(pieces)), width.astype(int))
    move = first[row] + side[row] * step
    assert np.array_equal(np.sort(move), np.arange(-count, n - count + 1))
    line = value[row] + slope[row] * step
    exact = gamma_gap(a, a + move, move / 2) - nu * move
    assert (line <= exact + 1e-12 * (1 + np.abs(exact))).all()
    weights = np.add.reduceat(np.exp(-theta * line), np.cumsum(width).astype(int) - width.astype(int))
    assert mass == pytest.approx(np.cumsum(weights), 1e-9)


@pytest.mark.parametrize("width", [2.0**20, 3.0 * 2**21, 1e13])
@pytest.mark.parametrize("decay", [-600.0, -3.0, 1e-9, 3.0, 600.0, 1e5])
def test_steps_in_a_wide_piece_have_a_geometric_law(width, decay):
    # with a uniform fraction added it is exponential on [0, width], whose distribution function is in closed form
    s, size = decay / width, 4000
    rng = np.random.default_rng(21)
    t = np.array([exponential_loops._step(width, s, math.expm1(-decay), rng) for _ in range(size)], dtype=float)
    assert ((t >= 0) & (t < width)).all()
    level = np.expm1(-s * (t + rng.random(size))) / math.expm1(-decay)
    assert kstest(level, "uniform").pvalue > 1e-4


def test_a_piece_far_wider_than_its_law_costs_no_more():
    class Counted:
        def __init__(self):
            self.rng, self.calls = np.random.default_rng(3), 0

        def random(self):
            self.calls += 1
            return self.rng.random()

    for s in (1.0, 1e-4, 1e-8):
        rng = Counted()
        for _ in range(300):
            exponential_loops._step(1e15, s, -1.0, rng)
        assert rng.calls < 300 * 12


# Refusals


def test_a_total_beyond_exact_doubles_is_refused():
    with pytest.raises(ValueError, match=r"counts must add up to at most 2\*\*53 - 2 with 2 categories, got n=9007199"):
        dpbi.ehd(1.0).sample([1, 1], [2**53 - 2, 1], np.random.default_rng(0))


def test_a_set_up_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(exponential_draws, "LARGEST_TABLE", 4000)
    with pytest.raises(ValueError, match=r"few seconds of set-up, got k=50 and n=\d+, .* more than 4,000 pieces"):
        dpbi.ehdl(1.0).sample(np.ones(50), 60 + np.arange(50), np.random.default_rng(0))


def test_draws_that_would_not_come_in_time_are_refused(monkeypatch):
    monkeypatch.setattr(exponential_draws, "PATIENCE", 50)
    monkeypatch.setattr(exponential_draws, "UNCOMPILED", 50)
    with pytest.raises(ValueError, match=r"1000 draws be accepted within about ten minutes, got k=3 and n=3000000"):
        dpbi.ehdl(1.0).sample(np.ones(3), [10**6] * 3, np.random.default_rng(0), 1000)


# Sensitivities against enumeration


def test_sensitivities_are_those_of_an_enumeration_in_thirty_thousand_comparisons():
    rng = np.random.default_rng(12)
    compared = 0
    for k, most in [(2, 60), (3, 18), (4, 9), (5, 6)] * 45:
        n = int(rng.integers(1, most + 1))
        prior = 10 ** rng.uniform(-2, 1.2, k)
        rate = 10 ** rng.uniform(-2, 0.7)
        x = count_vectors(n, k)
        moved = np.abs(x[:, None] - x).sum(axis=-1) // 2
        local = np.where(moved == 1, lattice_distances(prior, x), 0.0).max(axis=1)
        found = dpbi.local_sensitivity(prior, x)
        assert found == pytest.approx(local, rel=1e-12)
        assert dpbi.global_sensitivity(prior, n) == pytest.approx(local.max(), rel=1e-12)
        smooth = (local * np.exp(-rate * moved)).max(axis=1)
        assert dpbi.exponential_smooth_sensitivity(prior, x, rate) == pytest.approx(smooth, rel=1e-12)
        reciprocal = (1 / (1 / local + rate * moved)).max(axis=1)
        assert dpbi.reciprocal_smooth_sensitivity(prior, x, rate) == pytest.approx(reciprocal, rel=1e-12)
        compared += 3 * lattice_size(n, k) + 1
    assert compared >= 30_000
