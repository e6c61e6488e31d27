"""Releases of tables: schemas, queries and one budget; rejected input, and results against counts made here by hand."""

import itertools
import json
import math
import tomllib
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from checkouts import error_line, failed
from dpbi.cli import conclude, main
from dpbi.files import as_json
from dpbi.inference import Noisy, given_noise, given_releases
from dpbi.publish import Budget, check_release, conclusions, joint_posterior, joint_table, release, releases
from dpbi.publish.releases import release_table, resume
from dpbi.publish.schemas import read_schema, schema, tabulated

SCHEMA = """
epsilon = "1"
margins = [1, 2]

[columns.vote]
categories = ["yes", "no", "unsure"]

[columns.age]
cuts = [40, 60.5]
missing = "drop"

[columns.town]
categories = [1, 2]
missing = 2
"""
ROWS = [
    ("yes", "39.9", "1"), ("no", "40", "2"), ("no", "", "1"),
    ("unsure", "60.5", ""), ("yes", "-3", "1"), ("no", "1e3", "2"),
]  # fmt: skip
FILES = {
    "data.csv": "".join(",".join(row) + "\n" for row in [("vote", "age", "town"), *ROWS]), "schema.toml": SCHEMA,
}  # fmt: skip


def frame():
    table = pd.DataFrame(ROWS, columns=["vote", "age", "town"])
    table["age"] = pd.to_numeric(table["age"])
    table["town"] = pd.to_numeric(table["town"]).astype("Int64")
    return table


def by_hand():
    """The counts of each question, from the text of the rows."""
    kept = []
    for vote, age, town in ROWS:
        if age:
            place = 0 if float(age) < 40 else 1 if float(age) < 60.5 else 2
            kept.append({"vote": ["yes", "no", "unsure"].index(vote), "age": place, "town": 0 if town == "1" else 1})
    return kept


def test_counts_of_a_file_and_of_a_frame_are_those_by_hand(here):
    asked = read_schema("schema.toml")
    sizes = {"vote": 3, "age": 3, "town": 2}
    for data in ("data.csv", frame()):
        counts, n = tabulated(data, asked)
        assert n == 5
        for question, found in zip(asked.questions, counts, strict=True):
            cells = Counter(tuple(row[name] for name in question.columns) for row in by_hand())
            expected = np.zeros([sizes[name] for name in question.columns], dtype=int)
            for cell, count in cells.items():
                expected[cell] = count
            assert found.tolist() == expected.ravel().tolist()


def test_a_table_is_released_under_one_budget_with_one_receipt(drawn, capsys):
    here = drawn
    (here / "schema.toml").write_text(SCHEMA.partition("[columns.town]")[0])  # three questions draw three figures
    asked = ["release", "data.csv", "--schema=schema.toml", "--out=out", "--budget=budget.db", "--limit=1"]
    assert main(asked) == 0
    output = capsys.readouterr().out
    assert "lattice_laplace, epsilon 1, 5 rows, 3 questions" in output
    assert output.count(": share ") == 3 + 3 + 9  # of every cell
    receipt = json.loads((here / "out" / "receipt.json").read_text())
    assert sum(Fraction(question["epsilon"]) for question in receipt["questions"]) == 1
    assert [question["columns"] for question in receipt["questions"]] == [
        ["vote"], ["age"], ["vote", "age"],
    ]  # fmt: skip
    assert receipt["columns"]["age"] == {
        "categories": ["below 40", "40 to below 60.5", "60.5 on"], "cuts": [40.0, 60.5], "missing": "drop",
    }  # fmt: skip
    table = json.loads((here / "out" / "posterior.json").read_text())["questions"]
    for question, noisy, output in zip(receipt["questions"], receipt["noisy"], table, strict=True):
        e = float(Fraction(question["epsilon_of_a_row"]))
        shares = given_noise(question["prior"], 5, [min(max(z, 0), 5) for z in noisy], e)
        assert [one["mean"] for one in output["given_the_noise"]] == pytest.approx([share.mean for share in shares])
        assert output["categories"] == question["cells"]
    assert Budget(here / "budget.db").accounts()["records"].spent == 1
    assert main(["check", "out"]) == 0
    assert main(["budget", "check", "budget.db", "out"]) == 0
    promised = receipt["guarantee"]
    for part, name, other in ((receipt["questions"][0], "epsilon_of_a_row", "1/2"), (promised, "epsilon", "2")):
        right, part[name] = part[name], other
        (here / "out" / "receipt.json").write_text(json.dumps(receipt))
        assert failed(["check", "out"]) == 1
        assert "the budgets of the questions do not add up" in capsys.readouterr().err
        part[name] = right


