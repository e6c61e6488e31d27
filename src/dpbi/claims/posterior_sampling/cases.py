"""Priors and predicates that several statements share, and the largest difference between the posteriors of
neighbouring datasets."""

from ... import posterior_sampling as ps
from ...arithmetic import less, log, number, remembered

COIN = ps.bernoulli()


def coin(p):
    """Probabilities of the states 0 and 1 of a binary variable, where p is the probability of state 1."""
    return 1 - p, p


@remembered
def bernoulli_prior(step, xi: str = "uniform") -> ps.Finite:
    r"""Prior on a grid of success probabilities or, if the step is "ends t", on the two values t and 1 - t.

    The weights are equal if ``xi`` is "uniform", and proportional to \(e^{-\ell(\theta)}\) if it is "exponential". If
    ``xi`` is "upper w", the larger of two values has the weight w.
    """
    parameters = coin(number(step.removeprefix("ends ")))[::-1] if isinstance(step, str) else ps.bernoulli_grid(step)
    if xi.startswith("upper "):
        return ps.weighted(parameters, coin(number(xi.removeprefix("upper "))))
    return ps.uniform(parameters) if xi == "uniform" else ps.exponential_prior(COIN, parameters)


@remembered
def neighbours(measure, step, xi: str, n):
    """Largest value of a divergence or distance between the posteriors given two neighbouring datasets of n records."""
    return ps.worst_neighbours(measure, ps.count_posteriors(bernoulli_prior(step, xi), int(n)))


def cost(step, N=1, xi: str = "uniform") -> ps.Cost:
    """Privacy cost of N draws from a posterior."""
    return ps.sampling_cost(COIN, bernoulli_prior(step, xi), int(N))


def ones_first(ones, n) -> list[int]:
    """Dataset of n binary records that consists of the given number of ones followed by zeros."""
    return [1] * int(ones) + [0] * int(n - ones)


def leaves_mass(step, level) -> bool:
    r"""Whether the region \(\Theta_L\) has positive prior mass, where ``level`` is \(e^L\)."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step), log(level))))


def reached(step, xi: str, L0) -> bool:
    """Whether some parameter value has a Lipschitz constant of at most L0; otherwise no positive rate is possible."""
    return bool(less(0, ps.lipschitz_mass(COIN, bernoulli_prior(step, xi), L0)))


def reached_and_exceeded(step, xi: str, L0) -> bool:
    """Whether some Lipschitz constants are at most L0 and others are larger; the best rate is then positive and
    finite."""
    return reached(step, xi, L0) and bool(less(L0, ps.lipschitz_bound(COIN, bernoulli_prior(step, xi))))
