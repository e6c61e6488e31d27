"""``dpbi budget``: what was spent, and whether a journal and the receipts that it paid for go together."""

import argparse
from pathlib import Path
from typing import Any

from ..publish.budget import Price, price_in
from ..publish.checking import unaccounted
from ..publish.journal import Journal, read_journal


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("budget", help="show what was spent on a data set, or check that its journal is whole")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="show the limit, the charges, and the releases that wait to be finished")
    show.add_argument("file", metavar="FILE", help="the journal that --budget names")
    show.add_argument(
        "--delta",
        type=float,
        default=1e-6,
        help="the delta at which the cost is given in epsilon; 1e-6 if none is given",
    )
    show.set_defaults(run=_show)
    check = actions.add_parser(
        "check",
        help="check that the entries follow from each other, that no limit is exceeded, and that receipts are paid for",
    )
    check.add_argument("file", metavar="FILE", help="the journal that --budget names")
    check.add_argument("folders", metavar="DIR", nargs="*", help="releases whose receipts must be in the journal")
    check.set_defaults(run=_check)


def _read(options: argparse.Namespace) -> Journal:
    path = Path(options.file)
    if not path.is_file():
        raise ValueError(f"FILE must be a journal that dpbi wrote, got {options.file}, which is not there")
    return read_journal(path)


def _show(options: argparse.Namespace) -> None:
    journal = _read(options)
    where = {entry.get("id"): entry["where"] for entry in journal.entries if entry["kind"] == "published"}
    for name in journal.names:
        account = journal.account(name)
        unit = "" if account.currency == "epsilon" else f"{account.currency} "
        print(f"{name}: {unit}{account.spent} of {account.limit} spent, {account.limit - account.spent} left")
        if account.entries:
            cost = account.cost(options.delta)
            print(f"  in all rho {cost.rho:.4g}, or epsilon {cost.epsilon:.4g} at delta {options.delta:g}")
        for entry in account.entries:
            key = entry.get("id")
            state = "waits: dpbi release --resume --budget " + options.file if key in journal.waiting else ""
            state = state or (where[key] if where.get(key) else "published")
            price = _shown(price_in(entry))
            print(f"  {entry.get('date', 'undated')}  {price}  {entry.get('mechanism', 'unknown')}  {state}")


def _shown(price: Price) -> str:
    return str(price.amount) if price.currency == "epsilon" else str(price)


def _check(options: argparse.Namespace) -> int:
    journal = _read(options)
    wrong = []
    for name in journal.names:
        account = journal.account(name)
        if account.spent > account.limit:
            wrong.append(f"{name}: {account.spent} is spent, more than the limit {account.limit}")
    for folder in options.folders:
        wrong += [f"{folder}: {why}" for why in unaccounted(folder, journal)]
    for line in wrong:
        print(line)
    if not wrong:
        receipts = f", and {len(options.folders)} receipts are accounted for" if options.folders else ""
        print(f"{len(journal.entries)} entries follow from each other, no limit is exceeded{receipts}")
    return 1 if wrong else 0