def test_a_table_that_was_stopped_is_resumed(here, monkeypatch):
    def broken(*arguments):
        raise OSError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(Budget, "mark_written", broken)
        with pytest.raises(releases.Unfinished, match="epsilon 1 of records is spent"):
            release_table("data.csv", read_schema("schema.toml"), out="out", budget="budget.db", limit=1)
    (done,) = resume("budget.db")
    assert len(done.questions) == 6
    assert json.loads((here / "out" / "receipt.json").read_text()) == done.receipt


def test_the_split_is_the_best_for_the_sum_of_squared_errors():
    columns = {name: {"categories": list(range(size))} for name, size in (("a", 2), ("b", 5), ("c", 9))}
    asked = schema({"epsilon": "2", "margins": [1, 2, 3], "columns": columns})
    budgets = np.array([float(question.price.amount) for question in asked.questions])
    cells = np.array([len(question.prior) for question in asked.questions])
    best = (cells / budgets**2).sum()
    rng = np.random.default_rng(1)
    for _ in range(200):
        other = budgets * np.exp(rng.normal(scale=0.1, size=len(budgets)))
        other *= 2 / other.sum()
        assert (cells / other**2).sum() > best * (1 - 1e-6)
    given = schema({"epsilon": "2", "columns": columns, "questions": [
        {"columns": ["a"], "share": "1/4"}, {"columns": ["b", "c"], "share": "3/4", "prior": 0.5}]})  # fmt: skip
    assert [question.price.amount for question in given.questions] == [Fraction(1, 2), Fraction(3, 2)]
    assert given.questions[1].prior == (0.5,) * 45


def test_a_person_may_own_several_rows_up_to_the_bound(here):
    spec = {"epsilon": "1", "margins": [1], "person": "who", "rows_per_person": 3,
            "columns": {"v": {"categories": ["a", "b"]}, "w": {"categories": ["c", "d"]}}}  # fmt: skip
    rows = pd.DataFrame({"who": ["ann"] * 3 + ["bob"], "v": list("abab"), "w": list("cdcd")})
    done = release_table(rows, schema(spec))
    assert [question["epsilon_of_a_row"] for question in done.receipt["questions"]] == ["1/6", "1/6"]
    with pytest.raises(ValueError, match="rows of a person must be at most 2"):
        release_table(rows, schema({**spec, "rows_per_person": 2}), budget="budget.db", limit=1)
    rows.to_csv("rows.csv", index=False)
    with pytest.raises(ValueError, match="rows of a person must be at most 2"):
        release_table("rows.csv", schema({**spec, "rows_per_person": 2}), budget="budget.db", limit=1)
    rows.loc[3, "who"] = None
    with pytest.raises(ValueError, match="person must be given in every row"):
        release_table(rows, schema(spec), budget="budget.db", limit=1)
    assert not (here / "budget.db").exists()


