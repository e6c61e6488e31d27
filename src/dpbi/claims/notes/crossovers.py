r"""Where LSHist overtakes EHD with the printed sensitivity in truth, to compare with the sizes that Corollaries 4.5.1 to 4.5.3 of the notes claim.

Two categories of one prior weight, EHD with the printed sensitivity G. In the balanced dataset (m, m), with k < m steps
inside t on either side and \(H_j\) the distance of j steps,
\[ \Pr[\mathrm{LSHist}] = 1 - \tfrac12 \bigl(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}\bigr), \qquad
   \Pr[\mathrm{EHD}] = \frac{1 + 2\sum_{j \le k} w_j}{1 + 2\sum_{j \le m} w_j}, \quad
   w_j = e^{-\varepsilon H_j / (2G)} . \]
The first does not depend on m. The second is below \((2k+1)\, e^{\varepsilon/(2G)} / (n+1)\), so that LSHist
is ahead for every n beyond some number. The sizes up to it are tried one by one.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...accuracy.two_categories import TIE_TOLERANCE
from ...checks import Floats, Integers
from ...mechanisms import all_laws, lshist
from ...model.datasets import count_vectors
from ...model.distances import hellinger, lattice_distances
from ...model.sensitivities import local_sensitivity
from ..quantities import floor_within
from .corollaries import good_size, printed_rate


class Overtaking(NamedTuple):
    """Even numbers of records, at least 2k + 2, in arrays of the shape (len(epsilons), len(steps))."""

    first: Integers
    """The least number at which LSHist is more accurate."""
    always: Integers
    """The least number from which on LSHist is more accurate at every number."""


def overtaking(weight: float, epsilons: Sequence[float], steps: Sequence[int]) -> Overtaking:
    """When LSHist overtakes EHD in balanced data; up to 2k records all candidates are inside, and neither is ahead."""
    ks, rates = np.array(steps), np.array([float(printed_rate(epsilon)) for epsilon in epsilons])
    noise = np.array([[floor_within(epsilon, k) for k in steps] for epsilon in epsilons])
    decided = (2 * ks + 1) * np.exp(rates)[:, None] / noise  # from this n on the upper bound on EHD is below LSHist
    last = np.maximum(decided.max(axis=1) // 2, ks.max() + 1).astype(int)  # the last m to try
    first = np.full(noise.shape, 2 * last.max() + 2)
    behind = np.tile(2 * ks, (len(rates), 1))
    for m in range(1, int(last.max()) + 1):
        rows = np.flatnonzero(last >= m)
        j = np.arange(1, m + 1)  # steps, from the posterior of (m, m)
        distances = hellinger(np.full(2, weight + m), weight + np.stack([m + j, m - j], axis=1))
        weights = 1 + 2 * np.cumsum(np.exp(-np.outer(rates[rows], distances)), axis=1)
        inside = np.column_stack([np.ones(len(rows)), weights])[:, np.minimum(ks, m)]
        ahead = noise[rows] > inside / weights[:, -1:]
        first[rows] = np.where((ks < m) & ahead, np.minimum(first[rows], 2 * m), first[rows])
        behind[rows] = np.where((ks < m) & ~ahead, 2 * m, behind[rows])
    return Overtaking(np.minimum(first, behind + 2), behind + 2)


def good_set_sizes(weight: float, epsilons: Sequence[float]) -> Floats:
    r"""The least n from which on LSHist is in \(R_g\) more probably than EHD at every dataset; weight at least 1.

    Then \(R_g\) has at most three members and the size in the proof of Corollary 4.5.3 ends the search.
    """
    if not weight >= 1:
        raise ValueError(f"weight must be at least 1, got weight={weight}")
    searched = [math.floor(good_size(epsilon)) for epsilon in epsilons]
    last = np.zeros(len(epsilons))  # the last n at which EHD is at least as good somewhere
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
