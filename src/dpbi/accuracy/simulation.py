r"""The error of a release estimated from draws, with the standard error of the estimate.

It needs no list of outputs and no formula, so it serves every mechanism at every size. It is an estimate and no bound.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..mechanisms import Mechanism, a_mechanism
from ..model.distances import count_distances


class Estimate(NamedTuple):
    """A simulated value and the standard error of the simulation.

    >>> Estimate(value=0.5, standard_error=0.01)
    Estimate(value=0.5, standard_error=0.01)
    """

    value: float
    standard_error: float


def simulated_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""Estimate of \(\Pr[H < t]\) at one dataset: the share of draws that are nearer than t.

    The standard error is \(\sqrt{p(1-p)/N}\) with \(p = (c + 1/2) / (N + 1)\), c being the number of nearer draws. So
    it is never zero.

    Args:
        t: Threshold of the Hellinger distance.
        rng: Source of the draws.
        size: Number N of draws.

    >>> from dpbi import ehds
    >>> found = simulated_error(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, np.random.default_rng(1))
    >>> found.value, round(found.standard_error, 6)
    (0.963, 0.001889)
    """
    threshold = checks.real("t", t)
    errors = _drawn_errors(mechanism, prior, counts, rng, size, least=1)
    inside = int((errors < threshold).sum())
    p = (inside + 0.5) / (len(errors) + 1)
    return Estimate(inside / len(errors), math.sqrt(p * (1 - p) / len(errors)))


def simulated_mean_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""Estimate of the expected error \(E[H]\) at one dataset: the mean of draws, and its standard error.

    Args:
        rng: Source of the draws.
        size: Number of draws, at least 2.

    >>> from dpbi import lshist
    >>> found = simulated_mean_error(lshist(0.8), [1] * 10, [100_000] * 10, np.random.default_rng(1))
    >>> round(found.value, 4), round(found.standard_error, 6)
    (0.016, 7.2e-05)
    """
    errors = _drawn_errors(mechanism, prior, counts, rng, size, least=2)
    return Estimate(float(errors.mean()), float(errors.std(ddof=1)) / math.sqrt(len(errors)))


def _drawn_errors(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int, least: int
) -> Floats:
    weights, x = checks.dataset(prior, counts)
    draws = checks.whole("size", size, least=least)
    return count_distances(weights, x, a_mechanism(mechanism).sample(weights, x, rng, draws))
