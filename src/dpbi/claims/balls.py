r"""The quantities of the claims in Arb balls: every value is an interval that contains the true number.

The names are those of ``floats``, so that a body written once is evaluated over both; nothing of the library's
floating-point code is used. Definitions are followed literally where they are finite: sensitivities are maxima over
all datasets, losses over all neighbours and outputs. Numbers of a case enter as exact rationals, a double as the
decimal it is written as: 0.8 is 4/5.

Whether two distances are equal is never left to rounding. The distance between posteriors a and b depends only on the
multiset of unordered pairs \(\{a_i, b_i\}\) with \(a_i \ne b_i\); equal multisets are ties, and all other
comparisons must be decided by disjoint balls, or ``Undecided`` is raised.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
from flint import acb, arb, ctx, fmpq

from ..arithmetic import Undecided as Undecided
from ..model.datasets import count_vectors as _count_vectors
from ..model.datasets import neighbours as _neighbours
from .floats import __all__ as __all__

ctx.prec = 192
"""Bits of precision: enough that distances of 1e-6 between posteriors of 1e9 records keep 30 digits."""

Vector = Sequence[Any]
pi = arb.pi()


def number(value: Any) -> Any:
    """The exact rational that an integer or a decimal stands for; sequences become tuples of them."""
    if isinstance(value, tuple | list):
        return tuple(number(entry) for entry in value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float | np.integer | np.floating):
        exact = Fraction(repr(float(value))) if isinstance(value, float | np.floating) else Fraction(int(value))
        return fmpq(exact.numerator, exact.denominator)
    return value


def ball(value: Any) -> Any:
    """The number as a ball."""
    return arb(value)


def sign(value: Any) -> int | None:
    """The sign of a ball, None if it is not certain."""
    x = arb(value)
    if x.is_zero():
        return 0
    return 1 if x > 0 else -1 if x < 0 else None


def exp(x: Any) -> Any:
    """The exponential, also of a complex ball (under an integral)."""
    return x.exp() if isinstance(x, acb) else arb(x).exp()


def log(x: Any) -> Any:
    """The natural logarithm."""
    return arb(x).log()


def sqrt(x: Any) -> Any:
    """The square root."""
    return arb(x).sqrt()


def lgamma(x: Any) -> Any:
    """The logarithm of the gamma function; remembered at rationals."""
    return x.lgamma() if isinstance(x, arb) else _lgamma(x)


@lru_cache(maxsize=1_000_000)
def _lgamma(x: Any) -> Any:
    return arb(x).lgamma()


def digamma(x: Any) -> Any:
    """The derivative of the logarithm of the gamma function."""
    return arb(x).digamma()


def trigamma(x: Any) -> Any:
    """The second derivative of the logarithm of the gamma function, the Hurwitz zeta function at 2."""
    return arb(2).zeta(arb(x))


def largest(values: Iterable[Any]) -> Any:
    """An enclosure of the maximum."""
    balls = [arb(value) for value in values]
    top = balls[0]
    for ball in balls[1:]:
        top = top.max(ball)
    return top


def smallest(values: Iterable[Any]) -> Any:
    """An enclosure of the minimum."""
    return -largest(-arb(value) for value in values)


def integral(f: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """An enclosure of the integral of a holomorphic function."""
    return acb.integral(lambda z, _: f(z), acb(low), acb(high)).real


# Distances and sensitivities


def _gap(a: Any, b: Any) -> Any:
    return (lgamma(a) + lgamma(b)) / 2 - lgamma((a + b) / 2)


@lru_cache(maxsize=1_000_000)
def _step(a: Any) -> Any:
    """u(a) = D(a, a + 1)."""
    return _gap(a, a + 1)


def _distance(exponent: Any) -> Any:
    return (-(-exponent).expm1()).sqrt()


def hellinger(a: Vector, b: Vector) -> Any:
    """Hellinger distance between two Dirichlet distributions."""
    if all(p == q for p, q in zip(a, b, strict=True)):
        return arb(0)
    exponent = sum((_gap(p, q) for p, q in zip(a, b, strict=True)), arb(0))
    return _distance(exponent - _gap(sum(a), sum(b)))


def distances(prior: Vector, counts: Vector, others: Any) -> list[Any]:
    """Hellinger distances from the posterior of one dataset to those of others, one per row."""
    x = tuple(int(c) for c in counts)
    if others is _count_vectors(sum(x), len(x)):
        return _all_distances(tuple(prior), x)
    if any(int(sum(row)) != sum(x) for row in others):
        here = [weight + count for weight, count in zip(prior, x, strict=True)]
        return [hellinger(here, [w + int(c) for w, c in zip(prior, row, strict=True)]) for row in others]
    return _equal_totals(prior, x, others)


@lru_cache(maxsize=4)
def _all_distances(prior: tuple[Any, ...], x: tuple[int, ...]) -> list[Any]:
    return _equal_totals(prior, x, _count_vectors(sum(x), len(x)))


def _equal_totals(prior: Vector, x: tuple[int, ...], others: Any) -> list[Any]:
    # a category's gap depends on one count only: each is computed once per value
    first, *rest = (
        {c: _gap(weight + n, weight + c) for c in np.unique(column).tolist()}
        for weight, n, column in zip(prior, x, others.T, strict=True)
    )
    found = []
    for row in others.tolist():
        exponent = first[row[0]]
        for gaps, c in zip(rest, row[1:], strict=True):
            exponent = exponent + gaps[c]
        found.append(arb(0) if tuple(row) == x else _distance(exponent))
    return found


def count_vectors(n: Any, k: Any) -> Any:
    """All datasets of n records, one per row."""
    return _count_vectors(int(n), int(k))


def neighbours(counts: Vector) -> Any:
    """The datasets at distance one, one per row."""
    return _neighbours([int(c) for c in counts])


def local_sensitivity(prior: Vector, counts: Vector) -> Any:
    """The largest distance to a neighbour."""
    x = [int(c) for c in counts]
    steps = [{c: _step(weight + c) for c in (n, n - 1) if c >= 0} for weight, n in zip(prior, x, strict=True)]
    return _farthest(steps, x)


def _farthest(steps: Sequence[Any], x: Sequence[int]) -> Any:
    """LS(x) from the values of u at each category's counts."""
    categories = range(len(x))
    exponents = [steps[i][x[i]] + steps[j][x[j] - 1] for i in categories for j in categories if i != j and x[j] > 0]
    return _distance(largest(exponents)) if exponents else arb(0)


