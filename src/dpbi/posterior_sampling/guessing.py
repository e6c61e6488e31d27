r"""Le Cam's bound on the error of guessing the data from posterior draws (Lemma 18), and the minimax risk itself.

If dataset k of a list is the true dataset, the draws come from the posterior given dataset k. The cost of guessing
dataset j is the distance between datasets j and k. The bound and the minimax risk are optimal values of linear programs
over the counts of the draws. A floating-point solver finds a primal and a dual solution of each linear program. Both
solutions are then evaluated in the current arithmetic, and their values enclose the optimum.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from .. import checks
from ..arithmetic import approximate, between, largest, number, numbers, scalar, smallest
from ..checks import Numbers
from .families import Family, posterior_law
from .finite import Finite
from .samples import counts_law


class LeCam(NamedTuple):
    """Minimax risk of guessing a dataset from posterior draws, and Le Cam's lower bound on this risk.

    Both attributes are computed by linear programming. In ball arithmetic, each attribute is a ball that contains the
    values from the primal and the dual solution. In doubles, each attribute is the midpoint of these two values.

    Attributes:
        bound: Lower bound of Lemma 18 on the minimax risk.
        risk: The minimax risk, which the best guessing rule attains.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> found = le_cam(bernoulli(), uniform([0.2, 0.8]), [[0], [1]])  # a draw reveals the record with probability 0.8
    >>> round(found.bound, 6), round(found.risk, 6)
    (0.2, 0.2)
    """

    bound: float
    risk: float


def le_cam(family: Family, prior: Finite, datasets: Sequence[Any], size: int = 1) -> LeCam:
    r"""Le Cam's bound on the error of guessing a dataset from posterior draws (Lemma 18), and the minimax risk.

    The sets \(\mathcal S_1\) and \(\mathcal S_2\) of the lemma are an initial and a final segment of the list of
    datasets, chosen to maximise the bound. Datasets that are close to each other should therefore be adjacent in the
    list. For two datasets, the bound is half their distance times one minus the total variation between the
    distributions of the draws.

    Args:
        family: Likelihood family.
        prior: A distribution on a list of parameters.
        datasets: At least two datasets, all with the same number of records.
        size: Number of draws from which the dataset is guessed, at least 1.

    Returns:
        The bound and the minimax risk, in units of the distance of the family.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> found = le_cam(bernoulli(), uniform([0.2, 0.4, 0.6, 0.8]), [[0, 0], [1, 0], [1, 1]])
    >>> round(found.bound, 6), round(found.risk, 6)
    (0.333333, 0.478261)
    """
    sizes = [np.shape(data)[:1] for data in checks.listed("datasets", datasets)]
    checks.need(len(sizes) > 1, f"datasets must have at least two entries, got {len(sizes)}")
    checks.need(len({*sizes}) == 1, f"datasets must have the same number of records, got shapes {checks.brief(sizes)}")
    checks.typed("prior", prior, Finite, "a Finite law")
    draws = checks.whole("size", size, least=1)
    masses = np.array([counts_law(posterior_law(family, prior, data), draws).weights for data in datasets])
    costs = numbers([[family.distance(x, y) for y in datasets] for x in datasets])
    return LeCam(scalar(_bound(masses, costs)), scalar(_enclosed(*_minimax(masses, costs))))


def _bound(masses: Numbers, costs: Numbers) -> Any:
    """Largest bound of Lemma 18 over all pairs of disjoint initial and final segments of the list of datasets."""
    found = [number(0)]
    for a, b in itertools.combinations(range(len(costs)), 2):
        half = smallest(costs[: a + 1, b:]) / 2
        if half > 0:
            found.append(half * _enclosed(*_overlap(masses, a + 1, b)))
    return largest(found)


def _enclosed(below: Any, above: Any) -> Any:
    """Midpoint of a lower and an upper bound in doubles, or the hull of both bounds in ball arithmetic."""
    return below if below is above else between(below, above)


def _minimax(masses: Numbers, costs: Numbers) -> tuple[Any, Any]:
    """Lower and upper bounds on the minimax risk of guessing a dataset from the counts of draws.

    The variables of the linear program are the probability of each guess given each count vector of draws (a cell), and
    the largest mean cost over the datasets. The linear program minimises the largest mean cost. The dual solution is a
    prior on the datasets, whose Bayes risk is the lower bound.
    """
    near, price = approximate(masses), approximate(costs)
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
    return _bayes_risk(masses, prior[:, None] * costs), largest(((masses @ rule) * costs).sum(axis=1))


def _overlap(masses: Numbers, a: int, b: int) -> tuple[Any, Any]:
    r"""Lower and upper bounds on \(\max \int \min(d\xi_1, d\xi_2)\) over pairs of mixtures of the draws' distributions.

    Here \(\xi_1\) is a mixture of the first a distributions of the list, and \(\xi_2\) is a mixture of the
    distributions with indices of at least b. The primal solution, a pair of mixtures, gives the lower bound. The dual
    solution, a test, gives the upper bound.
    """
    near = approximate(masses)
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
    above = largest(masses[:a] @ test[:, 0]) + largest(masses[b:] @ test[:, 1])
    return _bayes_risk(masses, costs), above


def _bayes_risk(masses: Numbers, costs: Numbers) -> Any:
    r"""Mean cost \(\sum \min_j \sum_k c_{kj} P_k\) of the best guess j for each count vector."""
    means = masses.T @ costs
    return means[np.arange(len(means)), approximate(means).argmin(axis=1)].sum()


def _normalised(values: Any) -> Numbers:
    """Normalise doubles that nearly add up to one along the last axis, so that their exact sum is one.

    A row with no positive entry becomes a uniform distribution.
    """
    positive = np.maximum(values, 0.0)
    kept = numbers(np.where(positive.sum(axis=-1, keepdims=True) > 0, positive, 1.0))
    shares: Numbers = kept / kept.sum(axis=-1, keepdims=True)
    return shares
