"""Run pages at the ends of what their parameters may be, and say which crash, warn or take too long.

python tools/ends.py PAGE... --out DIR [--seconds 300] [--jobs 1]

A page is a name of `dpbi list`. Each runs at five settings: its defaults, all low ends, all high ends, and the two in
turn. DIR gets PAGE/SETTING.ipynb, the executed copy, and PAGE/SETTING.md, its sentences and numbers as text. A run that
ends in the one sentence `NAME must ...` about a parameter of the page is "refused": the page does not allow what its
parameters only together say.
"""

import argparse
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np

from dpbi.cli.execution import Outcome, outcomes, processes, tasks_of
from dpbi.cli.notebooks import Notebook, find
from dpbi.parameters import CHOICE, INTERVAL, Parameter

ROOT = Path(__file__).parents[1]
SETTINGS = {"default": (), "low": (0,), "high": (-1,), "low-high": (0, -1), "high-low": (-1, 0)}
"""The ends that the parameters take in turn: 0 is the low one, -1 the high one."""

OPEN_ENDS = {
    "": (1e-3, 1e3),  # for rates, scales and concentrations: six orders of magnitude, as far as a user might try
    "delta": (1e-12, 1e3),  # a chance: the smallest that pages and papers speak of
    "counts": (1e-3, 200),  # records: what all mechanisms enumerate for two categories in seconds
    "seed": (0, 2**32 - 1),  # of a random generator: numpy's older ones end here
    "length": (1, 3),  # of a list with no longest: datasets of four categories are too many to list
}
"""What stands for an end that is open, at zero and at infinity, by the name of the parameter."""

MARGIN = 1e-3
"""Part of a range that the value for any other open end is away from it."""


def ends(name: str, condition: str) -> tuple[float, float]:
    """The lowest and the highest value that an interval allows."""
    opening, low, high, closing = INTERVAL.fullmatch(condition).groups()
    first, last = float(low), float(high)
    margin, (zero, far) = MARGIN * (last - first), OPEN_ENDS.get(name, OPEN_ENDS[""])
    if opening == "(":
        first = zero if first == 0 else first + margin
    if closing == ")":
        last = far if math.isinf(last) else last - margin
    return first, last


def value(parameter: Parameter, side: int, mixed: bool) -> Any:
    """A parameter at its low (0) or high (-1) end; the entries of a list may be spread between their ends."""
    if parameter.type == "bool" or not parameter.allowed:  # what takes long if true, and texts of any form
        return parameter.default
    scoped = [
        clause.partition(" ") if clause.startswith(("each", "length")) else ("", "", clause)
        for clause in parameter.allowed
    ]
    allowed = {scope: condition for scope, _, condition in scoped}
    condition = allowed.get("each") or allowed[""]
    shortest, longest = map(int, ends("length", allowed.get("length", "in [1, 1]")))
    length = (shortest, longest)[side]
    kind = parameter.type.removeprefix("list").strip("[]")
    if choice := CHOICE.fullmatch(condition):
        words = [{"int": int, "float": float}.get(kind, str)(word.strip()) for word in choice[1].split(",")]
        found = words[:length] if side == 0 else words[-length:]
    else:
        low, high = ends(parameter.name, condition)
        whole = kind == "int" or (not kind and condition[3] == "[" and isinstance(parameter.default[0], int))
        if kind == "int" or (whole and (low, high) == (round(low), round(high))):
            low, high, typed = math.ceil(low), math.floor(high), int
        else:
            typed = float
        if length == 1 or (shortest == longest and not mixed):
            found = [(low, high)[side]] * length
        else:
            found = list((np.geomspace if low > 0 and high >= 100 * low else np.linspace)(low, high, length))
            found[0], found[-1] = low, high  # as they are, not as they were rounded
        found = [round(each) if typed is int else float(f"{each:.6g}") for each in found]
    return found if parameter.type.startswith("list") else found[0]


def setting(page: Notebook, sides: tuple[int, ...]) -> dict[str, Any]:
    """The checked parameters of a page; at their defaults if no sides are given."""
    asked = [each for each in page.parameters if each.name != "outdir"]
    if not sides:
        return {each.name: each.default for each in asked}
    return {each.name: each.check(value(each, sides[i % len(sides)], len(sides) > 1)) for i, each in enumerate(asked)}


def verdict(page: Notebook, outcome: Outcome) -> tuple[str, str]:
    """What became of a run, in a word, and what it said of that."""
    names = "|".join(each.name for each in page.parameters)
    if re.match(rf"ValueError: ({names}) must ", outcome.error):
        return "refused", outcome.error
    if outcome.error:
        return "too long" if outcome.error.startswith("stopped after") else "crash", outcome.error
    outputs = [each for cell in json.loads(outcome.notebook)["cells"] for each in cell.get("outputs", [])]
    warned = ["".join(each["text"]) for each in outputs if each.get("name") == "stderr"]
    return ("warning", " | ".join(warned).replace("\n", " ")) if warned else ("ran", "")


def text(notebook: str) -> str:
    """All that a reader sees of an executed notebook but its code and its figures."""
    parts = []
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append("".join(cell["source"]))
        for each in cell.get("outputs", []):
            data = each.get("data", {})
            shown = data.get("text/markdown") or data.get("text/plain") or each.get("text") or each.get("evalue", "")
            parts.append(f"[{cell['id']}]\n" + "".join(shown))
    return "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=300, help="how long a cell may take")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    options = parser.parse_args()
    for page in [find(ROOT, name) for name in options.pages]:
        folder = options.out / page.name
        folder.mkdir(parents=True, exist_ok=True)
        asked = [setting(page, SETTINGS[name]) for name in options.settings]
        tasks = tasks_of(page, asked, options.seconds)
        named = {id(task): name for task, name in zip(tasks, options.settings, strict=True)}
        with processes(options.jobs) as pool:
            for task, outcome in outcomes(pool, tasks):
                name, (word, why) = named[id(task)], verdict(page, outcome)
                print(f"{page.name}  {name}  {word}  {why}", flush=True)
                if word != "ran":
                    print(f"    {json.dumps(task.parameters)}", flush=True)
                if outcome.notebook:
                    (folder / f"{name}.ipynb").write_text(outcome.notebook, "utf-8")
                    (folder / f"{name}.md").write_text(text(outcome.notebook), "utf-8")


if __name__ == "__main__":
    main()
