"""``dpbi sweep --scheduler``: whatever dies in a cluster, the table is in the end the one that is made here."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from checkouts import begun, checkout, failed, files, shared_imports, write_notebook
from dpbi.cli import main, runners
from test_cli_run import COMMAND, wait_for

GRID = ["-g", "x=0:1:2"]
WAITS = """\
gate = os.environ.get("GATE")
if gate and x > 0:
    Path(gate, f"{x:g}").write_text(f"{os.getppid()} ")
    while not Path(gate, "open").exists():
        time.sleep(0.05)
square = x**2"""
"""The second cell waits at a gate if there is one, and says there which worker runs it."""


class Cluster:
    """A scheduler and workers, begun by hand as a user does, and the gate at which their cells wait."""

    def __init__(self, folder):
        self.folder, self.gate, self.workers, self.logs, self.scheduler = folder, folder / "gate", [], 0, None

    def ready(self):
        """Have a scheduler and a closed gate: one that died in an earlier test is begun again."""
        if self.gate.exists():
            self.gate.rename(Path(tempfile.mkdtemp(dir=self.folder), "gate"))
        self.gate.mkdir()
        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self.logs, self.workers = self.logs + 1, []
            file = self.folder / f"scheduler{self.logs}.json"
            host = ("--host", "127.0.0.1")
            self.scheduler = self.begin("scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", file, *host)
            wait_for(lambda: file.exists() and file.read_text().endswith("}"))
            self.address = json.loads(file.read_text())["address"]

    def have(self, wanted):
        """Have so many workers, some of an earlier test perhaps."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        new = [self.add_worker() for _ in range(wanted - len(self.workers))]
        wait_for(lambda: all("Registered to" in log.read_text() for log in new))  # a sweep has little patience

    def begin(self, *arguments):
        self.logs += 1
        dask = Path(sys.executable).with_name("dask")
        with open(self.log(), "w") as log:
            how = {"stdout": log, "stderr": log, "cwd": self.folder, "env": os.environ | {"GATE": str(self.gate)}}
            return subprocess.Popen([dask, *map(str, arguments)], **how)

    def log(self):
        """What the process that began last says."""
        return self.folder / f"log{self.logs}"

    def add_worker(self):
        self.workers.append(self.begin("worker", self.address, "--nthreads", 1, "--no-dashboard", "--no-nanny"))
        return self.log()

    def kill_workers(self):
        for worker in self.workers:
            worker.kill()
            worker.wait()

    def busy(self):
        """The workers whose cell waits, once another cell is done."""
        said = {path.read_text() for path in self.gate.iterdir()} if done() else set()
        return [worker for worker in self.workers if f"{worker.pid} " in said]

    def let_go_on(self):
        (self.gate / "open").touch()

    def end(self):
        self.kill_workers()
        if self.scheduler is not None:
            self.scheduler.kill()
            self.scheduler.wait()


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.end()


@pytest.fixture
def cluster(root, machines):
    """A cluster that has no workers yet, or those that an earlier test has left."""
    write_notebook(root, square=WAITS)
    machines.ready()
    yield machines
    machines.let_go_on()  # no kernel of a dead worker shall wait for ever


def done(folder="far"):
    return len(list(Path(folder, "cells").glob("[!.]*")))


@pytest.fixture(scope="module")
def near(tmp_path_factory):
    """What the sweep makes on this machine."""
    root = checkout(tmp_path_factory.mktemp("near"))
    write_notebook(root, square=WAITS)
    with shared_imports, pytest.MonkeyPatch.context() as patched:
        patched.setenv("DPBI_CACHE", "")
        patched.chdir(root)
        assert main(["sweep", "square", *GRID, "--out", "near"]) == 0
    return made_in(root / "near")


def made_in(folder):
    return {
        name: content for name, content in files(folder).items() if name == "table.csv" or name.startswith("cells/")
    }


def command(cluster):
    return ["sweep", "square", *GRID, "--scheduler", cluster.address, "--out", "far", "--fresh"]


def told_in(text):
    """Its lines, without the bar of progress."""
    return [line for line in (line.rpartition("\r")[2] for line in text.split("\n")) if line.startswith("dpbi: ")]


class Far:
    """A sweep on the cluster in a process of its own, and all that it says."""

    def __init__(self, cluster):
        self.log = cluster.folder / "said"
        with open(self.log, "w") as file:
            self.running = begun([COMMAND, *command(cluster)], stdout=file, stderr=subprocess.STDOUT)

    def lines(self):
        return told_in(self.log.read_text())


