"""What is released, and how is it drawn?

Every mechanism is a class, and ``MECHANISMS`` has them by name; ``base`` has what they share. ``noise`` and
``noisy_counts`` add noise to the counts one by one, ``lattice_noise`` to all of them at once, ``exponential`` and
``flips`` draw a candidate near the posterior, ``noisy_records`` randomises each record. ``remaps`` post-process the
output of a mechanism.
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
