"""The guides do what they say: their code runs in its order and prints what they show."""

import re
from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

from dpbi.claims.statements import STATEMENTS
from dpbi.mechanisms.table import _entries
from dpbi.parameters import parse
from dpbi.results import read

GUIDES = Path(__file__).parents[1] / "book" / "guides"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(blocks, page, capsys):
    """How many texts a guide shows, each of which its code before has printed."""
    names: dict[str, object] = {}
    shown = 0
    for number, (language, text) in enumerate(blocks):
        if language == "python":
            exec(compile(text, f"{page}, block {number}", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown += 1
    assert not capsys.readouterr().out
    return shown


@pytest.fixture
def left_as_it_was():
    """The table of mechanisms and the statements, without what a guide adds to them."""
    entries, statements = dict(_entries), dict(STATEMENTS)
    yield
    for table, before in ((_entries, entries), (STATEMENTS, statements)):
        table.clear()
        table.update(before)


@pytest.mark.usefixtures("left_as_it_was")
@pytest.mark.parametrize(("page", "texts"), [("family.md", 4), ("sampler.md", 3), ("theorem.md", 1)])
def test_a_guide_prints_what_it_shows(page, texts, capsys):
    assert run(BLOCK.findall((GUIDES / page).read_text("utf-8")), page, capsys) == texts


@pytest.mark.usefixtures("left_as_it_was")
def test_the_mechanism_of_the_guide_prints_what_the_guide_shows_and_runs_in_its_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (_, module), *blocks, (_, page) = BLOCK.findall((GUIDES / "extend.md").read_text("utf-8"))
    (tmp_path / "wide_staircase.py").write_text(module)
    assert run(blocks, "extend.md", capsys) == 4
    notebook = jupytext.reads(page, fmt="py:percent")
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert [each.name for each in parse(cell.source)] == ["counts", "budgets", "outdir"]
    cell.source = cell.source.replace('outdir: str = ""', 'outdir: str = "."')
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    errors = read(tmp_path / "beyond" / "wide_staircase.json").tables["errors"]
    assert errors["epsilon"] == [0.5, 1.0, 2.0]
    assert errors["wide_staircase"] == sorted(errors["wide_staircase"], reverse=True)
    assert all(theirs > ours for theirs, ours in zip(errors["wide_staircase"], errors["geometric"], strict=True))