def test_the_owner_of_too_many_rows_is_found_wherever_he_stands():
    owners = [*range(1500), "zoe", "zoe", 7, "zoe"]
    most = max(Counter(owners).values())
    spec = {"epsilon": "1", "margins": [1], "person": "who", "columns": {"v": {"categories": ["a", "b"]}}}
    rows = pd.DataFrame({"who": owners, "v": ["a", "b"] * 752})
    assert tabulated(rows, schema(spec | {"rows_per_person": most}))[1] == 1504
    with pytest.raises(ValueError, match=f"rows of a person must be at most {most - 1}"):
        tabulated(rows, schema(spec | {"rows_per_person": most - 1}))


COMMON = {
    "mechanism": "lattice_laplace", "guarantee": {"notion": "pure differential privacy", "epsilon": "1/2"},
    "noise": "drawn exactly, by integer arithmetic from the operating system's entropy", "budget": None,
    "not_covered": ["the time that the computation took", "other releases from the same records",
                    "the total cost of all releases from these records: no budget file was charged"],
}  # fmt: skip
TABLE = COMMON | {
    "columns": {"a": {"categories": ["x", "y"], "missing": "drop"}, "b": {"categories": [1, 2, 3], "missing": 3}},
    "questions": [
        {"columns": ["a"], "epsilon": "1/2", "epsilon_of_a_row": "1/2", "cells": ["x", "y"], "prior": [1, 1]}],
    "private": ["which rows are in which cell"],
}  # fmt: skip
WHOLE = "the schema: columns, categories, cuts, questions, priors, mechanism, budget"
RULES = ["a were left out, and through n also their number", "b were counted as 3"]
RULES = [f"that missing values of {rule}" for rule in RULES]


def test_receipts_contain_the_required_entries_and_no_others():
    def lasting(receipt):
        assert sum(receipt["noisy"][0] if "questions" in receipt else receipt["noisy"]) == receipt["n"]
        return {name: one for name, one in receipt.items() if name not in {"id", "date", "library", "noisy", "counts"}}

    assert lasting(release(["x", "y", None], ["x", "y"], [1, 2], "1/2", missing="drop").receipt) == COMMON | {
        "neighbours": "two data sets of n records that differ in one replaced record", "n": 2, "categories": ["x", "y"],
        "prior": [1.0, 2.0], "private": ["which records are in which category"],
        "public": ["the number of records n", "the categories, which were declared and not taken from the records",
                   "the prior, the mechanism and epsilon",
                   "that missing values were left out, and through n also their number"],
    }  # fmt: skip
    spec = {"epsilon": "1/2", "columns": TABLE["columns"], "questions": [{"columns": ["a"]}]}
    rows = pd.DataFrame({"who": list("ann"), "a": ["x", "", "y"], "b": [1, 2, 3]})
    assert lasting(release_table(rows, schema(spec)).receipt) == TABLE | {
        "neighbours": "two data sets of n rows that differ in one replaced row", "n": 2, "rows_per_person": None,
        "public": ["the number of rows n", WHOLE, *RULES],
    }  # fmt: skip
    question = TABLE["questions"][0] | {"epsilon_of_a_row": "1/4"}
    assert lasting(release_table(rows, schema(spec | {"person": "who", "rows_per_person": 2})).receipt) == TABLE | {
        "neighbours": "two data sets of n rows that differ in the rows of one person, at most 2, replaced", "n": 2,
        "rows_per_person": 2, "public": ["the number of rows n", WHOLE, *RULES], "questions": [question],
    }  # fmt: skip


