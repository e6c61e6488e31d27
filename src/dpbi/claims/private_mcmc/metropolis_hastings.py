"""Section 2.2: Bayesian inference, Metropolis-Hastings, the log ratio that it decides by, and Algorithm 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arithmetic import exp, integral, log, number, numbers, pi, zeros
from ...mcmc import exact
from ...mcmc.acceptance import metropolis, with_proposal
from ...mcmc.algorithm import prior_ratio
from ...mcmc.penalty_algorithm import log_ratio
from ..statement import at_most, equal, grid, statement
from .models import (
    MOVES,
    ROWS,
    chain_ratio,
    likelihood_ratio,
    log_evidence,
    log_likelihood,
    log_normal,
    log_posterior,
    log_posterior_ratio,
    log_prior_ratio,
    normal_target,
    places,
    seen,
    student,
    uniform,
)

PAGE = "private_mcmc/metropolis_hastings"
POINTS = grid(rows=[ROWS, (0.5, 3)], theta=[0.25, 0])


@statement(
    "private-mcmc/2.2-bayes",
    "Section 2.2, Bayes' theorem",
    says=r"$p(\theta \mid D) = \frac{p(D \mid \theta)\, p(\theta)}{\int p(D \mid \theta)\, p(\theta)\, d\theta}$",
    cases=grid(rows=[ROWS, (0.5, 3)], theta=[0, 0.7]),
    page=PAGE,
)
def bayes(rows: Any, theta: Any) -> Any:
    r"""The evidence is computed from the predictive densities of the rows, one after the other.

    Proof: this is Bayes' theorem. The \(\theta\) under the integral is a variable of integration, and not the \(\theta\)
    outside.
    """
    joint = normal_target(rows).log_density(*places(theta))[0]
    return joint - log_evidence(rows), equal(log_posterior(theta, rows))


@statement(
    "private-mcmc/2.2-likelihood-no-distribution",
    "Section 2.2",
    says=r"$\int p(\theta \mid D)\, d\theta = 1$, unlike $\int p(D \mid \theta)\, d\theta$",
    by="ours",
    cases=[{"rows": ROWS}, {"rows": (0.5, 3)}],
    page=PAGE,
)
def posterior_mass(rows: Any) -> Any:
    """The source calls the posterior a probability distribution describing the likelihood of parameters. The check divides
    a quadrature of prior times likelihood by the closed form of the integral.

    Proof: the posterior is that product, divided by its integral. The likelihood alone integrates to a number that
    depends on the data.
    """
    target, n = normal_target(rows), len(rows)
    mean, centre = sum(rows) / number(n), sum(rows) / number(n + 1)
    square = sum((x - mean) * (x - mean) for x in rows)
    evidence = log_normal(mean, 0, number(n) / (n + 1)) - (square + (n - 1) * log(2 * pi()) + log(number(n))) / 2
    area = integral(lambda theta: exp(target.log_density(*places(theta)))[0], centre - 10, centre + 10)
    return area / exp(evidence), equal(number(1))


@statement(
    "private-mcmc/2.2-metropolis",
    "Section 2.2, Metropolis-Hastings",
    says=r"accepting with probability $\min\{1, r\}$, $r = \frac{\pi(\theta^*)}{\pi(\theta)} \frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}$, "
    r"leaves $\pi$ invariant: error $\le 10^{-12}$",
    cases=grid(points=[11, 41], lean=[0, 3]),
    page=PAGE,
)
def metropolis_ratio(points: Any, lean: Any) -> Any:
    r"""In the cases the proposal leans to one side, so that the ratio of the proposals matters.

    Proof: the flow from i to j, the probability to be at i and to move to j, is \(\min\{\pi_i q_{ij}, \pi_j q_{ji}\}\). It
    is symmetric in i and j, so \(\pi\) is invariant.
    """
    target, g = student(points), int(points)
    towards = 1 + lean * numbers(range(g)) / g
    proposal = np.tile(towards / towards.sum(), (g, 1))
    matrix = exact.transition(proposal, metropolis(with_proposal(target.ratio, proposal)))
    return seen(exact.invariance_error(matrix, target.target)), at_most(number("1e-12"))


PROPOSALS = {
    "uniform": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    "neighbours": ((1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)),
    "flip": ((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)),
    "halves": ((1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1), (0, 0, 1, 1)),
}
"""Where a proposal goes from each of four states; all that it reaches are equally likely."""


@statement(
    "private-mcmc/2.2-convergence",
    "Section 2.2",
    says=r"with a suitable proposal the chain converges to $\pi$: after 600 steps the distance is $\le 10^{-6}$",
    why='what "suitable" means is not said',
    only_if=("the chain is irreducible and aperiodic", lambda kind: kind not in ("flip", "halves")),
    cases=grid(kind=list(PROPOSALS)),
    page=PAGE,
)
def convergence(kind: str) -> Any:
    """The chain has to reach every state, and not in a fixed rhythm. The cases have four states and a uniform target. A
    proposal that always changes to the other state of a pair does not converge, nor does one that never leaves its half.
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
    page=PAGE,
)
def cancel(rows: Any, proposal: Any, theta: Any) -> Any:
    """Proof: both posteriors have the same integral in the denominator, and it cancels."""
    return chain_ratio(rows, proposal, theta), equal(log_posterior_ratio(proposal, theta, rows))


