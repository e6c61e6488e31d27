"""Elementary functions over Arb balls and exact rationals; the only module that imports python-flint.

A rational stays rational under the four operations and comparisons, and becomes a ball under an elementary function. A
double that is no integer is refused: it was rounded before, so that the ball around it would prove nothing.
"""

# ruff: noqa: E402
import math
from collections.abc import Callable
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..extras import require

require("arithmetic in balls", "flint")
from flint import acb, acb_mat, arb, ctx, fmpq

from . import Undecided, in_doubles

# measured: with a tolerance of all 192 bits integrals take half as long again
INTEGRAL_TOLERANCE = arb("1e-30")
"""Relative width of the enclosure of an integral."""

_analytic: ContextVar[bool] = ContextVar("analytic", default=False)


def number(value: Any) -> Any:
    """The exact rational of an integer or a decimal; infinite numbers become balls."""
    if isinstance(value, fmpq | arb):
        return value
    if isinstance(value, float) and math.isinf(value):
        return arb(value)
    if isinstance(value, str | Fraction | float | np.floating):
        exact = Fraction(repr(float(value)) if isinstance(value, float | np.floating) else value)
        return fmpq(exact.numerator, exact.denominator)
    if isinstance(value, int | np.integer):
        return fmpq(int(value))
    return value


def ball(value: Any) -> Any:
    """The number as a ball, or unchanged if it is a complex ball, as integrands receive."""
    if isinstance(value, arb | acb):
        return value
    if isinstance(value, float | np.floating):
        if math.isinf(value):
            return arb(float(value))
        if value == int(value):
            return arb(int(value))
        raise TypeError(f"a constant among balls must be number(0.2), a function one of dpbi.arithmetic, got {value!r}")
    return arb(int(value) if isinstance(value, np.integer) else value)


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    over = np.frompyfunc(function, function.__code__.co_argcount, 1)

    def applied(*values: Any) -> Any:
        if any(isinstance(value, np.ndarray) for value in values):
            return np.asarray(over(*values), dtype=object)
        return function(*values)

    return applied


def _of(name: str) -> Callable[..., Any]:
    """Makes a function of a method of balls."""
    method = getattr(arb, name)

    def function(x: Any) -> Any:
        return method(x) if type(x) is arb else getattr(ball(x), name)()

    function.__name__ = name
    return _elementwise(function)


@lru_cache(maxsize=1_000_000)
def _lgamma_of_rational(p: int, q: int, _bits: int) -> Any:
    return arb(fmpq(p, q)).lgamma()


def _lgamma(x: Any) -> Any:
    """Caches values at rationals by numerator and denominator: hashing a rational takes as long as a logarithm."""
    if isinstance(x, fmpq):
        return _lgamma_of_rational(int(x.p), int(x.q), ctx.prec)
    return ball(x).lgamma()


def _sqrt(x: Any) -> Any:
    if type(x) is arb:
        return x.sqrt()
    return x.sqrt(analytic=_analytic.get()) if isinstance(x, acb) else ball(x).sqrt()


def _log1p(x: Any) -> Any:
    return (1 + x).log(analytic=_analytic.get()) if isinstance(x, acb) else ball(x).log1p()


exp, expm1 = (_of(name) for name in ("exp", "expm1"))
digamma, erfc, tanh = (_of(name) for name in ("digamma", "erfc", "tanh"))


def _log(x: Any) -> Any:
    if isinstance(x, acb):
        return x.log(analytic=_analytic.get())
    return arb(-math.inf) if x == 0 else ball(x).log()  # the log probability of what is impossible


def _trigamma(x: Any) -> Any:
    return arb(2).zeta(ball(x))


def _lower_gamma(a: Any, x: Any) -> Any:
    return ball(x).gamma_lower(ball(a))


def _lower_beta(a: Any, b: Any, x: Any) -> Any:
    return ball(x).beta_lower(ball(a), ball(b))


def _log_one_minus_exp(x: Any) -> Any:
    return (-ball(x).expm1()).log()


_OWN = (arb, fmpq, int)


