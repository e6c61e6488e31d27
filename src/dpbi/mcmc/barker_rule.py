r"""Barker's test with private noise (Heikkilä, Jälkö, Dikmen and Honkela 2019).

Barker's rule accepts when \(\lambda + V > 0\), where V has the standard logistic distribution. The acceptance
probability is therefore \(1/(1 + e^{-\lambda})\), and the rule is exact. The private version uses a random batch of b
rows and replaces V by normal noise plus a correction:

\[ \hat\lambda = \frac{nT}{b} \sum_{j \in B} r_j + \ln\frac{p(\theta')}{p(\theta)}, \qquad
   \text{accept if } \hat\lambda + N(0, C - s_b^2) + V_C > 0 , \]

where B is the batch, T is the temperature, and \(r_j\) is the log ratio of row j, clipped to
\(|r_j| \le \sqrt b / (nT)\). Hence \(s_b^2 = (nT)^2 \operatorname{var}_B(r) / b \le 1\). The constant C is 2, and the
correction \(V_C\) is chosen such that \(N(0, C) + V_C\) is nearly logistic.

**The algorithm is approximate**, for four reasons. The log ratio is clipped. The sampling error of the batch is assumed
to be normal. The variance of this error is only estimated. Finally, no correction \(V_C\) is exact for any C > 0,
because the characteristic function of \(V_C\) would have to be \(\frac{\pi t}{\sinh \pi t} e^{C t^2 / 2}\), which
exceeds 1 for large t. The function ``correction`` finds the best correction by linear programming.

**The algorithm is private.** Replacing one row of the batch changes the mean of the noisy ratio by at most
\(2/\sqrt b\). The replacement also changes the variance of the normal noise by at most \(4(b-1)/b^2\). The variance of
the normal noise is always at least C - 1. The function ``curve`` bounds the Rényi divergence between normal
distributions whose means and variances differ by at most these amounts. The resulting guarantee even covers a release
of the noisy ratio, although only the decision is released.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import log, maximum, normal_cdf, number
from ..checks import Floats
from ..guarantees import RDP, subsampled
from .acceptance import logistic
from .algorithm import Algorithm, Info, prior_ratio, with_steps
from .minibatch import RENYI_ORDERS, draw_batches
from .target import Target
from .walks import walk

# chosen by Heikkilä and others, and used for all chains in this book; the error of the best correction grows with C
VARIANCE = 2.0
"""Variance C of the normal part of the noise in Barker's test."""

# measured: halving the spacing, or adding atoms up to 24, changes the error of the correction by less than 0.01 %
ATOM_SPACING, LARGEST_ATOM = 0.05, 20.0
"""The atoms of the correction are the multiples of ``ATOM_SPACING`` up to ``LARGEST_ATOM``, and their negatives."""


class Correction(NamedTuple):
    """Discrete distribution of the correction whose sum with normal noise is closest to logistic noise.

    Attributes:
        atoms: Points of the distribution, symmetric about 0.
        weights: Probabilities of the atoms.
        error: Largest difference between the distribution functions of the total noise and of logistic noise.
    """

    atoms: Floats
    weights: Floats
    error: float


