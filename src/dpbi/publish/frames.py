"""Columns of data frames, Arrow tables and Parquet files: the different values of each, and which one each row has."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import Integers
from .records import text


class Factor(NamedTuple):
    """The number of each row's value among the values, -1 where there is none.

    >>> Factor(np.array([0, -1, 0]), ["yes"]).values
    ['yes']
    """

    numbers: Integers
    values: Iterable[Any]


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of Parquet, by its name or its first bytes; a folder is a table in several files.

    >>> is_parquet("people.parquet"), is_parquet("people.csv")
    (True, False)
    """
    if os.fspath(path).lower().endswith((".parquet", ".pq")) or os.path.isdir(path):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False  # whoever reads it will say why not


def parquet_factors(path: str | os.PathLike[str], names: Sequence[str]) -> list[Factor]:
    """Columns of a Parquet file, which pyarrow reads."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ValueError("data must be a CSV file where pyarrow is not there: pip install pyarrow") from None
    os.stat(path)
    try:
        dataset = parquet.ParquetDataset(path)
        return frame_factors(dataset.read(columns=_columns(dataset.schema.names, names)), names)
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split())
        raise ValueError(f"data must be a Parquet file, got {os.fspath(path)!r}: {why}") from None


def frame_factors(data: Any, names: Sequence[str]) -> list[Factor]:
    """Columns of a data frame of pandas or a table of Arrow.

    >>> import pandas as pd
    >>> (factor,) = frame_factors(pd.DataFrame({"a": ["x", None, "y", "x"]}), ["a"])
    >>> factor.numbers.tolist(), list(factor.values)
    ([0, -1, 1, 0], ['x', 'y'])
    """
    if hasattr(data, "column_names"):
        found = _columns(data.column_names, names)
        factors = _arrow_factor
    elif hasattr(data, "columns") and hasattr(data, "iloc"):
        found = _columns(list(data.columns), names)
        factors = _pandas_factor
    else:
        hint = ": for one column, release" if not hasattr(data, "to_arrow") else ": data.to_arrow() is one"
        allowed = "a file, a data frame of pandas or a table of Arrow"
        raise TypeError(f"data must be {allowed}, got {type(data).__name__}{hint}")
    made = []
    for name, column in zip(names, found, strict=True):
        try:
            made.append(factors(data[column]))
        except (TypeError, NotImplementedError):
            kind = getattr(data[column], "type", None) or data[column].dtype
            raise ValueError(f"values of column {name} must be single labels, got a column of {kind}") from None
    return made


def _columns(there: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """What the columns named are called there."""
    known = [text(name) if isinstance(name, str) else name for name in there]
    if lost := [name for name in names if known.count(name) != 1]:
        raise ValueError(f"data must have each declared column once, got {lost[0]!r} among {list(there)}")
    return [there[known.index(name)] for name in names]


def _pandas_factor(column: Any) -> Factor:
    return Factor(*column.factorize(use_na_sentinel=True))


def _arrow_factor(column: Any) -> Factor:
    """Values as they are: no whole number becomes a double because another is missing."""
    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    numbers = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Factor(numbers.astype(np.int64), encoded.dictionary.to_pylist())
