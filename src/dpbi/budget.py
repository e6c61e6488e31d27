"""What has been spent on a data set: a file that adds up privacy losses and refuses to exceed a limit.

The file belongs to one data set, by its owner's word; nothing about the records is in it. Losses of independent
releases add up. An entry is written before the noise is drawn, under a lock, to a new file that replaces the old one in
one step: whenever the program stops, the file is whole, and it never holds less than what was drawn.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple


class Account(NamedTuple):
    """A budget file's limit and the entries of what was spent."""

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
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{name} must be {allowed}, got {name}={value!r}") from None
    if not number > 0 or (largest is not None and number > largest):
        raise ValueError(f"{name} must be {allowed}, got {name}={value}")
    return number


def read_account(path: Path, limit: Fraction | None = None) -> Account:
    """The account in a file, or a new one with this limit where there is none."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if limit is None:
            raise ValueError(f"limit must be given when the budget file {path.name} is opened, and it is not") from None
        return Account(limit)
    try:
        content = json.loads(text)
        account = Account(Fraction(content["limit"]), tuple(content["spent"]))
        whole = account.limit > 0 and all(Fraction(entry["epsilon"]) > 0 for entry in account.entries)
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        whole = False
    if not whole:
        raise ValueError(f"budget must be a file that dpbi wrote, got {path.name}, which cannot be read as one")
    if limit is not None and limit != account.limit:
        raise ValueError(f"limit must be {account.limit}, with which {path.name} was opened, got limit={limit}")
    return account


def affordable(path: Path, account: Account, epsilon: Fraction) -> None:
    """Refuse what would exceed the limit."""
    left = account.limit - account.spent
    if epsilon > left:
        raise ValueError(f"epsilon must be at most {left}, what is left in {path.name}, got epsilon={epsilon}")


def spend(path: Path, epsilon: Fraction, limit: Fraction | None, entry: Mapping[str, str]) -> Account:
    """Add an entry to the file, or refuse. When this returns the entry is on the disk."""
    path = Path(os.path.realpath(path))
    with _locked(path.parent):
        account = read_account(path, limit)
        affordable(path, account, epsilon)
        account = account._replace(entries=(*account.entries, {"epsilon": str(epsilon), **entry}))
        write_whole(path, {"limit": str(account.limit), "spent": list(account.entries)})
    return account


def write_whole(path: Path, content: Any) -> None:
    """Write a JSON file that is whole or as before, whatever happens."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can say so."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One process at a time; the system gives the lock back when its holder stops, however it stops."""
    if sys.platform == "win32":
        import msvcrt

        handle = os.open(folder / ".dpbi-lock", os.O_RDWR | os.O_CREAT)
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)
