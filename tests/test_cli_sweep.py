"""``dpbi sweep``: every cell of a grid once, whatever happens in between."""

import csv
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing import forkserver
from pathlib import Path

import pandas as pd
import pytest

from checkouts import PIXEL, begun, failed, files, refused, shared_imports, write_notebook
from dpbi.cli import execution, kernels, main, runners, sweep
from dpbi.cli.notebooks import checkout as found_checkout
from dpbi.results import read
from test_cli_run import COMMAND, alive, full_disk, wait_for

OUT = Path("sweep", "tiny", "square")


@pytest.fixture(autouse=True)
def no_kernels_are_left():
    yield
    forkserver._forkserver._stop()  # its environment is that of the first sweep
    assert not kernels.RUNNING


def rows(folder=OUT):
    with open(folder / "table.csv", newline="") as file:
        return list(csv.DictReader(file))


def diary_of(path):
    """How often each cell began and ended."""
    lines = [line.split()[:3] for line in path.read_text().splitlines()]
    return {verb: [(float(x), int(n)) for said, x, n in lines if said == verb] for verb in ("begin", "end")}


def test_a_table_has_a_row_for_every_cell_and_a_second_run_does_nothing(root, capsys):
    diary = root / "diary"
    command = ["sweep", "square", "-g", "x=0:3:4", "-g", "n=5,6", "-p", f"diary={diary}", "--jobs", "2"]
    assert main(command) == 0
    assert "8 cells, 0 done before, 8 now, 0 failed" in capsys.readouterr().out
    table = rows()
    assert [(float(row["x"]), int(row["n"])) for row in table] == [(x, n) for x in range(4) for n in (5, 6)]
    for row in table:
        x = float(row["x"])
        assert float(row["square"]) == x * x
        assert float(row["third"]) == x / 3  # to the last bit
        assert (row["endless"], row["kept"], row["word"], row["word_result"], row["failure"]) == (
            "inf",
            "True",
            "a",
            "a",
            "",
        )
        assert json.loads(row["pair"]) == [1, 2]
        assert read(OUT / "cells" / f"{row['cell']}.json").tables["powers"]["value"] == [x, x * x]
    assert list(table[0])[:4] == ["cell", "x", "n", "word"]
    assert "outdir" not in table[0]
    frame = pd.read_csv(OUT / "table.csv")
    assert frame["square"].sum() == 28
    assert math.isinf(frame["endless"][0])
    before = files(OUT)
    assert main(command) == 0
    assert "8 cells, 8 done before, 0 now, 0 failed" in capsys.readouterr().out
    assert files(OUT) == before
    assert sorted(diary_of(diary)["begin"]) == [(x, n) for x in range(4) for n in (5, 6)]


@shared_imports
def test_a_failed_cell_stops_no_other_and_is_tried_again(root, capsys):
    command = ["sweep", "square", "-g", "x=0:3:4", "-p", "breaks=2"]
    assert failed(command) == 1
    told = capsys.readouterr()
    assert "4 cells, 0 done before, 3 now, 1 failed" in told.out
    lines = told.err[told.err.index("dpbi: ") :].splitlines()
    assert lines == [
        "dpbi: 1 of 4 cells failed; the same command tries them again",
        "  x=2.0: cell 'square', line 2: raise ValueError(f\"x must not be {x:g}\")",
        "    ValueError: x must not be 2",
        f"notebooks as far as they came: {OUT / 'failed'}",
    ]
    table = rows()
    assert [row["square"] for row in table] == ["0.0", "1.0", "", "9.0"]
    assert "ValueError: x must not be 2" in table[2]["failure"]
    (broken,) = (OUT / "failed").iterdir()
    assert broken.name == f"{table[2]['cell']}.failed.ipynb"
    write_notebook(root, square="square = x**2")  # the author mends it
    assert main(command) == 0
    assert "4 cells, 0 done before, 4 now, 0 failed" in capsys.readouterr().out  # the code is another
    assert rows()[2]["square"] == "4.0"


