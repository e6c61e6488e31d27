r"""Releases of more than n records: \(E[y^\theta]\) at totals beyond the last count, where exponents nearly cancel.

With \(D = \sum_i D_i(d_i) - D(|a|, e)\), e records more than n, the last factor \(e^{\theta D(|a|, e)}\) multiplies
what rounding does to a transform. The sum of the exponents is least where all that moves gets about the same share, of
t records \(d_i \approx t a_i / A\), A being the weight that moves. A factor \(e^{\nu d_i}\) for each category, and
\(e^{-\nu t}\) for all, changes no sum. Where \(\nu\) is the slope of \(\theta D(A, \cdot)\) at t, these moves become
the largest terms, and rounding is a share of what there is. One such tilt is good for all totals within twice the
deviation \((A + t) / \sqrt{A \theta}\).

So tilted, moves and totals are not far from their largest terms, and a short ring of M totals is enough. It confuses t
with \(t \pm M\). As \(\sum_i D_i(d_i) \ge D(A, \sum_i d_i)\), what these add is at most their probability times
\(e^{\nu (\pm M) - \theta (D(A, t \pm M) - D(|a|, e))}\); and so is what is farther around it, for that is concave in
the total. Between the two ends of a count the logarithm of a weight is concave, but for the steps of a staircase. So
where some of the moves show that others have less than \(e^{-50}\) of the largest weight, those are left out.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from ..checks import Floats, Integers
from ..model.distances import gamma_gap
from .noise_factors import NoiseFactors, whole_power
from .noise_spectrum import TRANSFORMED

ROUNDED = 2e-15
"""What rounding may do to each total, as a share of the average frequency."""

SHORTEST_RING = 1 << 9
"""Rings are at least so long."""

CONFUSED = 40.0
r"""Totals that a shorter ring confuses add \(e^{-40}\) at most."""

LEFT_OUT = 52.0
r"""Moves with \(e^{-52}\) of the largest weight that is looked at are left out."""

LOOKED_AT = 512
"""Moves of each kind that are looked at."""

TOGETHER = 1 << 16
"""So many numbers are transformed at once."""


def around_tilts(factors: NoiseFactors, theta: float, places: Integers) -> tuple[Floats, Floats]:
    r"""\(E[y^\theta]\) at the totals at these places of the ring, and what may be off in it."""
    N, A, totals, rest = len(factors.rest), factors.weight, factors.totals[places], factors.rest[places]
    ahead = A + totals[-1]  # where the exponent bends least
    apart = max(1, math.floor(8 * ahead / math.sqrt(A * theta)))
    middles = np.minimum(np.arange(0, len(totals), apart) + apart // 2, len(totals) - 1)
    tilts = theta / 2 * np.log1p(totals[middles] / (2 * A + totals[middles]))
    each = np.repeat(tilts, apart)[: len(totals)]

    def confused(length: int) -> Floats:
        """The logarithm of what a total is confused with."""
        there = np.maximum(A + totals + np.array([[-length], [length]]), 1e-300)
        gap = gamma_gap(np.full(there.shape, A), there, (there - A) / 2)
        found: Floats = np.max(each * np.array([[-length], [length]]) - theta * (gap + rest), axis=0)
        return found

    length = min(SHORTEST_RING, N)
    while length < N and float(confused(length).max()) > -CONFUSED:
        length = min(next_fast_len(2 * length, real=True), N)
    rows, times = _rows(factors, theta, length), factors.multiplicity.tolist()
    values, noise, some = np.empty(len(totals)), np.empty(len(totals)), max(1, TOGETHER // (len(times) * length))
    for first in range(0, len(tilts), some):
        tilted, scales = rows(tilts[first : first + some])
        product = np.ones((len(tilted), length // 2 + 1), dtype=np.complex128)
        largest = np.ones(product.shape)
        for kind, many in enumerate(times):
            transform = rfft(tilted[:, kind], axis=1)
            product *= whole_power(transform, many)
            largest *= (np.abs(transform) + TRANSFORMED) ** many
        sizes = np.abs(product)
        off = 2 / length * (np.maximum(largest - sizes, 0.0) + ROUNDED * sizes).sum(axis=1)
        here = slice(first * apart, (first + some) * apart)
        group = np.repeat(np.arange(len(tilted)), apart)[: len(totals[here])]
        size = np.exp(np.minimum(scales[group] - each[here] * totals[here] - theta * rest[here], 600.0))
        values[here] = size * irfft(product, length, axis=1)[group, totals[here] % length]
        noise[here] = size * off[group]
    # what the whole ring confuses is known to be next to nothing before it is tilted
    alike = confused(length)
    noise += np.where(alike > 0, math.inf, 0.0 if length == N else np.exp(np.minimum(alike, 0.0)))
    return np.maximum(values, 0.0), noise


def _rows(factors: NoiseFactors, theta: float, length: int) -> Callable[[Floats], tuple[Floats, Floats]]:
    """A function of tilts: (G, K, M) all factors around the ring, each of sum one, and the logarithms of what their
    products were.
    """
    logs = np.log(np.maximum(factors.masses, 1e-300)) - theta * factors.exponents
    last = (factors.masses > 0).sum(axis=1) - 1
    looked = (1 + np.linspace(0, 1, LOOKED_AT) * np.maximum(last - 2, 0)[:, None]).astype(np.int64)
    kinds = np.arange(len(logs))
    seen, moved = logs[kinds[:, None], looked], factors.moves[kinds[:, None], looked]

    def rows(tilts: Floats) -> tuple[Floats, Floats]:
        weights = seen + tilts[:, None, None] * moved
        enough = weights >= weights.max(axis=2, keepdims=True) - LEFT_OUT
        begin = np.maximum(looked[kinds, np.maximum(enough.argmax(axis=2) - 1, 0)], 1)
        end = looked[kinds, np.minimum(LOOKED_AT - enough[:, :, ::-1].argmax(axis=2), LOOKED_AT - 1)]
        end = np.minimum(end + 1, last)
        columns = begin[:, :, None] + np.arange(max(int((end - begin).max()), 0))
        there = columns < end[:, :, None]
        # the two ends of a count are weights of their own
        ends = np.broadcast_to(np.stack([np.zeros_like(last), last], axis=1), (*begin.shape, 2))
        columns = np.concatenate([ends, np.where(there, columns, 0)], axis=2)
        there = np.concatenate([(ends > 0) | np.array([True, False]), there], axis=2)
        moves = factors.moves[kinds[:, None], columns]
        values = np.where(there, logs[kinds[:, None], columns] + tilts[:, None, None] * moves, -np.inf)
        most = values.max(axis=2, keepdims=True)
        row = np.arange(begin.size).reshape(*begin.shape, 1)
        flat, each = (row * length + moves % length).ravel(), np.exp(values - most).ravel()
        found = np.bincount(flat, each, begin.size * length).reshape(*begin.shape, length)
        total = found.sum(axis=2, keepdims=True)
        return found / total, (most + np.log(total))[:, :, 0] @ factors.multiplicity

    return rows
