"""The notebooks of a folder (read as files), the parameters of a run or a sweep, and ``dpbi list``.

The notebooks are those of the book, those in the subfolder ``notebooks`` of a project, or those in any other folder. A
parameter is given as ``-p name=value``, and an axis of a grid as ``-g name=values``:

| written | means |
|---|---|
| ``epsilon=0.1,0.5,2`` | these values |
| ``mechanism=ehd,lshist`` | these words |
| ``prior=[1,1],[2,2]`` | these lists |
| ``epsilon=0.1:2:20`` | 20 values from 0.1 to 2, both included, in equal steps |
| ``epsilon=0.1:10:5:log`` | 5 values from 0.1 to 10, both included, in equal ratios |
| ``epsilon=1/2:8:4`` | ends and values may be fractions |

For an integer parameter, the values of a range are rounded, and each rounded value is used once.
"""

import argparse
import difflib
import itertools
import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from ..checks import need
from ..parameters import Parameter, calculated, entries, parse
from ..results import read

TIMES = Path("results", "notebook_times.json")  # recorded run times of the notebooks, below the root
MAX_POINTS = 1_000_000  # largest number of points of an axis and of cells of a grid, chosen: beyond what a cluster runs

WRITTEN = {"rerun", "sweep"}
"""Default output folders of the command; the notebooks in these folders are results and are not listed."""

RENAMED = {
    "hellinger/tables": "hellinger/tables_and_figures",
    "hellinger/figures": "hellinger/tables_and_figures",
    "private_mcmc/experiments_banana": "private_mcmc/experiments",
    "private_mcmc/experiments_more": "private_mcmc/experiments",
}
"""Current name of each notebook that was renamed or merged into another, by its old name."""


