r"""How good can a private release be? The best mechanism, and the one that attains it.

For two categories, among all \(\varepsilon\)-private mechanisms, the geometric one followed by a suitable remap of its
output is at least as close to the posterior as any other, at every dataset and for every threshold, because the
Hellinger loss \(r \mapsto H(x, r)\) falls up to x and rises after it (Theorem 2 of the page *Optimality*).

* ``least_mean_error`` and ``least_worst_error`` find the optimum by linear programming, and certify it.
* ``remapped`` and ``remapped_geometric`` attain the least mean error, ``minimax_remap`` the least worst-case error.
* ``dominating_remap`` builds, for any mechanism, the remap of the geometric one that beats it.

A remap sees only the release, the prior and n: it costs no privacy.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Law, Mechanism, a_mechanism, all_laws, geometric
from ..mechanisms.lattice_noise import log_sums, moved_lattice_laplace
from ..model.datasets import count_vectors, moves, row_number
from ..model.distances import distance, gamma_gap, lattice_distances
from ..model.predictive import log_step, marginal
from ..privacy.losses import audit

LARGEST_PROGRAM = 40_000
"""The most variables that a linear program may have, after its symmetry has been used."""

CLOSE = 5e-8
"""A solver's result is tried to be improved until value and bound are this close."""

BLOCK = 2_000_000
"""Numbers that a window of datasets around a run of outputs may hold."""

TAIL = 1e-16
"""Noise beyond which this share of it lies is left out of a remap's expected losses, which lie between 0 and 1."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best of a class of mechanisms: its loss, a lower bound for all of them, and its table.

    ``value`` is the loss of ``kernel``, a row of probabilities per dataset (per noisy output, for a remap). ``bound``
    is the value of a solution of the dual program, evaluated in full and rounded downwards: no member of the class
    has a smaller loss. ``weights`` are those of the datasets; for a worst case, the least favourable ones.
    """

    value: float
    bound: float
    kernel: Floats
    weights: Floats

    @property
    def gap(self) -> float:
        """What is left between the mechanism found and the lower bound for all."""
        return self.value - self.bound


# Linear programs


def least_mean_error(prior: ArrayLike, n: int, epsilon: float, weights: ArrayLike | None = None) -> Optimum:
    r"""The least expected Hellinger error of an \(\varepsilon\)-private mechanism that releases counts,

    \[ \min_P \sum_x w_x \sum_r P_{xr} H(x, r), \qquad P_{xr} \le e^{\varepsilon} P_{x'r} \quad (x \sim x') . \]
    The weights of the datasets are the prior's own, unless others are given in the order of ``count_vectors``.
    """
    alpha = checks.prior_weights(prior)
    w = dataset_weights(alpha, n, weights)
    return _private_program(alpha, n, checks.real("epsilon", epsilon, above=0), w)


def least_worst_error(prior: ArrayLike, n: int, epsilon: float) -> Optimum:
    r"""The least worst-case error of an \(\varepsilon\)-private mechanism, \(\min_P \max_x \sum_r P_{xr} H(x, r)\)."""
    return _private_program(checks.prior_weights(prior), n, checks.real("epsilon", epsilon, above=0), None)


def least_mean_loss(loss: ArrayLike, epsilon: float, weights: ArrayLike | None = None) -> Optimum:
    """The same for any table of losses, a row per dataset 0..n of two categories and a column per decision.

    The weights are equal unless given. With a loss that does not fall and then rise along some row, the geometric
    mechanism may fail to be best.
    """
    table = _loss_table(loss)
    w = _normalised(np.ones(len(table)) if weights is None else weights, len(table))
    x = np.arange(len(table) - 1)
    edges = np.concatenate([x, x + 1]), np.concatenate([x + 1, x])
    unchanged = _Symmetry(np.arange(len(table))[None], np.arange(table.shape[1])[None])
    return _program(table, w, edges, checks.real("epsilon", epsilon, above=0), unchanged)


