r"""Sums of independent losses by Fourier transforms, with a proved bound on what rounding does.

Masses are tilted first: with \(w(S) = e^{\theta S} / M\), M the total, small tails become the bulk, and an error of the
transform, which is relative to the largest masses, becomes one relative to the tail. Errors are followed in the
Euclidean norm: a transform of length N is off by \(\eta\) times the norm of its result, with
\(\eta = 16 u \log_2 N\) (Higham 2002, Theorem 24.2, has 6.7 u for exactly rounded sines), and a product of K complex
numbers by \(3Ku\). What wraps around, because the sum is longer than N, is bounded by Chernoff.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from ..checks import Floats, Integers
from .ends import UNIT

LOST = 46.0
"""Sums outside the window have a probability of at most \\(e^{-46}\\) on either side, after tilting."""


Complexes = NDArray[np.complex128]


@dataclass(eq=False)
class Part:
    """Masses on a grid, from a first place on, added so many times."""

    first: int
    masses: Floats
    count: int

    @cached_property
    def places(self) -> Integers:
        """Where there is any mass."""
        return np.flatnonzero(self.masses) + self.first

    @cached_property
    def weights(self) -> Floats:
        """The masses there."""
        return self.masses[self.places - self.first]


class LossSum(NamedTuple):
    r"""Tilted masses of the sum on the places from ``first`` on, and how far they may be off.

    The mass at S is :math:`e^{m - \theta S}` times the entry. The entries are off by at most ``error`` in the
    Euclidean norm, all by a factor of at most \(e^{\pm r}\), r = ``relative``; ``lost`` is the tilted mass that lies
    elsewhere.
    """

    first: int
    tilted: Floats
    log_total: float
    tilt: float
    error: float
    relative: float
    lost: float


def log_total(parts: Sequence[Part], width: float, tilt: float) -> float:
    r"""\(\ln E\, e^{\theta S}\), the sum of those of the parts."""
    return sum(part.count * _log_moment(part, width, tilt) for part in parts)


def _log_moment(part: Part, width: float, tilt: float) -> float:
    exponents = tilt * width * part.places
    top = float(exponents.max())
    return top + math.log(float((part.weights * np.exp(exponents - top)).sum()))


def best_tilt(parts: Sequence[Part], width: float, aim: float | None, log_delta: float | None) -> float:
    r"""The tilt that makes Chernoff's bound best, for sums near an aim or for their tail of a given probability."""
    from scipy.optimize import minimize_scalar  # imported here, for that takes longer than many a call

    def bound(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        total = log_total(parts, width, tilt)
        return total - tilt * aim if aim is not None else (total - (log_delta or 0.0)) / tilt

    farthest = max(float(np.abs(part.places).max()) for part in parts) * width
    most = max(-4.0, min(7.0, math.log(1000 / max(farthest, 1e-300))))
    found = minimize_scalar(bound, bounds=(-5.0, most), method="bounded", options={"xatol": 1e-2})
    return math.exp(float(found.x))


def added(parts: Sequence[Part], width: float, tilt: float) -> LossSum:
    """The sum of all parts, tilted."""
    tilted, total, relative = [], 0.0, 0.0
    for part in parts:
        exponents = tilt * width * part.places
        log_moment = _log_moment(part, width, tilt)
        masses = np.zeros(len(part.masses))
        root = np.exp((exponents - log_moment) / 2)  # its square may be too large where the mass is too small
        masses[part.places - part.first] = part.weights * root * root
        tilted.append(Part(part.first, masses, part.count))
        total += part.count * log_moment
        relative += part.count * (4 * (float(np.abs(exponents).max()) + abs(log_moment)) + 32) * UNIT
    low, high, lost = _window(tilted, width)
    size = max(2, fft.next_fast_len(high - low + 1, real=True))
    size = 1 << (size - 1).bit_length()  # a power of two, for the bound
    product, growth, spread = np.ones(size // 2 + 1, dtype=np.complex128), 0.0, math.inf
    eta = 16 * UNIT * math.log2(size)
    for part in tilted:
        wrapped = np.bincount((part.first + np.arange(len(part.masses))) % size, part.masses, size)
        product *= _power(fft.rfft(wrapped), part.count)
        norm = math.sqrt(float((wrapped**2).sum()))
        growth += part.count * eta * norm
        spread = min(spread, norm)
    uses = sum(part.count for part in tilted)
    entries = np.roll(fft.irfft(product, size), -(low % size))
    # every transform may be larger than one by its error, at most sqrt(N) times the norm's
    grown = math.exp(math.sqrt(size) * growth)
    error = grown * (growth + (3 * uses * UNIT + eta) * spread) + eta * math.sqrt(float((entries**2).sum()))
    return LossSum(low, entries, total, tilt, error, relative, lost)


def _power(values: Complexes, count: int) -> Complexes:
    """By repeated squaring, so that the error is that of a product."""
    result, square = np.ones_like(values), values
    while count:
        if count & 1:
            result = result * square
        count >>= 1
        if count:
            square = square * square
    return result


def _window(parts: Sequence[Part], width: float) -> tuple[int, int, float]:
    r"""The first and last place that matter, and a bound on what is outside, by \(\min_s E e^{sS} e^{-sx}\)."""
    low = sum(part.count * part.first for part in parts)
    high = sum(part.count * (part.first + len(part.masses) - 1) for part in parts)
    if high - low < 4096:
        return low, high, 0.0
    from scipy.optimize import minimize_scalar  # imported here, for that takes longer than many a call

    ends, lost = [low, high], 0.0
    for side, sign in enumerate((-1, 1)):

        def reach(log_rate: float, sign: int = sign) -> float:
            return (log_total(parts, width, sign * math.exp(log_rate)) + LOST) / math.exp(log_rate)

        found = minimize_scalar(reach, bounds=(-7.0, 9.0), method="bounded", options={"xatol": 0.05})
        inside = sign * math.ceil(float(found.fun) / width)
        if (inside - ends[side]) * sign < 0:
            ends[side] = inside
            lost += math.exp(-LOST + 1e-6)
    return ends[0], max(ends[1], ends[0]), lost
