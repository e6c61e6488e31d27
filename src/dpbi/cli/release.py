"""``dpbi release``: a private posterior from a column of a CSV file."""

import argparse
import csv
import importlib.util
from typing import Any
from unicodedata import normalize

from ..publish import DROP, read_column, releasable, release


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "release",
        help="a private posterior of the shares of declared categories, with its receipt",
        description="Release the posterior of the shares of declared categories privately, from a column of a CSV "
        "file. The number of records is public, and so is everything given on the command line.",
    )
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header")
    parser.add_argument("--column", required=True, help="the column whose values are the records")
    parser.add_argument("--categories", required=True, help="the categories, declared: a,b,c")
    parser.add_argument("--prior", required=True, help="concentrations of the prior, one per category: 1,1,1")
    parser.add_argument("--mechanism", default="lattice_laplace", help=f"one of {', '.join(releasable())}")
    parser.add_argument("--epsilon", required=True, help="privacy loss, exact: 1/2 or 0.5")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for posterior, figure and receipt")
    parser.add_argument("--force", action="store_true", help="replace an earlier release in that folder")
    parser.add_argument("--missing", metavar="RULE", help=f"what empty values become: a category, or {DROP}")
    parser.add_argument("--budget", metavar="FILE", help="file that adds up what was spent on this data set")
    parser.add_argument("--limit", help="what may be spent in all, when the budget file is new")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("a release draws a figure, which needs matplotlib: pip install matplotlib")
    labels = [normalize("NFC", label.strip()) for label in next(csv.reader([options.categories]), [])]
    missing = None if options.missing is None else normalize("NFC", options.missing.strip())
    done = release(
        read_column(options.data, options.column),
        labels,
        _numbers(options.prior),
        options.epsilon,
        options.mechanism,
        missing=missing,
        out=options.out,
        force=options.force,
        budget=options.budget,
        limit=options.limit,
    )
    print(f"{options.mechanism}, epsilon {done.receipt['guarantee']['epsilon']}, {done.receipt['n']} records")
    for label, count, share in zip(labels, done.counts, done.shares, strict=True):
        low, high = share.interval(0.95)
        print(f"  {label}: {count}, share {share.mean:.4g}, 95 % within {low:.4g} and {high:.4g}")
    print(f"written to {options.out}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"prior must be numbers with commas between them, 1,1,1 for instance, got {text!r}") from None
