"""Discrete Bayesian networks and Markov chains, whose parameters are probability tables with ``Tables`` priors."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arithmetic import approximate, largest, log, number, numbers, scalar, zeros
from ..checks import Integers, Numbers, brief, listed, need, whole
from .families import CELL, RECORD, Family
from .family_checks import differing_entries, whole_states
from .finite import Finite
from .laws import Tables
from .oscillations import UNKNOWN, Oscillation, log_odds_of_floor, peak_to_peak

# chosen: about five times the rounding error of one, so that 1 - floor still differs from 1; the largest log ratio
# of two entries at this floor, ln((1 - floor) / floor), is about 35
MIN_FLOOR = 6e-16
"""Smallest floor that ``restricted`` imposes on the entries of tables."""

# chosen: 8 MB of memory, and less than a tenth of a second for each parameter
MAX_JOINT_ENTRIES = 1_000_000
"""Largest number of entries of a network's joint table, all of which enter the Lipschitz constant."""

Parameter = tuple[Numbers, ...]
"""Type of a parameter, a tuple with one probability table for each node."""


def network(parents: Sequence[Sequence[int]], states: Sequence[int]) -> Family:
    r"""Family of a discrete Bayesian network; the data have one row per record and one column per node (Lemma 24).

    A parameter is a tuple of tables. The first axes of the table of node k index the states of its parents, and the
    last axis indexes the states of node k. Let \(v_k\) be one plus the number of children of node k. The pseudo-metric
    is \(\rho(x, y) = \sum_k v_k\,\#\{t : x_{tk} \ne y_{tk}\}\). Distances add up along a path that changes one cell at
    a time, so the Lipschitz constant is a maximum over rows x and x' that differ only at one node k:
    \[ \ell(\theta) = \max_k \max_{x, x'} \frac{|\ln P_\theta(x) - \ln P_\theta(x')|}{v_k},
       \quad x_j = x'_j \text{ for all } j \ne k. \]

    Replacing a row changes at most one factor of each node. Replacing a cell of node k changes at most one factor of
    node k and one factor of each child of node k. Over all tables with entries of at least \(\varepsilon\), the log
    ratio of a changed factor of node j has a range of length \(2r_j\), where
    \(r_j = \ln\frac{1-(s_j-1)\varepsilon}{\varepsilon}\) and \(s_j\) is the number of states of node j. This range does
    not depend on the values of the other factors. So w is exactly \(2\sum_j r_j\) if a row is replaced, and exactly
    \(2\max_k (r_k + \sum_{\text{children } j} r_j)\) if a cell is replaced. For a prior on a list of tables, w is
    bounded by \(2L\rho\).

    Args:
        parents: For each node, a list of its parents in increasing order; every parent comes before its children.
        states: The number of states of each node, at least 2.

    Returns:
        A family with both kinds of neighbours, ``RECORD`` and ``CELL``.

    >>> chain = network([[], [0]], [2, 2])  # the first node is the parent of the second
    >>> chain.reach
    {'replace one record': 3.0, 'replace one cell': 2.0}
    """
    K, sizes = len(listed("states", states)), tuple(whole("states", size, least=2) for size in states)
    above = [[whole("parents", p, least=0) for p in listed("parents", row)] for row in listed("parents", parents)]
    ordered = all(row == sorted({*row} & {*range(k)}) for k, row in enumerate(above))
    allowed = f"earlier nodes in increasing order, without a cycle, for each of the {K} nodes"
    need(len(above) == K and ordered, f"parents must list {allowed}, got {brief(parents)}")
    most = MAX_JOINT_ENTRIES
    need(math.prod(sizes) <= most, f"states must multiply to at most {most}, got {math.prod(sizes)}")
    shapes = [(*(sizes[p] for p in row), size) for row, size in zip(above, sizes, strict=True)]
    weights = numbers([1 + sum(k in row for row in above) for k in range(K)])

    def data(x: Any) -> Integers:
        return whole_states(x, np.array(sizes), f"rows of {K} states")

    def constant(tables: Parameter) -> Any:
        joint = zeros(sizes)  # log probabilities of all rows; each node's table broadcasts over the axes of other nodes
        for k, row in enumerate(above):
            joint = joint + log(tables[k]).reshape([sizes[j] if j in (*row, k) else 1 for j in range(K)])
        return largest([largest(peak_to_peak(joint, axis=k)) / weights[k] for k in range(K)])

    def width(floor: Any, neighbours: str) -> Any:
        ranges = [2 * log_odds_of_floor(size, floor) for size in sizes]
        if neighbours == RECORD:
            return sum(ranges)
        return largest([ranges[k] + sum(ranges[j] for j in range(K) if k in above[j]) for k in range(K)])

    return _table_family(
        name="network",
        metric="sum of v_k times the rows that differ at node k",
        data=data,
        shapes=shapes,
        entries=lambda x: [(*(x[:, p] for p in row), x[:, k]) for k, row in enumerate(above)],
        distance=lambda x, y: scalar(differing_entries(data, x, y).sum(axis=0) @ weights),
        constant=lambda parameters: np.array([constant(tables) for tables in parameters]),
        reach={RECORD: scalar(weights.sum()), CELL: scalar(largest(weights))},
        width=width,
    )


