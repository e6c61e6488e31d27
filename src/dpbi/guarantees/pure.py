r"""Guarantees with a parameter epsilon: pure and approximate differential privacy, and bounded range.

Bounded range is the guarantee of exponential mechanisms: for each pair of neighbours, the privacy losses of all outputs
lie in an interval of length epsilon. If a mechanism draws output r with weight \(e^{-s(x, r)}\), its privacy loss is
\(s(x', r) - s(x, r)\) plus a constant. So the range of the losses equals the range of the change in the score s.
"""

import math
from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..arithmetic import exp, expm1, in_doubles, less, log, log1p, maximum, minimum, number, numbers, scalar, sqrt, tanh
from .concentrated import RDP, ZCDP, read_orders
from .worst_case import implied_delta, implied_epsilon, response_divergence

# measured and tested: between these orders the closed form has eight correct digits in doubles
LEAST_ORDER, LARGEST_ORDER = 1 + 1e-6, 1e7
"""Smallest and largest order at which ``BoundedRange.rdp`` evaluates its closed form in doubles."""


@dataclass(frozen=True)
class PureDP(checks.Checked):
    r"""\(\varepsilon\)-differential privacy: outputs are at most \(e^\varepsilon\) times as likely as at a neighbour.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] \]

    for all neighbours x, x' and all sets S of outputs (Dwork, McSherry, Nissim and Smith 2006).

    >>> promise = PureDP(0.8)
    >>> promise, round(promise.delta_at(0.5), 6), round(promise.epsilon_at(0.1), 6), promise.repeat(2)
    (PureDP(epsilon=0.8), 0.178829, 0.643425, PureDP(epsilon=1.6))
    """

    epsilon: Any = field(metadata={"least": 0})

    def epsilon_at(self, delta: Any) -> Any:
        """Smallest epsilon that the guarantee implies at a given delta."""
        return implied_epsilon(self.epsilon, 0, delta)

    def delta_at(self, epsilon: Any) -> Any:
        """Smallest delta that the guarantee implies at a given epsilon."""
        return implied_delta(self.epsilon, 0, epsilon)

    def repeat(self, count: int) -> "PureDP":
        """Guarantee of ``count`` adaptive uses, whose epsilons add up."""
        return PureDP(checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL) * self.epsilon)

    def zcdp(self) -> ZCDP:
        r"""Zero-concentrated privacy with the smallest \(\rho\) that \(\varepsilon\)-differential privacy implies.

        This smallest value is \(\rho = \varepsilon \tanh(\varepsilon / 2) \le \varepsilon^2 / 2\). Randomised response
        is the worst mechanism, with \((\alpha - 1) D_\alpha = g((\alpha - \frac12)^2 \varepsilon^2) - g(\frac14
        \varepsilon^2)\), where \(g(y) = \ln \cosh \sqrt y\) is concave. The tangent of g at \(\frac14 \varepsilon^2\)
        gives the bound, which is attained as \(\alpha \to 1\).
        """
        return ZCDP(scalar(self.epsilon * tanh(self.epsilon / 2)))

    def rdp(self, order: Any) -> RDP:
        """Rényi guarantee at one or several orders, which is attained by randomised response, the worst mechanism."""
        orders = read_orders(order)
        return RDP(orders, [response_divergence(self.epsilon, alpha) for alpha in orders])


@dataclass(frozen=True)
class ApproxDP(checks.Checked):
    r"""\((\varepsilon, \delta)\)-differential privacy, also called approximate differential privacy.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta \]

    for all neighbours x, x' and all sets S of outputs (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006).

    >>> promise = ApproxDP(0.8, 1e-5)
    >>> promise, round(promise.delta_at(0.5), 6), promise.epsilon_at(0.0)
    (ApproxDP(epsilon=0.8, delta=1e-05), 0.178837, inf)

    Attributes:
        epsilon: The parameter \(\varepsilon\), >= 0.
        delta: The parameter \(\delta\), in [0, 1].
    """

    epsilon: Any = field(metadata={"least": 0})
    delta: Any = field(metadata={"least": 0, "most": 1})

    def epsilon_at(self, delta: Any) -> Any:
        """Smallest epsilon that the guarantee implies at a given delta; infinite for deltas below ``self.delta``."""
        return implied_epsilon(self.epsilon, self.delta, delta)

    def delta_at(self, epsilon: Any) -> Any:
        """Smallest delta that the guarantee implies at a given epsilon."""
        return implied_delta(self.epsilon, self.delta, epsilon)

    def repeat(self, count: int) -> "ApproxDP":
        """Guarantee of ``count`` adaptive uses by basic composition, which adds up both parameters."""
        uses = checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL)
        return ApproxDP(uses * self.epsilon, scalar(minimum(1, uses * self.delta)))


