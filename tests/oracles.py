"""Independent reference values, slow but exact or to 60 digits, computed from the definitions.

Nothing here calls the library. Doubles enter mpmath and Fraction as the exact numbers that they represent.
"""

from functools import cache
from itertools import product

import numpy as np
from mpmath import MPContext
from scipy import stats

mp = MPContext()  # of its own: another test cannot change its precision
mp.dps = 60


def datasets(n, k):
    """All count vectors of n records, by filtering every tuple."""
    return [x for x in product(range(n + 1), repeat=k) if sum(x) == n]


def apart(x, y):
    """Number of records to replace to get from one dataset to the other."""
    return sum(abs(p - q) for p, q in zip(x, y, strict=True)) // 2


def neighbours(x):
    """The datasets at distance one, found among all datasets."""
    return [y for y in datasets(sum(x), len(x)) if apart(x, y) == 1]


@cache
def loggamma(z):
    return mp.loggamma(z)


def log_beta(a):
    return mp.fsum(loggamma(z) for z in a) - loggamma(mp.fsum(a))


def hellinger(a, b):
    """sqrt(1 - B((a+b)/2) / sqrt(B(a) B(b))), from log-gammas at 60 digits."""
    a, b = [mp.mpf(z) for z in a], [mp.mpf(z) for z in b]
    middle = [(p + q) / 2 for p, q in zip(a, b, strict=True)]
    exponent = (log_beta(a) + log_beta(b)) / 2 - log_beta(middle)
    return mp.sqrt(max(-mp.expm1(-exponent), 0))


@cache
def distance(prior, x, y):
    """Hellinger distance between the posteriors of two count vectors; prior + count is not rounded."""
    return hellinger(*([mp.mpf(w) + c for w, c in zip(prior, z, strict=True)] for z in (x, y)))


@cache
def local_sensitivity(prior, x):
    return max((distance(prior, x, y) for y in neighbours(x)), default=mp.mpf(0))


def global_sensitivity(prior, n):
    return max(local_sensitivity(prior, x) for x in datasets(n, len(prior)))


def exponential_smooth_sensitivity(prior, x, beta):
    everywhere = datasets(sum(x), len(x))
    return max(local_sensitivity(prior, y) * mp.exp(-mp.mpf(beta) * apart(x, y)) for y in everywhere)


def reciprocal_smooth_sensitivity(prior, x, gamma):
    everywhere = datasets(sum(x), len(x)) if sum(x) else []
    inverses = (1 / local_sensitivity(prior, y) + mp.mpf(gamma) * apart(x, y) for y in everywhere)
    return max((1 / inverse for inverse in inverses), default=mp.mpf(0))


def highest(function, low, high, steps):
    """Where a function with one hill is largest, by golden section: no derivative is used."""
    golden = (mp.sqrt(5) - 1) / 2
    low, high = mp.mpf(low), mp.mpf(high)
    for _ in range(steps):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if function(a) > function(b) else (a, high)
    return (low + high) / 2


def relative_error(found, true):
    """|found - true| / true, in mpmath, with 0 for an exact zero."""
    return float(abs(mp.mpf(float(found)) - true) / true) if true else float(abs(found))


def worst_loss(laws, n, k):
    """max ln p/q over neighbours and outputs; laws maps a dataset to {output: probability}; (loss, x, x', r)."""
    worst = (mp.mpf(0), None, None, None)
    for x in datasets(n, k):
        for y in neighbours(x):
            for r, p in laws[x].items():
                q = laws[y].get(r, 0)
                loss = mp.inf if q == 0 and p > 0 else (mp.log(mp.mpf(p) / mp.mpf(q)) if p > 0 else -mp.inf)
                if loss > worst[0]:
                    worst = (loss, x, y, r)
    return worst


def hockey_stick(laws, n, k, epsilon):
    """max over neighbours of the sum of (p - e^epsilon q)_+."""
    factor = mp.exp(mp.mpf(epsilon))
    pairs = ((x, y) for x in datasets(n, k) for y in neighbours(x))
    return max(mp.fsum(max(p - factor * laws[y].get(r, 0), 0) for r, p in laws[x].items()) for x, y in pairs)


