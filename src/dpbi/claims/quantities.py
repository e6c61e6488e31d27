r"""Quantities that several sources speak of and the library has no name for, over any numbers.

Those of the library are imported from it; here are the constants that are printed, maxima over all datasets that a
bound is made of, and probabilities under Laplace noise as the sources write them.
"""

import numpy as np

from ..accuracy import steps_within
from ..arithmetic import exp, integral, largest, maximum, minimum, number, numbers, pi, sqrt
from ..model import count_distances, count_vectors, local_sensitivity, moves
from ..model.distances import distance, gamma_gap

# Datasets, distances and sensitivities


def balanced(n: int) -> tuple[int, int]:
    """The balanced dataset of n records, or the nearest below it."""
    return (n // 2, n - n // 2)


def distances(prior, counts, others):
    """Hellinger distances from the posterior of one dataset to those of others, one per row."""
    return count_distances(numbers(prior), np.array([int(count) for count in counts]), np.asarray(others, dtype=int))


def printed_sensitivity():
    r"""\(G = \sqrt{1 - \pi/4}\), the global sensitivity as printed."""
    return sqrt(1 - pi() / 4)


def farthest_move(*moves):
    r"""\(\sqrt{1 - \min g(y)\,g(z)}\) over pairs (y, z), with \(g = e^{-u}\), \(u(z) = \frac12\ln z + \ln\Gamma(z) - \ln\Gamma(z+\frac12)\)."""
    return distance(largest([sum(gamma_gap(z, z + 1, number(0.5)) for z in pair) for pair in moves]))


def local_jump(prior, n):
    r"""\(\max_{x \sim x'} |1/LS(x) - 1/LS(x')|\), by listing all datasets."""
    found = 1 / local_sensitivity(prior, count_vectors(int(n), len(prior)))
    start, end = moves(int(n), len(prior))
    return largest(abs(found[start] - found[end]))


# Privacy losses


def pure_bound(prior, n, sensitivity):
    r"""\(\max (2 + \Delta (1 - 2 S'))\) over neighbours with \(S' \le S\) and \(\Delta = 1/S' - 1/S\).

    Let \(D(r) = H(x', r)/S' - H(x, r)/S\) and \(a = H(x, x') \le S'\). From \(|H(x', r) - H(x, r)| \le a\) and
    \(0 \le H \le 1\),
    \[ -\frac aS \le D(r) \le \Delta + \frac aS , \qquad
       \max D - \min D \le \Delta + \frac{2a}{S} \le \Delta + \frac{2S'}{S} = 2 + \Delta(1 - 2S') . \]
    The weights \(e^{-\lambda H / S}\) then lose at most \(\lambda(\max D - \min D)\): one part is the exponent
    itself, the other the ratio of the normalisers, an average of \(e^{-\lambda D}\).
    """
    n, k = int(n), len(prior)
    found, (start, end) = sensitivity(count_vectors(n, k)), moves(n, k)
    smaller, larger = minimum(found[start], found[end]), maximum(found[start], found[end])
    return largest(2 + (1 / smaller - 1 / larger) * (1 - 2 * smaller))


# Probabilities


def floor_within(rate, k):
    r"""\(\Pr[-k \le \lfloor Y \rfloor \le k] = 1 - \frac12(e^{-k\,\text{rate}} + e^{-(k+1)\,\text{rate}})\) for \(Y \sim \mathrm{Lap}(0, 1/\text{rate})\)."""
    return 1 - (exp(-k * rate) + exp(-(k + 1) * rate)) / 2


def laplace_mass(rate, low, high):
    r"""\(\Pr[\text{low} \le Y < \text{high}]\) for \(Y \sim \mathrm{Lap}(0, 1/\text{rate})\), by integrating the density."""

    def half(end):  # the mass between 0 and a positive end
        return integral(lambda y: rate * exp(-rate * y) / 2, 0, end)

    return (half(high) if high > 0 else -half(-high)) - (half(low) if low > 0 else -half(-low))


def floored_laplace_below(prior, counts, rate, t):
    r"""\(\Pr[H < t]\) for floored Laplace noise with \(\Pr[|Y| \ge j] = e^{-\text{rate}\,j}\), kept within 0..n.

    The error is below t exactly when \(-k_- \le \lfloor Y \rfloor \le k_+\). A side that reaches 0 or n loses nothing,
    the noise beyond being cut back to the end:
    \[ 1 - \tfrac12 e^{-k_-\,\text{rate}}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\,\text{rate}}\,[x + k_+ < n] . \]
    """
    down, up = steps_within(prior, counts, t)
    x, n = counts[0], sum(counts)
    low = exp(-down * rate) / 2 if x > down else 0
    high = exp(-(up + 1) * rate) / 2 if x + up < n else 0
    return 1 - low - high
