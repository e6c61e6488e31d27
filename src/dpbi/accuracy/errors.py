r"""The exact law of the Hellinger error, the distance between the released posterior and the true one.

Two distances count as equal when they agree to 1e-12 relative: that is the accuracy they are computed to, and outputs
at equal distance (all moves of one record in a balanced dataset, say) would otherwise be told apart by rounding.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import line as two_categories
from ..mechanisms.line import Line
from ..mechanisms.table import Law, Mechanism, a_mechanism
from ..model.datasets import count_vectors
from ..model.distances import count_distances

SAME = 1e-12
"""Distances closer than this, relatively, are one distance."""

LISTED_RECORDS = 100_000
"""From this many records on, two categories are summed without listing the outputs."""

LISTED_ENTRIES = 4_000_000
"""The laws of all datasets are taken from one table of up to this many numbers."""


class ErrorLaw(NamedTuple):
    """The distances that can occur, ascending, and their probabilities."""

    distances: Floats
    probabilities: Floats

    def mean(self) -> float:
        r"""\(E[H]\)."""
        return float(self.distances @ self.probabilities)

    def tail(self, t: float) -> float:
        r"""\(\Pr[H \ge t]\)."""
        return float(self.probabilities[self.distances >= t - SAME * abs(t)].sum())

    def quantile(self, gamma: float) -> float:
        r"""The smallest t with \(\Pr[H > t] \le \gamma\)."""
        # the mass beyond each distance, summed from the small end so that a small gamma keeps its digits
        beyond = np.append(np.cumsum(self.probabilities[::-1])[::-1][1:], 0.0)
        return float(self.distances[np.argmax(beyond <= gamma * (1 + SAME))])


def error_law(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorLaw:
    """The distribution of the error at one dataset, equal distances merged; it needs the list of outputs."""
    weights, x = checks.dataset(prior, counts)
    return _merged(weights, x, a_mechanism(mechanism).law(weights, x))


def mean_error(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> float:
    r"""\(E[H]\), the expected error at one dataset. Two categories may have any number of records."""
    if line := _line(mechanism, prior, counts):
        return two_categories.mean(line)
    return error_law(mechanism, prior, counts).mean()


def error_tail(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""\(\Pr[H \ge t]\) at one dataset. Two categories may have any number of records.

    Where there are more and they are too many to list, ``error_bounds`` encloses it, ``simulated_error`` estimates it.
    """
    threshold = checks.real("t", t)
    if line := _line(mechanism, prior, counts):
        return two_categories.tail(line, threshold)
    return error_law(mechanism, prior, counts).tail(threshold)


def error_quantile(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, gamma: float) -> float:
    r"""The smallest t with \(\Pr[H \le t] \ge 1 - \gamma\): the error that only a share gamma of releases exceeds.

    This is ELap of the notes, whose strict inequality is read as this infimum. Two categories may have any number of
    records.
    """
    share = checks.real("gamma", gamma, above=0, below=1)
    if line := _line(mechanism, prior, counts):
        return two_categories.quantile(line, share)
    return error_law(mechanism, prior, counts).quantile(share)


def mean_errors(mechanism: Mechanism, prior: ArrayLike, n: int) -> Floats:
    """The expected error at every dataset of n records, in the order of ``count_vectors``."""
    return np.array([law.mean() for law in _error_laws(mechanism, prior, n)])


def error_tails(mechanism: Mechanism, prior: ArrayLike, n: int, t: float) -> Floats:
    r"""\(\Pr[H \ge t]\) at every dataset of n records, in the order of ``count_vectors``."""
    threshold = checks.real("t", t)
    return np.array([law.tail(threshold) for law in _error_laws(mechanism, prior, n)])


def error_quantiles(mechanism: Mechanism, prior: ArrayLike, n: int, gamma: float) -> Floats:
    """The error quantile at every dataset of n records, in the order of ``count_vectors``."""
    share = checks.real("gamma", gamma, above=0, below=1)
    return np.array([law.quantile(share) for law in _error_laws(mechanism, prior, n)])


def _line(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> Line | None:
    weights, x = checks.dataset(prior, counts)
    line = a_mechanism(mechanism).line
    return None if line is None or len(x) > 2 or x.sum() < LISTED_RECORDS else line(weights, x)


def _error_laws(mechanism: Mechanism, prior: ArrayLike, n: int) -> Iterator[ErrorLaw]:
    """The law of the error at every dataset, from the table of all laws where the mechanism has one and it fits."""
    weights = checks.prior_weights(prior)
    datasets = count_vectors(checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL), len(weights))
    table = a_mechanism(mechanism).laws
    if table is None or len(datasets) ** 2 > LISTED_ENTRIES:
        yield from (error_law(mechanism, weights, x) for x in datasets)
    else:
        laws = table(weights, n)
        for x, log_p in zip(datasets, laws.log_probabilities, strict=True):
            yield _merged(weights, x, Law(laws.outputs, log_p))


def _merged(prior: Floats, counts: Integers, law: Law) -> ErrorLaw:
    errors = count_distances(prior, counts, law.outputs)
    order = np.argsort(errors, kind="stable")
    ordered = errors[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1.0) > SAME * ordered)
    return ErrorLaw(ordered[starts], np.add.reduceat(law.probabilities[order], starts))
