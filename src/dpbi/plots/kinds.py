"""Figures other than curves: rows, intervals, maps, cells, chains, posteriors, densities, histograms and medians."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from numpy.typing import ArrayLike
from scipy.ndimage import gaussian_filter

from ..checks import Floats
from ..inference import Mixture
from .curves import looks
from .look import (
    HEIGHT,
    LINES,
    ON_DARK,
    ON_LIGHT,
    PRINTED,
    TRUTH,
    axes,
    grid,
    in_words,
    label_axes,
    legend,
    named,
    row_names,
    shade,
    style,
)
from .looks import Look

# Algorithms of private MCMC, in the order of their colours.
ALGORITHMS = ("penalty", "guided walk", "HMC", "minibatch", "barker", "barker, printed length")

# Probabilities inside the contours of a posterior, and the number of bins on each axis for the states of a chain.
INSIDE, BINS = (0.9, 0.5), 32

# A guarantee is drawn as a bar and a promise as a ring; both surround the marker of an equal exact value.
_BOUND: dict[str, Any] = {"color": TRUTH, "linestyle": "none", "markerfacecolor": "none"}
GUARANTEE = _BOUND | {"marker": "|", "markersize": 15, "markeredgewidth": 2}
PROMISE = _BOUND | {"marker": "o", "markersize": 12, "markeredgewidth": 1.2}


def rows(
    names: Sequence[str],
    values: Mapping[str, Sequence[float]],
    *,
    xlabel: str,
    bounds: Mapping[str, Sequence[float]] | None = None,
    start: float | None = 0.0,
    at: float | None = None,
    xscale: str = "linear",
    front: Collection[str] = (),
) -> Axes:
    """Figure with one row for each name, a marker for each value, and marks for the bounds of the values.

    A row that is named after a mechanism has the colour and marker of the mechanism. In other rows the label of a value
    determines its colour and marker.

    Args:
        names: Names of the rows, from top to bottom.
        values: Values of the rows, by label.
        xlabel: Name of the horizontal axis.
        bounds: Bounds of the rows, by label: the first entry contains guarantees and the second, if any, promises.
        start: Position where the bars of the values start; None for no bars, for instance on a logarithmic scale.
        at: Position of a vertical line; None for no line.
        xscale: Scale of the horizontal axis, "linear" or "log".
        front: Labels of the values that keep their colours while the others are grey; if empty, all values keep them.

    Returns:
        The axes of the figure.
    """
    ax = axes()
    ax.set_xscale(xscale)
    for (label, found), look in zip(values.items(), looks(values, front=front), strict=True):
        for row, (name, value) in enumerate(zip(names, found, strict=True)):
            own = named(name) or Look(look["color"], look["marker"])
            if start is not None:
                ax.plot([start, value], [row, row], color=own.color, linewidth=2)
            ax.plot(value, row, own.marker, color=own.color, markersize=7)
        shown = look | ({"color": TRUTH, "marker": "o", "markerfacecolor": TRUTH} if any(map(named, names)) else {})
        ax.plot([], [], **shown | ({"linestyle": "none"} if start is None else {}), label=label)
    for (label, found), mark in zip((bounds or {}).items(), (GUARANTEE, PROMISE), strict=False):
        ax.plot(found, range(len(names)), **mark, label=label)
    if at is not None:
        ax.axvline(at, **PRINTED[0], color=TRUTH)
    row_names(ax, map(in_words, names))
    if start is not None:
        ax.set_xlim(start, None)
    label_axes(ax, xlabel)
    legend(ax)
    return ax


def share_intervals(
    aware: Sequence[Mixture], plugged: Sequence[Mixture], categories: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Figure of the mean and the 50, 80 and 95 % intervals of each share, accounting for the noise and ignoring it.

    Args:
        aware: Posterior of each share that takes the noise into account.
        plugged: Plug-in posterior of each share, which ignores the noise.
        categories: Names of the categories.
        ax: Axes to draw on; by default those of a new figure.

    Returns:
        The axes of the figure.
    """
    ax = axes() if ax is None else ax
    given = (aware, -0.16, style("lattice_laplace"), "given the noise")
    ignoring = (plugged, 0.16, Look(TRUTH, "o"), "ignoring the noise")
    for shares, shift, look, label in (given, ignoring):
        for row, share in enumerate(shares):
            height = [row + shift] * 2
            for level, width in ((0.95, 1.5), (0.8, 3.5), (0.5, 6.5)):
                ax.plot(share.interval(level), height, color=look.color, linewidth=width, solid_capstyle="butt")
            ax.plot(share.mean, row + shift, look.marker, color="white", markersize=4)
        ax.plot([], [], color=look.color, linewidth=3.5, label=label)
    row_names(ax, categories)
    ax.set_xlabel("share")
    legend(ax)
    return ax


