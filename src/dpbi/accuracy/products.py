r"""Sum over all candidates, \(M(\theta) = \sum_r e^{-\theta D(r)}\), for any k and n without a list of candidates.

The exponent of a candidate is \(D = \sum_i D_i(d_i)\), where \(d_i\) is the change of the count of category i and
\(D_i\) is its ``moved_gap``. The changes add up to zero, so M is a coefficient of a product,
\[ M = [z^0] \prod_i G_i(z) = \frac1N \sum_{j} \prod_i \hat G_i(2\pi j / N)
   - \text{(weight of the totals } \pm N, \pm 2N, \dots \text{)},
   \qquad G_i(z) = \sum_d g_i(d)\, z^d, \quad g_i(d) = e^{-\theta D_i(d) + \nu d}, \]
where \(\hat G_i(u) = G_i(e^{iu})\). The tilt \(\nu\) cancels; it is chosen so that the changes add up to about zero on
average if the categories are treated as independent. Everything that is left out has a proved bound relative to
\(\prod_i G_i\), where \(G_i\) stands for \(G_i(1)\). Let a be the posterior weight of the category and \(\psi\) the
digamma function:

1. *Windows.* From \(D_i'(d) \ge \frac{d}{4(a+d)}\) and \(D_i'(-e) \le -\frac{e}{4a}\) it follows that
   \(D_i(d) \ge \frac{d^2}{8(a+d)}\) and \(D_i(-e) \ge \frac{e^2}{8a}\). Therefore a geometric series bounds the weight
   beyond a window.
2. *Steps.* For a wide category the sum over d is replaced by h times the sum over every h-th d. For \(a + d \ge 1\),
   \(\operatorname{Re} D_i(d + iy) \ge D_i(d) - \frac{\kappa}{2} y^2\), where \(\kappa\) is \(\frac12 \psi'\) at the
   lower end of the window, because \(|\psi'(b + iy)| \le \psi'(b)\) and \(\operatorname{Re} \psi' \ge 0\) to the right
   of 1. Shifting the contour shows that the sum with step h differs from the integral by at most a share
   \(2 e^{-(2\pi/h - |u|)^2 / (2\theta\kappa)}\) of the integral, plus a contribution of the ends of the window.
3. *Frequencies.* By the same shift, \(|\hat G_i(u)| / G_i \le e^{-u^2/(2\theta\kappa)}\) plus the terms of items 1 and
   2. Beyond the largest frequency U that is used, the product of these bounds is summed.
4. *Totals.* Totals of N or more in absolute value have a weight of at most \(\prod_i G_i(e^{\pm\mu}) e^{-\mu N}\) on
   either side, for any \(\mu > 0\).

If no category is wide and all windows are short, positive numbers are convolved instead. The dataset itself is then
left out of the sum, so \(M - 1\) keeps its digits however small it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma

from ..checks import Floats, Integers
from ..model.distances import moved_gap

# Negative logarithm of the share of the sum that is left out: about e^-40 = 4e-18, which is below rounding.
NEG_LOG_TAIL = 40.0

# Short windows are convolved if this takes at most this many multiplications, a third of a millisecond (measured);
# otherwise a Fourier transform is used.
MAX_CONVOLUTION_WORK = 3_000_000

# Relative error of the exponents D_i: ``gamma_gap`` is tested to this accuracy.
EXPONENT_ERROR = 1e-14

# Relative rounding error of each factor of a product: two units in the last place.
ROUNDING = 4e-16

# A step is at most a hundredth of the lower end of a window. Therefore the curvature at .98 of that end is a bound that
# also covers a whole step outside the window.
LONGEST_STEP_SHARE, CURVATURE_END = 0.01, 0.98

# Largest length (chosen) at which a window truncated by the other counts is summed change by change.
LONGEST_CLIPPED_WINDOW = 20_000

# Replaces slopes that are not positive: the bound on the weight beyond the window is then nearly infinite, and the
# window is not used.
TINY_SLOPE = 1e-300


class Kinds(NamedTuple):
    """Distinct pairs of prior weight and count, with the number of categories that have each pair."""

    prior: Floats  # (K,)
    counts: Integers  # (K,)
    multiplicity: Integers  # (K,)
    n: int  # total number of records
    least: float  # the smallest exponent of a candidate that is not the dataset itself

    @property
    def a(self) -> Floats:
        """Posterior weights, one for each kind of category."""
        return self.prior + self.counts


class Logarithm(NamedTuple):
    """The logarithm of a positive number, and a bound on the relative error of the number."""

    value: float
    error: float


def kinds_of(prior: Floats, counts: Integers) -> Kinds:
    """Kinds of categories of a dataset: the distinct pairs of prior weight and count.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset, shape (k,).

    Returns:
        The distinct kinds of categories, each with its multiplicity.
    """
    pairs, multiplicity = np.unique(np.stack([prior, counts.astype(np.float64)]), axis=1, return_counts=True)
    whole = pairs[1].astype(np.int64)
    return Kinds(pairs[0], whole, multiplicity, int(counts.sum()), _least_exponent(pairs[0], whole, multiplicity))


def _least_exponent(prior: Floats, counts: Integers, multiplicity: Integers) -> float:
    """Smallest exponent of a candidate other than the dataset itself, which is attained by moving a single record."""
    up, room = moved_gap(prior, counts, 1), counts > 0
    down = np.where(room, moved_gap(prior, counts, np.where(room, -1, 0)), np.inf)
    first = np.argsort(up)[:2]
    best = np.inf
    for i in first:  # the record joins the cheapest category, or the second cheapest if it comes from the cheapest
        others = np.where((np.arange(len(counts)) == i) & (multiplicity == 1), np.inf, down)
        best = min(best, float(up[i] + others.min()))
    return best


def log_others(kinds: Kinds, theta: float) -> Logarithm:
    r"""Logarithm \(\ln(M(\theta) - 1)\) of the sum over all candidates but the dataset itself.

    Args:
        kinds: The kinds of categories of a dataset.
        theta: The rate \(\theta\) of the weight \(e^{-\theta D}\).

    Returns:
        The logarithm with an error bound.
    """
    q = kinds.multiplicity
    # the windows leave out at most a share e^-s; s exceeds this value, because the product is larger than the sum
    enough = NEG_LOG_TAIL + theta * kinds.least + math.log(int(q.sum()))
    deviation = math.sqrt(float(q @ np.minimum(4 * kinds.a / theta, kinds.a**2 + 100)))
    s, tilt = enough + math.log(2.5 * deviation + 1) + 1, 0.0
    for _ in range(40):  # windows grow until the weight that they leave out is small enough
        windows = _windows(kinds, theta, tilt, s)
        table = _table(kinds, windows, theta, tilt)
        mean, variance = float(q @ table.mean), float(q @ table.variance)
        room = math.log(2.5 * math.sqrt(variance) + 1)  # logarithm of the approximate ratio of product to sum
        balanced = mean * mean <= 0.25 * variance + 1e-9
        width = windows.down + windows.up + 1.0
        work = float((q @ width) * width.max() * int(q.sum()) / 2)  # approximate number of multiplications
        convolved = np.isinf(windows.spread).all() and work <= MAX_CONVOLUTION_WORK  # possible at any tilt
        if s >= enough + room and (balanced or convolved):
            break
        s = max(s, enough + room + 2)
        if not balanced:  # a step of Newton's method
            tilt -= mean / (variance + mean * mean / 9 + 1e-300)
    found = _convolved(q, windows, table) if convolved else _transformed(q, windows, table, s)
    return Logarithm(found.value, found.error + ROUNDING * abs(found.value))


class Windows(NamedTuple):
    """Window of changes for each kind of category, with the step and a bound on the weight outside the window."""

    down: Integers  # (K,) largest number of records that a category loses
    up: Integers
    left_out: Floats  # (K,) bound on the weight outside the window
    step: Integers  # (K,)
    spread: Floats  # (K,) theta kappa, or infinity for a category that is summed change by change


class Table(NamedTuple):
    """The weights of all kinds of categories at the changes of their windows."""

    changes: Integers  # (K, P)
    weights: Floats  # (K, P), zero where there is no change
    scale: Floats  # (K,) logarithm of the weight that is 1 in the table
    total: Floats  # (K,) the step times the sum of the weights
    mean: Floats
    variance: Floats
    exponent: Floats  # (K,) mean of theta D_i
    left_out: Floats  # (K,) relative to the total
    ends: Floats  # (K,) weight at both ends, relative to the total


def _windows(kinds: Kinds, theta: float, tilt: float, s: float) -> Windows:
    """Windows of changes outside which the weight is about e^-s, and the steps within the windows."""
    down, up, left_out, inside = _reach(kinds, theta, tilt, s)
    lowest = kinds.a - down - 1
    inside &= lowest >= 2
    spread = theta * np.where(inside, polygamma(1, np.where(inside, lowest * CURVATURE_END, 1.0)) / 2, 1.0)
    wide, step = inside, np.ones(len(kinds.a))
    for _ in range(3):
        if not wide.any():
            break
        frequency = min(math.pi, math.sqrt(2 * s / float((kinds.multiplicity / spread)[wide].sum())))
        step = np.floor(2 * math.pi / (frequency + np.sqrt(2 * spread * s)))
        step = np.minimum(step, np.floor(LONGEST_STEP_SHARE * lowest))
        wide = inside & (step >= 2)
    steps = np.where(wide, step, 1).astype(np.int64)
    return Windows(down.astype(np.int64), up.astype(np.int64), left_out, steps, np.where(wide, spread, np.inf))


def _reach(kinds: Kinds, theta: float, tilt: float, s: float) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Largest loss and gain of each category, the weight beyond them, and whether counts truncate neither of them."""
    a, c, q = kinds.a, kinds.counts, kinds.multiplicity
    # the ends solve theta e^2 / (8a) + tilt e = s and theta d^2 / (8 (a + d)) - tilt d = s
    down = (-tilt + np.sqrt(tilt * tilt + theta * s / (2 * a))) * 4 * a / theta
    x2, x1 = theta * a / 8 - tilt * a, tilt * a + s
    with np.errstate(invalid="ignore", divide="ignore"):
        up = np.where(x2 > 0, a * (x1 + np.sqrt(np.maximum(x1 * x1 + 4 * x2 * s, 0))) / (2 * x2), np.inf)
    down, up = np.ceil(down) + 1, np.ceil(np.minimum(up, kinds.n)) + 1
    bounded_below, bounded_above = down >= c, up >= kinds.n - c
    below = np.where(bounded_below, 0.0, math.exp(-s) / np.maximum(theta * down / (4 * a) + tilt, TINY_SLOPE))
    above = np.where(bounded_above, 0.0, math.exp(-s) / np.maximum(theta * up / (4 * (a + up)) - tilt, TINY_SLOPE))
    down, up = np.minimum(down, c), np.minimum(up, kinds.n - c)
    # a count cannot change by more than all other counts together can compensate
    least_down, least_up = np.minimum(down, q @ up - up), np.minimum(up, q @ down - down)
    length = least_down + least_up
    clipped = (length < (down + up) / 2) & (length <= LONGEST_CLIPPED_WINDOW)
    down, up = np.where(clipped, least_down, down), np.where(clipped, least_up, up)
    return down, up, below + above, ~clipped & ~bounded_below & ~bounded_above


