r"""Exactness that can be checked: transition matrices of the algorithms on a grid, their noise integrated out.

On a finite grid an algorithm is a matrix P, entry for entry the probability of a move, and a theorem about its
stationary law is an identity between matrices: \(\pi P = \pi\), detailed balance \(\pi_i P_{ij} = \pi_j P_{ji}\), or
skew detailed balance \(\pi_x P_{xy} = \pi_y P_{Fy, Fx}\). All probabilities are in closed form; only Gauss-Bernoulli's
is an integral, evaluated to 1e-14. What an approximate algorithm gets wrong is the total variation distance between its
stationary law and the target. Over balls all of it is enclosed, and an identity holds to the last digit computed.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import exp, in_doubles, largest, log1p, normal_cdf, number, numbers, sqrt, zeros
from ..checks import Floats, Integers, Numbers
from .acceptance import (
    barker_acceptance,
    clipped,
    gauss_bernoulli_acceptance,
    metropolis_acceptance,
    penalty_acceptance,
    threshold_acceptance,
)
from .barker_rule import VARIANCE, batch_deviation, corrected_barker_acceptance, correction, row_bound
from .minibatch import batch_ratio, changed

__all__ = [
    "ROUNDING",
    "Grid",
    "along_components",
    "balance_error",
    "barker_acceptance",
    "bias",
    "clipped_path_law",
    "corrected_barker_acceptance",
    "flipped",
    "gauss_bernoulli_acceptance",
    "guided_transition",
    "invariance_error",
    "metropolis_acceptance",
    "minibatch_acceptance",
    "minibatch_barker_transition",
    "minibatch_transition",
    "penalty_acceptance",
    "probabilities",
    "ring_path",
    "ring_transition",
    "skew_balance_error",
    "spectral_gap",
    "stationary",
    "student_grid",
    "student_model",
    "threshold_acceptance",
    "transition",
    "walk",
]

ROUNDING = 1e-13
"""Errors below this are the rounding of sums of doubles, and differ from one processor to another."""

OVERFLOWING = 1e100
"""Weight from which a law that is not normalised yet is scaled down: far from the largest double, 1.8e308."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A target on a line of points: log likelihoods of the rows, shape (rows, points), and the log prior."""

    points: Numbers
    log_likelihood: Numbers
    log_prior: Numbers

    @cached_property
    def log_target(self) -> Numbers:
        """The log of the target, up to a constant."""
        return np.asarray(self.log_likelihood.sum(axis=0) + self.log_prior)

    @cached_property
    def target(self) -> Numbers:
        """The probabilities of the points."""
        return probabilities(self.log_target)

    @cached_property
    def distance(self) -> Numbers:
        """Between any two points."""
        return np.asarray(np.abs(self.points[:, None] - self.points))

    @cached_property
    def ratio(self) -> Numbers:
        """The log ratio of a move from i to j, prior included."""
        return np.asarray(self.log_target - self.log_target[:, None])

    @cached_property
    def prior_ratio(self) -> Numbers:
        """The log ratio of the prior."""
        return np.asarray(self.log_prior - self.log_prior[:, None])

    def clipped_rows(self, bound: Numbers) -> Numbers:
        """Every row's log ratio of the moves from i to j > i, clipped; those of the moves back are the negatives."""
        i, j = self.moves
        return np.asarray(clipped(self.log_likelihood[:, j] - self.log_likelihood[:, i], bound[i, j]))

    def clipped_ratio(self, clip: float) -> Numbers:
        """The log ratio with every row's clipped to ``clip`` times the distance."""
        there = self.clipped_rows(number(clip) * self.distance).sum(axis=0)
        return self.both_ways(there, -there) + self.prior_ratio

    @property
    def moves(self) -> tuple[Integers, Integers]:
        """The pairs of points i < j."""
        return np.triu_indices(len(self.points), 1)

    def both_ways(self, there: Numbers, back: Numbers) -> Numbers:
        """A matrix of what belongs to the moves from i to j > i and to the moves back; zero where nothing moves."""
        i, j = self.moves
        matrix = zeros(self.distance.shape)
        matrix[i, j], matrix[j, i] = there, back
        return matrix

    def among(self, places: Sequence[int]) -> "Grid":
        """The same target on some of the points."""
        chosen = list(places)
        return Grid(self.points[chosen], self.log_likelihood[:, chosen], self.log_prior[chosen])


def student_grid(points: int = 41, rows: int = 60, seed: int = 4, half_width: float = 2.0) -> Grid:
    """A Student-t location model, three degrees of freedom, with rows simulated at 0.3 and a normal prior."""
    x = 0.3 + np.random.default_rng(seed).standard_t(3, size=checks.whole("rows", rows, least=1))
    return student_model(x, points, half_width)


def student_model(rows: ArrayLike, points: int = 41, half_width: float = 2.0) -> Grid:
    """The same with rows that are given."""
    x, end, last = numbers(rows), number(half_width), checks.whole("points", points, least=2) - 1
    theta = numbers(range(last + 1)) * (2 * end / last) - end
    return Grid(theta, -2 * log1p((x[:, None] - theta) ** 2 / 3), -(theta**2) / 8)


