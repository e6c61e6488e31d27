"""Figures of the Hellinger paper: a mechanism keeps its colour and marker, its variants differ in dashes."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from .look import CORRECTED, PRINTED, TRUTH, VARIANTS, axes, legend_beside, style, variant_line


def losses_of_variants(
    sizes: Sequence[int],
    exact: Mapping[str, Sequence[float]],
    bounds: Mapping[str, Sequence[float]],
    promise: float,
    name: str = "smoothed_hellinger",
    ax: Axes | None = None,
) -> Axes:
    """Privacy loss of variants of one mechanism against the number of records, what is proved, and what is promised."""
    ax = axes(ax)
    ax.axhline(promise, **PRINTED, label="promised")
    for (label, values), variant in zip(exact.items(), VARIANTS, strict=False):
        ax.plot(sizes, values, **variant_line(name, variant, len(sizes)), label=label)
    for (label, values), dots in zip(bounds.items(), ((1, 1.5), (1, 4)), strict=False):
        ax.plot(sizes, values, **CORRECTED | {"dashes": dots}, label=label)
    ax.set(xlabel="records", ylabel="privacy loss", ylim=(0, None))
    if max(sizes) > 20 * min(sizes):
        ax.set_xscale("log")
    legend_beside(ax)
    return ax


def profiles_of_variants(
    epsilons: Sequence[float],
    deltas: Mapping[str, Sequence[float]],
    claimed: tuple[float, float],
    name: str = "smoothed_hellinger",
    ax: Axes | None = None,
) -> Axes:
    """The exact delta of variants of one mechanism at each epsilon, and the pair (epsilon, delta) that is claimed."""
    ax = axes(ax)
    for (label, values), variant in zip(deltas.items(), VARIANTS, strict=False):
        shown = np.where(np.asarray(values) > 1e-12, values, np.nan)  # zero has no place on a logarithmic axis
        ax.plot(epsilons, shown, **variant_line(name, variant, len(epsilons)), label=label)
    ax.plot(*claimed, "x", color=TRUTH, markersize=9, markeredgewidth=2, label="claimed")
    ax.set(yscale="log", xlabel="epsilon", ylabel="exact delta", ylim=(min(1e-12, claimed[1] / 10), 2))
    legend_beside(ax)
    return ax


def scores_that_occur(
    scores: Sequence[float],
    probabilities: Sequence[float],
    extended: tuple[Sequence[float], Sequence[float]],
    step: float,
    ax: Axes | None = None,
) -> Axes:
    """The law of the score at one dataset, the weight extended to all scores, and a step that meets no candidate."""
    ax = axes(ax)
    look = style("smoothed_hellinger")
    ax.vlines(scores, 0, probabilities, color=look.color, linewidth=1.3)
    ax.plot(scores, probabilities, look.marker, color=look.color, markersize=5, label="probability of the score")
    ax.plot(*extended, **CORRECTED, label="weight over normaliser, any score")
    ax.axvline(step, **PRINTED, label="score after the step")
    ax.set(xlabel="score", ylabel="probability", ylim=(0, None))
    ax.legend(frameon=False, loc="upper left")
    return ax


def distances_from_print(
    differences: Mapping[str, Mapping[str, float]], reached: float = 1e-11, ax: Axes | None = None
) -> Axes:
    """Largest relative difference from a printed column, per setting and column; left of the line all digits agree."""
    ax = axes(ax, height=0.9 + 0.3 * sum(len(rows) for rows in differences.values()))
    labels: list[str] = []
    for (column, rows), look in zip(differences.items(), ("ehdl", "laplace_in_order", "ehd"), strict=False):
        for setting, difference in rows.items():
            shown = max(difference, 1e-16)  # doubles know no less
            ax.plot([1e-16, shown], [len(labels)] * 2, color=style(look).color, linewidth=2)
            ax.plot(shown, len(labels), style(look).marker, color=style(look).color, markersize=6)
            labels.append(f"{column}: {setting}")
    ax.axvline(reached, **PRINTED)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="largest relative difference from the printed column")
    return ax
