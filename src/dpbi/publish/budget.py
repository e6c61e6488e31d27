"""What has been spent on a data set: a file that adds up privacy losses and refuses to exceed a limit.

The file belongs to one data set, by its owner's word; nothing about the records is in it. Losses of independent
releases add up. An entry is written before the noise is drawn, under a lock, to a new file that replaces the old one in
one step: whenever the program stops, the file is whole, and it never holds less than what was drawn.
"""

import json
import os
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from ..files import as_json, held, write_whole

EXACT = re.compile(r"\s*[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?)\s*", re.ASCII | re.IGNORECASE)
"""Text of an exact number; exponents end at 99, so that no text stands for more digits than a computer can write."""

LONGEST = 10**100
"""Numerators and denominators are smaller than this."""

PATIENCE = 60.0
"""Seconds to wait for another process that charges a file of the same folder, which takes it milliseconds."""


class Account(NamedTuple):
    """A budget file's limit and the entries of what was spent.

    >>> Account(Fraction(1), ({"epsilon": "1/4"}, {"epsilon": "1/2"})).spent
    Fraction(3, 4)
    """

    limit: Fraction
    entries: tuple[Mapping[str, str], ...] = ()

    @property
    def spent(self) -> Fraction:
        """The sum of all entries."""
        return sum((Fraction(entry["epsilon"]) for entry in self.entries), Fraction(0))


def positive_fraction(name: str, value: object, largest: int | None = None) -> Fraction:
    """An exact number > 0: an integer, a Fraction, or text such as 1/2 or 0.5. A float is refused: it is rounded."""
    allowed = f"an exact number > 0{f' and <= {largest}' if largest else ''}, 1/2 or 0.5 for instance"
    if isinstance(value, bool) or not isinstance(value, str | int | Fraction):
        raise TypeError(f"{name} must be {allowed}, as text, an integer or a Fraction, got {name}={value!r}")
    text = isinstance(value, str) and (len(value) > 200 or not EXACT.fullmatch(value))
    number = None if text or (isinstance(value, str) and re.search(r"/0+\s*$", value)) else Fraction(value)
    if number is None or not 0 < number.numerator < LONGEST or not number.denominator < LONGEST:
        raise ValueError(f"{name} must be {allowed}, got {name}={_shown(value)}")
    if largest is not None and number > largest:
        raise ValueError(f"{name} must be {allowed}, got {name}={value}")
    return number


def _shown(value: str | int | Fraction) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else f"{value[:37]}...")
    return str(value) if max(abs(value.numerator), value.denominator) < LONGEST else "one with more than 100 digits"


def read_account(path: Path, limit: Fraction | None = None) -> Account:
    """The account in a file, or a new one with this limit where there is none.

    >>> read_account(Path("not-yet-opened.json"), limit=Fraction(2)).limit
    Fraction(2, 1)
    """
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        if limit is None:
            raise ValueError(f"limit must be given when the budget file {path.name} is opened, and it is not") from None
        return Account(limit)
    try:
        content = json.loads(written.decode("utf-8"))
        account = Account(positive_fraction("limit", content["limit"]), tuple(content["spent"]))
        for entry in account.entries:
            positive_fraction("epsilon", entry["epsilon"])
    except (ValueError, KeyError, TypeError, RecursionError):
        wrong = f"budget must be a file that dpbi wrote, got {path.name}, which cannot be read as one"
        raise ValueError(wrong) from None
    if limit is not None and limit != account.limit:
        raise ValueError(f"limit must be {account.limit}, with which {path.name} was opened, got limit={limit}")
    return account


def affordable(path: Path, account: Account, epsilon: Fraction) -> None:
    """Refuse what would exceed the limit."""
    left = account.limit - account.spent
    if epsilon > left:
        raise ValueError(f"epsilon must be at most {left}, what is left in {path.name}, got epsilon={epsilon}")


def spend(path: Path, epsilon: Fraction, limit: Fraction | None, entry: Mapping[str, str]) -> Account:
    """Add an entry to the file, or refuse. When this returns the entry is on the disk.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     str(spend(Path(folder) / "budget.json", Fraction(1, 2), Fraction(2), {"mechanism": "lshist"}).spent)
    '1/2'
    """
    path = Path(os.path.realpath(path))
    busy = f"another process has held {path.parent} for {PATIENCE:g} seconds"
    refusal = TimeoutError(f"budget must be in a folder where no other file is being charged, {busy}")
    with held(path.parent, PATIENCE, refusal):
        account = read_account(path, limit)
        affordable(path, account, epsilon)
        account = account._replace(entries=(*account.entries, {"epsilon": str(epsilon), **entry}))
        write_whole(path, as_json({"limit": str(account.limit), "spent": list(account.entries)}), mode=0o600)
    return account
