"""Distances, tests and guesses for laws of several numbers.

The oracles import nothing of the library: digammas of mpmath, integrals on the simplex, draws and densities of scipy
with the error of their mean, linear programs on a fine grid, fractions.
"""

import math
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.special import gammaln, multigammaln

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.columns import columns
from dpbi.posterior_sampling.joint_guessing import bound_and_risk
from dpbi.posterior_sampling.joint_pairs import JointPair
from dpbi.posterior_sampling.many_draws import ManyDraws
from dpbi.posterior_sampling.normal_cells import PARTS, of_rectangle

DRAWS = 200_000
V = np.array([[0.8, 0.1], [0.1, 0.9]])


def holds(enclosure, value, slack=0.0):
    assert enclosure[0] - slack <= value <= enclosure[1] + slack, (enclosure, value)


def narrow(enclosure, relative):
    assert enclosure[1] - enclosure[0] <= relative * enclosure[1]


def log_beta(a):
    return gammaln(a).sum() - gammaln(np.sum(a))


def dirichlet_divergence(a, b):
    a, b = [mp.mpf(x) for x in a], [mp.mpf(x) for x in b]
    level = mp.loggamma(sum(a)) - mp.loggamma(sum(b)) + sum(mp.loggamma(y) - mp.loggamma(x) for x, y in zip(a, b))  # noqa: B905
    return level + sum((x - y) * (mp.digamma(x) - mp.digamma(sum(a))) for x, y in zip(a, b, strict=True))


def wishart_divergence(n, m, S):
    """From W(n, I) to W(m, S), in two dimensions, by the means of the trace and of the log determinant."""
    inverse, log_det = np.linalg.inv(S), math.log(np.linalg.det(S))
    digammas = mp.digamma(mp.mpf(n) / 2) + mp.digamma((mp.mpf(n) - 1) / 2)

    def log_gamma(x):
        return mp.loggamma(x) + mp.loggamma(x - mp.mpf(1) / 2)

    half, other = mp.mpf(n) / 2, mp.mpf(m) / 2
    mean_of_log = digammas + 2 * mp.log(2)
    level = other * (log_det + 2 * mp.log(2)) + log_gamma(other) - half * 2 * mp.log(2) - log_gamma(half)
    return level + (half - other) * mean_of_log + mp.mpf(n) / 2 * (np.trace(inverse) - 2)


def sampled(log_ratios, epsilon=0.0):
    """The mean gain, and four times the deviation of it."""
    gains = np.maximum(-np.expm1(epsilon - log_ratios), 0)
    return gains.mean(), 4 * gains.std() / math.sqrt(len(gains))


def test_divergences_in_closed_form():
    found = ps.kullback_leibler(ps.Tables([[3.0, 2.0, 0.7]]), ps.Tables([[2.5, 1.0, 4.0]]))
    assert found == pytest.approx(float(dirichlet_divergence((3, 2, "0.7"), ("2.5", 1, 4))), rel=1e-12)
    rows = ps.Tables([[[3, 2, 1], [1, 1, 1]]]), ps.Tables([[[3, 1, 1], [1, 2, 1]]])
    expected = dirichlet_divergence((3, 2, 1), (3, 1, 1)) + dirichlet_divergence((1, 1, 1), (1, 2, 1))
    assert ps.kullback_leibler(*rows) == pytest.approx(float(expected), rel=1e-12)
    for degrees in (5, 6):
        found = ps.kullback_leibler(ps.Wishart(5, np.eye(2)), ps.Wishart(degrees, V))
        assert found == pytest.approx(float(wishart_divergence(5, degrees, V)), rel=1e-10)
    found = ps.kullback_leibler(ps.NormalGamma(3, 2, 0.5, 4), ps.NormalGamma(3, 2.4, 0.7, 4))
    assert found == pytest.approx(3 * (0.2 - math.log(1.2)) + 4 * 0.04 / 2 * 1.5, rel=1e-12)


def test_near_laws_keep_their_digits():
    """Two posteriors of a million records: the divergence is of the second order, from mpmath's digits."""
    a = (300_000, 300_001, 400_000)
    found = ps.kullback_leibler(ps.Tables([list(map(float, a))]), ps.Tables([[300_001.0, 300_000.0, 400_000.0]]))
    with mp.workdps(50):
        exact = float(dirichlet_divergence(a, (300_001, 300_000, 400_000)))
    assert found == pytest.approx(exact, rel=1e-9)


