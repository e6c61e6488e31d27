r"""Transition matrices of the algorithms on a grid, averaged over the noise, to check whether the algorithms are exact.

On a finite grid, an algorithm is described by a matrix P of transition probabilities. A theorem about the stationary
distribution is then an identity between matrices: invariance \(\pi P = \pi\), detailed balance
\(\pi_i P_{ij} = \pi_j P_{ji}\), or skew detailed balance \(\pi_x P_{xy} = \pi_y P_{Fy, Fx}\). Every acceptance
probability has a closed form, except that of the Gauss-Bernoulli algorithm. For Gauss-Bernoulli, the acceptance
probability is an integral that is computed with an absolute error below 2.6e-14. The bias of an approximate algorithm
is the total variation distance between its stationary distribution and the target. In ball arithmetic, every entry of a
matrix has a rigorous error bound, so an identity is checked to the last computed digit.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import exp, in_doubles, largest, log1p, number, numbers, scalar, sqrt, zeros
from ..checks import Numbers
from .acceptance import clipped, penalty_acceptance
from .minibatch import batch_ratio, batch_sensitivity

# chosen: several hundred rounding errors of 1e-16; errors below this threshold differ between processors
ROUNDING = 1e-13
"""Threshold below which an error is attributed to rounding; pages show this number instead of a smaller error."""

# chosen: far below the largest double, 1.8e308, so that no product overflows before the weights are rescaled
RESCALE_ABOVE = 1e100
"""Weight above which ``stationary`` rescales its unnormalised probabilities."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A target distribution on a grid of g points on a line.

    Attributes:
        points: The points, in increasing order.
        log_likelihood: Log likelihood of each row at each point, shape (rows, g).
        log_prior: Log prior at each point.
    """

    points: Numbers
    log_likelihood: Numbers
    log_prior: Numbers

    @cached_property
    def log_target(self) -> Numbers:
        """Log probability of each point under the target, up to a constant."""
        return np.asarray(self.log_likelihood.sum(axis=0) + self.log_prior)

    @cached_property
    def target(self) -> Numbers:
        """Target probabilities of the points."""
        return probabilities(self.log_target)

    @cached_property
    def distance(self) -> Numbers:
        """Distances between all pairs of points, shape (g, g)."""
        return np.asarray(np.abs(self.points[:, None] - self.points))

    @cached_property
    def ratio(self) -> Numbers:
        """Log ratio of the target for each move from i to j, shape (g, g)."""
        return np.asarray(self.log_target - self.log_target[:, None])

    @cached_property
    def prior_ratio(self) -> Numbers:
        """Log ratio of the prior for each move from i to j, shape (g, g)."""
        return np.asarray(self.log_prior - self.log_prior[:, None])

    def clipped_rows(self, bound: Numbers) -> Numbers:
        """Log ratio of every row for each move from i to j, clipped to the bound of the move; shape (rows, g, g)."""
        return np.asarray(clipped(self.log_likelihood[:, None, :] - self.log_likelihood[:, :, None], bound))

    def clipped_ratio(self, clip: float) -> Numbers:
        """Log ratio for each move from i to j, with each row's log ratio clipped to ``clip`` times the distance."""
        return np.asarray(self.clipped_rows(number(clip) * self.distance).sum(axis=0) + self.prior_ratio)


def student_grid(points: int = 41, rows: int = 60, seed: int = 4) -> Grid:
    """Student-t location model with three degrees of freedom and a N(0, 4) prior, for rows simulated at location 0.3.

    Args:
        points: Number of grid points, equally spaced from -2 to 2.
        rows: Number of simulated rows.
        seed: Seed of the simulated rows.

    Returns:
        The model on the grid.
    """
    x = 0.3 + np.random.default_rng(seed).standard_t(3, size=checks.whole("rows", rows, least=1))
    return student_model(x, points)


def student_model(rows: ArrayLike, points: int = 41) -> Grid:
    """Student-t location model with three degrees of freedom and a N(0, 4) prior, for given rows.

    Args:
        rows: The rows, each of which is one number.
        points: Number of grid points, equally spaced from -2 to 2.

    Returns:
        The model on the grid.
    """
    x, last = numbers(rows), checks.whole("points", points, least=2) - 1
    theta = numbers(range(last + 1)) * (number(4) / last) - 2
    return Grid(theta, -2 * log1p((x[:, None] - theta) ** 2 / 3), -(theta**2) / 8)


def probabilities(log_weights: Numbers) -> Numbers:
    """Probabilities computed from log probabilities that are known up to a constant."""
    weight = exp(log_weights - largest(log_weights))  # the largest exponent is 0, so nothing overflows
    return np.asarray(weight / weight.sum())


# From acceptance probabilities to a transition matrix


