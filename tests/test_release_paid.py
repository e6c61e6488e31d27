"""No paid release is ever lost: interruptions at random moments, resumed releases, and validated receipts."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from checkouts import failed
from dpbi import files
from dpbi.cli import main
from dpbi.cli.release import UNPAID
from dpbi.inference import given_noise
from dpbi.publish import Budget, releasable, release, releases, resume

FAULTS = Path(__file__).with_name("release_faults.py")
NAMES = ["posterior.json", "posterior.png", "receipt.json"]
FILES = {"data.csv": "v\na\nb\nb\nc\n"}


def paid(out="out", **extra):
    asked = {"out": out, "budget": "budget.db", "limit": 1} | extra
    return release(list("abbc"), list("abc"), [1, 1, 1], "1/4", **asked)


def account(here, data="records"):
    return Budget(here / "budget.db").accounts()[data]


def reports(tmp_path, *arguments):
    memory = Path("/dev/shm")  # where there is one, nobody waits for a disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        run = subprocess.run([sys.executable, FAULTS, folder, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("start", ["fresh", pytest.param("replace", marks=pytest.mark.slow)])
def test_a_release_stopped_at_any_moment_is_kept_and_paid_once(tmp_path, start):
    """None is lost, paid twice, or published unpaid."""
    stopped = reports(tmp_path, start, "78" if start == "fresh" else "126", "1")  # together 204
    for report in stopped:
        assert report["charges"] in {0, 1}  # never twice
        assert report["charges in all"] == report["charges"]  # resuming is free
        if report["published"]:
            assert report["charges"] == 1
        assert report["released"] == (report["charges"] == 1)  # once it is resumed
        assert report["is what was paid"]
        assert report["earlier kept"]
        assert (report["resumed"], report["waiting after"]) == (0, 0)
        assert report["files"] in ([], NAMES)
        if report["code"] not in {0, -9}:
            assert len(report["error"].splitlines()) == 1
            named = "nothing is lost: dpbi release --resume " in report["error"]
            # a signal right after the commit has no words for it; a release into this folder is refused with them
            wordless = report["kind"] in {"term", "interrupt"} or report["done"]  # a written release waits for nothing
            assert named == bool(report["charges"]) or (report["charges"] and wordless)
    for kind in ("kill", "term", "interrupt", "full", "closed"):
        # 1, an error in one sentence, also where a signal arrives while the standard library closes a folder (EBADF)
        codes = {"kill": {-9}, "term": {143, 1}, "interrupt": {130, 1}, "full": {1}, "closed": {1}}
        assert {report["code"] for report in stopped if report["kind"] == kind} <= {0} | codes[kind]
        before = {report["charges"] for report in stopped if report["kind"] == kind and report["code"] != 0}
        assert before == {0, 1}  # stops on both sides of the charge


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_crowd_stays_within_the_limit_of_a_budget(tmp_path):
    """Of forty at once against a limit of ten, ten succeed; of two into one folder, one."""
    forty, *pairs = reports(tmp_path, "crowd")
    assert forty == {"succeeded": 10, "charges": 10, "folders": 10}
    for pair in pairs:  # the other is refused, or waits for a folder of its own
        assert pair["succeeded"] == 1
        assert pair["folders"] == pair["charges"]


def stopped_after_the_charge(monkeypatch, **extra):
    def broken(folder, contents, key):
        if "receipt.json" in contents:  # and not the rehearsal
            raise OSError("the disk is gone")
        folder.mkdir()

    with monkeypatch.context() as patched:
        patched.setattr(releases, "write_folder", broken)
        with pytest.raises(releases.Unfinished, match="the disk is gone; epsilon 1/4 of records is spent"):
            paid(**extra)


def test_what_waits_is_written_by_another_command_and_shown(here, monkeypatch, capsys):
    stopped_after_the_charge(monkeypatch)
    assert main(["budget", "show", "budget.db"]) == 0
    shown = capsys.readouterr().out
    assert "records: epsilon 1/4 of epsilon 1 spent, epsilon 3/4 left" in shown
    assert f"waits: dpbi release --resume {account(here).charges[0].id} --budget budget.db" in shown
    assert main(["budget", "show", "budget.db", "--json"]) == 0
    (charge,) = json.loads(capsys.readouterr().out)["records"]["charges"]
    assert (charge["price"], charge["written"], charge["folder"]) == ("epsilon 1/4", False, str(here / "out"))
    with pytest.raises(ValueError, match="out must not be the folder of a paid release"):
        paid()
    assert main(["release", "--resume", "--budget", "budget.db"]) == 0
    assert "1 written, nothing spent" in capsys.readouterr().out
    assert json.loads((here / "out" / "receipt.json").read_text())["noisy"] == charge["receipt"]["noisy"]
    assert main(["release", "--resume", "--budget", "budget.db"]) == 0
    assert "no release waits" in capsys.readouterr().out
    assert failed(["release", "--resume", "--budget", "bugdet.db"]) == 1
    assert main(["budget", "show", "budget.db"]) == 0
    assert f"lattice_laplace  {here / 'out'}  id {charge['id']}" in capsys.readouterr().out
    forced, newest = paid(force=True), paid(force=True)  # what a release replaces may be written again elsewhere only
    for name in (charge["id"], forced.receipt["id"]):
        assert failed(["release", "--resume", name, "--budget", "budget.db"]) == 1
    assert resume("budget.db", "old", charge["id"])[0].receipt["noisy"] == charge["receipt"]["noisy"]
    assert json.loads((here / "out" / "receipt.json").read_text()) == newest.receipt
    assert account(here).spent == Fraction(3, 4)


def test_a_folder_that_was_taken_meanwhile_is_left_alone(here, monkeypatch):
    stopped_after_the_charge(monkeypatch)
    (here / "out").mkdir()
    (here / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(releases.Unfinished, match=r"out must not exist.*is spent and nothing is lost"):
        resume("budget.db")
    (done,) = resume("budget.db", "elsewhere")
    assert [path.name for path in (here / "out").iterdir()] == ["thesis.txt"]
    assert json.loads((here / "elsewhere" / "receipt.json").read_text()) == done.receipt


def test_a_release_written_but_not_marked_is_not_written_again(here, monkeypatch):
    def broken(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Budget, "mark_written", broken)
        with pytest.raises(KeyboardInterrupt, match="is spent and nothing is lost"):
            paid()
    before = (here / "out").stat().st_ino
    (done,) = resume("budget.db")
    assert (here / "out").stat().st_ino == before
    assert json.loads((here / "out" / "receipt.json").read_text()) == done.receipt


def test_a_release_without_a_folder_is_given_again(here, monkeypatch):
    def broken(*arguments, **options):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(Budget, "mark_written", broken)
        with pytest.raises(releases.Unfinished, match="is spent and nothing is lost"):
            paid(out=None)
    assert [sum(done.noisy) for done in resume("budget.db")] == [4]
    assert resume("budget.db") == ()


def test_resuming_goes_on_after_a_folder_that_fails(here, monkeypatch, capsys):
    for out in ("one", "two", "three"):
        stopped_after_the_charge(monkeypatch, out=out)
    for taken in ("one", "two"):
        (here / taken).mkdir()
    assert failed(["release", "--resume", "--budget", "budget.db"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("dpbi: 1 of 3 written: out must not exist")
    assert len(error.splitlines()) == 1
    assert (here / "three" / "receipt.json").is_file()
    one, two, _ = account(here).charges
    assert all(f"release --resume {each.id} --budget {here / 'budget.db'} writes it" in error for each in (one, two))
    assert failed(["release", "--resume", "--budget", "budget.db", "--out", "elsewhere"]) == 1
    assert f"the folder of one that waits ({one.id} for {here / 'one'}, {two.id} for" in capsys.readouterr().err
    assert failed(["release", "--resume", "0", "--budget", "budget.db"]) == 1
    assert main(["release", "--resume", two.id, "--budget", "budget.db", "--out", "elsewhere"]) == 0
    (here / "one").rmdir()
    assert len(resume("budget.db", "one")) == 1  # the one that is left, by its folder
    assert json.loads((here / "elsewhere" / "receipt.json").read_text())["id"] == two.id
    assert all(one.written for one in account(here).charges)
    assert account(here).spent == Fraction(3, 4)


@pytest.mark.parametrize("at", ["mkdir", "open"])
def test_a_folder_that_cannot_be_written_is_noticed_uncharged(here, monkeypatch, at, capsys):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device", ".hidden")

    # the rehearsal writes where the release will be written: on a closed folder, and on a disk without space
    monkeypatch.setattr(*((Path, "mkdir") if at == "mkdir" else (files, "write_whole")), full)
    arguments = ["--column=v", "--categories=a,b,c", "--prior=1,1,1", "--epsilon=1/4", "--out=out"]
    assert failed(["release", "data.csv", *arguments, "--budget=budget.db", "--limit=1"]) == 1
    assert capsys.readouterr().err == f"dpbi: {os.path.realpath('out')}: No space left on device\n"
    assert [path.name for path in here.iterdir()] == ["data.csv"]


def test_an_unpaid_release_prints_a_warning(here, capsys):
    arguments = ["release", "data.csv", "--column=v", "--categories=a,b,c", "--prior=1,1,1", "--epsilon=1/4"]
    assert main([*arguments, "--out=one"]) == 0
    assert capsys.readouterr().err == f"dpbi: {UNPAID}\n"
    assert main([*arguments, "--out=two", "--no-budget"]) == 0
    assert main([*arguments, "--out=three", "--budget=budget.db", "--limit=1"]) == 0
    assert capsys.readouterr().err == ""
    missing = [json.loads((here / out / "receipt.json").read_text())["not_covered"] for out in ("one", "two", "three")]
    assert [releases.UNPAID in entries for entries in missing] == [True, True, False]
    assert failed([*arguments, "--out=four", "--no-budget", "--budget=budget.db"]) == 1
    assert "--no-budget must not be given with --budget" in capsys.readouterr().err


def random_release(rng, most_cells):
    """Arguments of a release at random: mechanism, prior and price may be anything that is allowed."""
    mechanism = str(rng.choice(list(releasable())))
    k, n = (int(np.exp(rng.uniform(np.log(least), np.log(most)))) for least, most in ((2, most_cells), (1, 500)))
    prior = 10 ** rng.uniform(-9, 4, k if rng.random() < 0.5 else 1) * np.ones(k)
    kind = rng.integers(3)  # all in one category, spread, and unequal
    unequal = rng.integers(k, size=n) ** 2 // k
    records = np.full(n, rng.integers(k)) if kind == 0 else np.arange(n) % k if kind == 1 else unequal
    price = str(Fraction(float(np.exp(rng.uniform(np.log(1e-3), np.log(10))))).limit_denominator(1000))
    name = "rho" if mechanism == "discrete_gaussian" else "epsilon"
    return (records.tolist(), list(range(k)), np.maximum(prior, 1e-9)), {"mechanism": mechanism, name: price}


@pytest.mark.parametrize("seed", range(10))
def test_a_random_release_is_refused_uncharged_or_given(here, seed):
    given, how = random_release(np.random.default_rng(seed), 250)
    try:
        done = release(*given, **how, budget="budget.db", limit="rho 1000")
        assert sum(share.mean for share in done.shares) == pytest.approx(1, abs=1e-9)
        assert all(one.written for one in account(here).charges)
    except ValueError:
        assert not (here / "budget.db").exists()


@pytest.mark.parametrize(("mechanism", "k"), [("lattice_laplace", 600), ("staircase", 400), ("geometric", 1000)])
def test_posteriors_of_many_cells_have_means_that_add_up(mechanism, k):
    """Unscaled convolutions of so many factors were above 1e308."""
    noisy = np.full(k, 3000 // k)
    noisy[0] += 3000 - noisy.sum()
    shares = given_noise(np.ones(k), 3000, noisy, 1.0 if mechanism != "geometric" else 0.1, mechanism)
    assert sum(share.mean for share in shares) == pytest.approx(1, abs=1e-9)
    assert shares[2].mean == pytest.approx(shares[3].mean, rel=1e-9)


def test_a_charge_is_on_the_disk_before_it_is_published(here):
    paid()
    with Budget(here / "budget.db")._transaction(write=True) as file:
        assert file.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA, in SQLite's manual


def test_names_of_a_data_set_that_look_alike_are_one_account(here):
    for number, name in enumerate(("née", " née ", "ne\u0301e\n")):
        paid(f"out{number}", data_set=name)
    assert set(Budget(here / "budget.db").accounts()) == {"née"}
    assert account(here, "née").spent == Fraction(3, 4)


def test_a_limit_that_was_lowered_afterwards_is_found_exceeded(here, capsys):
    paid()
    with sqlite3.connect("budget.db") as file:
        file.execute("UPDATE data_set SET \"limit\" = 'epsilon 1/5'")
    assert failed(["budget", "check", "budget.db"]) == 1
    assert capsys.readouterr().out == "records: 1/4 is spent, more than epsilon 1/5\n"


def test_several_data_sets_have_an_account_each(here, capsys):
    paid("a", data_set="spring")
    paid("b", data_set="autumn", limit="1/2")
    with pytest.raises(ValueError, match="data set must be named, one of spring, autumn"):
        paid("c", limit=None)
    paid("c", data_set="autumn", limit=None)
    with pytest.raises(ValueError, match="a release must cost at most epsilon 0"):
        paid("d", data_set="autumn", limit=None)
    with pytest.raises(ValueError, match="limit must be given when the data set winter"):
        paid("d", data_set="winter", limit=None)
    assert account(here, "spring").spent == Fraction(1, 4)
    assert main(["budget", "check", "budget.db", "a", "b", "c"]) == 0
    assert "3 charges, no limit is exceeded, and every given receipt was paid for" in capsys.readouterr().out


def test_a_receipt_that_was_changed_or_of_another_file_is_seen(here, capsys):
    paid("a")
    paid("b")
    changed(here / "b" / "receipt.json", lambda receipt: receipt["noisy"].__setitem__(0, 99))
    assert failed(["budget", "check", "budget.db", "a", "b"]) == 1
    assert capsys.readouterr().out == "b: its receipt was not paid for from this file\n"
    paid("c", budget="other.db")
    assert failed(["budget", "check", "budget.db", "a", "c"]) == 1
    assert failed(["budget", "check", "none.db"]) == 1
    assert "FILE must be a budget file that dpbi wrote" in capsys.readouterr().err
    assert not (here / "none.db").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_modes_and_the_mask_are_respected(here):
    before = os.umask(0o077)
    try:
        paid("private")
    finally:
        os.umask(before)
    assert (here / "private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (here / "private").iterdir()} == {0o600}
    paid("other", budget="b.db")
    assert (here / "b.db").stat().st_mode & 0o777 == 0o600  # whatever the mask
    (here / "b.db").chmod(0o664)
    paid("more", budget="b.db")
    assert (here / "b.db").stat().st_mode & 0o777 == 0o664


def test_a_posterior_that_takes_too_long_is_refused_uncharged(here, monkeypatch):
    monkeypatch.setattr("dpbi.inference.posteriors_given_noise.MAX_WORK", 1000.0)
    with pytest.raises(ValueError, match="epsilon must be larger"):
        paid()
    assert sorted(path.name for path in here.iterdir()) == ["data.csv"]


def changed(file, change):
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def test_check_release_says_where_a_release_was_changed(drawn, capsys):
    here = drawn
    paid(budget=None, limit=None)
    good = {name: (here / "out" / name).read_bytes() for name in NAMES}

    def checked():
        assert failed(["check", "out"]) == 1
        for name, content in good.items():
            (here / "out" / name).write_bytes(content)
        return capsys.readouterr()

    changed(here / "out" / "posterior.json", lambda table: table["given_the_noise"][1].update(mean=0.5))
    assert "differs: posterior.json (0.5 where the receipt gives 0." in checked().out
    (here / "out" / "posterior.json").write_bytes(good["posterior.json"].replace(b'"a"', b'"d"'))
    assert "differs: posterior.json (its text differs" in checked().out
    changed(here / "out" / "receipt.json", lambda receipt: receipt.update(counts=[9, 9, 9]))
    assert "differs: the released counts follow from the noisy ones" in checked().out
    release(list("abbc"), list("abc"), [5, 5, 1], "1/4", out="other")
    (here / "out" / "posterior.png").write_bytes((here / "other" / "posterior.png").read_bytes())
    assert "differs: posterior.png (its pixels differ from those" in checked().out
    (here / "out" / "posterior.png").write_bytes(b"no picture")
    checked()
    (here / "out" / "posterior.json").unlink()
    assert "differs: posterior.json (it cannot be read" in checked().out
    wrong = {"mechanism": "ehd", "noisy": [1, 1], "n": "4", "prior": [1, 1], "guarantee": {}, "id": None}
    for key, value in wrong.items():
        changed(here / "out" / "receipt.json", lambda receipt, key=key, value=value: receipt.update({key: value}))
        assert checked().err.startswith("dpbi: receipt must be one that dpbi wrote")
    (here / "out" / "receipt.json").write_text("[")
    assert "got out/receipt.json, which is not" in checked().err
