r"""How far apart two laws of a parameter are, exactly: privacy loss, total variation, divergence.

For two posteriors of one family and prior, the log ratio of ``Gamma`` laws of one shape is linear in \(s = \theta\),
and that of ``Beta`` laws of one total is linear in the log-odds s. With m the mean of s under p,

\[ \ln\frac{p}{q} = D + \lambda (s - m) , \qquad
   D = D(p \| q) = \ln \int e^{u}\, dp = \ln\Bigl(1 + \int (e^{u} - 1 - u)\, dp\Bigr) , \quad u = -\lambda (s - m) , \]

an integral without cancellation, however close the laws are. The loss is at an end of the interval, and total variation
is \(\int (1 - q/p)_+\, dp\). Of laws that are far apart nothing cancels anyway: there D is a difference of
normalisers, and total variation one of two masses. Either way the relative error is below 1e-10. Laws of other shapes,
and laws of several numbers, are refused.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import arithmetic, checks
from ..checks import Numbers
from ..guarantees.finite_laws import delta_of_losses, losses
from .curve import NEAR
from .finite import Finite
from .interval_laws import Beta, Gamma
from .laws import ParameterLaw
from .remainder import beyond_linear


def log_ratio(p: Finite, q: Finite) -> Numbers:
    r"""\(\ln p(\theta)/q(\theta)\) for each parameter of two finite laws, minus infinity where p is zero."""
    _same_parameters(p, q)
    ratio: Numbers = losses(p.log_weights, q.log_weights)
    return ratio


def privacy_loss(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(\sup_\theta \ln p(\theta)/q(\theta)\): the loss of one draw, from p to q."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        return arithmetic.plain(arithmetic.largest(log_ratio(p, q)))
    return pair(p, q).loss


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
        _same_parameters(p, q)
        return arithmetic.plain(abs(p.weights - q.weights).sum() / 2)
    return pair(p, q).variation


def kullback_leibler(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(D(p \| q) = \int \ln\frac{dp}{dq}\,dp\)."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        held = p.support
        inside = p.weights[held] * beyond_linear(-log_ratio(p, q)[held])
        return arithmetic.plain(inside.sum() + q.weights[~held].sum())
    return pair(p, q).divergence


def jeffreys(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""\(J = D(p \| q) + D(q \| p)\), the sum of the divergences in both directions."""
    return kullback_leibler(p, q) + kullback_leibler(q, p)


def worst_neighbours(measure: Callable[[Any, Any], float], laws: Sequence[ParameterLaw]) -> float:
    """The largest measure between consecutive laws of a list, in both orders: ``count_posteriors`` makes such lists."""
    values = [measure(a, b) for p, q in itertools.pairwise(laws) for a, b in ((p, q), (q, p))]
    return arithmetic.plain(arithmetic.largest(values))


def _smooth(law: ParameterLaw) -> Any:
    if not isinstance(law, Gamma | Beta):
        raise TypeError(f"p and q must be Finite, Gamma or Beta laws, of one kind, got {type(law).__name__}")
    return law


def _same_parameters(p: Finite, q: Finite) -> None:
    if p.parameters is q.parameters:
        return
    if len(p.parameters) != len(q.parameters) or not all(map(_equal, p.parameters, q.parameters)):
        raise ValueError("p and q must be laws on the same parameters, got different lists")


def _equal(a: Any, b: Any) -> bool:
    """Whether two parameters are the same: numbers, matrices, or tuples of tables."""
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a is b or a == b)


def pair(p: ParameterLaw, q: ParameterLaw) -> "_Tilt | _TiltOverBalls":
    """Two laws of one kind on one interval whose log ratio is linear, with what it says of them."""
    a, b = _smooth(p), _smooth(q)
    form = _Tilt if arithmetic.in_doubles() else _TiltOverBalls
    if type(a) is not type(b) or (a.low, a.high) != (b.low, b.high):
        raise ValueError(f"p and q must be of one kind on one interval, got {a!r} and {b!r}")
    if isinstance(a, Gamma):
        if a.shape != b.shape:
            raise ValueError(f"p and q must have one shape, got {a.shape} and {b.shape}")
        return form(a, b, b.rate - a.rate)
    if not math.isclose(float(a.a + a.b), float(b.a + b.b), rel_tol=1e-14):
        raise ValueError(f"p and q must have one total of weights, got {float(a.a + a.b)} and {float(b.a + b.b)}")
    return form(a, b, a.a - b.a)


