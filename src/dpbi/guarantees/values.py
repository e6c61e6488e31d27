r"""Privacy guarantees as values.

A mechanism is \((\varepsilon, \delta)\)-differentially private when for all neighbours x, x' and all sets S of outputs
\[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta . \]
Neighbours here differ in one replaced record; n is fixed and public.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import erfc, erfcx, gammaln, logsumexp

from .. import checks
from ..checks import Floats


class Level(float):
    """A parameter of a guarantee: a number that can also be asked for the value at another level.

    ``guarantee.epsilon`` is the number promised; ``guarantee.epsilon(delta)`` the epsilon that follows at a delta.
    """

    _curve: Callable[[float], float]

    def __new__(cls, value: float, curve: Callable[[float], float] = float) -> "Level":
        level = super().__new__(cls, value)
        level._curve = curve
        return level

    def __call__(self, other: float) -> float:
        return self._curve(other)


@dataclass(frozen=True)
class PureDP:
    r"""\(\varepsilon\)-differential privacy: no output is over \(e^{\varepsilon}\) times likelier at a neighbour."""

    epsilon: Level

    def __init__(self, epsilon: float) -> None:
        value = checks.real("epsilon", epsilon, least=0)
        object.__setattr__(self, "epsilon", Level(value, partial(_implied_epsilon, value, 0.0)))

    def delta(self, epsilon: float) -> float:
        """The smallest delta implied at a smaller epsilon."""
        return _implied_delta(self.epsilon, 0.0, epsilon)

    def repeat(self, count: int) -> "PureDP":
        """The guarantee of ``count`` adaptive uses: the epsilons add up."""
        return PureDP(checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL) * self.epsilon)

    def zcdp(self) -> "ZCDP":
        r"""\(\rho = \varepsilon \tanh(\varepsilon / 2) \le \varepsilon^2 / 2\), the smallest for all mechanisms.

        Randomised response is the worst, with \((\alpha - 1) D_\alpha = g((\alpha - \frac12)^2 \varepsilon^2) -
        g(\frac14 \varepsilon^2)\) and \(g(y) = \ln \cosh \sqrt y\) concave: the tangent of g at
        \(\frac14 \varepsilon^2\) gives the bound, met as \(\alpha \to 1\).
        """
        return ZCDP(self.epsilon * math.tanh(self.epsilon / 2))

    def rdp(self, order: ArrayLike) -> "RDP":
        """Rényi privacy at one order or several, that of randomised response."""
        orders = _orders(order)
        return RDP(orders, [_response_divergence(float(self.epsilon), alpha) for alpha in orders])


@dataclass(frozen=True)
class ApproxDP:
    r"""\((\varepsilon, \delta)\)-differential privacy."""

    epsilon: Level
    delta: Level

    def __init__(self, epsilon: float, delta: float) -> None:
        e = checks.real("epsilon", epsilon, least=0)
        d = _delta(delta)
        object.__setattr__(self, "epsilon", Level(e, partial(_implied_epsilon, e, d)))
        object.__setattr__(self, "delta", Level(d, partial(_implied_delta, e, d)))

    def repeat(self, count: int) -> "ApproxDP":
        """The guarantee of ``count`` adaptive uses by basic composition: both parameters add up."""
        uses = checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL)
        return ApproxDP(uses * self.epsilon, min(1.0, uses * self.delta))


def _delta(delta: float) -> float:
    return checks.real("delta", delta, least=0, most=1)


def _implied_delta(epsilon: float, delta: float, smaller: float) -> float:
    r"""Smallest \(\delta'\) that \((\varepsilon, \delta)\) implies at \(\varepsilon'\).

    \[ \delta' = \delta + (1 - \delta) \max(0, e^{\varepsilon} - e^{\varepsilon'}) / (1 + e^{\varepsilon}) , \]
    attained by revealing the data with probability \(\delta\) and randomised response otherwise, which every
    \((\varepsilon, \delta)\) mechanism is a post-processing of (Kairouz, Oh and Viswanath 2015).
    """
    gap = max(0.0, epsilon - checks.real("epsilon", smaller, least=0))
    return delta + (1 - delta) * -math.expm1(-gap) / (1 + math.exp(-epsilon))


def _implied_epsilon(epsilon: float, delta: float, larger: float) -> float:
    r"""Smallest \(\varepsilon'\) at \(\delta'\), inverse to ``_implied_delta``; infinite below the promised delta."""
    excess = _delta(larger) - delta
    if excess < 0:
        return math.inf
    if delta == 1:
        return 0.0
    share = excess / (1 - delta) * (1 + math.exp(-epsilon))
    return 0.0 if share >= 1 else max(0.0, epsilon + math.log1p(-share))


@dataclass(frozen=True)
class GaussianDP:
    r"""The guarantee of Gaussian mechanisms, one or many: at worst, a choice between two shifted normals.

    With sensitivity \(\Delta\) and noise \(\sigma\), \(\rho = \Delta^2 / (2 \sigma^2)\); the privacy loss of the worst
    pair is \(N(\rho, 2\rho)\), and adaptive composition adds the \(\rho\). The profile is exact,

    \[ \delta(\varepsilon) = \tfrac12\Bigl[\operatorname{erfc}\tfrac{\varepsilon - \rho}{2 \sqrt\rho}
       - e^{\varepsilon} \operatorname{erfc}\tfrac{\varepsilon + \rho}{2 \sqrt\rho}\Bigr] \]

    (Sommer, Meiser and Mohammadi 2019; Balle and Wang 2018), and evaluated without overflow or underflow: the relative
    error of ``delta``, ``log_delta`` and ``epsilon`` is below 1e-9, for epsilon up to 1500 and delta down to 1e-300.
    """

    rho: float

    def __init__(self, rho: float) -> None:
        object.__setattr__(self, "rho", checks.real("rho", rho, least=0))

    def delta(self, epsilon: float) -> float:
        """The exact delta at an epsilon; 0 where it is below the smallest double, see ``log_delta``."""
        return math.exp(self.log_delta(epsilon))

    def log_delta(self, epsilon: float) -> float:
        """The logarithm of the exact delta at an epsilon."""
        return _gaussian_log_delta(self.rho, checks.real("epsilon", epsilon, least=0))

    def epsilon(self, delta: float) -> float:
        """The exact smallest epsilon at a delta."""
        return self.epsilon_at_log_delta(_log(_delta(delta)))

    def epsilon_at_log_delta(self, log_delta: float) -> float:
        """The exact smallest epsilon at a delta given by its logarithm."""
        level = _log_delta(log_delta)
        if self.rho == 0 or level >= self.log_delta(0):
            return 0.0
        if level == -math.inf:
            return math.inf
        return _root(lambda e: level - self.log_delta(e), 0.0, self.rho + 2 * math.sqrt(-self.rho * level))

    def zcdp(self) -> "ZCDP":
        """The same as zero-concentrated privacy: what is lost is the shape of the normal tail."""
        return ZCDP(self.rho)

    def rdp(self, order: ArrayLike) -> "RDP":
        r"""Rényi privacy \((\alpha, \alpha \rho)\) at one order or several."""
        return ZCDP(self.rho).rdp(order)

    def repeat(self, count: int) -> "GaussianDP":
        """The guarantee of ``count`` adaptive uses."""
        return GaussianDP(checks.whole("count", count, least=0) * self.rho)


def gaussian_mechanism(sensitivity: float, sigma: float) -> GaussianDP:
    r"""What \(f(x) + N(0, \sigma^2 I)\) promises when neighbours' \(f\) differ by at most ``sensitivity`` in L2."""
    ratio = checks.real("sensitivity", sensitivity, least=0) / checks.real("sigma", sigma, above=0)
    if not ratio < 1e150:
        raise ValueError(f"sigma must be a finite number > sensitivity / 1e150, got sigma={sigma!r}")
    return GaussianDP(ratio**2 / 2)


