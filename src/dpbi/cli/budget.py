"""``dpbi budget``: what was spent, and whether a budget file has paid for receipts."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..checks import need
from ..publish import Budget, BudgetAccount
from ..publish.budget import Charge
from ..publish.receipts import receipt_in


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "budget", help="show what was spent on a data set, or check that receipts are paid for"
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="show the limit, the charges, and the releases that wait to be written")
    show.add_argument("file", metavar="FILE", help="the budget file that --budget names")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument("--delta", type=float, default=1e-6, help="the delta at which the cost is given in epsilon")
    show.set_defaults(run=_show)
    check = actions.add_parser("check", help="check that no limit is exceeded, and that receipts are paid for")
    check.add_argument("file", metavar="FILE", help="the budget file that --budget names")
    check.add_argument("folders", metavar="DIR", nargs="*", help="releases whose receipts must be in the file")
    check.set_defaults(run=_check)


def _read(options: argparse.Namespace) -> dict[str, BudgetAccount]:
    path = Path(options.file)
    need(path.is_file(), f"FILE must be a budget file that dpbi wrote, got {options.file}, which is not there")
    return Budget(path).accounts()


def _show(options: argparse.Namespace) -> None:
    told = {name: _told(account, options.delta) for name, account in _read(options).items()}
    if options.json:
        print(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for name, said in told.items():
        print(f"{name}: {said['spent']} of {said['limit']} spent, {said['left']} left")
        if said["charges"]:
            cost = said["in_all"]
            print(f"  in all rho {cost['rho']:.4g}, or epsilon {cost['epsilon']:.4g} at delta {cost['delta']:g}")
        for one in said["charges"]:
            state = (
                one["folder"] or "written"
                if one["written"]
                else f"waits: dpbi release --resume --budget {options.file}"
            )
            print(f"  {one['date']}  {one['price']}  {one['mechanism']}  {state}")


def _told(account: BudgetAccount, delta: float) -> dict[str, Any]:
    cost, charges = account.cost(delta), []
    for one in account.charges:
        receipt = json.loads(one.receipt)
        about = {"date": receipt["date"], "price": one.price, "mechanism": receipt["mechanism"]}
        charges.append({"id": one.id, **about, "folder": one.folder, "written": bool(one.written)})
    return {
        "limit": str(account.limit),
        "spent": str(account.limit._replace(amount=account.spent)),
        "left": str(account.limit._replace(amount=account.left)),
        "in_all": {"rho": cost.rho, "epsilon": cost.epsilon, "delta": delta},
        "charges": charges,
    }


def _check(options: argparse.Namespace) -> int:
    accounts = _read(options)
    wrong = [f"{name}: {one.spent} is spent, more than {one.limit}" for name, one in accounts.items() if one.left < 0]
    charges = [one for account in accounts.values() for one in account.charges]
    wrong += [f"{one}: its receipt is not one that was paid for" for one in options.folders if _unpaid(one, charges)]
    for line in wrong:
        print(line)
    if not wrong:
        receipts = f", and {len(options.folders)} receipts are paid for" if options.folders else ""
        print(f"{len(charges)} charges, no limit is exceeded{receipts}")
    return 1 if wrong else 0


def _unpaid(folder: str, charges: Sequence[Charge]) -> bool:
    """Whether the receipt of a release is that of none of these charges, to the letter."""
    receipt = receipt_in(folder)
    receipt.pop("counts", None)
    return json.dumps(receipt) not in [one.receipt for one in charges]
