"""``dpbi sweep``: a notebook on a grid of parameters, on this machine or on a cluster.

A cell of the grid is done when its record is in ``cells/``, under a name made of its code and its parameters. So the
folder is the state: a sweep that was stopped in any way goes on when the same command is given again.
"""

import argparse
import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ..files import write_whole
from ..results import read as read_record
from .execution import Outcome, Task, code, execute, without_outputs
from .grid import axis, cells, size
from .notebooks import checkout, run_times
from .output import alone
from .run import assigned, assignment, complete, find, needs_papermill, parameter

MANY = 1000
"""More cells than these need ``--yes``."""

PATIENCE = 5
"""Seconds that a scheduler has to answer, and then to have a worker."""

Run = Iterator[tuple[Task, Outcome]]


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "sweep",
        help="a notebook on a grid of parameters, in parallel, into one table",
        description="Run a notebook on every cell of a grid, and gather parameters and results in table.csv, one row "
        "per cell. Stopped in any way, the same command goes on where it was.",
        epilog="A grid: -g epsilon=0.1:2:20 is 20 values from 0.1 to 2 in equal steps, -g epsilon=0.1:10:5:log is 5 in "
        "equal ratios, -g n=10,100,1000 is these values, -g prior=[1,1],[2,2] these lists.",
    )
    parser.add_argument("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    parser.add_argument("-g", dest="grid", metavar="NAME=VALUES", action="append", default=[], help="an axis of it")
    parser.add_argument(
        "-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter, the same in every cell"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder to write to (sweep/NOTEBOOK)")
    parser.add_argument("--jobs", metavar="N", type=int, help="cells at a time on this machine (one for each core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run on the Dask cluster of this scheduler instead")
    parser.add_argument("--yes", action="store_true", help=f"run a grid of more than {MANY} cells")
    parser.add_argument("--force", action="store_true", help="replace the table of another grid in that folder")
    parser.set_defaults(run=_run)


def cores() -> int:
    """How many this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Folder:
    """Where a sweep is: ``grid.json`` what was asked, ``cells`` what is done, ``failed`` what is not, ``table.csv``."""

    path: Path

    def record(self, task: Task) -> Path:
        """The results of a cell."""
        return self.path / "cells" / f"{task.key}.json"

    def broken(self, task: Task) -> Path:
        """The notebook of a cell, as far as it came."""
        return self.path / "failed" / f"{task.key}.failed.ipynb"

    def keep(self, task: Task, outcome: Outcome) -> None:
        """Put on the disk what came of a cell."""
        if outcome.error:
            self.broken(task).parent.mkdir(exist_ok=True)
            write_whole(self.broken(task), outcome.notebook or task.notebook)
        else:
            write_whole(self.record(task), outcome.record)
            self.broken(task).unlink(missing_ok=True)

    def tabulate(self, rows: Iterable[tuple[Task, Mapping[str, Any], str]]) -> None:
        """Write the table: a row for each cell that was tried, in the order of the grid."""
        lines = [
            {"cell": task.key}
            | dict(task.parameters)
            | {_free(name, task): value for name, value in scalars.items()}
            | {"failure": " ".join(error.split())}
            for task, scalars, error in rows
        ]
        columns = [name for name in dict.fromkeys(name for line in lines for name in line) if name != "failure"]
        text = io.StringIO()
        writer = csv.DictWriter(text, [*columns, "failure"], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _plain(value) for name, value in line.items()} for line in lines)
        write_whole(self.path / "table.csv", text.getvalue())


def _free(name: str, task: Task) -> str:
    """A result that is called like a parameter has a column of its own."""
    return f"{name}_result" if name in task.parameters or name in {"cell", "failure"} else name


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def _run(options: argparse.Namespace) -> int:
    root = checkout()
    notebook = find(root, options.notebook)
    fixed, axes = assigned(notebook, options.set), {}
    for name, text in map(assignment, options.grid):
        if name in axes or name in fixed:
            raise ValueError(f"{name} must be given once, got it twice")
        try:
            axes[name] = axis(parameter(notebook, name), text)
        except TypeError as error:
            raise ValueError(str(error)) from None
    if not axes:
        raise ValueError("the grid must have at least one axis: -g epsilon=0.1:2:20, for instance")
    if size(axes) > MANY and not options.yes:
        seconds = run_times(root).get(notebook.name, 0) * size(axes)
        time = f", some {seconds / 3600:.2g} hours on one core" if seconds else ""
        raise ValueError(f"the grid must have at most {MANY} cells, or add --yes, got {size(axes)}{time}")
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, got {options.jobs}")
    needs_papermill()

    source = root / "notebooks" / f"{notebook.name}.ipynb"
    text = without_outputs(source)
    now = code(text)
    tasks = [Task(notebook.name, text, complete(notebook, {**fixed, **cell}), now) for cell in cells(axes)]
    where = options.out or Path("sweep", notebook.name)
    runner = (
        partial(on_cluster, address=options.scheduler)
        if options.scheduler
        else partial(here, jobs=options.jobs or cores(), place=source.parent)
    )
    with alone(where):
        folder = Folder(where)
        asked = {"notebook": notebook.name, "parameters": complete(notebook, fixed), "grid": axes}
        _claim(folder, asked, options.force)
        return sweep(folder, tasks, list(axes), runner)


def _claim(folder: Folder, asked: Mapping[str, Any], force: bool) -> None:
    """Make the folder that of this grid; another grid's it stays unless forced. Cells that both have are kept."""
    file = folder.path / "grid.json"
    if file.exists() and not force and json.loads(file.read_text("utf-8")) != json.loads(json.dumps(asked)):
        raise ValueError(f"--out must be a folder without the table of another grid, or add --force, got {folder.path}")
    (folder.path / "cells").mkdir(exist_ok=True)
    write_whole(file, json.dumps(asked, indent=1) + "\n")


def sweep(folder: Folder, tasks: list[Task], axes: list[str], runner: Callable[..., Run]) -> int:
    """Run what is not done yet, keep the table up to date, and say at the end what failed."""
    from tqdm import tqdm

    done = {task.key: read_record(folder.record(task)).scalars for task in tasks if folder.record(task).exists()}
    errors: dict[str, str] = {}
    before = len(done)

    def tabulate() -> None:
        tried = [task for task in tasks if task.key in done or task.key in errors]
        folder.tabulate((task, done.get(task.key, {}), errors.get(task.key, "")) for task in tried)

    tabulate()
    written = monotonic()
    try:
        with tqdm(total=len(tasks), initial=before, desc=tasks[0].name, unit="cell", smoothing=0.1) as bar:
            for task, outcome in runner([task for task in tasks if task.key not in done], keep=folder.keep):
                if outcome.error:
                    errors[task.key] = outcome.error
                else:
                    done[task.key] = read_record(folder.record(task)).scalars
                bar.set_postfix_str(f"{len(errors)} failed" if errors else "", refresh=False)
                bar.update()
                if monotonic() - written > 1:
                    tabulate()
                    written = monotonic()
    except KeyboardInterrupt:
        finished = sum(folder.record(task).exists() for task in tasks)
        raise KeyboardInterrupt(f"{finished} of {len(tasks)} cells are done; the same command goes on") from None
    except OSError as error:
        raise ValueError(f"stopped, the cells that are done are kept: {error}") from None
    tabulate()
    print(f"{tasks[0].name}: {len(tasks)} cells, {before} done before, {len(done) - before} now, {len(errors)} failed")
    print(f"table: {folder.path / 'table.csv'}")
    if errors:
        raise ValueError(_report(folder, tasks, axes, errors))
    return 0


def _report(folder: Folder, tasks: list[Task], axes: list[str], errors: Mapping[str, str]) -> str:
    """What failed, an error that several cells have told once."""
    lines = [f"{len(errors)} of {len(tasks)} cells failed; the same command tries them again"]
    alike: dict[str, list[Task]] = {}
    for task in tasks:
        if task.key in errors:
            alike.setdefault(errors[task.key], []).append(task)
    for error, those in list(alike.items())[:5]:
        first = " ".join(f"{name}={_plain(those[0].parameters[name])}" for name in axes)
        others = f" and {len(those) - 1} more" if len(those) > 1 else ""
        lines += [f"  {first}{others}: {error.replace(chr(10), chr(10) + '    ')}"]
    lines += [f"  and {len(alike) - 5} other errors"] if len(alike) > 5 else []
    return "\n".join([*lines, f"as far as they came: {folder.path / 'failed'}"])


def here(tasks: list[Task], keep: Callable[[Task, Outcome], None], jobs: int, place: Path) -> Run:
    """On this machine: a kernel for each cell, ``jobs`` of them at a time, each waited for by a thread."""
    from . import kernels

    def work(task: Task) -> Outcome:
        outcome = execute(task, place)
        if not kernels.STOPPED.is_set():
            keep(task, outcome)
        return outcome

    kernels.STOPPED.clear()
    if tasks:
        kernels.prepare(tasks[0].notebook)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running = {pool.submit(work, task): task for task in tasks}
            for future in as_completed(running):
                yield running[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            kernels.stop_all()
            raise


def on_cluster(tasks: list[Task], keep: Callable[[Task, Outcome], None], address: str) -> Run:
    """On the workers of a Dask scheduler, which share nothing with this machine but the packages.

    A cell whose worker dies is given to another one; only after several deaths does it count as failed.
    """
    try:
        from distributed import Client
        from distributed import as_completed as completed
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install 'dpbi[cluster]'") from None
    try:
        client = Client(address, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        why = f"no answer in {PATIENCE} s" if isinstance(error, OSError) else str(error)
        raise ValueError(f"--scheduler must be the address of a Dask scheduler, got {address!r}: {why}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            hint = f"'dask worker {address}' begins one"
            raise ValueError(f"--scheduler must be one with workers, got {address!r} with none: {hint}") from None
        running = dict(zip(client.map(execute, tasks, pure=False), tasks, strict=True))
        for future in completed(running):  # type: ignore[no-untyped-call]
            failed = future.status != "finished"
            outcome = Outcome("", error=f"the cluster gave up: {future.exception()!r}") if failed else future.result()
            keep(running[future], outcome)
            yield running[future], outcome
            future.release()
