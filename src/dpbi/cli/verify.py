"""``dpbi verify``: recompute the verdicts of all statements, and compare them with the recorded verdicts."""

import argparse
from typing import Any

from ..checks import need, whole
from .execution import cores


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("verify", help="recompute all verdicts and compare them with those recorded", run=_run)
    parser.add_argument("--jobs", type=int, default=cores(), metavar="N", help="number of processes")


def _run(options: argparse.Namespace) -> None:
    """Recompute every verdict, compare it with the recorded one, and list recorded verdicts without a statement."""
    from ..claims import CLAIMS, RECORDED, ledger

    whole("--jobs", options.jobs, least=1)
    now = dict(ledger(CLAIMS, jobs=options.jobs)[["id", "verdict"]].to_numpy().tolist())
    other = [
        f"  {identity}: {RECORDED.get(identity, 'not recorded')} before, {now.get(identity, 'no statement')} now"
        for identity in now | RECORDED
        if RECORDED.get(identity) != now.get(identity)
    ]
    need(not other, "\n".join([f"{len(other)} verdicts differ from those recorded in claims/verdicts.csv", *other]))
    print(f"{len(CLAIMS)} verdicts, all as recorded")
