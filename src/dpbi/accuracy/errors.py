r"""Exact distribution of the Hellinger error, which is the distance between the released and the true posterior.

Results for one dataset are computed in one of three ways. For two categories with many records, sums are taken along
the line of outputs (``two_categories``). Moments of exponential mechanisms with long lists of outputs are computed by
``moments``. In all other cases this module sums over the list of outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import less, number, numbers, scalar
from ..checks import Floats, Integers
from ..mechanisms import Law, Line, Mechanism
from ..model.datasets import count_vectors, lattice_size
from ..model.dirichlet import two_weights
from ..model.distances import count_distances
from ..model.sums import summable
from . import two_categories
from .listed import ErrorLaw, merged
from .moments import UNDERFLOW, Certified, ErrorMoments, exponential_moments
from .two_categories import TIE_TOLERANCE

# With at least this many records, sums for two categories are taken along the line, without a list of outputs. Chosen
# because a list of this size takes 30 milliseconds.
MIN_LINE_RECORDS = 100_000

# If the list of outputs of an exponential mechanism has more numbers than this, sums are computed without the list,
# which is then faster.
MAX_LISTED_NUMBERS = 1_000_000

# Relative error that ``error_moments`` reports for a sum over a list. Tests check that these sums agree to 1e-13 with
# values computed to 60 digits.
LISTED_ERROR = 1e-12

# Largest number of datasets for functions that compute results at all datasets. Chosen: if each dataset has as many
# outputs, the computation takes minutes.
MAX_DATASETS = 50_000

# If the laws of all datasets have at most this many numbers (32 MB), they are computed in one table.
MAX_TABLE_NUMBERS = 4_000_000


def error_law(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorLaw:
    """Distribution of the Hellinger error at one dataset, from the list of all outputs; equal distances are merged.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.

    Returns:
        The distances that can occur and their probabilities.

    Raises:
        ValueError: If there are too many outputs to list.

    >>> from dpbi import geometric
    >>> error_law(geometric(0.8), [1, 1], [1, 1]).distances.round(6)
    array([0.      , 0.408607])
    """
    weights, x = checks.dataset(prior, counts)
    return merged(weights, x, Mechanism.checked(mechanism).law(weights, x))


def mean_error(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> float:
    r"""Expected Hellinger error \(E[H]\) of a release at one dataset.

    For two categories, any number of records is allowed if the mechanism has a ``line``. For an exponential mechanism,
    any numbers of categories and records are allowed, and ``error_moments`` bounds the numerical error of the result.
    In all other cases, the function lists all outputs.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers. ``mean_errors`` computes the mean errors at all datasets of n records.

    Returns:
        The mean Hellinger distance, in [0, 1].

    Raises:
        ValueError: If all outputs have to be listed and there are too many.
            ``simulated_mean_error`` estimates the mean from draws.

    >>> from dpbi import geometric
    >>> round(mean_error(geometric(0.8), [1, 1], [14, 6]), 6)
    0.179168
    """
    if line := _line(mechanism, prior, counts):
        return two_categories.mean(line)
    weights, x = checks.dataset(prior, counts)
    if summed := _summed(mechanism, weights, x):
        return summed.mean.value
    return _mean(weights, x, Mechanism.checked(mechanism).law(weights, x))


def error_moments(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> ErrorMoments:
    r"""Mean and standard deviation of the Hellinger error at one dataset, with bounds on their numerical errors.

    For an exponential mechanism, the result includes \(\ln Z\) for \(Z = \sum_r e^{-\lambda H(x, r)}\). A sum over a
    list has only rounding errors; the bound for a sum without a list also covers all omitted terms.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.

    Returns:
        Mean, standard deviation and, for an exponential mechanism, the logarithm of Z, each with an error bound.

    Raises:
        ValueError: If the mechanism is not exponential and has too many outputs to list.

    >>> from dpbi import ehds
    >>> found = error_moments(ehds(2.0), [1] * 10, [100_000] * 10)
    >>> round(found.mean.value, 10), found.mean.bound < 1e-12
    (0.0284760997, True)
    >>> from dpbi import hellinger, randomised_response  # a record is reported wrongly with probability p
    >>> p, deviation = 1 / (1 + np.exp(20.0)), error_moments(randomised_response(20.0), [1, 1], [1, 0])[1]
    >>> bool(abs(deviation.value - hellinger([2, 1], [1, 2]) * (p * (1 - p)) ** 0.5) <= deviation.bound)
    True
    """
    weights, x = checks.dataset(prior, counts)
    if summed := _summed(mechanism, weights, x):
        return summed
    law = Mechanism.checked(mechanism).law(weights, x)
    errors = count_distances(weights, x, law.outputs)
    mean = float(law.probabilities @ errors)
    deviation = float(np.sqrt(law.probabilities @ (errors - mean) ** 2))
    normaliser = None
    if mechanism.has_rate:
        at_itself = float(law.log_probabilities[np.flatnonzero((law.outputs == x).all(axis=1))[0]])
        normaliser = Certified(-at_itself, LISTED_ERROR * (1 + abs(at_itself)))
    # the rounding errors of the differences from the mean are relative to the mean, which at a large epsilon is smaller
    # than the deviation
    off = LISTED_ERROR * (mean + deviation) + UNDERFLOW
    return ErrorMoments(Certified(mean, LISTED_ERROR * mean + UNDERFLOW), Certified(deviation, off), normaliser)


def error_tail(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""Probability that the Hellinger error is at least a threshold, \(\Pr[H \ge t]\), at one dataset.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        t: Hellinger distance, a finite number.

    Returns:
        The probability of an error of t or more.

    Raises:
        ValueError: If all outputs have to be listed and there are too many.
            ``simulated_error`` estimates the probability from draws.

    >>> from dpbi import geometric
    >>> round(error_tail(geometric(0.8), [1, 1], [14, 6], 0.3), 6)
    0.278607
    """
    if line := _line(mechanism, prior, counts):
        return two_categories.tail(line, checks.real("t", t))
    weights, x = checks.dataset(prior, counts)
    return _each(weights, x, mechanism.law(weights, x)).tail(t)


