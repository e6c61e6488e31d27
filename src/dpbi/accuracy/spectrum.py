r"""The law of the exponent under \(e^{-\theta D}\), by its frequencies \(M(\theta + i\omega)\), with bounds.

As in ``products``, but \(g_i(d) = e^{-(\theta + i\omega) D_i(d) + \nu d}\) turns as well. Shifted by y into the complex
plane it grows by at most \(e^{\theta\kappa y^2/2 + \omega s y}\), s being the steepest slope of \(D_i\) in the window
and what the slope may change along the shift, \(\frac{y^2}{8} (b^{-2} + 2 b^{-3})\), b at the lower end of the window.
So steps have to be shorter, and frequencies up to \(\omega s\) more are kept.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.fft import fft
from scipy.special import digamma

from ..checks import Floats
from ..model.distances import moved_gap
from .products import ROUNDING, Kinds, Windows, balanced_tables, log_others, ring

Complexes = np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


class Spectrum(NamedTuple):
    r"""\(M(\theta + i\omega_j) / \prod_i G_i\) and bounds on the errors."""

    values: Complexes
    errors: Floats


class _Kind(NamedTuple):
    """One kind of category: what its transform is made of."""

    multiplicity: int
    first: int  # the lowest move, in finest steps
    exponents: Floats  # D at every finest step
    weights: Floats  # e^(-theta D + nu d) times the step, their sum being one
    finest: int
    wide: bool
    slope: float
    shift: float
    small: float  # theta kappa shift^2 / 2
    ends: float
    left_out: float


def tilts(least: float, apart: float) -> Floats:
    r"""Powers of two, up to a \(\theta\) at which nothing counts beside the dataset itself; one if nothing else is."""
    return 2.0 ** np.arange(-4, math.log2(60 / least) + 1, apart) if math.isfinite(least) else np.ones(1)


class CandidateSums:
    r"""Sums over all candidates, of which the dataset itself is one, \(D = 0\)."""

    log_itself = 0.0
    lost = 0.0
    work = 0

    def __init__(self, kinds: Kinds) -> None:
        self._kinds, self.least = kinds, kinds.least
        self.log_total = float(np.log1p(kinds.n / np.arange(1, int(kinds.multiplicity.sum()))).sum())
        self.thetas = tilts(kinds.least, 1.0)
        self._known: dict[float, float] = {}

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln M(\theta)\), near it."""
        if theta not in self._known:
            found = log_others(self._kinds, theta)
            error = min(found.error, 1.0) if math.isfinite(found.error) else 0.0
            self._known[theta] = float(np.logaddexp(0.0, found.value)) + error
        return self._known[theta]

    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
        """The frequencies at all ``omegas``, and the logarithm of what they are to be multiplied by."""
        return spectrum(self._kinds, theta, omegas, accuracy)


