r"""Errors without a list are those of the list, within the bounds that are given with them."""

import math
from typing import Any

import numpy as np

from ...accuracy.moments import Certified, exponential_moments
from ...accuracy.noise_moments import SMALL, noise_moments
from ...accuracy.noise_wide import NoiseWide
from ...checks import Floats, Integers, count_vector, prior_weights
from ...mechanisms import MECHANISMS
from ...mechanisms.line import NoiseOnCounts
from ...model.datasets import count_vectors
from ...model.distances import count_distances
from ..claim import grid
from ..item import only_in_doubles
from .source import ANY_SIZE, LIBRARY

SUMMED = "sums without a list are in doubles, with a bound"

ROUNDED = 4e-15
"""What a sum over the list is rounded by: of one and of its value."""

ROUNDED_NOISE = 1e-13
"""The same, of the law of noise."""


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


def noisy(mechanism: str, prior: Any, counts: Any, epsilon: float) -> tuple[Floats, Integers, NoiseOnCounts]:
    """A dataset, and the noise on its counts."""
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    noise = MECHANISMS[mechanism].at(epsilon).noise
    if noise is None:
        raise ValueError(f"mechanism must have noise on the counts, got {mechanism}")
    return weights, x, noise(weights, x)


def mean_of(mechanism: str, prior: Any, counts: Any, epsilon: float) -> Certified:
    """The mean without a list."""
    found = noise_moments(*noisy(mechanism, prior, counts, epsilon))
    if found is None:
        raise ValueError(f"mechanism must have noise that can be summed, got {mechanism}")
    return found.mean


@LIBRARY.item(
    "noise-at-any-size",
    "error_moments, noise on the counts",
    cases=[
        *grid(
            mechanism=["lshist", "geometric", "lsdim"],
            prior=[(1, 0.5, 2)],
            counts=[(4, 0, 9), (9, 5, 0)],
            epsilon=[0.5, 2.0],
        ),
        *grid(mechanism=["lattice_laplace"], prior=[(1, 1, 1)], counts=[(40, 45, 35), (9, 0, 3)], epsilon=[2.0, 4.0]),
        *grid(mechanism=["lattice_laplace"], prior=[(1, 1, 1, 1)], counts=[(0, 0, 12, 0)], epsilon=[12.0]),
        *grid(mechanism=["lshist", "lattice_laplace"], prior=[(1, 0.5, 2)], counts=[(90, 100, 170)], epsilon=[5.0]),
    ],
    relation="<=",
    calls=noise_moments,
    page=ANY_SIZE,
)
def noise_off_without_a_list(mechanism: Any, prior: Any, counts: Any, epsilon: Any) -> Any:
    """How far the mean is from that of the law."""
    only_in_doubles(SUMMED)
    found = MECHANISMS[mechanism].at(epsilon)
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    law = found.law(weights, x)
    true = math.fsum(law.probabilities * count_distances(weights, x, law.outputs))
    return abs(mean_of(mechanism, prior, counts, epsilon).value - true)


@noise_off_without_a_list.said(
    r"\text{the mean without a list is right up to its bound, and rounding of the list}", proof=True
)
def its_bound(mechanism: Any, prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(H = 1 - \sum_m c_m y^m\), and \(E[y^\theta]\) is a sum over the total of independent moves, which also says what
    the last count and the released total are.
    """
    return mean_of(mechanism, prior, counts, epsilon).bound + ROUNDED_NOISE


def wide_sums(mechanism: str, prior: Any, counts: Any, epsilon: float) -> NoiseWide:
    """Sums over few moves and frequencies."""
    return NoiseWide(*noisy(mechanism, prior, counts, epsilon), SMALL)


@LIBRARY.item(
    "wide-noise",
    "noise of any width",
    cases=[
        *grid(
            mechanism=["lshist", "geometric", "staircase"],
            prior=[(1, 0.5, 2)],
            counts=[(4, 0, 9), (30, 40, 25)],
            epsilon=[0.5, 2.0],
            theta=[1.0, 30.0],
        ),
        *grid(mechanism=["lshist"], prior=[(1, 1, 1, 1)], counts=[(9, 5, 7, 0)], epsilon=[0.5], theta=[1.0]),
    ],
    relation="<=",
    calls=NoiseWide,
    page=ANY_SIZE,
)
def wide_noise_off(mechanism: Any, prior: Any, counts: Any, epsilon: Any, theta: Any) -> Any:
    r"""How far \(E[1 - e^{-\theta D}]\) is from that of the law."""
    only_in_doubles(SUMMED)
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    law = MECHANISMS[mechanism].at(epsilon).law(weights, x)
    y = 1 - count_distances(weights, x, law.outputs) ** 2
    true = math.fsum(law.probabilities * (1 - y**theta))
    return abs(wide_sums(mechanism, prior, counts, epsilon).missing(theta)[0] - true)


@wide_noise_off.said(
    r"\text{few moves and few frequencies are right up to their bound, and rounding of the list}", proof=True
)
def its_wide_bound(mechanism: Any, prior: Any, counts: Any, epsilon: Any, theta: Any) -> Any:
    r"""Each factor is smooth between its ends and on either side of no move, where Gauss's rule needs few moves of it; its
    transform falls with the frequency; and of more than n records none adds more than at a smaller \(\theta\).
    """
    return wide_sums(mechanism, prior, counts, epsilon).missing(theta)[1] + ROUNDED_NOISE
