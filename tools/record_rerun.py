"""Do what the guide to rerunning shows, and record what was seen in results/rerun.

python tools/record_rerun.py transcript    a page rerun, a sweep of forty cells stopped half-way and begun again,
                                           and the same sweep on a Dask cluster of two workers
python tools/record_rerun.py growth        a grid of forty cells extended to sixty, and a cluster whose scheduler is
                                           killed half-way and begun again
python tools/record_rerun.py own           the library as a wheel in a new environment, and a page of one's own
python tools/record_rerun.py cost          forty light cells beside the same calls of papermill in a bare pool of two
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd
import papermill

from dpbi.cli.grid import axis
from dpbi.cli.notebooks import checkout, find
from dpbi.results import record

SWEEP = "dpbi sweep notes/theorem_4_5 -g n=20,80 -g t=0.05:0.9:20 -p sizes=10,100 -p epsilons=0.5,1"
TABLE = Path("sweep", "notes", "theorem_4_5", "table.csv")
SCHEDULER = "tcp://127.0.0.1:8786"
SCHEDULER_LINE = "dask scheduler --port 8786 --host 127.0.0.1"
LIGHT = ("foundations/first_release", "epsilon", "0.1:4:40")
ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


def shown(output: str) -> str:
    """What a terminal shows in the end: of a line that was written over, the last state."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2].rstrip() for line in output.strip().split("\n"))


