r"""What the statements are checked on: pairs of laws, at a dataset and at its neighbour, and a normal model.

The normal model has rows of unit variance and the prior N(0, 1) of their mean: with n rows that add up to S its
posterior is N(S/(n + 1), 1/(n + 1)).
"""

import numpy as np

from ...arithmetic import exp, integral, largest, log, number, numbers, pi, sqrt
from ...divergences import log_probabilities, renyi_divergence
from ...guarantees import ApproxDP, worst_pair
from ...mcmc import transition_matrices as matrices
from ...mcmc.penalty_algorithm import log_ratio
from ...mcmc.row_models import RowLikelihood
from ...mcmc.target import Target


def divergence(pair, order):
    """The Rényi divergence of two laws given by probabilities."""
    p, q = pair
    return renyi_divergence(log_probabilities(p), log_probabilities(q), order)


def product(first, second):
    """The laws of two independent outputs together."""
    p, q = (np.outer(numbers(a), numbers(b)).ravel() for a, b in zip(first, second, strict=True))
    return p, q


def mirrored(weights):
    """A law with these weights, and the one with the weights in reverse order."""
    p = numbers(weights) / sum(weights)
    return p, p[::-1]


PAD = ((0.5, 0, 0, 0.5), (0, 0.5, 0.5, 0))
"""A fair coin u, then u xor x: each output alone is a fair coin for both inputs, together they are x."""


def adaptive(first: ApproxDP, second: ApproxDP):
    """A first step, and a second that uses all of its budget after some outputs and half of its epsilon after others."""
    before = worst_pair(first.epsilon, first.delta)
    after = [worst_pair(second.epsilon / share, second.delta) for share in (1, 2, 1, 2)]
    p, q = (np.concatenate([before[side][u] * after[u][side] for u in range(4)]) for side in (0, 1))
    return p, q


def normal_divergence(alpha, sigma, gap):
    """The Rényi divergence of two normals that lie this far apart, by its definition: an integral."""
    centre = (1 - alpha) * gap

    def density(x):
        return exp(-(alpha * x * x + (1 - alpha) * (x - gap) * (x - gap)) / (2 * sigma * sigma))

    area = integral(density, centre - 20 * sigma, centre + 20 * sigma)
    return log(area / (sigma * sqrt(2 * pi()))) / (alpha - 1)


ROWS = (0.5, -1, 2, 0.25, 1)
"""Five rows of the normal model."""


def log_normal(x, mean, precision):
    """The log density of a normal law."""
    gap = x - mean
    return (log(number(precision)) - log(2 * pi()) - precision * gap * gap) / 2


def log_posterior(theta, rows):
    """The log density of the posterior, in closed form; of no row, that of the prior."""
    precision = number(len(rows) + 1)
    return log_normal(theta, sum(rows) / precision, precision)


def log_posterior_ratio(proposal, theta, rows):
    """The log ratio of the posterior densities of two parameters; of no row, that of the prior."""
    return log_posterior(proposal, rows) - log_posterior(theta, rows)


def log_evidence(rows):
    """The logarithm of the integral of prior times likelihood, row by row from predictive densities."""
    evidence, precision, total = number(0), number(1), number(0)
    for row in rows:
        evidence = evidence + log_normal(row, total / precision, precision / (precision + 1))
        precision, total = precision + 1, total + row
    return evidence


def normal_target(rows) -> Target:
    """The posterior as a chain sees it: a sum over rows and a prior."""
    likelihood = RowLikelihood(lambda theta, data: log_normal(data, theta[0], 1), numbers(rows))
    return Target(likelihood, 1, lambda theta: log_normal(theta[:, 0], 0, 1))


def places(*parameters):
    """Parameters as chains, one chain each."""
    return tuple(numbers([[value]]) for value in parameters)


def chain_ratio(rows, proposal, theta):
    """The log ratio that a chain on the normal model decides by: likelihood and prior, no evidence."""
    return log_ratio(normal_target(rows), *places(theta, proposal)).total[0]


def likelihood_ratio(rows, proposal, theta):
    """The sum of the rows' log likelihood ratios, none of them clipped."""
    here, there = places(theta, proposal)
    return normal_target(rows).likelihood.ratio(here, there, np.array([np.inf])).total[0]


def seen(error):
    """An error, or the rounding of doubles where the error is smaller."""
    return largest([error, number(matrices.ROUNDING)])
