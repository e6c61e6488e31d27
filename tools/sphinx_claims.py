"""The pages know what became of the claims: blocks, closing words and the reference lead to the ledger and back.

A block names the claims that it states in its option ``:claims:``, by their ids. Everything else is computed from the
claims and from the ledger when the book is built; no page repeats it.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx_proof.domain import ProofDomain
from sphinx_proof.nodes import unenumerable_node, visit_unenumerable_node

from crossref import (
    AGAIN,
    ERRATUM,
    FATES,
    LABELS,
    NAMES,
    OTHERS,
    OURS,
    functions,
    heading,
    of_a_source,
    origin,
    pages,
    part,
    proof_label,
    repairs,
    rows,
)
from dpbi.claims import CLAIMS
from dpbi.claims.machine import Statement, statements_of

CLAIM = re.compile(r"``([a-z-]+/[^`\s]+)``")
LEDGER = "book/ledger/"
TOLD = re.compile(r"\]\(#(claim-[\w-]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CLOSING = "## What was claimed, what is true, what to read next"


def short(identity: str) -> str:
    return identity.partition("/")[2]


ASIDE = {
    AGAIN: "Said again, and counted where it is said first",
    ERRATUM: "Misprints, captions and steps of proofs, judged apart",
    OTHERS: "Statements of other works",
    OURS: "Statements of this book",
}
"""What a page says after the claims of its source."""

# At the end of a page from a notebook: what was claimed, what is true, what to read next


def closing(
    page: str, table: Iterable[Mapping[str, Any]], order: list[str], told: Collection[str] = frozenset()
) -> str:
    """The last section of a page, as Markdown: how many of its claims hold, the verdicts that its cells have not told,
    and the page that follows.
    """
    table = list(table)
    shown = [row for row in table if f"notebooks/{row['notebook']}" == page]
    here = [row for row in shown if of_a_source(row)]
    place = order.index(page) + 1 if page in order else len(order)
    following = order[place] if place < len(order) else "book/ledger"
    ours = [row for row in here if part(row) == OURS]
    parts = limits(ours, table) if ours else claimed(here, table, told) if here else []
    for kind, name in ASIDE.items():
        rest = [row for row in shown if part(row) == kind and row not in here and row["id"] not in told]
        if aside := [f"{own(row['id'])} ({row['verdict']})" for row in rest]:
            parts.append(f"{name}: {', '.join(aside)}.")
    after = f"**Read next:** {{doc}}`/{following}`. All verdicts are in {{doc}}`/book/ledger`."
    return "\n\n".join([CLOSING if parts else "## What to read next", *parts, after])


def claimed(here: list[Mapping[str, Any]], table: list[Mapping[str, Any]], told: Collection[str]) -> list[str]:
    """How many claims of a page hold; of those that it has not told, a table of what holds in the others' place."""
    whole = [row for row in here if FATES[row["verdict"]] == "hold"]
    others = [row for row in here if row not in whole and row["id"] not in told]
    sources = " and ".join(dict.fromkeys(NAMES[origin(row["id"])] for row in here))
    parts = [standing(len(whole), len(here), sources) + "."]
    if rest := [own(row["id"]) for row in whole if row["id"] not in told]:
        before = f"{parts[0][:-1]}: " if len(rest) == len(whole) else f"{parts[0]} Not listed above are "
        parts = [f"{before}{', '.join(rest)}."]
    if others:
        mended, words = repairs(table), {row["id"]: row["verdict"] for row in table}
        lines = ["| claim | where | verdict | instead |", "|---|---|---|---|"]
        for row in others:
            instead = ", ".join(f"{{ref}}`{words[name]} <{LABELS[name]}>`" for name in mended.get(row["id"], ()))
            lines.append(
                f"| {own(row['id'])} | {row['source'].partition(', ')[2]} | {row['verdict']} | {instead or '–'} |"
            )
        which = "Others that are not listed above" if told else "The others"
        parts += [f"{which}, with what holds in their place:" if whole else "What holds in their place:"]
        parts += ["\n".join(lines)]
    return parts


