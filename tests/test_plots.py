"""The visual language: every mechanism is told apart by colour, without colour, and on a dark page."""

import itertools
import json
import re
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.text import Text

import dpbi

mpl.use("agg")
from matplotlib import pyplot as plt

from dpbi import plots
from dpbi.plots import look

WHITE, DARK_PAGE = "#FFFFFF", "#121212"


def luminance(color):
    c = np.array(colors.to_rgb(color))
    return np.array([0.2126, 0.7152, 0.0722]) @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(color, page):
    light, dark = sorted((luminance(color), luminance(page)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_mechanisms_are_told_apart_on_white_and_on_the_dark_page_and_without_colour():
    for name, style in plots.STYLES.items():
        assert min(contrast(style.color, page) for page in (WHITE, DARK_PAGE)) >= 3, name
    assert len({style.marker for style in plots.STYLES.values()}) == len(plots.STYLES) == len(dpbi.MECHANISMS)


def test_a_calibrated_mechanism_looks_like_its_family():
    assert plots.style(dpbi.calibrate(dpbi.ehd, [1, 1], 5, 1.0)) == plots.STYLES["ehd"]


def test_an_unknown_mechanism_is_refused_by_name():
    with pytest.raises(ValueError, match=r"mechanism must be one of lszhang, .*, got 'unheard'"):
        plots.style("unheard")


MANY = ("ehdl", "lshist", "lattice_laplace")
LABELS = {"xlabel": "n", "ylabel": "error"}
NAMES = list(dpbi.MECHANISMS)
SHARES = dpbi.plug_in([1, 1], [4, 6])
MEDIANS = {
    name: [value for value in values for _ in range(2)]
    for name, values in {"model": "abcd", "algorithm": ["penalty"] * 4, "epsilon": [1] * 4, "q1": [0.4] * 4,
                         "median": [0.5] * 4, "q3": [0.7] * 4}.items()
}  # fmt: skip
BUMP = np.exp(-(np.linspace(-3, 3, 200) ** 2))
DRAWS = np.random.default_rng(1).normal(size=(20_000, 2))
FIGURES = {
    "all mechanisms": lambda: plots.lines([10, 10**9], {name: [1, 0.5] for name in NAMES}, xscale="log", **LABELS),
    "many curves": lambda: plots.lines(
        None, {f"{name}, {k} categories": ([1, 10], [1 / k, 2 / k]) for k in (10, 20, 100, 1000) for name in MANY},
        xscale="log", yscale="log", **LABELS,
    ),
    "bounds": lambda: plots.lines(
        [1, 2, 3], {"ehds, divisor 4": [1, 2, 1], "a level": [2, 1, 3]}, at={"claimed": 2}, **LABELS,
        printed={"printed": 3, "ehds, printed": [1, 1, 1]}, corrected={"sharp": [2, 2, 2]},
        band={"all": ([0, 1, 1], [3, 3, 3])}, runs={"a level": ([1, 2], [2, 1], [0.1, 0.2])},
    ),
    "rows of mechanisms": lambda: plots.rows(
        NAMES, {"exact loss": [1] * len(NAMES)}, xlabel="n",
        bounds={"guarantee": [1] * len(NAMES), "promise": [2] * len(NAMES)},
    ),
    "rows with long names": lambda: plots.rows(
        ["exponential: k = 3, rounded down, kept in 0..n", "laplace: k = 2, 2 S, as defined"], {"_far": [1e-9, 1]},
        xlabel="largest relative difference from the printed column", xscale="log", start=1e-16, at=1e-11,
    ),
    "intervals": lambda: plots.share_intervals(SHARES, SHARES, ["yes", "in another long way $ of saying it no"]),
    "cells": lambda: plots.cells(
        [0.1, 0.2, 0.5, 3], [1, 2, 3], MAP, np.where(MAP > 20, MAP, np.nan), **LABELS,
        label="factor between claimed and exact size",
    ),
    "a chain": lambda: plots.chains(DRAWS, {"one chain": [DRAWS[:50]]}),
    "densities": lambda: plots.densities(range(200), {"target": BUMP, "ehd, released": BUMP / 2}, **LABELS),
    "histograms": lambda: plots.histograms({"a, p = 0.5": [3, 4, 5], "b, p = 0.1": [4, 4, 4]}, xlabel="rank"),
    "medians": lambda: plots.medians(MEDIANS, MEDIANS, ["a"], ylabel="maximum mean discrepancy", baseline={"a": 0.1}),
    "medians of many models": lambda: plots.medians(MEDIANS, None, list("abc"), ylabel="error"),
}  # fmt: skip
MAP = np.outer([10, 20, 300, 2000], [3, 2, 1])
LETTER = re.compile(r"<text[^>]*font(?:-size)?: ([\d.]+)px")


@cache
def drawn(name):
    """The Axes of a figure, drawn once for all tests, and its SVG."""
    ax = FIGURES[name]()
    plt.close("all")
    return ax, plots.svg(ax.get_figure(root=True))


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param


def on_a_phone(text):
    """Pixels of the smallest letter where 350 pixels are left for a figure, but for exponents."""
    return 350 * min(map(float, LETTER.findall(text))) / float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])


