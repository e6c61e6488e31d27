r"""In which arithmetic is a formula evaluated? Either in doubles, or in Arb balls and exact rationals.

A formula of the library is written once, with the functions of this module, and is evaluated in the current arithmetic.
A context sets the current arithmetic, just as a context of ``decimal`` sets the precision:

>>> with balls():
...     print(exp(number(0.8)) > number("2.2255"))
True

Inside ``balls`` every value is an interval that contains the true number, or an exact rational if no elementary
function has been applied. Arrays of such values are NumPy arrays of objects. The functions of this module accept balls
only inside the context ``balls``. A number given by a user is interpreted as the decimal number that was written, so
0.8 is 4/5. Maxima are computed by Arb, and a comparison that overlapping balls leave undecided raises ``Undecided``. If
speed or accuracy requires separate code for doubles, that code stands next to the formula, in a function or branch
named ``in_doubles``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from scipy import special
from scipy.special import logsumexp as _logsumexp

F = TypeVar("F", bound=Callable[..., Any])

_bits: ContextVar[int | None] = ContextVar("bits", default=None)  # precision of balls, None for doubles
_memories: list[Callable[[], None]] = []  # functions that clear the caches of ``remembered``


class Undecided(ArithmeticError):
    """Raised if overlapping balls leave a comparison undecided, or if a value can be computed only in doubles."""


@contextmanager
def balls(bits: int = 192) -> Iterator[None]:
    """Context in which numbers are Arb balls with a given precision in bits.

    With the default of 192 bits, distances of 1e-6 between posteriors of 1e9 records are computed to 30 digits.
    """
    from .enclosures import ctx  # type: ignore[attr-defined]

    token, before = _bits.set(bits), ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before
        _bits.reset(token)


def in_doubles() -> bool:
    """Whether the current arithmetic uses doubles, so that code written for doubles may run."""
    return _bits.get() is None


def is_exact(value: Any) -> bool:
    """Whether a value is a ball or an exact rational of python-flint, rather than a number of Python or NumPy."""
    return type(value).__module__.startswith("flint")


def number(value: Any) -> Any:
    """Converts a number given by a user to the current arithmetic; a double is read as the decimal that was written.

    Lists become tuples. Booleans, None and values of other types are returned unchanged, and a string must represent a
    number.
    """
    if isinstance(value, tuple | list):
        return tuple(number(entry) for entry in value)
    if value is None or isinstance(value, bool | np.bool_):
        return value
    if _bits.get() is None:
        return float(Fraction(value)) if isinstance(value, str) else value
    return _of_balls("number")(value)


def numbers(values: Any) -> np.ndarray[Any, Any]:
    """Converts numbers given by a user to an array in the current arithmetic."""
    if in_doubles():
        return np.asarray(values, dtype=np.float64)
    return np.asarray(np.frompyfunc(_of_balls("number"), 1, 1)(np.asarray(values, dtype=object)), dtype=object)


def zeros(shape: int | tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Array of zeros in the current arithmetic."""
    return np.zeros(shape) if in_doubles() else np.full(shape, number(0), dtype=object)


def approximate(value: Any) -> Any:
    """Nearest double to a number or to each entry of an array, for display, sorting and search, never for decisions."""
    return value.astype(np.float64) if isinstance(value, np.ndarray) else float(value)


def scalar(value: Any) -> float:
    """Converts a scalar or zero-dimensional array to a float or, in ball arithmetic, to its single entry."""
    if _bits.get() is None:
        return float(value)
    return cast(float, value.item() if isinstance(value, np.ndarray) else value)


@cache
def _of_balls(name: str) -> Callable[..., Any]:
    """Function of ``enclosures`` with a given name; python-flint is imported only when ball arithmetic is used."""
    from . import enclosures

    return cast(Callable[..., Any], getattr(enclosures, name))


