"""Distributions on a list of parameters, with probabilities in doubles, exact fractions or ball arithmetic."""

from __future__ import annotations

import itertools
import math
import reprlib
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from .. import arithmetic, checks
from ..checks import Numbers
from ..divergences import log_probabilities

# chosen: above the rounding errors of Lipschitz constants, so that those of symmetric parameters count as equal
TIE_TOLERANCE = 1e-12
"""Relative difference below which two Lipschitz constants count as equal."""


@dataclass(frozen=True, eq=False)
class Finite:
    """Distribution on a list of parameters, which may be numbers, matrices or tuples of tables.

    The probabilities are given either as ``weights``, which stay rational if they are exact fractions, or as
    ``log_weights``, which do not underflow.

    Attributes:
        parameters: An array of m numbers, or a tuple of m parameters of another kind.
        weights: The m probabilities, normalised to add up to one.
        log_weights: The logarithms of the m probabilities, with minus infinity for a probability of zero.

    >>> law = Finite([0.2, 0.8], weights=[1, 3])
    >>> law
    Finite(parameters=[0.2, 0.8], weights=[0.25, 0.75])
    >>> law.sample(np.random.default_rng(1), 4).tolist()
    [0.8, 0.8, 0.2, 0.8]
    """

    parameters: Any
    weights: Numbers

    def __init__(self, parameters: Any, *, weights: Any = None, log_weights: Any = None) -> None:
        kept = _parameters_given(checks.listed("parameters", parameters))
        checks.need(len(kept), "parameters must have at least one entry, got an empty list")
        one = (log_weights is None) != (weights is None)
        checks.need(one, "one of log_weights and weights must be given, got both or neither")
        object.__setattr__(self, "parameters", kept)
        if weights is None:
            object.__setattr__(self, "log_weights", _normalised_logarithms(log_weights, len(kept)))
            object.__setattr__(self, "weights", arithmetic.exp(self.log_weights))
        else:
            object.__setattr__(self, "weights", _normalised(weights, len(kept)))

    def __repr__(self) -> str:
        parameters = self.parameters.tolist() if isinstance(self.parameters, np.ndarray) else self.parameters
        return f"Finite(parameters={reprlib.repr(parameters)}, weights={reprlib.repr(self.weights.tolist())})"

    @cached_property
    def log_weights(self) -> Numbers:
        """Logarithms of the weights, with minus infinity for a weight of zero."""
        logs: Numbers = log_probabilities(self.weights)
        return logs

    @cached_property
    def support(self) -> Any:
        """Mask of the parameters with positive probability, even if the probability is too small for a double."""
        if "log_weights" in self.__dict__:
            return arithmetic.approximate(self.log_weights) > -math.inf
        return arithmetic.less(0, self.weights)

    @property
    def held(self) -> Any:
        """Parameters with positive probability."""
        if isinstance(self.parameters, np.ndarray):
            return self.parameters[self.support]
        return [theta for theta, positive in zip(self.parameters, self.support, strict=True) if positive]

    def sample(self, rng: np.random.Generator, size: int = 1) -> Any:
        """Independent draws of parameters from the distribution.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            The draws, as an array if the parameters are numbers and as a list otherwise.
        """
        shares = arithmetic.approximate(self.weights / self.weights.sum())
        chosen = checks.generator(rng).choice(len(shares), checks.whole("size", size, least=0), p=shares)
        return (
            self.parameters[chosen] if isinstance(self.parameters, np.ndarray) else [self.parameters[i] for i in chosen]
        )


def uniform(parameters: Any) -> Finite:
    """Uniform distribution on a list of parameters.

    >>> uniform([0.2, 0.4, 0.6, 0.8]).weights.tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    return Finite(parameters, weights=np.ones(len(checks.listed("parameters", parameters))))


def weighted(parameters: Any, weights: Any) -> Finite:
    """Distribution on a list of parameters with probabilities proportional to given weights.

    Args:
        parameters: A list of m parameters.
        weights: A list of m finite numbers >= 0, not all zero.

    Returns:
        A ``Finite`` law.

    >>> weighted(["rain", "sun"], [1, 3]).weights
    array([0.25, 0.75])
    """
    return Finite(parameters, weights=weights)


def joint(*laws: Finite) -> Finite:
    """Joint distribution of independent draws, one from each given law, on tuples of parameters.

    >>> joint(*[weighted([0.2, 0.8], [1, 3])] * 2).weights
    array([0.0625, 0.1875, 0.1875, 0.5625])
    """
    checks.need(laws, "laws must have at least one entry, got none")
    checks.need(all(isinstance(law, Finite) for law in laws), f"laws must be Finite laws, got {checks.brief(laws)}")
    drawn = list(itertools.product(*(law.parameters for law in laws)))
    if arithmetic.in_doubles():
        return Finite(drawn, log_weights=reduce(np.add.outer, [law.log_weights for law in laws]).ravel())
    return Finite(drawn, weights=reduce(np.multiply.outer, [law.weights for law in laws]).ravel())


def bernoulli_grid(step: float) -> Numbers:
    r"""Grid of Example 1: the multiples of a step that are strictly between 0 and 1.

    >>> bernoulli_grid(0.2)
    array([0.2, 0.4, 0.6, 0.8])
    """
    width = checks.real("step", step, least=1e-7, below=1)
    parts = round(float(1 / width))
    # if the step divides 1, the grid is computed as k / parts, so that it is symmetric and has no point at 1
    if math.isclose(float(parts * width), 1, rel_tol=TIE_TOLERANCE):
        return np.asarray(arithmetic.numbers(np.arange(1, parts)) / arithmetic.number(parts))
    return np.asarray(width * arithmetic.numbers(np.arange(1, math.floor(float(1 / width)) + 1)))


def _parameters_given(parameters: Any) -> Any:
    """Check parameters, and return an array if all of them are numbers and a tuple otherwise."""
    if isinstance(parameters, np.ndarray) and parameters.ndim == 1 and parameters.dtype == object:
        return parameters  # balls, from the parameters of another law
    plain = int | float | np.integer | np.floating
    if all(isinstance(entry, plain) or arithmetic.is_exact(entry) for entry in parameters):
        found = checks.given("parameters", parameters)
        right = not np.isnan(arithmetic.approximate(found)).any()
        checks.need(right, "parameters must be numbers other than nan, got nan")
        return found
    return tuple(parameters)


def _normalised_logarithms(values: Any, count: int) -> Numbers:
    """Check log weights, and return the logarithms of weights that add up to one."""
    logs = checks.given("log_weights", values)
    nearest = arithmetic.approximate(logs)
    if logs.shape != (count,) or not (nearest < np.inf).all():
        raise ValueError(f"log_weights must be {count} numbers below infinity, got {checks.brief(values)}")
    checks.need(
        (nearest > -np.inf).any(), "log_weights must leave some parameter a positive probability, got zero mass"
    )
    return np.asarray(logs - arithmetic.log_sum_exp(logs))


def _normalised(values: Any, count: int) -> Numbers:
    """Check weights, and return weights that add up to one."""
    weights = checks.given("weights", values)
    nearest = arithmetic.approximate(weights)
    good = weights.shape == (count,) and ((nearest >= 0) & np.isfinite(nearest)).all()
    allowed = f"numbers >= 0, one for each of {count} parameters"
    checks.need(good, f"weights must be {allowed}, got {checks.brief(values)}")
    possible = arithmetic.less(0, weights).any()  # compared exactly, since positive rationals can round to 0.0
    checks.need(possible, "weights must leave some parameter a positive probability, got zero mass")
    return np.asarray(weights / weights.sum())
