"""The cases at which a statement is evaluated, and the checks on these cases.

A body is the function that evaluates a statement, and a case gives values to the body's parameters. A premise or a
condition of a statement is a predicate on some of these parameters, together with its wording.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import arithmetic

Case = Mapping[str, Any]
Body = Callable[..., tuple[Any, ...]]
Premise = tuple[str, Callable[..., bool]]
"""A premise or a condition: its wording for the reader, and the predicate that decides whether a case meets it."""


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """Cases for all combinations of the given values of each parameter; the last parameter changes fastest.

    >>> grid(n=[1, 2], k=[3])
    [{'n': 1, 'k': 3}, {'n': 2, 'k': 3}]
    """
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def rows(names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Cases from the rows of a table; each row gives the parameters' values in the order of their names.

    Args:
        names: The names of the parameters, separated by spaces.
        values: The values of the parameters, one tuple for each case.

    Returns:
        One dict for each case, from the parameters' names to their values.

    >>> rows("n k", (1, 2), (60, 3))
    [{'n': 1, 'k': 2}, {'n': 60, 'k': 3}]
    """
    asked = names.split()
    if wrong := [row for row in values if len(row) != len(asked)]:
        raise ValueError(f"rows of {names!r} must have {len(asked)} values each, got {wrong[0]!r}")
    return [dict(zip(asked, row, strict=True)) for row in values]


def fitting(id: str, body: Body, case: Case) -> Case:
    """Return a case unchanged if it has the parameters of a body, and raise an error otherwise."""
    if takes(body, case):
        return case
    raise ValueError(f"case of {id} must name {', '.join(needed(body))}, got {', '.join(case) or 'nothing'}")


def takes(body: Body, case: Case) -> bool:
    """Whether a case gives values to all parameters of a body without a default, and to no unknown parameters."""
    return set(needed(body)) <= set(case) <= set(inspect.signature(body).parameters)


def needed(body: Body) -> list[str]:
    """Names of the parameters of a body that have no default value."""
    return [each.name for each in inspect.signature(body).parameters.values() if each.default is each.empty]


def allows(premise: Premise | None, case: Case) -> bool:
    """Whether a case meets a premise, in ball arithmetic; true if there is no premise or the balls cannot decide."""
    if premise is None:
        return True
    # a premise that ball arithmetic cannot decide excludes no case
    predicate = premise[1]
    asked = inspect.signature(predicate).parameters
    with arithmetic.balls():
        try:
            return bool(predicate(**{name: given(value) for name, value in case.items() if name in asked}))
        except arithmetic.Undecided:
            return True


def given(value: Any) -> Any:
    """The value of a parameter, converted to the current arithmetic; strings are not converted."""
    if isinstance(value, tuple | list):
        return tuple(given(entry) for entry in value)
    return value if isinstance(value, str) else arithmetic.number(value)
