"""The worst pair of distributions under pure and approximate differential privacy, with divergences in closed form.

The closed forms are more accurate than sums over the outputs.
"""

import math
from typing import Any

from .. import checks
from ..arithmetic import approximate, exp, expm1, less, log1p, maximum, number, numbers, scalar, tanh


def worst_pair(epsilon: Any, delta: Any = 0) -> tuple[Any, Any]:
    r"""Worst pair of output distributions under \((\varepsilon, \delta)\)-differential privacy.

    With probability \(\delta\) the mechanism reveals the dataset. Otherwise it is randomised response, which gives the
    correct answer with odds \(e^{\varepsilon}\). So

    \[ P = \Bigl(\delta,\ 0,\ \tfrac{(1-\delta) e^{\varepsilon}}{1 + e^{\varepsilon}},\
                 \tfrac{1-\delta}{1 + e^{\varepsilon}}\Bigr) , \]

    and Q is P with the first two probabilities exchanged and the last two exchanged. Every pair of distributions that
    satisfies the guarantee is a post-processing of this pair (Kairouz, Oh and Viswanath 2015, Theorem 3.3 and its
    proof).

    Args:
        epsilon: Epsilon, >= 0.
        delta: Delta, in [0, 1].

    Returns:
        The distributions P and Q, each with four probabilities.

    >>> p, q = worst_pair(1, 0.1)
    >>> p.round(4).tolist(), q.round(4).tolist()
    ([0.1, 0.0, 0.658, 0.242], [0.0, 0.1, 0.242, 0.658])
    """
    d = checks.real("delta", delta, least=0, most=1)
    odds = exp(-checks.real("epsilon", epsilon, least=0))
    true = (1 - d) / (1 + odds)
    p = numbers([d, 0, true, true * odds])
    return p, p[[1, 0, 3, 2]]


def implied_delta(epsilon: Any, delta: Any, smaller: Any) -> Any:
    r"""Smallest \(\delta'\) that \((\varepsilon, \delta)\)-differential privacy implies at \(\varepsilon'\).

    \[ \delta' = \delta + (1 - \delta) \max(0, e^{\varepsilon} - e^{\varepsilon'}) / (1 + e^{\varepsilon}) \]
    This value is attained by the mechanism that reveals the data with probability \(\delta\) and otherwise is
    randomised response. Every \((\varepsilon, \delta)\)-private mechanism is, for any two neighbours, a post-processing
    of that mechanism (Kairouz, Oh and Viswanath 2015).

    Args:
        epsilon: Epsilon, >= 0.
        delta: Delta, in [0, 1].
        smaller: The other epsilon \(\varepsilon'\), >= 0.

    Returns:
        The smallest \(\delta'\).
    """
    gap = maximum(0, epsilon - checks.real("epsilon", smaller, least=0))
    return scalar(delta + (1 - delta) * -expm1(-gap) / (1 + exp(-epsilon)))


def implied_epsilon(epsilon: Any, delta: Any, larger: Any) -> Any:
    r"""Smallest \(\varepsilon'\) that \((\varepsilon, \delta)\)-differential privacy implies at \(\delta'\).

    As a function of \(\delta'\), it is the inverse of ``implied_delta``. It is infinite if \(\delta' < \delta\).

    Args:
        epsilon: Epsilon, >= 0.
        delta: Delta, in [0, 1].
        larger: The other delta \(\delta'\), in [0, 1].

    Returns:
        The smallest \(\varepsilon'\).
    """
    excess = checks.real("delta", larger, least=0, most=1) - delta
    if less(excess, 0):
        return number(math.inf)
    if delta == 1:
        return number(0.0)
    share = excess / (1 - delta) * (1 + exp(-epsilon))
    return scalar(maximum(0, epsilon + log1p(-share))) if less(share, 1) else number(0.0)


def response_divergence(epsilon: Any, alpha: Any) -> Any:
    r"""Rényi divergence between the two output distributions of randomised response.

    \[ \ln[\cosh((\alpha-\tfrac12)\varepsilon) / \cosh\tfrac\varepsilon2] / (\alpha-1) \]

    Args:
        epsilon: Epsilon, >= 0.
        alpha: Order \(\alpha\), > 1, which may be infinite.

    Returns:
        The divergence.

    >>> from dpbi.guarantees import PureDP
    >>> round(PureDP(1e-12).rdp(1 + 1e-10).values[0] * 1e24, 9)  # to first order it is alpha epsilon^2 / 2
    0.5
    """
    if alpha == math.inf:
        return epsilon
    h = alpha - 1
    if approximate(h * epsilon) < 0.5:
        # the ratio is the sum of 1, tanh(epsilon / 2) sinh(h epsilon) and cosh(h epsilon) - 1, which are all >= 0
        rise, fall = expm1(h * epsilon), -expm1(-h * epsilon)
        return scalar(log1p((tanh(epsilon / 2) * (rise + fall) + rise * fall) / 2) / h)
    return scalar((h * epsilon - log1p(exp(-epsilon)) + log1p(exp(-epsilon - 2 * h * epsilon))) / h)
