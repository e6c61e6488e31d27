"""Every live figure, at the ends of its sliders and at the settings in the text: legible, within its axes, correct.

The oracle of the values is the library. The three kinds of faults that the tests look for are also planted and found.
"""
# ruff: noqa: F811 a test names the fixtures that it takes

import re
import shutil

import numpy as np
import pytest
from scipy.stats import beta

import dpbi
from explorer import browser, folder, needs_browser, opened, rest, write_page, written  # noqa: F401
from path_numbers import IN_WORDS, made

pytestmark = needs_browser
QUICK = ("noise", "game")
FIGURES = re.compile(r'<div class="dpbi-(?:picture|explorer)".*?</div>|<a [^>]*data-turn.*?</a>', re.DOTALL)


def pages():
    """The live figures of each page, with the links that turn them; only the quickest in every run of the tests."""
    for path, text in written():
        if "<div" in (body := "".join(FIGURES.findall(text))):
            yield pytest.param(body, id=path.stem, marks=[] if path.stem in QUICK else [pytest.mark.slow])


FAULTS = r"""host => [...host.querySelectorAll(".plot")].filter(plot => plot.clientWidth).flatMap(plot => {
  const found = [], area = plot.getBoundingClientRect(), tall = box => Math.min(box.height, box.width) / 4;
  const texts = [...plot.querySelectorAll("text")].map(node => [node, node.getBoundingClientRect()]);
  for (const [i, [node, a]] of texts.entries()) {
    if (a.left < area.left - 1 || a.right > area.right + 1 || a.top < area.top - 4 || a.bottom > area.bottom + 4)
      found.push(`outside: ${node.textContent}`);
    if (node.closest(".axis") && /\de-?\d/.test(node.textContent)) found.push(`exponent: ${node.textContent}`);
    for (const [other, b] of texts.slice(i + 1))
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom - tall(a), b.bottom - tall(b)) > Math.max(a.top + tall(a), b.top + tall(b)))
        found.push(`overlap: ${node.textContent} and ${other.textContent}`);
  }
  const { x, y, marks = [] } = plot.spec ?? {}, wide = 1e-9 * (y?.high - y?.low);
  const beyond = ([at, value]) => value > y.high + wide || value < y.low - wide || at > x.high || at < x.low;
  const free = host.explorer || host.picture.values.weight < 1; // printed bounds above one, densities without a bound
  for (const { points = [], label } of free ? [] : marks) if (points.some(beyond)) found.push(`outside: ${label}`);
  const words = plot.innerHTML + host.querySelector(".said, .summary").textContent;
  return /NaN|Infinity|undefined/.test(words) ? [...found, "not a number"] : found;
})"""
"""Texts over each other or cut, powers of ten on axes, lines outside of axes, and what is no number, of all plots."""

DRAWN = """host => [{ ...host.picture?.values }, [...host.querySelectorAll(".plot")].flatMap(({ spec }) =>
  (spec?.marks ?? []).filter(({ label, points }) => label && points).map(({ label, points }) =>
    [label, [0.1, 0.3, 0.5, 0.7, 0.9].map(share => points[Math.floor(share * points.length)])]))]"""
"""The values of the knobs, and five points of each curve by its label."""

TURN = "(node, to) => { node.value = to; ['input', 'change'].map(kind => node.dispatchEvent(new Event(kind))); }"


def right(picture, values):
    """What the library says that a picture of the path draws, by label: functions of the place."""
    n, x, epsilon, prior = values.get("n"), values.get("x"), values.get("epsilon"), [values.get("weight", 1)] * 2

    def law(name):
        found = made(name, epsilon).law([1, 1], [x, n - x])
        return lambda place: found.probabilities[found.outputs[:, 0] == place].sum()

    def posterior(count):
        return dpbi.posterior(prior, [int(count), n - int(count)])

    if picture == "posterior":
        return {"posterior": beta(*posterior(x)).pdf, "prior": beta(*prior).pdf}
    if picture == "noise":
        return {f"if {x} said yes": law(values["mechanism"])}
    if picture == "distance":
        far = {"distance": lambda place: dpbi.hellinger(posterior(x), posterior(place))}
        return far | {IN_WORDS[name]: law(name) for name in ("ehd", "geometric")}
    if picture == "conclude" and values["mechanism"] == "geometric":
        return {"accounting for the noise": dpbi.given_noise([1, 1], n, [x, n - x], epsilon)[0].density}
    return {}


def seen(tab, host):
    """The faults of a figure as it is now, and the curves that differ from the library's."""
    rest(tab, 260)
    (values, curves), picture = host.evaluate(DRAWN), host.get_attribute("data-picture")
    wanted = right(picture, values)
    differ = [
        f"differs: {label}"
        for label, points in curves
        if label in wanted
        and not np.allclose(*zip(*((wanted[label](at), y) for at, y in points), strict=True), rtol=1e-7, atol=1e-12)
    ]
    return [f"{fault}, {picture} {values}" for fault in [*host.evaluate(FAULTS), *differ]]


def faults(browser, address, width):
    """The faults of a page that a browser as wide as this opens: after its links, its choices, and ends of sliders."""
    tab, found = opened(browser, viewport={"width": width, "height": 900}).new_page(), []
    tab.on("pageerror", lambda error: found.append(str(error)))
    # all pauses, those of the figures and that of the test, become short and keep their order
    tab.add_init_script("const later = setTimeout; window.setTimeout = (action, wait) => later(action, wait / 20);")
    tab.goto(address)
    tab.wait_for_selector(".ready")
    for link in tab.locator("a[data-turn]").all():
        link.evaluate("link => link.click()")
        found += seen(tab, tab.locator(link.get_attribute("href")))
    for host in tab.locator(".dpbi-picture, .dpbi-explorer").all():
        for option in reversed(host.locator("option").all()):  # the first choice is the last
            option.locator("..").evaluate(TURN, option.get_attribute("value"))
            found += seen(tab, host)
        sliders = [slider for slider in host.locator("input[type=range]").all() if slider.is_visible()][:4]
        for corner in range(2 ** len(sliders)):  # from each corner to the next, one slider is turned
            last = (corner & -corner).bit_length() - 1
            for slider in sliders[last : last + 1] if corner else sliders:
                slider.evaluate(TURN, 1e6 * (corner >> last + 1 & 1 ^ 1) if corner else 0)
            found += seen(tab, host)
    tab.context.close()
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("width", [390, pytest.param(1200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("body", list(pages()))
def test_a_live_figure_survives_its_readers(browser, folder, body, width):
    assert faults(browser, write_page(folder, "live", body), width) == []


PLANTED = {
    "overlap": ("draw.js", "HEIGHT - 6", "HEIGHT - 22"),  # the name of an axis stands on its numbers
    "outside": ("parts.js", "1.06 * Math.max(...heights)", "0.5 * Math.max(...heights)"),  # a hill is cut off
    "differs": ("inference.js", "sum += p[i] * (c + i)", "sum += 1.00001 * p[i] * (c + i)"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_found(browser, folder, tmp_path, kind):
    name, old, new = PLANTED[kind]
    shutil.copytree(folder, book := tmp_path / "book")
    script = book / "_static" / "explorer" / name
    script.write_text(script.read_text("utf-8").replace(old, new), "utf-8")
    page = write_page(book, "live", '<div class="dpbi-picture" data-picture="posterior"></div>')
    assert any(fault.startswith(kind) for fault in faults(browser, page, 1200))
