"""What the pages know of the statements: their labels, what blocks are called, and what became of each."""

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
"""Of the chip that shows a verdict, or how a theorem of this book is known."""

NAMES = {
    "notes": "the notes",
    "hellinger": "the Hellinger paper",
    "posterior-sampling": "the posterior sampling paper",
    "private-mcmc": "the private MCMC thesis",
    "beyond": "this book",
}
"""What the pages call the sources, by the first part of an id."""

NUMBERED = re.compile(
    rf"(?:in place of )?(?:{'|'.join(KINDS)}|corollarie|figure|table|section|chapter|equation|claim)s? [(\d]",
    re.IGNORECASE,
)


def chip(verdict: str) -> str:
    """A verdict as a coloured word."""
    return f"{{bdg-{COLOURS[verdict]}}}`{verdict}`"


def word(row: dict[str, Any]) -> str:
    """What a chip says of a statement: its verdict, but of a true theorem of this book what it rests on."""
    known = {WORDS: "proved", COQ: COQ} if (row["by"], row["verdict"]) == ("ours", Verdict.TRUE) else {}
    return known.get(row["evidence"].partition(";")[0], row["verdict"])


def link(identity: str) -> str:
    """A reference to a statement in the ledger."""
    return f"{{ref}}`{identity} <{LABELS[identity]}>`"


def proof_label(proof: Proof) -> str:
    """The anchor of a theorem that Coq has checked."""
    return "proof-" + re.sub(r"[\W_]+", "-", f"{proof.file} {proof.theorem}")


def machine_checked(identity: str) -> str:
    """Links from a statement to the theorems that Coq has checked, with what they still assume."""
    found = dict.fromkeys(proof for part in ("printed", "holds") for proof in checked(identity, part))
    links = [
        f"{{ref}}`{proof.title} <{proof_label(proof)}>`" + f" (assuming: {proof.assumed})" * bool(proof.assumed)
        for proof in found
    ]
    return f"Checked by Coq: {'; '.join(links)}." if links else ""


@cache
def shown() -> dict[str, str]:
    """The page that shows a statement: the first whose table has its row, or else the first with a link to it."""
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
    """What a block is called: by its source's number, which is the only one, or by its kind and its own name."""
    if not title:
        return kind.title()
    if NUMBERED.match(title) or title.lower().endswith(f" {kind}"):
        return title[0].upper() + title[1:]
    return f"{kind.title()} ({title})"


@cache
def rows() -> list[dict[str, Any]]:
    """The ledger as it was last computed."""
    return json.loads((ROOT / "_build" / "static" / "ledger.json").read_text("utf-8"))


def printed(name: str) -> list[dict[str, Any]]:
    """What a source itself says, in print or as it is read here; of this book, what it says."""
    own = ("ours",) if name == "beyond" else ("printed", "reading")
    return [row for row in rows() if row["id"].startswith(f"{name}/") and row["by"] in own]


def template(name: str) -> str:
    """A text that ``str.format`` fills in."""
    return (ROOT / "tools" / "templates" / f"{name}.md").read_text("utf-8")


@cache
def citation() -> dict[str, str]:
    """How the book is cited: who, title, year, version, licence and address, from ``CITATION.cff``."""
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    people = (each.get("name") or f"{each['given-names']} {each['family-names']}" for each in found["authors"])
    fields = {"who": " and ".join(people), "year": str(found["date-released"])[:4], "address": ""}
    if not found["url"].endswith(".example"):  # the owner has filled it in
        fields["address"] = found["url"].rstrip("/")
    return fields | {name: str(found[name]) for name in ("title", "version", "license")}
