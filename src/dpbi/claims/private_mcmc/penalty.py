r"""Chapter 3, a title without a text: the penalty algorithm that it became, on a grid.

A step sees the log ratio with normal noise sZ. The acceptance averaged over the noise is

\[ A_s(\lambda) = \Phi\Bigl(\frac{\lambda - s^2/2}{s}\Bigr)
   + e^{\lambda} \Phi\Bigl(\frac{-\lambda - s^2/2}{s}\Bigr) . \]
"""

import itertools
from typing import Any

import numpy as np

from ...arithmetic import exp, largest, number, numbers, smallest, sqrt
from ...mcmc import exact
from ...mcmc.acceptance import clipped, clipped_sensitivity, penalty_acceptance
from ...mcmc.penalty_algorithm import cost, statistic
from ..statements import above, at_most, equal, grid, statement
from . import models


@statement(
    "private-mcmc/3-acceptance",
    "Chapter 3",
    says=r"$A_s(\lambda) = e^{\lambda} A_s(-\lambda)$",
    by="ceperley1999",
    cases=grid(ratio=[-4, -0.3, 0, 1.5, 20], s=[0.1, 1, 4]),
)
def acceptance_identity(ratio: Any, s: Any) -> Any:
    r"""The identity is why the penalty algorithm is exact.

    Proof: \(e^{\lambda} A_s(-\lambda)\) has the same two terms in the other order. There is also a direct argument. A
    step sees \(y \sim N(\lambda - s^2/2, s^2)\). The density of \(-y\) for the move back is \(e^{y - \lambda}\) times
    that of y for the move. So every probability g(y) to accept with \(g(y) = e^{y} g(-y)\) satisfies detailed balance
    on average.
    """
    return penalty_acceptance(ratio, s), equal(exp(ratio) * penalty_acceptance(-ratio, s))


def chain_error(points: Any, rate: Any, **correction: Any) -> Any:
    """Invariance error of the target under the penalty test, with its correction or another."""
    matrix = exact.transition(models.uniform(points), models.penalty_rule(points, rate, **correction))
    return exact.invariance_error(matrix, models.student(points).target)


@statement(
    "private-mcmc/3-penalty",
    "Chapter 3",
    says=r"accepting if $\ln u < \lambda + sZ - \frac12 s^2$, $s(\theta, \theta')$ symmetric, leaves $\pi$ invariant: error at most $10^{-12}$",
    by="ceperley1999",
    cases=grid(points=[41], rate=[0.5, 2]),
)
def penalty_invariant(points: Any, rate: Any) -> Any:
    """Here u is uniform in (0, 1).

    Proof: by the identity of the acceptance every pair of points is in detailed balance.
    """
    return models.seen(chain_error(points, rate)), at_most(number("1e-12"))


@statement(
    "private-mcmc/3-no-correction",
    "Chapter 3",
    says=r"without the correction $-\frac12 s^2$, and with half of it, the error is more than $10^{-5}$",
    by="ours",
    cases=grid(points=[41], rate=[0.5, 2], correction=[0, 0.25]),
)
def no_correction(points: Any, rate: Any, correction: Any) -> Any:
    """Both variants are wrong: the correction must have the variance of the noise. Noise in the ratio favours
    acceptance, and more so over long distances.
    """
    return chain_error(points, rate, correction=correction), above(number("1e-5"))


@statement(
    "private-mcmc/3-sensitivity",
    "Chapter 3",
    says=r"$\Delta = \max_{x \sim x'} \bigl|\sum_j r_j - \sum_j r'_j\bigr| = 2 b \|\theta' - \theta\|$, ratios being clipped to $\pm b \|\theta' - \theta\|$",
    by="raisa2021",
    cases=grid(clip=[0.3, 2], distance=[0.1, 1], others=[0, 3]),
)
def sensitivity(clip: Any, distance: Any, others: Any) -> Any:
    r"""The other side is the largest change, over ratios far outside the interval, near its ends and inside.

    Proof: a replaced row moves its ratio from one place in \([-b\|\theta' - \theta\|, b\|\theta' - \theta\|]\) to
    another, and both ends can occur.
    """
    bound = clip * distance
    row = clipped(numbers([-9 * bound, -bound, 0, bound / 3, 9 * bound]), bound)
    rest = int(others) * row[3]
    changes = [abs((rest + a) - (rest + b)) for a, b in itertools.product(row, row)]
    return clipped_sensitivity(bound), equal(largest(changes))


