"""Write the pages of the proofs that were checked by Coq: one page for each file, beginning with its theorems."""

import re

from crossref import link, proof_label, template
from dpbi.claims import BY_ID
from dpbi.claims.machine import Proof, proofs
from generate import ROOT, write
from ledger import markdown

PROOFS = ROOT / "proofs"
PAGES = ROOT / "book" / "proofs"


def words(comment: str) -> str:
    """Convert a comment in a Coq file to Markdown, with code between backticks."""
    return re.sub(r"\[(?!\d)([^\[\]]+)\]", r"`\1`", re.sub(r"^ {2,4}", "", comment, flags=re.MULTILINE))


def printed() -> dict[str, str]:
    """Headline theorems with all their premises, as printed by Coq, by name."""
    parts = re.split(r"^\(\* (\S+) \*\)\n", (PROOFS / "statements.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


def headline(statement: Proof, whole: str) -> list[str]:
    """Section on a headline theorem: all premises, the statements that the theorem supports, and its assumptions."""
    parts = [f"({proof_label(statement)})=\n## {statement.title}", f"```coq\n{whole}\n```"]
    parts += [f"For {link(name)}: {BY_ID[name].says}" for name in statement.printed]
    parts += [f"For the correction of {link(name)}: {BY_ID[name].holds}" for name in statement.holds]
    if statement.statements:
        left = statement.assumed or "nothing beyond the four axioms of the reals"
        parts.append(markdown(f"Assumed: {left}."))
    return parts


def page(file: str, whole: dict[str, str]) -> str:
    """Page of one file: its subject, its headline theorems as printed by Coq, and the file itself."""
    source = (PROOFS / f"{file}.v").read_text("utf-8")
    title, about = re.match(r"\(\*\* \* (.*?)\n\n(.*?) ?\*\)\s*\n", source, re.DOTALL).groups()
    parts = [f"# {title.strip()}", words(about)]
    for statement in proofs():
        if statement.file == file:
            parts += headline(statement, whole[statement.name])
    parts.append(f"## The file\n\n```{{literalinclude}} ../../proofs/{file}.v\n:language: coq\n```")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Page that lists all headline theorems."""
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
