"""The schema of a table, declared before anybody looks at the data, and the counts of the table's cells.

A schema is a TOML file that declares columns, questions and budget. Everything in the file is public:

    epsilon = "1"                 # or rho = "1/50" and mechanism = "discrete_gaussian"
    margins = [1, 2]              # all one-way and two-way margins

    [columns.vote]
    categories = ["Clinton", "Dole"]
    missing = "drop"              # or a category

    [columns.age]
    cuts = [40, 50]               # numbers: below 40, 40 to below 50, 50 on
    missing = "unknown"           # or "drop"; with cuts, any other name adds a category
    blank = ["NA", -9]            # values that also count as missing

Questions may also be listed one by one: each ``[[questions]]`` has ``columns`` and, optionally, a ``share`` of the
budget and a ``prior``. A person may own up to ``rows_per_person`` rows; the column that ``person`` names identifies the
owner of each row.
"""

import os
import re
import tomllib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import isfinite, nan, prod
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..checks import Integers, brief, need, positive_fraction, whole
from .budget import Price, released_price
from .receipts import released_prior
from .records import coded, columns_of, is_missing, plain, records_of, text

DROP = "drop"  # the rule that leaves out rows with a missing value; the number of remaining rows is public
MAX_CELLS = 1000  # most cells of a question (chosen); `dpbi conclude --together` combines several questions
WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0*")  # an integer of at most 15 digits, written as a double

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)  # unlike float(), refuses 1_000

# Names of the kinds of values in a schema, for error messages.
WORDS = {int: "whole numbers", str: "strings", dict: "tables"}

# Keys that a schema may contain.
KEYS = {"columns", "epsilon", "margins", "mechanism", "person", "prior", "questions", "rho", "rows_per_person"}


class Column(NamedTuple):
    """A declared column: its categories, the cuts between them if it is numeric, and its rule for missing values.

    A declared 1 also matches 1.0, because data frames turn a column of integers into doubles if a value is missing. A
    declared Boolean also matches the word true or false in upper or lower case. ``blank`` lists values that count as
    missing.
    """

    name: str
    categories: tuple[Any, ...]
    cuts: tuple[float, ...] | None = None
    missing: Any = None
    blank: tuple[str | int, ...] = ()

    @property
    def entry(self) -> dict[str, Any]:
        """The column as it is described in a receipt."""
        missing = "" if self.missing is None else plain(self.missing)  # 0 and false may be categories
        about = {"cuts": list(self.cuts or ()), "missing": missing, "blank": list(self.blank)}
        given = {key: one for key, one in about.items() if one not in ("", [])}
        return {"categories": list(map(plain, self.categories)), **given}

    def code(self, value: Any) -> int:
        """Index of the category of a value, or -1 if the row with this value is left out.

        >>> Column("age", ("below 40", "40 on"), (40.0,), "drop", ("NA", -9)).code("39.5")
        0
        """
        values = f"values of column {self.name} must" if self.name else "values must"
        if is_missing(value) or any(_meant(one, value) for one in self.blank):
            rule = f"without a rule (missing or --missing: {DROP!r} or a category)"
            need(self.missing is not None, f"{values} not be missing {rule}, got none")
            return -1 if self.missing == DROP else self.categories.index(self.missing)
        if self.cuts is not None:
            number = nan
            if not isinstance(value, bool | bytes) and (not isinstance(value, str) or DECIMAL.fullmatch(value)):
                with suppress(TypeError, ValueError):
                    number = float(value)
            need(isfinite(number), f"{values} be finite numbers, got {brief(value)}")
            return int(np.searchsorted(self.cuts, number, side="right"))
        found = [place for place, label in enumerate(self.categories) if _meant(label, value)]
        allowed = ", ".join(map(str, self.categories[:50])) + ", ..." * (len(self.categories) > 50)
        need(len(found) == 1, f"{values} be one of the declared categories {allowed}, got {brief(value)}")
        return found[0]


