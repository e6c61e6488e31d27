"""Statements: verdicts, evidence, errors and display; and the verdicts of the ledger."""

import ast
import inspect
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from dpbi import claims
from dpbi.arithmetic import exp, number
from dpbi.claims import RECORDED, above, at_least, at_most, below, equal, grid, only_in_doubles, statement, table
from dpbi.claims.evaluation import evaluated
from dpbi.claims.hellinger.quantities import probability_at_distance
from dpbi.claims.statements import STATEMENTS, Verdict
from dpbi.mechanisms import ehd


@pytest.fixture
def example():
    """Makes statements that leave the ledger after the test."""

    def make(body, **data):
        STATEMENTS.pop("example/it", None)
        return statement("example/it", "Lemma 1", says="it", **{"cases": grid(x=[1.0, 2.0]), **data})(body)

    yield make
    STATEMENTS.pop("example/it", None)


SLOW = {"hellinger/figure-4-large", "hellinger/figure-3-large", "hellinger/figure-3", "hellinger/figure-6",
        "hellinger/figure-3-improved-baseline"}  # fmt: skip
"""Figures at many records; `dpbi verify` computes them as well."""


def marked(identities):
    return [pytest.param(each, marks=[pytest.mark.slow] if each in SLOW else []) for each in identities]


@pytest.mark.parametrize("identity", marked(each.id for each in claims.CLAIMS))
def test_each_verdict_is_the_recorded_one(identity):
    assert claims.BY_ID[identity].verdict() == RECORDED[identity], "mend the statement, or its row of verdicts.csv"


def test_every_recorded_verdict_has_a_statement():
    assert RECORDED.keys() == {each.id for each in claims.CLAIMS}, "src/dpbi/claims/verdicts.csv: a row ID,VERDICT each"
    words = set(Verdict) - {Verdict.OFF, Verdict.REPAIR_FAILS}
    assert set(RECORDED.values()) <= words, f"a verdict must be one of {', '.join(sorted(words))}"


@pytest.mark.parametrize(
    "identity",
    marked(each for each, word in RECORDED.items() if word in (Verdict.FALSE, Verdict.TRUE_IF, Verdict.NOT_REPRODUCED)),
)
def test_every_counterexample_is_certain(identity):
    assert claims.BY_ID[identity].counterexample().printed.certain


BY_DRAWS = "Figure 4, caption and Section 6.2"  # there is nothing to enclose
ERRATA = [each for each in claims.ERRATA if each.check]


@pytest.mark.parametrize("each", ERRATA, ids=lambda each: each.where)
def test_what_is_printed_fails_at_the_case_of_an_erratum(each):
    [mark] = evaluated(each.where, each.check, {}).marks
    assert not mark.holds
    assert not mark.off
    assert mark.certain or each.where == BY_DRAWS


MODULES = sorted(Path(claims.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_body_makes_doubles_on_the_way_to_a_ball(path):
    """A quotient of two literals, or a decimal that is no dyadic fraction, would put a rounded number into a ball."""
    for body in (node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)):
        if not any("statement" in ast.unparse(each) or "instead" in ast.unparse(each) for each in body.decorator_list):
            continue  # it makes cases, or searches in doubles
        nodes = [node for line in body.body for node in ast.walk(line)]
        read = [node.args[0] for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "number"]
        for node in nodes:
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                constants = isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)
                assert not constants, f"{body.name}: {ast.unparse(node)} must be written with number(...)"
            if isinstance(node, ast.Constant) and isinstance(node.value, float) and node not in read:
                assert node.value.as_integer_ratio()[1] <= 1024, f"{body.name}: {node.value} must be in number(...)"


def test_a_statement_of_another_work_says_which():
    bibliography = (Path(__file__).parents[1] / "book" / "references.bib").read_text("utf-8")
    for each in claims.CLAIMS:
        assert each.by in ("printed", "reading", "ours") or f"{{{each.by}," in bibliography, each.id
        assert each.reading or each.by != "reading", each.id


# The verdict, by hand


@pytest.mark.parametrize(("should", "value", "verdict"), [
    (above, "0", Verdict.TRUE), (above, "1", Verdict.FALSE),  # at x = 1 the two sides are equal
    (at_least, "1", Verdict.TRUE), (below, "2", Verdict.FALSE), (at_most, "2", Verdict.TRUE),
    (equal, "1", Verdict.FALSE), (at_least, "1.0000001", Verdict.FALSE),
])  # fmt: skip
def test_a_relation_is_judged_at_every_case(example, should, value, verdict):
    assert example(lambda x: (x, should(number(value)))).verdict() == verdict


