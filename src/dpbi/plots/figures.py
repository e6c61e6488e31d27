"""Figures, one function each: every one takes ``ax=None``, draws on it or on a new one, and returns the Axes.

A mechanism has one colour and one marker in every figure of the book.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.ticker import LogLocator, MaxNLocator
from numpy.typing import ArrayLike
from scipy import stats

from ..accuracy.errors import error_law
from ..inference.shares import Mixture
from ..mechanisms import Mechanism
from ..model.datasets import count_vectors
from ..model.distances import posterior
from ..model.sensitivities import (
    PRINTED_GLOBAL_SENSITIVITY,
    exponential_smooth_sensitivity,
    global_sensitivity,
    local_sensitivity,
    reciprocal_smooth_sensitivity,
)
from ..privacy.losses import audit, hockey_stick


class Style(NamedTuple):
    """How a mechanism is drawn."""

    color: str
    marker: str


# Each colour has a contrast of at least 3 with white and with the dark page, and any two stay apart for colour-blind
# eyes; the markers say the same thing without colour. Noise on the counts is mostly cool, the exponential kind warm.
STYLES: dict[str, Style] = {
    "lszhang": Style("#7F7F7F", "v"),
    "lsdim": Style("#A34615", "<"),
    "lshist": Style("#4C55D9", "s"),
    "geometric": Style("#00A0B6", "P"),
    "lattice_laplace": Style("#778BE0", "X"),
    "laplace_in_order": Style("#8420FD", "D"),
    "ehd": Style("#FF5000", "o"),
    "ehdl": Style("#A5904F", "^"),
    "ehds": Style("#739F1E", "*"),
    "smoothed_hellinger": Style("#BF3051", "h"),
}
TRUTH = "#5F6B76"
"""The colour of what is exact and public, or no mechanism's."""

PRINTED: dict[str, Any] = {"color": TRUTH, "linestyle": "--", "linewidth": 1.2}
"""How a printed constant or bound is drawn beside the exact values."""

_BOUND = {"color": TRUTH, "linestyle": "none"}
GUARANTEE: dict[str, Any] = _BOUND | {"marker": "|", "markersize": 17, "markeredgewidth": 2}
PROMISE: dict[str, Any] = _BOUND | {"marker": "o", "markersize": 13, "markerfacecolor": "none", "markeredgewidth": 1.2}
"""How what is proved is drawn around what is true: a bar through it, a ring about it."""


def style(mechanism: Mechanism | str) -> Style:
    """The colour and marker of a mechanism, whatever words follow its name."""
    name = mechanism if isinstance(mechanism, str) else mechanism.name
    known = name.split(",")[0]
    if known not in STYLES:
        raise ValueError(f"mechanism must be one of {', '.join(STYLES)}, got {name!r}")
    return STYLES[known]


