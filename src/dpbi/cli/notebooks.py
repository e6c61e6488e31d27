"""The notebooks of a folder, read as files: titles, parameters, run times; and ``dpbi list``, which shows them.

The folder is that of the book, or any other: ``notebooks/`` below a project, or one that holds notebooks itself.
"""

import argparse
import difflib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

from ..parameters import Parameter, parse
from ..results import read

TIMES = Path("results", "notebook_times.json")
OURS = {"rerun", "sweep"}
"""Folders that the command writes to when nothing else is asked for."""


@dataclass(frozen=True)
class Notebook:
    """One notebook: its name below its folder without the ending, its first heading, its parameters."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]


def add(commands: Any) -> None:
    """Register ``dpbi list``."""
    parser = commands.add_parser("list", help="list the notebooks, or the parameters of one")
    parser.add_argument("notebook", metavar="NOTEBOOK", nargs="?", help="show the parameters of this one")
    parser.add_argument("--json", action="store_true", help="print JSON, with all parameters")
    parser.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    root = checkout()
    known, broken = notebooks(root) if options.notebook is None else ([find(root, options.notebook)], {})
    times = run_times(root)
    if options.json:
        parameters = {each.name: [vars(one) | {"allowed": [*one.allowed]} for one in each.parameters] for each in known}
        own = [vars(each) | {"seconds": times.get(each.name), "parameters": parameters[each.name]} for each in known]
        print(json.dumps(own, indent=1))
    else:
        for each in known:
            print(f"{each.name}  {each.title}" + (f"  ({times[each.name]:g} s)" if each.name in times else ""))
        rows = [described(one) for one in known[0].parameters] if options.notebook is not None else []
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            print(f"  {'  '.join(map(str.ljust, row, widths))}".rstrip())
    for why in broken.values():
        print(f"dpbi: left out: {why}", file=sys.stderr)


def checkout() -> Path:
    """The root that the user's notebooks are below: of the source checkout, of a project, or a folder of notebooks.

    It is the nearest folder, from the present one upwards, with a folder ``notebooks``; else the present one, if
    notebooks lie in it; else the checkout that this package is from.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "notebooks").is_dir():
            return folder
    if any(here.glob("*.ipynb")):
        return here
    installed = Path(__file__).resolve().parents[3]
    if (installed / "notebooks").is_dir() and (installed / "src" / "dpbi").is_dir():
        return installed
    raise FileNotFoundError(
        f"there are no notebooks in {here}: go to the source checkout of dpbi, or to a folder of your own notebooks; "
        "'dpbi init DIR' writes a first one"
    )


def pages(root: Path) -> Path:
    """The folder of the notebooks below a root."""
    return root / "notebooks" if (root / "notebooks").is_dir() else root


def place(root: Path, name: str) -> Path:
    """The file of a notebook."""
    return pages(root) / f"{name}.ipynb"


def notebooks(root: Path) -> tuple[list[Notebook], dict[str, str]]:
    """Every notebook below a root, by name; and by name, why others cannot be read."""
    folder = pages(root)
    found, broken = [], {}
    for path in sorted(folder.rglob("*.ipynb")):
        inner = path.relative_to(folder)
        if inner.parts[0] in OURS or any(part.startswith(".") for part in inner.parts):
            continue
        name = inner.with_suffix("").as_posix()
        try:
            found.append(notebook(path, name))
        except ValueError as error:
            broken[name] = str(error)
    return found, broken


def notebook(path: Path, name: str) -> Notebook:
    """The notebook in a file; a ``ValueError`` that names the file if it is none with typed parameters."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = [(cell["cell_type"], cell.get("metadata", {}), "".join(cell["source"])) for cell in cells]
        tagged = [text for _, metadata, text in texts if "parameters" in metadata.get("tags", [])]
        if len(tagged) != 1:
            raise ValueError(f"it has {len(tagged)} such cells")
        parameters = parse(tagged[0])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError, TokenError) as error:
        what = f"{path} must be a notebook of version 4 with one cell tagged 'parameters' that has typed lines"
        raise ValueError(f"{what}: {' '.join(str(error).split())}") from None
    lines = [line for kind, _, text in texts if kind == "markdown" for line in text.splitlines()]
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), name)
    return Notebook(name, title, parameters)


def find(root: Path, name: str) -> Notebook:
    """The notebook of this name, of this last part of a name, or of this path below the root."""
    found, broken = notebooks(root)
    known = {each.name: each for each in found} | broken
    asked = os.path.normpath(name).removesuffix(".ipynb").removeprefix("notebooks/")
    meant = [asked] if asked in known else [full for full in known if full.endswith(f"/{asked}")]
    if len(meant) != 1:
        near = nearest(asked, {full.rpartition("/")[2]: full for full in known} | {full: full for full in known})
        hint = f"{' or '.join(meant)}?" if meant else near or "see there"
        raise ValueError(f"NOTEBOOK must be one of 'dpbi list', got {name!r}: {hint}")
    page = known[meant[0]]
    if isinstance(page, str):
        raise ValueError(page)
    return page


def nearest(word: str, words: dict[str, str]) -> str:
    """The word that may have been meant, by what it is called, as part of a sentence; empty if none is near."""
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"perhaps {words[close[0]]}" if close else ""


def run_times(root: Path) -> dict[str, float]:
    """Seconds by notebook, where they were recorded."""
    if not (root / TIMES).exists():
        return {}
    table = read(root / TIMES).tables["times"]
    return dict(zip(table["notebook"], table["seconds"], strict=True))


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """What a reader is told of a parameter: its name, type and default, and what it means and may be."""
    return parameter.name, parameter.type, repr(parameter.default), "; ".join((parameter.meaning, *parameter.allowed))