@dataclass(frozen=True)
class ZCDP:
    r"""\(\rho\)-zero-concentrated privacy: \(D_\alpha(M(x) \| M(x')) \le \rho \alpha\) for every order above 1."""

    rho: float

    def __init__(self, rho: float) -> None:
        object.__setattr__(self, "rho", checks.real("rho", rho, least=0))

    def delta(self, epsilon: float) -> float:
        """The smallest delta that the improved conversion gives at an epsilon."""
        return math.exp(self.log_delta(epsilon))

    def log_delta(self, epsilon: float) -> float:
        r"""Logarithm of that delta, the best order found exactly.

        With \(u = \alpha - 1\) the improved conversion (see ``RDP``) is convex in u; it is stationary where
        \((2u + 1)\rho - \ln(1 + 1/u) = \varepsilon\), and there \(\ln \delta = -u^2 \rho - \ln(1 + u)\).
        """
        e = checks.real("epsilon", epsilon, least=0)
        if self.rho == 0:
            return -math.inf
        high = math.log(e / (2 * self.rho) + 1 / math.sqrt(2 * self.rho))
        low = min(e - 3 * self.rho - 1, high - 1, 0.0)
        v = _root(lambda v: (2 * math.exp(v) + 1) * self.rho - _softplus(-v) - e, low, high + 1e-9)
        u = math.exp(v)
        return -u * u * self.rho - math.log1p(u)

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon that the improved conversion gives at a delta."""
        return self.epsilon_at_log_delta(_log(_delta(delta)))

    def epsilon_at_log_delta(self, log_delta: float) -> float:
        """The same at a delta given by its logarithm."""
        level = _log_delta(log_delta)
        if self.rho == 0 or level == 0:
            return 0.0
        if level == -math.inf:
            return math.inf
        u = _root(lambda u: u * u * self.rho + math.log1p(u) + level, 0.0, math.sqrt(-level / self.rho))
        return max(0.0, (2 * u + 1) * self.rho - math.log1p(1 / u)) if u > 0 else 0.0

    def classic_epsilon(self, delta: float) -> float:
        r"""\(\rho + 2 \sqrt{\rho \ln(1/\delta)}\) (Bun and Steinke 2016, Proposition 1.3): simpler, never smaller."""
        level = _log(_delta(delta))
        return self.rho + 2 * math.sqrt(-self.rho * level) if self.rho else 0.0

    def rdp(self, order: ArrayLike) -> "RDP":
        r"""Rényi privacy \((\alpha, \alpha \rho)\) at one order or several."""
        orders = _orders(order)
        return RDP(orders, [alpha * self.rho if self.rho else 0.0 for alpha in orders])

    def repeat(self, count: int) -> "ZCDP":
        """The guarantee of ``count`` adaptive uses: the rhos add up."""
        return ZCDP(checks.whole("count", count, least=0) * self.rho)


@dataclass(frozen=True)
class RDP:
    r"""Rényi privacy at several orders: \(D_\alpha(M(x) \| M(x')) \le\) the value at each order \(\alpha > 1\).

    From one order \((\alpha, \tau)\), at every \(\varepsilon \ge 0\) (Canonne, Kamath and Steinke 2020, Prop. 12),

    \[ \delta = \frac{e^{(\alpha - 1)(\tau - \varepsilon)}}{\alpha - 1}\Bigl(1 - \frac1\alpha\Bigr)^{\alpha} ; \]

    the best order listed is used. An infinite order is pure privacy, an infinite value promises nothing.
    """

    orders: tuple[float, ...]
    values: tuple[float, ...]

    def __init__(self, orders: ArrayLike, values: ArrayLike) -> None:
        object.__setattr__(self, "orders", _orders(orders))
        object.__setattr__(self, "values", _rdp_values(values, len(self.orders)))

    def __float__(self) -> float:
        """The value, where there is one order only."""
        if len(self.values) != 1:
            raise TypeError(f"orders must be one order for a single number, got {len(self.orders)} orders")
        return self.values[0]

    def delta(self, epsilon: float) -> float:
        """The smallest delta that follows at an epsilon."""
        return math.exp(self.log_delta(epsilon))

    def log_delta(self, epsilon: float) -> float:
        """The logarithm of that delta."""
        e = checks.real("epsilon", epsilon, least=0)
        return min(0.0, *(_log_delta_from(alpha, tau, e) for alpha, tau in zip(self.orders, self.values, strict=True)))

    def epsilon(self, delta: float) -> float:
        r"""The smallest epsilon that follows at a delta: the displayed bound, solved for \(\varepsilon\)."""
        return self.epsilon_at_log_delta(_log(_delta(delta)))

    def epsilon_at_log_delta(self, log_delta: float) -> float:
        """The same at a delta given by its logarithm."""
        level = _log_delta(log_delta)
        pairs = zip(self.orders, self.values, strict=True)
        return max(0.0, min(_epsilon_from(alpha, tau, level) for alpha, tau in pairs)) if level else 0.0

    def classic_epsilon(self, delta: float) -> float:
        r"""\(\tau + \ln(1/\delta)/(\alpha - 1)\) (Mironov 2017, Proposition 3) at its best order: never smaller."""
        level = _log(_delta(delta))
        if level == 0:
            return 0.0
        pairs = zip(self.orders, self.values, strict=True)
        return min(tau - (level / (alpha - 1) if alpha < math.inf else 0.0) for alpha, tau in pairs)

    def repeat(self, count: int) -> "RDP":
        """The guarantee of ``count`` adaptive uses: the values add up, order by order."""
        uses = checks.whole("count", count, least=0)
        return RDP(self.orders, [uses * value if uses else 0.0 for value in self.values])


Guarantee = PureDP | ApproxDP | GaussianDP | ZCDP | RDP


def compose(*guarantees: Guarantee) -> Guarantee:
    """The guarantee of several mechanisms on the same data, each free to look at the earlier outputs.

    Parameters must be fixed in advance, and each guarantee must hold for every fixed value of the earlier outputs, on
    fresh randomness. Guarantees of one kind add up; of several kinds, they are first written in the narrowest kind
    that all of them imply (``GaussianDP`` and ``PureDP`` imply ``ZCDP``, which implies ``RDP``). ``ApproxDP`` joins
    only ``PureDP`` and ``ApproxDP``: it has no Rényi form. What uses no data costs nothing and may be left out, which
    is post-processing.

    >>> compose(GaussianDP(0.1), GaussianDP(0.3).repeat(2)).rho
    0.7
    """
    if not guarantees:
        raise ValueError("guarantees must be one or more guarantees, got none")
    for value in guarantees:
        if not isinstance(value, Guarantee):
            raise TypeError(f"guarantees must be PureDP, ApproxDP, GaussianDP, ZCDP or RDP values, got {value!r}")
    kinds = {type(value) for value in guarantees}
    if kinds == {PureDP}:
        return PureDP(math.fsum(value.epsilon for value in guarantees if isinstance(value, PureDP)))
    if kinds <= {PureDP, ApproxDP}:
        pairs = [value for value in guarantees if isinstance(value, PureDP | ApproxDP)]
        deltas = [value.delta for value in pairs if isinstance(value, ApproxDP)]
        return ApproxDP(math.fsum(value.epsilon for value in pairs), min(1.0, math.fsum(deltas)))
    if ApproxDP in kinds:
        raise ValueError(f"guarantees must have a common kind, but ApproxDP has no Rényi form, got {guarantees!r}")
    if kinds == {GaussianDP}:
        return GaussianDP(math.fsum(value.rho for value in guarantees if isinstance(value, GaussianDP)))
    curves = [value for value in guarantees if isinstance(value, RDP)]
    rho = math.fsum(_zcdp(value).rho for value in guarantees if not isinstance(value, RDP))
    if not curves:
        return ZCDP(rho)
    orders = [alpha for alpha in curves[0].orders if all(alpha in curve.orders for curve in curves)]
    if not orders:
        raise ValueError(f"guarantees must share an order, got {[curve.orders for curve in curves]}")
    rest = ZCDP(rho).rdp(orders).values
    at = [[curve.values[curve.orders.index(alpha)] for curve in curves] for alpha in orders]
    return RDP(orders, [math.fsum([*values, more]) for values, more in zip(at, rest, strict=True)])


def _zcdp(value: "PureDP | GaussianDP | ZCDP | ApproxDP | RDP") -> ZCDP:
    if isinstance(value, PureDP):
        return value.zcdp()
    if isinstance(value, GaussianDP | ZCDP):
        return ZCDP(value.rho)
    raise TypeError(f"guarantees must imply zero-concentrated privacy, got {value!r}")


def repeated_delta(guarantee: PureDP | ApproxDP, count: int, epsilon: float) -> float:
    r"""The exact worst delta at an epsilon of ``count`` adaptive uses (Kairouz, Oh and Viswanath 2015, Theorem 3.3).

    The worst mechanism reveals the data with probability \(\delta\) and is randomised response otherwise; its k-fold
    loss is \((k - 2l)\varepsilon_0\) with binomial probability. Basic composition is never better.
    """
    uses = checks.whole("count", count, least=0)
    level = checks.real("epsilon", epsilon, least=0)
    each = float(guarantee.epsilon)
    delta = float(guarantee.delta) if isinstance(guarantee, ApproxDP) else 0.0
    wrong = np.arange(uses + 1)
    loss = (uses - 2 * wrong) * each
    log_p = (
        gammaln(uses + 1) - gammaln(wrong + 1) - gammaln(uses - wrong + 1)
        - (uses - wrong) * math.log1p(math.exp(-each)) - wrong * _softplus(each)
    )  # fmt: skip
    over = np.maximum(loss - level, 0.0)
    response = min(1.0, float(np.sum(np.exp(log_p) * -np.expm1(-over))))
    revealed = -math.expm1(uses * math.log1p(-delta)) if delta < 1 else float(uses > 0)
    return revealed + (1 - revealed) * response


def largest_count(allowed: Callable[[int], bool]) -> int:
    """The largest k with ``allowed(k)``, true up to some k and false afterwards: doubled, then halved, on integers."""
    if not allowed(1):
        return 0
    low, high = 1, 2
    while allowed(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low


def uses_within(step: Guarantee, budget: ApproxDP | ZCDP) -> int:
    """The largest number of uses of a mechanism within a budget, by exact search; 0 if not even one fits.

    Every number of uses is judged by the conversion of ``step.repeat(count)`` itself, tight for ``GaussianDP``.

    >>> uses_within(GaussianDP(0.0005), ApproxDP(4.0, 1e-6))
    702
    """
    if not (isinstance(step, Guarantee) and isinstance(budget, ApproxDP | ZCDP)):
        raise TypeError(f"step must be a guarantee and budget an ApproxDP or a ZCDP, got {step=} and {budget=}")
    if isinstance(budget, ZCDP):
        if isinstance(step, RDP | ApproxDP):
            raise TypeError(f"step must be PureDP, GaussianDP or ZCDP for a ZCDP budget, got step={step!r}")
        rho = _zcdp(step).rho
        within = lambda count: count * rho <= budget.rho  # noqa: E731
        free = rho == 0
    else:
        most, epsilon = _log(budget.delta), float(budget.epsilon)
        within = lambda count: _log_delta_at(step.repeat(count), epsilon) <= most  # noqa: E731
        free = _log_delta_at(step, 0.0) == -math.inf
    if free:
        raise ValueError(f"step must cost something, else every number of uses is within the budget, got {step!r}")
    if isinstance(budget, ApproxDP) and float(budget.delta) == 1:
        raise ValueError(f"budget must have delta < 1, else every number of uses is within it, got {budget!r}")
    return largest_count(within)


def _log_delta_at(guarantee: Guarantee, epsilon: float) -> float:
    if isinstance(guarantee, PureDP | ApproxDP):
        return _log(guarantee.delta(epsilon))
    return guarantee.log_delta(epsilon)


def subsampled(guarantee: RDP, rows: int, batch: int) -> RDP:
    r"""The guarantee when the mechanism sees a random batch, drawn without replacement from all rows.

    With \(q\) the share of rows in a batch, at integer orders (Wang, Balle and Kasiviswanathan 2019, Theorem 9),

    \[ \varepsilon(\alpha) = \tfrac{1}{\alpha - 1} \ln\Bigl(1 + q^2 \tbinom{\alpha}{2}
       \min\{4(e^{\varepsilon_2} - 1), 2 e^{\varepsilon_2}\}
       + 2 \sum_{j=3}^{\alpha} q^j \tbinom{\alpha}{j} e^{(j-1)\varepsilon_j}\Bigr). \]

    The sum runs up to \(\alpha\) itself. Orders must be the integers 2, 3, ... without a gap.
    """
    n = checks.whole("rows", rows, least=1)
    b = checks.whole("batch", batch, least=1, below=n + 1)
    orders = np.array(guarantee.orders)
    if not np.array_equal(orders, np.arange(2, len(orders) + 2)):
        raise ValueError(f"orders must be the integers 2, 3, ... without a gap, got orders={guarantee.orders}")
    log_q = math.log(b / n)
    top = np.array(guarantee.values)
    with np.errstate(over="ignore"):
        second = math.log(2) + min(math.log(2) + _log(math.expm1(min(top[0], 700.0))), top[0])
    terms = np.concatenate([[second], math.log(2) + (orders[1:] - 1) * top[1:]]) + orders * log_q
    values = []
    for alpha in orders.astype(int):
        j = orders[: alpha - 1]
        binomial = gammaln(alpha + 1) - gammaln(j + 1) - gammaln(alpha - j + 1)
        values.append(float(np.logaddexp(0.0, logsumexp(binomial + terms[: alpha - 1]))) / (alpha - 1))
    return RDP(orders, values)


def renyi_divergence(log_p: ArrayLike, log_q: ArrayLike, order: float) -> float:
    r"""\(D_\alpha(P \| Q) = \ln E_Q[(P/Q)^{\alpha}] / (\alpha - 1)\) of two finite laws given by log-probabilities.

    At \(\alpha = 1\) it is the Kullback-Leibler divergence and at \(\alpha = \infty\) the largest log ratio, its
    limits; orders within rounding of 1 stay accurate.

    >>> import numpy as np
    >>> p, q = np.log([0.25, 0.75]), np.log([0.5, 0.5])
    >>> [round(renyi_divergence(p, q, order), 6) for order in (1.0, 2.0, np.inf)]
    [0.130812, 0.223144, 0.405465]
    """
    p, q = np.atleast_1d(np.asarray(log_p, dtype=np.float64)), np.atleast_1d(np.asarray(log_q, dtype=np.float64))
    if p.shape != q.shape or p.ndim != 1:
        raise ValueError(f"log_p and log_q must be one-dimensional of one length, got shapes {p.shape} and {q.shape}")
    for name, law in (("log_p", p), ("log_q", q)):
        if not abs(logsumexp(law)) <= 1e-9:
            raise ValueError(f"{name} must be the logarithms of probabilities that add up to 1, got {name}={law}")
    alpha = float(order)
    if not alpha > 0:
        raise ValueError(f"order must be a number > 0, or infinite, got order={order!r}")
    inside = p > -math.inf
    if alpha >= 1 and np.any(q[inside] == -math.inf):
        return math.inf
    both = inside & (q > -math.inf)
    if not both.any():
        return math.inf
    weight, loss = p[both], p[both] - q[both]
    if alpha == math.inf:
        return float(loss.max())
    if alpha == 1:
        return float(np.sum(np.exp(weight) * loss))
    h = alpha - 1
    if abs(h) * float(np.abs(loss).max()) < 0.5 and both.sum() == inside.sum():
        return math.log1p(float(np.sum(np.exp(weight) * np.expm1(h * loss)))) / h
    return float(logsumexp(weight + h * loss)) / h


def _orders(order: ArrayLike) -> tuple[float, ...]:
    array = np.atleast_1d(np.asarray(order, dtype=np.float64))
    if array.ndim != 1 or not array.size or not np.all(array > 1):
        raise ValueError(f"orders must be one or more numbers > 1, got orders={order!r}")
    return tuple(array.tolist())


def _rdp_values(values: ArrayLike, count: int) -> tuple[float, ...]:
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.shape != (count,) or not np.all(array >= 0):
        raise ValueError(f"values must be {count} numbers >= 0, one for each order, got values={values!r}")
    return tuple(array.tolist())


def _log_delta_from(alpha: float, tau: float, epsilon: float) -> float:
    if alpha == math.inf:
        return _log(_implied_delta(tau, 0.0, epsilon)) if tau < math.inf else 0.0
    if tau == 0:
        return -math.inf
    if tau == math.inf:
        return 0.0
    return (alpha - 1) * (tau - epsilon) + alpha * math.log1p(-1 / alpha) - math.log(alpha - 1)


def _epsilon_from(alpha: float, tau: float, log_delta: float) -> float:
    if tau in (0.0, math.inf):
        return tau
    if alpha == math.inf:
        return _implied_epsilon(tau, 0.0, math.exp(log_delta))
    return tau + math.log1p(-1 / alpha) - (log_delta + math.log(alpha)) / (alpha - 1)


def _response_divergence(epsilon: float, alpha: float) -> float:
    r"""Of randomised response: \(\ln[\cosh((\alpha-\frac12)\varepsilon) / \cosh\frac\varepsilon2] / (\alpha-1)\)."""
    if alpha == math.inf:
        return epsilon
    h = alpha - 1
    up, down = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    if h * epsilon < 0.5:
        return math.log1p(up * math.expm1(h * epsilon) + down * math.expm1(-h * epsilon)) / h
    return (h * epsilon + math.log(up) + math.log1p(math.exp(-epsilon - 2 * h * epsilon))) / h


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _log_delta(log_delta: float) -> float:
    if not log_delta <= 0:
        raise ValueError(f"log_delta must be a number <= 0, got log_delta={log_delta!r}")
    return float(log_delta)


def _softplus(x: float) -> float:
    """ln(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """The zero of a rising function, to the last digits."""
    return float(brentq(rising, low, high, xtol=1e-300, rtol=1e-15, maxiter=1000))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def _gaussian_log_delta(rho: float, epsilon: float) -> float:
    r"""Logarithm of the profile: with \(a, b = (\varepsilon \mp \rho) / (2\sqrt\rho)\), \(b^2 - a^2 = \varepsilon\).

    \[ \delta = \tfrac12 e^{-a^2} (\operatorname{erfcx} a - \operatorname{erfcx} b)
              = 1 - \tfrac12 (\operatorname{erfc}(-a) + e^{-a^2} \operatorname{erfcx} b) , \]

    the second where a < -1/2; the difference is integrated from its derivative where a and b are close.
    """
    if rho == 0:
        return -math.inf
    root = math.sqrt(rho)
    a, b = (epsilon - rho) / (2 * root), (epsilon + rho) / (2 * root)
    if a < -0.5:
        return math.log1p(-(erfc(-a) + math.exp(-a * a) * erfcx(b)) / 2)
    if a > 1e150:
        return -math.inf
    if root > 1:
        return float(-a * a + math.log((erfcx(a) - erfcx(b)) / 2))
    t = a + root / 2 * (_NODES + 1)
    slope = _falling_erfcx(t)
    scale = float(slope.max())
    return float(-a * a + math.log(root / 4) + math.log(scale) + math.log(_WEIGHTS @ (slope / scale)))


def _falling_erfcx(t: Floats) -> Floats:
    r"""\(-\operatorname{erfcx}'(t) = 2/\sqrt\pi - 2 t \operatorname{erfcx} t\), for large t an asymptotic series."""
    far = np.maximum(t, 100.0)
    u = 1 / far**2
    series = u * (1 - 1.5 * u * (1 - 2.5 * u * (1 - 3.5 * u))) / math.sqrt(math.pi)
    return np.where(t > 100.0, series, 2 / math.sqrt(math.pi) - 2 * t * erfcx(t))
