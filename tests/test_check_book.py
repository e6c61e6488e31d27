"""What the checks of the built book see: small pages, each with one fault."""

import asyncio
import importlib
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

sys.path.insert(0, str(ROOT / "tools"))
check_book = importlib.import_module("check_book")
sys.path.remove(str(ROOT / "tools"))


@pytest.fixture
def book(tmp_path):
    check_book.read.cache_clear()
    check_book.anchors.cache_clear()
    (tmp_path / "a.png").write_bytes(b"1" * 100)
    return tmp_path


def test_links_to_pages_and_anchors_that_are_there_are_fine(book):
    (book / "a").mkdir()
    (book / "page.html").write_text('<a href="a/one.html#here%20too">1</a><a href="https://example.org/#x">x</a>')
    (book / "a" / "one.html").write_text('<p id="here too"><a href="../page.html">0</a><a href="../a.png#x">a</a>')
    assert check_book.broken(book, check_book.pages(book)) == []


@pytest.mark.parametrize(
    ("address", "what"),
    [("a/two.html", "no file"), ("one.html#there", "no anchor"), ("#nowhere", "no anchor"), (".", "no file")],
)
def test_a_link_that_leads_nowhere_is_found(book, address, what):
    (book / "one.html").write_text('<p id="here">')
    (book / "page.html").write_text(f'<a href="{address}">x</a>')
    assert check_book.broken(book, check_book.pages(book)) == [f"page.html: {address} leads to {what}"]


def test_pages_and_books_that_are_too_heavy_are_found(book, monkeypatch):
    (book / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=first.html">')
    (book / "first.html").write_text("x" * 200)
    (book / "another.html").write_text("x")
    files = check_book.pages(book)
    assert [file.name for file in files] == ["first.html", "another.html"]
    assert check_book.too_heavy(book, files) == []
    for limit in ("OWN", "WHOLE_BOOK"):
        monkeypatch.setattr(check_book, limit, 100)
    found = check_book.too_heavy(book, files)
    assert [problem.split(": weighs")[0] for problem in found] == ["first.html", "the book"]


GOOD = (
    "<!doctype html><html lang=en><title>A page</title><meta name=viewport content='width=device-width'>"
    "<style>body {margin: 0}</style><article>"
)
WIDE = "<div style='width:500px'>wide</div>"
SEARCH = "<form id=box action='?'><input name=q aria-label=q></form><div id=search-results><ul class=search></ul></div>"
ANSWERS = (
    "<script>onkeydown = key => { if (key.key === 'K' || key.key === 'k') if (key.ctrlKey) {"
    "key.preventDefault(); document.querySelector('input').focus(); } };"
    "if (location.search.startsWith('?q=loss'))"
    "document.querySelector('ul').innerHTML = '<li><a href=x>found</a>';</script>"
)
ONCE = "<script>if (localStorage.seen) console.error('seen'); localStorage.seen = 1;</script>"
BEYOND = f"<div class=math data-more=right style='overflow:auto' tabindex=0><mjx-container></mjx-container>{WIDE}</div>"
GOODS = (
    "<h1>A page</h1><p>It costs $5.</p><pre>$x$ \\frac</pre>",
    f"<div style='overflow-x:auto' tabindex=0>{WIDE}</div>",
    BEYOND,
)
FAULTS = {
    **{f"good-{i}": (f"{ONCE}{body}", None) for i, body in enumerate(GOODS)},  # every page is the first of its reader
    "asks": ("<script>fetch('http://cdn.example/x').catch(() => 0)</script>", "asks for http://cdn.example/x"),
    "rejects": ("<script>Promise.reject(new Error('later'))</script>", "error: later"),
    "raw-dollars": ("<p>The law $x$.</p>", r"raw TeX: The law \$x\$."),
    "raw-formula": ("<div style='height: 3000px'></div><span class=math>x</span>", "raw TeX: x"),
    "wide-on-a-phone": (WIDE, "on a phone scrolls sideways, 500 pixels in 390: <div"),
    "wide-on-a-desk": (WIDE.replace("500", "1500"), "on a desk scrolls sideways, 1500 pixels in 1440: <div"),
    "clipped": (BEYOND.replace(" data-more=right", ""), "on a phone is clipped without a cue: wide"),
    "small-print": (
        "<figure><svg width=200 height=50 viewBox='0 0 400 100'><text y=50 font-size=16>axis</text></svg></figure>",
        "on a desk is under 11 pixels: axis",
    ),
    "cut": (f"<div style='overflow:hidden'>{WIDE}</div>", "on a phone is cut: <div"),
    "pale-at-night": (
        "<style>@media (prefers-color-scheme: dark) {p {color: #333; background: #000}}</style><p>pale</p>",
        "color-contrast, .*, dark",
    ),
    "pale-inside": (
        "<style>.pale b {color: #aaa}</style><p><b>Any</b> text</p><div class=pale><p><b>Any</b> text</p></div>"
        "<p><b>Any</b> text</p>",
        "color-contrast, .*: div > p > b",
    ),
    "nameless": ("<select><option>1</option></select>", "select-name"),
}


SEARCHED = "a-page-with-a-search"
"""The first of all pages: there the questions are asked."""
QUESTIONS = {"loss": "x", "losses": "x", "loss at n": "y.html", "gain": ""}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the browser says of every page with a fault, and of the one with a search, by its name."""
    if not (executable := next(filter(None, map(shutil.which, check_book.BROWSERS)), None)):
        pytest.skip("this machine has no Chromium")
    book = tmp_path_factory.mktemp("book")
    bodies = {SEARCHED: f"{SEARCH}{ANSWERS}"} | {name: body for name, (body, _) in FAULTS.items()}
    for name, body in bodies.items():
        (book / f"{name}.html").write_text(f"{GOOD}{body}</article>")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(check_book, "ANSWER", 2)
        found = asyncio.run(check_book.watch(executable, book, check_book.pages(book), QUESTIONS))
    return {name: [line.split(": ", 1)[1] for line in found if line.startswith(f"{name}.html: ")] for name in bodies}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_the_browser_sees_the_fault_of_a_page(name, seen):
    expected = FAULTS[name][1]
    assert (seen[name] == []) if expected is None else any(re.match(expected, line) for line in seen[name]), seen[name]


@pytest.mark.slow
def test_a_search_that_finds_nothing_is_found(seen):
    assert seen[SEARCHED] == [
        "a search for 'gain' finds nothing",
        "a search for 'loss at n' does not find y.html among the first 3",
    ]
