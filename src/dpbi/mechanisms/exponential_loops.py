r"""The loops behind ``exponential_draws``: a table of pieces, and proposals from it, on single numbers.

They run as they stand, and are compiled when a call is worth the wait: the draws are the same. All that is compiled is
in this file, because a compiled loop is kept on disk until the file it stands in changes.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..model.distances import STIRLING_FROM, _stirling_excess

_excess: Any = _stirling_excess  # of numbers as well as arrays

SMOOTH = 64
"""Counts are taken one by one where the posterior weight stays below this: the slope's series starts here."""


class Envelope(NamedTuple):
    """A mixture that dominates the wanted weights: component 0 is uniform, 1 uniform and outside the shells."""

    rate: float
    last: int  # the category with the largest weight
    kind: Integers  # (k,) which table a category has
    share: Floats  # (2 + S,) cumulated masses of the components
    shells: Floats  # (2 + S, 10) from D', below D'', alpha, theta, nu, and of taking back: kappa, z, grain, v, slack
    start: Integers  # (S, K + 1) where the pieces of each kind begin
    pieces: Floats  # (P, 8) see ``tabulate``
    taken: Floats  # (S, k) cumulated shares of the categories in what is taken back
    stiffness: Floats  # (S, K) the second derivative of each kind that has a share in it, else 0
    ladder: Floats  # (S, J) ln h by grains of distance from z


@lru_cache(maxsize=1)
def compiled() -> tuple[Callable[..., Any], ...]:
    """``tabulate`` and ``propose`` compiled; numba itself is imported here, for that takes longer than many a call."""
    import numba

    formulas = (_excess, single_gap, _remainder, single_slope, log_rest)
    table = (_fill_kind, _width, _tangent, _index_masses)
    draws = (_uniform_beyond, _uniform, _below, _step, _inverted, _find, _take_back, _log_rounding)
    for part in (*formulas, *table, *draws):
        numba.extending.register_jitable(part)
    return tuple(numba.njit(cache=True)(loop) for loop in (tabulate, propose))


# The table


def tabulate(
    pieces: Floats, start: Integers, kinds: Floats, n: int, theta: float, nu: float, fineness: float, reach: float
) -> int:
    r"""Pieces above \(e^{-\theta(D_i(d) - \nu d)}\) for every kind of category, and their number.

    A row holds the first move, the direction, the width, the exponent's line (its value at the first move and its
    growth per step), the relative growth of the weight over the width, the cumulated mass, and where to start a search.
    Returns 0 if the table is too short, -1 if a weight is too large for a double.

    For \(b = a + d\), \(m = a + d/2\), the slope in d is \(D' = \frac12[\psi(b) - \psi(m)]\), and with
    \(\psi'(b) = \frac14[\psi'(\frac b2) + \psi'(\frac b2 + \frac12)] \ge \frac12\psi'(\frac b2 + \frac14)\)
    \[ D'' = \tfrac12\psi'(b) - \tfrac14\psi'(m) \ge 0 \quad\text{if } a \ge \tfrac12 , \]
    so that tangents lie below. Otherwise the category is empty, \(d \ge 0\), and still
    \(D'' \ge \frac18[\psi'(\frac b2 + \frac12) - \psi'(\frac b2)] \ge -\frac1{4b^2}(1 + \frac2b + \frac2{b^2})\); its
    integral from the point of contact lowers the slope by \(\frac1{4b}(1 + \frac2b + \frac2{b^2})\).
    """
    count = 0
    for j in range(len(kinds)):
        start[j] = count
        count = _fill_kind(pieces, count, kinds[j, 0], kinds[j, 1], n, theta, nu, fineness, reach)
        if count <= 0:
            return count
        _index_masses(pieces, start[j], count)
    start[len(kinds)] = count
    return count