def probabilities(log_weights: Numbers) -> Numbers:
    """A law from its logarithm up to a constant."""
    weight = exp(log_weights - largest(log_weights))
    return np.asarray(weight / weight.sum())


# From acceptance to a matrix


def walk(points: int, reach: int | None = None) -> Numbers:
    """A symmetric proposal on a line: uniform on the other points within reach; a move off the line stays."""
    apart = np.abs(np.arange(points)[:, None] - np.arange(points))
    within = points if reach is None else checks.whole("reach", reach, least=1)
    share = 1 / number(2 * min(within, points - 1))
    return np.asarray(np.where((apart > 0) & (apart <= within), share, number(0)))


def transition(proposal: Numbers, acceptance: Numbers) -> Numbers:
    """The matrix of a chain that proposes, accepts, or stays."""
    matrix = proposal * acceptance
    np.fill_diagonal(matrix, number(0))
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def guided_transition(acceptance: Numbers) -> Numbers:
    """The guided walk on a line: states (point, up), then (point, down); off the line is refused."""
    g = len(acceptance)
    above = np.arange(g)[:, None] < np.arange(g)
    up, down = (np.where(ahead, acceptance / (g - 1), number(0)) for ahead in (above, above.T))
    matrix = zeros((2 * g, 2 * g))
    matrix[:g, :g], matrix[g:, g:] = up, down
    state = np.arange(g)
    matrix[state, g + state], matrix[g + state, state] = 1 - up.sum(axis=1), 1 - down.sum(axis=1)
    return matrix


def along_components(log_target: Numbers, line: Callable[[Numbers], Numbers]) -> tuple[Numbers, Numbers]:
    """One-component updates on a rectangle of points: each axis in turn is picked with equal probability.

    ``line`` gives the matrix on a line from the log target there. Returned are the matrix on the whole rectangle, in C
    order, and the target.
    """
    shape = log_target.shape
    index = np.arange(log_target.size).reshape(shape)
    matrix = zeros((log_target.size, log_target.size))
    for axis in range(log_target.ndim):
        others = [range(size) for i, size in enumerate(shape) if i != axis]
        for place in itertools.product(*others):
            at: tuple[Any, ...] = (*place[:axis], slice(None), *place[axis:])
            states = index[at]
            matrix[np.ix_(states, states)] += line(log_target[at]) / log_target.ndim
    return matrix, probabilities(log_target.ravel())


def minibatch_acceptance(grid: Grid, batch: int, *, clip: float, tau: float | None, full: float = 1.0) -> Numbers:
    """The penalty test on batches, averaged over every batch of that size; ``tau`` None: no private noise."""
    bound = number(clip) * grid.distance
    kept = grid.clipped_rows(bound)
    whole = len(kept) * number(full)
    accepted = []
    for mean, variance in _batches(kept, batch):
        both = (batch_ratio(signed, variance, whole, batch) for signed in (mean, -mean))
        ratio = grid.both_ways(*both) + grid.prior_ratio
        if tau is None:
            accepted.append(metropolis_acceptance(ratio, number(0)))
        else:
            accepted.append(penalty_acceptance(ratio, sqrt(number(tau)) * changed(whole / batch, batch, bound)))
    return np.asarray(sum(accepted) / len(accepted))


def minibatch_transition(
    grid: Grid, proposal: Numbers, batch: int, *, clip: float, tau: float | None, full: float = 1.0
) -> Numbers:
    """The minibatch penalty algorithm, averaged over every batch of that size; ``tau`` None: no private noise."""
    return transition(proposal, minibatch_acceptance(grid, batch, clip=clip, tau=tau, full=full))


def minibatch_barker_transition(grid: Grid, proposal: Floats, batch: int, variance: float = VARIANCE) -> Floats:
    """Barker's private test, averaged over every batch of so many rows; in doubles, as its correction is."""
    n = len(grid.log_likelihood)
    kept = grid.clipped_rows(np.full(grid.distance.shape, row_bound(batch, n)))
    law = correction(variance)
    used = law.weights > 0
    accepted = []
    for mean, spread in _batches(kept, batch):
        deviation = batch_deviation(grid.both_ways(spread, spread), n, batch, variance)
        ratio = n * grid.both_ways(mean, -mean) + grid.prior_ratio
        accepted.append(normal_cdf((ratio[..., None] + law.atoms[used]) / deviation[..., None]) @ law.weights[used])
    return transition(proposal, np.asarray(sum(accepted) / len(accepted)))


