r"""Numbers that carry their derivatives: an enclosure of a function on a box, and of its slopes along every side.

A ``Slopes`` is a ball u and balls \(u_1, \dots, u_p\) that hold the partial derivatives. The functions of
``arithmetic`` take it like any number, by the chain rule \(f(u)_i = f'(u)\,u_i\), so that a formula written with them
is bounded on a whole box, and shown to rise or to fall there. It has no order and is no double: a formula that compares
it, or hands it to a function of doubles, is an error and not a wrong bound.
"""

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from . import Undecided


class Slopes:
    """A ball and the balls of its derivatives, one for each side of a box."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Any, slopes: tuple[Any, ...]) -> None:
        self.value = value if type(value) is arb else arb(value)
        self.slopes = slopes

    def _of(self, value: Any, factor: Any) -> "Slopes":
        """The chain rule: a new value, and the slopes times a factor."""
        return Slopes(value, tuple(factor * slope for slope in self.slopes))

    def __neg__(self) -> "Slopes":
        return self._of(-self.value, -1)

    def __abs__(self) -> "Slopes":
        u = self.value
        return self._of(abs(u), 1 if u > 0 else -1 if u < 0 else arb(0, 1))

    def __add__(self, other: Any) -> "Slopes":
        if isinstance(other, Slopes):
            return Slopes(
                self.value + other.value, tuple(a + b for a, b in zip(self.slopes, other.slopes, strict=True))
            )
        return Slopes(self.value + _constant(other), self.slopes)

    def __mul__(self, other: Any) -> "Slopes":
        if other is self:
            return self**2
        if isinstance(other, Slopes):
            u, v = self.value, other.value
            return Slopes(u * v, tuple(a * v + u * b for a, b in zip(self.slopes, other.slopes, strict=True)))
        factor = _constant(other)
        return self._of(self.value * factor, factor)

    def __pow__(self, exponent: Any) -> "Slopes":
        if not isinstance(exponent, int):
            raise TypeError(f"a power must be a whole number, or exp(p * log(x)), got the exponent {exponent!r}")
        if exponent == 0:
            return self._of(arb(1), 0)
        u = self.value
        value = u**exponent if exponent % 2 else (u.abs_lower() ** exponent).union(u.abs_upper() ** exponent)
        return self._of(value, exponent * u ** (exponent - 1))

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: Any) -> "Slopes":
        return self + -other

    def __rsub__(self, other: Any) -> "Slopes":
        return -self + other

    def __truediv__(self, other: Any) -> "Slopes":
        return self * (other.reciprocal() if isinstance(other, Slopes) else 1 / _constant(other))

    def __rtruediv__(self, other: Any) -> "Slopes":
        return self.reciprocal() * other

    def _no_order(self, *others: Any) -> bool:
        raise Undecided("a number on a whole box has no order: write maximum, minimum or abs")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _no_order
    __hash__ = None  # type: ignore[assignment]

    def reciprocal(self) -> "Slopes":
        """One divided by it."""
        one = 1 / self.value
        return self._of(one, -one * one)

    def exp(self) -> "Slopes":
        """The exponential."""
        value = self.value.exp()
        return self._of(value, value)

    def expm1(self) -> "Slopes":
        """The exponential less one."""
        return self._of(self.value.expm1(), self.value.exp())

    def log(self) -> "Slopes":
        """The logarithm."""
        return self._of(self.value.log(), 1 / self.value)

    def log1p(self) -> "Slopes":
        """The logarithm of one more."""
        return self._of(self.value.log1p(), 1 / (1 + self.value))

    def sqrt(self) -> "Slopes":
        """The square root."""
        value = self.value.sqrt()
        return self._of(value, 1 / (2 * value))

    def lgamma(self) -> "Slopes":
        """The logarithm of the gamma function."""
        return self._of(self.value.lgamma(), self.value.digamma())

    def digamma(self) -> "Slopes":
        """The derivative of that."""
        return self._of(self.value.digamma(), arb(2).zeta(self.value))

    def erfc(self) -> "Slopes":
        """The complementary error function."""
        return self._of(self.value.erfc(), -2 * (-self.value * self.value).exp() / arb.pi().sqrt())

    def tanh(self) -> "Slopes":
        """The hyperbolic tangent."""
        value = self.value.tanh()
        return self._of(value, 1 - value * value)

    def max(self, other: Any) -> "Slopes":
        """The larger of two: where they cross, its slopes are between those of both."""
        return self._either(other, lambda a, b: a > b, arb.max)

    def min(self, other: Any) -> "Slopes":
        """The smaller of two."""
        return self._either(other, lambda a, b: a < b, arb.min)

    def _either(self, other: Any, first: Callable[[Any, Any], bool], value: Callable[[Any, Any], Any]) -> "Slopes":
        b = other if isinstance(other, Slopes) else self._of(_constant(other), 0)
        if first(self.value, b.value):
            return self
        if first(b.value, self.value):
            return b
        between = (arb(p).union(arb(q)) for p, q in zip(self.slopes, b.slopes, strict=True))
        return Slopes(value(self.value, b.value), tuple(between))


def _constant(value: Any) -> Any:
    """A number that does not depend on the box; a double of the formula stands for itself."""
    if isinstance(value, arb | fmpq | int):
        return value
    return arb(float(value))
