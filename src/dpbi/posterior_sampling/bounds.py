r"""How far apart two posteriors can be at most: the constants of the paper's theorems, and the sharp ones.

Two posteriors have densities whose log ratio is \(f(\theta) - \ln\frac{\phi(x)}{\phi(y)}\) with
\(|f| \le \ell\rho\). If \(\ell \le L\), it ranges over an interval of a width of at most \(w = 2L\rho\) that contains
zero. Among all pairs P, Q with such a log ratio the extremes are two-point laws, because every divergence is the mean
under Q of a convex function of \(dP/dQ\), whose mean is one.
"""

import math

from .. import arithmetic, checks
from .assumptions import best_rate, expected_lipschitz, likelihood_ratio
from .families import bernoulli
from .finite import Finite
from .laws import ParameterLaw
from .remainder import beyond_linear


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


@arithmetic.remembered
def largest_likelihood_ratio(prior: ParameterLaw, n: int) -> float:
    r"""\(C = \sup_{x, \theta} p_\theta(x) / \phi(x)\) over all datasets of n ``bernoulli`` records (Equation 9)."""
    size = checks.whole("n", n, least=0)
    datasets = [[1] * ones + [0] * (size - ones) for ones in range(size + 1)]
    return arithmetic.plain(arithmetic.largest([likelihood_ratio(bernoulli(), prior, x) for x in datasets]))


def jeffreys_bound(prior: ParameterLaw, n: int) -> float:
    r"""\(C\,\mathbb E_\xi\ell\), at least \(D(x \| y) + D(y \| x)\) for neighbours of n ``bernoulli`` records.

    However large \(\ell\) can be (Theorem 7, part 2).
    """
    return arithmetic.plain(largest_likelihood_ratio(prior, n) * expected_lipschitz(bernoulli(), prior))


def printed_divergence_bound(prior: Finite, n: int, L0: float) -> float:
    r"""\(C (1 + 2L_0 + c^{-1})\) with the best c, as part 2 of Theorem 7 prints it, for ``bernoulli`` neighbours."""
    return divergence_slope(largest_likelihood_ratio(prior, n), L0, best_rate(bernoulli(), prior, L0))


def divergence_slope(ratio: float, L0: float, rate: float) -> float:
    r"""\(C (1 + 2L_0 + c^{-1})\), which times \(\rho\) bounds the divergence by Theorem 7, part 2; printed for c > 1.

    A C beyond all doubles, as the printed ones of Section 5 can be, bounds nothing.

    >>> divergence_slope(2.0, 0.5, 4.0), divergence_slope(math.inf, 0.5, 4.0)
    (4.5, inf)
    """
    C, start = ratio if ratio == math.inf else checks.real("ratio", ratio, above=0), checks.real("L0", L0, least=0)
    return arithmetic.plain(C * (1 + 2 * start + (0 if rate == math.inf else 1 / checks.real("rate", rate, above=0))))
