"""The notebooks of a folder, read as files: titles, parameters, run times; and ``dpbi list``, which shows them.

The folder is that of the book, or any other: ``notebooks/`` below a project, or one that holds notebooks itself.
"""

import argparse
import difflib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

from ..checks import need
from ..parameters import Parameter, parse
from ..results import read

TIMES = Path("results", "notebook_times.json")

WRITTEN = {"rerun", "sweep"}
"""Folders that the command writes to by default: the notebooks in them are results."""

RENAMED = {
    "hellinger/tables": "hellinger/tables_and_figures",
    "hellinger/figures": "hellinger/tables_and_figures",
    "private_mcmc/experiments_banana": "private_mcmc/experiments",
    "private_mcmc/experiments_more": "private_mcmc/experiments",
}
"""Old names of notebooks that were renamed or merged into another, and the names that they have now."""


@dataclass(frozen=True)
class Notebook:
    """One notebook.

    Args:
        name: Path below the folder of notebooks, without the ending
        title: First heading
        parameters: Parameters in the order of their cell, ``outdir`` too
        path: The file
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    path: Path

    @property
    def asked(self) -> tuple[Parameter, ...]:
        """The parameters that a user may set: all but ``outdir``, for which the command has ``--out``."""
        return tuple(each for each in self.parameters if each.name != "outdir")

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all parameters that may be set: those given, and the defaults of the others."""
        return {each.name: given.get(each.name, each.check(each.default)) for each in self.asked}


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
        own = [asdict(each) | {"path": str(each.path), "seconds": times.get(each.name)} for each in known]
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
    """The folder that the user's notebooks are below.

    It is the nearest folder, from the current one upwards, that has a folder ``notebooks``; else the current one, if it
    holds notebooks itself; else the source checkout that this package is installed from.

    Raises:
        FileNotFoundError: if there is none
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


def notebooks(root: Path) -> tuple[list[Notebook], dict[str, str]]:
    """All notebooks below a root, sorted by name; and by name, why others cannot be read."""
    folder = root / "notebooks" if (root / "notebooks").is_dir() else root
    found, broken = [], {}
    for path in sorted(folder.rglob("*.ipynb")):
        inner = path.relative_to(folder)
        if inner.parts[0] in WRITTEN or any(part.startswith(".") for part in inner.parts):
            continue
        name = inner.with_suffix("").as_posix()
        try:
            found.append(notebook(path, name))
        except ValueError as error:
            broken[name] = str(error)
    return found, broken


def notebook(path: Path, name: str) -> Notebook:
    """The notebook of a name in a file.

    Raises:
        ValueError: if the file is no notebook with one cell of typed parameters; the message names the file
    """
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = [(cell["cell_type"], cell.get("metadata", {}), "".join(cell["source"])) for cell in cells]
        tagged = [text for _, metadata, text in texts if "parameters" in metadata.get("tags", [])]
        need(len(tagged) == 1, f"it has {len(tagged)} such cells")
        parameters = parse(tagged[0])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError, TokenError) as error:
        what = f"{path} must be a notebook of version 4 with one cell tagged 'parameters' that has typed lines"
        raise ValueError(f"{what}: {' '.join(str(error).split())}") from None
    lines = [line for kind, _, text in texts if kind == "markdown" for line in text.splitlines()]
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), name)
    return Notebook(name, title, parameters, path)


def find(root: Path, name: str) -> Notebook:
    """A notebook below a root by its name, the last part of its name, or its path.

    Raises:
        ValueError: if there is none, with its new name or the nearest one; if there are several, or it cannot be read
    """
    found, broken = notebooks(root)
    known = {each.name: each for each in found} | broken
    asked = os.path.normpath(name).removesuffix(".ipynb").removeprefix("notebooks/")
    if asked in RENAMED:
        raise ValueError(f"NOTEBOOK must be one of 'dpbi list', got {name!r}, which is now {RENAMED[asked]}")
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
    """``perhaps WORD`` for the nearest of some words, empty if none is near.

    Args:
        word: What a user wrote
        words: What may be written, and for each the word that the message shows
    """
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"perhaps {words[close[0]]}" if close else ""


def run_times(root: Path) -> dict[str, float]:
    """Recorded run times in seconds, by the name of the notebook."""
    if not (root / TIMES).exists():
        return {}
    table = read(root / TIMES).tables["times"]
    return dict(zip(table["notebook"], table["seconds"], strict=True))


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """The cells of a parameter in a table: name, type, default, meaning with what is allowed."""
    return parameter.name, parameter.type, repr(parameter.default), "; ".join((parameter.meaning, *parameter.allowed))