def error_below(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float) -> float:
    r"""Probability that the Hellinger error is below a threshold, \(\Pr[H < t]\), at one dataset.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        t: Hellinger distance, a finite number.

    Returns:
        The probability of an error below t.

    Raises:
        ValueError: If all outputs have to be listed and there are too many.

    >>> from dpbi import geometric
    >>> round(error_below(geometric(0.8), [1, 1], [14, 6], 0.3), 6)
    0.721393
    """
    if line := _line(mechanism, prior, counts):
        return 1 - two_categories.tail(line, checks.real("t", t))
    weights, x = checks.dataset(prior, counts)
    return _each(weights, x, mechanism.law(weights, x)).below(t)


def closer_than(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, other: ArrayLike, ties: bool = False
) -> float:
    r"""Probability that the released posterior is closer to the true one than the posterior of another dataset is.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        other: Another dataset with the same number of records.
        ties: Whether outputs at the same distance as ``other`` are included.

    Returns:
        The probability that the posterior of the output is closer than that of ``other``.

    Raises:
        ValueError: If there are too many outputs to list.

    >>> from dpbi import geometric
    >>> round(closer_than(geometric(0.8), [1, 1], [10, 10], [11, 9]), 6)
    0.379949
    >>> closer_than(geometric(0.8), [1, 1], [4, 6], [5, 6])
    Traceback (most recent call last):
    ...
    ValueError: other must be one dataset of 10 records, like counts, got other=[5, 6]
    """
    weights, x = checks.dataset(prior, counts)
    released, tied_too = Mechanism.checked(mechanism).law(weights, x), checks.flag("ties", ties)
    place = checks.count_vector(other, len(weights), name="other")
    same = place.shape == x.shape and place.sum() == x.sum()
    checks.need(same, f"other must be one dataset of {x.sum()} records, like counts, got other={checks.brief(other)}")
    distances = count_distances(weights, x, np.vstack([released.outputs, place]))
    here, t = distances[:-1], distances[-1]
    # ball arithmetic cannot prove that two distances are equal, so equal distances are recognised by their parameters
    if arithmetic.in_doubles():
        near = here <= t * (1 + TIE_TOLERANCE) if tied_too else here < t * (1 - TIE_TOLERANCE)
    else:
        tie = _parameter_pairs(weights, x, place)
        tied = np.array([_parameter_pairs(weights, x, output) == tie for output in released.outputs])
        near = np.where(tied, tied_too, False)
        near[~tied] = less(here[~tied], t)
    return number(1.0) if near.all() else scalar(released.probabilities[near].sum())