@statement(
    "private-mcmc/2.2-lambda",
    "Section 2.2, lambda",
    says=r"$\lambda = \ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} + \ln\frac{p(\theta^*)}{p(\theta)} "
    r"+ \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}$ equals $\ln r$",
    holds=r"$\lambda = \ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)} "
    r"+ \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)} = \ln r$",
    why="the prior is counted twice: the posterior contains it already",
    cases=MOVES,
    page=PAGE,
)
def log_ratio_of_a_move(rows: Any, proposal: Any, theta: Any) -> Any:
    r"""In the example a chain that accepts with \(\min\{1, e^\lambda\}\) settles at N(S/7, 1/7) instead of N(S/6, 1/6). The
    proposal is symmetric here, so that the third term is zero.

    Proof of what holds: the first term is the likelihood, and with the prior it gives the posterior.
    """
    right = log_posterior_ratio(proposal, theta, rows)
    return chain_ratio(rows, proposal, theta), equal(right + log_prior_ratio(proposal, theta)), equal(right)


@statement(
    "private-mcmc/2.2-likelihood",
    "Section 2.2, likelihood",
    says=r"the likelihood of row $D_j$ is $p(\theta \mid D_j)$",
    holds=r"the likelihood of row $D_j$ is $p(D_j \mid \theta)$: $\ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)} "
    r"= \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)}$",
    why="the two sides of the bar are exchanged",
    cases=grid(row=[0.5, 2], proposal=[1], theta=[0.25, 0]),
    page=PAGE,
)
def likelihood_of_a_row(row: Any, proposal: Any, theta: Any) -> Any:
    r"""What is printed is the posterior of one row. The log ratios at two parameters are compared, which is what a chain
    uses.

    Proof of what holds: Bayes' theorem for one row.
    """
    printed = equal(likelihood_ratio([row], proposal, theta))
    return chain_ratio([row], proposal, theta), printed, equal(log_posterior_ratio(proposal, theta, [row]))


@statement(
    "private-mcmc/2.2-product",
    "Section 2.2, independence",
    says=r"$p(\theta \mid D) = \prod_{j=1}^{n} p(\theta \mid D_j)$",
    holds=r"$p(D \mid \theta) = \prod_{j=1}^{n} p(D_j \mid \theta)$, with a factor for each row",
    why="the posteriors of single rows do not multiply to the posterior of all rows",
    cases=POINTS,
    page=PAGE,
)
def product(rows: Any, theta: Any) -> Any:
    """The prior would be counted n times, and the product does not even integrate to one. In the example the product has
    the precision 10, where the posterior has 6. Algorithm 1 adds the prior once more, which makes it 11.
    """
    joint = normal_target(rows).log_density(*places(theta))[0] - log_evidence(rows)
    return joint, equal(sum(log_posterior(theta, [row]) for row in rows))


