"""Blocks on the pages: the statements that they name are in the ledger, and of their source."""

import json
import re
from pathlib import Path

from dpbi.claims import BY_ID

ROOT = Path(__file__).parents[1]


def blocks() -> dict[str, tuple[str, list[str]]]:
    """The title and the statements of every block in the notebooks and on the pages of the book, by its label."""
    texts = [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md") if "ledger" not in path.parts]
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    block = re.compile(r"```\{prf:\w+\} (.+)\n:label: (\S+)\n(?::claims: (.+)\n)?")
    return {label: (title, claims.split()) for text in texts for title, label, claims in block.findall(text)}


BLOCKS = blocks()


def test_a_block_names_statements_of_its_source_once_and_they_exist():
    for label, (_, named) in BLOCKS.items():
        assert set(named) <= set(BY_ID), label
        assert len(set(named)) == len(named), label
        source = label.replace("optimality", "beyond")
        assert all(source.startswith(f"{name.split('/')[0]}-") for name in named), label


def test_no_block_of_this_book_is_numbered():
    """The only numbers of statements are those of their sources, so no page numbers its own."""
    ours = re.compile(r"(Theorem|Lemma|Corollary|Corollaries|Proposition|Definition)s? \d")
    assert [title for title, _ in BLOCKS.values() if ours.match(title) and not re.search(r" of th", title)] == []