def _elementary(name: str, doubles: Callable[..., Any], formula: str) -> Callable[..., Any]:
    """Elementary function that is evaluated in the current arithmetic, with ``formula`` as its docstring."""

    def function(*values: Any) -> Any:
        return doubles(*values) if _bits.get() is None else _of_balls(name)(*values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = formula
    return function


exp = _elementary("exp", np.exp, r"\(e^x\), elementwise.")
log = _elementary("log", np.log, r"\(\ln x\), elementwise.")
sqrt = _elementary("sqrt", np.sqrt, r"\(\sqrt x\), elementwise.")
expm1 = _elementary("expm1", np.expm1, r"\(e^x - 1\), elementwise.")
log1p = _elementary("log1p", np.log1p, r"\(\ln(1 + x)\), elementwise.")
lgamma = _elementary("lgamma", special.gammaln, r"\(\ln \Gamma(x)\), elementwise.")
digamma = _elementary("digamma", special.digamma, r"\(\psi(x)\), the derivative of \(\ln\Gamma\), elementwise.")
trigamma = _elementary("trigamma", lambda x: special.polygamma(1, x), r"\(\psi'(x)\), elementwise.")
erfc = _elementary("erfc", special.erfc, r"\(\frac{2}{\sqrt\pi} \int_x^\infty e^{-y^2} dy\), elementwise.")
tanh = _elementary("tanh", np.tanh, r"The hyperbolic tangent, elementwise.")
lower_gamma = _elementary(
    "lower_gamma",
    lambda a, x: special.gammainc(a, x) * special.gamma(a),
    r"\(\int_0^x t^{a-1} e^{-t}\,dt\), elementwise.",
)
lower_beta = _elementary(
    "lower_beta",
    lambda a, b, x: special.betainc(a, b, x) * special.beta(a, b),
    r"\(\int_0^x t^{a-1} (1-t)^{b-1}\,dt\), elementwise.",
)
maximum = _elementary("maximum", np.maximum, "Larger of two numbers, elementwise; in ``balls``, an enclosure of it.")
minimum = _elementary("minimum", np.minimum, "Smaller of two numbers, elementwise; in ``balls``, an enclosure of it.")


def _log_one_minus(log_p: Any) -> Any:
    x = np.asarray(log_p, dtype=np.float64)
    # near 0 the difference 1 - e^x cancels and is -expm1(x); far below 0, e^x is small and the logarithm is a log1p
    near = x > -math.log(2)
    return np.where(near, np.log(-np.expm1(np.where(near, x, -1.0))), np.log1p(-np.exp(np.where(near, -1.0, x))))


log_one_minus_exp = _elementary(
    "log_one_minus_exp", _log_one_minus, r"\(\ln(1 - e^{l})\) for \(l < 0\), without cancellation."
)


def log_sum_exp(values: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    r"""Logarithm of a sum of exponentials, \(\ln \sum e^x\), along an axis.

    Args:
        values: The exponents x.
        axis: Axis of the sum; None for the sum of all entries.
        keepdims: Whether the summed axis remains, with length 1.

    Returns:
        The logarithms, which are minus infinity if the sum is empty or zero.
    """
    if _bits.get() is None:
        return _logsumexp(values, axis=axis, keepdims=keepdims)
    return _of_balls("log_sum_exp")(values, axis, keepdims)


def log_ratio(log_p: Any, log_q: Any) -> Any:
    r"""Logarithm \(\ln P/Q\) of the ratio of two probabilities, elementwise; minus infinity wherever P is zero.

    Args:
        log_p, log_q: Logarithms of the probabilities; arrays broadcast.

    Returns:
        The log ratios, which are the privacy losses of the outputs.
    """
    with np.errstate(invalid="ignore"):
        return np.where(log_p == -math.inf, number(-math.inf), log_p - log_q)


def normal_cdf(x: Any) -> Any:
    r"""Standard normal distribution function \(\Phi(x) = \frac12 \operatorname{erfc}(-x/\sqrt2)\), elementwise."""
    return special.ndtr(x) if in_doubles() else erfc(-x / sqrt(number(2))) / 2


def scaled_normal_cdf(log_factor: Any, x: Any) -> Any:
    r"""Scaled normal distribution function \(e^a \Phi(x)\), elementwise, even if a factor would overflow or underflow.

    Args:
        log_factor: Logarithm a of the scaling factor.
        x: Argument of the distribution function.

    Returns:
        The products.
    """
    return np.exp(log_factor + special.log_ndtr(x)) if in_doubles() else exp(log_factor) * normal_cdf(x)


def pi() -> Any:
    r"""The number \(\pi\), or an enclosure of \(\pi\) in ball arithmetic."""
    return math.pi if in_doubles() else _of_balls("pi")()


def largest(values: Any, axis: int | None = None) -> Any:
    """Maximum of numbers, or an enclosure of the maximum in ball arithmetic.

    Args:
        values: Numbers in an array or any iterable.
        axis: Axis of an array; None for the maximum of all numbers.

    Returns:
        The maximum, or an array of maxima.
    """
    if not isinstance(values, np.ndarray):
        values = np.asarray(values if isinstance(values, list | tuple) else list(values))
    return _of_balls("largest")(values, axis) if values.dtype == object else values.max(axis=axis)


def smallest(values: Any, axis: int | None = None) -> Any:
    """Minimum of numbers, or an enclosure of the minimum in ball arithmetic.

    Args:
        values: Numbers in an array or any iterable.
        axis: Axis of an array; None for the minimum of all numbers.

    Returns:
        The minimum, or an array of minima.
    """
    return -largest(-np.asarray(values if isinstance(values, np.ndarray | list | tuple) else list(values)), axis)


def between(low: Any, high: Any) -> Any:
    """Approximation or enclosure of a number that is known to lie between two bounds.

    Args:
        low, high: The two bounds, which nearly agree.

    Returns:
        The mean of the bounds in doubles; in ball arithmetic, the ball that contains both bounds.
    """
    return (low + high) / 2 if in_doubles() else hull([low, high])


def less(a: Any, b: Any) -> Any:
    """Whether a < b, elementwise.

    Args:
        a, b: Numbers or arrays that broadcast.

    Returns:
        Truth values.

    Raises:
        Undecided: if two balls overlap, which leaves the comparison undecided.
    """
    return a < b if in_doubles() else _of_balls("less")(a, b)


def largest_eigenvalue(matrix: Any) -> Any:
    """Largest eigenvalue of a symmetric matrix."""
    return np.linalg.eigvalsh(matrix)[-1] if in_doubles() else _of_balls("largest_eigenvalue")(matrix)


def log_determinant(matrix: Any) -> Any:
    """Logarithm of the determinant of a matrix; the determinant must be positive."""
    return np.linalg.slogdet(matrix)[1] if in_doubles() else _of_balls("log_determinant")(matrix)


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Integral of a function over an interval.

    Args:
        f: The function; in ball arithmetic it must be holomorphic and composed of functions of this module.
        low, high: Ends of the interval.

    Returns:
        The integral by adaptive quadrature, or an enclosure of the integral in ball arithmetic.
    """
    if not in_doubles():
        return _of_balls("integral")(f, low, high)
    from scipy.integrate import quad

    return quad(lambda x: float(f(x)), low, high, epsabs=1e-14, epsrel=1e-13, limit=200)[0]


def root(rising: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Zero of an increasing function in an interval.

    Args:
        rising: The increasing function.
        low, high: Ends of the interval; the function is at most 0 at ``low`` and at least 0 at ``high``.

    Returns:
        The zero in doubles, nearly to the last digit, or an enclosure of the zero in ball arithmetic.
    """
    if not in_doubles():
        return _of_balls("root")(rising, low, high)
    from scipy.optimize import brentq

    return float(brentq(rising, low, high, xtol=1e-300, rtol=1e-15, maxiter=1000))


def widened(value: Any, error: Any) -> Any:
    """Widens a value by a proved bound on its error.

    Args:
        value: The value, or an array.
        error: Bound on the error of the value, >= 0.

    Returns:
        In ball arithmetic, the value with its radius enlarged by the error; in doubles, the value itself.
    """
    return value if in_doubles() else _of_balls("widened")(value, error)


def remembered(function: F, most: int = 4096) -> F:
    """Decorator that caches the values of a function separately for each arithmetic.

    The arithmetic is part of the cache key, because a float 1 and an exact 1 are equal as keys although the function
    returns different values for them. Arguments must be hashable. Callers share the cached values and must not change
    them. ``forget`` clears all caches.

    Args:
        function: The function.
        most: Maximum number of cached values.

    Returns:
        The function with its cache.
    """

    @lru_cache(maxsize=most)
    def kept(_: int | None, *values: Any, **named: Any) -> Any:
        return function(*values, **named)

    @wraps(function)
    def found(*values: Any, **named: Any) -> Any:
        return kept(_bits.get(), *values, **named)

    _memories.append(kept.cache_clear)
    return cast(F, found)


def forget() -> None:
    """Clears the caches of all ``remembered`` functions; tests that replace a library function must do this."""
    for clear in _memories:
        clear()


def sign(value: Any) -> int | None:
    """Sign of a number, -1, 0 or 1; None if the ball contains both zero and other numbers."""
    if isinstance(value, float | int | Fraction | np.floating | np.integer):
        return int(float(value) > 0) - int(float(value) < 0)
    return cast(int | None, _of_balls("sign")(value))


def hull(values: Any) -> Any:
    """Smallest ball that contains several balls."""
    return _of_balls("hull")(values)


def near(enclosure: Any, double: float, distance: float) -> bool:
    """Whether a double may be close to the number that a ball contains.

    Args:
        enclosure: The ball.
        double: The double.
        distance: Largest distance that counts as close.

    Returns:
        False only if the distance is certainly larger or if the ball is infinite.
    """
    return bool(_of_balls("near")(enclosure, double, distance))
