r"""What a record, or a parameter, can be: a number or a tuple of numbers, in which some may be ranges.

The differences of log likelihoods over all that is possible are functions on boxes, with a side for each range.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from .. import arithmetic
from .boxes import Between, Function

Possible = Any
"""A number, a range, or a tuple of these; whatever else a parameter is has no range."""


def sides(possible: Possible) -> list[Between]:
    """The ranges in it.

    >>> sides((Between(0, 1), 3))
    [Between(low=0, high=1)]
    """
    parts = possible if isinstance(possible, tuple) else (possible,)
    return [part for part in parts if isinstance(part, Between)]


def filled(possible: Possible, values: Sequence[Any]) -> Any:
    """With numbers in place of the ranges, one after the other.

    >>> filled((Between(0, 1), 3), [0.5])
    (0.5, 3)
    """
    given = iter(values)
    if not isinstance(possible, tuple):
        return next(given) if isinstance(possible, Between) else in_numbers(possible)
    return tuple(next(given) if isinstance(part, Between) else in_numbers(part) for part in possible)


def in_numbers(record: Any) -> Any:
    """A record with its numbers in the arithmetic that is current; a word is a name, and stays one."""
    if isinstance(record, tuple | list | np.ndarray):
        return tuple(in_numbers(entry) for entry in record)
    return arithmetic.number(record) if is_number(record) else record


def example(possible: Possible, rng: np.random.Generator) -> Any:
    """One of what is possible: in a range its ends, its middle, or anything between."""

    def within(side: Between) -> float:
        low, high = float(side.low), float(side.high)
        return (low, high, (low + high) / 2, float(rng.uniform(low, high)))[rng.integers(4)]

    return filled(possible, [within(side) for side in sides(possible)])


def holds(possible: Possible, record: Any) -> bool:
    """Whether a record is one of these."""
    if isinstance(possible, tuple):
        return (
            isinstance(record, tuple)
            and len(record) == len(possible)
            and all(holds(part, entry) for part, entry in zip(possible, record, strict=True))
        )
    if not is_number(record):
        return bool(not isinstance(possible, Between) and possible == record)
    if isinstance(possible, Between):
        return bool(arithmetic.number(possible.low) <= record <= arithmetic.number(possible.high))
    return is_number(possible) and bool(arithmetic.number(possible) == record)


def is_number(value: Any) -> bool:
    """Whether it is a number of any arithmetic."""
    return isinstance(value, int | float | np.integer | np.floating) or arithmetic.is_exact(value)


def all_numbers(possible: Possible) -> bool:
    """Whether there is nothing in it but numbers and ranges."""
    parts = possible if isinstance(possible, tuple) else (possible,)
    return all(isinstance(part, Between) or is_number(part) for part in parts)


def changes(
    g: Callable[[Any, Any], Any], parameters: Sequence[Possible], records: Sequence[Possible]
) -> Iterator[tuple[Function, list[Between]]]:
    r"""\(g(\theta, x) - g(\theta, y)\) for all parameters, and records x and y."""
    for theta, x, y in product(parameters, records, records):
        if x is not y or sides(x):
            yield _on_box(lambda t, a, b: g(t, a) - g(t, b), theta, x, y)


def oscillations(
    g: Callable[[Any, Any], Any], parameters: Sequence[Possible], records: Sequence[Possible]
) -> Iterator[tuple[Function, list[Between]]]:
    r"""\(g(\theta, x) - g(\theta, y) - g(\theta', x) + g(\theta', y)\), but not twice what is the same."""
    pairs = list(combinations_with_replacement(records, 2))
    for theta, other in combinations_with_replacement(parameters, 2):
        if theta is other and not sides(theta):
            continue
        for x, y in pairs:
            if x is not y or sides(x):
                yield _on_box(_second_difference(g), theta, other, x, y)
                if theta is not other and x is not y:
                    yield _on_box(_second_difference(g), theta, other, y, x)


def _second_difference(g: Callable[[Any, Any], Any]) -> Function:
    return lambda t, s, a, b: g(t, a) - g(t, b) - g(s, a) + g(s, b)


def _on_box(function: Function, *possible: Possible) -> tuple[Function, list[Between]]:
    """A function of things that may have ranges, as one of the ranges alone."""
    ranges = [sides(each) for each in possible]

    def on_box(*values: Any) -> Any:
        given = iter(values)
        return function(*(filled(each, [next(given) for _ in own]) for each, own in zip(possible, ranges, strict=True)))

    return on_box, [side for own in ranges for side in own]
