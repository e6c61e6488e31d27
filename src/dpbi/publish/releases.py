r"""Private posteriors from records; this is the only module that draws noise for publication.

Only mechanisms whose noise is drawn exactly are offered (``integer_noise``). The number of records, the categories and
the prior are public: categories are declared and never taken from the records, and the receipt states what was public.

A release is paid for before it is published: one transaction stores the charge and the noisy counts, and everything
that is published is computed from these stored values. The function ``resume`` can therefore write an interrupted
release without the records and at no further cost. Before the charge, the amount of work is checked against a limit,
and everything except the drawing of the noise is rehearsed with made-up counts: first with all records in one category,
then with the records spread evenly. The result of the rehearsal is written to a temporary folder beside the target
folder.

Each question of a table gets independent noise, calibrated to the replacement of one row. If a person may own m rows,
replacing the person changes at most m rows, so noise with a budget of epsilon / m per row costs epsilon per person. In
rho, where the cost grows with the square of the number of changed rows, the budget per row is rho / m^2. The budgets of
the questions add up.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import need
from ..files import write_folder
from ..inference import within_work
from ..mechanisms import releasable_mechanism
from ..progress import Progress, shown
from ..results import versions
from .budget import NOTIONS, Budget, Order, Price, read_price, released_price
from .receipts import Release, TableRelease, contents, folder_for, legible, receipt_in, recomputed, released_prior
from .schemas import DROP, Question, Schema, column_of, tabulated, tally

StrPath = str | os.PathLike[str]
"""A path, as a string or a path object."""

UNPAID = "the total cost of all releases from these records: no budget file was charged"
"""Entry under ``not_covered`` in the receipt of a release for which no budget file was charged."""


class Unfinished(Exception):
    """A release was paid for but is not yet published; the message states what was spent and how to continue.

    >>> str(Unfinished("epsilon 1 of records is spent and nothing is lost"))
    'epsilon 1 of records is spent and nothing is lost'
    """


def release(
    data: Iterable[Hashable],
    categories: Sequence[Hashable],
    prior: ArrayLike,
    epsilon: str | float | Fraction | None = None,
    mechanism: str = "lattice_laplace",
    *,
    rho: str | float | Fraction | None = None,
    missing: Hashable = None,
    out: StrPath | None = None,
    force: bool = False,
    budget: StrPath | None = None,
    limit: str | float | Fraction | None = None,
    data_set: str | None = None,
) -> Release:
    """Privately release the posterior of the shares of declared categories.

    Args:
        data: The value of each record
        categories: Declared labels, at least two; any other value in the data is an error
        prior: Dirichlet parameter of each category, > 0
        epsilon: Exact price: "1/2", 0.1, a Fraction or an integer
        mechanism: Name of a mechanism with exact draws
        rho: Exact price in place of epsilon, for ``discrete_gaussian``
        missing: What is done with values that are None, nan or empty: "drop", or the category that they get; by
            default, such a value is an error
        out: Folder for ``posterior.json``, ``posterior.png`` and ``receipt.json``
        force: Whether to replace an earlier release in that folder
        budget: SQLite file in which one transaction stores the charge and the noisy counts
        limit: Total that may be spent, if the data set is new in the budget file
        data_set: Name of the data set in the budget file

    Returns:
        The released posterior with the noisy counts and the receipt.

    Raises:
        ValueError: if an argument is invalid; in that case, nothing is charged
        Unfinished: if the release was charged but could not be written; ``resume`` writes it

    >>> r = release(["yes", "no", "no", "yes", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> sum(r.counts), r.receipt["guarantee"]["epsilon"]
    (5, '1/2')
    """
    column = column_of("", {"categories": categories, "missing": missing})
    price, alpha = released_price(mechanism, epsilon, rho), released_prior(prior, len(column.categories))
    x = tally(data, categories, missing)
    declared = "the categories, which were declared and not taken from the records"
    facts = {"categories": column.entry["categories"], "prior": alpha.tolist()}
    facts["public"] = [declared, f"the prior, the mechanism and {price.currency}"]
    asked = Schema({"": column}, (Question(("",), tuple(alpha.tolist()), price),), price, mechanism)
    order = _order(price, out, force, budget, limit, data_set)
    return cast(Release, _carried_out(asked, [x], facts, order))


def release_table(
    data: Any,
    schema: Schema,
    *,
    out: StrPath | None = None,
    force: bool = False,
    budget: StrPath | None = None,
    limit: str | float | Fraction | None = None,
    data_set: str | None = None,
    progress: bool | Progress = False,
) -> TableRelease:
    r"""Privately release answers to the questions of a schema about a table, under one budget and with one receipt.

    Args:
        data: Path of a CSV or Parquet file, a pandas data frame or an Arrow table
        schema: Declared columns, questions and budget; a value in the data that is not declared is an error
        out: Folder for ``posterior.json``, ``posterior.png`` and ``receipt.json``
        force: Whether to replace an earlier release in that folder
        budget: SQLite file in which one transaction stores the charge and the noisy counts
        limit: Total that may be spent, if the data set is new in the budget file
        data_set: Name of the data set in the budget file
        progress: Whether to show progress on standard error, or a function that is called with the progress

    Returns:
        A release for each question, and one receipt for all of them.

    Raises:
        ValueError: if an argument is invalid; in that case, nothing is charged
        Unfinished: if the release was charged but could not be written; ``resume`` writes it

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
    counts, _ = tabulated(data, schema)
    facts = {
        "rows_per_person": schema.most if schema.person is not None else None,
        "columns": {name: column.entry for name, column in schema.columns.items()},
        "questions": [schema.entry(question) for question in schema.questions],
        "public": ["the schema: columns, categories, cuts, questions, priors, mechanism, budget"],
    }
    order = _order(schema.price, out, force, budget, limit, data_set)
    return cast(TableRelease, _carried_out(schema, counts, facts, order, progress))


def _budget(path: StrPath) -> Budget:
    file = Path(os.path.realpath(checks.path("budget", path)))
    good = os.fspath(path) and file.parent.is_dir() and not file.is_dir()
    need(good, f"budget must be a file in a folder that exists, and no folder itself, got budget={os.fspath(path)!r}")
    return Budget(file)


def _order(price: Price, out: Any, force: bool, file: Any, limit: Any, data_set: Any) -> Order:
    """The order of a release, with its budget file, if any; an error if the budget cannot pay for the release."""
    for name, one in (("limit", limit), ("data set", data_set)):
        need(
            one is None or file is not None,
            f"{name} must come with a budget file, got {checks.brief(one)} and no budget",
        )
    budget, folder = None if file is None else _budget(file), None if out is None else folder_for(out, force)
    order = Order(price, folder, force, budget, None if limit is None else read_price(limit), data_set)
    if budget is not None:
        budget.affordable(budget.accounts(), order)
    return order


def _carried_out(
    asked: Schema, counts: Sequence[ArrayLike], facts: dict[str, Any], order: Order, progress: bool | Progress = False
) -> Any:
    """Carry out a release: check its work, rehearse it, draw the noise, charge and store the result, and publish."""
    price, mechanism, n = asked.price, asked.mechanism, int(np.sum(counts[0]))
    report = shown(progress, "posteriors computed")  # refuses a bad argument before anything is charged
    prices = [question.price.of_a_row(asked.most) for question in asked.questions]
    for question, of_a_row in zip(asked.questions, prices, strict=True):
        within_work(question.prior, n, of_a_row.epsilon, mechanism)
    for name, column in asked.columns.items():
        rule = "left out, and through n also their number" if column.missing == DROP else f"counted as {column.missing}"
        if column.missing is not None:
            facts["public"].append(f"that missing values{name and ' of '}{name} were {rule}")
    unit, cell = ("row", "cell") if "questions" in facts else ("record", "category")
    changed = f"one replaced {unit}" if asked.most == 1 else f"the rows of one person, at most {asked.most}, replaced"
    receipt = {
        "id": secrets.token_hex(8),
        "mechanism": mechanism,
        "guarantee": {"notion": NOTIONS[price.currency], **price.entry},
        "neighbours": f"two data sets of n {unit}s that differ in {changed}",
        "n": n,
        "private": [f"which {unit}s are in which {cell}"],
        **facts,
        "public": [f"the number of {unit}s n", *facts["public"]],
        "noise": "drawn exactly, by integer arithmetic from the operating system's entropy",
        "not_covered": ["the time that the computation took", "other releases from the same records"],
        "library": versions(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "budget": None,
    }
    receipt["not_covered"] += [UNPAID] * (order.budget is None)
    _rehearse(asked, receipt, order.folder)
    drawn = releasable_mechanism(mechanism).draw_exactly
    noisy = [list(drawn(np.asarray(x).tolist(), one.amount)) for x, one in zip(counts, prices, strict=True)]
    receipt["noisy"] = noisy if "questions" in receipt else noisy[0]
    paid = receipt if order.budget is None else order.budget.charge(order, receipt)
    return _published(order, paid, report)


def _rehearse(asked: Schema, receipt: Mapping[str, Any], folder: Path | None) -> None:
    """Compute everything that will be published, but from made-up counts, and write it beside the release's folder.

    If several questions have the same prior and price, only one of them is rehearsed.
    """
    n, kinds = receipt["n"], {(one.prior, one.price): place for place, one in enumerate(asked.questions)}
    part = {"questions": [receipt["questions"][place] for place in kinds.values()]} if "questions" in receipt else {}
    for spread in (False, True):
        sizes = [len(prior) for prior, _ in kinds]
        noisy = [[n // k + (i < n % k) if spread else n * (i == 0) for i in range(k)] for k in sizes]
        rehearsal = recomputed({**receipt, **part, "noisy": noisy if part else noisy[0]})
        files = contents(rehearsal, figure=spread) if folder is not None else {}
    if folder is not None:
        beside = folder.with_name(f".{folder.name}.{receipt['id']}.rehearsal")
        try:
            write_folder(beside, {"rehearsal": b"".join(files.values())}, receipt["id"])
            shutil.rmtree(beside)
        except OSError as error:  # the error names the hidden folder, which the user does not know
            raise OSError(error.errno, error.strerror, str(folder)) from None


def _published(order: Order, receipt: Mapping[str, Any], progress: Progress) -> Release | TableRelease:
    """The release computed from a receipt, written to its folder and marked as written in the budget file.

    A folder that already contains this receipt is left unchanged: an earlier run wrote the folder but stopped before it
    marked the charge as written.
    """
    budget, folder = order.budget, order.folder
    try:
        done: Release | TableRelease = recomputed(receipt, progress)
        there = folder is not None and (folder / "receipt.json").is_file() and receipt_in(folder).get("id")
        if folder is not None and there != receipt["id"]:
            write_folder(folder_for(folder, order.force), contents(done), receipt["id"])
        if budget is not None:
            budget.mark_written(receipt["id"], folder)
    except BaseException as stop:
        if budget is None:
            raise
        spent = f"{order.price} of {receipt['budget']['data_set']} is spent"
        what = f"{spent} and nothing is lost: {budget.how_to_resume(receipt['id'])}"
        kind = type(stop) if isinstance(stop, KeyboardInterrupt) else Unfinished
        raise kind(f"{stop}; {what}" if str(stop) else what) from stop
    return done


def resume(budget: StrPath, out: StrPath | None = None, id: str | None = None) -> tuple[Release | TableRelease, ...]:
    """Write every paid release that was interrupted, or the paid release with a given id, at no further cost.

    If one release cannot be written, the others are still written. A release that was written before is written again
    from the noisy counts stored with its charge, but it never replaces another release.

    Args:
        budget: The budget file
        out: Folder of the one release to write; by default, all interrupted releases are written. If only one release
            waits, or if ``id`` is given, the folder may differ from the one for which the release was requested
        id: Id of the one release to write, as in its receipt; the release may have been written before

    Returns:
        The releases that were written, in the order in which they were paid for.

    Raises:
        Unfinished: if some releases could not be written; all others were written

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = release(["yes", "no"], ["yes", "no"], [1, 1], "1/2", budget=folder + "/budget.db", limit=1)
    ...     resume(folder + "/budget.db")  # nothing was stopped
    ()
    """
    file, target = _budget(budget), None if out is None else os.path.realpath(checks.path("out", out))
    need(file.path.is_file(), f"budget must be an existing budget file, got {os.fspath(budget)}")
    checks.typed("id", id, str | None, "the id of a release, as in its receipt")
    waiting = [one for each in file.accounts().values() for one in each.charges if one.id == id or not one.written]
    free = id is not None or len(waiting) == 1  # free to be written to another folder
    chosen = [one for one in waiting if id in (None, one.id) and (free or target in (None, one.folder))]
    waits = ", ".join(f"{one.id} for {one.folder}" for one in waiting) or "none waits"
    allowed = f"id that of a release in the budget file, or out the folder of one that waits ({waits})"
    need(chosen or not (id or waiting), f"id or out must name a release: {allowed}, got {id or target}")
    written, failed = [], list[str]()
    for one in chosen:
        # a release that was written before may not replace the one that has replaced it
        folder, force = target or one.folder, one.force and not one.written
        order = Order(read_price(one.price), Path(folder) if folder else None, force, file, None, one.data_set)
        try:
            written.append(_published(order, legible(json.loads(one.receipt)), shown(False, "")))
        except Unfinished as stop:
            failed.append(str(stop))
    need(not failed, f"{len(written)} of {len(chosen)} written: {'; '.join(failed)}", Unfinished)
    return tuple(written)