def walk(points: int, reach: int | None = None) -> Numbers:
    """Symmetric proposal matrix on a line of points, uniform over the moves of at most ``reach`` steps.

    A proposed move off the line leaves the state unchanged.

    Args:
        points: Number of points on the line, >= 2.
        reach: Length of the longest move in steps, >= 1; None for no limit.

    Returns:
        Matrix of shape (points, points) with a zero diagonal. A row may sum to less than 1; the remainder is the
        probability of a proposal off the line.

    >>> walk(1)
    Traceback (most recent call last):
    ValueError: points must be an integer >= 2, got points=1
    >>> walk(3)[0].tolist()
    [0.0, 0.25, 0.25]
    """
    size = checks.whole("points", points, least=2)
    apart = np.abs(np.arange(size)[:, None] - np.arange(size))
    within = size if reach is None else checks.whole("reach", reach, least=1)
    share = 1 / number(2 * min(within, size - 1))
    return np.asarray(np.where((apart > 0) & (apart <= within), share, number(0)))


def transition(proposal: Numbers, acceptance: Numbers) -> Numbers:
    """Transition matrix from a proposal matrix and acceptance probabilities; a rejection leaves the state unchanged.

    Args:
        proposal: Proposal matrix.
        acceptance: Acceptance probability of each move.

    Returns:
        Transition matrix of the same shape.
    """
    matrix = proposal * acceptance
    np.fill_diagonal(matrix, number(0))
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    return matrix


def guided_transition(acceptance: Numbers) -> Numbers:
    """Transition matrix of the guided walk on a line.

    The states (point, up) come first, in the order of the points, and the states (point, down) follow.

    A move off the line is rejected, and a rejection reverses the direction.

    Args:
        acceptance: Acceptance probability of each move between g points, shape (g, g).

    Returns:
        The transition matrix, shape (2g, 2g).
    """
    g = len(acceptance)
    above = np.arange(g)[:, None] < np.arange(g)
    up, down = (np.where(ahead, acceptance / (g - 1), number(0)) for ahead in (above, above.T))
    matrix = zeros((2 * g, 2 * g))
    matrix[:g, :g], matrix[g:, g:] = up, down
    state = np.arange(g)
    matrix[state, g + state], matrix[g + state, state] = 1 - up.sum(axis=1), 1 - down.sum(axis=1)
    return matrix


def along_components(log_target: Numbers, line: Callable[[Numbers], Numbers]) -> tuple[Numbers, Numbers]:
    """Transition matrix on a rectangular grid for an algorithm that updates one randomly chosen component in each step.

    Args:
        log_target: Log target on the rectangular grid, up to a constant.
        line: Function that maps the log target on a line to the transition matrix along this line.

    Returns:
        The transition matrix on all points in C order, and the target probabilities.
    """
    index, values = np.arange(log_target.size).reshape(log_target.shape), log_target.ravel()
    matrix = zeros((log_target.size, log_target.size))
    for axis, length in enumerate(log_target.shape):
        for states in np.moveaxis(index, axis, -1).reshape(-1, length):  # the points on each line along this axis
            matrix[np.ix_(states, states)] += line(values[states]) / log_target.ndim
    return matrix, probabilities(values)


def minibatch_acceptance(grid: Grid, batch: int, *, clip: float, tau: float | None) -> Numbers:
    """Acceptance probabilities of the minibatch penalty algorithm on a grid, averaged over batches and noise.

    Args:
        grid: The model on a grid.
        batch: Number b of rows in a batch.
        clip: Clipping bound for a row's log ratio, per unit length of the move.
        tau: Variance of the noise divided by the squared sensitivity; None for no noise.

    Returns:
        Acceptance probability of each move, shape (g, g).
    """
    bound = number(clip) * grid.distance
    kept = grid.clipped_rows(bound)
    whole = number(len(kept))
    noise = sqrt(number(0 if tau is None else tau)) * batch_sensitivity(whole / batch, batch, bound)
    accepted = []
    for chosen in itertools.combinations(kept, checks.whole("batch", batch, least=2, below=len(kept) + 1)):
        mean = np.mean(chosen, axis=0)
        variance = np.mean((chosen - mean) ** 2, axis=0)
        accepted.append(penalty_acceptance(batch_ratio(mean, variance, whole, batch) + grid.prior_ratio, noise))
    return np.asarray(sum(accepted) / len(accepted))


def minibatch_transition(grid: Grid, proposal: Numbers, batch: int, *, clip: float, tau: float | None) -> Numbers:
    """Transition matrix of the minibatch penalty algorithm, averaged over all batches of the given size.

    Args:
        grid: The model on a grid of g points.
        proposal: Proposal matrix, shape (g, g).
        batch: Number of rows in a batch.
        clip: Clipping bound for a row's log ratio, per unit length of the move.
        tau: Variance of the noise divided by the squared sensitivity; None for no noise.

    Returns:
        A matrix of shape (g, g).
    """
    return transition(proposal, minibatch_acceptance(grid, batch, clip=clip, tau=tau))


