r"""Lattice noise near the ends of the counts, without a list: the nearest legal counts as products.

Noisy counts are \(y = x + v\) with a total of n, moved to 0..n; call them c. By \(\ell = 0, 1, \dots\) records are
taken away, one from each category in turn, again and again: \(\tau_i(\ell)\) from category i, which leaves
\(r_i = \max(c_i - \tau_i, 0)\). The nearest legal counts are the first of these with a total of n. The step that takes
from category t lowers the total by one if \(c_t \ge \tau_t\). So the first is where the total is n and
\(c_t \ge \tau_t\), or \(\ell = 0\). With what \(y_i\) falls short of \(\tau_i\), and what it exceeds n by,
\[ \sum_i r_i = \sum_i y_i - \ell + \sum_i (\tau_i - y_i)^+ - \sum_i (y_i - n)^+ , \]
and so the total is n if and only if shortfalls less excesses are \(\ell\). Both totals, of moves and of these, are
coefficients of a product in two variables, of one factor for each category. Only counts near 0 or n depend on the
second (``shortfalls``).

All terms are probabilities. So the sum of all, without exponents, is short of one by what is left out. Two rings
confuse only what lies a whole ring apart. Chernoff's inequality bounds the total of moves, \(\sum_i v_i\), and how far
the second total is from \(\ell\): at most \(\sum_i v_i^-\) above it and \(\sum_i \min(\tau_i, x_i + v_i^+)\) below,
where what exceeds n counts in full. At a large \(\theta\) only small moves count, and the first ring is as short as
these allow. Levels are computed some at a time.

Of a product of factors, each off by rounding, what is off is at most what rounding does to one, times the products of
all others, added up, on average over all frequencies. Those at which the product of bounds on the factors is next to
nothing are left out.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import fft, next_fast_len, rfft

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_normaliser
from ..mechanisms.noise import NoiseAt
from ..model.distances import moved_gap
from ..progress import late
from .noise_spectrum import TRANSFORMED
from .products import GAP, kinds_of
from .shortfalls import Chosen, NearEnds, Turned, cells, larger, shares_of
from .spectrum import Complexes, Spectrum, tilts

MOST_WORK = 500_000_000_000
"""No sums are made of which the longest takes more numbers, some minutes: all is lost then."""

LONGEST_TABLE = 1 << 24
"""No more numbers are held of one kind: of all factors at all frequencies, say."""

TOGETHER = 1 << 14
"""So many numbers are computed at once: they stay in the processor's cache, and no threads are started for them."""

WIDE = 64
"""No fewer frequencies of moves at a time."""

IN_A_BLOCK = 1 << 20
"""No more numbers are transformed at once."""

NOTHING = 1e-18
"""Products that are a smaller share of all are left out."""

FAR = 46.0
r"""And so are moves with \(\theta D_i\) beyond."""

LARGEST_POWER = 300.0
"""Sums of larger powers of e are not computed."""


class _Exponent(NamedTuple):
    """What one exponent makes of the moves; the ring is no longer than the moves that count need."""

    power: "complex | float"
    kept: "Complexes | Floats"  # (K, W) its factor
    moves: Integers  # (K, W)
    N: int  # the length of the ring
    U: int  # how many frequencies there are; half of them do for real exponents
    ends: "Complexes | Floats"  # (K',) the factor of what is emptied
    left: Complexes  # (E, U) of empty categories that are chosen for together: what is left, as a share
    left_sizes: Floats  # (E,)
    chosen: Complexes  # (Q, U) the products of these for each choice, if there are any


class _Factors(NamedTuple):
    """Levels in a row, before and after steps: the factors of each kind of category at the frequencies of the moves."""

    inside: Complexes  # (B + 1, K, U) of what a record is left of
    full: Complexes  # (B + 1, F, U) of what is full
    bounds: Floats  # (B + 1, K', 3) on the factors of kinds near an end: left with a record, emptied, full
    sizes: Floats  # (B + 1, K) bounds on the factors, whatever falls short


