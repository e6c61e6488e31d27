r"""An item of a source: one exact quantity, and below it a row for every statement about it.

The exact side is a function of the parameters of a case that calls the library; each row is a function of the same
parameters that returns the other side, and its docstring says why the statement is true or false. A row is a ``Claim``.

>>> from dpbi import global_sensitivity
>>> from dpbi.arithmetic import pi, sqrt
>>> example = Source("example2020", "example")
>>> @example.item("constant", "Section 1", cases=[{"prior": (1, 1), "n": 1}], calls=global_sensitivity)
... def sensitivity(prior, n):
...     return global_sensitivity(prior, n)
>>> @sensitivity.said(r"GS = \sqrt{1 - \pi/4}", proof=True)
... def printed(prior, n):
...     return sqrt(1 - pi() / 4)
>>> printed.id, printed.verdict(), printed.called
('example/constant', 'proved', 'global_sensitivity')
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from ..arithmetic import Undecided, in_doubles, remembered
from .claim import CONDITIONAL, NOT_CHECKABLE, NOT_WELL_FORMED, PROVED, REPRODUCED, Case, Claim, Condition
from .premises import Premises

Side = Callable[..., Any]

LISTED = 256
"""So many values of a bound are kept: those at all cases of a claim, in doubles and over balls."""


class Source:
    """What the statements of one source share: its key in the bibliography and the first part of their ids."""

    def __init__(self, key: str, name: str, origin: str = "printed") -> None:
        self.key, self.name, self.origin = key, name, origin
        self.claims: list[Claim] = []

    def item(
        self,
        name: str,
        where: str,
        *,
        cases: Iterable[Any] = (),
        relation: str = "=",
        calls: Callable[..., Any] | tuple[Callable[..., Any], ...] = (),
        apart: str = "",
        page: str = "",
        premises: Premises | None = None,
    ) -> Callable[[Side], "Item"]:
        """Make an item of its exact side; ``calls`` are the functions of the library that it is made of.

        An exact side that cannot be the library's says what it is ``apart``: "a published table", for instance.
        """
        called = calls if isinstance(calls, tuple) else (calls,)
        if bool(called) == bool(apart):
            raise ValueError(f"item {self.name}/{name} must name what it calls, or what it is apart from the library")
        return lambda exact: Item(self, name, where, tuple(cases), relation, called, apart, page, premises, exact)

    def vague(
        self,
        name: str,
        where: str,
        statement: str,
        why: str,
        *,
        malformed: str = "",
        uncheckable: str = "",
        **data: Any,
    ) -> Claim:
        """A statement that is none, or that decides nothing, with the reason."""
        word = NOT_WELL_FORMED if malformed else NOT_CHECKABLE
        caller = sys._getframe(1)

        def nothing() -> tuple[Any, Any]:
            return 0.0, 0.0

        nothing.__doc__ = why
        return self._keep(
            Claim(
                id=f"{self.name}/{name}",
                source=f"{self.key}, {where}",
                statement=statement,
                body=nothing,
                expected=word,
                malformed=malformed,
                uncheckable=uncheckable,
                notebook=data.pop("page", ""),
                origin=data.pop("origin", self.origin),
                place=(caller.f_globals["__name__"], caller.f_lineno),
                **data,
            )
        )

    def again(self, claim: Claim, name: str, where: str, statement: str, **data: Any) -> Claim:
        """What the source has said before, said once more elsewhere: judged by the same row, and counted there."""
        first = {"id": f"{self.name}/{name}", "source": f"{self.key}, {where}", "restates": claim.id}
        return self._keep(replace(claim, statement=statement, **{**first, **data}))

    def in_order(self, *modules: ModuleType) -> tuple[Claim, ...]:
        """All claims of the source: by the modules in the order given, inside one as they are written there."""
        names = [module.__name__ for module in modules]
        for claim in self.claims:
            if claim.code[0] not in names:
                raise ValueError(f"modules must include {claim.code[0]}, where claim {claim.id} is, got {names}")
        return tuple(sorted(self.claims, key=lambda claim: names.index(claim.code[0])))

    def _keep(self, claim: Claim) -> Claim:
        if any(claim.id == other.id for other in self.claims):
            raise ValueError(f"claim {claim.id} must have an id of its own")
        self.claims.append(claim)
        return claim


class Item:
    """An exact quantity with its cases; ``said`` and ``instead`` add what is claimed of it."""

    def __init__(
        self,
        source: Source,
        name: str,
        where: str,
        cases: tuple[Case, ...],
        relation: str,
        calls: tuple[Callable[..., Any], ...],
        apart: str,
        page: str,
        premises: Premises | None,
        exact: Side,
    ) -> None:
        self.source, self.name, self.where, self.cases, self.relation = source, name, where, cases, relation
        self.calls, self.apart, self.page, self.premises = calls, apart, page, premises
        self.exact = exact
        self._once = remembered(exact)  # rows of one item often share their cases

    def __call__(self, **case: Any) -> Any:
        """The exact side."""
        return self.exact(**case)

    def said(self, statement: str, *, suffix: str = "", **data: Any) -> Callable[[Side], Claim]:
        """A statement of the source about the exact side; ``suffix`` tells it from others of the same item."""
        return lambda bound: self._row(bound, statement, suffix, {"origin": self.source.origin, **data})

    def instead(self, statement: str, *, suffix: str = "corrected", **data: Any) -> Callable[[Side], Claim]:
        """What holds in place of the item as it is printed, or is sharper than it."""
        first = {"origin": "ours", "corrects": f"{self.source.name}/{self.name}"}
        return lambda bound: self._row(bound, statement, suffix, {**first, **data})

    def _row(self, bound: Side, statement: str, suffix: str, data: dict[str, Any]) -> Claim:
        bound_once = remembered(bound, LISTED)  # its verdict, its witness and its slack ask for the same cases

        @wraps(bound)
        def sides(**case: Any) -> tuple[Any, Any]:
            case = {name: _key(value) for name, value in case.items()}
            return self._once(**case), bound_once(**case)

        condition: Condition | None = data.get("condition")
        implied = CONDITIONAL if condition else PROVED if data.get("proof") else REPRODUCED
        if "expected" not in data and implied == REPRODUCED and not data.get("reproduces"):
            raise ValueError(
                f"a row of {self.source.name}/{self.name} must say its expected word, a proof or a condition"
            )
        row = {
            "id": f"{self.source.name}/{self.name}" + f"-{suffix}" * bool(suffix),
            "source": f"{self.source.key}, {data.pop('where', self.where)}",
            "relation": self.relation,
            "expected": implied,
            "notebook": data.pop("page", self.page),
            "exact": self.exact,
            "calls": self.calls,
            "apart": self.apart,
            "premises": self.premises,
            **data,
            "cases": tuple(data.get("cases", self.cases)),
        }
        return self.source._keep(Claim(statement=statement, body=sides, **row))


def _key(value: Any) -> Any:
    """A parameter as it can be remembered: lists and arrays as tuples."""
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_key(entry) for entry in value)
    return value


def only_in_doubles(why: str) -> None:
    """Leave a case without an enclosure: what it computes exists in doubles only."""
    if not in_doubles():
        raise Undecided(why)
