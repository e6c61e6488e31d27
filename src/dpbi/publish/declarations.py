"""What is declared about a table before anybody looks at it: columns, questions, one budget.

A schema is a TOML file. Everything in it is public:

    epsilon = "1"                 # or rho = "1/50" and mechanism = "discrete_gaussian"
    margins = [1, 2]              # all one-way and two-way margins

    [columns.vote]
    categories = ["Clinton", "Dole"]
    missing = "drop"              # or a category

    [columns.age]
    cuts = [40, 50]               # numbers: below 40, 40 to below 50, 50 on
    missing = "unknown"           # or "drop"; beside cuts a name makes one more category
    blank = ["NA", -9]            # what also stands for a missing value

Questions may be listed one by one (``[[questions]]`` with ``columns``, and perhaps ``share`` of the budget and
``prior``), or be the conditional tables of a network (``[network]`` with ``vote = ["age"]``: child and parents). A
person may own several rows, at most ``rows_per_person``, told apart by the column ``person``.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import Floats
from .budget import Price, positive_fraction
from .receipts import drawn_by, released_price, released_prior
from .records import DROP, declared, is_missing, text

LARGEST_TABLE = 1000
"""Cells that one question may have."""

WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]{0,14}))\.0*")
"""A whole number as a double writes it, with as many digits as every double has."""

KEYS = {
    "columns", "epsilon", "margins", "mechanism", "network", "person", "prior", "questions", "rho", "rows_per_person",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column's categories; for numbers the cuts between them; what a missing value becomes.

    A declared whole number is also met by 1.0, which tables make of a 1 wherever another value is missing, and a
    declared truth value by its word in capitals.
    """

    name: str
    categories: tuple[Any, ...]
    cuts: tuple[float, ...] | None
    missing: Any
    blank: tuple[str | int, ...] = ()

    def place(self, value: Any) -> int:
        """Which category a value is in, -1 if its row is left out; the value is not missing, or its rule is applied.

        >>> Column("age", ("below 40", "40 on"), (40.0,), None).place("39.5")
        0
        """
        if self.cuts is None:
            if value in self.categories:
                return self.categories.index(value)
            texts = list(map(str, self.categories))
            if str(value) in texts:
                return texts.index(str(value))
            meant = [place for place, label in enumerate(self.categories) if _same(label, value)]
            if len(meant) != 1:
                raise ValueError(f"one of the declared categories {', '.join(texts)}, got {value!r}")
            return meant[0]
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not isfinite(number):
            raise ValueError(f"a finite number, got {value!r}")
        return int(np.searchsorted(self.cuts, number, side="right"))

    def is_blank(self, value: Any) -> bool:
        """Whether a value says that there is none, by itself or as declared.

        >>> Column("age", ("below 40", "40 on"), (40.0,), "drop", ("NA", -9)).is_blank("-9.0")
        True
        """
        return is_missing(value) or any(str(value) == str(one) or _same(one, value) for one in self.blank)

    def place_missing(self) -> int:
        """Which category a missing value is in, -1 if its row is left out."""
        if self.missing is None:
            rule = f"missing = {DROP!r} or a category"
            raise ValueError(f"there where no rule for missing ones is declared ({rule}), got none")
        return -1 if self.missing == DROP else self.categories.index(self.missing)


def _same(label: Any, value: Any) -> bool:
    """Whether a value that is not written as a label is means it: 1.0 a declared 1, TRUE a declared true."""
    if isinstance(label, bool) or isinstance(value, bool):
        return str(label).lower() == str(value).lower()
    whole = WHOLE.fullmatch(str(value))
    return isinstance(label, int | np.integer) and whole is not None and int(whole[1]) == label


@dataclass(frozen=True)
class Question:
    """A margin: its columns, the prior of its cells in row order, and the budget that it gets."""

    columns: tuple[str, ...]
    prior: tuple[float, ...]
    price: Price


@dataclass(frozen=True)
class Schema:
    """A declared table: its columns by name, its questions, the budget in all, and who owns rows.

    >>> schema({"epsilon": "1", "margins": [1], "columns": {"a": {"categories": ["x", "y"]}}}).most
    1
    """

    columns: Mapping[str, Column]
    questions: tuple[Question, ...]
    price: Price
    mechanism: str
    person: str | None
    most: int

    def cells(self, question: Question) -> list[str]:
        """The names of a question's cells in row order."""
        lists = [self.columns[name].categories for name in question.columns]
        return [", ".join(map(str, cell)) for cell in product(*lists)]


