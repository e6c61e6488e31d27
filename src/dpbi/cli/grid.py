"""The grid of a sweep: what ``-g name=values`` means.

| written | means |
|---|---|
| ``epsilon=0.1,0.5,2`` | these values |
| ``mechanism=ehd,lshist`` | these words |
| ``prior=[1,1],[2,2]`` | these lists |
| ``epsilon=0.1:2:20`` | 20 values from 0.1 to 2, both included, in equal steps |
| ``epsilon=0.1:10:5:log`` | 5 values from 0.1 to 10, both included, in equal ratios |
| ``epsilon=1/2:2**3:4`` | ends and values may be sums, differences, products, quotients and powers of numbers |

In a range of a whole-number parameter the values are rounded, and those that come out equal are one.
"""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..parameters import Parameter, calculated, entries

RANGE = re.compile(r"([^:,]+):([^:,]+):(\d+)(:log)?")
MOST_POINTS = 1_000_000
"""On one axis."""


def axis(parameter: Parameter, text: str) -> list[Any]:
    """The checked values of one parameter, each once, in the order given."""
    name, kind = parameter.name, parameter.type.partition("[")[0]
    if kind in ("int", "float") and ":" in text:
        values = [parameter.check(value) for value in _range(name, kind, text)]
    else:
        values = [parameter.read(part) for part in entries(text)]
    return distinct(parameter, values, text)


def distinct(parameter: Parameter, values: Sequence[Any], given: Any) -> list[Any]:
    """Each value once, and at least one."""
    if not values:
        raise ValueError(f"{parameter.name} must have at least one value in the grid, got {given!r}")
    return list({json.dumps(value): value for value in values}.values())


def _range(name: str, kind: str, text: str) -> list[float]:
    match = RANGE.fullmatch(text.strip())
    try:
        first, last, points = calculated(match[1]), calculated(match[2]), int(match[3])  # type: ignore[index]
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be A,B,C or FIRST:LAST:POINTS or FIRST:LAST:POINTS:log, got {text!r}") from None
    log = match is not None and match[4] is not None
    if not points:
        return []
    if points > MOST_POINTS or (points == 1 and first != last):
        raise ValueError(f"{name} must have from 2 to {MOST_POINTS} points in a range, got {text!r}")
    if not (math.isfinite(first) and math.isfinite(last)) or (log and not (first > 0 and last > 0)):
        raise ValueError(f"{name} must have finite{', positive' if log else ''} ends of its range, got {text!r}")
    inner = (step / (points - 1) for step in range(1, points - 1))
    # in decimals, as one writes them: 0.3 and not 0.30000000000000004
    values = [float(f"{first * (last / first) ** s if log else first + s * (last - first):.12g}") for s in inner]
    values = [first, *values, last][:points]
    return list(dict.fromkeys(round(value) for value in values)) if kind == "int" else values


def size(axes: Mapping[str, Sequence[Any]]) -> int:
    """How many cells the grid has."""
    return math.prod(len(values) for values in axes.values())


def cells(axes: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination, the last axis running fastest."""
    for row in itertools.product(*axes.values()):
        yield dict(zip(axes, row, strict=True))
