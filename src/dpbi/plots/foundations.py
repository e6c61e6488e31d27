"""Figures of the first pages: a release, how far one record moves it, what is promised and what leaks."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from ..accuracy.errors import error_law
from ..guarantees import pure_epsilon
from ..mechanisms import Mechanism
from ..mechanisms.description import all_laws
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
from .look import GUARANTEE, LINES, ON_DARK, ON_LIGHT, PRINTED, PROMISE, TRUTH, axes, legend_beside, style


def posteriors(
    prior: ArrayLike, counts: ArrayLike, released: ArrayLike, mechanism: Mechanism, ax: Axes | None = None
) -> Axes:
    """Density of the first category's share under the true posterior and under a released one."""
    from scipy.stats import beta  # imported here, for that takes longer than many a call

    ax = axes(ax)
    share = np.linspace(0, 1, 801)[1:-1]
    truth: dict[str, Any] = {"color": TRUTH, "label": "true posterior"}
    release: dict[str, Any] = {"color": style(mechanism).color, "linestyle": "--", "label": "released posterior"}
    for x, look in ((counts, truth), (released, release)):
        a = posterior(prior, x)
        ax.plot(share, beta.pdf(share, a[0], a[1:].sum()), **look)
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
    lines = ax.contour(first, second, values, levels=6, linewidths=0.7)
    tones = [ON_LIGHT if level < np.mean([values.min(), values.max()]) else ON_DARK for level in lines.levels]
    lines.set_edgecolor(tones)
    ax.clabel(lines, fmt="%.2g", colors=tones)
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
    for prior, look in zip(priors, LINES, strict=False):
        values = [global_sensitivity(prior, n) for n in sizes]
        name = ", ".join(f"{weight:g}" for weight in prior)
        drawn: dict[str, Any] = {"color": look.color, "marker": look.marker, "markersize": 4, "linewidth": 1}
        ax.plot(sizes, values, **drawn, linestyle=next(lines, "-"), label=f"prior ({name})")
    ax.axhline(PRINTED_GLOBAL_SENSITIVITY, **PRINTED, label="printed constant")
    ax.set(xscale="log", xlabel="records", ylabel="global sensitivity", ylim=(0, None))
    ax.legend(frameon=False, ncols=2)
    return ax


def sensitivities(prior: ArrayLike, n: int, beta: float, gamma: float, ax: Axes | None = None) -> Axes:
    """Every sensitivity of every dataset of n records in two categories, by its first count."""
    ax = axes(ax)
    datasets = count_vectors(n, 2)
    first = datasets[:, 0]
    ax.axhline(global_sensitivity(prior, n), color=style("ehd").color, label="global")
    smooth = exponential_smooth_sensitivity(prior, datasets, beta)
    ax.plot(first, smooth, color=style("smoothed_hellinger").color, linestyle="-.", label="exponential smooth")
    reciprocal = reciprocal_smooth_sensitivity(prior, datasets, gamma)
    ax.plot(first, reciprocal, color=style("ehds").color, linestyle="--", label="reciprocal smooth")
    ax.plot(first, local_sensitivity(prior, datasets), color=style("ehdl").color, linestyle=":", label="local")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
    ax.set(xlabel="first count of the dataset", ylabel="sensitivity", ylim=(0, None))
    ax.legend(frameon=False, ncols=2)
    return ax


def marked(mechanism: Mechanism) -> str:
    """The name of a mechanism, and what it promises if that is no epsilon."""
    promise = mechanism.promise
    weaker = pure_epsilon(promise) is None
    return f"{mechanism.name}, promises {'rho' if promise else 'nothing'}" if weaker else mechanism.name


def leaks(mechanisms: Sequence[Mechanism], prior: ArrayLike, n: int, ax: Axes | None = None) -> Axes:
    """What each mechanism promises for every prior and n, what it guarantees here, and what it leaks here, exactly."""
    ax = axes(ax)
    for row, mechanism in enumerate(mechanisms):
        look, leak = style(mechanism), audit(mechanism, prior, n).epsilon
        ax.plot([0, leak], [row, row], color=look.color, linewidth=2)
        ax.plot(leak, row, look.marker, color=look.color, markersize=7)
        for bound, mark in ((mechanism.guarantee(prior, n), GUARANTEE), (mechanism.promise, PROMISE)):
            if (proved := pure_epsilon(bound)) is not None:
                ax.plot(proved, row, **mark)
    ax.set_yticks(range(len(mechanisms)), [marked(mechanism) for mechanism in mechanisms])
    ax.invert_yaxis()
    ax.set(xlabel="privacy loss", xlim=(0, None))
    ax.plot([], [], marker="o", color=TRUTH, linewidth=2, markersize=7, label="exact loss")
    ax.plot([], [], **GUARANTEE, label="guarantee here")
    ax.plot([], [], **PROMISE, label="promise everywhere")
    legend_beside(ax)
    return ax


def _listed_once(mechanism: Mechanism, prior: ArrayLike, n: int) -> Mechanism:
    """The mechanism, which makes its table of the laws of all datasets once, when it is first asked for."""
    made = cache(lambda: all_laws(mechanism, prior, n)[1])
    return replace(mechanism, laws=lambda *_: made())


def hockey_sticks(
    mechanisms: Sequence[Mechanism], prior: ArrayLike, n: int, epsilons: Sequence[float], ax: Axes | None = None
) -> Axes:
    """The exact delta of each mechanism at each epsilon."""
    ax = axes(ax)
    for mechanism in mechanisms:
        look, name, known = style(mechanism), marked(mechanism), _listed_once(mechanism, prior, n)
        deltas = np.array([hockey_stick(known, prior, n, epsilon) for epsilon in epsilons])
        shown = np.where(deltas > 1e-12, deltas, np.nan)  # zero has no place on a logarithmic axis
        every = max(1, len(shown) // 8)
        ax.plot(epsilons, shown, color=look.color, marker=look.marker, markevery=every, markersize=5, label=name)
    ax.set(yscale="log", xlabel="epsilon", ylabel="exact delta")
    legend_beside(ax)
    return ax
