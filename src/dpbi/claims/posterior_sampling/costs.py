r"""What draws cost: the greatest oscillation w of the difference of log likelihoods between neighbours.

It is held to the largest loss between posteriors of neighbours, and to a search that knows the likelihood alone.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import largest, log, number, smallest, sqrt
from ...guarantees import renyi_divergence
from ...posterior_sampling import (
    CELL,
    RECORD,
    Beta,
    Cost,
    Family,
    ParameterLaw,
    Tables,
    Wishart,
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
    total_variation,
    trimmed_exponential,
    uniform,
    weighted,
)
from ..claim import grid
from ..premises import Choice, Reals, Wholes, premises
from .source import ANSWERS, CONJUGATE, NETWORKS, PAPER

COSTS = "Section 4.2, what draws cost"


class Setting(NamedTuple):
    """A family, a prior, and the records of small datasets."""

    family: Callable[[], Family]
    prior: Callable[[], ParameterLaw]
    records: Sequence[Any]


def rates() -> ParameterLaw:
    """The uniform prior between 1/2 and 2."""
    return trimmed_exponential(0, number("1/2"), 2)


def few_rates() -> ParameterLaw:
    """The uniform prior on three of them."""
    return uniform(number(["1/2", "0.8", "2"]))


def balanced(one: Any, other: Any) -> ParameterLaw:
    r"""Two coins with weights \(1/\sqrt{\theta(1-\theta)}\): what one record says of them is the same either way."""
    coins = number([one, other])
    return weighted(coins, [1 / sqrt(theta * (1 - theta)) for theta in coins])


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
    return uniform([[(a * 9 + b * 16, (a - b) * 12), ((a - b) * 12, a * 16 + b * 9)] for a, b in eigenvalues()])


def eigenvalues() -> list[tuple[Any, Any]]:
    """Their eigenvalues, over 25."""
    return [tuple(value / 25 for value in pair) for pair in number([(1, 1), (3, "1/2"), ("1/2", 2)])]


LINE, ASIDE, HALF_LINE = ("-1", "0", "1"), ("-1", "1/2", "1"), ("0", "1/2", "1")

SETTINGS: dict[str, Setting] = {
    "coin": Setting(bernoulli, lambda: Beta(1, 1, 1, number("3/2")), (0, 1)),
    "few coins": Setting(bernoulli, lambda: uniform(number(["0.6", "0.7", "0.9"])), (0, 1)),
    "two coins": Setting(bernoulli, lambda: balanced("0.6", "0.9"), (0, 1)),
    "two coins, close": Setting(bernoulli, lambda: balanced("0.7", "0.72"), (0, 1)),
    "exponential": Setting(lambda: exponential(1), rates, HALF_LINE),
    "few exponential": Setting(lambda: exponential(1), few_rates, HALF_LINE),
    "laplace": Setting(lambda: laplace(0, 1), rates, LINE),
    "laplace, aside": Setting(lambda: laplace(number("1/2"), 1), rates, ASIDE),
    "laplace, outside": Setting(lambda: laplace(3, 1), few_rates, LINE),
    "normal": Setting(lambda: normal_precision(0, 1), rates, LINE),
    "normal, aside": Setting(lambda: normal_precision(number("1/2"), 1), rates, ASIDE),
    "normal, outside": Setting(lambda: normal_precision(3, 1), few_rates, LINE),
    "matrices": Setting(
        lambda: multivariate_normal([0, 0], 1),
        few_matrices,
        [(0, 0), (0.6, 0.8), (0.8, -0.6), (1, 0)],
    ),
    "chains": Setting(lambda: markov_chain(2), few_chains, (0, 1)),
    "networks": Setting(lambda: network(NODES, [2, 2, 2]), few_networks, list(itertools.product((0, 1), repeat=3))),
}

BOUNDED = ("matrices", "chains", "networks")
"""Those with a list of matrices or tables, whose w the library bounds."""

INTERVALS = ("coin", "exponential", "laplace", "laplace, aside", "normal", "normal, aside")
"""Those with a prior on an interval."""


def price(setting: str, size: Any = 1) -> Cost:
    """What the library charges for so many draws."""
    family, prior, _ = SETTINGS[setting]
    return cost(family(), prior(), int(size))


def neighbours(setting: str, n: int, kind: str = RECORD) -> Iterator[tuple[list[Any], list[Any]]]:
    """Datasets of n records that differ in one of them, or in one cell: all of them, or one with n - 1 equal records.

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
            if kind == RECORD or one_cell(x, y):
                yield [*rest, x], [*rest, y]


