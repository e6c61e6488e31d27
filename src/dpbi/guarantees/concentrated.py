"""Zero-concentrated and Rényi differential privacy: bounds on the moments of the privacy loss."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import exp, less, log, log1p, maximum, number, root, scalar, smallest, sqrt
from .worst_case import implied_delta, implied_epsilon

# chosen: four orders and their values fit on one line
MAX_SHOWN_ORDERS = 4
"""Largest number of orders for which the repr of an ``RDP`` shows every order and value."""


@dataclass(frozen=True)
class ZCDP(checks.Checked):
    r"""\(\rho\)-zero-concentrated privacy: \(D_\alpha(M(x) \| M(x')) \le \rho \alpha\) for every order \(\alpha > 1\).

    See Definition 1.1 of Bun and Steinke 2016. The methods ``epsilon_at`` and ``delta_at`` use the improved conversion
    (see ``RDP``) at the best order.

    >>> budget = ZCDP(0.35)
    >>> round(budget.classic_epsilon_at(1e-6), 5), round(budget.epsilon_at(1e-6), 5), budget.repeat(2)
    (4.74792, 4.27236, ZCDP(rho=0.7))
    """

    rho: Any = field(metadata={"least": 0})

    def delta_at(self, epsilon: Any) -> Any:
        """Smallest delta that the improved conversion gives at a given epsilon."""
        return scalar(exp(self.log_delta_at(epsilon)))

    def log_delta_at(self, epsilon: Any) -> Any:
        r"""Logarithm of ``delta_at(epsilon)``, computed at the exact best order.

        The logarithm of the improved conversion (see ``RDP``) is a convex function of \(u = \alpha - 1\). It is
        smallest where \((2u + 1)\rho - \ln(1 + 1/u) = \varepsilon\), and the minimum is \(\ln \delta = -u^2 \rho -
        \ln(1 + u)\).
        """
        e = checks.real("epsilon", epsilon, least=0)
        if self.rho == 0:
            return number(-math.inf)
        # The left side increases in v = ln u. At ``low`` it is below epsilon, because u <= 1 and -ln(1 + 1/u) <= v. At
        # ``high`` it is above epsilon, because ln(1 + 1/u) <= 1/u <= sqrt(2 rho).
        high = scalar(log(e / (2 * self.rho) + 1 / sqrt(2 * self.rho)))
        if high == math.inf:  # epsilon is so large that the best order overflows in doubles
            return number(-math.inf)
        low = min(float(e - 3 * self.rho - 1), float(high - 1), 0.0)
        v = root(lambda v: (2 * exp(v) + 1) * self.rho - log_one_plus_exp(-v) - e, low, float(high) + 1e-9)
        u = exp(v)
        return scalar(-u * u * self.rho - log1p(u))

    def epsilon_at(self, delta: Any) -> Any:
        """Smallest epsilon that the improved conversion gives at a given delta."""
        level = log_or_infinite(checks.real("delta", delta, least=0, most=1))
        if self.rho == 0 or level == 0:
            return number(0.0)
        if level == -math.inf:
            return number(math.inf)
        # at the best order ln delta = -u^2 rho - ln(1 + u), as in ``log_delta_at``
        u = root(lambda u: u * u * self.rho + log1p(u) + level, 0.0, math.sqrt(-float(level / self.rho)))
        return scalar(maximum(0, (2 * u + 1) * self.rho - log1p(1 / u))) if less(0, u) else number(0.0)

    def classic_epsilon_at(self, delta: Any) -> Any:
        r"""Epsilon from the simpler conversion \(\rho + 2 \sqrt{\rho \ln(1/\delta)}\), which is >= ``epsilon_at``.

        This conversion is Proposition 1.3 of Bun and Steinke 2016.
        """
        level = log_or_infinite(checks.real("delta", delta, least=0, most=1))
        return scalar(self.rho + 2 * sqrt(-self.rho * level)) if self.rho != 0 else number(0.0)

    def rdp(self, order: Any) -> "RDP":
        r"""Rényi guarantee \((\alpha, \alpha \rho)\) at one or several orders."""
        orders = read_orders(order)
        return RDP(orders, [alpha * self.rho if self.rho != 0 else number(0.0) for alpha in orders])

    def repeat(self, count: int) -> "ZCDP":
        """Guarantee of ``count`` adaptive uses, whose rhos add up."""
        return ZCDP(checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL) * self.rho)


@dataclass(frozen=True, repr=False)
class RDP:
    r"""Rényi differential privacy: an upper bound on \(D_\alpha(M(x) \| M(x'))\) at each of several orders \(\alpha\).

    See Definition 4 of Mironov 2017. A bound \(\tau\) at order \(\alpha\) implies, at every \(\varepsilon \ge 0\)
    (Canonne, Kamath and Steinke 2020, Prop. 12),

    \[ \delta = \frac{e^{(\alpha - 1)(\tau - \varepsilon)}}{\alpha - 1}\Bigl(1 - \frac1\alpha\Bigr)^{\alpha} . \]

    The guarantee implies the smallest delta over the listed orders. A bound at an infinite order means pure
    differential privacy, and an infinite bound guarantees nothing.

    Attributes:
        orders: The orders \(\alpha\), each > 1.
        values: The bounds \(\tau\) on the divergences at these orders, each >= 0.

    >>> promise = RDP([2, 8], [0.2, 0.8])
    >>> promise.repeat(2)
    RDP(orders=(2.0, 8.0), values=(0.4, 1.6))
    >>> round(promise.epsilon_at(1e-5), 6)
    2.014109
    >>> RDP(range(2, 65), [0.1] * 63)
    <RDP at 63 orders, 2.0 ... 64.0>
    """

    orders: tuple[Any, ...]
    values: tuple[Any, ...]

    def __init__(self, orders: Any, values: Any) -> None:
        object.__setattr__(self, "orders", read_orders(orders))
        object.__setattr__(self, "values", _read_values(values, len(self.orders)))

    def __repr__(self) -> str:
        if len(self.orders) > MAX_SHOWN_ORDERS:
            return f"<RDP at {len(self.orders)} orders, {self.orders[0]} ... {self.orders[-1]}>"
        return f"RDP(orders={self.orders}, values={self.values})"

    def __float__(self) -> float:
        """The bound of a guarantee that has a single order.

        >>> float(RDP(2.0, 0.5))
        0.5
        """
        if len(self.values) != 1:
            raise TypeError(f"orders must be one order for a single number, got {len(self.orders)} orders")
        return float(self.values[0])

    def delta_at(self, epsilon: Any) -> Any:
        r"""Delta at a given epsilon, which is the smallest value of the formula in ``RDP`` at the listed orders.

        This value is an upper bound on the smallest delta that the guarantee implies. That smallest delta is the
        largest hockey-stick divergence over all pairs of distributions that satisfy the guarantee.
        """
        return scalar(exp(self.log_delta_at(epsilon)))

    def log_delta_at(self, epsilon: Any) -> Any:
        """Logarithm of ``delta_at(epsilon)``."""
        e = checks.real("epsilon", epsilon, least=0)
        pairs = zip(self.orders, self.values, strict=True)
        return scalar(smallest([number(0.0), *(_log_delta_from(alpha, tau, e) for alpha, tau in pairs)]))

    def epsilon_at(self, delta: Any) -> Any:
        r"""Epsilon at a given delta, which is the smallest solution of the formula in ``RDP`` at the listed orders."""
        level = log_or_infinite(checks.real("delta", delta, least=0, most=1))
        if level == 0:
            return number(0.0)
        pairs = zip(self.orders, self.values, strict=True)
        return scalar(maximum(0, smallest([_epsilon_from(alpha, tau, level) for alpha, tau in pairs])))

    def classic_epsilon_at(self, delta: Any) -> Any:
        r"""Epsilon from the simpler conversion \(\tau + \ln(1/\delta)/(\alpha - 1)\) at its best order.

        This conversion is Proposition 3 of Mironov 2017, and its epsilon is at least ``epsilon_at``.
        """
        level = log_or_infinite(checks.real("delta", delta, least=0, most=1))
        if level == 0:
            return number(0.0)
        pairs = zip(self.orders, self.values, strict=True)
        return scalar(smallest([tau - (level / (alpha - 1) if alpha != math.inf else 0) for alpha, tau in pairs]))

    def repeat(self, count: int) -> "RDP":
        """Guarantee of ``count`` adaptive uses, whose values add up order by order."""
        uses = checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL)
        return RDP(self.orders, [uses * value if uses else number(0.0) for value in self.values])


def read_orders(order: Any) -> tuple[Any, ...]:
    """Checks that one or several orders are > 1, and returns them as a tuple."""
    array = np.atleast_1d(checks.given("orders", order))
    if array.ndim != 1 or not array.size or not np.all(less(1, array)):
        raise ValueError(f"orders must be one or more numbers > 1, got orders={checks.brief(order)}")
    return tuple(array.tolist())


def _read_values(values: Any, count: int) -> tuple[Any, ...]:
    array = np.atleast_1d(checks.given("values", values))
    if array.shape != (count,) or np.any(less(array, 0)) or np.any(array != array):
        raise ValueError(f"values must be {count} numbers >= 0, one for each order, got values={checks.brief(values)}")
    return tuple(array.tolist())


def _log_delta_from(alpha: Any, tau: Any, epsilon: Any) -> Any:
    """Logarithm of the delta that a bound tau at order alpha implies for a given epsilon."""
    if tau == math.inf:
        return number(0.0)
    if alpha == math.inf:
        return log_or_infinite(implied_delta(tau, 0, epsilon))
    if tau == 0:
        return number(-math.inf)
    return (alpha - 1) * (tau - epsilon) + alpha * log1p(-1 / alpha) - log(alpha - 1)


def _epsilon_from(alpha: Any, tau: Any, log_delta: Any) -> Any:
    """Epsilon that a bound tau at order alpha implies for a delta with a given logarithm."""
    if tau in (0, math.inf):
        return tau
    if alpha == math.inf:
        return implied_epsilon(tau, 0, exp(log_delta))
    return tau + log1p(-1 / alpha) - (log_delta + log(alpha)) / (alpha - 1)


def log_or_infinite(x: Any) -> Any:
    """Logarithm of a number x >= 0; minus infinity for x = 0."""
    return number(-math.inf) if x == 0 else scalar(log(x))


def log_one_plus_exp(x: Any) -> Any:
    """Logarithm ln(1 + e^x), computed without overflow."""
    return maximum(x, 0) + log1p(exp(-abs(x)))
