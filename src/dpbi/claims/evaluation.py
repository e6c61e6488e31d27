"""Evaluation of a statement at given parameter values, in doubles and in ball arithmetic.

An exact number is compared with one or more sides. A side consists of a relation and a printed or corrected value, for
example "at most 0.25". Doubles decide a relation up to rounding. Ball arithmetic (``dpbi.arithmetic``) computes
intervals that contain the true numbers, and intervals that do not overlap decide a relation with certainty. The
intervals also reveal doubles that are farther from the true number than their accuracy allows.
"""

import math
from decimal import Decimal
from typing import Any, NamedTuple

from .. import arithmetic
from ..checks import need
from .cases import Body, Case, fitting, given

ROUNDING = 1e-9
"""Relative difference up to which two doubles count as equal, unless the statement specifies its own accuracy.

We chose this value; a statement whose functions are less accurate must specify its own accuracy.
"""


class Side(NamedTuple):
    """A relation and a value; the exact number should stand in this relation to the value.

    Attributes:
        relation: ">", ">=", "<", "<=", "=" or "≈". The sign "≈" means that the exact number equals the value after
            rounding to the printed digits.
        value: A number or, if the relation is "≈", a string of printed digits.
    """

    relation: str
    value: Any


def above(value: Any) -> Side:
    """The requirement that the exact number be greater than a value."""
    return Side(">", value)


def at_least(value: Any) -> Side:
    """The requirement that the exact number be greater than or equal to a value."""
    return Side(">=", value)


def below(value: Any) -> Side:
    """The requirement that the exact number be less than a value."""
    return Side("<", value)


def at_most(value: Any) -> Side:
    """The requirement that the exact number be less than or equal to a value."""
    return Side("<=", value)


def equal(value: Any) -> Side:
    """The requirement that the exact number equal a value."""
    return Side("=", value)


def digits(printed: str) -> Side:
    """The requirement that the exact number equal the printed number after rounding to the printed digits."""
    return Side("≈", printed)


class Mark(NamedTuple):
    """The result of one comparison between the exact number and a printed or corrected value.

    Attributes:
        relation: The sign of the relation, as in ``Side``.
        value: The printed or corrected value, as a double.
        holds: Whether the exact number stands in this relation to the value.
        certain: Whether ball arithmetic decided the relation, so that the decision does not depend on rounding.
        off: Whether one of the two numbers, computed in doubles, is farther from its ball than its accuracy allows.
    """

    relation: str
    value: float
    holds: bool
    certain: bool
    off: bool

    def __str__(self) -> str:
        return f"{self.relation} {self.value:.6g} {'holds' if self.holds else 'fails'}{', certainly' * self.certain}"


class At(NamedTuple):
    """The result of evaluating a statement at given parameter values.

    Attributes:
        id: Id of the statement.
        case: The parameter values, by name.
        exact: The exact number, as a double.
        marks: The results of the comparisons, first with the printed value and then with the corrected values.
        repair: Whether the evaluated function was added by ``Statement.instead``; all values are then corrected ones.
    """

    id: str
    case: Case
    exact: float
    marks: tuple[Mark, ...]
    repair: bool = False

    @property
    def sides(self) -> list[str]:
        """The word that labels each comparison: "printed" or, for a corrected value, "instead"."""
        return ["instead" if self.repair or i else "printed" for i in range(len(self.marks))]

    @property
    def printed(self) -> Mark:
        """The result of the first comparison; its value is the printed one unless ``Statement.instead`` added the
        function."""
        return self.marks[0]

    @property
    def off(self) -> bool:
        """Whether the library is inaccurate at these parameter values: some double is farther from its ball than its
        accuracy allows."""
        return any(mark.off for mark in self.marks)

    def __repr__(self) -> str:
        where = ", ".join(f"{name} = {value}" for name, value in self.case.items())
        sides = [f"{side} {mark}" for side, mark in zip(self.sides, self.marks, strict=True)]
        return f"{self.id} at {where}: " + "; ".join([f"exact {self.exact:.6g}", *sides])

    def _repr_markdown_(self) -> str:
        cells = [f"{mark.relation} {mark.value:.6g} {'✓' if mark.holds else '✗'}" for mark in self.marks]
        names = ["exact", *self.sides]
        rows = [names, ["---"] * len(names), [f"{self.exact:.6g}", *cells]]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def only_in_doubles(why: str) -> None:
    """Raise ``Undecided`` in ball arithmetic, with ``why`` as the reason, so that only doubles decide the relation."""
    need(arithmetic.in_doubles(), why, arithmetic.Undecided)


