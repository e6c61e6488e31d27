"""Cases of a statement: values of its parameters at which it is evaluated, and the checks on them.

A body is the function that evaluates a statement; its parameters are those that a case must have. A predicate on some
of them, with its words, is a premise or a condition of the statement.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import arithmetic

Case = Mapping[str, Any]
Body = Callable[..., tuple[Any, ...]]
Premise = tuple[str, Callable[..., bool]]
"""A premise or a condition: its words, which a reader sees, and the predicate that decides it at a case."""


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """Cases for every combination of the values given for each parameter, the last parameter changing fastest.

    >>> grid(n=[1, 2], k=[3])
    [{'n': 1, 'k': 3}, {'n': 2, 'k': 3}]
    """
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def rows(names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Cases as rows of a table: the names of the parameters, then the values of each case in that order.

    Args:
        names: The parameters, separated by blanks.
        values: The values of a case, one tuple for each case.

    Returns:
        The parameters of each case, by name.

    >>> rows("n k", (1, 2), (60, 3))
    [{'n': 1, 'k': 2}, {'n': 60, 'k': 3}]
    """
    asked = names.split()
    if wrong := [row for row in values if len(row) != len(asked)]:
        raise ValueError(f"rows of {names!r} must have {len(asked)} values each, got {wrong[0]!r}")
    return [dict(zip(asked, row, strict=True)) for row in values]


def fitting(id: str, body: Body, case: Case) -> Case:
    """A case, checked to have the parameters of a body."""
    if takes(body, case):
        return case
    raise ValueError(f"case of {id} must name {', '.join(needed(body))}, got {', '.join(case) or 'nothing'}")


def takes(body: Body, case: Case) -> bool:
    """Whether a case has all parameters of a body that have no default, and no other names than its parameters."""
    return set(needed(body)) <= set(case) <= set(inspect.signature(body).parameters)


def needed(body: Body) -> list[str]:
    """The parameters of a body that have no default."""
    return [each.name for each in inspect.signature(body).parameters.values() if each.default is each.empty]


def allows(premise: Premise | None, case: Case) -> bool:
    """Whether a case meets a premise, over balls; true where there is none or the balls do not decide it."""
    if premise is None:
        return True
    predicate = premise[1]
    asked = inspect.signature(predicate).parameters
    with arithmetic.balls():
        try:
            return bool(predicate(**{name: given(value) for name, value in case.items() if name in asked}))
        except arithmetic.Undecided:
            return True


def given(value: Any) -> Any:
    """A parameter of a case as numbers of the current arithmetic; a string stays a string."""
    if isinstance(value, tuple | list):
        return tuple(given(entry) for entry in value)
    return value if isinstance(value, str) else arithmetic.number(value)
