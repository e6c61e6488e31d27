r"""Le Cam's bound and the least error for laws of several numbers (Lemma 18).

Where all laws of a list have one column in common (``columns``), the draws tell what draws of that number tell. Of two
laws the best rules are thresholds of the log ratio, whose law is known between two others (``many_draws``). Else pairs
have to do. With \(O_{ij} = \int \min(p_i, p_j)\) and \(B_{ij} = \int\sqrt{p_i p_j}\) of the draws, \(\rho_{ij}\) the
distances, and S and T the segments of Lemma 18,

\[ \max_{S \times T} O_{ij} \le \max \int \min(d\xi_1, d\xi_2) \le \|(B_{ij})_{S \times T}\| , \qquad
   \tfrac12 \max_{ij} \rho_{ij} O_{ij} \le \text{risk} \le \max_k \sum_j \rho_{kj} O_{kj} , \]

the norm being the largest singular value. *Proof.* A pair is a pair of mixtures. With weights \(a_i\) and \(b_j\)

\[ \min\Bigl(\sum_i a_i p_i, \sum_j b_j p_j\Bigr) \le \sum_{ij} \min(a_i p_i, b_j p_j)
   \le \sum_{ij} \sqrt{a_i b_j}\sqrt{p_i p_j} , \]

and the square roots of weights are unit vectors. A guess g costs \(\rho_{gi} + \rho_{gj} \ge \rho_{ij}\) for i and j
together. The guess of the greatest density is j instead of k where \(p_k \le p_j\), with probability \(O_{kj}\) at
most. And the risk is at most \(\min_g \max_k \rho_{gk}\), without a draw.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arithmetic import approximate, in_doubles, largest, log, maximum, minimum, number, plain, smallest
from ..checks import Numbers
from .columns import columns
from .experiments import StatisticalExperiment, experiment
from .interval_laws import Beta
from .joint_pairs import JointPair
from .many_draws import ROUNDING, Enclosure, ManyDraws


def joint_experiment(laws: Sequence[Any], size: int) -> StatisticalExperiment | None:
    """The experiment of the one number that tells the laws apart, None if there are more or it is not known."""
    found = columns(laws)
    if found is None or len(found) > 1:
        return None
    return experiment(found[0] if found else [Beta(1, 1)] * len(laws), size)


def bound_and_risk(laws: Sequence[Any], costs: Numbers, size: int) -> tuple[Enclosure, Enclosure]:
    """Both, from the pairs of laws."""
    count = len(laws)
    draws = {(i, j): ManyDraws(laws[i], laws[j], size) for i, j in itertools.combinations(range(count), 2)}
    overlaps = {two: tuple(2 * end for end in told.error) for two, told in draws.items()}
    affinities = np.eye(count)
    for (i, j), told in draws.items():
        affinities[i, j] = affinities[j, i] = float(JointPair(told.p, told.q, None).affinity(size)[1])
    lower, upper = [number(0)], [number(0)]
    for a, b in draws:
        half = smallest(costs[: a + 1, b:]) / 2
        if half > 0:
            segments = list(itertools.product(range(a + 1), range(b, count)))
            norm = float(np.linalg.norm(affinities[: a + 1, b:], 2)) * (1 + 1e-12)
            most = overlaps[a, b][1] if len(segments) == 1 else minimum(number(norm), 1)
            lower.append(half * largest([overlaps[two][0] for two in segments]))
            upper.append(half * most)
    bound = Enclosure(plain(largest(lower)), plain(largest(upper)))
    if count == 2 and draws[0, 1].by_sums and draws[0, 1].cells:
        least, most = _of_thresholds(draws[0, 1])
        return bound, Enclosure(plain(costs[0, 1] * least), plain(costs[0, 1] * most))
    pairs = [costs[two] * overlap[0] / 2 for two, overlap in overlaps.items()]
    guess = [
        sum((costs[k, j] * overlaps[min(k, j), max(k, j)][1] for j in range(count) if j != k), number(0))
        for k in range(count)
    ]
    blind = smallest(largest(costs, axis=1))
    return bound, Enclosure(plain(largest(pairs)), plain(minimum(largest(guess), blind)))


def _of_thresholds(told: ManyDraws) -> tuple[Any, Any]:
    """The least worst probability of an error between two laws, between two numbers."""
    least = _equalised(told.dominating[1], told.dominated)
    first, second = told.statistic
    held = approximate(first + second) > 0
    order = np.argsort(approximate(_ratio(first[held], second[held])), kind="stable")
    most = _equalised(first[held][order], second[held][order])
    slack = ROUNDING if in_doubles() else 0
    return maximum(least - slack, 0), minimum(most + slack, number(1) / 2)


def _ratio(first: Numbers, second: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        ratio: Numbers = log(first) - log(second)
        return ratio


def _equalised(p: Numbers, q: Numbers) -> Any:
    """The error of a threshold that errs as often under both laws, on cells in the order of their ratio."""
    missed, mistaken = np.cumsum(p), q.sum() - np.cumsum(q)
    i = int((approximate(missed) < approximate(mistaken)).sum())
    if i >= len(p):
        return missed[-1]
    before, after = missed[i] - p[i], mistaken[i] + q[i]
    share = (after - before) / (p[i] + q[i])  # of the cell, that goes to q
    return before + share * p[i]
