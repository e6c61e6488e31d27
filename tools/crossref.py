"""What pages show of the statements: their labels, the titles of their blocks, and their verdicts."""

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
"""Colour of the chip that shows a verdict, or the kind of proof of a theorem of this book."""

NAMES = {
    "notes": "the notes",
    "hellinger": "the Hellinger paper",
    "posterior-sampling": "the posterior sampling paper",
    "private-mcmc": "the private MCMC thesis",
    "beyond": "this book",
}
"""Names of the sources on the pages, by the first part of a statement's id."""

NUMBERED = re.compile(
    rf"(?:in place of )?(?:{'|'.join(KINDS)}|corollarie|figure|table|section|chapter|equation|claim)s? [(\d]",
    re.IGNORECASE,
)


def chip(verdict: str) -> str:
    """The Markdown of a coloured chip that shows a verdict."""
    return f"{{bdg-{COLOURS[verdict]}}}`{verdict}`"


def word(row: dict[str, Any]) -> str:
    """The word on the chip of a statement: its verdict, or, for a true theorem of this book, the kind of its proof."""
    known = {WORDS: "proved", COQ: COQ} if (row["by"], row["verdict"]) == ("ours", Verdict.TRUE) else {}
    return known.get(row["evidence"].partition(";")[0], row["verdict"])


def link(identity: str) -> str:
    """The Markdown of a reference to a statement in the ledger."""
    return f"{{ref}}`{identity} <{LABELS[identity]}>`"


def proof_label(proof: Proof) -> str:
    """The anchor of a theorem that was checked by Coq."""
    return "proof-" + re.sub(r"[\W_]+", "-", f"{proof.file} {proof.theorem}")


def machine_checked(identity: str) -> str:
    """Links from a statement to the theorems that were checked by Coq, with their remaining assumptions."""
    found = dict.fromkeys(proof for part in ("printed", "holds") for proof in checked(identity, part))
    links = [
        f"{{ref}}`{proof.title} <{proof_label(proof)}>`" + f" (assuming: {proof.assumed})" * bool(proof.assumed)
        for proof in found
    ]
    return f"Checked by Coq: {'; '.join(links)}." if links else ""


@cache
def shown() -> dict[str, str]:
    """The page that shows each statement, by id: the first whose table lists it, or else the first that links to it."""
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
    """The title of a block: the number in its source, which is its only number, or its kind and its own name."""
    if not title:
        return kind.title()
    if NUMBERED.match(title) or title.lower().endswith(f" {kind}"):
        return title[0].upper() + title[1:]
    return f"{kind.title()} ({title})"


@cache
def rows() -> list[dict[str, Any]]:
    """The rows of the ledger as last computed."""
    return json.loads((ROOT / "_build" / "static" / "ledger.json").read_text("utf-8"))


def printed(name: str) -> list[dict[str, Any]]:
    """The rows of a source's statements, as printed or as read here; for this book, those of its own statements."""
    own = ("ours",) if name == "beyond" else ("printed", "reading")
    return [row for row in rows() if row["id"].startswith(f"{name}/") and row["by"] in own]


def template(name: str) -> str:
    """The text of a template, with fields for ``str.format``."""
    return (ROOT / "tools" / "templates" / f"{name}.md").read_text("utf-8")


@cache
def citation() -> dict[str, str]:
    """The citation of the book from ``CITATION.cff``: authors, title, year, version, licence and address."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    people = (each.get("name") or f"{each['given-names']} {each['family-names']}" for each in found["authors"])
    fields = {"who": " and ".join(people), "year": str(found["date-released"])[:4], "address": ""}
    if not found["url"].endswith(".example"):  # otherwise it is the placeholder that the owner has not yet replaced
        fields["address"] = found["url"].rstrip("/")
    return fields | {name: str(found[name]) for name in ("title", "version", "license")}
