"""``dpbi sweep``: a notebook on a grid of parameters, on this machine or on a cluster.

A cell of the grid is done when its record is in ``cells/``, under a name made of its code and its parameters. So the
folder is the state: a sweep that was stopped in any way goes on when the same command is given again, and one whose
grid is extended runs the new cells. ``failed/`` has notebooks as far as they came, ``table.csv`` the rows of the grid
that was asked for last.
"""

import argparse
import csv
import io
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from ..files import write_whole
from ..results import read
from . import given
from .execution import Task, cluster, cores, outcomes, processes, tasks_of
from .notebooks import checkout, find, run_times
from .run import made, need_papermill

MANY = 1000
"""More cells than these need ``--yes``."""

EPILOG = """A grid: -g epsilon=0.1:2:20 is 20 values from 0.1 to 2 in equal steps, -g epsilon=1/10:10:5:log is 5 in
equal ratios, -g n=10,100,1000 is these values, -g prior=[1,1],[2,2] these lists. A file has a table [grid]. However
a sweep is stopped, the same command goes on where it was. A larger grid runs its new cells."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("sweep", help="run a notebook on a grid of parameters, into one table", epilog=EPILOG)
    given.arguments(parser, "sweep")
    add = parser.add_argument
    add("-g", dest="grid", metavar="NAME=VALUES", action="append", default=[], help="an axis of the grid")
    add("--jobs", metavar="N", type=int, default=cores(), help="cells at a time on this machine (one for each core)")
    add("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    add("--dry-run", action="store_true", help="say what is done, what would be run and how long it takes")
    add("--yes", action="store_true", help=f"run a grid of more than {MANY} cells")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    root = checkout()
    page = find(root, options.notebook)
    fixed = given.values(page, options.set, options.file, "parameters")
    axes = given.values(page, options.grid, options.file, "grid")
    if twice := axes.keys() & fixed.keys():
        raise ValueError(f"{min(twice)} must be given once, got it twice")
    if not axes:
        raise ValueError("the grid must have at least one axis: -g epsilon=0.1:2:20, for instance")
    if options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {options.jobs}")
    count, seconds = math.prod(map(len, axes.values())), run_times(root).get(page.name)
    if count > MANY and not (options.yes or options.dry_run):
        raise ValueError(f"the grid must have at most {MANY} cells, or add --yes, got {count}")
    rows = (dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values()))
    cells = [given.complete(page, fixed | row) for row in rows]
    table = Table(options.out or Path("sweep", page.name), tasks_of(root, page.name, cells, options.timeout))
    if options.dry_run:
        left = count - len(table.done)
        takes = "" if seconds is None else f", some {seconds * left / options.jobs:.3g} s on this machine"
        print(f"{page.name}: {count} cells, {len(table.done)} done, {left} to run{takes}")
        return
    need_papermill()
    with cluster(options.scheduler) if options.scheduler else processes(min(options.jobs, count)) as pool:
        table.fill(pool)
    print(f"{page.name}: {count} cells, {len(table.done)} done, {len(table.errors)} failed\ntable: {table.path}")
    if table.errors:
        raise ValueError("\n".join(table.failures(list(axes))))


class Table:
    """What is known of the cells of a grid, in memory and in the folder of the sweep."""

    def __init__(self, folder: Path, tasks: Sequence[Task]) -> None:
        self.tasks, self.path, self.errors = tasks, folder / "table.csv", dict[str, str]()
        self.cells, self.failed = (folder.absolute() / name for name in ("cells", "failed"))
        self.done = {one.key: self.scalars(one) for one in tasks if (self.cells / f"{one.key}.json").exists()}

    def scalars(self, one: Task) -> dict[str, Any]:
        """The results of a cell that is done."""
        return dict(read(self.cells / f"{one.key}.json").scalars)

    def fill(self, pool: Any) -> None:
        """Run what is not done yet, and keep the table up to date, also when this is stopped."""
        from tqdm import tqdm

        made(self.path.parent)
        self.cells.mkdir(exist_ok=True)
        left, due = [one for one in self.tasks if one.key not in self.done], 0.0
        name, done = self.tasks[0].name, len(self.done)
        try:
            with tqdm(total=len(self.tasks), initial=done, desc=name, unit="cell", smoothing=0.1) as bar:
                for one, outcome in outcomes(pool, left):
                    broken = self.failed / f"{one.key}.ipynb"
                    if outcome.error:
                        self.errors[one.key] = outcome.error
                        self.failed.mkdir(exist_ok=True)
                        write_whole(broken, outcome.notebook or one.notebook)
                    else:
                        write_whole(self.cells / f"{one.key}.json", outcome.record)
                        self.done[one.key] = self.scalars(one)
                        broken.unlink(missing_ok=True)
                    bar.set_postfix_str(f"{len(self.errors)} failed" if self.errors else "", refresh=False)
                    bar.update()
                    if (moment := monotonic()) > due:
                        self.write()
                        due = monotonic() + max(1, 20 * (monotonic() - moment))  # a large one is not written each time
        except KeyboardInterrupt as stop:
            said = f"{len(self.done)} of {len(self.tasks)} cells are done; the same command goes on"
            raise type(stop)(said) from None
        finally:
            self.write()

    def write(self) -> None:
        """Write a row for each cell that was tried, in the order of the grid."""
        lines = []
        for one in self.tasks:
            if one.key in self.done or one.key in self.errors:
                taken = {"cell", "failure", *one.parameters}  # a result that is called so has a column of its own
                found = {name + "_result" * (name in taken): it for name, it in self.done.get(one.key, {}).items()}
                lines.append({"cell": one.key, **one.parameters, **found, "failure": self.errors.get(one.key, "")})
        columns = [name for name in dict.fromkeys(name for line in lines for name in line) if name != "failure"]
        text = io.StringIO()
        writer = csv.DictWriter(text, [*columns, "failure"], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: plain(value) for name, value in line.items()} for line in lines)
        write_whole(self.cells.with_name("table.csv"), text.getvalue())

    def failures(self, axes: Sequence[str]) -> Iterator[str]:
        """What failed, in a few lines; the table says it of every cell."""
        yield f"{len(self.errors)} of {len(self.tasks)} cells failed; the same command tries them again"
        for one in [one for one in self.tasks if one.key in self.errors][:5]:
            yield f"  {' '.join(f'{name}={plain(one.parameters[name])}' for name in axes)}: {self.errors[one.key]}"
        yield f"notebooks as far as they came: {self.path.with_name('failed')}"


def plain(value: Any) -> Any:
    """A value in a field of a table."""
    return json.dumps(value) if isinstance(value, list | dict) else value
