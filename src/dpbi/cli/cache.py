"""What was computed before, by the names of its tasks: runs and sweeps look here first, in whatever folder they are.

A name stands for code, parameters, inputs and versions, so an entry belongs to one computation, and the folder may be
removed at any time. A run keeps its notebook, with its figures; a sweep keeps records alone.
"""

import json
import os
from pathlib import Path

from ..files import write_whole
from .execution import Outcome, Task


def folder() -> Path | None:
    """Where: ``DPBI_CACHE``, none if that is empty, else the user's folder for what can be made again."""
    given = os.environ.get("DPBI_CACHE")
    if given is not None:
        return Path(given) if given else None
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "dpbi"


def found(task: Task, *, whole: bool = False) -> Outcome | None:
    """What came of a task before, with its notebook if it shall be ``whole``."""
    where = folder()
    if where is None:
        return None
    try:
        record = (where / f"{task.key}.json").read_text("utf-8")
        notebook = (where / f"{task.key}.ipynb").read_text("utf-8") if whole else ""
        json.loads(record)
    except (OSError, ValueError):
        return None
    return Outcome(notebook, record)


def keep(task: Task, outcome: Outcome, *, whole: bool = False) -> None:
    """Remember what came of a task; a folder that cannot be written to remembers nothing."""
    where = folder()
    if where is None or outcome.error:
        return
    try:
        where.mkdir(parents=True, exist_ok=True)
        if whole:
            write_whole(where / f"{task.key}.ipynb", outcome.notebook)
        write_whole(where / f"{task.key}.json", outcome.record)
    except OSError:
        return
