"""``dpbi plan``, ``release``, ``check`` and ``budget``: forecast, make and check releases, and show what was spent."""

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

from .. import publish
from ..accuracy import Estimate
from ..checks import need
from ..parameters import Parameter
from ..publish import budget, receipts

HEAD = ("mechanism", "price", "width", "without noise", "covers, noise ignored", "error")
"""Column names of the printed table, one for each field of a ``Plan``."""

COLUMN = ("--column", "--categories", "--prior", "--epsilon", "--rho", "--missing", "--mechanism")
"""Options that concern a single column."""

UNPAID = "no budget file was charged: use --budget to add up the cost of all releases, or --no-budget to hide this line"

NEEDED = {"resume": ("--budget",), "schema": ("DATA.csv", "--out"), "column": ("DATA.csv", *COLUMN[:3], "--out")}
FORBIDDEN = {"resume": ("DATA.csv", "--schema", "--limit", "--data-set", *COLUMN), "schema": COLUMN, "column": ()}
"""Options that each mode of ``dpbi release`` requires, and options that it forbids, because the budget file or the
schema contains the same information."""


def add(commands: Any) -> None:
    """Register the commands."""
    add = commands.add_parser("plan", help="forecast releases, before anything is paid", run=_plan).add_argument
    add("--records", metavar="N", type=int, required=True, help="number of records")
    add("--categories", metavar="K", required=True, help="number of categories, or their names: a,b,c")
    add("--prior", help="concentrations of the prior, one per category: 1,1,1 (default: all 1)")
    add("--epsilon", default="3/100,1/10,3/10,1", help="privacy losses: 1/10,1/2 (default: 3/100,1/10,3/10,1)")
    add("--mechanism", default="lattice_laplace", help=f"one or more of {', '.join(publish.releasable())}")
    add("--shares", help="the shares that you expect: 0.5,0.3,0.2 (default: drawn from the prior)")
    add("--draws", type=int, default=40, help="number of simulated releases, at least 2 (default: 40)")
    add = commands.add_parser("release", help="release a private posterior and a receipt", run=_release).add_argument
    add("data", metavar="DATA.csv", nargs="?", help="CSV file with a header; with --schema, also a Parquet file")
    add("--schema", metavar="FILE", help="TOML file that declares columns, questions and their budget")
    add("--column", help="the column whose values are the records")
    add("--categories", help="the declared categories: a,b,c")
    add("--prior", help="concentrations of the prior, one per category: 1,1,1")
    add("--mechanism", help=f"one of {', '.join(publish.releasable())} (default: lattice_laplace)")
    add("--epsilon", help="the privacy loss, an exact number: 1/2 or 0.5")
    add("--rho", help="the cost in zero-concentrated privacy, in place of --epsilon, for discrete_gaussian: 1/50")
    add("--out", metavar="DIR", help="folder for posterior, figure and receipt")
    add("--force", action="store_true", help="replace an earlier release in that folder; its charge remains")
    add("--missing", metavar="RULE", help=f"category of missing values, or {publish.DROP}")
    add("--budget", metavar="FILE", help="SQLite file that records what was spent on this data set")
    add("--data-set", metavar="NAME", help="name of the data set, if the budget file has several")
    add("--limit", help="total that may be spent, if the data set is new in the budget file: 1, or 'rho 1/10'")
    add("--no-budget", action="store_true", help="release without a budget file, and print no warning about it")
    resumed = "write every paid release in the budget file that was interrupted, or any paid one with this id"
    add("--resume", metavar="ID", nargs="?", const="", help=resumed)
    check = commands.add_parser("check", help="recompute a release from its receipt, without the records", run=_check)
    check.add_argument("folder", metavar="DIR", help="folder of a release")
    spent = commands.add_parser("budget", help="show what was spent on data sets, or check that releases were paid for")
    actions = spent.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="show limits, charges, and releases that wait to be written", run=_show)
    show.add_argument("file", metavar="FILE", help="the budget file")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument("--delta", type=float, default=1e-6, help="delta of the cost in epsilon (default: 1e-6)")
    paid = actions.add_parser("check", help="check that limits hold and that releases were paid for", run=_paid)
    paid.add_argument("file", metavar="FILE", help="the budget file")
    paid.add_argument("folders", metavar="DIR", nargs="*", help="folders of releases that must have been paid for")


# dpbi plan


def _plan(options: argparse.Namespace) -> None:
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
    rows = [HEAD, *((one.mechanism, one.price, *map(_cell, one[2:])) for one in plans)]
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print("\n".join("  ".join(map(str.ljust, row, wide)).rstrip() for row in rows))


def _cell(one: Estimate) -> str:
    """A number of a plan as a cell of the printed table."""
    return f"{one.value:.4f}" + (f" ± {one.standard_error:.1g}" if one.standard_error else "")


# dpbi release


