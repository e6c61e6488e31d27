r"""Sums over all outputs of a mechanism with two categories, at any number of records.

An output has d more records in the first category than the dataset. The distance H(d) of the output from the dataset
increases with \(|d|\) on either side of 0. So the event \(H \ge t\) consists of two runs of consecutive changes, which
are found by bisection. All sums are taken over runs of consecutive changes.

A run on either side of 0 is divided into panels, which are short near both ends of the run. The sum over the changes of
a panel is computed by Gauss's rule for sums (``rule``); short panels are summed term by term. Probabilities, means and
small tails, which are summed separately, have a relative error below 1e-11 (measured for up to a billion records).
"""

import numpy as np

from ..checks import Floats, Integers
from ..mechanisms import Line
from ..model.distances import distance, moved_gap
from ..model.sums import rule

# Relative difference below which two distances count as equal: the accuracy to which distances are computed.
TIE_TOLERANCE = 1e-12


def tail(line: Line, t: float) -> float:
    r"""Probability \(\Pr[H \ge t]\) of an error of at least t, for two categories.

    Args:
        line: Distribution of the changes along the line.
        t: Hellinger distance.

    Returns:
        The probability.
    """
    down, up = _inside(line, t * (1 - TIE_TOLERANCE))
    if down < 0:
        return 1.0
    outside = _outside(line, down, up)
    return outside / (outside + _sum(line, -down, up))


def mean(line: Line) -> float:
    r"""Expected error \(E[H]\) for two categories."""
    low, high = -int(line.counts[0]), int(line.counts[1])
    return _sum(line, low, high, power=1) / _sum(line, low, high)


def quantile(line: Line, share: float) -> float:
    r"""The smallest distance t for which \(\Pr[H > t]\) is at most a given share, found by bisection on either side.

    Args:
        line: Distribution of the changes along the line.
        share: Largest share of releases whose error may exceed t.

    Returns:
        The distance.
    """
    allowed = share * (1 + TIE_TOLERANCE) * _sum(line, -int(line.counts[0]), int(line.counts[1]))
    found = [1.0]
    for direction, last in zip((-1, 1), line.counts, strict=True):
        # the weight beyond a change decreases with its size, so the smallest sufficient change is found by bisection
        few, enough = -1, int(last)
        while enough - few > 1:
            middle = (few + enough) // 2
            if _beyond(line, direction * middle) <= allowed:
                enough = middle
            else:
                few = middle
        if _beyond(line, direction * enough) <= allowed:
            found.append(float(_distances(line, np.array([direction * enough]))[0]))
    return min(found)


def _beyond(line: Line, change: int) -> float:
    """Weight of all changes whose distance is larger than that of a given change."""
    t = float(_distances(line, np.array([change]))[0])
    return _outside(line, *_inside(line, np.nextafter(t * (1 + TIE_TOLERANCE), 2)))


def _outside(line: Line, down: int, up: int) -> float:
    """Weight of all changes below ``-down`` and above ``up``."""
    return _sum(line, -int(line.counts[0]), -down - 1) + _sum(line, up + 1, int(line.counts[1]))


def _distances(line: Line, changes: Floats | Integers) -> Floats:
    """Distances H(d) between the posteriors of the dataset and of the outputs that differ from the dataset by d."""
    each = np.stack([changes, -changes])
    shape = (2, *[1] * np.ndim(changes))
    # both categories in one call, because most calls have only one or two changes
    first, second = moved_gap(line.prior.reshape(shape), line.counts.reshape(shape), each)
    return distance(first + second)


def _inside(line: Line, t: float) -> tuple[int, int]:
    """The largest changes down and up whose distance is below t, or -1 if there is no such change."""
    inside, outside = np.array([-1, -1]), line.counts + 1
    while (outside - inside > 1).any():
        middle = (inside + outside) // 2
        below = _distances(line, np.clip(middle, 0, line.counts) * [-1, 1]) < t
        inside, outside = np.where(below, middle, inside), np.where(below, outside, middle)
    down, up = np.minimum(inside, line.counts)
    return int(down), int(up)


def _sum(line: Line, low: int, high: int, power: int = 0) -> float:
    r"""Sum \(\sum H^p e^w\) over the changes from low to high, plus the extra weight at the ends of the line."""
    extremes = line.counts * [-1, 1]
    besides = np.array(line.ends) * (np.array([low, high]) == extremes) * (low <= high)
    total = float(besides @ _distances(line, extremes) ** power)
    for first, last in ((low, min(high, -1)), (max(low, 0), high)):  # on either side of the jump between -1 and 0
        if first <= last:
            nodes, weights = rule(last - first + 1)
            H = _distances(line, first + nodes)
            total += float((weights * H**power) @ np.exp(line.log_weight(first + nodes, H)))
    return total
