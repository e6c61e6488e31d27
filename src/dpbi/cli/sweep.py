"""``dpbi sweep``: a notebook on a grid of parameters, on this machine or on a cluster.

A cell of the grid is done when its record is in ``cells/``, under a name made of its code and its parameters. So the
folder is the state: a sweep that was stopped in any way goes on when the same command is given again, and one whose
grid is extended runs the new cells. ``failed/`` has notebooks as far as they came, ``table.csv`` the rows of the grid
of the last sweep, written when it ends or is interrupted.
"""

import argparse
import csv
import io
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..checks import need
from ..files import write_whole
from ..results import read
from . import given
from .execution import Task, cluster, cores, outcomes, processes, tasks_of
from .notebooks import checkout, find
from .run import made, need_papermill

FAILURES_SHOWN = 5  # the table has all

EPILOG = """A grid: -g epsilon=0.1:2:20 is 20 values from 0.1 to 2 in equal steps, -g epsilon=1/10:10:5:log is 5 in
equal ratios, -g n=10,100,1000 is these values, -g prior=[1,1],[2,2] these lists. However a sweep is stopped, the same
command goes on where it was. A larger grid runs its new cells."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("sweep", help="run a notebook on a grid of parameters, into one table", epilog=EPILOG)
    given.arguments(parser, "sweep")
    add = parser.add_argument
    add("-g", dest="grid", metavar="NAME=VALUES", action="append", default=[], help="an axis of the grid")
    add("--jobs", metavar="N", type=int, default=cores(), help="cells at a time on this machine (one for each core)")
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    add("--dry-run", action="store_true", help="say what is done and what would be run")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    page = find(checkout(), options.notebook)
    fixed = given.values(page, options.set)
    axes = given.values(page, options.grid, grid=True)
    for name in axes.keys() & fixed.keys():
        raise ValueError(f"{name} must be given once, got it twice")
    need(axes, "the grid must have at least one axis: -g epsilon=0.1:2:20, for instance")
    need(options.jobs >= 1, f"--jobs must be at least 1, got {options.jobs}")
    count = math.prod(map(len, axes.values()))
    need(count <= given.MAX_POINTS, f"the grid must have at most {given.MAX_POINTS} cells, got {count}")
    cells = [page.complete(fixed | dict(zip(axes, row, strict=True))) for row in itertools.product(*axes.values())]
    tasks, folder = tasks_of(page, cells, options.timeout), options.out or Path("sweep", page.name)
    left = [one for one in tasks if not _record(folder, one).exists()]
    if options.dry_run:
        print(f"{page.name}: {count} cells, {count - len(left)} done, {len(left)} to run")
        return
    need_papermill()
    with cluster(options.scheduler) if options.scheduler else processes(min(options.jobs, count)) as pool:
        errors = _filled(pool, folder, tasks, left)
    done = count - len(errors)
    print(f"{page.name}: {count} cells, {done} done, {len(errors)} failed\ntable: {folder / 'table.csv'}")
    if errors:
        lines = [
            f"  {' '.join(f'{name}={_field(one.parameters[name])}' for name in axes)}: {errors[one.key]}"
            for one in [one for one in tasks if one.key in errors][:FAILURES_SHOWN]
        ]
        first = f"{len(errors)} of {count} cells failed; the same command tries them again"
        raise ValueError("\n".join([first, *lines, f"notebooks as far as they came: {folder / 'failed'}"]))


def _record(folder: Path, one: Task) -> Path:
    return folder / "cells" / f"{one.key}.json"


def _filled(pool: Any, folder: Path, tasks: Sequence[Task], left: Sequence[Task]) -> dict[str, str]:
    """The errors of the tasks that are left, by their keys; when they end, or are stopped, the table is written."""
    from tqdm import tqdm

    for part in (folder, folder / "cells", folder / "failed"):
        made(part)
    errors, done = dict[str, str](), len(tasks) - len(left)
    try:
        with tqdm(total=len(tasks), initial=done, desc=tasks[0].name, unit="cell", smoothing=0.1) as bar:
            for one, outcome in outcomes(pool, left):
                broken = folder / "failed" / f"{one.key}.ipynb"
                if outcome.error:
                    errors[one.key] = outcome.error
                    write_whole(broken, outcome.notebook or one.notebook)
                else:
                    write_whole(_record(folder, one), outcome.record)
                    broken.unlink(missing_ok=True)
                bar.set_postfix_str(f"{len(errors)} failed" if errors else "", refresh=False)
                bar.update()
    except KeyboardInterrupt as stop:
        done = sum(_record(folder, one).exists() for one in tasks)
        raise type(stop)(f"{done} of {len(tasks)} cells are done; the same command goes on") from None
    finally:
        write_whole(folder / "table.csv", _table(folder, tasks, errors))
    return errors


def _table(folder: Path, tasks: Sequence[Task], errors: Mapping[str, str]) -> str:
    """The rows of the cells that were run, in the order of the grid, as CSV.

    The columns are the name of the cell, its parameters, its scalars and its error. A scalar with the name of another
    column has ``_result`` behind its name.
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
    writer.writerows({name: _field(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _field(value: Any) -> Any:
    """A value in a field of a table: a list as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value
