"""Section 2.2: Bayesian inference, Metropolis-Hastings and the log ratio that it decides by."""

from typing import Any

import numpy as np

from ...arithmetic import exp, integral, log, number, numbers, pi, zeros
from ...mcmc import exact
from ...mcmc.acceptance import metropolis, with_proposal
from ...mcmc.penalty_algorithm import log_ratio
from ...mcmc.target import Target
from ..claim import REFUTED, Condition, grid
from ..premises import premises
from .models import (
    MOVES,
    OF_ROWS,
    REAL,
    ROWS,
    chain_ratio,
    log_evidence,
    log_normal,
    log_posterior,
    log_posterior_ratio,
    log_prior_ratio,
    normal_target,
    places,
    seen,
    student,
)
from .source import THESIS

PAGE = "private_mcmc/metropolis_hastings"


wording = THESIS.vague(
    "2.2-wording",
    "Section 2.2",
    r"\text{the posterior is ``a probability distribution describing the likelihood of different values of the parameters''}",
    "Three lines later the source uses the word likelihood in its usual meaning.",
    malformed=r"the posterior gives probabilities of parameters, while the likelihood is \(p(D \mid \theta)\) as a function of \(\theta\), which is not a distribution",
    page=PAGE,
    erratum=True,
)


@THESIS.item(
    "2.2-likelihood-no-distribution",
    "Section 2.2",
    cases=[{"rows": ROWS}, {"rows": (0.5, 3)}],
    calls=Target.log_density,
    page=PAGE,
)
def mass(rows: Any) -> Any:
    """Prior times likelihood, divided by the evidence in closed form, by quadrature."""
    target, n = normal_target(rows), len(rows)
    mean, centre = sum(rows) / number(n), sum(rows) / number(n + 1)
    square = sum((x - mean) * (x - mean) for x in rows)
    evidence = log_normal(mean, 0, number(n) / (n + 1)) - (square + (n - 1) * log(2 * pi()) + log(number(n))) / 2
    area = integral(lambda theta: exp(target.log_density(*places(theta)))[0], centre - 10, centre + 10)
    return area / exp(evidence)


@mass.said(
    r"\int p(\theta \mid D)\, d\theta = 1, \text{ unlike } \int p(D \mid \theta)\, d\theta",
    corrects="private-mcmc/2.2-wording",
    origin="ours",
    proof=True,
)
def posterior_mass(rows: Any) -> Any:
    """The posterior is prior times likelihood, divided by the integral of that product, so it integrates to one. The
    check divides a quadrature of the product by the closed form of its integral. The likelihood alone integrates to a
    number that depends on the data.
    """
    return number(1)


@THESIS.item(
    "2.2-bayes",
    "Section 2.2, Bayes' theorem",
    cases=grid(rows=[ROWS, (0.5, 3)], theta=[0, 0.7]),
    calls=Target.log_density,
    page=PAGE,
    premises=premises(rows=OF_ROWS, theta=REAL),
)
def joint_over_evidence(rows: Any, theta: Any) -> Any:
    """The log density of the target, which is the numerator, and the evidence from predictive densities."""
    return normal_target(rows).log_density(*places(theta))[0] - log_evidence(rows)


@joint_over_evidence.said(
    r"p(\theta \mid D) = \frac{p(D \mid \theta)\, p(\theta)}{\int p(D \mid \theta)\, p(\theta)\, d\theta}",
    proof=True,
)
def bayes(rows: Any, theta: Any) -> Any:
    r"""This is Bayes' theorem. The \(\theta\) under the integral is a variable of integration, and not the \(\theta\)
    outside. The integral, the evidence, is computed from the predictive densities of the rows, one after the other.
    """
    return log_posterior(theta, rows)


@THESIS.item(
    "2.2-metropolis",
    "Section 2.2, Metropolis-Hastings",
    relation="<=",
    cases=grid(points=[11, 41], lean=[0, 3]),
    calls=(with_proposal, metropolis, exact.transition, exact.invariance_error),
    page=PAGE,
)
def leaning_error(points: Any, lean: Any) -> Any:
    """How far the target is from being invariant, where a proposal leans to one side."""
    target, g = student(points), int(points)
    towards = 1 + lean * numbers(range(g)) / g
    proposal = np.tile(towards / towards.sum(), (g, 1))
    matrix = exact.transition(proposal, metropolis(with_proposal(target.ratio, proposal)))
    return seen(exact.invariance_error(matrix, target.target))


