"""Blocks of theorems that name their statements, in an option ``:claims:``, and show the verdict of each.

A page says in a block what is claimed. Below it stand the verdicts, as they were computed when the book was built, each
leading to the statement in the ledger; or a page says the verdict of each part itself, in a link to the ledger like
``[false](#claim-notes-4-2-order)``, which is shown as a chip. At the end of a page from a notebook stands what to read
next.
"""

import json
import re
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node, visit_unenumerable_node

from crossref import COLOURS, LABELS, heading, pages, rows

CLAIM = re.compile(r"``([a-z-]+/[^`\s]+)``")


def close(app: Any, page: str, source: list[str]) -> None:
    """Put what to read next behind the last cell of a notebook."""
    order = pages()
    if page in order and page.startswith("notebooks/"):
        following = [*order[order.index(page) + 1 :], "book/verdicts"][0]
        text = f"**Read next:** {{doc}}`/{following}`. All verdicts are on {{doc}}`/book/verdicts`."
        notebook = json.loads(source[0])
        notebook["cells"].append({"cell_type": "markdown", "id": "closing", "metadata": {}, "source": text})
        source[0] = json.dumps(notebook)


def stating(directive: Any) -> type:
    """A theorem, a definition and so on, that may name the statements it makes, and has at most one number."""

    class Stating(directive):
        option_spec: ClassVar = {**directive.option_spec, "claims": str.split}

        def run(self) -> list[nodes.Node]:
            kind = self.name.partition(":")[2]
            self.arguments[:] = [heading(kind, " ".join(self.arguments))]
            self.options["nonumber"] = None
            (block,) = super().run()
            self.env.proof_list[block["label"]]["title"] = self.arguments[0]
            asked = self.options.get("claims", [])
            if unknown := set(asked) - LABELS.keys():
                raise self.error(f"claims must be ids of the ledger, got {', '.join(sorted(unknown))}")
            if asked:
                block[-1] += verdicts(self.env.docname, asked)
            entries = [("single", name, block["label"], "main", None) for name in numbers(self.arguments[0])]
            return [addnodes.index(entries=entries, inline=False), block]  # the search looks there first

    return Stating


def numbers(title: str) -> list[str]:
    """What a reader may search for a block by.

    >>> numbers("Corollaries 4.5.1 to 4.5.3 of the notes")
    ['Corollary 4.5.1', 'Corollary 4.5.3']
    """
    named = re.match(r"(\w+?)(y|ies|s|) (\d[\d.]*(?:(?:, | and | to )\d[\d.]*)*)", title)
    if not named:
        return []
    kind = named[1] + ("y" if named[2] in {"y", "ies"} else "")
    return [f"{kind} {number}" for number in re.findall(r"[\d.]+", named[3])]


def verdicts(page: str, asked: list[str]) -> nodes.paragraph:
    """The foot of a block: the verdict of each statement as a chip, and where it is in the ledger."""
    found = {row["id"]: row["verdict"] for row in rows()}
    foot = nodes.paragraph(classes=["verdicts"])
    for identity in asked:
        word = found[identity]
        foot += nodes.inline("", word, classes=["sd-badge", f"sd-bg-{COLOURS[word]}", f"sd-bg-text-{COLOURS[word]}"])
        foot += [nodes.Text(" "), reference(page, identity), nodes.Text("  ")]
    return foot


def reference(page: str, identity: str) -> addnodes.pending_xref:
    """A reference to a statement, by the part of its id that is its own."""
    to = addnodes.pending_xref(
        refdomain="std", reftype="ref", reftarget=LABELS[identity], refexplicit=True, refwarn=True, refdoc=page
    )
    to += nodes.inline("", identity.partition("/")[2], classes=["std", "std-ref"])
    return to


def chips(app: Any, document: nodes.document, page: str) -> None:
    """Show a link to the ledger that is a verdict, in a word, as a chip."""
    for link in document.findall(nodes.reference):
        colour = COLOURS.get(link.astext())
        if colour and "claim-" in link.get("refuri", ""):
            link["classes"] += ["sd-badge", f"sd-bg-{colour}", f"sd-bg-text-{colour}"]


class Blocks(ProofDomain):
    """Theorems and their like; a reference without words of its own says what the block is called."""

    def merge_domaindata(self, docnames: Any, otherdata: Any) -> None:
        """All that is known of a block is in the list of proofs, which sphinx_proof puts together."""

    def resolve_xref(
        self, env: Any, fromdocname: Any, builder: Any, typ: Any, target: Any, node: Any, contnode: Any
    ) -> Any:
        if contnode.astext() == target and target in env.proof_list:
            contnode = nodes.inline("", env.proof_list[target]["title"])
        return super().resolve_xref(env, fromdocname, builder, typ, target, node, contnode)


def docstring(app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """In the reference the ids of statements lead to the ledger."""
    lines[:] = [
        CLAIM.sub(lambda found: f":ref:`{found[1]} <{LABELS[found[1]]}>`" if found[1] in LABELS else found[0], line)
        for line in lines
    ]


def without_numbers(app: Any, config: Any) -> None:
    """Neither blocks nor figures are numbered: the only numbers on a page are those of its source."""
    config.numfig = False


def depart_block(writer: Any, node: nodes.Element) -> None:
    """A block says what it is in its title, so no kind is put before it."""
    writer.body.append("</div>")


def setup(app: Any) -> dict[str, bool]:
    app.setup_extension("sphinx_proof")
    app.add_domain(Blocks, override=True)
    html = (visit_unenumerable_node, depart_block)
    app.add_node(unenumerable_node, override=True, html=html, latex=html)
    app.connect("config-inited", without_numbers, priority=900)  # after sphinx_proof, which asks for numbers
    app.config.proof_title_format = "%t"
    for name, directive in ProofDomain.directives.items():
        if name != "proof":
            app.add_directive_to_domain("prf", name, stating(directive), override=True)
    app.connect("source-read", close)
    app.connect("doctree-resolved", chips)
    app.connect("autodoc-process-docstring", docstring, priority=600)
    return {"parallel_read_safe": True}
