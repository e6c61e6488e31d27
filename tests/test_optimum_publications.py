"""The best private mechanisms that may publish any density: every step of the proofs of the page *Optimality*.

The oracles are linear programs over all extreme rays of the likelihoods that privacy allows (2^n rays), fractions,
mpmath, and formulas of this file for posteriors, affinities and divergences, which share nothing with the library.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import betainc, betaln, gammaln
from scipy.stats import betabinom

from dpbi import given_noise
from dpbi.inference import root_mean
from dpbi.optimum import least_mean_divergence, least_mean_squared_distance
from oracles import mp


def rays(n, epsilon):
    """The extreme rays of the cone p(x) <= e^epsilon p(x +- 1): every step is up or down by the whole factor."""
    steps = np.array(list(itertools.product((1, -1), repeat=n))).reshape(-1, n)
    p = np.exp(epsilon * np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1))
    return p / p.max(axis=1, keepdims=True)


def geometric_rays(n, epsilon):
    """The likelihoods of clamped geometric noise, and the constants with which they add up to one."""
    x, alpha = np.arange(n + 1), math.exp(-epsilon)
    c = np.full(n + 1, (1 - alpha) / (1 + alpha))
    c[[0, n]] = 1 / (1 + alpha)
    q = alpha ** np.abs(x[:, None] - x)
    assert c @ q == pytest.approx(1, rel=1e-12)
    return q, c


def in_cone(rng, n, epsilon, size):
    """Likelihoods in the cone: about half of the steps are whole ones."""
    steps = epsilon * np.clip(rng.uniform(-2, 2, (size, n)), -1, 1)
    return np.exp(rng.normal(size=(size, 1)) + np.concatenate([np.zeros((size, 1)), np.cumsum(steps, axis=1)], axis=1))


def cut(p, j, epsilon):
    """The pieces L and R of a likelihood, and p(j) q_j."""
    x = np.arange(p.shape[-1])
    tails = p[..., j : j + 1] * np.exp(-epsilon * np.abs(x - j))
    return np.where(x <= j, p, tails), np.where(x >= j, p, tails), tails


def least(cost, likelihoods):
    """The least sum of costs of likelihoods that add up to one at every count."""
    scale = np.abs(cost).max() / 1e3  # the solver's tolerances are absolute
    exact = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    ones = np.ones(likelihoods.shape[1])
    found = linprog(cost / scale, A_eq=likelihoods.T, b_eq=ones, method="highs-ds", options=exact)
    assert found.status == 0
    return found.fun * scale


def affinities(parameters):
    """Bhattacharyya affinities of Dirichlet laws, a row of parameters each."""

    def log_beta(a):
        return gammaln(a).sum(axis=-1) - gammaln(a.sum(axis=-1))

    one, other = parameters[:, None], parameters[None]
    return np.exp(log_beta((one + other) / 2) - (log_beta(one) + log_beta(other)) / 2)


def beta_parameters(prior, n):
    x = np.arange(n + 1)
    return np.stack([prior[0] + x, prior[1] + n - x], axis=1)


def root_gain(gram, weighted):
    """The norm of the sum of weighted square roots."""
    return np.sqrt(np.einsum("ri,ij,rj->r", weighted, gram, weighted))


class Posteriors:
    """The densities of the log-odds at even steps, by the trapezoidal rule."""

    def __init__(self, prior, n):
        self.parameters = beta_parameters(prior, n).T[:, :, None]
        self.t = np.arange(-40 / prior[0] - 5, 40 / prior[1] + 5, 0.1)
        self.logs = self.log_densities(self.t)
        self.f = np.exp(self.logs)

    def log_densities(self, t):
        a, b = self.parameters
        return -a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - betaln(a, b)

    def integral(self, values):
        return values.sum(axis=-1) * 0.1

    def negative_entropies(self):
        return self.integral(self.f * self.logs)

    def gain(self, weighted):
        """The integral of V log(V / m)."""
        V, m = weighted @ self.f, weighted.sum(axis=1, keepdims=True)
        return self.integral(V * np.log(np.where(V > 0, V / m, 1)))


def settings(seed, count, most):
    """Random records, budgets, priors and weights; some of the weights are next to nothing."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, epsilon = int(rng.integers(1, most + 1)), float(np.exp(rng.uniform(np.log(0.05), np.log(3))))
        yield rng, n, epsilon, np.exp(rng.uniform(-0.2, 2.5, 2)), rng.dirichlet(np.full(n + 1, rng.choice([0.2, 1, 5])))


