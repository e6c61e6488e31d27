"""The ``dpbi`` command: notebooks rerun, claims verified, and private releases."""

import argparse
import functools
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from ..publish import Unfinished
from . import budget, check, conclude, notebooks, release, run, sweep, verify


class Terminated(KeyboardInterrupt):
    """The program is asked to end; it ends as if it were interrupted, and leaves nothing behind."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; a failure ends the program with its exit code, one of the user's in a line on standard error."""
    options = grammar().parse_args(arguments)
    try:
        with terminable():
            code = options.run(options) or 0
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough; the interpreter would complain when it flushes the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141  # 128 and the number of the signal that a pipe sends
    except (OSError, ValueError, Unfinished) as error:
        where = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else error
        print(f"dpbi: {where}", file=sys.stderr)
        code = 1
    except KeyboardInterrupt as stop:
        word = "terminated" if isinstance(stop, Terminated) else "interrupted"
        print(f"dpbi: {word}{f': {stop}' if stop.args else ''}", file=sys.stderr)
        code = 143 if isinstance(stop, Terminated) else 130
    if code:
        raise SystemExit(code)
    return 0


@functools.cache  # not by its name, which is that of a module here
def grammar() -> argparse.ArgumentParser:
    """What may be said on the command line."""
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
    """Have the signals that end a program raise ``Terminated``, where nobody has decided otherwise."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = [getattr(signal, name) for name in names] if threading.current_thread() is threading.main_thread() else []
    ours = [number for number in ours if signal.getsignal(number) is signal.SIG_DFL]

    def end(*_: Any) -> None:
        for number in ours:
            signal.signal(number, signal.SIG_IGN)  # once is enough
        raise Terminated

    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