def markov_chain(states: int) -> Family:
    r"""Family of a Markov chain with a uniform first state; the data are one path (Lemma 24).

    A parameter is one table of transition probabilities, with one row for each state before the transition. A record is
    one state of the path. Each state belongs to at most two transitions, and the last state belongs to at most one. So
    \(\rho\) adds 2 for each state in which two paths differ, but only 1 for the last state. The Lipschitz constant is a
    maximum over paths of all lengths:
    \[ \ell(\theta) = \max\Bigl( \tfrac12 \max_{a,b,b',c} \ln\frac{\theta_{ab}\theta_{bc}}{\theta_{ab'}\theta_{b'c}},\;
       \max_{a,b,b'} \ln\frac{\theta_{ab}}{\theta_{ab'}},\;
       \tfrac12 \max_{b,b',c} \ln\frac{\theta_{bc}}{\theta_{b'c}} \Bigr). \]

    Over all tables of s states with entries of at least \(\varepsilon\), the oscillation is
    \(w = 4\ln\frac{1-(s-1)\varepsilon}{\varepsilon}\), which equals the bound of Theorem 8. This value is attained if
    the middle of three consecutive states b is replaced by \(b'\), which lowers \(\ln p_\theta\) by
    \(2\ln\theta_{bb} - \ln\theta_{bb'} - \ln\theta_{b'b}\). So the value of w is exact for paths of at least three
    states. For a prior on a list of tables, w is bounded by \(2L\rho\).

    >>> markov_chain(2).distance([0, 1, 1], [0, 0, 1]), markov_chain(2).distance([0, 1, 1], [0, 1, 0])
    (2.0, 1.0)

    The prior is a ``Tables`` law with a single table, which contains the transition probabilities:

    >>> from dpbi.posterior_sampling import posterior_law
    >>> posterior_law(markov_chain(2), Tables([[1, 1], [[1, 1], [1, 1]]]), [0, 1, 1])
    Traceback (most recent call last):
    ValueError: prior must have tables of shapes [(2, 2)], got shapes [(2,), (2, 2)]
    """
    k = whole("states", states, least=2)

    def data(x: Any) -> Integers:
        path = whole_states(x, k, "one path of states")
        need(len(path), "data must be one path of at least one state, got none")
        return path

    def constant(table: Numbers) -> Any:
        logs = log(table)
        through = logs[:, :, None] + logs[None]  # (from, state, to)
        ends = (peak_to_peak(through, axis=1), 2 * peak_to_peak(logs, axis=1), peak_to_peak(logs, axis=0))
        return largest([largest(gap) / 2 for gap in ends])

    def distance(x: Any, y: Any) -> Any:
        differs = differing_entries(data, x, y)
        return scalar(number(2 * differs[:-1].sum() + differs[-1]))

    return _table_family(
        name="markov_chain",
        metric="2 for each state of the path that differs, 1 for the last",
        data=data,
        shapes=[(k, k)],
        entries=lambda x: [(x[:-1], x[1:])],
        first=1 / number(k),
        distance=distance,
        constant=lambda parameters: np.array([constant(table) for (table,) in parameters]),
        reach={RECORD: scalar(number(2))},
        width=lambda floor, neighbours: 4 * log_odds_of_floor(k, floor),
    )


