"""Checks of arguments: every refusal reads ``NAME must be ALLOWED, got FOUND``.

A value of the wrong type raises ``TypeError``, one out of range ``ValueError``. Conditions are written so that nan
fails them. A check returns the number in the current arithmetic: a double, or over balls the exact rational.
"""

from __future__ import annotations

import math
import numbers
import operator
import os
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from . import arithmetic

C = TypeVar("C")

Numbers = NDArray[Any]
"""An array over the current arithmetic: doubles, or balls and rationals as objects."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# chosen: far above the rounding of millions of terms, far below what changes a digit that is shown
SUM_TOLERANCE = 1e-9
"""Largest distance from 1 of a sum of probabilities."""

# every integer up to here is a double
LARGEST_TOTAL = 2**53
"""Totals of counts are smaller than this."""

# chosen: products and squares of such weights are doubles
LARGEST_WEIGHT = 1e150
"""Dirichlet parameters are at most this."""

# at most two digits of exponent, because the integer of "1e999999999" fills the memory
EXACT_NUMBER = re.compile(r"\s*[+-]?(\d+/0*[1-9]\d*|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?)\s*", re.ASCII | re.IGNORECASE)
"""Text of an exact number: a fraction or a decimal."""

# chosen: more digits than any budget needs, few enough to be printed
LARGEST_TERM = 10**100
"""Numerators and denominators of exact numbers are smaller than this."""

BOUNDS = {
    "above": (">", operator.gt),
    "least": (">=", operator.ge),
    "below": ("<", operator.lt),
    "most": ("<=", operator.le),
}
"""Keyword of ``real`` for a bound: its sign in the message, and the comparison that must hold."""


def readable(cls: C) -> C:
    """Decorator of a named tuple, whose signature then names types as they are written.

    >>> from dpbi import ErrorLaw
    >>> from inspect import signature
    >>> str(signature(ErrorLaw))
    "(distances: 'Floats', probabilities: 'Floats')"
    """
    made: Any = cls
    made.__new__.__annotations__ = {name: kind.__forward_arg__ for name, kind in made.__annotations__.items()}
    return cls


def brief(value: Any) -> str:
    """A value as a message shows it: of a long one the beginning.

    >>> brief([1] * 3000)
    '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,...'
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no integer of more than 4300 digits
        text = f"one of type {type(value).__name__} that is too long"
    return text if len(text) <= 80 else f"{text[:77]}..."