def spectrum(kinds: Kinds, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
    r"""The frequencies at all ``omegas``, up to errors near ``accuracy``, and \(\ln \prod_i G_i\)."""
    k = int(kinds.multiplicity.sum())
    small = -math.log(accuracy) + math.log(k) + 2
    windows, tables, tilt, small = balanced_tables(kinds, theta, small)
    N, wrapped = ring(tables, small)
    parts = [_kind(kinds, place, theta, tilt, windows, float(np.max(omegas)), small) for place in range(len(kinds.a))]
    logs = sum(float(table.multiplicity @ (np.log(table.total) + table.scale)) for table in tables)
    lost = wrapped + sum(part.multiplicity * part.left_out for part in parts)
    values, errors = np.empty(len(omegas), dtype=np.complex128), np.empty(len(omegas))
    for j, omega in enumerate(omegas):
        values[j], errors[j] = _at(parts, float(omega), N, small)
    return Spectrum(values, errors + lost), logs


def _kind(kinds: Kinds, place: int, theta: float, tilt: float, windows: Windows, highest: float, small: float) -> _Kind:
    a, q = float(kinds.a[place]), int(kinds.multiplicity[place])
    down, up, left_out = float(windows.down[place]), float(windows.up[place]), float(windows.left_out[place])
    wide, finest, slope, shift = bool(windows.wide[place]), 1, 0.0, 1.0
    if wide:
        shift = math.sqrt(2 * small / (theta * float(windows.kappa[place])))
        b = a - down - 1
        slope = max(abs(_slope(a, -down)), abs(_slope(a, up))) + shift * shift / 8 * (1 / b**2 + 2 / b**3)
        step = 2 * math.pi / (2 * highest * slope + 4 * small / shift)
        finest = 1 << max(0, math.floor(math.log2(max(1.0, min(step, 0.01 * b)))))
        wide = finest > 1
    first, last = -(int(down) // finest), int(up) // finest
    moves = finest * np.arange(first, last + 1)
    exponents = moved_gap(kinds.prior[place], kinds.counts[place], moves)
    logs = tilt * moves - theta * exponents
    weights = np.exp(logs - logs.max())
    total = float(weights.sum())
    ends = float(weights[0] + weights[-1]) / total
    beyond = left_out * math.exp(-float(logs.max())) / (finest * total)
    return _Kind(q, first, exponents, weights / total, finest, wide, slope, shift, small, ends, beyond)


def _slope(a: float, move: float) -> float:
    return float(digamma(a + move) - digamma(a + move / 2)) / 2


def _at(parts: list[_Kind], omega: float, N: int, small: float) -> tuple[complex, float]:
    """The value at one frequency of the exponent, and a bound on its error but for windows and totals."""
    wide = [part for part in parts if part.wide]
    U = _kept(wide, omega, small) if wide else math.pi
    J = min(math.ceil(U * N / (2 * math.pi)), N // 2)
    full = J == N // 2
    product = np.ones(2 * J + 1, dtype=np.complex128)
    steps = 0.0
    for part in parts:
        stride = 1
        if part.wide:
            room = 2 * math.pi / (U + omega * part.slope + 2 * small / part.shift)
            stride = max(1, 1 << max(0, math.floor(math.log2(max(1.0, room / part.finest)))))
            gap = 2 * math.pi / (stride * part.finest) - U - omega * part.slope
            each = 4 * math.exp(-gap * part.shift + small) + stride * part.ends * part.finest * 4 / gap
            steps += part.multiplicity * each
        product *= _transform(part, omega, stride, N, J) ** part.multiplicity
    if full and N % 2 == 0:
        product[0] = 0.0  # the frequency pi once
    value = complex(product.sum()) / N
    lost = math.expm1(steps) * (2 * J + 1) / N if steps < 1 else math.inf
    lost += float(np.abs(product).sum()) / N * (len(parts) * 50 * ROUNDING)
    if not full:
        lost += _beyond(wide, omega, 2 * math.pi * J / N)
    return value, lost


def _transform(part: _Kind, omega: float, stride: int, N: int, J: int) -> Complexes:
    """One factor at the frequencies from -J to J."""
    offset = -part.first % stride  # moves are multiples of the step
    sizes, angles = stride * part.weights[offset::stride], omega * part.exponents[offset::stride]
    turned = np.empty(len(sizes), dtype=np.complex128)
    turned.real, turned.imag = sizes * np.cos(angles), -sizes * np.sin(angles)  # half as long as a complex power
    first, step = (part.first + offset) // stride, stride * part.finest
    if N % step == 0 and N // step <= max(1 << 17, 8 * (len(turned) + J)):
        length = N // step
        row = np.zeros(length, dtype=np.complex128)
        start, done = first % length, 0
        while done < len(turned):  # it may be longer than the ring
            many = min(length - start, len(turned) - done)
            row[start : start + many] += turned[done : done + many]
            start, done = 0, done + many
        # e^(+iud) at u = 2 pi j / N is the conjugate transform: frequency -j of fft
        at: Complexes = np.take(np.asarray(fft(row), dtype=np.complex128), np.arange(J, -J - 1, -1), mode="wrap")
        return at
    from scipy.signal import czt  # imported here, for that takes longer than many a call

    angle = 2 * math.pi * step / N
    found = czt(turned, 2 * J + 1, np.exp(1j * angle), np.exp(1j * angle * J))
    shifted: Complexes = found * np.exp(1j * angle * first * np.arange(-J, J + 1))
    return shifted


def _kept(wide: list[_Kind], omega: float, small: float) -> float:
    """The largest frequency of moves that is kept: beyond, the product of the bounds is nothing."""
    low, high = 0.0, math.pi
    for _ in range(30):
        u = (low + high) / 2
        reached = sum(p.multiplicity * max(0.0, (u - omega * p.slope) * p.shift - small) for p in wide)
        low, high = (low, u) if reached >= small else (u, high)
    return high


def _beyond(wide: list[_Kind], omega: float, start: float) -> float:
    u = np.geomspace(start, math.pi, 60)
    logs = np.zeros(len(u))
    for p in wide:
        ends = 2 * p.ends * p.finest * (2 / np.maximum(u - omega * p.slope, 1e-300) + 2 / math.pi) + p.left_out
        near = np.exp(np.minimum(p.small - (u - omega * p.slope) * p.shift, 1.0))
        far = 4 * np.exp(np.minimum(p.small - (2 * math.pi - u - omega * p.slope) * p.shift, 1.0))
        logs += p.multiplicity * np.log(np.minimum(1.0, 1.001 * near + far + np.where(u > omega * p.slope, ends, 1.0)))
    return float(np.diff(u) @ np.exp(logs[:-1])) / math.pi
