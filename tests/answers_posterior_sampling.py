"""What the answers on posterior sampling state."""

import math

import numpy as np

from dpbi import posterior_sampling as ps

COIN = ps.bernoulli()
EXTREME = ps.weighted([0.05, 0.3, 0.5, 0.7, 0.95], [0.005, 0.33, 0.33, 0.33, 0.005])
APART, PARENT = [[], [], []], [[], [0], [0]]
"""Three nodes without edges, and the first of them as the parent of the others."""


def constant(share):
    """The Lipschitz constant of a Bernoulli parameter."""
    return abs(math.log(share / (1 - share)))


def shares_within(bound):
    """The smallest and the largest share that have at most this constant."""
    return 1 / (1 + math.exp(bound)), math.exp(bound) / (1 + math.exp(bound))


def kept(step, bound):
    """The share of a grid that has at most this constant."""
    grid = [k * step for k in range(1, round(1 / step))]
    return sum(constant(share) <= bound for share in grid) / len(grid)


def posterior_loss(grid):
    """What a draw leaks with one record and equal prior weights, by brute force."""
    one, zero = sum(grid), sum(1 - share for share in grid)
    return max(abs(math.log((share / one) / ((1 - share) / zero))) for share in grid)


def distinguished(draws, delta=0.01):
    """The simpler corrected bound, at the Lipschitz constant 1."""
    return 2 * math.sqrt(math.log(1 / (4 * delta * (1 - delta))) / draws)


def draws_for(distance):
    return next(draws for draws in range(1, 1000) if distinguished(draws) <= distance * (1 + 1e-12))


def mirrored(share):
    """The posteriors of a share and its mirror image, equally likely before, after a no and after a yes."""
    return ps.count_posteriors(ps.uniform([share, 1 - share]), 1)


def between_mirrored(distance, share):
    return float(ps.worst_neighbours(distance, mirrored(share)))


def times_too_large(share):
    """The printed bound on the divergence over the divergence."""
    return 2 * constant(share) / between_mirrored(ps.kullback_leibler, share)


def draw_of_a_network(parents, neighbours, floor=0.2):
    """What one draw costs if no probability is below the floor and all nodes have two states."""
    prior = ps.Tables([np.ones((2,) * (len(each) + 1)) for each in parents], floor=floor)
    return float(ps.cost(ps.network(parents, [2] * len(parents)), prior, 1).loss(neighbours))


def draws_of_a_coin(draws):
    return float(ps.cost(COIN, ps.uniform(ps.bernoulli_grid(0.2)), draws).loss())


def laplace_constants(B=0.1, low=0.5, high=0.9):
    """The constant C of the Laplace likelihood: printed, corrected, and the largest ratio on a grid of records."""
    printed = high / 2 / min(1 / (2 * high), math.exp(-B / low) / (2 * low))
    corrected = high / min(low * math.exp(-low * B), high * math.exp(-high * B))
    prior, family = ps.trimmed_exponential(1.0, low, high), ps.laplace(0.0, B)
    return [printed, corrected, max(ps.likelihood_ratio(family, prior, [x]) for x in np.linspace(0, B, 41))]


def zeros_needed():
    """The first number of zeros after which the smallest share is more likely than not."""
    return next(n for n in range(1, 50) if ps.count_posteriors(EXTREME, n)[0].weights[0] > 0.5)


ANSWERS = {
    "posterior_sampling/assumptions": [
        lambda: [constant(0.95), math.log(20)],
        lambda: [constant(0.6), constant(0.8), kept(0.2, 1)],
    ],
    "posterior_sampling/privacy_of_the_posterior": [
        lambda: [constant(0.8), 2 * constant(0.8)],
        lambda: [posterior_loss([0.2, 0.4, 0.6, 0.8])],
    ],
    "posterior_sampling/robustness": [
        lambda: [constant(0.4), between_mirrored(ps.total_variation, 0.4), math.tanh(constant(0.4) / 2)],
        lambda: [
            between_mirrored(ps.kullback_leibler, 0.4),
            2 * constant(0.4),
            times_too_large(0.4),
            times_too_large(0.49),
        ],
    ],
    "posterior_sampling/random_privacy": [
        lambda: [*shares_within(1), 0.3, 0.7, 9, 19, kept(0.05, 1)],
        lambda: [2, 1, 4, 2],
    ],
    "posterior_sampling/sampling_and_answering": [
        lambda: [draws_of_a_coin(10), draws_of_a_coin(30)],
        lambda: [*shares_within(5 / 2), *shares_within(5 / 20), 27 / 40],
    ],
    "posterior_sampling/what_samples_reveal": [
        lambda: [distinguished(100)],
        lambda: [draws_for(distinguished(100) / 2)],
    ],
    "posterior_sampling/utility_of_a_private_prior": [
        lambda: [zeros_needed()],
        lambda: [math.exp(ps.log_marginal(COIN, EXTREME, [0] * zeros_needed())), 0.01],
    ],
    "posterior_sampling/conjugate_examples": [
        lambda: [ps.worst_neighbours(ps.total_variation, ps.count_posteriors(ps.Beta(1.0, 1.0), 1))],
        laplace_constants,
    ],
    "posterior_sampling/networks_and_chains": [
        lambda: [draw_of_a_network(APART, ps.CELL), draw_of_a_network(APART, ps.RECORD), 2 * math.log(5)],
        lambda: [6 * math.log(5), draw_of_a_network(PARENT, ps.RECORD), draw_of_a_network(PARENT, ps.CELL)],
    ],
}
"""By page and exercise, the numbers of its answer."""