def _release(options: argparse.Namespace) -> None:
    """Privately release the posterior of the shares of declared categories.

    The records are a column of a CSV file or, with --schema, a table whose columns and questions are declared in a
    file. The number of records and everything on the command line are public.
    """
    mode = "resume" if options.resume is not None else "schema" if options.schema is not None else "column"
    given = {"DATA.csv": options.data} | {f"--{name.replace('_', '-')}": value for name, value in vars(options).items()}
    for name in NEEDED[mode]:
        need(given[name] is not None, f"{name} must be given, got none")
    for name in FORBIDDEN[mode]:
        need(given[name] is None, f"{name} must not be given with --{mode}, got {given[name]!r}")
    need(not (options.budget and options.no_budget), "--no-budget must not be given with --budget, got both")
    if options.resume is not None:
        finished = publish.resume(options.budget, options.out, options.resume or None)
        for done in finished:
            _tell(done)
        print(f"{len(finished)} written, nothing spent" if finished else f"no release waits in {options.budget}")
        return
    how = {name: getattr(options, name) for name in ("out", "force", "budget", "limit", "data_set")}
    if options.schema is not None:
        how["progress"] = sys.stderr.isatty()
        _tell(publish.release_table(options.data, publish.read_schema(options.schema), **how))
    else:
        values = publish.read_column(options.data, options.column)
        labels = next(csv.reader([options.categories]), [])
        prior = Parameter("prior", "list[float]", ()).read(options.prior)
        how |= {name[2:]: given[name] for name in COLUMN[3:] if given[name] is not None}  # price, missing, mechanism
        _tell(publish.release(values, labels, prior, **how))
    print(f"written to {options.out}")
    if not (options.budget or options.no_budget):
        print(f"dpbi: {UNPAID}", file=sys.stderr)


def _tell(done: publish.Release | publish.TableRelease) -> None:
    """Print one line about the release, one line about each question of a table, and one line about each share."""
    receipt, questions = done.receipt, done.questions if isinstance(done, publish.TableRelease) else (done,)
    what = f"rows, {len(questions)} questions" if isinstance(done, publish.TableRelease) else "records"
    print(f"{receipt['mechanism']}, {budget.price_in(receipt['guarantee'])}, {receipt['n']} {what}")
    for one in questions:
        if "columns" in one.receipt:
            print(f"{', '.join(one.receipt['columns'])}:")
        for label, noisy, share in zip(one.receipt["categories"], one.noisy, one.shares, strict=True):
            within = "95 % between {:.4g} and {:.4g}".format(*share.interval(0.95))
            print(f"  {label}: share {share.mean:.4g}, {within}, from a noisy count of {noisy}")


# What anybody can check


def _check(options: argparse.Namespace) -> int:
    """Recompute counts, posterior, intervals and figure of a release from its receipt, and report what agrees.

    No receipt can show that the noise was drawn from the distribution that the receipt states.
    """
    findings = publish.check_release(options.folder)
    words = {True: "agrees", False: "differs", None: "not compared"}
    for finding in findings:
        print(f"{words[finding.agrees]}: {finding.what}" + (f" ({finding.why})" if finding.why else ""))
    return 1 if any(finding.agrees is False for finding in findings) else 0


# What was spent


def _accounts(options: argparse.Namespace) -> dict[str, publish.BudgetAccount]:
    """The accounts in the budget file named on the command line; the file must exist."""
    path = Path(options.file)
    need(path.is_file(), f"FILE must be a budget file that dpbi wrote, got {options.file}, which is no file")
    return publish.Budget(path).accounts()


def _show(options: argparse.Namespace) -> None:
    """Show the limit of each data set, its charges, and the releases that have not yet been written."""
    reports = {name: _report(account, options.delta) for name, account in _accounts(options).items()}
    if options.json:
        print(json.dumps(reports, indent=1, ensure_ascii=False))
        return
    for name, report in reports.items():
        cost = report["in_all"]
        print(f"{name}: {report['spent']} of {report['limit']} spent, {report['left']} left")
        print(f"  in total rho {cost['rho']:.4g}, or epsilon {cost['epsilon']:.4g} at delta {cost['delta']:g}")
        for one in report["charges"]:
            waits = f"waits: dpbi release --resume {one['id']} --budget {options.file}"
            state = f"{one['folder'] or 'written'}  id {one['id']}" if one["written"] else waits
            print(f"  {one['receipt']['date']}  {one['price']}  {one['receipt']['mechanism']}  {state}")


def _report(account: publish.BudgetAccount, delta: float) -> dict[str, Any]:
    """An account as JSON: limit, amounts spent and left, total cost, and all charges with their receipts."""
    return {
        "limit": str(account.limit),
        "spent": str(account.limit._replace(amount=account.spent)),
        "left": str(account.limit._replace(amount=account.left)),
        "in_all": account.cost(delta)._asdict(),
        "charges": [one._asdict() | {"receipt": json.loads(one.receipt)} for one in account.charges],
    }


def _paid(options: argparse.Namespace) -> int:
    """Check that no limit is exceeded, and that the given releases were paid for."""
    accounts = _accounts(options)
    paid = [one.receipt for account in accounts.values() for one in account.charges]
    wrong = [f"{name}: {one.spent} is spent, more than {one.limit}" for name, one in accounts.items() if one.left < 0]
    for folder in options.folders:
        receipt = receipts.receipt_in(folder)
        receipt.pop("counts", None)
        if json.dumps(receipt) not in paid:
            wrong.append(f"{folder}: its receipt was not paid for from this file")
    also = ", and every given receipt was paid for" if options.folders else ""
    print("\n".join(wrong) or f"{len(paid)} charges, no limit is exceeded{also}")
    return 1 if wrong else 0
