"""Section 2.2: Bayesian inference, Metropolis-Hastings, the likelihood of the rows, and Algorithm 1."""

from functools import partial

import numpy as np

from ...arithmetic import approximate, log, number, numbers, smallest, zeros
from ...mcmc import transition_matrices as matrices
from ...mcmc.acceptance import metropolis
from ...mcmc.penalty_algorithm import log_ratio
from .. import at_most, equal, grid, statement
from . import models

MOVES = grid(rows=[models.ROWS], proposal=[1, -0.5], theta=[0.25, 0])


@statement(
    "private-mcmc/2.2-bayes",
    "Section 2.2, Bayes' theorem",
    says=r"$p(\theta \mid D) = \frac{p(D \mid \theta)\, p(\theta)}{\int p(D \mid \theta)\, p(\theta)\, d\theta}$",
    cases=grid(rows=[models.ROWS, (0.5, 3)], theta=[0, 0.7]),
)
def bayes(rows, theta):
    r"""The \(\theta\) under the integral is a variable of integration, distinct from the \(\theta\) outside the
    integral. The integral is the evidence, which the check computes as the product of the sequential predictive
    densities of the rows.

    Proof: this is Bayes' theorem.
    """
    numerator = models.normal_target(rows).log_density(*models.places(theta))[0]
    return numerator - models.log_evidence(rows), equal(models.log_posterior(theta, rows))


@statement(
    "private-mcmc/2.2-metropolis",
    "Section 2.2, Metropolis-Hastings",
    says=r"the algorithm samples from a distribution $\pi$: a density ratio is calculated, $r = \frac{\pi(\theta^*)}{\pi(\theta_{i-1})} \frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})}$, and the proposal is accepted with probability $\min\{1, r\}$",
    reading=r"a step leaves $\pi$ invariant; the invariance is checked on a grid of points, with a tolerance of $10^{-12}$ for rounding errors",
    cases=grid(points=[11, 41], lean=[0, 3]),
)
def metropolis_ratio(points, lean):
    r"""If the parameter ``lean`` of the check is positive, the proposal favours larger values, and the ratio of the
    proposal densities matters.

    Proof: the flow from i to j, that is, the probability of being at i and moving to j, is \(\min\{\pi_i q_{ij}, \pi_j
    q_{ji}\}\). The flow is symmetric in i and j, so \(\pi\) is invariant.
    """
    target, g = matrices.student_grid(int(points)), int(points)
    towards = 1 + lean * numbers(range(g)) / g  # weights of the proposed points, the same from every point
    proposal = np.tile(towards / towards.sum(), (g, 1))
    matrix = matrices.transition(proposal, metropolis(target.ratio + log(proposal.T / proposal)))
    return models.seen(matrices.invariance_error(matrix, target.target)), at_most(number("1e-12"))


PROPOSALS = {
    "uniform": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    "neighbours": ((1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)),
    "flip": ((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)),
}
"""Proposal distributions on four states: each row contains a 1 for every state that can be proposed, and these states
are proposed with equal probability."""


