"""The folder of a sweep, which is all that is known of it.

``grid.json`` is what was asked, ``cells`` what is done, ``failed`` what went wrong and how far it came, ``table.csv``
the rows, ``times.csv`` how long each cell took.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..files import write_whole
from .execution import Outcome, Task
from .grid import cells


@dataclass(frozen=True)
class Folder:
    """Where a sweep is: as it was called, and from the root, since papermill may change the folder of the process."""

    shown: Path

    @cached_property
    def path(self) -> Path:
        """The same, wherever the program is by then."""
        return self.shown.absolute()

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
        if outcome.seconds:
            with open(self.path / "times.csv", "a", encoding="utf-8") as file:
                file.write(f"{task.key},{outcome.seconds:.3f}\n")

    def seconds(self) -> float | None:
        """How long a cell takes, as far as that was seen here."""
        try:
            lines = (self.path / "times.csv").read_text("utf-8").split()
        except OSError:
            return None
        times = [float(line.partition(",")[2] or 0) for line in lines if line.count(",") == 1]
        return sum(times) / len(times) if times else None

    def asked(self) -> dict[str, Any]:
        """What was asked of this folder: notebook, parameters and grid; empty if nothing was."""
        file = self.path / "grid.json"
        return json.loads(file.read_text("utf-8")) if file.exists() else {}

    def refuse(self, asked: Mapping[str, Any]) -> None:
        """Refuse a grid that leaves out cells of the one that the folder has; one that extends it may have it."""
        before = self.asked()
        if before and not (before["notebook"] == asked["notebook"] and _within(before, asked)):
            raise ValueError(
                f"--out must be a folder whose grid lies within the one that is asked for, got {self.shown}: "
                "--force replaces its table, and keeps its cells"
            )

    def claim(self, asked: Mapping[str, Any]) -> None:
        """Make the folder that of this grid. Cells that an earlier grid had too are kept."""
        (self.path / "cells").mkdir(exist_ok=True)
        write_whole(self.path / "grid.json", json.dumps(asked, indent=1) + "\n")

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
        writer.writerows({name: plain(value) for name, value in line.items()} for line in lines)
        write_whole(self.path / "table.csv", text.getvalue())


def whole(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parameters of every cell that was asked for."""
    return [{**asked["parameters"], **cell} for cell in cells(asked["grid"])]


def _within(before: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    now = set(map(_line, whole(asked)))
    return all(_line(cell) in now for cell in whole(before))


def _line(cell: Mapping[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)


def _free(name: str, task: Task) -> str:
    """A result that is called like a parameter has a column of its own."""
    return f"{name}_result" if name in task.parameters or name in {"cell", "failure"} else name


def plain(value: Any) -> Any:
    """A value in a field of a table."""
    return json.dumps(value) if isinstance(value, list | dict) else value


def report(folder: Folder, tasks: Sequence[Task], axes: Sequence[str], errors: Mapping[str, str]) -> str:
    """What failed, an error that several cells have told once."""
    lines = [f"{len(errors)} of {len(tasks)} cells failed; the same command tries them again"]
    alike: dict[str, list[Task]] = {}
    for task in tasks:
        if task.key in errors:
            alike.setdefault(errors[task.key], []).append(task)
    for error, those in list(alike.items())[:5]:
        first = " ".join(f"{name}={plain(those[0].parameters[name])}" for name in axes)
        others = f" and {len(those) - 1} more" if len(those) > 1 else ""
        lines += [f"  {first}{others}: {error.replace(chr(10), chr(10) + '    ')}"]
    lines += [f"  and {len(alike) - 5} other errors"] if len(alike) > 5 else []
    return "\n".join([*lines, f"notebooks as far as they came: {folder.shown / 'failed'}"])
