"""Section 2.1 of the thesis: definitions of privacy, the divergences that it is measured by, and composition."""

import functools
import itertools
import math

import numpy as np

from ...arithmetic import approximate, exp, largest, less, log, number, numbers, tanh
from ...divergences import hockey_stick_divergence, renyi_divergence
from ...guarantees import ApproxDP, PureDP, gaussian_mechanism, worst_pair
from ...mechanisms import randomised_response
from .. import at_most, equal, grid, rows, statement
from .models import PAD, adaptive, divergence, mirrored, normal_divergence, product


@statement(
    "private-mcmc/def-1",
    "Definition 1",
    says=r"for all neighbouring inputs $x$ and $x'$ and all measurable sets $S$: $P(\mathcal M(x) \in S) \le e^\epsilon P(\mathcal M(x') \in S) + \delta$",
    reading=r"with finitely many outputs this is $\sum (P - e^{\epsilon} Q)_+ \le \delta$, which is what is checked",
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
    "Definition 2, after",
    says="the definitions and theorems of this section are valid for all neighbourhood relations",
    reading=r"only a sensitivity depends on the relation: that of a sum of rows with $|r_j| \le c$ is $2c$ for substitute neighbours and $c$ for add/remove neighbours, which is what is checked",
    cases=grid(c=[0.5, 3], n=[1, 4]),
)
def neighbourhoods(c, n):
    """The sums are over rows at both ends and in the middle. The two sides are the sensitivity to a replaced row and
    twice the sensitivity to an added one.

    Proof: the proofs of Theorems 1 to 3 use the laws at two neighbours, and nothing about which inputs are neighbours.
    A replaced row moves the sum by the distance of two rows, at most 2c. An added row moves it by its own value, at
    most c. Both occur.
    """
    values = [-c, number(0), c]
    sums = [sum(rest, number(0)) for rest in itertools.combinations_with_replacement(values, int(n) - 1)]
    replaced = largest([abs((s + a) - (s + b)) for s in sums for a in values for b in values])
    added = largest([abs((s + a) - s) for s in sums for a in values])
    return replaced, equal(2 * added)


@statement(
    "private-mcmc/def-3",
    "Definition 3",
    says=r"$D_\alpha(P \| Q) = \frac{1}{\alpha-1} \ln E_{x \sim Q} \Bigl(\frac{P(x)^\alpha}{Q(x)^\alpha}\Bigr)$, $1 < \alpha < \infty$",
    reading=r"checked on $N(0, \sigma^2)$ and $N(\Delta, \sigma^2)$, where it is $\frac{\alpha \Delta^2}{2\sigma^2}$",
    cases=grid(alpha=[1.5, 2, 7], sigma=[1.3], gap=[0.7]),
)
def divergence_of_normals(alpha, sigma, gap):
    r"""The expectation under Q is the right one. What the library promises is compared with the integral.

    Proof: let \(P = N(0, \sigma^2)\) and \(Q = N(\Delta, \sigma^2)\). Completing the square shows that \(P^\alpha
    Q^{1-\alpha}\) is \(e^{\alpha(\alpha-1)\Delta^2/(2\sigma^2)}\) times a normal density with the mean
    \((1-\alpha)\Delta\).
    """
    return gaussian_mechanism(gap, sigma).rdp(alpha).values[0], equal(normal_divergence(alpha, sigma, gap))


def order_1_gap(h, weights):
    r"""How far the divergence of order 1 + h is from that of order 1, and \(\frac{|h|}{8} (\max L - \min L)^2\)."""
    pair = mirrored(weights)
    width = divergence(pair, math.inf) + divergence(pair[::-1], math.inf)
    return (divergence(pair, 1 + h) - divergence(pair, 1)) * (1 if h > 0 else -1), abs(h) * width * width / 8


