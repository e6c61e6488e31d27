r"""Privacy losses in cells: how much of P and of Q falls where \(\ln P/Q\) is between two neighbours of a grid.

A pair of laws enters composition only by its loss. On the grid \(jh\) a pair has two neighbours with whole numbers:

* **from below**, tell only the cell of the output: that is post-processing, so it can only hide;
* **from above**, split what is in the cell \([a, a + h]\) between its two ends so that both P and Q keep their masses,
  \(p_b = (p - e^a q)/(1 - e^{-h})\) at the upper end b. The cell is then a garbling of the two ends, so it can only
  tell (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022 draw the same as chords of the curve of \(\delta\)).

Both stay what they are when pairs are composed, and both are off by \(h^2\) only. Losses beyond the last cell are
infinite from above and nothing from below; those before the first are in it from above.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import special

from .. import checks
from ..checks import Floats
from .ends import UNIT

REACH = 39.0
"""Normal losses are followed so many standard deviations: what is beyond has a probability below 1e-330."""


class LossCells(NamedTuple):
    r"""Masses in cells \([(f + j) h, (f + j + 1) h]\), and where P alone is; P and Q are known to a relative
    ``accuracy``.

    ``shift`` is how far a loss may lie outside its cell. ``beyond`` is what P has farther up, infinite or not.
    """

    width: float
    first: int
    p: Floats
    q: Floats
    infinite: float = 0.0
    beyond: float = 0.0
    accuracy: float = 8 * UNIT
    shift: float = 0.0

    def above(self) -> Floats:
        """P on the ends of the cells, from above: one more number than there are cells."""
        h, a = self.width, (self.first + np.arange(len(self.p))) * self.width
        up = (self.p - np.exp(a) * self.q) / -math.expm1(-h)
        # what P and Q are off by moves up, where it costs more
        off = (2 * self.accuracy + (np.abs(a) + 4) * 4 * UNIT) / -math.expm1(-h) * self.p
        up = np.clip(up + off, 0.0, self.p)
        ends = np.zeros(len(self.p) + 1)
        ends[1:] += up
        ends[:-1] += self.p - up
        return ends


class Loss(Protocol):
    """A pair of laws by its privacy loss."""

    @property
    def largest(self) -> float:
        """No loss beyond this matters; from it the width of cells is chosen."""
        ...

    @property
    def spread(self) -> float:
        """About the standard deviation of the loss."""
        ...

    def cells(self, width: float) -> LossCells:
        """The masses in cells of this width."""
        ...


@dataclass(frozen=True, eq=False)
class FiniteLoss:
    """The loss of two laws on finitely many outputs, whose probabilities are known to a relative accuracy.

    >>> FiniteLoss([0.75, 0.25], [0.25, 0.75]).cells(0.5)[1:4]
    (-3, array([0.25, 0.  , 0.  , 0.  , 0.  , 0.75]), array([0.75, 0.  , 0.  , 0.  , 0.  , 0.25]))
    """

    p: Floats
    q: Floats
    accuracy: float = 8 * UNIT

    def __init__(self, p: Any, q: Any, accuracy: float = 8 * UNIT) -> None:
        for name, law in (("p", p), ("q", q)):
            object.__setattr__(self, name, checks.simplex(name, law, np.size(law)))
        if self.p.shape != self.q.shape or self.p.ndim != 1:
            raise ValueError(
                f"q must have the outputs of p, one probability for each, got shapes {self.p.shape} and {self.q.shape}"
            )
        object.__setattr__(self, "accuracy", checks.real("accuracy", accuracy, least=0, below=0.01))

    @property
    def losses(self) -> Floats:
        """Of the outputs that both laws have."""
        both = (self.p > 0) & (self.q > 0)
        found: Floats = np.log(self.p[both]) - np.log(self.q[both])
        return found

    @property
    def largest(self) -> float:
        """The largest loss, of either sign."""
        return float(np.abs(self.losses).max(initial=0.0))

    @property
    def spread(self) -> float:
        """The standard deviation of the finite losses."""
        p = self.p[(self.p > 0) & (self.q > 0)]
        if not p.size:
            return 0.0
        mean = float(p @ self.losses / p.sum())
        return math.sqrt(float(p @ (self.losses - mean) ** 2 / p.sum()))

    def cells(self, width: float) -> LossCells:
        """Outputs by the cells of their losses."""
        both = (self.p > 0) & (self.q > 0)
        place = np.floor(self.losses / width).astype(np.int64)
        first = int(place.min(initial=0))
        size = int(place.max(initial=0)) - first + 1
        p, q = (np.bincount(place - first, law[both], size).astype(np.float64) for law in (self.p, self.q))
        shift = 2 * self.accuracy + 8 * UNIT * (1 + self.largest)
        # the largest loss is often at the end of a cell or a rounding above it
        return LossCells(width, first, p, q, float(self.p[self.q == 0].sum()), 0.0, self.accuracy + 8 * UNIT, shift)


@dataclass(frozen=True)
class LaplaceLoss:
    r"""The loss of Laplace noise of scale \(1/\varepsilon\) on a number that moves by one: atoms at both ends.

    In between P has the density \(\frac14 e^{(l - \varepsilon)/2}\).

    >>> LaplaceLoss(1.0).cells(0.5).p.round(4).tolist()
    [0.2362, 0.0671, 0.0861, 0.1106, 0.5]
    """

    epsilon: float

    def __post_init__(self) -> None:
        checks.real("epsilon", self.epsilon, above=0)

    @property
    def largest(self) -> float:
        """Epsilon."""
        return self.epsilon

    @property
    def spread(self) -> float:
        """About epsilon."""
        return self.epsilon

    def cells(self, width: float) -> LossCells:
        """Integrals of the density, and the atoms."""
        e = self.epsilon
        first, last = math.floor(-e / width), math.floor(e / width)
        ends = np.clip(np.arange(first, last + 2) * width, -e, e)
        a, length = ends[:-1], np.diff(ends)
        p = np.exp((a - e) / 2) * np.expm1(length / 2) / 2
        q = np.exp(-(a + e) / 2) * -np.expm1(-length / 2) / 2
        p[0] += math.exp(-e) / 2
        q[0] += 0.5
        p[-1] += 0.5
        q[-1] += math.exp(-e) / 2
        # the length of the cells that the ends cut is rounded
        return LossCells(width, first, p, q, accuracy=(40 + 4 * e / width) * UNIT, shift=8 * UNIT * (1 + e))


@dataclass(frozen=True)
class GaussianLoss:
    r"""The loss of normal noise: \(N(\rho, 2\rho)\) under P and \(N(-\rho, 2\rho)\) under Q.

    >>> GaussianLoss(0.02).cells(0.05).p.max().round(4)
    np.float64(0.0994)
    """

    rho: float

    def __post_init__(self) -> None:
        checks.real("rho", self.rho, above=0)

    @property
    def largest(self) -> float:
        """As far as a composition of many looks."""
        return self.rho + REACH * self.spread

    @property
    def spread(self) -> float:
        r"""\(\sqrt{2\rho}\)."""
        return math.sqrt(2 * self.rho)

    def cells(self, width: float) -> LossCells:
        """Integrals of the two densities over the cells."""
        first, last = math.floor((self.rho - self.largest) / width), math.ceil((self.rho + self.largest) / width)
        ends = np.arange(first, last + 1, dtype=np.float64) * width
        p, q = _normal_masses(ends, self.rho, self.spread)
        return LossCells(width, first, p, q, beyond=_far_tail(ends[-1], self.rho, self.spread), accuracy=1e-13)


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
    def largest(self) -> float:
        """The largest loss of the batch, with its secrecy."""
        return math.log1p(self.share * math.expm1(min(GaussianLoss(self.rho).largest, 600.0)))

    @property
    def spread(self) -> float:
        """About the share times the root of the chi-squared divergence, at most the spread of the batch."""
        whole = GaussianLoss(self.rho).spread
        return min(whole, self.share * math.sqrt(math.expm1(min(2 * self.rho, 600.0))))

    def cells(self, width: float) -> LossCells:
        """Above zero by integrals in terms of the batch's own loss, below zero by mirroring."""
        last = math.ceil(self.largest / width)
        upper = np.arange(last + 1) * width
        inner = np.log1p(np.expm1(upper) / self.share)
        p, q = _normal_masses(inner, self.rho, GaussianLoss(self.rho).spread)
        mixed = self.share * p + (1 - self.share) * q
        rest = 1 - mixed.sum() - q.sum()
        up_p, up_q = mixed.copy(), q.copy()
        up_p[0] += rest
        up_q[0] += rest
        tail = _far_tail(float(inner[-1]), self.rho, GaussianLoss(self.rho).spread)
        # the mass at zero is what is left, so that it is known only to the accuracy of the sum
        accuracy = max(1e-12, 64 * UNIT / float(up_p[0]))
        cells = np.concatenate([q[::-1], up_p]), np.concatenate([mixed[::-1], up_q])
        return LossCells(width, -last, *cells, beyond=2 * tail, accuracy=accuracy)


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


def _far_tail(end: float, rho: float, deviation: float) -> float:
    """What P has beyond an end, from above."""
    return float(special.ndtr(-(end - rho) / deviation)) * (1 + 1e-12) + 1e-300


def of_kind(value: object) -> Callable[[float], LossCells]:
    """The function that gives the cells of a loss."""
    cells = getattr(value, "cells", None)
    if not callable(cells):
        raise TypeError(f"losses must be FiniteLoss, GaussianLoss, LaplaceLoss or BatchLoss values, got {value!r}")
    found: Callable[[float], LossCells] = cells
    return found
