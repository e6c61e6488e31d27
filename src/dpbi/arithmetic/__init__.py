r"""Elementary functions and comparisons over the numbers that are current: doubles, or Arb balls and exact rationals.

A formula of the library is written once, with these functions, and evaluated over the numbers it is given. Which
numbers those are is a context, as the precision is in ``decimal``:

>>> with balls():
...     print(exp(number(0.8)) > number("2.2255"))
True

In ``balls`` every value is an interval that contains the true number, or an exact rational as long as no elementary
function is taken; arrays of them are NumPy arrays of objects. A number that a user gives enters as the decimal it is
written as, 0.8 as 4/5. Maxima are Arb's own, and a comparison that overlapping balls leave open raises ``Undecided``.
Nothing here knows of mechanisms or audits; where speed or digits need a second body in doubles, that body stands beside
the formula, under a name that says so.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache, wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from scipy import special
from scipy.special import logsumexp as _logsumexp

F = TypeVar("F", bound=Callable[..., Any])

DOUBLES, BALLS = "doubles", "balls"


class _Numbers(NamedTuple):
    """The numbers that are current, and their precision in bits."""

    kind: str
    bits: int


_PLAIN = (float, int, np.generic, list, tuple)
_IN_DOUBLES = _Numbers(DOUBLES, 53)
_current: ContextVar[_Numbers] = ContextVar("arithmetic", default=_IN_DOUBLES)
_memories: list[Callable[[], None]] = []


class Undecided(ArithmeticError):
    """Two balls overlap where a decision is needed."""


@contextmanager
def balls(bits: int = 192) -> Iterator[None]:
    """Arb balls of so many bits; 192 keep 30 digits of distances of 1e-6 between posteriors of 1e9 records."""
    from flint import ctx

    token, before = _current.set(_Numbers(BALLS, bits)), ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before
        _current.reset(token)


def kind() -> str:
    """Which numbers are current: "doubles" or "balls"."""
    return _current.get().kind


def in_doubles() -> bool:
    """Whether the numbers are doubles, so that a fast body may be taken."""
    return _current.get() is _IN_DOUBLES


def is_exact(value: Any) -> bool:
    """Whether a number is a ball or an exact rational of them, that is, no number of Python's or NumPy's own."""
    return type(value).__module__.startswith("flint")


def number(value: Any) -> Any:
    """A number that was given, in the arithmetic that is current; a double stands for the decimal it is written as.

    Sequences become tuples; truth values, None and words that are no number stay what they are.
    """
    if isinstance(value, tuple | list):
        return tuple(number(entry) for entry in value)
    if value is None or isinstance(value, bool | np.bool_):
        return value
    if in_doubles():
        return float(Fraction(value)) if isinstance(value, str) else value
    return _of_balls("number")(value)


def numbers(values: Any) -> np.ndarray[Any, Any]:
    """An array of numbers that were given, in the arithmetic that is current."""
    if in_doubles():
        return np.asarray(values, dtype=np.float64)
    return np.asarray(np.frompyfunc(_of_balls("number"), 1, 1)(np.asarray(values, dtype=object)), dtype=object)


def zeros(shape: int | tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An array of zeros to add to."""
    return np.zeros(shape) if in_doubles() else np.full(shape, number(0), dtype=object)


def approximate(value: Any) -> Any:
    """The nearest doubles, for what is shown, sorted or searched, and decides nothing."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float64)
    return float(value)


def plain(value: Any) -> float:
    """One number as a result: among doubles Python's own."""
    if in_doubles():
        return float(value)
    return cast(float, value.item() if isinstance(value, np.ndarray) else value)


@cache
def _of_balls(name: str) -> Callable[..., Any]:
    from . import enclosures

    found: Callable[..., Any] = getattr(enclosures, name)
    return found


def _exact(values: tuple[Any, ...]) -> bool:
    """Whether numbers are not doubles: by the context, or because they are balls or fractions themselves."""
    if _current.get() is not _IN_DOUBLES:
        return True
    return any(
        value.dtype == object if isinstance(value, np.ndarray) else not isinstance(value, _PLAIN) for value in values
    )


def _elementary(name: str, doubles: Callable[..., Any], formula: str) -> Callable[..., Any]:
    def function(*values: Any) -> Any:
        return _of_balls(name)(*values) if _exact(values) else doubles(*values)

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
maximum = _elementary("maximum", np.maximum, "The larger of two numbers, elementwise; over balls, an enclosure of it.")
minimum = _elementary("minimum", np.minimum, "The smaller of two numbers, elementwise; over balls, an enclosure of it.")


def _log_one_minus(log_p: Any) -> Any:
    x = np.asarray(log_p, dtype=np.float64)
    near = x > -math.log(2)
    return np.where(near, np.log(-np.expm1(np.where(near, x, -1.0))), np.log1p(-np.exp(np.where(near, -1.0, x))))


log_one_minus_exp = _elementary(
    "log_one_minus_exp", _log_one_minus, r"\(\ln(1 - e^{l})\) for \(l < 0\), taking the branch that keeps its digits."
)


