r"""The mass that a floor keeps of Dirichlet rows of any number of states, and the best rate of these.

The floor \(\varepsilon = 1/(e^L + s - 1)\) keeps the rows of s states whose entries are all at least \(\varepsilon\).
Let \(Q_S(L)\) be the mass that it keeps of the states S of a row. The mass beyond is where one of the entries is the
first to fall below as L grows smaller, and given that entry i is \(\varepsilon\) the others are a Dirichlet row again,
of which the floor \(\varepsilon/(1-\varepsilon) = 1/(e^L + s - 2)\) keeps what belongs to the *same* L:

\[ -\frac{d}{dL}\bigl(1 - Q_S(L)\bigr) = \sum_{i \in S} b_{S,i}(L)\,Q_{S \setminus i}(L) , \qquad Q_{\{i\}} = 1 , \]

where \(b_{S,i}\) is the density of \(L\) when \(\varepsilon\) is the entry i, which has a Beta law. So all masses of
all subsets are integrals in one dimension of what is known already, on the same points, and nothing is subtracted:
those inside are integrals from zero, those outside from infinity.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betainc, betaln

from ..checks import Floats
from .best_rates import TOLERANCE, hazard, log_sum
from .interval_laws import Beta, log_share
from .laws import Tables

MOST_STATES = 10
"""A row of so many states has a thousand subsets."""

NODES = 16
"""Points of a panel, those of Chebyshev with both ends."""

OUT_OF_SIGHT = 1e-17
"""Where tails are so small, the mass outside is their sum: two at once are smaller still."""

MOST_PANELS = 20_000

LEAST_STEP = 1e-6

POINTS = (1 - np.cos(np.pi * np.arange(NODES) / (NODES - 1))) / 2  # on [0, 1], with both ends
SIGNS = np.array([0.5, *[1.0] * (NODES - 2), 0.5]) * np.where(
    np.arange(NODES) % 2, -1.0, 1.0
)  # of the barycentric formula


def _integration() -> Floats:
    """What takes values at the points to the integrals of their polynomial from 0 to every point."""
    powers = np.polynomial.legendre.legvander(2 * POINTS - 1, NODES - 1).astype(np.float64)
    whole = [np.polynomial.legendre.legint(row, lbnd=-1) for row in np.eye(NODES)]
    integrals = np.array([np.polynomial.legendre.legval(2 * POINTS - 1, row) for row in whole]).T / 2
    return np.asarray(np.linalg.solve(powers.T, integrals.T).T, np.float64)


INTEGRATION = _integration()


@dataclass(frozen=True)
class FlooredRow:
    """A Dirichlet row: the mass inside and outside as functions of L, in doubles, to about 1e-12."""

    alpha: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.alpha) > MOST_STATES:
            raise ValueError(f"prior must have rows of at most {MOST_STATES} states, got one of {len(self.alpha)}")

    @cached_property
    def laws(self) -> list[Beta]:
        r"""The log-odds of not being in each state."""
        return [Beta(sum(self.alpha) - a, a) for a in self.alpha]

    @cached_property
    def edges(self) -> Floats:
        """The ends of the panels: from zero to where the mass outside is the sum of the tails."""
        total, width = sum(self.alpha), min(0.5, 1 / math.sqrt(max(self.alpha)))
        edges, plain = [0.0], 40 + math.log1p(total)
        while sum(betainc(a, total - a, float(_floor(edges[-1], len(self.alpha)))) for a in self.alpha) > OUT_OF_SIGHT:
            step = width if edges[-1] < plain else max(width, 4 / max(self.alpha))
            edges.append(edges[-1] + step)
            if len(edges) > MOST_PANELS:
                raise ArithmeticError(f"the masses of a row need more than {MOST_PANELS} panels, of {self.alpha}")
        return np.array(edges)

    def pulls(self, states: tuple[int, ...], L: Any) -> Floats:
        r"""\(b_{S,i}\) for every i of some states."""
        v, s, total = np.exp(-np.asarray(L)), len(states), sum(self.alpha[i] for i in states)
        first, rest = -np.asarray(L) - np.log1p((s - 1) * v), np.log1p((s - 2) * v) - np.log1p((s - 1) * v)
        with np.errstate(divide="ignore"):
            turn = -np.log1p((s - 2) * v)
        heights = [
            np.exp(a * first + (total - a) * rest - betaln(a, total - a) + turn)
            for a in (self.alpha[i] for i in states)
        ]
        return np.array(heights)

    @cached_property
    def tables(self) -> dict[tuple[int, ...], tuple[Floats, Floats]]:
        """Inside and outside of all subsets, at the points of all panels, shape (panels, points)."""
        starts, widths = self.edges[:-1, None], np.diff(self.edges)[:, None]
        L = starts + widths * POINTS
        found: dict[tuple[int, ...], tuple[Floats, Floats]] = {}
        everything = tuple(range(len(self.alpha)))
        for i in everything:
            found[(i,)] = np.ones_like(L), np.zeros_like(L)
        for size in range(2, len(everything) + 1):
            for states in itertools.combinations(everything, size):
                others = [found[tuple(j for j in states if j != i)][0] for i in states]
                density = (self.pulls(states, L) * np.array(others)).sum(axis=0)
                parts = density @ INTEGRATION.T * widths
                total = sum(self.alpha[i] for i in states)
                beyond = sum(
                    betainc(self.alpha[i], total - self.alpha[i], float(_floor(self.edges[-1], size))) for i in states
                )
                panels = parts[:, -1:]
                inside = np.cumsum(panels, axis=0) - panels + parts
                outside = np.cumsum(panels[::-1], axis=0)[::-1] - parts + beyond
                if abs(inside[-1, -1] + beyond - 1) > 1e-9:
                    raise ArithmeticError(f"the masses of a row must add up to one, got {inside[-1, -1] + beyond!r}")
                found[states] = inside, np.maximum(outside, beyond)
        return found

    def at(self, states: tuple[int, ...], L: Any) -> tuple[Floats, Floats]:
        """Inside and outside at any L: the polynomial of its panel, or the sum of tails."""
        x = np.asarray(L, np.float64)
        panel = np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.edges) - 2)
        place = (np.minimum(x, self.edges[-1]) - self.edges[panel]) / np.diff(self.edges)[panel]
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = SIGNS / (place[..., None] - POINTS)
            exact = np.isinf(weights)
            weights = np.where(exact.any(axis=-1, keepdims=True), exact, weights)
            weights = weights / weights.sum(axis=-1, keepdims=True)
        inside, outside = (np.clip((table[panel] * weights).sum(axis=-1), 0, 1) for table in self.tables[states])
        far = x > self.edges[-1]
        if far.any() and len(states) > 1:
            total = sum(self.alpha[i] for i in states)
            tails = sum(betainc(self.alpha[i], total - self.alpha[i], _floor(x, len(states))) for i in states)
            inside, outside = np.where(far, 1.0, inside), np.where(far, tails, outside)
        return inside, outside


def _floor(L: Any, states: int) -> Any:
    return np.exp(-L) / (1 + (states - 1) * np.exp(-L))


def rate_of_rows(prior: Tables, start: Any) -> float:
    r"""The best rate of the mass that the floor keeps of all rows, for \(L_0\) = ``start``."""
    rows = _Rows(prior)
    if start <= rows.start:  # less and less mass just above it
        return 0.0
    return math.inf if start >= rows.end else rows.rate(float(start))


class _Rows:
    """All rows at the L of those with the fewest states, on which the floor is the same."""

    def __init__(self, prior: Tables) -> None:
        flat = [row for table in prior.concentrations for row in table.reshape(-1, table.shape[-1])]
        self.rows = [FlooredRow(tuple(map(float, row))) for row in flat]
        self.fewest = min(len(row.alpha) for row in self.rows)
        self.excess = [len(row.alpha) - self.fewest for row in self.rows]
        self.start = math.log1p(max(self.excess))
        self.end = math.log(1 / prior.floor - (self.fewest - 1)) if prior.floor > 0 else math.inf
        self.alphas = [a for row in self.rows for a in row.alpha]
        self.wholes = [row.at(_all(row), self._of(i, self.end)) for i, row in enumerate(self.rows)]

    def _of(self, i: int, L: Any) -> Any:
        r"""The L of a row: \(e^L\) less what it has in excess."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            moved = np.asarray(L) + np.log1p(-np.minimum(self.excess[i] * np.exp(-np.asarray(L)), 1.0))
        return np.maximum(moved, 0.0)

    def parts(self, L: Floats) -> tuple[Floats, Floats]:
        """Inside and outside for each row, as shares of what the floor of the prior keeps."""
        found = []
        for i, row in enumerate(self.rows):
            inside, outside = row.at(_all(row), self._of(i, L))
            whole, lost = self.wholes[i]
            found.append((inside / whole, np.maximum(outside - lost, 0.0) / whole))
        return np.array([each[0] for each in found]), np.array([each[1] for each in found])

    def outside(self, L: Floats) -> Floats:
        """What is outside, row by row after the rows that are inside."""
        inside, outside = self.parts(L)
        before = np.cumprod(np.concatenate([np.ones((1, len(L))), inside[:-1]]), axis=0)
        return np.asarray((outside * before).sum(axis=0))

    def h(self, L: Floats) -> Floats:
        """What the rate is a slope of."""
        inside, _ = self.parts(L)
        outside = self.outside(L)
        with np.errstate(divide="ignore"):
            return np.where(outside > 0.5, -np.log1p(-np.minimum(inside.prod(axis=0), 1.0)), -np.log(outside))

    def least_slope(self, low: Floats, high: Floats) -> Floats:
        """A number that the slope of h is at least, on each of some intervals."""
        inside, _ = self.parts(low)
        density = np.zeros_like(low)
        for i, row in enumerate(self.rows):
            a, b, states = self._of(i, low), self._of(i, high), _all(row)
            with np.errstate(divide="ignore"):
                others = np.delete(inside, i, axis=0).prod(axis=0)
            rest = np.array([row.at(tuple(j for j in states if j != k), a)[0] for k in states])
            turn = 1 / (1 - self.excess[i] * np.exp(-high))  # falls with L
            density += (self._least_pulls(row, a, b) * rest).sum(axis=0) / self.wholes[i][0] * others * turn
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(density / self.outside(low), nan=0.0, posinf=0.0) * (1 - 1e-9)

    def _least_pulls(self, row: FlooredRow, low: Floats, high: Floats) -> Floats:
        r"""The least of \(b_i\): a unimodal density times a turn that rises, so each is least at an end."""
        states = _all(row)
        s = len(states)
        turns = [1 / (1 + (s - 2) * np.exp(-L)) for L in (low, high)]
        ends = [row.pulls(states, L) / turn for L, turn in zip((low, high), turns, strict=True)]
        least: Floats = np.minimum(*ends) * turns[0]
        return least

    def rate(self, start: float) -> float:
        """Intervals are halved until none can hold less than the least value found, but for the tolerance."""
        last = min(self.end, max(float(row.edges[-1]) for row in self.rows) + 1)
        best = min(self.alphas) if self.end == math.inf else math.inf
        width = min(0.25, *(float(np.diff(row.edges).min()) for row in self.rows))
        first = max(start, self.start)
        points = np.linspace(first, last, 2 + int((last - first) / width)) if first < last else np.array([first])
        low, high = points[:-1], points[1:]
        while len(low):
            ratios = self.h(low) / np.maximum(low - start, 1e-300)
            ratios[low <= start] = math.inf
            best = min(best, float(ratios.min()))
            promise = np.minimum(ratios, (self.h(low) + self.least_slope(low, high) * (high - low)) / (high - start))
            kept = (promise < best * (1 - TOLERANCE)) & (high - low > 1e-13 * high)
            middle = (low[kept] + high[kept]) / 2
            low, high = np.concatenate([low[kept], middle]), np.concatenate([middle, high[kept]])
        at = float(points[-1])
        while self.end == math.inf:
            value, slope = self._beyond(at)
            here = value / (at - start) if at > start else math.inf
            best = min(best, here)
            if min(here, slope) >= best * (1 - TOLERANCE):
                break
            step = max(1.0, at / 8)
            while (value + slope * step) / (at + step - start) < best * (1 - TOLERANCE):
                step /= 2
                if step < LEAST_STEP:
                    raise ArithmeticError(f"the rate was not found, at L0 = {start:g} and L = {at:g}")
            at += step
        return best

    def _beyond(self, L: float) -> tuple[float, float]:
        """From an L on, h is at least that of the sum of all tails, and rises at least so fast."""
        logs, slopes = [], []
        for i, row in enumerate(self.rows):
            s, at = len(row.alpha), float(self._of(i, L))
            y, rise = at + math.log1p((s - 2) * math.exp(-at)), 1 / (1 + (s - 2) * math.exp(-at))
            for law in row.laws:
                beyond = Beta(law.a, law.b, y)
                logs.append(log_share(beyond, law))
                slopes.append(hazard(beyond) * rise)
        return -float(log_sum(logs)), min(slopes)


def _all(row: FlooredRow) -> tuple[int, ...]:
    return tuple(range(len(row.alpha)))


def mass_of_rows(concentrations: Sequence[Any], L: float) -> float:
    r"""The mass that the floor of L keeps of some rows.

    >>> round(mass_of_rows([[1.0, 1.0, 1.0]], np.log(8)), 12)  # a floor of 1/10, and (1 - 3/10)^2
    0.49
    """
    rows = _Rows(Tables([np.asarray(row) for row in concentrations]))
    return float(rows.parts(np.array([L]))[0].prod())
