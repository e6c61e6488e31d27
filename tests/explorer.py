"""What the tests of the explorer share: the scripts as the built book has them, a browser, and settings."""

import html
import importlib
import math
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import dpbi

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "book" / "_static" / "explorer"
PAGE = ROOT / "book" / "explorer.md"
MECHANISMS = list(dpbi.MECHANISMS)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
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
    return "".join(f"<p>{link}</p>" for link in re.findall(r"<a [^>]*data-setting.*?</a>", PAGE.read_text("utf-8")))


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


@pytest.fixture
def page(browser, folder):
    """The explorer, opened from the file system; whatever it asks outside or complains about fails the test."""
    requests, errors = [], []
    context = opened(browser, viewport={"width": 1200, "height": 900})
    tab = context.new_page()
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: errors.append(message.text) if message.type in {"error", "warning"} else None)
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto((folder / "book" / "explorer.html").as_uri())
    tab.wait_for_selector(".dpbi-explorer.ready")
    yield tab
    context.close()
    assert errors == [], errors
    assert {url for url in requests if not url.startswith(folder.as_uri())} == set()


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


def rest(page, milliseconds):
    """Wait until a page has drawn what it was told to, and then by its own timer: a slow page waits as much longer."""
    page.evaluate(
        """async wait => {
          for (let frame = 0; frame < 2; frame++) await new Promise(done => requestAnimationFrame(done));
          await new Promise(done => setTimeout(done, wait));
        }""",
        milliseconds,
    )
