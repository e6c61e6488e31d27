"""Records as they come: a column of a file, and how many of its values are in each declared category."""

import csv
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from unicodedata import normalize

DROP = "drop"
"""The rule by which missing values are left out, and their number becomes public."""


def read_column(path: str | os.PathLike[str], column: str) -> Iterator[str]:
    r"""One column of a CSV file with a header, as text without surrounding blanks; a short row's value is empty.

    Accents are composed, so that it does not matter how a system stores them. A blank line is no row, unless the column
    is the only one: then it is an empty value.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "answers.csv"
    ...     _ = file.write_text("id,answer\n1,yes\n2,no\n")
    ...     list(read_column(file, "answer"))
    ['yes', 'no']
    """
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            header = [text(name) for name in next(rows, [])]
            if header.count(text(column)) != 1:
                named = ", ".join(header) or "none, the file is empty"
                raise ValueError(f"column must be the name of one column, of {named}, got {column!r}")
            place = header.index(text(column))
            for row in rows:
                if any(field.strip() for field in row[len(header) :]):
                    raise ValueError(
                        f"data must have as many fields in a row as in the header, {len(header)}, "
                        f"got {len(row)} in line {rows.line_num}"
                    )
                if row or len(header) == 1:
                    yield text(row[place]) if place < len(row) else ""
    except UnicodeDecodeError as error:
        raise ValueError(f"data must be a file of UTF-8 text, got {os.fspath(path)!r}: {error.reason}") from None
    except csv.Error as error:
        raise ValueError(f"data must be a CSV file, got {os.fspath(path)!r}: {error}") from None


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
        if not isinstance(value, Hashable):
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


def is_missing(value: Hashable) -> bool:
    """Whether a value says that there is none."""
    if value is None or value == "":
        return True
    try:
        return bool(value != value)  # nan differs from itself
    except TypeError:  # so does pandas.NA, and does not say so
        return True
