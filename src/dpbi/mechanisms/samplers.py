r"""Exact draws from an exponential mechanism, without listing its candidates.

Wanted is a count vector r of n records with probability proportional to \(e^{-\lambda H(x, r)}\). With \(a\) the
posterior of x and \(d = r - x\), the distance depends on \(D = \sum_i D_i(d_i)\), \(D_i(d) = D(a_i, a_i + d)\), alone:

1. *A coin decides between the uniform law and the rest.* With \(y = e^{-D}\),
   \[ e^{-\lambda H} = e^{-\lambda} + \varphi(D), \qquad
      \varphi(D) = e^{-\lambda\sqrt{1 - y}} - e^{-\lambda} = \sum_{m \ge 1} p_m e^{-mD}, \quad p_m \ge 0 , \]
   because \(-\lambda\sqrt{1-y}\) is \(-\lambda\) plus a power series with positive coefficients, and so is its
   exponential. Uniform count vectors are drawn directly, by stars and bars.
2. *The rest is a product on each shell of D.* A mixture of exponentials, \(\varphi\) is log-convex: on a shell
   \(D' \le D < D''\) it lies below the chord \(e^{\alpha - \theta D} = e^\alpha \prod_i e^{-\theta D_i(d_i)}\) of its
   logarithm. Beyond the last shell it is below a constant, and candidates are uniform again.
3. *The moves add up to zero,* so that \(D_i(d)\) may be replaced by \(D_i(d) - \nu d\) with any \(\nu\). The tilt is
   chosen to make the moves of independent categories add up to about zero.
4. *Each factor lies below a few geometric pieces.* \(D_i\) is convex in d for \(a_i \ge \frac12\) (``_tabulate``), so
   that its weight lies below the exponentials of tangents; where they would be short, single counts are listed.

So one draws a shell, then a move for every category but the one with the largest a, which takes what is left, and
accepts with the ratio of the wanted weight to the envelope: at most 1, and what is accepted has the wanted law. The
last category costs a factor near \(\sqrt{a_{\max} / |a|} \ge k^{-1/2}\) in acceptance, the rest a factor near 1/2.

*Accuracy.* Numbers are doubles: the probability of every set of candidates is right to about 1e-12. *Not for
release:* the generator is pseudo-random, and the time that a draw takes depends on the data.

The functions on single numbers run as they stand, and are compiled when a call is worth the wait: the draws are the
same.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..checks import LARGEST_TOTAL, Floats, Integers
from ..model.distances import STIRLING_FROM, _stirling_excess

_excess: Any = _stirling_excess  # of numbers as well as arrays

SMOOTH = 64
"""Counts are taken one by one where the posterior weight stays below this: the slope's series starts here."""

FLAT = 37.0
r"""Where D exceeds \(\ln\lambda\) by this, \(\lambda(1 - H)\) is below 1e-16 and the rest is nothing."""

LARGEST_TABLE = 5_000_000
"""The most pieces in the table of one shell: 320 MB, a few seconds of set-up."""

UNCOMPILED = 100_000
"""Moves that a call may propose before compiling: half a second, about what loading takes that was compiled before."""

PATIENCE = 20_000_000_000
"""Moves that a call may propose before it gives up: they take some ten minutes."""


class Envelope(NamedTuple):
    """A mixture that dominates the wanted weights: component 0 is uniform, 1 uniform and outside the shells."""

    rate: float
    last: int  # the category that takes what the others leave
    kind: Integers  # (k,) which table a category has
    share: Floats  # (2 + S,) cumulated masses of the components
    shells: Floats  # (2 + S, 4) from D', below D'', alpha, theta
    start: Integers  # (S, K + 1) where the pieces of each kind begin
    pieces: Floats  # (P, 8) see ``_tabulate``


