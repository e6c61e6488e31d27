"""Section 2.2: Bayesian inference, Metropolis-Hastings, the likelihood of the rows, and Algorithm 1."""

import numpy as np

from ...arithmetic import number, numbers, zeros
from ...mcmc import exact
from ...mcmc.acceptance import metropolis, with_proposal
from ...mcmc.algorithm import prior_ratio
from ...mcmc.penalty_algorithm import log_ratio
from .. import at_most, equal, grid, statement
from . import models

MOVES = grid(rows=[models.ROWS], proposal=[1, -0.5], theta=[0.25, 0])
POINTS = grid(rows=[models.ROWS, (0.5, 3)], theta=[0.25, 0])


@statement(
    "private-mcmc/2.2-bayes",
    "Section 2.2, Bayes' theorem",
    says=r"$p(\theta \mid D) = \frac{p(D \mid \theta)\, p(\theta)}{\int p(D \mid \theta)\, p(\theta)\, d\theta}$",
    cases=grid(rows=[models.ROWS, (0.5, 3)], theta=[0, 0.7]),
)
def bayes(rows, theta):
    r"""The \(\theta\) under the integral is a variable of integration, and not the \(\theta\) outside. The integral, the
    evidence, is computed from the predictive densities of the rows, one after the other.

    Proof: this is Bayes' theorem.
    """
    numerator = models.normal_target(rows).log_density(*models.places(theta))[0]
    return numerator - models.log_evidence(rows), equal(models.log_posterior(theta, rows))


@statement(
    "private-mcmc/2.2-metropolis",
    "Section 2.2, Metropolis-Hastings",
    says=r"accepting with probability $\min\{1, r\}$, $r = \frac{\pi(\theta^*)}{\pi(\theta)} \frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}$, leaves $\pi$ invariant: error at most $10^{-12}$",
    cases=grid(points=[11, 41], lean=[0, 3]),
)
def metropolis_ratio(points, lean):
    r"""In the cases the proposal leans to one side, so that the ratio of the proposals matters.

    Proof: the flow from i to j, the probability to be at i and to move to j, is \(\min\{\pi_i q_{ij}, \pi_j q_{ji}\}\).
    It is symmetric in i and j, so \(\pi\) is invariant.
    """
    target, g = exact.student_grid(int(points)), int(points)
    towards = 1 + lean * numbers(range(g)) / g
    proposal = np.tile(towards / towards.sum(), (g, 1))
    matrix = exact.transition(proposal, metropolis(with_proposal(target.ratio, proposal)))
    return models.seen(exact.invariance_error(matrix, target.target)), at_most(number("1e-12"))


PROPOSALS = {
    "uniform": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    "neighbours": ((1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)),
    "flip": ((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)),
    "halves": ((1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1), (0, 0, 1, 1)),
}
"""Proposals on four states: in the row of a state the states that it may propose, with equal probability, are 1."""


@statement(
    "private-mcmc/2.2-convergence",
    "Section 2.2",
    says=r"with a suitable proposal the chain converges to $\pi$: after 600 steps the distance is at most $10^{-6}$",
    why="a chain that never leaves its half, or changes to and fro, does not converge",
    only_if=("the chain is irreducible and aperiodic", lambda kind: kind not in ("flip", "halves")),
    cases=grid(kind=list(PROPOSALS)),
)
def convergence(kind: str):
    """The word "suitable" has to mean that the chain reaches every state, and not in a fixed rhythm. The cases have four
    states, a uniform target, and the total variation after 600 steps from one state.
    """
    reached = numbers(PROPOSALS[kind])
    matrix = exact.transition(reached / reached.sum(axis=1)[:, None], metropolis(zeros((4, 4))))
    law = numbers([1, 0, 0, 0])
    for _ in range(600):
        law = law @ matrix
    return abs(law - numbers([0.25] * 4)).sum() / 2, at_most(number("1e-6"))


@statement(
    "private-mcmc/2.2-cancel",
    "Section 2.2",
    says=r"$\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \frac{p(D \mid \theta^*)\, p(\theta^*)}{p(D \mid \theta)\, p(\theta)}$",
    cases=MOVES,
)
def cancel(rows, proposal, theta):
    """Proof: both posteriors have the same integral in the denominator, and it cancels."""
    return models.chain_ratio(rows, proposal, theta), equal(models.log_posterior_ratio(proposal, theta, rows))


@statement(
    "private-mcmc/2.2-lambda",
    "Section 2.2, lambda",
    says=r"$\lambda = \ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} + \ln\frac{p(\theta^*)}{p(\theta)} + \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}$ equals $\ln r$",
    holds=r"with the likelihood $\ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)}$ for the first term",
    why="the prior is counted twice, because the posterior contains it already",
    cases=MOVES,
)
def log_r(rows, proposal, theta):
    r"""In the example a chain that accepts with \(\min\{1, e^\lambda\}\) settles at N(S/7, 1/7) instead of N(S/6, 1/6).
    The cases have a symmetric proposal, for which the third term is zero.

    Proof of what holds: likelihood and prior together give the posterior, up to the evidence, which cancels.
    """
    right = models.log_posterior_ratio(proposal, theta, rows)
    printed = right + models.log_posterior_ratio(proposal, theta, ())
    return models.chain_ratio(rows, proposal, theta), equal(printed), equal(right)


