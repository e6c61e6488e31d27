"""Checks of data, parameters and bounds, shared by several likelihood families."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arithmetic import approximate, less, number, scalar
from ..checks import Integers, Numbers, brief, given, need


def positive_bound(value: Any, name: str = "bound") -> Any:
    """Check a bound on the data, which must be a positive number, or infinity for unbounded data.

    Args:
        value: The argument to check.
        name: Name of the argument in the error message.

    Returns:
        The bound.
    """
    nearest = approximate(given(name, value, 0))
    if not 0 < nearest <= 1e150 and not nearest == math.inf:  # 1e150 squared is a double
        raise ValueError(f"{name} must be > 0 and at most 1e150, or infinite for no bound, got {name}={brief(value)}")
    return math.inf if nearest == math.inf else scalar(number(value))


def one_list(values: Any, good: Callable[[Numbers], Any], allowed: str) -> Numbers:
    """Check a list of numerical parameters; a single number counts as a list of length one.

    Args:
        values: The argument to check.
        good: Function that returns a mask of the allowed numbers.
        allowed: Description of the allowed numbers, for the error message.

    Returns:
        The numbers as an array.
    """
    theta = np.atleast_1d(given("parameters", values))
    right = good(theta)
    if theta.ndim != 1 or not right.all():
        found = theta[~right][0] if theta.ndim == 1 else f"shape {theta.shape}"
        raise ValueError(f"parameters must be {allowed}, got {found}")
    return theta


def positive(values: Any) -> Numbers:
    """Check a list of parameters, which must be finite and positive, and return it as an array."""
    return one_list(values, lambda theta: less(0, theta) & np.isfinite(approximate(theta)), "finite numbers > 0")


def numbers_between(low: Any, high: Any) -> Callable[[Any], Numbers]:
    """Function that checks whether a dataset is a list of numbers in [low, high]; infinite ends are allowed.

    Args:
        low: Lower end of the interval.
        high: Upper end of the interval.

    Returns:
        The function, which returns a valid dataset as an array.
    """

    def data(x: Any) -> Numbers:
        values = given("data", x)
        need(values.ndim == 1, f"data must be one list of numbers, got shape {values.shape}")
        good = np.isfinite(approximate(values))
        if low != -math.inf:
            good &= ~less(values, low)
        if high != math.inf:
            good &= ~less(high, values)
        if not good.all():
            where, found = int(np.argmin(good)), approximate(values)
            ends = f"[{float(low):g}, {float(high):g}]"
            raise ValueError(f"data must be in {ends}, got {found[where]:g} at position {where}")
        return values

    return data


def states_given(x: Any) -> Any:
    """Convert states to an array, whose values ``whole_states`` then checks."""
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError("data must be whole numbers that denote states, got a ragged sequence") from None


def whole_states(values: Any, sizes: Any) -> Integers:
    """Check an array of states, which must be whole numbers from 0 to the number of states minus one.

    Args:
        values: States, one row for each record.
        sizes: Number of states, either a single number or one number for each column.

    Returns:
        The states as an array.
    """
    if values.size and values.dtype.kind not in "iub":
        raise TypeError(f"data must be whole numbers that denote states, got dtype {values.dtype}")
    good = (values >= 0) & (values < sizes)
    if not good.all():
        at = tuple(int(i) for i in np.argwhere(~good)[0])
        raise ValueError(f"data must be states from 0 to below {sizes}, got {values[at]} at position {at}")
    states: Integers = values.astype(np.int64)
    return states


def checked_pair(check: Callable[[Any], Any], x: Any, y: Any) -> tuple[Any, Any]:
    """Check two datasets, which must have the same number of records.

    Args:
        check: Function that checks one dataset.
        x: A dataset.
        y: Another dataset.

    Returns:
        Both datasets, as arrays.
    """
    first, second = check(x), check(y)
    if first.shape != second.shape:
        raise ValueError(f"x and y must have the same number of records, got shapes {first.shape} and {second.shape}")
    return first, second


def differing_entries(check: Callable[[Any], Any], x: Any, y: Any) -> Any:
    """Mask of the entries in which two datasets differ.

    Args:
        check: Function that checks one dataset.
        x: A dataset.
        y: Another dataset.

    Returns:
        A boolean array with one value for each entry.
    """
    first, second = checked_pair(check, x, y)
    return first != second
