r"""Le Cam's bound on the error of guessing the data from draws (Lemma 18), and the least error itself.

Law number k is that of the draws under dataset number k of a list. A guess j costs the distance between the two.
Both quantities are linear programs. Doubles propose the solutions of a program and of its dual; their values, computed
in the arithmetic that is current, enclose the truth. Where a parameter is a number of an interval, the programs are
those of cells of it (``experiments``), and the two numbers take account of what a cell leaves open.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from .. import checks
from ..arithmetic import approximate, largest, number, numbers, plain, smallest
from ..checks import Numbers
from .experiments import ENOUGH, ROUNDS, Groups, StatisticalExperiment, experiment, of_lists
from .families import Family, posterior
from .finite import Finite
from .joint_guessing import bound_and_risk, joint_experiment
from .laws import ParameterLaw, Tables, Wishart
from .many_draws import Enclosure
from .normal_laws import NormalGamma

Distances = Sequence[Sequence[Any]]
"""What a guess costs: a row for each dataset, with its distance to every other."""

Program = Callable[[Groups], tuple[Any, Any, Numbers]]
"""On groups of cells: a number below, a number above, and what each group lacks to bring them together."""


class LeCam(NamedTuple):
    """What every guess of the data errs by: at least the bound of Lemma 18, and the best one the risk.

    Each is known between two numbers. They are the ends of a rounding where the prior is a list.
    """

    bound_between: Enclosure
    risk_between: Enclosure

    @property
    def bound(self) -> float:
        """The bound of Lemma 18."""
        return self.bound_between.value

    @property
    def risk(self) -> float:
        """The least worst error."""
        return self.risk_between.value


def le_cam(family: Family, prior: ParameterLaw, datasets: Sequence[Any], size: int = 1) -> LeCam:
    r"""Lemma 18 for the posteriors of the datasets of a list, beside the exact minimax risk of guessing one of them.

    The guess is made from so many draws. The sets \(\mathcal S_1\) and \(\mathcal S_2\) are an initial and a final
    segment of the list, the best ones: so the list is best in an order in which neighbours are near. Of two datasets
    they are the two, and the bound is half their distance times one minus the total variation of the draws.

    >>> from dpbi.posterior_sampling import Beta, bernoulli, uniform
    >>> datasets = [[0, 0], [1, 0], [1, 1]]
    >>> found = le_cam(bernoulli(), uniform([0.2, 0.4, 0.6, 0.8]), datasets)
    >>> round(found.bound, 6), round(found.risk, 6)
    (0.333333, 0.478261)

    The prior is a list, or a law of one number: ``Gamma``, ``Beta``, ``Normal``, ``LogConcave``. Then bound and risk
    are each between two numbers, near each other unless the log ratios of more than two log-concave posteriors are not
    linear in one of them and there are many draws.

    >>> found = le_cam(bernoulli(), Beta(1, 1), datasets, size=2)
    >>> f"{found.bound:.4f} {found.risk:.4f}", found.risk_between.high - found.risk_between.low < 1e-4
    ('0.1994 0.2741', True)

    Laws of several numbers, ``Tables``, ``NormalGamma`` and ``Wishart``, are answered as ``joint_guessing`` says.

    >>> from dpbi.posterior_sampling import Tables, multinomial
    >>> found = le_cam(multinomial(3), Tables([[1.0, 1.0, 1.0]]), [[0, 0, 2], [0, 1, 2], [1, 1, 2]])
    >>> f"{found.bound:.4f} {found.risk:.4f}"
    '0.2778 0.3908'
    """
    if len(datasets) < 2:
        raise ValueError(f"datasets must have at least two entries, got {len(datasets)}")
    draws = checks.whole("size", size, least=1)
    laws: list[Any] = [posterior(family, prior, data) for data in datasets]
    distances = numbers([[family.distance(x, y) for y in datasets] for x in datasets])
    several = isinstance(laws[0], Tables | Wishart | NormalGamma)
    told = joint_experiment(laws, draws) if several else experiment(laws, draws)
    if told is None:
        return LeCam(*bound_and_risk(laws, distances, draws))
    return LeCam(_bound(told, distances), _risk(told, distances))


def minimax_risk(laws: Sequence[Finite], distances: Distances | None = None) -> float:
    r"""The least worst mean cost of the rules that guess a dataset from the draws, whatever the dataset.

    Without distances guess j costs \(|j - k|\), k the number of the dataset.

    A rule bounds it from above; a prior on k bounds it from below, by the Bayes risk.
    """
    return _risk(of_lists(laws), _in_order(len(laws)) if distances is None else numbers(distances)).value


def le_cam_bound(laws: Sequence[Finite], distances: Distances | None = None) -> float:
    r"""\(\max \delta \int \min(d\xi_1, d\xi_2)\) over an initial and a final segment of the data, \(2\delta\) apart.

    \(\xi_1\) and \(\xi_2\) are mixtures of the laws of either segment.
    """
    return _bound(of_lists(laws), _in_order(len(laws)) if distances is None else numbers(distances)).value


def _in_order(count: int) -> Numbers:
    """The distances of datasets that are told by how many ones they have."""
    return numbers([[abs(j - k) for j in range(count)] for k in range(count)])


def _risk(told: StatisticalExperiment, costs: Numbers) -> Enclosure:
    """The least worst mean cost."""
    return _narrowed(told, lambda groups: _minimax(groups, costs), largest(costs))


def _bound(told: StatisticalExperiment, costs: Numbers) -> Enclosure:
    """The best bound of Lemma 18, over all segments that have a distance."""
    first, promising, found = told.groups(told.first_groups()), [], [Enclosure(number(0), number(0))]
    for a, b in itertools.combinations(range(len(costs)), 2):
        half = smallest(costs[: a + 1, b:]) / 2
        if half > 0:
            program = _overlap_of(a + 1, b, half)
            below, above, _ = program(first)
            promising.append((float(above), program, half))
            found.append(Enclosure(below, above))
    if told.grouped:  # the segments that promise most come first
        found = found[:1]
        for most, program, half in sorted(promising, key=lambda entry: -entry[0]):
            if most > max(each.low for each in found):
                found.append(_narrowed(told, program, half))
    return Enclosure(*(plain(largest(list(ends))) for ends in zip(*found, strict=True)))


def _overlap_of(a: int, b: int, half: Any) -> Program:
    """Half of a distance times what two mixtures have in common."""

    def program(groups: Groups) -> tuple[Any, Any, Numbers]:
        below, above, lacking = _overlap(groups, a, b)
        return half * below, half * above, lacking

    return program


def _narrowed(told: StatisticalExperiment, program: Program, scale: Any) -> Enclosure:
    """What a program is between, its groups split until that is little or they are too many."""
    starts = told.first_groups()
    below, above, lacking = program(told.groups(starts))
    for _ in range(ROUNDS if told.grouped else 0):
        split = told.split(starts, lacking)
        if len(split) == len(starts) or above - below <= ENOUGH * above:
            break
        starts = split
        lower, upper, lacking = program(told.groups(starts))
        below, above = max(below, lower), min(above, upper)
    if told.slack:
        return Enclosure(max(float(below) - told.slack * float(scale), 0.0), float(above) + told.slack * float(scale))
    return Enclosure(plain(below), plain(above))


def _minimax(groups: Groups, costs: Numbers) -> tuple[Any, Any, Numbers]:
    """The least worst mean cost: a rule is a row of shares for each cell, one for each guess."""
    near, price = approximate(groups.masses), approximate(costs)
    data, cells = near.shape
    spent = (near[:, :, None] * price[:, None, :]).reshape(data, -1)
    one_guess: Any = sparse.hstack([sparse.kron(sparse.eye(cells), np.ones((1, data))), sparse.csr_array((cells, 1))])
    found: Any = linprog(
        [0.0] * (cells * data) + [1.0],
        A_ub=np.column_stack([spent, np.full(data, -1.0)]),
        b_ub=np.zeros(data),
        A_eq=one_guess,
        b_eq=np.ones(cells),
    )
    rule = _normalised(found.x[:-1].reshape(cells, data))
    prior = _normalised(-found.ineqlin.marginals)
    above = largest(((groups.masses @ rule) * costs).sum(axis=1))
    below, lacking = groups.least_mean(prior[:, None] * costs)
    return below, above, lacking


def _overlap(groups: Groups, a: int, b: int) -> tuple[Any, Any, Numbers]:
    r"""\(\max \int \min(d\xi_1, d\xi_2)\) over mixtures of the laws before a and of those from b on.

    Two mixtures bound it from below; a test, the share of each cell that it leaves to the first, from above.
    """
    near = approximate(groups.masses)
    first, last, cells = near[:a], near[b:], near.shape[1]
    unit, none = sparse.eye(cells), sparse.csr_array
    found: Any = linprog(
        [-1.0] * cells + [0.0] * (len(first) + len(last)),
        A_ub=sparse.block_array(
            [[unit, -first.T, none((cells, len(last)))], [unit, none((cells, len(first))), -last.T]]
        ),
        b_ub=np.zeros(2 * cells),
        A_eq=np.array([[*np.zeros(cells), *np.repeat([one, 1 - one], [len(first), len(last)])] for one in (1.0, 0.0)]),
        b_eq=[1.0, 1.0],
    )
    mixed, split = found.x[cells:], -found.ineqlin.marginals
    costs = numbers(np.zeros((len(near), 2)))
    costs[:a, 0], costs[b:, 1] = _normalised(mixed[:a]), _normalised(mixed[a:])
    test = _normalised(split.reshape(2, cells).T)
    above = largest(groups.masses[:a] @ test[:, 0]) + largest(groups.masses[b:] @ test[:, 1])
    below, lacking = groups.least_mean(costs)
    return below, above, lacking


def _normalised(values: Any) -> Numbers:
    """Weights that add up to one along the last axis, exactly, from doubles that nearly do; equal ones from zeros."""
    positive = np.maximum(values, 0.0)
    kept = numbers(np.where(positive.sum(axis=-1, keepdims=True) > 0, positive, 1.0))
    shares: Numbers = kept / kept.sum(axis=-1, keepdims=True)
    return shares
