"""``dpbi run``: a notebook with parameters of one's own; and ``dpbi init``, a first notebook of one's own."""

import argparse
import base64
import importlib.util
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..checks import need
from ..files import write_whole
from . import given
from .execution import outcomes, processes, tasks_of
from .notebooks import checkout, find

FIRST = Path(__file__).with_name("first.ipynb")


def add(commands: Any) -> None:
    """Register the commands."""
    parser = commands.add_parser("run", help="run a notebook with parameters of your own")
    given.arguments(parser, "rerun")
    parser.add_argument("--force", action="store_true", help="replace what an earlier run wrote there")
    parser.set_defaults(run=_run)
    parser = commands.add_parser("init", help="write a folder with a first notebook of your own")
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder, made if it is not there")
    parser.set_defaults(run=_init)


def made(folder: Path, name: str = "--out") -> Path:
    """The folder, made if it is not there.

    Raises:
        ValueError: if it cannot be written to; the message names the argument ``name``
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"{name} must be a folder that can be written to, got {folder}: {error.strerror}") from None
    return folder


def need_papermill() -> None:
    """Raise a ``ValueError`` that says what to install where notebooks cannot be run."""
    there = importlib.util.find_spec("papermill") and importlib.util.find_spec("ipykernel")
    need(there, "running a notebook needs papermill and ipykernel: pip install papermill ipykernel")


def _run(options: argparse.Namespace) -> None:
    page = find(checkout(), options.notebook)
    parameters = page.complete(given.values(page, options.set))
    need_papermill()
    tasks = tasks_of(page, [parameters], options.timeout)
    folder, stem = options.out or Path("rerun", page.name), Path(page.name).name
    notebook, record, broken = (folder / f"{stem}{end}" for end in (".ipynb", ".json", ".failed.ipynb"))
    free = options.force or not (notebook.exists() or record.exists())
    need(free, f"--out must be a folder without {stem}.ipynb and {stem}.json, or add --force, got {folder}")
    made(folder)
    with processes(1) as pool:
        ((_, outcome),) = outcomes(pool, tasks, bar=True)
    if outcome.error:
        write_whole(broken, outcome.notebook)
        raise ValueError(f"{page.name} failed: {outcome.error}\nthe notebook as far as it came: {broken}")
    pictures = figures(outcome.notebook)
    for name, picture in pictures.items():
        write_whole(folder / name, picture)
    write_whole(record, outcome.record)
    write_whole(notebook, outcome.notebook)
    broken.unlink(missing_ok=True)
    for name, value in json.loads(outcome.record)["scalars"].items():
        print(f"{name}  {value:.6g}" if isinstance(value, float) else f"{name}  {value}")
    print(f"written to {folder}: {stem}.ipynb, {stem}.json and {len(pictures)} figures")


def figures(notebook: str) -> dict[str, str | bytes]:
    """The contents of files with the figures of an executed notebook: SVG where there is one, PNG otherwise.

    A file has the name of its cell; from the second figure of a cell on, a number too.
    """
    found: dict[str, str | bytes] = {}
    for cell in json.loads(notebook)["cells"]:
        shown = [each.get("data", {}) for each in cell.get("outputs", [])]
        for number, each in enumerate(one for one in shown if {"image/svg+xml", "image/png"} & one.keys()):
            name = cell["id"] + (f"-{number + 1}" if number else "")
            if "image/svg+xml" in each:
                found[f"{name}.svg"] = "".join(each["image/svg+xml"])
            else:
                found[f"{name}.png"] = base64.b64decode("".join(each["image/png"]))
    return found


def _init(options: argparse.Namespace) -> None:
    path = options.folder / "notebooks" / FIRST.name
    need(not path.exists(), f"DIR must be a folder without notebooks/{FIRST.name}, got {options.folder}")
    made(path.parent, "DIR")
    shutil.copyfile(FIRST, path)
    print(f"written: {path}\nthere: dpbi list, dpbi run first -p epsilon=1/2, dpbi sweep first -g epsilon=0.1:2:20")
