r"""A printed statement as one function: what is exact, what is printed, and what holds instead.

The body of a statement is a function of the parameters of a case. It returns the exact number first, computed by the
library, then the printed side with its relation, then what holds instead, where the printed side is wrong or
says less than is true. Calling a statement calls its body.

>>> from dpbi.arithmetic import exp
>>> from dpbi.claims import above, at_most, grid
>>> @statement(
...     "example/1", "Lemma 1", says=r"$1 - e^{-x} > x/2$", holds=r"$1 - e^{-x} \le x$", why="large x",
...     cases=grid(x=[0.5, 2.0]),
... )
... def bernoulli(x):
...     r'''At \(x = 2\) the lemma asks for more than one.
...
...     Proof of what holds: \(e^{-x} \ge 1 - x\).
...     '''
...     return 1 - exp(-x), above(x / 2), at_most(x)
>>> bernoulli, bernoulli.evidence()
(example/1: false, 'counterexample; instead: proof in words')
>>> bernoulli.at(x=0.5)
example/1 at x = 0.5: exact 0.393469; printed > 0.25 holds, certainly; instead <= 0.5 holds, certainly
>>> del STATEMENTS["example/1"]

A body is evaluated over doubles, and over balls that contain the true numbers (``arithmetic``), by the same code. Where
the balls lie on one side the sign at that case is certain. Where a double lies outside its ball the library is off.
A counterexample settles a universal statement; cases that hold prove nothing, and the evidence says which it is.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from .cases import Body, Case, Premise, allows, fitting, takes
from .evaluation import ROUNDING, At, evaluated
from .markdown import markdown_table


class Verdict(StrEnum):
    """The words for a statement; the last two are of a fault in the library, and no recorded verdict is one of them."""

    TRUE = "true"
    REPRODUCED = "reproduced"
    TRUE_IF = "true if"
    FALSE = "false"
    NOT_REPRODUCED = "not reproduced"
    OPEN = "open"
    CANNOT = "cannot be checked"
    OFF = "the library is off"
    REPAIR_FAILS = "what should hold instead fails"


COQ, WORDS, CASES, COUNTEREXAMPLE = "checked by Coq", "proof in words", "these cases only", "counterexample"

PROOF = {
    "printed": re.compile(r"^Proof\b(?! of what holds)", re.M),
    "holds": re.compile(r"^Proof of what holds\b", re.M),
}
"""How a paragraph of a docstring begins that proves the printed side, and one that proves what holds."""


class Statements(dict[str, "Statement"]):
    """Statements by their ids."""

    def __missing__(self, id: str) -> Statement:
        (near,) = difflib.get_close_matches(id, self, 1, 0)
        raise KeyError(f"id must be one of dpbi.claims.BY_ID, got {id!r}: the nearest is {near!r}")


STATEMENTS = Statements()
"""All statements by their ids, in the order in which they are written."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Instead:
    """What holds in place of a printed statement, where it needs an exact side, cases or a premise of its own."""

    holds: str
    body: Body
    cases: tuple[Case, ...]
    given: Premise | None = None

    @property
    def words(self) -> str:
        """What holds, with its premise."""
        return f"{self.holds}, if {self.given[0]}" if self.given else self.holds

    def at(self, id: str, **case: Any) -> At:
        """What holds at one case."""
        return evaluated(id, self.body, case)._replace(repair=True)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Statement:
    r"""A statement; the docstring of its body says why it is true or false, and proves what it can.

    Args:
        id: Its name in the ledger, the source first.
        where: Where it stands in the source.
        says: What it says, in Markdown.
        holds: What holds instead; empty if there is nothing.
        why: Why it is false, in a line; or the reason why it cannot be checked.
        body: Exact number, printed side, and sides that hold instead.
        cases: Where it is evaluated.
        given: A premise that the source makes, in words and as a predicate; outside it the statement says nothing.
        only_if: A condition that the source does not state, in words and as a predicate.
        open: Whether it is neither proved nor refuted; cases that hold then prove nothing.
        cannot: Whether it is no statement that anything could decide, though a case may illustrate it.
        kind: "statement", or "digits" for a figure or a table that is reproduced or not.
        by: Whose it is: "printed", "reading" for our reading of an unclear one, "ours" (the default in
            ``beyond``), or a key of the bibliography.
        reading: How its words are read, in a sentence that is shown beside it.
        aliases: Former ids, for a statement that others were merged into.
        accuracy: The relative accuracy of the functions that it calls, in doubles.
    """

    id: str
    where: str
    says: str
    body: Body
    holds: str = ""
    why: str = ""
    cases: tuple[Case, ...] = ()
    given: Premise | None = None
    only_if: Premise | None = None
    open: bool = False
    cannot: bool = False
    kind: str = "statement"
    by: str = "printed"
    reading: str = ""
    aliases: tuple[str, ...] = ()
    accuracy: float = ROUNDING
    repairs: list[Instead] = field(default_factory=list)

    def __call__(self, **case: Any) -> tuple[Any, ...]:
        """What the body returns, in the arithmetic that is current."""
        return self.body(**fitting(self.id, self.body, case))

    def __repr__(self) -> str:
        return f"{self.id}: {self.verdict()}"

    def at(self, **case: Any) -> At:
        """The statement at one case: the exact number, and how the printed side and what holds stand to it.

        Args:
            case: a value for each parameter of the body; a decimal stands for itself, 0.1 for 1/10. Where the
                parameters are those of what holds instead, by a body of its own, it is that which is evaluated.

        Returns:
            The exact number as a double, and a mark for each side: whether it holds, and whether that is certain.

        Raises:
            ValueError: a parameter is missing, unknown or out of its range.
        """
        for each in self.repairs:
            if takes(each.body, case) and not takes(self.body, case):
                return each.at(self.id, **case)
        return evaluated(self.id, self.body, case, self.accuracy)

    def instead(self, *, holds: str = "", cases: Iterable[Case] | None = None, **data: Any) -> Callable[[Body], Body]:
        """A decorator that adds what holds in place of the statement, by a body with the exact number and one side.

        Args:
            holds: What holds, in Markdown; ``holds`` of the statement if empty.
            cases: Where the body is evaluated; by default the cases of the statement.
            data: ``given``, a premise on the parameters of the body, in words and as a predicate.
        """

        def added(body: Body) -> Body:
            _asks(self.id, "given", data.get("given"), body)
            rows = self.cases if cases is None else tuple(cases)
            self.repairs.append(Instead(holds=holds or self.holds, body=body, cases=rows, **data))
            return body

        return added

    @cached_property
    def found(self) -> tuple[At, ...]:
        """The statement at its cases, but for those outside its premise."""
        return tuple(self.at(**case) for case in self.cases if allows(self.given, case))

    @cached_property
    def found_instead(self) -> tuple[At, ...]:
        """What holds by bodies of its own, at their cases."""
        return tuple(
            each.at(self.id, **case) for each in self.repairs for case in each.cases if allows(each.given, case)
        )

    def verdict(self) -> Verdict:
        """The word for the statement, computed from its cases: a ``Verdict``.

        A case at which the library is off or what should hold instead fails comes first. Then a case that fails makes a
        statement false, or true under a condition if all cases that fail are outside the condition. A statement that is
        declared open stays open until a case fails.

        Raises:
            ValueError: there is no case at which the premise holds, so that nothing would be checked.

        >>> from dpbi.claims import below, grid
        >>> @statement("example/2", "Lemma 2", says="$x < 3$", given=("$x > 9$", lambda x: x > 9), cases=grid(x=[1, 2]))
        ... def never(x):
        ...     return x, below(3)
        >>> never.verdict()
        Traceback (most recent call last):
        ValueError: cases of example/2 must be one or more where its premise holds, got none
        >>> del STATEMENTS["example/2"]
        """
        if not (self.found or self.cannot) or not all(any(allows(r.given, c) for c in r.cases) for r in self.repairs):
            raise ValueError(f"cases of {self.id} must be one or more where its premise holds, got none")
        if self.holds and not self.repairs and any(len(at.marks) == 1 for at in self.found):
            raise ValueError(f"statement {self.id} says what holds instead, and must return a side for it")
        if any(at.off for at in self.found + self.found_instead):
            return Verdict.OFF
        instead = [mark for at in self.found for mark in at.marks[1:]] + [at.printed for at in self.found_instead]
        if not all(mark.holds for mark in instead):
            return Verdict.REPAIR_FAILS
        if self.cannot:
            return Verdict.CANNOT
        failing = self.failing()
        if any(self.inside(**at.case) for at in failing):
            return Verdict.NOT_REPRODUCED if self.kind == "digits" else Verdict.FALSE
        if failing:
            return Verdict.TRUE_IF
        if self.open:
            return Verdict.OPEN
        return Verdict.REPRODUCED if self.kind == "digits" else Verdict.TRUE

    def inside(self, **case: Any) -> bool:
        """Whether a case meets the condition that the source does not state."""
        return allows(self.only_if, case)

    def failing(self) -> list[At]:
        """The cases at which the printed side fails."""
        return [at for at in self.found if not at.printed.holds]

    def counterexample(self) -> At | None:
        """A case at which the printed side fails: certainly if there is one, then with the fewest records."""
        return min(self.failing(), key=lambda at: (not at.printed.certain, _records(at.case)), default=None)

    def evidence(self) -> str:
        """The evidence for the verdict, and that for what holds instead."""
        word, parts = self.verdict(), []
        if word in (Verdict.TRUE_IF, Verdict.FALSE, Verdict.NOT_REPRODUCED):
            parts.append(COUNTEREXAMPLE)
        if word in (Verdict.TRUE, Verdict.TRUE_IF):
            parts.append("if so: " * (word == Verdict.TRUE_IF) + self._proof("printed", _proves(self.body, "printed")))
        if word in (Verdict.REPRODUCED, Verdict.OPEN):
            parts.append(CASES)
        if self.what_holds:
            # a body of its own proves its own side; one that is the statement's again proves it as what holds
            proved = [_proves(r.body, "holds" if r.body is self.body else "printed") for r in self.repairs]
            if any(len(at.marks) > 1 for at in self.found):
                proved.append(_proves(self.body, "holds"))
            parts.append(f"{self.besides}: {self._proof('holds', all(proved))}")
        return "; ".join(parts)

    def _proof(self, part: str, in_words: bool) -> str:
        from .machine import checked

        return COQ if checked(self.id, part) else WORDS if in_words else CASES

    @property
    def besides(self) -> str:
        """Whether what holds replaces the printed side, "instead", or goes beyond it, "moreover"."""
        return "moreover" if self.verdict() in (Verdict.TRUE, Verdict.REPRODUCED, Verdict.OPEN) else "instead"

    @property
    def verdict_in_words(self) -> str:
        """The verdict with its condition."""
        word = self.verdict()
        return f"{word} {self.only_if[0]}" if word == Verdict.TRUE_IF and self.only_if else word

    @property
    def beside(self) -> list[str]:
        """What is shown beside its words: the premise, and how they are read."""
        words = ("Given: ", self.given[0] if self.given else ""), ("Read as: ", self.reading.rstrip("."))
        return [f"{name}{text}." for name, text in words if text]

    @property
    def what_holds(self) -> str:
        """What holds in place of it, by its own body and by those added to it."""
        repairs = {each.holds: each.holds if each.given is self.given else each.words for each in self.repairs}
        return "; ".join(dict.fromkeys(filter(None, (repairs.get(self.holds, self.holds), *repairs.values()))))

    @property
    def notes(self) -> str:
        """The argument, in words and formulas."""
        bodies = dict.fromkeys((self.body, *(each.body for each in self.repairs)))
        return "\n\n".join(filter(None, map(inspect.getdoc, bodies)))

    def row(self) -> dict[str, str]:
        """Row of the ledger, by the names of its columns."""
        return {
            "id": self.id,
            "item": self.where,
            "says": self.says,
            "verdict": self.verdict().value,
            "only_if": self.only_if[0] if self.only_if else "",
            "evidence": self.evidence(),
            "why": self.why,
            "holds": self.what_holds,
            "by": self.by,
            "given": self.given[0] if self.given else "",
            "reading": self.reading,
        }

    def _repr_markdown_(self) -> str:
        return markdown_table([self])


