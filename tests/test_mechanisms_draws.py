"""Draws from the exponential mechanisms: their distribution for each method of drawing, and rejected input."""

import math

import numpy as np
import pytest
from scipy.stats import chi2, gamma, kstest, norm

import dpbi
import oracles
from dpbi.mechanisms import exponential as mechanisms
from dpbi.mechanisms import exponential_draws
from dpbi.model.datasets import count_vectors, row_number
from dpbi.model.distances import count_distances, gamma_gap

FALSE_ALARM = 1e-6
"""With the fixed seeds a right law fails always or never."""

CELLS = {
    "k=2 balanced, ehd 10": (dpbi.ehd(10.0), (1, 1), (30, 30)),
    "k=2 sparse, ehds 10": (dpbi.ehds(10.0), (0.01, 2), (0, 60)),
    "k=2 wide pieces, ehdl 0.8": (dpbi.ehdl(0.8), (0.5, 0.5), (1500, 400)),
    "k=3 Zipf, m_h 10": (dpbi.smoothed_hellinger(10.0, 1e-3), (0.5, 3, 30), (20, 10, 6)),
    "k=3 wide pieces, ehdl 10": (dpbi.ehdl(10.0), (2, 30, 30), (100, 35, 15)),
    "k=4 Zipf, ehdl 10": (dpbi.ehdl(10.0), (0.3, 1, 1, 2), (8, 4, 2, 1)),
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


def enumerated(mechanism, prior, counts):
    """The law from its definition, distances to 60 digits; only the rate is the library's."""
    rate = float(mechanism.rate(prior, counts))
    law = oracles.exponential_mechanism(prior, counts, rate)
    return np.array([float(law[tuple(r)]) for r in count_vectors(sum(counts), len(counts)).tolist()])


@pytest.mark.parametrize(
    "cell",
    [pytest.param(cell, marks=pytest.mark.slow) if cell == "k=3 wide pieces, ehdl 10" else cell for cell in CELLS],
)
def test_draws_follow_the_enumerated_law(cell):
    mechanism, prior, counts = CELLS[cell]
    drawn = mechanism.sample(prior, counts, np.random.default_rng(4), 100_000)
    assert p_value(drawn, enumerated(mechanism, prior, counts)) > FALSE_ALARM


def test_an_envelope_below_the_weights_is_detected(monkeypatch):
    right = exponential_draws.envelope

    def broken(*given):
        parts = right(*given)
        return parts._replace(shells=[part._replace(alpha=part.alpha - 0.5) for part in parts.shells])

    monkeypatch.setattr(exponential_draws, "envelope", broken)
    mechanism, prior, counts = CELLS["k=3 Zipf, m_h 10"]
    drawn = mechanism.sample(prior, counts, np.random.default_rng(4), 100_000)
    assert p_value(drawn, enumerated(mechanism, prior, counts)) < FALSE_ALARM


def test_seeded_draws_do_not_change():
    """Recorded once: a change here changes every seeded result that anyone has published."""
    drawn = dpbi.ehdl(0.8).sample([1, 1, 1], [300_000, 200_000, 100_000], np.random.default_rng(2026), 4)
    assert drawn.tolist() == [
        [299996, 199999, 100005], [299996, 200004, 100000], [299991, 200002, 100007], [299998, 200003, 99999],
    ]  # fmt: skip


def test_a_uniform_draw_has_the_moments_of_the_uniform_law():
    """Of C(n+k-1, k-1) count vectors, C(n-m+k-1, k-1) have r_i >= m."""
    k, n, size = 100, 10**6, 20_000
    drawn = exponential_draws.draw(np.ones(k), np.full(k, n // k), 1e-9, np.random.default_rng(5), size)
    assert (drawn.sum(axis=1) == n).all()
    m = 12_345
    tail = math.comb(n - m + k - 1, k - 1) / math.comb(n + k - 1, k - 1)
    seen = (drawn >= m).mean(axis=0)
    deviation = np.abs(seen - tail) / math.sqrt(tail * (1 - tail) / size)
    assert deviation.max() < norm.isf(1e-6 / k)


def test_uniform_draws_of_few_records_are_uniform():
    drawn = exponential_draws.uniform(2, 4, 20_000, np.random.default_rng(6))
    seen = np.bincount(row_number(drawn), minlength=10)
    assert chi2.sf(((seen - 2000) ** 2 / 2000).sum(), 9) > 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5, 20, 100])
def test_far_fewer_records_than_places_leave_a_gamma_law(k):
    """For x in the interior and n large, D = sum d_i^2 / (8 a_i) and lambda H has the Gamma(k - 1) law."""
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


@pytest.mark.parametrize(("prior", "count"), [(0.01, 0), (1.5, 1), (0.3, 40), (30, 3000)])
@pytest.mark.parametrize("theta", [1e-3, 30.0])
def test_the_sum_of_a_factor_is_that_of_all_moves(prior, count, theta):
    n = 20_000
    kinds = exponential_draws._kinds(np.array([prior, n]), np.array([count, n - count]))
    moves = np.arange(-count, n - count + 1)
    exact = math.fsum(np.exp(-theta * gamma_gap(prior + count, prior + (count + moves), moves / 2)))
    assert kinds.log_mass(theta) == pytest.approx(math.log(exact), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("prior", "count"), [(0.01, 0), (1.5, 1), (0.3, 40), (30, 3000)])
def test_pieces_contain_each_move_once_above_the_weights(prior, count):
    n = 20_000
    kinds = exponential_draws._kinds(np.array([prior, n]), np.array([count, n - count]))
    step = np.sign(kinds.starts)
    pieces = zip(kinds.starts, step, kinds.widths[0], strict=True)
    moves = [start + sign * np.arange(width) for start, sign, width in pieces]
    assert np.array_equal(np.sort(np.concatenate(moves)), np.arange(-count, n - count + 1))
    for piece, gap in zip(moves, kinds.gaps[0], strict=True):
        assert (gamma_gap(prior + count, prior + (count + piece), piece / 2) >= gap).all()


@pytest.mark.parametrize("rate", [3.0, 1e4])
def test_shells_cover_all_candidates_and_chords_lie_above(rate):
    parts = exponential_draws.envelope(np.ones(5), np.array([10**6, 5, 0, 10**4, 10**4]), rate)
    assert [part.low for part in parts.shells] == [0.0, *(part.high for part in parts.shells)][:-1]
    assert parts.cut == parts.shells[-1].high
    for part in parts.shells:
        D = np.linspace(part.low, part.high, 1001)
        assert (part.alpha - part.theta * D >= exponential_draws.log_weight(D, rate) * (1 + 1e-14) - 1e-12).all()


def test_a_total_beyond_exact_doubles_is_refused():
    with pytest.raises(ValueError, match=r"counts must add up to at most 2\*\*53 - 2"):
        dpbi.ehd(1.0).sample([1, 1], [2**53 - 2, 1], np.random.default_rng(0))


def test_a_set_up_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(exponential_draws, "MAX_KINDS", 40)
    with pytest.raises(ValueError, match="counts must have at most 40 distinct values"):
        dpbi.ehdl(1.0).sample(np.ones(50), 60 + np.arange(50), np.random.default_rng(0))


def test_draws_that_would_not_come_in_time_are_refused(monkeypatch):
    monkeypatch.setattr(exponential_draws, "MAX_CHANGES", 50)
    with pytest.raises(ValueError, match="100000 draws be accepted within about ten minutes"):
        dpbi.ehdl(1.0).sample(np.ones(3), [10**6] * 3, np.random.default_rng(0), 100_000)
