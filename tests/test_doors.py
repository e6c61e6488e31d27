"""From the landing page each reader reaches the goal in three clicks, and a link that leads nowhere is found."""

import importlib
import json
import re
import sys
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
check_links = importlib.import_module("check_links")
sys.path.remove(str(ROOT / "tools"))

INDEX = (ROOT / "book" / "index.md").read_text("utf-8")


def source(page: str) -> str:
    """The text of a page as a reader sees it: of a notebook the Markdown, and what its cells computed."""
    if (ROOT / f"{page}.md").exists():
        return (ROOT / f"{page}.md").read_text("utf-8")
    cells = json.loads((ROOT / f"{page}.ipynb").read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "\n".join([*texts, *("".join(output.get("data", {}).get("text/markdown", "")) for output in outputs)])


def leads(here: str, there: str) -> bool:
    page, _, anchor = there.partition("#")
    text = source(here)
    if anchor:
        return anchor in text
    named = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`", text)
    places = [PurePosixPath(name[1:]) if name[0] == "/" else PurePosixPath(here).parent / name for name in named]
    return page in {Path("/", place).resolve().relative_to("/").as_posix() for place in places}


@pytest.mark.parametrize("door", check_links.DOORS)
def test_a_door_leads_to_its_goal_in_at_most_three_clicks(door):
    way = check_links.DOORS[door]
    assert door in INDEX
    assert way[0] == "book/index"
    assert 1 <= len(way) - 1 <= 3
    assert [step for step in zip(way, way[1:], strict=False) if not leads(*step)] == []


def test_the_landing_page_has_no_other_doors():
    assert re.findall(r"\{grid-item-card\} (.*)", INDEX) == list(check_links.DOORS)


@pytest.fixture
def book(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "_static").mkdir()
    (tmp_path / "index.html").write_text(
        '<nav><a href="a/menu.html">m</a></nav><article><a href="a/one.html#here%20too">1</a></article>'
        '<a href="https://example.org/x">x</a>'
    )
    (tmp_path / "a" / "one.html").write_text('<p id="here too"><article><a href="../index.html">0</a></article>')
    (tmp_path / "a" / "menu.html").write_text("")
    return tmp_path


def test_links_to_pages_and_anchors_that_are_there_are_fine(book):
    assert check_links.broken(book) == []


@pytest.mark.parametrize(
    ("address", "what"),
    [("a/two.html", "no file"), ("a/one.html#there", "no anchor"), ("#nowhere", "no anchor"), ("a", "no file")],
)
def test_a_link_that_leads_nowhere_is_found(book, address, what):
    (book / "index.html").write_text(f'<a href="{address}">x</a>')
    assert check_links.broken(book) == [f"index.html: {address} leads to {what}"]


def test_a_door_opens_by_the_text_and_not_by_the_menu(book):
    closed = check_links.closed
    assert closed(book, {"one": ("index", "a/one")}) == []
    assert closed(book, {"one": ("index", "a/one#here too")}) == []
    assert closed(book, {"one": ("index", "a/one#there")}) == ["one: no link from index to a/one#there"]
    assert closed(book, {"menu": ("index", "a/menu")}) == ["menu: no link from index to a/menu"]
    assert closed(book, {"gone": ("gone", "index")}) == ["gone: no link from gone to index"]


def test_a_door_that_takes_four_clicks_is_too_far(book):
    way = ("index", "a/one", "index", "a/one", "index")
    assert check_links.closed(book, {"far": way}) == ["far: takes 4 clicks"]


def test_only_addresses_outside_are_asked_for(book, monkeypatch):
    asked = []
    monkeypatch.setattr(check_links, "answer", lambda address: asked.append(address) or "gone")
    assert check_links.dead(book) == ["https://example.org/x: gone"]
    assert asked == ["https://example.org/x"]


CLAIM = '<section id="all"><section id="claim"><span id="other-name"></span>{}</section></section>'
THEOREM = '<div class="proof theorem" id="t"><section id="proof-content"><p>{}</p></section></div>'
FUNCTION = '<dl class="py function"><dt class="sig" id="x.f">f</dt><dd>{}</dd></dl>'


@pytest.mark.parametrize(
    ("claim", "theorem", "function", "found"),
    [
        ('<a href="../../page.html#t">T</a>', '<a href="book/ledger/x.html#other-name">C</a>', "", []),
        ('<a href="../../page.html#t">T</a>', "", "", ["page.html#t"]),
        ("", '<a href="book/ledger/x.html#claim">C</a>', "", ["page.html#t"]),
        ('<a href="../../page.html#x.f">f</a>', "", '<a href="book/ledger/x.html#claim">C</a>', []),
        ('<a href="../../page.html#x.f">f</a>', "", "", ["page.html#x.f"]),
        ("", "", '<a href="book/ledger/x.html#claim">C</a>', []),  # a docstring may mention a claim
    ],
)
def test_a_claim_and_what_states_or_computes_it_lead_to_each_other(tmp_path, claim, theorem, function, found):
    (tmp_path / "book" / "ledger").mkdir(parents=True)
    (tmp_path / "book" / "ledger" / "x.html").write_text(CLAIM.format(claim))
    (tmp_path / "page.html").write_text(THEOREM.format(theorem) + FUNCTION.format(function))
    expected = [f"{place} and book/ledger/x.html#claim: a link one way only" for place in found]
    assert check_links.one_way(tmp_path) == expected
