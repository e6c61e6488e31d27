r"""Barker's test with private noise (Heikkilä, Jälkö, Dikmen and Honkela 2019).

Barker's rule accepts when \(\lambda + V > 0\), V standard logistic, that is with probability
\(1/(1 + e^{-\lambda})\), and is exact. The private version takes a batch of b rows and puts normal noise in place of
most of V:

\[ \hat\lambda = \frac{nT}{b} \sum_{j \in B} r_j + \ln\frac{p(\theta')}{p(\theta)}, \qquad
   \text{accept if } \hat\lambda + N(0, C - s_b^2) + V_C > 0 , \]

where B is the batch, T the temperature, and \(r_j\) the log ratio of row j, \(|r_j| \le \sqrt b / (nT)\) by clipping,
\(s_b^2 = (nT)^2 \operatorname{var}_B(r) / b \le 1\), C = 2, and \(V_C\) a correction such that \(N(0, C) + V_C\) is
nearly logistic.

**Approximate**, for four reasons: the ratio is clipped, the batch's error is taken as normal, its variance is
estimated, and no \(V_C\) is exact for any C > 0: its characteristic function would have to be
\(\frac{\pi t}{\sinh \pi t} e^{C t^2 / 2}\), which exceeds 1. ``correction`` finds the best one by linear programming.

**Private.** One replaced row of the batch changes the mean by at most \(2/\sqrt b\) and the variance, which is at
least C - 1, by at most \(4(b-1)/b^2\); ``curve`` is the Rényi divergence of such normals. Only the answer is released,
which is less than what is charged for here.
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
from .algorithm import Algorithm, Info, positive_scales, prior_ratio
from .minibatch import RENYI_ORDERS, draw_batches
from .target import Target
from .walks import walk

# chosen by Heikkilä and others, and in all chains of this book: the error of the best correction grows with C
VARIANCE = 2.0
"""Variance C of the normal part of the noise of the test."""

# measured: half the spacing, or atoms up to 24, change the error of the correction by less than 0.01 %
ATOM_SPACING, LARGEST_ATOM = 0.05, 20.0
"""The atoms of the correction are the multiples of the first up to the second, and their negatives."""


class Correction(NamedTuple):
    """The law V that, added to normal noise, comes closest to logistic noise.

    Attributes:
        atoms: Points of the law, symmetric about 0.
        weights: Their probabilities.
        error: Largest distance of the distribution functions of the sum and of the logistic law.
    """

    atoms: Floats
    weights: Floats
    error: float


@lru_cache(maxsize=8)
def correction(variance: float = VARIANCE) -> Correction:
    r"""Best correction of normal to logistic noise, by a linear program.

    It is the law V on atoms for which \(\sup_x |P(N(0, C) + V \le x) - 1/(1 + e^{-x})|\) is smallest.

    A linear program in the weights and the error, over x in [0, 24] in steps of 0.03; the error returned is found
    afterwards on a grid ten times finer. It is 5.87e-4 for C = 2 and grows with C; below 1e-6 it is
    the tolerance of the solver.
    """
    from scipy.optimize import linprog

    half = np.arange(0.0, LARGEST_ATOM + ATOM_SPACING / 2, ATOM_SPACING)
    x = np.arange(0.0, 24.0, 0.03)
    deviation = math.sqrt(checks.real("variance", variance, above=0))

    def shape(points: Floats, atoms: Floats) -> Floats:
        low, high = (points[:, None] - atoms) / deviation, (points[:, None] + atoms) / deviation
        return np.asarray((normal_cdf(low) + normal_cdf(high)) / 2)

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
    if solved.status != 0:
        raise ArithmeticError(f"the correction for variance={variance} was not found: {solved.message}")
    weights = np.maximum(np.asarray(solved.x)[:-1], 0.0)
    weights /= weights.sum()
    fine = np.arange(0.0, 40.0, 0.003)
    used = weights > 0  # a vertex of the linear program has few positive weights
    error = float(np.max(np.abs(shape(fine, half[used]) @ weights[used] - logistic(fine))))
    return Correction(
        np.concatenate([-half[:0:-1], half]), np.concatenate([weights[:0:-1] / 2, weights[:1], weights[1:] / 2]), error
    )


def corrected_barker_acceptance(ratio: Floats, noise: Floats, variance: float = VARIANCE) -> Floats:
    r"""Acceptance probability of the private Barker test, \(P(\lambda + N(0, C) + V_C > 0)\), in doubles.

    Args:
        ratio: Log ratios, of one row or summed over the rows.
        noise: Standard deviations of the noise.
        variance: Variance C of the normal noise.

    Returns:
        Probabilities, with the shape of ``ratio``.
    """
    law = correction(variance)
    ratio = np.asarray(ratio, dtype=np.float64)
    found = np.zeros(ratio.shape)
    for atom, weight in zip(law.atoms, law.weights, strict=True):
        if weight > 0:
            found += weight * normal_cdf((ratio + atom) / math.sqrt(variance))
    return found + 0 * noise


def barker_test(target: Target, theta: Floats, proposal: Floats, rng: np.random.Generator, *, batch: int) -> Info:
    """Decision of the private Barker test on a proposal from a symmetric law.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        batch: Number b of rows in a batch.

    Returns:
        Decisions and diagnostics of every chain.
    """
    whole = target.rows * target.temperature
    bound = np.full(len(theta), math.sqrt(batch) / whole)
    found = target.likelihood.batch(theta, proposal, bound, draw_batches(len(theta), target.rows, batch, rng))
    deviation = np.sqrt(VARIANCE - whole**2 / batch * found.variance)
    law = correction(VARIANCE)
    noise = deviation * rng.standard_normal(len(theta)) + rng.choice(law.atoms, p=law.weights, size=len(theta))
    return Info(whole * found.mean + prior_ratio(target, theta, proposal) + noise > 0, found.clipped)


def divergence(batch: int, order: Any) -> Any:
    r"""Rényi divergence of one test on a fixed batch, at orders where it is finite.

    Between \(N(\mu_1, v_1)\) and \(N(\mu_2, v_2)\), with \(v_* = (1 - \alpha) v_1 + \alpha v_2 > 0\),

    \[ D_\alpha = \frac{\alpha (\mu_1 - \mu_2)^2}{2 v_*}
       + \frac{(1 - \alpha) \ln v_1 + \alpha \ln v_2 - \ln v_*}{2 (\alpha - 1)} , \]

    which is largest at the smallest variance. The two terms are bounded separately, the second over both signs of
    \(v_1 - v_2\).

    Args:
        batch: Number b of rows in a batch.
        order: Rényi order, > 1.

    Returns:
        The divergence.
    """
    least, change, mean = _changes(batch)
    star = least - (order - 1) * change
    shapes = [
        (1 - order) * log(v1) + order * log(v2) - log((1 - order) * v1 + order * v2)
        for v1, v2 in ((least + change, least), (least, least + change))
    ]
    return order * mean / (2 * star) + maximum(*shapes) / (2 * (order - 1))


def curve(batch: int) -> RDP:
    """Rényi guarantee of one test on a fixed batch: ``divergence`` at the integer orders where it is finite.

    Args:
        batch: Number b of rows in a batch, >= 3: for two rows no order is finite.

    Returns:
        The guarantee at these orders, which are at most 256.
    """
    b = checks.whole("batch", batch, least=3)
    least, change, _ = _changes(b)
    orders = RENYI_ORDERS[least - (RENYI_ORDERS - 1) * change > 0]
    return RDP(orders, divergence(b, orders))


def _changes(batch: int) -> tuple[Any, Any, Any]:
    """The smallest variance of the noise, its largest change by one row, and the squared change of the mean."""
    b = number(batch)
    return number(VARIANCE) - 1, 4 * (b - 1) / b**2, 4 / b


def renyi_cost(target: Target, *, batch: int) -> RDP:
    """Rényi guarantee of one step of one chain on a random batch, as if the noisy ratio were released.

    Args:
        target: The posterior.
        batch: Number b of rows in a batch.

    Returns:
        The guarantee, amplified by the random batch.
    """
    return subsampled(curve(batch), target.rows, batch)


def barker(batch: int, scale: ArrayLike) -> Algorithm:
    """Barker's test on random batches, with private noise (Heikkilä and others 2019). Approximate.

    Args:
        batch: Number of rows in a batch, >= 6.
        scale: Standard deviation of a step, > 0: one number or one for each component.

    Returns:
        The algorithm, with a Rényi guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> rows = np.random.default_rng(1).normal(size=1000)
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: 0.0, dimension=1)
    >>> [round(barker(batch, 0.1).cost(target).epsilon_at(1e-5), 3) for batch in (50, 100)]  # of one step
    [0.827, 0.472]
    """
    size, deviation = checks.whole("batch", batch, least=6), positive_scales("scale", scale)
    return Algorithm(
        "barker",
        partial(walk, scale=deviation, test=partial(barker_test, batch=size)),
        partial(renyi_cost, batch=size),
        {"batch": size, "scale": deviation.tolist()},
    )
