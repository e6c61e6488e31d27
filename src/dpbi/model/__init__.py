"""What are the data, what is their posterior, and how far does one record move the posterior?

``datasets`` lists the count vectors and their neighbours. ``dirichlet`` computes the posterior and ``distances`` the
Hellinger distance between two posteriors. ``sensitivities`` computes the largest distances between neighbours, and
``predictive`` the prior probabilities of the datasets. ``sums`` contains Gauss rules for sums over many counts.
"""

from .datasets import count_vectors, lattice_size, moves, neighbours
from .dirichlet import log_density, posterior
from .distances import count_distances, hellinger, lattice_distances
from .predictive import marginal
from .sensitivities import (
    PRINTED_GLOBAL_SENSITIVITY,
    exponential_smooth_sensitivity,
    farthest_neighbour,
    global_sensitivity,
    local_sensitivity,
    reciprocal_slope,
    reciprocal_smooth_sensitivity,
)

__all__ = [
    "PRINTED_GLOBAL_SENSITIVITY",
    "count_distances",
    "count_vectors",
    "exponential_smooth_sensitivity",
    "farthest_neighbour",
    "global_sensitivity",
    "hellinger",
    "lattice_distances",
    "lattice_size",
    "local_sensitivity",
    "log_density",
    "marginal",
    "moves",
    "neighbours",
    "posterior",
    "reciprocal_slope",
    "reciprocal_smooth_sensitivity",
]
