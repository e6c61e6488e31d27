r"""Lattice noise near the ends of the counts, without a list: the nearest legal counts as products.

Noisy counts are \(y = x + v\) with a total of n, moved to 0..n; call them c. By \(\ell = 0, 1, \dots\) records are
taken away, one from each category in turn, again and again: \(\tau_i(\ell)\) from category i, which leaves
\(r_i = \max(c_i - \tau_i, 0)\). The nearest legal counts are the first of these with a total of n. The step that takes
from category t lowers the total by one if \(c_t \ge \tau_t\). So the first is where the total is n and
\(c_t \ge \tau_t\), or \(\ell = 0\). With what \(y_i\) falls short of \(\tau_i\), and what it exceeds n by,
\[ \sum_i r_i = \sum_i y_i - \ell + \sum_i (\tau_i - y_i)^+ - \sum_i (y_i - n)^+ , \]
and so the total is n if and only if shortfalls less excesses are \(\ell\). Both totals, of moves and of these, are
coefficients of a product in two variables, of one factor for each category. Only counts near 0 or n depend on the
second, whose coefficient is had around a pole (``shortfalls``). That of moves is had around a ring, which confuses only
what lies a whole ring apart: Chernoff's inequality says how long it has to be, for each level (``lattice_levels``). At
a large \(\theta\) only small moves count, and the ring is as short as these allow. Where no category is emptied,
nothing is taken away.

All terms are probabilities. So the sum of all, without exponents, is short of one by what is left out. Levels, of one
record from each category, are computed some at a time, if one circle is good for all of them.

Of a product of factors, each off by rounding, what is off is at most what rounding does to one, times the products of
all others, added up, on average over all frequencies. Those at which the product of bounds on the factors is next to
nothing are left out; where that of those far from the ends is, the factors are not even held.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.fft import fft, irfft, next_fast_len, rfft

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_balanced
from ..mechanisms.noise import NoiseAt
from ..model.distances import moved_gap
from ..progress import late
from .lattice_cells import Around, cells, in_cells, in_pairs, larger, pairs_of, shares_of, that_count
from .lattice_few import Pair, Window, far_sums, repeated, window
from .lattice_levels import Levels, levels_of, most_levels
from .noise_factors import multiplied
from .noise_spectrum import TRANSFORMED
from .products import GAP, kinds_of
from .shortfalls import LARGER, Chosen, Circle, NearEnds, Truths, bounding, chosen, radii_of
from .spectrum import Complexes, Spectrum, tilts

MOST_WORK = 100_000_000_000
"""No sums are made of which the longest takes more numbers, about a minute: all is lost then."""

LONGEST_TABLE = 1 << 24
"""No more numbers are held of one kind: of all factors at the frequencies that count, say."""

LONGEST_PAIR = 1 << 25
"""No more of two categories at all levels."""

TOGETHER = 1 << 14
"""So many numbers are computed at once: they stay in the processor's cache, and no threads are started for them."""

WIDE = 64
"""No fewer frequencies of moves at a time."""

IN_A_BLOCK = 1 << 16
"""No more numbers are transformed at once."""

FEW_LEVELS = 8
"""No fewer levels at a time, if they are not too many numbers; the factors after the last are those before the next."""

MANY_LEVELS = 64
"""No more levels at a time: each has bounds on many pairs of frequencies and points."""

NOTHING = 1e-18
"""Products that are a smaller share of all are left out."""

LONGER = 1.06
"""Rings of different levels are powers of this long."""

FAR = 46.0
r"""And so are moves with \(\theta D_i\) beyond."""

FEW, SHORT = 3, 4
"""Where no more categories are far from the ends, and the others' moves so much shorter, these are summed apart."""

MOST_MOVES = 1 << 16
"""They are not where there are more of these moves, for Chernoff's inequality looks at each."""

LARGEST_POWER = 300.0
"""Sums of larger powers of e are not computed."""


class _Run(NamedTuple):
    """Categories in a row: none of them near an end, or all of them of one kind that is."""

    start: int
    stop: int
    place: int  # of their kind among those near an end; -1 if they are not


class _Sides(NamedTuple):
    """The kinds of categories that are near an end, as far as emptied and full ones count."""

    near: Integers  # (K',)
    far: Truths  # (K,) the others
    ends: NearEnds
    runs: list[_Run]
    radii: Floats  # of the circles that are looked at
    filled: Integers  # (F,) those near an end that may be full
    emptied: int  # how many categories may be emptied
    work: int  # of one level at one frequency and point


class _Exponent(NamedTuple):
    """What one exponent makes of the moves; the ring is no longer than the moves that count need."""

    sides: _Sides

    power: "complex | float"
    kept: "Complexes | Floats"  # (K, W) its factor
    moves: Integers  # (K, W)
    widths: Integers  # (K,) so many of these count
    N: int  # the length of the ring
    U: int  # how many frequencies there are; half of them do for real exponents
    ends: "Complexes | Floats"  # (K',) the factor of what is emptied
    window: Window | None  # of the total of what is near an end, if that is short and few others are there
    pair: Pair | None  # the others, if they are two


