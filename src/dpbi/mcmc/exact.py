r"""Exactness that can be checked: transition matrices of the algorithms on a grid, their noise integrated out.

On a finite grid an algorithm is a matrix P, entry for entry the probability of a move, and a theorem about its
stationary law is an identity between matrices: \(\pi P = \pi\), detailed balance \(\pi_i P_{ij} = \pi_j P_{ji}\), or
skew detailed balance \(\pi_x P_{xy} = \pi_y P_{Fy, Fx}\). All probabilities are in closed form; only Gauss-Bernoulli's
is an integral, evaluated to 1e-14. What an approximate algorithm gets wrong is the total variation distance between its
stationary law and the target.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, log_ndtr, ndtr

from .. import checks
from ..checks import Floats, Integers
from .barker import VARIANCE, correction
from .minibatch import changed

Acceptance = Callable[[Floats, Floats], Floats]

ROUNDING = 1e-13
"""Errors below this are the rounding of sums of doubles, and differ from one processor to another."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A target on a line of points: log likelihoods of the rows, shape (rows, points), and the log prior."""

    points: Floats
    log_likelihood: Floats
    log_prior: Floats

    @cached_property
    def log_target(self) -> Floats:
        """The log of the target, up to a constant."""
        return np.asarray(self.log_likelihood.sum(axis=0) + self.log_prior)

    @cached_property
    def target(self) -> Floats:
        """The probabilities of the points."""
        weight = np.exp(self.log_target - self.log_target.max())
        return np.asarray(weight / weight.sum())

    @cached_property
    def distance(self) -> Floats:
        """Between any two points."""
        return np.abs(self.points[:, None] - self.points)

    @cached_property
    def ratio(self) -> Floats:
        """The log ratio of a move from i to j, prior included."""
        return np.asarray(self.log_target - self.log_target[:, None])

    def clipped_ratio(self, clip: float) -> Floats:
        """The same with every row's log ratio clipped to ``clip`` times the distance."""
        rows = self.log_likelihood[:, None, :] - self.log_likelihood[:, :, None]
        bound = clip * self.distance
        return np.asarray(np.clip(rows, -bound, bound).sum(axis=0) + self.log_prior - self.log_prior[:, None])


def student_grid(points: int = 41, rows: int = 60, seed: int = 4, half_width: float = 2.0) -> Grid:
    """A Student-t location model, three degrees of freedom, with rows simulated at 0.3 and a normal prior."""
    x = 0.3 + np.random.default_rng(seed).standard_t(3, size=checks.whole("rows", rows, least=1))
    theta = np.linspace(-half_width, half_width, checks.whole("points", points, least=2))
    return Grid(theta, -2 * np.log1p((x[:, None] - theta) ** 2 / 3), -(theta**2) / 8)


# How a proposal is accepted, on average over the noise


def metropolis_acceptance(ratio: Floats, noise: Floats) -> Floats:
    r"""\(\min\{1, e^{\lambda}\}\); there is no noise."""
    return np.exp(np.minimum(ratio, 0.0)) + 0 * noise


def penalty_acceptance(ratio: Floats, noise: Floats, correction: float = 0.5) -> Floats:
    r"""\(E \min\{1, e^{\lambda + s Z - \kappa s^2}\}\), exact for \(\kappa = \frac12\): no correction is 0, half 1/4.

    \[ \Phi\Bigl(\tfrac{\mu}{s}\Bigr) + e^{\mu + s^2/2} \Phi\Bigl(-\tfrac{\mu}{s} - s\Bigr),
       \qquad \mu = \lambda - \kappa s^2 . \]
    """
    s = np.maximum(noise, 1e-300)
    mean = ratio - correction * s**2
    return np.asarray(ndtr(mean / s) + np.exp(mean + s**2 / 2 + log_ndtr(-mean / s - s)))


def gauss_bernoulli_acceptance(ratio: Floats, noise: Floats) -> Floats:
    r"""\(E\, g(\lambda + s Z - s^2/2)\), g logistic, by the trapezium rule, exponentially accurate for analytic g."""
    s = np.maximum(noise, 1e-300)
    step = min(0.1, 0.3 / float(np.max(s)))
    z = np.arange(-10.0, 10.0 + step / 2, step)
    weight = np.exp(-(z**2) / 2) * step / math.sqrt(2 * math.pi)
    found = np.zeros(np.broadcast(ratio, s).shape)
    for node, w in zip(z, weight / weight.sum(), strict=True):
        found += w * expit(ratio + s * node - s**2 / 2)
    return found


def barker_acceptance(ratio: Floats, noise: Floats) -> Floats:
    r"""\(1/(1 + e^{-\lambda})\); there is no noise but the logistic variable."""
    return np.asarray(expit(ratio) + 0 * noise)


