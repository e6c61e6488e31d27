"""What is given to a run or a sweep: ``-p name=value``, and files of parameters.

A file is TOML, with a table ``[parameters]`` of values, and for a sweep a table ``[grid]`` of axes: lists of values, or
ranges as on the command line. What is on the command line holds against what is in the file::

    [parameters]
    sizes = [10, 100]

    [grid]
    n = [20, 80]
    t = "1/20:9/10:20"
"""

import difflib
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..parameters import Parameter
from .grid import axis, distinct
from .notebooks import Notebook

TABLES = ("parameters", "grid")


def arguments(parser: ArgumentParser, what: str) -> None:
    """The arguments that runs and sweeps share."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    parser.add_argument("-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help=what)
    parser.add_argument("-f", dest="file", metavar="FILE", type=Path, help="a TOML file of parameters")


def nearest(word: str, words: Sequence[str]) -> str:
    """The words that may have been meant, or all of them, as part of a sentence."""
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"perhaps {close[0]}" if close else f"it has {', '.join(words)}" if words else "it has no parameters"


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


def table(file: Path | None, name: str) -> Mapping[str, Any]:
    """A table of a file of parameters, empty if there is none."""
    if file is None:
        return {}
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"-f must be a TOML file, got {file}: {getattr(error, 'strerror', 'not UTF-8')}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"-f must be a TOML file, got {file}: {error}") from None
    for key, value in content.items():
        if key not in TABLES or not isinstance(value, dict):
            raise ValueError(f"-f must be a file with no tables but [parameters] and [grid], got {key!r} in {file}")
    return content.get(name, {})  # type: ignore[no-any-return]


def values(notebook: Notebook, texts: Sequence[str], file: Path | None = None) -> dict[str, Any]:
    """The checked values that a file and the command line give to parameters."""
    return _given(notebook, table(file, "parameters"), texts, Parameter.typed, Parameter.read)


def axes(notebook: Notebook, texts: Sequence[str], file: Path | None = None) -> dict[str, list[Any]]:
    """The checked axes of the grid that a file and the command line give."""
    return _given(notebook, table(file, "grid"), texts, typed_axis, axis)


def typed_axis(each: Parameter, content: Any) -> list[Any]:
    """The axis in a file: a list of values, or a text as on the command line."""
    if isinstance(content, str):
        return axis(each, content)
    if not isinstance(content, list):
        raise ValueError(f"{each.name} must be a list of values or a range in the grid, got {content!r}")
    return distinct(each, [each.typed(value) for value in content], content)


def _given(
    notebook: Notebook,
    table: Mapping[str, Any],
    texts: Sequence[str],
    typed: Callable[[Parameter, Any], Any],
    written: Callable[[Parameter, str], Any],
) -> dict[str, Any]:
    """Each name once on the command line; every refusal a ``ValueError``, since what is given is a value."""
    line: dict[str, str] = {}
    for name, text in map(assignment, texts):
        if name in line:
            raise ValueError(f"{name} must be given once, got it twice")
        line[name] = text
    try:
        filed = {name: typed(parameter(notebook, name), content) for name, content in table.items()}
        return filed | {name: written(parameter(notebook, name), text) for name, text in line.items()}
    except TypeError as error:
        raise ValueError(str(error)) from None


def complete(notebook: Notebook, values: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter but ``outdir``, in the order of the notebook, the defaults where nothing else is given."""
    return {
        each.name: values.get(each.name, each.check(each.default))
        for each in notebook.parameters
        if each.name != "outdir"
    }
