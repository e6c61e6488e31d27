"""Private releases as users meet them: the output, rejected input, and the state after each interruption."""

import json
import sqlite3
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from checkouts import error_line, failed
from dpbi.cli import main
from dpbi.inference import given_noise
from dpbi.publish import Budget, receipts, releasable, release

RECORDS = ["yes"] * 3 + ["no"] * 6 + ["unsure"]
LABELS = ["yes", "no", "unsure"]
FILES = {"data.csv": "name,answer\n" + "".join(f"person {i},{value}\n" for i, value in enumerate(RECORDS))}


def command(*extra, **options):
    given = {"column": "answer", "categories": "yes,no,unsure", "prior": "1,1,1", "epsilon": "1/2", "out": "out"}
    given.update(options)
    extra = extra if "budget" in given else (*extra, "--no-budget")
    return ["release", "data.csv", *extra, *(word for name, value in given.items() if value is not None
                                             for word in [f"--{name}={value}"])]  # fmt: skip


@pytest.mark.parametrize("mechanism", releasable())
def test_a_release_is_a_posterior_with_a_receipt(drawn, capsys, mechanism):
    in_rho = releasable()[mechanism].currency == "rho"  # 1/8 is what an epsilon of 1/2 is in rho
    assert main(command(mechanism=mechanism, **({"epsilon": None, "rho": "1/8"} if in_rho else {}))) == 0
    assert sorted(path.name for path in drawn.iterdir()) == ["data.csv", "out"]
    assert sorted(path.name for path in (drawn / "out").iterdir()) == sorted(receipts.FILES)
    receipt = json.loads((drawn / "out" / "receipt.json").read_text())
    assert receipt["mechanism"] == mechanism
    notion = "zero-concentrated differential privacy" if in_rho else "pure differential privacy"
    assert receipt["guarantee"] == {"notion": notion} | ({"rho": "1/8"} if in_rho else {"epsilon": "1/2"})
    assert receipt["library"]["dpbi"]
    table = json.loads((drawn / "out" / "posterior.json").read_text())
    assert table["concentrations"] == [1 + count for count in receipt["counts"]]
    shares = given_noise([1, 1, 1], 10, receipt["noisy"], 0.5, mechanism)
    for one, share in zip(table["given_the_noise"], shares, strict=True):
        assert one["mean"] == pytest.approx(share.mean, rel=1e-12)
        assert one["intervals"]["0.95"] == pytest.approx(share.interval(0.95), rel=1e-9)
    assert sum(one["mean"] for one in table["given_the_noise"]) == pytest.approx(1)
    assert (drawn / "out" / "posterior.png").read_bytes().startswith(b"\x89PNG")
    captured = capsys.readouterr()
    assert captured.err == ""
    assert f"{mechanism}, {'rho 1/8' if in_rho else 'epsilon 1/2'}, 10 records" in captured.out
    assert main(["check", "out"]) == 0
    assert capsys.readouterr().out.count("agrees: ") == 3


def test_values_can_be_any_labels_and_come_from_any_sequence():
    for values in (
        [0, 1, 1, 1], np.array([0, 1, 1, 1]), np.array([0.0, 1, 1, 1]), pd.Series([False, True, True, True]),
    ):  # fmt: skip
        done = release(values, [0, 1], [0.5, 0.5], Fraction(1, 3))
        assert done.receipt["n"] == 4
        assert sum(done.counts) == 4
        assert done.posterior.sum() == pytest.approx(5)
    labels = ["a", "b", "never seen"]
    assert release(iter("aab"), labels, [1, 1, 1], 1).receipt["categories"] == labels


def test_epsilon_is_exact():
    with pytest.raises(ValueError, match="epsilon must be an exact number"):
        release(list("ab"), ["a", "b"], [1, 1], Fraction(10**5000 + 1, 10**5000))
    for text, exact in (
        (0.1, "1/10"), ("0.1", "1/10"), ("1/3", "1/3"), (" 2 ", "2"), ("1e-3", "1/1000"), (Fraction(7, 9), "7/9"),
    ):  # fmt: skip
        assert release(list("ab"), ["a", "b"], [1, 1], text).receipt["guarantee"]["epsilon"] == exact


# What is refused: one line, nothing written, nothing spent

