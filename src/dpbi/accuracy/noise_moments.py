r"""Mean and standard deviation of the error of noise on the counts, at any k and n, with proved bounds.

With \(y = e^{-D}\) the error is \(H = \sqrt{1 - y} = 1 - \sum_{m \ge 1} c_m y^m\), \(c_m > 0\), and \(H^2 = 1 - y\).
The sum over m is one over nodes, as in ``mixture``, and \(E[y^\theta]\) is a sum over the total of independent moves
(``noise_factors``), each with the factor \(e^{-\theta D_i(d)}\). Of wide noise few moves, and few
frequencies, are enough (``noise_wide``).

All errors are absolute, for \(0 \le y^\theta \le 1\): the mass beyond a window, that of totals which the ring confuses,
and high frequencies. There \(|b + c\, e^{iv}| \le b + c - 2 \min(b, c) (1 - |\cos\frac v2|)\), for all pairs of moves w
apart, bounds each factor g of the product:
\[ |\hat g(u)| \le \hat g(0)\, e^{-S_w (1 - |\cos (wu/2)|)}, \qquad
   S_w = \frac{2}{\hat g(0)} \sum_{\text{pairs } (d,\, d + w)} \min(g(d), g(d + w)) . \]
\(E[y^\theta]\) falls with \(\theta\) to the probability of the dataset itself; once it is there, it stays.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.fft import irfft, rfft

from ..checks import Floats, Integers
from ..mechanisms.line import NoiseOnCounts
from ..progress import late
from .lattice_levels import ALL_FAR, FAR, Levels, levels_of
from .lattice_sums import LatticeSums
from .mixture import root_mixture
from .moments import Certified, ErrorMoments, deviation_of
from .noise_beyond import ROUNDED, around_tilts
from .noise_factors import NoiseFactors, noise_factors, on_ring, product_change, whole_power, work_around
from .noise_wide import NoiseWide
from .products import GAP, ROUNDING
from .spectrum import Complexes

SMALL = 46.0
r"""Noise beyond which \(e^{-46}\) of it lies is left out."""

FEWER_DIGITS = (34.0, 26.0, 22.0)
"""The same where few categories leave so many frequencies that sums are not quick."""

QUICK = 1.5e7
"""Steps of a sum that take no time."""

ENOUGH = 1e-9
"""Sums of few moves that are farther off, relatively, are tried with all."""

SMALL_NEAR_ENDS = 32.0
r"""The same where counts are near 0 or n."""

CLOSE = 1e-9
"""If what is lost is a larger share of the mean, counts near 0 or n are looked at."""

MOST_LOST = 3e-7
"""If more is lost even so, they are left alone."""

NOTHING = 1e-20
"""Frequencies, and changes of an expectation, that together are less are left out."""

NEAREST = 1e-20
"""Releases with more than n records whose exponent is smaller are no error at all."""

NEGLIGIBLE = 1e-13
"""What totals of more than n records may add to what is not known; a hundred times that share of the mean square."""

IN_A_BLOCK = 1 << 18
"""So many numbers are transformed at once."""

LISTED = 0.1
"""A smaller share of the frequencies is computed one by one."""


def noise_moments(prior: Floats, counts: Integers, noise: NoiseOnCounts) -> ErrorMoments | None:
    """The moments at one dataset; None where the noise is too wide to be summed. Inputs unchecked."""
    levels = levels_of(prior, counts, noise.noise, FAR) if noise.balanced else None
    if levels is not None and (affinity := levels.affinity()) <= ALL_FAR:  # 1 - H is at most y, and so is its square
        return ErrorMoments(Certified(1.0, affinity), Certified(0.0, math.sqrt(affinity)))
    wide: NoiseWide | None = None
    for small in (SMALL, *FEWER_DIGITS):
        some = NoiseWide(prior, counts, noise, small)
        wide = some if some.fits else wide
        if wide is not None and wide.work <= QUICK:
            break
    # the ring of all totals is longer than one count moves: where few moves are less work than that, it is not made
    kinds = np.unique(np.stack([prior, counts]), axis=1).shape[1]
    found = _wide(wide) if wide is not None and wide.work <= work_around(kinds, noise.noise.reach(SMALL)) else None
    if found is not None and found.mean.bound <= ENOUGH * found.mean.value:
        return found
    factors = noise_factors(prior, counts, noise, SMALL)
    if found is None and wide is not None and (factors is None or wide.work <= factors.work):
        found = _wide(wide)
    if factors is None and found is None and noise.balanced:
        return _near_ends(prior, counts, noise, levels)
    if factors is None or (found is not None and found.mean.bound <= ENOUGH * found.mean.value):
        return found
    product = _Product(factors)
    norm, lost = product.norm, factors.lost
    if norm <= 2 * (lost + ROUNDED * product.around):  # next to none of the noise stays away from the ends
        return _near_ends(prior, counts, noise, levels)
    least = min(factors.least, max(factors.least_beyond, NEAREST)) if factors.excess.any() else factors.least
    nodes, weights, (error, error_beyond) = root_mixture(least, factors.least_beyond)
    beyond, subtracted = float(product.most[factors.excess].sum()), float(product.most @ factors.subtracted)
    off_beyond = math.inf
    square, square_doubt = product.missing(1.0)
    product.negligible = NEGLIGIBLE * max(100 * square, 1.0)
    most = norm - product.still
    off_most = ROUNDING * (norm + int(factors.multiplicity.sum()) * product.still)  # as a difference

    def missing(theta: float) -> tuple[float, float]:
        nonlocal beyond, off_beyond
        found = product.missing(theta)
        # releases of a larger total that are nearer than all the nodes are good for
        beyond = min(beyond, math.exp(min(theta * least, 600)) * float(product.most[factors.excess].sum()))
        # their exponents are off by a share of what is subtracted, and H by that over H,
        # which is at least 1 / sqrt(theta) but for those that are nearer
        near = math.e * float(product.most @ factors.subtracted) / math.sqrt(factors.least_beyond)
        off_beyond = min(off_beyond, 2 * GAP * (subtracted * math.sqrt(theta) + near))
        return found

    off, doubts = _at_nodes(missing, nodes, most, off_most)
    # the dataset itself has no error, and the nodes are good from the least exponent on: they end before one, where
    # all that has moved counts; the last of them knows that better than a difference, unless some is nearer
    rest = 1 - float(weights.sum())
    moved, doubt = (most, off_most) if factors.excess.any() else (float(off[-1]), float(doubts[-1]))
    mean = min(max((float(weights @ off) + rest * moved) / norm, 0.0), 1.0)
    square /= norm
    off_mean = float(weights @ doubts) + rest * doubt + lost + error * most
    first = Certified(mean, off_mean / norm + beyond * error_beyond + off_beyond + GAP * mean)
    found = ErrorMoments(first, deviation_of(first, Certified(square, (square_doubt + lost) / norm + GAP * square)))
    if not noise.balanced or lost / norm <= CLOSE * max(first.value, CLOSE):
        return found
    nearer = _near_ends(prior, counts, noise, levels)
    return found if nearer is None or first.bound < nearer.mean.bound else nearer


def _at_nodes(
    missing: Callable[[float], tuple[float, float]], nodes: Floats, most: float, off_most: float
) -> tuple[Floats, Floats]:
    """What is missing at all nodes and how far each may be off; where the dataset itself is all that is left, no more
    is at later ones.
    """
    told, off, doubts = late("sums at most"), np.zeros(len(nodes)), np.zeros(len(nodes))
    for place, theta in enumerate(nodes):
        off[place], doubts[place] = missing(float(theta))
        told(place + 1, len(nodes))
        if (left := most - off[place]) <= max(ROUNDING * most, doubts[place]):
            off[place:], doubts[place:] = off[place], doubts[place] + abs(left) + off_most
            told(len(nodes), len(nodes))
            break
    return off, doubts


def _wide(sums: NoiseWide) -> ErrorMoments:
    """Those of noise of any width."""
    least = min(sums.least, max(sums.least_beyond, NEAREST)) if sums.more > 0 else sums.least
    nodes, weights, (error, error_beyond) = root_mixture(least, sums.least_beyond)
    square, square_doubt = sums.missing(1.0)
    beyond, off_beyond = sums.left_beyond, math.inf

    def missing(theta: float) -> tuple[float, float]:
        nonlocal beyond, off_beyond
        found, left = sums.missing(theta), sums.left_beyond
        beyond = min(beyond, math.exp(min(theta * least, 600)) * left)
        near = math.e * left * sums.most_subtracted / math.sqrt(sums.least_beyond)
        off_beyond = min(off_beyond, 2 * GAP * (sums.subtracted * math.sqrt(theta) + near))
        return found

    off, doubts = _at_nodes(missing, nodes, sums.most, sums.off_most)
    rest = 1 - float(weights.sum())  # at the last node all that has moved counts, unless some is nearer
    moved, doubt = (sums.most, sums.off_most) if sums.more > 0 else (float(off[-1]), float(doubts[-1]))
    mean = min(max((float(weights @ off) + rest * moved) / sums.norm, 0.0), 1.0)
    square, rounded = square / sums.norm, GAP + sums.norm_error / sums.norm
    off_mean = float(weights @ doubts) + rest * doubt + error * sums.most
    off_mean += beyond * error_beyond + off_beyond if sums.more > 0 else 0.0
    first = Certified(mean, off_mean / sums.norm + rounded * mean)
    return ErrorMoments(first, deviation_of(first, Certified(square, square_doubt / sums.norm + rounded * square)))


def _near_ends(prior: Floats, counts: Integers, noise: NoiseOnCounts, levels: Levels | None) -> ErrorMoments | None:
    """Those of noise on the lattice, also at counts near 0 or n; None where too many are for sums."""
    told = late("sums at most")
    sums = LatticeSums(prior, counts, noise.noise, SMALL_NEAR_ENDS, powers=True, levels=levels)
    if sums.lost > MOST_LOST:
        return None
    nodes, weights, (error,) = root_mixture(sums.least)
    itself, (power, doubt) = math.exp(sums.log_itself), sums.mean(1.0)
    values, doubts = np.full(len(nodes), itself), np.zeros(len(nodes))
    for place, theta in enumerate(nodes):
        values[place], doubts[place] = sums.mean(float(theta)) if theta != 1 else (power, doubt)
        told(place + 1, len(nodes))
        if values[place] - itself <= doubts[place]:
            doubts[place:] = 2 * doubts[place]
            told(len(nodes), len(nodes))
            break
    mean = min(float(weights @ (itself - values)) + 1 - itself, 1.0)
    first = Certified(mean, float(weights @ doubts) + 3 * sums.lost + error * (1 - itself) + ROUNDING + GAP * mean)
    return ErrorMoments(first, deviation_of(first, Certified(1 - power, doubt + sums.lost)))


class _Product:
    r"""The product of the factors, as a law of the total of the moves.

    Expectations of \(1 - y^\theta\) come from differences of transforms: they keep their digits where they are small.
    """

    def __init__(self, factors: NoiseFactors) -> None:
        self.factors = factors
        self.D, self.masses, self.multiplicity = factors.exponents, factors.masses, factors.multiplicity
        self.rest, self.N, self.low = factors.rest, len(factors.rest), factors.moves[:, 0]
        self.angles = 2 * np.pi / self.N * np.arange(self.N // 2 + 1)
        self.kept, self.lost = self._kept(self.masses)
        self._look(self.kept)
        self.all_totals, self.around = self._by_total(self.product)
        self.most = np.maximum(self.all_totals, 0.0) + ROUNDED * self.around  # of each total, at the last theta
        self.norm = 1.0 if np.isfinite(self.rest).all() else float(self.all_totals[0])
        self.still, self.negligible = math.exp(factors.log_still), NEGLIGIBLE

    def _look(self, kept: int) -> None:
        """Take the factors without exponents at so many frequencies, or at all."""
        self.looked = kept if kept <= LISTED * self.N else len(self.angles)
        self.transforms = np.concatenate(list(self._rows(self.masses)))
        self.product = np.ones(self.looked, dtype=np.complex128)
        for one, times in zip(self.transforms, self.multiplicity.tolist(), strict=True):
            self.product *= whole_power(one, times)

    def missing(self, theta: float) -> tuple[float, float]:
        r"""\(E[1 - y^\theta]\), times the probability that the total is zero if it has to be, and a bound on its error.

        Where the released total exceeds n the last factor exceeds one, and so does what it makes of rounding; but
        \(y^\theta\) falls with \(\theta\), so that no total adds more than at the last one, which was smaller.
        """
        change = self.masses * np.expm1(-theta * self.D)
        kept, lost = self._kept(self.masses + change) if self.looked < len(self.angles) else (0, 0.0)
        if kept > self.looked:
            self._look(2 * kept)
        off, around = self._by_total(-product_change(self.transforms, self._rows(change), self.multiplicity))
        lost += self.lost
        if self.norm < 1:
            return float(off[0]), lost + ROUNDED * around + self._relative() * abs(float(off[0]))
        power = np.minimum(-theta * self.rest, 600.0)
        last = np.exp(power)
        terms = self.all_totals * -np.expm1(power) + last * off
        noise = ROUNDED * (self.around * np.abs(1 - last) + around * last)
        enough = self.negligible * math.sqrt(theta) / len(noise)  # for the weights of nodes fall like that
        tilted = np.flatnonzero(self.factors.excess & (noise > enough) & (self.most > enough))
        if len(tilted) > 0:
            left, off_left = around_tilts(self.factors, theta, tilted)
            terms[tilted], noise[tilted] = self.all_totals[tilted] - left, off_left + ROUNDED * self.around
        # what is left is from zero to what it was: half of that where rounding says less
        unknown = noise > self.most
        least, all_of_it = np.maximum(self.all_totals - self.most, 0.0), np.maximum(self.all_totals, 0.0)
        terms = np.where(unknown, self.all_totals - self.most / 2, np.clip(terms, least, all_of_it))
        noise = np.where(unknown, self.most / 2 + ROUNDED * self.around, noise)
        self.most = np.minimum(self.most, np.maximum(self.all_totals - terms, 0.0) + noise)
        value = float(terms.sum())
        return value, lost + float(noise.sum()) + self._relative() * value

    def _relative(self) -> float:
        """What rounding may do to a difference of products, relatively."""
        return ROUNDING * (20 + int(self.multiplicity.sum()))

    def _by_total(self, product: Complexes) -> tuple[Floats, float]:
        """What has each total, around the ring, and the average size of the frequencies."""
        found: Floats = irfft(np.append(product, np.zeros(len(self.angles) - self.looked)), self.N)
        return found, 2 * float(np.abs(product).sum()) / self.N

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

    def _rows(self, factors: Floats) -> Iterator[Complexes]:
        """Some factors at a time at the first frequencies, as the sum that each is, or at all."""
        if self.looked == len(self.angles):
            some = max(1, IN_A_BLOCK // self.N)
            for first in range(0, len(factors), some):
                here = slice(first, first + some)
                yield rfft(on_ring(factors[here], self.low[here], self.N), axis=1)
            return
        j = np.arange(self.looked)
        angle = -2j * np.pi / self.N
        turns = np.exp(angle * (np.arange(factors.shape[1])[:, None] * j % self.N))
        sums = factors @ turns.real.copy() + 1j * (factors @ turns.imag.copy())
        yield sums * np.exp(angle * (self.low[:, None] * j % self.N))
