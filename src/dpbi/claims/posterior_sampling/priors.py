"""The priors of the cases: on a grid of coins, or on a coin and its mirror image."""

from typing import Any

from ...arithmetic import number, remembered
from ...posterior_sampling import bernoulli, bernoulli_grid, exponential_prior, uniform, weighted
from ...posterior_sampling.finite import Finite


@remembered
def bernoulli_prior(step: Any, xi: str = "uniform") -> Finite:
    r"""On the grid of a step, or for "ends t" on t and 1 - t; uniform, proportional to \(e^{-\ell(\theta)}\), or for "upper w"
    with the weight w on the larger of the two.
    """
    if isinstance(step, str):
        theta = number(step.removeprefix("ends "))
        parameters: Any = [theta, 1 - theta]
    else:
        parameters = bernoulli_grid(step)
    if xi.startswith("upper "):
        upper = number(xi.removeprefix("upper "))
        return weighted(parameters, [1 - upper, upper])
    return uniform(parameters) if xi == "uniform" else exponential_prior(bernoulli(), parameters)
