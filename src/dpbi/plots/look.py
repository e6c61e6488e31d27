"""How everything in the book is drawn: axes, colours, markers and lines, the same in every figure.

A mechanism has one colour and one marker wherever it appears: ``style`` is the one function that knows them.
"""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from ..mechanisms import MECHANISMS, Mechanism, entry_of
from .drawing import SHOWN


class Style(NamedTuple):
    """How a mechanism is drawn."""

    color: str
    marker: str


# Each colour has a contrast of at least 3 with white and with the dark page, and any two stay apart for colour-blind
# eyes; the markers say the same thing without colour. Noise on the counts is mostly cool, the exponential kind warm.
STYLES: dict[str, Style] = {name: Style(entry.color, entry.marker) for name, entry in MECHANISMS.items()}


def style(mechanism: Mechanism | str) -> Style:
    """The colour and marker of a mechanism, whatever words follow its name."""
    return STYLES[entry_of(mechanism).name]


TRUTH = "#5F6B76"
"""The colour of what is exact and public, or no mechanism's."""

ON_LIGHT = "#111111"
ON_DARK = "white"
"""What is written on a colour; it is the same on every page, while black becomes the colour of the page's text."""

LINES = tuple(style(name) for name in ("lshist", "ehd", "ehds", "geometric", "smoothed_hellinger", "ehdl"))
"""Colours and markers for lines that are no mechanisms, in the order of use."""

PRINTED: dict[str, Any] = {"color": TRUTH, "linestyle": "--", "linewidth": 1.2}
"""How a printed constant or bound is drawn beside the exact values."""

CORRECTED: dict[str, Any] = {"color": TRUTH, "linestyle": ":", "linewidth": 1.6}
"""How a corrected bound is drawn beside the exact values."""


def shade(color: str) -> dict[str, Any]:
    """How an area is drawn: faint, its edge as dark as a line."""
    return {"facecolor": (color, 0.18), "edgecolor": color, "linewidth": 0.8}


_BOUND = {"color": TRUTH, "linestyle": "none"}
GUARANTEE: dict[str, Any] = _BOUND | {"marker": "|", "markersize": 17, "markeredgewidth": 2}
PROMISE: dict[str, Any] = _BOUND | {"marker": "o", "markersize": 13, "markerfacecolor": "none", "markeredgewidth": 1.2}
"""How what is proved is drawn around what is true: a bar through it, a ring about it."""

VARIANTS: tuple[tuple[tuple[float, ...], bool], ...] = (
    ((), True),
    ((5, 2), False),
    ((1, 1.5), True),
    ((5, 2, 1, 2), False),
)
"""What tells variants of one mechanism apart: dashes of a line, and whether its markers are filled."""


def exact_line(mechanism: Mechanism | str, size: float = 4.5) -> dict[str, Any]:
    """A mechanism's exact values: its colour and its markers on a solid line."""
    look = style(mechanism)
    return {"color": look.color, "marker": look.marker, "markersize": size, "linewidth": 1.2}


def variant_line(name: str, variant: tuple[tuple[float, ...], bool], points: int) -> dict[str, Any]:
    """A line of so many points for a variant of a mechanism, with about ten markers."""
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


def nth_variant(names: Sequence[str], i: int) -> tuple[tuple[float, ...], bool]:
    """The variant of the i-th line of a figure: the first of its mechanism is plain, the next are dashed."""
    return VARIANTS[names[:i].count(names[i]) % len(VARIANTS)]


def axes(ax: Axes | None = None, width: float = 6.4, height: float = 3.8) -> Axes:
    """The Axes given, or new ones in the style of the book; narrow ones keep their words large when shown small."""
    if ax is None:
        ax = plt.subplots(figsize=(width, height), dpi=144, layout="constrained", FigureClass=SHOWN)[1]
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def points(picture: bytes) -> Any:
    """The points of a picture that was drawn, an array of their colours."""
    return plt.imread(BytesIO(picture))


def panels(sizes: Sequence[float]) -> list[Axes]:
    """Panels one below the other, their heights in proportion to the sizes."""
    height = min(0.3 * sum(sizes) + 1.0 * len(sizes), 60.0)
    ratios = {"height_ratios": list(sizes)}
    return list(grid(len(sizes), 1, (7.5, height), 100, gridspec_kw=ratios)[:, 0])


def grid(rows: int, columns: int, size: tuple[float, float], dpi: float = 100, **options: Any) -> Any:
    """An array of panels."""
    look: dict[str, Any] = {"figsize": size, "dpi": dpi, "layout": "constrained", "FigureClass": SHOWN}
    return plt.subplots(rows, columns, **look, squeeze=False, **options)[1]


def legend_beside(ax: Axes) -> None:
    """A legend to the right of the Axes."""
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def plain_numbers(ax: Axes) -> None:
    """Numbers without powers of ten beside a logarithmic axis that spans few of them."""
    low, high = ax.get_ylim()
    if high < 100 * low:
        ax.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5) if high > 8 * low else range(2, 10)))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("{x:g}")


def save(ax: Axes, path: Path | IO[bytes]) -> None:
    """Write the figure that the Axes are on to a file, and close it."""
    if (figure := ax.get_figure(root=True)) is not None:
        figure.savefig(path)
        plt.close(figure)