def _meant(label: Any, value: Any) -> bool:
    """Whether a value matches a label: the strings are equal, or the value is 1.0 for the label 1 or TRUE for true."""
    if label == value:
        return True
    if isinstance(label, bool) or isinstance(value, bool):
        return str(label).lower() == str(value).lower()
    as_whole = WHOLE.fullmatch(str(value))
    same = isinstance(label, int | np.integer) and as_whole is not None and int(as_whole[1]) == label
    return same or str(label) == str(value)


class Question(NamedTuple):
    """A margin to be released: its columns, the prior of its cells in row order, and its part of the budget."""

    columns: tuple[str, ...]
    prior: tuple[float, ...]
    price: Price


class Schema(NamedTuple):
    """A declared table: columns by name, questions, total budget, mechanism, and the largest number of rows per person.

    >>> str(schema({"epsilon": "1/2", "margins": [1], "columns": {"a": {"categories": ["x", "y"]}}}).price)
    'epsilon 1/2'
    """

    columns: Mapping[str, Column]
    questions: tuple[Question, ...]
    price: Price
    mechanism: str
    person: str | None = None
    most: int = 1

    def entry(self, question: Question) -> dict[str, Any]:
        """A question as it is described in a receipt, with its columns, prices, and cells in row order."""
        lists, price = [self.columns[name].categories for name in question.columns], question.price
        row = {f"{price.currency}_of_a_row": str(price.of_a_row(self.most).amount)}
        cells = [", ".join(map(str, cell)) for cell in product(*lists)]
        return {"columns": list(question.columns), **price.entry, **row, "cells": cells, "prior": list(question.prior)}


