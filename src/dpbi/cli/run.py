"""``dpbi run``: a notebook of the book with parameters of one's own."""

import argparse
import base64
import difflib
import importlib.util
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..files import write_whole
from ..parameters import Parameter
from .execution import Task, code, execute, without_outputs
from .notebooks import Notebook, checkout, notebooks
from .output import alone


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "run",
        help="a notebook with parameters of your own",
        description="Run a notebook of the checkout with parameters of your own. The executed notebook, its recorded "
        "results and its figures are written when all of it has run.",
    )
    parser.add_argument("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    parser.add_argument(
        "-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter: -p n=100 -p prior=1,1"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder to write to (rerun/NOTEBOOK)")
    parser.add_argument("--force", action="store_true", help="replace what an earlier run wrote there")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    root = checkout()
    notebook = find(root, options.notebook)
    parameters = complete(notebook, assigned(notebook, options.set))
    needs_papermill()
    folder = options.out or Path("rerun", notebook.name)
    stem = Path(notebook.name).name
    ours = [folder / f"{stem}.ipynb", folder / f"{stem}.json"]
    if not options.force and any(path.exists() for path in ours):
        raise ValueError(f"--out must be a folder without {stem}.ipynb and {stem}.json, or add --force, got {folder}")
    source = root / "notebooks" / f"{notebook.name}.ipynb"
    text = without_outputs(source)
    with alone(folder):
        # an interactive terminal sees the bar, a log does not
        bar = {"desc": notebook.name, "disable": None, "leave": False}
        outcome = execute(Task(notebook.name, text, parameters, code(text)), source.parent, bar, alone=True)
        broken = folder / f"{stem}.failed.ipynb"
        if outcome.error:
            write_whole(broken, outcome.notebook or text)
            raise ValueError(f"{notebook.name} failed: {outcome.error}\nas far as it came: {broken}")
        pictures = figures(outcome.notebook)
        for identity, picture in pictures.items():
            write_whole(folder / f"{identity}.png", picture)
        write_whole(ours[1], outcome.record)
        write_whole(ours[0], outcome.notebook)
        broken.unlink(missing_ok=True)
    for name, value in json.loads(outcome.record)["scalars"].items():
        print(f"{name}  {value:.6g}" if isinstance(value, float) and math.isfinite(value) else f"{name}  {value}")
    print(f"written to {folder}: {stem}.ipynb, {stem}.json and {len(pictures)} figures")
    return 0


def needs_papermill() -> None:
    """Say what to install where notebooks cannot be run."""
    for package in ("papermill", "ipykernel"):
        if importlib.util.find_spec(package) is None:
            raise ValueError(f"running a notebook needs {package}: pip install 'dpbi[notebooks]'")


def nearest(word: str, words: Sequence[str]) -> str:
    """The words that may have been meant, or all of them, as part of a sentence."""
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"perhaps {close[0]}" if close else f"one of {', '.join(words)}"


def find(root: Path, name: str) -> Notebook:
    """The notebook of this name, of this last part of a name, or of this path."""
    known = {notebook.name: notebook for notebook in notebooks(root)}
    asked = name.removesuffix(".ipynb").removeprefix("./").removeprefix("notebooks/")
    meant = [asked] if asked in known else [full for full in known if full.endswith(f"/{asked}")]
    if len(meant) != 1:
        short = {full.rpartition("/")[2]: full for full in known}
        near = difflib.get_close_matches(asked, [*known, *short], n=1, cutoff=0.5)
        hint = f"perhaps {short.get(near[0], near[0])}" if near else "see 'dpbi list'"
        raise ValueError(f"NOTEBOOK must be one of 'dpbi list', got {name!r}: {hint}")
    return known[meant[0]]


def parameter(notebook: Notebook, name: str) -> Parameter:
    """The parameter of this name, which is not ``outdir``."""
    known = {each.name: each for each in notebook.parameters if each.name != "outdir"}
    if name == "outdir":
        raise ValueError("outdir must not be set: --out says where results go")
    if name not in known:
        raise ValueError(f"{notebook.name} has no parameter {name!r}: {nearest(name, list(known))}")
    return known[name]


def assignment(text: str) -> tuple[str, str]:
    """The two sides of ``name=value``."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ValueError(f"a parameter must be given as name=value, got {text!r}")
    return name.strip(), value


def assigned(notebook: Notebook, texts: Sequence[str]) -> dict[str, Any]:
    """The checked values of ``-p name=value``."""
    values: dict[str, Any] = {}
    for name, text in map(assignment, texts):
        if name in values:
            raise ValueError(f"{name} must be given once, got it twice")
        values[name] = read(parameter(notebook, name), text)
    return values


def read(each: Parameter, text: str) -> Any:
    """The checked value, every refusal a ``ValueError``: what is typed on a command line is a value."""
    try:
        return each.read(text)
    except TypeError as error:
        raise ValueError(str(error)) from None


def complete(notebook: Notebook, values: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter but ``outdir``, in the order of the notebook, the defaults where nothing else is given."""
    return {
        each.name: values.get(each.name, each.check(each.default))
        for each in notebook.parameters
        if each.name != "outdir"
    }


def figures(notebook: str) -> dict[str, bytes]:
    """The figures of an executed notebook, by the names of their cells."""
    found = {}
    for cell in json.loads(notebook)["cells"]:
        data = [output.get("data", {}) for output in cell.get("outputs", [])]
        for number, picture in enumerate(shown["image/png"] for shown in data if "image/png" in shown):
            found[cell["id"] + (f"-{number + 1}" if number else "")] = base64.b64decode("".join(picture))
    return found
