r"""Chapters 3 to 5, of which only the titles exist: methods that accept or reject a move under noise.

A step observes the log ratio with normal noise sZ. The acceptance probability of the penalty algorithm, averaged over
the noise, is

\[ A_s(\lambda) = \Phi\Bigl(\frac{\lambda - s^2/2}{s}\Bigr)
   + e^{\lambda} \Phi\Bigl(\frac{-\lambda - s^2/2}{s}\Bigr) . \]

We interpret "Gauss-Bernoulli" as a Gaussian release of the log ratio, followed by a Bernoulli decision on whether to
move. No definition of this method has been published.
"""

import itertools
from functools import partial

from ...arithmetic import exp, largest, log, number, pi
from ...mcmc import barker_rule, minibatch
from ...mcmc.acceptance import gauss_bernoulli_acceptance, penalty_acceptance
from .. import at_most, equal, grid, only_in_doubles, statement

our_statement = partial(statement, by="ours", cases=grid(ratio=[-2, 0, 0.5, 3], s=[0.5, 2]))


@statement(
    "private-mcmc/3-acceptance",
    "Chapter 3, a title: Ceperley and Dewing 1999",
    says=r"$A_s(\lambda) = e^{\lambda} A_s(-\lambda)$",
    by="ceperley1999",
    cases=grid(ratio=[-4, -0.3, 0, 1.5, 20], s=[0.1, 1, 4]),
)
def acceptance_identity(ratio, s):
    r"""The identity explains why the penalty algorithm is exact: if the noise has the same scale for a move and for the
    reverse move, every pair of states is in detailed balance.

    Proof: \(e^{\lambda} A_s(-\lambda)\) has the same two terms as \(A_s(\lambda)\), in the opposite order. There is
    also a direct argument. A step observes \(y \sim N(\lambda - s^2/2, s^2)\). The density of the value \(-y\) for the
    reverse move is \(e^{y - \lambda}\) times the density of the value y for the move. So every acceptance probability
    g(y) with \(g(y) = e^{y} g(-y)\) satisfies detailed balance on average.
    """
    return penalty_acceptance(ratio, s), equal(exp(ratio) * penalty_acceptance(-ratio, s))


@statement(
    "private-mcmc/4-minibatch-variance",
    "Chapter 4, a title: Räisä and others 2021",
    says=r"$\frac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| \le \frac{3(b-1)}{b}$, $|r_j| \le 1$",
    holds=r"$\max \frac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| = \frac{2(b-1)}{b}$; the printed bound is a sum of two bounds that are not attained together",
    by="raisa2021",
    cases=grid(b=[2, 6, 40]),
)
def minibatch_variance(b):
    r"""A batch B has b rows, and \(\bar r\) is the mean of the rows' log ratios. The test on a batch subtracts half of
    the sum of squares in order to correct for the sampling error of the batch. The check computes the largest change
    over batches whose log ratios are all -1 or 1. A smaller bound means less noise for the same privacy, and the
    library uses the exact maximum.

    Proof: the printed bound follows from the exact maximum, which is derived next.

    Proof of what holds: let r be the ratio that is replaced, and let S be the sum of the other ratios in the batch.
    Replacing r by r' changes \(\sum r_j^2 - (\sum r_j)^2/b\) by \((1 - \frac1b)(r'^2 - r^2) - \frac{2S}{b}(r' - r)\).
    For given r, this change is largest at \(r' = 1\) and \(S = -(b-1)\), or with all signs reversed. Its value is then
    \((1 - \frac1b)[(1 - r^2) + 2(1 - r)]\), which is at most \(4(1 - \frac1b)\), with equality at \(r = -1\).
    """
    # mean log ratios of batches in which some log ratios are 1 and the others are -1; the variance is 1 - mean^2
    means = [number(2 * ones) / b - 1 for ones in range(int(b) + 1)]
    halves = [minibatch.batch_penalty(1 - mean * mean, number(b), int(b)) for mean in means]
    change = largest([abs(one - other) for one, other in itertools.pairwise(halves)])
    return change, at_most(number(3) * (b - 1) / b), equal(minibatch.variance_change(int(b)))


@statement(
    "private-mcmc/4-barker-correction",
    "Chapter 4, a title: Barker's test",
    says=r"there is a correction $V_C$ with $N(0, C) + V_C$ standard logistic",
    reading=r"the statement is the decomposition of Barker's test on which private chains are built (Heikkilä and others 2019, who approximate the correction and do not claim that it exists), taken literally; the characteristic function of $V_C$ would be $\frac{\pi t}{\sinh \pi t} e^{C t^2/2}$, and at most 1",
    holds=r"for some distribution of $V_C$ on the multiples of 0.05, the distribution function of $N(0, C) + V_C$ differs from the logistic one by at most $5.875 \cdot 10^{-4}$ at $C = 2$",
    why="the quotient of the characteristic functions grows without bound for every $C > 0$",
    cases=grid(c=[0.1, 1, 2], t=[1.8, 4, 70]),
)
def barker_correction(c, t):
    r"""The modulus of a characteristic function is at most 1, so no distribution of \(V_C\) has the required quotient
    as its characteristic function. For C = 2, the quotient exceeds 1 if t is larger than about 1.79. The check computes
    the logarithm of the quotient.
    """
    # ln sinh(pi t), in a form that does not overflow for large t
    log_sinh = pi() * t + log((1 - exp(-2 * pi() * t)) / 2)
    return log(pi() * t) - log_sinh + c * t * t / 2, at_most(number(0))


@barker_correction.instead(cases=grid(c=[2], bound=[5.875e-4]))
def barker_best_correction(c, bound):
    """A linear program, solved in double precision, yields the distribution, whose error is then computed on a grid
    that is ten times finer. For C = 1, the error is below the tolerance of the solver; for C = 3, the error is 0.013.
    """
    only_in_doubles("a linear program is solved in doubles")
    return barker_rule.correction(float(c)).error, at_most(bound)


@our_statement(
    "private-mcmc/5-acceptance",
    "Chapter 5, a title",
    says=r"$E\, g(\lambda + sZ - \frac12 s^2) = e^{\lambda} E\, g(-\lambda + sZ - \frac12 s^2)$, $g(y) = \frac{1}{1 + e^{-y}}$",
)
def bernoulli_identity(ratio, s):
    r"""The identity is exact for every s, so there is no upper limit on the noise. Our Gauss-Bernoulli algorithm
    therefore leaves its target distribution invariant.

    Proof: the logistic function satisfies \(g(y) = e^y g(-y)\), so the direct argument in ``private-mcmc/3-acceptance``
    applies to this function.
    """
    return gauss_bernoulli_acceptance(ratio, s), equal(exp(ratio) * gauss_bernoulli_acceptance(-ratio, s))


@our_statement(
    "private-mcmc/5-peskun",
    "Chapter 5, a title",
    says=r"$E\, g(\lambda + sZ - \frac12 s^2) \le A_s(\lambda)$: the penalty algorithm dominates our Gauss-Bernoulli",
)
def bernoulli_dominated(ratio, s):
    r"""By Peskun's theorem, the chain that accepts less often has at least as large an asymptotic variance for the
    estimate of every mean. For the same s, the two algorithms have the same privacy cost.

    Proof: the logistic function satisfies \(g(y) \le \min\{1, e^y\}\).
    """
    return gauss_bernoulli_acceptance(ratio, s), at_most(penalty_acceptance(ratio, s))
