r"""Pairs of laws that the statements of Section 2.1 are about: at a dataset and at its neighbour."""

import numpy as np

from ...arithmetic import exp, integral, log, numbers, pi, sqrt
from ...guarantees import ApproxDP, log_probabilities, renyi_divergence, worst_pair


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