def dataset_weights(prior: Floats, n: int, weights: ArrayLike | None) -> Floats:
    """Weights of the datasets with the sum one: the prior's own, or those given."""
    if weights is None:
        return marginal(prior, n)
    return _normalised(weights, len(count_vectors(n, len(prior))))


def _normalised(weights: ArrayLike, size: int) -> Floats:
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (size,) or not (np.isfinite(w) & (w >= 0)).all() or not w.sum() > 0:
        raise ValueError(
            f"weights must be {size} finite numbers >= 0, one per dataset and not all zero, got {weights!r}"
        )
    shares: Floats = w / w.sum()
    return shares


def _loss_table(loss: ArrayLike) -> Floats:
    table = np.asarray(loss, dtype=np.float64)
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise ValueError(f"loss must be a table of finite numbers, a row per dataset, got shape {table.shape}")
    return table


@dataclass(frozen=True, eq=False)
class _Symmetry:
    """Permutations of the datasets, and of the decisions with them, that leave a program unchanged: a row for each."""

    datasets: Integers
    decisions: Integers


def _private_program(prior: Floats, n: int, epsilon: float, weights: Floats | None) -> Optimum:
    vectors = count_vectors(n, len(prior))
    rows = _permutations(prior, vectors, weights)
    variables = len(vectors) ** 2 // len(rows)
    if variables > LARGEST_PROGRAM:
        raise ValueError(
            f"n must be small enough for a linear program of {LARGEST_PROGRAM:,} variables, got n={n}: it would have "
            f"about {variables:,}. For two categories remapped_geometric attains the least mean error at any n"
        )
    start, end = (np.concatenate(side) for side in zip(*moves(n, len(prior)), strict=True))
    return _program(lattice_distances(prior, vectors), weights, (start, end), epsilon, _Symmetry(rows, rows))


def _permutations(prior: Floats, vectors: Integers, weights: Floats | None) -> Integers:
    """The permutations of up to five categories that change neither prior nor weights, as row numbers of datasets."""
    k = len(prior)
    orders = [list(order) for order in permutations(range(k))] if k <= 5 else [list(range(k))]
    rows = [row_number(vectors[:, order]) for order in orders if np.array_equal(prior[order], prior)]
    return np.array([row for row in rows if weights is None or np.allclose(weights[row], weights, rtol=1e-12, atol=0)])


def _program(
    loss: Floats, weights: Floats | None, edges: tuple[Integers, Integers], epsilon: float, symmetry: _Symmetry
) -> Optimum:
    r"""Minimise the mean loss (without weights, the largest expected loss) over \(\varepsilon\)-private tables P.

    Averaging P over a symmetry makes neither larger, so one variable stands for each orbit of pairs (x, r).
    Multipliers \(y \ge 0\) of the privacy constraints give the lower bound
    \[ \sum_x w_x \sum_r P_{xr} l_{xr} \;\ge\; \sum_x \min_r \Bigl( w_x l_{xr}
       + \sum_{x' \sim x} \bigl(y_{xx'r} - e^{\varepsilon} y_{x'xr}\bigr) \Bigr) , \]
    which holds for every private P because its rows add up to one, whatever the solver did: multipliers that it finds
    slightly wrong cost tightness, not truth. For the worst case, any weights with the sum one give such a bound.
    """
    (D, R), (start, end), grow = loss.shape, edges, math.exp(epsilon)
    images = symmetry.datasets[:, :, None] * R + symmetry.decisions[:, None, :]
    orbit = np.unique(images.min(axis=0), return_inverse=True)[1].reshape(D, R)
    variables = int(orbit.max()) + 1
    pair, constraint, times = np.unique(orbit[start] * variables + orbit[end], return_inverse=True, return_counts=True)
    private = _rows(np.stack(np.divmod(pair, variables), axis=1), np.array([1.0, -grow]), variables)
    kind, row, members = np.unique(symmetry.datasets.min(axis=0), return_inverse=True, return_counts=True)
    one = _rows(orbit[kind], np.array(1.0), variables)
    if weights is None:  # one more variable, the largest expected loss, and it is minimised
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
            w, y = w / w.sum(), y / w.sum()
        kernel = np.maximum(solution[orbit], 0.0)
        kernel /= kernel.sum(axis=1, keepdims=True)
        risks = (kernel * loss).sum(axis=1)
        shared = (y / times)[constraint].reshape(len(start), R)  # the multiplier of every edge and decision
        out, back = np.zeros((D, R)), np.zeros((D, R))
        np.add.at(out, start, shared)
        np.add.at(back, end, shared)
        bound = (w[:, None] * loss + out - grow * back).min(axis=1).sum()
        terms = (w[:, None] * np.abs(loss) + out + grow * back).max(axis=1).sum() * (2 * len(start) / D + 8)
        value = risks.max() if weights is None else w @ risks
        return Optimum(float(value), float(bound - terms * 2.0**-53), kernel, w)

    return _best(certified(*found) for found in _solutions(cost, private, one))