def _fill_kind(
    pieces: Floats, count: int, a: float, c: float, n: int, theta: float, nu: float, fineness: float, reach: float
) -> int:
    """Append the pieces of one kind of category, no move first, then up, then down; what ``tabulate`` returns."""
    total = 0.0
    for side in (0, 1, -1):
        farthest = 0.0 if side == 0 else (n - c if side > 0 else c)
        step = 0.0 if side == 0 else 1.0
        least = 0.0
        while step <= farthest:
            if count == len(pieces):
                return 0
            d = side * step
            value = single_gap(a, d) - nu * d
            least = min(least, value)
            width, slope = 1.0, 0.0
            if side != 0 and a + d >= SMOOTH:
                tail = theta * (value - least) > reach
                left = farthest - step + 1
                width = left if tail else min(_width(a, a + d, theta, fineness), left)
                if width > 1:
                    middle = 0.0 if tail or a < 0.5 else math.floor(width / 2)
                    value, slope = _tangent(a, d, side, middle, nu)
            if max(-theta * value, -theta * slope * width) > 700:
                return -1
            span = math.expm1(-theta * slope * width)
            mass = math.exp(-theta * value)
            if width > 1:
                mass *= span / math.expm1(-theta * slope)
            total += mass
            pieces[count, 0] = d
            pieces[count, 1] = side
            pieces[count, 2] = width
            pieces[count, 3] = value
            pieces[count, 4] = slope
            pieces[count, 5] = span
            pieces[count, 6] = total
            count += 1
            step += width
            if side == 0:
                break
    return count


def _width(a: float, b: float, theta: float, fineness: float) -> float:
    """How many counts from b on a tangent serves."""
    # D'' is near a / (b (a + b)) / 2
    wanted = fineness * math.sqrt(2 * b * (a + b) / (max(a, 0.5) * theta))
    return float(math.floor(min(wanted, b / 4))) if wanted >= 4 else 1.0  # single counts cost no more in a draw


def _tangent(a: float, d: float, side: int, middle: float, nu: float) -> tuple[float, float]:
    """The line below the exponent from the move d on, in contact so many steps farther: its value at d, its growth."""
    at = d + side * middle
    slope = side * (single_slope(a, at) - nu)
    value = single_gap(a, at) - nu * at - slope * middle
    if a < 0.5:
        b = a + d
        slope -= (1 + 2 / b + 2 / (b * b)) / (4 * b)
    if abs(slope) < 1e-300:
        slope = 1e-300
    return value, slope


def _index_masses(pieces: Floats, first: int, end: int) -> None:
    """The search for a share j / C of the mass of C pieces starts at the entry that holds it."""
    size, entry, total = end - first, first, pieces[end - 1, 6]
    for i in range(size):
        while entry < end - 1 and pieces[entry, 6] * size <= i * total:
            entry += 1
        pieces[first + i, 7] = entry - first


# Draws


def propose(
    drawn: Integers, rng: np.random.Generator, a: Floats, counts: Integers, envelope: Envelope, patience: int
) -> int:
    """Fill the rows by rejection; the number of rows filled before patience ends.

    A proposal moves every category in one function: to hand on arrays takes as long as a move does. What the moves add
    up to is taken back then, and the letters are those of ``exponential_draws``.
    """
    rate, last, kind, share, shells, start, pieces, taken, stiffness, ladder = envelope
    k, n = len(counts), counts.sum()
    cell, back = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
    jump, free = np.zeros(k), np.zeros(k)
    for row in range(len(drawn)):
        r = drawn[row]
        while True:
            patience -= k
            if patience < 0:
                return row
            part = _find(share, rng.random() * share[-1])
            if part == 0:
                _uniform(r, n, rng)
                break
            if part == 1:
                if _uniform_beyond(r, rng, a, counts, n, rate, shells):
                    break
                continue
            low, high, alpha, theta = shells[part, 0], shells[part, 1], shells[part, 2], shells[part, 3]
            nu, kappa, z, grain = shells[part, 4], shells[part, 5], shells[part, 6], shells[part, 7]
            v, slack = shells[part, 8], shells[part, 9]
            starts, stiff = start[part - 2], stiffness[part - 2]
            shared = kappa > 0
            total = wide = 0
            for i in range(k):
                if i == last and not shared:
                    cell[i], r[i] = starts[kind[i]], counts[i]
                    continue
                at, end = starts[kind[i]], starts[kind[i] + 1]
                if end - at > 1:
                    u = rng.random()
                    at += int(pieces[at + int(u * (end - at)), 7])
                    u *= pieces[end - 1, 6]
                    while pieces[at, 6] <= u and at < end - 1:
                        at += 1
                d = pieces[at, 0]
                if pieces[at, 2] > 1:
                    d += pieces[at, 1] * _step(pieces[at, 2], theta * pieces[at, 4], pieces[at, 5], rng)
                cell[i] = at
                r[i] = counts[i] + int(d)
                total += int(d)
                if shared and stiff[kind[i]] > 0:
                    wide += int(d)
            rung, fraction = math.ceil(abs(wide - z) / grain), 0.0
            if rung >= ladder.shape[1]:
                continue
            if shared:
                fraction = rng.random()
                if not _take_back(r, back, jump, taken[part - 2], total, fraction):
                    continue
            else:  # the last category takes all
                r[last] -= total
                if r[last] < 0:
                    continue
            log_u = math.log1p(-rng.random())
            narrow = float(total - wide)
            expected = theta * (kappa / 2 * (wide - narrow) * (wide + narrow) + v)
            log_ratio = ladder[part - 2, rung] - theta * nu * total + expected + slack
            D = changed = 0.0
            seen = 0
            while seen < k and log_u < log_ratio and high > D:
                i = last + seen
                if i >= k:
                    i -= k
                at = cell[i]
                d = r[i] - counts[i]
                s = back[i] if shared else total if i == last else 0
                if s != 0 or pieces[at, 2] != 1:
                    gap = single_gap(a[i], d)
                    e = d + s  # as it was proposed
                    line = pieces[at, 3] + pieces[at, 4] * abs(e - pieces[at, 0])
                    log_ratio -= theta * (gap - nu * e - line)
                    if shared:
                        change = theta * stiff[kind[i]] * s * (0.5 * d + 0.5 * e)
                        log_ratio -= change
                        changed += change
                else:
                    gap = pieces[at, 3] + nu * d
                D += gap
                seen += 1
            if seen == k and low <= D < high:
                log_ratio += log_rest(D, rate) - (alpha - theta * D) - slack
                if log_u < log_ratio and shared:
                    for i in range(k):
                        free[i] = r[i] - counts[i] + back[i]
                    log_ratio += changed - expected - _log_rounding(free, jump, fraction, kind, stiff, theta)
                if log_u < log_ratio:
                    break
    return len(drawn)


