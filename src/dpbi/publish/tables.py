"""Several columns, many questions, one budget: the counts of every question, each with noise of its own.

Each question is a margin of the table. Its noise has the budget that the schema gives it, in units of rows: where a
person may own m rows, a replaced person changes at most m of them, so that noise of budget e / m for a row costs e for
a person; in rho, which grows with the square, it is rho / m^2. The budgets of the questions add up.
"""

import os
import platform
from collections.abc import Iterable, Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np

from ..checks import Integers
from ..inference import within_work
from ..progress import Progress, shown
from .declarations import Column, Schema
from .frames import frame_factors, is_parquet, parquet_factors
from .journal import now
from .receipts import TableRelease, contents, drawn_by, guaranteed, plain, recomputed
from .records import DROP, is_missing, raw_columns, text
from .releases import carried_out, planned


def release_table(
    data: Any,
    schema: Schema,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    budget: str | os.PathLike[str] | None = None,
    limit: str | int | Fraction | None = None,
    data_set: str | None = None,
    progress: bool | Progress = False,
) -> TableRelease:
    r"""Release the questions of a schema about a table privately, under one budget and with one receipt.

    ``data`` is a CSV or Parquet file, a data frame of pandas or a table of Arrow. What is not declared is an error, and
    nothing is spent by it.

    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from dpbi.publish import schema
    >>> columns = {"a": {"categories": ["x", "y"]}, "b": {"cuts": [0]}}
    >>> asked = schema({"epsilon": "1", "margins": [2], "columns": columns})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "data.csv"
    ...     _ = file.write_text("a,b\nx,1\ny,-2\ny,3\n")
    ...     done = release_table(file, asked)
    >>> sum(done.questions[0].noisy), done.questions[0].receipt["categories"]
    (3, ['x, below 0', 'x, 0 on', 'y, below 0', 'y, 0 on'])
    """
    counts, n = tabulated(data, schema)
    plan = planned(schema.price, out, force, budget, limit, data_set)
    rates = [question.price.of_a_row(schema.most) for question in schema.questions]
    work = 0.0
    for question, rate in zip(schema.questions, rates, strict=True):
        work += within_work(question.prior, n, rate.epsilon, schema.mechanism)
    facts = _facts(schema, n)
    rehearsed = [[n] + [0] * (len(x) - 1) for x in counts[:1]]
    first = {**facts, "questions": facts["questions"][:1], "noisy": rehearsed}
    if plan.out is not None:
        contents(recomputed(first))
    noise = drawn_by(schema.mechanism)
    told = shown(progress, "questions drawn")

    def draw() -> list[list[int]]:
        noisy = []
        for number, (x, rate) in enumerate(zip(counts, rates, strict=True), start=1):
            noisy.append(list(noise.drawn(x.tolist(), rate.amount)[0]))
            told(number, len(counts))
        return noisy

    done = carried_out(plan, facts, draw, shown(progress, "posteriors computed"))
    if not isinstance(done, TableRelease):
        raise TypeError("a table must be released as one")
    return done


def tabulated(data: Any, schema: Schema) -> tuple[list[Integers], int]:
    """The counts of every question and the number of rows, each person's bound held."""
    names = list(dict.fromkeys(name for question in schema.questions for name in question.columns))
    columns = [schema.columns[name] for name in names]
    places, owners = _placed(data, columns, schema.person)
    kept = np.ones(len(places[0]), dtype=bool)
    for place in places:
        kept &= place >= 0
    if not kept.any():
        raise ValueError("data must hold at least one row, got none")
    if owners is not None:
        rows = np.bincount(owners[kept])
        if rows.max() > schema.most:
            raise ValueError(f"rows of a person must be at most {schema.most}, as declared, got {rows.max()}")
    at = {name: place[kept] for name, place in zip(names, places, strict=True)}
    counts = []
    for question in schema.questions:
        sizes = [len(schema.columns[name].categories) for name in question.columns]
        cells = np.ravel_multi_index([at[name] for name in question.columns], sizes)
        counts.append(np.bincount(cells, minlength=int(np.prod(sizes))).astype(np.int64))
    return counts, int(kept.sum())