@lru_cache(maxsize=8)
def correction(variance: float = VARIANCE) -> Correction:
    r"""Correction that brings normal noise closest to logistic noise, computed by linear programming.

    The correction V has the distribution on the atoms that minimises
    \(\sup_x |P(N(0, C) + V \le x) - 1/(1 + e^{-x})|\). The variables of the linear program are the weights and the
    error. The constraints are imposed at x from 0 to 24 in steps of 0.03. The returned error is computed afterwards on
    a grid ten times finer. The error is 5.87e-4 for C = 2 and grows with C. Errors below 1e-6 reflect only the
    tolerance of the solver.

    Args:
        variance: Variance C > 0 of the normal noise.

    Returns:
        The atoms, their weights and the error.
    """
    from scipy.optimize import linprog

    half = np.arange(0.0, LARGEST_ATOM + ATOM_SPACING / 2, ATOM_SPACING)
    x = np.arange(0.0, 24.0, 0.03)
    deviation = math.sqrt(checks.real("variance", variance, above=0))

    def shape(points: Floats, atoms: Floats) -> Floats:  # distribution functions of the sum for V = +-atom
        low, high = (points[:, None] - atoms) / deviation, (points[:, None] + atoms) / deviation
        return np.asarray((normal_cdf(low) + normal_cdf(high)) / 2)

    # all distributions are symmetric about 0, so x >= 0 suffices; minimise e subject to |shape @ weights - target| <= e
    ones = np.ones((len(x), 1))
    matrix, target = shape(x, half), logistic(x)
    solved = linprog(
        np.append(np.zeros(len(half)), 1.0),
        A_ub=np.vstack([np.hstack([matrix, -ones]), np.hstack([-matrix, -ones])]),
        b_ub=np.concatenate([target, -target]),
        A_eq=np.append(np.ones(len(half)), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    failed = f"the correction for variance={variance} was not found: {solved.message}"
    checks.need(solved.status == 0, failed, ArithmeticError)
    weights = np.maximum(np.asarray(solved.x)[:-1], 0.0)  # rounding in the solver may make a weight negative
    weights /= weights.sum()
    fine = np.arange(0.0, 40.0, 0.003)
    used = weights > 0  # a vertex of the linear program has few positive weights
    error = float(np.max(np.abs(shape(fine, half[used]) @ weights[used] - logistic(fine))))
    return Correction(
        np.concatenate([-half[:0:-1], half]), np.concatenate([weights[:0:-1] / 2, weights[:1], weights[1:] / 2]), error
    )


def corrected_barker_acceptance(ratio: Floats, noise: Floats, variance: float = VARIANCE) -> Any:
    r"""Acceptance probability \(P(\lambda + N(0, C) + V_C > 0)\) of the private Barker test, in double precision.

    Args:
        ratio: Log ratios \(\lambda\).
        noise: Array that affects only the shape of the result, since the variance of the noise is always C.
        variance: Variance C of the normal noise.

    Returns:
        Probabilities, with the broadcast shape of ``ratio`` and ``noise``.
    """
    law = correction(variance)
    used = [(atom, weight) for atom, weight in zip(law.atoms, law.weights, strict=True) if weight > 0]
    return sum(weight * normal_cdf((ratio + atom) / math.sqrt(variance)) for atom, weight in used) + 0 * noise


def barker_test(target: Target, theta: Floats, proposal: Floats, rng: np.random.Generator, *, batch: int) -> Info:
    """Decisions of the private Barker test on proposals from a symmetric distribution.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        batch: Number b of rows in a batch.

    Returns:
        The decision and the diagnostics for every chain.
    """
    whole = target.rows * target.temperature
    bound = np.full(len(theta), math.sqrt(batch) / whole)
    found = target.likelihood.batch(theta, proposal, bound, draw_batches(len(theta), target.rows, batch, rng))
    deviation = np.sqrt(VARIANCE - whole**2 / batch * found.variance)
    law = correction(VARIANCE)
    noise = deviation * rng.standard_normal(len(theta)) + rng.choice(law.atoms, p=law.weights, size=len(theta))
    return Info(whole * found.mean + prior_ratio(target, theta, proposal) + noise > 0, found.clipped)


def divergence(batch: int, order: Any) -> Any:
    r"""Bound on the Rényi divergence of one Barker test on a fixed batch, for orders at which the bound is finite.

    The Rényi divergence between \(N(\mu_1, v_1)\) and \(N(\mu_2, v_2)\), with
    \(v_* = (1 - \alpha) v_1 + \alpha v_2 > 0\), is

    \[ D_\alpha = \frac{\alpha (\mu_1 - \mu_2)^2}{2 v_*}
       + \frac{(1 - \alpha) \ln v_1 + \alpha \ln v_2 - \ln v_*}{2 (\alpha - 1)} , \]

    which is largest if one of the two variances is as small as possible. The two terms of the divergence are bounded
    separately, and the bound on the second term covers both signs of \(v_1 - v_2\).

    Args:
        batch: Number b of rows in a batch.
        order: Rényi order, > 1.

    Returns:
        The bound for each order.
    """
    least, change, mean = _changes(batch)
    star = least - (order - 1) * change
    shapes = [
        (1 - order) * log(v1) + order * log(v2) - log((1 - order) * v1 + order * v2)
        for v1, v2 in ((least + change, least), (least, least + change))
    ]
    return order * mean / (2 * star) + maximum(*shapes) / (2 * (order - 1))


def curve(batch: int) -> RDP:
    """Rényi guarantee of one Barker test on a fixed batch, for the integer orders at which ``divergence`` is finite.

    Args:
        batch: Number b of rows in a batch, >= 3, since for two rows ``divergence`` is infinite at every integer order.

    Returns:
        The guarantee for integer orders up to 256.
    """
    b = checks.whole("batch", batch, least=3)
    least, change, _ = _changes(b)
    orders = RENYI_ORDERS[least - (RENYI_ORDERS - 1) * change > 0]
    return RDP(orders, divergence(b, orders))


def _changes(batch: int) -> tuple[Any, Any, Any]:
    """Smallest noise variance, and the largest changes of the variance and of the mean (squared) for one new row."""
    b = number(batch)
    return number(VARIANCE) - 1, 4 * (b - 1) / b**2, 4 / b


def renyi_cost(target: Target, *, batch: int) -> RDP:
    """Rényi guarantee of one step of Barker's test on a random batch, computed as if the noisy ratio were released.

    Args:
        target: The posterior.
        batch: Number b of rows in a batch.

    Returns:
        The guarantee, amplified by the random choice of the batch.
    """
    return subsampled(curve(batch), target.rows, batch)


def barker(batch: int, scale: ArrayLike) -> Algorithm:
    """Barker's test with private noise on random batches of rows (Heikkilä and others 2019).

    The chain's stationary distribution is only approximately the posterior.

    Args:
        batch: Number of rows in a batch, >= 6.
        scale: Standard deviation of a step, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, with a Rényi guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> rows = np.random.default_rng(1).normal(size=1000)
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: 0.0, dimension=1)
    >>> [round(barker(batch, 0.1).cost(target).epsilon_at(1e-5), 3) for batch in (50, 100)]  # of one step
    [0.827, 0.472]
    """
    size = checks.whole("batch", batch, least=6)
    return with_steps("barker", walk, barker_test, partial(renyi_cost, batch=size), scale, batch=size)
