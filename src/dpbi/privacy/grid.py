r"""A loss that an exponential mechanism on two categories has at any number of records: the largest on a grid.

The loss of the neighbours p and p + 1 at an output r is \(\pm[\lambda_{p+1} H(p + 1, r) - \lambda_p H(p, r) +
\ln Z(p + 1) - \ln Z(p)]\), p being the first count. The normaliser Z is a sum along the line of moves, by few of them
(``dpbi.model.sums``). What lies between the neighbours and outputs of the grid is not looked at, so that the largest
loss of all may be larger: a lower bound, with the neighbours and the output that show it.
"""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism
from ..model.distances import distance, gamma_gap
from ..model.sums import rule, summable
from .losses import Audit

LISTED = 512
"""Neighbours with so few records in either category are all looked at."""

LISTED_MOVES = 40
"""Outputs within so many records of a dataset are all looked at."""

GROWTH = 1.1
"""Beyond, the next place is farther off by this factor."""


def loss_on_grid(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """The largest loss of neighbours on a grid, with its witness: the loss over all of them is at least that.

    >>> from dpbi import ehd
    >>> found = loss_on_grid(ehd(0.8), [1, 1], 10**9)
    >>> round(found.epsilon, 6), found.counts.tolist()
    (0.4, [0, 1000000000])
    """
    weights, size = checks.prior_weights(prior), checks.whole("n", n, least=1, below=checks.LARGEST_TOTAL)
    rates = a_mechanism(mechanism).rates
    if rates is None or len(weights) != 2:
        raise ValueError(
            f"mechanism must be exponential and prior have two weights for a grid, got {mechanism} and {len(weights)} "
            "weights: audit takes a table of all laws"
        )
    summable(weights)
    few = _spread(LISTED, size - 1)
    p = np.unique(np.append(few, size - 1 - few))
    counts = np.unique(np.append(p, p + 1))
    rate = np.asarray(rates.at(weights, np.stack([counts, size - counts], axis=-1)), dtype=np.float64)
    log_z = np.array([_log_normaliser(weights, size, *each) for each in zip(counts.tolist(), rate, strict=True)])
    here, there = np.searchsorted(counts, p), np.searchsorted(counts, p + 1)
    far = _spread(LISTED_MOVES, size)
    r = np.clip(p[:, None] + np.concatenate([-far[::-1], far]), 0, size)
    loss = rate[there, None] * _distances(weights, size, p + 1, r) - rate[here, None] * _distances(weights, size, p, r)
    loss += (log_z[there] - log_z[here])[:, None]
    at, place = np.unravel_index(np.abs(loss).argmax(), loss.shape)
    upwards = loss[at, place] > 0  # likelier from p than from p + 1
    found = (p[at] + ~upwards, p[at] + upwards, r[at, place])
    return Audit(float(abs(loss[at, place])), *(np.array([count, size - count]) for count in found))


def _spread(listed: int, last: int) -> Integers:
    """Whole numbers from 0 to the last, beyond the listed ones farther and farther apart."""
    steps = int(np.log(max(last / listed, 1)) / np.log(GROWTH)) + 2
    beyond = np.geomspace(listed, max(last, listed), steps).astype(np.int64)
    found = np.unique(np.concatenate([np.arange(listed), beyond, [last]]))
    return found[found <= last]


def _distances(prior: Floats, n: int, p: Integers, r: Integers | Floats) -> Floats:
    """From every dataset to its outputs, a row each."""
    p = p[:, None]
    d, x, y = r - p, prior[0] + p, prior[1] + (n - p)
    return distance(gamma_gap(x, x + d, d / 2) + gamma_gap(y, y - d, -d / 2))


def _log_normaliser(prior: Floats, n: int, p: int, rate: float) -> float:
    (up, above), (down, below) = rule(n - p + 1), rule(p)
    outputs = p + np.concatenate([up, -1 - down])[None]
    weights = np.concatenate([above, below])
    return float(np.log(weights @ np.exp(-rate * _distances(prior, n, np.array([p]), outputs)[0])))
