"""How far off a release is: the exact law of its error, and enclosures where there is no list.

``errors`` sums over the list of outputs. Without one, ``two_categories`` sums along the line, ``moments`` over
the candidates of exponential mechanisms by ``mixture`` and ``products``, ``noise_moments`` over noise on the counts,
``noise_wide`` if it is wide, ``lattice_sums`` if lattice noise meets an end and ``lattice_levels`` if nothing is near;
``enclosures`` bound the law itself by its ``spectrum``.
"""

from .enclosures import Bounds, Estimate, error_bounds, quantile_bounds, simulated_error
from .errors import (
    ErrorLaw,
    closer_than,
    error_below,
    error_law,
    error_moments,
    error_quantile,
    error_quantiles,
    error_tail,
    error_tails,
    mean_error,
    mean_errors,
    steps_within,
)
from .moments import Certified, ErrorMoments

__all__ = [
    "Bounds",
    "Certified",
    "ErrorLaw",
    "ErrorMoments",
    "Estimate",
    "closer_than",
    "error_below",
    "error_bounds",
    "error_law",
    "error_moments",
    "error_quantile",
    "error_quantiles",
    "error_tail",
    "error_tails",
    "mean_error",
    "mean_errors",
    "quantile_bounds",
    "simulated_error",
    "steps_within",
]
