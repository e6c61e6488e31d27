"""What was paid for is never lost: stops at every step, journals, resumed releases, receipts that are checked."""

import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from checkouts import failed
from dpbi import files
from dpbi.cli import main
from dpbi.publish import check_release, journal, read_account, release, releases, resume, spend

FAULTS = Path(__file__).with_name("release_faults.py")
NAMES = ["posterior.json", "posterior.png", "receipt.json"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("v\na\nb\nb\nc\n")
    return tmp_path


def paid(out="out", **extra):
    asked = {"out": out, "budget": "budget.json", "limit": 1} | extra
    return release(list("abbc"), list("abc"), [1, 1, 1], "1/4", **asked)


def reports(tmp_path, *arguments):
    memory = Path("/dev/shm")  # where there is one, nobody waits for a disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        run = subprocess.run([sys.executable, FAULTS, folder, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


# A stop at any step


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("start", ["fresh", "replace"])
def test_a_stop_at_any_step_loses_nothing_that_was_paid(tmp_path, start):
    told = reports(tmp_path, start, "108")
    stopped = [report for report in told if report["code"] != 0]
    assert len(stopped) >= 100  # with both starts more than 200
    for report in told:
        assert report["charged"] in {"0", "1/4"}  # never twice
        assert report["spent in all"] == report["charged"]  # resuming is free
        if report["published"]:
            assert report["charged"] == "1/4"
        if report["charged"] == "1/4":
            assert report["released"]  # by then
            assert report["published"] or report["waiting"] == 1
            assert report["is what was paid"]
        else:
            assert not report["released"]
        assert report["earlier kept"]
        assert report["resumed"] == 0
        assert report["files"] in ([], NAMES)
        assert report["folder"] == ["budget.json", "data.csv", "out"]  # nothing else is left behind
        if report["charged"] == "1/4" and report["code"] != 0 and report["kind"] != "kill":
            assert "epsilon 1/4 of records is spent and nothing is lost" in report["said"]
            assert ("dpbi release --resume --budget" in report["said"]) == (report["waiting"] == 1)
    for kind in ("kill", "term", "interrupt", "full", "filled", "read-only"):
        before = {report["charged"] for report in stopped if report["kind"] == kind}
        assert before == {"0", "1/4"}  # stops on both sides of the charge
    codes = {"kill": -9, "term": 143, "interrupt": 130, "full": 1, "filled": 1, "read-only": 1}
    assert {(report["kind"], report["code"]) for report in stopped} == set(codes.items())


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_of_forty_at_once_against_a_limit_of_ten_ten_succeed_and_of_two_into_one_folder_one(tmp_path):
    forty, *pairs = reports(tmp_path, "crowd")
    assert forty == {"succeeded": 10, "spent": "5/2", "folders": 10}
    assert pairs == [{"succeeded": 1, "spent": "1/4", "folders": 1}] * 10


def stopped_after_the_charge(monkeypatch, **extra):
    def broken(*arguments):
        raise OSError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(releases, "put", broken)
        with pytest.raises(releases.Unfinished, match="is spent and nothing is lost"):
            paid(**extra)


def test_what_waits_is_finished_by_another_command_and_told(here, monkeypatch, capsys):
    stopped_after_the_charge(monkeypatch)
    assert main(["budget", "show", "budget.json"]) == 0
    shown = capsys.readouterr().out
    assert "records: 1/4 of 1 spent, 3/4 left" in shown
    assert "waits: dpbi release --resume --budget budget.json" in shown
    waiting = journal.read_journal(here / "budget.json").waiting
    (noisy,) = (one["receipt"]["noisy"] for one in waiting.values())
    with pytest.raises(ValueError, match="out must be another folder: a paid release waits"):
        paid()
    assert main(["release", "--resume", "--budget", "budget.json"]) == 0
    assert "1 finished, nothing spent" in capsys.readouterr().out
    assert json.loads((here / "out" / "receipt.json").read_text())["noisy"] == noisy
    assert main(["release", "--resume", "--budget", "budget.json"]) == 0
    assert "no release waits" in capsys.readouterr().out
    assert main(["budget", "show", "budget.json"]) == 0
    assert f"lattice_laplace  {here / 'out'}" in capsys.readouterr().out
    assert read_account(here / "budget.json").spent == Fraction(1, 4)


def test_a_folder_that_was_taken_meanwhile_is_left_alone_and_another_may_be_given(here, monkeypatch):
    stopped_after_the_charge(monkeypatch)
    (here / "out").mkdir()
    (here / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(releases.Unfinished, match=r"out must not exist.*is spent and nothing is lost"):
        resume("budget.json")
    (done,) = resume("budget.json", "elsewhere")
    assert [path.name for path in (here / "out").iterdir()] == ["thesis.txt"]
    assert json.loads((here / "elsewhere" / "receipt.json").read_text()) == done.receipt


def test_of_several_that_wait_one_is_chosen_by_its_folder(here, monkeypatch):
    for out in ("one", "two"):
        stopped_after_the_charge(monkeypatch, out=out)
    with pytest.raises(ValueError, match=r"out must be the folder of a paid release, one of .*one, .*two, got"):
        resume("budget.json", "three")
    assert len(resume("budget.json", "two")) == 1
    assert not (here / "one").exists()
    assert len(resume("budget.json")) == 1
    assert {path.name for path in here.iterdir()} == {"budget.json", "data.csv", "one", "two"}


def test_a_release_without_a_folder_is_given_again(here, monkeypatch):
    def broken(*arguments, **options):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(releases, "_put_out", broken)
        with pytest.raises(releases.Unfinished, match="is spent and nothing is lost"):
            paid(out=None)
    (done,) = resume("budget.json")
    assert sum(done.noisy) == 4
    assert resume("budget.json") == ()


# The journal


def test_several_data_sets_have_an_account_each(here, capsys):
    paid("a", data="spring")
    paid("b", data="autumn", limit="1/2")
    with pytest.raises(ValueError, match=r"data set must be named, one of spring, autumn in budget\.json"):
        paid("c", limit=None)
    paid("c", data="autumn", limit=None)
    with pytest.raises(ValueError, match="epsilon must be at most 0, what is left"):
        paid("d", data="autumn", limit=None)
    with pytest.raises(ValueError, match="limit must be given when the data set winter"):
        paid("d", data="winter", limit=None)
    assert read_account(here / "budget.json", data="spring").spent == Fraction(1, 4)
    assert main(["budget", "check", "budget.json", "a", "b", "c"]) == 0
    assert "8 entries follow from each other, no limit is exceeded, and 3 receipts" in capsys.readouterr().out


def test_what_was_changed_in_the_chain_or_in_a_receipt_is_noticed(here, capsys):
    paid("a")
    paid("b")
    text = (here / "budget.json").read_text()
    (here / "budget.json").write_text(text.replace('"epsilon": "1/4"', '"epsilon": "1/8"', 1))
    assert failed(["budget", "check", "budget.json"]) == 1
    assert "got budget.json: entry 2 was changed" in capsys.readouterr().err
    with pytest.raises(ValueError, match="entry 2 was changed"):
        paid("c")
    content = json.loads(text)
    del content["entries"][1]
    (here / "budget.json").write_text(json.dumps(content))
    assert failed(["budget", "show", "budget.json"]) == 1
    assert "entry 2 was changed" in capsys.readouterr().err
    content = json.loads(text)
    del content["entries"][3:]  # the end of a chain can be cut off, and the receipts tell
    (here / "budget.json").write_text(json.dumps(content))
    assert failed(["budget", "check", "budget.json", "a", "b"]) == 1
    assert capsys.readouterr().out == "b: its charge is not in the journal\n"
    (here / "budget.json").write_text(text)
    receipt = json.loads((here / "b" / "receipt.json").read_text())
    receipt["noisy"][0] += 1
    (here / "b" / "receipt.json").write_text(json.dumps(receipt))
    assert failed(["budget", "check", "budget.json", "a", "b"]) == 1
    assert capsys.readouterr().out == "b: its receipt is not the one that was paid for\n"


def test_what_waits_cannot_be_changed_unseen(here, monkeypatch):
    stopped_after_the_charge(monkeypatch)
    content = json.loads((here / "budget.json").read_text())
    (one,) = content["waiting"].values()
    one["receipt"]["noisy"][0] += 1
    (here / "budget.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="a paid release was changed"):
        resume("budget.json")


def test_a_budget_file_of_the_time_before_the_chain_goes_on(here, capsys):
    old = {"limit": "1", "spent": [{"epsilon": "1/2", "mechanism": "geometric", "date": "2026-01-01T00:00:00+00:00"}]}
    (here / "budget.json").write_text(json.dumps(old))
    assert read_account(here / "budget.json").spent == Fraction(1, 2)
    assert main(["budget", "show", "budget.json"]) == 0
    assert "records: 1/2 of 1 spent" in capsys.readouterr().out
    paid(limit=None)
    account = read_account(here / "budget.json")
    assert (account.limit, [entry["epsilon"] for entry in account.entries]) == (1, ["1/2", "1/4"])
    assert main(["budget", "check", "budget.json", "out"]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_modes_groups_and_the_mask_are_respected(here):
    before = os.umask(0o077)
    try:
        paid("private")
    finally:
        os.umask(before)
    assert (here / "private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (here / "private").iterdir()} == {0o600}
    assert (here / "budget.json").stat().st_mode & 0o777 == 0o600
    (here / "budget.json").chmod(0o664)
    (here / "private").chmod(0o750)
    group = os.getgid() + 1 if os.geteuid() == 0 else os.getgid()  # root may give files away
    os.chown(here / "budget.json", -1, group)
    os.chown(here / "private", -1, group)
    paid("private", force=True)
    for name, mode in (("budget.json", 0o664), ("private", 0o750)):
        assert ((here / name).stat().st_mode & 0o777, (here / name).stat().st_gid) == (mode, group)
    (here / "budget.json").chmod(0o444)
    text = (here / "budget.json").read_text()
    with pytest.raises(ValueError, match=r"got budget\.json, which is closed"):
        paid("more")
    assert (here / "budget.json").read_text() == text
    assert not (here / "more").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a file is locked there")
def test_where_nothing_can_be_locked_a_file_is_the_lock(here, monkeypatch):
    def without(handle):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(files, "_locked", without)
    paid("one")
    assert sorted(path.name for path in here.iterdir()) == ["budget.json", "data.csv", "one"]
    (here / files.LOCK).touch()  # of a process that was killed
    monkeypatch.setattr(journal, "PATIENCE", 0.1)
    with pytest.raises(TimeoutError, match=r"no locks: if no dpbi is running anywhere, remove .*dpbi-lock"):
        paid("two")
    (here / files.LOCK).unlink()
    paid("two")
    assert read_account(here / "budget.json").spent == Fraction(1, 2)


def test_skewed_counts_that_could_take_too_long_are_refused_before_the_charge(here):
    values = ["0"] * 30_000
    with pytest.raises(ValueError, match="epsilon must be larger for n=30000 records in 20 categories"):
        release(values, [str(i) for i in range(20)], [0.5] * 20, "1/100", out="out", budget="budget.json", limit=1)
    assert sorted(path.name for path in here.iterdir()) == ["data.csv"]


# What anybody can check


@pytest.mark.parametrize("mechanism", ["lattice_laplace", "geometric", "lshist", "staircase", "discrete_gaussian"])
def test_a_release_is_recomputed_from_its_receipt(here, capsys, mechanism):
    for i in range(3):
        price = {"rho": "1/18"} if mechanism == "discrete_gaussian" else {"epsilon": "1/3"}
        release(list("abbc"), list("abc"), [0.3, 1, 2], mechanism=mechanism, out=f"out{i}", **price)
        assert main(["check", f"out{i}"]) == 0
    told = capsys.readouterr().out
    assert told.count("agrees: ") == 18
    assert "agrees: posterior.png" in told


def changed(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def test_a_release_that_was_changed_is_told_where(here, capsys):
    paid(budget=None, limit=None)
    good = {name: (here / "out" / name).read_bytes() for name in NAMES}

    def told():
        code = failed(["check", "out"])
        for name, content in good.items():
            (here / "out" / name).write_bytes(content)
        return code, capsys.readouterr()

    changed(here / "out" / "posterior.json", lambda table: table["given_the_noise"][1].update(mean=0.5))
    code, said = told()
    assert code == 1
    assert "differs: posterior.json, given_the_noise (given_the_noise, 2, mean: 0.5 where the receipt leads" in said.out
    changed(here / "out" / "receipt.json", lambda receipt: receipt.update(counts=[9, 9, 9]))
    code, said = told()
    assert code == 1
    assert "differs: the released counts follow from the noisy ones" in said.out
    release(list("abbc"), list("abc"), [5, 5, 1], "1/4", out="other")
    (here / "out" / "posterior.png").write_bytes((here / "other" / "posterior.png").read_bytes())
    code, said = told()
    assert code == 1
    assert "% of its points differ" in said.out
    (here / "out" / "posterior.png").write_bytes(b"no picture")
    assert told()[0] == 1
    (here / "out" / "posterior.json").unlink()
    code, said = told()
    assert code == 1
    assert "posterior.json cannot be read" in said.out
    for key, value in (("mechanism", "ehd"), ("noisy", [1, 1]), ("n", "4"), ("prior", [1, 1]), ("guarantee", {})):
        changed(here / "out" / "receipt.json", lambda receipt, key=key, value=value: receipt.update({key: value}))
        code, said = told()
        assert code == 1
        assert said.err.startswith("dpbi: receipt must be one that dpbi wrote, got one that is not")
    (here / "out" / "receipt.json").write_text("[")
    assert "which is no JSON text" in told()[1].err


def test_a_receipt_of_the_time_before_the_journal_is_valid(here):
    done = paid(budget=None, limit=None)
    assert done.receipt["budget"] is None
    assert "journal" not in done.receipt
    assert all(finding.agrees for finding in check_release("out"))


def test_a_frame_of_what_was_spent_can_be_made(here):
    spend(here / "budget.json", Fraction(1, 2), Fraction(2), {"mechanism": "by hand"})
    paid(limit=None)
    frame = pd.DataFrame(read_account(here / "budget.json").entries)
    assert frame["mechanism"].tolist() == ["by hand", "lattice_laplace"]
