"""Figures of the pages beyond the sources: the optimum, honest intervals, any size, speed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .look import (
    GUARANTEE,
    LINES,
    PRINTED,
    STYLES,
    TRUTH,
    VARIANTS,
    Style,
    axes,
    legend_beside,
    nth_variant,
    plain_numbers,
    style,
    variant_line,
)


def ratios_to_the_optimum(
    x: Sequence[float],
    ratios: Mapping[str, Sequence[float]],
    xlabel: str,
    xscale: str = "log",
    ax: Axes | None = None,
) -> Axes:
    """Expected error over the least for a published posterior of possible counts; variants of a mechanism are dashed.

    Labels begin with the name of the mechanism. Mechanisms are listed in the order in which their lines end.
    """
    ax = axes(ax, width=5.6)
    ax.axhline(1, **PRINTED, label="the optimum")
    names = [label.split(",")[0] for label in ratios]
    for i, (label, values) in enumerate(ratios.items()):
        variant = names[:i].count(names[i])
        look = variant_line(names[i], VARIANTS[variant % len(VARIANTS)], len(x))
        ax.plot(x, values, **look, label=None if variant else label)
    if len(set(names)) < len(names):
        words = " or ".join(dict.fromkeys(label.partition(", ")[2] for label in ratios if ", " in label))
        ax.plot([], [], **variant_line(names[0], VARIANTS[1], 1) | {"color": TRUTH, "marker": "o"}, label=words)
    ax.set(xscale=xscale, yscale="log", xlabel=xlabel, ylabel="expected error / optimum")
    ax.set_xticks(x, [f"{value:g}" for value in x], minor=False)
    ax.set_xticks([], minor=True)
    plain_numbers(ax)
    last = {label: ratios[label][-1] for label in ratios}
    drawn = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda pair: -last.get(pair[1], 0.0))
    ax.legend(*zip(*drawn, strict=True), frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def errors_by_dataset(errors: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Expected error at every dataset of two categories, by its first count; labels begin with the mechanism."""
    ax = axes(ax)
    names = [label.split(",")[0] for label in errors]
    for i, (label, values) in enumerate(errors.items()):
        look = variant_line(names[i], nth_variant(names, i), len(values))
        ax.plot(range(len(values)), values, **look, label=label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="first count of the dataset", ylabel="expected Hellinger error", ylim=(0, None))
    legend_beside(ax)
    return ax


def coverages(
    epsilons: Sequence[float],
    plugged: Mapping[str, Mapping[float, Sequence[float]]],
    aware: Mapping[float, Sequence[float]],
    ax: Axes | None = None,
) -> Axes:
    """How often intervals of each level are right, against epsilon: forgetting the noise, and given it."""
    ax = axes(ax)
    for name, by_level in plugged.items():
        for i, values in enumerate(by_level.values()):
            label = f"{name}, forgetting the noise" if i == 0 else None
            ax.plot(epsilons, values, color=style(name).color, marker=style(name).marker, markersize=5, label=label)
    for i, (level, values) in enumerate(aware.items()):
        label = "given the noise, every mechanism" if i == 0 else None
        ax.plot(epsilons, values, color=TRUTH, linestyle="--", linewidth=1.2, label=label)
        ax.annotate(f"{100 * level:g} %", (epsilons[-1], level), xytext=(4, 0), textcoords="offset points", va="center")
    ax.set(xscale="log", xlabel="epsilon", ylabel="covered", ylim=(0, 1.02))
    ax.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons], minor=False)
    ax.set_xticks([], minor=True)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.08, 0.5))
    return ax


def coverage_by_share(
    shares: Sequence[float], curves: Mapping[str, Sequence[float]], level: float, ax: Axes | None = None
) -> Axes:
    """How often an interval contains a fixed share, against that share, one line per kind of interval."""
    ax = axes(ax)
    ax.axhline(level, **PRINTED, label="nominal level")
    for (name, values), look in zip(curves.items(), LINES, strict=False):
        ax.plot(
            shares, values, color=look.color, marker=look.marker, markevery=0.1, markersize=4, linewidth=1, label=name
        )
    ax.set(xlabel="share of the first category", ylabel="covered", xlim=(0, 1), ylim=(-0.02, 1.02))
    legend_beside(ax)
    return ax


