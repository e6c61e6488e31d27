"""Compute the ledger and write the parts that the book shows: verdicts, arguments, and data."""

import csv
import hashlib
import html
import inspect
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

from crossref import COLOURS, LABELS, NAMES, ROOT, chip, link, machine_checked, printed, rows, shown, template, word
from dpbi import claims
from dpbi.claims import BY_ID
from dpbi.claims.statements import Statement, Verdict
from generate import STATIC, capital, write

DISPLAYED = re.compile(r" *\\\[(.*?)\\\] *", re.DOTALL)
SOURCES = tuple(NAMES)[:-1]
FATES = (
    Verdict.FALSE,
    Verdict.NOT_REPRODUCED,
    Verdict.OPEN,
    Verdict.TRUE_IF,
    Verdict.TRUE,
    Verdict.REPRODUCED,
    Verdict.CANNOT,
)
"""Verdicts in the order in which pages list them, beginning with the statements that fail."""

BEFORE = ROOT / "book" / "before.csv"
"""Verdicts and digests of stored runs of an earlier edition, with the reason for each verdict that has changed."""

RELATIONS = {">": "above", ">=": "at least", "<": "below", "<=": "at most", "=": "equal to", "≈": "about"}
BY = {"printed": "as printed", "reading": "as we read it", "ours": "our own"}
PARTS = {"": "The verdict rests", "if so": "its condition", "instead": "the correction", "moreover": "the addition"}
GROUNDS = {"checked by Coq": "a proof in Coq", "these cases only": "these cases only"}


def markdown(docstring: str) -> str:
    """Convert a docstring to Markdown, with formulas between dollar signs and ids of statements as links."""
    text = DISPLAYED.sub(lambda match: f"\n\n$$\n{match[1].strip()}\n$$\n\n", docstring)
    text = re.sub(r"\\\( ?(.*?) ?\\\)", lambda match: f"${' '.join(match[1].split())}$", text, flags=re.DOTALL)
    return re.sub(r"``([^`]+)``", lambda match: link(match[1]) if match[1] in LABELS else f"`{match[1]}`", text)


def cell(text: str) -> str:
    """Convert a string to a table cell in Markdown, without bars that would end the cell."""
    return markdown(text).replace(r"\|", r"\Vert ").replace("|", r"\vert ").replace("\n", " ")


def stopped(text: str) -> str:
    """Add a full stop to a string unless it ends with a full stop, question mark or exclamation mark."""
    text = text.rstrip()
    return text if not text or text[-1] in ".!?" else f"{text}."


def sentence(row: dict[str, Any]) -> str:
    """Reason for a verdict, followed by the corrected statement, or by an addition if the statement is true."""
    besides = "Moreover" if row["verdict"] in (Verdict.TRUE, Verdict.REPRODUCED, Verdict.OPEN) else "Instead"
    parts = [f"It is true if {stopped(row['only_if'])}"] * (row["verdict"] == Verdict.TRUE_IF)
    parts += [stopped(row["why"][:1].upper() + row["why"][1:])]
    return cell(" ".join([*parts, *[f"**{besides}:** {stopped(row['holds'])}"] * bool(row["holds"])]))


def group(name: str, verdict: str) -> str:
    """Anchor of the list of a source's statements with a given verdict."""
    return f"verdicts-{name}-{verdict.replace(' ', '-')}"


def table(found: list[dict[str, Any]]) -> str:
    """Table of verdicts, with a row for each statement: chip, reason, and links to the argument and the page."""
    lines = ["| item | it says | reason and correction | rests on | shown in |", "|---|---|---|---|---|"]
    for row in found:
        page = f"{{doc}}`/{row['page']}`" if row["page"] else ""
        item = f"{chip(row['verdict'])} {{ref}}`{row['item']} <{LABELS[row['id']]}>`"
        says = "<br>".join([row["says"], *(f"<small>{words}</small>" for words in BY_ID[row["id"]].beside)])
        lines.append(f"| {' | '.join([item, cell(says), sentence(row), row['evidence'], page])} |")
    return "````{container} ledger\n" + "\n".join(lines) + "\n````"


