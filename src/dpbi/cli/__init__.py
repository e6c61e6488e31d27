"""The ``dpbi`` command: notebooks rerun, claims verified, and private releases."""

import argparse
import functools
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from ..publish import Unfinished
from . import budget, check, conclude, notebooks, release, run, sweep, verify


class Terminated(KeyboardInterrupt):
    """SIGTERM has arrived: the program ends as if it were interrupted, and cleans up."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return 0.

    Raises:
        SystemExit: if it fails, with its exit code; an error of the user is one message on standard error
    """
    options = grammar().parse_args(arguments)
    try:
        with terminable():
            code = options.run(options) or 0
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has enough; the interpreter would complain when it flushes the rest at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141  # 128 and the number of SIGPIPE, as a shell reports it
    except (OSError, ValueError, Unfinished) as error:
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


@functools.cache
def grammar() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="dpbi",
        description="Differentially private Bayesian inference: rerun notebooks, check claims, release a posterior.",
    )
    parser.add_argument("--version", action="version", version=f"dpbi {version('dpbi')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (notebooks, run, sweep, verify, release, check, conclude, budget):
        command.add(commands)
    return parser


@contextmanager
def terminable() -> Iterator[None]:
    """Have SIGTERM raise ``Terminated`` inside the block."""

    def end(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not stop the cleaning up
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
