r"""Le Cam's bound on the error of guessing the data from a draw (Lemma 18), and the least error itself.

Law number k is that of one draw when k of the records are ones. A guess j costs \(|j - k|\). Both quantities are linear
programs. Doubles propose the solutions of a program and of its dual; their values, computed in the arithmetic that is
current, enclose the truth.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from scipy.optimize import linprog

from ..arithmetic import approximate, between, largest, minimum, number, plain, smallest
from .finite import Finite


def minimax_risk(laws: Sequence[Finite]) -> float:
    r"""The least worst mean of \(|j - k|\) over the rules that guess j from one draw, whatever k.

    A rule bounds it from above; a prior on k bounds it from below, by the Bayes risk.
    """
    rows, proposed = _weights(laws)
    data, draws = range(len(rows)), range(len(rows[0]))
    found: Any = linprog(
        [0.0] * (len(draws) * len(data)) + [1.0],
        A_ub=[[*(proposed[k][i] * abs(j - k) for i in draws for j in data), -1.0] for k in data],
        b_ub=[0.0] * len(data),
        A_eq=[[float(row == i) for i in draws for _ in data] + [0.0] for row in draws],
        b_eq=[1.0] * len(draws),
    )
    rule = [_normalised(found.x[i * len(data) : (i + 1) * len(data)]) for i in draws]
    prior = _normalised(-found.ineqlin.marginals)
    above = largest([sum(rule[i][j] * rows[k][i] * abs(j - k) for i in draws for j in data) for k in data])
    below = sum(smallest([sum(prior[k] * rows[k][i] * abs(j - k) for k in data) for j in data]) for i in draws)
    return plain(between(below, above))


def le_cam_bound(laws: Sequence[Finite]) -> float:
    r"""\(\max \delta \int \min(d\xi_1, d\xi_2)\) over an initial and a final segment of the data, \(2\delta\) apart.

    \(\xi_1\) and \(\xi_2\) are mixtures of the laws of either segment.
    """
    rows, proposed = _weights(laws)
    pairs = [(a, b) for a in range(len(rows)) for b in range(a + 1, len(rows))]
    bounds = [number(b - a) / 2 * _overlap(rows[: a + 1], rows[b:], proposed[: a + 1], proposed[b:]) for a, b in pairs]
    return plain(largest(bounds))


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
