"""A release recomputed from its receipt, by anybody and without the records: what agrees and what does not."""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .budget import price_in
from .folders import FILES, receipt_in
from .journal import Journal, fingerprint
from .receipts import contents, legible, recomputed

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
    folder = Path(folder)
    receipt = receipt_in(folder)
    legible(receipt)
    done = recomputed(receipt)
    new = contents(done)
    follow = done.receipt["counts"] == receipt["counts"]
    counts = Finding("the released counts follow from the noisy ones", follow)
    return (
        counts,
        *_compared_tables(_read_table(folder / FILES[1]), json.loads(new[FILES[1]])),
        _compared_pictures(folder / FILES[0], new[FILES[0]]),
    )


def _read_table(path: Path) -> Mapping[str, Any] | str:
    try:
        table = json.loads(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return f"{path.name} cannot be read: {error}"
    return table if isinstance(table, dict) else f"{path.name} holds no names"


def _compared_tables(said: Mapping[str, Any] | str, found: Mapping[str, Any]) -> list[Finding]:
    if isinstance(said, str):
        return [Finding(FILES[1], False, said)]
    names = dict.fromkeys([*found, *said])
    return [
        Finding(f"{FILES[1]}, {name}", not (why := _difference(said.get(name), found.get(name), name)), why)
        for name in names
    ]


def _difference(said: Any, found: Any, where: str) -> str:
    """The first place where two contents differ, in words; none if they agree."""
    if isinstance(said, dict) and isinstance(found, dict) and said.keys() == found.keys():
        pairs = [(said[key], found[key], f"{where}, {key}") for key in found]
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        pairs = [(one, other, f"{where}, {i + 1}") for i, (one, other) in enumerate(zip(said, found, strict=True))]
    else:
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (said, found))
        same = math.isclose(said, found, rel_tol=DIGITS, abs_tol=1e-300) if numbers else said == found
        return "" if same else f"{where}: {said!r} where the receipt leads to {found!r}"
    return next((why for pair in pairs if (why := _difference(*pair))), "")


def _compared_pictures(path: Path, new: bytes) -> Finding:
    from .. import plots

    try:
        old = path.read_bytes()
        one, other = (plots.points(picture) for picture in (old, new))
    except (OSError, ValueError, SyntaxError) as error:
        return Finding(path.name, False, f"it cannot be read: {error}")
    if _drawn_with(old) != _drawn_with(new):
        why = "it was drawn by another version of matplotlib and cannot be compared point by point"
        return Finding(path.name, None, why)
    if one.shape != other.shape:
        sizes = f"{one.shape[:2]} where the receipt leads to {other.shape[:2]}"
        return Finding(path.name, False, f"it has the size {sizes}")
    points = (one != other).any(axis=-1).mean()
    return Finding(path.name, bool(points == 0), "" if points == 0 else f"{100 * points:.3g} % of its points differ")


def _drawn_with(picture: bytes) -> bytes:
    """What the file says of the program that drew it."""
    start = picture.find(b"Software\x00")
    return picture[start : picture.find(b"http", start)] if start >= 0 else b""


def unaccounted(folder: str | os.PathLike[str], journal: Journal) -> list[str]:
    """Why the receipt of a release does not go with a journal; nothing if it does."""
    receipt = receipt_in(folder)
    told = receipt.get("journal")
    if not isinstance(told, dict):
        return ["its receipt names no charge"]
    charges = [entry for entry in journal.entries if entry["hash"] == told.get("entry") and entry["kind"] == "charged"]
    if not charges:
        return ["its charge is not in the journal"]
    said = receipt.get("guarantee")
    price = price_in(charges[0])
    if not isinstance(said, dict) or said.get(price.currency) != str(price.amount):
        return [f"its receipt says another {price.currency} than its charge, {price.amount}"]
    made = {key: value for key, value in receipt.items() if key not in {"budget", "counts", "journal"}}
    return [] if charges[0].get("paid") == fingerprint(made) else ["its receipt is not the one that was paid for"]