def limits(ours: list[Mapping[str, Any]], table: list[Mapping[str, Any]]) -> list[str]:
    """Of the statements that this book makes on a page, those that do not simply hold; no count and no list of others:
    what is refuted was stated to be, to show what fails without a condition.
    """
    mended, said = repairs(table), []
    for row in ours:
        instead = ", ".join(own(name) for name in mended.get(row["id"], ()))
        if FATES[row["verdict"]] == "fail":
            true = f"; true is {instead}" if instead else ""
            said.append(f"{own(row['id'])} is false, and stated to show that{true}")
        elif FATES[row["verdict"]] != "hold":
            said.append(f"{own(row['id'])} {row['verdict']}")
    rest = "The rest is proved, or holds on the cases of the ledger."
    return [f"Of what this book states on this page, {'. '.join(said)}. {rest}"] if said else []


def own(identity: str) -> str:
    return f"{{ref}}`{short(identity)} <{LABELS[identity]}>`"


def standing(whole: int, all_: int, sources: str) -> str:
    of = f"claims of {sources} on this page"
    if all_ == 1:
        return f"The one {of.replace('claims', 'claim')} {'holds' if whole else 'does not hold'} as it stands"
    if whole in (0, all_):
        every, no = ("Both", "Neither of the two") if all_ == 2 else (f"All {all_}", f"None of the {all_}")
        return f"{no} {of} holds as it stands" if whole == 0 else f"{every} {of} hold as they stand"
    return f"{whole} of the {all_} {of} {'holds as it stands' if whole == 1 else 'hold as they stand'}"


def close(app: Any, page: str, source: list[str]) -> None:
    """Put the closing section behind the last cell of a notebook, and remember where the page says which verdict."""
    if page.startswith("notebooks/"):
        notebook, table = json.loads(source[0]), rows()
        told = places(notebook["cells"])
        text = closing(page, table, pages(), told)
        last = {
            row["id"]: nodes.make_id(text.partition("\n")[0])
            for row in table
            if f"notebooks/{row['notebook']}" == page and (part(row) != OURS or LABELS[row["id"]] in text)
        }
        app.told[page] = last | told
        notebook["cells"].append({"cell_type": "markdown", "id": "closing", "metadata": {}, "source": text})
        source[0] = json.dumps(notebook)


