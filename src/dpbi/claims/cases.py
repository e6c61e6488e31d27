"""Cases: where a statement is evaluated, and whether they have the parameters of its body and meet its premise."""

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import arithmetic

Case = Mapping[str, Any]
Body = Callable[..., tuple[Any, ...]]


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """Cases for every combination of the values given for each parameter, the last parameter changing fastest.

    >>> grid(n=[1, 2], k=[3])
    [{'n': 1, 'k': 3}, {'n': 2, 'k': 3}]
    """
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def rows(names: str, *values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Cases as rows of a table: the names of the parameters, then the values of each case in that order.

    Args:
        names: the parameters, separated by blanks.
        values: a tuple a case, as long as there are names.

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
    """A case, if it has the parameters of a body."""
    if takes(body, case):
        return case
    raise ValueError(f"case of {id} must name {', '.join(needed(body))}, got {', '.join(case) or 'nothing'}")


def takes(body: Body, case: Case) -> bool:
    """Whether a case has the parameters of a body."""
    return set(needed(body)) <= set(case) <= set(inspect.signature(body).parameters)


def needed(body: Body) -> list[str]:
    """The parameters of a body that have no default."""
    return [each.name for each in inspect.signature(body).parameters.values() if each.default is each.empty]


def allows(predicate: Callable[..., bool] | None, case: Case) -> bool:
    """Whether a predicate on some parameters of a case holds, judged over balls; what they leave open counts as said."""
    if predicate is None:
        return True
    asked = inspect.signature(predicate).parameters
    with arithmetic.balls():
        try:
            return bool(predicate(**{name: given(value) for name, value in case.items() if name in asked}))
        except arithmetic.Undecided:
            return True


def given(value: Any) -> Any:
    """A parameter of a case in the arithmetic that is current; words stay words."""
    if isinstance(value, tuple | list):
        return tuple(given(entry) for entry in value)
    return value if isinstance(value, str) else arithmetic.number(value)
