"""``dpbi verify``: the verdicts of all statements computed again, and compared with the recorded ones."""

import argparse
import os
from typing import Any

from ..checks import whole


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("verify", help="compute all verdicts again and compare them", run=_run)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="number of processes")


def _run(options: argparse.Namespace) -> None:
    """Compute every verdict again and compare it with the recorded one."""
    from ..claims import CLAIMS, RECORDED, ledger

    whole("--jobs", options.jobs, least=1)
    found = ledger(CLAIMS, jobs=options.jobs)
    other = [
        f"  {identity}: {RECORDED.get(identity, 'not recorded')} before, {verdict} now"
        for identity, verdict in zip(found["id"], found["verdict"], strict=True)
        if RECORDED.get(identity) != verdict
    ]
    if other:
        raise ValueError("\n".join([f"{len(other)} of {len(CLAIMS)} verdicts are not as recorded", *other]))
    print(f"{len(CLAIMS)} verdicts, all as recorded")