def corrected_barker_acceptance(ratio: Floats, noise: Floats, variance: float = VARIANCE) -> Floats:
    r"""\(P(\lambda + N(0, C) + V_C > 0)\) with the best correction there is."""
    law = correction(variance)
    ratio = np.asarray(ratio, dtype=np.float64)
    found = np.zeros(ratio.shape)
    for atom, weight in zip(law.atoms, law.weights, strict=True):
        if weight > 0:
            found += weight * ndtr((ratio + atom) / math.sqrt(variance))
    return found + 0 * noise


def threshold_acceptance(ratio: Floats, noise: Floats) -> Floats:
    r"""\(P(\lambda + s Z > 0) = \Phi(\lambda / s)\): normal noise where Barker's test has a logistic variable."""
    return np.asarray(ndtr(ratio / np.maximum(noise, 1e-300)))


# From acceptance to a matrix


def walk(points: int, reach: int | None = None) -> Floats:
    """A symmetric proposal on a line: uniform on the other points within reach; a move off the line stays."""
    apart = np.abs(np.arange(points)[:, None] - np.arange(points))
    within = points if reach is None else checks.whole("reach", reach, least=1)
    return np.where((apart > 0) & (apart <= within), 1 / (2 * min(within, points - 1)), 0.0)


def transition(proposal: Floats, acceptance: Floats) -> Floats:
    """The matrix of a chain that proposes, accepts, or stays."""
    matrix = proposal * acceptance
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, 1.0 - matrix.sum(axis=1))
    return matrix


def guided_transition(acceptance: Floats) -> Floats:
    """The guided walk on a line: states (point, up), then (point, down); off the line is refused."""
    g = len(acceptance)
    moves = np.where(np.arange(g)[:, None] < np.arange(g), acceptance / (g - 1), 0.0)
    down = np.where(np.arange(g)[:, None] > np.arange(g), acceptance / (g - 1), 0.0)
    refused_up, refused_down = np.diag(1 - moves.sum(axis=1)), np.diag(1 - down.sum(axis=1))
    return np.block([[moves, refused_up], [refused_down, down]])


