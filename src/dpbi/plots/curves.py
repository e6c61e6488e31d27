"""Curves against a parameter with printed and corrected bounds, which most pages use."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import cycle
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

from .look import (
    BEHIND,
    CORRECTED,
    END_LETTERS,
    HEIGHT,
    HOLDS,
    LINES,
    PRINTED,
    TRUTH,
    VARIANTS,
    WRONG,
    axes,
    grid,
    in_words,
    label_axes,
    legend,
    name_curves,
    named,
    shade,
    style,
)

# Line style of exact values, by the name of the form.
FORMS: dict[str, dict[str, Any]] = {
    "lines": {"linewidth": 1.3},
    "points": {"linestyle": "none"},
    "steps": {"drawstyle": "steps-post", "marker": "none", "linewidth": 2},
    "stems": {"linestyle": "none"},
}


def lines(
    x: Any,
    exact: Mapping[str, Any],
    *,
    xlabel: str,
    ylabel: str,
    printed: Mapping[str, Any] | None = None,
    corrected: Mapping[str, Any] | None = None,
    band: Mapping[str, tuple[Any, Any]] | None = None,
    runs: Mapping[str, tuple[Any, Any, Any]] | None = None,
    at: Mapping[str, float] | None = None,
    xscale: str = "linear",
    yscale: str = "linear",
    form: str = "lines",
    of: str | None = None,
    front: Collection[str] = (),
) -> Axes:
    """Figure of exact values against a parameter, with dashed printed bounds and dotted corrected bounds.

    Args:
        x: Values of the parameter; None if each curve is given as a pair of parameter values and exact values.
        exact: Exact values by label. If the label of a curve begins with the name of a mechanism, the curve has the
            colour and marker of the mechanism.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis.
        printed: Printed bounds by label, each an array of values or a constant.
        corrected: Corrected bounds by label, each an array of values or a constant.
        band: Lower and upper ends of shaded areas, by label.
        runs: Parameter values, means and standard errors of simulations, by label; error bars extend two standard
            errors to each side.
        at: Positions of vertical lines, by the label above each line.
        xscale, yscale: Scales of the axes, "linear" or "log".
        form: Form of exact values, "lines", "points", "steps" or "stems".
        of: Mechanism of all bands, and of all exact curves whose labels do not begin with the name of a mechanism.
        front: Labels of the exact curves that keep their colours and names while the others are grey; if empty, all
            curves keep them.

    Returns:
        The axes of the figure.
    """
    ax = axes()
    ax.set_xscale(xscale)
    ax.set_yscale(yscale, **{"nonpositive": "mask"} if yscale == "log" else {})
    for label, (low, high) in (band or {}).items():
        ax.fill_between(x, low, high, **shade(style(of).color if of else TRUTH), label=label)
    drawn = dict(zip(exact, looks(exact, of, front), strict=True))
    for label, look in drawn.items():
        places, values = (x, exact[label]) if x is not None else exact[label]
        gap = max(1, len(values) // 10) if form == "lines" else 1  # about ten markers on a line, all in other forms
        if form == "stems":
            ax.vlines(places, 0, values, color=look["color"], linewidth=1.3)
        shown = label if not front or label in front else f"_{label}"
        ax.plot(places, values, **look | FORMS[form], markevery=gap, label=shown)
    for bounds, dashes in ((printed, PRINTED), (corrected, CORRECTED)):
        for (label, values), line in zip((bounds or {}).items(), cycle(dashes)):
            look = line | {"color": known.color if (known := named(label)) else TRUTH, "label": label}
            if np.ndim(values) == 0:
                ax.axhline(float(values), **look)
            else:
                ax.plot(*((x, values) if x is not None else values), **look)
    for label, (places, means, errors) in (runs or {}).items():
        look = drawn.get(label, {"color": TRUTH}) | {"linestyle": "none", "elinewidth": 1, "capsize": 3, "zorder": 1.5}
        ax.errorbar(places, means, 2 * np.asarray(errors), **look, label=None if label in drawn else label)
    for label, place in (at or {}).items():
        ax.axvline(place, **PRINTED[0], color=TRUTH)
        name = textwrap.fill(in_words(label), END_LETTERS)
        ax.annotate(name, (place, 1.01), xycoords=("data", "axes fraction"), ha="center", va="bottom", color=TRUTH)
    for axis, scale, numbers in ((ax.xaxis, xscale, Line2D.get_xdata), (ax.yaxis, yscale, Line2D.get_ydata)):
        least, most = axis.get_view_interval()
        if scale == "linear" and all(np.all(np.mod(numbers(line), 1) == 0) for line in ax.lines):
            axis.set_major_locator(MaxNLocator("auto", integer=True))
        elif scale == "log" and most < 10 * least:  # powers of ten alone would give at most one tick label
            axis.set_major_locator(MaxNLocator(4) if most < 4 * least else LogLocator(subs=(1, 2, 3, 5)))
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axis.set_minor_locator(NullLocator())
        elif scale == "log" and most < 100 * least:
            axis.set_minor_locator(LogLocator(subs=(2, 3, 5)))
    if yscale == "linear":
        ax.set_ylim(min(0.0, ax.get_ylim()[0]), None)
    label_axes(ax, xlabel, ylabel)
    if form == "lines":
        name_curves(ax, always=bool(front))
    else:
        legend(ax)
    return ax


def bounded(
    x: Any,
    exact: Mapping[str, Any],
    printed: Mapping[str, Any],
    holds: Mapping[str, Any],
    *,
    xlabel: str,
    ylabel: str,
    ylim: tuple[float, float],
    xscale: str = "linear",
    form: str = "steps",
) -> Axes:
    """Figure of exact values between their bounds, with one panel for each quantity.

    Printed bounds are red lines, and corrected bounds are the ends of a blue band. If the corrected bounds coincide,
    the band is a broad line.

    Args:
        x: Values of the parameter.
        exact: Exact values, by the name of the quantity.
        printed: Printed bounds, one or two for each quantity.
        holds: Corrected lower and upper bounds, for each quantity.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axes.
        ylim: Ends of the vertical axes.
        xscale: Scale of the horizontal axis, "linear" or "log".
        form: "steps" if the quantities are constant between neighbouring values of the parameter, otherwise "lines".

    Returns:
        The first panel.
    """
    panels = grid(len(exact), 1, 0.6 * HEIGHT * len(exact), sharex=True)[:, 0]
    step: Any = "post" if form == "steps" else None
    drawn: dict[str, Any] = {"drawstyle": "steps-post" if step else "default"}
    for ax, name in zip(panels, exact, strict=True):
        width = 5 if np.array_equal(*holds[name]) else 0.8
        face = shade(HOLDS) | {"linewidth": width, "alpha": 0.4}
        ax.fill_between(x, *holds[name], step=step, **face, label="what holds")
        ax.plot(x, exact[name], **drawn, color=TRUTH, linewidth=1.6, label="exact")
        for values in printed[name]:
            ax.plot(x, values, **drawn, **PRINTED[0], color=WRONG, label="printed")
        ax.set_title(in_words(name), fontsize="medium")
        ax.set(ylim=ylim, ylabel=ylabel, xscale=xscale)
    panels[-1].set_xlabel(xlabel)
    legend(panels[0])
    return cast(Axes, panels[0])


def looks(labels: Iterable[str], of: str | None = None, front: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Colour, marker and dashes of each line of a figure.

    The first line of a mechanism is solid, and later lines of the same mechanism are dashed.

    Args:
        labels: Labels of the lines.
        of: Mechanism of all lines whose labels do not begin with the name of a mechanism; None if there is none.
        front: Labels of the lines that are drawn in front of the others.

    Returns:
        Keyword arguments of ``Axes.plot`` for each line.
    """
    used: Counter[str] = Counter()  # the number of earlier lines in each colour
    others = [label for label in labels if not (of or named(label))]
    for label in labels:
        look = named(label) or (style(of) if of else LINES[others.index(label) % len(LINES)])
        dashes, filled = VARIANTS[used[look.color] % len(VARIANTS)]
        used[look.color] += 1
        color, size, order = (look.color, 5, 2) if label in front or not front else (BEHIND, 4, 1.2)
        yield {
            "color": color,
            "marker": look.marker,
            "markersize": size,
            "markerfacecolor": color if filled else "none",
            "linestyle": (0, dashes) if dashes else "-",
            "zorder": order,
        }