@statement(
    "private-mcmc/def-3-order-1",
    "Definition 3, order 1",
    says=r"$D_1(P \| Q) = \lim_{\alpha \to 1^-} D_\alpha(P \| Q)$",
    reading=r"the formula of the definition also serves for $0 < \alpha < 1$, which its range $1 < \alpha < \infty$ leaves out; checked on finitely many outputs is $0 \le E_P \ln\frac PQ - D_{1-h} \le \frac h8 (\max L - \min L)^2$",
    holds=r"if $L = \ln\frac PQ$ is bounded, the limit from the right is the same: $0 \le D_{1+h} - E_P \ln\frac PQ \le \frac h8 (\max L - \min L)^2$",
    given=("$0 < h < 1$", lambda h: less(h, 1)),
    cases=grid(h=[0.5, 0.01, 0.001], weights=[(1, 2, 4), (5, 1, 1)]),
)
def order_1_left(h, weights):
    r"""The limit from the left is always the Kullback-Leibler divergence (van Erven and Harremoës 2014, Theorem 5). The
    limit from the right is not: \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\) have a finite divergence of order 1, but
    \(\sum P^{1+h} Q^{-h}\) diverges for every h > 0.

    Proof: write \(K(t) = t D_{1+t} = \ln E_P e^{tL}\), the cumulant function of the loss L. It has \(K(0) = 0\), and
    \(K'(0) = E_P L\) is the divergence of order 1. By Taylor's theorem \(E_P L - D_{1-h} = \frac h2 K''\) at some point
    between -h and 0. There \(K''\) is the variance of L under a reweighted law, at most a quarter of its squared range.
    """
    gap, most = order_1_gap(-h, weights)
    return gap, at_most(most)


@order_1_left.instead(cases=order_1_left.cases)
def order_1_right(h, weights):
    """Proof: the same expansion, between 0 and h."""
    gap, most = order_1_gap(h, weights)
    return gap, at_most(most)


