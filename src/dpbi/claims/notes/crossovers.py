r"""Exact numbers of records at which LSHist overtakes EHD, for comparison with Corollaries 4.5.1 to 4.5.3 of the notes.

There are two categories with the same prior weight, and EHD uses the printed sensitivity G. Consider the balanced
dataset (m, m) with n = 2m. Let \(H_j\) be the error after j steps, and suppose that k < m steps on either side keep the
error below t. The probabilities of an error below t are
\[ \Pr[\mathrm{LSHist}] = 1 - \tfrac12 \bigl(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}\bigr), \qquad
   \Pr[\mathrm{EHD}] = \frac{1 + 2\sum_{j \le k} w_j}{1 + 2\sum_{j \le m} w_j}, \quad
   w_j = e^{-\varepsilon H_j / (2G)} . \]
The probability for LSHist does not depend on m. The probability for EHD is below
\((2k+1)\, e^{\varepsilon/(2G)} / (n+1)\). So LSHist is more accurate for every n above some limit, and it is enough
to try each number of records up to this limit.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...accuracy.two_categories import TIE_TOLERANCE
from ...checks import Floats, Integers, need
from ...mechanisms import all_laws, lshist
from ...model import count_vectors, hellinger, lattice_distances, local_sensitivity
from ..quantities import floor_within, printed_rate
from .corollaries import good_size


class Overtaking(NamedTuple):
    """Even numbers of records at which LSHist overtakes EHD, in arrays of shape (len(epsilons), len(steps)).

    Every number is at least 2k + 2, where k is the number of steps that keep the error below t.
    """

    first: Integers
    """The least even number of records at which LSHist is more accurate than EHD."""
    always: Integers
    """The least even number such that LSHist is more accurate for this and every larger even number of records."""


def overtaking(weight: float, epsilons: Sequence[float], steps: Sequence[int]) -> Overtaking:
    """Numbers of records at which LSHist overtakes EHD in balanced data of two categories.

    With 2k records or fewer, every candidate has an error below t, and the two mechanisms are equally accurate.

    Args:
        weight: The prior weight of both categories.
        epsilons: The privacy budgets, > 0.
        steps: The numbers k of steps on either side that keep the error below t.
    """
    ks, rates = np.array(steps), np.array([float(printed_rate(epsilon)) for epsilon in epsilons])
    noise = np.array([[floor_within(epsilon, k) for k in steps] for epsilon in epsilons])
    # beyond this n, the upper bound for EHD is below the probability for LSHist
    decided = ((2 * ks + 1) * np.exp(rates)[:, None] / noise).max()
    ahead = [np.zeros(noise.shape, dtype=bool)]  # whether LSHist is ahead at n = 2m
    for m in range(1, max(int(decided) // 2, ks.max()) + 2):
        j = np.arange(m + 1)  # numbers of steps from the posterior of (m, m)
        distances = hellinger(np.full(2, weight + m), weight + np.stack([m + j, m - j], axis=1))
        # the weight of x and of the first j steps on either side
        weights = 2 * np.cumsum(np.exp(-np.outer(rates, distances)), axis=1) - 1
        ahead.append((ks < m) & (noise > weights[:, np.minimum(ks, m)] / weights[:, -1:]))
    found = np.array(ahead)
    return Overtaking(2 * found.argmax(axis=0), 2 * (len(found) - (~found[::-1]).argmax(axis=0)))


def good_set_sizes(weight: float, epsilons: Sequence[float]) -> Floats:
    r"""The least n such that LSHist is more likely than EHD to be in \(R_g\) for every dataset of n or more records.

    For a prior weight of at least 1, \(R_g\) has at most three members. Therefore the search can stop at the number of
    records that the proof of Corollary 4.5.3 gives.

    Args:
        weight: The prior weight of both categories, at least 1.
        epsilons: The privacy budgets, > 0.
    """
    need(weight >= 1, f"weight must be at least 1, got weight={weight}")
    searched = [math.floor(good_size(epsilon)) for epsilon in epsilons]
    last = np.zeros(len(epsilons))  # the last n at which EHD is at least as likely to be in R_g for some dataset
    for n in range(1, max(searched) + 1):
        prior, vectors = np.full(2, weight), count_vectors(n, 2)
        distances = lattice_distances(prior, vectors)
        good = distances <= local_sensitivity(prior, vectors)[:, None] * (1 + TIE_TOLERANCE)
        for row, epsilon in enumerate(epsilons):
            if n <= searched[row]:
                noise = (all_laws(lshist(epsilon), prior, n)[1].probabilities * good).sum(axis=1)
                weights = np.exp(-float(printed_rate(epsilon)) * distances)
                ehd = (weights * good).sum(axis=1) / weights.sum(axis=1)
                last[row] = n if np.any(noise <= ehd * (1 + TIE_TOLERANCE)) else last[row]
    return last + 1
