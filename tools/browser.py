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

LATE = """async () => {
  const late = () => [...document.querySelectorAll(".math")].filter(math => {
    const { top, bottom, width } = math.getBoundingClientRect();
    return width && bottom > 0 && top < innerHeight && !math.querySelector("mjx-container");
  });
  for (let tenth = 0; tenth < 10 && late().length; tenth++) await new Promise(done => setTimeout(done, 100));
  return late().map(math => math.textContent.trim().replace(/\\s+/g, " ").slice(0, 80));
}"""
"""Formulas in view that are not set a second after the page says that it is ready: a figure that came may move them."""
AT_REST = """*, ::before, ::after {
  content-visibility: visible !important; transition: none !important; animation: none !important; }"""
"""All of a page is laid out, and its colours are judged as they stay, not on their way from day to night."""
ALL_SET = """() => {
  for (const fold of document.querySelectorAll("article details:not([open])")) fold.open = true;
  dispatchEvent(new Event("beforeprint"));
}"""
"""All of a page, as if its reader had seen it: what is folded is unfolded, and every formula is set, at once."""

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

PLAIN = """() => {
  for (const drawn of document.querySelectorAll("mjx-container > svg")) drawn.replaceChildren();
  for (const said of document.querySelectorAll("mjx-assistive-mml")) said.replaceChildren(said.textContent);
}"""
"""Formulas keep their size and their text for screen readers; what is in them, most of all that is on a page, takes no
part in the layout around them, and nothing there could be judged.
"""

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
BY_DAY = {"rules": {"region": {"enabled": False}}}
BY_NIGHT = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""All rules but a slow one whose faults are never serious, and the rules that depend on colours."""
RARELY = """() => axe.configure({ rules: [
  { id: "color-contrast", selector: "[data-look]" },
  { id: "link-in-text-block", selector: "a[href][data-look], [role=link][data-look]" },
] })"""
LOOKS = """() => {
  for (const node of document.querySelectorAll("[data-look]")) node.removeAttribute("data-look");
  const behind = new Map([[null, ""]]), looks = new Map();
  const ground = node => {
    if (!behind.has(node)) {
      const { backgroundColor: colour, backgroundImage: image, opacity } = getComputedStyle(node);
      const clear = colour === "rgba(0, 0, 0, 0)" && image === "none" && opacity === "1";
      behind.set(node, (clear ? "" : [colour, image, opacity].join(" ")) + ground(node.parentElement));
    }
    return behind.get(node);
  };
  const look = node => {
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = getComputedStyle(node);
    return [node.tagName, node.getAttribute("class"), color, fontSize, fontWeight, textDecorationLine, textShadow];
  };
  const note = node => {
    if (node.closest("mjx-container, script, style, noscript") || !node.getClientRects().length) return;
    const letter = node.textContent.trim().length === 1; // which axe does not judge
    const key = [letter, ...look(node), ...look(node.parentElement), ground(node)].join("|");
    looks.set(key, [looks.get(key)?.[0] ?? node, node]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.data.trim()) note(texts.currentNode.parentElement);
  document.querySelectorAll("a[href], input, select, textarea").forEach(note);
  for (const node of [...looks.values()].flat()) node.setAttribute("data-look", "");
}"""
"""Texts to judge by colour: of those that look the same the first and the last, in whatever hundreds of places.

The look of a text is its element, its class, colour, size, weight, line and shadow, the same of the element around it,
and all that is painted behind it. axe takes longer over the colours of all texts than over everything else together.
"""


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
    await page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    await page.emulate_media(color_scheme="light")
    await page.goto(address)
    await page.evaluate(SETTLED)


async def visit(page: Page, book: Path, file: Path) -> list[str]:
    """What is wrong with a page: opened on a desk, and there examined by day and by night, on a tablet and a phone."""
    with heard(page, book) as found:
        await opened(page, file.resolve().as_uri())
        found += [f"is not set in view: {text}" for text in await page.evaluate(LATE)]
        await page.add_style_tag(content=AT_REST)  # first, or what is far from the view is laid out formula by formula
        await page.evaluate(ALL_SET)
        await page.evaluate(QUIET)
        found += [f"raw TeX: {text}" for text in await page.evaluate(RAW)]
        await page.evaluate(PLAIN)
        found += await layout(page, "on a desk")
        found += await faults(page)
        for size, where in ((TABLET, "on a tablet"), (PHONE, "on a phone")):
            await resize(page, size)
            found += await layout(page, where)
    return found


async def faults(page: Page) -> list[str]:
    """What axe finds: all of a page is examined, by day; how its texts look, by day and by night."""
    await page.evaluate(AXE_SCRIPT)
    await page.evaluate(RARELY)
    found: list[str] = []
    for scheme, rules in (("light", BY_DAY), ("dark", BY_NIGHT)):
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate(QUIET)  # the scripts of the theme answer later than its style sheet
        await page.evaluate(LOOKS)
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


async def watch(executable: str, book: Path, pages: Sequence[Path], questions: Mapping[str, str]) -> list[str]:
    """Every page, the large ones first, in as many tabs as there are processors; the searches from the first page."""
    jobs: list[tuple[Path, Callable[[Page], Awaitable[list[str]]]]] = [
        (file, partial(visit, book=book, file=file)) for file in sorted(pages, key=lambda file: -file.stat().st_size)
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
