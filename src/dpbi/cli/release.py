"""``dpbi release``: a private posterior from a column or a table of a file, and the end of one that was stopped."""

import argparse
import csv
import sys
from typing import Any
from unicodedata import normalize

from ..publish import DROP, Release, TableRelease, read_column, read_schema, releasable, release, release_table, resume
from ..publish.budget import price_in

NEEDED = ("data", "column", "categories", "prior", "out")


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "release",
        help="release a private posterior of the shares of declared categories, with its receipt",
        description="Release the posterior of the shares of declared categories privately, from a column of a CSV "
        "file, or with --schema from a table whose columns and questions a file declares. The number of records is "
        "public, and so is everything given on the command line.",
    )
    parser.add_argument(
        "data", metavar="DATA.csv", nargs="?", help="CSV file with a header; with --schema it may be Parquet"
    )
    parser.add_argument("--schema", metavar="FILE", help="TOML file that declares columns, questions and their budget")
    parser.add_argument("--column", help="the column whose values are the records")
    parser.add_argument("--categories", help="the declared categories: a,b,c")
    parser.add_argument("--prior", help="concentrations of the prior, one per category: 1,1,1")
    parser.add_argument("--mechanism", help=f"one of {', '.join(releasable())}; lattice_laplace if none is given")
    parser.add_argument("--epsilon", help="the privacy loss, an exact number: 1/2 or 0.5")
    parser.add_argument("--rho", help="the cost in zero-concentrated privacy instead, for discrete_gaussian: 1/50")
    parser.add_argument("--out", metavar="DIR", help="folder for posterior, figure and receipt")
    parser.add_argument("--force", action="store_true", help="replace an earlier release in that folder")
    parser.add_argument("--missing", metavar="RULE", help=f"what empty values become: a category, or {DROP}")
    parser.add_argument("--budget", metavar="FILE", help="the journal of what was spent on this data set")
    parser.add_argument("--data-set", metavar="NAME", help="which data set of that journal, if it has several")
    parser.add_argument("--limit", help="what may be spent in all, when the data set is new there: 1, or 'rho 1/10'")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="finish releases that --budget has paid for and that were stopped, at no further cost",
    )
    parser.set_defaults(run=_run, refuse=parser.error)


def _run(options: argparse.Namespace) -> None:
    if options.resume:
        _resume(options)
        return
    if options.schema is not None:
        _release_table(options)
        return
    wanted = [name for name in NEEDED if getattr(options, name) is None]
    if options.epsilon is None and options.rho is None:
        wanted.insert(max(0, len(wanted) - (options.out is None)), "epsilon")
    if wanted:
        shown = ", ".join("DATA.csv" if name == "data" else f"--{name}" for name in wanted)
        options.refuse(f"the following arguments are required: {shown}")
    labels = [normalize("NFC", label.strip()) for label in next(csv.reader([options.categories]), [])]
    missing = None if options.missing is None else normalize("NFC", options.missing.strip())
    done = release(
        read_column(options.data, options.column),
        labels,
        _numbers(options.prior),
        options.epsilon,
        options.mechanism or "lattice_laplace",
        rho=options.rho,
        missing=missing,
        out=options.out,
        force=options.force,
        budget=options.budget,
        limit=options.limit,
        data=options.data_set,
    )
    _tell(done)
    print(f"written to {options.out}")


def _release_table(options: argparse.Namespace) -> None:
    given = [
        name for name in ("column", "categories", "prior", "missing", "mechanism") if getattr(options, name) is not None
    ]
    if given:
        options.refuse(f"argument --schema: --{given[0]} belongs in the schema")
    if options.data is None or options.out is None:
        options.refuse("the following arguments are required: DATA.csv, --out")
    asked = read_schema(options.schema, options.epsilon, options.rho)
    done = release_table(
        options.data,
        asked,
        out=options.out,
        force=options.force,
        budget=options.budget,
        limit=options.limit,
        data_set=options.data_set,
        progress=sys.stderr.isatty(),
    )
    _tell(done)
    print(f"written to {options.out}")


def _resume(options: argparse.Namespace) -> None:
    if options.budget is None:
        options.refuse("the following arguments are required: --budget, the journal that has paid for the release")
    known = (*NEEDED[:-1], "epsilon", "rho", "missing", "mechanism", "limit", "data_set", "schema")
    given = [name for name in known if getattr(options, name) is not None]
    if given:
        options.refuse(f"argument --resume: the journal knows what was paid for, so {given[0]} must not be given again")
    finished = resume(options.budget, options.out)
    for done in finished:
        _tell(done)
    print(f"{len(finished)} finished, nothing spent" if finished else f"no release waits in {options.budget}")


def _tell(done: Release | TableRelease) -> None:
    if isinstance(done, TableRelease):
        receipt = done.receipt
        rows = f"{receipt['n']} rows, {len(done.questions)} questions"
        print(f"{receipt['mechanism']}, {price_in(receipt['guarantee'])}, {rows}")
        return
    print(f"{done.receipt['mechanism']}, {price_in(done.receipt['guarantee'])}, {done.receipt['n']} records")
    for label, count, share in zip(done.receipt["categories"], done.counts, done.shares, strict=True):
        low, high = share.interval(0.95)
        print(f"  {label}: {count}, share {share.mean:.4g}, 95 % within {low:.4g} and {high:.4g}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"prior must be numbers with commas between them, such as 1,1,1, got {text!r}") from None
