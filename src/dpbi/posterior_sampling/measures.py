r"""Distances of two laws of a parameter: privacy loss, least delta, total variation, divergence.

Two ``Finite`` laws on one list are compared entry by entry. Two posteriors of one family and prior, if they are
``Gamma`` or ``Beta`` laws, have a log ratio that is linear in a statistic s, the parameter or its log-odds. With the
normalising constants Z,

\[ \ln\frac{p}{q} = \ln\frac{Z_q}{Z_p} + \lambda s . \]

The loss is this line at an end of the interval, the divergence is the line at the mean of s, and
\(\int (p - e^{\varepsilon} q)_+\) is a difference of two masses. In doubles the error is about 1e-12 plus 1e-15 times
the logarithms of the normalising constants, which are of the size of the log likelihood. Other pairs of ``Gamma`` or
``Beta`` laws, and laws of several numbers, are refused. Over balls there is no divergence of ``Beta`` laws.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from .. import arithmetic, checks
from ..checks import Numbers
from ..guarantees import delta_of_losses
from .finite import Finite
from .interval_laws import Beta, Gamma
from .laws import ParameterLaw


def log_ratio(p: Finite, q: Finite) -> Numbers:
    r"""Log ratio \(\ln p(\theta)/q(\theta)\) of two laws on one list.

    Args:
        p, q: Laws on the same list of m parameters.

    Returns:
        m numbers, minus infinity where p is zero.
    """
    same_parameters(p, q)
    ratio: Numbers = arithmetic.log_ratio(p.log_weights, q.log_weights)
    return ratio


def privacy_loss(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""Privacy loss of one draw, \(\sup_\theta \ln p(\theta)/q(\theta)\).

    Args:
        p, q: Two ``Finite`` laws on one list, or two posteriors of one ``Gamma`` or ``Beta`` prior.

    Returns:
        The loss from p to q, >= 0, infinite if no bound exists.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(privacy_loss(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)
    0.405465
    """
    if isinstance(p, Finite) and isinstance(q, Finite):
        return arithmetic.scalar(arithmetic.largest(log_ratio(p, q)))
    return arithmetic.scalar(tilt_between(p, q).loss)


def least_delta(p: ParameterLaw, q: ParameterLaw, epsilon: float) -> float:
    r"""Least delta at an epsilon, \(\sup_B p(B) - e^{\varepsilon} q(B) = \int (p - e^{\varepsilon} q)_+\).

    Args:
        p, q: Laws as for ``privacy_loss``.
        epsilon: Privacy parameter, >= 0.

    Returns:
        Delta in [0, 1], from p to q.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(least_delta(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1]), 0.0), 12)
    0.25
    """
    level = checks.real("epsilon", epsilon, least=0)
    if isinstance(p, Finite) and isinstance(q, Finite):
        delta: float = delta_of_losses(p.weights, log_ratio(p, q), level)
        return delta
    return arithmetic.scalar(tilt_between(p, q).delta(level))


def total_variation(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""Total variation distance, \(\sup_B |p(B) - q(B)|\).

    Args:
        p, q: Laws as for ``privacy_loss``.

    Returns:
        A number in [0, 1].

    >>> from dpbi.posterior_sampling import weighted
    >>> total_variation(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1]))
    0.25
    """
    if isinstance(p, Finite) and isinstance(q, Finite):
        same_parameters(p, q)
        return arithmetic.scalar(abs(p.weights - q.weights).sum() / 2)
    return arithmetic.scalar(tilt_between(p, q).delta(arithmetic.number(0)))


def kullback_leibler(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""Kullback-Leibler divergence, \(D(p \| q) = \int \ln\frac{dp}{dq}\,dp\).

    Args:
        p, q: Laws as for ``privacy_loss``.

    Returns:
        The divergence in nats, >= 0.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(kullback_leibler(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)  # ln 2 + 3/4 ln 3/4 + 1/4 ln 1/4
    0.130812
    """
    if isinstance(p, Finite) and isinstance(q, Finite):
        # With r = ln(q/p), D = sum over p > 0 of p (e^r - 1 - r) + q(p = 0): all terms are >= 0, so none cancels.
        held = p.support
        inside = p.weights[held] * exp_remainder(-log_ratio(p, q)[held])
        return arithmetic.scalar(inside.sum() + q.weights[~held].sum())
    divergence = tilt_between(p, q).divergence
    return arithmetic.scalar(max(divergence, 0.0) if arithmetic.in_doubles() else divergence)


