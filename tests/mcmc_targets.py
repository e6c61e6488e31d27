"""Models shared by the tests of private chains."""

from typing import Any, NamedTuple

import numpy as np

from dpbi.mcmc import ExponentialFamily, Target, posterior_of


def normal_model(rows, **more):
    """Unit-variance normal rows in plain NumPy, prior N(0, 1), any dimension."""
    x = np.atleast_2d(np.asarray(rows, dtype=float).T).T
    settings = {"gradient": lambda theta, data: data - theta, "prior_gradient": lambda theta: -theta} | more
    return posterior_of(
        lambda theta, data: -np.sum((data - theta) ** 2, axis=1) / 2, x, lambda theta: -np.sum(theta**2) / 2,
        x.shape[1], **settings,
    )  # fmt: skip


class Coin(NamedTuple):
    """Tosses of a coin: the target of its log odds, and draws from it."""

    target: Target
    draw: Any


def bernoulli(successes, n, prior=(1.0, 1.0)):
    """Zeros and ones with log odds theta and a beta prior; two rows' log ratios differ by the length of the move."""
    a, b = prior
    target = Target(
        ExponentialFamily(np.repeat([0.0, 1.0], [n - successes, successes])[:, None], natural=lambda theta: theta,
            log_partition=lambda theta: np.logaddexp(0.0, theta[:, 0])),
        1,
        log_prior=lambda theta: a * theta[:, 0] - (a + b) * np.logaddexp(0.0, theta[:, 0]),
        prior_gradient=lambda theta: a - (a + b) / (1 + np.exp(-theta)),
        spread=lambda theta, proposal: np.abs(proposal[:, 0] - theta[:, 0]),
    )  # fmt: skip

    def draw(rng, size):
        up, down = rng.gamma(a + successes, size=size), rng.gamma(b + n - successes, size=size)
        return np.log(up / down)[:, None]

    return Coin(target, draw)


class _Many:
    """The same likelihood with another number of rows."""

    def __init__(self, family, rows):
        self.rows = rows
        self.total, self.ratio, self.gradient = family.total, family.ratio, family.gradient


def silent(rows=100, spread=0.05):
    """A flat target in the plane whose rows say nothing: what is left of a step is its noise."""
    family = ExponentialFamily(
        np.zeros((1, 1)), lambda theta: 0 * theta[:, :1], lambda theta: 0 * theta[:, 0],
        jacobian=lambda theta: np.zeros((len(theta), 1, theta.shape[1])),
        partition_gradient=lambda theta: 0 * theta,
    )  # fmt: skip
    return Target(
        _Many(family, rows), 2, log_prior=lambda theta: 0 * theta[:, 0], prior_gradient=lambda theta: 0 * theta,
        spread=lambda theta, proposal: np.full(len(theta), spread),
    )  # fmt: skip
