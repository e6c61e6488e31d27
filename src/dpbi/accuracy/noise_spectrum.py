r"""The law of the exponent under noise on the counts, by its frequencies \(E[e^{-(\theta + i\omega) D}]\), with bounds.

They are sums over the total of independent moves, as in ``noise_factors``; each factor
\(g_i(d)\, e^{-(\theta + i\omega) D_i(d)}\) is transformed as a whole. What is left out is kept as a probability.
Beside it there is rounding: of transforms, as a share of the average frequency, and of exponents, which turns a term
by at most \(|\theta + i\omega|\) times what D is off. With \(\theta \ge 0\) no total adds more than its probability.
With \(\theta < 0\) the sums bound the tail: \(\Pr[D \ge x] \le e^{\theta x} E[e^{-\theta D}]\).
"""

import math

import numpy as np
from scipy.fft import fft, ifft
from scipy.special import logsumexp

from ..checks import Floats
from ..progress import late
from .noise_factors import NoiseFactors, multiplied
from .products import GAP, ROUNDING
from .spectrum import Complexes, Spectrum, tilts

TOGETHER = 1 << 18
"""So many numbers of the transforms of all factors are computed at once."""

TRANSFORMED = 10 * ROUNDING
"""What rounding may do to each frequency of a factor whose weights add up to one."""

NEXT_TO_NOTHING = 1e-19
"""Frequencies at which the product of the first factors is less are left out."""


class NoiseSums:
    r"""Sums over all releases under noise, each with its probability."""

    work = 0

    def __init__(self, factors: NoiseFactors) -> None:
        adds = factors.multiplicity * (factors.masses * factors.exponents).sum(axis=1)
        self._order = np.argsort(-adds)  # those that turn most come first
        self._factors = factors
        self._finite = np.isfinite(factors.rest)
        self._rest = np.where(self._finite, factors.rest, 0.0)
        self._rounding = ROUNDING * (30 + int(factors.multiplicity.sum()))
        totals, doubts = self._by_total(factors.masses, np.zeros(1), 0.0)
        self._most = np.maximum(totals[0].real, 0.0) + doubts[0]
        norm = max(float(totals[0].real @ self._finite), 1e-300)
        # the mean of all that is added up to an exponent
        self._mean = float(adds.sum() + self._most @ np.abs(self._rest))
        self._largest = float(factors.multiplicity @ factors.exponents.max(axis=1) + np.abs(self._rest).max())
        self.least = min(factors.least, factors.least_beyond) if factors.excess.any() else factors.least
        self.log_total = math.log(norm)
        self.log_itself = factors.log_still
        self.lost = min(1.0, (factors.lost + float(doubts[0])) / norm)
        steps = tilts(self.least, 0.5)
        self.thetas = np.concatenate([-steps, steps])

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln E[e^{-\theta D}]\), near it."""
        rounded = GAP * max(-theta, 0.0) * self._largest
        if rounded > 1:  # no digit of the weights is right
            return math.inf
        found, log_scale = self.spectrum(theta, np.zeros(1), 0.0)
        return math.log(found.values[0].real + found.errors[0]) + log_scale + rounded

    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]:
        """The frequencies at all ``omegas``, and the logarithm of what they are to be multiplied by.

        Where they are certain to be below ``accuracy``, relative to the first, they are left out.
        """
        f = self._factors
        scales = logsumexp(-theta * f.exponents, axis=1, b=f.masses)
        weights = f.masses * np.exp(-theta * f.exponents - scales[:, None])
        lasts = np.where(self._finite, -theta * self._rest, -np.inf)
        log_product = float(f.multiplicity @ scales)
        caps = np.log(self._most) - log_product if theta >= 0 else np.full(len(lasts), np.inf)
        top = max(0.0, float(np.minimum(lasts, caps).max()))
        lasts, caps, log_scale = lasts - top, caps - top, log_product + top
        values, errors = np.empty(len(omegas), dtype=np.complex128), np.empty(len(omegas))
        some, enough, told = max(1, TOGETHER // (len(weights) * len(lasts))), 0.0, late("frequencies")
        for first in range(0, len(omegas), some):
            here = slice(first, first + some)
            totals, doubts = self._by_total(weights, omegas[here], enough)
            sizes = np.abs(totals) + 1e-300
            terms = np.exp(np.minimum(np.log(sizes) + lasts, caps)) / sizes * totals
            values[here] = (terms * np.exp(-1j * omegas[here, None] * self._rest)).sum(axis=1)
            errors[here] = np.exp(np.minimum(np.log(doubts)[:, None] + lasts, caps + math.log(2))).sum(axis=1)
            told(min(here.stop, len(omegas)), len(omegas))
            enough = accuracy * abs(values[0]) / float(np.exp(np.minimum(lasts, 0.0)).sum())
        errors += GAP * (omegas + abs(theta)) * self._mean * math.exp(min(-log_scale, 700.0))
        return Spectrum(values, errors), log_scale

    def _by_total(self, weights: Floats, omegas: Floats, enough: float) -> tuple[Complexes, Floats]:
        """What the product of the turned factors has at each total around the ring, and how far each may be off.

        None is larger than the average size of the frequencies. Where that is at most ``enough`` none is computed.
        """
        f, N = self._factors, len(self._rest)
        here, left_out = np.arange(N), np.zeros(len(omegas))
        product, largest = np.ones((len(omegas), N), dtype=np.complex128), np.ones((len(omegas), N))
        some = max(1, TOGETHER // (N * len(omegas)))
        for first in range(0, len(weights), some):
            part = self._order[first : first + some]
            turned = weights[part] * np.exp(-1j * omegas[:, None, None] * f.exponents[part])
            if turned.shape[-1] > N:  # a window may be longer than the ring
                longer = np.pad(turned, ((0, 0), (0, 0), (0, -turned.shape[-1] % N)))
                turned = longer.reshape(*longer.shape[:2], -1, N).sum(axis=2)
            transforms = fft(turned, N, axis=-1)[..., here].swapaxes(0, 1)
            product *= multiplied(transforms, f.multiplicity[part])
            largest *= multiplied(np.abs(transforms) + TRANSFORMED, f.multiplicity[part])
            counts = largest.max(axis=0) > NEXT_TO_NOTHING
            if 2 * counts.sum() < len(here):
                left_out += largest[:, ~counts].sum(axis=1) / N
                here, product, largest = here[counts], product[:, counts], largest[:, counts]
            around = largest.sum(axis=-1) / N + left_out
            if (around <= enough).all():
                return np.zeros((len(omegas), N), dtype=np.complex128), around
        whole, sizes = np.zeros((len(omegas), N), dtype=np.complex128), np.abs(product)
        whole[:, here] = product
        found: Complexes = np.roll(ifft(whole, axis=-1), int(f.multiplicity @ f.moves[:, 0]) % N, axis=-1)
        return found, (self._rounding * sizes + np.maximum(largest - sizes, 0.0)).sum(axis=-1) / N + left_out
