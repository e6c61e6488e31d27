"""Do what the guide to rerunning shows, and record what was seen in results/rerun.

python tools/record_rerun.py transcript    a page rerun, a sweep of forty cells stopped half-way and begun again,
                                           and the same sweep on a Dask cluster of two workers
python tools/record_rerun.py cost          forty light cells beside the same calls of papermill in a bare pool of two
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd
import papermill

from dpbi.cli.grid import axis
from dpbi.cli.notebooks import checkout, notebooks
from dpbi.results import record

SWEEP = "dpbi sweep notes/theorem_4_5 -g n=20,80 -g t=0.05:0.9:20 -p sizes=10,100 -p epsilons=0.5,1"
TABLE = Path("sweep", "notes", "theorem_4_5", "table.csv")
SCHEDULER = "tcp://127.0.0.1:8786"
LIGHT = ("foundations/first_release", "epsilon", "0.1:4:40")
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
    for line in ("dask scheduler --port 8786 --host 127.0.0.1", *[f"dask worker {SCHEDULER} --nthreads 2"] * 2):
        with open(f"log{len(started)}", "w") as log:
            started.append(subprocess.Popen([BIN / "dask", *line.split()[1:]], stdout=log, stderr=log))
        see("cluster", line + " &", "")
    try:
        far = f"{SWEEP} --scheduler {SCHEDULER} --out cluster"
        see("cluster", far, run(far))
    finally:
        for process in started:
            process.terminate()
            process.wait()
    same = Path("cluster", "table.csv").read_bytes() == TABLE.read_bytes()
    compared = subprocess.run(["cmp", TABLE, "cluster/table.csv"], check=same, capture_output=True, text=True)
    see("compare", f"cmp {TABLE} cluster/table.csv && echo identical", compared.stdout or "identical")
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
    (known,) = (each for each in notebooks(checkout()) if each.name == name)
    (swept,) = (each for each in known.parameters if each.name == parameter)
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
    what = sys.argv[1] if sys.argv[1:] in (["transcript"], ["cost"]) else sys.exit(__doc__)
    target = Path(__file__).parents[1] / "results"
    command = f"python tools/record_rerun.py {what}"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if what == "cost":
            record("rerun/cost", {"light": " ".join(LIGHT)}, scalars=seconds(), outdir=target, command=command)
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
