"""What a run or a sweep is given: parameters, ``-p name=value``, and for a sweep a grid of them, ``-g name=values``.

| written | means |
|---|---|
| ``epsilon=0.1,0.5,2`` | these values |
| ``mechanism=ehd,lshist`` | these words |
| ``prior=[1,1],[2,2]`` | these lists |
| ``epsilon=0.1:2:20`` | 20 values from 0.1 to 2, both included, in equal steps |
| ``epsilon=0.1:10:5:log`` | 5 values from 0.1 to 10, both included, in equal ratios |
| ``epsilon=1/2:2**3:4`` | ends and values may be sums, differences, products, quotients and powers of numbers |

In a range of a whole-number parameter the values are rounded, and each is taken once. A file of parameters is TOML. Its
table ``[parameters]`` holds values, its table ``[grid]`` axes: lists of values, or ranges as texts. The command line
has precedence over the file.
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

from ..checks import need
from ..parameters import Parameter, calculated, entries
from .notebooks import Notebook, nearest

RANGE = re.compile(r"([^:,]+):([^:,]+):(\d+)(:log)?")
MAX_POINTS = 1_000_000  # on one axis: more cells than a cluster runs in a year


def arguments(parser: ArgumentParser, default: str) -> None:
    """Add the arguments that ``run`` and ``sweep`` share, results going to the folder ``default`` unless asked."""
    add = parser.add_argument
    add("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    add("-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter: -p epsilon=1/2")
    add("-f", dest="file", metavar="FILE", type=Path, help="a TOML file of parameters")
    add("--out", metavar="DIR", type=Path, help=f"folder to write to ({default}/NOTEBOOK)")
    add("--timeout", metavar="SECONDS", type=int, help="how long each code cell of the notebook may take")


def values(page: Notebook, texts: Sequence[str], file: Path | None, table: str) -> dict[str, Any]:
    """The checked values of parameters from a file and the command line.

    Args:
        page: The notebook whose parameters they are
        texts: ``name=value`` from the command line, each name once
        file: a TOML file, or None
        table: The table of the file that is read: ``parameters``, or ``grid`` where each value is a list, an axis
    """
    line: dict[str, str] = {}
    for text in texts:
        name, sign, value = map(str.strip, text.partition("="))
        need(sign and name, f"a parameter must be given as name=value, got {text!r}")
        need(name not in line, f"{name} must be given once, got it twice")
        line[name] = value
    try:
        return {
            name: axis(parameter(page, name), given) if table == "grid" else parameter(page, name).typed(given)
            for name, given in {**tables(file).get(table, {}), **line}.items()
        }
    except TypeError as error:
        raise ValueError(str(error)) from None


def tables(file: Path | None) -> Mapping[str, Mapping[str, Any]]:
    """The tables of a TOML file of parameters; none of no file."""
    if file is None:
        return {}
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"-f must be a TOML file, got {file}: {getattr(error, 'strerror', None) or error}") from None
    for key, value in content.items():
        known = key in ("parameters", "grid") and isinstance(value, dict)
        need(known, f"-f must be a file with no tables but [parameters] and [grid], got {key!r} in {file}")
    return content


def parameter(page: Notebook, name: str) -> Parameter:
    """The parameter of a notebook by its name, which must not be ``outdir``."""
    need(name != "outdir", "outdir must not be set: --out says where results go")
    known = {each.name: each for each in page.asked}
    if name not in known:
        hint = nearest(name, {each: each for each in known}) or f"it has {', '.join(known) or 'none'}"
        raise ValueError(f"{page.name} has no parameter {name!r}: {hint}")
    return known[name]


def axis(one: Parameter, given: Any) -> list[Any]:
    """The checked values of a parameter on the grid, each once, in the order given.

    Args:
        one: The parameter
        given: a list of values, or a text as in the table above
    """
    good = isinstance(given, str | list)
    need(good, f"{one.name} must be a list of values or a range in the grid, got {given!r}")
    if isinstance(given, list):
        found = [one.typed(value) for value in given]
    elif one.type in ("int", "float") and ":" in given:
        found = [one.check(value) for value in between(one, given)]
    else:
        found = [one.read(part) for part in entries(given)]
    need(found, f"{one.name} must have at least one value in the grid, got {given!r}")
    return list({json.dumps(value): value for value in found}.values())


def between(one: Parameter, text: str) -> list[float]:
    """The values of a range: its ends as they are written, the others to twelve digits."""
    match = RANGE.fullmatch(text.strip())
    try:
        first, last, points = calculated(match[1]), calculated(match[2]), int(match[3])  # type: ignore[index]
    except (TypeError, ValueError):
        allowed = "A,B,C or FIRST:LAST:POINTS or FIRST:LAST:POINTS:log"
        raise ValueError(f"{one.name} must be {allowed}, got {text!r}") from None
    log = text.strip().endswith(":log")
    few = 2 <= points <= MAX_POINTS
    need(few, f"{one.name} must have from 2 to {MAX_POINTS} points in a range, got {text!r}")
    good = math.isfinite(first) and math.isfinite(last) and (min(first, last) > 0 or not log)
    need(good, f"{one.name} must have finite{', positive' * log} ends of its range, got {text!r}")
    inner = (np.geomspace if log else np.linspace)(first, last, points)[1:-1]
    found = [first, *(float(f"{value:.12g}") for value in inner), last]
    return [round(value) for value in found] if one.type == "int" else found
