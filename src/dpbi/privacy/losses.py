r"""Privacy losses of a mechanism over all pairs of neighbouring datasets, computed from exact output distributions.

The function ``pairs_of_neighbours`` yields the output distributions at neighbours, one block of pairs at a time, and
every audit is a loop over these blocks. The distributions are rows of a table of all datasets, except for exponential
mechanisms on two categories. For an exponential mechanism on two categories, the datasets form a line, and each
distribution follows from the Hellinger distances. A block of a long line contains only a few datasets, and most outputs
are so far from these datasets that \(H = 1\) in doubles. Since \(\psi'(m) \ge 1/m\), an output r that is d records away
from a dataset x has the affinity exponent

\[ D(x, r) \ge \frac{d^2}{8} \Bigl(\frac{1}{m_1} + \frac{1}{m_2}\Bigr) , \]

where \(m_1\) is the mean of the first parameters of the two posteriors, and \(m_2\) is the mean of the second
parameters. All outputs with \(H = 1\) at both neighbours have equal losses and are treated as one output.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import approximate, exp, largest, log_ratio, log_sum_exp, number, scalar
from ..checks import Floats, Integers, Numbers
from ..divergences import delta_of_losses
from ..guarantees import pure_epsilon
from ..mechanisms import Mechanism, all_laws
from ..model.datasets import LARGEST_ENUMERATION, TooLong, lattice_size, neighbour_rows
from ..model.distances import KEPT_NUMBERS, lattice_distances, line_distances

# Losses that differ by less than this are treated as equal. The witness is the first of several equal losses, so that
# it is the same on every machine. In the tests, the distributions agree to 1e-12 with values of 60 digits, so the
# computed values of equal losses differ by less than this tolerance.
LOSS_TOLERANCE = 1e-11

# Sums of probabilities below this number are computed from logarithms, because single probabilities may underflow.
MIN_PROBABILITY_SUM = 1e-290

# A mechanism that adds noise is audited with a table of all distributions if the table has at most this many numbers,
# which takes a tenth of a second. From a larger table, only the guaranteed loss would be found, at a place that is
# known in advance.
MAX_TABLE_NUMBERS = 1_000_000

# Pairs of neighbours are compared in blocks of about this many numbers. Each array of a block then has 2 MB, which fits
# the processor's cache; blocks of 32 MB take up to twice as long (measured).
BLOCK_NUMBERS = 250_000

# Largest number of records for which all neighbours on the line of two categories are compared. The comparison takes
# five seconds with prior weights near 1, and half a minute with weights of a million (measured).
MAX_LINE_RECORDS = 20_000

# A line of at most this many records forms one block, whose distances are cached for the next audit.
MAX_BLOCK_RECORDS = math.isqrt(KEPT_NUMBERS) - 1

# Number of datasets in a block of a longer line. Chosen: so small that the datasets share most of their nearby outputs.
LINE_BLOCK_DATASETS = 64

# For affinity exponents D of at least this size, H = sqrt(1 - e^-D) is 1 in doubles, because e^-38 is below 2^-54.
SATURATED_EXPONENT = 38.0


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    r"""The worst privacy loss, \(\max \ln \Pr[M(x) = r] / \Pr[M(x') = r]\), and where it is attained.

    Attributes:
        epsilon: The loss, in nats.
        counts: The dataset x at which the output is more likely.
        neighbour: The neighbouring dataset x'.
        output: The output r.

    >>> from dpbi import geometric
    >>> audit(geometric(0.5), [1, 1], 3)
    <Audit: loss 0.5 at output [1 2], more likely from [1 2] than from [0 3]>
    """

    epsilon: float
    counts: Integers
    neighbour: Integers
    output: Integers

    def __repr__(self) -> str:
        where = f"more likely from {self.counts} than from {self.neighbour}"
        return f"<Audit: loss {approximate(self.epsilon):.6g} at output {self.output}, {where}>"


def audit(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """Exact worst privacy loss of a mechanism over all neighbouring datasets of n records, with a witness.

    The loss is infinite if an output is possible at one dataset and impossible at its neighbour. If several witnesses
    are tied up to rounding, the first one is returned, so the witness is the same on every machine.

    If the table of all distributions would be large, a mechanism that adds noise is audited only at the pair of
    neighbours and the output that attain the guarantee. An exponential mechanism on two categories is audited a few
    datasets at a time, up to 20,000 records.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        The loss in nats, and the two datasets and the output at which it is attained.

    Raises:
        ValueError: If n is too large to compare all neighbours. Then ``dpbi.privacy.loss_on_grid`` gives a lower bound
            on the worst loss of an exponential mechanism on two categories, and ``mechanism.promise_at`` gives an upper
            bound.

    >>> from dpbi import ehd
    >>> round(audit(ehd(0.8), [1, 1], 20).epsilon, 6), round(audit(ehd(0.8), [1, 1], 2000).epsilon, 6)
    (0.478736, 0.401287)
    """
    weights = checks.prior_weights(prior)
    size = checks.record_count(n)
    k = len(weights)
    place = Mechanism.checked(mechanism).attained(size, k)
    loss = None if place is None else pure_epsilon(mechanism.promise_at(weights, size))
    if place is None or loss is None or not arithmetic.in_doubles():
        return _worst(mechanism, weights, size)
    # the witness cannot be found in a table if the loss is close to the tolerance
    if lattice_size(size, k) ** 2 > MAX_TABLE_NUMBERS or loss < 100 * LOSS_TOLERANCE:
        return Audit(loss, *place)
    # The witness is found in the table. The loss in the table is a difference of logarithms, which is only as accurate
    # as 1 + epsilon in doubles.
    return replace(_worst(mechanism, weights, size), epsilon=loss)


def _worst(mechanism: Mechanism, weights: Floats, n: int) -> Audit:
    """The worst privacy loss over all pairs of neighbours, with the first witness."""
    worst: list[Any] = []
    named = -LOSS_TOLERANCE
    nowhere = np.eye(1, len(weights), len(weights) - 1, dtype=np.int64)[0] * n  # the witness if nothing leaks
    at = (nowhere, nowhere, nowhere)
    for pairs in pairs_of_neighbours(mechanism, weights, n):
        loss = log_ratio(pairs.log_p, pairs.log_q)
        worst.append(largest(loss))
        if (top := float(worst[-1])) > named + LOSS_TOLERANCE:
            row, output = np.unravel_index((approximate(loss) >= top - LOSS_TOLERANCE).argmax(), loss.shape)
            named, at = top, (pairs.counts[row], pairs.neighbour[row], pairs.outputs[output])
    return Audit(scalar(largest(worst)) if worst else 0.0, *at)  # there are no neighbours if there are no records


def loss_between(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, neighbour: ArrayLike) -> float:
    r"""Worst privacy loss from one dataset to another, \(\max_r \ln \Pr[M(x) = r] / \Pr[M(x') = r]\).

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset x, k nonnegative integers.
        neighbour: The other dataset x', which need not be a neighbour of x.

    Returns:
        The loss in nats.

    Raises:
        ValueError: If the distributions at the two datasets have different lists of outputs.

    >>> from dpbi import geometric
    >>> round(loss_between(geometric(0.5), [1, 1], [1, 2], [0, 3]), 6)
    0.5
    """
    law, (weights, x) = Mechanism.checked(mechanism).law, checks.dataset(prior, counts)
    other = checks.one_dataset(neighbour, len(weights), name="neighbour")
    here, there = law(weights, x), law(weights, other)
    if here.outputs is not there.outputs and not np.array_equal(here.outputs, there.outputs):
        raise ValueError(f"neighbour must have the outputs of counts={counts!r}, got neighbour={neighbour!r}")
    return scalar(largest(log_ratio(here.log_probabilities, there.log_probabilities)))


def hockey_stick(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float) -> float:
    r"""Exact smallest delta of a mechanism at a given epsilon, over all neighbouring datasets of n records.

    \[ \delta(\varepsilon) = \max_{x \sim x'} \sum_r (\Pr[M(x) = r] - e^{\varepsilon}\Pr[M(x') = r])_+ . \]

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        epsilon: Privacy parameter, >= 0.

    Returns:
        The smallest delta for which the mechanism is (epsilon, delta)-differentially private at this prior and n.

    Raises:
        ValueError: If n is too large to compare all neighbours.

    >>> from dpbi import geometric
    >>> round(hockey_stick(geometric(0.5), [1, 1], 20, epsilon=0.2), 6)
    0.16133
    """
    weights = checks.prior_weights(prior)
    level = checks.real("epsilon", epsilon, least=0)
    size = checks.record_count(n)
    deltas = (
        largest(delta_of_losses(exp(pairs.log_p), log_ratio(pairs.log_p, pairs.log_q), level))
        for pairs in pairs_of_neighbours(Mechanism.checked(mechanism), weights, size)
    )
    return scalar(largest([number(0.0), *deltas]))


def epsilon_at_delta(mechanism: Mechanism, prior: ArrayLike, n: int, delta: float) -> float:
    r"""Exact smallest \(\varepsilon \ge 0\) for which the ``hockey_stick`` divergence is at most delta.

    For each pair of neighbours, the outputs are sorted by decreasing loss. Between consecutive losses,
    \(\delta(\varepsilon) = P_m - e^{\varepsilon} Q_m\), where \(P_m\) and \(Q_m\) are the probabilities of the first m
    outputs. For each m, the equation \(P_m - e^{\varepsilon} Q_m = \delta\) is solved for epsilon. The result is the
    largest solution over all m and all pairs, or 0 if no solution is positive.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        delta: Largest allowed delta, in [0, 1).

    Returns:
        The epsilon in nats, which is infinite if the delta of every finite epsilon is larger than the given delta.

    Raises:
        ValueError: If n is too large to compare all neighbours.

    >>> from dpbi import geometric
    >>> round(epsilon_at_delta(geometric(0.5), [1, 1], 20, delta=0.1), 6)
    0.324869
    """
    weights = checks.prior_weights(prior)
    allowed = checks.real("delta", delta, least=0, below=1)
    if allowed == 0:
        return audit(mechanism, weights, n).epsilon
    size = checks.record_count(n)
    worst = 0.0
    for pairs in pairs_of_neighbours(Mechanism.checked(mechanism), weights, size):
        order = np.argsort(-log_ratio(pairs.log_p, pairs.log_q), axis=-1)
        p = np.cumsum(np.take_along_axis(np.exp(pairs.log_p), order, axis=-1), axis=-1)
        log_other = np.take_along_axis(pairs.log_q, order, axis=-1)
        q = np.cumsum(np.exp(log_other), axis=-1)
        # delta(epsilon) is the largest P_m - e^epsilon Q_m over m, so each m needs epsilon >= ln((P_m - delta) / Q_m)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_q = np.log(q)
            if (q < MIN_PROBABILITY_SUM).any():
                log_q = np.where(q < MIN_PROBABILITY_SUM, np.logaddexp.accumulate(log_other, axis=-1), log_q)
            needed = np.where(p > allowed, np.log(p - allowed) - log_q, 0.0)
        worst = max(worst, float(needed.max()))
    return worst


class Pairs(NamedTuple):
    """A block of pairs of neighbours, one pair in each row, with output distributions on a shared list of outputs."""

    counts: Integers
    neighbour: Integers
    outputs: Integers
    log_p: Numbers
    log_q: Numbers


def pairs_of_neighbours(mechanism: Mechanism, prior: Numbers, n: int) -> Iterator[Pairs]:
    """Yields blocks of all ordered pairs of neighbours, in lattice order or along the line; arguments are not checked.

    Args:
        mechanism: A mechanism.
        prior: Dirichlet parameters, shape (k,).
        n: Number of records.

    Returns:
        An iterator over blocks of pairs with their output distributions.
    """
    k = len(prior)
    if mechanism.has_rate and k == 2 and arithmetic.in_doubles():
        allowed = f"at most {MAX_LINE_RECORDS:,} to compare all neighbours of two categories"
        way = "dpbi.privacy.loss_on_grid gives a loss that some have, and mechanism.promise_at one that none exceeds"
        checks.need(n <= MAX_LINE_RECORDS, f"n must be {allowed}, got n={n}: {way}", TooLong)
        return _pairs_on_the_line(mechanism, prior, n)
    try:
        vectors, law = all_laws(mechanism, prior, n)
    except TooLong:
        raise TooLong(
            f"n must be small enough for a table of all laws (at most {LARGEST_ENUMERATION:,} numbers), got n={n} with "
            f"k={k}: loss_between compares two datasets, and mechanism.promise_at bounds the loss of all neighbours"
        ) from None
    start, end = neighbour_rows(n, k)
    block, log_p = max(1, BLOCK_NUMBERS // len(law.outputs)), law.log_probabilities
    blocks = ((start[i : i + block], end[i : i + block]) for i in range(0, len(start), block))
    return (Pairs(vectors[here], vectors[there], law.outputs, log_p[here], log_p[there]) for here, there in blocks)


def _pairs_on_the_line(mechanism: Mechanism, prior: Floats, n: int) -> Iterator[Pairs]:
    """Yields all pairs of neighbours for an exponential mechanism on two categories, without a table of all laws."""
    every = np.arange(n + 1)

    def near(x: int) -> Integers:
        """The outputs whose affinity exponent from the dataset (x, n - x) may be below ``SATURATED_EXPONENT``."""
        m = prior[0] + (x + every) / 2
        rest = prior[1] + (n - (x + every) / 2)
        return np.flatnonzero((every - x) ** 2 * (m + rest) <= 8 * SATURATED_EXPONENT * m * rest)

    whole = n <= MAX_BLOCK_RECORDS
    block = n + 1 if whole else LINE_BLOCK_DATASETS
    for start in range(0, n, block):
        # p contains the first counts of the datasets in the block, and r the first counts of the outputs near these
        # datasets
        p = np.arange(start, min(start + block, n) + 1)
        r = p if whole else np.arange(near(p[0])[0], near(p[-1])[-1] + 1)
        counts = np.stack([p, n - p], axis=-1)
        H = lattice_distances(prior, counts) if whole else line_distances(prior, n, p[:, None], r)
        rate = mechanism.finite_rate(prior, counts)[:, None]
        log_p = -rate * H
        if len(r) <= n:  # all outputs farther away form one column, named after an end of the line
            log_p = np.concatenate([log_p, math.log(n + 1 - len(r)) - rate], axis=1)
            r = np.append(r, 0 if r[0] > 0 else n)
        log_p -= log_sum_exp(log_p, axis=-1, keepdims=True)
        outputs = np.stack([r, n - r], axis=-1)
        # neighbours are adjacent on the line; the next block begins with the last dataset of this block
        yield Pairs(counts[1:], counts[:-1], outputs, log_p[1:], log_p[:-1])
        yield Pairs(counts[:-1], counts[1:], outputs, log_p[:-1], log_p[1:])
