"""``dpbi sweep``: every cell of a grid runs exactly once, whatever happens in between."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pandas as pd
import pytest
from distributed import LocalCluster

from checkouts import begun, failed, files, write_notebook
from dpbi.cli import execution, main
from dpbi.results import read
from test_cli_run import full_disk

OUT = Path("sweep", "tiny", "square")
COMMAND = Path(sys.executable).with_name("dpbi")
ROOT = Path(__file__).parents[1]


def rows(folder=OUT):
    with open(folder / "table.csv", newline="") as file:
        return list(csv.DictReader(file))


def diary_of(path):
    """How often each cell began and ended."""
    lines = [line.split()[:3] for line in path.read_text().splitlines()]
    return {verb: [(float(x), int(n)) for word, x, n in lines if word == verb] for verb in ("begin", "end")}


def alive(process):
    """Whether a process runs: a dead one that nobody has asked after does not."""
    try:
        return Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(true, seconds=600):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_a_table_has_all_cells_and_a_second_run_adds_none(root, capsys):
    diary = root / "diary"
    command = ["sweep", "square", "-g", "x=2,3", "-g", "n=5,6", "-p", f"diary={diary}", "--jobs", "2"]
    assert main(command) == 0
    assert "4 cells, 4 done, 0 failed" in capsys.readouterr().out
    table = rows()
    assert [(float(row["x"]), int(row["n"])) for row in table] == [(x, n) for x in (2, 3) for n in (5, 6)]
    for row in table:
        x = float(row["x"])
        assert float(row["square"]) == x * x
        assert float(row["third"]) == x / 3  # to the last bit
        others = [row[name] for name in ("endless", "kept", "word", "word_result", "failure")]
        assert others == ["inf", "True", "a", "a", ""]
        assert json.loads(row["pair"]) == [1, 2]
        assert read(OUT / "cells" / f"{row['cell']}.json").tables["powers"]["value"] == [x, x * x]
    assert list(table[0])[:4] == ["cell", "x", "n", "word"]
    assert "outdir" not in table[0]
    frame = pd.read_csv(OUT / "table.csv")
    assert frame["square"].sum() == 26
    assert math.isinf(frame["endless"][0])
    before = files(OUT)
    assert main(command) == 0
    assert "4 cells, 4 done, 0 failed" in capsys.readouterr().out
    assert files(OUT) == before
    assert sorted(diary_of(diary)["begin"]) == [(x, n) for x in (2, 3) for n in (5, 6)]


@pytest.mark.usefixtures("no_kernels")
def test_a_failed_cell_stops_no_other_and_is_tried_again(root, capsys):
    command = ["sweep", "square", "-g", "x=0:3:4", "-p", "breaks=2"]
    assert failed(command) == 1
    captured = capsys.readouterr()
    assert "4 cells, 3 done, 1 failed" in captured.out
    (line,) = [line for line in captured.err.splitlines() if line.startswith("failed: ")]
    assert line.startswith('failed: {"x": 2.0, "n": 1, "word": "a", ')
    assert line.endswith("}: ValueError: x must not be 2")
    last = f"dpbi: 1 of 4 cells failed, see {OUT / 'failed'}; the same command tries again"
    assert captured.err.splitlines()[-1] == last
    table = rows()
    assert [row["square"] for row in table] == ["0.0", "1.0", "", "9.0"]
    assert "ValueError: x must not be 2" in table[2]["failure"]
    (broken,) = (OUT / "failed").iterdir()
    assert broken.name == f"{table[2]['cell']}.ipynb"
    write_notebook(root, square="square = x**2")  # the author mends it
    assert main(command) == 0
    assert "4 cells, 4 done, 0 failed" in capsys.readouterr().out
    assert rows()[2]["square"] == "4.0"


@pytest.mark.usefixtures("no_kernels")
def test_a_grid_that_grows_or_changes_runs_its_new_cells_alone(root, capsys):
    diary = root / "diary"
    for axes, message in [
        (["-g", "x=0:1:2"], "2 cells, 2 done, 0 failed"),
        (["-g", "x=0:2:3", "-g", "n=1,2"], "6 cells, 6 done, 0 failed"),
        (["-g", "x=2,3"], "2 cells, 2 done, 0 failed"),
    ]:
        assert main(["sweep", "square", *axes, "-p", f"diary={diary}"]) == 0
        assert message in capsys.readouterr().out
    assert len(set(diary_of(diary)["begin"])) == len(diary_of(diary)["begin"]) == 7
    assert [float(row["x"]) for row in rows()] == [2, 3]


@pytest.mark.usefixtures("no_kernels")
def test_a_full_disk_stops_the_sweep_and_loses_nothing(root, capsys, monkeypatch):
    command = ["sweep", "square", "-g", "x=0:3:4", "--jobs", "1"]
    with monkeypatch.context() as patched:
        full_disk(patched, after=6)  # four of the notebooks, two of the sweep
        assert failed(command) == 1
    error = capsys.readouterr().err
    assert error.splitlines()[-1] == "dpbi: [Errno 28] No space left on device"
    done = len(list((OUT / "cells").iterdir()))
    assert 0 < done < 4
    assert not [name for name in files(OUT) if name.rpartition("/")[2].startswith(".")]
    assert main(command) == 0
    assert "4 cells, 4 done, 0 failed" in capsys.readouterr().out
    assert [row["square"] for row in rows()] == [f"{x * x}.0" for x in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_a_sweep_stopped_half_way_does_each_cell_once(root, capsys, how, tmp_path_factory):
    diary = root / "diary"
    command = ["sweep", "square", "-g", "x=0:4:5", "-p", f"diary={diary}", "-p", "seconds=0.2", "--jobs", "2"]
    temporary = tmp_path_factory.mktemp("t")
    there = {**os.environ, "TMPDIR": str(temporary)}
    running = begun([COMMAND, *command], stderr=subprocess.PIPE, text=True, env=there)
    wait_for(lambda: len(list((OUT / "cells").glob("[!.]*"))) >= 2)
    running.send_signal(how)
    _, error = running.communicate(timeout=600)
    if how == signal.SIGINT:
        assert running.returncode == 130
        assert "the same command continues the sweep" in error
        assert len(error[error.index("dpbi: ") :].splitlines()) == 1
    lines = [line.split() for line in diary.read_text().splitlines()]
    wait_for(lambda: not any(alive(int(process)) for *_, process in lines))  # no kernel outlives its sweep
    if how != signal.SIGKILL:  # whose folders nobody is left to remove
        assert not list(temporary.iterdir())
    if how == signal.SIGTERM:
        assert running.returncode == 143
        assert error.splitlines()[-1].startswith("dpbi: terminated: ")
    records = list((OUT / "cells").glob("[!.]*"))
    done, kept = {read(path).parameters["x"] for path in records}, len(records)
    assert 2 <= kept < 5
    if how != signal.SIGKILL:  # the others leave the table
        assert {float(row["x"]) for row in rows()} == done
    text = diary.read_text()
    diary.write_text("")
    assert main(command) == 0
    assert "5 cells, 5 done, 0 failed" in capsys.readouterr().out
    assert len(diary_of(diary)["begin"]) == len(diary_of(diary)["end"]) == 5 - kept
    assert not done & {x for x, _ in diary_of(diary)["end"]}
    assert "end" in text
    assert [row["square"] for row in rows()] == [f"{x * x}.0" for x in range(5)]
    assert not list((OUT / "failed").iterdir())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask leaves sockets of workers that were killed to the collector
def test_workers_of_a_cluster_make_the_same_table(root, capsys):
    """One that is killed loses nothing."""
    command = ["sweep", "square", "-g", "x=0:5:6", "-p", "seconds=1"]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster:
        killed = Timer(3, lambda: os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL))
        killed.start()
        assert main([*command, "--scheduler", cluster.scheduler_address, "--out", "far"]) == 0
    assert "6 cells, 6 done, 0 failed" in capsys.readouterr().out
    assert main([*command, "--out", "near"]) == 0
    assert (root / "far" / "table.csv").read_text() == (root / "near" / "table.csv").read_text()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "here"])
def test_a_silent_scheduler_creates_no_folder(root, capsys, monkeypatch, address):
    monkeypatch.setattr(execution, "SCHEDULER_SECONDS", 1)
    assert failed(["sweep", "square", "-g", "x=1,2", "--scheduler", address]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbi: ")]
    assert len(said) == 1
    assert said[0].startswith("dpbi: --scheduler must be the address of a Dask scheduler with workers")
    assert not Path("sweep").exists()


def test_the_guide_says_what_was_recorded_of_the_cost_of_a_sweep():
    found = read(ROOT / "results" / "rerun" / "cost.json").scalars
    text = (ROOT / "book" / "guides" / "rerun.md").read_text("utf-8").partition("## What it costs")[2]
    pool, swept = found["bare_pool_seconds"], found["sweep_seconds"]
    assert found["ratio"] <= 1.1
    assert abs(found["ratio"] - swept / pool) < 0.002  # the seconds are rounded
    assert f"took {swept} seconds with `dpbi sweep`, and {pool} seconds with papermill" in text
    assert f"a ratio of {found['ratio']}" in text
    assert found["stopped"].startswith("dpbi: terminated: 50 of 60 cells are done")
    for ended in (found["resumed"], found["cluster"]):
        assert ended.startswith("first: 60 cells, 59 done, 1 failed / dpbi: 1 of 60 cells failed")
    assert found["same_table"] is True
