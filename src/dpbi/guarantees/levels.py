"""Parameters of guarantees: numbers that can be called for the value at another delta or epsilon."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from ..arithmetic import exp, in_doubles, less, log, log1p, maximum, number, plain


class _Curve:
    """Mixin that makes a number callable, for floats and for balls."""

    _curve: Callable[[Any], Any]

    def __call__(self, other: Any) -> Any:
        return self._curve(other)


class Level(_Curve, float):
    r"""A parameter of a guarantee: a number that can also be called for its value at another level.

    ``guarantee.epsilon`` is the promised number; ``guarantee.epsilon(delta)`` is the smallest \(\varepsilon'\) with
    \(\delta(\varepsilon') \le \delta\) that follows from the promise. ``PureDP``, ``ApproxDP`` and ``BoundedRange``
    have it; the other kinds promise no single epsilon, and their ``epsilon`` is a method. Over balls the number is a
    ball or an exact rational that can be called likewise.

    >>> from dpbi import PureDP
    >>> pure = PureDP(0.8)
    >>> pure.epsilon, pure.epsilon + 1, round(pure.epsilon(0.1), 6)
    (0.8, 1.8, 0.643425)
    """


@cache
def _callable(kind: type) -> Any:
    return Level if kind is float else type("Level", (_Curve, kind), {"__module__": kind.__module__})


def level(value: Any, curve: Callable[[Any], Any]) -> Any:
    """Makes a number callable: calling it evaluates the curve."""
    number_alone = value + 0  # the sum of a level is a plain number
    kind: Any = type(number_alone)
    found = _callable(kind)(number_alone)
    found._curve = curve
    return found


def log_delta_parameter(log_delta: Any) -> Any:
    """Checks a delta that is given by its logarithm."""
    if (in_doubles() and not log_delta <= 0) or (not in_doubles() and less(0, log_delta)):
        raise ValueError(f"log_delta must be a number <= 0, got log_delta={log_delta!r}")
    return float(log_delta) if in_doubles() else log_delta


def log_or_infinite(x: Any) -> Any:
    """Logarithm of x >= 0, minus infinity at 0."""
    return number(-math.inf) if x == 0 else plain(log(x))


def log_one_plus_exp(x: Any) -> Any:
    """ln(1 + e^x), which does not overflow."""
    return maximum(x, 0) + log1p(exp(-abs(x)))
