r"""A printed statement as one function, which returns an exact number, the printed side and any corrected sides.

The function that evaluates a statement computes the exact number with the library. A side is a relation and a value,
for example "at most 0.25", which the exact number should satisfy. If the printed side is wrong or weaker than
necessary, the function also returns corrected sides. Calling a statement calls this function.

>>> from dpbi.arithmetic import exp
>>> from dpbi.claims import above, at_most, grid
>>> @statement(
...     "example/1", "Lemma 1", says=r"$1 - e^{-x} > x/2$", holds=r"$1 - e^{-x} \le x$", why="it fails for large x",
...     cases=grid(x=[0.5, 2.0]),
... )
... def bernoulli(x):
...     r'''At \(x = 2\) the printed bound is 1, and the exact number is less.
...
...     Proof of what holds: \(e^{-x} \ge 1 - x\).
...     '''
...     return 1 - exp(-x), above(x / 2), at_most(x)
>>> bernoulli, bernoulli.evidence()
(example/1: false, 'counterexample; instead: proof in words')
>>> bernoulli.at(x=0.5)
example/1 at x = 0.5: exact 0.393469; printed > 0.25 holds, certainly; instead <= 0.5 holds, certainly
>>> del STATEMENTS["example/1"]

The same code runs in doubles and in ball arithmetic, where each number is an interval that contains the true number
(``dpbi.arithmetic``). If the intervals decide a relation, the result is certain at these parameter values. If a double
is farther outside its interval than its accuracy allows, the library is inaccurate. A single counterexample refutes a
universal statement, but examples in which the statement holds do not prove it. So each verdict names the kind of
evidence on which it rests.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from .cases import Body, Case, Premise, allows, fitting, takes
from .evaluation import ROUNDING, At, evaluated
from .markdown import markdown_table


class Verdict(StrEnum):
    """The possible verdicts on a statement.

    The last two verdicts indicate an error in the library or in a correction, and are never recorded.
    """

    TRUE = "true"
    REPRODUCED = "reproduced"
    TRUE_IF = "true if"
    FALSE = "false"
    NOT_REPRODUCED = "not reproduced"
    OPEN = "open"
    CANNOT = "cannot be checked"
    OFF = "the library is inaccurate"
    REPAIR_FAILS = "the corrected statement fails"


COQ, WORDS, CASES, COUNTEREXAMPLE = "checked by Coq", "proof in words", "these cases only", "counterexample"
"""The kinds of evidence for a verdict."""

PROOF = {"printed": r"^Proof\b(?! of what holds)", "holds": r"^Proof of what holds\b"}
"""Opening words of a paragraph that proves the printed statement ("printed") or its correction ("holds")."""


class Statements(dict[str, "Statement"]):
    """A dict of statements by id; an unknown id raises an error that names the most similar id."""

    def __missing__(self, id: str) -> Statement:
        (near,) = difflib.get_close_matches(id, self, 1, 0)
        raise KeyError(f"id must be one of dpbi.claims.BY_ID, got {id!r}: the nearest is {near!r}")


STATEMENTS = Statements()
"""All statements by id, in the order of the modules that define them."""


class Instead(NamedTuple):
    """A corrected or additional statement that has its own exact number, parameter values or premise.

    Args:
        holds: The corrected statement, in Markdown.
        body: A function that returns an exact number and the corrected side.
        cases: The parameter values at which the function is evaluated.
        given: A premise on the parameters of the function: its description and a predicate.
    """

    holds: str
    body: Body
    cases: tuple[Case, ...]
    given: Premise | None = None

    @property
    def words(self) -> str:
        """The corrected statement, followed by its premise."""
        return f"{self.holds}, if {self.given[0]}" if self.given else self.holds

    def at(self, id: str, **case: Any) -> At:
        """Evaluate the corrected statement at given parameter values."""
        return evaluated(id, self.body, case)._replace(repair=True)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Statement:
    r"""A statement of a source or of this project, with the parameter values at which the statement is checked.

    The docstring of the function that evaluates the statement explains why the statement is true or false, and contains
    the proofs.

    Args:
        id: Name of the statement in the ledger, which begins with the name of the source.
        where: Place of the statement in the source.
        says: The statement as printed, in Markdown.
        holds: The corrected or additional statement, in Markdown; empty if there is none.
        why: A one-line reason why the statement is false or cannot be checked.
        body: A function that returns the exact number, the printed side and any corrected sides.
        cases: The parameter values at which the function is evaluated.
        given: A premise of the source: its description and a predicate; values outside the premise are not checked.
        only_if: A condition that the source does not state: its description and a predicate.
        open: Whether the statement is neither proved nor refuted; examples in which such a statement holds prove
            nothing.
        cannot: Whether no computation or proof could decide the statement; examples may still illustrate the statement.
        kind: "statement", or "digits" for a figure or a table, whose verdict is "reproduced" or "not reproduced".
        by: Author of the statement: "printed" for the source, "reading" for our reading of an unclear statement, "ours"
            (the default in ``beyond``), or a key of the bibliography.
        reading: Our interpretation of the statement's words, shown as a sentence beside the statement.
        aliases: Former ids of statements that were merged into this one.
        accuracy: Relative accuracy of the computed numbers in doubles.
        repairs: Corrected or additional statements with functions of their own, added by the method ``instead``.
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
        """The exact number and the sides, computed in the current arithmetic."""
        return self.body(**fitting(self.id, self.body, case))

    def __repr__(self) -> str:
        return f"{self.id}: {self.verdict()}"

    def at(self, **case: Any) -> At:
        """Evaluate the statement at given parameter values, and compare the exact number with each side.

        Args:
            case: A value for each parameter of the statement. Decimals are exact: 0.1 is 1/10. If only a corrected
                statement has these parameters, the corrected statement is evaluated instead.

        Returns:
            The exact number as a double, with a mark for each side: whether the relation holds and whether this result
            is certain.

        Raises:
            ValueError: If a parameter is missing, unknown or out of its range.
        """
        for each in self.repairs:
            if takes(each.body, case) and not takes(self.body, case):
                return each.at(self.id, **case)
        return evaluated(self.id, self.body, case, self.accuracy)

    def instead(self, *, holds: str = "", cases: Iterable[Case] | None = None, **data: Any) -> Callable[[Body], Body]:
        """A decorator that adds a corrected statement; the decorated function returns an exact number and one side.

        Args:
            holds: The corrected statement, in Markdown; by default the ``holds`` of the statement.
            cases: The parameter values at which the function is evaluated; by default those of the statement.
            data: ``given``, a premise on the parameters of the function: its description and a predicate.
        """

        def added(body: Body) -> Body:
            _asks(self.id, data, body)
            rows = self.cases if cases is None else tuple(cases)
            self.repairs.append(Instead(holds=holds or self.holds, body=body, cases=rows, **data))
            return body

        return added

    @cached_property
    def found(self) -> tuple[At, ...]:
        """The results of the statement at all of its parameter values that meet the premise."""
        return tuple(self.at(**case) for case in self.cases if allows(self.given, case))

    @cached_property
    def found_instead(self) -> tuple[At, ...]:
        """The results of each corrected statement at all of its parameter values that meet its premise."""
        return tuple(r.at(self.id, **case) for r in self.repairs for case in r.cases if allows(r.given, case))

    def verdict(self) -> Verdict:
        """The verdict on the statement, computed from its results at all parameter values.

        An inaccuracy of the library or a failure of a corrected statement takes precedence over all other verdicts.
        Otherwise the statement is false if its printed relation fails at some parameter values, unless all these values
        violate the additional condition of the statement; the statement is then true under this condition. A statement
        that is declared open remains open unless its printed relation fails at some parameter values.

        Raises:
            ValueError: If no parameter values meet the premise, because then nothing is checked.

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
            raise ValueError(f"statement {self.id} must return a side for what holds instead, got the printed side")
        if any(at.off for at in self.found + self.found_instead):
            return Verdict.OFF
        # every corrected side must hold at all parameter values, whether the statement itself or a repair returns it
        instead = [mark for at in self.found for mark in at.marks[1:]] + [at.printed for at in self.found_instead]
        if not all(mark.holds for mark in instead):
            return Verdict.REPAIR_FAILS
        if self.cannot:
            return Verdict.CANNOT
        if any(self.inside(**at.case) for at in self.failing()):
            return Verdict.NOT_REPRODUCED if self.kind == "digits" else Verdict.FALSE
        if self.failing():
            return Verdict.TRUE_IF
        if self.open:
            return Verdict.OPEN
        return Verdict.REPRODUCED if self.kind == "digits" else Verdict.TRUE

    def inside(self, **case: Any) -> bool:
        """Whether parameter values meet the condition that the source does not state."""
        return allows(self.only_if, case)

    def failing(self) -> list[At]:
        """The results in which the printed relation fails."""
        return [at for at in self.found if not at.printed.holds]

    def counterexample(self) -> At | None:
        """A result in which the printed relation fails; None if there is none.

        Certain failures come before uncertain ones; among equals, the result with the fewest records is returned.
        """
        return min(self.failing(), key=lambda at: (not at.printed.certain, _records(at.case)), default=None)

    def evidence(self) -> str:
        """The kinds of evidence for the verdict and for corrected or additional statements."""
        word, parts = self.verdict(), []
        if word in (Verdict.TRUE_IF, Verdict.FALSE, Verdict.NOT_REPRODUCED):
            parts.append(COUNTEREXAMPLE)
        if word in (Verdict.TRUE, Verdict.TRUE_IF):
            parts.append("if so: " * (word == Verdict.TRUE_IF) + self._proof("printed", _proves(self.body, "printed")))
        if word in (Verdict.REPRODUCED, Verdict.OPEN):
            parts.append(CASES)
        if self.what_holds:
            # a repair with a function of its own proves its only side with "Proof"; a function that evaluates both the
            # statement and a repair proves the repair with "Proof of what holds"
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
        """The word "instead" if ``what_holds`` corrects the printed statement, or "moreover" if ``what_holds`` adds to
        it."""
        return "moreover" if self.verdict() in (Verdict.TRUE, Verdict.REPRODUCED, Verdict.OPEN) else "instead"

    @property
    def verdict_in_words(self) -> str:
        """The verdict; if the statement is true only under a condition, the verdict is followed by this condition."""
        word = self.verdict()
        return f"{word} {self.only_if[0]}" if word == Verdict.TRUE_IF and self.only_if else word

    @property
    def beside(self) -> list[str]:
        """The sentences shown beside the statement: its premise and our interpretation of its words."""
        words = ("Given: ", self.given[0] if self.given else ""), ("Read as: ", self.reading.rstrip("."))
        return [f"{name}{text}." for name, text in words if text]

    @property
    def what_holds(self) -> str:
        """The corrected and additional statements, including those that ``instead`` added."""
        # a repair's wording includes its premise, unless this is the statement's own premise; equal texts appear once
        repairs = {each.holds: each.holds if each.given is self.given else each.words for each in self.repairs}
        return "; ".join(dict.fromkeys(filter(None, (repairs.get(self.holds, self.holds), *repairs.values()))))

    @property
    def notes(self) -> str:
        """The arguments for the verdict: the docstrings of all functions of the statement, in Markdown with
        formulas."""
        bodies = dict.fromkeys((self.body, *(each.body for each in self.repairs)))
        return "\n\n".join(filter(None, map(inspect.getdoc, bodies)))

    def row(self) -> dict[str, str]:
        """The statement's row in the ledger, as a dict whose keys are the names of the columns."""
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
    """Whether a docstring contains a proof of the printed statement ("printed") or of its correction ("holds")."""
    return bool(re.search(PROOF[part], inspect.getdoc(body) or "", re.M))


