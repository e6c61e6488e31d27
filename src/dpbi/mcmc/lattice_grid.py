"""What a lattice does to a chain on a grid, its noise summed out: invariance, acceptance, how far the target moves."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..checks import Floats
from .acceptance import noise_scale
from .exact import Grid, bias, invariance_error, penalty_acceptance, probabilities, transition, walk
from .lattice import Lattice, LatticeNoise, lattice_acceptance


class OnGrid(NamedTuple):
    """Shares accepted with normal noise and on the lattice; errors of the invariance of the rounded target, and of
    the target; the distance of the two targets in total variation.
    """

    normal: float
    lattice: float
    invariance: float
    bias: float
    moved: float


def grid_with_lattice(grid: Grid, grain: float, *, clip: float, tau: float) -> OnGrid:
    """The penalty algorithm on a grid, every row rounded to the grain; the bound must be so wide that nothing is
    clipped.
    """
    lattice, exact_tau = Lattice(Fraction(grain)), Fraction(tau)
    whole = np.rint(np.asarray(grid.log_likelihood, dtype=np.float64) / grain)
    steps = whole[:, None, :] - whole[:, :, None]
    most = np.ceil(clip * np.asarray(grid.distance, dtype=np.float64) / grain)
    if np.any(np.abs(steps) > most):
        raise ValueError(f"clip must be so large that no row is clipped on the grid, got clip={clip}")
    total, rows = steps.sum(axis=0), len(whole)
    chance: Floats = np.ones(most.shape)
    for i, j in zip(*np.nonzero(most), strict=True):
        noise: LatticeNoise = lattice.noise(2 * int(most[i, j]), exact_tau, rows, Fraction(1))
        chance[i, j] = lattice_acceptance(total[i, j], grid.prior_ratio[i, j], lattice.grain, noise)
    rounded = probabilities(grain * whole.sum(axis=0) + grid.log_prior)
    matrix = transition(walk(len(rounded)), chance)
    proposal = walk(len(rounded))
    normal = penalty_acceptance(grid.ratio, noise_scale(tau, rows, 2 * clip * grid.distance))
    return OnGrid(
        float((grid.target[:, None] * proposal * normal).sum()),
        float((rounded[:, None] * proposal * chance).sum()),
        invariance_error(matrix, rounded),
        bias(matrix, grid.target),
        float(np.abs(rounded - grid.target).sum() / 2),
    )
