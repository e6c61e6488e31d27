"""Stops a release at one step of its work after another, and prints what each stop leaves behind as JSON lines.

python release_faults.py FOLDER STOPS fresh|replace

Every stop happens in a child process that ends at once, with no clean-up of any kind, when a chosen line of
releases.py, budget.py, files.py or the standard library's folder removal is about to run. A pipe tells whether noise
was drawn.
"""

import json
import os
import shutil
import sys
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")  # not by the environment, which the kernels of the notebooks would inherit

from dpbi import files, plots, release  # noqa: F401  # all imported before the forks
from dpbi.mechanisms import integer_noise  # all imported before the forks
from dpbi.publish import budget, releases  # all imported before the forks

WATCHED = {releases.__file__, budget.__file__, files.__file__, shutil.__file__}


def work(folder):
    releases.release(
        ["a", "b", "b", "c"], ["a", "b", "c"], [1, 1, 1], "1/4", out=folder / "out", budget=folder / "budget.json",
        limit="100", force=True,
    )  # fmt: skip


def run(folder, stop):
    """Run the work in a child that ends before line number ``stop``; (finished, whether noise was drawn, lines)."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        lines = 0

        def trace(frame, event, argument):
            nonlocal lines
            if frame.f_code.co_filename not in WATCHED:
                return None
            if event == "line":
                lines += 1
                if lines == stop:
                    os._exit(9)
            return trace

        zero_sum = integer_noise.zero_sum

        def drawing(rate, k):
            os.write(write, b"drawn ")
            return zero_sum(rate, k)

        integer_noise.zero_sum = drawing
        sys.settrace(trace)
        work(folder)
        sys.settrace(None)
        os.write(write, str(lines).encode())
        os._exit(0)
    os.close(write)
    told = b""
    while piece := os.read(read, 1000):
        told += piece
    os.close(read)
    status = os.waitpid(child, 0)[1]
    return os.waitstatus_to_exitcode(status) == 0, b"drawn" in told, int(told.split()[-1]) if status == 0 else 0


def receipt(folder):
    path = folder / "out" / "receipt.json"
    return json.loads(path.read_text()) if path.exists() else None


def main():
    root, stops, start = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    template = root / "template"
    template.mkdir()
    budget.spend(template / "budget.json", Fraction(3, 4), Fraction(100), {})
    if start == "replace":
        work(template)
    total = run(Path(shutil.copytree(template, root / "whole")), 0)[2]
    last = 12  # and each of the last steps, where the release is given its name
    for stop in [1 + number * total // stops for number in range(stops)] + [total + 1 - step for step in range(last)]:
        folder = Path(shutil.copytree(template, root / str(stop), dirs_exist_ok=True))
        before, old = budget.read_account(folder / "budget.json"), receipt(folder)
        finished, drawn, _ = run(folder, stop)
        after, new = budget.read_account(folder / "budget.json"), receipt(folder)  # fails if a file is not whole
        for path in [*folder.rglob("receipt.json"), *folder.rglob("posterior.json")]:  # in hidden folders too
            json.loads(path.read_text())
        print(
            json.dumps(
                {
                    "finished": finished,
                    "drawn": drawn,
                    "charged": str(after.spent - before.spent),
                    "kept": after.entries[: len(before.entries)] == before.entries,
                    "published": new is not None and new != old,
                    "old": new is not None and new == old,
                    "files": sorted(path.name for path in (folder / "out").iterdir()) if new is not None else [],
                    "recorded": new is None or Fraction(new["budget"]["spent"]) <= after.spent,
                }
            )
        )
        # the lock is free, whoever held it, and what was charged stays charged
        assert budget.spend(folder / "budget.json", Fraction(1, 4), None, {}).spent == after.spent + Fraction(1, 4)
        shutil.rmtree(folder)
    work(root / "whole")


if __name__ == "__main__":
    main()
