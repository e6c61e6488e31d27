"""Figures as pages show them: two layouts in one SVG, in which all is large enough, apart and inside."""

import importlib
import itertools
import json
import re
import sys
from functools import cache
from unittest import mock
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.lines import Line2D
from matplotlib.text import Text

mpl.use("agg")
from matplotlib import pyplot as plt

import dpbi
from dpbi import plots
from dpbi.plots import drawing
from test_plots import BY_NAME, DARK_PAGE, FIGURES, ROOT, WHITE, contrast

sys.path.insert(0, str(ROOT / "tools"))
sphinx_drawings, generate = map(importlib.import_module, ("sphinx_drawings", "generate"))
sys.path.remove(str(ROOT / "tools"))

LAYOUTS = {"desk": drawing.on_a_desk, "phone": drawing.on_a_phone}
MODELS = {
    name: [value for value in values for _ in range(2)]
    for name, values in {"model": "abcd", "algorithm": ["penalty"] * 4, "epsilon": [1] * 4, "share": [0.5] * 4}.items()
}
MANY = ("ehdl", "lshist", "lattice_laplace")
MAP = np.outer([10, 20, 300, 2000], [3, 2, 1])
HARD = {
    "rows with long names": lambda: plots.distances_from_print(
        {"exponential": {"k = 3, rounded down, kept in 0..n": 1e-9, "k = 2, 2 S, as defined": 1.0}}
    ),
    "a map": lambda: plots.crossover_map([0.1, 0.2, 0.5, 3], [1, 2, 3], MAP, 2 * MAP),
    "all mechanisms": lambda: plots.losses_at_any_size([10, 10**9], {name: [1, 0.5] for name in dpbi.MECHANISMS}),
    "panels side by side": lambda: plots.shares_by_epsilon(MODELS, "share"),
    "a long name of an axis": lambda: plots.prices_of_privacy([10, 10**12], {0.1: [1, 2], 1: [1, 1.001]}),
    "squares": lambda: plots.paths([[0, 0], [1, 1]], [([[0, 0], [1, 0]], True), ([[0, 0], [0, 1]], False)]),
    "more names than have room": lambda: plots.mean_errors_by(
        {f"{name}, {k} categories": ([1, 10], [1 / k, 2 / k]) for k in (10, 20, 100, 1000) for name in MANY}, {},
        "records", xscale="log", yscale="log",
    ),
    "names beside the axes": lambda: plots.coverages([0.1, 1], {"ehd": {0.5: [0.1, 0.5]}}, {0.5: [0.5, 0.5]}),
} | BY_NAME | {name: lambda draw=draw: draw(None) for name, draw in FIGURES.items()}  # fmt: skip


@cache
def finished(name):
    """A figure, drawn once for all tests."""
    figure = HARD[name]().get_figure(root=True)
    plt.close("all")
    return figure


@cache
def laid_out(name, where):
    """A layout of a figure, once for all tests."""
    return LAYOUTS[where](drawing.copied(finished(name)))


@cache
def written(name):
    """The SVG of a figure, of the layouts that are there."""
    desk, phone = (lambda _, where=where: laid_out(name, where) for where in LAYOUTS)
    with mock.patch.multiple(drawing, on_a_desk=desk, on_a_phone=phone):
        return drawing.both(finished(name))


@pytest.fixture(params=HARD)
def name(request):
    return request.param


@pytest.fixture
def svg(name):
    return written(name)


@pytest.mark.parametrize("where", LAYOUTS)
def test_everything_is_inside_and_names_do_not_meet(where, name):
    figure = laid_out(name, where)
    pixels = figure.dpi * {"desk": drawing.WIDE, "phone": drawing.NARROW}[where]
    whole = figure.get_tightbbox()
    assert whole.width * figure.dpi <= pixels + 2
    assert whole.y0 >= -0.01
    assert whole.height <= figure.get_figheight() + 0.02
    found = [ax.xaxis.label for ax in figure.axes] + [ax.yaxis.label for ax in figure.axes]
    for ax in figure.axes:
        found += [child for child in ax.get_children() if isinstance(child, mpl.legend.Legend)] + [ax.title]
        found += [label for axis in (ax.xaxis, ax.yaxis) for label in shown(axis)]
    boxes = [thing.get_window_extent() for thing in found if not isinstance(thing, Text) or thing.get_text()]
    met = [
        pair
        for pair in itertools.combinations([box.expanded(0.9, 0.7) for box in boxes], 2)
        if pair[0].overlaps(pair[1])
    ]
    assert not met


