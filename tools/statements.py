"""Write the headline theorems as printed by Coq, each with all its premises, and the axioms on which they rest.

    python tools/statements.py          write proofs/statements.txt

Run `make proofs` first: the proofs must have been checked.
"""

import re
import subprocess
from pathlib import Path

from dpbi.claims.machine import proofs

ROOT = Path(__file__).parents[1]
COMPILED = ROOT / "_build" / "proofs"
PRINTED = ROOT / "proofs" / "statements.txt"
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""Axioms from which the standard library of Coq constructs the real numbers."""


def ask(*commands: str) -> list[str]:
    """Answer of Coq to each command, given after loading the proof files without importing their names."""
    files = dict.fromkeys(statement.file.replace("/", ".") for statement in proofs())
    script = ["From Coq Require Import Reals.", "Open Scope R_scope.", "Set Printing Width 110."]
    script += [f"From DPBI Require {file}." for file in files]
    text = "\n".join(script + [f"Check {number}%nat.\n{command}" for number, command in enumerate(commands)])
    source = COMPILED / "asked.v"
    source.write_text(text + "\n", "utf-8")
    command = ["coqc", "-q", "-w", "none", "-Q", ".", "DPBI", source.name]
    run = subprocess.run(command, cwd=COMPILED, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"Coq rejected the commands: {run.stderr}")
    return [part.strip() for part in re.split(r"^\d+%nat\n     : nat\n", run.stdout, flags=re.MULTILINE)[1:]]


def full_names() -> list[str]:
    return [f"{statement.file.replace('/', '.')}.{statement.theorem}" for statement in proofs()]


def statements() -> str:
    """Headline theorems as printed by Coq, without the names of files."""
    answers = ask(*(f"Check @{name}." for name in full_names()))
    each = zip(proofs(), answers, strict=True)
    return "\n".join(f"(* {statement.name} *)\n{shorter(answer)}\n" for statement, answer in each)


def shorter(answer: str) -> str:
    """Remove the name of the theorem before the colon, and the names of files, from a printed theorem."""
    answer = re.sub(r"^@?[\w.]+\s*:\s*", "", answer).replace("\n       ", "\n  ")
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z_])", "", answer)


def axioms(*names: str) -> set[str]:
    """Union of the axioms on which the given theorems rest."""
    together = ", ".join(f"@{name}" for name in names)
    (answer,) = ask(f"Definition together := ({together}).\nPrint Assumptions together.")
    return set(re.findall(r"^([A-Z][\w.]+) *(?::|$)", answer, re.MULTILINE)) - {"Axioms"}


if __name__ == "__main__":
    PRINTED.write_text(statements(), "utf-8")
