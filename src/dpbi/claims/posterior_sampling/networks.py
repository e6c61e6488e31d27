r"""Section 5.4: discrete networks and Markov chains, Lemma 24.

All nodes have two states. \(\varepsilon\) is the least probability, \(v_k\) one more than the number of children of k.
"""

import itertools
from functools import cache
from typing import Any

from ...arithmetic import largest, log, smallest
from ...posterior_sampling import (
    CELL,
    RECORD,
    Family,
    Tables,
    cost,
    count_posteriors,
    lipschitz_bound,
    markov_chain,
    network,
    posterior,
    privacy_loss,
    uniform,
    worst_neighbours,
)
from ..claim import Condition, grid
from .source import NETWORKS, PAPER

CHAINED: list[dict[str, Any]] = [
    {"first": 0.9, "second": (0.9, 0.1), "T": 1},
    {"first": 0.1, "second": (0.6, 0.3), "T": 2},
    {"first": 0.5, "second": (0.05, 0.05), "T": 1},
]
"""Networks of two binary nodes, the first the parent of the second: P(1), then P(1 | 0) and P(1 | 1)."""


def coin(p: Any) -> tuple[Any, Any]:
    """The row of probabilities of a binary node, from that of the state 1."""
    return 1 - p, p


def least(first: Any, second: Any) -> Any:
    """The smallest conditional probability."""
    return smallest([entry for p in (first, *second) for entry in coin(p)])


@PAPER.item("lemma-24", "Lemma 24", cases=CHAINED, relation="<=", calls=network, page=NETWORKS)
def worst_slope(first: Any, second: Any, T: Any) -> Any:
    """The largest log ratio per distance, over all pairs of datasets of T rows."""
    family = network([[], [0]], [2, 2])
    tables = (coin(first), tuple(coin(p) for p in second))
    datasets = list(itertools.product(itertools.product((0, 1), repeat=2), repeat=int(T)))
    fits = [family.log_likelihood([tables], x)[0] for x in datasets]
    pairs = itertools.combinations(range(len(datasets)), 2)
    return largest([abs(fits[i] - fits[j]) / family.distance(datasets[i], datasets[j]) for i, j in pairs])


@worst_slope.said(
    r"\Bigl|\ln\frac{P_\theta(x)}{P_\theta(y)}\Bigr| \le \ln\frac1\varepsilon\; v^\top \delta(x, y), \quad v_k = 1 + \mathrm{outdeg}(k)",
    proof=True,
)
def lemma_24(first: Any, second: Any, T: Any) -> Any:
    r"""A changed cell of node k changes its own factor and those of its children, each by a ratio of at most
    \(1/\varepsilon\).
    """
    return -log(least(first, second))


@worst_slope.instead(
    r"\Bigl|\ln\frac{P_\theta(x)}{P_\theta(y)}\Bigr| \le \ln\frac{1 - (s-1)\varepsilon}{\varepsilon}\; v^\top \delta(x, y) \quad (s \text{ states or more})",
    suffix="sharp",
    proof=True,
    tight=CHAINED[0],
)
def lemma_24_sharp(first: Any, second: Any, T: Any) -> Any:
    r"""A row of s probabilities, all at least \(\varepsilon\), has none above \(1 - (s-1)\varepsilon\). Binary nodes: s = 2."""
    prior = Tables([(1, 1), ((1, 1), (1, 1))], least(first, second))
    return lipschitz_bound(network([[], [0]], [2, 2]), prior)


INDEPENDENT: list[dict[str, Any]] = grid(least=[0.1], K=[1, 2, 3], T=[2, 20])


def independent(K: int) -> Family:
    """K binary nodes without edges."""
    return network([[] for _ in range(K)], [2] * K)


@PAPER.item(
    "lemma-24-classical",
    "Lemma 24, text",
    cases=INDEPENDENT,
    relation="<=",
    calls=(count_posteriors, privacy_loss),
    page=NETWORKS,
)
def loss_of_row(least: Any, K: Any, T: Any) -> Any:
    r"""The largest loss when one of T rows is replaced: K times that of one node, of which P(1) is \(\varepsilon\) or
    \(1 - \varepsilon\).
    """
    return int(K) * worst_neighbours(privacy_loss, count_posteriors(uniform(coin(least)), int(T)))


@loss_of_row.said(
    r"2\|v\|_\infty \ln\frac1\varepsilon\text{-DP under the classical definition (one row replaced)}",
    condition=Condition(r"\(K = 1\), or one cell is replaced instead of a row", lambda least, K, T: K == 1),
    proof=True,
)
def lemma_24_classical(least: Any, K: Any, T: Any) -> Any:
    r"""A replaced row may change every cell of it. For K nodes without edges, v = 1, and losses of independent nodes add: K
    times that of one node. The paper calls one matrix row a record.
    """
    return -2 * independent(int(K)).reach[CELL] * log(least)


