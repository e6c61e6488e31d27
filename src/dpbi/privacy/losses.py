r"""What a mechanism really leaks, computed from its exact laws over all datasets and all pairs of neighbours."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import PureDP
from ..mechanisms.table import Guarantee, Law, Mechanism, a_mechanism
from ..model.datasets import count_vectors, moves, within_enumeration

T = TypeVar("T")

CHUNK = 4_000_000
"""Pairs of neighbours are compared in blocks of about this many numbers."""


TIE = 1e-11
"""Losses this close are one loss, told apart by rounding alone."""


@dataclass(frozen=True, eq=False)
class Audit:
    r"""The worst privacy loss, \(\max \ln \Pr[M(x) = r] / \Pr[M(x') = r]\), and where it is reached."""

    epsilon: float
    counts: Integers
    neighbour: Integers
    output: Integers


def audit(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """The exact worst loss over all neighbouring datasets of n records, with its witness.

    Infinite when an output is possible at one dataset and impossible at its neighbour. Of witnesses that tie up to
    rounding the first is named, in the order of ``moves`` and of the outputs, so that every machine names the same.
    """
    weights = checks.prior_weights(prior)
    vectors, law = all_laws(mechanism, weights, n)
    worst = named = 0.0
    at = (0, 0, 0)
    for start, end in _neighbour_blocks(n, len(weights), law):
        loss = _loss(law.log_probabilities, start, end)
        top = float(loss.max())
        worst = max(worst, top)
        if top > named + TIE:
            row, output = np.unravel_index((loss >= top - TIE).argmax(), loss.shape)
            named, at = top, (int(start[row]), int(end[row]), int(output))
    x, neighbour, r = at
    return Audit(worst, vectors[x], vectors[neighbour], law.outputs[r])


def hockey_stick(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float) -> float:
    r"""The exact delta at an epsilon, \(\max_{x \sim x'} \sum_r (\Pr[M(x) = r] - e^{\varepsilon}\Pr[M(x') = r])_+\)."""
    weights = checks.prior_weights(prior)
    level = checks.real("epsilon", epsilon, least=0)
    _, law = all_laws(mechanism, weights, n)
    worst = 0.0
    for start, end in _neighbour_blocks(n, len(weights), law):
        over = np.maximum(_loss(law.log_probabilities, start, end) - level, 0.0)
        delta = (np.exp(law.log_probabilities[start]) * -np.expm1(-over)).sum(axis=-1)
        worst = max(worst, float(delta.max()))
    return worst


def epsilon_at_delta(mechanism: Mechanism, prior: ArrayLike, n: int, delta: float) -> float:
    r"""The exact smallest \(\varepsilon \ge 0\) at which ``hockey_stick`` is at most delta.

    For one pair of neighbours, with the outputs in order of falling loss, the m first of them give
    \(\delta(\varepsilon) = P_m - e^{\varepsilon} Q_m\) between consecutive losses, which is solved for epsilon.
    """
    weights = checks.prior_weights(prior)
    allowed = checks.real("delta", delta, least=0, below=1)
    if allowed == 0:
        return audit(mechanism, weights, n).epsilon
    _, law = all_laws(mechanism, weights, n)
    worst = 0.0
    for start, end in _neighbour_blocks(n, len(weights), law):
        loss = _loss(law.log_probabilities, start, end)
        order = np.argsort(-loss, axis=-1)
        p = np.cumsum(np.take_along_axis(np.exp(law.log_probabilities[start]), order, axis=-1), axis=-1)
        q = np.cumsum(np.take_along_axis(np.exp(law.log_probabilities[end]), order, axis=-1), axis=-1)
        # each set of outputs asks for its own epsilon, and the sets of highest loss ask for the most
        with np.errstate(divide="ignore", invalid="ignore"):
            asked = np.where(p > allowed, np.log((p - allowed) / q), 0.0)
        worst = max(worst, float(asked.max()))
    return worst


def calibrate(family: Callable[[float], Mechanism], prior: ArrayLike, n: int, epsilon: float) -> Mechanism:
    """The member of a family with the largest internal epsilon whose exact audited loss stays within ``epsilon``.

    ``family`` maps an internal epsilon to a mechanism, ``ehd`` for instance. The loss need not grow with the internal
    epsilon (that of ``smoothed_hellinger`` falls again in places), so after the first crossing of the target the search
    goes on in steps of 5 % until a whole factor of two is too much, and solves for the last crossing; a family that
    comes back still later, or between two steps, has a larger member than the one found. The result was obtained by an
    exact audit at this prior and n, and refuses any other: elsewhere nothing is known of it.
    """
    weights = checks.prior_weights(prior)
    target = checks.real("epsilon", epsilon, above=0)
    if not callable(family):
        raise TypeError(f"family must be a function from an internal epsilon to a Mechanism, got family={family!r}")

    def excess(internal: float) -> float:
        return audit(family(internal), weights, n).epsilon - target

    inside = target
    while excess(inside) > 0:
        inside /= 1.25
    while excess(inside * 1.25) <= 0:
        inside *= 1.25
        if inside > target * 1e6:
            raise ValueError(
                f"family must leak more than epsilon={target} at some internal epsilon up to {inside:g}, "
                f"and does not at n={n}: no largest member exists"
            )
    further = inside
    while (further := further * 1.05) <= 2 * inside:
        if excess(further) <= 0:
            inside = further
    internal = float(brentq(excess, inside, inside * 1.05, xtol=1e-300, rtol=1e-13))
    while excess(internal) > 0:
        internal *= 1 - 1e-13
    return _only_at(family(internal), weights, n, target, internal)


def _only_at(mechanism: Mechanism, prior: Floats, n: int, target: float, internal: float) -> Mechanism:
    """The same mechanism, refusing every setting but the one it was audited at."""
    name = f"{mechanism.name}, calibrated to {target:g} at n = {n} (internal epsilon {internal:.6g})"

    def here(prior_given: ArrayLike, size: int) -> bool:
        given = checks.whole("n", size, least=0, below=checks.LARGEST_TOTAL)
        return np.array_equal(checks.prior_weights(prior_given), prior) and given == n

    def refuse(weights: Floats, size: int) -> None:
        if not here(weights, size):
            raise ValueError(
                f"prior and n must be those of the calibration, prior={prior.tolist()} and n={n}, "
                f"got prior={weights.tolist()} and n={size}: the audit says nothing about them"
            )

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return mechanism.law(prior, counts)

    def laws(prior: ArrayLike, n: int) -> Law:
        refuse(checks.prior_weights(prior), n)
        return all_laws(mechanism, checks.prior_weights(prior), n)[1]

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return mechanism.sample(prior, counts, rng, size)

    def guarantee(prior: ArrayLike, n: int) -> Guarantee | None:
        return PureDP(target) if here(prior, n) else None

    return replace(
        mechanism,
        name=name,
        promise=None,
        law=law,
        sample=sample,
        guarantee=guarantee,
        laws=laws,
        rate=_guarded(mechanism.rate, refuse),
        line=_guarded(mechanism.line, refuse),
    )


def _guarded(inner: Callable[..., T] | None, refuse: Callable[[Floats, int], None]) -> Callable[..., T] | None:
    if inner is None:
        return None

    def here(prior: ArrayLike, counts: ArrayLike) -> T:
        weights, x = checks.dataset(prior, counts)
        refuse(weights, int(x.sum()))
        return inner(prior, counts)

    return here


def all_laws(mechanism: Mechanism, prior: Floats, n: int) -> tuple[Integers, Law]:
    """All datasets of n records, and one table of their laws: a row per dataset, a column per output of any of them.

    An output that a dataset lacks has probability zero there.
    """
    n = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    vectors = count_vectors(n, len(prior))
    laws = a_mechanism(mechanism).laws
    if laws is not None:
        return vectors, laws(prior, n)
    rows = [mechanism.law(prior, vectors[0])]
    within_enumeration(len(vectors), len(rows[0].outputs), n, len(prior))  # before the other laws are computed
    rows += [mechanism.law(prior, x) for x in vectors[1:]]
    shared = rows[0].outputs
    if all(row.outputs is shared for row in rows):
        return vectors, Law(shared, np.stack([row.log_probabilities for row in rows]))
    shared, where = np.unique(np.concatenate([row.outputs for row in rows]), axis=0, return_inverse=True)
    log_p = np.full((len(rows), len(shared)), -np.inf)
    dataset = np.repeat(np.arange(len(rows)), [len(row.outputs) for row in rows])
    log_p[dataset, where.ravel()] = np.concatenate([row.log_probabilities for row in rows])
    return vectors, Law(shared, log_p)


def _neighbour_blocks(n: int, k: int, law: Law) -> Iterator[tuple[Integers, Integers]]:
    block = max(1, CHUNK // len(law.outputs))
    for start, end in moves(n, k):
        for first in range(0, len(start), block):
            yield start[first : first + block], end[first : first + block]


def _loss(log_p: Floats, start: Integers, end: Integers) -> Floats:
    with np.errstate(invalid="ignore"):
        loss = log_p[start] - log_p[end]
    return np.where(np.isneginf(log_p[start]), -np.inf, loss)  # impossible outputs lose nothing