def test_the_printed_digits_agree_if_the_last_is_rounded(example):
    third = {"cases": [{"x": 1.0}], "kind": "digits"}
    assert example(lambda x: (x / 3, claims.digits("0.333")), **third).verdict() == Verdict.REPRODUCED
    assert example(lambda x: (x / 3, claims.digits("0.334")), **third).verdict() == Verdict.NOT_REPRODUCED


def test_a_condition_must_hold_in_one_case_and_fail_in_another(example):
    one = ("x is 1", lambda x: x == 1)
    found = example(lambda x: (x, at_most(1)), only_if=one)
    assert (found.verdict(), found.verdict_in_words) == (Verdict.TRUE_IF, "true if x is 1")
    needless = example(lambda x: (x, at_most(2)), only_if=one)
    assert needless.verdict() == Verdict.TRUE  # nothing fails: no condition is needed
    assert example(lambda x: (x, at_most(0)), only_if=one).verdict() == Verdict.FALSE


def test_outside_its_premise_a_statement_says_nothing(example):
    assert example(lambda x: (x, at_most(1)), given=("x is below 2", lambda x: x < 2)).verdict() == Verdict.TRUE


def test_a_premise_has_words_that_are_shown(example):
    with pytest.raises(ValueError, match="given of example/it must be"):
        example(lambda x: (x, at_most(1)), given=lambda x: x < 2)
    found = example(lambda x: (x, at_most(1)), given=("x is below 2", lambda x: x < 2), reading="it is x")
    assert found.beside == ["Given: x is below 2.", "Read as: it is x."]
    found.instead(holds="$x > 0$", given=("x is 1", lambda x: x == 1))(lambda x: (x, above(0)))
    assert found.what_holds == "$x > 0$, if x is 1"


def test_an_open_statement_is_open_until_a_case_fails(example):
    assert example(lambda x: (x, at_most(2)), open=True).verdict() == Verdict.OPEN
    assert example(lambda x: (x, at_most(1)), open=True).verdict() == Verdict.FALSE


def test_a_former_id_finds_its_statement(example):
    found = example(lambda x: (x, at_most(2)), aliases=("example/old",))
    try:
        assert claims.BY_ID["example/old"] is found
        assert table("example/old") == table("example") == [found]
    finally:
        del STATEMENTS["example/old"]


def test_a_tie_of_doubles_is_no_failure(example):
    def tied(x):
        only_in_doubles("for this test")
        return x, below(x)

    assert example(tied).verdict() == Verdict.TRUE  # doubles cannot show a failure; balls would


def test_decimals_are_read_exactly(example):
    """As doubles 0.1 + 0.2 exceeds 0.3."""
    found = example(lambda a, b, c: (a + b, at_most(c)), cases=[{"a": 0.1, "b": 0.2, "c": 0.3}]).found[0]
    assert found.printed.holds
    assert found.printed.certain


def test_a_repair_must_hold(example):
    found = example(lambda x: (x, at_most(1), at_most(number("1.5"))), holds="less")
    assert found.verdict() == Verdict.REPAIR_FAILS
    found = example(lambda x: (x, at_most(1)), holds="less")
    found.instead(cases=[{"y": 3.0}])(lambda y: (y, at_most(2)))
    assert found.verdict() == Verdict.REPAIR_FAILS


def test_a_double_outside_its_ball_is_the_librarys_fault(example):
    def wrong(x):
        return (x if isinstance(x, float) else x + number("0.001")), at_most(9)

    assert example(wrong).verdict() == Verdict.OFF
    assert example(wrong, accuracy=0.01).verdict() == Verdict.TRUE


def test_balls_decide_what_doubles_cannot(example):
    found = example(lambda x: (exp(x * number("1e-30")), above(1)))  # both sides are 1.0 in doubles
    assert found.verdict() == Verdict.TRUE
    assert all(at.printed.certain for at in found.found)

    def in_doubles(x):
        only_in_doubles("for this test")
        return x, at_most(2)

    assert not any(at.printed.certain for at in example(in_doubles).found)


def test_evidence_names_the_proofs_that_exist(example):
    def body(x):
        r"""Two refutes it.

        Proof of what holds: a number is at most its double.
        """
        return x, at_most(1), at_most(2 * x)

    found = example(body, holds="less")
    assert found.evidence() == "counterexample; instead: proof in words"
    assert found.counterexample().case == {"x": 2.0}
    assert example(lambda x: (x, at_most(2))).evidence() == "these cases only"


def test_every_proof_begins_a_paragraph_and_so_counts():
    for each in claims.CLAIMS:
        for before, proof in re.findall(r"(\S*\s*)(Proof\b[^:.]*:)", inspect.getdoc(each.body) or ""):
            assert not before or before.endswith("\n\n"), f"{each.id}: begin a paragraph with {proof}"


