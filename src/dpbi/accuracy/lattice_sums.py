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
where what exceeds n counts in full.

Of a product of k factors, each off by rounding, what is off is bounded by the average size of the product, over all
frequencies. Those at which the product of bounds on the factors is next to nothing are left out.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import fft, next_fast_len, rfft

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_normaliser
from ..mechanisms.noise import NoiseAt
from ..model.distances import gamma_gap
from .noise_spectrum import TRANSFORMED
from .products import GAP, kinds_of
from .shortfalls import Shortfalls
from .spectrum import Complexes, Spectrum, tilts

MOST_WORK = 100_000_000
"""About so many numbers are computed for one sum; what would take more is lost, which may be all."""

EACH_LEVEL = 50_000
"""A level takes the time of so many numbers, whatever its size."""

LONGEST_TABLE = 1 << 22
"""No more numbers are held of one kind: of all factors at all frequencies, say."""

TOGETHER = 1 << 14
"""So many numbers are computed at once: they stay in the processor's cache."""

NOTHING = 1e-18
"""Products that are a smaller share of all are left out."""

FIRST_LEVELS = 4
"""So many are prepared at first, and then twice as many as before."""

LARGEST_POWER = 300.0
"""Sums of larger powers of e are not computed."""


class _Taken(NamedTuple):
    """The factors of each kind of category, so many records taken, at the frequencies of the total of moves."""

    inside: Complexes  # (K, U) of what a record is left of
    parts: Complexes  # (K', 3, U) of kinds near an end: what a record is left of, what is emptied, what is full
    bounds: Floats  # (K', 3) on these
    sizes: Floats  # (K,) bounds on the factors, whatever falls short


class _Level(NamedTuple):
    """One record more taken from each category in turn: before and after, and what is looked at."""

    number: int
    below: _Taken
    above: _Taken
    frequencies: Integers  # of the moves
    terms: Integers  # of what falls short
    off: float  # what rounding and all that is not looked at may do to a sum of probabilities


