"""``dpbi conclude``: what follows from releases of the same records, put together."""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import Floats
from ..publish.conclusions import joint_posterior
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
    parser.add_argument("--draws", type=int, default=20_000, help="draws for differences and ratios")
    parser.add_argument("--seed", type=int, default=1, help="seed of these draws")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> None:
    if not 100 <= options.draws <= 10_000_000:
        raise ValueError(f"--draws must be an integer >= 100 and <= 10000000, got {options.draws}")
    columns = None if options.columns is None else [name.strip() for name in options.columns.split(",")]
    joint = joint_posterior(options.folders, columns=columns)
    receipt = receipt_in(options.folders[0])
    labels = receipt.get("categories")
    if labels is None:
        labels = next(each["cells"] for each in receipt["questions"] if each["columns"] == columns)
    for label, share in zip(labels, joint.shares, strict=True):
        low, high = share.interval(0.95)
        print(f"{label}: share {share.mean:.4g}, 95 % within {low:.4g} and {high:.4g}")
    pairs: list[tuple[str, Callable[..., Any], str]] = [("minus", np.subtract, pair) for pair in options.difference]
    pairs += [("over", np.divide, pair) for pair in options.ratio]
    for word, operation, pair in pairs:
        first, second = _pair(pair, list(map(str, labels)))
        found = joint.conclude(_of(operation, first, second), np.random.default_rng(options.seed), options.draws)
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
