"""Check the built book as its readers meet it: from the file system, without a network.

    python tools/check_book.py [--browser PATH] [BOOK]

Its files are read: nothing asks for anything outside the book, every link inside it leads somewhere, every image has
alt text, no page is too heavy. With a browser every page is opened as well, on a desk, a tablet and a phone: no
request leaves the book, no script fails, no TeX stays raw, nothing is cut or clipped without a sign, no text scrolls
sideways; and the search finds the right page first.

Every page, with all that it folds, is examined for accessibility by axe: nothing serious or critical is left. Its rules
of structure are asked about everything on the page; its rules of colour, by day and by night, about two texts of every
look, since a page has thousands of texts and few looks.
"""

import argparse
import asyncio
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from browser import chromium, watch
from names import NAMES
from pages import inside, loads, pages, read, target

MEGABYTE = 1_000_000
ANY_PAGE, WHOLE_BOOK = 5 * MEGABYTE, 80 * MEGABYTE
"""Bytes, uncompressed, of a page with all that it loads, and of all files together."""
OWN = 1_500_000
"""Bytes of a page alone: what it loads is the same for all, and loaded once."""

QUOTED = 700_000
"""Bytes of the texts that the search quotes from."""

LIVE = re.compile(r'class="dpbi-(explorer|picture)"')
"""A page with a live figure, whose scripts and style sheets are loaded by a script."""

QUESTIONS = {"sensitivity": "book/glossary.html"} | {name: f"{page}.html" for page in NAMES for name in NAMES[page]}
"""What readers may search for, and the page that they should find."""


def problem(book: Path, file: Path, address: str) -> str | None:
    """What is wrong with loading an address from a file of the book."""
    if address.startswith("data:"):
        return None
    if not (inside(address) and target(file, address).is_relative_to(book.resolve())):
        return "outside the book"
    return None if target(file, address).exists() else "missing"


def wrong_loads(book: Path, files: Iterable[Path]) -> list[str]:
    """What pages and style sheets ask for outside the book, or in vain."""
    found = []
    for file in files:
        wrong = {address: problem(book, file, address) for address in loads(file)}
        found += [f"{file.relative_to(book)}: {address} is {what}" for address, what in wrong.items() if what]
    return found


def broken(book: Path, files: Iterable[Path]) -> list[str]:
    """The links inside the book that lead to no file, or to no anchor of a page."""
    found = []
    for file in files:
        for address in sorted(filter(inside, read(file).links)):
            goal, anchor = target(file, address), unquote(urlsplit(address).fragment)
            if not goal.is_file():
                found.append(f"{file.relative_to(book)}: {address} leads to no file")
            elif anchor and goal.suffix == ".html" and anchor not in read(goal).anchors:
                found.append(f"{file.relative_to(book)}: {address} leads to no anchor")
    return found


def undescribed(book: Path, files: Iterable[Path]) -> list[str]:
    """Images whose alt text says nothing to somebody who does not see them."""
    return [f"{file.relative_to(book)}: {image} has no alt text" for file in files for image in read(file).undescribed]


@cache
def loaded(file: Path) -> frozenset[Path]:
    """A file and all that it loads from the book, and what that loads."""
    parts = {target(file, address) for address in loads(file) if inside(address)} - {file}
    known = {part for part in parts if part.is_file()}
    return frozenset({file} | known).union(*(loaded(part) for part in known if part.suffix in {".css", ".html"}))


def weight(page: Path) -> int:
    """Bytes of a page and of what it loads, with the scripts of its live figures."""
    parts = loaded(page.resolve())
    if LIVE.search(page.read_text("utf-8")):
        parts = parts.union(*(load.parent.glob("*.*s") for load in parts if load.name == "load.js"))
    return sum(part.stat().st_size for part in parts)


def too_heavy(book: Path, files: Sequence[Path]) -> list[str]:
    """The pages, and the book, that weigh more than a reader on a train should have to carry."""
    found = [
        f"{file.relative_to(book)}: weighs {shown(weight(file))}, more than {shown(ANY_PAGE)}"
        for file in files
        if weight(file) > ANY_PAGE
    ]
    own = {file: file.stat().st_size for file in files}
    found += [
        f"{file.relative_to(book)}: is {shown(size)} alone, more than {shown(OWN)}"
        for file, size in own.items()
        if size > OWN
    ]
    texts = book / "_static" / "sections.js"
    if texts.is_file() and texts.stat().st_size > QUOTED:
        found.append(f"{texts.relative_to(book)}: weighs {shown(texts.stat().st_size)}, more than {shown(QUOTED)}")
    whole = whole_weight(book)
    return found + ([f"the book weighs {shown(whole)}, more than {shown(WHOLE_BOOK)}"] if whole > WHOLE_BOOK else [])


def whole_weight(book: Path) -> int:
    return sum(file.stat().st_size for file in book.rglob("*") if file.is_file())


def shown(size: int) -> str:
    return f"{size / MEGABYTE:.2f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=Path(__file__).parents[1] / "_build" / "html")
    parser.add_argument("--browser", default=chromium(), help="Chromium, to open the pages in; '' for none")
    arguments = parser.parse_args()
    book = arguments.book.resolve()
    files = pages(book)
    if not files:
        sys.exit(f"{arguments.book} holds no page: build the book first")
    first, heaviest = files[0], max(files, key=weight)
    found = [
        *wrong_loads(book, [*files, *sorted(book.rglob("*.css"))]),
        *broken(book, files),
        *undescribed(book, files),
        *too_heavy(book, files),
    ]
    if arguments.browser:
        found += asyncio.run(watch(arguments.browser, book, files, QUESTIONS))
    else:
        print("There is no Chromium here: the pages are read, not opened.")
    print(
        f"{len(files)} pages: the first weighs {shown(weight(first))}, the heaviest, {heaviest.relative_to(book)}, "
        f"{shown(weight(heaviest))}, the whole book {shown(whole_weight(book))}"
    )
    print("\n".join(found) or "Nothing is wrong with them.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
