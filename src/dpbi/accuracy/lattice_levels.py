r"""How many records lattice noise has taken away again, and how near the dataset releases are then.

Of noisy counts \(y = x + v\), moved to 0..n, records are taken away until the total is n (``lattice_sums``). At level
\(\tau\) so many are gone from each category, or one more, as far as it has them; the level is random. Released counts
have moved by a total of zero, and what \(y_i\) falls short of \(\tau\) by, less what it exceeds n by, \(s_i\), are in
total all that was taken. So for any \(a, b\), with each factor at the larger of the two,
\[ E[e^{-D};\, \tau] \le \frac{k + 1}{\Pr[\sum_i v_i = 0]} \prod_i \max(f_i(\tau), f_i(\tau + 1)) , \qquad
   f_i(\tau) = E[e^{-D_i(m) + am + b (s_i - \tau)}] , \quad m = \max(\min(x_i + v, n) - \tau, 0) - x_i , \]
for independent moves v. With \(p(v) \propto e^{-d|v|}\) all \(f_i\) are cumulative sums of \(e^{am \pm dm - D_i(m)}\).
Where many counts are moved far this is next to nothing at all levels. As \(1 - H \le y = e^{-D}\), the mean error is
then next to one, and by Markov's inequality \(\Pr[H < t] \le E[y] / (1 - t^2)\). Where one count holds nearly all, all
others are near 0, and what is taken from the one has gone to few of them: at high levels these have moved far.

Where moves may have any total M, the same bounds \(E[e^{-D + aM};\, \tau]\). Of that a ring of N confuses with M = 0
what has \(|M| \ge N\), at most \(e^{-|a|N}\) times the bound on each side. So levels have rings of their own.
"""

import math
from typing import NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_balanced
from ..mechanisms.noise import NoiseAt
from ..model.distances import moved_gap
from .shortfalls import NearEnds, real_points

SMALL = 46.0
r"""All but \(e^{-46}\) of the noise is looked at."""

FAR = 40.0
"""About so far, as an exponent, releases have to be for them to be looked at."""

ALL_FAR = 1e-13
r"""If the expectation of \(y = e^{-D}\) is smaller, all errors are one."""

ROUNDED = 1e-6
"""What rounding may do to the bounds, relatively: a share of 1e-10 in each of up to a thousand factors, and more."""

SHARES = np.array([0.0, -0.97, -0.9, -0.6, -0.3, 0.3, 0.6, 0.9, 0.97])
"""a and b as shares of d."""

STEEP = np.array([0.03, 0.1, 0.2, 0.3])
"""More of a, for counts near 0."""

MOST_DECAY = 10.0
"""Noise that falls faster leads nowhere far: nothing is said."""

LONGEST_TILTED = 1 << 23
"""If cumulative sums are longer, a and b are zero."""

LONGEST = 2.0**62
"""No ring is longer."""

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


class Levels(NamedTuple):
    r"""Upper bounds on \(\ln E[e^{-D};\, \tau]\) at all levels, but for \(e^{-46}\) of the noise."""

    logs: Floats  # (L,)
    tilts: Floats  # (A,) a > 0 or a < 0
    tilted: Floats  # (A, L) and on ln E[e^{-D + am}; tau], m being the total of all moves
    n: int

    def affinity(self) -> float:
        r"""That on \(E[e^{-D}]\)."""
        return min(float(np.exp(np.minimum(self.logs, 0.0)).sum()) + 3 * math.exp(-SMALL), 1.0)

    def rings(self, small: float) -> Integers:
        r"""(L,) of \(E[e^{-D}]\) at most \(e^{-\text{small}}\) has totals as far from zero as that, at all levels.

        What has a total of N or more is at most \(e^{-aN}\) times the bound with a tilt a > 0, and so on the other
        side. No total is less than -n.
        """
        enough = np.maximum(self.tilted + small + math.log(len(self.logs)) + 2, 1.0)
        up, down = (
            (enough[side] / np.abs(self.tilts[side])[:, None]).min(axis=0, initial=most)
            for side, most in ((self.tilts > 0, LONGEST), (self.tilts < 0, self.n + 1.0))
        )
        return np.asarray(np.ceil(np.maximum(up, down)).astype(np.int64))


def most_affinity(prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt) -> float:
    r"""An upper bound on \(E[e^{-D}]\), near zero where all releases are far; one where usual moves are not."""
    found = levels_of(prior, counts, noise, FAR)
    return 1.0 if found is None else found.affinity()