def read_schema(path: str | os.PathLike[str], epsilon: str | None = None, rho: str | None = None) -> Schema:
    r"""The schema of a TOML file; epsilon or rho may be given beside it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "schema.toml"
    ...     _ = file.write_text("margins = [1]\ncolumns = {a = {cuts = [0]}}")
    ...     str(read_schema(file, "1/2").price)
    'epsilon 1/2'
    """
    try:
        declared = tomllib.loads(Path(path).read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError(f"schema must be a file of UTF-8 text, got {os.fspath(path)!r}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"schema must be a TOML file, got {os.fspath(path)!r}: {error}") from None
    beside = {name: amount for name, amount in (("epsilon", epsilon), ("rho", rho)) if amount is not None}
    return schema({**declared, **beside})


def schema(said: Mapping[str, Any]) -> Schema:
    """The schema that a mapping declares.

    >>> s = schema({"epsilon": "1", "margins": [1], "columns": {"a": {"categories": ["x", "y"]}, "b": {"cuts": [0]}}})
    >>> [(question.columns, str(question.price.amount)) for question in s.questions], s.columns["b"].categories
    ([(('a',), '1/2'), (('b',), '1/2')], ('below 0', '0 on'))
    """
    _known("schema", said, KEYS)
    if not isinstance(said.get("columns"), Mapping) or not said["columns"]:
        raise ValueError("columns must be declared, a table [columns.NAME] for each, and there is none")
    mechanism = said.get("mechanism", "lattice_laplace")
    currency = drawn_by(mechanism).currency
    if "epsilon" not in said and "rho" not in said:
        raise ValueError(f'{currency} must be given, in the schema ({currency} = "1/2") or beside it, and it is not')
    columns = {text(name): _column(text(name), about) for name, about in said["columns"].items()}
    for name in ("epsilon", "rho"):
        if name in said and not isinstance(said[name], str | int | Fraction):
            raise ValueError(f'{name} must be an exact number, a text such as "1/2" or "0.5", got {said[name]!r}')
    price = released_price(mechanism, said.get("epsilon"), said.get("rho"))
    person, most = _owners(said)
    asked = _asked(said, columns)
    sizes = [prod(len(columns[name].categories) for name in names) for names, _, _ in asked]
    for (names, _, _), cells in zip(asked, sizes, strict=True):
        if cells > LARGEST_TABLE:
            raise ValueError(f"questions must have at most {LARGEST_TABLE} cells, got {cells} of {', '.join(names)}")
    shares = _shares([share for _, share, _ in asked], sizes, price.currency)
    questions = tuple(
        Question(names, tuple(_prior(prior, cells, names).tolist()), price.part(share))
        for (names, _, prior), cells, share in zip(asked, sizes, shares, strict=True)
    )
    for question in questions:
        released_price(mechanism, **question.price.of_a_row(most).said)
    return Schema(columns, questions, price, mechanism, person, most)


def _known(what: str, said: Mapping[str, Any], keys: set[str]) -> None:
    if other := sorted(set(said) - keys):
        raise ValueError(f"{what} must hold nothing but {', '.join(sorted(keys))}, got {other[0]}")


def _column(name: str, about: Any) -> Column:
    if not isinstance(about, Mapping):
        raise ValueError(f"columns must be tables with categories or cuts, got {name} = {about!r}")
    _known(f"column {name}", about, {"blank", "categories", "cuts", "missing"})
    if ("categories" in about) == ("cuts" in about):
        raise ValueError(f"column {name} must have categories or cuts, and not both")
    missing = about.get("missing")
    missing = text(missing) if isinstance(missing, str) else missing
    cuts = None
    if "cuts" in about:
        given = about["cuts"]
        numbers = isinstance(given, list) and all(type(cut) in (int, float) and isfinite(cut) for cut in given)
        if not numbers or not given or any(a >= b for a, b in zip(given, given[1:], strict=False)):
            raise ValueError(f"cuts of column {name} must be one or more numbers in ascending order, got {given!r}")
        cuts = tuple(map(float, given))
        between = [f"{a} to below {b}" for a, b in zip(given, given[1:], strict=False)]
        labels: tuple[Any, ...] = (f"below {given[0]}", *between, f"{given[-1]} on")
        if isinstance(missing, str) and missing and missing != DROP and missing not in labels:
            labels += (missing,)
    else:
        try:
            given = about["categories"]
            labels = declared([text(label) if isinstance(label, str) else label for label in given])
        except (TypeError, ValueError) as error:
            raise ValueError(f"column {name}: {error}") from None
        if len(set(map(str, labels))) < len(labels):
            raise ValueError(f"categories of column {name} must differ as text, got {given!r}")
    if missing is not None and missing != DROP and missing not in labels:
        allowed = f"{DROP!r} or a declared category"
        raise ValueError(f"missing of column {name} must be {allowed}, got {missing!r}")
    blank = about.get("blank", [])
    if not isinstance(blank, list) or not all(type(one) is int or (isinstance(one, str) and one) for one in blank):
        raise ValueError(f"blank of column {name} must be a list of texts or integers, got {blank!r}")
    blank = [text(one) if isinstance(one, str) else one for one in blank]
    if both := [one for one in blank if str(one) in map(str, labels)]:
        raise ValueError(f"blank of column {name} must hold no category, got {both[0]!r}")
    return Column(name, labels, cuts, missing, tuple(blank))


def _owners(said: Mapping[str, Any]) -> tuple[str | None, int]:
    person, most = said.get("person"), said.get("rows_per_person", 1)
    if person is not None and not isinstance(person, str):
        raise ValueError(f"person must be the name of a column, got {person!r}")
    if type(most) is not int or not 1 <= most <= 10_000:
        raise ValueError(f"rows_per_person must be an integer >= 1 and <= 10000, got {most!r}")
    if most > 1 and person is None:
        raise ValueError("person must name the column that tells owners of rows apart, so that rows_per_person holds")
    return None if person is None else text(person), most


def _asked(said: Mapping[str, Any], columns: Mapping[str, Column]) -> list[tuple[tuple[str, ...], Any, Any]]:
    """All questions: their columns, their share of the budget if it is given, their prior."""
    asked: list[tuple[tuple[str, ...], Any, Any]] = []
    common = said.get("prior", 1)
    margins = said.get("margins", [])
    if not isinstance(margins, list) or any(type(way) is not int or not 1 <= way <= len(columns) for way in margins):
        raise ValueError(f"margins must be a list of numbers of columns, 1 to {len(columns)}, got {margins!r}")
    for way in margins:
        asked += [(names, None, common) for names in combinations(columns, way)]
    network = said.get("network", {})
    if not isinstance(network, Mapping) or not all(isinstance(parents, list) for parents in network.values()):
        raise ValueError(f"network must be a table of lists, child = [parents], got {network!r}")
    _acyclic(network)
    asked += [((*map(text, parents), text(child)), None, common) for child, parents in network.items()]
    questions = said.get("questions", [])
    if not isinstance(questions, list) or not all(isinstance(question, Mapping) for question in questions):
        raise ValueError(f"questions must be tables [[questions]], got {questions!r}")
    for question in questions:
        _known("a question", question, {"columns", "prior", "share"})
        names = question.get("columns")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"columns of a question must be a list of names, got {names!r}")
        asked.append((tuple(map(text, names)), question.get("share"), question.get("prior", common)))
    for names, _, _ in asked:
        if unknown := [name for name in names if name not in columns]:
            raise ValueError(f"questions must be about declared columns, {', '.join(columns)}, got {unknown[0]!r}")
        if len(set(names)) < len(names):
            raise ValueError(f"questions must name a column once, got {', '.join(names)}")
    if not asked:
        raise ValueError("questions must be asked, by margins, a network or [[questions]], and there is none")
    if len({frozenset(names) for names, _, _ in asked}) < len(asked):
        raise ValueError("questions must be different, got the same columns twice")
    return asked


def _acyclic(network: Mapping[str, Sequence[str]]) -> None:
    """Refuse a network in which a column would be its own ancestor."""
    left = {child: set(parents) & set(network) for child, parents in network.items()}
    while left:
        roots = {child for child, parents in left.items() if not parents}
        if not roots:
            raise ValueError(f"network must have no circle, got one among {', '.join(left)}")
        left = {child: parents - roots for child, parents in left.items() if child not in roots}


def _shares(given: Sequence[Any], sizes: Sequence[int], currency: str) -> list[Fraction]:
    r"""The part of the budget of each question, in all 1.

    Without shares of their own, questions with K cells get parts in proportion to \(K^{1/3}\), to three digits: noise
    of budget \(\varepsilon\) has squared errors of about \(8K / \varepsilon^2\) in all, whose sum is least there. Of
    budget \(\rho\) they are \(K / \rho\), and the parts are in proportion to \(K^{1/2}\).
    """
    if all(share is None for share in given):
        power = 1 / 3 if currency == "epsilon" else 1 / 2
        weights = [round(1000 * cells**power) for cells in sizes]
        return [Fraction(weight, sum(weights)) for weight in weights]
    if any(share is None for share in given):
        raise ValueError("share must be given for all questions or for none, got some without")
    shares = [positive_fraction("share", share, 1) for share in given]
    if sum(shares) != 1:
        raise ValueError(f"shares must add up to 1, got {sum(shares)}")
    return shares


def _prior(prior: Any, cells: int, names: Sequence[str]) -> Floats:
    try:
        return released_prior([float(prior)] * cells if type(prior) in (int, float) else prior, cells)
    except (TypeError, ValueError) as error:
        raise ValueError(f"question {', '.join(names)}: {error}") from None
