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
    windows, tables, s = _balanced_tables(kinds, theta, NEG_LOG_TAIL + theta * kinds.least)
    if windows.wide.any():
        found = _integrated(tables[0], tables[1], s)
    elif _work(windows, kinds) <= MAX_CONVOLUTION_WORK:
        found = _convolved(tables[1], windows)
    else:
        found = _transformed(tables[1], s)
    return Logarithm(found.value, found.error + ROUNDING * abs(found.value))


def _balanced_tables(kinds: Kinds, theta: float, least: float) -> tuple[Windows, list[Table], float]:
    r"""Windows and tables whose changes add up to about zero, and the exponent s of the omitted weight \(e^{-s}\).

    The windows leave out at most a share e^-least of the sum. The exponent s exceeds ``least``, because the product is
    larger than the sum. Newton's method finds the tilt.
    """
    enough = least + math.log(int(kinds.multiplicity.sum()))
    deviation = math.sqrt(float(kinds.multiplicity @ np.minimum(4 * kinds.a / theta, kinds.a**2 + 100)))
    s, tilt = enough + math.log(2.5 * deviation + 1) + 1, 0.0
    for _ in range(40):  # windows grow until the weight that they leave out is small enough
        windows = _windows(kinds, theta, tilt, s)
        tables = [_table(kinds, windows, part, theta, tilt) for part in (windows.wide, ~windows.wide)]
        mean = sum(float(table.multiplicity @ table.mean) for table in tables)
        variance = sum(float(table.multiplicity @ table.variance) for table in tables)
        room = math.log(2.5 * math.sqrt(variance) + 1)  # logarithm of the approximate ratio of product to sum
        balanced = mean * mean <= 0.25 * variance + 1e-9
        convolved = not windows.wide.any() and _work(windows, kinds) <= MAX_CONVOLUTION_WORK  # possible at any tilt
        if s >= enough + room and (balanced or convolved):
            break
        s = max(s, enough + room + 2)
        if not balanced:
            tilt -= mean / (variance + mean * mean / 9 + 1e-300)
    return windows, tables, s


class Windows(NamedTuple):
    """Window of changes for each kind of category, with the step and a bound on the weight outside the window."""

    down: Integers  # (K,) largest number of records that a category loses
    up: Integers
    left_out: Floats  # (K,) bound on the weight outside the window
    step: Integers  # (K,)
    kappa: Floats  # (K,)
    wide: NDArray[np.bool_]


class Table(NamedTuple):
    """The weights of some kinds of categories at the changes of their windows."""

    changes: Integers  # (K, P)
    weights: Floats  # (K, P), zero where there is no change
    scale: Floats  # (K,) logarithm of the weight that is 1 in the table
    total: Floats  # (K,) the step times the sum of the weights
    mean: Floats
    variance: Floats
    exponent: Floats  # (K,) mean of theta D_i
    multiplicity: Integers
    step: Integers
    left_out: Floats  # (K,) relative to the total
    ends: Floats  # (K,) weight at both ends, relative to the total
    spread: Floats  # (K,) theta kappa


def _windows(kinds: Kinds, theta: float, tilt: float, s: float) -> Windows:
    """Windows of changes outside which the weight is about e^-s, and the steps within the windows."""
    down, up, left_out, inside = _reach(kinds, theta, tilt, s)
    lowest = kinds.a - down - 1
    inside &= lowest >= 2
    kappa = np.where(inside, polygamma(1, np.where(inside, lowest * CURVATURE_END, 1.0)) / 2, 1.0)
    wide, step = inside, np.ones(len(kinds.a))
    for _ in range(3):
        if not wide.any():
            break
        frequency = min(math.pi, math.sqrt(2 * s / float((kinds.multiplicity / (theta * kappa))[wide].sum())))
        step = np.floor(2 * math.pi / (frequency + np.sqrt(2 * theta * kappa * s)))
        step = np.minimum(step, np.floor(LONGEST_STEP_SHARE * lowest))
        wide = inside & (step >= 2)
    steps = np.where(wide, step, 1).astype(np.int64)
    return Windows(down.astype(np.int64), up.astype(np.int64), left_out, steps, kappa, wide)


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