def test_a_worker_that_dies_loses_nothing(cluster, near, capsys, monkeypatch):
    cluster.have(2)
    seen, killed = runners._Watch.look, []

    def look(self):
        if not killed and (busy := cluster.busy()):
            busy[0].kill()
            killed.append(busy[0].wait())
            cluster.let_go_on()
        seen(self)

    monkeypatch.setattr(runners._Watch, "look", look)
    assert main(command(cluster)) == 0
    said = capsys.readouterr()
    assert len(killed) == 1
    assert "2 cells, 0 done before, 2 now, 0 failed" in said.out
    assert told_in(said.out) == told_in(said.err) == []
    assert made_in(Path("far")) == near


def test_workers_that_all_die_are_missed_and_new_ones_go_on(cluster, near):
    cluster.have(2)
    far = Far(cluster)
    wait_for(cluster.busy)
    cluster.kill_workers()
    wait_for(lambda: any("no worker is left" in line for line in far.lines()))
    cluster.let_go_on()
    cluster.add_worker()
    assert far.running.wait(600) == 0
    first, second = far.lines()
    assert first.startswith(f"dpbi: no worker is left at {cluster.address}; waiting 60 s for another: ")
    assert second == f"dpbi: a worker has come to {cluster.address}"
    assert "2 now, 0 failed" in far.log.read_text()
    assert made_in(Path("far")) == near


def test_workers_that_do_not_come_back_end_the_sweep_in_a_line(cluster, capsys, monkeypatch):
    cluster.have(1)
    monkeypatch.setattr(runners, "WORKERLESS", 1)
    waiting = ["sweep", "square", "-g", "x=1,2", "-p", "seconds=50", "--scheduler", cluster.address, "--out", "far"]
    seen = runners._Watch.look

    def look(self):
        cluster.kill_workers()
        seen(self)

    monkeypatch.setattr(runners._Watch, "look", look)
    assert failed(waiting) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbi: ")]
    assert lines[-1] == (
        f"dpbi: the scheduler at {cluster.address} has had no worker for 1 s; 2 of 2 cells were not run; "
        "the same command goes on"
    )


@shared_imports
def test_a_scheduler_that_dies_is_told_in_a_line_and_the_same_command_goes_on(cluster, near):
    cluster.have(1)
    far = Far(cluster)
    wait_for(cluster.busy)
    cluster.scheduler.kill()
    assert far.running.wait(600) == 1
    (line,) = far.lines()
    kept = done()
    assert line.startswith(
        f"dpbi: the scheduler at {cluster.address} is gone; {2 - kept} of 2 cells were not run; the "
    )
    assert "Traceback" not in far.log.read_text()
    assert f"{kept} now, 0 failed, {2 - kept} not run" in far.log.read_text()
    assert not Path("far", "failed").exists()
    assert main(["sweep", "square", *GRID, "--out", "far", "--fresh"]) == 0
    assert made_in(Path("far")) == near


def refused_by_cluster(capsys, *arguments):
    assert failed(list(arguments)) == 1
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbi: ")]
    assert len(told) == 1
    return told[0]


@shared_imports
def test_a_scheduler_that_does_not_answer_is_told_within_seconds_and_claims_no_folder(root, capsys, monkeypatch):
    assert runners.PATIENCE <= 5
    monkeypatch.setattr(runners, "PATIENCE", 1)
    start = time.monotonic()
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "tcp://127.0.0.1:9")
    assert "--scheduler must be the address of a Dask scheduler, got 'tcp://127.0.0.1:9': no answer in 1 s" in said
    assert time.monotonic() - start < 60
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "here")
    assert "--scheduler must be the address of a Dask scheduler, got 'here'" in said
    assert not Path("sweep").exists()
    assert main(["sweep", "square", "-g", "x=3"]) == 0  # another grid may have the folder


@shared_imports
def test_without_dask_it_says_what_to_install_and_runs_here(root, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = refused_by_cluster(capsys, "sweep", "square", "-g", "x=1,2", "--scheduler", "tcp://127.0.0.1:9")
    assert said == "dpbi: --scheduler needs Dask: pip install dask distributed"
    assert main(["sweep", "square", "-g", "x=1,2"]) == 0
