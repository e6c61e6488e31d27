r"""Divergences between two distributions, on finitely many outputs or on the values of a parameter.

- ``privacy_loss``, ``least_delta``: the largest log ratio of two distributions of a parameter, and the smallest delta
  for a given epsilon
- ``total_variation``, ``kullback_leibler``, ``jeffreys``: distances between two distributions of a parameter
- ``renyi_divergence``: a divergence between two finite distributions, which are given by log probabilities
- ``hockey_stick_divergence``: a divergence between two finite distributions, which are given by probabilities
- ``delta_of_losses``: the hockey-stick divergence, computed from the privacy losses of the outputs

The function ``dpbi.hellinger`` computes the Hellinger distance between two Dirichlet posteriors. A finite distribution
is given as a sequence with one entry for each output. Two distributions of a parameter (``dpbi.posterior_sampling``)
may both be ``Finite`` on the same list of parameters. Such distributions are compared entry by entry. Otherwise they
must be two posteriors from the same ``Gamma`` or ``Beta`` prior, whose log ratio is linear in a statistic s. With the
normalising constants \(Z_p\) and \(Z_q\),

\[ \ln\frac{p}{q} = \ln\frac{Z_q}{Z_p} + \lambda s . \]

The privacy loss is the value of this linear function at an end of the interval. The Kullback-Leibler divergence is the
value of the function at the mean of s, and \(\int (p - e^{\varepsilon} q)_+\) is \(P - e^{\varepsilon} Q\) for the
probabilities P and Q of an interval under p and q. In doubles, the error is about 1e-12 plus 1e-15 times the logarithms
of the normalising constants, which are about as large as the log likelihood. For other pairs of distributions an error
is raised. The Kullback-Leibler divergence between ``Beta`` distributions is not available in ball arithmetic.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from . import checks
from .arithmetic import (
    approximate,
    exp,
    expm1,
    in_doubles,
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


def log_ratio_of(p: Any, q: Any) -> Any:
    r"""Log ratios \(\ln p(\theta)/q(\theta)\) of two finite distributions on the same list of parameters.

    Args:
        p, q: Finite distributions on the same list of m parameters.

    Returns:
        The m log ratios; minus infinity for a parameter at which p is zero.
    """
    same_parameters(p, q)
    return log_ratio(p.log_weights, q.log_weights)


def privacy_loss(p: Any, q: Any) -> float:
    r"""Privacy loss of one draw, that is, the largest log ratio \(\sup_\theta \ln p(\theta)/q(\theta)\).

    Args:
        p, q: Two ``Finite`` distributions on the same list of parameters, or two posteriors from the same ``Gamma`` or
            ``Beta`` prior.

    Returns:
        The loss from p to q, a number >= 0 that is infinite if the log ratio is unbounded.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(privacy_loss(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)
    0.405465
    """
    return scalar(largest(log_ratio_of(p, q)) if _finite(p, q) else _tilt(p, q).loss)


def least_delta(p: Any, q: Any, epsilon: float) -> float:
    r"""Smallest delta for a given epsilon, \(\sup_B p(B) - e^{\varepsilon} q(B) = \int (p - e^{\varepsilon} q)_+\).

    Args:
        p, q: Two distributions of a kind that ``privacy_loss`` allows.
        epsilon: Privacy parameter, >= 0.

    Returns:
        The smallest delta from p to q, in [0, 1].

    >>> from dpbi.posterior_sampling import weighted
    >>> round(least_delta(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1]), 0.0), 12)
    0.25
    """
    level = checks.real("epsilon", epsilon, least=0)
    return scalar(delta_of_losses(p.weights, log_ratio_of(p, q), level) if _finite(p, q) else _tilt(p, q).delta(level))


def total_variation(p: Any, q: Any) -> float:
    r"""Total variation distance, \(\sup_B |p(B) - q(B)|\).

    Args:
        p, q: Two distributions of a kind that ``privacy_loss`` allows.

    Returns:
        The distance, a number in [0, 1].

    >>> from dpbi.posterior_sampling import weighted
    >>> total_variation(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1]))
    0.25
    """
    if _finite(p, q):
        same_parameters(p, q)
        return scalar(abs(p.weights - q.weights).sum() / 2)
    return scalar(_tilt(p, q).delta(number(0)))


def kullback_leibler(p: Any, q: Any) -> float:
    r"""Kullback-Leibler divergence, \(D(p \| q) = \int \ln\frac{dp}{dq}\,dp\).

    Args:
        p, q: Two distributions of a kind that ``privacy_loss`` allows.

    Returns:
        The divergence in nats, >= 0.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(kullback_leibler(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)  # ln 2 + 3/4 ln 3/4 + 1/4 ln 1/4
    0.130812
    """
    if _finite(p, q):
        # With r = ln(q/p), D is the sum of p (e^r - 1 - r) where p > 0, plus the mass of q where p = 0. All terms are
        # >= 0, so nothing cancels.
        held = p.support
        inside = p.weights[held] * exp_remainder(-log_ratio_of(p, q)[held])
        return scalar(inside.sum() + q.weights[~held].sum())
    divergence = _tilt(p, q).divergence
    return scalar(max(divergence, 0.0) if in_doubles() else divergence)


def jeffreys(p: Any, q: Any) -> float:
    r"""Jeffreys divergence, \(J = D(p \| q) + D(q \| p)\).

    Args:
        p, q: Two distributions of a kind that ``privacy_loss`` allows.

    Returns:
        The sum of the divergences in both directions, >= 0.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(jeffreys(weighted([0, 1], [3, 1]), weighted([0, 1], [1, 1])), 6)  # (3/4 - 1/2) ln 3
    0.274653
    """
    return kullback_leibler(p, q) + kullback_leibler(q, p)


def hockey_stick_divergence(p: Any, q: Any, epsilon: Any) -> Any:
    r"""Hockey-stick divergence between two finite distributions, \(\sum (P - e^{\varepsilon} Q)_+\).

    The divergence is the supremum of \(P(S) - e^{\varepsilon} Q(S)\) over all sets S of outputs. Therefore a mechanism
    is \((\varepsilon, \delta)\)-differentially private if and only if the divergence is at most \(\delta\) for all
    ordered pairs of neighbours (Dwork and Roth 2014, Definition 2.4; Balle and Wang 2018, Theorem 5).

    Args:
        p, q: Probabilities, with the outputs on the last axis; leading axes broadcast.
        epsilon: Epsilon, any real number.

    Returns:
        The divergence in [0, 1], with the shape of the leading axes.

    >>> round(hockey_stick_divergence([0.75, 0.25], [0.25, 0.75], 0.5), 6)
    0.33782
    """
    level, sizes = checks.real("epsilon", epsilon), [np.shape(law)[-1:] for law in (p, q)]
    if sizes[0] != sizes[1] or sizes[0] in ((), (0,)):
        raise ValueError(f"q must have as many outputs as p, got shapes {np.shape(p)} and {np.shape(q)}")
    p, q = (checks.simplex(name, law, sizes[0][0]) for name, law in (("p", p), ("q", q)))
    return delta_of_losses(numbers(p), log_ratio(log_probabilities(p), log_probabilities(q)), level)


def delta_of_losses(p: Any, losses: Any, epsilon: Any) -> Any:
    r"""Hockey-stick divergence \(\sum P (1 - e^{\varepsilon - L})_+\) from P and the privacy losses \(L = \ln P/Q\).

    Args:
        p: Probabilities of the outputs under P, on the last axis.
        losses: Privacy losses of the outputs, on the last axis.
        epsilon: Epsilon, any real number.

    Returns:
        The divergence in [0, 1], with the shape of the leading axes.

    >>> import numpy as np
    >>> p, q = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    >>> round(delta_of_losses(p, np.log(p / q), 0.5), 6)
    0.33782
    """
    delta = (p * -expm1(-maximum(losses - epsilon, 0))).sum(axis=-1)
    return scalar(delta) if np.ndim(delta) == 0 else delta


def log_probabilities(law: Any) -> Any:
    r"""Logarithms of probabilities, with \(-\infty\) for probability 0; the argument is not checked.

    >>> log_probabilities([0.5, 0.5, 0]).round(6).tolist()
    [-0.693147, -0.693147, -inf]
    """
    p = numbers(law)
    possible = less(0, p)
    found = np.full(p.shape, number(-math.inf), dtype=p.dtype)
    found[possible] = log(p[possible])
    return found


def renyi_divergence(log_p: Any, log_q: Any, order: Any) -> Any:
    r"""Rényi divergence \(D_\alpha(P \| Q) = \ln E_Q[(P/Q)^{\alpha}] / (\alpha - 1)\) between two finite distributions.

    At \(\alpha = 1\) and \(\alpha = \infty\), the divergence is defined as a limit. The limits are the Kullback-Leibler
    divergence and the largest log ratio, respectively (Mironov 2017, Definition 3; van Erven and Harremoës 2014). The
    computation is accurate even for orders that differ from 1 only by rounding.

    Args:
        log_p, log_q: Log probabilities of the outputs.
        order: The order \(\alpha\), > 0, which may be infinite.

    Returns:
        The divergence, a number >= 0 that may be infinite.

    >>> import numpy as np
    >>> p, q = np.log([0.25, 0.75]), np.log([0.5, 0.5])
    >>> [round(renyi_divergence(p, q, order), 6) for order in (1.0, 2.0, np.inf)]
    [0.130812, 0.223144, 0.405465]
    """
    p, q = np.atleast_1d(numbers(log_p)), np.atleast_1d(numbers(log_q))
    if p.shape != q.shape or p.ndim != 1:
        raise ValueError(f"log_p and log_q must be sequences of equal length, got shapes {p.shape} and {q.shape}")
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
    """Rényi divergence, computed from the outputs that are possible under both distributions.

    If ``everywhere`` is true, these are all outputs that are possible under P, so their weights add up to 1.
    """
    if alpha == math.inf:
        return largest(loss)
    if alpha == 1:
        return (exp(log_weight) * loss).sum()
    h = alpha - 1
    if everywhere and abs(approximate(h)) * np.abs(approximate(loss)).max() < 0.5:
        # equal to the expression below, but without cancellation near order 1
        return log1p((exp(log_weight) * expm1(h * loss)).sum()) / h
    return log_sum_exp(log_weight + h * loss) / h


def _finite(p: Any, q: Any) -> bool:
    """Whether two distributions of a parameter are both finite, that is, each has a list of parameters."""
    return hasattr(p, "log_weights") and hasattr(q, "log_weights")


def same_parameters(p: Any, q: Any) -> None:
    """Raises ``ValueError`` if two finite distributions have different lists of parameters.

    Args:
        p: The first distribution.
        q: The second distribution.
    """
    if p.parameters is q.parameters:
        return
    if len(p.parameters) != len(q.parameters) or not all(map(_equal, p.parameters, q.parameters)):
        raise ValueError("p and q must be laws on the same parameters, got different lists")


def _equal(a: Any, b: Any) -> bool:
    """Whether two parameters are equal; a parameter is a number, a matrix or a tuple of tables."""
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a is b or np.array_equal(a, b))


def _tilt(p: Any, q: Any) -> "Tilt":
    """Checks that two distributions have the same kind and the same interval, and returns their ``Tilt``."""
    kind = type(p)
    if kind is not type(q) or not hasattr(p, "slope_to"):
        kinds = f"{kind.__name__} and {type(q).__name__}"
        raise TypeError(f"p and q must be Finite, Gamma or Beta laws of the same kind, got {kinds}")
    if (p.low, p.high) != (q.low, q.high):
        raise ValueError(f"p and q must be laws on one interval, got {checks.brief(p)} and {checks.brief(q)}")
    return Tilt(p, q, p.slope_to(q))


@dataclass(frozen=True, eq=False)
class Tilt:
    r"""Two distributions whose log ratio \(\ln p/q = \ln(Z_q/Z_p) + \lambda s\) is linear in a statistic s.

    The intercept is ``level``, and the coefficient \(\lambda\) is ``slope``.
    """

    p: Any
    q: Any
    slope: Any

    @property
    def level(self) -> Any:
        r"""Intercept of the log ratio, \(\ln(Z_q/Z_p)\)."""
        return self.q.log_mass - self.p.log_mass

    @property
    def divergence(self) -> Any:
        """Kullback-Leibler divergence from p to q, which is the log ratio at the mean of the statistic under p."""
        return self.level + self.slope * self.p.mean_statistic

    @property
    def loss(self) -> Any:
        """Privacy loss from p to q, which is the log ratio at the end of the interval at which it is larger."""
        if self.slope == 0:
            return number(0)
        end = self.p.high if self.slope > 0 else self.p.low
        return math.inf if abs(float(end)) == math.inf else self.level + self.slope * end

    def delta(self, epsilon: Any) -> Any:
        """Smallest delta from p to q for a given epsilon."""
        if self.slope == 0 or (self.loss != math.inf and not less(epsilon, self.loss)):
            return number(0)
        crossing = (epsilon - self.level) / self.slope
        # p > e^epsilon q on only one side of the crossing
        side = (crossing, self.p.high) if self.slope > 0 else (self.p.low, crossing)
        return self.p.mass(*side) - exp(epsilon) * self.q.mass(*side)


def exp_remainder(u: Any) -> Any:
    r"""Difference \(e^u - 1 - u \ge 0\) between the exponential function and its tangent at zero."""
    if not in_doubles():
        return expm1(u) - u
    # near 0, expm1(u) - u would cancel, so e^u - 1 - u is computed as u^2/2 1F1(1; 3; u)
    return np.where(np.abs(u) < 1, u * u / 2 * hyp1f1(1, 3, np.clip(u, -1, 1)), np.expm1(u) - u)
