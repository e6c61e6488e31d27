r"""How far apart two laws of a parameter are: privacy loss, total variation, divergence.

For two posteriors of one family and prior, the log ratio of ``Gamma`` laws of one shape is linear in \(s = \theta\),
and that of ``Beta`` laws of one total is linear in the log-odds s. With the normalisers Z,

\[ \ln\frac{p}{q} = \ln\frac{Z_q}{Z_p} + \lambda s . \]

The loss is this at an end of the interval, the divergence at the mean of s, and \(\int (p - e^{\varepsilon} q)_+\) is a
difference of two masses. In doubles the error is about 1e-12 and 1e-15 times the logarithms of the normalisers, whose
size is that of the log likelihood. Laws of other shapes, and laws of several numbers, are refused. Over balls there is
no divergence of ``Beta`` laws.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import arithmetic, checks
from ..checks import Numbers
from ..guarantees.finite_laws import delta_of_losses, losses
from .finite import Finite
from .interval_laws import Beta, Gamma
from .laws import ParameterLaw
from .remainder import beyond_linear


def log_ratio(p: Finite, q: Finite) -> Numbers:
    r"""\(\ln p(\theta)/q(\theta)\) for each parameter of two finite laws, minus infinity where p is zero."""
    same_parameters(p, q)
    ratio: Numbers = losses(p.log_weights, q.log_weights)
    return ratio


def privacy_loss(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(\sup_\theta \ln p(\theta)/q(\theta)\): the loss of one draw, from p to q."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        return arithmetic.plain(arithmetic.largest(log_ratio(p, q)))
    return arithmetic.plain(pair(p, q).loss)


def least_delta(p: ParameterLaw, q: ParameterLaw, epsilon: float) -> float:
    r"""\(\sup_B p(B) - e^{\varepsilon} q(B) = \int (p - e^{\varepsilon} q)_+\): the least delta at an epsilon, p to q.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(least_delta(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1]), 0.0), 12)
    0.25
    """
    level = checks.real("epsilon", epsilon, least=0)
    if isinstance(p, Finite) and isinstance(q, Finite):
        delta: float = delta_of_losses(p.weights, log_ratio(p, q), level)
        return delta
    return arithmetic.plain(pair(p, q).delta(level))


def total_variation(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(\sup_B |p(B) - q(B)|\)."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        same_parameters(p, q)
        return arithmetic.plain(abs(p.weights - q.weights).sum() / 2)
    return arithmetic.plain(pair(p, q).delta(arithmetic.number(0)))


def kullback_leibler(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(D(p \| q) = \int \ln\frac{dp}{dq}\,dp\)."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        held = p.support
        inside = p.weights[held] * beyond_linear(-log_ratio(p, q)[held])
        return arithmetic.plain(inside.sum() + q.weights[~held].sum())
    return arithmetic.plain(pair(p, q).divergence)


def jeffreys(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(J = D(p \| q) + D(q \| p)\), the sum of the divergences in both directions."""
    return kullback_leibler(p, q) + kullback_leibler(q, p)


def worst_neighbours(measure: Callable[[Any, Any], float], laws: Sequence[ParameterLaw]) -> float:
    """The largest measure between consecutive laws of a list, in both orders: ``count_posteriors`` makes such lists."""
    values = [measure(a, b) for p, q in itertools.pairwise(laws) for a, b in ((p, q), (q, p))]
    return arithmetic.plain(arithmetic.largest(values))


def same_parameters(p: Finite, q: Finite) -> None:
    """Refuse two laws on different lists."""
    if p.parameters is q.parameters:
        return
    if len(p.parameters) != len(q.parameters) or not all(map(_equal, p.parameters, q.parameters)):
        raise ValueError("p and q must be laws on the same parameters, got different lists")


def _equal(a: Any, b: Any) -> bool:
    """Whether two parameters are the same: numbers, matrices, or tuples of tables."""
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a is b or np.array_equal(a, b))


def pair(p: Any, q: Any) -> "Tilt":
    """Two laws of one kind on one interval whose log ratio is linear, with what it says of them."""
    kind = type(p)
    if kind not in (Gamma, Beta) or kind is not type(q):
        raise TypeError(
            f"p and q must be Finite, Gamma or Beta laws, of one kind, got {kind.__name__} and {type(q).__name__}"
        )
    if (p.low, p.high) != (q.low, q.high):
        raise ValueError(f"p and q must be of one kind on one interval, got {p!r} and {q!r}")
    if kind is Gamma:
        if p.shape != q.shape:
            raise ValueError(f"p and q must have one shape, got {p.shape} and {q.shape}")
        return Tilt(p, q, q.rate - p.rate)
    if not math.isclose(float(p.a + p.b), float(q.a + q.b), rel_tol=1e-14):
        raise ValueError(f"p and q must have one total of weights, got {float(p.a + p.b)} and {float(q.a + q.b)}")
    return Tilt(p, q, p.a - q.a)


@dataclass(frozen=True, eq=False)
class Tilt:
    r"""\(\ln p/q = \ln(Z_q/Z_p) + \lambda s\), with normalisers Z."""

    p: Any
    q: Any
    slope: Any

    @property
    def level(self) -> Any:
        return self.q.log_mass - self.p.log_mass

    @property
    def divergence(self) -> Any:
        return self.level + self.slope * self.p.mean_statistic

    @property
    def loss(self) -> Any:
        if self.slope == 0:
            return arithmetic.number(0)
        end = self.p.high if self.slope > 0 else self.p.low
        return math.inf if abs(float(end)) == math.inf else self.level + self.slope * end

    def delta(self, epsilon: Any) -> Any:
        if self.slope == 0 or (self.loss != math.inf and not arithmetic.less(epsilon, self.loss)):
            return arithmetic.number(0)
        crossing = (epsilon - self.level) / self.slope
        side = (crossing, self.p.high) if self.slope > 0 else (self.p.low, crossing)
        return self.p.mass(*side) - arithmetic.exp(epsilon) * self.q.mass(*side)
