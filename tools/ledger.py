"""Compute the ledger of claims and write its pages and its data: a row for every claim, a page for every source."""

import html
import importlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from crossref import (
    FATES,
    LABELS,
    NAMES,
    PARTS,
    fates,
    functions,
    kind,
    link,
    machine_checked,
    of_a_source,
    origin,
    part,
    proof_label,
    repairs,
)
from dpbi.claims import BY_ID, CLAIMS, Claim, ledger
from dpbi.claims.claim import OFF
from dpbi.claims.machine import statements_of
from dpbi.claims.search import SMALLEST, by_size, smallest
from generate import ROOT, STATIC, write

PAGES = ROOT / "book" / "ledger"
DISPLAYED = re.compile(r" *\\\[(.*?)\\\] *", re.DOTALL)


def markdown(docstring: str) -> str:
    """A docstring as the book's Markdown: its formulas between dollars, the claims it names as links."""
    text = DISPLAYED.sub(lambda match: f"\n\n$$\n{match[1].strip()}\n$$\n\n", docstring)
    text = re.sub(r"\\\( ?(.*?) ?\\\)", lambda match: f"${' '.join(match[1].split())}$", text, flags=re.DOTALL)
    return re.sub(r"``([^`]+)``", lambda match: link(match[1]) if match[1] in LABELS else f"`{match[1]}`", text)


def shown(value: Any) -> str:
    """A parameter or a side in at most six significant digits."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(shown(entry) for entry in value) + ")"
    return str(value)


def verdict(row: Mapping[str, Any]) -> str:
    return f"**{row['verdict']}**" + (", certified" if row["certified"] else "")


def certainty(claim: Claim, row: Mapping[str, Any]) -> str:
    """Whether intervals have decided, and where a machine has checked the proof."""
    checked = [f"{{ref}}`machine-checked <{proof_label(statement)}>`" for statement in statements_of(claim.id)[:1]]
    return ", ".join(["yes"] * bool(row["certified"]) + checked)


def evidence(row: Mapping[str, Any]) -> str:
    """The case nearest to failing, or the one that fails worst, with the two sides there."""
    if row["case"] is None:
        return ""
    case = ", ".join(f"{name} = {shown(value)}" for name, value in row["case"].items())
    return f"{shown(row['exact'])} against {shown(row['bound'])} at {case}"


def in_a_cell(statement: str) -> str:
    """A formula between dollars that a row of a table can hold: no vertical bar ends its cell."""
    return "$" + statement.replace(r"\|", r"\Vert ").replace("|", r"\vert ") + "$"


def beside(other: Claim, claim: Claim) -> bool:
    """Whether another statement stands beside one of a source: how this book reads it, or what holds instead."""
    read = other.origin == "reading" and claim.origin == "printed" and other.exact and other.exact == claim.exact
    return other.corrects == claim.id or bool(read)


def failing(claim: Claim, row: Mapping[str, Any]) -> str:
    """The case that fails, computed with the ledger, and how to compute it again."""
    case = ", ".join(f"{name}={value!r}" for name, value in row["case"].items())
    again = f'dpbi.claims.BY_ID["{claim.id}"].check({case})'
    return (
        f"*Fails*, read as exact {row['relation']} bound. {among(row, 'The worst')}: {evidence(row)}. "
        f"{least(claim)}To compute it again:\n\n`{again}`"
    )


def among(row: Mapping[str, Any], what: str) -> str:
    """Of how many cases one is singled out."""
    return f"{what} of {row['cases']} cases" if row["cases"] > 1 else "The case"


def least(claim: Claim) -> str:
    """The smallest counterexample, if it was searched for."""
    found = smallest(claim, by_size(claim)) if claim.id in SMALLEST else None
    if found is None:
        return ""
    case = ", ".join(f"{name} = {shown(value)}" for name, value in found.case.items())
    return (
        "The smallest counterexample, by the number of records, then the counts, then the other values in the order "
        f"listed: {shown(found.exact)} against {shown(found.bound)} at {case}. "
    )


def stated(other: Claim, row: Mapping[str, Any]) -> str:
    """A statement in a few lines, to stand beside another."""
    role = "Instead" if other.corrects else "Read as"
    where = "" if row["case"] is None or FATES[row["verdict"]] == "hold" else f"\n\n{evidence(row)}"
    return (
        f"::::{{container}} other\n*{role}* {link(other.id)}, {verdict(row)}:\n\n"
        f"$$\n{other.statement}\n$$\n{where}\n::::"
    )


def entry(claim: Claim, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """The section of one claim."""
    row = rows[claim.id]
    key, _, item = claim.source.partition(", ")
    replaced = BY_ID[claim.corrects].source if claim.corrects else ""
    title = f"in place of {item}" if replaced == claim.source else item
    block = f"````{{prf:{kind(item)}}} {title}\n:label: {claim.id}\n\n$$\n{claim.statement}\n$$\n````"
    others = [stated(other, rows[other.id]) for other in CLAIMS if beside(other, claim)]
    fails = row["case"] is not None and FATES[row["verdict"]] in ("in part", "fail")
    if fails:
        others.insert(0, f"::::{{container}} other\n{failing(claim, row)}\n::::")
    if others:
        block = "\n\n".join([":::::{container} beside", block, *others, ":::::"])
    parts = [f"({LABELS[claim.id]})=\n## {claim.id}", block, f"{verdict(row)} · {{cite}}`{claim.work or key}`"]
    if checked := machine_checked(claim.id):
        parts.append(markdown(checked))
    if claim.reason:
        parts.append(
            f"{'Not a statement' if claim.malformed or claim.uncheckable else 'Condition'}: {markdown(claim.reason)}."
        )
    parts.append(markdown(claim.notes))
    if row["case"] is not None and not fails:
        parts.append(
            f"The claim is read as exact {row['relation']} bound. {among(row, 'The smallest margin')}: {evidence(row)}."
        )
    page = notebook(claim)
    if page is not None:
        parts.append(f"Shown in {{doc}}`/{page}`.")
    if claim.corrects:
        parts.append(f"Corrects {link(claim.corrects)}.")
    if claim.restates:
        parts.append(f"The same statement as {link(claim.restates)}, and counted there.")
    if calls := functions(claim):
        parts.append("Computed with " + ", ".join(f"{{py:obj}}`~{name}`" for name in calls) + ".")
    elif claim.apart:
        parts.append(f"The exact side is computed apart from the library: {markdown(claim.apart)}.")
    if not claim.place:
        code = "\n\n".join(listing(function) for function in (claim.exact, claim.body) if function)
        parts.append(f"````{{dropdown}} Code\n{code}\n````")
    return "\n\n".join(parts)


def listing(function: Callable[..., Any]) -> str:
    """A function as the source has it, in one colour and without scrolling: many of these are on a page."""
    code = html.escape(inspect.getsource(function).strip())
    return f'```{{raw}} html\n<div class="listing"><code>{code}</code></div>\n```'


def notebook(claim: Claim) -> str | None:
    """The page that shows a claim, if the book has it."""
    page = f"notebooks/{claim.notebook}"
    return page if re.search(rf"file: {page}$", (ROOT / "_toc.yml").read_text("utf-8"), re.MULTILINE) else None


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of the ledger; what is missing is None, not a number."""
    return [
        {name: None if value is pd.NA or value != value else value for name, value in row.items()}
        for row in table.astype(object).to_dict("records")
    ]


