"""``dpbi run``, ``sweep``, ``init``, ``verify``: run a notebook once or on a grid, write a first one, rerun statements.

A cell of a grid is done when its results are in the subfolder ``cells``, under a name computed from its code and its
parameters. The output folder therefore contains the whole state of a sweep. However the sweep was stopped, the same
command continues it, and a sweep with an extended grid runs only the new cells. The subfolder ``failed`` contains the
failed notebooks, executed up to the error. The file ``table.csv`` has one row for each completed or failed cell of the
most recent grid. The table is written when a sweep ends or is interrupted.
"""

import argparse
import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from ..checks import need, whole
from ..files import write_whole
from ..results import read
from .execution import Task, cluster, cores, outcomes, processes, tasks_of
from .notebooks import cells, checkout, find

FIRST = Path(__file__).with_name("first.ipynb")


def add(commands: Any) -> None:
    """Register the commands."""
    run = commands.add_parser("run", help="run a notebook with parameters of your own", run=_run)
    sweep = commands.add_parser("sweep", help="run a notebook on a grid of parameters and write one table", run=_sweep)
    for parser, folder in ((run, "rerun"), (sweep, "sweep")):
        add = parser.add_argument
        add("notebook", metavar="NOTEBOOK", help="name of the notebook in 'dpbi list', for instance notes/theorem_4_5")
        add("-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter: -p epsilon=1/2")
        add("--out", metavar="DIR", type=Path, help=f"output folder (default: {folder}/NOTEBOOK)")
        add("--timeout", metavar="SECONDS", type=int, help="seconds that each code cell of the notebook may take")
    run.add_argument("--force", action="store_true", help="replace the results of an earlier run in that folder")
    add = sweep.add_argument
    add("-g", dest="grid", metavar="NAME=VALUES", action="append", default=[], help="an axis of the grid")
    add("--jobs", metavar="N", type=int, default=cores(), help="cells that run in parallel (default: one per core)")
    add("--scheduler", metavar="ADDRESS", help="run the cells on the Dask cluster of this scheduler")
    init = commands.add_parser("init", help="create a folder with a first notebook of your own", run=_init)
    init.add_argument("folder", metavar="DIR", type=Path, help="the folder, created if it does not exist")
    verify = commands.add_parser("verify", help="recompute all verdicts and compare with those recorded", run=_verify)
    verify.add_argument("--jobs", type=int, default=cores(), metavar="N", help="number of processes")


