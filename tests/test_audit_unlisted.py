"""Audits without a table: against tables (which test_audit.py holds to brute force), bounds against every edge."""

import math

import numpy as np
import pytest

import dpbi
from dpbi import audit, calibrate, ehd, ehdl, ehds, hockey_stick, lshist, smoothed_hellinger
from dpbi.model.datasets import count_vectors
from dpbi.model.sensitivities import _u_in_doubles
from dpbi.privacy import edges, hockey_stick_between, losses, many_counts, profiles, two_counts
from dpbi.privacy.two_counts import TwoCounts, on_line, ranged
from oracles import mp

FAMILIES = {
    "ehd": ehd,
    "ehdl": ehdl,
    "ehds": ehds,
    "ehds, gamma 0.1": lambda e: ehds(e, gamma=0.1),
    "smoothed_hellinger": lambda e: smoothed_hellinger(e, 1e-8),
}
PRIORS = [(1.0, 1.0), (0.5, 2.0), (0.1, 7.0), (0.01, 0.01), (30.0, 3.0), (1000.0, 1000.0)]


def by_structure(function, *arguments):
    """The result of a function that takes no table however small it would be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(losses, "LISTED", 0)
        return function(*arguments)


def table_of_losses(mechanism, prior, n):
    """The worst loss of every edge in both directions, from the table of laws."""
    log_p = mechanism.laws(prior, n).log_probabilities
    return (log_p[:-1] - log_p[1:]).max(axis=1), (log_p[1:] - log_p[:-1]).max(axis=1)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("name", FAMILIES)
def test_audits_of_two_categories_are_those_of_the_table(name, prior):
    rng = np.random.default_rng(len(name) + int(10 * prior[0]))
    for n in (1, 2, 47, 48, 49, int(rng.integers(60, 260))):
        mechanism = FAMILIES[name](float(rng.choice([0.07, 0.8, 6.0])))
        found = by_structure(audit, mechanism, prior, n)
        table = table_of_losses(mechanism, prior, n)
        assert found.epsilon == pytest.approx(max(map(np.max, table)), rel=1e-12, abs=1e-14)
        assert found.at_most == found.epsilon
        here, there = (mechanism.law(prior, x).log_probabilities for x in (found.counts, found.neighbour))
        r = found.output[0]
        assert here[r] - there[r] == pytest.approx(found.epsilon, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("prior", PRIORS[:5])
@pytest.mark.parametrize("name", FAMILIES)
def test_no_edge_of_a_range_is_above_its_bound_and_none_is_far_below(name, prior):
    n = 240
    mechanism = FAMILIES[name](1.3)
    worst = np.maximum(*table_of_losses(mechanism, prior, n))
    line, rate = TwoCounts(*prior, n), on_line(mechanism.rates, np.array(prior), n)
    rng = np.random.default_rng(3)
    p0 = rng.integers(1, n - 2, 30)
    p1 = np.minimum(p0 + rng.integers(0, 40, 30), n - 2)
    single = np.append(np.arange(1, n - 2, 13), [edges.LISTED_EDGES, n - 1 - edges.LISTED_EDGES])
    p0, p1 = np.append(p0, single), np.append(p1, single)
    bounds = ranged(line, p0, p1, edges.rates_over(rate, p0, p1)).loss
    for low, high, bound in zip(p0, p1, bounds, strict=True):
        assert worst[low : high + 1].max() <= bound * (1 + 1e-12)
        # a search has bounds away from the ends; the output that only one of the neighbours cannot move to is a term
        # of n + 1, and costs the bound a few percent here
        if low == high and edges.LISTED_EDGES <= low <= n - 1 - edges.LISTED_EDGES:
            assert bound <= worst[low] * 1.12


@pytest.mark.parametrize("prior", PRIORS)
def test_bounds_for_one_rate_are_at_most_twice_the_loss(prior):
    # by theorem: each part of the loss is at most rate times H, and one of the two losses of an edge is that large
    n, mechanism = 240, ehd(1.3)
    worst = np.maximum(*table_of_losses(mechanism, prior, n))
    p = np.arange(1, n - 2)
    rate = on_line(mechanism.rates, np.array(prior), n)
    bounds = edges._bounds(TwoCounts(*prior, n), rate, p, p, edges.Edge(-math.inf, -math.inf))
    assert (worst[p] <= bounds * (1 + 1e-12)).all()
    assert (bounds <= 2 * worst[p] * (1 + 1e-9)).all()


@pytest.mark.parametrize("prior", PRIORS[:5])
def test_every_dataset_and_move_of_a_block_is_within_its_bounds(prior):
    n, rng = 200, np.random.default_rng(8)
    line = TwoCounts(*prior, n)
    p0 = np.array([1, 5, 60, 140, 185])
    p1 = p0 + np.array([1, 6, 30, 20, 12])
    log_rates = -0.01 * (np.arange(n + 1) - rng.uniform(0, n)) ** 2 / n  # concave, over which bounds are taken
    rate = np.exp(log_rates)
    part = two_counts.blocks(line, p0, p1)
    bounds = two_counts.RateBounds(*(b[part.which] for b in edges.rates_over(lambda p: rate[p], p0, p1)))
    found = two_counts.moved(line, p0[part.which], p1[part.which], bounds, part.near, part.far)
    for i in rng.choice(len(part.which), 150, replace=False):
        p = np.arange(p0[part.which[i]], p1[part.which[i]] + 1)[:, None]
        d = np.arange(min(part.near[i], part.far[i]), max(part.near[i], part.far[i]) + 1)
        q = rate[p + 1] / rate[p]
        here, same, other = (two_counts.distance(line.gap(*at)) for at in ((p, d), (p + 1, d), (p + 1, d - 1)))
        D = line.gap(p, d)
        for values, low, high in (
            (D, found.low[i], found.high[i]),
            (np.minimum(D, line.gap(p + 1, d)), found.nearest[i], np.inf),
            (other, found.other[i], np.inf),
            (q * same - here, found.shift[0][i], found.shift[1][i]),
            (q * other - here, found.loss[0][i], found.loss[1][i]),
        ):
            assert low - 1e-12 <= values.min() <= values.max() <= high + 1e-12


@pytest.mark.parametrize("prior", PRIORS[:5])
def test_bounds_hold_over_wide_blocks_of_moves(prior):
    # one rate, so that nothing but the distances is in the bounds; blocks far wider than those of a search
    line = TwoCounts(*prior, 200)
    near, far = (np.array(moves) for moves in ([1, 2, 10, -1, -2, -10], [60, 30, 11, -50, -30, -11]))
    for low, high in ((60, 60), (100, 100), (60, 62), (130, 139)):
        p0, p1 = np.full(6, low), np.full(6, high)
        one = np.ones(6)
        found = two_counts.moved(line, p0, p1, two_counts.RateBounds(one, one, 0 * one, 0 * one), near, far)
        for i in range(6):
            p = np.arange(low, high + 1)[:, None]
            d = np.arange(min(near[i], far[i]), max(near[i], far[i]) + 1)
            here, same, other = (two_counts.distance(line.gap(*at)) for at in ((p, d), (p + 1, d), (p + 1, d - 1)))
            for values, (least, most) in ((same - here, found.shift), (other - here, found.loss)):
                assert least[i] - 1e-12 <= values.min() <= values.max() <= most[i] + 1e-12


def test_cut_blocks_hold_the_same_outputs():
    whole = np.array([0, 0, 1]), np.array([5, -3, 100]), np.array([9, -77, 400])
    parts = edges.cut(*whole)
    for i, (near, far) in enumerate(zip(*whole[1:], strict=True)):
        mine = (parts.which == whole[0][i]) & (np.sign(parts.near) == np.sign(near))
        held = [np.arange(abs(a), abs(b) + 1) for a, b in zip(parts.near[mine], parts.far[mine], strict=True)]
        assert np.array_equal(np.sort(np.concatenate(held)), np.arange(abs(near), abs(far) + 1))


@pytest.mark.parametrize("prior", PRIORS[:5])
@pytest.mark.parametrize("name", FAMILIES)
def test_rates_are_log_concave_between_the_ends(name, prior):
    # what the bounds of a range of rates rest on, by its definition, second differences of the logarithm
    n = 400
    rates = on_line(FAMILIES[name](0.8).rates, np.array(prior), n)(np.arange(1, n))
    assert np.diff(np.log(rates), 2).max() <= 1e-12


def test_blocks_of_moves_hold_every_move_once():
    line = TwoCounts(1.0, 2.0, 10_000)
    p0, p1 = np.array([0, 3, 5000, 9999 - 40]), np.array([0, 30, 5000, 9999 - 3])
    part = two_counts.blocks(line, p0, p1)
    for i, (low, high) in enumerate(zip(p0, p1, strict=True)):
        here = part.which == i
        moves = np.concatenate(
            [np.arange(min(a, b), max(a, b) + 1) for a, b in zip(part.near[here], part.far[here], strict=True)]
        )
        assert np.array_equal(np.sort(moves), np.arange(-low, 10_000 - high))
        assert (np.abs(part.near[here]) <= np.abs(part.far[here])).all()


@pytest.mark.parametrize("count", [1, 2, 20, 21, 40, 41, 81, 1000, 123_457])
def test_the_rule_for_sums_is_that_of_a_plain_sum(count):
    t = np.arange(count)
    nodes, weights = two_counts.rule(count)
    for f in (
        lambda t: np.sqrt(t + 0.7),
        lambda t: np.log(count - t + 0.3),
        lambda t: np.exp(-0.9 * t / (1 + t) ** 0.5),
    ):
        assert weights @ f(nodes) == pytest.approx(math.fsum(f(t)), rel=1e-12)


def test_a_search_that_runs_out_of_work_says_so(monkeypatch):
    truth = audit(smoothed_hellinger(0.8, 1e-8), [1, 1], 900).epsilon
    monkeypatch.setattr(edges, "LARGEST_SEARCH", 1)
    monkeypatch.setattr(edges.search, "__defaults__", (1,))
    found = by_structure(audit, smoothed_hellinger(0.8, 1e-8), [1, 1], 900)
    assert found.epsilon < truth < found.at_most
    assert "loss between" in repr(found)


LEVELS = [0.0, 0.1, 0.35]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("prior", PRIORS[:5])
@pytest.mark.parametrize("name", FAMILIES)
def test_deltas_of_two_categories_are_those_of_the_table(name, prior, level):
    wide = LEVELS[(list(FAMILIES).index(name) + PRIORS.index(prior)) % 3] == level  # ranges of edges, and their bounds
    for n in (1, 30, 100) if wide else (1, 30):
        mechanism = FAMILIES[name](0.8)
        low, high = by_structure(hockey_stick_between, mechanism, prior, n, level)
        truth = hockey_stick(mechanism, prior, n, level)
        assert low == pytest.approx(truth, rel=1e-10, abs=1e-14)
        assert high >= truth * (1 - 1e-12) - 1e-14


def test_an_exact_delta_is_refused_where_there_is_an_interval(monkeypatch):
    monkeypatch.setattr(profiles, "LARGEST_SEARCH", 30)
    monkeypatch.setattr(losses, "LISTED", 0)
    with pytest.raises(
        ValueError, match=r"n must be smaller for an exact delta at epsilon=0\.2, got n=500, .* between"
    ):
        hockey_stick(ehdl(0.8), [1, 1], 500, 0.2)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize(
    "name", ["lszhang", "lsdim", "lshist", "geometric", "staircase", "lattice_laplace", "randomised_response"]
)
def test_noise_attains_its_guarantee_where_it_says(name, k):
    for n in range(1, 6):
        mechanism = dpbi.MECHANISMS[name].at(0.8)
        place = mechanism.attained(n, k)
        if place is None:
            assert n == 1
            continue
        law = mechanism.law([1.0] * k, place.counts), mechanism.law([1.0] * k, place.neighbour)
        row = int(np.flatnonzero((law[0].outputs == place.output).all(axis=1))[0])
        loss = law[0].log_probabilities[row] - law[1].log_probabilities[row]
        guaranteed = mechanism.guarantee([1.0] * k, n).epsilon
        assert loss == pytest.approx(guaranteed, rel=1e-12)
        assert np.abs(place.counts - place.neighbour).sum() == 2
        assert audit(mechanism, [1.0] * k, n).epsilon == guaranteed


def test_noise_is_audited_at_any_size_and_at_any_budget():
    assert audit(lshist(0.8), [1.0] * 5, 10**9).epsilon == 0.8
    assert audit(dpbi.geometric(1e-12), [1, 1], 10).epsilon == 1e-12  # the table says 1.0019e-12


@pytest.mark.parametrize(
    ("prior", "n"),
    [((1, 1, 1), 20), ((0.3, 2, 5), 25), ((1e-12, 1e-12, 1e6), 9), ((0.5,) * 4, 9), ((0.01, 0.01, 3), 30)],
)
def test_one_rate_loses_half_at_least_and_never_more_than_its_bound(prior, n):
    weights = np.array(prior)
    for mechanism in (ehd(0.3), ehd(1.0), ehd(0.5, sensitivity=0.2)):
        rate = mechanism.rate(prior, [n] + [0] * (len(prior) - 1))
        loss = audit(mechanism, prior, n).epsilon
        assert many_counts.least_spent(weights, n, mechanism.rates).loss <= loss * (1 + 1e-12)
        assert loss <= many_counts.most_spent(weights, n, rate) * (1 + 1e-12)


@pytest.mark.parametrize(("prior", "gap"), [((1, 1, 1), 4e-4), ((1, 2, 3), 6e-4), ((1, 1, 1e6), 0.02)])
def test_the_bound_for_one_rate_is_close_to_what_it_bounds(prior, gap):
    # the formula of the module's head at the pair that is farthest apart, its sum over all outputs
    n, weights = 150, np.array(prior, dtype=float)
    rate = ehd(1.0).rate(prior, [n, 0, 0])
    outputs = count_vectors(n, 3)
    found = []
    for y in ((0, 1, n - 1), (1, 0, n - 1)):
        share = (1 - dpbi.model.distances.count_distances(weights, np.array(y), outputs) ** 2).mean()
        moved = rate * math.sqrt(-math.expm1(-sum(_u_in_doubles(a) for a in prior[:2])))
        found.append(moved + min(moved, math.log1p(math.expm1(rate) * share)))
    bound = many_counts.most_spent(weights, n, rate)
    assert max(found) <= bound * (1 + 1e-12)
    assert bound <= max(found) + gap


def test_many_different_weights_are_bounded_together():
    weights = np.linspace(0.9, 0.5, 9)
    apart = many_counts._groups(weights)
    assert len(apart) == many_counts.LARGEST_GROUPS
    assert sum(group.size for group in apart) == 9
    assert all(group.lightest <= group.heaviest for group in apart)
    rate = ehd(1.0).rate(weights, [3] + [0] * 8)
    low = audit(ehd(1.0), weights, 3).epsilon
    assert low <= many_counts.most_spent(weights, 3, rate) * (1 + 1e-12)
    assert many_counts.most_spent(weights, 10**9, ehd(1.0).rate(weights, [10**9] + [0] * 8)) < 0.5001


def test_half_is_no_law_even_where_the_two_smallest_weights_are_equal():
    assert audit(ehd(1.0), [1, 1, 1], 3).epsilon == pytest.approx(0.513941, abs=1e-6)
    assert audit(ehd(1.0), [1e-12, 1e-12, 1e6], 2).epsilon > 0.557
    assert audit(ehd(0.01), [1e6, 1e12, 1e12], 30).epsilon > 0.997 * 0.01  # nearly all of it


def test_a_thousand_categories_lose_half_of_their_promise():
    found = audit(ehd(1.0), np.ones(1000), 10**12)
    assert (found.epsilon, found.at_most) == (pytest.approx(0.5, rel=1e-12), pytest.approx(0.5, rel=1e-12))
    assert audit(calibrate(ehd, [1, 1, 1], 10**6, 1.0), [1, 1, 1], 10**6).at_most <= 1


@pytest.mark.parametrize("prior", [(1, 1, 1), (0.3, 2, 5), (0.2, 0.2, 1, 3)])
@pytest.mark.parametrize("make", [ehd, ehds, lambda e: smoothed_hellinger(e, 1e-8)])
def test_losses_and_deltas_of_many_categories_lie_between_their_bounds(make, prior, monkeypatch):
    mechanism, n, level = make(1.2), 9, 0.1
    loss, delta = audit(mechanism, prior, n), hockey_stick(mechanism, prior, n, level)
    monkeypatch.setattr(losses, "LISTED", 0)
    monkeypatch.setattr(losses, "LARGEST_ENUMERATION", 0)
    for short in (losses.SHORT_LAW, 0):
        monkeypatch.setattr(losses, "SHORT_LAW", short)
        found = audit(mechanism, prior, n)
        assert found.epsilon <= loss.epsilon * (1 + 1e-12) <= found.at_most * (1 + 2e-12)
        assert found.epsilon >= 0.4 * loss.epsilon
        here, there = (mechanism.law(prior, x).log_probabilities for x in (found.counts, found.neighbour))
        assert np.abs(found.counts - found.neighbour).sum() == 2
        assert max((here - there).max(), (there - here).max()) >= found.epsilon * (1 - 1e-12)
        low, high = losses._delta_between(mechanism, found, np.array(prior, dtype=float), n, level)
        assert low <= delta * (1 + 1e-12) <= high * (1 + 2e-12)
        assert (low > 0) == (short > 0)


def test_answers_that_are_intervals_say_so():
    found = audit(ehds(0.8), [1, 1, 1], 10**6)
    assert (found.epsilon, found.at_most) == (pytest.approx(0.2), pytest.approx(0.6))
    assert "loss between 0.2 and 0.6, the first at output" in repr(found)
    assert "loss between 0.4 and 0.4000000001, " in repr(audit(ehd(0.8), [1, 1, 1], 10**6))
    with pytest.raises(ValueError, match=r"n must be smaller for an exact delta .* between 0 and 0\.254046"):
        hockey_stick(ehds(0.8), [1, 1, 1], 10**6, 0.1)
    with pytest.raises(ValueError, match="n must be small enough to enumerate"):  # nothing is proved of it here
        audit(ehdl(0.8), [1, 1, 1], 10**6)


def test_the_delta_of_noise_at_any_size():
    # the delta of randomised response is the largest of its loss; geometric noise attains it for two categories
    pure = (math.exp(0.5) - math.exp(0.2)) / (1 + math.exp(0.5))
    found = hockey_stick_between(dpbi.geometric(0.5), [1, 1], 15_000, 0.2)
    assert found == (pytest.approx(pure, rel=1e-12), pytest.approx(pure, rel=1e-12))
    assert hockey_stick_between(dpbi.geometric(0.5), [1, 1, 1], 10**9, 0.2) == (0, pytest.approx(pure, rel=1e-12))


def test_u_of_a_single_number_is_the_difference_of_log_gammas():
    rng = np.random.default_rng(5)
    for a in [*(10 ** rng.uniform(-15, 8, 300)).tolist(), 1e-300, 15.9999, 16.0]:
        with mp.workdps(60):
            z = mp.mpf(a)
            truth = mp.log(z) / 2 + mp.loggamma(z) - mp.loggamma(z + mp.mpf(1) / 2)
        assert _u_in_doubles(a) == pytest.approx(float(truth), rel=2e-15)


def test_tables_made_in_blocks_are_the_same(monkeypatch):
    mechanisms = [ehd(0.8), ehdl(2.0), lshist(0.8), dpbi.lattice_laplace(0.5)]
    settings = [([0.5, 2.0], 40), ([1.0, 2.0, 0.3], 6)]
    whole = [m.laws(prior, n).log_probabilities for m in mechanisms for prior, n in settings]
    monkeypatch.setattr(dpbi.model.datasets, "BLOCK", 100)
    monkeypatch.setattr(dpbi.mechanisms.exponential, "KEPT", 100)
    parts = [m.laws(prior, n).log_probabilities for m in mechanisms for prior, n in settings]
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))
    assert count_vectors(6, 3).shape == (28, 3)
