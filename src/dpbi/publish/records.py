"""Records as they come: a column of a file, and how many of its values are in each declared category."""

import csv
import os
import warnings
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np

DROP = "drop"
"""The rule by which missing values are left out, and their number becomes public."""


def read_column(path: str | os.PathLike[str], column: str) -> Iterator[str]:
    r"""One column of a CSV file with a header, as text without surrounding blanks.

    Accents are composed, so that it does not matter how a system stores them.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "answers.csv"
    ...     _ = file.write_text("id,answer\n1,yes\n2,no\n")
    ...     list(read_column(file, "answer"))
    ['yes', 'no']
    """
    return (text(value) for (value,) in raw_columns(path, [column]))


def raw_columns(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[list[str]]:
    """Some columns of a CSV file with a header, row by row, as its fields are.

    A blank line is no row, unless the file has one column only: then it is an empty value. A row stands on one line and
    has as many fields as the header: a stray quote, which would make one row of many, is an error.
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            line = 0
            rows = csv.reader(file, strict=True)
            header = [text(name) for name in next(rows, [])]
            line = _one_line(rows.line_num, line) if header else 0
            places = [_place(header, column) for column in columns]
            for row in rows:
                line = _one_line(rows.line_num, line)
                if not row and len(header) == 1:
                    row = [""]
                if row and (len(row) < len(header) or any(field.strip() for field in row[len(header) :])):
                    raise ValueError(
                        f"data must have as many fields in a row as in the header, {len(header)}, "
                        f"got {len(row)} in line {line}"
                    )
                if "\0" in "".join(row):
                    raise ValueError(f"data must be a file of text, got a NUL character in line {line}")
                if row:
                    yield [row[place] for place in places]
    except UnicodeDecodeError as error:
        raise ValueError(f"data must be a file of UTF-8 text, got {os.fspath(path)!r}: {error.reason}") from None
    except csv.Error as error:
        raise ValueError(f"data must be a CSV file, got {os.fspath(path)!r}: {error} in line {line + 1}") from None


def _one_line(last: int, before: int) -> int:
    if last != before + 1:
        raise ValueError(
            f"data must have every row on one line, got a quote in line {before + 1} that is open until line {last}"
        )
    return last


def _place(header: Sequence[str], column: str) -> int:
    if header.count(text(column)) != 1:
        shown = ", ".join(header) or "none, the file is empty"
        raise ValueError(f"column must be the name of one column, of {shown}, got {column!r}")
    return header.index(text(column))


def text(field: str) -> str:
    """A field without surrounding blanks, its accents composed."""
    return normalize("NFC", field.strip())


def tally(values: Iterable[Hashable], categories: Sequence[Hashable], missing: Hashable = None) -> tuple[int, ...]:
    """How many values are in each category; every value has to be in one.

    >>> tally(["yes", "no", "yes", ""], ["yes", "no"], missing="drop")
    (2, 1)
    """
    place = {label: i for i, label in enumerate(categories)}
    if missing is not None and missing != DROP and missing not in place:
        raise ValueError(f"missing must be {DROP!r} or a declared category, got missing={missing!r}")
    x = [0] * len(categories)
    for row, value in enumerate(values, start=1):
        if not isinstance(value, Hashable) and value is not np.ma.masked:
            raise TypeError(f"values must be single labels, one for each record, got {value!r} in row {row}")
        if is_missing(value):
            if missing is None:
                raise ValueError(f"values must not be missing without a rule ({DROP!r} or a category), got row {row}")
            if missing == DROP and missing not in place:
                continue
            value = missing
        if value not in place:
            declared = ", ".join(map(str, categories))
            raise ValueError(f"values must be one of the declared categories {declared}, got {value!r} in row {row}")
        x[place[value]] += 1
    if sum(x) == 0:
        raise ValueError("values must hold at least one record, got none")
    return tuple(x)


def checked_values(values: Any) -> Iterable[Hashable]:
    """One record after another, from a sequence or a column of any library; what is no such thing is refused.

    >>> list(checked_values(("yes", "no")))
    ['yes', 'no']
    """
    allowed = "values must be one label for each record"
    if isinstance(values, str | bytes):
        raise TypeError(f"{allowed}, got one text: for a column of a file, read_column(path, column)")
    if isinstance(values, Mapping):
        raise TypeError(f"{allowed}, got a mapping: list(values.values()) are the labels if its keys are the records")
    if hasattr(values, "columns") or hasattr(values, "column_names"):
        raise TypeError(f"{allowed}, got a table: take one column, values[name], or release_table for several")
    if isinstance(values, set | frozenset):
        raise TypeError(f"{allowed}, got a set, in which equal labels are one")
    if getattr(values, "ndim", 1) != 1:
        raise TypeError(f"{allowed}, got an array of {values.ndim} axes: take one column, values[:, i]")
    if not isinstance(values, Iterable):
        raise TypeError(f"{allowed}, got {values!r}")
    return values.to_pylist() if hasattr(values, "to_pylist") else values


def declared(categories: Any) -> tuple[Hashable, ...]:
    """The labels of the categories; a warning if they look as if they were taken from the records."""
    if isinstance(categories, str | bytes) or not isinstance(categories, Collection):
        raise TypeError(f"categories must be a sequence of at least two labels, got categories={categories!r}")
    if isinstance(categories, set | frozenset):
        raise TypeError("categories must be a sequence of at least two labels, got a set, which has no order")
    labels = tuple(categories)
    if not all(isinstance(label, Hashable) for label in labels):
        raise TypeError(f"categories must be single labels, got categories={categories!r}")
    if len(labels) < 2 or len(set(labels)) < len(labels) or any(is_missing(label) for label in labels):
        raise ValueError(f"categories must be at least two different labels, got categories={labels!r}")
    if not isinstance(categories, list | tuple):
        kind = f"{type(categories).__module__}.{type(categories).__name__}"
        warnings.warn(
            f"categories must be declared and not taken from the records, which a {kind} may have been: what occurs "
            "gives records away. If they were declared, give a list",
            UserWarning,
            stacklevel=3,
        )
    return labels


def is_missing(value: Any) -> bool:
    """Whether a value says that there is none: None, nan, empty, and what pandas and Arrow have for it.

    >>> import pandas as pd
    >>> [is_missing(value) for value in (None, "", float("nan"), pd.NA, pd.NaT, "no", 0)]
    [True, True, True, True, True, False, False]
    """
    if value is None or value is np.ma.masked:
        return True
    if (valid := getattr(value, "is_valid", None)) is not None and not callable(valid):
        return not valid  # a scalar of Arrow
    try:
        return bool(value == "" or value != value)  # nan differs from itself
    except (TypeError, ArithmeticError):  # pandas.NA does not say so, and a signalling nan refuses to
        return True
