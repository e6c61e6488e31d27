"""The private journal of what was spent: a chain of entries about named data sets, and the releases that wait.

Each entry has the hash of itself and of the one before it, so that none can be changed or taken out of the middle
unseen. Of three kinds: a data set is *opened* with a limit, a release is *charged*, and it is *published*. What a
charge has paid for, noise and all, stands in the same file until it is published: charge and noisy counts are on the
disk in one step, or neither is. Nothing about the records is in the file but what was paid for.

Who may read and write the file is up to its owner: mode and group stay as they are, and a file without leave to write
is a closed budget.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..files import as_json, held, write_whole
from .budget import NOTIONS, BudgetAccount, Price, affordable, positive_fraction, price_in, read_limit

PATIENCE = 60.0
"""Seconds to wait for another process that charges a file of the same folder, which takes it milliseconds."""

UNNAMED = "records"
"""The data set of a file that was opened without a name."""

JournalEntry = Mapping[str, Any]


class Journal(NamedTuple):
    """The entries of a file, oldest first, and what was paid for and is not yet published, by the id of its charge."""

    entries: tuple[JournalEntry, ...] = ()
    waiting: Mapping[str, Mapping[str, Any]] = {}

    @property
    def names(self) -> list[str]:
        """The data sets."""
        return [entry["data"] for entry in self.entries if entry["kind"] == "opened"]

    def account(self, data: str, until: str | None = None) -> BudgetAccount:
        """Limit and charges of a data set, up to the charge of an id if one is given."""
        limit, currency, charges = Fraction(0), "epsilon", []
        for entry in self.entries:
            if entry["data"] == data and entry["kind"] == "opened":
                limit, currency = Fraction(entry["limit"]), entry.get("currency", "epsilon")
            elif entry["data"] == data and entry["kind"] == "charged":
                charges.append(entry)
                if until is not None and entry.get("id") == until:
                    break
        return BudgetAccount(limit, tuple(charges), currency)

    def charge(self, key: str) -> JournalEntry:
        """The charge of an id."""
        found = [entry for entry in self.entries if entry["kind"] == "charged" and entry.get("id") == key]
        if not found:
            raise KeyError(key)
        return found[0]

    def with_entry(self, **entry: Any) -> "Journal":
        """One entry more, with its hash."""
        before = self.entries[-1]["hash"] if self.entries else ""
        return self._replace(entries=(*self.entries, {**entry, "hash": entry_hash(before, entry)}))


def canonical(content: Any) -> bytes:
    """The one text that a content is hashed as."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def entry_hash(before: str, entry: JournalEntry) -> str:
    """SHA-256 of the hash before and of the entry without its own.

    >>> entry_hash("", {"kind": "opened", "data": "records", "limit": "1"})[:16]
    'e37bc9ab914b6c29'
    """
    content = {key: value for key, value in entry.items() if key != "hash"}
    return sha256(before.encode() + b"\n" + canonical(content)).hexdigest()


def fingerprint(receipt: Mapping[str, Any]) -> str:
    """What the charge says of the receipt that it paid for."""
    return sha256(canonical(receipt)).hexdigest()


