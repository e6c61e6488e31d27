"""Post-processing of receipts: everything that is published is computed from the receipt, and anybody can recompute it.

``check_release`` repeats this post-processing and reports which files of a release agree with its receipt.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..checks import Floats, need
from ..files import as_json
from ..inference import Mixture, given_noise, plug_in
from ..mechanisms import releasable_mechanism
from ..progress import Progress
from .budget import NOTIONS, price_in, released_price

FILES = ("posterior.png", "posterior.json", "receipt.json")  # files of a release, in the order in which they are listed
SMALLEST_WEIGHT = 1e-9  # smallest parameter of a prior; with smaller ones, the summaries of a release lose digits
MAX_PANELS = 12  # largest number of questions in a figure (chosen): as many as one can compare on a page
LEVELS = (0.5, 0.8, 0.95)  # levels of the intervals that a release reports
TOLERANCE = 1e-9  # relative difference below which numbers agree; elementary functions differ less between machines
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")  # a number in JSON
DRAWN_WITH = re.compile(rb"Software\0(.*?)http")  # the program that drew a figure, in the metadata of a PNG file


@dataclass(frozen=True, eq=False)
class Release:
    """What may be published about a column.

    Args:
        noisy: Noisy counts, as drawn
        counts: Nonnegative counts that add up to n, computed from the noisy counts
        posterior: Dirichlet parameters of the posterior that treats ``counts`` as the true counts
        shares: Posterior of each category's share that accounts for the noise, on which conclusions are based
        receipt: Id, mechanism, guarantee and noisy counts of the release, and a list of what was public

    >>> from dpbi import release
    >>> r = release(["yes", "no", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> len(r.noisy), sum(r.counts), float(r.posterior.sum()), len(r.shares)
    (2, 3, 5.0, 2)
    """

    noisy: tuple[int, ...]
    counts: tuple[int, ...]
    posterior: Floats
    shares: tuple[Mixture, ...]
    receipt: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class TableRelease:
    """What may be published about a table: a release of the cells for each question, and one receipt for all questions.

    >>> TableRelease((), {"n": 3}).receipt["n"]
    3
    """

    questions: tuple[Release, ...]
    receipt: Mapping[str, Any]


def released_prior(prior: Any, k: int) -> Floats:
    """The checked prior of a release: an array with one number in the allowed range for each category."""
    alpha = checks.prior_weights(prior)
    need(len(alpha) == k, f"prior must have one number for each of the {k} categories, got {len(alpha)}")
    good = (alpha >= SMALLEST_WEIGHT) & (alpha <= checks.LARGEST_TOTAL / k)
    need(good.all(), f"prior must be numbers >= {SMALLEST_WEIGHT:g}, of sum <= 2**53, got {alpha[np.argmin(good)]:g}")
    return alpha


def recomputed(receipt: Mapping[str, Any], progress: Progress = lambda done, total: None) -> Any:
    """The ``Release`` or ``TableRelease`` computed from the receipt of a column or of a table."""
    each = []
    for part in parts(receipt):
        n, noisy, noise = part["n"], tuple(part["noisy"]), releasable_mechanism(part["mechanism"])
        counts, alpha = noise.legal(noisy, n), np.array(part["prior"], dtype=np.float64)
        # a paid release is finished however long it takes, so its work is not bounded here
        epsilon, bounded = price_in(part["guarantee"]).epsilon, False
        shares = given_noise(alpha, n, noise.informative_part(noisy, n), epsilon, part["mechanism"], bounded=bounded)
        each.append(Release(noisy, counts, alpha + np.array(counts), shares, {**part, "counts": list(counts)}))
        progress(len(each), len(receipt["noisy"]))
    if "questions" not in receipt:
        return each[0]
    return TableRelease(tuple(each), {**receipt, "counts": [list(one.counts) for one in each]})


def parts(receipt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The receipt of each question of a table, in the form of a column's receipt; for a column, only its receipt."""
    if "questions" not in receipt:
        return [dict(receipt)]
    return [
        {
            **question,
            "n": receipt["n"],
            "mechanism": receipt["mechanism"],
            "guarantee": {name: question[f"{name}_of_a_row"] for name in NOTIONS if name in question},
            "categories": question["cells"],
            "noisy": noisy,
        }
        for question, noisy in zip(receipt["questions"], receipt["noisy"], strict=True)
    ]


def legible(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """A checked copy of a receipt; ``ValueError`` if no release can have produced this receipt."""
    try:
        each, whole = parts(receipt), price_in(receipt["guarantee"])
        for part in each:
            k, noisy = len(part["categories"]), part["noisy"]
            released_price(part["mechanism"], **price_in(part["guarantee"]).entry)
            released_prior(part["prior"], k)
            right = len(noisy) == k >= 2 and all(type(z) is int for z in (*noisy, receipt["n"]))
            need(right and sum(noisy) == receipt["n"], "categories, noisy counts and n are inconsistent")
        need(isinstance(receipt["id"], str), "its id is no string")
        if "questions" in receipt:
            prices = [price_in(question) for question in receipt["questions"]]
            rows = [price.of_a_row(receipt["rows_per_person"] or 1) for price in prices]
            same = rows == [price_in(part["guarantee"]) for part in each]
            adds = sum(price.within(whole.currency) for price in prices) == whole.amount
            need(same and adds, "the budgets of the questions do not add up to that of the table")
            for question in receipt["questions"]:
                lists = (map(str, receipt["columns"][name]["categories"]) for name in question["columns"])
                need([*map(", ".join, product(*lists))] == question["cells"], "cells and categories are inconsistent")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"receipt must be one that dpbi wrote, got another: {what}") from None
    return dict(receipt)


def contents(result: Release | TableRelease, figure: bool = True) -> dict[str, bytes]:
    """The contents of the files of a release, by name; the figure is empty if ``figure`` is False."""
    picture = _picture(result) if figure else b""
    return dict(zip(FILES, (picture, as_json(_table(result)), as_json(result.receipt)), strict=True))


def _picture(result: Release | TableRelease) -> bytes:
    """The figure as PNG: one panel for a column, or one for each of the first ``MAX_PANELS`` questions of a table."""
    from .. import plots

    drawn = [result] if isinstance(result, Release) else list(result.questions[:MAX_PANELS])
    panels = [None] if isinstance(result, Release) else plots.panels([max(3.0, len(one.counts)) for one in drawn])
    picture = io.BytesIO()
    with warnings.catch_warnings():  # a letter that is missing from the font is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        for one, panel in zip(drawn, panels, strict=True):
            names = [name if len(name) <= 40 else f"{name[:39]}…" for name in map(str, one.receipt["categories"])]
            ax = plots.share_intervals(one.shares, plug_in(one.receipt["prior"], one.counts), names, panel)
        plots.save(ax, picture)
    return picture.getvalue()


def _table(result: Release | TableRelease) -> dict[str, Any]:
    """The content of ``posterior.json``, before it is encoded."""
    if isinstance(result, TableRelease):
        return {"questions": [{"columns": one.receipt["columns"], **_table(one)} for one in result.questions]}
    return {
        "categories": result.receipt["categories"],
        "concentrations": result.posterior.tolist(),
        "given_the_noise": [summary(share) for share in result.shares],
        "if_the_noise_is_forgotten": [summary(share) for share in plug_in(result.receipt["prior"], result.counts)],
    }


def summary(share: Mixture) -> dict[str, Any]:
    """Mean, standard deviation and intervals of the posterior of a share."""
    intervals = {str(level): list(share.interval(level)) for level in LEVELS}
    return {"mean": share.mean, "standard_deviation": share.variance**0.5, "intervals": intervals}


def folder_for(out: str | os.PathLike[str], force: bool) -> Path:
    """The checked path of a folder to which a release may be written, with symbolic links resolved.

    Args:
        out: Path of the folder, inside an existing folder
        force: Whether the folder may contain an earlier release, which is then replaced, and nothing else
    """
    folder = Path(os.path.realpath(checks.path("out", out)))
    need(os.fspath(out) and folder.parent.is_dir(), f"out must be in a folder that exists, got out={os.fspath(out)!r}")
    there = folder.exists()
    need(force or not there, f"out must not exist, unless it is to be replaced (--force, force=True), got {folder}")
    # anything else in the folder, such as a budget file or the data, would be deleted with the release
    alone = not there or (folder.is_dir() and {path.name for path in folder.iterdir()} == set(FILES))
    need(alone, f"out must contain only an earlier release to be replaced, got out={str(folder)!r}")
    return folder


def receipt_in(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The receipt in the folder of a release; any JSON object is accepted here, and ``legible`` checks its content."""
    path = checks.path("folder", folder) / FILES[-1]
    need(path.is_file(), f"DIR must be the folder of a release, got {os.fspath(folder)!r} without {FILES[-1]}")
    try:
        return dict(json.loads(path.read_bytes().decode("utf-8")))
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"receipt must be one that dpbi wrote, got {path}, which is not") from None


# What anybody can check


class Finding(NamedTuple):
    """One recomputed part of a release, whether the stored part agrees (None if undecided), and the reason otherwise.

    >>> Finding("posterior.png", None, "it was drawn by another version of matplotlib").agrees is None
    True
    """

    what: str
    agrees: bool | None
    why: str = ""


def check_release(folder: str | os.PathLike[str]) -> tuple[Finding, ...]:
    """Recompute counts, posterior, intervals and figure of a release from its receipt, and compare them with its files.

    >>> from tempfile import TemporaryDirectory
    >>> from dpbi import release
    >>> with TemporaryDirectory() as place:
    ...     _ = release(["yes", "no"], ["yes", "no"], [1, 1], "1/2", out=f"{place}/out")
    ...     all(finding.agrees for finding in check_release(f"{place}/out"))
    True
    """
    receipt = legible(receipt_in(folder))
    done = recomputed(receipt)
    new, right = contents(done), done.receipt["counts"] == receipt.get("counts")
    findings = [Finding("the released counts follow from the noisy ones", right)]
    for name, compared in ((FILES[1], _compared_texts), (FILES[0], _compared_pictures)):
        try:
            agrees, why = compared(Path(folder, name).read_bytes(), new[name])
        except (OSError, ValueError, SyntaxError) as error:
            agrees, why = False, f"it cannot be read: {error}"
        findings.append(Finding(name, agrees, "" if agrees else why))
    return tuple(findings)


def _compared_texts(old: bytes, new: bytes) -> tuple[bool, str]:
    """Whether a file agrees with its recomputed content, and the first difference as a clause of a message."""
    there, found = old.decode("utf-8"), new.decode("utf-8")
    for one, other in zip(NUMBER.findall(there), NUMBER.findall(found), strict=False):
        if not math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=1e-300):
            return False, f"{one} where the receipt gives {other}"
    return NUMBER.split(there) == NUMBER.split(found), "its text differs from the recomputed text"


def _compared_pictures(old: bytes, new: bytes) -> tuple[bool | None, str]:
    """Whether a figure agrees with the redrawn one, and what differs; None if versions of matplotlib differ."""
    from .. import plots

    same = np.array_equal(plots.points(old), plots.points(new))
    if same or DRAWN_WITH.findall(old) == DRAWN_WITH.findall(new):
        return same, "its pixels differ from those of the recomputed figure"
    return None, "it was drawn by another version of matplotlib and cannot be compared"