@leaning_error.said(
    r"\text{accepting with probability } \min\{1, r\},\ r = \frac{\pi(\theta^*)}{\pi(\theta)} \frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}, \text{ leaves } \pi \text{ invariant: error} \le 10^{-12}",
    proof=True,
)
def metropolis_ratio(points: Any, lean: Any) -> Any:
    r"""The flow from i to j, the probability to be at i and to move to j, is \(\min\{\pi_i q_{ij}, \pi_j q_{ji}\}\).
    It is symmetric in i and j, so \(\pi\) is invariant. In the cases the proposal leans to one side, so that the ratio
    of the proposals matters.
    """
    return number("1e-12")


PROPOSALS = {
    "uniform": ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)),
    "neighbours": ((1, 1, 0, 0), (1, 0, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)),
    "flip": ((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0)),
    "halves": ((1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1), (0, 0, 1, 1)),
}
"""Where a proposal goes from each of four states; all that it reaches are equally likely."""


@THESIS.item(
    "2.2-convergence",
    "Section 2.2",
    relation="<=",
    cases=grid(kind=list(PROPOSALS)),
    calls=(metropolis, exact.transition),
    page=PAGE,
)
def distance_after_600(kind: str) -> Any:
    """From a uniform target, in total variation, after 600 steps from one state."""
    reached = numbers(PROPOSALS[kind])
    matrix = exact.transition(reached / reached.sum(axis=1)[:, None], metropolis(zeros((4, 4))))
    law = numbers([1, 0, 0, 0])
    for _ in range(600):
        law = law @ matrix
    return abs(law - numbers([0.25] * 4)).sum() / 2


@distance_after_600.said(
    r"\text{with a suitable proposal the chain converges to } \pi\text{: after 600 steps the distance is} \le 10^{-6}",
    condition=Condition(r"the chain is irreducible and aperiodic", lambda kind, **_: kind not in ("flip", "halves")),
)
def convergence(kind: str) -> Any:
    """The word "suitable" has to mean that the chain reaches every state, and not in a fixed rhythm. The cases have
    four states and a uniform target. They include a proposal that always changes to the other state of a pair, and one
    that never leaves its half. Neither of these two converges.
    """
    return number("1e-6")


ratio = THESIS.item(
    "2.2-cancel",
    "Section 2.2",
    cases=MOVES,
    calls=log_ratio,
    page=PAGE,
    premises=premises(rows=OF_ROWS, proposal=REAL, theta=REAL),
)(chain_ratio)


@ratio.said(
    r"\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \frac{p(D \mid \theta^*)\, p(\theta^*)}{p(D \mid \theta)\, p(\theta)}",
    proof=True,
)
def cancel(rows: Any, proposal: Any, theta: Any) -> Any:
    """Both posteriors have the same integral in the denominator, and it cancels."""
    return log_posterior_ratio(proposal, theta, rows)


log_r = THESIS.item("2.2-lambda", "Section 2.2, lambda", cases=MOVES, calls=log_ratio, page=PAGE)(chain_ratio)


@log_r.said(
    r"\lambda = \ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} + \ln\frac{p(\theta^*)}{p(\theta)} + \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)} \text{ equals } \ln r",
    expected=REFUTED,
)
def printed_lambda(rows: Any, proposal: Any, theta: Any) -> Any:
    r"""The prior is counted twice, because the posterior contains it already. In the example a chain that accepts with
    \(\min\{1, e^\lambda\}\) settles at N(S/7, 1/7) instead of N(S/6, 1/6).
    """
    return log_posterior_ratio(proposal, theta, rows) + log_prior_ratio(proposal, theta)


@log_r.instead(
    r"\lambda = \ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)} + \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)} = \ln r",
    proof=True,
    premises=premises(rows=OF_ROWS, proposal=REAL, theta=REAL),
)
def corrected_lambda(rows: Any, proposal: Any, theta: Any) -> Any:
    """The first term is the likelihood, and with the prior it gives the posterior: ``private-mcmc/2.2-cancel``. The
    cases have a symmetric proposal, for which the third term is zero.
    """
    return log_posterior_ratio(proposal, theta, rows)
