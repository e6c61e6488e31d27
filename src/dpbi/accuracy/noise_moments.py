r"""Mean and standard deviation of the error of noise on the counts, at any k and n, with proved bounds.

With \(y = e^{-D}\) the error is \(H = \sqrt{1 - y} = 1 - \sum_{m \ge 1} c_m y^m\), \(c_m > 0\), and \(H^2 = 1 - y\).
The sum over m is one over nodes, as in ``mixture``, and \(E[y^\theta]\) is a sum over the total of independent moves:

* Noise on all counts but the last: each factor is the law of one count, kept within 0..n, times
  \(e^{-\theta D_i(d)}\). The last count loses what the others gain; where it is used up, the released total exceeds n,
  and \(D = \sum_i D_i - D(|a|, |a| + \text{excess})\) depends on the total of the moves alone.
* Noise on the lattice: all counts have a factor, and the total is zero. A vector with a count below 0 is replaced by
  the nearest legal one, which is no product: the probability of that is part of the bound.

All errors are absolute, for \(0 \le y^\theta \le 1\): the mass beyond a window, that of totals which the ring confuses,
and high frequencies. There \(|b + c\, e^{iv}| \le b + c - 2 \min(b, c) (1 - |\cos\frac v2|)\), for all pairs of moves w
apart, bounds each factor g of the product:
\[ |\hat g(u)| \le \hat g(0)\, e^{-S_w (1 - |\cos (wu/2)|)}, \qquad
   S_w = \frac{2}{\hat g(0)} \sum_{\text{pairs } (d,\, d + w)} \min(g(d), g(d + w)) . \]
\(E[y^\theta]\) falls with \(\theta\) to the probability of the dataset itself; once it is there, it stays.
"""

import math

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from ..arithmetic import exp
from ..checks import Floats, Integers
from ..mechanisms.line import NoiseOnCounts
from ..model.distances import gamma_gap
from .mixture import root_mixture
from .moments import Certified, ErrorMoments
from .products import ROUNDING
from .spectrum import Complexes

SMALL = 40.0
r"""Noise beyond which \(e^{-40}\) of it lies is left out."""

LONGEST_RING = 1 << 21
"""The longest ring of totals."""

LARGEST_TABLE = 10_000_000
"""Up to so many moves of all kinds of counts: with their masses, exponents and factors about half a gigabyte."""

NOTHING = 1e-17
"""Frequencies, and changes of an expectation, that together are less are left out."""

LISTED = 0.1
"""A smaller share of the frequencies is computed one by one."""


