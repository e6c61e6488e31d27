"""What a run or a sweep is given: parameters, ``-p name=value``, and for a sweep a grid of them, ``-g name=values``.

| written | means |
|---|---|
| ``epsilon=0.1,0.5,2`` | these values |
| ``mechanism=ehd,lshist`` | these words |
| ``prior=[1,1],[2,2]`` | these lists |
| ``epsilon=0.1:2:20`` | 20 values from 0.1 to 2, both included, in equal steps |
| ``epsilon=0.1:10:5:log`` | 5 values from 0.1 to 10, both included, in equal ratios |
| ``epsilon=1/2:2**3:4`` | ends and values may be sums, differences, products, quotients and powers of numbers |

In a range of a whole-number parameter the values are rounded, and those that come out equal are one. A file of
parameters is TOML, with a table ``[parameters]`` of values and a table ``[grid]`` of axes: lists of values, or ranges
as texts. What is on the command line holds against what is in the file.
"""

import json
import math
import re
import tomllib
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..parameters import Parameter, calculated, entries
from .notebooks import Notebook, nearest

RANGE = re.compile(r"([^:,]+):([^:,]+):(\d+)(:log)?")
MOST_POINTS = 1_000_000
"""On one axis: more cells than a cluster runs in a year."""


def arguments(parser: ArgumentParser, default: str) -> None:
    """The arguments that runs and sweeps share."""
    add = parser.add_argument
    add("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    add("-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter: -p epsilon=1/2")
    add("-f", dest="file", metavar="FILE", type=Path, help="a TOML file of parameters")
    add("--out", metavar="DIR", type=Path, help=f"folder to write to ({default}/NOTEBOOK)")
    add("--timeout", metavar="SECONDS", type=int, help="how long each code cell of the notebook may take")


def values(page: Notebook, texts: Sequence[str], file: Path | None, table: str) -> dict[str, Any]:
    """The checked values that a file and the command line give to parameters, or for the table ``grid`` their axes."""
    line: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"a parameter must be given as name=value, got {text!r}")
        if name.strip() in line:
            raise ValueError(f"{name.strip()} must be given once, got it twice")
        line[name.strip()] = value
    try:
        return {
            name: axis(parameter(page, name), given) if table == "grid" else parameter(page, name).typed(given)
            for name, given in {**tables(file).get(table, {}), **line}.items()
        }
    except TypeError as error:
        raise ValueError(str(error)) from None


def tables(file: Path | None) -> Mapping[str, Mapping[str, Any]]:
    """The tables of a file of parameters."""
    if file is None:
        return {}
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"-f must be a TOML file, got {file}: {getattr(error, 'strerror', None) or error}") from None
    for key, value in content.items():
        if key not in ("parameters", "grid") or not isinstance(value, dict):
            raise ValueError(f"-f must be a file with no tables but [parameters] and [grid], got {key!r} in {file}")
    return content


def parameter(page: Notebook, name: str) -> Parameter:
    """The parameter of this name, which is not ``outdir``."""
    known = {each.name: each for each in page.parameters if each.name != "outdir"}
    if name == "outdir":
        raise ValueError("outdir must not be set: --out says where results go")
    if name not in known:
        hint = nearest(name, {each: each for each in known}) or f"it has {', '.join(known) or 'none'}"
        raise ValueError(f"{page.name} has no parameter {name!r}: {hint}")
    return known[name]


def axis(one: Parameter, given: Any) -> list[Any]:
    """The checked values of one parameter, each once, in the order given: as a list, or as a text."""
    if not isinstance(given, str | list):
        raise ValueError(f"{one.name} must be a list of values or a range in the grid, got {given!r}")
    if isinstance(given, list):
        found = [one.typed(value) for value in given]
    elif one.type in ("int", "float") and ":" in given:
        found = [one.check(value) for value in between(one.name, one.type, given)]
    else:
        found = [one.read(part) for part in entries(given)]
    if not found:
        raise ValueError(f"{one.name} must have at least one value in the grid, got {given!r}")
    return list({json.dumps(value): value for value in found}.values())


def between(name: str, kind: str, text: str) -> list[float]:
    """The values of a range: its ends as they are written, the others in twelve digits."""
    match = RANGE.fullmatch(text.strip())
    try:
        first, last, points = calculated(match[1]), calculated(match[2]), int(match[3])  # type: ignore[index]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be A,B,C or FIRST:LAST:POINTS or FIRST:LAST:POINTS:log, got {text!r}") from None
    log = match is not None and match[4] is not None
    if points > MOST_POINTS or points < 2:
        raise ValueError(f"{name} must have from 2 to {MOST_POINTS} points in a range, got {text!r}")
    if not (math.isfinite(first) and math.isfinite(last)) or (log and not (first > 0 and last > 0)):
        raise ValueError(f"{name} must have finite{', positive' if log else ''} ends of its range, got {text!r}")
    inner = (np.geomspace if log else np.linspace)(first, last, points)[1:-1]
    found = [first, *(float(f"{value:.12g}") for value in inner), last]
    return [round(value) for value in found] if kind == "int" else found


def complete(page: Notebook, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter but ``outdir``, in the order of the notebook, the defaults where nothing else is given."""
    asked = (each for each in page.parameters if each.name != "outdir")
    return {each.name: given.get(each.name, each.check(each.default)) for each in asked}
