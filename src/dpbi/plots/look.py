"""Style of the figures in the book: size, colours, markers, lines, and the names of mechanisms in words.

Every figure has the same layout on a desktop and on a phone: it is 4.4 inches wide, with ten-point type. On a phone
that is 390 pixels wide, 350 pixels are left for a figure, and letters are still 11 pixels high. A mechanism has the
same colour and marker in all figures; ``style`` and ``named`` return them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, Any, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.optimize import isotonic_regression

from ..checks import brief, need
from ..mechanisms import MECHANISMS
from .looks import LOOKS, Look

# Inches of a figure without its legend. At this width, letters of ten points are 11 pixels high on a phone.
WIDTH, HEIGHT = 4.4, 2.9

# Number of ten-point letters that fit in a line of the legend beside the marker (measured).
LEGEND_LETTERS = 46

# Largest number of letters in a line of a name at the end of a curve. Chosen: the name then takes at most a third of
# the width of the figure.
END_LETTERS = 17

# Height of a line of a name at the end of a curve, as a fraction of a panel of the usual height, and the largest
# distance of a name from the end of its curve. Beyond this distance, a legend is easier to follow (chosen by eye).
END_LINE, END_SHIFT = 0.08, 0.3


# Colour of exact and public quantities, and of everything else that belongs to no mechanism.
TRUTH = "#5F6B76"


def style(mechanism: str) -> Look:
    """Look of the mechanism with a given name.

    >>> style("ehd").marker
    'o'
    """
    need(mechanism in MECHANISMS, f"mechanism must be one of {', '.join(MECHANISMS)}, got {brief(mechanism)}")
    return LOOKS.get(mechanism, Look(TRUTH, "o"))


# Colour of curves that are drawn behind others: its contrast with white is 3.
BEHIND = "#8A949E"

# Colours of printed and of corrected bounds in one figure: their contrast with the light and the dark page is at least
# 3.
WRONG, HOLDS = "#D0342C", "#3D74DB"

# Colours of text on a light and on a dark background.
ON_LIGHT = "#111111"
ON_DARK = "white"

# Colours and markers of lines that belong to no mechanism, in the order in which they are used.
LINES = tuple(style(name) for name in ("lshist", "ehd", "ehds", "geometric", "smoothed_hellinger", "ehdl"))

# Dashes of the first to fourth line of one mechanism, and whether the markers of the line are filled.
VARIANTS: tuple[tuple[tuple[float, ...], bool], ...] = (
    ((), True),
    ((5, 2), False),
    ((1, 1.5), True),
    ((5, 2, 1, 2), False),
)

# Line styles of the first to third printed bound in a figure, and of the first to third corrected bound.
PRINTED: list[Any] = [{"dashes": dashes, "linewidth": 1.2} for dashes in ((5, 2), (8, 2, 2, 2), (2, 1))]
CORRECTED: list[Any] = [{"dashes": dashes, "linewidth": 1.6} for dashes in ((1, 1.5), (1, 4), (1, 1.5, 4, 1.5))]


def shade(color: str) -> dict[str, Any]:
    """Style of a shaded area in a given colour, with a faint face and a dark edge."""
    return {"facecolor": (color, 0.18), "edgecolor": color, "linewidth": 0.8}


# The names of mechanisms as whole words, longest first; "geometric noise" is already in words and stays as it is.
_KEYS = "|".join(sorted(LOOKS, key=len, reverse=True))
_NAME = re.compile(rf"(?<![\w-])({_KEYS})(?![\w-])(?! noise)")


def named(label: str) -> Look | None:
    """Look of the mechanism named by the part of the label before the first comma; None if this names no mechanism."""
    return LOOKS.get(label.lstrip("_").split(",")[0])


# Short names of mechanisms whose name in prose is too long for a figure and has no abbreviation in brackets.
SHORT = {"laplace_in_order": "Laplace in order"}


def in_words(labels: Any) -> Any:
    """A label, or the labels and cells of a table, with the names of mechanisms replaced by their short names.

    >>> in_words("ehds, divisor 4"), in_words("above it lshist is ahead"), in_words("geometric, remapped")
    ('EHDS, divisor 4', 'above it LSHist is ahead', 'geometric noise, remapped')
    >>> import pandas as pd
    >>> in_words(pd.DataFrame({"mean": [0.5]}, index=["laplace_in_order"]))
                      mean
    Laplace in order   0.5
    """
    if hasattr(labels, "rename"):  # a pandas table, recognised without importing pandas
        return labels.rename(index=in_words, columns=in_words).map(in_words)

    def name(match: re.Match[str]) -> str:
        words = SHORT.get(match[1], LOOKS[match[1]].words)
        letters = re.search(r"\((\w+)\)$", words)
        return letters[1] if letters else words

    return _NAME.sub(name, labels) if isinstance(labels, str) else labels


def short(number: float) -> str:
    """A number with three significant digits, or rounded to an integer from a thousand to a million in absolute value.

    >>> short(0.012345), short(1889.3), short(5.5e7)
    ('0.0123', '1889', '5.5e+07')
    """
    return f"{number:.0f}" if 1000 <= abs(number) < 1e6 else f"{number:.3g}"


# Settings of an SVG file: identical output in each run, letters as text, and powers of ten only for long numbers.
WRITTEN: Any = {"svg.hashsalt": "dpbi", "svg.fonttype": "none", "axes.formatter.min_exponent": 4}


class Drawn(Figure):
    """A figure that a notebook displays as SVG."""

    def _ipython_display_(self) -> None:
        from IPython.display import display

        text, show = StringIO(), cast(Any, display)
        with mpl.rc_context(WRITTEN):
            self.savefig(text, format="svg", metadata={"Date": None})
        show({"image/svg+xml": text.getvalue(), "text/plain": f"<{self}>"}, raw=True)


Drawn.__name__ = "Figure"  # for its repr, which is displayed where a picture is not possible


def grid(rows: int, columns: int, height: float, **options: Any) -> Any:
    """New panels in the style of the book, in rows and columns.

    Args:
        rows: Number of rows.
        columns: Number of columns.
        height: Height of the figure in inches.
        options: Further arguments of ``matplotlib.pyplot.subplots``.

    Returns:
        The panels, an array of axes.
    """
    look: dict[str, Any] = {"figsize": (WIDTH, height), "dpi": 144, "layout": "constrained", "FigureClass": Drawn}
    found = plt.subplots(rows, columns, **look, squeeze=False, **options)[1]
    for ax in found.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25, linewidth=0.6)
        ax.set_axisbelow(True)
    return found


def axes(height: float = HEIGHT) -> Axes:
    """Axes of a new figure in the style of the book, with one panel and a given height in inches."""
    return cast(Axes, grid(1, 1, height)[0, 0])


def panels(sizes: Sequence[float]) -> list[Axes]:
    """New panels one below the other, with heights in proportion to the given sizes."""
    height = min(0.4 * sum(sizes) + 1.0 * len(sizes), 60.0)
    return list(grid(len(sizes), 1, height, gridspec_kw={"height_ratios": list(sizes)})[:, 0])


def label_axes(ax: Axes, xlabel: str, ylabel: str = "") -> None:
    """Add axis labels, with line breaks where they are too long.

    If the vertical axis has no label, it shows the names of rows, and less room is left for the label of the other
    axis.

    Args:
        ax: The panel.
        xlabel: Name of the horizontal axis.
        ylabel: Name of the vertical axis; empty for none.
    """
    ax.set(xlabel=textwrap.fill(xlabel, LEGEND_LETTERS if ylabel else 30), ylabel=textwrap.fill(ylabel, 32))


def name_curves(ax: Axes, always: bool = False) -> None:
    """Write the name of each curve at the right end of the curve.

    A legend is drawn instead if names are long or would be far from their curves.

    Args:
        ax: Axes on which everything else has been drawn.
        always: Whether names are written at the curves even if the names are long or far from their curves.
    """
    found = []
    for curve, label in zip(*ax.get_legend_handles_labels(), strict=True):
        name = textwrap.fill(in_words(label), END_LETTERS)
        places = np.empty((0, 2))
        if isinstance(curve, Line2D):
            places = ax.transAxes.inverted().transform(curve.get_transform().transform(curve.get_xydata()))
            places = places[np.all(np.isfinite(places), axis=1) & (places[:, 1] >= 0) & (places[:, 1] <= 1)]
        if not len(places) or np.ptp(places[:, 0]) < 0.1 or (not always and places[:, 0].max() < 0.9):
            return legend(ax)
        found.append((*places[places[:, 0].argmax()], name, curve))
    found.sort(key=lambda each: each[1])
    ends = np.array([end for _, end, _, _ in found])
    tall = END_LINE * np.array([name.count("\n") + 1 for *_, name, _ in found])
    gaps = np.concatenate([[0.0], np.cumsum((tall[1:] + tall[:-1]) / 2)])  # between the middles of neighbouring names
    # the heights nearest to the ends of the curves in least squares, in the same order and without overlap
    spread = np.clip(isotonic_regression(ends - gaps).x, 0, max(0.0, 1 - gaps[-1])) + gaps
    if not always and (tall.max() > 3 * END_LINE or tall.sum() > 1 or np.abs(spread - ends).max() > END_SHIFT):
        return legend(ax)
    for place, (last, end, name, curve) in zip(spread, found, strict=True):
        color = curve.get_color()
        look = {"arrowstyle": "-", "color": color, "linewidth": 0.8, "relpos": (0, 0.5), "shrinkA": 2, "shrinkB": 3}
        words: dict[str, Any] = {"va": "center", "linespacing": 1.0, "annotation_clip": False, "arrowprops": look}
        words |= {"color": TRUTH} if color == BEHIND else {}
        ax.annotate(name, (last, end), (1.06, place), "axes fraction", "axes fraction", **words)
    return None


def legend(ax: Axes) -> None:
    """Add a legend below the panels of a figure, and increase the height of the figure by the height of the legend."""
    figure: Any = ax.get_figure(root=True)
    known = {name: mark for ax in figure.axes for mark, name in zip(*ax.get_legend_handles_labels(), strict=True)}
    if figure.legends or not known:
        return
    names = [textwrap.fill(in_words(label), LEGEND_LETTERS) for label in known]
    columns = 2 if max(map(len, names)) <= 18 else 1
    rows = -(-sum(name.count("\n") + 1.15 for name in names) // columns)
    figure.set_figheight(figure.get_figheight() + 0.18 * rows)
    place: dict[str, Any] = {"loc": "outside lower left", "ncols": columns, "frameon": False}
    for handle in figure.legend(known.values(), names, **place, labelspacing=0.3, borderaxespad=0.2).legend_handles:
        if isinstance(handle, Line2D):  # large enough to show its colour, small enough for a line
            handle.set_markersize(float(np.clip(handle.get_markersize(), 5, 9)))


def row_names(ax: Axes, names: Iterable[str]) -> None:
    """Add the names of the rows of a figure, broken into short lines.

    Args:
        ax: The panel.
        names: Names of the rows, from top to bottom.
    """
    figure: Any = ax.get_figure(root=True)
    broken = [textwrap.fill(name, 24) for name in names]
    if len(figure.axes) == 1:
        tall = max(name.count("\n") + 1 for name in broken)
        figure.set_figheight(0.6 + len(broken) * max(0.3, 0.03 + 0.16 * tall))
    ax.set_yticks(range(len(broken)), broken, parse_math=False, linespacing=1.0)  # a dollar sign starts no formula
    ax.set_ylim(len(broken) - 0.5, -0.5)


def points(picture: bytes) -> Any:
    """Colours of the pixels of an image file, as an array."""
    return plt.imread(BytesIO(picture))


def save(ax: Axes, path: Path | IO[bytes]) -> None:
    """Write a figure, given by its axes, to a file, and close the figure.

    The extension of the file name determines the format.

    Args:
        ax: Axes of the figure.
        path: Path of the file, or a binary stream.
    """
    if (figure := ax.get_figure(root=True)) is not None:
        figure.savefig(path)
        plt.close(figure)
