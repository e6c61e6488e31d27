r"""Quantities that several statements of the paper share, over any numbers, and the settings of its experiments."""

import numpy as np

from ...accuracy import closer_than
from ...arithmetic import exp, largest, less, log, number, numbers
from ...checks import need
from ...mechanisms import Mechanism, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, exponential_smooth_sensitivity, local_sensitivity
from ..quantities import distances, pure_bound

FLAT, FLAT3 = (1, 1), (1, 1, 1)

EPSILON, DELTA = 0.8, 1e-8
"""The settings of the experiments."""


def smoothness(epsilon, delta, n):
    r"""\(\gamma = \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)\), as printed."""
    return log(1 - epsilon / (2 * log(delta / (2 * (n + 1)))))


def smooth(prior, counts, epsilon, delta):
    r"""\(S(x) = \max_{x'} LS(x')\, e^{-\gamma\, d(x, x')}\) with the printed \(\gamma\), as the library computes it."""
    return exponential_smooth_sensitivity(prior, counts, smoothness(epsilon, delta, sum(counts)))


def listed_smooth(prior, counts, epsilon, delta):
    """S(x) by its definition: the maximum over a list of all datasets."""
    n = sum(counts)
    datasets = count_vectors(int(n), len(counts))
    replaced = np.abs(datasets - np.array([int(c) for c in counts])).sum(axis=1) // 2
    return largest(local_sensitivity(prior, datasets) * exp(numbers(replaced) * -smoothness(epsilon, delta, n)))


def smoothed_bound(prior, n, epsilon, delta):
    r"""\(\max (2 + \Delta(1 - 2S'))\) over neighbours, \(\Delta = 1/S' - 1/S \ge 0\); proved at ``pure_bound``."""
    gamma = smoothness(epsilon, delta, n)
    return pure_bound(prior, n, lambda datasets: exponential_smooth_sensitivity(prior, datasets, gamma))


def defined(divisor=2) -> Mechanism:
    r"""\(\mathcal M_{\mathcal H}\) at the \(\varepsilon\) and \(\delta\) of the experiments."""
    return smoothed_hellinger(number(EPSILON), number(DELTA), divisor)


def distance(prior, counts, output):
    """The Hellinger distance between the posteriors of two datasets."""
    return distances(prior, counts, [output])[0]


def probability_of(mechanism: Mechanism, prior, counts, output):
    """The probability of one output."""
    law = mechanism.law(prior, counts)
    return exp(law.log_probabilities[law.outputs.tolist().index([int(c) for c in output])])


def probability_of_distance(mechanism: Mechanism, prior, counts, t):
    """The probability that H equals t. Over balls a tie of t with a candidate's distance is refused as undecided."""
    law = mechanism.law(prior, counts)
    errors = distances(prior, counts, law.outputs)
    return sum(exp(law.log_probabilities[~less(errors, t) & ~less(t, errors)]))


def probability_at_distance(mechanism: Mechanism, prior, counts, output):
    """The probability of all outputs that are exactly as far from the truth as one of them."""
    candidate = len(output) == len(counts) and sum(output) == sum(counts) and min(output) >= 0
    need(candidate, f"output must be a dataset of as many records and categories as {counts}, got {output}")
    as_near = closer_than(mechanism, prior, counts, output, ties=True)
    return as_near - closer_than(mechanism, prior, counts, output)


def noise_mass(epsilon, move):
    r"""\(\Pr[\lfloor Y \rfloor = m]\) for \(Y \sim \mathrm{Lap}(2/\varepsilon)\): a move that reaches neither 0 nor n."""
    middle = abs(int(move)) + 1
    output = (middle + int(move), middle - int(move))
    return probability_of(laplace_in_order(epsilon), FLAT, (middle, middle), output)


def towards_zero(epsilon, move: int):
    r"""The probability of a move under Laplace noise truncated towards zero.

    A move d < 0 has the mass that rounding down gives d - 1, and 0 has the mass of 0 and of -1.
    """
    if move == 0:
        return noise_mass(epsilon, 0) + noise_mass(epsilon, -1)
    return noise_mass(epsilon, move if move > 0 else move - 1)