def tables(name: str) -> str:
    """Statements of a source, with a section for each verdict: failures come first, and true statements are folded."""
    parts = [f"(verdicts-{name})=\n## {capital(NAMES[name])}"]
    for verdict in FATES:
        if found := [row for row in printed(name) if row["verdict"] == verdict]:
            shown = table(found)
            if verdict in (Verdict.TRUE, Verdict.REPRODUCED):
                shown = f"`````{{dropdown}} Show them: {len(found)}\n{shown}\n`````"
            parts += [f"({group(name, verdict)})=\n### {capital(verdict)}: {len(found)}", shown]
    return "\n\n".join([*parts, ""])


def summary(names: Sequence[str]) -> str:
    """Table of the number of statements with each verdict, one column for each source, with links to the statements."""
    fates = {name: Counter(row["verdict"] for row in printed(name)) for name in names}
    heads = [f"{{ref}}`{re.sub('^the | paper$| thesis$', '', NAMES[name])} <verdicts-{name}>`" for name in names]
    lines = [f"| | {' | '.join(heads)} |", "|---|" + "---:|" * len(names)]
    for fate in (fate for fate in FATES if any(found[fate] for found in fates.values())):
        labels = {name: f" <{group(name, fate)}>" for name in names}
        cells = [f"{{ref}}`{found[fate]}{labels[name]}`" if found[fate] else "0" for name, found in fates.items()]
        lines.append(f"| {' | '.join([fate, *cells])} |")
    return "\n".join([*lines, f"| all | {' | '.join(str(found.total()) for found in fates.values())} |", ""])


def evidence() -> str:
    """Table of the number of statements with each kind of evidence."""
    kinds = ("checked by Coq", "proof in words", "counterexample", "these cases only")
    lines = [f"| {kind} | {sum(kind in row['evidence'] for row in rows())} |" for kind in kinds]
    return "\n".join(["| evidence for a verdict or a correction | statements |", "|---|---:|", *lines]) + "\n"


def rests(evidence: str) -> str:
    """Sentence that names the evidence for a verdict, for its condition, and for the corrected statement."""
    parts = [part.rpartition(": ") for part in evidence.split("; ") if part]
    said = ", ".join(f"{PARTS[part]} on {GROUNDS.get(words, f'a {words}')}" for part, _, words in parts)
    return re.sub(r",(?=[^,]*$)", " and", f"{said}.") * bool(said)


def entry(statement: Statement, row: dict[str, Any]) -> str:
    """Entry of a statement in the ledger: wording, verdict, argument, counterexample, and code."""
    labels = "".join(f"({LABELS[name]})=\n" for name in (*statement.aliases, statement.id))
    address = f'<a class="address" href="#{LABELS[statement.id]}">address of this entry</a>'
    whose = BY.get(row["by"], f"by {{cite:t}}`{row['by']}`")
    parts = [f"{labels}### {statement.id}", f"*{row['item']}*, {whose}: {stopped(markdown(row['says']))} {address}"]
    parts += [markdown(words) for words in statement.beside]
    parts.append(f"{chip(word(row))} {sentence(row)} {rests(row['evidence'])} {markdown(machine_checked(row['id']))}")
    # computing one anew takes as long as the verdict, which other processes have computed
    if row["evidence"].startswith("counterexample") and (found := statement.counterexample()):
        case = ", ".join(f"{name}={value!r}" for name, value in found.case.items())
        relation = RELATIONS[found.printed.relation]
        said = f"the exact number is {found.exact:.6g} but should be {relation} {found.printed.value:.6g}"
        parts.append(f"The statement fails for `{case}`: {said}.")
    parts.append(markdown(statement.notes))
    bodies = [statement.body, *(each.body for each in statement.repairs)]
    code = "\n\n".join(inspect.getsource(body).strip() for body in bodies if body.__name__ != "nothing")
    if code:
        shown = f'<div class="listing"><code>{html.escape(code)}</code></div>'
        parts.append(f"````{{dropdown}} Code\n```{{raw}} html\n{shown}\n```\n````")
    return "\n\n".join(part for part in parts if part.strip())


