r"""Prior probabilities of the datasets under the Dirichlet-multinomial distribution.

\[ \Pr[x] = \frac{n!\,\Gamma(|\alpha|)}{\Gamma(|\alpha| + n)}
   \prod_i \frac{\Gamma(\alpha_i + x_i)}{\Gamma(\alpha_i)\,x_i!} . \]
The probability is a product over the categories, conditioned on the sum of the counts. Each factor is computed as a
product of ratios at successive counts, which is accurate for every n, whereas a difference of \(\ln\Gamma\) at \(10^9\)
has an error of about \(10^{-6}\).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import exp, in_doubles, largest, log, numbers, zeros
from ..checks import Floats, Integers
from .datasets import count_vectors


def marginal(prior: ArrayLike, n: int) -> Floats:
    """Prior probability of every dataset of n records.

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records, a nonnegative integer.

    Returns:
        Probabilities in the order of ``count_vectors(n, k)``.

    >>> marginal([1, 1], 4)
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    >>> marginal([2, 1], 2).round(6)
    array([0.166667, 0.333333, 0.5     ])
    """
    p: Floats = exp(log_marginal(prior, n))  # up to a factor, which the next line removes
    p /= p.sum()
    return p


def log_marginal(prior: ArrayLike, n: int) -> Floats:
    """Log prior probability of every dataset relative to the most likely dataset, finite even where exp underflows.

    Args:
        prior: Dirichlet parameters, k >= 2 positive finite numbers.
        n: Number of records.

    Returns:
        Logarithms <= 0 in the order of ``count_vectors``.

    >>> float(log_marginal([1000, 1], 400)[0].round(6))
    -833.494285
    """
    weights = checks.prior_weights(prior)
    counts = count_vectors(n, len(weights))
    values = np.arange(int(n))
    log_p = zeros(len(counts))
    for i, weight in enumerate(weights):
        log_p += np.concatenate([zeros(1), np.cumsum(log_step(weight, values))])[counts[:, i]]
    return np.asarray(log_p - largest(log_p))


def log_step(weight: float | Floats, x: Integers) -> Floats:
    r"""Log ratio of the factors of one category at counts x + 1 and x, \(\ln \frac{\alpha + x}{x + 1}\).

    Args:
        weight: Prior weight \(\alpha\) of the category.
        x: Counts.

    Returns:
        The log ratios; arrays broadcast.
    """
    if not in_doubles():
        return np.asarray(log((weight + numbers(x)) / (numbers(x) + 1)))
    # for a ratio near 1, log1p of its difference from 1 keeps the digits
    ratio = (weight + x) / (x + 1.0)
    near = np.log1p((weight - 1) / (x + 1.0), where=ratio > 0.5, out=np.zeros(np.shape(ratio)))
    return np.where(ratio > 0.5, near, np.log(ratio))
