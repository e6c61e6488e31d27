"""Evaluation of a statement at one case: its exact number against its sides, over doubles and over balls.

A side is a relation and a number, printed or claimed instead: "at most 0.25". Doubles decide each relation up to
rounding. Balls, intervals that contain the true numbers (``dpbi.arithmetic``), decide it with certainty where they do
not overlap, and show whether a double is farther from the true number than its accuracy allows.
"""

import math
from decimal import Decimal
from typing import Any, NamedTuple

from .. import arithmetic
from ..checks import need
from .cases import Body, Case, fitting, given

ROUNDING = 1e-9
"""Relative difference up to which two doubles count as equal: the accuracy of the library if a statement names none."""


class Side(NamedTuple):
    """A relation that the exact number should have to a value.

    Attributes:
        relation: ">", ">=", "<", "<=", "=", or "≈": rounded to the printed digits, the exact number is the value.
        value: A number; for "≈" its printed digits, a string.
    """

    relation: str
    value: Any


def above(value: Any) -> Side:
    """The exact number should be more than this."""
    return Side(">", value)


def at_least(value: Any) -> Side:
    """The exact number should not be less than this."""
    return Side(">=", value)


def below(value: Any) -> Side:
    """The exact number should be less than this."""
    return Side("<", value)


def at_most(value: Any) -> Side:
    """The exact number should not be more than this."""
    return Side("<=", value)


def equal(value: Any) -> Side:
    """The exact number should be this one."""
    return Side("=", value)


def digits(printed: str) -> Side:
    """The exact number should be this one when it is rounded to the printed digits."""
    return Side("≈", printed)


class Mark(NamedTuple):
    """One side, evaluated at one case.

    Attributes:
        relation, value: As in ``Side``, with the value as a double.
        holds: Whether the exact number has the relation to the value.
        certain: Whether balls decided that, and not doubles.
        off: Whether a double, the exact number or the value, is outside its accuracy.
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
    """A statement, evaluated at one case.

    Attributes:
        id: Its id.
        case: The parameters.
        exact: The exact number, as a double.
        marks: Its sides, evaluated: the printed one, then those that hold instead.
        repair: Whether the body is one of those that ``Statement.instead`` adds, so that no side is printed.
    """

    id: str
    case: Case
    exact: float
    marks: tuple[Mark, ...]
    repair: bool = False

    @property
    def sides(self) -> list[str]:
        """Where each mark's side comes from, "printed" or "instead"."""
        return ["instead" if self.repair or i else "printed" for i in range(len(self.marks))]

    @property
    def printed(self) -> Mark:
        """The first side, evaluated: the printed one, unless the body is a repair."""
        return self.marks[0]

    @property
    def off(self) -> bool:
        """Whether a double is farther from its ball than its accuracy allows."""
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
    """Ends the evaluation of a body over balls, with the reason; the case is then judged by doubles alone."""
    if not arithmetic.in_doubles():
        raise arithmetic.Undecided(why)


def evaluated(id: str, body: Body, case: Case, accuracy: float = ROUNDING) -> At:
    """A body, evaluated at one case over doubles and, where its formulas allow it, over balls.

    Args:
        id: Id of the statement, for errors.
        body: The function of the parameters.
        case: The parameters.
        accuracy: Relative accuracy of the doubles.

    Returns:
        The exact number, and a mark for each side. Where balls decide a relation, their decision counts.

    >>> evaluated("example/3", lambda x: (x, at_most(3)), {"x": 2})
    example/3 at x = 2: exact 2; printed <= 3 holds, certainly
    >>> evaluated("example/3", lambda x: (math.nan, at_most(3)), {"x": 2})
    Traceback (most recent call last):
    ValueError: statement example/3 must return numbers to compare, got nan and 3
    """
    exact, *sides = _checked(id, body(**fitting(id, body, case)))
    enclosed: list[Any] = [None] * (len(sides) + 1)  # the exact number and the sides over balls, if there are any
    with arithmetic.balls():
        try:
            enclosed = list(body(**{name: given(value) for name, value in case.items()}))
        except arithmetic.Undecided:
            pass
        except Exception as error:
            error.add_note(f"over balls, {id} takes number(0.2) for 0.2, int(n) for an index, exp of dpbi.arithmetic")
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
        tie_of_doubles = certain is None and sign == 0  # too near for doubles, and no ball decides: no failure is shown
        holds = sign > 0 or tie_of_doubles or (sign == 0 and side.relation not in "<>")
        marks.append(Mark(side.relation, float(side.value), holds, certain is not None, wrong))
    return At(id, dict(case), float(exact), tuple(marks))


def _checked(id: str, found: Any) -> tuple[Any, ...]:
    """What a body returned, checked to be a number and one side or more."""
    if isinstance(found, tuple) and len(found) > 1 and all(isinstance(side, Side) for side in found[1:]):
        return found
    raise ValueError(
        f"statement {id} must return the exact number and then sides (at_most(...), equal(...), ...), got {found!r}"
    )


def _margin(relation: str, exact: Any, bound: Any) -> Any:
    """How far a relation is from failing: zero where the exact number equals the bound, negative where it fails."""
    if relation == "≈":
        half_a_unit = Decimal(5).scaleb(int(Decimal(bound).as_tuple().exponent) - 1)
        return arithmetic.number(str(half_a_unit)) - abs(exact - arithmetic.number(bound))
    if relation == "=":
        return -abs(exact - bound)
    return exact - bound if relation in (">", ">=") else bound - exact


def _certain(relation: str, exact: Any, bound: Any) -> int | None:
    """The sign of the margin over balls; None where they do not decide it."""
    try:
        return arithmetic.sign(_margin(relation, exact, bound))
    except arithmetic.Undecided:
        return None


def _size(exact: Any, side: Side) -> float:
    """The size that differences are relative to: the larger of the two numbers, but at least 1e-6."""
    return max(abs(float(exact)), abs(float(side.value)), 1e-6)


def _off(double: Any, enclosure: Any, size: float, accuracy: float) -> bool:
    """Whether a double is farther from its ball than its accuracy allows."""
    if enclosure is None or isinstance(double, str) or not math.isfinite(float(double)):
        return False
    return not arithmetic.near(enclosure, float(double), accuracy * size)