def evaluated(id: str, body: Body, case: Case, accuracy: float = ROUNDING) -> At:
    """Evaluate a statement's function in doubles and, if its formulas allow it, also in ball arithmetic.

    Args:
        id: Id of the statement, for error messages.
        body: The function that evaluates the statement.
        case: The values of the function's parameters, by name.
        accuracy: Relative accuracy of the results in doubles.

    Returns:
        The exact number, with a mark for each comparison. A decision in ball arithmetic overrides a decision in
        doubles.

    >>> evaluated("example/3", lambda x: (x, at_most(3)), {"x": 2})
    example/3 at x = 2: exact 2; printed <= 3 holds, certainly
    >>> evaluated("example/3", lambda x: (math.nan, at_most(3)), {"x": 2})
    Traceback (most recent call last):
    ValueError: statement example/3 must return numbers to compare, got nan and 3
    """
    # the function runs twice, in doubles and then in ball arithmetic: the doubles are the numbers that are shown, and
    # the balls decide the relations and show whether the doubles are accurate; without balls, the doubles decide
    found = body(**fitting(id, body, case))
    sided = isinstance(found, tuple) and len(found) > 1 and all(isinstance(side, Side) for side in found[1:])
    need(sided, f"statement {id} must return an exact number and then sides (at_most(...), ...), got {found!r}")
    enclosed: tuple[Any, ...] = (None,) * len(found)  # balls of the exact number and the sides; None if there are none
    with arithmetic.balls():
        try:
            enclosed = body(**{name: given(value) for name, value in case.items()})
        except arithmetic.Undecided:
            pass
        except Exception as error:
            error.add_note(f"with balls, {id} must use number(0.2) for 0.2, int(n) for an index, dpbi.arithmetic.exp")
            raise
    sides = zip(found[1:], enclosed[1:], strict=True)
    marks = [_mark(id, found[0], side, enclosed[0], ball, accuracy) for side, ball in sides]
    return At(id, dict(case), float(found[0]), tuple(marks))


def _mark(id: str, exact: Any, side: Side, enclosure: Any, ball: Side | None, accuracy: float) -> Mark:
    """Compare an exact number with one side, by their balls if there are balls that decide, and otherwise in doubles.

    Numbers near zero are compared absolutely, because a relative difference has a denominator of at least 1e-6, which
    is a value that we chose.
    """
    margin = float(_margin(side.relation, exact, side.value))
    need(not math.isnan(margin), f"statement {id} must return numbers to compare, got {exact} and {side.value}")
    tolerance = accuracy * max(abs(float(exact)), abs(float(side.value)), 1e-6)
    with arithmetic.balls():
        sign = arithmetic.sign(_margin(side.relation, enclosure, ball.value)) if ball else None
        off = _off(exact, enclosure, tolerance) or _off(side.value, ball and ball.value, tolerance)
    # doubles that agree up to rounding show no failure, not even of a strict inequality, unless balls decide a tie
    holds = margin >= -tolerance if sign is None else sign > 0 or (sign == 0 and side.relation not in "<>")
    return Mark(side.relation, float(side.value), holds, sign is not None, off)


def _margin(relation: str, exact: Any, bound: Any) -> Any:
    """Margin by which a relation holds; the margin is zero if the exact number equals the bound, and negative if the
    relation fails."""
    if relation == "≈":
        # rounding to the printed digits gives the printed number within half a unit of the last digit
        half_a_unit = Decimal(5).scaleb(int(Decimal(bound).as_tuple().exponent) - 1)
        return arithmetic.number(str(half_a_unit)) - abs(exact - arithmetic.number(bound))
    if relation == "=":
        return -abs(exact - bound)
    return exact - bound if relation in (">", ">=") else bound - exact


def _off(double: Any, enclosure: Any, tolerance: float) -> bool:
    """Whether a double is farther from its ball than its accuracy allows; false if there is no ball."""
    # the relative error of printed digits and of infinite doubles is not defined
    if enclosure is None or isinstance(double, str) or not math.isfinite(float(double)):
        return False
    return not arithmetic.near(enclosure, float(double), tolerance)
