r"""How many records lattice noise has taken away again, and releases that are all far from the dataset.

Of noisy counts \(y = x + v\), moved to 0..n, records are taken away until the total is n (``lattice_sums``). At level
\(\tau\) so many are gone from each category, or one more, as far as it has them; the level is random. Summed over all
levels, with each factor at the larger of the two,
\[ E[e^{-D}] \le \frac{k}{\Pr[\sum_i v_i = 0]} \sum_\tau \prod_i \max(f_i(\tau), f_i(\tau + 1)) , \qquad
   f_i(\tau) = E[e^{-D_i(\max(\min(x_i + v, n) - \tau, 0) - x_i)}] , \]
for independent moves v. With \(p(v) \propto e^{-d|v|}\) all \(f_i\) are cumulative sums of \(e^{\pm dm - D_i(m)}\).
Where many counts are moved far this is next to nothing. As \(1 - H \le y = e^{-D}\), the mean error is then next to
one, and by Markov's inequality \(\Pr[H < t] \le E[y] / (1 - t^2)\).
"""

import math

import numpy as np

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_balanced
from ..mechanisms.noise import NoiseAt
from ..model.distances import moved_gap

SMALL = 46.0
r"""All but \(e^{-46}\) of the noise is looked at."""

FAR = 40.0
"""About so far, as an exponent, releases have to be for them to be looked at."""

ALL_FAR = 1e-13
r"""If the expectation of \(y = e^{-D}\) is smaller, all errors are one."""

ROUNDED = 1e-6
"""What rounding may do to the bound, relatively: a share of 1e-10 in each of up to a thousand factors, and more."""

DIFFERENCE = 1e-15
"""What a difference of sums may be off."""

LARGEST_POWER = 600.0
"""Of less than e to minus this nothing is said."""

IN_A_BLOCK = 1 << 22
"""So many numbers are computed at once; where one category has more, nothing is."""


def most_levels(
    noise: NoiseAt | GaussianNoiseAt, k: int, n: int, counts: Integers, times: Integers, log_enough: float
) -> int:
    r"""Beyond so many levels nearly nothing is left to take: by Chernoff's inequality for both totals.

    At rates a and b > a for the total of moves and for what is left, a category far from the ends has the factor
    \(e^{-(b - a)\ell}\, E[e^{bv}]\); and one near an end, of which ``counts`` are there ``times`` times,
    \(E[e^{av + (b - a) \max(v - \ell, -x)}]\).
    """
    rates, share = noise.decay * np.linspace(-0.97, 0.97, 24), math.exp(float(noise.log_point(0)))
    up, down = noise.decay - rates, noise.decay + rates
    lower, upper = share / -np.expm1(-down), share * np.exp(-up) / -np.expm1(-up)  # sums of e^(rate v), v <= 0 or > 0
    rises = np.maximum(rates[None, :] - rates[:, None], 0.0)  # (a, b)
    far = k - int(times.sum())

    def enough(levels: int) -> bool:
        logs = far * (np.log(lower + upper) - rises * levels)
        for count, many in zip(counts.tolist(), times.tolist(), strict=True):
            edge = levels - count  # what moves no farther up is emptied
            above = lower + upper - lower * np.exp(down * edge) if edge < 0 else upper * np.exp(-up * edge)
            emptied = np.exp(-rises * count) * (lower + upper - above)[:, None]
            logs = logs + many * np.log(emptied + np.exp(-rises * levels) * above)
        return bool(logs[rises > 0].min() <= -log_enough)

    low, high = 0, 1
    while high < n and not enough(high):
        low, high = high, 2 * high
    while high - low > 1 + low // 16:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return min(high, n)


def most_affinity(prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt) -> float:
    r"""An upper bound on \(E[e^{-D}]\), near zero where all releases are far; one where usual moves are not."""
    kinds, times = np.unique(np.stack([prior, counts]), axis=1, return_counts=True)
    prior, x, k, n, d = kinds[0], kinds[1].astype(np.int64), len(counts), int(counts.sum()), noise.decay
    usual = math.ceil(1 / d)
    up, down = (moved_gap(prior, x, move) for move in (np.minimum(n - x, usual), -np.minimum(x, usual)))
    about = times * np.log1p(np.minimum(up, down)) / 2  # of a bell as wide as that
    if float(about.sum()) < FAR:
        return 1.0
    log_zero = log_balanced(noise, k)
    reach = noise.reach(SMALL - log_zero + math.log(k))
    near = x <= reach
    last = most_levels(noise, k, n, x[near], times[near], SMALL - log_zero)
    several = IN_A_BLOCK // (2 * reach + last + 2)
    if several == 0:
        return 1.0
    logs, log_most, order = np.zeros(last + 1), 0.0, np.argsort(-about, kind="stable")
    for first in range(0, len(x), several):  # no factor is more than one: those that are far first, until it is enough
        some = order[first : first + several]
        factors = factors_at(np.arange(last + 2), prior[some, None], x[some, None], n, noise, reach)
        logs += times[some] @ np.log(np.maximum(factors[:, :-1], factors[:, 1:]))
        top = max(float(logs.max()), -LARGEST_POWER)
        log_most = top - log_zero + math.log(k * float(np.exp(logs - top).sum()) + ROUNDED)
        if log_most <= -SMALL:
            break
    return min(math.exp(min(log_most, 0.0)) * (1 + ROUNDED) + 3 * math.exp(-SMALL), 1.0)


def factors_at(
    levels: Integers, prior: Floats, x: Integers, n: int, noise: NoiseAt | GaussianNoiseAt, reach: int
) -> Floats:
    r"""(K, L) \(f_i(\tau)\) at levels 0, 1, ... of kinds in a column, or 1e-15 if they are smaller."""
    d, m = noise.decay, np.arange(-reach - len(levels) + 1, reach + 1)
    there = (m >= 1 - x) & (m <= n - x)
    log_kept = np.where(there, -moved_gap(prior, x, np.where(there, m, 0)), -np.inf)
    # of m = v - tau what lies on one side of -tau, where v = 0, does not depend on tau but for a factor
    above = np.zeros((len(x), len(m) + 1))
    above[:, -2::-1] = np.cumsum(np.exp(log_kept - d * m)[:, ::-1], axis=1)
    below = np.cumsum(np.exp(log_kept + d * m), axis=1)
    still = reach + len(levels) - 1 - levels
    over = np.take_along_axis(above, np.minimum(still + np.minimum(n - x, len(m)) + 1, len(m)), axis=1)  # v > n - x
    kept = np.exp(-d * levels) * (above[:, still] - over) + np.exp(d * levels) * below[:, still - 1]
    short = np.minimum(levels, n) - x
    at_most = np.exp(noise.log_at_most(np.minimum(short, -1)))
    emptied = np.where(short < 0, at_most, -np.expm1(noise.log_at_least(np.maximum(short, 0) + 1)))
    full = np.exp(noise.log_at_least(np.minimum(n - x, reach) + 1))
    factors = math.exp(float(noise.log_point(0))) * kept + emptied * np.exp(-moved_gap(prior, x, -x))
    factors += full * np.exp(-moved_gap(prior, x, np.maximum(n - levels, 0) - x))
    return np.asarray(np.maximum(factors, DIFFERENCE))