def one_cell(x: Sequence[int], y: Sequence[int]) -> bool:
    """Whether two rows differ in one cell alone."""
    return sum(a != b for a, b in zip(x, y, strict=True)) == 1


def data(rows: list[Any]) -> list[Any]:
    """Records as the family takes them."""
    return [number(row) if isinstance(row, str) else row for row in rows]


def worst(measure: Callable[[Any, Any], Any], setting: str, n: Any, kind: str = RECORD) -> Any:
    """The largest measure between the posteriors of neighbours."""
    family, prior = SETTINGS[setting].family(), SETTINGS[setting].prior()
    laws: dict[Any, ParameterLaw] = {}

    def law(rows: list[Any]) -> ParameterLaw:
        key = tuple(rows)
        if key not in laws:
            laws[key] = posterior(family, prior, data(rows))
        return laws[key]

    return largest([measure(law(x), law(y)) for x, y in neighbours(setting, int(n), kind)])


@PAPER.item(
    "ours-cost",
    COSTS,
    cases=[
        *grid(setting=list(SETTINGS), n=[2], N=[2]),
        *grid(setting=["coin", "exponential", "laplace, aside", "normal"], n=[3000], N=[1]),
        *grid(setting=["few coins", "matrices", "laplace, outside"], n=[100], N=[1]),
    ],
    relation="<=",
    calls=(posterior, privacy_loss),
    page=ANSWERS,
    premises=premises(setting=Choice(tuple(SETTINGS)), n=Wholes(1, 12), N=Wholes(1, 5)),
)
def loss_of_neighbours(setting: str, n: Any, N: Any) -> Any:
    """The largest loss of N draws between neighbours of n records."""
    return int(N) * worst(privacy_loss, setting, n)


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
    return price(setting, N).loss()


@PAPER.item(
    "ours-cost-row",
    "Section 5.4, what draws cost",
    cases=grid(floor=[0.1, 0.3], K=[1, 3], T=[2, 600]),
    relation="<=",
    calls=(posterior, privacy_loss),
    page=NETWORKS,
    premises=premises(floor=Reals(1e-3, 0.49, above=0, below=0.5), K=Wholes(1, 6), T=Wholes(1, 600)),
)
def loss_of_row(floor: Any, K: Any, T: Any) -> Any:
    """The loss when one of T equal rows of K independent binary nodes is replaced, their probabilities uniform."""
    odds, rows = log((1 - floor) / floor), [1] * int(T)
    prior = Beta(1, 1, -odds, odds)
    return int(K) * privacy_loss(posterior(bernoulli(), prior, [0, *rows[1:]]), posterior(bernoulli(), prior, rows))


def price_of_tables(parents: Sequence[Sequence[int]], states: int, floor: Any) -> Cost:
    """What the library charges for a draw of floored tables."""
    shapes = [(*[states] * len(above), states) for above in parents]
    prior = Tables([filled(shape) for shape in shapes], floor)
    return cost(network(parents, [states] * len(parents)), prior, 1)


def filled(shape: tuple[int, ...]) -> Any:
    """Concentrations of one."""
    return [filled(shape[1:])] * shape[0] if shape else 1


@loss_of_row.said(
    r"\text{one row replaced, all entries} \ge \varepsilon: \quad w = 2\sum_k \ln\frac{1 - (s_k - 1)\varepsilon}{\varepsilon}",
    origin="ours",
    proof=True,
    tight={"floor": 0.1, "K": 3, "T": 600},
)
def charged_for_row(floor: Any, K: Any, T: Any) -> Any:
    r"""A row changes at most one factor of each node, and not \(v_k\) of them. Losses of independent nodes add, and
    each of them is that of a coin with log-odds in an interval.
    """
    return price_of_tables([[]] * int(K), 2, floor).loss(RECORD)


def searched(family: Family, parameters: Sequence[Any], pairs: Any) -> Any:
    r"""The greatest oscillation of the log likelihood itself, over pairs of datasets."""
    fits: dict[Any, Any] = {}

    def fit(rows: list[Any]) -> Any:
        key = tuple(rows)
        if key not in fits:
            fits[key] = family.log_likelihood(parameters, data(rows))
        return fits[key]

    ranges = []
    for x, y in pairs:
        change = fit(x) - fit(y)
        ranges.append(largest(change) - smallest(change))
    return largest(ranges)


