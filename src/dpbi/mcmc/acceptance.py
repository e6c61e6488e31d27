r"""Formulas for the log ratio of a proposal, its noise, the correction for this noise, and the acceptance probability.

The samplers, the module ``transition_matrices`` and the package ``claims`` evaluate these formulas in double precision
or in ball arithmetic. Let \(\lambda\) be the log ratio of the target, s the standard deviation of the noise that is
added to \(\lambda\), and Z a standard normal variable. A rule that accepts with probability g(y), where
\(y = \lambda + sZ - s^2/2\), leaves the target invariant if \(g(y) = e^y g(-y)\) (proved in ``penalty_algorithm``).
"""

import math
from typing import Any

import numpy as np
from scipy.special import expit

from ..arithmetic import (
    exp,
    in_doubles,
    largest,
    maximum,
    minimum,
    normal_cdf,
    number,
    pi,
    scaled_normal_cdf,
    sqrt,
    widened,
)

# proved: the factor 1/2 gives detailed balance (``penalty_algorithm``), and no other factor k does. As the log ratio L
# grows, ``penalty_acceptance`` tends to 1 for the move and behaves like e^(-L + (1/2 - k) s^2) for the reverse move.
# Detailed balance requires that these two probabilities have the ratio e^L, which holds only for k = 1/2
CORRECTION = 0.5
"""Multiple of the noise variance that the penalty algorithm subtracts from the log ratio."""


# The log ratio and its noise


def clipped(ratio: Any, bound: Any) -> Any:
    """Log ratios of the rows, each clipped to the interval from ``-bound`` to ``bound``.

    Args:
        ratio: Log ratios of the rows.
        bound: Largest absolute value of a row's log ratio.

    Returns:
        The clipped log ratios.
    """
    return minimum(maximum(ratio, -bound), bound)


def clipped_sensitivity(bound: Any) -> Any:
    r"""Sensitivity 2b of a sum of log ratios clipped to \(\pm b\), as one log ratio can change from -b to b."""
    return 2 * bound


def noise_scale(tau: Any, rows: int, sensitivity: Any) -> Any:
    r"""Standard deviation \(\tau \sqrt n \Delta\) of the noise on a sum over n rows with sensitivity \(\Delta\).

    Args:
        tau: Noise multiplier.
        rows: Number n of rows.
        sensitivity: Largest change in the sum when one row is replaced.

    Returns:
        The standard deviation.
    """
    return tau * sqrt(number(rows)) * sensitivity


