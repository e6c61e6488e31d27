"""What a run or a sweep is given: parameters, ``-p name=value``, and for a sweep a grid of them, ``-g name=values``.

| written | means |
|---|---|
| ``epsilon=0.1,0.5,2`` | these values |
| ``mechanism=ehd,lshist`` | these words |
| ``prior=[1,1],[2,2]`` | these lists |
| ``epsilon=0.1:2:20`` | 20 values from 0.1 to 2, both included, in equal steps |
| ``epsilon=0.1:10:5:log`` | 5 values from 0.1 to 10, both included, in equal ratios |
| ``epsilon=1/2:8:4`` | ends and values may be fractions |

In a range of a whole-number parameter the values are rounded, and each is taken once.
"""

import json
import math
import re
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import need
from ..parameters import Parameter, calculated, entries
from .notebooks import Notebook, nearest

RANGE = re.compile(r"([^:,]+):([^:,]+):(\d+)(:log)?")
MAX_POINTS = 1_000_000  # on one axis and in all: more cells than a cluster runs in a year


def arguments(parser: ArgumentParser, default: str) -> None:
    """Add the arguments that ``run`` and ``sweep`` share, results going to the folder ``default`` unless asked."""
    add = parser.add_argument
    add("notebook", metavar="NOTEBOOK", help="its name in 'dpbi list', notes/theorem_4_5 for instance")
    add("-p", dest="set", metavar="NAME=VALUE", action="append", default=[], help="a parameter: -p epsilon=1/2")
    add("--out", metavar="DIR", type=Path, help=f"folder to write to ({default}/NOTEBOOK)")
    add("--timeout", metavar="SECONDS", type=int, help="how long each code cell of the notebook may take")


def values(page: Notebook, texts: Sequence[str], grid: bool = False) -> dict[str, Any]:
    """The checked values of parameters.

    Args:
        page: The notebook whose parameters they are
        texts: ``name=value`` from the command line, each name once
        grid: Whether each is an axis of a grid, and its value the list of those on it
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = map(str.strip, text.partition("="))
        need(sign and name, f"a parameter must be given as name=value, got {text!r}")
        need(name not in found, f"{name} must be given once, got it twice")
        one = parameter(page, name)
        try:
            found[name] = axis(one, value) if grid else one.read(value)
        except TypeError as error:
            raise ValueError(str(error)) from None
    return found


def parameter(page: Notebook, name: str) -> Parameter:
    """The parameter of a notebook by its name, which must not be ``outdir``."""
    need(name != "outdir", "outdir must not be set: --out says where results go")
    known = {each.name: each for each in page.asked}
    if name not in known:
        hint = nearest(name, {each: each for each in known}) or f"it has {', '.join(known) or 'none'}"
        raise ValueError(f"{page.name} has no parameter {name!r}: {hint}")
    return known[name]


def axis(one: Parameter, text: str) -> list[Any]:
    """The checked values of a parameter on the grid, each once, in the order given; the table above says how."""
    if one.type in ("int", "float") and ":" in text:
        found = [one.check(value) for value in between(one, text)]
    else:
        found = [one.read(part) for part in entries(text)]
    need(found, f"{one.name} must have at least one value in the grid, got {text!r}")
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
