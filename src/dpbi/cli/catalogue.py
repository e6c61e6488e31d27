"""``dpbi list``: the notebooks with their parameters."""

import argparse
import json
import sys
from typing import Any

from .notebooks import as_data, checkout, find, listing, notebooks, run_times


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("list", help="list every notebook with its title, parameters and recorded run time")
    parser.add_argument("notebook", metavar="NOTEBOOK", nargs="?", help="list this one only")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    root = checkout()
    known, broken = ([find(root, options.notebook)], {}) if options.notebook is not None else notebooks(root)
    times = run_times(root)
    print(json.dumps(as_data(known, times), indent=1) if options.json else listing(known, times).rstrip("\n"))
    for why in broken.values():
        print(f"dpbi: left out: {why}", file=sys.stderr)
    return 0
