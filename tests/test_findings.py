"""The live figures of single pages: their numbers agree with the library, and what the pages say about them is true."""
# ruff: noqa: F811 a test names the fixtures that it takes

import json
import math
import re
from collections import Counter
from functools import cache
from urllib.parse import parse_qsl

import numpy as np
import pytest

import dpbi
import explorer
from dpbi.claims.notes import below_size, claimed_crossover
from dpbi.claims.notes.crossovers import overtaking
from dpbi.inference import given_noise, plug_in
from explorer import ROOT, browser, computed, folder, needs_browser, opened, rest, settings, smaller  # noqa: F401  # fixtures
from test_engine import CASES, held, show
from test_explorer_numbers import apart, mechanism_of

SOME = CASES // 5
SIZES = [1, 2, 5, 12, 30]


def relative(found, expected):
    return apart(np.array(found, float), np.array(expected, float))


def compared(function, given, differences):
    """Hold what a function of JavaScript finds at each setting to the library."""
    worst = Counter()
    for setting, found in zip(given, computed(function, given), strict=True):
        held(differences(setting, found, [setting["first"], setting["second"]], setting["n"]), setting, worst)
    show(worst, len(given))


def test_errors_in_steps_agree():
    def differences(s, found, prior, n):
        datasets, mechanism = dpbi.count_vectors(n, 2), dpbi.lshist(s["epsilon"])
        local = dpbi.local_sensitivity(prior, datasets)
        far = dpbi.hellinger(dpbi.posterior(prior, datasets[s["x"]]), dpbi.posterior(prior, datasets)) / local[s["x"]]
        within = {steps: far[max(0, s["x"] - steps) : s["x"] + steps + 1].max() for steps in found["reached"]}
        reach = math.log(1 / s["t"]) / s["epsilon"]
        assert found["reached"] == [math.floor(reach), math.ceil(reach)]
        quantile = dpbi.error_quantile(mechanism, prior, datasets[s["x"]], 1 - s["t"])
        return {
            "exact": relative(found["exact"], quantile / local[s["x"]]),
            "steps": relative(found["far"], far),
            "bounds": relative(found["bounds"], [within[steps] for steps in found["reached"]]),
        }

    function = """(s) => {
      const one = dpbi.findings.errorInSteps(s, s.t);
      return {
        far: [...one.ratios], exact: one.exact, reached: [one.allowed, one.needed],
        bounds: [one.printed, one.corrected],
      };
    }"""
    given = [s | {"mechanism": "lshist"} for s in smaller(settings(SOME, seed=2), 40)]
    compared(function, given, differences)


