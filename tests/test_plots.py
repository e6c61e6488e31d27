"""Style of the figures: mechanisms are distinguishable in colour, without colour, and on a dark page."""

import json
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors

mpl.use("agg")
from matplotlib import pyplot as plt

from dpbi import plots
from dpbi.plots.look import style
from dpbi.plots.looks import LOOKS

WHITE, DARK_PAGE = "#FFFFFF", "#121212"


def luminance(color):
    c = np.array(colors.to_rgb(color))
    return np.array([0.2126, 0.7152, 0.0722]) @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(color, page):
    light, dark = sorted((luminance(color), luminance(page)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_looks_differ_on_white_on_dark_and_without_colour():
    for name, look in LOOKS.items():
        assert min(contrast(look.color, page) for page in (WHITE, DARK_PAGE)) >= 3, name
    assert len({style.marker for style in LOOKS.values()}) == len(LOOKS)


def test_an_unknown_mechanism_is_refused_by_name():
    with pytest.raises(ValueError, match="mechanism must be one of lszhang, "):
        style("unheard")


LABELS = {"xlabel": "n", "ylabel": "error"}
MEDIANS = {
    name: [value for value in values for _ in range(2)]
    for name, values in {"model": "abcd", "algorithm": ["penalty"] * 4, "epsilon": [1] * 4, "q1": [0.4] * 4,
                         "median": [0.5] * 4, "q3": [0.7] * 4}.items()
}  # fmt: skip
LETTER = re.compile(r"<text[^>]*font(?:-size)?: ([\d.]+)px")


def on_a_phone(text):
    """Pixels of the smallest letter where 350 pixels are left for a figure, but for exponents."""
    return 350 * min(map(float, LETTER.findall(text))) / float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])


def test_a_row_ends_at_its_value_and_bounds_stand_at_theirs():
    ax = plots.rows(["ehd", "geometric"], {"loss": [0.3, 0.4]}, bounds={"guarantee": [0.5, 0.4]}, xlabel="loss")
    drawn = [list(line.get_xdata()) for line in ax.lines if len(line.get_xdata()) == 2]
    assert drawn == [[0, 0.3], [0, 0.4], [0.5, 0.4]]
    plt.close("all")


def test_medians_leave_out_what_is_not_known():
    table = MEDIANS | {"median": [None, float("nan"), *[0.5] * 6]}
    ax = plots.medians(table, None, ["a", "b"], ylabel="error")
    assert [len(one.lines) for one in ax.get_figure(root=True).axes] == [0, 1]
    plt.close("all")


NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").rglob("*.ipynb"))


def test_figures_of_pages_can_be_read_on_a_phone():
    for path in NOTEBOOKS:
        outputs = [out for cell in json.loads(path.read_text("utf-8"))["cells"] for out in cell.get("outputs", [])]
        shown = [out["data"]["image/svg+xml"] for out in outputs if "image/svg+xml" in out.get("data", {})]
        for text in map("".join, shown):
            assert on_a_phone(text) >= 11, path.stem
