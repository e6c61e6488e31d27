"""``dpbi plan``: a forecast of a release before any record is read or any budget is spent."""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import publish
from ..accuracy import Estimate
from ..checks import need
from ..parameters import Parameter
from ..publish.budget import read_price
from .run import made

HEAD = ("mechanism", "price", "width", "without noise", "covers, noise ignored", "error", "seconds")
"""Column names of the printed table, one for each field of a ``Plan``."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("plan", help="forecast releases, before anything is paid", run=_run)
    add = parser.add_argument
    add("--records", metavar="N", type=int, required=True, help="number of records")
    add("--categories", metavar="K", required=True, help="number of categories, or their names: a,b,c")
    add("--prior", help="concentrations of the prior, one per category: 1,1,1 (default: all 1)")
    add("--epsilon", default="3/100,1/10,3/10,1", help="privacy losses: 1/10,1/2 (default: 3/100,1/10,3/10,1)")
    add("--mechanism", default="lattice_laplace", help=f"one or more of {', '.join(publish.releasable())}")
    add("--shares", help="the shares that you expect: 0.5,0.3,0.2 (default: drawn from the prior)")
    add("--draws", type=int, default=40, help="number of simulated releases, at least 2 (default: 40)")
    add("--json", action="store_true", help="print JSON")
    add("--figure", metavar="FILE", type=Path, help="write a figure of the widths to a file: .png, .svg or .pdf")


def _run(options: argparse.Namespace) -> None:
    """Forecast a release: width of the 95 % interval, coverage if the noise is ignored, error, and computing time.

    The numbers are averages over the categories, and over shares that are drawn from the prior unless --shares is
    given. No records are read and no budget is spent. A simulated number is followed by its standard error; an exact
    sum has none.
    """
    names, figure = next(csv.reader([options.categories]), []), options.figure
    k = int(names[0]) if len(names) == 1 and names[0].isdecimal() and len(names[0]) < 5 else len(names)
    given = {"prior": options.prior or ",".join("1" * k), "shares": options.shares}
    read = {name: Parameter(name, "list[float]", ()).read(text) for name, text in given.items() if text is not None}
    alike = f"--categories must be two or more, and --prior one number for each, got {k} and {given['prior']}"
    need(len(read["prior"]) == k >= 2, alike)
    if figure is not None:
        need(figure.suffix in (".png", ".svg", ".pdf"), f"--figure must end in .png, .svg or .pdf, got {figure}")
    lists = [[part.strip() for part in text.split(",")] for text in (options.epsilon, options.mechanism)]
    how = {"shares": read.get("shares"), "draws": options.draws, "progress": sys.stderr.isatty()}
    plans = publish.plan(options.records, read["prior"], *lists, **how)
    if figure is not None:
        made(figure.parent, "--figure")  # after everything that can be refused
        _draw(plans, figure)
    if options.json:
        values = [{name: getattr(x, "_asdict", lambda x=x: x)() for name, x in one._asdict().items()} for one in plans]
        print(json.dumps(values, indent=1))
        return
    print(f"{options.records} records, {k} categories: 95 % intervals")
    rows = [HEAD, *([_shown(field) for field in one] for one in plans)]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print("\n".join("  ".join(map(str.ljust, row, wide)).rstrip() for row in rows))


def _draw(plans: Sequence[publish.Plan], path: Path) -> None:
    """Draw the width of the interval against epsilon, one curve for each mechanism."""
    from .. import plots

    curves = {name: np.array([(read_price(one.price).epsilon, *one.width) for one in plans if one.mechanism == name])
              for name in dict.fromkeys(one.mechanism for one in plans)}  # fmt: skip
    found: Any = {name: curve[curve[:, 0].argsort()].T for name, curve in curves.items()}
    exact, without = {name: (x, y) for name, (x, y, _) in found.items()}, {"no noise": plans[0].without_noise.value}
    how: Any = {"xlabel": "epsilon", "ylabel": "expected width of the 95 % interval", "xscale": "log"}
    plots.save(plots.lines(None, exact, printed=without, runs=found, **how), path)


def _shown(field: Any) -> str:
    """A field of a plan as a cell of the printed table."""
    if isinstance(field, Estimate):
        return f"{field.value:.4f}" + (f" ± {field.standard_error:.1g}" if field.standard_error else "")
    return field if isinstance(field, str) else f"{field:.2g}"
