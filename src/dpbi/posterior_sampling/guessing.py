r"""Le Cam's bound on the error of guessing the data from draws (Lemma 18), and the least error itself.

Law number k is that of the draws under dataset number k of a list. A guess j costs the distance between the two.
Both quantities are linear programs. Doubles propose the solutions of a program and of its dual; their values, computed
in the arithmetic that is current, enclose the truth.
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scipy.optimize import linprog

from ..arithmetic import approximate, between, largest, minimum, number, plain, smallest
from .families import Family, posterior
from .finite import Finite
from .samples import MOST_COUNTS, counts_law, number_of_counts

Distances = Sequence[Sequence[Any]]
"""What a guess costs: a row for each dataset, with its distance to every other."""


class LeCam(NamedTuple):
    """What every guess of the data errs by: at least the bound of Lemma 18, and the best one the risk."""

    bound: float
    risk: float


def le_cam(family: Family, prior: Finite, datasets: Sequence[Any], size: int = 1) -> LeCam:
    r"""Lemma 18 for the posteriors of the datasets of a list, beside the exact minimax risk of guessing one of them.

    The sets \(\mathcal S_1\) and \(\mathcal S_2\) are an initial and a final segment of the list, the best ones: so
    the list is best in an order in which neighbours are near.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> found = le_cam(bernoulli(), uniform([0.2, 0.4, 0.6, 0.8]), [[0, 0], [1, 0], [1, 1]])
    >>> round(found.bound, 6), round(found.risk, 6)
    (0.333333, 0.478261)
    """
    if len(datasets) < 2:
        raise ValueError(f"datasets must have at least two entries, got {len(datasets)}")
    if not isinstance(prior, Finite):
        raise TypeError(f"prior must be a Finite law, or its draws have no linear program, got {type(prior).__name__}")
    if number_of_counts(len(prior.weights), size) * len(datasets) > MOST_COUNTS:
        raise ValueError(f"size must leave at most {MOST_COUNTS} counts of draws and guesses, got size={size}")
    laws = [counts_law(posterior(family, prior, data), size) for data in datasets]
    distances = [[family.distance(x, y) for y in datasets] for x in datasets]
    return LeCam(le_cam_bound(laws, distances), minimax_risk(laws, distances))


def minimax_risk(laws: Sequence[Finite], distances: Distances | None = None) -> float:
    r"""The least worst mean cost of the rules that guess a dataset from the draws, whatever the dataset.

    Without distances guess j costs \(|j - k|\), k the number of the dataset.

    A rule bounds it from above; a prior on k bounds it from below, by the Bayes risk.
    """
    rows, proposed = _weights(laws)
    costs = _in_order(len(rows)) if distances is None else distances
    near = [[float(cost) for cost in row] for row in costs]
    data, draws = range(len(rows)), range(len(rows[0]))
    found: Any = linprog(
        [0.0] * (len(draws) * len(data)) + [1.0],
        A_ub=[[*(proposed[k][i] * near[k][j] for i in draws for j in data), -1.0] for k in data],
        b_ub=[0.0] * len(data),
        A_eq=[[float(row == i) for i in draws for _ in data] + [0.0] for row in draws],
        b_eq=[1.0] * len(draws),
    )
    rule = [_normalised(found.x[i * len(data) : (i + 1) * len(data)]) for i in draws]
    prior = _normalised(-found.ineqlin.marginals)
    above = largest([sum(rule[i][j] * rows[k][i] * costs[k][j] for i in draws for j in data) for k in data])
    below = sum(smallest([sum(prior[k] * rows[k][i] * costs[k][j] for k in data) for j in data]) for i in draws)
    return plain(between(below, above))


def le_cam_bound(laws: Sequence[Finite], distances: Distances | None = None) -> float:
    r"""\(\max \delta \int \min(d\xi_1, d\xi_2)\) over an initial and a final segment of the data, \(2\delta\) apart.

    \(\xi_1\) and \(\xi_2\) are mixtures of the laws of either segment.
    """
    rows, proposed = _weights(laws)
    costs = _in_order(len(rows)) if distances is None else distances
    bounds = [number(0)]
    for a, b in itertools.combinations(range(len(rows)), 2):
        apart = smallest([costs[i][j] for i in range(a + 1) for j in range(b, len(rows))])
        if apart > 0:
            bounds.append(apart / 2 * _overlap(rows[: a + 1], rows[b:], proposed[: a + 1], proposed[b:]))
    return plain(largest(bounds))


def _in_order(count: int) -> Distances:
    """The distances of datasets that are told by how many ones they have."""
    return [[number(abs(j - k)) for j in range(count)] for k in range(count)]


def _overlap(first: Any, last: Any, near: Any, far: Any) -> Any:
    r"""\(\max \int \min(d\xi_1, d\xi_2)\) over mixtures of the first laws and of the last ones.

    Two mixtures bound it from below; a test, the share of each draw that it leaves to the first, from above.
    """
    draws, sizes = range(len(first[0])), (len(first), len(last))
    unit = [[float(row == i) for row in draws] for i in draws]
    found: Any = linprog(
        [-1.0] * len(draws) + [0.0] * sum(sizes),
        A_ub=[
            *(unit[i] + [-law[i] for law in near] + [0.0] * sizes[1] for i in draws),
            *(unit[i] + [0.0] * sizes[0] + [-law[i] for law in far] for i in draws),
        ],
        b_ub=[0.0] * (2 * len(draws)),
        A_eq=[
            [0.0] * len(draws) + [1.0] * sizes[0] + [0.0] * sizes[1],
            [0.0] * len(draws) + [0.0] * sizes[0] + [1.0] * sizes[1],
        ],
        b_eq=[1.0, 1.0],
    )
    mixed, split = found.x[len(draws) :], -found.ineqlin.marginals
    one, two = _normalised(mixed[: sizes[0]]), _normalised(mixed[sizes[0] :])
    below = sum(minimum(_mixed(one, [law[i] for law in first]), _mixed(two, [law[i] for law in last])) for i in draws)
    test = [_normalised((split[i], split[len(draws) + i]))[0] for i in draws]
    rest = [1 - share for share in test]
    above = largest([_mixed(test, law) for law in first]) + largest([_mixed(rest, law) for law in last])
    return between(below, above)


def _weights(laws: Sequence[Finite]) -> tuple[list[list[Any]], list[list[float]]]:
    """The weights of the laws, and the doubles nearest to them."""
    return [law.weights.tolist() for law in laws], [approximate(law.weights).tolist() for law in laws]


def _mixed(weights: Sequence[Any], values: Sequence[Any]) -> Any:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _normalised(values: Iterable[float]) -> list[Any]:
    """Weights that add up to one, exactly, from doubles that nearly do."""
    kept = [number(max(float(value), 0.0)) for value in values]
    total = sum(kept)
    return [value / total for value in kept]