def _rows(columns: Integers, values: Floats, width: int) -> Any:
    """A sparse matrix with the same number of entries in each row; entries at the same place add up."""
    height, entries = columns.shape
    where = (np.repeat(np.arange(height), entries), columns.ravel())
    return sparse.csr_array((np.broadcast_to(values, columns.shape).ravel(), where), shape=(height, width))


def _solutions(cost: Floats, below: Any, one: Any) -> Iterator[tuple[Floats, Floats]]:
    """Minimise cost over p >= 0 with below p <= (0, ..., 0) and one p = (1, ..., 1): p and the multipliers of below.

    The solver's tolerances are absolute, and it may fail at one scale of the costs and not at another.
    """
    for scale, method in ((1e3, "ds"), (1e5, "ds"), (1e2, "ds"), (1e3, "ipm"), (1e6, "ds"), (1e5, "ipm")):
        factor = scale / np.abs(cost).max()
        options: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        solver: Any = f"highs-{method}"
        found = linprog(
            factor * cost,
            A_ub=below,
            b_ub=np.zeros(below.shape[0]),
            A_eq=one,
            b_eq=np.ones(one.shape[0]),
            method=solver,
            options=options,
        )
        if found.status == 0 and found.x is not None:
            yield found.x, np.maximum(-found.ineqlin.marginals, 0.0) / factor


def _best(found: Iterable[Optimum]) -> Optimum:
    """The smallest value and the largest bound that were found, until they meet."""
    best = None
    for one in found:
        low, high = (one, one) if best is None else (min(best, one, key=_value), max(best, one, key=_bound))
        best = Optimum(low.value, high.bound, low.kernel, high.weights)
        if best.gap <= CLOSE:
            break
    if best is None:
        raise ArithmeticError("the linear program was not solved at any scale of its costs")
    return best


def _value(optimum: Optimum) -> float:
    return optimum.value


def _bound(optimum: Optimum) -> float:
    return optimum.bound


# Remaps: what is released is a function of what the mechanism gave


def remapped(mechanism: Mechanism, weights: ArrayLike | None = None) -> Mechanism:
    r"""The mechanism followed by the best deterministic remap: the output z becomes the count vector

    \[ s(z) \in \arg\min_s \sum_x w_x \Pr[z \mid x]\, H(x, s) , \]
    the one closest in expectation to the posterior that is not known. The weights of the datasets are the prior's own,
    unless others are given in the order of ``count_vectors``. By a table over all datasets and outputs.
    """
    base = a_mechanism(mechanism)

    @lru_cache(maxsize=4)
    def table(prior: tuple[float, ...], n: int) -> tuple[Integers, Integers]:
        alpha = np.array(prior)
        vectors, law = all_laws(base, alpha, n)
        w = dataset_weights(alpha, n, weights)
        with np.errstate(divide="ignore"):
            joint = np.log(w)[:, None] + law.log_probabilities
        posterior = np.exp(joint - np.maximum(joint.max(axis=0), -1e308))  # a constant factor per output is left out
        return law.outputs, vectors[(posterior.T @ lattice_distances(alpha, vectors)).argmin(axis=1)]

    def remap(prior: Floats, n: int, outputs: Integers) -> Integers:
        known, targets = table(tuple(prior.tolist()), n)
        return targets[_find(outputs, known)]

    return _after(base, f"{base.name}, remapped", remap)


