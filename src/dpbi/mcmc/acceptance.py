r"""Acceptance of a proposal: its log ratio, the noise with its correction, and the probability of acceptance.

The samplers, the transition matrices of ``exact`` and the claims share these formulas, over doubles or balls. Let
\(\lambda\) be the log ratio of the target, \(s\) the standard deviation of the noise on it and Z standard normal. A
rule that accepts with probability g(y), \(y = \lambda + sZ - s^2/2\), leaves the target invariant if
\(g(y) = e^y g(-y)\) (proved in ``penalty_algorithm``).
"""

import math
from typing import Any

import numpy as np
from scipy.special import expit

from ..arithmetic import (
    approximate,
    exp,
    in_doubles,
    largest,
    log,
    maximum,
    minimum,
    normal_cdf,
    number,
    pi,
    scaled_normal_cdf,
    sqrt,
    widened,
)

# proved: the factor 1/2 gives detailed balance (``penalty_algorithm``). No other factor k does: for a large log ratio L
# the acceptance probability of ``penalty_acceptance`` tends to 1, that of the move back to e^(-L + (1/2 - k) s^2)
CORRECTION = 0.5
"""Multiple of the noise variance that the penalty algorithm subtracts from the log ratio."""


# The ratio and its noise


def clipped(ratio: Any, bound: Any) -> Any:
    """A row's log ratio, clipped to the interval from -bound to bound.

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        bound: Largest absolute value of a row's log ratio.

    Returns:
        The clipped log ratios.
    """
    return minimum(maximum(ratio, -bound), bound)


def clipped_sensitivity(bound: Any) -> Any:
    r"""Sensitivity 2b of a sum of ratios clipped to \(\pm b\): one replaced row moves from one end to the other."""
    return 2 * bound


def noise_scale(tau: Any, rows: int, sensitivity: Any) -> Any:
    r"""Standard deviation \(\tau \sqrt n \Delta\) of the noise on a sum over n rows of sensitivity \(\Delta\).

    Args:
        tau: Noise multiplier.
        rows: Number n of rows.
        sensitivity: Largest change of the sum when one row is replaced.

    Returns:
        The standard deviation.
    """
    return tau * sqrt(number(rows)) * sensitivity


def corrected(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Log ratio minus \(\kappa s^2\), for noise of standard deviation s and the correction \(\kappa\).

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.
        correction: The factor \(\kappa\) of the variance.

    Returns:
        The corrected log ratios.
    """
    return ratio - number(correction) * noise**2


def with_proposal(ratio: Any, proposal: Any) -> Any:
    r"""Log ratios of moves i to j with an asymmetric proposal q, \(\lambda_{ij} + \ln \frac{q_{ji}}{q_{ij}}\).

    Args:
        ratio: Log ratios \(\lambda_{ij}\) of the posterior.
        proposal: Proposal matrix q, all entries of the moves > 0.

    Returns:
        The log ratios, a row for each i.
    """
    return ratio + log(proposal.T / proposal)


# Acceptance probability given the decision statistic


def metropolis(statistic: Any) -> Any:
    r"""Metropolis acceptance probability of a decision statistic y, \(\min\{1, e^y\}\)."""
    return exp(minimum(statistic, number(0)))


def logistic(statistic: Any) -> Any:
    r"""Acceptance probability of Barker and Gauss-Bernoulli, \(1/(1 + e^{-y})\)."""
    if in_doubles():  # keeps its digits where e^-y overflows
        return expit(statistic)
    return 1 / (1 + exp(-statistic))


# Acceptance probability averaged over the noise


def metropolis_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Metropolis-Hastings, \(\min\{1, e^{\lambda}\}\); ``noise`` gives the shape alone.

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in (0, 1], with the shape of the arguments broadcast.
    """
    return metropolis(ratio) + 0 * noise


def penalty_acceptance(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Acceptance probability of the penalty algorithm, averaged over its noise.

    The average \(E \min\{1, e^{\lambda + s Z - \kappa s^2}\}\), Z standard normal, equals

    \[ \Phi\Bigl(\tfrac{\mu}{s}\Bigr) + e^{\mu + s^2/2} \Phi\Bigl(-\tfrac{\mu}{s} - s\Bigr),
       \qquad \mu = \lambda - \kappa s^2 . \]

    Args:
        ratio: Log ratios \(\lambda\).
        noise: Standard deviations s >= 0 of the noise.
        correction: The factor \(\kappa\); only 1/2 leaves the target invariant.

    Returns:
        Probabilities, of the broadcast shape.

    >>> round(float(penalty_acceptance(0.0, 1.0)), 6)
    0.617075
    """
    none = np.asarray(noise == 0, dtype=bool)
    s = np.where(none, number(1), noise)  # any number but 0; replaced below
    mean = corrected(ratio, s, correction)
    averaged = normal_cdf(mean / s) + scaled_normal_cdf(mean + s**2 / 2, -mean / s - s)
    return np.where(none, metropolis(ratio), averaged)[()]


def barker_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Barker's rule, \(1/(1 + e^{-\lambda})\); ``noise`` gives the shape alone.

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in (0, 1), with the shape of the arguments broadcast.
    """
    return logistic(ratio) + 0 * noise


def threshold_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Barker's test with normal in place of logistic noise, \(\Phi(\lambda / s)\).

    Without noise the test accepts where \(\lambda > 0\), and with probability 1/2 where \(\lambda = 0\).

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in [0, 1], with the shape of the arguments broadcast.
    """
    return normal_cdf(ratio / maximum(noise, number(1e-300)))


def gauss_bernoulli_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Gauss-Bernoulli, averaged over its noise, with an absolute error below 2.6e-14.

    The average \(\int \varphi(z)\, g(\lambda + s z - s^2/2)\, dz\), g logistic and \(\varphi\) the standard normal
    density, is computed by the trapezium rule with step \(h = \min\{0.25, 0.3/s\}\), s the largest noise given. For an
    integrand f that is analytic in the strip \(|\operatorname{Im} z| \le d\) the error of the rule is at most
    \(2M / (e^{2\pi d/h} - 1)\), where M bounds \(\int |f(x + iy)|\, dx\) in the strip (Trefethen and Weideman 2014,
    Theorem 5.1). Here \(M = e^{d^2/2}\): \(|\varphi(x + iy)| = e^{y^2/2} \varphi(x)\), and \(|g| \le 1\) as long as the
    imaginary part of its argument is at most \(\frac\pi2\), that is \(sd \le \frac\pi2\). With
    \(d = \frac{\pi}{2 \cdot 0.3} h\) the bound is 2.5e-14. The nodes beyond \(\pm 10\) that are left out add less than
    \(2\Phi(-10) < 10^{-22}\).

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in [0, 1], with the shape of the arguments broadcast.
    """
    h = 0.3 / max(1.2, float(approximate(largest(np.asarray(noise)))))
    total: Any = 0
    for node in (k * number(h) for k in range(-math.ceil(10 / h), math.ceil(10 / h) + 1)):
        total = total + exp(-(node**2) / 2) * logistic(corrected(ratio + noise * node, noise))
    return minimum(widened(total * number(h) / sqrt(2 * pi()), number(TRAPEZIUM_ERROR)), 1)


# proved in ``gauss_bernoulli_acceptance``: 2.5e-14; the rest is for h, which is computed in doubles from s
TRAPEZIUM_ERROR = 2.6e-14
"""Bound on the absolute error of the trapezium rule in ``gauss_bernoulli_acceptance``."""
