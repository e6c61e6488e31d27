r"""The greatest oscillation w between neighbours, which is the sharp bound on the privacy loss of a posterior draw.

For neighbouring datasets x and y, let \(f(\theta) = \ln p_\theta(x) - \ln p_\theta(y)\). The log ratio of the two
posteriors is f minus the constant \(\ln\frac{\phi(x)}{\phi(y)} = \ln\int e^f\,d\xi(\theta \mid y)\), which lies between
the least and the largest value of f. So the values of the log ratio lie in an interval that contains zero and whose
length is the range of f. Let
\[ w = \sup_{x \sim y} \Bigl( \sup_\theta f(\theta) - \inf_\theta f(\theta) \Bigr) , \]
with \(\theta\) in the support of the prior. Then the privacy loss of a draw is at most w. If further records can
concentrate the posterior where f is smallest, the privacy loss can be arbitrarily close to w. Since \(|f| \le L\rho\),
w is at most \(2L\rho\), the bound of Theorem 8 on the privacy loss.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import largest, log, scalar, smallest, sqrt
from ..checks import Numbers


class Oscillation(NamedTuple):
    """Greatest oscillation w between neighbouring datasets, or an upper bound on w.

    Attributes:
        width: The oscillation w, or an upper bound on w.
        exact: Whether ``width`` is w rather than an upper bound.

    >>> from dpbi.posterior_sampling import bernoulli, sampling_cost, uniform
    >>> sampling_cost(bernoulli(), uniform([0.2, 0.5, 0.8]), 1).oscillation().exact
    True
    """

    width: float
    exact: bool


UNKNOWN = Oscillation(math.inf, exact=False)
"""Oscillation if no bound on w below \\(2L\\rho\\) is known; the cost of draws then uses \\(2L\\rho\\)."""


def peak_to_peak(values: Numbers, axis: int | None = None) -> Any:
    """Difference between the largest and the smallest number, along an axis or over the whole array.

    Args:
        values: An array of numbers.
        axis: Axis of the array, or None for the whole array.

    Returns:
        The difference.

    >>> float(peak_to_peak(np.array([0.5, 2.0, 1.0])))
    1.5
    """
    return np.asarray(largest(values, axis) - smallest(values, axis))


def outer_products(length: Any, radius: Any) -> Any:
    r"""Largest nuclear norm of \(uu^\top - vv^\top\), where \(u = x - \mu\) and \(v = y - \mu\), for x, y in a ball.

    Args:
        length: The norm \(m = \|\mu\|\).
        radius: Radius R of the ball around 0, in two or more dimensions.

    Returns:
        The maximum.

    The matrix \(uu^\top - vv^\top\) has at most one positive and at most one negative eigenvalue. The nuclear norm is
    the difference between the two eigenvalues,
    \(\sqrt{(\|u\|^2 + \|v\|^2)^2 - 4 (u^\top v)^2} = \|u - v\|\,\|u + v\| = 4\|h\|\,\|s - \mu\|\), with
    \(s = \frac{x+y}2\) and \(h = \frac{x-y}2\). For x and y in the ball, \(\|h\|^2 \le R^2 - \|s\|^2\), with equality
    for an h that is orthogonal to s. Moreover \(\|s - \mu\| \le \|s\| + m\), with equality if s and \(\mu\) point in
    opposite directions. So the maximum is
    \[ \max_\sigma 4 \sqrt{R^2 - \sigma^2}\,(\sigma + m) , \qquad \sigma = \frac{\sqrt{m^2 + 8R^2} - m}{4} . \]

    >>> round(float(outer_products(0, 1)), 12)
    2.0
    """
    middle = 2 * radius**2 / (sqrt(length**2 + 8 * radius**2) + length)
    return 4 * sqrt(radius**2 - middle**2) * (middle + length)


def log_odds_of_floor(states: int, floor: Any) -> Any:
    r"""Largest log ratio \(\ln\frac{1 - (s-1)\varepsilon}{\varepsilon}\) of two entries of a row with a floor.

    Args:
        states: Number s of states of the row.
        floor: Least allowed entry \(\varepsilon\) of the row.

    Returns:
        The log ratio.

    >>> round(float(log_odds_of_floor(2, 0.1)), 6)
    2.197225
    """
    return scalar(log((1 - (states - 1) * floor) / floor))
