"""From receipts to conclusions: releases of the same records put together, without the records."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..inference import Joint, Margin, Noisy, Sampled, given_margins, given_releases
from ..progress import Progress
from .budget import price_in
from .folders import receipt_in
from .receipts import drawn_by, legible, parts, released_prior


def joint_posterior(
    releases: Sequence[str | os.PathLike[str] | Mapping[str, Any]],
    prior: ArrayLike | None = None,
    columns: Sequence[str] | None = None,
) -> Joint:
    """The posterior of all shares given releases of the same records, by their folders or receipts.

    All must be about the same categories and the same number of records; of tables, the question about ``columns``, in
    whatever order. The prior is that of the first, unless one is given.

    >>> from dpbi import release
    >>> spring = [release(["a", "a", "b"], ["a", "b"], [1, 1], "1/2").receipt for _ in range(2)]
    >>> round(sum(share.mean for share in joint_posterior(spring).shares), 12)
    1.0
    """
    if isinstance(releases, str | os.PathLike | Mapping) or not releases:
        raise ValueError("releases must be a list of at least one folder or receipt")
    asked = [_asked(dict(one) if isinstance(one, Mapping) else receipt_in(one), columns) for one in releases]
    _same(asked, ("categories", "n"))
    first = asked[0]
    alpha = released_prior(first[0]["prior"] if prior is None else prior, len(first[0]["categories"]))
    noisy = []
    for receipt, _ in asked:
        near = drawn_by(receipt["mechanism"]).told(receipt["noisy"], receipt["n"])
        noisy.append(Noisy(near, price_in(receipt["guarantee"]).epsilon, receipt["mechanism"]))
    return given_releases(alpha, first[0]["n"], noisy)


class Together(NamedTuple):
    """A table given all questions about it: its columns, their categories, draws of all cells.

    >>> Together(("a",), (("x", "y"),), None, ()).left_out
    ()
    """

    columns: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    sampled: Sampled
    left_out: tuple[tuple[str, ...], ...]  # questions that are also about other columns


def joint_table(
    releases: Sequence[str | os.PathLike[str] | Mapping[str, Any]],
    rng: np.random.Generator,
    prior: ArrayLike = 1,
    columns: Sequence[str] | None = None,
    *,
    draws: int = 1000,
    sweeps: int = 4,
    progress: bool | Progress = False,
) -> Together:
    """Draws of a table of several columns given all that releases of it say, by a chain that says whether it has mixed.

    The table has the columns named, of which there may be too many otherwise, or all; questions that are also about
    other columns are left out. ``prior`` is one number for each cell in row order, or one for all: the prior of the
    whole table, whatever prior each question was released with.

    >>> from dpbi.publish import release_table, schema
    >>> import pandas as pd
    >>> sides = {"categories": ["x", "y"]}
    >>> asked = schema({"epsilon": "1", "margins": [1, 2], "columns": {"a": sides, "b": sides}})
    >>> receipt = release_table(pd.DataFrame({"a": list("xxyy"), "b": list("xyxx")}), asked).receipt
    >>> joint_table([receipt], np.random.default_rng(1)).sampled.counts.sum(axis=1)[:3]
    array([4, 4, 4])
    """
    if isinstance(releases, str | os.PathLike | Mapping) or not releases:
        raise ValueError("releases must be a list of at least one folder or receipt")
    receipts = [dict(one) if isinstance(one, Mapping) else receipt_in(one) for one in releases]
    for receipt in receipts:
        legible(receipt)
        if "questions" not in receipt:
            raise ValueError("releases must be of tables, got one of a single column")
    _same([(receipt, _data_set(receipt)) for receipt in receipts], ("n",))
    known: dict[str, tuple[Any, ...]] = {}
    for receipt in receipts:
        for name, about in receipt["columns"].items():
            if known.setdefault(name, tuple(about["categories"])) != tuple(about["categories"]):
                raise ValueError(f"releases must have the same categories of {name}, {known[name]}, got others")
    every = [
        (tuple(question["columns"]), part)
        for receipt in receipts
        for question, part in zip(receipt["questions"], parts(receipt), strict=True)
    ]
    told = dict.fromkeys(name for names, _ in every for name in names)
    used = tuple(told if columns is None else columns)
    if not used or len(set(used)) < len(used) or not set(used) <= set(told):
        raise ValueError(f"columns must be different ones, of {', '.join(told)}, got {', '.join(used) or 'none'}")
    margins = [
        Margin(
            tuple(used.index(name) for name in names),
            part["noisy"],
            price_in(part["guarantee"]).epsilon,
            part["mechanism"],
        )
        for names, part in every
        if set(names) <= set(used)
    ]
    sampled = given_margins(
        prior,
        [len(known[name]) for name in used],
        receipts[0]["n"],
        margins,
        rng,
        draws=draws,
        sweeps=sweeps,
        progress=progress,
    )
    left_out = dict.fromkeys(names for names, _ in every if not set(names) <= set(used))
    return Together(used, tuple(known[name] for name in used), sampled, tuple(left_out))


def _same(asked: Sequence[tuple[Mapping[str, Any], Any]], names: Sequence[str]) -> None:
    """Refuse releases of different records."""
    first, whose = asked[0]
    for number, (receipt, told) in enumerate(asked[1:], start=2):
        for what in names:
            if receipt[what] != first[what]:
                raise ValueError(f"releases must have the same {what}, {first[what]}, got {receipt[what]}")
        if None not in (told, whose) and told != whose:
            raise ValueError(f"releases must be of one data set, {whose}, got number {number} of {told}")


def _data_set(receipt: Mapping[str, Any]) -> Any:
    journal = receipt.get("journal")
    return journal.get("data") if isinstance(journal, Mapping) else None


def _asked(receipt: dict[str, Any], columns: Sequence[str] | None) -> tuple[dict[str, Any], Any]:
    """The receipt of the question that is meant, and the name of the data set if it is known."""
    legible(receipt)
    name = _data_set(receipt)
    if "questions" not in receipt:
        if columns is not None:
            raise ValueError(f"columns must be left away for a release of one column, got {', '.join(columns)}")
        return receipt, name
    questions = [question["columns"] for question in receipt["questions"]]
    found = [number for number, question in enumerate(questions) if columns and set(question) == set(columns)]
    if not found or len(columns or ()) != len(questions[found[0]]):
        allowed = "; ".join(", ".join(one) for one in questions)
        raise ValueError(
            f"columns must be those of a question, of {allowed}, got {', '.join(columns) if columns else 'none'}"
        )
    return parts(receipt)[found[0]], name
