"""Statements attacked at drawn parameters: where one is said to hold, no case drawn may fail for certain.

``make attack`` draws thousands of cases of each, the default tests a few.
"""

import importlib
import inspect
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dpbi.claims import CLAIMS, RECORDED
from dpbi.claims.cases import allows
from dpbi.claims.evaluation import ROUNDING, evaluated
from dpbi.claims.statements import TRUE, TRUE_IF

CASES = int(os.environ.get("DPBI_ATTACK", "3"))


def table(source):
    return importlib.import_module(f"strategies.{source.replace('-', '_')}").STRATEGIES


def bodies():
    """Every statement that can be checked and whose cases can be drawn, and each part of what holds instead."""
    for each in CLAIMS:
        for i, part in enumerate([each, *each.repairs]):
            if not each.cannot and each.kind == "statement" and drawable(each, part.body):
                name = f"{each.id}-instead-{i - 1}" if i else each.id
                yield pytest.param(each, part, id=name)


def drawable(statement, body):
    """Whether the table of the source says what every parameter of a body may be."""
    return set(inspect.signature(body).parameters) <= set(table(statement.id.partition("/")[0]))


@st.composite
def cases(draw, strategies, names):
    case = {}
    for name, strategy in strategies.items():
        if name in names:
            case[name] = draw(strategy(case) if inspect.isfunction(strategy) else strategy)
    return case


@pytest.mark.parametrize(("statement", "part"), list(bodies()))
def test_no_drawn_case_fails(statement, part):
    @settings(max_examples=CASES, deadline=None, derandomize=CASES <= 10, suppress_health_check=list(HealthCheck))
    @given(cases(table(statement.id.partition("/")[0]), inspect.signature(part.body).parameters))
    def attack(case):
        assume(allows(part.given, case))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluated(statement.id, part.body, case, getattr(part, "accuracy", ROUNDING))
        assert not found.off, found
        said = part is not statement or (RECORDED[statement.id] in (TRUE, TRUE_IF) and statement.inside(**case))
        assert all(mark.holds or not mark.certain for mark in found.marks[not said :]), found

    attack()


def test_most_bodies_are_attacked():
    """The others are settings by name, lists and digits: their cases are all that there is to try."""
    assert len(list(bodies())) >= 218
