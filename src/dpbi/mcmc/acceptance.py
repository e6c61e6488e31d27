r"""Acceptance of a proposal: its log ratio, the noise with its correction, and the probability of acceptance.

The steps that draw, the transition matrices of ``exact`` and the statements all use these formulas, in any arithmetic.
With \(\lambda\) the log ratio of the target, \(s\) the standard deviation of the noise on it and Z standard normal, a
rule g of the decision statistic \(y = \lambda + sZ - s^2/2\) is exact if \(g(y) = e^y g(-y)\).
"""

import math
from typing import Any

import numpy as np
from scipy.special import expit

from ..arithmetic import (
    approximate,
    exp,
    give_or_take,
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
)

CORRECTION = 0.5
# Proved: with any other factor detailed balance fails (``penalty_algorithm``).
"""Multiple of the noise variance that the penalty algorithm subtracts from the log ratio."""


# The ratio and its noise


def clipped(ratio: Any, bound: Any) -> Any:
    """A row's log ratio, clipped to the interval from -bound to bound."""
    return minimum(maximum(ratio, -bound), bound)


def clipped_sensitivity(bound: Any) -> Any:
    r"""Sensitivity 2b of a sum of ratios clipped to \(\pm b\): one replaced row moves from one end to the other."""
    return 2 * bound


def noise_scale(tau: Any, rows: int, sensitivity: Any) -> Any:
    r"""Standard deviation \(\tau \sqrt n \Delta\) of the noise on a sum over n rows of sensitivity \(\Delta\)."""
    return tau * sqrt(number(rows)) * sensitivity


def corrected(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Log ratio minus \(\kappa s^2\), for noise of standard deviation s; \(\kappa = \frac12\) is exact."""
    return ratio - number(correction) * noise**2


def with_proposal(ratio: Any, proposal: Any) -> Any:
    r"""Log ratios of a target plus those of an asymmetric proposal q: \(\lambda + \ln \frac{q_{ji}}{q_{ij}}\)."""
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
    r"""Acceptance probability of Metropolis-Hastings, \(\min\{1, e^{\lambda}\}\); ``noise`` has no effect."""
    return metropolis(ratio) + 0 * noise


def penalty_acceptance(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""Acceptance probability of the penalty algorithm, averaged over its noise.

    \(E \min\{1, e^{\lambda + s Z - \kappa s^2}\}\), which is exact for \(\kappa = \frac12\), equals

    \[ \Phi\Bigl(\tfrac{\mu}{s}\Bigr) + e^{\mu + s^2/2} \Phi\Bigl(-\tfrac{\mu}{s} - s\Bigr),
       \qquad \mu = \lambda - \kappa s^2 . \]

    Args:
        ratio: Log ratios \(\lambda\).
        noise: Standard deviations s >= 0 of the noise.
        correction: The factor \(\kappa\): 0 is no correction, 1/4 half of the right one.

    Returns:
        Probabilities, of the broadcast shape.

    >>> round(float(penalty_acceptance(0.0, 1.0)), 6)
    0.617075
    """
    none = np.asarray(noise == 0, dtype=bool)
    s = np.where(none, number(1), noise)
    mean = corrected(ratio, s, correction)
    averaged = normal_cdf(mean / s) + scaled_normal_cdf(mean + s**2 / 2, -mean / s - s)
    return np.where(none, metropolis(ratio), averaged)[()]


def barker_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Barker's rule, \(1/(1 + e^{-\lambda})\); ``noise`` has no effect."""
    return logistic(ratio) + 0 * noise


def threshold_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Barker's test with normal in place of logistic noise, \(\Phi(\lambda / s)\)."""
    return normal_cdf(ratio / maximum(noise, number(1e-300)))


def gauss_bernoulli_acceptance(ratio: Any, noise: Any) -> Any:
    r"""Acceptance probability of Gauss-Bernoulli, averaged over its noise, to 2.6e-14.

    It is \(E\, g(\lambda + s Z - s^2/2)\), g logistic, by the trapezium rule in steps \(h = \min\{0.25, 0.3/s\}\). Its
    error is at most 2.5e-14: for \(|\operatorname{Im} z| \le d\) with \(sd \le \frac\pi2\) the modulus of g is at
    most 1, and that of the density at most \(e^{d^2/2}\) times the density at the real part; so the rule is wrong by at
    most \(2 e^{d^2/2} / (e^{2\pi d/h} - 1)\), here at \(d = \frac{\pi}{2 \cdot 0.3} h\). The nodes beyond
    \(\pm 10\) that are left out add less than \(2\Phi(-10) < 10^{-22}\).
    """
    h = 0.3 / max(1.2, float(approximate(largest(np.asarray(noise)))))
    found: Any = 0
    for node in (k * number(h) for k in range(-math.ceil(10 / h), math.ceil(10 / h) + 1)):
        found = found + exp(-(node**2) / 2) * logistic(corrected(ratio + noise * node, noise))
    return give_or_take(found * number(h) / sqrt(2 * pi()), number(TRAPEZIUM_ERROR))


TRAPEZIUM_ERROR = 2.6e-14
# Proved above: 2.5e-14, plus the rounding of h and s.
"""Bound on the absolute error of the trapezium rule in ``gauss_bernoulli_acceptance``."""
