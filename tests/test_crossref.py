"""What the pages say about claims: which block states which, which functions compute them, what became of them."""

import importlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes

import dpbi
from dpbi.claims import BY_ID, CLAIMS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
crossref, ledger, sphinx_claims, sphinx_words = map(
    importlib.import_module, ("crossref", "ledger", "sphinx_claims", "sphinx_words")
)
sys.path.remove(str(ROOT / "tools"))


def blocks() -> dict[str, tuple[str, list[str]]]:
    """The title and the claims of every block in the notebooks and on the pages of the book, by its label."""
    texts = [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md") if "ledger" not in path.parts]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    block = re.compile(r"```\{prf:\w+\} (.+)\n:label: (\S+)\n(?::claims: (.+)\n)?")
    return {label: (title, claims.split()) for text in texts for title, label, claims in block.findall(text)}


BLOCKS = blocks()
STATED = {name for _, claims in BLOCKS.values() for name in claims}


# Blocks and claims


@pytest.mark.parametrize("label", BLOCKS)
def test_a_block_names_claims_of_its_source_once_and_they_exist(label):
    _, claims = BLOCKS[label]
    assert set(claims) <= set(BY_ID)
    assert len(set(claims)) == len(claims)
    source = label.replace("optimality", "beyond")
    assert all(source.startswith(f"{crossref.origin(name)}-") for name in claims)


def test_a_block_that_is_titled_by_an_item_of_a_source_states_claims():
    silent = [label for label, (title, claims) in BLOCKS.items() if re.search(r"\d.* of th", title) and not claims]
    assert silent == []


def test_every_numbered_theorem_lemma_and_corollary_is_stated_in_a_block():
    numbered = re.compile(r", (Theorem|Lemma|Corollary) \d[\d.]*$")
    printed = {claim.id for claim in CLAIMS if numbered.search(claim.source)}
    assert len(printed) > 40
    assert printed - STATED == set()


def test_what_corrects_a_claim_of_a_block_is_stated_in_a_block():
    assert [claim.id for claim in CLAIMS if claim.corrects in STATED and claim.id not in STATED] == []


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ("Theorem 3.1, EHD", "theorem"),
        ("Corollary 4.4.1, proof", "corollary"),
        ("undated version, Algorithm 2", "algorithm"),
        ("Table 2, caption", "observation"),
        ("Section 5.1", "proposition"),
    ],
)
def test_a_claim_is_stated_in_a_block_of_its_kind(item, kind):
    assert crossref.kind(item) == kind


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


def test_no_statement_of_this_book_is_numbered():
    """The only numbers of statements are those of their sources, so no page numbers its own."""
    ours = re.compile(r"(Theorem|Lemma|Corollary|Corollaries|Proposition|Definition)s? \d")
    assert [title for title, _ in BLOCKS.values() if ours.match(title) and not re.search(r" of th", title)] == []
    assert [claim.source for claim in CLAIMS if claim.id.startswith("beyond/") and ours.match(item_of(claim))] == []


def item_of(claim):
    return claim.source.partition(", ")[2]


def test_a_page_that_lists_verdicts_is_counted_at_its_blocks_and_not_said_again():
    label = "claim-notes-4-1"
    output = {"data": {"text/markdown": f"- *Theorem* ([`notes/4.1`](#{label})): **Proved**."}}
    cells = [
        {"cell_type": "markdown", "source": ["# A page\n", "\n", "## The verdicts"]},
        {"cell_type": "code", "source": "", "outputs": [output]},
    ]
    told = sphinx_claims.places(cells)
    assert told == {"notes/4.1": "the-verdicts"}
    text = sphinx_claims.closing("notebooks/notes/page", TABLE, ["notebooks/notes/page"], told)
    assert "1 of the 3 claims of the notes on this page holds as it stands." in text
    assert label not in text


PAGE = """# A page

```{{prf:theorem}} Theorem 4.2
:label: a-theorem
:claims: {claims}

It holds.
```
"""
ENTRIES = """# Claims

(claim-notes-4-2)=
## notes/4.2

**refuted**

(claim-notes-4-2-corrected)=
## notes/4.2-corrected

**proved**
"""
CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import sphinx_claims
row = {{"id": "notes/4.2", "verdict": "refuted", "corrects": None}}
sphinx_claims.rows = lambda: [row, {{**row, "id": "notes/4.2-corrected", "corrects": "notes/4.2"}}]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_proof", "sphinx_claims"]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A book of two pages, whose theorems name claims that are in the ledger and one that is not."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "book" / "ledger").mkdir(parents=True)
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "index.md").write_text("# A book\n\n```{toctree}\npage\nwrong\nbook/ledger/notes\n```\n")
    (folder / "page.md").write_text(PAGE.format(claims="notes/4.2 notes/4.2-corrected"))
    (folder / "wrong.md").write_text(PAGE.format(claims="notes/4.2 notes/nothing").replace("a-theorem", "another"))
    (folder / "book" / "ledger" / "notes.md").write_text(ENTRIES)
    command = [sys.executable, "-m", "sphinx", "-nWq", "--keep-going", folder, folder / "html"]
    return folder / "html", subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_block_leads_to_the_claims_that_it_names_and_they_lead_back(built):
    html, _ = built
    page = re.sub(r"</?(span|em)[^>]*>", "", (html / "page.html").read_text("utf-8"))
    address = 'class="reference internal" href="book/ledger/notes.html#claim-notes-4-2'
    assert f'Verdicts – refuted: <a {address}">4.2</a>; instead: <a {address}-corrected">4.2-corrected</a>.' in page
    ledger = (html / "book" / "ledger" / "notes.html").read_text("utf-8")
    back = ' · stated in <a class="reference internal" href="../../page.html#a-theorem">Theorem 4.2</a>'
    assert f"<strong>refuted</strong>{back}" in ledger
    assert f"<strong>proved</strong>{back}" in ledger


def test_a_block_that_names_no_claim_of_the_ledger_breaks_the_build_and_nothing_else_does(built):
    _, run = built
    assert run.returncode != 0
    (told,) = run.stderr.splitlines()
    assert "wrong.md" in told
    assert "claims must be ids of the ledger, got notes/nothing" in told


# Claims and functions


def test_claims_name_the_functions_that_they_call_where_these_are_defined():
    claim = replace(BY_ID["notes/4.5-ehd-lower"], calls=(dpbi.error_tail, dpbi.PureDP.delta))
    assert crossref.functions(claim) == ["dpbi.accuracy.errors.error_tail", "dpbi.guarantees.pure.PureDP.delta"]


def test_the_functions_that_claims_call_are_described_in_the_reference():
    pages = re.findall(r"^   (dpbi\.[\w.]+)$", (ROOT / "book" / "reference.md").read_text("utf-8"), re.MULTILINE)
    called = {name for claim in CLAIMS for name in crossref.functions(claim)}
    described = {name for name in called if any(name.startswith(f"{page}.") for page in pages) and "._" not in name}
    assert called - described == set()
    assert {function.__qualname__ for claim in CLAIMS for function in claim.calls if not function.__doc__} == set()


def test_the_reference_leads_from_a_function_to_its_claims():
    app = type("App", (), {"using": {"dpbi.x": ["notes/4.1"], "dpbi.y": ["notes/4.1", "notes/4.2"]}})
    lines = ["See claim ``notes/hellinger`` and ``n/a``."]
    sphinx_claims.docstring(app, "function", "dpbi.y", None, None, lines)
    assert lines[0] == "See claim :ref:`notes/hellinger <claim-notes-hellinger>` and ``n/a``."
    assert ".. dropdown:: 2 claims of the ledger compute with it" in lines
    assert "   :ref:`notes/4.1 <claim-notes-4-1>`, :ref:`notes/4.2 <claim-notes-4-2>`" in lines


# What became of the claims


def row(name, verdict, corrects=None, page="notes/page", origin="printed", erratum=False):
    source = "notes2020, Theorem 1"
    return {
        "id": name,
        "verdict": verdict,
        "corrects": corrects,
        "notebook": page,
        "source": source,
        "origin": origin,
        "erratum": erratum,
    }


TABLE = [
    row("notes/4.1", "proved"),
    row("notes/4.2", "refuted"),
    row("notes/4.2-corrected", "proved", "notes/4.2"),
    row("notes/4.3", "not checkable"),
    row("notes/4.3-corrected", "refuted", "notes/4.3"),
    row("notes/4.4", "proved", page="notes/other"),
]


def test_a_page_ends_with_what_was_claimed_what_is_true_and_what_to_read_next():
    text = sphinx_claims.closing("notebooks/notes/page", TABLE, ["notebooks/notes/page", "notebooks/notes/other"])
    assert "1 of the 3 claims of the notes on this page holds as it stands" in text
    assert "{ref}`4.1 <claim-notes-4-1>`" in text
    assert (
        "| {ref}`4.2 <claim-notes-4-2>` | Theorem 1 | refuted | {ref}`proved <claim-notes-4-2-corrected>` |"
    ) in text
    assert "| {ref}`4.3 <claim-notes-4-3>` | Theorem 1 | not checkable | – |" in text
    assert "4.4" not in text
    assert "{doc}`/notebooks/notes/other`" in text


@pytest.mark.parametrize(
    ("whole", "count", "said"),
    [
        (0, 1, "The one claim of x on this page does not hold as it stands"),
        (1, 1, "The one claim of x on this page holds as it stands"),
        (0, 2, "Neither of the two claims of x on this page holds as it stands"),
        (2, 2, "Both claims of x on this page hold as they stand"),
        (0, 3, "None of the 3 claims of x on this page holds as it stands"),
        (3, 3, "All 3 claims of x on this page hold as they stand"),
        (2, 3, "2 of the 3 claims of x on this page hold as they stand"),
    ],
)
def test_the_closing_sentence_says_how_many_hold(whole, count, said):
    assert sphinx_claims.standing(whole, count, "x") == said


def test_what_is_no_claim_of_the_source_is_not_counted_as_one():
    ours, others = row("notes/4.2-tail", "refuted", origin="ours"), row("notes/4.1", "proved", origin="literature")
    rows = [*TABLE, row("notes/4.5-ehd-proof", "refuted", erratum=True), ours, others]
    text = sphinx_claims.closing("notebooks/notes/page", rows, ["notebooks/notes/page"])
    counted = sphinx_claims.closing("notebooks/notes/page", TABLE, ["notebooks/notes/page"])
    assert text.split("\n\n")[1] == counted.split("\n\n")[1]
    assert "judged apart: {ref}`4.5-ehd-proof" in text
    assert "Statements of other works: {ref}`4.1 <claim-notes-4-1>` (proved)." in text
    assert "Statements of this book: {ref}`4.2-tail <claim-notes-4-2-tail>` (refuted)." in text


def test_a_page_of_this_book_says_which_of_its_statements_do_not_simply_hold_and_counts_none():
    rows = [
        row("beyond/2-domination", "proved", origin="ours"),
        row("beyond/any-loss", "refuted", origin="ours"),
        row("beyond/3-least-mean-error", "proved", "beyond/any-loss", origin="ours"),
        row("beyond/7-no-remap", "holds under a condition", origin="ours"),
    ]
    text = sphinx_claims.closing("notebooks/notes/page", rows, ["notebooks/notes/page"])
    repair = "{ref}`3-least-mean-error <claim-beyond-3-least-mean-error>`"
    assert f"{{ref}}`any-loss <claim-beyond-any-loss>` is false, and stated to show that; true is {repair}. " in text
    assert "{ref}`7-no-remap <claim-beyond-7-no-remap>` holds under a condition. The rest is proved" in text
    assert not re.search(r"\d of the|claims of|2-domination", text)
    alone = sphinx_claims.closing("notebooks/notes/page", rows[:1], ["notebooks/notes/page"])
    assert alone.startswith("## What to read next")


def test_every_row_of_the_ledger_is_counted_once():
    pandas = importlib.import_module("pandas")
    table = pandas.DataFrame(
        [
            {"id": claim.id, "corrects": claim.corrects, "erratum": claim.erratum, "origin": claim.origin}
            for claim in CLAIMS
        ]
    )
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in ledger.in_parts(table).splitlines()]
    names, *rows = [lines[0], *lines[2:]]
    counts = {row[0]: dict(zip(names[1:], map(int, row[1:]), strict=True)) for row in rows}
    total = counts.pop("**all**")
    assert total["all"] == len(CLAIMS) == sum(total[name] for name in crossref.PARTS)
    for name in total:
        assert total[name] == sum(row[name] for row in counts.values())
    assert total["repairs"] == sum(claim.corrects is not None for claim in CLAIMS)
    thesis = counts["the private MCMC thesis"]
    assert thesis["claims"] == sum(
        claim.id.startswith("private-mcmc/") and claim.origin in ("printed", "reading") and not claim.erratum
        for claim in CLAIMS
        if claim.corrects is None
    )


