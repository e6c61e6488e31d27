"""Section 4.2, utility: how well N draws answer, Lemmas 11 and 12."""

import math
from typing import Any

from ...arithmetic import expm1, less, log, log1p, minimum, number, sqrt
from ...posterior_sampling import psaqr, regret_bound, weighted
from ...posterior_sampling.adversary import frequency_radius, weissman_bound, weissman_radius
from ...posterior_sampling.samples import frequency_tail
from ..claim import REFUTED, Condition, grid
from ..premises import Law, Reals, Wholes, premises
from .cases import UNIT
from .source import ADVERSARY, ANSWERS, PAPER


def coin_failure(N: Any, coins: Any, radius: Any) -> Any:
    r"""The probability that one of so many responses, each useful like a fair coin, beats a constant in N draws.

    The constant exceeds 1/2 by just over the radius, so answering with a coin loses more than that.
    """
    draws, level = int(N), minimum(number(1) / 2 + radius, number(1))

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return theta if response == "coin" else level

    wins = [
        heads
        for heads in range(draws + 1)
        if psaqr([1] * heads + [0] * (draws - heads), useful, None, ["constant", "coin"]).response == "coin"
    ]
    beats = sum(math.comb(draws, heads) for heads in wins) * number(1) / 2**draws
    return -expm1(int(coins) * log1p(-beats))


def opposite_failure(N: Any, radius: Any) -> Any:
    r"""The probability that PSAQR gives the worse of two responses, each useful where the other is not.

    The better one is useful with probability \(\frac12(1 + r)\), so the other loses r.
    """
    draws, worse = int(N), (1 - radius) / 2

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return theta if response == "worse" else 1 - theta

    wins = [
        heads
        for heads in range(draws + 1)
        if psaqr([1] * heads + [0] * (draws - heads), useful, None, ["worse", "better"]).response == "worse"
    ]
    return sum(math.comb(draws, heads) * worse**heads * (1 - worse) ** (draws - heads) for heads in wins)


COINS: list[dict[str, Any]] = [
    *grid(N=[20, 50], delta=[0.3, 0.05], coins=[1]),
    {"N": 20, "delta": 0.3, "coins": 10**6},
    {"N": 50, "delta": 0.05, "coins": 10**8},
]


class Responses(Wholes):
    """So many coins, or two responses that are useful where the other is not."""

    def allows(self, value: Any, case: Any) -> bool:
        return value == "opposite" or super().allows(value, case)


ASKED = premises(N=Wholes(1, 60), delta=UNIT, coins=Responses(1, 10**8))


@PAPER.item("lemma-11", "Lemma 11", cases=COINS, relation="<=", calls=(psaqr, regret_bound), page=ANSWERS)
def failure_as_printed(N: Any, delta: Any, coins: Any) -> Any:
    r"""The probability of a regret above \(2\varepsilon\), \(\varepsilon\) that of the printed proof."""
    return coin_failure(N, coins, 2 * sqrt(log(2 / delta) / (2 * N)))


@failure_as_printed.said(
    r"\Pr\bigl[\text{regret} > 2\varepsilon\bigr] \le \delta, \quad \varepsilon = \sqrt{\frac{\ln(2/\delta)}{2N}}, \text{ for all } q, r",
    suffix="proof",
    where="Lemma 11, proof",
    erratum=True,
    condition=Condition(r"one query with two responses, fixed beforehand", lambda N, delta, coins: coins == 1),
    proof=True,
    premises=ASKED,
)
def lemma_11_proof(N: Any, delta: Any, coins: Any) -> Any:
    r"""Hoeffding's inequality holds for one response at a time. For two responses it gives the claim. The difference
    of their utilities has a range of two, so its mean is off by \(2\varepsilon\) with probability at most
    \(e^{-2N\varepsilon^2} = \delta/2\). For many responses it fails. Let one response have a constant utility, and let
    each of the others be worth a fair coin, which is less on average by more than \(2\varepsilon\). With enough of
    them, some coin wins almost surely.
    """
    return delta


@PAPER.item(
    "lemma-11-subsets",
    "Lemma 11, for as many responses as there are sets",
    cases=[{"parameters": 10**6, "N": 100, "delta": 0.01}, {"parameters": 10**6, "N": 1000, "delta": 0.01}],
    relation="<=",
    calls=psaqr,
    page=ANSWERS,
)
def regret_of_subsets(parameters: Any, N: Any, delta: Any) -> Any:
    """What PSAQR loses that may answer with the set of all values drawn."""
    draws = range(int(N))
    worth = {"constant": number(0.9), "the set": N / parameters}

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return worth[response] if response == "constant" else int(theta in draws)

    return worth["constant"] - worth[psaqr(draws, useful, None, list(worth)).response]