def draw(prior: Floats, counts: Integers, rate: float, rng: np.random.Generator, size: int) -> Integers:
    r"""Draws with \(\Pr[r] \propto e^{-\lambda H(x, r)}\), \(\lambda\) the rate; shape (size, k); inputs unchecked."""
    k, n = len(counts), int(counts.sum())
    if n + k > LARGEST_TOTAL:
        raise ValueError(f"counts must add up to at most 2**53 - {k} with {k} categories, got n={n}")
    a = prior + counts
    tabulate = _compiled()[0] if _compiled.cache_info().currsize or len(np.unique(a)) > 100 else _tabulate
    parts = envelope(a, counts, rate, tabulate)
    drawn = np.empty((size, k), dtype=np.int64)
    done = 0
    if not _compiled.cache_info().currsize:
        done = _propose(drawn, rng, a, counts, *parts, UNCOMPILED)
    if done < size:  # the compiled loop goes on from where the other stopped
        done += _compiled()[1](drawn[done:], rng, a, counts, *parts, PATIENCE)
    if done < size:
        raise ValueError(
            f"counts must let {size} draws be accepted within about ten minutes, got k={k} and n={n}, where with rate "
            f"{rate:.6g} that time gave {done}"
        )
    return drawn


@lru_cache(maxsize=1)
def _compiled() -> tuple[Callable[..., Any], ...]:
    """The two loops compiled; numba itself is imported here, for that takes longer than many a call."""
    import numba

    for part in (_excess, _gap, _remainder, _slope, _rest, _below, _uniform, _step, _inverted, _find):
        numba.extending.register_jitable(part)
    return tuple(numba.njit(cache=True)(loop) for loop in (_tabulate, _propose))


# The envelope


class _Problem(NamedTuple):
    n: int
    k: int
    rate: float
    last: tuple[float, int]  # posterior weight and count of the last category
    kinds: Floats  # (K, 2) the distinct pairs of posterior weight and count, but for the last category
    multiplicity: Integers  # (K,)
    tabulate: Callable[..., Any]

    @property
    def fine(self) -> float:
        """Tangents at the middle of cells this wide, in standard deviations, cost all categories e^(1/4) together."""
        return min(0.5, math.sqrt(6 / self.k))


class _Shell(NamedTuple):
    low: float
    high: float
    alpha: float
    theta: float
    nu: float
    floor: float
    fineness: float
    log_mass: float
    pieces: Floats
    start: Integers
    balanced: bool = False  # no better tilt is known


def envelope(a: Floats, counts: Integers, rate: float, tabulate: Callable[..., Any]) -> Envelope:
    """The envelope of one law: shells that matter are refined until each is close to its chord."""
    k, n = len(a), int(counts.sum())
    last = int(np.argmax(a))
    pairs = list(zip(a.tolist(), counts.tolist(), strict=True))
    largest = pairs.pop(last)
    kinds = sorted(set(pairs))
    number = {pair: row for row, pair in enumerate(kinds)}
    kind = np.array([number[pair] for pair in pairs])
    problem = _Problem(n, k, rate, largest, np.array(kinds), np.bincount(kind), tabulate)
    log_size = float(np.log1p(n / np.arange(1, k)).sum())  # ln C(n + k - 1, k - 1)
    breaks = _breaks(rate, k)
    shells = [_shell(problem, low, high) for low, high in zip(breaks[:-1], breaks[1:], strict=True)]
    while True:
        # from some D on, uniform candidates have less mass than further shells
        ends = [0.0, *(shell.high for shell in shells)]
        within = np.logaddexp.accumulate([-np.inf, *(shell.log_mass for shell in shells)])
        beyond = np.array([_rest(D, rate) for D in ends])
        kept = int(np.argmin(np.logaddexp(within, log_size + beyond)))
        log_masses = np.array([log_size - rate, log_size + beyond[kept], *(shell.log_mass for shell in shells[:kept])])
        total = np.logaddexp.reduce(log_masses)
        refined = [part for shell in shells for part in _refined(problem, shell, total)]
        if len(refined) == len(shells) and all(new is old for new, old in zip(refined, shells, strict=True)):
            break
        shells = refined
    shells = shells[:kept]
    lines = [
        (0.0, math.inf, *[0.0] * 4),
        (ends[kept], breaks[-1], beyond[kept], *[0.0] * 3),
        *(shell[:6] for shell in shells),
    ]
    offsets = np.cumsum([0, *(len(shell.pieces) for shell in shells)])
    start = np.array([shell.start + offset for shell, offset in zip(shells, offsets, strict=False)], dtype=np.int64)
    return Envelope(
        rate=rate,
        last=last,
        kind=np.insert(kind, last, -1),
        share=np.cumsum(np.exp(log_masses - total)),
        shells=np.array(lines),
        start=start.reshape(kept, len(kinds) + 1),
        pieces=np.concatenate([np.empty((0, 8)), *(shell.pieces for shell in shells)]),
    )