def test_the_last_page_leads_to_the_ledger_and_a_page_without_claims_says_only_what_is_next():
    text = sphinx_claims.closing("notebooks/notes/none", TABLE, ["notebooks/notes/none"])
    assert text.startswith("## What to read next")
    assert "{doc}`/book/ledger`" in text
    assert "claims" not in text


def test_a_notebook_gets_its_closing_section_and_keeps_its_cells(monkeypatch):
    monkeypatch.setattr(sphinx_claims, "rows", lambda: TABLE)
    source = [json.dumps({"cells": [{"cell_type": "markdown", "source": "# A"}], "nbformat": 4})]
    app = SimpleNamespace(told={})
    sphinx_claims.close(app, "notebooks/notes/page", source)
    cells = json.loads(source[0])["cells"]
    assert [cell["source"].split("\n")[0] for cell in cells] == ["# A", sphinx_claims.CLOSING]
    untouched = ["# A page"]
    sphinx_claims.close(app, "book/index", untouched)
    assert untouched == ["# A page"]
    at_the_end = "what-was-claimed-what-is-true-what-to-read-next"
    assert app.told == {"notebooks/notes/page": dict.fromkeys([row["id"] for row in TABLE[:-1]], at_the_end)}


def test_every_verdict_has_a_fate():
    claim = importlib.import_module("dpbi.claims.claim")
    assert set(crossref.FATES) == set(claim.WORDS) - {claim.OFF}  # with which there is no book


