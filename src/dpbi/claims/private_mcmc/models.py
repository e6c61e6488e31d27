"""Examples for checking the statements: pairs of output distributions for neighbouring datasets, and a normal model.

In the normal model, the rows have variance 1, and their mean has the prior N(0, 1). For n rows whose sum is S, the
posterior is N(S/(n + 1), 1/(n + 1)).
"""

import numpy as np

from ...arithmetic import exp, integral, largest, log, number, numbers, pi, sqrt
from ...divergences import log_probabilities, renyi_divergence
from ...guarantees import ApproxDP, worst_pair
from ...mcmc import RowLikelihood, Target
from ...mcmc import transition_matrices as matrices
from ...mcmc.penalty_algorithm import log_ratio


def divergence(pair, order):
    """Rényi divergence between two distributions, which are given as a pair of probability vectors."""
    p, q = pair
    return renyi_divergence(log_probabilities(p), log_probabilities(q), order)


def product(first, second):
    """Joint distributions of two independent outputs for a dataset and for its neighbour."""
    return tuple(np.outer(numbers(a), numbers(b)).ravel() for a, b in zip(first, second, strict=True))


def mirrored(weights):
    """Pair of distributions: one with the given weights, and one with the weights in reverse order."""
    p = numbers(weights) / sum(weights)
    return p, p[::-1]


PAD = ((0.5, 0, 0, 0.5), (0, 0.5, 0.5, 0))
"""Joint distributions of the two outputs u and u xor x for the inputs x = 0 and x = 1, where u is a fair coin.

Each output alone is a fair coin for both values of x, but the two outputs together reveal x.
"""


def adaptive(first: ApproxDP, second: ApproxDP):
    """Pair of joint distributions of two steps, where the budget of the second step depends on the first output.

    After two of the four possible first outputs, the second step uses its whole budget; after the other two outputs,
    the second step uses half of its epsilon.
    """
    before = worst_pair(first.epsilon, first.delta)
    after = [worst_pair(second.epsilon / share, second.delta) for share in (1, 2, 1, 2)]
    return tuple(np.concatenate([before[side][u] * after[u][side] for u in range(4)]) for side in (0, 1))


def normal_divergence(alpha, sigma, gap):
    """Rényi divergence of two normal distributions whose means differ by ``gap``, computed as the integral of its
    definition."""
    centre = (1 - alpha) * gap

    def density(x):
        return exp(-(alpha * x * x + (1 - alpha) * (x - gap) * (x - gap)) / (2 * sigma * sigma))

    # outside of 20 standard deviations the density is negligible
    area = integral(density, centre - 20 * sigma, centre + 20 * sigma)
    return log(area / (sigma * sqrt(2 * pi()))) / (alpha - 1)


ROWS = (0.5, -1, 2, 0.25, 1)
"""Five data rows of the normal model; we chose these values."""


def log_normal(x, mean, precision):
    """Log density at x of a normal distribution with a given mean and precision."""
    gap = x - mean
    return (log(number(precision)) - log(2 * pi()) - precision * gap * gap) / 2


def log_posterior(theta, rows):
    """Log density of the posterior in closed form; if there are no rows, log density of the prior."""
    precision = number(len(rows) + 1)
    return log_normal(theta, sum(rows) / precision, precision)


def log_posterior_ratio(proposal, theta, rows):
    """Log ratio of the posterior densities at two parameter values; if there are no rows, log ratio of the prior
    densities."""
    return log_posterior(proposal, rows) - log_posterior(theta, rows)


def log_evidence(rows):
    """Logarithm of the evidence (the integral of prior times likelihood), computed as the sum of the log predictive
    densities of the rows.
    """
    evidence, precision, total = number(0), number(1), number(0)
    for row in rows:
        evidence = evidence + log_normal(row, total / precision, precision / (precision + 1))
        precision, total = precision + 1, total + row
    return evidence


def normal_target(rows) -> Target:
    """Target distribution of a chain for the normal model, built from the log likelihoods of the rows and the log prior
    density."""
    likelihood = RowLikelihood(lambda theta, data: log_normal(data, theta[0], 1), numbers(rows))
    return Target(likelihood, 1, lambda theta: log_normal(theta[:, 0], 0, 1))


def places(*parameters):
    """Convert each parameter value to the state of a single chain."""
    return tuple(numbers([[value]]) for value in parameters)


def chain_ratio(rows, proposal, theta):
    """Log ratio on which a chain for the normal model bases its decision, computed without the evidence."""
    return log_ratio(normal_target(rows), *places(theta, proposal)).total[0]


def likelihood_ratio(rows, proposal, theta):
    """Sum of the log likelihood ratios of the rows, without clipping."""
    here, there = places(theta, proposal)
    return normal_target(rows).likelihood.ratio(here, there, np.array([np.inf])).total[0]


def seen(error):
    """The larger of two numbers: the given error and the rounding error of doubles."""
    return largest([error, number(matrices.ROUNDING)])
