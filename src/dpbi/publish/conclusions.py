"""Conclusions from receipts: releases of the same records are combined without access to the records."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import need
from ..inference import Joint, Margin, Noisy, Sampled, given_margins, given_releases
from ..mechanisms import releasable_mechanism
from ..progress import Progress
from .budget import price_in
from .receipts import legible, parts, receipt_in


def joint_posterior(
    releases: Sequence[str | os.PathLike[str] | Mapping[str, Any]],
    columns: Sequence[str] | None = None,
) -> Joint:
    """The posterior of all shares given several releases of the same records, under the prior of the first release.

    Args:
        releases: Folders or receipts of releases with the same categories and the same number of records
        columns: For tables, the columns of the question to use, in any order

    Returns:
        The joint posterior of the shares given all noisy counts: means, intervals and draws.

    Raises:
        ValueError: if the receipts show that the records differ, or if a release is given twice

    >>> from dpbi import release
    >>> spring = [release(["a", "a", "b"], ["a", "b"], [1, 1], "1/2").receipt for _ in range(2)]
    >>> round(sum(share.mean for share in joint_posterior(spring).shares), 12)
    1.0
    >>> joint_posterior([spring[0], dict(spring[0])])
    Traceback (most recent call last):
    ValueError: releases must be different, got one twice
    """
    asked = [question(receipt, columns) for receipt in _receipts(releases)]
    first, n = asked[0], asked[0]["n"]
    _same("columns in the same order, and categories", [(part.get("columns"), part["categories"]) for part in asked])
    near = [releasable_mechanism(one["mechanism"]).informative_part(one["noisy"], n) for one in asked]
    noisy = [Noisy(z, price_in(one["guarantee"]).epsilon, one["mechanism"]) for z, one in zip(near, asked, strict=True)]
    return given_releases(first["prior"], n, noisy)


class Together(NamedTuple):
    """Draws of a table given the noisy counts of all questions about it, with the categories of each column.

    >>> Together({"a": ["x", "y"]}, None, ()).left_out
    ()
    """

    columns: Mapping[str, Sequence[Any]]
    sampled: Sampled
    left_out: tuple[tuple[str, ...], ...]  # columns of the questions that were not used


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
    """Draws of a table of several columns given the noisy counts of all questions about it, from a Markov chain.

    The result includes diagnostics that show whether the chain has mixed.

    Args:
        releases: Folders or receipts of tables with the same records
        rng: Random number generator
        prior: Dirichlet parameters of the cells of the table in row order, or one number for all cells; the priors in
            the receipts are not used
        columns: Columns of the table, all by default; a question that involves another column is left out
        draws: Number of retained draws
        sweeps: Number of sweeps of the chain between two retained draws
        progress: Whether to show progress on standard error

    Returns:
        The draws, the categories of each column, and the questions that were not used.

    >>> from dpbi.publish import release_table, schema
    >>> import pandas as pd
    >>> sides = {"categories": ["x", "y"]}
    >>> asked = schema({"epsilon": "1", "margins": [1, 2], "columns": {"a": sides, "b": sides}})
    >>> receipt = release_table(pd.DataFrame({"a": list("xxyy"), "b": list("xyxx")}), asked).receipt
    >>> joint_table([receipt], np.random.default_rng(1)).sampled.counts.sum(axis=1)[:3]
    array([4, 4, 4])
    """
    receipts = _receipts(releases)
    need(all("questions" in one for one in receipts), "releases must be of tables, got one of a single column")
    asked = [part for receipt in receipts for part in parts(receipt)]
    present = list(dict.fromkeys(name for part in asked for name in part["columns"]))
    used = present if columns is None else _names(columns)
    good = used and len(set(used)) == len(used) and set(used) <= set(present)
    need(good, f"columns must be a list of different ones of {', '.join(present)}, got {', '.join(used) or 'none'}")
    known = {}
    for name in used:
        lists = [receipt["columns"][name]["categories"] for receipt in receipts if name in receipt["columns"]]
        _same(f"categories of {name}", lists)
        known[name] = lists[0]
    left_out = dict.fromkeys(tuple(part["columns"]) for part in asked if not set(part["columns"]) <= set(used))
    margins = []
    for part in (part for part in asked if tuple(part["columns"]) not in left_out):
        axes, epsilon = tuple(map(used.index, part["columns"])), price_in(part["guarantee"]).epsilon
        margins.append(Margin(axes, part["noisy"], epsilon, part["mechanism"]))
    sizes, n = list(map(len, known.values())), receipts[0]["n"]
    sampled = given_margins(prior, sizes, n, margins, rng, draws=draws, sweeps=sweeps, progress=progress)
    return Together(known, sampled, tuple(left_out))


def count_for_test(
    release: str | os.PathLike[str] | Mapping[str, Any],
    category: Any,
    columns: Sequence[str] | None = None,
    exact: bool = False,
) -> dict[str, Any]:
    r"""Arguments n, release, category and uniform for ``p_value`` and for the bounds, taken from a receipt.

    An exact test breaks ties by a number U that is computed from the receipt's id, which was drawn before the noise and
    stored with the charge. U is the SHA-256 digest of a JSON list of the id, the columns of the question and the
    position of the category, divided by 2^256. If there are only two categories, the U of the second category is
    defined as 1 minus the U of the first, because otherwise the tests of the two categories would contradict each
    other. Over all ids, U is uniform, provided that SHA-256 behaves like a random function. Anyone who could draw the
    release again could choose U, so a release without a charge is refused. The question, the category, the side and the
    level of the test must be chosen without looking at the id.

    Args:
        release: Folder or receipt
        category: Label of the category; for a table, the labels of the cell, as in "yes, below 40"
        columns: For a table, the columns of the question, in any order
        exact: Whether to compute U, which is None otherwise

    Returns:
        The arguments by name; the noisy counts are exactly those in the receipt.

    Raises:
        ValueError: if ``exact`` is True and no budget file was charged

    >>> from dpbi import lower_bound, release
    >>> spring = release(["a", "a", "b"], ["a", "b"], [1, 1], "1/2").receipt
    >>> 0 <= lower_bound(**count_for_test(spring, "a"), level=0.95) <= 1
    True
    """
    (receipt,) = _receipts([release])
    part, number = question(receipt, columns), None
    labels = list(map(str, part["categories"]))
    named = category if isinstance(category, str) else checks.brief(category)
    need(named in labels, f"category must be one of {'; '.join(labels)}, got {checks.brief(category)}")
    place = labels.index(named)
    if checks.flag("exact", exact):
        paid = "of a release charged to a budget file, because any other could be drawn again until a test rejects"
        need(receipt.get("budget") and receipt.get("id"), f"receipt must be {paid}, got one without a charge")
        key = json.dumps([receipt["id"], part.get("columns"), 0 if len(labels) == 2 else place])
        drawn = Fraction(int.from_bytes(sha256(key.encode()).digest(), "big"), 2**256)
        number = 1 - drawn if len(labels) == 2 and place == 1 else drawn
    noisy = Noisy(part["noisy"], price_in(part["guarantee"]).epsilon, part["mechanism"])
    return {"n": part["n"], "release": noisy, "category": place, "uniform": number}


def _same(what: str, found: Sequence[Any]) -> None:
    for other in found:
        need(other == found[0], f"releases must have the same {what}, {found[0]}, got {other}")


def _receipts(releases: Sequence[str | os.PathLike[str] | Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The receipts of releases; an error if the receipts show that the records differ, or if a release is given twice.

    A release that is given twice would be treated as two releases with independent noise, and the intervals would be
    too short.
    """
    good = isinstance(releases, list | tuple) and all(isinstance(one, str | os.PathLike | Mapping) for one in releases)
    need(good and releases, f"releases must be a list of at least one folder or receipt, got {checks.brief(releases)}")
    receipts = [legible(one if isinstance(one, Mapping) else receipt_in(one)) for one in releases]
    ids = [receipt["id"] for receipt in receipts]  # a copy may differ in anything else
    need(all(one != other for one, other in combinations(ids, 2)), "releases must be different, got one twice")
    _same("n", [receipt["n"] for receipt in receipts])
    _same("data set", [receipt["budget"]["data_set"] for receipt in receipts if receipt.get("budget")])
    return receipts


def _names(columns: Any) -> list[str]:
    good = isinstance(columns, list | tuple) and all(isinstance(name, str) for name in columns)
    need(good, f"columns must be a list of names, got columns={checks.brief(columns)}")
    return list(columns)


def question(receipt: Mapping[str, Any], columns: Sequence[str] | None) -> dict[str, Any]:
    """The question of a release about exactly the given columns."""
    known = {tuple(sorted(part.get("columns", ()))): part for part in parts(receipt)}
    asked = tuple(sorted([] if columns is None else _names(columns)))
    names = " or ".join(f"'{', '.join(part.get('columns', ()))}'" for part in known.values())
    allowed = f"those of one question, {names}" if () not in known else "omitted for a release of one column"
    need(asked in known, f"columns must be {allowed}, got {', '.join(asked) or 'none'}")
    return known[asked]
