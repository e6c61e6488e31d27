"""The notebooks of a folder, read as files: titles, parameters and recorded run times.

The folder is that of the book, or any other: ``notebooks/`` below a project, or one that holds notebooks itself.
"""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

from ..parameters import Parameter, parse
from ..results import read

TIMES = Path("results", "notebook_times.json")


@dataclass(frozen=True)
class Notebook:
    """One notebook: its name below its folder without the ending, its first heading, its parameters."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]


def checkout() -> Path:
    """The root that the user's notebooks are below: of the source checkout, of a project, or a folder of notebooks.

    It is the nearest folder, from the present one upwards, with a folder ``notebooks`` that the user is in or beside,
    or that is a checkout; else the present one, if notebooks lie in it; else the checkout that this package is from.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        inner = folder / "notebooks"
        if inner.is_dir() and (here == folder or here.is_relative_to(inner) or (folder / "src" / "dpbi").is_dir()):
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
        if any(part.startswith(".") for part in inner.parts) or (folder == root and inner.parts[0] in OURS):
            continue
        name = inner.with_suffix("").as_posix()
        try:
            found.append(notebook(path, name))
        except ValueError as error:
            broken[name] = str(error)
    return found, broken


OURS = {"rerun", "sweep"}
"""Folders that the command writes to when nothing else is asked for."""


def notebook(path: Path, name: str) -> Notebook:
    """The notebook in a file; a ``ValueError`` that names the file if it is none with typed parameters."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = [(cell["cell_type"], cell.get("metadata", {}), "".join(cell["source"])) for cell in cells]
    except OSError as error:
        raise ValueError(f"{path} must be a notebook that can be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} must be a notebook in Jupyter's format, version 4") from None
    lines = [line for kind, _, text in texts if kind == "markdown" for line in text.splitlines()]
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), name)
    tagged = [text for _, metadata, text in texts if "parameters" in metadata.get("tags", [])]
    if len(tagged) != 1:
        raise ValueError(f"{path} must have one cell tagged 'parameters', got {len(tagged)}")
    try:
        return Notebook(name, title, parse(tagged[0]))
    except (ValueError, TypeError, SyntaxError, TokenError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(f"{path}, cell tagged 'parameters': {reason}") from None


def find(root: Path, name: str) -> Notebook:
    """The notebook of this name, of this last part of a name, or of this path."""
    known, broken = notebooks(root)
    names = {each.name: each for each in known}
    asked = os.path.normpath(name.removesuffix(".ipynb")) if name else name
    given = Path(name if name.endswith(".ipynb") else f"{name}.ipynb")
    if given.is_file() and given.resolve().is_relative_to(pages(root).resolve()):
        asked = given.resolve().relative_to(pages(root).resolve()).with_suffix("").as_posix()
    asked = asked.removeprefix("notebooks/")
    everything = [*names, *broken]
    meant = [asked] if asked in everything else [full for full in everything if full.endswith(f"/{asked}")]
    if len(meant) > 1:
        raise ValueError(f"NOTEBOOK must be one of 'dpbi list', got {name!r}: {' or '.join(meant)}?")
    if not meant:
        short = {full.rpartition("/")[2]: full for full in everything}
        near = difflib.get_close_matches(asked, [*everything, *short], n=1, cutoff=0.5)
        hint = f"perhaps {short.get(near[0], near[0])}" if near else "see 'dpbi list'"
        raise ValueError(f"NOTEBOOK must be one of 'dpbi list', got {name!r}: {hint}")
    if meant[0] in broken:
        raise ValueError(broken[meant[0]])
    return names[meant[0]]


def run_times(root: Path) -> dict[str, float]:
    """Seconds by notebook, where they were recorded."""
    if not (root / TIMES).exists():
        return {}
    table = read(root / TIMES).tables["times"]
    return dict(zip(table["notebook"], table["seconds"], strict=True))


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """What a reader is told of a parameter: its name, type and default, and what it means and may be."""
    return parameter.name, parameter.type, repr(parameter.default), "; ".join((parameter.meaning, *parameter.allowed))


def listing(known: list[Notebook], times: Mapping[str, float]) -> str:
    """The text of ``dpbi list``."""
    blocks = []
    for each in known:
        took = f"{times[each.name]:g} s" if each.name in times else "run time not recorded"
        rows = [described(parameter) for parameter in each.parameters]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
        lines = ["  " + "  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows]
        blocks.append("\n".join([f"{each.name}  {each.title}  ({took})", *lines, ""]))
    return "\n".join(blocks)


def as_data(known: list[Notebook], times: Mapping[str, float]) -> list[dict[str, Any]]:
    """What ``dpbi list --json`` prints."""
    return [
        {
            "name": each.name,
            "title": each.title,
            "seconds": times.get(each.name),
            "parameters": [vars(parameter) | {"allowed": list(parameter.allowed)} for parameter in each.parameters],
        }
        for each in known
    ]
