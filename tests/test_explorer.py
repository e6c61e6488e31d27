"""The explorer of the book: its numbers are those of the library, and its knobs work without a mouse and a network.

The numbers come from a headless Chromium, or from Node where there is none; the pages need the browser.
"""

import html
import importlib
import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from playwright.sync_api import sync_playwright
from scipy import stats

import dpbi
from dpbi.claims import CLAIMS
from dpbi.mechanisms.exponential import printed_smoothness

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "book" / "_static" / "explorer"
PAGE = ROOT / "book" / "explorer.md"
NUMBERS = ["table", "special", "mechanisms", "audit", "theorem"]  # the scripts that compute; the others draw
MECHANISMS = list(dpbi.MECHANISMS)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AGREES = 1e-9

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: the page cannot be opened")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The scripts as the built book has them, beside a page that holds an explorer and nothing else."""
    book = tmp_path_factory.mktemp("book")
    shutil.copytree(SCRIPTS, book / "_static" / "explorer")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        table = importlib.import_module("generate").table()
    finally:
        sys.path.remove(str(ROOT / "tools"))
    (book / "_static" / "explorer" / "table.js").write_text(table, "utf-8")
    (book / "book").mkdir()
    (book / "book" / "explorer.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Explorer</title>'
        '<meta name="viewport" content="width=device-width"><main><h1>Explorer</h1>'
        f"{fragment()}{links()}</main>"
        '<script src="../_static/explorer/load.js"></script></html>',
        "utf-8",
    )
    return book


def fragment():
    """The explorer as the page of the book has it."""
    return re.search(r'<div class="dpbi-explorer".*?</div>', PAGE.read_text("utf-8"), re.DOTALL)[0]


def links():
    return "".join(f"<p>{link}</p>" for link in re.findall(r"<a data-setting.*?</a>", PAGE.read_text("utf-8")))


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser, folder):
    """The explorer, opened from the file system; whatever it asks outside or complains about fails the test."""
    requests, errors = [], []
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    tab = context.new_page()
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: errors.append(message.text) if message.type in {"error", "warning"} else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto((folder / "book" / "explorer.html").as_uri())
    tab.wait_for_selector(".dpbi-explorer.ready")
    yield tab
    context.close()
    assert errors == []
    assert {url for url in requests if not url.startswith(folder.as_uri())} == set()


# The numbers