def test_no_private_mechanism_has_a_smaller_squared_distance():
    for _, n, epsilon, prior, w in settings(1, 20, 8):
        gram = affinities(beta_parameters(prior, n))
        every = w * rays(n, epsilon)
        optimum = least(every.sum(axis=1) - root_gain(gram, every), rays(n, epsilon))
        assert least_mean_squared_distance(prior, n, epsilon, w) == pytest.approx(optimum, abs=1e-10)


def test_no_private_mechanism_has_a_smaller_divergence():
    for _, n, epsilon, prior, w in settings(2, 20, 8):
        f, every = Posteriors(prior, n), w * rays(n, epsilon)
        optimum = least(every @ f.negative_entropies() - f.gain(every), rays(n, epsilon))
        assert least_mean_divergence(prior, n, epsilon, w) == pytest.approx(optimum, abs=1e-10)


@pytest.mark.parametrize("n", [1, 9, 25])
def test_root_mean_and_noise_posterior_attain_the_least_losses(n):
    """The densities that the library describes, integrated against the posteriors, for the prior's own weights."""
    prior, epsilon = (0.7, 1.5), 0.4
    f, (q, c) = Posteriors(prior, n), geometric_rays(n, epsilon)
    w, theta = betabinom.pmf(np.arange(n + 1), n, *prior), 1 / (1 + np.exp(-f.t))
    inside = (theta > 1e-12) & (theta < 1 - 1e-12)
    share, squared, divergence = theta[inside], 0.0, 0.0
    for y in range(n + 1):
        made = (make(prior, n, [y, n - y], epsilon)[0] for make in (root_mean, given_noise))
        root, mixture = (each.density(share) * share * (1 - share) for each in made)
        assert f.integral(root) == pytest.approx(1, abs=1e-7)
        squared += c[y] * (w * q[y]) @ (1 - f.integral(np.sqrt(f.f[:, inside] * root)))
        divergence += c[y] * (w * q[y]) @ f.integral(f.f[:, inside] * (f.logs[:, inside] - np.log(mixture)))
    assert least_mean_squared_distance(prior, n, epsilon) == pytest.approx(squared, abs=1e-7)
    assert least_mean_squared_distance(prior, n, epsilon, w) == pytest.approx(squared, abs=1e-7)
    assert least_mean_divergence(prior, n, epsilon) == pytest.approx(divergence, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_cuts_write_every_likelihood_by_the_geometric_ones(seed):
    """In fractions: p + sum of p(j) q_j = n pieces a q_j + b q_{j+1} with a, b >= 0; the coefficients of 1 are c_y."""
    rng = np.random.default_rng(seed)
    n, alpha = int(rng.integers(1, 9)), Fraction(int(rng.integers(1, 9)), 9)
    q = [[alpha ** abs(x - y) for x in range(n + 1)] for y in range(n + 1)]

    def coefficients(p):
        b = [-p[j] if 0 < j < n else Fraction(0) for j in range(n + 1)]
        for j in range(n):
            parts = (p[j] - alpha * p[j + 1]) / (1 - alpha**2), (p[j + 1] - alpha * p[j]) / (1 - alpha**2)
            assert min(parts) >= 0
            b[j], b[j + 1] = b[j] + parts[0], b[j + 1] + parts[1]
        return b

    p = [Fraction(1)]
    for _ in range(n):
        low, high = alpha * p[-1], p[-1] / alpha
        p.append(low + (high - low) * Fraction(int(rng.integers(0, 5)), 4))
    b = coefficients(p)
    assert [sum(b[y] * q[y][x] for y in range(n + 1)) for x in range(n + 1)] == p
    c = coefficients([Fraction(1)] * (n + 1))
    assert c == [1 / (1 + alpha) if y in (0, n) else (1 - alpha) / (1 + alpha) for y in range(n + 1)]


def test_the_exchange_inequality_at_ten_thousand_likelihoods():
    """U(p) + p(j) U(q_j) <= U(L) + U(R), for both gains; all four likelihoods are in the cone."""
    strict = seen = 0
    for rng, n, epsilon, prior, w in settings(3, 50, 9):
        if n < 2:
            n, w = 2, rng.dirichlet(np.ones(3))
        p, j = in_cone(rng, n, epsilon, 200), int(rng.integers(1, n))
        L, R, tails = cut(p, j, epsilon)
        assert p + tails == pytest.approx(L + R, rel=1e-14)
        for piece in (L, R):
            assert (np.abs(np.diff(np.log(piece), axis=1)) <= epsilon * (1 + 1e-9) + 1e-12).all()
        gram, f = affinities(beta_parameters(prior, n)), Posteriors(prior, n)
        for gain in (lambda v, gram=gram: root_gain(gram, v), f.gain):
            one, other, left, right = (gain(w * v) for v in (p, tails, L, R))
            more = left + right - one - other
            assert (more >= -1e-12 * (np.abs(left) + np.abs(right) + w.sum() * p.max())).all()
            strict += (more > 1e-6 * p.max(axis=1)).sum()
        seen += len(p)
    assert seen == 10_000
    assert strict > 5_000  # it is not an equality


def test_excesses_are_monotone_and_their_means_move():
    """If delta / v falls in x and delta' / v rises on the whole square, D / V falls in the share and D' / V rises."""
    for rng, n, epsilon, prior, w in settings(4, 40, 9):
        n = max(n, 2)
        w = rng.dirichlet(np.ones(n + 1))
        p, j = in_cone(rng, n, epsilon, 10), int(rng.integers(1, n))
        L, R, tails = cut(p, j, epsilon)
        s, t = rng.uniform(size=2)
        d, e = L - tails, R - tails
        v = tails + s * d + t * e
        assert min(d.min(), e.min()) >= -1e-13 * p.max()
        assert (np.diff(d / v, axis=1) <= 1e-12).all()
        assert (np.diff(e / v, axis=1) >= -1e-12).all()
        f = np.exp(Posteriors(prior, n).logs[:, ::10])
        for kernel in (np.sqrt(f), f):  # squared distance, divergence
            kernel = kernel[:, kernel.min(axis=0) > 1e-150]
            assert (np.diff((w * d) @ kernel / ((w * v) @ kernel), axis=1) <= 1e-12).all()
            assert (np.diff((w * e) @ kernel / ((w * v) @ kernel), axis=1) >= -1e-12).all()


def mean_alpha_divergence(f, weighted, order):
    """The least mean of (sum f^r g^(1-r) - 1) / (r (r-1)), r the order: g is proportional to (sum of v f^r)^(1/r)."""
    m = weighted.sum(axis=1)
    if order == 0:
        logs = weighted @ np.log(f) / m[:, None]
        return -m * np.log(np.exp(logs).sum(axis=1))
    if order == 1:
        V = weighted @ f
        return weighted @ (f * np.log(f)).sum(axis=1) - (V * np.log(V / m[:, None])).sum(axis=1)
    W = weighted @ f**order
    return ((W ** (1 / order)).sum(axis=1) ** order - m) / (order * (order - 1))


def mean_total_variation(f, weighted):
    """The least mean total variation, a linear program for every likelihood: g, then what |f - g| is at most."""
    rows, columns = f.shape
    found = []
    for v in weighted:
        one, many = np.tile(np.eye(columns), (rows, 1)), np.eye(rows * columns)
        below = np.block([[one, -many], [-one, -many]])
        bound = np.concatenate([f.ravel(), -f.ravel()])
        cost = np.concatenate([np.zeros(columns), np.repeat(v / 2, columns)])
        total = np.concatenate([np.ones(columns), np.zeros(rows * columns)])[None]
        found.append(linprog(cost, A_ub=below, b_ub=bound, A_eq=total, b_eq=[1], method="highs").fun)
    return np.array(found)


@pytest.mark.parametrize("loss", [-1, 0, 0.3, 0.5, 1, 2, 3.5, "total variation"])
def test_geometric_noise_is_best_for_other_divergences(loss):
    rng = np.random.default_rng(7)
    for _ in range(10 if isinstance(loss, float | int) else 4):
        n, epsilon, places = int(rng.integers(2, 7)) if loss != "total variation" else 4, rng.uniform(0.1, 2), 5
        w, theta = rng.dirichlet(np.ones(n + 1)), np.sort(rng.normal(size=places))
        f = rng.uniform(0.1, 1, places) * np.exp(np.outer(np.arange(n + 1), theta))  # a monotone likelihood ratio
        f /= f.sum(axis=1, keepdims=True)
        q, c = geometric_rays(n, epsilon)

        def cost(p, f=f, w=w):
            return mean_total_variation(f, w * p) if isinstance(loss, str) else mean_alpha_divergence(f, w * p, loss)

        optimum = least(cost(rays(n, epsilon)), rays(n, epsilon))
        assert c @ cost(q) == pytest.approx(optimum, abs=1e-9)


def test_geometric_noise_is_best_for_decisions_on_a_lattice():
    """Actions are pairs; payoffs are supermodular, and their differences rise with the count."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        n, epsilon = int(rng.integers(2, 8)), rng.uniform(0.1, 2)
        w = rng.dirichlet(np.ones(n + 1))
        steps = [np.cumsum(rng.exponential(size=(n + 1, 3)), axis=0) - rng.uniform(0, n) for _ in range(2)]
        one, other = (np.concatenate([np.zeros((n + 1, 1)), np.cumsum(step, axis=1)], axis=1) for step in steps)
        together = rng.exponential() * np.outer(np.arange(4), np.arange(4))
        payoff = (one[:, :, None] + other[:, None] + together).reshape(n + 1, -1)
        payoff -= payoff.max()
        q, c = geometric_rays(n, epsilon)
        cost = -((w * rays(n, epsilon)) @ payoff).max(axis=1)
        assert c @ -((w * q) @ payoff).max(axis=1) == pytest.approx(least(cost, rays(n, epsilon)), abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "n", "noisy", "epsilon"),
    [((0.3, 2), 5, [2, 3], 0.7), ((4, 0.5), 8, [11, -3], 0.2), ((1, 1), 1, [0, 1], 3.0), ((2, 3), 0, [0, 0], 1.0)],
)
def test_the_root_mean_is_the_square_of_the_sum_of_roots(prior, n, noisy, epsilon):
    """From the definition, by the trapezoidal rule and by adaptive quadrature over the log-odds."""
    w = np.arange(1.0, n + 2) ** 2 % 7
    first, second = root_mean(prior, n, noisy, epsilon, w)
    v = w * np.exp(-epsilon * np.abs(np.arange(n + 1) - min(max(noisy[0], 0), n)))
    f = Posteriors(prior, n)
    total = f.integral((v @ np.sqrt(f.f)) ** 2)

    def density(t):
        return float((v @ np.exp(f.log_densities(t) / 2)).item() ** 2 / total)

    theta = np.array([0.01, 0.3, 0.9])
    expected = [density(math.log(share / (1 - share))) / share / (1 - share) for share in theta]
    assert first.density(theta) == pytest.approx(expected, rel=1e-12)
    assert second.density(1 - theta) == pytest.approx(expected, rel=1e-11)
    mean = f.integral((v @ np.sqrt(f.f)) ** 2 / (1 + np.exp(-f.t))) / total
    assert first.mean == pytest.approx(mean, rel=1e-12)
    low, high = (math.log(end / (1 - end)) for end in first.interval(0.9))
    assert quad(density, low, high, epsabs=1e-11)[0] == pytest.approx(0.9, abs=1e-10)
    assert quad(density, -60 / prior[0], low, epsabs=1e-11, limit=200)[0] == pytest.approx(0.05, abs=1e-10)


def test_the_root_mean_of_many_records_keeps_its_digits():
    """The square of a sum over 3,001 counts in the log domain, at one share relative to another."""
    n, epsilon, prior = 3000, 0.01, (0.2, 40.0)
    share = root_mean(prior, n, [500, 2500], epsilon)[0]
    x, (a, b) = np.arange(n + 1), beta_parameters(prior, n).T
    log_w = gammaln(a) - gammaln(x + 1) + gammaln(b) - gammaln(n - x + 1)

    def log_square(theta):
        terms = log_w - epsilon * np.abs(x - 500) + ((a - 1) * np.log(theta) + (b - 1) * np.log1p(-theta)
                                                     - betaln(a, b)) / 2  # fmt: skip
        return 2 * (terms.max() + np.log(np.exp(terms - terms.max()).sum()))

    for theta in (0.001, 0.05, 0.3):
        expected = math.exp(log_square(theta) - log_square(0.15))
        assert float(share.density(theta) / share.density(0.15)) == pytest.approx(expected, rel=1e-10)
    for theta in (0.05, 0.15, 0.3):  # two chains of steps, and every component on its own
        assert share.cdf(theta) == pytest.approx(share.weights @ betainc(share.first, share.rest, theta), abs=1e-12)


def test_noise_beyond_the_ends_says_no_more():
    for w in (None, np.arange(1.0, 8)):
        inside, beyond = (root_mean([1, 2], 6, z, 0.4, w)[0] for z in ([0, 6], [-5, 11]))
        assert np.array_equal(inside.weights, beyond.weights)
        assert np.array_equal(inside.first, beyond.first)


@pytest.mark.parametrize("epsilon", [0.3, 5.0, 30.0])
def test_small_squared_distances_keep_their_digits(epsilon):
    n, prior, w = 4, (0.3, 2), [1, 0, 3, 2, 5]
    with mp.workdps(60):
        a, b, q = mp.mpf(0.3), mp.mpf(2), mp.exp(-mp.mpf(epsilon))

        def affinity(x, y):
            parts = mp.beta(a + x, b + n - x) * mp.beta(a + y, b + n - y)
            return mp.beta(a + mp.mpf(x + y) / 2, b + n - mp.mpf(x + y) / 2) / mp.sqrt(parts)

        loss = mp.mpf(0)
        for y in range(n + 1):
            v = [mp.mpf(w[x]) / 11 * q ** abs(x - y) for x in range(n + 1)]
            norm = mp.sqrt(mp.fsum(v[i] * v[j] * affinity(i, j) for i in range(n + 1) for j in range(n + 1)))
            loss += (1 if y in (0, n) else 1 - q) / (1 + q) * (mp.fsum(v) - norm)
    assert least_mean_squared_distance(prior, n, epsilon, w) == pytest.approx(float(loss), rel=1e-12)


def test_what_weights_of_one_count_or_far_ones_leave_hidden():
    """Nothing, and next to nothing."""
    one, ends = np.eye(301)[150], np.eye(301)[0] + np.eye(301)[300]
    assert least_mean_squared_distance([1, 1], 300, 0.5, one) == 0
    assert 0 <= least_mean_divergence([1, 1], 300, 0.5, one) < 1e-13
    # the two posteriors do not overlap, so the root mean is one of them or halfway; c_y (m_y - |V_y|) in closed form
    q, y = math.exp(-0.1), np.arange(301)
    c = np.where((y == 0) | (y == 300), 1 / (1 + q), (1 - q) / (1 + q))
    parts = q**y / 2, q ** (300.0 - y) / 2
    loss = c @ (2 * parts[0] * parts[1] / (parts[0] + parts[1] + np.hypot(*parts)))
    assert least_mean_squared_distance([1, 1], 300, 0.1, ends) == pytest.approx(loss, rel=1e-12)
    assert least_mean_squared_distance([1, 1], 300, 9.0, ends) < 1e-300
    assert least_mean_divergence([1, 1], 300, 9.0, ends) < 1e-13


@pytest.mark.parametrize(
    ("prior", "n", "epsilon"), [((0.5, 2), 3, 0.8), ((0.3, 1), 2, 0.1), ((30, 80), 12, 0.3), ((20, 2000), 2, 1)]
)
def test_the_least_divergence_to_twelve_digits(prior, n, epsilon):
    """Entropies of Beta laws in closed form, one integral for each noisy count."""
    w = np.arange(n + 1.0) % 5 + 0.1
    with mp.workdps(25):
        A, B = [mp.mpf(prior[0]) + x for x in range(n + 1)], [mp.mpf(prior[1]) + n - x for x in range(n + 1)]
        total, q = mp.mpf(0), mp.exp(-mp.mpf(epsilon))
        share = [mp.mpf(v) / mp.fsum(map(mp.mpf, w)) for v in w]
        # E log theta and E log(1 - theta) of every posterior; densities are those of the log-odds
        for a, b, v in zip(A, B, share, strict=True):
            total += v * (a * mp.digamma(a) + b * mp.digamma(b) - (a + b) * mp.digamma(a + b) - mp.log(mp.beta(a, b)))
        h = mp.mpf(1) / 8
        scale = [mp.beta(a, b) for a, b in zip(A, B, strict=True)]
        low, high = (int(8 * (35 / weight + math.log(sum(prior) + n))) for weight in prior)
        for i in range(-low, high + 1):
            theta = 1 / (1 + mp.exp(-i * h))
            density = [theta**a * (1 - theta) ** b / s for a, b, s in zip(A, B, scale, strict=True)]
            for y in range(n + 1):
                v = [share[x] * q ** abs(x - y) for x in range(n + 1)]
                V = mp.fsum(v[x] * density[x] for x in range(n + 1))
                total -= h * (1 if y in (0, n) else 1 - q) / (1 + q) * V * mp.log(V / mp.fsum(v))
    assert least_mean_divergence(prior, n, epsilon, w) == pytest.approx(float(total), abs=1e-12)


def test_the_table_of_the_page():
    """20 records, uniform prior, epsilon 0.3: three publications after one noise, three losses."""
    n, epsilon = 20, 0.3
    f, (q, c), gram = Posteriors((1, 1), n), geometric_rays(n, epsilon), affinities(beta_parameters((1, 1), n))
    joint = q * c[:, None] / (n + 1)  # a row for each noisy count
    remap = (joint @ np.sqrt(np.maximum(1 - gram, 0))).argmin(axis=1)
    squares = (joint @ np.sqrt(f.f)) ** 2
    published = {"remap": f.f[remap], "root mean": squares / f.integral(squares)[:, None]}
    published["mixture"] = joint @ f.f / joint.sum(axis=1)[:, None]
    found = {}
    for name, g in published.items():
        squared = np.maximum(1 - f.integral(np.sqrt(f.f * g[:, None])), 0)
        divergence = f.integral(f.f * np.log(np.where(f.f > 1e-300, f.f / np.maximum(g[:, None], 1e-320), 1)))
        found[name] = [float((joint * loss).sum()) for loss in (np.sqrt(squared), squared, divergence)]
    assert found["remap"] == pytest.approx([0.389245, 0.233469, 1.821606], abs=2e-6)
    assert found["root mean"] == pytest.approx([0.399063, 0.196869, 0.788939], abs=2e-6)
    assert found["mixture"] == pytest.approx([0.439336, 0.211484, 0.693677], abs=2e-6)
    assert least_mean_squared_distance((1, 1), n, epsilon) == pytest.approx(found["root mean"][1], abs=1e-9)
    assert least_mean_divergence((1, 1), n, epsilon) == pytest.approx(found["mixture"][2], abs=1e-9)


def test_how_much_closer_a_free_density_is_than_a_posterior():
    def gain(n, epsilon):
        q, c = geometric_rays(n, epsilon)
        choice = c @ (q @ (1 - affinities(beta_parameters((1, 1), n)))).min(axis=1) / (n + 1)
        return 1 - least_mean_squared_distance((1, 1), n, epsilon) / choice

    few = [gain(n, epsilon) for n in range(2, 11) for epsilon in np.arange(0.1, 1.01, 0.1)]
    assert 0.11 < min(few) < 0.12
    assert 0.30 < max(few) < 0.31
    many = [gain(100, epsilon) for epsilon in (0.1, 0.3, 0.6, 1.0)]
    assert 0.05 < min(many) < 0.06
    assert 0.17 < max(many) < 0.18


def test_a_density_made_for_the_distance_is_closer():
    # sqrt(g) is proportional to the sum of joint probabilities over distances times sqrt(f), until it repeats itself
    n, epsilon = 20, 0.2
    (q, c), gram = geometric_rays(n, epsilon), affinities(beta_parameters((1, 1), n))
    joint = q * c[:, None] / (n + 1)
    v = joint
    for _ in range(300):
        distances = np.sqrt(np.maximum(1 - v @ gram / root_gain(gram, v)[:, None], 1e-12))
        v = joint / distances
    assert (joint * distances).sum() == pytest.approx(0.4515, abs=5e-5)
    assert (joint @ np.sqrt(np.maximum(1 - gram, 0))).min(axis=1).sum() == pytest.approx(0.4654, abs=5e-5)


def test_the_distance_itself_has_a_better_noise():
    """Published are the root means of all weights in steps of 1/100 (steps of 1/200 for geometric noise)."""
    n, epsilon, w = 2, 0.3, np.full(3, 1 / 3)
    gram = affinities(beta_parameters((1, 1), n))

    def distances(parts):
        v = np.array([(i, j, parts - i - j) for i in range(parts + 1) for j in range(parts + 1 - i)]) / parts
        return np.sqrt(np.maximum(1 - (v @ gram) / root_gain(gram, v)[:, None], 0))

    q, c = geometric_rays(n, epsilon)
    optimum = least(((w * rays(n, epsilon)) @ distances(100).T).min(axis=1), rays(n, epsilon))
    assert optimum == pytest.approx(0.272228, abs=5e-7)
    assert c @ ((w * q) @ distances(200).T).min(axis=1) == pytest.approx(0.272404, abs=5e-7)


@pytest.mark.parametrize(
    ("equal", "noise", "optimum"), [(True, 0.138637, 0.137506), (False, 0.069557, 0.068707)], ids=["equal", "own"]
)
def test_three_categories_have_a_better_mechanism(equal, noise, optimum):
    # likelihoods of all mechanisms are made of e^(-epsilon h), h whole numbers with steps of at most 1 on every edge
    prior, n, epsilon = np.array([0.2, 3, 1]), 2, 1.0
    x = np.array([v for v in itertools.product(range(n + 1), repeat=3) if sum(v) == n])
    gram, d = affinities(prior + x), np.abs(x[:, None] - x).sum(axis=-1) // 2
    w = np.full(6, 1 / 6) if equal else np.exp((gammaln(prior + x) - gammaln(prior) - gammaln(x + 1)).sum(axis=1))
    w /= w.sum()
    h = np.array(list(itertools.product(range(n + 1), repeat=6)))
    p = np.exp(-epsilon * h[(np.abs(h[:, :, None] - h[:, None]) <= d).all(axis=(1, 2))])
    assert least((w * p).sum(axis=1) - root_gain(gram, w * p), p) == pytest.approx(optimum, abs=5e-7)
    c = np.linalg.solve(np.exp(-epsilon * d), np.ones(6))  # the balanced mechanism
    v = w * np.exp(-epsilon * d)
    assert c.min() > 0
    assert c @ (v.sum(axis=1) - root_gain(gram, v)) == pytest.approx(noise, abs=5e-7)


def test_weights_of_single_datasets_may_ask_for_another_noise():
    # three records, weight 1/2 on the dataset where only the first is a one, and 1/2 on its opposite: what matters is
    # the distance s = 0..3 from the first, and noise on s is closer than noise on the count
    n, epsilon = 3, 0.5
    gram = affinities(beta_parameters((1, 1), n))[np.ix_([1, 1, 2, 2], [1, 1, 2, 2])]  # by s; s = 1, 2 have no weight
    w, (q, c) = np.array([0.5, 0, 0, 0.5]), geometric_rays(n, epsilon)
    by_distance = c @ ((w * q).sum(axis=1) - root_gain(gram, w * q))
    assert by_distance == pytest.approx(0.019959, abs=5e-7)
    assert least_mean_squared_distance((1, 1), n, epsilon, [0, 1, 1, 0]) == pytest.approx(0.027746, abs=5e-7)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: root_mean([1, 1, 1], 5, [2, 3], 1), "prior must have two categories"),
    (lambda: root_mean([1, 1], 5, [2, 2], 1), "noisy must be 2 whole numbers with the sum n=5"),
    (lambda: root_mean([1, 1], 5, [2, 3], 1, [1, 2]), "weights must be 6 finite numbers"),
    (lambda: root_mean([1, 1], 10**6, [0, 10**6], 1e-4), "epsilon must leave at most 20000 counts"),
    (lambda: least_mean_squared_distance([1, 1, 1], 5, 1), "prior must have two categories"),
    (lambda: least_mean_squared_distance([1, 1], 10**5, 1), "n must be an integer >= 0 and < 10001"),
])  # fmt: skip
def test_an_argument_out_of_range_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