@regret_of_subsets.said(r"\text{regret} \le 2\sqrt{\frac{\ln(2/\delta)}{2N}}", expected=REFUTED)
def lemma_11_subsets(parameters: Any, N: Any, delta: Any) -> Any:
    r"""Let \(\theta\) be uniform on M values. The responses are all sets of N values, which are useful if they contain
    \(\theta\), and one response with the constant utility 0.9. The set of the values that were drawn has the utility
    one on the draws, and at most N/M in truth. PSAQR answers with this set, and its regret is \(0.9 - N/M\) for
    certain.
    """
    return 2 * sqrt(log(2 / delta) / (2 * N))


def draws_for_constant(constant: Any, delta: Any) -> int:
    r"""\(\lceil 4K^2 \ln\frac1\delta \rceil\): with so many draws K times the bound is at most 1/2."""
    return math.ceil(-4 * float(constant) ** 2 * math.log(float(delta)))


@PAPER.item(
    "lemma-11", "Lemma 11", cases=grid(constant=[1, 4, 16], delta=[0.05]), relation="<=", calls=psaqr, page=ANSWERS
)
def subsets_for_constant(constant: Any, delta: Any) -> Any:
    """The regret when the responses are all sets of N of 100 N values, for the N that a constant asks for."""
    N = draws_for_constant(constant, delta)
    return regret_of_subsets(parameters=number(100 * N), N=N, delta=delta)


@subsets_for_constant.said(
    r"\text{with probability } 1 - \delta \text{ responses are within } O(\sqrt{\ln(1/\delta)/N}) \text{ of the best}",
    expected=REFUTED,
)
def lemma_11(constant: Any, delta: Any) -> Any:
    r"""No constant will do for all queries. For a constant \(K \ge 1\) take \(N = \lceil 4K^2 \ln\frac1\delta \rceil\)
    draws, so that \(K\sqrt{\ln(1/\delta)/N} \le \frac12\). The query of ``posterior-sampling/lemma-11-subsets`` with
    100 N values then has the regret 0.89 for certain. A constant below one promises more still. There is a constant
    that depends on the query, through the number of its responses: ``posterior-sampling/lemma-11-corrected``.
    """
    return constant * sqrt(-log(delta) / draws_for_constant(constant, delta))


@PAPER.item(
    "lemma-11-corrected",
    "Lemma 11",
    cases=[
        *({**case, "coins": coins} for case in grid(N=[20, 50], delta=[0.3, 0.05]) for coins in (1, 10)),
        *COINS[-2:],
        {"N": 50, "delta": 0.05, "coins": "opposite"},
    ],
    relation="<=",
    calls=(psaqr, regret_bound),
    page=ANSWERS,
    premises=ASKED,
)
def failure(N: Any, delta: Any, coins: Any) -> Any:
    """The probability of a regret above the bound of the library."""
    if coins == "opposite":
        return opposite_failure(N, regret_bound(int(N), 2, delta))
    return coin_failure(N, coins, regret_bound(int(N), int(coins) + 1, delta))


@failure.said(
    r"\Pr\Bigl[\text{regret} > 2\sqrt{\frac{\ln((R-1)/\delta)}{2N}}\Bigr] \le \delta \quad (R \ge 2 \text{ responses to one query})",
    corrects="posterior-sampling/lemma-11-proof",
    origin="ours",
    proof=True,
)
def lemma_11_corrected(N: Any, delta: Any, coins: Any) -> Any:
    r"""A response with a regret above t is given only if its mean over the draws is at least that of the best one. The
    difference of the two has a range of two and a mean below -t. So this has probability at most \(e^{-Nt^2/2}\), for
    each of the R - 1 other responses. For adaptive queries the union is over all pairs of a query and a response that
    could be asked. In the last case each of the two responses is useful exactly where the other is not, which takes
    the whole range of two.
    """
    return delta


PARTITIONS: list[dict[str, Any]] = [
    {"p": (0.5, 0.5), "n": 10, "power": 2},
    {"p": (0.2, 0.8), "n": 20, "power": 2},
    {"p": (0.2, 0.3, 0.5), "n": 20, "power": 3},
    {"p": (0.25, 0.25, 0.25, 0.25), "n": 12, "power": 4},
]
"""Power is the negative exponent of 4 in delta."""


