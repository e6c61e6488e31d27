"""How each mechanism looks in the book: colour and marker, names, and the parameters of its law in the explorer.

The table is ``looks.toml``. A mechanism without a row is drawn in grey, and the explorer and the gallery leave it out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from ..checks import need, readable
from ..mechanisms import MECHANISMS, NoisyCounts
from ..mechanisms.gaussian_noise import GaussianNoise


@readable
class Look(NamedTuple):
    """How one mechanism looks.

    Attributes:
        color: Its colour in every figure of the book.
        marker: Its marker there.
        words: Its name in prose.
        about: One line, without formulas, on its law for two categories.
        meaning: One line with formulas.
        letters: Its names in the sources, by source.
        law: Its law for two categories, where it is no subclass of ``NoisyCounts``: the name of one with the same law,
            or the name of a rate or of a channel of records that the explorer knows.
    """

    color: str
    marker: str
    words: str
    about: str
    meaning: str
    letters: Mapping[str, str] = MappingProxyType({})
    law: str | Mapping[str, Any] = ""


LOOKS: Mapping[str, Look] = {
    name: Look(**row) for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
"""The looks by the names of the mechanisms."""


def pattern(name: str) -> dict[str, Any]:
    """The parameters of a law at two categories, from which the explorer of the book computes it.

    >>> pattern("staircase"), pattern("lattice_laplace")["scale"], pattern("ehdl")
    ({'upper': (0, 1), 'lower': (1, 1), 'scale': 1}, 1, {'rate': 'local'})
    """
    law = LOOKS[name].law or name
    if not isinstance(law, str):
        return dict(law)
    same = MECHANISMS[law]
    need(issubclass(same, NoisyCounts), f"law of {name} must be given, as it is no noise on the counts, got none")
    noisy = cast(type[NoisyCounts], same)
    noise = noisy.noise
    weights = {"gaussian": True} if isinstance(noise, GaussianNoise) else {"upper": noise.upper, "lower": noise.lower}
    return {**weights, "scale": noisy.scale(2)}
