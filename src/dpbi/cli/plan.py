"""``dpbi plan``: a forecast of a release before any record is read or any budget is spent."""

import argparse
import csv
import sys
from typing import Any

from .. import publish
from ..accuracy import Estimate
from ..checks import need
from ..parameters import Parameter

HEAD = ("mechanism", "price", "width", "without noise", "covers, noise ignored", "error")
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


def _run(options: argparse.Namespace) -> None:
    """Forecast a release: width of the 95 % interval, coverage if the noise is ignored, and error.

    The numbers are averages over the categories, and over shares that are drawn from the prior unless --shares is
    given. No records are read and no budget is spent. A simulated number is followed by its standard error; an exact
    sum has none.
    """
    names = next(csv.reader([options.categories]), [])
    k = int(names[0]) if len(names) == 1 and names[0].isdecimal() and len(names[0]) < 5 else len(names)
    given = {"prior": options.prior or ",".join("1" * k), "shares": options.shares}
    read = {name: Parameter(name, "list[float]", ()).read(text) for name, text in given.items() if text is not None}
    alike = f"--categories must be two or more, and --prior one number for each, got {k} and {given['prior']}"
    need(len(read["prior"]) == k >= 2, alike)
    lists = [[part.strip() for part in text.split(",")] for text in (options.epsilon, options.mechanism)]
    how = {"shares": read.get("shares"), "draws": options.draws, "progress": sys.stderr.isatty()}
    plans = publish.plan(options.records, read["prior"], *lists, **how)
    print(f"{options.records} records, {k} categories: 95 % intervals")
    rows = [HEAD, *((one.mechanism, one.price, *map(_shown, one[2:])) for one in plans)]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print("\n".join("  ".join(map(str.ljust, row, wide)).rstrip() for row in rows))


def _shown(one: Estimate) -> str:
    """A number of a plan as a cell of the printed table."""
    return f"{one.value:.4f}" + (f" ± {one.standard_error:.1g}" if one.standard_error else "")