def on_simplex(a, b, floor=0.0):
    """Total variation of two rows of three by integrals over the simplex, and the mass of the floor under both."""

    whole = {tuple(alpha): math.exp(log_beta(alpha)) for alpha in (a, b)}

    def density(alpha, x, y):
        return x ** (alpha[0] - 1) * y ** (alpha[1] - 1) * (1 - x - y) ** (alpha[2] - 1) / whole[tuple(alpha)]

    def over(f):
        low, high = (lambda x: floor), (lambda x: 1 - x - floor)
        return integrate.dblquad(lambda y, x: f(x, y), floor, 1 - 2 * floor, low, high, epsabs=1e-9)[0]

    masses = [over(lambda x, y, c=c: density(c, x, y)) for c in (a, b)]
    gap = over(lambda x, y: abs(density(a, x, y) / masses[0] - density(b, x, y) / masses[1]))
    return gap / 2


def test_rows_by_integrals_on_the_simplex():
    one = [3.0, 2.0, 1.0], [3.0, 1.0, 2.0]
    assert ps.total_variation(ps.Tables([one[0]]), ps.Tables([one[1]])) == pytest.approx(0.5, rel=1e-12)  # a Beta pair
    found = ps.total_variation(ps.Tables([one[0]], 0.1), ps.Tables([one[1]], 0.1))
    assert found == pytest.approx(on_simplex(*one, 0.1), rel=1e-5)
    all_three = [3.0, 2.0, 2.0], [2.0, 3.0, 4.0]  # two shares
    found = ps.variation_between(*(ps.Tables([alpha]) for alpha in all_three))
    narrow(found, 1e-5)
    holds(found, on_simplex(*all_three), 1e-5)


def rows(law, other, floor, rng):
    """Log ratios of draws from a floored row, by rejection."""
    (a, b), kept = (np.array(law), np.array(other)), []
    for alpha in (a, b):
        drawn = rng.dirichlet(alpha, DRAWS)
        kept.append(drawn[(drawn >= floor).all(axis=1)])
    levels = log_beta(b) + math.log(len(kept[1]) / DRAWS) - log_beta(a) - math.log(len(kept[0]) / DRAWS)
    return np.log(kept[0]) @ (a - b) + levels


def normal_gammas(rng, cut):
    tau = rng.gamma(3, 1 / 2, DRAWS)
    mu = 0.5 + rng.standard_normal(DRAWS) / np.sqrt(4 * tau)
    ratios = -tau * (2 - 2.4 + 2 * ((mu - 0.5) ** 2 - (mu - 0.7) ** 2)) + 3 * math.log(2 / 2.4)
    if not cut:
        return ratios
    other = rng.gamma(3, 1 / 2.4, DRAWS)
    mean = 0.7 + rng.standard_normal(DRAWS) / np.sqrt(4 * other)
    inside, also = (((abs(m) <= 2) & (t >= 0.1) & (t <= 4)) for m, t in ((mu, tau), (mean, other)))
    return ratios[inside] + math.log(also.mean() / inside.mean())


@cache
def drawn_wisharts():
    """Draws from the first law of all pairs, once for all of them."""
    return draw_wisharts(np.random.default_rng(21), 5, np.eye(2))


def draw_wisharts(rng, degrees, scale):
    """Sums of so many squares of normal vectors."""
    vectors = rng.standard_normal((DRAWS, degrees, 2)) @ np.linalg.cholesky(scale).T
    return np.einsum("mri,mrj->mij", vectors, vectors)


def wisharts(rng, degrees, largest=math.inf):
    A, half, shares = drawn_wisharts(), degrees / 2, [1.0, 1.0]
    if largest < math.inf:
        others = draw_wisharts(rng, degrees, V)
        shares = [np.mean(np.linalg.eigvalsh(some)[:, -1] <= largest) for some in (A, others)]
        A = A[np.linalg.eigvalsh(A)[:, -1] <= largest]
    level = (
        half * math.log(np.linalg.det(V)) + (degrees - 5) * math.log(2) + multigammaln(half, 2) - multigammaln(2.5, 2)
    )
    traces = np.einsum("ij,mji->m", np.linalg.inv(V) - np.eye(2), A)
    dets = np.log(A[:, 0, 0] * A[:, 1, 1] - A[:, 0, 1] ** 2)
    return level + traces / 2 + (5 - degrees) / 2 * dets + math.log(shares[1] / shares[0])


