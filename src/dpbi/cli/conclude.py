"""``dpbi conclude`` and ``dpbi test``: estimates from releases of the same records, and a test of one share."""

import argparse
import csv
import itertools
import json
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats, need, real
from ..inference import Conclusion, Mixture, concluded, guaranteed_interval, p_value
from ..publish.conclusions import count_for_test, joint_posterior, joint_table, question
from ..publish.receipts import receipt_in

MAX_GUARANTEED = 12  # largest number of guaranteed intervals, chosen: each takes seconds with a million records

GUARANTEED = "guaranteed if the rows are a random sample, for each interval separately, not for all intervals jointly"
"""Line that is printed below the guaranteed intervals."""


SIDES = {"above": ("greater", "at most"), "below": ("less", "at least"), "unlike": ("two-sided", "exactly")}
"""Alternative hypothesis, and null hypothesis in words, for each option that names the side of the test."""


def add(commands: Any) -> None:
    """Register the commands."""
    add = commands.add_parser("conclude", help="estimate shares from one or more releases", run=_run).add_argument
    add("folders", metavar="DIR", nargs="+", help="folders of releases")
    add("--columns", metavar="A,B", help="for a table: columns of one question; with --together: the columns to draw")
    add("--given", metavar="A", help="report the shares within each category of these columns, estimated from draws")
    pairs: dict[str, Any] = {"metavar": "A,B", "action": "append", "default": []}
    add("--difference", **pairs, help="share of A minus share of B; write A;B if the names contain commas")
    add("--ratio", **pairs, help="share of A divided by share of B")
    add("--draws", type=int, help="draws for differences and ratios (default: 20000, or 4000 with --together)")
    add("--together", action="store_true", help="for tables: use all questions about the columns, by a Markov chain")
    add("--about", metavar="A,B", help="with --together: the columns to report (default: all)")
    add("--prior", type=float, default=1.0, help="with --together: prior weight of each cell (default: 1)")
    add("--sweeps", type=int, default=4, help="with --together: sweeps of the chain between draws (default: 4)")
    add("--synthetic", metavar="FILE", help="with --together: write as many synthetic rows as there were records")
    add("--json", action="store_true", help="print JSON")
    parser = commands.add_parser("test", help="test a hypothesis about one share, from a release", run=_test)
    parser.add_argument("folder", metavar="DIR", help="folder of a release")
    parser.add_argument("--share", metavar="A", required=True, help="the category, or the cell of a table: 'A, B'")
    sides = parser.add_mutually_exclusive_group(required=True)
    for side, (_, words) in SIDES.items():
        sides.add_argument(f"--{side}", metavar="S", type=float, help=f"null hypothesis: the share is {words} S")
    parser.add_argument("--columns", metavar="A,B", help="for a table: columns of one question")
    parser.add_argument("--level", type=float, default=0.95, help="level of the intervals (default: 0.95)")
    exact = "break ties by a number computed from the id that was stored with the charge; else the test is conservative"
    parser.add_argument("--exact", action="store_true", help=exact)


class _Found(NamedTuple):
    """The posterior of the shares of all cells of a table, or of all categories of a column."""

    columns: Mapping[str, Sequence[Any]]  # the categories of each column
    shares: Sequence[Mixture]  # the posterior of each share
    draws: Callable[[], Floats]  # joint draws of all shares, one row for each draw
    concluded: Callable[[Floats], Conclusion]  # summary of the draws of one number
    facts: dict[str, Any]  # further entries of the report
    synthetic: Sequence[Sequence[Any]] = ()  # the rows of a synthetic table, beginning with its header