class _Plan(NamedTuple):
    """What is summed for some levels, what is off then, and how much work it is."""

    factors: _Factors
    pairs: list[tuple[Integers, Integers]]  # frequencies of moves, and the terms of the second variable to each
    off: Floats
    work: int


class LatticeSums:
    """Sums over all releases of lattice noise, each with its probability."""

    log_total = 0.0

    def __init__(self, prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt, small: float) -> None:
        self._k, self._n, self._noise = len(counts), int(counts.sum()), noise
        reach = noise.reach(small + math.log(self._k))
        kinds, self._kind = np.unique(np.stack([prior, counts]), axis=1, return_inverse=True)
        self._prior, self._x, self._times = kinds[0], kinds[1].astype(np.int64), np.bincount(self._kind)
        low = np.maximum(1 - self._x, -2 * reach)
        self._moves = low[:, None] + np.arange(int((np.minimum(self._n - self._x, reach) - low).max()) + 1)
        self._there = self._moves <= (self._n - self._x)[:, None]
        self._exponents = self._gaps(np.where(self._there, self._moves, 0))
        # what kinds near an end may be: left with a record, emptied, full
        may = np.stack([np.ones(len(low), dtype=bool), self._x <= reach, self._n - self._x <= reach], axis=1)
        near = may[:, 1:].any(axis=1)
        self._near = np.flatnonzero(near)
        self._emptied = self._gaps(-self._x[:, None])[near, 0]
        places = np.where(near, np.cumsum(near) - 1, -1)[self._kind]
        self._ends = NearEnds(self._x[near], may[near], places, self._n, noise)
        # the probability that independent moves add up to zero
        self._zero = math.exp(log_normaliser(2 * noise.decay, self._k) + self._k * float(noise.log_point(0)))
        self._largest = float(self._exponents.max(axis=1) @ self._times + self._emptied @ self._times[near])
        self.least = kinds_of(prior, counts).least
        steps = tilts(self.least, 0.5)
        self.thetas = np.concatenate([-steps, steps])
        self.lost, self.log_itself, self.work = 1.0, -math.inf, 0
        decay = noise.decay
        self._rates = decay * np.linspace(0.02, 0.98, 60)
        up, down, still = _odds(decay - self._rates), _odds(decay + self._rates), float(noise.log_point(0))
        self._one_side = still + np.log(1 + up + _odds(decay))  # the logarithm of the mean of e^(rate max(v, 0))
        self._enough = small - math.log(self._zero)
        self._N = next_fast_len(self._chernoff(self._k * (still + np.log(1 + up + down))) + 1, real=True)
        self._levels = self._most_levels(reach)
        if self._lay():
            self._take(small)

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln E[e^{-\theta D}]\), near it."""
        return math.log(sum(self.mean(theta))) if -theta * self._largest < LARGEST_POWER else math.inf

    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
        """The frequencies at all ``omegas``; the logarithm of their factor is zero."""
        told, found = late("frequencies"), []
        for place, omega in enumerate(omegas):
            found.append(self._sum(theta + 1j * omega))
            if len(omegas) > 1:
                told(place + 1, len(omegas))
        values, rounded = (np.array(part) for part in zip(*found, strict=True))
        # D e^(-theta D) is at most 1 / (e theta)
        turned = 1 / (math.e * theta) if theta > 0 else self._largest * (sum(self._sum(theta)).real if theta < 0 else 1)
        return Spectrum(values, rounded + GAP * (np.abs(omegas) + abs(theta)) * turned), 0.0

    def mean(self, theta: float) -> tuple[float, float]:
        r"""\(E[e^{-\theta D}]\) of what is not lost, and what rounding may do to it."""
        found, _ = self.spectrum(theta, np.zeros(1), 0.0)
        return float(found.values[0].real), float(found.errors[0])

    def _gaps(self, moves: Integers) -> Floats:
        return moved_gap(self._prior[:, None], self._x[:, None], moves)

    def _chernoff(self, log_means: Floats) -> int:
        """What a total exceeds with next to no probability, by the logarithms of its moments at all rates."""
        return math.ceil(float(((self._enough + log_means) / self._rates).min()))

    def _most_levels(self, reach: int) -> int:
        r"""Beyond so many levels nearly nothing is left to take: by Chernoff's inequality for both totals.

        At rates a and b > a for the total of moves and for what is left, a category far from the ends has the factor
        \(e^{-(b - a)\ell}\, E[e^{bv}]\); and one near an end \(E[e^{av + (b - a) \max(v - \ell, -x)}]\).
        """
        rates = self._noise.decay * np.linspace(-0.97, 0.97, 24)
        v = np.arange(-reach, reach + 1)
        masses = np.exp(self._noise.log_point(v) + rates[:, None] * v)
        below, above = np.cumsum(masses, axis=1), np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]
        counts, times = self._ends.counts, self._times[self._near]
        rises = np.maximum(rates[None, :] - rates[:, None], 0.0)  # (a, b)
        far = (self._k - int(times.sum())) * np.log(above[:, 0])

        def enough(levels: int) -> bool:
            edges = np.clip(levels - counts + reach, 0, 2 * reach - 1)
            logs = -rises * levels * (self._k - int(times.sum())) + far
            for count, edge, many in zip(counts.tolist(), edges.tolist(), times.tolist(), strict=True):
                emptied = np.exp(-rises * count) * below[:, edge, None]
                logs = logs + many * np.log(emptied + np.exp(-rises * levels) * above[:, edge + 1])
            return bool(logs[rises > 0].min() <= -self._enough)

        low, high = 0, 1
        while high < self._n and not enough(high):
            low, high = high, 2 * high
        while high - low > 1 + low // 16:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return min(high, self._n)

    def _lay(self) -> bool:
        """The second ring and all that depends on the number of levels, if it is not too long."""
        ends, near, levels = self._ends, self._times[self._near], self._levels
        more = self._chernoff(near.sum() * self._one_side)
        taken = self._rates * np.minimum(levels, ends.counts[:, None]) + self._one_side
        taken = np.minimum(taken, np.where(ends.may[:, 2:], math.inf, self._rates * levels))
        less = self._chernoff(near @ taken) + (self._k - int(near.sum())) * levels
        N = next_fast_len(max(more, less) + 1)
        chosen = Chosen(ends, levels, N)
        if max(N, len(self._x) * self._N) > LONGEST_TABLE:
            return False
        self._second = chosen if chosen.few else Turned(ends, N)
        together = chosen.empty & chosen.few  # empty categories of a kind that are chosen for together
        self._together, self._filled = np.flatnonzero(together), np.flatnonzero(ends.may[:, 2])
        self._may_be_full = np.isin(np.arange(len(self._x)), self._near[self._filled])
        self._rows = np.delete(np.arange(len(self._x)), self._near[self._together])
        self._row = np.searchsorted(self._rows, np.arange(len(self._x)))
        self._farthest = int(np.abs(self._moves).max()) + levels
        self._chances = np.exp(self._noise.log_point(np.arange(-self._farthest, self._farthest + 1)))
        return True

    def _take(self, small: float) -> None:
        """How many levels there have to be for next to nothing to be lost, unless it is too much work."""
        found, rounded, left_out, zero = 0.0, 0.0, 10 * math.exp(-small), self._exponent(0.0)
        # choices are found from the first level on, and each is as much work
        last = 0 if isinstance(self._second, Chosen) else self._levels - 1
        some = np.unique(np.append(0, np.geomspace(1, max(last, 1), 12).astype(np.int64)).clip(0, last))
        planned = [self._plan(zero, slice(level, level + 1)).work for level in some.tolist()]
        work = np.interp(np.arange(self._levels), some, planned).cumsum()
        if work[-1] > MOST_WORK:
            return
        told = late("levels at most")
        for levels in self._some(zero):
            values, off = self._add(zero, levels)
            told(levels.stop, self._levels)
            reached, rounding = found + np.cumsum(values.real) / self._zero, rounded + np.cumsum(off)
            enough = np.flatnonzero(1 - reached <= left_out + rounding)
            last = int(enough[0]) if len(enough) else len(values) - 1
            found, rounded = float(reached[last]), float(rounding[last])
            if len(enough):
                told(self._levels, self._levels)
                self._levels = levels.start + last + 1
                break
        self.work = int(work[self._levels - 1])
        self.lost = max(1 - found, 0.0) + 4 * left_out + rounded
        self.log_itself = math.log(max(self._sum(700 / self.least)[0].real, 1e-300))

    def _sum(self, z: complex) -> tuple[complex, float]:
        r"""\(E[e^{-zD}]\), and what rounding and all that is left out may do to it."""
        at = self._exponent(z)
        found, off = 0j, math.exp(-FAR) / self._zero
        for levels in self._some(at):
            values, doubts = self._add(at, levels)
            found, off = found + complex(values.sum()) / self._zero, off + float(doubts.sum())
        return found, off

    def _some(self, at: _Exponent) -> list[slice]:
        """All levels, some at a time."""
        together = max(1, 2 * TOGETHER // max(len(self._rows) * at.N, self._second.terms))
        return [slice(i, min(i + together, self._levels)) for i in range(0, self._levels, together)]

    def _exponent(self, z: complex) -> _Exponent:
        """The moves that count, the ring, and what depends on no level."""
        power, ends, near = z if z.imag != 0 else z.real, self._ends, self._near
        # those of a kind are in one piece around zero
        counts = self._there & (z.real * self._exponents <= FAR)
        width, some = counts.shape[1], counts.any(axis=1)
        first, end = counts.argmax(axis=1), np.where(some, width - counts[:, ::-1].argmax(axis=1), 1)
        columns = first[:, None] + np.arange(int((end - first).max()))
        inside, columns = columns < end[:, None], np.minimum(columns, width - 1)
        kept = np.exp(-power * np.take_along_axis(self._exponents, columns, axis=1)) * inside
        kept *= np.take_along_axis(self._there, columns, axis=1)
        moves = np.take_along_axis(self._moves, columns, axis=1)
        lowest, highest = moves[:, 0].copy(), moves[:, 0] + end - 1 - first
        lowest[near] = np.where(ends.may[:, 1], np.minimum(lowest[near], -ends.counts), lowest[near])
        highest[near] = np.where(ends.may[:, 2], self._n - ends.counts, highest[near])
        farthest = max(int(self._times @ highest), -int(self._times @ lowest))
        N = min(self._N, next_fast_len(farthest + 1, real=True))
        U = N if z.imag != 0 else N // 2 + 1
        emptied = np.exp(-power * self._emptied)
        empty = near[self._together]
        weights = kept[empty] * self._chances[moves[empty] + self._farthest] / ends.left(np.zeros(1, dtype=np.int64))
        left = _around(weights, N, moves[empty, 0])
        chosen: Complexes = np.ones((1, 1), dtype=np.complex128)
        if isinstance(self._second, Chosen) and len(empty) > 0:
            chosen = self._second.product(left)
        return _Exponent(power, kept, moves, N, U, emptied, left, np.abs(weights).sum(axis=1), chosen)

    def _factors(self, at: _Exponent, levels: slice) -> _Factors:
        """Those before and after all steps of some levels."""
        rows, ends, empty = self._rows, self._ends, self._near[self._together]
        taken, U = np.arange(levels.start, levels.stop + 1), at.U
        inside = np.empty((len(taken), len(rows), U), dtype=np.complex128)
        sizes = np.ones((len(taken), len(self._x)))
        few = max(1, IN_A_BLOCK // (len(taken) * at.N))
        for first in range(0, len(rows), few):
            some, here = rows[first : first + few], slice(first, first + few)
            weights = at.kept[some] * self._chances[at.moves[some] + self._farthest + taken[:, None, None]]
            full = self._may_be_full[some]
            if full.any():
                last = self._n - self._x[some[full], None] - taken[:, None, None]
                weights[:, full] *= at.moves[some[full]] <= last
            inside[:, here] = _around(weights, at.N, at.moves[some, 0])
            sizes[:, some] = np.abs(weights).sum(axis=-1)
        bounds = np.ones((len(taken), len(self._near), 3))
        sizes[:, empty] = ends.left(taken)[:, None] * at.left_sizes
        bounds[:, :, 0], bounds[:, :, 1] = sizes[:, self._near], np.abs(at.ends)
        filled = np.empty((len(taken), len(self._filled), U), dtype=np.complex128)
        for i, place in enumerate(self._filled):
            kind, moves = self._near[place], self._n - taken - ends.counts[place]
            factor = np.exp(-at.power * moved_gap(self._prior[kind], self._x[kind], moves))
            bounds[:, place, 2] = np.abs(factor)
            filled[:, i] = factor[:, None] * np.exp(-2j * np.pi / at.N * (moves[:, None] * np.arange(U) % at.N))
        bounds *= ends.may
        sizes[:, self._near] = (bounds * ends.totals(taken)).sum(axis=-1)
        return _Factors(inside, filled, bounds, np.maximum(sizes, 1e-300))

    def _parts(self, at: _Exponent, factors: _Factors, place: int, here: Integers) -> Complexes:
        """(B + 1, 3, U) what one near an end makes of the moves: left with a record, emptied, full."""
        found = np.zeros((len(factors.inside), 3, len(here)), dtype=np.complex128)
        found[:, 0] = factors.inside[:, self._row[self._near[place]], here]
        found[:, 1] = at.ends[place] * np.exp(2j * np.pi / at.N * (self._ends.counts[place] * here % at.N))
        if place in self._filled:
            found[:, 2] = factors.full[:, np.searchsorted(self._filled, place), here]
        return found

    def _add(self, at: _Exponent, levels: slice) -> tuple[Complexes, Floats]:
        """What each of some levels adds, up to a factor; and what rounding and leaving out may do."""
        plan, found = self._plan(at, levels), np.zeros(levels.stop - levels.start, dtype=np.complex128)
        for frequencies, terms in plan.pairs:
            found += self._steps(at, plan.factors, levels, frequencies, terms)
        return found, plan.off

    def _plan(self, at: _Exponent, levels: slice) -> _Plan:
        """What has to be summed for some levels."""
        factors, second, many = self._factors(at, levels), self._second, levels.stop - levels.start
        size = _size(larger(factors.sizes), self._times)
        work = 50_000 + many * (10_000 + 10 * len(self._rows) * at.N)
        if size.max() <= NOTHING * self._zero:
            return _Plan(factors, [], (self._k + 1) * size / self._zero, work)
        if isinstance(second, Chosen):
            steps, rounded = self._of_choices(second, at, factors, levels)
        else:
            steps, rounded = self._of_pairs(second, at, factors, levels)
        nothing = np.maximum(TRANSFORMED / 20 * rounded, (self._k + 1) * NOTHING * self._zero / size)
        pairs = second.pairs(steps > nothing.reshape(-1, *[1] * (steps.ndim - 1)), at.N, at.U)
        off = (TRANSFORMED * rounded + nothing) * size / self._zero
        work += sum(many * len(one) * len(other) for one, other in pairs) * (self._k + 10 * len(second.runs))
        return _Plan(factors, pairs, off, work)

    def _of_choices(self, second: Chosen, at: _Exponent, factors: _Factors, levels: slice) -> tuple[Floats, Floats]:
        """(B, U) bounds on the sum of all steps, as shares of the product of ``sizes``, where there are choices.

        And (B,) what rounding takes a share of: these without any one category, added up, on average.
        """
        ends, taken = self._ends, np.arange(levels.start, levels.stop + 1)
        sizes = larger(factors.sizes)
        beside, left = np.zeros(factors.sizes.shape), ends.left(taken)[:, None, None] * np.abs(at.left)
        beside[:, self._near] = (factors.bounds * ends.totals(taken))[:, :, 1:].sum(axis=2)
        near, empty = set(self._near.tolist()), self._near[self._together].tolist()
        logs = np.zeros((2, len(sizes), at.U))
        least: Floats = np.ones(1)
        for kind, times in enumerate(self._times.tolist()):
            most = left[:, empty.index(kind)] if kind in empty else np.abs(factors.inside[:, self._row[kind]])
            ratios = larger(most + beside[:, kind, None]) / sizes[:, kind, None] + TRANSFORMED
            more = times * np.log(ratios)
            logs[0] += more
            if kind not in near:
                logs[1] += more
                least = np.minimum(least, ratios)
        first, without = np.exp(np.maximum(logs, -600.0))
        # categories near an end are taken as what each choice says, at all frequencies
        far = np.setdiff1d(self._rows, self._near)
        each = (second.sizes(levels) * second.bounds(larger(factors.bounds), at.left_sizes)).sum(axis=1)
        each *= self._k * _size(sizes[:, far], self._times[far]) / _size(sizes, self._times)
        return (self._k + 1) * first, each * (np.minimum(without / least, 1.0) @ shares_of(at.N, at.U))

    def _of_pairs(self, second: Turned, at: _Exponent, factors: _Factors, levels: slice) -> tuple[Floats, Floats]:
        r"""(B, V, T) bounds on the same in cells of both frequencies, and what rounding takes a share of.

        With ratios \(q_i\) of the factors to ``sizes``, a step is at most \(\prod_i q_i\), but for the factor of the
        category that it takes from, if this may be emptied: it is another. So all of them, and where no step is taken,
        are at most \((1 + S) \prod_i q_i\) where S counts 1 or \(1/q_i\) for each; and without any one category at most
        \((1 + S) (\sum_i 1/q_i) \prod_i q_i\).
        """
        sizes, (edges, shares) = larger(factors.sizes), cells(at.N)
        beside = second.beside(levels, larger(factors.bounds))
        places = dict(zip(self._near.tolist(), range(len(self._near)), strict=True))
        logs, half = np.zeros((len(beside), len(edges) - 1, beside.shape[-1])), int(edges[-1])
        others, taking = np.zeros(logs.shape), np.ones(logs.shape)
        for kind, times in enumerate(self._times.tolist()):
            inside = larger(np.abs(factors.inside[:, kind]))
            most = np.maximum.reduceat(inside[:, :half], edges[:-1], axis=1)
            if inside.shape[1] > half:
                below = inside[:, :0:-1][:, : half - 1]  # those below zero, the other way around
                most[:, 1:] = np.maximum(most[:, 1:], np.maximum.reduceat(below, edges[1:-1] - 1, axis=1))
            ratios = most[:, :, None]
            if kind in places:
                ratios = ratios + beside[:, places[kind], None]
            ratios = np.minimum(ratios / sizes[:, kind, None, None] + TRANSFORMED, 1.0)
            logs += times * np.log(ratios)
            others += times / ratios
            emptied = kind in places and self._ends.may[places[kind], 1]
            taking += times / ratios if emptied else times
        logs += np.log(taking)
        steps, without = np.exp(logs), np.exp(logs + np.log(others))
        rounded = (np.minimum(without, self._k * (self._k + 1)) @ second.shares) @ shares
        return np.minimum(steps, self._k + 1), rounded

    def _steps(
        self, at: _Exponent, factors: _Factors, levels: slice, frequencies: Integers, terms: Integers
    ) -> Complexes:
        """The sum over all steps of each level, and where no record is taken yet before the first."""
        found, shares = np.zeros(levels.stop - levels.start, dtype=np.complex128), shares_of(at.N, at.U)
        many = max(WIDE, TOGETHER // (len(found) * max(1, len(terms))))
        few = max(1, TOGETHER // (len(found) * min(many, max(1, len(frequencies)))))
        for some in np.split(terms, range(few, len(terms), few)):
            weights = self._second.weights(levels, some)
            for here in np.split(frequencies, range(many, len(frequencies), many)):
                found += self._step_by_step(at, factors, levels, here, some, weights).sum(axis=1) @ shares[here]
        return found if np.iscomplexobj(at.kept) else found.real.astype(np.complex128)

    def _step_by_step(
        self,
        at: _Exponent,
        factors: _Factors,
        levels: slice,
        here: Integers,
        terms: Integers,
        weights: "Complexes | Floats",
    ) -> Complexes:
        """(B, Q, U) the same at some frequencies, of some terms with their weights."""
        second, inside = self._second, factors.inside[:, :, here]
        # all steps so far, with what the others below are; and the product of those above
        reached = weights[:, :, :1] * np.ones(len(here), dtype=np.complex128)
        passed: Complexes = np.ones((1, 1, 1), dtype=np.complex128)
        for run in second.runs:
            steps = weights[:, :, run.steps]
            if run.place < 0:
                rows = self._row[self._kind[run.start : run.stop]]
                before, after = _running(inside[1:, rows]), _running(inside[:-1, rows][:, ::-1])[:, ::-1]
                each = before.copy()
                each[:, :-1] *= after[:, 1:]
                reached = reached * after[:, :1] + passed * _summed(steps, each)
                passed = passed * before[:, -1:]
            elif run.place in self._together:
                reached = reached + passed * steps
            else:
                parts = self._parts(at, factors, run.place, here)
                rest, ahead, taking = second.factors(levels, run, terms, parts)
                reached = reached * rest + passed * (steps * taking)
                passed = passed * ahead
        if len(self._together) > 0:
            reached = reached * at.chosen[terms][:, here]
        return np.asarray(reached)


def _around(weights: "Complexes | Floats", N: int, firsts: Integers) -> Complexes:
    """The transforms around a ring of rows (..., K, W), from their first places (K,) on; it may be shorter."""
    around, width = np.zeros((*weights.shape[:-1], N), dtype=weights.dtype), weights.shape[-1]
    for row, first in enumerate((firsts % N).tolist()):
        start, done = first, 0
        while done < width:
            many = min(N - start, width - done)
            around[..., row, start : start + many] += weights[..., row, done : done + many]
            start, done = 0, done + many
    return np.asarray(fft(around) if np.iscomplexobj(weights) else rfft(around))


def _running(factors: Complexes) -> Complexes:
    """Products of the first factors, for each number of them."""
    for more in range(1, factors.shape[1]):
        factors[:, more] *= factors[:, more - 1]
    return factors


def _size(sizes: Floats, times: Integers) -> Floats:
    """(B,) the products over all kinds (B, K), of which each is there so many times."""
    return np.asarray(np.exp(np.maximum(np.log(np.maximum(sizes, 1e-300)) @ times.astype(np.float64), -600.0)))


def _summed(weights: "Complexes | Floats", values: Complexes) -> Complexes:
    """(B, Q, U) sums over steps; those of real weights twice as fast as if they were complex."""
    if np.iscomplexobj(weights):
        return np.asarray(weights @ values)
    return np.asarray((weights @ values.view(np.float64)).view(np.complex128))


def _odds(decay: "Floats | float") -> Floats:
    r"""\(\sum_{j \ge 1} e^{-j \cdot \text{decay}}\)."""
    return np.asarray(np.exp(-decay) / -np.expm1(-decay))
