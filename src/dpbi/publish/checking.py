"""A release recomputed from its receipt, by anybody and without the records: what agrees and what does not."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .budget import Charge
from .receipts import FILES, contents, legible, receipt_in, recomputed

DIGITS = 1e-9
"""Relative difference of numbers that are the same: another machine's elementary functions differ by less."""


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
    follow = done.receipt["counts"] == receipt["counts"]
    why = _difference(table, new[table.name])
    return (
        Finding("the released counts follow from the noisy ones", follow),
        Finding(table.name, not why, why),
        _compared_pictures(picture, new[picture.name]),
    )


def _difference(path: Path, new: bytes) -> str:
    """The first place where a file of numbers differs from what its receipt leads to, in words; none if they agree."""
    try:
        said = dict(_leaves(json.loads(path.read_bytes().decode("utf-8"))))
    except (OSError, ValueError, RecursionError) as error:
        return f"{path.name} cannot be read: {error}"
    found = dict(_leaves(json.loads(new)))
    for where in dict.fromkeys([*found, *said]):
        one, other = said.get(where), found.get(where)
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
        if not (math.isclose(one, other, rel_tol=DIGITS, abs_tol=1e-300) if numbers else one == other):
            return f"{', '.join(map(str, where))}: {one!r} where the receipt leads to {other!r}"
    return ""


def _leaves(content: Any, *where: str | int) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every text and number of a JSON content, and the keys and positions that lead there."""
    if isinstance(content, dict | list):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content, start=1):
            yield from _leaves(value, *where, key)
    else:
        yield where, content


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
    """What the file says of the program that drew it."""
    start = picture.find(b"Software\x00")
    return picture[start : picture.find(b"http", start)] if start >= 0 else b""


def unpaid(folder: str | os.PathLike[str], charges: Sequence[Charge]) -> str:
    """Why the receipt of a release is not one of these charges; nothing if it is."""
    receipt = receipt_in(folder)
    budget = receipt.get("budget")
    key = budget.get("charge") if isinstance(budget, dict) else None
    stored = [json.loads(one.receipt) for one in charges if one.id == key]
    if not stored:
        return "its receipt names no charge of this file"
    made = {name: value for name, value in receipt.items() if name != "counts"}
    return "" if made == stored[0] else "its receipt is not the one that was paid for"
