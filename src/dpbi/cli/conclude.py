"""``dpbi conclude``: what follows from releases of the same records, put together."""

import argparse
import csv
import itertools
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats
from ..inference import Conclusion, Mixture, concluded
from ..publish.conclusions import joint_posterior, joint_table
from ..publish.receipts import receipt_in


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "conclude",
        help="estimate shares, differences and ratios from one or more releases of the same records",
        description="Estimate shares from releases of the same records. Shares are computed exactly, differences and "
        "ratios of shares by independent draws from their joint posterior.",
    )
    parser.add_argument("folders", metavar="DIR", nargs="+", help="folders of releases")
    parser.add_argument(
        "--columns", metavar="A,B", help="for a table: the columns of a question; with --together: the columns to draw"
    )
    parser.add_argument(
        "--given", metavar="A", help="give the shares within each category of these columns instead, by draws"
    )
    parser.add_argument(
        "--difference",
        metavar="A,B",
        action="append",
        default=[],
        help="share of A minus share of B; write A;B if the names contain commas",
    )
    parser.add_argument("--ratio", metavar="A,B", action="append", default=[], help="share of A over share of B")
    parser.add_argument(
        "--draws", type=int, help="number of draws for differences and ratios; 20000, or 4000 with --together"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of these draws")
    parser.add_argument(
        "--together",
        action="store_true",
        help="for tables: use all questions about these columns at once, by a Markov chain over the hidden table",
    )
    parser.add_argument("--about", metavar="A,B", help="with --together: the columns to report, if not all")
    parser.add_argument(
        "--prior", type=float, default=1.0, help="with --together: prior weight of each cell; 1 if none is given"
    )
    parser.add_argument("--sweeps", type=int, default=4, help="with --together: sweeps of the chain between two draws")
    parser.add_argument(
        "--synthetic",
        metavar="FILE",
        help="with --together: write as many synthetic rows as there were records, as CSV",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.draws is None:
        options.draws = 4000 if options.together else 20_000
    if not 100 <= options.draws <= 10_000_000:
        raise ValueError(f"--draws must be an integer >= 100 and <= 10000000, got {options.draws}")
    columns = _names(options.columns)
    if options.together:
        _together(options, columns)
        return
    for name in ("about", "synthetic"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} must come with --together, which draws whole tables")
    joint = joint_posterior(options.folders, columns=columns)
    receipt = receipt_in(options.folders[0])
    if columns is None:
        names, labels, cells = ["shares"], receipt["categories"], [(label,) for label in receipt["categories"]]
    else:
        asked = next(each for each in receipt["questions"] if set(each["columns"]) == set(columns))
        names, labels = asked["columns"], asked["cells"]
        cells = list(itertools.product(*(receipt["columns"][name]["categories"] for name in names)))
    reported = _Reported(names, cells, labels)
    rng = np.random.default_rng(options.seed)
    said = _said(
        options, reported, joint.shares, lambda: joint.draws(rng, options.draws), lambda v: concluded(v, len(v), 0.95)
    )
    _tell(options, said)


def _together(options: argparse.Namespace, columns: list[str] | None) -> None:
    """All questions at once: the shares of all cells, whether the chain has mixed, and a synthetic table if asked."""
    rng = np.random.default_rng(options.seed)
    kept = max(25, options.draws // 4)
    done = joint_table(options.folders, rng, options.prior, columns, draws=kept, sweeps=options.sweeps,
                       progress=sys.stderr.isatty())  # fmt: skip
    sampled = done.sampled
    about = _names(options.about) or list(done.columns)
    if len(set(about)) < len(about) or not set(about) <= set(done.columns):
        raise ValueError(f"--about must be different columns, of {', '.join(done.columns)}, got {options.about!r}")
    axes = [done.columns.index(name) for name in about]
    table = list(itertools.product(*done.categories))
    chain = {"columns": list(done.columns), "draws": len(sampled.counts), "cells": len(table),
             "worth": sampled.worth, "ratio_of_variances": sampled.ratio, "mixed": bool(sampled.mixed),
             "not_used": [list(names) for names in done.left_out]}  # fmt: skip
    cells = list(itertools.product(*(done.categories[axis] for axis in axes)))
    reported = _Reported(about, cells, [", ".join(map(str, cell)) for cell in cells])
    shares = sampled.shares(axes)
    said = _said(options, reported, shares, lambda: sampled.margin(axes, sampled.draws(rng)), sampled.concluded)
    said = {"chain": chain, **said}
    if options.synthetic is not None:
        n = int(sampled.counts[0].sum())
        drawn = sampled.predicted(rng, n)[-1]
        with open(options.synthetic, "x", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["synthetic_row", *done.columns])
            rows = (cell for cell, count in zip(table, drawn.tolist(), strict=True) for _ in range(count))
            writer.writerows([number, *cell] for number, cell in enumerate(rows, start=1))
        said["synthetic"] = {"rows": n, "file": options.synthetic}
    _tell(options, said)


class _Reported(NamedTuple):
    """The columns of what is told, and of each cell its categories and its name."""

    columns: Sequence[str]
    cells: Sequence[tuple[Any, ...]]
    labels: Sequence[Any]


def _said(
    options: argparse.Namespace,
    reported: _Reported,
    shares: Sequence[Mixture],
    draws: Callable[[], Floats],
    conclude: Callable[[Floats], Conclusion],
) -> dict[str, Any]:
    """Every share, difference and ratio; draws of all shares, a row each, are made if needed."""
    labels = reported.labels
    theta = draws() if options.given or options.difference or options.ratio else np.empty((0, len(labels)))
    if options.given is None:
        found = [{"mean": share.mean, "interval": list(share.interval(0.95))} for share in shares]
    else:
        theta = _conditional(options, reported, theta)
        found = [_by_draws(conclude(values)) for values in theta.T]
    said: dict[str, Any] = {"given": _names(options.given), "level": 0.95}
    said["shares"] = [{"share": label, **one} for label, one in zip(labels, found, strict=True)]
    for what, operation, pairs in (
        ("difference", np.subtract, options.difference),
        ("ratio", np.divide, options.ratio),
    ):
        said[f"{what}s"] = []
        for pair in pairs:
            first, second = _pair(pair, list(map(str, labels)))
            one = _by_draws(conclude(operation(theta[:, first], theta[:, second])))
            if what == "ratio":  # which may have no mean
                one = {key: one[key] for key in ("median", "interval")}
            said[f"{what}s"].append({"of": [labels[first], labels[second]], **one})
    return said


def _by_draws(found: Conclusion) -> dict[str, Any]:
    said = {"mean": found.mean, "standard_error": found.standard_error, "median": found.median}
    return {**said, "interval": list(found.interval)}


def _tell(options: argparse.Namespace, said: dict[str, Any]) -> None:
    """The conclusions as JSON, or a line for each."""
    if options.json:
        print(json.dumps(said, indent=1, ensure_ascii=False))
        return
    if chain := said.get("chain"):
        state = "" if chain["mixed"] else ": the chain has NOT MIXED, do not rely on these numbers"
        worth = f"worth {chain['worth']:.0f} independent ones, ratio of variances {chain['ratio_of_variances']:.3g}"
        print(f"{', '.join(chain['columns'])}: {chain['draws']} draws of {chain['cells']} cells, {worth}{state}")
        for names in chain["not_used"]:
            print(f"not used, since it is also about other columns: {', '.join(names)}")
    if said["given"]:
        print(f"shares within each {', '.join(said['given'])}:")
    for one in said["shares"]:
        print(f"{one['share']}: share {_shown(one)}")
    for one in said["differences"]:
        print(f"{one['of'][0]} minus {one['of'][1]}: {_shown(one)}")
    for one in said["ratios"]:
        print(f"{one['of'][0]} over {one['of'][1]}: median {one['median']:.4g}{_within(one)}")
    if written := said.get("synthetic"):
        what = "one draw of what new records could be, about nobody"
        print(f"{written['rows']} synthetic rows in {written['file']}: {what}")


def _shown(one: dict[str, Any]) -> str:
    by_draws = f" (by draws, ± {one['standard_error']:.1g})" if "standard_error" in one else ""
    return f"{one['mean']:.4g}{by_draws}{_within(one)}"


def _within(one: dict[str, Any]) -> str:
    return f", 95 % within {one['interval'][0]:.4g} and {one['interval'][1]:.4g}"


def _conditional(options: argparse.Namespace, reported: _Reported, theta: Floats) -> Floats:
    """The shares among the records that are alike in the columns that are given."""
    given = _names(options.given) or []
    if not given or not set(given) < set(reported.columns):
        known = ", ".join(reported.columns) if len(reported.columns) > 1 else "a question about several"
        raise ValueError(f"--given must be some of the columns and not all, of {known}, got {options.given!r}")
    axes = [reported.columns.index(name) for name in given]
    alike = [tuple(cell[axis] for axis in axes) for cell in reported.cells]
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(alike))}
    groups = np.array([kinds[kind] for kind in alike])
    sums = np.zeros((len(theta), len(kinds)))
    for cell, group in enumerate(groups):
        sums[:, group] += theta[:, cell]
    if not (sums > 0).all():
        raise ValueError(
            f"--given must be columns whose shares are all above 0 in floating point, got {options.given!r}"
        )
    conditional: Floats = theta / sums[:, groups]
    return conditional


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _pair(text: str, labels: list[str]) -> tuple[int, int]:
    names = [name.strip() for name in text.split(";" if ";" in text else ",")]
    if len(names) != 2 or not set(names) <= set(labels):
        between = "; " if any("," in label for label in labels) else ", "
        raise ValueError(
            f"a difference or ratio must be of two shares with '{between.strip()}' between them, "
            f"of {between.join(labels)}, got {text!r}"
        )
    return labels.index(names[0]), labels.index(names[1])
