r"""Section 2.1 of the thesis: composition and post-processing."""

from typing import Any

from ...arithmetic import number, numbers
from ...guarantees import ApproxDP, PureDP, compose, hockey_stick_divergence, renyi_divergence, worst_pair
from ..claim import Condition, grid
from ..premises import Choice, Reals, Wholes, premises
from .laws import CURRENCIES, DELTA, EPSILON, ORDER, PAD, WEIGHTS, Pair, adaptive, divergence, product
from .source import THESIS

FIXED = Condition(
    r"the second step meets its bound for every fixed earlier output, on fresh randomness", lambda pad, **_: not pad
)


@THESIS.item(
    "def-5",
    "Definition 5",
    cases=grid(epsilon=[0.5], epsilon2=[0.5, 2]),
    calls=worst_pair,
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, epsilon2=EPSILON),
)
def composed_mass(epsilon: Any, epsilon2: Any) -> Any:
    """The mass of a composed law."""
    return adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, number("0.1")))[0].sum()


@composed_mass.said(
    r"\text{the composition of } M \text{ and } M' \text{ outputs } (M(x), M'(x, M(x)))\text{: its law is } P(u) P'_u(u')",
    proof=True,
)
def definition_5(epsilon: Any, epsilon2: Any) -> Any:
    """The formula is right if the second step uses fresh randomness. A law built in this way adds up to one, which is
    what is computed.
    """
    return number(1)


@THESIS.item(
    "thm-1.1",
    "Theorem 1.1",
    cases=[
        *grid(epsilon=[0.1, 1], delta=[0.05], epsilon2=[0.5], delta2=[0.1], pad=[0]),
        {"epsilon": 0.1, "delta": 0.005, "epsilon2": 0.5, "delta2": 0.005, "pad": 0},
        {"epsilon": 0, "delta": 0, "epsilon2": 0, "delta2": 0, "pad": 1},
    ],
    relation="<=",
    calls=(hockey_stick_divergence, compose),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, delta=DELTA, epsilon2=EPSILON, delta2=DELTA, pad=Choice((0, 1))),
)
def composed_delta(epsilon: Any, delta: Any, epsilon2: Any, delta2: Any, pad: Any) -> Any:
    """The hockey stick of two steps at the epsilon that the library promises of both."""
    steps = ApproxDP(epsilon, delta), ApproxDP(epsilon2, delta2)
    p, q = PAD if int(pad) else adaptive(*steps)
    return hockey_stick_divergence(p, q, compose(*steps).epsilon)


@composed_delta.said(
    r"(\epsilon, \delta)\text{-ADP and } (\epsilon', \delta')\text{-ADP compose to } (\epsilon + \epsilon', \delta + \delta')\text{-ADP}",
    condition=FIXED,
    proof=True,
    tight={"epsilon": 0.1, "delta": 0.005, "epsilon2": 0.5, "delta2": 0.005, "pad": 0},
)
def composition_adp(epsilon: Any, delta: Any, epsilon2: Any, delta2: Any, pad: Any) -> Any:
    r"""Take a set S of second outputs. Given the first output u, \(P'_u(S) \le \min(1, e^{\epsilon'} Q'_u(S)) +
    \delta'\). Multiply by \(P(u) \le e^{\epsilon} Q(u) + (P(u) - e^{\epsilon} Q(u))_+\) and sum over u. The same works
    for a set of pairs, with an S for each u.

    The source leaves out what "\(M'\) is ADP" means for an algorithm with two inputs. If this is asked of the output
    of \(M'\) alone, the statement fails. Toss a fair coin u, and let the second output be u if the private bit x is 0,
    and its opposite if x is 1. Each output alone is a fair coin for both inputs, and together they tell x.
    """
    return compose(ApproxDP(epsilon, delta), ApproxDP(epsilon2, delta2)).delta


STEPS = [
    *grid(epsilon=[0.1, 1], epsilon2=[0.5], alpha=[1.5, 2, 10], pad=[0]),
    {"epsilon": 4, "epsilon2": 0.5, "alpha": 1.001, "pad": 0},
    {"epsilon": 0, "epsilon2": 0, "alpha": 2, "pad": 1},
]


def _composed_divergence(epsilon: Any, epsilon2: Any, alpha: Any, pad: Any) -> Any:
    return divergence(PAD if int(pad) else adaptive(ApproxDP(epsilon, 0), ApproxDP(epsilon2, 0)), alpha)


