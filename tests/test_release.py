"""Private releases, as a user meets them: what comes out, what is refused, and what a stop at any step leaves."""

import json
import os
import subprocess
import sys
import textwrap
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from checkouts import failed
from dpbi import MECHANISMS, audit
from dpbi.cli import main
from dpbi.inference import given_noise
from dpbi.publish import read_account, read_column, receipts, releasable, release, spend

RECORDS = ["yes"] * 3 + ["no"] * 6 + ["unsure"]
LABELS = ["yes", "no", "unsure"]
CSV = "name,answer\n" + "".join(f"person {i},{value}\n" for i, value in enumerate(RECORDS))


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(CSV)
    return tmp_path


def command(*extra, **options):
    given = {"column": "answer", "categories": "yes,no,unsure", "prior": "1,1,1", "epsilon": "1/2", "out": "out"}
    given.update(options)
    return ["release", "data.csv", *extra, *(word for name, value in given.items() if value is not None
                                             for word in [f"--{name}={value}"])]  # fmt: skip


# What comes out


@pytest.mark.parametrize("mechanism", releasable())
def test_a_release_is_a_posterior_with_a_receipt(data, capsys, mechanism):
    in_rho = releasable()[mechanism].currency == "rho"  # 1/8 is what an epsilon of 1/2 is in rho
    assert main(command(mechanism=mechanism, **({"epsilon": None, "rho": "1/8"} if in_rho else {}))) == 0
    assert sorted(path.name for path in data.iterdir()) == ["data.csv", "out"]
    assert sorted(path.name for path in (data / "out").iterdir()) == ["posterior.json", "posterior.png", "receipt.json"]
    receipt = json.loads((data / "out" / "receipt.json").read_text())
    assert receipt["mechanism"] == mechanism
    if in_rho:
        assert receipt["guarantee"]["notion"] == "zero-concentrated differential privacy"
        assert receipt["guarantee"]["rho"] == "1/8"
    else:
        assert receipt["guarantee"] == {"notion": "pure differential privacy", "epsilon": "1/2"}
    assert "replaced record" in receipt["neighbours"]
    assert (receipt["n"], receipt["categories"], receipt["prior"]) == (10, LABELS, [1.0, 1.0, 1.0])
    assert receipt["budget"] is None
    assert receipt["library"]["dpbi"]
    assert any("number of records" in entry for entry in receipt["public"])
    assert any("in which category" in entry for entry in receipt["private"])
    table = json.loads((data / "out" / "posterior.json").read_text())
    assert table["concentrations"] == [1 + count for count in receipt["counts"]]
    shares = given_noise([1, 1, 1], 10, receipt["noisy"], 0.5, mechanism)
    for said, share in zip(table["given_the_noise"], shares, strict=True):
        assert said["mean"] == pytest.approx(share.mean, rel=1e-12)
        assert said["intervals"]["0.95"] == pytest.approx(share.interval(0.95), rel=1e-9)
    assert sum(said["mean"] for said in table["given_the_noise"]) == pytest.approx(1)
    assert (data / "out" / "posterior.png").read_bytes().startswith(b"\x89PNG")
    told = capsys.readouterr()
    assert told.err == ""
    assert f"{mechanism}, {'rho 1/8' if in_rho else 'epsilon 1/2'}, 10 records" in told.out


def test_nothing_in_the_folder_tells_the_true_counts(data):
    # with noise that is certain to be large, no number in any file is one of the records'
    assert main(command(epsilon="1/100000")) == 0
    receipt = json.loads((data / "out" / "receipt.json").read_text())
    assert {"noisy", "counts"} == {name for name, value in receipt.items() if isinstance(value, list)
                                   and all(isinstance(entry, int) for entry in value)}  # fmt: skip
    assert receipt["noisy"] != [3, 6, 1]
    for path in (data / "out").iterdir():
        assert b"person" not in path.read_bytes()


