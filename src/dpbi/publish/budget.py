r"""The budget file: an SQLite file that stores the limit of each data set and every charge with its receipt.

One transaction checks the limit and stores the charge together with the noisy counts. SQLite guarantees that the charge
and the noisy counts are both on disk after the commit, and that neither is stored if the program stops before the
commit. Everything that is published is computed from the stored receipt, so an interrupted release can be written
later, without the records and at no further cost. Apart from public facts, the noisy counts that were paid for are all
that the file contains about the records.

There are two currencies: epsilon of pure privacy, and rho of zero-concentrated privacy. Losses add up in each currency.
A loss of epsilon is also a loss of \(\rho = \varepsilon^2 / 2\) (Bun and Steinke 2016, Prop. 1.4), so a limit in rho
can pay for releases in either currency. A loss of rho implies no finite epsilon unless delta is positive, so a limit in
epsilon cannot pay for a price in rho.
"""

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from .. import checks
from ..checks import need, positive_fraction
from ..guarantees import ZCDP, PureDP, TotalCost, total_cost
from ..mechanisms import releasable_mechanism
from .records import text

NOTIONS = {"epsilon": "pure differential privacy", "rho": "zero-concentrated differential privacy"}
"""Notion of privacy that belongs to each currency."""

RANGES = {"epsilon": (Fraction(1, 10**9), 20), "rho": (Fraction(1, 10**18), 10)}
"""Smallest and largest price of a release (chosen). Below the smallest price, the noise is larger than any table. Above
the largest price, there is no privacy: at epsilon 20, one record can make an output 5e8 times as likely, and a rho of
10 implies an epsilon of 32 at delta 1e-6."""


class Price(NamedTuple):
    """The price of a release, or the limit of a data set: a currency and an amount.

    >>> str(Price("rho", Fraction(1, 8))), Price("rho", Fraction(1, 8)).epsilon
    ('rho 1/8', 0.5)
    """

    currency: str
    amount: Fraction

    def __str__(self) -> str:
        return f"{self.currency} {self.amount}"

    @property
    def epsilon(self) -> float:
        """The argument ``epsilon`` of a mechanism that has this price."""
        return float(self.amount) if self.currency == "epsilon" else (2 * float(self.amount)) ** 0.5

    @property
    def entry(self) -> dict[str, str]:
        """The price as it is stored in a receipt: a mapping from the currency to the amount."""
        return {self.currency: str(self.amount)}

    def of_a_row(self, rows: int) -> "Price":
        r"""The price of one row if a person may own m rows: \(\varepsilon / m\), or \(\rho / m^2\)."""
        return self._replace(amount=self.amount / (rows if self.currency == "epsilon" else rows**2))

    def within(self, currency: str) -> Fraction:
        r"""This price converted to a currency; a price in epsilon costs at most \(\varepsilon^2 / 2\) in rho.

        >>> Price("epsilon", Fraction(1, 2)).within("rho")
        Fraction(1, 8)
        """
        if currency == self.currency:
            return self.amount
        need(currency == "rho", f"limit must be in rho to pay for {self}, got one in {currency}")
        return self.amount**2 / 2


def price_in(part: Mapping[str, Any]) -> Price:
    """The price stated in the guarantee or in a question of a receipt.

    >>> str(price_in({"notion": "pure differential privacy", "epsilon": "1/2"}))
    'epsilon 1/2'
    """
    found = [name for name in NOTIONS if name in part]
    need(len(found) == 1, f"a price must be in one of {', '.join(NOTIONS)}, got {', '.join(found) or 'none'}")
    return Price(found[0], positive_fraction(found[0], part[found[0]]))


def read_price(value: str | float | Fraction) -> Price:
    """The price or limit given by a string or a number, in epsilon unless the string begins with ``rho``.

    >>> str(read_price("1/2")), str(read_price("rho 1/50"))
    ('epsilon 1/2', 'rho 1/50')
    """
    word, _, amount = value.strip().partition(" ") if isinstance(value, str) else ("", "", "")
    currency = word if word in NOTIONS else "epsilon"
    return Price(currency, positive_fraction("limit", amount if word in NOTIONS else value))


