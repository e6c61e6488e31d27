"""Section 2.1 of the thesis: composition and post-processing."""

from ...arithmetic import number, numbers
from ...guarantees import ApproxDP, PureDP, compose, hockey_stick_divergence, worst_pair
from .. import at_most, equal, grid, statement
from .laws import PAD, adaptive, divergence, product

FIXED = ("the second step meets its bound for every fixed earlier output, on fresh randomness", lambda pad: not pad)


@statement(
    "private-mcmc/def-5",
    "Definition 5",
    says=r"the composition of $M$ and $M'$ outputs $(M(x), M'(x, M(x)))$: its law is $P(u) P'_u(u')$",
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
    says=r"$(\epsilon, \delta)$-ADP and $(\epsilon', \delta')$-ADP compose to $(\epsilon + \epsilon', \delta + \delta')$-ADP",
    why="the source leaves out what privacy means for an algorithm with two inputs; of its output alone it is not enough",
    only_if=FIXED,
    cases=[
        *grid(epsilon=[0.1, 1], delta=[0.005, 0.05], epsilon2=[0.5], delta2=[0.005], pad=[0]),
        {"epsilon": 0, "delta": 0, "epsilon2": 0, "delta2": 0, "pad": 1},
    ],
)
def composition_adp(epsilon, delta, epsilon2, delta2, pad):
    r"""Toss a fair coin u, and let the second output be u if the private bit x is 0, and its opposite if x is 1. Each
    output alone is a fair coin for both inputs, and together they tell x.

    Proof: take a set S of second outputs. Given the first output u, \(P'_u(S) \le \min(1, e^{\epsilon'} Q'_u(S)) +
    \delta'\). Multiply by \(P(u) \le e^{\epsilon} Q(u) + (P(u) - e^{\epsilon} Q(u))_+\) and sum over u. The same works
    for a set of pairs, with an S for each u.
    """
    steps = ApproxDP(epsilon, delta), ApproxDP(epsilon2, delta2)
    both = compose(*steps)
    p, q = PAD if int(pad) else adaptive(*steps)
    return hockey_stick_divergence(p, q, both.epsilon), at_most(both.delta)


STEPS = [
    *grid(epsilon=[0.1, 1], epsilon2=[0.5], alpha=[1.5, 2, 10], pad=[0]),
    {"epsilon": 4, "epsilon2": 0.5, "alpha": 1.001, "pad": 0},
    {"epsilon": 0, "epsilon2": 0, "alpha": 2, "pad": 1},
]


def composed_divergence(epsilon, epsilon2, alpha, pad):
    """The divergence of two steps together, the second of which may be the pad."""
    return divergence(PAD if int(pad) else adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, 0)), alpha)


@statement(
    "private-mcmc/thm-1.2",
    "Theorem 1.2",
    says=r"$(\alpha, \epsilon)$-RDP and $(\alpha, \epsilon')$-RDP compose to $(\alpha, \epsilon + \epsilon')$-RDP",
    why="as for Theorem 1.1",
    only_if=FIXED,
    cases=STEPS,
)
def composition_rdp(epsilon, epsilon2, alpha, pad):
    r"""Proof: the sum over both outputs is \(\sum_u P(u)^\alpha Q(u)^{1-\alpha} \sum_{u'} P'_u(u')^\alpha
    Q'_u(u')^{1-\alpha}\). Its inner sum is at most \(e^{(\alpha - 1)\epsilon'}\) for every u, and what remains is at
    most \(e^{(\alpha - 1)\epsilon}\).
    """
    both = sum(PureDP(each).rdp(alpha).values[0] for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha, pad), at_most(both)


@statement(
    "private-mcmc/thm-1.3",
    "Theorem 1.3",
    says=r"$\rho$-zCDP and $\rho'$-zCDP compose to $(\rho + \rho')$-zCDP",
    why="as for Theorem 1.1",
    only_if=FIXED,
    cases=STEPS,
)
def composition_zcdp(epsilon, epsilon2, alpha, pad):
    r"""The cases use randomised response, with its \(\rho\) from ``private-mcmc/def-4-zcdp``.

    Proof: this is Theorem 1.2 at every order.
    """
    both = sum(PureDP(each).zcdp().rho for each in (epsilon, epsilon2))
    return composed_divergence(epsilon, epsilon2, alpha, pad), at_most(both * alpha)


@statement(
    "private-mcmc/thm-1-induction",
    "Theorem 1, after",
    says=r"by induction, $k$ steps that are $(\epsilon, \delta)$-ADP are $(k\epsilon, k\delta)$-ADP",
    cases=grid(epsilon=[0.2, 1], delta=[0, 0.01], k=[1, 2, 5]),
)
def composition_induction(epsilon, delta, k):
    r"""The exact side is \(1 - (1 - \delta)^k\), the probability that one of k steps of the worst pair reveals the input.

    Proof: apply Theorem 1.1 again and again, under its condition. The privacy parameters have to be fixed in advance and
    may not be chosen from earlier outputs.
    """
    one = many = worst_pair(epsilon, delta)
    for _ in range(int(k) - 1):
        many = product(many, one)
    promise = (ApproxDP(epsilon, delta) if delta != 0 else PureDP(epsilon)).repeat(int(k))
    return hockey_stick_divergence(*many, promise.epsilon), at_most(promise.delta(promise.epsilon))


@statement(
    "private-mcmc/thm-1-data-free",
    "Theorem 1, after",
    says=r"what does not use private data is $(0, 0)$-ADP, 0-zCDP and $(\alpha, 0)$-RDP: composed with it, $M$ keeps its $\delta(\varepsilon)$ and its $D_\alpha$",
    cases=grid(epsilon=[0.8], weights=[(1, 2, 4), (1, 1)], alpha=[1.5, 6], at=[0, 0.5]),
)
def data_free(epsilon, weights, alpha, at):
    r"""The two sides are \(\delta + D_\alpha\) of randomised response, together with a free output and without it.

    Proof: the law R of such an output is the same at neighbours. So the pair \(P \times R\), \(Q \times R\) has the same
    losses as P and Q, with the same probabilities.
    """
    free = numbers(weights) / sum(weights)
    p, q = product(worst_pair(epsilon), (free, free))
    alone = PureDP(epsilon).delta(at) + PureDP(epsilon).rdp(alpha).values[0]
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
    says=r"for any $f$ not using the private data, $f(M(x))$ has the privacy of $M$: $\delta_{f(M)}(\varepsilon) \le \delta_M(\varepsilon)$",
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
    return hockey_stick_divergence(p, q, at), relation(ApproxDP(epsilon, delta).delta(at))


@statement(
    "private-mcmc/thm-2-renyi",
    "Theorem 2",
    says=r"for any $f$ not using the private data, $f(M(x))$ has the Rényi and concentrated privacy of $M$: $D_\alpha(f(P) \| f(Q)) \le D_\alpha(P \| Q)$",
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
