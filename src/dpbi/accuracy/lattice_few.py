r"""Lattice noise where few categories are far from the ends, and the moves of all others together are short.

In ``lattice_sums`` each step of a level is a product over all categories. By the time the step is taken, the first p of
the categories far from the ends have lost one record more than the others. So with R for what all categories near an
end move by together, and \(P_p\) and \(G_p\) for what both sides add to \(E[e^{-\theta D}]\), a level adds
\[ \sum_{p=0}^h \sum_R P_p(-R)\, G_p(R) . \]
At \(\theta \ge 1\) counts near zero move little: G is had around a short ring, at all points of the circle, and only P
is had around the long one. How short, Chernoff's inequality says: \(\Pr[R \ge W] \le e^{-tW} E[e^{tR}]\).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len

from ..checks import Floats, Integers
from .spectrum import Complexes

STEEP = np.geomspace(1e-3, 4.0, 50)
"""Rates t at which the inequality is looked at."""


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


def far_sums(below: Complexes, above: Complexes, N: int, totals: Integers) -> Floats:
    """(h + 1, B, R) what each total of the moves of h categories has where the first p are above.

    Their transforms (B, h, U) are multiplied.
    """
    h, rows = below.shape[1], []
    for p in range(h + 1):
        product = np.prod(np.concatenate([above[:, :p], below[:, p:]], axis=1), axis=1)
        rows.append(irfft(product, N)[:, totals % N])
    return np.stack(rows)


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
