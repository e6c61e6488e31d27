"""Section 2.2, continued: the likelihood of a row and of all of them, and Algorithm 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arithmetic import number, numbers
from ...mcmc import exact
from ...mcmc.acceptance import metropolis
from ...mcmc.algorithm import prior_ratio
from ...mcmc.penalty_algorithm import log_ratio
from ...mcmc.row_models import RowLikelihood
from ...mcmc.target import Target
from ..claim import REFUTED, grid
from ..premises import premises
from .metropolis_hastings import PAGE
from .models import (
    MOVES,
    OF_ROWS,
    REAL,
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
    uniform,
)
from .source import THESIS


@THESIS.item(
    "2.2-likelihood",
    "Section 2.2, likelihood",
    cases=grid(row=[0.5, 2], proposal=[1], theta=[0.25, 0]),
    calls=(log_ratio, RowLikelihood.ratio),
    page=PAGE,
)
def one_row(row: Any, proposal: Any, theta: Any) -> Any:
    """The log ratio of two parameters in the posterior of one row."""
    return chain_ratio([row], proposal, theta)


@one_row.said(r"\text{the likelihood of row } D_j \text{ is } p(\theta \mid D_j)", expected=REFUTED)
def printed_likelihood(row: Any, proposal: Any, theta: Any) -> Any:
    r"""The two sides of the bar are exchanged: \(p(\theta \mid D_j)\) is the posterior of one row. What is compared is
    what a chain uses, the log ratio at two parameters.
    """
    return likelihood_ratio([row], proposal, theta)


@one_row.instead(
    r"\text{the likelihood of row } D_j \text{ is } p(D_j \mid \theta)\text{: } \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)} = \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)}",
    proof=True,
    premises=premises(row=REAL, proposal=REAL, theta=REAL),
)
def corrected_likelihood(row: Any, proposal: Any, theta: Any) -> Any:
    """This is Bayes' theorem for one row. The other side has the posterior in closed form."""
    return log_posterior_ratio(proposal, theta, [row])


product_index = THESIS.vague(
    "2.2-product-index",
    "Section 2.2, independence",
    r"p(\theta \mid D) = \prod_{j=1}^{k} p(\theta \mid D_j)",
    "With n in place of k it is ``private-mcmc/2.2-product``.",
    malformed=r"the product runs over the n rows, but k is the number of iterations of Algorithm 1. The next display has n",
    page=PAGE,
    erratum=True,
)

POINTS = grid(rows=[ROWS, (0.5, 3)], theta=[0.25, 0])


@THESIS.item("2.2-product", "Section 2.2, independence", cases=POINTS, calls=Target.log_density, page=PAGE)
def density(rows: Any, theta: Any) -> Any:
    """The log posterior density of all rows."""
    return normal_target(rows).log_density(*places(theta))[0] - log_evidence(rows)


@density.said(r"p(\theta \mid D) = \prod_{j=1}^{n} p(\theta \mid D_j)", expected=REFUTED)
def printed_product(rows: Any, theta: Any) -> Any:
    """The posteriors of single rows do not multiply to the posterior of all rows. The prior would be counted n times,
    and the product does not even integrate to one. In the example the product has the precision 10, where the
    posterior has 6. Algorithm 1 adds the prior once more, which makes it 11.
    """
    return sum(log_posterior(theta, [row]) for row in rows)


@THESIS.item("2.2-product-corrected", "Section 2.2, independence", cases=POINTS, calls=RowLikelihood.total, page=PAGE)
def likelihood(rows: Any, theta: Any) -> Any:
    """The log likelihood of all rows, as a sum over them."""
    return log_likelihood(rows, theta)


@likelihood.said(
    r"p(D \mid \theta) = \prod_{j=1}^{n} p(D_j \mid \theta)",
    corrects="private-mcmc/2.2-product",
    origin="ours",
    proof=True,
    premises=premises(rows=OF_ROWS, theta=REAL),
)
def corrected_product(rows: Any, theta: Any) -> Any:
    r"""This is what independence given \(\theta\) means. The left side is computed apart, by Bayes' theorem: posterior
    times evidence, divided by the prior. The evidence comes from predictive densities.
    """
    return log_posterior(theta, rows) + log_evidence(rows) - log_posterior(theta, ())


@THESIS.item("2.2-product-over-rows", "Section 2.2, independence", cases=POINTS, calls=RowLikelihood.total, page=PAGE)
def last_factor(rows: Any, theta: Any) -> Any:
    """The log likelihood of all rows, less that of all but the last."""
    return log_likelihood(rows, theta) - log_likelihood(rows[:-1], theta)