def typed(name: str, value: Any, kinds: Any, allowed: str) -> Any:
    """Checks that an argument has one of some types.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        kinds: A type, or a union of types.
        allowed: What it must be, for the message.

    Returns:
        The argument as it is.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{name} must be {allowed}, got {name}={brief(value)}")
    return value


def flag(name: str, value: Any) -> bool:
    """A truth value, checked: a text such as "no" would count as true.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Returns:
        The truth value.
    """
    return bool(typed(name, value, bool | np.bool_, "True or False"))


def path(name: str, value: Any) -> Path:
    """A path, checked: a number would be the number of an open file.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Returns:
        The path.
    """
    return Path(typed(name, value, str | os.PathLike, "a path"))


def need(good: object, message: str, error: type[Exception] = ValueError) -> None:
    """Raises an error with the message unless a condition holds.

    Args:
        good: The condition.
        message: What must be, and what was found: ``NAME must be ALLOWED, got FOUND``.
        error: Kind of error: ``TypeError`` for values of a wrong type.

    >>> need(1 < 2, "1 must be smaller than 2")
    """
    if not good:
        raise error(message)


def real(name: str, value: Any, **bounds: float) -> float:
    """Checks that an argument is a finite real number within bounds.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        **bounds: Any of ``above`` < value, ``least`` <= value, value < ``below``, value <= ``most``.

    Returns:
        The number, a float among doubles and otherwise an exact rational or a ball.

    >>> real("epsilon", 1, above=0)
    1.0
    """
    refused: type[Exception] = TypeError
    if not isinstance(value, bool | np.bool_) and (isinstance(value, numbers.Real) or arithmetic.is_exact(value)):
        refused = ValueError
        try:
            x = float(value)
        except OverflowError:
            x = math.inf
        # denormal numbers have few digits, and their squares and ratios none
        good = math.isfinite(x) and not (0 in bounds.values() and 0 < x < sys.float_info.min)
        for which, bound in bounds.items():
            good = good and BOUNDS[which][1](x, bound)
        if good:
            return x if arithmetic.in_doubles() else cast(float, arithmetic.number(value))
    allowed = "a finite number" + " and".join(f" {BOUNDS[which][0]} {bound:g}" for which, bound in bounds.items())
    raise refused(f"{name} must be {allowed}, got {name}={brief(value)}")


class Checked:
    """Base of frozen dataclasses; the metadata of a numeric field are its bounds, as in ``real``.

    >>> from dpbi import PureDP
    >>> PureDP(-1)
    Traceback (most recent call last):
    ValueError: epsilon must be a finite number >= 0, got epsilon=-1
    """

    def __post_init__(self: Any) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.metadata and not (value is None and entry.default is None):
                object.__setattr__(self, entry.name, real(entry.name, value, **entry.metadata))


def whole(name: str, value: Any, *, least: int, below: int | None = None) -> int:
    """Checks that an argument is an integer; a float is refused even when it is integral.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        least: Smallest value allowed.
        below: Every value allowed is smaller than this; None for no limit.

    Returns:
        The integer.

    >>> whole("k", np.int64(3), least=2)
    3
    """
    if type(value) is int and least <= value and (below is None or value < below):
        return value  # nearly every call; measured, 0.7 microseconds in place of 5.6
    allowed = f"an integer >= {least}" + (f" and < {below}" if below is not None else "")
    try:
        number = int(value) if arithmetic.is_exact(value) and value == int(value) else operator.index(value)
    except TypeError:  # an array of one number has __index__ too
        number = None
    if number is None or isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be {allowed}, got {name}={brief(value)}")
    need(number >= least and (below is None or number < below), f"{name} must be {allowed}, got {name}={brief(number)}")
    return number


def record_count(n: Any) -> int:
    """The number of records n, checked: an integer >= 0 and < 2**53."""
    return whole("n", n, least=0, below=LARGEST_TOTAL)


def positive_fraction(name: str, value: Any, largest: int | None = None) -> Fraction:
    """Checks that an argument is an exact number > 0; a float is the decimal that Python writes for it.

    Args:
        name: Name of the argument, for the message.
        value: An integer, a Fraction, a float, or text such as 1/2 or 0.5.
        largest: Largest value allowed; None for no limit.

    Returns:
        The number as a fraction.

    >>> positive_fraction("budget", "0.5"), positive_fraction("budget", 0.1)
    (Fraction(1, 2), Fraction(1, 10))
    """
    allowed = f"an exact number > 0{f' and <= {largest}' if largest else ''}, 1/2 or 0.5 for instance"
    good = isinstance(value, str | int | float | Fraction) and not isinstance(value, bool)
    need(good, f"{name} must be {allowed}, a number or its text, got {name}={brief(value)}", TypeError)
    text = repr(float(value)) if isinstance(value, float) else value
    legal = not isinstance(text, str) or (len(text) <= 200 and EXACT_NUMBER.fullmatch(text))
    number = Fraction(text) if legal else Fraction(0)
    short = max(number.numerator, number.denominator) < LARGEST_TERM
    good = short and number > 0 and (largest is None or number <= largest)
    need(good, f"{name} must be {allowed}, got {name}={brief(text)}")
    return number


def numeric(name: str, value: Any, allowed: str) -> NDArray[Any]:
    """Checks that an argument is a number or regular nested sequences of them.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        allowed: What it must be, for the message.

    Returns:
        An array of integers or floats, whose shape and range are not checked.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # ragged nesting
        raise ValueError(f"{name} must be {allowed}, got a ragged sequence") from None
    # NumPy would read on as if nothing were masked
    need(not np.ma.is_masked(value), f"{name} must be {allowed}, got masked values")
    if array.dtype.kind not in "iuf":
        if array.dtype.kind == "O" and all(map(arithmetic.is_exact, array.flat)):
            return array.astype(np.float64)
        # None, and integers too large for NumPy, are bad values of the right type; all else has the wrong type
        bad = array.dtype.kind == "O" and all(entry is None or type(entry) in (int, float) for entry in array.flat)
        raise (ValueError if bad else TypeError)(f"{name} must be {allowed}, got {name}={brief(value)}")
    return array


def given(name: str, value: Any, ndim: int | None = None) -> Numbers:
    """Numbers that a user gave, as an array over the current arithmetic; their range is not checked.

    Args:
        name: Name of the argument, for the message.
        value: The argument.
        ndim: Number of axes; None for any.

    Returns:
        The array.
    """
    try:
        if value is None or isinstance(value, str | bytes) or np.ma.is_masked(value):
            raise TypeError
        array = arithmetic.numbers(value)
        if ndim in (None, array.ndim):
            return array
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name} must be {'a number' if ndim == 0 else 'numbers'}, got {name}={brief(value)}")


def listed(name: str, value: Any) -> Any:
    """A list, a tuple or an array with axes, checked; what is in it is not.

    Args:
        name: Name of the argument, for the message.
        value: The argument.

    Returns:
        The argument as it is.
    """
    if not (isinstance(value, list | tuple | range) or getattr(value, "ndim", False)):
        raise TypeError(f"{name} must be a list, got {name}={brief(value)}")
    return value


