"""Parts of statements that pages show: labels, titles of blocks, and verdicts."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from dpbi.claims import BY_ID
from dpbi.claims.machine import Proof, checked
from dpbi.claims.statements import COQ, WORDS, Verdict

ROOT = Path(__file__).parents[1]
LABELS = {identity: "claim-" + re.sub(r"[^a-z0-9]+", "-", identity) for identity in BY_ID}
KINDS = ("theorem", "lemma", "corollary", "definition", "algorithm", "proposition", "assumption", "example", "remark")
COLOURS = {
    Verdict.TRUE: "success",
    Verdict.REPRODUCED: "success",
    Verdict.TRUE_IF: "warning",
    Verdict.FALSE: "danger",
    Verdict.NOT_REPRODUCED: "danger",
}
COLOURS |= {Verdict.OPEN: "info", Verdict.CANNOT: "secondary", "proved": "primary", COQ: "primary"}
"""Colour of the chip that shows a verdict or, for a theorem of this book, the kind of its proof."""

NAMES = {
    "notes": "the notes",
    "hellinger": "the Hellinger paper",
    "posterior-sampling": "the posterior sampling paper",
    "private-mcmc": "the private MCMC thesis",
    "beyond": "this book",
}
"""Names of the sources as shown on the pages, by the first part of a statement's id."""

NUMBERED = re.compile(
    rf"(?:in place of )?(?:{'|'.join(KINDS)}|corollarie|figure|table|section|chapter|equation|claim)s? [(\d]",
    re.IGNORECASE,
)


def chip(verdict: str) -> str:
    """Markdown of a coloured chip that shows a verdict."""
    return f"{{bdg-{COLOURS[verdict]}}}`{verdict}`"


def word(row: dict[str, Any]) -> str:
    """Word on the chip of a statement: the verdict or, for a true theorem of this book, the kind of proof."""
    known = {WORDS: "proved", COQ: COQ} if (row["by"], row["verdict"]) == ("ours", Verdict.TRUE) else {}
    return known.get(row["evidence"].partition(";")[0], row["verdict"])


def link(identity: str) -> str:
    """Markdown of a reference to a statement in the ledger."""
    return f"{{ref}}`{identity} <{LABELS[identity]}>`"


def proof_label(proof: Proof) -> str:
    """Anchor of a theorem that was checked by Coq."""
    return "proof-" + re.sub(r"[\W_]+", "-", f"{proof.file} {proof.theorem}")


def machine_checked(identity: str) -> str:
    """Links to the Coq theorems about a statement or its correction, with their remaining assumptions."""
    found = dict.fromkeys(proof for part in ("printed", "holds") for proof in checked(identity, part))
    links = [
        f"{{ref}}`{proof.title} <{proof_label(proof)}>`" + f" (assuming: {proof.assumed})" * bool(proof.assumed)
        for proof in found
    ]
    return f"Checked by Coq: {'; '.join(links)}." if links else ""


@cache
def shown() -> dict[str, str]:
    """Page that shows each statement, by id: the first whose table lists it, or else the first that links to it."""
    listed = sorted(
        re.findall(r"file: (\S+)", (ROOT / "_toc.yml").read_text("utf-8")), key=lambda page: page.startswith("book/")
    )
    texts = {page: path.read_text("utf-8") for page in listed for path in ROOT.glob(f"{page}.[im]*")}
    found: dict[str, str] = {}
    for form in (r"\"{identity}\"", "(#{label})"):
        for page, text in texts.items():
            for identity, label in LABELS.items():
                if form.format(identity=identity, label=label) in text:
                    found.setdefault(identity, page)
    return found


def heading(kind: str, title: str) -> str:
    """Title of a block: its number in the source, which is its only number, or its kind and its name."""
    if not title:
        return kind.title()
    if NUMBERED.match(title) or title.lower().endswith(f" {kind}"):
        return title[0].upper() + title[1:]
    return f"{kind.title()} ({title})"


@cache
def rows() -> list[dict[str, Any]]:
    """Rows of the ledger as last computed."""
    return json.loads((ROOT / "_build" / "static" / "ledger.json").read_text("utf-8"))


def printed(name: str) -> list[dict[str, Any]]:
    """Rows of the statements of a source, as printed or as read here; for this book, the rows of its own statements."""
    own = ("ours",) if name == "beyond" else ("printed", "reading")
    return [row for row in rows() if row["id"].startswith(f"{name}/") and row["by"] in own]


def template(name: str) -> str:
    """Text of a template, with fields for ``str.format``."""
    return (ROOT / "tools" / "templates" / f"{name}.md").read_text("utf-8")


@cache
def citation() -> dict[str, str]:
    """Citation of the book from ``CITATION.cff``: authors, title, year, version, licence and address."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    people = (each.get("name") or f"{each['given-names']} {each['family-names']}" for each in found["authors"])
    fields = {"who": " and ".join(people), "year": str(found["date-released"])[:4], "address": ""}
    if not found["url"].endswith(".example"):  # otherwise the url is a placeholder that the owner has yet to replace
        fields["address"] = found["url"].rstrip("/")
    return fields | {name: str(found[name]) for name in ("title", "version", "license")}
