r"""A lower bound on the loss of an exponential mechanism on two categories, at any number of records.

The loss of the neighbours p and p + 1 at an output r is

\[ \pm[\lambda_{p+1} H(p + 1, r) - \lambda_p H(p, r) + \ln Z(p + 1) - \ln Z(p)] , \]

where p is the first count. The normaliser Z is a sum over the line of outputs, computed from few of them
(``dpbi.model.sums``). Only neighbours and outputs on a grid are compared, so the worst loss of all may be larger.
"""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism
from ..model.distances import distance, gamma_gap
from ..model.sums import rule, summable
from .losses import Audit

# The grid has every dataset with fewer records than this in one category. Chosen: near the ends of the line the loss
# changes from one dataset to the next, far inside slowly.
DENSE_DATASETS = 512

# The grid has every output within this many records of a dataset. Chosen, for the same reason.
DENSE_MOVES = 40

# Beyond the dense part each place of the grid is this factor farther than the one before. Chosen: 150 places to 1e9.
GRID_GROWTH = 1.1


def loss_on_grid(mechanism: Mechanism, prior: ArrayLike, n: int) -> Audit:
    """Largest privacy loss of neighbours on a grid, a lower bound on the worst loss, with its witness.

    Args:
        mechanism: An exponential mechanism, ``ehd(0.8)`` for instance.
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 1.

    Returns:
        The loss in nats, the two datasets and the output that show it.

    Raises:
        ValueError: If the mechanism is not exponential, or the prior has more than two weights.

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
    low = _grid(DENSE_DATASETS, size - 1)
    p = np.unique(np.append(low, size - 1 - low))
    counts = np.unique(np.append(p, p + 1))
    rate = np.asarray(rates.at(weights, np.stack([counts, size - counts], axis=-1)), dtype=np.float64)
    log_z = np.array([_log_normaliser(weights, size, *each) for each in zip(counts.tolist(), rate, strict=True)])
    here, there = np.searchsorted(counts, p), np.searchsorted(counts, p + 1)
    moves = _grid(DENSE_MOVES, size)
    r = np.clip(p[:, None] + np.concatenate([-moves[::-1], moves]), 0, size)
    loss = rate[there, None] * _distances(weights, size, p + 1, r) - rate[here, None] * _distances(weights, size, p, r)
    loss += (log_z[there] - log_z[here])[:, None]
    row, column = np.unravel_index(np.abs(loss).argmax(), loss.shape)
    upwards = loss[row, column] > 0  # likelier from p than from p + 1
    witness = (p[row] + ~upwards, p[row] + upwards, r[row, column])
    return Audit(float(abs(loss[row, column])), *(np.array([count, size - count]) for count in witness))


def _grid(dense: int, last: int) -> Integers:
    """Whole numbers from 0 to the last: the dense ones all, and beyond them a geometric sequence."""
    steps = int(np.log(max(last / dense, 1)) / np.log(GRID_GROWTH)) + 2
    beyond = np.geomspace(dense, max(last, dense), steps).astype(np.int64)
    found = np.unique(np.concatenate([np.arange(dense), beyond, [last]]))
    return found[found <= last]


def _distances(prior: Floats, n: int, p: Integers, r: Integers | Floats) -> Floats:
    p = p[:, None]
    d, x, y = r - p, prior[0] + p, prior[1] + (n - p)
    return distance(gamma_gap(x, x + d, d / 2) + gamma_gap(y, y - d, -d / 2))


def _log_normaliser(prior: Floats, n: int, p: int, rate: float) -> float:
    # the summand has a kink at the dataset itself: the outputs from p on and those below it are summed apart
    (up, above), (down, below) = rule(n - p + 1), rule(p)
    outputs = p + np.concatenate([up, -1 - down])[None]
    weights = np.concatenate([above, below])
    return float(np.log(weights @ np.exp(-rate * _distances(prior, n, np.array([p]), outputs)[0])))
