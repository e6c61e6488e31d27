"""Section 2.1 of the thesis: the definitions of privacy, and of the divergences that it is measured by."""

import itertools
import math

import numpy as np

from ...arithmetic import approximate, exp, largest, log, number, tanh
from ...guarantees import PureDP, gaussian_mechanism, hockey_stick_divergence, renyi_divergence, worst_pair
from ...mechanisms import randomised_response
from .. import at_most, cannot, equal, grid, statement
from .laws import divergence, mirrored, normal_divergence


@statement(
    "private-mcmc/def-1",
    "Definition 1",
    says=r"$\sup_S \bigl[P(S) - e^{\varepsilon} Q(S)\bigr] \le \delta$ exactly when $\sum (P - e^{\varepsilon} Q)_+ \le \delta$",
    cases=grid(epsilon=[0.3, 1], delta=[0, 0.1], at=[0, 0.2, 1]),
)
def approximate_privacy(epsilon, delta, at):
    r"""With \(\delta = 0\) the definition is pure privacy. It asks for both orders of the pair. The hockey stick of a
    worst pair is compared with the supremum over every set of its outputs.

    Proof: the supremum is attained by the set of outputs with \(P > e^{\varepsilon} Q\), where it is the sum of the
    positive parts.
    """
    p, q = worst_pair(epsilon, delta)
    gains = p - exp(number(at)) * q
    sets = itertools.chain.from_iterable(itertools.combinations(gains, size) for size in range(5))
    return hockey_stick_divergence(p, q, at), equal(largest([sum(chosen, number(0)) for chosen in sets]))


@statement(
    "private-mcmc/def-2",
    "Definition 2",
    says=r"the definitions and theorems of the section are valid for all neighbourhood relations, but sensitivities are not the same: of a sum of rows with $|r_j| \le c$ it is $2c$ if a row is replaced, and $c$ if one is added or removed",
    cases=grid(c=[0.5, 3], n=[1, 4]),
)
def neighbourhoods(c, n):
    """The sums are over rows at both ends and in the middle. The two sides are the sensitivity to a replaced row and
    twice the sensitivity to an added one.

    Proof: a replaced row moves the sum by the distance of two rows, at most 2c. An added row moves it by its own value,
    at most c. Both occur.
    """
    values = [-c, number(0), c]
    sums = [sum(rest, number(0)) for rest in itertools.combinations_with_replacement(values, int(n) - 1)]
    replaced = largest([abs((s + a) - (s + b)) for s in sums for a in values for b in values])
    added = largest([abs((s + a) - s) for s in sums for a in values])
    return replaced, equal(2 * added)


@statement(
    "private-mcmc/def-3",
    "Definition 3",
    says=r"$D_\alpha(N(0, \sigma^2) \| N(\Delta, \sigma^2)) = \frac{1}{\alpha-1} \ln E_{x \sim Q} \frac{P(x)^\alpha}{Q(x)^\alpha} = \frac{\alpha \Delta^2}{2\sigma^2}$",
    cases=grid(alpha=[1.5, 2, 7], sigma=[1.3], gap=[0.7]),
)
def divergence_of_normals(alpha, sigma, gap):
    r"""The expectation under Q is the right one. What the library promises is compared with the integral.

    Proof: let \(P = N(0, \sigma^2)\) and \(Q = N(\Delta, \sigma^2)\). Completing the square shows that \(P^\alpha
    Q^{1-\alpha}\) is \(e^{\alpha(\alpha-1)\Delta^2/(2\sigma^2)}\) times a normal density with the mean
    \((1-\alpha)\Delta\).
    """
    return gaussian_mechanism(gap, sigma).rdp(alpha).values[0], equal(normal_divergence(alpha, sigma, gap))


order_1_left = cannot(
    "private-mcmc/def-3-order-1",
    "Definition 3, order 1",
    says=r"$D_1(P \| Q) = \lim_{\alpha \to 1^-} D_\alpha(P \| Q)$",
    holds=r"if some $D_\alpha$ with $\alpha > 1$ is finite: $0 \le D_{1+h}(P \| Q) - E_P \ln\frac PQ \le \frac h8 (\max L - \min L)^2 \to 0$ as $h \to 0^+$",
    why="the definition covers orders above 1 only, so there is nothing to take a limit of from the left; it must come from the right",
)


