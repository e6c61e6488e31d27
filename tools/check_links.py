"""Check that every link inside the built book leads somewhere, and that each reader finds the way.

python tools/check_links.py [BOOK]              pages, anchors, both ways between claims and what states or
                                                computes them, and the four doors of the landing page
python tools/check_links.py --outside [BOOK]    ask for each address outside the book; needs the network
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote, urldefrag, urlsplit
from urllib.request import Request, urlopen

from pages import pages

DOORS = {
    "I have ten minutes": (
        "book/index",
        "notebooks/foundations/first_release",
        "notebooks/foundations/promise_and_audit",
        "notebooks/beyond/which_mechanism",
    ),
    "I want to check a theorem": (
        "book/index",
        "notebooks/notes/theorem_4_5",
        "book/ledger/notes#claim-notes-4-5-ehd-lower",
    ),
    "I want to release data": ("book/index", "book/guides/release", "book/limits"),
    "I want to extend it": ("book/index", "book/guides/extend", "book/reference/mechanisms#dpbi.mechanisms.Mechanism"),
}
"""The way of each reader from the landing page to the goal, one click from page to page."""

PATIENCE = 30
"""Seconds that an answer from outside may take."""


LEDGER = "book/ledger"
BOXES = {"div", "dl", "section"}
NAMELESS = {"proof", "proof-content"}
"""What every proof is called, and the inside of every theorem."""


class Links(HTMLParser):
    """The anchors of a page, and where its links lead: those of the text apart from those around it.

    ``sections`` has the section of every anchor, ``places`` the theorems and the functions, and ``inside`` each link
    with the innermost of these that it is in.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.all: set[str] = set()
        self.text: set[str] = set()
        self.sections: dict[str, str] = {}
        self.places: set[str] = set()
        self.inside: set[tuple[str, str]] = set()
        self.open: list[tuple[str, str]] = []
        self.depth = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        name, classes = values.get("id", ""), values.get("class", "").split()
        self.anchors |= {values[key] for key in ("id", "name") if key in values}
        self.depth += tag == "article"
        if tag in BOXES:
            named = (tag == "section" or "proof" in classes) and name not in NAMELESS
            self.open.append((tag, name if named else ""))
        if tag == "dt" and "sig" in classes:
            self.open[-1] = ("dl", name)
        if name and name not in NAMELESS and ("proof" in classes or "sig" in classes):
            self.places.add(name)
        if name:
            self.sections[name] = next((name for kind, name in self.open[::-1] if kind == "section" and name), "")
        if tag == "a" and "href" in values:
            self.all.add(values["href"])
            self.inside.add((next((name for _, name in self.open[::-1] if name), ""), values["href"]))
            if self.depth:
                self.text.add(values["href"])

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "article"
        if tag in BOXES and self.open:
            self.open.pop()


@cache
def read(book: Path) -> dict[Path, Links]:
    return {page.resolve(): Links(page.read_text("utf-8")) for page in pages(book)}


def target(page: Path, address: str) -> tuple[Path, str]:
    """The file and the anchor that a link of a page leads to."""
    path, anchor = urldefrag(address)
    return (page.parent / unquote(path)).resolve() if path else page, unquote(anchor)


def outside(address: str) -> bool:
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def broken(book: Path) -> list[str]:
    """The links inside the book that lead nowhere."""
    known = read(book)
    found = []
    for page, links in known.items():
        for address in sorted(address for address in links.all if not outside(address)):
            file, anchor = target(page, address)
            if not file.is_file():
                found.append(f"{page.relative_to(book.resolve())}: {address} leads to no file")
            elif anchor and file in known and anchor not in known[file].anchors:
                found.append(f"{page.relative_to(book.resolve())}: {address} leads to no anchor")
    return found


def one_way(book: Path) -> list[str]:
    """Claims of the ledger and theorems or functions of other pages, where one leads to the other and not back."""
    known = read(book)
    ledger = {page for page in known if page.is_relative_to((book / LEDGER).resolve())}
    theirs, ours, functions = set(), set(), set()
    for page, links in known.items():
        for name, address in links.inside:
            file, anchor = target(page, address)
            if outside(address) or file not in known:
                continue
            goal = (file, known[file].sections.get(anchor, ""))
            if page in ledger and anchor in known[file].places and file not in ledger:
                ours.add(((file, anchor), (page, name)))
            elif page not in ledger and file in ledger and name in links.places:
                (functions if "." in name else theirs).add(((page, name), goal))
    names = [
        [f"{file.relative_to(book.resolve())}#{anchor}" for file, anchor in pair]
        for pair in sorted((theirs | {pair for pair in functions if pair in ours}) ^ ours)
    ]
    return [f"{this} and {that}: a link one way only" for this, that in names]


def closed(book: Path, doors: dict[str, tuple[str, ...]]) -> list[str]:
    """The doors of the landing page that do not lead from page to page, by links in the text, in three clicks."""
    known = read(book)
    found = [f"{name}: takes {len(way) - 1} clicks" for name, way in doors.items() if len(way) > 4]
    for name, way in doors.items():
        for here, there in zip(way, way[1:], strict=False):
            page = (book / f"{here.partition('#')[0]}.html").resolve()
            file, _, anchor = there.partition("#")
            goal = ((book / f"{file}.html").resolve(), anchor)
            ways = {target(page, address) for address in known[page].text} if page in known else set()
            if goal not in (ways if anchor else {(file, "") for file, _ in ways}):
                found.append(f"{name}: no link from {here} to {there}")
    return found


def answer(address: str) -> str:
    """What is wrong with an address outside the book; empty if it answers."""
    try:
        with urlopen(Request(address, headers={"User-Agent": "Mozilla/5.0"}), timeout=PATIENCE):
            return ""
    except (URLError, OSError, ValueError) as error:
        return str(error)


def dead(book: Path) -> list[str]:
    """The addresses outside the book that do not answer."""
    addresses = sorted({a for links in read(book).values() for a in links.all if a.startswith(("http:", "https:"))})
    with ThreadPoolExecutor(8) as pool:
        answers = dict(zip(addresses, pool.map(answer, addresses), strict=True))
    return [f"{address}: {what}" for address, what in answers.items() if what]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("book", nargs="?", type=Path, default=Path(__file__).parents[1] / "_build" / "html")
    parser.add_argument("--outside", action="store_true", help="ask for the addresses outside the book instead")
    arguments = parser.parse_args()
    count = len(pages(arguments.book))
    if not count:
        sys.exit(f"{arguments.book} holds no page: build the book first")
    found = (
        dead(arguments.book)
        if arguments.outside
        else broken(arguments.book) + one_way(arguments.book) + closed(arguments.book, DOORS)
    )
    where = "outside the book answers" if arguments.outside else "inside the book leads somewhere, and every door opens"
    print("\n".join(found) if found else f"{count} pages: every link {where}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
