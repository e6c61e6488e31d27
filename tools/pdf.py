"""Print the whole book as one PDF with Chromium: the articles of all pages, in the order of the table of contents.

    python tools/pdf.py [BOOK]

Live figures and other elements for the screen are left out, and links between pages become links within the file.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import sync_playwright

from check_book import BROWSERS, READY

ROOT = Path(__file__).parents[1]


def names(entries: list[dict[str, Any]]) -> list[str]:
    """Pages in a table of contents, in order."""
    each = ((entry["file"], entry.get("sections", [])) for entry in entries if "file" in entry)
    return [name for file, sections in each for name in (file, *names(sections))]


def article(soup: BeautifulSoup, book: Path, page: str, known: list[str]) -> Tag:
    """Article of a page, with anchors that are unique in the PDF."""
    text = soup.select_one("article.bd-article")
    for each in text.select("script, iframe, button, .dpbi-explorer, a.headerlink"):
        each.decompose()
    for each in text.select("[id]"):
        each["id"] = f"{page}:{each['id']}"
    for each in text.select("[src]"):
        each["src"] = (book / page).parent.joinpath(unquote(each["src"])).resolve().as_uri()
    for each in text.select("a[href]"):
        path, place = urldefrag(unquote(each["href"]))
        target = os.path.normpath(Path(page).parent / path).removesuffix(".html") if path else page
        if target in known:
            each["href"] = f"#{target}:{place}" if place else f"#{target}"
    text.name, text["id"], text["style"] = "section", page, "break-before: page"
    return text


def main() -> None:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        sys.exit("Chromium, which prints the book, is not installed: apt install chromium")
    book = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "_build" / "html").resolve()
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    pages = [toc["root"], *names([chapter for part in toc["parts"] for chapter in part["chapters"]])]
    pages = [page for page in pages if (book / f"{page}.html").exists()]
    soups = {page: BeautifulSoup((book / f"{page}.html").read_text("utf-8"), "html.parser") for page in pages}
    whole, head = BeautifulSoup("<body></body>", "html.parser"), soups["notebooks/notes/theorem_4_5"].head
    for each in head.select("[href], [src]"):
        name = "href" if each.has_attr("href") else "src"
        each[name] = (book / "notebooks/notes").joinpath(each[name].partition("?")[0]).resolve().as_uri()
    whole.body.extend(article(soup, book, page, pages) for page, soup in soups.items())
    whole.insert(0, head)
    path = book.parent / "book.html"
    path.write_text(str(whole), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.set_default_timeout(0)
        tab.goto(path.as_uri())
        tab.emulate_media(media="print")
        tab.evaluate(READY)
        sides = dict.fromkeys(("top", "bottom", "left", "right"), "15mm")
        tab.pdf(path=path.with_suffix(".pdf"), format="A4", margin=sides)
        browser.close()
    path.unlink()
    print(f"{len(pages)} pages of the book: {path.with_suffix('.pdf')}")


if __name__ == "__main__":
    main()
