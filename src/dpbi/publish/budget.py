r"""What may be spent on a data set and what was: exact numbers, which add up, and a limit that they may not exceed.

There are two currencies, each of which adds up: epsilon of pure privacy, and rho of zero-concentrated privacy. A loss
of epsilon is one of \(\rho = \varepsilon^2 / 2\) (Bun and Steinke 2016, Prop. 1.4), so that a limit in rho can pay for
both; a loss of rho has no epsilon without a delta, and a limit in epsilon cannot pay for it.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from ..guarantees import ZCDP, PureDP, TotalCost, total_cost

EXACT = re.compile(r"\s*[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?)\s*", re.ASCII | re.IGNORECASE)
"""Text of an exact number; exponents end at 99, so that no text stands for more digits than a computer can write."""

LONGEST = 10**100
"""Numerators and denominators are smaller than this."""


NOTIONS = {"epsilon": "pure differential privacy", "rho": "zero-concentrated differential privacy"}
"""The currencies, and the notion of privacy whose parameter each is."""


class Price(NamedTuple):
    """What a release costs, or a limit: an amount and its currency.

    >>> str(Price("rho", Fraction(1, 8))), Price("rho", Fraction(1, 8)).epsilon
    ('rho 1/8', 0.5)
    """

    currency: str
    amount: Fraction

    def __str__(self) -> str:
        return f"{self.currency} {self.amount}"

    @property
    def epsilon(self) -> float:
        """The budget of a mechanism at this price, as its function takes it."""
        return float(self.amount) if self.currency == "epsilon" else (2 * float(self.amount)) ** 0.5

    @property
    def said(self) -> dict[str, str]:
        """As a receipt and a journal say it."""
        return {self.currency: str(self.amount)}

    @property
    def promise(self) -> PureDP | ZCDP:
        """What is promised for it."""
        return PureDP(float(self.amount)) if self.currency == "epsilon" else ZCDP(float(self.amount))

    def part(self, share: Fraction) -> "Price":
        """A part of it."""
        return self._replace(amount=self.amount * share)

    def of_a_row(self, rows: int) -> "Price":
        r"""What one row may cost where a person has several: \(\varepsilon / m\), or \(\rho / m^2\)."""
        return self.part(Fraction(1, rows if self.currency == "epsilon" else rows**2))

    def within(self, currency: str) -> Fraction:
        r"""The amount in a currency: epsilon costs \(\varepsilon^2 / 2\) of rho, which is no less than needed.

        >>> Price("epsilon", Fraction(1, 2)).within("rho")
        Fraction(1, 8)
        """
        if currency == self.currency:
            return self.amount
        if currency == "epsilon":
            raise ValueError(f"epsilon must pay for pure privacy: what costs {self} needs a limit in rho")
        return self.amount**2 / 2


def price_in(said: Mapping[str, Any]) -> Price:
    """The price that a receipt or an entry of a journal says.

    >>> str(price_in({"mechanism": "lshist", "epsilon": "1/2"}))
    'epsilon 1/2'
    """
    found = [name for name in NOTIONS if name in said]
    if len(found) != 1:
        raise ValueError(f"a price must be in one of {', '.join(NOTIONS)}, got {', '.join(found) or 'none'}")
    return Price(found[0], positive_fraction(found[0], said[found[0]]))


def read_limit(limit: str | int | Fraction) -> Price:
    """A limit: an exact number, of epsilon unless ``rho`` stands before it.

    >>> str(read_limit("1/2")), str(read_limit("rho 1/50"))
    ('epsilon 1/2', 'rho 1/50')
    """
    word, _, amount = limit.strip().partition(" ") if isinstance(limit, str) else ("", "", "")
    if word in NOTIONS:
        return Price(word, positive_fraction("limit", amount))
    return Price("epsilon", positive_fraction("limit", limit))


class BudgetAccount(NamedTuple):
    """The limit of a data set and the entries of what was spent on it, losses of independent releases.

    >>> BudgetAccount(Fraction(1), ({"epsilon": "1/4"}, {"epsilon": "1/2"})).spent
    Fraction(3, 4)
    >>> BudgetAccount(Fraction(1), ({"epsilon": "1/2"}, {"rho": "1/4"}), "rho").spent
    Fraction(3, 8)
    """

    limit: Fraction
    entries: tuple[Mapping[str, Any], ...] = ()
    currency: str = "epsilon"

    @property
    def spent(self) -> Fraction:
        """The sum of all entries, in the currency of the limit."""
        return sum((price_in(entry).within(self.currency) for entry in self.entries), Fraction(0))

    def cost(self, delta: float) -> TotalCost:
        """What was spent in rho, and in epsilon at a delta.

        >>> round(BudgetAccount(Fraction(1), ({"rho": "1/50"},), "rho").cost(1e-6).epsilon, 3)
        0.9
        """
        return total_cost([price_in(entry).promise for entry in self.entries], delta)


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


def affordable(path: Path, account: BudgetAccount, price: Price) -> None:
    """Refuse what would exceed the limit, or what its currency cannot pay for."""
    left, amount = account.limit - account.spent, price.within(account.currency)
    if amount > left:
        currency, name = account.currency, price.currency
        most = f"{left}, what is left in {path.name}"
        if name != currency:
            raise ValueError(f"{name} must cost at most {currency} {most}, got {price}, which costs {amount}")
        raise ValueError(f"{name} must be at most {most}, got {name}={price.amount}")