def test_no_letter_is_under_eleven_pixels_on_a_phone(name):
    assert on_a_phone(drawn(name)[1]) >= 11


@mpl.rc_context(look.WRITTEN)
def test_everything_is_inside_and_names_do_not_meet(name):
    figure = drawn(name)[0].get_figure(root=True)
    figure.draw_without_rendering()
    whole, size = figure.get_tightbbox(), figure.get_size_inches()
    assert min(whole.x0, whole.y0) >= -0.01
    assert np.all(whole.max <= size + 0.01)
    found = [thing for one in figure.axes for thing in (one.xaxis.label, one.yaxis.label, one.title)] + figure.legends
    found += [label for one in figure.axes for axis in (one.xaxis, one.yaxis) for label in shown(axis)]
    boxes = [thing.get_window_extent() for thing in found if not isinstance(thing, Text) or thing.get_text()]
    pairs = itertools.combinations([box.expanded(0.9, 0.7) for box in boxes], 2)
    assert not [pair for pair in pairs if pair[0].overlaps(pair[1])]


def shown(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    labels = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high and not tick.label1.get_rotation()]
    return [label for label in labels if label.get_visible()]


def test_variants_of_a_mechanism_differ_in_dashes_and_markers():
    ax = plots.lines([1, 2], {f"smoothed_hellinger, {i}": [0.1, 0.2] for i in range(4)}, **LABELS)
    assert {line.get_color() for line in ax.lines} == {plots.STYLES["smoothed_hellinger"].color}
    assert len({str(line._unscaled_dash_pattern) for line in ax.lines}) == 4
    assert [line.get_markerfacecolor() != "none" for line in ax.lines] == [filled for _, filled in plots.VARIANTS]
    plt.close("all")


def test_names_stand_at_the_ends_of_curves_in_their_order_and_apart():
    ends = {"ehd": 3, "lshist": 1, "geometric": 1.01}
    ax = plots.lines([1, 2], {name: [2, end] for name, end in ends.items()}, front=["ehd"], **LABELS)
    lowest, middle, highest = sorted(ax.texts, key=lambda text: text.get_position()[1])
    assert [text.get_text() for text in (lowest, middle, highest)] == ["LSHist", "geometric noise", "EHD"]
    assert middle.get_position()[1] - lowest.get_position()[1] >= look.END_LINE - 1e-9
    points = ax.transAxes.inverted().transform(ax.transData.transform([(2, ends["lshist"]), (2, ends["ehd"])]))
    assert np.array([lowest.xy, highest.xy]) == pytest.approx(points)
    assert [line.get_color() for line in ax.lines] == [plots.STYLES["ehd"].color, look.BEHIND, look.BEHIND]
    plt.close("all")


def test_long_names_and_curves_that_end_early_have_a_legend():
    for curves in (
        {"a name that is too long": ([1, 9], [1, 2])},
        {"early": ([1, 2], [1, 2]), "late": ([1, 9], [2, 1])},
    ):
        ax = plots.lines(None, curves, **LABELS)
        assert not ax.texts
        assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == list(curves)
    plt.close("all")


def test_a_row_ends_at_its_value_and_bounds_stand_at_theirs():
    ax = plots.rows(["ehd", "geometric"], {"loss": [0.3, 0.4]}, bounds={"guarantee": [0.5, 0.4]}, xlabel="loss")
    assert [list(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2] == [
        [0, 0.3],
        [0, 0.4],
        [0.5, 0.4],
    ]
    plt.close("all")


def test_medians_leave_out_what_is_not_known():
    table = MEDIANS | {"median": [None, float("nan"), *[0.5] * 6]}
    ax = plots.medians(table, None, ["a", "b"], ylabel="error")
    assert [len(one.lines) for one in ax.get_figure(root=True).axes] == [0, 1]
    plt.close("all")


ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


def test_figures_of_pages_can_be_read_on_a_phone():
    for path in NOTEBOOKS:
        outputs = [out for cell in json.loads(path.read_text("utf-8"))["cells"] for out in cell.get("outputs", [])]
        for text in (
            "".join(out["data"]["image/svg+xml"]) for out in outputs if "image/svg+xml" in out.get("data", {})
        ):
            assert on_a_phone(text) >= 11, path.stem