def test_several_rows_a_person_are_checked_to_nine_digits(here):
    spec = {"epsilon": "1", "margins": [1, 2], "person": "who", "rows_per_person": 3,
            "columns": {"v": {"categories": ["a", "b"]}, "w": {"categories": ["c", "d"]}}}  # fmt: skip
    rows = pd.DataFrame({"who": list("aab"), "v": list("aba"), "w": list("ccd")})
    receipt = release_table(rows, schema(spec), out="out").receipt
    epsilons = [Fraction(1, 3) * Fraction(one["epsilon"]) for one in receipt["questions"]]  # of a row, by hand
    margins = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(conclusions, "given_margins", lambda *given, **how: margins.extend(given[3]))
        joint_table([receipt], np.random.default_rng(1))
    assert [one.epsilon for one in margins] == pytest.approx(list(map(float, epsilons)), rel=1e-15)
    table = json.loads((here / "out" / "posterior.json").read_text())
    for change in (0, 1e-11, 1e-6):
        table["questions"][2]["given_the_noise"][1]["mean"] *= 1 + change
        (here / "out" / "posterior.json").write_bytes(as_json(table))
        assert [finding.agrees for finding in check_release("out")[:2]] == [True, change < 1e-6]


def test_releases_of_unequal_price_are_put_together(here):
    """Each at its own price; those of two data sets are refused."""
    first, second = (release([*"aabbb"], ["a", "b"], [1, 2], price, budget="b.db", limit=9, data_set="spring").receipt
                     for price in ("1/2", "2"))  # fmt: skip
    near = [[min(max(z, 0), 5) for z in one["noisy"]] for one in (first, second)]
    by_hand = given_releases([1, 2], 5, [Noisy(near[0], 0.5), Noisy(near[1], 2.0)])
    joint = joint_posterior([first, second])
    assert [one.mean for one in joint.shares] == pytest.approx([one.mean for one in by_hand.shares], rel=1e-13)
    other = release(list("aabbb"), ["a", "b"], [1, 2], 1, budget="b.db", limit=9, data_set="autumn").receipt
    with pytest.raises(ValueError, match="releases must have the same data set"):
        joint_posterior([first, other])


ONE = 'epsilon = "1"\nmargins = [1]\n[columns.a]\n'
CUT = "[columns.a]\ncuts = [1]"
ASKED = 'epsilon = "1"\n[[questions]]\n'
SCHEMAS = {
    "no TOML": ("epsilon = ", "schema must be a TOML file"),
    "another encoding": ("# é", "schema must be a TOML file of UTF-8 text"),
    "no columns": ('epsilon = "1"\nmargins = [1]', "columns must be declared"),
    "no questions": ('epsilon = "1"\n' + CUT, "questions must be asked"),
    "no budget": ("margins = [1]\n" + CUT, "epsilon must be given for lattice_laplace"),
    "a budget that is no number": ("epsilon = nan\nmargins = [1]\n" + CUT, "epsilon must be an exact"),
    "a word unknown": ('epsilon = "1"\nmargin = [1]\n' + CUT, "schema must have no keys but"),
    "a word unknown of a column": (ONE + 'cut = [1]', "column a: it must have no keys but"),
    "cuts and categories": (ONE + 'cuts = [1]\ncategories = ["x", "y"]', "column a: it must have categories or cuts"),
    "cuts that do not ascend": (ONE + 'cuts = [2, 2]', "column a: cuts must be"),
    "no cuts": (ONE + 'cuts = []', "column a: cuts must be"),
    "one category": (ONE + 'categories = ["x"]', "column a: categories must be"),
    "categories alike": (ONE + 'categories = [1, "1"]', "at least two labels that differ as text"),
    "a rule that is no category": (ONE + 'categories = ["x", "y"]\nmissing = "no"', "column a: missing must be"),
    "a category for missing values": (
        ONE + 'categories = ["x", "y"]\nmissing = "drop"\nblank = ["y"]', "column a: blank must contain no category"),
    "blanks that are no list": (ONE + 'cuts = [1]\nblank = "NA"', "column a: blank must be a list"),
    "a blank that is a float": (ONE + 'cuts = [1]\nblank = [1.5]', "column a: blank must be a list"),
    "a blank that is empty": (ONE + 'cuts = [1]\nblank = [""]', "column a: blank must be a list"),
    "a margin too wide": ('epsilon = "1"\nmargins = [2]\n' + CUT, "margins must be numbers of"),
    "margins of texts": ('epsilon = "1"\nmargins = ["1"]\n' + CUT, "margins must be a list of"),
    "a share that is no number": (ASKED + 'columns = ["a"]\nshare = inf\n' + CUT, "share must be"),
    "a column undeclared": (ASKED + 'columns = ["b"]\n' + CUT, "questions must be about different declared columns"),
    "a question twice": ('epsilon = "1"\nmargins = [1]\n[[questions]]\ncolumns = ["a"]\n' + CUT, "questions must be"),
    "shares that do not add up": (ASKED + 'columns = ["a"]\nshare = "1/2"\n' + CUT, "shares must add up to 1"),
    "shares that sell the budget twice": (
        ASKED + 'columns = ["a"]\nshare = "1"\n[[questions]]\ncolumns = ["b"]\nshare = "1"\n'
        "[columns.a]\ncuts = [1]\n[columns.b]\ncuts = [1]", "shares must add up to 1"),
    "a prior too short": (ASKED + 'columns = ["a"]\nprior = [1]\n' + CUT, "question a: prior must"),
    "owners without a name": (
        'epsilon = "1"\nmargins = [1]\nrows_per_person = 2\n' + CUT, "person must name the column"),
    "a table too large": (
        'epsilon = "1"\nmargins = [2]\n[columns.a]\ncuts = [%s]\n[columns.b]\ncuts = [%s]'
        % ((", ".join(map(str, range(40))),) * 2), "questions must have at most 1000 cells"),
    "a mechanism that is not drawn exactly": (
        'epsilon = "1"\nmargins = [1]\nmechanism = "ehd"\n' + CUT, "mechanism must be one of"),
}  # fmt: skip