def released_price(mechanism: str, epsilon: Any = None, rho: Any = None) -> Price:
    """The checked price of a release, in the currency of its mechanism.

    Args:
        mechanism: Name of a mechanism with exact draws
        epsilon: Exact price, as a number or a string, for a mechanism that is charged in epsilon
        rho: Exact price, as a number or a string, for a mechanism that is charged in rho

    Raises:
        ValueError: if the price is in the other currency or out of range

    >>> str(released_price("lshist", "1/2")), str(released_price("discrete_gaussian", rho="1/50"))
    ('epsilon 1/2', 'rho 1/50')
    """
    currency = releasable_mechanism(mechanism).currency
    given = {name: amount for name, amount in (("epsilon", epsilon), ("rho", rho)) if amount is not None}
    alone = list(given) == [currency]
    need(alone, f"{currency} must be given for {mechanism}, and nothing else, got {' and '.join(given) or 'none'}")
    least, largest = RANGES[currency]
    amount = positive_fraction(currency, given[currency], largest)
    need(amount >= least, f"{currency} must be at least {float(least):g}, got {currency}={given[currency]}")
    return Price(currency, amount)


PATIENCE = 60.0  # seconds to wait for other processes, chosen: each of them locks the file for milliseconds only
UNNAMED = "records"  # name of the data set if no name is given
APPLICATION = int.from_bytes(b"dpbi", "big")  # application id in the SQLite header of a budget file
VERSION = 1  # version of the tables; a file with another version is refused

