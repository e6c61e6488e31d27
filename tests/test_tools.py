"""The tools that build and check the book."""

import importlib
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import nbformat
import pytest
from docutils import nodes

import dpbi

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def tools_on_the_path():
    sys.path.insert(0, str(ROOT / "tools"))
    yield
    sys.path.remove(str(ROOT / "tools"))


def test_docstrings_reach_sphinx_with_their_formulas():
    with_math = importlib.import_module("sphinx_source").with_math
    assert with_math(r"At \(x\), \(\epsilon\)s and \(a") == r"At :math:`x`, :math:`\epsilon`\ s and \(a"
    displayed = with_math("  It is\n  \\[ a\n     = b. \\]\n  So \\[ c \\] ends.")
    lines = [line for line in displayed.splitlines() if line]
    assert lines == ["  It is", "  .. math::", "     a", "     = b.", "  So", "  .. math::", "     c", "  ends."]


def test_a_page_that_has_moved_leads_to_a_page_of_the_book(tmp_path):
    moved = importlib.import_module("sphinx_book")
    moved.lead_on(SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path), None)
    assert len(moved.MOVED) >= 3
    for old in moved.MOVED:
        page = tmp_path / f"{old}.html"
        target = re.search(r'href="(.+)\.html"', page.read_text("utf-8"))[1]
        source = ROOT / (page.parent / target).resolve().relative_to(tmp_path.resolve())
        assert source.with_suffix(".md").is_file() or source.with_suffix(".ipynb").is_file()
        assert not any((ROOT / f"{old}{ending}").exists() for ending in (".md", ".ipynb"))


def test_the_reference_has_every_folder_and_every_module_by_itself():
    text = (ROOT / "book" / "reference.md").read_text("utf-8")
    listed = re.findall(r"^   (dpbi\.[\w.]+)$", text, re.MULTILINE)
    assert all(isinstance(importlib.import_module(name), ModuleType) for name in listed)
    modules = {f"dpbi.{module.name}" for module in pkgutil.iter_modules(dpbi.__path__)}
    assert {name for name in listed if name.count(".") == 1} == modules - {"dpbi.__main__", "dpbi.checks", "dpbi.cli"}


def test_the_way_from_a_question_to_its_folder_leaves_out_none():
    text = (ROOT / "book" / "developers.md").read_text("utf-8")
    folders = {module.name for module in pkgutil.iter_modules(dpbi.__path__) if module.ispkg}
    assert {name for name in folders if not re.search(rf"[{{`]{name}[ `]", text)} == set()
    assert len(re.findall(r"^\*\*.*\?\*\*", text, re.MULTILINE)) >= 8


def test_signatures_are_shown_as_written():
    as_written = importlib.import_module("sphinx_source").as_written
    accuracy = importlib.import_module("dpbi.accuracy.errors")
    assert as_written(accuracy.mean_error) == ("(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike)", "float")
    assert as_written(accuracy.ErrorLaw) == ("(distances: Floats, probabilities: Floats)", "")


def test_the_committed_form_of_a_notebook_forgets_the_editor():
    notebook = nbformat.v4.new_notebook(metadata={"widgets": {}})
    cell = nbformat.v4.new_code_cell("1", metadata={"tags": ["parameters"], "execution": {"iopub.status.busy": "now"}})
    del cell["id"]
    notebook.cells = [cell]
    kept = importlib.import_module("execute").committed_form(notebook, Path("x.ipynb"))
    assert set(kept.metadata) == {"kernelspec", "language_info"}
    assert kept.cells[0].metadata == {"tags": ["parameters"]}
    assert kept.cells[0].id == "cell-1"


def test_cells_with_words_or_numbers_are_marked_for_the_comparison_and_figures_are_not():
    def tags(*kinds, given=()):
        outputs = [nbformat.v4.new_output("display_data", data={kind: "1"}) for kind in kinds]
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell("1", outputs=outputs, metadata={"tags": list(given)})]
        return importlib.import_module("execute").committed_form(notebook, Path("x.ipynb")).cells[0].metadata["tags"]

    assert tags("text/html", "text/plain", given=["hide-input"]) == ["hide-input", "nbval-check-output"]
    assert tags("text/plain", given=["nbval-check-output"]) == ["nbval-check-output"]
    assert tags("image/svg+xml", "text/plain", given=["nbval-check-output"]) == []
    assert tags() == []


def test_a_notebook_that_warns_is_not_committed():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("stream", name="stderr", text="oh")])
    ]
    with pytest.raises(SystemExit, match="writes to stderr"):
        importlib.import_module("execute").committed_form(notebook, Path("x.ipynb"))


def test_the_pictures_of_other_pages_are_the_figures_of_their_notebooks():
    execute = importlib.import_module("execute")
    for path, cell in execute.PICTURES.items():
        assert path.read_text("utf-8") == execute.picture(*cell)


def test_a_claim_reaches_the_ledger_with_its_formulas_and_links():
    markdown = importlib.import_module("ledger").markdown
    (identity, label), *_ = importlib.import_module("ledger").LABELS.items()
    text = markdown(rf"As \( x > 0 \), \[ y = 1 . \] See ``{identity}`` and ``law``.")
    assert text == f"As $x > 0$,\n\n$$\ny = 1 .\n$$\n\nSee {{ref}}`{identity} <{label}>` and `law`."


def test_every_statement_of_another_work_names_it_in_the_bibliography():
    keys = set(re.findall(r"^@\w+{(\w+),", (ROOT / "book" / "references.bib").read_text("utf-8"), re.MULTILINE))
    statements = importlib.import_module("dpbi.claims").CLAIMS
    assert {each.by for each in statements} - {"printed", "reading", "ours"} <= keys


def test_labels_of_claims_are_all_different():
    labels = importlib.import_module("ledger").LABELS
    assert len(set(labels.values())) == len(labels)


def test_words_in_a_link_of_html_are_left_alone():
    untouched = importlib.import_module("sphinx_words").untouched
    opening, closing = nodes.raw("", '<a href="x">', format="html"), nodes.raw("", "</a>", format="html")
    inside, outside = nodes.Text("a budget"), nodes.Text(" and a budget")
    nodes.paragraph("", "", opening, inside, closing, outside)
    assert untouched(inside)
    assert not untouched(outside)