@statement(
    "private-mcmc/def-3-order-infinity",
    "Definition 3, order infinity",
    says=r"$D_\infty(P \| Q) = \lim_{\alpha \to \infty} D_\alpha(P \| Q)$",
    reading=r"for finitely many outputs the limit is $\max_x \ln\frac{P(x)}{Q(x)}$, with the rate $0 \le \max_x \ln\frac{P(x)}{Q(x)} - D_\alpha(P \| Q) \le \frac{1}{\alpha - 1}\ln\frac{1}{P(x^*)}$, which is what is checked",
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
    says=r"$\mathcal M$ is $(\alpha, \epsilon)$-Rényi DP if for all $x \sim x'$ $D_\alpha(\mathcal M(x) \| \mathcal M(x')) \le \epsilon$",
    reading=r"checked on n randomised responses, with the $\epsilon$ of one",
    cases=grid(epsilon=[0.3, 1, 4], alpha=[1.5, 2, 10], n=[1, 3]),
)
def over_all_neighbours(epsilon, alpha, n):
    r"""The definition is applied to n randomised responses of which the number of ones is released. "For all \(x \sim
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
    r"""The constant is smaller than the usual \(\frac12\varepsilon^2\).

    Proof: of all pure mechanisms randomised response has the largest divergences. For it \((\alpha - 1) D_\alpha =
    g((\alpha - \frac12)^2\varepsilon^2) - g(\frac14\varepsilon^2)\), where \(g(y) = \ln\cosh\sqrt y\) is concave. The
    tangent of g at \(\frac14\varepsilon^2\) gives the bound, and it is reached as \(\alpha \to 1\).
    """
    return divergence(worst_pair(epsilon), alpha), at_most(alpha * epsilon * tanh(epsilon / 2))


SECOND = r"$\mathcal M'$ is private as an algorithm on $\mathcal X \times \mathcal U$, where $(x, u)$ and $(x', u)$ are neighbours if $x \sim x'$: for every fixed earlier output $u$"


@statement(
    "private-mcmc/def-5",
    "Definition 5",
    says=r"their composition is the algorithm outputting $(\mathcal M(x), \mathcal M'(x, \mathcal M(x)))$",
    reading=r"$\mathcal M'$ draws with fresh randomness, so that the law of both outputs is $P(u) P'_u(u')$",
    cases=grid(epsilon=[0.5], epsilon2=[0.5, 2]),
)
def composed_law(epsilon, epsilon2):
    """Proof: given the first output, the second is drawn with fresh randomness. A law built in this way adds up to one,
    which is what is computed.
    """
    return adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, number("0.1")))[0].sum(), equal(number(1))


@statement(
    "private-mcmc/thm-1.1",
    "Theorem 1.1",
    says=r"if $\mathcal M$ is $(\epsilon, \delta)$-ADP and $\mathcal M'$ is $(\epsilon', \delta')$-ADP, then their composition is $(\epsilon + \epsilon', \delta + \delta')$-ADP",
    reading=SECOND,
    cases=rows("epsilon delta epsilon2 delta2", (0.1, 0.05, 0.5, 0.005), (1, 0, 0, 0)),
)
def composition_adp(epsilon, delta, epsilon2, delta2):
    r"""Proof: take a set S of second outputs. Given the first output u, \(P'_u(S) \le \min(1, e^{\epsilon'} Q'_u(S)) +
    \delta'\). Multiply by \(P(u) \le e^{\epsilon} Q(u) + (P(u) - e^{\epsilon} Q(u))_+\) and sum over u. The same works
    for a set of pairs, with an S for each u.
    """
    p, q = adaptive(ApproxDP(epsilon, delta), ApproxDP(epsilon2, delta2))
    return hockey_stick_divergence(p, q, epsilon + epsilon2), at_most(delta + delta2)


@statement(
    "private-mcmc/thm-1.1-output",
    "Theorem 1.1",
    says=composition_adp.says,
    reading=r"$\mathcal M'$ is private if the law of its output $\mathcal M'(x, \mathcal M(x))$ alone is",
    why="the second output may use the first one to hide what both together reveal",
    cases=grid(at=[0]),
)
def composition_of_outputs(at):
    r"""Toss a fair coin u, and let the second output be u if the private bit x is 0, and its opposite if x is 1. Each
    output alone is a fair coin for both inputs, \((0, 0)\)-ADP, and together they reveal x. For a fixed u the second step
    is not private, so it does not meet the premise of ``private-mcmc/thm-1.1``.
    """
    return hockey_stick_divergence(*PAD, at), at_most(number(0))


STEPS = rows("epsilon epsilon2 alpha", (1, 0.5, 10), (4, 0.5, 1.001))


def composed_divergence(epsilon, epsilon2, alpha):
    """The divergence of two steps together."""
    return divergence(adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, 0)), alpha)


@statement(
    "private-mcmc/thm-1.2",
    "Theorem 1.2",
    says=r"if $\mathcal M$ is $(\alpha, \epsilon)$-RDP and $\mathcal M'$ is $(\alpha, \epsilon')$-RDP, then their composition is $(\alpha, \epsilon + \epsilon')$-RDP",
    reading=SECOND,
    cases=STEPS,
)
def composition_rdp(epsilon, epsilon2, alpha):
    r"""Proof: the sum over both outputs is \(\sum_u P(u)^\alpha Q(u)^{1-\alpha} \sum_{u'} P'_u(u')^\alpha
    Q'_u(u')^{1-\alpha}\). Its inner sum is at most \(e^{(\alpha - 1)\epsilon'}\) for every u, and what remains is at
    most \(e^{(\alpha - 1)\epsilon}\).
    """
    both = sum(PureDP(each).rdp(alpha).values[0] for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha), at_most(both)


@statement(
    "private-mcmc/thm-1.3",
    "Theorem 1.3",
    says=r"if $\mathcal M$ is $\rho$-zCDP and $\mathcal M'$ is $\rho'$-zCDP, then their composition is $(\rho + \rho')$-zCDP",
    reading=SECOND,
    cases=STEPS,
)
def composition_zcdp(epsilon, epsilon2, alpha):
    r"""The cases use randomised response, with its \(\rho\) from ``private-mcmc/def-4-zcdp``.

    Proof: this is Theorem 1.2 at every order.
    """
    both = sum(PureDP(each).zcdp().rho for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha), at_most(both * alpha)


@statement(
    "private-mcmc/thm-1-induction",
    "Theorem 1, after",
    says="all of the composition results can be extended to any number of compositions by induction",
    reading=r"each step is private for all fixed earlier outputs, with parameters fixed in advance; checked is that $k$ steps that are $(\epsilon, \delta)$-ADP are $(k\epsilon, k\delta)$-ADP",
    cases=grid(epsilon=[0.2, 1], delta=[0, 0.01], k=[1, 2, 5]),
    accuracy=1e-7,  # a delta is a difference of probabilities, whose rounding is absolute
)
def composition_induction(epsilon, delta, k):
    r"""The exact side is \(1 - (1 - \delta)^k\), the probability that one of k steps of the worst pair reveals the input.

    Proof: the first k - 1 steps together are one algorithm \(\mathcal M\) and the last step is \(\mathcal M'\), so each
    part of Theorem 1 applies k - 1 times.
    """
    many = functools.reduce(product, [worst_pair(epsilon, delta)] * int(k))
    promise = ApproxDP(epsilon, delta).repeat(int(k))
    return hockey_stick_divergence(*many, promise.epsilon), at_most(promise.delta)


@statement(
    "private-mcmc/thm-1-data-free",
    "Theorem 1, after",
    says=r"any algorithm that does not use private data in any way is $(0, 0)$-ADP, 0-zCDP and $(\alpha, 0)$-RDP with all $\alpha$",
    reading=r"checked is that $\mathcal M$ keeps its $\delta(\varepsilon)$ and its $D_\alpha$ when such an output stands beside its own",
    cases=grid(epsilon=[0.8], weights=[(1, 2, 4), (1, 1)], alpha=[1.5, 6], at=[0, 0.5]),
)
def data_free(epsilon, weights, alpha, at):
    r"""The two sides are \(\delta + D_\alpha\) of randomised response, together with a free output and without it.

    Proof: the law R of such an output is the same at neighbours. So the pair \(P \times R\), \(Q \times R\) has the same
    losses as P and Q, with the same probabilities.
    """
    free = numbers(weights) / sum(weights)
    p, q = product(worst_pair(epsilon), (free, free))
    alone = PureDP(epsilon).delta_at(at) + PureDP(epsilon).rdp(alpha).values[0]
    return hockey_stick_divergence(p, q, at) + divergence((p, q), alpha), equal(alone)


CHANNELS = {
    "identity": ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
    "merge": ((1, 0), (0, 1), (1, 0), (0, 1)),
    "noise": ((4, 1, 1), (1, 4, 1), (3, 2, 1), (2, 2, 2)),
    "forget": ((1,), (1,), (1,), (1,)),
}
"""Channels, which are randomised functions of four outputs: for each output the weights of the values."""


def through(pair, channel: str):
    """The laws after a channel."""
    rows = numbers(CHANNELS[channel]) / sum(CHANNELS[channel][0])
    p, q = (law @ rows for law in pair)
    return p, q


@statement(
    "private-mcmc/thm-2",
    "Theorem 2",
    says=r"for any algorithm $f$ not using the private data, the composition of $\mathcal M$ and $f$ is ADP with the same privacy parameters",
    reading=r"both outputs of the composition together have the $\delta(\varepsilon)$ of $\mathcal M$; checked is that the last one, $f(\mathcal M(x))$, has no more",
    cases=grid(channel=list(CHANNELS), epsilon=[0.8], delta=[0.1], at=[0, 0.5]),
)
def post_processing(channel: str, epsilon, delta, at):
    """The function f may be random if its randomness is independent of the data. In the words of the source: by Theorem
    1 f composes at cost 0, and then the first output is dropped. The identity changes nothing.

    Proof: the positive part is convex, so the positive part of a sum is at most the sum of the positive parts, and
    merging outputs lowers the hockey stick.
    """
    p, q = through(worst_pair(epsilon, delta), channel)
    relation = equal if channel == "identity" else at_most
    return hockey_stick_divergence(p, q, at), relation(ApproxDP(epsilon, delta).delta_at(at))


@statement(
    "private-mcmc/thm-2-renyi",
    "Theorem 2",
    says=r"for any algorithm $f$ not using the private data, the composition of $\mathcal M$ and $f$ is RDP or zCDP with the same privacy parameters",
    reading=r"both outputs of the composition together have the divergences of $\mathcal M$; checked is that the last one, $f(\mathcal M(x))$, has no larger ones",
    cases=grid(channel=["noise", "merge"], epsilon=[0.8], alpha=[1.5, 6]),
)
def post_processing_renyi(channel: str, epsilon, alpha):
    r"""Two randomised responses, of epsilon and of a third of it, go through the channel.

    Proof: for \(\alpha > 1\) the function \(P^\alpha Q^{1-\alpha}\) is convex in the pair (P, Q) and homogeneous. So
    merging outputs lowers its sum, and the divergence with it.
    """
    first, second = (tuple(law[2:] for law in worst_pair(e)) for e in (epsilon, epsilon / 3))
    pair = product(first, second)
    return divergence(through(pair, channel), alpha), at_most(divergence(pair, alpha))
