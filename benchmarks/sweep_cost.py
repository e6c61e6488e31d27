"""What a sweep costs beside a bare pool of papermills, and what it survives; results go to results/rerun/cost.json.

    python benchmarks/sweep_cost.py

Forty cells of a first page of one's own run by ``dpbi sweep --jobs 2``, between two halves of the same as calls of
papermill in a bare pool of two processes. The sweep is extended to sixty cells of which one fails, interrupted and
begun again. The same sixty cells run on a Dask cluster of two workers, one of which is killed, into the same table.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import papermill
from distributed import LocalCluster

from dpbi.results import record

ROOT = Path(__file__).parents[1]
FAILS = 55
PAGE = Path("study", "notebooks", "first.ipynb")


def bare(cell):
    """One cell as papermill alone runs it."""
    values = {"epsilon": cell / 10, "outdir": "bare"}
    papermill.execute_notebook(PAGE, f"bare-{cell}.ipynb", values, kernel_name="python3", progress_bar=False)


def sweep(cells, *arguments, stop=None):
    """The last lines of a sweep over some cells; it is interrupted once so many of its cells are done."""
    axis = ",".join(str(cell / 10) for cell in cells)
    call = [sys.executable, "-m", "dpbi", "sweep", "first", "-g", f"epsilon={axis}", "--jobs", "2", *arguments]
    running = subprocess.Popen(call, cwd="study", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while stop and running.poll() is None and len(list(Path("study/sweep/first/cells").glob("[!.]*"))) < stop:
        time.sleep(0.05)
    if stop:
        running.send_signal(signal.SIGTERM)  # the other one is ignored in the background of a script
    said = running.communicate()[0].replace("\r", "\n").splitlines()
    shown = [
        line for line in said if line.startswith(("dpbi: ", "first: ")) and "/cell]" not in line and "/s]" not in line
    ]
    sys.stderr.write("\n".join(shown[-2:]) + "\n")
    return " / ".join(shown[-2:])


def main():
    subprocess.run([sys.executable, "-m", "dpbi", "init", "study"], check=True)
    page = json.loads(PAGE.read_text())
    page["cells"][-1]["source"] = [
        f"if epsilon == {FAILS / 10}:\n    raise ValueError('no')\n",
        *page["cells"][-1]["source"],
    ]
    PAGE.write_text(json.dumps(page))
    times = [time.perf_counter()]
    for half in (range(1, 21), range(21, 41)):
        with ProcessPoolExecutor(2) as pool:
            list(pool.map(bare, half))
        times.append(time.perf_counter())
        if half[0] == 1:
            sweep(range(1, 41))
            times.append(time.perf_counter())
    pool_seconds, sweep_seconds = times[1] - times[0] + times[3] - times[2], times[2] - times[1]
    sys.stderr.write(f"bare pool {pool_seconds:.1f} s, sweep {sweep_seconds:.1f} s\n")
    stopped = sweep(range(1, 61), stop=50)
    resumed = sweep(range(1, 61))
    here = Path("study/sweep/first/table.csv").read_text()
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        call = [sys.executable, "-c", f"import os, time; time.sleep(20); os.kill({victim}, 9)"]
        killer = subprocess.Popen(call)
        clustered = sweep(range(1, 61), "--scheduler", cluster.scheduler_address, "--out", "far")
        killer.wait()
    found = {
        "bare_pool_seconds": round(pool_seconds, 1),
        "sweep_seconds": round(sweep_seconds, 1),
        "ratio": round(sweep_seconds / pool_seconds, 3),
        "stopped": stopped,
        "resumed": resumed,
        "cluster": clustered,
        "same_table": Path("study/far/table.csv").read_text() == here,
    }
    record("rerun/cost", {}, scalars=found, outdir=ROOT / "results", command="python benchmarks/sweep_cost.py")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