@dataclass(frozen=True)
class Notebook:
    """A notebook: name, title, typed parameters and file.

    Args:
        name: Path below the folder of notebooks, without its suffix
        title: First heading
        parameters: Parameters in the order of their cell, except ``outdir``, which the option ``--out`` replaces
        path: Path of the file
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    path: Path


def add(commands: Any) -> None:
    """Register ``dpbi list``."""
    parser = commands.add_parser("list", help="list the notebooks, or the parameters of one", run=_list)
    parser.add_argument("notebook", metavar="NOTEBOOK", nargs="?", help="notebook whose parameters are shown")
    parser.add_argument("--json", action="store_true", help="print JSON, with all parameters")


def _list(options: argparse.Namespace) -> None:
    """List the notebooks, one on each line, or the parameters of one notebook."""
    root = checkout()
    known = [] if options.notebook is None else [find(root, options.notebook)]
    for name, path in _files(root).items() if options.notebook is None else ():
        try:
            known.append(notebook(path, name))
        except ValueError as error:
            print(f"dpbi: left out: {error}", file=sys.stderr)
    times = run_times(root)
    if options.json:
        own = [asdict(each) | {"path": str(each.path), "seconds": times.get(each.name)} for each in known]
        print(json.dumps(own, indent=1))
    else:
        for each in known:
            print(f"{each.name}  {each.title}" + (f"  ({times[each.name]:g} s)" if each.name in times else ""))
        for one in known[0].parameters if options.notebook is not None else ():
            print("  {:14}  {:11}  {:20}  {}".format(*described(one)).rstrip())


def checkout() -> Path:
    """The root folder of the user's notebooks.

    The root is the nearest folder, from the current folder upwards, that has a subfolder ``notebooks``. If no folder
    has this subfolder, the root is the current folder if there are notebooks in it, and otherwise the source checkout
    from which this package is installed.

    Raises:
        ValueError: if no such folder exists
    """
    here, installed = Path.cwd(), Path(__file__).resolve().parents[3]
    found = [folder for folder in (here, *here.parents) if (folder / "notebooks").is_dir()]
    found += [here] if any(here.glob("*.ipynb")) else []
    found += [installed] if (installed / "notebooks").is_dir() else []
    where = "go to the source checkout of dpbi, or to a folder of your own; 'dpbi init DIR' creates a first notebook"
    need(found, f"there are no notebooks in {here}: {where}")
    return found[0]


def _files(root: Path) -> dict[str, Path]:
    """The paths of all notebooks below a root, sorted by name."""
    folder = root / "notebooks" if (root / "notebooks").is_dir() else root
    found = {}
    for path in sorted(folder.rglob("*.ipynb")):
        inner = path.relative_to(folder)
        if inner.parts[0] not in WRITTEN and not any(part.startswith(".") for part in inner.parts):
            found[inner.with_suffix("").as_posix()] = path
    return found


def notebook(path: Path, name: str) -> Notebook:
    """Read a notebook from a file, and give it a name.

    Raises:
        ValueError: if the file is not a notebook with one cell of typed parameters; the message names the file
    """
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = [(cell["cell_type"], cell.get("metadata", {}), "".join(cell["source"])) for cell in cells]
        tagged = [text for _, metadata, text in texts if "parameters" in metadata.get("tags", [])]
        need(len(tagged) == 1, f"it has {len(tagged)} such cells")
        parameters = tuple(each for each in parse(tagged[0]) if each.name != "outdir")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError, TokenError) as error:
        what = f"{path} must be a notebook of version 4 with one cell tagged 'parameters' that has typed lines"
        raise ValueError(f"{what}: {' '.join(str(error).split())}") from None
    lines = [line for kind, _, text in texts if kind == "markdown" for line in text.splitlines()]
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), name)
    return Notebook(name, title, parameters, path)


def find(root: Path, name: str) -> Notebook:
    """A notebook below a root, found by its name, by the last part of its name, or by its path below the root.

    Raises:
        ValueError: if there is no such notebook (the message suggests its new name or a similar one), if several match,
            or if the notebook cannot be read
    """
    known = _files(root)
    asked = os.path.normpath(name).removesuffix(".ipynb").removeprefix("notebooks/")
    meant = [asked] if asked in known else [full for full in known if full.endswith(f"/{asked}")]
    words = {full.rpartition("/")[2]: full for full in known} | {full: full for full in known} | RENAMED
    hint = f"{' or '.join(meant)}?" if meant else nearest(asked, words) or "see there"
    need(len(meant) == 1, f"NOTEBOOK must be one of 'dpbi list', got {name!r}: {hint}")
    return notebook(known[meant[0]], meant[0])


def nearest(word: str, words: dict[str, str]) -> str:
    """The hint ``perhaps WORD`` with the allowed word that is most similar to a given one; empty if none is similar.

    Args:
        word: The word that a user wrote
        words: The allowed words, each with the word that the hint shows
    """
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"perhaps {words[close[0]]}" if close else ""


def run_times(root: Path) -> dict[str, float]:
    """Recorded run times of the notebooks in seconds, by name."""
    table = read(root / TIMES).tables["times"] if (root / TIMES).exists() else {"notebook": [], "seconds": []}
    return dict(zip(table["notebook"], table["seconds"], strict=True))


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """The four table cells that describe a parameter: name, type, default, and its meaning with the allowed values."""
    return parameter.name, parameter.type, repr(parameter.default), "; ".join((parameter.meaning, *parameter.allowed))


# Parameters and grids


def cells(page: Notebook, fixed: Sequence[str], grid: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The checked parameters of every cell of a grid, in the order of the grid; without a grid there is one cell.

    Args:
        page: The notebook that is run
        fixed: Strings ``name=value`` from the command line, which apply to all cells
        grid: Strings ``name=values`` from the command line, one for each axis
    """
    known, axes = {each.name: each for each in page.parameters}, dict[str, list[Any]]()
    for text in (*fixed, *grid):
        name, sign, value = map(str.strip, text.partition("="))
        need(sign and name, f"a parameter must be given as name=value, got {text!r}")
        need(name not in axes, f"{name} must be given only once, got it twice")
        need(name != "outdir", "outdir must not be set: use --out for the folder of the results")
        hint = nearest(name, {each: each for each in known}) or f"its parameters are {', '.join(known) or 'none'}"
        need(name in known, f"{page.name} has no parameter {name!r}: {hint}")
        axes[name] = axis(known[name], value) if text in grid else [known[name].read(value)]
    count = math.prod(map(len, axes.values()))
    need(count <= MAX_POINTS, f"the grid must have at most {MAX_POINTS} cells, got {count}")
    defaults = {name: one.check(one.default) for name, one in known.items()}
    return [defaults | dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]


def axis(one: Parameter, text: str) -> list[Any]:
    """The checked values of a parameter on its axis of the grid, in the given order and without repetitions.

    The docstring of this module shows the notation.
    """
    if one.type in ("int", "float") and ":" in text:
        found = [one.check(value) for value in between(one, text)]
    else:
        found = [one.read(part) for part in entries(text)]
    need(found, f"{one.name} must have at least one value in the grid, got {text!r}")
    return list({json.dumps(value): value for value in found}.values())


def between(one: Parameter, text: str) -> list[float]:
    """The values of a range: both ends exactly as written, and the values between them to twelve digits."""
    ends, points = list[float](), 0
    written, log = text.strip().removesuffix(":log"), text.strip().endswith(":log")
    with suppress(ValueError):
        *bounds, count = written.split(":")
        ends, points = list(map(calculated, bounds)), int(count)
    need(len(ends) == 2, f"{one.name} must be A,B,C or FIRST:LAST:POINTS or FIRST:LAST:POINTS:log, got {text!r}")
    need(2 <= points <= MAX_POINTS, f"{one.name} must have from 2 to {MAX_POINTS} points in a range, got {text!r}")
    good = all(map(math.isfinite, ends)) and (min(ends) > 0 or not log)
    need(good, f"{one.name} must have finite{', positive' * log} ends of its range, got {text!r}")
    inner = (np.geomspace if log else np.linspace)(ends[0], ends[1], points)[1:-1]
    found = [ends[0], *(float(f"{value:.12g}") for value in inner), ends[1]]
    return [round(value) for value in found] if one.type == "int" else found
