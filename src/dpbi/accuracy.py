r"""The exact law of the Hellinger error, the distance between the released posterior and the true one.

Two distances count as equal when they agree to 1e-12 relative: that is the accuracy they are computed to, and outputs
at equal distance (all moves of one record in a balanced dataset, say) would otherwise be told apart by rounding.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .checks import Floats, Integers
from .dirichlet import count_distances
from .lattice import count_vectors
from .mechanisms import Mechanism, a_mechanism
from .two_categories import Line, mean, quantile, tail

SAME = 1e-12
"""Distances closer than this, relatively, are one distance."""


LISTED_RECORDS = 100_000
"""From this many records on, an exponential mechanism with two categories is summed without listing its candidates."""


class ErrorLaw(NamedTuple):
    """The distances that can occur, ascending, and their probabilities."""

    distances: Floats
    probabilities: Floats


def error_law(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorLaw:
    """The distribution of the error at one dataset, equal distances merged."""
    weights, x = checks.dataset(prior, counts)
    law = a_mechanism(mechanism).law(weights, x)
    errors = count_distances(weights, x, law.outputs)
    order = np.argsort(errors, kind="stable")
    ordered = errors[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1.0) > SAME * ordered)
    return ErrorLaw(ordered[starts], np.add.reduceat(law.probabilities[order], starts))


def mean_error(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> float:
    r"""\(E[H]\), the expected error at one dataset."""
    if line := _line(mechanism, prior, counts):
        return mean(line)
    distances, probabilities = error_law(mechanism, prior, counts)
    return float(distances @ probabilities)


def error_tail(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""\(\Pr[H \ge t]\) at one dataset."""
    threshold = checks.real("t", t)
    if line := _line(mechanism, prior, counts):
        return tail(line, threshold)
    distances, probabilities = error_law(mechanism, prior, counts)
    return float(probabilities[distances >= threshold - SAME * abs(threshold)].sum())


def error_quantile(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, gamma: float) -> float:
    r"""The smallest t with \(\Pr[H \le t] \ge 1 - \gamma\): the error that only a share gamma of releases exceeds.

    This is ELap of the notes, whose strict inequality is read as this infimum.
    """
    share = checks.real("gamma", gamma, above=0, below=1)
    if line := _line(mechanism, prior, counts):
        return quantile(line, share)
    distances, probabilities = error_law(mechanism, prior, counts)
    # the mass beyond each distance, summed from the small end so that a small gamma keeps its digits
    beyond = np.append(np.cumsum(probabilities[::-1])[::-1][1:], 0.0)
    return float(distances[np.argmax(beyond <= share * (1 + SAME))])


def mean_errors(mechanism: Mechanism, prior: ArrayLike, n: int) -> Floats:
    """The expected error at every dataset of n records, in the order of ``count_vectors``."""
    weights = checks.prior_weights(prior)
    return np.array([mean_error(mechanism, weights, x) for x in _datasets(weights, n)])


def error_tails(mechanism: Mechanism, prior: ArrayLike, n: int, t: float) -> Floats:
    r"""\(\Pr[H \ge t]\) at every dataset of n records, in the order of ``count_vectors``."""
    weights = checks.prior_weights(prior)
    return np.array([error_tail(mechanism, weights, x, t) for x in _datasets(weights, n)])


def error_quantiles(mechanism: Mechanism, prior: ArrayLike, n: int, gamma: float) -> Floats:
    """The error quantile at every dataset of n records, in the order of ``count_vectors``."""
    weights = checks.prior_weights(prior)
    return np.array([error_quantile(mechanism, weights, x, gamma) for x in _datasets(weights, n)])


def _line(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> Line | None:
    weights, x = checks.dataset(prior, counts)
    rate = a_mechanism(mechanism).rate
    if rate is None or len(x) > 2 or x.sum() < LISTED_RECORDS:
        return None
    return Line(weights, x, rate(weights, x))


def _datasets(prior: Floats, n: int) -> Integers:
    return count_vectors(checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL), len(prior))