def levels_of(prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt, enough: float = 0.0) -> Levels | None:
    """None where they would be long, or, with many kinds of categories, where usual moves have no such exponent."""
    if noise.decay > MOST_DECAY:
        return None
    kinds, times = np.unique(np.stack([prior, counts]), axis=1, return_counts=True)
    order = np.argsort(kinds.sum(axis=0), kind="stable")  # those that are moved far by few records first
    prior, x, times = kinds[0, order], kinds[1, order].astype(np.int64), times[order]
    k, n, d = len(counts), int(counts.sum()), noise.decay
    log_zero = log_balanced(noise, k)
    reach = noise.reach(SMALL - log_zero + math.log(k))
    near = x <= 3 * reach
    last = most_levels(noise, k, n, x[near], times[near], SMALL - log_zero)
    width = 2 * reach + last + 2
    tilted = near.any() and len(x) * width <= LONGEST_TILTED
    usual = math.ceil(1 / d)
    up, down = (moved_gap(prior, x, move) for move in (np.minimum(n - x, usual), -np.minimum(x, usual)))
    about = float(times @ np.log1p(np.minimum(up, down))) / 2  # of a bell as wide as that
    if last > 2 * reach or width > IN_A_BLOCK or (about < enough and not tilted):
        return None
    several = IN_A_BLOCK // width

    def bounds(a: float, b: Floats) -> Floats:
        logs = np.full((last + 1, len(b)), math.log(k + 1) - log_zero)
        for first in range(0, len(x), several):
            some = slice(first, first + several)
            factors = log_factors(np.arange(last + 2), prior[some], x[some], n, noise, reach, a, b)
            logs += np.tensordot(times[some], np.maximum(factors[:, :-1], factors[:, 1:]), axes=1)
            # without a and b no factor is more than one: the first may be enough
            if a == 0 and not b.any() and logs.max() + math.log(last + 1) <= -SMALL:
                break
        return np.asarray(logs.min(axis=1)) + ROUNDED

    logs, tilts, found = bounds(0.0, np.zeros(1)), [], []
    for a in np.append(d * SHARES, STEEP).tolist() if tilted else []:
        if np.logaddexp.reduce(logs) <= -SMALL:
            break
        with_tilt = bounds(a, d * SHARES)
        logs = np.minimum(logs, with_tilt)
        if a != 0:
            tilts.append(a)
            found.append(with_tilt)
    return Levels(logs, np.array(tilts), np.array(found).reshape(len(tilts), last + 1), n)


def log_factors(
    levels: Integers,
    prior: Floats,
    x: Integers,
    n: int,
    noise: NoiseAt | GaussianNoiseAt,
    reach: int,
    a: float,
    b: Floats,
) -> Floats:
    r"""(K, L, B) upper bounds on \(\ln f_i(\tau)\) at levels 0, 1, ... of some kinds, and near them.

    Where few are missing from n, \(e^{-D}\) is at most one of those that move up.
    """
    d, log_still, weight, count = noise.decay, float(noise.log_point(0)), prior[:, None], x[:, None]
    m = np.arange(-reach - len(levels) + 1, reach + 1)
    there = (m >= 1 - count) & (m <= n - count)
    log_kept = np.where(there, a * m - moved_gap(weight, count, np.where(there, m, 0)), -np.inf)
    # of m = v - tau what lies on one side of -tau, where v = 0, does not depend on tau but for a factor
    above = np.logaddexp.accumulate((log_kept - d * m)[:, ::-1], axis=1)[:, ::-1]
    below = np.logaddexp.accumulate(log_kept + d * m, axis=1)
    still = reach + len(levels) - 1 - levels
    missing = n - x
    may_be_full = missing <= reach
    over = above[:, still + 1] - d * levels
    rise = a - d or 1e-300
    with np.errstate(divide="ignore", over="ignore"):  # at most the sum of e^((a - d)v), 0 < v <= n - x
        moved = np.log(np.expm1(rise * missing[may_be_full]) / math.expm1(rise)) + rise
    over[may_be_full] = np.minimum(over[may_be_full], moved[:, None] - a * levels)
    kept = log_still + np.logaddexp(over, below[:, still] + d * levels)
    may = np.stack([np.ones_like(may_be_full), np.ones_like(may_be_full), may_be_full], axis=1)
    circle = real_points(NearEnds(x, may, x, n, noise), b, -np.expm1(b - d), np.ones_like(b))
    left = np.maximum(n - levels, 0) - count
    with np.errstate(divide="ignore"):
        emptied = np.log(circle.emptied(levels)).transpose(1, 0, 2)
        full = np.log(circle.full(levels)).transpose(1, 0, 2)
    emptied += (-moved_gap(prior, x, -x) - a * x)[:, None, None]
    full += (a * left - moved_gap(weight, count, left))[:, :, None]
    return np.asarray(np.logaddexp(np.logaddexp(kept[:, :, None] - levels[:, None] * b, emptied), full))
