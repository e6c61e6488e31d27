"""The explorer of the book: its knobs work without a mouse and a network, and other pages embed it."""
# ruff: noqa: F811 a test names the fixtures that it takes

import importlib
import json
import re
import sys
from urllib.parse import parse_qsl

import pytest

import dpbi
from explorer import PAGE, ROOT, browser, folder, needs_browser, opened, page, rest, settings, told  # noqa: F401  # fixtures


def shown(page):
    return page.evaluate("document.querySelector('.dpbi-explorer').explorer.setting()")


def settled(page):
    """Wait until the address and the summary have followed the last change."""
    rest(page, 600)


@needs_browser
def test_the_address_holds_the_setting_and_history_walks_through_it(page):
    page.get_by_label("records n", exact=True).fill("30")
    page.get_by_label("records n", exact=True).press("Tab")
    settled(page)
    page.get_by_label("mechanism", exact=True).select_option("ehds")
    settled(page)
    before, address = shown(page), page.url
    assert (before["n"], before["mechanism"], before["divisor"]) == (30, "ehds", 4)
    assert "#" in address
    page.get_by_role("button", name="Draw again").click()
    settled(page)
    assert shown(page)["seed"] == before["seed"] + 1
    page.go_back()
    page.wait_for_function(
        "seed => document.querySelector('.dpbi-explorer').explorer.setting().seed === seed", arg=before["seed"]
    )
    assert (shown(page), page.url) == (before, address)
    page.go_forward()
    page.wait_for_function(
        "seed => document.querySelector('.dpbi-explorer').explorer.setting().seed !== seed", arg=before["seed"]
    )
    other = page.context.new_page()
    other.goto(address)
    other.wait_for_selector(".dpbi-explorer.ready")
    assert shown(other) == before


@needs_browser
def test_random_settings_survive_the_address(page):
    for given in settings(20, seed=7):
        query = "&".join(f"{name}={value}" for name, value in given.items())
        page.evaluate("query => { location.hash = query }", query)
        page.wait_for_function(
            "seed => document.querySelector('.dpbi-explorer').explorer.setting().seed === seed", arg=given["seed"]
        )
        assert shown(page) == given


@needs_browser
def test_a_link_of_the_text_sets_the_knobs(page):
    for link, wanted in zip(page.locator("a[data-setting]").all(), told(PAGE.read_text("utf-8")), strict=True):
        link.click()
        settled(page)
        assert {
            name: value
            for name, value in shown(page).items()
            if name in wanted and name not in {"gamma", "delta", "divisor"}
        } == {name: value for name, value in wanted.items() if name not in {"gamma", "delta", "divisor"}}
    assert page.get_by_label("sensitivity GS").input_value() == "printed"


@needs_browser
def test_bad_values_get_one_clear_error_and_change_nothing(page):
    before = shown(page)
    number = page.get_by_label("records n", exact=True)
    for text, got in (("900", "900"), ("2.5", "2.5"), ("", "nothing")):
        number.fill(text)
        assert page.get_by_role("alert").inner_text() == f"records n must be a whole number from 1 to 500, got {got}."
        assert number.get_attribute("aria-invalid") == "true"
        assert shown(page) == before
    number.fill("40")
    page.wait_for_function("document.querySelector('[role=alert]').textContent === ''")
    page.evaluate("location.hash = 'n=10&x=11&epsilon=-1&mechanism=magic'")
    page.wait_for_function("document.querySelector('[role=alert]').textContent !== ''")
    problem = page.get_by_role("alert").inner_text()
    assert "mechanism must be one of" in problem
    assert "first count x must be a whole number from 0 to 10, got 11." in problem
    assert "budget ε must be a number from 0.01 to 10, got -1." in problem


FOCUSED = """() => {
  const node = document.activeElement;
  const name = node.getAttribute("aria-label") ?? node.labels?.[0]?.textContent ?? node.textContent;
  return [node.tagName, node.type ?? "", node.getAttribute("role") ?? "", name, getComputedStyle(node).outlineStyle];
}"""


DESCRIBED = """[...document.querySelectorAll(".plot")].map(
  (plot) => document.getElementById(plot.getAttribute("aria-describedby")).textContent
)"""


@needs_browser
def test_keys_alone_turn_every_knob_and_read_every_figure(page):
    reached = []
    page.locator("body").press("Tab")
    for _ in range(80):
        focused = page.evaluate(FOCUSED)
        if focused[0] == "BODY":
            break
        reached.append(focused)
        page.keyboard.press("Tab")
    assert all(outline != "none" for *_, outline in reached)  # where the focus is can be seen
    names = [name for *_, name, _ in reached]
    assert all(names)
    assert len([1 for tag, kind, *_ in reached if (tag, kind) == ("INPUT", "range")]) == 6
    figures = [name for _, _, role, name, _ in reached if role == "slider"]
    assert len(figures) == 6

    slider = page.get_by_label("records n, slider")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_function("document.querySelector('.dpbi-explorer').explorer.setting().n === 21")
    settled(page)
    assert "of 21" in page.get_by_role("status").inner_text() or "(14, 7)" in page.get_by_role("status").inner_text()

    figure = page.get_by_role("slider", name="What can be released")
    figure.focus()
    texts = []
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End"):
        figure.press(key)
        texts.append(figure.get_attribute("aria-valuetext"))
    assert texts[1] == texts[3]
    assert len(set(texts)) == 4
    law = dpbi.lshist(0.8).law([1, 1], [14, 7])
    assert texts[-1].startswith(f"(21, 0) has probability {law.probabilities[-1]:.3g}")


