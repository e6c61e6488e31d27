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
    add = parser.add_argument
    add("data", metavar="DATA.csv", nargs="?", help="CSV file with a header; with --schema it may be Parquet")
    add("--schema", metavar="FILE", help="TOML file that declares columns, questions and their budget")
    add("--column", help="the column whose values are the records")
    add("--categories", help="the declared categories: a,b,c")
    add("--prior", help="concentrations of the prior, one per category: 1,1,1")
    add("--mechanism", help=f"one of {', '.join(releasable())}; lattice_laplace if none is given")
    add("--epsilon", help="the privacy loss, an exact number: 1/2 or 0.5")
    add("--rho", help="the cost in zero-concentrated privacy instead, for discrete_gaussian: 1/50")
    add("--out", metavar="DIR", help="folder for posterior, figure and receipt")
    add("--force", action="store_true", help="replace an earlier release in that folder")
    add("--missing", metavar="RULE", help=f"what empty values become: a category, or {DROP}")
    add("--budget", metavar="FILE", help="the SQLite file of what was spent on this data set")
    add("--data-set", metavar="NAME", help="which data set of that file, if it has several")
    add("--limit", help="what may be spent in all, when the data set is new there: 1, or 'rho 1/10'")
    add("--resume", action="store_true", help="write releases that --budget has paid for and that were stopped")
    parser.set_defaults(run=_run, refuse=parser.error)


def _run(options: argparse.Namespace) -> None:
    needed: tuple[str, ...] = NEEDED
    forbidden: tuple[str, ...] = ()
    why = ""
    if options.resume:
        needed, why = ("budget",), "the budget file holds what was paid for"
        forbidden = (*NEEDED[:-1], "epsilon", "rho", "missing", "mechanism", "limit", "data_set", "schema")
    elif options.schema is not None:
        needed, why = ("data", "out"), "the schema says it"
        forbidden = ("column", "categories", "prior", "epsilon", "rho", "missing", "mechanism")
    wanted = ["DATA.csv" if name == "data" else f"--{name}" for name in needed if getattr(options, name) is None]
    if needed == NEEDED and options.epsilon is None and options.rho is None:
        wanted.append("--epsilon")
    if wanted:
        options.refuse(f"the following arguments are required: {', '.join(wanted)}")
    if given := [name for name in forbidden if getattr(options, name) is not None]:
        options.refuse(f"{given[0]} must not be given with --{'resume' if options.resume else 'schema'}: {why}")
    if options.resume:
        finished = resume(options.budget, options.out)
        for done in finished:
            _tell(done)
        print(f"{len(finished)} written, nothing spent" if finished else f"no release waits in {options.budget}")
        return
    where = {"out": options.out, "force": options.force, "budget": options.budget, "limit": options.limit}
    if options.schema is not None:
        asked = read_schema(options.schema)
        _tell(release_table(options.data, asked, **where, data_set=options.data_set, progress=sys.stderr.isatty()))
    else:
        labels = [normalize("NFC", label.strip()) for label in next(csv.reader([options.categories]), [])]
        missing = None if options.missing is None else normalize("NFC", options.missing.strip())
        values, mechanism = read_column(options.data, options.column), options.mechanism or "lattice_laplace"
        cost = {"epsilon": options.epsilon, "rho": options.rho, "mechanism": mechanism, "missing": missing}
        _tell(release(values, labels, _numbers(options.prior), **cost, **where, data=options.data_set))
    print(f"written to {options.out}")


def _tell(done: Release | TableRelease) -> None:
    """A line for the release, one for each question of a table, one for each share."""
    receipt, price = done.receipt, price_in(done.receipt["guarantee"])
    if isinstance(done, TableRelease):
        print(f"{receipt['mechanism']}, {price}, {receipt['n']} rows, {len(done.questions)} questions")
        for one in done.questions:
            print(f"{', '.join(one.receipt['columns'])}:")
            _tell_shares(one)
        return
    print(f"{receipt['mechanism']}, {price}, {receipt['n']} records")
    _tell_shares(done)


def _tell_shares(done: Release) -> None:
    for label, noisy, share in zip(done.receipt["categories"], done.noisy, done.shares, strict=True):
        low, high = share.interval(0.95)
        print(f"  {label}: share {share.mean:.4g}, 95 % within {low:.4g} and {high:.4g}, from a noisy count of {noisy}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"prior must be numbers with commas between them, such as 1,1,1, got {text!r}") from None