@shared_imports
def test_equal_failures_are_told_once(root, capsys):
    write_notebook(root, square="raise ValueError('no')")
    assert failed(["sweep", "square", "-g", "x=0:3:4"]) == 1
    assert "  x=0.0 and 3 more: cell 'square', line 1" in capsys.readouterr().err


BAD = [
    ([], "the grid must have at least one axis"),
    (["-g", "x="], "x must have at least one value in the grid, got ''"),
    (["-g", "y=1:2:3"], "tiny/square has no parameter 'y': "),
    (["-g", "n=1,2.5"], "n must be an int, got 2.5"),
    (["-g", "x=5:11:2"], "x must satisfy 'in [0, 10]', got 11.0"),
    (["-g", "x=1,2", "-p", "n=0"], "n must satisfy 'in [1, 1000000]', got 0"),
    (["-g", "x=1,2", "-g", "x=3"], "x must be given once, got it twice"),
    (["-g", "x=1,2", "-p", "x=3"], "x must be given once, got it twice"),
    (["-g", "outdir=a,b"], "outdir must not be set"),
    (["-g", "x=0:1:100", "-g", "n=1:11:11"], "the grid must have at most 1000 cells, or add --yes, got 1100"),
    (["-g", "x=1,2", "--jobs", "0"], "--jobs must be at least 1, got 0"),
    (["-g", "x=1,2", "--out", "file/below"], "--out must be a folder that can be written to, got file/below"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_clear_line_before_any_kernel(root, capsys, monkeypatch, arguments, said):
    monkeypatch.setattr(runners, "execute", lambda *_: pytest.fail("a kernel began"))
    (root / "file").touch()
    before = files(root)
    told = refused(capsys, "sweep", "square", *arguments)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert files(root) == before


@shared_imports
def test_a_large_grid_runs_when_told_to(root, monkeypatch):
    monkeypatch.setattr(sweep, "MANY", 1)
    assert main(["sweep", "square", "-g", "x=1,2", "--yes"]) == 0


@shared_imports
def test_the_table_of_another_grid_is_replaced_only_by_force_and_its_cells_are_kept(root, capsys):
    assert main(["sweep", "square", "-g", "x=1,2"]) == 0
    before = files(OUT)
    capsys.readouterr()
    assert "whose grid lies within the one that is asked for" in refused(capsys, "sweep", "square", "-g", "x=2,3")
    assert files(OUT) == before
    assert main(["sweep", "square", "-g", "x=2,3", "--force"]) == 0
    assert "2 cells, 1 done before, 1 now" in capsys.readouterr().out


def test_two_sweeps_do_not_write_to_one_folder(root, capsys):
    diary = root / "diary"
    command = ["sweep", "square", "-g", "x=1", "-p", f"diary={diary}", "-p", "seconds=60"]
    first = begun([COMMAND, *command], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: diary.exists() and diary.read_text())
        assert "that no other dpbi is writing to" in refused(capsys, *command)
    finally:
        first.send_signal(signal.SIGINT)
        assert first.wait(600) == 130


@shared_imports
def test_a_full_disk_stops_the_sweep_and_loses_nothing(root, capsys, monkeypatch):
    command = ["sweep", "square", "-g", "x=0:3:4", "--jobs", "1"]
    with monkeypatch.context() as patched:
        full_disk(patched, after=4)
        assert failed(command) == 1
    told = capsys.readouterr().err
    assert "dpbi: stopped, the cells that are done are kept: [Errno 28] No space left on device" in told
    done = len(list((OUT / "cells").iterdir()))
    assert 0 < done < 4
    assert not [name for name in files(OUT) if name.rpartition("/")[2].startswith(".")]
    assert main(command) == 0
    assert f"4 cells, {done} done before, {4 - done} now, 0 failed" in capsys.readouterr().out
    assert [row["square"] for row in rows()] == [f"{x * x}.0" for x in range(4)]


@shared_imports
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
def test_a_sweep_stopped_half_way_goes_on_with_no_cell_lost_or_done_twice(root, capsys, how, tmp_path_factory):
    diary = root / "diary"
    command = ["sweep", "square", "-g", "x=0:7:8", "-p", f"diary={diary}", "-p", "seconds=0.2", "--jobs", "2"]
    temporary = tmp_path_factory.mktemp("t")
    there = {**os.environ, "TMPDIR": str(temporary)}
    running = begun([COMMAND, *command], stderr=subprocess.PIPE, text=True, env=there)
    wait_for(lambda: len(list((OUT / "cells").glob("[!.]*"))) >= 3)
    running.send_signal(how)
    _, told = running.communicate(timeout=600)
    if how == signal.SIGINT:
        assert running.returncode == 130
        assert "the same command goes on" in told
        assert len(told[told.index("dpbi: ") :].splitlines()) == 1
    lines = [line.split() for line in diary.read_text().splitlines()]
    wait_for(lambda: not any(alive(int(process)) for *_, process in lines))  # no kernel outlives its sweep
    if how != signal.SIGKILL:  # whose folders nobody is left to remove
        assert not list(temporary.iterdir())
    if how == signal.SIGTERM:
        assert running.returncode == 143
        assert told.splitlines()[-1].startswith("dpbi: terminated: ")
    done = {float(row["x"]) for row in rows()}
    kept = len(list((OUT / "cells").glob("[!.]*")))
    assert 3 <= kept < 8
    assert len(done) <= kept
    text = diary.read_text()
    diary.write_text("")
    assert main(command) == 0
    assert f"8 cells, {kept} done before, {8 - kept} now, 0 failed" in capsys.readouterr().out
    assert len(diary_of(diary)["begin"]) == len(diary_of(diary)["end"]) == 8 - kept
    assert not done & {x for x, _ in diary_of(diary)["end"]}
    assert "end" in text
    assert [row["square"] for row in rows()] == [f"{x * x}.0" for x in range(8)]
    assert not (OUT / "failed").exists()


def test_a_forked_kernel_shows_what_a_fresh_one_shows(root):
    if sys.platform != "linux":
        pytest.skip("kernels are forked on Linux alone")
    look = (
        "import matplotlib.pyplot as plt, numpy, os, pandas\n"
        "_ = plt.plot([1, 2])\n"
        "pandas.DataFrame([range(30)]), os.environ['OMP_NUM_THREADS'], plt.get_backend()"
    )
    path = write_notebook(root, look=look, picture=PIXEL)
    plain = execution.without_outputs(path)
    task = execution.Task("tiny/square", plain, {"x": 3.0}, execution.code(plain))
    fresh = execution.execute(task)
    kernels.prepare(plain)
    forked = execution.execute(task)
    assert fresh.error == forked.error == ""
    assert fresh.record == forked.record
    shown = [[cell.get("outputs") for cell in json.loads(text)["cells"]] for text in (fresh.notebook, forked.notebook)]
    assert shown[0] == shown[1]
    assert "image/png" in str(shown)


def test_forked_kernels_share_no_state_of_the_global_generator(root):
    write_notebook(root, record="import numpy\n" + "square = float(numpy.random.random())\n" + RECORD)
    assert main(["sweep", "square", "-g", "x=1,2,3"]) == 0
    assert len({row["square"] for row in rows()}) == 3


RECORD = 'from dpbi.results import record\nrecord("tiny/square", {}, scalars={"square": square}, outdir=outdir)'


def test_a_fork_has_imported_what_the_notebook_imports(root):
    plain = execution.without_outputs(
        write_notebook(root, more="%pwd", magic="import pandas, torch\nfrom dpbi import plots")
    )
    assert kernels.imported(plain) == ["dpbi.results", "dpbi.results.record", "dpbi", "dpbi.plots"]


def test_a_worker_that_multiprocessing_began_starts_kernels_by_itself(monkeypatch):
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    kernels.prepare('{"cells": []}')
    assert forkserver._forkserver._forkserver_pid is None


def test_the_tests_have_a_checkout_of_their_own(root):
    assert found_checkout() == root
