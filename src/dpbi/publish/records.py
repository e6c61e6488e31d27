"""Functions that read records from CSV and Parquet files, data frames and lists, and encode their values."""

import csv
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np

from .. import checks, extras
from ..checks import Integers, need


class CsvColumn(list[str]):
    """The strings in a column of a CSV file, with the line number of each string.

    >>> CsvColumn(["yes"], [2]).lines
    [2]
    """

    def __init__(self, texts: Iterable[str], lines: Sequence[int]) -> None:
        super().__init__(texts)
        self.lines = lines


def read_column(path: str | os.PathLike[str], column: str) -> CsvColumn:
    r"""One column of a CSV file with a header, as strings without surrounding blanks.

    Accented letters are converted to one normal form (NFC), so that equal strings match on all systems.

    Args:
        path: CSV file in UTF-8 with a header
        column: Name of the column in the header

    Returns:
        The values in the order of the rows.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "answers.csv"
    ...     _ = file.write_text("id,answer\n1,yes\n2,no\n")
    ...     read_column(file, "answer")
    ['yes', 'no']
    """
    return _read_csv(checks.path("path", path), [column])[0]


def _read_csv(path: str | os.PathLike[str], names: Sequence[str]) -> list[CsvColumn]:
    """Columns of a CSV file with a header, whose fields are separated by commas, semicolons or tabs.

    Blank lines are skipped, except in a file with a single column, where a blank line is an empty value. Every row must
    have as many fields as the header, apart from additional empty fields. A quoted field may span several lines, but
    none of these lines may have as many fields as the header: otherwise a pair of stray quotes could merge many rows
    into one.
    """
    header, places, lines, found = list[str](), list[int](), list[int](), list[list[str]]()

    def fields(line: str, sign: str) -> int:
        return len(next(csv.reader([line], delimiter=sign), []))

    try:
        with open(path, encoding="utf-8-sig") as file:
            written = list(file)
        nul = next((number for number, line in enumerate(written, start=1) if "\0" in line), None)
        need(nul is None, f"data must be a text file, got a NUL character in line {nul} (UTF-16?)")
        between = max(",;\t", key=lambda sign: fields("".join(written[:1]), sign))
        rows = csv.reader(written, delimiter=between, strict=True)
        while (line := rows.line_num + 1) and (row := next(rows, None)) is not None:
            alone = any(fields(more, between) == len(header or row) for more in written[line : rows.line_num])
            # if the quotes are stray, the reader has merged such a line into another row
            allowed = "no line within quotes that could be a row of its own"
            need(not alone, f"data must have {allowed}, got one in lines {line} to {rows.line_num}")
            if not header:
                header, places = row, [_place(name, row) for name in names]
            elif row or len(header) == 1:
                whole = len(row or [""]) >= len(header) and not any(map(str.strip, row[len(header) :]))
                # additional fields are accepted if they are empty
                as_many = f"as many fields in a row as in the header, {len(header)}"
                need(whole, f"data must have {as_many}, got {len(row)} in line {line}")
                lines.append(line)
                found.append([text(row[place]) for place in places] if row else [""])
    except UnicodeDecodeError as error:
        kind = "UTF-16" if b"\0" in error.object[:64] else "LATIN1"
        packed = error.object.startswith((b"PK\3\4", b"PAR1", b"\x1f\x8b"))  # Excel or zip, Parquet, gzip
        hint = "save it as a CSV file" if packed else f"if it is {kind}, 'iconv -f {kind} -t UTF-8' converts it"
        raise ValueError(f"data must be a file of UTF-8 text, got {os.fspath(path)!r}: {hint}") from None
    except csv.Error as error:
        allowed = "a CSV file whose quotes are in pairs"
        raise ValueError(f"data must be {allowed}, got {os.fspath(path)!r}: {error} in line {line}") from None
    need(header, f"data must begin with a line of column names, got {os.fspath(path)!r} without one")
    return [CsvColumn([row[i] for row in found], lines) for i in range(len(names))]


def _place(name: str, header: Sequence[Any]) -> int:
    """The position of a named column in a header; exactly one column must have the name."""
    known = [text(one) if isinstance(one, str) else one for one in header]
    times = known.count(text(name)) if isinstance(name, str) else 0
    got = f"{name!r}, which {times} columns have" if times else checks.brief(name)
    need(times == 1, f"column must be the name of one column, of {', '.join(map(str, header))}, got {got}")
    return known.index(text(name))


