r"""Lattice noise near the ends of the counts, without a list: the nearest legal counts as products.

Noisy counts are \(y = x + v\) with a total of n, moved to 0..n; call them c. By \(\ell = 0, 1, \dots\) records are
taken away, one from each category in turn, again and again: \(\tau_i(\ell)\) from category i, which leaves
\(r_i = \max(c_i - \tau_i, 0)\). The nearest legal counts are the first of these with a total of n. The step that takes
from category t lowers the total by one if \(c_t \ge \tau_t\). So the first is where the total is n and
\(c_t \ge \tau_t\), or \(\ell = 0\). With what \(y_i\) falls short of \(\tau_i\), and what it exceeds n by,
\[ \sum_i r_i = \sum_i y_i - \ell + \sum_i (\tau_i - y_i)^+ - \sum_i (y_i - n)^+ , \]
and so the total is n if and only if shortfalls less excesses are \(\ell\). Both totals, of moves and of these, are
coefficients of a product in two variables, of one factor for each category. Only counts near 0 or n depend on the
second.

All terms are probabilities. So the sum of all, without exponents, is short of one by what is left out. The rings
confuse only what lies a whole ring apart: as the second total is that of the shortfalls, at most
\(\ell + \sum_i v_i^-\), and where it is \(\ell\) the first is \(\sum_i v_i\), Chernoff's inequality bounds both.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import fft, next_fast_len

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.lattice_noise import log_normaliser
from ..mechanisms.noise import NoiseAt
from ..model.distances import gamma_gap
from .noise_spectrum import TRANSFORMED
from .products import GAP, kinds_of
from .spectrum import Complexes, Spectrum, tilts

MOST_WORK = 2_000_000
"""About so many numbers of transforms are computed for one sum; what would take more is lost, which may be all."""

LARGEST_POWER = 300.0
"""Sums of larger powers of e are not computed."""


class _Factors(NamedTuple):
    """The factors at so many records taken from each category."""

    far: Complexes  # (k, N), one where the category is near an end
    near: Complexes  # (m, N, N'), of those that are
    started: Complexes  # (m, N, N'), where the last record that is taken was there
    sizes: Floats  # (k,) bounds on the factors


class LatticeSums:
    """Sums over all releases of lattice noise, each with its probability."""

    log_total = 0.0

    def __init__(self, prior: Floats, counts: Integers, noise: NoiseAt | GaussianNoiseAt, small: float) -> None:
        k, n = len(counts), int(counts.sum())
        self._prior, self._counts, self._noise, self._n = prior, counts, noise, n
        self._reach = reach = noise.reach(small + math.log(k))
        self._near = np.flatnonzero((counts <= reach) | (n - counts <= reach))
        self._low = np.maximum(1 - counts, -2 * reach)
        moves = self._low[:, None] + np.arange(int((np.minimum(n - counts, reach) - self._low).max()) + 1)
        self._there = moves <= (n - counts)[:, None]
        self._moves = np.where(self._there, moves, 0)
        self._exponents = self._gaps(self._moves)
        self._emptied = gamma_gap(prior + counts, prior, -counts / 2)
        self._largest = float(np.maximum(self._exponents.max(axis=1), self._emptied).sum())
        # the probability that independent moves add up to zero
        self._zero = math.exp(log_normaliser(2 * noise.decay, k) + k * float(noise.log_point(0)))
        self.lost, self._levels = 1.0, 0
        self._rings(small)
        if self._work(1) > MOST_WORK:
            return
        while True:
            short = 1 - self._sum(0.0)[0].real
            enough = 10 * math.exp(-small) + self._rounded()
            if short <= enough or self._work(self._levels + 1) > MOST_WORK:
                break
            self._levels += 1
            self._rings(small)
        self.lost = max(short, 0.0) + 4 * enough
        self.least = kinds_of(prior + counts, counts).least
        self.log_itself = math.log(max(self._sum(700 / self.least)[0].real, 1e-300))
        steps = tilts(self.least, 0.5)
        self.thetas = np.concatenate([-steps, steps])

    def _work(self, levels: int) -> int:
        """About how many numbers one sum takes."""
        return levels * len(self._near) * self._N * self._N_short

    def _rounded(self) -> float:
        """What rounding may do to a sum of probabilities."""
        return TRANSFORMED * len(self._counts) * (1 + self._levels * len(self._counts)) / self._zero

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln E[e^{-\theta D}]\), near it."""
        return math.log(sum(self.mean(theta))) if -theta * self._largest < LARGEST_POWER else math.inf

    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
        """The frequencies at all ``omegas``; the logarithm of their factor is zero."""
        found = [self._sum(theta + 1j * omega) for omega in omegas]
        values, sizes = (np.array(part) for part in zip(*found, strict=True))
        # D e^(-theta D) is at most 1 / (e theta)
        turned = 1 / (math.e * theta) if theta > 0 else sizes * self._largest
        errors = sizes * self._rounded() + GAP * (np.abs(omegas) + abs(theta)) * turned
        return Spectrum(values, errors), 0.0

    def mean(self, theta: float) -> tuple[float, float]:
        r"""\(E[e^{-\theta D}]\) of what is not lost, and what rounding may do to it."""
        found, _ = self.spectrum(theta, np.zeros(1), 0.0)
        return float(found.values[0].real), float(found.errors[0])

    def _gaps(self, moves: Integers, some: "Integers | slice" = slice(None)) -> Floats:
        a = np.broadcast_to((self._prior + self._counts)[some, None], moves.shape)
        return gamma_gap(a, a + moves, moves / 2)

    def _rings(self, small: float) -> None:
        """Lengths of both rings: of totals of moves, and of what near counts fall short."""
        k, m, decay = len(self._counts), len(self._near), self._noise.decay
        rates = decay * np.linspace(0.02, 0.98, 60)
        up, down, still = _odds(decay - rates), _odds(decay + rates), float(self._noise.log_point(0))
        either = still + np.log(1 + up + down)  # the logarithm of the mean of e^(rate v)
        one = still + np.log(1 + up + _odds(decay))  # and of e^(rate max(v, 0))
        enough = small - math.log(self._zero)
        full = np.any(self._n - self._counts <= self._reach)
        steps = self._levels * k
        short = float(((enough + m * one) / rates).min()) + (steps if full else 0)
        self._N = next_fast_len(math.ceil(float(((enough + k * either) / rates).min())) + 1)
        self._N_short = next_fast_len(max(math.ceil(short), steps) + 1)
        angles = -2j * np.pi / self._N * np.arange(self._N)
        self._shifts = np.exp(angles * (self._low[:, None] % self._N))
        self._emptying = np.exp(angles * (-self._counts[self._near, None] % self._N))
        self._filling = np.exp(angles * ((self._n - self._counts[self._near, None]) % self._N))

    def _sum(self, z: complex) -> tuple[complex, float]:
        r"""\(E[e^{-zD}]\), and a bound on the product of all factors."""
        kept = np.exp(-z * self._exponents) * self._there
        below = self._factors(0, kept, z)
        product = np.prod(below.far, axis=0) * np.prod(below.near, axis=0).mean(axis=-1)
        found, sizes = complex(product.mean()), below.sizes
        for level in range(self._levels):
            above = self._factors(level + 1, kept, z)
            found += self._steps(level, below, above)
            sizes, below = np.maximum(sizes, above.sizes), above
        return found / self._zero, float(np.prod(sizes))

    def _factors(self, taken: int, kept: Complexes, z: complex) -> _Factors:
        """The factors of all categories, each of which so many records are taken from."""
        near, n, log_point = self._near, self._n, self._noise.log_point
        inside = self._moves + self._counts[:, None] + taken <= n
        weights = np.exp(log_point(self._moves + taken)) * inside * kept
        folded = np.pad(weights, ((0, 0), (0, -weights.shape[-1] % self._N)))
        far = fft(folded.reshape(len(weights), -1, self._N).sum(axis=1), axis=-1) * self._shifts
        sizes = np.abs(weights).sum(axis=-1)
        # what is emptied falls short by 0, 1, ...
        short = np.arange(self._N_short)
        empty = np.exp(log_point(taken - short - self._counts[near, None])) * np.exp(-z * self._emptied[near, None])
        sizes[near] += np.abs(empty).sum(axis=-1)
        left = far[near, :, None] + np.zeros(self._N_short)
        if taken <= n:  # what is full exceeds n by 1, 2, ...
            filled = np.full(len(near), n - taken) - self._counts[near]
            over = np.exp(log_point(n + short - self._counts[near, None])) * (short > 0)
            over = over * np.exp(-z * self._gaps(filled[:, None], near))
            sizes[near] += np.abs(over).sum(axis=-1)
            turned = self._filling * np.exp(2j * np.pi / self._N * taken * np.arange(self._N))
            left = left + turned[:, :, None] * fft(over[:, -short], axis=-1)[:, None, :]
        started = left + (self._emptying * empty[:, :1])[:, :, None]
        whole = left + self._emptying[:, :, None] * fft(empty, axis=-1)[:, None, :]
        far[near] = 1.0
        return _Factors(far, whole, started, sizes)

    def _steps(self, level: int, below: _Factors, above: _Factors) -> complex:
        """The steps that take one record more from each category in turn."""
        k, m = len(self._counts), len(self._near)
        far = np.cumprod(above.far, axis=0)
        far[:-1] *= np.cumprod(below.far[:0:-1], axis=0)[::-1]
        one = np.ones((1, self._N, self._N_short))
        first = np.concatenate([one, np.cumprod(above.near, axis=0)])
        last = np.concatenate([np.cumprod(below.near[::-1], axis=0)[::-1], one])
        t, found = np.arange(k), 0j
        turns = np.exp(2j * np.pi / self._N_short * np.outer(level * k + t + 1, np.arange(self._N_short)))
        passed = np.searchsorted(self._near, t)  # near categories before t
        away = ~np.isin(t, self._near)
        for j in range(m + 1):
            here = t[away & (passed == j)]
            found += complex((first[j] * last[j] * (far[here].T @ turns[here])).sum())
            if j < m:
                here = self._near[j : j + 1]
                product = first[j] * above.started[j] * last[j + 1]
                found += complex((product * (far[here].T @ turns[here])).sum())
        return found / (self._N * self._N_short)


def _odds(decay: "Floats | float") -> Floats:
    r"""\(\sum_{j \ge 1} e^{-j \cdot \text{decay}}\)."""
    return np.asarray(np.exp(-decay) / -np.expm1(-decay))
