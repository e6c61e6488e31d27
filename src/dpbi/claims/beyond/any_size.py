r"""Errors without a list are those of the list, within the bounds that are given with them."""

import math
from typing import Any

import numpy as np

from ...accuracy.moments import exponential_moments
from ...checks import count_vector, prior_weights
from ...model.datasets import count_vectors
from ...model.distances import count_distances
from ..claim import grid
from ..item import only_in_doubles
from .source import ANY_SIZE, LIBRARY

SUMMED = "sums without a list are in doubles, with a bound"

ROUNDED = 4e-15
"""What a sum over the list is rounded by: of one and of its value."""


@LIBRARY.item(
    "moments-at-any-size",
    "error_moments, an exponential mechanism",
    cases=[
        *grid(prior=[(1, 1, 1)], counts=[(12, 5, 0), (6, 6, 6)], rate=[0.5, 8.0, 40.0], part=[0, 1, 2]),
        *grid(prior=[(0.02, 300, 2, 1)], counts=[(9, 0, 3, 2)], rate=[3.0], part=[0, 1, 2]),
        *grid(prior=[(1, 0.5)], counts=[(900, 1100)], rate=[20.0], part=[0, 1, 2]),
    ],
    relation="<=",
    calls=exponential_moments,
    page=ANY_SIZE,
)
def off_without_a_list(prior: Any, counts: Any, rate: Any, part: Any) -> Any:
    """How far mean, deviation or ln Z (parts 0, 1, 2) are from sums over the list of candidates."""
    only_in_doubles(SUMMED)
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    H = count_distances(weights, x, count_vectors(int(x.sum()), len(x)))
    w = np.exp(-rate * H)
    total = math.fsum(w)
    mean = math.fsum(w * H) / total
    true = (mean, math.sqrt(math.fsum(w * (H - mean) ** 2) / total), math.log(total))[part]
    return abs(exponential_moments(weights, x, rate)[part].value - true)


@off_without_a_list.said(
    r"\text{mean, deviation and } \ln Z \text{ without a list are right up to their bound, and rounding of the list}",
    proof=True,
)
def their_bound(prior: Any, counts: Any, rate: Any, part: Any) -> Any:
    r"""The weight is a sum of exponentials of the exponent up to a checked error; each exponential is a product, whose
    coefficient one Fourier sum gives, with bounds on windows, steps, frequencies and totals left out. The list itself
    is right to some units of the last place.
    """
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    found = exponential_moments(weights, x, rate)[part]
    return found.bound + ROUNDED * (1 + abs(found.value))