def made(folder: Path, name: str = "--out") -> None:
    """Create a folder if it does not exist, and check that it is writable.

    Raises:
        ValueError: if the folder cannot be written to; the message names the argument ``name``
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"{name} must be a folder that can be written to, got {folder}: {error.strerror}") from None


# One run


def _run(options: argparse.Namespace) -> None:
    """Run a notebook with parameters of your own, and write the executed notebook and its results."""
    page = find(checkout(), options.notebook)
    tasks = tasks_of(page, cells(page, options.set), options.timeout)
    folder, stem = options.out or Path("rerun", page.name), Path(page.name).name
    notebook, record, broken = (folder / f"{stem}{end}" for end in (".ipynb", ".json", ".failed.ipynb"))
    free = options.force or not (notebook.exists() or record.exists())
    need(free, f"--out must be a folder without {stem}.ipynb and {stem}.json, or add --force, got {folder}")
    made(folder)
    with processes(1) as pool:
        ((_, outcome),) = outcomes(pool, tasks, bar=True)
    if outcome.error:
        write_whole(broken, outcome.notebook)
        raise ValueError(f"{page.name} failed: {outcome.error}\nthe notebook, executed up to the error: {broken}")
    write_whole(record, outcome.record)
    write_whole(notebook, outcome.notebook)
    broken.unlink(missing_ok=True)
    for name, value in json.loads(outcome.record)["scalars"].items():
        print(f"{name}  {value:.6g}" if isinstance(value, float) else f"{name}  {value}")
    print(f"written to {folder}: {stem}.ipynb and {stem}.json")


# A grid of them


def _sweep(options: argparse.Namespace) -> None:
    """Run a notebook on a grid of parameters, and write one table of the results.

    Each -g defines an axis of the grid: -g epsilon=0.1:2:20 means 20 values from 0.1 to 2 in equal steps, -g
    epsilon=1/10:10:5:log means 5 values in equal ratios, -g n=10,100,1000 lists values, and -g prior=[1,1],[2,2] gives
    two lists. However a sweep is stopped, the same command continues it. If the grid is extended, only the new cells
    run.
    """
    page = find(checkout(), options.notebook)
    need(options.grid, "the grid must have at least one axis: -g epsilon=0.1:2:20, for instance")
    whole("--jobs", options.jobs, least=1)
    tasks = tasks_of(page, cells(page, options.set, options.grid), options.timeout)
    folder, count = options.out or Path("sweep", page.name), len(tasks)
    with cluster(options.scheduler) if options.scheduler is not None else processes(min(options.jobs, count)) as pool:
        errors = _filled(pool, folder, tasks)
    print(f"{page.name}: {count} cells, {count - len(errors)} done, {len(errors)} failed")
    print(f"table: {folder / 'table.csv'}")
    need(not errors, f"{len(errors)} of {count} cells failed, see {folder / 'failed'}; the same command tries again")


def _record(folder: Path, one: Task) -> Path:
    """Path of the recorded results of a cell."""
    return folder / "cells" / f"{one.key}.json"


def _filled(pool: Executor, folder: Path, tasks: Sequence[Task]) -> dict[str, str]:
    """Run the remaining tasks, write the table when they have ended or are stopped, and return the errors by key."""
    from tqdm import tqdm

    made(folder / "cells")
    made(folder / "failed")
    errors, left = dict[str, str](), [one for one in tasks if not _record(folder, one).exists()]
    bar = tqdm(outcomes(pool, left), tasks[0].name, len(tasks), unit="cell", initial=len(tasks) - len(left))
    try:
        for one, outcome in bar:
            broken = folder / "failed" / f"{one.key}.ipynb"
            if outcome.error:
                errors[one.key] = outcome.error
                bar.write(f"failed: {json.dumps(one.parameters)}: {outcome.error}", sys.stderr)
                write_whole(broken, outcome.notebook or one.notebook)
            else:
                write_whole(_record(folder, one), outcome.record)
                broken.unlink(missing_ok=True)
    except KeyboardInterrupt as stop:
        done = sum(_record(folder, one).exists() for one in tasks)
        raise type(stop)(f"{done} of {len(tasks)} cells are done; the same command continues the sweep") from None
    finally:
        bar.close()
        write_whole(folder / "table.csv", _table(folder, tasks, errors))
    return errors


def _table(folder: Path, tasks: Sequence[Task], errors: Mapping[str, str]) -> str:
    """The results of the cells that were run, in the order of the grid, as the contents of a CSV file.

    The columns are the name of the cell, its parameters, its scalars and its error. If a scalar has the same name as
    another column, ``_result`` is appended to its name.
    """
    rows = []
    for one in tasks:
        if one.key in errors or _record(folder, one).exists():
            scalars = {} if one.key in errors else read(_record(folder, one)).scalars
            taken = {"cell", "failure", *one.parameters}
            found = {name + "_result" * (name in taken): value for name, value in scalars.items()}
            rows.append({"cell": one.key, **one.parameters, **found, "failure": errors.get(one.key, "")})
    columns = [name for name in dict.fromkeys(name for row in rows for name in row) if name != "failure"]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*columns, "failure"], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: json.dumps(x) if isinstance(x, list) else x for name, x in row.items()} for row in rows)
    return text.getvalue()


# A first page of one's own


def _init(options: argparse.Namespace) -> None:
    """Create a folder with a first notebook of your own."""
    path = options.folder / "notebooks" / FIRST.name
    need(not path.exists(), f"DIR must be a folder without notebooks/{FIRST.name}, got {options.folder}")
    made(path.parent, "DIR")
    shutil.copyfile(FIRST, path)
    print(f"written: {path}\ntry there: dpbi list, dpbi run first -p epsilon=1/2, dpbi sweep first -g epsilon=0.1:2:20")


# The statements


def _verify(options: argparse.Namespace) -> None:
    """Recompute every verdict, compare it with the recorded one, and list recorded verdicts without a statement."""
    from ..claims import CLAIMS, RECORDED, ledger

    whole("--jobs", options.jobs, least=1)
    now = dict(ledger(CLAIMS, jobs=options.jobs)[["id", "verdict"]].to_numpy().tolist())
    other = [
        f"  {identity}: {RECORDED.get(identity, 'not recorded')} before, {now.get(identity, 'no statement')} now"
        for identity in now | RECORDED
        if RECORDED.get(identity) != now.get(identity)
    ]
    need(not other, "\n".join([f"{len(other)} verdicts differ from those recorded in claims/verdicts.csv", *other]))
    print(f"{len(CLAIMS)} verdicts, all as recorded")