def log_sum_exp(values: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    r"""\(\ln \sum e^x\) along an axis."""
    if _exact((values,)):
        return _of_balls("log_sum_exp")(values, axis, keepdims)
    return _logsumexp(values, axis=axis, keepdims=keepdims)


def normal_cdf(x: Any) -> Any:
    r"""\(\Phi(x) = \frac12 \operatorname{erfc}(-x/\sqrt2)\), elementwise."""
    return special.ndtr(x) if not _exact((x,)) else erfc(-x / sqrt(number(2))) / 2


def scaled_normal_cdf(log_factor: Any, x: Any) -> Any:
    r"""\(e^a \Phi(x)\), elementwise, also where one factor is too large and the other too small for a double."""
    if _exact((log_factor, x)):
        return exp(log_factor) * normal_cdf(x)
    return np.exp(log_factor + special.log_ndtr(x))


def pi() -> Any:
    r"""\(\pi\)."""
    return _of_balls("pi")() if kind() == BALLS else math.pi


def largest(values: Any, axis: int | None = None) -> Any:
    """The largest of some numbers, along an axis of an array or of all; over balls, an enclosure of it."""
    if not isinstance(values, np.ndarray):
        values = np.asarray(values if isinstance(values, list | tuple) else list(values))
    if values.dtype == object:
        return _of_balls("largest")(values, axis)
    return values.max(axis=axis)


def smallest(values: Any, axis: int | None = None) -> Any:
    """The smallest of some numbers, along an axis of an array or of all; over balls, an enclosure of it."""
    return -largest(-np.asarray(values if isinstance(values, np.ndarray | list | tuple) else list(values)), axis)


def between(low: Any, high: Any) -> Any:
    """A number that two others enclose: their mean, as doubles that nearly agree; their hull, as balls."""
    return hull([low, high]) if _exact((low, high)) else (low + high) / 2


def less(a: Any, b: Any) -> Any:
    """Whether a < b, elementwise; ``Undecided`` where balls overlap."""
    if _exact((a, b)):
        return _of_balls("less")(a, b)
    return a < b


def largest_eigenvalue(matrix: Any) -> Any:
    """The largest eigenvalue of a symmetric matrix."""
    if _exact((matrix,)):
        return _of_balls("largest_eigenvalue")(matrix)
    return np.linalg.eigvalsh(matrix)[-1]


def log_determinant(matrix: Any) -> Any:
    """The logarithm of a positive determinant."""
    if _exact((matrix,)):
        return _of_balls("log_determinant")(matrix)
    return np.linalg.slogdet(matrix)[1]


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The integral of a function over an interval: by adaptive quadrature, or an enclosure if f is holomorphic."""
    if kind() == BALLS:
        return _of_balls("integral")(f, low, high)
    from scipy.integrate import quad

    return quad(lambda x: float(f(x)), low, high, epsabs=1e-14, epsrel=1e-13, limit=200)[0]


def root(rising: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The zero of a rising function between two numbers, to the last digits; over balls, an enclosure of it."""
    if kind() == BALLS:
        return _of_balls("root")(rising, low, high)
    from scipy.optimize import brentq

    return float(brentq(rising, low, high, xtol=1e-300, rtol=1e-15, maxiter=1000))


def give_or_take(value: Any, error: Any) -> Any:
    """A value that is known up to a proved error: over balls a ball so much wider, over doubles the value."""
    return value if kind() != BALLS else _of_balls("give_or_take")(value, error)


def remembered(function: F, most: int = 4096) -> F:
    """The function with its last values kept, apart for every arithmetic: 1 and the exact 1 are equal, and differ.

    For arguments that can be keys. What is kept is shared: treat it as read-only; ``forget`` drops all of it.
    """

    @lru_cache(maxsize=most)
    def kept(_: _Numbers, *values: Any, **named: Any) -> Any:
        return function(*values, **named)

    @wraps(function)
    def found(*values: Any, **named: Any) -> Any:
        return kept(_current.get(), *values, **named)

    _memories.append(kept.cache_clear)
    return cast(F, found)


def forget() -> None:
    """Drop what is ``remembered``: where a function of the library is replaced, its old values are wrong."""
    for clear in _memories:
        clear()


def sign(value: Any) -> int | None:
    """The sign of a number; None if its ball does not decide it."""
    if isinstance(value, float | int | Fraction | np.floating | np.integer):
        return int(float(value) > 0) - int(float(value) < 0)
    found: int | None = _of_balls("sign")(value)
    return found


def hull(values: Any) -> Any:
    """The smallest ball that holds all of some balls: an enclosure of numbers that nothing tells apart."""
    return _of_balls("hull")(values)


def near(enclosure: Any, double: float, distance: float) -> bool:
    """Whether a double may be as near as that to the number in a ball; to a ball without ends none is near."""
    found: bool = _of_balls("near")(enclosure, double, distance)
    return found