def test_a_sentence_that_nothing_decides_has_a_reason():
    for each in claims.CLAIMS:
        if each.cannot:
            assert RECORDED[each.id] == Verdict.CANNOT
            assert each.why, each.id
    first = next(each for each in claims.CLAIMS if each.cannot)
    with pytest.raises(ValueError, match=f"{first.id} cannot be checked"):
        first()


def test_every_false_statement_has_cases_and_a_reason():
    for each in claims.CLAIMS:
        assert each.cannot or each.cases, each.id
        if RECORDED[each.id] in (Verdict.FALSE, Verdict.TRUE_IF):
            assert each.why, each.id
        if each.holds and each.id not in SLOW:
            assert any(len(at.marks) > 1 for at in each.found) or each.repairs, each.id


# Errors: one sentence each


def test_a_case_names_what_the_body_asks_for():
    lower = claims.BY_ID["notes/4.5-ehd-lower"]
    with pytest.raises(ValueError, match=r"case of notes/4.5-ehd-lower must name prior, counts, epsilon, t"):
        lower.at(prior=(1, 1))
    with pytest.raises(ValueError, match=r"must name prior, counts, epsilon, t, .* tt"):
        lower.at(prior=(1, 1), counts=(0, 1), epsilon=1, tt=0.3)
    with pytest.raises(ValueError, match="epsilon must be"):
        lower.at(prior=(1, 1), counts=(0, 1), epsilon=-1.0, t=0.3)


def test_an_unknown_id_gets_the_nearest():
    with pytest.raises(ValueError, match=r"nearest is 'notes/4.5-ehd-lower'"):
        table("notes/4.5-edh-lower")
    with pytest.raises(KeyError, match=r"nearest is 'notes/4.5-ehd-lower'"):
        claims.BY_ID["notes/4.5-edh-lower"]


@pytest.mark.parametrize("returned", [0.5, (0.5,), (0.5, 0.6), None])
def test_a_body_returns_a_number_and_sides(example, returned):
    with pytest.raises(ValueError, match="example/it must return"):
        example(lambda x: returned).at(x=1.0)


def test_cases_are_dicts_and_rows_as_long_as_their_names(example):
    with pytest.raises(ValueError, match="cases of example/it must be dicts"):
        example(lambda x: (x, at_most(2)), cases={"x": 1})
    with pytest.raises(ValueError, match="rows of 'n k' must have 2 values"):
        claims.rows("n k", (1,))
    with pytest.raises(ValueError, match="output must be a dataset"):
        probability_at_distance(ehd(1.0), (1, 1), (1, 1), (0, 3))


def test_a_repair_is_evaluated_with_its_own_parameters(example):
    whole = example(lambda x: (x, at_most(2)))
    whole.instead(holds="$y > 0$", cases=[{"y": 3.0}])(lambda y: (y, above(0)))
    found = whole.at(y=4.0)
    assert (found.exact, found.printed.relation, found.printed.value) == (4.0, ">", 0.0)
    assert "printed" not in repr(found) + found._repr_markdown_()


def test_an_id_is_taken_once(example):
    example(lambda x: (x, at_most(2)))
    with pytest.raises(ValueError, match="id must be one that no statement has"):
        statement("example/it", "Lemma 2", says="it")(lambda x: (x, at_most(2)))


# How it is shown


def test_the_ledger_is_a_row_a_statement_from_one_process_or_two():
    few = table("notes/4.4", "notes/4.5.3")
    found = claims.ledger(few)
    assert {"id", "item", "says", "verdict", "evidence", "why", "holds"} <= set(found.columns)
    assert list(found["id"]) == ["notes/4.4", "notes/4.5.3"]
    assert claims.ledger(few, jobs=2).equals(found)


def test_a_table_has_a_row_for_each_and_no_bar_ends_a_cell():
    for shown in (table("notes/4.4", "notes/4.5-ehd-lower"), table("hellinger/4.1.2")):
        lines = shown._repr_markdown_().splitlines()
        assert len(lines) == len(shown) + 2
        assert {line.replace(r"\|", "").count("|") for line in lines} == {7}
    assert "notes/4.5-ehd-lower" in repr(table("notes/4.5-ehd-lower"))


def test_theorem_4_5_by_brute_force():
    """One record: two candidates, at distances 0 and H; Fractions and math alone."""
    found = claims.BY_ID["notes/4.5-ehd-lower"].at(prior=(1, 1), counts=(0, 1), epsilon=1.0, t=0.3)
    gap = math.sqrt(1 - math.pi / 4)  # between Beta(1, 2) and Beta(2, 1)
    weight = math.exp(-1.0 * gap / (2 * gap))
    assert found.exact == pytest.approx(1 / (1 + weight), rel=1e-12)
    assert found.printed.value == 1
    assert found.marks[1].value == float(Fraction(1, 2))