@PAPER.item(
    "ours-cost-oscillation",
    COSTS,
    cases=grid(setting=[name for name in SETTINGS if name not in BOUNDED], kind=[RECORD]),
    calls=cost,
    page=CONJUGATE,
)
def oscillation(setting: str, kind: str) -> Any:
    """The width that the library charges."""
    return price(setting).oscillation(kind).width


@oscillation.said(
    r"w = \max_{x \sim y} \max_{\theta, \theta'} \ln\frac{p_\theta(x)\, p_{\theta'}(y)}{p_\theta(y)\, p_{\theta'}(x)}",
    origin="ours",
    proof=True,
)
def by_search(setting: str, kind: str) -> Any:
    """This is the definition of w. The search goes through single records, or paths of three states, the extreme ones
    among them. Of an interval of parameters it takes the ends and the middle, because f is linear in the parameter or
    in its log-odds.
    """
    family, prior, _ = SETTINGS[setting]
    law: Any = prior()
    if setting in INTERVALS:
        low, high = law.ends
        law = uniform([low, (low + high) / 2, high])
    return searched(family(), law.parameters, neighbours(setting, 3 if setting == "chains" else 1, kind))


def corners(states: int, floor: Any, rows: int) -> Iterator[tuple[Any, ...]]:
    """Tables with one large entry in each row, the others at the floor."""
    large = 1 - (states - 1) * floor
    choices = [tuple(large if a == b else floor for b in range(states)) for a in range(states)]
    return itertools.product(choices, repeat=rows)


@PAPER.item(
    "ours-cost-tables",
    "Section 5.4, what draws cost",
    cases=[
        *grid(what=["row", "cell", "state"], states=[2], floor=[0.1, 0.3]),
        {"what": "state", "states": 3, "floor": 0.1},
    ],
    calls=cost,
    page=NETWORKS,
)
def oscillation_of_tables(what: str, states: Any, floor: Any) -> Any:
    """The width that the library charges for three nodes, or for a chain."""
    if what == "state":
        return cost(markov_chain(int(states)), Tables([filled((int(states), int(states)))], floor), 1).loss()
    return price_of_tables(NODES, int(states), floor).loss(RECORD if what == "row" else CELL)


@oscillation_of_tables.said(
    r"\text{all entries} \ge \varepsilon,\ r = \ln\frac{1-(s-1)\varepsilon}{\varepsilon}: \quad w = 2\,\#\{\text{factors changed}\}\, r",
    origin="ours",
    proof=True,
)
def tables_by_search(what: str, states: Any, floor: Any) -> Any:
    r"""A changed factor ranges over \(2r\), and the factors of different nodes do so independently. In a chain
    \(2\ln\theta_{bb} - \ln\theta_{bb'} - \ln\theta_{b'b}\) ranges over \(4r\). The search goes through the tables with
    one large entry in each row, and through all rows or all paths of three states.
    """
    s, every = int(states), range(int(states))
    if what == "state":
        paths = itertools.product(every, repeat=3)
        changed = [(list(x), [*x[:i], b, *x[i + 1 :]]) for x in paths for i in range(3) for b in every if b != x[i]]
        return searched(markov_chain(s), [(table,) for table in corners(s, floor, s)], changed)
    tables = [(rows[0], rows[1:-1], rows[-1]) for rows in corners(s, floor, s + 2)]
    pairs = itertools.combinations(itertools.product(every, repeat=3), 2)
    wanted = [([x], [y]) for x, y in pairs if what == "row" or one_cell(x, y)]
    return searched(network(NODES, [s] * 3), tables, wanted)


@PAPER.item(
    "ours-cost-precision",
    "Lemma 23, what draws cost",
    cases=grid(mean=[(0, 0), (1, 0), (0, 2)]),
    relation="<=",
    calls=multivariate_normal,
    page=CONJUGATE,
)
def oscillation_of_precisions(mean: Any) -> Any:
    """A search through records near the unit circle, and matrices near rank one with eigenvalues of at most 2."""
    records = [(rounded(0.999999 * a), rounded(0.999999 * b)) for a, b in circle()]
    near = [matrix_of(a, b, 1.999999) for a, b in circle()[:12]]
    pairs = (([x], [y]) for x, y in itertools.combinations(records, 2))
    return searched(multivariate_normal(mean, 1), [*near, matrix_of(1, 0, 1e-6)], pairs)


