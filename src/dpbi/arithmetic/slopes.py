r"""Numbers that carry their derivatives: an enclosure of a function on a box, and of its slopes along every side.

A ``Slopes`` is the value c in the middle of the box, balls \(u_1, \dots, u_p\) that hold the partial derivatives on all
of it, and a ball that holds the values: the smaller of what the operation gives and of the mean value form
\(c + \sum_i u_i h_i\), \(h_i\) the balls of half a side about zero. The functions of ``arithmetic`` take it like any
number, by the chain rule \(f(u)_i = f'(u)\,u_i\), so that a formula written with them is bounded on a whole box, and
shown to rise or to fall there. It has no order and is no double: a formula that compares it, or hands it to a function
of doubles, is an error and not a wrong bound.
"""

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from . import Undecided


class Slopes:
    """The values of a function on a box, its value in the middle, and its slopes along the sides."""

    __slots__ = ("centre", "halves", "slopes", "value")

    def __init__(self, value: Any, centre: Any, slopes: tuple[Any, ...], halves: tuple[Any, ...]) -> None:
        self.centre, self.slopes, self.halves = centre, slopes, halves
        linear = centre
        for slope, half in zip(slopes, halves, strict=True):
            linear = linear + slope * half
        if not linear.is_finite():
            self.value = value
        else:
            self.value = value.intersection(linear) if value.is_finite() else linear

    def _of(self, function: Callable[[Any], Any], factor: Any) -> "Slopes":
        """The chain rule: a function of it, from the derivative on the whole box."""
        return Slopes(
            function(self.value), function(self.centre), tuple(factor * slope for slope in self.slopes), self.halves
        )

    def _with(self, other: "Slopes", value: Any, centre: Any, a: Any, b: Any) -> "Slopes":
        """The same of two arguments, from the derivatives by either."""
        slopes = tuple(a * p + b * q for p, q in zip(self.slopes, other.slopes, strict=True))
        return Slopes(value, centre, slopes, self.halves)

    def __neg__(self) -> "Slopes":
        return self._of(lambda u: -u, -1)

    def __abs__(self) -> "Slopes":
        u = self.value
        return self._of(abs, 1 if u > 0 else -1 if u < 0 else arb(0, 1))

    def __add__(self, other: Any) -> "Slopes":
        if not isinstance(other, Slopes):
            return self._of(lambda u: u + _constant(other), 1)
        return self._with(other, self.value + other.value, self.centre + other.centre, 1, 1)

    def __mul__(self, other: Any) -> "Slopes":
        if not isinstance(other, Slopes):
            factor = _constant(other)
            return self._of(lambda u: u * factor, factor)
        if other is self:
            return self._of(lambda u: _power(u, 2), 2 * self.value)
        return self._with(other, self.value * other.value, self.centre * other.centre, other.value, self.value)

    def __pow__(self, exponent: Any) -> "Slopes":
        if not isinstance(exponent, int):
            raise TypeError(f"a power must be a whole number, or exp(p * log(x)), got the exponent {exponent!r}")
        if exponent == 0:
            return self._of(lambda u: arb(1), 0)
        return self._of(lambda u: _power(u, exponent), exponent * _power(self.value, exponent - 1))

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: Any) -> "Slopes":
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> "Slopes":
        return self.__neg__().__add__(other)

    def __truediv__(self, other: Any) -> "Slopes":
        return self.__mul__(other.reciprocal() if isinstance(other, Slopes) else 1 / arb(_constant(other)))

    def __rtruediv__(self, other: Any) -> "Slopes":
        return self.reciprocal().__mul__(other)

    def _no_order(self, *others: Any) -> bool:
        raise Undecided("a number on a whole box has no order: write maximum, minimum or abs")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _no_order
    __hash__ = object.__hash__

    def reciprocal(self) -> "Slopes":
        """One divided by it."""
        return self._of(lambda u: 1 / u, -1 / _power(self.value, 2))

    def exp(self) -> "Slopes":
        """The exponential."""
        return self._of(arb.exp, self.value.exp())

    def expm1(self) -> "Slopes":
        """The exponential less one."""
        return self._of(arb.expm1, self.value.exp())

    def log(self) -> "Slopes":
        """The logarithm."""
        return self._of(arb.log, 1 / self.value)

    def log1p(self) -> "Slopes":
        """The logarithm of one more."""
        return self._of(arb.log1p, 1 / (1 + self.value))

    def sqrt(self) -> "Slopes":
        """The square root."""
        return self._of(arb.sqrt, 1 / (2 * self.value.sqrt()))

    def lgamma(self) -> "Slopes":
        """The logarithm of the gamma function."""
        return self._of(arb.lgamma, _of_ends(arb.digamma, self.value))

    def digamma(self) -> "Slopes":
        """The derivative of that."""
        return self._of(lambda u: _of_ends(arb.digamma, u), _of_ends(lambda u: arb(2).zeta(u), self.value))

    def erfc(self) -> "Slopes":
        """The complementary error function."""
        return self._of(arb.erfc, -2 * (-_power(self.value, 2)).exp() / arb.pi().sqrt())

    def tanh(self) -> "Slopes":
        """The hyperbolic tangent."""
        return self._of(arb.tanh, 1 - _power(self.value.tanh(), 2))

    def max(self, other: Any) -> "Slopes":
        """The larger of two: where they cross, its slopes are between those of both."""
        b = other if isinstance(other, Slopes) else constant(other, self.halves)
        if self.value > b.value:
            return self
        if b.value > self.value:
            return b
        slopes = tuple(arb(p).union(arb(q)) for p, q in zip(self.slopes, b.slopes, strict=True))
        return Slopes(self.value.max(b.value), self.centre.max(b.centre), slopes, self.halves)


def constant(value: Any, halves: tuple[Any, ...]) -> Slopes:
    """A number as a function on a box."""
    ball = arb(_constant(value))
    return Slopes(ball, ball, tuple(arb(0) for _ in halves), halves)


def _constant(value: Any) -> Any:
    """A number that does not depend on the box; a double of the formula stands for itself."""
    return value if isinstance(value, arb | fmpq | int) else arb(float(value))


def _of_ends(function: Callable[[Any], Any], u: Any) -> Any:
    """A function that is monotone for positive numbers: there its values on a ball are between those at the ends."""
    return function(u.lower()).union(function(u.upper())) if u > 0 else function(u)


def _power(u: Any, exponent: int) -> Any:
    """A whole power; an even one is not negative."""
    return u**exponent if exponent % 2 else (u.abs_lower() ** exponent).union(u.abs_upper() ** exponent)
