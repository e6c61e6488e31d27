r"""Section 4.2: the smooth sensitivity, and the candidates for many categories."""

import math
from typing import Any

from ...arithmetic import exp, largest, maximum, number, numbers
from ...model import count_vectors, exponential_smooth_sensitivity, local_sensitivity, moves, neighbours
from ..statement import at_most, equal, grid, statement
from .quantities import DELTA, EPSILON, FLAT, FLAT3, SMOOTHED, smoothness


def largest_ratio(sensitivities: Any, n: Any, k: int) -> Any:
    """The largest ratio between neighbours, from the sensitivities at all datasets in the order of ``count_vectors``."""
    return largest([largest(sensitivities[end] / sensitivities[start]) for start, end in moves(int(n), k)])


@statement(
    "hellinger/definition-4.1",
    "Definition 4.1, equation (1)",
    says=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where $S(x) = \max_{x'} LS(x')\, e^{-\gamma d(x, x')}$",
    cases=[
        *grid(prior=[FLAT, (0.01, 5)], n=[2, 20], epsilon=[EPSILON], delta=[DELTA, 1e-2]),
        {"prior": FLAT3, "n": 6, "epsilon": EPSILON, "delta": DELTA},
    ],
    page=SMOOTHED,
)
def smooth_all(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The definition writes both \(\beta\) and \(\gamma\) for this number.

    Proof: for every dataset z one has \(d(x', z) \le d(x, z) + 1\), so each term of the maximum changes by a factor of
    at most \(e^{\gamma}\).
    """
    gamma = smoothness(epsilon, delta, n)
    found = exponential_smooth_sensitivity(prior, count_vectors(int(n), len(prior)), gamma)
    return largest_ratio(found, n, len(prior)), at_most(exp(gamma))


@statement(
    "hellinger/4.2-adjacent",
    "Section 4.2.1, Dirichlet system",
    says=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where $S(x) = \max_{x' \text{ adjacent to } x} LS(x')\, e^{-\gamma d(x, x')}$",
    holds=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where the maximum is over all datasets $x'$",
    why="a maximum over neighbours does not see a large local sensitivity that is two steps away",
    cases=[
        *grid(prior=[FLAT], n=[3, 20], epsilon=[EPSILON], delta=[DELTA]),
        *grid(prior=[FLAT3], n=[2, 6], epsilon=[EPSILON], delta=[DELTA]),
    ],
    page=SMOOTHED,
)
def smooth_adjacent(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """What holds is Definition 4.1."""
    gamma, found = smoothness(epsilon, delta, n), []
    for x in count_vectors(int(n), len(prior)):
        around = largest(local_sensitivity(prior, neighbours(x)))
        found.append(maximum(local_sensitivity(prior, x), around * exp(-gamma)))
    return largest_ratio(numbers(found), n, len(prior)), at_most(exp(gamma))


smooth_adjacent.instead(cases=smooth_all.cases)(smooth_all.body)


@statement(
    "hellinger/4.2-candidates",
    "Section 4.2.1",
    says=r"$|\mathcal R_{post}| = \binom{n+1}{m-1}$ for $m$ categories",
    holds=r"$|\mathcal R_{post}| = \binom{n+m-1}{m-1}$",
    why="the upper number is m - 1 more than n, not 1 more",
    only_if=("$m = 2$", lambda m: m == 2),
    cases=[{"n": 8, "m": 2}, {"n": 1, "m": 3}, {"n": 60, "m": 3}, {"n": 5, "m": 4}],
    page=SMOOTHED,
)
def many_candidates(n: Any, m: Any) -> Any:
    r"""At m = 3, n = 60 the formula has 1830 where there are 1891, the number that Table 2 was computed with.

    Proof: for m = 2 both numbers are n + 1.

    Proof of what holds: stars and bars, n records and m - 1 bars between the categories, in any order.
    """
    printed, right = math.comb(int(n) + 1, int(m) - 1), math.comb(int(n + m) - 1, int(m) - 1)
    return number(len(count_vectors(int(n), int(m)))), equal(number(printed)), equal(number(right))