@statement(
    "private-mcmc/2.2-convergence",
    "Section 2.2",
    says=r"with a suitable proposal distribution, the chain of $\theta_i$ values converges to $\pi$",
    reading="there are finitely many states; a proposal is suitable if the chain can reach every state from every other state, and is aperiodic",
    given=("the chain is irreducible and aperiodic", lambda kind: kind != "flip"),
    cases=grid(kind=list(PROPOSALS), steps=[1, 20, 600]),
)
def convergence(kind: str, steps):
    r"""The check uses four states and a uniform target. The check compares the total variation distance from the
    target, after the given number of steps from one state, with a bound that decreases to zero. The speed of
    convergence depends on the chain: a chain that leaves one half of the states with probability \(10^{-6}\) is still
    far from the target after 600 steps.

    Proof: the target \(\pi\) is invariant (``private-mcmc/2.2-metropolis``). For some m, the m-th power of the
    transition matrix has only positive entries. Let \(\beta\) be the sum of the smallest entries of the columns of this
    power. Two chains, one of which starts from \(\pi\), can be coupled in such a way that they meet within m steps with
    probability at least \(\beta\). So the total variation distance after t steps is at most \((1 - \beta)^{\lfloor t/m
    \rfloor}\).
    """
    reached = numbers(PROPOSALS[kind])
    matrix = matrices.transition(reached / reached.sum(axis=1)[:, None], metropolis(zeros((4, 4))))
    law, power, m = np.linalg.matrix_power(matrix, int(steps))[0], matrix, 1
    while not approximate(power).min() > 0:  # until m steps lead from every state to every state
        power, m = power @ matrix, m + 1
    shared = sum(smallest(column) for column in power.T)
    return abs(law - numbers([0.25] * 4)).sum() / 2, at_most((1 - shared) ** (int(steps) // m))


@statement(
    "private-mcmc/2.2-cancel",
    "Section 2.2",
    says=r"the integral $\int p(D \mid \theta) p(\theta) d\theta$ in the denominator cancels out when computing $r$, so only the likelihood and prior are needed",
    reading=r"$\frac{\pi(\theta^*)}{\pi(\theta)} = \frac{p(D \mid \theta^*)\, p(\theta^*)}{p(D \mid \theta)\, p(\theta)}$",
    cases=MOVES,
)
def cancel(rows, proposal, theta):
    """Proof: the two posterior densities have the same integral in the denominator, and this integral cancels in the
    ratio."""
    return models.chain_ratio(rows, proposal, theta), equal(models.log_posterior_ratio(proposal, theta, rows))


DECLARED = (
    r"$p(\theta \mid D)$ stands for the likelihood, as the section declares for a row",
    lambda sign: sign == "likelihood",
)
"""Condition under which three formulas and Algorithm 1 are correct.

The section denotes the likelihood of a row by p(theta | D_j), which is the usual notation for a posterior. The three
formulas and Algorithm 1 also use this notation.
"""

SIGNS = ["likelihood", "posterior"]

statement_on_signs = partial(statement, only_if=DECLARED)


@statement_on_signs(
    "private-mcmc/2.2-lambda",
    "Section 2.2, lambda",
    says=r"the acceptance probability is $\min\{1, e^\lambda\}$ where $\lambda = \ln\frac{p(\theta^* \mid D)}{p(\theta_{i-1} \mid D)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})}$",
    why="if the first term is read as a ratio of posteriors, it already contains the prior, and the second term counts the prior again",
    cases=[case | {"sign": sign} for sign in SIGNS for case in MOVES],
)
def log_r(rows, proposal, theta, sign: str):
    """The section calls the first term the log likelihood ratio. If the first term is read as a log ratio of posterior
    densities, the chain in the example converges to N(S/7, 1/7) instead of N(S/6, 1/6). The check uses a symmetric
    proposal, for which the third term is zero.

    Proof: the product of likelihood and prior is the posterior times the evidence, which cancels in the ratio.
    """
    first = models.log_posterior_ratio(proposal, theta, rows)
    prior = models.log_posterior_ratio(proposal, theta, ())
    printed = first + prior if sign == "posterior" else models.likelihood_ratio(rows, proposal, theta) + prior
    return models.chain_ratio(rows, proposal, theta), equal(printed)


@statement(
    "private-mcmc/2.2-likelihood",
    "Section 2.2, likelihood",
    says=r"the likelihood is given as $p(\theta \mid D_j)$ for row $D_j$",
    holds=r"the likelihood is $p(D_j \mid \theta)$: $\ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)} = \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)}$",
    why="the notation is wrong: the two sides of the bar are exchanged",
    cases=grid(row=[0.5, 2], proposal=[1], theta=[0.25, 0]),
)
def likelihood_of_a_row(row, proposal, theta):
    r"""By Bayes' theorem, as the section states it, \(p(\theta \mid D_j)\) is the posterior given one row. The check
    compares log ratios between two parameter values, because a chain uses only such log ratios. The text around the
    formula makes clear that the likelihood is meant.

    Proof of what holds: this is Bayes' theorem for one row. The check computes the corrected value from the posterior
    in closed form.
    """
    posterior = models.log_posterior_ratio(proposal, theta, [row])
    printed = equal(models.likelihood_ratio([row], proposal, theta))
    return models.chain_ratio([row], proposal, theta), printed, equal(posterior)


@statement_on_signs(
    "private-mcmc/2.2-product",
    "Section 2.2, independence",
    says=r"the independence means that $p(\theta \mid D) = \prod_{j=1}^k p(\theta \mid D_j)$",
    reading="k is the number of rows, which the section calls n before and after this formula",
    why="if each factor is read as a posterior, the product counts the prior n times and does not integrate to one",
    cases=grid(rows=[models.ROWS, (0.5, 3)], theta=[0.25, 0], sign=SIGNS),
)
def product_over_rows(rows, theta, sign: str):
    r"""In the example, the product of posteriors has precision 10, whereas the posterior has precision 6. If the
    factors are read as likelihoods, the check compares their product with the posterior times the evidence divided by
    the prior. The evidence is computed from predictive densities.

    Proof: this is the definition of independence given \(\theta\).
    """
    if sign == "posterior":
        numerator = models.normal_target(rows).log_density(*models.places(theta))[0]
        return numerator - models.log_evidence(rows), equal(sum(models.log_posterior(theta, [row]) for row in rows))
    by_bayes = models.log_posterior(theta, rows) + models.log_evidence(rows) - models.log_posterior(theta, ())
    return models.normal_target(rows).likelihood.total(*models.places(theta))[0], equal(by_bayes)


@statement_on_signs(
    "private-mcmc/2.2-ratio-sum",
    "Section 2.2, log likelihood ratio",
    says=r"the log likelihood ratio term of $\lambda$ is $\ln\frac{p(\theta^* \mid D)}{p(\theta_{i-1} \mid D)} = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)}$",
    why="if the terms are read as posteriors, the right side contains the prior n times, but the left side only once",
    cases=[case | {"sign": sign} for sign in SIGNS for case in MOVES],
)
def ratio_over_rows(rows, proposal, theta, sign: str):
    """If the terms are read as likelihoods, the check computes the left side as the log ratio of the posterior minus
    the log ratio of the prior.

    Proof: take the logarithm of the product of the rows' likelihoods at each of the two parameter values, and subtract.
    """
    posterior = models.log_posterior_ratio(proposal, theta, rows)
    if sign == "posterior":
        return posterior, equal(sum(models.log_posterior_ratio(proposal, theta, [row]) for row in rows))
    prior = models.log_posterior_ratio(proposal, theta, ())
    return posterior - prior, equal(models.likelihood_ratio(rows, proposal, theta))


@statement_on_signs(
    "private-mcmc/algorithm-1",
    "Algorithm 1",
    says=r"Metropolis-Hastings used for Bayesian inference: $\lambda = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})}$",
    reading=r"the posterior is invariant; the invariance is checked on a grid of points, with a tolerance of $10^{-12}$ for rounding errors",
    why="if each row's term is read as a posterior, the rows and the second term together count the prior n + 1 times",
    cases=grid(points=[5, 41], sign=SIGNS),
)
def algorithm_1(points, sign: str):
    r"""Whoever implements the algorithm from the formula should be careful. If the sum contains the posterior given
    each row, the algorithm in the example samples from N(S/11, 1/11), whereas the posterior is N(S/6, 1/6).

    Proof: if the sum contains the likelihood of each row, \(\lambda\) is the log ratio that the Metropolis-Hastings
    rule requires, and this rule leaves the posterior invariant.
    """
    theta, data = 4 * numbers(range(int(points))) / (points - 1) - 2, numbers(models.ROWS)
    if sign == "posterior":
        # the posterior given each row alone, and the prior, which is the posterior given no row
        found = sum(models.log_posterior(theta, rows) for rows in (*([row] for row in data), ()))
    else:
        found = log_ratio(models.normal_target(data), np.tile(theta[0], (len(theta), 1)), theta[:, None]).total
    matrix = matrices.transition(2 * matrices.walk(int(points)), metropolis(found - found[:, None]))
    target = matrices.probabilities(models.log_posterior(theta, data))
    return models.seen(matrices.invariance_error(matrix, target)), at_most(number("1e-12"))