def noise_moments(prior: Floats, counts: Integers, noise: NoiseOnCounts) -> ErrorMoments | None:
    """The moments at one dataset; None where the noise is too wide to be summed. Inputs unchecked."""
    a = prior + counts
    moving = len(a) if noise.balanced else len(a) - 1
    pairs, multiplicity = np.unique(np.stack([a, counts])[:, :moving], axis=1, return_counts=True)
    found = _factors(pairs[1].astype(np.int64), multiplicity, int(counts.sum()), noise)
    if found is None:
        return None
    moves, masses, N, lost = found
    D = gamma_gap(np.broadcast_to(pairs[0][:, None], moves.shape), pairs[0][:, None] + moves, moves / 2)
    totals = np.arange(N)
    totals = np.where(totals > N // 2, totals - N, totals)
    rest = np.where(totals == 0, 0.0, np.inf) if noise.balanced else _completion(a, int(counts[-1]), totals)
    nodes, weights, error = root_mixture(_least(D, masses, rest, totals))
    product = _Product(D, moves, masses, multiplicity, rest)
    norm = float(product.all_totals[0]) if noise.balanced else 1.0
    first, doubt = product.expected(1.0)
    powers, settled = np.full(len(nodes), product.still), False
    for place, theta in enumerate(nodes):
        if settled:
            break
        powers[place], more = product.expected(float(theta))
        doubt, settled = max(doubt, more), powers[place] - product.still <= NOTHING
    doubt = (doubt + lost + NOTHING + ROUNDING * (20 + moving)) / norm
    mean, square = 1 - float(weights @ powers) / norm, 1 - first / norm
    # the dataset itself has no error, and the nodes are good from the least exponent on: they end before one
    mean -= (1 - float(weights.sum())) * product.still / norm
    variance = max(square - mean * mean, 0.0)
    mean_doubt = doubt + error + 1e-15
    variance_doubt = doubt + 2 * mean_doubt
    deviation = math.sqrt(variance)
    off = min(math.sqrt(variance_doubt), variance_doubt / deviation if deviation > 0 else math.inf)
    return ErrorMoments(Certified(mean, mean_doubt), Certified(deviation, off))


def _factors(
    counts: Integers, multiplicity: Integers, n: int, noise: NoiseOnCounts
) -> tuple[Integers, Floats, int, float] | None:
    """Moves of each kind of count and their masses, the length of a ring for their total, and the mass left out."""
    here, k = noise.noise, int(multiplicity.sum())
    reach = math.ceil((SMALL + math.log(k)) / here.decay) + 2 * here.width
    low, high = np.maximum(-counts, -reach), np.minimum(n - counts, reach)
    length = int((high - low).max()) + 1
    if length * len(counts) > LARGEST_TABLE:
        return None
    moves = low[:, None] + np.arange(length)
    there = moves <= high[:, None]
    moves = np.where(there, moves, 0)
    if noise.balanced:
        masses = np.where(there, np.exp(-here.rate / here.width * np.abs(moves)), 0.0)
        scale = masses.sum(axis=1)
    else:
        values = moves + counts[:, None]
        masses = np.where(there, exp(here.clamped(moves, values == 0, values == n)), 0.0)
        scale = np.ones(len(counts))
    outside = float(exp(here.log_at_least(reach + 1)) + exp(here.log_at_most(-reach - 1)))
    lost = k * outside
    masses = masses / scale[:, None]
    if noise.balanced:  # a count below 0 anywhere: all but the other noise, which is at most one for each total
        lost += float(multiplicity @ np.where(low > -reach, 2 * np.exp(-here.rate * (counts + 1.0)) / scale, 0.0))
    mean = float(multiplicity @ (masses * moves).sum(axis=1))
    variance = float(multiplicity @ (masses * moves**2).sum(axis=1)) + 1
    mu = min(math.sqrt(2 * SMALL / variance), here.decay / 2)
    ends = []
    for sign in (-mu, mu):
        logs = float(multiplicity @ np.log((masses * np.exp(sign * moves)).sum(axis=1)))
        ends.append((logs + SMALL) / mu)
    N = next_fast_len(2 * math.ceil(max(*ends, abs(mean))) + 3, real=True)
    lost += 2 * math.exp(-SMALL)
    return None if N > LONGEST_RING else (moves, masses, N, lost)


def _completion(a: Floats, last: int, totals: Integers) -> Floats:
    """What the last count, and a released total above n, add to the exponent, by the total of the other moves."""
    taken = np.minimum(totals, last)
    own = gamma_gap(np.full(len(totals), a[-1]), a[-1] - taken, -taken / 2)
    excess = totals - taken
    whole = np.full(len(totals), a.sum())
    return np.asarray(own - gamma_gap(whole, whole + excess, excess / 2))


class _Product:
    r"""The product of the factors, as a law of the total of the moves."""

    def __init__(self, D: Floats, moves: Integers, masses: Floats, multiplicity: Integers, rest: Floats) -> None:
        self.D, self.moves, self.masses, self.multiplicity, self.rest = D, moves, masses, multiplicity, rest
        self.low = moves[:, 0]
        self.angles = 2 * np.pi / len(rest) * np.arange(len(rest) // 2 + 1)
        self.all_totals = self.totals(0.0)[0]
        self.still = math.exp(float(multiplicity @ np.log((masses * (moves == 0)).max(axis=1))))

    def totals(self, theta: float) -> tuple[Floats, float]:
        r"""\(E[\prod_i e^{-\theta D_i(d_i)}]\) over the moves with each total, around the ring, and a bound on all errors."""
        N = len(self.rest)
        factors = self.masses * np.exp(-theta * self.D)
        kept, lost = self._kept(factors)
        product = np.zeros(N // 2 + 1, dtype=np.complex128)
        few = kept <= LISTED * N
        product[: kept if few else None] = self._listed(factors, kept) if few else self._all(factors)
        found: Floats = irfft(product, N)
        return found, lost if few else 0.0

    def _kept(self, factors: Floats) -> tuple[int, float]:
        """How many frequencies from zero on are kept, and a bound on the sum of all others."""
        sums = factors.sum(axis=1)
        logs = np.zeros(len(self.angles))
        apart = 1
        while 2 * apart <= factors.shape[1]:
            blocks = factors[:, : factors.shape[1] // (2 * apart) * 2 * apart].reshape(len(factors), -1, 2, apart)
            paired = 2 * np.minimum(blocks[:, :, 0], blocks[:, :, 1]).sum(axis=(1, 2)) / sums
            logs = np.minimum(logs, -float(self.multiplicity @ paired) * (1 - np.abs(np.cos(apart / 2 * self.angles))))
            apart *= 2
        bounds = np.exp(float(self.multiplicity @ np.log(sums)) + logs)
        beyond = 2 * np.cumsum(bounds[::-1])[::-1]
        kept = max(1, int((beyond > NOTHING).sum()))
        return kept, float(beyond[kept]) if kept < len(beyond) else 0.0

    def _listed(self, factors: Floats, kept: int) -> Complexes:
        """The product at the first frequencies, each factor as the sum that it is."""
        N = len(self.rest)
        j = np.arange(kept)
        turns = np.exp(-2j * np.pi / N * (np.arange(factors.shape[1])[:, None] * j % N))
        found = (factors @ turns.real + 1j * (factors @ turns.imag)) * np.exp(
            -2j * np.pi / N * (self.low[:, None] * j % N)
        )
        product: Complexes = np.prod(found ** self.multiplicity[:, None], axis=0)
        return product

    def _all(self, factors: Floats) -> Complexes:
        """The product at all frequencies."""
        N = len(self.rest)
        product = np.ones(N // 2 + 1, dtype=np.complex128)
        block = max(1, (1 << 22) // N)
        for first in range(0, len(factors), block):
            part = slice(first, first + block)
            rows = np.zeros((len(factors[part]), N))
            np.add.at(rows, (np.arange(len(rows))[:, None], self.moves[part] % N), factors[part])
            product *= np.prod(rfft(rows, axis=1) ** self.multiplicity[part, None], axis=0)
        return product

    def expected(self, theta: float) -> tuple[float, float]:
        r"""\(E[y^\theta]\), and what rounding may have done to it.

        Where the released total exceeds n the last factor exceeds one, and so does what it makes of rounding; but
        \(y^\theta \le 1\), so that no total adds more than its probability.
        """
        logs = np.where(np.isfinite(self.rest), -theta * self.rest, -np.inf)
        last = np.exp(np.minimum(logs, 600.0))
        noise = 1e-17 * len(self.multiplicity) + 1e-16 + NOTHING
        most = np.maximum(self.all_totals, 0.0) + noise
        totals, lost = self.totals(theta)
        terms = np.clip(totals * last, 0.0, np.where(last > 0, most, 0.0))
        grown = np.where(last > 1, np.minimum(noise * last, most), 0.0)
        return float(terms.sum()), float(grown.sum()) + lost


def _least(D: Floats, masses: Floats, rest: Floats, totals: Integers) -> float:
    """Below the exponent of every output but the dataset itself."""
    first = D[(D > 0) & (masses > 0)]
    last = rest[(totals != 0) & np.isfinite(rest) & (rest > 0)]
    return 0.9 * min(float(first.min(initial=np.inf)), float(last.min(initial=np.inf)))