def along_components(log_target: Floats, line: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """One-component updates on a rectangle of points: each axis in turn is picked with equal probability.

    ``line`` gives the matrix on a line from the log target there. Returned are the matrix on the whole rectangle, in C
    order, and the target.
    """
    shape = log_target.shape
    index = np.arange(log_target.size).reshape(shape)
    matrix = np.zeros((log_target.size, log_target.size))
    for axis in range(log_target.ndim):
        others = [range(size) for i, size in enumerate(shape) if i != axis]
        for place in itertools.product(*others):
            at: tuple[Any, ...] = (*place[:axis], slice(None), *place[axis:])
            states = index[at]
            matrix[np.ix_(states, states)] += line(log_target[at]) / log_target.ndim
    weight = np.exp(log_target - log_target.max()).ravel()
    return matrix, weight / weight.sum()


def minibatch_transition(
    grid: Grid, proposal: Floats, batch: int, *, clip: float, tau: float | None, full: float = 1.0
) -> Floats:
    """The minibatch penalty algorithm, averaged over every batch of that size; ``tau`` None: no private noise."""
    rows = grid.log_likelihood[:, None, :] - grid.log_likelihood[:, :, None]
    bound = clip * grid.distance
    kept = np.clip(rows, -bound, bound)
    n = len(kept)
    whole = n * full
    prior = grid.log_prior - grid.log_prior[:, None]
    total = np.zeros_like(bound)
    batches = list(itertools.combinations(range(n), checks.whole("batch", batch, least=2, below=n + 1)))
    noise = np.zeros_like(bound) if tau is None else math.sqrt(tau) * changed(whole / batch, batch, bound)
    for chosen in batches:
        part = kept[list(chosen)]
        ratio = whole * part.mean(axis=0) + prior - whole**2 / batch * part.var(axis=0) / 2
        total += penalty_acceptance(ratio, noise)
    return transition(proposal, total / len(batches))


def minibatch_barker_transition(grid: Grid, proposal: Floats, batch: int, variance: float = VARIANCE) -> Floats:
    """Barker's private test, averaged over every batch of so many rows."""
    n = len(grid.log_likelihood)
    bound = math.sqrt(checks.whole("batch", batch, least=2, below=n + 1)) / n
    kept = np.clip(grid.log_likelihood[:, None, :] - grid.log_likelihood[:, :, None], -bound, bound)
    prior = grid.log_prior - grid.log_prior[:, None]
    law = correction(variance)
    used = law.weights > 0
    total = np.zeros_like(prior)
    batches = list(itertools.combinations(range(n), batch))
    for chosen in batches:
        part = kept[list(chosen)]
        mean, spread = n * part.mean(axis=0) + prior, np.sqrt(variance - n**2 / batch * part.var(axis=0))
        total += ndtr((mean[..., None] + law.atoms[used]) / spread[..., None]) @ law.weights[used]
    return transition(proposal, total / len(batches))


def ring_path(kick: Integers, *, steps: int, noise: Floats, closing: bool = True) -> Floats:
    r"""Law of the end of a leapfrog path on a finite phase space: positions and momenta both on a ring of G points.

    A half kick at a position adds the whole number ``kick[position]`` plus a draw to the momentum; a drift adds the
    momentum to the position. As in ``hmc`` a draw serves the half kicks on both sides of its position. ``noise`` has
    the probabilities of the draws 0, 1, ...; states are ordered by position, then momentum. With ``closing=False`` the
    last half kick is left out, which is no longer reversible.
    """
    g = len(kick)
    position, momentum = np.divmod(np.arange(g * g), g)

    def kicked(law: Floats, times: int) -> Floats:
        found = np.zeros_like(law)
        for draw, weight in enumerate(noise):
            landed = position * g + (momentum + times * (kick[position] + draw)) % g
            found[:, landed] += weight * law
        return found

    drifted = (position + momentum) % g * g + momentum
    law = kicked(np.eye(g * g), 1)
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


def ring_transition(log_target: Floats, path: Floats, *, momentum_sd: float, noise_rate: float) -> Floats:
    """HMC with the penalty test on a ring: momentum drawn afresh, a path, a decision; the matrix on positions.

    Noise is ``noise_rate`` times the distance along the ring between the two ends.
    """
    g = len(log_target)
    apart = np.abs(np.arange(g)[:, None] - np.arange(g))
    distance = np.minimum(apart, g - apart)
    signed = (np.arange(g) + g // 2) % g - g // 2
    log_momentum = -(signed**2) / (2 * momentum_sd**2)
    fresh = np.exp(log_momentum - np.log(np.exp(log_momentum).sum()))
    energy = np.add.outer(log_target, log_momentum).ravel()
    noise = np.repeat(np.repeat(noise_rate * distance, g, axis=0), g, axis=1)
    accepted = penalty_acceptance(energy - energy[:, None], noise) * path
    matrix = np.einsum("p,ipjq->ij", fresh, accepted.reshape(g, g, g, g))
    matrix[np.arange(g), np.arange(g)] += 1 - matrix.sum(axis=1)
    return np.asarray(matrix)


def clipped_path_law(grid: Grid, clip: float) -> Floats:
    r"""\(\tilde\pi(x_i) \propto \exp \sum_{m < i} \lambda_c(x_m, x_{m+1})\): where clipped moves to neighbours settle.

    A chain on a line that moves to neighbours only is reversible; with longer moves no such law exists in general.
    """
    steps = np.diagonal(grid.clipped_ratio(clip), offset=1)
    path = np.concatenate([[0.0], np.cumsum(steps)])
    weight = np.exp(path - path.max())
    return np.asarray(weight / weight.sum())


# What a matrix satisfies


def invariance_error(matrix: Floats, target: Floats) -> float:
    r"""Total variation distance between \(\pi P\) and \(\pi\)."""
    return float(np.abs(target @ matrix - target).sum() / 2)


def balance_error(matrix: Floats, target: Floats) -> float:
    r"""Largest \(|\pi_i P_{ij} - \pi_j P_{ji}|\)."""
    flow = target[:, None] * matrix
    return float(np.abs(flow - flow.T).max())


def skew_balance_error(matrix: Floats, target: Floats) -> float:
    r"""Largest \(|\pi_x P_{xy} - \pi_y P_{Fy, Fx}|\), F exchanging the two halves of the states."""
    flow = np.concatenate([target, target])[:, None] / 2 * matrix
    flip = np.roll(np.arange(len(matrix)), len(target))
    return float(np.abs(flow - flow[np.ix_(flip, flip)].T).max())


def stationary(matrix: Floats) -> Floats:
    """The stationary law by Grassmann, Taksar and Heyman's elimination: no subtraction, every entry accurate."""
    a = np.array(matrix, dtype=np.float64)
    size = len(a)
    for n in range(size - 1, 0, -1):
        a[:n, n] /= a[n, :n].sum()
        a[:n, :n] += np.outer(a[:n, n], a[n, :n])
    law = np.ones(size)
    for n in range(1, size):
        law[n] = law[:n] @ a[:n, n]
    return np.asarray(law / law.sum())


def bias(matrix: Floats, target: Floats) -> float:
    """Total variation distance between the stationary law and the target."""
    return float(np.abs(stationary(matrix) - target).sum() / 2)


def spectral_gap(matrix: Floats) -> float:
    """One minus the largest modulus of an eigenvalue other than 1."""
    moduli = np.sort(np.abs(np.linalg.eigvals(matrix)))
    return float(1 - moduli[-2])
