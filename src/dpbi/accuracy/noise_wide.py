r"""Noise of any width on the counts: sums over few moves and few frequencies, at a cost that no width and no n changes.

With \(g_i(d) = p_i(d)\, e^{-\theta D_i(d)}\), \(p_i\) the law of the move of a count that is kept within 0..n, and
frequencies \(u = 2\pi j / N\) around a ring of totals,
\[ E[y^\theta] = \frac1N \sum_j \prod_i \hat g_i(u)\; \overline{\hat w(u)}, \]
where w is what a total does: it completes the last count, \(w(t) = e^{-\theta D_k(-t)}\); where it uses that up, and
the release has e records more than n, \(w(t) = e^{-\theta (D_k(-x_k) - D(|a|, e))}\); or it has to be zero,
\(\hat w = 1\).

1. *Moves.* The masses at the two ends of a count are points of their own. Between, \(\hat g_i\) is summed on
   ``panels``; the weights of the noise are one exponential on either side of zero.
   \(D_i(d) = d^2 \int_0^1 \frac12 \min(s, 1 - s)\, \psi'(a + sd)\, ds\), and \(|\arg \psi'(z)| \le 2 |\arg z|\), for
   \(\psi'(z) = \sum_m (z + m)^{-2}\). So \(\operatorname{Re} D_i \ge 0\) where d or -d, and all a + sd, are at most
   \(\pi / 8\) from the positive axis. This holds on the ellipse \(\rho = 2.55\) around a panel: half as long as it is
   c, its centre is 3c or more away from zero and from the end of the count, and its height is
   \(c\,\frac{\rho - 1/\rho}{2} \le \sin\frac\pi8 \sqrt{8}\, c\). There \(|g_i(d)\, e^{-iud}| \le p(0)\, e^{1.08\, cu}\)
   whatever \(\theta\) is, so that m points are summed with an error of at most \(4 m\) times that and
   \(\rho^{1 - 2 \cdot \text{nodes}} / (\rho - 1)\). The same holds for w up to the last count. Beyond it,
   \(\operatorname{Re} D(|a|, x + iy) \le D(|a|, x)\) for \(|a| \ge 2\): from
   \(|\Gamma(b + iy)|^2 = \Gamma(b)^2 \prod_m (1 + \frac{y^2}{(b + m)^2})^{-1}\) and the falling
   \(f(t) = \ln(1 + y^2 / t^2)\), twice the difference is
   \(\sum_m f(2|a| + x + 2m) - \frac12 \sum_m f(|a| + x + m) \le (1 - \frac{|a|}2) f(2|a| + x)\). And the ellipses do
   not go beyond 1.15 times the largest e.
2. *Frequencies.* Between its ends \(g_i\) rises to its largest value and does not rise again. So \(|1 - e^{iu}|\) times
   its transform is at most its variation \(2 p(0)\), and
   \(|\hat g_i(u)| \le \alpha_i + 2 p(0) / |1 - e^{iu}|\), with the masses \(\alpha_i\) at the ends; so for w. Where the
   noise is \(e^{-f}\) with a convex f, let \(F = f + \theta D_i\). At its ends \(g_i\) jumps by J in all. By parts
   \(\int |g_i''| \le |F'(0)|\, g_i(0) + 2 \int F'' g_i\) on either side of zero, and the slope at its end is at most
   \(|F'(0)|\, g_i(0) + \int F'' g_i\), or at most that at zero. With the decay \(\gamma\) of the noise
   \(|F'(0)| \le \gamma\), \(f'' \le \gamma^2\), and \(D_i'' \le \kappa = \frac12 \psi'\) at the lowest place, so that
   \[ |\hat g_i(u)| \le \alpha_i + \frac{J}{|1 - e^{iu}|} + \frac{8 \gamma p(0)
      + 3 (\gamma^2 + \theta \kappa) (\hat g_i(0) + p(0))}{|1 - e^{iu}|^2} . \]
   Of many counts the product is next to nothing soon.
3. *Totals* lie within what Chernoff's inequality leaves, but for \(e^{-\text{small}}\) on either side, and *windows*
   within the reach of the noise, but for as much of each count. Both shrink as \(\theta\) grows, which it has to do
   from one sum to the next; where a window may be half of what it was, all is laid out again. It may where the least
   exponent beyond it outweighs the largest factor of the totals. Totals that no longer count with their factors are
   left out as well.
4. *More than n records.* \(y \le 1\), so that no total adds more than at a smaller \(\theta\). \(\theta D(|a|, e)\) is
   convex in e, and below a line of slope \(\nu\) up to the largest e and around it. With \(g_i(d)\, e^{\nu d}\) and
   \(w(t)\, e^{-\nu t}\) nothing is above one but the product, which falls with what is summed. The ring confuses these
   totals with larger ones, which are above the line, and add no more than is left out of Chernoff's inequality for
   \(e^{\theta D(|a|, e)}\) times their mass; and with smaller ones, of which there is next to no mass. As
   \(D_i(d) \ge \frac{d^2}{8 (a_i + d)}\), the tilt lifts \(g_i\) by \(e^{2 (\nu - \gamma)^2 (a_i + W) / \theta}\) at
   most, W being the largest move, and not at all up to \(\nu = \gamma\); Gaussian noise by
   \(e^{\nu^2 / (2 \gamma^2)}\). Around a panel it is \(e^{1.12 (\nu - \gamma) W}\), or one and a half times that
   exponent. Where this is too much, all such totals together add from nothing to what they added before.

Up to the first new layout \(E[1 - y^\theta]\) is a difference of products, and keeps its digits where it is small.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import next_fast_len

from ..arithmetic import exp
from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.line import NoiseOnCounts
from ..mechanisms.noise import clamped
from ..model.distances import gamma_gap, moved_gap
from .low_frequencies import LowFrequencies
from .noise_factors import FARTHEST, LEAST_SURE, NEXT_TO_NOTHING, multiplied, product_change
from .panels import NODES, PHASE, RHO, Nodes, how_many, nodes_of
from .products import ROUNDING
from .spectrum import Complexes

LARGEST_NODES = 1 << 22
"""No more moves of all kinds of counts are looked at."""

LARGEST_FACTORS = 1 << 24
"""No more frequencies of all kinds of counts."""

ROOM = 3
"""Counts that are so many times as large as the moves are summed over the same moves."""

LIGHT = 4.0
"""Up to e to this power as the factor of a total of more than n records sums are not tilted."""

LIFTED = 24.0
"""Where a tilt is steeper than the noise, weights around a panel are at most e to this power."""

AROUND = 1.15
"""Ellipses around panels of totals do not go farther beyond the last count, as a share of the largest."""

LESS_SMALL = 32.0
"""What is left out of totals where some have more than n records."""

NEGLIGIBLE = 1e-15
"""Totals of more than n records that together add less are left as they are."""


class _Moves(NamedTuple):
    """Where some kinds of counts are looked at: all at the same moves, or each at its own."""

    kinds: Integers
    whole: Integers  # (1, M) or (K, M) the moves, in whole numbers
    part: Floats  # (1, M) or (K, M) and what they are more
    masses: Floats  # (1, M) or (K, M) the probabilities of the noise times the weights of the rule
    exponents: Floats  # (K, M)
    ends: int  # so many first moves are those to the ends
    jumps: Floats  # (K,) how much all others jump at their ends
    lowest: Floats  # (K,) the least posterior weight at one of them

    @property
    def moves(self) -> Floats:
        """The moves, which need not be whole."""
        return self.whole + self.part


class _Totals(NamedTuple):
    """What totals do."""

    beyond: Floats  # by how much they exceed the last count, if they do
    exponents: Floats
    weights: Floats
    transform: LowFrequencies


class _Layout(NamedTuple):
    r"""What all \(\theta\) from one on have in common."""

    reach: int
    since: float  # no smaller theta is asked
    groups: list[_Moves]
    transforms: list[LowFrequencies]
    N: int
    highest: int  # total
    counted: Floats  # (J,) how often each frequency counts, for those below zero are conjugate; over N
    rounding: Floats  # (J,) what may be off in a transform of unit size
    within: _Totals | None  # up to the last count; None where totals have to be zero
    beyond: _Totals | None  # more than n records
    lost: float


class NoiseWide:
    """Sums over all releases, each with its probability; if their total has to be zero, up to a factor."""

    def __init__(self, prior: Floats, counts: Integers, noise: NoiseOnCounts, small: float) -> None:
        moving = len(counts) if noise.balanced else len(counts) - 1
        self._noise, self._balanced, self._k, self._n = noise.noise, noise.balanced, moving, int(counts.sum())
        self._log_most = float(noise.noise.log_point(0))
        # where totals have to be zero all is a share of the probability of that
        self._small = small + 2 * math.log(max(moving, 1)) + 2 - (self._log_most if noise.balanced else 0.0)
        reach, self._last = noise.noise.reach(self._small), (float(prior[-1]), int(counts[-1]))
        self.fits = moving > 1 and self._n > 1 and reach <= FARTHEST
        self.fits &= not noise.balanced or int(counts.min()) >= ROOM * reach
        if not self.fits:
            return
        self._whole = float(prior.sum()) + self._n
        pairs, self._times = np.unique(np.stack([prior, counts])[:, :moving], axis=1, return_counts=True)
        self._prior, self._counts = pairs[0], pairs[1].astype(np.int64)
        self._used_up = float(moved_gap(prior[-1], counts[-1], -counts[-1]))
        self.least, self.least_beyond = self._nearest()
        # what is off in the probability of no move would be so in all factors
        self._scale = np.ones(len(self._prior))
        for group in self._moves(reach, 0.0):
            self._scale[group.kinds] = 1 / group.masses.sum(axis=1)
        self._asked, self._more_error = 0.0, 0.0
        # of totals up to the last count, and of those beyond: what is missing, its error, and what that is at least
        self._off, self._doubt, self._least = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
        self.subtracted, self.more = 0.0, 0.0 if noise.balanced else 1.0
        """What is subtracted from the exponents of more than n records, on average, and the probability of these."""
        found = self._lay(reach, 0.0, None)
        self.fits = found is not None
        if found is None:
            return
        self._layout, self._begun, self._lost_first = found, True, found.lost
        self._before = self._transformed([group.masses for group in found.groups])
        self._product = multiplied(self._before, self._times)
        self.norm = float(found.counted @ self._product.real) if noise.balanced else 1.0
        sums, sizes = self._sums([group.masses for group in found.groups]), np.abs(self._before)
        self._product_off = _off(np.maximum(sizes, 1e-100), found.rounding * sums[:, None], self._times)
        unsure = (sizes.min(axis=0) <= LEAST_SURE) | (np.abs(self._product) <= NEXT_TO_NOTHING)
        self._unsure = np.where(unsure, ROUNDING * self._k * np.abs(self._product), 0.0)
        self.norm_error = (float(found.counted @ self._product_off) + found.lost) if noise.balanced else 0.0
        self.more = 0.0
        if (at := found.beyond) is not None:
            turned = at.transform(at.weights[None])[0]
            self.more = max(0.0, self._sum(self._product, turned))
            each = self._product_off * np.abs(turned)
            each += at.transform.rounding * float(at.weights.sum()) * np.abs(self._product)
            self._more_error = found.lost + float(found.counted @ each)
            subtracted = at.weights * np.maximum(self._used_up - at.exponents, 0.0)
            self.subtracted = self._sum(self._product, at.transform(subtracted[None])[0])
        self.most = self._moved(found)
        self.off_most = ROUNDING * (1 + moving) * self.most

    def _moved(self, layout: _Layout) -> float:
        """The probability that anything moves, with its digits."""
        away = [group.masses * (group.moves != 0) for group in layout.groups]
        if self._balanced:
            change = product_change(self._before, [-self._transformed(away)], self._times)
            return -float(layout.counted @ change.real)
        return -math.expm1(float(self._times @ np.log1p(-np.minimum(self._sums(away), 1 - 1e-16))))

    def _nearest(self) -> tuple[float, float]:
        """Below the exponent of every release but the dataset: with n records, where one count moves by one at least,
        for D is convex and no count moves alone; and with more, as ``noise_factors`` has it.
        """
        some = self._counts > 0
        one = moved_gap(self._prior, self._counts, 1)
        less = moved_gap(self._prior[some], self._counts[some], -1)
        beyond = self._used_up + (self._last[0] + self._last[1]) / (8 * (self._whole + 1) ** 2)
        return 0.9 * min(float(one.min()), float(less.min(initial=math.inf))), 0.9 * beyond

    @property
    def work(self) -> float:
        """About how many steps one sum takes."""
        nodes = sum(max(group.moves.size, group.exponents.size) for group in self._layout.groups)
        return 30.0 * nodes + 100.0 * len(self._times) * len(self._layout.counted)

    @property
    def lost(self) -> float:
        """The probability of all that is left out: of both sums of a difference."""
        return self._lost_first + self._layout.lost

    @property
    def most_subtracted(self) -> float:
        """No more is subtracted from the exponent of a release of more than n records."""
        return self._subtracted(self._layout.highest - self._last[1])

    @property
    def left_beyond(self) -> float:
        """What releases of more than n records may still add."""
        return max(0.0, self.more - self._off[1]) + self._doubt[1]

    def missing(self, theta: float) -> tuple[float, float]:
        r"""\(E[1 - y^\theta]\), times the probability of a total of zero if it has to be, and a bound on its error."""
        if theta < self._asked:
            raise ValueError(f"theta must not fall, got {theta} after {self._asked}")
        while self._alive and theta > (furthest := self._furthest()):
            if furthest <= 1.1 * self._asked:
                break
            self._look(furthest)
        self._look(theta)
        return sum(self._off), sum(self._doubt)

    def _look(self, theta: float) -> None:
        """Find what is missing of totals up to the last count, and of those beyond."""
        for part in (0, 1):
            self._least[part] = max(self._least[part], self._off[part] - self._doubt[part])
        known = self._laid_out(theta)
        self._asked, at = theta, self._layout
        if not known:
            self._leave(0, self.norm - self.more)
            self._leave(1, self.more)
            return
        masses = [group.masses for group in at.groups]
        if self._begun:
            changes = [mass * np.expm1(-theta * group.exponents) for mass, group in zip(masses, at.groups, strict=True)]
            transforms = self._transformed(changes)
            value = product_change(self._before, [transforms], self._times)
            after, before = self._before + transforms, np.maximum(np.abs(self._before), LEAST_SURE)
            relative = self._times @ (1 / before)
        else:
            changes = [mass * np.exp(-theta * group.exponents) for mass, group in zip(masses, at.groups, strict=True)]
            after = self._transformed(changes)
            value, relative = multiplied(after, self._times), np.full(len(at.counted), float(self._k))
        sizes, whole = self._sums([np.abs(change) for change in changes]), np.maximum(np.abs(after), 1e-100)
        off = _off(whole, at.rounding * sizes[:, None], self._times) + relative * at.rounding * np.abs(value)
        if self._begun:
            off += self._unsure
        if at.within is None:
            less = -float(at.counted @ value.real)
            self._off[0] = less if self._begun else self.norm + less
            self._doubt[0] = self.lost + float(at.counted @ off) + (0.0 if self._begun else self.norm_error)
            return
        self._off[0], self._doubt[0] = self._completed(theta, value, off, at.within, 1.0 - self.more)
        if at.beyond is None:  # what those might add is in what is lost
            self._off[1], self._doubt[1] = self.more, (self.lost + self._more_error) * (self.more > 0)
            return
        if self._alive and theta <= self._furthest():
            if self._load(theta) <= LIGHT:
                found = self._completed(theta, value, off, at.beyond, self.more)
            else:
                found = self._tilted(theta, at.beyond)
            if found[1] < self.left_beyond / 2:
                self._off[1], self._doubt[1] = found
                return
        self._leave(1, self.more)

    def _leave(self, part: int, whole: float) -> None:
        """What is missing of a part grows with theta, up to all of it."""
        least = self._least[part]
        most = max(least, whole + self._more_error + self.norm_error)
        self._off[part], self._doubt[part] = (least + most) / 2, (most - least) / 2

    def _completed(
        self, theta: float, value: Complexes, off: Floats, totals: _Totals, before: float
    ) -> tuple[float, float]:
        """What is missing of these totals, and a bound on its error."""
        at = self._layout
        completion = totals.weights * np.exp(-theta * totals.exponents)
        turned = totals.transform(completion[None])[0]
        found = -self._sum(value, turned)
        rounded = np.abs(value) * totals.transform.rounding * float(completion.sum())
        doubt = self.lost + float(at.counted @ (off * np.abs(turned) + rounded))
        if not self._begun:
            return before + found, doubt + self._more_error
        change = -totals.weights * np.expm1(-theta * totals.exponents)
        turned = totals.transform(change[None])[0]
        rounded = self._product_off * np.abs(turned)
        rounded += totals.transform.rounding * float(np.abs(change).sum()) * np.abs(self._product)
        return found + self._sum(self._product, turned), doubt + float(at.counted @ rounded)

    def _tilted(self, theta: float, totals: _Totals) -> tuple[float, float]:
        """The same of totals of more than n records, with a tilt that takes their factors to one at most."""
        at, tilt = self._layout, self._tilt(theta)
        tilted = [group.masses * np.exp(tilt * group.moves - theta * group.exponents) for group in at.groups]
        sums = self._sums(tilted)
        scale = math.exp(min(float(self._times @ np.log(sums)) - tilt * self._last[1], 600.0))
        each = self._transformed(tilted) / sums[:, None]
        product, whole = multiplied(each, self._times), np.maximum(np.abs(each), 1e-100)
        completion = totals.weights * np.exp(-theta * totals.exponents - tilt * totals.beyond)
        turned = totals.transform(completion[None])[0]
        value = scale * self._sum(product, turned)
        # what the rule may be off, as a share of each sum
        over, higher = self._lifted(tilt)
        around = 1.08 * PHASE + 1.12 * over * min(at.reach, self._n) + 1.5 * higher
        ruled = 16 * at.reach * math.exp(self._log_most + around) * RHO ** (1 - 2 * NODES) / (RHO - 1) / sums
        off = _off(whole, at.rounding + ruled[:, None], self._times) + self._k * at.rounding * np.abs(product)
        rounded = np.abs(product) * totals.transform.rounding * float(completion.sum())
        # nor what it may be of the totals
        ruled_totals = 8 * len(at.counted) * math.exp(0.54 * PHASE) * RHO ** (1 - 2 * NODES)
        doubt = scale * (float(at.counted @ (off * np.abs(turned) + rounded)) + ruled_totals)
        frequencies, lost = self._tails(at.groups, tilted, at.N, at.reach, theta, tilt, heaviest=1.0)
        left = frequencies <= len(at.counted)
        beyond = float(lost[left][-1])
        return self.more - value, self.lost + self._more_error + doubt + beyond

    def _tilt(self, theta: float) -> float:
        r"""The slope of the line that \(\theta D(|a|, \cdot)\) is below, up to the largest total and around it."""
        e = AROUND * (self._layout.highest - self._last[1])
        return theta * self._subtracted(e) / e

    def _subtracted(self, e: float) -> float:
        return float(gamma_gap(self._whole, self._whole + e, e / 2)) if e > 0 else 0.0

    def _furthest(self) -> float:
        r"""Up to which \(\theta\) totals of more than n records can be summed."""
        decay = self._noise.decay
        steepest = decay + min(LIFTED / (1.12 * min(self._layout.reach, self._n)), 4 * decay)
        return max(LIGHT / max(self._load(1.0), 1e-300), steepest / max(self._tilt(1.0), 1e-300))

    def _lifted(self, tilt: float) -> tuple[float, float]:
        """By how much a tilt is steeper than the noise, and how much higher it makes Gaussian noise, as a logarithm."""
        if isinstance(self._noise, GaussianNoiseAt):
            return 0.0, (tilt / self._noise.decay) ** 2 / 2
        return max(0.0, tilt - self._noise.decay), 0.0

    @property
    def _alive(self) -> bool:
        """Whether there are releases of more than n records that may still add something."""
        return self._layout.beyond is not None and self.left_beyond > NEGLIGIBLE

    def _sum(self, product: Complexes, turned: Complexes) -> float:
        return float(self._layout.counted @ (product * turned.conj()).real)

    def _transformed(self, values: list[Floats]) -> Complexes:
        """(K, J) of all kinds of counts."""
        found = np.empty((len(self._times), len(self._layout.counted)), dtype=np.complex128)
        for group, transform, masses in zip(self._layout.groups, self._layout.transforms, values, strict=True):
            found[group.kinds] = transform(masses)
        return found

    def _sums(self, values: list[Floats]) -> Floats:
        """(K,) of all kinds of counts."""
        found = np.empty(len(self._times))
        for group, masses in zip(self._layout.groups, values, strict=True):
            found[group.kinds] = masses.sum(axis=1)
        return found

    def _load(self, theta: float, highest: int | None = None) -> float:
        r"""No total has more than e to this power as its factor, nor has it around the panels."""
        e = (self._layout.highest if highest is None else highest) - self._last[1]
        return theta * max(0.0, self._subtracted(AROUND * e) - self._used_up)

    def _laid_out(self, theta: float) -> bool:
        """Lay all out again where the window may be half of what it was, or totals too heavy, if there is a way to."""
        reach, at = self._layout.reach, self._layout
        while theta > self._until(reach, at.highest):
            reach //= 2
        heavy = self._alive and self._load(theta) > LIGHT and theta > 1.5 * at.since
        if reach < at.reach or heavy:
            found = self._lay(reach, theta, at.highest)
            if found is None:
                return False
            if at.beyond is not None:  # what no longer counts
                self._lost_first += math.exp(-LESS_SMALL)
            self._layout, self._begun = found, False
        return True

    def _until(self, reach: int, highest: int) -> float:
        r"""From which \(\theta\) on half of the window is enough, also where totals have factors of more than one."""
        if reach <= 4 * NODES:
            return math.inf
        half = reach // 2
        down, up = self._counts > half, self._n - self._counts > half
        lower = moved_gap(self._prior[down], self._counts[down], -half)
        upper = moved_gap(self._prior[up], self._counts[up], half)
        least = min(float(lower.min(initial=math.inf)), float(upper.min(initial=math.inf)))
        if self.left_beyond > NEGLIGIBLE:
            least -= max(0.0, self._subtracted(highest - self._last[1]) - self._used_up)
        return self._small / least if least > 0 else math.inf

    def _lay(self, reach: int, theta: float, highest_before: int | None) -> _Layout | None:
        r"""All for a window, from \(\theta\) on; None where that is too much."""
        if len(self._counts) * how_many(reach, 0.0) > LARGEST_NODES:
            return None
        groups = self._moves(reach, 0.0)
        factors = [group.masses * np.exp(-theta * group.exponents) for group in groups]
        lowest, highest = self._ends_of_totals(groups, factors, theta, highest_before)
        around = math.ceil((AROUND - 1) * max(0, highest - self._last[1]))
        N = next_fast_len((max(lowest, highest) if self._balanced else lowest + highest + around) + 1, real=True)
        more = not self._balanced and highest > self._last[1]
        until = min(self._until(reach, highest), 1e300)
        load = self._load(until, highest) if more else -math.inf
        heaviest = math.exp(min(LIGHT, load))
        frequencies, beyond_each = self._tails(groups, factors, N, reach, until, heaviest=heaviest)
        enough = np.flatnonzero(beyond_each <= math.exp(-self._small))
        kept, lost = (int(frequencies[enough[0]]), float(beyond_each[enough[0]])) if len(enough) else (N // 2 + 1, 0.0)
        frequency = 2 * math.pi / N * (kept - 1)
        too_many = kept * len(self._counts) > LARGEST_FACTORS or 12 * kept * N > 1 << 62
        if too_many or len(self._counts) * how_many(reach, frequency) > 4 * LARGEST_NODES:
            return None
        if frequency * (reach + 1) > 4 * PHASE:  # no panel is longer than half of the moves
            groups = self._moves(reach, frequency)
        if sum(max(group.whole.size, group.exponents.size) for group in groups) > LARGEST_NODES:
            return None
        transforms = [LowFrequencies(group.whole, group.part, N, kept) for group in groups]
        within, beyond = (None, None) if self._balanced else self._completion(lowest, highest, N, kept)
        # windows of all, twice, and totals beyond the window and around the ring, on both sides
        outside = self._k * math.exp(-self._small) + more * math.exp(-LESS_SMALL)
        # what the rule may be off: a share of the largest value, at all points
        turned = math.exp(1.08 * PHASE)
        summed = self._k * 2 * reach * math.exp(self._log_most) * (2 + math.log(N)) * turned
        summed *= 1 + more * math.exp(LIGHT)
        summed += 2 * kept * (turned + math.exp(LIGHT) * math.sqrt(turned))
        summed *= 4 * RHO ** (1 - 2 * NODES) / (RHO - 1)
        return _Layout(
            reach,
            theta,
            groups,
            transforms,
            N,
            highest,
            np.where(2 * np.arange(kept) % N == 0, 1.0, 2.0) / N,
            transforms[0].rounding,
            within,
            beyond,
            lost + 4 * outside + summed,
        )

    def _moves(self, reach: int, frequency: float) -> list[_Moves]:
        """The moves up to the reach, and the probabilities of the noise times the weights of the rule."""
        far = (self._counts >= ROOM * reach) & (self._n - self._counts > reach)
        width, found = self._noise.width, []
        if far.any():
            one_side = nodes_of(reach + 1, math.inf, width, frequency)
            found.append(self._group(np.flatnonzero(far), [(one_side, one_side)], reach, shared=True))
        if not far.all():
            kinds, sides = np.flatnonzero(~far), []
            for count in self._counts[kinds].tolist():
                up = nodes_of(min(reach + 1, self._n - count), math.inf, width, frequency)
                sides.append((up, nodes_of(min(reach, max(count - 1, 0)), count - 1, width, frequency)))
            found.append(self._group(kinds, sides, reach, shared=False))
        return found

    def _group(self, kinds: Integers, sides: list[tuple[Nodes, Nodes]], reach: int, *, shared: bool) -> _Moves:
        noise, counts = self._noise, self._counts[kinds]
        ends = 0 if shared else 2
        M = ends + max(len(up.whole) + len(down.whole) for up, down in sides)
        whole, part, weights = np.zeros((len(sides), M), dtype=np.int64), *np.zeros((2, len(sides), M))
        for row, (up, down) in enumerate(sides):
            here = slice(ends, ends + len(up.whole) + len(down.whole))
            whole[row, here] = np.concatenate([up.whole, -1 - down.whole])
            part[row, here] = np.concatenate([up.periods, -down.periods])
            weights[row, here] = np.concatenate([up.weights, down.weights])
        masses = weights * exp(noise.log_farther(whole, np.abs(part)))
        part *= noise.width
        low, high = np.minimum(reach, np.maximum(counts - 1, -1)), np.minimum(reach, self._n - counts - 1)
        if not shared:
            to_ends = np.stack([-counts, self._n - counts], axis=1)
            there, first = np.abs(to_ends) <= reach, np.array([[True, False]])
            whole[:, :2] = np.where(there, to_ends, 0)
            masses[:, :2] = np.where(there, exp(clamped(noise, to_ends, there & first, there & ~first)), 0.0)
            masses[:, 2:] *= (whole[:, 2:] + part[:, 2:] != 0) | (counts > 0)[:, None]
        D = moved_gap(self._prior[kinds, None], counts[:, None], whole + part)
        masses *= self._scale[kinds[:1] if shared else kinds, None]
        jumps = exp(noise.log_point(-low)) + exp(noise.log_point(np.maximum(high, 0)))
        return _Moves(kinds, whole, part, masses, D, ends, jumps, self._prior[kinds] + counts - low)

    def _ends_of_totals(
        self, groups: list[_Moves], factors: list[Floats], theta: float, before: int | None
    ) -> tuple[int, int]:
        """How far totals go down and up; ``before``, they went so far up."""
        parts = [
            (self._times[group.kinds], factor, factor.sum(axis=1), group.moves)
            for group, factor in zip(groups, factors, strict=True)
        ]
        variance = 1.0
        for times, factor, sums, moves in parts:
            mean = (factor * moves).sum(axis=1) / sums
            variance += float(times @ (np.maximum((factor * moves**2).sum(axis=1) / sums - mean**2, 0.0)))
        farthest = max(float(np.abs(moves).max()) for *_, moves in parts)

        def end(sign: int, small: float, least: float = 0.0) -> int:
            found = math.inf
            for share in (0.1, 0.3, 0.5, 0.7, 0.85, 1.0, 1.5):
                mu = max(share * math.sqrt(2 * small / variance), least)
                if mu * farthest > 600:
                    continue
                tilted = sum(
                    float(times @ np.log((factor * np.exp(sign * mu * moves)).sum(axis=1)))
                    for times, factor, _, moves in parts
                )
                found = min(found, (tilted + small) / mu)
            return max(1, math.ceil(min(found, 1e18)))

        highest = end(1, self._small) if before is None or before <= self._last[1] else before
        if self._balanced or highest <= self._last[1]:
            return end(-1, self._small), highest
        small = min(self._small, LESS_SMALL)
        lowest, highest = end(-1, small + LIGHT), min(highest, end(1, small))  # factors that are not tilted are larger
        if before is not None:  # the logarithm of the factor is convex, and nowhere steeper
            least = theta / 2 * math.log1p(before / (2 * self._whole + before)) * (1 + 1 / self._whole)
            highest = before
            for _ in range(20):
                heavy = small + theta * self._subtracted(highest - self._last[1])
                fewer = max(end(1, heavy, least), self._last[1])
                if fewer >= highest:
                    break
                highest = fewer
        return lowest, highest

    def _tails(
        self,
        groups: list[_Moves],
        factors: list[Floats],
        N: int,
        reach: int,
        until: float,
        tilt: float = 0.0,
        heaviest: float = 0.0,
    ) -> tuple[Integers, Floats]:
        """Numbers of frequencies, and bounds on what all do from there on."""
        decay, (over, higher), W = self._noise.decay, self._lifted(tilt), min(reach, self._n)
        edges = np.unique(np.geomspace(1, N // 2 + 1, 600).astype(np.int64))
        at = edges[:-1]
        turn = 2 * np.sin(np.pi / N * at)
        logs = np.full(len(at), math.log(2 / N)) if self._balanced else np.log(4 * (1 + heaviest) / N / turn)
        logs -= tilt * self._last[1]
        for group, factor in zip(groups, factors, strict=True):
            sums, lowest, kinds = factor.sum(axis=1)[:, None], group.lowest[:, None], group.kinds[:, None]
            heaviest_after = self._prior[kinds] + self._counts[kinds] + W
            lifted = over * np.minimum(W, 2 * over * heaviest_after / max(until, 1e-300))
            most = np.exp(self._log_most + higher + lifted)
            if self._noise.width == 1:
                bend = decay**2 + until * (1 / lowest + 1 / lowest**2) / 2
                curved = 8 * (decay + tilt) * most + 3 * bend * (sums + most)
                jumps = group.jumps[:, None] * math.exp(min(tilt * W, 600.0))
                between = np.minimum(2 * most / turn, jumps / turn + np.minimum(curved, 1e200) / turn**2)
            else:  # within a period a tilt makes it rise
                between = (2 * most + 2 * math.expm1(tilt) * sums) / turn
            bounds = np.minimum(sums, factor[:, : group.ends].sum(axis=1)[:, None] + between)
            logs = logs + self._times[group.kinds] @ np.log(np.maximum(bounds, 1e-300))
        beyond: Floats = np.cumsum((np.diff(edges) * np.exp(np.minimum(logs, 600.0)))[::-1])[::-1]
        return at, beyond

    def _completion(self, lowest: int, highest: int, N: int, kept: int) -> tuple[_Totals, _Totals | None]:
        """What totals up to the last count do, and those beyond."""
        frequency, (prior, last) = 2 * math.pi / N * (kept - 1), self._last
        up, down = nodes_of(min(highest, last) + 1, last, 1, frequency), nodes_of(lowest, math.inf, 1, frequency)
        whole = np.concatenate([up.whole, -1 - down.whole])
        part = np.concatenate([up.periods, -down.periods])
        D = moved_gap(prior, last, -(whole + part))
        weights = np.concatenate([up.weights, down.weights])
        within = _Totals(np.zeros(0), D, weights, LowFrequencies(whole[None], part[None], N, kept))
        if highest <= last:
            return within, None
        more = nodes_of(highest - last, math.inf, 1, 2 * frequency)
        e = 1 + more.whole + more.periods
        D = self._used_up - gamma_gap(np.full(len(e), self._whole), self._whole + e, e / 2)
        beyond = LowFrequencies((last + 1 + more.whole)[None], more.periods[None], N, kept)
        return within, _Totals(e, D, more.weights, beyond)


def _off(sizes: Floats, each: Floats, times: Integers) -> Floats:
    """(J,) what a product of factors of these sizes is off, if each factor is."""
    size, more = times @ np.log(sizes), times @ np.log1p(each / sizes)
    found: Floats = np.where(
        more < 1, np.exp(size) * np.expm1(np.minimum(more, 1)), np.exp(np.minimum(size + more, 600))
    )
    return found
