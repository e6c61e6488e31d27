"""What does a mechanism release, and how is the release drawn?

Every mechanism is a class. ``MECHANISMS`` maps names to these classes, and the module ``base`` contains their common
base class. The mechanisms in ``noisy_counts`` add noise from the module ``noise`` to each count separately, and those
in ``lattice_noise`` add noise to all counts jointly. The mechanisms in ``exponential`` and ``flips`` draw a candidate
whose posterior is close to the true one, and the mechanism in ``noisy_records`` randomises each record. The functions
in ``remaps`` post-process the output of a mechanism.
"""

from .base import Budgeted, Mechanism, all_laws
from .exponential import Exponential, ehd, ehdl, ehds, smoothed_hellinger
from .flips import permute_and_flip
from .lattice_noise import lattice_laplace
from .law import Law
from .line import Line
from .noisy_counts import NoisyCounts, discrete_gaussian, geometric, laplace_in_order, lsdim, lshist, lszhang, staircase
from .noisy_records import randomised_response
from .table import MECHANISMS

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