@statement(
    "private-mcmc/3-statistic",
    "Chapter 3",
    says=r"a step decides by $T \sum_j r_j + \ln\frac{p(\theta')}{p(\theta)} + sz - \frac12 s^2$, $s = 2 b\, T \tau \sqrt n\, |\theta' - \theta|$, its $r_j$ clipped to $\pm b |\theta' - \theta|$",
    by="raisa2021",
    cases=grid(
        rows=[models.ROWS], proposal=[1, -0.5], theta=[0.25], z=[-1.3, 0, 0.7], tau=[0.3], clip=[0.8], factor=[1, 0.5]
    ),
)
def noise_and_penalty(rows: Any, proposal: Any, theta: Any, z: Any, tau: Any, clip: Any, factor: Any) -> Any:
    r"""The sum over the rows is multiplied by the temperature T, the factor.

    Proof: the sensitivity of that sum is \(2bT|\theta' - \theta|\), and the noise is \(\tau\sqrt n\) times that. The last
    term is the correction of the penalty algorithm. In the normal model the ratio of a row x is \((\theta' - \theta)(x -
    \frac12(\theta + \theta'))\).
    """
    here, there = models.places(theta, proposal)
    exact = statistic(models.normal_target(rows, factor), here, there, numbers([z]), tau=tau, clip=clip)[0][0]
    bound = clip * abs(proposal - theta)
    ratios = [(proposal - theta) * (x - (theta + proposal) / number(2)) for x in rows]
    total = sum(smallest([bound, largest([-bound, ratio])]) for ratio in ratios)
    s = 2 * factor * tau * sqrt(number(len(rows))) * bound
    return exact, equal(factor * total + models.log_posterior_ratio(proposal, theta, ()) + s * z - s * s / 2)


@statement(
    "private-mcmc/3-clipping",
    "Chapter 3",
    says=r"with clipped ratios $\lambda_c$ the chain is still reversible: $\lambda_c(x, y) + \lambda_c(y, z) + \lambda_c(z, x) = 0$",
    holds=r"on a line with moves to neighbours only, the clipped chain is reversible for $\tilde\pi(x_i) \propto \exp\sum_{m < i} \lambda_c(x_m, x_{m+1})$: error at most $10^{-12}$",
    why="clipped ratios are not differences of one function",
    by="ours",
    cases=grid(points=[41], clip=[0.1, 0.3], places=[(5, 20, 35), (10, 22, 30)]),
)
def clipping(points: Any, clip: Any, places: Any) -> Any:
    r"""By Kolmogorov's criterion a chain with the acceptance \(A_s(\lambda_c)\) is reversible only if its log ratios add
    up to zero around every cycle of points x, y, z. Clipped ratios change their sign on the way back, but in general
    there is no law with respect to which the chain is reversible.
    """
    target, three = models.student(points), [int(place) for place in places]
    part = exact.Grid(target.points[three], target.log_likelihood[:, three], target.log_prior[three])
    ratio = part.clipped_ratio(clip)
    return ratio[0, 1] + ratio[1, 2] + ratio[2, 0], equal(number(0))


@clipping.instead(cases=grid(points=[41], clip=[0.1, 0.3], rate=[0.5]))
def clipping_on_a_line(points: Any, clip: Any, rate: Any) -> Any:
    r"""Proof: there are no cycles on a line of points \(x_1, x_2, \dots\) with moves to neighbours only. The law is built
    so that each pair of neighbours is in detailed balance.
    """
    target, proposal = models.student(points), exact.walk(int(points), reach=1)
    accepted, proposed = 0 * proposal, np.nonzero(proposal)
    accepted[proposed] = penalty_acceptance(target.clipped_ratio(clip)[proposed], rate * target.distance[proposed])
    error = exact.invariance_error(exact.transition(proposal, accepted), exact.clipped_path_law(target, clip))
    return models.seen(error), at_most(number("1e-12"))


@statement(
    "private-mcmc/3-clipping-bias",
    "Chapter 3",
    says=r"clipping to $\pm b\|\theta' - \theta\|$ moves the stationary law: total variation more than 0.01",
    by="ours",
    cases=grid(points=[41], clip=[0.3, 0.5, 0.8]),
)
def clipping_bias(points: Any, clip: Any) -> Any:
    """The sixty rows of the grid are simulated. The distance is 0.0959 where half of the ratios are
    clipped, and 0.233 where 83 % are. No bound on this bias is known, so it is computed.
    """
    target = models.simulated(int(points))
    accepted = penalty_acceptance(target.clipped_ratio(clip), target.distance / 2)
    bias = exact.bias(exact.transition(exact.walk(int(points)), accepted), target.target)
    return bias, above(number("0.01"))


@statement(
    "private-mcmc/3-cost",
    "Chapter 3",
    says=r"noise $\tau\sqrt n \Delta$ on a sum of sensitivity $\Delta$ costs $\rho = \frac{1}{2\tau^2 n}$ per step, whatever $\Delta$",
    by="raisa2021",
    cases=grid(tau=[0.1, 2], n=[100, 100000], sensitivity=[0.001, 7]),
)
def penalty_cost(tau: Any, n: Any, sensitivity: Any) -> Any:
    r"""The sensitivity changes from step to step, but its ratio to the noise does not.

    Proof: by Theorem 3.2 the cost is \(\Delta^2 / (2 \tau^2 n \Delta^2)\).
    """
    return cost(models.rows_of(n), tau=tau, sensitivity=sensitivity).rho, equal(1 / (2 * tau * tau * n))
