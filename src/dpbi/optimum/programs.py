r"""Best mechanisms that release counts, found by linear programming, and lower bounds on the loss of any of them.

* ``least_mean_error`` and ``least_worst_error`` find the best \(\varepsilon\)-private mechanism that releases counts.
* ``least_mean_loss`` finds the best \(\varepsilon\)-private mechanism that makes a decision, for any table of losses.
* ``minimax_remap`` finds the best randomised remap of a given mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from .. import checks
from ..checks import Floats, Integers, need
from ..mechanisms import Mechanism, all_laws, lattice_laplace
from ..mechanisms.remaps import dataset_weights, normalised_weights
from ..model.datasets import count_vectors, neighbour_rows, row_number
from ..model.distances import lattice_distances

# Largest number of variables of a linear program, after its symmetry has been used (chosen).
MAX_VARIABLES = 40_000

# Least epsilon at which lattice noise is returned without solving a linear program, because rounding errors of the
# solvers swamp factors of e^25 = 7e10. The error of lattice noise is then below 2e-9 for up to twelve categories
# (measured), and no mechanism has an error below zero.
MIN_LATTICE_EPSILON = 25.0

# Largest difference between value and bound at which no further solver or scale is tried: half a unit of the seventh
# decimal.
CERTIFIED_GAP = 5e-8

# Relative margin below e^epsilon for the ratios of a private table (chosen); it exceeds the accumulated rounding errors
# of a row of 4,000 entries and of its sum.
PRIVATE_MARGIN = 2.0**-40

Pairs = tuple[Integers, Integers]


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """Best mechanism of a class, and a lower bound on the loss of every mechanism of the class.

    Attributes:
        value: Loss of the mechanism found, rounded upwards, including the cost of making the solver's table exactly
            private.
        bound: Lower bound for the class: the value of a dual solution of the full linear program, rounded downwards.
        kernel: The mechanism, as a table with one row of probabilities for each dataset or, for a remap, for each noisy
            output. For a private mechanism, the ratios of these doubles at neighbouring datasets, taken as exact
            numbers, are at most e^epsilon, and neighbouring rows have zeros in the same columns.
        weights: Weights of the datasets; for a worst-case error, the least favourable weights found.

    >>> found = least_mean_error([1, 1], 5, epsilon=1.0)
    >>> found, found.kernel.shape, found.gap < 1e-6
    (<Optimum 0.187714, at least 0.187714>, (6, 6), True)
    """

    value: float
    bound: float
    kernel: Floats
    weights: Floats

    def __repr__(self) -> str:
        return f"<Optimum {self.value:.6g}, at least {self.bound:.6g}>"

    @property
    def gap(self) -> float:
        """Difference between the value and the bound."""
        return self.value - self.bound


def least_mean_error(prior: ArrayLike, n: int, epsilon: float, weights: ArrayLike | None = None) -> Optimum:
    r"""Least expected Hellinger error of an \(\varepsilon\)-private mechanism that releases counts.

    The optimal value is

    \[ \min_P \sum_x w_x \sum_r P_{xr} H(x, r), \qquad P_{xr} \le e^{\varepsilon} P_{x'r} \quad (x \sim x') . \]

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        epsilon: Privacy parameter, > 0.
        weights: Weights of the datasets, in the order of ``count_vectors``; by default, their predictive probabilities.

    Returns:
        The least mean error with a lower bound, and an epsilon-private mechanism whose error is ``value``.

    Raises:
        ValueError: If the linear program would be too large.

    >>> round(least_mean_error([1, 1], 5, epsilon=1.0).value, 6)
    0.187714
    >>> least_mean_error([1, 1], 0, epsilon=1.0).value  # with no records there is nothing to hide
    0.0
    """
    alpha = checks.prior_weights(prior)
    w = dataset_weights(alpha, n, weights)
    return _private_program(alpha, n, checks.real("epsilon", epsilon, above=0), w)


def least_worst_error(prior: ArrayLike, n: int, epsilon: float) -> Optimum:
    r"""Least worst-case Hellinger error of an \(\varepsilon\)-private mechanism that releases counts.

    The optimal value is

    \[ \min_P \max_x \sum_r P_{xr} H(x, r) . \]

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.
        epsilon: Privacy parameter, > 0.

    Returns:
        The least worst-case error with a lower bound, and an epsilon-private mechanism whose error is ``value``.

    Raises:
        ValueError: If the linear program would be too large.

    >>> round(least_worst_error([1, 1], 5, epsilon=1.0).value, 6)
    0.20275
    """
    return _private_program(checks.prior_weights(prior), n, checks.real("epsilon", epsilon, above=0), None)


def least_mean_loss(loss: ArrayLike, epsilon: float, weights: ArrayLike | None = None) -> Optimum:
    """Least mean loss of an epsilon-private mechanism that makes a decision, for two categories and a table of losses.

    Remaps of the geometric mechanism need not attain the least mean loss if the losses of a row increase and then
    decrease; the tests contain an example.

    Args:
        loss: Loss of each decision at each dataset, with one row for each first count 0..n.
        epsilon: Privacy parameter, > 0 and < 25, because rounding errors of the solvers swamp larger factors e^epsilon.
        weights: Weights of the datasets; by default, equal weights.

    Returns:
        The least mean loss with a lower bound, and a mechanism that attains the least mean loss.

    >>> round(least_mean_loss([[0, 1], [1, 0]], epsilon=1.0).value, 6)  # randomised response: 1 / (1 + e)
    0.268941
    >>> least_mean_loss([[0, 1], [1]], epsilon=1.0)
    Traceback (most recent call last):
    ...
    ValueError: loss must be a table of finite numbers, a row per dataset, got a ragged sequence
    """
    allowed = "a table of finite numbers, a row per dataset"
    table = checks.numeric("loss", loss, allowed).astype(np.float64)
    need(table.ndim == 2 and table.size, f"loss must be {allowed}, got shape {table.shape}")
    need(np.isfinite(table).all(), f"loss must be {allowed}, got {loss!r}")
    w = normalised_weights(np.ones(len(table)) if weights is None else weights, len(table))
    x = np.arange(len(table) - 1)
    edges = np.concatenate([x, x + 1]), np.concatenate([x + 1, x])
    unchanged = np.arange(len(table))[None], np.arange(table.shape[1])[None]
    return _program(table, w, edges, checks.real("epsilon", epsilon, above=0, below=MIN_LATTICE_EPSILON), unchanged)


def minimax_remap(mechanism: Mechanism, prior: ArrayLike, n: int) -> Optimum:
    r"""Randomised remap T of a mechanism's outputs that minimises the worst-case expected error.

    The remap attains

    \[ \min_T \max_x \sum_z \Pr[z \mid x] \sum_s T_{zs} H(x, s) \]
    and is found by a linear program without a privacy constraint. The attribute ``kernel`` of the result is T, with one
    row for each output of the mechanism. For the geometric mechanism on two categories, the least worst-case error
    equals that of ``least_worst_error``.

    Args:
        mechanism: A mechanism, for example ``lshist(0.8)``.
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        The least worst-case error, a lower bound on it, and the remap T.

    Raises:
        ValueError: If the linear program would be too large.

    >>> from dpbi import geometric
    >>> round(minimax_remap(geometric(1.0), [1, 1], 5).value, 6)
    0.20275
    """
    alpha = checks.prior_weights(prior)
    vectors, law = all_laws(Mechanism.checked(mechanism), alpha, n)
    D, Z = len(vectors), len(law.outputs)
    loss, P = lattice_distances(alpha, vectors), law.probabilities
    need(Z * D <= MAX_VARIABLES, f"n must be small enough for a program of {MAX_VARIABLES:,} variables, got n={n}")
    expected = (P[:, :, None] * loss[:, None, :]).reshape(D, Z * D)
    below = sparse.csr_array(np.column_stack([expected, np.full(D, -1.0)]))
    one = _rows(np.arange(Z * D).reshape(Z, D), np.array(1.0), Z * D + 1)

    def certified(solution: Floats, multipliers: Floats) -> Optimum:
        w, _ = _scaled(multipliers, multipliers)
        T = np.maximum(solution[: Z * D].reshape(Z, D), 0.0)
        T /= T.sum(axis=1, keepdims=True)
        value = ((P @ T) * loss).sum(axis=1).max()
        bound = ((w[:, None] * P).T @ loss).min(axis=1).sum()
        return Optimum(float(value), float(bound - 2.0**-53 * (D + 8)), T, w)

    cost = np.append(np.zeros(Z * D), 1.0)
    return _best(certified(*found) for found in _solutions(cost, below, one))


def _private_program(prior: Floats, n: int, epsilon: float, weights: Floats | None) -> Optimum:
    """Best private mechanism that releases counts, for the mean error with given weights or the worst-case error."""
    vectors = count_vectors(n := checks.record_count(n), len(prior))
    rows = _permutations(prior, vectors, weights)
    variables = len(vectors) ** 2 // len(rows)
    allowed = f"small enough for a linear program of {MAX_VARIABLES:,} variables, got n={n}"
    instead = "For two categories remapped_geometric attains the least mean error at any n"
    need(variables <= MAX_VARIABLES, f"n must be {allowed}: it would have about {variables:,}. {instead}")
    if epsilon >= MIN_LATTICE_EPSILON:
        return _lattice_noise(prior, n, epsilon, weights)
    pairs = neighbour_rows(n, len(prior))
    return _program(lattice_distances(prior, vectors), weights, pairs, epsilon, (rows, rows))


def _lattice_noise(prior: Floats, n: int, epsilon: float, weights: Floats | None) -> Optimum:
    """Lattice noise, which has a negligible error for large epsilon, with the lower bound 0."""
    vectors, law = all_laws(lattice_laplace(epsilon), prior, n)
    kernel = _private(law.probabilities, neighbour_rows(n, len(prior)), epsilon)
    w = np.full(len(vectors), 1 / len(vectors)) if weights is None else weights
    return Optimum(_loss(kernel, lattice_distances(prior, vectors), weights), 0.0, kernel, w)


def _loss(kernel: Floats, loss: Floats, weights: Floats | None) -> float:
    """Mean loss of a table, or the largest expected loss if there are no weights, rounded upwards."""
    risks = (kernel * loss).sum(axis=1)
    return float(risks.max() if weights is None else weights @ risks) * (1 + 2.0**-53 * (sum(kernel.shape) + 8))


def _private(table: Floats, edges: Pairs, epsilon: float) -> Floats:
    r"""Table close to a given table, with ratios of at most \(e^{\varepsilon}\) between the doubles at neighbours.

    A solver satisfies \(P_{xr} \le e^{\varepsilon} P_{x'r}\) up to some \(\delta\). A mixture of the table, with weight
    \(1 - t\), and uniform probabilities 1/R, with weight t, satisfies the inequality if \(\delta \le t (e^{\varepsilon}
    - 1) / R\). The result is tested with a margin for the rounding errors of \(e^{\varepsilon}\), of the product and of
    the sum of a row. If epsilon is at most twice this margin, all rows of the result are equal.
    """
    (start, end), share = edges, 0.0
    if epsilon > 2 * PRIVATE_MARGIN:
        grow = math.exp(min(epsilon, 100.0)) * (1 - PRIVATE_MARGIN)  # larger factors would gain nothing
        share = max(0.0, (table[start] - grow * table[end]).max(initial=0.0)) * table.shape[1] / (grow - 1)
        while share < 0.5:
            mixed = (1 - share) * table + share / table.shape[1]
            mixed /= mixed.sum(axis=1, keepdims=True)
            if (mixed[start] <= grow * mixed[end]).all():
                return np.asarray(mixed)
            share = 1.5 * share + 2.0**-60
    return np.repeat(table.mean(axis=0, keepdims=True), len(table), axis=0)


def _permutations(prior: Floats, vectors: Integers, weights: Floats | None) -> Integers:
    """Permutations of up to five categories that preserve the prior and the weights, as row numbers of datasets."""
    k = len(prior)
    orders = [list(order) for order in permutations(range(k))] if k <= 5 else [list(range(k))]
    rows = [row_number(vectors[:, order]) for order in orders if np.array_equal(prior[order], prior)]
    return np.array([row for row in rows if weights is None or np.allclose(weights[row], weights, rtol=1e-12, atol=0)])


def _program(loss: Floats, weights: Floats | None, edges: Pairs, epsilon: float, symmetry: Pairs) -> Optimum:
    r"""Minimise the mean loss, or the largest expected loss if ``weights`` is None, over private tables P.

    Averaging P over a symmetry increases neither loss, so one variable represents each orbit of pairs (x, r).
    Multipliers \(y \ge 0\) of the privacy constraints give the lower bound
    \[ \sum_x w_x \sum_r P_{xr} l_{xr} \;\ge\; \sum_x \min_r \Bigl( w_x l_{xr}
       + \sum_{x' \sim x} \bigl(y_{xx'r} - e^{\varepsilon} y_{x'xr}\bigr) \Bigr) , \]
    which is valid for every private P because the rows of P add up to one. This bound is valid for all nonnegative
    multipliers, so inaccurate multipliers from the solver loosen the bound but do not invalidate it. For the worst-case
    loss, any weights that add up to one give a lower bound of this form.
    """
    (D, R), (start, end), (datasets, decisions), grow = loss.shape, edges, symmetry, math.exp(epsilon)
    # orbits of pairs (x, r) under the symmetries: each orbit is numbered by its least pair
    images = datasets[:, :, None] * R + decisions[:, None, :]
    orbit = np.unique(images.min(axis=0), return_inverse=True)[1].reshape(D, R)
    variables = int(orbit.max()) + 1
    pair, constraint, times = np.unique(orbit[start] * variables + orbit[end], return_inverse=True, return_counts=True)
    private = _rows(np.stack(np.divmod(pair, variables), axis=1), np.array([1.0, -grow]), variables)
    kind, row, members = np.unique(datasets.min(axis=0), return_inverse=True, return_counts=True)
    one = _rows(orbit[kind], np.array(1.0), variables)
    if weights is None:  # the largest expected loss is an additional variable, which is minimised
        expected = _rows(orbit[kind], loss[kind], variables)
        largest: Any = sparse.csr_array(np.full((len(kind), 1), -1.0))
        private = sparse.block_array([[private, None], [expected, largest]], format="csr")
        one.resize(len(kind), variables + 1)
        cost = np.append(np.zeros(variables), 1.0)
    else:
        cost = np.bincount(orbit.ravel(), (weights[:, None] * loss).ravel())

    def certified(solution: Floats, multipliers: Floats) -> Optimum:
        y, w = multipliers[: len(pair)], weights
        if w is None:
            w = (multipliers[len(pair) :] / members)[row]
            w, y = _scaled(w, y)
        kernel = np.maximum(solution[orbit], 0.0)
        kernel = _private(kernel / kernel.sum(axis=1, keepdims=True), edges, epsilon)
        shared = (y / times)[constraint].reshape(len(start), R)  # the multiplier of every edge and decision
        out, back = np.zeros((D, R)), np.zeros((D, R))
        np.add.at(out, start, shared)
        np.add.at(back, end, shared)
        bound = (w[:, None] * loss + out - grow * back).min(axis=1).sum()
        # allowance for rounding: the absolute terms times the number of operations, in units of 2^-53
        terms = (w[:, None] * np.abs(loss) + out + grow * back).max(axis=1).sum() * (2 * len(start) / D + 8)
        return Optimum(_loss(kernel, loss, weights), float(bound - terms * 2.0**-53), kernel, w)

    return _best(certified(*found) for found in _solutions(cost, private, one))


def _scaled(weights: Floats, others: Floats) -> tuple[Floats, Floats]:
    """Weights scaled to add up to one, and other multipliers scaled by the same factor.

    If all weights are zero, the weights become equal and the other multipliers zero.
    """
    total = weights.sum()
    if total > 0:
        return weights / total, others / total
    return np.full(len(weights), 1 / len(weights)), np.zeros(len(others))


def _rows(columns: Integers, values: Floats, width: int) -> Any:
    """Sparse matrix with the same number of entries in each row; entries at the same place are added."""
    height, entries = columns.shape
    where = (np.repeat(np.arange(height), entries), columns.ravel())
    return sparse.csr_array((np.broadcast_to(values, columns.shape).ravel(), where), shape=(height, width))


def _solutions(cost: Floats, below: Any, one: Any) -> Iterator[tuple[Floats, Floats]]:
    """Solutions p of a linear program from several solvers, with the multipliers of the inequalities.

    The program minimises ``cost`` p over p >= 0 with ``below`` p <= (0, ..., 0) and ``one`` p = (1, ..., 1). The
    tolerances of the solvers are absolute, so a solver may fail at one scale of the costs and succeed at another.
    """
    from scipy.optimize import linprog  # imported here, since the import takes longer than most calls of the library

    zeros, ones = np.zeros(below.shape[0]), np.ones(one.shape[0])
    for scale, method in ((1e3, "ds"), (1e5, "ds"), (1e2, "ds"), (1e3, "ipm"), (1e6, "ds"), (1e5, "ipm")):
        factor = scale / (np.abs(cost).max() or 1.0)  # 1.0 if all costs are 0
        options: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        solver: Any = f"highs-{method}"
        found = linprog(factor * cost, below, zeros, one, ones, method=solver, options=options)
        if found.status == 0 and found.x is not None:
            yield found.x, np.maximum(-found.ineqlin.marginals, 0.0) / factor


def _best(found: Iterable[Optimum]) -> Optimum:
    """Smallest value and largest bound over several solutions, until the gap is at most ``CERTIFIED_GAP``."""
    seen: list[Optimum] = []
    for one in found:
        seen.append(one)
        low, high = min(seen, key=lambda each: each.value), max(seen, key=lambda each: each.bound)
        if low.value - high.bound <= CERTIFIED_GAP:
            break
    need(seen, "the linear program was not solved at any scale of its costs: try a smaller epsilon", ArithmeticError)
    return Optimum(low.value, high.bound, low.kernel, high.weights)
