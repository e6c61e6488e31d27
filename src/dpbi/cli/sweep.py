"""``dpbi sweep``: a notebook on a grid of parameters, on this machine or on a cluster.

A cell of the grid is done when its record is in ``cells/``, under a name made of its code, its parameters and the files
it reads. So the folder is the state: a sweep that was stopped in any way goes on when the same command is given again,
and one whose grid is extended runs the new cells.
"""

import argparse
import json
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ..results import read as read_record
from . import cache, given, output
from .execution import Outcome, Task
from .folder import Folder, report, whole
from .grid import size
from .notebooks import Notebook, checkout, find, place, run_times
from .run import needs_papermill, task
from .runners import Run, Stopped, cluster, cores, here

MANY = 1000
"""More cells than these need ``--yes``."""

EPILOG = """A grid: -g epsilon=0.1:2:20 is 20 values from 0.1 to 2 in equal steps, -g epsilon=1/10:10:5:log is 5 in
equal ratios, -g n=10,100,1000 is these values, -g prior=[1,1],[2,2] these lists. A file has a table [grid]."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "sweep",
        help="run a notebook on a grid of parameters, in parallel, into one table",
        description="Run a notebook on every cell of a grid, and gather parameters and results in table.csv, one row "
        "per cell. However it is stopped, the same command goes on where it was. A larger grid runs its new cells.",
        epilog=EPILOG,
    )
    given.arguments(parser, "a parameter, the same in every cell")
    parser.add_argument(
        "-g", dest="grid", metavar="NAME=VALUES", action="append", default=[], help="an axis of the grid"
    )
    parser.add_argument("--out", metavar="DIR", help="folder to write to (sweep/NOTEBOOK)")
    parser.add_argument("--jobs", metavar="N", type=int, help="cells at a time on this machine (one for each core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="how long a cell may take")
    parser.add_argument("--dry-run", action="store_true", help="say what would be run and how long it takes")
    parser.add_argument("--status", action="store_true", help="say how far the sweep in the folder is")
    parser.add_argument("--json", action="store_true", help="with --dry-run or --status: as JSON")
    parser.add_argument("--fresh", action="store_true", help="use no cell that another run or sweep computed")
    parser.add_argument("--yes", action="store_true", help=f"run a grid of more than {MANY} cells")
    parser.add_argument("--force", action="store_true", help="replace the table of another grid in that folder")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    root = checkout()
    notebook = find(root, options.notebook)
    folder = Folder(output.folder(options.out, Path("sweep", notebook.name)))
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {options.jobs}")
    if options.json and not (options.status or options.dry_run):
        raise ValueError("--json must go with --dry-run or --status: the results of a sweep are in table.csv")
    asked = _before(folder, notebook, options) if options.status else _asked(notebook, options)
    count = size(asked["grid"])
    if count > MANY and not (options.yes or options.status or options.dry_run):
        seconds = run_times(root).get(notebook.name, 0) * count
        time = f", some {seconds / 3600:.2g} hours on one core" if seconds else ""
        raise ValueError(f"the grid must have at most {MANY} cells, or add --yes, got {count}{time}")
    first = task(root, notebook, {}, options.timeout)
    tasks = [
        Task(first.name, first.notebook, given.complete(notebook, cell), first.code, first.inputs, first.timeout)
        for cell in whole(asked)
    ]
    if options.status or options.dry_run:
        usual = folder.seconds() or run_times(root).get(notebook.name)
        _tell(standing(folder, tasks, usual, options), options)
        return 0
    if not options.force:
        folder.refuse(asked)
    needs_papermill()
    local = partial(here, jobs=options.jobs or cores(), place=place(root, notebook.name).parent)
    with cluster(options.scheduler) if options.scheduler else nullcontext(local) as runner, output.alone(folder.shown):
        if not options.force:
            folder.refuse(asked)
        folder.claim(asked)
        return sweep(folder, tasks, list(asked["grid"]), runner, fresh=options.fresh)


def _asked(notebook: Notebook, options: argparse.Namespace) -> dict[str, Any]:
    """What is asked for now, as ``grid.json`` has it."""
    fixed = given.values(notebook, options.set, options.file)
    axes = given.axes(notebook, options.grid, options.file)
    for name in axes:
        if name in fixed:
            raise ValueError(f"{name} must be given once, got it twice")
    if not axes:
        raise ValueError("the grid must have at least one axis: -g epsilon=0.1:2:20, for instance")
    asked = {"notebook": notebook.name, "parameters": given.complete(notebook, fixed), "grid": axes}
    return json.loads(json.dumps(asked))  # type: ignore[no-any-return]


def _before(folder: Folder, notebook: Notebook, options: argparse.Namespace) -> dict[str, Any]:
    """What was asked for when the folder was last written to."""
    if options.grid or options.set or options.file:
        raise ValueError("--status must go without -g, -p and -f: the folder knows its grid")
    asked = folder.asked()
    if asked.get("notebook") != notebook.name:
        raise ValueError(f"--out must be the folder of a sweep of {notebook.name}, got {folder.shown}")
    known = {each.name for each in notebook.parameters}
    if unknown := sorted({*asked["parameters"], *asked["grid"]} - known):
        raise ValueError(
            f"{notebook.name} has no parameter {unknown[0]!r} any more, which {folder.shown} was made with"
        )
    return asked


def standing(folder: Folder, tasks: list[Task], seconds: float | None, options: argparse.Namespace) -> dict[str, Any]:
    """How far a sweep is, and what is left."""
    done = [task for task in tasks if folder.record(task).exists()]
    left = [task for task in tasks if not folder.record(task).exists()]
    failed = [task for task in left if folder.broken(task).exists()]
    known = [] if options.fresh else [task for task in left if cache.found(task)]
    jobs = options.jobs or cores()
    return {
        "notebook": tasks[0].name,
        "folder": folder.shown.as_posix(),
        "cells": len(tasks),
        "done": len(done),
        "failed": len(failed),
        "not_run": len(left) - len(failed),
        "computed_elsewhere": len(known),
        "to_run": len(left) - len(known),
        "at_a_time": jobs,
        "seconds": None if seconds is None else round(seconds * (len(left) - len(known)) / jobs, 1),
        "being_written": folder.path.is_dir() and output.busy(folder.path),
    }


def _tell(found: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{found['notebook']}: {found['cells']} cells, {found['done']} done, {found['failed']} failed, ", end="")
    print(f"{found['not_run']} not run")
    if found["computed_elsewhere"]:
        print(f"{found['computed_elsewhere']} of those not done were computed by another run or sweep")
    if found["to_run"] and found["seconds"] is None:
        print(f"{found['to_run']} to run, {found['at_a_time']} at a time; it is not known how long one takes")
    elif found["to_run"]:
        print(f"{found['to_run']} to run, some {found['seconds']:g} s with {found['at_a_time']} at a time")
    if found["being_written"]:
        print(f"another dpbi is writing to {found['folder']} now")


def sweep(
    folder: Folder, tasks: list[Task], axes: list[str], runner: Callable[[list[Task], Any], Run], *, fresh: bool = False
) -> int:
    """Run what is not done yet, keep the table up to date, and say at the end what failed."""
    from tqdm import tqdm

    done = {task.key: read_record(folder.record(task)).scalars for task in tasks if folder.record(task).exists()}
    before = len(done)
    for each in tasks:
        if not fresh and each.key not in done and (known := cache.found(each)):
            folder.keep(each, known)
            done[each.key] = read_record(folder.record(each)).scalars
    elsewhere = len(done) - before
    errors: dict[str, str] = {}
    stopped = ""

    def tabulate() -> None:
        tried = [task for task in tasks if task.key in done or task.key in errors]
        folder.tabulate((task, done.get(task.key, {}), errors.get(task.key, "")) for task in tried)

    def keep(task: Task, outcome: Outcome) -> None:
        folder.keep(task, outcome)
        cache.keep(task, outcome)

    tabulate()
    due = monotonic() + 1
    try:
        with tqdm(total=len(tasks), initial=len(done), desc=tasks[0].name, unit="cell", smoothing=0.1) as bar:
            for task, error in runner([task for task in tasks if task.key not in done], keep):
                if error:
                    errors[task.key] = error
                else:
                    done[task.key] = read_record(folder.record(task)).scalars
                bar.set_postfix_str(f"{len(errors)} failed" if errors else "", refresh=False)
                bar.update()
                if (moment := monotonic()) > due:
                    tabulate()
                    due = monotonic() + max(1, 20 * (monotonic() - moment))  # a large table is not written all the time
    except KeyboardInterrupt as stop:
        finished = sum(folder.record(task).exists() for task in tasks)
        raise type(stop)(f"{finished} of {len(tasks)} cells are done; the same command goes on") from None
    except Stopped as reason:
        stopped = str(reason)
    except OSError as error:
        raise ValueError(f"stopped, the cells that are done are kept: {error}") from None
    tabulate()
    now, missing = len(done) - before - elsewhere, len(tasks) - len(done) - len(errors)
    parts = [f"{before} done before", f"{elsewhere} computed elsewhere" if elsewhere else "", f"{now} now"]
    parts += [f"{len(errors)} failed", f"{missing} not run" if missing else ""]
    print(f"{tasks[0].name}: {len(tasks)} cells, {', '.join(filter(None, parts))}")
    print(f"table: {folder.shown / 'table.csv'}")
    if stopped:
        told = f"; {len(errors)} failed" if errors else ""
        raise ValueError(f"{stopped}; {missing} of {len(tasks)} cells were not run{told}; the same command goes on")
    if errors:
        raise ValueError(report(folder, tasks, axes, errors))
    return 0