def axes(ax: Axes | None = None, width: float = 6.4) -> Axes:
    """The Axes given, or new ones in the style of the book; narrow ones keep their words large when shown small."""
    if ax is None:
        ax = plt.subplots(figsize=(width, 3.8), dpi=144, layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def posteriors(
    prior: ArrayLike, counts: ArrayLike, released: ArrayLike, mechanism: Mechanism, ax: Axes | None = None
) -> Axes:
    """Density of the first category's share under the true posterior and under a released one."""
    ax = axes(ax)
    share = np.linspace(0, 1, 801)[1:-1]
    truth: dict[str, Any] = {"color": TRUTH, "label": "true posterior"}
    release: dict[str, Any] = {"color": style(mechanism).color, "linestyle": "--", "label": "released posterior"}
    for x, look in ((counts, truth), (released, release)):
        a = posterior(prior, x)
        ax.plot(share, stats.beta.pdf(share, a[0], a[1:].sum()), **look)
    ax.set(xlabel="share of the first category", ylabel="density", xlim=(0, 1), ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def errors(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, ax: Axes | None = None) -> Axes:
    """The exact law of the Hellinger error at one dataset: a stem per distance, as high as it is probable."""
    ax = axes(ax)
    law, look = error_law(mechanism, prior, counts), style(mechanism)
    ax.vlines(law.distances, 0, law.probabilities, color=look.color, linewidth=1.5)
    ax.plot(law.distances, law.probabilities, look.marker, color=look.color, label=mechanism.name)
    ax.set(xlabel="Hellinger error", ylabel="probability", xlim=(-0.02, 1.02), ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def local_sensitivities(prior: ArrayLike, largest: int, ax: Axes | None = None) -> Axes:
    """Local sensitivity of every dataset with up to ``largest`` records in each of two categories, as a map."""
    ax = axes(ax)
    counts = np.stack(np.meshgrid(np.arange(largest + 1), np.arange(largest + 1), indexing="xy"), axis=-1)
    values = np.ma.masked_equal(local_sensitivity(prior, counts), 0)  # nothing moves where there is no record
    first, second = np.moveaxis(posterior(prior, counts), -1, 0)
    image = ax.pcolormesh(first, second, values, cmap="cividis_r", shading="nearest", rasterized=True)
    lines = ax.contour(first, second, values, levels=6, colors="white", linewidths=0.7)
    ax.clabel(lines, fmt="%.2g", fontsize=8)
    ax.figure.colorbar(image, ax=ax, label="local sensitivity")
    ax.set(xlabel="first posterior parameter", ylabel="second posterior parameter", aspect="equal")
    ax.grid(visible=False)
    return ax


def score_changes(candidates: ArrayLike, changes: ArrayLike, counts: ArrayLike, ax: Axes | None = None) -> Axes:
    """How much the score of each candidate can change when one record is replaced, by the candidate's first count."""
    ax = axes(ax)
    ax.plot(np.asarray(candidates)[:, 0], changes, "o", color=TRUTH, markersize=4, label="largest change of the score")
    ax.axvline(float(np.asarray(counts)[0]), **PRINTED, label="the dataset itself")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count of the candidate", ylabel="change", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def global_sensitivities(priors: Sequence[Sequence[float]], sizes: Sequence[int], ax: Axes | None = None) -> Axes:
    """Exact global sensitivity against the number of records, one line per prior, and the printed constant."""
    ax = axes(ax)
    lines = iter(("-", ":", "-.", (0, (5, 1, 1, 1, 1, 1))))
    for prior, marker in zip(priors, "osD^v<>", strict=False):
        values = [global_sensitivity(prior, n) for n in sizes]
        name = ", ".join(f"{weight:g}" for weight in prior)
        ax.plot(
            sizes, values, marker=marker, markersize=4, linewidth=1, linestyle=next(lines, "-"), label=f"prior ({name})"
        )
    ax.axhline(PRINTED_GLOBAL_SENSITIVITY, **PRINTED, label="printed constant")
    ax.set(xscale="log", xlabel="records", ylabel="global sensitivity", ylim=(0, None))
    ax.legend(frameon=False, ncols=2)
    return ax


def sensitivities(prior: ArrayLike, n: int, beta: float, gamma: float, ax: Axes | None = None) -> Axes:
    """Every sensitivity of every dataset of n records in two categories, by its first count."""
    ax = axes(ax)
    datasets = count_vectors(n, 2)
    first = datasets[:, 0]
    ax.axhline(global_sensitivity(prior, n), color=STYLES["ehd"].color, label="global")
    smooth = exponential_smooth_sensitivity(prior, datasets, beta)
    ax.plot(first, smooth, color=STYLES["smoothed_hellinger"].color, linestyle="-.", label="exponential smooth")
    reciprocal = reciprocal_smooth_sensitivity(prior, datasets, gamma)
    ax.plot(first, reciprocal, color=STYLES["ehds"].color, linestyle="--", label="reciprocal smooth")
    ax.plot(first, local_sensitivity(prior, datasets), color=STYLES["ehdl"].color, linestyle=":", label="local")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count of the dataset", ylabel="sensitivity", ylim=(0, None))
    ax.legend(frameon=False, ncols=2)
    return ax


def leaks(mechanisms: Sequence[Mechanism], prior: ArrayLike, n: int, ax: Axes | None = None) -> Axes:
    """What each mechanism promises for every prior and n, what it guarantees here, and what it leaks here, exactly."""
    ax = axes(ax)
    for row, mechanism in enumerate(mechanisms):
        look, leak = style(mechanism), audit(mechanism, prior, n).epsilon
        ax.plot([0, leak], [row, row], color=look.color, linewidth=2)
        ax.plot(leak, row, look.marker, color=look.color, markersize=7)
        if (guarantee := mechanism.guarantee(prior, n)) is not None:
            ax.plot(guarantee.epsilon, row, **GUARANTEE)
        if mechanism.promise is not None:
            ax.plot(mechanism.promise.epsilon, row, **PROMISE)
    ax.set_yticks(range(len(mechanisms)), [mechanism.name for mechanism in mechanisms])
    ax.invert_yaxis()
    ax.set(xlabel="privacy loss", xlim=(0, None))
    ax.plot([], [], marker="o", color=TRUTH, linewidth=2, markersize=7, label="exact loss")
    ax.plot([], [], **GUARANTEE, label="guarantee here")
    ax.plot([], [], **PROMISE, label="promise everywhere")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def hockey_sticks(
    mechanisms: Sequence[Mechanism], prior: ArrayLike, n: int, epsilons: Sequence[float], ax: Axes | None = None
) -> Axes:
    """The exact delta of each mechanism at each epsilon."""
    ax = axes(ax)
    for mechanism in mechanisms:
        look = style(mechanism)
        deltas = np.array([hockey_stick(mechanism, prior, n, epsilon) for epsilon in epsilons])
        shown = np.where(deltas > 1e-12, deltas, np.nan)  # zero has no place on a logarithmic axis
        every = max(1, len(shown) // 8)
        ax.plot(
            epsilons, shown, color=look.color, marker=look.marker, markevery=every, markersize=5, label=mechanism.name
        )
    ax.set(yscale="log", xlabel="epsilon", ylabel="exact delta")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


# The claims of the notes. What is exact has markers and a solid line, what is printed is dashed, what is correct is
# dotted; the colour is the mechanism's.

CORRECTED: dict[str, Any] = {"color": TRUTH, "linestyle": ":", "linewidth": 1.6}
"""How a corrected bound is drawn beside the exact values."""


def _exact(mechanism: Mechanism | str, size: float = 4.5) -> dict[str, Any]:
    look = style(mechanism)
    return {"color": look.color, "marker": look.marker, "markersize": size, "linewidth": 1.2}


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
        ax.plot(gammas[-1], loss, **_exact(name, 6), label=name)
    for (name, losses), dashes in zip(exact.items(), ((None, None), (4, 1.5)), strict=False):
        ax.plot(gammas, losses, **_exact("ehds", 6), dashes=dashes, label=name)
    for (name, losses), dashes in zip(bounds.items(), ((1, 1.5), (1, 4)), strict=False):
        ax.plot(gammas, losses, **CORRECTED | {"dashes": dashes}, label=name)
    ax.set(xscale="log", xlabel="gamma", ylabel="loss / epsilon", ylim=(0, max(1.6, 1.1 * _most(exact.values()))))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def losses_by_weight(
    weights: Sequence[float],
    printed: Sequence[float],
    corrected: Sequence[float],
    local: Sequence[float],
    ax: Axes | None = None,
) -> Axes:
    """Loss over epsilon against the prior weight: EHD with the printed and the exact sensitivity, and EHDL."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="promise")
    ax.plot(weights, printed, **_exact("ehd"), linestyle="--", label="ehd, printed sensitivity")
    ax.plot(weights, corrected, **_exact("ehd"), label="ehd, exact sensitivity")
    ax.plot(weights, local, **_exact("ehdl"), label="ehdl")
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
    look = STYLES["ehdl"].color
    for (weight, values), marker in zip(losses.items(), "^osDv<>", strict=False):
        ax.plot(sizes, values, color=look, marker=marker, markersize=4.5, linewidth=1, label=f"prior weight {weight:g}")
    ax.set(xscale="log", xlabel="records", ylabel="loss / epsilon", ylim=(0, 1.1 * max(bound, _most(losses.values()))))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    look = STYLES["lshist"]
    ax.fill_between(sizes, least, most, color=look.color, alpha=0.18, linewidth=0, label="all datasets")
    ax.plot(sizes, most, color=look.color, linewidth=1)
    ax.plot(sizes, balanced, **_exact("lshist"), label="balanced dataset")
    ax.axhline(bound, **CORRECTED, label="corrected bound")
    ax.set(xscale="log", xlabel="records", ylabel="error quantile / local sensitivity", ylim=(0, 1.15 * bound))
    ax.legend(frameon=False, loc="lower right")
    return ax


def error_ratios_by_dataset(ratios: Sequence[float], bound: float, ax: Axes | None = None) -> Axes:
    """The same ratio at every dataset of one size, by its first count."""
    ax = axes(ax)
    ax.plot(range(len(ratios)), ratios, **_exact("lshist") | {"linewidth": 0.6}, label="exact")
    ax.axhline(bound, **CORRECTED, label="corrected bound")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count", ylabel="error quantile / local sensitivity", ylim=(0, 1.15 * bound))
    ax.legend(frameon=False, loc="lower right")
    return ax


def error_ratios_by_epsilon(
    epsilons: Sequence[float], balanced: Sequence[float], ends: Sequence[float], ax: Axes | None = None
) -> Axes:
    """ELap / (epsilon LS) at gamma = exp(-epsilon) against epsilon, with the two orders that are printed for it."""
    ax = axes(ax)
    ax.plot(epsilons, balanced, **_exact("lshist", 6), label="balanced dataset")
    ax.plot(epsilons, ends, **_exact("lshist", 6) | {"markerfacecolor": "none"}, label="all records in one category")
    ax.plot(epsilons, [1 / epsilon for epsilon in epsilons], **PRINTED, label="printed in the proof: 1 / epsilon")
    ax.plot(epsilons, epsilons, **PRINTED | {"linestyle": "-."}, label="printed order: epsilon")
    ax.set(xscale="log", xlabel="epsilon", ylabel="ELap / (epsilon LS)")
    ax.set_yscale("symlog", linthresh=min(epsilons))
    ax.set_ylim(-0.3 * min(epsilons), 2 / min(epsilons))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    ax.step(reach, exact, where="post", color=STYLES["lshist"].color, linewidth=2, label="error quantile of lshist")
    ax.step(reach, printed, where="post", **PRINTED, label="bound as printed")
    ax.step(reach, corrected, where="post", **CORRECTED, label="bound with the number of steps rounded up")
    ax.axhline(local, color=STYLES["ehdl"].color, linewidth=1, label="local sensitivity")
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
        ax.plot(steps, values, **_exact(look), label=f"prior weights {name}")
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
    ax.step(steps, floored, where="post", color=STYLES["lshist"].color, linewidth=2, label="both rounded")
    ax.axhline(local, color=STYLES["ehdl"].color, linewidth=1, label="local sensitivity")
    ax.set(xlabel="noise k", ylabel="Hellinger distance", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


def interval_constants(
    epsilons: Sequence[float], natural: Sequence[float], binary: Sequence[float], ax: Axes | None = None
) -> Axes:
    """The bound of Corollary 4.4.1 in either logarithm against epsilon, the printed constant 2 and the sharp one."""
    ax = axes(ax)
    ax.plot(epsilons, natural, color=STYLES["lshist"].color, linewidth=2, label="natural logarithm")
    ax.plot(epsilons, binary, color=STYLES["ehd"].color, linewidth=2, label="binary logarithm")
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
    ax.fill_between(x, 0, 1, where=ends, step="mid", transform=ax.get_xaxis_transform(), color=TRUTH, alpha=0.15,
                    linewidth=0, label="noise cut back to an end")  # fmt: skip
    ax.plot(x, down, "v", color=STYLES["lshist"].color, markersize=5, label="steps down")
    ax.plot(x, up, "^", color=STYLES["ehd"].color, markersize=5, label="steps up")
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    _plain_numbers(ax)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def crossover_sizes(
    epsilons: Sequence[float],
    exact: Sequence[float],
    below: Sequence[float],
    above: Sequence[float],
    proved: Sequence[float],
    ax: Axes | None = None,
) -> Axes:
    """The size from which LSHist is ahead of EHD, exact and between the claimed sizes, against epsilon."""
    ax = axes(ax)
    ax.plot(epsilons, above, **PRINTED, label="claimed: above it lshist is ahead")
    ax.plot(epsilons, proved, **CORRECTED, label="proved: above it lshist is ahead")
    ax.plot(epsilons, exact, **_exact("lshist"), label="exact")
    ax.plot(epsilons, below, **PRINTED | {"linestyle": "-."}, label="claimed: below it ehd is ahead")
    ax.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="records")
    _plain_numbers(ax)
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
        dark = not np.ma.is_masked(factors[row, column]) and factors[row, column] ** 2 > factors.max()
        color = "white" if dark else "black"
        ax.text(row, column, f"{sizes[row, column]:.0f}", ha="center", va="center", fontsize=7, color=color)
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
    ax.plot(epsilons, exact, **_exact("lshist"), label="exact")
    ax.plot(epsilons, printed, **PRINTED, label="order as printed, constant 1")
    ax.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="records")
    _plain_numbers(ax)
    ax.legend(frameon=False)
    return ax


def _plain_numbers(ax: Axes) -> None:
    """Numbers without powers of ten beside a logarithmic axis that spans few of them."""
    low, high = ax.get_ylim()
    if high < 100 * low:
        ax.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5) if high > 8 * low else range(2, 10)))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("{x:g}")


def _most(rows: Iterable[Sequence[float]]) -> float:
    return max(max(row) for row in rows)


# Posterior sampling. What is exact has markers and a solid line, what is printed is dashed, what is corrected dotted;
# where there are several of a kind they share the colour of their setting.

LINES = tuple(STYLES[name] for name in ("lshist", "ehd", "ehds", "geometric", "smoothed_hellinger", "ehdl"))
"""Colours and markers for lines that are no mechanisms, in the order of use."""


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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def lipschitz_masses(
    levels: Sequence[float],
    masses: Mapping[str, Sequence[float]],
    bounds: Mapping[str, Sequence[float]],
    constants: Mapping[str, float],
    ax: Axes | None = None,
) -> Axes:
    """Figure 1: the mass of parameters with a Lipschitz constant of at most L, its lower bound, and where it ends."""
    ax = axes(ax)
    for (name, values), look in zip(masses.items(), LINES, strict=False):
        ax.step(levels, values, where="post", color=look.color, linewidth=2.2, label=name)
        ax.plot(levels, bounds[name], color=look.color, linewidth=1, linestyle=":", label=f"bound, {name}")
        ax.plot(constants[name], 1, look.marker, color=look.color, markersize=8, clip_on=False, zorder=3)
    ax.set(xlabel="L", ylabel="prior mass of constants up to L", ylim=(0, 1.02), xlim=(min(levels), max(levels)))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def law_densities(
    parameters: Sequence[float],
    densities: Mapping[str, Sequence[float]],
    xlabel: str = "parameter",
    ax: Axes | None = None,
) -> Axes:
    """Densities or weights of several laws of one parameter."""
    ax = axes(ax)
    for (name, values), look in zip(densities.items(), LINES, strict=False):
        few = len(parameters) <= 60
        ax.plot(parameters, values, color=look.color, marker=look.marker if few else "", markersize=5, linewidth=1.4,
                label=name)  # fmt: skip
    ax.set(xlabel=xlabel, ylabel="probability" if len(parameters) <= 60 else "density", ylim=(0, None))
    ax.legend(frameon=False)
    return ax


# The Hellinger paper. A mechanism keeps its colour and marker; its variants differ in dashes and in filled or open
# markers, in the order in which they are given.

VARIANTS: tuple[tuple[tuple[float, ...], bool], ...] = (
    ((), True),
    ((5, 2), False),
    ((1, 1.5), True),
    ((5, 2, 1, 2), False),
)
"""Dashes of a line, and whether its markers are filled."""


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
        ax.plot(sizes, values, **_variant(name, variant, len(sizes)), label=label)
    for (label, values), dots in zip(bounds.items(), ((1, 1.5), (1, 4)), strict=False):
        ax.plot(sizes, values, **CORRECTED | {"dashes": dots}, label=label)
    ax.set(xlabel="records", ylabel="privacy loss", ylim=(0, None))
    if max(sizes) > 20 * min(sizes):
        ax.set_xscale("log")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
        ax.plot(epsilons, shown, **_variant(name, variant, len(epsilons)), label=label)
    ax.plot(*claimed, "x", color=TRUTH, markersize=9, markeredgewidth=2, label="claimed")
    ax.set(yscale="log", xlabel="epsilon", ylabel="exact delta", ylim=(min(1e-12, claimed[1] / 10), 2))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    look = STYLES["smoothed_hellinger"]
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
    if ax is None:
        height = 0.9 + 0.3 * sum(len(rows) for rows in differences.values())
        ax = plt.subplots(figsize=(6.4, height), dpi=144, layout="constrained")[1]
    ax = axes(ax)
    labels: list[str] = []
    for (column, rows), look in zip(differences.items(), ("ehdl", "laplace_in_order", "ehd"), strict=False):
        for setting, difference in rows.items():
            shown = max(difference, 1e-16)  # doubles know no less
            ax.plot([1e-16, shown], [len(labels)] * 2, color=STYLES[look].color, linewidth=2)
            ax.plot(shown, len(labels), STYLES[look].marker, color=STYLES[look].color, markersize=6)
            labels.append(f"{column}: {setting}")
    ax.axvline(reached, **PRINTED)
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel="largest relative difference from the printed column")
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
        look = _variant(names[i], VARIANTS[names[:i].count(names[i]) % len(VARIANTS)], len(x))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def _variant(name: str, variant: tuple[tuple[float, ...], bool], points: int) -> dict[str, Any]:
    look, (dashes, filled) = style(name), variant
    return {
        "color": look.color,
        "linestyle": (0, dashes) if dashes else "-",
        "marker": look.marker,
        "markersize": 5,
        "markerfacecolor": look.color if filled else "none",
        "markevery": max(1, points // 10),
        "linewidth": 1.3,
    }


# Private MCMC. An algorithm has one line in every figure; published medians have its colour and an open marker.

ALGORITHMS = ("penalty", "guided walk", "HMC", "minibatch", "barker", "barker, sharp accounting")


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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def share_intervals(
    aware: Sequence[Mixture], plugged: Sequence[Mixture], categories: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Mean and 50, 80 and 95 % intervals of each category's share, given the noise and if it is forgotten."""
    ax = axes(ax)
    given = (aware, -0.16, STYLES["lattice_laplace"], "given the noise")
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def save(ax: Axes, path: Path | IO[bytes]) -> None:
    """Write the figure that the Axes are on to a file, and close it."""
    if (figure := ax.get_figure(root=True)) is not None:
        figure.savefig(path)
        plt.close(figure)


# Beyond the sources


def ratios_to_the_optimum(
    x: Sequence[float],
    ratios: Mapping[str, Sequence[float]],
    xlabel: str,
    xscale: str = "log",
    ax: Axes | None = None,
) -> Axes:
    """Expected error over the least possible one, labels beginning with the mechanism: its variants are dashed.

    Mechanisms are listed in the order in which their lines end.
    """
    ax = axes(ax, width=5.6)
    ax.axhline(1, **PRINTED, label="the optimum")
    names = [label.split(",")[0] for label in ratios]
    for i, (label, values) in enumerate(ratios.items()):
        variant = names[:i].count(names[i])
        look = _variant(names[i], VARIANTS[variant % len(VARIANTS)], len(x))
        ax.plot(x, values, **look, label=None if variant else label)
    if len(set(names)) < len(names):
        words = " or ".join(dict.fromkeys(label.partition(", ")[2] for label in ratios if ", " in label))
        ax.plot([], [], **_variant(names[0], VARIANTS[1], 1) | {"color": TRUTH, "marker": "o"}, label=words)
    ax.set(xscale=xscale, yscale="log", xlabel=xlabel, ylabel="expected error / optimum")
    ax.set_xticks(x, [f"{value:g}" for value in x], minor=False)
    ax.set_xticks([], minor=True)
    _plain_numbers(ax)
    last = {label: ratios[label][-1] for label in ratios}
    drawn = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=lambda pair: -last.get(pair[1], 0.0))
    ax.legend(*zip(*drawn, strict=True), frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def errors_by_dataset(errors: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Expected error at every dataset of two categories, by its first count; labels begin with the mechanism."""
    ax = axes(ax)
    names = [label.split(",")[0] for label in errors]
    for i, (label, values) in enumerate(errors.items()):
        look = _variant(names[i], VARIANTS[names[:i].count(names[i]) % len(VARIANTS)], len(values))
        ax.plot(range(len(values)), values, **look, label=label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="first count of the dataset", ylabel="expected Hellinger error", ylim=(0, None))
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def prices_of_privacy(sizes: Sequence[int], ratios: Mapping[float, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Length of the interval given the noise over that of the posterior without noise, a line per epsilon."""
    ax = axes(ax)
    ax.axhline(1, **PRINTED, label="no noise")
    for (epsilon, values), look in zip(ratios.items(), LINES, strict=False):
        drawn: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 4.5, "linewidth": 1.2}
        ax.plot(sizes, values, **drawn, label=f"epsilon {epsilon:g}")
    ax.set(xscale="log", yscale="log", xlabel="records", ylabel="length of the 95 % interval / without noise")
    _plain_numbers(ax)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


# How fast, how large


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
        look = STYLES.get(label) or Style(TRUTH, next(others))
        ax.plot(values, range(len(rows)), look.marker, color=look.color, markersize=7, alpha=0.8, label=label)
    if limits is not None:
        ax.plot(limits, range(len(rows)), **GUARANTEE, label="target")
    ax.set_yticks(range(len(rows)), rows)
    ax.invert_yaxis()
    ax.set(xscale="log", xlabel=xlabel)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
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
        look = _variant(names[i], VARIANTS[names[:i].count(names[i]) % len(VARIANTS)], len(categories))
        ax.plot(categories, seen[label], **look | {"linestyle": "none", "markevery": 1}, label=label)
        ax.plot(fine, predicted[label], **look | {"marker": "none"})
    ax.set(xscale="log", xlabel="categories", ylabel="share of far releases", ylim=(-0.03, 1.03))
    ax.set_xticks(categories, [str(k) for k in categories])
    ax.set_xticks([], minor=True)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
