r"""How a proposal is decided: the log ratio, the noise on it with its correction, and the probability of acceptance.

Written once, over any numbers: the steps that draw, the transition matrices of ``exact`` and the ledger all decide by
these. With \(\lambda\) the log ratio of the target, \(s\) the standard deviation of the noise on it and Z standard
normal, a rule g of the decision statistic \(y = \lambda + sZ - s^2/2\) is exact if \(g(y) = e^y g(-y)\).
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
"""The share of the noise's variance that is taken off the ratio: the only one that is exact."""


# The ratio and its noise


def clipped(ratio: Any, bound: Any) -> Any:
    """A row's log ratio within the bound."""
    return minimum(maximum(ratio, -bound), bound)


def clipped_sensitivity(bound: Any) -> Any:
    r"""The most that one replaced row can change a sum of ratios within \(\pm b\): from one end to the other, 2b."""
    return 2 * bound


def noise_scale(tau: Any, rows: int, sensitivity: Any) -> Any:
    r"""The noise on a sum of that sensitivity, \(\tau \sqrt n \Delta\)."""
    return tau * sqrt(number(rows)) * sensitivity


def corrected(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""\(\lambda - \kappa s^2\), of a log ratio with noise of standard deviation s; \(\kappa = \frac12\) is exact."""
    return ratio - number(correction) * noise**2


def with_proposal(ratio: Any, proposal: Any) -> Any:
    r"""\(\lambda + \ln \frac{q_{ji}}{q_{ij}}\), from the log ratios of a target and the matrix of a proposal."""
    return ratio + log(proposal.T / proposal)


# How a decision statistic is accepted


def metropolis(statistic: Any) -> Any:
    r"""\(\min\{1, e^y\}\)."""
    return exp(minimum(statistic, number(0)))


def logistic(statistic: Any) -> Any:
    r"""\(1/(1 + e^{-y})\): the rule of Barker and of Gauss-Bernoulli."""
    if in_doubles():  # the same with all its digits where e^-y overflows
        return expit(statistic)
    return 1 / (1 + exp(-statistic))


# The same, on average over the noise


def metropolis_acceptance(ratio: Any, noise: Any) -> Any:
    r"""\(\min\{1, e^{\lambda}\}\); there is no noise."""
    return metropolis(ratio) + 0 * noise


def penalty_acceptance(ratio: Any, noise: Any, correction: Any = CORRECTION) -> Any:
    r"""\(E \min\{1, e^{\lambda + s Z - \kappa s^2}\}\), exact for \(\kappa = \frac12\): no correction is 0, half 1/4.

    \[ \Phi\Bigl(\tfrac{\mu}{s}\Bigr) + e^{\mu + s^2/2} \Phi\Bigl(-\tfrac{\mu}{s} - s\Bigr),
       \qquad \mu = \lambda - \kappa s^2 . \]
    """
    none = np.asarray(noise == 0, dtype=bool)
    s = np.where(none, number(1), noise)
    mean = corrected(ratio, s, correction)
    averaged = normal_cdf(mean / s) + scaled_normal_cdf(mean + s**2 / 2, -mean / s - s)
    return np.where(none, metropolis(ratio), averaged)[()]


def barker_acceptance(ratio: Any, noise: Any) -> Any:
    r"""\(1/(1 + e^{-\lambda})\); there is no noise but the logistic variable."""
    return logistic(ratio) + 0 * noise


def threshold_acceptance(ratio: Any, noise: Any) -> Any:
    r"""\(P(\lambda + s Z > 0) = \Phi(\lambda / s)\): normal noise where Barker's test has a logistic variable."""
    return normal_cdf(ratio / maximum(noise, number(1e-300)))


def gauss_bernoulli_acceptance(ratio: Any, noise: Any) -> Any:
    r"""\(E\, g(\lambda + s Z - s^2/2)\), g logistic, by the trapezium rule in steps \(h = \min\{0.25, 0.3/s\}\).

    Its error is at most 2.5e-14: for \(|\operatorname{Im} z| \le d\) with \(sd \le \frac\pi2\) the modulus of g is at
    most 1, and that of the density at most \(e^{d^2/2}\) times the density at the real part; so the rule is wrong by at
    most \(2 e^{d^2/2} / (e^{2\pi d/h} - 1)\), here at \(d = \frac{\pi}{2 \cdot 0.3} h\). The nodes beyond
    \(\pm 10\) that are left out add less than \(2\Phi(-10) < 10^{-22}\).
    """
    h = 0.3 / max(1.2, float(approximate(largest(np.asarray(noise)))))
    found: Any = 0
    for node in (k * number(h) for k in range(-math.ceil(10 / h), math.ceil(10 / h) + 1)):
        found = found + exp(-(node**2) / 2) * logistic(corrected(ratio + noise * node, noise))
    return give_or_take(found * number(h) / sqrt(2 * pi()), number(TRAPEZIUM))


TRAPEZIUM = 2.6e-14
"""A bound on the error of the rule above, h and s being rounded."""
