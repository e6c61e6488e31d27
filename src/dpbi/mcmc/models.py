r"""Models of the published experiments, with simulated rows and independent draws from their exact posteriors.

All models are exponential families with compiled sums over rows. In \(N(m, v)\) the second parameter v is the variance.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from .target import ExponentialFamily, Target


@dataclass(frozen=True, eq=False)
class Example:
    """A model with independent draws from its exact posterior.

    Attributes:
        target: The posterior.
        draw: Function of a generator and a size that returns independent posterior draws, shape (size, dimension).
        truth: True parameter vector, from which the rows are simulated.
    """

    target: Target
    draw: Callable[..., Floats]
    truth: Floats


def simulated_banana(n: int, d: int, bend: float, rng: np.random.Generator, temperature: float = 1.0) -> Example:
    r"""Banana-shaped posterior of a normal model; the mean of the second column is quadratic in the first parameter.

    The n rows are simulated at the true parameter (0, 3, 0, ..., 0). The entries of a row are independent,

    \[ x_1 \sim N(\theta_1, v_1), \quad x_2 \sim N(\theta_2 + a \theta_1^2, v_2), \quad x_i \sim N(\theta_i, v_i), \]

    where \(v_1 = 20\), \(v_2 = 2.5\) and all other variances are 1. The coordinates of
    \(z = (\theta_1, \theta_2 + a\theta_1^2, \theta_3, \dots)\) have independent \(N(0, 1000)\) priors. The map from
    \(\theta\) to z has Jacobian determinant 1, so the posterior of z is normal and can be sampled exactly. For a = 0,
    the model is an ordinary normal model.

    Args:
        n: Number of rows.
        d: Number of columns.
        bend: Coefficient a of the quadratic term.
        rng: Random number generator.
        temperature: Power of the likelihood, > 0.

    Returns:
        The model with its exact posterior.
    """
    v = np.concatenate([[20.0, 2.5], np.ones(checks.whole("d", d, least=2) - 2)])
    truth = 3.0 * np.eye(d)[1]
    x = truth + np.sqrt(v) * rng.standard_normal((checks.whole("n", n, least=1), d))
    a, s0, t = checks.real("bend", bend), 1000.0, checks.real("temperature", temperature, above=0)

    def straight(theta: Floats) -> Floats:
        z = theta.copy()
        z[:, 1] += a * theta[:, 0] ** 2
        return z

    def slopes(theta: Floats) -> Floats:  # dz_i / dtheta_k
        found = np.zeros((len(theta), d, d))
        found[:, np.arange(d), np.arange(d)] = 1.0
        found[:, 1, 0] += 2 * a * theta[:, 0]
        return found

    def pulled(theta: Floats, by: Floats) -> Floats:  # the gradient of sum_i by_i z_i^2 / 2
        return np.asarray(np.einsum("ci,cik->ck", straight(theta) * by, slopes(theta)))

    likelihood = ExponentialFamily(
        x,
        natural=lambda theta: straight(theta) / v,
        log_partition=lambda theta: np.sum(straight(theta) ** 2 / (2 * v), axis=1),
        jacobian=lambda theta: slopes(theta) / v[:, None],
        partition_gradient=lambda theta: pulled(theta, 1 / v),
    )
    precision = t * n / v + 1 / s0
    centre = t * x.sum(axis=0) / v / precision

    def draw(rng: np.random.Generator, size: int = 1) -> Floats:
        theta = centre + rng.standard_normal((size, d)) / np.sqrt(precision)
        theta[:, 1] -= a * theta[:, 0] ** 2
        return np.asarray(theta)

    target = Target(
        likelihood,
        d,
        log_prior=lambda theta: -np.sum(straight(theta) ** 2, axis=1) / (2 * s0),
        prior_gradient=lambda theta: -pulled(theta, np.full(d, 1 / s0)),
        temperature=t,
    )
    return Example(target, draw, truth)


def correlated_normal(rows: ArrayLike, correlation: float, *, prior_variance: float = 100.0) -> Example:
    r"""Posterior of the mean of bivariate normal rows with unit variances and a known correlation.

    The rows have the distribution \(N(\theta, \Sigma)\), and the prior is \(N(0, s_0^2 I)\).

    Args:
        rows: The rows, shape (n, 2).
        correlation: Correlation of the two columns, in (-1, 1).
        prior_variance: Prior variance \(s_0^2\) of each component, > 0.

    Returns:
        The model with its exact posterior.
    """
    x = np.asarray(rows, dtype=np.float64)
    c = checks.real("correlation", correlation, above=-1, below=1)
    s0 = checks.real("prior_variance", prior_variance, above=0)
    inverse = np.array([[1.0, -c], [-c, 1.0]]) / (1 - c**2)
    covariance = np.linalg.inv(len(x) * inverse + np.eye(2) / s0)
    centre = covariance @ inverse @ x.sum(axis=0)
    root = np.linalg.cholesky(covariance)
    target = Target(
        ExponentialFamily(
            x,
            natural=lambda theta: theta @ inverse,
            log_partition=lambda theta: np.einsum("ci,ij,cj->c", theta, inverse, theta) / 2,
            jacobian=lambda theta: np.broadcast_to(inverse, (len(theta), 2, 2)),
            partition_gradient=lambda theta: theta @ inverse,
        ),
        2,
        log_prior=lambda theta: -np.sum(theta**2, axis=1) / (2 * s0),
        prior_gradient=lambda theta: -theta / s0,
    )
    return Example(target, lambda rng, size=1: centre + rng.standard_normal((size, 2)) @ root.T, np.array([0.0, 3.0]))


def circle(radii: ArrayLike, sharpness: float = 1e-5) -> Example:
    r"""Ring-shaped posterior for the log likelihood \(\ln p(r \mid x, y) = -a (x^2 + y^2 - r^2)^2\) and a flat prior.

    Under the exact posterior, the angle of (x, y) is uniform, and \(x^2 + y^2\) has the distribution
    \(N(\overline{r^2}, 1/(2 a n))\) truncated to positive values.

    Args:
        radii: The rows r, each of which is one number.
        sharpness: The factor a in the log likelihood, > 0.

    Returns:
        The model with its exact posterior.
    """
    square = np.asarray(radii, dtype=np.float64).reshape(-1, 1) ** 2
    a = checks.real("sharpness", sharpness, above=0)

    def size_of(theta: Floats) -> Floats:
        return np.asarray(np.sum(theta**2, axis=1))

    target = Target(
        ExponentialFamily(
            square,
            natural=lambda theta: 2 * a * size_of(theta)[:, None],
            log_partition=lambda theta: a * size_of(theta) ** 2,
            jacobian=lambda theta: 4 * a * theta[:, None, :],
            partition_gradient=lambda theta: 4 * a * size_of(theta)[:, None] * theta,
        ),
        2,
        log_prior=lambda theta: np.zeros(len(theta)),
        prior_gradient=np.zeros_like,
    )

    def draw(rng: np.random.Generator, size: int = 1) -> Floats:
        found = np.empty(0)
        while len(found) < size:
            # rejection sampling of the truncated normal distribution
            more = square.mean() + rng.standard_normal(size) / np.sqrt(2 * a * len(square))
            found = np.concatenate([found, more[more > 0]])
        angle = rng.uniform(0, 2 * np.pi, size)
        return np.asarray(np.sqrt(found[:size])[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]))

    return Example(target, draw, np.array([0.0, 1.0]))
