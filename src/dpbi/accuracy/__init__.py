"""How far off is a release? The package computes the distribution, mean, tail and quantiles of the Hellinger error.

* ``errors``: the public functions, which choose a method of computation.
* ``listed``: the distribution of the error by an exact sum over the list of outputs.
* ``two_categories``: errors for two categories at any number of records, by sums along the line of outputs.
* ``moments``: moments of the error for exponential mechanisms at any number of categories and records, by ``mixture``
  and ``products``.
* ``simulation``: estimates from random draws, with standard errors, for all other cases.
"""

from .errors import (
    closer_than,
    error_below,
    error_law,
    error_moments,
    error_quantile,
    error_quantiles,
    error_tail,
    mean_error,
    mean_errors,
    steps_within,
)
from .listed import ErrorLaw
from .moments import Certified, ErrorMoments
from .simulation import Estimate, simulated_error, simulated_mean_error

__all__ = [
    "Certified", "ErrorLaw", "ErrorMoments", "Estimate", "closer_than", "error_below", "error_law", "error_moments",
    "error_quantile", "error_quantiles", "error_tail", "mean_error", "mean_errors",
    "simulated_error", "simulated_mean_error", "steps_within",
]  # fmt: skip
