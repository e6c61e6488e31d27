r"""Pure and approximate differential privacy."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import checks
from ..arithmetic import minimum, plain, tanh
from .concentrated import RDP, ZCDP, read_orders
from .levels import Level, level
from .worst_case import implied_delta, implied_epsilon, response_divergence


@dataclass(frozen=True)
class PureDP:
    r"""\(\varepsilon\)-differential privacy: no output is more than \(e^{\varepsilon}\) times likelier at a neighbour.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] \]

    for all neighbours and all sets of outputs (Dwork, McSherry, Nissim and Smith 2006). ``epsilon`` is a number, and
    ``epsilon(delta)`` the smaller number that follows if a delta is allowed.

    >>> promise = PureDP(0.8)
    >>> promise, promise.epsilon, round(promise.delta(0.5), 6), promise.repeat(2)
    (PureDP(epsilon=0.8), 0.8, 0.178829, PureDP(epsilon=1.6))
    """

    epsilon: Level

    def __init__(self, epsilon: Any) -> None:
        value = checks.real("epsilon", epsilon, least=0)
        object.__setattr__(self, "epsilon", level(value, partial(implied_epsilon, value, 0)))

    def delta(self, epsilon: Any) -> Any:
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
        return ZCDP(plain(self.epsilon * tanh(self.epsilon / 2)))

    def rdp(self, order: Any) -> RDP:
        """Rényi privacy at one order or several: the divergences of randomised response, which is the worst."""
        orders = read_orders(order)
        return RDP(orders, [response_divergence(self.epsilon + 0, alpha) for alpha in orders])


@dataclass(frozen=True)
class ApproxDP:
    r"""\((\varepsilon, \delta)\)-differential privacy.

    \[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta \]

    for all neighbours and all sets of outputs (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006). Both parameters are
    numbers; ``epsilon(delta)`` and ``delta(epsilon)`` are the smallest values that follow at another level.

    >>> promise = ApproxDP(0.8, 1e-5)
    >>> promise, promise.delta, round(promise.delta(0.5), 6), promise.epsilon(0.0)
    (ApproxDP(epsilon=0.8, delta=1e-05), 1e-05, 0.178837, inf)
    """

    epsilon: Level
    delta: Level

    def __init__(self, epsilon: Any, delta: Any) -> None:
        e, d = checks.real("epsilon", epsilon, least=0), checks.real("delta", delta, least=0, most=1)
        object.__setattr__(self, "epsilon", level(e, partial(implied_epsilon, e, d)))
        object.__setattr__(self, "delta", level(d, partial(implied_delta, e, d)))

    def repeat(self, count: int) -> "ApproxDP":
        """The guarantee of ``count`` adaptive uses by basic composition: both parameters add up."""
        uses = checks.whole("count", count, least=0, below=checks.LARGEST_TOTAL)
        return ApproxDP(uses * self.epsilon, plain(minimum(1, uses * self.delta)))
