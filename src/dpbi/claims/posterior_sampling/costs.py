r"""What draws cost: the greatest oscillation w of the difference of log likelihoods between neighbours.

The cost is held to the largest loss between posteriors of neighbours.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...arithmetic import largest, number
from ...posterior_sampling import (
    Beta,
    Family,
    ParameterLaw,
    bernoulli,
    cost,
    exponential,
    laplace,
    markov_chain,
    multivariate_normal,
    network,
    normal_precision,
    posterior,
    privacy_loss,
    trimmed_exponential,
    uniform,
)
from ..claim import grid
from ..premises import Choice, Wholes, premises
from .source import ANSWERS, PAPER


class Setting(NamedTuple):
    """A family, a prior, and the records of small datasets."""

    family: Callable[[], Family]
    prior: Callable[[], ParameterLaw]
    records: Sequence[Any]


def rates() -> ParameterLaw:
    """The uniform prior between 1/2 and 2."""
    return trimmed_exponential(0, number("1/2"), 2)


def coins(*shares: Any) -> tuple[Any, ...]:
    """The rows of probabilities of two states, from those of the state 1."""
    return tuple((1 - share, share) for share in number(list(shares)))


def few_chains() -> ParameterLaw:
    """Three chains of two states."""
    return uniform([(coins(*shares),) for shares in (("0.2", "0.3"), ("0.9", "0.4"), ("0.5", "0.7"))])


NODES = ((), (0,), ())
"""Three nodes: the first has a child, the second, and the third is alone."""


def few_networks() -> ParameterLaw:
    """Three networks of three nodes."""
    kept = (("0.2", "0.3", "0.6", "0.4"), ("0.9", "0.4", "0.5", "0.6"), ("0.5", "0.7", "0.1", "0.2"))
    return uniform([(coins(first)[0], coins(*second), coins(third)[0]) for first, *second, third in kept])


def few_matrices() -> ParameterLaw:
    """Three precision matrices that commute, with eigenvectors (3, 4) and (4, -3)."""
    values = ((a / 25, b / 25) for a, b in number([(1, 1), (3, "1/2"), ("1/2", 2)]))
    return uniform([[(a * 9 + b * 16, (a - b) * 12), ((a - b) * 12, a * 16 + b * 9)] for a, b in values])


SETTINGS: dict[str, Setting] = {
    "coin": Setting(bernoulli, lambda: Beta(1, 1, 1, number("3/2")), (0, 1)),
    "few coins": Setting(bernoulli, lambda: uniform(number(["0.6", "0.7", "0.9"])), (0, 1)),
    "exponential": Setting(lambda: exponential(1), rates, ("0", "1/2", "1")),
    "laplace, aside": Setting(lambda: laplace(number("1/2"), 1), rates, ("-1", "1/2", "1")),
    "laplace, outside": Setting(lambda: laplace(3, 1), lambda: uniform(number(["1/2", "0.8", "2"])), ("-1", "0", "1")),
    "normal": Setting(lambda: normal_precision(0, 1), rates, ("-1", "0", "1")),
    "matrices": Setting(
        lambda: multivariate_normal([0, 0], 1), few_matrices, [(0, 0), (0.6, 0.8), (0.8, -0.6), (1, 0)]
    ),
    "chains": Setting(lambda: markov_chain(2), few_chains, (0, 1)),
    "networks": Setting(lambda: network(NODES, [2, 2, 2]), few_networks, list(itertools.product((0, 1), repeat=3))),
}


def neighbours(setting: str, n: int) -> Iterator[tuple[list[Any], list[Any]]]:
    """Datasets of n records that differ in one of them: all of them, or those with n - 1 equal records.

    The order of records matters in a chain alone.
    """
    records = SETTINGS[setting].records
    if setting == "chains":
        for path in itertools.product(records, repeat=n):
            for i in range(n):
                yield list(path), [*path[:i], 1 - path[i], *path[i + 1 :]]
        return
    every = n <= 3
    others = itertools.combinations_with_replacement(records, n - 1) if every else [(r,) * (n - 1) for r in records]
    for rest in others:
        for x, y in itertools.permutations(records, 2):
            yield [*rest, x], [*rest, y]


@PAPER.item(
    "ours-cost",
    "Section 4.2, what draws cost",
    cases=[
        *grid(setting=list(SETTINGS), n=[2], N=[2]),
        *grid(setting=["coin", "exponential", "normal"], n=[3000], N=[1]),
        *grid(setting=["few coins", "laplace, outside"], n=[100], N=[1]),
    ],
    relation="<=",
    calls=(posterior, privacy_loss),
    page=ANSWERS,
    premises=premises(setting=Choice(tuple(SETTINGS)), n=Wholes(1, 12), N=Wholes(1, 5)),
)
def loss_of_neighbours(setting: str, n: Any, N: Any) -> Any:
    """The largest loss of N draws between neighbours of n records."""
    family, prior = SETTINGS[setting].family(), SETTINGS[setting].prior()
    laws: dict[Any, ParameterLaw] = {}

    def law(rows: list[Any]) -> ParameterLaw:
        key = tuple(rows)
        if key not in laws:
            laws[key] = posterior(family, prior, [number(row) if isinstance(row, str) else row for row in rows])
        return laws[key]

    return int(N) * largest([privacy_loss(law(x), law(y)) for x, y in neighbours(setting, int(n))])


@loss_of_neighbours.said(
    r"w = \sup_{x \sim y} \bigl(\sup_\theta f - \inf_\theta f\bigr),\ f = \ln\frac{p_\theta(x)}{p_\theta(y)} \implies N \text{ draws are } Nw\text{-DP}",
    origin="ours",
    proof=True,
    tight={"setting": "exponential", "n": 3000, "N": 1},
)
def charged(setting: str, n: Any, N: Any) -> Any:
    r"""The log ratio of the posteriors is f less \(\ln \int e^f\,d\xi(\theta \mid y)\), a number between the least f
    and the largest. So it is at most their difference w. Losses of independent draws add. Where the other records
    leave the parameter at the least f, that number tends to it, and the loss to w. The exact side goes through all
    datasets of a few records. For many records it goes through those that agree in all but one.
    """
    family, prior, _ = SETTINGS[setting]
    return cost(family(), prior(), int(N)).loss()
