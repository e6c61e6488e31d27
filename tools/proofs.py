"""Write the pages of the proofs that a machine has checked: a page for every file, statements first, proofs folded."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from crossref import link, proof_label
from dpbi.claims import BY_ID
from dpbi.claims.machine import Proof, proofs
from generate import ROOT, write
from ledger import markdown

PROOFS = ROOT / "proofs"
PAGES = ROOT / "book" / "proofs"
PRINTED = PROOFS / "statements.txt"
COMMAND = "sudo apt install --no-install-recommends coq libcoq-coquelicot libcoq-interval && make proofs"
HEADLINES = {(proof.file, proof.theorem): proof for proof in proofs()}


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


def headline(statement: Proof, piece: Piece, whole: dict[str, str]) -> list[str]:
    """A theorem that the ledger or the pages name, with what it is for."""
    parts = [f"({proof_label(statement)})=\n## {statement.title}", listing(piece.text)]
    parts += [f"For {link(name)}: {BY_ID[name].says}" for name in statement.printed]
    parts += [f"For what holds instead of {link(name)}: {BY_ID[name].holds}" for name in statement.holds]
    if statement.statements:
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
    for statement in proofs():
        claims = ", ".join(link(name) for name in statement.statements) or "–"
        left = (markdown(statement.assumed) or "nothing") if statement.statements else "–"
        lines.append(f"| {{ref}}`{statement.title} <{proof_label(statement)}>` | {claims} | {left} |")
    named = {name for proof in proofs() for name in proof.statements}
    return INDEX.format(statements=len(proofs()), claims=len(named), command=COMMAND, rows="\n".join(lines))


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


if __name__ == "__main__":
    main()
