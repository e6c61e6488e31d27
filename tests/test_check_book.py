"""What the checks of the built book see: small pages, each with one fault."""

import asyncio
import importlib
import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

sys.path.insert(0, str(ROOT / "tools"))
browser = importlib.import_module("browser")
check_book = importlib.import_module("check_book")
reading = importlib.import_module("pages")
sys.path.remove(str(ROOT / "tools"))


@pytest.fixture
def book(tmp_path):
    reading.read.cache_clear()
    check_book.loaded.cache_clear()
    (tmp_path / "a.png").write_bytes(b"1" * 100)
    return tmp_path


OUTSIDE = [
    '<script src="https://cdn.example/x.js"></script>',
    '<img src="//cdn.example/x.png">',
    '<img srcset="a.png 1x, https://cdn.example/b.png 2x">',
    '<link rel="stylesheet" href="http://cdn.example/x.css">',
    '<link rel="preconnect" href="https://cdn.example">',
    '<div style="background: url(https://cdn.example/x.png)"></div>',
    '<style>@import "https://cdn.example/x.css";</style>',
    '<iframe src="https://cdn.example"></iframe>',
]


@pytest.mark.parametrize("html", OUTSIDE)
def test_a_request_outside_the_book_is_found(html, book):
    (book / "page.html").write_text(html.replace("<img ", '<img alt="two words" '))
    (found,) = check_book.wrong_loads(book, reading.pages(book))
    assert found.startswith("page.html: ")
    assert found.endswith("is outside the book")


def test_a_missing_file_is_found(book):
    (book / "page.html").write_text('<script src="gone.js?v=1"></script>')
    assert check_book.wrong_loads(book, reading.pages(book)) == ["page.html: gone.js?v=1 is missing"]


def test_a_style_sheet_that_asks_outside_is_found(book):
    (book / "x.css").write_text("body { background: url('https://cdn.example/x.png') }")
    found = check_book.wrong_loads(book, [book / "x.css"])
    assert found == ["x.css: https://cdn.example/x.png is outside the book"]


def test_links_for_readers_are_no_requests(book):
    (book / "page.html").write_text(
        '<a href="https://example.org">there</a><link rel="next" href="https://example.org">'
        '<img src="a.png" alt="two words"><img src="data:image/png;base64,AA==" alt="two words">'
    )
    assert check_book.wrong_loads(book, reading.pages(book)) == []


def test_links_to_pages_and_anchors_that_are_there_are_fine(book):
    (book / "a").mkdir()
    (book / "page.html").write_text('<a href="a/one.html#here%20too">1</a><a href="https://example.org/#x">x</a>')
    (book / "a" / "one.html").write_text('<p id="here too"><a href="../page.html">0</a><a href="../a.png#x">a</a>')
    assert check_book.broken(book, reading.pages(book)) == []


@pytest.mark.parametrize(
    ("address", "what"),
    [("a/two.html", "no file"), ("one.html#there", "no anchor"), ("#nowhere", "no anchor"), (".", "no file")],
)
def test_a_link_that_leads_nowhere_is_found(book, address, what):
    (book / "one.html").write_text('<p id="here">')
    (book / "page.html").write_text(f'<a href="{address}">x</a>')
    assert check_book.broken(book, reading.pages(book)) == [f"page.html: {address} leads to {what}"]


NO_ALT = [
    "",
    'alt=""',
    'alt="x.png"',
    'alt="the loss.svg"',
    'alt="3f0c7a"',
    r'alt="the law \(x\)"',
    'alt="the $x$ law"',
]


@pytest.mark.parametrize("alt", NO_ALT)
def test_an_image_that_nobody_described_is_found(alt, book):
    (book / "page.html").write_text(f'<img src="a.png" {alt}>')
    assert check_book.undescribed(book, reading.pages(book)) == ["page.html: a.png has no alt text"]


@pytest.mark.parametrize("alt", ['alt="A falling curve."', 'alt="" role="presentation"', 'alt="" aria-hidden="true"'])
def test_a_described_image_and_an_ornament_pass(alt, book):
    (book / "page.html").write_text(f'<img src="a.png" {alt}>')
    assert check_book.undescribed(book, reading.pages(book)) == []


def test_a_page_weighs_what_it_loads_and_what_that_loads_once(book):
    (book / "x.css").write_text("a { background: url(a.png) }")
    page = book / "page.html"
    page.write_text('<link rel="stylesheet" href="x.css"><img src="a.png?v=1" alt="two words">')
    assert check_book.weight(page) == 100 + (book / "x.css").stat().st_size + page.stat().st_size


