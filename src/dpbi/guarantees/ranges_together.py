r"""Bounded ranges together: the exact loss of many adaptive uses, enclosed.

At every use an adversary chooses the t of ``two_outputs``, having seen all earlier losses. With \(V_0(v) = (1 -
e^v)_+\) the worst delta of k uses at an epsilon is \(V_k(\varepsilon)\), where

\[ V_k(v) = \sup_{0 \le t \le \varepsilon_k}
   \bigl[ p_t V_{k-1}(v - t) + (1 - p_t) V_{k-1}(v - t + \varepsilon_k) \bigr] \]

(Dong, Durfee and Rogers 2020). All of it is done on a grid. Choices of t on the grid are choices, so that they give the
lower end. The upper end bounds what lies between: V is convex in \(e^v\), so between two grid points it is below its
chord there, and \(p_t\) is concave in \(e^{-t}\), above its chord by at most
\((e^g - 1)^2 / (4 (1 - e^{-\varepsilon_k}))\), g the spacing; the product of the two chords exceeds its larger end by
at most a quarter of the product of their slopes.
"""

import math
from collections.abc import Sequence

import numpy as np

from .. import checks
from ..checks import Floats
from .bounded_range import BoundedRange
from .ends import UNIT, Ends

POINTS = 100
"""Grid points in the largest range."""

LARGEST_WORK = 4e9
"""Steps that one enclosure may take: about half a minute."""


def range_delta(ranges: Sequence[BoundedRange], epsilon: float, points: int = POINTS) -> Ends:
    r"""The exact worst delta at an epsilon of adaptive uses of bounded range, in the order given.

    >>> found = range_delta([BoundedRange(0.3)] * 20, 2.5)
    >>> found.lower <= found.upper < 1.03 * found.lower
    True
    """
    level = checks.real("epsilon", epsilon, least=0)
    grid = _Grid(ranges, points)
    # a smaller epsilon has the larger delta
    below, above = math.floor(level / grid.spacing), math.ceil(level / grid.spacing)
    lower, upper = grid.values(upper=False), grid.values(upper=True)
    return Ends(grid.at(lower, above), min(1.0, grid.at(upper, below)))


def range_epsilon(ranges: Sequence[BoundedRange], delta: float, points: int = POINTS) -> Ends:
    r"""The exact smallest epsilon of adaptive uses of bounded range at a delta, in the order given.

    >>> found = range_epsilon([BoundedRange(0.3)] * 20, 1e-6)
    >>> round(found.lower, 2), round(found.upper, 2)
    (3.07, 3.07)
    """
    allowed = checks.real("delta", delta, above=0, below=1)
    grid = _Grid(ranges, points)
    ends = []
    for upper in (False, True):
        values = grid.values(upper)
        spent = int(np.argmax(values[grid.zero :] <= allowed))  # the first grid point within delta
        ends.append((spent if upper else max(spent - 1, 0)) * grid.spacing)
    return Ends(ends[0], ends[1])


class _Grid:
    """Multiples of a spacing, and the value of the game at each of them."""

    def __init__(self, ranges: Sequence[BoundedRange], points: int) -> None:
        if not ranges or not all(isinstance(value, BoundedRange) for value in ranges):
            raise TypeError(f"ranges must be one or more BoundedRange values, got {ranges!r}")
        self.epsilons = [float(value.epsilon) for value in ranges if value.epsilon > 0]
        top = max(self.epsilons, default=1.0)
        # a spacing that divides equal ranges; others are rounded, outwards
        self.spacing = top / checks.whole("points", points, least=1)
        self.steps = [_steps(e / self.spacing) for e in self.epsilons]
        reach = sum(most for _, most in self.steps)
        self.zero = reach + max((most for _, most in self.steps), default=0) + 1
        self.v = np.arange(-self.zero, self.zero + 1) * self.spacing
        if (work := 2.0 * len(self.v) * sum(most for _, most in self.steps)) > LARGEST_WORK:
            raise ValueError(
                f"points must be smaller for {len(ranges)} uses: this takes {work:.0e} steps, more than "
                f"{LARGEST_WORK:.0e}, got points={points}"
            )

    def at(self, values: Floats, place: int) -> float:
        """The value so many grid points above zero."""
        return float(values[min(self.zero + place, len(values) - 1)])

    def values(self, upper: bool) -> Floats:
        """V after all uses, from one side."""
        values: Floats = np.maximum(-np.expm1(self.v), 0.0)
        for least, most in reversed(self.steps):
            if (steps := most if upper else least) > 0:
                values = _worst(values, steps, self.spacing, upper) * (1 + (16 if upper else -16) * UNIT)
        return values


def _steps(exact: float) -> tuple[int, int]:
    """Whole numbers of steps, at most and at least as many; a number that is whole but for rounding is whole."""
    if abs(exact - round(exact)) < 1e-9:
        return round(exact), round(exact)
    return math.floor(exact), math.ceil(exact)


def _worst(values: Floats, steps: int, g: float, upper: bool) -> Floats:
    """One use: the best choice of t at every grid point; beyond the ends V is 1 - e^v or nothing."""
    size = len(values)
    v = (np.arange(-steps, size + steps) - (size - 1) // 2) * g
    padded = np.where(v < 0, -np.expm1(np.minimum(v, 0.0)), 0.0)
    padded[steps : steps + size] = values
    whole = -math.expm1(-steps * g)
    best: Floats = np.zeros(size)
    before: tuple[Floats, float, Floats] | None = None
    for t in range(steps + 1):
        share = -math.expm1((t - steps) * g) / whole
        high, low = padded[steps - t : steps - t + size], padded[2 * steps - t : 2 * steps - t + size]
        gap = high - low
        found = low + share * gap
        if upper and before is not None:
            # the chords' product and the bend of p, over the cell from t - 1 to t
            bend = abs(before[1] - share) / 4 * np.abs(gap - before[0])
            bend += math.expm1(g) ** 2 / (4 * whole) * np.maximum(gap, before[0])
            np.maximum(best, np.maximum(found, before[2]) + bend, out=best)
        else:
            np.maximum(best, found, out=best)
        before = gap, share, found
    return best