composed_rdp = THESIS.item(
    "thm-1.2",
    "Theorem 1.2",
    cases=STEPS,
    relation="<=",
    calls=(renyi_divergence, compose),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, epsilon2=EPSILON, alpha=ORDER, pad=Choice((0, 1))),
)(_composed_divergence)

composed_zcdp = THESIS.item(
    "thm-1.3",
    "Theorem 1.3",
    cases=STEPS,
    relation="<=",
    calls=(renyi_divergence, compose),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, epsilon2=EPSILON, alpha=ORDER, pad=Choice((0, 1))),
)(_composed_divergence)


@composed_rdp.said(
    r"(\alpha, \epsilon)\text{-RDP and } (\alpha, \epsilon')\text{-RDP compose to } (\alpha, \epsilon + \epsilon')\text{-RDP}",
    condition=FIXED,
    proof=True,
    tight={"epsilon": 1, "epsilon2": 0.5, "alpha": 10, "pad": 0},
)
def composition_rdp(epsilon: Any, epsilon2: Any, alpha: Any, pad: Any) -> Any:
    r"""The sum over both outputs is \(\sum_u P(u)^\alpha Q(u)^{1-\alpha} \sum_{u'} P'_u(u')^\alpha
    Q'_u(u')^{1-\alpha}\). Its inner sum is at most \(e^{(\alpha - 1)\epsilon'}\) for every u, and what remains is at
    most \(e^{(\alpha - 1)\epsilon}\). For what fails without the condition, see ``private-mcmc/thm-1.1``.
    """
    both: Any = compose(PureDP(epsilon).rdp(alpha), PureDP(epsilon2).rdp(alpha))
    return both.values[0]


@composed_zcdp.said(
    r"\rho\text{-zCDP and } \rho'\text{-zCDP compose to } (\rho + \rho')\text{-zCDP}",
    condition=FIXED,
    proof=True,
    tight={"epsilon": 4, "epsilon2": 0.5, "alpha": 1.001, "pad": 0},
)
def composition_zcdp(epsilon: Any, epsilon2: Any, alpha: Any, pad: Any) -> Any:
    r"""This is ``private-mcmc/thm-1.2`` at every order. The cases use randomised response, with its \(\rho\) from
    ``private-mcmc/def-4-zcdp``.
    """
    both: Any = compose(PureDP(epsilon).zcdp(), PureDP(epsilon2).zcdp())
    return both.rdp(alpha).values[0]


@THESIS.item(
    "thm-1-induction",
    "Theorem 1, after",
    cases=grid(epsilon=[0.2, 1], delta=[0, 0.01], k=[1, 2, 5]),
    relation="<=",
    calls=(hockey_stick_divergence, worst_pair, ApproxDP.repeat, PureDP.repeat),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, delta=DELTA, k=Wholes(1, 5)),
)
def repeated_worst_pair(epsilon: Any, delta: Any, k: Any) -> Any:
    """The hockey stick of k steps at the epsilon that the library promises of them."""
    one = worst_pair(epsilon, delta)
    many = one
    for _ in range(int(k) - 1):
        many = product(many, one)
    return hockey_stick_divergence(*many, _promise(epsilon, delta).repeat(int(k)).epsilon)


def _promise(epsilon: Any, delta: Any) -> PureDP | ApproxDP:
    return ApproxDP(epsilon, delta) if delta != 0 else PureDP(epsilon)


@repeated_worst_pair.said(
    r"\text{by induction, } k \text{ steps that are } (\epsilon, \delta)\text{-ADP are } (k\epsilon, k\delta)\text{-ADP}",
    tight={"epsilon": 1, "delta": 0.01, "k": 1},
    proof=True,
)
def composition_induction(epsilon: Any, delta: Any, k: Any) -> Any:
    r"""Apply ``private-mcmc/thm-1.1`` again and again, under its condition. The privacy parameters have to be fixed in
    advance and may not be chosen from earlier outputs. The exact side is \(1 - (1 - \delta)^k\), the probability that
    one of k steps of the worst pair reveals the input.
    """
    many = _promise(epsilon, delta).repeat(int(k))
    return many.delta(many.epsilon)


# Post-processing

CHANNELS = {
    "identity": ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
    "merge": ((1, 0), (0, 1), (1, 0), (0, 1)),
    "noise": ((4, 1, 1), (1, 4, 1), (3, 2, 1), (2, 2, 2)),
    "forget": ((1,), (1,), (1,), (1,)),
}


def _through(pair: Pair, channel: str) -> Pair:
    rows = numbers(CHANNELS[channel]) / sum(CHANNELS[channel][0])
    p, q = (law @ rows for law in pair)
    return p, q


