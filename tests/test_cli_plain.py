"""A rerun notebook in plain Jupyter: nothing of MyST is left, and every link leads to a file."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from dpbi.cli.notebooks import notebooks
from dpbi.cli.plain import cited, markdown, readable

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "notebooks" / "notes" / "theorem_4_5.ipynb"


def plain(text, folder=ROOT / "rerun" / "notes" / "theorem_4_5"):
    return markdown(text, ROOT, PAGE, folder)


def test_a_theorem_becomes_a_quotation_with_its_title():
    block = (
        "```{prf:theorem} Theorem 4.5 of the notes\n:label: notes-4-5\n:claims: notes/4.5\n\nLet $n$.\n\n$$\nx\n$$\n```"
    )
    assert plain(f"Before.\n\n{block}\nAfter.") == (
        'Before.\n\n<a id="notes-4-5"></a>\n\n'
        "> **Theorem 4.5 of the notes.**\n>\n> Let $n$.\n>\n> $$\n> x\n> $$\n\nAfter."
    )
    assert plain("```{note}\nWords.\n```\n\nAfter.") == "> **Note.**\n>\n> Words.\n\nAfter."


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("{prf:proof}", "> *Proof.*"),
        ("{prf:theorem} A bound", "> **Theorem.** *A bound.*"),
        ("{prf:lemma} Lemmas 4.1 to 4.3", "> **Lemmas 4.1 to 4.3.**"),
        ("{prf:definition}", "> **Definition.**"),
        ("{admonition} Not for release", "> **Not for release.**"),
    ],
)
def test_a_block_says_what_it_is(head, said):
    assert plain(f"```{head}\nWords.\n```") == f"{said}\n>\n> Words."


def test_a_block_in_a_block_is_one_in_a_quotation():
    assert (
        plain("````{prf:theorem} T\n```{prf:proof}\nWords.\n```\n````")
        == "> **Theorem.** *T.*\n>\n> > *Proof.*\n> >\n> > Words."
    )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("raisa2021", "Räisä (2021)"),
        ("heikkila2019", "Heikkilä et al. (2019)"),
        ("yildirim2019", "Yıldırım and Ermiş (2019)"),
        ("notes2020", "*Differentially Private Bayesian Inference* (2020)"),
        ("nobody1900", "[nobody1900]"),
    ],
)
def test_a_citation_has_authors_and_year(key, said):
    assert cited(key, ROOT) == said
    assert plain(f"See {{cite}}`{key}`.") == f"See {said}."


def test_a_link_to_a_page_has_its_title_and_leads_there():
    assert plain("{doc}`/book/limits`") == "[Limits of this work](../../../book/limits.md)"
    assert plain("{doc}`so <crossovers>`") == "[so](../../../notebooks/notes/crossovers.ipynb)"
    assert plain("{doc}`/book/none`") == "none"
    assert plain("{prf:ref}`exact-draws-shape`").endswith("](../../../book/exact_draws.md)")
    assert plain("as [Theorem 4.5](#notes-theorem-4-5) says") == "as Theorem 4.5 says"


@pytest.mark.parametrize("name", [each.name for each in notebooks(ROOT)[0]])
def test_nothing_raw_is_left_in_any_notebook_of_the_book(name, tmp_path):
    source = ROOT / "notebooks" / f"{name}.ipynb"
    folder = tmp_path / "rerun" / name
    text = readable(source.read_text("utf-8"), ROOT, source, folder)
    shown = []
    for cell in json.loads(text)["cells"]:
        shown += [cell["source"]] if cell["cell_type"] == "markdown" else []
        shown += [
            output["data"]["text/markdown"]
            for output in cell.get("outputs", [])
            if "text/markdown" in output.get("data", {})
        ]
    for words in shown:
        assert not re.search(r"\{[\w:-]+\}`|^(```|:::)\{|^:\w+:|\]\(#", words, re.M), words
        for address in re.findall(r"\]\((?!https?:)([^)]+)\)", words):
            assert (folder / unquote(address)).resolve().exists(), address
    assert json.loads(text).keys() == json.loads(source.read_text("utf-8")).keys()
