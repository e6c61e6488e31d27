"""Do what the guide to rerunning shows, and record what was seen in results/rerun.

python tools/record_rerun.py transcript    a page rerun, a sweep of forty cells stopped half-way and begun again,
                                           and the same sweep on a Dask cluster of two workers
python tools/record_rerun.py growth        a grid of forty cells extended to sixty, a cluster whose scheduler is killed
                                           half-way and begun again, and one that loses first one worker, then all
python tools/record_rerun.py own           the library as a wheel in a new environment, and a page of one's own
python tools/record_rerun.py cost          forty light cells beside the same calls of papermill in a bare pool of two
python tools/record_rerun.py many          two thousand cells of a page of one's own, with memory, beside a bare pool
"""

import contextlib
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
import psutil

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
        end(started)
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


def end(started: list[subprocess.Popen[bytes]]) -> None:
    """End processes, and wait until they have."""
    for process in started:
        process.terminate()
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
            end(started)
    started = [begin(line) for line in lines]

    def lose() -> None:
        for number, worker in zip((5, 10), started[1:3], strict=True):
            kill_when(worker, Path("workers", "cells"), number)
        time.sleep(5)
        started.append(begin(lines[-1]))

    threading.Thread(target=lose).start()
    try:
        see("workers", far.replace("--out cluster", "--out workers"))
    finally:
        end(started)
    compared = subprocess.run(["cmp", "cluster/table.csv", "workers/table.csv"], check=True, capture_output=True)
    see("workers", "cmp cluster/table.csv workers/table.csv && echo identical", compared.stdout.decode() or "identical")
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


def alone(value: float) -> None:
    """One cell of a first page of one's own, as papermill alone runs it."""
    values = {"epsilon": value, "outdir": "bare"}
    page = Path("study", "notebooks", "first.ipynb")
    papermill.execute_notebook(page, f"bare-{value}.ipynb", values, kernel_name="python3", progress_bar=False)


def megabytes(process: psutil.Process) -> tuple[float, float]:
    """Memory of a process, and of it with all that it began: shared pages are counted once, by their share."""
    sizes = []
    for each in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            sizes.append(each.memory_full_info().pss / 1e6)
    return round(sizes[0], 1), round(sum(sizes), 1)


def many(number: int = 2000, steps: int = 20, pooled: int = 10) -> dict[str, dict[str, list[float]]]:
    """A sweep of so many cells, which rests a few times while a bare pool of two works: both meet the same machine.

    After each step: cells done, seconds of the sweep so far, and what the cells of the pool took; and, while it runs,
    its memory.
    """
    run("dpbi init study")
    rows: dict[str, list[float]] = {name: [] for name in ("cells", "seconds", "pool_seconds")}
    memory: dict[str, list[float]] = {name: [] for name in ("cells", "megabytes", "with_kernels")}

    def add(table: dict[str, list[float]], *row: float) -> None:
        print(*row, flush=True)
        for name, value in zip(table, row, strict=True):
            table[name].append(value)

    cells = Path("study", "sweep", "first", "cells")
    call = [BIN / "dpbi", *f"sweep first -g epsilon=0.01:20:{number} --jobs 2 --yes".split()]
    with open("log", "w") as log:
        sweep = subprocess.Popen(call, cwd="study", stdout=log, stderr=log, start_new_session=True)
    begun, rest = time.perf_counter(), 0.0
    for step in range(1, steps + 1):
        while sweep.poll() is None and (not cells.is_dir() or len(os.listdir(cells)) < step * number // steps):
            time.sleep(0.2)
        now = time.perf_counter()
        if sweep.poll() is None:
            add(memory, len(os.listdir(cells)), *megabytes(psutil.Process(sweep.pid)))
            os.killpg(sweep.pid, signal.SIGSTOP)
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(alone, [(step - 1) / steps + (i + 1) / 1000 for i in range(pooled)]))
        pause = time.perf_counter() - now
        with contextlib.suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGCONT)
        add(rows, len(os.listdir(cells)), round(now - begun - rest, 1), round(pause, 1))
        rest += pause
    if sweep.wait():
        sys.exit(Path("log").read_text())
    return {"steps": rows, "memory": memory}


def main() -> None:
    modes = ("transcript", "growth", "own", "cost", "many")
    what = sys.argv[1] if len(sys.argv) == 2 and sys.argv[1] in modes else sys.exit(__doc__)
    target = ROOT / "results"
    command = f"python tools/record_rerun.py {what}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["DPBI_CACHE"] = str(Path(folder, "cache"))  # what was computed before today is not used
        if what == "cost":
            record("rerun/cost", {"light": " ".join(LIGHT)}, scalars=seconds(), outdir=target, command=command)
        elif what == "many":
            tables = many()
            rows = tables["steps"]
            spent = {
                "cells": rows["cells"][-1],
                "seconds_per_cell": round(rows["seconds"][-1] / rows["cells"][-1], 3),
                "pool_seconds_per_cell": round(sum(rows["pool_seconds"]) / (10 * len(rows["cells"])), 3),
            }
            record("rerun/many", {}, scalars=spent, tables=tables, outdir=target, command=command)
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
