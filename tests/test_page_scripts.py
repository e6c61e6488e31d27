"""The book's small scripts, on pages made by hand and opened from the file system, used by the keyboard."""

import pytest

from explorer import ROOT, browser, needs_browser  # noqa: F401  # a fixture

pytestmark = needs_browser
STATIC = (ROOT / "book" / "_static").as_uri()

ROWS = (("notes/a", "true", "one bound"), ("notes/b", "false", "Two bounds"), ("c", "true", ""))
LEDGER = (
    "<div class=ledger><table><thead><tr><th>item<th>verdict<th>says</thead><tbody>"
    + "".join("<tr><td>" + "<td>".join(row) for row in ROWS)
    + f"</tbody></table></div><script src='{STATIC}/ledger.js'></script>"
)


@pytest.fixture
def opened(browser, tmp_path):  # noqa: F811
    """Open a page that is made of some HTML."""
    with browser.new_context(offline=True) as context:
        page = context.new_page()

        def show(html, address=""):
            (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8>{html}", "utf-8")
            page.goto((tmp_path / "page.html").as_uri() + address)
            return page

        yield show


def shown(page):
    rows = "[...document.querySelectorAll('tbody tr:not([hidden])')].map(row => row.cells[0].textContent)"
    return page.evaluate(rows)


def test_verdicts_are_filtered_by_the_keyboard_counted_and_kept_in_the_address(opened):
    page = opened(LEDGER)
    assert shown(page) == ["notes/a", "notes/b", "c"]
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert shown(page) == ["notes/a", "c"]
    assert page.get_by_role("status").inner_text() == "2 of 3"
    page.keyboard.press("Tab")
    page.keyboard.type("ONE b")
    assert shown(page) == ["notes/a"]
    assert page.url.endswith("#-verdict=true&-words=ONE+b")
    page.goto("about:blank")
    assert shown(opened(LEDGER, "#-verdict=true&-words=c")) == ["c"]


def test_what_scrolls_says_on_which_side_there_is_more(opened):
    page = opened(
        "<article class=bd-article>"
        "<div class=math style='overflow:auto;width:200px'><div style='width:500px'>x</div></div>"
        "<div class=math style='overflow:auto;width:200px'>y</div></article>"
        f"<script src='{STATIC}/fits.js'></script>"
    )
    page.wait_for_selector("[data-more=right][tabindex='0']")
    assert page.locator("[data-more]").count() == 1
    for place, sides in ((100, "left right"), (1000, "left")):
        page.evaluate("place => document.querySelector('.math').scrollLeft = place", place)
        page.wait_for_selector(f"[data-more='{sides}']")
    page.evaluate("document.querySelectorAll('.math')[1].innerHTML = '<div style=\"width:500px\">z</div>'")
    page.wait_for_selector(".math:nth-child(2)[data-more=right]")  # a formula that was set
