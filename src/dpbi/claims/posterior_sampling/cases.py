"""Priors and cases that several statements share, and the largest value of a measure between neighbours."""

from ... import posterior_sampling as ps
from ...arithmetic import less, log, number, numbers, remembered
from ...posterior_sampling.finite import Finite

COIN = ps.bernoulli()


@remembered
def bernoulli_prior(step, xi: str = "uniform") -> Finite:
    r"""A prior on the coins of a grid, or for the step "ends t" on the coins t and 1 - t.

    It is uniform, or proportional to \(e^{-\ell(\theta)}\), or "upper w" with the weight w on the larger of two coins.
    """
    if isinstance(step, str):
        theta = number(step.removeprefix("ends "))
        parameters = numbers([theta, 1 - theta])
    else:
        parameters = ps.bernoulli_grid(step)
    if xi.startswith("upper "):
        upper = number(xi.removeprefix("upper "))
        return ps.weighted(parameters, [1 - upper, upper])
    return ps.uniform(parameters) if xi == "uniform" else ps.exponential_prior(COIN, parameters)


@remembered
def neighbours(measure, step, xi: str, n):
    """The largest measure between the posteriors of datasets of n records that differ in one."""
    return ps.worst_neighbours(measure, ps.count_posteriors(bernoulli_prior(step, xi), int(n)))


def ones_first(ones, n) -> list[int]:
    """A dataset of n records that begins with the given number of ones; the others are zeros."""
    return [1] * int(ones) + [0] * int(n - ones)


def leaves_mass(step, level) -> bool:
    r"""Whether \(\Theta_L\) has prior mass, where the level is \(e^L\)."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step), log(level))))


def reached(step, xi: str, L0) -> bool:
    """Whether some parameter has a constant of at most L0, without which no rate is positive."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step, xi), L0)))


def reached_and_exceeded(step, xi: str, L0) -> bool:
    """Whether some constants are at most L0 and some above it, so that the best rate is positive and finite."""
    return reached(step, xi, L0) and bool(less(L0, ps.lipschitz_bound(COIN, bernoulli_prior(step, xi))))
