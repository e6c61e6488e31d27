r"""Lattice noise where few categories are far from the ends, and the moves of all others together are short.

In ``lattice_sums`` each step of a level is a product over all categories. By the time the step is taken, the first p of
the categories far from the ends have lost one record more than the others. So with R for what all categories near an
end move by together, and \(P_p\) and \(G_p\) for what both sides add to \(E[e^{-\theta D}]\), a level adds
\[ \sum_{p=0}^h \sum_R P_p(-R)\, G_p(R) . \]
At \(\theta \ge 1\) counts near zero move little: G is had around a short ring, at all points of the circle, and only P
is had around the long one. How short, Chernoff's inequality says: \(\Pr[R \ge W] \le e^{-tW} E[e^{tR}]\).

Of two categories P is had without a ring. If they have lost a and b, \(m + m' = R\) and noise is \(cr^{|v|}\), then
\(|m + a| + |m' + b|\) is \(|R + a + b|\) between \(-a\) and \(R + b\), and rises by two a step outside:
\[ P(R) = c^2 \Big( r^{|R+a+b|} \sum_{l \le m \le u} g(m) + r^{a-b-R} \sum_{m > u} g(m)\, r^{2m}
   + r^{R+b-a} \sum_{m < l} g(m)\, r^{-2m} \Big), \qquad g(m) = e^{-\theta (D_1(m) + D_2(R - m))} , \]
l and u being the smaller and the larger of both. So three running sums do for all levels.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len

from ..checks import Floats, Integers
from .products import ROUNDING
from .spectrum import Complexes

STEEP = np.geomspace(1e-3, 4.0, 50)
"""Rates t at which the inequality is looked at."""

BLOCK = 128
"""So many numbers are added up one after the other."""


class Window(NamedTuple):
    """Moves that are not next to nothing, from the first on, as many as there are around a ring."""

    first: int
    N: int

    @property
    def moves(self) -> Integers:
        return self.first + np.arange(self.N)


def window(moves: Integers, log_shares: Floats, times: Integers, log_enough: float) -> Window:
    r"""That of a total of independent moves (K, M): beyond, on each side, is less than \(e^{-\text{log\_enough}}\)."""
    ends = []
    for sign in (-1, 1):
        logs = sign * STEEP[:, None, None] * moves + log_shares
        top = logs.max(axis=-1)
        means = (top + np.log(np.exp(logs - top[:, :, None]).sum(axis=-1))) @ times
        possible = np.where(np.isfinite(log_shares), sign * moves, -np.inf).max(axis=1) @ times
        ends.append(math.ceil(max(min(float(((means + log_enough) / STEEP).min()), float(possible)), 0.0)))
    return Window(-ends[0], next_fast_len(ends[0] + ends[1] + 1, real=True))


class Pair:
    """Two categories at all levels: what each total of their moves has where none, one or both lost a record more."""

    def __init__(
        self, kept: Floats, moves: Integers, totals: Integers, levels: int, share: float, decay: float
    ) -> None:
        self._share, self._decay, self._totals = share, decay, totals
        self._rounding = ROUNDING * (20 + BLOCK + moves.shape[1] / BLOCK)
        self._most, a = 0.0, np.arange(levels + 1)
        self._alike, self._mixed = np.empty((2, len(a), len(totals)))
        for column, total in enumerate(totals.tolist()):
            self._fill(column, total, kept, moves, a)
        self.sizes = np.stack([self._size(one, m, a) for one, m in zip(kept, moves, strict=True)], axis=1)
        """(L + 1, 2) what each of them has."""

    def _fill(self, column: int, total: int, kept: Floats, moves: Integers, a: Integers) -> None:
        m, width = moves[0], moves.shape[1]
        other = total - m - moves[1, 0]
        there = (other >= 0) & (other < width)
        g = kept[0] * np.where(there, kept[1][np.clip(other, 0, width - 1)], 0.0)
        power = self._decay * (2 * m - total)
        inside, under, over = _running(g), _running(g * np.exp(power)), _running((g * np.exp(-power))[::-1])[::-1]
        self._most = max(self._most, float(inside[-1]))
        for table, first in ((self._alike, a), (self._mixed, a + 1)):
            low, high = np.minimum(-first, total + a), np.maximum(-first, total + a)
            below, beyond = np.clip(low - m[0], 0, width), np.clip(high + 1 - m[0], 0, width)
            found = np.exp(-self._decay * np.abs(total + first + a)) * (inside[beyond] - inside[below])
            found += np.exp(self._decay * (a - first)) * over[beyond] + np.exp(self._decay * (first - a)) * under[below]
            table[:, column] = self._share**2 * found

    def _size(self, kept: Floats, m: Integers, a: Integers) -> Floats:
        under, over = _running(kept * np.exp(self._decay * m)), _running((kept * np.exp(-self._decay * m))[::-1])[::-1]
        place = np.clip(-a - m[0], 0, len(m))
        return np.asarray(
            self._share * (np.exp(-self._decay * a) * over[place] + np.exp(self._decay * a) * under[place])
        )

    def sums(self, levels: slice) -> tuple[Floats, Floats]:
        """(3, B, R) at some levels, and (B,) what rounding may do to them."""
        more = slice(levels.start + 1, levels.stop + 1)
        found = np.stack([self._alike[levels], self._mixed[levels], self._alike[more]])
        nearest = 2 * np.arange(levels.start, levels.stop) - int(np.abs(self._totals).max())
        between = self._share**2 * self._most * np.exp(-self._decay * np.maximum(nearest, 0))  # a difference
        return found, self._rounding * (found.max(axis=(0, 2)) + between)


def _running(values: Floats) -> Floats:
    """Sums of the first of all values, none to all: in blocks, so that few roundings add up."""
    rows = np.zeros((-(-len(values) // BLOCK), BLOCK))
    rows.ravel()[: len(values)] = values
    rows = np.cumsum(rows, axis=1)
    rows[1:] += np.cumsum(rows[:-1, -1])[:, None]
    return np.append(0.0, rows.ravel()[: len(values)])


def far_sums(factors: Complexes, N: int, totals: Integers) -> Floats:
    """(h + 1, B, R) what each total of the moves of h categories has where the first p have lost a record more.

    Their transforms (B + 1, h, U), each row of which is one record on, are multiplied.
    """

    def of_totals(product: Complexes) -> Floats:
        return np.asarray(irfft(product, N))[:, totals % N]

    alike = of_totals(np.prod(factors, axis=1))
    mixed = [
        of_totals(np.prod(factors[1:, :p], axis=1) * np.prod(factors[:-1, p:], axis=1))
        for p in range(1, factors.shape[1])
    ]
    return np.stack([alike[:-1], *mixed, alike[1:]])


def repeated(below: Complexes, above: Complexes, started: Complexes, times: int) -> tuple[Complexes, ...]:
    r"""So many equal categories in a row: the products below and above, and the sum of their steps.

    \(\sum_{j<g} b^{g-1-j} a^j\) is that of half as many, times the sum of both powers, and a term more if g is odd.
    """
    if times == 1:
        return below, above, started
    rest, ahead, steps = below.copy(), above.copy(), np.ones_like(below)
    for digit in bin(times)[3:]:
        steps *= rest + ahead
        rest *= rest
        ahead *= ahead
        if digit == "1":
            steps *= below
            steps += ahead
            rest *= below
            ahead *= above
    steps *= started
    return rest, ahead, steps