@last_factor.said(
    r"\text{the product has } n \text{ factors, one for each row: } \ln p(D \mid \theta) - \ln p(D_{-n} \mid \theta) = \ln p(D_n \mid \theta)",
    corrects="private-mcmc/2.2-product-index",
    origin="ours",
    proof=True,
    premises=premises(rows=OF_ROWS, theta=REAL),
)
def product_over_rows(rows: Any, theta: Any) -> Any:
    r"""Here \(D_{-n}\) are the data without the last row. Leaving this row out takes its factor away."""
    return log_normal(rows[-1], theta, 1)


posterior_ratio = THESIS.item(
    "2.2-ratio-sum", "Section 2.2, log likelihood ratio", cases=MOVES, calls=log_ratio, page=PAGE
)(chain_ratio)


@posterior_ratio.said(
    r"\ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)}",
    expected=REFUTED,
)
def printed_ratio_sum(rows: Any, proposal: Any, theta: Any) -> Any:
    """The formula would follow from ``private-mcmc/2.2-product``. Its right side contains the prior n times, and its
    left side once.
    """
    return sum(log_posterior_ratio(proposal, theta, [row]) for row in rows)


@THESIS.item(
    "2.2-ratio-sum-corrected",
    "Section 2.2, log likelihood ratio",
    cases=MOVES,
    calls=(RowLikelihood.ratio, prior_ratio),
    page=PAGE,
)
def summed_ratio(rows: Any, proposal: Any, theta: Any) -> Any:
    """The log likelihood ratio, summed over rows."""
    return likelihood_ratio(rows, proposal, theta)


@summed_ratio.said(
    r"\ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} = \sum_{j=1}^n \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)}",
    corrects="private-mcmc/2.2-ratio-sum",
    origin="ours",
    proof=True,
    premises=premises(rows=OF_ROWS, proposal=REAL, theta=REAL),
)
def corrected_ratio_sum(rows: Any, proposal: Any, theta: Any) -> Any:
    """This is the logarithm of ``private-mcmc/2.2-product-corrected`` at two parameters. The left side is computed as
    the log ratio of the posterior less that of the prior.
    """
    prior = prior_ratio(normal_target(rows), *places(theta, proposal))[0]
    return log_posterior_ratio(proposal, theta, rows) - prior


# Algorithm 1


def invariance(points: Any, ratio: Callable[[Any, Any], Any]) -> Any:
    """How far the posterior is from being invariant under Algorithm 1 on a grid, with a log ratio of one's own."""
    g = int(points)
    theta = 4 * numbers(range(g)) / (g - 1) - 2
    target = exact.probabilities(log_posterior(theta, number(ROWS)))
    matrix = exact.transition(uniform(g), metropolis(ratio(theta, theta[:, None])))
    return seen(exact.invariance_error(matrix, target))


ALGORITHM = (metropolis, exact.transition, exact.invariance_error)

SIZES = grid(points=[5, 41])


@THESIS.item("algorithm-1", "Algorithm 1", relation="<=", cases=SIZES, calls=ALGORITHM, page=PAGE)
def printed_error(points: Any) -> Any:
    """With the log ratio as it is printed, posteriors of single rows and the prior."""
    rows = numbers(ROWS)

    def ratio(proposal: Any, theta: Any) -> Any:
        return sum(log_posterior_ratio(proposal, theta, [row]) for row in rows) + log_prior_ratio(proposal, theta)

    return invariance(points, ratio)


@printed_error.said(
    r"\text{with } \lambda = \sum_j \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})} \text{ the posterior is invariant: error} \le 10^{-12}",
    expected=REFUTED,
)
def printed_algorithm(points: Any) -> Any:
    """The algorithm as printed samples N(S/11, 1/11) in the example, where the posterior is N(S/6, 1/6)."""
    return number("1e-12")


@THESIS.item(
    "algorithm-1-corrected", "Algorithm 1", relation="<=", cases=SIZES, calls=(log_ratio, *ALGORITHM), page=PAGE
)
def corrected_error(points: Any) -> Any:
    """With the log ratio that a chain of the library decides by."""
    target = normal_target(ROWS)

    def ratio(proposal: Any, theta: Any) -> Any:
        moves = log_ratio(target, np.tile(theta[0], (len(theta), 1)), theta).total
        return moves - moves[:, None]  # a difference of one function: the moves from one point say all

    return invariance(points, ratio)


@corrected_error.said(
    r"\text{with } \lambda = \sum_j \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta_{i-1})} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})} \text{ the posterior is invariant: error} \le 10^{-12}",
    corrects="private-mcmc/algorithm-1",
    origin="ours",
    proof=True,
)
def corrected_algorithm(points: Any) -> Any:
    """By ``private-mcmc/2.2-lambda-corrected`` this is the log ratio that ``private-mcmc/2.2-metropolis`` asks for."""
    return number("1e-12")