def summary(table: pd.DataFrame) -> str:
    """How many claims of each source have each verdict."""
    counts = pd.crosstab(table["verdict"], table["id"].str.partition("/")[0])
    counts = counts.loc[table["verdict"].value_counts().index].assign(all=counts.sum(axis=1))
    rows = [f"| {word} | " + " | ".join(str(number) for number in row) + " |" for word, row in counts.iterrows()]
    return "\n".join(["| verdict | " + " | ".join(counts) + " |", "|---|" + "---:|" * counts.shape[1], *rows])


def in_parts(table: pd.DataFrame) -> str:
    """How many rows of each source are its claims, its errata, repairs, and statements of others; a row for each."""
    sources = [NAMES[origin(name)] for name in table["id"]]
    found = pd.crosstab([sources], [[part(row) for row in records(table)]])
    found = found.reindex(index=dict.fromkeys(sources), columns=PARTS, fill_value=0)
    found.loc["**all**"] = found.sum()
    found["all"] = found.sum(axis=1)
    rows = [f"| {name} | " + " | ".join(str(count) for count in row) + " |" for name, row in found.iterrows()]
    return "\n".join(["| | " + " | ".join(found) + " |", "|---|" + "---:|" * found.shape[1], *rows])


def in_brief(table: pd.DataFrame) -> str:
    """What became of the printed claims: a sentence, and a row for each source."""
    rows = [row for row in records(table) if origin(row["id"]) != "beyond"]
    repaired = repairs(rows)
    columns = [*dict.fromkeys(FATES.values())]
    lines = [f"| | claims | {' | '.join(columns)} | repaired |", "|---|" + "---:|" * (len(columns) + 2)]
    total: dict[str, int] = {}
    for source in dict.fromkeys(origin(row["id"]) for row in rows):
        printed = [row for row in rows if origin(row["id"]) == source and of_a_source(row)]
        mended = sum(FATES[row["verdict"]] != "hold" and row["id"] in repaired for row in printed)
        counts = {"claims": len(printed), **fates(printed), "repaired": mended}
        total = {name: total.get(name, 0) + count for name, count in counts.items()}
        numbers = " | ".join(str(count) for count in counts.values())
        lines.append(f"| {{doc}}`{NAMES[source]} </book/ledger/{source}>` | {numbers} |")
    lines.append("| **all** | " + " | ".join(f"**{count}**" for count in total.values()) + " |")
    errata = sum(row["erratum"] for row in rows)
    counts = {name.replace(" ", "_"): count for name, count in total.items()}
    return BRIEF.format(rows="\n".join(lines), errata=errata, **counts)