def steps_within(prior: ArrayLike, counts: ArrayLike, t: float) -> tuple[int, int]:
    """Largest decrease and increase of the first of two counts that keep the Hellinger distance below a threshold.

    The distance increases with the size of the change on either side, so both changes are found by bisection.

    Args:
        prior: Dirichlet parameters, two positive finite numbers.
        counts: Dataset, two nonnegative integers.
        t: Hellinger distance, a finite number.

    Returns:
        The number of records that may leave the first category and the number that may join it; (0, 0) for t <= 0.

    >>> steps_within([1, 1], [14, 6], 0.3)
    (1, 1)
    """
    weights, threshold = two_weights(prior), checks.real("t", t)
    x = checks.one_dataset(counts, 2)
    inside, outside = np.zeros(2, dtype=np.int64), x + 1
    while (outside - inside > 1).any():
        middle = (inside + outside) // 2
        changes = middle * [-1, 1]
        distances = count_distances(weights, x, np.stack([x[0] + changes, x[1] - changes], axis=1))
        near = distances < threshold * (1 - TIE_TOLERANCE) if arithmetic.in_doubles() else less(distances, threshold)
        inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
    return int(inside[0]), int(inside[1])


def error_quantile(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, q: float) -> float:
    r"""Quantile of the Hellinger error at one dataset: the smallest t with \(\Pr[H \le t] \ge q\).

    For \(q = 1 - \gamma\), this quantile is ELap of the notes; the strict inequality printed in the notes is read as
    the infimum above. For two categories, any number of records is allowed if the mechanism has a ``line``. In all
    other cases, the function lists all outputs.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        q: Level of the quantile, in (0, 1); at 0.95, the error of at most one release in twenty exceeds the quantile.
            Because of rounding, a level below 1e-12 gives the smallest distance that can occur.

    Returns:
        The quantile, which is a distance that can occur.

    Raises:
        ValueError: If all outputs have to be listed and there are too many.

    >>> from dpbi import geometric
    >>> round(error_quantile(geometric(0.8), [1, 1], [14, 6], 0.95), 6)
    0.572909
    """
    return error_exceeded_by(mechanism, prior, counts, 1 - checks.real("q", q, above=0, below=1))


def error_exceeded_by(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, share: float) -> float:
    r"""The smallest t for which \(\Pr[H > t]\) is at most a given share, even if \(1 - \text{share}\) rounds to 1.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers.
        share: Largest share of releases whose error may exceed the quantile, in (0, 1].

    Returns:
        The quantile, which is a distance that can occur.

    >>> from dpbi import geometric
    >>> round(error_exceeded_by(geometric(0.8), [1, 1], [14, 6], 1e-20), 6)
    0.998729
    """
    rare = checks.real("share", share, above=0, most=1)
    if line := _line(mechanism, prior, counts):
        return two_categories.quantile(line, rare)
    return error_law(mechanism, prior, counts).exceeded_by(rare)