def test_the_scripts_of_a_live_figure_count(book):
    (book / "explorer").mkdir()
    for name in ("load.js", "draw.js", "explorer.css"):
        (book / "explorer" / name).write_text("x" * 50)
    page = book / "page.html"
    page.write_text('<script src="explorer/load.js"></script>')
    assert check_book.weight(page) == 50 + page.stat().st_size
    page.write_text('<div class="dpbi-picture"></div><script src="explorer/load.js"></script>')
    assert check_book.weight(page) == 150 + page.stat().st_size


def test_pages_and_books_that_are_too_heavy_are_found(book, monkeypatch):
    (book / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=first.html">')
    (book / "first.html").write_text('<img src="a.png" alt="two words">')
    (book / "another.html").write_text('<img src="a.png" alt="two words">')
    files = reading.pages(book)
    assert [file.name for file in files] == ["first.html", "another.html"]
    assert check_book.too_heavy(book, files) == []
    monkeypatch.setattr(check_book, "ANY_PAGE", 100)
    monkeypatch.setattr(check_book, "WHOLE_BOOK", 100)
    found = check_book.too_heavy(book, files)
    assert [problem.split(":")[0].split(" weighs")[0] for problem in found] == [
        "first.html",
        "another.html",
        "the book",
    ]


def test_a_page_that_is_too_long_by_itself_is_found(book, monkeypatch):
    (book / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=first.html">')
    (book / "first.html").write_text("x" * 200)
    files = reading.pages(book)
    assert check_book.too_heavy(book, files) == []
    monkeypatch.setattr(check_book, "OWN", 150)
    (found,) = check_book.too_heavy(book, files)
    assert found.startswith("first.html: is 0.00 MB alone")


def test_texts_to_quote_from_that_are_too_long_are_found(book, monkeypatch):
    (book / "first.html").write_text("x")
    (book / "_static").mkdir()
    (book / "_static" / "sections.js").write_text("x" * 200)
    assert check_book.too_heavy(book, [book / "first.html"]) == []
    monkeypatch.setattr(check_book, "QUOTED", 100)
    (found,) = check_book.too_heavy(book, [book / "first.html"])
    assert found.startswith("_static/sections.js: weighs 0.00 MB")


GOOD = (
    "<!doctype html><html lang=en><title>A page</title><meta name=viewport content='width=device-width'>"
    "<style>body {margin: 0}</style><article>"
)
WIDE = "<div style='width:500px'>wide</div>"
SCRIPT = "<script>window.MathJax = {startup: {promise: Promise.resolve()}}</script>"
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
TABS = os.cpu_count() or 1
FAULTS = {
    **{  # every page is the first of its reader, and two at least are opened in one tab
        f"good-{i}": (f"{ONCE}{GOODS[i % len(GOODS)]}", None) for i in range(max(len(GOODS), TABS + 1))
    },
    "asks": ("<script>fetch('http://cdn.example/x').catch(() => 0)</script>", "asks for http://cdn.example/x"),
    "misses": ("<script>new Image().src = 'gone.png'</script>", "does not get file://"),
    "logs": ("<script>console.error('no')</script>", "error: no"),
    "throws": ("<script>throw new Error('down')</script>", "error: down"),
    "rejects": ("<script>Promise.reject(new Error('later'))</script>", "error: later"),
    "raw-inline": (r"<p>The law \(x\).</p>", r"raw TeX: The law \(x\)."),
    "raw-dollars": ("<p>The law $x$.</p>", "raw TeX: The law $x$."),
    "raw-environment": (r"<p>\begin{aligned} x</p>", r"raw TeX: \begin{aligned} x"),
    "raw-formula": ("<div style='height: 3000px'></div><span class=math>x</span>", "raw TeX: x"),
    "late-formula": ("<span class=math>x</span>", "is not set in view: x"),
    "raw-title": (r"<script>document.title = '\\epsilon'</script>", r"raw TeX: \epsilon"),
    "failed-formula": (
        f"{SCRIPT}<mjx-container><g data-mjx-error='Missing brace'></g></mjx-container>",
        "raw TeX: Miss",
    ),
    "unknown-macro": (f"{SCRIPT}<mjx-container><g fill=red>frak</g></mjx-container>", "raw TeX: frak"),
    "wide-on-a-phone": (WIDE, "scrolls sideways on a phone, 500 pixels in 390: <div"),
    "wide-on-a-desk": (WIDE.replace("500", "1500"), "scrolls sideways on a desk, 1500 pixels in 1440: <div"),
    "wide-on-a-tablet": (WIDE.replace("500", "1100"), "scrolls sideways on a tablet, 1100 pixels in 1024: <div"),
    "wide-article": (
        f"<style>article {{overflow-x: auto}}</style>{WIDE}<a href=x>a</a>",
        "scrolls sideways on a phone, 500 pixels",
    ),
    "clipped": (BEYOND.replace(" data-more=right", ""), "is clipped without a cue on a phone: wide"),
    "small-print": (
        "<figure><svg width=200 height=50 viewBox='0 0 400 100'><text y=50 font-size=16>axis</text></svg></figure>",
        "is under 11 pixels on a desk: axis",
    ),
    "cut": (
        f"<div style='overflow:hidden'>{WIDE}</div>",
        "is cut on a phone: <div",
    ),
}
POOR = {
    "pale": ("<p style='color:#aaa;background:#fff'>pale</p>", "color-contrast, .*, light"),
    "pale-at-night": (
        "<style>@media (prefers-color-scheme: dark) {p {color: #333; background: #000}}</style><p>pale</p>",
        "color-contrast, .*, dark",
    ),
    "pale-on-a-ground": (
        "<p>A text</p><div style='background:#444'><p>A text</p></div><p>A text</p>",
        "color-contrast, .*: div > p",
    ),
    "pale-by-itself": (
        f"{'<p>A text</p>' * 40}<p style='opacity:.3'>A text</p>{'<p>A text</p>' * 40}",
        "color-contrast",
    ),
    "pale-inside": (
        "<style>.pale b {color: #aaa}</style><p><b>Any</b> text</p><div class=pale><p><b>Any</b> text</p></div>"
        "<p><b>Any</b> text</p>",
        "color-contrast, .*: div > p > b",
    ),
    "pale-between-letters": ("<style>b {color: #aaa}</style><p><b>A</b> <b>word</b> <b>B</b></p>", "color-contrast"),
    "pale-when-unfolded": (
        "<details><summary>More</summary><p style='color:#aaa'>pale</p></details>",
        "color-contrast",
    ),
    "pale-by-a-script": (
        "<script>matchMedia('(prefers-color-scheme: dark)').onchange = () => setTimeout(() => {"
        "document.body.style = 'color: #333; background: #000' })</script><p>pale</p>",
        "color-contrast, .*, dark",
    ),
    "hidden-link": (
        "<style>a {color: #224; text-decoration: none}</style><p>A text <a href=x>more</a></p>",
        "link-in-text",
    ),
    "nameless": ("<select><option>1</option></select>", "select-name"),
}


SEARCHED = "a-page-with-a-search"
"""The first of all pages: there the questions are asked."""
QUESTIONS = {"loss": "", "losses": "x", "loss at n": "y.html", "gain": ""}


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the browser says of every page with a fault, and of the one with a search, by its name."""
    if not (executable := browser.chromium()):
        pytest.skip("this machine has no Chromium")
    book = tmp_path_factory.mktemp("book")
    bodies = {SEARCHED: f"{SEARCH}{ANSWERS}"} | {name: body for name, (body, _) in {**FAULTS, **POOR}.items()}
    for name, body in bodies.items():
        (book / f"{name}.html").write_text(f"{GOOD}{body}</article>")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(browser, "ANSWER", 2)
        found = asyncio.run(browser.watch(executable, book, reading.pages(book), QUESTIONS))
    return {name: [line.split(": ", 1)[1] for line in found if line.startswith(f"{name}.html: ")] for name in bodies}


@pytest.mark.parametrize("name", FAULTS)
def test_the_browser_sees_the_fault_of_a_page_and_no_other(name, seen):
    expected = FAULTS[name][1]
    if expected is None:
        assert seen[name] == []
    else:
        assert any(line.startswith(expected) for line in seen[name]), seen[name]
        echoes = {"raw"} if name == "late-formula" else {"error:", "does"}  # of a request that failed
        assert {line.split(" ")[0] for line in seen[name]} <= {expected.split(" ")[0], *echoes}


@pytest.mark.parametrize("name", POOR)
def test_the_browser_sees_who_cannot_read_a_page(name, seen):
    assert any(re.search(POOR[name][1], line) for line in seen[name]), seen[name]


def test_a_search_that_finds_nothing_is_found(seen):
    assert seen[SEARCHED] == [
        "a search for 'gain' finds nothing",
        "a search for 'loss at n' does not find y.html among the first 3",
    ]