def run(line: str, stop: tuple[Path, int] | None = None) -> str:
    """The output of a command; it is interrupted as from the keyboard when a folder has so many files."""
    command, *arguments = line.split()
    running = subprocess.Popen(
        [BIN / command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    while stop and running.poll() is None:
        folder, number = stop
        if len(list(folder.glob("[!.]*"))) >= number:
            os.killpg(running.pid, signal.SIGINT)
            stop = None
        time.sleep(0.05)
    return shown(running.communicate()[0].decode())


def transcript() -> dict[str, list[str]]:
    """Commands and outputs, in the present folder."""
    seen: dict[str, list[str]] = {"step": [], "command": [], "output": []}

    def see(step: str, command: str, output: str) -> None:
        print(f"$ {command}\n{output}\n", flush=True)
        for column, value in zip(seen, (step, command, output), strict=True):
            seen[column].append(value)

    page = "dpbi run notes/theorem_4_5 -p epsilon=2"
    see("rerun", page, run(page))
    here = f"{SWEEP} --jobs 4"
    see("sweep", here, run(here, stop=(TABLE.parent / "cells", 20)))
    see("resume", here, run(here))
    started = []
    for line in (SCHEDULER_LINE, *[f"dask worker {SCHEDULER} --nthreads 2"] * 2):
        with open(f"log{len(started)}", "w") as log:
            started.append(subprocess.Popen([BIN / "dask", *line.split()[1:]], stdout=log, stderr=log))
        see("cluster", line + " &", "")
    try:
        far = f"{SWEEP} --fresh --scheduler {SCHEDULER} --out cluster"
        see("cluster", far, run(far))
    finally:
        for process in started:
            process.terminate()
            process.wait()
    same = Path("cluster", "table.csv").read_bytes() == TABLE.read_bytes()
    compared = subprocess.run(["cmp", TABLE, "cluster/table.csv"], check=same, capture_output=True, text=True)
    see("compare", f"cmp {TABLE} cluster/table.csv && echo identical", compared.stdout or "identical")
    return seen


def kill_when(process: subprocess.Popen[bytes], folder: Path, number: int) -> None:
    """Kill a process when a folder has so many files."""
    while len(list(folder.glob("[!.]*"))) < number:
        time.sleep(0.05)
    process.kill()
    process.wait()


def growth() -> dict[str, list[str]]:
    """Commands and outputs of a grid that grows, and of one whose scheduler dies, in the present folder."""
    seen: dict[str, list[str]] = {"step": [], "command": [], "output": []}

    def see(step: str, command: str, output: str | None = None) -> None:
        output = run(command) if output is None else output
        print(f"$ {command}\n{output}\n", flush=True)
        for column, value in zip(seen, (step, command, output), strict=True):
            seen[column].append(value)

    def begin(line: str) -> subprocess.Popen[bytes]:
        path = Path(f"log{time.monotonic()}")
        with open(path, "w") as log:
            started = subprocess.Popen([BIN / "dask", *line.split()[1:]], stdout=log, stderr=log)
        while not any(sign in path.read_text() for sign in ("Scheduler at:", "Registered to:")):
            time.sleep(0.1)
        return started

    name, parameter, _ = LIGHT
    grid = f"dpbi sweep {name} -g {parameter}=1/10:2:20 -g counts="
    see("before", f"{grid}[14,6],[7,13] --jobs 2")
    see("grow", f"{grid}[14,6],[7,13],[10,10] --jobs 2 --dry-run")
    see("grow", f"{grid}[14,6],[7,13],[10,10] --jobs 2")
    see("grow", f"dpbi sweep {name} --status")
    far = f"dpbi sweep {name} -g {parameter}=1/10:2:20 --fresh --out cluster --scheduler {SCHEDULER}"
    lines = (SCHEDULER_LINE, *[f"dask worker {SCHEDULER} --nthreads 1"] * 2)
    for fatal in (True, False):
        started = [begin(line) for line in lines]
        try:
            if fatal:
                threading.Thread(target=kill_when, args=(started[0], Path("cluster", "cells"), 8)).start()
            else:
                for line in lines:
                    see("lost", line + " &", "")
            see("lost", far)
        finally:
            for process in started:
                process.terminate()
                process.wait()
    return seen


def own() -> dict[str, list[str]]:
    """The wheel in a new environment, where nothing of the checkout is, and a page of one's own there."""
    seen: dict[str, list[str]] = {"step": [], "command": [], "output": []}
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", Path.cwd()],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = Path.cwd().glob("*.whl")
    there = {**os.environ, "PATH": f"{Path.cwd() / 'env' / 'bin'}:{os.environ['PATH']}", "DPBI_CACHE": ""}
    there.pop("PYTHONPATH", None)
    lines = [
        ("install", "python -m venv env && . env/bin/activate"),
        ("install", f"pip install --quiet {wheel.name} papermill ipykernel"),
        ("install", "dpbi --version"),
        ("own", "dpbi init study && cd study"),
        ("own", "dpbi list"),
        ("own", "dpbi run first -p epsilon=1/2"),
        ("own", "dpbi sweep first -g epsilon=1/10:2:6 -g counts=[14,6],[7,13] --jobs 2"),
        ("own", "dpbi run first -p epsilon=200"),
    ]
    folder = Path.cwd()
    for step, line in lines:
        quiet = (
            line.replace("pip install --quiet", "pip install --disable-pip-version-check -qqq")
            .replace("[", "'[")
            .replace("]", "]'")
        )
        found = subprocess.run(
            quiet, shell=True, cwd=folder, env=there, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        folder = folder / "study" if "cd study" in line else folder
        output = shown(found.stdout.decode())
        print(f"$ {line}\n{output}", flush=True)
        for column, value in zip(seen, (step, line, output), strict=True):
            seen[column].append(value)
    return seen


def bare(value: float) -> None:
    """One cell as papermill alone runs it."""
    name, parameter, _ = LIGHT
    papermill.execute_notebook(
        checkout() / "notebooks" / f"{name}.ipynb",
        f"bare-{value}.ipynb",
        {parameter: value, "outdir": "bare"},
        kernel_name="python3",
        progress_bar=False,
    )


def seconds() -> dict[str, float]:
    """How long forty light cells take in a bare pool of two workers, and in sweeps: in turn, ten by ten.

    So both meet the same other work on the machine. The four sweeps begin anew, which one sweep of forty does once.
    """
    name, parameter, values = LIGHT
    (swept,) = (each for each in find(checkout(), name).parameters if each.name == parameter)
    cells = axis(swept, values)
    bare_seconds = sweep_seconds = 0.0
    for ten in (cells[i : i + 10] for i in range(0, len(cells), 10)):
        begun = time.perf_counter()
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(bare, ten))
        middle = time.perf_counter()
        output = run(f"dpbi sweep {name} -g {parameter}={','.join(map(str, ten))} --jobs 2 --out light-{ten[0]}")
        bare_seconds += middle - begun
        sweep_seconds += time.perf_counter() - middle
        print(f"{output}\nbare pool {bare_seconds:.1f} s, sweeps {sweep_seconds:.1f} s", flush=True)
    return {
        "bare_pool_seconds": round(bare_seconds, 1),
        "sweep_seconds": round(sweep_seconds, 1),
        "ratio": round(sweep_seconds / bare_seconds, 3),
    }


def main() -> None:
    what = sys.argv[1] if sys.argv[1:] in (["transcript"], ["growth"], ["own"], ["cost"]) else sys.exit(__doc__)
    target = ROOT / "results"
    command = f"python tools/record_rerun.py {what}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["DPBI_CACHE"] = str(Path(folder, "cache"))  # what was computed before today is not used
        if what == "cost":
            record("rerun/cost", {"light": " ".join(LIGHT)}, scalars=seconds(), outdir=target, command=command)
        elif what == "own":
            record("rerun/own", {}, tables={"transcript": own()}, outdir=target, command=command)
        elif what == "growth":
            record("rerun/growth", {}, tables={"transcript": growth()}, outdir=target, command=command)
        else:
            seen = transcript()
            table = pd.read_csv(TABLE)[["n", "t", "right_lshist", "right_lszhang", "clamped", "kept"]]
            done = int(seen["output"][2].partition(" done before")[0].split()[-1])
            record(
                "rerun/transcript",
                {"sweep": SWEEP},
                scalars={"cells": len(table), "done_before": done},
                tables={"transcript": seen, "sweep": table},
                outdir=target,
                command=command,
            )
        os.chdir(target)


if __name__ == "__main__":
    main()
