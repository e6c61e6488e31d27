r"""Test of Corollary 9 on privacy for most parameters, with neighbouring datasets of n ``bernoulli`` records.

Read as a statement about each parameter, Corollary 9 states that the log ratio
\(\ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}\) is at most \(2L\rho(x, y)\) except on a set of parameters whose
prior mass is \(e^{-c(L - L_0)}\). In this reading, Corollary 9 is false, but two corrected versions are true. If the
prior is first restricted to \(\Theta_L\), the log ratio is at most \(2L\rho(x, y)\) for all parameters. Without a
restriction, the log ratio is at most \((L + C\,\mathbb E_\xi\ell)\rho(x, y)\) for parameters in \(\Theta_L\). Log
ratios add up along a path from x to y, so it suffices to consider neighbours.
"""

import itertools

import numpy as np

from .. import checks
from ..arithmetic import less, number, scalar
from ..divergences import log_ratio_of
from .families import count_posteriors
from .finite import TIE_TOLERANCE, Finite


def mass_within_neighbours(prior: Finite, n: int, L: float) -> float:
    r"""Prior mass of the parameters at which the posterior log ratio is at most 2L for all pairs of neighbours.

    Args:
        prior: A distribution on a list of parameters.
        n: Number of ``bernoulli`` records.
        L: Half the largest allowed log ratio, at least 0. Log ratios whose relative difference from 2L is at most 1e-12
            count as 2L.

    Returns:
        A probability.

    >>> from dpbi.posterior_sampling import uniform
    >>> mass_within_neighbours(uniform([k / 20 for k in range(1, 20)]), 20, 1.5)
    0.2631578947368421
    """
    checks.need(isinstance(prior, Finite), f"prior must be a Finite law, got {type(prior).__name__}", TypeError)
    level = 2 * checks.real("L", L, least=0) * (1 + number(TIE_TOLERANCE))
    laws = count_posteriors(prior, n)
    ratios = [log_ratio_of(*pair) for p, q in itertools.pairwise(laws) for pair in ((p, q), (q, p))]
    return scalar(prior.weights[np.all([~less(level, ratio) for ratio in ratios], axis=0)].sum())