def errata() -> str:
    """Table of the misprints in all sources, with the printed and the correct version."""
    lines = ["| where | printed | right | a case |", "|---|---|---|---|"]
    for each in sorted(claims.ERRATA, key=lambda erratum: [*SOURCES].index(erratum.source)):
        case = ""
        if each.check:
            exact, side = each.check()
            case = f"{float(exact):.6g} is not {side.relation} {float(side.value):.6g}"
        lines.append(f"| {NAMES[each.source]}, {each.where} | {cell(each.printed)} | {cell(each.right)} | {case} |")
    return "\n".join(lines)


def changes() -> str:
    """Page of changes since the edition in ``BEFORE``: verdicts, statements, and the numbers of stored runs."""
    with BEFORE.open(encoding="utf-8") as file:
        before = {row["what"]: row for row in csv.DictReader(file)}
    changed, new, records = [], [], []
    for row in rows():
        old, now = before.get(row["id"]), f"is {chip(row['verdict'])}."
        if old is None:
            new.append(f"- {link(row['id'])} {now} {sentence(row)}")
        elif old["before"] != row["verdict"]:
            changed.append(f"- {link(row['id'])} was {chip(old['before'])} and {now} {old['why']}")
    for path in sorted((ROOT / "results").glob("*/*.json")):
        name, found = path.relative_to(ROOT).as_posix(), json.loads(path.read_text("utf-8"))
        numbers = json.dumps([found[part] for part in ("parameters", "scalars", "tables")]).encode()
        if name not in before:
            records.append(f"- `{name}` is new.")
        elif before[name]["before"] != hashlib.sha256(numbers).hexdigest()[:16]:
            records.append(f"- `{name}` has changed numbers.")
    gone = [name for name in before if name in BY_ID and BY_ID[name].id != name]
    merged = [f"- `{name}` was {chip(before[name]['before'])} and is part of {link(BY_ID[name].id)}." for name in gone]
    lists = map("\n".join, (changed, new, merged, [*records, "- The numbers of all other stored runs are unchanged."]))
    return template("changes").format(*lists)


def main() -> None:
    found = claims.ledger(jobs=os.cpu_count() or 1)
    if bad := [row for row in found.to_dict("records") if row["verdict"] not in COLOURS]:
        sys.exit("the book cannot be built while " + "; ".join(f"{row['id']} is {row['verdict']}" for row in bad))
    found["page"] = found["id"].map(shown())
    STATIC.mkdir(parents=True, exist_ok=True)
    write(STATIC / "ledger.json", json.dumps(found.to_dict("records"), indent=1) + "\n")
    write(STATIC / "ledger.csv", found.to_csv(index=False))
    pages()


def pages() -> None:
    """Write the files that pages include, and a page of the ledger for each source."""
    by_id = {row["id"]: row for row in rows()}
    for name in NAMES:
        module = getattr(claims, name.replace("-", "_"))
        entries = [entry(each, by_id[each.id]) for each in claims.CLAIMS if each.id.startswith(f"{name}/")]
        parts = [f"# Ledger of {NAMES[name]}", markdown(inspect.getdoc(module) or ""), "## Statements", *entries]
        write(ROOT / "book" / "ledger" / f"{module.__name__.rpartition('.')[2]}.md", "\n\n".join(parts) + "\n")
    write(ROOT / "_build" / "verdicts.md", "\n".join(map(tables, SOURCES)))
    write(ROOT / "_build" / "errata.md", errata())
    write(ROOT / "_build" / "changes.md", changes())
    write(ROOT / "_build" / "ledger_summary.md", summary(SOURCES))
    write(ROOT / "_build" / "checked.md", evidence())
    for name in SOURCES:
        write(ROOT / "_build" / "sources" / f"{name}.md", summary([name]))


if __name__ == "__main__":
    main()
