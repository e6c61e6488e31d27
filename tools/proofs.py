"""Write the pages of the proofs that a machine has checked: a page for every file, statements first, proofs folded.

Also written is how many claims are computed, certified, searched, proved and machine-checked, and what the longest
search on record has tried.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from crossref import link, proof_label, rows
from dpbi.claims import CLAIMS
from dpbi.claims.claim import NOT_CHECKABLE, NOT_WELL_FORMED
from dpbi.claims.machine import STATEMENTS, Statement, statements_of
from dpbi.claims.search import attacked
from dpbi.results import provenance, read
from generate import ROOT, write
from ledger import markdown

PROOFS = ROOT / "proofs"
PAGES = ROOT / "book" / "proofs"
SEARCH = ROOT / "results" / "search" / "search.json"
PRINTED = PROOFS / "statements.txt"
COMMAND = "sudo apt install --no-install-recommends coq libcoq-coquelicot libcoq-interval && make proofs"
HEADLINES = {(statement.file, statement.theorem): statement for statement in STATEMENTS}


class Piece(NamedTuple):
    """A part of a file: a comment, or code; ``name`` and ``proof`` if it is a lemma or a theorem."""

    text: str
    comment: bool = False
    name: str = ""
    proof: str = ""


def pieces(source: str) -> Iterator[Piece]:
    """The parts of a file in order."""
    outside = re.compile(r"\(\*\* (.*?) ?\*\)\s*\n", re.DOTALL)
    place = 0
    for comment in outside.finditer(source):
        if source.rfind("\n", 0, comment.start()) != comment.start() - 1 and comment.start():
            continue  # inside a sentence
        yield from sentences(source[place : comment.start()])
        yield Piece(comment[1], comment=True)
        place = comment.end()
    yield from sentences(source[place:])


def sentences(code: str) -> Iterator[Piece]:
    """The definitions, statements and proofs of some code."""
    proved = re.compile(
        r"^(?:#\[\w+\] )?(?:Theorem|Lemma|Let|Instance) ([\w']+)((?:(?!^Proof\.).)*?)^(Proof\..*?Qed\.)$",
        re.DOTALL | re.MULTILINE,
    )
    place = 0
    for match in proved.finditer(code):
        if (before := code[place : match.start()]).strip():
            yield Piece(before.strip("\n"))
        yield Piece(code[match.start() : match.start(3)].rstrip(), name=match[1], proof=match[3])
        place = match.end()
    if (rest := code[place:]).strip():
        yield Piece(rest.strip("\n"))


def words(comment: str) -> str:
    """A comment as Markdown: the code in it between backticks, headings as they are in the book."""
    text = re.sub(r"\n {2,4}", "\n", comment)
    text = re.sub(r"\[(?!\d)([^\[\]]+)\]", r"`\1`", text)
    return re.sub(r"^(\*+) ", lambda stars: "#" * len(stars[1]) + " ", text, flags=re.MULTILINE)


def listing(code: str) -> str:
    return f"```coq\n{code}\n```"


def folded(title: str, code: str) -> str:
    return f"````{{dropdown}} {title}\n{listing(code)}\n````"


def printed() -> dict[str, str]:
    """Every headline statement with all its premises, as Coq prints it."""
    parts = re.split(r"^\(\* (\S+) \*\)\n", PRINTED.read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def headline(statement: Statement, piece: Piece, whole: dict[str, str]) -> list[str]:
    """A statement that the claims or the pages name, with what it is for."""
    parts = [f"({proof_label(statement)})=\n## {statement.title}", listing(piece.text)]
    named = [claim for claim in CLAIMS if claim.id in statement.claims]
    parts += [f"For {link(claim.id)}: ${claim.statement}$" for claim in named]
    if statement.claims:
        left = statement.assumed or "nothing beside the four axioms of the reals"
        parts.append(markdown(f"Assumed: {left}."))
    parts.append(folded("With all its premises, as Coq prints it", whole[statement.name]))
    return [*parts, folded("Proof", piece.proof)]


def page(file: str, whole: dict[str, str]) -> str:
    """The page of one file."""
    parts = []
    for piece in pieces((PROOFS / f"{file}.v").read_text("utf-8")):
        statement = HEADLINES.get((file, piece.name))
        if piece.comment:
            parts.append(words(piece.text))
        elif statement:
            parts += headline(statement, piece, whole)
        elif piece.name:
            parts.append(folded(piece.name, f"{piece.text}\n{piece.proof}"))
        else:
            parts.append(listing(piece.text))
    parts.append(f"To check this file again, in a copy of this repository on Debian or Ubuntu: `{COMMAND}`")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The page that lists all statements."""
    lines = []
    for statement in STATEMENTS:
        claims = ", ".join(link(name) for name in statement.claims) or "–"
        left = (markdown(statement.assumed) or "nothing") if statement.claims else "–"
        lines.append(f"| {{ref}}`{statement.title} <{proof_label(statement)}>` | {claims} | {left} |")
    return INDEX.format(
        statements=len(STATEMENTS), claims=len(machine_checked_claims()), command=COMMAND, rows="\n".join(lines)
    )