def test_crossovers_agree():
    rng = np.random.default_rng(3)
    drawn = rng.uniform(1, 20, 8), rng.uniform(0.1, 2.5, 8), rng.integers(0, 9, 8)
    given = []
    for s, w, e, k in zip(settings(8), *drawn, strict=True):
        given.append(s | {"first": float(w), "second": float(w), "epsilon": float(e), "k": int(k)})

    def differences(s, found, prior, n):
        e, k = s["epsilon"], s["k"]
        assert found["from"] == overtaking(s["first"], [e], [k]).always[0, 0]
        noise, chosen = (
            [
                sum(p for r, p in zip(law.outputs[:, 0], law.probabilities, strict=True) if abs(r - m) <= k)
                for m in (size // 2 for size in found["sizes"])
                for law in [mechanism.law(prior, [m, m])]
            ]
            for mechanism in (dpbi.lshist(e), dpbi.ehd(e, dpbi.PRINTED_GLOBAL_SENSITIVITY))
        )
        return {
            "noise": relative([found["noise"]] * len(noise), noise), "chosen": relative(found["chosen"], chosen),
            "claimed": relative(found["claimed"], claimed_crossover(e, k)) if k
                else float(found["claimed"] is not None),
            "below": relative(found["below"], below_size(e, k)),
        }  # fmt: skip

    function = """(s) => {
      const { sizes, ...others } = dpbi.findings.crossover(s, s.k, 40);
      return { ...others, sizes: sizes.map(({ n }) => n), chosen: sizes.map(({ chosen }) => chosen) };
    }"""
    compared(function, given, differences)


def test_losses_deltas_and_mean_errors_by_size_agree():
    def differences(s, found, prior, n):
        made = [dpbi.smoothed_hellinger(s["epsilon"], s["delta"], divisor) for divisor in (1, 2)]
        own = mechanism_of(s)
        sizes = [(size, round(size * s["t"])) for size in SIZES if size * s["t"] % 1 != 0.5]
        errors = [dpbi.mean_error(own, prior, [x, size - x]) for size, x in sizes]
        delta = dpbi.hockey_stick(own, prior, n, s["epsilon"])
        return {
            "variants": relative(
                found["variants"], [[dpbi.audit(m, prior, k).epsilon / s["epsilon"] for k in SIZES] for m in made]
            ),
            "losses": relative(found["losses"], [dpbi.audit(own, prior, k).epsilon / s["epsilon"] for k in SIZES]),
            "delta": abs(found["delta"] - getattr(delta, "delta", delta)),
            "mean errors": relative(found["errors"], errors) if len(sizes) == len(SIZES) else 0.0,
        }

    function = """(s) => ({
      variants: dpbi.findings.losses([1, 2].map((divisor) => dpbi.findings.smoothed(s, divisor)), SIZES),
      losses: dpbi.findings.losses([s], SIZES)[0],
      delta: dpbi.audit.delta(s), errors: dpbi.findings.meanErrors([s], SIZES, s.t)[0],
    })""".replace("SIZES", str(SIZES))
    compared(function, list(smaller(settings(SOME, seed=4), 20)), differences)


def test_the_remap_of_the_domination_theorem_agrees():
    def differences(s, found, prior, n):
        best = dpbi.dominating_remap(mechanism_of(s), prior, n)
        assert (np.array(found["after"]) <= np.array(found["before"]) + 1e-12).all()
        return {
            "loss": relative(found["epsilon"], best.epsilon),
            "before": relative(found["before"], best.before),
            "after": float(np.abs(np.array(found["after"]) - best.after).max()),
        }

    function = """(s) => {
      const { epsilon, before, after } = dpbi.findings.domination(s);
      return { epsilon, before: [...before], after: [...after] };
    }"""
    given = [
        s | {"epsilon": max(s["epsilon"], 0.1)}
        for s in smaller(settings(SOME, seed=6), 30)
        if s["mechanism"] != "discrete_gaussian"  # which the picture does not offer
    ]
    compared(function, given, differences)


def test_the_price_of_privacy_agrees():
    def differences(s, found, prior, n):
        middle = [n // 2, n - n // 2]
        given, without = given_noise(prior, n, middle, s["epsilon"])[0], plug_in(prior, middle)[0]
        lengths = (np.subtract(*each.interval(0.95)) for each in (given, without))
        return {"price": relative(found["price"], np.divide(*lengths))}

    rng = np.random.default_rng(7)
    given = [
        s | {"first": 1, "second": 1, "n": int(n), "mechanism": "geometric", "epsilon": max(s["epsilon"], 0.05)}
        for s, n in zip(settings(6), rng.integers(10, 3200, 6), strict=True)
    ]
    compared("(s) => ({ price: dpbi.findings.price(s) })", given, differences)


@cache
def pages():
    """By name of the page: its live figure, and the links that turn its knobs."""
    found = {}
    for path, text in explorer.written():
        for live in re.finditer(r'<div [^>]*id="live([-a-z]*)".*?</div>', text, re.DOTALL):
            links = re.findall(rf'<a data-turn="[^"]+" href="#live{live[1]}">', text)
            found[path.stem + live[1]] = [each.replace(f"live{live[1]}", "live") for each in (live[0], *links)]
    return {name: (live, links) for name, (live, *links) in found.items()}


SAID = ".said, .summary:not([hidden]), figcaption[role=status]"


@pytest.fixture(scope="module")
def looked_at(browser):
    """A tab for one page after another, and what the page that it shows complains about."""
    context = opened(browser, reduced_motion="reduce")
    tab = context.new_page()
    yield tab, explorer.complaints(tab)
    context.close()


def opened_alone(tab, folder, live, links=""):
    """A page with nothing but a live figure, and the links that turn its knobs."""
    tab.goto(explorer.write_page(folder, "page", live + links))
    tab.wait_for_selector("#live.ready")
    rest(tab, 500)


@needs_browser
@pytest.mark.parametrize(
    ("name", "asked"),
    [("beyond/which_mechanism", r"\n0\.3 +([\d,]+)\n"),
        ("hellinger/tables_and_figures", r"Laplace in order +(\d{4}) +(\d{4})\n")],
)  # fmt: skip
def test_a_live_figure_and_its_page_answer_one_question_alike(looked_at, folder, name, asked):
    """Both search the sizes between those that are drawn, each on its own."""
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    shown = "".join("".join(each.get("text/markdown", each.get("text/plain", ""))) for each in data)
    on_the_page = [number.replace(",", "") for match in re.finditer(asked, shown) for number in match.groups()]
    tab, _ = looked_at
    opened_alone(tab, folder, pages()[name.rpartition("/")[2]][0])
    assert on_the_page == re.findall(r"for (\d+) or more records", tab.locator(SAID).first.inner_text())


@needs_browser
@pytest.mark.parametrize("name", pages())
def test_a_live_figure_on_a_phone_follows_a_link_of_its_page(looked_at, folder, name):
    tab, errors = looked_at
    errors.clear()
    live, links = pages()[name]
    tab.set_viewport_size({"width": 390, "height": 844})
    opened_alone(tab, folder, live, "".join(f"<p style='margin-top: 40rem'>{link}turn</a></p>" for link in links[-1:]))
    heard = [tab.locator(SAID).first.inner_text()]
    for link in links[-1:]:
        tab.get_by_text("turn", exact=True).click()
        rest(tab, 700)
        heard.append(tab.locator(SAID).first.inner_text())
        box = tab.locator("#live .figure").first.bounding_box()
        assert 0 <= box["y"] + box["height"] / 2 <= 844  # what changes is in view
        turned = tab.evaluate("(({ explorer, picture }) => explorer?.setting() ?? picture.values)(live)")
        for knob, value in parse_qsl(re.search(r'data-turn="([^"]+)"', link)[1].replace(" ", "&")):
            assert str(turned[knob]) == value or float(turned[knob]) == float(value)
    assert all(heard)
    assert len(set(heard)) == len(heard)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    assert not re.search(r"NaN|undefined|Infinity", tab.locator("#live").inner_text())
    assert errors == []
