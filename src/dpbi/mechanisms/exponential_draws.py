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

So one draws a shell, then a free move f for every category, takes back what they add up to, \(d = f - s\), and
accepts with the ratio of the wanted weight to the envelope: at most 1, and what is accepted has the wanted law. There
are two ways to take back, and each shell has the quicker one.

*The last category takes all.* The one with the largest a has \(f_i = 0\), and the least of its exponent stands for it
in the envelope. It costs a factor near \(\sqrt{a_{\max} / |a|} \ge k^{-1/2}\) in acceptance, the rest a factor near
1/2.

*All wide categories have a share.* Let I be some categories with many records, \(q_i = D_i''(0) =
\frac14\psi'(a_i)\), \(1/\kappa = \sum_I 1/q_i\), \(c_i = \kappa/q_i\) in I and 0 elsewhere, \(C_i = c_1 + \dots +
c_i\). With \(S = \sum f_i\) and u uniform on [0, 1) take
\[ s_i = \lfloor S C_i + u \rfloor - \lfloor S C_{i-1} + u \rfloor , \qquad \sum_i s_i = S, \quad E_u s_i = S c_i . \]
Let \(P = \sum_I f_i\) and \(T = \sum_{i \notin I} f_i = \sum_{i \notin I} d_i\). Given u, \((d, P) \leftrightarrow
f\) is one to one, as \(S = P + T\). So let the wanted weight of (d, P, u) be \(w(d)\, h(P)\, \rho(u \mid d, P)\) with
any \(h \ge 0\) and \(\int_0^1 \rho\, du = 1\): summed over P and u it is \(w(d) \sum_P h(P)\), and the shell counts
with the mass of its envelope over \(\sum_P h\). With \(Q(f) = \frac\theta2 \sum_I q_i f_i^2\) take \(\rho \propto
e^{-Q(d + s)}\). By Jensen's inequality the integral of \(e^{-Q(d + s)}\) over u is at least
\[ e^{-E_u Q(d + s)} \ge e^{-Q(d) - \frac{\theta\kappa}2 (P^2 - T^2) - \theta v}, \qquad v = \tfrac18 \sum_I q_i , \]
for \(\sum_I c_i q_i d_i = -\kappa T\), and a variable on two neighbouring integers has variance at most 1/4. The cost
of rounding the shares is \(\theta v\) therefore, and not the worst direction of d. With \(E_i(d) = D_i(d) - \frac12
q_i d^2\) the ratio of this weight to the envelope \(e^{\alpha - \theta(\sum D_i(f_i) - \nu S)}\) is at most 1 if
\[ \ln h(P) \le -\theta \Bigl[\tfrac\kappa2 (P - \tfrac\nu\kappa)^2 - \tfrac\kappa2 (T + \tfrac\nu\kappa)^2 + v
    + \sum_I \bigl(E_i(f_i) - E_i(d_i)\bigr)\Bigr] . \]
*The last sum.* In the shell \(D_i(d_i) \le D''\). Let \(r_i = 2\sqrt{D''/q_i}\), let \(M_i\) be the largest
\(|D_i'''|\) up to \(2 r_i\), and \(\mu_i = q_i - 2 r_i M_i \ge \frac12 q_i\); only categories with that are in I.
There \(D_i \ge \frac12\mu_i d^2\), so that \(|d_i| \le r_i\) by convexity. P is limited so that \(|s_i| \le |S| c_i +
1 \le r_i\), which needs a bound on T: by Cauchy and Schwarz \(|T| = |\sum_I d_i| \le \sqrt{2 D'' \sum_I 1/\mu_i}\).
From \(|E_i'(d)| \le \frac12 M_i d^2\) and \(|d s| \le \frac1{10} d^2 + \frac52 s^2\)
\[ |E_i(d + s) - E_i(d)| \le \tfrac12 M_i |s| \bigl(d^2 + |d s| + \tfrac13 s^2\bigr)
    \le 1.1 \frac{M_i}{\mu_i} |s|\, D_i(d) + \tfrac{17}{12} M_i |s|^3 , \]
and with \(\sum D_i \le D''\) the sum is at most \(e_0 + e_1 |S| \le e_0 + e_1 (|P| + |\nu/\kappa|) + e_1 |T +
\nu/\kappa|\), of which the last part and \(-\frac\kappa2 (T + \nu/\kappa)^2\) are together at most \(e_1^2 /
(2\kappa)\). As \(D''' = \frac12\psi''(b) - \frac18\psi''(m) \le 0\) and \(z^{-2} + z^{-3} \le -\psi''(z) \le z^{-2} +
z^{-3} + \frac12 z^{-4}\), bounds of the two at the ends of the range serve for M. Free moves must be possible for all
u, so that \(2 r_i\) is at most the count, and at most what the others have. What it costs is near \(\theta v\), some
\(\lambda^2 / (64 a)\) at equal counts, instead of the root.