def contours(x: ArrayLike, y: ArrayLike, values: ArrayLike, *, xlabel: str, ylabel: str, label: str) -> Axes:
    """Map of a quantity over a plane, with colours and contour lines.

    Args:
        x, y: Coordinates, arrays with the same shape as the values.
        values: Values of the quantity; values that are not finite have no colour.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis.
        label: Name of the quantity.

    Returns:
        The axes of the figure.
    """
    ax, shown = axes(3.4), np.ma.masked_invalid(np.asarray(values))
    image = ax.pcolormesh(x, y, shown, cmap="cividis_r", shading="nearest", rasterized=True)
    heights = ax.contour(x, y, shown, levels=6, linewidths=0.7)
    tones = [ON_LIGHT if level < np.mean([shown.min(), shown.max()]) else ON_DARK for level in heights.levels]
    heights.set_edgecolor(tones)
    ax.clabel(heights, fmt="%.2g", colors=tones)
    ax.figure.colorbar(image, ax=ax, label=textwrap.fill(label, 24))
    ax.set(xlabel=xlabel, ylabel=ylabel, aspect="equal")
    ax.grid(visible=False)
    return ax


def cells(
    across: Sequence[float], up: Sequence[int], written: ArrayLike, factors: ArrayLike,
    *, xlabel: str, ylabel: str, label: str,
) -> Axes:  # fmt: skip
    """Table in which each cell shows a number as text and a factor as the colour of the cell.

    Args:
        across: Numbers on the horizontal axis, one for each column.
        up: Numbers on the vertical axis, one for each row.
        written: The number in each cell; the first index is the column and the second is the row.
        factors: The factor of each cell, at least 1; cells whose factor is not finite have no colour.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis.
        label: Name of the factor.

    Returns:
        The axes of the figure.
    """
    ax, numbers = axes(3.2), np.asarray(written)
    shown = np.ma.masked_invalid(np.asarray(factors, float))
    image = ax.imshow(shown.T, origin="lower", aspect="auto", cmap="cividis_r", norm=LogNorm(vmin=1))
    for column, row in np.ndindex(*numbers.shape):
        value = shown[column, row]
        # cells are dark beyond the middle of the logarithmic scale, which begins at 1
        color = ON_DARK if value is not np.ma.masked and value**2 > shown.max() else ON_LIGHT
        ax.text(column, row, f"{numbers[column, row]:.0f}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(across)), [f"{value:.2g}" for value in across], rotation=45)
    ax.set_yticks(range(len(up)), [str(k) for k in up])
    ax.figure.colorbar(image, ax=ax, label=textwrap.fill(label, 24))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(visible=False)
    return ax


def chains(
    draws: ArrayLike,
    paths: Mapping[str, Sequence[ArrayLike]],
    *,
    xlabel: str = "first parameter",
    ylabel: str = "second parameter",
    draws_label: str = "exact draws",
) -> Axes:
    """Figure of draws from the target in the plane, with the paths of chains drawn over them.

    A marker shows the end of each path.

    Args:
        draws: Draws from the target, one row for each draw.
        paths: Paths by label; all paths with the same label have the same colour.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis.
        draws_label: Label of the draws.

    Returns:
        The axes of the figure.
    """
    ax = axes(3.4)
    ax.plot(*np.asarray(draws).T[:2], ".", color=TRUTH, markersize=2, label=draws_label, rasterized=True)
    for (label, found), look, line in zip(paths.items(), cycle(LINES), cycle(("-", ":"))):
        for number, path in enumerate(map(np.asarray, found)):
            ax.plot(*path.T[:2], line, color=look.color, linewidth=1.0, label=None if number else label)
            ax.plot(*path[-1, :2], look.marker, color=look.color, markersize=4)
    label_axes(ax, xlabel, ylabel)
    legend(ax)
    return ax


def posteriors(models: Mapping[str, tuple[Floats, Floats, Floats, ArrayLike]]) -> Axes:
    """Contour plots of exact posteriors in the plane, each beside contours of the states of a chain.

    The contours contain half and nine tenths of the probability. The contours of a posterior are computed from its
    density on a grid, and the contours of a chain from counts of its states in bins, which are smoothed with a standard
    deviation of one bin.

    Args:
        models: Four arrays for each model, by name: the first and second coordinates of a grid, the exact density on
            the grid up to a factor, with one row for each second coordinate, and the states of a chain, with one row
            for each state.

    Returns:
        The first panel.
    """
    panels = grid(len(models), 2, 1.75 * len(models), sharex="row", sharey="row")
    for (left, right), (name, (x, y, exact, states)) in zip(panels, models.items(), strict=True):
        path = np.asarray(states)[:, :2]
        edges = [np.linspace(at[0], at[-1], BINS + 1) for at in (x, y)]
        middles = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
        own = gaussian_filter(np.histogram2d(path[:, 0], path[:, 1], bins=edges)[0].T, 1.0)
        for ax, at, density, color in ((left, (x, y), exact, TRUTH), (right, middles, own, LINES[0].color)):
            levels = [*_levels(density, INSIDE), np.max(density)]
            for low, high, alpha in zip(levels, levels[1:], (0.3, 0.7), strict=False):
                ax.contourf(*at, density, levels=[low, high], colors=[color], alpha=alpha).set_rasterized(True)
        right.contour(x, y, exact, levels=_levels(exact, INSIDE), colors=TRUTH, linewidths=0.7)
        right.plot(*path.T, ".", color=LINES[0].color, markersize=1, rasterized=True)
        left.set_title(name, fontsize="medium")
        right.set_title(f"{len(path)} private states", fontsize="medium")
        left.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        left.locator_params(nbins=3)
    return cast(Axes, panels[0, 0])


def _levels(density: Floats, shares: Sequence[float]) -> list[float]:
    """Levels above which a density on a grid has given fractions of its mass; the fractions are in descending order."""
    heights = np.sort(np.ravel(density))[::-1]
    mass = np.cumsum(heights) / heights.sum()
    return [float(heights[np.searchsorted(mass, share)]) for share in shares]


def densities(x: Sequence[float], laws: Mapping[str, Sequence[float]], *, xlabel: str, ylabel: str) -> Axes:
    """Figure of densities on a common grid, with the first as a shaded area and the others as lines.

    Args:
        x: Points of the grid.
        laws: Values of each density at the points of the grid, by label.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis.

    Returns:
        The axes of the figure.
    """
    ax, (first, *others) = axes(), laws
    ax.fill_between(x, laws[first], **shade(TRUTH), label=first)
    for name, look in zip(others, looks(others), strict=True):
        ax.plot(x, laws[name], **look | {"markersize": 4}, markevery=max(1, len(x) // 20), linewidth=1.2, label=name)
    ax.set_ylim(0, None)
    label_axes(ax, xlabel, ylabel)
    legend(ax)
    return ax


def histograms(counts: Mapping[str, Sequence[int]], *, xlabel: str) -> Axes:
    """Figure of one histogram for each name, with a line at the average height of its bars.

    Args:
        counts: Heights of the bars, by name, with the same number of bars for each name.
        xlabel: Name of the horizontal axis.

    Returns:
        The axes of the figure.
    """
    ax = axes()
    highest = max(map(max, counts.values()))
    for row, found in enumerate(counts.values()):
        bins, heights = len(found), 0.85 * np.array(found) / highest
        ax.bar(np.arange(bins) + 0.5, -heights, 0.94, bottom=row + 0.4, color=LINES[0].color, alpha=0.7)
        level = row + 0.4 - heights.mean()
        ax.plot([0, bins], [level, level], **PRINTED[0], color=TRUTH, label=None if row else "expected")
    row_names(ax, counts)
    ax.set_xlim(0, bins)
    label_axes(ax, xlabel)
    ax.yaxis.grid(visible=False)
    legend(ax)
    return ax


def medians(
    ours: Mapping[str, Sequence[Any]],
    published: Mapping[str, Sequence[Any]] | None,
    models: Sequence[str],
    *,
    ylabel: str,
    column: str = "median",
    baseline: Mapping[str, float] | None = None,
) -> Axes:
    """Figure of the median over the chains of each algorithm against epsilon, with one panel for each model.

    A bar from the first to the third quartile is drawn through each median, and the algorithms are drawn side by side.
    If a column other than the median is drawn, there are no bars, and the panels are arranged in pairs. Published
    values have open markers.

    Args:
        ours: Table with the columns model, algorithm, epsilon, q1, median and q3, or with the column to be drawn in
            place of the last three.
        published: Table of published values with the columns model, algorithm, epsilon and the column to be drawn; None
            if there are no published values.
        models: Names of the models.
        ylabel: Name of the vertical axes.
        column: Name of the column that is drawn.
        baseline: Values of exact draws by model, drawn as horizontal lines.

    Returns:
        The axes of the figure.
    """
    columns = 1 if column == "median" else min(2, len(models))
    lines = -(-len(models) // columns)
    panels = grid(lines, columns, max(HEIGHT, (1.6 if columns == 1 else 1.9) * lines))
    ends = ("q1", "q3") if column == "median" else (column, column)
    for panel, (model, ax) in enumerate(zip(models, panels.flat, strict=False)):
        if baseline and model in baseline:
            ax.axhline(baseline[model], **PRINTED[0], color=TRUTH, label="exact draws")
        budgets = sorted({e for m, e in zip(ours["model"], ours["epsilon"], strict=True) if m == model})
        room = min(np.diff(budgets), default=1.0) if column == "median" else 0.0
        for place, (algorithm, look) in enumerate(zip(ALGORITHMS, LINES, strict=True)):
            shown: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 5}
            if not len(own := _chosen(ours, model, algorithm, (column, *ends))):
                continue
            aside = 0.09 * room * (place - 2)
            x, middle, low, high = own.T
            x = x + aside
            ax.vlines(x, low, high, color=look.color, linewidth=1.2)
            ax.plot(x, middle, **shown, linewidth=1.2, label=algorithm)
            if published and len(theirs := _chosen(published, model, algorithm, (column,))):
                open_ = {"markerfacecolor": "none", "markersize": 8, "linestyle": "none"}
                ax.plot(theirs[:, 0] + aside, theirs[:, 1], **shown | open_)
                ax.plot([], [], "o", color=TRUTH, **open_, label="published")
        ax.set_title(model, fontsize="medium")
        ax.set_ylim(0, 1.05 * ax.get_ylim()[1])
        ax.set_xlabel("epsilon" if panel >= len(models) - columns else "")
        ax.set_ylabel("" if panel % columns else ylabel)
    for ax in panels.flat[len(models) :]:
        ax.set_axis_off()
    legend(panels[0, 0])
    return cast(Axes, panels[0, 0])


def _chosen(table: Mapping[str, Sequence[Any]], model: str, algorithm: str, columns: Sequence[str]) -> Floats:
    """Epsilon and the given columns of a table for one model and one algorithm, without rows that lack a value."""
    entries = zip(*(table[name] for name in ("model", "algorithm", "epsilon", *columns)), strict=True)
    chosen = [row[2:] for row in entries if row[:2] == (model, algorithm) and row[3] is not None]
    found = np.array(sorted(chosen), dtype=np.float64).reshape(-1, 1 + len(columns))
    return found[~np.isnan(found).any(axis=1)]