def _batches(ratios: Numbers, batch: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Mean and variance of the rows' ratios over every batch of so many."""
    n = len(ratios)
    for chosen in itertools.combinations(range(n), checks.whole("batch", batch, least=2, below=n + 1)):
        part = ratios[list(chosen)]
        mean = part.sum(axis=0) / batch
        gap = part - mean
        yield mean, (gap * gap).sum(axis=0) / batch


def ring_path(kick: Integers, *, steps: int, noise: Numbers, closing: bool = True) -> Numbers:
    r"""Law of the end of a leapfrog path on a finite phase space: positions and momenta both on a ring of G points.

    A half kick at a position adds the whole number ``kick[position]`` plus a draw to the momentum; a drift adds the
    momentum to the position. As in ``hmc`` a draw serves the half kicks on both sides of its position. ``noise`` has
    the probabilities of the draws 0, 1, ...; states are ordered by position, then momentum. With ``closing=False`` the
    last half kick is left out, which is no longer reversible.
    """
    g = len(kick)
    position, momentum = np.divmod(np.arange(g * g), g)

    def kicked(law: Numbers, times: int) -> Numbers:
        found = zeros(law.shape)
        start, end = np.nonzero(law)
        for draw, weight in enumerate(noise):
            landed = position * g + (momentum + times * (kick[position] + draw)) % g
            found[start, landed[end]] += weight * law[start, end]
        return found

    drifted = (position + momentum) % g * g + momentum
    law = kicked(numbers(np.eye(g * g)), 1)
    for taken in range(1, steps + 1):
        moved = np.empty_like(law)
        moved[:, drifted] = law
        last = taken == steps
        law = kicked(moved, 1 if last else 2) if closing or not last else moved
    return law


def flipped(points: int) -> Integers:
    """The states of ``ring_path`` with the momentum reversed."""
    position, momentum = np.divmod(np.arange(points**2), points)
    return np.asarray(position * points + (-momentum) % points)


def ring_transition(log_target: Numbers, path: Numbers, *, momentum_sd: float, noise_rate: float) -> Numbers:
    """HMC with the penalty test on a ring: momentum drawn afresh, a path, a decision; the matrix on positions.

    Noise is ``noise_rate`` times the distance along the ring between the two ends.
    """
    g = len(log_target)
    apart = np.abs(np.arange(g)[:, None] - np.arange(g))
    distance = np.minimum(apart, g - apart)
    signed = (np.arange(g) + g // 2) % g - g // 2
    log_momentum = -numbers(signed**2) / (2 * number(momentum_sd) ** 2)
    energy = (log_target[:, None] + log_momentum).ravel()
    noise = numbers(distance) * number(noise_rate)
    accepted = path.copy()  # of a move that the path never makes nothing has to be known
    start, end = np.nonzero(path)
    accepted[start, end] *= penalty_acceptance(energy[end] - energy[start], noise[start // g, end // g])
    matrix = (accepted.reshape(g, g, g, g).sum(axis=3) * probabilities(log_momentum)[:, None]).sum(axis=1)
    matrix[np.arange(g), np.arange(g)] += 1 - matrix.sum(axis=1)
    return np.asarray(matrix)


def clipped_path_law(grid: Grid, clip: float) -> Numbers:
    r"""\(\tilde\pi(x_i) \propto \exp \sum_{m < i} \lambda_c(x_m, x_{m+1})\): where clipped moves to neighbours settle.

    A chain on a line that moves to neighbours only is reversible; with longer moves no such law exists in general.
    """
    rows, bound = np.diff(grid.log_likelihood), number(clip) * np.diff(grid.points)
    steps = clipped(rows, bound).sum(axis=0) + np.diff(grid.log_prior)
    return probabilities(np.concatenate([zeros(1), np.cumsum(steps)]))


# What a matrix satisfies


def invariance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Total variation distance between \(\pi P\) and \(\pi\)."""
    return _single(np.abs(target @ matrix - target).sum() / 2)


def balance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Largest \(|\pi_i P_{ij} - \pi_j P_{ji}|\)."""
    flow = target[:, None] * matrix
    return _single(largest(np.abs(flow - flow.T)))


def skew_balance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Largest \(|\pi_x P_{xy} - \pi_y P_{Fy, Fx}|\), F exchanging the two halves of the states."""
    flow = np.concatenate([target, target])[:, None] / 2 * matrix
    flip = np.roll(np.arange(len(matrix)), len(target))
    return _single(largest(np.abs(flow - flow[np.ix_(flip, flip)].T)))


def stationary(matrix: Numbers) -> Numbers:
    """The stationary law by Grassmann, Taksar and Heyman's elimination: no subtraction, every entry accurate."""
    a = numbers(matrix).copy()
    size = len(a)
    for n in range(size - 1, 0, -1):
        a[:n, n] /= a[n, :n].sum()
        a[:n, :n] += np.outer(a[:n, n], a[n, :n])
    law = numbers(np.ones(size))
    for n in range(1, size):
        law[n] = law[:n] @ a[:n, n]
        if in_doubles() and law[n] > OVERFLOWING:
            law[: n + 1] /= law[n]
    return np.asarray(law / law.sum())


def bias(matrix: Numbers, target: Numbers) -> float:
    """Total variation distance between the stationary law and the target."""
    return _single(np.abs(stationary(matrix) - target).sum() / 2)


def _single(value: Any) -> float:
    """One number: a double as Python's own, a ball as it is."""
    return float(value) if in_doubles() else cast(float, value)


def spectral_gap(matrix: Numbers) -> float:
    """One minus the largest modulus of an eigenvalue other than 1."""
    moduli = np.sort(np.abs(np.linalg.eigvals(matrix)))
    return float(1 - moduli[-2])