def prices_of_privacy(sizes: Sequence[int], ratios: Mapping[float, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Length of the interval given the noise over that of the posterior without noise, a line per epsilon."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="no noise")
    for (epsilon, values), look in zip(ratios.items(), LINES, strict=False):
        drawn: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 4.5, "linewidth": 1.2}
        ax.plot(sizes, values, **drawn, label=f"epsilon {epsilon:g}")
    ax.set(xscale="log", yscale="log", xlabel="records", ylabel="length of the 95 % interval / without noise")
    plain_numbers(ax)
    legend_beside(ax)
    return ax


def times_by_row(
    rows: Sequence[str],
    times: Mapping[str, Sequence[float]],
    xlabel: str,
    limits: Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A row for each thing that was timed and a marker for each label, on a logarithmic axis; and what is allowed."""
    ax = axes(ax)
    others = iter("oDs^v")
    for label, values in times.items():
        look = style(label) if label in STYLES else Style(TRUTH, next(others))
        ax.plot(values, range(len(rows)), look.marker, color=look.color, markersize=7, label=label)
    if limits is not None:
        ax.plot(limits, range(len(rows)), **GUARANTEE, label="target")
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel=xlabel)
    legend_beside(ax)
    return ax


def growth(
    x: Sequence[float],
    times: Mapping[str, Sequence[float]],
    exponents: Mapping[str, float],
    xlabel: str,
    ylabel: str,
    ax: Axes | None = None,
) -> Axes:
    """Times against a size on logarithmic axes, each with the power that fits it best."""
    ax = axes(ax)
    for (label, values), marker in zip(times.items(), "oDs^v", strict=False):
        power = exponents[label]
        level = np.exp(np.mean(np.log(values)) - power * np.mean(np.log(x)))
        ax.plot(x, values, marker, color=TRUTH, markersize=5, label=f"{label}: power {power:.2g}")
        ax.plot(x, level * np.asarray(x, dtype=float) ** power, **PRINTED)
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    legend_beside(ax)
    return ax


def losses_at_any_size(sizes: Sequence[int], losses: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Losses over epsilon against the number of records, labels beginning with the mechanism."""
    ax = axes(ax)
    names = [label.split(",")[0] for label in losses]
    for i, (label, values) in enumerate(losses.items()):
        ax.plot(sizes, values, **variant_line(names[i], nth_variant(names, i), len(sizes)), label=label)
    ax.axhline(1, **PRINTED, label="epsilon itself")
    ax.set(xscale="log", xlabel="records", ylabel="loss / epsilon", ylim=(0, None))
    legend_beside(ax)
    return ax


def far_shares(
    categories: Sequence[int],
    seen: Mapping[str, Sequence[float]],
    fine: Sequence[int],
    predicted: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
) -> Axes:
    """Share of releases that are far from the truth against the number of categories: drawn, and from the formula."""
    ax = axes(ax)
    names = [label.split(",")[0] for label in seen]
    for i, label in enumerate(seen):
        look = variant_line(names[i], nth_variant(names, i), len(categories))
        ax.plot(categories, seen[label], **look | {"linestyle": "none", "markevery": 1}, label=label)
        ax.plot(fine, predicted[label], **look | {"marker": "none"})
    ax.set(xscale="log", xlabel="categories", ylabel="share of far releases", ylim=(-0.03, 1.03))
    ax.set_xticks(categories, [str(k) for k in categories])
    ax.set_xticks([], minor=True)
    legend_beside(ax)
    return ax


def rank_histograms(histograms: Mapping[str, Sequence[int]], p: Sequence[float], ax: Axes | None = None) -> Axes:
    """How often the truth had which rank, a row of bars for each quantity, with what a uniform law expects."""
    ax = axes(ax, height=1 + 0.45 * len(histograms))
    highest = max(max(counts) for counts in histograms.values())
    for row, counts in enumerate(histograms.values()):
        bins, heights = len(counts), 0.85 * np.array(counts) / highest
        ax.bar(np.arange(bins) + 0.5, heights, 0.94, bottom=-row, color=LINES[0].color, alpha=0.7)
        level = heights.mean() - row
        ax.plot([0, bins], [level, level], **PRINTED, label=None if row else "expected")
    ax.set_yticks([0.4 - row for row in range(len(histograms))])
    ax.set_yticklabels([f"{name}, p = {value:.2g}" for name, value in zip(histograms, p, strict=True)])
    ax.set(xlabel=f"rank of the truth among the draws, in {bins} equal parts", xlim=(0, bins))
    ax.yaxis.grid(visible=False)
    legend_beside(ax)
    return ax
