r"""Domination theorem: for each private mechanism, a remap of the geometric one is at least as close to the posterior.

For two categories the Hellinger loss \(r \mapsto H(x, r)\) decreases up to x and increases after x. Let r be the
released count. A mechanism is at least as close to the posterior at x as another mechanism if it makes \(r \le t\) at
least as probable for every \(t \ge x\), and \(r > t\) at least as probable for every \(t < x\). The module
``publications`` treats mechanisms that publish densities other than the posteriors of counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..mechanisms import Mechanism, all_laws, geometric
from ..model.datasets import row_number
from ..model.dirichlet import two_weights
from ..model.distances import lattice_distances
from ..privacy.losses import audit

# Largest violation of an inequality of the Domination theorem that counts as a rounding error (chosen); a larger one
# shows that doubles cannot represent the remap.
MAX_VIOLATION = 1e-9

# Smallest epsilon at which a remap is computed (chosen); at smaller ones e^-epsilon is too close to 1 in doubles.
LEAST_EPSILON = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Domination:
    """A remap of the geometric mechanism that is at least as close to the posterior as a given mechanism.

    Attributes:
        epsilon: Privacy parameter of the geometric mechanism.
        remap: Probabilities of each remapped first count, with one row for each first count that the geometric
            mechanism releases.
        before: Expected error of the given mechanism at every dataset.
        after: Expected error of the remapped geometric mechanism at every dataset.
        violation: Largest amount by which Pr[r <= t] for some t >= x, or Pr[r > t] for some t < x, is smaller for the
            remapped geometric mechanism than for the given mechanism; only rounding makes it positive.

    >>> from dpbi import lshist
    >>> found = dominating_remap(lshist(1.0), [1, 1], 5)
    >>> found.remap.shape, found.violation < 1e-12
    ((6, 6), True)
    >>> found
    <Domination at epsilon 1: largest error 0.280849, where the mechanism has 0.280849>
    """

    epsilon: float
    remap: Floats  # (n + 1, n + 1)
    before: Floats  # (n + 1,)
    after: Floats  # (n + 1,)
    violation: float

    def __repr__(self) -> str:
        largest = f"largest error {self.after.max():.6g}, where the mechanism has {self.before.max():.6g}"
        return f"<Domination at epsilon {self.epsilon:g}: {largest}>"


def dominating_remap(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float | None = None) -> Domination:
    r"""Remap of the geometric mechanism that dominates a private mechanism (Domination theorem).

    A remap that dominates one mechanism need not dominate another, and the remap that is best on average depends on the
    weights of the datasets.

    For a threshold t, let p be the probability that the mechanism releases a count of at most t if the first count is
    t. Let z be the noisy count of the geometric mechanism. For a suitable s and a suitable coin, the event that \(z \le
    t + s\), or that \(z = t + s + 1\) and the coin shows heads, also has probability p. If the first count is above t,
    this event is at most as probable as a release of at most t by the mechanism; if the first count is at most t, the
    event is at least as probable. The events increase with t, so one uniform random number decides all of them at once.

    Args:
        mechanism: A private mechanism that releases the counts of n records.
        prior: Dirichlet parameters, two positive finite numbers.
        n: Number of records, a positive integer.
        epsilon: Privacy parameter of the geometric mechanism, at least the audited privacy loss of the given mechanism;
            by default, equal to this loss.

    Returns:
        The remap, and the expected errors of the given mechanism and of the remapped geometric mechanism.

    Raises:
        ValueError: If epsilon is below the privacy loss of the mechanism or too large for doubles, or if n is too large
            for a table of the output probabilities at all datasets.

    >>> from dpbi import ehd
    >>> found = dominating_remap(ehd(1.0), [1, 1], 5)
    >>> round(float(found.before.mean()), 6), round(float(found.after.mean()), 6)
    (0.372419, 0.286714)
    >>> from dpbi import geometric  # at epsilon 700 or more the remap changes nothing
    >>> [dominating_remap(geometric(50), [1, 1], 1, epsilon).remap.tolist() for epsilon in (700, 800)]
    [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]
    """
    weights = two_weights(prior)
    vectors, law = all_laws(Mechanism.checked(mechanism), weights, checks.whole("n", n, least=1))
    if (law.outputs.sum(axis=1) != n).any():
        raise ValueError(f"mechanism must release counts of n={n} records, got {mechanism.name!r}")
    loss = audit(mechanism, weights, n).epsilon
    e = loss if epsilon is None else checks.real("epsilon", epsilon, above=0)
    good = e >= loss * (1 - 1e-12) and LEAST_EPSILON <= e < math.inf  # epsilon may be below the loss by rounding
    allowed = f"finite, at least {LEAST_EPSILON:g} and at least the mechanism's loss of {loss:.6g}"
    checks.need(good, f"epsilon must be {allowed}, got epsilon={e:g}")
    P = np.zeros((len(vectors), len(vectors)))
    P[:, row_number(law.outputs)] = law.probabilities
    below = np.minimum(np.cumsum(P, axis=1), 1.0)
    below[:, -1] = 1.0
    # 1 - ``below``, summed from the small end, since small differences from 1 would lose digits
    beyond = np.append(np.cumsum(P[:, :0:-1], axis=1)[:, ::-1], np.zeros((len(P), 1)), axis=1)
    kept = np.array(threshold_remap(below.diagonal().tolist(), math.exp(-e), beyond.diagonal().tolist()))
    G = geometric(e)
    remapped = np.array([G.law(weights, x).probabilities for x in vectors]) @ kept  # Pr[at most t], as in ``below``
    x, t = np.ogrid[: len(vectors), : len(vectors)]
    violation = np.where(t >= x, below - remapped, remapped - below).max()
    got = f"epsilon={e:g}, where one probability is too small by {violation:.1e}"
    checks.need(violation <= MAX_VIOLATION, f"epsilon must let the thresholds be represented in doubles, got {got}")
    distances = lattice_distances(weights, vectors)
    T = np.diff(kept, axis=1, prepend=0.0)
    errors = [(table * distances).sum(axis=1) for table in (P, np.diff(remapped, axis=1, prepend=0.0))]
    return Domination(e, T, errors[0], errors[1], float(violation))


def threshold_remap(pivots: Sequence[Any], alpha: Any, complements: Sequence[Any] | None = None) -> list[list[Any]]:
    r"""Remap of geometric noise that releases at most t with probability ``pivots[t]`` if the first count is t.

    Let z be the noisy count and Z its noise, so that

    \[ \Pr[Z \le s] = \frac{\alpha^{-s}}{1+\alpha} \;(s \le 0), \quad 1 - \frac{\alpha^{s+1}}{1+\alpha} \;(s \ge 0) . \]
    The remap releases at most t if \(z \le t + s\), and with a certain probability if \(z = t + s + 1\), where s and
    this probability are chosen such that the pivot is attained. Noisy counts below 0 or above n are clamped. Given the
    clamped value 0 or n, the distance of the noisy count from that value has a geometric distribution that does not
    depend on the dataset, so the remap can draw the distance afresh. The numbers may be doubles or fractions, and the
    result is of the same kind.

    Args:
        pivots: Probability of a release of at most t if the first count is t, for each threshold t = 0..n.
        alpha: Ratio e^-epsilon of successive probabilities of the geometric noise, in [0, 1).
        complements: One minus the pivots, if these differences are known with more digits than the pivots.

    Returns:
        Probability of a release of at most t, with one row for each noisy count and one column for each threshold t.

    >>> from fractions import Fraction
    >>> rows = threshold_remap([Fraction(7, 10), Fraction(1)], alpha=Fraction(1, 2))
    >>> [[str(p) for p in row] for row in rows]
    [['1', '1'], ['1/10', '1']]
    """
    n = len(pivots) - 1
    rows = [[alpha * 0 for _ in pivots] for _ in pivots]
    rests = [1 - p for p in pivots] if complements is None else complements
    for t, (p, rest) in enumerate(zip(pivots, rests, strict=True)):
        s, share = _step_of(p, rest, alpha)
        for z in range(n + 1):
            rows[z][t] = _clamped_event(z, n, t + s, share, alpha)
    for row in rows:  # rounding may make the probability of a threshold smaller than that of the one before
        for t in range(1, n + 1):
            row[t] = max(row[t - 1], row[t])
        row[n] = alpha * 0 + 1
    return rows


def _step_of(p: Any, rest: Any, alpha: Any) -> tuple[float, Any]:
    """The s and share that satisfy Pr[Z <= s] + share Pr[Z = s + 1] = p = 1 - rest; s is infinite if p is 0 or 1."""
    if p <= 0 or rest <= 0:
        return (-math.inf if p <= 0 else math.inf), alpha * 0
    lower = rest * (1 + alpha) > alpha  # p < Pr[Z <= 0], tested with ``rest``, which may have more digits
    mass = p * (1 + alpha) if lower else rest * (1 + alpha)  # it lies between two consecutive powers of alpha
    # first guess of the exponent, corrected by the loops below; alpha underflows to 0 for epsilon above 745
    m = max(1, round(math.log(mass) / math.log(alpha))) if alpha > 0 else 1
    if lower:  # the smallest m with alpha^m <= mass
        while alpha**m > mass:
            m += 1
        while m > 1 and alpha ** (m - 1) <= mass:
            m -= 1
        return -m, (mass - alpha**m) / (alpha ** (m - 1) * (1 - alpha))
    while alpha ** (m + 1) >= mass:  # the largest m with alpha^m >= mass
        m += 1
    while m > 1 and alpha**m < mass:
        m -= 1
    return m - 1, (alpha**m - mass) / (alpha**m * (1 - alpha))


def _clamped_event(z: int, n: int, s: float, share: Any, alpha: Any) -> Any:
    """Probability that the noisy count is at most s, or s + 1 and the coin shows heads, given its clamped value z."""
    sure = alpha * 0 + 1
    if math.isinf(s):
        return sure if s > 0 else alpha * 0
    s = int(s)
    if z == 0:
        return sure if s >= 0 else alpha**-s + share * alpha ** (-s - 1) * (1 - alpha)
    if z == n:
        return alpha * 0 if s < n - 1 else 1 - alpha ** (s - n + 1) + share * alpha ** (s + 1 - n) * (1 - alpha)
    return sure if s >= z else share if s + 1 == z else alpha * 0