def read_schema(path: str | os.PathLike[str]) -> Schema:
    r"""Read and check the schema in a TOML file; the docstring of this module shows the format.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "schema.toml"
    ...     _ = file.write_text("epsilon = '1/2'\nmargins = [1]\ncolumns = {a = {cuts = [0]}}")
    ...     str(read_schema(file).price)
    'epsilon 1/2'
    """
    try:
        return schema(tomllib.loads(checks.path("path", path).read_text("utf-8-sig")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"schema must be a TOML file of UTF-8 text, got {os.fspath(path)!r}: {error}") from None


def schema(spec: Mapping[str, Any]) -> Schema:
    """Check a schema that is given as a mapping, in the form of a parsed TOML file.

    >>> s = schema({"epsilon": "1", "margins": [1], "columns": {"a": {"categories": ["x", "y"]}, "b": {"cuts": [0]}}})
    >>> [(question.columns, str(question.price.amount)) for question in s.questions], s.columns["b"].categories
    ([(('a',), '1/2'), (('b',), '1/2')], ('below 0', '0 on'))
    """
    need(isinstance(spec, Mapping), f"schema must be a mapping in the form of a TOML file, got {brief(spec)}")
    spec = _texts(spec)
    _known("schema", spec, KEYS)
    given = spec.get("columns")
    need(isinstance(given, Mapping) and given, "columns must be declared, a table [columns.NAME] for each, got none")
    mechanism = spec.get("mechanism", "lattice_laplace")
    price = released_price(mechanism, spec.get("epsilon"), spec.get("rho"))
    person, most = spec.get("person"), whole("rows_per_person", spec.get("rows_per_person", 1), least=1, below=10_001)
    need(isinstance(person, str | None), f"person must be the name of a column, got {brief(person)}")
    need(person or most == 1, "person must name the column that identifies the owners of rows, got none")
    columns = {}
    for name, about in spec["columns"].items():
        try:
            columns[name] = column_of(name, about)
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {name}: {error}") from None
    asked = _asked(spec, columns)
    sizes = [prod(len(columns[name].categories) for name in question["columns"]) for question in asked]
    shares = _shares([question.get("share") for question in asked], sizes, price.currency)
    questions = []
    for question, cells, share in zip(asked, sizes, shares, strict=True):
        names = ", ".join(question["columns"])
        need(cells <= MAX_CELLS, f"questions must have at most {MAX_CELLS} cells, got {cells} of {names}")
        prior, part = question.get("prior", spec.get("prior", 1)), price._replace(amount=price.amount * share)
        try:
            released_price(mechanism, **part.of_a_row(most).entry)  # raises an error if the part is too small
            weights = released_prior([float(prior)] * cells if type(prior) in (int, float) else prior, cells)
        except (TypeError, ValueError) as error:
            raise ValueError(f"question {names}: {error}") from None
        questions.append(Question(tuple(question["columns"]), tuple(weights.tolist()), part))
    return Schema(columns, tuple(questions), price, mechanism, person, most)


def _texts(value: Any) -> Any:
    """A value of a schema, with its strings normalised in the same way as the strings of the records."""
    if isinstance(value, Mapping):
        return {_texts(key): _texts(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(one) for one in value]
    return text(value) if isinstance(value, str) else value


def _listed(spec: Mapping[str, Any], what: str, kind: type) -> list[Any]:
    """The list under a key of a schema, empty if the key is missing; all values must be of one type."""
    found = spec.get(what, [])
    good = isinstance(found, list) and all(type(one) is kind for one in found)
    need(good, f"{what} must be a list of {WORDS[kind]}, got {brief(found)}")
    return list(found)


def _known(what: str, spec: Mapping[str, Any], keys: set[str]) -> None:
    """Check that a mapping has no unknown keys; a misspelt key would otherwise be ignored."""
    other = ", ".join(sorted(set(spec) - keys))
    need(not other, f"{what} must have no keys but {', '.join(sorted(keys))}, got {other}")


def column_of(name: str, about: Any) -> Column:
    """Check the declaration of a column, a mapping with categories or cuts.

    Categories must be a list or a tuple. An array or a set may have been computed from the records, and which values
    occur in the records is private.

    >>> column_of("age", {"cuts": [40], "missing": "unknown"}).categories
    ('below 40', '40 on', 'unknown')
    """
    about = _texts(about)
    need(isinstance(about, Mapping), f"it must be a table with categories or cuts, got {brief(about)}")
    _known("it", about, {"blank", "categories", "cuts", "missing"})
    need(("categories" in about) != ("cuts" in about), "it must have categories or cuts, and not both")
    missing, blank, cuts = about.get("missing"), about.get("blank", []), about.get("cuts")
    if "cuts" in about:
        good: Any = isinstance(cuts, list) and cuts and all(type(cut) in (int, float) and isfinite(cut) for cut in cuts)
        good = good and all(a < b for a, b in pairwise(cuts))
        need(good, f"cuts must be one or more numbers in ascending order, got {brief(cuts)}")
        between = [f"{a} to below {b}" for a, b in pairwise(cuts)]
        labels: Any = (f"below {cuts[0]}", *between, f"{cuts[-1]} on")
        if isinstance(missing, str) and missing not in ("", DROP, *labels):
            labels += (missing,)
    else:
        labels = about["categories"]
        good = isinstance(labels, list | tuple) and len(labels) >= 2 and all(isinstance(x, Hashable) for x in labels)
        good = good and len(set(map(str, labels))) == len(labels) and not any(map(is_missing, labels))
        rule = "at least two labels that differ as text, in a list that was declared and not taken from the records"
        need(good, f"categories must be {rule}, got categories={brief(labels)}")
    need(isinstance(missing, Hashable), f"missing must be {DROP!r} or a declared category, got {brief(missing)}")
    need(missing in (None, DROP, *labels), f"missing must be {DROP!r} or a declared category, got {brief(missing)}")
    good = isinstance(blank, list) and all(type(one) is int or (isinstance(one, str) and one) for one in blank)
    need(good, f"blank must be a list of strings or integers, got {brief(blank)}")
    both = [one for one in blank if str(one) in map(str, labels)]
    need(not both, f"blank must contain no category, got {brief(both)}")
    return Column(name, tuple(labels), cuts and tuple(map(float, cuts)), missing, tuple(blank))


def _asked(spec: Mapping[str, Any], columns: Mapping[str, Column]) -> list[Mapping[str, Any]]:
    """All checked questions of a schema: first the margins, then the listed questions."""
    asked: list[Mapping[str, Any]] = []
    for way in _listed(spec, "margins", int):
        need(1 <= way <= len(columns), f"margins must be numbers of columns, 1 to {len(columns)}, got {way}")
        asked += [{"columns": list(names)} for names in combinations(columns, way)]
    for question in (asked := asked + _listed(spec, "questions", dict)):
        _known("a question", question, {"columns", "prior", "share"})
        names = _listed(question, "columns", str)
        good = names and set(names) <= set(columns) and len(set(names)) == len(names)
        need(good, f"questions must be about different declared columns, {', '.join(columns)}, got {brief(names)}")
    need(asked, "questions must be asked, by margins or [[questions]], got none")
    alike = len({frozenset(question["columns"]) for question in asked}) < len(asked)
    need(not alike, "questions must be different, got the same columns twice")
    return asked


def _shares(given: Sequence[Any], sizes: Sequence[int], currency: str) -> list[Fraction]:
    r"""The fraction of the budget that each question gets; the fractions add up to 1.

    If no shares are given, a question with K cells gets a fraction proportional to \(K^{1/3}\), rounded to three
    decimals. These fractions minimise the total squared error, because noise of budget \(\varepsilon\) has a squared
    error of about \(8K / \varepsilon^2\) over the K cells. Noise of budget \(\rho\) has a squared error of \(K /
    \rho\), so with a budget in rho the fractions are proportional to \(K^{1/2}\).
    """
    if all(share is None for share in given):
        weights = [round(1000 * cells ** (1 / 3 if currency == "epsilon" else 1 / 2)) for cells in sizes]
        return [Fraction(weight, sum(weights)) for weight in weights]
    need(None not in given, "share must be given for all questions or for none, got some without")
    shares = [positive_fraction("share", share, 1) for share in given]
    need(sum(shares) == 1, f"shares must add up to 1, got {sum(shares)}")
    return shares


def tally(data: Iterable[Hashable], categories: Sequence[Hashable], missing: Hashable = None) -> tuple[int, ...]:
    """Number of records in each category; a value outside the categories is an error.

    Args:
        data: The value of each record
        categories: Declared labels
        missing: What is done with values that are None, nan or empty: "drop", or the category that they get; by
            default, such a value is an error

    Returns:
        The count of each category, in the order of the categories.

    >>> tally(["yes", "no", "yes", ""], ["yes", "no"], missing="drop")
    (2, 1)
    """
    column = column_of("", {"categories": categories, "missing": missing})
    codes = coded(records_of(data), column.code)
    need((codes >= 0).any(), "data must contain at least one record, got none")
    return tuple(np.bincount(codes[codes >= 0], minlength=len(column.categories)).tolist())


def tabulated(data: Any, schema: Schema) -> tuple[list[Integers], int]:
    """The counts for every question and the number of retained rows; an error if a person owns too many rows.

    >>> import pandas as pd
    >>> asked = schema({"epsilon": "1", "margins": [1], "columns": {"a": {"categories": ["x", "y"]}}})
    >>> tabulated(pd.DataFrame({"a": ["x", "y", "y"]}), asked)
    ([array([1, 2])], 3)
    """
    need(isinstance(schema, Schema), f"schema must be a Schema, read_schema(path) for instance, got {brief(schema)}")
    names = list(dict.fromkeys(name for question in schema.questions for name in question.columns))
    found = columns_of(data, names if schema.person is None else [*names, schema.person])
    at = {name: coded(column, schema.columns[name].code) for name, column in zip(names, found, strict=False)}
    kept = np.all([codes >= 0 for codes in at.values()], axis=0)
    need(kept.any(), "data must contain at least one row with a category in each column, got none")
    if schema.person is not None:
        people: dict[Any, int] = {}
        owners = coded(found[-1], lambda name: -1 if is_missing(name) else people.setdefault(name, len(people)))[kept]
        need((owners >= 0).all(), "person must be given in every row, got a row without a person")
        rows = np.bincount(owners).max()
        need(rows <= schema.most, f"rows of a person must be at most {schema.most}, as declared, got {rows}")
    counts = []
    for question in schema.questions:
        sizes = [len(schema.columns[name].categories) for name in question.columns]
        cells = np.ravel_multi_index([at[name][kept] for name in question.columns], sizes)
        counts.append(np.bincount(cells, minlength=prod(sizes)).astype(np.int64))
    return counts, int(kept.sum())
