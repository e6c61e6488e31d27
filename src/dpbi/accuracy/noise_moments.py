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
from scipy.special import expm1, log1p

from ..arithmetic import exp
from ..checks import Floats, Integers
from ..mechanisms.line import NoiseOnCounts
from ..mechanisms.noise import clamped
from ..model.distances import gamma_gap
from .mixture import root_mixture
from .moments import Certified, ErrorMoments, deviation_of
from .products import GAP, ROUNDING
from .spectrum import Complexes

SMALL = 46.0
r"""Noise beyond which \(e^{-46}\) of it lies is left out."""

LONGEST_RING = 1 << 21
"""The longest ring of totals."""

LARGEST_TABLE = 10_000_000
"""Up to so many moves of all kinds of counts: with their masses, exponents and factors about half a gigabyte."""

NOTHING = 1e-20
"""Frequencies, and changes of an expectation, that together are less are left out."""

ROUNDED = 2e-15
"""What rounding may do to each total, as a share of the average frequency."""

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
    norm = product.norm
    square, square_doubt = product.missing(1.0)
    off, doubts, most = np.zeros(len(nodes)), np.zeros(len(nodes)), norm - product.still
    for place, theta in enumerate(nodes):
        off[place], doubts[place] = product.missing(float(theta))
        if most - off[place] <= ROUNDING * most:  # the dataset itself is all that is left
            off[place:], doubts[place:] = most, doubts[place] + ROUNDING * most
            break
    # the dataset itself has no error, and the nodes are good from the least exponent on: they end before one
    mean = (float(weights @ off) + (1 - float(weights.sum())) * most) / norm
    square /= norm
    first = Certified(mean, (float(weights @ doubts) + lost) / norm + error + GAP * mean)
    return ErrorMoments(first, deviation_of(first, Certified(square, (square_doubt + lost) / norm + GAP * square)))


