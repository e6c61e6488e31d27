r"""The greatest oscillation w between neighbours: the exact privacy loss that a draw from a posterior can cost.

For neighbouring datasets x and y let \(f(\theta) = \ln p_\theta(x) - \ln p_\theta(y)\). The log ratio of the two
posteriors is f less the constant \(\ln\frac{\phi(x)}{\phi(y)} = \ln\int e^f\,d\xi(\theta \mid y)\), which lies between
the least and the largest f: it ranges over an interval that contains zero and is as long as that of f. So with
\[ w = \sup_{x \sim y} \Bigl( \sup_\theta f(\theta) - \inf_\theta f(\theta) \Bigr) , \]
\(\theta\) in the support of the prior, no draw loses more than w, and wherever other records can leave the parameter at
the least f, the loss comes as near to w as one likes. Since \(|f| \le L\rho\), w is at most \(2L\rho\), the width that
Theorem 8 charges.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import largest, log, maximum, number, scalar, smallest, sqrt
from ..checks import Numbers


class Oscillation(NamedTuple):
    """The greatest oscillation w between neighbours, or an upper bound on it.

    Attributes:
        width: w, or the bound.
        exact: Whether ``width`` is w itself.

    >>> from dpbi.posterior_sampling import bernoulli, sampling_cost, uniform
    >>> sampling_cost(bernoulli(), uniform([0.2, 0.5, 0.8]), 1).oscillation().exact
    True
    """

    width: float
    exact: bool


UNKNOWN = Oscillation(math.inf, exact=False)
"""No bound of its own: the cost of draws then takes \\(2L\\rho\\), which is at least w."""


def peak_to_peak(values: Numbers, axis: int | None = None) -> Any:
    """Largest number minus smallest, along an axis or of the whole array.

    Args:
        values: Numbers in an array.
        axis: Axis of the array; None for all numbers.

    Returns:
        The difference.

    >>> float(peak_to_peak(np.array([0.5, 2.0, 1.0])))
    1.5
    """
    return np.asarray(largest(values, axis) - smallest(values, axis))


def distances(centre: Any, bound: Any) -> tuple[Any, Any]:
    r"""Least and largest distance \(|x - \mu|\) of a centre from the points \(|x| \le B\).

    Args:
        centre: The centre \(\mu\).
        bound: Bound B on the points.

    Returns:
        Both distances.

    >>> [float(end) for end in distances(-3, 1)], [float(end) for end in distances(0.5, 1)]
    ([2.0, 4.0], [0.0, 1.5])
    """
    return maximum(abs(centre) - bound, number(0)), abs(centre) + bound


def squares(centre: Any, bound: Any) -> Any:
    r"""Largest minus smallest \((x - \mu)^2\) over \(|x| \le B\).

    Args:
        centre: The centre \(\mu\).
        bound: Bound B on the points.

    Returns:
        The difference.

    >>> float(squares(-3, 1)), float(squares(0.5, 1))
    (12.0, 2.25)
    """
    nearest, farthest = distances(centre, bound)
    return farthest**2 - nearest**2


def outer_products(length: Any, radius: Any, d: int) -> Any:
    r"""Largest nuclear norm of \(uu^\top - vv^\top\), \(u = x - \mu\) and \(v = y - \mu\), for x and y in a ball.

    Args:
        length: The norm \(m = \|\mu\|\).
        radius: Radius R of the ball around 0.
        d: Dimension.

    Returns:
        The maximum.

    The matrix has at most one positive and one negative eigenvalue. Their distance, which is the nuclear norm, is
    \(\sqrt{(\|u\|^2 + \|v\|^2)^2 - 4 (u^\top v)^2} = \|u - v\|\,\|u + v\| = 4\|h\|\,\|s - \mu\|\), with
    \(s = \frac{x+y}2\) and \(h = \frac{x-y}2\). In the ball \(\|h\|^2 \le R^2 - \|s\|^2\), attained at a right angle to
    s, which needs \(d \ge 2\); and \(\|s - \mu\| \le \|s\| + m\). So it is
    \[ \max_\sigma 4 \sqrt{R^2 - \sigma^2}\,(\sigma + m) , \qquad \sigma = \frac{\sqrt{m^2 + 8R^2} - m}{4} . \]
    In one dimension it is the range of the squares.

    >>> float(outer_products(0, 1, 1)), round(float(outer_products(0, 1, 2)), 12)
    (1.0, 2.0)
    """
    if d == 1:
        return squares(length, radius)
    middle = 2 * radius**2 / (sqrt(length**2 + 8 * radius**2) + length)
    return 4 * sqrt(radius**2 - middle**2) * (middle + length)


def log_odds_of_floor(states: int, floor: Any) -> Any:
    r"""Largest log ratio of two entries of a floored row, \(\ln\frac{1 - (s-1)\varepsilon}{\varepsilon}\), s states.

    Args:
        states: Number s of states.
        floor: Smallest entry \(\varepsilon\) of a row.

    Returns:
        The log ratio.

    >>> round(float(log_odds_of_floor(2, 0.1)), 6)
    2.197225
    """
    return scalar(log((1 - (states - 1) * floor) / floor))
