"""Appearance of each mechanism in the book: colour, marker, names, and parameters of its distribution in the explorer.

The data are in ``looks.toml``. A mechanism without an entry is drawn in grey, and the explorer and the gallery omit it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ..checks import need
from ..mechanisms import MECHANISMS, NoisyCounts
from ..mechanisms.gaussian_noise import GaussianNoise


class Look(NamedTuple):
    """Appearance and names of one mechanism in the book, or of a line that belongs to no mechanism and has no name.

    Attributes:
        color: Colour of the mechanism in every figure.
        marker: Marker of the mechanism in every figure.
        words: Name of the mechanism in prose.
        about: One line without formulas about the output distribution for two categories.
        meaning: One line with formulas about the mechanism.
        letters: Names of the mechanism in the sources, by source.
        law: Output distribution for two categories, if the mechanism is not a subclass of ``NoisyCounts``: the name of
            a mechanism with the same distribution, or the parameters by which the explorer computes it.
    """

    color: str
    marker: str
    words: str = ""
    about: str = ""
    meaning: str = ""
    letters: Mapping[str, str] = MappingProxyType({})
    law: str | Mapping[str, Any] = ""


LOOKS: Mapping[str, Look] = {
    name: Look(**row) for name, row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
"""The appearance of each mechanism, by the name of the mechanism."""


def pattern(name: str) -> dict[str, Any]:
    """Parameters from which the explorer of the book computes a mechanism's distribution for two categories.

    >>> pattern("staircase"), pattern("lattice_laplace")["scale"], pattern("ehdl")
    ({'upper': (0, 1), 'lower': (1, 1), 'scale': 1}, 1, {'rate': 'local'})
    """
    law = LOOKS[name].law or name
    if not isinstance(law, str):
        return dict(law)
    noisy: Any = MECHANISMS[law]
    need(issubclass(noisy, NoisyCounts), f"law of {name} must be given unless it adds noise to the counts, got none")
    noise = noisy.noise
    weights = {"gaussian": True} if isinstance(noise, GaussianNoise) else {"upper": noise.upper, "lower": noise.lower}
    return {**weights, "scale": noisy.scale(2)}