DATA = {
    "an undeclared value": ("vote,age,town\nyes,1,1\nmaybe,1,1\n", "values of column vote must be one of the declared"),
    "no number": ("vote,age,town\nyes,old,1\n", "values of column age must be finite numbers"),
    "nan": ("vote,age,town\nyes,nan,1\n", "values of column age must be finite numbers"),
    "a missing value without a rule": ("vote,age,town\nyes,1,1\n,1,1\n", "vote must not be missing without a rule"),
    "a column that is not there": ("vote,age\nyes,1\n", "column must be the name of one column"),
    "no rows": ("vote,age,town\n", "data must contain at least one row"),
    "rows left out one and all": ("vote,age,town\nyes,,1\n", "data must contain at least one row"),
}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [("schema.toml", *one) for one in SCHEMAS.values()] + [("data.csv", *one) for one in DATA.values()],
    ids=[*SCHEMAS, *(f"data: {case}" for case in DATA)],
)
def test_bad_schemas_and_data_are_refused_with_nothing_spent(name, content, message, here, capsys):
    (here / name).write_bytes(content.encode("latin-1"))
    before = sorted(here.iterdir())
    command = ["release", "data.csv", "--schema=schema.toml", "--out=out", "--budget=budget.db", "--limit=1"]
    assert message in error_line(capsys, *command)
    assert sorted(here.iterdir()) == before


def test_wrong_kinds_of_data_are_refused_with_the_right_call(here):
    asked = read_schema("schema.toml")
    with pytest.raises(TypeError, match=r"data must be .* for one column, use release"):
        release_table([["yes", 1, 1]], asked)
    with pytest.raises(ValueError, match="column must be the name of one column, of vote, age"):
        release_table(frame()[["vote", "age"]], asked)
    with pytest.raises(ValueError, match=r"values of column vote must be one of .* in row 4"):
        release_table(frame().replace("unsure", "perhaps"), asked)


