"""Figures of private MCMC: an algorithm has one line in every figure, published medians have an open marker."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .look import LINES, PRINTED, TRUTH, axes, grid, legend_beside, shade

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
    ax.plot(*x.T[:2], ".", color=TRUTH, markersize=2, label=draws_label)
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
    ax.fill_between(points, laws[names[0]], **shade(TRUTH), label=names[0])
    for name, look in zip(names[1:], LINES, strict=False):
        ax.plot(points, laws[name], color=look.color, marker=look.marker, markersize=4, linewidth=1.2, label=name)
    ax.set(xlabel=xlabel, ylabel="probability", ylim=(0, None))
    legend_beside(ax)
    return ax


def shares_by_epsilon(
    ours: Mapping[str, Sequence[Any]],
    column: str,
    published: Mapping[str, Sequence[Any]] | None = None,
    ylabel: str | None = None,
) -> Axes:
    """A median of the chains against epsilon, a panel for each model; open markers are the published medians."""
    models = list(dict.fromkeys(ours["model"]))
    lines = max(1, -(-len(models) // 2))
    panels = grid(lines, 2, (8.5, 2.4 * lines))
    for model, ax in zip(models, map(axes, panels.flat), strict=False):
        for algorithm, look in zip(dict.fromkeys(ours["algorithm"]), LINES, strict=False):
            for table, filled in ((ours, True), (published, False)):
                if table is None:
                    continue
                entries = zip(*(table[name] for name in ("model", "algorithm", "epsilon", column)), strict=True)
                found = sorted(row[2:] for row in entries if row[:2] == (model, algorithm) and _known(row[3]))
                if not found:
                    continue
                x, y = np.array(found, dtype=float).T
                style: dict[str, Any] = (
                    {"linestyle": "-"} if filled else {"linestyle": "none", "markerfacecolor": "none"}
                )
                shown = {"color": look.color, "marker": look.marker, "markersize": 4 if filled else 8, "linewidth": 1.0}
                ax.plot(x, y, **style | shown, label=algorithm if filled else None)
        ax.set(title=model, xlabel="epsilon", ylabel=ylabel or column, ylim=(0, None))
    for ax in panels.flat[len(models) :]:
        ax.set_axis_off()
    handles = {
        label: handle for ax in panels.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    panels.flat[0].figure.legend(handles.values(), handles, frameon=False, loc="outside lower center", ncols=3)
    first: Axes = panels.flat[0]
    return first


def medians_beside(found: Mapping[str, Sequence[Any]], ax: Axes | None = None) -> Axes:
    """Our medians against the published ones, and the range over other data sets as a bar."""
    ax = axes(ax)
    names = ("published", "median", "least", "most", "replayed")
    rows = [row for row in zip(*(found[name] for name in names), strict=True) if _known(row[1])]
    for label, look, chosen in (
        ("replayed", LINES[0], [row for row in rows if row[4] is not None]),
        ("run anew", LINES[1], [row for row in rows if row[4] is None]),
    ):
        if chosen:
            x, y = np.array([row[:2] for row in chosen], dtype=float).T
            ax.plot(x, y, linestyle="none", marker=look.marker, color=look.color, markersize=4, label=label)
    bars = [(row[0], *row[2:4]) for row in rows if _known(row[2])]
    if bars:
        x, low, high = np.array(bars, dtype=float).T
        ax.vlines(x, low, high, color=TRUTH, linewidth=0.8, label="other data sets")
    ends = [0, max((row[0] for row in rows), default=1.0)]
    ax.plot(ends, ends, **PRINTED, label="equal")
    ax.set(xlabel="published median error", ylabel="median error here")
    legend_beside(ax)
    return ax


def paths(draws: ArrayLike, found: Sequence[tuple[ArrayLike, bool]], ax: Axes | None = None) -> Axes:
    """Trajectories over exact draws: solid where the end was accepted, dotted where not, their ends marked."""
    ax = axes(ax)
    ax.plot(*np.asarray(draws).T, ".", color=TRUTH, markersize=2, label="exact draws")
    for accepted, look, line in ((True, LINES[0], "-"), (False, LINES[1], ":")):
        for number, points in enumerate(np.asarray(points) for points, taken in found if taken == accepted):
            label = ("accepted" if accepted else "refused") if number == 0 else None
            ax.plot(*points.T, line, color=look.color, linewidth=1.0, label=label)
            ax.plot(*points[-1], marker=look.marker, color=look.color, markersize=4)
    ax.set(xlabel="first coordinate", ylabel="second coordinate", aspect="equal")
    legend_beside(ax)
    return ax


def _known(value: Any) -> bool:
    return value is not None and value == value
