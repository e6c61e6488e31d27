r"""What is known of the error of an exponential mechanism when its candidates are too many to list.

``error_bounds`` encloses \(\Pr[H < t]\). Let \(C(T)\) be the number of candidates whose exponent
\(D = \sum_i D_i(d_i)\) is below T, and \(w(D) = e^{-\lambda H}\). Summing by parts, with R candidates in all,
\[ \Pr[H < t] = \frac{w(T) C(T) + \int_0^T C\, |dw|}{e^{-\lambda} R + \int_0^\infty C\, |dw|}, \qquad
   T = -\ln(1 - t^2), \]
which increases with C on (0, T] and decreases with C beyond, so that bounds on C give bounds on it. C is counted, at
several scales: exponents in whole bins of width \(\eta\), moves in whole blocks of records, and the joint number of
candidates for each total block and bin is a convolution over all categories but the largest, which takes the rest.
Floors lower D by less than the widths of the pieces, so that each candidate has an interval of D. All terms are
positive, nothing cancels, and 1e-9 of relative slack covers the rounding.

``simulated_error`` is an estimate from draws, with its standard error, and says so.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism
from ..model.distances import count_distances, distance, gamma_gap

SLACK = 1e-9
"""Relative room for rounding: far above that of a sum of positive doubles."""


class Bounds(NamedTuple):
    """A probability lies between the two.

    >>> from dpbi import ehds
    >>> bounds = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3)
    >>> round(bounds.lower, 3), round(bounds.upper, 3)
    (0.959, 0.963)
    """

    lower: float
    upper: float


class Estimate(NamedTuple):
    """A simulated probability and the standard error of the simulation.

    >>> Estimate(value=0.5, standard_error=0.01)
    Estimate(value=0.5, standard_error=0.01)
    """

    value: float
    standard_error: float


def simulated_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""\(\Pr[H < t]\) at one dataset, estimated from draws: the share of them, and \(\sqrt{p(1-p)/N}\).

    With \(p = (c + 1/2) / (N + 1)\) in the standard error, which so is never zero.

    >>> from dpbi import ehds
    >>> found = simulated_error(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, np.random.default_rng(1))
    >>> found.value, round(found.standard_error, 6)
    (0.9624, 0.001903)
    """
    weights, x = checks.dataset(prior, counts)
    threshold = checks.real("t", t)
    draws = checks.whole("size", size, least=1)
    errors = count_distances(weights, x, a_mechanism(mechanism).sample(weights, x, rng, draws))
    inside = int((errors < threshold).sum())
    p = (inside + 0.5) / (draws + 1)
    return Estimate(inside / draws, math.sqrt(p * (1 - p) / draws))


def error_bounds(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, bins: int = 256) -> Bounds:
    r"""Certain bounds on \(\Pr[H < t]\) at one dataset; more ``bins`` bring them closer.

    The width falls as 1/bins, from a start that grows with \(k^2\).

    >>> from dpbi import ehds
    >>> lower, upper = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, bins=1024)
    >>> round(lower, 4), round(upper, 4)
    (0.9607, 0.9616)
    """
    weights, x = checks.dataset(prior, counts)
    threshold = checks.real("t", t)
    bins = checks.whole("bins", bins, least=8)
    rate = a_mechanism(mechanism).rate
    if rate is None:
        raise TypeError(f"mechanism must be an exponential mechanism, ehds(0.8) for instance, got {mechanism.name}")
    if threshold <= 0 or threshold >= 1:
        return Bounds(0.0, 0.0) if threshold <= 0 else Bounds(1.0, 1.0)
    return _enclosed(weights + x, x, rate(weights, x), -math.log1p(-threshold * threshold), bins)


def _enclosed(a: Floats, x: Integers, rate: float, T: float, bins: int) -> Bounds:
    n, k = int(x.sum()), len(x)
    log_size = float(np.log1p(n / np.arange(1, k)).sum())  # ln R
    if log_size > 600:
        raise ValueError(
            f"counts must have at most e^600 candidates to be bounded, got k={k} and n={n} with e^{log_size:.0f}: "
            "simulated_error has no such limit"
        )
    last = math.log(max(rate, 1.0)) + 37  # beyond it no weight differs from the least one
    top = min(T, (k / max(rate, 1.0)) ** 2) / 16
    grid, fewest, most = np.zeros(1), np.ones(1), np.ones(1)  # the dataset itself has D = 0
    while True:
        top = min(4 * top, last)
        edges = np.linspace(0, top, bins + 1)[1:]
        edges = np.union1d(edges, [T]) if top > T else edges
        edges = edges[edges > grid[-1]]
        at_least, at_most = _counted(a, x, edges, top, bins)
        grid = np.concatenate([grid, edges])
        fewest, most = np.concatenate([fewest, at_least]), np.concatenate([most, at_most])
        if top > T or top == last:
            bounds, rest = _ratio(grid, np.maximum.accumulate(fewest), most, rate, T, log_size)
            if rest < 0.02 * (bounds.upper - bounds.lower) or top == last:
                return bounds