class _Factors(NamedTuple):
    """Levels in a row, before and after steps: the factors of each kind of category at the frequencies of the moves."""

    here: Integers  # (U',) frequencies
    inside: Complexes  # (B + 1, K, U') of what a record is left of, at these
    others: float  # a bound on all steps at others, as a share
    sizes: Floats  # (B + 1, K) bounds on these
    turned: Floats  # (B + 1, K, V) the same in cells of frequencies, as a share
    full: Complexes  # (B + 1, F, U) of what is full
    beside: Floats  # (B + 1, K', 2) bounds on the factors of kinds near an end, emptied and full


class _Plan(NamedTuple):
    """What is summed for some levels, what is off then, and how much work it is."""

    factors: _Factors
    points: Circle
    all_of_it: bool  # whether what is not emptied is a part of that
    pairs: list[tuple[Integers, int]]  # frequencies of moves, and how many points belong to each
    off: Floats
    work: int
    apart: float  # how far the levels are from sharing one circle


class LatticeSums:
    r"""Sums over all releases of lattice noise, each with its probability.

    With ``powers`` only \(E[e^{-\theta D}]\) with \(\theta \ge 1\) are asked for: levels at which releases are far from
    the dataset may be left out. What is known of the ``levels`` is not made again.
    """

    log_total = 0.0

    def __init__(
        self,
        prior: Floats,
        counts: Integers,
        noise: NoiseAt | GaussianNoiseAt,
        small: float,
        *,
        powers: bool = False,
        levels: Levels | None = None,
    ) -> None:
        self._k, self._n, self._noise, self._powers = len(counts), int(counts.sum()), noise, powers
        reach = noise.reach(small + math.log(self._k))
        kinds, self._kind = np.unique(np.stack([prior, counts]), axis=1, return_inverse=True)
        self._prior, self._x, self._times = kinds[0], kinds[1].astype(np.int64), np.bincount(self._kind)
        self._zero = math.exp(log_balanced(noise, self._k))
        decay = noise.decay
        self._rates = decay * np.linspace(0.02, 0.98, 60)
        up, down, still = _odds(decay - self._rates), _odds(decay + self._rates), float(noise.log_point(0))
        self._enough = small - math.log(self._zero)
        self._N = next_fast_len(self._chernoff(self._k * (still + np.log(1 + up + down))) + 1, real=True)
        emptied = self._x <= (3 if powers else 1) * reach
        near = emptied | (self._n - self._x <= reach)
        self._levels = most_levels(noise, self._k, self._n, self._x[near], self._times[near], self._enough)
        self._first, self._rings = 0, np.empty(0, dtype=np.int64)
        if powers:
            if (found := levels or levels_of(prior, counts, noise)) is not None:
                below = np.logaddexp.accumulate(found.logs)
                beyond = np.logaddexp.accumulate(found.logs[::-1])[::-1]
                self._levels = min(self._levels, max(int((beyond > -small).sum()), 1))
                self._first = min(int((below <= -small).sum()), self._levels - 1)
                self._rings = np.minimum(found.rings(small), self._N)
            emptied = self._x <= reach + self._levels
        # what a kind may be: left with a record, emptied, full
        self._may = np.stack([np.ones(len(self._x), dtype=bool), emptied, self._n - self._x <= reach], axis=1)
        self._emptied = self._gaps(-self._x[:, None])[:, 0]
        self._filled = self._gaps_where_full()
        low = np.maximum(1 - self._x, -reach - (self._levels if powers else min(reach, self._levels)))
        self._moves = low[:, None] + np.arange(int((np.minimum(self._n - self._x, reach) - low).max()) + 1)
        self._there = self._moves <= (self._n - self._x)[:, None]
        self._exponents = self._gaps(np.where(self._there, self._moves, 0))
        largest = self._exponents.max(axis=1) + np.where(self._may[:, 1], self._emptied, 0.0)
        self._largest = float(largest @ self._times)
        self.least = kinds_of(prior, counts).least
        steps = tilts(self.least, 0.5)
        self.thetas = np.concatenate([-steps, steps])
        self.lost, self.log_itself, self.work = 1.0, -math.inf, 0
        self._farthest = int(np.abs(self._moves).max()) + self._levels
        if max(self._farthest, (1 + int(self._may[:, 1:].any(axis=1).sum())) * self._N) > LONGEST_TABLE:
            return
        # rows of as many as there are moves
        last = self._farthest + self._moves.shape[1]
        self._chances = np.exp(self._noise.log_point(np.arange(-self._farthest, last + 1)))
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

    def _gaps_where_full(self) -> Floats:
        """At least, of all levels."""
        return self._gaps(np.maximum(self._n - self._x - self._levels, 0)[:, None])[:, 0]

    def _gaps(self, moves: Integers) -> Floats:
        return moved_gap(self._prior[:, None], self._x[:, None], moves)

    def _chernoff(self, log_means: Floats) -> int:
        """What a total exceeds with next to no probability, by the logarithms of its moments at all rates."""
        return math.ceil(float(((self._enough + log_means) / self._rates).min()))

    def _take(self, small: float) -> None:
        """How much is lost, unless it is too much work."""
        at, first, last = self._exponent(float(self._powers)), self._first, self._levels - 1
        steps = np.geomspace(1, 1 + last - first, 12).astype(np.int64)
        some = np.unique(np.append(first, first + steps).clip(first, last))
        planned = [self._work(at, slice(level, level + 1)) for level in some.tolist()]
        work = np.interp(np.arange(self._levels), some, planned)
        if work[first:].sum() > MOST_WORK:
            return
        self.lost = self._at_some_levels(small) if self._powers else self._not_reached(at, small)
        self.work = int(work[self._first : self._levels].sum())
        self.log_itself = math.log(max(self._sum(700 / self.least)[0].real, 1e-300))

    def _work(self, at: _Exponent, level: slice) -> int:
        """Of one level, in numbers."""
        at = self._ring(at, level)
        if at.window is None:
            return self._plan(at, level).work
        taken, h = np.arange(level.start, level.stop + 1), len(self._far_kinds(at))
        factors, _ = self._side_by_side(at, at.window, taken)
        if self._at_most(at, factors, taken).max() <= NOTHING * self._zero:
            return 10_000
        pairs, _ = self._near_pairs(_short(at, at.window), factors, self._chosen(at, factors, taken).points, taken)
        near = sum(len(frequencies) * many for frequencies, many in pairs)
        return 20_000 + near * (at.sides.work + 10 * h) + (0 if at.pair is not None else 20 * at.N * (h + 2))

    def _not_reached(self, zero: _Exponent, small: float) -> float:
        """What is lost with as many levels as there have to be for it to be next to nothing."""
        found, rounded, left_out = 0.0, 0.0, 10 * math.exp(-small)
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
        return max(1 - found, 0.0) + 4 * left_out + rounded

    def _at_some_levels(self, small: float) -> float:
        r"""What is lost where levels at which \(E[e^{-D}]\) is next to nothing are left out: so are higher powers."""
        # at most so many times e^-small: 2 for levels left out so far, 4 for noise beyond its reach, 2 for totals a
        # ring apart
        lost = 8 * math.exp(-small)
        values, doubts = self._by_level(1.0)
        sizes = np.abs(values) / self._zero + doubts
        below, beyond = np.cumsum(sizes), np.append(np.cumsum(sizes[::-1])[::-1], 0.0)
        before, kept = int((below <= lost).sum()), max(int((beyond > lost).sum()), 1)
        before = min(before, kept - 1)
        self._first, self._levels = self._first + before, self._first + kept
        self._filled = self._gaps_where_full()
        return lost + float(beyond[kept]) + (float(below[before - 1]) if before > 0 else 0.0)

    def _sum(self, z: complex) -> tuple[complex, float]:
        r"""\(E[e^{-zD}]\), and what rounding and all that is left out may do to it."""
        values, doubts = self._by_level(z)
        return complex(values.sum()) / self._zero, float(doubts.sum()) + math.exp(-FAR) / self._zero

    def _by_level(self, z: complex) -> tuple[Complexes, Floats]:
        """What each level adds, up to a factor, and what may be off."""
        told, at, found = late("levels"), self._exponent(z), []
        for levels in self._some(at):
            found.append(self._add(at, levels))
            told(levels.stop - self._first, self._levels - self._first)
        values, doubts = (np.concatenate(some) for some in zip(*found, strict=True))
        return values, doubts

    def _some(self, at: _Exponent) -> list[slice]:
        """All levels, some at a time."""
        found, start = [], self._first
        while start < self._levels:
            around = self._ring(at, slice(start, start + 1))
            each = len(self._x) * (around.N if at.pair is None or at.window is None else at.window.N)
            together = max(1, min(4 * IN_A_BLOCK // each, MANY_LEVELS), min(FEW_LEVELS, LONGEST_TABLE // each))
            found.append(slice(start, min(start + together, self._levels)))
            start = found[-1].stop
        return found

    def _ring(self, at: _Exponent, levels: slice) -> _Exponent:
        """With a ring that is no longer than these levels need."""
        if len(self._rings) == 0:
            return at
        # of few lengths, so that what depends on them alone is not made again
        steps = math.ceil(math.log(float(self._rings[levels].max())) / math.log(LONGER))
        N = min(at.N, next_fast_len(math.ceil(LONGER**steps), real=True))
        return at._replace(N=N, U=N // 2 + 1)  # powers are real

    def _sides(self, may: Truths) -> _Sides:
        """Where kinds may be (K, 3) left with a record, emptied, full."""
        near: Truths = np.asarray(may[:, 1:].any(axis=1))
        places = np.where(near, np.cumsum(near) - 1, -1)[self._kind]
        ends, runs = NearEnds(self._x[near], may[near], places, self._n, self._noise), _in_rows(places)
        # equal categories near an end are multiplied by squares
        many = [(run.stop - run.start, run.place) for run in runs]
        work = sum(10 + (size if place < 0 else 4 * size.bit_length()) for size, place in many)
        filled, emptied = np.flatnonzero(ends.may[:, 2]), int(self._times[may[:, 1]].sum())
        return _Sides(np.flatnonzero(near), ~near, ends, runs, radii_of(ends), filled, emptied, work)

    def _exponent(self, z: complex) -> _Exponent:
        """The moves that count, the ring, and what depends on no level."""
        power, may = z if z.imag != 0 else z.real, self._may.copy()
        may[:, 1:] &= z.real * np.stack([self._emptied, self._filled], axis=1) <= FAR
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
        lowest = np.where(may[:, 1], np.minimum(lowest, -self._x), lowest)
        highest = np.where(may[:, 2], self._n - self._x, highest)
        farthest = max(int(self._times @ highest), -int(self._times @ lowest))
        N = min(self._N, next_fast_len(farthest + 1, real=True))
        U = N if z.imag != 0 else N // 2 + 1
        sides = self._sides(may)
        ends = np.exp(-power * self._emptied[sides.near])
        at = _Exponent(sides, power, kept, moves, end - first, N, U, ends, None, None)
        if (found := self._window(at)) is None:
            return at
        places, pair = self._far_kinds(at), None
        if len(places) == 2 and 2 * (self._levels + 1) * found.N <= LONGEST_PAIR:
            share = math.exp(float(self._noise.log_point(0)))
            pair = Pair(kept[places], moves[places], -found.moves, self._levels, share, self._noise.decay)
        return at._replace(window=found, pair=pair)

    def _window(self, at: _Exponent) -> Window | None:
        """Of the total of what is near an end, if few categories are not and it is short."""
        near, few = at.sides.near, self._times[at.sides.far].sum() <= FEW
        if not few or len(near) == 0 or len(at.sides.filled) > 0 or np.iscomplexobj(at.kept):
            return None
        width, longest = int(at.widths[near].max()), self._ring(at, slice(self._first, self._levels)).N
        if SHORT * width > longest or len(near) * width > MOST_MOVES:
            return None
        # no level has more of these moves; what is emptied has all of its noise
        moves, kept = at.moves[near, :width], at.kept[near, :width]
        chances = np.exp(self._noise.log_point(np.maximum(moves, 0)))
        with np.errstate(divide="ignore"):
            logs = np.log(np.column_stack([kept * chances, at.ends]))
        enough = FAR - math.log(self._zero) + math.log(self._k + 1) + math.log(self._levels)
        found = window(np.column_stack([moves, -self._x[near]]), logs, self._times[near], enough)
        return found if longest >= SHORT * found.N else None

    def _factors(self, at: _Exponent, levels: slice) -> _Factors:
        """Those before and after all steps of some levels."""
        sides, taken, V = at.sides, np.arange(levels.start, levels.stop + 1), len(cells(at.N)[1])
        sizes, turned = np.empty((len(taken), len(self._x))), np.empty((len(taken), len(self._x), V))
        few = max(1, IN_A_BLOCK // (len(taken) * at.N))
        # steps in each cell are at most the product of the factors far from the ends, k + 1 times
        bounds, others, parts = np.full(V, math.log(self._k + 1)), -math.inf, []
        for stop in range(len(self._x), 0, -few):
            some = np.arange(max(stop - few, 0), stop)
            transforms, sizes[:, some] = self._around(at, some, taken)
            turned[:, some] = in_cells(transforms, sizes[:, some], at.N)
            bounds += np.where(sides.far, self._times, 0)[some] @ np.log(turned[:, some].max(axis=0))
            rows = len(taken) * (len(self._x) - int(some[0]))
            counts, left_out = that_count(bounds, math.log(NOTHING * self._zero), at.N, at.U, LONGEST_TABLE // rows)
            others = max(others, left_out)
            parts.append((counts, transforms[:, :, counts]))
        here = np.flatnonzero(np.all([counts for counts, _ in parts], axis=0))
        inside = np.concatenate([part[:, :, np.cumsum(counts)[here] - 1] for counts, part in parts[::-1]], axis=1)
        beside = np.zeros((len(taken), len(sides.near), 2))
        beside[:, :, 0] = np.abs(at.ends)
        filled = np.empty((len(taken), len(sides.filled), at.U), dtype=np.complex128)
        for i, place in enumerate(sides.filled):
            kind, moves = sides.near[place], self._n - taken - sides.ends.counts[place]
            factor = np.exp(-at.power * moved_gap(self._prior[kind], self._x[kind], moves))
            beside[:, place, 1] = np.abs(factor)
            filled[:, i] = factor[:, None] * np.exp(-2j * np.pi / at.N * (moves[:, None] * np.arange(at.U) % at.N))
        return _Factors(here, inside, math.exp(others), sizes, turned, filled, beside)

    def _around(self, at: _Exponent, some: Integers, taken: Integers) -> tuple[Complexes, Floats]:
        """(B + 1, K, U) transforms of the moves of some kinds that leave a record, and the sums of their sizes."""
        around: Any = np.zeros((len(taken), len(some), at.N), dtype=at.kept.dtype)
        sizes = np.empty((len(taken), len(some)))
        for i, kind in enumerate(some.tolist()):
            width = int(at.widths[kind])
            moves, rows = at.moves[kind, :width], sliding_window_view(self._chances, width)
            first = int(moves[0])
            weights = at.kept[kind, :width] * rows[taken + (first + self._farthest)]
            if self._may[kind, 2]:
                weights *= moves <= self._n - self._x[kind] - taken[:, None]
            sizes[:, i] = np.abs(weights).sum(axis=-1)
            start, done = first % at.N, 0
            while done < width:  # it may be longer than the ring
                many = min(at.N - start, width - done)
                around[:, i, start : start + many] += weights[:, done : done + many]
                start, done = 0, done + many
        return np.asarray(fft(around) if np.iscomplexobj(at.kept) else rfft(around)), sizes

    def _add(self, at: _Exponent, levels: slice) -> tuple[Complexes, Floats]:
        """What each of some levels adds, up to a factor; and what rounding and leaving out may do."""
        found = self._together(at, levels) if at.window is None else self._apart(at, at.window, levels)
        if found is not None:
            return found
        middle = (levels.start + levels.stop) // 2
        parts = [self._add(at, part) for part in (slice(levels.start, middle), slice(middle, levels.stop))]
        values, doubts = (np.concatenate(some) for some in zip(*parts, strict=True))
        return values, doubts

    def _together(self, at: _Exponent, levels: slice) -> tuple[Complexes, Floats] | None:
        """The same of all categories around one ring; None if no circle is good for all levels."""
        at = self._ring(at, levels)
        plan, found = self._plan(at, levels), np.zeros(levels.stop - levels.start, dtype=np.complex128)
        if plan.apart > 2 * math.log(LARGER) and len(found) > 1:
            return None
        for frequencies, points in plan.pairs:
            found += self._steps(at, plan, levels, frequencies, points)
        off = plan.off
        if levels.start == 0 and not plan.all_of_it:  # nothing is emptied, and nothing taken
            product, doubt = self._untouched(at, plan.factors)
            found[0] += product
            off = off + np.append(doubt, np.zeros(len(off) - 1))
        return found, off

    def _untouched(self, at: _Exponent, factors: _Factors) -> tuple[complex, float]:
        """What releases without an emptied category add, and what rounding may do to it."""
        sizes, shares = np.maximum(factors.sizes[0], 1e-300), shares_of(at.N, at.U)
        ratios = factors.turned[0]
        without = np.exp(self._times @ np.log(ratios)) * (self._times @ (1 / ratios))
        size = math.exp(max(float(self._times @ np.log(sizes)), -600.0))
        value = complex(multiplied(factors.inside[0], self._times) @ shares[factors.here])
        off = (TRANSFORMED * float(without @ cells(at.N)[1]) + factors.others) * size / self._zero
        return value if np.iscomplexobj(at.kept) else value.real, off

    def _plan(self, at: _Exponent, levels: slice) -> _Plan:
        """What has to be summed for some levels."""
        factors, sides, many = self._factors(at, levels), at.sides, levels.stop - levels.start
        taken = np.arange(levels.start, levels.stop + 1)
        size = self._at_most(at, factors, taken)
        work = 50_000 + many * (10_000 + 10 * len(self._x) * at.N)
        if size.max() <= NOTHING * self._zero:
            bounds = bounding(sides.ends, sides.radii)
            return _Plan(factors, bounds, False, [], (self._k + 1) * size / self._zero, work, 0.0)
        points, all_of_it, apart = self._chosen(at, factors, taken)
        around = self._around_pole(sides.near, factors, points, taken)
        sizes = np.maximum(around.largest().max(axis=2), 1e-300)
        size = _size(sizes, self._times)
        nothing = np.maximum((self._k + 1) * NOTHING * self._zero / size, factors.others)
        weights, (_, shares) = np.abs(points.weights), cells(at.N)
        steps, rounded = in_pairs(factors.turned, around, sizes, self._times, nothing, shares, weights)
        rounded = rounded * (1 + levels.stop * float(np.abs(points.log_w).max()) / 16)  # what powers of w are off
        shared = float(weights.sum())
        nothing = np.maximum(TRANSFORMED / 20 * rounded / shared, nothing)
        pairs = pairs_of(steps > nothing[:, None, None], at.N, at.U)
        off = (TRANSFORMED * rounded + nothing * shared) * size / self._zero + NOTHING
        work += sum(many * len(one) * other for one, other in pairs) * sides.work
        return _Plan(factors, points, all_of_it, pairs, off, work, apart)

    def _at_most(self, at: _Exponent, factors: _Factors, taken: Integers) -> Floats:
        """(B,) of each step of each level, at most."""
        likely, sides = factors.sizes.copy(), at.sides
        likely[:, sides.near] += (factors.beside * sides.ends.totals(taken)[:, :, 1:]).sum(axis=-1)
        return _size(larger(likely), self._times)

    def _chosen(self, at: _Exponent, factors: _Factors, taken: Integers) -> Chosen:
        """The circle, and how many points."""
        sides, bounds = at.sides, bounding(at.sides.ends, at.sides.radii)
        with np.errstate(over="ignore", invalid="ignore"):  # far from the pole
            most = self._around_pole(sides.near, factors, bounds, taken).largest()
            logs = (np.log(np.maximum(most, 1e-300)) * self._times[:, None]).sum(axis=1).T
        logs = np.where(np.isnan(logs), math.inf, logs) + math.log(self._k + 1)
        return chosen(sides.ends, logs, bounds, math.log(NOTHING * self._zero), sides.emptied)

    def _around_pole(self, near: Integers, factors: _Factors, points: Circle, taken: Integers) -> Around:
        """Bounds at each point."""
        full = factors.beside[:, :, 1:] * np.abs(points.full(taken))
        rest = factors.beside[:, :, :1] * np.abs(points.emptied(taken)) + full
        stepped = factors.beside[:, :, :1] * np.abs(points.exactly(taken)) + full
        left = factors.sizes[:, :, None] * np.abs(points.scale(taken))[:, None]
        return Around(near, left, rest, stepped)

    def _steps(self, at: _Exponent, plan: _Plan, levels: slice, frequencies: Integers, many: int) -> Complexes:
        """The sum over all steps of each level, at the first points, and where no record is taken yet."""
        taken, shares = np.arange(levels.start, levels.stop + 1), shares_of(at.N, at.U)
        found = np.zeros(len(taken) - 1, dtype=np.complex128)
        wide = max(WIDE, TOGETHER // (len(found) * many))
        few = max(1, TOGETHER // (len(found) * min(wide, len(frequencies))))
        for first in range(0, many, few):
            some = slice(first, min(first + few, many))
            here = plan.points.some(some)
            parts = [here.scale(taken), here.emptied(taken), here.exactly(taken), here.full(taken)]
            for part in np.split(frequencies, range(wide, len(frequencies), wide)):
                sums = self._step_by_step(at, plan.factors, taken, part, here.log_w, parts)
                found += (sums @ shares[part]) @ here.weights
        return found if np.iscomplexobj(at.kept) else found.real.astype(np.complex128)

    def _step_by_step(
        self,
        at: _Exponent,
        factors: _Factors,
        taken: Integers,
        here: Integers,
        log_w: Complexes,
        parts: list[Complexes],
    ) -> Complexes:
        """(B, Q, U) the same at some frequencies and points."""
        inside = factors.inside[:, :, np.searchsorted(factors.here, here)]
        shape = (len(taken) - 1, len(log_w), len(here))
        # all steps so far, with what the others below are; and the product of those above
        reached: Complexes = np.zeros(shape, dtype=np.complex128)
        reached[taken[:-1] == 0] = 1.0
        passed: Complexes = np.ones(shape, dtype=np.complex128)
        for run in at.sides.runs:
            many = run.stop - run.start
            if run.place < 0:
                rows = self._kind[run.start : run.stop]
                before, after = _running(inside[1:, rows]), _running(inside[:-1, rows][:, ::-1])[:, ::-1]
                each = before.copy()
                each[:, :-1] *= after[:, 1:]
                so_far = many * taken[:-1, None] + np.arange(many + 1)
                powers = np.exp(-log_w[:, None] * so_far[:, None])
                rest, ahead = powers[:, :, :1] * after[:, :1], powers[:, :, -1:] * before[:, -1:]
                steps = powers[:, :, 1:] @ each
            else:
                rest, ahead, steps = self._near_run(at, factors, run, inside[:, at.sides.near[run.place]], here, parts)
            steps *= passed
            reached *= rest
            reached += steps
            passed *= ahead
        return reached

    def _near_run(
        self,
        at: _Exponent,
        factors: _Factors,
        run: _Run,
        inside: Complexes,
        here: Integers,
        parts: list[Complexes],
    ) -> tuple[Complexes, ...]:
        """(B, Q, U) the products of equal categories near an end before and after all their steps, and these steps."""
        sides, place, (scale, emptied, exactly, full) = at.sides, run.place, parts
        turned = at.ends[place] * np.exp(2j * np.pi / at.N * (sides.ends.counts[place] * here % at.N))
        whole = inside[:, None] * scale[:, :, None]
        if place in sides.filled:
            filled = factors.full[:, np.searchsorted(sides.filled, place)][:, None, here]
            whole += filled * full[:, place, :, None]
        steps = exactly[1:, place, :, None] * turned
        steps += whole[1:]
        whole += emptied[:, place, :, None] * turned
        return repeated(whole[:-1], whole[1:], steps, run.stop - run.start)

    def _side_by_side(self, at: _Exponent, window: Window, taken: Integers) -> tuple[_Factors, Complexes]:
        """Factors of what is near an end around their own ring; and those of the others, unless they are a pair."""
        sides, far = at.sides, np.flatnonzero(at.sides.far)
        sizes, beside = np.empty((len(taken), len(self._x))), np.zeros((len(taken), len(sides.near), 2))
        beside[:, :, 0] = np.abs(at.ends)
        inside, sizes[:, sides.near] = self._around(_short(at, window), sides.near, taken)
        if at.pair is None:
            across, sizes[:, far] = self._around(at, far, taken)
        else:
            across, sizes[:, self._far_kinds(at)] = inside[:, :0], at.pair.sizes[taken]
        here = np.arange(inside.shape[-1])
        return _Factors(here, inside, 0.0, sizes, np.empty(0), inside[:, :0], beside), across

    def _far_kinds(self, at: _Exponent) -> Integers:
        """The kinds of all categories that are far from the ends, one after the other."""
        return np.asarray(self._kind[at.sides.far[self._kind]])

    def _apart(self, at: _Exponent, window: Window, levels: slice) -> tuple[Complexes, Floats] | None:
        """``_together``, where few categories are far from the ends and the total of the others is short."""
        at = self._ring(at, levels)
        sides, taken, far = at.sides, np.arange(levels.start, levels.stop + 1), np.flatnonzero(at.sides.far)
        factors, across = self._side_by_side(at, window, taken)
        size = self._at_most(at, factors, taken)
        if size.max() <= NOTHING * self._zero:
            return np.zeros(len(size), dtype=np.complex128), (self._k + 1) * size / self._zero
        points, all_of_it, apart = self._chosen(at, factors, taken)
        if apart > 2 * math.log(LARGER) and len(size) > 1:
            return None
        if at.pair is not None:
            beyond, off_beyond = at.pair.sums(levels)
        else:
            rows = np.searchsorted(far, self._far_kinds(at))
            beyond = far_sums(across[:, rows], at.N, -window.moves)
            off_beyond = TRANSFORMED * _without_each(np.abs(across), factors.sizes[:, far], self._times[far])
        totals, off_totals = self._near_sums(_short(at, window), factors, points, taken)
        if levels.start == 0 and not all_of_it:
            times = self._times[sides.near]
            totals[0, 0] += multiplied(factors.inside[0], times)
            off_totals[0] += TRANSFORMED * (times.sum() + 1) * _size(factors.sizes[:1, sides.near], times)[0]
        by_total = np.roll(irfft(totals, window.N), -window.first, axis=-1)
        found = np.einsum("pbr,pbr->b", beyond, by_total)
        # what is off at each frequency counts as much as the other side has there
        spread = (np.abs(rfft(beyond)) @ shares_of(window.N, len(factors.here))).sum(axis=0)
        off = off_beyond * np.abs(by_total).sum(axis=(0, 2)) + off_totals * spread
        return found.astype(np.complex128), off / self._zero + NOTHING

    def _near_pairs(
        self, short: _Exponent, factors: _Factors, points: Circle, taken: Integers
    ) -> tuple[list[tuple[Integers, int]], Floats]:
        """Frequencies of what is near an end, and how many points to each; and (B,) what is off at each frequency."""
        near, h = short.sides.near, int(self._times[short.sides.far].sum())
        _, left, rest, stepped = self._around_pole(near, factors, points, taken)
        # the others are like a kind without moves
        left = np.append(left[:, near], np.abs(points.scale(taken))[:, None], axis=1)
        around, times = Around(np.arange(len(near)), left, rest, stepped), np.append(self._times[near], h)
        largest, weights = np.maximum(around.largest(), 1e-300), np.abs(points.weights)
        logs = np.einsum("bkm,k->bm", np.log(largest), times.astype(np.float64))
        taking = 1 + h + np.einsum("bkm,k->bm", (left[:, :-1] + stepped)[1:] / largest[:, :-1], 1.0 * times[:-1])
        rounded = TRANSFORMED * ((np.exp(logs) * taking) @ weights) * (times.sum() + 1)
        rounded *= 1 + taken[-1] * float(np.abs(points.log_w).max()) / 16

        turned = in_cells(factors.inside, factors.sizes[:, near], short.N)
        turned = np.append(turned, np.ones_like(turned[:, :1]), axis=1)
        sizes, (_, shares) = largest.max(axis=2), cells(short.N)
        each = weights.sum() * _size(sizes, times)
        nothing = np.maximum(rounded / 20, (self._k + 1) * NOTHING * self._zero) / each
        steps, _ = in_pairs(turned, around, sizes, times, nothing, shares, weights)
        return pairs_of(steps > nothing[:, None, None], short.N, short.U), rounded + nothing * each

    def _near_sums(
        self, short: _Exponent, factors: _Factors, points: Circle, taken: Integers
    ) -> tuple[Complexes, Floats]:
        """(h + 1, B, U) of what is near an end, steps after so many of the h others; and (B,) what is off at each."""
        pairs, off = self._near_pairs(short, factors, points, taken)
        h = int(self._times[short.sides.far].sum())
        found = np.zeros((h + 1, len(taken) - 1, short.U), dtype=np.complex128)
        for frequencies, many in pairs:
            few = max(1, TOGETHER // (len(found[0]) * len(frequencies)))
            for first in range(0, many, few):
                here = points.some(slice(first, min(first + few, many)))
                found[:, :, frequencies] += self._near_steps(short, factors, here, taken, frequencies)
        return found, off

    def _near_steps(
        self, short: _Exponent, factors: _Factors, here: Circle, taken: Integers, frequencies: Integers
    ) -> Complexes:
        """(h + 1, B, U) the same at some points and frequencies."""
        parts, p = [here.scale(taken), here.emptied(taken), here.exactly(taken), here.full(taken)], 0
        h, scale = int(self._times[short.sides.far].sum()), parts[0][:, :, None]
        reached = np.zeros((h + 1, len(taken) - 1, len(here.log_w), len(frequencies)), dtype=np.complex128)
        reached[0, taken[:-1] == 0] = 1.0
        passed = np.ones_like(reached[0])
        for run in short.sides.runs:
            if run.place >= 0:
                own = factors.inside[:, run.place, frequencies]
                rest, ahead, steps = self._near_run(short, factors, run, own, frequencies, parts)
                reached[: p + 1] *= rest
                steps *= passed
                reached[p] += steps
                passed *= ahead
                continue
            for _ in range(run.stop - run.start):
                reached[: p + 1] *= scale[:-1]
                passed *= scale[1:]
                p += 1
                reached[p] = passed
        return np.asarray(np.einsum("pbqu,q->pbu", reached, here.weights))


def _short(at: _Exponent, window: Window) -> _Exponent:
    """With the ring of what is near an end."""
    return at._replace(N=window.N, U=window.N // 2 + 1)


def _running(factors: Complexes) -> Complexes:
    """Products of the first factors, for each number of them."""
    for more in range(1, factors.shape[1]):
        factors[:, more] *= factors[:, more - 1]
    return factors


def _size(sizes: Floats, times: Integers) -> Floats:
    """(B,) the products over all kinds (B, K), of which each is there so many times."""
    return np.asarray(np.exp(np.maximum(np.log(np.maximum(sizes, 1e-300)) @ times.astype(np.float64), -600.0)))


def _without_each(factors: Floats, sizes: Floats, times: Integers) -> Floats:
    """(B,) the products of all but one, on average over all frequencies, times the size of that; added up."""
    most, total = larger(factors), np.zeros(len(factors) - 1)
    for i, many in enumerate(times.tolist()):
        others = times.copy()
        others[i] -= 1
        product = np.prod(most ** others[:, None], axis=1)
        total += many * larger(sizes)[:, i] * product.mean(axis=-1)
    return np.asarray(total + np.prod(most ** times[:, None], axis=1).mean(axis=-1))


def _in_rows(places: Integers) -> list[_Run]:
    """All categories in runs."""
    same = places[1:] == places[:-1]
    edges = np.flatnonzero(np.append(True, ~same)).tolist()
    return [_Run(i, j, int(places[i])) for i, j in zip(edges, [*edges[1:], len(places)], strict=True)]


def _odds(decay: "Floats | float") -> Floats:
    r"""\(\sum_{j \ge 1} e^{-j \cdot \text{decay}}\)."""
    return np.asarray(np.exp(-decay) / -np.expm1(-decay))
