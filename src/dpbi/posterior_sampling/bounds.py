r"""Bounds on the distance between two posteriors, with the constants of the paper's theorems and with sharp constants.

Let f be the log ratio of the likelihoods of datasets x and y, so that \(|f| \le \ell\rho\). The log ratio of the two
posterior densities is \(f(\theta) - \ln\frac{\phi(x)}{\phi(y)}\). If \(\ell \le L\), the values of the log ratio lie in
an interval that contains zero and has width at most \(w = 2L\rho\). Every divergence of this module is the mean under Q
of a convex function of \(dP/dQ\), and \(dP/dQ\) has mean one under Q. Among all pairs P, Q whose log ratio lies in the
interval, the divergence is therefore largest for a pair whose log ratio takes only the two end points of the interval
as values.
"""

import math

from .. import arithmetic, checks
from ..divergences import exp_remainder
from .assumptions import best_rate, expected_lipschitz, likelihood_ratio
from .families import bernoulli
from .finite import Finite
from .laws import ParameterLaw


def largest_variation(width: float) -> float:
    r"""Largest total variation \(\tanh\frac w4\) between distributions whose log ratio has range w (Theorem 8, part 1).

    >>> round(largest_variation(2.0), 6)
    0.462117
    """
    return arithmetic.scalar(arithmetic.tanh(checks.real("width", width, least=0) / 4))


def concentrated_by_width(width: float) -> float:
    r"""Zero-concentrated privacy parameter \(w^2/8\) of two distributions whose log ratio has range w.

    If the log ratio of two distributions has range w, their Renyi divergence of order \(\alpha\) is at most
    \(\alpha w^2/8\).

    >>> concentrated_by_width(2.0)
    0.5
    """
    return arithmetic.scalar(checks.real("width", width, least=0) ** 2 / 8)


def largest_divergence(width: float) -> float:
    r"""Largest Kullback-Leibler divergence between two distributions whose log ratio has range w (Theorem 7).

    The largest divergence is \(h(w) = \frac{w}{e^w - 1} - 1 - \ln\frac{w}{e^w - 1} \le \min(w, w^2/8)\).

    >>> f"{largest_divergence(2.0):.6g}, {largest_divergence(1e-9):.6g}"  # near zero, about w^2 / 8
    '0.474475, 1.25e-19'
    """
    w = checks.real("width", width, least=0)
    if w == 0:
        return arithmetic.scalar(arithmetic.number(0))
    # ln(w / (e^w - 1)) = -w - ln(1 - r/w) with r = e^-w - 1 + w; no digits cancel near zero
    return arithmetic.scalar(exp_remainder(-w - arithmetic.log1p(-exp_remainder(-w) / w)))


@arithmetic.remembered
def largest_likelihood_ratio(prior: ParameterLaw, n: int) -> float:
    r"""Constant C of Equation 9 for n ``bernoulli`` records: \(C = \sup_{x, \theta} p_\theta(x) / \phi(x)\).

    Args:
        prior: A ``Finite`` or ``Beta`` law.
        n: Number of records.

    Returns:
        The constant C >= 1, which is the largest ``likelihood_ratio`` over the n + 1 possible counts of ones.
    """
    size = checks.whole("n", n, least=0)
    datasets = [[1] * ones + [0] * (size - ones) for ones in range(size + 1)]
    return arithmetic.scalar(arithmetic.largest([likelihood_ratio(bernoulli(), prior, x) for x in datasets]))


def jeffreys_bound(prior: ParameterLaw, n: int) -> float:
    r"""Bound on the Jeffreys divergence between the posteriors of neighbouring datasets (Theorem 7, part 2).

    For all neighbouring datasets x and y of n ``bernoulli`` records, the divergence \(D(x \| y) + D(y \| x)\) is at
    most \(C\,\mathbb E_\xi\ell\), even if \(\ell\) is unbounded.

    Args:
        prior: A ``Finite`` or ``Beta`` law.
        n: Number of records.

    Returns:
        The bound, which is nonnegative.
    """
    return arithmetic.scalar(largest_likelihood_ratio(prior, n) * expected_lipschitz(bernoulli(), prior))


def printed_divergence_bound(prior: Finite, n: int, L0: float) -> float:
    r"""Bound in Theorem 7, part 2, as printed: \(C (1 + 2L_0 + c^{-1})\), where c is the ``best_rate`` of the prior.

    Args:
        prior: A distribution on a list of parameters.
        n: Number of ``bernoulli`` records.
        L0: The constant \(L_0 \ge 0\) of Assumption 2.

    Returns:
        The printed bound on the divergence between the posteriors of neighbouring datasets.
    """
    return divergence_slope(largest_likelihood_ratio(prior, n), L0, best_rate(bernoulli(), prior, L0))


def divergence_slope(ratio: float, L0: float, rate: float) -> float:
    r"""Factor \(C (1 + 2L_0 + c^{-1})\) that multiplies \(\rho\) in Theorem 7, part 2, which assumes c > 1.

    Args:
        ratio: The positive constant C. Infinity is allowed because some constants printed in Section 5 exceed the
            largest double.
        L0: The constant \(L_0 \ge 0\).
        rate: The rate \(c \ge 0\); infinity is allowed.

    Returns:
        The factor, which is infinite if C is infinite or c is 0.

    >>> divergence_slope(2.0, 0.5, 4.0), divergence_slope(math.inf, 0.5, 4.0), divergence_slope(2.0, 0.5, 0)
    (4.5, inf, inf)
    """
    if rate == 0:
        return math.inf
    C, start = ratio if ratio == math.inf else checks.real("ratio", ratio, above=0), checks.real("L0", L0, least=0)
    return arithmetic.scalar(C * (1 + 2 * start + (0 if rate == math.inf else 1 / checks.real("rate", rate, above=0))))