def _table_family(
    *,
    shapes: list[tuple[int, ...]],
    entries: Callable[[Integers], list[Any]],
    width: Callable[[Any, str], Any],
    first: Any = 1,
    **rules: Any,
) -> Family:
    """Family whose likelihood is a product of table entries selected by the data; its conjugate law is ``Tables``.

    Args:
        shapes: Shape of each table.
        entries: Function of the data that computes the indices of the selected entries of each table.
        width: Function of a floor and a kind of neighbours that computes the oscillation w over all tables with this
            floor.
        first: Factor of the likelihood that does not depend on the tables.
        **rules: Further attributes of the family.

    Returns:
        The family.
    """
    states = [shape[-1] for shape in shapes]

    def parameters(values: Any) -> list[Parameter]:
        checked = [tuple(map(numbers, tables)) for tables in values]
        for tables in checked:
            found = [table.shape for table in tables]
            need(found == shapes, f"parameters must be tuples of tables of shapes {shapes}, got shapes {found}")
            for table in map(approximate, tables):
                if not ((table > 0).all() and (np.abs(table.sum(axis=-1) - 1) <= 1e-9).all()):
                    raise ValueError(f"parameters must have rows > 0 that add up to 1, got {brief(table)}")
        return checked

    def factors(tables: Parameter, x: Integers) -> list[Numbers]:
        return [table[at] for table, at in zip(tables, entries(x), strict=True)]

    def density(parameters: Sequence[Parameter], x: Integers) -> Numbers:
        return np.array([math.prod(array.prod() for array in factors(tables, x)) * first for tables in parameters])

    def log_density(parameters: Sequence[Parameter], x: Integers) -> Numbers:
        return np.array([sum((log(a).sum() for a in factors(tables, x)), start=log(first)) for tables in parameters])

    def floor_of(prior: Tables) -> Any:
        found = [table.shape for table in prior.concentrations]
        need(found == shapes, f"prior must have tables of shapes {shapes}, got shapes {found}")
        return prior.floor

    def update(prior: Tables, x: Integers) -> Tables:
        floor = floor_of(prior)
        counts = [np.zeros(shape) for shape in shapes]
        for table, at in zip(counts, entries(x), strict=True):
            np.add.at(table, at, 1.0)
        return Tables([a + c for a, c in zip(prior.concentrations, counts, strict=True)], floor)

    # the least floor at which the log ratio of two entries of a row with the fewest states is at most L
    def within(prior: Tables, L: Any) -> Tables:
        floor = max(floor_of(prior), math.exp(-L) / (1 + (min(states) - 1) * math.exp(-L)))
        allowed = f"> 0, leave every row a positive mass, and be at most 35, or a floor is below {MIN_FLOOR:g}"
        need(MIN_FLOOR <= floor < 1 / max(states), f"L must be {allowed}, got L={brief(L)}")
        return Tables(prior.concentrations, floor)

    def oscillation(prior: Finite | Tables, neighbours: str) -> Oscillation:
        if isinstance(prior, Finite):
            return UNKNOWN
        return Oscillation(scalar(width(prior.floor, neighbours)), exact=True)

    return Family(
        parameters=parameters,
        density=density,
        log_density=log_density,
        conjugate=Tables,
        update=update,
        oscillation=oscillation,
        within=within,
        largest=lambda prior: log_odds_of_floor(min(states), prior.floor) if floor_of(prior) else math.inf,
        **rules,
    )
