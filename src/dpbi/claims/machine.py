"""The statements that Coq has checked, read once from the table ``proofs/statements.toml``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PLACES = (Path(__file__).with_name("statements.toml"), Path(__file__).parents[3] / "proofs" / "statements.toml")
"""The two possible places of the table: in an installed library, and in a checkout of the repository."""


class Proof(NamedTuple):
    """A theorem that Coq has checked, and the statements that it proves or refutes.

    Attributes:
        file: Path of the theorem's file in the folder of proofs, without the suffix.
        theorem: Name of the theorem in its file.
        title: The theorem in a few words.
        printed: Ids of the statements that the theorem proves or refutes as they are printed.
        holds: Ids of the statements whose corrections the theorem proves.
        assumed: Assumptions of the theorem that the statements do not make, in words.
    """

    file: str
    theorem: str
    title: str
    printed: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    assumed: str = ""

    @property
    def name(self) -> str:
        """The file and the theorem, for example ``optimum/domination.v:domination``."""
        return f"{self.file}.v:{self.theorem}"

    @property
    def statements(self) -> tuple[str, ...]:
        """Ids of all statements that the theorem is about, without duplicates."""
        return tuple(dict.fromkeys((*self.printed, *self.holds)))


@cache
def proofs() -> tuple[Proof, ...]:
    """All theorems of the table; the result is empty if there is no table, as in a copy of the library without the
    proofs."""
    place = next((place for place in PLACES if place.exists()), None)
    rows: list[dict[str, Any]] = tomllib.loads(place.read_text("utf-8"))["theorem"] if place else []
    for row in rows:
        row |= {part: tuple(row.get(part, ())) for part in ("printed", "holds")}
    return tuple(Proof(**row) for row in rows)


def checked(identity: str, part: str = "printed") -> list[Proof]:
    """The theorems that prove or refute a printed statement or, with ``part="holds"``, prove its correction."""
    return [proof for proof in proofs() if identity in getattr(proof, part)]