BOX = (-2.0, 0.1), (2.0, 4.0)
PAIRS = {
    "four states with a floor": (
        ps.Tables([[3.0, 2.0, 1.0, 4.0]], 0.1),
        ps.Tables([[3.0, 1.0, 2.0, 4.0]], 0.1),
        lambda rng: rows([3, 2, 1, 4], [3, 1, 2, 4], 0.1, rng),
    ),
    "mean and precision": (
        ps.NormalGamma(3, 2, 0.5, 4),
        ps.NormalGamma(3, 2.4, 0.7, 4),
        lambda rng: normal_gammas(rng, cut=False),
    ),
    "a rectangle": (
        ps.NormalGamma(3, 2, 0.5, 4, *BOX),
        ps.NormalGamma(3, 2.4, 0.7, 4, *BOX),
        lambda rng: normal_gammas(rng, cut=True),
    ),
    "scales": (ps.Wishart(5, np.eye(2)), ps.Wishart(5, V), lambda rng: wisharts(rng, 5)),
    "degrees": (ps.Wishart(5, np.eye(2)), ps.Wishart(6, V), lambda rng: wisharts(rng, 6)),
    "a largest eigenvalue": (
        ps.Wishart(5, np.eye(2), 12.0),
        ps.Wishart(5, V, 12.0),
        lambda rng: wisharts(rng, 5, 12.0),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_draws_agree_with_samples(name):
    p, q, ratios_of = PAIRS[name]
    ratios = ratios_of(np.random.default_rng(20))
    exact = columns([p, q]) is not None
    for size, epsilon in ((1, 0.0), (1, 0.3), (3, 0.0)):
        kept = ratios[: len(ratios) // size * size].reshape(-1, size).sum(axis=1)
        value, slack = sampled(kept, epsilon)
        told = ManyDraws(p, q, size)
        found = told.delta(epsilon)
        holds(found, value, slack + (0 if exact else 0.01))
        if exact or name == "a rectangle":
            narrow(found, 1e-4 if exact else 3e-3)
        if epsilon == 0:
            holds([(1 - end) / 2 for end in reversed(found)], told.error.value, 1e-12)
            holds(JointPair(p, q, None).deltas(0.0, size), found.value, 1e-9)  # what does without columns
    found, slack = ps.divergence_between(p, q), 4 * ratios.std() / math.sqrt(len(ratios))
    holds(found, ratios.mean(), slack + (0 if exact else 0.01))
    holds(JointPair(p, q, None).divergence_between, found.value, 1e-9)
    assert ps.loss_between(p, q).high >= ratios.max() - (0 if exact else 0.05)


def most(f, low, high):
    """The largest value on a box, by a search with many starts."""
    found = optimize.differential_evolution(lambda x: -f(x), list(zip(low, high, strict=True)), seed=1, tol=1e-12)
    return -found.fun


def test_widths_of_laws_that_are_cut():
    p, q = ps.NormalGamma(3, 2, 0.5, 4, *BOX), ps.NormalGamma(3.5, 2.4, 0.7, 5, *BOX)

    def ratio(x):
        mu, tau = x
        square = 2.4 - 2 + (5 * (mu - 0.7) ** 2 - 4 * (mu - 0.5) ** 2) / 2
        return -0.5 * math.log(tau) + tau * square

    width = most(ratio, *BOX) + most(lambda x: -ratio(x), *BOX)
    assert ps.loss_between(p, q).high + ps.loss_between(q, p).high == pytest.approx(width, rel=1e-8)

    largest, D = 12.0, np.eye(2) - np.linalg.inv(V)
    values = np.linalg.eigvalsh(D)
    cut = ps.Wishart(5, np.eye(2), largest), ps.Wishart(5, V, largest)
    assert JointPair(*cut, None).width == pytest.approx(largest * abs(values).sum() / 2, rel=1e-12)

    f, a = 0.1, np.array([3.0, 3.0, 3.0, 3.0])
    free = np.linspace(f, 1 - 3 * f, 121)
    grid = np.array([(x, y, z, 1 - x - y - z) for x in free for y in free for z in free if x + y + z <= 1 - f + 1e-12])
    for c in ([1.0, 0.5, -1.0, 0.0], [1.0, 0.1, -1.0, 0.0], [-1.0, -0.5, 0.0, 0.0]):  # the second floors a rising entry
        two = ps.Tables([a + c], f), ps.Tables([a], f)
        level = ps.loss_between(*two).high - np.max(np.log(grid) @ c)
        other = ps.loss_between(*reversed(two)).high - np.max(-np.log(grid) @ c)
        assert 0 <= level + other < 2e-3  # the constants cancel, and a grid misses little


def test_cells_of_a_rectangle_hold_their_log_ratios():
    box = (-0.5, 0.5), (1.5, 2.5)  # every cell has a mass
    p, q = ps.NormalGamma(3, 2, 0.5, 4, *box), ps.NormalGamma(3, 2.4, 0.7, 4, *box)
    _, _, low, high, _ = of_rectangle(p, q)
    rng = np.random.default_rng(6)
    share = rng.random((2, 2000))
    at = (share * np.array(PARTS)[:, None]).astype(int)
    mu, tau = (a + s * (b - a) for s, a, b in zip(share, *box, strict=True))
    level = q.log_mass - p.log_mass
    ratio = level - tau * (2 - 2.4 + 2 * ((mu - 0.5) ** 2 - (mu - 0.7) ** 2))
    cell = at[0] * PARTS[1] + at[1]
    assert (low[cell] <= ratio + 1e-12).all()
    assert (ratio <= high[cell] + 1e-12).all()


def test_mixtures_have_more_in_common_than_their_pairs():
    """A uniform share, and two that lean to either side: half of these is nearly uniform."""
    laws = [ps.Tables([[1.0, 1.0]]), ps.Tables([[3.0, 1.0]]), ps.Tables([[1.0, 3.0]])]
    bound, _ = bound_and_risk(laws, np.ones((3, 3)) - np.eye(3), 1)
    overlap = mp.quad(lambda x: min(1, 3 * (x**2 + (1 - x) ** 2) / 2), [0, 0.2, 0.5, 0.8, 1])
    assert bound.high >= float(overlap) / 2 > math.sqrt(3) / 4  # which is half of the largest affinity


def test_le_cam_for_two_states_of_three_is_that_of_coins():
    """The largest root of a cubic, and a share of 1/6: uniform priors, two records and a draw."""
    found = ps.le_cam(ps.multinomial(3), ps.Tables([[1.0, 1.0, 1.0]]), [[0, 0, 2], [0, 1, 2], [1, 1, 2]])
    coins = ps.le_cam(ps.bernoulli(), ps.Beta(1, 1), [[0, 0], [0, 1], [1, 1]])
    assert found.risk == pytest.approx(coins.risk, rel=1e-9)
    holds(found.risk_between, 0.390782, 1e-6)
    same = ps.le_cam(ps.multinomial(3), ps.Tables([[1.0, 1.0, 1.0]]), [[0, 1], [1, 0]])
    assert (same.bound, same.risk) == pytest.approx((1.0, 1.0), abs=1e-6)  # half of two, whatever is drawn


def minimax(masses, costs):
    """The least worst error on cells, by the linear program."""
    data, cells = masses.shape
    spent = (masses[:, :, None] * costs[:, None, :]).reshape(data, -1)
    guesses = np.kron(np.eye(cells), np.ones(data))
    found = optimize.linprog(
        [0.0] * (cells * data) + [1.0],
        A_ub=np.column_stack([spent, -np.ones(data)]),
        b_ub=np.zeros(data),
        A_eq=np.column_stack([guesses, np.zeros(cells)]),
        b_eq=np.ones(cells),
    )
    return found.fun


def test_le_cam_for_rows_of_which_all_entries_move():
    datasets = [[0, 0, 2], [0, 1, 2], [1, 1, 1]]
    found = ps.le_cam(ps.multinomial(3), ps.Tables([[1.0, 1.0, 1.0]]), datasets)
    parts = 24
    cells = [((i + 0.5) / parts, (j + 0.5) / parts) for i in range(parts) for j in range(parts - i - 1)]
    x = np.array([(a, b, 1 - a - b) for a, b in cells])
    counts = [np.bincount(data, minlength=3) for data in datasets]
    masses = np.array([np.exp(np.log(x) @ count) for count in counts])
    masses /= masses.sum(axis=1, keepdims=True)
    costs = np.array([[abs(np.array(a) - b).astype(bool).sum() for a in datasets] for b in datasets])
    holds(found.risk_between, minimax(masses, costs), 0.03)
    assert found.bound_between.low <= found.risk_between.high
    assert found.bound_between.low <= found.bound_between.high


def test_le_cam_for_two_means_and_precisions():
    """Posteriors of unlike spread: the rule that errs as often is a threshold, here on samples from both."""
    prior, datasets = ps.NormalGamma(2, 1, 0, 1), [[0.5, 0.0], [-1.0, 0.0]]
    found = ps.le_cam(ps.normal(1.0), prior, datasets, size=2)
    rng, laws, told = np.random.default_rng(4), [], []
    for data in datasets:
        n, mean = len(data), np.mean(data)
        rate = 1 + np.var(data) * n / 2 + n / (2 * (1 + n)) * mean**2
        laws.append((2 + n / 2, rate, n * mean / (1 + n), 1 + n))

    def log_density(law, mu, tau):
        a, b, m, k = law
        return a * math.log(b) + (a - 0.5) * np.log(tau) - tau * (b + k * (mu - m) ** 2 / 2)

    for a, b, m, k in laws:
        tau = rng.gamma(a, 1 / b, (DRAWS, 2))
        mu = m + rng.standard_normal((DRAWS, 2)) / np.sqrt(k * tau)
        told.append(np.sort((log_density(laws[0], mu, tau) - log_density(laws[1], mu, tau)).sum(axis=1)))

    def gap(level):
        return (told[0] < level).mean() - (told[1] >= level).mean()

    level = optimize.bisect(gap, -3.0, 3.0, xtol=1e-6)
    distance = (0.25 - 1) * -1 + 2 * 1.5  # of the squares, and twice of the records
    holds(found.risk_between, distance * (told[0] < level).mean(), distance * 4 * 0.5 / math.sqrt(DRAWS))
    narrow(found.risk_between, 1e-5)


def test_robustness_and_tests_of_all_conjugate_families():
    cases = [
        (ps.multinomial(3), ps.Tables([[1.0, 1.0, 1.0]], 0.05), [0, 1, 2], [1, 1, 2]),
        (ps.markov_chain(3), ps.Tables([np.ones((3, 3))]), [0, 1, 2, 1], [0, 1, 1, 1]),
        (ps.network([[], [0]], [2, 3]), ps.Tables([[1.0, 1.0], np.ones((2, 3))], 0.1), [[0, 1]], [[1, 2]]),
        (ps.normal(1.0), ps.NormalGamma(2, 1, 0, 1, (-1.0, 0.1), (1.0, 3.0)), [0.5, 0.0], [-1.0, 0.0]),
        (ps.multivariate_normal((0, 0), 1.0), ps.Wishart(4, np.eye(2), 9.0), [[1, 0], [0, 0]], [[0, 1], [0, 0]]),
    ]
    for family, prior, x, y in cases:
        found = ps.robustness(family, prior, x, y)
        for two in (found.divergence_between, found.variation_between, found.loss_between):
            assert two.low <= two.high
        assert found.divergence_between.low <= found.largest_divergence * (1 + 1e-9)
        assert found.variation_between.low <= found.largest_variation * (1 + 1e-9)
        told = [ps.distinguish(family, prior, x, y, size).error for size in (1, 4)]
        assert told[1].low <= told[0].high <= 0.5


def test_balls():
    found = ps.total_variation(ps.Tables([[3.0, 2.0, 1.5]]), ps.Tables([[3.0, 1.0, 2.5]]))
    divergence = ps.kullback_leibler(ps.Tables([[3.0, 2.0, 1.5]]), ps.Tables([[3.0, 1.0, 2.5]]))
    with arithmetic.balls():
        p, q = ps.Tables([[3, 2, 1.5]]), ps.Tables([[3, 1, 2.5]])
        assert arithmetic.near(ps.total_variation(p, q), found, 1e-12)
        assert arithmetic.near(ps.kullback_leibler(p, q), divergence, 1e-12)
        wide = ManyDraws(p, q, 3).variation  # no cells without ends
        two = ManyDraws(ps.NormalGamma(3, 2, 0, 4), ps.NormalGamma(3, 3, 1, 4), 2).variation
    holds(wide, ManyDraws(ps.Tables([[3.0, 2.0, 1.5]]), ps.Tables([[3.0, 1.0, 2.5]]), 3).variation.value)
    holds(two, ManyDraws(ps.NormalGamma(3, 2, 0, 4), ps.NormalGamma(3, 3, 1, 4), 2).variation.value)


# What a restriction costs


def test_the_price_of_a_restriction_on_an_interval():
    coin = ps.own_family("coin", lambda p, x: arithmetic.log(p) if x else arithmetic.log(1 - p), [0, 1])
    prior = ps.LogConcave(lambda p: 0 * p, 0.1, 0.9)
    found = ps.prior_cost(coin, prior, math.log(1.5))
    holds(found.lost_between, 0.75, 1e-12)  # from 2/5 to 3/5 is a quarter
    narrow(found.lost_between, 1e-9)
    whole, inside = (mp.quad(lambda p: p**2 * (1 - p), ends) for ends in ([0.1, 0.9], [0.4, 0.6]))
    holds(found.outside_between([1, 1, 0]), float(1 - inside / whole), 1e-11)
    mean = ps.expected_lipschitz_between(coin, prior)
    holds(mean, float(2 * mp.quad(lambda p: mp.log(p / (1 - p)), [0.5, 0.9]) / 0.8))
    narrow(mean, 3e-3)
    assert ps.expected_lipschitz(coin, prior) == mean.high
    waiting = ps.own_family("waiting", lambda r, x: arithmetic.log(r) - r * x, [ps.Between(0, 1)])  # the constant is r
    found = ps.prior_cost(waiting, ps.LogConcave(lambda r: -r, 0.5, 2.0), 1.2)
    lost = (math.exp(-1.2) - math.exp(-2)) / (math.exp(-0.5) - math.exp(-2))
    holds(found.lost_between, lost, 1e-12)
    narrow(found.lost_between, 1e-2)
    with pytest.raises(ValueError, match="with two ends"):
        ps.prior_cost(coin, ps.LogConcave(lambda p: -(p**2)), 1.0)


def test_the_price_of_a_restriction_of_several_numbers():
    four = ps.multinomial(4)
    floor = Fraction(1, 11)  # at L = log 8, the log-odds of 1/11 in three others
    holds(ps.prior_cost(four, ps.Tables([np.ones(4)]), math.log(8)).lost_between, float(1 - (1 - 4 * floor) ** 3), 1e-9)
    precise = ps.prior_cost(ps.multivariate_normal((0, 0), 1.0), ps.Wishart(4, np.eye(2)), 3.0)
    drawn = draw_wisharts(np.random.default_rng(1), 4, np.eye(2))
    values = np.linalg.eigvalsh(drawn)[:, -1]
    holds(precise.lost_between, (values / 2 > 3.0).mean(), 0.01)
    holds(
        ps.expected_lipschitz_between(ps.multivariate_normal((0, 0), 1.0), ps.Wishart(4, np.eye(2))), values.mean() / 2
    )
    family, prior = ps.normal(1.0), ps.NormalGamma(2, 1, 0, 1, (-1.0, 0.1), (1.0, 3.0))
    tau = np.random.default_rng(2).gamma(2, 1, (8, DRAWS))[0]
    mu = np.random.default_rng(3).standard_normal(DRAWS) / np.sqrt(tau)
    kept = (abs(mu) <= 1) & (tau >= 0.1) & (tau <= 3)
    constants = (tau * np.maximum(abs(mu), (1 + abs(mu)) / 2) / 2)[kept]
    holds(ps.expected_lipschitz_between(family, prior), constants.mean(), 0.01)
    holds(ps.prior_cost(family, prior, 0.6).lost_between, (tau[kept] > 1.2).mean(), 0.01)  # precisions of 2 * 0.6


def test_what_is_refused():
    with pytest.raises(ValueError, match="one kind on one support"):
        ps.kullback_leibler(ps.Tables([[1.0, 1.0]]), ps.Tables([[1.0, 1.0, 1.0]]))
    with pytest.raises(ValueError, match="one kind on one support"):
        ps.divergence_between(ps.Wishart(3, np.eye(2), 4.0), ps.Wishart(3, np.eye(2)))
    floored = ps.Tables([[3.0, 2.0, 1.0, 1.0]], 0.1), ps.Tables([[3.0, 1.0, 2.0, 1.0]], 0.1)
    with pytest.raises(TypeError, match=r"divergence between .* divergence_between has both"):
        ps.kullback_leibler(*floored)
    with pytest.raises(TypeError, match=r"variation between .* variation_between has both"):
        ps.total_variation(*floored)