TABLES = (
    'CREATE TABLE data_set (name TEXT PRIMARY KEY, "limit" TEXT NOT NULL)',
    "CREATE TABLE charge (id TEXT PRIMARY KEY, data_set TEXT NOT NULL REFERENCES data_set, price TEXT NOT NULL,"
    " receipt TEXT NOT NULL, folder TEXT, force INTEGER NOT NULL, written INTEGER NOT NULL)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


class Charge(NamedTuple):
    """A row of the budget file: a paid release, its receipt as JSON, and whether it was written to its folder.

    >>> Charge("1a", "records", "rho 1/50", "{}", None, False, True).price
    'rho 1/50'
    """

    id: str
    data_set: str
    price: str
    receipt: str
    folder: str | None
    force: bool
    written: bool


class BudgetAccount(NamedTuple):
    """The limit of a data set and its charges, whose losses add up because the noise of each release is independent.

    >>> account = BudgetAccount(Price("epsilon", Fraction(1)))
    >>> account.spent, account.left
    (Fraction(0, 1), Fraction(1, 1))
    """

    limit: Price
    charges: tuple[Charge, ...] = ()

    @property
    def spent(self) -> Fraction:
        """Sum of all charges, in the currency of the limit."""
        return sum((read_price(one.price).within(self.limit.currency) for one in self.charges), Fraction(0))

    @property
    def left(self) -> Fraction:
        """Amount that may still be spent, in the currency of the limit."""
        return self.limit.amount - self.spent

    def cost(self, delta: float) -> TotalCost:
        """Total cost of all charges, in rho and in epsilon at a delta."""
        promises: Any = {"epsilon": PureDP, "rho": ZCDP}
        prices = [read_price(one.price) for one in self.charges]
        return total_cost([promises[price.currency](float(price.amount)) for price in prices], delta)


class Order(NamedTuple):
    """A requested release: its price, its folder, and the budget file and the data set that pay for it."""

    price: Price
    folder: Path | None
    force: bool
    budget: "Budget | None"
    limit: Price | None
    data_set: str | None


@dataclass(frozen=True)
class Budget:
    """A budget file, which is created by the first charge.

    >>> Budget("not-yet-opened.db").accounts()
    {}
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", checks.path("path", self.path))

    @contextmanager
    def _transaction(self, write: bool) -> Iterator[sqlite3.Connection]:
        """Context manager for a transaction, which is committed if ``write`` is true; a missing file is created."""
        try:
            if not self.path.exists():
                self._created()
            with closing(sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)) as file:
                # EXTRA does the same as FULL, and also syncs the folder before a commit returns
                file.execute("PRAGMA synchronous = EXTRA")
                file.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                kind, version = file.execute("SELECT * FROM pragma_application_id, pragma_user_version").fetchone()
                other = "another program" if self.path.stat().st_size else "0 bytes, which has lost what was spent"
                got, due = f"version {version}" if kind == APPLICATION else other, f"version {VERSION}"
                need(got == due, f"budget must be a file of dpbi of {due}, got {self.path.name} of {got}")
                yield file
                file.execute("COMMIT" if write else "ROLLBACK")
        except sqlite3.Error as error:
            allowed = "an SQLite file of dpbi that can be read and written"
            raise ValueError(f"budget must be {allowed}, got {self.path.name}: {error}") from None

    def _created(self) -> None:
        """Create the file atomically with its tables, so that no process ever sees an empty budget file."""
        beside = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        try:
            with closing(sqlite3.connect(beside)) as file:
                file.executescript("; ".join(TABLES))
            beside.chmod(0o600)
            with suppress(FileExistsError):  # another process has created it in the meantime
                os.link(beside, self.path)
        finally:
            beside.unlink(missing_ok=True)

    def accounts(self) -> dict[str, BudgetAccount]:
        """The account of each data set, by name; an empty mapping if the file does not exist."""
        if not self.path.exists():
            return {}
        with self._transaction(write=False) as file:
            return self._accounts(file)

    def charge(self, order: Order, receipt: Mapping[str, Any]) -> dict[str, Any]:
        """Charge a release and store its receipt on disk in one transaction.

        Args:
            order: Price, data set and folder of the release
            receipt: Receipt with the noisy counts and an id that is new in the file

        Returns:
            The receipt, extended by the data set, its limit and the sum of its charges.

        Raises:
            ValueError: if the release would exceed the limit; in that case, nothing is stored
        """
        with self._transaction(write=True) as file:
            name, account = self.affordable(self._accounts(file), order)
            limit, spent = account.limit, account.spent + order.price.within(account.limit.currency)
            state = {"data_set": name, "limit": str(limit), "spent": str(limit._replace(amount=spent))}
            paid, where = {**receipt, "budget": state}, None if order.folder is None else str(order.folder)
            row = Charge(receipt["id"], name, str(order.price), json.dumps(paid), where, order.force, written=False)
            file.execute("INSERT OR IGNORE INTO data_set VALUES (?, ?)", (name, str(limit)))
            file.execute("INSERT INTO charge VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return paid

    def mark_written(self, id: str, folder: Path | None) -> None:
        """Record that a paid release was written, and to which folder."""
        with self._transaction(write=True) as file:
            file.execute("UPDATE charge SET written = 1, folder = ? WHERE id = ?", (folder and str(folder), id))

    def affordable(self, accounts: Mapping[str, BudgetAccount], order: Order) -> tuple[str, BudgetAccount]:
        """Name and account of the data set that pays for a release; a new data set needs a limit.

        Raises:
            ValueError: if it is not clear which data set pays, if the limit in the order differs from the limit of the
                data set, if too little of this limit is left, or if the folder is reserved for a paid release that has
                not been written
        """
        file, name = self.path.name, next(iter(accounts), UNNAMED) if order.data_set is None else text(order.data_set)
        several = order.data_set is None and len(accounts) > 1
        need(not several, f"data set must be named, one of {', '.join(accounts)} in {file}, got none")
        need(name and name.isprintable(), f"data set must have a name of printable characters, got {name!r}")
        account: Any = accounts.get(name) or (order.limit and BudgetAccount(order.limit))
        need(account, f"limit must be given when the data set {name} in {file} is opened (--limit), got none")
        limit, price = account.limit, order.price
        need(order.limit in (None, limit), f"limit must be {limit}, the limit of {name} in {file}, got {order.limit}")
        cost = price.within(limit.currency)
        got = price if price.currency == limit.currency else f"{price}, which costs {limit.currency} {cost}"
        most = f"{limit.currency} {account.left}, the amount left in {file}"
        need(cost <= account.left, f"a release must cost at most {most}, got {got}")
        waiting = {one.folder: one.id for each in accounts.values() for one in each.charges if not one.written}
        found = waiting.get(str(order.folder))  # the folder of a release that writes none is None
        need(not found, f"out must not be the folder of a paid release: {self.how_to_resume(found)}")
        return name, account

    def how_to_resume(self, id: str | None) -> str:
        """Clause of a message that names the command that writes a paid release."""
        return f"dpbi release --resume {id} --budget {self.path} writes it"

    def _accounts(self, file: sqlite3.Connection) -> dict[str, BudgetAccount]:
        """The accounts in the file; an error if a charge disagrees with its receipt or belongs to no data set."""
        rows = file.execute("SELECT * FROM charge ORDER BY rowid")
        charges = [Charge(*row)._replace(force=bool(row[-2]), written=bool(row[-1])) for row in rows]
        limits = dict(file.execute("SELECT * FROM data_set ORDER BY rowid"))
        for one in charges:
            with suppress(KeyError, TypeError, ValueError):
                receipt = json.loads(one.receipt)
                found = receipt["id"], receipt["budget"]["data_set"], price_in(receipt["guarantee"])
                if one.data_set in limits and found == (one.id, one.data_set, read_price(one.price)):
                    continue
            raise ValueError(f"budget must have unaltered charges, got {self.path.name} with the altered {one.id}")
        return {
            name: BudgetAccount(read_price(limit), tuple(one for one in charges if one.data_set == name))
            for name, limit in limits.items()
        }