def _placed(data: Any, columns: Sequence[Column], person: str | None) -> tuple[list[Integers], Integers | None]:
    """For each column the category of every row, and whose row it is, as numbers."""
    names = [column.name for column in columns] + ([] if person is None else [person])
    codes = [_Codes(column) for column in columns] + ([] if person is None else [_Owners()])
    if isinstance(data, str | os.PathLike) and not is_parquet(data):
        for row in raw_columns(data, names):
            for code, field in zip(codes, row, strict=True):
                code.add(field)
        found = [np.array(code.rows, dtype=np.int64) for code in codes]
    else:
        factors = parquet_factors(data, names) if isinstance(data, str | os.PathLike) else frame_factors(data, names)
        found = [_factorized(code, *factor) for code, factor in zip(codes, factors, strict=True)]
    return (found, None) if person is None else (found[:-1], found[-1])


class _Codes:
    """The category of one field after another; what a field means is worked out once."""

    def __init__(self, column: Column) -> None:
        self.column, self.rows, self.known = column, list[int](), dict[Any, int]()

    def add(self, field: str) -> None:
        code = self.known.get(field)
        if code is None:
            code = self.known[field] = self.code(text(field), len(self.rows) + 1)
        self.rows.append(code)

    def code(self, value: Any, row: int) -> int:
        try:
            return self.column.place_missing() if self.column.is_blank(value) else self.column.place(value)
        except ValueError as error:
            raise ValueError(f"values of column {self.column.name} must be {error} in row {row}") from None


class _Owners(_Codes):
    """Whose row it is: a number for each name."""

    def __init__(self) -> None:
        super().__init__(Column("person", (), None, None))

    def code(self, value: Any, row: int) -> int:
        if is_missing(value):
            raise ValueError(f"person must be known of every row, got none in row {row}")
        return len(self.known)


def _factorized(code: _Codes, numbers: Integers, values: Iterable[Any]) -> Integers:
    """The same for the rows of a frame, each the number of one of its different values or -1."""
    nothing = code.code(None, int(np.argmax(numbers < 0)) + 1) if (numbers < 0).any() else -1
    found = []
    for number, value in enumerate(values):
        known = text(value) if isinstance(value, str) else None if is_missing(value) else plain(value)
        place = code.known.get((type(known), known))
        if place is None:
            place = code.code(known, int(np.argmax(numbers == number)) + 1)
            code.known[type(known), known] = place
        found.append(place)
    placed: Integers = np.where(numbers < 0, nothing, np.array([*found, 0], dtype=np.int64)[numbers])
    return placed


def _facts(schema: Schema, n: int) -> dict[str, Any]:
    public = [
        "the number of rows n",
        "the schema: columns, categories, cuts, questions, priors, mechanism, budget and its split",
    ]
    if any(column.missing == DROP for column in schema.columns.values()):
        public.append("that rows with missing values were left out, and with n how many there were")
    rows = "one row" if schema.most == 1 else f"the rows of one person, at most {schema.most}"
    return {
        "mechanism": schema.mechanism,
        "guarantee": guaranteed(schema.price),
        "neighbours": f"two data sets of n rows that differ in {rows}, replaced",
        "n": n,
        "rows_per_person": schema.most if schema.person is not None else None,
        "columns": {
            name: {"categories": [plain(label) for label in column.categories]}
            | ({} if column.cuts is None else {"cuts": list(column.cuts)})
            | ({} if column.missing is None else {"missing": plain(column.missing)})
            | ({"blank": list(column.blank)} if column.blank else {})
            for name, column in schema.columns.items()
        },
        "questions": [
            {
                "columns": list(question.columns),
                **question.price.said,
                f"{schema.price.currency}_of_a_row": str(question.price.of_a_row(schema.most).amount),
                "cells": schema.cells(question),
                "prior": list(question.prior),
            }
            for question in schema.questions
        ],
        "noise": "drawn exactly, by integer arithmetic from the operating system's entropy",
        "private": ["which rows are in which cell"],
        "public": public,
        "not_covered": ["the time that the computation took", "other releases from the same rows"],
        "library": {"dpbi": version("dpbi"), "python": platform.python_version()},
        "date": now(),
    }
