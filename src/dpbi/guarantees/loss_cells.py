r"""Losses of steps on secret batches in cells: how much of P and of Q falls where \(\ln P/Q\) is between two neighbours
of a grid.

A pair of laws enters composition only by its loss. To bound it from above, what is in the cell \([a, a + h]\) is split
between its two ends so that both P and Q keep their masses, \(p_b = (p - e^a q)/(1 - e^{-h})\) at the upper end b. The
cell is then a garbling of the two ends, so that the ends can only tell more (Doroshenko, Ghazi, Kamath, Kumar and
Manurangsi 2022 draw the same as chords of the curve of \(\delta\)). Losses beyond the last cell are infinite.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import special

from .. import checks
from ..checks import Floats

REACH = 39.0
"""Normal losses are followed so many standard deviations: what is beyond has a probability below 1e-330."""


class LossCells(NamedTuple):
    r"""Masses in cells \([(f + j) h, (f + j + 1) h]\), and what P has where Q has nothing or beyond."""

    width: float
    first: int
    p: Floats
    q: Floats
    infinite: float = 0.0

    def above(self) -> Floats:
        """P on the ends of the cells, from above: one more number than there are cells."""
        a = (self.first + np.arange(len(self.p))) * self.width
        up = np.clip((self.p - np.exp(a) * self.q) / -math.expm1(-self.width), 0.0, self.p)
        ends = np.append(self.p - up, 0.0)
        ends[1:] += up
        return ends


class Loss(Protocol):
    """A pair of laws by its privacy loss."""

    @property
    def largest(self) -> float:
        """No loss beyond this matters: the width of cells is chosen by it."""
        ...

    @property
    def spread(self) -> float:
        """About the standard deviation of the loss."""
        ...

    def cells(self, width: float) -> LossCells:
        """The masses in cells of this width."""
        ...


@dataclass(frozen=True)
class BatchLoss:
    r"""The loss of normal noise on a secret batch of fixed size, one record replaced; q is the share of rows in a
    batch.

    With the chance 1 - q the record is in no batch. What is left to tell, at \(\varepsilon > 0\),

    \[ \delta_q(\varepsilon) = q\, \delta\bigl(\ln(1 + (e^{\varepsilon} - 1)/q)\bigr), \qquad
       \delta_q(-\varepsilon) = 1 - e^{-\varepsilon} + e^{-\varepsilon} \delta_q(\varepsilon) , \]

    \(\delta\) that of the whole batch (Balle, Barthe and Gaboardi 2018, Theorem 9; Zhu, Dong and Wang 2022), is the
    curve of a pair: above zero the losses of \(qP + (1 - q)Q\) against Q, below it their mirror, the rest at zero. It
    holds for every sequence of queries of that sensitivity, so that its composition holds for adaptive ones.

    >>> BatchLoss(0.5, 0.1).cells(0.05).p.sum().round(12)
    np.float64(1.0)
    """

    rho: float
    share: float

    def __post_init__(self) -> None:
        checks.real("rho", self.rho, above=0)
        checks.real("share", self.share, above=0, most=1)

    @property
    def _deviation(self) -> float:
        """That of the loss of the whole batch, which is normal."""
        return math.sqrt(2 * self.rho)

    @property
    def largest(self) -> float:
        """The largest loss of the batch, with its secrecy."""
        return math.log1p(self.share * math.expm1(min(self.rho + REACH * self._deviation, 600.0)))

    @property
    def spread(self) -> float:
        """About the share times the root of the chi-squared divergence, at most the spread of the batch."""
        return min(self._deviation, self.share * math.sqrt(math.expm1(min(2 * self.rho, 600.0))))

    def cells(self, width: float) -> LossCells:
        """Above zero by integrals in terms of the batch's own loss, below zero by mirroring."""
        last = math.ceil(self.largest / width)
        upper = np.arange(last + 1) * width
        inner = np.log1p(np.expm1(upper) / self.share)
        p, q = _normal_masses(inner, self.rho, self._deviation)
        mixed = self.share * p + (1 - self.share) * q
        rest = 1 - mixed.sum() - q.sum()
        up_p, up_q = mixed.copy(), q.copy()
        up_p[0] += rest
        up_q[0] += rest
        tail = float(special.ndtr((self.rho - inner[-1]) / self._deviation))
        return LossCells(width, -last, np.append(q[::-1], up_p), np.append(mixed[::-1], up_q), 2 * tail)


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def _normal_masses(ends: Floats, rho: float, deviation: float) -> tuple[Floats, Floats]:
    r"""Of \(N(\rho, 2\rho)\) and \(N(-\rho, 2\rho)\) between the ends, to 1e-13: Gauss's rule on pieces so small that
    the logarithm of the density moves by little on each.
    """
    length = np.diff(ends)
    z = (ends - rho) / deviation
    pieces = np.ceil(np.diff(z) * (1 + np.maximum(np.abs(z[1:]), np.abs(z[:-1]))) / 8).astype(np.int64)
    starts = np.repeat(ends[:-1], pieces)
    part = np.repeat(length / pieces, pieces)
    order = np.arange(len(starts)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    middle = starts + (order + 0.5) * part
    loss = middle[:, None] + part[:, None] / 2 * _NODES
    density = np.exp(-(((loss - rho) / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi))
    cell = np.cumsum(pieces) - pieces
    p, q = (np.add.reduceat(f @ _WEIGHTS * part / 2, cell) for f in (density, density * np.exp(-loss)))
    return p, q
