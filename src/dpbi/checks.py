"""Input checks: one clear error naming the argument, the allowed range and the value found.

A wrong kind of thing is a ``TypeError``, a wrong value a ``ValueError``. Conditions are phrased so that nan fails them.
What is checked comes back in the arithmetic that is current: a double, or the exact number that it stands for.
"""

import math
import numbers
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import arithmetic

ROUNDED_SUM = 1e-9
"""Probabilities add up to one if their sum in doubles is this near to it."""

Numbers = NDArray[Any]
"""An array of whatever numbers are current."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGEST_TOTAL = 2**53
"""Counts add up to less than this, so that every count is exact as a double."""


EXACT = re.compile(r"\s*[+-]?(\d+/0*[1-9]\d*|(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?)\s*", re.ASCII | re.IGNORECASE)
"""Text of an exact number; exponents end at 99, so that no text stands for more digits than a computer can write."""

LONGEST = 10**100
"""Numerators and denominators are smaller than this."""


def need(good: object, message: str) -> None:
    """Refuse a value, unless it is good, by a message that names what it must be and what it is."""
    if not good:
        raise ValueError(message)


BOUNDS = {
    "above": (">", operator.gt),
    "least": (">=", operator.ge),
    "below": ("<", operator.lt),
    "most": ("<=", operator.le),
}
"""The bounds that a number may have: the sign of each, and the comparison with it that must hold."""


def real(name: str, value: Any, **bounds: float) -> float:
    """A finite real number in the stated range: ``above < value < below``, ``least <= value <= most``."""
    stated = [f" {BOUNDS[which][0]} {bound:g}" for which, bound in bounds.items()]
    allowed = "a finite number" + " and".join(stated)
    if isinstance(value, bool | np.bool_) or not (isinstance(value, numbers.Real) or arithmetic.is_exact(value)):
        raise TypeError(f"{name} must be {allowed}, got {name}={value!r}")
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    if not (math.isfinite(x) and all(BOUNDS[which][1](x, bound) for which, bound in bounds.items())):
        raise ValueError(f"{name} must be {allowed}, got {name}={value!r}")
    return x if arithmetic.in_doubles() else cast(float, arithmetic.number(value))


def whole(name: str, value: Any, *, least: int, below: int | None = None) -> int:
    """An integer with ``least <= value < below``; a float is refused even when it is integral."""
    allowed = f"an integer >= {least}" + (f" and < {below}" if below is not None else "")
    exact = arithmetic.is_exact(value) and value == int(value)
    if isinstance(value, bool | np.bool_) or not (exact or hasattr(value, "__index__")):
        raise TypeError(f"{name} must be {allowed}, got {name}={value!r}")
    number = int(value)
    if not (number >= least and (below is None or number < below)):
        raise ValueError(f"{name} must be {allowed}, got {name}={number}")
    return number


def positive_fraction(name: str, value: object, largest: int | None = None) -> Fraction:
    """An exact number > 0: an integer, a Fraction, or text such as 1/2 or 0.5. A float is refused: it is rounded."""
    allowed = f"an exact number > 0{f' and <= {largest}' if largest else ''}, 1/2 or 0.5 for instance"
    if isinstance(value, bool) or not isinstance(value, str | int | Fraction):
        raise TypeError(f"{name} must be {allowed}, as text, an integer or a Fraction, got {name}={value!r}")
    legal = not isinstance(value, str) or (len(value) <= 200 and EXACT.fullmatch(value))
    number = Fraction(value) if legal else Fraction(0)
    large = max(abs(number.numerator), number.denominator) >= LONGEST
    if large or number <= 0 or (largest is not None and number > largest):
        shown = "one of more than 100 digits" if large else str(value)[:40]
        raise ValueError(f"{name} must be {allowed}, got {name}={shown!r}")
    return number


def _numeric(name: str, value: Any, allowed: str) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:  # ragged nesting
        raise ValueError(f"{name} must be {allowed}, got a ragged sequence") from None
    if array.dtype.kind not in "iuf":
        if array.dtype.kind == "O" and all(map(arithmetic.is_exact, array.flat)):
            return array.astype(np.float64)
        # an entry that is missing or beyond every integer type is a bad value, anything else a wrong kind of thing
        bad_value = array.dtype.kind == "O" and all(
            entry is None or type(entry) in (int, float) for entry in array.flat
        )
        error = ValueError if bad_value else TypeError
        raise error(f"{name} must be {allowed}, got {name}={value!r}")
    return array


def _array(name: str, value: Any, allowed: str, shaped: Callable[..., bool], good: Callable[..., Any]) -> NDArray[Any]:
    """An array of numbers whose shape and entries, or rows, are good."""
    array = _numeric(name, value, allowed)
    if not shaped(array.shape):
        raise ValueError(f"{name} must be {allowed}, got shape {array.shape}")
    with np.errstate(invalid="ignore"):
        fine = good(array)
    if not fine.all():
        position = tuple(int(i) for i in np.argwhere(~fine)[0])
        where = f" at position {position[0] if len(position) == 1 else position}" if fine.ndim == array.ndim else ""
        raise ValueError(f"{name} must be {allowed}, got {array[position].tolist()}{where}")
    return array


def concentrations(name: str, value: Any) -> Floats:
    """Dirichlet parameters: the last axis has k >= 2 finite entries > 0."""
    allowed = "k >= 2 finite numbers > 0"
    array = _array(name, value, allowed, lambda shape: shape != () and shape[-1] >= 2, lambda a: (a > 0) & (a < np.inf))
    return array.astype(np.float64) if arithmetic.in_doubles() else arithmetic.numbers(value)


def prior_weights(prior: Any) -> Floats:
    """One prior: a 1-D array of k >= 2 finite numbers > 0."""
    array = concentrations("prior", prior)
    if array.ndim != 1:
        raise ValueError(f"prior must be one-dimensional with k >= 2 entries, got shape {array.shape}")
    return array


def broadcasting(**arrays: NDArray[Any]) -> None:
    """Arrays whose leading axes have to broadcast."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = " and ".join(f"{name} of shape {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{' and '.join(arrays)} must have leading axes that broadcast, got {shapes}") from None


def simplex(name: str, value: Any, k: int) -> Floats:
    """Points of the simplex: the last axis has k numbers >= 0 with the sum 1."""
    allowed = f"{k} numbers >= 0 with the sum 1"

    def good(rows: NDArray[Any]) -> Any:
        return (rows >= 0).all(axis=-1) & (np.abs(rows.sum(axis=-1, dtype=np.float64) - 1) <= ROUNDED_SUM)

    array = _array(name, value, allowed, lambda shape: shape[-1:] == (k,), good)
    return array.astype(np.float64) if arithmetic.in_doubles() else arithmetic.numbers(value)


def count_vector(counts: Any, k: int, *, name: str = "counts") -> Integers:
    """Counts over k categories on the last axis: whole numbers >= 0 with a total below 2**53."""
    allowed = f"whole numbers >= 0, one for each of the {k} categories"

    def good(array: NDArray[Any]) -> Any:
        return (array >= 0) & (array < LARGEST_TOTAL) & (array == np.floor(array))

    whole_counts = _array(name, counts, allowed, lambda shape: shape[-1:] == (k,), good).astype(np.int64)
    if whole_counts.size and not (whole_counts.sum(axis=-1, dtype=np.float64).max() < LARGEST_TOTAL):
        raise ValueError(f"{name} must have a total below 2**53, got {whole_counts.sum(axis=-1).max()}")
    return whole_counts


def law_outputs(value: Any) -> Integers:
    """The outputs of a law: distinct rows of counts. An array of int64 comes back as it is, for laws may share one."""
    allowed = "distinct rows of k >= 2 whole numbers >= 0"
    array = _numeric("outputs", value, allowed)
    if array.ndim != 2 or array.shape[0] < 1 or array.shape[1] < 2:
        raise ValueError(f"outputs must be {allowed}, got shape {array.shape}")
    rows = count_vector(array, array.shape[1], name="outputs")
    different, times = np.unique(rows, axis=0, return_counts=True)
    if len(different) < len(rows):
        raise ValueError(f"outputs must be {allowed}, got {different[times > 1][0].tolist()} {times.max()} times")
    return array if array.dtype == np.int64 else rows


def law_logarithms(value: Any, outputs: int) -> Floats:
    """The logarithms of the probabilities of a law, on the last axis one for each output."""
    name, allowed = (
        "log_probabilities",
        f"logarithms of {outputs} probabilit{'y' if outputs == 1 else 'ies'} with the sum 1",
    )
    array = _array(name, value, allowed, lambda s: len(s) in (1, 2) and s[-1] == outputs, lambda a: a <= ROUNDED_SUM)
    array = array.astype(np.float64, copy=False)
    sums = np.exp(array).sum(axis=-1)
    if not (np.abs(sums - 1) <= ROUNDED_SUM).all():
        raise ValueError(f"{name} must be {allowed}, got the sum {sums.flat[np.abs(sums - 1).argmax()]:.10g}")
    return array


def dataset(prior: Any, counts: Any) -> tuple[Floats, Integers]:
    """A prior and one dataset that goes with it."""
    weights = prior_weights(prior)
    vector = count_vector(counts, len(weights))
    if vector.ndim != 1:
        raise ValueError(f"counts must be one dataset of {len(weights)} categories, got shape {vector.shape}")
    return weights, vector


def one_dataset(counts: Any) -> Integers:
    """One dataset over any k >= 2 categories."""
    shape = _numeric("counts", counts, "whole numbers >= 0").shape
    if len(shape) != 1 or shape[0] < 2:
        raise ValueError(f"counts must be one dataset of k >= 2 categories, got shape {shape}")
    return count_vector(counts, shape[0])


def generator(rng: Any) -> np.random.Generator:
    """A ``numpy.random.Generator``: functions that draw never make one themselves."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got rng={rng!r}")
    return rng
