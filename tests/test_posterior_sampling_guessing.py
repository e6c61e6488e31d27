"""Le Cam's bound and the least error for laws of one number, against mpmath's integrals and brute force."""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp, mpf

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.arithmetic import exp, log1p, number
from dpbi.posterior_sampling import experiments
from dpbi.posterior_sampling.families import posterior
from dpbi.posterior_sampling.pieces import pieces

COIN, WAIT = ps.bernoulli(), ps.exponential(3.0)


def within(enclosure, expected, relative=1e-4):
    """The number is between the two, and they are near each other."""
    low, high = (float(end) for end in enclosure)
    assert low <= expected <= high
    assert high - low <= relative * high


def ordered(cdfs, distances):
    """The least worst cost of three laws in order, by the ends of the parameters for which each guess is made.

    With a rising likelihood ratio and costs on a line the best rules guess in order.
    """

    def costs(a, b):
        shares = [(cdf(a), cdf(b) - cdf(a), 1 - cdf(b)) for cdf in cdfs]
        return [
            sum(s * d for s, d in zip(share, row, strict=True)) for share, row in zip(shares, distances, strict=True)
        ]

    return costs


@pytest.mark.parametrize("size", [1, 2])
def test_two_records_told_by_draws_from_a_uniform_prior(size):
    """Densities 2 t and 2 (1 - t): they have 1/2 in common, and those of two draws 1/3; by symmetry that is all."""
    found = ps.le_cam(COIN, ps.Beta(1, 1), [[0], [1]], size)
    common = 1 / 2 if size == 1 else 1 / 3
    within(found.bound_between, common / 2)
    within(found.risk_between, common / 2)


def test_three_datasets_of_two_records():
    """Guess 0 below t and 2 above 1 - t, by symmetry: the risks of the first and of the middle dataset are equal at
    4 t^3 - 3 t^2 - 3 t + 1 = 0."""
    found = ps.le_cam(COIN, ps.Beta(1, 1), [[0, 0], [1, 0], [1, 1]])
    t = mp.findroot(lambda t: 4 * t**3 - 3 * t**2 - 3 * t + 1, mpf("0.29"))
    within(found.risk_between, (1 - t) ** 3 + t**3)
    # {0} and {1, 2} are one apart and a mixture of the last two does worse; {0} and {2} are two apart
    far = 2 * mp.quad(lambda x: 3 * min(x, 1 - x) ** 2, [0, mpf("0.5")])
    near = mp.quad(lambda x: min(3 * (1 - x) ** 2, 6 * x * (1 - x)), [0, mpf(1) / 3, 1])
    within(found.bound_between, max(far, near / 2))


@pytest.mark.parametrize("steps", [40, experiments.STEPS])
def test_normal_draws_tell_what_their_mean_tells(monkeypatch, steps):
    """Posteriors of one precision: the mean of N draws is normal, and the guesses change at two places, mirrored.

    On a coarse lattice the ends are far from each other, and the truth is between them too.
    """
    monkeypatch.setattr(experiments, "STEPS", steps)
    near = 1e-4 if steps > 40 else 1.0
    family, prior, size = ps.normal_mean(1.0, 2.0), ps.Normal(0.0, 1.0), 5
    found = ps.le_cam(family, prior, [[-2.0, -1.0], [0.0, 0.0], [2.0, 1.0]], size)
    deviation = mp.sqrt(mpf(1) / (3 * size))  # of the mean of the draws
    costs = ordered(
        [lambda t, m=m: mp.ncdf((t - m) / deviation) for m in (-1, 0, 1)], [[0, 3, 6], [3, 0, 3], [6, 3, 0]]
    )
    a = mp.findroot(lambda a: costs(-a, a)[0] - costs(-a, a)[1], mpf("0.5"))
    within(found.risk_between, costs(-a, a)[0], near)
    overlaps = [2 * mp.ncdf(-apart / 2 / deviation) for apart in (1, 2)]
    within(found.bound_between, max(3 * overlaps[1], mpf(3) / 2 * overlaps[0]), near)


