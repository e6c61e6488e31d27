"""Section 2.1 of the thesis: definitions of privacy, divergences that measure privacy, and composition."""

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
    reading=r"with finitely many outputs the condition is equivalent to $\sum (P - e^{\epsilon} Q)_+ \le \delta$; this equivalence is checked",
    cases=grid(epsilon=[0.3, 1], delta=[0, 0.1], at=[0, 0.2, 1]),
)
def approximate_privacy(epsilon, delta, at):
    r"""For \(\delta = 0\), this is the definition of pure privacy. The definition applies to two neighbouring datasets
    in either order. The check compares the hockey-stick divergence of a worst pair of distributions with the supremum
    over all sets of outputs.

    Proof: the set of outputs with \(P > e^{\varepsilon} Q\) attains the supremum, which therefore equals the sum of the
    positive parts.
    """
    p, q = worst_pair(epsilon, delta)
    gains = p - exp(number(at)) * q
    # all subsets of the four outputs, each by the gains of its elements
    sets = itertools.chain.from_iterable(itertools.combinations(gains, size) for size in range(5))
    return hockey_stick_divergence(p, q, at), equal(largest([sum(chosen, number(0)) for chosen in sets]))


@statement(
    "private-mcmc/def-2",
    "Definition 2, after",
    says="the definitions and theorems of this section are valid for all neighbourhood relations",
    reading=r"only a sensitivity depends on the relation; the check is that a sum of rows with $|r_j| \le c$ has the sensitivity $2c$ for substitute neighbours and $c$ for add/remove neighbours",
    cases=grid(c=[0.5, 3], n=[1, 4]),
)
def neighbourhoods(c, n):
    """In the check, the value of each row is at one end or in the middle of its range. The check compares the
    sensitivity to a replaced row with twice the sensitivity to an added row.

    Proof: the proofs of Theorems 1 to 3 use the distributions of an output for two neighbouring inputs, but they do not
    use which inputs are neighbours. Replacing a row changes the sum by the difference of two rows, which is at most 2c.
    Adding a row changes the sum by the value of the row, which is at most c in absolute value. Both of these bounds are
    attained.
    """
    values = [-c, number(0), c]  # the largest changes are attained at the ends
    sums = [sum(rest, number(0)) for rest in itertools.combinations_with_replacement(values, int(n) - 1)]
    replaced = largest([abs((s + a) - (s + b)) for s in sums for a in values for b in values])
    added = largest([abs((s + a) - s) for s in sums for a in values])
    return replaced, equal(2 * added)


@statement(
    "private-mcmc/def-3",
    "Definition 3",
    says=r"$D_\alpha(P \| Q) = \frac{1}{\alpha-1} \ln E_{x \sim Q} \Bigl(\frac{P(x)^\alpha}{Q(x)^\alpha}\Bigr)$, $1 < \alpha < \infty$",
    reading=r"the definition is checked on $N(0, \sigma^2)$ and $N(\Delta, \sigma^2)$, where the divergence is $\frac{\alpha \Delta^2}{2\sigma^2}$",
    cases=grid(alpha=[1.5, 2, 7], sigma=[1.3], gap=[0.7]),
)
def divergence_of_normals(alpha, sigma, gap):
    r"""The definition correctly takes the expectation under Q. The check compares the library's divergence with a
    numerical integral of the definition.

    Proof: let \(P = N(0, \sigma^2)\) and \(Q = N(\Delta, \sigma^2)\). Completing the square shows that \(P^\alpha
    Q^{1-\alpha}\) is \(e^{\alpha(\alpha-1)\Delta^2/(2\sigma^2)}\) times a normal density with mean
    \((1-\alpha)\Delta\).
    """
    return gaussian_mechanism(gap, sigma).rdp(alpha).values[0], equal(normal_divergence(alpha, sigma, gap))


