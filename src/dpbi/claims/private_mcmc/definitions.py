r"""Section 2.1 of the thesis: the definitions of privacy, and of the divergences that it is measured by.

Notation. P and Q are the laws of an output at neighbouring inputs, L = ln P/Q the privacy loss;
\(\delta_P(\varepsilon) = \sum (P - e^{\varepsilon} Q)_+\) is the hockey stick. The *worst pair* for
\((\varepsilon, \delta)\) reveals the input with probability \(\delta\) and is randomised response otherwise.
"""

import itertools
import math
from typing import Any

import numpy as np

from ...arithmetic import approximate, exp, largest, log, number, numbers, tanh
from ...guarantees import (
    PureDP,
    gaussian_mechanism,
    hockey_stick_divergence,
    log_probabilities,
    renyi_divergence,
    worst_pair,
)
from ...mechanisms import randomised_response
from ..claim import Condition, grid
from ..premises import Choice, Reals, Wholes, premises
from .laws import CURRENCIES, DELTA, EPSILON, ORDER, POSITIVE, WEIGHTS, Pair, divergence, mirrored, normal_divergence
from .source import THESIS


@THESIS.item(
    "def-1",
    "Definition 1",
    cases=grid(epsilon=[0.3, 1], delta=[0, 0.1], at=[0, 0.2, 1]),
    calls=(hockey_stick_divergence, worst_pair),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, delta=DELTA, at=EPSILON),
)
def smallest_delta(epsilon: Any, delta: Any, at: Any) -> Any:
    """The hockey stick of the worst pair."""
    return hockey_stick_divergence(*worst_pair(epsilon, delta), at)


@smallest_delta.said(
    r"\sup_S \bigl[P(S) - e^{\varepsilon} Q(S)\bigr] \le \delta \text{ exactly when } \sum (P - e^{\varepsilon} Q)_+ \le \delta",
    proof=True,
)
def definition_1(epsilon: Any, delta: Any, at: Any) -> Any:
    r"""The supremum is attained by the set of outputs with \(P > e^{\varepsilon} Q\), where it is the sum of the
    positive parts. Here it is computed over every set of outputs of a worst pair. With \(\delta = 0\) the definition
    is pure privacy. It asks for both orders of the pair.
    """
    p, q = worst_pair(epsilon, delta)
    gains = p - exp(number(at)) * q
    sets = itertools.chain.from_iterable(itertools.combinations(gains, size) for size in range(5))
    return largest([sum(chosen, number(0)) for chosen in sets])


@THESIS.item(
    "def-2",
    "Definition 2",
    cases=grid(c=[0.5, 3], n=[1, 4]),
    apart="sums over every choice of a few rows: mechanisms of the library are told their sensitivity",
    page=CURRENCIES,
    premises=premises(c=POSITIVE, n=Wholes(1, 5)),
)
def replaced_row(c: Any, n: Any) -> Any:
    """How far a replaced row moves the sum."""
    sums, values = _sums(c, n)
    return largest([abs((s + a) - (s + b)) for s in sums for a in values for b in values])


@replaced_row.said(
    r"\text{the definitions and theorems of the section are valid for all neighbourhood relations, but sensitivities are not the same: } \Delta_{\text{substitute}} \sum_j r_j = 2c \text{ where } \Delta_{\text{add/remove}} \sum_j r_j = c,\ |r_j| \le c",
    proof=True,
)
def definition_2(c: Any, n: Any) -> Any:
    """A replaced row moves the sum by the distance of two rows, at most 2c. An added row moves it by its own value, at
    most c. The sums are over rows at both ends and in the middle. The two sides are the sensitivity to a replaced row
    and twice the sensitivity to an added one.
    """
    sums, values = _sums(c, n)
    return 2 * largest([abs((s + a) - s) for s in sums for a in values])


def _sums(c: Any, n: Any) -> tuple[list[Any], list[Any]]:
    """The sums of all rows but one, and the values that a row may have."""
    values = [-c, number(0), c]
    rest = itertools.combinations_with_replacement(values, int(n) - 1)
    return [sum(chosen, number(0)) for chosen in rest], values


@THESIS.item(
    "def-3",
    "Definition 3",
    cases=grid(alpha=[1.5, 2, 7], sigma=[1.3], gap=[0.7]),
    calls=gaussian_mechanism,
    page=CURRENCIES,
    premises=premises(alpha=Reals(1.01, 20, above=1), sigma=Reals(0.2, 10, above=0), gap=Reals(0.01, 3)),
)
def promised_divergence(alpha: Any, sigma: Any, gap: Any) -> Any:
    """What the library promises of normal noise."""
    return gaussian_mechanism(gap, sigma).rdp(alpha).values[0]


