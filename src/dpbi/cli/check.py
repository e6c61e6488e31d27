"""``dpbi check``: a release recomputed from its receipt, without the records."""

import argparse
from typing import Any

from ..publish import check_release


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "check",
        help="recompute a release from its receipt, without the records",
        description="Recompute counts, posterior, intervals and figure of a release from its receipt and the law of "
        "its noise, and say what agrees. No receipt can show that the noise was drawn from this law.",
    )
    parser.add_argument("folder", metavar="DIR", help="folder of a release")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    findings = check_release(options.folder)
    words = {True: "agrees", False: "differs", None: "not compared"}
    for finding in findings:
        print(f"{words[finding.agrees]}: {finding.what}" + (f" ({finding.why})" if finding.why else ""))
    return 1 if any(finding.agrees is False for finding in findings) else 0
