"""Figures that several chapters, or a chapter and a release, share."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from ..inference import Mixture
from .look import CORRECTED, LINES, PRINTED, TRUTH, Style, axes, legend_beside, nth_variant, style, variant_line


def exact_and_bounds(
    x: Sequence[float],
    exact: Mapping[str, Sequence[float]],
    *,
    printed: Mapping[str, Sequence[float]] | None = None,
    corrected: Mapping[str, Sequence[float]] | None = None,
    xlabel: str,
    ylabel: str,
    xscale: str = "linear",
    yscale: str = "linear",
    ax: Axes | None = None,
) -> Axes:
    """Exact quantities against a parameter, with printed and corrected bounds."""
    ax = axes(ax)
    for (name, values), look in zip(exact.items(), LINES, strict=False):
        every = max(1, len(x) // 12)
        ax.plot(
            x, values, color=look.color, marker=look.marker, markersize=4.5, markevery=every, linewidth=1.2, label=name
        )
    for (name, values), dashes in zip((printed or {}).items(), ((5, 2), (8, 2, 2, 2), (2, 1)), strict=False):
        ax.plot(x, values, **PRINTED | {"dashes": dashes}, label=name)
    for (name, values), dots in zip((corrected or {}).items(), ((1, 1.5), (1, 4), (1, 1.5, 4, 1.5)), strict=False):
        ax.plot(x, values, **CORRECTED | {"dashes": dots}, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    if yscale == "linear":
        ax.set_ylim(min(0.0, ax.get_ylim()[0]), None)
    if xscale == "linear" and all(float(value).is_integer() for value in x):
        ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    legend_beside(ax)
    return ax


def mean_errors_by(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    runs: Mapping[str, tuple[Sequence[float], Sequence[float], Sequence[float]]],
    xlabel: str,
    claimed: float | None = None,
    xscale: str = "linear",
    yscale: str = "linear",
    ax: Axes | None = None,
) -> Axes:
    """Expected errors as lines, labels beginning with the mechanism; averages of runs as bars, two standard errors."""
    ax = axes(ax)
    names = [label.split(",")[0] for label in curves]
    for i, (label, (x, exact)) in enumerate(curves.items()):
        look = variant_line(names[i], nth_variant(names, i), len(x))
        ax.plot(x, exact, **look, label=label)
        if label in runs:
            at, averages, deviations = runs[label]
            bars = look | {"linestyle": "none", "markevery": 1, "markersize": 4, "linewidth": 0}
            ax.errorbar(at, averages, yerr=2 * np.asarray(deviations), **bars, elinewidth=1, capsize=3, zorder=3)
    if claimed is not None:
        ax.axvline(claimed, **PRINTED, label="claimed crossover")
    ax.set(xlabel=xlabel, ylabel="expected Hellinger error", xscale=xscale, yscale=yscale)
    if yscale == "linear":
        ax.set_ylim(0, None)
    if xscale == "linear":
        ax.xaxis.set_major_locator(MaxNLocator(5))
    legend_beside(ax)
    return ax


def share_intervals(
    aware: Sequence[Mixture], plugged: Sequence[Mixture], categories: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Mean and 50, 80 and 95 % intervals of each category's share, given the noise and if it is forgotten."""
    ax = axes(ax)
    given = (aware, -0.16, style("lattice_laplace"), "given the noise")
    forgetting = (plugged, 0.16, Style(TRUTH, "o"), "forgetting the noise")
    for shares, shift, look, label in (given, forgetting):
        for row, share in enumerate(shares):
            height = [row + shift] * 2
            for level, width in ((0.95, 1.5), (0.8, 3.5), (0.5, 6.5)):
                ax.plot(share.interval(level), height, color=look.color, linewidth=width, solid_capstyle="butt")
            ax.plot(share.mean, row + shift, look.marker, color="white", markersize=4)
        ax.plot([], [], color=look.color, linewidth=3.5, label=label)
    ax.set_yticks(range(len(categories)), categories, parse_math=False)  # a dollar in a label is a dollar
    ax.set(xlabel="share", ylim=(len(categories) - 0.5, -0.5))
    legend_beside(ax)
    return ax