def statement(
    id: str, where: str, *, says: str, cases: Iterable[Case] = (), **data: Any
) -> Callable[[Body], Statement]:
    """A decorator that turns a function into a ``Statement`` and adds the statement to the ledger.

    Args:
        id: Name of the statement in the ledger; the name begins with the source, as in ``notes/4.5-ehd-lower``.
        where: Place of the statement in the source.
        says: The statement as printed, in Markdown.
        cases: The parameter values at which the function is evaluated, one dict for each evaluation, for example from
            ``grid`` or ``rows``.
        data: The other arguments of ``Statement``.

    Returns:
        The decorator. The decorated function must return the exact number, the printed side and any corrected sides.

    Raises:
        ValueError: If another statement has the id, or if a condition refers to parameters that the function does not
            have.
    """

    def made(body: Body) -> Statement:
        found = tuple(cases)
        names = (id, *data.get("aliases", ()))
        # when a cell of a notebook is run again, it may define its statement anew
        if (taken := [name for name in names if name in STATEMENTS]) and body.__module__ != "__main__":
            raise ValueError(f"id must be one that no statement has, got {taken[0]!r}")
        if data.get("kind", "statement") not in ("statement", "digits"):
            raise ValueError(f"kind of {id} must be statement or digits, got {data['kind']!r}")
        if wrong := [case for case in found if not isinstance(case, dict)]:
            raise ValueError(f"cases of {id} must be dicts of parameters, got {wrong[0]!r}")
        _asks(id, data, body)
        data.setdefault("by", "ours" if id.startswith("beyond/") else "reading" if data.get("reading") else "printed")
        found_here = Statement(id=id, where=where, says=says, body=body, cases=found, **data)
        STATEMENTS.update(dict.fromkeys(names, found_here))
        return found_here

    return made


