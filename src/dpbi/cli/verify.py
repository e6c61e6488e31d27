"""``dpbi verify``: the verdicts of all statements computed again, and compared with the recorded ones."""

import argparse
from typing import Any

from ..checks import need, whole
from .execution import cores


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("verify", help="compute all verdicts again and compare them", run=_run)
    parser.add_argument("--jobs", type=int, default=cores(), metavar="N", help="number of processes")


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
    need(not other, "\n".join([f"{len(other)} of {len(CLAIMS)} verdicts are not as recorded", *other]))
    print(f"{len(CLAIMS)} verdicts, all as recorded")
