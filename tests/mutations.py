"""A mutation of the library, and the changes in the ledger that the mutation causes."""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.claims import BY_ID, RECORDED, Statement
from dpbi.claims.cases import allows
from dpbi.claims.statements import Verdict

Wrong = Callable[[Any], Any]
"""What stands in the place of a function, made of it."""


class Mutation(NamedTuple):
    """What is wrong, where, how, and the statements that notice."""

    what: str
    where: str
    wrong: Wrong
    noticed_by: str


def modules() -> list[ModuleType]:
    """The modules of the package that are imported."""
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "dpbi"]


@contextmanager
def mutated(where: str, wrong: Wrong, *tests: ModuleType) -> Iterator[None]:
    """The library, and tests of it, with a wrong function under every name it has.

    One from elsewhere is wrong in that module alone.
    """
    owner, _, name = where.rpartition(".")
    holder = pkgutil.resolve_name(owner)
    right = getattr(holder, name)
    mutant = wraps(right)(wrong(right))
    holders = [*modules(), *tests] if right.__module__ == owner else [holder]
    with pytest.MonkeyPatch.context() as patch:
        for each in holders:
            for known in [known for known, value in vars(each).items() if value is right]:
                patch.setattr(each, known, mutant)
        forget()
        try:
            yield
        finally:
            forget()


def forget() -> None:
    """Drop every value that the library and the statements of the ledger have kept."""
    arithmetic.forget()
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def noticed(statement: Statement) -> bool:
    """Whether the verdict of a statement is another one than that which a reader has looked at.

    It is left at the first case that shows it. What the library refuses by a ValueError, and a division by what became
    zero, are shown to a reader of the ledger; any other error is the wrong function's own, and notices nothing.
    """
    try:
        return _has_another_verdict(replace(statement))  # a copy that has kept nothing
    except (ValueError, ZeroDivisionError):
        return True


def _has_another_verdict(now: Statement) -> bool:
    expected, found = RECORDED[now.id], []
    for case in now.cases:
        if allows(now.given, case):
            found.append(now.at(**case))
            if found[-1].off or not all(mark.holds for mark in found[-1].marks[1:]):
                return True
            if not found[-1].printed.holds and expected in (Verdict.TRUE, Verdict.REPRODUCED):
                return True
    vars(now)["found"] = tuple(found)
    return now.verdict() != expected


def assert_noticed(mutation: Mutation) -> None:
    """Each statement that a mutation names has another verdict with it; that of all without it is in test_statements.

    Infinities and what is not a number are results here as in doubles, no warnings: they are to be found wrong.
    """
    with mutated(mutation.where, mutation.wrong), np.errstate(all="ignore"):
        found = {name: noticed(BY_ID[name]) for name in mutation.noticed_by.split()}
    assert found
    assert all(found.values()), found


def assert_caught(where: str, wrong: Wrong, test: Callable[[], None]) -> None:
    """A test of a room fails while a mutation is there, or the library refuses by a ValueError what it asks."""
    refusal = pytest.raises((AssertionError, ValueError))
    with mutated(where, wrong, sys.modules[test.__module__]), np.errstate(all="ignore"), refusal:
        test()


MODEL, MECHANISMS, GUARANTEES = "dpbi.model.", "dpbi.mechanisms.", "dpbi.guarantees."
SAMPLING, MCMC = "dpbi.posterior_sampling.", "dpbi.mcmc."
