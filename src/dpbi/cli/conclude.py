"""``dpbi conclude``: what follows from releases of the same records, put together."""

import argparse
import csv
import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks import Floats
from ..inference import Conclusion, Mixture
from ..publish.conclusions import joint_posterior, joint_table
from ..publish.folders import receipt_in


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "conclude",
        help="shares, differences and ratios given one or more releases of the same records",
        description="Shares given releases of the same records, exactly, and differences and ratios of shares by "
        "independent draws of their joint posterior.",
    )
    parser.add_argument("folders", metavar="DIR", nargs="+", help="folders of releases")
    parser.add_argument("--columns", help="of a table the question: a,b")
    parser.add_argument(
        "--difference",
        metavar="A,B",
        action="append",
        default=[],
        help="share of A minus that of B; A;B if commas are in them",
    )
    parser.add_argument("--ratio", metavar="A,B", action="append", default=[], help="share of A over share of B")
    parser.add_argument("--draws", type=int, help="draws for differences and ratios; 20000, or 4000 with --together")
    parser.add_argument("--seed", type=int, default=1, help="seed of these draws")
    parser.add_argument(
        "--together",
        action="store_true",
        help="of tables: all questions about these columns at once, by a chain over the hidden table",
    )
    parser.add_argument("--prior", type=float, default=1.0, help="with --together: prior of each cell; 1 if none")
    parser.add_argument("--sweeps", type=int, default=4, help="with --together: sweeps between two draws")
    parser.add_argument(
        "--synthetic", metavar="FILE", help="with --together: as many synthetic rows as there were records, as CSV"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if options.draws is None:
        options.draws = 4000 if options.together else 20_000
    if not 100 <= options.draws <= 10_000_000:
        raise ValueError(f"--draws must be an integer >= 100 and <= 10000000, got {options.draws}")
    columns = None if options.columns is None else [name.strip() for name in options.columns.split(",")]
    if options.together:
        _together(options, columns)
        return
    if options.synthetic is not None:
        raise ValueError("--synthetic must come with --together, which draws whole tables")
    joint = joint_posterior(options.folders, columns=columns)
    receipt = receipt_in(options.folders[0])
    labels = receipt.get("categories")
    if labels is None:
        labels = next(each["cells"] for each in receipt["questions"] if each["columns"] == columns)
    seed = options.seed
    _tell(options, labels, joint.shares, lambda f: joint.conclude(f, np.random.default_rng(seed), options.draws))


def _together(options: argparse.Namespace, columns: list[str] | None) -> None:
    """All questions at once: the shares of all cells, whether the chain has mixed, and a synthetic table if asked."""
    rng = np.random.default_rng(options.seed)
    kept = max(25, options.draws // 4)
    done = joint_table(options.folders, rng, options.prior, columns, draws=kept, sweeps=options.sweeps,
                       progress=sys.stderr.isatty())  # fmt: skip
    sampled = done.sampled
    axes = range(len(done.columns))
    cells = list(itertools.product(*done.categories))
    labels = [", ".join(map(str, cell)) for cell in cells]
    what = f"{len(sampled.counts)} draws of {len(cells)} cells"
    state = "" if sampled.mixed else ": NOT MIXED, do not rely on them"
    measured = f"worth {sampled.worth:.0f}, ratio of variances {sampled.ratio:.3g}{state}"
    print(f"{', '.join(done.columns)}: {what}, {measured}")
    for names in done.left_out:
        print(f"not used, since it is also about other columns: {', '.join(names)}")

    def concluded(function: Callable[[Floats], Floats]) -> Conclusion:
        return sampled.conclude(lambda table: function(table.reshape(len(table), -1)), rng)

    _tell(options, labels, sampled.shares(list(axes)), concluded)
    if options.synthetic is not None:
        n = int(sampled.counts[0].sum())
        drawn = sampled.predicted(rng, n)[-1]
        with open(options.synthetic, "x", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["synthetic_row", *done.columns])
            rows = (cell for cell, count in zip(cells, drawn.tolist(), strict=True) for _ in range(count))
            writer.writerows([number, *cell] for number, cell in enumerate(rows, start=1))
        print(f"{n} synthetic rows in {options.synthetic}: one draw of what new records could be, about nobody")


def _tell(
    options: argparse.Namespace,
    labels: Sequence[Any],
    shares: Sequence[Mixture],
    conclude: Callable[[Callable[[Floats], Floats]], Conclusion],
) -> None:
    """A line for each share, each difference and each ratio."""
    for label, share in zip(labels, shares, strict=True):
        low, high = share.interval(0.95)
        print(f"{label}: share {share.mean:.4g}, 95 % within {low:.4g} and {high:.4g}")
    pairs: list[tuple[str, Callable[..., Any], str]] = [("minus", np.subtract, pair) for pair in options.difference]
    pairs += [("over", np.divide, pair) for pair in options.ratio]
    for word, operation, pair in pairs:
        first, second = _pair(pair, list(map(str, labels)))
        found = conclude(_of(operation, first, second))
        low, high = found.interval
        middle = f"{found.mean:.4g} (by draws, ± {found.standard_error:.1g})"
        if word == "over":  # it may have no mean
            middle = f"median {found.median:.4g}"
        told = f"{middle}, 95 % within {low:.4g} and {high:.4g}"
        print(f"{labels[first]} {word} {labels[second]}: {told}")


def _pair(text: str, labels: list[str]) -> tuple[int, int]:
    names = [name.strip() for name in text.split(";" if ";" in text else ",")]
    if len(names) != 2 or not set(names) <= set(labels):
        raise ValueError(f"a difference or ratio must be of two categories, of {', '.join(labels)}, got {text!r}")
    return labels.index(names[0]), labels.index(names[1])


def _of(operation: Callable[[Floats, Floats], Floats], first: int, second: int) -> Callable[[Floats], Floats]:
    return lambda theta: operation(theta[:, first], theta[:, second])
