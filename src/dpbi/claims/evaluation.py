"""Evaluation of a statement in one case: its exact number is compared with its sides, in doubles and in intervals.

A side is a relation and a number, printed or corrected, for example "at most 0.25". Doubles decide each relation up to
rounding. Ball arithmetic (``dpbi.arithmetic``) computes with intervals that contain the true numbers. Intervals that do
not overlap decide a relation with certainty. The intervals also show whether a double is farther from the true number
than its accuracy allows.
"""

import math
from decimal import Decimal
from typing import Any, NamedTuple

from .. import arithmetic
from ..checks import need
from .cases import Body, Case, fitting, given

ROUNDING = 1e-9
"""Relative difference up to which two doubles count as equal, unless the statement specifies its own accuracy.

The value was chosen; a statement whose functions are less accurate must specify its own accuracy.
"""


class Side(NamedTuple):
    """A relation, and the value to which the exact number should have this relation.

    Attributes:
        relation: ">", ">=", "<", "<=", "=" or "≈". The last means that the exact number, rounded to the printed digits,
            is the value.
        value: A number; for "≈" the printed digits, as a string.
    """

    relation: str
    value: Any


def above(value: Any) -> Side:
    """A side that requires the exact number to be greater than a value."""
    return Side(">", value)


def at_least(value: Any) -> Side:
    """A side that requires the exact number to be greater than or equal to a value."""
    return Side(">=", value)


def below(value: Any) -> Side:
    """A side that requires the exact number to be less than a value."""
    return Side("<", value)


def at_most(value: Any) -> Side:
    """A side that requires the exact number to be less than or equal to a value."""
    return Side("<=", value)


def equal(value: Any) -> Side:
    """A side that requires the exact number to be equal to a value."""
    return Side("=", value)


def digits(printed: str) -> Side:
    """A side that requires the exact number to be the printed number after rounding to the printed digits."""
    return Side("≈", printed)


class Mark(NamedTuple):
    """The result of evaluating one side in one case.

    Attributes:
        relation: The relation of the side, as in ``Side``.
        value: The value of the side, as a double.
        holds: Whether the exact number has the relation to the value.
        certain: Whether ball arithmetic decided the relation, independently of rounding.
        off: Whether the exact number or the value, in doubles, is farther from its ball than its accuracy allows.
    """

    relation: str
    value: float
    holds: bool
    certain: bool
    off: bool

    def __str__(self) -> str:
        found = "holds" if self.holds else "fails"
        return f"{self.relation} {self.value:.6g} {found}{', certainly' if self.certain else ''}"


class At(NamedTuple):
    """The result of evaluating a statement in one case.

    Attributes:
        id: Id of the statement.
        case: The parameters of the case.
        exact: The exact number, as a double.
        marks: The results for the sides: first the printed side, then the corrected sides.
        repair: Whether ``Statement.instead`` added the body; all its sides are then corrected sides.
    """

    id: str
    case: Case
    exact: float
    marks: tuple[Mark, ...]
    repair: bool = False

    @property
    def sides(self) -> list[str]:
        """The word for each mark: "printed" for the printed side, "instead" for a corrected side."""
        return ["instead" if self.repair or i else "printed" for i in range(len(self.marks))]

    @property
    def printed(self) -> Mark:
        """The mark of the first side, which is the printed side unless ``Statement.instead`` added the body."""
        return self.marks[0]

    @property
    def off(self) -> bool:
        """Whether the library is inaccurate in this case: some double is farther from its ball than its accuracy
        allows."""
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
    """Raise ``Undecided``, for the reason ``why``, in ball arithmetic; the case is then decided in doubles
    alone."""
    if not arithmetic.in_doubles():
        raise arithmetic.Undecided(why)