@loss_of_row.instead(
    r"2\|v\|_1 \ln\frac{1-(s-1)\varepsilon}{\varepsilon}\text{-DP when a row is replaced}",
    proof=True,
    tight={"least": 0.1, "K": 3, "T": 20},
)
def lemma_24_classical_corrected(least: Any, K: Any, T: Any) -> Any:
    r"""The largest \(\rho\) between two datasets that differ in one row is \(\|v\|_1\). K nodes without edges attain it when
    there are many rows. For one cell it is \(\|v\|_\infty\).
    """
    prior = uniform([[coin(p)] * int(K) for p in coin(least)])
    return cost(independent(int(K)), prior, 1).printed(RECORD)


PATHS: list[dict[str, Any]] = grid(least=[0.1, 0.3], n=[3, 6, 8])


def flips(path: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The paths that differ in one state."""
    return [(*path[:i], 1 - path[i], *path[i + 1 :]) for i in range(len(path))]


def transitions(path: tuple[int, ...]) -> tuple[int, ...]:
    """How often each pair of states follows: all that the likelihood sees."""
    steps = list(itertools.pairwise(path))
    return tuple(steps.count((a, b)) for a in (0, 1) for b in (0, 1))


@cache
def neighbouring_paths(n: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Paths of n states that differ in one, or have the transitions of such paths: one path stands for its transitions."""
    paths = list(itertools.product((0, 1), repeat=n))
    kind = {path: transitions(path) for path in paths}
    first = {kind[path]: path for path in reversed(paths)}
    return tuple(sorted({(first[kind[x]], first[kind[y]]) for x in paths for y in flips(x)}))


def four_chains(least: Any) -> Any:
    r"""The uniform prior on the chains whose rows have \(\varepsilon\) and \(1 - \varepsilon\)."""
    rows = [coin(least), coin(1 - least)]
    return uniform([((one, two),) for one in rows for two in rows])


@PAPER.item(
    "lemma-24-markov",
    "Lemma 24, Markov chains",
    cases=PATHS,
    relation="<=",
    calls=(markov_chain, posterior, privacy_loss),
    page=NETWORKS,
)
def loss_of_state(least: Any, n: Any) -> Any:
    """The largest loss over all paths of n states and all single changes, for a uniform prior on four chains."""
    prior, pairs = four_chains(least), neighbouring_paths(int(n))
    laws = {x: posterior(markov_chain(2), prior, x) for x in {path for pair in pairs for path in pair}}
    return largest([privacy_loss(laws[x], laws[y]) for x, y in pairs])


@loss_of_state.said(
    r"\text{a chain with transition probabilities of at least } \varepsilon \text{ is } 4\ln\frac1\varepsilon\text{-DP (one state replaced)}",
    proof=True,
)
def lemma_24_markov(least: Any, n: Any) -> Any:
    r"""A state occurs in two transitions, so \(\rho \le 2\), and Theorem 8 gives \(2 \cdot 2 \ln\frac1\varepsilon\). The exact
    side is the largest loss over all paths of n states and all single changes, for a uniform prior on four chains.
    """
    return -4 * log(least)


@PAPER.item(
    "lemma-24-markov-sharp",
    "Lemma 24, Markov chains",
    cases=PATHS,
    relation="<=",
    calls=markov_chain,
    page=NETWORKS,
)
def change_of_state(least: Any, n: Any) -> Any:
    r"""The largest change of \(\ln P_\theta\) over all paths of n states, all single changes and the four chains."""
    chains, pairs = four_chains(least).parameters, neighbouring_paths(int(n))
    fits = {x: markov_chain(2).log_likelihood(chains, x) for x in {path for pair in pairs for path in pair}}
    return largest([largest(fits[x] - fits[y]) for x, y in pairs])


@change_of_state.said(
    r"\text{one state replaced changes } \ln P_\theta \text{ by at most } 2\ln\frac{1-(s-1)\varepsilon}{\varepsilon}",
    corrects="posterior-sampling/lemma-24-markov",
    origin="ours",
    proof=True,
    tight={"least": 0.1, "n": 6},
)
def lemma_24_markov_sharp(least: Any, n: Any) -> Any:
    r"""Two factors, each a ratio of at most \(\frac{1-(s-1)\varepsilon}{\varepsilon}\): the chain is
    \(4\ln\frac{1-(s-1)\varepsilon}{\varepsilon}\)-private. The sides are for the likelihood, where it is attained.
    """
    family = markov_chain(2)
    return family.reach[RECORD] * lipschitz_bound(family, four_chains(least))
