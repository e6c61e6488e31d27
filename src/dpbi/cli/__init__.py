"""The ``dpbi`` command: what the notebooks of a source checkout offer, and private releases."""

import argparse
import sys
from collections.abc import Sequence

from . import release
from .notebooks import checkout, listing


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; an error of the user's is one line on standard error."""
    parser = argparse.ArgumentParser(prog="dpbi", description="Differentially private Bayesian inference, rerun.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    lister = commands.add_parser("list", help="every notebook with its title, parameters and recorded run time")
    lister.set_defaults(run=lambda options: print(listing(checkout()), end=""))
    release.add(commands)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except (OSError, ValueError) as error:
        print(f"dpbi: {error}", file=sys.stderr)
        return 1
    return 0