REFUSED = {
    "an undeclared value": (lambda: command(categories="yes,no,maybe"), "values must be one of the declared"),
    "a missing value": (lambda: command(column="gap"), "values must not be missing without a rule"),
    "a rule that is no category": (lambda: command(missing="other"), "missing must be 'drop' or a declared category"),
    "an empty column": (lambda: command(column="void", missing="drop"), "data must contain at least one record"),
    "a column that is not there": (lambda: command(column="answers"), "column must be the name of one column, of name"),
    "no categories": (lambda: command(categories=None), "--categories must be given"),
    "no price": (lambda: command(epsilon=None), "epsilon must be given for lattice_laplace"),
    "a column beside a schema": (lambda: command(schema="s.toml"), "--column must not be given with --schema"),
    "a column when resuming": (lambda: command("--resume", budget="budget.db"), "DATA.csv must not be given with"),
    "no budget to resume from": (lambda: ["release", "--resume"], "--budget must be given"),
    "a budget without a name": (lambda: command(budget="", limit="1"), "budget must be a file in a folder that exists"),
    "epsilon 0": (lambda: command(epsilon="0"), "epsilon must be an exact number > 0 and <= 20"),
    "epsilon too large": (lambda: command(epsilon="21"), "epsilon must be an exact number"),
    "epsilon no number": (lambda: command(epsilon="half"), "epsilon must be an exact number"),
    "epsilon over zero": (lambda: command(epsilon="1/0"), "epsilon must be an exact number"),
    "epsilon with too many digits": (lambda: command(epsilon="1e9999999999"), "epsilon must be an exact"),
    "epsilon below all": (lambda: command(epsilon="1e-10"), "epsilon must be at least 1e-09"),
    "over budget": (lambda: command(epsilon="3/4", budget="budget.db"), "must cost at most epsilon 1/2, the amount"),
    "another limit": (lambda: command(budget="budget.db", limit="5"), "limit must be epsilon 2, the limit of"),
    "a budget without a limit": (lambda: command(budget="new.db"), "limit must be given when the data set"),
    "a limit without a budget": (lambda: command(limit="2"), "limit must come with a budget file"),
    "a name without one": (lambda: command(**{"data-set": "x"}), "data set must come with a budget file"),
    "a name of nothing": (lambda: command(budget="budget.db", **{"data-set": " "}), "data set must have a name"),
    "a broken budget file": (lambda: command(budget="data.csv"), "budget must be an SQLite file of dpbi"),
    "a budget file nowhere": (lambda: command(budget="no/b.json", limit="1"), "budget must be a file in a folder"),
    "an output that exists": (lambda: command(out="old"), "out must not exist, unless it is to be replaced"),
    "a budget that is a folder": (lambda: command(budget="old", limit="1"), "budget must be a file in a folder"),
    "a budget file in the output": (
        lambda: command("--force", out="kept", budget="kept/budget.db"),
        "out must contain only an earlier release",
    ),
    "an output that is no release": (lambda: command("--force", out="mine"), "out must contain only an earlier"),
    "an output nowhere": (lambda: command(out="no/out"), "out must be in a folder that exists"),
    "ehd": (lambda: command(mechanism="ehd"), "mechanism must be one of"),
    "epsilon for Gaussian noise": (
        lambda: command(mechanism="discrete_gaussian"),
        "rho must be given for discrete_gaussian",
    ),
    "rho for pure noise": (lambda: command(epsilon=None, rho="1/8"), "epsilon must be given for lattice_laplace"),
    "epsilon and rho": (lambda: command(rho="1/8"), "nothing else"),
    "a rho of no privacy": (
        lambda: command(mechanism="discrete_gaussian", epsilon=None, rho="11"),
        "rho must be an exact number > 0",
    ),
    "a limit in nothing": (lambda: command(budget="budget.db", limit="delta 1"), "limit must be an exact number"),
    "rho from a limit in epsilon": (
        lambda: command(mechanism="discrete_gaussian", epsilon=None, rho="1/8", budget="budget.db"),
        "limit must be in rho",
    ),
    "a category twice": (lambda: command(categories="yes,no,yes"), "categories must be at least two labels"),
    "a prior too short": (lambda: command(prior="1,1"), "prior must have one number for each"),
    "a prior of zero": (lambda: command(prior="1,0,1"), "prior must be k >= 2 finite numbers > 0"),
    "a prior of nothing": (lambda: command(prior="1,1e-300,1", budget="budget.db"), "prior must be numbers >= 1e-09"),
    "a prior beyond counting": (lambda: command(prior="1,1,1e140", budget="budget.db"), "prior must be numbers"),
    "a field without an end": (lambda: ["release", "long.csv", *command()[2:]], "data must be a CSV file"),
    "a blank line in the only column": (lambda: ["release", "gap.csv", *command()[2:]], "got none in line 3"),
    "two columns of that name": (lambda: ["release", "two.csv", *command()[2:]], "got 'answer', which 2 columns have"),
    "an empty file": (lambda: ["release", "empty.csv", *command()[2:]], "data must begin with a line of column names"),
    "a folder as data": (lambda: ["release", "mine", *command()[2:]], "mine: Is a directory"),
    "a file that is not there": (lambda: ["release", "none.csv", *command()[2:]], "none.csv: No such file"),
}  # fmt: skip


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_nothing_written_or_spent(case, here, capsys):
    rows = [f"person {i},{value},{value if i else ''}," for i, value in enumerate(RECORDS)]
    (here / "data.csv").write_text("\n".join(["name,answer,gap,void", *rows]) + "\n")
    (here / "long.csv").write_text("answer\n" + "y" * 200_000 + "\n")
    (here / "gap.csv").write_text("answer\nyes\n\nno\n")
    (here / "two.csv").write_text("answer,answer\nyes,no\n")
    (here / "empty.csv").touch()
    for name in ("old", "mine", "kept"):
        (here / name).mkdir()
    (here / "kept" / "receipt.json").write_text("{}")
    spend(here / "kept" / "budget.db", Fraction(1, 2), 2)
    (here / "old" / "receipt.json").write_text("{}")
    (here / "mine" / "thesis.txt").write_text("years of work")
    spend(here / "budget.db", Fraction(3, 2), 2)
    before = contents(here)
    arguments, message = REFUSED[case]
    assert message in error_line(capsys, *arguments())
    assert contents(here) == before


