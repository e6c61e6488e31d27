r"""Steps on secret batches: a loss for any mechanism with a finite hardest pair, and a guarantee that charges steps.

A batch of fixed size is drawn without replacement, one record may be replaced. A mechanism on the batch whose smallest
deltas are \(\delta(\varepsilon)\) has, with q the share of rows in a batch and \(\varepsilon > 0\),

\[ \delta_q(\varepsilon) \le q\, \delta\bigl(\ln(1 + (e^{\varepsilon} - 1)/q)\bigr), \qquad
   \delta_q(-\varepsilon) = 1 - e^{-\varepsilon} + e^{-\varepsilon} \delta_q(\varepsilon) \]

(Balle, Barthe and Gaboardi 2018, Theorem 9). The right sides are the curve of one pair of laws, which is the hardest
for all neighbours, so that its composition bounds that of adaptive steps (Zhu, Dong and Wang 2022).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import approximate, in_doubles, number
from ..checks import Floats
from .concentrated import RDP
from .levels import log_or_infinite
from .loss_cells import Loss, LossCells

FINEST, COARSEST = 2**18, 2**13
"""Places on the grid for the sum of many steps, at most and at least."""

ROUNDED = 1e-12
"""Added to every delta of a composition: its transforms are in doubles, and deltas are off by far less."""


@dataclass(frozen=True, eq=False)
class SecretLoss:
    """The loss of a mechanism on a secret batch, from laws p and q that are the hardest for the batch itself.

    Only outputs that are likelier under p count: replacing a record is symmetric, see the head of this module.

    >>> loss = SecretLoss([0.75, 0.25], [0.25, 0.75], 0.1)
    >>> loss.cells(0.25).p.round(4).tolist(), round(loss.largest, 4)
    ([0.25, 0.75], 0.1823)
    """

    p: Floats
    q: Floats
    share: float

    def __init__(self, p: Any, q: Any, share: float) -> None:
        for name, law in (("p", p), ("q", q)):
            object.__setattr__(self, name, approximate(checks.simplex(name, law, np.size(law))))
        if self.p.shape != self.q.shape or self.p.ndim != 1:
            raise ValueError(
                f"q must have the outputs of p, one probability for each, got shapes {self.p.shape} and {self.q.shape}"
            )
        object.__setattr__(self, "share", checks.real("share", share, above=0, most=1))
        if self._rest < -1e-12:
            raise ValueError("p and q must be the hardest laws of a symmetric relation, got more than 1 on both sides")

    def __repr__(self) -> str:
        return f"<SecretLoss of {len(self.p)} outputs, share {self.share:g}>"

    @property
    def _likelier(self) -> tuple[Floats, Floats]:
        """What is likelier under p, and not impossible under q: with the batch secret."""
        some = (self.p > self.q) & (self.q > 0)
        p, q = self.p[some], self.q[some]
        return self.share * p + (1 - self.share) * q, q

    @property
    def _infinite(self) -> float:
        return self.share * float(self.p[self.q == 0].sum())

    @property
    def _rest(self) -> float:
        """What has no loss."""
        p, q = self._likelier
        return float(1 - p.sum() - q.sum() - self._infinite)

    @property
    def largest(self) -> float:
        """The largest loss."""
        p, q = self._likelier
        return float(np.log(p / q).max(initial=0.0))

    @property
    def spread(self) -> float:
        """The root of the mean square of the loss."""
        p, q = self._likelier
        return math.sqrt(float((p + q) @ np.log(p / q) ** 2))

    def cells(self, width: float) -> LossCells:
        """Outputs by the cells of their losses, and their mirror below zero."""
        p, q = self._likelier
        place = np.floor(np.log(p / q) / width).astype(np.int64)
        last = int(place.max(initial=0)) + 1
        up_p, up_q = (np.bincount(place, law, last).astype(np.float64) for law in (p, q))
        down_p, down_q = up_q[::-1].copy(), up_p[::-1].copy()
        rest = max(self._rest, 0.0)
        up_p[0] += rest
        up_q[0] += rest
        return LossCells(width, -last, np.append(down_p, up_p), np.append(down_q, up_q), self._infinite)


@dataclass(frozen=True)
class BatchDP:
    """What adaptive steps on secret batches promise: the tighter of a Rényi curve and of the composition of a loss.

    ``renyi`` and ``loss`` are those of one step, and the loss that of a pair that is the hardest for every step. Delta
    and epsilon are the smaller of two bounds, the second by the package dp-accounting from cells that bound the loss
    from above; in doubles.

    >>> from dpbi.guarantees import BatchLoss, subsampled
    >>> step = BatchDP(subsampled(RDP(range(2, 64), [a / 2 for a in range(2, 64)]), 1000, 10), BatchLoss(0.5, 0.01))
    >>> many = step.repeat(100)
    >>> round(many.renyi_together.epsilon(1e-6), 3), round(many.epsilon(1e-6), 3)
    (1.792, 1.002)
    """

    renyi: RDP
    loss: Loss
    count: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.renyi, RDP):
            raise TypeError(f"renyi must be an RDP value, got {self.renyi!r}")
        if not callable(getattr(self.loss, "cells", None)):
            raise TypeError(f"losses must be BatchLoss or SecretLoss values, got {self.loss!r}")
        checks.whole("count", self.count, least=0)

    @property
    def renyi_together(self) -> RDP:
        """The Rényi curve of all steps."""
        return self.renyi.repeat(self.count)

    def repeat(self, count: int) -> "BatchDP":
        """So many times as many steps."""
        return BatchDP(self.renyi, self.loss, self.count * checks.whole("count", count, least=0))

    def composed(self) -> Any:
        """The composition of the loss, on a grid finer than the loss of one step is wide."""
        if not in_doubles():
            raise TypeError("the composition of losses is in doubles: over other numbers take renyi_together")
        try:
            from dp_accounting.pld import pld_pmf
            from dp_accounting.pld import privacy_loss_distribution as peer
        except ImportError:
            raise ImportError(
                "dp-accounting must be installed to compose losses (pip install 'dpbi[accounting]'): without it take "
                "renyi_together"
            ) from None
        most, spread = self.loss.largest, self.loss.spread
        reach = min(2 * self.count * most, 30 * math.sqrt(self.count) * spread + 2 * most)
        places = 1 << math.ceil(math.log2(240 * math.sqrt(self.count)))
        width = 2.0 ** math.floor(math.log2(max(reach, 1e-6) / min(max(places, COARSEST), FINEST)))
        cells = self.loss.cells(width)
        one = pld_pmf.DensePLDPmf(width, cells.first, cells.above(), cells.infinite, pessimistic_estimate=True)
        with np.errstate(over="ignore", divide="ignore"):  # where it bounds tails
            return peer.PrivacyLossDistribution(one).self_compose(self.count)

    def delta(self, epsilon: Any) -> Any:
        """The smaller of the deltas that the two ways give at an epsilon."""
        level = checks.real("epsilon", epsilon, least=0)
        if self.count == 0:
            return number(0.0)
        return min(self.renyi_together.delta(level), self._delta_of_losses(level))

    def log_delta(self, epsilon: Any) -> Any:
        """Its logarithm."""
        level = checks.real("epsilon", epsilon, least=0)
        if self.count == 0:
            return number(-math.inf)
        return min(self.renyi_together.log_delta(level), log_or_infinite(self._delta_of_losses(level)))

    def _delta_of_losses(self, level: float) -> float:
        return max(float(self.composed().get_delta_for_epsilon(level)), 0.0) + ROUNDED

    def epsilon(self, delta: Any) -> Any:
        """The smaller of the epsilons that the two ways give at a delta."""
        allowed = checks.real("delta", delta, least=0, most=1)
        by_renyi = self.renyi_together.epsilon(allowed)
        if self.count == 0 or not ROUNDED < allowed < 1:
            return by_renyi
        return min(by_renyi, float(self.composed().get_epsilon_for_delta(allowed - ROUNDED)))
