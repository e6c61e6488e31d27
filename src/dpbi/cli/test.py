"""``dpbi test``: a hypothesis test of one share, and an interval with guaranteed coverage, from one release."""

import argparse
from typing import Any

from ..checks import real
from ..inference import guaranteed_interval, p_value
from ..publish.conclusions import count_for_test, joint_posterior
from ..publish.receipts import receipt_in

SIDES = {"above": ("greater", "at most"), "below": ("less", "at least"), "unlike": ("two-sided", "exactly")}
"""Alternative hypothesis, and null hypothesis in words, for each option that names the side of the test."""


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("test", help="test a hypothesis about one share, from a release", run=_run)
    parser.add_argument("folder", metavar="DIR", help="folder of a release")
    parser.add_argument("--share", metavar="A", required=True, help="the category, or the cell of a table: 'A, B'")
    sides = parser.add_mutually_exclusive_group(required=True)
    for side, (_, words) in SIDES.items():
        sides.add_argument(f"--{side}", metavar="S", type=float, help=f"null hypothesis: the share is {words} S")
    parser.add_argument("--columns", metavar="A,B", help="for a table: columns of one question")
    parser.add_argument("--level", type=float, default=0.95, help="level of the intervals (default: 0.95)")
    exact = "break ties by a number computed from the id that was stored with the charge; else the test is conservative"
    parser.add_argument("--exact", action="store_true", help=exact)


def _run(options: argparse.Namespace) -> None:
    """Test a hypothesis about one share without a prior, and print the posterior of the share as well.

    Choose the share, the side and the level before you look at the release.
    """
    side, value = next((one, vars(options)[one]) for one in SIDES if vars(options)[one] is not None)
    (alternative, words), value = SIDES[side], real(f"--{side}", value, least=0, most=1)
    level, percent = options.level, f"{100 * options.level:.4g} %"
    columns = options.columns and [name.strip() for name in options.columns.split(",")]
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