@THESIS.item(
    "thm-1-data-free",
    "Theorem 1, after",
    cases=grid(epsilon=[0.8], weights=[(1, 2, 4), (1, 1)], alpha=[1.5, 6], at=[0, 0.5]),
    calls=(hockey_stick_divergence, renyi_divergence),
    page=CURRENCIES,
    premises=premises(epsilon=EPSILON, weights=WEIGHTS, alpha=ORDER, at=EPSILON),
)
def with_free_output(epsilon: Any, weights: Any, alpha: Any, at: Any) -> Any:
    """The hockey stick and the divergence of randomised response, told together with a free output."""
    free = numbers(weights) / sum(weights)
    pair = product(worst_pair(epsilon), (free, free))
    return hockey_stick_divergence(*pair, at) + divergence(pair, alpha)


@with_free_output.said(
    r"\text{what does not use private data is } (0, 0)\text{-ADP, } 0\text{-zCDP and } (\alpha, 0)\text{-RDP: composed with it, } M \text{ keeps its } \delta(\varepsilon) \text{ and its } D_\alpha",
    proof=True,
)
def data_free(epsilon: Any, weights: Any, alpha: Any, at: Any) -> Any:
    r"""The law R of such an output is the same at neighbours. So the pair \(P \times R\), \(Q \times R\) has the same
    losses as P and Q, with the same probabilities. The two sides are \(\delta + D_\alpha\), with R and without it.
    """
    return PureDP(epsilon).delta(at) + PureDP(epsilon).rdp(alpha).values[0]


@THESIS.item(
    "thm-2",
    "Theorem 2",
    cases=grid(channel=list(CHANNELS), epsilon=[0.8], delta=[0.1], at=[0, 0.5]),
    relation="<=",
    calls=(hockey_stick_divergence, worst_pair),
    page=CURRENCIES,
    premises=premises(channel=Choice(tuple(CHANNELS)), epsilon=EPSILON, delta=DELTA, at=EPSILON),
)
def processed_delta(channel: str, epsilon: Any, delta: Any, at: Any) -> Any:
    """The hockey stick after the channel."""
    return hockey_stick_divergence(*_through(worst_pair(epsilon, delta), channel), at)


@processed_delta.said(
    r"\text{for any } f \text{ not using the private data, } f(M(x)) \text{ has the privacy of } M\text{: } \delta_{f(M)}(\varepsilon) \le \delta_M(\varepsilon)",
    tight={"channel": "identity", "epsilon": 0.8, "delta": 0.1, "at": 0.5},
    proof=True,
)
def post_processing(channel: str, epsilon: Any, delta: Any, at: Any) -> Any:
    """The function f may be random if its randomness is independent of the data. The positive part is convex, so the
    positive part of a sum is at most the sum of the positive parts, and merging outputs lowers the hockey stick. In
    the words of the source: by Theorem 1 f composes at cost 0, and then the first output is dropped.
    """
    return ApproxDP(epsilon, delta).delta(at)


@THESIS.item(
    "thm-2-renyi",
    "Theorem 2",
    cases=grid(channel=["noise", "merge"], epsilon=[0.8], alpha=[1.5, 6]),
    relation="<=",
    calls=(renyi_divergence, worst_pair),
    page=CURRENCIES,
    premises=premises(channel=Choice(tuple(CHANNELS)), epsilon=Reals(least=0), alpha=ORDER),
)
def processed_divergence(channel: str, epsilon: Any, alpha: Any) -> Any:
    """The divergence after the channel."""
    return divergence(_through(_two_responses(epsilon), channel), alpha)


def _two_responses(epsilon: Any) -> Pair:
    first, second = (tuple(law[2:] for law in worst_pair(e)) for e in (epsilon, epsilon / 3))
    return product(first, second)


@processed_divergence.said(
    r"\text{for any } f \text{ not using the private data, } f(M(x)) \text{ has the Rényi and concentrated privacy of } M\text{: } D_\alpha(f(P) \| f(Q)) \le D_\alpha(P \| Q)",
    proof=True,
)
def post_processing_renyi(channel: str, epsilon: Any, alpha: Any) -> Any:
    r"""For \(\alpha > 1\) the function \(P^\alpha Q^{1-\alpha}\) is convex in the pair (P, Q) and homogeneous. So
    merging outputs lowers its sum, and the divergence with it.
    """
    return divergence(_two_responses(epsilon), alpha)
