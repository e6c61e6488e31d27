"""``dpbi sweep --scheduler``: whatever dies in a cluster, the table is in the end the one that is made here."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checkouts import begun, failed, files
from dpbi.cli import main, runners
from test_cli_run import COMMAND, wait_for

GRID = ["-g", "x=0:5:6", "-p", "seconds=0.3"]


class Cluster:
    """A scheduler and two workers, begun by hand as a user does."""

    def __init__(self, folder):
        self.folder, self.workers, self.logs = folder, [], 0
        file = folder / "scheduler.json"
        host = ("--host", "127.0.0.1")
        self.scheduler = self.begin("scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", file, *host)
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]
        for _ in range(2):
            self.add_worker()

    def begin(self, *arguments):
        self.logs += 1
        dask = Path(sys.executable).with_name("dask")
        with open(self.folder / f"log{self.logs}", "w") as log:
            return subprocess.Popen([dask, *map(str, arguments)], stdout=log, stderr=log, cwd=self.folder)

    def add_worker(self):
        self.workers.append(self.begin("worker", self.address, "--nthreads", 1, "--no-dashboard", "--no-nanny"))

    def end(self):
        for process in [self.scheduler, *self.workers]:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(root, tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


def done(folder="far"):
    return len(list(Path(folder, "cells").glob("[!.]*")))


class Far:
    """A sweep on the cluster, and all that it says."""

    def __init__(self, cluster):
        command = [COMMAND, "sweep", "square", *GRID, "--scheduler", cluster.address, "--out", "far", "--fresh"]
        self.log = cluster.folder / "said"
        with open(self.log, "w") as file:
            self.running = begun(command, stdout=file, stderr=subprocess.STDOUT)

    def said(self):
        """Its lines, without the bar of progress."""
        return [line.rpartition("\r")[2] for line in self.log.read_text().split("\n")]

    def lines(self):
        return [line for line in self.said() if line.startswith("dpbi: ")]


def same_as_here():
    assert main(["sweep", "square", *GRID, "--out", "near", "--fresh"]) == 0
    assert Path("far", "table.csv").read_bytes() == Path("near", "table.csv").read_bytes()
    near, far = ({n: b for n, b in files(Path(where)).items() if n.startswith("cells/")} for where in ("near", "far"))
    assert near == far


def test_a_worker_that_dies_loses_nothing(cluster):
    far = Far(cluster)
    wait_for(lambda: done() >= 2)
    cluster.workers[0].kill()
    assert far.running.wait(300) == 0
    assert "6 cells, 0 done before, 6 now, 0 failed" in far.log.read_text()
    assert far.lines() == []
    same_as_here()


def test_workers_that_all_die_are_missed_and_new_ones_go_on(cluster):
    far = Far(cluster)
    wait_for(lambda: done() >= 2)
    for worker in cluster.workers:
        worker.kill()
    wait_for(lambda: any("no worker is left" in line for line in far.lines()))
    cluster.add_worker()
    assert far.running.wait(300) == 0
    first, second = far.lines()
    assert first.startswith(f"dpbi: no worker is left at {cluster.address}; waiting 60 s for another: ")
    assert second == f"dpbi: a worker has come to {cluster.address}"
    assert "6 now, 0 failed" in far.log.read_text()
    same_as_here()


def test_a_scheduler_that_dies_is_told_in_a_line_and_the_same_command_goes_on(cluster):
    far = Far(cluster)
    wait_for(lambda: done() >= 2)
    cluster.scheduler.kill()
    assert far.running.wait(120) == 1
    (line,) = far.lines()
    kept = done()
    assert line.startswith(
        f"dpbi: the scheduler at {cluster.address} is gone; {6 - kept} of 6 cells were not run; the "
    )
    assert "Traceback" not in far.log.read_text()
    assert f"{kept} now, 0 failed, {6 - kept} not run" in far.log.read_text()
    assert not Path("far", "failed").exists()
    assert main(["sweep", "square", *GRID, "--out", "far", "--fresh"]) == 0
    same_as_here()


def test_workers_that_do_not_come_back_end_the_sweep_in_a_line(cluster, capsys, monkeypatch):
    monkeypatch.setattr(runners, "WORKERLESS", 3)
    command = ["sweep", "square", "-g", "x=1,2", "-p", "seconds=50", "--scheduler", cluster.address, "--out", "far"]
    seen = runners._Watch.look

    def look(self):
        for worker in cluster.workers:
            worker.kill()
        seen(self)

    monkeypatch.setattr(runners._Watch, "look", look)
    assert failed(command) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbi: ")]
    assert lines[-1] == (
        f"dpbi: the scheduler at {cluster.address} has had no worker for 3 s; 2 of 2 cells were not run; "
        "the same command goes on"
    )


def refused_by_cluster(capsys, *arguments):
    assert failed(list(arguments)) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbi: ")]
    assert len(told) == 1
    return told[0]


def test_a_scheduler_that_does_not_answer_is_told_within_seconds_and_claims_no_folder(root, capsys):
    start = time.monotonic()
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "tcp://127.0.0.1:9")
    assert "--scheduler must be the address of a Dask scheduler, got 'tcp://127.0.0.1:9': no answer in 5 s" in said
    assert time.monotonic() - start < 60
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "here")
    assert "--scheduler must be the address of a Dask scheduler, got 'here'" in said
    assert not Path("sweep").exists()
    assert main(["sweep", "square", "-g", "x=3"]) == 0  # another grid may have the folder


def test_without_dask_it_says_what_to_install_and_runs_here(root, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "tcp://127.0.0.1:9")
    assert said == "dpbi: --scheduler needs Dask: pip install dask distributed"
    assert main(["sweep", "square", "-g", "x=1,2"]) == 0
