r"""Distribution of the Hellinger error of a release, computed from the list of all outputs.

Two distances count as equal if their relative difference is at most 1e-12, the accuracy of the computed distances.
Otherwise rounding would separate outputs at equal distances, such as all moves of one record in a balanced dataset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import arithmetic, checks
from ..arithmetic import approximate, hull, less, minimum, number, scalar
from ..checks import Floats, Integers
from ..mechanisms import Law
from ..model.distances import count_distances
from .two_categories import TIE_TOLERANCE


@checks.readable
class ErrorLaw(NamedTuple):
    """The distribution of the Hellinger error at one dataset.

    Attributes:
        distances: The distances that can occur, in ascending order.
        probabilities: The probability of each distance.

    >>> law = ErrorLaw(np.array([0.0, 0.1, 0.3]), np.array([0.5, 0.3, 0.2]))
    >>> round(law.mean(), 6), law.tail(0.1), law.quantile(0.8)
    (0.09, 0.5, 0.1)
    >>> law
    <ErrorLaw of 3 distances up to 0.3, mean 0.09>
    """

    distances: Floats
    probabilities: Floats

    def __repr__(self) -> str:
        largest, mean = approximate(self.distances[-1]), approximate(self.mean())
        return f"<ErrorLaw of {len(self.distances)} distances up to {largest:.6g}, mean {mean:.6g}>"

    def mean(self) -> float:
        r"""Expected error, \(E[H]\)."""
        return scalar(self.distances @ self.probabilities)

    def tail(self, t: float) -> float:
        r"""Probability \(\Pr[H \ge t]\) of an error of at least t, for a finite number t."""
        return scalar(minimum(1, self.probabilities[~self._is_below(t)].sum()))

    def below(self, t: float) -> float:
        r"""Probability \(\Pr[H < t]\) of an error below t, for a finite number t."""
        near = self._is_below(t)
        return number(1.0) if near.all() else scalar(self.probabilities[near].sum())

    def _is_below(self, t: float) -> NDArray[np.bool_]:
        # a distance that equals t up to rounding is not below it
        threshold = checks.real("t", t)
        if arithmetic.in_doubles():
            return self.distances < threshold - TIE_TOLERANCE * abs(threshold)
        return np.asarray(less(self.distances, threshold))

    def quantile(self, q: float) -> float:
        r"""Quantile of the error at a level q in (0, 1): the smallest t with \(\Pr[H \le t] \ge q\)."""
        return self.exceeded_by(1 - checks.real("q", q, above=0, below=1))

    def exceeded_by(self, share: float) -> float:
        r"""Smallest t for which \(\Pr[H > t]\) is at most a given share in (0, 1], which may be very small."""
        rare = checks.real("share", share, above=0, most=1)
        # the mass beyond each distance is summed from the largest distance down, so that small sums keep their digits
        beyond = np.append(np.cumsum(self.probabilities[::-1])[::-1][1:], 0)
        if arithmetic.in_doubles():
            return float(self.distances[np.argmax(beyond <= rare * (1 + TIE_TOLERANCE))])
        return scalar(self.distances[np.argmax(~less(rare, beyond))])


def merged(prior: Floats, counts: Integers, law: Law) -> ErrorLaw:
    """Distribution of the Hellinger error at one dataset, with equal distances merged.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset, shape (k,).
        law: Distribution of the outputs at this dataset.

    Returns:
        The distances that can occur and their probabilities.
    """
    errors = count_distances(prior, counts, law.outputs)
    order = np.argsort(approximate(errors), kind="stable")
    ordered = errors[order]
    if arithmetic.in_doubles():
        new = np.diff(ordered, prepend=-1.0) > TIE_TOLERANCE * ordered
        # near H = 1 distances may be so dense that each is tied to the next; such a long chain is cut into pieces
        first = ordered[new][np.cumsum(new) - 1]
        starts = np.flatnonzero(new | (np.diff(np.floor((ordered - first) / TIE_TOLERANCE), prepend=0.0) > 0))
        distances = ordered[starts]
    else:  # overlapping balls are merged into one distance, their hull
        starts = np.flatnonzero([i == 0 or bool(ordered[i - 1] < ordered[i]) for i in range(len(ordered))])
        distances = np.array([hull(part) for part in np.split(ordered, starts[1:])], dtype=object)
    return ErrorLaw(distances, np.add.reduceat(law.probabilities[order], starts))