def jeffreys(p: ParameterLaw, q: ParameterLaw) -> float:
    r"""Jeffreys divergence, \(J = D(p \| q) + D(q \| p)\).

    Args:
        p, q: Laws as for ``privacy_loss``.

    Returns:
        The sum of the divergences in both directions, >= 0.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(jeffreys(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)  # (3/4 - 1/2) ln 3
    0.274653
    """
    return kullback_leibler(p, q) + kullback_leibler(q, p)


def worst_neighbours(measure: Callable[[Any, Any], float], laws: Sequence[ParameterLaw]) -> float:
    """Largest value of a distance between consecutive laws of a list, in both orders.

    Args:
        measure: A function of two laws, ``privacy_loss`` for instance.
        laws: At least two laws, those of ``count_posteriors`` for instance.

    Returns:
        The largest of the 2 (m - 1) values.

    >>> from dpbi.posterior_sampling import count_posteriors, uniform
    >>> round(worst_neighbours(privacy_loss, count_posteriors(uniform([0.2, 0.8]), 3)), 6)  # at most ln 16 for every n
    2.564949
    """
    checks.need(callable(measure), f"measure must be a function of two laws, got measure={checks.brief(measure)}")
    checks.need(len(checks.listed("laws", laws)) > 1, f"laws must be two or more, got {len(laws)}")
    values = [measure(a, b) for p, q in itertools.pairwise(laws) for a, b in ((p, q), (q, p))]
    return arithmetic.scalar(arithmetic.largest(values))


def same_parameters(p: Finite, q: Finite) -> None:
    """Refuse two laws whose lists of parameters differ.

    Args:
        p: A law.
        q: The other law.
    """
    if p.parameters is q.parameters:
        return
    if len(p.parameters) != len(q.parameters) or not all(map(_equal, p.parameters, q.parameters)):
        raise ValueError("p and q must be laws on the same parameters, got different lists")


def _equal(a: Any, b: Any) -> bool:
    """Whether two parameters, numbers, matrices or tuples of tables, are equal."""
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a is b or np.array_equal(a, b))


def tilt_between(p: Any, q: Any) -> "Tilt":
    """The tilt between two ``Gamma`` laws of one shape, or two ``Beta`` laws of one a + b, on one interval.

    Args:
        p: A law.
        q: The other law.

    Returns:
        The tilt.
    """
    kind = type(p)
    if kind not in (Gamma, Beta) or kind is not type(q):
        raise TypeError(
            f"p and q must be Finite, Gamma or Beta laws, of one kind, got {kind.__name__} and {type(q).__name__}"
        )
    if (p.low, p.high) != (q.low, q.high):
        raise ValueError(f"p and q must be of one kind on one interval, got {checks.brief(p)} and {checks.brief(q)}")
    if kind is Gamma:
        checks.need(p.shape == q.shape, f"p and q must have one shape, got {p.shape} and {q.shape}")
        return Tilt(p, q, q.rate - p.rate)
    if not math.isclose(float(p.a + p.b), float(q.a + q.b), rel_tol=1e-14):
        raise ValueError(f"p and q must have one total of weights, got {float(p.a + p.b)} and {float(q.a + q.b)}")
    return Tilt(p, q, p.a - q.a)


@dataclass(frozen=True, eq=False)
class Tilt:
    r"""Two laws with \(\ln p/q = \ln(Z_q/Z_p) + \lambda s\): ``level`` plus ``slope`` times the statistic s."""

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
        # p > e^epsilon q on one side of the crossing
        side = (crossing, self.p.high) if self.slope > 0 else (self.p.low, crossing)
        return self.p.mass(*side) - arithmetic.exp(epsilon) * self.q.mass(*side)


def exp_remainder(u: Any) -> Any:
    r"""Remainder \(e^u - 1 - u\) of the exponential function after its tangent at zero, >= 0."""
    if not arithmetic.in_doubles():
        return arithmetic.expm1(u) - u
    # expm1(u) - u cancels near 0; there e^u - 1 - u = u^2/2 1F1(1; 3; u)
    return np.where(np.abs(u) < 1, u * u / 2 * hyp1f1(1, 3, np.clip(u, -1, 1)), np.expm1(u) - u)
