"""``dpbi run``: a notebook with parameters of one's own."""

import argparse
import base64
import importlib.util
import json
import math
from pathlib import Path
from typing import Any

from ..files import write_whole
from . import cache, given, output
from .execution import Task, code, execute, without_outputs
from .inputs import inputs
from .notebooks import Notebook, checkout, find, place
from .plain import readable


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "run",
        help="run a notebook with parameters of your own",
        description="Run a notebook with parameters of your own. The executed notebook, its recorded results and its "
        "figures are written when all of it has run.",
    )
    given.arguments(parser, "a parameter: -p n=100 -p epsilon=1/2 -p prior=1,1")
    parser.add_argument("--out", metavar="DIR", help="folder to write to (rerun/NOTEBOOK)")
    parser.add_argument("--force", action="store_true", help="replace what an earlier run wrote there")
    parser.add_argument("--fresh", action="store_true", help="compute again what was computed before")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, help="how long the notebook may take")
    parser.set_defaults(run=_run)


def task(root: Path, notebook: Notebook, parameters: dict[str, Any], timeout: float | None) -> Task:
    """The task of a notebook as it stands now."""
    text = without_outputs(place(root, notebook.name))
    return Task(notebook.name, text, parameters, code(text), inputs(text, root), allowed(timeout))


def allowed(timeout: float | None) -> float | None:
    """The checked value of ``--timeout``."""
    if timeout is not None and not 0 < timeout < math.inf:
        raise ValueError(f"--timeout must be a positive number of seconds, got {timeout:g}")
    return timeout


def _run(options: argparse.Namespace) -> int:
    root = checkout()
    notebook = find(root, options.notebook)
    parameters = given.complete(notebook, given.values(notebook, options.set, options.file))
    if given.table(options.file, "grid"):
        raise ValueError(f"-f must be a file without a [grid] for a run, got {options.file}: that is for 'dpbi sweep'")
    needs_papermill()
    folder = output.folder(options.out, Path("rerun", notebook.name))
    stem = Path(notebook.name).name
    ours = [folder / f"{stem}.ipynb", folder / f"{stem}.json"]
    if not options.force and any(path.exists() for path in ours):
        raise ValueError(f"--out must be a folder without {stem}.ipynb and {stem}.json, or add --force, got {folder}")
    asked = task(root, notebook, parameters, options.timeout)
    with output.alone(folder):
        known = None if options.fresh else cache.found(asked, whole=True)
        if known:
            outcome = known
        else:
            # an interactive terminal sees the bar, a log does not
            bar = {"desc": notebook.name, "disable": None, "leave": False}
            outcome = execute(asked, place(root, notebook.name).parent, bar, alone=True)
            cache.keep(asked, outcome, whole=True)
        shown = readable(outcome.notebook or asked.notebook, root, place(root, notebook.name), folder)
        broken = folder / f"{stem}.failed.ipynb"
        if outcome.error:
            write_whole(broken, shown)
            raise ValueError(f"{notebook.name} failed: {outcome.error}\nthe notebook as far as it came: {broken}")
        pictures = figures(outcome.notebook)
        for identity, picture in pictures.items():
            write_whole(folder / f"{identity}.png", picture)
        write_whole(ours[1], outcome.record)
        write_whole(ours[0], shown)
        broken.unlink(missing_ok=True)
    for name, value in json.loads(outcome.record)["scalars"].items():
        print(f"{name}  {value:.6g}" if isinstance(value, float) and math.isfinite(value) else f"{name}  {value}")
    print(f"written to {folder}: {stem}.ipynb, {stem}.json and {len(pictures)} figures")
    if known:
        print("computed before with the same code and inputs; --fresh computes it again")
    return 0


def needs_papermill() -> None:
    """Say what to install where notebooks cannot be run."""
    for package in ("papermill", "ipykernel"):
        if importlib.util.find_spec(package) is None:
            raise ValueError(f"running a notebook needs {package}: pip install papermill ipykernel")


def figures(notebook: str) -> dict[str, bytes]:
    """The figures of an executed notebook, by the names of their cells."""
    found = {}
    for cell in json.loads(notebook)["cells"]:
        data = [output.get("data", {}) for output in cell.get("outputs", [])]
        for number, picture in enumerate(shown["image/png"] for shown in data if "image/png" in shown):
            found[cell["id"] + (f"-{number + 1}" if number else "")] = base64.b64decode("".join(picture))
    return found
