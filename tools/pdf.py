"""Print the built book into one PDF, page after page in the order of its contents.

    python tools/pdf.py [--browser PATH] [--pages WORD] [BOOK] [FILE]

Chromium prints every page as it is printed by hand, and pdfunite, of Debian's poppler-utils, joins what it has printed.
"""

import argparse
import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import QUIET, SETTLED, chromium, offline
from pages import pages, read, target

ROOT = Path(__file__).parents[1]
CONTENTS = re.compile(r'<nav class="bd-links.*?</nav>', re.DOTALL)
SCALE = 0.8
PAPER = {"format": "A4", "print_background": True, "margin": dict.fromkeys(("top", "bottom", "left", "right"), "18mm")}
WIDTH = round((210 - 2 * 18) / 25.4 * 96 / SCALE)
"""Pixels of a line on paper: wide enough for the figures of a desk."""
ON_PAPER = """async () => {
  for (const fold of document.querySelectorAll("article details")) {
    if (/^\\s*Answers/.test(fold.querySelector("summary")?.textContent)) fold.open = true;
  }
  await globalThis.dpbi?.setAll?.();
  await globalThis.dpbi?.fits;
}"""
"""Answers are unfolded, and every formula is set and broken for the width of the paper."""
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def in_order(book: Path) -> list[Path]:
    """The first page, and the others as its list of contents names them."""
    first = pages(book)[0]
    inside = CONTENTS.search(first.read_text("utf-8"))
    links = re.findall(r'href="([^"#]+)"', inside[0]) if inside else []
    named = [first, *(target(first, link) for link in links)]
    return [page for page in dict.fromkeys(named) if page.is_file() and not read(page).forward]


async def printed(executable: str, files: list[Path], folder: Path) -> list[Path]:
    """Each page as a PDF of its own."""
    made = []
    async with offline(executable) as browser:
        for number, file in enumerate(files):
            page = await browser.new_page(viewport={"width": WIDTH, "height": 1000})
            await page.emulate_media(media="print", color_scheme="light")
            await page.goto(file.as_uri())
            for made_ready in (SETTLED, ON_PAPER, QUIET):
                await page.evaluate(made_ready)
            made.append(folder / f"{number:03}.pdf")
            await page.pdf(path=made[-1], scale=SCALE, **PAPER)  # type: ignore[arg-type]
            await page.close()
            print(f"\r{number + 1} of {len(files)} pages", end="", flush=True)
    print()
    return made


def unknown(file: Path) -> int:
    """How many letters of a PDF have no glyph."""
    text = subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
    return text.count(UNKNOWN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "_build" / "dpbi.pdf")
    parser.add_argument("--browser", default=chromium(), help="Chromium, which prints")
    parser.add_argument("--pages", default="", help="only pages whose address contains this")
    arguments = parser.parse_args()
    if not arguments.browser:
        sys.exit("Chromium prints the book, and it is not here: apt install chromium")
    if not shutil.which("pdfunite"):
        sys.exit("pdfunite joins the pages, and it is not here: apt install poppler-utils")
    files = [page for page in in_order(arguments.book.resolve()) if arguments.pages in page.as_posix()]
    if not files:
        sys.exit(f"{arguments.book} has no such page: build the book first")
    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(printed(arguments.browser, files, Path(folder)))
        subprocess.run(["pdfunite", *made, arguments.file], check=True)
    missing = unknown(arguments.file)
    print(f"{arguments.file}: {len(files)} pages of the book, {arguments.file.stat().st_size / 1e6:.1f} MB")
    if missing:
        sys.exit(f"{missing} letters have no glyph")


if __name__ == "__main__":
    main()
