r"""Chapter 3, a title that became the penalty algorithm, on a grid.

A is the acceptance averaged over the noise,

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
from ..statement import above, at_most, equal, grid, statement
from .models import (
    ROWS,
    log_prior_ratio,
    normal_target,
    penalty_rule,
    places,
    rows_of,
    seen,
    simulated,
    student,
    uniform,
)

PAGE = "private_mcmc/penalty_on_a_grid"
CHAPTER = "Chapter 3"


@statement(
    "private-mcmc/3-acceptance",
    CHAPTER,
    says=r"$A_s(\lambda) = e^{\lambda} A_s(-\lambda)$",
    by="ceperley1999",
    cases=grid(ratio=[-4, -0.3, 0, 1.5, 20], s=[0.1, 1, 4]),
    page=PAGE,
)
def acceptance_identity(ratio: Any, s: Any) -> Any:
    r"""The identity is why the penalty algorithm is exact.

    Proof: in \(e^{\lambda} A_s(-\lambda)\) the two terms of A change places. There is also a direct argument. A step sees
    \(y \sim N(\lambda - s^2/2, s^2)\). The density of \(-y\) for the move back is \(e^{y - \lambda}\) times that of y for
    the move. So every probability g(y) to accept with \(g(y) = e^{y} g(-y)\) satisfies detailed balance on average.
    """
    return penalty_acceptance(ratio, s), equal(exp(ratio) * penalty_acceptance(-ratio, s))


def chain_error(points: Any, rate: Any, **correction: Any) -> Any:
    """How far the target is from being invariant, with the correction of the library or another share of the variance."""
    matrix = exact.transition(uniform(points), penalty_rule(points, rate, **correction))
    return exact.invariance_error(matrix, student(points).target)


@statement(
    "private-mcmc/3-penalty",
    CHAPTER,
    says=r"accepting if $\ln u < \lambda + sZ - \frac12 s^2$, $s(\theta, \theta')$ symmetric, leaves $\pi$ invariant: error $\le 10^{-12}$",
    by="ceperley1999",
    cases=grid(points=[41], rate=[0.5, 2]),
    page=PAGE,
)
def penalty_invariant(points: Any, rate: Any) -> Any:
    """Here u is uniform in (0, 1).

    Proof: by ``private-mcmc/3-acceptance`` every pair of points is in detailed balance.
    """
    return seen(chain_error(points, rate)), at_most(number("1e-12"))


@statement(
    "private-mcmc/3-no-correction",
    CHAPTER,
    says=r"without the correction $-\frac12 s^2$, or with half of it, the error is more than $10^{-5}$",
    by="ours",
    cases=grid(points=[41], rate=[0.5, 2], correction=[0, 0.25]),
    page=PAGE,
)
def no_correction(points: Any, rate: Any, correction: Any) -> Any:
    """These variants are wrong, and the check must see it. Noise in the ratio favours acceptance, and more so over long
    distances; the correction must have the variance of the noise.
    """
    return chain_error(points, rate, correction=correction), above(number("1e-5"))


# Clipping


@statement(
    "private-mcmc/3-sensitivity",
    CHAPTER,
    says=r"$\Delta = \max_{x \sim x'} \Bigl|\sum_j r_j - \sum_j r'_j\Bigr| = 2 b \|\theta' - \theta\|$, ratios being clipped to $\pm b \|\theta' - \theta\|$",
    by="raisa2021",
    cases=grid(clip=[0.3, 2], distance=[0.1, 1], others=[0, 3]),
    page=PAGE,
)
def sensitivity(clip: Any, distance: Any, others: Any) -> Any:
    r"""The other side is the largest change, over ratios far outside the interval, near its ends and inside.

    Proof: a replaced row moves its ratio from one place in \([-b\|\theta' - \theta\|, b\|\theta' - \theta\|]\) to another,
    and both ends can occur.
    """
    bound = clip * distance
    row = clipped(numbers([-9 * bound, -bound, 0, bound / 3, 9 * bound]), bound)
    rest = int(others) * row[3]
    change = largest([abs((rest + a) - (rest + b)) for a, b in itertools.product(row, row)])
    return clipped_sensitivity(bound), equal(change)


@statement(
    "private-mcmc/3-statistic",
    CHAPTER,
    says=r"a step decides by $T \sum_j r_j + \ln\frac{p(\theta')}{p(\theta)} + sz - \frac12 s^2$, $s = 2 b\, T \tau \sqrt n\, |\theta' - \theta|$, "
    r"its $r_j$ clipped to $\pm b |\theta' - \theta|$",
    by="raisa2021",
    cases=grid(rows=[ROWS], proposal=[1, -0.5], theta=[0.25], z=[-1.3, 0, 0.7], tau=[0.3], clip=[0.8], factor=[1, 0.5]),
    page=PAGE,
)
def noise_and_penalty(rows: Any, proposal: Any, theta: Any, z: Any, tau: Any, clip: Any, factor: Any) -> Any:
    r"""The factor is the temperature T, by which the sum over the rows is multiplied.

    Proof: by ``private-mcmc/3-sensitivity`` the sensitivity of that sum is \(2bT|\theta' - \theta|\), and the noise is
    \(\tau\sqrt n\) times that. The last term is the correction of ``private-mcmc/3-penalty``. In the normal model the
    ratio of a row x is \((\theta' - \theta)(x - \frac12(\theta + \theta'))\).
    """
    here, there = places(theta, proposal)
    decided = statistic(normal_target(rows, factor), here, there, numbers([z]), tau=tau, clip=clip)[0][0]
    bound = clip * abs(proposal - theta)
    ratios = [(proposal - theta) * (x - (theta + proposal) / number(2)) for x in rows]
    total = sum(smallest([bound, largest([-bound, ratio])]) for ratio in ratios)
    s = 2 * factor * tau * sqrt(number(len(rows))) * bound
    return decided, equal(factor * total + log_prior_ratio(proposal, theta) + s * z - s * s / 2)


@statement(
    "private-mcmc/3-clipping",
    CHAPTER,
    says=r"with clipped ratios $\lambda_c$ the chain is still reversible: $\lambda_c(x, y) + \lambda_c(y, z) + \lambda_c(z, x) = 0$",
    holds="on a line with moves to neighbours only, the clipped chain is reversible for "
    r"$\tilde\pi(x_i) \propto \exp\sum_{m < i} \lambda_c(x_m, x_{m+1})$: error $\le 10^{-12}$",
    why="clipped ratios are not differences of one function",
    by="ours",
    cases=grid(points=[41], clip=[0.1, 0.3], places=[(5, 20, 35), (10, 22, 30)]),
    page=PAGE,
)
def clipping(points: Any, clip: Any, places: Any) -> Any:
    r"""By Kolmogorov's criterion a chain with the acceptance \(A_s(\lambda_c)\) is reversible only if its log ratios add up
    to zero around every cycle of points x, y, z. Clipped ratios change their sign on the way back, but that is not enough.
    So in general there is no law with respect to which the chain is reversible.
    """
    grid, three = student(points), [int(place) for place in places]
    part = exact.Grid(grid.points[three], grid.log_likelihood[:, three], grid.log_prior[three])
    ratio = part.clipped_ratio(clip)
    return ratio[0, 1] + ratio[1, 2] + ratio[2, 0], equal(number(0))


@clipping.instead(cases=grid(points=[41], clip=[0.1, 0.3], rate=[0.5]))
def clipping_on_a_line(points: Any, clip: Any, rate: Any) -> Any:
    r"""Proof: there are no cycles on a line of points \(x_1, x_2, \dots\) with moves to neighbours only. The law to which
    the chain settles is known in closed form.
    """
    target, proposal = student(points), exact.walk(int(points), reach=1)
    accepted, proposed = 0 * proposal, np.nonzero(proposal)
    accepted[proposed] = penalty_acceptance(target.clipped_ratio(clip)[proposed], rate * target.distance[proposed])
    matrix = exact.transition(proposal, accepted)
    return seen(exact.invariance_error(matrix, exact.clipped_path_law(target, clip))), at_most(number("1e-12"))


@statement(
    "private-mcmc/3-clipping-bias",
    CHAPTER,
    says=r"clipping to $\pm b\|\theta' - \theta\|$, $b \le 0.8$, moves the stationary law: total variation more than $0.01$",
    by="ours",
    given=lambda clip: bool(clip <= number("0.8")),
    cases=grid(clip=[0.3, 0.5, 0.8]),
    page=PAGE,
)
def clipping_bias(clip: Any) -> Any:
    """The grid has 41 points, and the sixty rows are simulated. The distance is 0.0959 where half of the ratios are
    clipped, and 0.233 where 83 % are. No bound on this bias is known, so it is computed.
    """
    target = simulated()
    accepted = penalty_acceptance(target.clipped_ratio(clip), target.distance / 2)
    bias = exact.bias(exact.transition(exact.walk(len(target.points)), accepted), target.target)
    return bias, above(number("0.01"))


@statement(
    "private-mcmc/3-cost",
    CHAPTER,
    says=r"noise $\tau\sqrt n \Delta$ on a sum of sensitivity $\Delta$ costs $\rho = \frac{1}{2\tau^2 n}$ per step, whatever $\Delta$",
    by="raisa2021",
    cases=grid(tau=[0.1, 2], n=[100, 100000], sensitivity=[0.001, 7]),
    page=PAGE,
)
def penalty_cost(tau: Any, n: Any, sensitivity: Any) -> Any:
    r"""Proof: the cost is \(\Delta^2 / (2 \tau^2 n \Delta^2)\) by ``private-mcmc/thm-3.2``. The sensitivity changes from
    step to step, but its ratio to the noise does not.
    """
    return cost(rows_of(n), tau=tau, sensitivity=sensitivity).rho, equal(1 / (2 * tau * tau * n))