def corrected(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Log ratio minus the correction \(\kappa s^2\) for noise with standard deviation s.

    Args:
        ratio: Log ratios of the moves.
        noise: Standard deviations of the noise.
        correction: The factor \(\kappa\) that multiplies the variance.

    Returns:
        The corrected log ratios.
    """
    return ratio - number(correction) * noise**2


# Acceptance probability given the decision statistic y


def metropolis(statistic: Any) -> Any:
    r"""Metropolis acceptance probability \(\min\{1, e^y\}\) for the decision statistic y."""
    return exp(minimum(statistic, number(0)))


def logistic(statistic: Any) -> Any:
    r"""Acceptance probability \(1/(1 + e^{-y})\) of Barker's rule and of the Gauss-Bernoulli algorithm."""
    if in_doubles():  # scipy's function stays accurate where e^-y overflows
        return expit(statistic)
    return 1 / (1 + exp(-statistic))


# Acceptance probability averaged over the noise


def metropolis_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Metropolis-Hastings acceptance probability \(\min\{1, e^{\lambda}\}\) without noise.

    Args:
        ratio: Log ratios of the moves.
        noise: Array that affects only the shape of the result, so that all acceptance functions have the same
            arguments.

    Returns:
        Probabilities in (0, 1], with the broadcast shape of the arguments.
    """
    return metropolis(ratio) + 0 * noise


def penalty_acceptance(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Acceptance probability of the penalty algorithm, averaged over its noise.

    The average \(E \min\{1, e^{\lambda + s Z - \kappa s^2}\}\), where Z is standard normal, equals

    \[ \Phi\Bigl(\tfrac{\mu}{s}\Bigr) + e^{\mu + s^2/2} \Phi\Bigl(-\tfrac{\mu}{s} - s\Bigr),
       \qquad \mu = \lambda - \kappa s^2 . \]

    Args:
        ratio: Log ratios \(\lambda\).
        noise: Standard deviations s >= 0 of the noise.
        correction: The factor \(\kappa\); the target is invariant only if \(\kappa = 1/2\).

    Returns:
        Probabilities, with the broadcast shape of the arguments.

    >>> round(float(penalty_acceptance(0.0, 1.0)), 6)
    0.617075
    """
    none = np.asarray(noise == 0, dtype=bool)
    s = np.where(none, number(1), noise)  # avoids dividing by 0; the last line replaces these entries
    mean = corrected(ratio, s, correction)
    averaged = normal_cdf(mean / s) + scaled_normal_cdf(mean + s**2 / 2, -mean / s - s)
    return np.where(none, metropolis(ratio), averaged)[()]


def barker_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability \(1/(1 + e^{-\lambda})\) of Barker's rule without added noise.

    Args:
        ratio: Log ratios of the moves.
        noise: Array that affects only the shape of the result, so that all acceptance functions have the same
            arguments.

    Returns:
        Probabilities in (0, 1), with the broadcast shape of the arguments.
    """
    return logistic(ratio) + 0 * noise


def threshold_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability \(\Phi(\lambda / s)\) of Barker's test with normal instead of logistic noise.

    If s = 0, the acceptance probability is 1 for \(\lambda > 0\), 1/2 for \(\lambda = 0\), and 0 for \(\lambda < 0\).

    Args:
        ratio: Log ratios of the moves.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in [0, 1], with the broadcast shape of the arguments.
    """
    return normal_cdf(ratio / maximum(noise, number(1e-300)))


def gauss_bernoulli_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Gauss-Bernoulli acceptance probability, averaged over the noise, with an absolute error below 2.6e-14.

    The average is \(\int \varphi(z)\, g(\lambda + s z - s^2/2)\, dz\), where g is the logistic function and \(\varphi\)
    is the standard normal density. This integral is computed by the trapezium rule with step
    \(h = \min\{0.25, 0.3/s\}\), where s is the largest standard deviation in ``noise``. If the integrand f is analytic
    in the strip \(|\operatorname{Im} z| \le d\), the error of the rule is at most \(2M / (e^{2\pi d/h} - 1)\), where M
    bounds \(\int |f(x + iy)|\, dx\) in the strip (Trefethen and Weideman 2014, Theorem 5.1). Here \(M = e^{d^2/2}\) is
    such a bound if \(sd \le \frac\pi2\). This follows from \(|\varphi(x + iy)| = e^{y^2/2} \varphi(x)\), and from
    \(|g(w)| \le 1\) for every complex number w with \(|\operatorname{Im} w| \le \frac\pi2\). For
    \(d = \frac{\pi}{2 \cdot 0.3} h\), the error bound is below 2.5e-14. The omitted nodes beyond \(\pm 10\) contribute
    less than \(2\Phi(-10) < 10^{-22}\).

    Args:
        ratio: Log ratios of the moves.
        noise: Standard deviations of the noise.

    Returns:
        Probabilities in [0, 1], with the broadcast shape of the arguments.
    """
    h = 0.3 / max(1.2, float(largest(np.asarray(noise))))
    total: Any = 0
    for node in (k * number(h) for k in range(-math.ceil(10 / h), math.ceil(10 / h) + 1)):
        total = total + exp(-(node**2) / 2) * logistic(corrected(ratio + noise * node, noise))
    return minimum(widened(total * number(h) / sqrt(2 * pi()), number(TRAPEZIUM_ERROR)), 1)


# proved in ``gauss_bernoulli_acceptance``: 2.5e-14; the other 1e-15 covers the rounding error of h, a double
TRAPEZIUM_ERROR = 2.6e-14
"""Bound on the absolute error of the trapezium rule in ``gauss_bernoulli_acceptance``."""
