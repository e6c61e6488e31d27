"""Write the pages of the proofs that a machine has checked: a page for every file, statements first."""

import re

from crossref import link, proof_label, template
from dpbi.claims import BY_ID
from dpbi.claims.machine import Proof, proofs
from generate import ROOT, write
from ledger import markdown

PROOFS = ROOT / "proofs"
PAGES = ROOT / "book" / "proofs"


def words(comment: str) -> str:
    """A comment as Markdown: the code in it between backticks."""
    return re.sub(r"\[(?!\d)([^\[\]]+)\]", r"`\1`", re.sub(r"^ {2,4}", "", comment, flags=re.MULTILINE))


def printed() -> dict[str, str]:
    """Every headline statement with all its premises, as Coq prints it."""
    parts = re.split(r"^\(\* (\S+) \*\)\n", (PROOFS / "statements.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def headline(statement: Proof, whole: str) -> list[str]:
    """A theorem that the ledger or the pages name, with all its premises, and what it is for."""
    parts = [f"({proof_label(statement)})=\n## {statement.title}", f"```coq\n{whole}\n```"]
    parts += [f"For {link(name)}: {BY_ID[name].says}" for name in statement.printed]
    parts += [f"For what holds instead of {link(name)}: {BY_ID[name].holds}" for name in statement.holds]
    if statement.statements:
        left = statement.assumed or "nothing beside the four axioms of the reals"
        parts.append(markdown(f"Assumed: {left}."))
    return parts


def page(file: str, whole: dict[str, str]) -> str:
    """The page of one file: what it is about, its headline statements as Coq prints them, and the file."""
    source = (PROOFS / f"{file}.v").read_text("utf-8")
    title, about = re.match(r"\(\*\* \* (.*?)\n\n(.*?) ?\*\)\s*\n", source, re.DOTALL).groups()
    parts = [f"# {title.strip()}", words(about)]
    for statement in proofs():
        if statement.file == file:
            parts += headline(statement, whole[statement.name])
    parts.append(f"## The file\n\n```{{literalinclude}} ../../proofs/{file}.v\n:language: coq\n```")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The page that lists all statements."""
    lines = []
    for statement in proofs():
        claims = ", ".join(link(name) for name in statement.statements)
        left = (markdown(statement.assumed) or "nothing") if statement.statements else ""
        lines.append(f"| {{ref}}`{statement.title} <{proof_label(statement)}>` | {claims} | {left} |")
    named = {name for proof in proofs() for name in proof.statements}
    return template("proofs").format(statements=len(proofs()), claims=len(named), rows="\n".join(lines))


def main() -> None:
    whole = printed()
    for path in sorted(PROOFS.rglob("*.v")):
        file = path.relative_to(PROOFS).with_suffix("").as_posix()
        write(PAGES / f"{file.replace('/', '-').replace('_', '-')}.md", page(file, whole))
    write(ROOT / "book" / "proofs.md", index())


if __name__ == "__main__":
    main()
