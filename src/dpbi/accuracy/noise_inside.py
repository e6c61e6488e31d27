r"""Noise on many counts that are all far from 0 and n: sums over few moves, at a cost that no width and no n changes.

With \(g_i(d) = p(d)\, e^{-\theta D_i(d)}\) and frequencies \(u = 2\pi j / N\) around a ring of totals,
\[ E[y^\theta] = \frac1N \sum_j \prod_i \hat g_i(u)\; \overline{\hat w(u)}, \]
where w is what a total does: it completes the last count, \(w(t) = e^{-\theta D_k(-t)}\), or it has to be zero,
\(\hat w = 1\).

1. *Moves.* \(\hat g_i\) is summed by Gauss's rule on panels [L, L + l), \(l \le L\). The weights of the noise are one
   exponential on either side of zero. \(D_i(d) = d^2 \int_0^1 \frac12 \min(s, 1 - s)\, \psi'(a + sd)\, ds\), and
   \(|\arg \psi'(z)| \le 2 |\arg z|\), for \(\psi'(z) = \sum_n (z + n)^{-2}\). So
   \(\operatorname{Re} D_i \ge 0\) where d or -d, and all a + sd, are at most \(\pi / 8\) from the positive axis. This
   holds on the ellipse \(\rho = 2.55\) around a panel: half as long as it is c, its centre is 3c or more away from
   zero, and its height is \(c\,\frac{\rho - 1/\rho}{2} \le \sin\frac\pi8 \sqrt{8}\, c\). There
   \(|g_i(d)\, e^{-iud}| \le p(0)\, e^{1.08\, cu}\) whatever \(\theta\) is, so that m points are summed with an error of
   at most \(4 m\) times that and \(\rho^{1 - 2 \cdot \text{nodes}} / (\rho - 1)\). The same holds for w.
2. *Frequencies.* \(g_i\) rises to its largest value, at zero, and does not rise again. So
   \(|1 - e^{iu}|\,|\hat g_i(u)|\) is at most its variation \(2 p(0)\), and \(|\hat g_i(u_j)| \le p(0) \frac{N}{2j}\);
   and so \(|\hat w(u_j)| \le \frac{N}{2j}\). Where the noise is \(e^{-f}\) with a convex f, whose slope jumps by
   \(s / p(0)\) in all, let \(F = f + \theta D_i\). By parts \(\int |F'^2 - F''|\, g_i \le s + 2 \int F'' g_i\) away
   from the jumps, and the slope of \(g_i\) varies by s more. With the decay \(\gamma\) of the noise
   \(s \le 2 \gamma p(0)\), \(f'' \le \gamma^2\), and \(D_i'' \le \kappa = \frac12 \psi'\) at the lower end of the
   window, so that
   \[ |\hat g_i(u_j)| \le \tfrac{N^2}{16 j^2}
      \bigl(4 \gamma p(0) + 2 (\gamma^2 + \theta \kappa) (\hat g_i(0) + p(0))\bigr) . \]
   Of many counts the product is next to nothing soon.
3. *Totals* lie within what Chernoff's inequality leaves, but for \(e^{-\text{small}}\) on either side, and *windows*
   within the reach of the noise, but for as much of each count. Both shrink as \(\theta\) grows, which it has to do
   from one sum to the next; where a window may be half of what it was, all is laid out again.

Up to the first such place \(E[1 - y^\theta]\) is a difference of products, and keeps its digits where it is small.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import next_fast_len

from ..arithmetic import exp
from ..checks import Floats, Integers
from ..mechanisms.line import NoiseOnCounts
from ..model.distances import gamma_gap
from ..model.sums import sum_rule
from .noise_factors import LEAST_SURE, blocks, multiplied, product_change
from .products import ROUNDING
from .spectrum import Complexes

NODES = 32
"""Nodes of the rule on one panel; shorter panels are summed move by move."""

PHASE = 8.0
"""No frequency turns by more on half a panel."""

RHO = 2.55
"""The ellipse around a panel."""

LARGEST_TABLE = 1 << 25
"""No more moves at all frequencies are looked at: few categories would need them."""

LARGEST_FACTORS = 1 << 24
"""No more moves and frequencies of all kinds of counts."""

ROOM = 3
"""So many times as large as the moves are all counts."""


class _Layout(NamedTuple):
    r"""What all \(\theta\) from one on have in common."""

    reach: int
    since: float  # no smaller theta is asked
    moves: Floats  # (M,)
    masses: Floats  # (M,) the probabilities of the noise times the weights of the rule
    exponents: Floats  # (K, M)
    turns: Complexes  # (M, J)
    N: int
    counted: Floats  # (J,) how often each frequency counts, for those below zero are conjugate; over N
    rounding: Floats  # (J,) what rounding does to a transform of unit size
    last: tuple[Floats, Floats, Complexes]  # of totals: the weights of the rule, the exponents, the turns
    lost: float


class NoiseInside:
    """Sums over all releases, each with its probability; if their total has to be zero, up to a factor."""

    def __init__(self, prior: Floats, counts: Integers, noise: NoiseOnCounts, small: float) -> None:
        moving = len(counts) if noise.balanced else len(counts) - 1
        self._noise, self._balanced, self._k = noise.noise, noise.balanced, moving
        self._log_most = float(noise.noise.log_point(0))
        # where totals have to be zero all is a share of the probability of that
        self._small = small + 2 * math.log(max(moving, 1)) + 2 - (self._log_most if noise.balanced else 0.0)
        reach, self._last = noise.noise.reach(self._small), int(counts[-1])
        self.fits = moving > 1 and int(counts.min()) >= ROOM * reach
        if not self.fits:
            return
        a = prior + counts
        self._whole, (self._a, self._times) = float(a[-1]), np.unique(a[:moving], return_counts=True)
        one = gamma_gap(*np.broadcast_arrays(a, a + np.array([[1.0], [-1.0]]), np.array([[0.5], [-0.5]])))
        self.least = 0.9 * float(one.min())  # D is convex, and no count moves alone
        # what is off in the probability of no move would be so in all factors
        self._scale = 1.0
        self._scale = 1 / float(self._moves(reach, 0.0)[1].sum())
        found = self._lay(reach, 0.0)
        self.fits = found is not None
        if found is None:
            return
        self._layout, self._begun, self._lost_first = found, True, found.lost
        self._found, self._doubt = 0.0, 1.0
        self._before = (found.masses @ found.turns)[None]
        self._product = self._before[0] ** moving
        self.norm = float(found.counted @ self._product.real) if noise.balanced else 1.0
        rounded = self._k * float((found.counted * found.rounding) @ np.abs(self._product))
        self.norm_error = (rounded + found.lost) if noise.balanced else 0.0
        moved = found.masses * (found.moves != 0)
        if noise.balanced:
            change = product_change(self._before, [-(moved @ found.turns)[None]], np.array([moving]))
            self.most = -float(found.counted @ change.real)
        else:
            self.most = -math.expm1(moving * math.log1p(-float(moved.sum())))

    @property
    def quick(self) -> bool:
        """Whether this is less work than transforms of all moves."""
        kinds, (moves, kept) = len(self._a), self._layout.turns.shape
        return kept * moves * (1 + kinds / 16) <= 16 * kinds * self._layout.N

    @property
    def lost(self) -> float:
        """The probability of all that is left out: of both sums of a difference."""
        return self._lost_first + self._layout.lost

    def missing(self, theta: float) -> tuple[float, float]:
        r"""\(E[1 - y^\theta]\), times the probability of a total of zero if it has to be, and a bound on its error."""
        if not self._shrunk(theta):  # what is missing grows with theta
            return (self._found + self.norm) / 2, (self.norm - self._found) / 2 + self._doubt
        at = self._layout
        weights, exponents, turns = at.last
        if self._begun:
            changes = at.masses * np.expm1(-theta * at.exponents)
            transforms = changes @ at.turns
            value = -product_change(self._before, [transforms], self._times)
            sizes, after = np.abs(changes).sum(axis=1), self._before + transforms
        else:
            factors = at.masses * np.exp(-theta * at.exponents)
            after, sizes = factors @ at.turns, factors.sum(axis=1)
            value = -multiplied(after, self._times)
        whole = np.maximum(np.abs(after), 1e-100)
        size, more = self._times @ np.log(whole), self._times @ np.log1p(at.rounding * sizes[:, None] / whole)
        off = np.where(more < 1, np.exp(size) * np.expm1(np.minimum(more, 1)), np.exp(np.minimum(size + more, 600)))
        before = np.maximum(np.abs(self._before[0]), LEAST_SURE) if self._begun else 1.0
        off += self._k * at.rounding / before * np.abs(value)
        if not self._balanced:
            parts = [(value, off, weights * np.exp(-theta * exponents))]
            if self._begun:
                rounded = self._k * at.rounding * np.abs(self._product)
                parts.append((self._product, rounded, -weights * np.expm1(-theta * exponents)))
            value, off = np.zeros_like(value), np.zeros_like(off)
            for product, doubt, completion in parts:
                turned = completion @ turns
                value += product * turned.conj()
                off += doubt * np.abs(turned) + at.rounding * np.abs(product) * float(completion.sum())
        self._found = float(at.counted @ value.real) + (0.0 if self._begun else self.norm)
        self._doubt = self.lost + float(at.counted @ off) + (0.0 if self._begun else self.norm_error)
        return self._found, self._doubt

    def _shrunk(self, theta: float) -> bool:
        """Lay all out again where the window may be half of what it was, if there is a way to."""
        reach, at = self._layout.reach, self._layout
        if theta < at.since:
            raise ValueError(f"theta must not fall, got {theta} after {at.since}")
        while theta > self._until(reach):
            reach //= 2
        if reach < at.reach:
            found = self._lay(reach, theta)
            if found is None:
                return False
            self._layout, self._begun = found, False
        return True

    def _until(self, reach: int) -> float:
        r"""From which \(\theta\) on half of the window is enough."""
        if reach <= 4 * NODES:
            return math.inf
        return self._small / float(self._exponents(np.array([reach // 2, -(reach // 2)])).min())

    def _lay(self, reach: int, theta: float) -> _Layout | None:
        r"""All for a window, from \(\theta\) on; None where that is too much, or the last count is too small."""
        moves, masses = self._moves(reach, 0.0)
        factors = masses * np.exp(-theta * self._exponents(moves))
        farthest, N = self._totals(moves, factors)
        if not self._balanced and ROOM * farthest > self._last:
            return None
        kept, lost = self._frequencies(factors.sum(axis=1), N, reach, self._until(reach))
        highest = 2 * math.pi / N * (kept - 1)
        panels = 2 + highest * (reach + (0 if self._balanced else farthest)) / (2 * PHASE)
        if kept * panels * min(NODES, reach) > LARGEST_TABLE:
            return None
        u = np.asarray(2 * np.pi / N * np.arange(kept))
        moves, masses = self._moves(reach, highest)
        totals, weights = self._completing(farthest, highest)
        if kept * (len(moves) + len(totals)) > LARGEST_TABLE or (kept + len(moves)) * len(self._a) > LARGEST_FACTORS:
            return None
        counted = np.where(2 * np.arange(kept) % N == 0, 1.0, 2.0) / N
        D = gamma_gap(*np.broadcast_arrays(self._whole, self._whole - totals, -totals / 2))
        last = weights, D, _turns(totals, u)
        width = float(masses @ np.abs(moves) ** 3) / max(float(masses @ moves**2), 1e-300)
        # windows of all, twice, and totals beyond the window and around the ring, on both sides
        beyond = self._k * math.exp(-self._small)
        # what the rule may be off: a share of the largest value, at all points
        summed = 4 * math.exp(1.08 * PHASE) * RHO ** (1 - 2 * NODES) / (RHO - 1)
        summed *= self._k * 2 * reach * math.exp(self._log_most) * (2 + math.log(N)) + 2 * kept * (not self._balanced)
        return _Layout(
            reach,
            theta,
            moves,
            masses,
            self._exponents(moves),
            _turns(moves, u),
            N,
            counted,
            np.asarray(ROUNDING * (3 + width * u)),
            last,
            lost + 4 * beyond + summed,
        )

    def _exponents(self, moves: Floats) -> Floats:
        a = self._a[:, None]
        return gamma_gap(*np.broadcast_arrays(a, a + moves, moves / 2))

    def _moves(self, reach: int, frequency: float) -> tuple[Floats, Floats]:
        """Moves up to the reach, and the probabilities of the noise times the weights of the rule."""
        width, noise = self._noise.width, self._noise
        starts, periods, weights = _panels(reach // width + 1, frequency * width)
        places = np.arange(width)
        up = width * starts[:, None] + places
        log_up = noise.log_farther(up, periods[:, None])
        log_down = noise.log_farther(-1 - up, periods[:, None])
        moves = (width * (starts + periods)[:, None] + places).ravel()
        masses = self._scale * (weights[:, None] * exp(np.stack([log_up, log_down]))).reshape(2, -1)
        return np.concatenate([moves, -1 - moves]), masses.ravel()

    def _totals(self, moves: Floats, factors: Floats) -> tuple[int, int]:
        """What totals do not exceed, and the length of a ring for them."""
        sums = np.maximum(factors.sum(axis=1), 1e-300)
        variance = float(self._times @ ((factors * moves**2).sum(axis=1) / sums)) + 1
        farthest = 0.0
        for sign in (-1, 1):
            found = math.inf
            for share in (0.3, 0.6, 1.0):
                mu = share * min(math.sqrt(2 * self._small / variance), self._noise.decay / 2, 1.0)
                tilted = np.log(np.maximum(factors @ np.exp(sign * mu * moves), 1e-300))
                found = min(found, (float(self._times @ tilted) + self._small) / mu)
            farthest = max(farthest, found)
        most = max(1, math.ceil(farthest))
        return most, next_fast_len((1 if self._balanced else 2) * most + 1, real=True)

    def _frequencies(self, sums: Floats, N: int, reach: int, until: float) -> tuple[int, float]:
        """How many frequencies from zero on are kept, and a bound on what all others do."""
        decay, lowest, most = self._noise.decay, self._a - reach - 1, math.exp(self._log_most)
        curved = 4 * decay * most + 2 * (decay**2 + until * (1 / lowest + 1 / lowest**2) / 2) * (sums + most)
        log_curved = np.log(curved) if self._noise.width == 1 else np.full(len(sums), math.inf)
        edges = np.unique(np.geomspace(1, N // 2 + 1, 600).astype(np.int64))
        at = edges[:-1]
        each = np.minimum(np.log(np.maximum(sums, 1e-300))[:, None], self._log_most + np.log(N / (2 * at)))
        each = np.minimum(each, log_curved[:, None] + 2 * np.log(N / (4 * at)))
        logs = self._times @ each + (math.log(2 / N) if self._balanced else -np.log(at))
        beyond = np.cumsum((np.diff(edges) * np.exp(logs))[::-1])[::-1]
        enough = np.flatnonzero(beyond <= math.exp(-self._small))
        return (int(at[enough[0]]), float(beyond[enough[0]])) if len(enough) else (N // 2 + 1, 0.0)

    def _completing(self, farthest: int, frequency: float) -> tuple[Floats, Floats]:
        """Totals, which the last count loses if there is one, and the weights of the rule."""
        if self._balanced:
            return np.zeros(0), np.zeros(0)
        starts, periods, weights = _panels(farthest + 1, frequency)
        one_side = starts + periods
        return np.concatenate([one_side, -1 - one_side]), np.concatenate([weights, weights])


def _turns(moves: Floats, u: Floats) -> Complexes:
    r"""(M, J) of \(e^{-iud}\), in the memory that they fill."""
    found = np.empty((len(moves), len(u)), dtype=np.complex128)
    for here in blocks(len(moves), len(u)):
        found[here] = np.exp(-1j * np.outer(moves[here], u))
    return found


def _panels(count: int, frequency: float) -> tuple[Integers, Floats, Floats]:
    """Nodes for sums over 0, ..., count - 1: the starts of their panels, how far they are from these, their weights."""
    longest = max(NODES, math.floor(2 * PHASE / max(frequency, 1e-300)) if frequency * count > 1 else count)
    edges = [0, min(NODES, count)]
    while edges[-1] < count:
        edges.append(edges[-1] + min(edges[-1], longest, count - edges[-1]))
    starts, sizes = np.array(edges[:-1]), np.diff(edges)
    parts = []
    for size in np.unique(sizes).tolist():
        here = starts[sizes == size]
        nodes, weights = sum_rule(size, NODES) if size > NODES else (np.arange(size, dtype=np.float64), np.ones(size))
        parts.append([np.repeat(here, len(nodes)), np.tile(nodes, len(here)), np.tile(weights, len(here))])
    first, periods, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return first, periods, weights
