r"""Quantities that several sources use and the library does not provide, in doubles or in ball arithmetic.

These quantities are printed constants, maxima over all datasets that occur in bounds, and probabilities under Laplace
noise in the form in which the sources write them.
"""

import numpy as np

from ..accuracy import steps_within
from ..arithmetic import exp, integral, largest, maximum, minimum, number, numbers, pi, sqrt
from ..model import count_distances, count_vectors, local_sensitivity, moves
from ..model.distances import distance, gamma_gap

# Datasets, distances and sensitivities


def balanced(n: int) -> tuple[int, int]:
    """The balanced dataset of n records in two categories; if n is odd, the first count is the smaller one."""
    return (n // 2, n - n // 2)


def distances(prior, counts, others):
    """Hellinger distances from the posterior of one dataset to the posteriors of other datasets, one dataset per
    row."""
    return count_distances(numbers(prior), np.array([int(count) for count in counts]), np.asarray(others, dtype=int))


def printed_sensitivity():
    r"""The printed value of the global sensitivity, \(G = \sqrt{1 - \pi/4}\)."""
    return sqrt(1 - pi() / 4)


def printed_rate(epsilon):
    r"""Rate \(\varepsilon / (2G)\) of EHD's weights for the printed sensitivity G."""
    return epsilon / (2 * printed_sensitivity())


def farthest_move(*moves):
    r"""Largest Hellinger distance over the given moves of a record: \(\sqrt{1 - \min g(y)\,g(z)}\), where each move is
    a pair (y, z).

    Here \(g = e^{-u}\) with \(u(z) = \frac12\ln z + \ln\Gamma(z) - \ln\Gamma(z+\frac12)\).
    """
    return distance(largest([sum(gamma_gap(z, z + 1, number(0.5)) for z in pair) for pair in moves]))


def local_jump(prior, n):
    r"""Largest difference \(\max_{x \sim x'} |1/LS(x) - 1/LS(x')|\) between neighbours, found by listing all
    datasets."""
    found = 1 / local_sensitivity(prior, count_vectors(int(n), len(prior)))
    start, end = moves(int(n), len(prior))
    return largest(abs(found[start] - found[end]))


# Privacy losses


def pure_bound(prior, n, sensitivity):
    r"""Largest value of \(2 + \Delta (1 - 2 S')\) over neighbouring datasets with sensitivities \(S' \le S\), where
    \(\Delta = 1/S' - 1/S\).

    This maximum bounds the privacy loss, per unit of \(\lambda\), of a mechanism that releases r with the weight
    \(e^{-\lambda H(x, r) / S(x)}\). Let \(D(r) = H(x', r)/S' - H(x, r)/S\) and \(a = H(x, x') \le S'\). From \(|H(x',
    r) - H(x, r)| \le a\) and \(0 \le H \le 1\),
    \[ -\frac aS \le D(r) \le \Delta + \frac aS , \qquad
       \max D - \min D \le \Delta + \frac{2a}{S} \le \Delta + \frac{2S'}{S} = 2 + \Delta(1 - 2S') . \]
    So the loss is at most \(\lambda(\max D - \min D)\). The exponent contributes \(\lambda D(r)\) to the loss. The
    ratio of the normalising constants is an average of \(e^{-\lambda D}\) and contributes at most \(-\lambda \min D\).
    """
    n, k = int(n), len(prior)
    found, (start, end) = sensitivity(count_vectors(n, k)), moves(n, k)
    smaller, larger = minimum(found[start], found[end]), maximum(found[start], found[end])
    return largest(2 + (1 / smaller - 1 / larger) * (1 - 2 * smaller))


# Probabilities


def floor_within(rate, k):
    r"""Probability that Laplace noise is at most k in absolute value after it is rounded down.

    For \(Y \sim \mathrm{Lap}(0, 1/\text{rate})\) this probability is \(\Pr[-k \le \lfloor Y \rfloor \le k] = 1 -
    \frac12(e^{-k\,\text{rate}} + e^{-(k+1)\,\text{rate}})\).
    """
    return 1 - (exp(-k * rate) + exp(-(k + 1) * rate)) / 2


def laplace_mass(rate, end):
    r"""Probability \(\Pr[0 \le Y < \text{end}]\) for \(Y \sim \mathrm{Lap}(0, 1/\text{rate})\), computed as an
    integral of the density."""
    return integral(lambda y: rate * exp(-rate * y) / 2, 0, end)


def floored_laplace_below(prior, counts, rate, t):
    r"""Probability \(\Pr[H < t]\) if the Laplace noise is rounded down and the noisy count is clamped to 0..n.

    The noise satisfies \(\Pr[|Y| \ge j] = e^{-\text{rate}\,j}\). Before clamping, the error is below t if and only if
    \(-k_- \le \lfloor Y \rfloor \le k_+\). If the steps on one side reach 0 or n, clamping moves every count beyond
    this end to the end itself, so that the tail on this side does not contribute:
    \[ 1 - \tfrac12 e^{-k_-\,\text{rate}}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\,\text{rate}}\,[x + k_+ < n] . \]
    """
    down, up = steps_within(prior, counts, t)
    # clamping removes the tail on a side on which the steps reach an end of 0..n
    low = exp(-down * rate) / 2 if counts[0] > down else 0
    high = exp(-(up + 1) * rate) / 2 if counts[1] > up else 0
    return 1 - low - high