def _run(options: argparse.Namespace) -> None:
    """Estimate shares, differences and ratios from one or more releases of the same records.

    Shares are computed exactly; differences and ratios of shares are estimated from independent draws from the joint
    posterior. For a single release of up to twelve shares, the command also prints guaranteed intervals, which need no
    prior.
    """
    draws = (4000 if options.together else 20_000) if options.draws is None else options.draws
    need(100 <= draws <= 10_000_000, f"--draws must be an integer >= 100 and <= 10000000, got {draws}")
    for name, alone in {"about": None, "synthetic": None, "prior": 1.0, "sweeps": 4}.items():
        need(options.together or getattr(options, name) == alone, f"--{name} must come with --together, got it alone")
    found = (_together if options.together else _exactly)(options, draws, np.random.default_rng(1))
    labels = [", ".join(map(str, cell)) for cell in itertools.product(*found.columns.values())]
    theta = found.draws() if options.given or options.difference or options.ratio else np.empty((0, len(labels)))
    if options.given is None:
        shares = [{"mean": share.mean, "interval": share.interval(0.95)} for share in found.shares]
    else:
        theta = _conditional(options.given, found, theta)
        shares = [found.concluded(values)._asdict() for values in theta.T]
    result = {**found.facts, "given": _names(options.given), "level": 0.95}
    sure = _guaranteed(options, labels)
    result["shares"] = [{"share": name, **one, **sure.get(name, {})} for name, one in zip(labels, shares, strict=True)]
    for kind, combined in (("difference", np.subtract), ("ratio", np.divide)):
        result[f"{kind}s"] = []
        for first, second in (_pair(text, labels) for text in getattr(options, kind)):
            one = found.concluded(combined(theta[:, first], theta[:, second]))._asdict()
            if kind == "ratio":  # the posterior mean of a ratio may not exist
                one = {"median": one["median"], "interval": one["interval"]}
            result[f"{kind}s"].append({"of": [labels[first], labels[second]], **one})
    if found.synthetic:  # written last, after everything that can raise an error
        with open(options.synthetic, "x", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(found.synthetic)
    print(json.dumps(result, indent=1, ensure_ascii=False) if options.json else "\n".join(_lines(result)))


def _exactly(options: argparse.Namespace, draws: int, rng: np.random.Generator) -> _Found:
    """The shares of one column, or of one question about a table."""
    columns = _names(options.columns)
    joint, receipt = joint_posterior(options.folders, columns=columns), receipt_in(options.folders[0])
    names = question(receipt, columns).get("columns", ())
    about = {name: receipt["columns"][name]["categories"] for name in names} or {"shares": receipt["categories"]}
    by = partial(concluded, effective_draws=draws, level=0.95)
    return _Found(about, joint.shares, lambda: joint.draws(rng, draws), by, {})


def _guaranteed(options: argparse.Namespace, labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The guaranteed intervals of the shares of a single release, if there are few shares and one row per person."""
    receipt = receipt_in(options.folders[0])
    alone = len(options.folders) == 1 and not (options.together or options.given) and len(labels) <= MAX_GUARANTEED
    own = labels if receipt["mechanism"] == "lattice_laplace" or len(labels) == 2 else labels[:-1]
    alone = alone and (receipt.get("rows_per_person") or 1) == 1
    given = {label: count_for_test(options.folders[0], label, _names(options.columns)) for label in own if alone}
    return {label: {"guaranteed": guaranteed_interval(**count, level=0.95)} for label, count in given.items()}


def _together(options: argparse.Namespace, draws: int, rng: np.random.Generator) -> _Found:
    """The shares of all cells given all questions, diagnostics of the chain, and a synthetic table if requested."""
    chain = {"draws": max(25, draws // 4), "sweeps": options.sweeps, "progress": sys.stderr.isatty()}  # 4 chains
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the first printed line reports whether the chain has mixed
        done = joint_table(options.folders, rng, options.prior, _names(options.columns), **chain)
    sampled, about = done.sampled, _names(options.about) or list(done.columns)
    good = len(set(about)) == len(about) and set(about) <= set(done.columns)
    need(good, f"--about must be different columns, of {', '.join(done.columns)}, got {options.about!r}")
    table, axes = list(itertools.product(*done.columns.values())), [list(done.columns).index(name) for name in about]
    chain = {"columns": list(done.columns), "draws": len(sampled.counts), "cells": len(table)}
    chain |= {"worth": sampled.effective_draws, "ratio_of_variances": sampled.ratio, "mixed": bool(sampled.mixed)}
    facts: dict[str, Any] = {"chain": chain | {"not_used": [list(names) for names in done.left_out]}}
    synthetic: list[Sequence[Any]] = []
    if options.synthetic is not None:
        n = int(sampled.counts[0].sum())
        rows = np.repeat(np.arange(len(table)), sampled.predicted(n, rng)[-1])
        synthetic = [("synthetic_row", *done.columns), *((row, *table[cell]) for row, cell in enumerate(rows, start=1))]
        facts["synthetic"] = {"rows": n, "file": options.synthetic}
    drawn = lambda: sampled.margin(axes, sampled.draws(rng))  # noqa: E731
    shown = {name: done.columns[name] for name in about}
    return _Found(shown, sampled.shares(axes), drawn, sampled.concluded, facts, synthetic)


def _lines(result: dict[str, Any]) -> list[str]:
    """The printed report: the diagnostics of the chain, if any, and then one line for each conclusion."""
    lines = []
    if chain := result.get("chain"):
        state = "" if chain["mixed"] else ": the chain has NOT MIXED, do not rely on these numbers"
        worth = f"worth {chain['worth']:.0f} independent draws, ratio of variances {chain['ratio_of_variances']:.3g}"
        lines.append(f"{', '.join(chain['columns'])}: {chain['draws']} draws of {chain['cells']} cells, {worth}{state}")
        lines += [f"not used, since it is about other columns: {', '.join(names)}" for names in chain["not_used"]]
    lines += [f"shares within each {', '.join(result['given'])}:"] if result["given"] else []
    lines += [f"{one['share']}: share {_shown(one)}" for one in result["shares"]]
    sure = [(one["share"], *one["guaranteed"]) for one in result["shares"] if "guaranteed" in one]
    lines += ["{}: guaranteed 95 % between {:.4g} and {:.4g}, whatever the share".format(*one) for one in sure]
    lines += [f"  {GUARANTEED}"] if sure else []
    lines += [f"{' minus '.join(one['of'])}: {_shown(one)}" for one in result["differences"]]
    lines += [f"{' over '.join(one['of'])}: {_shown(one)}" for one in result["ratios"]]
    if written := result.get("synthetic"):
        what = "one draw of what new records could be; they describe no real person"
        lines.append(f"{written['rows']} synthetic rows in {written['file']}: {what}")
    return lines


def _shown(one: dict[str, Any]) -> str:
    """One conclusion in words: the mean or median, the standard error due to the draws, and the interval."""
    middle = f"{one['mean']:.4g}" if "mean" in one else f"median {one['median']:.4g}"
    by_draws = f" (by draws, ± {one['standard_error']:.1g})" if "standard_error" in one else ""
    return f"{middle}{by_draws}, 95 % between {one['interval'][0]:.4g} and {one['interval'][1]:.4g}"


def _conditional(text: str, found: _Found, theta: Floats) -> Floats:
    """The draws of the shares within each group of records with equal values in the given columns."""
    given, columns = _names(text) or [], list(found.columns)
    known = ", ".join(columns) if len(columns) > 1 else "a question about several"
    good = bool(given) and set(given) < set(columns)
    need(good, f"--given must be some but not all of the columns, of {known}, got {text!r}")
    cube = theta.reshape(-1, *map(len, found.columns.values()))
    others = tuple(axis for axis, name in enumerate(columns, start=1) if name not in given)
    sums = cube.sum(axis=others, keepdims=True)
    need((sums > 0).all(), f"--given must be columns with shares that are all above 0 in every draw, got {text!r}")
    return np.asarray(cube / sums).reshape(theta.shape)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _pair(text: str, labels: Sequence[str]) -> tuple[int, int]:
    """The positions of the two shares that are named by a command-line option."""
    names = [name.strip() for name in text.split(";" if ";" in text else ",")]
    sign = ";" if any("," in label for label in labels) else ","
    allowed = f"of two shares with '{sign}' between them, of {f'{sign} '.join(labels)}"
    need(len(names) == 2 and set(names) <= set(labels), f"a difference or ratio must be {allowed}, got {text!r}")
    return labels.index(names[0]), labels.index(names[1])


# dpbi test


def _test(options: argparse.Namespace) -> None:
    """Test a hypothesis about one share without a prior, and print the posterior of the share as well.

    Choose the share, the side and the level before you look at the release.
    """
    side, value = next((one, vars(options)[one]) for one in SIDES if vars(options)[one] is not None)
    (alternative, words), value = SIDES[side], real(f"--{side}", value, least=0, most=1)
    level, percent = options.level, f"{100 * options.level:.4g} %"
    columns = _names(options.columns)
    count = count_for_test(options.folder, options.share, columns, options.exact)
    noisy, k, rows = count["release"], len(count["release"].counts), receipt_in(options.folder).get("rows_per_person")
    share = joint_posterior([options.folder], columns).shares[count["category"]]
    one_row, geometric = (rows or 1) == 1, k == 2 and noisy.mechanism in ("geometric", "lattice_laplace")
    best = options.exact and geometric and one_row and side != "unlike"
    notes = {
        "exact on average over the ids of receipts": options.exact,
        "conservative: a true hypothesis is rejected with at most the nominal probability": not options.exact,
        f"no other test of this size and with epsilon {noisy.epsilon:.4g} has more power": best,
        "if the other categories had been merged before the release, the test could have more power": k > 2,
        "all of this holds if the rows are a random sample": one_row,
        f"NOT a random sample: a person may own {rows} rows, and the p-value can be too small": not one_row,
        "p-values from one release are dependent: divide the significance level by the number of p-values": True,
    }
    p = p_value(**count, share=value, alternative=alternative)
    (least, most), (low, high) = guaranteed_interval(**count, level=level), share.interval(level)
    print(f"{options.share}: p-value {p:.4g} for a share of {words} {value:g}")
    print(f"{options.share}: guaranteed {percent} between {least:.4g} and {most:.4g}, whatever the share")
    print(f"{options.share}: share {share.mean:.4g}, {percent} between {low:.4g} and {high:.4g}")
    print("\n".join(f"  {note}" for note, so in notes.items() if so))
