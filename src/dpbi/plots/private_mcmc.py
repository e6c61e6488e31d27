"""Figures of private MCMC: an algorithm has one line in every figure, published medians have an open marker."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .look import LINES, PRINTED, TRUTH, axes, legend_beside

ALGORITHMS = ("penalty", "guided walk", "HMC", "minibatch", "barker", "barker, sharp accounting")
"""The algorithms in the order of their lines."""


def medians_by_epsilon(
    ours: Mapping[str, Sequence[Any]],
    published: Mapping[str, Sequence[Any]],
    model: str,
    *,
    baseline: float | None = None,
    ylabel: str = "maximum mean discrepancy",
    ax: Axes | None = None,
) -> Axes:
    """Median error of the chains of each algorithm against epsilon, with quartiles, beside the published medians."""
    ax = axes(ax)
    if baseline is not None:
        ax.axhline(baseline, **PRINTED, label="exact draws")
    for algorithm, look in zip(ALGORITHMS, LINES, strict=False):
        for table, ours_here in ((ours, True), (published, False)):
            rows = [
                row
                for row in zip(
                    *(table[name] for name in ("model", "algorithm", "epsilon", "q1", "median", "q3")), strict=True
                )
                if row[0] == model and row[1] == algorithm and row[4] == row[4]
            ]
            if not rows:
                continue
            x, low, middle, high = np.array([row[2:] for row in rows], dtype=float).T
            shown: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 5}
            if ours_here:
                ax.errorbar(
                    x - 0.04, middle, [middle - low, high - middle], **shown, linewidth=1.2, capsize=2, label=algorithm
                )
            else:
                ax.plot(
                    x + 0.04, middle, **shown, markerfacecolor="none", linestyle="none", label=f"{algorithm}, published"
                )
    ax.set(xlabel="epsilon", ylabel=ylabel, ylim=(0, None), title=model)
    legend_beside(ax)
    return ax


def draws_and_chain(
    draws: ArrayLike,
    chain: ArrayLike,
    xlabel: str = "first parameter",
    ylabel: str = "second parameter",
    draws_label: str = "exact draws",
    ax: Axes | None = None,
) -> Axes:
    """Draws from a posterior, and the path of one chain over them."""
    ax = axes(ax)
    x, y = np.asarray(draws), np.asarray(chain)
    ax.plot(*x.T[:2], ".", color=TRUTH, markersize=2, alpha=0.5, label=draws_label)
    ax.plot(*y.T[:2], color=LINES[0].color, linewidth=0.7, marker=".", markersize=3, label="one chain")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    legend_beside(ax)
    return ax


def laws_on_grid(
    points: Sequence[float], laws: Mapping[str, Sequence[float]], xlabel: str = "parameter", ax: Axes | None = None
) -> Axes:
    """Laws on one grid of points: the target first, then where chains settle."""
    ax = axes(ax)
    names = list(laws)
    ax.fill_between(points, laws[names[0]], color=TRUTH, alpha=0.25, linewidth=0, label=names[0])
    for name, look in zip(names[1:], LINES, strict=False):
        ax.plot(points, laws[name], color=look.color, marker=look.marker, markersize=4, linewidth=1.2, label=name)
    ax.set(xlabel=xlabel, ylabel="probability", ylim=(0, None))
    legend_beside(ax)
    return ax