@dataclass(frozen=True)
class BoundedRange(checks.Checked):
    r"""\(\varepsilon\)-bounded range: for two neighbours, the losses of any two outputs differ by at most epsilon.

    \[ \frac{\Pr[M(x) = r]}{\Pr[M(x') = r]} \le e^{\varepsilon} \frac{\Pr[M(x) = s]}{\Pr[M(x') = s]} \]

    for all neighbours x, x' and outputs r, s (Durfee and Rogers 2019). Since some output has a privacy loss <= 0,
    bounded range implies \(\varepsilon\)-differential privacy. It is the stronger guarantee and composes better. For
    some t in \([0, \varepsilon]\), all losses lie in \([t - \varepsilon, t]\). The worst pair of distributions for this
    t has two outputs,

    \[ P = (p_t, 1 - p_t), \quad p_t = \frac{1 - e^{t - \varepsilon}}{1 - e^{-\varepsilon}} , \]

    with the losses t and \(t - \varepsilon\). The methods ``delta_at`` and ``rdp`` maximise over t in closed form.

    >>> promise = BoundedRange(0.8)
    >>> promise, round(promise.delta_at(0.5), 6), round(promise.epsilon_at(0.1), 6)
    (BoundedRange(epsilon=0.8), 0.035234, 0.26512)
    """

    epsilon: Any = field(metadata={"least": 0})

    def epsilon_at(self, delta: Any) -> Any:
        """Smallest epsilon that the guarantee implies at a given delta; the inverse function of ``delta_at``."""
        share = sqrt(checks.real("delta", delta, least=0, most=1) * -expm1(-self.epsilon))
        return scalar(maximum(0, self.epsilon + 2 * log1p(-share))) if less(share, 1) else number(0.0)

    def delta_at(self, epsilon: Any) -> Any:
        r"""Smallest delta that the guarantee implies at a given epsilon \(\varepsilon'\).

        The delta is \((1 - e^{(\varepsilon' - \varepsilon)/2})^2 / (1 - e^{-\varepsilon})\) for \(\varepsilon' \le
        \varepsilon\), and 0 for larger \(\varepsilon'\).
        """
        gap = maximum(0, self.epsilon - checks.real("epsilon", epsilon, least=0))
        if self.epsilon == 0:
            return number(0.0)
        return scalar(expm1(-gap / 2) ** 2 / -expm1(-self.epsilon))

    def zcdp(self) -> ZCDP:
        r"""Zero-concentrated privacy with \(\rho = \min(\varepsilon^2 / 8,\, \varepsilon \tanh(\varepsilon / 2))\).

        The second term is the bound that pure differential privacy implies; it is the smaller term for \(\varepsilon
        \ge 7.995\). The first term is the bound in Lemma 3.4 of Cesar and Rogers 2021. Proof: the function \(K(s) = \ln
        E_P e^{sL}\) vanishes at 0 and at -1, and \(K'' \le \varepsilon^2 / 4\), because \(\varepsilon^2 / 4\) is the
        largest variance of a distribution on an interval of length \(\varepsilon\). Hence \(K(s) \le s (s + 1)
        \varepsilon^2 / 8\), which bounds \(D_\alpha = K(\alpha - 1) / (\alpha - 1)\).

        >>> [round(BoundedRange(epsilon).zcdp().rho, 6) for epsilon in (0.8, 10.0)]  # 10^2 / 8 is 12.5
        [0.08, 9.999092]
        """
        return ZCDP(scalar(minimum(self.epsilon * self.epsilon / 8, self.epsilon * tanh(self.epsilon / 2))))

    def rdp(self, order: Any) -> RDP:
        r"""Exact Rényi guarantee at one or several orders, which is the largest divergence of a worst pair over all t.

        The largest divergence at order \(\alpha\), and the equation for the t at which it is attained, are
        \[ t + \frac{1}{\alpha - 1} \ln \frac{1 - e^{-\alpha\varepsilon}}{\alpha (1 - e^{-\varepsilon})}, \qquad
           e^{t - \varepsilon}
           = \frac{(\alpha - 1)(1 - e^{-\alpha\varepsilon})}{\alpha (1 - e^{-(\alpha - 1)\varepsilon})}. \]
        In doubles, the formula would be inaccurate at orders below 1 + 1e-6 and above 1e7. Upper bounds are returned
        instead: the value at order 1 + 1e-6 for the smaller orders, and epsilon for the larger orders. In between, the
        relative error is below 1e-8.
        """
        orders = read_orders(order)
        return RDP(orders, [_divergence(self.epsilon, alpha) for alpha in orders])

    def repeat(self, count: int) -> ZCDP:
        """Zero-concentrated guarantee of ``count`` adaptive uses; ``range_epsilon`` bounds the exact epsilon."""
        return self.zcdp().repeat(count)