def _shell(problem: _Problem, low: float, high: float, nu: float = 0.0, fineness: float = 0.5) -> _Shell:
    n, k, rate, last, kinds, multiplicity, tabulate = problem
    theta = (_rest(low, rate) - _rest(high, rate)) / (high - low)
    alpha = _rest(low, rate) + theta * low
    _, floor = _lowest(*last, n, nu)
    start = np.empty(len(kinds) + 1, dtype=np.int64)
    room = 64 * len(kinds)
    while True:
        pieces = np.empty((room, 8))
        filled = tabulate(pieces, start, kinds, n, theta, nu, fineness, 6 + math.log(k))
        if filled > 0:
            break
        if filled < 0:
            return _shell(problem, low, high, 0.0, fineness)
        room *= 4
        if room > LARGEST_TABLE:
            raise ValueError(
                f"counts must have fewer distinct values to be drawn from within a few seconds of set-up, got k={k} "
                f"and n={n}, which with rate {rate:.6g} needs more than {LARGEST_TABLE:,} pieces"
            )
    log_mass = alpha - theta * floor + float(multiplicity @ np.log(pieces[start[1:] - 1, 6]))
    return _Shell(low, high, alpha, theta, nu, floor, fineness, log_mass, pieces[:filled], start)


def _refined(problem: _Problem, shell: _Shell, total: float) -> list[_Shell]:
    """The shell itself if it hardly matters or is fine, else a better tilt, finer pieces or two halves."""
    if shell.log_mass < total - 5:
        return [shell]
    if not shell.balanced:
        return [_tilted(problem, shell)]
    low, high, nu = shell.low, shell.high, shell.nu
    middle = math.sqrt(low * high) if low > 0 else high / 4
    if shell.alpha - shell.theta * middle - _rest(middle, problem.rate) > 1:
        return [_shell(problem, low, middle, nu), _shell(problem, middle, high, nu)]
    return [shell if shell.fineness == problem.fine else _shell(problem, low, high, nu, problem.fine)]


def _tilted(problem: _Problem, shell: _Shell) -> _Shell:
    """The shell with a tilt under which the moves add up to about zero, or balanced if that does not lower its mass."""
    pieces, first = shell.pieces, shell.start[:-1]
    mass, total = pieces[:, 6].copy(), pieces[shell.start[1:] - 1, 6]
    mass[1:] -= pieces[:-1, 6]
    mass[first] = pieces[first, 6]
    with np.errstate(divide="ignore"):
        move = pieces[:, 0] + pieces[:, 1] * np.minimum((pieces[:, 2] - 1) / 2, 1 / np.abs(shell.theta * pieces[:, 4]))
    mean, square = np.add.reduceat(np.stack([mass * move, mass * move * move]), first, axis=1)
    moved, _ = _lowest(*problem.last, problem.n, shell.nu)
    drift = problem.multiplicity @ (mean / total) + moved
    spread = problem.multiplicity @ (square / total - (mean / total) ** 2) + 4 * problem.last[0] / shell.theta
    if drift**2 < spread:  # the mass would fall by less than a factor near e^(1/2)
        return shell._replace(balanced=True)
    step = float(drift / spread / shell.theta)
    for _ in range(5):  # the logarithm of the mass is convex in the tilt: a Newton step, shortened while it is too long
        tilted = _shell(problem, shell.low, shell.high, shell.nu - step, shell.fineness)
        if tilted.log_mass < shell.log_mass:
            return tilted
        step /= 4
    return shell._replace(balanced=True)