def _take_back(r: Integers, back: Integers, jump: Floats, taken: Floats, total: int, fraction: float) -> bool:
    r"""Take S, the total, from the counts by \(s_i = t_i - t_{i-1}\), \(t_i = \lfloor S C_i + u \rfloor\) at u.

    Noted are s and where in u each t jumps. Whether no count has become negative.
    """
    before = 0
    for i in range(len(r)):
        x = total * taken[i]
        below = math.floor(x)
        jump[i] = 1 - (x - below)
        t = int(below) + (1 if fraction >= jump[i] else 0)
        back[i] = t - before
        before = t
        r[i] -= back[i]
        if r[i] < 0:
            return False
    return True


def _log_rounding(free: Floats, jump: Floats, fraction: float, kind: Integers, stiff: Floats, theta: float) -> float:
    r"""\(\ln\int_0^1 e^{Q(d) - Q(d' + s(S, v))}\, dv\), d the free moves, changed on the way: between jumps Q stays."""
    k = len(free)
    for i in range(k - 1):
        if fraction >= jump[i]:
            free[i] -= 1
            free[i + 1] += 1
    Q = here = before = area = 0.0
    for i in np.argsort(jump):
        if jump[i] >= 1:  # t_i is whole
            break
        area += (jump[i] - before) * math.exp(-Q)
        before = jump[i]
        Q += theta * (stiff[kind[i]] * (free[i] + 0.5) - stiff[kind[i + 1]] * (free[i + 1] - 0.5))
        free[i] += 1
        free[i + 1] -= 1
        if fraction >= jump[i]:
            here = Q
    area += (1 - before) * math.exp(-Q)
    return here + math.log(area)


def _uniform_beyond(
    r: Integers, rng: np.random.Generator, a: Floats, counts: Integers, n: int, rate: float, shells: Floats
) -> bool:
    """Propose a uniform count vector, and accept it beyond the last shell with the weight it has there."""
    low, high, alpha = shells[1, 0], shells[1, 1], shells[1, 2]
    _uniform(r, n, rng)
    log_u = math.log1p(-rng.random())
    D = 0.0
    for i in range(len(r)):
        if high < D:
            break
        D += single_gap(a[i], r[i] - counts[i])
    return bool(low <= D and log_u < log_rest(D, rate) - alpha)


def _uniform(r: Integers, n: int, rng: np.random.Generator) -> None:
    """A uniform count vector: k - 1 bars among n + k - 1 places, or as well n stars, whichever are fewer."""
    k = len(r)
    places = n + k - 1
    bars = k - 1 <= n
    chosen = np.empty(min(n, k - 1), dtype=np.int64)
    filled = 0
    while filled < len(chosen):
        for i in range(filled, len(chosen)):
            chosen[i] = _below(places, rng)
        chosen.sort()
        filled = 0
        for i in range(len(chosen)):  # drop repetitions, and draw as many again
            if i == 0 or chosen[i] != chosen[filled - 1]:
                chosen[filled] = chosen[i]
                filled += 1
    if bars:
        before = -1
        for i in range(k - 1):
            r[i] = chosen[i] - before - 1
            before = chosen[i]
        r[k - 1] = places - before - 1
    else:
        r[:] = 0
        for i in range(n):
            r[chosen[i] - i] += 1


