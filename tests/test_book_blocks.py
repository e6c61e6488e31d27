"""What the pages say about statements: which block states which; and which words lead to the glossary."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docutils import nodes

from dpbi.claims import BY_ID

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
crossref, sphinx_claims, sphinx_words = map(importlib.import_module, ("crossref", "sphinx_claims", "sphinx_words"))
sys.path.remove(str(ROOT / "tools"))


def blocks() -> dict[str, tuple[str, list[str]]]:
    """The title and the statements of every block in the notebooks and on the pages of the book, by its label."""
    texts = [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md") if "ledger" not in path.parts]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    block = re.compile(r"```\{prf:\w+\} (.+)\n:label: (\S+)\n(?::claims: (.+)\n)?")
    return {label: (title, claims.split()) for text in texts for title, label, claims in block.findall(text)}


BLOCKS = blocks()


# Blocks and statements


def test_a_block_names_statements_of_its_source_once_and_they_exist():
    for label, (_, named) in BLOCKS.items():
        assert set(named) <= set(BY_ID), label
        assert len(set(named)) == len(named), label
        source = label.replace("optimality", "beyond")
        assert all(source.startswith(f"{crossref.source(name)}-") for name in named), label


def test_no_block_of_this_book_is_numbered():
    """The only numbers of statements are those of their sources, so no page numbers its own."""
    ours = re.compile(r"(Theorem|Lemma|Corollary|Corollaries|Proposition|Definition)s? \d")
    assert [title for title, _ in BLOCKS.values() if ours.match(title) and not re.search(r" of th", title)] == []


PAGE = """# A page

```{{prf:theorem}} Theorem 4.5
:label: a-theorem
:claims: {claims}

It holds.
```
"""
ENTRIES = """# Statements

(claim-notes-4-5-ehd-lower)=
## notes/4.5-ehd-lower

(claim-notes-4-1)=
## notes/4.1
"""
CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import sphinx_claims
found = {{"notes/4.5-ehd-lower": "false", "notes/4.1": "true"}}
sphinx_claims.rows = lambda: [{{"id": name, "verdict": word}} for name, word in found.items()]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_proof", "sphinx_claims"]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A book of two pages, whose theorems name statements of the ledger and one that is not in it."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "book" / "ledger").mkdir(parents=True)
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "index.md").write_text("# A book\n\n```{toctree}\npage\nwrong\nbook/ledger/notes\n```\n")
    (folder / "page.md").write_text(PAGE.format(claims="notes/4.5-ehd-lower notes/4.1"))
    (folder / "wrong.md").write_text(PAGE.format(claims="notes/4.1 notes/nothing").replace("a-theorem", "another"))
    (folder / "book" / "ledger" / "notes.md").write_text(ENTRIES)
    command = [sys.executable, "-m", "sphinx", "-nWq", "--keep-going", folder, folder / "html"]
    return folder / "html", subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_block_shows_the_verdict_of_each_statement_and_leads_to_it(built):
    html, _ = built
    page = re.sub(r"</?(span|em)[^>]*>", "", (html / "page.html").read_text("utf-8"))
    address = 'class="reference internal" href="book/ledger/notes.html#claim-notes-4-'
    foot = f'false <a {address}5-ehd-lower">4.5-ehd-lower</a>  true <a {address}1">4.1</a>'
    assert foot in page


def test_a_block_that_names_no_statement_of_the_ledger_breaks_the_build_and_nothing_else_does(built):
    _, run = built
    assert run.returncode != 0
    (told,) = run.stderr.splitlines()
    assert "wrong.md" in told
    assert "claims must be ids of the ledger, got notes/nothing" in told


def test_the_reference_leads_from_an_id_to_the_ledger():
    lines = ["See ``notes/hellinger`` and ``n/a``."]
    sphinx_claims.docstring(None, "function", "dpbi.y", None, None, lines)
    assert lines == ["See :ref:`notes/hellinger <claim-notes-hellinger>` and ``n/a``."]


# Words and symbols


def test_the_first_use_of_a_word_leads_to_the_glossary_and_no_other():
    terms = {sphinx_words.singular(term): f"#{term}" for term in ("audit", "privacy loss", "neighbours")}
    words = sphinx_words.pattern(terms)
    seen: set[str] = set()
    text = "An Audit compares neighbours; audits find the privacy loss. Auditing unaudited neighbour-like things."
    found = [piece for piece in sphinx_words.pieces(text, terms, words, seen) if piece[1]]
    assert found == [("Audit", "#audit"), ("neighbours", "#neighbours"), ("privacy loss", "#privacy loss")]
    assert "".join(piece for piece, _ in sphinx_words.pieces(text, terms, words, seen)) == text


def test_words_are_linked_in_plain_text_only():
    plain, inside, after, title, stray = map(nodes.Text, ("plain", "inside", "after", "title", "stray"))
    nodes.paragraph("", "", plain)
    nodes.paragraph("", "", nodes.raw("", "<a href='#'>"), inside, nodes.raw("", "</a>"))
    nodes.paragraph("", "", nodes.raw("", "<a>x</a>"), after)
    nodes.section("", nodes.title("", "", title))  # and the theme sets the short form of an address without a parent
    linked = [node for node in (plain, inside, after, title, stray) if not sphinx_words.untouched(node)]
    assert linked == ["plain", "after"]
