r"""Section 2.1: the definitions of privacy, and of the divergences that it is measured by."""

import itertools
import math
from typing import Any

import numpy as np

from ...arithmetic import approximate, exp, largest, log, number, tanh
from ...guarantees import (
    PureDP,
    gaussian_mechanism,
    hockey_stick_divergence,
    log_probabilities,
    renyi_divergence,
    worst_pair,
)
from ...mechanisms import randomised_response
from ..statement import at_most, cannot, equal, grid, statement
from .laws import CURRENCIES, divergence, mirrored, normal_divergence


@statement(
    "private-mcmc/def-1",
    "Definition 1",
    says=r"$\sup_S \bigl[P(S) - e^{\varepsilon} Q(S)\bigr] \le \delta$ exactly when $\sum (P - e^{\varepsilon} Q)_+ \le \delta$",
    cases=grid(epsilon=[0.3, 1], delta=[0, 0.1], at=[0, 0.2, 1]),
    page=CURRENCIES,
)
def definition_1(epsilon: Any, delta: Any, at: Any) -> Any:
    r"""The two sides are computed for a worst pair, the supremum over every set of outputs.

    Proof: the supremum is attained by the set of outputs with \(P > e^{\varepsilon} Q\), where it is the sum of the
    positive parts. With \(\delta = 0\) the definition is pure privacy. It asks for both orders of the pair.
    """
    p, q = worst_pair(epsilon, delta)
    gains = p - exp(number(at)) * q
    sets = itertools.chain.from_iterable(itertools.combinations(gains, size) for size in range(5))
    return hockey_stick_divergence(p, q, at), equal(largest([sum(chosen, number(0)) for chosen in sets]))


@statement(
    "private-mcmc/def-2",
    "Definition 2",
    says="the definitions and theorems of the section are valid for all neighbourhood relations, but sensitivities are "
    r"not the same: $\Delta_{\text{substitute}} \sum_j r_j = 2c$ where $\Delta_{\text{add/remove}} \sum_j r_j = c$, $|r_j| \le c$",
    cases=grid(c=[0.5, 3], n=[1, 4]),
    page=CURRENCIES,
)
def definition_2(c: Any, n: Any) -> Any:
    """The two sides are how far a replaced row moves a sum, and twice how far an added row moves it.

    Proof: a replaced row moves the sum by the distance of two rows, at most 2c, an added row by its own value, at most c.
    Both are reached by rows at the ends.
    """
    values = [-c, number(0), c]
    rest = [sum(rows, number(0)) for rows in itertools.combinations_with_replacement(values, int(n) - 1)]
    replaced = largest([abs((s + a) - (s + b)) for s in rest for a in values for b in values])
    return replaced, equal(2 * largest([abs((s + a) - s) for s in rest for a in values]))


@statement(
    "private-mcmc/def-3",
    "Definition 3",
    says=r"$D_\alpha(N(0, \sigma^2) \| N(\Delta, \sigma^2)) = \frac{1}{\alpha-1} \ln E_{x \sim Q} \frac{P(x)^\alpha}{Q(x)^\alpha} "
    r"= \frac{\alpha \Delta^2}{2\sigma^2}$",
    cases=grid(alpha=[1.5, 2, 7], sigma=[1.3], gap=[0.7]),
    page=CURRENCIES,
)
def definition_3(alpha: Any, sigma: Any, gap: Any) -> Any:
    r"""What the library promises of normal noise, beside the integral of the definition.

    Proof: the expectation under Q is the right one. With \(P = N(0, \sigma^2)\) and \(Q = N(\Delta, \sigma^2)\),
    completing the square shows that \(P^\alpha Q^{1-\alpha}\) is \(e^{\alpha(\alpha-1)\Delta^2/(2\sigma^2)}\) times a
    normal density with the mean \((1-\alpha)\Delta\).
    """
    return gaussian_mechanism(gap, sigma).rdp(alpha).values[0], equal(normal_divergence(alpha, sigma, gap))


order_1 = cannot(
    "private-mcmc/def-3-order-1",
    "Definition 3, order 1",
    says=r"$D_1(P \| Q) = \lim_{\alpha \to 1^-} D_\alpha(P \| Q)$",
    holds=r"$0 \le D_{1+h}(P \| Q) - E_P \ln\frac PQ \le \frac h8 (\max L - \min L)^2 \to 0$ as $h \to 0^+$, "
    r"if some $D_\alpha$ with $\alpha > 1$ is finite",
    why="the definition covers orders above 1 only, so nothing has a limit from the left; it must come from the right",
    page=CURRENCIES,
)