*Accuracy.* Numbers are doubles: the probability of every set of candidates is right to about 1e-12. *Not for
release:* the generator is pseudo-random, and the time that a draw takes depends on the data.

The loops over single numbers are in ``exponential_loops``. They run as they stand, and are compiled when a call is
worth the wait: the draws are the same.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import polygamma

from ..checks import LARGEST_TOTAL, Floats, Integers
from .exponential_loops import Envelope, compiled, log_rest, propose, single_gap, tabulate

FLAT = 37.0
r"""Where D exceeds \(\ln\lambda\) by this, \(\lambda(1 - H)\) is below 1e-16 and the rest is nothing."""

LARGEST_TABLE = 5_000_000
"""The most pieces in the table of one shell: 320 MB, a few seconds of set-up."""

DEARER = 5.0
"""A proposal whose sum is shared takes so much longer: the other is refused after few of its categories."""

GRAINS = 32
"""h is constant on blocks of the sum, so many to a standard deviation: it loses about 1 %."""

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
    kinds: Floats  # (K, 2) the distinct pairs of posterior weight and count, the last row that of the last category
    multiplicity: Integers  # (K,) the last category counted in its own row alone
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
    taking: "_Taking"
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
    kind = np.insert([number[pair] for pair in pairs], last, len(kinds))
    problem = _Problem(n, k, rate, np.array([*kinds, largest]), np.bincount(kind), tabulate)
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
        (0.0, math.inf, *[0.0] * 8),
        (ends[kept], breaks[-1], beyond[kept], *[0.0] * 7),
        *((*shell[:5], *shell.taking.numbers) for shell in shells),
    ]
    stiffness = np.array([shell.taking.stiffness for shell in shells]).reshape(kept, len(kinds) + 1)
    ladder = np.full((kept, max((len(shell.taking.ladder) for shell in shells), default=0)), -np.inf)
    for rungs, shell in zip(ladder, shells, strict=True):
        rungs[: len(shell.taking.ladder)] = shell.taking.ladder
    offsets = np.cumsum([0, *(len(shell.pieces) for shell in shells)])
    start = np.array([shell.start + offset for shell, offset in zip(shells, offsets, strict=False)], dtype=np.int64)
    return Envelope(
        rate=rate,
        last=last,
        kind=kind,
        share=np.cumsum(np.exp(log_masses - total)),
        shells=np.array(lines),
        start=start.reshape(kept, len(kinds) + 2),
        pieces=np.concatenate([np.empty((0, 8)), *(shell.pieces for shell in shells)]),
        taken=_cumulated_shares(stiffness[:, kind], last),
        stiffness=stiffness,
        ladder=ladder,
    )


def _shell(problem: _Problem, low: float, high: float, nu: float = 0.0, fineness: float = 0.5) -> _Shell:
    n, k, rate, kinds, multiplicity, tabulate = problem
    theta = (log_rest(low, rate) - log_rest(high, rate)) / (high - low)
    alpha = log_rest(low, rate) + theta * low
    sharing = _sharing(problem, theta, nu, high)
    start = np.empty(len(kinds) + 1, dtype=np.int64)
    wanted = kinds if sharing else kinds[:-1]
    room = 64 * len(kinds)
    while True:
        pieces = np.empty((room + 1, 8))
        filled = tabulate(pieces[:room], start[: len(wanted) + 1], wanted, n, theta, nu, fineness, 6 + math.log(k))
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
    weight, count = kinds[-1].tolist()
    _, floor = _lowest(weight, count, n, nu)
    taking = _last_takes(len(kinds))
    log_masses = np.log(pieces[start[1 : len(wanted) + 1] - 1, 6])
    if sharing and _worth_sharing(log_masses[-1] - sharing.log_sum, -theta * floor):
        taking = sharing
        log_mass = alpha + float(multiplicity @ log_masses) - sharing.log_sum
    else:
        filled = int(start[len(kinds) - 1])
        pieces[filled] = 0, 0, 0, floor, 0, 0, math.exp(-theta * floor), 0
        filled += 1
        start[-1] = filled
        log_mass = alpha - theta * floor + float(multiplicity[:-1] @ log_masses[: len(kinds) - 1])
    return _Shell(low, high, alpha, theta, nu, taking, fineness, log_mass, pieces[:filled], start)


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
    drift = problem.multiplicity @ (mean / total)
    spread = problem.multiplicity @ (square / total - (mean / total) ** 2)
    if not shell.taking.stiffness.any():
        weight, count = problem.kinds[-1].tolist()
        drift += _lowest(weight, count, problem.n, shell.nu)[0]
        spread += 4 * weight / shell.theta
    if drift**2 < spread:  # the mass would fall by less than a factor near e^(1/2)
        return shell._replace(balanced=True)
    step = float(drift / spread / shell.theta)
    for _ in range(5):  # the logarithm of the mass is convex in the tilt: a Newton step, shortened while it is too long
        tilted = _shell(problem, shell.low, shell.high, shell.nu - step, shell.fineness)
        if tilted.log_mass < shell.log_mass:
            return tilted
        step /= 4
    return shell._replace(balanced=True)