def _factors(
    counts: Integers, multiplicity: Integers, n: int, noise: NoiseOnCounts
) -> tuple[Integers, Floats, int, float] | None:
    """Moves of each kind of count and their masses, the length of a ring for their total, and the mass left out."""
    here, k = noise.noise, int(multiplicity.sum())
    reach = here.reach(SMALL + math.log(k))
    low, high = np.maximum(-counts, -reach), np.minimum(n - counts, reach)
    length = int((high - low).max()) + 1
    if length * len(counts) > LARGEST_TABLE:
        return None
    moves = low[:, None] + np.arange(length)
    there = moves <= high[:, None]
    moves = np.where(there, moves, 0)
    if noise.balanced:
        masses = np.where(there, np.exp(-here.decay * np.abs(moves)), 0.0)
        scale = masses.sum(axis=1)
    else:
        values = moves + counts[:, None]
        masses = np.where(there, exp(clamped(here, moves, values == 0, values == n)), 0.0)
        scale = np.ones(len(counts))
    outside = float(exp(here.log_at_least(reach + 1)) + exp(here.log_at_most(-reach - 1)))
    lost = k * outside
    masses = masses / scale[:, None]
    if noise.balanced:  # a count below 0 anywhere: all but the other noise, which is at most one for each total
        lost += float(multiplicity @ np.where(low > -reach, 2 * np.exp(-here.decay * (counts + 1.0)) / scale, 0.0))
    mean = float(multiplicity @ (masses * moves).sum(axis=1))
    variance = float(multiplicity @ (masses * moves**2).sum(axis=1)) + 1
    ends = []
    for steep in (here.decay / 2, math.sqrt(2 * SMALL / variance)):  # whichever Chernoff's bound is shorter
        mu = min(steep, 600 / length)
        weights = np.stack([(masses * np.exp(sign * mu * moves)).sum(axis=1) for sign in (-1, 1)])
        ends.append((float((np.log(weights) @ multiplicity).max()) + SMALL) / mu)
    N = next_fast_len(2 * math.ceil(max(min(ends), abs(mean))) + 3, real=True)
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
    r"""The product of the factors, as a law of the total of the moves.

    Expectations of \(1 - y^\theta\) come from differences of transforms: they keep their digits where they are small.
    """

    def __init__(self, D: Floats, moves: Integers, masses: Floats, multiplicity: Integers, rest: Floats) -> None:
        self.D, self.moves, self.masses, self.multiplicity, self.rest = D, moves, masses, multiplicity, rest
        self.N, self.low = len(rest), moves[:, 0]
        self.angles = 2 * np.pi / self.N * np.arange(self.N // 2 + 1)
        self.kept, self.lost = self._kept(masses)
        self._look(self.kept)
        self.all_totals, self.around = self._by_total(self.product)
        self.norm = 1.0 if np.isfinite(rest).all() else float(self.all_totals[0])
        self.still = math.exp(float(multiplicity @ np.log((masses * (moves == 0)).max(axis=1))))

    def _look(self, kept: int) -> None:
        """Take the factors without exponents at so many frequencies, or at all."""
        self.looked = kept if kept <= LISTED * self.N else len(self.angles)
        self.transforms = self._transforms(self.masses)
        self.product = np.prod(self.transforms ** self.multiplicity[:, None], axis=0)

    def missing(self, theta: float) -> tuple[float, float]:
        r"""\(E[1 - y^\theta]\), times the probability that the total is zero if it has to be, and a bound on its error.

        Where the released total exceeds n the last factor exceeds one, and so does what it makes of rounding; but
        \(0 \le y^\theta \le 1\), so that no total adds more than its probability.
        """
        change = self.masses * np.expm1(-theta * self.D)
        kept, lost = self._kept(self.masses + change) if self.looked < len(self.angles) else (0, 0.0)
        if kept > self.looked:
            self._look(2 * kept)
        off, around = self._by_total(-self._difference(change))
        lost += self.lost
        if self.norm < 1:
            return float(off[0]), lost + ROUNDED * around + self._relative() * abs(float(off[0]))
        last = np.exp(np.minimum(-theta * self.rest, 600.0))
        most = np.maximum(self.all_totals, 0.0) + ROUNDED * self.around
        terms = np.clip(self.all_totals * -np.expm1(np.minimum(-theta * self.rest, 600.0)) + last * off, 0.0, most)
        noise = ROUNDED * (self.around * np.abs(1 - last) + around * last)
        value = float(terms.sum())
        return value, lost + float(np.minimum(noise, 2 * most).sum()) + self._relative() * value

    def _relative(self) -> float:
        """What rounding may do to a difference of products, relatively."""
        return ROUNDING * (20 + int(self.multiplicity.sum()))

    def _by_total(self, product: Complexes) -> tuple[Floats, float]:
        """What has each total, around the ring, and the average size of the frequencies."""
        found: Floats = irfft(np.append(product, np.zeros(len(self.angles) - self.looked)), self.N)
        return found, 2 * float(np.abs(product).sum()) / self.N

    def _difference(self, change: Floats) -> Complexes:
        r"""\(\prod_i (\hat g_i + \text{change}) - \prod_i \hat g_i\)."""
        changes = self._transforms(change)
        sure = np.abs(self.transforms).min(axis=0) > 1e-3
        whole: Complexes = np.zeros_like(self.product)
        grown: Complexes = np.zeros(int(sure.sum()), dtype=np.complex128)  # the ratio of both products, less one
        for one, before, times in zip(changes, self.transforms, self.multiplicity, strict=True):
            share = one[sure] / before[sure]
            if times > 1:
                share = expm1(times * log1p(np.where(np.abs(1 + share) < 1e-100, -1 + 1e-16, share)))
            grown += share * (1 + grown)
        whole[sure] = self.product[sure] * grown
        rest = ~sure
        both = (self.transforms[:, rest] + changes[:, rest]) ** self.multiplicity[:, None]
        whole[rest] = np.prod(both, axis=0) - self.product[rest]
        return whole

    def _kept(self, factors: Floats) -> tuple[int, float]:
        """How many frequencies from zero on are kept, and a bound on the sum of all others."""
        sums = factors.sum(axis=1)
        logs, apart = np.zeros(len(self.angles)), 1
        while 2 * apart <= factors.shape[1]:
            blocks = factors[:, : factors.shape[1] // (2 * apart) * 2 * apart].reshape(len(factors), -1, 2, apart)
            paired = 2 * np.minimum(blocks[:, :, 0], blocks[:, :, 1]).sum(axis=(1, 2)) / sums
            logs = np.minimum(logs, -float(self.multiplicity @ paired) * (1 - np.abs(np.cos(apart / 2 * self.angles))))
            apart *= 2
        bounds = np.exp(float(self.multiplicity @ np.log(sums)) + logs)
        beyond = 2 * np.cumsum(bounds[::-1])[::-1]
        kept = max(1, int((beyond > NOTHING).sum()))
        return kept, float(beyond[kept]) if kept < len(beyond) else 0.0

    def _transforms(self, factors: Floats) -> Complexes:
        """Each factor at the first frequencies, as the sum that it is, or at all."""
        if self.looked == len(self.angles):
            rows = np.zeros((len(factors), self.N))
            places = (self.low[:, None] + np.arange(factors.shape[1])) % self.N
            for row, place, factor in zip(rows, places, factors, strict=True):
                for first in range(0, len(factor), self.N):  # a window may be longer than the ring
                    row[place[first : first + self.N]] += factor[first : first + self.N]
            found: Complexes = rfft(rows, axis=1)
            return found
        j = np.arange(self.looked)
        angle = -2j * np.pi / self.N
        turns = np.exp(angle * (np.arange(factors.shape[1])[:, None] * j % self.N))
        sums = factors @ turns.real.copy() + 1j * (factors @ turns.imag.copy())
        shifted: Complexes = sums * np.exp(angle * (self.low[:, None] * j % self.N))
        return shifted


def _least(D: Floats, masses: Floats, rest: Floats, totals: Integers) -> float:
    """Below the exponent of every output but the dataset itself."""
    first = D[(D > 0) & (masses > 0)]
    last = rest[(totals != 0) & np.isfinite(rest) & (rest > 0)]
    return 0.9 * min(float(first.min(initial=np.inf)), float(last.min(initial=np.inf)))
