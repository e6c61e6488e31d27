"""The visual language: every mechanism is told apart by colour, without colour, and on a dark page."""

import ast
import itertools
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.markers import MarkerStyle

import dpbi

mpl.use("agg")
from matplotlib import pyplot as plt

from dpbi import plots

WHITE, DARK_PAGE = "#FFFFFF", "#121212"

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
EYES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color):
    c = np.array(colors.to_rgb(color))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(color, page):
    light, dark = sorted((XYZ[1] @ linear(color), XYZ[1] @ linear(page)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(color, eye):
    x, y, z = XYZ @ np.clip(np.array(eye) @ linear(color), 0, 1) / XYZ.sum(axis=1)
    f = [np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("name", plots.STYLES)
def test_colours_stand_out_on_white_and_on_the_dark_page(name):
    assert min(contrast(plots.STYLES[name].color, page) for page in (WHITE, DARK_PAGE)) >= 3


@pytest.mark.parametrize("eye", EYES)
def test_colours_stay_apart_for_colour_blind_eyes(eye):
    seen = [lab(look.color, EYES[eye]) for look in plots.STYLES.values()]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) >= 15


def test_markers_are_all_different():
    markers = [look.marker for look in plots.STYLES.values()]
    assert len(set(markers)) == len(markers)
    assert all(MarkerStyle(marker) for marker in markers)


MECHANISMS = [
    dpbi.lszhang(1), dpbi.lsdim(1), dpbi.lshist(1), dpbi.geometric(1), dpbi.laplace_in_order(1),
    dpbi.ehd(1), dpbi.ehdl(1), dpbi.ehds(1), dpbi.smoothed_hellinger(1, 1e-4),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.name)
def test_every_mechanism_has_a_style(mechanism):
    assert plots.style(mechanism) == plots.STYLES[mechanism.name]


def test_a_calibrated_mechanism_looks_like_its_family():
    assert plots.style(dpbi.calibrate(dpbi.ehd, [1, 1], 5, 1.0)) == plots.STYLES["ehd"]


def test_an_unknown_mechanism_is_refused_by_name():
    with pytest.raises(ValueError, match=r"mechanism must be one of lszhang, .*, got 'unheard'"):
        plots.style("unheard")


FIGURES = {
    "posteriors": lambda ax: plots.posteriors([1, 1, 2], [3, 4, 5], [4, 4, 4], dpbi.ehd(1), ax=ax),
    "errors": lambda ax: plots.errors(dpbi.ehd(1), [1, 1], [3, 4], ax=ax),
    "local_sensitivities": lambda ax: plots.local_sensitivities([1, 1], 6, ax=ax),
    "score_changes": lambda ax: plots.score_changes([[0, 1], [1, 0]], [0.1, 0.2], [0, 1], ax=ax),
    "global_sensitivities": lambda ax: plots.global_sensitivities([[1, 1], [1, 1, 1]], [1, 10], ax=ax),
    "sensitivities": lambda ax: plots.sensitivities([1, 1], 5, 0.1, 1.0, ax=ax),
    "leaks": lambda ax: plots.leaks([dpbi.lshist(1), dpbi.ehdl(1)], [1, 1], 5, ax=ax),
    "hockey_sticks": lambda ax: plots.hockey_sticks([dpbi.lshist(1)], [1, 1], 5, [0.0, 0.5], ax=ax),
    "exact_and_bounds": lambda ax: plots.exact_and_bounds(
        [1, 2],
        {"exact": [1, 2]},
        printed={"printed": [3, 3]},
        corrected={"sharp": [2, 2]},
        xlabel="n",
        ylabel="loss",
        ax=ax,
    ),
    "lipschitz_masses": lambda ax: plots.lipschitz_masses([0, 1], {"a": [0, 1]}, {"a": [0, 0.5]}, {"a": 1.0}, ax=ax),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_draw_on_the_axes_given_and_name_their_own(name):
    figure = mpl.figure.Figure()
    ax = figure.subplots()
    assert FIGURES[name](ax) is ax
    assert ax.get_xlabel()
    new = FIGURES[name](None)
    assert new is not ax
    assert new.get_xlabel() == ax.get_xlabel()
    plt.close(new.figure)


def test_a_leak_is_drawn_where_the_audit_finds_it():
    mechanism = dpbi.ehd(1)
    ax = plots.leaks([mechanism], [1, 1], 5)
    ends = [line.get_xdata()[-1] for line in ax.lines if len(line.get_xdata()) == 2]
    assert ends == [dpbi.audit(mechanism, [1, 1], 5).epsilon]
    plt.close(ax.figure)


ROOT = Path(__file__).parents[1]


FOLDER = ROOT / "src" / "dpbi" / "plots"


def assigned(tree, name):
    """The statement of a file that gives a name its value."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return node
    raise LookupError(name)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.stem)
def test_no_figure_chooses_a_colour_of_its_own(file):
    tree = ast.parse(file.read_text("utf-8"))
    tables = [assigned(tree, name) for name in ("STYLES", "TRUTH", "ON_LIGHT")] if file.stem == "look" else []
    formats = (node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec)
    known = {id(node) for part in (*tables, *formats) for node in ast.walk(part)}
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in known}
    chosen = {word for word in words if isinstance(word, str) and colors.is_color_like(word)}
    assert chosen <= {"white", "black", "none"}  # writing on a colour, and open markers


def test_every_figure_of_a_chapter_is_a_name_of_the_package():
    defined = {
        node.name
        for file in FOLDER.glob("*.py")
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) == "Axes"
    }
    assert defined <= set(plots.__all__)


def test_no_page_draws_by_itself():
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        assert "matplotlib" not in code, path
        assert "color" not in code, path


BY_NAME = {
    "hockey_sticks": lambda: plots.hockey_sticks([dpbi.lshist(1), dpbi.ehd(1)], [1, 1], 5, [0.0, 0.5]),
    "errors": lambda: plots.errors(dpbi.geometric(1), [1, 1], [3, 4]),
    "losses_by_weight": lambda: plots.losses_by_weight([1, 2], [1, 1], [1, 1], [1, 1]),
    "losses_by_smoothing": lambda: plots.losses_by_smoothing(
        [1, 2], {"ehds, divisor 4": [1, 1]}, {"bound": [1, 1]}, {"ehdl": 1.0, "ehd": 0.5}
    ),
    "probabilities_by_dataset": lambda: plots.probabilities_by_dataset(
        {"lshist": [1, 1]}, {"lshist": [1, 1]}, {"lshist": [1, 1]}
    ),
    "bounds_over_truth": lambda: plots.bounds_over_truth([1, 2], "ehd", [[1, 1], [2, 2]], [[1, 1], [2, 2]], "n"),
    "losses_at_any_size": lambda: plots.losses_at_any_size([1, 2], {"ehds, a": [1, 1], "ehds, b": [1, 1]}),
    "mean_errors_by": lambda: plots.mean_errors_by({"ehds, a": ([1, 2], [1, 1]), "ehds, b": ([1, 2], [1, 1])}, {}, "n"),
    "ratios_to_the_optimum": lambda: plots.ratios_to_the_optimum(
        [1, 2], {"lshist, plain": [1, 1], "lattice_laplace, plain": [2, 2]}, "n"
    ),
    "errors_by_dataset": lambda: plots.errors_by_dataset({"ehdl": [1, 1], "smoothed_hellinger": [2, 2]}),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_mechanism_looks_the_same_in_every_figure(name):
    ax = BY_NAME[name]()
    named = [line for line in ax.lines if line.get_label().split(",")[0] in plots.STYLES]
    assert named
    for line in named:
        look = plots.STYLES[line.get_label().split(",")[0]]
        assert line.get_color() == look.color
        assert line.get_marker() in {look.marker, "None"}  # a bound is a line without markers
    plt.close(ax.figure)
