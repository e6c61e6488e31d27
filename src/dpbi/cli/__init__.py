"""The ``dpbi`` command, which runs notebooks, verifies statements, and makes private releases."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from ..publish import Unfinished
from . import conclude, notebooks, release, run


class Command(argparse.ArgumentParser):
    """The parser of a command; its help text is the docstring of the function that runs the command."""

    def __init__(self, run: Any = None, **how: Any) -> None:
        super().__init__(**{"description": run and run.__doc__} | how)
        self.set_defaults(run=run)


class Terminated(KeyboardInterrupt):
    """Raised when SIGTERM arrives; the program then cleans up and ends as after an interrupt."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return 0.

    Raises:
        SystemExit: if the command fails, with its exit code; user errors are reported in a single message on standard
            error
    """
    signal.signal(signal.SIGTERM, _terminated)
    try:
        options = grammar().parse_args(arguments)
        code = options.run(options) or 0
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe; without this, the interpreter would complain on exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141  # 128 plus the number of SIGPIPE, as a shell reports it
    except (ModuleNotFoundError, OSError, TypeError, ValueError, Unfinished) as error:
        where = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(f"dpbi: {where}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt as stop:
        ended, word = (signal.SIGTERM, "terminated") if isinstance(stop, Terminated) else (signal.SIGINT, "interrupted")
        print(f"dpbi: {word}{f': {stop}' if stop.args else ''}", file=sys.stderr)
        code = 128 + ended
    if code:
        raise SystemExit(code)
    return 0


def grammar() -> argparse.ArgumentParser:
    """The parser of the command line, with all commands."""
    parser = Command(prog="dpbi", description="Differentially private Bayesian inference: pages, verdicts, releases.")
    parser.add_argument("--version", action="version", version=f"dpbi {version('dpbi')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (notebooks, run, release, conclude):
        command.add(commands)
    return parser


def _terminated(*_: Any) -> None:
    """Handler of SIGTERM, which raises ``Terminated``."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second SIGTERM must not interrupt the cleanup
    raise Terminated
