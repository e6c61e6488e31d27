r"""What a mechanism really leaks, computed from its exact laws over all datasets and all pairs of neighbours."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import accurate, approximate, exp, largest, maximum, number, plain
from ..checks import Integers
from ..guarantees.finite_laws import delta_of_losses, losses
from ..mechanisms import Law, Mechanism, all_laws
from ..model.datasets import moves

CHUNK = 4_000_000
"""Pairs of neighbours are compared in blocks of about this many numbers."""


TIE = 1e-11
"""Losses this close are one loss, told apart by rounding alone."""


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


@accurate(1e-9)
def audit(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """The exact worst loss over all neighbouring datasets of n records, with its witness.

    Infinite when an output is possible at one dataset and impossible at its neighbour. Of witnesses that tie up to
    rounding the first is named, in the order of ``moves`` and of the outputs, so that every machine names the same.

    >>> from dpbi import ehd
    >>> round(audit(ehd(0.8), [1, 1], 20).epsilon, 6)
    0.478736
    """
    weights = checks.prior_weights(prior)
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

    >>> from dpbi import geometric
    >>> round(hockey_stick(geometric(0.5), [1, 1], 20, epsilon=0.2), 6)
    0.16133
    """
    weights = checks.prior_weights(prior)
    level = checks.real("epsilon", epsilon, least=0)
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
    _, law = all_laws(mechanism, weights, n)
    worst = 0.0
    for start, end in _neighbour_blocks(n, len(weights), law):
        loss = losses(law.log_probabilities[start], law.log_probabilities[end])
        order = np.argsort(-loss, axis=-1)
        p = np.cumsum(np.take_along_axis(np.exp(law.log_probabilities[start]), order, axis=-1), axis=-1)
        q = np.cumsum(np.take_along_axis(np.exp(law.log_probabilities[end]), order, axis=-1), axis=-1)
        # each set of outputs asks for its own epsilon, and the sets of highest loss ask for the most
        with np.errstate(divide="ignore", invalid="ignore"):
            asked = np.where(p > allowed, np.log((p - allowed) / q), 0.0)
        worst = max(worst, float(asked.max()))
    return worst


def _neighbour_blocks(n: int, k: int, law: Law) -> Iterator[tuple[Integers, Integers]]:
    block = max(1, CHUNK // len(law.outputs))
    for start, end in moves(n, k):
        for first in range(0, len(start), block):
            yield start[first : first + block], end[first : first + block]