BRIEF = """The sources make **{claims} claims** that one can look at one by one. **{hold}** of them hold as printed,
{in_part} only under a condition that is not printed, **{fail} fail**, and {vague} say
nothing that can be checked. Here **{repaired} are repaired** of those that do not simply hold: another statement,
which holds, stands in their place. Misprints, captions and steps of proofs are judged too, {errata} of them, and are
not counted as claims.

{rows}
"""

HEAD = """# Claims of {name}

Each entry begins with the statement, under its place in the source. Then come the verdict, the argument, the case
that decides or comes nearest, and the code, which is short and meant to be read.

To check a claim, two sides are computed in many cases. The *exact* side is what is true there, mostly computed by the
library. The *bound* is what the claim says of it. A relation such as <= stands between them, and the *margin* says how
far the case is from failing.

## Letters

{letters}"""

COLUMNS = """| claim | source | verdict | certified | item | statement | evidence | shown in |
|---|---|---|---|---|---|---|---|"""

INDEX = """# Ledger

Every claim of the sources that this book checks, with a verdict that was computed when this page was built.

{brief}
Every row of the ledger is one of six things: a claim of its source; the same claim where the source says it again; a
misprint, a caption or a step of a proof; a repair; a statement of other works, which the source rests on or leads to;
or a statement of this book.

{parts}

Word by word, all of them:

{summary}

A counterexample settles a universal claim; cases that hold prove nothing, and a claim is called *proved* only where its
page gives the proof. *Certified* verdicts do not rest on floating point: interval arithmetic decides the sign.
Where it says *machine-checked*, Coq has checked a proof, and the link leads to the statement; {{doc}}`checked`
says what each of these words is worth.

The same rows as data: <a href="../_static/ledger.json" download>JSON</a>,
<a href="../_static/ledger.csv" download>CSV</a>.

````{{container}} ledger
{columns}
{rows}
````

## Errata

Misprints, captions and steps of proofs, each with the case that shows it.

````{{container}} ledger
{columns}
{errata}
````

<script src="../_static/ledger.js"></script>
"""


def letters(source: str) -> str:
    """What the arguments of a source take for granted: the words of its module."""
    module = importlib.import_module(f"dpbi.claims.{source.replace('-', '_')}")
    return markdown(inspect.getdoc(module) or "")


def main() -> None:
    table = ledger(jobs=os.cpu_count() or 1)
    rows = {row["id"]: row for row in records(table)}
    if off := [name for name, row in rows.items() if row["verdict"] == OFF]:
        sys.exit(f"There is no book while the library is off, at {', '.join(off)}")
    for source in dict.fromkeys(origin(claim.id) for claim in CLAIMS):
        entries = [entry(claim, rows) for claim in CLAIMS if origin(claim.id) == source]
        head = HEAD.format(name=NAMES[source], letters=letters(source))
        write(PAGES / f"{source}.md", "\n\n".join([head, *entries]) + "\n")
    lines: dict[bool, list[str]] = {False: [], True: []}
    for claim in CLAIMS:
        row, page = rows[claim.id], notebook(claim)
        cells = (
            link(claim.id),
            origin(claim.id),
            row["verdict"],
            certainty(claim, row),
            claim.source.partition(", ")[2],
            in_a_cell(claim.statement),
            evidence(row),
            f"{{doc}}`/{page}`" if page else "",
        )
        lines[claim.erratum].append(f"| {' | '.join(cells)} |")
    brief = in_brief(table)
    lists = {"rows": "\n".join(lines[False]), "errata": "\n".join(lines[True]), "columns": COLUMNS}
    counts = {"brief": brief, "parts": in_parts(table), "summary": summary(table)}
    write(ROOT / "book" / "ledger.md", INDEX.format(**counts, **lists))
    write(ROOT / "_build" / "ledger_summary.md", brief)
    STATIC.mkdir(parents=True, exist_ok=True)
    write(STATIC / "ledger.json", json.dumps(records(table), indent=1, default=str) + "\n")
    write(STATIC / "ledger.csv", table.to_csv(index=False))


if __name__ == "__main__":
    main()