@product.instead()
def product_of_likelihoods(rows: Any, theta: Any) -> Any:
    r"""The other side is computed apart, by Bayes' theorem: posterior times evidence, divided by the prior.

    Proof: this is what independence given \(\theta\) means.
    """
    total = log_likelihood(rows, theta)
    return total, equal(log_posterior(theta, rows) + log_evidence(rows) - log_posterior(theta, ()))


@product.instead()
def last_factor(rows: Any, theta: Any) -> Any:
    """Proof: leaving the last row out takes its factor away."""
    return log_likelihood(rows, theta) - log_likelihood(rows[:-1], theta), equal(log_normal(rows[-1], theta, 1))


@statement(
    "private-mcmc/2.2-ratio-sum",
    "Section 2.2, log likelihood ratio",
    says=r"$\ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)}$",
    holds=r"$\ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} = \sum_{j=1}^n \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)}$",
    why="the right side contains the prior n times, the left side once",
    cases=MOVES,
    page=PAGE,
)
def ratio_sum(rows: Any, proposal: Any, theta: Any) -> Any:
    """It would follow from ``private-mcmc/2.2-product``, which is false."""
    printed = sum(log_posterior_ratio(proposal, theta, [row]) for row in rows)
    return chain_ratio(rows, proposal, theta), equal(printed)


@ratio_sum.instead()
def ratio_sum_of_likelihoods(rows: Any, proposal: Any, theta: Any) -> Any:
    """The other side is the log ratio of the posterior less that of the prior.

    Proof: the logarithm of the product that holds, at two parameters.
    """
    prior = prior_ratio(normal_target(rows), *places(theta, proposal))[0]
    return likelihood_ratio(rows, proposal, theta), equal(log_posterior_ratio(proposal, theta, rows) - prior)


def invariance(points: Any, ratio: Callable[[Any, Any], Any]) -> Any:
    """How far the posterior is from being invariant under Algorithm 1 on a grid, with a log ratio of one's own."""
    g = int(points)
    theta = 4 * numbers(range(g)) / (g - 1) - 2
    target = exact.probabilities(log_posterior(theta, number(ROWS)))
    matrix = exact.transition(uniform(g), metropolis(ratio(theta, theta[:, None])))
    return seen(exact.invariance_error(matrix, target))


@statement(
    "private-mcmc/algorithm-1",
    "Algorithm 1",
    says=r"with $\lambda = \sum_j \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} "
    r"+ \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})}$ the posterior is invariant: error $\le 10^{-12}$",
    holds=r"the same with $p(D_j \mid \theta)$ in place of $p(\theta \mid D_j)$",
    why="the posteriors of single rows are added up, and the prior once more",
    cases=grid(points=[5, 41]),
    page=PAGE,
)
def algorithm(points: Any) -> Any:
    """As printed it samples N(S/11, 1/11) in the example, where the posterior is N(S/6, 1/6)."""
    rows = numbers(ROWS)

    def printed(proposal: Any, theta: Any) -> Any:
        return sum(log_posterior_ratio(proposal, theta, [row]) for row in rows) + log_prior_ratio(proposal, theta)

    return invariance(points, printed), at_most(number("1e-12"))


@algorithm.instead()
def algorithm_of_the_library(points: Any) -> Any:
    """Proof: by ``private-mcmc/2.2-lambda`` this is the log ratio that ``private-mcmc/2.2-metropolis`` asks for."""
    target = normal_target(ROWS)

    def ratio(proposal: Any, theta: Any) -> Any:
        moves = log_ratio(target, np.tile(theta[0], (len(theta), 1)), theta).total
        return moves - moves[:, None]  # a difference of one function: the moves from one point say all

    return invariance(points, ratio), at_most(number("1e-12"))
