"""How far long work has come: a line on standard error, or a function of one's own."""

import sys
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


def shown(progress: bool | Progress, what: str) -> Progress:
    """The function to call as work is done: one given, a line that counts what is done, or nothing."""
    if callable(progress):
        return progress
    if not progress:
        return lambda done, total: None

    def line(done: int, total: int) -> None:
        if done == total or done % max(1, total // 100) == 0:
            sys.stderr.write(f"\r{done} of {total} {what}" + ("\n" if done == total else ""))
            sys.stderr.flush()

    return line
