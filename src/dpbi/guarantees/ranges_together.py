r"""Composition of bounded-range guarantees: lower and upper bounds on the epsilon of many adaptive uses.

In every use, an adversary who has seen all earlier losses chooses the larger loss t of the pair ``two_outputs``. With
the probability \(p_t\) defined in ``BoundedRange``, the total loss increases by t, and otherwise it changes by \(t -
\varepsilon_k\), where \(\varepsilon_k\) is the range of the losses in this use. Let \(V_k(v)\) be the worst-case delta
of the last k uses at epsilon v, so that \(\varepsilon_k\) is the range of the first of these k uses. Then \(V_0(v) = (1
- e^v)_+\), and

\[ V_k(v) = \sup_{0 \le t \le \varepsilon_k}
   \bigl[ p_t V_{k-1}(v - t) + (1 - p_t) V_{k-1}(v - t + \varepsilon_k) \bigr] \]

(Dong, Durfee and Rogers 2020). V is computed on a grid of spacing g. The best t on the grid gives the lower bound. The
upper bound must be valid for every t between two neighbouring grid points. Since V is convex in \(e^v\), V is at most
its chord between two grid points. The probability \(p_t\) is concave in \(e^{-t}\) and exceeds its chord by at most
\((e^g - 1)^2 / (4 (1 - e^{-\varepsilon_k}))\). The product of the two chords exceeds the larger of its values at the
ends of a cell by at most a quarter of the product of the changes in the two chords over the cell.
"""

import math
from collections.abc import Sequence

import numpy as np

from .. import checks
from ..checks import Floats, need
from .pure import BoundedRange

# chosen: with 100 points, the two bounds on the epsilon of twenty uses agree to about three digits
GRID_POINTS = 100
"""Default number of grid points in the largest range."""

# measured: this many evaluations take about half a minute
MAX_WORK = 4e9
"""Largest number of evaluations of V for both bounds together (grid points times choices of t)."""

# proved: one use takes about sixteen operations, each with a relative error of at most 2^-53
ROUNDING_SHARE = 2.0**-49
"""Bound on the relative rounding error of one use."""


def range_epsilon(ranges: Sequence[BoundedRange], delta: float, points: int = GRID_POINTS) -> tuple[float, float]:
    """Lower and upper bounds on the smallest epsilon of several adaptive bounded-range mechanisms at a given delta.

    Args:
        ranges: Guarantees of the uses in the order of use, a list or tuple with at least one entry.
        delta: Delta of all uses together, in (0, 1).
        points: Number of grid points in the largest range, a positive integer; with more points, the bounds are tighter
            and take longer to compute.

    Returns:
        The lower bound and the upper bound.

    Raises:
        ValueError: If the given number of points would require more than ``MAX_WORK`` evaluations.

    >>> low, high = range_epsilon([BoundedRange(0.3)] * 20, 1e-6)
    >>> round(low, 3), round(high, 3)
    (3.069, 3.072)
    """
    allowed = checks.real("delta", delta, above=0, below=1)
    good = isinstance(ranges, Sequence) and all(isinstance(value, BoundedRange) for value in ranges)
    need(good, f"ranges must be a list of BoundedRange values, got ranges={checks.brief(ranges)}", TypeError)
    need(len(ranges) > 0, f"ranges must be one or more BoundedRange values, got ranges={checks.brief(ranges)}")
    epsilons = [float(value.epsilon) for value in ranges if value.epsilon > 0]
    # the spacing divides the largest range, so equal ranges are not rounded
    spacing = max(epsilons, default=1.0) / checks.whole("points", points, least=1)
    steps = [_steps(e / spacing) for e in epsilons]
    all_steps = sum(most for _, most in steps)
    # the grid contains all sums of losses, and extends farther by one largest range
    zero = all_steps + max((most for _, most in steps), default=0) + 1
    v = np.arange(-zero, zero + 1) * spacing
    work = 2.0 * len(v) * all_steps
    allowed_points = f"few enough for at most {MAX_WORK:.0e} evaluations in {len(ranges)} uses"
    need(work <= MAX_WORK, f"points must be {allowed_points}, got points={points}, which would take {work:.0e}")
    ends = []
    for upper in (False, True):
        values = np.maximum(-np.expm1(v), 0.0)
        for least, most in reversed(steps):
            if (count := most if upper else least) > 0:
                values = _worst(values, count, spacing, upper) * (1 + (ROUNDING_SHARE if upper else -ROUNDING_SHARE))
        spent = int(np.argmax(values[zero:] <= allowed))  # first grid point whose delta is allowed
        ends.append((spent if upper else max(spent - 1, 0)) * spacing)
    return ends[0], ends[1]


def _steps(exact: float) -> tuple[int, int]:
    """Number of grid steps in a range, rounded down and up; a value close to an integer is rounded to that integer."""
    slack = exact * 2.0**-50  # rounding of the two divisions that gave ``exact``
    return math.floor(exact + slack), math.ceil(exact - slack)


def _worst(values: Floats, steps: int, spacing: float, upper: bool) -> Floats:
    """Worst-case delta V with one more use, at every grid point; outside the grid, V is 1 - e^v or 0."""
    size = len(values)
    v = (np.arange(-steps, size + steps) - (size - 1) // 2) * spacing
    padded = np.where(v < 0, -np.expm1(np.minimum(v, 0.0)), 0.0)
    padded[steps : steps + size] = values
    whole = -math.expm1(-steps * spacing)
    best: Floats = np.zeros(size)
    before: tuple[Floats, float, Floats] | None = None
    for t in range(steps + 1):
        share = -math.expm1((t - steps) * spacing) / whole
        high, low = padded[steps - t : steps - t + size], padded[2 * steps - t : 2 * steps - t + size]
        gap = high - low
        found = low + share * gap
        if upper and before is not None:
            # in the cell from t - 1 to t, this bounds the product of the two chords, and the excess of p over its chord
            bend = abs(before[1] - share) / 4 * np.abs(gap - before[0])
            bend += math.expm1(spacing) ** 2 / (4 * whole) * np.maximum(gap, before[0])
            np.maximum(best, np.maximum(found, before[2]) + bend, out=best)
        else:
            np.maximum(best, found, out=best)
        before = gap, share, found
    return best