def log_noise(mechanism, move, epsilon, k):
    """The logarithm of the weight of a move of one of k counts, up to a constant, from the definition of the noise."""
    rate = epsilon / (1 if k == 2 else 2)
    match mechanism:
        case "lattice_laplace":
            return -epsilon * abs(move) / 2
        case "geometric":
            return -rate * abs(move)
        case "discrete_gaussian":  # weights exp(-epsilon^2 z^2 / (2 s)), s the square of what a record moves
            return -(epsilon**2) * move**2 / (2 if k == 2 else 4)
        case "staircase":
            return -rate * ((abs(move) + 1) // 2)
        case "lshist":  # the floor of Laplace noise
            return -rate * (move if move >= 0 else -1 - move)
    raise NotImplementedError(f"the definition of the noise of {mechanism} belongs into oracles.log_noise")


def log_likelihood(mechanism, z, x, epsilon):
    """ln Pr[z | x] up to a constant: noise on all counts, or on all but the last."""
    moves = [a - b for a, b in zip(z, x, strict=True)]
    moves = moves if mechanism == "lattice_laplace" else moves[:-1]
    return sum(log_noise(mechanism, move, epsilon, len(x)) for move in moves)


def p_value(draws, outputs, probabilities):
    """Of the chi-square test that draws have a law, its rare outputs pooled."""
    place = {tuple(r): i for i, r in enumerate(outputs.tolist())}
    seen = np.bincount([place[tuple(r)] for r in draws.tolist()], minlength=len(outputs))
    expected = len(draws) * probabilities
    rare = expected < 5
    if rare.any():
        seen, expected = np.append(seen[~rare], seen[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    return stats.chisquare(seen, expected * len(draws) / expected.sum()).pvalue


# Output laws, as {output: probability}, from the definition of each mechanism


def floored_laplace(low, high, scale):
    """Pr[low <= floor(Y) <= high] for Laplace Y, from its cdf e^(y/b)/2 on the negative side and the mirror image."""
    low, high = mp.mpf(low), mp.mpf(high) + 1  # floor(Y) is in low..high just when low <= Y < high + 1

    def below(y):
        return mp.exp(y / mp.mpf(scale)) / 2

    if high <= 0:
        return below(high) - below(low)
    return below(-low) - below(-high) if low >= 0 else 1 - below(low) - below(-high)


def between(from_there, low, high):
    """Pr[low <= Z <= high] of a symmetric law, from Pr[Z >= m] for m > 0."""
    if high < 0:
        low, high = -high, -low
    below, above = (mp.mpf(0) if m == mp.inf else from_there(m) for m in (1 - low if low <= 0 else low, high + 1))
    return 1 - below - above if low <= 0 else below - above


def two_sided_geometric(low, high, scale):
    """Pr[Z = z] = (1-r)/(1+r) r^|z|, r = e^(-1/scale), so that Pr[Z >= m] = r^m / (1+r)."""
    r = mp.exp(-1 / mp.mpf(scale))
    return between(lambda m: r**m / (1 + r), low, high)


def staircase(low, high, scale):
    """The weights r^ceil(|z|/2): from m > 0 on the rest of a step, and whole steps in a geometric series."""
    r = mp.exp(-1 / mp.mpf(scale))
    total = 1 + 4 * r / (1 - r)

    def from_there(m):
        step = (m + 1) // 2
        return ((2 if m % 2 else 1) * r**step + 2 * r ** (step + 1) / (1 - r)) / total

    return between(from_there, low, high)


@cache
def gaussian_weight(z, scale):
    return mp.exp(-(mp.mpf(z) ** 2) / (2 * mp.mpf(scale) ** 2))


@cache
def gaussian_weights(m, scale):
    """The weights exp(-z^2 / (2 scale^2)) of m >= 0 and beyond, as many terms as have any digits."""
    s = mp.mpf(scale)
    if s > 1000:  # smooth: the integral from the half, and what Euler and Maclaurin leave, which is below 1e-20
        a = mp.mpf(m) - mp.mpf(1) / 2
        f1 = -a / s**2 * mp.exp(-(a**2) / (2 * s**2))
        f3 = (3 * a / s**4 - a**3 / s**6) * mp.exp(-(a**2) / (2 * s**2))
        f5 = (-15 * a / s**6 + 10 * a**3 / s**8 - a**5 / s**10) * mp.exp(-(a**2) / (2 * s**2))
        return s * mp.sqrt(mp.pi / 2) * mp.erfc(a / s / mp.sqrt(2)) + f1 / 24 - 7 * f3 / 5760 + 31 * f5 / 967680
    total, z = mp.mpf(0), m
    while True:
        term = gaussian_weight(z, scale)
        total += term
        if term < total * mp.mpf(10) ** -65:
            return total
        z += 1


@cache
def discrete_gaussian(low, high, scale):
    """Probability of low..high under the weights exp(-z^2 / (2 scale^2))."""
    whole = 2 * gaussian_weights(0, scale) - 1
    if low > high:
        return mp.mpf(0)
    if high == mp.inf:
        return (gaussian_weights(low, scale) if low >= 0 else whole - gaussian_weights(1 - low, scale)) / whole
    if low == -mp.inf:
        return discrete_gaussian(-high, mp.inf, scale)
    return mp.fsum(gaussian_weight(z, scale) for z in range(low, high + 1)) / whole


def permute_and_flip(prior, x, rate):
    """The polynomial in t expanded, and integrated term by term: every candidate in all orders at once."""
    candidates = datasets(sum(x), len(x))
    p = {r: mp.exp(-rate * distance(prior, x, r)) for r in candidates}
    law = {}
    for r in candidates:
        coefficients = [mp.mpf(1)]
        for s in candidates:
            if s != r:
                longer = [*coefficients, mp.mpf(0)]
                for i, c in enumerate(coefficients):
                    longer[i + 1] -= p[s] * c
                coefficients = longer
        law[r] = p[r] * mp.fsum(c / (i + 1) for i, c in enumerate(coefficients))
    return law


def randomised_response(x, epsilon):
    """Every way in which all records can answer, one at a time."""
    k, law = len(x), {(0,) * len(x): mp.mpf(1)}
    others = 1 / (mp.exp(epsilon) + k - 1)
    for category, count in enumerate(x):
        for _ in range(count):
            longer = {}
            for answers, p in law.items():
                for answer in range(k):
                    more = tuple(c + (i == answer) for i, c in enumerate(answers))
                    chance = mp.exp(epsilon) * others if answer == category else others
                    longer[more] = longer.get(more, 0) + p * chance
            law = longer
    return law


def clamped(noise, count, scale, low, high):
    """Law of min(max(count + noise, low), high)."""
    if low == high:
        return {low: mp.mpf(1)}
    ends = {v: (-mp.inf if v == low else v - count, mp.inf if v == high else v - count) for v in range(low, high + 1)}
    return {v: noise(*end, scale) for v, end in ends.items()}


def independent_noise(noise, x, scale):
    """Noise on all counts but the last, each kept within 0..n; the last is n minus the others, at least 0."""
    n, law = sum(x), {}
    parts = [clamped(noise, c, scale, 0, n) for c in x[:-1]]
    for first in product(range(n + 1), repeat=len(x) - 1):
        p = mp.fprod(part[v] for part, v in zip(parts, first, strict=True))
        law[(*first, min(max(n - sum(first), 0), n))] = p
    return law


def filled_in_order(x, scale):
    """Noisy counts one after another, each kept within 0 and what is left; the last takes the rest."""
    law = {(): mp.mpf(1)}
    for count in x[:-1]:
        longer = {}
        for start, p in law.items():
            for v, q in clamped(floored_laplace, count, scale, 0, sum(x) - sum(start)).items():
                longer[(*start, v)] = p * q
        law = longer
    return {(*start, sum(x) - sum(start)): p for start, p in law.items()}


def exponential_mechanism(prior, x, rate):
    weights = {r: mp.exp(-rate * distance(prior, x, r)) for r in datasets(sum(x), len(x))}
    total = mp.fsum(weights.values())
    return {r: w / total for r, w in weights.items()}
