"""Which statements Coq has checked: the table ``proofs/statements.toml``, read once."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PLACES = (Path(__file__).with_name("statements.toml"), Path(__file__).parents[3] / "proofs" / "statements.toml")
"""Where the table lies: in an installed library, and in a checkout."""


class Proof(NamedTuple):
    """A theorem that Coq has checked: which statements it proves or refutes as printed, for which it proves what holds
    instead, and what it takes for granted that they do not.
    """

    file: str
    theorem: str
    title: str
    printed: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    assumed: str = ""

    @property
    def name(self) -> str:
        """The file and the theorem, as in ``optimum/domination.v:domination``."""
        return f"{self.file}.v:{self.theorem}"

    @property
    def statements(self) -> tuple[str, ...]:
        """Ids of the statements that the theorem proves."""
        return tuple(dict.fromkeys((*self.printed, *self.holds)))


@cache
def proofs() -> tuple[Proof, ...]:
    """Every theorem of the table; none where the table is not at hand."""
    place = next((place for place in PLACES if place.exists()), None)
    rows: list[dict[str, Any]] = tomllib.loads(place.read_text("utf-8"))["theorem"] if place else []
    for row in rows:
        row |= {part: tuple(row.get(part, ())) for part in ("printed", "holds")}
    return tuple(Proof(**row) for row in rows)


def checked(identity: str, part: str = "printed") -> list[Proof]:
    """The theorems that prove or refute a statement as it is printed, or prove what holds instead (part "holds")."""
    return [proof for proof in proofs() if identity in getattr(proof, part)]
