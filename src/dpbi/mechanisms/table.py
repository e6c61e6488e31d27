r"""The table of mechanisms, ``MECHANISMS``: an entry for each, with its constructor, names and look.

The plots, the notebooks, the explorer, the command, the notation and the tests iterate over it, so that a new mechanism
needs no change elsewhere.

>>> [name for name, entry in MECHANISMS.items() if entry.released]
['lshist', 'geometric', 'staircase', 'discrete_gaussian', 'lattice_laplace']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ParamSpec, Protocol

from ..checks import brief, need
from .description import Mechanism
from .noise import NoiseLaw as NoiseLaw

P = ParamSpec("P")

FAMILIES = ("noise on the counts", "exponential", "noise on the records")
"""Groups of mechanisms, by what is random."""


class Released(Protocol):
    """Exact draws of a mechanism for publication, and the likelihoods of the noisy counts."""

    @property
    def currency(self) -> str:
        r"""Unit of the budget: "epsilon", or "rho" of zero-concentrated privacy, \(\rho = \varepsilon^2 / 2\)."""
        ...

    def drawn(self, counts: Sequence[int], budget: Fraction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Draws noisy counts exactly at a budget; returns them and the legal counts made of them."""
        ...

    def legal(self, noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """The legal counts of n records that are made of noisy counts."""
        ...

    def likelihoods(self, epsilon: float, k: int) -> Sequence[NoiseLaw | None]:
        """The law of the noise of every category, None where a count has no noise of its own."""
        ...

    def informative_part(self, noisy: Sequence[int], n: int) -> list[int]:
        """The noisy counts, with what carries no information about counts of n records removed."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Entry:
    """One mechanism of the table.

    Attributes:
        name: Name of the function that makes it.
        make: That function, of the budget epsilon.
        family: One of ``FAMILIES``.
        about: One line, without formulas, on its law for two categories.
        meaning: One line with formulas.
        letters: Its names in the sources, by source.
        color: Its colour in every figure of the book.
        marker: Its marker there.
        pattern: Parameters of its law for the explorer: of the noise of a count, the name of a rate, or a channel of
            records.
        words: Its name in prose; by default the name in code without underscores.
        arguments: Further arguments of ``make`` in examples.
        released: Its exact draws for publication, or None.

    >>> MECHANISMS["lshist"].at(0.8)
    <Mechanism lshist, promises PureDP(epsilon=0.8)>
    """

    name: str
    make: Callable[..., Mechanism]
    family: str
    about: str
    meaning: str
    letters: Mapping[str, str]
    color: str
    marker: str
    pattern: Mapping[str, Any]
    words: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    released: Released | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.words or self.name.replace("_", " "))
        if self.family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(FAMILIES)}, got family={self.family!r} for {self.name}")
        empty = [word for word in ("about", "meaning", "color", "marker", "pattern") if not getattr(self, word)]
        if empty or not (self.make.__doc__ or "").strip():
            raise ValueError(f"{self.name} must have a docstring and say all of its entry, got nothing for {empty}")

    def at(self, epsilon: float) -> Mechanism:
        """The mechanism at a budget epsilon."""
        return self.make(epsilon, **self.arguments)

    def __repr__(self) -> str:
        return f"<Entry {self.name}>"


_entries: dict[str, Entry] = {}

MECHANISMS: Mapping[str, Entry] = MappingProxyType(_entries)
"""The entries by name, family by family."""


def entry(**said: Any) -> Callable[[Callable[P, Mechanism]], Callable[P, Mechanism]]:
    """Decorator that puts the function that makes a mechanism into the table; its keywords are the fields of ``Entry``.

    >>> from dpbi import lshist
    >>> MECHANISMS["lshist"].make is lshist
    True
    """

    def add(make: Callable[P, Mechanism]) -> Callable[P, Mechanism]:
        name = make.__name__
        need(name not in _entries, f"a mechanism must have a name of its own, got {name} twice")
        entries = [*_entries.values(), Entry(name=name, make=make, **said)]
        _entries.clear()
        _entries.update({entry.name: entry for entry in sorted(entries, key=lambda e: FAMILIES.index(e.family))})
        return make

    return add


def entry_of(mechanism: Mechanism | str) -> Entry:
    """The entry of a mechanism, or of its name, up to the first comma: "ehd, calibrated to 1" is ehd.

    >>> entry_of("ehd, calibrated to 1").family
    'exponential'
    """
    name = mechanism if isinstance(mechanism, str) else mechanism.name
    known = name.split(",")[0]
    need(known in MECHANISMS, f"mechanism must be one of {', '.join(MECHANISMS)}, got {brief(name)}")
    return MECHANISMS[known]


def releasable() -> dict[str, Released]:
    """The mechanisms with exact draws for publication, by name.

    >>> ", ".join(releasable())
    'lshist, geometric, staircase, discrete_gaussian, lattice_laplace'
    """
    return {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}


def drawn_by(mechanism: str) -> Released:
    """The exact draws of a mechanism, by its name; ``ValueError`` if it has none."""
    known = releasable()
    if not isinstance(mechanism, str) or mechanism not in known:
        raise ValueError(
            f"mechanism must be one of {', '.join(known)}, which draw exactly, got mechanism={brief(mechanism)}"
        )
    return known[mechanism]