@pytest.mark.parametrize("failing", ["summary", "given_noise", "_picture"])
def test_what_cannot_be_finished_fails_before_anything_is_spent(drawn, monkeypatch, capsys, failing):
    # the rehearsal runs all but the drawing: a share without quantiles cost its epsilon once
    def broken(*arguments, **options):
        raise ArithmeticError("no quantile")

    monkeypatch.setattr(receipts, failing, broken)
    with pytest.raises(ArithmeticError):
        release(RECORDS, LABELS, [1, 1, 1], "1/2", out="out", budget="budget.db", limit=1)
    assert sorted(path.name for path in drawn.iterdir()) == ["data.csv"]


def test_labels_may_hold_any_letters(drawn, capsys, recwarn):
    labels = ["$\\foo$", "née", "日本", "n" * 3000]
    (drawn / "data.csv").write_text("\n".join(["answer", "$\\foo$", "ne\u0301e", "日本", ""]), "utf-8")
    assert main(command(categories=",".join(labels), prior="1,1,1,1")) == 0
    assert capsys.readouterr().err == ""
    assert not recwarn.list
    assert json.loads((drawn / "out" / "receipt.json").read_text("utf-8"))["categories"] == labels


def spend(path, epsilon, limit, data="records"):
    """Charge a data set by a release of its own."""
    return release(["yes", "no"], ["yes", "no"], [1, 1], epsilon, budget=path, limit=limit, data_set=data)


def spent(path, data="records"):
    return Budget(path).accounts()[data].spent


def of_another_program(path):
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE spent (epsilon REAL)")


def of_a_newer_version(path):
    spend(path, 1, 2)
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA user_version = 2")


def changed(what, *also):
    """Somebody changes the charge of a file."""

    def change(path):
        spend(path, 1, 2)
        with sqlite3.connect(path) as file:
            for statement in (f"UPDATE charge SET {what}", *also):
                file.execute(statement)

    return change


def cut_short(path):
    spend(path, 1, 2)
    path.write_bytes(path.read_bytes()[:5000])


