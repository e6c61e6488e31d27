"""A mutation of the library, and what the ledger finds while it is there."""

import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from types import ModuleType
from typing import NamedTuple

import pytest

from dpbi import arithmetic
from dpbi.claims import CLAIMS
from dpbi.cli.ledger import _verdict
from wrong_ways import Wrong

BY_ID = {claim.id: claim for claim in CLAIMS}


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


def found(claim: str) -> str:
    """What ``dpbi verify`` finds for a claim, computed now."""
    return _verdict(replace(BY_ID[claim]))


@cache
def as_expected(claim: str) -> bool:
    """Whether the library as it is gives the expected word."""
    return found(claim) == BY_ID[claim].expected


def assert_noticed(mutation: Mutation) -> None:
    """Each claim that a mutation names is as expected without it, and is not with it."""
    claims = mutation.noticed_by.split()
    assert all(as_expected(claim) for claim in claims)
    with mutated(mutation.where, mutation.wrong):
        words = {claim: found(claim) for claim in claims}
    assert all(word != BY_ID[claim].expected for claim, word in words.items()), words


MODEL, MECHANISMS, GUARANTEES = "dpbi.model.", "dpbi.mechanisms.", "dpbi.guarantees."
SAMPLING, MCMC = "dpbi.posterior_sampling.", "dpbi.mcmc."
