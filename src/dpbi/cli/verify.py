"""``dpbi verify``: the verdicts of all statements computed again, and compared with the recorded ones."""

import argparse
import os
import time
from typing import Any


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("verify", help="compute every verdict again and compare it with the recorded one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="number of processes")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    from ..checks import whole
    from ..claims import CLAIMS, RECORDED, ledger

    whole("--jobs", options.jobs, least=1)
    begun = time.monotonic()
    found = ledger(CLAIMS, jobs=options.jobs)
    other = [
        f"  {identity}: {RECORDED.get(identity, 'not recorded')} before, {verdict} now"
        for identity, verdict in zip(found["id"], found["verdict"], strict=True)
        if RECORDED.get(identity) != verdict
    ]
    if other:
        raise ValueError("\n".join([f"{len(other)} of {len(CLAIMS)} verdicts are not as recorded", *other]))
    print(f"{len(CLAIMS)} verdicts in {time.monotonic() - begun:.0f} s, all as recorded")
