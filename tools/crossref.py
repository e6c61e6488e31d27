"""What the pages know of the claims: their labels, the functions they call, and what became of them."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from dpbi.claims import CLAIMS, Claim
from dpbi.claims.claim import (
    CONDITIONAL,
    HOLDS,
    NOT_CHECKABLE,
    NOT_REPRODUCED,
    NOT_WELL_FORMED,
    PROVED,
    REFUTED,
    REPRODUCED,
)
from dpbi.claims.machine import Statement, statements_of

ROOT = Path(__file__).parents[1]
LABELS = {claim.id: "claim-" + re.sub(r"\W+", "-", claim.id) for claim in CLAIMS}
KINDS = ("theorem", "lemma", "corollary", "definition", "algorithm", "proposition", "assumption", "example", "remark")

FATES = {
    PROVED: "hold",
    HOLDS: "hold",
    REPRODUCED: "hold",
    CONDITIONAL: "in part",
    REFUTED: "fail",
    NOT_REPRODUCED: "fail",
    NOT_WELL_FORMED: "vague",
    NOT_CHECKABLE: "vague",
}
"""What becomes of a statement, for a reader in a hurry."""

NAMES = {
    "notes": "the notes",
    "hellinger": "the Hellinger paper",
    "posterior-sampling": "the posterior sampling paper",
    "private-mcmc": "the private MCMC thesis",
    "beyond": "this book",
}
"""What the pages call the sources, by the first part of an id."""


def link(identity: str) -> str:
    return f"{{ref}}`{identity} <{LABELS[identity]}>`"


def proof_label(statement: Statement) -> str:
    """The anchor of a statement that a machine has checked."""
    return "proof-" + re.sub(r"[\W_]+", "-", f"{statement.file} {statement.theorem}")


def machine_checked(identity: str) -> str:
    """Links from a claim to the statements that a machine has checked, with what they still assume."""
    found = [
        f"{{ref}}`{statement.title} <{proof_label(statement)}>`"
        + (f" (assuming: {statement.assumed})" if statement.assumed else "")
        for statement in statements_of(identity)
    ]
    return f"**Machine-checked**: {'; '.join(found)}." if found else ""


def origin(identity: str) -> str:
    """The source that the first part of an id names."""
    return identity.partition("/")[0]


def kind(item: str) -> str:
    """The kind of block that states an item: a theorem, say; a proposition if the source does not number it."""
    named = re.search("|".join(KINDS), item.lower().replace("corollaries", "corollary"))
    if named:
        return named[0]
    return "observation" if re.search(r"Figure|Table", item) else "proposition"


NUMBERED = re.compile(
    rf"(?:in place of )?(?:{'|'.join(KINDS)}|corollarie|figure|table|section|chapter|equation|claim)s? [(\d]",
    re.IGNORECASE,
)


def heading(kind: str, title: str) -> str:
    """What a block is called: by its source's number, which is the only one, or by its kind and its own name."""
    if not title:
        return kind.title()
    if NUMBERED.match(title) or title.lower().endswith(f" {kind}"):
        return title[0].upper() + title[1:]
    return f"{kind.title()} ({title})"


def functions(claim: Claim) -> list[str]:
    """The dotted names of the library's functions that the exact side of a claim is made of."""
    return sorted(f"{function.__module__}.{function.__qualname__}" for function in claim.calls)


def pages() -> list[str]:
    """The pages of the book in the order of reading, without those that are generated in number."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    return [chapter["file"] for part in parts for chapter in part["chapters"]]


@cache
def rows() -> list[dict[str, Any]]:
    """The ledger as it was last computed."""
    found: list[dict[str, Any]] = json.loads((ROOT / "_build" / "static" / "ledger.json").read_text("utf-8"))
    return found


def fates(table: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many of some claims hold, hold under a condition, fail, or are too vague to be checked."""
    counts = dict.fromkeys(FATES.values(), 0)
    for row in table:
        counts[FATES[row["verdict"]]] += 1
    return counts


CLAIM, AGAIN, ERRATUM, REPAIR, OTHERS, OURS = "claims", "said again", "errata", "repairs", "other works", "this book"
PARTS = (CLAIM, AGAIN, ERRATUM, REPAIR, OTHERS, OURS)
"""What a row of the ledger is: every row is one of these."""


def part(row: Mapping[str, Any]) -> str:
    """A claim of its source, the same said again, one of its errata, what holds instead, a statement of other works, or
    one of this book.
    """
    if row.get("restates"):
        return AGAIN
    if row["corrects"]:
        return REPAIR
    if row["erratum"]:
        return ERRATUM
    return {"printed": CLAIM, "reading": CLAIM, "literature": OTHERS, "ours": OURS}[row["origin"]]


def of_a_source(row: Mapping[str, Any]) -> bool:
    """Whether a claim is its source's own; what this book promises is its own."""
    return part(row) == (OURS if origin(row["id"]) == "beyond" else CLAIM)


def repairs(table: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The claims that hold and correct another, by the one that they correct."""
    found: dict[str, list[str]] = {}
    for row in table:
        if row["corrects"] and FATES[row["verdict"]] == "hold":
            found.setdefault(row["corrects"], []).append(row["id"])
    return found