def _larger(a: Any, b: Any) -> Any:
    if type(a) is arb and type(b) in _OWN:
        return a.max(b)
    if isinstance(a, arb | float) or isinstance(b, arb | float):
        return ball(a).max(ball(b))
    return max(a, b) if in_doubles() else max(number(a), number(b))


def _smaller(a: Any, b: Any) -> Any:
    if type(a) is arb and type(b) in _OWN:
        return a.min(b)
    return -_larger(-a, -b)


def _less(a: Any, b: Any) -> bool:
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided("two balls overlap")


log, log1p, sqrt, lgamma = (_elementwise(function) for function in (_log, _log1p, _sqrt, _lgamma))
lower_gamma, lower_beta = _elementwise(_lower_gamma), _elementwise(_lower_beta)
trigamma, log_one_minus_exp = _elementwise(_trigamma), _elementwise(_log_one_minus_exp)
_max = np.frompyfunc(_larger, 2, 1)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two numbers, elementwise."""
    return _max(a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two numbers, elementwise."""
    return np.frompyfunc(_smaller, 2, 1)(a, b)


def largest(values: Any, axis: int | None) -> Any:
    """An enclosure of the maximum."""
    return _max.reduce(np.ravel(values) if axis is None else values, axis=0 if axis is None else axis)


def less(a: Any, b: Any) -> Any:
    """Whether a < b, or ``Undecided``."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.asarray(np.frompyfunc(_less, 2, 1)(a, b), dtype=bool)
    return _less(a, b)


def log_sum_exp(values: Any, axis: int | None, keepdims: bool) -> Any:
    """The logarithm of a sum of exponentials."""
    total = exp(np.asarray(values, dtype=object)).sum(axis=axis, keepdims=keepdims)
    return log(total)


def largest_eigenvalue(matrix: Any) -> Any:
    """An enclosure of the largest eigenvalue of a symmetric matrix."""
    return largest([value.real for value in _matrix(matrix).eig(multiple=True)], None)


def log_determinant(matrix: Any) -> Any:
    """An enclosure of the logarithm of a positive determinant."""
    return _matrix(matrix).det().real.log()


def _matrix(entries: Any) -> Any:
    return acb_mat([[ball(entry) for entry in row] for row in entries])


def pi() -> Any:
    """An enclosure of the number."""
    return arb.pi()


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """An enclosure of the integral, rigorous if f is made of the functions here and rational ones."""

    def integrand(z: Any, analytic: bool) -> Any:
        token = _analytic.set(analytic)
        try:
            return f(z)
        finally:
            _analytic.reset(token)

    return acb.integral(integrand, acb(low), acb(high), rel_tol=INTEGRAL_TOLERANCE).real


def root(rising: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """An enclosure of the zero of a rising function between two numbers: halved until balls decide no more."""
    below, above = number(float(low)), number(float(high))
    if sign(rising(below)) == 1 or sign(rising(above)) == -1:
        raise ValueError(f"low and high must have the zero of the function between them, got {low=} and {high=}")
    for _ in range(2 * ctx.prec):
        middle = (below + above) / 2
        side = sign(rising(middle))
        if side is None:
            break
        below, above = (below, middle) if side > 0 else (middle, above)
    return ball(below).union(ball(above))


def widened(value: Any, error: Any) -> Any:
    """The value, or each of an array, with a wider radius."""
    return value + arb(0, ball(error).upper())


def sign(value: Any) -> int | None:
    """The sign of a number, None if it is not certain."""
    x = ball(value)
    if x.is_zero():
        return 0
    return 1 if x > 0 else -1 if x < 0 else None


def near(value: Any, double: float, distance: float) -> bool:
    """Whether the double is not certainly farther than that from the number; an infinite ball is near to nothing."""
    found = ball(value)
    return bool(found.is_finite()) and not abs(found - arb(double)) > distance


def hull(values: Any) -> Any:
    """The smallest ball around all of them."""
    found = ball(values[0])
    for value in values[1:]:
        found = found.union(ball(value))
    return found