@pytest.mark.parametrize("mechanism", [name for name, entry in releasable().items() if entry.currency == "epsilon"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("epsilon", ["1/10", "1/2", "3"])
def test_the_audit_of_what_is_released_equals_its_promise(mechanism, k, epsilon):
    e = float(Fraction(epsilon))
    assert audit(MECHANISMS[mechanism].at(e), [1.0] * k, 6).epsilon == pytest.approx(e, rel=1e-12)
    assert release(RECORDS[: 3 * k], LABELS[:k], [1] * k, epsilon, mechanism).receipt["guarantee"]["epsilon"] == epsilon


def test_values_can_be_any_labels_and_come_from_any_sequence():
    for values in (
        [0, 1, 1, 1],
        np.array([0, 1, 1, 1]),
        np.array([0.0, 1, 1, 1]),
        pd.Series([False, True, True, True]),
    ):
        done = release(values, [0, 1], [0.5, 0.5], Fraction(1, 3))
        assert done.receipt["n"] == 4
        assert sum(done.counts) == 4
        assert done.posterior.sum() == pytest.approx(5)
    assert release(iter("aab"), ["a", "b", "never seen"], [1, 1, 1], 1).receipt["categories"] == [
        "a",
        "b",
        "never seen",
    ]


def test_epsilon_is_exact():
    for text, exact in (("0.1", "1/10"), ("1/3", "1/3"), (" 2 ", "2"), ("1e-3", "1/1000"), (Fraction(7, 9), "7/9")):
        assert release(list("ab"), ["a", "b"], [1, 1], text).receipt["guarantee"]["epsilon"] == exact


def test_missing_values_follow_the_rule_that_is_given():
    values = ["a", None, "b", "", "b", float("nan")]
    dropped = release(values, ["a", "b"], [1, 1], 1, missing="drop").receipt
    assert dropped["n"] == 3
    assert any("left out" in entry for entry in dropped["public"])
    counted = release(values, ["a", "b", "none"], [1, 1, 1], 1, missing="none").receipt
    assert counted["n"] == 6
    assert any("counted as none" in entry for entry in counted["public"])
    assert release(pd.Series(["a", pd.NA, "b"]), ["a", "b"], [1, 1], 1, missing="drop").receipt["n"] == 2


def test_a_column_is_read_as_text_without_blanks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('\ufeffa, b\n1, x\n"2,5", y \n\n3,\n', "utf-8")
    assert list(read_column(path, "a")) == ["1", "2,5", "3"]
    assert list(read_column(path, "b")) == ["x", "y", ""]


# What is refused: one line, nothing written, nothing spent

REFUSED = {
    "an undeclared value": (lambda: command(categories="yes,no,maybe"), "values must be one of the declared"),
    "a missing value": (lambda: command(column="gap"), "values must not be missing without a rule"),
    "a rule that is no category": (lambda: command(missing="other"), "missing must be 'drop' or a declared category"),
    "an empty column": (lambda: command(column="void", missing="drop"), "values must hold at least one record"),
    "a column that is not there": (lambda: command(column="answers"), "column must be the name of one column, of name"),
    "epsilon 0": (lambda: command(epsilon="0"), "epsilon must be an exact number > 0 and <= 20"),
    "epsilon below 0": (lambda: command(epsilon="-1/2"), "epsilon must be an exact number"),
    "epsilon too large": (lambda: command(epsilon="21"), "epsilon must be an exact number"),
    "epsilon no number": (lambda: command(epsilon="half"), "epsilon must be an exact number"),
    "epsilon nan": (lambda: command(epsilon="nan"), "epsilon must be an exact number"),
    "epsilon over zero": (lambda: command(epsilon="1/0"), "epsilon must be an exact number"),
    "epsilon with too many digits": (lambda: command(epsilon="1e9999999999"), "epsilon must be an exact"),
    "epsilon below all": (lambda: command(epsilon="1e-10"), "epsilon must be at least 1e-09"),
    "over budget": (lambda: command(epsilon="3/4", budget="budget.json"), "epsilon must be at most 1/2, what is left"),
    "another limit": (lambda: command(budget="budget.json", limit="5"), "limit must be 2, with which budget.json"),
    "a budget without a limit": (lambda: command(budget="new.json"), "limit must be given when the budget file"),
    "a limit without a budget": (lambda: command(limit="2"), "limit must come with a budget file, got limit=2 and"),
    "a name without one": (lambda: command(**{"data-set": "x"}), "come with a budget file, got data='x' and no budget"),
    "a broken budget file": (lambda: command(budget="data.csv"), "budget must be a file that dpbi wrote, got data.csv"),
    "a budget file nowhere": (lambda: command(budget="no/b.json", limit="1"), "budget must be a file in a folder"),
    "an output that exists": (lambda: command(out="old"), "out must not exist, unless it is to be replaced"),
    "a budget that is a folder": (lambda: command(budget="old", limit="1"), "budget must be a file in a folder"),
    "a budget file in the output": (
        lambda: command("--force", out="kept", budget="kept/budget.json"),
        "out must hold an earlier release alone to be replaced",
    ),
    "an output that is no release": (lambda: command("--force", out="mine"), "out must be an earlier release"),
    "an output nowhere": (lambda: command(out="no/out"), "out must be in a folder that exists"),
    "ehd": (lambda: command(mechanism="ehd"), "mechanism must be one of lshist, geometric, staircase,"),
    "epsilon for Gaussian noise": (
        lambda: command(mechanism="discrete_gaussian"),
        "rho must be given for discrete_gaussian, and nothing else, got epsilon",
    ),
    "rho for pure noise": (lambda: command(epsilon=None, rho="1/8"), "epsilon must be given for lattice_laplace"),
    "epsilon and rho": (lambda: command(rho="1/8"), "nothing else, got epsilon and rho"),
    "a rho of no privacy": (
        lambda: command(mechanism="discrete_gaussian", epsilon=None, rho="11"),
        "rho must be an exact number > 0",
    ),
    "a limit in nothing": (lambda: command(budget="budget.json", limit="delta 1"), "limit must be an exact number"),
    "a limit of rho alone": (lambda: command(budget="budget.json", limit="rho"), "limit must be an exact number"),
    "rho from a limit in epsilon": (
        lambda: command(mechanism="discrete_gaussian", epsilon=None, rho="1/8", budget="budget.json"),
        "what costs rho 1/8 needs a limit in rho",
    ),
    "a mechanism unknown": (lambda: command(mechanism="laplace"), "mechanism must be one of"),
    "one category": (lambda: command(categories="yes", prior="1"), "categories must be at least two different labels"),
    "a category twice": (lambda: command(categories="yes,no,yes"), "categories must be at least two different labels"),
    "a prior too short": (lambda: command(prior="1,1"), "prior must have one number for each of the 3 categories"),
    "a prior of zero": (lambda: command(prior="1,0,1"), "prior must be k >= 2 finite numbers > 0"),
    "a prior of nothing": (lambda: command(prior="1,1e-300,1", budget="budget.json"), "prior must be numbers >= 1e-09"),
    "a prior beyond counting": (lambda: command(prior="1,1,1e300", budget="budget.json"), "prior must be numbers"),
    "a file of other letters": (lambda: ["release", "latin.csv", *command()[2:]], "data must be a file of UTF-8 text"),
    "a field without an end": (lambda: ["release", "long.csv", *command()[2:]], "data must be a CSV file"),
    "a row with too many fields": (lambda: ["release", "wide.csv", *command()[2:]], "data must have as many fields"),
    "a blank line in the only column": (lambda: ["release", "gap.csv", *command()[2:]], "values must not be missing"),
    "two columns of that name": (lambda: ["release", "two.csv", *command()[2:]], "column must be the name of one"),
    "a prior of words": (lambda: command(prior="flat"), "prior must be numbers with commas"),
    "a file that is not there": (lambda: ["release", "none.csv", *command()[2:]], "none.csv"),
}  # fmt: skip


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_one_line_with_nothing_written_or_spent(case, data, capsys):
    rows = [f"person {i},{value},{value if i else ''}," for i, value in enumerate(RECORDS)]
    (data / "data.csv").write_text("\n".join(["name,answer,gap,void", *rows]) + "\n")
    (data / "latin.csv").write_bytes("answer\nno\nné\n".encode("latin-1"))
    (data / "long.csv").write_text("answer\n" + "y" * 200_000 + "\n")
    (data / "wide.csv").write_text("answer,name\nyes,a,b\n")
    (data / "gap.csv").write_text("answer\nyes\n\nno\n")
    (data / "two.csv").write_text("answer,answer\nyes,no\n")
    for name in ("old", "mine", "kept"):
        (data / name).mkdir()
    (data / "kept" / "receipt.json").write_text("{}")
    spend(data / "kept" / "budget.json", Fraction(1, 2), Fraction(2), {})
    (data / "old" / "receipt.json").write_text("{}")
    (data / "mine" / "thesis.txt").write_text("years of work")
    spend(data / "budget.json", Fraction(3, 2), Fraction(2), {"mechanism": "geometric"})
    before = contents(data)
    arguments, message = REFUSED[case]
    assert failed(arguments()) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert message in told.err
    assert contents(data) == before


def test_wrong_kinds_of_things_are_type_errors():
    with pytest.raises(TypeError, match=r"epsilon must be an exact number > 0 and <= 20.* got epsilon=0\.5"):
        release(list("ab"), ["a", "b"], [1, 1], 0.5)
    with pytest.raises(TypeError, match="epsilon must be"):
        release(list("ab"), ["a", "b"], [1, 1], True)
    with pytest.raises(TypeError, match="categories must be a sequence"):
        release(list("ab"), "ab", [1, 1], 1)
    with pytest.raises(TypeError, match=r"values must be single labels.* in row 1"):
        release([["a"], ["b"]], ["a", "b"], [1, 1], 1)
    with pytest.raises(ValueError, match="epsilon must be an exact number"):
        release(list("ab"), ["a", "b"], [1, 1], Fraction(10**5000 + 1, 10**5000))


@pytest.mark.parametrize("failing", ["_summary", "given_noise", "_picture"])
def test_what_cannot_be_finished_fails_before_anything_is_spent(data, monkeypatch, capsys, failing):
    # the rehearsal runs all but the drawing: a share without quantiles cost its epsilon once
    def broken(*arguments, **options):
        raise ArithmeticError("no quantile")

    monkeypatch.setattr(receipts, failing, broken)
    with pytest.raises(ArithmeticError):
        release(RECORDS, LABELS, [1, 1, 1], "1/2", out="out", budget="budget.json", limit=1)
    assert sorted(path.name for path in data.iterdir()) == ["data.csv"]


def test_labels_may_hold_any_letters(data, capsys, recwarn):
    labels = ["$\\foo$", "née", "日本", "n" * 3000]
    (data / "data.csv").write_text(
        "answer\n" + "".join(f"{label}\n" for label in ("$\\foo$", "ne\u0301e", "日本")), "utf-8"
    )
    assert main(command(categories=",".join(labels), prior="1,1,1,1")) == 0
    assert capsys.readouterr().err == ""
    assert not recwarn.list
    assert json.loads((data / "out" / "receipt.json").read_text("utf-8"))["categories"] == labels


def test_a_link_to_an_earlier_release_is_followed(data):
    assert main(command()) == 0
    (data / "out").rename(data / "real")
    (data / "out").symlink_to(data / "real")
    assert main(command("--force")) == 0
    assert (data / "out").is_symlink()
    assert sorted(path.name for path in (data / "real").iterdir()) == [
        "posterior.json",
        "posterior.png",
        "receipt.json",
    ]


# The budget


BROKEN = [
    "",
    "{}",
    "[]",
    "null",
    '{"limit": "2", "spent": 5}',
    '{"limit": "2", "spent": ["x"]}',
    '{"limit": 2.5, "spent": []}',
    '{"limit": "1e999999999", "spent": []}',
    '{"limit": "2", "spent": [{"epsilon": "-1"}]}',
    '{"limit": "2", "spent": [',
    '{"journal": 1, "entries": [{}], "waiting": {}}',
    '{"journal": 1, "entries": [], "waiting": {"a": {"receipt": {}}}}',
    "[" * 100_000,
    "\x00",
]


@pytest.mark.parametrize("content", BROKEN)
def test_a_budget_file_that_is_not_whole_is_refused_and_left_alone(data, capsys, content):
    (data / "budget.json").write_text(content)
    assert failed(command(budget="budget.json")) == 1
    assert capsys.readouterr().err.startswith("dpbi: budget must be a file that dpbi wrote, got budget.json")
    assert (data / "budget.json").read_text() == content
    assert not (data / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs flock")
def test_a_budget_that_another_process_holds_is_not_waited_for_without_end(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr("dpbi.publish.journal.PATIENCE", 0.1)
    with open(tmp_path / "held", "w"):
        handle = os.open(tmp_path, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match="another process has held"):
            spend(tmp_path / "budget.json", Fraction(1), Fraction(2), {})
        os.close(handle)
    assert not (tmp_path / "budget.json").exists()
    assert spend(tmp_path / "budget.json", Fraction(1), Fraction(2), {}).spent == 1


def test_a_budget_adds_up_and_ends(data, capsys):
    for number in range(4):
        assert main(command(out=f"out{number}", budget="budget.json", limit="2")) == 0
        assert read_account(data / "budget.json").spent == Fraction(number + 1, 2)
        receipt = json.loads((data / f"out{number}" / "receipt.json").read_text())
        assert receipt["budget"] == {"limit": "2", "spent": str(Fraction(number + 1, 2))}
    assert failed(command(out="out4", budget="budget.json")) == 1
    assert "epsilon must be at most 0, what is left in budget.json" in capsys.readouterr().err
    assert not (data / "out4").exists()
    entries = read_account(data / "budget.json").entries
    assert [entry["epsilon"] for entry in entries] == ["1/2"] * 4
    assert {entry["mechanism"] for entry in entries} == {"lattice_laplace"}


def test_what_is_left_is_exact(tmp_path):
    path = tmp_path / "budget.json"
    for _ in range(10):
        spend(path, Fraction("0.1"), Fraction(1), {})
    assert read_account(path).spent == 1  # ten times 0.1 in doubles is not
    with pytest.raises(ValueError, match="epsilon must be at most 0"):
        spend(path, Fraction(1, 10**30), None, {})


def test_a_link_to_a_budget_file_is_the_same_budget(tmp_path):
    spend(tmp_path / "budget.json", Fraction(1), Fraction(2), {})
    (tmp_path / "link.json").symlink_to(tmp_path / "budget.json")
    spend(tmp_path / "link.json", Fraction(1), None, {})
    assert (tmp_path / "link.json").is_symlink()
    assert read_account(tmp_path / "budget.json").spent == 2


def test_what_cannot_be_drawn_is_not_charged(data, monkeypatch, capsys):
    def broken(*arguments):
        raise OSError("no entropy")

    monkeypatch.setattr("dpbi.mechanisms.integer_noise.randbelow", broken)
    assert failed(command(budget="budget.json", limit="1")) == 1
    assert capsys.readouterr().err == "dpbi: no entropy\n"
    assert sorted(path.name for path in data.iterdir()) == ["data.csv"]


def test_processes_at_the_same_time_do_not_overspend(tmp_path):
    script = textwrap.dedent("""
        import sys
        from fractions import Fraction
        from pathlib import Path
        from dpbi.publish import spend
        paid = 0
        for _ in range(20):
            try:
                spend(Path(sys.argv[1]), Fraction(1, 10), Fraction(3), {})
                paid += 1
            except ValueError:
                pass
        print(paid)
    """)
    path = tmp_path / "budget.json"
    running = [subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE) for _ in range(3)]
    paid = [int(process.communicate()[0]) for process in running]
    assert all(process.returncode == 0 for process in running)
    assert sum(paid) == 30
    assert len(read_account(path).entries) == 30


def test_an_earlier_release_is_replaced_when_asked(data):
    assert main(command()) == 0
    (data / "out" / "receipt.json").write_text('{"old": true}')
    assert failed(command()) == 1
    assert main(command("--force")) == 0
    assert "old" not in json.loads((data / "out" / "receipt.json").read_text())
    assert sorted(path.name for path in data.iterdir()) == ["data.csv", "out"]
