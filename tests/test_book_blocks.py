"""What pages say about statements and in numbers of their own, before the book is built."""

import json
import re
from pathlib import Path

from dpbi.claims import RECORDED

ROOT = Path(__file__).parents[1]


def pages() -> dict[str, str]:
    """The text of every notebook and of every page of the book that is written by hand, by its path."""
    texts = {str(path): path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md")}
    written = {path: text for path, text in texts.items() if not path.endswith(("ledger.md", "verdicts.md"))}
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        written[str(path)] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return written


def test_a_verdict_on_a_page_is_that_of_the_ledger():
    slugs = {re.sub("[^a-z0-9]+", "-", name): verdict for name, verdict in RECORDED.items()}
    chip = re.compile(r"\[(" + "|".join(set(RECORDED.values())) + r")\]\(#?claim-([a-z0-9-]+)\)")
    said = [(path, slug, word) for path, text in pages().items() for word, slug in chip.findall(text)]
    assert len(said) > 100
    assert [each for each in said if slugs.get(each[1]) != each[2]] == []


def test_no_block_of_this_book_is_numbered():
    """The only numbers of statements are those of their sources, so no page numbers its own."""
    ours = re.compile(r"(Theorem|Lemma|Corollary|Corollaries|Proposition|Definition)s? \d")
    titles = [title for text in pages().values() for title in re.findall(r"```\{prf:\w+\} (.+)\n", text)]
    assert [title for title in titles if ours.match(title) and not re.search(r" of th", title)] == []