def clipped_path_law(grid: Grid, clip: float) -> Numbers:
    r"""Stationary distribution of Metropolis-Hastings with clipped log ratios and moves only to neighbouring points.

    A chain that moves only between neighbouring points of a line is reversible, so
    \(\tilde\pi(x_i) \propto \exp \sum_{m < i} \lambda_c(x_m, x_{m+1})\), where \(\lambda_c\) is the clipped log ratio.
    If longer moves are possible, there is no such formula in general.

    Args:
        grid: The model on a grid.
        clip: Clipping bound for a row's log ratio, per unit length of the move.

    Returns:
        Probabilities of the points.
    """
    rows, bound = np.diff(grid.log_likelihood), number(clip) * np.diff(grid.points)
    steps = clipped(rows, bound).sum(axis=0) + np.diff(grid.log_prior)
    return probabilities(np.concatenate([zeros(1), np.cumsum(steps)]))


# Properties of a transition matrix


def invariance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Total variation distance between \(\pi P\) and \(\pi\), which is 0 if the target \(\pi\) is invariant under P.

    Args:
        matrix: Transition matrix.
        target: Target probabilities \(\pi\) of the states.

    Returns:
        The distance, in [0, 1].
    """
    return scalar(np.abs(target @ matrix - target).sum() / 2)


def balance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Largest violation \(|\pi_i P_{ij} - \pi_j P_{ji}|\) of detailed balance over all pairs of states.

    Args:
        matrix: Transition matrix.
        target: Target probabilities \(\pi\) of the states.

    Returns:
        The violation, in [0, 1].
    """
    flow = target[:, None] * matrix
    return scalar(largest(np.abs(flow - flow.T)))


def skew_balance_error(matrix: Numbers, target: Numbers) -> float:
    r"""Largest violation \(|\pi_x P_{xy} - \pi_y P_{Fy, Fx}|\) of skew detailed balance over all pairs of states.

    The map F reverses the direction of a state, so it exchanges the two halves of the list of states.

    Args:
        matrix: Transition matrix whose states are ordered as in ``guided_transition``: first (point, up), then (point,
            down).
        target: Target probabilities of the points; each direction has probability 1/2.

    Returns:
        The violation, in [0, 1].
    """
    flow = np.concatenate([target, target])[:, None] / 2 * matrix
    flip = np.roll(np.arange(len(matrix)), len(target))
    return scalar(largest(np.abs(flow - flow[np.ix_(flip, flip)].T)))


def stationary(matrix: Numbers) -> Numbers:
    """Stationary distribution of a transition matrix, computed by GTH elimination (Grassmann, Taksar and Heyman 1985).

    The elimination uses no subtraction, so every entry is computed with a small relative error.

    >>> stationary(np.array([[0.5, 0.5], [0.25, 0.75]])).round(6).tolist()
    [0.333333, 0.666667]
    >>> stationary(np.array([[0.5, 0.5], [0.0, 1.0]]))
    Traceback (most recent call last):
    ValueError: matrix must be irreducible, got no path from state 1 to an earlier one
    """
    a = numbers(matrix).copy()
    size = len(a)
    # eliminate the states from the last to the second; the remaining matrix describes the chain observed only in the
    # earlier states
    for n in range(size - 1, 0, -1):
        leaves = a[n, :n].sum()
        checks.need(leaves > 0, f"matrix must be irreducible, got no path from state {n} to an earlier one")
        a[:n, n] /= leaves
        a[:n, :n] += np.outer(a[:n, n], a[n, :n])
    law = numbers(np.ones(size))  # back substitution, starting with weight 1 for the first state
    for n in range(1, size):
        law[n] = law[:n] @ a[:n, n]
        if in_doubles() and law[n] > RESCALE_ABOVE:
            law[: n + 1] /= law[n]
    return np.asarray(law / law.sum())


def bias(matrix: Numbers, target: Numbers) -> float:
    r"""Total variation distance between the stationary distribution of a transition matrix and the target.

    Args:
        matrix: Transition matrix.
        target: Target probabilities \(\pi\) of the states.

    Returns:
        The distance, in [0, 1].
    """
    return scalar(np.abs(stationary(matrix) - target).sum() / 2)


def spectral_gap(matrix: Numbers) -> float:
    """Spectral gap of a transition matrix: 1 minus the largest modulus of an eigenvalue other than 1."""
    moduli = np.sort(np.abs(np.linalg.eigvals(matrix)))
    return float(1 - moduli[-2])
