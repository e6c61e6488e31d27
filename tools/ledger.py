"""Compute the ledger and write what the book shows of it: verdicts, arguments, and data."""

import html
import inspect
import json
import os
import re
import sys
from collections import Counter
from typing import Any

from crossref import COLOURS, LABELS, NAMES, ROOT, chip, link, machine_checked, printed, rows, shown, word
from dpbi import claims
from dpbi.claims import BY_ID
from dpbi.claims.statements import Statement, Verdict
from generate import STATIC, write

DISPLAYED = re.compile(r" *\\\[(.*?)\\\] *", re.DOTALL)
SOURCES = tuple(NAMES)[:4]


def markdown(docstring: str) -> str:
    """A docstring as the book's Markdown: its formulas between dollars, the statements it names as links."""
    text = DISPLAYED.sub(lambda match: f"\n\n$$\n{match[1].strip()}\n$$\n\n", docstring)
    text = re.sub(r"\\\( ?(.*?) ?\\\)", lambda match: f"${' '.join(match[1].split())}$", text, flags=re.DOTALL)
    return re.sub(r"``([^`]+)``", lambda match: link(match[1]) if match[1] in LABELS else f"`{match[1]}`", text)


def cell(text: str) -> str:
    """A text in a row of a table: no bar ends its cell."""
    return markdown(text).replace(r"\|", r"\Vert ").replace("|", r"\vert ").replace("\n", " ")


def sentence(row: dict[str, Any]) -> str:
    """Why, and what holds instead, or moreover if the statement is true."""
    word = "Moreover" if row["verdict"] == Verdict.TRUE else "Instead"
    parts = [f"If {row['only_if']}."] * (row["verdict"] == Verdict.TRUE_IF)
    parts += [f"{row['why'][0].upper()}{row['why'][1:]}." if row["why"] else ""]
    return cell(" ".join([*parts, *[f"**{word}:** {row['holds']}"] * bool(row["holds"])]))


def table(name: str) -> str:
    """The verdicts of a source: a chip and a sentence a row, with links to argument and page."""
    lines = ["| item | it says | verdict | why, and what holds | rests on | shown in |", "|---|---|---|---|---|---|"]
    for row in printed(name):
        page = f"{{doc}}`/{row['page']}`" if row["page"] else ""
        item = f"{{ref}}`{row['item']} <{LABELS[row['id']]}>`"
        says = "<br>".join([row["says"], *(f"<small>{words}</small>" for words in BY_ID[row["id"]].beside)])
        cells = [item, cell(says), chip(row["verdict"]), sentence(row), row["evidence"], page]
        lines.append(f"| {' | '.join(cells)} |")
    return "````{container} ledger\n" + "\n".join(lines) + "\n````\n"


def summary() -> str:
    """How the four sources fared: a row each."""
    fates = {name: Counter(row["verdict"] for row in printed(name)) for name in SOURCES}
    words = [word for word in COLOURS if any(found[word] for found in fates.values())]
    words.sort(key=lambda word: word not in {Verdict.TRUE, Verdict.FALSE})  # what a phone shows first
    heads = " | ".join([*words, "statements"]).replace("reproduced", "repro&shy;duced").replace("statem", "state&shy;m")
    lines = [f"| | {heads} |", "|---|---:|" + "---:|" * len(words)]
    for name, found in fates.items():
        cells = " | ".join(str(found[word]) for word in words)
        short = re.sub("^the | paper$| thesis$", "", NAMES[name])
        lines.append(f"| {{ref}}`{short} <verdicts-{name}>` | {cells} | {found.total()} |")
    return "\n".join(lines) + "\n"


def evidence() -> str:
    """What the verdicts rest on: how many statements each kind of evidence has."""
    kinds = ("checked by Coq", "proof in words", "counterexample", "these cases only")
    lines = [f"| {kind} | {sum(kind in row['evidence'] for row in rows())} |" for kind in kinds]
    return "\n".join(["| what a verdict, or what holds instead, rests on | statements |", "|---|---:|", *lines]) + "\n"


