"""The tools that build and check the book."""

import csv
import importlib
import json
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import nbformat
import pandas as pd
import pytest

import dpbi
from dpbi.claims import BY_ID, RECORDED
from dpbi.plots.looks import LOOKS

ROOT = Path(__file__).parents[1]
MARK = "nbval-check-output"


@pytest.fixture(scope="module", autouse=True)
def tools_on_the_path():
    sys.path.insert(0, str(ROOT / "tools"))
    yield
    sys.path.remove(str(ROOT / "tools"))


def test_the_gallery_knows_where_every_mechanism_is_at_home():
    assert set(importlib.import_module("generate").PLACES) == set(LOOKS)


@pytest.mark.parametrize("tex", [
    r"\Pr[H < t] \ge 1 - \frac12 e^{-k_-\varepsilon/4} - \left(1 + \frac{x < y}{2}\right) e^{-k}",
    r"\sum_{x \sim x'} |a - b| = \max(u + v, -w) \le \begin{cases} 1 & x = 2 \end{cases}",
    r"f(a, b) = g(a + b, c - d) + h(a, b, c, d, e) - i(a + b + c + d)",
])  # fmt: skip
def test_the_pieces_of_a_long_formula_make_the_formula(tex):
    pieces = importlib.import_module("sphinx_lines").lines(tex)
    assert re.sub(r"\s|\{\}", "", "".join(pieces)) == re.sub(r"\s|\{\}", "", tex)
    for piece in pieces:
        assert piece.count("{") == piece.count("}")
        assert piece.count(r"\left") == piece.count(r"\right")


@pytest.mark.parametrize(("text", "linked"), [
    ("An interval that claims 95 %, as the claim says", ["claim"]),
    ("Claim 2 and whose claims", ["claims"]), ("They promise a prior; a promise", ["prior", "promise"]),
    ("The prior 2 of Priors", ["Priors"]),
])  # fmt: skip
def test_no_verb_and_no_number_of_a_source_leads_to_the_glossary(text, linked):
    words = importlib.import_module("sphinx_words")
    terms = dict.fromkeys(("claim", "promise", "prior"), "there")
    pieces = list(words.pieces(text, terms, words.pattern(terms), set()))
    assert [piece for piece, where in pieces if where] == linked
    assert "".join(piece for piece, _ in pieces) == text


def test_the_earlier_edition_says_why_each_verdict_has_changed():
    with (ROOT / "book" / "before.csv").open(encoding="utf-8") as file:
        before = {row["what"]: row for row in csv.DictReader(file)}
    changed = {name for name in RECORDED if name in before and before[name]["before"] != RECORDED[name]}
    assert changed == {name for name, row in before.items() if row["why"]}
    ended = [name for name in before if name not in BY_ID and not (ROOT / name).is_file()]
    assert ended == []  # ids stay, as names of the statements that they became part of


def test_a_table_has_one_row_of_column_names():
    """The name of its rows stands in the corner."""
    lines, table = importlib.import_module("sphinx_lines"), pd.DataFrame({"n": [7], "p": [1], "q": [2]})
    named = table.set_index("n")
    for frame, names in ((named, "n|p|q"), (named.rename_axis(columns="e"), "n, by e|p|q"), (table, "|n|p|q")):
        (head,) = re.findall(r"<thead>.*?</thead>", lines.HEAD.sub(lines.one_head, frame.to_html()), re.DOTALL)
        assert "|".join(re.findall(r"<th>([^<]*)</th>", head)) == names
        assert head.count("<tr") == 1


def test_a_page_that_has_moved_leads_to_a_page_of_the_book(tmp_path):
    moved = importlib.import_module("sphinx_book")
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path, doctreedir=tmp_path, env="the names")
    moved.lead_on(app, None)
    assert pd.read_pickle(tmp_path / "environment.pickle") == "the names"
    assert len(moved.MOVED) >= 3
    for old in moved.MOVED:
        target = re.search(r'href="(.+)\.html"', (page := tmp_path / f"{old}.html").read_text("utf-8"))[1]
        source = ROOT / (page.parent / target).resolve().relative_to(tmp_path.resolve())
        assert source.with_suffix(".md").is_file() or source.with_suffix(".ipynb").is_file()
        assert not any((ROOT / f"{old}{ending}").exists() for ending in (".md", ".ipynb"))


def test_the_reference_has_every_folder_and_every_module():
    text = (ROOT / "book" / "reference.md").read_text("utf-8")
    listed = re.findall(r"^   (dpbi\.[\w.]+)$", text, re.MULTILINE)
    assert all(isinstance(importlib.import_module(name), ModuleType) for name in listed)
    modules = {f"dpbi.{module.name}" for module in pkgutil.iter_modules(dpbi.__path__)}
    beside = {f"dpbi.{name}" for name in ("__main__", "checks", "cli", "extras")}
    assert {name for name in listed if name.count(".") == 1} == modules - beside


def test_cells_with_words_or_numbers_are_marked_to_be_compared():
    """By the form that is committed, and so on every page: what is marked and changes fails ``pytest``."""

    def marked(*kinds, given=()):
        outputs = [nbformat.v4.new_output("display_data", data={kind: "1"}) for kind in kinds]
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell("1", outputs=outputs, metadata={"tags": list(given)})]
        return importlib.import_module("execute").committed_form(notebook, Path("x.ipynb")).cells[0].metadata["tags"]

    assert marked("text/html", "text/plain", given=["hide-input"]) == ["hide-input", MARK]
    assert marked("image/svg+xml", "text/plain", given=[MARK]) == []
    assert marked() == []
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            outputs = cell.get("outputs", [])
            drawn = any("image/svg+xml" in one.get("data", {}) for one in outputs)
            assert (MARK in cell["metadata"].get("tags", [])) == (bool(outputs) and not drawn), (path.name, cell["id"])
            lines = [len(one["data"]["image/svg+xml"]) for one in outputs if "image/svg+xml" in one.get("data", {})]
            assert not lines or max(lines) == 1, f"run tools/execute.py {path}"


def test_pictures_of_other_pages_are_those_of_their_notebooks():
    execute = importlib.import_module("execute")
    for path, cell in execute.PICTURES.items():
        assert path.read_text("utf-8") == execute.picture(*cell)


def test_a_chip_says_how_a_theorem_is_known():
    """One of this book; of any other it says the verdict."""
    word = importlib.import_module("crossref").word
    row = {"by": "ours", "verdict": "true", "evidence": "proof in words; moreover: checked by Coq"}
    assert word(row) == "proved"
    assert word(row | {"evidence": "checked by Coq"}) == "checked by Coq"
    assert word(row | {"evidence": "these cases only"}) == word(row | {"by": "durfee2019"}) == "true"
    assert word(row | {"verdict": "false", "evidence": "counterexample"}) == "false"