def shown(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = [
        tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and not tick.label1.get_rotation()
    ]
    return [tick.label1 for tick in ticks if tick.label1.get_visible()]


def test_no_letter_is_under_eleven_pixels_where_its_layout_is_shown(svg):
    wide, narrow = sphinx_drawings.LAYOUT.findall(svg)
    for layout, room in ((wide, 600), (narrow, 350)):
        width = 4 / 3 * float(re.search(r'viewBox="0 0 ([\d.]+)', layout)[1])
        sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", layout)]
        assert len(sizes) >= layout.count("<text") + layout.count("<tspan") > 0
        assert 4 / 3 * min(sizes) * min(1, room / width) >= 11


def test_names_of_mechanisms_are_in_words(svg):
    text = " ".join(re.findall(r"<text[^>]*>([^<]*)", svg))
    assert not set(re.findall(r"\w+", text)) & {
        name for name, entry in dpbi.MECHANISMS.items() if name not in entry.words
    }


def test_the_pictures_of_the_path_use_the_same_words():
    known = json.loads(generate.table().removeprefix("dpbi.table = ").rstrip(";\n"))["mechanisms"]
    assert {name: said["words"] for name, said in known.items()} == {
        name: entry.words for name, entry in dpbi.MECHANISMS.items()
    }


def test_a_figure_is_drawn_alike_each_time_and_stays_as_it_was():
    ax = BY_NAME["ratios_to_the_optimum"]()
    before = ax.figure.get_size_inches().tolist(), [text.get_text() for text in ax.get_legend().get_texts()]
    assert ax.figure._repr_svg_() == ax.figure._repr_svg_()
    assert "2026-" not in ax.figure._repr_svg_()
    assert before == (
        ax.figure.get_size_inches().tolist(),
        [text.get_text() for text in ax.get_legend().get_texts()],
    )
    assert plt.get_fignums() == [ax.figure.number]
    plt.close(ax.figure)


@pytest.mark.parametrize("name", ["errors_by_dataset", "score_changes"])  # whose ticks change with their place
def test_ticks_that_are_remembered_are_those_that_are_found_each_time(name, monkeypatch):
    remembered = drawing.both(finished(name))
    monkeypatch.setattr(drawing, "_remembered", lambda axis: axis._update_ticks)
    assert drawing.both(finished(name)) == remembered


def test_panels_stand_one_below_the_other_on_a_phone():
    figure = drawing.on_a_phone(drawing.copied(HARD["panels side by side"]().get_figure(root=True)))
    left, bottom = np.array([ax.get_position().p0 for ax in figure.axes]).T
    assert np.ptp(left) < 0.01
    assert np.all(np.diff(bottom) < 0)
    plt.close("all")


def test_labels_stand_at_the_heights_where_lines_end():
    ax = plots.losses_at_any_size([1, 10, 100], {"ehd": [3, 1, 0.2], "lshist": [0.1, 1, 2], "geometric": [2, 2, 1.4]})
    svg = sphinx_drawings.LAYOUT.findall(drawing.both(ax.figure))[0]
    names = re.findall(r">(Laplace noise on|geometric noise|epsilon itself|exponential mechanism)", svg)
    assert names == ["Laplace noise on", "geometric noise", "epsilon itself", "exponential mechanism"]
    plt.close(ax.figure)


def test_a_cloud_of_points_is_a_picture():
    draws = np.random.default_rng(1).normal(size=(20_000, 2))
    ax = plots.draws_and_chain(draws, draws[:50])
    svg = drawing.both(ax.figure)
    assert len(svg) < 300_000
    assert svg.count("<image") == 2
    plt.close(ax.figure)


def test_in_a_page_a_drawing_has_its_colours_and_names_of_its_own():
    parts = [sphinx_drawings.inlined(written("squares"), 'a "word"', f"page-{i}") for i in range(2)]
    names = [name for part in parts for name in re.findall(r' id="([^"]+)"', part)]
    assert len(set(names)) == len(names) > 4
    for part in parts:
        assert set(re.findall(r"#(page[\w-]+)", part)) <= set(re.findall(r' id="([^"]+)"', part))
        assert part.count("#000000") == part.count("#b0b0b0") == 0
        assert "fill: #ffffff" not in part
        tree = ElementTree.fromstring(part)
        assert tree.get("aria-label") == 'a "word"'
        assert [child.get("class") for child in tree] == ["wide", "narrow"]


def test_what_is_no_drawing_is_left_alone():
    assert sphinx_drawings.inlined("<svg><path d='M 0 0'/></svg>", "words", "page") is None


def test_lines_and_markers_stand_out_on_both_pages(name):
    for line in finished(name).findobj(Line2D):
        if line.get_color() in {"black", "white", "none", mpl.rcParams["grid.color"]}:
            continue  # of the page, or on a colour
        assert line.get_alpha() in (None, 1.0)
        assert min(contrast(colors.to_hex(line.get_color()), page) for page in (WHITE, DARK_PAGE)) >= 3