@dataclass(frozen=True, eq=False)
class _TiltOverBalls:
    r"""\(\ln p/q = \lambda s + \ln(Z_q/Z_p)\), with normalisers Z: where precision is no concern, this is enough."""

    p: Any
    q: Any
    slope: Any

    @property
    def level(self) -> Any:
        return self.q.log_mass - self.p.log_mass

    def log_ratio(self, theta: Any) -> Any:
        """The log ratio at a parameter."""
        return self.level + self.slope * self.p.statistic(theta)

    @property
    def divergence(self) -> Any:
        return self.level + self.slope * self.p.mean_statistic

    @property
    def loss(self) -> Any:
        if self.slope == 0:
            return arithmetic.number(0)
        if isinstance(self.p, Beta):
            ends = self.p.low, self.p.high
        else:
            ends = self.p.ends
        upper = ends[1] if self.slope > 0 else ends[0]
        return math.inf if abs(float(upper)) == math.inf else self.level + self.slope * upper

    @property
    def variation(self) -> Any:
        return self.delta(arithmetic.number(0))

    def delta(self, epsilon: Any) -> Any:
        if self.slope == 0 or (self.loss != math.inf and not arithmetic.less(epsilon, self.loss)):
            return arithmetic.number(0)
        crossing = (epsilon - self.level) / self.slope
        if isinstance(self.p, Beta):
            crossing = 1 / (1 + arithmetic.exp(-crossing))
        below = [law.mass(law.ends[0], crossing) for law in (self.p, self.q)]
        first, second = [1 - mass for mass in below] if self.slope > 0 else below
        return first - arithmetic.exp(epsilon) * second


@dataclass(frozen=True, eq=False)
class _Tilt:
    r"""The same in doubles, without cancellation: \(\ln p/q = D + \lambda(s - m)\), in the variable t of the curves.

    s is measured from the mode of p.
    """

    p: Any
    q: Any
    slope: float

    def statistic(self, t: Any) -> Any:
        """s at t, minus s at the mode of p."""
        return self.p.mode * np.expm1(t) if isinstance(self.p, Gamma) else t

    def where(self, law: Any, s: float) -> float:
        """The t on the curve of a law that has this statistic."""
        away = s + (self.p.mode - law.mode)
        return float(law.place(self.p.mode + s, away)) if isinstance(law, Gamma) else away

    @cached_property
    def centre(self) -> float:
        """m."""
        return float(self.p.curve.mean(self.statistic))

    def log_ratio_along(self, t: Any) -> Any:
        """The log ratio at t."""
        return self.divergence - self.u(t)

    def u(self, t: Any) -> Any:
        return -self.slope * (self.statistic(t) - self.centre)

    @cached_property
    def near(self) -> bool:
        return bool(np.abs(self.u(self.p.curve.edges)).max() <= NEAR)

    @cached_property
    def divergence(self) -> float:
        p, q = self.p.curve, self.q.curve
        if self.near:
            return math.log1p(p.mean(lambda t: beyond_linear(self.u(t))))
        return math.log(q.area / p.area) - float(q.fall(np.float64(self.where(self.q, 0.0)))) + self.slope * self.centre

    @property
    def loss(self) -> float:
        if self.slope == 0:
            return 0.0
        ends = self.u(np.array([self.p.curve.low, self.p.curve.high]))
        return self.divergence - float(ends.min())

    @property
    def variation(self) -> float:
        return self.delta(0.0)

    def delta(self, epsilon: float) -> float:
        if self.slope == 0 or epsilon >= self.loss:
            return 0.0
        level = self.centre + (epsilon - self.divergence) / self.slope
        if not self.near:
            masses = [law.curve.mean(np.ones_like, *self._side(self.where(law, level))) for law in (self.p, self.q)]
            return float(masses[0] - math.exp(epsilon) * masses[1])
        side = self._side(self.where(self.p, level))
        return float(self.p.curve.mean(lambda t: -np.expm1(self.u(t) - self.divergence + epsilon), *side))

    def _side(self, crossing: float) -> tuple[float, float]:
        """Where the log ratio is above what it is there."""
        return (crossing, math.inf) if self.slope > 0 else (-math.inf, crossing)
