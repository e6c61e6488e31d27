"""Which statements Coq has checked: the table ``proofs/statements.toml``, read once."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

PLACES = (Path(__file__).with_name("statements.toml"), Path(__file__).parents[3] / "proofs" / "statements.toml")
"""Where the table lies: in an installed library, and in a checkout."""


@cache
def proofs() -> list[dict[str, Any]]:
    """Every theorem of the table: file, theorem, title, the ids that it proves as printed or holds, what it assumes."""
    place = next((place for place in PLACES if place.exists()), None)
    return [] if place is None else tomllib.loads(place.read_text("utf-8"))["theorem"]


def checked(id: str, part: str = "printed") -> list[dict[str, Any]]:
    """The theorems that prove or refute a statement as it is printed, or what holds instead (part "holds")."""
    return [each for each in proofs() if id in each.get(part, ())]
