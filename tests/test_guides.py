"""The guides do what they say: their code runs, prints what they show, and becomes a notebook of the book."""

import re
from pathlib import Path

import jupytext
import yaml
from nbclient import NotebookClient

from dpbi.claims.statements import STATEMENTS
from dpbi.mechanisms.table import _entries
from dpbi.parameters import parse
from dpbi.results import read

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "book" / "guides"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((GUIDES / page).read_text("utf-8"))


def test_the_mechanism_of_the_guide_prints_what_the_guide_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = blocks("extend.md")
    (tmp_path / "wide_staircase.py").write_text(found[0][1])
    monkeypatch.delitem(_entries, "wide_staircase", raising=False)
    monkeypatch.setitem(_entries, "wide_staircase", _entries["staircase"])  # so that it is gone after the test
    del _entries["wide_staircase"]
    names: dict[str, object] = {}
    shown = []
    for number, (language, text) in enumerate(found[1:-1], start=1):
        if language == "python":
            exec(compile(text, f"extend.md, block {number}", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown.append(text)
    assert len(shown) == 4
    assert not capsys.readouterr().out
    del STATEMENTS["example/wide-staircase"]


def test_the_notebook_of_the_guide_runs_and_records_what_it_found(tmp_path):
    found = blocks("extend.md")
    (tmp_path / "wide_staircase.py").write_text(found[0][1])
    notebook = jupytext.reads(found[-1][1], fmt="py:percent")
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert [each.name for each in parse(cell.source)] == ["counts", "budgets", "outdir"]
    cell.source = cell.source.replace('outdir: str = ""', 'outdir: str = "."')
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    errors = read(tmp_path / "beyond" / "wide_staircase.json").tables["errors"]
    assert errors["epsilon"] == [0.5, 1.0, 2.0]
    assert errors["wide_staircase"] == sorted(errors["wide_staircase"], reverse=True)
    assert all(theirs > ours for theirs, ours in zip(errors["wide_staircase"], errors["geometric"], strict=True))


def test_the_guide_to_private_chains_prints_what_it_shows(capsys):
    names: dict[str, object] = {}
    shown = 0
    for language, text in blocks("sampler.md"):
        if language == "python":
            exec(compile(text, "sampler.md", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown += 1
    assert shown == 3


def bibtex(text: str) -> dict[str, str]:
    return {key: value.strip("{}") for key, value in re.findall(r"^  (\w+) += (\{.*\}),$", text, re.MULTILINE)}


def test_the_citation_shown_is_the_one_in_the_file():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    page = (GUIDES / "cite.md").read_text("utf-8")
    (shown,) = re.findall(r"^```bibtex\n(@software\{.*?)^```$", page, re.MULTILINE | re.DOTALL)
    entry = bibtex(shown)
    authors = " and ".join(author["name"] for author in citation["authors"])
    assert entry["title"].replace("{", "").replace("}", "") == citation["title"]
    assert entry["author"].strip("{}") == authors
    assert entry["version"] == citation["version"]
    assert entry["license"] == citation["license"]
    sentence = f"{authors}. *{citation['title']}*, version {citation['version']}."
    assert sentence[0].upper() + sentence[1:] in page


def test_every_paper_that_the_library_names_is_in_the_bibliography():
    entries = re.split(r"\n(?=@)", (ROOT / "book" / "references.bib").read_text("utf-8"))
    named = set()
    for path in sorted((ROOT / "src").rglob("*.py")):
        named |= set(re.findall(r"\b([A-Z][a-z]+),? \(?((?:19|20)\d\d)\)?", path.read_text("utf-8")))
    named = {(name, year) for name, year in named if name not in {"March", "August"}}
    assert len(named) >= 5
    missing = {
        (name, year) for name, year in named if not any(name in entry and f"{{{year}}}" in entry for entry in entries)
    }
    assert not missing


def test_the_guide_to_theorems_prints_what_it_shows(capsys):
    try:
        for language, text in blocks("theorem.md"):
            if language == "python":
                exec(compile(text, "theorem.md", "exec"), {})
            else:
                assert capsys.readouterr().out == text
    finally:
        STATEMENTS.pop("example/farthest", None)