def remapped_geometric(epsilon: float) -> Mechanism:
    """The geometric mechanism for two categories followed by its best remap: no private mechanism is closer.

    The same as ``remapped(geometric(epsilon))`` without a table, at any number of records.
    """
    e = checks.real("epsilon", epsilon, above=0)

    def remap(prior: Floats, n: int, outputs: Integers) -> Integers:
        if len(prior) != 2:
            raise ValueError(f"prior must have two categories for remapped_geometric, got {len(prior)}")
        first = geometric_remap(prior, n, e, outputs[:, 0])
        return np.stack([first, n - first], axis=-1)

    return _after(geometric(e), "geometric, remapped", remap)


def remapped_lattice(epsilon: float) -> Mechanism:
    """Lattice noise followed by its best remap, from all that the noisy vector tells: ``remapped`` of the moved vector.

    For two categories the same as ``remapped_geometric``; for more, the closest to the optimum of what is known here.
    """
    return replace(remapped(moved_lattice_laplace(epsilon)), name="lattice_laplace, remapped")


def _after(base: Mechanism, name: str, remap: Callable[[Floats, int, Integers], Integers]) -> Mechanism:
    """A mechanism followed by a function of its output, which costs no privacy."""

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        alpha, x = checks.dataset(prior, counts)
        return _pushed(base.law(alpha, x), alpha, int(x.sum()), remap)

    def laws(prior: ArrayLike, n: int) -> Law:
        alpha = checks.prior_weights(prior)
        return _pushed(all_laws(base, alpha, n)[1], alpha, n, remap)

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        alpha, x = checks.dataset(prior, counts)
        drawn, which = np.unique(base.sample(alpha, x, rng, size), axis=0, return_inverse=True)
        return remap(alpha, int(x.sum()), drawn)[which.ravel()]

    return Mechanism(name, base.promise, law, sample, base.guarantee, laws)


def _pushed(law: Law, prior: Floats, n: int, remap: Callable[[Floats, int, Integers], Integers]) -> Law:
    targets = remap(prior, n, law.outputs)
    rows = row_number(targets)
    order = np.argsort(rows, kind="stable")
    starts = np.flatnonzero(np.diff(rows[order], prepend=-1))
    return Law(targets[order[starts]], log_sums(law.log_probabilities[..., order], starts))


def _find(rows: Integers, known: Integers) -> Integers:
    """Where each row stands in an array of distinct rows; a row that is not there is an error of the caller's."""
    base = max(int(known.max(initial=0)), int(rows.max(initial=0))) + 1
    powers = np.array(
        [base**i for i in range(known.shape[1])], dtype=object if base ** known.shape[1] > 2**62 else None
    )
    codes = known @ powers
    order = np.argsort(codes)
    place: Integers = order[np.minimum(np.searchsorted(codes[order], rows @ powers), len(order) - 1)]
    if not np.array_equal(known[place], rows):
        raise ValueError("outputs must be among those of the mechanism's law")
    return place


