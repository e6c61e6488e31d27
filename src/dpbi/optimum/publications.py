r"""Least expected loss for two categories, if private mechanisms may publish any density.

Privacy is pure and n is public. Geometric noise followed by the root mean of the posteriors has the least expected
squared Hellinger distance (Root mean theorem of the page *Optimality*). Geometric noise followed by the mixture of the
posteriors has the least expected Kullback-Leibler divergence (Mixture theorem). A dataset is given by its first count x
in 0..n, and \(w_x\) is the weight of that count. Let \(\alpha = e^{-\varepsilon}\). At the dataset x the noisy count y,
clamped to 0..n, has the probability \(c_y\,\alpha^{|x-y|}\), where \(c_0 = c_n = 1/(1+\alpha)\) and
\(c_y = (1-\alpha)/(1+\alpha)\) for \(0 < y < n\).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlogy

from .. import checks
from ..checks import Floats
from ..mechanisms.remaps import dataset_weights
from ..model.dirichlet import two_weights
from ..model.distances import line_distances

# Largest number of records; the sum over pairs of counts then takes 30 to 60 seconds at small epsilon (measured).
MAX_RECORDS = 10_000

# Number of values of densities that are computed at a time; they take 8 MB (chosen).
BLOCK_DENSITIES = 1_000_000

# Value that replaces a smaller mass m_y of a noisy count; the loss at such a count is negligible.
MIN_PROBABILITY = 1e-300

# Quadrature ends when halving the step changes the result by at most this (chosen); the rule converges exponentially.
QUADRATURE_TOLERANCE = 1e-12

# Largest sum of the prior parameters at which the logarithm of a density has enough digits for QUADRATURE_TOLERANCE.
MAX_PRIOR_TOTAL = 1e9


def least_mean_squared_distance(prior: ArrayLike, n: int, epsilon: float, weights: ArrayLike | None = None) -> float:
    r"""Least expected squared Hellinger distance between the posterior and the density of a private mechanism.

    Geometric noise followed by the root mean (``dpbi.inference.root_mean``) attains the minimum. Let \(f_x\) be the
    posteriors, \(V_y = \sum_x w_x \alpha^{|x-y|} \sqrt{f_x}\) and \(m_y = \sum_x w_x \alpha^{|x-y|}\), with the norm
    \(\|V\|^2 = \int V^2\,d\theta\) and \(H^2(f, g) = 1 - \int \sqrt{f g}\,d\theta\). The minimum is
    \[ \sum_y c_y\,(m_y - \|V_y\|) = \sum_y c_y \frac{Q_y}{m_y + \|V_y\|}, \qquad
       Q_y = \sum_{x,x'} w_x w_{x'} \alpha^{|x-y|+|x'-y|} H^2(f_x, f_{x'}) = m_y^2 - \|V_y\|^2 . \]
    The pairs x, x' with y between them are summed for all y at once, and the sum over the pairs on one side of y is
    updated from each y to the next. The algorithm takes n^2 steps and avoids the subtraction in \(m_y - \|V_y\|\), in
    which a small loss would lose its digits.

    Args:
        prior: Dirichlet parameters, two positive finite numbers.
        n: Number of records, an integer from 0 to 10,000.
        epsilon: Privacy parameter, > 0.
        weights: Weights of the datasets; by default, their predictive probabilities under the prior.

    Returns:
        The least expected squared distance, in [0, 1].

    >>> round(least_mean_squared_distance([1, 1], 5, epsilon=1.0), 6)
    0.075434
    """
    concentrations, w, e = _arguments(prior, n, epsilon, weights)
    across, left, right = np.zeros((3, len(w)))
    reach = math.ceil(min(len(w), 750 / e))  # for pairs farther apart, alpha^|x - x'| underflows to 0
    for x in range(len(w) - 1):
        beyond = np.arange(x + 1, min(len(w), x + 1 + reach))
        squares = line_distances(concentrations, len(w) - 1, x, beyond) ** 2
        pairs = w[x] * w[beyond] * np.exp(-e * (beyond - x)) * squares
        sums = np.cumsum(pairs[::-1])[::-1]
        across[beyond] += sums  # pairs x < y <= x'
        left[beyond] += pairs  # pairs x < y = x'
        right[x] = sums[0]  # pairs x = y < x'
    fall = math.exp(-2 * e)
    below = np.concatenate([[0.0], fall * _decaying(left, fall)[:-1]])  # pairs x < x' < y
    above = _decaying(right[::-1], fall)[::-1]  # pairs y <= x < x'
    Q = 2 * (below + above + across)
    m = np.maximum(_smoothed(w, e), MIN_PROBABILITY)
    return float(_constants(len(w), e) @ (Q / (m + np.sqrt(np.maximum(m * m - Q, 0.0)))))


def least_mean_divergence(prior: ArrayLike, n: int, epsilon: float, weights: ArrayLike | None = None) -> float:
    r"""Least expected divergence \(\mathrm{KL}(\text{posterior}\,\|\,\text{published})\) of private mechanisms.

    Geometric noise followed by the mixture \(V_y/m_y\) with \(V_y = \sum_x w_x \alpha^{|x-y|} f_x\) attains the
    minimum. If the weights are the predictive probabilities of the prior, this mixture is the posterior given the noisy
    count (``dpbi.given_noise``). The minimum is the information about the share that is lost because of the noise: the
    mutual information of the share and the count x, minus the mutual information of the share and the noisy count. With
    \(\bar f = \sum_x w_x f_x\), the minimum is
    \[ \int \Bigl[\sum_x w_x f_x \ln\frac{f_x}{\bar f} - \sum_y c_y V_y \ln\frac{V_y}{m_y \bar f}\Bigr] d\theta . \]
    The integral is computed by the trapezoidal rule in u, where the log-odds of the share are 2 sinh u. The error is
    below 1e-11 nats for n up to 2,000 (measured; n up to 10,000 is allowed), so a loss far below 1e-11 nats has no
    correct digits.

    Args:
        prior: Dirichlet parameters, two positive finite numbers.
        n: Number of records, an integer from 0 to 10,000.
        epsilon: Privacy parameter, > 0.
        weights: Weights of the datasets; by default, their predictive probabilities under the prior.

    Returns:
        The least expected divergence, in nats.

    >>> round(least_mean_divergence([1, 1], 5, epsilon=1.0), 6)
    0.284135
    """
    concentrations, w, e = _arguments(prior, n, epsilon, weights)
    fine = concentrations.sum() <= MAX_PRIOR_TOTAL
    checks.need(fine, f"prior must have a sum of at most {MAX_PRIOR_TOTAL:.0e} for a divergence, got {prior!r}")
    # the first step is about a standard deviation of the narrowest posterior
    step = min(0.25, 1 / math.sqrt(concentrations.sum() + len(w)))
    before, found = math.inf, _divergence(concentrations, w, e, step)
    while abs(found - before) > QUADRATURE_TOLERANCE:
        step /= 2
        before, found = found, _divergence(concentrations, w, e, step)
    return max(found, 0.0)


def _arguments(prior: ArrayLike, n: int, epsilon: float, weights: ArrayLike | None) -> tuple[Floats, Floats, float]:
    """Validated arguments: the parameters of the prior, the weights of the counts 0..n, and epsilon."""
    concentrations = two_weights(prior)
    size = checks.whole("n", n, least=0, below=MAX_RECORDS + 1)
    e = checks.real("epsilon", epsilon, above=0)
    return concentrations, dataset_weights(concentrations, size, weights), e


def _divergence(prior: Floats, w: Floats, epsilon: float, step: float) -> float:
    """Integral of ``least_mean_divergence`` by the trapezoidal rule, with a distance of ``step`` between nodes in u."""
    n = len(w) - 1
    a, b = prior[0] + np.arange(n + 1), prior[1] + np.arange(n, -1.0, -1.0)
    # beyond these nodes all densities with respect to the log-odds are below e^-45 / Gamma(a), because the density at
    # -t is at most (e^-t (a + b))^a / Gamma(a), and a is at least the parameter of the prior
    ends = [math.ceil(math.asinh((45 / least + math.log(prior.sum() + n)) / 2) / step) for least in prior]
    nodes = step * np.arange(-ends[0], ends[1] + 1)
    c, log_m = _constants(n + 1, epsilon), np.log(np.maximum(_smoothed(w, epsilon), MIN_PROBABILITY))[:, None]
    total = 0.0
    for u in np.array_split(nodes, 1 + len(nodes) * len(w) // BLOCK_DENSITIES):
        t = 2 * np.sinh(u)
        logs = -np.outer(a, np.logaddexp(0, -t)) - np.outer(b, np.logaddexp(0, t)) - betaln(a, b)[:, None]
        f = w[:, None] * np.exp(logs)
        # f are densities with respect to the log-odds 2 sinh u, so that dtheta becomes 2 cosh u du; where all of them
        # underflow, the centre is minus infinity and the integrand is negligible
        with np.errstate(divide="ignore", invalid="ignore"):
            centre = np.log(f.sum(axis=0))
            V = _smoothed(f, epsilon)
            gained = (f * (logs - centre)).sum(axis=0) - c @ (xlogy(V, V) - V * (log_m + centre))
        total += float(np.where(np.isfinite(centre), gained, 0.0) @ (2 * np.cosh(u))) * step
    return total


def _constants(size: int, epsilon: float) -> Floats:
    r"""Constants \(c_0, \dots, c_n\) of clamped geometric noise, with \(\sum_y c_y \alpha^{|x-y|} = 1\) at every x."""
    c = np.full(size, math.tanh(epsilon / 2) if size > 1 else 1.0)
    if size > 1:
        c[[0, -1]] = 1 / (1 + math.exp(-epsilon))
    return c


def _smoothed(rows: Floats, epsilon: float) -> Floats:
    r"""Sums \(\sum_x \alpha^{|x-y|} r_x\) for every y, along the first axis of the rows \(r_x\)."""
    alpha = math.exp(-epsilon)
    sums: Floats = _decaying(rows, alpha)
    sums[:-1] += alpha * _decaying(rows[::-1], alpha)[-2::-1]
    return sums


def _decaying(rows: Floats, factor: float) -> Floats:
    r"""Sums \(\sum_{x \le y} \mathrm{factor}^{y-x} r_x\) for every y, along the first axis of the rows \(r_x\)."""
    from scipy.signal import lfilter  # imported here, since the import takes longer than most calls of the library

    return lfilter([1.0], [1.0, -factor], rows, axis=0)