@promised_divergence.said(
    r"D_\alpha(N(0, \sigma^2) \| N(\Delta, \sigma^2)) = \frac{1}{\alpha-1} \ln E_{x \sim Q} \frac{P(x)^\alpha}{Q(x)^\alpha} = \frac{\alpha \Delta^2}{2\sigma^2}",
    proof=True,
)
def definition_3(alpha: Any, sigma: Any, gap: Any) -> Any:
    r"""The expectation under Q is the right one. Here \(P = N(0, \sigma^2)\) and \(Q = N(\Delta, \sigma^2)\).
    Completing the square shows that \(P^\alpha Q^{1-\alpha}\) is \(e^{\alpha(\alpha-1)\Delta^2/(2\sigma^2)}\) times a
    normal density with the mean \((1-\alpha)\Delta\). The other side is that integral, by quadrature.
    """
    return normal_divergence(alpha, sigma, gap)


HEAVY = Condition(r"some \(D_\alpha\) with \(\alpha > 1\) is finite", lambda heavy, **_: not heavy)

order_1_left = THESIS.vague(
    "def-3-order-1",
    "Definition 3, order 1",
    r"D_1(P \| Q) = \lim_{\alpha \to 1^-} D_\alpha(P \| Q)",
    r"""Suppose the same formula defined the orders below 1. Then the left limit would always be the Kullback-Leibler
    divergence, even where every \(D_\alpha\) with \(\alpha > 1\) is infinite and the right limit differs. So the
    definition "by continuity" has no single meaning.
    """,
    malformed=r"the definition covers orders above 1 only, so there is nothing to take a limit of from the left; it must come from the right",
    page=CURRENCIES,
)


@THESIS.item(
    "def-3-order-1",
    "Definition 3, order 1",
    cases=[
        *grid(h=[0.5, 0.01, 0.001], weights=[(1, 2, 4), (5, 1, 1)], heavy=[0]),
        {"h": 0.01, "weights": (1, 1, 1), "heavy": 1},
    ],
    relation="<=",
    calls=renyi_divergence,
    page=CURRENCIES,
)
def above_order_1(h: Any, weights: Any, heavy: Any) -> Any:
    """How far the divergence of an order above 1 is from that of order 1."""
    p, q = _heavy(6000) if int(heavy) else tuple(map(log_probabilities, mirrored(weights)))
    return renyi_divergence(p, q, 1 + h) - renyi_divergence(p, q, 1)


def _heavy(size: int) -> Pair:
    r"""The logarithms of \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\), cut off."""
    k = np.arange(1, size + 1)
    cubes = numbers(k) ** 3
    return -log(cubes) - log((1 / cubes).sum()), -k * log(number(2))


@above_order_1.instead(
    r"0 \le D_{1+h}(P \| Q) - E_P \ln\tfrac PQ \le \tfrac h8 (\max L - \min L)^2 \to 0 \text{ as } h \to 0^+",
    condition=HEAVY,
    proof=True,
    premises=premises(h=Reals(1e-4, 3, above=0), weights=WEIGHTS, heavy=Choice((0, 1))),
)
def order_1_right(h: Any, weights: Any, heavy: Any) -> Any:
    r"""Write \(K(h) = h D_{1+h} = \ln E_P e^{hL}\), the cumulant function of the loss L. It has \(K(0) = 0\), and
    \(K'(0) = E_P L\) is the divergence of order 1. By Taylor's theorem the difference is \(\frac h2 K''\) at some
    point between 0 and h. There \(K''\) is the variance of L under a reweighted law, at most a quarter of its squared
    range.

    If L is unbounded, the bound is infinite and says nothing. The limit holds still: K is convex, so \(K(h)/h\) falls
    to \(K'(0)\) as h falls to 0.

    Without the condition the limit fails. The laws \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\) have a finite
    divergence of order 1, but \(\sum P^{1+h} Q^{-h}\) diverges for every h > 0. The case computed here cuts the sum
    off, at a k beyond which its terms only grow.
    """
    if int(heavy):
        return h
    p, q = map(log_probabilities, mirrored(weights))
    width = renyi_divergence(p, q, math.inf) + renyi_divergence(q, p, math.inf)
    return h * width * width / 8


@THESIS.item(
    "def-3-order-infinity",
    "Definition 3, order infinity",
    cases=grid(alpha=[3, 50, 2000], weights=[(1, 2, 4), (5, 1, 1)]),
    relation="<=",
    calls=renyi_divergence,
    page=CURRENCIES,
    premises=premises(alpha=ORDER, weights=WEIGHTS),
)
def below_order_infinity(alpha: Any, weights: Any) -> Any:
    """How far the largest loss is above the divergence."""
    return divergence(mirrored(weights), math.inf) - divergence(mirrored(weights), alpha)


