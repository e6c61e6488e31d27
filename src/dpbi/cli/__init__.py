"""The ``dpbi`` command: the notebooks of a source checkout rerun, the ledger of claims, and private releases."""

import argparse
import sys
from collections.abc import Sequence

from . import ledger, release, run, sweep
from .notebooks import checkout, listing


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; a failure ends the program with its exit code, one of the user's in a line on standard error."""
    parser = argparse.ArgumentParser(prog="dpbi", description="Differentially private Bayesian inference, rerun.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    lister = commands.add_parser("list", help="every notebook with its title, parameters and recorded run time")
    lister.set_defaults(run=lambda options: print(listing(checkout()), end=""))
    run.add(commands)
    sweep.add(commands)
    ledger.add(commands)
    release.add(commands)
    options = parser.parse_args(arguments)
    try:
        code = options.run(options) or 0
    except (OSError, ValueError) as error:
        print(f"dpbi: {error}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt as stop:
        print(f"dpbi: interrupted{f': {stop}' if stop.args else ''}", file=sys.stderr)
        code = 130
    if code:
        raise SystemExit(code)
    return 0
