"""What does a mechanism release, and how is the release drawn?

Every mechanism is a class. ``MECHANISMS`` maps names to these classes, and the module ``base`` contains their common
base class. The mechanisms in ``noisy_counts`` add noise from the module ``noise`` to each count separately, and those
in ``lattice_noise`` add noise to all counts jointly. The mechanisms in ``exponential`` and ``flips`` draw a candidate
whose posterior is close to the true one, and the mechanism in ``noisy_records`` randomises each record. The functions
in ``remaps`` post-process the output of a mechanism.

>>> MECHANISMS["lshist"].at(0.8)
lshist(epsilon=0.8)
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..checks import brief, need
from .base import Budgeted, Mechanism, all_laws
from .exponential import Exponential, ehd, ehdl, ehds, smoothed_hellinger
from .flips import permute_and_flip
from .lattice_noise import lattice_laplace
from .law import Law, Line
from .noisy_counts import NoisyCounts, discrete_gaussian, geometric, laplace_in_order, lsdim, lshist, lszhang, staircase
from .noisy_records import randomised_response

__all__ = [
    "MECHANISMS",
    "Budgeted",
    "Exponential",
    "Law",
    "Line",
    "Mechanism",
    "NoisyCounts",
    "all_laws",
    "discrete_gaussian",
    "ehd",
    "ehdl",
    "ehds",
    "geometric",
    "laplace_in_order",
    "lattice_laplace",
    "lsdim",
    "lshist",
    "lszhang",
    "permute_and_flip",
    "randomised_response",
    "smoothed_hellinger",
    "staircase",
]

Releasable = type[NoisyCounts] | type[lattice_laplace]
"""A class of mechanisms with exact draws for a release and with the likelihoods of the noisy counts."""

# fmt: off
_ALL: tuple[type[Budgeted], ...] = (
    lszhang, lsdim, lshist, geometric, staircase, discrete_gaussian, laplace_in_order, lattice_laplace,
    ehd, ehdl, ehds, smoothed_hellinger, permute_and_flip,
    randomised_response,
)
_RELEASABLE: tuple[Releasable, ...] = (lshist, geometric, staircase, discrete_gaussian, lattice_laplace)
# fmt: on

MECHANISMS: Mapping[str, type[Budgeted]] = MappingProxyType({made.__name__: made for made in _ALL})
"""All classes of mechanisms by name: noise on the counts, then exponential mechanisms, then randomised records."""


def releasable() -> dict[str, Releasable]:
    """Classes of mechanisms that draw exactly for a release, by name.

    >>> ", ".join(releasable())
    'lshist, geometric, staircase, discrete_gaussian, lattice_laplace'
    """
    return {made.__name__: made for made in _RELEASABLE}


def releasable_mechanism(mechanism: str) -> Releasable:
    """The class with a given name, which must be one of ``releasable``; otherwise raises ``ValueError``."""
    known = releasable()
    good = isinstance(mechanism, str) and mechanism in known
    need(good, f"mechanism must be one of {', '.join(known)}, which draw exactly, got mechanism={brief(mechanism)}")
    return known[mechanism]
