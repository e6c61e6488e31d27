"""Every live figure at the ends of its sliders and where the text sends it: readable, inside its axes, and right.

The oracle of the drawn values is the library; of the faults that are looked for, three that are planted.
"""
# ruff: noqa: F811 a test names the fixtures that it takes

import itertools
import json
import re
import shutil

import numpy as np
import pytest
from scipy.stats import beta

import dpbi
from dpbi.inference import coverage, given_output, plug_in_intervals
from explorer import ROOT, browser, folder, needs_browser, opened, rest, write_page  # noqa: F401
from path_numbers import IN_WORDS, made

pytestmark = needs_browser
FIGURES = re.compile(r'<div class="dpbi-(?:picture|explorer)".*?</div>|<a [^>]*data-turn.*?</a>', re.DOTALL)


def sources():
    """By page: its live figures, and the links that turn them."""
    for path in [*sorted((ROOT / "book").rglob("*.md")), *sorted((ROOT / "notebooks").rglob("*.ipynb"))]:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
        found = FIGURES.findall(text)
        if any(each.startswith("<div") for each in found):
            yield pytest.param("".join(found), id=path.stem)


FAULTS = r"""host => [...host.querySelectorAll(".plot")].filter(plot => plot.clientWidth).flatMap(plot => {
  const found = [], texts = [...plot.querySelectorAll("text")].map(node => [node, node.getBoundingClientRect()]);
  const { left, right, top, bottom } = plot.getBoundingClientRect();
  const tall = box => 0.25 * Math.min(box.height, box.width); // room above and below the letters
  texts.forEach(([node, box], i) => {
    if (box.left < left - 1 || box.right > right + 1 || box.top < top - 4 || box.bottom > bottom + 4)
      found.push(`outside: ${node.textContent}`);
    for (const [other, beside] of texts.slice(i + 1))
      if (Math.min(box.right, beside.right) - Math.max(box.left, beside.left) > 1 &&
          Math.min(box.bottom - tall(box), beside.bottom - tall(beside)) > Math.max(box.top + tall(box), beside.top + tall(beside)))
        found.push(`overlap: ${node.textContent} and ${other.textContent}`);
    if (node.closest(".axis") && /\de-?\d/.test(node.textContent)) found.push(`exponent: ${node.textContent}`);
  });
  const { x, y, marks = [] } = plot.spec ?? {}, wide = 1e-9 * (y?.high - y?.low);
  const free = host.explorer || (host.picture.values.weight ?? 1) < 1; // bounds above one, densities without a bound
  for (const { points = [], label } of marks)
    if (!free && points.some(([at, value]) => value > y.high + wide || value < y.low - wide || at > x.high || at < x.low))
      found.push(`outside: ${label}`);
  const words = plot.innerHTML + (host.querySelector(".said, .summary")?.textContent ?? "");
  if (/NaN|Infinity|undefined/.test(words)) found.push("not a number");
  return found;
})"""
"""Texts over each other or cut, powers of ten and lines outside of axes, and what is no number, of all plots."""

DRAWN = """host => ({ ...host.picture?.values, curves: [...host.querySelectorAll(".plot")].flatMap(({ spec }) =>
  (spec?.marks ?? []).filter(mark => mark.label && mark.points).map(({ label, points }) =>
    [label, [0.1, 0.3, 0.5, 0.7, 0.9].map(share => points[Math.floor(share * points.length)])])) })"""
"""The values of the knobs, and five points of each curve by its label."""


