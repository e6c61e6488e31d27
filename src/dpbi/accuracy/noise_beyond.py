r"""Releases of more than n records: \(E[y^\theta]\) at totals beyond the last count, where exponents nearly cancel.

With \(D = \sum_i D_i(d_i) - D(|a|, e)\), e records more than n, the last factor \(e^{\theta D(|a|, e)}\) multiplies
what rounding does to a transform. The sum of the exponents is least where all that moves gets about the same share, of
t records \(d_i \approx t a_i / A\), A being the weight that moves. A factor \(e^{\nu d_i}\) for each category, and
\(e^{-\nu t}\) for all, changes no sum. Where \(\nu\) is the slope of \(\theta D(A, \cdot)\) at t, these moves become
the largest terms, and rounding is a share of what there is. One such tilt is good for all totals within twice the
deviation \((A + t) / \sqrt{A \theta}\).

The ring confuses t with \(t \pm N\). As \(\sum_i D_i(d_i) \ge D(A, \sum_i d_i)\), what these add is at most their
probability where \(\nu (\pm N) - \theta (D(A, t \pm N) - D(|a|, e)) \le 0\); and so is what is farther around it, for
that is concave in the total.
"""

import math

import numpy as np
from scipy.fft import irfft, rfft
from scipy.special import logsumexp

from ..checks import Floats, Integers
from ..model.distances import gamma_gap
from .noise_factors import NoiseFactors, on_ring, whole_power
from .noise_spectrum import TRANSFORMED

ROUNDED = 2e-15
"""What rounding may do to each total, as a share of the average frequency."""

TOGETHER = 1 << 18
"""So many numbers are transformed at once."""


def around_tilts(factors: NoiseFactors, theta: float, places: Integers) -> tuple[Floats, Floats]:
    r"""\(E[y^\theta]\) at the totals at these places of the ring, and what rounding may do to it."""
    K, L = factors.moves.shape
    N, A, totals, rest = len(factors.rest), factors.weight, factors.totals[places], factors.rest[places]
    ahead = A + totals[-1]  # where the exponent bends least
    apart = max(1, math.floor(4 * ahead / math.sqrt(A * theta)))
    group = np.arange(len(totals)) // apart
    middles = np.minimum(np.arange(0, len(totals), apart) + apart // 2, len(totals) - 1)
    tilts = theta / 2 * np.log1p(totals[middles] / (2 * A + totals[middles]))
    logs = np.log(np.maximum(factors.masses, 1e-300)) - theta * factors.exponents
    values, noise, some = np.empty(len(totals)), np.empty(len(totals)), max(1, TOGETHER // (K * (N + L)))
    few = max(1, TOGETHER // (some * (N + L)))
    for first in range(0, len(tilts), some):
        weights = logs + tilts[first : first + some, None, None] * factors.moves
        scales = logsumexp(weights, axis=-1)
        product = np.ones((len(weights), N // 2 + 1), dtype=np.complex128)
        largest = np.ones(product.shape)
        for kind in range(0, K, few):
            part = slice(kind, kind + few)
            rows = on_ring(np.exp(weights[:, part] - scales[:, part, None]), factors.moves[part, 0], N)
            transforms = rfft(rows, axis=-1)
            for i, times in enumerate(factors.multiplicity[part].tolist()):
                product *= whole_power(transforms[:, i], times)
                largest *= (np.abs(transforms[:, i]) + TRANSFORMED) ** times
        sizes = np.abs(product)
        off = 2 / N * (np.maximum(largest - sizes, 0.0) + ROUNDED * sizes).sum(axis=-1)
        here = np.flatnonzero((group >= first) & (group < first + some))
        tilt = group[here] - first
        power = (scales @ factors.multiplicity)[tilt] - tilts[group[here]] * totals[here] - theta * rest[here]
        size = np.exp(np.minimum(power, 600.0))
        values[here] = size * irfft(product, N, axis=-1)[tilt, places[here]]
        noise[here] = size * off[tilt]
    for turn in (-N, N):
        there = np.maximum(A + totals + turn, 1e-300)
        gap = gamma_gap(np.full(len(there), A), there, (there - A) / 2)
        noise[tilts[group] * turn - theta * (gap + rest) > 0] = math.inf
    return np.maximum(values, 0.0), noise