def read_journal(path: Path) -> Journal:
    """The journal of a file, an empty one where there is none; a file of the time before the chain is read as well."""
    try:
        written = path.read_bytes()
    except FileNotFoundError:
        return Journal()
    try:
        content = json.loads(written.decode("utf-8"))
        chained = "entries" in content
        journal = Journal(tuple(content["entries"]), content["waiting"]) if chained else _unchained(content)
        for entry in journal.entries:
            _checked(entry)
        broken = _first_broken(journal)
        paid = all(fingerprint(one["receipt"]) == journal.charge(key)["paid"] for key, one in journal.waiting.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        wrong = f"budget must be a file that dpbi wrote, got {path.name}, which cannot be read as one"
        raise ValueError(wrong) from None
    if broken is not None or not paid:
        where = f"entry {broken}" if broken is not None else "a paid release"
        raise ValueError(f"budget must be a file that only dpbi has written to, got {path.name}: {where} was changed")
    return journal


def _checked(entry: JournalEntry) -> None:
    if not isinstance(entry["data"], str) or entry["kind"] not in {"opened", "charged", "published"}:
        raise ValueError
    if entry["kind"] == "opened":
        positive_fraction("limit", entry["limit"])
        if entry.get("currency", "epsilon") not in NOTIONS:
            raise ValueError
    elif entry["kind"] == "charged":
        price_in(entry)


def _unchained(content: Mapping[str, Any]) -> Journal:
    """A file with one limit and a list of what was spent, as it was written before there was a chain."""
    journal = Journal().with_entry(kind="opened", data=UNNAMED, limit=str(positive_fraction("limit", content["limit"])))
    for entry in content["spent"]:
        journal = journal.with_entry(**{**entry, "kind": "charged", "data": UNNAMED})
    return journal


def _first_broken(journal: Journal) -> int | None:
    before = ""
    for number, entry in enumerate(journal.entries, start=1):
        if entry["hash"] != entry_hash(before, entry):
            return number
        before = entry["hash"]
    return None


def named(journal: Journal, path: Path, data: str | None, limit: Price | None) -> tuple[str, BudgetAccount]:
    """The data set that is meant and its account, a new one with this limit where there is none."""
    names = journal.names
    if data is None and len(names) > 1:
        raise ValueError(f"data set must be named, one of {', '.join(names)} in {path.name}, and it is not")
    name = data if data is not None else names[0] if names else UNNAMED
    if not name.strip() or not name.isprintable():
        raise ValueError(f"data set must have a name that can be printed, got {name!r}")
    if name not in names:
        if limit is None:
            what = f"the data set {name} in {path.name}" if names else f"the budget file {path.name}"
            raise ValueError(f"limit must be given when {what} is opened, and it is not")
        return name, BudgetAccount(limit.amount, (), limit.currency)
    account = journal.account(name)
    if limit is not None and limit != Price(account.currency, account.limit):
        opened = account.limit if account.currency == "epsilon" else f"{account.currency} {account.limit}"
        got = limit.amount if limit.currency == "epsilon" else limit
        raise ValueError(f"limit must be {opened}, with which {path.name} was opened, got limit={got}")
    return name, account


def open_to_write(path: Path) -> os.stat_result | None:
    """Refuse a closed budget: a file that its owner, its group or everybody may not write to any more."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    if not status.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise ValueError(f"budget must be a file that may be written to, got {path.name}, which is closed")
    return status


@contextmanager
def journal_alone(path: Path) -> Iterator[None]:
    """Hold a journal against other processes."""
    busy = f"another process has held {path.parent} for {PATIENCE:g} seconds"
    with held(path.parent, PATIENCE, TimeoutError(f"budget must be in a folder where no other is charged, {busy}")):
        yield


def _written(path: Path, journal: Journal, like: os.stat_result | None) -> None:
    content = {"journal": 1, "entries": list(journal.entries), "waiting": dict(journal.waiting)}
    for left in path.parent.glob(f".{path.name}.*"):  # by one that was killed before it had charged
        if re.fullmatch("[0-9a-f]{8}", left.suffix[1:]):
            left.unlink(missing_ok=True)
    try:
        write_whole(path, as_json(content), mode=0o600, like=like)
    except PermissionError as error:
        raise ValueError(f"budget must be a file that you may replace, with its group, got {path}: {error}") from None


def charge(
    path: Path,
    price: Price,
    limit: Price | None,
    said: Mapping[str, Any],
    data: str | None = None,
    paid: Mapping[str, Any] | None = None,
) -> Journal:
    """Charge a data set, or refuse; what is paid for comes with the charge in one step, under the id that it has.

    When this returns both are on the disk.
    """
    with journal_alone(path):
        like = open_to_write(path)
        journal = read_journal(path)
        name, account = named(journal, path, data, limit)
        affordable(path, account, price)
        if name not in journal.names:
            in_rho = {} if account.currency == "epsilon" else {"currency": account.currency}
            journal = journal.with_entry(kind="opened", data=name, limit=str(account.limit), **in_rho, date=now())
        entry = {**price.said, **said, "kind": "charged", "data": name}
        if paid is not None:
            entry["paid"] = fingerprint(paid["receipt"])
            journal = journal._replace(waiting={**journal.waiting, entry["id"]: paid})
        journal = journal.with_entry(**entry)
        _written(path, journal, like)
    return journal


def published(path: Path, key: str, where: str | None) -> None:
    """Say that what was paid for is published; from here on nothing of it needs to be kept."""
    with journal_alone(path):
        like = open_to_write(path)
        journal = read_journal(path)
        if key in journal.waiting:
            left = {other: paid for other, paid in journal.waiting.items() if other != key}
            data = journal.charge(key)["data"]
            journal = journal._replace(waiting=left)
            _written(path, journal.with_entry(kind="published", data=data, id=key, where=where, date=now()), like)


def now() -> str:
    """The date and time of an entry."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_account(path: Path, limit: str | int | Fraction | None = None, data: str | None = None) -> BudgetAccount:
    """The account of a data set in a file, or a new one with this limit where there is none.

    >>> read_account(Path("not-yet-opened.json"), limit=Fraction(2)).limit
    Fraction(2, 1)
    """
    return named(read_journal(path), path, data, None if limit is None else read_limit(limit))[1]


def spend(
    path: Path,
    epsilon: Fraction,
    limit: str | int | Fraction | None,
    entry: Mapping[str, str],
    data: str | None = None,
) -> BudgetAccount:
    """Charge a data set for something that is kept elsewhere, or refuse. When this returns the entry is on the disk.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     str(spend(Path(folder) / "budget.json", Fraction(1, 2), Fraction(2), {"mechanism": "lshist"}).spent)
    '1/2'
    """
    path = Path(os.path.realpath(path))
    most = None if limit is None else read_limit(limit)
    journal = charge(path, Price("epsilon", epsilon), most, entry, data)
    return journal.account(journal.entries[-1]["data"])