def machine_checked_claims() -> list[str]:
    return [claim.id for claim in CLAIMS if statements_of(claim.id)]


def counts() -> str:
    """How many claims each kind of checking has reached; a claim is in every row that it belongs to."""
    table = rows()
    judged = [row for row in table if row["verdict"] not in (NOT_CHECKABLE, NOT_WELL_FORMED)]
    found = {
        "judged by a verdict": len(judged),
        "computed": sum(bool(row["cases"]) for row in table),
        "certified by intervals": sum(bool(row["certified"]) for row in table),
        "searched": len(attacked(CLAIMS)),
        "proved by reading": sum(bool(row["proved"]) for row in table),
        "machine-checked": len(machine_checked_claims()),
        "of these assuming nothing": sum(
            any(not statement.assumed for statement in statements_of(name)) for name in machine_checked_claims()
        ),
    }
    lines = [f"| {word} | {count} |" for word, count in found.items()]
    return "\n".join(["| | claims |", "|---|---:|", *lines, f"| *all* | {len(table)} |"]) + "\n"


def searched() -> str:
    """What the searches that are recorded have tried, and how the last was made."""
    result = read(SEARCH)
    found = result.scalars
    counterexamples = found["counterexamples"] or "no"
    return (
        f"On record are {found['sittings']} searches, each with cases of its own. "
        f"Together they tried {found['cases']:,} cases against {found['claims']} claims in "
        f"{found['seconds']:,} seconds ({found['processor_seconds']:,} of processor time), at least {found['fewest']} "
        f"against each, and found {counterexamples} counterexample{'s' * (found['counterexamples'] != 1)}. "
        f"{provenance(result)}\n"
    )


INDEX = """# Proofs that a machine has checked

Coq has checked **{statements} statements** from definitions to the last step. They prove or refute {claims} claims of
the {{doc}}`ledger`; the others are steps towards them, or say more than a claim does. What such a check is worth, and
what it is not, is on the page {{doc}}`checked`.

To check them again, in a copy of this repository on a Debian or Ubuntu machine:

```sh
{command}
```

It takes less than two minutes. `make -C proofs check` has the compiled files checked once more by `coqchk`, a smaller
and independent program.

All statements rest on the four axioms with which Coq's library makes the real numbers, and on no other:
`sig_forall_dec` and `sig_not_dec` (which of two cases holds can be decided), `functional_extensionality_dep` (functions
with equal values are equal) and `classic` (a statement is true or false).

| statement | claims | assumed |
|---|---|---|
{rows}
"""


def main() -> None:
    whole = printed()
    for path in sorted(PROOFS.rglob("*.v")):
        file = path.relative_to(PROOFS).with_suffix("").as_posix()
        write(PAGES / f"{file.replace('/', '-').replace('_', '-')}.md", page(file, whole))
    write(ROOT / "book" / "proofs.md", index())
    write(ROOT / "_build" / "checked.md", counts())
    write(ROOT / "_build" / "searched.md", searched())


if __name__ == "__main__":
    main()
