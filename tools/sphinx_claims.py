"""What pages say about statements: blocks of theorems that are called by their own titles, and verdicts as chips.

A link to the ledger is a verdict, ``[false](#claim-notes-4-2-order)``, or how a theorem of this book is known, as in
``[proved]``. It is shown as a chip, and the book is not built if the ledger says another word.
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
    """A theorem, a definition and so on, without a number of this book."""

    class Titled(directive):
        def run(self) -> list[nodes.Node]:
            self.arguments[:] = [heading(self.name.partition(":")[2], " ".join(self.arguments))]
            self.options["nonumber"] = None
            (block,) = super().run()
            self.env.proof_list[block["label"]]["title"] = self.arguments[0]
            entries = [("single", name, block["label"], "main", None) for name in numbers(self.arguments[0])]
            return [addnodes.index(entries=entries, inline=False), block]  # the search looks there first

    return Titled


def numbers(title: str) -> list[str]:
    """What a reader may search for a block by: each number of a range, and each that stands between its ends.

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
    """Show a link to the ledger that is a verdict, in a word, as a chip."""
    words = {row["id"]: word(row) for row in rows()}
    verdicts = {label: words[BY_ID[identity].id] for identity, label in LABELS.items()}
    for link in document.findall(nodes.reference):
        shown, label = link.astext(), link.get("refuri", "").partition("#")[2]
        if shown in COLOURS and label in verdicts:
            link["classes"] += ["sd-badge", f"sd-bg-{COLOURS[shown]}", f"sd-bg-text-{COLOURS[shown]}"]
            if shown != verdicts[label]:
                log = logging.getLogger(__name__)
                log.warning("%s is %s, the page calls it %s", label, verdicts[label], shown, location=page)


class Blocks(ProofDomain):
    """Theorems and their like; a reference without words of its own says what the block is called."""

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """All that is known of a block is in the list of proofs, which sphinx_proof puts together."""

    def resolve_xref(self, env: Any, page: Any, builder: Any, kind: Any, target: Any, node: Any, label: Any) -> Any:
        if label.astext() == target and target in env.proof_list:
            label = nodes.inline("", env.proof_list[target]["title"])
        return super().resolve_xref(env, page, builder, kind, target, node, label)


def depart_block(writer: Any, node: nodes.Element) -> None:
    """A block says what it is in its title, so no kind is put before it."""
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