def _proves(body: Body, part: str) -> bool:
    """Whether the docstring of a body has a proof of its printed side, or of what holds."""
    return bool(PROOF[part].search(inspect.getdoc(body) or ""))


def statement(
    id: str, where: str, *, says: str, cases: Iterable[Case] = (), **data: Any
) -> Callable[[Body], Statement]:
    """A decorator that makes a ``Statement`` of its body and puts it into the ledger.

    Args:
        id: Its name in the ledger, the source first: ``notes/4.5-ehd-lower``.
        where: Where it stands in the source.
        says: What it says, in Markdown.
        cases: Where it is evaluated, a dict of the parameters of the body each; ``grid`` and ``rows`` write them.
        data: The other arguments of ``Statement``.

    Returns:
        What takes the body and gives the statement. The body returns the exact number, the printed side, and the sides
        that hold instead.

    Raises:
        ValueError: an id that is taken, or a condition on parameters that the body does not have.
    """

    def made(body: Body) -> Statement:
        found = tuple(cases)
        names = (id, *data.get("aliases", ()))
        if (
            taken := [name for name in names if name in STATEMENTS]
        ) and body.__module__ != "__main__":  # not a notebook
            raise ValueError(f"id must be one that no statement has, got {taken[0]!r}")
        if data.get("kind", "statement") not in ("statement", "digits"):
            raise ValueError(f"kind of {id} must be statement or digits, got {data['kind']!r}")
        if wrong := [case for case in found if not isinstance(case, dict)]:
            raise ValueError(f"cases of {id} must be dicts of parameters, got {wrong[0]!r}")
        for name in ("given", "only_if"):
            _asks(id, name, data.get(name), body)
        data.setdefault("by", "ours" if id.startswith("beyond/") else "reading" if data.get("reading") else "printed")
        found_here = Statement(id=id, where=where, says=says, body=body, cases=found, **data)
        STATEMENTS.update(dict.fromkeys(names, found_here))
        return found_here

    return made


