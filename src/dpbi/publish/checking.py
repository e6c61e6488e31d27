"""A release recomputed from its receipt, by anybody and without the records: what agrees and what does not."""

import math
import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .receipts import FILES, contents, legible, receipt_in, recomputed

TOLERANCE = 1e-9  # relative difference of numbers that agree: another machine's elementary functions differ by less
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")  # in JSON


class Finding(NamedTuple):
    """One thing that was recomputed: what, whether it agrees (None if that cannot be said), and why not.

    >>> Finding("posterior.png", None, "it was drawn by another version of matplotlib").agrees is None
    True
    """

    what: str
    agrees: bool | None
    why: str = ""


def check_release(folder: str | os.PathLike[str]) -> tuple[Finding, ...]:
    """Recompute the counts, the posterior, the intervals and the figure of a release from its receipt alone.

    >>> from tempfile import TemporaryDirectory
    >>> from dpbi import release
    >>> with TemporaryDirectory() as place:
    ...     _ = release(["yes", "no"], ["yes", "no"], [1, 1], "1/2", out=f"{place}/out")
    ...     all(finding.agrees for finding in check_release(f"{place}/out"))
    True
    """
    receipt = receipt_in(folder)
    legible(receipt)
    done = recomputed(receipt)
    new = contents(done)
    picture, table = (Path(folder) / name for name in FILES[:2])
    follow = done.receipt["counts"] == receipt.get("counts")
    why = _difference(table, new[table.name])
    return (
        Finding("the released counts follow from the noisy ones", follow),
        Finding(table.name, not why, why),
        _compared_pictures(picture, new[picture.name]),
    )


def _difference(path: Path, new: bytes) -> str:
    """A sentence on the first number of a file that differs from that in its new content; empty if all agree."""
    try:
        old = path.read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        return f"it cannot be read: {error}"
    said, found = NUMBER.findall(old), NUMBER.findall(new.decode("utf-8"))
    for one, other in zip(said, found, strict=False):
        if not math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=1e-300):
            return f"{one} where the receipt leads to {other}"
    return "" if NUMBER.split(old) == NUMBER.split(new.decode("utf-8")) else "its words are not those of the receipt"


def _compared_pictures(path: Path, new: bytes) -> Finding:
    from .. import plots

    try:
        old = path.read_bytes()
        same = np.array_equal(plots.points(old), plots.points(new))
    except (OSError, ValueError, SyntaxError) as error:
        return Finding(path.name, False, f"it cannot be read: {error}")
    if same or _drawn_with(old) == _drawn_with(new):
        return Finding(path.name, same, "" if same else "its points are not those that the receipt leads to")
    return Finding(path.name, None, "it was drawn by another version of matplotlib and cannot be compared")


def _drawn_with(picture: bytes) -> bytes:
    """The field of a PNG file that names the program that drew it."""
    start = picture.find(b"Software\x00")
    return picture[start : picture.find(b"http", start)] if start >= 0 else b""