def settings(count, seed=45):
    """Random settings over the whole range of every knob, each mechanism equally often."""
    rng = np.random.default_rng(seed)
    log = lambda low, high: float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.3g}")  # noqa: E731
    found = []
    for i in range(count):
        n = 500 if i % 40 == 7 else max(1, round(log(1, 500)))
        prior = [log(0.01, 1000), log(0.01, 1000)] if i % 3 else [1, 1]
        found.append(
            {
                "first": prior[0],
                "second": prior[1],
                "n": n,
                "x": int(rng.integers(n + 1)),
                "mechanism": MECHANISMS[i % len(MECHANISMS)],
                "epsilon": log(0.01, 10),
                "sensitivity": ["exact", "printed"][i // len(MECHANISMS) % 2],
                "gamma": log(0.01, 100),
                "delta": log(1e-12, 0.1),
                "divisor": log(0.5, 20),
                "t": float(f"{rng.uniform(0.001, 0.999):.3f}"),
                "seed": int(rng.integers(2**32)),
            }
        )
    return found


COMPUTE = """(settings) => settings.map((setting) => {
  const found = dpbi.audit.explore(setting);
  const share = (setting.seed + 0.5) / 2 ** 32;
  const density = dpbi.special.density(setting.first + setting.x, setting.second + (setting.n - setting.x));
  return {
    ...found,
    logProbabilities: [...found.logProbabilities],
    probabilities: undefined,
    distances: [...found.distances],
    losses: { down: [...found.losses.down].slice(1), up: [...found.losses.up].slice(0, -1) },
    density: [0.005, 0.1, 0.35, 0.5, 0.995].map(density),
    inverse: dpbi.audit.inverse(found.probabilities, share),
    lines: dpbi.theorem.check(setting, found).map(({ claim, value, holds }) => ({ claim, value, holds })),
  };
})"""


@pytest.fixture(scope="module")
def compute(folder, request):
    """A function from settings to what the scripts find, and the name of what ran them."""
    if CHROMIUM is None:
        return lambda given: in_node(folder, given), "Node"
    browser = request.getfixturevalue("browser")

    def in_browser(given):
        tab = browser.new_page()
        tab.goto((folder / "book" / "explorer.html").as_uri())
        tab.wait_for_selector(".dpbi-explorer.ready")
        found = tab.evaluate(COMPUTE, given)
        tab.close()
        return found

    return in_browser, "Chromium"


def in_node(folder, given):
    """The same without a browser: the system's Node, or the one that drives Playwright."""
    packaged = Path(importlib.import_module("playwright").__file__).parent / "driver" / "node"
    node = shutil.which("node") or str(packaged)
    sources = [(folder / "_static" / "explorer" / f"{name}.js").read_text("utf-8") for name in NUMBERS]
    given = json.dumps(given)
    script = "\n".join([*(f"(0, eval)({json.dumps(source)});" for source in sources)])
    script += f"\nprocess.stdout.write(JSON.stringify(({COMPUTE})({given})));"
    ran = subprocess.run([node, "-"], input=script, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


def mechanism_of(setting):
    """The library's mechanism at a setting."""
    name, epsilon = setting["mechanism"], setting["epsilon"]
    given = {
        "ehd": {"sensitivity": dpbi.PRINTED_GLOBAL_SENSITIVITY if setting["sensitivity"] == "printed" else None},
        "ehds": {"gamma": setting["gamma"], "divisor": setting["divisor"]},
        "smoothed_hellinger": {"delta": setting["delta"], "divisor": setting["divisor"]},
    }
    return getattr(dpbi, name)(epsilon, **given.get(name, {}))


def smooth_sensitivity(setting, prior, counts):
    if setting["mechanism"] == "ehds":
        return float(dpbi.reciprocal_smooth_sensitivity(prior, counts, setting["gamma"]))
    if setting["mechanism"] == "smoothed_hellinger":
        beta = printed_smoothness(setting["epsilon"], setting["delta"], setting["n"])
        return float(dpbi.exponential_smooth_sensitivity(prior, counts, beta))
    return None


def expected(setting):
    """What the library says of a setting, by the names of the page."""
    prior, n, x, t = [setting["first"], setting["second"]], setting["n"], setting["x"], setting["t"]
    counts, mechanism = [x, n - x], mechanism_of(setting)
    law, errors = mechanism.law(prior, counts), dpbi.error_law(mechanism, prior, counts)
    guarantee = mechanism.guarantee(prior, n)
    near = errors.distances < t * (1 - 1e-12)
    distances = dpbi.hellinger(dpbi.posterior(prior, counts), dpbi.posterior(prior, law.outputs))
    return {
        "distances": distances,
        "errors": errors,
        "meanError": dpbi.mean_error(mechanism, prior, counts),
        "quantile": dpbi.error_quantile(mechanism, prior, counts, 0.1),
        "below": errors.probabilities[near].sum(),
        "tail": dpbi.error_tail(mechanism, prior, counts, t),
        "promise": mechanism.promise.epsilon if mechanism.promise else None,
        "guarantee": guarantee.epsilon if guarantee else None,
        "localSensitivity": float(dpbi.local_sensitivity(prior, counts)),
        "globalSensitivity": dpbi.global_sensitivity(prior, n),
        "smoothSensitivity": smooth_sensitivity(setting, prior, counts),
        "printedSensitivity": dpbi.PRINTED_GLOBAL_SENSITIVITY,
        "density": stats.beta.pdf([0.005, 0.1, 0.35, 0.5, 0.995], *dpbi.posterior(prior, counts)),
    }


def losses(mechanism, prior, n):
    """The worst loss of every move of one record, down and then up."""
    laws = [mechanism.law(prior, x) for x in dpbi.count_vectors(n, 2)] if mechanism.laws is None else None
    rows = (
        mechanism.laws(prior, n).log_probabilities
        if laws is None
        else np.stack([row.log_probabilities for row in laws])
    )
    changes = np.diff(rows, axis=0)
    return np.concatenate([changes.max(axis=1), (-changes).max(axis=1)])


def inverse(law, share):
    """The output of the library's own inversion at a uniform number."""
    cumulative = np.cumsum(law.probabilities)
    return int(min(np.searchsorted(cumulative, share * cumulative[-1], side="right"), len(cumulative) - 1))


def apart(found, wanted):
    """The largest relative difference; None agrees with None alone."""
    if found is None or wanted is None:
        return 0.0 if found is wanted else math.inf
    found, wanted = np.atleast_1d(found).astype(float), np.atleast_1d(wanted).astype(float)
    if found.shape != wanted.shape:
        return math.inf
    size = np.maximum(np.abs(wanted), 1e-300)
    return float(np.max(np.abs(found - wanted) / size, initial=0.0))


def test_every_number_agrees_with_the_library_on_200_random_settings(compute):
    run, engine = compute
    given = settings(200)
    worst = Counter()
    for setting, found in zip(given, run(given), strict=True):
        prior, n, x = [setting["first"], setting["second"]], setting["n"], setting["x"]
        mechanism, wanted = mechanism_of(setting), expected(setting)
        errors = wanted.pop("errors")
        differences = {name: apart(found[name], value) for name, value in wanted.items()}
        law = mechanism.law(prior, [x, n - x])
        # a difference of logarithms is a relative difference of probabilities, and sees those that underflow
        differences["law"] = float(np.abs(np.array(found["logProbabilities"]) - law.log_probabilities).max())
        for name, column in (("distance", errors.distances), ("probability", errors.probabilities)):
            differences[f"error {name}"] = apart([atom[name] for atom in found["errors"]], column)
        audited = dpbi.audit(mechanism, prior, n)
        differences["loss"] = apart(found["audit"]["epsilon"], audited.epsilon)
        witness = {"x": audited.counts[0], "neighbour": audited.neighbour[0], "output": audited.output[0]}
        assert {name: found["audit"][name] for name in witness} == witness, setting
        differences["losses"] = apart(found["losses"]["down"] + found["losses"]["up"], losses(mechanism, prior, n))
        assert found["inverse"] == inverse(law, (setting["seed"] + 0.5) / 2**32), setting
        assert found["releasedError"] == found["distances"][found["released"]]
        for name, difference in differences.items():
            assert difference <= AGREES, (name, difference, setting)
            worst[name] = max(worst[name], difference)
    print(f"\nworst relative differences from the library in {engine}, {len(given)} settings:")
    print(*(f"  {name:20} {difference:.1e}" for name, difference in worst.most_common()), sep="\n")


THEOREM = {"lszhang", "lshist", "ehd", "ehdl"}


def test_the_lines_of_theorem_4_5_are_the_claims_of_the_ledger(compute):
    run, _ = compute
    given = [
        setting | {"sensitivity": "printed", "n": n, "x": min(setting["x"], n)}
        for setting in settings(400, seed=450)
        if setting["mechanism"] in THEOREM
        for n in [min(setting["n"], 60)]  # interval arithmetic decides the verdicts
    ]
    claims = {claim.id: claim for claim in CLAIMS}
    seen, worst = set(), 0.0
    for setting, found in zip(given, run(given), strict=True):
        case = {
            "prior": (setting["first"], setting["second"]),
            "counts": (setting["x"], setting["n"] - setting["x"]),
            "epsilon": setting["epsilon"],
            "t": setting["t"],
        }
        assert len(found["lines"]) == 4
        for line in found["lines"]:
            verdict = claims[line["claim"]].check(**case)
            difference = (
                abs(line["value"] - verdict.bound) / max(abs(verdict.bound), 1e-300)
                if verdict.bound
                else abs(line["value"])
            )
            assert difference <= AGREES, (line, verdict)
            if abs(verdict.margin) > 1e-12 * max(verdict.exact, verdict.bound):  # nearer, only intervals can tell
                assert line["holds"] == verdict.holds, (line, verdict)
            seen.add((line["claim"], line["holds"]))
            worst = max(worst, difference)
    assert {claim for claim, _ in seen} == {f"notes/4.5-{line}" for line in THEOREM_LINES}
    assert {claim for claim, holds in seen if not holds} == {
        claim for claim, _ in seen if "corrected" not in claim and claim != "notes/4.5-ehdl-upper"
    } | {claim for claim, holds in seen if claim == "notes/4.5-ehdl-upper" and not holds}
    print(f"\nworst relative difference from the claims, {len(given)} settings: {worst:.1e}")


THEOREM_LINES = [
    *(f"{name}{line}" for name in ("lszhang", "lshist") for line in ("", "-lower", "-corrected", "-lower-corrected")),
    *(
        f"{name}-{line}"
        for name in ("ehd", "ehdl")
        for line in ("lower", "upper", "lower-corrected", "upper-corrected")
    ),
]


def test_mechanisms_without_a_line_in_the_theorem_get_none(compute):
    run, _ = compute
    others = [setting for setting in settings(60) if setting["mechanism"] not in THEOREM]
    exact = [setting | {"sensitivity": "exact"} for setting in settings(60) if setting["mechanism"] == "ehd"]
    assert all(found["lines"] == [] for found in run(others + exact))


def test_draws_follow_the_law(compute):
    run, _ = compute
    setting = settings(1)[0] | {"first": 1, "second": 1, "n": 6, "x": 2, "mechanism": "geometric", "epsilon": 0.5}
    found = run([setting | {"seed": seed} for seed in range(4000)])
    drawn = np.bincount([draw["released"] for draw in found], minlength=7)
    law = dpbi.geometric(0.5).law([1, 1], [2, 4])
    assert stats.chisquare(drawn, 4000 * law.probabilities).pvalue > 1e-3


def mulberry32(seed):
    """A uniform number from a seed, by the published generator on unsigned 32-bit integers."""
    state = (seed + 0x6D2B79F5) % 2**32
    z = (state ^ state >> 15) * (state | 1) % 2**32
    z ^= (z + (z ^ z >> 7) * (z | 61)) % 2**32
    return (z ^ z >> 14) / 2**32


def test_a_seed_gives_its_draw_for_ever(compute):
    run, _ = compute
    given = [setting | {"n": min(setting["n"], 50), "x": 0} for setting in settings(60)]
    for setting, found in zip(given, run(given), strict=True):
        law = mechanism_of(setting).law([setting["first"], setting["second"]], [0, setting["n"]])
        assert found["released"] == inverse(law, mulberry32(setting["seed"]))


@needs_browser
def test_node_finds_the_same(compute, folder):
    run, _ = compute
    given = settings(20)
    for node, chromium in zip(in_node(folder, given), run(given), strict=True):
        for name in ("logProbabilities", "distances", "meanError", "below", "tail", "guarantee", "density"):
            assert apart(node[name], chromium[name]) <= AGREES  # two builds of the same engine round differently
        assert (node["inverse"], node["audit"]["output"]) == (chromium["inverse"], chromium["audit"]["output"])


def test_every_mechanism_and_its_look_reach_the_page(folder, compute):
    table = (folder / "_static" / "explorer" / "table.js").read_text("utf-8")
    known = json.loads(table.removeprefix("dpbi.table = ").rstrip(";\n"))["mechanisms"]
    looks = importlib.import_module("dpbi.plots").STYLES
    assert {name: (said["color"], said["marker"]) for name, said in known.items()} == looks
    run, _ = compute
    assert len(run([{**settings(1)[0], "n": 3, "x": 1, "mechanism": name} for name in dpbi.MECHANISMS])) == len(known)


# What the page's text says of its three settings


def told(text):
    """The settings of the three links, in their order."""
    found = [dict(parse_qsl(html.unescape(query))) for query in re.findall(r'data-setting="([^"]+)"', text)]
    numbers = [
        {name: value if name in {"mechanism", "sensitivity"} else float(value) for name, value in one.items()}
        for one in found
    ]
    return [
        {
            "gamma": 1.0,
            "delta": 1e-6,
            "divisor": 4.0,
            "sensitivity": "exact",
            **one,
            "n": int(one["n"]),
            "x": int(one["x"]),
        }
        for one in numbers
    ]


def test_the_three_settings_show_what_the_text_says():
    few, vacuous, small = told(PAGE.read_text("utf-8"))
    prior, counts = [few["first"], few["second"]], [few["x"], few["n"] - few["x"]]
    ehd, lshist = mechanism_of(few), dpbi.lshist(few["epsilon"])
    assert few["mechanism"] == "ehd"
    assert dpbi.mean_error(ehd, prior, counts) < dpbi.mean_error(lshist, prior, counts)
    assert dpbi.audit(ehd, prior, few["n"]).epsilon < dpbi.audit(lshist, prior, few["n"]).epsilon
    more = dpbi.mean_error(dpbi.ehd(4), prior, counts), dpbi.mean_error(dpbi.lshist(4), prior, counts)
    assert more[1] < more[0]
    for n in (100, 500):  # the first count stays, as on the page
        many = [counts[0], n - counts[0]]
        assert dpbi.mean_error(lshist, prior, many) < dpbi.mean_error(ehd, prior, many)
    upper = next(claim for claim in CLAIMS if claim.id == "notes/4.5-ehdl-upper")
    case = {"prior": (vacuous["first"], vacuous["second"]), "counts": (vacuous["x"], vacuous["n"] - vacuous["x"])}
    verdict = upper.check(**case, epsilon=vacuous["epsilon"], t=vacuous["t"])
    assert verdict.holds
    assert verdict.bound > 10
    assert upper.check(**case | {"counts": (10, 0)}, epsilon=vacuous["epsilon"], t=vacuous["t"]).bound < 1
    assert small["sensitivity"] == "printed"
    prior = [small["first"], small["second"]]
    assert dpbi.audit(mechanism_of(small), prior, small["n"]).epsilon > small["epsilon"]
    assert dpbi.audit(mechanism_of(small | {"sensitivity": "exact"}), prior, small["n"]).epsilon <= small["epsilon"]


# The page


def shown(page):
    return page.evaluate("document.querySelector('.dpbi-explorer').explorer.setting()")


def settled(page):
    """Wait until the address and the summary have followed the last change."""
    page.wait_for_timeout(600)


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
    assert texts[-1].startswith(f"(21, 0) has probability {law.probabilities[-1]:.6g}")


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
        assert f"The mean error is {mean:.6g};" in " ".join(words[name])
        assert name in words[name][0]
    assert len(words["lshist"]) == 1 + 6
    assert len(words["geometric"]) == 1 + 5  # the theorem has no line for it
    assert page.locator(".lines a").count() == 0
    assert "Theorem 4.5 has no line for geometric." in page.locator(".silence:visible").inner_text()


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
        assert address == f"/book/ledger/notes.html#{labels[link.inner_text()]}"


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


FRAMES = """([mechanism, knob, frames]) => {
  const explorer = document.querySelector(".dpbi-explorer").explorer;
  explorer.turn("n", 500, false);
  explorer.turn("x", 200, false);
  explorer.turn("mechanism", mechanism, false);
  const start = performance.now();
  for (let i = 0; i < frames; i++) {
    explorer.turn(knob, 1 + i / 10, false);
    explorer.draw();
    document.body.getBoundingClientRect();  // lay it out too
  }
  return (performance.now() - start) / frames;
}"""


@needs_browser
def test_frame_time_is_told(page):
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def processor_time():
        metrics = protocol.send("Performance.getMetrics")["metrics"]
        return next(1000 * metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    frames, spent = 12, {}
    for mechanism in MECHANISMS:
        for knob in ("first", "epsilon"):
            page.evaluate(FRAMES, [mechanism, knob, 3])
            before = processor_time()
            clock = page.evaluate(FRAMES, [mechanism, knob, frames])
            spent[mechanism, knob] = (processor_time() - before) / frames, clock
    print("\na frame at n = 500, computed, drawn and laid out, in ms of the processor and of the clock:")
    for knob in ("first", "epsilon"):
        rows = np.array([time for (_, turned), time in spent.items() if turned == knob])
        for what, row in (("median", np.median(rows, axis=0)), ("slowest", rows.max(axis=0))):
            print(f"  {knob:8} {what:8} {row[0]:6.1f} {row[1]:6.1f}")
    assert all(processor > 0 for processor, _ in spent.values())


@needs_browser
def test_other_pages_embed_a_part_of_it(browser, folder):
    page = browser.new_page()
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
    page.close()


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
    page = browser.new_page()
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
    page.close()
