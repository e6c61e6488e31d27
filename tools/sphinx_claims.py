"""Sphinx extension for statements: theorem blocks with their own titles, and verdicts shown as chips.

A page states a verdict as the text of a link to the ledger, ``[false](#claim-notes-4-2-order)``, or ``[proved]`` for a
theorem of this book. The link is shown as a chip, and the book is not built if the text differs from the ledger.
"""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node, visit_unenumerable_node

from crossref import COLOURS, LABELS, heading, rows, word
from dpbi.claims import BY_ID


def titled(directive: Any) -> type:
    """Directive for a theorem, definition or similar block that Sphinx does not number."""

    class Titled(directive):
        def run(self) -> list[nodes.Node]:
            self.arguments[:] = [heading(self.name.partition(":")[2], " ".join(self.arguments))]
            self.options["nonumber"] = None
            (block,) = super().run()
            self.env.proof_list[block["label"]]["title"] = self.arguments[0]
            entries = [("single", name, block["label"], "main", None) for name in numbers(self.arguments[0])]
            return [addnodes.index(entries=entries, inline=False), block]  # the search ranks entries of the index first

    return Titled


def numbers(title: str) -> list[str]:
    """Numbered names under which readers may search for a block; a range includes each number between its ends.

    >>> numbers("Corollaries 4.5.1 to 4.5.3 of the notes")
    ['Corollary 4.5.1', 'Corollary 4.5.2', 'Corollary 4.5.3']
    """
    named = re.match(r"(\w+?)(y|ies|s|) (\d[\d.]*(?:(?:, | and | to )\d[\d.]*)*)", title)
    if not named:
        return []
    kind = named[1] + ("y" if named[2] in {"y", "ies"} else "")
    found = re.findall(r"[\d.]+", named[3])
    for first, last in re.findall(r"([\d.]+) to ([\d.]+)", named[3]):
        (stem, _, low), (_, _, high) = first.rpartition("."), last.rpartition(".")
        between = [f"{stem}.{number}".lstrip(".") for number in range(int(low) + 1, int(high))]
        found[found.index(last) : found.index(last)] = between
    return [f"{kind} {number}" for number in found]


def chips(app: Any, document: nodes.document, page: str) -> None:
    """Turn each link to the ledger whose text is a verdict into a chip; warn if the ledger has a different verdict."""
    words = {row["id"]: word(row) for row in rows()}
    verdicts = {label: words[BY_ID[identity].id] for identity, label in LABELS.items()}
    for link in document.findall(nodes.reference):
        shown, label = link.astext(), link.get("refuri", "").partition("#")[2]
        if shown in COLOURS and label in verdicts:
            link["classes"] += ["sd-badge", f"sd-bg-{COLOURS[shown]}", f"sd-bg-text-{COLOURS[shown]}"]
            if shown != verdicts[label]:
                log = logging.getLogger(__name__)
                log.warning("%s is %s, but the page calls it %s", label, verdicts[label], shown, location=page)


class Blocks(ProofDomain):
    """Sphinx domain of theorems and similar blocks; a reference without its own text shows the title of the block."""

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """Merge nothing: the data of all blocks are in the list of proofs, which sphinx_proof merges."""

    def resolve_xref(self, env: Any, page: Any, builder: Any, kind: Any, target: Any, node: Any, label: Any) -> Any:
        if label.astext() == target and target in env.proof_list:
            label = nodes.inline("", env.proof_list[target]["title"])
        return super().resolve_xref(env, page, builder, kind, target, node, label)


def depart_block(writer: Any, node: nodes.Element) -> None:
    """Close a block without repeating its kind, which the title of the block already contains."""
    writer.body.append("</div>")


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx_proof")
    app.add_domain(Blocks, override=True)
    html = (visit_unenumerable_node, depart_block)
    app.add_node(unenumerable_node, override=True, html=html, latex=html)
    for name, directive in ProofDomain.directives.items():
        if name != "proof":
            app.add_directive_to_domain("prf", name, titled(directive), override=True)
    app.connect("doctree-resolved", chips)
    return {"parallel_read_safe": True}
