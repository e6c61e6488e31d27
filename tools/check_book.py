"""Check the built book as readers meet it: opened from the file system, without a network.

    python tools/check_book.py [--browser PATH] [BOOK]

Every link must have a target, and no page may be too large. A browser opens every page at the widths of a desktop and
of a phone. No request may leave the book or fail, no script may fail, no TeX may remain unset, and no text may be cut
off or scroll sideways. Axe may find no serious fault in light or dark colours, and the search must find the right
pages. For each page, a line on standard error reports the number of faults.
"""

import argparse
import asyncio
import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Error, Page, async_playwright

from names import NAMES

OWN, WHOLE_BOOK = 1.5e6, 80e6
"""Largest uncompressed sizes in bytes, of one page without the files that it loads and of all files together."""

QUESTIONS = dict.fromkeys(("sensitivity", "epsilon", "randomised response"), "book/glossary.html") | {
    name: f"{page}.html" for page in NAMES for name in NAMES[page]
}
"""Queries of readers, each with the page that must be among the first three search results."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZES = {"on a phone": {"width": 390, "height": 844}, "on a desk": {"width": 1440, "height": 900}}
PATIENCE, ANSWER, OTHERS = 120, 20, 2  # seconds to load a page, to get a first search result, and to get two more
SMALLEST = 11  # smallest font size in a figure, in pixels
READY = "async () => { await window.MathJax?.startup?.promise; await document.fonts.ready; }"
REST = "* { content-visibility: visible !important; transition: none !important; animation: none !important; }"
"""Style sheet that lays out the whole page and shows its final colours."""
UNFOLD = """() => {
  for (const fold of document.querySelectorAll("article details")) fold.open = true;
  dispatchEvent(new Event("beforeprint")); // sets every formula
}"""
QUIET = """async () => {
  const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  await frames();
  await globalThis.dpbi?.fits;
  await frames();
}"""
PLAIN = """() => {
  for (const node of document.querySelectorAll("mjx-container > svg, mjx-assistive-mml"))
    node.replaceChildren(node.localName === "svg" ? "" : node.textContent);
}"""
"""Script that empties the formulas but keeps their size and text, so that their parts are not checked."""
TELL = r"const tell = it => (it.outerHTML ?? it).trim().replace(/\s+/g, ' ').slice(0, 120);"
RAW = rf"""() => {{
  {TELL}
  const left = [], walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {{
    const {{ textContent: text, parentElement: parent }} = walker.currentNode;
    if (/\\[()[\]]|\\[a-zA-Z]{{2,}}|\$[^$\n]+\$/.test(text) && !parent.closest(
      "pre, code, .sig, script, style, noscript, textarea, mjx-container")) left.push(text);
  }}
  for (const node of document.querySelectorAll(".math"))
    if (!node.querySelector("mjx-container")) left.push(node.textContent);
  for (const node of document.querySelectorAll("[data-mjx-error], mjx-container [fill=red]"))
    left.push(node.getAttribute("data-mjx-error") ?? node.closest("mjx-container").textContent);
  return left.map(tell).map(text => "raw TeX: " + text);
}}"""
"""Script that finds raw TeX visible to readers: in the text, in the title, or in a formula that MathJax did not set."""
LAYOUT = rf"""smallest => {{
  {TELL}
  const all = (what, inside = document) => [...inside.querySelectorAll(what)], style = getComputedStyle;
  const article = document.querySelector("article") ?? document.body, page = document.scrollingElement, found = [];
  const wide = (box, by) => box.clientWidth > 9 && box.scrollWidth > box.clientWidth + by;
  for (const box of [page, article].filter(box => wide(box, 1))) {{
    const edge = box.getBoundingClientRect().left + box.clientWidth + 1;
    const first = all("*", box).find(node => node.getBoundingClientRect().right > edge) ?? box;
    found.push(`scrolls sideways, ${{box.scrollWidth}} pixels in ${{box.clientWidth}}: ${{tell(first)}}`);
  }}
  for (const node of all("*", article))
    if (wide(node, 2) && ["hidden", "clip"].includes(style(node).overflowX) && !node.closest("mjx-container"))
      found.push("is cut: " + tell(node));
  for (const box of all(".math, .math mjx-container, .piece.wide, .pst-scrollable-table-container, .output_html"))
    if (wide(box, 1) && !box.dataset.more && style(box).overflowX !== "visible" && style(box).display !== "inline")
      found.push("is clipped without a cue: " + tell(box.textContent));
  for (const text of all(":is(figure, .drawing) svg :is(text, tspan)")) {{
    const height = parseFloat(style(text).fontSize) * (text.ownerSVGElement.getScreenCTM()?.a ?? 1);
    if (text.getClientRects().length && height < smallest)
      found.push(`is under ${{smallest}} pixels: ${{tell(text.textContent)}}`);
  }}
  return found;
}}"""
"""Script that finds content that does not fit: wide content must scroll inside a box of its own, with a visible cue."""
AXE = """async rules => {
  const { violations } = await axe.run({ resultTypes: ["violations"], preload: false, ...rules });
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return grave.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id}, ${any[0]?.message ?? help}: ${target.join(" ")}`));
}"""
COLOURS = ["color-contrast", "link-in-text-block"]
WORDS = {"rules": {rule: {"enabled": False} for rule in (*COLOURS, "region")}}  # region is slow and never serious
THIN = """most => {
  const nodes = [...document.body.querySelectorAll("*")], kinds = new Map(), times = new Map(), kept = new Set();
  for (const node of nodes) {
    const kind = `${kinds.get(node.parentElement) ?? ""}>${node.localName}|${node.className}|${node.style?.cssText}`;
    kinds.set(node, kind);
    times.set(kind, (times.get(kind) ?? 0) + 1);
    if (times.get(kind) <= most) for (let up = node; up && !kept.has(up); up = up.parentElement) kept.add(up);
  }
  for (const node of nodes) if (!kept.has(node)) node.remove();
}"""
"""Script that keeps only the first few elements of each kind. Elements with equal positions and classes have equal
colours, and checking the thousands of elements on a long page would take a minute."""
ALIKE = 3  # elements of each kind that are kept: table rows alternate between two colours, and the first may differ


@cache
class Links(HTMLParser):
    """Addresses of the links of a page, its anchors, and whether the page only leads to another."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.addresses, self.anchors, self.moved = set[str](), set[str](), False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.anchors |= {named[name] for name in ("id", "name") if name in named}
        self.addresses |= {named["href"]} if tag == "a" and "href" in named else set()
        self.moved |= tag == "meta" and named.get("http-equiv") == "Refresh"


def pages(book: Path) -> list[Path]:
    """Pages of the book, without redirections and without the files of static folders, which only other pages load."""
    found = sorted(path for path in book.rglob("*.html") if "_static" not in path.relative_to(book).parts)
    return [path for path in found if not Links(path).moved]


def broken(book: Path, files: Iterable[Path]) -> list[str]:
    """Links within the book to a file or an anchor that does not exist."""
    found = []
    for file in files:
        for address in sorted(Links(file).addresses):
            parts = urlsplit(address)
            goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
            if parts.scheme or parts.netloc:
                continue
            if not goal.is_file():
                found.append(f"{file.relative_to(book)}: {address} leads to no file")
            elif parts.fragment and goal.suffix == ".html" and unquote(parts.fragment) not in Links(goal).anchors:
                found.append(f"{file.relative_to(book)}: {address} leads to no anchor")
    return found


def too_heavy(book: Path, files: Iterable[Path]) -> list[str]:
    """Pages that exceed the size limit of a page, and the book if it exceeds the size limit of the book."""
    sizes = {file: file.stat().st_size for file in book.rglob("*") if file.is_file()}
    found = [(file.relative_to(book), sizes[file], OWN) for file in files]
    found += [(Path("the book"), sum(sizes.values()), WHOLE_BOOK)]
    return [f"{what}: {size / 1e6:.2f} MB, more than {limit / 1e6:g} MB" for what, size, limit in found if size > limit]


async def visit(page: Page, book: Path, file: Path) -> list[str]:
    """Faults of a page in its requests and scripts, in its layout at two widths, and in its accessibility."""
    found, inside = [], (book.resolve().as_uri() + "/", "data:", "blob:")
    page.on("request", lambda request: request.url.startswith(inside) or found.append(f"requests {request.url}"))
    page.on("requestfailed", lambda request: found.append(f"cannot load {request.url}"))
    page.on("console", lambda message: message.type != "error" or found.append(f"error: {message.text}"))
    page.on("pageerror", lambda error: found.append(f"error: {error}"))
    await page.goto(file.resolve().as_uri())
    await page.add_style_tag(content=REST)
    for step in (READY, UNFOLD, QUIET):
        await page.evaluate(step)
    found += await page.evaluate(RAW)
    await page.evaluate(PLAIN)
    for where, size in SIZES.items():
        await page.set_viewport_size(size)
        await page.evaluate(QUIET)
        found += [f"{where} {fault}" for fault in await page.evaluate(LAYOUT, SMALLEST)]
    await page.evaluate(AXE_SCRIPT)
    found += await page.evaluate(AXE, WORDS)
    await page.evaluate(THIN, ALIKE)
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate(QUIET)
        found += [f"{fault}, {scheme}" for fault in await page.evaluate(AXE, {"runOnly": COLOURS})]
    return found


async def search(page: Page, file: Path, query: str, wanted: str) -> list[str]:
    """Search from a page by keyboard, as readers do; it is a fault if the wanted page is not among the first three."""
    await page.goto(file.resolve().as_uri())
    await page.evaluate(READY)
    await page.keyboard.press("Control+K")
    await page.keyboard.type(query)
    await page.keyboard.press("Enter")
    links = page.locator("#search-results ul.search a")
    try:
        await links.first.wait_for(timeout=1000 * ANSWER)
    except Error:
        return [f"a search for {query!r} finds nothing"]
    with suppress(Error):  # there may be fewer than three
        await links.nth(2).wait_for(timeout=1000 * OTHERS)
    first = await links.evaluate_all("links => links.slice(0, 3).map(link => link.href)")
    right = any(f"/{wanted}" in address for address in first)
    return [] if right else [f"a search for {query!r} does not find {wanted} among the first 3"]


async def watch(executable: str, book: Path, files: Sequence[Path], questions: dict[str, str]) -> list[str]:
    """Faults of all pages and searches; large pages are visited first, with one tab for each processor."""
    jobs = [(file, visit, (book, file)) for file in sorted(files, key=lambda file: -file.stat().st_size)]
    jobs += [(files[0], search, (files[0], *question)) for question in questions.items()]
    found, todo = [], iter(enumerate(jobs, start=1))

    async def tab(browser: Browser) -> None:
        for number, (file, job, arguments) in todo:
            begun = time.monotonic()
            async with await browser.new_context(offline=True) as context:  # as for a reader's first visit
                context.set_default_timeout(1000 * PATIENCE)
                problems = await job(await context.new_page(), *arguments)
            name, seconds = file.relative_to(book), time.monotonic() - begun
            print(f"{number} of {len(jobs)}: {name}, {seconds:.1f} s, {len(problems)} faults", file=sys.stderr)
            found.extend(f"{name}: {problem}" for problem in dict.fromkeys(problems))

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        await asyncio.gather(*(tab(browser) for _ in range(os.cpu_count() or 1)))
    return sorted(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=Path(__file__).parents[1] / "_build" / "html")
    there = next(filter(None, map(shutil.which, BROWSERS)), "")
    parser.add_argument("--browser", default=there, help="path of Chromium, which opens the pages; '' for no browser")
    arguments = parser.parse_args()
    book = arguments.book.resolve()
    files = pages(book)
    if not files:
        sys.exit(f"{arguments.book} contains no pages: build the book first")
    found = [*broken(book, files), *too_heavy(book, files)]
    if arguments.browser:
        found += asyncio.run(watch(arguments.browser, book, files, QUESTIONS))
    how = "opened" if arguments.browser else "read, but not opened in a browser"
    print(f"{len(files)} pages {how}", *(found or ["No faults were found."]), sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