@statement(
    "private-mcmc/2.2-likelihood",
    "Section 2.2, likelihood",
    says=r"the likelihood of row $D_j$ is $p(\theta \mid D_j)$",
    holds=r"it is $p(D_j \mid \theta)$: $\ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)} = \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)}$",
    why="the two sides of the bar are exchanged",
    cases=grid(row=[0.5, 2], proposal=[1], theta=[0.25, 0]),
)
def likelihood_of_a_row(row, proposal, theta):
    r"""\(p(\theta \mid D_j)\) is the posterior of one row. What is compared is what a chain uses, the log ratio at two
    parameters.

    Proof of what holds: this is Bayes' theorem for one row. The other side has the posterior in closed form.
    """
    posterior = models.log_posterior_ratio(proposal, theta, [row])
    printed = equal(models.likelihood_ratio([row], proposal, theta))
    return models.chain_ratio([row], proposal, theta), printed, equal(posterior)


@statement(
    "private-mcmc/2.2-product",
    "Section 2.2, independence",
    says=r"$p(\theta \mid D) = \prod_{j=1}^{n} p(\theta \mid D_j)$",
    holds=r"$p(D \mid \theta) = \prod_{j=1}^{n} p(D_j \mid \theta)$",
    why="the prior would be counted n times",
    cases=POINTS,
)
def product_over_rows(rows, theta):
    """The product does not even integrate to one. In the example it has the precision 10, where the posterior has 6.
    Algorithm 1 adds the prior once more, which makes it 11.
    """
    numerator = models.normal_target(rows).log_density(*models.places(theta))[0]
    return numerator - models.log_evidence(rows), equal(sum(models.log_posterior(theta, [row]) for row in rows))


@product_over_rows.instead()
def likelihood_over_rows(rows, theta):
    r"""The other side is posterior times evidence, divided by the prior. The evidence comes from predictive densities.

    Proof: this is what independence given \(\theta\) means.
    """
    by_bayes = models.log_posterior(theta, rows) + models.log_evidence(rows) - models.log_posterior(theta, ())
    return models.normal_target(rows).likelihood.total(*models.places(theta))[0], equal(by_bayes)


@statement(
    "private-mcmc/2.2-ratio-sum",
    "Section 2.2, log likelihood ratio",
    says=r"$\ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)}$",
    holds=r"$\ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} = \sum_{j=1}^n \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)}$",
    why="the right side contains the prior n times, and the left side once",
    cases=MOVES,
)
def ratio_over_rows(rows, proposal, theta):
    """The formula would follow from that of the product."""
    printed = sum(models.log_posterior_ratio(proposal, theta, [row]) for row in rows)
    return models.chain_ratio(rows, proposal, theta), equal(printed)


@ratio_over_rows.instead()
def likelihood_ratio_over_rows(rows, proposal, theta):
    """Proof: this is the logarithm of the product of likelihoods at two parameters. The other side is computed as the
    log ratio of the posterior less that of the prior.
    """
    prior = prior_ratio(models.normal_target(rows), *models.places(theta, proposal))[0]
    without_prior = models.log_posterior_ratio(proposal, theta, rows) - prior
    return models.likelihood_ratio(rows, proposal, theta), equal(without_prior)


def invariance(points, log_density):
    """How far the posterior is from being invariant on a grid, under a chain that takes its log density for another."""
    theta = 4 * numbers(range(int(points))) / (points - 1) - 2
    found, target = log_density(theta), exact.probabilities(models.log_posterior(theta, number(models.ROWS)))
    matrix = exact.transition(2 * exact.walk(int(points)), metropolis(found - found[:, None]))
    return models.seen(exact.invariance_error(matrix, target))


@statement(
    "private-mcmc/algorithm-1",
    "Algorithm 1",
    says=r"with $\lambda = \sum_j \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})}$ the posterior is invariant: error at most $10^{-12}$",
    holds=r"with $\ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta_{i-1})}$ in the sum the posterior is invariant",
    why="the prior is counted n + 1 times",
    cases=grid(points=[5, 41]),
)
def algorithm_1(points):
    """The algorithm as printed samples N(S/11, 1/11) in the example, where the posterior is N(S/6, 1/6)."""
    counted = [*([row] for row in numbers(models.ROWS)), ()]
    error = invariance(points, lambda theta: sum(models.log_posterior(theta, rows) for rows in counted))
    return error, at_most(number("1e-12"))


@algorithm_1.instead()
def algorithm_1_by_likelihoods(points):
    """Proof: this is the log ratio that Metropolis-Hastings asks for, and its rule leaves the posterior invariant."""
    target = models.normal_target(models.ROWS)

    def from_first(theta):
        return log_ratio(target, np.tile(theta[0], (len(theta), 1)), theta[:, None]).total

    return invariance(points, from_first), at_most(number("1e-12"))