def test_the_summary_counts_printed_claims_and_their_repairs():
    pandas = importlib.import_module("pandas")
    text = ledger.in_brief(
        pandas.DataFrame(
            [*TABLE, row("beyond/1", "refuted", origin="ours"), row("notes/own", "refuted", origin="ours")]
        )
    )
    assert "**4 claims**" in text
    assert "**2** of them hold as printed" in text
    assert "**1 are repaired**" in text
    assert "| {doc}`the notes </book/ledger/notes>` | 4 | 2 | 0 | 1 | 1 | 1 |" in text


def test_the_data_of_the_ledger_is_json_without_nan():
    pandas = importlib.import_module("pandas")
    table = pandas.DataFrame([row("notes/4.1", "proved"), row("notes/4.2", "proved", "notes/4.1")])
    found = ledger.records(table.assign(exact=[None, 0.5], case=[None, {"n": 1}]))
    assert found[0]["corrects"] is found[0]["exact"] is found[0]["case"] is None
    assert found[1]["exact"] == 0.5
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_every_entry_of_the_ledger_is_a_block_labelled_by_its_claim():
    data = {name: {"verdict": "proved", "certified": False, "case": None} for name in BY_ID}
    for identity in ("notes/4.5-ehd-lower", "notes/4.5-ehd-lower-corrected"):
        text = ledger.entry(BY_ID[identity], data)
        assert re.search(
            rf"\{{prf:theorem\}} .*Theorem 4.5, EHD, left inequality\n:label: {re.escape(identity)}\n", text
        )
        claim = BY_ID[identity]
        for function in (claim.exact, claim.body):  # the exact side, and what is said of it
            assert f"def {function.__name__}(" in text
        assert all(f"{{py:obj}}`~{name}`" in text for name in crossref.functions(claim))
    assert "in place of Theorem 4.5" in text


def test_a_statement_stands_beside_its_reading_and_what_holds_instead():
    found = {"verdict": "refuted", "certified": True, "cases": 1, "case": {"n": 1}, "relation": "<="}
    data = {name: {"exact": 2.5, "bound": 1.5, **found} for name in BY_ID}
    text = ledger.entry(BY_ID["notes/global-sensitivity"], data)
    side = text[text.index("beside") : text.index(":::::\n\n**refuted**")]
    read, instead = side.index("*Read as* {ref}`notes/global-sensitivity-bound"), side.index("*Instead* {ref}`notes/gl")
    assert 0 < read < instead
    for name in ("notes/global-sensitivity", "notes/global-sensitivity-bound", "notes/global-sensitivity-corrected"):
        assert BY_ID[name].statement in side
    assert "*Fails*" in side[:read]
    assert "2.5 against 1.5 at n = 1" in side[:read]
    assert 'BY_ID["notes/global-sensitivity"].check(n=1)' in side[:read]
    alone = ledger.entry(BY_ID["notes/global-sensitivity-corrected"], data)
    assert "*Fails*" in alone
    assert "*Read as*" not in alone
    assert "*Instead*" not in alone


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
