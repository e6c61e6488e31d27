r"""Posterior parameters and density of the Dirichlet distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import lgamma, log, number
from ..checks import Floats


def posterior(prior: ArrayLike, counts: ArrayLike) -> Floats:
    """Parameters of the Dirichlet posterior, which are the prior parameters plus the counts.

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        counts: Dataset, k nonnegative integers on the last axis; leading axes broadcast.

    Returns:
        The parameters, with the shape of ``counts``.

    >>> posterior([1, 1], [14, 6])
    array([15.,  7.])
    """
    weights = checks.prior_weights(prior)
    return weights + checks.count_vector(counts, len(weights))


def two_weights(prior: ArrayLike, name: str = "prior") -> Floats:
    """Checks that an argument contains the Dirichlet parameters of two categories, and returns them as an array."""
    weights = checks.concentrations(name, prior)
    checks.need(weights.shape == (2,), f"{name} must have two categories, got shape {weights.shape}")
    return weights


def log_density(concentration: ArrayLike, theta: ArrayLike) -> Floats:
    r"""Logarithm of a Dirichlet density, \(\sum_i (a_i - 1)\ln\theta_i - \ln B(a)\).

    On the boundary of the simplex the log density may be \(\pm\infty\). It is nan where one factor of the density is
    zero and another is infinite.

    Args:
        concentration: Dirichlet parameters a, k >= 2 positive finite numbers on the last axis.
        theta: Probabilities of the categories, k nonnegative numbers that sum to 1; leading axes broadcast.

    Returns:
        Log densities, with the shape of the leading axes.

    >>> round(float(log_density([2, 2], [0.5, 0.5])), 6)
    0.405465
    """
    a = checks.concentrations("concentration", concentration)
    point = checks.simplex("theta", theta, a.shape[-1])
    checks.broadcasting(concentration=a, theta=point)
    with np.errstate(divide="ignore", invalid="ignore"):
        # a factor theta^0 is 1 even at theta = 0, where 0 * log(0) would be nan
        powers = np.where(a == 1, number(0), (a - 1) * log(point)).sum(axis=-1)
    return np.asarray(powers - log_beta(a))


def log_beta(concentration: Floats) -> Floats:
    r"""Logarithm of the multivariate beta function of the parameters on the last axis.

    \[ \ln B(a) = \sum_i \ln\Gamma(a_i) - \ln\Gamma\bigl(\textstyle\sum_i a_i\bigr) \]

    >>> log_beta(np.array([2.0, 2.0])).round(6)  # B(2, 2) = 1/6
    np.float64(-1.791759)
    """
    logarithm: Floats = lgamma(concentration).sum(axis=-1) - lgamma(concentration.sum(axis=-1))
    return logarithm
