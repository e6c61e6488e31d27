"""Sphinx extension that links the first use of a term on a page to the glossary, and of a symbol to the notation.

The link of a term also shows the meaning of the term. Symbols are the formulas in the first column of the tables on the
page *Notation*. A section of *Notation* that is named after a folder of notebooks applies to the pages in that folder.
Every other section applies to all other pages.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes

GLOSSARY = "book/glossary"
NOTATION = "book/notation"
UNTOUCHED = (
    nodes.FixedTextElement, nodes.caption, nodes.citation, nodes.literal, nodes.math, nodes.raw, nodes.reference,
    nodes.rubric, nodes.term, nodes.thead, nodes.title, addnodes.desc_signature,
)  # fmt: skip
"""Nodes in which nothing is linked: titles, code, formulas, and existing links."""

VERBS = {"audit", "claim", "guarantee", "promise", "score"}
"""Terms that may also be verbs; after one of the words in ``NOUN`` they are treated as nouns."""
NOUN = re.compile(r"\b(an?|the|this|each|every|no|of|its|their|whose|exact|several)\s+$", re.IGNORECASE)

SCOPES = {"posterior-sampling": "notebooks/posterior_sampling/", "private-mcmc": "notebooks/private_mcmc/"}

LETTERS = {"varepsilon": "ε", "delta": "δ", "lambda": "λ", "pi": "π", "rho": "ρ", "in": "∈", "le": "≤", "cdot": "·"}
"""Unicode letters for TeX commands of the glossary, because tooltips are shown without MathJax."""


def words_of(node: nodes.Node) -> str:
    """Plain text of a paragraph, with formulas in Unicode letters."""
    if isinstance(node, nodes.math):
        text = re.sub(r"\\sqrt\{(.*?)\}", r"√(\1)", node.astext().replace(r"\text", ""))
        return re.sub(r"\\(\w+)", lambda it: LETTERS.get(it[1], it[1]), text).replace("{", "").replace("}", "")
    if isinstance(node, addnodes.pending_xref) and node.get("refdomain") == "cite":
        return ""
    return node.astext() if isinstance(node, nodes.Text) else "".join(map(words_of, node.children)).replace(" .", ".")


def depend(app: Any, tree: nodes.document) -> None:
    """Make every page depend on the glossary and the notation, so that all pages are rebuilt when either changes."""
    app.env.note_dependency(app.env.doc2path(GLOSSARY))
    app.env.note_dependency(app.env.doc2path(NOTATION))


@cache
def meanings(app: Any) -> dict[str, str]:
    """Meanings of the terms in the glossary, by anchor."""
    entries = app.env.get_doctree(GLOSSARY).findall(nodes.definition_list_item)
    pairs = [(term, words_of(entry[-1][0])) for entry in entries for term in entry.findall(nodes.term)]
    return {anchor: meaning for term, meaning in pairs for anchor in term["ids"]}


def anchored(tree: nodes.document) -> dict[str, dict[str, str]]:
    """Give each row of the notation tables an anchor, and return the anchors by scope and by symbol."""
    symbols: dict[str, dict[str, str]] = {scope: {} for scope in ("", *SCOPES.values())}
    for section in tree.findall(nodes.section):
        for table in (child for child in section.children if isinstance(child, nodes.table)):
            for number, row in enumerate(table.findall(nodes.row)):
                formula = next(iter(row[0].findall(nodes.math)), None)
                if formula is not None:
                    row["ids"].append(anchor := f"{section['ids'][0]}-{number}")
                    symbols[SCOPES.get(section["ids"][0], "")][formula.astext()] = anchor
    return symbols


@cache
def symbols_of(app: Any, scope: str) -> dict[str, str]:
    """Anchors of the symbols that the notation lists for a scope."""
    return anchored(app.env.get_doctree(NOTATION))[scope]


def singular(term: str) -> str:
    return term.lower() if term.endswith("ss") or term.isupper() else term.lower().removesuffix("s")


def pattern(terms: Mapping[str, Any]) -> re.Pattern[str]:
    """Pattern of any term as a whole word, singular or plural; if several terms match at a place, the longest wins."""
    alternatives = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])({alternatives})(s|es)?(?![\w-])", re.IGNORECASE)


def pieces(text: str, terms: Mapping[str, str], words: re.Pattern[str], seen: set[str]) -> Iterator[tuple[str, str]]:
    """Pieces of a text, each with the address of its link; only the first use of a term has an address."""
    start = 0
    for match in words.finditer(text):
        term = match[1].lower()
        verb = term in VERBS and not NOUN.search(text, 0, match.start())
        if term not in seen and not verb and not re.match(r"\s[\d(]", text[match.end() :]):  # "Claim 2" is not a term
            seen.add(term)
            yield text[start : match.start()], ""
            yield match[0], terms[term]
            start = match.end()
    yield text[start:], ""


def untouched(node: nodes.Node) -> bool:
    """Whether a node is inside a title, code, or a link, where no terms are linked."""
    if node.parent is None:  # the short form of an address, which the theme has moved into its link
        return True
    before = "".join(part.astext() for part in node.parent[: node.parent.index(node)] if isinstance(part, nodes.raw))
    if before.count("<a ") > before.count("</a>"):  # inside a link that was written in HTML
        return True
    while node.parent is not None:
        node = node.parent
        if isinstance(node, UNTOUCHED) or node.tagname == "dropdown_title" or {"rerun", "sd-card"} & {*node["classes"]}:
            return True
    return False


def link_words(app: Any, tree: nodes.document, page: str) -> None:
    if page == NOTATION:
        anchored(tree)
    if page in {GLOSSARY, NOTATION, "genindex"} or app.builder.name != "html":
        return
    glossary, notation = (app.builder.get_relative_uri(page, other) + "#" for other in (GLOSSARY, NOTATION))
    objects = app.env.get_domain("std").objects
    terms = {singular(name): glossary + anchor for (kind, name), (_, anchor) in objects.items() if kind == "term"}
    symbols = symbols_of(app, next((folder for folder in SCOPES.values() if page.startswith(folder)), ""))
    words, seen = pattern(terms), set[str]()
    for node in [node for node in tree.findall() if isinstance(node, nodes.Text | nodes.math) and not untouched(node)]:
        if isinstance(node, nodes.math):
            if node.astext() in symbols.keys() - seen:
                seen.add(node.astext())
                where = notation + symbols[node.astext()]
                look = {"classes": ["word", "symbol"], "reftitle": "in the notation"}  # read by screen readers
                node.parent.replace(node, nodes.reference("", "", node.deepcopy(), refuri=where, **look))
            continue
        parts = []
        for text, where in pieces(node.astext(), terms, words, seen):
            look = {"classes": ["word"], "reftitle": meanings(app).get(where.partition("#")[2])}
            parts.append(nodes.reference("", text, internal=True, refuri=where, **look) if where else nodes.Text(text))
        if any(isinstance(part, nodes.reference) for part in parts):
            node.parent.replace(node, parts)


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-read", depend)
    app.connect("doctree-resolved", link_words, priority=900)
    return {"parallel_read_safe": True}
