"""Check that no page of the built book asks for anything outside it, and that what it asks for inside is there.

    python tools/check_offline.py [--browser PATH] [BOOK]

The HTML and the style sheets are read; with a browser, every page is also opened and its requests are watched.
"""

import argparse
import asyncio
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from browser import Browser

LOADS = {  # element -> the attributes that make a browser load something
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "video": ("src", "poster"),
}
PASSIVE_LINKS = {"author", "canonical", "help", "index", "license", "next", "prev", "search"}
IN_STYLE = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


def pages(book: Path) -> list[Path]:
    """The pages of the book; what lies in its static folders is for pages to load."""
    return sorted(path for path in book.rglob("*.html") if "_static" not in path.relative_to(book).parts)


class Page(HTMLParser):
    """The addresses that a page loads, in ``loads``."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        values = {name: value or "" for name, value in attrs}
        for name in LOADS.get(tag, ()):
            entries = values.get(name, "").split(",") if name == "srcset" else [values.get(name, "")]
            self.loads += [entry.split()[0] for entry in entries if entry.strip()]
        if tag == "link" and not set(values.get("rel", "").split()) <= PASSIVE_LINKS:
            self.loads.append(values.get("href", ""))
        self.loads += styled(values.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.loads += styled(data)


def styled(text: str) -> list[str]:
    return [first or second for first, second in IN_STYLE.findall(text)]


def problem(book: Path, file: Path, address: str) -> str | None:
    """What is wrong with loading an address from a file of the book."""
    parts = urlsplit(address)
    if parts.scheme == "data" or not urldefrag(address).url:
        return None
    if parts.scheme or parts.netloc:
        return "outside the book"
    target = (file.parent / unquote(parts.path)).resolve()
    if not target.is_relative_to(book.resolve()):
        return "outside the book"
    return None if target.exists() else "missing"


def read_statically(book: Path) -> list[str]:
    found = []
    for file in [*pages(book), *sorted(book.rglob("*.css"))]:
        text = file.read_text("utf-8")
        loads = Page(text).loads if file.suffix == ".html" else styled(text)
        wrong = {address: problem(book, file, address) for address in loads}
        found += [f"{file.relative_to(book)}: {address} is {what}" for address, what in wrong.items() if what]
    return found


async def open_pages(book: Path, executable: str) -> list[str]:
    found = []
    inside = book.resolve().as_uri()
    async with Browser(executable) as browser:
        for file in pages(book):
            visit = await browser.visit(file.resolve().as_uri())
            outside = [url for url in visit.requests if not url.startswith((inside, "data:", "blob:"))]
            name = file.relative_to(book)
            found += [f"{name}: asked for {url}" for url in outside]
            found += [f"{name}: error: {error}" for error in visit.errors]
            found += [f"{name}: {visit.raw_math} formulas are not rendered"] if visit.raw_math else []
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=Path(__file__).parents[1] / "_build" / "html")
    parser.add_argument("--browser", default="", help="Chromium, to watch what the pages ask for")
    arguments = parser.parse_args()
    count = len(pages(arguments.book))
    if not count:
        sys.exit(f"{arguments.book} holds no page: build the book first")
    found = read_statically(arguments.book)
    if arguments.browser:
        found += asyncio.run(open_pages(arguments.book, arguments.browser))
    how = f"read and opened in {arguments.browser}" if arguments.browser else "read"
    print("\n".join(found) if found else f"{count} pages {how}: none asks for anything outside the book")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
