"""Optimal mechanisms by linear programming against explicit mechanisms, and remaps against brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.optimize import linprog
from scipy.stats import binom

from dpbi import MECHANISMS, arithmetic, calibrate, count_vectors, ehd, geometric, hellinger, lshist, mean_errors
from dpbi.arithmetic import exp, less, number
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.remaps import remapped, remapped_lattice
from dpbi.model import marginal
from dpbi.model.distances import lattice_distances
from dpbi.optimum import dominating_remap, least_mean_error, least_mean_loss, least_worst_error, minimax_remap, programs
from dpbi.optimum.domination import threshold_remap
from oracles import mp

EPSILONS = [0.05, 0.5, 4.0]  # the ends, and between them where the solvers have the most to do
PRIORS = [(1.0, 1.0), (0.5, 0.5), (3.0, 0.4)]
WEIGHTS = {"the prior's own": lambda n: None, "equal": lambda n: np.ones(n + 1)}
WEIGHTS["a peak"] = lambda n: np.exp(-((np.arange(n + 1) - 0.3 * n) ** 2) / (0.1 * n + 1))


def epsilons(n, turn):
    """All of them at one record; at more one, by turns, so that every prior and every weighting has each."""
    return EPSILONS if n == 1 else [EPSILONS[turn % len(EPSILONS)]]


def normalised(weights, prior, n):
    if weights is None:  # the beta-binomial law, from gamma functions of its own
        log_w = [
            math.lgamma(n + 1) - math.lgamma(x + 1) - math.lgamma(n - x + 1)
            + math.lgamma(prior[0] + x) + math.lgamma(prior[1] + n - x)
            for x in range(n + 1)
        ]  # fmt: skip
        weights = np.exp(np.array(log_w) - max(log_w))
    return weights / weights.sum()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n", [1, 9, pytest.param(60, marks=pytest.mark.slow)])
def test_the_least_mean_error_is_that_of_remapped_geometric(n, prior, weights):
    given = WEIGHTS[weights](n)
    w = normalised(given, prior, n)
    for epsilon in epsilons(n, PRIORS.index(prior) + list(WEIGHTS).index(weights)):
        optimum = least_mean_error(prior, n, epsilon, given)
        explicit = w @ mean_errors(remapped(geometric(epsilon), given), prior, n)
        assert optimum.value == pytest.approx(explicit, abs=1e-8)
        assert explicit - 1e-7 < optimum.bound <= explicit + 1e-14
        assert optimum.weights == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("n", [1, 7, pytest.param(60, marks=pytest.mark.slow)])
def test_the_least_worst_error_is_that_of_a_randomised_remap(n, prior):
    for epsilon in epsilons(n, PRIORS.index(prior) + 1):
        optimum = least_worst_error(prior, n, epsilon)
        remap = minimax_remap(geometric(epsilon), prior, n)
        assert optimum.value == pytest.approx(remap.value, abs=1e-7)
        assert remap.value - optimum.bound < 1e-6
        # the explicit mechanism: the remap's rows after the core's law of the geometric mechanism
        laws = np.array([geometric(epsilon).law(prior, [x, n - x]).probabilities for x in range(n + 1)])
        posteriors = np.array([[prior[0] + x, prior[1] + n - x] for x in range(n + 1)])
        distances = hellinger(posteriors[:, None], posteriors)
        assert ((laws @ remap.kernel) * distances).sum(axis=1).max() == pytest.approx(remap.value, abs=1e-12)


def test_the_worst_case_needs_chance_and_the_mean_does_not():
    """Of the 11 rows of the best remap at least one is mixed, and no deterministic remap is as good."""
    n, epsilon = 3, 0.3
    best = minimax_remap(geometric(epsilon), [1, 1], n)
    assert ((best.kernel > 1e-6) & (best.kernel < 1 - 1e-6)).any()
    laws = np.array([geometric(epsilon).law([1, 1], [x, n - x]).probabilities for x in range(n + 1)])
    H = lattice_distances(np.ones(2), count_vectors(n, 2))
    worst = {s: (laws * H[:, s]).sum(axis=1).max() for s in itertools.product(range(n + 1), repeat=n + 1)}
    assert min(worst.values()) > best.value + 1e-3
    mean = min((laws * H[:, s]).sum() / (n + 1) for s in worst)
    assert least_mean_error([1, 1], n, epsilon).value == pytest.approx(mean, abs=1e-12)


def test_with_one_record_the_optimum_is_randomised_response():
    H = float(hellinger([1, 2], [2, 1]))
    for epsilon in EPSILONS:
        # with probability 1 / (1 + e^epsilon) the other of the two datasets is released
        truth = H / (1 + math.exp(epsilon))
        assert least_mean_error([1, 1], 1, epsilon).value == pytest.approx(truth, abs=1e-12)
        assert least_worst_error([1, 1], 1, epsilon).value == pytest.approx(truth, abs=1e-12)


PRIVATE = [
    (least_mean_error, (1, 1), 25, 0.8), (least_worst_error, (3, 1), 25, 0.8), (least_mean_error, (1, 1, 1), 5, 1.0),
    (least_mean_error, (1, 1), 20, 2.0), (least_mean_error, (1, 1), 5, 6.0), (least_worst_error, (1, 1), 20, 2.0),
    (least_mean_error, (1, 1, 1), 4, 8.0), (least_mean_error, (49.8979, 0.29914), 15, 23.51),
    (least_worst_error, (1, 1), 10, 30.0), (least_mean_error, (1, 1), 4, 1e-9), (least_mean_error, (1, 1), 4, 1e-14),
]  # fmt: skip


@pytest.mark.parametrize(("least", "prior", "n", "epsilon"), PRIVATE)
def test_the_table_of_the_optimum_is_private_in_its_doubles(least, prior, n, epsilon):
    """And its value is not below the bound."""
    # the oracle are fractions of the doubles, of rows that are divided by their sums, and e^epsilon in ball arithmetic
    found, grow = least(prior, n, epsilon), arb(epsilon).exp()
    rows = [[Fraction(p) for p in row] for row in found.kernel.tolist()]
    rows = [[p / sum(row) for p in row] for row in rows]
    vectors = count_vectors(n, len(prior))
    H, losses = lattice_distances(prior, vectors), []
    for x, row in enumerate(rows):
        losses.append(sum(p * Fraction(h) for p, h in zip(row, H[x], strict=True)))
        for y in np.flatnonzero(np.abs(vectors - vectors[x]).sum(axis=1) == 2):
            ratio = max(p / q if q else math.inf if p else 0 for p, q in zip(row, rows[y], strict=True))
            assert arb(ratio.numerator) / ratio.denominator <= grow
    weights = [Fraction(w) / sum(map(Fraction, found.weights)) for w in found.weights]
    loss = max(losses) if least is least_worst_error else sum(w * one for w, one in zip(weights, losses, strict=True))
    assert found.bound <= loss <= Fraction(found.value) <= loss + Fraction(1, 10**12)
    assert found.gap < 5e-9  # so little does it cost


@pytest.mark.parametrize("seed", range(6))
def test_no_private_mechanism_passes_the_certified_bound(seed):
    # tables beta^E with steps of at most one in E between neighbours: their rows add up to totals that differ by at
    # most one factor beta again, so that they are private at epsilon = -2 ln beta; the bound must be below all of them
    rng = np.random.default_rng(seed)
    n, epsilon = int(rng.integers(1, 12)), float(rng.uniform(0.05, 3))
    prior = rng.uniform(0.2, 4, 2)
    weights = rng.dirichlet(np.ones(n + 1))
    H = lattice_distances(prior, count_vectors(n, 2))
    mean, worst = least_mean_error(prior, n, epsilon, weights).bound, least_worst_error(prior, n, epsilon).bound
    for _ in range(50):
        E = np.cumsum(rng.integers(-1, 2, (n + 1, n + 1)), axis=0) + rng.integers(0, n + 1, n + 1)
        P = np.exp(-epsilon / 2 * E)
        P /= P.sum(axis=1, keepdims=True)
        risks = (P * H).sum(axis=1)
        assert weights @ risks >= mean
        assert risks.max() >= worst


@pytest.mark.parametrize("seed", range(4))
def test_any_multipliers_bound_by_their_exact_sum_and_no_more(monkeypatch, seed):
    """Multipliers at random: the reported bound is the displayed sum at 60 digits, less what rounding may add."""
    rng = np.random.default_rng(seed)
    n, R, epsilon = 3, 4, float(rng.uniform(0.05, 3))
    loss, weights = rng.normal(size=(n + 1, R)), rng.dirichlet(np.ones(n + 1))
    pairs = [(x, x + step) for x in range(n + 1) for step in (-1, 1) if 0 <= x + step <= n]
    edges = sorted((here * R + r, there * R + r) for here, there in pairs for r in range(R))
    y = rng.exponential(0.1, len(edges))
    monkeypatch.setattr(programs, "_solutions", lambda *parts: [(rng.random((n + 1) * R), y)])
    found = least_mean_loss(loss, epsilon, weights)
    terms = [mp.mpf(w) * mp.mpf(one) for w, row in zip(found.weights, loss, strict=True) for one in row]
    for (here, there), multiplier in zip(edges, y, strict=True):
        terms[here] += mp.mpf(multiplier)
        terms[there] -= mp.exp(epsilon) * mp.mpf(multiplier)
    exact = sum(min(terms[x * R : x * R + R]) for x in range(n + 1))
    assert found.bound <= exact
    assert exact - found.bound < 1e-13


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_multipliers_that_are_off_bound_at_most_the_optimum(monkeypatch, epsilon):
    """One record, where the optimum is randomised response: H / (1 + e^epsilon), in balls."""
    solve, rng = programs._solutions, np.random.default_rng(3)

    def off(*parts):
        for solution, y in solve(*parts):
            yield solution, y * rng.uniform(0.7, 1.4, y.shape)

    monkeypatch.setattr(programs, "_solutions", off)
    for a, b in ((1, 1), (2, 1)):
        with arithmetic.balls():
            least = hellinger([a + 1, b], [a, b + 1]) / (1 + exp(number(epsilon)))
        for optimum in (least_mean_error((a, b), 1, epsilon), least_worst_error((a, b), 1, epsilon)):
            assert less(number(optimum.bound), least)


def test_the_bound_of_a_remap_is_its_dual_value_rounded_down():
    for mechanism, prior, n in ((geometric(0.7), (1, 2), 4), (lshist(1.0), (1, 1, 1), 2)):
        found, law = minimax_remap(mechanism, prior, n), mechanism.laws(prior, n).probabilities
        H = lattice_distances(np.array(prior, dtype=float), count_vectors(n, len(prior)))
        w, p, h = (np.vectorize(mp.mpf, otypes=[object])(table) for table in (found.weights, law, H))
        exact = sum(min((w * p[:, z]) @ h) for z in range(p.shape[1]))
        assert found.bound <= exact
        assert exact - found.bound < 1e-14


def test_symmetry_changes_no_optimum():
    n, epsilon, prior = 4, 0.8, (1.0, 1.0, 1.0)
    whole = least_mean_error(prior, n, epsilon)
    w = whole.weights.copy()
    w[1] *= 1 + 1e-9  # not symmetric any more, so that the program is solved in full
    assert least_mean_error(prior, n, epsilon, w).value == pytest.approx(whole.value, abs=1e-8)


def test_unimodality_is_needed():
    """One decision is right at the middle dataset only, the other vague everywhere: its loss rises and falls."""
    loss, epsilon = [[1.0, 0.4], [0.0, 0.4], [1.0, 0.4]], 2.0
    best = least_mean_loss(loss, epsilon)
    laws = np.array([geometric(epsilon).law([1, 1], [x, 2 - x]).probabilities for x in range(3)])
    remaps = itertools.product(range(2), repeat=3)
    by_remap = min(sum(laws[x, z] * loss[x][s[z]] for x in range(3) for z in range(3)) / 3 for s in remaps)
    assert best.value == pytest.approx(0.330242, abs=5e-7)
    assert best.gap < 1e-9
    assert by_remap == pytest.approx(0.339682, abs=5e-7)
    assert best.value < by_remap - 0.009


FAMILIES = {name: made.at for name, made in MECHANISMS.items()}
FAMILIES["ehd, calibrated"] = lambda e: calibrate(ehd, (0.5, 2.0), 13, e)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_remap_of_geometric_noise_beats_each_mechanism(name):
    mechanism = FAMILIES[name](0.8)
    for prior, n in [((1.0, 1.0), 8)] * (name != "ehd, calibrated") + [((0.5, 2.0), 13)]:
        found = dominating_remap(mechanism, prior, n)
        assert found.violation < 1e-12
        assert (found.after <= found.before + 1e-12).all()
        assert found.before == pytest.approx(mean_errors(mechanism, prior, n), abs=1e-12)
        # again from the parts: the core's law of the geometric mechanism, then the remap
        laws = np.array([geometric(found.epsilon).law(prior, [x, n - x]).probabilities for x in range(n + 1)])
        after = laws @ found.remap
        assert found.remap.min() >= 0
        assert found.remap.sum(axis=1) == pytest.approx(1, abs=1e-12)
        before = np.zeros_like(after)
        for x in range(n + 1):
            law = mechanism.law(prior, [x, n - x])
            before[x, law.outputs[:, 0]] = law.probabilities
        more = after.cumsum(axis=1) - before.cumsum(axis=1)  # of at most t, in column t
        assert (np.triu(more) >= -1e-12).all()
        assert (np.tril(more, -1) <= 1e-12).all()


def clamped_geometric(n, alpha):
    """Its laws in fractions, from the definition."""
    rows = []
    for x in range(n + 1):
        row = [(1 - alpha) / (1 + alpha) * alpha ** abs(z - x) for z in range(n + 1)]
        row[0], row[n] = alpha**x / (1 + alpha), alpha ** (n - x) / (1 + alpha)
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(30))
def test_domination_is_exact_in_fractions(seed):
    """Tables beta^E as above, alpha = beta^2; no number is rounded anywhere."""
    rng = np.random.default_rng(seed)
    n, beta = int(rng.integers(1, 7)), Fraction(int(rng.integers(1, 9)), 9 if seed % 2 else 10)
    alpha = beta**2
    E = np.cumsum(rng.integers(-1, 2, (n + 1, n + 1)), axis=0) + rng.integers(0, n + 1, n + 1)
    P = [[beta ** int(e) for e in row] for row in E]
    P = [[p / sum(row) for p in row] for row in P]
    pairs = [(x, y) for x in range(n + 1) for y in (x - 1, x + 1) if 0 <= y <= n]
    assert all(P[x][r] <= P[y][r] / alpha for x, y in pairs for r in range(n + 1))
    below = [list(itertools.accumulate(row)) for row in P]
    kept = threshold_remap([below[t][t] for t in range(n + 1)], alpha)
    assert all(type(v) is Fraction for row in kept for v in row)
    assert all(a <= b for row in kept for a, b in itertools.pairwise([Fraction(0), *row]))
    G = clamped_geometric(n, alpha)
    assert all(sum(row) == 1 for row in G)
    for x, t in itertools.product(range(n + 1), repeat=2):
        after = sum(G[x][z] * kept[z][t] for z in range(n + 1))
        assert after >= below[x][t] if t >= x else after <= below[x][t]
        if t == x:
            assert after == below[x][t]


# Noise on the lattice beside the least that a linear program finds


def balanced(prior, n, epsilon):
    """Legal counts released outright: weights for which every row adds up to one."""
    vectors = count_vectors(n, len(prior))
    q = np.exp(-epsilon / 2 * np.abs(vectors[:, None] - vectors).sum(axis=-1))
    weights = np.linalg.solve(q, np.ones(len(vectors)))
    assert (weights > 0).all()
    return Mechanism.from_table("balanced", n, vectors, q * weights)


@pytest.mark.parametrize(("k", "n"), [(3, 5), *(pytest.param(k, 4, marks=pytest.mark.slow) for k in (4, 5))])
def test_lattice_noise_is_as_near_to_the_best_as_the_page_says(k, n):
    prior = (1,) * k

    def over_the_least(mechanism, epsilon):
        mean = float(marginal(prior, n) @ mean_errors(mechanism, prior, n))
        return mean / least_mean_error(prior, n, epsilon).value

    assert over_the_least(remapped_lattice(0.8), 0.8) < 1.03
    assert over_the_least(balanced(prior, n, 1), 1) < 1.01
    assert over_the_least(balanced(prior, n, 4), 4) < 1.01
    if k == 3:
        assert over_the_least(remapped_lattice(4), 4) == pytest.approx(1.14, abs=0.005)


def test_the_optimum_at_large_budgets():
    for epsilon in (50, 1000):
        for found in (least_mean_error([1, 1], 4, epsilon), least_worst_error([0.5, 1, 1], 3, epsilon)):
            assert found.bound <= found.value <= 1e-11
            assert found.kernel.sum(axis=1) == pytest.approx(1)
    found = least_worst_error([1, 1], 40, 20.0)  # a solver may find no multiplier at all
    assert 0 < found.bound <= found.value < 2e-9
    assert found.weights.sum() == pytest.approx(1)


def test_a_dominating_remap_dominates_as_far_as_doubles_hold_it():
    for epsilon in (1, 36, 700):
        assert dominating_remap(lshist(epsilon), [1, 1], 4).violation < 1e-14
    with pytest.raises(ValueError, match="epsilon must let the thresholds"):
        dominating_remap(lshist(800), [1, 1], 4)


OFF = Mechanism.from_table("off", 1, [[0, 2], [2, 0]], [[0.6, 0.4], [0.4, 0.6]])


@pytest.mark.parametrize(("call", "message"), [
    (lambda: least_mean_error([1, 1], 5, 1, [1, 2]), "weights must be 6 finite numbers"),
    (lambda: least_mean_error([1, 1], 5, 1, [0] * 6), "weights must be"),
    (lambda: least_mean_error([1, 1], 1000, 1), "n must be small enough for a linear program"),
    (lambda: minimax_remap(geometric(1), [1, 1], 1000), "n must be small enough"),
    (lambda: least_mean_loss([[math.inf]], 1), "loss must be a table of finite numbers"),
    (lambda: dominating_remap(geometric(1), [1, 1, 1], 5), "prior must have two categories"),
    (lambda: dominating_remap(lshist(1), [1, 1], 5, epsilon=0.5), "epsilon must be finite, at least 1e-12 and"),
    (lambda: dominating_remap(ehd(1), [1, 1], 0), "n must be an integer >= 1"),
    (lambda: dominating_remap(OFF, [1, 1], 1), "mechanism must release counts of n=1 records"),
])  # fmt: skip
def test_an_argument_out_of_range_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def two_sided(n, epsilon, null, share, level=0.05):
    """Power of the most powerful unbiased private test of a share, and of the best that geometric noise gives."""
    q, x = math.exp(-epsilon), np.arange(n + 1)
    at, there = (binom.pmf(x, n, theta) for theta in (null, share))
    size = np.stack([at, (x - n * null) * at])  # the level, and a power that does not move at the null
    step = np.eye(n + 1)[:-1] - np.eye(n + 1)[1:] / q  # f_x <= f_(x+1) / q
    back = np.eye(n + 1)[1:] - np.eye(n + 1)[:-1] / q
    private, room = np.concatenate([step, back, -step, -back]), np.repeat([0, 0, 1 / q - 1, 1 / q - 1], n)
    noise = np.where((x == 0) | (x == n), 1, 1 - q) / (1 + q) * q ** abs(x[:, None] - x)
    free = linprog(-there, A_ub=private, b_ub=room, A_eq=size, b_eq=[level, 0], bounds=(0, 1))
    made = linprog(-there @ noise, A_eq=size @ noise, b_eq=[level, 0], bounds=(0, 1))
    return -free.fun, -made.fun


def test_two_sided_tests_are_not_made_of_geometric_noise():
    assert two_sided(10, 1, 0.5, 0.75) == pytest.approx((0.194, 0.185), abs=5e-4)
    assert np.ptp(two_sided(2, math.log(100), 0.02, 0.3)) == pytest.approx(0, abs=1e-9)
    q, x = math.exp(-0.1), np.arange(21)  # the least p-value of a clamped count without the uniform number
    assert binom.pmf(x, 20, 0.5) @ q ** (20 - x) / (1 + q) == pytest.approx(0.198, abs=5e-4)