# What is taken back


class _Taking(NamedTuple):
    stiffness: Floats  # (K,) the second derivatives at no move where the kind has a share, else 0
    kappa: float
    centre: float
    grain: float
    v: float
    slack: float
    ladder: Floats  # ln h, by grains of distance from the centre
    log_sum: float  # of h

    @property
    def numbers(self) -> tuple[float, ...]:
        return self[1:6]


def _last_takes(kinds: int) -> _Taking:
    """Its move is proposed as 0, and all that the others add up to is taken back from it."""
    return _Taking(np.zeros(kinds), 0.0, 0.0, 1.0, 0.0, 0.0, np.zeros(1), 0.0)


def _sharing(problem: _Problem, theta: float, nu: float, high: float) -> _Taking | None:
    """Shares for the wide categories, and h; none where that cannot be worth it."""
    (a, count), multiplicity = problem.kinds.T, problem.multiplicity
    if multiplicity @ a < DEARER**2 * a[-1] or theta * high == 0:
        return None
    q = polygamma(1, a) / 4
    reach = 2 * np.sqrt(high / q)
    low, middle = np.maximum(a - 2 * reach, 1e-9), a + reach
    third = (1 + 1 / low + 0.5 / low**2) / (2 * low**2) - (1 + 1 / middle) / (8 * middle**2)
    least = q - 2 * reach * third
    # rows from the widest on, as long as one more makes the sum of h larger
    order = np.argsort(q)
    wide = (2 * least >= q) & (2 * reach <= np.minimum(count, problem.n - count))
    order = order[np.logical_and.accumulate(wide[order])]
    if not len(order):
        return None
    m, stiff = multiplicity[order], q[order]
    gain = np.log(np.cumsum(m / stiff)) / 2 - theta * np.cumsum(m * stiff) / 8
    gain -= 1.1 * theta * high * np.maximum.accumulate(third[order] / least[order])
    order = order[: int(np.argmax(gain)) + 1]
    m, stiff, reach, third, least = (rows[order] for rows in (multiplicity, q, reach, third, least))
    kappa = float(1 / (m / stiff).sum())
    share = kappa / stiff
    v = float((m * stiff).sum() / 8)
    centre = round(nu / kappa)
    off = abs(nu / kappa - centre)
    deviation = 1 / math.sqrt(theta * kappa)
    grain = max(1, math.floor(deviation / GRAINS))
    narrow = 0.0 if m.sum() == problem.k else math.sqrt(2 * high * float((m / least).sum()))
    room = float(((reach - 1) / share).min()) - narrow - abs(centre)
    if room < 0:
        return None
    x = grain * np.arange(math.floor(min(room, 6 * deviation + 1) / grain) + 1)
    most = abs(centre) + x[-1] + narrow
    cubic = 17 / 12 * third * (most * share + 1) ** 2
    level = 1.1 * high * float((third / least).max()) + float(m @ cubic)
    growth = 1.1 * high * float((third * share / least).max()) + float(m @ (cubic * share))
    slack = level + growth * most
    farther = level + growth * (x + abs(centre) + abs(nu / kappa)) + growth**2 / (2 * kappa)
    ladder = -theta * (kappa / 2 * (x + off) ** 2 + v + farther)
    log_sum = float(ladder[0]) + math.log(1 + 2 * grain * np.exp(ladder[1:] - ladder[0]).sum())
    stiffness = np.zeros(len(a))
    stiffness[order] = stiff
    return _Taking(stiffness, kappa, float(centre), float(grain), v, theta * slack, ladder, log_sum)


def _cumulated_shares(stiffness: Floats, last: int) -> Floats:
    """(S, k) from (S, k): shares are proportional to the reciprocals, or all is the last category's."""
    parts = np.divide(1, stiffness, out=np.zeros_like(stiffness), where=stiffness > 0)
    parts[~parts.any(axis=1), last] = 1
    cumulated = np.cumsum(parts, axis=1)
    return np.asarray(cumulated / cumulated[:, -1:])


def _worth_sharing(shared: float, alone: float) -> bool:
    """Whether sharing, with this logarithm of its mass, accepts so many more that it is worth its longer proposals."""
    return shared + math.log(DEARER) < alone


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
