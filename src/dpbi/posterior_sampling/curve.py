r"""Masses, means and random draws of log-concave distributions on an interval, in doubles with errors below 1e-12.

A curve is a function \(e^{g}\) on \([a, b]\) whose exponent g is concave. The variable of the curve is zero at the
mode, so differences from the mode lose no digits. Let l and r be the points left and right of the mode where g is one
below its maximum, or the ends of the interval if g does not fall that far. The distances of l and r from the mode set
the scale for integration and for random draws:

* Integrals are computed by Gauss-Legendre quadrature. The panels double in width with increasing distance from the mode
  m, and they end where \(g < g(m) - 60\). The error is below 1e-12 times the integral over [a, b]. A mass below e^-60
  of the whole integral has no correct digits. Near the mode, where g may bend sharply, panels are no wider than
  ``SMOOTH_WIDTH``.
* Random draws are made by rejection sampling. The logarithm of the envelope is constant between l and r.
  Beyond l and r, it follows the tangents of g at these two points.

By concavity, the envelope has an area of at most \((1 + e^{-1})(r - l)\), and \(e^{g - g(m)}\) has an area of at least
\((1 - e^{-1})(r - l)\). Hence a proposal is accepted with probability at least \(\tanh(1/2) = 0.46\) on every interval.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq

from ..checks import Floats, need

# chosen: if g changes by a few units across a panel, quadrature with 64 nodes is exact up to rounding
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
# rescaled from [-1, 1] to [0, 1]
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2

# chosen: near the mode, g bends like ln(1 + e^t), within a few units of t, even if the shoulders are far from the mode
SMOOTH_WIDTH = 4.0
"""Width below which the panels between a shoulder and the mode are no longer halved towards the mode."""

# proved, by concavity: beyond a drop of 60 the tail is below 1e-25 of the area
TAIL_LOG_DROP = 60.0
"""Difference between g and its maximum at which the quadrature panels end."""

# chosen: above the rounding errors of g, and too small to change the distribution of the draws visibly
CONCAVITY_TOLERANCE = 1e-9
"""Amount by which a computed g may exceed its tangent; a larger excess shows that g is not concave."""

# proved in the docstring of this module
ENVELOPE_ACCEPTANCE_RATE = float(np.tanh(0.5))
"""Lower bound on the acceptance rate of the rejection sampler."""


@dataclass(frozen=True, eq=False)
class Curve:
    r"""A log-concave function \(e^{g(t)}\) on an interval around its mode, which is at t = 0.

    Attributes:
        log_density: Function that computes \(g(t) - g(0)\) for an array of values t.
        slope: Function that computes \(g'(t)\) for one number t.
        low, high: Ends of the interval, with low <= 0 <= high; infinite ends are allowed.
    """

    log_density: Callable[[Any], Any]
    slope: Callable[[float], float]
    low: float
    high: float

    @cached_property
    def shoulders(self) -> tuple[float, float]:
        """Points l and r left and right of the mode where g is one below its maximum, or the ends of the interval."""
        return self._shoulder(-1.0, self.low), self._shoulder(1.0, self.high)

    def _shoulder(self, direction: float, end: float) -> float:
        """Point on one side of the mode where g is one below its maximum, or the end of the interval."""

        def beyond(step: float) -> float:
            return float(self.log_density(np.float64(direction * step))) + 1

        room = abs(end)
        if np.isfinite(room) and beyond(room) >= 0:
            return end
        step = min(1.0, room)
        # bracket the root between step / 2 and step: double the step until g has fallen by one, then
        # halve it while g has fallen by more than one at half the step
        while beyond(step) >= 0:
            step *= 2
        while beyond(step / 2) < 0:
            step /= 2
        return direction * float(brentq(beyond, step / 2, step, xtol=1e-300, rtol=1e-13))

    @cached_property
    def panel_ends(self) -> Floats:
        """Ends of the quadrature panels, including the mode, in increasing order."""
        left, right = self.shoulders
        down = self._panel_ends_beside(-1.0, left, self.low)
        return np.array([*reversed(down), 0.0, *self._panel_ends_beside(1.0, right, self.high)])

    def _panel_ends_beside(self, direction: float, shoulder: float, end: float) -> list[float]:
        """Ends of the quadrature panels on one side of the mode, without the mode itself, in outward order."""
        width, panel_ends = abs(shoulder), [shoulder]
        while abs(panel_ends[0]) > SMOOTH_WIDTH:
            panel_ends.insert(0, panel_ends[0] / 2)
        while panel_ends[-1] != end and self.log_density(np.float64(panel_ends[-1])) > -TAIL_LOG_DROP:
            following = panel_ends[-1] + direction * width
            panel_ends.append(min(following, end) if direction > 0 else max(following, end))
            width = min(2 * width, abs(panel_ends[-1]))
        return panel_ends

    @cached_property
    def area(self) -> float:
        r"""Integral \(\int e^{g(t) - g(0)}\,dt\) of the curve over its interval."""
        return self._integral(np.ones_like, self.panel_ends)

    def mean(self, function: Callable[[Floats], Floats], low: float = -np.inf, high: float = np.inf) -> float:
        """Mean of a function that is smooth on [low, high] and zero elsewhere, with the normalised curve as density."""
        return self._integral(function, np.clip(self.panel_ends, low, high)) / self.area

    def _integral(self, function: Callable[[Floats], Floats], panel_ends: Floats) -> float:
        starts, widths = panel_ends[:-1, None], np.diff(panel_ends)[:, None]
        t = starts + widths * NODES
        return float((np.exp(self.log_density(t)) * function(t) * WEIGHTS * widths).sum())

    @cached_property
    def _envelope(self) -> tuple[Floats, Floats]:
        """Slopes and areas of the three pieces of the rejection envelope: left tangent, flat middle, right tangent."""
        left, right = self.shoulders
        slopes, areas = np.zeros(3), np.array([0.0, right - left, 0.0])
        for piece, shoulder, end in ((0, left, self.low), (2, right, self.high)):
            if shoulder != end:
                slopes[piece] = abs(self.slope(shoulder))
                height = np.exp(self.log_density(np.float64(shoulder)))
                areas[piece] = height * -np.expm1(-slopes[piece] * abs(end - shoulder)) / slopes[piece]
        return slopes, areas

    def sample(self, rng: np.random.Generator, size: int = 1) -> Floats:
        """Independent draws from the density proportional to the curve, by rejection from an envelope."""
        kept: list[Floats] = [np.empty(0)]
        missing = size
        while missing > 0:
            t, ceiling = self._proposals(rng, int(missing / ENVELOPE_ACCEPTANCE_RATE) + 8)
            room = self.log_density(t) - ceiling
            where = float(t[room.argmax()])
            need(room.max() <= CONCAVITY_TOLERANCE, f"g must be concave, got a value above a tangent at {where!r}")
            # minus an exponential variable is the logarithm of a uniform one
            accepted = t[-rng.exponential(size=len(t)) <= room][:missing]
            kept.append(accepted)
            missing -= len(accepted)
        return np.concatenate(kept)

    def _proposals(self, rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        """Points drawn from the rejection envelope, and the logarithm of the envelope at each point."""
        left, right = self.shoulders
        slopes, areas = self._envelope
        piece = rng.choice(3, size, p=areas / areas.sum())
        u = rng.random(size)
        t = left + (right - left) * u
        ceiling = np.zeros(size)
        for number, shoulder, end, direction in ((0, left, self.low, -1.0), (2, right, self.high, 1.0)):
            here = piece == number
            if here.any():  # the distance from the shoulder is exponential, truncated at the end: invert its CDF at u
                away = -np.log1p(u[here] * np.expm1(-slopes[number] * abs(end - shoulder))) / slopes[number]
                t[here] = np.clip(shoulder + direction * away, self.low, self.high)
                ceiling[here] = self.log_density(np.float64(shoulder)) - slopes[number] * away
        return t, ceiling