def places(cells: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The claims whose verdicts the cells of a notebook compute, each with the anchor of the section that has it."""
    known, section = {label: name for name, label in LABELS.items()}, ""
    found: dict[str, str] = {}
    for cell in cells:
        if cell["cell_type"] == "markdown":
            section = ([section, *HEADING.findall("".join(cell["source"]))])[-1]
        for output in cell.get("outputs", ()):
            for label in TOLD.findall("".join(output.get("data", {}).get("text/markdown", ""))):
                found.setdefault(known[label], nodes.make_id(section))
    return found


# From a block to the ledger, and from the ledger to the blocks


def stating(directive: Any) -> type:
    """A theorem, a definition and so on, that may name the claims that it states, and has at most one number."""

    class Stating(directive):
        option_spec: ClassVar = {**directive.option_spec, "claims": str.split}

        def run(self) -> list[nodes.Node]:
            kind = self.name.partition(":")[2]
            title = " ".join(self.arguments)
            self.arguments[:] = [title[0].upper() + title[1:] if in_ledger(self.env) else heading(kind, title)]
            self.options["nonumber"] = None
            (block,) = super().run()
            claims = self.options.get("claims", [])
            if unknown := set(claims) - LABELS.keys():
                raise self.error(f"claims must be ids of the ledger, got {', '.join(sorted(unknown))}")
            self.env.proof_list[block["label"]]["title"] = self.arguments[0]
            if claims:
                block[-1] += verdicts(self.env.docname, claims, self.env.app.told.get(self.env.docname, {}))
                self.env.proof_list[block["label"]]["claims"] = claims
            return [block]

    return Stating


def in_ledger(env: Any) -> bool:
    return bool(env.docname.startswith(LEDGER))


def depart_block(writer: Any, node: nodes.Element) -> None:
    """A block says what it is in its title, so no kind is put before it."""
    writer.body.append("</div>")


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


def verdicts(page: str, claims: list[str], told: Mapping[str, str]) -> nodes.paragraph:
    """The foot of a block: how many claims have which verdict, where the page has a list of them, to which the numbers
    lead; and by themselves, leading to the ledger, the claims that are in no such list.
    """
    found = {row["id"]: row for row in rows()}
    groups: dict[str, list[str]] = {}
    for name in claims:
        groups.setdefault("instead" if found[name]["corrects"] in claims else found[name]["verdict"], []).append(name)
    foot = nodes.paragraph(classes=["verdicts"])
    foot += nodes.Text("Verdicts – ")
    for word in sorted(groups, key="instead".__eq__):
        counted = [name for name in groups[word] if name in told]
        if counted and word != "instead":
            said = f"{len(counted)} {word.replace('holds', 'hold', len(counted) > 1)}"
            foot += [nodes.reference("", said, internal=True, refid=told[counted[0]]), nodes.Text("; ")]
        others = [name for name in groups[word] if name not in told]
        if others:
            foot += [nodes.emphasis("", word), nodes.Text(": ")]
            for name in others:
                foot += [reference(page, LABELS[name], short(name)), nodes.Text(", ")]
            foot[-1] = nodes.Text("; ")
    checked = dict.fromkeys(statement for name in claims for statement in statements_of(name))
    if checked:
        foot += [nodes.emphasis("", "machine-checked"), nodes.Text(": ")]
        for statement in checked:
            foot += [reference(page, proof_label(statement), spoken(statement)), nodes.Text(", ")]
    foot[-1] = nodes.Text(".")
    return foot


def spoken(statement: Statement) -> str:
    """A statement in the middle of a sentence."""
    return statement.theorem.replace("_", " ")


def reference(page: str, label: str, text: str) -> addnodes.pending_xref:
    to = addnodes.pending_xref(
        refdomain="std", reftype="ref", reftarget=label, refexplicit=True, refwarn=True, refdoc=page
    )
    to += nodes.inline("", text, classes=["std", "std-ref"])
    return to


def link_ledger(app: Any, tree: nodes.document, page: str) -> None:
    """Beside the verdict of each claim in the ledger, the blocks of other pages that state it."""
    if not page.startswith(LEDGER):
        return
    known = {LABELS[claim.id]: claim.id for claim in CLAIMS}
    sections = {known[name]: node for node in tree.findall(nodes.section) for name in node["ids"] if name in known}
    for section in sections.values():
        section["classes"].append("entry")
    in_order = sorted(app.env.proof_list.items(), key=lambda item: str(item[1]["docname"]))  # however they were read
    for label, block in in_order:
        for claim in sections.keys() & set(block.get("claims", ())):
            where = app.builder.get_relative_uri(page, block["docname"]) + "#" + label
            text = nodes.reference("", block["title"], internal=True, refuri=where)
            verdict = next(node for node in sections[claim] if isinstance(node, nodes.paragraph))
            verdict += [nodes.Text(" · stated in "), text]


def rewrite_ledger(app: Any, env: Any) -> list[str]:
    """The ledger is written whenever a block of another page may have come or gone."""
    return [page for page in env.found_docs if page.startswith(LEDGER)]


# In the reference: the claims that compute with a function


def claims_of_functions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for claim in CLAIMS:
        for name in functions(claim):
            found.setdefault(name, []).append(claim.id)
    return found


def docstring(app: Any, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    def to(match: re.Match[str]) -> str:
        return f":ref:`{match[1]} <{LABELS[match[1]]}>`" if match[1] in LABELS else match[0]

    lines[:] = [CLAIM.sub(to, line) for line in lines]
    using = app.using.get(name, ())
    if using:
        said = ", ".join(f":ref:`{claim} <{LABELS[claim]}>`" for claim in using)
        count = f"{len(using)} claims of the ledger compute" if len(using) > 1 else "One claim of the ledger computes"
        lines += ["", f".. dropdown:: {count} with it", "", f"   {said}", ""]


def begin(app: Any) -> None:
    app.using = claims_of_functions()
    app.told = {}  # by page, the claims whose verdicts it says, and in which section


def without_numbers(app: Any, config: Any) -> None:
    """Neither blocks nor figures are numbered: the only numbers on a page are those of its source."""
    config.numfig = False


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
    app.connect("builder-inited", begin)
    app.connect("source-read", close)
    app.connect("doctree-resolved", link_ledger)
    app.connect("env-updated", rewrite_ledger)
    app.connect("autodoc-process-docstring", docstring, priority=600)
    return {"parallel_read_safe": True}  # what is told of a page is asked for on that page alone
