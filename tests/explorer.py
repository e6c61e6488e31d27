"""Tools shared by the tests of the live figures: the scripts as in the built book, Node, a browser, and settings."""

import importlib
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from dpbi.plots.looks import LOOKS

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "book" / "_static" / "explorer"
PAGE = ROOT / "book" / "explorer.md"
MECHANISMS = list(LOOKS)
ENGINE = ["special", "table", "mechanisms", "optimum", "inference", "simplex", "audit", "findings", "theorem"]
"""The scripts that compute; the others draw."""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path: the page cannot be opened")


def table():
    """What the book writes for its scripts of the library's mechanisms."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module("generate").table()
    finally:
        sys.path.remove(str(ROOT / "tools"))


def computed(function, given):
    """What a function of JavaScript makes of each of many settings, in the system's Node or the one of Playwright."""
    packaged = Path(importlib.import_module("playwright").__file__).parent / "driver" / "node"
    node = shutil.which("node") or (str(packaged) if packaged.exists() else None)
    if node is None:
        pytest.skip("this machine has no Node, so the engine cannot be run outside of a page")
    sources = [table() if name == "table" else (SCRIPTS / f"{name}.js").read_text("utf-8") for name in ENGINE]
    script = "\n".join(f"(0, eval)({json.dumps(source)});" for source in ["globalThis.dpbi = {};", *sources])
    script += f"\nprocess.stdout.write(JSON.stringify({json.dumps(given)}.map({function})));"
    ran = subprocess.run([node, "-"], input=script, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, f"Node stopped: {ran.stderr[-2000:]}"
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The scripts as the built book has them, beside a page that holds an explorer and nothing else."""
    book = tmp_path_factory.mktemp("book")
    shutil.copytree(SCRIPTS, book / "_static" / "explorer")
    (book / "_static" / "explorer" / "table.js").write_text(table(), "utf-8")
    (book / "book").mkdir()
    text = PAGE.read_text("utf-8")
    links = "".join(f"<p>{link}</p>" for link in re.findall(r"<a data-figure.*?</a>", text))
    explorer = re.search(r'<div class="dpbi-explorer".*?</div>', text, re.DOTALL)[0]
    write_page(book, "explorer", f"<h1>Explorer</h1>{explorer}{links}")
    return book


def write_page(book, name, body):
    """A page of a book that has the scripts, and nothing but a body."""
    (book / "book" / f"{name}.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><main style="font-family: sans-serif">{body}</main>'
        '<script src="../_static/explorer/load.js"></script></html>',
        "utf-8",
    )
    return (book / "book" / f"{name}.html").as_uri()


def written():
    """The prose of every page of the book, by its path: of a notebook the cells that are no code."""
    for path in [*sorted((ROOT / "book").rglob("*.md")), *sorted((ROOT / "notebooks").rglob("*.ipynb"))]:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        yield path, text


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


HURRIED = """
const slow = window.setTimeout;
window.setTimeout = (action, wait, ...given) => slow(action, wait / 100, ...given);
"""
"""Timers of a page, and those of a test that waits for them, in a hundredth of their time and in the same order."""


def opened(browser, **look):
    """A context of its own, whose pages have timers that hurry."""
    context = browser.new_context(**look)
    context.add_init_script(HURRIED)
    return context


def complaints(tab):
    """What the pages of a tab complain about from now on."""
    errors = []
    tab.on("console", lambda message: errors.append(message.text) if message.type in {"error", "warning"} else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    return errors


@pytest.fixture
def page(browser, folder):
    """The explorer, opened from the file system; whatever it asks outside or complains about fails the test."""
    context = opened(browser, viewport={"width": 1200, "height": 900})
    tab, requests = context.new_page(), []
    errors = complaints(tab)
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto((folder / "book" / "explorer.html").as_uri())
    tab.wait_for_selector(".dpbi-explorer.ready")
    yield tab
    context.close()
    assert errors == [], errors
    assert {url for url in requests if not url.startswith(folder.as_uri())} == set()


def settings(count, seed=45):
    """Random settings over the whole range of every knob, each mechanism in turn; those of one depend on no other."""
    found = []
    for i in range(count):
        turn, name = i // len(MECHANISMS), MECHANISMS[i % len(MECHANISMS)]
        rng = np.random.default_rng([seed, turn, crc32(name.encode())])
        log = lambda low, high, rng=rng: float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.3g}")  # noqa: E731
        n = 500 if rng.random() < 1 / 40 else max(1, round(log(1, 500)))
        prior = [log(0.01, 1000), log(0.01, 1000)] if rng.random() < 2 / 3 else [1, 1]
        found.append(
            {"first": prior[0], "second": prior[1], "n": n, "x": int(rng.integers(n + 1)), "mechanism": name,
                "epsilon": log(0.01, 10), "sensitivity": ["exact", "printed"][turn % 2], "gamma": log(0.01, 100),
                "delta": log(1e-12, 0.1), "divisor": log(0.5, 20), "t": float(f"{rng.uniform(0.001, 0.999):.3f}"),
                "seed": int(rng.integers(2**32))},
        )  # fmt: skip
    return found


def smaller(given, most):
    """The same settings with fewer records."""
    for setting in given:
        n = min(setting["n"], 1 + setting["n"] % most)
        yield setting | {"n": n, "x": min(setting["x"], n)}


def rest(page, milliseconds):
    """Wait until a page has drawn what is due, and then by its own timer: a slow page waits as much longer."""
    page.evaluate(
        """async wait => {
          for (let frame = 0; frame < 2; frame++) await new Promise(done => requestAnimationFrame(done));
          await new Promise(done => setTimeout(done, wait));
        }""",
        milliseconds,
    )
