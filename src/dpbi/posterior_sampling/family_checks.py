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
    good = 0 < nearest <= 1e150 or nearest == math.inf  # 1e150 squared is a double
    need(good, f"{name} must be > 0 and at most 1e150, or infinite for no bound, got {name}={brief(value)}")
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
        raise ValueError(f"parameters must be {allowed}, got {brief(theta[~right].tolist())} of shape {theta.shape}")
    return theta


def positive(values: Any) -> Numbers:
    """Check a list of parameters, which must be finite and positive, and return it as an array."""
    return one_list(values, lambda theta: less(0, theta) & np.isfinite(approximate(theta)), "finite numbers > 0")


def whole_states(x: Any, sizes: Any, allowed: str) -> Integers:
    """Check a dataset of states, which must be whole numbers from 0 to the number of states minus one.

    Args:
        x: States, one for each record or one row for each record.
        sizes: Number of states, either a single number or one number for each column.
        allowed: Description of the shape, for the error message.

    Returns:
        The states as an array.
    """
    try:
        values = np.asarray(x)
    except ValueError:
        raise ValueError("data must be whole numbers that denote states, got a ragged sequence") from None
    right = values.ndim > 0 and values.shape[1:] == np.shape(sizes)
    need(right, f"data must be {allowed}, got shape {values.shape}")
    right = values.size == 0 or values.dtype.kind in "iub"
    need(right, f"data must be whole numbers that denote states, got dtype {values.dtype}", TypeError)
    good = (values >= 0) & (values < sizes)
    if not good.all():
        raise ValueError(f"data must be states from 0 to below {sizes}, got {brief(values[~good].tolist())}")
    return values.astype(np.int64)


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
    right = first.shape == second.shape
    need(right, f"x and y must have the same number of records, got shapes {first.shape} and {second.shape}")
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
    return np.not_equal(*checked_pair(check, x, y))