@needs_browser
def test_the_words_about_the_figures_follow_the_knobs(page):
    words = {}
    for name in ("lshist", "ehdl", "geometric"):
        page.get_by_label("mechanism", exact=True).select_option(name)
        settled(page)
        words[name] = page.get_by_role("status").inner_text(), *page.locator("figcaption:visible").all_inner_texts()
        described = page.evaluate(DESCRIBED)
        assert all(described)
        mean = dpbi.mean_error(getattr(dpbi, name)(0.8), [1, 1], [14, 6])
        assert f"The mean error is {mean:.3g};" in " ".join(words[name])
        assert dpbi.MECHANISMS[name].words.lower() in words[name][0].lower()
    assert len(words["lshist"]) == 1 + 6
    assert len(words["geometric"]) == 1 + 5  # the theorem has no line for it
    assert page.locator(".lines a").count() == 0
    assert "Theorem 4.5 has no line for geometric noise." in page.locator(".silence:visible").inner_text()


@needs_browser
def test_lines_of_the_theorem_lead_to_the_ledger(page, folder):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        labels = importlib.import_module("crossref").LABELS
    finally:
        sys.path.remove(str(ROOT / "tools"))
    links = page.locator(".lines a").all()
    assert len(links) == 4
    for link in links:
        address = link.get_attribute("href").removeprefix(folder.as_uri())
        assert address == f"/book/ledger.html#{labels[link.inner_text()]}"


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_everybody(page, scheme):
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    widths = page.evaluate(
        "[...document.querySelectorAll('.plot svg')].map((svg) => svg.getBoundingClientRect().right)"
    )
    assert max(widths) <= 390
    serious = [
        rule["id"]
        for rule in axe.run(page, options={"preload": False}).response["violations"]
        if rule["impact"] in {"serious", "critical"}
    ]
    assert serious == []


@needs_browser
def test_a_hand_on_a_figure_moves_t_and_reads_values(page):
    plot = page.get_by_role("slider", name="The law of the error")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 100)
    assert "has probability" in plot.locator("xpath=..").locator(".reading").inner_text()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 100)
    page.mouse.up()
    settled(page)
    assert 0.7 < shown(page)["t"] < 0.9
    assert f"t={shown(page)['t']}" in page.url


@needs_browser
def test_other_pages_embed_a_part_of_it(browser, folder):
    page = opened(browser).new_page()
    (folder / "book" / "part.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Part</title>'
        '<div class="dpbi-explorer" data-panels="error" data-knobs="epsilon t" '
        'data-setting="n=40&amp;x=20&amp;mechanism=ehdl"><p>static</p></div>'
        '<script src="../_static/explorer/load.js"></script></html>',
        "utf-8",
    )
    page.goto((folder / "book" / "part.html").as_uri())
    page.wait_for_selector(".dpbi-explorer.ready")
    assert page.locator(".plot").count() == 1
    assert page.locator("input[type=range]").count() == 2
    page.get_by_label("threshold t", exact=True).fill("0.5")
    settled(page)
    assert "#" not in page.url
    address = page.get_by_role("link", name="Open this setting in the explorer").get_attribute("href")
    page.goto(address)
    page.wait_for_selector(".dpbi-explorer.ready")
    assert (shown(page)["mechanism"], shown(page)["n"], shown(page)["t"]) == ("ehdl", 40, 0.5)
    page.context.close()


def embedded():
    """The explorers of the notebooks, by page and with what they are filled in from."""
    found = {}
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        for cell in (cell for cell in cells if cell["cell_type"] == "markdown"):
            for number, div in enumerate(re.findall(r'<div class="dpbi-explorer".*?</div>', "".join(cell["source"]))):
                found[f"{path.stem}-{number}"] = div
    return found


@needs_browser
@pytest.mark.parametrize("name", embedded())
def test_the_explorer_of_a_notebook_starts_as_it_says(browser, folder, name):
    div, errors = embedded()[name], []
    (folder / "book" / "part.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Part</title>{div}'
        '<script src="../_static/explorer/load.js"></script></html>',
        "utf-8",
    )
    page = opened(browser).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((folder / "book" / "part.html").as_uri())
    page.wait_for_selector(".dpbi-explorer.ready")
    settled(page)
    given = dict(re.findall(r'data-(\w+)="([^"]*)"', div))
    started = {name: str(value) for name, value in shown(page).items()}
    assert {name: started[name] for name, _ in parse_qsl(given["setting"].replace(" ", "&"))} == dict(
        parse_qsl(given["setting"].replace(" ", "&"))
    )
    assert page.get_by_role("alert").inner_text() == ""
    assert page.locator(".plot:visible").count() == len(given["panels"].split())
    for plot in page.locator(".plot:visible").all():
        assert plot.get_attribute("aria-valuetext")
    assert errors == []
    page.context.close()