def cannot(id: str, where: str, *, says: str, why: str, **data: Any) -> Statement:
    """A statement that cannot be checked: a sentence that states nothing, or that nothing could decide.

    Args:
        id: Its name in the ledger.
        where: Where it stands in the source.
        says: What it says, in Markdown.
        why: The reason why it cannot be checked.
        data: The other arguments of ``Statement``.

    Returns:
        The statement; what holds in its place is added by ``Statement.instead``.
    """

    def nothing() -> tuple[Any, ...]:
        raise ValueError(f"statement {id} cannot be checked: {why}")

    return statement(id, where, says=says, why=why, cannot=True, **data)(nothing)


def _asks(id: str, name: str, premise: Premise | None, body: Body) -> None:
    """Refuse a premise without words, and a predicate on parameters that a body does not have."""
    if premise is None:
        return
    if not (isinstance(premise, tuple) and len(premise) == 2 and isinstance(premise[0], str) and callable(premise[1])):
        raise ValueError(f"{name} of {id} must be words and a predicate, got {premise!r}")
    known = set(inspect.signature(body).parameters)
    if other := set(inspect.signature(premise[1]).parameters) - known:
        raise ValueError(f"{name} of {id} must ask for its parameters, got {', '.join(sorted(other))}")


def _records(case: Case) -> float:
    """How many records a case has."""
    return float(sum(case["counts"]) if case.get("counts") else case.get("n") or 0)