def _below(limit: int, rng: np.random.Generator) -> int:
    """A uniform integer in 0..limit-1, from the leading bits of a double."""
    power = 1
    while power < limit:
        power *= 2
    while True:
        value = int(rng.random() * power)
        if value < limit:
            return value


def _step(width: float, s: float, span: float, rng: np.random.Generator) -> int:
    r"""t in 0..width-1 with probability proportional to \(e^{-st}\), given the span \(e^{-s\,\text{width}} - 1\).

    By inversion; where the law is so wide that a double has too few bits, a block of counts is drawn so, and then a
    count in the block by rejection. The weights of a block are within a factor e of each other.
    """
    if width <= 2**20 or abs(s) * 2**20 >= 1:
        return _inverted(width, s, span, rng)
    block = math.floor(min(width / 2**20, 1 / abs(s)))
    blocks = math.ceil(width / block)
    while True:
        t = block * _inverted(blocks, s * block, math.expm1(-s * block * blocks), rng)
        t_low = _below(block, rng)
        below_best = max(s * t_low, s * (t_low - block + 1))
        if t + t_low < width and rng.random() < math.exp(-below_best):
            return t + t_low


def _inverted(width: float, s: float, span: float, rng: np.random.Generator) -> int:
    return int(min(math.floor(-math.log1p(rng.random() * span) / s), width - 1))


def _find(cumulated: Floats, u: float) -> int:
    """The first place whose entry exceeds u, or the last."""
    at = 0
    while cumulated[at] <= u and at < len(cumulated) - 1:
        at += 1
    return at


# Formulas on single numbers


def log_rest(D: float, rate: float) -> float:
    r"""\(\ln\varphi(D) = -\lambda H + \ln(1 - e^{-\lambda(1 - H)})\), with \(1 - H = e^{-D} / (1 + H)\)."""
    H = math.sqrt(-math.expm1(-D))
    x = rate * math.exp(-D) / (1 + H)
    if x == 0:
        return -math.inf
    return -rate * H + math.log(-math.expm1(-x))


def single_gap(a: float, d: float) -> float:
    r"""\(D(a, a + d)\): ``gamma_gap`` for single numbers."""
    h = d / 2
    m = a + h
    b = a + d
    if abs(h) <= m / 2:
        c = 0.0
        while m - abs(h) < STIRLING_FROM:  # D(m, h) = D(m + 1, h) - ln(1 - t^2) / 2
            s = (h / m) * (h / m)
            c += s * (1 - c)
            m += 1
        t = h / m
        gap = m * (t * math.atanh(t) + math.log1p(-t * t) / 2) + _excess(m, h) - math.log1p(-c) / 2
        return float(gap)
    p, q = math.log(a / m), math.log(b / m)
    return (a * p + b * q) / 2 - (p + q) / 4 + (_remainder(a) + _remainder(b)) / 2 - _remainder(m)


def _remainder(z: float) -> float:
    r"""\(S(z) = \ln\Gamma(z) - (z - \frac12)\ln z + z - \frac12\ln 2\pi\)."""
    if z < STIRLING_FROM:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + 0.5 * math.log(2 * math.pi))
    x = 1 / (z * z)
    return (1 / 12 - x * (1 / 360 - x * (1 / 1260 - x * (1 / 1680 - x * (1 / 1188 - x * 691 / 360360))))) / z


def single_slope(a: float, d: float) -> float:
    r"""\(D'(d) = \frac12[\psi(b) - \psi(m)]\) for \(m \ge 28\), from
    \(\psi(z) = \ln z - \frac1{2z} - \frac1{12z^2} + \frac1{120z^4} - \frac1{252z^6} + \frac1{240z^8} - \dots\)"""
    h = d / 2
    m = a + h
    b = a + d
    p, q = 1 / m, 1 / b
    P, Q = p * p, q * q
    even = 1 / 12 - (P + Q) / 120 + (P * P + P * Q + Q * Q) / 252 - (P + Q) * (P * P + Q * Q) / 240
    return (math.log1p(h / m) + h * p * q * (0.5 + (p + q) * even)) / 2
