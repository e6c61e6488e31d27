"""Section 4.2, utility: how well N draws answer, Lemmas 11 and 12."""

import math
from typing import Any

from ... import posterior_sampling as ps
from ...arithmetic import expm1, less, log, log1p, minimum, number, sqrt
from ...posterior_sampling.adversary import frequency_radius, weissman_bound, weissman_radius
from ...posterior_sampling.samples import frequency_tail
from ..statements import at_most, grid, statement

ADVERSARY = "posterior_sampling/what_samples_reveal"
PAGE = "posterior_sampling/sampling_and_answering"


def coin_failure(N: Any, coins: Any, radius: Any) -> Any:
    r"""The probability that one of so many responses, each useful like a fair coin, beats a constant in N draws.

    The constant exceeds 1/2 by just over the radius, so answering with a coin loses more than that.
    """
    draws, level = int(N), minimum(number(1) / 2 + radius, number(1))

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return theta if response == "coin" else level

    beats = number(0)
    for heads in range(draws + 1):
        answer = ps.psaqr([1] * heads + [0] * (draws - heads), useful, None, ["constant", "coin"])
        beats = beats + math.comb(draws, heads) * int(answer.response == "coin") * number(1) / 2**draws
    return -expm1(int(coins) * log1p(-beats))


def regret_of_subsets(parameters: Any, N: Any) -> Any:
    """What PSAQR loses that may answer with the set of all values drawn."""
    draws, worth = range(int(N)), {"constant": number(0.9), "the set": N / parameters}

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return worth[response] if response == "constant" else int(theta in draws)

    return worth["constant"] - worth[ps.psaqr(draws, useful, None, list(worth)).response]


def draws_for_constant(constant: Any, delta: Any) -> int:
    r"""\(\lceil 4K^2 \ln\frac1\delta \rceil\): with so many draws K times the printed bound is at most 1/2."""
    return math.ceil(-4 * float(constant) ** 2 * math.log(float(delta)))


def subsets_for_constant(constant: Any, delta: Any) -> tuple[Any, Any]:
    """The regret when the responses are all sets of N of 100 N values, for the N of a constant, and K times the bound."""
    N = draws_for_constant(constant, delta)
    return regret_of_subsets(number(100 * N), N), constant * sqrt(-log(delta) / N)


@statement(
    "posterior-sampling/lemma-11-subsets",
    "Lemma 11, for as many responses as there are sets",
    says=r"$\text{regret} \le 2\sqrt{\frac{\ln(2/\delta)}{2N}}$",
    holds=r"$\Pr\Bigl[\sup_u \text{regret} > \sqrt{\tfrac2N \ln\tfrac{2^m - 2}{\delta}}\Bigr] \le \delta$ for $m$ parameters",
    why="Hoeffding's inequality holds for one response at a time",
    cases=grid(parameters=[10**6], N=[100, 1000], delta=[0.01]),
)
def lemma_11_subsets(parameters: Any, N: Any, delta: Any) -> Any:
    r"""Let \(\theta\) be uniform on M values. The responses are all sets of N values, which are useful if they contain
    \(\theta\), and one response with the constant utility 0.9. The set of the values that were drawn has the utility
    one on the draws, and at most N/M in truth. PSAQR answers with this set, and its regret is \(0.9 - N/M\) for
    certain.
    """
    return regret_of_subsets(parameters, N), at_most(2 * sqrt(log(2 / delta) / (2 * N)))


PARTITIONS: list[dict[str, Any]] = [
    {"p": (0.2, 0.8), "n": 20, "power": 2},
    {"p": (0.2, 0.3, 0.5), "n": 20, "power": 3},
]
"""Power is the negative exponent of 4 in delta."""


def tail(p: Any, n: Any, radius: Any) -> Any:
    """The probability that the frequencies of n draws are farther from p than the radius."""
    return frequency_tail(ps.weighted(range(len(p)), p), int(n), radius)