@below_order_infinity.said(
    r"0 \le \max_x \ln\frac{P(x)}{Q(x)} - D_\alpha(P \| Q) \le \frac{1}{\alpha - 1}\ln\frac{1}{P(x^*)} \to 0 \text{ as } \alpha \to \infty",
    tight={"alpha": 2000, "weights": (1, 2, 4)},
    proof=True,
    origin="reading",
)
def order_infinity(alpha: Any, weights: Any) -> Any:
    r"""Let \(x^*\) be the output with the largest loss. The divergence is the logarithm of \(\sum_x P(x)\, e^{(\alpha
    - 1) L(x)}\), divided by \(\alpha - 1\). This sum is at least its term at \(x^*\), which is \(P(x^*)\, e^{(\alpha -
    1) \max L}\), and at most \(e^{(\alpha-1) \max L}\).
    """
    p, q = mirrored(weights)
    top = np.argmax(approximate(p / q))
    return -log(p[top]) / (alpha - 1)


@THESIS.item(
    "def-4-rdp",
    "Definition 4",
    cases=grid(epsilon=[0.3, 1, 4], alpha=[1.5, 2, 10], n=[1, 3]),
    relation="<=",
    calls=(renyi_divergence, randomised_response, PureDP.rdp),
    page=CURRENCIES,
    premises=premises(epsilon=Reals(above=0), alpha=ORDER, n=Wholes(1, 12)),
)
def over_all_neighbours(epsilon: Any, alpha: Any, n: Any) -> Any:
    """The largest divergence of the counts of n randomised responses between neighbours, in both orders."""
    mechanism, size = randomised_response(epsilon), int(n)
    laws = [mechanism.law((1, 1), (ones, size - ones)).log_probabilities for ones in range(size + 1)]
    pairs = [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]
    return largest([renyi_divergence(p, q, alpha) for p, q in pairs])


@over_all_neighbours.said(
    r"D_\alpha(M(x) \| M(x')) \le \epsilon \text{ for all } x \sim x'\text{: here n randomised responses, with the } \epsilon \text{ of one}",
    tight={"epsilon": 1, "alpha": 2, "n": 1},
    proof=True,
)
def definition_4_rdp(epsilon: Any, alpha: Any, n: Any) -> Any:
    r"""The definition, applied to n randomised responses of which the number of ones is released. "For all \(x \sim
    x'\)" asks for both orders of a pair, because being neighbours is symmetric. One record changes the law of one
    response, and adding up the responses can only lower a divergence. So no divergence between neighbours exceeds that
    of one response, and with one record it is equal to it.
    """
    return PureDP(epsilon).rdp(alpha).values[0]


@THESIS.item(
    "def-4-zcdp",
    "Definition 4",
    cases=grid(epsilon=[0.1, 1, 5], alpha=[1.001, 2, 40]),
    relation="<=",
    calls=(renyi_divergence, PureDP.zcdp),
    page=CURRENCIES,
    premises=premises(epsilon=Reals(above=0), alpha=ORDER),
)
def response_divergence(epsilon: Any, alpha: Any) -> Any:
    """The divergence of randomised response, plus what the rho of the library misses: it is that of order 1."""
    pair = worst_pair(epsilon)
    return divergence(pair, alpha) + abs(PureDP(epsilon).zcdp().rho - divergence(pair, 1))


@response_divergence.said(
    r"\varepsilon\text{-differential privacy implies } \rho\text{-zCDP with } \rho = \varepsilon \tanh\tfrac\varepsilon2,\ D_\alpha \le \rho\alpha \text{ for all } \alpha > 1",
    tight={"epsilon": 1, "alpha": 1.001},
    proof=True,
    origin="ours",
)
def definition_4_zcdp(epsilon: Any, alpha: Any) -> Any:
    r"""The definition, with a constant that the source does not give. Of all pure mechanisms randomised response has
    the largest divergences. For it \((\alpha - 1) D_\alpha = g((\alpha - \frac12)^2\varepsilon^2) -
    g(\frac14\varepsilon^2)\), where \(g(y) = \ln\cosh\sqrt y\) is concave. The tangent of g at
    \(\frac14\varepsilon^2\) gives the bound, and it is reached as \(\alpha \to 1\). The constant is smaller than the
    usual \(\frac12\varepsilon^2\).
    """
    return alpha * epsilon * tanh(epsilon / 2)
