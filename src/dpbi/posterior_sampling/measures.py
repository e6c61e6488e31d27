r"""How far apart two laws of a parameter are, exactly: privacy loss, total variation, divergence.

For two posteriors of one family and prior, the log ratio of ``Gamma`` laws of one shape is linear in \(\theta\), that
of ``Beta`` laws of one total linear in the log-odds. So the loss is at an end of the interval, and total variation is
a difference of two cdfs where the densities cross.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats
from .laws import Beta, Finite, Gamma, Law


class _Tilt(NamedTuple):
    r"""\(\ln p/q = \mathrm{intercept} + \mathrm{slope}\, s\), s the statistic of the curves' variable t."""

    intercept: float
    slope: float
    ends: tuple[float, float]  # of s


def privacy_loss(p: Law, q: Law) -> float:
    r"""\(\sup_\theta \ln p(\theta)/q(\theta)\): the loss of one draw, from p to q."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        return float(_finite_ratio(p, q).max())
    tilt = _tilt(p, q)
    return max(tilt.intercept + (tilt.slope * end if tilt.slope else 0.0) for end in tilt.ends)


def total_variation(p: Law, q: Law) -> float:
    r"""\(\sup_B |p(B) - q(B)|\)."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        _finite_ratio(p, q)
        return float(np.abs(p.weights - q.weights).sum() / 2)
    tilt = _tilt(p, q)
    if tilt.slope == 0:
        return 0.0
    crossing = -tilt.intercept / tilt.slope
    at = math.log(crossing) if isinstance(p, Gamma) else crossing
    return abs(float(_smooth(p).curve.cdf(at)) - float(_smooth(q).curve.cdf(at)))


def kullback_leibler(p: Law, q: Law) -> float:
    r"""\(D(p \| q) = \int \ln\frac{dp}{dq}\,dp\)."""
    if isinstance(p, Finite) and isinstance(q, Finite):
        ratio = _finite_ratio(p, q)
        held = p.weights > 0
        return float((p.weights[held] * ratio[held]).sum())
    tilt = _tilt(p, q)
    statistic = np.exp if isinstance(p, Gamma) else np.asarray
    return tilt.intercept + tilt.slope * float(_smooth(p).curve.mean(statistic))


def worst_neighbours(measure: Callable[[Law, Law], float], laws: Sequence[Law]) -> float:
    """The largest measure between consecutive laws of a list, in both orders: ``count_posteriors``, say."""
    return max(max(measure(p, q), measure(q, p)) for p, q in itertools.pairwise(laws))


def _smooth(law: Law) -> Any:
    if not isinstance(law, Gamma | Beta):
        raise TypeError(f"p and q must be Finite, Gamma or Beta laws, got {type(law).__name__}")
    return law


def _finite_ratio(p: Finite, q: Finite) -> Floats:
    if len(p.parameters) != len(q.parameters) or not all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else a is b or a == b
        for a, b in zip(p.parameters, q.parameters, strict=True)
    ):
        raise ValueError("p and q must be laws on the same parameters, got different lists")
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(p.log_weights), -np.inf, p.log_weights - q.log_weights)


def _tilt(p: Law, q: Law) -> _Tilt:
    a, b = _smooth(p), _smooth(q)
    if type(a) is not type(b) or (a.low, a.high) != (b.low, b.high):
        raise ValueError("p and q must be of one kind on one interval, got " + f"{a!r} and {b!r}")
    if isinstance(a, Gamma):
        if a.shape != b.shape:
            raise ValueError(f"p and q must have one shape, got {a.shape} and {b.shape}")
        return _Tilt(b.log_mass - a.log_mass, b.rate - a.rate, (a.low, a.high))
    if not math.isclose(a.a + a.b, b.a + b.b, rel_tol=1e-14):
        raise ValueError(f"p and q must have one total a + b, got {a.a + a.b} and {b.a + b.b}")
    return _Tilt(b.log_mass - a.log_mass, a.a - b.a, (a.low, a.high))
