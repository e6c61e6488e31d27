r"""The promises of an epsilon: pure and approximate differential privacy, and bounded range.

Bounded range is the promise of exponential mechanisms, that the privacy losses of two neighbours lie in a short
interval. A mechanism that draws with weights \(e^{-s(x, r)}\) has the loss \(s(x', r) - s(x, r)\) plus a constant, so
that the losses have the range of the change of the scores.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..arithmetic import exp, expm1, in_doubles, less, log, log1p, maximum, minimum, number, numbers, scalar, sqrt, tanh
from .concentrated import RDP, ZCDP, read_orders
from .worst_case import implied_delta, implied_epsilon, response_divergence

# Between these orders the closed form of ``BoundedRange.rdp`` keeps eight digits in doubles (measured, and tested).
LEAST_ORDER, LARGEST_ORDER = 1 + 1e-6, 1e7


@dataclass(frozen=True)
class PureDP(checks.Checked):
    r"""\(\varepsilon\)-differential privacy: no output is more than \(e^{\varepsilon}\) times as likely at a neighbour.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] \]

    for all neighbours and all sets of outputs (Dwork, McSherry, Nissim and Smith 2006).

    >>> promise = PureDP(0.8)
    >>> promise, round(promise.delta_at(0.5), 6), round(promise.epsilon_at(0.1), 6), promise.repeat(2)
    (PureDP(epsilon=0.8), 0.178829, 0.643425, PureDP(epsilon=1.6))
    """

    epsilon: Any = field(metadata={"least": 0})

    def epsilon_at(self, delta: Any) -> Any:
        """The smallest epsilon implied if a delta is allowed."""
        return implied_epsilon(self.epsilon, 0, delta)

    def delta_at(self, epsilon: Any) -> Any:
        """The smallest delta implied at a smaller epsilon."""
        return implied_delta(self.epsilon, 0, epsilon)

    def repeat(self, count: int) -> "PureDP":
        """The guarantee of ``count`` adaptive uses: the epsilons add up."""
        return PureDP(checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL) * self.epsilon)

    def zcdp(self) -> ZCDP:
        r"""\(\rho = \varepsilon \tanh(\varepsilon / 2) \le \varepsilon^2 / 2\), the smallest for all mechanisms.

        Randomised response is the worst, with \((\alpha - 1) D_\alpha = g((\alpha - \frac12)^2 \varepsilon^2) -
        g(\frac14 \varepsilon^2)\) and \(g(y) = \ln \cosh \sqrt y\) concave: the tangent of g at
        \(\frac14 \varepsilon^2\) gives the bound, met as \(\alpha \to 1\).
        """
        return ZCDP(scalar(self.epsilon * tanh(self.epsilon / 2)))

    def rdp(self, order: Any) -> RDP:
        """Rényi privacy at one order or several: the divergences of randomised response, which is the worst."""
        orders = read_orders(order)
        return RDP(orders, [response_divergence(self.epsilon, alpha) for alpha in orders])


@dataclass(frozen=True)
class ApproxDP(checks.Checked):
    r"""\((\varepsilon, \delta)\)-differential privacy.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta \]

    for all neighbours and all sets of outputs (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006).

    >>> promise = ApproxDP(0.8, 1e-5)
    >>> promise, round(promise.delta_at(0.5), 6), promise.epsilon_at(0.0)
    (ApproxDP(epsilon=0.8, delta=1e-05), 0.178837, inf)

    Attributes:
        epsilon: The \(\varepsilon\), >= 0.
        delta: The \(\delta\), in [0, 1].
    """

    epsilon: Any = field(metadata={"least": 0})
    delta: Any = field(metadata={"least": 0, "most": 1})

    def epsilon_at(self, delta: Any) -> Any:
        """The smallest epsilon implied at another delta; infinite below the promised one."""
        return implied_epsilon(self.epsilon, self.delta, delta)

    def delta_at(self, epsilon: Any) -> Any:
        """The smallest delta implied at another epsilon."""
        return implied_delta(self.epsilon, self.delta, epsilon)

    def repeat(self, count: int) -> "ApproxDP":
        """The guarantee of ``count`` adaptive uses by basic composition: both parameters add up."""
        uses = checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL)
        return ApproxDP(uses * self.epsilon, scalar(minimum(1, uses * self.delta)))


@dataclass(frozen=True)
class BoundedRange(checks.Checked):
    r"""\(\varepsilon\)-bounded range: the losses of two outputs at one pair of neighbours differ by at most epsilon.

    \[ \frac{\Pr[M(x) = r]}{\Pr[M(x') = r]} \le e^{\varepsilon} \frac{\Pr[M(x) = s]}{\Pr[M(x') = s]} \]

    for all neighbours and outputs r, s (Durfee and Rogers 2019). Since some output has a loss <= 0, it implies
    \(\varepsilon\)-differential privacy; it is stronger, and composes better. The losses lie in
    \([t - \varepsilon, t]\) for some t in \([0, \varepsilon]\), and the hardest pair of laws for that t has two
    outputs,

    \[ P = (p_t, 1 - p_t), \quad p_t = \frac{1 - e^{t - \varepsilon}}{1 - e^{-\varepsilon}} , \]

    with the losses t and \(t - \varepsilon\); ``delta_at`` and ``rdp`` are the largest over t, in closed form.

    >>> promise = BoundedRange(0.8)
    >>> promise, round(promise.delta_at(0.5), 6), round(promise.epsilon_at(0.1), 6)
    (BoundedRange(epsilon=0.8), 0.035234, 0.26512)
    """

    epsilon: Any = field(metadata={"least": 0})

    def epsilon_at(self, delta: Any) -> Any:
        """The smallest epsilon implied if a delta is allowed, inverse to ``delta_at``."""
        share = sqrt(checks.real("delta", delta, least=0, most=1) * -expm1(-self.epsilon))
        return scalar(maximum(0, self.epsilon + 2 * log1p(-share))) if less(share, 1) else number(0.0)

    def pure(self) -> PureDP:
        r"""The \(\varepsilon\)-differential privacy that it implies.

        >>> BoundedRange(0.8).pure()
        PureDP(epsilon=0.8)
        """
        return PureDP(self.epsilon)

    def delta_at(self, epsilon: Any) -> Any:
        r"""The smallest delta at a smaller \(\varepsilon'\): \((1 - e^{(\varepsilon' - \varepsilon)/2})^2 / (1 -
        e^{-\varepsilon})\).
        """
        gap = maximum(0, self.epsilon - checks.real("epsilon", epsilon, least=0))
        if self.epsilon == 0:
            return number(0.0)
        return scalar(expm1(-gap / 2) ** 2 / -expm1(-self.epsilon))

    def zcdp(self) -> ZCDP:
        r"""\(\rho = \min(\varepsilon^2 / 8,\, \varepsilon \tanh(\varepsilon / 2))\) for all mechanisms.

        The second bound is that of pure privacy, and is the smaller one from \(\varepsilon = 7.995\) on. The first is
        Lemma 3.4 of Cesar and Rogers 2021: \(K(s) = \ln E_P e^{sL}\) vanishes at 0 and at -1, and
        \(K'' \le \varepsilon^2 / 4\), the largest variance on an interval of that length; so
        \(K(s) \le s (s + 1) \varepsilon^2 / 8\), and \(K(\alpha - 1) = (\alpha - 1) D_\alpha\).

        >>> [round(BoundedRange(epsilon).zcdp().rho, 6) for epsilon in (0.8, 10.0)]  # 10^2 / 8 is 12.5
        [0.08, 9.999092]
        """
        return ZCDP(scalar(minimum(self.epsilon * self.epsilon / 8, self.epsilon * tanh(self.epsilon / 2))))

    def rdp(self, order: Any) -> RDP:
        r"""The exact Rényi privacy at one order or several, the largest divergence over t,

        \[ t + \frac{1}{\alpha - 1} \ln \frac{1 - e^{-\alpha\varepsilon}}{\alpha (1 - e^{-\varepsilon})}, \qquad
           e^{t - \varepsilon}
           = \frac{(\alpha - 1)(1 - e^{-\alpha\varepsilon})}{\alpha (1 - e^{-(\alpha - 1)\varepsilon})}. \]
        In doubles, orders below 1 + 1e-6 get the value at that order, and orders above 1e7 get epsilon: the formula
        would lose its digits there, and both are upper bounds. Between them the relative error is below 1e-8.
        """
        orders = read_orders(order)
        return RDP(orders, [_divergence(self.epsilon, alpha) for alpha in orders])

    def repeat(self, count: int) -> ZCDP:
        """What ``count`` adaptive uses promise; ``range_epsilon`` encloses the exact composition."""
        return self.zcdp().repeat(count)


def _divergence(epsilon: Any, alpha: Any) -> Any:
    r"""The closed form by the even part \(g(x) = \ln\frac{1 - e^{-x}}{x} + \frac x2\): its linear parts cancel.

    \[ g(\alpha\varepsilon) - g((\alpha - 1)\varepsilon) + \frac{g(\alpha\varepsilon) - g(\varepsilon)}{\alpha - 1} \]
    """
    if in_doubles():
        alpha = max(alpha, LEAST_ORDER)
    if epsilon == 0 or alpha == math.inf or (in_doubles() and alpha > LARGEST_ORDER):
        return epsilon
    top, below, one = (_even_part(x) for x in (alpha * epsilon, (alpha - 1) * epsilon, epsilon))
    return scalar(top - below + (top - one) / (alpha - 1))


def _even_part(x: Any) -> Any:
    if in_doubles() and x < 0.3:  # the logarithm would lose half the digits at x = 1e-8; the series keeps them
        y = (x / 2) ** 2
        return y * (1 / 6 - y * (1 / 180 - y * (1 / 2835 - y * (1 / 37800 - y / 467775))))
    return x / 2 + log(-expm1(-x) / x)


def two_outputs(epsilon: Any, t: Any) -> tuple[Any, Any]:
    r"""The worst pair of laws with the losses t and \(t - \varepsilon\) under bounded range.

    \(P = (p_t, 1 - p_t)\) and \(Q = (e^{-t} p_t, e^{\varepsilon - t} (1 - p_t))\), with \(p_t\) as in ``BoundedRange``.

    Args:
        epsilon: Range of the losses, > 0.
        t: The larger loss, in [0, epsilon].

    Returns:
        P and Q, two probabilities each.

    >>> p, q = two_outputs(0.8, 0.5)
    >>> [round(float(x), 6) for x in (*p, *q)]
    [0.470665, 0.529335, 0.285473, 0.714527]
    """
    e = checks.real("epsilon", epsilon, above=0)
    loss = checks.real("t", t, least=0, most=float(e))
    whole = -expm1(-e)
    high, low = -expm1(loss - e) / whole, -exp(loss - e) * expm1(-loss) / whole
    return numbers([high, low]), numbers([exp(-loss) * high, -expm1(-loss) / whole])
