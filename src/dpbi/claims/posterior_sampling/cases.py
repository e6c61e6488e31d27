"""The cases that several theorems share, and what is largest between neighbours there."""

from collections.abc import Callable
from typing import Any

from ...arithmetic import remembered
from ...posterior_sampling import count_posteriors, worst_neighbours
from ...posterior_sampling.finite import Finite
from ..claim import grid
from .priors import bernoulli_prior

SMALL = grid(step=[0.2, 0.05], xi=["uniform", "exponential"], n=[1, 2, 10])
LARGE = [*SMALL, {"step": 0.2, "xi": "uniform", "n": 50}]
SPREAD = [*SMALL, {"step": 0.05, "xi": "uniform", "n": 20}]


def with_level(cases: list[dict[str, Any]], *levels: float) -> list[dict[str, Any]]:
    """The cases at each L0."""
    return [{**case, "L0": L0} for case in cases for L0 in levels]


@remembered
def posteriors(step: Any, xi: str, n: Any) -> list[Any]:
    """The posterior for each number of ones among n records."""
    return count_posteriors(bernoulli_prior(step, xi), int(n))


@remembered
def neighbours(measure: Callable[[Finite, Finite], Any], step: Any, xi: str, n: Any) -> Any:
    """The largest measure between the posteriors of datasets of n records that differ in one."""
    return worst_neighbours(measure, posteriors(step, xi, n))