def right(picture, v):
    """What the library says a picture draws, by label: functions of the places."""
    n, x, w, epsilon = (v.get(name) for name in ("n", "x", "weight", "epsilon"))
    prior = [w or 1] * 2
    name = v.get("mechanism", {"distance": "ehd"}.get(picture, "geometric"))

    def law(x, name=name, n=n):
        found = made(name, epsilon).law([1, 1], [x, n - x])
        return lambda r: found.probabilities[found.outputs[:, 0] == r].sum()

    def error(mechanism):
        return lambda x: dpbi.mean_error(mechanism, prior, [int(x), n - int(x)])

    def far(r):
        return dpbi.hellinger(dpbi.posterior([1, 1], [x, n - x]), dpbi.posterior([1, 1], [int(r), n - int(r)]))

    def covered(place):
        mechanism = made("geometric", 10**place)
        return coverage(mechanism, [1, 1], n, plug_in_intervals(mechanism, [1, 1], n, 0.95))

    plain = beta(prior[0] + (x or 0), prior[1] + (n or 0) - (x or 0)).pdf
    forgetting = "taking the release for the data"
    return {
        "posterior": lambda: {"posterior": plain, "prior": beta(*prior).pdf},
        "game": lambda: {"if Kim did not: 13 yes": law(13, n=20), "if Kim did: 14 yes": law(14, n=20)},
        "noise": lambda: {f"if {x} said yes": law(x)},
        "distance": lambda: {"distance": far, IN_WORDS["ehd"]: law(x), IN_WORDS["geometric"]: law(x, "geometric")},
        "best": lambda: {"geometric noise, remapped": error(dpbi.remapped_geometric(epsilon))},
        "publications": lambda: {"root mean": dpbi.root_mean(prior, n, [v["y"], n - v["y"]], epsilon)[0].density},
        "conclude": lambda: {
            forgetting: plain,
            "knowing the noise": given_output(made(name, epsilon), [1, 1], n, [x, n - x])[0].density,
        },
        "coverage": lambda: {forgetting: covered},
        "sensitivity": lambda: {"local": lambda x: dpbi.local_sensitivity(prior, [int(x), n - int(x)])},
    }.get(picture, dict)()


def visited(tab):
    """Turn every figure of a page to its ends, choices and links; the faults, and what was drawn."""
    for link in tab.locator("a[data-turn]").all():
        yield from seen(tab, tab.locator(link.get_attribute("href")), link.evaluate("link => link.click()"))
    for host in tab.locator(".dpbi-picture, .dpbi-explorer").all():
        turn = "(node, value) => { node.value = value; for (const kind of ['input', 'change']) node.dispatchEvent(new Event(kind)); }"
        for choice in host.locator("select").all():
            for option in choice.locator("option").all():
                choice.evaluate(turn, option.get_attribute("value"))
                yield from seen(tab, host)
            choice.evaluate(turn, choice.locator("option").first.get_attribute("value"))
        sliders = [slider for slider in host.locator("input[type=range]").all() if slider.is_visible()][:4]
        for ends in itertools.product((0, 1e6), repeat=len(sliders)):
            for slider, end in zip(sliders, ends, strict=True):
                slider.evaluate(turn, end)
            yield from seen(tab, host)


def seen(tab, host, _=None):
    """The faults of a figure as it is now, and the values that differ from the library's."""
    rest(tab, 260)
    drawn, picture = host.evaluate(DRAWN), host.get_attribute("data-picture")
    yield from (f"{fault} {({k: v for k, v in drawn.items() if k != 'curves'})}" for fault in host.evaluate(FAULTS))
    for label, points in drawn["curves"]:
        if wanted := right(picture, drawn).get(label):
            values = np.array([wanted(place) for place, _ in points], float)
            if not np.allclose(values, [value for _, value in points], rtol=1e-7, atol=1e-12):
                yield f"differs: {label} at {drawn}, {values}"


def faults(browser, address, width):
    """The different faults of a page that a browser as wide as this opens."""
    tab = opened(browser, viewport={"width": width, "height": 900}).new_page()
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.goto(address)
    tab.wait_for_selector(".ready")
    found = list(dict.fromkeys(visited(tab)))
    tab.context.close()
    return found


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("body", list(sources()))
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
    assert script.read_text("utf-8").count(old) == 1
    script.write_text(script.read_text("utf-8").replace(old, new), "utf-8")
    page = write_page(book, "live", '<div class="dpbi-picture" data-picture="posterior"></div>')
    assert any(fault.startswith(kind) for fault in faults(browser, page, 1200))
