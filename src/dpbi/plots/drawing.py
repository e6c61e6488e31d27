"""A figure as a page shows it: drawn once, laid out for a desk and again for a phone, in one SVG whose text is text.

A notebook shows what ``SHOWN`` gives it. Both layouts are made from copies of the finished figure, so that no function
that draws one knows of them: names of mechanisms are put into words, labels stand where lines end, what would be small
is made large, and what would run together is broken or left out.
"""

import pickle
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, Formatter, LogFormatter, MaxNLocator

from ..mechanisms import MECHANISMS

WIDE, NARROW = 6.6, 3.58
"""Inches of a figure on a desk and on a phone; a page never shows the first smaller, the second by a tenth at most."""

LEAST = {WIDE: 9.0, NARROW: 8.8}
"""Points of the smallest letter: four thirds of it are its pixels."""

MANY = 800
"""Points without a line from which on they are a picture inside the figure."""

_KEYS = "|".join(sorted(MECHANISMS, key=len, reverse=True))
_NAME = re.compile(rf"(?<![\w-])({_KEYS})(?![\w-])(?! noise)")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _later() -> None:
    """Draw nothing yet."""


class _Drawn(Figure):
    def _repr_svg_(self) -> str:
        return both(self)

    def set_canvas(self, canvas: FigureCanvasBase) -> None:
        """Without a window it is drawn when it is shown, and not at the end of its cell before."""
        super().set_canvas(canvas)
        if type(canvas).draw_idle is FigureCanvasBase.draw_idle:
            canvas.draw_idle = _later  # type: ignore[method-assign]

    def __getstate__(self) -> dict[str, Any]:
        """A copy is no figure of pyplot's, which would show it."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_restore_to_pylab"}


_Drawn.__name__ = "Figure"  # as it calls itself where no picture can be seen
SHOWN: type[Figure] = _Drawn
"""The Figures that a notebook shows as SVG, in both layouts."""


class Powers(Formatter):
    """Numbers beside a logarithmic axis, where another formatter writes one; powers of ten are letters, no formula."""

    def __init__(self, other: Formatter) -> None:
        self.other = other

    def set_locs(self, locs: Any) -> None:
        """Take the places of all numbers: far ones are written as powers, and then all of them are."""
        axis: Any = self.axis
        self.other.axis = axis
        self.other.set_locs(locs)
        low, high = sorted(map(abs, axis.get_view_interval()))
        self.plain = high < 1e5 and (low >= 1e-4 or low == 0)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The number at a place, or nothing."""
        return self.other(x, pos) and power(x, getattr(self, "plain", True))


def power(x: float, plain: bool) -> str:
    """A number as it is written beside an axis.

    >>> power(0.01, True), power(1e-12, False), power(3e8, False)
    ('0.01', '10⁻¹²', '3×10⁸')
    """
    if plain or x == 0:
        return f"{x:g}".replace("-", "−")
    exponent = int(np.floor(np.log10(abs(x)) + 1e-9))
    first = round(x / 10.0**exponent, 2)
    ten = "10" + str(exponent).translate(_SUPERSCRIPT)
    return ("" if first > 0 else "−") + (ten if abs(first) == 1 else f"{abs(first):g}×{ten}")


def in_words(text: str) -> str:
    """A label with the name of its mechanism in words, and of others in it as the sources write them.

    >>> in_words("ehds, divisor 4"), in_words("above it lshist is ahead")
    ('exponential, smooth sensitivity (EHDS), divisor 4', 'above it LSHist is ahead')
    """

    def name(match: re.Match[str]) -> str:
        words = MECHANISMS[match[1]].words
        letters = re.search(r"\((\w+)\)$", words)
        return letters[1] if match.start() and letters else words

    return _NAME.sub(name, text)


def both(drawn: Figure) -> str:
    """An SVG that shows the layout for a desk and holds the one for a phone."""
    wide, narrow = (
        compact(written(layout(copied(drawn))), kind) for kind, layout in (("wide", on_a_desk), ("narrow", on_a_phone))
    )
    box = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', wide)
    space = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    (size,) = (f'width="{width}pt" height="{height}pt" viewBox="0 0 {width} {height}"' for width, height in box)
    return f'<svg {space} {size}>\n{wide}<g display="none">\n{narrow}</g>\n</svg>\n'


