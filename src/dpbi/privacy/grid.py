r"""A lower bound on the worst loss of an exponential mechanism on two categories, for any number of records.

Datasets and outputs are denoted by their first counts, p and r. At dataset p, the mechanism releases r with probability
\(e^{-\lambda_p H(p, r)} / Z(p)\), where \(\lambda_p\) is the rate and H is the Hellinger distance between the
posteriors. The privacy loss between the neighbours p and p + 1 at r is the absolute value of

\[ \lambda_{p+1} H(p + 1, r) - \lambda_p H(p, r) + \ln Z(p + 1) - \ln Z(p) . \]

The normaliser Z is a sum over n + 1 outputs. Gauss rules compute this sum from a few of its terms
(``dpbi.model.sums``). Only the neighbours and outputs on a grid are compared, so the worst loss may be larger than the
bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism
from ..model.distances import line_distances
from ..model.sums import rule, summable
from .losses import Audit

# The grid contains every dataset with fewer records than this in one of the categories. Chosen: for such datasets the
# loss changes much from one dataset to the next, whereas it changes little between balanced datasets.
DENSE_DATASETS = 512

# The grid contains every output within this many records of a dataset. Chosen: at larger distances, one record changes
# H only a little.
DENSE_CHANGES = 40

# Beyond the dense part, each number in the grid is larger than the previous number by this factor. Chosen: 153 numbers
# up to 1e9.
GRID_GROWTH = 1.1


def loss_on_grid(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """Largest privacy loss over a grid of neighbours and outputs, which is a lower bound on the worst loss.

    Args:
        mechanism: An exponential mechanism, for example ``ehd(0.8)``.
        prior: Dirichlet parameters, two positive finite numbers.
        n: Number of records, a positive integer.

    Returns:
        The loss in nats, and the two datasets and the output at which it is attained.

    Raises:
        ValueError: If the mechanism is not exponential, or the prior has more than two weights.

    >>> from dpbi import ehd
    >>> found = loss_on_grid(ehd(0.8), [1, 1], 10**9)
    >>> round(found.epsilon, 6), found.counts.tolist()
    (0.4, [0, 1000000000])
    """
    weights, size = checks.prior_weights(prior), checks.whole("n", n, least=1, below=checks.LARGEST_TOTAL)
    found = f"{mechanism} and {len(weights)} weights: use audit, which compares all datasets"
    good = Mechanism.checked(mechanism).has_rate and len(weights) == 2
    checks.need(good, f"mechanism must be exponential and prior must have two weights, got {found}")
    summable(weights)
    low = _grid(DENSE_DATASETS, size - 1)
    p = np.unique(np.append(low, size - 1 - low))  # equally dense at both ends
    counts = np.unique(np.append(p, p + 1))
    rate = np.asarray(mechanism.rate(weights, np.stack([counts, size - counts], axis=-1)), dtype=np.float64)
    log_z = np.array([_log_normaliser(weights, size, *each) for each in zip(counts.tolist(), rate, strict=True)])
    here, there = np.searchsorted(counts, p), np.searchsorted(counts, p + 1)
    changes = _grid(DENSE_CHANGES, size)
    r = np.clip(p[:, None] + np.concatenate([-changes[::-1], changes]), 0, size)
    before, after = (line_distances(weights, size, count[:, None], r) for count in (p, p + 1))
    loss = rate[there, None] * after - rate[here, None] * before
    loss += (log_z[there] - log_z[here])[:, None]
    row, column = np.unravel_index(np.abs(loss).argmax(), loss.shape)
    upwards = loss[row, column] > 0  # the output is more likely from p than from p + 1
    witness = (p[row] + ~upwards, p[row] + upwards, r[row, column])
    return Audit(float(abs(loss[row, column])), *(np.array([count, size - count]) for count in witness))


def _grid(dense: int, last: int) -> Integers:
    """Increasing integers from 0 to ``last``: all integers below ``dense``, then a rounded geometric sequence."""
    steps = int(np.log(max(last / dense, 1)) / np.log(GRID_GROWTH)) + 2
    beyond = np.geomspace(dense, max(last, dense), steps).astype(np.int64)
    grid = np.unique(np.concatenate([np.arange(dense), beyond, [last]]))
    return grid[grid <= last]


def _log_normaliser(prior: Floats, n: int, p: int, rate: float) -> float:
    """Logarithm of the normaliser Z(p) at the dataset with the first count p."""
    # H(p, r) has a kink at r = p, so the outputs below p and the outputs p..n need separate Gauss rules
    (up, above), (down, below) = rule(n - p + 1), rule(p)
    outputs = p + np.concatenate([up, -1 - down])
    rule_weights = np.concatenate([above, below])
    return float(np.log(rule_weights @ np.exp(-rate * line_distances(prior, n, p, outputs))))
