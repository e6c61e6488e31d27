r"""Hellinger errors estimated from draws, with the standard errors of the estimates.

Simulation needs neither a list of outputs nor a formula, so it is possible for every mechanism at every size. An
estimate is not a bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..mechanisms import Mechanism
from ..model.distances import count_distances
from .two_categories import TIE_TOLERANCE


@checks.readable
class Estimate(NamedTuple):
    """A simulated value and its uncertainty.

    Attributes:
        value: The estimate.
        standard_error: Standard deviation of the estimate over repeated simulations.

    >>> Estimate(value=0.5, standard_error=0.01)
    Estimate(value=0.5, standard_error=0.01)
    """

    value: float
    standard_error: float


def simulated_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""Simulated probability that the Hellinger error is below a threshold, \(\Pr[H < t]\), at one dataset.

    The standard error is \(\sqrt{p(1-p)/N}\) with \(p = (c + 1/2) / (N + 1)\), where c is the number of draws with an
    error below t. So the standard error is never zero.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        t: Hellinger distance, a finite number.
        rng: Random number generator.
        size: Number N of draws, at least 1.

    Returns:
        The share of draws with an error below t, and its standard error.

    >>> from dpbi import ehds
    >>> found = simulated_error(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, np.random.default_rng(1))
    >>> found.value, round(found.standard_error, 6)
    (0.963, 0.001889)
    >>> from dpbi import error_law, geometric  # at a distance that occurs: only the dataset itself is closer
    >>> t = error_law(geometric(1.0), [1, 1], [10, 10]).distances[1] * (1 + 1e-15)
    >>> simulated_error(geometric(1.0), [1, 1], [10, 10], t, np.random.default_rng(1)).value < 0.5
    True
    """
    threshold = checks.real("t", t)
    errors = _drawn_errors(mechanism, prior, counts, rng, size, least=1)
    # a distance that equals t up to rounding is not below it
    inside = int((errors < threshold - TIE_TOLERANCE * abs(threshold)).sum())
    p = (inside + 0.5) / (len(errors) + 1)
    return Estimate(inside / len(errors), math.sqrt(p * (1 - p) / len(errors)))


def simulated_mean_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""Simulated expected Hellinger error \(E[H]\) at one dataset.

    The standard error is never zero: if all drawn errors are equal, it is computed as in ``averaged``.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        rng: Random number generator.
        size: Number of draws, at least 2.

    Returns:
        The mean of the drawn errors, and its standard error.

    >>> from dpbi import lshist
    >>> found = simulated_mean_error(lshist(0.8), [1] * 10, [100_000] * 10, np.random.default_rng(1))
    >>> round(found.value, 4), round(found.standard_error, 6)
    (0.016, 7.2e-05)
    """
    return averaged(_drawn_errors(mechanism, prior, counts, rng, size, least=2))


def averaged(values: Floats) -> Estimate:
    r"""The mean of independent numbers in [0, 1] and its standard error, which is never zero.

    If all N numbers are equal up to rounding, half an additional observation at distance 1 from these numbers
    represents the values that were not drawn. The standard error is then \(\sqrt{p(1-p)/N}\) with
    \(p = \frac{1/2}{N + 1}\), as in ``simulated_error``.

    >>> averaged(np.zeros(400)).standard_error > 0.001
    True
    """
    p, alike = 0.5 / (len(values) + 1), np.ptp(values) <= TIE_TOLERANCE * np.abs(values).max()
    spread = math.sqrt(p * (1 - p)) if alike else float(values.std(ddof=1))
    return Estimate(float(values.mean()), spread / math.sqrt(len(values)))


def _drawn_errors(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int, least: int
) -> Floats:
    weights, x = checks.dataset(prior, counts)
    draws = checks.whole("size", size, least=least)
    return count_distances(weights, x, Mechanism.checked(mechanism).sample(weights, x, rng, draws))
