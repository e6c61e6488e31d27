"""Theorems that Coq has checked, read once from the file ``proofs/statements.toml``."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PLACES = (Path(__file__).with_name("statements.toml"), Path(__file__).parents[3] / "proofs" / "statements.toml")
"""The two possible paths of the file: in an installed library, and in a checkout of the repository."""


class Proof(NamedTuple):
    """A theorem that Coq has checked, with the statements that the theorem proves or refutes.

    Attributes:
        file: Path of the file that contains the theorem, relative to the folder of proofs and without the suffix.
        theorem: Name of the theorem in its file.
        title: A short description of the theorem.
        printed: Ids of the statements whose printed form the theorem proves or refutes.
        holds: Ids of the statements whose corrections the theorem proves.
        assumed: A description of the assumptions that the theorem makes and the statements do not.
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
        """Ids of all statements that the theorem concerns, without duplicates."""
        return tuple(dict.fromkeys((*self.printed, *self.holds)))


@cache
def proofs() -> tuple[Proof, ...]:
    """All theorems in the file; the result is empty if the library was copied without this file."""
    place = next((place for place in PLACES if place.exists()), None)
    rows: list[dict[str, Any]] = tomllib.loads(place.read_text("utf-8"))["theorem"] if place else []
    return tuple(Proof(**row | {part: tuple(row.get(part, ())) for part in ("printed", "holds")}) for row in rows)


def checked(identity: str, part: str = "printed") -> list[Proof]:
    """Theorems that prove or refute a printed statement or, with ``part="holds"``, prove its correction."""
    return [proof for proof in proofs() if identity in getattr(proof, part)]