def columns_of(data: Any, names: Sequence[str]) -> list[Any]:
    """The named columns of a table, as one list of values for each column.

    Args:
        data: Path of a CSV or Parquet file, a pandas data frame or an Arrow table
        names: Names of the columns

    >>> import pandas as pd
    >>> columns_of(pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}), ["b", "a"])
    [[1, 2], ['x', 'y']]
    """
    if isinstance(data, str | os.PathLike):
        if not os.fspath(data).lower().endswith((".parquet", ".pq")) and not os.path.isdir(data):
            return list(_read_csv(data, names))
        extras.require("data in a Parquet file", "pyarrow")
        from pyarrow import ArrowException, parquet

        os.stat(data)  # raises a FileNotFoundError whose message is clearer than Arrow's
        try:
            data = parquet.read_table(data)
        except (OSError, ArrowException) as error:
            why = " ".join(str(error).split())
            raise ValueError(f"data must be a Parquet file, got {os.fspath(data)!r}: {why}") from None
    arrow = hasattr(data, "column_names")
    hint = "data.to_arrow() is one" if hasattr(data, "to_arrow") else "for one column, use release"
    allowed = "a file, a pandas data frame or an Arrow table"
    need(arrow or hasattr(data, "iloc"), f"data must be {allowed}, got {type(data).__name__}: {hint}", TypeError)
    header = list(data.column_names if arrow else data.columns)
    return [list(records_of(data[header[_place(name, header)]])) for name in names]


def coded(values: Iterable[Any], code: Callable[[Any], int]) -> Integers:
    """The codes of values; ``code`` is called once for each distinct value.

    Args:
        values: Labels; every missing value is passed to ``code`` as None
        code: Function that returns the code of a label, for instance the number of its category

    Raises:
        ValueError: if ``code`` raises an error for a value; the message names the line or the row
    """
    known: dict[Any, int] = {}
    codes = []
    for row, value in enumerate(values):
        key = None if is_missing(value) else value
        try:
            if key not in known:
                known[key] = code(text(key) if isinstance(key, str) else key)
        except (TypeError, ValueError) as error:  # TypeError: a list, for instance, cannot be a key of a dictionary
            where = f"line {values.lines[row]}" if isinstance(values, CsvColumn) else f"row {row + 1}"
            what = f"values must be single labels, got {value!r}" if isinstance(error, TypeError) else error
            raise ValueError(f"{what} in {where}") from None
        codes.append(known[key])
    return np.array(codes, dtype=np.int64)


def records_of(values: Any) -> Any:
    """The records in a sequence or in a column of any data-frame library, as an iterable; else ``TypeError`` is raised.

    >>> records_of(("yes", "no"))
    ('yes', 'no')
    """
    table = hasattr(values, "columns") or getattr(values, "ndim", 1) != 1 or not isinstance(values, Iterable)
    if table or isinstance(values, str | bytes | Mapping | set | frozenset):
        hint = "use read_column(path, name) for a file, values[name] for a table"
        raise TypeError(f"data must be a column with a label for each record, got {type(values).__name__}: {hint}")
    return values.to_pylist() if hasattr(values, "to_pylist") else values


def text(field: str) -> str:
    """A string without surrounding blanks, with its accented letters in one normal form (NFC)."""
    return normalize("NFC", field.strip())


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, nan, an empty string, or a missing value of pandas.

    >>> import pandas as pd
    >>> [is_missing(value) for value in (None, "", float("nan"), pd.NA, pd.NaT, "no", 0)]
    [True, True, True, True, True, False, False]
    """
    try:
        return bool(value is None or value is np.ma.masked or value == "" or value != value)  # nan differs from itself
    except (TypeError, ArithmeticError):  # pandas.NA has no truth value, and a signalling nan cannot be compared
        return True


def plain(label: Any) -> Any:
    """A label as a value that JSON can represent: an integer or a string.

    >>> plain(np.int64(3)), plain(0.5)
    (3, '0.5')
    """
    whole = label.item() if isinstance(label, np.generic) else label
    return whole if isinstance(whole, str | int) else str(whole)
