"""The book's small scripts, on pages made by hand and opened from the file system, used by the keyboard."""

from importlib.metadata import files
from pathlib import Path

import pytest

from explorer import ROOT, browser, needs_browser  # noqa: F401  # a fixture

pytestmark = needs_browser
STATIC = ROOT / "book" / "_static"

ROWS = (
    ("notes/a", "notes", "proved", "one bound"),
    ("notes/b", "notes", "refuted", "Two bounds"),
    ("c", "mcmc", "proved", ""),
)
LEDGER = (
    "<div class=ledger><table><thead><tr><th>claim<th>source<th>verdict<th>statement</thead><tbody>"
    + "".join("<tr><td>" + "<td>".join(row) for row in ROWS)
    + f"</tbody></table></div><script src='{STATIC.as_uri()}/ledger.js'></script>"
)
WORDS = (
    "<nav><ul><li class=has-children><a href=x>Ledger</a><details><summary></summary></details></ul></nav>"
    "<p><span class=math>x</span>, and <a class='word symbol' href=x><span class=math>y</span></a>.) "
    f"<span class=math>z</span> is last</p><script src='{STATIC.as_uri()}/dpbi.js'></script>"
)
SHOWN = "[...document.querySelectorAll('tbody tr:not([hidden])')].map(row => row.cells[0].textContent)"


@pytest.fixture(scope="module")
def page(browser):  # noqa: F811
    """A tab for one page after another."""
    with browser.new_context(offline=True) as context:
        yield context.new_page()


@pytest.fixture
def used(page, tmp_path):
    """Open a page once for every sequence of keys, press them one after another, and look before and after each."""
    file = tmp_path / "page.html"

    def steps(look, keys):
        page.goto(file.as_uri())
        yield page.evaluate(look)
        for key in keys:
            page.keyboard.press(key)
            yield page.evaluate(look)

    def use(html, look, *sequences):
        file.write_text(f"<!doctype html><meta charset=utf-8>{html}", "utf-8")
        return [list(steps(look, keys)) for keys in sequences or [[]]]

    return use


def test_verdicts_are_filtered_and_sorted_by_the_keyboard(used):
    keys = ["Tab", "ArrowDown", "ArrowDown", "Home"], ["Tab"] * 2 + [*"TWO b"], ["Tab"] * 3 + ["Enter", "Enter"]
    by_verdict, by_words, sorted_twice = used(LEDGER, SHOWN, *keys)
    everything = ["notes/a", "notes/b", "c"]
    assert by_verdict == [everything, everything, ["notes/a", "c"], ["notes/b"], everything]
    assert by_words[-1] == ["notes/b"]
    assert sorted_twice[-2:] == [["c", "notes/a", "notes/b"], ["notes/b", "notes/a", "c"]]


def test_the_ledger_says_how_many_rows_it_shows(used):
    (counts,) = used(LEDGER, "document.querySelector('[role=status]').textContent", ["Tab", "ArrowDown"])
    assert counts == ["3 of 3", "3 of 3", "2 of 3"]


def test_what_is_asked_of_the_ledger_stands_in_its_address(used):
    again = "<script>if (!location.hash) location.hash = '-verdict=proved&-words=c'</script>" + LEDGER
    assert used(again, SHOWN) == [[["c"]]]
    (addresses,) = used(LEDGER, "location.hash", ["Tab", "ArrowDown", "Tab", "t"])
    assert addresses[-1] == "#-verdict=proved&-words=t"


STAND_IN = """<script>
  window.asked = [];
  const note = (boxes) => asked.push(...boxes.map((box) => box.id));
  window.MathJax = {startup: {typeset: true}, typeset: note, typesetPromise: async (boxes) => note(boxes)};
</script>"""
"""In place of MathJax: it writes down what it is asked to set, and in which order."""
FORMULAS = (
    STAND_IN
    + "".join(f"<p class=math id=m{i} style='height:300px'>" for i in range(30))
    + "<div class='output_area' id=out><span class=math id=inner></span></div>"
    + "<details><summary>More</summary><p class=math id=folded>x</p></details>"
    + f"<script src='{STATIC.as_uri()}/formulas.js'></script>"
    + "<script>const later = () => new Promise((done) => setTimeout(done, 300)); scrollTo(0, 3000);"
    + "window.finished = MathJax.startup.pageReady()</script>"
)


