"""What the pages say about statements: which block states which; and which words lead to the glossary."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docutils import nodes

from dpbi.claims import RECORDED

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
crossref, sphinx_claims, sphinx_words = map(importlib.import_module, ("crossref", "sphinx_claims", "sphinx_words"))
sys.path.remove(str(ROOT / "tools"))


def test_every_verdict_has_a_colour():
    assert set(crossref.COLOURS) == set(RECORDED.values())


@pytest.mark.parametrize(
    ("kind", "title", "called"),
    [
        ("theorem", "Theorem 4.5 of the notes", "Theorem 4.5 of the notes"),
        ("lemma", "Lemmas 4.1 to 4.3 of the paper", "Lemmas 4.1 to 4.3 of the paper"),
        ("observation", "Figure 6 of the paper", "Figure 6 of the paper"),
        ("lemma", "Claims 2 to 4 of the paper", "Claims 2 to 4 of the paper"),
        ("theorem", "Domination theorem", "Domination theorem"),
        ("theorem", "What draws cost, exactly", "Theorem (What draws cost, exactly)"),
        ("definition", "", "Definition"),
    ],
)
def test_a_block_is_called_by_one_number_or_by_its_name(kind, title, called):
    assert crossref.heading(kind, title) == called


PAGE = """# A page

```{{prf:theorem}} Theorems 4.5 to 4.7
:label: {label}

It is [{verdict}](claim-notes-4-5-ehd-lower).
```

See {{prf:ref}}`{label}`.
"""
ENTRIES = "# Statements\n\n(claim-notes-4-5-ehd-lower)=\n## notes/4.5-ehd-lower\n"
CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import sphinx_claims
sphinx_claims.rows = lambda: [{{"id": "notes/4.5-ehd-lower", "verdict": "false"}}]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_proof", "sphinx_claims"]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A book of two pages with a theorem, of which one says the verdict of the ledger and the other another word."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "index.md").write_text("# A book\n\n```{toctree}\npage\nwrong\nledger\n```\n")
    (folder / "page.md").write_text(PAGE.format(label="a-theorem", verdict="false"))
    (folder / "wrong.md").write_text(PAGE.format(label="another", verdict="true"))
    (folder / "ledger.md").write_text(ENTRIES)
    command = [sys.executable, "-m", "sphinx", "-nWq", "--keep-going", folder, folder / "html"]
    return folder / "html", subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_block_is_called_by_its_title_and_its_verdict_is_a_chip_that_leads_to_the_ledger(built):
    page = (built[0] / "page.html").read_text("utf-8")
    assert re.search(r'class="[^"]*sd-bg-danger[^"]*" href="ledger.html#claim-notes-4-5-ehd-lower"', page)
    assert page.count("Theorems 4.5 to 4.7") == 2  # in its title and where it is referred to
    index = (built[0] / "searchindex.js").read_text("utf-8")
    assert all(f"theorem 4.{number}" in index for number in (5, 6, 7))


def test_a_verdict_that_the_ledger_does_not_have_breaks_the_build_and_nothing_else_does(built):
    _, run = built
    assert run.returncode != 0
    (told,) = run.stderr.splitlines()
    assert "wrong" in told
    assert "claim-notes-4-5-ehd-lower is false, said to be true" in told


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


def test_the_longest_term_wins():
    terms = {"sensitivity": "#s", "local sensitivity": "#l"}
    pieces = sphinx_words.pieces("A local sensitivity.", terms, sphinx_words.pattern(terms), set())
    assert [piece for piece in pieces if piece[1]] == [("local sensitivity", "#l")]


def test_letters_mean_what_their_source_says():
    assert sphinx_words.scope("notebooks/private_mcmc/variations") == "notebooks/private_mcmc/"
    assert sphinx_words.scope("notebooks/notes/crossovers") == ""
    sections = re.findall(r"^## (.*)$", (ROOT / "book" / "notation.md").read_text("utf-8"), re.MULTILINE)
    assert set(sphinx_words.SCOPES) <= {name.lower().replace(" ", "-") for name in sections}
    assert all((ROOT / folder).is_dir() for folder in sphinx_words.SCOPES.values())