def test_a_place_on_the_lattice_holds_the_log_ratios_of_all_draws_that_add_up_to_it(monkeypatch):
    """So many draws from one part are at the place of the sum, and off it by as many times what one is off."""
    monkeypatch.setattr(experiments, "STEPS", 40)
    laws, size = [ps.Normal(mean, 3.0) for mean in (-1.0, 0.0, 1.0)], 5
    masses, ratios = pieces(laws, 64, 4096)
    line = experiments._line(laws, ratios)
    _, left, right = experiments._by_sums(masses, ratios, line, size)
    values = ratios[line.steepest]
    step = (values.max() - values.min()) / 40
    places = np.rint((values[:-1] + values[1:]) / 2 / step).astype(int)
    at = size * (places - places.min())
    for law in range(3):
        low, high = np.minimum(left[law], right[law])[at], np.maximum(left[law], right[law])[at]
        for ends in (ratios[law, :-1], ratios[law, 1:]):
            assert (low <= size * ends).all()
            assert (size * ends <= high).all()


@pytest.mark.parametrize("size", [1, 4])
def test_gamma_draws_tell_what_their_sum_tells(size):
    found = ps.le_cam(WAIT, ps.Gamma(1.0, 1.0), [[0.0], [1.0]], size)
    shape = 2 * size
    cdfs = [lambda t, r=r: mp.gammainc(shape, 0, r * t, regularized=True) for r in (1, 2)]
    at = shape * mp.log(2)  # where the densities of the sums cross
    within(found.bound_between, (1 - (cdfs[1](at) - cdfs[0](at))) / 2)
    equal = mp.findroot(lambda t: cdfs[0](t) - (1 - cdfs[1](t)), at)  # both guesses err as much
    within(found.risk_between, cdfs[0](equal))


def test_a_trimmed_law_over_doubles_and_balls():
    """The lattice of two draws against an integral over the first; balls enclose what doubles find."""
    low, high = mpf("0.5"), mpf(2)

    def mass(rate, start, end):
        """Of t exp(-rate t), the posterior of one record, between two parameters."""
        if end <= start:
            return mpf(0)
        return mp.gammainc(2, rate * start, rate * end) / mp.gammainc(2, rate * low, rate * high)

    def density(rate, t):
        return t * mp.exp(-rate * t) * rate**2 / mp.gammainc(2, rate * low, rate * high)

    crossing = 2 * low + 2 * mp.log(density(4, low) / density(1, low)) / 3  # where sums of two draws are as likely

    def common(t):
        edge = min(max(crossing - t, low), high)
        return density(4, t) * mass(4, edge, high) + density(1, t) * mass(1, low, edge)

    expected = mpf(3) / 2 * mp.quad(common, sorted([low, min(max(crossing - low, low), high), high]))
    prior = ps.trimmed_exponential(1, 0.5, 2)
    within(ps.le_cam(WAIT, prior, [[0], [3]], 2).bound_between, expected, 1e-5)
    with arithmetic.balls():
        told = ps.le_cam(ps.exponential(3), ps.trimmed_exponential(1, number("0.5"), 2), [[0], [3]], 2)
        within(told.bound_between, expected, 0.1)
        assert arithmetic.near(told.bound, float(expected), 1e-12)


@pytest.fixture(scope="module")
def scores():
    """A logistic regression, whose log likelihoods of three datasets are not linear in one another."""
    return ps.own_family(
        "scores",
        lambda s, record: -log1p(exp(-record[1] * s * record[0])),
        records=[(ps.Between(-1, 1), -1), (ps.Between(-1, 1), 1)],
    )


SCORES = [[(1.0, -1), (0.5, -1)], [(1.0, 1), (0.5, -1)], [(1.0, 1), (0.2, 1)]]


def score_density(data):
    def height(s):
        return mp.exp(-s * s / 2) * mp.fprod(1 / (1 + mp.exp(-y * s * x)) for x, y in data)

    whole = mp.quad(height, [-2, 0, 2])
    return lambda s: height(s) / whole


