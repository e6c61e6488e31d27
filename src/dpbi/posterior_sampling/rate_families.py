r"""Exponential, Laplace and normal families with one positive parameter, which is a rate or a precision.

In all of these families, the Lipschitz constant is a multiple of the parameter, and the conjugate laws are ``Gamma``
laws. The density of a record x is \((\theta/s)^a e^{-\theta t(x)}\), where a and t(x) are the amounts that the record
adds to the shape and to the rate of the posterior. Between neighbouring datasets, \(\ln p_\theta\) differs by
\(\theta\,(t(y) - t(x))\). So the oscillation w is exactly the range of \(\theta\) over the support, multiplied by the
range of t over the possible records.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arithmetic import approximate, largest, less, log, maximum, minimum, number, pi, scalar
from ..checks import Numbers, brief, given, need, real
from .families import RECORD, Family, spread, truncated_to
from .family_checks import checked_pair, positive, positive_bound
from .interval_laws import Gamma
from .oscillations import Oscillation


def exponential(bound: float = math.inf) -> Family:
    r"""Family of exponential densities \(\theta e^{-\theta x}\) for records in [0, bound], with
    \(\rho = \sum|x_i - y_i|\).

    The Lipschitz constant is the parameter itself (Lemma 19). For parameters in \([c_1, c_2]\) and records of at most
    B, the oscillation is \(w = B (c_2 - c_1)\).

    >>> exponential(2.0).lipschitz([0.5, 3.0]).tolist()
    [0.5, 3.0]
    """
    B = positive_bound(bound)
    return _rate_family(
        name="exponential",
        metric="sum of |x - y|",
        reach={RECORD: B},
        low=0,
        high=B,
        statistic=lambda x: x,
        statistic_range=lambda: B,
    )


def laplace(location: float = 0.0, bound: float = math.inf) -> Family:
    r"""Family of Laplace densities \(\frac\theta2 e^{-\theta|x-\mu|}\), with \(\rho = \sum|x_i - y_i|\) (Lemma 20).

    The parameter \(\theta\) is the inverse scale. Its Lipschitz constant is \(\theta\) itself and is attained by two
    records on the same side of the location. The distance of a record from the location has a range of length
    \(\min(B + |\mu|, 2B)\).

    Args:
        location: The known location \(\mu\).
        bound: Bound B on the absolute value of a record; infinity means no bound.

    Returns:
        A family conjugate to ``Gamma``.

    >>> laplace(0.0, bound=1.0).distance([0.5, -0.5], [0.5, 0.25])
    0.75
    """
    mu, B = real("location", location), positive_bound(bound)
    return _rate_family(
        name="laplace",
        metric="sum of |x - y|",
        reach={RECORD: 2 * B},
        low=-B,
        high=B,
        scale=2,
        statistic=lambda x: abs(x - mu),
        statistic_range=lambda: minimum(B + abs(mu), 2 * B),
    )


def normal_precision(mean: float = 0.0, bound: float = math.inf) -> Family:
    r"""Normal family with a known mean and the precision as parameter (Lemma 22).

    Records are distributed as \(N(\mu, 1/\theta)\), and \(\rho = \sum|x_i^2 - y_i^2| + 2|x_i - y_i|\).

    With \(s = x + y\), the ratio of \(|(x-\mu)^2 - (y-\mu)^2|\) to \(\rho\) is \(|s - 2\mu| / (|s| + 2)\), which is
    largest at \(s = 0\) or \(|s| = 2B\). Hence
    \[ \ell(\theta) = \frac\theta2 \max\Bigl(|\mu|, \frac{B + |\mu|}{B + 1}\Bigr) \le \frac\theta2 \max(|\mu|, 1) . \]

    Args:
        mean: The known mean \(\mu\).
        bound: Bound B on the absolute value of a record; infinity means no bound.

    Returns:
        A family conjugate to ``Gamma``.

    >>> normal_precision(0.0, bound=1.0).distance([1.0], [0.5])  # 3/4 between the squares, plus twice 1/2
    1.75
    """
    mu, B = real("mean", mean), positive_bound(bound)
    far = (B + abs(mu)) / (B + 1) if math.inf != B else number(1)
    return _rate_family(
        name="normal_precision",
        metric="sum of |x^2 - y^2| + 2|x - y|",
        reach={RECORD: line_reach(B)},
        low=-B,
        high=B,
        gap=lambda x, y: abs(x * x - y * y) + 2 * abs(x - y),
        constant=scalar(largest([abs(mu), far]) / 2),
        shape=number("1/2"),
        scale=2 * pi(),
        statistic=lambda x: (x - mu) ** 2 / 2,
        statistic_range=lambda: ((abs(mu) + B) ** 2 - maximum(abs(mu) - B, 0) ** 2) / 2,
    )


def line_reach(bound: Any) -> Any:
    r"""Largest distance \(|x^2 - y^2| + 2|x - y|\) on [-B, B]: \(4B\) if \(B < 1\), and \((B + 1)^2\) otherwise.

    >>> line_reach(1.0), line_reach(0.5)
    (4.0, 2.0)
    """
    return 4 * bound if less(bound, 1) else (bound + 1) ** 2


def _rate_family(
    *,
    low: Any,
    high: Any,
    statistic: Callable[[Numbers], Numbers],
    statistic_range: Callable[[], Any],
    gap: Callable[[Numbers, Numbers], Numbers] = lambda x, y: abs(x - y),
    constant: Any = 1,
    shape: Any = 1,
    scale: Any = 1,
    **rules: Any,
) -> Family:
    r"""Family conjugate to ``Gamma`` whose Lipschitz constant is \(\ell(\theta) = \mathrm{constant}\cdot\theta\)."""

    def data(x: Any) -> Numbers:
        values, ends = given("data", x), f"[{float(low):g}, {float(high):g}]"
        need(values.ndim == 1, f"data must be one list of numbers, got shape {values.shape}")
        nearest = approximate(values)
        good = np.isfinite(nearest) & ~less(values, number(low)) & ~less(number(high), values)
        first = int(np.argmin(np.append(good, False)))
        need(good.all(), f"data must be in {ends}, got {brief(nearest[first : first + 1])} at position {first}")
        return values

    def log_density(theta: Numbers, x: Numbers) -> Numbers:
        return np.asarray(shape * len(x) * log(theta / scale) - theta * statistic(x).sum())

    def update(prior: Gamma, x: Numbers) -> Gamma:
        return replace(prior, shape=prior.shape + shape * len(x), rate=prior.rate + scalar(statistic(x).sum()))

    return Family(
        data=data,
        parameters=positive,
        log_density=log_density,
        distance=lambda x, y: scalar(gap(*checked_pair(data, x, y)).sum()),
        constant=lambda theta: constant * theta,
        conjugate=Gamma,
        update=update,
        within=lambda prior, L: truncated_to(prior, 0, L / constant, L),
        largest=lambda prior: constant * prior.high,
        oscillation=lambda prior, neighbours: Oscillation(
            scalar(statistic_range() * spread(prior, positive)), exact=True
        ),
        **rules,
    )