def cannot(id: str, where: str, *, says: str, why: str, **data: Any) -> Statement:
    """A statement that cannot be checked, because the statement asserts nothing or because nothing could decide it.

    Args:
        id: Name of the statement in the ledger.
        where: Place of the statement in the source.
        says: The statement as printed, in Markdown.
        why: The reason why the statement cannot be checked.
        data: The other arguments of ``Statement``.

    Returns:
        The statement, to which the method ``instead`` may add a statement that can be checked.
    """

    def nothing() -> tuple[Any, ...]:
        raise ValueError(f"statement {id} cannot be checked: {why}")

    return statement(id, where, says=says, why=why, cannot=True, **data)(nothing)


def _asks(id: str, data: dict[str, Any], body: Body) -> None:
    """Raise an error if a premise is not a description with a predicate, or if the predicate has unknown parameters."""
    for name in data.keys() & {"given", "only_if"}:
        pair = data[name]
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) and callable(pair[1])):
            raise ValueError(f"{name} of {id} must be words and a predicate, got {pair!r}")
        if other := set(inspect.signature(pair[1]).parameters) - set(inspect.signature(body).parameters):
            raise ValueError(f"{name} of {id} must be on parameters of its body, got {', '.join(sorted(other))}")


def _records(case: Case) -> float:
    """Number of records in a dict of parameter values; 0 if the dict contains no dataset."""
    return float(sum(case["counts"]) if case.get("counts") else case.get("n") or 0)
