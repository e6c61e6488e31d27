r"""The table of mechanisms: one entry each, and everything that lists mechanisms goes through it.

An entry is a function that makes a mechanism of its privacy budget, and what the pages and the command say of it. The
plots, the notebooks, the explorer, the command, the notation and the tests iterate over ``MECHANISMS``.

>>> [name for name, entry in MECHANISMS.items() if entry.released]
['lshist', 'geometric', 'staircase', 'discrete_gaussian', 'lattice_laplace']
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ParamSpec, Protocol

from .description import Mechanism
from .noise import NoiseLaw as NoiseLaw

P = ParamSpec("P")

FAMILIES = ("noise on the counts", "exponential", "noise on the records")
"""The kinds of mechanisms, by what is random."""


class Released(Protocol):
    """What a release needs of a mechanism: exact noise on counts, and what a noisy count says about the true one."""

    @property
    def currency(self) -> str:
        r"""What it is charged in: "epsilon", or "rho" of zero-concentrated privacy, \(\rho = \varepsilon^2 / 2\)."""
        ...

    def drawn(self, counts: Sequence[int], budget: Fraction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Noisy counts, drawn exactly at a budget in its currency, and the legal counts that it makes of them."""
        ...

    def legal(self, noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """The legal counts of n records that it makes of noisy ones."""
        ...

    def likelihoods(self, epsilon: float, k: int) -> Sequence[NoiseLaw | None]:
        """For every category the law of its noise, None where the count is released without."""
        ...

    def told(self, noisy: Sequence[int], n: int) -> list[int]:
        """The noisy counts as far as they tell anything about counts of n records."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True)
class Entry:
    """One mechanism: how to make it, and what is said of it.

    ``words`` is its name in words, its name in code without underscores if nothing is said. ``about`` says in a line
    what is drawn, for two categories, and ``meaning`` what it is, with formulas. ``letters`` are its names in the
    sources, by source. ``color`` and ``marker`` are the same in every figure of the book. ``arguments`` complete a
    budget to an example. ``released`` is the noise that may be drawn for publication, None where none is drawn exactly.
    ``pattern`` is what the explorer computes its law from: the noise of one count and its scale, the name of a rate, or
    a channel of the records.

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
        """The mechanism at a budget, with the example's arguments."""
        return self.make(epsilon, **self.arguments)


_entries: dict[str, Entry] = {}

MECHANISMS: Mapping[str, Entry] = MappingProxyType(_entries)
"""Every mechanism by the name of the function that makes it, family by family."""


def entry(**said: Any) -> Callable[[Callable[P, Mechanism]], Callable[P, Mechanism]]:
    """Put the function that makes a mechanism into the table.

    >>> from dpbi import lshist
    >>> MECHANISMS["lshist"].make is lshist
    True
    """

    def add(make: Callable[P, Mechanism]) -> Callable[P, Mechanism]:
        name = make.__name__
        if name in _entries:
            raise ValueError(f"a mechanism must have a name of its own, got {name} twice")
        entries = [*_entries.values(), Entry(name=name, make=make, **said)]
        _entries.clear()
        _entries.update({entry.name: entry for entry in sorted(entries, key=lambda e: FAMILIES.index(e.family))})
        return make

    return add


def entry_of(mechanism: Mechanism | str) -> Entry:
    """The entry of a mechanism or of its name, whatever words follow it: "ehd, calibrated to 1" is ehd.

    >>> entry_of("ehd, calibrated to 1").family
    'exponential'
    """
    name = mechanism if isinstance(mechanism, str) else mechanism.name
    known = name.split(",")[0]
    if known not in MECHANISMS:
        raise ValueError(f"mechanism must be one of {', '.join(MECHANISMS)}, got {name!r}")
    return MECHANISMS[known]


def releasable() -> dict[str, Released]:
    """The mechanisms whose noise is drawn exactly, by name.

    >>> ", ".join(releasable())
    'lshist, geometric, staircase, discrete_gaussian, lattice_laplace'
    """
    return {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}


def drawn_by(mechanism: str) -> Released:
    """The mechanism of a name, whose noise is drawn exactly."""
    known = releasable()
    if mechanism not in known:
        allowed = f"one of {', '.join(known)}, whose noise is drawn exactly"
        raise ValueError(f"mechanism must be {allowed}, got mechanism={mechanism!r}")
    return known[mechanism]
