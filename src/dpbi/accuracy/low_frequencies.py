r"""The lowest frequencies of masses that lie anywhere on a ring: \(\sum_d x_d\, e^{-iud}\), \(u = 2\pi j / N\), j < J.

Each mass is spread over a grid of G places, \(G \ge 10 J\), by the B-spline of order P, whose own transform is
\(\hat\psi(\omega) = (\frac{\sin \omega/2}{\omega/2})^P\). With \(\omega = 2\pi j / G\) and t = dG/N, Poisson's sum is
\[ \sum_m \psi(t - m)\, e^{-i\omega m} = \sum_l \hat\psi(\omega + 2\pi l)\, e^{-i(\omega + 2\pi l) t} . \]
The sines of all terms are equal up to their signs, so that over \(\hat\psi(\omega)\) it is \(e^{-iud}\) up to
\(\sum_{l \ne 0} |\frac{\omega}{\omega + 2\pi l}|^P \le 2\, (\frac{\omega}{2\pi - \omega})^P\), for
\(\omega \le \pi / 5\). The transform of the grid has as many frequencies as one keeps, however many places there are.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.fft import next_fast_len, rfft
from scipy.interpolate import BSpline
from scipy.sparse import csc_array

from ..checks import Floats, Integers
from .products import ROUNDING
from .spectrum import Complexes

P = 14
"""Each mass is spread over so many places."""

SPREAD = 1 << 14
"""So many masses are spread at once."""

IN_A_BLOCK = 1 << 18
"""So many numbers are transformed at once."""


class LowFrequencies:
    """Transforms of masses at given places: the same for all rows, or each row's own.

    >>> found = LowFrequencies(np.array([[0, 7]]), np.zeros((1, 2)), 1000, 3)(np.array([[1.0, 2.0]]))
    >>> bool(abs(found[0, 1] - (1 + 2 * np.exp(-2j * np.pi * 7 / 1000))) < 1e-14)
    True
    """

    def __init__(self, whole: Integers, part: Floats, N: int, kept: int) -> None:
        self._rows, self._kept = len(whole), kept
        self._G = G = next_fast_len(max(10 * kept, 4 * P), real=True)
        size, row = whole.size, np.arange(self._rows).repeat(whole.shape[1]) * G
        index = np.int32 if max(self._rows * G, P * size) < 1 << 31 else np.int64
        weights, places = np.empty((size, P)), np.empty((size, P), dtype=index)
        for start in range(0, size, SPREAD):  # in the memory that they fill
            here = slice(start, start + SPREAD)
            steps, left = np.divmod(whole.ravel()[here] % N * G, N)  # whole numbers lose no digits
            beyond = left / N + part.ravel()[here] * (G / N)
            more = np.floor(beyond)
            weights[here] = chebyshev.chebvander(2 * (beyond - more) - 1, P - 1) @ _pieces()
            first = steps + more.astype(np.int64) - (P // 2 - 1)
            places[here] = (first[:, None] + np.arange(P)) % G + row[here, None]
        entries: Any = (weights.ravel(), places.ravel(), np.arange(0, P * size + 1, P, dtype=index))
        self._spread = csc_array(entries, shape=(self._rows * G, size))
        omega = 2 * np.pi / G * np.arange(kept)
        self._smoothed = np.sinc(omega / (2 * np.pi)) ** P
        self.rounding = ROUNDING * (3 + 0.7 * math.log2(G)) + 2 * (omega / (2 * np.pi - omega)) ** P
        """What each frequency may be off, as a share of the sum of all sizes."""

    def __call__(self, masses: Floats) -> Complexes:
        """(K, M) to (K, J)."""
        found, G = np.empty((len(masses), self._kept), dtype=np.complex128), self._G
        own = (self._spread @ masses.ravel()).reshape(self._rows, G) if self._rows > 1 else None
        some = max(1, IN_A_BLOCK // G)
        for first in range(0, len(masses), some):
            here = slice(first, first + some)
            grid = own[here] if own is not None else (self._spread @ masses[here].T).T
            found[here] = rfft(grid, axis=1)[:, : self._kept] / self._smoothed
        return found


@lru_cache(maxsize=1)
def _pieces() -> Floats:
    """Chebyshev's coefficients of the pieces of the B-spline, each on its part of the grid, the last first."""
    at = np.cos(np.pi * (np.arange(P) + 0.5) / P)
    places = (at[:, None] + 1) / 2 + (P - 1 - np.arange(P))
    values = BSpline.basis_element(np.arange(P + 1), extrapolate=False)(places)
    coefficients: Floats = np.asarray(chebyshev.chebfit(at, values, P - 1), dtype=np.float64)
    return coefficients