def checked_array(name: str, value: Any, allowed: str, k: int | None, good: Callable[..., Any]) -> NDArray[Any]:
    """Checks that an argument is an array of numbers with an entry for each category on the last axis.

    Args:
        name: Name of the argument, for the message.
        value: The argument, with any leading axes.
        allowed: What it must be, for the message.
        k: Length of the last axis; None for any from 2 on.
        good: Function of the array: for each entry, or each row, whether it may be there.

    Returns:
        An array of integers or floats.
    """
    array = numeric(name, value, allowed)
    if array.ndim == 0 or (array.shape[-1] < 2 if k is None else array.shape[-1] != k):
        raise ValueError(f"{name} must be {allowed}, got shape {array.shape}")
    with np.errstate(invalid="ignore"):
        fine = good(array)
    if not fine.all():
        position = tuple(int(i) for i in np.argwhere(~fine)[0])
        where = f" at position {position[0] if len(position) == 1 else position}" if fine.ndim == array.ndim else ""
        raise ValueError(f"{name} must be {allowed}, got {brief(array[position].tolist())}{where}")
    return array


def concentrations(name: str, value: Any) -> Floats:
    """Checks Dirichlet parameters: the last axis has k >= 2 finite entries > 0.

    Args:
        name: Name of the argument, for the message.
        value: The argument, with any leading axes.

    Returns:
        The parameters as an array.
    """
    allowed = "k >= 2 finite numbers > 0, none denormal or above 1e150"
    array = checked_array(name, value, allowed, None, lambda a: (a >= sys.float_info.min) & (a <= LARGEST_WEIGHT))
    return array.astype(np.float64) if arithmetic.in_doubles() else arithmetic.numbers(value)


def prior_weights(prior: Any) -> Floats:
    """The parameters of one Dirichlet prior, checked: k >= 2 finite numbers > 0."""
    array = concentrations("prior", prior)
    need(array.ndim == 1, f"prior must be one-dimensional with k >= 2 entries, got shape {array.shape}")
    return array


def broadcasting(**arrays: NDArray[Any]) -> None:
    """Checks that arrays, given by name, have as many categories on the last axis, and leading axes that broadcast."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = " and ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        allowed = "one number of categories and leading axes that broadcast"
        raise ValueError(f"{' and '.join(arrays)} must have {allowed}, got {shapes}") from None


def simplex(name: str, value: Any, k: int) -> Floats:
    """Checks points of the simplex: the last axis has k numbers >= 0 with the sum 1.

    Args:
        name: Name of the argument, for the message.
        value: The argument, with any leading axes.
        k: Number of categories.

    Returns:
        The points as an array.
    """
    allowed = f"{k} numbers >= 0 with the sum 1"

    def good(rows: NDArray[Any]) -> Any:
        return (rows >= 0).all(axis=-1) & (np.abs(rows.sum(axis=-1, dtype=np.float64) - 1) <= SUM_TOLERANCE)

    array = checked_array(name, value, allowed, k, good)
    return array.astype(np.float64) if arithmetic.in_doubles() else arithmetic.numbers(value)


def count_vector(counts: Any, k: int | None, *, name: str = "counts") -> Integers:
    """Checks counts: whole numbers >= 0 with a total below 2**53.

    Args:
        counts: Counts of the categories on the last axis; whole floats are allowed.
        k: Number of categories; None for any from 2 on.
        name: Name of the argument, for the message.

    Returns:
        The counts as an array of int64.
    """
    allowed = f"whole numbers >= 0, one for each of {f'the {k}' if k else 'k >= 2'} categories"
    good = checked_array(name, counts, allowed, k, lambda a: (a >= 0) & (a < LARGEST_TOTAL) & (a == np.floor(a)))
    whole_counts = good.astype(np.int64)
    if whole_counts.size and not (whole_counts.sum(axis=-1, dtype=np.float64).max() < LARGEST_TOTAL):
        raise ValueError(f"{name} must have a total below 2**53, got {whole_counts.sum(axis=-1).max()}")
    return whole_counts


def dataset(prior: Any, counts: Any) -> tuple[Floats, Integers]:
    """Checks a prior and one dataset over its categories.

    Args:
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        counts: Dataset, k whole numbers >= 0.

    Returns:
        Both as arrays of shape (k,).

    >>> dataset([1, 1], [14, 6])
    (array([1., 1.]), array([14,  6]))
    """
    weights = prior_weights(prior)
    return weights, one_dataset(counts, len(weights))


def one_dataset(counts: Any, k: int | None = None, *, name: str = "counts") -> Integers:
    """Checks one dataset, a row of counts.

    Args:
        counts: Dataset, k whole numbers >= 0.
        k: Number of categories; None for any from 2 on.
        name: Name of the argument, for the message.

    Returns:
        The counts as an array of shape (k,).
    """
    vector = count_vector(counts, k, name=name)
    allowed = f"one dataset of {k or 'k >= 2'} categories, several in a call each"
    need(vector.ndim == 1, f"{name} must be {allowed}, got shape {vector.shape}")
    return vector


def generator(rng: Any) -> np.random.Generator:
    """The random number generator, checked: a ``numpy.random.Generator``, which only a caller makes."""
    return cast(np.random.Generator, typed("rng", rng, np.random.Generator, "a numpy.random.Generator"))
