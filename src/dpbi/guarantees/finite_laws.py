r"""Divergences of two laws over finitely many outputs: P at a dataset, Q at its neighbour.

Laws are sequences of probabilities, or of their logarithms, an entry for each output, in the current arithmetic.
"""

import math
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import (
    approximate,
    exp,
    expm1,
    largest,
    less,
    log,
    log1p,
    log_ratio,
    log_sum_exp,
    maximum,
    number,
    numbers,
    scalar,
)


def worst_pair(epsilon: Any, delta: Any = 0) -> tuple[Any, Any]:
    r"""The worst pair of laws under \((\varepsilon, \delta)\)-differential privacy.

    With probability \(\delta\) the input is revealed; otherwise the answer is true with the odds \(e^{\varepsilon}\),
    which is randomised response,

    \[ P = \Bigl(\delta,\ 0,\ \tfrac{(1-\delta) e^{\varepsilon}}{1 + e^{\varepsilon}},\
                 \tfrac{1-\delta}{1 + e^{\varepsilon}}\Bigr) , \]

    and Q is P with the outputs exchanged in pairs. Every pair of laws that keeps the promise is a post-processing of
    this one (Kairouz, Oh and Viswanath 2015, Theorem 3.3 and its proof).

    Args:
        epsilon: Epsilon, >= 0.
        delta: Delta, in [0, 1].

    Returns:
        P and Q, four probabilities each.

    >>> p, q = worst_pair(1, 0.1)
    >>> p.round(4).tolist(), q.round(4).tolist()
    ([0.1, 0.0, 0.658, 0.242], [0.0, 0.1, 0.242, 0.658])
    """
    d = checks.real("delta", delta, least=0, most=1)
    odds = exp(-checks.real("epsilon", epsilon, least=0))
    true = (1 - d) / (1 + odds)
    p = numbers([d, 0, true, true * odds])
    return p, p[[1, 0, 3, 2]]


def hockey_stick_divergence(p: Any, q: Any, epsilon: Any) -> Any:
    r"""The hockey-stick divergence of two finite laws, \(\sum (P - e^{\varepsilon} Q)_+\).

    It is the supremum of \(P(S) - e^{\varepsilon} Q(S)\) over all sets of outputs, so that a mechanism is
    \((\varepsilon, \delta)\)-private if it is at most \(\delta\) for all pairs of neighbours in both orders (Dwork and
    Roth 2014, Definition 2.4; Balle and Wang 2018, Theorem 5).

    Args:
        p, q: Probabilities of the outputs on the last axis; leading axes broadcast.
        epsilon: Epsilon, a number.

    Returns:
        The divergence in [0, 1], with the leading axes.

    >>> round(hockey_stick_divergence([0.75, 0.25], [0.25, 0.75], 0.5), 6)
    0.33782
    """
    level, sizes = checks.real("epsilon", epsilon), [np.shape(law)[-1:] for law in (p, q)]
    if sizes[0] != sizes[1] or sizes[0] in ((), (0,)):
        raise ValueError(f"q must have the outputs of p, got shapes {np.shape(p)} and {np.shape(q)}")
    p, q = (checks.simplex(name, law, sizes[0][0]) for name, law in (("p", p), ("q", q)))
    return delta_of_losses(numbers(p), log_ratio(log_probabilities(p), log_probabilities(q)), level)


def delta_of_losses(p: Any, losses: Any, epsilon: Any) -> Any:
    r"""The hockey-stick divergence from P and the losses \(L = \ln P/Q\): \(\sum P (1 - e^{\varepsilon - L})_+\).

    Args:
        p: Probabilities of the outputs under P, on the last axis.
        losses: Losses of the outputs.
        epsilon: Epsilon, a number.

    Returns:
        The divergence in [0, 1], with the leading axes.

    >>> import numpy as np
    >>> p, q = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    >>> round(delta_of_losses(p, np.log(p / q), 0.5), 6)
    0.33782
    """
    delta = (p * -expm1(-maximum(losses - epsilon, 0))).sum(axis=-1)
    return scalar(delta) if np.ndim(delta) == 0 else delta


def log_probabilities(law: Any) -> Any:
    r"""Logarithms of the probabilities of a finite law, \(-\infty\) for probability 0; the law is not checked.

    >>> log_probabilities([0.5, 0.5, 0]).round(6).tolist()
    [-0.693147, -0.693147, -inf]
    """
    p = numbers(law)
    possible = less(0, p)
    found = np.full(p.shape, number(-math.inf), dtype=p.dtype)
    found[possible] = log(p[possible])
    return found


def renyi_divergence(log_p: Any, log_q: Any, order: Any) -> Any:
    r"""Rényi divergence \(D_\alpha(P \| Q) = \ln E_Q[(P/Q)^{\alpha}] / (\alpha - 1)\) of two finite laws.

    At \(\alpha = 1\) it is the Kullback-Leibler divergence and at \(\alpha = \infty\) the largest log ratio, its
    limits; orders within rounding of 1 stay accurate (Mironov 2017, Definition 3; van Erven and Harremoës 2014).

    Args:
        log_p, log_q: Log probabilities of the outputs.
        order: The order, > 0 or infinite.

    Returns:
        The divergence, >= 0 and perhaps infinite.

    >>> import numpy as np
    >>> p, q = np.log([0.25, 0.75]), np.log([0.5, 0.5])
    >>> [round(renyi_divergence(p, q, order), 6) for order in (1.0, 2.0, np.inf)]
    [0.130812, 0.223144, 0.405465]
    """
    p, q = np.atleast_1d(numbers(log_p)), np.atleast_1d(numbers(log_q))
    if p.shape != q.shape or p.ndim != 1:
        raise ValueError(f"log_p and log_q must be one-dimensional of one length, got shapes {p.shape} and {q.shape}")
    for name, law in (("log_p", p), ("log_q", q)):
        if not abs(np.exp(approximate(law)).sum() - 1) <= 1e-9:
            raise ValueError(f"{name} must be the logarithms of probabilities that add up to 1, got {name}={law}")
    alpha = number(order)
    if not alpha > 0:
        raise ValueError(f"order must be a number > 0, or infinite, got order={checks.brief(order)}")
    inside, outside = p != -math.inf, q == -math.inf
    both = inside & ~outside
    if not both.any() or (alpha >= 1 and (inside & outside).any()):
        return number(math.inf)
    return scalar(_divergence(p[both], p[both] - q[both], alpha, everywhere=both.sum() == inside.sum()))


def _divergence(log_weight: Any, loss: Any, alpha: Any, everywhere: bool) -> Any:
    """The divergence from the log weights and losses of the outputs that both laws give.

    ``everywhere`` says that P gives no other output, so that the weights add up to 1.
    """
    if alpha == math.inf:
        return largest(loss)
    if alpha == 1:
        return (exp(log_weight) * loss).sum()
    h = alpha - 1
    if everywhere and abs(approximate(h)) * np.abs(approximate(loss)).max() < 0.5:
        # equal to the form below, without its cancellation near order 1
        return log1p((exp(log_weight) * expm1(h * loss)).sum()) / h
    return log_sum_exp(log_weight + h * loss) / h
