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
4. *Each factor lies below a few geometric pieces.* \(D_i\) is convex in d for \(a_i \ge \frac12\) (``tabulate``), so
   that its weight lies below the exponentials of tangents; where they would be short, single counts are listed.

So one draws a shell, then a move for every category but the one with the largest a, which takes what is left, and
accepts with the ratio of the wanted weight to the envelope: at most 1, and what is accepted has the wanted law. The
last category costs a factor near \(\sqrt{a_{\max} / |a|} \ge k^{-1/2}\) in acceptance, the rest a factor near 1/2.

*Accuracy.* Numbers are doubles: the probability of every set of candidates is right to about 1e-12. *Not for
release:* the generator is pseudo-random, and the time that a draw takes depends on the data.

The loops over single numbers are in ``exponential_loops``. They run as they stand, and are compiled when a call is
worth the wait: the draws are the same.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..checks import LARGEST_TOTAL, Floats, Integers
from .exponential_loops import Envelope, compiled, log_rest, propose, single_gap, tabulate

FLAT = 37.0
r"""Where D exceeds \(\ln\lambda\) by this, \(\lambda(1 - H)\) is below 1e-16 and the rest is nothing."""

LARGEST_TABLE = 5_000_000
"""The most pieces in the table of one shell: 320 MB, a few seconds of set-up."""

UNCOMPILED = 3_000
"""Moves that a process proposes before it compiles, some 30 ms. To load what was compiled before takes half a second:
a few draws do without it, and who has drawn a thousand times draws again."""

PATIENCE = 20_000_000_000
"""Moves that a call may propose before it gives up: they take some ten minutes."""


class _Room:
    """How many more moves this process is likely to propose uncompiled."""

    left = UNCOMPILED


_room = _Room()


def draw(prior: Floats, counts: Integers, rate: float, rng: np.random.Generator, size: int) -> Integers:
    r"""Draws with \(\Pr[r] \propto e^{-\lambda H(x, r)}\), \(\lambda\) the rate; shape (size, k); inputs unchecked."""
    k, n = len(counts), int(counts.sum())
    if n + k > LARGEST_TOTAL:
        raise ValueError(f"counts must add up to at most 2**53 - {k} with {k} categories, got n={n}")
    a = prior + counts
    worth_it = size * k > _room.left or len(np.unique(a)) > 100
    fill = compiled()[0] if worth_it or compiled.cache_info().currsize else tabulate
    parts = envelope(a, counts, rate, fill)
    drawn = np.empty((size, k), dtype=np.int64)
    done = 0
    if not compiled.cache_info().currsize:
        done = propose(drawn, rng, a, counts, parts, UNCOMPILED)
        _room.left -= size * k
    if done < size:  # the compiled loop goes on from where the other stopped
        done += compiled()[1](drawn[done:], rng, a, counts, parts, PATIENCE)
    if done < size:
        raise ValueError(
            f"counts must let {size} draws be accepted within about ten minutes, got k={k} and n={n}, where with rate "
            f"{rate:.6g} that time gave {done}"
        )
    return drawn


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
        beyond = np.array([log_rest(D, rate) for D in ends])
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
    theta = (log_rest(low, rate) - log_rest(high, rate)) / (high - low)
    alpha = log_rest(low, rate) + theta * low
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
    if shell.alpha - shell.theta * middle - log_rest(middle, problem.rate) > 1:
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
        if single_gap(a, d + 1) - single_gap(a, d) < nu:
            low = d + 1
        else:
            high = d
    d = high if nu != 0 else 0
    return d, single_gap(a, d) - nu * d


def _breaks(rate: float, k: int) -> list[float]:
    r"""Shell ends from 0 over the bulk, near \(D = (k/\lambda)^2\), in steps of a factor 16 to where it all ends."""
    if rate == 0:
        return [0.0]
    top = max(math.log(rate), 0.0) + FLAT
    ends = [min((max(1.0, (k - 1) / 2) / rate) ** 2, 0.25)]
    while 16 * ends[-1] < top:
        ends.append(16 * ends[-1])
    return [0.0, *ends, top]