def _table(kinds: Kinds, windows: Windows, part: NDArray[np.bool_], theta: float, tilt: float) -> Table:
    """Tabulates the weights of some kinds of categories at the changes of their windows."""
    a, h = kinds.a[part], windows.step[part]
    first, last = -(windows.down[part] // h), windows.up[part] // h
    length = int((last - first).max(initial=0)) + 1
    places = first[:, None] + np.arange(length)
    there = places <= last[:, None]
    changes = np.where(there, places, 0) * h[:, None]
    exponents = theta * moved_gap(kinds.prior[part, None], kinds.counts[part, None], changes)
    logs = np.where(there, tilt * changes - exponents, -np.inf)
    scale = logs.max(axis=1, initial=0.0)
    weights = np.exp(logs - scale[:, None])
    sums = weights.sum(axis=1)
    mean = (weights * changes).sum(axis=1) / sums
    variance = (weights * (changes - mean[:, None]) ** 2).sum(axis=1) / sums
    rows = np.arange(len(a))
    ends = (weights[:, 0] + weights[rows, last - first]) / (h * sums) if len(a) else sums
    return Table(
        changes,
        weights,
        scale,
        h * sums,
        mean,
        variance,
        (weights * exponents).sum(axis=1) / sums,
        kinds.multiplicity[part],
        h,
        windows.left_out[part] * np.exp(-scale) / (h * sums),
        ends,
        theta * windows.kappa[part],
    )


def _work(windows: Windows, kinds: Kinds) -> float:
    """Approximate number of multiplications in a convolution of all windows."""
    width = windows.down + windows.up + 1
    return float((kinds.multiplicity @ width) * width.max() * int(kinds.multiplicity.sum()) / 2)


def _relative(table: Table) -> float:
    """Bound on the relative rounding error of the product of all factors."""
    return float(table.multiplicity @ (EXPONENT_ERROR * (1 + table.exponent) + ROUNDING))


def _convolved(table: Table, windows: Windows) -> Logarithm:
    """Coefficient of the product by convolution of positive numbers, without the term of the dataset itself."""
    others, zero = np.zeros(1), 0
    logs = table.scale @ table.multiplicity
    alone = 1.0  # weight of the term in which no count has changed so far
    for i in range(len(table.scale)):
        length = int(windows.down[i] + windows.up[i]) + 1
        factor, still = table.weights[i, :length], int(windows.down[i])
        moved = np.where(np.arange(length) == still, 0.0, factor)
        # ``others`` has the terms in which some count has changed, and index ``zero`` belongs to the total 0
        for _ in range(int(table.multiplicity[i])):
            others = np.convolve(others, factor)
            others[zero : zero + length] += alone * moved
            alone *= factor[still]
            zero += still
    left_out = math.exp(float(np.log(table.total) @ table.multiplicity)) * float(table.multiplicity @ table.left_out)
    if others[zero] <= left_out:
        return Logarithm(math.log(max(left_out, 1e-300)) + float(logs), math.inf)
    return Logarithm(math.log(others[zero]) + float(logs), _relative(table) + left_out / others[zero])


def _transformed(table: Table, s: float) -> Logarithm:
    """Coefficient of the product by a Fourier transform at all frequencies, for short windows."""
    N, wrapped = _ring([table], s)
    N = 1 << (N - 1).bit_length()
    product = np.ones(N // 2 + 1, dtype=np.complex128)
    for i in range(len(table.scale)):
        row = np.zeros(N)
        np.add.at(row, table.changes[i] % N, table.weights[i] / table.total[i])
        product *= np.fft.rfft(row) ** int(table.multiplicity[i])
    sizes = np.abs(product)
    value = (product[0].real + 2 * product[1:-1].real.sum() + product[-1].real) / N
    around = (sizes[0] + 2 * sizes[1:-1].sum() + sizes[-1]) / N
    lost = wrapped + float(table.multiplicity @ table.left_out) + around * (_relative(table) + ROUNDING * 20)
    return _without_dataset(value, lost, table)


def _integrated(wide: Table, narrow: Table, s: float) -> Logarithm:
    """Coefficient of the product by a sum over low frequencies, if some category has a wide window."""
    tables = [wide, narrow]
    q = wide.multiplicity
    spread = wide.spread
    U = min(math.pi, math.sqrt(2 * s / float((q / spread).sum())))
    N, wrapped = _ring(tables, s)
    J = min(math.ceil(U * N / (2 * math.pi)), N // 2)
    u = 2 * math.pi / N * np.arange(J + 1)
    # Horner's rule for all wide kinds at once, from the highest change to the lowest
    z = np.exp(1j * wide.step[:, None] * u)
    found = np.zeros((len(q), J + 1), dtype=np.complex128)
    for column in range(wide.weights.shape[1] - 1, -1, -1):
        found *= z
        found += wide.weights[:, column, None]
    found *= np.exp(1j * wide.changes[:, :1] * u) * (wide.step / wide.total)[:, None]
    product = np.prod(found ** q[:, None], axis=0)
    if len(narrow.scale):
        low, high = int(narrow.changes.min()), int(narrow.changes.max())
        rows = np.zeros((len(narrow.scale), high - low + 1))
        np.add.at(rows, (np.arange(len(rows))[:, None], narrow.changes - low), narrow.weights / narrow.total[:, None])
        product *= np.prod(
            (rows @ np.exp(1j * np.arange(low, high + 1)[:, None] * u)) ** narrow.multiplicity[:, None], 0
        )
    doubled = np.full(J + 1, 2.0)
    doubled[0] = 1.0
    if 2 * J == N:
        doubled[J] = 1.0
    value, around = float(doubled @ product.real) / N, float(doubled @ np.abs(product)) / N
    # the error of each factor at the frequencies that are used: a factor 2 for each of the sums with step h and step 1,
    # doubled because both are relative to the integral
    gap = 2 * math.pi / wide.step - U
    steps = 4 * np.exp(-gap * gap / (2 * spread)) + 4 * np.exp(-((2 * math.pi - U) ** 2) / (2 * spread))
    steps += wide.ends * wide.step * 4 / gap + wide.left_out
    lost = (2 * J + 1) / N * math.expm1(float(q @ steps))
    lost += _beyond(wide, spread, steps, 2 * math.pi * J / N) if 2 * J < N - 1 else 0.0
    lost += wrapped + sum(float(table.multiplicity @ table.left_out) for table in tables)
    lost += around * (sum(_relative(table) for table in tables) + ROUNDING * math.sqrt(wide.weights.shape[1]))
    return _without_dataset(value, lost, *tables)


def _beyond(wide: Table, spread: Floats, steps: Floats, start: float) -> float:
    r"""Upper bound on \(\frac1\pi \int \prod_i |\hat G_i(u)| / G_i\, du\) from ``start`` to \(\pi\)."""
    u = np.geomspace(start, math.pi, 100)[:, None]
    rest = 2 * wide.ends * wide.step * (2 / u + 2 / math.pi) + wide.left_out
    bounds = (1 + 2 * steps) * (
        np.exp(-u * u / (2 * spread)) + 4 * np.exp(-((2 * math.pi - u) ** 2) / (2 * spread))
    ) + rest
    product = np.exp(np.log(np.minimum(bounds, 1.0)) @ wide.multiplicity)
    return float(np.diff(u[:, 0]) @ product[:-1]) / math.pi


def _ring(tables: list[Table], s: float) -> tuple[int, float]:
    r"""Length N such that totals of absolute value N or more have a weight of at most \(2 e^{-s}\), and this bound."""
    variance = sum(float(table.multiplicity @ table.variance) for table in tables)
    # any mu > 0 gives a bound; this one is the best if the total is normal
    mu = math.sqrt(2 * s / (variance + 1e-9))
    longest = 1
    for sign in (-mu, mu):
        logs = 0.0
        for table in tables:
            exponents = np.where(table.weights > 0, sign * table.changes, -np.inf)
            top = exponents.max(axis=1, initial=0.0)
            tilted = table.weights * np.exp(exponents - top[:, None])
            rows = np.arange(len(top))
            ends = tilted[:, 0] + tilted[rows, (table.weights > 0).sum(axis=1) - 1] if len(top) else top
            sums = (tilted.sum(axis=1) + ends) * table.step
            logs += float(table.multiplicity @ (np.log(sums / table.total) + top))
        longest = max(longest, math.ceil((logs + s) / mu))
    # no total is larger than the sum of the largest changes
    most = sum(float(table.multiplicity @ np.abs(table.changes).max(axis=1, initial=0)) for table in tables)
    return (int(most) + 1, 0.0) if most < longest else (longest, 2 * math.exp(-s))


def _without_dataset(value: float, lost: float, *tables: Table) -> Logarithm:
    """Logarithm of the sum over all candidates but the dataset itself, from the coefficient of the product."""
    logs = sum(float(table.multiplicity @ (np.log(table.total) + table.scale)) for table in tables)
    itself = math.exp(-logs) if logs < 700 else 0.0
    rest = value - itself
    # if the rest is lost in the error, value + lost is an upper bound on the rest, with an infinite relative error
    if rest <= lost:
        return Logarithm(logs + math.log(max(value + lost, 1e-300)), math.inf)
    return Logarithm(logs + math.log(rest), lost / rest)
