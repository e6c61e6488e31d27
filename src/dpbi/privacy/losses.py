r"""What a mechanism really leaks, computed from its exact laws over all datasets and all pairs of neighbours."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import approximate, exp, largest, maximum, number, plain
from ..checks import Floats, Integers
from ..guarantees import BoundedRange, PureDP
from ..guarantees.finite_laws import delta_of_losses, losses
from ..mechanisms import Mechanism, a_mechanism
from ..model.datasets import lattice_size
from .neighbours import pairs_of_neighbours

TIE = 1e-11
"""Losses this close are one loss, told apart by rounding alone."""

SMALLEST = 1e-290
"""Sums of smaller probabilities are had from their logarithms."""

LISTED = 1_000_000
"""Up to this many numbers noise is audited by a table of all laws; beyond, where it attains its guarantee."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    r"""The worst privacy loss, \(\max \ln \Pr[M(x) = r] / \Pr[M(x') = r]\), and where it is reached.

    >>> from dpbi import geometric
    >>> audit(geometric(0.5), [1, 1], 3)
    <Audit: loss 0.5 at output [1 2], likelier from [1 2] than from [0 3]>
    """

    epsilon: float
    counts: Integers
    neighbour: Integers
    output: Integers

    def __repr__(self) -> str:
        where = f"likelier from {self.counts} than from {self.neighbour}"
        return f"<Audit: loss {approximate(self.epsilon):.6g} at output {self.output}, {where}>"


def audit(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """The exact worst loss over all neighbouring datasets of n records, with its witness.

    Infinite when an output is possible at one dataset and impossible at its neighbour. Of witnesses that tie up to
    rounding the first is named, so that every machine names the same.

    Where a table of all laws would be long, noise is audited where it attains its guarantee, and an exponential
    mechanism on two categories a few datasets at a time, up to 20,000 records. Beyond, ``loss_on_grid`` gives a loss
    that it has at least, and ``mechanism.guarantee`` one that is not exceeded.

    >>> from dpbi import ehd
    >>> round(audit(ehd(0.8), [1, 1], 20).epsilon, 6), round(audit(ehd(0.8), [1, 1], 2000).epsilon, 6)
    (0.478736, 0.401287)
    """
    weights = checks.prior_weights(prior)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    k = len(weights)
    attained = a_mechanism(mechanism).attained
    place = None if attained is None else attained(size, k)
    if place is None or not arithmetic.in_doubles():
        return _worst(mechanism, weights, size)
    loss = _guaranteed(mechanism, weights, size)
    if lattice_size(size, k) ** 2 > LISTED or loss < 100 * TIE:
        return Audit(loss, *place)
    return replace(_worst(mechanism, weights, size), epsilon=loss)  # the digits of the table are those of 1 + epsilon


def _guaranteed(mechanism: Mechanism, weights: Floats, n: int) -> float:
    found = mechanism.guarantee(weights, n)
    if not isinstance(found, PureDP | BoundedRange):
        raise ValueError(f"mechanism must guarantee the pure loss that it attains, got {found} from {mechanism.name}")
    return float(found.epsilon)


def _worst(mechanism: Mechanism, weights: Floats, n: int) -> Audit:
    """Of all pairs of neighbours."""
    worst, named = number(0.0), -TIE
    at: tuple[Integers, ...] = ()
    for pairs in pairs_of_neighbours(mechanism, weights, n):
        exact = losses(pairs.log_p, pairs.log_q)
        worst = maximum(worst, largest(exact))
        loss = exact if arithmetic.in_doubles() else approximate(exact)
        if (top := float(loss.max())) > named + TIE:
            row, output = np.unravel_index((loss >= top - TIE).argmax(), loss.shape)
            named, at = top, (pairs.counts[row], pairs.neighbour[row], pairs.outputs[output])
    nowhere = np.eye(1, len(weights), len(weights) - 1, dtype=np.int64)[0] * n  # without records there are no pairs
    return Audit(plain(worst), *(at or (nowhere, nowhere, nowhere)))


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


def hockey_stick(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float) -> float:
    r"""The exact delta at an epsilon, \(\max_{x \sim x'} \sum_r (\Pr[M(x) = r] - e^{\varepsilon}\Pr[M(x') = r])_+\).

    >>> from dpbi import geometric
    >>> round(hockey_stick(geometric(0.5), [1, 1], 20, epsilon=0.2), 6)
    0.16133
    """
    weights = checks.prior_weights(prior)
    level = checks.real("epsilon", epsilon, least=0)
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    worst: float = number(0.0)
    for pairs in pairs_of_neighbours(a_mechanism(mechanism), weights, size):
        delta = delta_of_losses(exp(pairs.log_p), losses(pairs.log_p, pairs.log_q), level)
        worst = maximum(worst, largest(delta))
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
    size = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    worst = 0.0
    for pairs in pairs_of_neighbours(a_mechanism(mechanism), weights, size):
        order = np.argsort(-losses(pairs.log_p, pairs.log_q), axis=-1)
        p = np.cumsum(np.take_along_axis(np.exp(pairs.log_p), order, axis=-1), axis=-1)
        log_other = np.take_along_axis(pairs.log_q, order, axis=-1)
        q = np.cumsum(np.exp(log_other), axis=-1)
        # each set of outputs asks for its own epsilon, and the sets of highest loss ask for the most
        with np.errstate(divide="ignore", invalid="ignore"):
            log_q = np.log(q)
            if (q < SMALLEST).any():
                log_q = np.where(q < SMALLEST, np.logaddexp.accumulate(log_other, axis=-1), log_q)
            asked = np.where(p > allowed, np.log(p - allowed) - log_q, 0.0)
        worst = max(worst, float(asked.max()))
    return worst
