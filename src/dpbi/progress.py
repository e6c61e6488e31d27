"""Progress of long computations, shown as a line on standard error or passed to the caller's function."""

import sys
from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Function that is called with the amount done and the total amount."""


def shown(progress: bool | Progress, what: str) -> Progress:
    """The function that a computation calls to report its progress.

    Args:
        progress: A function, which is returned unchanged; True for a line on standard error; False for no output.
        what: Noun for the units that are counted, for instance ``draws``.

    Returns:
        A function to be called with the amount done and the total.

    >>> shown(False, "draws")(1, 2)
    """
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or a function, got {type(progress).__name__}")
    if not progress:
        return lambda done, total: None

    def line(done: int, total: int) -> None:
        if done == total or done % max(1, total // 100) == 0:  # at most a hundred lines
            sys.stderr.write(f"\r{done} of {total} {what}" + ("\n" if done == total else ""))
            sys.stderr.flush()

    return line