class LatticeSums:
    """Sums over all releases of lattice noise, each with its probability."""

    log_total = 0.0

    def __init__(self, prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt, small: float) -> None:
        self._k, self._n, self._noise = len(counts), int(counts.sum()), noise
        reach = noise.reach(small + math.log(self._k))
        kinds, self._kind = np.unique(np.stack([prior + counts, counts]), axis=1, return_inverse=True)
        self._a, self._x, self._times = kinds[0], kinds[1].astype(np.int64), np.bincount(self._kind)
        low = np.maximum(1 - self._x, -2 * reach)
        self._moves = low[:, None] + np.arange(int((np.minimum(self._n - self._x, reach) - low).max()) + 1)
        self._there = self._moves <= (self._n - self._x)[:, None]
        self._exponents = self._gaps(np.where(self._there, self._moves, 0))
        # what kinds near an end may be: left with a record, emptied, full
        may = np.stack([np.ones(len(low), dtype=bool), self._x <= reach, self._n - self._x <= reach], axis=1)
        near = may[:, 1:].any(axis=1)
        self._near, self._may = np.flatnonzero(near), may[near]
        self._places = np.where(near, np.cumsum(near) - 1, -1)[self._kind]
        self._emptied = self._gaps(-self._x[:, None])[near, 0]
        # the probability that independent moves add up to zero
        self._zero = math.exp(log_normaliser(2 * noise.decay, self._k) + self._k * float(noise.log_point(0)))
        self._largest = float(self._exponents.max(axis=1) @ self._times + self._emptied @ self._times[near])
        self.least = kinds_of(prior + counts, counts).least
        steps = tilts(self.least, 0.5)
        self.thetas = np.concatenate([-steps, steps])
        self.lost, self.log_itself, self._levels, self.work = 1.0, -math.inf, 0, 0
        decay = noise.decay
        self._rates = decay * np.linspace(0.02, 0.98, 60)
        up, down, still = _odds(decay - self._rates), _odds(decay + self._rates), float(noise.log_point(0))
        self._one_side = still + np.log(1 + up + _odds(decay))  # the logarithm of the mean of e^(rate max(v, 0))
        self._enough = small - math.log(self._zero)
        self._N = next_fast_len(self._chernoff(self._k * (still + np.log(1 + up + down))) + 1, real=True)
        if self._lay(FIRST_LEVELS):
            self._angles = -2j * np.pi / self._N * np.arange(self._N)
            self._shifts = np.exp(self._angles * (self._moves[:, :1] % self._N))
            self._emptying = np.exp(self._angles * (-self._x[self._near, None] % self._N))
            self._take(small)

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln E[e^{-\theta D}]\), near it."""
        return math.log(sum(self.mean(theta))) if -theta * self._largest < LARGEST_POWER else math.inf

    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
        """The frequencies at all ``omegas``; the logarithm of their factor is zero."""
        found = [self._sum(theta + 1j * omega) for omega in omegas]
        values, rounded, sizes = (np.array(part) for part in zip(*found, strict=True))
        # D e^(-theta D) is at most 1 / (e theta)
        turned = 1 / (math.e * theta) if theta > 0 else sizes * self._largest
        errors = rounded + GAP * (np.abs(omegas) + abs(theta)) * turned
        return Spectrum(values, errors), 0.0

    def mean(self, theta: float) -> tuple[float, float]:
        r"""\(E[e^{-\theta D}]\) of what is not lost, and what rounding may do to it."""
        found, _ = self.spectrum(theta, np.zeros(1), 0.0)
        return float(found.values[0].real), float(found.errors[0])

    def _gaps(self, moves: Integers) -> Floats:
        a = np.broadcast_to(self._a[:, None], moves.shape)
        return gamma_gap(a, a + moves, moves / 2)

    def _chernoff(self, log_means: Floats) -> int:
        """What a total exceeds with next to no probability, by the logarithms of its moments at all rates."""
        return math.ceil(float(((self._enough + log_means) / self._rates).min()))

    def _lay(self, levels: int) -> bool:
        """All that depends on how many levels there may be, if it is not too long."""
        near = self._times[self._near]
        more = self._chernoff(near.sum() * self._one_side)
        taken = self._rates * np.minimum(levels, self._x[self._near, None]) + self._one_side
        taken = np.minimum(taken, np.where(self._may[:, 2:], math.inf, self._rates * levels))
        less = self._chernoff(near @ taken) + (self._k - int(near.sum())) * levels
        N, counts = next_fast_len(max(more, less) + 1), self._x[self._near]
        if len(self._x) * self._N + levels * len(counts) * N > LONGEST_TABLE:
            return False
        self._planned = levels
        self._second = Shortfalls(counts, self._may, self._n, self._places, self._noise.log_point, N)
        farthest = int(np.abs(self._moves).max()) + levels
        self._chances = np.exp(self._noise.log_point(np.arange(-farthest, farthest + 1)))
        self._chance = self._moves + farthest
        return True

    def _take(self, small: float) -> None:
        """Take records away until next to nothing is lost, or it is too much work."""
        kept, found, rounded = self._there.astype(np.float64), 0.0, 0.0
        while self._levels < self._planned or self._lay(2 * self._planned):
            level = self._level(
                self._levels, self._taken(self._levels, kept, 0), self._taken(self._levels + 1, kept, 0)
            )
            each = self._k + 10 * len(self._second.runs)
            self.work += EACH_LEVEL + len(self._x) * self._N + len(level.frequencies) * len(level.terms) * each
            if self.work > MOST_WORK:
                break
            found, rounded = found + self._steps(level).real / self._zero, rounded + level.off
            self._levels += 1
            left_out = 10 * math.exp(-small)
            self.lost = max(1 - found, 0.0) + 4 * left_out + rounded
            if 1 - found <= left_out + rounded:
                break
        if self._levels > 0:
            self.log_itself = math.log(max(self._sum(700 / self.least)[0].real, 1e-300))

    def _sum(self, z: complex) -> tuple[complex, float, float]:
        r"""\(E[e^{-zD}]\), what rounding may do to it, and a bound on the product of all factors."""
        power = z if z.imag != 0 else z.real
        kept = np.exp(-power * self._exponents) * self._there
        below = self._taken(0, kept, power)
        found, rounded, sizes = 0j, 0.0, below.sizes
        for number in range(self._levels):
            above = self._taken(number + 1, kept, power)
            level = self._level(number, below, above)
            found, rounded = found + self._steps(level), rounded + level.off
            sizes, below = np.maximum(sizes, above.sizes), above
        return found / self._zero, rounded, float(_products(sizes, self._times))

    def _taken(self, taken: int, kept: "Complexes | Floats", z: complex) -> _Taken:
        """The factors of each kind of category: at all frequencies if z is complex, at those from 0 up if not."""
        near, full, N, width = self._near, self._may[:, 2], self._N, kept.shape[1]
        weights = np.zeros((len(kept), -(-width // N) * N), dtype=kept.dtype)  # moves may go around the ring
        weights[:, :width] = kept * self._chances[self._chance + taken]
        if full.any():
            weights[:, :width] *= self._moves + self._x[:, None] + taken <= self._n
        folded = weights.reshape(len(kept), -1, N).sum(axis=1)
        inside = fft(folded) if np.iscomplexobj(kept) else rfft(folded)
        U = inside.shape[-1]
        inside *= self._shifts[:, :U]
        parts, ends = np.zeros((len(near), 3, U), dtype=np.complex128), np.zeros((len(near), 2), dtype=kept.dtype)
        parts[:, 0] = inside[near]
        ends[:, 0] = np.exp(-z * self._emptied)
        parts[:, 1] = ends[:, :1] * self._emptying[:, :U]
        if full.any():
            a, moves = self._a[near][full], self._n - taken - self._x[near][full]
            ends[full, 1] = np.exp(-z * gamma_gap(a, a + moves, moves / 2))
            parts[full, 2] = ends[full, 1:] * np.exp(self._angles[:U] * (moves[:, None] % N))
        sizes = np.abs(weights).sum(axis=-1)
        bounds = np.column_stack([sizes[near], np.abs(ends)])
        sizes[near] = (bounds * self._second.totals(taken)).sum(axis=1)
        return _Taken(inside, parts, bounds, np.maximum(sizes, 1e-300))

    def _level(self, number: int, below: _Taken, above: _Taken) -> _Level:
        """What of a level is looked at."""
        second, near, sizes = self._second, self._near, np.maximum(below.sizes, above.sizes)
        largest, beside = np.zeros(below.inside.shape), np.zeros((len(near), second.N))
        for factors, taken in ((below, number), (above, number + 1)):
            most = np.abs(factors.inside)
            most[near] += (factors.bounds * second.totals(taken))[:, 1:].sum(axis=1)[:, None]
            largest = np.maximum(largest, most)
            if not second.listed:
                falls = np.abs(second.falls(taken))
                beside = np.maximum(beside, (factors.bounds[:, :, None] * falls).sum(axis=1))
        first = _products(largest / sizes[:, None] + TRANSFORMED, self._times)
        shares, size = self._shares(len(first)), float(_products(sizes, self._times))
        if second.listed:
            far = self._times * ~np.isin(np.arange(len(sizes)), near)
            around = float(_products(largest + TRANSFORMED * sizes[:, None], far) @ shares)
            around *= second.most(number, np.maximum(below.bounds, above.bounds))
            other = np.ones(second.terms)
        else:
            ratios = beside / sizes[near, None] + TRANSFORMED
            # the category that a step takes from falls short by nothing, and its factor may be up to one
            other = np.minimum(_products(ratios, self._times[near]) / ratios.min(axis=0), 1.0)
            # the average of the smaller of both bounds
            ordered = np.sort(other)
            larger = np.searchsorted(ordered, first)
            smaller = np.append(0.0, np.cumsum(ordered))[larger]
            around = (self._k + 1) * size * float(shares @ (smaller + first * (second.N - larger))) / second.N
        nothing = max(TRANSFORMED / 1000 * around / (self._k * size), NOTHING * self._zero / size)
        off = (TRANSFORMED * self._k * around + 2 * (self._k + 1) * nothing * size) / self._zero
        return _Level(number, below, above, np.flatnonzero(first > nothing), np.flatnonzero(other > nothing), off)

    def _shares(self, U: int) -> Floats:
        """What each frequency counts for; where half of them are there, the others are conjugate to these."""
        shares = np.full(U, 1 / self._N)
        if U < self._N:
            shares[1 : (self._N + 1) // 2] *= 2
        return shares

    def _steps(self, level: _Level) -> complex:
        """The sum over all steps of a level, and where no record is taken yet if it is the first."""
        number, below, above, frequencies, terms, _ = level
        if len(terms) == 0:
            return 0j
        second, U, found, together = self._second, below.inside.shape[1], 0j, max(1, TOGETHER // max(1, len(terms)))
        weights, shares = second.weights(number, terms), self._shares(U)
        turn = np.exp(2j * np.pi / second.N * terms)[:, None]
        falls = [part[:, :, terms] for part in self._falls(number)] if not second.listed else []
        for here in np.split(frequencies, range(together, len(frequencies), together)):
            # all steps so far, with what the others below are; and the product of those above
            start = weights[0] if number == 0 else np.zeros(len(terms))
            reached, passed = np.outer(start, np.ones(len(here))).astype(np.complex128), np.ones((1, 1), np.complex128)
            near = 0
            for run in second.runs:
                steps = weights[1 + run.start : 1 + run.stop].T
                if run.place < 0:
                    kinds = np.ix_(self._kind[run.start : run.stop], here)
                    before = np.cumprod(above.inside[kinds], axis=0)
                    after = np.cumprod(below.inside[kinds][::-1], axis=0)[::-1]
                    each = before.copy()
                    each[:-1] *= after[1:]
                    reached = reached * after[0] + passed * (steps @ each)
                    passed = passed * before[-1]
                    continue
                parts = [taken.parts[run.place][:, here] for taken in (below, above, above)]
                if second.listed:
                    rest, ahead, started = (part[second.choices[:, near]] for part in parts)
                    near += 1
                else:
                    rest, ahead, started = (fall[run.place].T @ part for fall, part in zip(falls, parts, strict=True))
                    rest, ahead, started = _repeated(rest, ahead, started, turn, run.stop - run.start)
                reached = reached * rest + passed * (steps[:, :1] * started)
                passed = passed * ahead
            found += complex(reached.sum(axis=0) @ shares[here])
        return found if U == self._N else complex(found.real)

    def _falls(self, number: int) -> list[Complexes]:
        return [self._second.falls(number), self._second.falls(number + 1), self._second.started(number + 1)]


def _repeated(
    below: Complexes, above: Complexes, started: Complexes, turn: Complexes, times: int
) -> tuple[Complexes, Complexes, Complexes]:
    r"""So many equal categories in a row: the products below and above, and the sum of steps, each one turn further.

    \(\sum_{j<g} b^{g-1-j} (at)^j\) is that of half as many, times the sum of both powers, and a term more if g is odd.
    """
    turned = above * turn
    rest, ahead, steps, power = below, above, np.ones_like(below), turned
    for digit in bin(times)[3:]:
        rest, ahead, steps, power = rest * rest, ahead * ahead, steps * (rest + power), power * power
        if digit == "1":
            rest, ahead, steps, power = rest * below, ahead * above, steps * below + power, power * turned
    return rest, ahead, steps * started


def _products(factors: Floats, times: Integers) -> Floats:
    """Those over all categories, of which each kind is there so many times."""
    return np.asarray(np.exp(np.maximum(times @ np.log(np.maximum(factors, 1e-300)), -600.0)))


def _odds(decay: "Floats | float") -> Floats:
    r"""\(\sum_{j \ge 1} e^{-j \cdot \text{decay}}\)."""
    return np.asarray(np.exp(-decay) / -np.expm1(-decay))