def copied(drawn: Figure) -> Figure:
    """A copy, its powers of ten in letters, its clouds of points as pictures."""
    copy: Figure = pickle.loads(pickle.dumps(drawn))
    for ax in copy.axes:
        for line in ax.lines:
            if is_dots(line) and len(np.atleast_1d(line.get_xdata())) > MANY:
                line.set_rasterized(True)
        for axis in (ax.xaxis, ax.yaxis):
            for get, set_ in (
                (axis.get_major_formatter, axis.set_major_formatter),
                (axis.get_minor_formatter, axis.set_minor_formatter),
            ):
                if isinstance(get(), LogFormatter):
                    set_(Powers(get()))
    return copy


def on_a_desk(drawn: Figure) -> Figure:
    """The layout for a desk: what lines are stands beside the axes, where they end."""
    rows = rows_in_lines(drawn, 24)
    drawn.set_size_inches(WIDE, max(drawn.get_figheight(), 0.7 + 1.25 * rows * LEAST[WIDE] / 72))
    enlarge(drawn, WIDE)
    arrange(drawn)
    named = [(ax, entries) for ax in drawn.axes if (entries := taken(ax, [ax.get_legend()], 25))]
    short = max([sum(heights(drawn, labels)) / ax.bbox.height for ax, (_, labels) in named], default=0.0)
    if short > 1:  # more names than have room beside the axes, which would be pressed together for them
        drawn.set_figheight(short * drawn.get_figheight())
        arrange(drawn)
    for ax, entries in named:
        label_ends(ax, *entries)
    settle(drawn)
    return drawn


def on_a_phone(drawn: Figure) -> Figure:
    """The layout for a phone: one panel below the other, and below all of them what lines are."""
    legends = [*drawn.legends, *(ax.get_legend() for ax in drawn.axes)]
    shown = [ax for ax in drawn.axes if ax.axison]
    for ax in set(drawn.axes) - set(shown):
        ax.remove()
    side_by_side = len({place.colspan.start for ax in shown if (place := ax.get_subplotspec())}) > 1
    if side_by_side:
        column = GridSpec(len(shown), 1, figure=drawn)
        for i, ax in enumerate(shown):
            ax.set_subplotspec(column[i])
    rows = rows_in_lines(drawn, 21)
    enlarge(drawn, NARROW)
    usual = 2.1 * len(shown) if side_by_side else 0.72 * drawn.get_figheight()
    height = max(usual, 0.7 + 1.25 * rows * LEAST[NARROW] / 72)
    drawn.set_size_inches(NARROW, height)
    if entries := taken(drawn, legends, 40):
        handles, labels = entries
        columns = 2 if len(labels) > 2 and max(map(len, labels)) < 20 else 1
        below = drawn.legend(
            handles, labels, loc="outside lower left", ncols=columns, frameon=False, fontsize=LEAST[NARROW],
            borderaxespad=0.2, labelspacing=0.35, columnspacing=1.2,
        )  # fmt: skip
        readable(below)
        drawn.set_size_inches(NARROW, height + below.get_window_extent().height / drawn.dpi)
    settle(drawn)
    return drawn


def enlarge(drawn: Figure, width: float) -> None:
    """No letter is small; on a phone none is large either."""
    for text in drawn.findobj(Text):
        if isinstance(text, Text):
            text.set_fontsize(LEAST[width] if width == NARROW else np.clip(text.get_fontsize(), LEAST[width], 11))
    for ax in drawn.axes:
        ax.tick_params(which="both", labelsize=LEAST[width])


def rows_in_lines(drawn: Figure, most: int) -> int:
    """Put names of rows into words and lines of at most so many letters; the number of lines that they need."""
    lines = 0
    for ax in drawn.axes:
        if not isinstance(ax.yaxis.get_major_locator(), FixedLocator):
            continue
        names = [label.get_text() for label in ax.get_yticklabels()]
        if re.search("[a-z]{2}", " ".join(names)):
            broken = [textwrap.fill(in_words(name), most) for name in names]
            ax.set_yticks(ax.get_yticks(), broken, parse_math=False, linespacing=1.0, multialignment="left")
            lines = max(lines, len(broken) * max(name.count("\n") + 1 for name in broken))
    return lines


def taken(place: Axes | Figure, legends: Iterable[Legend | None], most: int) -> tuple[list[Artist], list[str]] | None:
    """What legends name, and its names in words and in lines of at most so many letters; the legends are gone."""
    known: dict[str, Any] = {}
    for ax in [place] if isinstance(place, Axes) else place.axes:
        known = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True)) | known
    names = []
    for legend in legends:
        if legend is not None:
            names += [text.get_text() for text in legend.get_texts()]
            legend.remove()
    handles = [known[name] for name in dict.fromkeys(names)]
    return (handles, [textwrap.fill(in_words(name), most) for name in dict.fromkeys(names)]) if names else None