@lru_cache(maxsize=8)
def _local_sensitivities(prior: tuple[Any, ...], n: int) -> tuple[Any, list[Any]]:
    """All datasets, and LS at each; for a symmetric prior once per multiset of counts."""
    vectors = _count_vectors(n, len(prior))
    steps = [[_step(weight + c) for c in range(n + 1)] for weight in prior]
    symmetric = all(weight == prior[0] for weight in prior)
    found: dict[tuple[int, ...], Any] = {}
    local = []
    for row in vectors.tolist():
        key = tuple(sorted(row) if symmetric else row)
        if key not in found:
            found[key] = _farthest(steps, row)
        local.append(found[key])
    return vectors, local


def global_sensitivity(prior: Vector, n: Any) -> Any:
    """The largest local sensitivity, over all datasets."""
    return largest(_local_sensitivities(tuple(prior), int(n))[1])


def reciprocal_smooth_sensitivity(prior: Vector, counts: Vector, gamma: Any) -> Any:
    """max over x' of 1 / (1/LS(x') + gamma d(x, x')), over all datasets."""
    moved, local = _all_from(prior, counts)
    return 1 / smallest(1 / ls + gamma * d for d, ls in zip(moved, local, strict=True))


def exponential_smooth_sensitivity(prior: Vector, counts: Vector, beta: Any) -> Any:
    """max over x' of LS(x') exp(-beta d(x, x')), over all datasets."""
    moved, local = _all_from(prior, counts)
    factor = exp(-beta)
    powers = [arb(1)]
    for _ in range(max(moved)):
        powers.append(powers[-1] * factor)
    return largest(ls * powers[d] for d, ls in zip(moved, local, strict=True))


