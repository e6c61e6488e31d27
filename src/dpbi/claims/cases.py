"""Cases: the parameter values at which a statement is evaluated, and validation of these values.

Each statement has a function that evaluates it, and a case assigns a value to each parameter of this function. A
premise or condition of a statement consists of a predicate on some of the parameters and of the words that describe
this predicate.
"""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from .. import arithmetic

Case = Mapping[str, Any]
Body = Callable[..., tuple[Any, ...]]
Premise = tuple[str, Callable[..., bool]]
"""A premise or condition: its description for the reader, and the predicate that decides whether parameter values meet
it."""


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """All combinations of the given parameter values, one dict for each; the last parameter varies fastest.

    >>> grid(n=[1, 2], k=[3])
    [{'n': 1, 'k': 3}, {'n': 2, 'k': 3}]
    """
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def rows(names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Parameter values from the rows of a table, one dict for each row.

    Args:
        names: The names of the parameters, separated by spaces.
        values: One tuple for each row, with a value for each parameter in the order of ``names``.

    Returns:
        A list of dicts, each of which maps the names of the parameters to their values.

    >>> rows("n k", (1, 2), (60, 3))
    [{'n': 1, 'k': 2}, {'n': 60, 'k': 3}]
    """
    asked = names.split()
    if wrong := [row for row in values if len(row) != len(asked)]:
        raise ValueError(f"rows of {names!r} must have {len(asked)} values each, got {wrong[0]!r}")
    return [dict(zip(asked, row, strict=True)) for row in values]


def fitting(id: str, body: Body, case: Case) -> Case:
    """Return the given parameter values if they match the parameters of a function; otherwise raise an error."""
    if takes(body, case):
        return case
    raise ValueError(f"case of {id} must name {', '.join(needed(body))}, got {', '.join(case) or 'nothing'}")


def takes(body: Body, case: Case) -> bool:
    """Whether a dict has a value for each parameter that the function requires, and none for an unknown parameter."""
    return set(needed(body)) <= set(case) <= set(inspect.signature(body).parameters)


def needed(body: Body) -> list[str]:
    """Names of the parameters of a function that have no default value."""
    return [each.name for each in inspect.signature(body).parameters.values() if each.default is each.empty]


def allows(premise: Premise | None, case: Case) -> bool:
    """Whether parameter values meet a premise, decided in ball arithmetic; true if there is no premise or if ball
    arithmetic cannot decide."""
    if premise is None:
        return True
    # a premise that ball arithmetic cannot decide excludes no case
    asked = inspect.signature(premise[1]).parameters
    with arithmetic.balls(), suppress(arithmetic.Undecided):
        return bool(premise[1](**{name: given(value) for name, value in case.items() if name in asked}))
    return True


def given(value: Any) -> Any:
    """The value of a parameter, converted to the current arithmetic unless the value is a string."""
    return value if isinstance(value, str) else arithmetic.number(value)
