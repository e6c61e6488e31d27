r"""What draws cost in the families that the paper does not have: unknown means, and the multinomial.

As in ``costs``, against the largest loss between posteriors of neighbours, and a search that knows the likelihood alone.
"""

import itertools
from typing import Any

from ...arithmetic import largest, less, number
from ...posterior_sampling import (
    Family,
    Normal,
    NormalGamma,
    Tables,
    cost,
    multinomial,
    normal,
    normal_mean,
    posterior,
    privacy_loss,
    uniform,
)
from ..claim import grid
from ..premises import Reals, Wholes, premises
from .costs import COSTS, corners, filled, searched
from .source import CONJUGATE, NETWORKS, PAPER

ANYWHERE = Reals(-10, 10)


def means(low: Any, high: Any) -> Normal:
    """A normal prior of precision one about zero, on an interval."""
    return Normal(0, 1, low, high)


@PAPER.item(
    "ours-cost-mean",
    COSTS,
    cases=[
        {"low": -0.5, "high": 0.5, "precision": 1, "bound": 1, "n": 1},
        {"low": -0.5, "high": 0.5, "precision": 1, "bound": 1, "n": 3000},
        {"low": 0.2, "high": 1.5, "precision": 2, "bound": 0.5, "n": 50},
        {"low": -3, "high": -2, "precision": 0.5, "bound": 2, "n": 3},
    ],
    relation="<=",
    calls=(posterior, privacy_loss),
    page=CONJUGATE,
    premises=premises(
        "low < high",
        lambda low, high, **_: less(low, high),
        fix=lambda low, high, **_: {"low": min(low, high), "high": max(low, high) if low != high else low + 1},
        low=ANYWHERE,
        high=ANYWHERE,
        precision=Reals(0.01, 50, above=0),
        bound=Reals(0.01, 20, above=0),
        n=Wholes(1, 100),
    ),
)
def loss_of_means(low: Any, high: Any, precision: Any, bound: Any, n: Any) -> Any:
    """The largest loss when one of n records is replaced, the others all at an end of the line."""
    family, prior = normal_mean(precision, bound), means(low, high)
    losses = []
    for others in (-bound, bound):
        laws = [posterior(family, prior, [others] * (int(n) - 1) + [last]) for last in (-bound, bound)]
        losses += [privacy_loss(p, q) for p, q in (laws, laws[::-1])]
    return largest(losses)


@loss_of_means.said(
    r"N(\theta, 1/\tau),\ |x| \le B,\ c_1 \le \theta \le c_2: \quad w = 2B\tau(c_2 - c_1)",
    origin="ours",
    proof=True,
    tight={"low": -0.5, "high": 0.5, "precision": 1, "bound": 1, "n": 3000},
)
def charged_for_means(low: Any, high: Any, precision: Any, bound: Any, n: Any) -> Any:
    r"""For two records \(\ln p_\theta\) differs by \(\tau(x - y)\theta\) and a constant. This ranges over \(\tau|x -
    y|(c_2 - c_1)\), and two records are at most 2B apart. Many records at one end leave the parameter there, and the
    loss tends to the bound.
    """
    return cost(normal_mean(precision, bound), means(low, high), 1).loss()


RECTANGLES = {
    "high and low": (("-1", "1/2"), ("2", "3/5")),
    "aside": (("1/2", "1/2"), ("3/5", "3")),
    "far": (("-3", "1"), ("-2", "2")),
    "one precision": (("-1", "1"), ("1", "1")),
}
"""The least and the largest mean and precision; the last is cut to nearly one precision."""


def rectangle(name: str) -> list[tuple[Any, Any]]:
    """Its corners."""
    low, high = (number(end) for end in RECTANGLES[name])
    return list(itertools.product(*zip(low, high, strict=True)))


@PAPER.item("ours-cost-normal", COSTS, cases=grid(where=list(RECTANGLES), bound=["1/2", 2]), calls=cost, page=CONJUGATE)
def oscillation_of_normals(where: str, bound: Any) -> Any:
    """The width that the library charges, over a rectangle, or a list that has its corners."""
    family, corners_of = normal(number(bound)), rectangle(where)
    if where == "one precision":
        return cost(family, uniform(corners_of), 1).loss()
    low, high = (number(end) for end in RECTANGLES[where])
    return cost(family, NormalGamma(2, 1, 0, 1, low, high), 1).loss()


@oscillation_of_normals.said(
    r"N(\mu, 1/\tau): \quad w = \max_{\beta, \delta} \max_{0 \le s \le B} 2(B - s)(|\beta| + |\delta|s), \quad \beta = \tau\mu - \tau'\mu',\ \delta = \tau - \tau'",
    origin="ours",
    proof=True,
)
def normals_by_search(where: str, bound: Any) -> Any:
    r"""With \(s = \frac{x+y}2\) the difference of \(\ln p\) is \((x - y)(\tau\mu - \tau s)\). It is linear in \(\mu\)
    and in \(\tau\), so the corners of a rectangle are extreme, and \(|x - y| \le 2(B - |s|)\). In the best pair one
    record is at an end of the line, and the other at \(-\beta/\delta\) or at the other end. The search goes through
    those, and through some others.
    """
    B, pairs = number(bound), rectangle(where)
    records = [-B, number(0), B / 3, B]
    for (mu, tau), (other, precision) in itertools.combinations(pairs, 2):
        if tau != precision:
            best = (tau * mu - precision * other) / (tau - precision)
            records += [record for record in (best, -best) if abs(float(record)) < float(B)]
    family: Family = normal(B)
    return searched(family, pairs, (([x], [y]) for x, y in itertools.combinations(dict.fromkeys(records), 2)))


@PAPER.item(
    "ours-cost-multinomial",
    "Lemma 24, what draws cost",
    cases=grid(states=[2, 3, 5], floor=[0.05, 0.15]),
    calls=cost,
    page=NETWORKS,
)
def oscillation_of_rows(states: Any, floor: Any) -> Any:
    """The width that the library charges for a row of probabilities."""
    return cost(multinomial(int(states)), Tables([filled((int(states),))], floor), 1).loss()


@oscillation_of_rows.said(
    r"\text{one row, all entries} \ge \varepsilon: \quad w = 2\ln\frac{1 - (s-1)\varepsilon}{\varepsilon}",
    origin="ours",
    proof=True,
)
def rows_by_search(states: Any, floor: Any) -> Any:
    r"""The difference is \(\ln\theta_a - \ln\theta_b\). It is largest where the first entry is large and the others
    are at the floor, and smallest where the two change places. The search goes through the rows with one large entry.
    """
    s = int(states)
    pairs = (([a], [b]) for a, b in itertools.combinations(range(s), 2))
    return searched(multinomial(s), list(corners(s, floor, 1)), pairs)
