"""The text of every section of the book, in a script that the page of the search loads.

From the file system no page can fetch another one, so the sentences around what is found have to be there already. Of a
page of the ledger, of the proofs or of the reference the script has only the beginning of each section: these pages are
long, and their sections are found by their titles.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

SCRIPT = "sections.js"
SHORTENED = ("book/ledger", "book/proofs/", "book/reference/")
BEGINNING = 160
"""Characters of a section on such a page."""

PLACE, PLACED = "\0{}\0", re.compile("\0(.*?)\0")
"""Where the title of a page will stand."""

TEXTS = (nodes.paragraph, nodes.caption, nodes.term)
SKIPPED = (nodes.FixedTextElement, nodes.raw, nodes.table, nodes.figure, nodes.system_message)
SILENT = {"verdicts", "rerun"}
"""Classes of what is not worth quoting."""

COMMANDS = (
    "alpha beta gamma delta epsilon theta lambda mu rho sigma tau nu xi eta pi Delta Gamma varepsilon le leq ge geq ne "
    "approx in cdot times to pm infty dots ldots sum sim mid lfloor rfloor lceil rceil quad qquad"
)
LETTERS = "αβγδεθλμρστνξηπΔΓε≤≤≥≥≠≈∈·×→±∞……∑∼|⌊⌋⌈⌉  "
SIGNS = dict(zip(COMMANDS.split(), LETTERS, strict=True)) | {
    **{name: name for name in ("max", "min", "ln", "Pr", "exp")},
    **dict.fromkeys(("mathrm", "text", "bigl", "bigr", "left", "right"), ""),
}
"""How the commands of short formulas are written in a sentence."""


def spoken(formula: str) -> str:
    r"""A short formula in the letters of a sentence; one that needs two lines is left out.

    >>> spoken(r"e^{-\varepsilon} \le t")
    'e^-ε ≤ t'
    >>> spoken(r"\frac12 x")
    '…'
    """
    said = re.sub(r"\\([a-zA-Z]+)", lambda match: SIGNS.get(match[1], match[0]), formula)
    said = re.sub(r"\\[,;:! ]", " ", said).replace("{", "").replace("}", "")
    return "…" if "\\" in said else " ".join(said.split())


def words(node: nodes.Node) -> str:
    """What a paragraph says; a link to a page keeps a place for its title, which need not have been read yet."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return spoken(node.astext())
    if isinstance(node, (nodes.math_block, *SKIPPED)):
        return " "
    if isinstance(node, addnodes.pending_xref) and node.get("reftype") == "doc" and not node.get("refexplicit"):
        return PLACE.format(node["reftarget"].rpartition("/")[2])
    return "".join(map(words, node.children))


def paragraphs(section: nodes.Node) -> Iterator[str]:
    """The paragraphs of a section without those of the sections in it."""
    for child in section.children:
        if isinstance(child, (nodes.section, *SKIPPED)) or (
            isinstance(child, nodes.Element) and SILENT & set(child["classes"])
        ):
            continue
        if isinstance(child, TEXTS):
            yield " ".join(words(child).split())
        else:
            yield from paragraphs(child)


def collect(app: Any, tree: nodes.document) -> None:
    """Keep the anchor and the text of every section of a page."""
    found = [(section["ids"][0], " ".join(paragraphs(section))) for section in tree.findall(nodes.section)]
    kept(app.env)[app.env.docname] = found


def kept(env: Any) -> dict[str, list[tuple[str, str]]]:
    """The sections of the pages that have been read."""
    if not hasattr(env, "texts"):
        env.texts = {}
    texts: dict[str, list[tuple[str, str]]] = env.texts
    return texts


def forget(app: Any, env: Any, page: str) -> None:
    kept(env).pop(page, None)


def merge(app: Any, env: Any, pages: set[str], other: Any) -> None:
    kept(env).update((page, texts) for page, texts in kept(other).items() if page in pages)


def sections(found: list[tuple[str, str]], page: str, titles: dict[str, str]) -> list[tuple[str, str]]:
    """The anchor and the text of every section of a page that says anything, links to pages by their titles."""
    said = []
    for anchor, text in found:
        text = PLACED.sub(lambda match: titles.get(match[1], ""), text)
        text = " ".join(text.split())
        if page.startswith(SHORTENED) and len(text) > BEGINNING:
            text = text[:BEGINNING].rpartition(" ")[0] + " …"
        if text:
            said += [(anchor, text)]
    return said


def write(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    titles = {page.rpartition("/")[2]: title.astext() for page, title in app.env.titles.items()}
    texts = {page: sections(found, page, titles) for page, found in sorted(kept(app.env).items())}
    said = json.dumps({page: text for page, text in texts.items() if text}, ensure_ascii=False, separators=(",", ":"))
    (Path(app.outdir) / "_static" / SCRIPT).write_text(f"(globalThis.dpbi ??= {{}}).sections = {said};\n", "utf-8")


def load(app: Any, page: str, template: str, context: Any, tree: nodes.document | None) -> None:
    """The page of the search loads the texts, and the script that quotes from them."""
    if page == "search":
        app.add_js_file(SCRIPT)
        app.add_js_file("search.js")


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
