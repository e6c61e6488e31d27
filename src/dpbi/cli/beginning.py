"""``dpbi init``: a first notebook of one's own, to be listed, run and swept like those of the book."""

import argparse
import json
from pathlib import Path
from typing import Any

from ..files import write_whole
from .execution import KERNEL

TITLE = """# A first page

The exact mean error of a private release, for data and a budget of your own."""

PARAMETERS = """epsilon: float = 0.8  # privacy budget; in (0, 20]
counts: list = [14, 6]  # records per category; each in [0, 1000]; length in [2, 3]
outdir: str = ""  # folder for the recorded results, none if empty"""

CHECK = """from dpbi.parameters import check_here

check_here()  # a value out of its range is told here, in one line, however the notebook is run"""

WORK = """from dpbi import audit, geometric, mean_error

prior = [1] * len(counts)
mechanism = geometric(epsilon)
error, leak = mean_error(mechanism, prior, counts), audit(mechanism, prior, sum(counts)).epsilon
print(f"mean error {error:.6g}, largest loss {leak:.6g}")"""

RECORD = """from dpbi.results import record

record(
    "first",
    {"epsilon": epsilon, "counts": counts},
    scalars={"mean_error": error, "leak": leak},
    outdir=outdir,
)"""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "init",
        help="write a folder with a first notebook of your own",
        description="Write DIR/notebooks/first.ipynb, a short notebook with typed parameters. In DIR, the commands "
        "list, run and sweep work on it and on every other notebook that is put beside it.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder, made if it is not there")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    path = options.folder / "notebooks" / "first.ipynb"
    if path.exists():
        raise ValueError(f"DIR must be a folder without notebooks/first.ipynb, got {options.folder}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(first(), indent=1) + "\n")
    except OSError as error:
        raise ValueError(
            f"DIR must be a folder that can be written to, got {options.folder}: {error.strerror}"
        ) from None
    print(f"written: {path}\nthere: dpbi list, dpbi run first -p epsilon=1/2, dpbi sweep first -g epsilon=0.1:2:20")
    return 0


def first() -> dict[str, Any]:
    """The notebook."""
    code = {"parameters": PARAMETERS, "check": CHECK, "errors": WORK, "recorded": RECORD}
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": TITLE}]
    for identity, source in code.items():
        metadata = {"tags": ["parameters"]} if identity == "parameters" else {}
        empty: dict[str, Any] = {"execution_count": None, "outputs": []}
        cells.append({"cell_type": "code", "id": identity, "metadata": metadata, "source": source, **empty})
    return {"cells": cells, "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