def label_ends(ax: Axes, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """Name each line to the right of the Axes, at the height where it ends or as near as the others let it."""
    low, high = ax.bbox.y0, ax.bbox.y1
    rows = re.search("[a-z]{2}", " ".join(label.get_text() for label in ax.get_yticklabels()))
    ends = [None if rows else end(ax, handle) for handle in handles]
    middle = (low + high) / 2
    wanted = [np.clip(y, low, high) if y is not None else low if any(ends) else middle for y in ends]
    outside = [text.get_window_extent().x1 for text in ax.texts]
    right = max([1.0, *((x - ax.bbox.x0) / ax.bbox.width for x in outside)]) + 0.01
    drawn: Any = ax.get_figure(root=True)
    for i, y in spread(wanted, heights(drawn, labels), low, high):
        entry = Legend(
            ax, [handles[i]], [labels[i]], loc="center left", bbox_to_anchor=(right, (y - low) / (high - low)),
            frameon=False, fontsize=LEAST[WIDE], borderpad=0, borderaxespad=0.3, handlelength=1.8, handletextpad=0.5,
        )  # fmt: skip
        readable(entry)
        ax.add_artist(entry).set_clip_on(False)  # else it counts as part of what is clipped, and gets no room


def heights(drawn: Figure, labels: Sequence[str]) -> list[float]:
    """How high names of lines are beside the axes."""
    line = 1.25 * LEAST[WIDE] * drawn.dpi / 72
    return [line * (label.count("\n") + 1.15) for label in labels]


def is_dots(line: Line2D) -> bool:
    """Whether a line has marks alone."""
    return str(line.get_linestyle()).lower() == "none"


def readable(legend: Legend) -> None:
    """Dots are large enough beside their name to show their colour, and no mark reaches into the next line."""
    for handle in legend.legend_handles:
        if isinstance(handle, Line2D):
            least = 5.0 if is_dots(handle) else 0.0
            handle.set_markersize(float(np.clip(handle.get_markersize(), least, 9.0)))


def end(ax: Axes, handle: Any) -> float | None:
    """The height in the window where a line ends, None if it is none or goes up and down."""
    line = handle[0] if isinstance(handle, tuple) else handle
    if not isinstance(line, Line2D) or line.axes is not ax:
        return None
    x, y = line.get_transform().transform(np.column_stack(line.get_data())).T
    seen = np.isfinite(x) & np.isfinite(y) & (x >= ax.bbox.x0 - 1) & (x <= ax.bbox.x1 + 1)
    if not seen.any() or (len(x) > 1 and np.ptp(x[seen]) == 0):
        return None
    last = np.flatnonzero(seen)[np.argmax(x[seen])]
    return float(y[last])


def spread(wanted: Sequence[float], heights: Sequence[float], low: float, high: float) -> Iterable[tuple[int, float]]:
    """Heights of labels from the top to the bottom, as near to the wanted ones as they can be without meeting.

    >>> list(spread([50, 50, 90], [10, 10, 10], 0, 100))
    [(2, 90.0), (0, 55.0), (1, 45.0)]
    """
    groups: list[tuple[list[int], float, float]] = []  # who is together, their middle, their height
    for i in sorted(range(len(wanted)), key=lambda i: -wanted[i]):
        group, middle, tall = [i], float(wanted[i]), float(heights[i])
        while True:
            middle = max(min(middle, high - tall / 2), low + tall / 2)
            if not groups or groups[-1][1] - groups[-1][2] / 2 >= middle + tall / 2:
                break
            others, _, more = groups.pop()
            group, tall = others + group, more + tall
            above = np.cumsum([0.0, *(heights[j] for j in group[:-1])])
            middle = float(np.mean([wanted[j] + above[m] + heights[j] / 2 for m, j in enumerate(group)])) - tall / 2
        groups.append((group, middle, tall))
    for group, middle, tall in groups:
        top = middle + tall / 2
        for i in group:
            yield i, top - heights[i] / 2
            top -= heights[i]


def settle(drawn: Figure) -> None:
    """Break names of axes that are longer than these, and leave out numbers beside them that would meet."""
    for ax in drawn.axes:
        if isinstance(locator := ax.xaxis.get_major_locator(), MaxNLocator):
            locator.set_params(nbins="auto")
    arrange(drawn)
    broken = False
    for ax in drawn.axes:
        for text, room, side in (
            (ax.xaxis.label, ax.bbox.width, "width"),
            (ax.yaxis.label, ax.bbox.height, "height"),
            (ax.title, ax.bbox.width, "width"),
        ):
            long = getattr(text.get_window_extent(), side)
            if text.get_text() and long > 1.1 * room:
                text.set_text(textwrap.fill(text.get_text(), max(12, int(len(text.get_text()) * room / long))))
                broken = True
    if broken:
        arrange(drawn)
    drawn.set_layout_engine(None)  # all has its place: no engine, not even one that does nothing, for which it is drawn
    for ax in drawn.axes:
        leave_room(ax.xaxis, 2.0)
        leave_room(ax.yaxis, 0.0)


def arrange(drawn: Figure) -> None:
    """Give everything its place."""
    if (engine := drawn.get_layout_engine()) is None:
        return
    axes: list[Any] = [axis for ax in drawn.axes for axis in (ax.xaxis, ax.yaxis)]
    for axis in axes:
        axis._update_ticks = _remembered(axis)
    engine.execute(drawn)
    for axis in axes:
        del axis._update_ticks


def _remembered(axis: Any) -> Callable[[], Any]:
    """A function that gives the ticks of an axis, and finds them anew only if its range or its place has changed."""
    find, state, found = axis._update_ticks, None, None

    def ticks() -> Any:
        nonlocal state, found
        now = (*axis.get_view_interval(), *axis.axes.bbox.bounds)
        if now != state:
            state, found = now, find()
        return found

    return ticks


def leave_room(axis: Axis, apart: float) -> None:
    """Keep the numbers beside an axis, the great ones first, that are so far apart from all that are kept."""
    kept: list[Any] = []
    low, high = sorted(axis.get_view_interval())
    for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
        label = tick.label1
        if not (label.get_text() and label.get_visible() and low <= tick.get_loc() <= high):
            continue
        box = label.get_window_extent().expanded(1.0, 0.95).padded(apart, 0.0)
        if label.get_rotation() or not any(box.overlaps(other) for other in kept):
            kept.append(box)
        else:
            label.set_visible(False)


def written(drawn: Figure) -> str:
    """What matplotlib writes of a figure: text as text, the same for the same figure."""
    text = StringIO()
    square = any(ax.get_aspect() != "auto" for ax in drawn.axes)  # leaves room at the sides
    seen = drawn.get_tightbbox().padded(0.04) if square else None
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dpbi"}):
        drawn.savefig(text, format="svg", bbox_inches=seen, metadata={"Date": None}, dpi=144)
    return text.getvalue()


def compact(svg: str, kind: str) -> str:
    """An SVG without what no reader needs: numbers to a hundredth of a point, only names that something refers to."""
    box = re.findall(r'<svg [^>]*(viewBox="[^"]*")', svg)[0]
    svg = f'<svg class="{kind}" {box} stroke-linejoin="round" font-family="sans-serif">' + re.sub(
        r"^.*?<svg[^>]*>", "", svg, flags=re.DOTALL
    )
    for superfluous in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<defs>\s*<style.*?</style>\s*</defs>"):
        svg = re.sub(superfluous, "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))

    def tag(match: re.Match[str]) -> str:
        text = re.sub(r' id="([\w-]+)"', lambda name: name[0] if name[1] in used else "", match[0])
        text = re.sub(r"; font-family: [^;\"]*", "", text)
        if "data:" in text:
            return text
        text = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{round(float(number[0]), 2):g}", text)
        return re.sub(r'\s+(?=/?>|")', "", re.sub(r"\s+", " ", text))

    def group(match: re.Match[str]) -> str:
        styles = set(re.findall(r' style="[^"]*"', match[2]))
        alike = len(styles) == 1 and match[2].count(" style=") == match[2].count("<use")
        style = styles.pop() if alike and " style=" not in match[1] else ""
        return f"<g{match[1]}{style}>{match[2].replace(style, '') if style else match[2]}</g>"

    svg = re.sub(r">\s*\n\s*<", ">\n<", re.sub(r"<[^>]+>", tag, svg))
    svg = re.sub(r"<g([^>]*)>((?:\n<use [^>]*/>)+\n)</g>", group, svg)
    return svg.strip() + "\n"