def _all_from(prior: Vector, counts: Vector) -> tuple[list[int], list[Any]]:
    vectors, local = _local_sensitivities(tuple(prior), int(sum(counts)))
    here = np.array([int(c) for c in counts])
    return (np.abs(vectors - here).sum(axis=1) // 2).tolist(), local


# Mechanisms


@dataclass(frozen=True)
class Mechanism:
    """A mechanism as its exact law: the outputs, one per row, and the probabilities of each."""

    law: Callable[[Vector, Vector], tuple[Any, list[Any]]]


def _exponential(rate: Callable[[Vector, Vector], Any]) -> Mechanism:
    def law(prior: Vector, counts: Vector) -> tuple[Any, list[Any]]:
        outputs = count_vectors(sum(counts), len(counts))
        scale = rate(prior, counts)
        weights = [(-scale * h).exp() for h in distances(prior, counts, outputs)]
        total = sum(weights, arb(0))
        return outputs, [weight / total for weight in weights]

    return Mechanism(law)


def ehd(epsilon: Any, sensitivity: Any = None) -> Mechanism:
    """The exponential mechanism at the global sensitivity."""

    def rate(prior: Vector, counts: Vector) -> Any:
        scale = global_sensitivity(prior, sum(counts)) if sensitivity is None else sensitivity
        return arb(epsilon) / (2 * scale)

    return _exponential(rate)


def ehdl(epsilon: Any) -> Mechanism:
    """The exponential mechanism at the local sensitivity."""
    return _exponential(lambda prior, counts: arb(epsilon) / (2 * local_sensitivity(prior, counts)))


def ehds(epsilon: Any, gamma: Any = 1, divisor: Any = 4) -> Mechanism:
    """The exponential mechanism at the reciprocal smooth sensitivity."""

    def rate(prior: Vector, counts: Vector) -> Any:
        return arb(epsilon) / (divisor * reciprocal_smooth_sensitivity(prior, counts, gamma))

    return _exponential(rate)


def smoothed_hellinger(epsilon: Any, delta: Any, divisor: Any = 2) -> Mechanism:
    """The mechanism of Definition 4.1, its smoothness computed from epsilon, delta and n + 1."""

    def rate(prior: Vector, counts: Vector) -> Any:
        beta = log(1 - epsilon / (2 * log(delta / (2 * (sum(counts) + 1)))))
        return arb(epsilon) / (divisor * exponential_smooth_sensitivity(prior, counts, beta))

    return _exponential(rate)


def lszhang(epsilon: Any) -> Mechanism:
    """Floored Laplace noise of scale 2k / epsilon."""
    return _noisy_counts(epsilon, lambda k: 2 * k)


def lsdim(epsilon: Any) -> Mechanism:
    """Floored Laplace noise of scale k / epsilon."""
    return _noisy_counts(epsilon, lambda k: k)


def lshist(epsilon: Any) -> Mechanism:
    """Floored Laplace noise of scale 1 / epsilon if k = 2, else 2 / epsilon."""
    return _noisy_counts(epsilon, lambda k: 1 if k == 2 else 2)


def _noisy_counts(epsilon: Any, scale: Callable[[int], int]) -> Mechanism:
    """Each count but the last moves by floor(Y), Y Laplace, and stays within 0..n; the last completes the total."""

    def law(prior: Vector, counts: Vector) -> tuple[Any, list[Any]]:
        n, k = int(sum(counts)), len(counts)
        decay = exp(-epsilon / scale(k))
        first = np.array(list(np.ndindex(*(n + 1,) * (k - 1))))
        outputs = np.column_stack([first, np.maximum(n - first.sum(axis=1), 0)])
        marginals = [_one_count(decay, int(c), n) for c in counts[:-1]]
        probabilities = [marginals[0][r] for r in first[:, 0]]
        for i in range(1, k - 1):
            probabilities = [p * marginals[i][r] for p, r in zip(probabilities, first[:, i], strict=True)]
        return outputs, probabilities

    return Mechanism(law)


def laplace_in_order(epsilon: Any, sensitivity: Any = 2) -> Mechanism:
    """Floored Laplace noise of scale s / epsilon, the counts filled in order so that the total stays n."""

    def law(prior: Vector, counts: Vector) -> tuple[Any, list[Any]]:
        n, k = int(sum(counts)), len(counts)
        decay = exp(-epsilon / sensitivity)
        outputs = count_vectors(n, k)
        one_count = cache(lambda i, left: _one_count(decay, int(counts[i]), left))
        probabilities = []
        for row in outputs.tolist():
            p, left = arb(1), n
            for i, r in enumerate(row[:-1]):
                p *= one_count(i, left)[r]
                left -= r
            probabilities.append(p)
        return outputs, probabilities

    return Mechanism(law)


def _one_count(decay: Any, x: int, top: int) -> list[Any]:
    """The law of x + floor(Y) kept within 0..top, Y Laplace with Pr[|Y| >= j] = decay^j."""
    if top == 0:
        return [arb(1)]

    def below(j: int) -> Any:  # Pr[Y < j]
        return decay**-j / 2 if j <= 0 else 1 - decay**j / 2

    steps = [below(r - x) for r in range(1, top + 1)]
    return [steps[0], *(b - a for a, b in zip(steps, steps[1:], strict=False)), 1 - steps[-1]]


def law(mechanism: Mechanism, prior: Vector, counts: Vector) -> tuple[Any, list[Any]]:
    """The outputs, one per row, and their probabilities."""
    return mechanism.law(prior, counts)


# Privacy


def loss(mechanism: Mechanism, prior: Vector, counts: Vector, neighbour: Vector) -> Any:
    """The worst privacy loss from one dataset to one neighbour."""
    here, there = mechanism.law(prior, counts)[1], mechanism.law(prior, neighbour)[1]
    return largest(p / q for p, q in zip(here, there, strict=True)).log()


def audit(mechanism: Mechanism, prior: Vector, n: Any) -> Any:
    """The worst privacy loss over all neighbours, in both directions, and all outputs."""
    laws = {x: [p.log() for p in q] for x, q in _laws(mechanism, prior, int(n)).items()}
    worst = arb(0)
    for p, q in _pairs(laws):
        for a, b in zip(p, q, strict=True):
            worst = worst.max(a - b)
    return worst


def hockey_stick(mechanism: Mechanism, prior: Vector, n: Any, epsilon: Any) -> Any:
    """The exact delta at an epsilon: the worst sum over outputs of (p - e^epsilon q)_+."""
    factor = exp(epsilon)
    deltas = (
        sum(((a - factor * b).max(arb(0)) for a, b in zip(p, q, strict=True)), arb(0))
        for p, q in _pairs(_laws(mechanism, prior, int(n)))
    )
    return largest(deltas)


def _laws(mechanism: Mechanism, prior: Vector, n: int) -> dict[tuple[int, ...], list[Any]]:
    vectors = count_vectors(n, len(prior)).tolist()
    return {tuple(x): mechanism.law(prior, number(x))[1] for x in vectors}


def _pairs(laws: dict[tuple[int, ...], list[Any]]) -> Iterable[tuple[list[Any], list[Any]]]:
    for x, here in laws.items():
        for y in _neighbours(x).tolist():
            yield here, laws[tuple(y)]


# Accuracy


def error_mean(mechanism: Mechanism, prior: Vector, counts: Vector) -> Any:
    """The expected Hellinger error."""
    outputs, probabilities = mechanism.law(prior, counts)
    return sum((p * h for p, h in zip(probabilities, distances(prior, counts, outputs), strict=True)), arb(0))


def error_below(mechanism: Mechanism, prior: Vector, counts: Vector, t: Any) -> Any:
    """The probability that the error is less than t."""
    outputs, probabilities = mechanism.law(prior, counts)
    return _mass(probabilities, [less(h, t) for h in distances(prior, counts, outputs)])


def nearer(mechanism: Mechanism, prior: Vector, counts: Vector, other: Vector) -> Any:
    """The probability that the error is less than the distance to another dataset."""
    return _compared(mechanism, prior, counts, other, ties=False)


def as_near(mechanism: Mechanism, prior: Vector, counts: Vector, other: Vector) -> Any:
    """The probability that the error is at most the distance to another dataset."""
    return _compared(mechanism, prior, counts, other, ties=True)


def _compared(mechanism: Mechanism, prior: Vector, counts: Vector, other: Vector, *, ties: bool) -> Any:
    outputs, probabilities = mechanism.law(prior, counts)
    t, key = distances(prior, counts, np.array([[int(c) for c in other]]))[0], _key(prior, counts, other)
    inside = [
        ties if _key(prior, counts, row) == key else less(h, t)
        for row, h in zip(outputs.tolist(), distances(prior, counts, outputs), strict=True)
    ]
    return _mass(probabilities, inside)


def error_quantile(mechanism: Mechanism, prior: Vector, counts: Vector, gamma: Any) -> Any:
    """The smallest t that the error exceeds with probability at most gamma."""
    outputs, probabilities = mechanism.law(prior, counts)
    errors = distances(prior, counts, outputs)
    groups: dict[Any, tuple[Any, Any]] = {}
    for row, h, p in zip(outputs.tolist(), errors, probabilities, strict=True):
        key = _key(prior, counts, row)
        groups[key] = (h, groups[key][1] + p if key in groups else p)
    ordered = sorted(groups.values(), key=lambda group: float(group[0]), reverse=True)
    beyond = arb(0)
    for (h, p), (below, _) in zip(ordered, [*ordered[1:], (arb(-1), arb(0))], strict=True):
        less(below, h)  # the order itself must be certain
        if not less(beyond + p, gamma):
            return h
        beyond += p
    raise Undecided(f"gamma must be less than 1, got gamma={gamma}")


def farthest_neighbour(prior: Vector, counts: Vector) -> Any:
    """A neighbour at the distance LS(x)."""
    around = neighbours(counts)
    found = distances(prior, counts, around)
    best = max(range(len(found)), key=lambda i: float(found[i]))
    key = _key(prior, counts, around[best].tolist())
    for row, h in zip(around.tolist(), found, strict=True):
        if _key(prior, counts, row) != key and not less(h, found[best]):
            raise Undecided(f"farthest neighbour of counts={counts}")
    return number(around[best].tolist())


def reach(prior: Vector, counts: Vector, t: Any) -> tuple[Any, Any]:
    """For k = 2, how many steps down and up keep the distance below t; H grows with the steps on either side."""
    x, y = (int(c) for c in counts)

    def steps(sign: int, room: int) -> int:
        for j in range(1, room + 1):
            other = np.array([[x + sign * j, y - sign * j]])
            if not less(distances(prior, counts, other)[0], t):
                return j - 1
        return room

    return fmpq(steps(-1, x)), fmpq(steps(1, y))


def less(a: Any, b: Any) -> bool:
    """Whether a < b; undecided if the balls overlap."""
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided("two balls overlap")


def _key(prior: Vector, counts: Vector, other: Vector) -> tuple[Any, ...]:
    pairs = (
        tuple(sorted((weight + int(c), weight + int(d))))
        for weight, c, d in zip(prior, counts, other, strict=True)
        if int(c) != int(d)
    )
    return tuple(sorted(pairs))


def _mass(probabilities: list[Any], inside: list[bool]) -> Any:
    if all(inside):
        return arb(1)
    return sum((p for p, here in zip(probabilities, inside, strict=True) if here), arb(0))
