"""Figures of the notes. What is exact has markers and a solid line, what is printed is dashed, what is correct is
dotted; the colour is the mechanism's.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from .look import (
    CORRECTED,
    ON_DARK,
    ON_LIGHT,
    PRINTED,
    TRUTH,
    axes,
    exact_line,
    legend_beside,
    plain_numbers,
    shade,
    style,
)


def losses_by_smoothing(
    gammas: Sequence[float],
    exact: Mapping[str, Sequence[float]],
    bounds: Mapping[str, Sequence[float]],
    others: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Loss over epsilon against gamma: exact and bounded for each divisor of EHDS; one level per other mechanism."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="promise")
    for name, loss in others.items():
        ax.axhline(loss, color=style(name).color, linewidth=1, zorder=1)
        ax.plot(gammas[-1], loss, **exact_line(name, 6), label=name)
    for (name, losses), dashes in zip(exact.items(), ((None, None), (4, 1.5)), strict=False):
        ax.plot(gammas, losses, **exact_line("ehds", 6), dashes=dashes, label=name)
    for (name, losses), dashes in zip(bounds.items(), ((1, 1.5), (1, 4)), strict=False):
        ax.plot(gammas, losses, **CORRECTED | {"dashes": dashes}, label=name)
    ax.set(xscale="log", xlabel="gamma", ylabel="loss / epsilon", ylim=(0, max(1.6, 1.1 * _most(exact.values()))))
    legend_beside(ax)
    return ax


def losses_by_weight(
    weights: Sequence[float],
    printed: Sequence[float],
    corrected: Sequence[float],
    local: Sequence[float],
    ax: Axes | None = None,
) -> Axes:
    """Loss over epsilon against the prior weight: EHD with the printed sensitivity, EHD, and EHDL."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="promise")
    ax.plot(weights, printed, **exact_line("ehd"), linestyle="--", label="ehd, with the printed sensitivity")
    ax.plot(weights, corrected, **exact_line("ehd"), label="ehd")
    ax.plot(weights, local, **exact_line("ehdl"), label="ehdl")
    ax.set(xscale="log", xlabel="prior weight of both categories", ylabel="loss / epsilon", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def losses_by_size(
    sizes: Sequence[int], losses: Mapping[float, Sequence[float]], bound: float, ax: Axes | None = None
) -> Axes:
    """Loss over epsilon of EHDL against the number of records, a line per prior weight, and its bound."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="epsilon itself")
    ax.axhline(bound, **CORRECTED, label="proved for two categories")
    look = style("ehdl").color
    for (weight, values), marker in zip(losses.items(), "^osDv<>", strict=False):
        ax.plot(sizes, values, color=look, marker=marker, markersize=4.5, linewidth=1, label=f"prior weight {weight:g}")
    ax.set(xscale="log", xlabel="records", ylabel="loss / epsilon", ylim=(0, 1.1 * max(bound, _most(losses.values()))))
    legend_beside(ax)
    return ax


def error_ratios(
    sizes: Sequence[int],
    least: Sequence[float],
    balanced: Sequence[float],
    most: Sequence[float],
    bound: float,
    ax: Axes | None = None,
) -> Axes:
    """The error quantile of LSHist in local sensitivities against the number of records: all datasets, and a bound."""
    ax = axes(ax)
    look = style("lshist")
    ax.fill_between(sizes, least, most, **shade(look.color), label="all datasets")
    ax.plot(sizes, balanced, **exact_line("lshist"), label="balanced dataset")
    ax.axhline(bound, **CORRECTED, label="corrected bound")
    ax.set(xscale="log", xlabel="records", ylabel="error quantile / local sensitivity", ylim=(0, 1.15 * bound))
    ax.legend(frameon=False, loc="lower right")
    return ax


def error_ratios_by_dataset(ratios: Sequence[float], bound: float, ax: Axes | None = None) -> Axes:
    """The same ratio at every dataset of one size, by its first count."""
    ax = axes(ax)
    ax.plot(range(len(ratios)), ratios, **exact_line("lshist") | {"linewidth": 0.6}, label="exact")
    ax.axhline(bound, **CORRECTED, label="corrected bound")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count", ylabel="error quantile / local sensitivity", ylim=(0, 1.15 * bound))
    ax.legend(frameon=False, loc="lower right")
    return ax


def error_ratios_by_epsilon(
    epsilons: Sequence[float], balanced: Sequence[float], ends: Sequence[float], ax: Axes | None = None
) -> Axes:
    """Error quantile over epsilon local sensitivities at gamma = exp(-epsilon), with the two orders printed for it."""
    ax = axes(ax)
    ax.plot(epsilons, balanced, **exact_line("lshist", 6), label="balanced dataset")
    ax.plot(
        epsilons, ends, **exact_line("lshist", 6) | {"markerfacecolor": "none"}, label="all records in one category"
    )
    ax.plot(epsilons, [1 / epsilon for epsilon in epsilons], **PRINTED, label="printed in the proof: 1 / epsilon")
    ax.plot(epsilons, epsilons, **PRINTED | {"linestyle": "-."}, label="printed order: epsilon")
    ax.set(xscale="log", xlabel="epsilon", ylabel="error quantile /\n(epsilon times local sensitivity)")
    ax.set_yscale("symlog", linthresh=min(epsilons))
    ax.set_ylim(-0.3 * min(epsilons), 2 / min(epsilons))
    legend_beside(ax)
    return ax


def quantiles_in_steps(
    reach: Sequence[float],
    exact: Sequence[float],
    printed: Sequence[float],
    corrected: Sequence[float],
    local: float,
    ax: Axes | None = None,
) -> Axes:
    """The error quantile against ln(1/gamma)/epsilon, with the farthest distance within that many steps, both ways."""
    ax = axes(ax)
    ax.step(reach, exact, where="post", color=style("lshist").color, linewidth=2, label="error quantile of lshist")
    ax.step(reach, printed, where="post", **PRINTED, label="bound as printed")
    ax.step(reach, corrected, where="post", **CORRECTED, label="bound with the number of steps rounded up")
    ax.axhline(local, color=style("ehdl").color, linewidth=1, label="local sensitivity")
    ax.set(xlabel="ln(1/gamma) / epsilon", ylabel="Hellinger distance", ylim=(0, 1.4 * max(corrected)))
    ax.legend(frameon=False, loc="upper left")
    return ax


def step_constants(
    steps: Sequence[int],
    ratios: Mapping[str, Sequence[float]],
    constants: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """The farthest distance in m steps over m local sensitivities, against m, a line per prior."""
    ax = axes(ax)
    colors = ("ehd", "lshist", "ehdl", "ehds", "smoothed_hellinger")
    for (name, values), look in zip(ratios.items(), colors, strict=False):
        ax.plot(steps, values, **exact_line(look), label=f"prior weights {name}")
    for (name, value), line in zip(constants.items(), (":", "-."), strict=False):
        ax.axhline(value, **CORRECTED | {"linestyle": line}, label=name)
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="steps m", ylabel="largest distance / (m LS)", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def fractional_steps(
    steps: Sequence[float], printed: Sequence[float], floored: Sequence[float], local: float, ax: Axes | None = None
) -> Axes:
    """How far noise of k goes when only one parameter is rounded, and when both are, against k."""
    ax = axes(ax)
    ax.plot(steps, printed, **PRINTED, label="first parameter not rounded")
    ax.step(steps, floored, where="post", color=style("lshist").color, linewidth=2, label="both rounded")
    ax.axhline(local, color=style("ehdl").color, linewidth=1, label="local sensitivity")
    ax.set(xlabel="noise k", ylabel="Hellinger distance", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def interval_constants(
    epsilons: Sequence[float], natural: Sequence[float], binary: Sequence[float], ax: Axes | None = None
) -> Axes:
    """The bound of Corollary 4.4.1 in either logarithm against epsilon, the printed constant 2 and the sharp one."""
    ax = axes(ax)
    ax.plot(epsilons, natural, color=style("lshist").color, linewidth=2, label="natural logarithm")
    ax.plot(epsilons, binary, color=style("ehd").color, linewidth=2, label="binary logarithm")
    ax.axhline(2, **PRINTED, label="printed constant")
    ax.axhline(1.5, **CORRECTED, label="sharp constant")
    ax.set(xscale="log", xlabel="epsilon", ylabel="value", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def steps_inside(down: Sequence[int], up: Sequence[int], ax: Axes | None = None) -> Axes:
    """How many steps down and up stay within t, at every dataset of one size; shaded where they reach an end."""
    ax = axes(ax)
    x = np.arange(len(down))
    n = len(x) - 1
    ends = (np.asarray(down) >= x) | (np.asarray(up) >= n - x)
    ax.fill_between(x, 0, 1, where=ends, step="mid", transform=ax.get_xaxis_transform(), **shade(TRUTH),
                    label="noise cut back to an end")  # fmt: skip
    ax.plot(x, down, "v", color=style("lshist").color, markersize=5, label="steps down")
    ax.plot(x, up, "^", color=style("ehd").color, markersize=5, label="steps up")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count", ylabel="steps inside t", ylim=(-0.3, None))
    ax.legend(frameon=False)
    return ax


def probabilities_by_dataset(
    exact: Mapping[str, Sequence[float]],
    printed: Mapping[str, Sequence[float]],
    corrected: Mapping[str, Sequence[float]],
    ax: Axes | None = None,
) -> Axes:
    """Probability of an error below t at every dataset of one size: exact, as printed, as corrected."""
    ax = axes(ax)
    for name, values in exact.items():
        look, x = style(name), range(len(values))
        ax.plot(x, values, look.marker, color=look.color, markersize=5, label=f"{name}, exact")
        ax.plot(x, printed[name], color=look.color, linestyle="--", linewidth=1.2, label=f"{name}, as printed")
        ax.plot(x, corrected[name], color=look.color, linestyle=":", linewidth=1.6, label=f"{name}, corrected")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count", ylabel="Pr[H < t]", ylim=(0, 1.03))
    legend_beside(ax)
    return ax


def bounds_over_truth(
    values: Sequence[float],
    name: str,
    printed: Sequence[Sequence[float]],
    corrected: Sequence[Sequence[float]],
    parameter: str,
    ax: Axes | None = None,
) -> Axes:
    """Lower and upper bounds divided by the exact probability, against a parameter: they cross the truth at 1."""
    ax = axes(ax)
    look = style(name)
    ax.axhline(1, color=look.color, linewidth=1.2, label=f"{name}, exact")
    for bounds, line, label in ((printed, "--", "as printed"), (corrected, ":", "corrected")):
        for bound, marker, side in zip(bounds, ("v", "^"), ("lower", "upper"), strict=True):
            ax.plot(values, bound, color=look.color, linestyle=line, marker=marker, markersize=4, linewidth=1.4,
                    markerfacecolor=look.color if line == "--" else "none", label=f"{side} bound, {label}")  # fmt: skip
    ax.set(xscale="log", xlabel=parameter, ylabel="bound / Pr[H < t]", yscale="log")
    plain_numbers(ax)
    legend_beside(ax)
    return ax


def crossover_sizes(
    epsilons: Sequence[float],
    exact: Sequence[float],
    below: Sequence[float],
    above: Sequence[float],
    proved: Sequence[float],
    ax: Axes | None = None,
) -> Axes:
    """The size from which LSHist is ahead of EHD with the printed sensitivity, exact and claimed, against epsilon."""
    ax = axes(ax)
    ax.plot(epsilons, above, **PRINTED, label="claimed: above it lshist is ahead")
    ax.plot(epsilons, proved, **CORRECTED, label="proved: above it lshist is ahead")
    ax.plot(epsilons, exact, **exact_line("lshist"), label="exact")
    ahead = "claimed: below it ehd with the printed sensitivity is ahead"
    ax.plot(epsilons, below, **PRINTED | {"linestyle": "-."}, label=ahead)
    ax.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="records")
    plain_numbers(ax)
    ax.legend(frameon=False)
    return ax


def crossover_map(
    epsilons: Sequence[float], steps: Sequence[int], exact: ArrayLike, claimed: ArrayLike, ax: Axes | None = None
) -> Axes:
    """The factor between claimed and exact size as a colour for every epsilon and k, the exact size written in."""
    ax = axes(ax)
    sizes = np.asarray(exact)
    ratios = np.ma.masked_invalid(np.asarray(claimed, float) / sizes)
    factors = np.ma.maximum(ratios, 1 / ratios)
    cells = ax.imshow(factors.T, origin="lower", aspect="auto", cmap="cividis_r", norm=LogNorm(vmin=1))
    for row, column in np.ndindex(*sizes.shape):
        color = "black"  # of the page, where nothing is claimed
        if not np.ma.is_masked(factors[row, column]):
            color = ON_DARK if factors[row, column] ** 2 > factors.max() else ON_LIGHT
        ax.text(row, column, f"{sizes[row, column]:.0f}", ha="center", va="center", color=color)
    ax.set_xticks(range(len(epsilons)), [f"{epsilon:.2g}" for epsilon in epsilons], rotation=45)
    ax.set_yticks(range(len(steps)), [str(k) for k in steps])
    bar = ax.figure.colorbar(cells, ax=ax, label="factor between claimed and exact size", format="{x:g}")
    bar.ax.yaxis.set_minor_formatter("{x:g}")
    ax.set(xlabel="epsilon", ylabel="steps k inside t")
    ax.grid(visible=False)
    return ax


def good_set_sizes(
    epsilons: Sequence[float],
    exact: Sequence[float],
    proof: Sequence[float],
    printed: Sequence[float],
    ax: Axes | None = None,
) -> Axes:
    """The size from which LSHist is the better at every dataset, exact, as in the proof and as printed."""
    ax = axes(ax)
    ax.plot(epsilons, proof, **CORRECTED, label="size in the proof")
    ax.plot(epsilons, exact, **exact_line("lshist"), label="exact")
    ax.plot(epsilons, printed, **PRINTED, label="order as printed, constant 2")
    ax.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="records")
    plain_numbers(ax)
    ax.legend(frameon=False)
    return ax


def _most(rows: Iterable[Sequence[float]]) -> float:
    return max(max(row) for row in rows)