@lemma_11_subsets.instead(
    cases=[{"p": case["p"], "N": case["n"], "delta": delta} for case in PARTITIONS for delta in (0.3, 0.01)]
)
def lemma_11_finite(p: Any, N: Any, delta: Any) -> Any:
    """This holds for adaptive queries with any utilities in [0, 1]. The exact side is the probability of a distance
    above the bound, which no regret exceeds.

    Proof: by Lemma 14 the regret is at most the distance between the empirical and the true posterior, whatever the
    queries are. Weissman's inequality bounds that distance.
    """
    return tail(p, N, weissman_radius(len(p), int(N), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-11",
    "Lemma 11",
    says=r"with probability $1 - \delta$ responses are within $O(\sqrt{\ln(1/\delta)/N})$ of the best",
    holds=r"$\Pr\Bigl[\text{regret} > 2\sqrt{\frac{\ln((R-1)/\delta)}{2N}}\Bigr] \le \delta$ for $R \ge 2$ responses to one query",
    why="no constant will do for all queries",
    reading="the constant K of the order does not depend on the query",
    cases=grid(constant=[1, 4, 16], delta=[0.05]),
)
def lemma_11(constant: Any, delta: Any) -> Any:
    r"""For a constant \(K \ge 1\) take \(N = \lceil 4K^2 \ln\frac1\delta \rceil\) draws, so that
    \(K\sqrt{\ln(1/\delta)/N} \le \frac12\). The query of ``posterior-sampling/lemma-11-subsets`` with 100 N values then
    has the regret 0.89 for certain. A constant below one promises more still. What holds instead has a constant that
    depends on the query, through the number of its responses.
    """
    lost, bound = subsets_for_constant(constant, delta)
    return lost, at_most(bound)


@lemma_11.instead(cases=grid(N=[20, 50], delta=[0.3, 0.05], coins=[1, 10, 10**6]))
def lemma_11_by_responses(N: Any, delta: Any, coins: Any) -> Any:
    r"""The cases have one response of a constant utility, and so many others that are worth a fair coin.

    Proof: a response with a regret above t is given only if its mean over the draws is at least that of the best one.
    The difference of the two has a range of two and a mean below -t. So this has probability at most
    \(e^{-Nt^2/2}\), for each of the R - 1 other responses. For adaptive queries the union is over all pairs of a query
    and a response that could be asked.
    """
    return coin_failure(N, coins, ps.regret_bound(int(N), int(coins) + 1, delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12",
    "Lemma 12",
    says=r"$m \le \log_2\sqrt{1/\delta}$ implies $\Pr\Bigl[\|\hat P^n - P\|_1 > \sqrt{\tfrac3n \ln\tfrac1\delta}\Bigr] \le \delta$",
    cases=PARTITIONS,
    given=lambda p, power: not less(power, len(p)),
    page=ADVERSARY,
)
def lemma_12(p: Any, n: Any, power: Any) -> Any:
    r"""For \(n \le \frac34 \ln\frac1\delta\) the radius is at least two, the largest distance there is.

    Proof: Weissman's inequality at \(\varepsilon^2 = \frac3n\ln\frac1\delta\) gives
    \((2^m - 2)\,\delta^{3/2} \le 2^m \delta^{1/2} \cdot \delta \le \delta\), because the premise says
    \(\delta \le 4^{-m}\).
    """
    delta = number(1) / 4 ** int(power)
    return tail(p, n, frequency_radius(int(n), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12-weissman",
    "Lemma 12, the inequality quoted",
    says=r"$\Pr\bigl[\|\hat P^n - P\|_1 \ge \varepsilon\bigr] \le (2^m - 2)\, e^{-n\varepsilon^2/2}$",
    cases=[{**case, "radius": radius} for case in PARTITIONS for radius in (0.45, 0.93)],
    page=ADVERSARY,
)
def lemma_12_weissman(p: Any, n: Any, power: Any, radius: Any) -> Any:
    r"""No distance of these cases equals the radius.

    Proof: half the distance is \(\hat P(A) - P(A)\) at one of the \(2^m - 2\) events A that are neither empty nor
    certain. By Hoeffding's inequality this difference is at least \(\varepsilon/2\) with a probability of at most
    \(e^{-2n(\varepsilon/2)^2}\), for each of them.
    """
    return tail(p, n, radius), at_most(weissman_bound(len(p), int(n), radius))
