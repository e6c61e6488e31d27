"""Elementary functions of Arb balls and exact rationals; no other module imports python-flint.

A rational stays rational under the four arithmetic operations and becomes a ball under an elementary function. An
elementary function rejects a double that is not an integer, because such a double has already been rounded, and a ball
around a rounded number would prove nothing.
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

# measured: with a tolerance of the full 192 bits, integrals take half as long again
INTEGRAL_TOLERANCE = arb("1e-30")
"""Relative tolerance at which the enclosure of an integral is accepted."""

# whether Arb checks that an integrand is analytic on a complex ball; roots and logarithms then return nan at branch
# cuts
_analytic: ContextVar[bool] = ContextVar("analytic", default=False)


def number(value: Any) -> Any:
    """Exact rational value of an integer or decimal; an infinite number is returned as a ball."""
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
    """Converts a number to a ball; complex balls, which are the arguments of integrands, are returned unchanged."""
    if isinstance(value, arb | acb):
        return value
    if isinstance(value, float | np.floating):
        if math.isinf(value):
            return arb(float(value))
        if value == int(value):
            return arb(int(value))
        raise TypeError(f"in balls() use number(0.2) for a constant and functions of dpbi.arithmetic, got {value!r}")
    return arb(int(value) if isinstance(value, np.integer) else value)


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Extends a function of numbers to arrays of objects, entry by entry."""
    over = np.frompyfunc(function, function.__code__.co_argcount, 1)

    def applied(*values: Any) -> Any:
        if any(isinstance(value, np.ndarray) for value in values):
            return np.asarray(over(*values), dtype=object)
        return function(*values)

    return applied


def _of(name: str) -> Callable[..., Any]:
    """Elementwise function that calls the method of balls with a given name."""
    method = getattr(arb, name)

    def function(x: Any) -> Any:
        return method(x) if type(x) is arb else getattr(ball(x), name)()

    function.__name__ = name
    return _elementwise(function)


@lru_cache(maxsize=1_000_000)
def _lgamma_of_rational(p: int, q: int, _bits: int) -> Any:
    """Cached log-gamma function of the rational p/q; the precision is part of the cache key."""
    return arb(fmpq(p, q)).lgamma()


def _lgamma(x: Any) -> Any:
    """Log-gamma function, cached by numerator and denominator, as hashing a rational takes as long as a logarithm."""
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
    return arb(-math.inf) if x == 0 else ball(x).log()  # log probability of an impossible event


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
    # the most frequent types first, for speed
    if type(a) is arb and type(b) in _OWN:
        return a.max(b)
    if isinstance(a, arb | float) or isinstance(b, arb | float):
        return ball(a).max(ball(b))
    return max(a, b) if in_doubles() else max(number(a), number(b))


def _smaller(a: Any, b: Any) -> Any:
    return -_larger(-a, -b)


def _less(a: Any, b: Any) -> bool:
    if a < b or a >= b:
        return bool(a < b)
    raise Undecided("a comparison is undecided because two balls overlap; more bits in balls() may decide it")


log, log1p, sqrt, lgamma = (_elementwise(function) for function in (_log, _log1p, _sqrt, _lgamma))
lower_gamma, lower_beta = _elementwise(_lower_gamma), _elementwise(_lower_beta)
trigamma, log_one_minus_exp = _elementwise(_trigamma), _elementwise(_log_one_minus_exp)
_max = np.frompyfunc(_larger, 2, 1)


def maximum(a: Any, b: Any) -> Any:
    """Enclosure of the larger of two numbers, elementwise."""
    return _max(a, b)


def minimum(a: Any, b: Any) -> Any:
    """Enclosure of the smaller of two numbers, elementwise."""
    return np.frompyfunc(_smaller, 2, 1)(a, b)


def largest(values: Any, axis: int | None) -> Any:
    """Enclosure of the maximum of an array along an axis."""
    return _max.reduce(np.ravel(values) if axis is None else values, axis=0 if axis is None else axis)


def less(a: Any, b: Any) -> Any:
    """Whether a < b, elementwise; raises ``Undecided`` if two balls overlap."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.asarray(np.frompyfunc(_less, 2, 1)(a, b), dtype=bool)
    return _less(a, b)


def log_sum_exp(values: Any, axis: int | None, keepdims: bool) -> Any:
    """Enclosure of the logarithm of a sum of exponentials along an axis."""
    return log(exp(np.asarray(values, dtype=object)).sum(axis=axis, keepdims=keepdims))


def largest_eigenvalue(matrix: Any) -> Any:
    """Enclosure of the largest eigenvalue of a symmetric matrix."""
    return largest([value.real for value in _matrix(matrix).eig(multiple=True)], None)


def log_determinant(matrix: Any) -> Any:
    """Enclosure of the logarithm of a positive determinant."""
    return _matrix(matrix).det().real.log()


def _matrix(entries: Any) -> Any:
    return acb_mat([[ball(entry) for entry in row] for row in entries])


def pi() -> Any:
    """Enclosure of the number pi."""
    return arb.pi()


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Enclosure of an integral, rigorous if f is composed of rational functions and functions of this module."""

    def integrand(z: Any, analytic: bool) -> Any:
        token = _analytic.set(analytic)
        try:
            return f(z)
        finally:
            _analytic.reset(token)

    return acb.integral(integrand, acb(low), acb(high), rel_tol=INTEGRAL_TOLERANCE).real


def root(rising: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Enclosure of the zero of an increasing function, by bisection until the sign at the midpoint is uncertain."""
    below, above = number(float(low)), number(float(high))
    if sign(rising(below)) == 1 or sign(rising(above)) == -1:
        raise ValueError(f"low and high must enclose the zero of the function, got {low=} and {high=}")
    for _ in range(2 * ctx.prec):
        middle = (below + above) / 2
        side = sign(rising(middle))
        if side is None:
            break
        below, above = (below, middle) if side > 0 else (middle, above)
    return ball(below).union(ball(above))


def widened(value: Any, error: Any) -> Any:
    """A value, or each entry of an array, with the radius enlarged by a bound on the error."""
    return value + arb(0, ball(error).upper())


def sign(value: Any) -> int | None:
    """Sign of a number, -1, 0 or 1; None if the ball leaves the sign uncertain."""
    x = ball(value)
    if x.is_zero():
        return 0
    return 1 if x > 0 else -1 if x < 0 else None


def near(value: Any, double: float, distance: float) -> bool:
    """Whether a double may be within ``distance`` of the number in a ball; False if the ball is infinite."""
    found = ball(value)
    return bool(found.is_finite()) and not abs(found - arb(double)) > distance


def hull(values: Any) -> Any:
    """Smallest ball that contains several balls or numbers."""
    found = ball(values[0])
    for value in values[1:]:
        found = found.union(ball(value))
    return found