ANOTHER = "got budget.db with the altered"
BROKEN = {
    "text": (lambda path: path.write_text("{}"), "file is not a database"),
    "another program": (of_another_program, "must be a file of dpbi of version 1"),
    "a newer version": (of_a_newer_version, "must be a file of dpbi of version 1, got budget.db of version 2"),
    "a charge that is no number": (changed("price = 'epsilon much'"), ANOTHER),
    "a charge of another price": (changed("price = 'epsilon 1/2'"), ANOTHER),
    "a receipt cut": (changed("receipt = ''"), ANOTHER),
    "a receipt without its price": (changed("receipt = json_remove(receipt, '$.guarantee')"), ANOTHER),
    "a charge of another id": (changed("id = '0'"), "got budget.db with the altered 0"),
    "a charge of a data set that is nowhere": (changed("data_set = 'nowhere'"), ANOTHER),
    "charges of a data set that is gone": (changed("written = 1", "DELETE FROM data_set"), ANOTHER),
    "a limit that is no number":
        (changed("written = 1", "UPDATE data_set SET \"limit\" = ''"), "limit must be an exact"),
    "nothing": (lambda path: path.touch(), "has lost what was spent"),
    "cut short": (cut_short, "got budget.db"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_budget_file_that_is_not_whole_is_refused(here, capsys, kind):
    """Or not ours; and it is left alone."""
    make, message = BROKEN[kind]
    make(here / "budget.db")
    before = (here / "budget.db").read_bytes()
    for arguments in (command(budget="budget.db", limit="2"), ["budget", "show", "budget.db"]):
        assert message in error_line(capsys, *arguments)
    assert (here / "budget.db").read_bytes() == before
    assert not (here / "out").exists()


def test_a_budget_that_another_process_holds_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("dpbi.publish.budget.PATIENCE", 0.1)
    spend(tmp_path / "budget.db", 1, 2)
    holder = sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(ValueError, match="database is locked"):
        spend(tmp_path / "budget.db", 1, None)
    holder.close()
    assert spent(tmp_path / "budget.db") == 1
    spend(tmp_path / "budget.db", 1, None)
    assert spent(tmp_path / "budget.db") == 2


def test_a_budget_adds_up_and_ends(here, capsys):
    for number in range(4):
        assert main(command(out=f"out{number}", budget="budget.db", limit="2")) == 0
        assert spent(here / "budget.db") == Fraction(number + 1, 2)
        budget = json.loads((here / f"out{number}" / "receipt.json").read_text())["budget"]
        assert (budget["limit"], budget["spent"]) == ("epsilon 2", f"epsilon {Fraction(number + 1, 2)}")
    assert failed(command(out="out4", budget="budget.db")) == 1
    assert "a release must cost at most epsilon 0, the amount left in budget.db" in capsys.readouterr().err
    assert not (here / "out4").exists()
    charges = Budget(here / "budget.db").accounts()["records"].charges
    assert [one.price for one in charges] == ["epsilon 1/2"] * 4
    assert {json.loads(one.receipt)["mechanism"] for one in charges} == {"lattice_laplace"}


def test_what_is_left_is_exact(tmp_path):
    path = tmp_path / "budget.db"
    for _ in range(10):
        spend(path, "0.1", 1)
    assert spent(path) == 1  # ten times 0.1 in doubles is not
    with pytest.raises(ValueError, match="must cost at most epsilon 0"):
        spend(path, "1e-9", None)


def test_a_link_to_a_budget_file_is_the_same_budget(tmp_path):
    spend(tmp_path / "budget.db", 1, 2)
    (tmp_path / "link.db").symlink_to(tmp_path / "budget.db")
    spend(tmp_path / "link.db", 1, None)
    assert (tmp_path / "link.db").is_symlink()
    assert spent(tmp_path / "budget.db") == 2


def test_an_earlier_release_is_replaced_when_asked(here):
    assert main(command()) == 0
    (here / "out" / "receipt.json").write_text('{"old": true}')
    assert failed(command()) == 1
    assert main(command("--force")) == 0
    assert "old" not in json.loads((here / "out" / "receipt.json").read_text())
    assert sorted(path.name for path in here.iterdir()) == ["data.csv", "out"]