def _ratio(grid: Floats, fewest: Floats, most: Floats, rate: float, T: float, log_size: float) -> tuple[Bounds, float]:
    """The bounds that follow from those on C at the points of a grid, and the weight beyond it, as a share."""
    H = distance(grid)
    at = int(np.searchsorted(grid, T)) if grid[-1] >= T else len(grid) - 1
    with np.errstate(divide="ignore"):
        log_w = -rate * H
        log_dw = log_w + np.log(-np.expm1(-rate * (np.append(H[1:], 1.0) - H)))  # to the next point, or to infinity
        fewest, most = np.log(fewest), np.minimum(np.log(most), log_size)
    low, high = log_dw + fewest, log_dw + np.append(most[1:], log_size)
    inside_low, inside_high = np.append(low[:at], log_w[at] + fewest[at]), np.append(high[:at], log_w[at] + most[at])
    # beyond T there are at least the candidates that were counted up to T
    outside_low = log_dw[at:] + np.maximum(fewest[at:], most[at])
    total = np.logaddexp.reduce([*low[:at], *high[at:], log_size - rate])
    lower = np.logaddexp.reduce(inside_low) - total
    upper = np.logaddexp.reduce(inside_high) - np.logaddexp.reduce([*high[:at], *outside_low, log_size - rate])
    bounds = Bounds(float(np.exp(lower)) * (1 - SLACK), min(1.0, float(np.exp(upper)) * (1 + SLACK)))
    return bounds, float(np.exp(high[-1] - total))


def _counted(a: Floats, x: Integers, edges: Floats, top: float, bins: int) -> tuple[Floats, Floats]:
    """Bounds on how many candidates have D below each edge, with bins of D up to ``top``."""
    n, k = int(x.sum()), len(x)
    last = int(np.argmax(a))
    others = [i for i in range(k) if i != last]
    reach = [_reach(a[i], int(x[i]), n, top) for i in others]
    block = max(1, math.ceil(max(down + up for down, up in reach) / (4 * bins)))
    eta = top / bins
    # table[G, S]: how many moves of the categories so far lie in G blocks and S bins in all
    table, blocks, over = np.eye(1, bins), 0, 0.0
    for i, (down, up) in zip(others, reach, strict=True):
        first = np.arange(-((down + block - 1) // block), up // block + 1)
        low, high = np.maximum(block * first, -x[i]), np.minimum(block * (first + 1) - 1, n - x[i])
        bin_ = np.floor(_gaps(a[i], np.clip(0, low, high)) / eta * (1 - SLACK)).astype(np.int64)
        most = np.maximum(_gaps(a[i], low), _gaps(a[i], high)) / eta
        kept = bin_ < bins
        over += float((most - bin_)[kept].max())
        longer = np.zeros((len(table) + len(first) - 1, bins))
        for g in np.flatnonzero(kept):
            longer[g : g + len(table), bin_[g] :] += (high[g] - low[g] + 1) * table[:, : bins - bin_[g]]
        reached = np.flatnonzero(longer.any(axis=1))
        table = longer[reached[0] : reached[-1] + 1]
        blocks += int(first[0]) + int(reached[0])
    # together these categories gain between low and high records, and the last one loses as many
    low = block * (blocks + np.arange(len(table)))
    high = low + (k - 1) * (block - 1)
    possible, certain = low <= x[last], high <= x[last]
    low, high = np.minimum(low, x[last]), np.minimum(high, x[last])
    least = _gaps(a[last], -np.clip(0, low, high))
    most = np.maximum(_gaps(a[last], -low), _gaps(a[last], -high))
    S = eta * np.arange(bins)
    at_most = _below((least[:, None] + S)[possible] * (1 - SLACK), table[possible], edges) * (1 + SLACK)
    at_least = _below((most[:, None] + S + eta * over)[certain] * (1 + SLACK), table[certain], edges) * (1 - SLACK)
    return at_least, at_most


def _below(D: Floats, number: Floats, edges: Floats) -> Floats:
    """How many have D below each edge."""
    where = np.searchsorted(edges, D.ravel(), side="right")  # the first edge above D
    return np.cumsum(np.bincount(where, number.ravel(), len(edges) + 1)[: len(edges)])


def _gaps(a: float, moves: Integers) -> Floats:
    return gamma_gap(np.full(np.shape(moves), a), a + moves, np.asarray(moves) / 2)


def _reach(a: float, count: int, n: int, top: float) -> tuple[int, int]:
    """How many records a category can lose or gain while its share of D stays below the top bin."""
    found = []
    for direction, most in ((-1, count), (1, n - count)):
        inside, outside = 0, most + 1
        while outside - inside > 1:
            middle = (inside + outside) // 2
            if float(_gaps(a, np.array([direction * middle]))[0]) < top * (1 + SLACK):
                inside = middle
            else:
                outside = middle
        found.append(inside)
    return found[0], found[1]
