"""What the answers on private chains state."""

import math

import numpy as np
from scipy.stats import norm

import dpbi
from dpbi.mcmc import acceptance, exact

BEFORE_OR_AFTER = [[5, -1, -1, -1], [5, -5, 1, 1]]
"""Log ratios of four rows, to be clipped at 2."""
RING = np.roll(np.eye(3), 1, axis=1)
"""A chain on three states that always moves to the next one."""
UNIFORM = np.full(3, 1 / 3)


def metropolis(ratio):
    return float(acceptance.metropolis_acceptance(np.array(float(ratio)), np.array(0.0)))


def barker(ratio):
    return float(acceptance.barker_acceptance(np.array(ratio), np.array(0.0)))


def penalty(noise):
    """How often the penalty algorithm accepts a proposal that is as probable as the present state."""
    return float(acceptance.penalty_acceptance(np.array(0.0), np.array(noise)))


def needed(C, t):
    """The characteristic function that would complete normal noise of variance C to a logistic number."""
    return math.pi * t / math.sinh(math.pi * t) * math.exp(C * t**2 / 2)


def clipped_sum(ratios):
    return int(np.clip(ratios, -2, 2).sum())


def share_clipped(ratios):
    return 100 * np.mean(np.abs(ratios) > 2)


def step_cost(tau, rows):
    """The rho of normal noise whose standard deviation is tau roots of n sensitivities."""
    return dpbi.gaussian_mechanism(1, tau * math.sqrt(rows)).rho


def steps(tau, rows, epsilon, delta):
    return dpbi.uses_within(dpbi.GaussianDP(step_cost(tau, rows)), dpbi.ApproxDP(epsilon, delta))


def beyond(rho, epsilon):
    """The delta of normal noise, from its closed form."""
    return (
        math.erfc((epsilon - rho) / (2 * math.sqrt(rho)))
        - math.exp(epsilon) * math.erfc((epsilon + rho) / (2 * math.sqrt(rho)))
    ) / 2


def on_a_batch():
    inner = math.log(1 + (math.exp(0.1) - 1) / 0.1)
    return [inner, beyond(0.5, inner), 0.1 * beyond(0.5, inner), beyond(0.5, 0.1)]


def regression_noise(tau):
    """On the tempered log ratio of a step of length 0.2, with four coefficients."""
    return 0.1 * tau * math.sqrt(6366) * 2 * math.sqrt(4) * 0.2


def regression_steps(tau):
    """As many as 296 steps at tau 0.3 cost; the whole budget may have room for a few more."""
    return 296 * step_cost(0.3, 6366) / step_cost(tau, 6366)


def counted_once_more(rows, total):
    """Mean and variance where Algorithm 1 settles as printed: every row brings the prior along once more."""
    return total / (2 * rows + 1), 1 / (2 * rows + 1)


def standard_errors_apart():
    """The published median, that on other rows, and what chains alone would make of their difference."""
    one = 1.25 * (0.422 - 0.278) / (1.349 * math.sqrt(20))
    return [one, math.sqrt(2) * one, (0.451 - 0.367) / (math.sqrt(2) * one)]


def accidents():
    """How probable it is that other chains accept the published share to within 0.001."""
    deviation = math.sqrt(0.357 * 0.643 / (20 * 56))
    near = 2 * norm.cdf(0.001 / deviation) - 1
    return [deviation, 100 * near, 100 * near**2]


def around(clip):
    """The sum of one row's clipped log ratios from 0 to 1, to 2, and back to 0."""
    grid = exact.Grid(np.arange(3.0), np.array([[0.0, 3.0, 2.0]]), np.zeros(3))
    ratio = grid.clipped_ratio(clip)
    return ratio[0, 1] + ratio[1, 2] + ratio[2, 0]


def half_of_squares(ratios):
    return float(np.sum((np.array(ratios) - np.mean(ratios)) ** 2) / 2)


ANSWERS = {
    "private_mcmc/three_currencies": [
        lambda: [0.35 + 2 * math.sqrt(0.35 * math.log(1e6))],
        lambda: [0.3 * math.tanh(0.15), 0.35 // (0.3 * math.tanh(0.15))],
    ],
    "private_mcmc/gaussian_mechanism": [lambda: [1033 / (2 * 22**2)], lambda: [math.sqrt(100 / (2 * 0.5))]],
    "private_mcmc/metropolis_hastings": [
        lambda: [1 / 2, *counted_once_more(1, 1)],
        lambda: [
            100 / 101,
            counted_once_more(100, 100)[0],
            (100 / 101 - counted_once_more(100, 100)[0]) * math.sqrt(101),
        ],
    ],
    "private_mcmc/penalty_on_a_grid": [lambda: [penalty(1.0), penalty(2.0)], lambda: [3, 2, 4]],
    "private_mcmc/variations": [
        lambda: [half_of_squares([1, 1, 1, -1]), 2 * 3 / 4, 3 * 3 / 4],
        lambda: [exact.balance_error(RING, UNIFORM)],
    ],
    "private_mcmc/barker_and_gauss_bernoulli": [
        lambda: [*map(barker, (math.log(3), -math.log(3))), metropolis(-math.log(3)), 3],
        lambda: [needed(1, 2 * math.pi)],
    ],
    "private_mcmc/experiments": [
        lambda: [step_cost(0.1, 100_000), steps(0.2, 100_000, 1, 1e-6), *on_a_batch()],
        lambda: [
            *[math.sqrt(10), 1 / math.sqrt(2 * 1e-5 * 100_000), 1 / (2 * math.sqrt(10) * math.sqrt(2))],
            *[10 / 0.657**2, 45_000 / (10 / 0.657**2)],
        ],
    ],
    "private_mcmc/published_chains": [standard_errors_apart, accidents],
    "private_mcmc/clipping_study": [
        lambda: [metropolis(clipped_sum(BEFORE_OR_AFTER[0])), *map(share_clipped, BEFORE_OR_AFTER)],
        lambda: [0.01 + 0.01, 0.01 - 0.01, math.hypot(0.01, 0.01)],
    ],
    "private_mcmc/logistic_regression": [
        lambda: [regression_noise(0.3), penalty(regression_noise(0.3))],
        lambda: [
            regression_steps(0.6),
            penalty(regression_noise(0.6)),
            round(regression_steps(0.6) * penalty(regression_noise(0.6))),
            round(296 * penalty(regression_noise(0.3))),
        ],
    ],
}
"""By page and exercise, the numbers of its answer."""