def entry(statement: Statement, row: dict[str, Any]) -> str:
    """A statement in the ledger: what it says, verdict, argument, the case that refutes it, the code."""
    labels = "".join(f"({LABELS[name]})=\n" for name in (*statement.aliases, statement.id))
    parts = [f"{labels}### {statement.id}", f"*{row['item']}.* {markdown(row['says'])}"]
    parts += [markdown(words) for words in statement.beside]
    rests = f"Rests on: {row['evidence']}. {markdown(machine_checked(statement.id))}"
    parts.append(f"{chip(word(row))} {sentence(row)} {rests}")
    if found := statement.counterexample():
        case = ", ".join(f"{name}={value!r}" for name, value in found.case.items())
        said = f"exact {found.exact:.6g}, printed {found.printed.relation} {found.printed.value:.6g}"
        parts.append(f"It fails at `{case}`: {said}.")
    parts.append(markdown(statement.notes))
    bodies = [statement.body, *(each.body for each in statement.repairs)]
    code = "\n\n".join(inspect.getsource(body).strip() for body in bodies if body.__name__ != "nothing")
    if code:
        shown = f'<div class="listing"><code>{html.escape(code)}</code></div>'
        parts.append(f"````{{dropdown}} Code\n```{{raw}} html\n{shown}\n```\n````")
    return "\n\n".join(part for part in parts if part.strip())


VERDICTS = """# Verdicts

Which statements of the four sources are true? Each row quotes a statement, with a verdict that was computed when this
page was built. *Given* names a premise that the source makes, *read as* what is read into the words. Where the words
support two readings that fare differently, each has a row. *True if* names a condition that the source does not state.
*Open* means that the statement is neither proved nor refuted.

{summary}
A counterexample settles a universal statement; cases that hold prove nothing. The column *rests on* says which it is,
and {{doc}}`checked` what each of its words is worth. Misprints are told apart, at the end of {{doc}}`ledger`.

{tables}
<script src="../_static/ledger.js"></script>
"""

LEDGER = """# The ledger

Every statement with its argument, the case that refutes it and its code, which is short and meant to be read. The
verdicts alone are on {{doc}}`verdicts`. The same as data: <a href="../_static/ledger.csv" download>CSV</a>,
<a href="../_static/ledger.json" download>JSON</a>. In Python: `dpbi.claims.BY_ID["notes/4.5-ehd-lower"]`.

{entries}

## Misprints

{errata}
"""


def errata() -> str:
    """The misprints of all sources: what is printed, and what is right."""
    lines = ["| where | printed | right | a case |", "|---|---|---|---|"]
    for name in SOURCES:
        for each in (each for each in claims.ERRATA if each.source == name):
            case = ""
            if each.check:
                exact, side = each.check()
                case = f"{float(exact):.6g} is no number {side.relation} {float(side.value):.6g}"
            lines.append(f"| {NAMES[name]}, {each.where} | {cell(each.printed)} | {cell(each.right)} | {case} |")
    return "\n".join(lines)


def main() -> None:
    found = claims.ledger(jobs=os.cpu_count() or 1)
    if bad := [row for row in found.to_dict("records") if row["verdict"] not in COLOURS]:
        sys.exit("There is no book while " + "; ".join(f"{row['id']}: {row['verdict']}" for row in bad))
    found["page"] = found["id"].map(shown())
    STATIC.mkdir(parents=True, exist_ok=True)
    write(STATIC / "ledger.json", json.dumps(found.to_dict("records"), indent=1) + "\n")
    write(STATIC / "ledger.csv", found.to_csv(index=False))
    tables = "\n".join(
        f"(verdicts-{name})=\n## {NAMES[name][0].upper()}{NAMES[name][1:]}\n\n{table(name)}" for name in SOURCES
    )
    write(ROOT / "book" / "verdicts.md", VERDICTS.format(summary=summary(), tables=tables))
    by_id, entries = {row["id"]: row for row in rows()}, []
    for name in NAMES:
        module = getattr(claims, name.replace("-", "_"))
        entries.append(f"## {NAMES[name][0].upper()}{NAMES[name][1:]}\n\n{markdown(inspect.getdoc(module) or '')}")
        entries += [entry(each, by_id[each.id]) for each in claims.CLAIMS if each.id.startswith(f"{name}/")]
    write(ROOT / "book" / "ledger.md", LEDGER.format(entries="\n\n".join(entries), errata=errata()))
    write(ROOT / "_build" / "ledger_summary.md", summary())
    write(ROOT / "_build" / "checked.md", evidence())
    for name in SOURCES:
        write(ROOT / "_build" / "sources" / f"{name}.md", table(name))


if __name__ == "__main__":
    main()
