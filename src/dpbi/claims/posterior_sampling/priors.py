"""The priors of the cases: on a grid of coins, or on a coin and its mirror image."""

from typing import Any

from ...arithmetic import number, remembered
from ...posterior_sampling import bernoulli, bernoulli_grid, exponential_prior, uniform
from ...posterior_sampling.finite import Finite


@remembered
def bernoulli_prior(step: Any, xi: str = "uniform") -> Finite:
    r"""On the grid of a step, or for "ends t" on t and 1 - t; uniform, or proportional to \(e^{-\ell(\theta)}\)."""
    if isinstance(step, str):
        theta = number(step.removeprefix("ends "))
        parameters: Any = [theta, 1 - theta]
    else:
        parameters = bernoulli_grid(step)
    return uniform(parameters) if xi == "uniform" else exponential_prior(bernoulli(), parameters)