def test_formulas_are_set_where_the_reader_is_and_what_is_in_view_first(used):
    ((order,),) = used(FORMULAS, "finished.then(() => asked)")
    assert all(9 <= int(name[1:]) <= 13 for name in order[:3])
    assert 6 <= min(int(name[1:]) for name in order) <= 9
    assert 13 <= max(int(name[1:]) for name in order) <= 17


def test_formulas_are_set_when_the_reader_comes_near_them_or_unfolds_them(used):
    come = "finished.then(() => { asked.length = 0; scrollTo(0, 1e5); }).then(later).then(() => asked)"
    ((order,),) = used(FORMULAS, come)
    assert {"m29", "out"} <= set(order)
    assert "m2" not in order
    assert "folded" not in order
    unfold = "finished.then(() => { scrollTo(0, 1e5); document.querySelector('details').open = true; }).then(later)"
    ((order,),) = used(FORMULAS, f"{unfold}.then(() => asked)")
    assert "folded" in order
    assert len(order) == len(set(order))


@pytest.mark.parametrize("asks", ["dpbi.setAll()", "dispatchEvent(new Event('beforeprint'))"])
def test_every_formula_is_set_before_a_page_is_printed_or_examined(used, asks):
    ((order,),) = used(FORMULAS, f"finished.then(() => {asks}).then(() => asked)")
    assert sorted(order) == sorted(["out", "folded", *(f"m{i}" for i in range(30))])


def test_arrows_in_the_list_of_pages_have_a_name(used):
    assert used(WORDS, "document.querySelector('summary').ariaLabel") == [["pages of Ledger"]]


def test_marks_after_a_formula_stay_with_it(used):
    held = "[...document.querySelectorAll('.held')].map(node => node.textContent)"
    assert used(WORDS, f"[document.querySelector('p').textContent, ...{held}]") == [
        [["x, and y.) z is last", "x,", "y.)"]]
    ]


BOXES = (
    "<article class=bd-article>"
    "<div class=math style='overflow:auto;width:200px'><div style='width:500px'>x</div></div>"
    "<div class=math style='overflow:auto;width:200px'>y</div></article>"
    f"<script src='{STATIC.as_uri()}/fits.js'></script>"
)
SCROLLED = """
  const pause = () => new Promise((done) => setTimeout(done, 200));
  async function look() {
    await pause();
    await dpbi.fits;
    const [wide, narrow] = document.querySelectorAll(".math");
    const found = [[wide.dataset.more, wide.tabIndex, narrow.dataset.more ?? null]];
    for (const place of [100, 1000]) {
      wide.scrollLeft = place;
      await pause();
      found.push(wide.dataset.more);
    }
    return found;
  }
  window.looked = new Promise((done) => addEventListener("load", () => look().then(done)));
"""


def test_what_scrolls_says_on_which_side_there_is_more(used):
    assert used(f"{BOXES}<script>{SCROLLED}</script>", "looked") == [[[["right", 0, None], "left right", "left"]]]


SHEETS = [
    next(Path(file.locate()) for file in files("pydata-sphinx-theme") or () if file.name == name).as_uri()
    for name in ("theme.css", "pydata-sphinx-theme.css")
]
SEARCHED = (
    "".join(f"<link rel=stylesheet href='{sheet}'>" for sheet in [*SHEETS, f"{STATIC.as_uri()}/dpbi.css"])
    + "<form class='bd-search d-flex align-items-center'>"
    "<i class='fa-solid fa-magnifying-glass' style='width: 1em; height: 1em'></i><input class=form-control></form>"
    "<div id=searchbox>HIDE</div><h1>A title</h1>"
)


def test_the_magnifier_stands_before_the_query(used):
    look = (
        "[document.querySelector('i').getBoundingClientRect().right, document.querySelector('input')].map(it => "
        "it.getBoundingClientRect ? it.getBoundingClientRect().x + parseFloat(getComputedStyle(it).paddingLeft) : it)"
    )
    (((icon, text),),) = used(SEARCHED, look)
    assert icon < text


def test_the_marks_of_a_search_do_not_push_the_title_down(used):
    look = "document.querySelector('h1').getBoundingClientRect().y"
    button = "<p class=highlight-link><a href=x>Hide Search Matches</a></p>"
    ((without,),), ((with_it,),) = (used(SEARCHED.replace("HIDE", shown), look) for shown in ("", button))
    assert with_it == without