def evaluated(id: str, body: Body, case: Case, accuracy: float = ROUNDING) -> At:
    """Evaluate a body in one case, in doubles and, if its formulas allow it, in ball arithmetic.

    Args:
        id: Id of the statement, for the messages of errors.
        body: A function of the parameters of the case.
        case: The parameters of the case.
        accuracy: Relative accuracy of the doubles.

    Returns:
        The exact number, and a mark for each side. If ball arithmetic decides a relation, this decision prevails.

    >>> evaluated("example/3", lambda x: (x, at_most(3)), {"x": 2})
    example/3 at x = 2: exact 2; printed <= 3 holds, certainly
    >>> evaluated("example/3", lambda x: (math.nan, at_most(3)), {"x": 2})
    Traceback (most recent call last):
    ValueError: statement example/3 must return numbers to compare, got nan and 3
    """
    # the body runs twice, in doubles and then in ball arithmetic: the doubles give the numbers that are shown, and
    # balls give the decisions and show whether the doubles are accurate; without balls, the doubles decide
    exact, *sides = _checked(id, body(**fitting(id, body, case)))
    enclosed: list[Any] = [None] * (len(sides) + 1)  # balls of the exact number and the sides; None if there are none
    with arithmetic.balls():
        try:
            enclosed = list(body(**{name: given(value) for name, value in case.items()}))
        except arithmetic.Undecided:
            pass
        except Exception as error:
            error.add_note(f"with balls, {id} must use number(0.2) for 0.2, int(n) for an index, dpbi.arithmetic.exp")
            raise
        signs = [_certain(side.relation, enclosed[0], side.value) if side else None for side in enclosed[1:]]
        off = [
            _off(exact, enclosed[0], _size(exact, side), accuracy)
            or _off(side.value, ball and ball.value, _size(exact, side), accuracy)
            for side, ball in zip(sides, enclosed[1:], strict=True)
        ]
    marks = []
    for side, certain, wrong in zip(sides, signs, off, strict=True):
        margin = float(_margin(side.relation, exact, side.value))
        need(not math.isnan(margin), f"statement {id} must return numbers to compare, got {exact} and {side.value}")
        by_doubles = 0 if abs(margin) <= accuracy * _size(exact, side) else int(math.copysign(1, margin))
        sign = by_doubles if certain is None else certain
        # doubles that agree up to rounding show no failure, not even of a strict inequality, unless balls decide a tie
        tie_of_doubles = certain is None and sign == 0
        holds = sign > 0 or tie_of_doubles or (sign == 0 and side.relation not in "<>")
        marks.append(Mark(side.relation, float(side.value), holds, certain is not None, wrong))
    return At(id, dict(case), float(exact), tuple(marks))


def _checked(id: str, found: Any) -> tuple[Any, ...]:
    """The values that a body returned, after a check that they are a number and at least one side."""
    if isinstance(found, tuple) and len(found) > 1 and all(isinstance(side, Side) for side in found[1:]):
        return found
    raise ValueError(
        f"statement {id} must return the exact number and then sides (at_most(...), equal(...), ...), got {found!r}"
    )


def _margin(relation: str, exact: Any, bound: Any) -> Any:
    """Margin by which a relation holds: zero if the exact number equals the bound, and negative if the relation
    fails."""
    if relation == "≈":
        # rounding to the printed digits gives the printed number within half a unit of the last digit
        half_a_unit = Decimal(5).scaleb(int(Decimal(bound).as_tuple().exponent) - 1)
        return arithmetic.number(str(half_a_unit)) - abs(exact - arithmetic.number(bound))
    if relation == "=":
        return -abs(exact - bound)
    return exact - bound if relation in (">", ">=") else bound - exact


def _certain(relation: str, exact: Any, bound: Any) -> int | None:
    """The sign of the margin in ball arithmetic; None if the balls cannot decide it."""
    try:
        return arithmetic.sign(_margin(relation, exact, bound))
    except arithmetic.Undecided:
        return None


def _size(exact: Any, side: Side) -> float:
    """Denominator of relative differences: the larger absolute value of the two numbers, or 1e-6 if both are smaller.

    The minimum of 1e-6 was chosen to make the comparison absolute for numbers near zero.
    """
    return max(abs(float(exact)), abs(float(side.value)), 1e-6)


def _off(double: Any, enclosure: Any, size: float, accuracy: float) -> bool:
    """Whether a double is farther from its ball than its relative accuracy allows; false without a ball."""
    # the relative error of printed digits and of infinite doubles is not defined
    if enclosure is None or isinstance(double, str) or not math.isfinite(float(double)):
        return False
    return not arithmetic.near(enclosure, float(double), accuracy * size)
