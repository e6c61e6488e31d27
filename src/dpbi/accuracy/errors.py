r"""The exact law of the Hellinger error, the distance between the released posterior and the true one.

Two distances count as equal when they agree to 1e-12 relative: that is the accuracy they are computed to, and outputs
at equal distance (all moves of one record in a balanced dataset, say) would otherwise be told apart by rounding.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import arithmetic, checks
from ..arithmetic import approximate, hull, less, number, numbers, plain
from ..checks import Floats, Integers
from ..mechanisms import Law, Line, Mechanism, a_mechanism
from ..model.datasets import count_vectors, lattice_size
from ..model.distances import count_distances
from ..model.sums import summable
from . import two_categories
from .moments import Certified, ErrorMoments, exponential_moments

SAME = two_categories.SAME
"""Distances closer than this, relatively, are one distance."""

LISTED_RECORDS = 100_000
"""From this many records on, two categories are summed without listing the outputs."""

SUMMED_NUMBERS = 1_000_000
"""Exponential mechanisms whose list has more numbers than this are summed without a list, which is then faster."""

ROUNDED = 1e-12
"""What rounding may do to a sum over a list, relatively."""

LISTED_ENTRIES = 4_000_000
"""The laws of all datasets are taken from one table of up to this many numbers."""


class ErrorLaw(NamedTuple):
    """The distances that can occur, ascending, and their probabilities.

    >>> law = ErrorLaw(np.array([0.0, 0.1, 0.3]), np.array([0.5, 0.3, 0.2]))
    >>> round(law.mean(), 6), law.tail(0.1), law.quantile(0.2)
    (0.09, 0.5, 0.1)
    """

    distances: Floats
    probabilities: Floats

    def mean(self) -> float:
        r"""\(E[H]\)."""
        return plain(self.distances @ self.probabilities)

    def tail(self, t: float) -> float:
        r"""\(\Pr[H \ge t]\)."""
        return plain(self.probabilities[~self._nearer(t)].sum())

    def below(self, t: float) -> float:
        r"""\(\Pr[H < t]\)."""
        near = self._nearer(t)
        return number(1.0) if near.all() else plain(self.probabilities[near].sum())

    def _nearer(self, t: float) -> NDArray[np.bool_]:
        """Which distances are below t; in doubles, those that equal it up to rounding are not."""
        if arithmetic.in_doubles():
            return self.distances < t - SAME * abs(t)
        near: NDArray[np.bool_] = less(self.distances, t)
        return near

    def quantile(self, gamma: float) -> float:
        r"""The smallest t with \(\Pr[H > t] \le \gamma\)."""
        # the mass beyond each distance, summed from the small end so that a small gamma keeps its digits
        beyond = np.append(np.cumsum(self.probabilities[::-1])[::-1][1:], 0)
        if arithmetic.in_doubles():
            return float(self.distances[np.argmax(beyond <= gamma * (1 + SAME))])
        return plain(self.distances[np.argmax(~less(gamma, beyond))])


def error_law(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorLaw:
    """The distribution of the error at one dataset, equal distances merged; it needs the list of outputs.

    >>> from dpbi import geometric
    >>> error_law(geometric(0.8), [1, 1], [1, 1]).distances.round(6)
    array([0.      , 0.408607])
    """
    weights, x = checks.dataset(prior, counts)
    return _merged(weights, x, a_mechanism(mechanism).law(weights, x))


def mean_error(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> float:
    r"""\(E[H]\), the expected error at one dataset.

    Two categories may have any number of records, and exponential mechanisms any number of categories and records.
    For them ``error_moments`` says how far the value may be off. Any other mechanism needs the list of its outputs;
    where that does not fit, ``simulated_mean_error`` estimates the mean from draws.

    >>> from dpbi import geometric
    >>> round(mean_error(geometric(0.8), [1, 1], [14, 6]), 6)
    0.179168
    """
    if line := _line(mechanism, prior, counts):
        return two_categories.mean(line)
    weights, x = checks.dataset(prior, counts)
    if summed := _summed(mechanism, weights, x):
        return summed.mean.value
    return _mean(weights, x, a_mechanism(mechanism).law(weights, x))


def error_moments(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorMoments:
    r"""Mean and standard deviation of the error, each with a bound on how far it is from the truth.

    For an exponential mechanism also \(\ln Z\), \(Z = \sum_r e^{-\lambda H(x, r)}\). Sums over a list are off by
    rounding only; beyond a list the bound holds all that is left out.

    >>> from dpbi import ehds
    >>> found = error_moments(ehds(2.0), [1] * 10, [100_000] * 10)
    >>> round(found.mean.value, 10), found.mean.bound < 1e-12
    (0.0284760997, True)
    """
    weights, x = checks.dataset(prior, counts)
    if summed := _summed(mechanism, weights, x):
        return summed
    law = a_mechanism(mechanism).law(weights, x)
    errors = count_distances(weights, x, law.outputs)
    mean = float(law.probabilities @ errors)
    deviation = float(np.sqrt(law.probabilities @ (errors - mean) ** 2))
    normaliser = None
    if mechanism.rate is not None:
        at_itself = float(law.log_probabilities[np.flatnonzero((law.outputs == x).all(axis=1))[0]])
        normaliser = Certified(-at_itself, ROUNDED * (1 + abs(at_itself)))
    return ErrorMoments(Certified(mean, ROUNDED * mean), Certified(deviation, ROUNDED * mean), normaliser)


def error_tail(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""\(\Pr[H \ge t]\) at one dataset. Two categories may have any number of records.

    Where there are more categories and too many outputs to list, ``simulated_error`` estimates the probability.

    >>> from dpbi import geometric
    >>> round(error_tail(geometric(0.8), [1, 1], [14, 6], 0.3), 6)
    0.278607
    """
    threshold = checks.real("t", t)
    if line := _line(mechanism, prior, counts):
        return two_categories.tail(line, threshold)
    return error_law(mechanism, prior, counts).tail(threshold)