def _table(kinds: Kinds, windows: Windows, theta: float, tilt: float) -> Table:
    """Tabulates the weights of all kinds of categories at the changes of their windows."""
    h = windows.step
    first, last = -(windows.down // h), windows.up // h
    places = first[:, None] + np.arange(int((last - first).max()) + 1)
    there = places <= last[:, None]
    changes = np.where(there, places, 0) * h[:, None]
    exponents = theta * moved_gap(kinds.prior[:, None], kinds.counts[:, None], changes)
    logs = np.where(there, tilt * changes - exponents, -np.inf)
    scale = logs.max(axis=1)
    weights = np.exp(logs - scale[:, None])
    sums = weights.sum(axis=1)
    mean = (weights * changes).sum(axis=1) / sums
    variance = (weights * (changes - mean[:, None]) ** 2).sum(axis=1) / sums
    exponent = (weights * exponents).sum(axis=1) / sums
    total = h * sums
    ends = (weights[:, 0] + weights[np.arange(len(h)), last - first]) / total
    left_out = windows.left_out * np.exp(-scale) / total
    return Table(changes, weights, scale, total, mean, variance, exponent, left_out, ends)


def _relative(q: Integers, table: Table) -> float:
    """Bound on the relative rounding error of the product of all factors."""
    return float(q @ (EXPONENT_ERROR * (1 + table.exponent) + ROUNDING))


def _convolved(q: Integers, windows: Windows, table: Table) -> Logarithm:
    """Coefficient of the product by convolution of positive numbers, without the term of the dataset itself."""
    others, zero = np.zeros(1), 0
    logs = float(table.scale @ q)
    alone = 1.0  # weight of the term in which no count has changed so far
    for i, still in enumerate(windows.down.tolist()):
        length = still + int(windows.up[i]) + 1
        factor = table.weights[i, :length]
        moved = np.where(np.arange(length) == still, 0.0, factor)
        # ``others`` has the terms in which some count has changed, and index ``zero`` belongs to the total 0
        for _ in range(int(q[i])):
            others = np.convolve(others, factor)
            others[zero : zero + length] += alone * moved
            alone *= factor[still]
            zero += still
    left_out = math.exp(float(np.log(table.total) @ q)) * float(q @ table.left_out)
    if others[zero] <= left_out:
        return Logarithm(math.log(max(left_out, 1e-300)) + logs, math.inf)
    return Logarithm(math.log(others[zero]) + logs, _relative(q, table) + left_out / others[zero])


def _transformed(q: Integers, windows: Windows, table: Table, s: float) -> Logarithm:
    """Coefficient of the product by a sum over low frequencies, or over all of them if no category is wide."""
    spread, h = windows.spread, windows.step
    N, wrapped = _ring(q, windows, table, s)
    U = min(math.pi, math.sqrt(2 * s / max(float((q / spread).sum()), 1e-300)))
    J = min(math.ceil(U * N / (2 * math.pi)), N // 2)
    u = 2 * math.pi / N * np.arange(J + 1)
    weights = table.weights * (h / table.total)[:, None]
    if J == N // 2:  # all frequencies
        product = np.ones(J + 1, dtype=np.complex128)
        for changes, row, times in zip(table.changes % N, weights, q, strict=True):
            product *= np.fft.rfft(np.bincount(changes, row, N)) ** int(times)
    else:  # Horner's rule for all kinds at once, from the highest change to the lowest
        z, found = np.exp(1j * h[:, None] * u), np.zeros((len(q), J + 1), dtype=np.complex128)
        for column in weights.T[::-1]:
            found *= z
            found += column[:, None]
        product = np.prod((found * np.exp(1j * table.changes[:, :1] * u)) ** q[:, None], axis=0)
    twice = 2.0 - (np.arange(J + 1) % max(N / 2, 1) == 0)  # all frequencies but 0 and pi occur with both signs
    value, around = float(twice @ product.real) / N, float(twice @ np.abs(product)) / N
    # the error of each wide factor at the frequencies that are used: a factor 2 for each of the sums with step h and
    # step 1, doubled because both are relative to the integral
    gap = 2 * math.pi / h - U
    steps = 4 * np.exp(-gap * gap / (2 * spread)) + 4 * np.exp(-((2 * math.pi - U) ** 2) / (2 * spread))
    steps = np.where(np.isinf(spread), 0.0, steps + table.ends * h * 4 / gap + table.left_out)
    lost = (2 * J + 1) / N * math.expm1(float(q @ steps)) + wrapped + float(q @ table.left_out)
    lost += _beyond(q, windows, table, steps, 2 * math.pi * J / N) if 2 * J < N - 1 else 0.0
    lost += around * (_relative(q, table) + ROUNDING * (20 + math.sqrt(table.weights.shape[1])))
    # the dataset itself is left out; if the rest is lost in the error, value + lost is an upper bound on the rest, with
    # an infinite relative error
    logs = float(q @ (np.log(table.total) + table.scale))
    rest = value - (math.exp(-logs) if logs < 700 else 0.0)
    if rest <= lost:
        return Logarithm(logs + math.log(max(value + lost, 1e-300)), math.inf)
    return Logarithm(logs + math.log(rest), lost / rest)


def _beyond(q: Integers, windows: Windows, table: Table, steps: Floats, start: float) -> float:
    r"""Upper bound on \(\frac1\pi \int \prod_i |\hat G_i(u)| / G_i\, du\) from ``start`` to \(\pi\)."""
    u, spread = np.geomspace(start, math.pi, 100)[:, None], windows.spread
    rest = 2 * table.ends * windows.step * (2 / u + 2 / math.pi) + table.left_out
    normal = np.exp(-u * u / (2 * spread)) + 4 * np.exp(-((2 * math.pi - u) ** 2) / (2 * spread))
    product = np.exp(np.log(np.minimum((1 + 2 * steps) * normal + rest, 1.0)) @ q)
    return float(np.diff(u[:, 0]) @ product[:-1]) / math.pi


def _ring(q: Integers, windows: Windows, table: Table, s: float) -> tuple[int, float]:
    r"""Length N such that totals of absolute value N or more have a weight of at most \(2 e^{-s}\), and this bound."""
    # any mu > 0 gives a bound; this one is the best if the total is normal
    mu = math.sqrt(2 * s / (float(q @ table.variance) + 1e-9))
    longest, rows, last = 1, np.arange(len(q)), (table.weights > 0).sum(axis=1) - 1
    for sign in (-mu, mu):
        exponents = np.where(table.weights > 0, sign * table.changes, -np.inf)
        top = exponents.max(axis=1)
        tilted = table.weights * np.exp(exponents - top[:, None])
        sums = (tilted.sum(axis=1) + tilted[:, 0] + tilted[rows, last]) * windows.step
        logs = float(q @ (np.log(sums / table.total) + top))
        longest = max(longest, math.ceil((logs + s) / mu))
    # no total is larger than the sum of the largest changes
    most = int(q @ np.abs(table.changes).max(axis=1))
    return (most + 1, 0.0) if most < longest else (longest, 2 * math.exp(-s))
