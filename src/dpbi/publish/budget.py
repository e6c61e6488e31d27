"""What may be spent on a data set and what was: exact numbers, which add up, and a limit that they may not exceed."""

import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

EXACT = re.compile(r"\s*[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?)\s*", re.ASCII | re.IGNORECASE)
"""Text of an exact number; exponents end at 99, so that no text stands for more digits than a computer can write."""

LONGEST = 10**100
"""Numerators and denominators are smaller than this."""


class BudgetAccount(NamedTuple):
    """The limit of a data set and the entries of what was spent on it, losses of independent releases.

    >>> BudgetAccount(Fraction(1), ({"epsilon": "1/4"}, {"epsilon": "1/2"})).spent
    Fraction(3, 4)
    """

    limit: Fraction
    entries: tuple[Mapping[str, Any], ...] = ()

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


def affordable(path: Path, account: BudgetAccount, epsilon: Fraction) -> None:
    """Refuse what would exceed the limit."""
    left = account.limit - account.spent
    if epsilon > left:
        raise ValueError(f"epsilon must be at most {left}, what is left in {path.name}, got epsilon={epsilon}")