def order_1_gap(h, weights):
    r"""Change of the divergence from order 1 to order 1 + h, at most \(\frac{|h|}{8} (\max L - \min L)^2\).

    The sign of the change is chosen so that the result is nonnegative.
    """
    pair = mirrored(weights)
    width = divergence(pair, math.inf) + divergence(pair[::-1], math.inf)
    change = divergence(pair, 1 + h) - divergence(pair, 1)
    return change if h > 0 else -change, at_most(abs(h) * width * width / 8)


@statement(
    "private-mcmc/def-3-order-1",
    "Definition 3, order 1",
    says=r"$D_1(P \| Q) = \lim_{\alpha \to 1^-} D_\alpha(P \| Q)$",
    reading=r"the formula of the definition is also used for $0 < \alpha < 1$, outside its range $1 < \alpha < \infty$; the check, on finitely many outputs, is that $0 \le E_P \ln\frac PQ - D_{1-h} \le \frac h8 (\max L - \min L)^2$",
    holds=r"if $L = \ln\frac PQ$ is bounded, the limit from the right is the same: $0 \le D_{1+h} - E_P \ln\frac PQ \le \frac h8 (\max L - \min L)^2$",
    given=("$0 < h < 1$", lambda h: less(h, 1)),
    cases=grid(h=[0.5, 0.01, 0.001], weights=[(1, 2, 4), (5, 1, 1)]),
)
def order_1_left(h, weights):
    r"""The limit from the left is always the Kullback-Leibler divergence (van Erven and Harremoës 2014, Theorem 5). The
    limit from the right need not be the Kullback-Leibler divergence: for \(P(k) \propto k^{-3}\) and \(Q(k) = 2^{-k}\),
    the divergence of order 1 is finite, but \(\sum P^{1+h} Q^{-h}\) diverges for every h > 0.

    Proof: let \(K(t) = t D_{1+t} = \ln E_P e^{tL}\) be the cumulant generating function of the loss L. Then \(K(0) =
    0\), and \(K'(0) = E_P L\) is the divergence of order 1. By Taylor's theorem, \(E_P L - D_{1-h} = \frac h2 K''\) at
    some point between -h and 0. At that point, \(K''\) is the variance of L under a reweighted distribution, which is
    at most a quarter of the squared range of L.
    """
    return order_1_gap(-h, weights)


@order_1_left.instead(cases=order_1_left.cases)
def order_1_right(h, weights):
    """Proof: the same Taylor expansion applies between 0 and h."""
    return order_1_gap(h, weights)


@statement(
    "private-mcmc/def-3-order-infinity",
    "Definition 3, order infinity",
    says=r"$D_\infty(P \| Q) = \lim_{\alpha \to \infty} D_\alpha(P \| Q)$",
    reading=r"for finitely many outputs the limit is $\max_x \ln\frac{P(x)}{Q(x)}$, which is attained at some output $x^*$; the check is the rate of convergence, $0 \le \max_x \ln\frac{P(x)}{Q(x)} - D_\alpha(P \| Q) \le \frac{1}{\alpha - 1}\ln\frac{1}{P(x^*)}$",
    cases=grid(alpha=[3, 50, 2000], weights=[(1, 2, 4), (5, 1, 1)]),
)
def order_infinity(alpha, weights):
    r"""Proof: let \(x^*\) be the output with the largest loss. The divergence is the logarithm of \(\sum_x P(x)\,
    e^{(\alpha - 1) L(x)}\), divided by \(\alpha - 1\). This sum is at least its term for \(x^*\), which is \(P(x^*)\,
    e^{(\alpha - 1) \max L}\). The sum is at most \(e^{(\alpha-1) \max L}\).
    """
    p, q = mirrored(weights)
    # the output with the largest loss also has the largest probability ratio
    missing = -log(p[np.argmax(approximate(p / q))]) / (alpha - 1)
    return divergence((p, q), math.inf) - divergence((p, q), alpha), at_most(missing)


