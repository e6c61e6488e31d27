"""Run pages at the ends of what their parameters may be, and say which fail or write to standard error.

python tools/ends.py PAGE... --out DIR [--seconds 300]

A page is a name of `dpbi list`. Each runs at its defaults, at all low ends, at all high ends, and at the two in turn.
DIR gets PAGE/SETTING.ipynb, the executed copy. An error `NAME must ...` about a parameter is a refusal: the page does
not allow what its parameters only together say.
"""

import argparse
import math
from pathlib import Path
from typing import Any

import numpy as np

from dpbi.cli.execution import outcomes, processes, tasks_of
from dpbi.cli.notebooks import Notebook, find
from dpbi.parameters import CHOICE, INTERVAL, Parameter

ROOT = Path(__file__).parents[1]
SETTINGS = {"default": (), "low": (0,), "high": (1,), "low-high": (0, 1), "high-low": (1, 0)}
"""The ends that the parameters take in turn: 0 is the low one, 1 the high one."""

OPEN = {"": (1e-3, 1e3), "delta": (1e-12, 1e3), "counts": (1e-3, 200), "seed": (0, 2**32 - 1), "length": (1, 3)}
"""What stands for an end that is open, at zero and at infinity, by the name of the parameter."""


def ends(name: str, condition: str) -> tuple[float, float]:
    """The lowest and the highest value that an interval allows; a thousandth within an end that is open elsewhere."""
    opening, low, high, closing = INTERVAL.fullmatch(condition).groups()
    first, last, (zero, far) = float(low), float(high), OPEN.get(name, OPEN[""])
    margin = zero if first == 0 or math.isinf(last) else (last - first) / 1000
    lowest = first + margin if opening == "(" else first
    return lowest, last if closing == "]" else far if math.isinf(last) else last - (last - first) / 1000


def value(parameter: Parameter, side: int, mixed: bool) -> Any:
    """A parameter at its low or high end; a list of any length, or if asked of one, is spread between its ends."""
    if parameter.type == "bool" or not parameter.allowed:  # what takes long if true, and texts of any form
        return parameter.default
    scopes = {"each": "", "length": "in [1, 1]"}
    for clause in parameter.allowed:
        scope, _, condition = clause.partition(" ")
        scopes |= {scope: condition} if scope in scopes else {"each": clause}
    lengths = [int(end) for end in ends("length", scopes["length"])]
    if choice := CHOICE.fullmatch(scopes["each"]):
        words = [word.strip() for word in choice[1].split(",")]
        return parameter.read(",".join(words[-lengths[1] :] if side else words[: lengths[0]]))
    low, high = ends(parameter.name, scopes["each"])
    integers = parameter.type == "list" and type(parameter.default[0]) is int and low % 1 == high % 1 == 0
    if whole := integers or "int" in parameter.type:
        low, high = math.ceil(low), math.floor(high)
    evenly = np.geomspace if low > 0 and high >= 100 * low else np.linspace
    spread = lengths[side] > 1 and (mixed or lengths[0] < lengths[1])
    found = evenly(low, high, lengths[side]) if spread else [(low, high)[side]] * lengths[side]
    return parameter.read(",".join(f"{each:.0f}" if whole else f"{each:.6g}" for each in found))


def setting(page: Notebook, sides: tuple[int, ...]) -> dict[str, Any]:
    """The checked parameters of a page; at their defaults if no sides are given."""
    if not sides:
        return {each.name: each.default for each in page.parameters}
    return {each.name: value(each, sides[i % len(sides)], len(sides) > 1) for i, each in enumerate(page.parameters)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=300, help="how long a cell may take")
    options = parser.parse_args()
    for page in [find(ROOT, name) for name in options.pages]:
        (options.out / page.name).mkdir(parents=True, exist_ok=True)
        tasks = tasks_of(page, [setting(page, sides) for sides in SETTINGS.values()], options.seconds)
        names = dict(zip(map(id, tasks), SETTINGS, strict=True))
        with processes(1) as pool:
            for task, outcome in outcomes(pool, tasks):
                warned = "writes to standard error" if '"name": "stderr"' in outcome.notebook else "ran"
                print(page.name, names[id(task)], outcome.error or warned, task.parameters, flush=True)
                (options.out / page.name / f"{names[id(task)]}.ipynb").write_text(outcome.notebook, "utf-8")


if __name__ == "__main__":
    main()
