"""The sides of a statement, and what becomes of them at one case: over doubles, and over balls where formulas allow it."""

import math
from contextlib import suppress
from decimal import Decimal
from typing import Any, NamedTuple

from .. import arithmetic
from .cases import Body, Case, fitting, given

ROUNDING = 1e-9
"""Relative difference below which two doubles count as equal; what the functions of the library state as accuracy."""


class Side(NamedTuple):
    """A number, and how the exact one should stand to it; "≈" means that every printed digit agrees."""

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
    """The exact number, rounded, should have these digits."""
    return Side("≈", printed)


class Mark(NamedTuple):
    """One side at one case: whether its relation holds, whether that is certain, and whether a double is off."""

    relation: str
    value: float
    holds: bool
    certain: bool
    off: bool

    def __str__(self) -> str:
        found = "holds" if self.holds else "fails"
        return f"{self.relation} {self.value:.6g} {found}{', certainly' if self.certain else ''}"


class At(NamedTuple):
    """A statement at one case."""

    id: str
    case: Case
    exact: float
    marks: tuple[Mark, ...]
    repair: bool = False  # whether a body of its own has found what holds instead, so that no side is printed

    @property
    def sides(self) -> list[str]:
        """What each mark is about."""
        return ["instead" if self.repair or i else "printed" for i in range(len(self.marks))]

    @property
    def printed(self) -> Mark:
        """The printed side."""
        return self.marks[0]

    @property
    def off(self) -> bool:
        """Whether a double lies outside its ball."""
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
    """Leave a case without an enclosure: what it computes exists in doubles only."""
    if not arithmetic.in_doubles():
        raise arithmetic.Undecided(why)


def evaluated(id: str, body: Body, case: Case, accuracy: float = ROUNDING) -> At:
    """A body at one case, over doubles and, where its formulas allow it, over balls."""
    exact, *sides = _checked(id, body(**fitting(id, body, case)))
    enclosed: list[Any] = [None] * (len(sides) + 1)
    with arithmetic.balls():
        with suppress(arithmetic.Undecided):
            enclosed = list(body(**{name: given(value) for name, value in case.items()}))
        signs = [_certain(side.relation, enclosed[0], side.value) if side else None for side in enclosed[1:]]
        off = [_off(exact, enclosed[0], _size(exact, side), accuracy) for side in sides]
        off = [
            before or _off(side.value, other and other.value, _size(exact, side), accuracy)
            for before, side, other in zip(off, sides, enclosed[1:], strict=True)
        ]
    marks = []
    for side, sign, wrong in zip(sides, signs, off, strict=True):
        margin = float(_margin(side.relation, exact, side.value))
        rough = 0 if abs(margin) <= ROUNDING * _size(exact, side) else int(math.copysign(1, margin))
        found = rough if sign is None else sign
        holds = found > 0 or (found == 0 and side.relation not in "<>")
        marks.append(Mark(side.relation, float(side.value), holds, sign is not None, wrong))
    return At(id, dict(case), float(exact), tuple(marks))


def _checked(id: str, found: Any) -> tuple[Any, ...]:
    """What a body returned, if it is a number and one side or more."""
    if isinstance(found, tuple) and len(found) > 1 and all(isinstance(side, Side) for side in found[1:]):
        return found
    raise ValueError(
        f"statement {id} must return the exact number and then sides (at_most(...), equal(...), ...), got {found!r}"
    )


def _margin(relation: str, exact: Any, bound: Any) -> Any:
    """How far a relation is from failing: positive inside, zero where the sides meet, negative where it fails."""
    if relation == "≈":
        half_a_unit = Decimal(5).scaleb(int(Decimal(bound).as_tuple().exponent) - 1)
        return arithmetic.number(str(half_a_unit)) - abs(exact - arithmetic.number(bound))
    if relation == "=":
        return -abs(exact - bound)
    return exact - bound if relation in (">", ">=") else bound - exact


def _certain(relation: str, exact: Any, bound: Any) -> int | None:
    """The sign of a margin over balls, if they decide it."""
    try:
        return arithmetic.sign(_margin(relation, exact, bound))
    except arithmetic.Undecided:
        return None


def _size(exact: Any, side: Side) -> float:
    """What a relative difference of the two numbers is relative to."""
    return max(abs(float(exact)), abs(float(side.value)), 1e-6)


def _off(double: Any, enclosure: Any, size: float, accuracy: float) -> bool:
    """Whether a double is farther from its ball than its accuracy allows."""
    if enclosure is None or isinstance(double, str) or not math.isfinite(float(double)):
        return False
    return not arithmetic.near(enclosure, float(double), accuracy * size)
