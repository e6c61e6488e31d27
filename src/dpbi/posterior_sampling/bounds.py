r"""How far apart two posteriors can be at most: the constants of the paper's theorems, and the sharp ones.

Two posteriors have densities whose log ratio is \(f(\theta) - \ln\frac{\phi(x)}{\phi(y)}\) with
\(|f| \le \ell\rho\). If \(\ell \le L\), it ranges over an interval of a width of at most \(w = 2L\rho\) that contains
zero. Among all pairs P, Q with such a log ratio the extremes are two-point laws, because every divergence is the mean
under Q of a convex function of \(dP/dQ\), whose mean is one.
"""

import itertools
from typing import Any

import numpy as np

from .. import arithmetic, checks
from .assumptions import best_rate, expected_lipschitz, likelihood_ratio
from .families import bernoulli, count_posteriors
from .finite import TIE, Finite
from .laws import ParameterLaw
from .measures import beyond_linear, log_ratio


def largest_variation(width: float) -> float:
    r"""\(\tanh\frac w4\): the largest total variation of laws whose log ratio ranges over w (Theorem 8, part 1).

    >>> round(largest_variation(2.0), 6)
    0.462117
    """
    return arithmetic.plain(arithmetic.tanh(checks.real("width", width, least=0) / 4))


def concentrated_by_width(width: float) -> float:
    r"""\(w^2/8\): laws whose log ratio ranges over w have Renyi divergences of at most \(\alpha w^2/8\).

    >>> concentrated_by_width(2.0)
    0.5
    """
    return arithmetic.plain(checks.real("width", width, least=0) ** 2 / 8)


def largest_divergence(width: float) -> float:
    r"""\(h(w) = \frac{w}{e^w - 1} - 1 - \ln\frac{w}{e^w - 1} \le \min(w, w^2/8)\), for \(D(P \| Q)\) (Theorem 7).

    >>> round(largest_divergence(2.0), 6)
    0.474475
    """
    w = checks.real("width", width, least=0)
    if w == 0:
        return arithmetic.plain(arithmetic.number(0))
    return arithmetic.plain(beyond_linear(arithmetic.log(w) - w - arithmetic.log_one_minus_exp(-w)))


def least_affinity(width: float) -> float:
    r"""\(1 / \cosh\frac w4\): the least \(\int \sqrt{dP\,dQ}\) of laws whose log ratio ranges over w (Theorem 13)."""
    half = checks.real("width", width, least=0) / 4
    return arithmetic.plain(2 / (arithmetic.exp(half) + arithmetic.exp(-half)))


@arithmetic.remembered
def largest_likelihood_ratio(prior: ParameterLaw, n: int) -> float:
    r"""\(C = \sup_{x, \theta} p_\theta(x) / \phi(x)\) over all datasets of n ``bernoulli`` records (Equation 9)."""
    size, family = checks.whole("n", n, least=0), bernoulli()
    return arithmetic.plain(
        arithmetic.largest(
            [likelihood_ratio(family, prior, [1] * ones + [0] * (size - ones)) for ones in range(size + 1)]
        )
    )


def jeffreys_bound(prior: ParameterLaw, n: int) -> float:
    r"""\(C\,\mathbb E_\xi\ell\), at least \(D(x \| y) + D(y \| x)\) for neighbours of n ``bernoulli`` records.

    However large \(\ell\) can be (Theorem 7, part 2).
    """
    return arithmetic.plain(largest_likelihood_ratio(prior, n) * expected_lipschitz(bernoulli(), prior))


def printed_divergence_bound(prior: Finite, n: int, L0: float) -> float:
    r"""\(C (1 + 2L_0 + c^{-1})\) with the best c, as part 2 of Theorem 7 prints it, for ``bernoulli`` neighbours."""
    c = best_rate(bernoulli(), prior, L0)
    return arithmetic.plain(largest_likelihood_ratio(prior, n) * (1 + 2 * checks.real("L0", L0, least=0) + 1 / c))


def mass_within(prior: Finite, n: int, level: float) -> float:
    r"""The prior mass of the parameters with \(\ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)} \le\) level everywhere.

    For all neighbours x and y of n ``bernoulli`` records (Corollary 9, read for each parameter). A ratio that is above
    the level by less than 1e-12 of it counts as equal.
    """
    most = checks.real("level", level, least=0) * (1 + arithmetic.number(TIE))
    laws: list[Any] = count_posteriors(prior, n)
    pairs = [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]
    inside = np.all([~arithmetic.less(most, log_ratio(p, q)) for p, q in pairs], axis=0)
    return arithmetic.plain(prior.weights[inside].sum())