def mean_errors(mechanism: Mechanism, prior: ArrayLike, n: int) -> Floats:
    """Expected Hellinger error at every dataset of n records, in the order of ``count_vectors``.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        The mean Hellinger distance at each dataset.

    Raises:
        ValueError: If n is too large to list all datasets and their outputs.

    >>> from dpbi import geometric
    >>> mean_errors(geometric(0.8), [1, 1], 2).round(6)
    array([0.168261, 0.253357, 0.168261])
    """
    return numbers([*_everywhere(_mean, mechanism, prior, n)])


def error_quantiles(mechanism: Mechanism, prior: ArrayLike, n: int, q: float) -> Floats:
    """Quantile of the Hellinger error at every dataset of n records, in the order of ``count_vectors``.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        q: Level of the quantile, in (0, 1); at 0.95, the error of at most one release in twenty exceeds the quantile.

    Returns:
        The quantile at each dataset.

    Raises:
        ValueError: If n is too large to list all datasets and their outputs.

    >>> from dpbi import geometric
    >>> error_quantiles(geometric(0.8), [1, 1], 2, 0.95).round(6)
    array([0.707107, 0.408607, 0.707107])
    """
    return np.array([errors.quantile(q) for errors in _everywhere(merged, mechanism, prior, n)])


def _line(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> Line | None:
    """Validates the arguments, and returns the ``Line`` of a mechanism if there are two categories and many records."""
    weights, x = checks.dataset(prior, counts)
    here = Mechanism.checked(mechanism)
    return here.line(weights, x) if len(x) == 2 and x.sum() >= MIN_LINE_RECORDS else None


def _summed(mechanism: Mechanism, prior: Floats, counts: Integers) -> ErrorMoments | None:
    """Moments of the error if the mechanism is exponential and its list of outputs is long, otherwise None."""
    size = lattice_size(int(counts.sum()), len(counts)) * len(counts)
    if not Mechanism.checked(mechanism).has_rate or not arithmetic.in_doubles() or size <= MAX_LISTED_NUMBERS:
        return None
    summable(prior)
    return exponential_moments(prior, counts, float(mechanism.finite_rate(prior, counts)))


def _each(prior: Floats, counts: Integers, law: Law) -> ErrorLaw:
    """Errors of all outputs, not merged, because merged distances near 1 would all lie on one side of a threshold."""
    return ErrorLaw(count_distances(prior, counts, law.outputs), law.probabilities)


def _mean(prior: Floats, counts: Integers, law: Law) -> float:
    return scalar(law.probabilities @ count_distances(prior, counts, law.outputs))


def _everywhere(of: Callable[..., Any], mechanism: Mechanism, prior: ArrayLike, n: int) -> Iterator[Any]:
    """Yields a function of the law at every dataset, from one table of all laws if the table is small enough."""
    weights = checks.prior_weights(prior)
    datasets = count_vectors(checks.record_count(n), len(weights))
    checks.need(len(datasets) <= MAX_DATASETS, f"n must give at most {MAX_DATASETS} datasets to list, got n={n}")
    if len(datasets) ** 2 > MAX_TABLE_NUMBERS:
        yield from (of(weights, x, mechanism.law(weights, x)) for x in datasets)
    else:
        laws = Mechanism.checked(mechanism).laws(weights, n)
        for x, log_p in zip(datasets, laws.log_probabilities, strict=True):
            yield of(weights, x, Law.known(laws.outputs, log_p))


def _parameter_pairs(prior: Floats, counts: Integers, output: Integers) -> tuple[Any, ...]:
    r"""The unordered pairs \(\{a_i, b_i\}\), \(a_i \ne b_i\), of posterior parameters, which determine the distance.

    Two outputs with the same pairs have equal distances, which overlapping balls could not prove.
    """
    pairs = (sorted((w + int(c), w + int(r))) for w, c, r in zip(prior, counts, output, strict=True) if c != r)
    return tuple(sorted(map(tuple, pairs)))
