r"""A law of one number with any log-concave density: exact draws of a posterior that has no name."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from ..checks import Floats
from .curve import NEAR, ROUNDING, Curve
from .interval_laws import an_interval, kept_inside
from .remainder import beyond_linear

FARTHEST = 1e300
"""So far a mode is looked for on an unbounded interval."""

GRID = 32
"""Parts of every panel of a curve."""


@dataclass(frozen=True, eq=False)
class LogConcave:
    r"""Density \(\propto e^{g(\theta)}\) on [low, high], g = ``log_kernel`` concave, written for arrays of doubles.

    Draws are exact up to the rounding of doubles: by rejection from an envelope that is flat about the mode and
    continues the chords from it, which a concave g stays below. A g that is not concave is refused where that shows.

    >>> from dpbi.arithmetic import log
    >>> law = LogConcave(lambda t: 3 * log(t) - 2 * t, 0.5, 4.0)
    >>> round(law.mean, 6), law.sample(np.random.default_rng(1), 3).round(2)
    (1.91067, array([1.34, 3.43, 3.39]))
    """

    log_kernel: Callable[[Any], Any]
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not callable(self.log_kernel):
            raise TypeError(f"log_kernel must be a function of the parameter, got log_kernel={self.log_kernel!r}")
        an_interval("low", self.low, "high", self.high, -math.inf, math.inf)

    def log_kernel_at(self, theta: Any) -> Floats:
        """The log density, which may be minus infinity and nothing else that is not finite."""
        points = np.asarray(theta, np.float64)
        with np.errstate(all="ignore"):
            values = np.broadcast_to(np.asarray(self.log_kernel(points), np.float64), points.shape)
        bad = ~(values < math.inf)
        if bad.any():
            raise ValueError(
                f"log_kernel must be finite on [{self.low:g}, {self.high:g}], "
                f"got {float(values[bad][0])} at {float(points[bad][0])!r}"
            )
        return values

    @cached_property
    def mode(self) -> float:
        """The parameter of the largest density."""
        low, high = self._bracket()
        for _ in range(16):  # a concave function is largest next to the largest of its values on a grid
            grid = np.linspace(low, high, 33)
            best = int(self.log_kernel_at(grid).argmax())
            low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 32)])
        if float(self.log_kernel_at(grid[best])) == -math.inf:
            raise ValueError(f"log_kernel must be finite somewhere on [{self.low:g}, {self.high:g}], got -inf")
        return float(grid[best])

    @cached_property
    def curve(self) -> Curve:
        """The law of the distance from the mode, which draws and integrates."""
        top = float(self.log_kernel_at(self.mode))

        def fall(t: Any) -> Floats:
            return self.log_kernel_at(np.clip(self.mode + t, self.low, self.high)) - top

        curve = Curve(fall, lambda t: float(fall(t)) / t, float(self.low) - self.mode, float(self.high) - self.mode)
        self._refuse_unless_concave(curve)
        return curve

    def place(self, theta: Any) -> Any:
        """Where a parameter is on the curve."""
        return theta - self.mode

    def _bracket(self) -> tuple[float, float]:
        """A bounded interval that holds the mode: outside it the density falls."""
        low, high = float(self.low), float(self.high)
        start = low if math.isfinite(low) else high if math.isfinite(high) else 0.0
        ends = []
        for direction, end in ((-1.0, low), (1.0, high)):
            step = 1.0
            while not math.isfinite(end):
                near, far = (float(self.log_kernel_at(start + direction * s)) for s in (step, 2 * step))
                if far < near:
                    end = start + direction * 2 * step
                elif 2 * step > FARTHEST:
                    raise ValueError(
                        "log_kernel must fall without limit where its interval has no end, or the law is improper, "
                        f"got {far:g} at {start + direction * 2 * step:g}"
                    )
                step *= 2
            ends.append(end)
        return ends[0], ends[1]

    def _refuse_unless_concave(self, curve: Curve) -> None:
        """Compare g with its chords, between neighbours on a grid that is finest about the mode."""
        edges = curve.edges
        t = np.unique(np.concatenate([np.linspace(a, b, 9) for a, b in zip(edges[:-1], edges[1:], strict=True)]))
        g = curve.fall(t)
        with np.errstate(invalid="ignore"):
            share = (t[1:-1] - t[:-2]) / (t[2:] - t[:-2])
            below = (1 - share) * g[:-2] + share * g[2:] - g[1:-1]
        below[np.isnan(below)] = 0.0
        if below.size and below.max() > ROUNDING * max(1.0, float(abs(self.log_kernel_at(self.mode)))):
            i = int(below.argmax())
            raise ValueError(
                "log_kernel must be concave, and it is below its chord from "
                f"{self.mode + float(t[i]):.6g} to {self.mode + float(t[i + 2]):.6g}: "
                f"got {float(below[i]):.3g} less at {self.mode + float(t[i + 1]):.6g}"
            )

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest parameter."""
        return self.low, self.high

    @property
    def point(self) -> float:
        """The mode."""
        return self.mode

    @cached_property
    def log_mass(self) -> float:
        r"""\(\ln \int e^{g(\theta)}\,d\theta\) over the interval."""
        return float(self.log_kernel_at(self.mode)) + math.log(self.curve.area)

    @property
    def mean(self) -> float:
        """The mean of the parameter."""
        return self.mode + self.curve.mean(lambda t: t)

    def cdf(self, theta: Any) -> Floats:
        """The probability of [low, theta]; broadcasts."""
        return self.curve.cdf(self.place(theta))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Draws by rejection, accepted with probability ``curve.acceptance``, at least 0.46."""

        def inside(theta: Floats) -> Any:
            return (theta >= self.low) & (theta <= self.high)

        return kept_inside(self.curve, lambda t: self.mode + t, inside, rng, size)


@dataclass(frozen=True, eq=False)
class LogConcavePair:
    """Two log-concave laws on one interval, with what their log ratio says of them, in doubles.

    The log ratio is taken to be monotone between the points of a grid that is fine on the panels of both curves.
    Divergence and deltas are then right to about 1e-12, as its own digits allow.
    """

    p: LogConcave
    q: LogConcave

    @cached_property
    def level(self) -> float:
        """What the difference of the two log kernels lacks."""
        return self.q.log_mass - self.p.log_mass

    def log_ratio(self, theta: Any) -> Floats:
        """The log ratio at a parameter."""
        return self.p.log_kernel_at(theta) - self.q.log_kernel_at(theta) + self.level

    def log_ratio_along(self, t: Any) -> Floats:
        """The same at the variable t of the curve of p."""
        return self.log_ratio(np.clip(self.p.mode + t, *self.p.ends))

    @cached_property
    def grid(self) -> Floats:
        """The t between which the log ratio is taken to be monotone."""
        p, q = self.p.curve, self.q.curve
        corners = np.unique(np.concatenate([p.edges, q.edges + (self.q.mode - self.p.mode)]))
        corners = corners[(corners >= p.low) & (corners <= p.high)]
        shares = np.arange(GRID) / GRID
        return np.append((corners[:-1, None] + np.diff(corners)[:, None] * shares).ravel(), corners[-1])

    @cached_property
    def turns(self) -> list[float]:
        """The parameters inside the interval where the log ratio turns."""
        t, ratio = self.grid, self.log_ratio_along(self.grid)
        rising = np.sign(np.diff(ratio))
        found = []
        for i in np.flatnonzero(rising[:-1] * rising[1:] < 0):
            best: Any = minimize_scalar(
                lambda at, sign=rising[i]: -sign * float(self.log_ratio_along(at)),
                bounds=(t[i], t[i + 2]),
                method="bounded",
                options={"xatol": 1e-12},
            )
            found.append(float(self.p.mode + best.x))
        return found

    @property
    def loss(self) -> float:
        """The supremum of the log ratio; infinite, which bounds it, where the interval has no end."""
        if not np.isfinite(self.p.ends).all():
            return 0.0 if not self.log_ratio_along(self.grid).any() else math.inf
        return float(np.max(self.log_ratio(np.array([*self.p.ends, *self.turns]))))

    @property
    def divergence(self) -> float:
        r"""\(D(p \| q)\), the mean of the log ratio r under p, of laws that are near that of \(e^{-r} - 1 + r\)."""
        near = float(np.abs(self.log_ratio_along(self.p.curve.edges)).max()) <= NEAR
        return self.p.curve.mean(lambda t: beyond_linear(-self.log_ratio_along(t)) if near else self.log_ratio_along(t))

    @property
    def variation(self) -> float:
        """Total variation."""
        return self.delta(0.0)

    def delta(self, epsilon: float) -> float:
        r"""\(\int (p - e^{\varepsilon} q)_+\), between the crossings of \(\varepsilon\)."""
        turns = [turn - self.p.mode for turn in self.turns]
        t = np.unique(np.concatenate([self.grid, turns]))
        over = self.log_ratio_along(t) - epsilon
        cuts = [float(t[0]), float(t[-1])]
        changes = np.flatnonzero(over[:-1] * over[1:] < 0)
        cuts += [float(brentq(lambda at: float(self.log_ratio_along(at)) - epsilon, t[i], t[i + 1])) for i in changes]
        cuts.sort()

        def gain(at: Floats) -> Floats:
            return -np.expm1(epsilon - self.log_ratio_along(at))

        parts = [self.p.curve.mean(gain, *part) for part in itertools.pairwise(cuts)]
        return float(sum(part for part in parts if part > 0))