@statement(
    "private-mcmc/def-4-rdp",
    "Definition 4",
    says=r"$\mathcal M$ is $(\alpha, \epsilon)$-Rényi DP if for all $x \sim x'$ $D_\alpha(\mathcal M(x) \| \mathcal M(x')) \le \epsilon$",
    reading=r"the definition is checked for n randomised responses, with the $\epsilon$ of a single response",
    cases=grid(epsilon=[0.3, 1, 4], alpha=[1.5, 2, 10], n=[1, 3]),
)
def over_all_neighbours(epsilon, alpha, n):
    r"""The check applies the definition to the mechanism that releases the number of ones among n randomised responses.
    The condition "for all \(x \sim x'\)" covers two neighbouring datasets in both orders, because the relation of
    neighbours is symmetric. For one record, the two sides of the inequality are equal.

    Proof: changing one record changes the distribution of one response only, and summing the responses cannot increase
    a divergence.
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
    r"""The constant \(\varepsilon \tanh\frac\varepsilon2\) is smaller than the usual constant \(\frac12\varepsilon^2\).

    Proof: among all mechanisms with pure privacy, randomised response has the largest divergences. These divergences
    satisfy \((\alpha - 1) D_\alpha = g((\alpha - \frac12)^2\varepsilon^2) - g(\frac14\varepsilon^2)\), where \(g(y) =
    \ln\cosh\sqrt y\) is concave. The tangent to g at \(\frac14\varepsilon^2\) yields the bound, which is attained in
    the limit \(\alpha \to 1\).
    """
    return divergence(worst_pair(epsilon), alpha), at_most(alpha * epsilon * tanh(epsilon / 2))


SECOND = r"$\mathcal M'$ is private as an algorithm on $\mathcal X \times \mathcal U$, where $(x, u)$ and $(x', u)$ are neighbours if $x \sim x'$; that is, $\mathcal M'$ is private for every fixed earlier output $u$"
"""Our interpretation of privacy for the second step of a composition, shown beside the statements."""

composition = functools.partial(statement, reading=SECOND)


@statement(
    "private-mcmc/def-5",
    "Definition 5",
    says=r"their composition is the algorithm outputting $(\mathcal M(x), \mathcal M'(x, \mathcal M(x)))$",
    reading=r"$\mathcal M'$ draws with fresh randomness; the joint distribution of both outputs is then $P(u) P'_u(u')$",
    cases=grid(epsilon=[0.5], epsilon2=[0.5, 2]),
)
def composed_law(epsilon, epsilon2):
    """Proof: given the first output, the second output is drawn with fresh randomness. The check verifies that the
    joint probabilities of the two outputs add up to one.
    """
    return adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, number("0.1")))[0].sum(), equal(number(1))


@composition(
    "private-mcmc/thm-1.1",
    "Theorem 1.1",
    says=r"if $\mathcal M$ is $(\epsilon, \delta)$-ADP and $\mathcal M'$ is $(\epsilon', \delta')$-ADP, then their composition is $(\epsilon + \epsilon', \delta + \delta')$-ADP",
    cases=rows("epsilon delta epsilon2 delta2", (0.1, 0.05, 0.5, 0.005), (1, 0, 0, 0)),
)
def composition_adp(epsilon, delta, epsilon2, delta2):
    r"""Proof: take a set S of second outputs. Given the first output u, \(P'_u(S) \le \min(1, e^{\epsilon'} Q'_u(S)) +
    \delta'\). Multiply by \(P(u) \le e^{\epsilon} Q(u) + (P(u) - e^{\epsilon} Q(u))_+\) and sum over u. For a set of
    pairs of outputs, the same argument applies with a different set S for each u.
    """
    p, q = adaptive(ApproxDP(epsilon, delta), ApproxDP(epsilon2, delta2))
    return hockey_stick_divergence(p, q, epsilon + epsilon2), at_most(delta + delta2)


@statement(
    "private-mcmc/thm-1.1-output",
    "Theorem 1.1",
    says=composition_adp.says,
    reading=r"$\mathcal M'$ counts as private if the distribution of its output $\mathcal M'(x, \mathcal M(x))$ alone satisfies the condition",
    why="the second step may use the first output to hide what both outputs together reveal",
    cases=grid(at=[0]),
)
def composition_of_outputs(at):
    r"""Toss a fair coin u, and let the second output be u if the private bit x is 0, and the opposite of u if x is 1.
    Each output alone is a fair coin for both values of x and is therefore \((0, 0)\)-ADP, but the two outputs together
    reveal x. For a fixed u, the second step is not private, so this step does not satisfy the premise of
    ``private-mcmc/thm-1.1``.
    """
    return hockey_stick_divergence(*PAD, at), at_most(number(0))


STEPS = rows("epsilon epsilon2 alpha", (1, 0.5, 10), (4, 0.5, 1.001))


def composed_divergence(epsilon, epsilon2, alpha):
    """Rényi divergence of the joint outputs of two steps, the second of which depends on the output of the first."""
    return divergence(adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, 0)), alpha)


@composition(
    "private-mcmc/thm-1.2",
    "Theorem 1.2",
    says=r"if $\mathcal M$ is $(\alpha, \epsilon)$-RDP and $\mathcal M'$ is $(\alpha, \epsilon')$-RDP, then their composition is $(\alpha, \epsilon + \epsilon')$-RDP",
    cases=STEPS,
)
def composition_rdp(epsilon, epsilon2, alpha):
    r"""Proof: the sum over all pairs of outputs is \(\sum_u P(u)^\alpha Q(u)^{1-\alpha} \sum_{u'} P'_u(u')^\alpha
    Q'_u(u')^{1-\alpha}\). The inner sum is at most \(e^{(\alpha - 1)\epsilon'}\) for every u, and the remaining sum
    over u is at most \(e^{(\alpha - 1)\epsilon}\).
    """
    both = sum(PureDP(each).rdp(alpha).values[0] for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha), at_most(both)


@composition(
    "private-mcmc/thm-1.3",
    "Theorem 1.3",
    says=r"if $\mathcal M$ is $\rho$-zCDP and $\mathcal M'$ is $\rho'$-zCDP, then their composition is $(\rho + \rho')$-zCDP",
    cases=STEPS,
)
def composition_zcdp(epsilon, epsilon2, alpha):
    r"""The check uses randomised response, with the value of \(\rho\) from ``private-mcmc/def-4-zcdp``.

    Proof: the statement is Theorem 1.2, applied to every order.
    """
    both = sum(PureDP(each).zcdp().rho for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha), at_most(both * alpha)


@statement(
    "private-mcmc/thm-1-induction",
    "Theorem 1, after",
    says="all of the composition results can be extended to any number of compositions by induction",
    reading=r"each step is private for all fixed earlier outputs, with parameters fixed in advance; the check is that the composition of $k$ steps that are $(\epsilon, \delta)$-ADP is $(k\epsilon, k\delta)$-ADP",
    cases=grid(epsilon=[0.2, 1], delta=[0, 0.01], k=[1, 2, 5]),
    accuracy=1e-7,  # delta is a difference of probabilities, whose rounding errors are absolute and not relative
)
def composition_induction(epsilon, delta, k):
    r"""The check computes \(1 - (1 - \delta)^k\), the probability that at least one of k worst-case steps reveals the
    input.

    Proof: by induction on k. Treat the first k - 1 steps together as the algorithm \(\mathcal M\), treat the last step
    as \(\mathcal M'\), and apply Theorem 1.
    """
    many = functools.reduce(product, [worst_pair(epsilon, delta)] * int(k))
    promise = ApproxDP(epsilon, delta).repeat(int(k))
    return hockey_stick_divergence(*many, promise.epsilon), at_most(promise.delta)


@statement(
    "private-mcmc/thm-1-data-free",
    "Theorem 1, after",
    says=r"any algorithm that does not use private data in any way is $(0, 0)$-ADP, 0-zCDP and $(\alpha, 0)$-RDP with all $\alpha$",
    reading=r"the check is that $\delta(\varepsilon)$ and $D_\alpha$ of $\mathcal M$ do not change if the output of such an algorithm is released together with that of $\mathcal M$",
    cases=grid(epsilon=[0.8], weights=[(1, 2, 4), (1, 1)], alpha=[1.5, 6], at=[0, 0.5]),
)
def data_free(epsilon, weights, alpha, at):
    r"""The check compares two values of \(\delta + D_\alpha\) for randomised response: one with an additional output
    that does not depend on the data, and one without this output.

    Proof: an output that does not depend on the data has the same distribution R for neighbouring datasets. So the pair
    \(P \times R\), \(Q \times R\) has the same losses as the pair P, Q, with the same probabilities.
    """
    free = numbers(weights) / sum(weights)
    p, q = product(worst_pair(epsilon), (free, free))
    alone = PureDP(epsilon).delta_at(at) + PureDP(epsilon).rdp(alpha).values[0]
    return hockey_stick_divergence(p, q, at) + divergence((p, q), alpha), equal(alone)


CHANNELS = {
    "identity": ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
    "merge": ((1, 0), (0, 1), (1, 0), (0, 1)),
    "noise": ((4, 1, 1), (1, 4, 1), (3, 2, 1), (2, 2, 2)),
}
"""Channels: randomised functions of four outputs, where each row contains the weights of the channel's values for one
output."""


def through(pair, channel: str):
    """The two distributions of a pair after the outputs have passed through a channel."""
    rows = numbers(CHANNELS[channel]) / sum(CHANNELS[channel][0])
    return tuple(law @ rows for law in pair)


@statement(
    "private-mcmc/thm-2",
    "Theorem 2",
    says=r"for any algorithm $f$ not using the private data, the composition of $\mathcal M$ and $f$ is ADP with the same privacy parameters",
    reading=r"both outputs of the composition together have the $\delta(\varepsilon)$ of $\mathcal M$; the check is that the last output, $f(\mathcal M(x))$, does not have a larger $\delta(\varepsilon)$",
    cases=grid(channel=list(CHANNELS), epsilon=[0.8], delta=[0.1], at=[0, 0.5]),
)
def post_processing(channel: str, epsilon, delta, at):
    """The function f may be random if its randomness is independent of the data. The source argues that, by Theorem 1,
    the composition with f costs no additional privacy, and then drops the first output. In the check, the channel
    "identity" leaves the output unchanged.

    Proof: the positive part of a sum is at most the sum of the positive parts. Therefore merging outputs cannot
    increase the hockey-stick divergence.
    """
    p, q = through(worst_pair(epsilon, delta), channel)
    relation = equal if channel == "identity" else at_most
    return hockey_stick_divergence(p, q, at), relation(ApproxDP(epsilon, delta).delta_at(at))


@statement(
    "private-mcmc/thm-2-renyi",
    "Theorem 2",
    says=r"for any algorithm $f$ not using the private data, the composition of $\mathcal M$ and $f$ is RDP or zCDP with the same privacy parameters",
    reading=r"both outputs of the composition together have the divergences of $\mathcal M$; the check is that the last output, $f(\mathcal M(x))$, does not have larger divergences",
    cases=grid(channel=["noise", "merge"], epsilon=[0.8], alpha=[1.5, 6]),
)
def post_processing_renyi(channel: str, epsilon, alpha):
    r"""In the check, two randomised responses, one with the given \(\varepsilon\) and one with \(\varepsilon/3\), pass
    through the channel together.

    Proof: for \(\alpha > 1\), the function \(P^\alpha Q^{1-\alpha}\) is homogeneous and convex in the pair (P, Q). So
    merging outputs cannot increase the sum of this function over the outputs, and therefore cannot increase the
    divergence.
    """
    # without the first two outputs, which have probability 0 because delta is 0
    first, second = (tuple(law[2:] for law in worst_pair(e)) for e in (epsilon, epsilon / 3))
    pair = product(first, second)
    return divergence(through(pair, channel), alpha), at_most(divergence(pair, alpha))
