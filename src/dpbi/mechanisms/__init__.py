"""What is released, and how is it drawn?

Every function below makes a ``Mechanism``, and ``MECHANISMS`` has an entry for each. ``noise`` and ``noisy_counts`` add
noise to the counts one by one, ``lattice_noise`` to all of them at once, ``exponential`` and ``flips`` draw a candidate
near the posterior, ``noisy_records`` randomises each record. ``remaps`` post-process the output of a mechanism.
"""

from .description import Law, Mechanism, all_laws
from .exponential import ehd, ehdl, ehds, smoothed_hellinger
from .flips import permute_and_flip
from .lattice_noise import lattice_laplace
from .line import Line
from .noisy_counts import discrete_gaussian, geometric, laplace_in_order, lsdim, lshist, lszhang, staircase
from .noisy_records import randomised_response
from .table import MECHANISMS, Entry, entry, entry_of

__all__ = [
    "MECHANISMS",
    "Entry",
    "Law",
    "Line",
    "Mechanism",
    "all_laws",
    "discrete_gaussian",
    "ehd",
    "ehdl",
    "ehds",
    "entry",
    "entry_of",
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