def _lowest(a: float, count: int, n: int, nu: float) -> tuple[int, float]:
    r"""Where \(D(a, a + d) - \nu d\), convex in d, is least over the moves of one category, and its value there."""
    low, high = (0, n - count) if nu > 0 else (-count, 0)
    while nu != 0 and low < high:
        d = (low + high) // 2
        if _gap(a, d + 1) - _gap(a, d) < nu:
            low = d + 1
        else:
            high = d
    d = high if nu != 0 else 0
    return d, _gap(a, d) - nu * d


def _breaks(rate: float, k: int) -> list[float]:
    r"""Shell ends from 0 over the bulk, near \(D = (k/\lambda)^2\), in steps of a factor 16 to where it all ends."""
    if rate == 0:
        return [0.0]
    top = max(math.log(rate), 0.0) + FLAT
    ends = [min((max(1.0, (k - 1) / 2) / rate) ** 2, 0.25)]
    while 16 * ends[-1] < top:
        ends.append(16 * ends[-1])
    return [0.0, *ends, top]


def _tabulate(
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
        a, c = kinds[j, 0], kinds[j, 1]
        start[j] = count
        total = 0.0
        for side in (0, 1, -1):
            farthest = 0.0 if side == 0 else (n - c if side > 0 else c)
            step = 0.0 if side == 0 else 1.0
            least = 0.0
            while step <= farthest:
                if count == len(pieces):
                    return 0
                d = side * step
                b = a + d
                value = _gap(a, d) - nu * d
                width, slope = 1.0, 0.0
                least = min(least, value)
                if b >= SMOOTH and side != 0:
                    tail = theta * (value - least) > reach
                    if tail:
                        width = farthest - step + 1
                    else:
                        # D'' is near a / (b (a + b)) / 2
                        wanted = fineness * math.sqrt(2 * b * (a + b) / (max(a, 0.5) * theta))
                        if wanted >= 4:  # single counts cost no more in a draw
                            width = min(math.floor(min(wanted, b / 4)), farthest - step + 1)
                    if width > 1:
                        middle = 0.0 if tail or a < 0.5 else math.floor(width / 2)
                        at = d + side * middle
                        slope = side * (_slope(a, at) - nu)
                        value = _gap(a, at) - nu * at - slope * middle
                        if a < 0.5:
                            slope -= (1 + 2 / b + 2 / (b * b)) / (4 * b)
                        if abs(slope) < 1e-300:
                            slope = 1e-300
                if max(-theta * value, -theta * slope * width) > 700:
                    return -1
                mass = math.exp(-theta * value)
                if width > 1:
                    mass *= math.expm1(-theta * slope * width) / math.expm1(-theta * slope)
                total += mass
                pieces[count, 0] = d
                pieces[count, 1] = side
                pieces[count, 2] = width
                pieces[count, 3] = value
                pieces[count, 4] = slope
                pieces[count, 5] = math.expm1(-theta * slope * width)
                pieces[count, 6] = total
                count += 1
                step += width
                if side == 0:
                    break
        # the search for a share j / C of the mass starts at the entry that holds it
        first = start[j]
        size, entry = count - first, first
        for i in range(size):
            while entry < count - 1 and pieces[entry, 6] * size <= i * total:
                entry += 1
            pieces[first + i, 7] = entry - first
    start[len(kinds)] = count
    return count


# Draws


def _propose(
    drawn: Integers,
    rng: np.random.Generator,
    a: Floats,
    counts: Integers,
    rate: float,
    last: int,
    kind: Integers,
    share: Floats,
    shells: Floats,
    start: Integers,
    pieces: Floats,
    patience: int,
) -> int:
    """Fill the rows by rejection; the number of rows filled before patience ends."""
    k, n = len(counts), counts.sum()
    cell = np.zeros(k, dtype=np.int64)
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
            low, high, alpha = shells[part, 0], shells[part, 1], shells[part, 2]
            if part == 1:
                _uniform(r, n, rng)
                log_u = math.log1p(-rng.random())
                D = 0.0
                for i in range(k):
                    if high < D:
                        break
                    D += _gap(a[i], r[i] - counts[i])
                if low <= D and log_u < _rest(D, rate) - alpha:
                    break
                continue
            theta, nu, floor = shells[part, 3], shells[part, 4], shells[part, 5]
            left = n
            starts = start[part - 2]
            for i in range(k):
                if i != last:
                    here, end = starts[kind[i]], starts[kind[i] + 1]
                    u = rng.random()
                    at = here + int(pieces[here + int(u * (end - here)), 7])
                    u *= pieces[end - 1, 6]
                    while pieces[at, 6] <= u and at < end - 1:
                        at += 1
                    d = pieces[at, 0]
                    if pieces[at, 2] > 1:
                        d += pieces[at, 1] * _step(pieces[at, 2], theta * pieces[at, 4], pieces[at, 5], rng)
                    cell[i] = at
                    r[i] = counts[i] + int(d)
                    left -= r[i]
            if left < 0:
                continue
            r[last] = left
            log_u = math.log1p(-rng.random())
            D = _gap(a[last], left - counts[last])
            log_ratio = -theta * (D - nu * (left - counts[last]) - floor)
            i = 0
            while i < k and log_u < log_ratio and high > D:
                if i != last:
                    at = cell[i]
                    d = r[i] - counts[i]
                    if pieces[at, 2] > 1:
                        gap = _gap(a[i], d)
                        log_ratio -= theta * (gap - nu * d - pieces[at, 3] - pieces[at, 4] * abs(d - pieces[at, 0]))
                    else:
                        gap = pieces[at, 3] + nu * d
                    D += gap
                i += 1
            if i == k and low <= D < high and log_u < log_ratio + _rest(D, rate) - (alpha - theta * D):
                break
    return len(drawn)


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


def _rest(D: float, rate: float) -> float:
    r"""\(\ln\varphi(D) = -\lambda H + \ln(1 - e^{-\lambda(1 - H)})\), with \(1 - H = e^{-D} / (1 + H)\)."""
    H = math.sqrt(-math.expm1(-D))
    x = rate * math.exp(-D) / (1 + H)
    if x == 0:
        return -math.inf
    return -rate * H + math.log(-math.expm1(-x))


def _gap(a: float, d: float) -> float:
    r"""\(D(a, a + d)\): ``dirichlet.gamma_gap`` for single numbers."""
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


def _slope(a: float, d: float) -> float:
    r"""\(D'(d) = \frac12[\psi(b) - \psi(m)]\) for \(m \ge 28\), from
    \(\psi(z) = \ln z - \frac1{2z} - \frac1{12z^2} + \frac1{120z^4} - \frac1{252z^6} + \frac1{240z^8} - \dots\)"""
    h = d / 2
    m = a + h
    b = a + d
    p, q = 1 / m, 1 / b
    P, Q = p * p, q * q
    even = 1 / 12 - (P + Q) / 120 + (P * P + P * Q + Q * Q) / 252 - (P + Q) * (P * P + Q * Q) / 240
    return (math.log1p(h / m) + h * p * q * (0.5 + (p + q) * even)) / 2