def test_log_concave_posteriors(scores):
    prior = ps.LogConcave(lambda s: -(s**2) / 2, -2, 2)
    densities = [score_density(data) for data in SCORES]
    found = ps.le_cam(scores, prior, SCORES[:2])
    overlap = mp.quad(lambda s: min(densities[0](s), densities[1](s)), mp.linspace(-2, 2, 41))
    within(found.bound_between, overlap / 2, 1e-6)
    told = ps.distinguish(scores, prior, SCORES[0], SCORES[1], 4).error
    many = ps.le_cam(scores, prior, SCORES[:2], 4).bound_between
    assert many.low <= told.high + 1e-9
    assert told.low <= many.high + 1e-9


@pytest.mark.parametrize("size", [1, 2])
def test_three_log_concave_posteriors_by_counts(scores, size):
    """A prior on the datasets bounds the risk from below, a rule from above: both on a grid of the draws."""
    prior = ps.LogConcave(lambda s: -(s**2) / 2, -2, 2)
    found = ps.le_cam(scores, prior, SCORES, size)
    middles = (np.arange(400) + 0.5) / 100 - 2
    grid = np.array([[float(density(mpf(s))) / 100 for s in middles] for density in map(score_density, SCORES)])
    if size == 2:
        grid = np.array([np.outer(law, law).ravel() for law in grid])
    costs = np.array([[scores.distance(x, y) for y in SCORES] for x in SCORES])
    guessed = np.einsum("kc,kj->kcj", grid, costs)
    risks = []
    for weights in itertools.product(np.linspace(0, 1, 13), repeat=2):
        if sum(weights) <= 1:
            prior_on_data = np.array([*weights, 1 - sum(weights)])
            means = np.einsum("k,kcj->cj", prior_on_data, guessed)
            best = means.argmin(axis=1)
            worst = max(guessed[k][np.arange(len(best)), best].sum() for k in range(3))
            risks.append((means.min(axis=1).sum(), worst))
    assert found.risk_between.high >= max(low for low, _ in risks) - 1e-4
    assert found.risk_between.low <= min(worst for _, worst in risks) + 1e-4
    assert found.bound_between.low <= found.risk_between.high
    assert found.risk_between.high - found.risk_between.low <= (1e-6 if size == 1 else 0.05)


def test_more_draws_tell_more_and_no_rule_beats_the_bound():
    prior, datasets = ps.Beta(1, 1, -2, 2), [[0, 0], [1, 0], [1, 1]]
    found = [ps.le_cam(COIN, prior, datasets, size) for size in (1, 2, 3)]
    for fewer, more in itertools.pairwise(found):
        assert more.risk_between.high < fewer.risk_between.low
        assert more.bound_between.high < fewer.bound_between.low
    assert all(each.bound_between.high < each.risk_between.low for each in found)


def test_datasets_that_nothing_tells_apart():
    """A draw says nothing about which of them it was: half the distance, whatever the number of draws."""
    for size in (1, 3):
        found = ps.le_cam(COIN, ps.Beta(1, 1, -2, 2), [[0, 1], [1, 0]], size)
        within(found.risk_between, 1.0, 1e-8)
        within(found.bound_between, 1.0, 1e-8)


def test_cells_of_an_experiment_hold_the_mass_and_bound_the_density():
    """Every group, however cut: the masses add up, and each is between what its bounds on the density say."""
    laws = [posterior(COIN, ps.Beta(2, 1), data) for data in ([0, 0, 1], [1, 1, 1])]
    for size in (1, 3):
        told = experiments.experiment(laws, size)
        groups = told.groups(told.first_groups())
        assert groups.masses.sum(axis=1) == pytest.approx([1, 1], abs=1e-9)
        assert (groups.low <= groups.masses * (1 + 1e-9) + 1e-15).all()
        assert (groups.masses <= groups.high * (1 + 1e-9) + 1e-15).all()


def test_balls_without_ends_are_refused():
    with arithmetic.balls(), pytest.raises(ValueError, match="p and q must have an interval with two ends"):
        ps.le_cam(COIN, ps.Beta(1, 1), [[0], [1]])


def test_a_bound_from_records_far_apart():
    """Laws so far apart that doubles underflow: nearly nothing in common, and no number that is none."""
    found = ps.le_cam(COIN, ps.Beta(1, 1), [[0] * 400, [1] * 400], 3)
    assert 0 <= found.bound_between.low <= found.bound_between.high <= 1e-7
    assert not math.isnan(found.risk)
