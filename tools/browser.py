"""The pages of a book in a headless Chromium without a network: what they ask for, how they look, who can read them."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Error, Page, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
DESK, TABLET, PHONE = (1440, 900), (1024, 768), (390, 844)
PATIENCE = 120
"""Seconds that loading may take."""
ANSWER = 20
"""Seconds that a search may take."""
FIRST, PAUSE = 3, 0.3
"""Among so many answers the right one has to be, and seconds until they are there after the first of them."""

SETTLED = """async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  await globalThis.dpbi?.fits;
}"""

LATE = """() => [...document.querySelectorAll(".math")].filter(math => {
  const { top, bottom, width } = math.getBoundingClientRect();
  return width && bottom > 0 && top < innerHeight && !math.querySelector("mjx-container");
}).map(math => math.textContent.trim().replace(/\\s+/g, " ").slice(0, 80))"""
"""Formulas in view that are not set when the page says that it is ready."""
WHOLE = "*, ::before, ::after { content-visibility: visible !important; }"
ALL_SET = """async () => {
  for (const fold of document.querySelectorAll("article details:not([open])")) fold.dataset.was = fold.open = true;
  await globalThis.dpbi?.setAll?.();
}"""
"""All of a page, as if its reader had seen it: what is folded or far from the view is neither set nor laid out."""
FOLDED = "document.querySelectorAll('details[data-was]').forEach(fold => { fold.open = false; })"
"""As it was: axe takes minutes for all that the ledger folds."""

QUIET = """async () => {
  const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await frames();
  await Promise.allSettled(document.getAnimations().filter(it => it instanceof CSSTransition).map(it => it.finished));
  await frames();
  await globalThis.dpbi?.fits;
}"""
"""Nothing slides any more, and the scripts that answer to a size have answered."""

RAW = r"""() => {
  const left = [], walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { textContent: text, parentElement: parent } = walker.currentNode;
    if (/\\[()[\]]|\\[a-zA-Z]{2,}|\$[^$\n]+\$/.test(text) && !parent.closest(
      "pre, code, .sig, script, style, noscript, textarea, mjx-container")) left.push(text);
  }
  for (const node of document.querySelectorAll(".math"))
    if (!node.querySelector("mjx-container")) left.push(node.textContent);
  for (const node of document.querySelectorAll("[data-mjx-error]")) left.push(node.getAttribute("data-mjx-error"));
  for (const node of document.querySelectorAll("mjx-container [fill=red]"))
    left.push(node.closest("mjx-container").textContent);
  return left.map(text => text.trim().replace(/\s+/g, " ").slice(0, 80));
}"""
"""TeX that a reader sees: in the text, in the title, in a formula that is not set or that MathJax paints red."""

SIDEWAYS = r"""() => {
  const page = document.scrollingElement, boxes = [page];
  for (let up = document.querySelector("article") ?? document.body; up && up !== page; up = up.parentElement)
    boxes.push(up);
  const box = boxes.find(box => box.scrollWidth > box.clientWidth + 1);
  if (!box) return null;
  const edge = box.getBoundingClientRect().left + box.clientWidth + 1;
  const outside = [...box.querySelectorAll("*")].filter(node => node.getBoundingClientRect().right > edge);
  const loose = outside.filter(node => {
    let up = node.parentElement;
    while (up !== box && getComputedStyle(up).overflowX === "visible") up = up.parentElement;
    return up === box;
  });
  const first = loose.find(node => !loose.includes(node.parentElement)) ?? box;
  return `${box.scrollWidth} pixels in ${box.clientWidth}: ${first.outerHTML.replace(/\s+/g, " ").slice(0, 120)}`;
}"""
"""What makes the text scroll sideways: whatever is wide has to scroll inside a box of its own."""

CUT = r"""() => [...(document.querySelector("article") ?? document.body).querySelectorAll("*")].filter(node =>
  node.scrollWidth > node.clientWidth + 2 && node.clientWidth > 9 &&
  ["hidden", "clip"].includes(getComputedStyle(node).overflowX) && !node.closest("mjx-container")
).map(node => node.outerHTML.replace(/\s+/g, " ").slice(0, 120))"""
"""What is wider than its box and cannot be scrolled there."""

CLIPPED = r"""() => [...document.querySelectorAll(
  ".math, .math mjx-container, .piece.wide, .pst-scrollable-table-container, .output_html")].filter(box =>
  box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1 && !box.dataset.more &&
  getComputedStyle(box).overflowX !== "visible" && getComputedStyle(box).display !== "inline"
).map(box => box.textContent.trim().replace(/\s+/g, " ").slice(0, 80))"""
"""Formulas and tables that scroll in their box without a sign that there is more."""

SMALLEST = 11
"""Pixels that a letter in a figure must be high."""
SMALL = r"""least => [...document.querySelectorAll(":is(figure, .drawing) svg :is(text, tspan)")].filter(text => {
  const scale = text.ownerSVGElement.getScreenCTM()?.a ?? 1;
  return text.getClientRects().length && parseFloat(getComputedStyle(text).fontSize) * scale < least;
}).map(text => text.textContent)"""
"""Text in a figure that is too small to be read."""

AXE = """async rules => {
  const { violations } = await axe.run({ resultTypes: ["violations"], preload: false, ...rules });
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return grave.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id}, ${any[0]?.message ?? help}: ${target.join(" ")}`));
}"""
"""The serious and critical faults that axe finds for readers who do not see, or see poorly."""
BY_NIGHT = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""The rules that depend on colours."""
STILL = "*, ::before, ::after { transition: none !important; animation: none !important; }"
"""Colours are judged as they stay, not on their way from day to night."""
NO_GLYPHS = "document.querySelectorAll('mjx-container > svg').forEach(svg => svg.replaceChildren())"
"""Formulas keep their text for screen readers; their tens of thousands of strokes are nothing that axe could judge."""


def chromium() -> str | None:
    """The browser of this machine, if it has one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@asynccontextmanager
async def offline(executable: str) -> AsyncIterator[Browser]:
    """A browser whose pages have no network; each has never been anywhere before."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        await browser.close()


@asynccontextmanager
async def fresh(browser: Browser) -> AsyncIterator[Page]:
    """A tab of a reader who has never been anywhere before."""
    async with await browser.new_context(offline=True) as context:
        context.set_default_timeout(1000 * PATIENCE)
        yield await context.new_page()


async def left(page: Page) -> None:
    """Leave a page, and forget it: what comes next in the tab is the first again, but the scripts are compiled."""
    await page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    await page.goto("about:blank")


@contextmanager
def heard(page: Page, book: Path) -> Iterator[list[str]]:
    """What a page asks for outside the book or in vain, and what it complains about, so long as this lasts."""
    found: list[str] = []
    inside = (book.resolve().as_uri() + "/", "data:", "blob:")
    heed: dict[Any, Callable[[Any], object]] = {
        "request": lambda request: request.url.startswith(inside) or found.append(f"asks for {request.url}"),
        "requestfailed": lambda request: found.append(f"does not get {request.url}"),
        "console": lambda message: message.type != "error" or found.append(f"error: {message.text}"),
        "pageerror": lambda error: found.append(f"error: {error}"),
    }
    for event, note in heed.items():
        page.on(event, note)
    yield found
    for event, note in heed.items():
        page.remove_listener(event, note)


async def resize(page: Page, size: tuple[int, int]) -> None:
    """Another size, and what answers to it."""
    await page.set_viewport_size({"width": size[0], "height": size[1]})
    await page.evaluate(QUIET)


async def opened(page: Page, address: str) -> None:
    """Open an address on a desk, by day, and wait until the formulas in view are set."""
    await resize(page, DESK)
    await page.emulate_media(color_scheme="light")
    await page.goto(address)
    await page.evaluate(SETTLED)


async def visit(page: Page, book: Path, file: Path, examined: bool) -> list[str]:
    """What is wrong with a page: opened on a desk, a tablet and a phone, and if asked examined by day and by night."""
    with heard(page, book) as found:
        await opened(page, file.resolve().as_uri())
        found += [f"is not set in view: {text}" for text in await page.evaluate(LATE)]
        await page.evaluate(ALL_SET)  # before the style, or all of the page is laid out again for every few formulas
        await page.add_style_tag(content=WHOLE)
        await page.evaluate(QUIET)
        found += [f"raw TeX: {text}" for text in await page.evaluate(RAW)]
        found += await layout(page, "on a desk")
        for size, where in ((TABLET, "on a tablet"), (PHONE, "on a phone")):
            await resize(page, size)
            found += await layout(page, where)
        if examined:
            found += await faults(page)
    return found


async def faults(page: Page) -> list[str]:
    """What axe finds on a desk, by day and by night; the page is not the same afterwards."""
    found: list[str] = []
    await page.evaluate(FOLDED)
    await resize(page, DESK)
    await page.add_style_tag(content=STILL)
    await page.evaluate(NO_GLYPHS)
    await page.evaluate(AXE_SCRIPT)
    for scheme, rules in (("light", {}), ("dark", BY_NIGHT)):
        await page.emulate_media(color_scheme=scheme)
        found += [f"{fault}, {scheme}" for fault in await page.evaluate(AXE, rules)]
    return found


async def layout(page: Page, where: str) -> list[str]:
    """What does not fit the width of the page as it stands."""
    sideways = await page.evaluate(SIDEWAYS)
    cut = await page.evaluate(CUT)
    clipped = await page.evaluate(CLIPPED)
    small = await page.evaluate(SMALL, SMALLEST)
    return [
        *[f"scrolls sideways {where}, {sideways}"] * bool(sideways),
        *(f"is cut {where}: {node}" for node in cut),
        *(f"is clipped without a cue {where}: {text}" for text in clipped),
        *(f"is under {SMALLEST} pixels {where}: {text}" for text in small),
    ]


async def search(page: Page, query: str, wanted: str, file: Path) -> list[str]:
    """Search from a page as a reader does, by the keyboard, and expect an answer, the wanted page among the first."""
    await opened(page, file.resolve().as_uri())
    await page.keyboard.press("Control+K")
    await page.keyboard.type(query)
    await page.keyboard.press("Enter")
    links = page.locator("#search-results ul.search a")
    try:
        await links.first.wait_for(timeout=1000 * ANSWER)
        await page.wait_for_timeout(1000 * PAUSE)
    except Error:
        return [f"a search for {query!r} finds nothing"]
    first = await links.evaluate_all("(links, few) => links.slice(0, few).map(link => link.href)", FIRST)
    if wanted and not any(f"/{wanted}" in address for address in first):
        return [f"a search for {query!r} does not find {wanted} among the first {FIRST}"]
    return []


async def watch(
    executable: str, book: Path, pages: Sequence[Path], examined: Sequence[Path], questions: Mapping[str, str]
) -> list[str]:
    """Every page, the large ones first, in as many tabs as there are processors; the searches from the first page."""
    jobs: list[tuple[Path, Callable[[Page], Awaitable[list[str]]]]] = [
        (file, partial(visit, book=book, file=file, examined=file in examined))
        for file in sorted(pages, key=lambda file: -file.stat().st_size)
    ]
    for query, wanted in questions.items():
        jobs.append((pages[0], partial(search, query=query, wanted=wanted, file=pages[0])))
    todo, found, done = iter(jobs), [], 0
    async with offline(executable) as browser:

        async def tab() -> None:
            nonlocal done
            async with fresh(browser) as page:
                for file, job in todo:
                    problems = await job(page)
                    await left(page)
                    found.extend(f"{file.relative_to(book)}: {problem}" for problem in dict.fromkeys(problems))
                    done += 1
                    print(f"\r{done} of {len(jobs)} opened ", end="\n" if done == len(jobs) else "", file=sys.stderr)

        async with asyncio.TaskGroup() as tabs:
            for _ in range(os.cpu_count() or 1):
                tabs.create_task(tab())
    return sorted(found)