@order_1_left.instead(cases=grid(h=[0.5, 0.01, 0.001], weights=[(1, 2, 4), (5, 1, 1)]))
def order_1_right(h, weights):
    r"""Suppose the same formula defined the orders below 1. Then the left limit would always be the Kullback-Leibler
    divergence, even where every \(D_\alpha\) with \(\alpha > 1\) is infinite and the right limit differs. So the
    definition "by continuity" has no single meaning.

    Proof: write \(K(h) = h D_{1+h} = \ln E_P e^{hL}\), the cumulant function of the loss L. It has \(K(0) = 0\), and
    \(K'(0) = E_P L\) is the divergence of order 1. By Taylor's theorem the difference is \(\frac h2 K''\) at some point
    between 0 and h. There \(K''\) is the variance of L under a reweighted law, at most a quarter of its squared range.

    If L is unbounded, the bound is infinite and says nothing. The limit holds still: K is convex, so \(K(h)/h\) falls to
    \(K'(0)\) as h falls to 0. Without the condition the limit fails: \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\) have
    a finite divergence of order 1, but \(\sum P^{1+h} Q^{-h}\) diverges for every h > 0.
    """
    pair = mirrored(weights)
    width = divergence(pair, math.inf) + divergence(pair[::-1], math.inf)
    return divergence(pair, 1 + h) - divergence(pair, 1), at_most(h * width * width / 8)


@statement(
    "private-mcmc/def-3-order-infinity",
    "Definition 3, order infinity",
    says=r"$0 \le \max_x \ln\frac{P(x)}{Q(x)} - D_\alpha(P \| Q) \le \frac{1}{\alpha - 1}\ln\frac{1}{P(x^*)} \to 0$ as $\alpha \to \infty$",
    reading="the limit is printed without a rate; this is one",
    cases=grid(alpha=[3, 50, 2000], weights=[(1, 2, 4), (5, 1, 1)]),
)
def order_infinity(alpha, weights):
    r"""Proof: let \(x^*\) be the output with the largest loss. The divergence is the logarithm of \(\sum_x P(x)\,
    e^{(\alpha - 1) L(x)}\), divided by \(\alpha - 1\). This sum is at least its term at \(x^*\), which is \(P(x^*)\,
    e^{(\alpha - 1) \max L}\), and at most \(e^{(\alpha-1) \max L}\).
    """
    p, q = mirrored(weights)
    missing = -log(p[np.argmax(approximate(p / q))]) / (alpha - 1)
    return divergence((p, q), math.inf) - divergence((p, q), alpha), at_most(missing)


@statement(
    "private-mcmc/def-4-rdp",
    "Definition 4",
    says=r"$D_\alpha(M(x) \| M(x')) \le \epsilon$ for all $x \sim x'$: here n randomised responses, with the $\epsilon$ of one",
    cases=grid(epsilon=[0.3, 1, 4], alpha=[1.5, 2, 10], n=[1, 3]),
)
def over_all_neighbours(epsilon, alpha, n):
    r"""The definition, applied to n randomised responses of which the number of ones is released. "For all \(x \sim
    x'\)" asks for both orders of a pair, because being neighbours is symmetric. With one record both sides are equal.

    Proof: one record changes the law of one response, and adding up the responses can only lower a divergence.
    """
    mechanism, size = randomised_response(epsilon), int(n)
    laws = [mechanism.law((1, 1), (ones, size - ones)).log_probabilities for ones in range(size + 1)]
    pairs = [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]
    return largest([renyi_divergence(p, q, alpha) for p, q in pairs]), at_most(PureDP(epsilon).rdp(alpha).values[0])


@statement(
    "private-mcmc/def-4-zcdp",
    "Definition 4",
    says=r"$\varepsilon$-differential privacy implies $\rho$-zCDP with $\rho = \varepsilon \tanh\frac\varepsilon2$: $D_\alpha \le \rho\alpha$ for all $\alpha > 1$",
    by="ours",
    cases=grid(epsilon=[0.1, 1, 5], alpha=[1.001, 2, 40]),
)
def concentrated_of_pure(epsilon, alpha):
    r"""The source gives no constant. This one is smaller than the usual \(\frac12\varepsilon^2\).

    Proof: of all pure mechanisms randomised response has the largest divergences. For it \((\alpha - 1) D_\alpha =
    g((\alpha - \frac12)^2\varepsilon^2) - g(\frac14\varepsilon^2)\), where \(g(y) = \ln\cosh\sqrt y\) is concave. The
    tangent of g at \(\frac14\varepsilon^2\) gives the bound, and it is reached as \(\alpha \to 1\).
    """
    return divergence(worst_pair(epsilon), alpha), at_most(alpha * epsilon * tanh(epsilon / 2))
