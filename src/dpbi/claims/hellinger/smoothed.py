r"""Section 4.2: the smooth sensitivity, the mechanism \(\mathcal M_{\mathcal H}\) of Definition 4.1, and its privacy."""

import math
from typing import Any

from ...arithmetic import exp, largest, maximum, number, numbers
from ...model import count_vectors, exponential_smooth_sensitivity, local_sensitivity, moves, neighbours
from ..claim import REFUTED, Condition, grid
from ..premises import Wholes, premises
from .quantities import smoothness
from .source import DELTA, EPSILON, FLAT, FLAT3, PAPER, SMOOTH_LOSSES, SMOOTHED


def _largest_ratio(sensitivities: Any, n: Any, k: int) -> Any:
    """The largest ratio between neighbours, from the sensitivities at all datasets in the order of ``count_vectors``."""
    return largest([largest(sensitivities[end] / sensitivities[start]) for start, end in moves(int(n), k)])


@PAPER.item(
    "definition-4.1",
    "Definition 4.1, equation (1)",
    relation="<=",
    cases=[
        *grid(prior=[FLAT, (0.01, 5)], n=[2, 20], epsilon=[EPSILON], delta=[DELTA, 1e-2]),
        {"prior": FLAT3, "n": 6, "epsilon": EPSILON, "delta": DELTA},
    ],
    calls=exponential_smooth_sensitivity,
    page=SMOOTHED,
)
def smooth_ratio(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """The largest ratio of the smooth sensitivities of neighbours."""
    datasets = count_vectors(int(n), len(prior))
    smooth = exponential_smooth_sensitivity(prior, datasets, smoothness(epsilon, delta, n))
    return _largest_ratio(smooth, n, len(prior))


@smooth_ratio.said(
    r"S(x) \le e^{\gamma} S(x') \ \text{ for neighbours, } \quad S(x) = \max_{x'} LS(x')\, e^{-\gamma d(x, x')}",
    tight={"prior": FLAT, "n": 20, "epsilon": EPSILON, "delta": DELTA},
    corrects="hellinger/4.2-adjacent",
    proof=True,
    premises=SMOOTH_LOSSES,
)
def smooth_bound(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""For every dataset z one has \(d(x', z) \le d(x, z) + 1\), so each term of the maximum changes by a factor of at
    most \(e^{\gamma}\). The definition writes both \(\beta\) and \(\gamma\) for this number.
    """
    return exp(smoothness(epsilon, delta, n))


@PAPER.item(
    "4.2-adjacent",
    "Section 4.2.1, Dirichlet system",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[3, 20], epsilon=[EPSILON], delta=[DELTA]),
        *grid(prior=[FLAT3], n=[2, 6], epsilon=[EPSILON], delta=[DELTA]),
    ],
    calls=local_sensitivity,
    page=SMOOTHED,
)
def nearby_ratio(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """The largest ratio for neighbours, of a sensitivity that looks at neighbours only."""
    decay, found = exp(-smoothness(epsilon, delta, n)), []
    for x in count_vectors(int(n), len(prior)):
        around = largest(local_sensitivity(prior, neighbours(x)))
        found.append(maximum(local_sensitivity(prior, x), around * decay))
    return _largest_ratio(numbers(found), n, len(prior))


@nearby_ratio.said(
    r"S(x) \le e^{\gamma} S(x') \text{ for neighbours, when } S(x) = \max_{x' \text{ adjacent to } x} LS(x')\, e^{-\gamma d(x, x')}",
    expected=REFUTED,
)
def smooth_adjacent(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """A maximum over neighbours only does not see a large local sensitivity that is two steps away. Taken over all
    datasets the claim holds: ``hellinger/definition-4.1``.
    """
    return exp(smoothness(epsilon, delta, n))


@PAPER.item(
    "4.2-candidates",
    "Section 4.2.1",
    cases=[{"n": 8, "m": 2}, {"n": 1, "m": 3}, {"n": 60, "m": 3}, {"n": 5, "m": 4}],
    calls=count_vectors,
    page=SMOOTHED,
)
def candidates_of_many(n: Any, m: Any) -> Any:
    """How many candidates there are for m categories."""
    return number(len(count_vectors(int(n), int(m))))


@candidates_of_many.said(
    r"|\mathcal R_{post}| = \binom{n+1}{m-1} \ \text{ for } m \text{ categories}",
    condition=Condition(r"\(m = 2\)", lambda n, m: m == 2),
    proof=True,
    premises=premises(n=Wholes(1, 60), m=Wholes(2, 4)),
)
def many_candidates(n: Any, m: Any) -> Any:
    r"""For m = 2 both are n + 1. At m = 3, n = 60 the formula has 1830 where there are 1891, the number that Table 2 was
    computed with.
    """
    return number(math.comb(int(n) + 1, int(m) - 1))


@candidates_of_many.instead(
    r"|\mathcal R_{post}| = \binom{n+m-1}{m-1}", premises=premises(n=Wholes(0, 40), m=Wholes(2, 5)), proof=True
)
def many_candidates_corrected(n: Any, m: Any) -> Any:
    """Stars and bars: n records and m - 1 bars between the categories, in any order."""
    return number(math.comb(int(n + m) - 1, int(m) - 1))
