"""Priors and predicates shared by several statements, and the largest value of a measure between neighbours."""

from ... import posterior_sampling as ps
from ...arithmetic import less, log, number, numbers, remembered
from ...posterior_sampling.finite import Finite

COIN = ps.bernoulli()


@remembered
def bernoulli_prior(step, xi: str = "uniform") -> Finite:
    r"""Prior on a grid of success probabilities, or on t and 1 - t if the step is "ends t".

    The weights are equal for "uniform" and proportional to \(e^{-\ell(\theta)}\) for "exponential"; "upper w" puts the
    weight w on the larger of two parameters.
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
    """Largest value of a measure between the posteriors of two neighbouring datasets of n records."""
    return ps.worst_neighbours(measure, ps.count_posteriors(bernoulli_prior(step, xi), int(n)))


def ones_first(ones, n) -> list[int]:
    """Dataset of n binary records: the given number of ones, followed by zeros."""
    return [1] * int(ones) + [0] * int(n - ones)


def leaves_mass(step, level) -> bool:
    r"""Whether the region \(\Theta_L\) of the level \(e^L\) has positive prior mass."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step), log(level))))


def reached(step, xi: str, L0) -> bool:
    """Whether some parameter has a Lipschitz constant of at most L0; otherwise no positive rate is possible."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step, xi), L0)))


def reached_and_exceeded(step, xi: str, L0) -> bool:
    """Whether some Lipschitz constants are at most L0 and others are not; then the best rate is positive and finite."""
    return reached(step, xi, L0) and bool(less(L0, ps.lipschitz_bound(COIN, bernoulli_prior(step, xi))))
