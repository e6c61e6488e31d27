r"""What a mechanism really leaks, computed from its exact laws over all datasets and all pairs of neighbours."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import accurate, approximate, exp, largest, maximum, number, plain
from ..checks import Floats, Integers
from ..guarantees import BoundedRange, PureDP
from ..guarantees.finite_laws import delta_of_losses, losses
from ..mechanisms import Law, Mechanism, a_mechanism, all_laws
from ..mechanisms.description import KnownRates
from ..model.datasets import LARGEST_ENUMERATION, TooLong, lattice_size, moves
from ..model.sums import summable
from .edges import worst_edge
from .many_counts import least_spent, most_spent
from .profiles import most_leaked, most_of_loss
from .two_counts import TwoCounts, on_line

CHUNK = 4_000_000
"""Pairs of neighbours are compared in blocks of about this many numbers."""


TIE = 1e-11
"""Losses this close are one loss, told apart by rounding alone."""

SHORT_LAW = 20_000
"""Up to this many datasets the laws of two neighbours are listed where a table of all laws would not fit: seconds."""

SMALLEST = 1e-290
"""Sums of smaller probabilities are had from their logarithms."""

LISTED = 1_000_000
"""Up to this many numbers an audit takes a table of all laws; beyond, the structure of a mechanism if it has one."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    r"""The worst privacy loss, \(\max \ln \Pr[M(x) = r] / \Pr[M(x') = r]\), and where it is reached.

    The loss is at least ``epsilon`` and ``at_most`` that bound: the same number unless the datasets are too many to be
    looked at one by one, and a search by ranges was left with an interval.

    >>> from dpbi import geometric
    >>> audit(geometric(0.5), [1, 1], 3)
    <Audit: loss 0.5 at output [1 2], likelier from [1 2] than from [0 3]>
    """

    epsilon: float
    counts: Integers
    neighbour: Integers
    output: Integers
    at_most: float = math.nan

    def __post_init__(self) -> None:
        if self.at_most is math.nan:
            object.__setattr__(self, "at_most", self.epsilon)

    def __repr__(self) -> str:
        where = f"likelier from {self.counts} than from {self.neighbour}"
        low, high = approximate(self.epsilon), approximate(self.at_most)
        loss = f"loss {low:.6g}"
        if high > low * (1 + 1e-12):
            digits = next(d for d in range(6, 18) if f"{low:.{d}g}" != f"{high:.{d}g}")
            loss = f"loss between {low:.{digits}g} and {high:.{digits}g}, the first"
        return f"<Audit: {loss} at output {self.output}, {where}>"


@accurate(1e-9)
def audit(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """The exact worst loss over all neighbouring datasets of n records, with its witness.

    Infinite when an output is possible at one dataset and impossible at its neighbour. Of witnesses that tie up to
    rounding the first is named, in the order of ``moves`` and of the outputs, so that every machine names the same.

    Where a table of all laws would be long, noise is audited where it attains its guarantee, and an exponential
    mechanism on two categories by a search that rules out what it does not look at (``edges``). On more categories it
    loses at least what two neighbours do, and at most its guarantee, or where its rate is the same everywhere a bound
    close to half of its promise (``many_counts``).

    >>> from dpbi import ehd, geometric
    >>> round(audit(ehd(0.8), [1, 1], 20).epsilon, 6), round(audit(ehd(0.8), [1, 1], 10**9).epsilon, 6)
    (0.478736, 0.4)
    >>> found = audit(ehd(0.8), [1, 1, 1], 200)
    >>> round(found.epsilon, 6), round(found.at_most, 6)
    (0.4, 0.402109)
    """
    weights = checks.prior_weights(prior)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    k = len(weights)
    attained = a_mechanism(mechanism).attained
    place = None if attained is None else attained(size, k)
    small = lattice_size(size, k) ** 2 <= LISTED
    if not arithmetic.in_doubles() or (small and place is None):
        return _by_table(mechanism, weights, size)
    if place is not None:
        found = _by_table(mechanism, weights, size) if small else None
        loss = _guaranteed(mechanism, weights, size)
        if found is None or loss < 100 * TIE:
            return Audit(loss, *place)
        return replace(found, epsilon=loss, at_most=loss)  # the digits of the table are those of 1 + epsilon
    rates = mechanism.rates
    if rates is not None:
        summable(weights)
    if rates is not None and k == 2:
        return _by_edges(rates, weights, size)
    if rates is not None and lattice_size(size, k) ** 2 > LARGEST_ENUMERATION:
        most = _most(mechanism, rates, weights, size)
        if most is not None:
            return _between(mechanism, rates, weights, size, most)
    return _by_table(mechanism, weights, size)


def _guaranteed(mechanism: Mechanism, weights: Floats, n: int) -> float:
    found = mechanism.guarantee(weights, n)
    if not isinstance(found, PureDP | BoundedRange):
        raise ValueError(f"mechanism must guarantee the pure loss that it attains, got {found} from {mechanism.name}")
    return float(found.epsilon)


def _most(mechanism: Mechanism, rates: KnownRates, weights: Floats, n: int) -> float | None:
    """The least loss that is proved of rates on three categories or more, if any."""
    if rates.constant:
        one = np.eye(1, len(weights), dtype=np.int64)[0] * n
        return float(most_spent(weights, n, float(rates.at(weights, one))))
    found = mechanism.guarantee(weights, n)
    return float(found.epsilon) if isinstance(found, PureDP | BoundedRange) else None


def _by_edges(rates: KnownRates, weights: Floats, n: int) -> Audit:
    found = worst_edge(TwoCounts.of(weights, n), on_line(rates, weights, n))
    counts, neighbour, output = (np.array([p, n - p]) for p in (found.start, found.end, found.output))
    return Audit(found.loss, counts, neighbour, output, found.at_most)


def _between(mechanism: Mechanism, rates: KnownRates, weights: Floats, n: int, most: float) -> Audit:
    """From what two neighbours are certain to lose to what is proved; exactly theirs where their laws are short."""
    certain = least_spent(weights, n, rates)
    found = Audit(certain.loss, certain.here, certain.there, certain.here)
    if lattice_size(n, len(weights)) <= SHORT_LAW:
        here, there = (mechanism.law(weights, x) for x in (certain.here, certain.there))
        for one, other, law, next_law in ((*certain[1:], here, there), (*certain[:0:-1], there, here)):
            loss = losses(law.log_probabilities, next_law.log_probabilities)
            if (top := float(loss.max())) > found.epsilon:
                found = Audit(top, one, other, law.outputs[int(loss.argmax())])
    return replace(found, at_most=max(most, found.epsilon))


def _by_table(mechanism: Mechanism, weights: Floats, n: int) -> Audit:
    vectors, law = all_laws(mechanism, weights, n)
    worst, named = number(0.0), 0.0
    at = (0, 0, 0)
    for start, end in _neighbour_blocks(n, len(weights), law):
        exact = losses(law.log_probabilities[start], law.log_probabilities[end])
        worst = maximum(worst, largest(exact))
        loss = exact if arithmetic.in_doubles() else approximate(exact)
        top = float(loss.max())
        if top > named + TIE:
            row, output = np.unravel_index((loss >= top - TIE).argmax(), loss.shape)
            named, at = top, (int(start[row]), int(end[row]), int(output))
    x, neighbour, r = at
    return Audit(plain(worst), vectors[x], vectors[neighbour], law.outputs[r])


@accurate(1e-9)
def loss_between(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, neighbour: ArrayLike) -> float:
    r"""The worst loss from one dataset to another, \(\max_r \ln \Pr[M(x) = r] / \Pr[M(x') = r]\).

    Both laws have to be on one list of outputs.

    >>> from dpbi import geometric
    >>> round(float(loss_between(geometric(0.5), [1, 1], [1, 2], [0, 3])), 6)
    0.5
    """
    here, there = mechanism.law(prior, counts), mechanism.law(prior, neighbour)
    if here.outputs is not there.outputs and not np.array_equal(here.outputs, there.outputs):
        raise ValueError(f"neighbour must have the outputs of counts={counts!r}, got neighbour={neighbour!r}")
    worst: float = largest(losses(here.log_probabilities, there.log_probabilities))
    return worst


@accurate(1e-9)
def hockey_stick(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float) -> float:
    r"""The exact delta at an epsilon, \(\max_{x \sim x'} \sum_r (\Pr[M(x) = r] - e^{\varepsilon}\Pr[M(x') = r])_+\).

    Where the search without a table leaves an interval (``hockey_stick_between``), it is an error that says so.

    >>> from dpbi import geometric
    >>> round(hockey_stick(geometric(0.5), [1, 1], 20, epsilon=0.2), 6)
    0.16133
    """
    low, high = hockey_stick_between(mechanism, prior, n, epsilon)
    if arithmetic.in_doubles() and high > low * (1 + 1e-9):
        raise ValueError(
            f"n must be smaller for an exact delta at epsilon={epsilon!r}, got n={n}, where it is certain that it lies "
            f"between {low:.6g} and {high:.6g} (hockey_stick_between)"
        )
    return low


def hockey_stick_between(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float) -> tuple[float, float]:
    """A delta that is attained at an epsilon, and one that is not exceeded.

    They are the same number, ``hockey_stick``, unless the datasets are too many to be looked at one by one. Then a
    search by ranges may be left with an interval; and where there is none, the second is the most that any laws of the
    same loss leak, the first what some neighbours do, or 0 where the law of one dataset is too long as well.

    >>> from dpbi import ehdl
    >>> low, high = hockey_stick_between(ehdl(0.8), [1, 1], 10**5, epsilon=0.2)
    >>> round(low, 3), high < 0.17
    (0.109, True)
    """
    weights = checks.prior_weights(prior)
    level = checks.real("epsilon", epsilon, least=0)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    rates = a_mechanism(mechanism).rates
    if arithmetic.in_doubles() and rates is not None and len(weights) == 2 and (size + 1) ** 2 > LISTED:
        summable(weights)
        found = most_leaked(TwoCounts.of(weights, size), on_line(rates, weights, size), level)
        return found.loss, found.at_most
    try:
        delta = _table_delta(mechanism, weights, size, level)
    except TooLong:
        if mechanism.attained is None and (rates is None or _most(mechanism, rates, weights, size) is None):
            raise
        return _delta_between(mechanism, audit(mechanism, weights, size), weights, size, level)
    return delta, delta


def _delta_between(mechanism: Mechanism, audited: Audit, weights: Floats, n: int, level: float) -> tuple[float, float]:
    """From what some neighbours leak, where their laws are short, to the most that any laws of the same loss do."""
    k, low = len(weights), 0.0
    if mechanism.line is not None and lattice_size(n, k) <= SHORT_LAW:
        middle = np.zeros(k, dtype=np.int64)
        middle[:2] = n // 2, n - n // 2
        pairs = [(audited.counts, audited.neighbour)]
        if n >= 2:
            pairs.append((middle, middle + np.eye(2, k, dtype=np.int64)[0] - np.eye(2, k, dtype=np.int64)[1]))
        for pair in pairs:
            log_p, log_q = (mechanism.law(weights, x).log_probabilities for x in pair)
            for one, other in ((log_p, log_q), (log_q, log_p)):
                low = max(low, float(delta_of_losses(np.exp(one), losses(one, other), level)))
    return low, max(low, float(most_of_loss(audited.at_most, level)))


def _table_delta(mechanism: Mechanism, weights: Floats, n: int, level: float) -> float:
    _, law = all_laws(mechanism, weights, n)
    worst: float = number(0.0)
    for start, end in _neighbour_blocks(n, len(weights), law):
        log_p = law.log_probabilities[start]
        worst = maximum(worst, largest(delta_of_losses(exp(log_p), losses(log_p, law.log_probabilities[end]), level)))
    return plain(worst)


def epsilon_at_delta(mechanism: Mechanism, prior: ArrayLike, n: int, delta: float) -> float:
    r"""The exact smallest \(\varepsilon \ge 0\) at which ``hockey_stick`` is at most delta.

    For one pair of neighbours, with the outputs in order of falling loss, the m first of them give
    \(\delta(\varepsilon) = P_m - e^{\varepsilon} Q_m\) between consecutive losses, which is solved for epsilon.

    >>> from dpbi import geometric
    >>> round(epsilon_at_delta(geometric(0.5), [1, 1], 20, delta=0.1), 6)
    0.324869
    """
    weights = checks.prior_weights(prior)
    allowed = checks.real("delta", delta, least=0, below=1)
    if allowed == 0:
        return audit(mechanism, weights, n).epsilon
    try:
        _, law = all_laws(mechanism, weights, n)
    except TooLong as error:
        raise TooLong(f"{error}; hockey_stick_between gives the delta at an epsilon") from None
    worst = 0.0
    for start, end in _neighbour_blocks(n, len(weights), law):
        loss = losses(law.log_probabilities[start], law.log_probabilities[end])
        order = np.argsort(-loss, axis=-1)
        p = np.cumsum(np.take_along_axis(np.exp(law.log_probabilities[start]), order, axis=-1), axis=-1)
        log_other = np.take_along_axis(law.log_probabilities[end], order, axis=-1)
        q = np.cumsum(np.exp(log_other), axis=-1)
        # each set of outputs asks for its own epsilon, and the sets of highest loss ask for the most
        with np.errstate(divide="ignore", invalid="ignore"):
            log_q = np.log(q)
            if (q < SMALLEST).any():
                log_q = np.where(q < SMALLEST, np.logaddexp.accumulate(log_other, axis=-1), log_q)
            asked = np.where(p > allowed, np.log(p - allowed) - log_q, 0.0)
        worst = max(worst, float(asked.max()))
    return worst


def _neighbour_blocks(n: int, k: int, law: Law) -> Iterator[tuple[Integers, Integers]]:
    block = max(1, CHUNK // len(law.outputs))
    for start, end in moves(n, k):
        for first in range(0, len(start), block):
            yield start[first : first + block], end[first : first + block]
