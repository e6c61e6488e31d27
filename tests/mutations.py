"""A mutation of the library, and what the ledger finds while it is there."""

import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.claims import BY_ID, Claim
from dpbi.claims.claim import NOT_REPRODUCED, REFUTED
from wrong_ways import Wrong


class Mutation(NamedTuple):
    """What is wrong, where, how, and the claims that notice."""

    what: str
    where: str
    wrong: Wrong
    noticed_by: str


def modules() -> list[ModuleType]:
    """The modules of the package that are imported."""
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "dpbi"]


@contextmanager
def mutated(where: str, wrong: Wrong) -> Iterator[None]:
    """The library with a wrong function under every name it has; one from elsewhere is wrong in that module alone."""
    owner, _, name = where.rpartition(".")
    holder = pkgutil.resolve_name(owner)
    right = getattr(holder, name)
    mutant = wraps(right)(wrong(right))
    holders = modules() if right.__module__ == owner else [holder]
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
    """Drop every value that the library and the items of the ledger have kept."""
    arithmetic.forget()
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def noticed(claim: Claim) -> bool:
    """Whether ``dpbi verify`` would say another word than the expected one; it is left at the first case that shows it.

    One failing case refutes, and one at which the library is off is enough, whatever the other cases say. What the
    library refuses by a ValueError, and a division by what became zero, verify tells of; any other error is the wrong
    function's own, and notices nothing.
    """
    try:
        return _says_another_word(replace(claim))  # a copy that has kept nothing
    except (ValueError, ZeroDivisionError):
        return True


def _says_another_word(now: Claim) -> bool:
    if now.slack is not None and now.slack > now.within:
        return True
    verdicts = []
    for case in now.cases:
        verdicts.append(now.check(**case))
        if not verdicts[-1].agrees:
            return True
        if verdicts[-1].met and not verdicts[-1].holds and now.expected not in (REFUTED, NOT_REPRODUCED):
            return True
    vars(now)["verdicts"] = tuple(verdicts)
    return now.verdict() != now.expected


def assert_noticed(mutation: Mutation) -> None:
    """Each claim that a mutation names is not as expected with it; that it is without it, test_claims*.py ask of all.

    Infinities and what is not a number are results here as in doubles, no warnings: they are to be found wrong.
    """
    with mutated(mutation.where, mutation.wrong), np.errstate(all="ignore"):
        found = {claim: noticed(BY_ID[claim]) for claim in mutation.noticed_by.split()}
    assert found
    assert all(found.values()), found


MODEL, MECHANISMS, GUARANTEES = "dpbi.model.", "dpbi.mechanisms.", "dpbi.guarantees."
SAMPLING, MCMC = "dpbi.posterior_sampling.", "dpbi.mcmc."
