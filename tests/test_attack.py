"""Statements at random parameters: no drawn case certainly refutes a statement that is true or open in the ledger.

``make attack`` draws thousands of cases for each statement, the default tests a few.
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
from dpbi.claims.statements import Verdict

CASES = int(os.environ.get("DPBI_ATTACK", "3"))


def table(source):
    return importlib.import_module(f"strategies.{source.replace('-', '_')}").STRATEGIES


def bodies():
    """Every statement that can be checked, and each part of what holds instead."""
    for each in CLAIMS:
        for i, part in enumerate([each, *each.repairs]):
            if (i or not each.cannot) and each.kind == "statement":
                name = f"{each.id}-instead-{i - 1}" if i else each.id
                yield pytest.param(each, part, id=name)


@st.composite
def cases(draw, strategies, names):
    case = {}
    for name, strategy in strategies.items():  # in the order of the table
        if name in names:
            case[name] = draw(strategy(case) if inspect.isfunction(strategy) else strategy)
    return case


@pytest.mark.parametrize(("statement", "part"), list(bodies()))
def test_no_drawn_case_fails(statement, part):
    names, source = inspect.signature(part.body).parameters, statement.id.partition("/")[0]
    missing = ", ".join(sorted(set(names) - set(table(source))))
    assert not missing, f"{statement.id} has no strategy for {missing}: add it to tests/strategies/{source}.py"
    held = part is not statement or RECORDED[statement.id] in (Verdict.TRUE, Verdict.TRUE_IF, Verdict.OPEN)

    @settings(max_examples=CASES, deadline=None, derandomize=CASES <= 10, suppress_health_check=list(HealthCheck))
    @given(cases(table(source), names))
    def attack(case):
        assume(allows(part.given, case))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluated(statement.id, part.body, case, getattr(part, "accuracy", ROUNDING))
        assert not found.off, f"a double is outside its ball: cancellation? {found}"
        claimed = held and (part is not statement or statement.inside(**case))
        failed = [mark for mark in found.marks[not claimed :] if mark.certain and not mark.holds]
        assert not failed, f"mend the statement, exclude the case by `given`, or record another verdict: {found}"

    attack()