def test_conclusions_from_receipts_are_those_of_all_releases(here, capsys):
    asked = read_schema("schema.toml")
    for out in ("one", "two"):
        release_table("data.csv", asked, out=out)
        release(["a", "b", "b"], ["a", "b"], [1, 1], "1/2", out=f"{out}-column")
    assert main(["conclude", "one", "two", "--columns", "vote,town", "--difference", "yes, 1;no, 2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    assert lines[-1].startswith("yes, 1 minus no, 2: ")
    assert main(["conclude", "one-column", "two-column", "--ratio", "a,b", "--difference", "b,a"]) == 0
    joint = joint_posterior(["one-column", "two-column"])
    lines = capsys.readouterr().out.splitlines()
    assert main(["conclude", "one-column", "two-column", "--ratio", "a,b", "--difference", "b,a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["mean"] for one in found["shares"]] == [share.mean for share in joint.shares]
    assert lines[2].startswith(f"b minus a: {found['differences'][0]['mean']:.4g} (by draws")
    assert lines[3].startswith(f"a over b: median {found['ratios'][0]['median']:.4g}, 95 % between")
    assert lines[0].startswith(f"a: share {joint.shares[0].mean:.4g}, 95 % between")
    assert [line.split(":")[0] for line in lines] == ["a", "b", "b minus a", "a over b"]
    for arguments, message in (
        (["one", "two"], "columns must be those of one question, "),
        (["one-column", "--columns", "vote"], "columns must be omitted"),
        (["one", "one-column", "--columns", "vote"], "releases must have the same n"),
        (["one-column", "--ratio", "a,c"], "must be of two shares with ',' between them, of a, b, got 'a,c'"),
        (["one-column", "--given", "a"], "--given must be some but not all of the columns, of a question about"),
        (["one", "--columns", "vote,town", "--given", "vote,town"], "of the columns, of vote, town, got 'vote,town'"),
        (["one", "--columns", "vote,town", "--ratio", "yes,no"], "two shares with ';' between them, of yes, 1; yes, 2"),
    ):
        assert failed(["conclude", *arguments]) == 1
        assert message in capsys.readouterr().err
    turned = json.loads((here / "two" / "receipt.json").read_text())
    for part in turned["questions"]:
        part["columns"].reverse()
    with pytest.raises(ValueError, match="cells and categories are inconsistent"):
        joint_posterior([turned], columns=["vote", "town"])
    for part in turned["questions"]:
        lists = (map(str, turned["columns"][name]["categories"]) for name in part["columns"])
        part["cells"] = [", ".join(cell) for cell in itertools.product(*lists)]
    for other, message in (("one", "releases must have the same columns"), ("two", "got one twice")):
        with pytest.raises(ValueError, match=message):
            joint_posterior([other, turned], columns=["vote", "town"])
    release(["a", "b", "b", "b"], ["a", "b"], [1, 1], "1/2", out="other")
    assert failed(["conclude", "one-column", "other"]) == 1
    assert "releases must have the same n" in capsys.readouterr().err


def test_shares_within_a_category_are_those_of_the_draws(here, capsys):
    release_table("data.csv", read_schema("schema.toml"), out="one")
    theta = joint_posterior(["one"], columns=["town", "vote"]).draws(np.random.default_rng(1), 20_000).reshape(-1, 3, 2)
    within = theta / theta.sum(axis=1, keepdims=True)
    command = ["conclude", "one", "--columns", "town,vote", "--given", "town"]
    assert main([*command, "--difference", "yes, 1;yes, 2", "--ratio", "no, 1;yes, 1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "shares within each town:"
    for line, cell in zip(lines[1:7], itertools.product(range(3), range(2)), strict=True):
        low, high = np.quantile(within[:, *cell], [0.025, 0.975])
        assert f": share {within[:, *cell].mean():.4g} (by draws, ± " in line
        assert line.endswith(f"95 % between {low:.4g} and {high:.4g}")
    assert lines[7].startswith(f"yes, 1 minus yes, 2: {(within[:, 0, 0] - within[:, 0, 1]).mean():.4g} (by draws")
    assert lines[8].startswith(f"no, 1 over yes, 1: median {np.median(within[:, 1, 0] / within[:, 0, 0]):.4g}, 95 % ")


def test_all_questions_of_a_table_at_once(here, capsys, recwarn):
    asked = read_schema("schema.toml")
    release_table("data.csv", asked, out="one")
    release_table("data.csv", asked, out="two")
    told_of = ["conclude", "one", "two", "--together", "--columns", "vote,age", "--draws", "200", "--sweeps", "8"]
    assert main([*told_of, "--difference", "yes, below 40;no, below 40", "--synthetic", "rows.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    done = joint_table(["one"], np.random.default_rng(1), columns=["vote"], draws=100)
    for mixed, words in ((True, ""), (False, ": the chain has NOT MIXED, do not rely on these numbers")):
        sampled = replace(done.sampled, ratio=1.0 if mixed else 9.0, effective_draws=1e6)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(conclude, "joint_table", lambda *given, s=sampled, **how: done._replace(sampled=s))
            assert main(["conclude", "one", "--together", "--columns", "vote"]) == 0
        line = capsys.readouterr().out.splitlines()[0]
        assert line.endswith(f"ratio of variances {sampled.ratio:.3g}{words}")
    first = release_table("data.csv", asked)
    n = first.receipt["n"]
    assert lines[0].startswith("vote, age: 200 draws of ")
    assert "not used, since it is about other columns: town" in lines
    assert lines[-1].startswith(f"{n} synthetic rows in rows.csv: one draw of what new records could be; they describe")
    together = ["conclude", "one", "two", "--together", "--draws", "200", "--sweeps", "8", "--about", "town"]
    assert main([*together, "--columns", "vote,town"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[-2:]] == ["1", "2"]
    assert main([*together, "--about", "town,vote", "--given", "vote"]) == 0
    shares = [float(line.split()[3]) for line in capsys.readouterr().out.splitlines()[-6:]]
    assert [shares[i] + shares[i + 3] for i in range(3)] == pytest.approx([1] * 3, abs=2e-4)
    rows = (here / "rows.csv").read_text().splitlines()
    assert rows[0] == "synthetic_row,vote,age"
    assert len(rows) == n + 1
    for arguments, message in (
        (["one", "--synthetic", "x.csv"], "--synthetic must come with --together"),
        (["one", "--together", "--columns", "vote,height"], "columns must be a list of different ones of vote, age"),
    ):
        assert failed(["conclude", *arguments]) == 1
        assert message in capsys.readouterr().err


def test_a_budget_in_rho_pays_for_both_notions(here, capsys):
    """One in epsilon pays for pure privacy alone."""
    columns = {"vote": {"categories": ["yes", "no"]}, "town": {"categories": ["1", "2", "3"]}}
    spec = {"rho": "1/50", "mechanism": "discrete_gaussian", "margins": [1, 2], "columns": columns}
    asked = schema(spec)
    parts = np.array([float(question.price.amount) for question in asked.questions])
    cells = np.array([len(question.prior) for question in asked.questions])
    assert np.allclose(parts, 0.02 * np.sqrt(cells) / np.sqrt(cells).sum(), rtol=1e-3)  # least sum of K / rho
    people = pd.DataFrame({"vote": ["yes", "no"] * 6, "town": ["1", "2", "3"] * 4})
    done = release_table(people, asked, out="rho", budget="rho.db", limit="rho 1/10")
    assert done.receipt["guarantee"]["rho"] == "1/50"
    assert (done.receipt["budget"]["limit"], done.receipt["budget"]["spent"]) == ("rho 1/10", "rho 1/50")
    release(list(people["vote"]), ["yes", "no"], [1, 1], "2/5", out="pure", budget="rho.db")
    account = Budget(here / "rho.db").accounts()["records"]
    assert (account.spent, str(account.limit)) == (Fraction(1, 50) + Fraction(2, 25), "rho 1/10")
    assert main(["budget", "show", "rho.db", "--delta", "1e-6"]) == 0
    output = capsys.readouterr().out
    assert "records: rho 1/10 of rho 1/10 spent, rho 0 left" in output
    # the least rho of a pure epsilon is epsilon tanh(epsilon / 2), a little below the exact half of its square
    assert "in total rho 0.09895, or epsilon " in output
    assert main(["budget", "check", "rho.db", "rho", "pure"]) == 0
    with pytest.raises(ValueError, match="a release must cost at most rho 0"):
        release_table(people, asked, budget="rho.db")
    with pytest.raises(ValueError, match=r"at most rho 0, .* epsilon 1/2, which costs rho 1/8"):
        release(["yes"], ["yes", "no"], [1, 1], "1/2", budget="rho.db")
    with pytest.raises(ValueError, match="limit must be in rho"):
        release_table(people, asked, budget="epsilon.db", limit="1")
    assert not (here / "epsilon.db").exists()
    for change, message in (
        ({"mechanism": "geometric"}, "epsilon must be given for geometric"),
        ({"epsilon": "1"}, "rho must be given for discrete_gaussian, and nothing else"),
        ({"rho": math.nan}, "rho must be an exact number"),
        ({"rho": "11"}, "rho must be"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            schema(spec | change)


def spread(sizes, n, asked, epsilons, about):
    """The root of the mean posterior variance of the cells of the margins ``about``, by linear algebra.

    A normal posterior of the counts of all cells given all margins, from public sizes alone.
    """
    cells = math.prod(sizes)
    where = np.unravel_index(np.arange(cells), sizes)
    free = np.linalg.svd(np.ones((1, cells)))[2][1:].T  # the directions in which the sum of all counts stays

    def sums(margin):
        number = np.ravel_multi_index([where[axis] for axis in margin], [sizes[axis] for axis in margin])
        return np.eye(number.max() + 1)[number].T @ free

    decay = np.exp(-np.asarray(epsilons) / 2)
    noise = 2 * decay / (1 - decay) ** 2
    prior = n / cells * (cells + n) / (cells + 1)  # variance under a uniform prior, one for each cell
    told = sum(sums(one).T @ sums(one) / v for one, v in zip(asked, noise, strict=True))
    precision = np.eye(cells - 1) / prior + told
    covariance = np.linalg.inv(precision)
    return float(np.mean([np.diag(sums(one) @ covariance @ sums(one).T).mean() for one in about])) ** 0.5


def by_default(sizes, ways, epsilon):
    """What the library gives to each margin."""
    columns = {f"c{axis}": {"categories": list(range(size))} for axis, size in enumerate(sizes)}
    asked = schema({"epsilon": epsilon, "margins": ways, "columns": columns}).questions
    margins = [tuple(int(name[1:]) for name in question.columns) for question in asked]
    return margins, np.array([float(question.price.amount) for question in asked])


def test_the_widest_margins_alone_leave_a_quarter_less_spread():
    sizes, n, epsilon = (3, 3, 2, 4), 2000, "1"
    asked, epsilons = by_default(sizes, [2], epsilon)
    nested = spread(sizes, n, *by_default(sizes, [1, 2], epsilon), asked)
    assert 1.2 < nested / spread(sizes, n, asked, epsilons, asked) < 1.4  # the guide says a quarter


def test_progress_of_a_table_is_checked_before_the_charge(tmp_path):
    """It is that of all questions."""
    asked, calls = {"out": tmp_path / "out", "budget": tmp_path / "b.db", "limit": 2}, []
    with pytest.raises(TypeError, match="progress must be True, False or a function"):
        release_table(frame(), schema(tomllib.loads(SCHEMA)), **asked, progress="yes")
    assert not any(tmp_path.iterdir())  # neither a charge nor a folder
    release_table(
        frame(), schema(tomllib.loads(SCHEMA)), **asked, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(done, 6) for done in range(1, 7)]