@order_1.instead(cases=grid(h=[0.5, 0.01, 0.001], weights=[(1, 2, 4), (5, 1, 1)]))
def order_1_right(h: Any, weights: Any) -> Any:
    r"""Suppose the same formula defined the orders below 1. Then the left limit would always be the Kullback-Leibler
    divergence, even where every \(D_\alpha\) with \(\alpha > 1\) is infinite and the right limit differs, as for
    \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\): no single meaning is left.

    Proof: write \(K(h) = h D_{1+h} = \ln E_P e^{hL}\), the cumulant function of the loss L, with \(K(0) = 0\) and
    \(K'(0) = E_P L\), the divergence of order 1. By Taylor's theorem the difference is \(\frac h2 K''\) at some point
    between 0 and h. There \(K''\) is the variance of L under a reweighted law, at most a quarter of its squared range.
    If L is unbounded the bound says nothing, but the limit holds: K is convex, so \(K(h)/h\) falls to \(K'(0)\) as h
    falls to 0.
    """
    p, q = map(log_probabilities, mirrored(weights))
    width = renyi_divergence(p, q, math.inf) + renyi_divergence(q, p, math.inf)
    return renyi_divergence(p, q, 1 + h) - renyi_divergence(p, q, 1), at_most(h * width * width / 8)


@statement(
    "private-mcmc/def-3-order-infinity",
    "Definition 3, order infinity",
    says=r"$0 \le \max_x \ln\frac{P(x)}{Q(x)} - D_\alpha(P \| Q) \le \frac{1}{\alpha - 1}\ln\frac{1}{P(x^*)} \to 0$ as $\alpha \to \infty$",
    by="reading",
    reading="the source says that the order infinity is a limit; the bound shows that it is one",
    cases=grid(alpha=[3, 50, 2000], weights=[(1, 2, 4), (5, 1, 1)]),
    page=CURRENCIES,
)
def order_infinity(alpha: Any, weights: Any) -> Any:
    r"""How far the largest loss is above the divergence.

    Proof: let \(x^*\) be the output with the largest loss. The divergence is the logarithm of \(\sum_x P(x)\, e^{(\alpha
    - 1) L(x)}\), divided by \(\alpha - 1\). This sum is at least its term at \(x^*\), which is \(P(x^*)\, e^{(\alpha -
    1) \max L}\), and at most \(e^{(\alpha-1) \max L}\).
    """
    pair = mirrored(weights)
    top = np.argmax(approximate(pair[0] / pair[1]))
    return divergence(pair, math.inf) - divergence(pair, alpha), at_most(-log(pair[0][top]) / (alpha - 1))


@statement(
    "private-mcmc/def-4-rdp",
    "Definition 4",
    says=r"$D_\alpha(M(x) \| M(x')) \le \epsilon$ for all $x \sim x'$: here n randomised responses, with the $\epsilon$ of one",
    given=lambda epsilon: bool(epsilon > 0),
    cases=grid(epsilon=[0.3, 1, 4], alpha=[1.5, 2, 10], n=[1, 3]),
    page=CURRENCIES,
)
def definition_4_rdp(epsilon: Any, alpha: Any, n: Any) -> Any:
    r"""The definition, applied to n randomised responses of which the number of ones is released. "For all \(x \sim
    x'\)" asks for both orders of a pair, because being neighbours is symmetric.

    Proof: one record changes the law of one response, and adding up the responses can only lower a divergence. So no
    divergence between neighbours exceeds that of one response, and with one record it is equal to it.
    """
    mechanism, size = randomised_response(epsilon), int(n)
    laws = [mechanism.law((1, 1), (ones, size - ones)).log_probabilities for ones in range(size + 1)]
    pairs = [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]
    exact = largest([renyi_divergence(p, q, alpha) for p, q in pairs])
    return exact, at_most(PureDP(epsilon).rdp(alpha).values[0])


@statement(
    "private-mcmc/def-4-zcdp",
    "Definition 4",
    says=r"$\varepsilon$-differential privacy implies $\rho$-zCDP with $\rho = \varepsilon \tanh\frac\varepsilon2$: "
    r"$D_\alpha \le \rho\alpha$ for all $\alpha > 1$",
    by="ours",
    cases=grid(epsilon=[0.1, 1, 5], alpha=[1.001, 2, 40]),
    page=CURRENCIES,
)
def definition_4_zcdp(epsilon: Any, alpha: Any) -> Any:
    r"""A constant that the source does not give, smaller than the usual \(\frac12\varepsilon^2\). The left side is the
    divergence of randomised response, plus what the library's rho misses of it at order 1.

    Proof: of all pure mechanisms randomised response has the largest divergences. For it \((\alpha - 1) D_\alpha =
    g((\alpha - \frac12)^2\varepsilon^2) - g(\frac14\varepsilon^2)\), where \(g(y) = \ln\cosh\sqrt y\) is concave. The
    tangent of g at \(\frac14\varepsilon^2\) gives the bound, and it is reached as \(\alpha \to 1\).
    """
    pair = worst_pair(epsilon)
    exact = divergence(pair, alpha) + abs(PureDP(epsilon).zcdp().rho - divergence(pair, 1))
    return exact, at_most(alpha * epsilon * tanh(epsilon / 2))