def error_below(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""\(\Pr[H < t]\) at one dataset: what ``error_tail`` leaves.

    >>> from dpbi import geometric
    >>> round(error_below(geometric(0.8), [1, 1], [14, 6], 0.3), 6)
    0.721393
    """
    threshold = checks.real("t", t)
    if line := _line(mechanism, prior, counts):
        return 1 - two_categories.tail(line, threshold)
    return error_law(mechanism, prior, counts).below(threshold)


def closer_than(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, other: ArrayLike, ties: bool = False
) -> float:
    r"""The probability that the error is less than the distance to another dataset; with ``ties``, at most it.

    >>> from dpbi import geometric
    >>> round(closer_than(geometric(0.8), [1, 1], [10, 10], [11, 9]), 6)
    0.379949
    """
    weights, x = checks.dataset(prior, counts)
    released = a_mechanism(mechanism).law(weights, x)
    place = checks.count_vector(other, len(weights), name="other")
    distances = count_distances(weights, x, np.vstack([released.outputs, place]))
    here, t = distances[:-1], distances[-1]
    if arithmetic.in_doubles():
        near = here <= t * (1 + 10 * SAME) if ties else here < t * (1 - SAME)
    else:
        tie = _pairs(weights, x, place)
        same = np.array([_pairs(weights, x, output) == tie for output in released.outputs])
        near = np.where(same, ties, False)
        near[~same] = less(here[~same], t)
    return number(1.0) if near.all() else plain(released.probabilities[near].sum())


def steps_within(prior: ArrayLike, counts: ArrayLike, t: float) -> tuple[int, int]:
    """For two categories, how many steps down and up keep the distance below t; H grows with the steps on either side.

    >>> steps_within([1, 1], [14, 6], 0.3)
    (1, 1)
    """
    weights, x = checks.dataset(prior, counts)
    threshold = checks.real("t", t)
    inside, outside = np.zeros(2, dtype=np.int64), x + 1
    while (outside - inside > 1).any():
        middle = (inside + outside) // 2
        moves = middle * [-1, 1]
        distances = count_distances(weights, x, np.stack([x[0] + moves, x[1] - moves], axis=1))
        near = distances < threshold * (1 - SAME) if arithmetic.in_doubles() else less(distances, threshold)
        inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
    return int(inside[0]), int(inside[1])


def error_quantile(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, gamma: float) -> float:
    r"""The smallest t with \(\Pr[H \le t] \ge 1 - \gamma\): the error that only a share gamma of releases exceeds.

    This is ELap of the notes, whose strict inequality is read as this infimum. Two categories may have any number of
    records; more categories need the list of outputs.

    >>> from dpbi import geometric
    >>> round(error_quantile(geometric(0.8), [1, 1], [14, 6], 0.05), 6)
    0.572909
    """
    share = checks.real("gamma", gamma, above=0, below=1)
    if line := _line(mechanism, prior, counts):
        return two_categories.quantile(line, share)
    return error_law(mechanism, prior, counts).quantile(share)


def mean_errors(mechanism: Mechanism, prior: ArrayLike, n: int) -> Floats:
    """The expected error at every dataset of n records, in the order of ``count_vectors``.

    >>> from dpbi import geometric
    >>> mean_errors(geometric(0.8), [1, 1], 2).round(6)
    array([0.168261, 0.253357, 0.168261])
    """
    weights = checks.prior_weights(prior)
    return numbers([_mean(weights, x, law) for x, law in _laws(mechanism, weights, n)])


def error_tails(mechanism: Mechanism, prior: ArrayLike, n: int, t: float) -> Floats:
    r"""\(\Pr[H \ge t]\) at every dataset of n records, in the order of ``count_vectors``.

    >>> from dpbi import geometric
    >>> error_tails(geometric(0.8), [1, 1], 2, 0.3).round(6)
    array([0.310026, 0.620051, 0.310026])
    """
    threshold = checks.real("t", t)
    return np.array([law.tail(threshold) for law in _error_laws(mechanism, prior, n)])


def error_quantiles(mechanism: Mechanism, prior: ArrayLike, n: int, gamma: float) -> Floats:
    """The error quantile at every dataset of n records, in the order of ``count_vectors``.

    >>> from dpbi import geometric
    >>> error_quantiles(geometric(0.8), [1, 1], 2, 0.05).round(6)
    array([0.707107, 0.408607, 0.707107])
    """
    share = checks.real("gamma", gamma, above=0, below=1)
    return np.array([law.quantile(share) for law in _error_laws(mechanism, prior, n)])


def _line(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> Line | None:
    weights, x = checks.dataset(prior, counts)
    line = a_mechanism(mechanism).line
    return None if line is None or len(x) > 2 or x.sum() < LISTED_RECORDS else line(weights, x)


def _summed(mechanism: Mechanism, prior: Floats, counts: Integers) -> ErrorMoments | None:
    """Moments of an exponential mechanism without a list, where the list would be long."""
    size = lattice_size(int(counts.sum()), len(counts)) * len(counts)
    rate = a_mechanism(mechanism).rate
    if rate is None or not arithmetic.in_doubles() or size <= SUMMED_NUMBERS:
        return None
    summable(prior)
    return ErrorMoments(*exponential_moments(prior, counts, rate(prior, counts)))


def _mean(prior: Floats, counts: Integers, law: Law) -> float:
    return plain(law.probabilities @ count_distances(prior, counts, law.outputs))


def _laws(mechanism: Mechanism, prior: Floats, n: int) -> Iterator[tuple[Integers, Law]]:
    """Every dataset with its law, from the table of all laws where the mechanism has one and it fits."""
    datasets = count_vectors(checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL), len(prior))
    table = a_mechanism(mechanism).laws
    if table is None or len(datasets) ** 2 > LISTED_ENTRIES:
        yield from ((x, mechanism.law(prior, x)) for x in datasets)
    else:
        laws = table(prior, n)
        yield from (
            (x, Law.known(laws.outputs, log_p)) for x, log_p in zip(datasets, laws.log_probabilities, strict=True)
        )


def _error_laws(mechanism: Mechanism, prior: ArrayLike, n: int) -> Iterator[ErrorLaw]:
    weights = checks.prior_weights(prior)
    return (_merged(weights, x, law) for x, law in _laws(mechanism, weights, n))


def _pairs(prior: Floats, counts: Integers, output: Integers) -> tuple[Any, ...]:
    r"""What the distance between posteriors a and b depends on: the unordered pairs \(\{a_i, b_i\}\), \(a_i \ne b_i\).

    Where these agree, distances are equal, whatever their enclosures say.
    """
    pairs = (sorted((w + int(c), w + int(r))) for w, c, r in zip(prior, counts, output, strict=True) if c != r)
    return tuple(sorted(map(tuple, pairs)))


def _merged(prior: Floats, counts: Integers, law: Law) -> ErrorLaw:
    errors = count_distances(prior, counts, law.outputs)
    order = np.argsort(approximate(errors), kind="stable")
    ordered = errors[order]
    if arithmetic.in_doubles():
        starts = np.flatnonzero(np.diff(ordered, prepend=-1.0) > SAME * ordered)
        distances = ordered[starts]
    else:  # balls that overlap are one distance, enclosed by all of them
        starts = np.flatnonzero([i == 0 or bool(ordered[i - 1] < ordered[i]) for i in range(len(ordered))])
        distances = np.array([hull(part) for part in np.split(ordered, starts[1:])], dtype=object)
    return ErrorLaw(distances, np.add.reduceat(law.probabilities[order], starts))
