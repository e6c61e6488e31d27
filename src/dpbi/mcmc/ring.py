r"""Transition matrix of Hamiltonian Monte Carlo on a ring of points, summed over the noise.

If positions and momenta are integers modulo G, a leapfrog path with given noise draws is a permutation of the \(G^2\)
states. Hamiltonian Monte Carlo on such a ring therefore has a finite transition matrix, like the algorithms in
``transition_matrices``.
"""

import numpy as np

from ..arithmetic import number, numbers, zeros
from ..checks import Integers, Numbers
from .acceptance import penalty_acceptance
from .transition_matrices import probabilities


def ring_path(kick: Integers, *, steps: int, noise: Numbers, closing: bool = True) -> Numbers:
    r"""Distribution of the end point of a leapfrog path from each state, for positions and momenta modulo G.

    A half kick adds the integer ``kick[position]`` plus a noise draw to the momentum. A drift adds the momentum to the
    position. As in ``hmc``, the half kick that ends a leapfrog step and the half kick that begins the next step use the
    same noise draw.

    Args:
        kick: Noiseless half kick at each of the G positions.
        steps: Number of leapfrog steps.
        noise: Probabilities of the noise draws 0, 1, ...
        closing: Whether the path ends with a half kick; without this half kick the path is not reversible.

    Returns:
        A matrix of shape (G^2, G^2) whose states are ordered by position, then by momentum.
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

    # the two half kicks between two drifts are one kick of twice the size, because both use the same draw
    drifted = (position + momentum) % g * g + momentum
    law = kicked(numbers(np.eye(g * g)), 1)
    for taken in range(1, steps + 1):
        moved = np.empty_like(law)
        moved[:, drifted] = law
        last = taken == steps
        law = kicked(moved, 1 if last else 2) if closing or not last else moved
    return law


def ring_transition(log_target: Numbers, path: Numbers, *, momentum_sd: float, noise_rate: float) -> Numbers:
    """Transition matrix of the positions for Hamiltonian Monte Carlo with the penalty test on a ring.

    Args:
        log_target: Log target at the G positions, up to a constant.
        path: Distribution of the end point of a path from each state, as returned by ``ring_path``.
        momentum_sd: Standard deviation of the momentum, which is drawn anew in every iteration.
        noise_rate: Standard deviation of the noise on the log ratio, per unit of distance along the ring.

    Returns:
        The transition matrix, shape (G, G).
    """
    g = len(log_target)
    apart = np.abs(np.arange(g)[:, None] - np.arange(g))
    distance = np.minimum(apart, g - apart)
    signed = (np.arange(g) + g // 2) % g - g // 2
    log_momentum = -numbers(signed**2) / (2 * number(momentum_sd) ** 2)
    energy = (log_target[:, None] + log_momentum).ravel()
    noise = numbers(distance) * number(noise_rate)
    accepted = path.copy()  # acceptance probabilities are needed only for possible moves
    start, end = np.nonzero(path)
    accepted[start, end] *= penalty_acceptance(energy[end] - energy[start], noise[start // g, end // g])
    matrix = (accepted.reshape(g, g, g, g).sum(axis=3) * probabilities(log_momentum)[:, None]).sum(axis=1)
    matrix[np.arange(g), np.arange(g)] += 1 - matrix.sum(axis=1)
    return np.asarray(matrix)
