"""What belongs together: the claims that a block of a page states, and the functions that a claim computes with."""

import dis
import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import yaml

from dpbi.claims import CLAIMS, Claim, floats
from dpbi.claims.claim import CONDITIONAL, HOLDS, NOT_CHECKABLE, NOT_REPRODUCED, NOT_WELL_FORMED, PROVED, REFUTED

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dpbi"
LABELS = {claim.id: "claim-" + re.sub(r"\W+", "-", claim.id) for claim in CLAIMS}
KINDS = ("theorem", "lemma", "corollary", "definition", "algorithm", "proposition", "assumption", "example", "remark")
ITEM = re.compile(
    r"\b(Theorem|Lemma|Corollar|Definition|Algorithm|Proposition|Assumption|Example|Remark|Claim|Figure|Table)\w*"
    r" (\d[\d.]*)((?:(?:, | and | to )\d[\d.]*)*)"
)

STATES = {
    "hellinger-pure-bound": ("hellinger/lemma-4.3-corrected", "hellinger/5-privacy-corrected"),
    "posterior-sampling-robustness-sharp": ("posterior-sampling/theorem-7.1-sharp",),
    "posterior-sampling-restricted-privacy": (
        "posterior-sampling/corollary-9-corrected",
        "posterior-sampling/corollary-9-unrestricted",
    ),
    "posterior-sampling-beta-corrected": ("posterior-sampling/lemma-21-corrected",),
    "posterior-sampling-networks-corrected": (
        "posterior-sampling/lemma-24-sharp",
        "posterior-sampling/lemma-24-classical-corrected",
        "posterior-sampling/lemma-24-markov-sharp",
    ),
    "posterior-sampling-restricted-utility": ("posterior-sampling/theorem-17b-corrected",),
    "posterior-sampling-distinguish": ("posterior-sampling/theorem-13.1-corrected",),
    "private-mcmc-barker": ("private-mcmc/4-barker-correction", "private-mcmc/4-barker-correction-corrected"),
    "private-mcmc-gauss-bernoulli": ("private-mcmc/5-acceptance", "private-mcmc/5-peskun"),
    "private-mcmc-lambda": ("private-mcmc/2.2-lambda-corrected",),
    "private-mcmc-penalty": ("private-mcmc/3-penalty",),
    "private-mcmc-variations": ("private-mcmc/4-components", "private-mcmc/4-guided", "private-mcmc/4-hmc"),
}
"""The claims of blocks whose title names no item of a source, by label."""

FATES = {
    PROVED: "hold",
    HOLDS: "hold",
    "reproduced": "hold",
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


def origin(identity: str) -> str:
    """The source that the first part of an id names."""
    return identity.partition("/")[0]


def items(text: str) -> list[tuple[str, str]]:
    """The numbered items that a title or a source names, in its order: "Corollaries 4.5.1 to 4.5.3" are three."""
    found = []
    for kind, first, others in ITEM.findall(text):
        numbers = [first.rstrip(".")]
        for joint, number in re.findall(r"(, | and | to )(\d[\d.]*)", others):
            stem, _, last = number.rstrip(".").rpartition(".")
            start = int(numbers[-1].rpartition(".")[2]) + 1 if joint == " to " else int(last)
            numbers += [f"{stem}.{n}".lstrip(".") for n in range(start, int(last) + 1)]
        found += [(kind[:7].lower(), number) for number in numbers]
    return found


def kind(item: str) -> str:
    """The kind of block that states an item: a theorem, say; a proposition if the source does not number it."""
    named = re.search("|".join(KINDS), item.lower().replace("corollaries", "corollary"))
    if named:
        return named[0]
    return "observation" if re.search(r"Figure|Table", item) else "proposition"


def stated(label: str, title: str, source: str) -> list[str]:
    """The claims that a block states: those of its source with the item, and the part of it, that its title names."""
    if label in STATES:
        return list(STATES[label])
    found = []
    for claim in (claim for claim in CLAIMS if origin(claim.id) == source):
        key, _, item = claim.source.partition(", ")
        if source == "beyond" and not (label.startswith(key) and title.startswith(f"{item} of ")):
            continue  # a statement of another page of this book, or what would be wrong to read into one
        own = items(claim.source)[:1]
        if any(kind == k and f"{m}.".startswith(f"{n}.") for kind, n in items(title) for k, m in own):
            found.append(claim)
    narrower = [claim for claim in found if title.rpartition(", ")[2] in claim.source.rpartition(", ")[2]]
    return [claim.id for claim in narrower or found]


def functions(claim: Claim) -> list[str]:
    """The dotted names of the library's functions that a claim calls, itself or through helpers of its module."""
    return sorted(set(_called(claim.body, set())))


def _called(function: Any, seen: set[Any]) -> Iterator[str]:
    if function in seen:
        return
    seen.add(function)
    codes = list(_codes(function.__code__))
    names = {name for code in codes for name in code.co_names}
    scope = function.__globals__
    modules = [scope[name] for name in names if isinstance(scope.get(name), ModuleType)]
    imports = {
        str(line.argval) for code in codes for line in dis.get_instructions(code) if line.opname == "IMPORT_NAME"
    }
    imports |= {f"{package}.{name}" for package in imports for name in names}
    modules += [import_module(f"dpbi.{name}") for name in imports if (SOURCE / f"{name.replace('.', '/')}.py").exists()]
    spaces = [vars(floats), *(vars(module) for module in modules if module.__name__.startswith("dpbi.")), scope]
    for thing in (space[name] for space in spaces for name in names if name in space):
        module = str(getattr(thing, "__module__", ""))
        if module.startswith("dpbi.claims"):
            body = thing.body if isinstance(thing, Claim) else thing
            if isinstance(body, FunctionType):
                yield from _called(body, seen)
        elif module.startswith("dpbi.") and (inspect.isroutine(thing) or inspect.isclass(thing)):
            yield from () if thing.__name__.startswith("_") else (f"{module}.{thing.__name__}",)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


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


def repairs(table: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The claims that hold and correct another, by the one that they correct."""
    found: dict[str, list[str]] = {}
    for row in table:
        if row["corrects"] and FATES[row["verdict"]] == "hold":
            found.setdefault(row["corrects"], []).append(row["id"])
    return found
