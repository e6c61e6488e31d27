r"""Privacy that holds for most parameters (Corollary 9), between neighbours among n ``bernoulli`` records.

Read for each parameter, the corollary says that the log ratio \(\ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}\) is
at most \(2L\rho(x, y)\) except on a prior mass of \(e^{-c(L - L_0)}\). That is false. Two repairs hold: the bound
\(2L\rho\) for all parameters, if the prior is restricted to \(\Theta_L\) first; and the bound
\((L + C\,\mathbb E_\xi\ell)\rho(x, y)\) on \(\Theta_L\) without a restriction. Log ratios add up along a path from x
to y, so it is enough to look at neighbours.
"""

import itertools

import numpy as np

from .. import checks
from ..arithmetic import less, number, scalar
from ..divergences import log_ratio_of
from .families import count_posteriors
from .finite import TIE_TOLERANCE, Finite


def mass_within_neighbours(prior: Finite, n: int, L: float) -> float:
    r"""Prior mass of the parameters whose log ratio is at most 2L between all neighbours.

    Args:
        prior: A law on a list.
        n: Number of ``bernoulli`` records.
        L: Half the largest log ratio, >= 0; ratios within a relative 1e-12 of 2L count as equal to it.

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