def _divergence(epsilon: Any, alpha: Any) -> Any:
    r"""Largest divergence in ``BoundedRange.rdp`` at one order, computed from the even function ``_even_part``.

    Let \(g(x) = \ln\frac{1 - e^{-x}}{x} + \frac x2\). The linear parts of the logarithms cancel, and the divergence is

    \[ g(\alpha\varepsilon) - g((\alpha - 1)\varepsilon) + \frac{g(\alpha\varepsilon) - g(\varepsilon)}{\alpha - 1} \]
    """
    if in_doubles():
        alpha = max(alpha, LEAST_ORDER)
    if epsilon == 0 or alpha == math.inf or (in_doubles() and alpha > LARGEST_ORDER):
        return epsilon
    top, below, one = (_even_part(x) for x in (alpha * epsilon, (alpha - 1) * epsilon, epsilon))
    return scalar(top - below + (top - one) / (alpha - 1))


def _even_part(x: Any) -> Any:
    r"""The even function \(g(x) = \ln\frac{1 - e^{-x}}{x} + \frac x2 = \ln\frac{\sinh(x/2)}{x/2}\)."""
    if in_doubles() and x < 0.3:  # the logarithm would lose half the digits at x = 1e-8; the series keeps them
        y = (x / 2) ** 2
        return y * (1 / 6 - y * (1 / 180 - y * (1 / 2835 - y * (1 / 37800 - y / 467775))))
    return x / 2 + log(-expm1(-x) / x)


def two_outputs(epsilon: Any, t: Any) -> tuple[Any, Any]:
    r"""Worst pair of distributions with the privacy losses t and \(t - \varepsilon\) under bounded range.

    The pair is \(P = (p_t, 1 - p_t)\) and \(Q = (e^{-t} p_t, e^{\varepsilon - t} (1 - p_t))\), where \(p_t\) is defined
    in ``BoundedRange``.

    Args:
        epsilon: Range of the privacy losses, > 0.
        t: The larger of the two losses, in [0, epsilon].

    Returns:
        The distributions P and Q, each with two probabilities.

    >>> p, q = two_outputs(0.8, 0.5)
    >>> [round(float(x), 6) for x in (*p, *q)]
    [0.470665, 0.529335, 0.285473, 0.714527]
    """
    e = checks.real("epsilon", epsilon, above=0)
    loss = checks.real("t", t, least=0, most=float(e))
    whole = -expm1(-e)
    high, low = -expm1(loss - e) / whole, -exp(loss - e) * expm1(-loss) / whole
    return numbers([high, low]), numbers([exp(-loss) * high, -expm1(-loss) / whole])