def geometric_remap(prior: ArrayLike, n: int, epsilon: float, outputs: ArrayLike) -> Integers:
    r"""The best remap of the geometric mechanism's first count, for two categories and the prior's own weights.

    \[ s(z) = \arg\min_s J(s), \qquad J(s) = \sum_x p_x H(x, s), \qquad p_x \propto \Pr[x]\, e^{-\varepsilon|x - z|}. \]
    Because H rises on either side of x, \(J(s') \ge \sum_{x \le s} p_x H(x, s)\) for all \(s' \ge s\), and likewise
    downwards: candidates around z are tried until these sums exclude all others. Of equally good ones the closest to
    z is taken. The datasets summed over hold all but about ``TAIL`` of the probability.
    """
    alpha = checks.prior_weights(prior)
    if len(alpha) != 2:
        raise ValueError(f"prior must have two categories for geometric_remap, got {len(alpha)}")
    size, e = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL), checks.real("epsilon", epsilon, above=0)
    z = checks.count_vector(np.stack([np.asarray(outputs), size - np.asarray(outputs)], axis=-1), 2, name="outputs")
    distinct, which = np.unique(z[..., 0], return_inverse=True)
    width = min(size, math.ceil((-math.log(TAIL) + math.log1p(size) * np.maximum(1 - alpha, 0).sum()) / e) + 1)
    length = max(1, BLOCK // (2 * width + 1))
    breaks = np.flatnonzero(np.diff(distinct) > 1) + 1
    runs = [run[i : i + length] for run in np.split(distinct, breaks) for i in range(0, len(run), length)]
    targets = np.concatenate([_run_remap(alpha, size, e, run, width) for run in runs] or [distinct])
    return targets[which].reshape(z.shape[:-1])


def _run_remap(prior: Floats, n: int, epsilon: float, run: Integers, width: int) -> Integers:
    """The remap of consecutive outputs z. The datasets of each are x = z - width, ..., z + width."""
    p = _window_posteriors(prior, n, epsilon, run, width)
    if width < n and max(p[run > width, 0].max(initial=0), p[run < n - width, -1].max(initial=0)) > 1e3 * TAIL:
        return _run_remap(prior, n, epsilon, run, min(n, 2 * width))
    reach = min(n, math.ceil(2 / math.sinh(epsilon)))  # about twice the mean of |x - z|, and checked below
    while True:
        s = np.arange(run[0] - reach, run[-1] + reach + 1)[:, None]
        H = _distances(prior, n, s, s + np.arange(-width - reach, width + reach + 1))

        def expected(step: int, part: slice, H: Floats = H, reach: int = reach) -> Floats:
            """Sum over the datasets in part of the window of their losses, when z becomes z + step."""
            losses = H[reach + step : reach + step + len(run), reach - step : reach - step + p.shape[1]]
            sums: Floats = np.einsum("ij,ij->i", p[:, part], losses[:, part])
            return sums

        steps = np.array(sorted(range(-reach, reach + 1), key=abs))
        J = np.array([expected(step, slice(None)) for step in steps.tolist()])
        J[(run + steps[:, None] < 0) | (run + steps[:, None] > n)] = np.inf
        least = J.min(axis=0)
        right = (run + reach >= n) | (expected(reach, slice(width + reach + 1)) >= least)
        left = (run - reach <= 0) | (expected(-reach, slice(max(0, width - reach), None)) >= least)
        if (right & left).all():
            break
        reach = min(n, 2 * reach)
    best = np.where(J[0] * (1 - 1e-13) > J, J, np.inf).argmin(axis=0)  # the first, no step, where none is better
    targets: Integers = run + steps[best]
    return targets


def _window_posteriors(prior: Floats, n: int, epsilon: float, run: Integers, width: int) -> Floats:
    """Probabilities of the datasets in the window of each output, a row each; zero beyond 0..n."""
    x = np.arange(run[0] - width, run[-1] + width + 1)
    low, high = max(0, width - int(run[0])), min(len(x), n + 1 - int(x[0]))
    log_w = np.full(len(x), -np.inf)
    here = x[low : high - 1]
    log_w[low:high] = np.concatenate([[0.0], np.cumsum(log_step(prior[0], here) - log_step(prior[1], n - here - 1))])
    log_p = sliding_window_view(log_w, 2 * width + 1) - epsilon * np.abs(np.arange(-width, width + 1))
    p: Floats = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p


def _distances(prior: Floats, n: int, r: Integers, x: Integers) -> Floats:
    """Hellinger distances for two categories by first counts, broadcasting; those beyond 0..n are moved to the ends."""
    r, x = np.clip(r, 0, n), np.clip(x, 0, n)
    half = (x - r) / 2
    return distance(gamma_gap(prior[0] + r, prior[0] + x, half) + gamma_gap(prior[1] + n - r, prior[1] + n - x, -half))


def minimax_remap(mechanism: Mechanism, prior: ArrayLike, n: int) -> Optimum:
    r"""The randomised remap T of a mechanism's output with the least worst-case expected error,

    \[ \min_T \max_x \sum_z \Pr[z \mid x] \sum_s T_{zs} H(x, s) , \]
    by a linear program without a privacy constraint. ``kernel`` is T, a row per output of the mechanism's table.
    For the geometric mechanism on two categories its value is that of ``least_worst_error``.
    """
    alpha = checks.prior_weights(prior)
    vectors, law = all_laws(a_mechanism(mechanism), alpha, n)
    D, Z = len(vectors), len(law.outputs)
    loss, P = lattice_distances(alpha, vectors), law.probabilities
    if Z * D > LARGEST_PROGRAM:
        raise ValueError(f"n must be small enough for a linear program of {LARGEST_PROGRAM:,} variables, got n={n}")
    expected = (P[:, :, None] * loss[:, None, :]).reshape(D, Z * D)
    below = sparse.csr_array(np.column_stack([expected, np.full(D, -1.0)]))
    one = _rows(np.arange(Z * D).reshape(Z, D), np.array(1.0), Z * D + 1)

    def certified(solution: Floats, multipliers: Floats) -> Optimum:
        w = multipliers / multipliers.sum()
        T = np.maximum(solution[: Z * D].reshape(Z, D), 0.0)
        T /= T.sum(axis=1, keepdims=True)
        value = ((P @ T) * loss).sum(axis=1).max()
        bound = ((w[:, None] * P).T @ loss).min(axis=1).sum()
        return Optimum(float(value), float(bound - 2.0**-53 * (D + 8)), T, w)

    cost = np.append(np.zeros(Z * D), 1.0)
    return _best(certified(*found) for found in _solutions(cost, below, one))


# Domination


@dataclass(frozen=True, eq=False)
class Domination:
    """A remap of the geometric mechanism that is at least as close as a given mechanism, dataset by dataset.

    ``remap`` has a row for each first count that the geometric mechanism of this epsilon can release, and
    probabilities of what becomes of it. ``before`` and ``after`` are the expected errors of the given mechanism and of
    the remapped geometric one, at every dataset; ``violation`` is by how much, at worst, a threshold is less likely to
    be kept: Pr[r <= t] for t >= x, Pr[r > t] for t < x.
    """

    epsilon: float
    remap: Floats  # (n + 1, n + 1)
    before: Floats  # (n + 1,)
    after: Floats  # (n + 1,)
    violation: float


def dominating_remap(mechanism: Mechanism, prior: ArrayLike, n: int, epsilon: float | None = None) -> Domination:
    r"""The remap of Theorem 2, for any private mechanism on two categories that releases counts of n records.

    Epsilon is that of the mechanism's audit, unless a larger one is given. For a threshold t let p be the probability
    that the mechanism releases at most t when the first count is t. The geometric mechanism reaches the same
    probability with the event \(z \le s\), or \(z = s + 1\) and a coin: at datasets beyond t it is then at most as
    likely as the mechanism to fall short, at those up to t at least as likely to stay. The events grow with t, so one
    uniform number decides all of them at once.
    """
    alpha = checks.prior_weights(prior)
    if len(alpha) != 2:
        raise ValueError(f"prior must have two categories for a total order of the outputs, got {len(alpha)}")
    vectors, law = all_laws(a_mechanism(mechanism), alpha, n)
    if (law.outputs.sum(axis=1) != n).any():
        raise ValueError(f"mechanism must release counts of n={n} records, got {mechanism.name!r}")
    loss = audit(mechanism, alpha, n).epsilon
    e = loss if epsilon is None else checks.real("epsilon", epsilon, above=0)
    if not e >= loss * (1 - 1e-12) or not 0 < e < math.inf:
        raise ValueError(
            f"epsilon must be finite, > 0 and at least the mechanism's loss of {loss:.6g}, got epsilon={e:g}"
        )
    P = np.zeros((len(vectors), len(vectors)))
    P[:, row_number(law.outputs)] = law.probabilities
    below = np.minimum(np.cumsum(P, axis=1), 1.0)
    below[:, -1] = 1.0
    kept = np.array(threshold_remap(below.diagonal().tolist(), math.exp(-e)))
    G = geometric(e)
    after = np.array([G.law(alpha, x).probabilities for x in vectors]) @ kept
    x, t = np.ogrid[: len(vectors), : len(vectors)]
    violation = np.where(t >= x, below - after, after - below).max()
    distances = lattice_distances(alpha, vectors)
    T = np.diff(kept, axis=1, prepend=0.0)
    errors = [(table * distances).sum(axis=1) for table in (P, np.diff(after, axis=1, prepend=0.0))]
    return Domination(e, T, errors[0], errors[1], float(violation))


def threshold_remap(pivots: Sequence[Any], alpha: Any) -> list[list[Any]]:
    r"""Cumulative rows of the remap whose threshold t has the probability ``pivots[t]`` at the dataset t.

    \[ \Pr[Z \le s] = \frac{\alpha^{-s}}{1+\alpha} \;(s \le 0), \quad 1 - \frac{\alpha^{s+1}}{1+\alpha} \;(s \ge 0), \]
    and the event of threshold t is \(z \le t + s\), or \(z = t + s + 1\) with the probability that fills the rest.
    What lies beyond 0 and n was clamped there; given that, it is geometric and says nothing of the dataset. The numbers
    may be doubles, or fractions: then so is the result.
    """
    n = len(pivots) - 1
    rows = [[alpha * 0 for _ in pivots] for _ in pivots]
    for t, p in enumerate(pivots):
        s, share = _step_of(p, alpha)
        for z in range(n + 1):
            rows[z][t] = _clamped_event(z, n, t + s, share, alpha)
    for row in rows:  # rounding may let a threshold fall behind the one before
        for t in range(1, n + 1):
            row[t] = max(row[t - 1], row[t])
        row[n] = alpha * 0 + 1
    return rows


def _step_of(p: Any, alpha: Any) -> tuple[float, Any]:
    """The s and the share with Pr[Z <= s] + share Pr[Z = s + 1] = p; s is infinite where p is 0 or 1."""
    if p <= 0 or p >= 1:
        return (-math.inf if p <= 0 else math.inf), alpha * 0
    lower = p * (1 + alpha) < 1
    mass = p * (1 + alpha) if lower else (1 - p) * (1 + alpha)  # alpha^m reaches it between two powers
    m = max(1, round(math.log(mass) / math.log(alpha))) if mass > 0 else 1
    if lower:  # the smallest m with alpha^m <= mass
        while alpha**m > mass:
            m += 1
        while m > 1 and alpha ** (m - 1) <= mass:
            m -= 1
        return -m, (mass - alpha**m) / (alpha ** (m - 1) * (1 - alpha))
    while alpha ** (m + 1) >= mass:  # the largest m with alpha^m >= mass
        m += 1
    while m > 1 and alpha**m < mass:
        m -= 1
    return m - 1, (alpha**m - mass) / (alpha**m * (1 - alpha))


def _clamped_event(z: int, n: int, s: float, share: Any, alpha: Any) -> Any:
    """Probability of the event "at most s, or s + 1 and a coin" of the noisy count, given that it was clamped to z."""
    sure = alpha * 0 + 1
    if math.isinf(s) or n == 0:
        return sure if s > 0 else alpha * 0
    s = int(s)
    if z == 0:
        return sure if s >= 0 else alpha**-s + share * alpha ** (-s - 1) * (1 - alpha)
    if z == n:
        return alpha * 0 if s < n - 1 else 1 - alpha ** (s - n + 1) + share * alpha ** (s + 1 - n) * (1 - alpha)
    return sure if s >= z else share if s + 1 == z else alpha * 0