def tail(p: Any, n: Any, radius: Any) -> Any:
    """The probability that the frequencies of n draws are farther from p than the radius."""
    return frequency_tail(weighted(range(len(p)), p), int(n), radius)


@PAPER.item(
    "lemma-12",
    "Lemma 12",
    cases=PARTITIONS,
    relation="<=",
    calls=(frequency_tail, frequency_radius),
    page=ADVERSARY,
    premises=premises(
        "m <= log_2 sqrt(1/delta)",
        lambda p, n, power: not less(power, len(p)),
        p=Law((2, 3)),
        n=Wholes(1, 25),
        power=Wholes(2, 8),
    ),
)
def tail_at_delta(p: Any, n: Any, power: Any) -> Any:
    r"""The probability of a distance above \(\sqrt{\frac3n \ln\frac1\delta}\)."""
    return tail(p, n, frequency_radius(int(n), number(1) / 4 ** int(power)))


@tail_at_delta.said(
    r"m \le \log_2\sqrt{1/\delta} \implies \Pr\Bigl[\|\hat P^n - P\|_1 > \sqrt{\tfrac3n \ln\tfrac1\delta}\Bigr] \le \delta",
    proof=True,
)
def lemma_12(p: Any, n: Any, power: Any) -> Any:
    r"""Weissman's inequality at \(\varepsilon^2 = \frac3n\ln\frac1\delta\) gives \((2^m - 2)\,\delta^{3/2} \le 2^m
    \delta^{1/2} \cdot \delta \le \delta\), because the premise says \(\delta \le 4^{-m}\). For \(n \le \frac34
    \ln\frac1\delta\) the radius is at least two, the largest distance there is.
    """
    return number(1) / 4 ** int(power)


@PAPER.item(
    "lemma-12-weissman",
    "Lemma 12, the inequality quoted",
    cases=[{**case, "radius": radius} for case in PARTITIONS for radius in (0.45, 0.93)],
    relation="<=",
    calls=frequency_tail,
    page=ADVERSARY,
    premises=premises(p=Law((2, 3)), n=Wholes(1, 25), power=Wholes(2, 8), radius=Reals(0.01, 1.99, above=0)),
)
def tail_at_radius(p: Any, n: Any, power: Any, radius: Any) -> Any:
    """The probability of a distance above the radius, which no distance of these cases equals."""
    return tail(p, n, radius)


@tail_at_radius.said(
    r"\Pr\bigl[\|\hat P^n - P\|_1 \ge \varepsilon\bigr] \le (2^m - 2)\, e^{-n\varepsilon^2/2}",
    proof=True,
)
def lemma_12_weissman(p: Any, n: Any, power: Any, radius: Any) -> Any:
    r"""Half the distance is \(\hat P(A) - P(A)\) at one of the \(2^m - 2\) events A that are neither empty nor
    certain. By Hoeffding's inequality this difference is at least \(\varepsilon/2\) with a probability of at most
    \(e^{-2n(\varepsilon/2)^2}\), for each of them.
    """
    return weissman_bound(len(p), int(n), radius)


@PAPER.item(
    "lemma-11-finite",
    "Lemma 11, for all utilities at once",
    cases=[{"p": case["p"], "N": case["n"], "delta": delta} for case in PARTITIONS for delta in (0.3, 0.01)],
    relation="<=",
    calls=frequency_tail,
    page=ANSWERS,
    premises=premises(p=Law((2, 3)), N=Wholes(1, 25), delta=UNIT),
)
def failure_of_any_utility(p: Any, N: Any, delta: Any) -> Any:
    r"""The probability of a distance above \(\sqrt{\frac2N \ln\frac{2^m - 2}{\delta}}\), which bounds every regret."""
    return tail(p, N, weissman_radius(len(p), int(N), delta))


@failure_of_any_utility.said(
    r"\Pr\Bigl[\sup_u \text{regret} > \sqrt{\tfrac2N \ln\tfrac{2^m - 2}{\delta}}\Bigr] \le \delta \quad (m \text{ parameters})",
    corrects="posterior-sampling/lemma-11-proof",
    origin="ours",
    proof=True,
)
def lemma_11_finite(p: Any, N: Any, delta: Any) -> Any:
    """This holds for adaptive queries with any utilities in [0, 1]. By Lemma 14 the regret is at most the distance
    between the empirical and the true posterior, whatever the queries are. Weissman's inequality bounds that distance.
    """
    return delta
