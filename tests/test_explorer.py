"""The explorer of the book: its controls work without a mouse and without a network, and other pages embed it."""
# ruff: noqa: F811 a test names the fixtures that it takes

import importlib
import re
from urllib.parse import parse_qsl

import pytest

import dpbi
from dpbi.plots.looks import LOOKS
from explorer import browser, complaints, folder, needs_browser, opened, page, rest, write_page, written  # noqa: F401

pytestmark = needs_browser


def shown(page):
    return page.evaluate("document.querySelector('.dpbi-explorer').explorer.setting()")


def settled(page):
    """Wait until the address and the summary have followed the last change."""
    rest(page, 600)


def test_a_link_of_the_text_sets_the_knobs_and_the_address(page):
    for link in page.locator("a[data-turn]").all():
        link.click()
        settled(page)
        wanted = dict(parse_qsl(link.get_attribute("data-turn").replace(" ", "&")))
        assert {name: str(shown(page)[name]) for name in wanted} == wanted
        assert f"mechanism={wanted['mechanism']}" in page.url


def test_the_words_about_the_figures_follow_the_knobs(page):
    for name in ("lshist", "ehdl", "geometric"):
        page.get_by_label("mechanism", exact=True).select_option(name)
        settled(page)
        captions = " ".join(page.locator("figcaption:visible").all_inner_texts())
        mean = dpbi.mean_error(getattr(dpbi, name)(0.8), [1, 1], [14, 6])
        assert f"The mean error is {mean:.3g};" in captions
        assert LOOKS[name].words.lower() in page.get_by_role("status").inner_text().lower()
        assert captions.count("The printed") == {"lshist": 2, "ehdl": 2, "geometric": 0}[name]  # lines of Theorem 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_everybody(page, scheme):
    axe = importlib.import_module("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    drawn = "[...document.querySelectorAll('.plot svg')].map((svg) => svg.getBoundingClientRect().right)"
    assert max(page.evaluate(drawn)) <= 390
    violations = axe.run(page, options={"preload": False}).response["violations"]
    assert [rule["id"] for rule in violations if rule["impact"] in {"serious", "critical"}] == []


def embedded():
    """The explorers of the notebooks, by page: what they are filled in from."""
    for path, text in written():
        if path.suffix == ".ipynb":
            yield from re.findall(r'<div class="dpbi-explorer".*?</div>', text)


def test_an_explorer_of_a_notebook_leads_to_the_whole_one(browser, folder):
    tab = opened(browser).new_page()
    errors = complaints(tab)
    for div in embedded():
        tab.goto(write_page(folder, "part", div))
        tab.wait_for_selector(".dpbi-explorer.ready")
        given = dict(re.findall(r'data-(\w+)="([^"]*)"', div))
        wanted = dict(parse_qsl(given["setting"].replace(" ", "&")))
        assert {name: str(shown(tab)[name]) for name in wanted} == wanted
        assert tab.get_by_role("alert").inner_text() == ""
        plots = tab.locator(".plot:visible")
        assert plots.count() == len(given["panels"].split())
        assert all(plot.get_attribute("aria-valuetext") for plot in plots.all())
        before = shown(tab)
        tab.goto(tab.get_by_role("link", name="Open this setting in the explorer").get_attribute("href"))
        tab.wait_for_selector(".dpbi-explorer.ready")
        assert {name: shown(tab)[name] for name in wanted} == {name: before[name] for name in wanted}
    assert errors == []
    tab.context.close()