def circle() -> list[tuple[float, float]]:
    """The directions in steps of 15 degrees."""
    return [(math.cos(step * math.pi / 12), math.sin(step * math.pi / 12)) for step in range(24)]


def rounded(value: float) -> Any:
    """A decimal near a double."""
    return number(f"{value:.12f}")


def matrix_of(a: float, b: float, along: float) -> Any:
    """A matrix with nearly this eigenvalue along a direction, and a millionth across it."""
    off = rounded((along - 1e-6) * a * b)
    return ((rounded(along * a * a + 1e-6 * b * b), off), (off, rounded(along * b * b + 1e-6 * a * a)))


@oscillation_of_precisions.said(
    r"\lambda_{\max}(A) \le \Lambda,\ \|x\| \le R: \quad w = 2\Lambda \max_\sigma \sqrt{R^2 - \sigma^2}\,(\sigma + \|\mu\|)",
    origin="ours",
    proof=True,
    tight={"mean": (1, 0)},
)
def charged_for_precisions(mean: Any) -> Any:
    r"""Let \(\Lambda\) be the largest eigenvalue that is allowed. With \(u = x - \mu\) and \(v = y - \mu\) the
    difference is \(\frac12\langle A, vv^\top - uu^\top\rangle\), and its range is \(\frac\Lambda2 \|uu^\top -
    vv^\top\|_* = \frac\Lambda2 \|u - v\| \|u + v\|\). The midpoint of x and y has some length \(\sigma\), and half
    their distance is at most \(\sqrt{R^2 - \sigma^2}\). If \(\|\mu\| = R\), the worst x and y lie 60 degrees from
    \(-\mu\) on either side; if \(\mu = 0\), they form a right angle.
    """
    return cost(multivariate_normal(mean, 1), Wishart(3, np.eye(2), number(2)), 1).loss()


@PAPER.item(
    "ours-cost-variation",
    COSTS,
    cases=[
        *grid(setting=["coin", "few coins", "exponential", "laplace, aside", "matrices", "networks"], n=[1, 3]),
        {"setting": "two coins", "n": 1},
    ],
    relation="<=",
    calls=(posterior, total_variation),
    page=ANSWERS,
    premises=premises(setting=Choice(tuple(SETTINGS)), n=Wholes(1, 12)),
)
def variation_of_neighbours(setting: str, n: Any) -> Any:
    """The largest total variation between neighbours of n records."""
    return worst(total_variation, setting, n)


@variation_of_neighbours.said(
    r"TV \le \tanh\frac w4",
    origin="ours",
    proof=True,
    tight={"setting": "two coins", "n": 1},
)
def charged_variation(setting: str, n: Any) -> Any:
    r"""The argument is that for \(w = 2L\rho\) in ``posterior-sampling/theorem-8.1-variation``: laws on two points are
    extreme, and among them the symmetric ones. Two coins with weights that balance them have such posteriors after one
    record.
    """
    return price(setting).total_variation()


@PAPER.item(
    "ours-cost-concentrated",
    COSTS,
    cases=[
        *grid(setting=["few coins", "matrices", "networks", "chains"], n=[2], N=[2], order=[2, 5]),
        {"setting": "two coins, close", "n": 1, "N": 3, "order": 2},
    ],
    relation="<=",
    calls=(posterior, renyi_divergence),
    page=ANSWERS,
)
def divergence_of_neighbours(setting: str, n: Any, N: Any, order: Any) -> Any:
    """The largest Renyi divergence of N draws between neighbours of n records."""
    return int(N) * worst(lambda p, q: renyi_divergence(p.log_weights, q.log_weights, order), setting, n)


@divergence_of_neighbours.said(
    r"D_\alpha \le \tfrac18 \alpha N w^2: \quad N \text{ draws are } \tfrac18 N w^2\text{-zCDP}",
    origin="ours",
    proof=True,
    tight={"setting": "two coins, close", "n": 1, "N": 3, "order": 2},
)
def charged_divergence(setting: str, n: Any, N: Any, order: Any) -> Any:
    r"""The argument is that for \(w = 2L\rho\) in ``posterior-sampling/corollary-10.1-concentrated``, which uses the
    range alone.
    """
    return order * price(setting, N).concentrated().rho
