r"""The density with the least expected squared Hellinger distance from the hidden posterior, given two noisy counts.

Let \(f_x\) be the posterior density of the share if the first count is x, \(w_x\) the weight of this count, and \(y\)
the noisy count. The density with the least expected squared Hellinger distance is the *root mean*
\[ g_y \propto \Bigl(\sum_x w_x e^{-\varepsilon|x-y|} \sqrt{f_x}\Bigr)^2 \]
(Root mean theorem on the page *Optimality*). The density with the least expected Kullback-Leibler divergence is the
mixture of the \(f_x\) with weights proportional to \(w_x e^{-\varepsilon|x-y|}\), which ``given_noise`` computes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, need
from ..mechanisms.remaps import normalised_weights
from ..model.distances import gamma_gap
from ..model.predictive import log_marginal
from .mixtures import MIN_WEIGHT_RATIO, Mixture
from .posteriors_given_noise import Noisy, noisy_and_noise

# Exclusive upper limit of the number of records (chosen): arrays of all n + 1 counts are computed.
MAX_RECORDS = 10**7

# Largest number of counts with non-negligible weights: sums over all pairs of this many counts take about four seconds
# (measured).
MAX_WINDOW = 20_000


def root_mean(
    prior: ArrayLike, n: int, noisy: ArrayLike, epsilon: float, weights: ArrayLike | None = None
) -> tuple[Mixture, ...]:
    r"""Root mean of the possible posteriors of each share, given two counts of n records with geometric noise.

    The product \(\sqrt{f_x f_{x'}}\) is proportional to the Beta density that belongs to the midpoint \(s = (x +
    x')/2\). If the prior has the parameters a and b, and B is the beta function, the root mean is therefore
    \[ g_y \propto \sum_s \Bigl[ B(a + s, b + n - s) \sum_{x + x' = 2s} d_x d_{x'} \Bigr] \mathrm{Beta}(a+s, b+n-s),
       \qquad d_x = \frac{w_x e^{-\varepsilon|x-y|}}{\sqrt{B(a+x, b+n-x)}} , \]
    which is a mixture over the midpoints s, whose spacing is one half. All terms are positive and are scaled by the
    largest before they are summed, so no digits are lost.

    Args:
        prior: Dirichlet parameters, two finite numbers > 0.
        n: Number of records, a whole number >= 0 and < 10,000,000.
        noisy: Two noisy counts that add up to n; a count below 0 is treated as 0, and a count above n as n.
        epsilon: Privacy parameter, > 0.
        weights: Weights of the values 0..n of the first count; by default, the predictive probabilities of these values
            under the prior.

    Returns:
        The root mean for each of the two shares, a mixture of Beta distributions.

    Raises:
        ValueError: If n is 10 million or more, or if epsilon is so small that more than 20,000 counts have weights that
            are not negligible.

    >>> first, second = root_mean([1, 1], 20, [14, 6], epsilon=0.8)
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.680428, [0.452458, 0.873183])
    """
    alpha = checks.prior_weights(prior)
    need(len(alpha) == 2, f"prior must have two categories for root_mean, got {len(alpha)}")
    size = checks.whole("n", n, least=0, below=MAX_RECORDS)
    e = checks.real("epsilon", epsilon, above=0)
    z, _ = noisy_and_noise(Noisy(noisy, e, "geometric"), 2)
    need(z.sum() == size, f"noisy must be 2 whole numbers with the sum n={size}, got noisy={checks.brief(noisy)}")
    x = np.arange(size + 1)
    with np.errstate(divide="ignore"):
        logs = log_marginal(alpha, size) if weights is None else np.log(normalised_weights(weights, size + 1))
    logs = logs - e * np.abs(x - np.clip(z[0], 0, size))
    kept = np.flatnonzero(logs - logs.max() >= np.log(MIN_WEIGHT_RATIO))
    window = slice(kept[0], kept[-1] + 1)
    a, b = alpha[0] + x[window], alpha[1] + (size - x[window])
    need(len(a) <= MAX_WINDOW, f"epsilon must leave at most {MAX_WINDOW} counts that matter, got epsilon={epsilon!r}")
    p = _pair_sums(logs[window] - logs.max(), a, b)
    half = np.arange(len(p)) / 2
    share = Mixture(p / p.sum(), a[0] + half, b[-1] + half[::-1])
    return share, share.complement


def _pair_sums(logs: Floats, a: Floats, b: Floats) -> Floats:
    r"""Sums over the pairs of counts with \(x + x' = 2s\), one sum for each midpoint s.

    ``logs`` contains the values \(\ln(w_x e^{-\varepsilon|x-y|})\), and ``a`` and ``b`` contain the parameters of
    \(f_x\).
    """
    size = len(a)
    log_beta = np.zeros(2 * size - 1)  # at the midpoints, relative to the first one
    log_beta[::2] = np.concatenate([[0.0], np.cumsum(np.log(a[:-1]) - np.log(b[1:]))])  # b - 1 is the next b
    gaps = gamma_gap(a[:-1], a[1:], 0.5) + gamma_gap(b[:-1], b[1:], -0.5)
    log_beta[1::2] = (log_beta[:-1:2] + log_beta[2::2]) / 2 - gaps
    d = logs - log_beta[::2] / 2
    sums = np.zeros(len(log_beta))
    for apart in range(size):  # pairs of counts x and x + apart; a pair of different counts has two orders
        pairs = slice(apart, len(sums) - apart, 2)
        sums[pairs] += (2 if apart else 1) * np.exp(d[: size - apart] + d[apart:] + log_beta[pairs])
    return sums
